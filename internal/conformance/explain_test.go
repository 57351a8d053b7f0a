package conformance

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
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// Explain, Lookup and what serving does are one; a trace's steps lead to its
// answer, and its drawing fits a terminal.

// explainFault says where a trace differs from the answer, "" if nowhere.
func explainFault(rt *segue.Router, r *http.Request) string {
	trace, match := rt.Explain(r), rt.Lookup(r)
	return cmp.Or(
		matchFault(trace.Match, match),
		servingFault(rt, r, match),
		stepsFault(trace),
		drawingFault(trace.String()))
}

// servingFault holds the answer against what serving does.
func servingFault(rt *segue.Router, r *http.Request, m segue.Match) string {
	served := r.Clone(r.Context())
	if status := statusOf(rt, served); status != m.Status || served.Pattern != m.Route.Pattern {
		return fmt.Sprintf("serving gives %d %q, Lookup %+v", status, served.Pattern, m)
	}
	return ""
}

// statusOf serves r. Handlers that were made for another writer panic when they
// are reached: that is a 200.
func statusOf(rt *segue.Router, r *http.Request) (status int) {
	w := httptest.NewRecorder()
	defer func() {
		if recover() != nil {
			status = http.StatusOK
		}
	}()
	rt.ServeHTTP(w, r)
	return w.Code
}

func matchFault(a, b segue.Match) string {
	if a.Status != b.Status || a.Route.Pattern != b.Route.Pattern || a.Location != b.Location || a.Allow != b.Allow || !maps.Equal(a.Params, b.Params) {
		return fmt.Sprintf("Explain says %+v, Lookup %+v", a, b)
	}
	return ""
}

