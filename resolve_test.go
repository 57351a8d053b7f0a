package segue_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// What is answered where no route is: 404, 405, redirects and OPTIONS, whose router
// they belong to, and which middleware runs.

// Of the verb routes on one path it does not depend on the order of registration
// whose router answers OPTIONS: one that answers the other spelling as well, else
// the first by its method.
func TestOptionsHasOneOwner(t *testing.T) {
	policies := []segue.SlashPolicy{segue.SlashExact, segue.SlashRedirect, segue.SlashEither}
	for _, getPolicy := range policies {
		for _, putPolicy := range policies {
			for _, putFirst := range []bool{false, true} {
				app := segue.New()
				get, put := segue.New(), segue.New()
				get.Use(via("get"))
				put.Use(via("put"))
				get.TrailingSlash(getPolicy)
				put.TrailingSlash(putPolicy)
				app.Mount("", get)
				app.Mount("", put)
				if putFirst {
					put.PUT("/x", shows)
				}
				get.GET("/x", shows)
				if !putFirst {
					put.PUT("/x", shows)
				}
				owner := "get"
				if getPolicy == segue.SlashExact && putPolicy != segue.SlashExact {
					owner = "put"
				}
				w := ask(t, app, "OPTIONS /x")
				what := fmt.Sprintf("GET %v, PUT %v, PUT first: %v", getPolicy, putPolicy, putFirst)
				assert.Equal(t, 204, w.Code, what)
				assert.Equal(t, "GET, HEAD, OPTIONS, PUT", w.Header().Get("Allow"), what)
				assert.Equal(t, owner, viaOf(w), what)
			}
		}
	}
}

// The best route on a path decides OPTIONS, host by host: where that is one of
// Handle's, a verb's elsewhere adds no automatic answer.
func TestOptionsIsDecidedByTheBestRoute(t *testing.T) {
	app := segue.New()
	app.HandleFunc("GET h.example/x", shows)
	app.POST("/x", shows)
	app.HandleFunc("GET /y/{$}", shows)
	app.POST("/{p}/", shows)
	app.PUT("/z", shows)
	app.HandleFunc("/{any}", shows)
	answers(t, app, map[string]string{
		"OPTIONS http://h.example/x": "200 /{any} any=x", "OPTIONS http://other.example/x": "204", "OPTIONS /y/": "405", "OPTIONS /w/": "204", "OPTIONS /z": "204",
		"OPTIONS /v": "200 /{any} any=v",
	})
	app = segue.New()
	app.HandleFunc("GET h.example/x", shows)
	app.POST("/x", shows)
	answers(t, app, map[string]string{"OPTIONS http://h.example/x": "405", "OPTIONS http://other.example/x": "204"})
}

// Allow lists the methods that have a route of their own on a path, also where a
// better one for any method hides it; a file that is absent has none.
func TestAllowListsHiddenMethods(t *testing.T) {
	files := fstest.MapFS{"a/b": {Data: []byte("file")}}
	for _, c := range []struct {
		name  string
		hides func(*segue.Router)
		allow string
	}{
		{"nothing", func(app *segue.Router) {}, "OPTIONS, POST"},
		{"a route", func(app *segue.Router) { app.PUT("/{p}/b", shows) }, "OPTIONS, POST, PUT"},
		{"a rest", func(app *segue.Router) { app.DELETE("/{p...}", shows) }, "DELETE, OPTIONS, POST"},
		{"another path", func(app *segue.Router) { app.PUT("/{p}/c", shows) }, "OPTIONS, POST"},
		{"a file", func(app *segue.Router) { app.Static("/", segue.Files{FS: files}) }, "GET, HEAD, OPTIONS, POST"},
		{"no file", func(app *segue.Router) { app.Static("/", segue.Files{FS: fstest.MapFS{}}) }, "OPTIONS, POST"},
	} {
		for _, hidden := range []bool{true, false} {
			app := segue.New()
			app.POST("/a/b", shows)
			if hidden {
				app.Any("/a/{x}", shows)
			}
			c.hides(app)
			w := ask(t, app, "OPTIONS /a/b")
			assert.Equal(t, 204, w.Code, c.name)
			assert.Equal(t, c.allow, w.Header().Get("Allow"), "%s, hidden: %v", c.name, hidden)
		}
	}
}

// A miss inside of another router or ServeMux has no parameter of theirs: an id
// that somebody outside matched is not the one that was looked for here.
func TestMissesShowNoOuterValues(t *testing.T) {
	inner := segue.New()
	tells := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%q %q %q", r.Pattern, r.PathValue("id"), segue.Param(r, "id"))
	})
	inner.NotFound(tells)
	inner.MethodNotAllowed(tells)
	inner.POST("/7/only", shows)
	mux, outer := http.NewServeMux(), segue.New()
	mux.Handle("/{id}/", inner)
	outer.Handle("/{id}/", inner)
	for name, h := range map[string]http.Handler{"ServeMux": mux, "Router": outer} {
		if testkit.Purego && h == outer {
			continue // what SetPathValue wrote, as everybody's
		}
		for _, target := range []string{"/7/nope", "/7/only"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
			assert.Equal(t, `418 "" "" ""`, fmt.Sprint(w.Code, " ", w.Body), "%s in a %s", target, name)
		}
	}
}

