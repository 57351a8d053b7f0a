package hostile

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
)

// Requests that are long, deep or many, and what an answer says of a request.

// longRoutes are reached by paths of any length.
func longRoutes() *segue.Router {
	rt := segue.New()
	rt.GET("/ping", pong)
	rt.GET("/one/{x}", attackEcho)
	rt.GET("/rest/{x...}", attackEcho)
	rt.POST("/post/{x}", attackEcho)
	rt.GET("/one/{x}/end/{$}", attackEcho)
	return rt
}

const mebibyte = 1 << 20

// net/http lets a header of 1 MiB and 4 KiB through unless it is told otherwise;
// what it lets through the router answers.
func TestAttackLongPath(t *testing.T) {
	long := strings.Repeat("x", mebibyte)
	refused := newVictim(t, longRoutes())
	got := refused.attack(local("GET /one/" + long + strings.Repeat("x", 8<<10)))
	assert.Equal(t, 431, got.status)
	assert.True(t, got.closes)

	v := newVictim(t, longRoutes(), func(s *http.Server) { s.MaxHeaderBytes = 16 * mebibyte })
	for _, row := range []attackRow{
		{request: "/one/" + long, status: 200, body: `GET /one/{x} x="1048576 bytes"`},
		{request: "/one/" + strings.Repeat("%2F", mebibyte), status: 200, body: `GET /one/{x} x="1048576 bytes"`},
		{request: "/one/" + strings.Repeat("%zz", mebibyte), status: 400},
		{request: "/rest/" + long, status: 200, body: `GET /rest/{x...} x="1048576 bytes"`},
		{request: "/post/" + long, status: 405, allow: "OPTIONS, POST"},
		{request: "/" + long, status: 404},
		{request: "/one//" + long, status: 307, location: "/one/" + long},
		{request: "/one/" + long + "/", status: 307, location: "/one/" + long},
		{request: "/one/" + strings.Repeat(`"`, mebibyte) + "/", status: 307, location: "/one/" + strings.Repeat("%22", mebibyte)},
		{request: "/one/x/?" + long, status: 307, location: "/one/x?" + long},
	} {
		got := v.attack(local("GET " + row.request))
		name := fmt.Sprintf("%.50q", row.request)
		assert.Equal(t, row.status, got.status, name)
		assert.Equal(t, row.allow, got.allow, name)
		assert.True(t, row.location == got.location, name)
		if row.status == 200 {
			assert.Equal(t, row.body, got.body, name)
		}
	}
}

func TestAttackManySegments(t *testing.T) {
	const n = 100_000
	v := newVictim(t, longRoutes())
	for _, row := range []attackRow{
		{request: "/rest" + strings.Repeat("/a", n), status: 200, body: fmt.Sprintf(`GET /rest/{x...} x="%d bytes"`, 2*n-1)},
		{request: "/rest" + strings.Repeat("/%2e", n), status: 200, body: fmt.Sprintf(`GET /rest/{x...} x="%d bytes"`, 2*n-1)},
		{request: strings.Repeat("/a", n), status: 404},
		{request: "/one" + strings.Repeat("/a", n), status: 404},
		{request: strings.Repeat("/%2F", n), status: 404},
		{request: strings.Repeat("/", n), status: 307, location: "/"},
		{request: strings.Repeat("/.", n) + "/one/a", status: 307, location: "/one/a"},
		{request: strings.Repeat("/..", n) + "/one/a/", status: 307, location: "/one/a"},
		{request: strings.Repeat("/a", n) + strings.Repeat("/..", n) + "/one/a", status: 307, location: "/one/a"},
		{request: strings.Repeat("/a/..", n), status: 307, location: "/"},
	} {
		got := v.attack(local("GET " + row.request))
		name := fmt.Sprintf("%.50q", row.request)
		assert.Equal(t, row.status, got.status, name)
		assert.Equal(t, row.location, got.location, name)
		if row.status == 200 {
			assert.Equal(t, row.body, got.body, name)
		}
	}
}

// A pattern of ten thousand parameters: every value is right, by every way to
// ask, behind a mount too.
func TestAttackManyParameters(t *testing.T) {
	const n = 10_000
	var pattern, path strings.Builder
	for i := range n {
		fmt.Fprintf(&pattern, "/{p%d}", i)
		fmt.Fprintf(&path, "/v%d", i)
	}
	check := func(w http.ResponseWriter, r *http.Request) {
		i := 0
		for name, value := range segue.Params(r) {
			if name != fmt.Sprint("p", i) || value != fmt.Sprint("v", i) {
				fmt.Fprintf(w, "%s=%s, ", name, value)
			}
			i++
		}
		fmt.Fprintf(w, "%d values, the last is %s", i, segue.Param(r, fmt.Sprint("p", n-1)))
	}
	for _, filled := range []bool{true, false} {
		rt := segue.New()
		rt.PathValues(filled)
		rt.GET("/ping", pong)
		rt.GET(pattern.String(), check)
		rt.Mount("/m"+pattern.String(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			wrong := 0
			for i := range n {
				if r.PathValue(fmt.Sprint("p", i)) != fmt.Sprint("v", i) {
					wrong++
				}
			}
			fmt.Fprintf(w, "%d wrong, path %s", wrong, r.URL.Path)
		}))
		v := newVictim(t, rt)
		assert.Equal(t, fmt.Sprintf("%d values, the last is v%d", n, n-1), v.attack(local("GET "+path.String())).body)
		assert.Equal(t, path.String(), v.attack(local("GET "+path.String()+"/?")).location)
		assert.Equal(t, 404, v.attack(local("GET "+path.String()+"/more")).status)
		assert.Equal(t, "0 wrong, path /x/y", v.attack(local("GET /m"+path.String()+"/x/y")).body)
	}
}

