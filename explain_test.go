package segue

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// explainFault says where a trace differs from the answer, "" if nowhere.
func explainFault(rt *Router, r *http.Request) string {
	trace, match := rt.Explain(r), rt.Lookup(r)
	return cmp.Or(
		matchFault(trace.Match, match),
		servingFault(rt, r, match),
		stepsFault(trace),
		drawingFault(trace.String()))
}

// servingFault holds the answer against what serving does.
func servingFault(rt *Router, r *http.Request, m Match) string {
	served := r.Clone(r.Context())
	if status := statusOf(rt, served); status != m.Status || served.Pattern != m.Route.Pattern {
		return fmt.Sprintf("serving gives %d %q, Lookup %+v", status, served.Pattern, m)
	}
	return ""
}

// statusOf serves r. Handlers that were made for another writer panic when they
// are reached: that is a 200.
func statusOf(rt *Router, r *http.Request) (status int) {
	w := httptest.NewRecorder()
	defer func() {
		if recover() != nil {
			status = http.StatusOK
		}
	}()
	rt.ServeHTTP(w, r)
	return w.Code
}

func matchFault(a, b Match) string {
	if a.Status != b.Status || a.Route.Pattern != b.Route.Pattern || a.Location != b.Location || a.Allow != b.Allow || !maps.Equal(a.Params, b.Params) {
		return fmt.Sprintf("Explain says %+v, Lookup %+v", a, b)
	}
	return ""
}

// stepsFault compares the steps, which come from holding every route against
// the path, with the answer, which comes from the compiled trie.
func stepsFault(trace Trace) string {
	m := trace.Match
	if len(trace.Steps) == 0 {
		if m.Status != 400 && m.Status != 404 {
			return "no steps"
		}
		return ""
	}
	last := trace.Steps[len(trace.Steps)-1]
	winner := func(r Route) bool { return r.Pattern == m.Route.Pattern }
	switch {
	case m.Status == 404 && len(last.Open) > 0:
		return fmt.Sprintf("a miss that %q matches", last.Open[0].Pattern)
	case m.Status == 405 && len(last.Open) == 0:
		return "a 405 that no route matches"
	case m.Route.Pattern != "" && !slices.ContainsFunc(last.Open, winner):
		return fmt.Sprintf("%q wins, the last step has %q", m.Route.Pattern, patternsOf(last.Open))
	case m.Route.Pattern != "" && strings.Count(last.Open[0].Path, "/{") > strings.Count(m.Route.Path, "/{"):
		return fmt.Sprintf("%q wins, the last step has %q first", m.Route.Pattern, last.Open[0].Pattern)
	}
	return cmp.Or(valuesFault(trace), openFault(trace.Steps))
}

// valuesFault compares the values that the steps took with the parameters.
func valuesFault(trace Trace) string {
	if trace.Match.Status != 200 {
		return ""
	}
	taken := map[string]string{}
	for _, s := range trace.Steps {
		if s.Name != "" {
			taken[s.Name] = s.Value
		}
	}
	for name, value := range trace.Match.Params {
		if taken[name] != value { // an empty rest may have no step
			return fmt.Sprintf("%s is %q, and %q in the steps", name, value, taken[name])
		}
		delete(taken, name)
	}
	if len(taken) > 0 {
		return fmt.Sprintf("the steps have %q beside the parameters", taken)
	}
	return ""
}

// openFault checks that routes only ever drop out.
func openFault(steps []Step) string {
	for i := 1; i < len(steps); i++ {
		for _, r := range steps[i].Open {
			if !slices.ContainsFunc(steps[i-1].Open, func(o Route) bool { return o.Pattern == r.Pattern }) {
				return fmt.Sprintf("%q is open at step %d and was not before", r.Pattern, i)
			}
		}
	}
	return ""
}

