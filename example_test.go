package segue_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing/fstest"

	"github.com/segue-go/segue"
)

// One example for each thing that the package exports, and of the wrong use of some.

// send prints what app answers to requests such as "GET /users/7".
func send(app http.Handler, requests ...string) {
	for _, request := range requests {
		method, target, _ := strings.Cut(request, " ")
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest(method, target, nil))
		fmt.Print(request, ": ", w.Code)
		if location := w.Header().Get("Location"); location != "" {
			fmt.Print(" to ", location)
		} else if w.Body.Len() > 0 {
			fmt.Print(" ", strings.TrimSpace(w.Body.String()))
		}
		if allow := w.Header().Get("Allow"); allow != "" {
			fmt.Print(" (Allow: ", allow, ")")
		}
		fmt.Println()
	}
}

// saying returns a handler that answers with a text and the parameter id.
func saying(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, text, segue.Param(r, "id"))
	}
}

func ExampleRouter() {
	users := segue.New() // knows nothing of where it will hang
	users.GET("/", saying("all users"))
	users.GET("/new", saying("a form"))
	users.GET("/{id}", saying("user "))

	app := segue.New()
	app.Use(segue.Recover)
	app.Mount("/users", users)
	send(app, "GET /users", "GET /users/new", "GET /users/7", "DELETE /users/7", "GET /nope")
	// Output:
	// GET /users: 200 all users
	// GET /users/new: 200 a form
	// GET /users/7: 200 user 7
	// DELETE /users/7: 405 Method Not Allowed (Allow: GET, HEAD, OPTIONS)
	// GET /nope: 404 404 page not found
}

// A path is matched whole. Another final slash is a redirect.
func ExampleRouter_GET() {
	app := segue.New()
	app.GET("/", saying("home"))
	app.GET("/users/{id}", saying("user "))
	app.GET("/users/new", saying("a form"))
	send(app, "GET /", "GET /users/7", "GET /users/new", "HEAD /users/7", "GET /users/7/", "GET /users/7/posts")
	// Output:
	// GET /: 200 home
	// GET /users/7: 200 user 7
	// GET /users/new: 200 a form
	// HEAD /users/7: 200 user 7
	// GET /users/7/: 307 to /users/7
	// GET /users/7/posts: 404 404 page not found
}

func ExampleRouter_POST() {
	app := segue.New()
	app.POST("/users", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/users/8")
		w.WriteHeader(http.StatusCreated)
	})
	send(app, "POST /users", "GET /users")
	// Output:
	// POST /users: 201 to /users/8
	// GET /users: 405 Method Not Allowed (Allow: OPTIONS, POST)
}

func ExampleRouter_PUT() {
	app := segue.New()
	app.PUT("/users/{id}", saying("replaced "))
	send(app, "PUT /users/7")
	// Output: PUT /users/7: 200 replaced 7
}

func ExampleRouter_PATCH() {
	app := segue.New()
	app.PATCH("/users/{id}", saying("changed "))
	send(app, "PATCH /users/7")
	// Output: PATCH /users/7: 200 changed 7
}

func ExampleRouter_DELETE() {
	app := segue.New()
	app.DELETE("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	send(app, "DELETE /users/7")
	// Output: DELETE /users/7: 204
}

// GET answers HEAD too. A route of its own spares what only the body needs.
func ExampleRouter_HEAD() {
	app := segue.New()
	app.GET("/report", saying("made at great cost"))
	app.HEAD("/report", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	send(app, "GET /report", "HEAD /report")
	// Output:
	// GET /report: 200 made at great cost
	// HEAD /report: 204
}

// OPTIONS is answered without a route. One takes its place.
func ExampleRouter_OPTIONS() {
	app := segue.New()
	app.GET("/users", saying("all users"))
	app.GET("/calendar", saying("a calendar"))
	app.OPTIONS("/calendar", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("DAV", "1, calendar-access")
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
	})
	send(app, "OPTIONS /users", "OPTIONS /calendar")
	// Output:
	// OPTIONS /users: 204 (Allow: GET, HEAD, OPTIONS)
	// OPTIONS /calendar: 200 (Allow: GET, HEAD, OPTIONS)
}

func ExampleRouter_Any() {
	app := segue.New()
	app.Any("/echo", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "a ", r.Method) })
	app.GET("/echo", saying("the route for GET"))
	send(app, "PUT /echo", "BREW /echo", "GET /echo")
	// Output:
	// PUT /echo: 200 a PUT
	// BREW /echo: 200 a BREW
	// GET /echo: 200 the route for GET
}

