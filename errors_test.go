package segue_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// Errors from the handler to the client: Try, Fail and the error lists, then
// Recover, then Errorf and StatusOf.

var errGone = errors.New("gone")

// fails is a handler that returns errGone.
var fails = segue.Try(func(http.ResponseWriter, *http.Request) error { return errGone })

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

func (c coded) Error() string { return "secret of a coded error" }

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

// A request walks the list of the snapshot that it was served from, whatever is
// set while it is on its way, and however it found its handler.
func TestErrorListOfTheRequestsSnapshot(t *testing.T) {
	quiet(t)
	for _, request := range []string{
		"GET /plain/7", "GET /g/plain/7", "GET /g/with", "GET /g/enc%6fded", "GET /g/either/", "GET /g/twice//clean/",
		"GET http://a.example/hosted", "PUT /g/with", "GET /g/nope", "GET /again/g/with", "GET /g/new/request",
	} {
		for _, copied := range []bool{false, true} {
			var change func() // what the first request does on its way
			served, app, group := snapshotApp(func(w http.ResponseWriter, r *http.Request) {
				if c := change; c != nil {
					change = nil
					c()
				}
				if copied {
					r = r.Clone(r.Context())
				}
				segue.Fail(w, r, errGone)
			})
			change = func() {
				for i := range 3 {
					app.OnError(listed("later"))
					group.OnError(listed("later"))
					group.GET(fmt.Sprint("/later", i), shows)
					ask(t, served, "GET /g/later") // serves from the next snapshot
					runtime.GC()
				}
			}
			want := "app"
			if strings.Contains(request, "/g/") {
				want = "group app"
			}
			assert.Equal(t, want, listOf(ask(t, served, request)), "%s copied=%v", request, copied)
			assert.Contains(t, listOf(ask(t, served, request)), "later later later", "%s, the next request", request)
		}
	}
}

// snapshotApp returns an app, also mounted in served, all of whose routes, and
// misses below /g, are answered by handler.
func snapshotApp(handler http.HandlerFunc) (served, app, group *segue.Router) {
	served, app = segue.New(), segue.New()
	served.Mount("/", app)
	served.Mount("/again", app)
	group = app.Group("/g", func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.Pattern {
			case "": // a miss
				handler(w, r)
			case "GET /g/new/{any}":
				next.ServeHTTP(w, httptest.NewRequest(r.Method, "/g/plain/7", nil)) // the end of the chain matches it
			default:
				next.ServeHTTP(w, r)
			}
		})
	})
	group.TrailingSlash(segue.SlashEither)
	group.CleanPath(false)
	app.OnError(listed("app"))
	group.OnError(listed("group"))
	app.HandleFunc("/plain/{id}", handler)
	for _, path := range []string{"/plain/{id}", "/encoded", "/either", "/twice/{rest...}", "/new/{any}"} {
		group.GET(path, handler)
	}
	group.With(via("with")).GET("/with", handler)
	app.HandleFunc("a.example/hosted", handler)
	return served, app, group
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

// A route that several routers serve is told apart by the bytes of its pattern,
// though a prefix adds nothing to them.
func TestErrorListOfOneTextUnderTwoRoots(t *testing.T) {
	quiet(t)
	api, app := segue.New(), segue.New()
	users := api.Group("/users")
	users.Any("/", fails)
	users.Any("/x", fails)
	api.Any("/y", fails)
	assert.Empty(t, listOf(ask(t, api, "GET /users"))) // served alone first
	app.Mount("/", api)
	app.OnError(listed("app"))
	for _, path := range []string{"/users", "/users/x", "/y"} {
		assert.Equal(t, "app", listOf(ask(t, app, "GET "+path)), path)
		assert.Empty(t, listOf(ask(t, api, "GET "+path)), path)
	}
}

// A request that a middleware makes has its list too, while routes change and the
// collector runs.
func TestErrorListOfAnotherRequest(t *testing.T) {
	quiet(t)
	app, changes := segue.New(), 0
	change := func() {
		changes++
		app.GET(fmt.Sprintf("/new%d", changes), func(http.ResponseWriter, *http.Request) {})
		app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/new1", nil))
	}
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/x" {
				change()
				r = httptest.NewRequest("GET", "/x", nil)
			}
			next.ServeHTTP(w, r)
		})
	})
	app.OnError(listed("app"))
	app.GET("/x", segue.Try(func(http.ResponseWriter, *http.Request) error {
		change()
		runtime.GC()
		runtime.GC()
		return errGone
	}))
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	assert.Equal(t, "app", listOf(w))
}

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
	var text testkit.Buffer
	srv := httptest.NewUnstartedServer(app)
	srv.Config.ErrorLog = log.New(&text, "", 0)
	srv.Start()
	defer srv.Close()
	for path, want := range map[string]string{"/bad": "disk: gone", "/busy": "later", "/user": "", "/nope": ""} {
		text.Reset()
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
	text.Reset()
	resp, err := http.Get(srv.URL + "/bad")
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, 500, resp.StatusCode)
	assert.Empty(t, text.String(), "answered by the list")

	std := quiet(t) // without a server's log, the standard one
	fails(httptest.NewRecorder(), httptest.NewRequest("GET", "/path", nil))
	assert.Contains(t, std.String(), "gone")
}

func TestTryAndFailWithNothing(t *testing.T) {
	w := httptest.NewRecorder()
	segue.Fail(w, httptest.NewRequest("GET", "/", nil), nil)
	assert.Equal(t, 200, w.Code)
	assert.Empty(t, w.Body.String())
	app := segue.New()
	app.OnError(func(http.ResponseWriter, *http.Request, error) error {
		t.Error("there is no error")
		return nil
	})
	app.GET("/", func(w http.ResponseWriter, r *http.Request) { segue.Fail(w, r, nil) })
	assert.Equal(t, 200, ask(t, app, "GET /").Code)
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

// A liveApp is a router with Recover on a server. Its error list keeps what it
// sees and passes it on.
type liveApp struct {
	*httptest.Server
	seen chan error
	log  testkit.Buffer // of the server
}

// protocols are the ways to reach a liveApp.
var protocols = []string{"HTTP/1.1", "HTTP/2.0", "HTTP/2.0 without TLS"}

func startApp(t *testing.T, protocol string, mw []segue.Middleware, handler http.HandlerFunc) *liveApp {
	app := &liveApp{seen: make(chan error, 9)}
	router := segue.New()
	router.Use(mw...)
	router.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		app.seen <- err
		return err
	})
	path := ownPath()
	router.HandleFunc(path, handler)
	app.Server = httptest.NewUnstartedServer(router)
	app.Config.ErrorLog = log.New(&app.log, "", 0)
	switch protocol {
	case "HTTP/1.1":
		app.Start()
	case "HTTP/2.0":
		app.EnableHTTP2 = true
		app.StartTLS()
	default:
		var h2c http.Protocols
		h2c.SetUnencryptedHTTP2(true)
		app.Config.Protocols = &h2c
		app.Start()
		app.Client().Transport.(*http.Transport).Protocols = &h2c
	}
	app.URL += path
	t.Cleanup(app.Close)
	return app
}

