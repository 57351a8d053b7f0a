package segue_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
)

var errGone = errors.New("gone")

// fails is a handler that returns errGone.
var fails = segue.Try(func(http.ResponseWriter, *http.Request) error { return errGone })

// listed is an error handler that adds its name to the header List and passes
// the error on.
func listed(name string) func(http.ResponseWriter, *http.Request, error) error {
	return func(w http.ResponseWriter, r *http.Request, err error) error {
		w.Header().Add("List", name)
		return err
	}
}

func listOf(w *httptest.ResponseRecorder) string { return strings.Join(w.Header().Values("List"), " ") }

// quiet keeps the log of a test's 5xx out of the output. It also lets go of
// the routers of earlier tests: under purego the list of a route is empty if
// another app has the same pattern.
func quiet(t *testing.T) *bytes.Buffer {
	t.Helper()
	runtime.GC()
	var text bytes.Buffer
	log.SetOutput(&text)
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	return &text
}

// The list of the router that owns the route, in order, then its parents'.
func TestErrorListGoesOutward(t *testing.T) {
	quiet(t)
	app, users := segue.New(), segue.New()
	app.Mount("/users", users)
	users.GET("/", fails)
	users.With().GET("/with", fails)
	deep := users.Group("/deep")
	deep.GET("/", fails)
	app.GET("/", fails)
	app.OnError(listed("app1"))
	users.OnError(listed("users1"))
	users.OnError(listed("users2"))
	app.OnError(listed("app2"))
	deep.OnError(listed("deep"))
	for request, want := range map[string]string{
		"GET /":           "app1 app2",
		"GET /users":      "users1 users2 app1 app2",
		"GET /users/with": "users1 users2 app1 app2",
		"GET /users/deep": "deep users1 users2 app1 app2",
	} {
		w := ask(t, app, request)
		assert.Equal(t, want, listOf(w), request)
		assert.Equal(t, 500, w.Code, request)
		assert.Equal(t, "Internal Server Error\n", w.Body.String(), request)
	}
}

// Each handler answers, passes on, or passes on something else.
func TestErrorListPassesOn(t *testing.T) {
	quiet(t)
	app := segue.New()
	group := app.Group("/g")
	group.GET("/{what}", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		return fmt.Errorf("%s: %w", segue.Param(r, "what"), errGone)
	}))
	group.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		switch r.PathValue("what") {
		case "answer":
			w.WriteHeader(http.StatusGone)
			return nil
		case "another":
			return segue.Errorf(http.StatusConflict, "no: %w", err)
		}
		return err
	})
	app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		assert.ErrorIs(t, err, errGone)
		w.Header().Set("List", "app")
		if r.PathValue("what") == "app" {
			w.WriteHeader(http.StatusTeapot)
			return nil
		}
		return err
	})
	answers(t, app, map[string]string{
		"GET /g/answer": "410", "GET /g/another": "409 no\n", "GET /g/app": "418", "GET /g/other": "500 Internal Server Error\n",
	})
	assert.Empty(t, listOf(ask(t, app, "GET /g/answer")), "nobody is asked after an answer")
}

type coded int

func (c coded) Error() string   { return "secret of a coded error" }
func (c coded) StatusCode() int { return int(c) }

// The end of the list answers, and never tells what was not meant for clients.
func TestErrorListEnds(t *testing.T) {
	quiet(t)
	app := segue.New()
	var err error
	app.GET("/", segue.Try(func(http.ResponseWriter, *http.Request) error { return err }))
	for _, c := range []struct {
		err    error
		status int
		body   string
	}{
		{errors.New("secret"), 500, "Internal Server Error"},
		{segue.Errorf(404, "no user %d", 7), 404, "no user 7"},
		{fmt.Errorf("secret: %w", segue.Errorf(404, "no user %d: %w", 7, errors.New("secret"))), 404, "no user 7"},
		{coded(503), 503, "Service Unavailable"},
		{fmt.Errorf("secret: %w", coded(409)), 409, "Conflict"},
		{coded(200), 500, "Internal Server Error"},
		{segue.Errorf(302, "secret"), 500, "Internal Server Error"},
		{errors.Join(errors.New("secret"), segue.Errorf(400, "bad")), 400, "bad"},
		{context.Canceled, 500, "Internal Server Error"},
		{nil, 200, ""},
	} {
		err = c.err
		w := ask(t, app, "GET /")
		assert.Equal(t, c.status, w.Code, "%v", c.err)
		assert.Equal(t, c.body, strings.TrimSuffix(w.Body.String(), "\n"), "%v", c.err)
	}
}

