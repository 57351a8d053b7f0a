package segue_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
)

// Looking in: what Routes lists, what Lookup and Handler say, and what Explain
// draws. That they agree with what serving does is internal/conformance's.

func requireAdmin(next http.Handler) http.Handler { return pass(next) }

func logging(next http.Handler) http.Handler { return pass(next) }

func caching(next http.Handler) http.Handler { return pass(next) }

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

// Hosts are listed as they were written, and found by every name that they have.
func TestHostsAreListed(t *testing.T) {
	app := segue.New()
	tenants := app.Group("{Tenant}.Example.org/v1", logging)
	tenants.GET("/users/:id", shows)
	tenants.HandleFunc("/files/", shows)
	app.HandleFunc("POST {x}.example.com/{y...}", shows)
	app.GET("/users/{id}", shows)
	assert.ElementsMatch(t, []string{
		"GET {Tenant}.Example.org /v1/users/{id}: segue_test.logging",
		" {Tenant}.Example.org /v1/files/: segue_test.logging",
		"POST {x}.example.com /{y...}: ",
		"GET  /users/{id}: ",
	}, listing(app))

	r := httptest.NewRequest("GET", "http://ACME.example.org:8080/v1/users/7", nil)
	m := app.Lookup(r)
	assert.Equal(t, 200, m.Status)
	assert.Equal(t, "GET {Tenant}.Example.org/v1/users/{id}", m.Route.Pattern)
	assert.Equal(t, "{Tenant}.Example.org", m.Route.Host)
	assert.Equal(t, map[string]string{"Tenant": "acme", "id": "7"}, m.Params)

	for _, c := range []struct{ request, says string }{
		{"GET http://ACME.example.org:8080/v1/users/7", "GET {Tenant}.Example.org/v1/users/{id}"},
		{"GET http://acme.example.com/users/7", "GET /users/{id}"},
		{"GET http://acme.example.org/v1/users/7/", "/v1/users/7"},
		{"GET http://acme.example.org/v1/nope", "404"},
		{"POST http://acme.example.org/v1/users/7", "405"},
	} {
		method, target, _ := strings.Cut(c.request, " ")
		r := httptest.NewRequest(method, target, nil)
		trace := app.Explain(r)
		assert.Equal(t, app.Lookup(r).Status, trace.Match.Status, c.request)
		assert.Equal(t, app.Lookup(r).Route.Pattern, trace.Match.Route.Pattern, c.request)
		assert.Equal(t, app.Lookup(r).Params, trace.Match.Params, c.request)
		assert.Contains(t, trace.String(), c.says, c.request)
	}
	assert.Contains(t, app.String(), "{Tenant}.Example.org", "the tree of all routes")
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

// requireRole makes guards, all of the same code.
//
//go:noinline
func requireRole(role string) segue.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Role") == role {
				next.ServeHTTP(w, r)
			}
		})
	}
}

// A middleware is told from another by its identity: neither its name nor its code
// tells two calls of one constructor apart.
func TestRouteUses(t *testing.T) {
	viewer, admin, again := requireRole("viewer"), requireRole("admin"), requireRole("admin")
	app, sub := segue.New(), segue.New()
	sub.GET("/x", shows)
	sub.With(admin).GET("/y", shows)
	app.Mount("/sub", sub)
	app.Group("/group", viewer).Mount("/sub", sub)
	app.Use(logging) // after the routes
	uses := map[string][]bool{}
	for r := range app.Routes() {
		uses[r.Path] = []bool{r.Uses(logging), r.Uses(viewer), r.Uses(admin)}
		assert.False(t, r.Uses(again), r.Path)
		assert.False(t, r.Uses(caching), r.Path)
		assert.False(t, r.Uses(nil), r.Path)
	}
	assert.Equal(t, map[string][]bool{
		"/sub/x": {true, false, false}, "/sub/y": {true, false, true},
		"/group/sub/x": {true, true, false}, "/group/sub/y": {true, true, true},
	}, uses)

	r := httptest.NewRequest("GET", "/group/sub/x", nil)
	assert.True(t, app.Lookup(r).Route.Uses(viewer))
	assert.False(t, app.Lookup(r).Route.Uses(admin))
	assert.True(t, app.Explain(r).Steps[2].Open[0].Uses(viewer))
	assert.False(t, app.Explain(r).Steps[2].Open[0].Uses(admin))
	assert.False(t, segue.Route{}.Uses(logging))
	assert.False(t, segue.Route{}.Uses(nil))
}

