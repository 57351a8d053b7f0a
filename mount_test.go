package segue_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	_ "net/http/pprof"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// Routers in routers, and other handlers under a prefix.

// answers sends each request to app and compares with "status body", or with
// the status alone.
func answers(t *testing.T, app *segue.Router, want map[string]string) {
	t.Helper()
	for request, want := range want {
		w := ask(t, app, request)
		got := fmt.Sprint(w.Code)
		if strings.Contains(want, " ") {
			got += " " + w.Body.String()
		}
		assert.Equal(t, want, got, request)
	}
}

func TestMountTheSameRouterTwice(t *testing.T) {
	app, users := segue.New(), segue.New()
	users.GET("/", shows)
	app.Mount("/users", users)
	users.GET("/{id}", shows) // seen under both
	app.Mount("/orgs/{org}/users", users)
	users.GET("/{id}/posts", shows)
	answers(t, app, map[string]string{
		"GET /users":                   "200 GET /users",
		"GET /users/7":                 "200 GET /users/{id} id=7",
		"GET /users/7/posts":           "200 GET /users/{id}/posts id=7",
		"GET /orgs/acme/users/":        "200 GET /orgs/{org}/users org=acme",
		"GET /orgs/acme/users/7":       "200 GET /orgs/{org}/users/{id} org=acme id=7",
		"GET /orgs/acme/users/7/posts": "200 GET /orgs/{org}/users/{id}/posts org=acme id=7",
		"GET /orgs/acme":               "404",
		"GET /usersology":              "404",
	})
	answers(t, users, map[string]string{"GET /": "200", "GET /7": "200 GET /{id} id=7", "GET /users/7": "404"})
}

// Every order of mounting and registering comes to the same, three levels deep.
func TestMountInAnyOrder(t *testing.T) {
	build := map[string]func(app, mid, leaf *segue.Router){
		"inside out": func(app, mid, leaf *segue.Router) {
			leaf.GET("/x", shows)
			mid.Mount("/{b}", leaf)
			app.Mount("/{a}", mid)
		},
		"outside in": func(app, mid, leaf *segue.Router) {
			app.Mount("/{a}", mid)
			mid.Mount("/{b}", leaf)
			leaf.GET("/x", shows)
		},
		"the middle last": func(app, mid, leaf *segue.Router) {
			app.Mount("/{a}", mid)
			leaf.GET("/x", shows)
			mid.Mount("/{b}", leaf)
		},
	}
	for name, build := range build {
		app, mid, leaf := segue.New(), segue.New(), segue.New()
		build(app, mid, leaf)
		mid.Use(via("mid"))
		leaf.Use(via("leaf"))
		app.Use(via("app"))
		w := ask(t, app, "GET /1/2/x")
		assert.Equal(t, "GET /{a}/{b}/x a=1 b=2", w.Body.String(), name)
		assert.Equal(t, "app mid leaf", viaOf(w), name)
	}
}

func TestMountUnderPrefixesThatShareLetters(t *testing.T) {
	app := segue.New()
	for _, prefix := range []string{"/foo", "/foobar", "/foo/bar", "/fo%2Fo", "/f/"} {
		rt := segue.New()
		rt.GET("/x", shows)
		app.Mount(prefix, rt)
	}
	answers(t, app, map[string]string{
		"GET /foo/x":     "200 GET /foo/x",
		"GET /foobar/x":  "200 GET /foobar/x",
		"GET /foo/bar/x": "200 GET /foo/bar/x",
		"GET /fo%2Fo/x":  "200 GET /fo%2Fo/x",
		"GET /f/x":       "200 GET /f/x",
		"GET /foob/x":    "404", "GET /fo/x": "404", "GET /foox": "404", "GET /fo/o/x": "404",
	})
}

// The prefix alone is "/" to what is mounted there, in both spellings.
func TestMountRoot(t *testing.T) {
	for root, pattern := range map[string]string{
		"GET /": "GET /m/{p}", "GET /{$}": "GET /m/{p}/{$}", "GET /{rest...}": "GET /m/{p}/{rest...}",
		"subtree": "GET /m/{p}/",
	} {
		app, rt := segue.New(), segue.New()
		app.Mount("/m/{p}", rt)
		if root == "GET /" {
			rt.GET("/", shows)
		} else if root == "subtree" {
			rt.HandleFunc("GET /", shows)
		} else {
			rt.HandleFunc(root, shows)
		}
		for _, target := range []string{"/m/5", "/m/5/", "/m/a%2Fb", "/m/a%2Fb/"} {
			w := ask(t, app, "GET "+target)
			assert.Equal(t, 200, w.Code, "%s on %s", target, root)
			assert.True(t, strings.HasPrefix(w.Body.String(), pattern+" p="), "%s on %s: %s", target, root, w.Body)
		}
		inside := ask(t, app, "GET /m/5/x").Code
		isRest := root == "subtree" || strings.Contains(root, "...")
		assert.Equal(t, isRest, inside == 200, "%s: inside", root)
		assert.Equal(t, 404, ask(t, app, "GET /m").Code, root)
	}
}

