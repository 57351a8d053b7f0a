package segue

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every small set of routes is registered, every small request is served, and
// the answer must be the oracle's. Where http.ServeMux takes the set, its
// answer must be the same too, but for what the README lists as different
// (muxDiffersOn and muxComparison below). Each test logs how many answers it
// compared. go test -short takes a part of everything.

func TestOracleAgainstServeMux(t *testing.T) {
	// The oracle alone: what it says of ServeMux's language is what ServeMux does.
	all := enumMux([]string{"", "GET ", "HEAD ", "POST "}, "", enumShapes(2, enumInner, enumMuxLast))
	c := newEnumCheck(t, enumRequests(enumMethods[:4], []string{"h"}, enumPaths(2, "a", "c", ".")))
	c.pairs(all, c.mux)

	all = nil
	for _, host := range []string{"", "h1", "h2"} {
		all = append(all, enumMux([]string{"", "GET ", "OPTIONS "}, host, enumShapes(1, nil, enumMuxLast))...)
	}
	c.requests = enumRequests([]string{"GET", "POST", "OPTIONS"}, []string{"h1", "h2:80", "h3"}, enumPaths(1, "a", "c", "."))
	c.pairs(all, c.mux)
}

func TestEverySingleRoute(t *testing.T) {
	depth := enumSize(2, 3)
	all := slices.Concat(
		enumMux(enumRouteMethods[:2], "", enumShapes(depth, enumInner, enumMuxLast)),
		enumVerbs(enumRouteMethods[:2], enumShapes(depth, enumInner, enumVerbLast)),
		enumMux(enumRouteMethods[2:], "", enumShapes(2, enumInner, enumMuxLast)),
		enumVerbs(enumRouteMethods[2:], enumShapes(2, enumInner, enumVerbLast)))
	for _, p := range []string{"//a", "/a//b", "/a/../b", "/.", "/a/./", "/a/%2E%2e/b", "/%2F", "/a/%2f/", "/a%2fb", "/%61/b", "/%zz", "/{x}//", "//"} {
		all = append(all, muxRoute(p), verbRoute(p))
	}
	paths := slices.Concat(
		enumPaths(depth, "a", "b", "c", "", ".", "%2F", "a%2fb"),
		enumPaths(4, "a", "", "%2F")[1:])
	requests := enumRequests(enumMethods, []string{"h"}, paths)
	c := newEnumCheck(t, requests)
	c.each(len(all), func(w *enumWriter, i int) {
		s := newEnumSet(all[i])
		c.all(w, s)
		s.plain = true
		c.some(w, s, requests, nil, len(paths)) // those of GET
	})
}

func TestEveryPair(t *testing.T) {
	all := slices.Concat(
		enumMux(enumRouteMethods, "", enumShapes(2, enumInner, enumMuxLast)),
		enumVerbs(enumRouteMethods, enumShapes(2, enumInner, enumVerbLast)))
	if enumSize(0, 1) == 0 {
		all = slices.DeleteFunc(all, func(r enumRoute) bool { return strings.Contains(r.Pattern, "b") })
	}
	paths := slices.Concat(enumPaths(2, "a", "b", "c"), enumOddPaths)
	c := newEnumCheck(t, enumRequests(enumMethods[:4], []string{"h"}, paths))
	c.pairs(all, func(w *enumWriter, s enumSet) {
		if s.canonical() {
			c.all(w, s)
		}
	})
}

func TestEveryTriple(t *testing.T) {
	methods := []string{"", "GET ", "OPTIONS "}[:enumSize(2, 3)]
	inner, last := []string{"a", "{}"}, []string{"a", "{}", "{...}", "{$}"}
	all := slices.Concat(
		enumMux(methods, "", enumShapes(2, inner, last)),
		enumVerbs(methods, enumShapes(2, inner, []string{"a", "{}", "{...}", ""})))
	requests := enumRequests([]string{"GET", "POST", "OPTIONS"}, []string{"h"},
		slices.Concat(enumPaths(2, "a", "c"), []string{"/a/a/a", "/c/a/c/", "/a//", "//c/a/?q"}))
	c := newEnumCheck(t, requests)
	c.each(len(all), func(w *enumWriter, i int) {
		for j := range i {
			for k := range j {
				c.all(w, newEnumSet(enumShuffled(i+j+k, all[i], all[j], all[k])...))
			}
		}
	})
}

// The order of registration never matters: all of them are tried.
func TestEveryOrder(t *testing.T) {
	all := []enumRoute{
		muxRoute("/"), muxRoute("/a"), muxRoute("/a/"), muxRoute("GET /{x}"), muxRoute("/{x}/b"), muxRoute("POST /a/{y...}"), muxRoute("/a/{$}"),
		muxRoute("OPTIONS /{p...}"), verbRoute("GET /a"), verbRoute("/a/"), verbRoute("GET /:x/"), verbRoute("POST /a"), verbRoute("POST /a/b"), verbRoute("GET /a/*r"), verbRoute("OPTIONS /:x"),
	}
	requests := enumRequests([]string{"GET", "HEAD", "POST", "OPTIONS"}, []string{"h"}, enumPaths(2, "a", "b", "c"))
	c := newEnumCheck(t, requests)
	c.each(len(all), func(w *enumWriter, i int) {
		for j := range i {
			for k := range j {
				for _, order := range [][]int{{i, j, k}, {i, k, j}, {j, i, k}, {j, k, i}, {k, i, j}, {k, j, i}} {
					c.all(w, newEnumSet(all[order[0]], all[order[1]], all[order[2]]))
				}
			}
		}
	})
}