// A Chain is found, and each of its members, however deep.
func TestRouteUsesMembersOfChains(t *testing.T) {
	viewer, admin, again := requireRole("viewer"), requireRole("admin"), requireRole("admin")
	inner := segue.Chain(admin, segue.Chain(), segue.Recover)
	outer := segue.Chain(logging, inner, viewer)
	opaque := func(next http.Handler) http.Handler { return segue.Chain(again)(next) }
	app := segue.New()
	app.With(outer, opaque).GET("/x", shows)
	for r := range app.Routes() {
		for name, mw := range map[string]segue.Middleware{
			"outer": outer, "inner": inner, "logging": logging, "admin": admin, "viewer": viewer, "Recover": segue.Recover, "opaque": opaque,
		} {
			assert.True(t, r.Uses(mw), name)
		}
		assert.False(t, r.Uses(again), "another middleware's own")
		assert.False(t, r.Uses(segue.Chain(logging, inner, viewer)), "another Chain")
		assert.False(t, r.Uses(segue.Chain()))
		assert.Equal(t, "segue_test.logging", r.Middleware[0])
		assert.Equal(t, "segue.Recover", r.Middleware[2])
		assert.Len(t, r.Middleware, 5, "no Chain is named")
	}
	// Asking it has changed nothing.
	app = segue.New()
	app.With(segue.Chain(via("a"), segue.Chain(via("b"), via("c")))).GET("/x", shows)
	for range app.Routes() {
		assert.Equal(t, "a b c", viaOf(ask(t, app, "GET /x")))
	}
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
			if (r.Path + "/")[:min(7, len(r.Path)+1)] == "/admin/" && !r.Uses(requireAdmin) {
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
		"GET /g/7/": {"GET /g/{id}", "app group", "<a href=\"/g/7\">Temporary Redirect</a>.\n\n"},
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

func explained(rt *segue.Router, method, target string) segue.Trace {
	return rt.Explain(httptest.NewRequest(method, target, nil))
}

// drawings are requests of TestExplainDrawing, each above what is drawn of it.
var drawings = []string{`
GET example.com /users/new/posts
200 GET /users/{id}/posts                                        explain_test.go

      /
  1  ├─ users  literal                                                  5 routes
  2  ├─ new    {id} = "new"                                             4 routes
     │         merged: /users/new, /users/{id}
  3  └─ posts  literal                                                  2 routes
               a literal beats a rest: not GET /users/{id}/{rest...}

  id = "new"
`, `
GET h /users/x
200 GET h/users/x                                                explain_test.go

      /
  1  ├─ users  literal                                                  2 routes
  2  └─ x      literal                                                  2 routes
               merged: /users/x, /users/{id}
               a literal beats a parameter: not GET h/users/{id}
               a route with a host beats one without: not GET /users/{id}
`, `
GET example.com /files/a%2Fb/c
200 /files/{path...}                                             explain_test.go

      /
  1  ├─ files  literal                                                   1 route
  2  └─ a/b/c  {path...} = "a/b/c"                                       1 route
               no other route matches

  path = "a/b/c"
`, `
PUT example.com /users/7
405, Allow: DELETE, GET, HEAD, POST

      /
  1  ├─ users  literal                                                  7 routes
  2  └─ 7      {id} = "7"                                               2 routes

nearest:
  DELETE /users/{id}                             the same path by another method
  GET /users/{id}                                the same path by another method
  GET /users/{id}/{rest...}                                   with a final slash
  POST /users/{id}/{rest...}                                  with a final slash
  GET h/users/{id}                                 the same path on another host
`, `
GET example.com /exact/1/
307 to /exact/1, of GET /exact/{id}                              explain_test.go
  the other spelling of the final slash decides: /exact/1

      /
  1  ├─ exact  literal                                                   1 route
  2  └─ 1      {id} = "1"                                                1 route
               no other route matches
`, `
GET example.com //exact/./1
307 to /exact/1, of GET /exact/{id}                              explain_test.go
  the path is not clean; the clean one is /exact/1

      /
  1  ├─ exact  literal                                                   1 route
  2  └─ 1      {id} = "1"                                                1 route
               no other route matches
`, `
GET example.com /exact
404, no route

      /
  1  └─ exact  literal                                                  no route
         the path ends here, and no route does

nearest:
  GET /exact/{id}                                               2 letters differ
`, `
GET example.com /usr/7/posts
404, no route

      /
  1  └─ usr/7/posts  no route goes on here                              no route

nearest:
  GET /users/{id}/posts                                         2 letters differ
  GET /users/{id}/{rest...}                                     2 letters differ
  POST /users/{id}/{rest...}                                    2 letters differ
`, `
GET example.com /exact/1//2
307 to /exact/1/2
  the path is not clean; the clean one is /exact/1/2

      /
  1  ├─ exact  literal                                                   1 route
  2  ├─ 1      {id} = "1"                                                1 route
  3  └─ 2      no route goes on here                                    no route
`, `
CONNECT example.com //x
404, no route
  the path is not clean, and CONNECT is never redirected
`}

func TestExplainDrawing(t *testing.T) {
	rt := segue.New()
	for _, p := range []string{
		"GET /users", "GET /users/new", "GET /users/{id}", "DELETE /users/{id}", "GET /users/{id}/posts",
		"POST /users/{id}/{rest...}", "GET /users/{id}/{rest...}", "/files/{path...}", "GET h/users/x", "GET h/users/{id}",
	} {
		rt.HandleFunc(p, shows)
	}
	rt.GET("/exact/:id", shows)
	for _, want := range drawings {
		fields := strings.Fields(want)
		host, target := fields[1], fields[2]
		r := httptest.NewRequest(fields[0], "/", nil)
		u, err := url.ParseRequestURI(target)
		require.NoError(t, err)
		r.Host, r.URL = host, u
		assert.Equal(t, want, "\n"+withoutLines(rt.Explain(r).String()))
	}
}

// withoutLines takes the line numbers out of a drawing.
func withoutLines(text string) string {
	return regexp.MustCompile(`   (explain_test\.go):\d+`).ReplaceAllStringFunc(text, func(s string) string {
		name, number, _ := strings.Cut(s[3:], ":")
		return strings.Repeat(" ", 4+len(number)) + name
	})
}

func TestStringDrawsAllRoutes(t *testing.T) {
	rt := segue.New()
	rt.HandleFunc("/", shows)
	rt.HandleFunc("/static/", shows)
	rt.HandleFunc("h/x", shows)
	users := rt.Group("/users")
	users.GET("/", shows)
	users.GET("/:id", shows)
	users.DELETE("/:id", shows)
	users.GET("/:id/posts/", shows)
	assert.Equal(t, `
/                                  any                           explain_test.go
├── static
│   └── {...}                      any                           explain_test.go
└── users                          GET                           explain_test.go
    └── {id}                       DELETE GET                    explain_test.go
        └── posts
            └── {$}                GET                           explain_test.go
h/
└── x                              any                           explain_test.go
`, "\n"+withoutLines(rt.String()))
	assert.Equal(t, rt.String(), fmt.Sprint(rt))
	assert.Empty(t, segue.New().String())
}

// A middleware may draw the routes while it is composed, and they are drawn where
// composing fails.
func TestStringCompilesNothing(t *testing.T) {
	rt, drawn := segue.New(), ""
	rt.GET("/x", shows)
	rt.Use(func(next http.Handler) http.Handler {
		drawn = rt.String()
		return next
	})
	assert.Contains(t, rt.String(), "└── x")
	assert.Empty(t, drawn)
	explained(rt, "GET", "/x")
	assert.Equal(t, rt.String(), drawn)
	rt.Use(func(http.Handler) http.Handler { return nil })
	assert.Panics(t, func() { rt.Routes() })
	assert.Equal(t, rt.String(), drawn)
}

// A Router that is a handler sees the whole path, and a plain handler under Mount
// none of the prefix: Explain tells who has that the wrong way round.
func TestExplainTellsAWrongPrefix(t *testing.T) {
	users := segue.New()
	users.GET("/{id}", shows)
	users.GET("/u/known/{id}", shows)
	for name, c := range map[string]struct {
		register func(app *segue.Router)
		target   string
		want     []string
	}{
		"handled":         {func(app *segue.Router) { app.Handle("/u/", users) }, "/u/7", []string{"it answers 404, no route", `write Mount("/u", router)`}},
		"a rest":          {func(app *segue.Router) { app.Handle("GET h/u/v/{rest...}", users) }, "http://h/u/v/7", []string{"404, no route", `write Mount("/u/v", router)`}},
		"one path":        {func(app *segue.Router) { app.Any("/x", users.ServeHTTP); app.Handle("/x/7", users) }, "/x/7", []string{"404, no route"}},
		"in a group":      {func(app *segue.Router) { app.Group("/g").Method("GET", "/u/{rest...}", users) }, "/g/u/7", []string{"404, no route", `write Mount("/u", router)`}},
		"a parameter":     {func(app *segue.Router) { app.Handle("/{org}/v/", users) }, "/o/v/7", []string{"404, no route", `write Mount("/{org}/v", router)`}},
		"nowhere":         {func(app *segue.Router) { app.Handle("/u/", users) }, "/u/7/8", []string{"it answers 404, no route"}},
		"with the prefix": {func(app *segue.Router) { app.Handle("/u/", users) }, "/u/known/7", []string{"it answers 200 GET /u/known/{id}"}},
		"everything":      {func(app *segue.Router) { app.Handle("/", users) }, "/a/b", []string{"it answers 404, no route"}},
		"stripped twice":  {func(app *segue.Router) { app.Mount("/u", http.StripPrefix("/u", users)) }, "/u/7", []string{"stripped twice: Mount takes the prefix off before http.StripPrefix"}},
		"mounted":         {func(app *segue.Router) { app.Mount("/u", users) }, "/u/7", nil},
		"stripped once":   {func(app *segue.Router) { app.Handle("/u/", http.StripPrefix("/u", users)) }, "/u/7", nil},
		"a plain handler": {func(app *segue.Router) { app.Mount("/u", http.NotFoundHandler()) }, "/u/7", nil},
		"a miss":          {func(app *segue.Router) { app.Handle("POST /u/", users) }, "/u/7", nil},
	} {
		app := segue.New()
		c.register(app)
		text := explained(app, "GET", c.target).String()
		for _, want := range c.want {
			assert.Contains(t, text, want, name)
		}
		assert.Equal(t, len(c.want) > 1, strings.Contains(text, "without the prefix"), "%s:\n%s", name, text)
		if c.want == nil {
			assert.NotRegexp(t, "handler is a Router|stripped twice", text, name)
		}
	}
}

func TestExplainNearest(t *testing.T) {
	rt := segue.New()
	rt.TrailingSlash(segue.SlashExact)
	rt.GET("/users", shows)
	rt.POST("/users", shows)
	rt.GET("/users/{id}", shows)
	rt.GET("/Über/uns", shows)
	rt.GET("/docs/", shows)
	rt.HandleFunc("GET other/only", shows)
	for _, c := range []struct {
		method, target string
		want           []string
	}{
		{"DELETE", "/users", []string{"GET /users", "POST /users"}},
		{"GET", "/docs", []string{"GET /docs/{$}"}},
		{"GET", "/users/7/", []string{"GET /users/{id}"}},
		{"GET", "/only", []string{"GET other/only"}},
		{"POST", "/uesrs", []string{"POST /users", "GET /users"}},
		{"GET", "/USERS", []string{"GET /users", "POST /users"}},
		{"GET", "/%C3%BCber/un", []string{"GET /Über/uns", "GET /users/{id}"}},
		{"GET", "/somewhere/else/altogether", nil},
		{"GET", "/users/" + strings.Repeat("x/", 300), nil},
	} {
		var nearest []string
		for _, r := range explained(rt, c.method, c.target).Nearest {
			nearest = append(nearest, r.Pattern)
		}
		assert.Equal(t, c.want, nearest, c.target)
	}
}

func TestExplainWhileRoutesChange(t *testing.T) {
	rt := segue.New()
	rt.GET("/a/{x}", shows)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for j := range 50 {
				assert.NotEmpty(t, explained(rt, "GET", "/a/b").String())
				assert.NotEmpty(t, rt.String())
				if i == 0 {
					rt.GET(fmt.Sprintf("/a/b/%d", j), shows)
					rt.Use(func(next http.Handler) http.Handler { return next })
				}
			}
		})
	}
	group.Wait()
}