func drawingFault(text string) string {
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		switch {
		case !ended:
			return "the last line has no end"
		case width(line) > 80:
			return fmt.Sprintf("%d columns: %q", width(line), line)
		case strings.ContainsFunc(line, func(c rune) bool { return !unicode.IsPrint(c) }):
			return fmt.Sprintf("not printable: %q", line)
		}
	}
	return ""
}

func patternsOf(routes []Route) []string {
	var all []string
	for _, r := range routes {
		all = append(all, r.Pattern)
	}
	return all
}

// Every pair of small routes, and larger sets drawn with a fixed seed, hosts,
// mounts, policies and CleanPath(false) included.
func TestExplainNeverDiffers(t *testing.T) {
	var all []enumRoute
	for _, host := range []string{"", "", "h1"} {
		all = append(all, enumMux(enumRouteMethods, host, enumShapes(2, enumInner, enumMuxLast))...)
	}
	all = append(all, enumVerbs(enumRouteMethods, enumShapes(3, enumInner, enumVerbLast))...)
	paths := slices.Concat(enumPaths(3, "a", "b", "c"), enumOddPaths)
	requests := enumRequests(slices.Concat(enumMethods, []string{"CONNECT"}), []string{"h1", "h2"}, paths)
	compared := 0
	for i := range enumSize(100, 600) {
		r := rand.New(rand.NewPCG(5, uint64(i)))
		s := enumSet{plain: r.IntN(4) == 0, policies: map[string]SlashPolicy{"": SlashPolicy(r.IntN(3)), "/a": SlashPolicy(r.IntN(3))}}
		for range 1 + r.IntN(20) {
			route := all[r.IntN(len(all))]
			route.Mount = []string{"", "", "", "/a", "/{m}"}[r.IntN(5)]
			s.routes = append(s.routes, route)
		}
		s = s.withOracle().accepted()
		router, err := s.router()
		require.NoError(t, err)
		router.CleanPath(r.IntN(3) > 0)
		for range 30 {
			q := requests[r.IntN(len(requests))].request
			compared++
			if fault := explainFault(router, &q); fault != "" {
				t.Fatalf("%v%s %s %s: %s\n%s", s, q.Method, q.Host, q.URL, fault, router.Explain(&q))
			}
		}
	}
	t.Logf("%d traces", compared)
}

// The branches that a step names are those of the compiled trie: one node where
// it is compiled, as many as are open where it is side by side.
func TestExplainFollowsTheCompiledTrie(t *testing.T) {
	wide := 0
	for _, routes := range [][]enumRoute{enumPowers(10), enumPowers(14), enumSquare(60), enumSquare(200), enumDiagonal(12), enumDiagonal(40)} {
		rt, err := newEnumSet(routes...).router()
		require.NoError(t, err)
		root := rt.current().nowhere.root("GET")
		leaves := leavesOf(root)
		r := rand.New(rand.NewPCG(6, 1))
		for range enumSize(40, 400) {
			open, path, at := leaves, segments{path: enumMixedPath(r, routes)}, stepper{trie: root, open: []uint32{root.root}}
			for n := 0; path.path != "" && len(at.open) > 0; n++ {
				seg, _ := path.next()
				open = stillOpen(open, n, seg)
				at.step(seg)
				names := branches(open, n+1)
				if !at.wide {
					assert.Equal(t, len(names) > 0, len(at.open) == 1, names)
					continue
				}
				wide++
				assert.Len(t, at.open, len(names))
			}
		}
	}
	assert.NotZero(t, wide)
}

func explained(rt *Router, method, target string) Trace {
	return rt.Explain(httptest.NewRequest(method, target, nil))
}