// ownPath returns a path that no other router has: with purego, a request tells
// by its pattern alone whose error list it walks.
func ownPath() string { return fmt.Sprintf("/recover%d/", paths.Add(1)) }

var paths atomic.Int64

// eachProtocol runs test on a handler behind Recover.
func eachProtocol(t *testing.T, handler http.HandlerFunc, test func(t *testing.T, app *liveApp)) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			checked := func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, protocol[:len("HTTP/1.1")], r.Proto)
				handler(w, r)
			}
			test(t, startApp(t, protocol, []segue.Middleware{segue.Recover}, checked))
		})
	}
}

func (app *liveApp) get(t *testing.T) *http.Response {
	resp, err := app.Client().Get(app.URL)
	require.NoError(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// error returns the one error that the list has seen.
func (app *liveApp) error(t *testing.T) error {
	select {
	case err := <-app.seen:
		assert.Empty(t, app.seen, "the list was walked more than once")
		return err
	case <-time.After(time.Minute):
		require.Fail(t, "the error list was not walked")
		return nil
	}
}

func readAll(t *testing.T, resp *http.Response) string {
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(body)
}

// expectCut reads a response that was aborted after text.
func expectCut(t *testing.T, resp *http.Response, text string) {
	body, err := io.ReadAll(resp.Body)
	assert.Equal(t, text, string(body))
	if resp.ProtoMajor == 1 {
		assert.Equal(t, io.ErrUnexpectedEOF, err)
	} else {
		assert.ErrorContains(t, err, "INTERNAL_ERROR") // as net/http resets a stream
	}
}

func TestRecoverAnswers(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		panic("a secret")
	}, func(t *testing.T, app *liveApp) {
		resp := app.get(t)
		assert.Equal(t, 500, resp.StatusCode)
		assert.Equal(t, "Internal Server Error\n", readAll(t, resp))
		assert.Equal(t, "text/plain; charset=utf-8", resp.Header.Get("Content-Type"))
		err := app.error(t)
		assert.ErrorContains(t, err, "panic: a secret\n")
		assert.ErrorContains(t, err, "errors_test.go", "the stack")
		assert.Contains(t, app.log.String(), "a secret")
		assert.NotContains(t, app.log.String(), "panic serving")
	})
}

// Early Hints are no answer.
func TestRecoverAfterEarlyHints(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</x.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		panic("late")
	}, func(t *testing.T, app *liveApp) {
		resp := app.get(t)
		assert.Equal(t, 500, resp.StatusCode)
		assert.Equal(t, "Internal Server Error\n", readAll(t, resp))
		assert.ErrorContains(t, app.error(t), "late")
	})
}

// A status that net/http refuses by a panic is no answer either.
func TestRecoverFromWrongStatus(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(0)
	}, func(t *testing.T, app *liveApp) {
		assert.Equal(t, 500, app.get(t).StatusCode)
		assert.ErrorContains(t, app.error(t), "invalid WriteHeader code 0")
	})
}

func TestRecoverAbortsWhatHasBegun(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		panic("in the middle")
	}, func(t *testing.T, app *liveApp) {
		resp := app.get(t)
		assert.Equal(t, 200, resp.StatusCode)
		expectCut(t, resp, "half")
		assert.ErrorContains(t, app.error(t), "in the middle")
		assert.Contains(t, app.log.String(), "panic: in the middle (the answer had begun and was cut)\n")
		assert.NotContains(t, app.log.String(), "panic serving")
		assert.NotContains(t, app.log.String(), "superfluous")
	})
}

// What net/http still buffers counts as begun too.
func TestRecoverAbortsWhatIsBuffered(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("half"))
		panic("in the middle")
	}, func(t *testing.T, app *liveApp) {
		_, err := app.Client().Get(app.URL)
		assert.Error(t, err)
		assert.ErrorContains(t, app.error(t), "in the middle")
	})
}

// Behind Recover, Try knows that the response has begun.
func TestTryBehindRecover(t *testing.T) {
	eachProtocol(t, segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		io.WriteString(w, "half")
		http.NewResponseController(w).Flush()
		return segue.Errorf(http.StatusConflict, "in the middle")
	}), func(t *testing.T, app *liveApp) {
		expectCut(t, app.get(t), "half")
		assert.EqualError(t, app.error(t), "in the middle")
		assert.Contains(t, app.log.String(), ": in the middle (the answer had begun and was cut)\n", "of any status: this answer is not the handler's")
	})
}

// A source that fails before anything was copied leaves room for an answer.
func TestTryAfterAFailedCopy(t *testing.T) {
	eachProtocol(t, segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		if _, err := io.Copy(w, iotest.ErrReader(io.ErrClosedPipe)); err != nil {
			return segue.Errorf(http.StatusBadGateway, "the source: %w", err)
		}
		return nil
	}), func(t *testing.T, app *liveApp) {
		resp := app.get(t)
		assert.Equal(t, http.StatusBadGateway, resp.StatusCode)
		assert.Equal(t, "the source\n", readAll(t, resp))
		assert.ErrorIs(t, app.error(t), io.ErrClosedPipe)
	})
}

func TestRecoverAfterHijack(t *testing.T) {
	app := startApp(t, "HTTP/1.1", []segue.Middleware{segue.Recover}, func(w http.ResponseWriter, r *http.Request) {
		_, rw, err := http.NewResponseController(w).Hijack()
		require.NoError(t, err)
		rw.WriteString("own words")
		rw.Flush()
		panic("on its own")
	})
	conn, err := net.Dial("tcp", app.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", app.URL)
	got, err := io.ReadAll(conn)
	assert.NoError(t, err, "closed in order")
	assert.Equal(t, "own words", string(got))
	assert.ErrorContains(t, app.error(t), "on its own")
	assert.Contains(t, app.log.String(), "panic: on its own (the answer had begun and was cut)\n")
	assert.NotContains(t, app.log.String(), "hijacked connection")
}

// The first part is there before the handler goes on.
func TestRecoverStreams(t *testing.T) {
	for _, flush := range []func(w http.ResponseWriter){
		func(w http.ResponseWriter) { w.(http.Flusher).Flush() },
		func(w http.ResponseWriter) { http.NewResponseController(w).Flush() },
	} {
		var goOn chan bool
		eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "first,")
			flush(w)
			<-goOn
			io.WriteString(w, "second")
		}, func(t *testing.T, app *liveApp) {
			goOn = make(chan bool)
			resp := app.get(t)
			part := make([]byte, len("first,"))
			_, err := io.ReadFull(resp.Body, part)
			require.NoError(t, err)
			assert.Equal(t, "first,", string(part))
			close(goOn)
			assert.Equal(t, "second", readAll(t, resp))
			assert.Empty(t, app.seen)
		})
	}
}

