package segue

// What only the inside shows: names, letters, what stays in memory, the bounds of
// every automaton that any test of this package compiles.

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/internal/automaton"
	"github.com/segue-go/segue/internal/testkit"
)

var showPattern = testkit.Shows(Params)

// Every automaton stays within the bound that trie.go names.
func TestMain(m *testing.M) {
	compiled = func(a *automaton.Automaton, root *node) {
		states, entries := a.Size()
		if bound := 4*root.size() + 2*budgetConstant; states+entries > bound {
			panic(fmt.Sprintf("an automaton of %d states and %d entries is over its bound of %d", states, entries, bound))
		}
	}
	os.Exit(m.Run())
}

// A path of n segments takes n steps, each from one state, wherever the routes
// could make a trie go back.
func TestOneStepPerSegment(t *testing.T) {
	rt := New()
	deep := strings.Repeat("/a", 12)
	rt.GET(deep+"/end", showPattern)
	rt.GET("/{x0}/{x1}/{x2}/{x3}/{x4}/{x5}/{x6}/{x7}/{x8}/{x9}/{x10}/{x11}/zzz", showPattern)
	path := automaton.Path{Text: deep + "/zzz"}
	for _, n := range rt.snapshot().none.get.Open(path) {
		assert.Equal(t, 1, n)
	}
	assert.Len(t, rt.snapshot().none.get.Open(path), 13)
	assert.Equal(t, http.StatusOK, testkit.Serve(rt, "GET", path.Text).Code)
}

// The budget never changes an answer: random sets of routes, with room for merged
// states and without, and every path that could tell the two apart.
func TestBudgetNeverChangesTheAnswer(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	segs := []string{"a", "b", "a-literal-of-more-than-sixteen-bytes", "{x}", "{x}"}
	for range testkit.Size(100, 400) {
		rt := New()
		for range 2 + random.IntN(12) {
			path := ""
			for i := range 1 + random.IntN(5) {
				path += "/" + strings.Replace(segs[random.IntN(len(segs))], "x", fmt.Sprintf("x%d", i), 1)
			}
			path += []string{"", "", "/", "/{$}", "/{rest...}"}[random.IntN(5)]
			_ = testkit.PanicOf(func() { rt.HandleFunc("GET "+path, showPattern) }) // there already
		}
		compareBudgets(t, rt, segs[:3])
	}
}

func compareBudgets(t *testing.T, rt *Router, texts []string) {
	t.Helper()
	s := rt.snapshot()
	var routes []*route
	for i := automaton.First; i < len(s.routes); i++ {
		routes = append(routes, &s.routes[i])
	}
	number := bestFor("GET")
	roomy, tight := s.none.get, compileWithin(trieOf(routes), 0, true, number)
	var compare func(path string, depth int)
	compare = func(path string, depth int) {
		var want, got uint32
		if found := roomy.Match(automaton.Path{Text: path}, nil); len(found) > 0 {
			want = found[0]
		}
		if found := tight.Match(automaton.Path{Text: path}, nil); len(found) > 0 {
			got = found[0]
		}
		require.Equal(t, want, got, "%s of\n%s", path, rt)
		for _, text := range append([]string{"c", ""}, texts...) {
			if depth > 0 {
				compare(path+"/"+text, depth-1)
			}
		}
	}
	compare("", 4)
}

// Use on a router that is being served leaves nothing once the requests on their
// way are done, and these finish on what they started with.
func TestFormerSnapshotsGo(t *testing.T) {
	rt := New()
	inside, goOn := make(chan bool), make(chan bool)
	rt.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/wait" {
				inside <- true
				<-goOn
			}
			next.ServeHTTP(w, r)
		})
	})
	group := rt.Group("/")
	group.GET("/{wait}", showPattern)
	done := make(chan int)
	go func() { done <- testkit.Serve(rt, "GET", "/wait").Code }()
	<-inside
	for range 20 {
		group.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) })
		})
		assert.Equal(t, http.StatusTeapot, testkit.Serve(rt, "GET", "/x").Code)
		runtime.GC()
	}
	goOn <- true
	assert.Equal(t, http.StatusOK, <-done, "the chain that the request started with")
	require.Eventually(t, func() bool {
		runtime.GC()
		group.Use(Recover)
		testkit.Serve(rt, "GET", "/x")
		return len(rt.last.Load().older) <= 2
	}, time.Minute, time.Millisecond)
}

// Routers that mount each other without a route cost nothing, however many ways
// lead through them.
func TestDiamondsWithoutRoutes(t *testing.T) {
	rt := New()
	top := rt
	for range 60 {
		next := New()
		top.Mount("/a", next)
		top.Mount("/b", next)
		top = next
	}
	rt.GET("/x", showPattern)
	assert.Equal(t, http.StatusOK, testkit.Serve(rt, "GET", "/x").Code)
	assert.Equal(t, http.StatusNotFound, testkit.Serve(rt, "GET", "/a/b/x").Code)
}