func TestEveryHost(t *testing.T) {
	var all []enumRoute
	for _, host := range []string{"", "h1", "H2.", "h2:80"} {
		all = append(all, enumMux([]string{"", "GET ", "OPTIONS "}, host, enumShapes(1, nil, []string{"a", "{}", "{...}", "{$}"}))...)
	}
	all = append(all, enumVerbs([]string{"", "GET "}, []string{"/a", "/a/", "/:x", "/*r"})...)
	hosts := []string{"h1", "H1:80", "h1.", "h1.:80", "h2", "[::1]:80", ""}
	c := newEnumCheck(t, enumRequests([]string{"GET", "POST", "OPTIONS"}, hosts, enumPaths(1, "a", "c")))
	c.pairs(all, c.all)
	c.each(len(all), func(w *enumWriter, i int) {
		for n := range enumSize(5, 30) {
			r := rand.New(rand.NewPCG(uint64(i), uint64(n)))
			c.all(w, newEnumSet(all[i], all[r.IntN(len(all))], all[r.IntN(len(all))]))
		}
	})
}

// Routes inside and outside a mount, under every policy of both routers.
func TestEveryMount(t *testing.T) {
	outer := []enumRoute{
		verbRoute("GET /a"), verbRoute("GET /a/"), muxRoute("/a/"), muxRoute("POST /a"), muxRoute("/{$}"), verbRoute("GET /{x}"), verbRoute("/{x}/"),
		muxRoute("/{x}/{y}"), muxRoute("/"), verbRoute("GET /a/c"), verbRoute("OPTIONS /a/{r...}"), muxRoute("GET /a/{$}"),
	}
	var inner []enumRoute
	for _, prefix := range []string{"/a", "/{m}", "/a/b/"} {
		for _, r := range []enumRoute{
			verbRoute("GET /"), verbRoute("/"), verbRoute("POST /"), muxRoute("/"), muxRoute("GET /{$}"), verbRoute("GET /{r...}"), muxRoute("POST /{r...}"), verbRoute("GET /c"),
			verbRoute("GET /c/"), muxRoute("/c/"), verbRoute("GET /:i"), verbRoute("/:i/"), muxRoute("/{i}/"), muxRoute("OPTIONS /c"),
		} {
			r.Mount = prefix
			inner = append(inner, r)
		}
	}
	all := slices.Concat(outer, inner)
	policies := []struct{ outer, inner SlashPolicy }{
		{SlashRedirect, SlashRedirect}, {SlashRedirect, SlashExact}, {SlashEither, SlashEither}, {SlashExact, SlashExact}, {SlashEither, SlashRedirect},
	}
	requests := enumRequests([]string{"GET", "POST", "OPTIONS"}, []string{"h"},
		slices.Concat(enumPaths(3, "a", "c"), []string{"/a/b", "/a/b/", "/a/b/c", "/a/b/c/", "//a", "/a//?q", "/b/../a/c/"}))
	c := newEnumCheck(t, requests)
	c.each(len(inner), func(w *enumWriter, i int) {
		for j := range all {
			for _, p := range policies[:enumSize(2, len(policies))] {
				s := enumSet{routes: []enumRoute{all[j], inner[i]}, policies: map[string]SlashPolicy{"": p.outer, inner[i].Mount: p.inner}}
				if all[j] != inner[i] && !s.mixedRoot() {
					c.all(w, s.withOracle())
				}
			}
		}
	})
}

// Sets of up to 40 routes, drawn with a fixed seed, over everything at once.
func TestLargerSets(t *testing.T) {
	var all []enumRoute
	for _, host := range []string{"", "", "h1"} {
		all = append(all, enumMux(enumRouteMethods, host, enumShapes(3, enumInner, enumMuxLast))...)
	}
	all = append(all, enumVerbs(enumRouteMethods, enumShapes(3, enumInner, enumVerbLast))...)
	all = append(all, enumVerbs(enumRouteMethods, enumShapes(3, enumInner, enumVerbLast))...)
	paths := slices.Concat(enumPaths(3, "a", "b", "c"), enumPaths(4, "a", "c"), enumOddPaths)
	requests := enumRequests(slices.Concat(enumMethods, []string{"CONNECT"}), []string{"h1", "h2"}, paths)
	c := newEnumCheck(t, nil)
	c.each(enumSize(500, 6000), func(w *enumWriter, i int) {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		s := enumSet{plain: r.IntN(4) == 0, policies: map[string]SlashPolicy{"": SlashPolicy(r.IntN(3)), "/a": SlashPolicy(r.IntN(3))}}
		for range 1 + r.IntN(40)*r.IntN(40)/39 {
			route := all[r.IntN(len(all))]
			route.Mount = []string{"", "", "", "/a", "/{m}"}[r.IntN(5)]
			s.routes = append(s.routes, route)
		}
		c.some(w, s.withOracle().accepted(), requests, r, 50)
	})
}