func TestNotFoundIsInherited(t *testing.T) {
	for _, setFirst := range []bool{true, false} {
		app := segue.New()
		set := func() {
			app.NotFound(lost("app"))
			app.MethodNotAllowed(lost("app 405"))
		}
		if setFirst {
			set()
		}
		sub, own := segue.New(), segue.New()
		sub.GET("/x", shows)
		own.GET("/x", shows)
		app.Mount("/sub", sub)
		app.Mount("/own", own)
		own.Group("/deep").GET("/x", shows)
		own.NotFound(lost("own"))
		own.MethodNotAllowed(lost("own 405"))
		if !setFirst {
			set()
		}
		answers(t, app, map[string]string{
			"GET /nope":         `418 app [] ""`,
			"GET /sub/nope":     `418 app [] ""`,
			"GET /own/nope":     `418 own [] ""`,
			"GET /own":          `418 own [] ""`,
			"GET /own/":         `418 own [] ""`,
			"GET /own/deep/no":  `418 own [] ""`,
			"GET /owner":        `418 app [] ""`,
			"PUT /sub/x":        `418 app 405 [GET, HEAD, OPTIONS] ""`,
			"PUT /own/x":        `418 own 405 [GET, HEAD, OPTIONS] ""`,
			"PUT /own/x/":       `418 own 405 [GET, HEAD, OPTIONS] ""`, // the other spelling's methods count
			"PUT /own/deep/x":   `418 own 405 [GET, HEAD, OPTIONS] ""`,
			"OPTIONS /own/x":    "204",
			"OPTIONS /own/nope": `418 own [] ""`,
		})
	}
}

// NotFound is not a route: it hides neither a 405 nor a redirect.
func TestNotFoundHidesNothing(t *testing.T) {
	app := segue.New()
	app.GET("/x", shows)
	app.NotFound(lost("app"))
	answers(t, app, map[string]string{"POST /x": "405", "GET /x/": "307", "OPTIONS /x": "204", "GET //nope": "307"})
}

// The handler for a miss runs inside the middleware of the router that set it,
// which covers the routers above and none below.
func TestNotFoundPassesTheTerritorysMiddleware(t *testing.T) {
	app := segue.New()
	app.Use(via("app"))
	mid := app.Group("/mid", via("mid"))
	deep := mid.Group("/deep", via("deep"))
	deep.GET("/x", shows)
	mid.GET("/y", shows)
	app.Group("/bare", via("bare")) // its middleware alone makes it one
	assertVia := func(want map[string]string) {
		t.Helper()
		for request, want := range want {
			assert.Equal(t, want, viaOf(ask(t, app, request)), request)
		}
	}
	assertVia(map[string]string{"GET /mid/deep/no": "app mid deep", "GET /mid/no": "app mid", "GET /no": "app", "GET /bare/no": "app bare"})
	mid.NotFound(lost("mid"))
	assertVia(map[string]string{"GET /mid/deep/no": "app mid deep", "GET /mid/no": "app mid", "GET /no": "app"})
	deep.NotFound(lost("deep"))
	assertVia(map[string]string{"GET /mid/deep/no": "app mid deep", "GET /mid/no": "app mid", "GET /no": "app"})
}

// The owner of a miss is the router with the longest prefix, by whole segments
// and, among parameters, by the rule for routes: a literal first.
func TestMissOwner(t *testing.T) {
	app := segue.New()
	for _, prefix := range []string{"/a", "/a/b", "/{x}/b/c", "/{x}", "/a/{y}/d", "/e%2Ff"} {
		app.Group(prefix).NotFound(lost(prefix))
	}
	app.NotFound(lost("app"))
	answers(t, app, map[string]string{
		"GET /":          `418 app [] ""`,
		"GET /a":         `418 /a [] ""`,
		"GET /a/":        `418 /a [] ""`,
		"GET /a/x/y":     `418 /a [] ""`,
		"GET /a/b":       `418 /a/b [] ""`,
		"GET /a/b/c/d":   `418 /a/b [] ""`,
		"GET /a/bb":      `418 /a [] ""`,
		"GET /a/x/d/y":   `418 /a/{y}/d [] ""`,
		"GET /z/x":       `418 /{x} [] ""`,
		"GET /z/b/c/d":   `418 /{x}/b/c [] ""`,
		"GET /e%2Ff/g":   `418 /e%2Ff [] ""`,
		"GET /%61/x":     `418 /a [] ""`,
		"GET /a%2Fb/x":   `418 /{x} [] ""`,
		"OPTIONS /a/b/c": `418 /a/b [] ""`,
	})
}

// Two groups at one prefix share their misses: these are the innermost router's that
// contains both. A router that With made owns none.
func TestMissOwnerOfTwoGroups(t *testing.T) {
	app := segue.New()
	outer := app.Group("/outer", via("outer"))
	outer.NotFound(lost("outer"))
	with := outer.With(via("with"))
	for _, path := range []string{"/a", "/b"} {
		with.Group("/both", via(path)).GET(path, shows)
	}
	w := ask(t, app, "GET /outer/both/nope")
	assert.Equal(t, `418 outer [] ""`, fmt.Sprint(w.Code, " ", w.Body))
	assert.Equal(t, "outer", viaOf(w))
}

