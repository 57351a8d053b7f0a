package segue_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// What a Router is told: routes of both languages side by side, and the settings,
// each at the root and in one mount.

// The three policies on one route, at the root, and in one mount only.
func TestTrailingSlash(t *testing.T) {
	build := func(set func(app, sub *segue.Router)) *segue.Router {
		app, sub := segue.New(), segue.New()
		for _, rt := range []*segue.Router{app, sub} {
			rt.GET("/x", shows)
			rt.POST("/y/", shows)
			rt.HandleFunc("/tree/", shows)
		}
		app.Mount("/sub", sub)
		set(app, sub)
		return app
	}
	type want = map[string]string
	redirect := want{
		"GET /x": "200 GET /x", "GET /x/": "307", "POST /y": "307", "POST /y/": "200 POST /y/{$}", "PUT /x/": "405", "GET /tree": "307",
	}
	exact := want{
		"GET /x": "200 GET /x", "GET /x/": "404", "POST /y": "404", "POST /y/": "200 POST /y/{$}", "PUT /x/": "404", "GET /tree": "307",
	}
	either := want{
		"GET /x": "200 GET /x", "GET /x/": "200 GET /x", "POST /y": "200 POST /y/{$}", "PUT /x/": "405", "GET /tree": "307",
	}
	under := func(prefix string, m want) want {
		out := want{}
		for request, w := range m {
			out[strings.Replace(request, " /", " "+prefix+"/", 1)] = strings.Replace(strings.Replace(w, "GET /", "GET "+prefix+"/", 1), "POST /", "POST "+prefix+"/", 1)
		}
		return out
	}
	for name, c := range map[string]struct {
		set        func(app, sub *segue.Router)
		atApp, sub want
	}{
		"nowhere": {func(app, sub *segue.Router) {}, redirect, redirect},
		"exact":   {func(app, sub *segue.Router) { app.TrailingSlash(segue.SlashExact) }, exact, exact},
		"either":  {func(app, sub *segue.Router) { app.TrailingSlash(segue.SlashEither) }, either, either},
		"in sub":  {func(app, sub *segue.Router) { sub.TrailingSlash(segue.SlashEither) }, redirect, either},
		"but in sub": {func(app, sub *segue.Router) {
			app.TrailingSlash(segue.SlashExact)
			sub.TrailingSlash(segue.SlashRedirect)
		}, exact, redirect},
		"sub is first": {func(app, sub *segue.Router) {
			sub.TrailingSlash(segue.SlashExact)
			app.TrailingSlash(segue.SlashEither)
		}, either, exact},
	} {
		t.Run(name, func(t *testing.T) {
			app := build(c.set)
			answers(t, app, c.atApp)
			answers(t, app, under("/sub", c.sub))
		})
	}
}

func TestSlashEitherGivesTheParameters(t *testing.T) {
	for _, values := range []bool{true, false} {
		app := segue.New()
		app.PathValues(values)
		app.TrailingSlash(segue.SlashEither)
		app.GET("/a/{x}", shows)
		app.GET("/b/{x}/", shows)
		answers(t, app, map[string]string{
			"GET /a/1/": "200 GET /a/{x} x=1", "GET /b/1": "200 GET /b/{x}/{$} x=1", "GET /a/%2F/": "200 GET /a/{x} x=/",
		})
	}
}

func TestCleanPathInOneMountOnly(t *testing.T) {
	app, raw := segue.New(), segue.New()
	raw.CleanPath(false)
	raw.GET("/{rest...}", shows)
	raw.GET("/one/{name}", shows)
	app.Mount("/raw", raw)
	app.GET("/{rest...}", shows)
	answers(t, app, map[string]string{
		"GET /raw/http://a/../b": "200 GET /raw/{rest...} rest=http://a/../b",
		"GET /raw/one/..":        "200 GET /raw/one/{name} name=..",
		"GET /raw/one//":         "200 GET /raw/{rest...} rest=one//",
		"GET /other//x":          "307",
		"GET //raw/x":            "307",
	})
	assert.Equal(t, "/raw/x", ask(t, app, "GET //raw/x").Header().Get("Location"))
	raw.CleanPath(true)
	assert.Equal(t, "/raw/http:/b?q=%20", ask(t, app, "GET /raw/http://a/../b?q=%20").Header().Get("Location"))
}

func TestPathValuesInOneMountOnly(t *testing.T) {
	both := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s|%s", r.PathValue("id"), segue.Param(r, "id"))
	}
	app, sub := segue.New(), segue.New()
	app.GET("/on/{id}", both)
	sub.GET("/{id}", both)
	app.Mount("/off", sub)
	sub.PathValues(false)
	answers(t, app, map[string]string{"GET /on/1": "200 1|1", "GET /off/1": "200 |1", "GET /off/a%2Fb": "200 |a/b"})
	app.PathValues(false)
	sub.PathValues(true)
	answers(t, app, map[string]string{"GET /on/1": "200 |1", "GET /off/1": "200 1|1"})
}

// "GET /" is the text of two patterns, Handle's subtree and the verb's front
// page. One app may have both.
func TestTwoPatternsOfOneText(t *testing.T) {
	app := segue.New()
	app.Use(via("app"))
	app.GET("/", says("front"))
	app.HandleFunc("GET /", says("tree"))
	answers(t, app, map[string]string{"GET /": "200 front", "GET /x": "200 tree"})
}