// abilities are what a writer has beside a ResponseWriter's methods.
func abilities(w http.ResponseWriter) (names []string) {
	has := func(name string, ok bool) {
		if ok {
			names = append(names, name)
		}
	}
	_, push := w.(http.Pusher)
	_, hijack := w.(http.Hijacker)
	_, readFrom := w.(io.ReaderFrom)
	_, writeString := w.(io.StringWriter)
	_, flushError := w.(interface{ FlushError() error })
	_, flush := w.(http.Flusher)
	has("Push", push)
	has("Hijack", hijack)
	has("ReadFrom", readFrom)
	has("WriteString", writeString)
	has("FlushError", flushError)
	has("Flush", flush)
	return names
}

// net/http's own writers keep what they have, and only that.
func TestRecoverKeepsWhatTheServerHas(t *testing.T) {
	var outside, inside []string
	look := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			outside = abilities(w)
			next.ServeHTTP(w, r)
		})
	}
	for _, protocol := range protocols {
		app := startApp(t, protocol, []segue.Middleware{look, segue.Recover}, func(w http.ResponseWriter, r *http.Request) {
			inside = abilities(w)
		})
		resp := app.get(t)
		assert.Equal(t, outside, inside, protocol)
		assert.Equal(t, resp.ProtoMajor == 1, slices.Contains(inside, "Hijack"), "%s: Hijack", protocol)
		assert.Equal(t, resp.ProtoMajor == 2, slices.Contains(inside, "Push"), "%s: Push", protocol)
	}
}

// A file goes out whole, by way of the server's own ReadFrom.
func TestRecoverServesFiles(t *testing.T) {
	name := t.TempDir() + "/file"
	text := strings.Repeat("0123456789abcdef", 1<<16)
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, name)
	}, func(t *testing.T, app *liveApp) {
		resp := app.get(t)
		assert.Equal(t, int64(len(text)), resp.ContentLength)
		assert.True(t, text == readAll(t, resp), "the file's text")
	})
}

// Deadlines are set on the server's own writer.
func TestRecoverPassesDeadlines(t *testing.T) {
	app := startApp(t, "HTTP/1.1", []segue.Middleware{segue.Recover}, func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		assert.NoError(t, control.EnableFullDuplex())
		assert.NoError(t, control.SetWriteDeadline(time.Now().Add(time.Minute)))
		assert.NoError(t, control.SetReadDeadline(time.Now().Add(10*time.Millisecond)))
		_, err := io.ReadAll(r.Body)
		assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
	})
	conn, err := net.Dial("tcp", app.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab", app.URL) // and no more
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	assert.Equal(t, 200, resp.StatusCode)
}

// http.ErrAbortHandler passes without a word.
func TestRecoverLeavesErrAbortHandler(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		panic(http.ErrAbortHandler)
	}, func(t *testing.T, app *liveApp) {
		_, err := app.Client().Get(app.URL)
		assert.Error(t, err)
		assert.Empty(t, app.seen)
		assert.Empty(t, app.log.String())
	})
}

// recovered serves one request to a handler behind Recover that panics with
// value, and returns the error that the list saw.
func recovered(t *testing.T, value any) (w *httptest.ResponseRecorder, seen error) {
	path, router := ownPath(), segue.New()
	router.Use(segue.Recover)
	router.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		seen = err
		return err
	})
	router.HandleFunc(path, func(http.ResponseWriter, *http.Request) { panic(value) })
	quiet(t)
	w = testkit.Serve(router, "GET", path)
	require.NotNil(t, seen)
	return w, seen
}

// The error gives the value and the stack, by text and by method, and hides the
// value's status.
func TestPanicError(t *testing.T) {
	missing := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	for _, value := range []any{
		"text", 42, []int{1}, struct{ f func() }{nil}, map[string]int{"a": 1},
		missing, (*fs.PathError)(nil), segue.Errorf(http.StatusNotFound, "not here"),
		fmt.Errorf("no longer itself: %w", http.ErrAbortHandler),
	} {
		w, err := recovered(t, value)
		assert.Equal(t, 500, w.Code)
		assert.Equal(t, "Internal Server Error\n", w.Body.String())
		status, message := segue.StatusOf(fmt.Errorf("wrapped: %w", err))
		assert.Equal(t, 500, status)
		assert.Equal(t, "Internal Server Error", message)

		var p interface{ Panic() (any, []byte) }
		require.ErrorAs(t, err, &p)
		got, stack := p.Panic()
		assert.Equal(t, fmt.Sprintf("%#v", value), fmt.Sprintf("%#v", got))
		assert.Contains(t, string(stack), "segue_test.recovered.func2", "the function that panicked")
		assert.Equal(t, fmt.Sprintf("panic: %v\n\n%s", value, stack), err.Error())
	}

	_, err := recovered(t, missing)
	var pathError *fs.PathError
	assert.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorAs(t, err, &pathError)
	assert.Same(t, missing, pathError)

	_, err = recovered(t, nil)
	var panicNil *runtime.PanicNilError
	assert.ErrorAs(t, err, &panicNil)

	_, err = recovered(t, "text")
	assert.NoError(t, errors.Unwrap(err))
}