// A host's router owns the misses of its host before any router without one, the
// very host's before that of a parameter, and only there.
func TestMissOwnerOnAHost(t *testing.T) {
	app := segue.New()
	for _, prefix := range []string{"/a/b", "a.example.org", "a.example.org/a", "{t}.example.org/a", "{t}.example.org/{x}/c", "b.example.org/z", "/z"} {
		app.Group(prefix, via(prefix)).NotFound(lost(prefix))
	}
	app.Use(via("app"))
	app.NotFound(lost("app"))
	for request, want := range map[string]string{
		"GET http://a.example.org/":       "a.example.org",
		"GET http://A.example.org.:1/x/y": "a.example.org",
		"GET http://a.example.org/a/b/c":  "a.example.org/a",
		"GET http://a.example.org/z":      "a.example.org",
		"GET http://a.example.org/x/c":    "a.example.org",
		"GET http://c.example.org/a":      "{t}.example.org/a",
		"GET http://c.example.org/a/b":    "{t}.example.org/a",
		"GET http://c.example.org/x/c/d":  "{t}.example.org/{x}/c",
		"GET http://c.example.org/x":      "",
		"GET http://c.example.org/z/1":    "/z",
		"GET http://b.example.org/a/b":    "{t}.example.org/a", // the very host has none that covers the path
		"GET http://b.example.org/z":      "b.example.org/z",
		"GET http://b.example.org/y":      "",
		"GET http://example.org/a/b":      "/a/b",
		"OPTIONS http://a.example.org/a":  "a.example.org/a",
		"GET http://.example.org/a":       "",
	} {
		w := ask(t, app, request)
		name, passed := want, "app "+want
		if want == "" {
			name, passed = "app", "app"
		}
		assert.Equal(t, fmt.Sprintf(`418 %s [] ""`, name), fmt.Sprint(w.Code, " ", w.Body), request)
		assert.Equal(t, passed, viaOf(w), request)
	}
}

// On a miss the host's parameter is there as on a match: in the territory's
// middleware, in NotFound, in MethodNotAllowed and in the list of errors.
func TestMissesHaveTheHostsParameter(t *testing.T) {
	for _, values := range []bool{true, false} {
		app := segue.New()
		app.PathValues(values)
		for _, prefix := range []string{"{tenant}.example.org", "{tenant}.example.com/in/{id}"} {
			group := app.Group(prefix, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Tenant", segue.Param(r, "tenant"))
					if !values {
						assert.Empty(t, r.PathValue("tenant"), "PathValues(false)")
					} else {
						assert.Equal(t, segue.Param(r, "tenant"), r.PathValue("tenant"))
					}
					next.ServeHTTP(w, r)
				})
			})
			group.POST("/x", shows)
			group.MethodNotAllowed(testkit.Shows(segue.Params))
			group.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
				w.WriteHeader(http.StatusTeapot)
				testkit.Shows(segue.Params)(w, r)
				return nil
			})
		}
		for request, want := range map[string]string{
			"GET http://Acme.example.org/no":        "418  tenant=acme",
			"GET http://acme.example.org/x":         "200  tenant=acme",
			"GET http://acme.example.com/in/7/no":   "418  tenant=acme id=7",
			"GET http://acme.example.com/in/a%2Fb/": "418  tenant=acme id=a/b",
			"GET http://acme.example.com/in/7/x":    "200  tenant=acme id=7",
			"OPTIONS http://acme.example.org/x":     "204 ",
		} {
			w := ask(t, app, request)
			assert.Equal(t, want, fmt.Sprint(w.Code, " ", w.Body), "%s, PathValues(%v)", request, values)
			assert.Equal(t, "acme", w.Header().Get("Tenant"), "%s, PathValues(%v)", request, values)
		}
		w := ask(t, app, "POST http://acme.example.org/x/")
		assert.Equal(t, "307 acme", fmt.Sprint(w.Code, " ", w.Header().Get("Tenant")))
	}
}

// A verb's route may have a host through its mount. A route that names OPTIONS
// answers before the 204 of another host; one for any method of a lesser host does
// not.
func TestOptionsBesideHosts(t *testing.T) {
	app := segue.New()
	host := app.Group("a.example.org", via("host"))
	host.GET("/x", shows)
	host.GET("/y", shows)
	app.HandleFunc("OPTIONS {t}.example.org/x", shows)
	app.Any("/{any}", shows)
	answers(t, app, map[string]string{
		"OPTIONS http://a.example.org/x": "200 OPTIONS {t}.example.org/x t=a", "OPTIONS http://b.example.org/x": "200 OPTIONS {t}.example.org/x t=b",
		"OPTIONS http://a.example.org/y": "204", "OPTIONS http://b.example.org/y": "200 /{any} any=y", "PUT http://a.example.org/y": "200 /{any} any=y",
	})
	w := ask(t, app, "OPTIONS http://a.example.org/y")
	assert.Equal(t, "GET, HEAD, OPTIONS", w.Header().Get("Allow"))
	assert.Equal(t, "host", viaOf(w))
}