// Literals that are easily taken for one another: every length around one and
// two machine words, each byte changed into another in turn, a zero byte more
// or a byte less. Some are routes, all are requested, plain and encoded.
func TestSimilarLiterals(t *testing.T) {
	c := newEnumCheck(t, nil)
	lengths := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 18, 24, 33}
	c.each(len(lengths)*4, func(w *enumWriter, i int) {
		texts := enumSimilar(strings.Repeat("abcdefgh", 5)[:lengths[i/4]])
		s := enumSet{routes: []enumRoute{muxRoute("/{x}/end"), muxRoute("/{x}/{y}/end"), muxRoute("/{r...}")}}
		var requests []*enumRequest
		for j, text := range texts {
			if j%[]int{1, 2, 5, 11}[i%4] == 0 {
				s.routes = append(s.routes, muxRoute("/"+url.PathEscape(text)), muxRoute("/"+url.PathEscape(text)+"/end"))
			}
			for _, after := range []string{"", "/", "/end", "/x/end", "//end", "/./end", "/../end"} { // unclean behind a long segment too
				path := "/" + text + after
				requests = append(requests, newEnumURLRequest("GET", "h", &url.URL{Path: path}), newEnumURLRequest("GET", "h",
					&url.URL{Path: path, RawPath: strings.ReplaceAll("/"+url.PathEscape(text), "a", "%61") + after}))
			}
		}
		c.some(w, s.withOracle(), requests, nil, len(requests))
	})
}

// What all routes begin with is passed in one look. Paths that only look like
// it, end on the way or go on beyond are answered as any, and so are segments of
// every length where nothing but a parameter takes long ones.
func TestEveryLead(t *testing.T) {
	for _, lead := range []string{"/1", "/api/v1", "/a%2Fb/c", "/api", "/people", "/a/b/c", "/a/b/c/d", "/abcdefgh", "/a%00b", "/1/{}"}[:enumSize(3, 10)] {
		t.Run(lead, func(t *testing.T) {
			shapes := append(enumShapes(1, nil, enumMuxLast), "/{}/a", "/a/b/{}")
			for i, s := range shapes {
				shapes[i] = lead + s
			}
			shapes = append(shapes, lead, "/{$}", "/{...}", "/{}", "/api/{}")
			c := newEnumCheck(t, enumRequests([]string{"GET", "POST"}, []string{"h"}, enumLeadPaths(strings.ReplaceAll(lead, "{}", "v"))))
			c.pairs(enumMux([]string{"", "GET "}, "", shapes), c.all)
		})
	}
}

func enumLeadPaths(lead string) (paths []string) {
	for _, s := range []string{
		lead, lead + "x", lead[:len(lead)-1], lead[:len(lead)-1] + "x", lead + "%00", "/" + lead, lead + "/", strings.ToUpper(lead), lead + "/..",
		strings.ReplaceAll(lead, "%2F", "/"), "/" + strings.ReplaceAll(lead[1:], "/", "%2F"), "/%" + fmt.Sprintf("%X", lead[1]) + lead[2:],
	} {
		for _, after := range []string{"", "/", "/a", "/a/", "/a/b/" + strings.Repeat("long", 9), "/..", "//", "/%2F/"} {
			paths = append(paths, s+after)
		}
	}
	for n := 5; n < 35; n++ {
		long := lead + "/" + strings.Repeat("abcdefgh", 5)[:n]
		paths = append(paths, long, long+"/", long+"/a", long+"//")
	}
	return paths
}