func TestMountRootBesideOuterRoutes(t *testing.T) {
	app, users := segue.New(), segue.New()
	users.GET("/", says("inner"))
	app.Mount("/users", users)
	app.GET("/users/", says("outer slash"))
	answers(t, app, map[string]string{"GET /users": "200 inner", "GET /users/": "200 outer slash"})

	conflict := registering(t, func() { app.GET("/users", says("outer")) })
	require.IsType(t, &segue.ConflictError{}, conflict)
	answers(t, app, map[string]string{"GET /users": "200 inner", "GET /users/": "200 outer slash"})

	for _, inner := range []string{"/", "/{rest...}"} { // subtree and rest
		app, files := segue.New(), segue.New()
		app.Mount("/files", files)
		files.HandleFunc(inner, says("inner"))
		app.GET("/files", says("outer"))
		answers(t, app, map[string]string{"GET /files": "200 outer", "GET /files/": "200 inner", "GET /files/x": "200 inner"})
	}
}

func TestMountRootUnderSlashExact(t *testing.T) {
	app, users := segue.New(), segue.New()
	users.TrailingSlash(segue.SlashExact)
	users.GET("/", shows)
	app.Mount("/users", users)
	answers(t, app, map[string]string{"GET /users": "200 GET /users", "GET /users/": "404", "POST /users/": "404", "POST /users": "405"})
}

// One trie: outer routes and mounted ones stand beside each other, and a dead
// end inside a mount leads nowhere worse than without it.
func TestOuterRoutesBesideAMount(t *testing.T) {
	app, users := segue.New(), segue.New()
	users.GET("/new", shows)
	users.POST("/{id}", shows)
	app.Mount("/users", users)
	app.GET("/users/{name}", shows)
	app.GET("/{kind}/{id}/posts", shows)
	answers(t, app, map[string]string{
		"GET /users/new":       "200 GET /users/new",
		"GET /users/7":         "200 GET /users/{name} name=7",
		"POST /users/7":        "200 POST /users/{id} id=7",
		"GET /users/new/posts": "200 GET /{kind}/{id}/posts kind=users id=new",
	})
}

func TestMountWithoutPrefix(t *testing.T) {
	for _, prefix := range []string{"", "/"} {
		app, rt := segue.New(), segue.New()
		rt.Use(via("rt"))
		rt.GET("/", shows)
		rt.GET("/x/{id}", shows)
		app.Mount(prefix, rt)
		app.GET("/y", shows)
		assert.Equal(t, "rt", viaOf(ask(t, app, "GET /")))
		assert.Empty(t, viaOf(ask(t, app, "GET /y")))
		answers(t, app, map[string]string{"GET /": "200", "GET /x/1": "200 GET /x/{id} id=1", "GET /z": "404"})
	}
}

func TestMountJoinsHostAndMethod(t *testing.T) {
	app, rt := segue.New(), segue.New()
	rt.HandleFunc("GET example.org/x/{id}", shows)
	rt.HandleFunc("/x/{id}", shows)
	app.Mount("/m", rt)
	answers(t, app, map[string]string{
		"GET http://example.org/m/x/1": "200 GET example.org/m/x/{id} id=1",
		"GET http://other.org/m/x/1":   "200 /m/x/{id} id=1",
		"GET http://example.org/x/1":   "404",
	})
}