// failing is a middleware that calls Fail in place of its next, or behind it.
func failing(behind bool) segue.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if behind {
				next.ServeHTTP(httptest.NewRecorder(), r)
			}
			segue.Fail(w, r, segue.Errorf(403, "not you"))
		})
	}
}

// Whose list it is follows from the request, wherever Fail is called.
func TestErrorListIsFoundFromMiddleware(t *testing.T) {
	for _, behind := range []bool{false, true} {
		for _, inApp := range []bool{false, true} {
			quiet(t)
			app := segue.New()
			group := app.Group("/g/{id}")
			if inApp {
				app.Use(failing(behind))
			} else {
				group.Use(failing(behind))
			}
			group.GET("/", shows)
			group.With(via("with")).GET("/x", shows)
			app.OnError(listed("app"))
			group.OnError(listed("group"))
			for request, want := range map[string]string{"GET /g/1": "group app", "GET /g/1/": "group app", "GET /g/1/x": "group app"} {
				w := ask(t, app, request)
				assert.Equal(t, "403 not you\n", fmt.Sprint(w.Code, " ", w.Body), "%s behind=%v app=%v", request, behind, inApp)
				assert.Equal(t, want, listOf(w), "%s behind=%v app=%v", request, behind, inApp)
			}
		}
	}
}

// A miss walks the list of the router that owns it, from its own end and from
// a middleware on the way.
func TestErrorListOfAMiss(t *testing.T) {
	quiet(t)
	for _, middleware := range []bool{false, true} {
		app := segue.New()
		group := app.Group("/g")
		group.GET("/x", shows)
		if middleware {
			app.Use(failing(false))
		}
		app.OnError(listed("app"))
		group.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
			status, _ := segue.StatusOf(err)
			w.Header().Add("List", fmt.Sprint("group ", status))
			return err
		})
		for request, status := range map[string]int{
			"GET /g/nope": 404, "GET /g": 404, "PUT /g/x": 405, "GET /g/x/": 307, "OPTIONS /g/x": 204, "GET //g/x": 307,
		} {
			want := fmt.Sprintf("group %d app", status)
			if middleware {
				status, want = 403, "group 403 app"
			} else if status < 400 {
				want = "" // an answer, not an error
			}
			w := ask(t, app, request)
			assert.Equal(t, status, w.Code, request)
			assert.Equal(t, want, listOf(w), "%s middleware=%v", request, middleware)
		}
		assert.Equal(t, "app", listOf(ask(t, app, "GET /nope")))
	}
}

// The error of a miss can be answered, and carries the status it had.
func TestErrorListAnswersMisses(t *testing.T) {
	quiet(t)
	app := segue.New()
	app.GET("/x", shows)
	app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		status, text := segue.StatusOf(err)
		return segue.JSON(w, status, map[string]string{"error": text})
	})
	answers(t, app, map[string]string{"GET /nope": `404 {"error":"Not Found"}`, "PUT /x": `405 {"error":"Method Not Allowed"}`})
	assert.Equal(t, "GET, HEAD, OPTIONS", ask(t, app, "PUT /x").Header().Get("Allow"))
}

// An own NotFound may call Fail: the list is that of the miss's owner, not of
// the router that set the handler.
func TestFailInsideNotFound(t *testing.T) {
	quiet(t)
	app := segue.New()
	group := app.Group("/g")
	app.OnError(listed("app"))
	group.OnError(listed("group"))
	app.NotFound(segue.Try(func(http.ResponseWriter, *http.Request) error { return segue.Errorf(404, "nothing here") }))
	w := ask(t, app, "GET /g/nope")
	assert.Equal(t, "group app", listOf(w))
	assert.Equal(t, "nothing here\n", w.Body.String())
	assert.Equal(t, "app", listOf(ask(t, app, "GET /nope")))
}