// drawings are requests of TestExplainDrawing, each above what is drawn of it.
var drawings = []string{`
GET example.com /users/new/posts
200 GET /users/{id}/posts                                        explain_test.go

      /
  1  ├─ users  literal                                                  5 routes
  2  ├─ new    {id} = "new"                                             4 routes
     │         merged: /users/new, /users/{id}
  3  └─ posts  literal                                                  2 routes
               a literal beats a rest: not GET /users/{id}/{rest...}

  id = "new"
`, `
GET h /users/x
200 GET h/users/x                                                explain_test.go

      /
  1  ├─ users  literal                                                  2 routes
  2  └─ x      literal                                                  2 routes
               merged: /users/x, /users/{id}
               a literal beats a parameter: not GET h/users/{id}
               a route with a host beats one without: not GET /users/{id}
`, `
GET example.com /files/a%2Fb/c
200 /files/{path...}                                             explain_test.go

      /
  1  ├─ files  literal                                                   1 route
  2  └─ a/b/c  {path...} = "a/b/c"                                       1 route
               no other route matches

  path = "a/b/c"
`, `
PUT example.com /users/7
405, Allow: DELETE, GET, HEAD, POST

      /
  1  ├─ users  literal                                                  7 routes
  2  └─ 7      {id} = "7"                                               2 routes

nearest:
  DELETE /users/{id}                             the same path by another method
  GET /users/{id}                                the same path by another method
  GET /users/{id}/{rest...}                                   with a final slash
  POST /users/{id}/{rest...}                                  with a final slash
  GET h/users/{id}                                 the same path on another host
`, `
GET example.com /exact/1/
307 to /exact/1, of GET /exact/{id}                              explain_test.go
  the other spelling of the final slash decides: /exact/1

      /
  1  ├─ exact  literal                                                   1 route
  2  └─ 1      {id} = "1"                                                1 route
               no other route matches
`, `
GET example.com //exact/./1
307 to /exact/1, of GET /exact/{id}                              explain_test.go
  the path is not clean; the clean one is /exact/1

      /
  1  ├─ exact  literal                                                   1 route
  2  └─ 1      {id} = "1"                                                1 route
               no other route matches
`, `
GET example.com /exact
404, no route

      /
  1  └─ exact  literal                                                  no route
         the path ends here, and no route does

nearest:
  GET /exact/{id}                                               2 letters differ
`, `
GET example.com /usr/7/posts
404, no route

      /
  1  └─ usr/7/posts  no route goes on here                              no route

nearest:
  GET /users/{id}/posts                                         2 letters differ
  GET /users/{id}/{rest...}                                     2 letters differ
  POST /users/{id}/{rest...}                                    2 letters differ
`, `
GET example.com /exact/1//2
307 to /exact/1/2
  the path is not clean; the clean one is /exact/1/2

      /
  1  ├─ exact  literal                                                   1 route
  2  ├─ 1      {id} = "1"                                                1 route
  3  └─ 2      no route goes on here                                    no route
`, `
CONNECT example.com //x
404, no route
  the path is not clean, and CONNECT is never redirected
`}

func TestExplainDrawing(t *testing.T) {
	rt := New()
	for _, p := range []string{
		"GET /users", "GET /users/new", "GET /users/{id}", "DELETE /users/{id}", "GET /users/{id}/posts",
		"POST /users/{id}/{rest...}", "GET /users/{id}/{rest...}", "/files/{path...}", "GET h/users/x", "GET h/users/{id}",
	} {
		rt.HandleFunc(p, showPattern)
	}
	rt.GET("/exact/:id", showPattern)
	for _, want := range drawings {
		fields := strings.Fields(want)
		host, target := fields[1], fields[2]
		r := httptest.NewRequest(fields[0], "/", nil)
		u, err := url.ParseRequestURI(target)
		require.NoError(t, err)
		r.Host, r.URL = host, u
		assert.Equal(t, want, "\n"+withoutLines(rt.Explain(r).String()))
	}
}

// withoutLines takes the line numbers out of a drawing.
func withoutLines(text string) string {
	return regexp.MustCompile(`   (explain_test\.go):\d+`).ReplaceAllStringFunc(text, func(s string) string {
		name, number, _ := strings.Cut(s[3:], ":")
		return strings.Repeat(" ", 4+len(number)) + name
	})
}

