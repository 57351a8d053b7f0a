package segue_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// ask sends "METHOD target" to app. Beforehand it asks Lookup, and what Lookup
// said must then happen: so every test that uses it tests Lookup too.
func ask(t *testing.T, app *segue.Router, request string) *httptest.ResponseRecorder {
	t.Helper()
	method, target, _ := strings.Cut(request, " ")
	r := httptest.NewRequest(method, target, nil)
	m := app.Lookup(r.Clone(t.Context()))
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	if m.Status != http.StatusOK { // else the header is the handler's
		assert.Equal(t, m.Location, w.Header().Get("Location"), "%s: Location, Lookup and served", request)
		assert.Equal(t, m.Allow, w.Header().Get("Allow"), "%s: Allow, Lookup and served", request)
	}
	assert.Equal(t, m.Route.Pattern, r.Pattern, "%s: pattern, Lookup and served", request)
	return w
}

// The handlers and middlewares that tell what they saw.
var (
	shows  = testkit.Shows(segue.Params)
	lost   = testkit.Lost
	via    = testkit.Via
	viaOf  = testkit.ViaOf
	listed = testkit.Listed
)

// says is a handler that writes a text.
func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, text) }
}

// built is a middleware that counts its constructions.
type built struct{ n atomic.Int32 }

func (b *built) wrap(next http.Handler) http.Handler {
	b.n.Add(1)
	return next
}

func (b *built) times() int { return int(b.n.Load()) }

// ordered is an app of three levels with middleware at each.
func ordered() *segue.Router {
	app := segue.New()
	app.Use(via("a"), via("b"))
	users := segue.New()
	users.GET("/{id}", shows)
	users.With(via("with")).GET("/{id}/posts", shows)
	users.HandleFunc("GET /mux", shows)
	app.Mount("/users", users)
	users.Use(via("users")) // after its routes, and after it was mounted
	app.Use(via("c"))
	return app
}

func TestMiddlewareOrderIsOuterFirst(t *testing.T) {
	app := ordered()
	for _, c := range []struct {
		request string
		status  int
		via     string
	}{
		{"GET /users/7", 200, "a b c users"},
		{"GET /users/7/posts", 200, "a b c users with"},
		{"GET /nope", 404, "a b c"},
		{"GET /users/7/nope", 404, "a b c users"}, // in the territory of the group
		{"POST /users/7", 405, "a b c users"},
		{"OPTIONS /users/7", 204, "a b c users"},
		{"OPTIONS /users/7/posts", 204, "a b c users with"},
		{"GET /users/7/", 307, "a b c users"},
		{"GET //users/7", 307, "a b c users"},
		{"GET //users/7/nope", 307, "a b c users"},
		{"GET //nope", 307, "a b c"},
	} {
		w := ask(t, app, c.request)
		assert.Equal(t, c.status, w.Code, c.request)
		assert.Equal(t, c.via, viaOf(w), c.request)
	}
}

// OPTIONS on a route of Handle alone is ServeMux's 405, but inside the owner's
// middleware.
func TestOptionsOnAHandleRoutePassesTheOwner(t *testing.T) {
	app := segue.New()
	app.Use(via("app"))
	api := app.Group("/api", via("api"))
	api.HandleFunc("POST /jobs", shows)
	w := ask(t, app, "OPTIONS /api/jobs")
	assert.Equal(t, 405, w.Code)
	assert.Equal(t, "POST", w.Header().Get("Allow"))
	assert.Equal(t, "app api", viaOf(w))
}

// A CORS middleware of a group answers the preflight of the group's routes.
func TestPreflightReachesTheGroupsMiddleware(t *testing.T) {
	app := segue.New()
	api := app.Group("/api", func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			next.ServeHTTP(w, r)
		})
	})
	api.POST("/jobs", shows)
	app.Any("/{rest...}", shows)
	assert.Equal(t, "*", ask(t, app, "OPTIONS /api/jobs").Header().Get("Access-Control-Allow-Origin"))
	assert.Empty(t, ask(t, app, "OPTIONS /other").Header().Get("Access-Control-Allow-Origin"))
}

