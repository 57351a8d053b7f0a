package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// Every small set of routes is registered, every small request is served, and
// the answer must be the oracle's. Where http.ServeMux takes the set, its
// answer must be the same too, but for what the README lists as different
// (muxDiffersOn and muxComparison in sets_test.go). Each test logs how many
// answers it compared, and takes a part of everything unless it explores.

func TestOracleAgainstServeMux(t *testing.T) {
	// The oracle alone: what it says of ServeMux's language is what ServeMux does.
	all := enumMux([]string{"", "GET ", "HEAD ", "POST "}, "", enumShapes(2, enumInner, enumMuxLast))
	c := newEnumCheck(t, enumRequests(enumMethods[:4], []string{"h"}, enumPaths(2, "a", "c", "."))).every(5)
	c.pairs(all, c.mux)

	all = nil
	for _, host := range []string{"", "h1", "h2"} {
		all = append(all, enumMux([]string{"", "GET ", "OPTIONS "}, host, enumShapes(1, nil, enumMuxLast))...)
	}
	c.requests = enumRequests([]string{"GET", "POST", "OPTIONS"}, []string{"h1", "h2:80", "h3"}, enumPaths(1, "a", "c", "."))
	c.pairs(all, c.mux)
}

func TestEverySingleRoute(t *testing.T) {
	depth := testkit.Size(2, 3)
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
	c := newEnumCheck(t, requests).every(5)
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
	if !testkit.Explore() {
		all = slices.DeleteFunc(all, func(r enumRoute) bool { return strings.Contains(r.Pattern, "b") })
	}
	paths := slices.Concat(enumPaths(2, "a", "b", "c"), enumOddPaths)
	c := newEnumCheck(t, enumRequests(enumMethods[:4], []string{"h"}, paths)).every(17)
	c.pairs(all, func(w *enumWriter, s enumSet) {
		if s.canonical() {
			c.all(w, s)
		}
	})
}

