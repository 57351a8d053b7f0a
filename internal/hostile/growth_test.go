package hostile

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

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// Requests that nobody has ever seen before, in thousands.

// grownSite has all that a request can reach: both languages, hosts, mounts,
// chains, files, error handlers and every policy.
func grownSite() *segue.Router {
	app := segue.New()
	app.Use(func(next http.Handler) http.Handler { return next }, segue.Recover)
	app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error { return err })
	app.GET("/users/{id}", shows)
	app.HandleFunc("POST /users/{id}", shows)
	app.HandleFunc("example.com/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j}", shows)
	app.Any("/any/{path...}", segue.Try(func(http.ResponseWriter, *http.Request) error { return segue.Errorf(400, "no") }))
	app.HandleFunc("/sub/", shows)
	app.Static("/files", segue.Files{FS: fstest.MapFS{"index.html": {}}, Fallback: "index.html"})
	loose := app.Group("/loose/{org}")
	loose.CleanPath(false)
	loose.TrailingSlash(segue.SlashEither)
	loose.PathValues(false)
	loose.GET("/{x}", shows)
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
	if testkit.Race || testing.Short() {
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
	before, _ := testkit.Heap()
	goroutines := runtime.NumGoroutine()
	attack(1_000, 1_000+count)
	after, _ := testkit.Heap()
	t.Logf("%d requests, statuses %v, heap %d to %d", count, statuses, before, after)
	for _, status := range []int{200, 204, 307, 400, 404, 405} {
		assert.NotZero(t, statuses[status], status)
	}
	// The blocks that values are cut from keep a few texts alive, of at most 256
	// bytes each; one string of each request, or a place in a map for each, would
	// be more than all of them can.
	assert.Less(t, after-before, int64(min(250_000, 25*count)), "bytes of heap")
	// What earlier tests left may go meanwhile, but nothing may come.
	assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines, "goroutines")
	runtime.KeepAlive(rt)
}