// A prefix may have a host, alone or with a path: of Mount and of Group, in a
// router that has a prefix itself, and of a router mounted elsewhere too.
func TestMountOnAHost(t *testing.T) {
	app, api := segue.New(), segue.New()
	api.Use(via("api"))
	api.GET("/", shows)
	api.GET("/users/:id", shows)
	api.HandleFunc("POST /files/", shows)
	app.Mount("Api.example.org", api)
	app.Mount("{tenant}.example.org/v1/", api)
	app.Mount("/api", api)
	group := app.Group("/in").Group("{tenant}.example.com/deep", via("group"))
	group.With(via("with")).GET("/{$}", shows)
	group.GET("/{id}", shows)
	app.GET("/users/{id}", says("none"))
	answers(t, app, map[string]string{
		"GET http://api.example.org/":                "200 GET Api.example.org/",
		"GET http://API.example.org.:80/users/7":     "200 GET Api.example.org/users/{id} id=7",
		"POST http://api.example.org/files/a/b":      "200 POST Api.example.org/files/",
		"GET http://api.example.org/v1":              "200 GET {tenant}.example.org/v1 tenant=api",
		"GET http://acme.example.org/v1":             "200 GET {tenant}.example.org/v1 tenant=acme",
		"GET http://acme.example.org/v1/":            "200 GET {tenant}.example.org/v1 tenant=acme",
		"GET http://Acme.example.org/v1/users/7":     "200 GET {tenant}.example.org/v1/users/{id} tenant=acme id=7",
		"GET http://acme.example.org/v1/users/a%2Fb": "200 GET {tenant}.example.org/v1/users/{id} tenant=acme id=a/b",
		"POST http://acme.example.org/v1/files/x":    "200 POST {tenant}.example.org/v1/files/ tenant=acme",
		"GET http://acme.example.org/users/7":        "200 none",
		"GET http://a.b.example.org/v1":              "404",
		"GET http://acme.example.org/api":            "200 GET /api",
		"GET http://acme.example.com/in/deep/":       "200 GET {tenant}.example.com/in/deep tenant=acme",
		"GET http://acme.example.com/in/deep":        "200 GET {tenant}.example.com/in/deep tenant=acme",
		"GET http://acme.example.com/in/deep/7":      "200 GET {tenant}.example.com/in/deep/{id} tenant=acme id=7",
		"GET http://acme.example.com/in/deep/7/":     "307",
		"PUT http://acme.example.com/in/deep/7":      "405",
		"GET http://example.com/in/deep/7":           "404",
	})
	assert.Equal(t, "group with", viaOf(ask(t, app, "GET http://acme.example.com/in/deep")))
	assert.Equal(t, "group", viaOf(ask(t, app, "PUT http://acme.example.com/in/deep/7")))
	assert.Equal(t, "api", viaOf(ask(t, app, "GET http://acme.example.org/v1/users/7")))
	w := ask(t, app, "GET http://acme.example.org/v1/users/7/?q=1")
	assert.Equal(t, "/v1/users/7?q=1", w.Header().Get("Location"), "a redirect stays on its host")
	answers(t, api, map[string]string{"GET /users/7": "200 GET /users/{id} id=7"})
	api.GET("/late", shows)
	answers(t, app, map[string]string{"GET http://acme.example.org/v1/late": "200 GET {tenant}.example.org/v1/late tenant=acme"})
}

// A host without a dot is taken where nobody can have meant a path.
func TestMountOnAHostWithoutADot(t *testing.T) {
	app := segue.New()
	app.Group("localhost/m").GET("/x", shows)
	app.Group("[::1]").GET("/x", shows)
	answers(t, app, map[string]string{
		"GET http://localhost:8080/m/x": "200 GET localhost/m/x", "GET http://[::1]/x": "200 GET [::1]/x", "GET http://h.org/m/x": "404",
	})
}

// A request has one host. What brings a second one onto a way is refused at its
// own place, be it a route, a group or a mount, and changes nothing.
func TestMountRefusesASecondHost(t *testing.T) {
	app, inside, outside := segue.New(), segue.New(), segue.New()
	host := app.Group("{tenant}.example.org/a")
	below := host.Group("/b")
	inside.Group("/c").Group("b.example.org/d")
	outside.HandleFunc("b.example.org/e", shows)
	for name, c := range map[string]struct {
		refuse  func()
		pattern string
		offset  int
	}{
		"a route":             {func() { below.HandleFunc("POST b.example.org/x", shows) }, "POST b.example.org/b/x", 5},
		"a route of the host": {func() { host.HandleFunc("{x}.example.org/x", shows) }, "{x}.example.org/x", 0},
		"a group":             {func() { below.Group("b.example.org") }, "b.example.org", 0},
		"the same host":       {func() { host.Group("{tenant}.example.org/a") }, "{tenant}.example.org/a", 0},
		"a plain handler":     {func() { host.Mount("b.example.org/p", http.NotFoundHandler()) }, "b.example.org/p", 0},
		"a router":            {func() { below.Mount("b.example.org/", segue.New()) }, "b.example.org", 0},
		"around a group":      {func() { below.Mount("/m", inside) }, "/m", 0},
		"by the mount itself": {func() { app.Mount("c.example.org/m", inside) }, "c.example.org/m", 0},
		"around a route":      {func() { app.Mount("c.example.org/m", outside) }, "b.example.org/e", 0},
		"around a host":       {func() { outer := segue.New(); outer.Mount("c.example.org", app) }, "c.example.org", 0},
	} {
		err := registering(t, c.refuse)
		var wrong *segue.PatternError
		require.ErrorAs(t, err, &wrong, name)
		assert.Equal(t, c.pattern, wrong.Pattern, name)
		assert.Equal(t, c.offset, wrong.Offset, name)
		assert.Contains(t, wrong.Reason, "has a host already", name)
		assert.Contains(t, err.Error(), "mount_test.go:", name)
		assert.Empty(t, patterns(app), name)
	}
	below.GET("/x", shows)
	assert.Equal(t, []string{"GET {tenant}.example.org/a/b/x"}, patterns(app))
}