func TestExplainDrawsAllRoutes(t *testing.T) {
	rt := New()
	rt.HandleFunc("/", showPattern)
	rt.HandleFunc("/static/", showPattern)
	rt.HandleFunc("h/x", showPattern)
	users := rt.Group("/users")
	users.GET("/", showPattern)
	users.GET("/:id", showPattern)
	users.DELETE("/:id", showPattern)
	users.GET("/:id/posts/", showPattern)
	assert.Equal(t, `
/                                  any                           explain_test.go
├── static
│   └── {...}                      any                           explain_test.go
└── users                          GET                           explain_test.go
    └── {id}                       DELETE GET                    explain_test.go
        └── posts
            └── {$}                GET                           explain_test.go
h/
└── x                              any                           explain_test.go
`, "\n"+withoutLines(rt.Explain(nil).String()))
	assert.Empty(t, New().Explain(nil).String())
}

// Where the budget is used up, the trace says so, and no more than that changes.
func TestExplainSideBySide(t *testing.T) {
	rt := New()
	for i := range 300 {
		rt.GET(fmt.Sprintf("/page%d/edit", i), showPattern)
		rt.GET(fmt.Sprintf("/{user}/act%d", i), showPattern)
	}
	wide := 0
	for i := range 300 {
		r := httptest.NewRequest("GET", fmt.Sprintf("/page%d/act%d", i, i), nil)
		require.Empty(t, explainFault(rt, r))
		if trace := rt.Explain(r); trace.Steps[1].Wide {
			wide++
			assert.Equal(t, []string{fmt.Sprintf("/{user}/act%d", i)}, trace.Steps[1].Node)
			assert.Contains(t, trace.String(), "side by side")
		}
	}
	assert.NotZero(t, wide)
}

// What a client sends does not reach the terminal as it is.
func TestExplainHostileInput(t *testing.T) {
	rt := New()
	rt.GET("/{a}/{b...}", showPattern)
	rt.GET("/x", showPattern)
	for _, path := range []string{
		"/\x1b[31m", "/a/\r\n\x00\x7f", "/\u202e/\u2066", "/\xff\xfe", "/\u0085\u009b1m", "/日本語/" + strings.Repeat("語", 200),
		"/" + strings.Repeat("a", 5000), "/" + strings.Repeat("a/", 5000), "/" + strings.Repeat("%", 99), "", "*", "x", "/\u00ad\u200b\ufeff",
	} {
		for _, method := range []string{"GET", "G\x1b", "OPTIONS", ""} {
			r := &http.Request{Method: method, Host: "h\x1b" + path, URL: &url.URL{Path: path}}
			assert.Empty(t, explainFault(rt, r), "%q", path)
		}
	}
}

func TestExplainNearest(t *testing.T) {
	rt := New()
	rt.TrailingSlash(SlashExact)
	rt.GET("/users", showPattern)
	rt.POST("/users", showPattern)
	rt.GET("/users/{id}", showPattern)
	rt.GET("/Über/uns", showPattern)
	rt.GET("/docs/", showPattern)
	rt.HandleFunc("GET other/only", showPattern)
	for _, c := range []struct {
		method, target string
		want           []string
	}{
		{"DELETE", "/users", []string{"GET /users", "POST /users"}},
		{"GET", "/docs", []string{"GET /docs/{$}"}},
		{"GET", "/users/7/", []string{"GET /users/{id}"}},
		{"GET", "/only", []string{"GET other/only"}},
		{"POST", "/uesrs", []string{"POST /users", "GET /users"}},
		{"GET", "/USERS", []string{"GET /users", "POST /users"}},
		{"GET", "/%C3%BCber/un", []string{"GET /Über/uns", "GET /users/{id}"}},
		{"GET", "/somewhere/else/altogether", nil},
		{"GET", "/users/" + strings.Repeat("x/", 300), nil},
	} {
		assert.Equal(t, c.want, patternsOf(explained(rt, c.method, c.target).Nearest), c.target)
	}
}