// A nil *Router behind the interface is as nil as any other handler.
func TestHandleRefusesNilRouter(t *testing.T) {
	app := segue.New()
	var none *segue.Router
	err := registering(t, func() { app.Handle("/m/", none) })
	assert.Contains(t, err.Error(), "handler is nil")
}

// A method or a policy that there is none of is refused, and nothing changes.
func TestNoSuchMethodOrPolicy(t *testing.T) {
	app := segue.New()
	var wrong *segue.PatternError
	require.ErrorAs(t, testkit.PanicOf(func() { app.Method("", "/x", http.NotFoundHandler()) }), &wrong)
	assert.Contains(t, wrong.Reason, "the method is empty")
	assert.ErrorContains(t, testkit.PanicOf(func() { app.TrailingSlash(segue.SlashEither + 1) }), "there is no SlashPolicy(3)")
	assert.ErrorContains(t, testkit.PanicOf(func() { app.TrailingSlash(segue.SlashRedirect - 1) }), "there is no SlashPolicy(-1)")
	assert.NoError(t, testkit.PanicOf(func() { app.TrailingSlash(segue.SlashEither) }))
	assert.Empty(t, patterns(app))
}

// Of many routers that live side by side each finds its own requests.
func TestManyRouters(t *testing.T) {
	var apps []*segue.Router
	for i := range 200 {
		app := segue.New()
		app.OnError(func(w http.ResponseWriter, _ *http.Request, _ error) error {
			w.WriteHeader(200 + i)
			return nil
		})
		app.GET("/{id}", func(w http.ResponseWriter, r *http.Request) { segue.Fail(w, r, errors.New(segue.Param(r, "id"))) })
		apps = append(apps, app)
		ask(t, app, "GET /7")
	}
	for i, app := range apps {
		assert.Equal(t, 200+i, ask(t, app, "GET /7").Code)
	}
}

// Handler returns the very handler where nothing stands around it, and else one
// that gives a request what the router would.
func TestHandlerServesAlone(t *testing.T) {
	app, plain := segue.New(), segue.New()
	own := http.NewServeMux() // a pointer, to be told from others
	app.Handle("/own/{id}", own)
	app.Mount("/mux/{tenant}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.URL.Path, " ", r.PathValue("tenant"))
	}))
	app.Mount("/sub", plain)
	plain.Use(via("sub"))
	plain.GET("/{id}", shows)
	for target, want := range map[string]string{"/mux/acme/x": "/x acme", "/sub/7": "GET /sub/{id} id=7"} {
		r, w := httptest.NewRequest("GET", target, nil), httptest.NewRecorder()
		h, _ := app.Handler(r)
		h.ServeHTTP(w, r)
		assert.Equal(t, want, w.Body.String())
	}
	h, pattern := app.Handler(httptest.NewRequest("GET", "/own/7", nil))
	assert.Same(t, own, h)
	assert.Equal(t, "/own/{id}", pattern)
}

// An encoded path that says nothing new, or does not belong to the path, is not
// asked.
func TestRawPathThatDoesNotBelong(t *testing.T) {
	app := segue.New()
	app.GET("/a/{x}", shows)
	app.GET("/{x}", shows)
	for raw, want := range map[string]string{"": "GET /a/{x} x=b", "/z": "GET /a/{x} x=b", "/a%2Fb": "GET /{x} x=a/b", "/%61/b": "GET /a/{x} x=b"} {
		r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
		r.URL.Path, r.URL.RawPath = "/a/b", raw
		app.ServeHTTP(w, r)
		assert.Equal(t, want, w.Body.String(), raw)
	}
}

// A path that is empty, as CONNECT's is, or begins without a slash, is no route's.
func TestPathWithoutSlash(t *testing.T) {
	app := segue.New()
	app.Any("/{x}", shows)
	r, w := httptest.NewRequest("CONNECT", "/", nil), httptest.NewRecorder()
	r.URL.Path, r.RequestURI = "", "example.org:443"
	assert.NotPanics(t, func() { app.ServeHTTP(w, r) })
	assert.Equal(t, http.StatusNotFound, w.Code)
	r, w = httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
	r.URL.Path = "xa"
	app.ServeHTTP(w, r)
	assert.NotEqual(t, http.StatusOK, w.Code)
}

// An exact route on the host beats a rest on every host, in the other spelling of the
// final slash too: what a rest takes is decided after both have been asked.
func TestExactOnTheHostBesideARestOnEvery(t *testing.T) {
	for _, restFirst := range []bool{true, false} {
		app := segue.New()
		exact := func() { app.Group("a.example.org").GET("/p/q", shows) }
		if !restFirst {
			exact()
		}
		app.HandleFunc("GET /p/{r...}", shows)
		if restFirst {
			exact()
		}
		answers(t, app, map[string]string{
			"GET http://a.example.org/p/q":   "200 GET a.example.org/p/q",
			"GET http://a.example.org/p/q/":  "307",
			"GET http://a.example.org/p/q/x": "200 GET /p/{r...} r=q/x",
			"GET http://b.example.org/p/q/":  "200 GET /p/{r...} r=q/",
		})
	}
}