func enumSimilar(text string) (all []string) {
	all = []string{text, text + "\x00", text + "\x00\x00", "\x00" + text, text + "a", text + text, text + "\xff"}
	for i := range text {
		if i > 0 {
			all = append(all, text[:i])
		}
		for _, c := range []string{"X", "\x00", "\x80", "\xff", text[:1]} {
			all = append(all, text[:i]+c+text[i+1:])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Sets whose compiled form would be large: a literal beside a parameter in
// many positions, and tables that would be copied under each literal.
func TestSetsThatExplode(t *testing.T) {
	sets := [][]enumRoute{enumPowers(10), enumPowers(14), enumSquare(60), enumSquare(200), enumDiagonal(12), enumDiagonal(40)}
	c := newEnumCheck(t, nil)
	c.each(len(sets), func(w *enumWriter, i int) {
		r := rand.New(rand.NewPCG(2, uint64(i)))
		s := newEnumSet(sets[i]...)
		requests := []*enumRequest{}
		for range enumSize(100, 600) {
			requests = append(requests, newEnumRequest(enumMethods[r.IntN(3)], "h", enumMixedPath(r, sets[i])))
		}
		c.some(w, s, requests, r, len(requests))
	})
}

// The route sets of real programs: every route, and paths that mix two.
func TestRouteFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/routes/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	c := newEnumCheck(t, nil)
	c.each(len(files), func(w *enumWriter, i int) {
		text, err := os.ReadFile(files[i])
		if !assert.NoError(t, err) {
			return
		}
		for _, dialect := range []string{"mux", "verb"} {
			var routes []enumRoute
			for line := range strings.Lines(string(text)) {
				routes = append(routes, enumRoute{Dialect: dialect, Pattern: strings.TrimSpace(line)})
			}
			r := rand.New(rand.NewPCG(3, uint64(i)))
			requests := []*enumRequest{}
			for range enumSize(100, 800) {
				requests = append(requests, newEnumRequest(enumMethods[r.IntN(len(enumMethods))], "h", enumMixedPath(r, routes)))
			}
			c.some(w, newEnumSet(routes...), requests, r, len(requests))
		}
	})
}

// Registration refuses two routes of one shape, method and host, and no
// others; a refused one leaves the router as it was.
func TestEveryPairIsRefusedOrNot(t *testing.T) {
	depth := enumSize(2, 3)
	all := slices.Concat(
		enumMux(enumRouteMethods, "", enumShapes(depth, enumInner, enumMuxLast)),
		enumMux(enumRouteMethods, "h", enumShapes(1, enumInner, enumMuxLast)),
		enumMux(enumRouteMethods, "H.", enumShapes(1, enumInner, enumMuxLast)),
		enumVerbs(enumRouteMethods, enumShapes(depth, enumInner, enumVerbLast)))
	all = append(all, muxRoute("/%61"), verbRoute("GET /%61"), muxRoute("/a/%2F"), muxRoute("/a/%2f"), verbRoute("/%zz"), muxRoute("/%zz"), muxRoute("/%25zz"))
	var refused atomic.Int64
	c := newEnumCheck(t, nil)
	c.pairs(all, func(w *enumWriter, s enumSet) {
		router := New()
		first, second := s.routes[0], s.routes[1]
		first.register(router, enumHandlers[0])
		err := enumRecover(func() { second.register(router, enumHandlers[1]) })
		c.compared.Add(1)
		if want := s.o[0].conflict(s.o[1]); want != (err != nil) {
			c.failf("%v\nrefused %v, want refused %v", s, err, want)
		} else if want {
			refused.Add(1)
			c.refusal(s, router, err)
		}
	})
	t.Log("refused pairs:", refused.Load())
}

// refusal checks the error of a conflict, and that the first route is still
// there and the second is not.
func (c *enumCheck) refusal(s enumSet, router *Router, err error) {
	var conflict *ConflictError
	if !errors.As(err, &conflict) {
		c.failf("%v\nrefused with %T", s, err)
		return
	}
	first := s.o[0]
	u, _ := url.Parse(first.example())
	r := &http.Request{Method: cmp.Or(first.method, "GET"), Host: first.host, URL: u}
	if m := router.Lookup(r); m.Status != http.StatusOK || m.Route.Pattern != first.pattern {
		c.failf("%v\nafter the refusal %s %s is answered by %d %q", s, r.Method, u, m.Status, m.Route.Pattern)
	}
}

// Every text that ServeMux takes for a pattern is taken, but for what
// fuzzRefused names; and what ServeMux refuses is refused.
func TestEveryPatternText(t *testing.T) {
	segs := []string{"a", "{x}", "{y...}", "{$}", "", ".", "..", ":a", "*", "*a", ":", ":1", "{", "}", "{}", "{x}y", "y{x}", "{x", "{1}", "{a b}",
		"%zz", "%2F", "%", "{x}{z}", "{...}", "é", "{é}", "a:b", "a*b", "{ x}", "{x...}z", "{$}{$}", "a b", "\x00", "{type}"}
	heads := []string{"", "GET ", "get ", "Get ", "PURGE ", "purge ", "G/T ", "GET  ", "GET\t ", " ", "CONNECT ", "connect ", "(G ", "É ",
		"h", "GET h", "GET h{", "H.", "h:80", "{h}", "GET", "h/b "}
	var texts []string
	for _, head := range heads {
		for _, p := range enumTexts(enumSize(1, 2), segs) {
			texts = append(texts, head+p)
		}
	}
	texts = append(texts, enumTexts(enumSize(2, 3), segs)...)
	texts = append(texts, heads...)
	c := newEnumCheck(t, nil)
	c.each(len(texts), func(w *enumWriter, i int) {
		c.compared.Add(1)
		if fault := fuzzHandle(texts[i]); fault != "" {
			c.failf("%q: %s", texts[i], fault)
		}
	})
}

// Below is how sets and requests are made and compared.

// An enumRoute is one registration, as the files in testdata/cases write it.
type enumRoute struct {
	Dialect string // "mux" or "verb"
	Pattern string
	Mount   string // the prefix of the mounted router that holds it, "" for the root
}

func muxRoute(pattern string) enumRoute  { return enumRoute{Dialect: "mux", Pattern: pattern} }
func verbRoute(pattern string) enumRoute { return enumRoute{Dialect: "verb", Pattern: pattern} }

func (r enumRoute) String() string {
	text := r.Dialect + " " + strconv.Quote(r.Pattern)
	if r.Mount != "" {
		text += " below " + r.Mount
	}
	return text
}

// methodAndPath cuts "GET /x", or "/x" for Any.
func (r enumRoute) methodAndPath() (method, path string) {
	if method, path, ok := strings.Cut(r.Pattern, " "); ok && !strings.HasPrefix(r.Pattern, "/") {
		return method, path
	}
	return "", r.Pattern
}

func (r enumRoute) oracle(policy SlashPolicy) *oracleRoute {
	if r.Dialect == "mux" {
		return oracleMux(r.Mount, r.Pattern).under(policy)
	}
	method, path := r.methodAndPath()
	return oracleVerb(r.Mount, method, path).under(policy)
}

// register uses the method that a user would.
func (r enumRoute) register(router *Router, handler http.HandlerFunc) {
	if r.Dialect == "mux" {
		router.Handle(r.Pattern, handler)
		return
	}
	switch method, path := r.methodAndPath(); method {
	case "":
		router.Any(path, handler)
	case "GET":
		router.GET(path, handler)
	case "POST":
		router.POST(path, handler)
	case "PUT":
		router.PUT(path, handler)
	case "PATCH":
		router.PATCH(path, handler)
	case "DELETE":
		router.DELETE(path, handler)
	case "HEAD":
		router.HEAD(path, handler)
	case "OPTIONS":
		router.OPTIONS(path, handler)
	default:
		router.Method(method, path, handler)
	}
}

// An enumSet is a set of routes with the policies of the routers they are in.
type enumSet struct {
	routes   []enumRoute
	policies map[string]SlashPolicy // by mount; a mount without one inherits
	plain    bool                   // PathValues(false)
	o        oracle
	names    []string // of all routes, so that a value under another route's name is seen
}

func newEnumSet(routes ...enumRoute) enumSet { return enumSet{routes: routes}.withOracle() }

func (s enumSet) withOracle() enumSet {
	names := map[string]bool{}
	for _, r := range s.routes {
		policy, ok := s.policies[r.Mount]
		if !ok {
			policy = s.policies[""]
		}
		o := r.oracle(policy)
		s.o = append(s.o, o)
		for _, seg := range slices.Concat(o.forms[0].segs, o.forms[len(o.forms)-1].segs) {
			names[seg.text] = seg.kind != oracleLiteral && seg.text != ""
		}
	}
	maps.DeleteFunc(names, func(_ string, fuzzName bool) bool { return !fuzzName })
	s.names = slices.Sorted(maps.Keys(names))
	return s
}

func (s enumSet) String() string {
	var b strings.Builder
	for _, r := range s.routes {
		fmt.Fprintf(&b, "  %v\n", r)
	}
	if len(s.policies) > 0 {
		fmt.Fprintf(&b, "  policies %v\n", s.policies)
	}
	if s.plain {
		b.WriteString("  PathValues(false)\n")
	}
	return b.String()
}

// canonical leaves out one of two sets that differ by a and b alone.
func (s enumSet) canonical() bool {
	text := ""
	for _, r := range s.routes {
		text += r.Pattern
	}
	i := strings.IndexAny(text, "ab")
	return i < 0 || text[i] == 'a'
}

// conflict is the oracle's word on two routes: the same host, method and shape.
func (r *oracleRoute) conflict(other *oracleRoute) bool {
	a, b := r.forms[0], other.forms[0]
	return r.method == other.method && r.host == other.host && a.rank == b.rank &&
		slices.EqualFunc(a.segs, b.segs, func(a, b oracleSeg) bool { return a.kind != oracleLiteral || a.text == b.text })
}

func (s enumSet) conflict() bool {
	for i, r := range s.o {
		if slices.ContainsFunc(s.o[:i], r.conflict) {
			return true
		}
	}
	return false
}

// mixedRoot: Handle("/{$}") and GET("/") at the root of one mount are spelt
// with and without the slash, though within their router they are one path.
// The contract does not say which of the two spellings is whose.
func (s enumSet) mixedRoot() bool {
	written := map[string]bool{}
	for _, r := range s.routes {
		if r.Mount != "" {
			written[r.Mount+r.Dialect+r.Pattern[strings.Index(r.Pattern, "/"):]] = true
		}
	}
	for key := range written {
		if prefix, ok := strings.CutSuffix(key, "mux/{$}"); ok && written[prefix+"verb/"] {
			return true
		}
	}
	return false
}

// accepted drops what a router would refuse: what conflicts with an earlier one.
func (s enumSet) accepted() enumSet {
	var kept enumSet
	for i, r := range s.routes {
		next := enumSet{routes: append(slices.Clip(kept.routes), r), o: append(slices.Clip(kept.o), s.o[i])}
		if !next.mixedRoot() && !slices.ContainsFunc(kept.o, s.o[i].conflict) {
			kept = next
		}
	}
	kept.policies, kept.names, kept.plain = s.policies, s.names, s.plain
	return kept
}

// router registers the set. A mounted router hangs in its place either before
// it has routes or when it has all of them.
func (s enumSet) router() (root *Router, err error) {
	root = New()
	root.TrailingSlash(s.policies[""])
	root.PathValues(!s.plain)
	routers := map[string]*Router{"": root}
	late := len(s.routes)%2 == 0
	err = enumRecover(func() {
		for i, r := range s.routes {
			if routers[r.Mount] == nil {
				routers[r.Mount] = New()
				if policy, ok := s.policies[r.Mount]; ok {
					routers[r.Mount].TrailingSlash(policy)
				}
				if !late {
					root.Mount(r.Mount, routers[r.Mount])
				}
			}
			r.register(routers[r.Mount], enumHandlers[i])
		}
		delete(routers, "")
		for prefix, router := range routers {
			if late {
				root.Mount(prefix, router)
			}
		}
	})
	return root, err
}

// enumRecover returns what the registration panicked with.
func enumRecover(register func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			var ok bool
			if err, ok = v.(error); !ok {
				err = fmt.Errorf("panic with a %T: %v", v, v)
			}
		}
	}()
	register()
	return nil
}