// A panic is logged with its stack, once, and before the list is asked, whatever
// the list makes of it.
func TestPanicIsLoggedOnce(t *testing.T) {
	for what, handle := range map[string]func(w http.ResponseWriter, err error) error{
		"answers":      func(w http.ResponseWriter, err error) error { return segue.Text(w, 500, "sorry") },
		"passes on":    func(_ http.ResponseWriter, err error) error { return err },
		"wraps":        func(_ http.ResponseWriter, err error) error { return fmt.Errorf("wrapped: %w", err) },
		"gives status": func(_ http.ResponseWriter, err error) error { return segue.Errorf(503, "later: %w", err) },
		"begins":       func(w http.ResponseWriter, err error) error { io.WriteString(w, "half"); return err },
		"panics":       func(_ http.ResponseWriter, err error) error { panic(http.ErrAbortHandler) },
	} {
		for _, write := range []string{"", "half"} {
			text := quiet(t)
			path, app := ownPath(), segue.New()
			app.Use(segue.Recover, segue.Recover)
			app.OnError(func(w http.ResponseWriter, _ *http.Request, err error) error {
				assert.Contains(t, text.String(), "thrown", "before the list")
				return handle(w, err)
			})
			app.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
				if write != "" {
					io.WriteString(w, write)
				}
				panic("thrown")
			})
			if write != "" || what == "begins" || what == "panics" {
				assert.PanicsWithValue(t, http.ErrAbortHandler, func() { testkit.Serve(app, "GET", path) }, "%s: the answer is cut", what)
			} else {
				assert.Equal(t, 5, testkit.Serve(app, "GET", path).Code/100, what)
			}
			assert.Equal(t, 1, strings.Count(text.String(), ": panic: thrown"), what)
			assert.Equal(t, 1, strings.Count(text.String(), "\n\ngoroutine "), what)
			assert.Contains(t, text.String(), "TestPanicIsLoggedOnce.func", "%s: the stack has the function that panicked", what)
			assert.Equal(t, write != "", strings.Contains(text.String(), "thrown (the answer had begun and was cut)\n\ngoroutine"), what)
		}
	}
}

// An error handler that panics is asked once, and the answer is 500. Neither the
// panic nor what the handler was asked about is lost.
func TestErrorHandlerThatPanics(t *testing.T) {
	for _, recovers := range []bool{false, true} {
		for request, logged := range map[string]string{"try": "disk: gone", "busy": "later", "taken": "", "panic": "panic: thrown", "miss": ""} {
			text, asked := quiet(t), 0
			path, app := ownPath(), segue.New()
			if recovers {
				app.Use(segue.Recover)
			}
			app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error { asked++; return err })
			app.OnError(func(http.ResponseWriter, *http.Request, error) error { panic("the second") })
			app.OnError(func(http.ResponseWriter, *http.Request, error) error { asked += 100; return nil })
			app.GET(path+"{what}", segue.Try(func(_ http.ResponseWriter, r *http.Request) error {
				switch r.PathValue("what") {
				case "try":
					return fmt.Errorf("disk: %w", errGone)
				case "busy":
					return segue.Errorf(503, "later")
				case "panic":
					panic("thrown")
				}
				return segue.Errorf(409, "taken")
			}))
			if request == "miss" {
				request = "miss/miss"
			}
			if request == "panic" && !recovers {
				continue // it passes through
			}
			w := testkit.Serve(app, "GET", path+request)
			assert.Equal(t, "500 Internal Server Error\n", fmt.Sprint(w.Code, " ", w.Body), request)
			assert.Equal(t, 1, asked, request)
			assert.Equal(t, 1, strings.Count(text.String(), "panic in an error handler: the second\n\ngoroutine"), request)
			assert.Contains(t, text.String(), "TestErrorHandlerThatPanics.func2", "%s: the stack has the function that panicked", request)
			assert.Contains(t, text.String(), logged)
			lines := strings.Count(text.String(), "segue: GET ")
			assert.Equal(t, logged != "", lines == 2, "%s: %d lines", request, lines)
		}
	}
}

// If an error handler that panics has begun an answer, or the handler had, it is
// cut; http.ErrAbortHandler goes on as it came.
func TestErrorHandlerThatPanicsLate(t *testing.T) {
	for what, text := range map[string]string{
		"the list": "panic in an error handler: the second (the answer had begun and was cut)\n",
		"both":     "in the middle (the answer had begun and was cut)\n",
		"abort":    "",
	} {
		logged := quiet(t)
		path, app := ownPath(), segue.New()
		app.Use(segue.Recover)
		app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
			if what == "abort" {
				panic(http.ErrAbortHandler)
			}
			io.WriteString(w, "half")
			panic("the second")
		})
		app.GET(path, segue.Try(func(w http.ResponseWriter, r *http.Request) error {
			if what == "both" {
				io.WriteString(w, "first")
			}
			return segue.Errorf(400, "in the middle")
		}))
		assert.PanicsWithValue(t, http.ErrAbortHandler, func() { testkit.Serve(app, "GET", path) }, what)
		assert.Contains(t, logged.String(), text, what)
		assert.Equal(t, text == "", logged.Len() == 0, what)
	}
}

// Without a router the error list is empty, and its end answers.
func TestRecoverWithoutRouter(t *testing.T) {
	quiet(t)
	w := testkit.Serve(segue.Recover(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("text") })), "GET", "/")
	assert.Equal(t, 500, w.Code)
	assert.Equal(t, "Internal Server Error\n", w.Body.String())
	assert.Nil(t, segue.Recover(nil))
}

// Goexit ends the goroutine without an error.
func TestRecoverLeavesGoexit(t *testing.T) {
	w := httptest.NewRecorder()
	done := make(chan bool)
	go func() {
		defer close(done)
		segue.Recover(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { runtime.Goexit() })).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		t.Error("Goexit did not end the goroutine")
	}()
	<-done
	assert.Empty(t, w.Body.String())
}

// An inner Recover answers; where it aborts, the outer one lets it.
func TestRecoverTwice(t *testing.T) {
	for _, between := range [][]segue.Middleware{
		{segue.Recover, segue.Recover},
		{segue.Recover, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(unwraps{w}, r) })
		}, segue.Recover},
	} {
		app := startApp(t, "HTTP/1.1", between, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery == "late" {
				w.Write([]byte("half"))
				http.NewResponseController(w).Flush()
			}
			panic("text")
		})
		assert.Equal(t, "Internal Server Error\n", readAll(t, app.get(t)))
		assert.ErrorContains(t, app.error(t), "text")
		app.URL += "?late"
		expectCut(t, app.get(t), "half")
		assert.ErrorContains(t, app.error(t), "text")
	}
}

type unwraps struct{ http.ResponseWriter }

func (u unwraps) Unwrap() http.ResponseWriter { return u.ResponseWriter }

func timeout(next http.Handler) http.Handler {
	return http.TimeoutHandler(next, 20*time.Millisecond, "too late")
}