// Allow joins the methods of all hosts that the request may meet, and the 405
// belongs to the best of them.
func TestNotAllowedBesideHosts(t *testing.T) {
	app := segue.New()
	app.Group("a.example.org", via("a")).GET("/x", shows)
	app.Group("{t}.example.org", via("t")).PUT("/x", shows)
	app.With(via("none")).DELETE("/{any}", shows)
	for host, want := range map[string]string{
		"a.example.org": "405 DELETE, GET, HEAD, OPTIONS, PUT by a", "b.example.org": "405 DELETE, OPTIONS, PUT by t", "example.org": "405 DELETE, OPTIONS by none",
	} {
		w := ask(t, app, "POST http://"+host+"/x")
		assert.Equal(t, want, fmt.Sprint(w.Code, " ", w.Header().Get("Allow"), " by ", viaOf(w)), host)
	}
	answers(t, app, map[string]string{"PUT http://a.example.org/x": "200 PUT {t}.example.org/x t=a", "DELETE http://a.example.org/x": "200 DELETE /{any} any=x"})
}

func TestWithOwnsNoMisses(t *testing.T) {
	app := segue.New()
	app.GET("/", shows)
	with := app.With(via("with"))
	with.GET("/x", shows)
	for name, set := range map[string]func(){
		"NotFound":         func() { with.NotFound(lost("with")) },
		"MethodNotAllowed": func() { with.MethodNotAllowed(lost("with")) },
	} {
		text := fmt.Sprint(testkit.PanicOf(set))
		assert.Contains(t, text, "no miss belongs to a router made by With", name)
		assert.Contains(t, text, "resolve_test.go:", name)
	}
	app.NotFound(lost("app"))
	assert.Equal(t, `app [] ""`, ask(t, app, "GET /no").Body.String())
	assert.Empty(t, viaOf(ask(t, app, "GET /no")))
	with.Group("/g").NotFound(lost("group")) // a group has a prefix of its own
	assert.Equal(t, "with", viaOf(ask(t, app, "GET /g/no")))
}

// What With returns can be served too, as a root that owns nothing of its own.
func TestWithServesAsARoot(t *testing.T) {
	app := segue.New()
	with := app.With(via("with"))
	with.GET("/x", shows)
	answers(t, with, map[string]string{"GET /x": "200 GET /x", "GET /nope": "404 404 page not found\n", "PUT /x": "405", "GET //x": "307"})
	assert.Equal(t, "with", viaOf(ask(t, with, "GET /nope")))
	with.OnError(listed("with"))
	assert.Equal(t, "with", listOf(ask(t, with, "GET /nope")), "whose errors are its own")
}

func TestNilMissHandlersAreRefused(t *testing.T) {
	app := segue.New()
	var noFunc http.HandlerFunc
	for name, set := range map[string]func(){
		"NotFound": func() { app.NotFound(nil) }, "NotFound func": func() { app.NotFound(noFunc) },
		"MethodNotAllowed": func() { app.MethodNotAllowed(nil) },
		"OnError":          func() { app.OnError(nil) },
	} {
		text := fmt.Sprint(testkit.PanicOf(set))
		assert.Contains(t, text, "nil", name)
		assert.Contains(t, text, "resolve_test.go:", name)
	}
	assert.Equal(t, 404, ask(t, app, "GET /").Code)
}

// A NotFound that serves another path of the same app, as a single-page
// application's does.
func TestNotFoundMayServeAgain(t *testing.T) {
	app := segue.New()
	app.Use(via("app"))
	app.GET("/app/{page}", shows)
	app.NotFound(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL = &url.URL{Path: "/app/index"}
		app.ServeHTTP(w, r)
	}))
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/deep/link", nil))
	assert.Equal(t, "GET /app/{page} page=index", w.Body.String())
	assert.Equal(t, "app app", viaOf(w))
}

// On a redirect to a clean path r.Pattern is the target's, while the URL is not:
// a parameter read there must not come from another segment.
func TestRedirectGivesNoWrongParameter(t *testing.T) {
	app := segue.New()
	var org string
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			org = segue.Param(r, "org")
			next.ServeHTTP(w, r)
		})
	})
	app.GET("/orgs/{org}/users", shows)
	for _, target := range []string{"/orgs/acme/users/", "//orgs/acme/users", "/orgs/x/../acme/users"} {
		assert.Equal(t, 307, ask(t, app, "GET "+target).Code, target)
		assert.Contains(t, []string{"", "acme"}, org, target)
	}
}

// What r.Pattern shows outside of the router, which a log around it reads.
func TestPatternOutsideOfTheRouter(t *testing.T) {
	app := segue.New()
	app.Use(via("app"))
	app.Group("/g", via("g")).GET("/x/{id}", shows)
	for request, want := range map[string]string{
		"GET /g/x/1": "GET /g/x/{id}", "GET /g/x/1/": "GET /g/x/{id}", "GET //g/x/1": "GET /g/x/{id}",
		"GET /g/x": "", "PUT /g/x/1": "", "OPTIONS /g/x/1": "", "GET //nope": "",
	} {
		method, target, _ := strings.Cut(request, " ")
		r := httptest.NewRequest(method, target, nil)
		r.Pattern = "of an outer router"
		r.SetPathValue("mine", "kept")
		app.ServeHTTP(httptest.NewRecorder(), r)
		assert.Equal(t, want, r.Pattern, request)
		assert.Equal(t, "kept", r.PathValue("mine"), request)
	}
}