func ExampleRouter_Method() {
	app := segue.New()
	app.Method("PROPFIND", "/files/{path...}", saying("properties"))
	send(app, "PROPFIND /files/a/b", "GET /files/a/b")
	// Output:
	// PROPFIND /files/a/b: 200 properties
	// GET /files/a/b: 405 Method Not Allowed (Allow: OPTIONS, PROPFIND)
}

// Handle takes what http.ServeMux takes. A final slash is the whole subtree.
func ExampleRouter_Handle() {
	app := segue.New()
	app.Handle("/old/", http.RedirectHandler("/new", http.StatusMovedPermanently))
	app.Handle("GET /new", saying("the new page"))
	app.Handle("api.example.com/", saying("the API"))
	send(app, "GET /old/any/thing", "GET /new", "GET http://api.example.com/new")
	// Output:
	// GET /old/any/thing: 301 to /new
	// GET /new: 200 the new page
	// GET http://api.example.com/new: 200 the API
}

func ExampleRouter_HandleFunc() {
	app := segue.New()
	app.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s by %s", r.PathValue("id"), r.Pattern)
	})
	send(app, "GET /users/7")
	// Output: GET /users/7: 200 7 by GET /users/{id}
}

// What would answer. Lookup tells more about it.
func ExampleRouter_Handler() {
	app := segue.New()
	app.GET("/users/{id}", saying("user "))
	r := httptest.NewRequest("GET", "/users/7", nil)
	handler, pattern := app.Handler(r)
	fmt.Printf("%T for %s", handler, pattern)
	// Output: http.HandlerFunc for GET /users/{id}
}

// Without serving: what would become of these?
func ExampleRouter_Lookup() {
	app := segue.New()
	app.GET("/users/{id}", saying("user "))
	for _, request := range []string{"GET /users/7", "GET /users/7/", "PUT /users/7", "GET /nope"} {
		method, target, _ := strings.Cut(request, " ")
		m := app.Lookup(httptest.NewRequest(method, target, nil))
		fmt.Printf("%d pattern=%q params=%v location=%q allow=%q\n", m.Status, m.Route.Pattern, m.Params, m.Location, m.Allow)
	}
	// Output:
	// 200 pattern="GET /users/{id}" params=map[id:7] location="" allow=""
	// 307 pattern="GET /users/{id}" params=map[] location="/users/7" allow=""
	// 405 pattern="" params=map[] location="" allow="GET, HEAD, OPTIONS"
	// 404 pattern="" params=map[] location="" allow=""
}

// A value is decoded once, by the rules of paths.
func ExampleParam() {
	app := segue.New()
	app.GET("/tags/{tag}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%q %q", segue.Param(r, "tag"), segue.Param(r, "other"))
	})
	send(app, "GET /tags/go", "GET /tags/a%2Fb", "GET /tags/c++", "GET /tags/100%2525")
	// Output:
	// GET /tags/go: 200 "go" ""
	// GET /tags/a%2Fb: 200 "a/b" ""
	// GET /tags/c++: 200 "c++" ""
	// GET /tags/100%2525: 200 "100%25" ""
}

func ExampleParams() {
	app := segue.New()
	app.GET("/{owner}/{repo}/{path...}", func(w http.ResponseWriter, r *http.Request) {
		for name, value := range segue.Params(r) {
			fmt.Fprintf(w, "%s=%s ", name, value)
		}
	})
	send(app, "GET /ada/engine/notes/g.txt")
	// Output: GET /ada/engine/notes/g.txt: 200 owner=ada repo=engine path=notes/g.txt
}

func ExampleParamAs() {
	app := segue.New()
	app.GET("/users/{id}", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		id, err := segue.ParamAs[uint8](r, "id")
		if err != nil {
			return err
		}
		return segue.JSON(w, http.StatusOK, map[string]uint8{"id": id})
	}))
	send(app, "GET /users/7", "GET /users/seven", "GET /users/700")
	// Output:
	// GET /users/7: 200 {"id":7}
	// GET /users/seven: 400 path parameter id: "seven" is not a whole number from 0 on
	// GET /users/700: 400 path parameter id: "700" is out of range
}

// A type of one's own says in UnmarshalText what it takes.
func ExampleParamAs_ownType() {
	app := segue.New()
	app.GET("/levels/{level}", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		l, err := segue.ParamAs[level](r, "level")
		if err != nil {
			return err
		}
		return segue.Text(w, http.StatusOK, fmt.Sprint(int(l)))
	}))
	send(app, "GET /levels/high", "GET /levels/higher")
	// Output:
	// GET /levels/high: 200 1
	// GET /levels/higher: 400 path parameter level: "higher" is not valid
}

type level int