// http.TimeoutHandler throws the handler's panic again on the server's
// goroutine, where an outer Recover finds it.
func TestRecoverAroundTimeoutHandler(t *testing.T) {
	app := startApp(t, "HTTP/1.1", []segue.Middleware{segue.Recover, timeout}, func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("half, in TimeoutHandler's buffer"))
		panic("text")
	})
	resp := app.get(t)
	assert.Equal(t, 500, resp.StatusCode)
	assert.Equal(t, "Internal Server Error\n", readAll(t, resp))
	assert.ErrorContains(t, app.error(t), "panic: text")
}

// A handler that panics after its time has passed reaches the list, and not the
// client, who has an answer, nor the next request on the connection.
func TestRecoverInsideTimeoutHandler(t *testing.T) {
	answered := make(chan bool, 1)
	app := startApp(t, "HTTP/1.1", []segue.Middleware{timeout, segue.Recover}, func(w http.ResponseWriter, r *http.Request) {
		<-answered
		io.WriteString(w, "nobody reads this")
		panic("late")
	})
	for range 3 {
		resp := app.get(t)
		assert.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
		assert.Equal(t, "too late", readAll(t, resp))
		answered <- true
		assert.ErrorContains(t, app.error(t), "late")
	}
}

// Recover costs one allocation a request, and a second one beside it none.
func TestRecoverAllocatesOnce(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector adds allocations")
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for recovers, h := range []http.Handler{handler, segue.Recover(handler), segue.Recover(segue.Recover(handler))} {
		w, r := &deaf{}, httptest.NewRequest("GET", "/", nil)
		got := testkit.AllocsPerRun(100, func() { h.ServeHTTP(w, r) })
		assert.Equal(t, float64(min(recovers, 1)), got, "%d Recovers", recovers)
	}
}

// A deaf writer has what net/http's writer of HTTP/1 has, and does nothing.
type deaf struct{ header http.Header }

func (w *deaf) Header() http.Header {
	if w.header == nil {
		w.header = http.Header{}
	}
	return w.header
}
func (*deaf) Write(p []byte) (int, error)                  { return len(p), nil }
func (*deaf) WriteHeader(int)                              {}
func (*deaf) Flush()                                       {}
func (*deaf) FlushError() error                            { return nil }
func (*deaf) WriteString(s string) (int, error)            { return len(s), nil }
func (*deaf) ReadFrom(src io.Reader) (int64, error)        { return io.Copy(io.Discard, src) }
func (*deaf) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, http.ErrHijacked }
func (*deaf) SetReadDeadline(time.Time) error              { return nil }

// foreignCoded is somebody else's error with a status.
type foreignCoded struct {
	code int
	text string
}

func (e *foreignCoded) Error() string { return e.text }

func (e *foreignCoded) StatusCode() int { return e.code }

// disguised gives another error by As, as errors.As allows.
type disguised struct{ as error }

func (disguised) Error() string { return "disguised" }

func (d disguised) As(target any) bool { return errors.As(d.as, target) }

// formatted is an error that formats itself and shows with which verb it was.
type formatted struct{}

func (formatted) Error() string { return "secret" }

func (formatted) Format(f fmt.State, verb rune) { fmt.Fprintf(f, "secret %c %t", verb, f.Flag('+')) }

// unvetted is Errorf for formats that go vet refuses.
var unvetted = segue.Errorf

var (
	errSecret = errors.New("secret")
	errInner  = segue.Errorf(404, "no user 7")
)

// messages are errors of Errorf, each with what the client and the log see.
var messages = []struct {
	name    string
	err     error
	status  int
	message string
	text    string
}{
	{"plain", segue.Errorf(404, "no user %d", 7), 404, "no user 7", "no user 7"},
	{"no verb", segue.Errorf(409, "taken"), 409, "taken", "taken"},
	{"percent", segue.Errorf(400, "100%% wrong"), 400, "100% wrong", "100% wrong"},
	{"wrapped last", segue.Errorf(404, "no user %d: %w", 7, sql.ErrNoRows), 404, "no user 7", "no user 7: sql: no rows in result set"},
	{"wrapped first", segue.Errorf(400, "%w - bad date", errSecret), 400, "bad date", "secret - bad date"},
	{"wrapped alone", segue.Errorf(404, "%w", errSecret), 404, "Not Found", "secret"},
	{"in the middle", segue.Errorf(400, "a %w b", errSecret), 400, "a  b", "a secret b"},
	{"two", segue.Errorf(400, "bad: %w, %w", errSecret, io.EOF), 400, "bad", "bad: secret, EOF"},
	{"flags and width", segue.Errorf(400, "bad: %+10w|", errSecret), 400, "bad: |", "bad:     secret|"},
	{"index", segue.Errorf(400, "%[2]s: %[1]w", errSecret, "bad"), 400, "bad", "bad: secret"},
	{"star", segue.Errorf(400, "%*d: %w", 4, 7, errSecret), 400, "7", "   7: secret"},
	{"formatter", segue.Errorf(400, "bad: %w", formatted{}), 400, "bad", "bad: secret v false"},
	{"formatter in full", segue.Errorf(400, "bad: %+w", formatted{}), 400, "bad", "bad: secret v true"},
	{"nil wrapped", segue.Errorf(400, "bad: %w", nil), 400, "bad", "bad: %!w(<nil>)"},
	{"%v is on purpose", segue.Errorf(400, "bad: %v", errSecret), 400, "bad: secret", "bad: secret"},
	{"%v beside %w", segue.Errorf(400, "%q: %w", io.EOF, errSecret), 400, `"EOF"`, `"EOF": secret`},
	{"nil beside %w", segue.Errorf(400, "%v: %w", nil, errSecret), 400, "<nil>", "<nil>: secret"},
	{"ours wrapped", segue.Errorf(409, "not saved: %w", errInner), 409, "not saved: no user 7", "not saved: no user 7"},
	{"ours deep", segue.Errorf(409, "not saved: %w", fmt.Errorf("secret: %w", errInner)), 409, "not saved: no user 7", "not saved: secret: no user 7"},
	{"foreign with a status wrapped", segue.Errorf(409, "not saved: %w", &foreignCoded{404, "secret"}), 409, "not saved", "not saved: secret"},
	{"not an error", unvetted(400, "bad: %w", 7), 400, "Bad Request", "bad: %!w(int=7)"},
	{"percent at the end", unvetted(400, "bad %w %", errSecret), 400, "Bad Request", "bad secret %!(NOVERB)"},
	{"wrong verb", unvetted(404, "no user %d", "ann"), 404, "Not Found", "no user %!d(string=ann)"},
	{"wrong verb beside %w", unvetted(404, "no user %d: %w", "ann", errSecret), 404, "Not Found", "no user %!d(string=ann): secret"},
	{"wrong verb of two bytes", unvetted(404, "no user %é", "ann"), 404, "Not Found", "no user %!é(string=ann)"},
	{"wrong verb after a percent", unvetted(404, "100%%! %!d", 7), 404, "Not Found", "100%! %!!(int=7)d"},
	{"wrong verb of an error", unvetted(404, "no user %d", errSecret), 404, "Not Found", "no user &{%!d(string=secret)}"},
	{"an error too many", unvetted(404, "no user", errSecret), 404, "Not Found", "no user%!(EXTRA *errors.errorString=secret)"},
	{"an error too few", unvetted(404, "no user %d: %w", 7), 404, "Not Found", "no user 7: %!w(MISSING)"},
	{"wrong index", unvetted(404, "no user %[3]d", 7), 404, "Not Found", "no user %!d(BADINDEX)"},
	{"wrong width", unvetted(404, "no user %*d", "ann", 7), 404, "Not Found", "no user %!(BADWIDTH)7"},
	{"wrong precision", unvetted(404, "no user %.*d", "ann", 7), 404, "Not Found", "no user %!(BADPREC)7"},
	{"a panic in an operand", segue.Errorf(404, "no user %v", panickingError{}), 404, "Not Found", "no user %!v(PANIC=Error method: mine)"},
	{"wrong out of range", unvetted(200, "no user %d", "ann"), 500, "Internal Server Error", "no user %!d(string=ann)"},
	{"no complaint", segue.Errorf(400, "50%%! (%s)", "100%!"), 400, "50%! (100%!)", "50%! (100%!)"},
	{"empty", segue.Errorf(403, ""), 403, "Forbidden", ""},
	{"without a standard text", segue.Errorf(499, ""), 499, "Bad Request", ""},
	{"399", segue.Errorf(399, "x"), 500, "Internal Server Error", "x"},
	{"400", segue.Errorf(400, "x"), 400, "x", "x"},
	{"599", segue.Errorf(599, "x"), 599, "x", "x"},
	{"600", segue.Errorf(600, "x: %w", errSecret), 500, "Internal Server Error", "x: secret"},
	{"0", segue.Errorf(0, "x"), 500, "Internal Server Error", "x"},
	{"negative", segue.Errorf(-404, "x"), 500, "Internal Server Error", "x"},
}