// A redirect stays on this site, goes where something answers, and keeps the
// query, the encoding and the method.
func TestRedirectsStayHere(t *testing.T) {
	app := segue.New()
	app.GET("/{x}", shows)
	app.Any("/{x}/{y}/", shows)
	raw := segue.New()
	raw.CleanPath(false)
	raw.GET("/{x}/{y}/{z}", shows)
	app.Mount("/", raw)
	for request, location := range map[string]string{
		"GET //evil.com/":               "/evil.com",
		"GET //evil.com":                "/evil.com",
		"GET ///evil.com/":              "/evil.com",
		"GET /.//evil.com/":             "/evil.com",
		"GET /x/..//evil.com/":          "/evil.com",
		"GET /\\evil.com/":              "/%5Cevil.com",
		"GET /%5Cevil.com/":             "/%5Cevil.com",
		"GET /%5c%5cevil.com/?q=%5C":    "/%5c%5cevil.com?q=%5C",
		"GET /\\/evil.com":              "/%5C/evil.com/",
		"GET //\\evil.com/":             "/%5Cevil.com",
		"GET /%2F%2Fevil.com/":          "/%2F%2Fevil.com",
		"GET /%09/evil.com":             "/%09/evil.com/",
		"GET /a%20b/?a=b&c=%2F;d":       "/a%20b?a=b&c=%2F;d",
		"POST /a/b?q=1":                 "/a/b/?q=1",
		"POST //a/b?q=1":                "/a/b/?q=1",
		"GET //evil.com//x/../":         "/evil.com",
		"GET /%E3%81%82/":               "/%E3%81%82",
		"GET //a%2F..%2Fb/":             "/a%2F..%2Fb",
		"GET /x/?u=//evil.com/%0d%0aA:": "/x?u=//evil.com/%0d%0aA:",
	} {
		w := ask(t, app, request)
		assert.Equal(t, 307, w.Code, request)
		got := w.Header().Get("Location")
		assert.Equal(t, location, got, request)
		u, err := url.Parse(got)
		require.NoError(t, err, request)
		assert.Empty(t, u.Host, request)
		assert.NotContains(t, []string{"//", "/\\"}, got[:min(2, len(got))], request)
	}
}

// Following a redirect leads to an answer in one step, whatever the settings:
// every path of a few segments is tried against routes of both languages.
func TestRedirectsLeadToAnAnswer(t *testing.T) {
	segs := []string{"", "a", "b", ".", "..", "%2F", "%2E", "x"}
	var paths []string
	for _, one := range segs {
		for _, two := range segs {
			for _, three := range segs {
				paths = append(paths, "/"+one, "/"+one+"/"+two, "/"+one+"/"+two+"/"+three)
			}
		}
	}
	for _, policy := range []segue.SlashPolicy{segue.SlashRedirect, segue.SlashExact, segue.SlashEither} {
		app, sub := segue.New(), segue.New()
		app.GET("/a", shows)
		app.POST("/a/", shows)
		app.HandleFunc("/b/", shows)
		app.GET("/{p}/b/", shows)
		sub.GET("/", shows)
		sub.GET("/{p}/b", shows)
		sub.CleanPath(false)
		sub.TrailingSlash(policy)
		app.Mount("/x", sub)
		for _, path := range paths {
			for _, method := range []string{"GET", "POST"} {
				assertRedirectAnswers(t, app, method, path)
			}
		}
	}
}

func assertRedirectAnswers(t *testing.T, app *segue.Router, method, path string) {
	t.Helper()
	w := ask(t, app, method+" "+path)
	location := w.Header().Get("Location")
	if location == "" {
		return
	}
	next := app.Lookup(httptest.NewRequest(method, location, nil))
	assert.NotEqual(t, 307, next.Status, "%s %s -> %s -> %s", method, path, location, next.Location)
	clean := strings.TrimSuffix(location, "/") != strings.TrimSuffix(path, "/")
	if !clean { // a cleaned path may well lead nowhere, as in ServeMux
		assert.Equal(t, 200, next.Status, "%s %s -> %s", method, path, location)
	}
}

// A middleware may dispatch a redirect again, under another path.
func TestRedirectDispatchedAgainIsAMatch(t *testing.T) {
	if testkit.Purego {
		t.Skip("under purego the pattern's text alone does not tell the redirect from the match")
	}
	app := segue.New()
	app.PathValues(false)
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if path, cut := strings.CutSuffix(r.URL.Path, "/"); cut {
				r.URL.Path = path
				app.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	app.GET("/again/{id}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, segue.Param(r, "id")) })
	w := testkit.Serve(app, "GET", "/again/7/")
	assert.Equal(t, 200, w.Code)
	assert.Equal(t, "7", w.Body.String())
}

// outcomes is a middleware that notes the outcome before and after the rest.
func outcomes(notes *[]string, name string) segue.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			note := fmt.Sprint(name, " ", segue.Outcome(r))
			next.ServeHTTP(w, r)
			*notes = append([]string{fmt.Sprint(note, "-", segue.Outcome(r))}, *notes...)
		})
	}
}