func TestEveryTriple(t *testing.T) {
	methods := []string{"", "GET ", "OPTIONS "}[:testkit.Size(2, 3)]
	inner, last := []string{"a", "{}"}, []string{"a", "{}", "{...}", "{$}"}
	all := slices.Concat(
		enumMux(methods, "", enumShapes(2, inner, last)),
		enumVerbs(methods, enumShapes(2, inner, []string{"a", "{}", "{...}", ""})))
	requests := enumRequests([]string{"GET", "POST", "OPTIONS"}, []string{"h"},
		slices.Concat(enumPaths(2, "a", "c"), []string{"/a/a/a", "/c/a/c/", "/a//", "//c/a/?q"}))
	c := newEnumCheck(t, requests).every(13)
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
	c := newEnumCheck(t, requests).every(3)
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

// enumHosts are hosts that both match, that differ by their spelling alone, and
// that look like one another; enumSentHosts are requests' hosts for them.
var (
	enumHosts     = []string{"", "h1", "H2.", "h3", "x.h", "{t}.h", "{u}.H.", "{t}.x.h"}
	enumSentHosts = []string{"h1", "H1:80", "h1.", "h1.:80", "h2", "[::1]:80", "", "x.h", "Y.H:80", "y.x.h.", ".h", "h", "z.y.h", "y.h.."}
)

func TestEveryHost(t *testing.T) {
	var all []enumRoute
	for _, host := range enumHosts {
		all = append(all, enumMux([]string{"", "GET ", "OPTIONS "}, host, enumShapes(1, nil, []string{"a", "{}", "{...}", "{$}"}))...)
	}
	all = append(all, enumVerbs([]string{"", "GET "}, []string{"/a", "/a/", "/:x", "/*r"})...)
	c := newEnumCheck(t, enumRequests([]string{"GET", "POST", "OPTIONS"}, enumSentHosts, enumPaths(1, "a", "c"))).every(7)
	c.pairs(all, c.all)
	c.each(len(all), func(w *enumWriter, i int) {
		for n := range testkit.Size(5, 30) {
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
	policies := []struct{ outer, inner segue.SlashPolicy }{
		{segue.SlashRedirect, segue.SlashRedirect}, {segue.SlashRedirect, segue.SlashExact}, {segue.SlashEither, segue.SlashEither}, {segue.SlashExact, segue.SlashExact}, {segue.SlashEither, segue.SlashRedirect},
	}
	requests := enumRequests([]string{"GET", "POST", "OPTIONS"}, []string{"h"},
		slices.Concat(enumPaths(3, "a", "c"), []string{"/a/b", "/a/b/", "/a/b/c", "/a/b/c/", "//a", "/a//?q", "/b/../a/c/"}))
	c := newEnumCheck(t, requests).every(5)
	c.each(len(inner), func(w *enumWriter, i int) {
		for j := range all {
			for _, p := range policies[:testkit.Size(2, len(policies))] {
				s := enumSet{routes: []enumRoute{all[j], inner[i]}, policies: map[string]segue.SlashPolicy{"": p.outer, inner[i].Mount: p.inner}}
				if all[j] != inner[i] && !s.mixedRoot() {
					c.all(w, s.withOracle())
				}
			}
		}
	})
}

// Routers mounted on a host, and below a path of one, beside routes outside; a
// verb's route has a host there. Three of them at once are drawn with a fixed
// seed.
func TestEveryMountOnAHost(t *testing.T) {
	var all []enumRoute
	for _, host := range []string{"", "x.h", "{t}.h"} {
		all = append(all, enumMux([]string{"", "POST ", "OPTIONS "}, host, []string{"/a", "/a/", "/{}/c"})...)
	}
	all = append(all, verbRoute("GET /a"), verbRoute("GET /:x/"), verbRoute("OPTIONS /*r"))
	outer := len(all)
	for _, prefix := range []string{"x.h", "X.H./a", "{t}.h/", "{u}.H/:m", "/a"} {
		for _, r := range []enumRoute{
			verbRoute("GET /"), muxRoute("POST /"), muxRoute("GET /{$}"), verbRoute("GET /{r...}"), verbRoute("/a"), verbRoute("GET /a/"), verbRoute("OPTIONS /a"), muxRoute("/{i}/"),
		} {
			r.Mount = oraclePrefix(prefix)
			all = append(all, r)
		}
	}
	policies := []segue.SlashPolicy{segue.SlashRedirect, segue.SlashExact, segue.SlashEither}
	requests := enumRequests([]string{"GET", "POST", "OPTIONS"}, []string{"x.h", "Y.h:80", "y.x.h", "h"},
		slices.Concat(enumPaths(2, "a", "c"), []string{"/a/a/a", "/a/c/a/", "//a", "/c/../a/"}))
	c := newEnumCheck(t, requests).every(7)
	c.each(len(all)-outer, func(w *enumWriter, i int) {
		inner := all[outer+i]
		for j, other := range all {
			s := enumSet{routes: []enumRoute{other, inner}, policies: map[string]segue.SlashPolicy{"": policies[j%3], inner.Mount: policies[i%3]}}
			if other != inner {
				c.all(w, s.withOracle().accepted())
			}
			r := rand.New(rand.NewPCG(uint64(i), uint64(j)))
			s.routes = append(s.routes, all[r.IntN(len(all))])
			c.some(w, s.withOracle().accepted(), requests, r, 100)
		}
	})
}

// Sets of up to 40 routes, drawn with a fixed seed, over everything at once.
func TestLargerSets(t *testing.T) {
	var all []enumRoute
	for _, host := range []string{"", "", "", "x.h", "{t}.h"} {
		all = append(all, enumMux(enumRouteMethods, host, enumShapes(3, enumInner, enumMuxLast))...)
	}
	all = append(all, enumVerbs(enumRouteMethods, enumShapes(3, enumInner, enumVerbLast))...)
	all = append(all, enumVerbs(enumRouteMethods, enumShapes(3, enumInner, enumVerbLast))...)
	paths := slices.Concat(enumPaths(3, "a", "b", "c"), enumPaths(4, "a", "c"), enumOddPaths)
	requests := enumRequests(slices.Concat(enumMethods, []string{"CONNECT"}), []string{"x.h", "y.h", "h2"}, paths)
	c := newEnumCheck(t, nil)
	c.each(testkit.Size(250, 6000), func(w *enumWriter, i int) {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		s := enumSet{plain: r.IntN(4) == 0, policies: map[string]segue.SlashPolicy{"": segue.SlashPolicy(r.IntN(3)), "/a": segue.SlashPolicy(r.IntN(3))}}
		for range 1 + r.IntN(40)*r.IntN(40)/39 {
			route := all[r.IntN(len(all))]
			route.Mount = []string{"", "", "", "", "/a", "/{m}", "x.h/a", "{n}.h"}[r.IntN(8)]
			s.routes = append(s.routes, route)
		}
		c.some(w, s.withOracle().accepted(), requests, r, 50)
	})
}

// Literals that are easily taken for one another: every length around one and
// two machine words, each byte changed into another in turn, a zero byte more
// or a byte less. Some are routes, all are requested, plain and encoded.
func TestSimilarLiterals(t *testing.T) {
	c := newEnumCheck(t, nil).every(3)
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
	for _, lead := range []string{"/1", "/api/v1", "/a%2Fb/c", "/api", "/people", "/a/b/c", "/a/b/c/d", "/abcdefgh", "/a%00b", "/1/{}"}[:testkit.Size(3, 10)] {
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
		for range testkit.Size(50, 600) {
			requests = append(requests, newEnumRequest(enumMethods[r.IntN(3)], "h", enumMixedPath(r, sets[i])))
		}
		c.some(w, s, requests, r, len(requests))
	})
}

// The route sets of real programs: every route, and paths that mix two.
func TestRouteFiles(t *testing.T) {
	files, err := filepath.Glob("../../testdata/routes/*.txt")
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
			for range testkit.Size(50, 800) {
				requests = append(requests, newEnumRequest(enumMethods[r.IntN(len(enumMethods))], "h", enumMixedPath(r, routes)))
			}
			c.some(w, newEnumSet(routes...), requests, r, len(requests))
		}
	})
}