// The columns of a drawing fit what is in them, up to 28 for a segment and 32 for a
// value, and its words say how each segment was taken.
func TestExplainDrawingIsCut(t *testing.T) {
	app := segue.New()
	for _, path := range []string{"/", "/:a", "/:a/{$}", "/r/*p"} {
		app.GET(path, shows)
	}
	app.HandleFunc("GET /files/", shows)
	for target, want := range map[string]string{
		"/":                             "  1  └─ /  final slash  ",
		"/7/":                           "  2  └─ /  final slash  ",
		"/files/a":                      "  2  └─ a      the rest  ",
		"/" + strings.Repeat("b", 28):   "  1  └─ " + strings.Repeat("b", 28) + `  {a} = "` + strings.Repeat("b", 28) + `"`,
		"/" + strings.Repeat("b", 29):   "  1  └─ " + strings.Repeat("b", 27) + `…  {a} = "` + strings.Repeat("b", 29) + `"`,
		"/" + strings.Repeat("b", 30):   "  1  └─ " + strings.Repeat("b", 27) + `…  {a} = "` + strings.Repeat("b", 30) + `"`,
		"/" + strings.Repeat("b", 31):   "  1  └─ " + strings.Repeat("b", 27) + `…  {a} = "` + strings.Repeat("b", 30) + "…",
		"/r/" + strings.Repeat("b", 30): "  2  └─ " + strings.Repeat("b", 27) + `…  {p...} = "` + strings.Repeat("b", 30) + `"`,
		"/r/" + strings.Repeat("b", 31): "  2  └─ " + strings.Repeat("b", 27) + `…  {p...} = "` + strings.Repeat("b", 30) + "…",
	} {
		text := app.Explain(httptest.NewRequest("GET", target, nil)).String()
		assert.True(t, strings.Contains(text, "\n"+want), "%s: %s in\n%s", target, want, text)
		assert.NotContains(t, text, strings.TrimRight(want, " ")+"b")
	}
	assert.Contains(t, app.Explain(httptest.NewRequest("OPTIONS", "*", nil)).String(), "400, not a path\n")
}