// The host's name and one of a route inside cannot be the same.
func TestMountRefusesTheHostsName(t *testing.T) {
	app := segue.New()
	tenants := app.Group("{id}.example.org")
	err := registering(t, func() { tenants.GET("/users/{id}", shows) })
	var wrong *segue.PatternError
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, "GET {id}.example.org/users/{id}", wrong.Pattern)
	assert.Equal(t, strings.LastIndex(wrong.Pattern, "{id}"), wrong.Offset)
	users := segue.New()
	users.HandleFunc("{id}.example.org/x", shows)
	require.IsType(t, &segue.PatternError{}, registering(t, func() { app.Mount("/users/{id}", users) }))
	assert.Empty(t, patterns(app))
}

// Routers on hosts that differ in a name alone are on one host.
func TestMountsOnOneHostConflict(t *testing.T) {
	app := segue.New()
	app.Group("{a}.example.org/x").GET("/{b}", shows)
	other := app.Group("{c}.Example.org./x")
	require.IsType(t, &segue.ConflictError{}, registering(t, func() { other.GET("/{d}", shows) }))
	other.POST("/{d}", shows)
	answers(t, app, map[string]string{
		"GET http://t.example.org/x/1": "200 GET {a}.example.org/x/{b} a=t b=1", "POST http://t.example.org/x/1": "200 POST {c}.Example.org./x/{d} c=t d=1",
	})
}

// registering returns the error that do panics with.
func registering(t *testing.T, do func()) error {
	t.Helper()
	err := testkit.PanicOf(do)
	require.Error(t, err, "it was not refused")
	require.NotContains(t, err.Error(), "panic with a", "not an error")
	return err
}

func TestMountRefusesPrefixes(t *testing.T) {
	app := segue.New()
	app.GET("/x", shows)
	for _, prefix := range []string{
		"GET /m", "GET example.org/m", "m", "m/n", "{x}", "{x}/m", "h{x}.org", "{x...}.org", "{x}.", "example.org:80", "*.org/m", "example.org//m", "{a}.org/{a}", "/m/{rest...}", "/m/*rest", "/m/{$}", "/{rest...}/m", "/{a}/{a}",
		"/{}", "/a{b}", "/{b}a", "/*", "/m//", "/m /x", "/{a", "/:1",
	} {
		for name, try := range map[string]func(){
			"Mount": func() { app.Mount(prefix, segue.New()) },
			"plain": func() { app.Mount(prefix, http.NotFoundHandler()) },
			"Group": func() { app.Group(prefix) },
		} {
			err := registering(t, try)
			var pe *segue.PatternError
			require.ErrorAs(t, err, &pe, "%s %s", name, prefix)
			assert.Equal(t, prefix, pe.Pattern, "%s %s", name, prefix)
			assert.Contains(t, err.Error(), "mount_test.go:", "%s %s", name, prefix)
		}
	}
	answers(t, app, map[string]string{"GET /x": "200 GET /x", "GET /m": "404"})
}

func TestMountRefusesCycles(t *testing.T) {
	a, b, c := segue.New(), segue.New(), segue.New()
	a.GET("/x", shows)
	a.Mount("/b", b)
	b.Mount("/c", c)
	group := c.Group("/g")
	for name, mount := range map[string]func(){
		"itself":          func() { a.Mount("/a", a) },
		"by way of one":   func() { b.Mount("/a", a) },
		"by way of two":   func() { c.Mount("/a", a) },
		"without prefix":  func() { c.Mount("", a) },
		"from a group":    func() { group.Mount("/a", a) },
		"a group in self": func() { group.Mount("/x", c) },
	} {
		err := registering(t, mount)
		require.IsType(t, &segue.PatternError{}, err, name)
		assert.Contains(t, err.Error(), "mounted in itself", name)
		assert.Contains(t, err.Error(), "mount_test.go:", name)
	}
	answers(t, a, map[string]string{"GET /x": "200 GET /x", "GET /b/c/a/x": "404"})
}

