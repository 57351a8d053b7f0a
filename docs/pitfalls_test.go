package docs

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/segue-go/segue"
)

// logging stands for a real one.
func logging(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}

// whereAmI answers with what the handler sees.
func whereAmI(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "%s as %s, id=%s", r.URL.Path, r.Pattern, segue.Param(r, "id"))
}

func Example_hiddenRouter() {
	users := segue.New()
	users.GET("/{id}", whereAmI)

	wrong := segue.New()
	wrong.Mount("/users", logging(users)) // any handler, for all that segue can see
	right := segue.New()
	right.Mount("/users", users)
	users.Use(logging)

	for _, app := range []*segue.Router{wrong, right} {
		fmt.Println(ask(app, "GET", "/users/7", "").Body)
		for route := range app.Routes() {
			fmt.Println("  route", route.Method, route.Path)
		}
	}
	// Output:
	// /7 as GET /{id}, id=7
	//   route  /users/
	// /users/7 as GET /users/{id}, id=7
	//   route GET /users/{id}
}

func Example_narrowGuard() {
	app := segue.New()
	app.GET("/admin/help", whereAmI)
	admin := app.Group("/admin", requireAdmin)
	admin.GET("/users", whereAmI)

	fmt.Println(ask(app, "GET", "/admin/users", "").Code) // guarded
	fmt.Println(ask(app, "GET", "/admin/help", "").Code)  // a route of app
	fmt.Println(ask(app, "GET", "/admin/nope", "").Code)  // nobody's route, under the prefix of admin
	// Output:
	// 401
	// 200
	// 401
}

func Example_guardByPath() {
	guardAdmin := func(next http.Handler) http.Handler {
		guarded := requireAdmin(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path+"/", "/admin/") {
				guarded.ServeHTTP(w, r)
			} else {
				next.ServeHTTP(w, r)
			}
		})
	}
	app := segue.New()
	app.Use(guardAdmin)
	app.GET("/admin/help", whereAmI)
	app.GET("/{section}/users", whereAmI)
	for _, path := range []string{"/admin/help", "/%61dmin/users", "/admin/nope", "/admin", "/shop/users"} {
		fmt.Println(path, ask(app, "GET", path, "").Code)
	}
	// Output:
	// /admin/help 401
	// /%61dmin/users 401
	// /admin/nope 401
	// /admin 401
	// /shop/users 200
}

// methodOverride lets a form send a DELETE.
func methodOverride(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m := r.Header.Get("X-HTTP-Method-Override"); m != "" && r.Method == "POST" {
			r.Method = m
		}
		next.ServeHTTP(w, r)
	})
}

func Example_useIsAfterMatching() {
	routes := func() *segue.Router {
		app := segue.New()
		app.POST("/users/{id}", whereAmI)
		app.DELETE("/users/{id}", whereAmI)
		return app
	}
	wrong := routes()
	wrong.Use(methodOverride) // the route is chosen by now
	right := methodOverride(routes())

	for _, app := range []http.Handler{wrong, right} {
		fmt.Println(ask(app, "POST", "/users/7", "", "X-HTTP-Method-Override: DELETE").Body)
	}
	// Output:
	// /users/7 as POST /users/{id}, id=7
	// /users/7 as DELETE /users/{id}, id=7
}

func Example_rewrittenURL() {
	showID := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "id=%q", segue.Param(r, "id"))
	})
	for _, filled := range []bool{true, false} {
		app := segue.New()
		app.PathValues(filled)
		app.Handle("/users/{id}", http.StripPrefix("/users", showID))
		app.Mount("/mounted/{id}", showID)
		fmt.Println(filled, ask(app, "GET", "/users/ada", "").Body, ask(app, "GET", "/mounted/ada", "").Body)
	}
	// Output:
	// true id="ada" id="ada"
	// false id="" id="ada"
}

func Example_locationBelowAPrefix() {
	users := segue.New() // knows nothing of where it will hang
	users.POST("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "wrong:", r.URL.Path+"/7")
		fmt.Fprint(w, "right: ", path.Join(r.URL.Path, "7"))
	})
	app := segue.New()
	app.Mount("/users", users)
	for _, target := range []string{"/users", "/users/"} {
		fmt.Println(ask(app, "POST", target, "").Body)
	}
	// Output:
	// wrong: /users/7
	// right: /users/7
	// wrong: /users//7
	// right: /users/7
}

// numbered numbers requests, and makes the counter where the chain is composed.
func numbered(next http.Handler) http.Handler {
	count := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count++
		fmt.Fprintf(w, "number %d: ", count)
		next.ServeHTTP(w, r)
	})
}

func Example_oneEachPlace() {
	users := segue.New()
	users.Use(numbered)
	users.GET("/{id}", whereAmI)
	app := segue.New()
	app.Mount("/users", users)
	app.Mount("/orgs/{org}/users", users)

	for _, path := range []string{"/users/1", "/users/2", "/orgs/acme/users/3"} {
		fmt.Println(ask(app, "GET", path, "").Body)
	}
	// Output:
	// number 1: /users/1 as GET /users/{id}, id=1
	// number 2: /users/2 as GET /users/{id}, id=2
	// number 1: /orgs/acme/users/3 as GET /orgs/{org}/users/{id}, id=3
}

func Example_catchAll() {
	app := segue.New()
	app.GET("/users", listUsers)
	app.Any("/{path...}", nothingHere)
	fmt.Println(ask(app, "PATCH", "/users", "").Code)

	app = segue.New()
	app.GET("/users", listUsers)
	app.NotFound(http.HandlerFunc(nothingHere))
	fmt.Println(ask(app, "PATCH", "/users", "").Code)
	// Output:
	// 404
	// 405
}

func Example_errorAfterTheAnswerBegan() {
	app := segue.New()
	app.GET("/", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		fmt.Fprintln(w, "the first half")
		return errors.New("the second half is lost")
	}))
	w := ask(app, "GET", "/", "")
	fmt.Printf("%d %q\n", w.Code, w.Body)

	app.Use(segue.Recover)
	defer func() { fmt.Println("aborted:", recover() == http.ErrAbortHandler) }()
	ask(app, "GET", "/", "")
	// Output:
	// 200 "the first half\nInternal Server Error\n"
	// aborted: true
}