func (l *level) UnmarshalText(text []byte) error {
	switch string(text) {
	case "low":
		*l = 0
	case "high":
		*l = 1
	default:
		return errors.New("neither low nor high")
	}
	return nil
}

func ExampleQueryAs() {
	app := segue.New()
	app.GET("/users", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		page, err := segue.QueryAs(r, "page", 1)
		if err != nil {
			return err
		}
		return segue.Text(w, http.StatusOK, fmt.Sprint("page ", page))
	}))
	send(app, "GET /users", "GET /users?page=3", "GET /users?page=last")
	// Output:
	// GET /users: 200 page 1
	// GET /users?page=3: 200 page 3
	// GET /users?page=last: 400 query parameter page: "last" is not a whole number
}

// A list takes every value of the parameter.
func ExampleQueryAs_list() {
	app := segue.New()
	app.GET("/users", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		ids, err := segue.QueryAs[[]int](r, "id", nil)
		if err != nil {
			return err
		}
		return segue.Text(w, http.StatusOK, fmt.Sprint(len(ids), " ids: ", ids))
	}))
	send(app, "GET /users?id=7&id=9", "GET /users", "GET /users?id=7&id=nine")
	// Output:
	// GET /users?id=7&id=9: 200 2 ids: [7 9]
	// GET /users: 200 0 ids: []
	// GET /users?id=7&id=nine: 400 query parameter id: "nine" is not a whole number
}

// A pointer is nil where the query does not have the parameter at all.
func ExampleQueryAs_absent() {
	app := segue.New()
	app.GET("/users", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		name, err := segue.QueryAs[*string](r, "name", nil)
		switch {
		case err != nil:
			return err
		case name == nil:
			return segue.Text(w, http.StatusOK, "any name")
		}
		return segue.Text(w, http.StatusOK, fmt.Sprintf("the name %q", *name))
	}))
	send(app, "GET /users", "GET /users?name=", "GET /users?name=ada")
	// Output:
	// GET /users: 200 any name
	// GET /users?name=: 200 the name ""
	// GET /users?name=ada: 200 the name "ada"
}

// Location is right wherever the router is mounted, since r.Pattern has the
// prefix.
func ExamplePathFor() {
	users := segue.New()
	users.POST("/", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		location, err := segue.PathFor(r.Pattern+"/{name}", segue.Param(r, "org"), "ada/lovelace")
		if err != nil {
			return err
		}
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusCreated)
		return nil
	}))
	app := segue.New()
	app.Mount("/orgs/{org}/users", users)
	send(app, "POST /orgs/acme/users")

	fmt.Println(segue.PathFor("/files/*path", "docs/read me.txt"))
	fmt.Println(segue.PathFor("/users/:id", ""))
	// Output:
	// POST /orgs/acme/users: 201 to /orgs/acme/users/ada%2Flovelace
	// /files/docs/read%20me.txt <nil>
	//  segue: no path for "/users/:id": the value of id is "", which cannot be a segment
}

// A middleware that counts requests by their pattern leaves out those that no
// route matches.
func ExampleOutcome() {
	app := segue.New()
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Printf("%d %q; ", segue.Outcome(r), r.Pattern)
			next.ServeHTTP(w, r)
		})
	})
	app.GET("/users/{id}", saying("user "))
	send(app, "GET /users/7", "GET /users/7/", "PUT /users/7", "OPTIONS /users/7", "GET /nope")
	// Output:
	// 200 "GET /users/{id}"; GET /users/7: 200 user 7
	// 307 "GET /users/{id}"; GET /users/7/: 307 to /users/7
	// 405 ""; PUT /users/7: 405 Method Not Allowed (Allow: GET, HEAD, OPTIONS)
	// 204 ""; OPTIONS /users/7: 204 (Allow: GET, HEAD, OPTIONS)
	// 404 ""; GET /nope: 404 404 page not found
}

// logTo is a middleware that prints. By the time it runs, the route is known.
func logTo(name string) segue.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Printf("%s %q; ", name, r.Pattern)
			next.ServeHTTP(w, r)
		})
	}
}

// A middleware covers what the router has and what is mounted in it, whenever
// it was added, and misses.
func ExampleRouter_Use() {
	app := segue.New()
	app.GET("/", saying("home"))
	users := app.Group("/users")
	users.GET("/{id}", saying("user "))
	users.Use(logTo("users"))
	app.Use(logTo("app"))
	send(app, "GET /", "GET /users/7", "GET /nope")
	// Output:
	// app "GET /"; GET /: 200 home
	// app "GET /users/{id}"; users "GET /users/{id}"; GET /users/7: 200 user 7
	// app ""; GET /nope: 404 404 page not found
}

