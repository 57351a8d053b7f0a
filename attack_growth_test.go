package segue

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
)

// RaceEnabled is for the tests outside of the package.
const RaceEnabled = raceEnabled

// grown is all that could grow with requests: the heap, the goroutines, and
// every map, slice and table that the package keeps from one request to the next.
type grown struct {
	heap       uint64
	goroutines int
	names      int
	roots      int
	retired    int
	table      *table
	last       *table
}

func measureGrown(rt *Router) grown {
	g := grown{table: rt.table.Load(), last: rt.last.Load()}
	knownNames.Range(func(any, any) bool { g.names++; return true })
	roots.RLock()
	g.roots = len(roots.all)
	roots.RUnlock()
	g.retired = len(g.last.retired)
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first one only begins to free what has a finalizer
	runtime.ReadMemStats(&m)
	g.heap, g.goroutines = m.HeapAlloc, runtime.NumGoroutine()
	return g
}

// grownSite has all that a request can reach: both languages, hosts, mounts,
// chains, files, error handlers and every policy.
func grownSite() *Router {
	app := New()
	app.Use(func(next http.Handler) http.Handler { return next }, Recover)
	app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error { return err })
	app.GET("/users/{id}", showPattern)
	app.HandleFunc("POST /users/{id}", showPattern)
	app.HandleFunc("example.com/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j}", showPattern)
	app.Any("/any/{path...}", Try(func(http.ResponseWriter, *http.Request) error { return Errorf(400, "no") }))
	app.HandleFunc("/sub/", showPattern)
	app.Static("/files", fstest.MapFS{"index.html": {}}, "index.html")
	loose := app.Group("/loose/{org}")
	loose.CleanPath(false)
	loose.TrailingSlash(SlashEither)
	loose.PathValues(false)
	loose.GET("/{x}", showPattern)
	loose.NotFound(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(404) }))
	loose.Mount("/plain/{p}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { r.SetPathValue("own", "x") }))
	return app
}

// hostileRequest is different from all before: in path, method, host, query and
// headers.
func hostileRequest(r *rand.Rand, i int) *http.Request {
	unique := func() string { return fmt.Sprintf("%x-%x", i, r.Uint64()) }
	path := []string{"/users/", "/any/", "/sub/", "/files/", "/loose/", "/loose/o/plain/", "//", "/", "/%2F", "/x/../"}[i%10] + unique() +
		strings.Repeat("/"+unique(), r.IntN(12)) + []string{"", "/", "//", "%2e", ";" + unique()}[r.IntN(5)]
	method := []string{"GET", "POST", "OPTIONS", "HEAD", "X" + strings.ReplaceAll(unique(), "-", "")}[r.IntN(5)]
	u, err := url.ParseRequestURI(path + "?" + unique() + "=" + unique())
	if err != nil {
		panic(err)
	}
	q := httptest.NewRequest("GET", "/", nil)
	q.Method, q.URL, q.RequestURI = method, u, path
	q.Host = []string{"example.com", unique() + ".example.com", "EXAMPLE.com."}[r.IntN(3)]
	q.Header.Set("X-"+unique(), unique())
	return q
}

// A router keeps nothing of a request: after thousands that nobody has ever
// seen before it is what it was.
func TestAttackLeavesNothing(t *testing.T) {
	rt, r := grownSite(), rand.New(rand.NewPCG(7, 7))
	count := 20_000
	if raceEnabled || testing.Short() {
		count = 10_000
	}
	statuses := map[int]int{}
	attack := func(from, to int) {
		for i := from; i < to; i++ {
			w := httptest.NewRecorder()
			rt.ServeHTTP(w, hostileRequest(r, i))
			statuses[w.Code]++
		}
	}
	attack(0, 1_000)
	before := measureGrown(rt)
	attack(1_000, 1_000+count)
	after := measureGrown(rt)
	t.Logf("%d requests, statuses %v, heap %d to %d", count, statuses, before.heap, after.heap)
	for _, status := range []int{200, 204, 307, 400, 404, 405} {
		assert.NotZero(t, statuses[status], status)
	}
	// The blocks that values are cut from keep a few texts alive; one string of
	// each request would be more than all of them can.
	const blocks = int64(len(valueShards)) * (512 + blockValues*maxCutText)
	assert.Less(t, int64(after.heap)-int64(before.heap), min(blocks, int64(100*count)))
	// What earlier tests left may go meanwhile, but nothing may come.
	assert.LessOrEqual(t, after.goroutines, before.goroutines, "goroutines")
	assert.LessOrEqual(t, after.names, before.names, "names")
	assert.LessOrEqual(t, after.roots, before.roots, "roots")
	assert.LessOrEqual(t, after.retired, before.retired, "retired tables")
	assert.Same(t, before.table, after.table)
	assert.Same(t, before.last, after.last)
}