func TestErrorfMessage(t *testing.T) {
	for _, tt := range messages {
		t.Run(tt.name, func(t *testing.T) {
			status, message := segue.StatusOf(tt.err)
			assert.Equal(t, tt.status, status)
			assert.Equal(t, tt.message, message)
			assert.Equal(t, tt.text, tt.err.Error())
			assert.Equal(t, tt.status, tt.err.(interface{ StatusCode() int }).StatusCode())
		})
	}
}

func TestErrorfUnwrap(t *testing.T) {
	one := segue.Errorf(404, "a: %w", sql.ErrNoRows)
	assert.Equal(t, sql.ErrNoRows, errors.Unwrap(one), "one %%w unwraps to the error itself, as with fmt.Errorf")
	assert.ErrorIs(t, one, sql.ErrNoRows)

	path := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	two := segue.Errorf(404, "a: %w, %w", io.EOF, path)
	assert.NoError(t, errors.Unwrap(two))
	assert.ErrorIs(t, two, io.EOF)
	assert.ErrorIs(t, two, fs.ErrNotExist)
	var found *fs.PathError
	assert.ErrorAs(t, two, &found)

	assert.NoError(t, errors.Unwrap(segue.Errorf(404, "a: %v", io.EOF)))
}

func TestStatusOf(t *testing.T) {
	const text500 = "Internal Server Error"
	own := segue.Errorf(404, "no user")
	var (
		nilOwn   = reflect.Zero(reflect.TypeOf(own)).Interface().(error)
		nilParam *segue.ParamError
		nilCoded *foreignCoded
		nilWrap  *fs.PathError
	)
	for _, tt := range []struct {
		name    string
		err     error
		status  int
		message string
	}{
		{"nil", nil, 200, "OK"},
		{"foreign", errors.New("secret"), 500, text500},
		{"ours", own, 404, "no user"},
		{"ours, wrapped", fmt.Errorf("secret: %w", fmt.Errorf("secret: %w", own)), 404, "no user"},
		{"ours, joined", errors.Join(io.EOF, own), 404, "no user"},
		{"the nearest of ours", segue.Errorf(409, "taken: %w", own), 409, "taken: no user"},
		{"the first in a tree", errors.Join(fmt.Errorf("secret: %w", own), segue.Errorf(409, "taken")), 404, "no user"},
		{"behind several %w", fmt.Errorf("%w, %w", io.EOF, own), 404, "no user"},
		{"by As", disguised{own}, 404, "no user"},
		{"another of ours", fmt.Errorf("secret: %w", &segue.ParamError{Name: "id", Value: "x", Reason: "is no number"}), 400, `path parameter id: "x" is no number`},
		{"ours out of range", segue.Errorf(200, "fine"), 500, text500},
		{"ours without a text", segue.Errorf(400, ""), 400, "Bad Request"},
		{"foreign with a status", &foreignCoded{404, "secret"}, 404, "Not Found"},
		{"the same, wrapped", fmt.Errorf("secret: %w", &foreignCoded{404, "secret"}), 404, "Not Found"},
		{"ours goes before foreign", fmt.Errorf("%w, %w", &foreignCoded{409, "secret"}, own), 404, "no user"},
		{"foreign 200", &foreignCoded{200, "secret"}, 500, text500},
		{"foreign 399", &foreignCoded{399, "secret"}, 500, text500},
		{"foreign 600", &foreignCoded{600, "secret"}, 500, text500},
		{"foreign 499", &foreignCoded{499, "secret"}, 499, "Bad Request"},
		{"foreign 599", &foreignCoded{599, "secret"}, 599, text500},
		{"nil of Errorf's type", nilOwn, 500, text500},
		{"nil of our type", nilParam, 500, text500},
		{"nil with a status", nilCoded, 500, text500},
		{"nil that wraps", nilWrap, 500, text500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, message := segue.StatusOf(tt.err)
			assert.Equal(t, tt.status, status)
			assert.Equal(t, tt.message, message)
		})
	}
}

// A panic that is no nil pointer's is the author's to see.
func TestStatusOfPanic(t *testing.T) {
	assert.PanicsWithValue(t, "mine", func() { segue.StatusOf(panickingError{}) })
}

type panickingError struct{}

func (panickingError) Error() string { panic("mine") }

func (panickingError) StatusCode() int { panic("mine") }