// A router mounted in several places: the place that matched decides.
func TestErrorListUnderTwoMounts(t *testing.T) {
	quiet(t)
	app, users := segue.New(), segue.New()
	users.GET("/{id}", fails)
	users.OnError(listed("users"))
	a, b := app.Group("/a"), app.Group("/b")
	a.OnError(listed("a"))
	b.OnError(listed("b"))
	app.OnError(listed("app"))
	a.Mount("/users", users)
	b.Mount("/users", users)
	assert.Equal(t, "users a app", listOf(ask(t, app, "GET /a/users/1")))
	assert.Equal(t, "users b app", listOf(ask(t, app, "GET /b/users/1")))
	assert.Equal(t, "users a app", listOf(ask(t, app, "GET /a/users/1/2")))
	assert.Equal(t, "users", listOf(ask(t, users, "GET /1")), "as a root of its own")
}

type key struct{}

// A middleware that hands on a copy of the request changes nothing.
func TestErrorListOfACopy(t *testing.T) {
	for name, copied := range map[string]func(*http.Request) *http.Request{
		"WithContext": func(r *http.Request) *http.Request { return r.WithContext(context.WithValue(r.Context(), key{}, 1)) },
		"Clone":       func(r *http.Request) *http.Request { return r.Clone(context.WithValue(r.Context(), key{}, 1)) },
		"shallow":     func(r *http.Request) *http.Request { r2 := *r; return &r2 },
	} {
		quiet(t)
		app := segue.New()
		app.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, copied(r)) })
		})
		group := app.Group("/g", via("group"))
		group.GET("/{id}", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
			return segue.Errorf(400, "id %s", r.PathValue("id"))
		}))
		group.OnError(listed("group"))
		w := ask(t, app, "GET /g/7")
		assert.Equal(t, "id 7\n", w.Body.String(), name)
		assert.Equal(t, "group", listOf(w), name)
		assert.Equal(t, "group", viaOf(w), name)
		assert.Equal(t, "group", listOf(ask(t, app, "GET /g/7/nope")), name)
	}
}

// Two apps in one process with the same patterns, one inside the other as a
// plain handler or beside it.
func TestErrorListsOfTwoApps(t *testing.T) {
	build := func(name string) *segue.Router {
		app := segue.New()
		app.OnError(listed(name))
		app.Group("/g").GET("/{id}", fails)
		return app
	}
	quiet(t)
	if purego {
		t.Skip("equal texts are not told apart")
	}
	one, two := build("one"), build("two")
	for range 2 {
		assert.Equal(t, "one", listOf(ask(t, one, "GET /g/1")))
		assert.Equal(t, "two", listOf(ask(t, two, "GET /g/1")))
		assert.Equal(t, "one", listOf(ask(t, one, "GET /g/1/2")))
		assert.Equal(t, "two", listOf(ask(t, two, "GET /g/1/2")))
	}
	one.Handle("/g/", two) // less specific than /g/{id}
	w := httptest.NewRecorder()
	one.ServeHTTP(w, httptest.NewRequest("GET", "/g/1/2", nil))
	assert.Equal(t, "two", listOf(w))
}

// Where the request tells of no router the list is empty, and its end answers.
func TestErrorListOfAStranger(t *testing.T) {
	quiet(t)
	app := segue.New()
	app.OnError(listed("app"))
	mux := http.NewServeMux()
	mux.HandleFunc("/g/{id}", fails)
	app.Mount("/m", mux)
	w := ask(t, app, "GET /m/g/1")
	assert.Empty(t, listOf(w))
	assert.Equal(t, 500, w.Code)

	w = httptest.NewRecorder()
	fails(w, httptest.NewRequest("GET", "/", nil))
	assert.Equal(t, 500, w.Code)
}