// outcomeOf sends a request through h and returns what its middlewares noted,
// outermost first.
func outcomeOf(h http.Handler, notes *[]string, method, target string) string {
	*notes = nil
	r := httptest.NewRequest("GET", "/", nil)
	r.Method, r.RequestURI = method, target
	if u, err := url.ParseRequestURI(target); err == nil {
		r.URL = u
	}
	h.ServeHTTP(httptest.NewRecorder(), r)
	return strings.Join(*notes, ", ")
}

// Each outcome is told to every middleware that the request passes, before and
// after, in mounted routers, in those of Group and With, and under either
// setting; and to what stands around the router, after.
func TestOutcome(t *testing.T) {
	for _, values := range []bool{true, false} {
		var notes []string
		app, users := segue.New(), segue.New()
		app.PathValues(values)
		app.Use(outcomes(&notes, "app"))
		users.Use(outcomes(&notes, "users"))
		users.GET("/{id}", shows)
		users.GET("/gone", func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
		app.Mount("/orgs/{org}/users", users)
		app.Group("/group", outcomes(&notes, "group")).GET("/x", shows)
		app.With(outcomes(&notes, "with")).GET("/with", shows)
		app.HandleFunc("/tree/", shows)
		app.Static("/files", segue.Files{FS: fstest.MapFS{"a.txt": {Data: []byte("a")}}})
		around := outcomes(&notes, "around")(app)
		for request, want := range map[string]string{
			"GET /orgs/acme/users/7":      "around 0-200, app 200-200, users 200-200",
			"GET /orgs/acme/users/gone":   "around 0-200, app 200-200, users 200-200", // the handler's own 404
			"GET /orgs/acme/users/a%2Fb":  "around 0-200, app 200-200, users 200-200",
			"GET /orgs/acme/users/7/":     "around 0-0, app 307-307, users 307-307",
			"GET /orgs/acme//users/7":     "around 0-0, app 307-307, users 307-307",
			"GET /nope//x":                "around 0-0, app 307-307", // to a path that no route has
			"POST /orgs/acme/users/7":     "around 0-0, app 405-405, users 405-405",
			"OPTIONS /orgs/acme/users/7":  "around 0-0, app 204-204, users 204-204",
			"GET /orgs/acme/users/7/more": "around 0-0, app 404-404, users 404-404",
			"GET /nope":                   "around 0-0, app 404-404",
			"GET /tree":                   "around 0-0, app 307-307",
			"GET /tree/x":                 "around 0-200, app 200-200",
			"GET /group/x":                "around 0-200, app 200-200, group 200-200",
			"GET /group/nope":             "around 0-0, app 404-404, group 404-404",
			"PUT /group/x":                "around 0-0, app 405-405, group 405-405",
			"GET /with":                   "around 0-200, app 200-200, with 200-200",
			"GET /with/":                  "around 0-0, app 307-307, with 307-307",
			"OPTIONS /with":               "around 0-0, app 204-204, with 204-204",
			"GET /files/a.txt":            "around 0-200, app 200-200",
			"GET /files/none":             "around 0-0, app 404-404",
			"OPTIONS *":                   "around 0-0",
		} {
			method, target, _ := strings.Cut(request, " ")
			assert.Equal(t, want, outcomeOf(around, &notes, method, target), request)
		}
	}
}

// A router inside another, which does not know it, decides for itself. Outside, a
// match of its own is told where it had the request itself.
func TestOutcomeOfNestedRouters(t *testing.T) {
	var notes []string
	inner := segue.New()
	inner.Use(outcomes(&notes, "inner"))
	inner.GET("/handle/x", shows)
	inner.GET("/missed/x", shows)
	inner.GET("/x", shows) // under the mount
	app := segue.New()
	app.Use(outcomes(&notes, "app"))
	app.Handle("/handle/", outcomes(&notes, "between")(inner))
	app.Mount("/mount", outcomes(&notes, "between")(inner))
	app.NotFound(outcomes(&notes, "between")(inner))
	mux := http.NewServeMux()
	mux.Handle("/mux/x", shows)
	app.Handle("/mux/", outcomes(&notes, "between")(mux))
	for request, want := range map[string]string{
		"GET /handle/x":    "app 200-200, between 200-200, inner 200-200",
		"GET /handle/x/":   "app 200-0, between 200-0, inner 307-307",
		"PUT /handle/x":    "app 200-0, between 200-0, inner 405-405",
		"GET /handle/y":    "app 200-0, between 200-0, inner 404-404",
		"GET /mount/x":     "app 200-200, between 200-200, inner 200-200",
		"PUT /mount/x":     "app 200-200, between 200-0, inner 405-405",
		"GET /mount/x/":    "app 200-200, between 200-0, inner 307-307",
		"GET /mount/y":     "app 200-200, between 200-0, inner 404-404",
		"GET /missed/x":    "app 404-200, between 404-200, inner 200-200",
		"PUT /missed/x":    "app 404-404, between 404-404, inner 405-405",
		"GET /missed/x/":   "app 404-0, between 404-0, inner 307-307",
		"GET /missed/y":    "app 404-404, between 404-404, inner 404-404",
		"GET /mux/x":       "app 200-0, between 200-0",
		"GET /mux/missing": "app 200-0, between 200-0",
	} {
		method, target, _ := strings.Cut(request, " ")
		assert.Equal(t, want, outcomeOf(app, &notes, method, target), request)
	}
}

// The outcome stays with the request and with its copies, and with what was
// decided when the routes were others.
func TestOutcomeStays(t *testing.T) {
	assert.Zero(t, segue.Outcome(new(http.Request)))
	assert.Zero(t, segue.Outcome(&http.Request{Pattern: "GET /users/{id}"}), "somebody's pattern")
	app := segue.New()
	app.GET("/users/{id}", shows)
	for request, want := range map[string]int{"GET /users/7": 200, "GET /users/7/": 0, "PUT /users/7": 0, "OPTIONS /users/7": 0, "GET /x": 0} {
		method, target, _ := strings.Cut(request, " ")
		r := httptest.NewRequest(method, target, nil)
		app.ServeHTTP(httptest.NewRecorder(), r)
		clone := r.Clone(t.Context())
		app.GET("/other/"+method+target, shows)
		assert.Equal(t, []int{want, want}, []int{segue.Outcome(r), segue.Outcome(clone)}, request)
		r.Pattern = ""
		assert.Zero(t, segue.Outcome(r), "another router clears it")
	}
}

func TestOutcomeDoesNotAllocate(t *testing.T) {
	testkit.SkipUnlessAllocationsCount(t)
	app := segue.New()
	allocs, asked := -1.0, 0
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = segue.Outcome(r)
			allocs = testkit.AllocsPerRun(10, func() { asked = segue.Outcome(r) })
			next.ServeHTTP(w, r)
		})
	})
	app.GET("/users/{id}", shows)
	for request, want := range map[string]int{"GET /users/7": 200, "GET /users/7/": 307, "PUT /users/7": 405, "OPTIONS /users/7": 204, "GET /x": 404} {
		method, target, _ := strings.Cut(request, " ")
		r := httptest.NewRequest(method, target, nil)
		app.ServeHTTP(httptest.NewRecorder(), r)
		assert.Equal(t, want, asked, request)
		assert.Zero(t, allocs, request)
		assert.Zero(t, testkit.AllocsPerRun(10, func() { asked = segue.Outcome(r) }), "%s, around the router", request)
	}
}