// Files that are not there are no routes, to the steps as to the answer.
func TestExplainStatic(t *testing.T) {
	rt := New()
	rt.Static("/files", fstest.MapFS{"a.txt": {Data: []byte("a")}, "d/index.html": {Data: []byte("d")}})
	rt.GET("/files/b.txt", showPattern)
	rt.GET("/files/{id}/{rest...}", showPattern)
	for _, path := range []string{"/files/a.txt", "/files/b.txt", "/files/c.txt", "/files/d", "/files/d/", "/files/d/x", "/files/e/f", "/files", "/files/"} {
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS"} {
			assert.Empty(t, explainFault(rt, httptest.NewRequest(method, path, nil)), "%s %s", method, path)
		}
	}
}

func TestExplainWhileRoutesChange(t *testing.T) {
	rt := New()
	rt.GET("/a/{x}", showPattern)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for j := range 50 {
				assert.NotEmpty(t, explained(rt, "GET", "/a/b").String())
				assert.NotEmpty(t, rt.Explain(nil).String())
				if i == 0 {
					rt.GET(fmt.Sprintf("/a/b/%d", j), showPattern)
					rt.Use(func(next http.Handler) http.Handler { return next })
				}
			}
		})
	}
	group.Wait()
}

// FuzzExplain holds the steps, the drawing and the answer together, on routes
// and requests as FuzzLookup's.
func FuzzExplain(f *testing.F) {
	for _, seed := range []struct{ routes, method, host, target string }{
		// What is merged is open, and the second of it wins.
		{"mux /users/new\nmux /users/{id}/posts", "GET", "", "/users/new/posts"},
		// A rest that began early takes over.
		{"mux /{r...}\nverb GET /a/:b/c/d\nverb /a/*r", "GET", "", "/a/b/c/x/y"},
		// A rest gives way to the exact other spelling.
		{"verb GET /*r\nverb GET /ping\nmux /pong/", "GET", "", "/ping/?q"},
		// Several tries have a say.
		{"verb POST /a\nmux /\nmux GET /b\nmux OPTIONS h/{x}", "OPTIONS", "h", "/a"},
		// The host's routes miss.
		{"mux h/a/{x...}\nmux GET /b/{y}", "GET", "h", "/b/%2F"},
		// Control characters, in the route and in the request.
		{"mux /\x1b\nverb GET /\r\xff", "GET", "\x00", "/\r%FF"},
		// Methods and slashes of a miss.
		{"mux GET /a\nverb PUT /a/\nverb DELETE /:x", "PATCH", "", "/a"},
		{"mux /{x}", "CONNECT", "h:443", "/a//b"},
	} {
		f.Add(seed.routes, uint8(len(seed.routes)), seed.method, seed.host, seed.target)
	}
	f.Fuzz(func(t *testing.T, routes string, policy uint8, method, host, target string) {
		if !fuzzASCII(host) || len(routes) > 400 {
			return
		}
		s, ok := fuzzSet(t, routes, SlashPolicy(policy%3))
		if !ok {
			return
		}
		router, err := s.router()
		require.NoError(t, err)
		router.CleanPath(policy&4 == 0)
		if fault := drawingFault(router.Explain(nil).String()); fault != "" {
			t.Errorf("%v: %s", s, fault)
		}
		for _, u := range fuzzURLs(target) {
			for _, method := range []string{fuzzMethod(method), "OPTIONS"} {
				r := &http.Request{Method: method, Host: host, URL: u}
				if fault := explainFault(router, r); fault != "" {
					t.Errorf("%v%s %q %q: %s\n%s", s, method, host, u, fault, router.Explain(r))
				}
			}
		}
	})
}