// told writes what a trace says in lines: the answer and the notes, each step
// with its branches, its open routes and its rule, and the nearest routes.
func told(trace segue.Trace) (lines []string) {
	patterns := func(routes []segue.Route) (all []string) {
		for _, r := range routes {
			all = append(all, r.Pattern)
		}
		return all
	}
	head, _, _ := strings.Cut(strings.TrimSpace(trace.String()), "\n\n")
	for _, note := range strings.Split(head, "\n")[1:] {
		note, _, _ = strings.Cut(note, "   ") // without the place
		lines = append(lines, strings.TrimSpace(note))
	}
	for _, s := range trace.Steps {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%q %s %s=%q %q %q %s", s.Segment, s.Kind, s.Name, s.Value, s.Node, patterns(s.Open), s.Rule)))
	}
	return append(lines, strings.TrimSpace(fmt.Sprintf("near: %q", patterns(trace.Nearest))))
}

// followed are requests of TestExplainFollowsWhatDecided: method, host and path, with
// what is told of each.
var followed = map[string][]string{
	"OPTIONS h *": {
		`400, not a path`,
		`* is not a path`,
		`near: []`,
	},
	"GET h /raw//y": {
		`200 GET /raw/{path...}`,
		`the path is not clean; only routers under CleanPath(false) are asked`,
		`"raw" literal ="" ["/raw"] ["GET /raw/{path...}" "GET /raw/{x}/z" "GET /raw/{path...}"]`,
		`"/y" rest path="/y" [] ["GET /raw/{path...}"] no other route matches`,
		`near: []`,
	},
	"GET h /raw/./z": {
		`200 GET /raw/{x}/z`,
		`the path is not clean; only routers under CleanPath(false) are asked`,
		`"raw" literal ="" ["/raw"] ["GET /raw/{path...}" "GET /raw/{x}/z" "GET /raw/{path...}"]`,
		`"." parameter x="." ["/raw/{x}"] ["GET /raw/{x}/z" "GET /raw/{path...}"] a parameter beats a rest: not GET /raw/{path...}`,
		`"z" literal ="" ["/raw/{x}/z"] ["GET /raw/{x}/z" "GET /raw/{path...}"]`,
		`near: []`,
	},
	"PATCH h /raw//y": {
		`307 to /raw/y`,
		`the path is not clean; the clean one is /raw/y`,
		`"raw" literal ="" ["/raw"] ["GET /raw/{path...}" "GET /raw/{x}/z" "GET /raw/{path...}"]`,
		`"y" parameter x="y" ["/raw/{x}"] ["GET /raw/{path...}"]`,
		`near: []`,
	},
	"GET h /m//x": {
		`307 to /m/x, of GET /m/x`,
		`the path is not clean; the clean one is /m/x`,
		`"m" literal ="" ["/m"] ["GET /m/x" "GET /m/{id}"]`,
		`"x" literal ="" ["/m/x" "/m/{id}"] ["GET /m/x" "GET /m/{id}"] a literal beats a parameter: not GET /m/{id}`,
		`near: []`,
	},
	"POST h /v/7/": {
		`405, Allow: GET, HEAD, OPTIONS`,
		`the other spelling of the final slash decides: /v/7`,
		`"v" literal ="" ["/v"] ["GET /v/b" "GET /v/{id}"]`,
		`"7" parameter id="7" ["/v/{id}"] ["GET /v/{id}"]`,
		`near: ["GET /v/{id}"]`,
	},
	"OPTIONS h /p": {
		`405, Allow: GET, HEAD, POST`,
		`"p" literal ="" ["/p"] ["GET /p" "POST /p"]`,
		`near: ["GET /p" "POST /p"]`,
	},
	"OPTIONS h /v/7/": {
		`307 to /v/7, of GET /v/{id}`,
		`the other spelling of the final slash decides: /v/7`,
		`"v" literal ="" ["/v"] ["GET /v/b" "GET /v/{id}"]`,
		`"7" parameter id="7" ["/v/{id}"] ["GET /v/{id}"] no other route matches`,
		`near: []`,
	},
	"OPTIONS h /m/x": {
		`200 /m/{any}`,
		`"m" literal ="" ["/m"] ["/m/{any}"]`,
		`"x" parameter any="x" ["/m/{any}"] ["/m/{any}"] no other route matches`,
		`near: []`,
	},
	"OPTIONS h /m/7": {
		`200 /m/{any}`,
		`"m" literal ="" ["/m"] ["GET /m/x" "/m/{any}" "GET /m/{id}"]`,
		`"7" parameter any="7" ["/m/{any}"] ["/m/{any}" "GET /m/{id}"] no other route matches`,
		`near: []`,
	},
	"OPTIONS h /o/x": {
		`200 OPTIONS /o/{id}`,
		`"o" literal ="" ["/o"] ["OPTIONS /o/{id}"]`,
		`"x" parameter id="x" ["/o/{id}"] ["OPTIONS /o/{id}"] no other route matches`,
		`near: []`,
	},
	"OPTIONS h /o/q/r": {
		`200 /o/{y...}`,
		`"o" literal ="" ["/o"] ["GET /o/x" "OPTIONS /o/{id}" "/o/{y...}"]`,
		`"q" rest y="q/r" ["/o/{id}"] ["OPTIONS /o/{id}" "/o/{y...}"]`,
		`"r" rest ="" [] ["/o/{y...}"] no other route matches`,
		`near: []`,
	},
	"OPTIONS h /c/a": {
		`200 /c/{x}`,
		`"c" literal ="" ["/c"] ["/c/{x}" "/c/{r...}"]`,
		`"a" parameter x="a" ["/c/{x}"] ["/c/{x}" "/c/{r...}"] a parameter beats a rest: not /c/{r...}`,
		`near: []`,
	},
	"GET h /c/a": {
		`200 GET /c/a`,
		`"c" literal ="" ["/c"] ["GET /c/a" "GET /c/b" "/c/{x}" "/c/{r...}"]`,
		`"a" literal ="" ["/c/a" "/c/{x}"] ["GET /c/a" "/c/{x}" "/c/{r...}"] a literal beats a parameter: not /c/{x}; a literal beats a rest: not /c/{r...}`,
		`near: []`,
	},
	"GET h /m/x": {
		`200 GET /m/x`,
		`"m" literal ="" ["/m"] ["GET /m/x" "GET /m/{id}"]`,
		`"x" literal ="" ["/m/x" "/m/{id}"] ["GET /m/x" "GET /m/{id}"] a literal beats a parameter: not GET /m/{id}`,
		`near: []`,
	},
	"PUT h /m/x": {
		`200 /m/{any}`,
		`"m" literal ="" ["/m"] ["/m/{any}"]`,
		`"x" parameter any="x" ["/m/{any}"] ["/m/{any}"] no other route matches`,
		`near: []`,
	},
	"GET h /m/7": {
		`200 GET /m/{id}`,
		`"m" literal ="" ["/m"] ["GET /m/x" "GET /m/{id}"]`,
		`"7" parameter id="7" ["/m/{id}"] ["GET /m/{id}"] the more specific method wins: not /m/{any}`,
		`near: []`,
	},
	"GET h /s": {
		`307 to /s/, of /s/{$}`,
		`the other spelling of the final slash decides: /s/`,
		`"s" literal ="" ["/s"] ["/s/{$}" "GET /s/x/y" "GET /s/{a}/t/{$}" "GET /s/{a}/{b}" "GET /s/{r...}"]`,
		`"" literal ="" ["/s/{$}"] ["/s/{$}" "GET /s/{r...}"] a literal beats a rest: not GET /s/{r...}`,
		`near: []`,
	},
	"GET h /s/x/y": {
		`200 GET /s/x/y`,
		`"s" literal ="" ["/s"] ["/s/{$}" "GET /s/x/y" "GET /s/{a}/t/{$}" "GET /s/{a}/{b}" "GET /s/{r...}"]`,
		`"x" literal ="" ["/s/x" "/s/{a}"] ["GET /s/x/y" "GET /s/{a}/t/{$}" "GET /s/{a}/{b}" "GET /s/{r...}"] a literal beats a parameter: not GET /s/{a}/{b}; a literal beats a rest: not GET /s/{r...}`,
		`"y" literal ="" ["/s/x/y" "/s/{a}/{b}"] ["GET /s/x/y" "GET /s/{a}/{b}" "GET /s/{r...}"]`,
		`near: []`,
	},
	"GET h /s/x/t/": {
		`200 GET /s/{a}/t/{$}`,
		`"s" literal ="" ["/s"] ["/s/{$}" "GET /s/x/y" "GET /s/{a}/t/{$}" "GET /s/{a}/{b}" "GET /s/{r...}"]`,
		`"x" parameter a="x" ["/s/x" "/s/{a}"] ["GET /s/x/y" "GET /s/{a}/t/{$}" "GET /s/{a}/{b}" "GET /s/{r...}"] a parameter beats a rest: not GET /s/{r...}`,
		`"t" literal ="" ["/s/{a}/t" "/s/{a}/{b}"] ["GET /s/{a}/t/{$}" "GET /s/{a}/{b}" "GET /s/{r...}"]`,
		`"" literal ="" ["/s/{a}/t/{$}"] ["GET /s/{a}/t/{$}" "GET /s/{r...}"]`,
		`near: []`,
	},
	"GET h /s/x/y/z/w": {
		`200 GET /s/{r...}`,
		`"s" literal ="" ["/s"] ["/s/{$}" "GET /s/x/y" "GET /s/{a}/t/{$}" "GET /s/{a}/{b}" "GET /s/{r...}"]`,
		`"x" rest r="x/y/z/w" ["/s/x" "/s/{a}"] ["GET /s/x/y" "GET /s/{a}/t/{$}" "GET /s/{a}/{b}" "GET /s/{r...}"]`,
		`"y" rest ="" ["/s/x/y" "/s/{a}/{b}"] ["GET /s/x/y" "GET /s/{a}/{b}" "GET /s/{r...}"]`,
		`"z/w" rest ="" [] ["GET /s/{r...}"] no other route matches`,
		`near: []`,
	},
	"GET a.com /h/i": {
		`200 a.com/h/{id}`,
		`"h" literal ="" ["/h"] ["a.com/h/i/j" "a.com/h/{id}"]`,
		`"i" parameter id="i" ["/h/i" "/h/{id}"] ["a.com/h/{id}"] a host written out beats one with a parameter: not {t}.com/h/{id}; a route with a host beats one without: not GET /h/{id}`,
		`near: []`,
	},
	"GET b.com /h/i": {
		`200 {t}.com/h/{id}`,
		`"h" literal ="" ["/h"] ["{t}.com/h/{id}"]`,
		`"i" parameter id="i" ["/h/{id}"] ["{t}.com/h/{id}"] a route with a host beats one without: not GET /h/{id}`,
		`near: []`,
	},
	"GET c.org /h/i": {
		`200 GET /h/{id}`,
		`"h" literal ="" ["/h"] ["/h/i/j/k" "GET /h/{id}"]`,
		`"i" parameter id="i" ["/h/i" "/h/{id}"] ["GET /h/{id}"] the more specific method wins: not /h/{id}`,
		`near: []`,
	},
	"GET a.com /h/i/j/l": {
		`404, no route`,
		`"h" literal ="" ["/h"] ["a.com/h/i/j" "a.com/h/{id}"]`,
		`"i" literal ="" ["/h/i" "/h/{id}"] ["a.com/h/i/j" "a.com/h/{id}"]`,
		`"j" literal ="" ["/h/i/j"] ["a.com/h/i/j"]`,
		`"l"  ="" [] []`,
		`near: ["/c/{r...}" "/h/i/j/k" "/o/{y...}" "GET /s/{r...}" "a.com/h/i/j"]`,
	},
	"GET a.com /h/i/j/k": {
		`200 /h/i/j/k`,
		`"h" literal ="" ["/h"] ["/h/i/j/k" "GET /h/{id}"]`,
		`"i" literal ="" ["/h/i" "/h/{id}"] ["/h/i/j/k" "GET /h/{id}"]`,
		`"j" literal ="" ["/h/i/j"] ["/h/i/j/k"]`,
		`"k" literal ="" ["/h/i/j/k"] ["/h/i/j/k"] no other route matches`,
		`near: []`,
	},
	"POST a.com /c/b": {
		`200 /c/{x}`,
		`"c" literal ="" ["/c"] ["/c/{x}" "/c/{r...}"]`,
		`"b" parameter x="b" ["/c/{x}"] ["/c/{x}" "/c/{r...}"] a parameter beats a rest: not /c/{r...}`,
		`near: []`,
	},
	"DELETE a.com /p": {
		`405, Allow: GET, HEAD, POST`,
		`"p" literal ="" ["/p"] ["GET /p" "POST /p"]`,
		`near: ["GET /p" "POST /p"]`,
	},
	"GET h /sub": {
		`200 GET /sub`,
		`"sub" literal ="" ["/sub"] ["GET /sub"] the path as registered beats a mount's prefix in its other spelling: not GET /sub/`,
		`near: []`,
	},
	"GET h /sub/": {
		`200 GET /sub`,
		`"sub" literal ="" ["/sub"] ["GET /sub" "GET /sub" "GET /sub/"]`,
		`"" literal ="" ["/sub/{$}"] ["GET /sub" "GET /sub/"] a literal beats a rest: not GET /sub/`,
		`near: []`,
	},
	"GET h /rest": {
		`200 GET /rest`,
		`"rest" literal ="" ["/rest"] ["GET /rest"] the path as registered beats a mount's prefix in its other spelling: not /rest/`,
		`near: []`,
	},
	"GET h /rest/": {
		`200 /rest/`,
		`"rest" literal ="" ["/rest"] ["GET /rest" "/rest/"]`,
		`"" rest ="" [] ["/rest/"] no other route matches`,
		`near: []`,
	},
	"GET h /static/a.txt": {
		`200 GET /static/{name}`,
		`"static" literal ="" ["/static"] ["GET /static/{name}" "GET /static/{path...}"]`,
		`"a.txt" parameter name="a.txt" ["/static/{name}"] ["GET /static/{name}" "GET /static/{path...}"] a parameter beats a rest: not GET /static/{path...}`,
		`near: []`,
	},
	"GET h /static/b.txt": {
		`200 GET /static/{name}`,
		`"static" literal ="" ["/static"] ["GET /static/{name}"]`,
		`"b.txt" parameter name="b.txt" ["/static/{name}"] ["GET /static/{name}"] no other route matches`,
		`near: []`,
	},
	"GET h /static/d/": {
		`200 GET /static/{path...}`,
		`"static" literal ="" ["/static"] ["GET /static/{name}" "GET /static/{path...}"]`,
		`"d" rest path="d/" ["/static/{name}"] ["GET /static/{name}" "GET /static/{path...}"]`,
		`"" rest ="" [] ["GET /static/{path...}"] no other route matches`,
		`near: []`,
	},
	"GET h /static/d/e": {
		`404, no route`,
		`"static" literal ="" ["/static"] ["GET /static/{name}"]`,
		`"d" parameter name="d" ["/static/{name}"] ["GET /static/{name}"]`,
		`"e"  ="" [] []`,
		`near: ["/c/{r...}" "/o/{y...}" "GET /s/{r...}" "GET /static/{name}"]`,
	},
	"POST h /static/a.txt": {
		`405, Allow: GET, HEAD, OPTIONS`,
		`"static" literal ="" ["/static"] ["GET /static/{name}" "GET /static/{path...}"]`,
		`"a.txt" parameter name="a.txt" ["/static/{name}"] ["GET /static/{name}" "GET /static/{path...}"]`,
		`near: ["GET /static/{name}" "GET /static/{path...}"]`,
	},
}

