package segue_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
)

func requireAdmin(next http.Handler) http.Handler { return pass(next) }
func logging(next http.Handler) http.Handler      { return pass(next) }
func caching(next http.Handler) http.Handler      { return pass(next) }

// listing writes a router's routes as "method host path: middleware", one each.
func listing(app *segue.Router) []string {
	var all []string
	for r := range app.Routes() {
		all = append(all, fmt.Sprintf("%s %s %s: %s", r.Method, r.Host, r.Path, strings.Join(r.Middleware, " ")))
	}
	return all
}

func TestRoutesListsEverything(t *testing.T) {
	app, users := segue.New(), segue.New()
	app.Mount("/users", users)
	app.Mount("/orgs/{org}/users", users)
	users.GET("/", shows)
	users.With(caching).Any("/:id", shows)
	app.Use(logging)
	admin := app.Group("/admin", requireAdmin)
	admin.POST("/stop", shows)
	admin.Mount("/debug", http.DefaultServeMux)
	app.HandleFunc("PURGE Example.org/cache/{rest...}", shows)
	app.GET("/users/x/", shows)
	want := []string{
		"  /admin/debug/: segue_test.logging segue_test.requireAdmin",
		"POST  /admin/stop: segue_test.logging segue_test.requireAdmin",
		"GET  /orgs/{org}/users: segue_test.logging",
		"  /orgs/{org}/users/{id}: segue_test.logging segue_test.caching",
		"GET  /users: segue_test.logging",
		"GET  /users/x/{$}: segue_test.logging",
		"  /users/{id}: segue_test.logging segue_test.caching",
		"PURGE Example.org /cache/{rest...}: segue_test.logging",
	}
	for range 5 { // the same each time
		assert.Equal(t, want, listing(app))
	}
	assert.Equal(t, []string{"GET  /: ", "  /{id}: segue_test.caching"}, listing(users))
}

func TestRoutesNeedNoRequestAndMayStop(t *testing.T) {
	app := segue.New()
	assert.Empty(t, listing(app))
	app.GET("/a", shows)
	app.GET("/b", shows)
	routes := app.Routes()
	app.GET("/c", shows)
	for range 2 { // may be ranged over again, and left early
		for r := range routes {
			assert.Equal(t, "/a", r.Path)
			break
		}
	}
}

// A route names the handler it was given and the line that registered it: the
// user's, through every method and group.
func TestRoutesNameHandlerAndPlace(t *testing.T) {
	app, sub := segue.New(), segue.New()
	app.Mount("/sub", sub)
	handler := http.NotFoundHandler()
	for path, register := range map[string]func() string{
		"/handle":     func() string { app.Handle("/handle", handler); return here(0) },
		"/handlefunc": func() string { app.HandleFunc("/handlefunc", shows); return here(0) },
		"/get":        func() string { app.GET("/get", shows); return here(0) },
		"/method":     func() string { app.Method("LINK", "/method", handler); return here(0) },
		"/with":       func() string { app.With(logging).POST("/with", shows); return here(0) },
		"/group/x":    func() string { app.Group("/group").Any("/x", shows); return here(0) },
		"/sub/x":      func() string { sub.PUT("/x", shows); return here(0) },
		"/plain/":     func() string { app.Mount("/plain", handler); return here(0) },
	} {
		place := register()
		i := slices.IndexFunc(slices.Collect(app.Routes()), func(r segue.Route) bool { return r.Path == path })
		require.GreaterOrEqual(t, i, 0, path)
		r := slices.Collect(app.Routes())[i]
		assert.Equal(t, place, fmt.Sprintf("%s:%d", r.File, r.Line), path)
		assert.NotNil(t, r.Handler, path)
	}
	assert.Equal(t, fmt.Sprintf("%p", handler), fmt.Sprintf("%p", app.Lookup(httptest.NewRequest("GET", "/handle", nil)).Route.Handler))
}

// The test that the README shows: nobody has forgotten the guard.
func TestAdminIsGuarded(t *testing.T) {
	app := segue.New()
	admin := app.Group("/admin", requireAdmin)
	admin.GET("/", shows)
	admin.With(caching).GET("/stats", shows)
	admin.Group("/users").DELETE("/{id}", shows)
	app.GET("/administration", shows)

	guarded := func(app *segue.Router) (open []string) {
		for r := range app.Routes() {
			if (r.Path + "/")[:min(7, len(r.Path)+1)] == "/admin/" && !slices.Contains(r.Middleware, "segue_test.requireAdmin") {
				open = append(open, r.Pattern)
			}
		}
		return open
	}
	assert.Empty(t, guarded(app))
	app.POST("/admin/forgotten", shows)
	assert.Equal(t, []string{"POST /admin/forgotten"}, guarded(app))
}

// Lookup's route is the one of Routes, its middleware names included, so that
// a test can ask for one path what guards it.
func TestLookupNamesTheWholeRoute(t *testing.T) {
	app := segue.New()
	app.Use(logging)
	app.Group("/admin", requireAdmin).With(caching).GET("/{page}", shows)
	listed := slices.Collect(app.Routes())[0]
	for _, target := range []string{"/admin/x", "/admin/x/", "//admin/x"} {
		got := app.Lookup(httptest.NewRequest("GET", target, nil)).Route
		assert.Equal(t, listed.Pattern, got.Pattern, target)
		assert.Equal(t, listed.Middleware, got.Middleware, target)
		assert.Equal(t, listed.Line, got.Line, target)
	}
	assert.Equal(t, segue.Route{}, app.Lookup(httptest.NewRequest("PUT", "/admin/x", nil)).Route)
}