// Of requests that nobody has seen before nothing stays in what the package keeps
// from one request to the next, and none of them changes what is served from.
func TestRequestsGrowNothing(t *testing.T) {
	rt := New()
	rt.GET("/users/{id}", showPattern)
	rt.Group("/g/{org}", Recover).GET("/{a}/{b}", showPattern)
	rt.Mount("/plain/{p}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { r.SetPathValue("own", "x") }))
	testkit.Serve(rt, "GET", "/users/1")
	known, of := len(roots.all), rt.current.Load()
	for i := range 1000 {
		for _, path := range []string{"/users/", "/g/", "/g/o/a/", "/plain/", "//", "/"} {
			testkit.Serve(rt, []string{"GET", "POST", "OPTIONS", fmt.Sprint("X", i)}[i%4], fmt.Sprint(path, i, "?", i))
		}
	}
	assert.Len(t, roots.all, known)
	assert.Same(t, of, rt.current.Load())
}

// Routers that mounted another and are gone leave nothing in it, so that a
// program which builds routers all the time does not grow.
func TestDiscardedParentsLeaveNothing(t *testing.T) {
	child, kept := New(), New()
	kept.Mount("/kept", child)
	for range 100 {
		New().Mount("/gone", child)
	}
	n := 0
	require.Eventually(t, func() bool {
		runtime.GC()
		n++
		child.Handle(fmt.Sprintf("/%d", n), http.NotFoundHandler())
		return len(child.parents) == 1
	}, time.Minute, time.Millisecond)
	runtime.KeepAlive(kept)
}

// Hosts are compared by the letters A to Z alone.
func TestLowerASCII(t *testing.T) {
	for c := range 256 {
		want := byte(c)
		if 'A' <= want && want <= 'Z' {
			want += 'a' - 'A'
		}
		for _, around := range [][2]string{{"", ""}, {"x-", ""}, {"", ".É"}, {"Ab", "Yz"}} {
			text := around[0] + string([]byte{byte(c)}) + around[1]
			lower := strings.ToLower(around[0]) + string([]byte{want}) + strings.NewReplacer("Y", "y").Replace(around[1])
			assert.Equal(t, lower, lowerASCII(text), "%q", text)
		}
	}
	if !testkit.Race {
		assert.Zero(t, testing.AllocsPerRun(20, func() { lowerASCII("www.example.org:8080") }), "where there is nothing to do")
	}
}

// The check for names against encoding/json's tokens and a map for each object.
func TestRepeatedName(t *testing.T) {
	many := func(n int, last string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":{"k0":[]},`, i)
		}
		return "{" + b.String() + last + "}"
	}
	for _, tt := range []struct {
		body string
		at   int
	}{
		{`"a"`, 0},
		{`{}`, 0},
		{`["a","a"]`, 0},
		{`{"a":"a","b":"a"}`, 0},
		{`{"a":{"a":{"a":1}},"b":1}`, 0},
		{`{"a":{"b":1},"b":{"a":1},"a":1}`, 26},
		{"{\"a\" \t:1,\n\"a\"\r\n:1}", 11},
		{`{"\\":1,"\"":1,"\\\"":1,"\u005c":1}`, 25},
		{`{"":1,"":1}`, 7},
		{`{"a":"\"a\":","b":"{","c":"}","b":1}`, 31},
		{many(9, `"z":1`), 0},
		{many(9, `"k8":1`), len(many(9, ``))},
		{many(1000, `"z":1`), 0},
		{many(1000, `"k999":1`), len(many(1000, ``))},
		{strings.Repeat(`{"a":`, 9999) + `{"b":1,"b":1}` + strings.Repeat("}", 9999), 5*9999 + 8},
	} {
		require.True(t, json.Valid([]byte(tt.body)), tt.body)
		assert.Equal(t, tt.at, repeatedName(tt.body), tt.body)
		assert.Equal(t, tt.at > 0, testkit.RepeatsName(json.NewDecoder(strings.NewReader(tt.body))), tt.body)
	}
}

// Bodies made to be costly for the check: it allocates some times their length.
func TestRepeatedNameCost(t *testing.T) {
	testkit.SkipUnlessAllocationsCount(t)
	for name, body := range costlyNames() {
		require.True(t, json.Valid([]byte(body)), name)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		at := repeatedName(body)
		runtime.ReadMemStats(&after)
		assert.Zero(t, at, name)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(25*len(body)), name)
	}
}

// costlyNames are bodies of about 1 MiB.
func costlyNames() map[string]string {
	const size = 1 << 20
	object := func(format string, n int) string {
		var b strings.Builder
		for i := 0; b.Len() < size && i < n; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}
	nine := object(`"%d":1,`, 9)
	return map[string]string{
		"names of an object":    object(`"%x":1,`, size),
		"escaped names":         object(`"\u0061%x":1,`, size),
		"long names":            object(`"`+strings.Repeat("a", 1000)+`%x":1,`, size),
		"objects of one name":   "[" + strings.Repeat(`{"":1},`, size/7) + "1]",
		"objects of nine names": "[" + strings.Repeat(nine+",", size/(len(nine)+1)) + "1]",
		"nested":                strings.Repeat(`{"":`, 9999) + "1" + strings.Repeat("}", 9999),
		"nested, nine names":    strings.Repeat(`{"1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"":`, 9999) + "1" + strings.Repeat("}", 9999),
		"white space":           `{"a"` + strings.Repeat(" ", size) + `:["a"` + strings.Repeat(" ", size) + "]}",
		"quotes":                `["` + strings.Repeat(`\"`, size/2) + `"]`,
	}
}