func TestGroupMiddlewareIsSilentElsewhere(t *testing.T) {
	app := segue.New()
	var guarded []string
	admin := app.Group("/admin", func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			guarded = append(guarded, r.URL.Path)
			next.ServeHTTP(w, r)
		})
	})
	admin.GET("/stats", shows)
	app.GET("/{page}", shows)
	app.GET("/admin/login", shows) // beside the group, not of it
	app.POST("/admin/stats", shows)
	for _, request := range []string{
		"GET /home", "GET /administration", "GET /admin/login", "POST /admin/stats",
		"GET /", "PUT /home", "OPTIONS /home",
	} {
		ask(t, app, request)
	}
	assert.Empty(t, guarded)
	ask(t, app, "GET /admin/stats")
	assert.Equal(t, []string{"/admin/stats"}, guarded)
	for _, request := range []string{"GET /admin/nope", "GET /admin/stats/", "GET //admin/nope", "OPTIONS /admin/nope"} {
		guarded = nil
		ask(t, app, request)
		assert.Len(t, guarded, 1, "%s lies in the group's territory", request)
	}
}

// Middleware runs after matching, so it sees what the handler sees.
func TestMiddlewareSeesPatternAndParameters(t *testing.T) {
	app := segue.New()
	var seen []string
	look := func(where string) segue.Middleware {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen = append(seen, fmt.Sprintf("%s: %s id=%s %s", where, r.Pattern,
					r.PathValue("id"), w.Header().Get("Allow")+w.Header().Get("Location")))
				next.ServeHTTP(w, r)
			})
		}
	}
	app.Use(look("app"))
	org := app.Group("/orgs/{org}", look("org"))
	org.With(look("with")).GET("/users/{id}", shows)

	ask(t, app, "GET /orgs/acme/users/7")
	want := "GET /orgs/{org}/users/{id} id=7 "
	assert.Equal(t, []string{"app: " + want, "org: " + want, "with: " + want}, seen)

	// On a redirect r.Pattern is the target's; on the other misses it is empty.
	for request, want := range map[string]string{
		"GET /orgs/acme/users/7/": "app: GET /orgs/{org}/users/{id} id=7 /orgs/acme/users/7",
		"GET /nope":               "app:  id= ",
	} {
		seen = nil
		ask(t, app, request)
		assert.Equal(t, want, seen[0], request)
	}
	for _, request := range []string{"PUT /orgs/acme/users/7", "OPTIONS /orgs/acme/users/7"} {
		seen = nil
		ask(t, app, request)
		assert.Equal(t, "app:  id=7 GET, HEAD, OPTIONS", seen[0], request)
	}
}

// What must act before matching goes around the router.
func TestWrappingActsBeforeMatching(t *testing.T) {
	app := segue.New()
	app.DELETE("/users/{id}", shows)
	override := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Method = r.Header.Get("X-HTTP-Method-Override")
			next.ServeHTTP(w, r)
		})
	}
	r := httptest.NewRequest("POST", "/users/7", nil)
	r.Header.Set("X-HTTP-Method-Override", "DELETE")
	w := httptest.NewRecorder()
	override(app).ServeHTTP(w, r)
	assert.Equal(t, "DELETE /users/{id} id=7", w.Body.String())
}

func TestMiddlewareIsBuiltOncePerRouterAndMount(t *testing.T) {
	app, users := segue.New(), segue.New()
	var ofApp, ofUsers, ofWith built
	app.Use(ofApp.wrap)
	users.Use(ofUsers.wrap)
	for i := range 10 {
		users.GET(fmt.Sprintf("/%d", i), shows)
	}
	with := users.With(ofWith.wrap)
	with.GET("/x", shows)
	with.GET("/y", shows)
	app.Mount("/a", users)
	app.Mount("/b", users)
	for range 3 {
		for _, request := range []string{"GET /a/1", "GET /b/2", "GET /a/x", "GET /b/y", "GET /nope", "POST /a/1"} {
			ask(t, app, request)
		}
	}
	assert.Equal(t, 1, ofApp.times())
	assert.Equal(t, 2, ofUsers.times(), "one for each mount")
	assert.Equal(t, 2, ofWith.times(), "one for each mount, for two routes")

	ask(t, users, "GET /1") // a root of its own now
	assert.Equal(t, 3, ofUsers.times())
	assert.Equal(t, 1, ofApp.times())
}