func ExampleRouter_With() {
	app := segue.New()
	app.GET("/", saying("home"))
	app.With(logTo("cache")).GET("/feed", saying("a feed"))
	send(app, "GET /", "GET /feed")
	// Output:
	// GET /: 200 home
	// cache "GET /feed"; GET /feed: 200 a feed
}

// The guard is for the routes of the group. What app has is app's.
func ExampleRouter_Group() {
	guard := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, _, ok := r.BasicAuth(); !ok {
				segue.Fail(w, r, segue.Errorf(http.StatusUnauthorized, "log in first"))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	app := segue.New()
	app.GET("/admin/help", saying("help"))
	admin := app.Group("/admin", guard)
	admin.GET("/users", saying("all users"))
	send(app, "GET /admin/users", "GET /admin/help", "GET /admin/nope")
	// Output:
	// GET /admin/users: 401 log in first
	// GET /admin/help: 200 help
	// GET /admin/nope: 401 log in first
}

// One router in two places, one of them under a parameter, and a handler that
// is no Router.
func ExampleRouter_Mount() {
	users := segue.New()
	users.GET("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "users of %q at %s", segue.Param(r, "org"), r.Pattern)
	})
	app := segue.New()
	app.Mount("/users", users)
	app.Mount("/orgs/{org}/users", users)
	app.Mount("/debug", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "sees ", r.URL.Path)
	}))
	send(app, "GET /users", "GET /orgs/acme/users/", "GET /debug", "GET /debug/vars")
	// Output:
	// GET /users: 200 users of "" at GET /users
	// GET /orgs/acme/users/: 200 users of "acme" at GET /orgs/{org}/users
	// GET /debug: 200 sees /
	// GET /debug/vars: 200 sees /vars
}

func ExampleChain() {
	usual := segue.Chain(logTo("first"), logTo("second"))
	app := segue.New()
	app.With(usual).GET("/", saying("home"))
	send(app, "GET /")
	// Output: first "GET /"; second "GET /"; GET /: 200 home
}

// The router with the longest prefix answers for what it does not have.
func ExampleRouter_NotFound() {
	app := segue.New()
	app.NotFound(saying("nothing here"))
	app.GET("/users", saying("all users"))
	api := app.Group("/api")
	api.NotFound(saying(`{"error":"nothing here"}`))
	send(app, "GET /nope", "GET /api/nope", "PUT /users") // a wrong method is no 404
	// Output:
	// GET /nope: 200 nothing here
	// GET /api/nope: 200 {"error":"nothing here"}
	// PUT /users: 405 Method Not Allowed (Allow: GET, HEAD, OPTIONS)
}

// Allow is set before the handler runs.
func ExampleRouter_MethodNotAllowed() {
	app := segue.New()
	app.GET("/users", saying("all users"))
	app.MethodNotAllowed(segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		return segue.Errorf(http.StatusMethodNotAllowed, "not %s, try %s", r.Method, w.Header().Get("Allow"))
	}))
	send(app, "PUT /users")
	// Output: PUT /users: 405 not PUT, try GET, HEAD, OPTIONS (Allow: GET, HEAD, OPTIONS)
}

func ExampleRouter_TrailingSlash() {
	for _, policy := range []segue.SlashPolicy{segue.SlashRedirect, segue.SlashExact, segue.SlashEither} {
		app := segue.New()
		app.TrailingSlash(policy)
		app.GET("/users", saying("all users"))
		fmt.Print(policy, ", ")
		send(app, "GET /users/?page=2")
	}
	// Output:
	// SlashRedirect, GET /users/?page=2: 307 to /users?page=2
	// SlashExact, GET /users/?page=2: 404 404 page not found
	// SlashEither, GET /users/?page=2: 200 all users
}

// A proxy may want the path as it came.
func ExampleRouter_CleanPath() {
	for _, clean := range []bool{true, false} {
		app := segue.New()
		app.CleanPath(clean)
		app.GET("/proxy/{target...}", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, segue.Param(r, "target"))
		})
		send(app, "GET /proxy/https://example.org/a/../b")
	}
	// Output:
	// GET /proxy/https://example.org/a/../b: 307 to /proxy/https:/example.org/b
	// GET /proxy/https://example.org/a/../b: 200 https://example.org/a/../b
}

// Without it a match writes no values. Param reads them off the path.
func ExampleRouter_PathValues() {
	app := segue.New()
	app.PathValues(false)
	app.GET("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%q %q", r.PathValue("id"), segue.Param(r, "id"))
	})
	send(app, "GET /users/7")
	// Output: GET /users/7: 200 "" "7"
}

var errNoMember = errors.New("no such member")