// serveMux is a ServeMux with the routes of the set, or nil where it refuses
// one or a pattern means something else to it.
func (s enumSet) serveMux() *http.ServeMux {
	for _, r := range s.routes {
		if r.Dialect != "mux" || r.Mount != "" || muxDiffersOn(r.Pattern) {
			return nil
		}
	}
	m := http.NewServeMux()
	if enumRecover(func() {
		for i, r := range s.routes {
			m.Handle(r.Pattern, enumHandlers[i])
		}
	}) != nil {
		return nil
	}
	return m
}

// muxDiffersOn: a host in upper case or with a final dot, a segment that is an
// encoded slash, and an unclean path (where ServeMux takes the empty segment
// for a wildcard).
func muxDiffersOn(pattern string) bool {
	slash := strings.Index(pattern, "/")
	host := pattern[strings.LastIndexAny(pattern[:slash], " \t")+1 : slash]
	return host != oracleLower(host) || pattern[slash:] != oracleClean(pattern[slash:]) ||
		slices.ContainsFunc(oracleMux("", pattern).forms[0].segs, func(s oracleSeg) bool { return s.text == "/" })
}

// An enumRequest is sent to many routers.
type enumRequest struct {
	request        http.Request
	escaped, query string
	mux            muxComparison
}

// A muxComparison says how much of ServeMux's answer must be the same.
type muxComparison int

