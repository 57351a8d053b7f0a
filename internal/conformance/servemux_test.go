package conformance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// segue beside http.ServeMux, where more is compared than the enumeration does:
// whole answers, odd texts, and paths that only look like others.

// Nobody has set anything: the answers are ServeMux's, byte for byte.
func TestMissesEndAsServeMuxs(t *testing.T) {
	app, mux := segue.New(), http.NewServeMux()
	for _, h := range []interface {
		HandleFunc(string, func(http.ResponseWriter, *http.Request))
	}{app, mux} {
		h.HandleFunc("GET /x", shows)
		h.HandleFunc("GET /dir/", shows)
	}
	for _, request := range []string{"GET /nope", "POST /x", "GET /dir", "HEAD /dir", "POST /dir", "GET //x", "OPTIONS /x"} {
		method, target, _ := strings.Cut(request, " ")
		want, got := testkit.Serve(mux, method, target), testkit.Serve(app, method, target)
		assert.Equal(t, want.Code, got.Code, request)
		assert.Equal(t, want.Header(), got.Header(), request)
		assert.Equal(t, want.Body.String(), got.Body.String(), request)
	}
}

// A redirect keeps the query byte by byte, as ServeMux does.
func TestRedirectKeepsEveryByteOfTheQuery(t *testing.T) {
	app, mux := segue.New(), http.NewServeMux()
	app.HandleFunc("/dir/", shows)
	mux.HandleFunc("/dir/", shows)
	for c := range 256 {
		query := "a" + string([]byte{byte(c)}) + "=z"
		request := func() *http.Request {
			return &http.Request{Method: "GET", URL: &url.URL{Path: "/dir", RawQuery: query}, Host: "h"}
		}
		want, got := httptest.NewRecorder(), httptest.NewRecorder()
		mux.ServeHTTP(want, request())
		app.ServeHTTP(got, request())
		assert.Equal(t, 307, got.Code)
		assert.Equal(t, want.Header().Get("Location"), got.Header().Get("Location"), "%q", query)
	}
}

// Misses end as ServeMux's with a Content-Type that somebody has set before, by
// its value or by its absence, on each version of HTTP, and for OPTIONS *.
func TestMissesKeepWhatIsSet(t *testing.T) {
	app, mux := segue.New(), http.NewServeMux()
	app.HandleFunc("/dir/", shows)
	mux.HandleFunc("/dir/", shows)
	for name, set := range map[string]func(http.Header){
		"nothing": func(http.Header) {},
		"type":    func(h http.Header) { h.Set("Content-Type", "text/plain") },
		"no type": func(h http.Header) { h["Content-Type"] = nil },
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS"} {
			for _, target := range []string{"/dir", `/dir?a=%3C&b='"<>&`, "*"} {
				for _, proto := range []string{"HTTP/1.0", "HTTP/1.1", "HTTP/2.0"} {
					answer := func(h http.Handler) *httptest.ResponseRecorder {
						r := &http.Request{Method: method, RequestURI: target, Proto: proto, Host: "h"}
						var ok bool
						var err error
						r.ProtoMajor, r.ProtoMinor, ok = http.ParseHTTPVersion(proto)
						require.True(t, ok)
						r.URL, err = url.Parse(target)
						require.NoError(t, err)
						w := httptest.NewRecorder()
						set(w.Header())
						h.ServeHTTP(w, r)
						return w
					}
					want, got := answer(mux), answer(app)
					what := fmt.Sprintf("%s %s %s, set before: %s", method, target, proto, name)
					assert.Equal(t, want.Code, got.Code, what)
					assert.Equal(t, want.Header(), got.Header(), what)
					assert.Equal(t, want.Body.String(), got.Body.String(), what)
				}
			}
		}
	}
}

// What only looks like a dot segment or a host is none, as in ServeMux.
func TestAlmostDots(t *testing.T) {
	mux, rt := http.NewServeMux(), segue.New()
	for _, p := range []string{"/{id}", "/{rest...}", "/.%00", "/x/%2e%00", "/x/{y}", "./host", "host/x"} {
		h := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Pattern, " ", r.PathValue("id")) }
		mux.HandleFunc(p, h)
		rt.HandleFunc(p, h)
	}
	for _, target := range []string{"/.%00", "/..%00", "/.%00%00", "/..%00%00", "/%2e", "/%2e%2e", "/x/.%00", "/x/..%00", "/host", "/...", "/.a", "/x/..."} {
		want, got := testkit.Serve(mux, "GET", target), testkit.Serve(rt, "GET", target)
		assert.Equal(t, want.Code, got.Code, target)
		assert.Equal(t, want.Body.String(), got.Body.String(), target)
	}
}

// Texts that are legal and that few would write mean what they mean to
// ServeMux: blanks behind a method, encodings that are none, stars and colons in
// literals, names in other scripts.
func TestOddTextsMeanWhatServeMuxSays(t *testing.T) {
	targets := []string{"/", "/x", "/x/", "/x/y", "/%zz", "/:%zz", "/*%zz", "/a%", "/%", "/:", "/:1", "/*a-b", "/:A", "/*A-", "/:-A", "/%2A", "/:id",
		"/a:b", "/a*b", "/é", "/%C3%A9", "/%3Aid", "/A", "/a%2Fb", "/x%2Fy/z", "/1"}
	for _, text := range []string{
		"/x", "GET /x", "GET  /x", "GET\t/x", "GET \t  h/x", "GET\t\th/x", "G^~ /x", " /x", "\t/x", " \t h/x", "GET /x/", "GET \t/x/{y}",
		"/%zz", "/a%", "/%", "/:%zz", "/*%zz", "/:", "/:1", "/*a-b", "/:-%41", "/*%41-", "/:%2D%41", "/%3Aid", "/%2A", "/%2a", "/a:b", "/a*b",
		"/é", "/%C3%A9", "/%c3%a9", "/{é}", "/{_1}/{type}", "/%41", "/a%2Fb", "/x%2Fy/{z}", "h/{x}", "h/x/{$}", "/x/{$}", "/x/{y...}",
	} {
		router, mux := segue.New(), http.NewServeMux()
		router.HandleFunc(text, showMatch)
		mux.HandleFunc(text, showMatch)
		for _, method := range []string{"GET", "POST", "G^~"} {
			for _, target := range targets {
				for _, host := range []string{"h", "other"} {
					u := &url.URL{Path: target}
					if path, err := url.PathUnescape(target); err == nil {
						u = &url.URL{Path: path, RawPath: target}
					}
					request := func() *http.Request { return &http.Request{Method: method, URL: u, Host: host, RequestURI: target} }
					got, want := httptest.NewRecorder(), httptest.NewRecorder()
					router.ServeHTTP(got, request())
					mux.ServeHTTP(want, request())
					assert.Equal(t, fmt.Sprint(want.Code, want.Body), fmt.Sprint(got.Code, got.Body), "%q: %s %s, host %s", text, method, target, host)
				}
			}
		}
	}
}

// showMatch answers with the pattern and the values of its parameters.
func showMatch(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, r.Pattern)
	for _, seg := range strings.Split(r.Pattern, "/")[1:] {
		if name, ok := strings.CutPrefix(seg, "{"); ok {
			name = strings.TrimSuffix(strings.TrimSuffix(name, "}"), "...")
			fmt.Fprintf(w, " %s=%q", name, r.PathValue(name))
		}
	}
}