func TestLaterRouteBuildsNothing(t *testing.T) {
	app := segue.New()
	var ofApp, ofGroup built
	app.Use(ofApp.wrap)
	group := app.Group("/g", ofGroup.wrap)
	group.GET("/1", shows)
	ask(t, app, "GET /g/1")

	app.GET("/2", shows)
	group.GET("/3", shows)
	app.Mount("/other", segue.New())
	app.NotFound(says("lost"))
	app.CleanPath(false)
	group.OnError(func(w http.ResponseWriter, r *http.Request, err error) error { return err })
	for _, request := range []string{"GET /2", "GET /g/3", "GET /nope"} {
		ask(t, app, request)
	}
	assert.Equal(t, []int{1, 1}, []int{ofApp.times(), ofGroup.times()})
}

func TestUseRebuildsItsOwnChainAlone(t *testing.T) {
	app := segue.New()
	var ofApp, ofGroup, ofOther built
	app.Use(ofApp.wrap)
	group, other := app.Group("/g", ofGroup.wrap), app.Group("/o", ofOther.wrap)
	group.GET("/", shows)
	other.GET("/", shows)
	ask(t, app, "GET /g")
	group.Use(via("late"))
	assert.Equal(t, "late", viaOf(ask(t, app, "GET /g")))
	assert.Empty(t, viaOf(ask(t, app, "GET /o")))
	assert.Equal(t, []int{1, 2, 1}, []int{ofApp.times(), ofGroup.times(), ofOther.times()})
}

// A middleware that makes a limiter inside func(next) has one of it for all
// routes of a mount, and another for another mount, as under chi.
func TestLimiterInsideNext(t *testing.T) {
	limit := func(next http.Handler) http.Handler {
		left := int32(2)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if atomic.AddInt32(&left, -1) < 0 {
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	api := segue.New()
	api.Use(limit)
	api.GET("/x", shows)
	api.GET("/y", shows)
	app := segue.New()
	app.Mount("/v1", api)
	app.Mount("/v2", api)
	assert.Equal(t, 200, ask(t, app, "GET /v1/x").Code)
	assert.Equal(t, 200, ask(t, app, "GET /v1/y").Code)
	api.GET("/z", shows) // a change of routes does not refill the limiter
	assert.Equal(t, 429, ask(t, app, "GET /v1/z").Code)
	assert.Equal(t, 200, ask(t, app, "GET /v2/x").Code)
}

// shared stores next and returns itself. That works as long as it is wrapped
// around one thing, and one thing is what a router hands it, however many
// routes it has.
type shared struct{ next http.Handler }

func (s *shared) wrap(next http.Handler) http.Handler {
	s.next = next
	return s
}

func (s *shared) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Via", "shared")
	s.next.ServeHTTP(w, r)
}

func TestMiddlewareThatStoresNext(t *testing.T) {
	app := segue.New()
	app.Use(new(shared).wrap)
	app.GET("/a", says("a"))
	app.GET("/b", says("b"))
	app.Group("/g", via("g")).GET("/c", says("c"))
	for request, body := range map[string]string{"GET /a": "a", "GET /b": "b", "GET /g/c": "c", "GET /d": "404 page not found\n"} {
		w := ask(t, app, request)
		assert.Equal(t, body, w.Body.String(), request)
		assert.Equal(t, "shared", w.Header().Values("Via")[0], request)
	}
}

func TestMiddlewareMayStopReplaceAndRepeat(t *testing.T) {
	app := segue.New()
	app.GET("/users/{id}", shows)
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.RawQuery {
			case "stop":
				w.WriteHeader(http.StatusTeapot)
			case "twice":
				next.ServeHTTP(w, r)
				next.ServeHTTP(w, r.Clone(r.Context()))
			case "another": // one that no router has seen
				next.ServeHTTP(w, httptest.NewRequest("GET", "/users/8", nil))
			case "missing":
				next.ServeHTTP(w, httptest.NewRequest("GET", "/nope", nil))
			}
		})
	})
	assert.Equal(t, 418, ask(t, app, "GET /users/7?stop").Code)
	assert.Equal(t, "GET /users/{id} id=7GET /users/{id} id=7", ask(t, app, "GET /users/7?twice").Body.String())
	assert.Equal(t, "GET /users/{id} id=8", ask(t, app, "GET /users/7?another").Body.String())
	assert.Equal(t, 404, ask(t, app, "GET /users/7?missing").Code)
}

func pass(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}