func TestStatusOfConcurrent(t *testing.T) {
	err := fmt.Errorf("a: %w", segue.Errorf(404, "no user: %w", io.EOF))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			status, message := segue.StatusOf(err)
			assert.Equal(t, 404, status)
			assert.Equal(t, "no user", message)
		})
	}
	wg.Wait()
}

var flagsOfVerb = regexp.MustCompile(`^[-+# 0]*[0-9]{0,2}(\.[0-9]{0,2})?$`)

// FuzzErrorf holds that what %w wraps is never shown to the client, whatever
// stands around it, and that the text for the log is fmt.Errorf's.
func FuzzErrorf(f *testing.F) {
	f.Add("no user: ", "", "")      // the usual
	f.Add("", "", "")               // alone
	f.Add("100%: ", "+", " (%w)")   // percent signs around it
	f.Add("a", "-+# 012.3", "\xff") // all that may stand before the verb; not UTF-8
	f.Add("ŵ", "9", "ŵ")            // the verb that stands in for w
	secret := errors.New("hush-hush")
	clean := strings.NewReplacer("%", "%%", "hush", "")
	f.Fuzz(func(t *testing.T, before, flags, after string) {
		if !flagsOfVerb.MatchString(flags) {
			t.Skip("no flags")
		}
		format := clean.Replace(before) + "%" + flags + "w" + clean.Replace(after)
		err, want := segue.Errorf(400, format, secret), fmt.Errorf(format, secret)
		assert.Equal(t, want.Error(), err.Error())
		assert.ErrorIs(t, err, secret)
		status, message := segue.StatusOf(err)
		assert.Equal(t, 400, status)
		assert.NotContains(t, message, "hush")
		assert.NotEmpty(t, message)
	})
}

// Allocations of making and reading an error, beside those of fmt.Errorf.
func TestStatusAllocs(t *testing.T) {
	testkit.SkipUnderRace(t)
	var err error
	user := "ann"
	for _, tt := range []struct {
		name string
		want float64
		f    func()
	}{
		{"fmt.Errorf, no operand", 1, func() { err = fmt.Errorf("taken") }},
		{"Errorf, no operand", 2, func() { err = segue.Errorf(409, "taken") }},
		{"fmt.Errorf", 2, func() { err = fmt.Errorf("no %s", user) }},
		{"Errorf", 3, func() { err = segue.Errorf(404, "no %s", user) }},
		{"fmt.Errorf with %w", 2, func() { err = fmt.Errorf("no %s: %w", user, io.EOF) }},
		{"Errorf with %w", 8, func() { err = segue.Errorf(404, "no %s: %w", user, io.EOF) }},
		{"StatusOf ours", 0, func() { segue.StatusOf(err) }},
		{"StatusOf foreign", 0, func() { segue.StatusOf(io.EOF) }},
	} {
		assert.Equal(t, tt.want, testkit.AllocsPerRun(100, tt.f), tt.name)
	}
}

// Without Recover the very value of a panic reaches the server, and the router
// goes on.
func TestPanicPassesThrough(t *testing.T) {
	thrown := errors.New("thrown")
	panics := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(thrown) })
	app, inner, missing := segue.New(), segue.New(), segue.New()
	app.Use(func(next http.Handler) http.Handler { return next })
	app.OnError(func(w http.ResponseWriter, _ *http.Request, _ error) error { return segue.Text(w, 500, "caught") })
	app.GET("/plain/{id}", panics)
	app.GET("/try", segue.Try(func(w http.ResponseWriter, r *http.Request) error { panic(thrown) }))
	app.With(func(http.Handler) http.Handler { return panics }).GET("/middleware", panics)
	inner.Handle("/", panics)
	app.Mount("/inner/{x}", inner)
	app.Mount("/foreign", panics)
	missing.NotFound(panics)
	missing.MethodNotAllowed(panics)
	missing.Handle("POST /posted", panics)
	app.Mount("/missing", missing)
	app.GET("/well", shows)
	for _, request := range []string{
		"GET /plain/7", "HEAD /plain/7", "GET /try", "GET /middleware", "GET /inner/1/2", "GET /foreign/x", "GET /missing/x", "GET /missing/posted",
	} {
		assert.PanicsWithValue(t, thrown, func() { ask(t, app, request) }, request)
		assert.Equal(t, 200, ask(t, app, "GET /well").Code)
	}
}

// What is logged is one bounded line, whatever a client has put into an error.
func TestLogIsQuoted(t *testing.T) {
	app := segue.New()
	app.GET("/{name}", segue.Try(func(_ http.ResponseWriter, r *http.Request) error {
		return &fs.PathError{Op: "open", Path: r.PathValue("name") + strings.Repeat("a", 10_000), Err: fs.ErrInvalid}
	}))
	var text testkit.Buffer
	srv := httptest.NewUnstartedServer(app)
	srv.Config.ErrorLog = log.New(&text, "", 0)
	srv.Start()
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/%0a2026%20FORGED%1b%5b2J")
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, 1, strings.Count(text.String(), "\n"), "lines")
	assert.Contains(t, text.String(), `open \n2026 FORGED\x1b[2J`)
	assert.Less(t, len(text.String()), 5000)
}

// So is the value of a panic; the stack after it is as it came.
func TestPanicLogIsQuoted(t *testing.T) {
	text := quiet(t)
	path, app := ownPath(), segue.New()
	app.Use(segue.Recover)
	app.HandleFunc(path+"{name}", func(_ http.ResponseWriter, r *http.Request) {
		panic(r.PathValue("name") + strings.Repeat("a", 10_000))
	})
	method := strings.Repeat("M", 10_000)
	assert.Equal(t, 500, testkit.Serve(app, method, path+"%0a2026%20FORGED%1b%5b2J%ff"+strings.Repeat("b", 10_000)).Code)
	line, stack, _ := strings.Cut(text.String(), "\n")
	assert.Contains(t, line, `panic: \n2026 FORGED\x1b[2J\xff`)
	assert.Less(t, len(line), 5000)
	assert.Regexp(t, `^\ngoroutine \d+ \[running\]:\nruntime/debug.Stack\(\)\n\t`, stack)
	assert.NotContains(t, stack, "FORGED")
}

// An error that panics when it is asked for its text is logged all the same.
func TestLogOfAnErrorThatPanics(t *testing.T) {
	text := quiet(t)
	for err, want := range map[error]string{(*fs.PathError)(nil): "<nil>", panickingText{}: "%!v(PANIC=Error method: no text)"} {
		w := httptest.NewRecorder()
		segue.Fail(w, httptest.NewRequest("GET", "/", nil), err)
		assert.Equal(t, 500, w.Code)
		assert.Contains(t, text.String(), "segue: GET /: "+want+"\n")
	}
}