const (
	muxAll muxComparison = iota
	muxAllButLocation
	muxNothing
)

// newEnumRequest reads the target as the server does.
func newEnumRequest(method, host, target string) *enumRequest {
	u, err := url.ParseRequestURI(target)
	if err != nil {
		panic(err)
	}
	return newEnumURLRequest(method, host, u)
}

func newEnumURLRequest(method, host string, u *url.URL) *enumRequest {
	r := http.Request{Method: method, Host: host, URL: u, ProtoMajor: 1, ProtoMinor: 1}
	q := &enumRequest{request: r, escaped: u.EscapedPath(), query: u.RawQuery}
	q.mux = q.compareMux()
	return q
}

func (q *enumRequest) compareMux() muxComparison {
	isSlash := func(s string) bool { return strings.EqualFold(s, "%2F") }
	host := q.request.Host
	switch {
	case q.request.Method == "CONNECT", slices.ContainsFunc(strings.Split(q.escaped, "/"), isSlash),
		oracleLower(host) != host, strings.Contains(host, ".:"):
		return muxNothing
	case (&url.URL{Path: oracleClean(q.escaped)}).EscapedPath() != oracleClean(q.escaped):
		return muxAllButLocation // it escapes once more
	}
	return muxAll
}

func (q *enumRequest) String() string {
	return fmt.Sprintf("%s %s?%s, host %q", q.request.Method, q.escaped, q.query, q.request.Host)
}

// An enumWriter is a ResponseWriter that keeps what is compared.
type enumWriter struct {
	header http.Header
	status int
	route  int // which handler ran, from 1
	fault  string

	set   enumSet
	want  oracleAnswer
	param bool // Param and Params are asked too
}

func (w *enumWriter) Header() http.Header { return w.header }

func (w *enumWriter) Write(b []byte) (int, error) { w.WriteHeader(http.StatusOK); return len(b), nil }

func (w *enumWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

var enumHandlers = func() (handlers []http.HandlerFunc) {
	for i := range 1024 {
		handlers = append(handlers, func(w http.ResponseWriter, r *http.Request) { w.(*enumWriter).handled(i+1, r) })
	}
	return handlers
}()

// handled runs in the handler, where the parameters must be.
func (w *enumWriter) handled(route int, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	w.route = route
	for _, name := range w.set.names {
		if got := r.PathValue(name); got != w.want.params[name] && !w.set.plain {
			w.fault += fmt.Sprintf(" PathValue(%q) is %q.", name, got)
		}
		if !w.param {
			continue
		}
		if got := Param(r, name); got != w.want.params[name] {
			w.fault += fmt.Sprintf(" Param(%q) is %q.", name, got)
		}
	}
	if !w.param {
		return
	}
	n := 0
	for name, got := range Params(r) {
		n++
		if want, ok := w.want.params[name]; !ok || got != want {
			w.fault += fmt.Sprintf(" Params yields %q: %q.", name, got)
		}
	}
	if n != len(w.want.params) && w.want.status == http.StatusOK {
		w.fault += fmt.Sprintf(" Params yields %d values.", n)
	}
}

// serve sends the request and says how the answer differs from w.want, "" if
// it does not.
func (w *enumWriter) serve(h http.Handler, q *enumRequest) string {
	clear(w.header)
	w.status, w.route, w.fault = 0, 0, ""
	r := q.request
	h.ServeHTTP(w, &r)
	location, allow := w.header.Get("Location"), w.header.Get("Allow")
	if !w.param && q.mux == muxAllButLocation && location != "" {
		location = w.want.location
	}
	if w.status == w.want.status && r.Pattern == w.want.pattern && location == w.want.location && allow == w.want.allow &&
		w.fault == "" && (w.status == http.StatusOK) == (w.route > 0) && (w.route == 0 || w.set.o[w.route-1].pattern == r.Pattern) {
		return ""
	}
	return fmt.Sprintf("%d pattern %q location %q allow %q, handler %d.%s", w.status, r.Pattern, location, allow, w.route, w.fault)
}

// lookup is serve for Lookup.
func (w *enumWriter) lookup(router *Router, q *enumRequest) string {
	r := q.request
	m := router.Lookup(&r)
	if m.Status == w.want.status && m.Route.Pattern == w.want.pattern && m.Location == w.want.location && m.Allow == w.want.allow &&
		(m.Status != http.StatusOK || maps.Equal(m.Params, w.want.params)) {
		return ""
	}
	return fmt.Sprintf("%d pattern %q location %q allow %q params %q", m.Status, m.Route.Pattern, m.Location, m.Allow, m.Params)
}

// An enumCheck runs comparisons in parallel and counts them.
type enumCheck struct {
	t               *testing.T
	requests        []*enumRequest
	sets            atomic.Int64
	compared, muxes atomic.Int64
	failures        atomic.Int64
}

func newEnumCheck(t *testing.T, requests []*enumRequest) *enumCheck {
	t.Parallel()            // that is: after the tests that count allocations
	debug.SetGCPercent(400) // much garbage, little that stays
	c := &enumCheck{t: t, requests: requests}
	t.Cleanup(func() {
		t.Logf("%d sets, %d answers compared with the oracle's, %d of them with ServeMux's", c.sets.Load(), c.compared.Load(), c.muxes.Load())
	})
	return c
}

// failf reports a disagreement; a few are enough.
func (c *enumCheck) failf(format string, args ...any) {
	if c.failures.Add(1) <= 8 {
		c.t.Errorf(format, args...)
	}
}

// each calls f for 0 to n-1 on all processors. The race detector is slow, and
// the routers share little that it could see: it gets every tenth.
func (c *enumCheck) each(n int, f func(w *enumWriter, i int)) {
	step := 1
	if raceEnabled {
		step = 10
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			w := &enumWriter{header: http.Header{}}
			for c.failures.Load() < 8 {
				i := step * int(next.Add(1)-1)
				if i >= n {
					return
				}
				f(w, i)
			}
		})
	}
	wg.Wait()
}