// An error goes through the list of the router that has the route, then
// through those of the routers around it.
func ExampleRouter_OnError() {
	members := segue.New()
	members.GET("/{id}", segue.Try(func(http.ResponseWriter, *http.Request) error { return errNoMember }))
	members.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		if errors.Is(err, errNoMember) {
			return segue.Errorf(http.StatusNotFound, "no member %s", segue.Param(r, "id"))
		}
		return err
	})
	app := segue.New()
	app.Mount("/members", members)
	app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		status, message := segue.StatusOf(err)
		if status >= 500 {
			slog.ErrorContext(r.Context(), "request failed", "error", err) // what is answered here is not logged otherwise
		}
		return segue.JSON(w, status, map[string]string{"error": message})
	})
	send(app, "GET /members/7", "GET /nope")
	// Output:
	// GET /members/7: 404 {"error":"no member 7"}
	// GET /nope: 404 {"error":"Not Found"}
}

// What a client is told was written for it. What else an error says is for the
// log.
func ExampleTry() {
	app := segue.New()
	app.GET("/users/{id}", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		if segue.Param(r, "id") == "7" {
			return segue.Text(w, http.StatusOK, "Ada")
		}
		return segue.Errorf(http.StatusNotFound, "no such user: %w", context.DeadlineExceeded)
	}))
	send(app, "GET /users/7", "GET /users/8")
	// Output:
	// GET /users/7: 200 Ada
	// GET /users/8: 404 no such user
}

// A middleware answers by the same list as the handlers behind it.
func ExampleFail() {
	app := segue.New()
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "" {
				segue.Fail(w, r, segue.Errorf(http.StatusUnauthorized, "log in first"))
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	app.GET("/", saying("home"))
	send(app, "GET /")
	// Output: GET /: 401 log in first
}

func ExampleRecover() {
	app := segue.New()
	app.Use(segue.Recover)
	log.SetOutput(io.Discard) // for this example: Recover logs the panic with its stack
	defer log.SetOutput(os.Stderr)
	app.GET("/vault", func(http.ResponseWriter, *http.Request) { panic("the password is hunter2") })
	app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		var p interface {
			Panic() (value any, stack []byte)
		}
		if errors.As(err, &p) {
			value, _ := p.Panic()
			fmt.Print("list: ", value, "; ")
		}
		status, message := segue.StatusOf(err)
		return segue.Text(w, status, message)
	})
	send(app, "GET /vault")
	// Output: list: the password is hunter2; GET /vault: 500 Internal Server Error
}

func requireLogin(next http.Handler) http.Handler { return next }

func ExampleRouter_Routes() {
	app := segue.New()
	app.GET("/", saying("home"))
	admin := app.Group("/admin", requireLogin)
	admin.DELETE("/users/{id}", saying("deleted "))
	admin.GET("/users", saying("all users"))
	for route := range app.Routes() {
		fmt.Println(route.Pattern, route.Middleware)
	}
	// Output:
	// GET / []
	// GET /admin/users [segue_test.requireLogin]
	// DELETE /admin/users/{id} [segue_test.requireLogin]
}

// register prints what a registration panics with. Programs let it panic: a
// wrong pattern is a mistake in the program.
func register(routes func(app *segue.Router)) {
	defer func() {
		text := fmt.Sprint(recover())
		fmt.Println(filePlace.ReplaceAllString(text, "main.go:12"))
	}()
	routes(segue.New())
}

var filePlace = regexp.MustCompile(`\S*example_test\.go:\d+`)

// WRONG: a wildcard is a whole segment. The program does not start, and says
// where it is wrong and why.
func ExamplePatternError_wrong() {
	register(func(app *segue.Router) {
		app.GET("/files/{name}.json", saying("a file"))
	})
	// Output:
	// segue: pattern "GET /files/{name}.json" (registered at main.go:12), offset 17: a wildcard is a whole segment; nothing may follow its brace but a slash
	//	GET /files/{name}.json
	//	                 ^
}

// WRONG: two routes that match the same requests.
func ExampleConflictError_wrong() {
	register(func(app *segue.Router) {
		app.GET("/users/{id}", saying("user "))
		app.GET("/users/:name", saying("user "))
	})
	// Output:
	// segue: pattern "GET /users/{name}" (registered at main.go:12) matches the same requests as "GET /users/{id}" (registered at main.go:12), for example /users/name
}

// All routes as a tree, with what they answer to. A file and line follow, to the
// right, that are left out here.
func ExampleRouter_String() {
	users := segue.New()
	users.GET("/", saying("all users"))
	users.POST("/", saying("made"))
	users.GET("/{id}", saying("user "))
	app := segue.New()
	app.Mount("/users", users)
	app.HandleFunc("example.com/files/", saying("a file"))

	fmt.Println(regexp.MustCompile(` *[\w.]+:\d+\n`).ReplaceAllString(app.String(), "\n"))
	// Output:
	// /
	// └── users                          GET POST
	//     └── {id}                       GET
	// example.com/
	// └── files
	//     └── {...}                      any
}