// sixteen is an app with as many middlewares that do nothing, on routers that
// many levels deep.
func sixteen(routers int) *segue.Router {
	app := segue.New()
	inner := app
	for range routers - 1 {
		inner = inner.Group("/g")
	}
	inner.GET("/users/{id}", func(w http.ResponseWriter, r *http.Request) {})
	for range 16 / routers {
		for rt, i := app, 0; i < routers; i++ {
			rt.Use(pass)
			rt = inner
		}
	}
	return app
}

func TestMiddlewareAllocatesNothing(t *testing.T) {
	testkit.SkipUnlessAllocationsCount(t)
	for _, routers := range []int{1, 2} {
		app := sixteen(routers)
		app.PathValues(false) // its memory is cut from blocks, now and then a new one
		r := httptest.NewRequest("GET", strings.Repeat("/g", routers-1)+"/users/7", nil)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		require.NotEmpty(t, r.Pattern)
		got := testkit.AllocsPerRun(1000, func() { app.ServeHTTP(w, r) })
		assert.Zero(t, got, "allocations a request, 16 middlewares on %d routers", routers)
		t.Logf("16 middlewares on %d routers: %v allocations a request", routers, got)
	}
}

// Extending one chain never changes another, even where a slice has room left.
func TestChainsShareNoSlice(t *testing.T) {
	common := make([]segue.Middleware, 0, 8)
	common = append(common, via("common"))
	app := segue.New()
	app.Use(common...)
	one := app.With(append(common, via("one"))...)
	two := app.With(append(common, via("two"))...) // overwrites what one was made from
	three := app.Group("/three", common...)
	four := app.Group("/four", common...)
	three.Use(via("three"))
	four.Use(via("four"))
	joined := segue.Chain(common[:1]...)
	common[0] = via("changed")

	one.GET("/one", shows)
	two.GET("/two", shows)
	three.GET("/", shows)
	four.GET("/", shows)
	app.With(joined).GET("/joined", shows)
	for request, want := range map[string]string{
		"GET /one":    "common common one",
		"GET /two":    "common common two",
		"GET /three":  "common common three",
		"GET /four":   "common common four",
		"GET /joined": "common common",
	} {
		assert.Equal(t, want, viaOf(ask(t, app, request)), request)
	}
}

func TestErrorListsShareNoSlice(t *testing.T) {
	quiet(t)
	add := func(rt *segue.Router, name string) {
		rt.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
			w.Header().Add("Via", name)
			return err
		})
	}
	child := segue.New()
	for i := range 3 {
		add(child, fmt.Sprint(i))
	}
	child.GET("/", segue.Try(func(http.ResponseWriter, *http.Request) error { return segue.Errorf(400, "no") }))
	app := segue.New()
	app.Mount("/a", child)
	assert.Equal(t, "0 1 2", viaOf(ask(t, app, "GET /a")))
	add(child, "3")
	assert.Equal(t, "0 1 2 3", viaOf(ask(t, app, "GET /a")))
}

func TestChainJoins(t *testing.T) {
	joined := segue.Chain(via("a"), segue.Chain(via("b"), segue.Chain(), via("c")), via("d"))
	w := httptest.NewRecorder()
	joined(says("done")).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	assert.Equal(t, "a b c d", viaOf(w))
	assert.Equal(t, "done", w.Body.String())
}

// here is the file and line of its caller, offset lines on.
func here(offset int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", file, line+offset)
}

func TestNilMiddlewareIsRefusedAtItsPlace(t *testing.T) {
	app := segue.New()
	for name, use := range map[string]func(segue.Middleware){
		"Use":   func(m segue.Middleware) { app.Use(via("x"), m) },
		"With":  func(m segue.Middleware) { app.With(m) },
		"Group": func(m segue.Middleware) { app.Group("/g", m) },
		"Chain": func(m segue.Middleware) { segue.Chain(m) },
	} {
		text := fmt.Sprint(testkit.PanicOf(func() { use(nil) }))
		assert.Contains(t, text, "middleware is nil", name)
		assert.Contains(t, text, "middleware_test.go:", name)
	}
	app.GET("/", shows)
	assert.Empty(t, viaOf(ask(t, app, "GET /")), "a refused Use changes nothing")
}

func returnsNil(http.Handler) http.Handler { return nil }

