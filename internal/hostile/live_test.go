package hostile

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// What is registered and set while requests are on their way.

const changes = 100

// Routes come one by one. A request finds either nothing or the route, whole:
// its handler, its parameter, its router's middleware; and once it was there it
// stays.
func TestRoutesAddedWhileServing(t *testing.T) {
	app := segue.New()
	app.Use(via("app"))
	group := app.Group("/g/{g}", via("group"))
	var registered atomic.Int64
	testkit.WhileServing(func() {
		for i := range changes {
			group.GET(fmt.Sprintf("/r%d/{id}", i), shows)
			registered.Add(1)
		}
	}, func(g, n int) {
		before := registered.Load()
		i := int64(n) % changes
		w := testkit.Serve(app, "GET", fmt.Sprintf("/g/%d/r%d/%d", g, i, n))
		want := fmt.Sprintf("GET /g/{g}/r%d/{id} g=%d id=%d via app group", i, g, n)
		if w.Code == 404 {
			assert.GreaterOrEqual(t, i, before, "a route that was there is not found")
			want = "404 page not found\n via app group"
			if before == 0 {
				want = "404 page not found\n via " + viaOf(w) // a group without routes has no territory yet
			}
		}
		assert.Equal(t, want, w.Body.String()+" via "+viaOf(w))
	})
}

// A mount brings all its routes at once, from whatever depth, or none.
func TestMountedWhileServing(t *testing.T) {
	app := segue.New()
	testkit.WhileServing(func() {
		for i := range changes {
			sub := segue.New()
			sub.Use(via("sub"))
			sub.GET("/a", shows)
			sub.Group("/deep", via("deep")).GET("/b", shows)
			app.Mount(fmt.Sprintf("/m%d", i), sub)
		}
	}, func(g, n int) {
		prefix := fmt.Sprintf("/m%d", n%changes)
		// The second was there if the first was.
		first, second := testkit.Serve(app, "GET", prefix+"/a"), testkit.Serve(app, "GET", prefix+"/deep/b")
		if first.Code == 200 {
			assert.Equal(t, 200, second.Code, "half a mount")
			assert.Equal(t, "sub, sub deep", viaOf(first)+", "+viaOf(second))
		}
	})
}

// Middlewares added in one call are seen together, and those of an outer router
// added before those of an inner one are there when the inner ones are.
func TestMiddlewareAddedWhileServing(t *testing.T) {
	app := segue.New()
	group := app.Group("/g")
	group.GET("/{id}", shows)
	testkit.WhileServing(func() {
		for i := range changes / 4 {
			app.Use(via(fmt.Sprintf("app%d", i)), via("pair"))
			group.Use(via(fmt.Sprintf("group%d", i)))
		}
	}, func(g, n int) {
		w := testkit.Serve(app, "GET", "/g/1")
		assert.Equal(t, "GET /g/{id} id=1", w.Body.String())
		checkWholeChanges(t, w.Header().Values("Via"))
	})
}

func checkWholeChanges(t *testing.T, seen []string) {
	apps, pairs, groups := 0, 0, 0
	for _, name := range seen {
		switch {
		case name == "pair":
			pairs++
		case strings.HasPrefix(name, "app"):
			assert.Equal(t, fmt.Sprintf("app%d", apps), name)
			apps++
		default:
			assert.Equal(t, fmt.Sprintf("group%d", groups), name)
			groups++
		}
	}
	assert.Equal(t, apps, pairs, "half a Use: %v", seen)
	assert.True(t, groups == apps || groups == apps-1, "a later change without an earlier one: %v", seen)
}

// Everything at once, for the race detector: routes, mounts, settings, lists,
// and every way of asking.
func TestEverythingChangesWhileServing(t *testing.T) {
	app, other := segue.New(), segue.New()
	shared := segue.New()
	shared.GET("/x/{id}", segue.Try(func(w http.ResponseWriter, r *http.Request) error { return segue.Errorf(400, "%s", r.PathValue("id")) }))
	app.Mount("/s", shared)
	other.Mount("/t/{t}", shared)
	testkit.WhileServing(func() {
		for i := range changes / 4 {
			shared.GET(fmt.Sprintf("/r%d", i), shows)
			shared.Use(via("shared"))
			shared.OnError(testkit.Listed("shared"))
			app.With(via("with")).GET(fmt.Sprintf("/w%d", i), shows)
			app.Group(fmt.Sprintf("/g%d", i)).NotFound(testkit.Lost("group"))
			app.TrailingSlash(segue.SlashPolicy(i % 3))
			app.PathValues(i%2 == 0)
			app.CleanPath(i%2 == 0)
			app.MethodNotAllowed(testkit.Lost("app"))
			assert.Panics(t, func() { shared.GET("/x/{other}", shows) })
		}
	}, func(g, n int) {
		r := httptest.NewRequest("GET", "/s/x/7", nil)
		switch g {
		case 0:
			assert.Equal(t, 200, app.Lookup(r).Status)
		case 1:
			for range app.Routes() {
			}
		case 2:
			app.Handler(r)
		case 3:
			testkit.Serve(app, "PUT", "/s/x/7")
			testkit.Serve(app, "OPTIONS", "/s/x/7")
		case 4:
			assert.Equal(t, 400, testkit.Serve(other, "GET", "/t/1/x/7").Code)
		case 5:
			testkit.Serve(app, "GET", fmt.Sprintf("/g%d/nope", n%changes))
		default:
			assert.Equal(t, 400, testkit.Serve(app, "GET", "/s/x/7").Code)
		}
	})
}