// A trace follows what decided: the spelling, the host, the routes that were asked
// for the method, and each rule where it applies.
func TestExplainFollowsWhatDecided(t *testing.T) {
	app, sub, rest := segue.New(), segue.New(), segue.New()
	for _, p := range []string{
		"/m/{any}", "GET /m/{id}", "GET /m/x", "OPTIONS /o/{id}", "GET /o/x", "/o/{y...}", "GET /p", "POST /p",
		"/s/{$}", "GET /s/{a}/t/{$}", "GET /s/{r...}", "GET /s/{a}/{b}", "GET /s/x/y",
		"{t}.com/h/{id}", "a.com/h/{id}", "/h/{id}", "GET /h/{id}", "a.com/h/i/j", "/h/i/j/k", "GET /c/a", "GET /c/b", "/c/{x}", "/c/{r...}",
	} {
		app.HandleFunc(p, shows)
	}
	app.GET("/v/:id", shows)
	app.GET("/v/b", shows)
	sub.GET("/", shows)
	sub.HandleFunc("GET /", shows)
	app.Mount("/sub", sub)
	rest.HandleFunc("/", shows)
	app.Mount("/rest", rest)
	app.GET("/rest", shows)
	raw := app.Group("/raw")
	raw.CleanPath(false)
	raw.GET("/*path", shows)
	raw.GET("/:x/z", shows)
	app.Static("/static", segue.Files{FS: fstest.MapFS{"a.txt": {Data: []byte("a")}, "d/index.html": {Data: []byte("d")}}})
	app.GET("/static/:name", shows)
	for request, want := range followed {
		f := strings.Fields(request)
		r := httptest.NewRequest(f[0], "/", nil)
		r.Host, r.RequestURI, r.URL = f[1], f[2], &url.URL{Path: f[2]}
		assert.Equal(t, want, told(app.Explain(r)), request)
	}
}