// A middleware that returns nil is a mistake of the program. It shows on the
// first request, by name, and on every later one: never as a nil pointer.
func TestMiddlewareThatReturnsNil(t *testing.T) {
	app := segue.New()
	app.GET("/", shows)
	app.Use(via("x"), returnsNil)
	for range 2 {
		text := fmt.Sprint(testkit.PanicOf(func() { testkit.Serve(app, "GET", "/") }))
		assert.Contains(t, text, "returnsNil")
		assert.Contains(t, text, "returned a nil handler")
	}
}

// A middleware may register routes while it is built: a health check, say.
func TestMiddlewareMayRegisterWhileItIsBuilt(t *testing.T) {
	app := segue.New()
	var once sync.Once
	app.Use(func(next http.Handler) http.Handler {
		once.Do(func() {
			app.GET("/health", says("fine"))
			app.Group("/late", via("late")).GET("/", shows)
		})
		return next
	})
	app.GET("/", says("front"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		assert.Equal(t, "front", ask(t, app, "GET /").Body.String())
		assert.Equal(t, "fine", ask(t, app, "GET /health").Body.String())
		assert.Equal(t, "late", viaOf(ask(t, app, "GET /late")))
	}()
	testkit.WaitFor(t, done)
}

// A middleware that panics while it is composed is composed again by the next
// request, and no other one is.
func TestPanicWhileComposing(t *testing.T) {
	app, composed, ready := segue.New(), 0, false
	app.Use(func(next http.Handler) http.Handler {
		composed++
		app.GET("/health", shows) // a second time it would be in conflict
		return next
	})
	app.Group("/users", func(next http.Handler) http.Handler {
		if !ready {
			panic("not ready")
		}
		return next
	}).GET("/", shows)
	assert.PanicsWithValue(t, "not ready", func() { ask(t, app, "GET /users") })
	ready = true
	for range 2 {
		assert.Equal(t, http.StatusOK, ask(t, app, "GET /users").Code)
		assert.Equal(t, http.StatusOK, ask(t, app, "GET /health").Code)
	}
	assert.Equal(t, 1, composed)
}

// Before all middlewares are composed there is nothing to go on to.
func TestNextWhileComposing(t *testing.T) {
	app := segue.New()
	app.Use(func(next http.Handler) http.Handler {
		next.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		return next
	})
	app.GET("/", shows)
	err := testkit.PanicOf(func() { ask(t, app, "GET /") })
	require.ErrorContains(t, err, "segue: the middleware segue_test.TestNextWhileComposing.func1 or one inside it called the next handler before all were composed")
}

// A middleware may pass on another request, or one whose path another router
// has matched since. Wherever that leads, the chains there are run.
func TestAnotherRequestPassesTheChainsOnItsWay(t *testing.T) {
	for name, elsewhere := range map[string]segue.Middleware{
		"another request": func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(w, httptest.NewRequest("GET", "/admin/x", nil))
			})
		},
		"a request that was served before": func(next http.Handler) http.Handler {
			var app http.Handler
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				app, _ = r.Context().Value(appKey{}).(http.Handler)
				other := httptest.NewRequest("GET", "/admin/x", nil)
				app.ServeHTTP(httptest.NewRecorder(), other)
				next.ServeHTTP(w, other)
			})
		},
		"an inner ServeMux": func(next http.Handler) http.Handler {
			mux := http.NewServeMux()
			mux.Handle("/", next)
			return http.StripPrefix("/public", mux)
		},
	} {
		app := segue.New()
		app.Use(via("app"))
		admin := app.Group("/admin", via("admin"))
		admin.GET("/x", shows)
		public := app.Group("/public", elsewhere)
		public.Handle("/", shows)
		r := httptest.NewRequest("GET", "/public/admin/x", nil)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), appKey{}, http.Handler(app))))
		assert.Equal(t, "app admin", viaOf(w), name)
	}
}

type appKey struct{}

// A miss that such a request comes to tells what the request's own would have told.
func TestAnotherRequestMisses(t *testing.T) {
	app := segue.New()
	app.POST("/x", shows)
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
		})
	})
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/y", nil))
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
	assert.Equal(t, "OPTIONS, POST", w.Header().Get("Allow"))
}

// Listing the routes asks a Chain for its members, and composes none of them again.
func TestListingComposesNothing(t *testing.T) {
	composed := 0
	app := segue.New()
	app.With(segue.Chain(func(next http.Handler) http.Handler {
		composed++
		return next
	})).GET("/x", shows)
	ask(t, app, "GET /x")
	assert.Len(t, listing(app), 1)
	assert.Equal(t, 1, composed)
}