// pairs calls f for every set of two different routes.
func (c *enumCheck) pairs(all []enumRoute, f func(w *enumWriter, s enumSet)) {
	c.each(len(all), func(w *enumWriter, i int) {
		for j := range i {
			f(w, newEnumSet(enumShuffled(i+j, all[i], all[j])...))
		}
	})
}

// all serves every request from a set.
func (c *enumCheck) all(w *enumWriter, s enumSet) { c.some(w, s, c.requests, nil, len(c.requests)) }

// some serves n of the requests, drawn by r if there is one.
func (c *enumCheck) some(w *enumWriter, s enumSet, requests []*enumRequest, r *rand.Rand, n int) {
	if s.conflict() {
		return // TestEveryPairIsRefusedOrNot has those
	}
	router, err := s.router()
	if err != nil {
		c.failf("%vis refused: %v", s, err)
		return
	}
	w.set = s
	m := s.serveMux()
	c.sets.Add(1)
	for i := range n {
		if r != nil {
			i = r.IntN(len(requests))
		}
		if c.fault(w, router, m, requests[i]) != "" {
			c.report(w, requests[i])
			return // one a set
		}
	}
}

// mux is all for the oracle and ServeMux alone.
func (c *enumCheck) mux(w *enumWriter, s enumSet) {
	m := s.serveMux()
	if m == nil {
		return
	}
	w.set = s
	c.sets.Add(1)
	for _, q := range c.requests {
		if fault := c.fault(w, nil, m, q); fault != "" {
			c.failf("%v%v\n%s", s, q, fault)
		}
	}
}

// fault says who disagrees with the oracle on w.set and how, "" for nobody.
func (c *enumCheck) fault(w *enumWriter, router *Router, m *http.ServeMux, q *enumRequest) string {
	w.want = w.set.o.answer(q.request.Method, q.request.Host, q.escaped, q.query)
	if router != nil {
		c.compared.Add(1)
		w.param = true
		if got := w.serve(router, q); got != "" {
			return fmt.Sprintf("segue  %s\noracle %s", got, w.want)
		}
		if got := w.lookup(router, q); got != "" {
			return fmt.Sprintf("Lookup %s\noracle %s", got, w.want)
		}
	}
	if m != nil && q.mux != muxNothing {
		c.muxes.Add(1)
		w.param = false
		if got := w.serve(m, q); got != "" {
			return fmt.Sprintf("ServeMux %s\noracle   %s", got, w.want)
		}
	}
	return ""
}

// report drops the routes without which w.set fails as well.
func (c *enumCheck) report(w *enumWriter, q *enumRequest) {
	again := func(s enumSet) string {
		router, err := s.router()
		if err != nil {
			return ""
		}
		w.set = s
		return c.fault(w, router, s.serveMux(), q)
	}
	s := w.set
	for i := 0; i < len(s.routes); {
		less := s
		less.routes, less.o = slices.Delete(slices.Clone(s.routes), i, i+1), nil
		if less = less.withOracle(); again(less) != "" {
			s = less
		} else {
			i++
		}
	}
	c.failf("%v%v\n%s", s, q, again(s))
}

func (a oracleAnswer) String() string {
	return fmt.Sprintf("%d pattern %q location %q allow %q params %q", a.status, a.pattern, a.location, a.allow, a.params)
}

// The universes.

var (
	enumMethods      = []string{"GET", "HEAD", "POST", "OPTIONS", "PUT"}
	enumRouteMethods = []string{"", "GET ", "POST ", "HEAD ", "OPTIONS "}
	enumInner        = []string{"a", "b", "{}"}
	enumMuxLast      = []string{"a", "b", "{}", "{...}", "{$}", ""}
	enumVerbLast     = []string{"a", "b", "{}", "{...}", ""}
	enumOddPaths     = []string{
		"//", "//a", "/a//", "/a//a", "/./a", "/a/.", "/a/..", "/a/../c/", "/c/./../a//c", "/%2F", "/a/%2F", "/%2f/a/", "/a%2fb", "/a/a%2Fb/",
		"/%61", "/a/%61/", "/%2e%2e/a", "/a/%2E", "//c%20d/", "/a?q=1", "/a/?q", "//a?x=//y", "/a/?\xce=é", "/a/a?", "/c/c/c/c/c",
	}
)

