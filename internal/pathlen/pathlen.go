// Package pathlen holds requests whose paths grow, with the routes that make a
// router look at the whole of them. The benchmark over path lengths and the test
// that counts work share it.
package pathlen

import (
	"embed"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/segue-go/segue"
)

// A Kind is a sort of path.
type Kind struct {
	Name string
	Unit string // what Request's n counts: "segment" or "byte"
	Open int    // the alternatives that stay open all the way: 1 unless they are stepped through side by side
	Most int    // the longest path that is worth its routes

	status int
	method string
	target func(n int) string
	routes func(rt *segue.Router, lengths []int)
}

// Status is what the kind's requests are answered with.
func (k Kind) Status() int { return k.status }

// Router returns a router with routes for paths of these lengths.
func (k Kind) Router(lengths []int) *segue.Router {
	rt := segue.New()
	rt.GET("/users/{id}", read)
	rt.GET("/users/{id}/posts", read)
	rt.GET("/about", read)
	k.routes(rt, lengths)
	return rt
}

// Request returns the request of length n, as a server would read it.
func (k Kind) Request(n int) *http.Request {
	u, err := url.ParseRequestURI(k.target(n))
	if err != nil {
		panic(err)
	}
	method := k.method
	if method == "" {
		method = "GET"
	}
	return &http.Request{Method: method, URL: u, RequestURI: u.RequestURI(), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Host: "localhost"}
}

// Serve serves r and reports whether the status was the kind's.
func (k Kind) Serve(rt *segue.Router, r *http.Request, w *Writer) bool {
	clear(w.header)
	w.status = http.StatusOK
	rt.ServeHTTP(w, r)
	return w.status == k.status
}

// A Writer drops what it is given but the status.
type Writer struct {
	header http.Header
	status int
}

// NewWriter returns a Writer.
func NewWriter() *Writer { return &Writer{header: http.Header{}} }

// Header returns the one header of all responses.
func (w *Writer) Header() http.Header { return w.header }

// WriteHeader keeps the status.
func (w *Writer) WriteHeader(status int) { w.status = status }

// Write drops p.
func (w *Writer) Write(p []byte) (int, error) { return len(p), nil }

// read reads all parameters.
func read(w http.ResponseWriter, r *http.Request) {
	for name, value := range segue.Params(r) {
		if name == "" || value == "" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
}

func repeated(s string) func(int) string {
	return func(n int) string { return strings.Repeat(s, n) }
}

// deep registers a route of n literals for each length.
func deep(rt *segue.Router, lengths []int) {
	for _, n := range lengths {
		rt.GET(strings.Repeat("/a", n), read)
	}
}

func parameters(rt *segue.Router, lengths []int) {
	for _, n := range lengths {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "/{p%d}", i)
		}
		rt.GET(b.String(), read)
	}
}

func rest(rt *segue.Router, _ []int) { rt.GET("/files/{path...}", read) }

func one(rt *segue.Router, _ []int) {
	rt.GET("/one/{x}", read)
	rt.POST("/post/{x}", read)
	rt.GET("/dir/{x}/", read)
}

// alternatives registers open routes for each length, open a power of two: all
// ways to put a literal or a parameter into the first segments. Behind these all
// go on alike, and so many literals beside them that a node for all would break
// the budget of compiling.
func alternatives(rt *segue.Router, open int, lengths []int, end string) {
	most, choices := 0, 0
	for _, n := range lengths {
		most = max(most, n)
	}
	for 1<<choices < open {
		choices++
	}
	beside := 0
	if open > 1 {
		beside = (2*open*most + 4096) / (open * (open - 1))
	}
	for i := range open {
		var prefix strings.Builder
		for j := range choices {
			if i>>j&1 == 0 {
				prefix.WriteString("/a")
			} else {
				fmt.Fprintf(&prefix, "/{p%d}", j)
			}
		}
		for _, n := range lengths {
			rt.GET(prefix.String()+strings.Repeat("/a", n-choices)+end, read)
		}
		for j := range beside {
			rt.GET(fmt.Sprintf("%s/x%d", prefix.String(), j), read)
		}
	}
}