// OPTIONS * has no path: the answer is ServeMux's, which closes a connection of
// HTTP/1.1 and later.
func TestStarIsNoPath(t *testing.T) {
	app := segue.New()
	app.Any("/{rest...}", shows)
	for _, proto := range [][2]int{{1, 0}, {1, 1}, {2, 0}} {
		ask := func(h http.Handler) *httptest.ResponseRecorder {
			r := httptest.NewRequest("OPTIONS", "*", nil)
			r.ProtoMajor, r.ProtoMinor = proto[0], proto[1]
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		got, want := ask(app), ask(http.NewServeMux())
		assert.Equal(t, http.StatusBadRequest, got.Code)
		assert.Equal(t, want.Code, got.Code)
		assert.Equal(t, want.Header(), got.Header(), "%v", proto)
	}
}

// A redirect has the body and the header of http.Redirect, whatever the method is
// and whatever type a middleware has set. Its query is plain ASCII.
func TestRedirectIsThatOfNetHTTP(t *testing.T) {
	for _, kind := range []string{"", "text/plain"} {
		app := segue.New()
		app.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if kind != "" {
					w.Header().Set("Content-Type", kind)
				}
				next.ServeHTTP(w, r)
			})
		})
		app.Any("/a/", shows)
		for _, method := range []string{"GET", "HEAD", "POST"} {
			for _, query := range []string{"", "q=1&r=<'>", "q=\x7f\x80\xc3\xa4"} {
				got, want, r := httptest.NewRecorder(), httptest.NewRecorder(), httptest.NewRequest(method, "/a", nil)
				r.URL.RawQuery = query
				if kind != "" {
					want.Header().Set("Content-Type", kind)
				}
				http.Redirect(want, r, strings.TrimSuffix("/a/?"+query, "?"), http.StatusTemporaryRedirect)
				app.ServeHTTP(got, r)
				assert.Equal(t, want.Code, got.Code)
				assert.Equal(t, want.Header(), got.Header(), "%s %q", method, query)
				body := strings.NewReplacer("\x80", "%80", "\xc3\xa4", "%c3%a4").Replace(want.Body.String()) // the address as the header has it
				assert.Equal(t, body, got.Body.String(), "%s %q", method, query)
			}
		}
	}
}

