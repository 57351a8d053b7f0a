package hostile

import (
	"fmt"
	gobuild "go/build"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// Hostile requests, byte for byte, against a live server.

// A victim is a server under attack. When the test ends, its ErrorLog must be
// empty: nothing panicked.
type victim struct {
	addr string
	conn *testkit.Conn // the one in use, nil before the first and behind one that the server closed
	t    testing.TB
}

func newVictim(t *testing.T, handler http.Handler, configure ...func(*http.Server)) *victim {
	var errors *testkit.Buffer
	t.Cleanup(func() { assert.Empty(t, errors.String(), "the server's log") }) // behind the server's end
	v := &victim{t: t}
	v.addr, errors = testkit.Listen(t, handler, configure...)
	return v
}

// A reply is what came back.
type reply struct {
	status      int
	location    string
	allow       string
	body        string
	contentType string
	noSniff     bool
	closes      bool // the connection, by Connection: close or its version
}

// attack sends bytes and reads one answer. Where the answer leaves the
// connection open, it must be good for another request; where it does not, it
// must end.
func (v *victim) attack(raw string) reply {
	if v.conn == nil {
		v.conn = testkit.Dial(v.t, v.addr)
	}
	method, _, _ := strings.Cut(raw, " ")
	// The answer may come, and the connection end, before all is sent.
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		io.WriteString(v.conn, raw)
	}()
	r := v.read(method, raw)
	if r.closes {
		v.conn.Close()
		<-sent
		v.conn = nil
		return r
	}
	<-sent
	v.conn.Send(testkit.Get("/ping"))
	ping := v.read("GET", raw+" and then /ping")
	require.Equal(v.t, 200, ping.status, "%.200q left the connection where it cannot be used", raw)
	require.Equal(v.t, "pong", ping.body, "%.200q", raw)
	return r
}

func (v *victim) read(method, what string) reply {
	a := v.conn.Answer(method, what)
	return reply{
		status: a.Status, location: a.Header.Get("Location"), allow: a.Header.Get("Allow"), body: a.Body,
		contentType: a.Header.Get("Content-Type"), noSniff: a.Header.Get("X-Content-Type-Options") == "nosniff",
		closes: a.Close,
	}
}

// attackEcho tells which route answered and with which values.
func attackEcho(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, r.Pattern)
	for name, value := range segue.Params(r) {
		if len(value) > 100 {
			value = fmt.Sprintf("%d bytes", len(value))
		}
		fmt.Fprintf(w, " %s=%q", name, value)
	}
}

func pong(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "pong") }

// attackRoutes are taken by ServeMux too, so that it can be asked the same.
func attackRoutes(mux interface {
	HandleFunc(string, func(http.ResponseWriter, *http.Request))
}) {
	mux.HandleFunc("GET /ping", pong)
	for _, pattern := range []string{
		"GET /{one}", "GET /users/{id}", "POST /users/{id}", "/any/{rest...}", "/sub/files/", "GET /dir/{$}", "example.com/only/here", "kelvin.test/only/here",
	} {
		mux.HandleFunc(pattern, attackEcho)
	}
}

// An attackRow is a hostile request and its right answer.
type attackRow struct {
	request  string // as head, a target, or whole requests with their last line
	status   int
	location string // with 307
	body     string // with 200
	allow    string // with 405

	// differs says why ServeMux's answer is another one; it then must be.
	differs string
}

const (
	keepsEncoding = "ServeMux escapes what it cleans a second time"
	encodedSlash  = "ServeMux takes a segment that is %2F for a final slash"
	connects      = "CONNECT: only a clean path is matched"
	rawPage       = "ServeMux's page holds the byte as it came; Location is the same"
	hostCase      = "ServeMux compares hosts byte by byte"
)

// head makes a request of a line and headers.
func head(line string, headers ...string) string {
	return line + " HTTP/1.1\r\n" + strings.Join(append(headers, "", ""), "\r\n")
}

func local(line string, headers ...string) string {
	return head(line, append([]string{"Host: localhost"}, headers...)...)
}