func TestLookup(t *testing.T) {
	app := segue.New()
	app.GET("/users/{id}", shows)
	app.HandleFunc("/files/{path...}", shows)
	for request, want := range map[string]segue.Match{
		"GET /users/7":        {Status: 200, Params: map[string]string{"id": "7"}},
		"HEAD /users/a%2Fb":   {Status: 200, Params: map[string]string{"id": "a/b"}},
		"GET /users/7/?q=1":   {Status: 307, Location: "/users/7?q=1"},
		"PUT /users/7":        {Status: 405, Allow: "GET, HEAD, OPTIONS"},
		"OPTIONS /users/7":    {Status: 204, Allow: "GET, HEAD, OPTIONS"},
		"GET /nope":           {Status: 404},
		"GET /files/a/b":      {Status: 200, Params: map[string]string{"path": "a/b"}},
		"GET /files/../users": {Status: 307, Location: "/users"},
	} {
		method, target, _ := strings.Cut(request, " ")
		r := httptest.NewRequest(method, target, nil)
		got := app.Lookup(r)
		got.Route = segue.Route{}
		assert.Equal(t, want, got, request)
		assert.Empty(t, r.Pattern, "Lookup writes nothing")
	}
}

// Handler returns what ServeMux's does, with the middleware.
func TestHandlerComesWithItsMiddleware(t *testing.T) {
	app := segue.New()
	app.Use(via("app"))
	app.Group("/g", via("group")).GET("/{id}", shows)
	for request, want := range map[string]struct{ pattern, via, body string }{
		"GET /g/7":  {"GET /g/{id}", "app group", "GET /g/{id} id=7"},
		"GET /g/7/": {"GET /g/{id}", "app", "<a href=\"/g/7\">Temporary Redirect</a>.\n\n"},
		"GET /nope": {"", "app", "404 page not found\n"},
		"PUT /g/7":  {"", "app group", "Method Not Allowed\n"},
	} {
		method, target, _ := strings.Cut(request, " ")
		r, w := httptest.NewRequest(method, target, nil), httptest.NewRecorder()
		h, pattern := app.Handler(r)
		assert.Equal(t, want.pattern, pattern, request)
		h.ServeHTTP(w, r)
		assert.Equal(t, want.via, viaOf(w), request)
		assert.Equal(t, want.body, w.Body.String(), request)
	}
}

// A reportedCase is what is needed of a case in testdata/cases, whose README
// explains the fields.
type reportedCase struct {
	Name   string
	Routes []struct{ Dialect, Pattern, Mount string }
	// Refused cases have no requests.
	Requests []struct{ Method, Target, Host string }
}

func (c reportedCase) build(h http.HandlerFunc) *segue.Router {
	app := segue.New()
	mounted := map[string]*segue.Router{"": app}
	for _, r := range c.Routes {
		if mounted[r.Mount] == nil {
			mounted[r.Mount] = segue.New()
			app.Mount(r.Mount, mounted[r.Mount])
		}
		rt := mounted[r.Mount]
		method, path, hasMethod := strings.Cut(r.Pattern, " ")
		switch {
		case r.Dialect == "mux":
			rt.HandleFunc(r.Pattern, h)
		case hasMethod:
			rt.Method(method, path, h)
		default:
			rt.Any(r.Pattern, h)
		}
	}
	return app
}

// Lookup agrees with what serving does, for every reported case.
func TestLookupAgreesOnEveryCase(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.json")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("no testdata/cases")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var cases []reportedCase
		require.NoError(t, json.Unmarshal(text, &cases), file)
		for _, c := range cases {
			if c.Requests != nil {
				t.Run(c.Name, c.testLookup)
			}
		}
	}
}

func (c reportedCase) testLookup(t *testing.T) {
	var params map[string]string
	app := c.build(func(w http.ResponseWriter, r *http.Request) {
		params = map[string]string{}
		for name, value := range segue.Params(r) {
			params[name] = value
		}
	})
	for _, q := range c.Requests {
		if _, err := url.ParseRequestURI(q.Target); err != nil || q.Target[0] != '/' {
			continue // what net/http answers itself, or no path at all
		}
		r := httptest.NewRequest(q.Method, q.Target, nil)
		if q.Host != "" {
			r.Host = q.Host
		}
		params = nil
		m, w := app.Lookup(r), httptest.NewRecorder()
		app.ServeHTTP(w, r)
		request := q.Method + " " + q.Target
		assert.Equal(t, m.Status, w.Code, request)
		assert.Equal(t, m.Location, w.Header().Get("Location"), request)
		assert.Equal(t, m.Allow, w.Header().Get("Allow"), request)
		assert.Equal(t, m.Route.Pattern, r.Pattern, request)
		assert.Equal(t, len(m.Params), len(params), request)
		for name, value := range m.Params {
			assert.Equal(t, value, params[name], request)
		}
	}
}