// The other spelling of an encoded path is encoded too.
func TestRedirectOfAnEncodedPath(t *testing.T) {
	app := segue.New()
	app.GET("/a%2Fb/", shows)
	app.GET("/{x}/c%2Fd/{y}", shows)
	for target, want := range map[string]string{"/a%2Fb": "/a%2Fb/", "/z%2Fz/c%2Fd/y%2Fy/?q": "/z%2Fz/c%2Fd/y%2Fy?q", "//a%2Fb": "/a%2Fb/"} {
		w := ask(t, app, "GET "+target)
		assert.Equal(t, http.StatusTemporaryRedirect, w.Code, target)
		assert.Equal(t, want, w.Header().Get("Location"), target)
	}
}

// On one path the route of the method itself answers, then GET's for HEAD, then
// the one for any method, in whatever order they came.
func TestRoutesOfOnePath(t *testing.T) {
	all := []string{"/x", "GET /x", "HEAD /x", "/x/{$}", "GET /x/{$}"}
	for first := range all {
		app := segue.New()
		for i := range all {
			app.HandleFunc(all[(first+i)%len(all)], shows)
		}
		for request, want := range map[string]string{
			"GET /x": "GET /x", "HEAD /x": "HEAD /x", "POST /x": "/x",
			"GET /x/": "GET /x/{$}", "HEAD /x/": "GET /x/{$}", "POST /x/": "/x/{$}",
		} {
			method, path, _ := strings.Cut(request, " ")
			for _, slashes := range []string{"", "/"} {
				m := app.Lookup(httptest.NewRequest(method, slashes+path, nil))
				assert.Equal(t, want, m.Route.Pattern, "%s%s", slashes, request)
			}
		}
	}
}

// A subtree gives way to the exact route at the other spelling of the path.
func TestSubtreeGivesWayToTheOtherSpelling(t *testing.T) {
	app, mux := segue.New(), http.NewServeMux()
	for _, pattern := range []string{"/", "/a/", "/b/{$}", "/c/{x}/"} {
		app.HandleFunc(pattern, shows)
		mux.HandleFunc(pattern, shows)
	}
	for _, target := range []string{"/a", "/b", "/c", "/c/1", "/d", "/a/b", "/b/c"} {
		want := httptest.NewRecorder()
		mux.ServeHTTP(want, httptest.NewRequest("GET", target, nil))
		got := ask(t, app, "GET "+target)
		assert.Equal(t, http.StatusOK == want.Code, http.StatusOK == got.Code, target)
		assert.Equal(t, want.Header().Get("Location"), got.Header().Get("Location"), target)
	}
}

// Of several routers at one prefix the one that says what to do with a miss has it,
// whichever came first; where none does, the router around them.
func TestMissOwnerAmongSeveral(t *testing.T) {
	says := map[string]func(rt *segue.Router){
		"NotFound":         func(rt *segue.Router) { rt.NotFound(lost("one")) },
		"MethodNotAllowed": func(rt *segue.Router) { rt.MethodNotAllowed(lost("one")) },
		"OnError": func(rt *segue.Router) {
			rt.OnError(func(w http.ResponseWriter, r *http.Request, err error) error { return err })
		},
	}
	for name, say := range says {
		for first := range 3 {
			app := segue.New()
			outer := app.Group("/a", via("outer"))
			for i := range 3 {
				group := outer.Group("/b", via(fmt.Sprint(i)))
				group.GET(fmt.Sprintf("/%d", i), shows)
				if i == first {
					say(group)
				}
			}
			got := ask(t, app, "GET /a/b/none")
			assert.Equal(t, []string{"outer", fmt.Sprint(first)}, got.Header().Values("Via"), name)
		}
	}
	app := segue.New()
	outer := app.Group("/a", via("outer"))
	outer.Group("/b", via("1")).GET("/1", shows)
	outer.Group("/b", via("2")).GET("/2", shows)
	assert.Equal(t, []string{"outer"}, ask(t, app, "GET /a/b/none").Header().Values("Via"))
	assert.Equal(t, []string{"outer"}, ask(t, app, "GET /a/none").Header().Values("Via"))
	assert.Empty(t, ask(t, app, "GET /none").Header().Values("Via"))
}

// A preflight is decided by the route that the request after it will have.
func TestPreflightIsDecidedByItsMethod(t *testing.T) {
	app := segue.New()
	app.Group("/users", via("new")).GET("/new", shows)
	app.Group("/users", via("id")).PUT("/{id}", shows)
	for method, want := range map[string]string{"": "new", "GET": "new", "PUT": "id", "POST": "new"} {
		w := fetch(app, "OPTIONS /users/new", "Access-Control-Request-Method: "+method)
		assert.Equal(t, http.StatusNoContent, w.Code)
		assert.Equal(t, []string{want}, w.Header().Values("Via"), method)
	}
	assert.Equal(t, []string{"new"}, fetch(app, "GET /users/new", "Access-Control-Request-Method: PUT").Header().Values("Via"))
}

// The parameter of a host is not empty.
func TestHostThatBeginsWithADot(t *testing.T) {
	app := segue.New()
	app.HandleFunc(".x.org/dot", shows)
	app.HandleFunc("{a}.x.org/label", shows)
	for target, want := range map[string]int{"/dot": 200, "/label": 404} {
		r := httptest.NewRequest("GET", target, nil)
		r.Host = ".x.org"
		assert.Equal(t, want, app.Lookup(r).Status, target)
	}
}