var attackPaths = []attackRow{
	{"//evil.com", 307, "/evil.com", "", "", ""},
	{"///evil.com", 307, "/evil.com", "", "", ""},
	{"//evil.com/", 307, "/evil.com/", "", "", ""},
	{"//evil.com/..", 307, "/", "", "", ""},
	{"//evil.com/%2e%2e", 307, "/evil.com/%2e%2e", "", "", keepsEncoding},
	{"//evil.com%2f..", 307, "/evil.com%2f..", "", "", keepsEncoding},
	{"//user@evil.com:80/x", 307, "/user@evil.com:80/x", "", "", ""},
	{"/.//evil.com", 307, "/evil.com", "", "", ""},
	{"/..//evil.com", 307, "/evil.com", "", "", ""},
	{"/%2e%2e//evil.com", 307, "/%2e%2e/evil.com", "", "", keepsEncoding},
	{"/%2e//evil.com", 307, "/%2e/evil.com", "", "", keepsEncoding},
	{"/%2F%2Fevil.com", 200, "", `GET /{one} one="//evil.com"`, "", ""},
	{"/%2Fevil.com", 200, "", `GET /{one} one="/evil.com"`, "", ""},
	{"//%2Fevil.com", 307, "/%2Fevil.com", "", "", keepsEncoding},
	{`/\evil.com`, 200, "", `GET /{one} one="\\evil.com"`, "", ""},
	{`/\/evil.com`, 404, "", "", "", ""},
	{`//\evil.com`, 307, "/%5Cevil.com", "", "", keepsEncoding},
	{`/\\evil.com//x`, 307, "/%5C%5Cevil.com/x", "", "", keepsEncoding},
	{"/%5Cevil.com", 200, "", `GET /{one} one="\\evil.com"`, "", ""},
	{"/%5cevil.com", 200, "", `GET /{one} one="\\evil.com"`, "", ""},
	{"//%5Cevil.com", 307, "/%5Cevil.com", "", "", keepsEncoding},
	{"/%09/evil", 404, "", "", "", ""},
	{"/%09//evil", 307, "/%09/evil", "", "", keepsEncoding},
	{"/%0a//evil", 307, "/%0a/evil", "", "", keepsEncoding},
	{"/\t/evil", 400, "", "", "", ""},
	{"/ /evil", 400, "", "", "", ""},
	{"/%20//evil", 307, "/%20/evil", "", "", keepsEncoding},
	{"/x//////////", 307, "/x/", "", "", ""},
	{"//////////", 307, "/", "", "", ""},
	{"/./.././", 307, "/", "", "", ""},
	{"/sub/files", 307, "/sub/files/", "", "", ""},
	{"/sub/files//", 307, "/sub/files/", "", "", ""},
	{"/sub/files/../../..//evil.com", 307, "/evil.com", "", "", ""},
	{"/sub/files?next=//evil.com", 307, "/sub/files/?next=//evil.com", "", "", ""},
	{"/sub/files?%0d%0aSet-Cookie:%20a=b", 307, "/sub/files/?%0d%0aSet-Cookie:%20a=b", "", "", ""},
	{"/sub/files?\xff", 307, "/sub/files/?%ff", "", "", rawPage},
	{"/files%3Fx", 200, "", `GET /{one} one="files?x"`, "", ""},
	{"/files%23x", 200, "", `GET /{one} one="files#x"`, "", ""},
	{"/files#x", 200, "", `GET /{one} one="files#x"`, "", ""},
	{"//files%3Fx#y?z#", 307, "/files%3Fx%23y?z#", "", "", keepsEncoding},
	{"//x%0d%0aSet-Cookie:%20a=b", 307, "/x%0d%0aSet-Cookie:%20a=b", "", "", keepsEncoding},
	{"//x\r\nSet-Cookie: a=b", 400, "", "", "", ""},
	{"/users/%0d%0aSet-Cookie:%20a=b", 200, "", `GET /users/{id} id="\r\nSet-Cookie: a=b"`, "", ""},
	{"?x", 400, "", "", "", ""},
	{"evil.com", 400, "", "", "", ""},
	{`\\evil.com`, 400, "", "", "", ""},

	{"/users/..", 307, "/", "", "", ""},
	{"/users/%2e%2e", 200, "", `GET /users/{id} id=".."`, "", ""},
	{"/users/%2E%2e", 200, "", `GET /users/{id} id=".."`, "", ""},
	{"/users/%2e", 200, "", `GET /users/{id} id="."`, "", ""},
	{"/users/.%2e", 200, "", `GET /users/{id} id=".."`, "", ""},
	{"/users/%2e%2e/7", 404, "", "", "", ""},
	{"/users/%252e%252e", 200, "", `GET /users/{id} id="%2e%2e"`, "", ""},
	{"/users/a%2Fb", 200, "", `GET /users/{id} id="a/b"`, "", ""},
	{"/users/a%2fb", 200, "", `GET /users/{id} id="a/b"`, "", ""},
	{"/users/a%252Fb", 200, "", `GET /users/{id} id="a%2Fb"`, "", ""},
	{"/users/%252e%2F%2561", 200, "", `GET /users/{id} id="%2e/%61"`, "", ""}, // not kept by URL.Path alone
	{"/users%252F%37", 200, "", `GET /{one} one="users%2F7"`, "", ""},
	{"/users/%2F", 200, "", `GET /users/{id} id="/"`, "", encodedSlash},
	{"/users/..%2F..%2Fping", 200, "", `GET /users/{id} id="../../ping"`, "", ""},
	{"/users%2F7", 200, "", `GET /{one} one="users/7"`, "", ""},
	{"/%75sers/7", 200, "", `GET /users/{id} id="7"`, "", ""},
	{"/users/%zz", 400, "", "", "", ""},
	{"/users/%", 400, "", "", "", ""},
	{"/users/%2", 400, "", "", "", ""},
	{"/users/%u002f", 400, "", "", "", ""},
	{"/users/a\x00b", 400, "", "", "", ""},
	{"/users/a\x7fb", 400, "", "", "", ""},
	{"/users/a%00b", 200, "", `GET /users/{id} id="a\x00b"`, "", ""},
	{"/users%00/7", 404, "", "", "", ""},
	{"/users/%c0%ae%c0%ae", 200, "", `GET /users/{id} id="\xc0\xae\xc0\xae"`, "", ""},
	{"/users/%c0%af", 200, "", `GET /users/{id} id="\xc0\xaf"`, "", ""},
	{"/users/\xc0\xae", 200, "", `GET /users/{id} id="\xc0\xae"`, "", ""},
	{"/users/%EF%BC%8E%EF%BC%8E", 200, "", `GET /users/{id} id="．．"`, "", ""},
	{"/users/7;admin=1", 200, "", `GET /users/{id} id="7;admin=1"`, "", ""},
	{"/users;x/7", 404, "", "", "", ""},
	{`/users\7`, 200, "", `GET /{one} one="users\\7"`, "", ""},
	{"/users/%2F%2F%2F", 200, "", `GET /users/{id} id="///"`, "", ""},
	{"/users/" + strings.Repeat("%2F", 10_000), 200, "", `GET /users/{id} id="10000 bytes"`, "", ""},
	{"/any/" + strings.Repeat("%2e%2e%2F", 5_000), 200, "", `/any/{rest...} rest="15000 bytes"`, "", ""},
	{"/any/a//b", 307, "/any/a/b", "", "", ""},
	{"/any/%2e%2e/%2e%2e", 200, "", `/any/{rest...} rest="../.."`, "", ""},

	// What no URL may hold bare makes net/url give up the encoded form: then the
	// decoded path is matched, by ServeMux too, and its slashes are slashes.
	{"/users/\xc3\xbc%2Fx", 404, "", "", "", ""},
	{`/users/a"%2F..%2F..%2Fping`, 307, "/ping", "", "", ""},
	{`/"%2F..%2F%2Fevil.com`, 307, "/evil.com", "", "", ""},
	{`/%2F%2Fevil.com"`, 307, "/evil.com%22", "", "", keepsEncoding},
}