// A request in flight finishes on what it started with: here it waits in the
// app's middleware while the group below gets another one, another request
// takes that, and then it goes on.
func TestRequestsInFlightKeepTheirChain(t *testing.T) {
	if testkit.Purego {
		t.Skip("the text of a pattern does not tell when it was matched")
	}
	app := segue.New()
	inside, goOn := make(chan struct{}), make(chan struct{})
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Wait") != "" {
				close(inside)
				<-goOn
			}
			next.ServeHTTP(w, r)
		})
	})
	group := app.Group("/g", via("old"))
	group.GET("/", shows)

	w, done := httptest.NewRecorder(), make(chan struct{})
	r := httptest.NewRequest("GET", "/g", nil)
	r.Header.Set("Wait", "yes")
	go func() { defer close(done); app.ServeHTTP(w, r) }()
	<-inside
	group.Use(via("new"))
	assert.Equal(t, "old new", viaOf(testkit.Serve(app, "GET", "/g")))
	close(goOn)
	testkit.WaitFor(t, done)
	assert.Equal(t, 200, w.Code)
	assert.Equal(t, "old", viaOf(w))
}

// The same for a miss, which becomes a route's path meanwhile.
func TestMissesInFlightStayMisses(t *testing.T) {
	app := segue.New()
	inside, goOn := make(chan struct{}), make(chan struct{})
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Wait") != "" {
				close(inside)
				<-goOn
			}
			next.ServeHTTP(w, r)
		})
	})
	w, done := httptest.NewRecorder(), make(chan struct{})
	r := httptest.NewRequest("GET", "/late", nil)
	r.Header.Set("Wait", "yes")
	go func() { defer close(done); app.ServeHTTP(w, r) }()
	<-inside
	app.GET("/late", shows)
	assert.Equal(t, 200, testkit.Serve(app, "GET", "/late").Code)
	close(goOn)
	testkit.WaitFor(t, done)
	assert.Equal(t, 404, w.Code)
}

// PathValues is switched on while a request is on its way that was matched
// without: the plain handler gets the values of its prefix all the same.
func TestPathValuesSwitchedInFlight(t *testing.T) {
	app := segue.New()
	app.PathValues(false)
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			app.PathValues(true)
			app.Lookup(r) // compiles
			next.ServeHTTP(w, r)
		})
	})
	app.Mount("/{id}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s|%s|%s", r.URL.Path, r.PathValue("id"), segue.Param(r, "id"))
	}))
	assert.Equal(t, "/x|7|7", testkit.Serve(app, "GET", "/7/x").Body.String())
}

// http.TimeoutHandler answers while the handler still runs, on a request of
// its own. Whoever comes next must not show through.
func TestTimeoutHandlerSeesItsOwnParameters(t *testing.T) {
	app := segue.New()
	app.Use(func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Millisecond, "late") })
	var wg sync.WaitGroup
	group := app.Group("/users", via("group"))
	group.GET("/{id}/{n}", func(w http.ResponseWriter, r *http.Request) {
		defer wg.Done()
		want := r.URL.Path
		for range 3 {
			time.Sleep(time.Millisecond)
			assert.Equal(t, want, "/users/"+r.PathValue("id")+"/"+segue.Param(r, "n"))
		}
	})
	for i := range 50 {
		wg.Add(1)
		testkit.Serve(app, "GET", fmt.Sprintf("/users/%d/%d", i, i*i))
	}
	wg.Wait()
}

// Routers get their first request while another redirects: a program's second
// server starts while its first one serves. Who looks for the router of a
// redirect asks all of them.
func TestRoutersStartWhileServing(t *testing.T) {
	app := segue.New()
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Outcome", fmt.Sprint(segue.Outcome(r)))
			segue.Fail(w, r, segue.Errorf(http.StatusTeapot, "no"))
		})
	})
	app.GET("/a", shows)
	testkit.WhileServing(func() {
		for range testkit.Size(50, 500) {
			other := segue.New()
			for i := range 100 {
				other.GET(fmt.Sprintf("/r%d/{id}", i), shows)
			}
			assert.Equal(t, http.StatusNotFound, testkit.Serve(other, "GET", "/").Code)
		}
	}, func(int, int) {
		w := testkit.Serve(app, "GET", "/a/")
		assert.Equal(t, "307", w.Header().Get("Outcome"))
		assert.Equal(t, http.StatusTeapot, w.Code)
	})
}

// A change of routes beside requests composes no middleware again, whether a
// request, a middleware or a goroutine makes it. The window is small: it takes
// hundreds of rounds to hit it.
func TestMiddlewareIsComposedOnceWhileServing(t *testing.T) {
	for range testkit.Size(20, 600) {
		var composed, deep atomic.Int32
		a, b, child := segue.New(), segue.New(), segue.New()
		child.Use(func(next http.Handler) http.Handler {
			child.GET(fmt.Sprintf("/composed%d", composed.Add(1)), shows)
			return next
		})
		child.With(func(next http.Handler) http.Handler { deep.Add(1); return next }).GET("/with", shows)
		a.Mount("/c", child)
		a.Mount("/d", child)
		b.Mount("/c", child)
		testkit.WhileServing(func() {
			for i, stop := 0, time.Now().Add(3*time.Millisecond); time.Now().Before(stop); i++ {
				child.GET(fmt.Sprintf("/r%d", i), shows)
			}
		}, func(g, _ int) {
			assert.Equal(t, http.StatusOK, testkit.Serve([]*segue.Router{a, b}[g%2], "GET", "/c/with").Code)
		})
		for _, rt := range []*segue.Router{a, b} {
			assert.Equal(t, http.StatusOK, testkit.Serve(rt, "GET", "/c/with").Code)
		}
		assert.EqualValues(t, 3, composed.Load(), "once for each place")
		assert.EqualValues(t, 3, deep.Load(), "once for each place")
	}
}