func TestMountRefusesNil(t *testing.T) {
	app := segue.New()
	var none *segue.Router
	var noFunc http.HandlerFunc
	for name, handler := range map[string]http.Handler{"nil": nil, "router": none, "func": noFunc} {
		err := registering(t, func() { app.Mount("/m", handler) })
		assert.Contains(t, err.Error(), "handler is nil", name)
		assert.Contains(t, err.Error(), "mount_test.go:", name)
	}
	assert.Equal(t, 404, ask(t, app, "GET /m").Code)
}

// A name of the prefix and one of a route inside cannot both be the same; which
// of the two comes second is refused, at its own place.
func TestMountRefusesASharedName(t *testing.T) {
	app, rt := segue.New(), segue.New()
	rt.GET("/{id}/x", shows)
	place := here(1)
	err := registering(t, func() { app.Mount("/{org}/{id}", rt) })
	require.IsType(t, &segue.PatternError{}, err)
	assert.Contains(t, err.Error(), "the name id")
	assert.Contains(t, err.Error(), place)

	app, rt = segue.New(), segue.New()
	app.Mount("/{id}", rt)
	place = here(1)
	err = registering(t, func() { rt.GET("/{idea}/{id}/{ideal}", shows) })
	var pe *segue.PatternError
	require.ErrorAs(t, err, &pe)
	assert.Equal(t, "GET /{id}/{idea}/{id}/{ideal}", pe.Pattern)
	assert.Equal(t, strings.LastIndex(pe.Pattern, "{id}"), pe.Offset, "the caret's place: %s", err)
	assert.Contains(t, err.Error(), place)
	answers(t, app, map[string]string{"GET /1/2/3/4": "404"})
	answers(t, rt, map[string]string{"GET /2/3/4": "404"})
}

// A refused registration leaves every router as it was, across mounts.
func TestRefusedRegistrationChangesNothing(t *testing.T) {
	child, first, second, top := segue.New(), segue.New(), segue.New(), segue.New()
	first.Mount("/c", child)
	second.Mount("/c", child)
	top.Mount("/first", first)
	top.Mount("/second", second)
	top.GET("/second/c/taken", says("top"))

	// It fits in child, first and second, and fails in top alone.
	err := registering(t, func() { child.GET("/taken", says("child")) })
	var ce *segue.ConflictError
	require.ErrorAs(t, err, &ce)
	assert.Equal(t, "GET /second/c/taken", ce.New.Pattern)
	for rt, request := range map[*segue.Router]string{child: "GET /taken", first: "GET /c/taken", second: "GET /c/taken", top: "GET /first/c/taken"} {
		assert.Equal(t, 404, ask(t, rt, request).Code, request)
	}
	answers(t, top, map[string]string{"GET /second/c/taken": "200 top"})

	// The same for a mount: all of its routes or none.
	late := segue.New()
	late.GET("/free", shows)
	late.GET("/second/c/taken", shows)
	registering(t, func() { top.Mount("/", late) })
	answers(t, top, map[string]string{"GET /free": "404", "GET /second/c/taken": "200 top"})
	late.GET("/later", shows) // it is not mounted, so nothing comes through
	answers(t, top, map[string]string{"GET /later": "404"})

	child.GET("/works", shows)
	registering(t, func() { top.Mount("/first", first) }) // a second time at the same place
	child.POST("/works", shows)
	answers(t, top, map[string]string{
		"GET /first/c/works": "200 GET /first/c/works", "GET /second/c/works": "200 GET /second/c/works",
	})
}

// Two places of one router may come to the same route.
func TestMountTwiceAtOnePlaceIsRefused(t *testing.T) {
	app, rt := segue.New(), segue.New()
	app.Mount("/a/{x}", rt)
	app.Mount("/a/{y}", rt) // nothing in it yet
	err := registering(t, func() { rt.GET("/r", shows) })
	require.IsType(t, &segue.ConflictError{}, err)
	assert.NotContains(t, err.Error(), "mounted at", "the route is what came second")
	answers(t, app, map[string]string{"GET /a/1/r": "404"})
	answers(t, rt, map[string]string{"GET /r": "404"})
}

// Where it is a mount that brings two routes together, the conflict names three
// places: the routes' own and the mount's.
func TestConflictByAMountNamesItsPlace(t *testing.T) {
	app, rt := segue.New(), segue.New()
	outer := here(1)
	app.GET("/a/{x}/{y...}", shows)
	inner := here(1)
	rt.GET("/*rest", shows)
	mount := here(1)
	err := registering(t, func() { app.Mount("/a/{z}", rt) })
	require.IsType(t, &segue.ConflictError{}, err)
	assert.Contains(t, err.Error(), fmt.Sprintf(`pattern "GET /a/{z}/{rest...}" (registered at %s)`, inner))
	assert.Contains(t, err.Error(), fmt.Sprintf(`as "GET /a/{x}/{y...}" (registered at %s), for example /a/z/rest (mounted at %s)`, outer, mount))
}