var attackRequests = []attackRow{
	{local("get /users/7"), 405, "", "", "GET, HEAD, POST", ""},
	{local("Get /users/7"), 405, "", "", "GET, HEAD, POST", ""},
	{local("M-SEARCH /users/7"), 405, "", "", "GET, HEAD, POST", ""},
	{local("M-SEARCH /any/x"), 200, "", `/any/{rest...} rest="x"`, "", ""},
	{local("PRI /users/7"), 405, "", "", "GET, HEAD, POST", ""},
	{local("TRACE /users/7", "Cookie: secret"), 405, "", "", "GET, HEAD, POST", ""},
	{local("OPTIONS /users/7"), 405, "", "", "GET, HEAD, POST", ""},
	{local("_ /users/7"), 405, "", "", "GET, HEAD, POST", ""},
	{local("GET|POST /users/7"), 405, "", "", "GET, HEAD, POST", ""},
	{local("users /users/7"), 405, "", "", "GET, HEAD, POST", ""},
	{local(strings.Repeat("LONG", 50_000) + " /users/7"), 405, "", "", "GET, HEAD, POST", ""},
	{local(strings.Repeat("LONG", 50_000) + " /any/7"), 200, "", `/any/{rest...} rest="7"`, "", ""},
	{local("G@T /users/7"), 400, "", "", "", ""},
	{local("G/T /users/7"), 400, "", "", "", ""},
	{local("GET\x00 /users/7"), 400, "", "", "", ""},
	{local(" /users/7"), 400, "", "", "", ""},
	{local("GET  /users/7"), 400, "", "", "", ""},
	{"GET /users/7\r\n\r\n", 400, "", "", "", ""},
	{"GET /users/7 HTTP/9.9\r\nHost: localhost\r\n\r\n", 505, "", "", "", ""},
	{"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", 400, "", "", "", ""},

	{head("CONNECT evil.com:443", "Host: evil.com:443"), 404, "", "", "", connects},
	{local("CONNECT evil.com:443"), 404, "", "", "", connects},
	{local("CONNECT evil.com:443/users/7"), 405, "", "", "GET, HEAD, POST", ""},
	{local("CONNECT /any/x"), 200, "", `/any/{rest...} rest="x"`, "", ""},
	{local("CONNECT /users/7"), 405, "", "", "GET, HEAD, POST", ""},
	{local("CONNECT //evil.com/"), 404, "", "", "", connects},
	{local("CONNECT /any//x"), 404, "", "", "", connects},
	{local("CONNECT /sub/files"), 307, "/sub/files/", "", "", ""},

	{local("OPTIONS *"), 200, "", "", "", ""},
	{local("GET *"), 400, "", "", "", ""},
	{local("PROPFIND *"), 400, "", "", "", ""},
	{local("GET http://evil.com/users/7"), 200, "", `GET /users/{id} id="7"`, "", ""},
	{local("GET http://evil.com/sub/files"), 307, "/sub/files/", "", "", ""},
	{local("GET http://evil.com//evil.org"), 307, "/evil.org", "", "", ""},
	{local("GET http://evil.com//evil.org//"), 307, "/evil.org/", "", "", ""},
	{local("GET http://user:password@evil.com//x"), 307, "/x", "", "", ""},
	{local("GET http://evil.com"), 307, "/", "", "", ""},
	{local("GET http://evil.com?//evil.org"), 307, "/?//evil.org", "", "", ""},
	{local("GET http:////evil.com"), 307, "/evil.com", "", "", ""},
	{local("GET ftp://evil.com/users/7"), 200, "", `GET /users/{id} id="7"`, "", ""},
	{local("GET javascript:alert(1)"), 307, "/", "", "", ""},
	{local("GET javascript://x/%0aalert(1)//"), 307, "/%0aalert(1)/", "", "", keepsEncoding},
	{local("GET http://%E2%84%AAelvin.test/only/here"), 404, "", "", "", ""},
	{local("GET http://example.com%2F/only/here"), 400, "", "", "", ""},
	{local(`GET http://example.com\@localhost/only/here`), 400, "", "", "", ""},
	{local("GET http://[::1/x"), 400, "", "", "", ""},

	{head("GET /sub/files", "Host: evil.com"), 307, "/sub/files/", "", "", ""},
	{head("GET //x", "Host: evil.com:8080"), 307, "/x", "", "", ""},
	{head("GET //x", "Host:"), 307, "/x", "", "", ""},
	{head("GET /only/here", "Host:"), 404, "", "", "", ""},
	{head("GET /only/here", "Host: example.com"), 200, "", "example.com/only/here", "", ""},
	{head("GET /only/here", "Host: example.com:8080"), 200, "", "example.com/only/here", "", ""},
	{head("GET /only/here", "Host: example.com."), 200, "", "example.com/only/here", "", hostCase},
	{head("GET /only/here", "Host: EXAMPLE.com"), 200, "", "example.com/only/here", "", hostCase},
	{head("GET /only/here", "Host: example.com.."), 404, "", "", "", ""},
	{head("GET /only/here", "Host: example.com.evil.com"), 404, "", "", "", ""},
	{head("GET /only/here", "Host: evil.com:example.com"), 404, "", "", "", ""},
	{head("GET /only/here", "Host: example.com:80:80"), 404, "", "", "", ""},
	{head("GET /users/7", "Host: .."), 200, "", `GET /users/{id} id="7"`, "", ""},
	{head("GET /users/7", "Host: :"), 200, "", `GET /users/{id} id="7"`, "", ""},
	{head("GET /users/7", "Host: "+strings.Repeat("a.", 50_000)), 200, "", `GET /users/{id} id="7"`, "", ""},
	{head("GET /users/7", "Host: example.com@evil.com"), 400, "", "", "", ""},
	{head("GET /users/7", "Host: example.com/x"), 400, "", "", "", ""},
	{head("GET /users/7", "Host: exa mple.com"), 400, "", "", "", ""},
	{head("GET /users/7", "Host: ex\xc3\xa4mple.com"), 400, "", "", "", ""},
	{head("GET /users/7", "Host: a", "Host: b"), 400, "", "", "", ""},
	{head("GET /users/7", "Host: a", "Host: a"), 400, "", "", "", ""},
	{head("GET /users/7"), 400, "", "", "", ""},
	{"GET /users/7 HTTP/1.0\r\n\r\n", 200, "", `GET /users/{id} id="7"`, "", ""},
	{"GET //x HTTP/1.0\r\n\r\n", 307, "/x", "", "", ""},

	{local("GET //x", "X-Forwarded-Host: evil.com", "X-Forwarded-Proto: https", "X-Forwarded-Prefix: //evil.com", "Forwarded: host=evil.com"), 307, "/x", "", "", ""},
	{local("GET /sub/files", "X-Forwarded-Host: evil.com", "X-Forwarded-Prefix: //evil.com", "X-Forwarded-Path: //evil.com", "X-Host: evil.com"), 307, "/sub/files/", "", "", ""},
	{local("GET /only/here", "X-Forwarded-Host: example.com", "X-Host: example.com", "Forwarded: host=example.com"), 404, "", "", "", ""},
	{local("GET /users/7", "X-Original-URL: /any/x", "X-Rewrite-URL: /any/x", "X-Forwarded-Uri: /any/x"), 200, "", `GET /users/{id} id="7"`, "", ""},
	{local("GET /users/7", "X-HTTP-Method-Override: DELETE", "X-HTTP-Method: DELETE", "X-Method-Override: DELETE"), 200, "", `GET /users/{id} id="7"`, "", ""},
	{local("GET /dir/7", "X-HTTP-Method-Override: POST"), 404, "", "", "", ""},
}