// Registration refuses two routes of one shape, method and host, and no
// others; a refused one leaves the router as it was.
func TestEveryPairIsRefusedOrNot(t *testing.T) {
	depth := testkit.Size(2, 3)
	all := slices.Concat(
		enumMux(enumRouteMethods, "", enumShapes(depth, enumInner, enumMuxLast)),
		enumMux(enumRouteMethods, "h", enumShapes(1, enumInner, enumMuxLast)),
		enumMux(enumRouteMethods, "H.", enumShapes(1, enumInner, enumMuxLast)),
		enumMux(enumRouteMethods, "{t}.h", enumShapes(1, enumInner, enumMuxLast)),
		enumMux(enumRouteMethods, "{u}.H.", enumShapes(1, enumInner, enumMuxLast)),
		enumVerbs(enumRouteMethods, enumShapes(depth, enumInner, enumVerbLast)))
	all = append(all, muxRoute("/%61"), verbRoute("GET /%61"), muxRoute("/a/%2F"), muxRoute("/a/%2f"), verbRoute("/%zz"), muxRoute("/%zz"), muxRoute("/%25zz"))
	var refused atomic.Int64
	c := newEnumCheck(t, nil).every(2)
	c.pairs(all, func(w *enumWriter, s enumSet) {
		router := segue.New()
		first, second := s.routes[0], s.routes[1]
		first.register(router, enumHandlers[0])
		err := testkit.PanicOf(func() { second.register(router, enumHandlers[1]) })
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
func (c *enumCheck) refusal(s enumSet, router *segue.Router, err error) {
	var conflict *segue.ConflictError
	if !errors.As(err, &conflict) {
		c.failf("%v\nrefused with %T", s, err)
		return
	}
	first := s.o[0]
	u, _ := url.Parse(first.example())
	r := &http.Request{Method: cmp.Or(first.method, "GET"), Host: first.host.example(), URL: u}
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
		"h", "GET h", "GET h{", "H.", "h:80", "[::1]:80", "*.h", "{h}", "GET", "h/b ",
		"{h}.h", "GET {x}.h", "{é}.H.", "{type}.h", "{}.h", "{h-i}.h", "{1}.h", "{h...}.h", "{$}.h", "{h}.{i}.h", "{h}i.h", "i{h}.h", "h.{h}", "{h", "{h}.", "{h}..",
		"{h}..h", "{h}.h:80", "{h}.*.h", "{h}.h}", "h}.h", "}", "{h i}.h", "{h}.[::1]"}
	var texts []string
	for _, head := range heads {
		for _, p := range enumTexts(testkit.Size(1, 2), segs) {
			texts = append(texts, head+p)
		}
	}
	texts = append(texts, enumTexts(testkit.Size(2, 3), segs)...)
	texts = append(texts, heads...)
	c := newEnumCheck(t, nil)
	c.each(len(texts), func(w *enumWriter, i int) {
		c.compared.Add(1)
		if fault := fuzzHandle(texts[i]); fault != "" {
			c.failf("%q: %s", texts[i], fault)
		}
	})
}