// Params reads many values by their place and not by their name: a value that was
// set anew shows all the same, and so does a pattern that was.
func TestAttackManyParametersChanged(t *testing.T) {
	var pattern, path strings.Builder
	for i := range 20 {
		fmt.Fprintf(&pattern, "/{p%d}", i)
		fmt.Fprintf(&path, "/v%d", i)
	}
	show := func(w http.ResponseWriter, r *http.Request) {
		r.SetPathValue("p15", "set")
		r.SetPathValue("other", "set")
		for name, value := range segue.Params(r) {
			fmt.Fprint(w, name, "=", value, " ")
		}
		r.Pattern = strings.Replace(r.Pattern, "/{p16}/{p17}", "/{p17}/{p16}", 1)
		for name, value := range segue.Params(r) {
			if name == "p15" || name == "p16" || name == "p17" {
				fmt.Fprint(w, name, "=", value, " ")
			}
		}
	}
	rt, mux := segue.New(), http.NewServeMux()
	rt.HandleFunc(pattern.String(), show)
	mux.HandleFunc(pattern.String(), show)
	want, got := httptest.NewRecorder(), httptest.NewRecorder()
	mux.ServeHTTP(want, received(local("GET "+path.String())))
	rt.ServeHTTP(got, received(local("GET "+path.String())))
	assert.Contains(t, got.Body.String(), "p8=v8 p9=v9 p10=v10 p11=v11 p12=v12 p13=v13 p14=v14 p15=set p16=v16 p17=v17 p18=v18 p19=v19 other=set p15=set p17=v17 p16=v16")
	assert.Equal(t, want.Body.String(), got.Body.String())
}

// What of a request comes back in an answer cannot be taken for markup or a
// header.
func TestAttackReflection(t *testing.T) {
	const script = `"><script>alert(1)`
	rt := segue.New()
	rt.GET("/ping", pong)
	rt.GET("/number/{n}", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		_, err := segue.ParamAs[int](r, "n")
		return err
	}))
	rt.GET("/query", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		_, err := segue.QueryAs(r, "n", 1)
		return err
	}))
	rt.GET("/dir/", attackEcho)
	v := newVictim(t, rt)
	encoded := strings.NewReplacer(`"`, "%22", "<", "%3C", ">", "%3E").Replace(script)
	for _, row := range []attackRow{
		{request: "GET /" + script, status: 404, body: "404 page not found\n"},
		{request: "GET /" + encoded, status: 404, body: "404 page not found\n"},
		{request: "POST /number/" + script, status: 405, body: "Method Not Allowed\n", allow: "GET, HEAD, OPTIONS"},
		{request: "<script> /number/1", status: 400},
		{request: "a'&b /number/1", status: 405, body: "Method Not Allowed\n", allow: "GET, HEAD, OPTIONS"},
		{request: "OPTIONS /number/" + script, status: 204, allow: "GET, HEAD, OPTIONS"},
		{request: "GET //" + script, status: 307, location: "/%22%3E%3Cscript%3Ealert%281%29"},
		{request: "GET /dir?" + script + "&'", status: 307, location: `/dir/?"><script>alert(1)&'`},
		{request: "HEAD /dir?" + script, status: 307, location: `/dir/?"><script>alert(1)`},
		{request: "POST //" + script, status: 307, location: "/%22%3E%3Cscript%3Ealert%281%29"},
		{request: "GET /number/" + encoded, status: 400},
		{request: "GET /query?n=" + script, status: 400},
	} {
		got := v.attack(local(row.request))
		assert.Equal(t, row.status, got.status, row.request)
		assert.Equal(t, row.location, got.location, row.request)
		assert.Equal(t, row.allow, got.allow, row.request)
		if row.body != "" {
			assert.Equal(t, row.body, got.body, row.request)
		}
		if strings.HasPrefix(got.contentType, "text/html") || !got.noSniff && got.body != "" {
			assert.NotContains(t, got.body, "<script", row.request)
			assert.NotContains(t, got.body, `"">`, row.request)
		}
	}
}

// Clients that send garbage, or half of something, and go: nothing of them
// stays.
func TestAttackLeavesNoConnection(t *testing.T) {
	v := newVictim(t, longRoutes())
	v.attack(local("GET /ping"))
	before := runtime.NumGoroutine()
	garbage := [][]byte{
		[]byte("\x16\x03\x01\x00\xa5\x01\x00"), []byte("GET /one/x HT"), []byte("GET /one/x HTTP/1.1\r\nHost: localhost\r\n"), nil,
		bytes.Repeat([]byte{0}, 5000), []byte(local("GET /one/x")), []byte("POST /post/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc"),
	}
	for range 50 {
		for _, text := range garbage {
			conn, err := net.Dial("tcp", v.addr)
			require.NoError(t, err)
			conn.Write(text)
			conn.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, conn)
			conn.Close()
		}
	}
	own := 1 // Eventually's
	assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+own }, time.Minute, time.Millisecond)
	assert.Equal(t, 200, v.attack(local("GET /one/x")).status)
}