// seesPath is a plain handler that tells what it sees.
func seesPath(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "%s|%s|%s|%s", r.URL.Path, r.URL.RawPath, r.PathValue("id"), segue.Param(r, "id"))
}

func TestPlainHandlerSeesTheRestOfThePath(t *testing.T) {
	for _, values := range []bool{true, false} {
		app := segue.New()
		app.PathValues(values)
		app.Mount("/m", http.HandlerFunc(seesPath))
		app.Mount("/t/{id}", http.HandlerFunc(seesPath))
		app.Mount("/", http.HandlerFunc(seesPath))
		answers(t, app, map[string]string{
			"GET /m":            "200 /|||",
			"GET /m/":           "200 /|||",
			"GET /m/a/b":        "200 /a/b|||",
			"GET /m/a%20b":      "200 /a b|||",
			"GET /m/a%2Fb/c":    "200 /a/b/c|/a%2Fb/c||",
			"GET /t/7":          "200 /||7|7",
			"GET /t/7/x/":       "200 /x/||7|7",
			"GET /t/a%2Fb/x":    "200 /x|/x|a/b|a/b",
			"GET /t/a%2Fb/%2Fx": "200 //x|/%2Fx|a/b|a/b",
			"GET /other":        "200 /other|||",
			"POST /m/x":         "200 /x|||",
		})
	}
}

// Each parameter of the prefix keeps its own value, however many there are.
func TestPlainHandlerSeesEachParameter(t *testing.T) {
	for _, values := range []bool{true, false} {
		app := segue.New()
		app.PathValues(values)
		app.Mount("/{a}/of/{b}/{c}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "a=%s b=%s c=%s on %s, b=%s", r.PathValue("a"), r.PathValue("b"), r.PathValue("c"), r.URL.Path, segue.Param(r, "b"))
		}))
		answers(t, app, map[string]string{
			"GET /1/of/2/3":         "200 a=1 b=2 c=3 on /, b=2",
			"GET /x/of/y%2Fy/z/w/v": "200 a=x b=y/y c=z on /w/v, b=y/y",
		})
	}
}

// What the handler writes into its request does not reach the one outside, which
// a middleware may be reading.
func TestPlainHandlerHasValuesOfItsOwn(t *testing.T) {
	for _, values := range []bool{true, false} {
		app := segue.New()
		app.PathValues(values)
		var after string
		app.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.SetPathValue("own", "outside")
				next.ServeHTTP(w, r)
				after = r.PathValue("own")
			})
		})
		app.Mount("/{id}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, r.PathValue("own"))
			r.SetPathValue("own", "inside")
		}))
		answers(t, app, map[string]string{"GET /1/x": "200 outside"})
		assert.Equal(t, "outside", after)
	}
}

// A router that is mounted without any route, while the outer one is served,
// owns its misses from then on.
func TestEmptyMountOwnsItsMissesAtOnce(t *testing.T) {
	app, empty := segue.New(), segue.New()
	empty.NotFound(lost("empty"))
	assert.Equal(t, 404, ask(t, app, "GET /m/x").Code)
	app.Mount("/m", empty)
	answers(t, app, map[string]string{"GET /m/x": `418 empty [] ""`, "GET /x": "404"})
}

// Without a prefix a route has one text as a root's own and in each router that
// mounts it; whose list an error walks is told apart all the same.
func TestErrorListUnderMountsWithoutPrefix(t *testing.T) {
	quiet(t)
	if testkit.Purego {
		t.Skip("equal texts are not told apart")
	}
	child, a, b, outer := segue.New(), segue.New(), segue.New(), segue.New()
	child.GET("/{id}", fails)
	child.OnError(listed("child"))
	a.OnError(listed("a"))
	b.OnError(listed("b"))
	outer.OnError(listed("outer"))
	a.Mount("", child)
	b.Mount("/", child)
	outer.Mount("", b)
	for range 2 {
		assert.Equal(t, "child", listOf(ask(t, child, "GET /1")))
		assert.Equal(t, "child a", listOf(ask(t, a, "GET /1")))
		assert.Equal(t, "child b", listOf(ask(t, b, "GET /1")))
		assert.Equal(t, "child b outer", listOf(ask(t, outer, "GET /1")))
	}
}