var sinceGo127 = slices.Contains(gobuild.Default.ReleaseTags, "go1.27")

func TestAttackTable(t *testing.T) {
	router, mux := segue.New(), http.NewServeMux()
	attackRoutes(router)
	attackRoutes(mux)
	ours, theirs := newVictim(t, router), newVictim(t, mux)
	for _, row := range append(attackPaths, attackRequests...) {
		if !strings.Contains(row.request, "HTTP/") {
			row.request = local("GET " + row.request)
		}
		got := ours.attack(row.request)
		name := fmt.Sprintf("%.200q", row.request)
		require.Equal(t, row.status, got.status, name)
		assert.Equal(t, row.location, got.location, name)
		assert.Equal(t, row.allow, got.allow, name)
		if row.status == 200 {
			assert.Equal(t, row.body, got.body, name)
		}
		if got.location != "" {
			staysOnSite(t, got.location, name)
		}
		if sinceGo127 && row.differs == keepsEncoding {
			row.differs = "" // ServeMux keeps it, too
		}
		closes := row.status == 400 || row.status == 505 || strings.Contains(row.request, "HTTP/1.0") ||
			sinceGo127 && strings.HasPrefix(row.request, "CONNECT ")
		assert.Equal(t, closes, got.closes, name)
		if row.differs == connects {
			continue // it may panic there
		}
		if want := theirs.attack(row.request); row.differs == "" {
			assert.Equal(t, want, got, name)
		} else {
			assert.NotEqual(t, want, got, name)
		}
	}
}

// staysOnSite checks that a client which follows a Location comes to a path of
// the same site, however it reads it.
func staysOnSite(t testing.TB, location, name string) {
	t.Helper()
	ok := location != "" && location[0] == '/' && (len(location) == 1 || location[1] != '/' && location[1] != '\\')
	path, _, _ := strings.Cut(location, "?")
	for i := range len(location) {
		ok = ok && location[i] > ' ' && location[i] < 0x7f
	}
	ok = ok && !strings.ContainsAny(path, `\"<>^`+"`{|}#")
	base := &url.URL{Scheme: "https", Host: "victim.test:8443", Path: "/a/b/c"}
	// Browsers take %2e for a dot, and strip what is white space once decoded.
	for _, read := range []string{location, strings.NewReplacer("%2e", ".", "%2E", ".").Replace(location)} {
		u, err := url.Parse(read)
		if !ok || err != nil {
			ok = false
			break
		}
		u = base.ResolveReference(u)
		ok = ok && u.Scheme == base.Scheme && u.Host == base.Host && u.User == nil && u.Opaque == ""
	}
	if !ok {
		t.Errorf("%s: the Location %q leaves the site, or might", name, location)
	}
}