type panickingText struct{}

func (panickingText) Error() string { panic("no text") }

// The client's own cancellation is 499: for the list, and without a body and a line
// in the log for its end. It is one where both the error and the request's context
// say so.
func TestClientThatLeft(t *testing.T) {
	left, leave := context.WithCancel(t.Context())
	leave()
	expired, end := context.WithDeadline(t.Context(), time.Now())
	defer end()
	query, busy := fmt.Errorf("query: %w", context.Canceled), func(err error) error { return segue.Errorf(503, "busy: %w", err) }
	for _, c := range []struct {
		what   string
		ctx    context.Context
		err    error
		list   func(error) error
		want   string
		logged string
	}{
		{"left", left, query, nil, "499 ", ""},
		{"left, by itself", left, context.Canceled, nil, "499 ", ""},
		{"left, with a status", left, busy(query), nil, "499 ", ""},
		{"left, wrapped by the list", left, query, func(err error) error { return fmt.Errorf("in the list: %w", err) }, "499 ", ""},
		{"left, answered by the list", left, query, func(err error) error { return nil }, "200 ", ""},
		{"left, changed by the list", left, query, busy, "503 busy: Bad Request", "busy: query: context canceled"},
		{"left, and the list panics", left, query, func(error) error { panic("mine") }, "500 Internal Server Error", "panic in an error handler: mine"},
		{"there", t.Context(), query, nil, "500 Internal Server Error", "query: context canceled"},
		{"expired", expired, query, nil, "500 Internal Server Error", "query: context canceled"},
		{"expired, and the error too", expired, context.DeadlineExceeded, nil, "500 Internal Server Error", "context deadline exceeded"},
		{"another error", left, errGone, nil, "500 Internal Server Error", "gone"},
		{"nil pointer", left, (*fs.PathError)(nil), nil, "500 Internal Server Error", "<nil>"},
		{"own 499", t.Context(), segue.Errorf(499, "mine"), nil, "499 mine", ""},
	} {
		text := quiet(t)
		path, app := ownPath(), segue.New()
		var seen error
		app.OnError(func(_ http.ResponseWriter, _ *http.Request, err error) error {
			seen = err
			if c.list != nil {
				return c.list(err)
			}
			return err
		})
		app.GET(path, segue.Try(func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set("Content-Length", "5")
			return c.err
		}))
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil).WithContext(c.ctx))
		assert.Equal(t, c.want, fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String())), c.what)
		if c.logged == "" {
			assert.Empty(t, text.String(), c.what)
		} else {
			assert.Contains(t, text.String(), ": "+c.logged+"\n", c.what)
			assert.Equal(t, 1, strings.Count(text.String(), "segue: "), c.what)
		}
		if strings.HasPrefix(c.what, "left") {
			status, message := segue.StatusOf(seen)
			assert.Equal(t, "499 Bad Request", fmt.Sprint(status, " ", message), c.what)
			assert.ErrorIs(t, seen, c.err)
			assert.EqualError(t, seen, c.err.Error())
		}
		if c.want == "499 " {
			assert.Empty(t, w.Header(), c.what)
		}
	}
}

// A panic is a fault of the server, also one with the client's cancellation.
func TestPanicAfterTheClientLeft(t *testing.T) {
	text := quiet(t)
	left, leave := context.WithCancel(t.Context())
	leave()
	w := httptest.NewRecorder()
	segue.Recover(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(context.Canceled) })).
		ServeHTTP(w, httptest.NewRequest("GET", "/", nil).WithContext(left))
	assert.Equal(t, 500, w.Code)
	assert.Contains(t, text.String(), "panic: context canceled\n")
}

// A body over a limit is the client's fault, whoever set the limit.
func TestStatusOfMaxBytes(t *testing.T) {
	status, message := segue.StatusOf(fmt.Errorf("reading: %w", &http.MaxBytesError{Limit: 7}))
	assert.Equal(t, 413, status)
	assert.Equal(t, "Request Entity Too Large", message)

	const form = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1234567890\r\n--x--\r\n"
	for what, read := range map[string]func(w http.ResponseWriter, r *http.Request) error{
		"ReadAll":            func(_ http.ResponseWriter, r *http.Request) error { _, err := io.ReadAll(r.Body); return err },
		"Copy":               func(_ http.ResponseWriter, r *http.Request) error { _, err := io.Copy(io.Discard, r.Body); return err },
		"JSON":               func(_ http.ResponseWriter, r *http.Request) error { return json.NewDecoder(r.Body).Decode(new(any)) },
		"ParseForm":          func(_ http.ResponseWriter, r *http.Request) error { return r.ParseForm() },
		"ParseMultipartForm": func(_ http.ResponseWriter, r *http.Request) error { return r.ParseMultipartForm(1 << 20) },
		"Decode":             func(w http.ResponseWriter, r *http.Request) error { _, err := segue.Decode[any](w, r); return err },
		"Decode, told": func(w http.ResponseWriter, r *http.Request) error {
			_, err := segue.Decode[any](w, r, segue.MaxBytes(8))
			return err
		},
	} {
		text := quiet(t)
		body, contentType, limit := `["a","b","c"]`, "application/json", int64(7)
		switch what {
		case "ParseForm":
			contentType = "application/x-www-form-urlencoded"
		case "ParseMultipartForm":
			body, contentType, limit = form, "multipart/form-data; boundary=x", int64(strings.Index(form, "890"))
		}
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		http.MaxBytesHandler(segue.Try(read), limit).ServeHTTP(w, r)
		assert.Equal(t, 413, w.Code, what)
		assert.NotContains(t, w.Body.String(), "1048576", "%s: the limit is another", what)
		assert.Empty(t, text.String(), what)
	}
}

// What a handler of the list writes after the answer has begun reaches nobody.
func TestErrorListAfterTheAnswerHasBegun(t *testing.T) {
	app := segue.New()
	app.Use(segue.Recover)
	app.OnError(func(w http.ResponseWriter, _ *http.Request, _ error) error {
		w.Header().Set("X-Late", "1")
		fmt.Fprint(w, "late")
		return nil
	})
	app.GET("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "early")
		segue.Fail(w, r, errors.New("too late"))
	})
	w := httptest.NewRecorder()
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() { app.ServeHTTP(w, httptest.NewRequest("GET", "/", nil)) })
	assert.Equal(t, "early", w.Body.String())
	assert.Empty(t, w.Header().Get("X-Late"))
}