// A guard is kept in a variable, so that a test can ask for it.
func ExampleRoute_Uses() {
	guard := func(next http.Handler) http.Handler { return next }
	app := segue.New()
	app.Group("/admin", guard).GET("/users", saying("all users"))
	app.GET("/admin/forgotten", saying("oh"))

	for route := range app.Routes() {
		if !route.Uses(guard) {
			fmt.Println("not guarded:", route.Pattern)
		}
	}
	// Output:
	// not guarded: GET /admin/forgotten
}

func ExampleRouter_Explain() {
	show := func(http.ResponseWriter, *http.Request) {}
	app := segue.New()
	app.GET("/users/new", show)
	app.GET("/users/{id}", show)
	app.GET("/users/{id}/posts", show)

	trace := app.Explain(httptest.NewRequest("GET", "/users/new/posts", nil))
	for _, step := range trace.Steps {
		fmt.Println(step.Segment, step.Kind, step.Node)
	}
	fmt.Println(trace.Match.Route.Pattern, trace.Match.Params)

	trace = app.Explain(httptest.NewRequest("GET", "/user/7", nil))
	fmt.Println(trace.Match.Status, trace.Nearest[0].Pattern)
	// Output:
	// users literal [/users]
	// new parameter [/users/new /users/{id}]
	// posts literal [/users/{id}/posts]
	// GET /users/{id}/posts map[id:new]
	// 404 GET /users/{id}
}

// A trace is drawn for a terminal.
func ExampleTrace_String() {
	app := segue.New()
	app.Handle("GET /users/new", http.NotFoundHandler())
	app.Handle("GET /users/{id}", http.NotFoundHandler())

	trace := app.Explain(httptest.NewRequest("DELETE", "/users/new", nil))
	fmt.Println(trace)
	// Output:
	// DELETE example.com /users/new
	// 405, Allow: GET, HEAD
	//
	//       /
	//   1  ├─ users  literal                                                  2 routes
	//   2  └─ new    literal                                                  2 routes
	//                merged: /users/new, /users/{id}
	//
	// nearest:
	//   GET /users/new                                 the same path by another method
	//   GET /users/{id}                                the same path by another method
}