// enumSize is how much of something is tried.
func enumSize(short, full int) int {
	if testing.Short() || raceEnabled {
		return short
	}
	return full
}

// enumShapes are all paths of up to depth segments; {} is a parameter and
// {...} a rest, without their names.
func enumShapes(depth int, inner, last []string) (all []string) {
	prefixes := []string{""}
	for range depth {
		var longer []string
		for _, p := range prefixes {
			for _, s := range last {
				all = append(all, p+"/"+s)
			}
			for _, s := range inner {
				longer = append(longer, p+"/"+s)
			}
		}
		prefixes = longer
	}
	return all
}

// enumNamed names what a shape left without: by its place, and, so that two
// routes of one shape differ, by a letter.
func enumNamed(shape, letter, param, rest string) string {
	for i := range strings.Count(shape, "{}") {
		shape = strings.Replace(shape, "{}", fmt.Sprintf(param, letter+strconv.Itoa(i)), 1)
	}
	return strings.Replace(shape, "{...}", fmt.Sprintf(rest, letter+"r"), 1)
}

func enumMux(methods []string, host string, shapes []string) (all []enumRoute) {
	for i, m := range methods {
		for _, p := range shapes {
			all = append(all, muxRoute(m+host+enumNamed(p, "xy"[i%2:i%2+1], "{%s}", "{%s...}")))
		}
	}
	return all
}

// enumVerbs writes half of the names as ServeMux does, half as Express.
func enumVerbs(methods []string, shapes []string) (all []enumRoute) {
	for i, m := range methods {
		for _, p := range shapes {
			if i%2 == 0 {
				all = append(all, verbRoute(m+enumNamed(p, "x", "{%s}", "{%s...}")))
			} else {
				all = append(all, verbRoute(m+enumNamed(p, "z", ":%s", "*%s")))
			}
		}
	}
	return all
}

// enumPowers: a literal in each of n positions, parameters in all others.
func enumPowers(n int) (all []enumRoute) {
	for i := range n {
		shape := strings.Repeat("/{}", i) + "/a" + strings.Repeat("/{}", n-1-i) + "/end" + strconv.Itoa(i)
		all = append(all, verbRoute("GET "+enumNamed(shape, "x", "{%s}", "")))
	}
	return append(all, verbRoute("GET /{r...}"))
}

// enumSquare: n pages that all edit, and users with n actions.
func enumSquare(n int) (all []enumRoute) {
	for i := range n {
		all = append(all, muxRoute(fmt.Sprintf("GET /page%d/edit", i)), muxRoute(fmt.Sprintf("/{user}/act%d", i)))
	}
	return append(all, muxRoute("POST /{user}/edit"))
}

// enumDiagonal: i literals, then parameters, for every i.
func enumDiagonal(n int) (all []enumRoute) {
	for i := range n {
		shape := strings.Repeat("/a", i) + strings.Repeat("/{}", n-i)
		all = append(all, muxRoute(enumNamed(shape+"/e"+strconv.Itoa(i), "x", "{%s}", "")), muxRoute(enumNamed(shape+"/b/{...}", "y", "{%s}", "{%s...}")))
	}
	return all
}

// enumMixedPath takes each segment from one of two routes.
func enumMixedPath(r *rand.Rand, routes []enumRoute) string {
	a, b := routes[r.IntN(len(routes))].oracle(0), routes[r.IntN(len(routes))].oracle(0)
	cuts := r.IntN(8)
	path := ""
	for i, s := range a.forms[0].segs {
		if other := b.forms[0].segs; r.IntN(8) < cuts && i < len(other) {
			s = other[i]
		}
		switch {
		case s.kind == oracleLiteral:
			path += "/" + url.PathEscape(s.text)
		default:
			path += "/" + []string{"a", "v", "a%2Fb", "a/b", "page1"}[r.IntN(5)]
		}
	}
	if r.IntN(6) == 0 {
		path = oracleOtherSpelling(path)
	}
	return cmp.Or(path, "/")
}

// enumPaths are all request paths of up to depth segments, with and without a
// final slash.
func enumPaths(depth int, segs ...string) []string {
	all := []string{"/"}
	for _, p := range enumShapes(depth, segs, segs) {
		all = append(all, p, p+"/")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func enumRequests(methods, hosts, paths []string) (all []*enumRequest) {
	for _, m := range methods {
		for _, h := range hosts {
			for _, p := range paths {
				all = append(all, newEnumRequest(m, h, p))
			}
		}
	}
	return all
}

// enumShuffled is one of the orders of the routes, by number.
func enumShuffled(n int, routes ...enumRoute) []enumRoute {
	for i := len(routes) - 1; i > 0; i-- {
		j := n % (i + 1)
		n /= i + 1
		routes[i], routes[j] = routes[j], routes[i]
	}
	return routes
}

// enumTexts are all paths of up to depth of the segments.
func enumTexts(depth int, segs []string) []string { return enumShapes(depth, segs, segs) }

// example is a path that the route matches.
func (r *oracleRoute) example() string {
	path := ""
	for _, s := range r.forms[0].segs {
		if s.kind == oracleLiteral {
			path += "/" + url.PathEscape(s.text)
		} else {
			path += "/v"
		}
	}
	return path
}