// near writes the nearest routes of a trace, each with what is between it and the path.
func near(trace segue.Trace) (lines []string) {
	_, drawn, _ := strings.Cut(trace.String(), "\nnearest:\n")
	for line := range strings.Lines(drawn) {
		lines = append(lines, regexp.MustCompile("   +").ReplaceAllString(strings.TrimSpace(line), ": "))
	}
	return lines
}

// What costs less comes first: another method, the other spelling, another host, and
// then two for each letter that differs, with one more for a method that does not
// answer. What costs over 3 more than the first is left out, and so is what comes
// after the fifth.
func TestExplainNearestByCost(t *testing.T) {
	a510 := strings.Repeat("a", 510)
	for _, c := range []struct {
		routes, request string
		want            []string
	}{
		{"POST /{p}/{q}, GET /z/{q}/{$}, GET other/z/a, GET /z/b", "GET /z/a", []string{
			"POST /{p}/{q}: the same path by another method", "GET /z/{q}/{$}: with a final slash", "GET other/z/a: the same path on another host"}},
		{"POST /{p}/{q}/{$}, GET /z/{q}, GET other/z/a/{$}", "GET /z/a/", []string{
			"POST /{p}/{q}/{$}: the same path by another method", "GET /z/{q}: without the final slash", "GET other/z/a/{$}: the same path on another host"}},
		{"GET other/abcdef, GET /abcdeg", "GET /abcdef", []string{"GET other/abcdef: the same path on another host"}},
		{"GET other/abcdeg", "GET /abcdef", nil},
		{"POST /abcdeg, GET /abcdgg, GET /abcggg", "GET /abcdef", []string{"POST /abcdeg: one letter differs", "GET /abcdgg: 2 letters differ", "GET /abcggg: 3 letters differ"}},
		{"GET /abcdeg, POST /abcdgg, GET /abcggg", "GET /abcdef", []string{"GET /abcdeg: one letter differs", "POST /abcdgg: 2 letters differ"}},
		{"GET /abcggg", "GET /abcdef", []string{"GET /abcggg: 3 letters differ"}},
		{"GET /abgggg", "GET /abcdef", nil},
		{"DELETE /n, PATCH /n, POST /n, PUT /n, TRACE /n, GET /n", "BREW /n", []string{
			"DELETE /n: the same path by another method", "GET /n: the same path by another method", "PATCH /n: the same path by another method",
			"POST /n: the same path by another method", "PUT /n: the same path by another method"}},
		{"GET b.org/only, GET a.org/only", "GET /only", []string{"GET a.org/only: the same path on another host", "GET b.org/only: the same path on another host"}},
		{"GET /abcdaa, GET h/abcdeg, GET {t}.h/abcdef, GET /abcdeb", "GET /abcdef", []string{"GET {t}.h/abcdef: the same path on another host"}},
		{"GET /abcdea, GET h/abcdeg, GET /abcdeb", "GET /abcdef", []string{"GET h/abcdeg: one letter differs", "GET /abcdea: one letter differs", "GET /abcdeb: one letter differs"}},

		{"GET /abc/d/efghi", "GET /abc/efghi", []string{"GET /abc/d/efghi: 2 letters differ"}},
		{"GET /abc/{d}/efghi", "GET /abc/efghi", []string{"GET /abc/{d}/efghi: 2 letters differ"}},
		{"GET /abc/efghi", "GET /abc/d/efghi", []string{"GET /abc/efghi: 2 letters differ"}},
		{"GET /users/{r...}", "GET /uers", []string{"GET /users/{r...}: 2 letters differ"}},
		{"GET /users/{id}", "GET /users/", []string{"GET /users/{id}: one letter differs"}},
		{"GET /users/{id}", "GET /user/", []string{"GET /users/{id}: 2 letters differ"}},
		{"GET /users", "GET /usrs", []string{"GET /users: one letter differs"}},
		{"GET /users", "GET /userss", []string{"GET /users: one letter differs"}},
		{"GET /users", "GET /USERS", []string{"GET /users: one letter differs"}},
		{"GET /x", "GET /y", []string{"GET /x: one letter differs"}},

		// At most 512 bytes, and 64 segments on either side.
		{"GET /a/{r...}", "GET /b/" + a510[:509], []string{"GET /a/{r...}: one letter differs"}},
		{"GET /a/{r...}", "GET /b/" + a510, nil},
		{"GET " + strings.Repeat("/a", 64), "GET " + strings.Repeat("/a", 63) + "/b", []string{"GET " + strings.Repeat("/a", 36) + "/…"}},
		{"GET " + strings.Repeat("/a", 64), "GET " + strings.Repeat("/a", 65), nil},
		{"GET " + strings.Repeat("/a", 65), "GET " + strings.Repeat("/a", 64), nil},
	} {
		app := segue.New()
		app.TrailingSlash(segue.SlashExact)
		for _, p := range strings.Split(c.routes, ", ") {
			if method, path, _ := strings.Cut(p, " "); strings.HasPrefix(path, "/") {
				app.Method(method, path, http.HandlerFunc(shows))
			} else {
				app.HandleFunc(p, shows)
			}
		}
		method, path, _ := strings.Cut(c.request, " ")
		r := httptest.NewRequest(method, path, nil)
		r.Host = "h"
		assert.Equal(t, c.want, near(app.Explain(r)), "%s: %s", c.routes, c.request)
	}
}