// A handler that returns an error, as it is put under Try. Decode's errors have
// their status already, so that they are returned as they are.
func ExampleDecode() {
	type User struct {
		Name string `json:"name"`
		Age  uint8  `json:"age"`
	}
	handler := func(w http.ResponseWriter, r *http.Request) error {
		user, err := segue.Decode[User](w, r)
		if err != nil {
			return err
		}
		fmt.Println("read:", user.Name, user.Age)
		return nil
	}

	send := func(contentType, body string) {
		r := httptest.NewRequest("POST", "/users", strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		if err := handler(httptest.NewRecorder(), r); err != nil {
			fmt.Println(segue.StatusOf(err))
		}
	}
	send("application/json", `{"name": "Ann", "age": 36}`)
	send("application/json", `{"name": "Ann", "age": 1000}`)
	send("application/json", `{"name": "Ann"`)
	send("text/plain", `{"name": "Ann"}`)
	// Output:
	// read: Ann 36
	// 400 field age: expected a whole number from 0 to 255 at byte 27
	// 400 the JSON is cut short after 14 bytes
	// 415 the body is not labelled as JSON: send "Content-Type: application/json"
}

// The limit is in bytes. Without the option it is 1 MiB.
func ExampleMaxBytes() {
	r := httptest.NewRequest("POST", "/", strings.NewReader(`["a long list"]`))
	r.Header.Set("Content-Type", "application/json")
	_, err := segue.Decode[[]string](httptest.NewRecorder(), r, segue.MaxBytes(10))
	fmt.Println(segue.StatusOf(err))

	var tooLarge *http.MaxBytesError
	fmt.Println(errors.As(err, &tooLarge))
	// Output:
	// 413 the body is larger than 10 bytes
	// true
}

// A misspelt name is an error, instead of a field that stays zero.
func ExampleDisallowUnknownFields() {
	type User struct {
		Name string `json:"name"`
	}
	r := httptest.NewRequest("POST", "/", strings.NewReader(`{"nam": "Ann"}`))
	r.Header.Set("Content-Type", "application/json")
	_, err := segue.Decode[User](httptest.NewRecorder(), r, segue.DisallowUnknownFields())
	fmt.Println(segue.StatusOf(err))
	// Output:
	// 400 unknown field "nam": correct the name or leave it out
}

// An empty body stands for the default of everything. Without the option it is
// an error that is an io.EOF.
func ExampleAllowEmpty() {
	type Filter struct {
		Tag string `json:"tag"`
	}
	r := httptest.NewRequest("POST", "/search", nil)
	filter, err := segue.Decode[Filter](httptest.NewRecorder(), r, segue.AllowEmpty())
	fmt.Printf("%+v %v\n", filter, err)

	r = httptest.NewRequest("POST", "/search", nil)
	r.Header.Set("Content-Type", "application/json")
	_, err = segue.Decode[Filter](httptest.NewRecorder(), r)
	fmt.Println(errors.Is(err, io.EOF))
	fmt.Println(segue.StatusOf(err))
	// Output:
	// {Tag:} <nil>
	// true
	// 400 the body is empty
}

// A large number keeps its digits, and two options go together.
func ExampleUseNumber() {
	decode := func(options ...segue.DecodeOption) {
		r := httptest.NewRequest("POST", "/", strings.NewReader(`{"id": 9007199254740993}`))
		r.Header.Set("Content-Type", "application/json")
		fields, err := segue.Decode[map[string]any](httptest.NewRecorder(), r, options...)
		fmt.Printf("%v %v\n", fields["id"], err)
	}
	decode()
	decode(segue.UseNumber(), segue.MaxBytes(100))
	// Output:
	// 9.007199254740992e+15 <nil>
	// 9007199254740993 <nil>
}

func ExampleJSON() {
	w := httptest.NewRecorder()
	err := segue.JSON(w, http.StatusCreated, map[string]any{"id": 7, "name": "Ann"})
	fmt.Println(err, w.Code, w.Header().Get("Content-Type"), w.Header().Get("Content-Length"))
	fmt.Println(w.Body)
	// Output:
	// <nil> 201 application/json 21
	// {"id":7,"name":"Ann"}
}

// A value that cannot be encoded is an error, and not half a response: nothing
// has been written, and whoever handles the error still can.
func ExampleJSON_notEncoded() {
	w := httptest.NewRecorder()
	err := segue.JSON(w, http.StatusOK, map[string]any{"id": 7, "done": make(chan bool)})
	fmt.Println(err)
	fmt.Println(segue.StatusOf(err))
	fmt.Println(w.Body.Len(), "bytes written")
	// Output:
	// segue: JSON: json: unsupported type: chan bool
	// 500 Internal Server Error
	// 0 bytes written
}

func ExampleText() {
	w := httptest.NewRecorder()
	err := segue.Text(w, http.StatusOK, "Grüezi")
	fmt.Println(err, w.Code, w.Header().Get("Content-Type"), w.Header().Get("Content-Length"))
	fmt.Println(w.Body)
	// Output:
	// <nil> 200 text/plain; charset=utf-8 7
	// Grüezi
}

// One error, two readers: the client gets the message without what %w stands
// for, the log gets all of it.
func ExampleErrorf() {
	err := segue.Errorf(http.StatusNotFound, "no user %d: %w", 7, sql.ErrNoRows)

	status, message := segue.StatusOf(err)
	fmt.Println("client:", status, message)
	fmt.Println("log:   ", err)
	fmt.Println(errors.Is(err, sql.ErrNoRows))
	// Output:
	// client: 404 no user 7
	// log:    no user 7: sql: no rows in result set
	// true
}

// WRONG: %v makes the error's text part of the message, so that the client reads
// what the database said. Write %w.
func ExampleErrorf_wrong() {
	dbErr := errors.New("dial tcp 10.0.0.5:5432: connection refused")

	_, message := segue.StatusOf(segue.Errorf(http.StatusServiceUnavailable, "try again later: %v", dbErr))
	fmt.Println("wrong:", message)
	_, message = segue.StatusOf(segue.Errorf(http.StatusServiceUnavailable, "try again later: %w", dbErr))
	fmt.Println("right:", message)
	// Output:
	// wrong: try again later: dial tcp 10.0.0.5:5432: connection refused
	// right: try again later
}

// quotaError is an error from elsewhere that knows its status.
type quotaError struct{}

func (quotaError) Error() string   { return "tenant 12 used 900 of 800" }
func (quotaError) StatusCode() int { return http.StatusTooManyRequests }

func ExampleStatusOf() {
	noUser := segue.Errorf(http.StatusNotFound, "no user 7")
	fmt.Println(segue.StatusOf(fmt.Errorf("loading the page: %w", noUser)))
	fmt.Println(segue.StatusOf(fmt.Errorf("saving: %w", quotaError{})))
	fmt.Println(segue.StatusOf(errors.New("disk 3 is full")))
	fmt.Println(segue.StatusOf(nil))
	// Output:
	// 404 no user 7
	// 429 Too Many Requests
	// 500 Internal Server Error
	// 200 OK
}

// dist stands for an embed.FS, an os.DirFS, or any other file system.
var dist = fstest.MapFS{
	"index.html":         {Data: []byte("the page")},
	"app.js":             {Data: []byte("the script")},
	"help/index.html":    {Data: []byte("the help")},
	"admin/accounts.csv": {Data: []byte("a secret")},
	".env":               {Data: []byte("another")},
}

// printAnswers prints what app answers to GET.
func printAnswers(app http.Handler, targets ...string) {
	for _, target := range targets {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		switch w.Code {
		case http.StatusOK:
			fmt.Println(target, w.Code, w.Body)
		case http.StatusTemporaryRedirect:
			fmt.Println(target, w.Code, w.Header().Get("Location"))
		default:
			fmt.Println(target, w.Code)
		}
	}
}

func ExampleRouter_Static() {
	app := segue.New()
	app.Static("/assets", segue.Files{FS: dist})
	printAnswers(app, "/assets/app.js", "/assets/", "/assets/help", "/assets/help/", "/assets/nope.js", "/assets/.env")
	// Output:
	// /assets/app.js 200 the script
	// /assets/ 200 the page
	// /assets/help 307 /assets/help/
	// /assets/help/ 200 the help
	// /assets/nope.js 404
	// /assets/.env 404
}

// A single-page application: its page answers for its paths, but neither for
// files that are not there nor for the API, which is a router of its own.
func ExampleRouter_Static_fallback() {
	app := segue.New()
	app.Static("/", segue.Files{FS: dist, Fallback: "index.html"})
	api := app.Group("/api")
	api.GET("/users", func(w http.ResponseWriter, r *http.Request) { segue.Text(w, http.StatusOK, "all users") })
	printAnswers(app, "/", "/users/7", "/app.js", "/nope.js", "/api/users", "/api/nope")
	// Output:
	// / 200 the page
	// /users/7 200 the page
	// /app.js 200 the script
	// /nope.js 404
	// /api/users 200 all users
	// /api/nope 404
}

// A guard on a part of the files. No spelling of the path gets around it. The
// route for the rest sees to it that what the guarded files do not have is not
// looked for among the others.
func ExampleRouter_Static_guard() {
	guard := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			segue.Fail(w, r, segue.Errorf(http.StatusUnauthorized, "log in first"))
		})
	}
	reports, _ := fs.Sub(dist, "admin")
	app := segue.New()
	app.Static("/", segue.Files{FS: dist})
	admin := app.Group("/admin", guard)
	admin.Static("/", segue.Files{FS: reports})
	admin.Any("/{path...}", http.NotFound)
	printAnswers(app, "/app.js", "/admin/accounts.csv", "/admin/nope.csv", "/admin%2Faccounts.csv", "/x/..%2fadmin/accounts.csv")
	// Output:
	// /app.js 200 the script
	// /admin/accounts.csv 401
	// /admin/nope.csv 401
	// /admin%2Faccounts.csv 404
	// /x/..%2fadmin/accounts.csv 404
}