// An inner ServeMux has parameters and a pattern of its own; the outer router's
// stay visible beside them, and its own request keeps what it had.
func TestPlainServeMux(t *testing.T) {
	for _, values := range []bool{true, false} {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /users/{user}", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s org=%s user=%s param=%s", r.Pattern, r.PathValue("org"), r.PathValue("user"), segue.Param(r, "org"))
		})
		var after string
		app := segue.New()
		app.PathValues(values)
		app.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(w, r)
				after = r.Pattern + " " + segue.Param(r, "org") + " " + r.URL.Path
			})
		})
		app.Mount("/orgs/{org}", mux)
		answers(t, app, map[string]string{
			"GET /orgs/acme/users/7":     "200 GET /users/{user} org=acme user=7 param=acme",
			"GET /orgs/a%2Fb/users/c%20": "200 GET /users/{user} org=a/b user=c  param=a/b",
			"POST /orgs/acme/users/7":    "405",
			"GET /orgs/acme/nope":        "404",
		})
		ask(t, app, "GET /orgs/acme/users/7")
		assert.Equal(t, "/orgs/{org}/ acme /orgs/acme/users/7", after)
	}
}

// A plain handler on a host reads the host's parameter, a ServeMux's handlers too,
// and sees the path without the prefix.
func TestPlainHandlerOnAHost(t *testing.T) {
	for _, values := range []bool{true, false} {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /users/{user}", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s %s %s %s %s", r.Pattern, r.PathValue("tenant"), segue.Param(r, "tenant"), r.PathValue("user"), r.URL.Path)
		})
		sees := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s %s %s %s", r.PathValue("tenant"), segue.Param(r, "tenant"), r.PathValue("id"), r.URL.EscapedPath())
		})
		app := segue.New()
		app.PathValues(values)
		app.Mount("{tenant}.example.com/legacy", mux)
		app.Mount("{tenant}.example.com/t/{id}", sees)
		app.Mount("{tenant}.example.org", sees)
		app.Mount("exact.example.org/x", sees)
		answers(t, app, map[string]string{
			"GET http://Acme.example.com:80/legacy/users/7": "200 GET /users/{user} acme acme 7 /users/7",
			"POST http://acme.example.com/legacy/users/7":   "405",
			"GET http://acme.example.com/legacy":            "404",
			"GET http://acme.example.com/t/a%2Fb/x%2Fy/":    "200 acme acme a/b /x%2Fy/",
			"GET http://acme.example.com/t/7":               "200 acme acme 7 /",
			"GET http://acme.example.org/a/b":               "200 acme acme  /a/b",
			"GET http://acme.example.org/":                  "200 acme acme  /",
			"GET http://exact.example.org/x/y":              "200    /y",
			"GET http://exact.example.org/y":                "200 exact exact  /y",
		})
	}
}

func TestPlainFileServer(t *testing.T) {
	files := fstest.MapFS{
		"index.html":       {Data: []byte("front")},
		"a.txt":            {Data: []byte("text a")},
		"dir/b%.txt":       {Data: []byte("text b")},
		"dir/c/index.html": {Data: []byte("in c")},
	}
	app := segue.New()
	app.Mount("/files/{version}", http.FileServerFS(files))
	answers(t, app, map[string]string{
		"GET /files/1/a.txt":        "200 text a",
		"GET /files/1":              "200 front",
		"GET /files/1/":             "200 front",
		"GET /files/1/dir/b%25.txt": "200 text b",
		"GET /files/1/dir/c/":       "200 in c",
		"GET /files/1/nope":         "404",
	})
}

func TestPlainPprof(t *testing.T) {
	app := segue.New()
	app.Mount("/admin", http.DefaultServeMux) // where net/http/pprof registers itself
	app.Handle("/debug/pprof/", http.DefaultServeMux)
	get := func(target string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		return w
	}
	for _, prefix := range []string{"/admin", ""} {
		assert.Contains(t, get(prefix+"/debug/pprof/").Body.String(), "goroutine", prefix)
		assert.Contains(t, get(prefix+"/debug/pprof/goroutine?debug=1").Body.String(), "goroutine profile", prefix)
		assert.Equal(t, 200, get(prefix+"/debug/pprof/cmdline").Code, prefix)
	}
}