// A 5xx that nobody answered is logged, to the server's own log.
func TestUnansweredErrorsAreLogged(t *testing.T) {
	app := segue.New()
	app.GET("/bad", segue.Try(func(http.ResponseWriter, *http.Request) error { return fmt.Errorf("disk: %w", errGone) }))
	app.GET("/busy", segue.Try(func(http.ResponseWriter, *http.Request) error { return segue.Errorf(503, "later") }))
	app.GET("/user", segue.Try(func(http.ResponseWriter, *http.Request) error { return segue.Errorf(404, "no user") }))
	app.Group("/answered").GET("/", fails)
	var text syncBuffer
	srv := httptest.NewUnstartedServer(app)
	srv.Config.ErrorLog = log.New(&text, "", 0)
	srv.Start()
	defer srv.Close()
	for path, want := range map[string]string{"/bad": "disk: gone", "/busy": "later", "/user": "", "/nope": ""} {
		text.reset()
		resp, err := http.Get(srv.URL + path)
		require.NoError(t, err)
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if want == "" {
			assert.Empty(t, text.String(), path)
			continue
		}
		assert.Contains(t, text.String(), want, path)
		assert.Contains(t, text.String(), "GET "+path, path)
	}
	app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error { return segue.Text(w, 500, "sorry") })
	text.reset()
	resp, err := http.Get(srv.URL + "/bad")
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, 500, resp.StatusCode)
	assert.Empty(t, text.String(), "answered by the list")

	std := quiet(t) // without a server's log, the standard one
	fails(httptest.NewRecorder(), httptest.NewRequest("GET", "/path", nil))
	assert.Contains(t, std.String(), "gone")
}

type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *syncBuffer) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf.Reset()
}

func TestTryAndFailWithNothing(t *testing.T) {
	w := httptest.NewRecorder()
	segue.Fail(w, httptest.NewRequest("GET", "/", nil), nil)
	assert.Equal(t, 200, w.Code)
	assert.Empty(t, w.Body.String())
	err := registering(t, func() { segue.New().GET("/", segue.Try(nil)) })
	assert.Contains(t, err.Error(), "handler is nil")
}

// Behind Recover a panic walks the list of the route that panicked.
func TestPanicWalksTheRoutesList(t *testing.T) {
	quiet(t)
	app := segue.New()
	app.Use(via("log"), segue.Recover)
	group := app.Group("/g")
	group.GET("/", func(http.ResponseWriter, *http.Request) { panic(errGone) })
	group.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		assert.ErrorIs(t, err, errGone)
		return segue.Text(w, 500, "sorry")
	})
	answers(t, app, map[string]string{"GET /g": "500 sorry"})
}

// Once a root is gone, nothing of it is left: neither its routers' links nor
// the list by which errors find their router hold on to it.
func TestDiscardedRootIsCollected(t *testing.T) {
	child := segue.New()
	child.Use(via("child"))
	child.GET("/{id}", fails)
	quiet(t)
	var collected sync.WaitGroup
	var kept []*http.Request // a request may outlive the app that served it
	for range 3 {
		collected.Add(1)
		func() {
			root := segue.New()
			root.Use(via("root"))
			root.OnError(listed("root"))
			root.Group("/g", via("group")).Mount("/child", child)
			r := httptest.NewRequest("GET", "/g/child/1", nil)
			root.ServeHTTP(httptest.NewRecorder(), r)
			kept = append(kept, r)
			ask(t, root, "GET /g/nope")
			runtime.AddCleanup(root, func(wg *sync.WaitGroup) { wg.Done() }, &collected)
		}()
	}
	done := make(chan struct{})
	go func() { collected.Wait(); close(done) }()
	for deadline := time.Now().Add(time.Minute); ; {
		runtime.GC()
		select {
		case <-done:
			w := httptest.NewRecorder()
			segue.Fail(w, kept[0], errGone) // nobody is left to ask
			assert.Empty(t, listOf(w))
			assert.Equal(t, 500, w.Code)
			assert.Equal(t, "1", kept[0].PathValue("id"))
			runtime.KeepAlive(child)
			return
		case <-time.After(time.Millisecond):
			require.True(t, time.Now().Before(deadline), "a discarded root is still there")
		}
	}
}
