package main

import (
	"embed"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segue-go/segue"
)

// sources are this program's own files, to be served and compared.
//
//go:embed *.go
var sources embed.FS

// An app is one generation of what is served. Routes are added to it up to a
// number; then a fresh one takes its place, and nothing of it may be left.
type app struct {
	*segue.Router
	*era
	shared *segue.Router // mounted twice
	serve  http.Handler  // the Router, but in tests
}

// An era is what the clients know of an app. It does not keep the app alive.
type era struct {
	number int

	// Layers are the middlewares that Use has added since: a request that was
	// sent when done was n, and answered when begun was m, has passed n to m.
	begun, done atomic.Int64

	mu    sync.RWMutex
	added []addedRoute
}

// An addedRoute is a route that was registered while requests were served.
type addedRoute struct {
	*era
	pattern string // as r.Pattern shows it
	host    string // "" for every host
	names   []string
	target  func(id string) string
}

func (e *era) add(r addedRoute) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.added = append(e.added, r)
}

// pick returns one of the added routes, false if there is none yet.
func (e *era) pick(choose func(n int) int) (addedRoute, bool) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if len(e.added) == 0 {
		return addedRoute{}, false
	}
	return e.added[choose(len(e.added))], true
}

// tooLate is after how long a TimeoutHandler answers in the place of a handler
// that waits for just that.
const tooLate = 20 * time.Millisecond

func newApp(number int, h *handlers) *app {
	a := &app{Router: segue.New(), era: &era{number: number}, shared: segue.New()}
	a.Use(a.stamp)
	a.GET("/echo/{id}", h.echo)
	a.POST("/echo/:id", h.echo)
	a.HandleFunc("/mux/{id}/{path...}", h.echo)
	a.GET("/files/*path", h.echo)
	a.GET("/{a}/deep/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{id}", h.echo)
	a.GET("/stream/{id}/{n}", h.stream)
	a.GET("/large/{id}/{n}", h.large)
	a.GET("/keep/{id}/{sub}", h.keep)
	a.GET("/hijack/{id}", h.hijack)
	a.GET("/wait/{id}", h.wait)
	a.GET("/abort/{id}", h.abort)
	a.GET("/panic/{id}", h.panics)
	a.GET("/panic/{id}/begun", h.panicsBegun)
	a.Static("/static", segue.Files{FS: sources})
	a.shared.GET("/{id}", h.echo)
	a.Mount("/one", a.shared)
	a.Mount("/two/{tenant}", a.shared)
	a.Group("/lost/{tenant}").NotFound(http.HandlerFunc(h.lost))
	addGuarded(a.Group("/safe/{tenant}", segue.Recover), h)
	addTimed(a.Router, h)
	addLean(a.Group("/lean/{tenant}"), h)
	a.Mount("/plain/{tenant}", newPlain(h))
	return a
}

// addGuarded adds what fails in front of an error list.
func addGuarded(safe *segue.Router, h *handlers) {
	safe.OnError(h.onError)
	safe.GET("/panic/{id}", h.panics)
	safe.GET("/panic/{id}/begun", h.panicsBegun)
	safe.GET("/fail/{id}", segue.Try(h.fails))
}

// addTimed adds handlers behind http.TimeoutHandler: those that outlast it, and
// those that are in time.
func addTimed(a *segue.Router, h *handlers) {
	a.Group("/late/{tenant}", timeout(tooLate)).GET("/{id}", h.outlast)
	long := a.Group("/intime/{tenant}", timeout(time.Hour))
	long.GET("/{id}", h.echo)
	long.GET("/panic/{id}", h.panics)
}

// addLean adds routes whose parameters are read off the URL.
func addLean(lean *segue.Router, h *handlers) {
	lean.PathValues(false)
	lean.GET("/{id}/x/{sub}", h.echo)
	lean.GET("/keep/{id}/{sub}", h.keep)
	lean.Group("/late", timeout(tooLate)).GET("/{id}", h.outlast)
}

// newPlain is a handler that segue knows nothing of.
func newPlain(h *handlers) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /x/{id}/{path...}", h.plain)
	return mux
}

func timeout(after time.Duration) segue.Middleware {
	return func(next http.Handler) http.Handler { return http.TimeoutHandler(next, after, "too late\n") }
}

// stamp has every answer of the app, misses too, say whose it is.
func (e *era) stamp(next http.Handler) http.Handler {
	number := strconv.Itoa(e.number)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Generation", number)
		w.Header().Set("Id", r.Header.Get("Id"))
		next.ServeHTTP(w, r)
	})
}

// layer is the middleware of the n-th Use.
func layer(header string, n int64) segue.Middleware {
	number := strconv.FormatInt(n, 10)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add(header, number)
			next.ServeHTTP(w, r)
		})
	}
}