// Wrong: the API's routes stand on the same router as the files. A path that
// none of them has is then the page's, and an API's client gets HTML with
// status 200. Put them under [Router.Group] or [Router.Mount].
func ExampleRouter_Static_wrong() {
	app := segue.New()
	app.Static("/", segue.Files{FS: dist, Fallback: "index.html"})
	app.GET("/api/users", func(w http.ResponseWriter, r *http.Request) { segue.Text(w, http.StatusOK, "all users") })
	printAnswers(app, "/api/users", "/api/userz")
	// Output:
	// /api/users 200 all users
	// /api/userz 200 the page
}

// One record for each request, with the pattern of its route. Here the time and
// the duration are left out, which are never the same.
func ExampleAccessLog() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "duration" {
				return slog.Attr{}
			}
			return a
		},
	}))
	app := segue.New()
	app.Use(segue.AccessLog(logger), segue.Recover)
	app.GET("/users/{id}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "user %s", segue.Param(r, "id"))
	}))
	for _, path := range []string{"/users/7", "/nowhere"} {
		app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	// Output:
	// level=INFO msg=request method=GET path=/users/7 pattern="GET /users/{id}" status=200 bytes=6 remote=192.0.2.1:1234
	// level=INFO msg=request method=GET path=/nowhere pattern="" status=404 bytes=19 remote=192.0.2.1:1234
}