// Kinds are all of them.
func Kinds() []Kind {
	const segments, bytes = 100_000, 1 << 20
	all := []Kind{
		{"literals", "segment", 1, segments, 200, "", repeated("/a"), deep},
		{"parameters", "segment", 1, segments, 200, "", repeated("/v"), parameters},
		{"parameters, encoded", "segment", 1, segments, 200, "", repeated("/%2F"), parameters},
		{"parameters, PathValues(false)", "segment", 1, segments, 200, "", repeated("/v"), func(rt *segue.Router, lengths []int) {
			rt.PathValues(false)
			parameters(rt, lengths)
		}},
		{"rest", "segment", 1, segments, 200, "", func(n int) string { return "/files" + strings.Repeat("/a", n) }, rest},
		{"rest, encoded", "segment", 1, segments, 200, "", func(n int) string { return "/files" + strings.Repeat("/%2F", n) }, rest},
		{"rest, CleanPath(false)", "segment", 1, segments, 200, "", func(n int) string { return "/files" + strings.Repeat("//", n) + "a" }, func(rt *segue.Router, lengths []int) {
			rt.CleanPath(false)
			rest(rt, lengths)
		}},
		{"404 at the end", "segment", 1, segments, 404, "", func(n int) string { return strings.Repeat("/a", n) + "/b" }, deep},
		{"404, encoded", "segment", 1, segments, 404, "", func(n int) string { return strings.Repeat("/a", n) + "/%2F" }, deep},
		{"405", "segment", 1, segments, 405, "DELETE", repeated("/a"), deep},
		{"OPTIONS", "segment", 1, segments, 204, "OPTIONS", repeated("/a"), deep},
		{"unclean at the end", "segment", 1, segments, 307, "", func(n int) string { return strings.Repeat("/a", n) + "//" }, deep},
		{"unclean throughout", "segment", 1, segments, 307, "", repeated("/a/.."), deep},
		{"slashes", "segment", 1, segments, 307, "", repeated("//"), deep},
		{"final slash", "segment", 1, segments, 307, "", func(n int) string { return strings.Repeat("/a", n) + "/" }, deep},
		{"files, not there", "segment", 1, segments, 404, "", repeated("/a"), static},
		{"mounted at a parameter", "segment", 1, segments / 10, 200, "", func(n int) string { return "/m" + strings.Repeat("/v", n) }, mounted},
		{"literal", "byte", 1, bytes, 200, "", func(n int) string { return "/" + strings.Repeat("l", n) }, func(rt *segue.Router, lengths []int) {
			for _, n := range lengths {
				rt.GET("/"+strings.Repeat("l", n), read)
			}
		}},
		{"parameter", "byte", 1, bytes, 200, "", func(n int) string { return "/one/" + strings.Repeat("x", n) }, one},
		{"parameter, encoded", "byte", 1, bytes, 200, "", func(n int) string { return "/one/%2F" + strings.Repeat("x", n) }, one},
		{"rest of one", "byte", 1, bytes, 200, "", func(n int) string { return "/files/" + strings.Repeat("x", n) }, rest},
		{"404 of one", "byte", 1, bytes, 404, "", func(n int) string { return "/none/" + strings.Repeat("x", n) }, one},
		{"405 of one", "byte", 1, bytes, 405, "", func(n int) string { return "/post/" + strings.Repeat("x", n) }, one},
		{"unclean before one", "byte", 1, bytes, 307, "", func(n int) string { return "/one//" + strings.Repeat("x", n) }, one},
		{"final slash of one", "byte", 1, bytes, 307, "", func(n int) string { return "/dir/" + strings.Repeat("x", n) }, one},
		{"final slash, bare quotes", "byte", 1, bytes, 307, "", func(n int) string { return "/dir/" + strings.Repeat(`"`, n) }, one},
		{"final slash, long query", "byte", 1, bytes, 307, "", func(n int) string { return "/dir/x?" + strings.Repeat("\xff", n) }, one},
	}
	for _, open := range []int{1, 2, 4, 8, 16} {
		routes := func(rt *segue.Router, lengths []int) { alternatives(rt, open, lengths, "") }
		slashed := func(rt *segue.Router, lengths []int) { alternatives(rt, open, lengths, "/") }
		all = append(all,
			Kind{fmt.Sprintf("open %d", open), "segment", open, 10_000, 200, "", repeated("/a"), routes},
			Kind{fmt.Sprintf("open %d, 404", open), "segment", open, 10_000, 404, "", func(n int) string { return strings.Repeat("/a", n) + "/b" }, routes},
			Kind{fmt.Sprintf("open %d, final slash", open), "segment", open, 10_000, 307, "", repeated("/a"), slashed},
		)
	}
	return all
}

// static asks for files three times, in a file system that has none and reads a
// name once, whatever its length.
func static(rt *segue.Router, _ []int) {
	rt.Static("/", segue.Files{FS: embed.FS{}})
	rt.Static("/{any}", segue.Files{FS: embed.FS{}})
	rt.Static("/a/a", segue.Files{FS: embed.FS{}})
}

// mounted has parameters for a prefix, which a plain handler gets all of.
func mounted(rt *segue.Router, lengths []int) {
	for _, n := range lengths {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "/{p%d}", i)
		}
		rt.Mount("/m"+b.String(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.PathValue("p0") == "" {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}))
	}
}