func TestPlainReverseProxy(t *testing.T) {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s", r.Method, r.RequestURI)
	}))
	defer backend.Close()
	target, err := url.Parse(backend.URL + "/base")
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header.Set("X-Tenant", r.In.PathValue("tenant"))
	}}
	app := segue.New()
	app.Mount("/t/{tenant}/api", proxy)
	front := httptest.NewServer(app)
	defer front.Close()
	for request, want := range map[string]string{
		"/t/x/api":              "GET /base/",
		"/t/x/api/":             "GET /base/",
		"/t/x/api/v1/a%2Fb?q=1": "GET /base/v1/a%2Fb?q=1",
		"/t/x%2Fy/api/v1/a%20b": "GET /base/v1/a%20b",
	} {
		resp, err := http.Get(front.URL + request)
		require.NoError(t, err)
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		assert.Equal(t, want, string(body), request)
	}
}

// segue is itself a plain handler to a ServeMux, and to another segue by Handle.
func TestRouterInsideOthers(t *testing.T) {
	inner := segue.New()
	inner.GET("/api/users/{id}", shows)
	mux := http.NewServeMux()
	mux.Handle("/api/", inner)
	outer := segue.New()
	outer.Handle("/{id}/", http.StripPrefix("/v1", inner)) // its id must not show through
	for path, h := range map[string]http.Handler{"/api/users/7": mux, "/v1/api/users/7": outer} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		assert.Equal(t, "GET /api/users/{id} id=7", w.Body.String())
	}
	if testkit.Purego {
		return // what segue wrote by SetPathValue stays
	}
	inner.GET("/api/plain", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "id="+r.PathValue("id")) })
	w := httptest.NewRecorder()
	outer.ServeHTTP(w, httptest.NewRequest("GET", "/v1/api/plain", nil))
	assert.Equal(t, "id=", w.Body.String())
}

// With goes on from its parent's prefix, and nests.
func TestWithAndGroupNest(t *testing.T) {
	app := segue.New()
	api := app.Group("/api", via("api"))
	with := api.With(via("w1")).With(via("w2"))
	with.GET("/", shows)
	with.Group("/g", via("g")).GET("/{id}", shows)
	mounted := segue.New()
	mounted.GET("/", shows)
	with.Mount("/m", mounted)
	for request, want := range map[string]string{
		"GET /api": "api w1 w2", "GET /api/": "api w1 w2", "GET /api/g/1": "api w1 w2 g", "GET /api/m": "api w1 w2",
	} {
		w := ask(t, app, request)
		assert.Equal(t, 200, w.Code, request)
		assert.Equal(t, want, viaOf(w), request)
	}
}

// A router that was discarded must not live on in what was mounted in it, nor
// disturb what is registered there later.
func TestDiscardedParentIsForgotten(t *testing.T) {
	child, app := segue.New(), segue.New()
	collected := make(chan struct{})
	func() {
		old := segue.New()
		old.Use(via("old"))
		old.Mount("/old", child)
		child.GET("/x", shows)
		ask(t, old, "GET /old/x")
		runtime.AddCleanup(old, func(struct{}) { close(collected) }, struct{}{})
	}()
	app.Mount("/app", child)
	require.Eventually(t, func() bool {
		runtime.GC()
		select {
		case <-collected:
			return true
		default:
			return false
		}
	}, time.Minute, time.Millisecond, "the discarded root is still there")
	for i := range 3 {
		require.NotPanics(t, func() { child.GET(fmt.Sprintf("/later%d", i), shows) })
		assert.Equal(t, 200, ask(t, app, fmt.Sprintf("GET /app/later%d", i)).Code)
	}
	assert.Equal(t, 200, ask(t, app, "GET /app/x").Code)
	assert.Equal(t, 200, ask(t, child, "GET /x").Code)
}

// A router that is mounted twice at each of 40 levels is looked at once.
func TestMountOfManyWays(t *testing.T) {
	inner := segue.New()
	for range 40 {
		outer := segue.New()
		outer.Mount("/a", inner)
		outer.Mount("/b", inner)
		inner = outer
	}
	assert.NoError(t, testkit.PanicOf(func() { segue.New().Mount("h.example.org/", inner) }))
	assert.Error(t, testkit.PanicOf(func() { inner.Mount("/c", inner) }), "a cycle")
}

// The form that a plain handler parses under a mount reaches the request that came:
// the server removes that request's temporary files.
func TestMountSharesTheForm(t *testing.T) {
	app := segue.New()
	app.Mount("/u/{id}", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		assert.NoError(t, r.ParseMultipartForm(1<<10))
	}))
	body := "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n"
	r := httptest.NewRequest("POST", "/u/7/form", strings.NewReader(body))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	app.ServeHTTP(httptest.NewRecorder(), r)
	if assert.NotNil(t, r.MultipartForm) {
		assert.Equal(t, []string{"1"}, r.MultipartForm.Value["a"])
	}
}