// Each step has what is still open, and the rules of what matches too.
func TestExplainSteps(t *testing.T) {
	app := segue.New()
	for _, p := range []string{
		"GET /t/x/y", "GET /t/{a}/y", "GET /t/{a}/{b}", "GET /r/{rest...}", "POST /r/{rest...}", "GET /{x}/s/{y}", "/o/{id}", "OPTIONS /o/{id}",
		"GET a.com/h/{id}", "GET {t}.com/g/{id}", "GET /h/{id}", "GET /far/b/c/d", "GET a.com/far/b",
	} {
		app.HandleFunc(p, shows)
	}
	app.GET("/verb", shows)
	app.GET("/verbs", shows)
	app.POST("/verbs", shows)
	exact, sub, raw := segue.New(), segue.New(), app.Group("/raw")
	exact.TrailingSlash(segue.SlashExact)
	exact.GET("/", shows)
	app.Mount("/exact", exact)
	sub.GET("/", shows)
	app.Handle("/handled", sub)
	raw.CleanPath(false)
	raw.GET("/*path", shows)
	app.GET("/raw/:x/:y", shows)
	for request, want := range map[string][]string{
		"GET h /t/x/y": {
			`200 GET /t/x/y`,
			`"t" literal ="" ["/t" "/{x}"] ["GET /t/x/y" "GET /t/{a}/y" "GET /t/{a}/{b}" "GET /{x}/s/{y}"]`,
			`"x" literal ="" ["/t/x" "/t/{a}"] ["GET /t/x/y" "GET /t/{a}/y" "GET /t/{a}/{b}"] a literal beats a parameter: not GET /t/{a}/y, GET /t/{a}/{b}`,
			`"y" literal ="" ["/t/x/y" "/t/{a}/y" "/t/{a}/{b}"] ["GET /t/x/y" "GET /t/{a}/y" "GET /t/{a}/{b}"]`,
		},
		"GET h /r/s/t": {
			`200 GET /r/{rest...}`,
			`"r" literal ="" ["/r" "/{x}"] ["GET /r/{rest...}" "GET /{x}/s/{y}"] a literal beats a parameter: not GET /{x}/s/{y}`,
			`"s/t" rest rest="s/t" [] ["GET /r/{rest...}"]`,
		},
		"PUT h /r/s/t": {
			`405, Allow: GET, HEAD, POST`,
			`"r" literal ="" ["/r" "/{x}"] ["GET /r/{rest...}" "POST /r/{rest...}" "GET /{x}/s/{y}"]`,
			`"s/t" rest rest="s/t" [] ["GET /r/{rest...}" "POST /r/{rest...}"]`,
		},
		"GET a.com /h/7": {
			`200 GET a.com/h/{id}`,
			`"h" literal ="" ["/h"] ["GET a.com/h/{id}"]`,
			`"7" parameter id="7" ["/h/{id}"] ["GET a.com/h/{id}"] a route with a host beats one without: not GET /h/{id}`,
		},
		"OPTIONS h /o/7": {
			`200 OPTIONS /o/{id}`,
			`"o" literal ="" ["/o"] ["OPTIONS /o/{id}"]`,
			`"7" parameter id="7" ["/o/{id}"] ["OPTIONS /o/{id}"] the more specific method wins: not /o/{id}`,
		},
		"OPTIONS h /verb": {
			`204, Allow: GET, HEAD, OPTIONS`,
			`"verb" literal ="" ["/verb" "/{x}"] ["GET /verb"] no other route matches`,
		},
		"OPTIONS h /verbs": {
			`204, Allow: GET, HEAD, OPTIONS, POST`,
			`"verbs" literal ="" ["/verbs" "/{x}"] ["GET /verbs" "POST /verbs"]`,
		},
		"GET a.com /far/b/c/e": {
			`404, no route`,
			`"far" literal ="" ["/far" "/{x}"] ["GET /far/b/c/d" "GET /{x}/s/{y}"]`,
			`"b" literal ="" ["/far/b"] ["GET /far/b/c/d"]`,
			`"c" literal ="" ["/far/b/c"] ["GET /far/b/c/d"]`,
			`"e"  ="" [] []`,
		},
		"GET h /exact/": {
			`404, no route`,
			`"exact" literal ="" ["/exact" "/{x}"] ["GET /exact" "GET /{x}/s/{y}"]`,
			`""  ="" [] []`,
		},
		"GET h /exact": {
			`200 GET /exact`,
			`"exact" literal ="" ["/exact" "/{x}"] ["GET /exact"] no other route matches`,
		},
		"GET h /handled": {
			`200 /handled`,
			`the handler is a Router, which sees the whole path`,
			`it answers 404, no route`,
			`it has the path without the prefix: write Mount("/handled", router)`,
			`"handled" literal ="" ["/handled" "/{x}"] ["/handled"] no other route matches`,
		},
		"GET h /raw/./z": {
			`200 GET /raw/{path...}`,
			`the path is not clean; only routers under CleanPath(false) are asked`,
			`"raw" literal ="" ["/raw"] ["GET /raw/{path...}" "GET /raw/{path...}"]`,
			`"./z" rest path="./z" [] ["GET /raw/{path...}"] no other route matches`,
		},
	} {
		f := strings.Fields(request)
		r := httptest.NewRequest(f[0], "/", nil)
		r.Host, r.RequestURI, r.URL = f[1], f[2], &url.URL{Path: f[2]}
		lines := told(app.Explain(r))
		assert.Equal(t, want, lines[:len(lines)-1], request)
	}
}

// A step is wide where the automaton that was asked steps through several states.
func TestExplainWide(t *testing.T) {
	app := segue.New()
	for i := range 300 {
		app.POST(fmt.Sprintf("/page%d/edit", i), shows)
		app.POST(fmt.Sprintf("/{user}/act%d", i), shows)
	}
	app.GET("/{user}/act299", shows)
	post, get := explained(app, "POST", "/page299/act299"), explained(app, "GET", "/page299/act299")
	assert.True(t, post.Steps[1].Wide)
	assert.False(t, get.Steps[1].Wide)
	assert.Contains(t, post.String(), " side by side, 1 route\n")
	assert.NotContains(t, get.String(), "side by side")
}