// stepsFault compares the steps, which come from holding every route against
// the path, with the answer, which comes from the compiled trie.
func stepsFault(trace segue.Trace) string {
	m := trace.Match
	if len(trace.Steps) == 0 {
		if m.Status != 400 && m.Status != 404 {
			return "no steps"
		}
		return ""
	}
	last := trace.Steps[len(trace.Steps)-1]
	winner := func(r segue.Route) bool { return r.Pattern == m.Route.Pattern }
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

// valuesFault compares the values that the steps took with the parameters. The
// steps are those of the path, and need not name the host's.
func valuesFault(trace segue.Trace) string {
	if trace.Match.Status != 200 {
		return ""
	}
	taken := map[string]string{}
	for _, s := range trace.Steps {
		if s.Name != "" {
			taken[s.Name] = s.Value
		}
	}
	label := oracleHostOf(trace.Match.Route.Host).label
	for name, value := range trace.Match.Params {
		if _, named := taken[name]; name == label && !named {
			continue
		}
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
func openFault(steps []segue.Step) string {
	for i := 1; i < len(steps); i++ {
		for _, r := range steps[i].Open {
			if !slices.ContainsFunc(steps[i-1].Open, func(o segue.Route) bool { return o.Pattern == r.Pattern }) {
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
		case drawnWidth(line) > 80:
			return fmt.Sprintf("%d columns: %q", drawnWidth(line), line)
		case strings.ContainsFunc(line, func(c rune) bool { return !unicode.IsPrint(c) }):
			return fmt.Sprintf("not printable: %q", line)
		}
	}
	return ""
}

// drawnWidth counts columns: two for what East Asian fonts draw wide.
func drawnWidth(line string) (columns int) {
	for _, c := range line {
		columns++
		if c >= 0x1100 && (c < 0x2010 || c >= 0x2e80) {
			columns++
		}
	}
	return columns
}

func patternsOf(routes []segue.Route) []string {
	var all []string
	for _, r := range routes {
		all = append(all, r.Pattern)
	}
	return all
}

// Every pair of small routes, and larger sets drawn with a fixed seed, hosts,
// mounts, policies and CleanPath(false) included.
func TestExplainNeverDiffers(t *testing.T) {
	t.Parallel() // that is: after the tests that count allocations
	var all []enumRoute
	for _, host := range []string{"", "", "", "x.h", "{t}.h"} {
		all = append(all, enumMux(enumRouteMethods, host, enumShapes(2, enumInner, enumMuxLast))...)
	}
	all = append(all, enumVerbs(enumRouteMethods, enumShapes(3, enumInner, enumVerbLast))...)
	paths := slices.Concat(enumPaths(3, "a", "b", "c"), enumOddPaths)
	requests := enumRequests(slices.Concat(enumMethods, []string{"CONNECT"}), []string{"x.h", "y.h", "h2"}, paths)
	compared := 0
	for i := range testkit.Size(100, 600) {
		r := rand.New(rand.NewPCG(5, uint64(i)))
		s := enumSet{plain: r.IntN(4) == 0, policies: map[string]segue.SlashPolicy{"": segue.SlashPolicy(r.IntN(3)), "/a": segue.SlashPolicy(r.IntN(3))}}
		for range 1 + r.IntN(20) {
			route := all[r.IntN(len(all))]
			route.Mount = []string{"", "", "", "", "/a", "/{m}", "x.h/a", "{n}.h"}[r.IntN(8)]
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

// The branches that a step names are those of the routes that are open there,
// best first, merged in one node or side by side.
func TestExplainNamesTheOpenBranches(t *testing.T) {
	t.Parallel() // that is: after the tests that count allocations
	wide := 0
	for _, routes := range [][]enumRoute{enumPowers(10), enumPowers(14), enumSquare(60), enumSquare(200), enumDiagonal(12), enumDiagonal(40)} {
		rt, err := newEnumSet(routes...).router()
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(6, 1))
		for range testkit.Size(20, 200) {
			trace := rt.Explain(&newEnumRequest("GET", "h", enumMixedPath(r, routes)).request)
			for n, step := range trace.Steps {
				if step.Wide {
					wide++
				}
				if n < len(trace.Steps)-1 { // the last has those open that match
					require.Equal(t, branchesOf(step.Open, n+1), step.Node, "step %d of\n%s", n, trace)
				}
			}
		}
	}
	assert.NotZero(t, wide)
}

// branchesOf are the beginnings, of n segments, of routes that have so many and
// more than a rest behind them, each once.
func branchesOf(open []segue.Route, n int) (names []string) {
	last := ""
	for _, r := range open {
		segs := strings.Split(r.Path, "/")[1:]
		if len(segs) < n || strings.HasSuffix(segs[n-1], "...}") || segs[n-1] == "" {
			continue // a rest has begun
		}
		name := "/" + strings.Join(segs[:n], "/")
		if shape := anyName.ReplaceAllString(name, "{}"); shape != last {
			names, last = append(names, name), shape
		}
	}
	return names
}

var anyName = regexp.MustCompile(`\{[^}]*\}`)

// Where the budget is used up, the trace says so, and no more than that changes.
func TestExplainSideBySide(t *testing.T) {
	t.Parallel() // that is: after the tests that count allocations
	rt := segue.New()
	for i := range 300 {
		rt.GET(fmt.Sprintf("/page%d/edit", i), shows)
		rt.GET(fmt.Sprintf("/{user}/act%d", i), shows)
	}
	wide := 0
	for i := 0; i < 300; i += testkit.Size(7, 1) {
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
	rt := segue.New()
	rt.GET("/{a}/{b...}", shows)
	rt.GET("/x", shows)
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

// Files that are not there are no routes, to the steps as to the answer.
func TestExplainStatic(t *testing.T) {
	rt := segue.New()
	rt.Static("/files", segue.Files{FS: fstest.MapFS{"a.txt": {Data: []byte("a")}, "d/index.html": {Data: []byte("d")}}})
	rt.GET("/files/b.txt", shows)
	rt.GET("/files/{id}/{rest...}", shows)
	for _, path := range []string{"/files/a.txt", "/files/b.txt", "/files/c.txt", "/files/d", "/files/d/", "/files/d/x", "/files/e/f", "/files", "/files/"} {
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS"} {
			assert.Empty(t, explainFault(rt, httptest.NewRequest(method, path, nil)), "%s %s", method, path)
		}
	}
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
		{"mux x.h/a/{x...}\nmux GET {t}.h/b/{y}\nmux /b/{y...}", "GET", "X.h:80", "/b/c"},
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
		s, ok := fuzzSet(t, routes, segue.SlashPolicy(policy%3))
		if !ok {
			return
		}
		router, err := s.router()
		require.NoError(t, err)
		router.CleanPath(policy&4 == 0)
		if fault := drawingFault(router.String()); fault != "" {
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
