// Package names asks requests for parameters: by functions, methods, literals // want package:"gives values and routes"
// and what wraps them.
package names

import (
	"context"
	"fmt"
	"net/http"

	"github.com/segue-go/segue"
)

func literals() {
	app := segue.New()
	app.GET("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("id"), r.PathValue("userID")) // want `no parameter "userID" in GET /users/{id}; there is "id"$`
	})
	app.GET("/posts/:post", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, segue.Param(r, "Post")) // want `no parameter "Post" in GET /posts/{post}; there is "post"; did you mean "post"\?`
	})
	app.GET("/about", func(w http.ResponseWriter, r *http.Request) {
		n, _ := segue.ParamAs[int](r, "page") // want `no parameter "page" in GET /about, nor any other`
		fmt.Fprintln(w, n)
	})
	app.Handle("DELETE /files/{path...}", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		r = r.WithContext(context.Background())
		copied := r.Clone(r.Context())
		fmt.Fprintln(w, copied.PathValue("file")) // want `no parameter "file" in DELETE /files/{path...}`
		return nil
	}))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /things/{thing}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("thign")) // want `did you mean "thing"\?`
	})
	http.ListenAndServe("localhost:8080", app)
	http.ListenAndServe("localhost:8081", mux)
}

const (
	base     = "/v1"
	nameUser = "user"
)

func show(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, r.PathValue(nameUser)) // want `no parameter "user" in DELETE /v1/users/{name}, GET /v1/users/{id}; there is "id", "name"`
	fmt.Fprintln(w, r.PathValue("id"), r.PathValue("name"))
}

type server struct {
	mux  *http.ServeMux
	auth func(http.Handler) http.Handler
}

func (s *server) get(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, nameOf(r), otherOf(w, r))
}

// Helpers are looked at with all their callers.
func nameOf(r *http.Request) string { return r.PathValue("things") } // want `no parameter "things" in GET /things/{thing}; there is "thing"; did you mean "thing"\?`

func otherOf(_ http.ResponseWriter, r *http.Request) string { return r.PathValue("thing") }

func makes(format string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, format, r.PathValue("made")) // want `no parameter "made" in GET /made/{by}`
	}
}

func constants(s *server) {
	app := segue.New()
	app.GET(base+"/users/{id}", show)
	app.Method("DELETE", base+"/users/{name}", http.HandlerFunc(show))
	s.mux = http.NewServeMux()
	s.mux.HandleFunc("GET /things/{thing}", s.get)
	s.mux.Handle("GET /made/{by}", makes("%s"))
}

type page struct{}

func (page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, r.PathValue("title")) // want `no parameter "title" in /pages/{name}`
}

func guard(role string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.PathValue("tenant") == role { // want `no parameter "tenant" in GET /a/{x}, GET /b/{y}`
				next.ServeHTTP(w, r)
			}
		})
	}
}

func log(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		next(w, r)
		fmt.Println(r.PathValue("x"))
	}
}

func readX(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, r.PathValue("y")) // want `no parameter "y" in GET /a/{x}`
}

func readY(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.PathValue("y")) }

func wrapped() {
	mux := http.NewServeMux()
	mux.Handle("/pages/{name}", page{})
	viewer := guard("viewer")
	mux.Handle("GET /a/{x}", viewer(log(readX)))
	mux.Handle("GET /b/{y}", guard("admin")(http.HandlerFunc(readY)))
	http.ListenAndServe("localhost:8080", http.MaxBytesHandler(mux, 1<<20))
}

// What is registered in this package only, with both names, may ask for both.
func both(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, r.PathValue("one")+r.PathValue("two"))
}

func twice(mux *http.ServeMux) {
	mux.HandleFunc("/1/{one}", both)
	mux.HandleFunc("/2/{two}", both)
}

func stored(next http.Handler) http.Handler {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
	return h
}

func storedTwice() {
	mux := http.NewServeMux()
	mux.Handle("/s/{s}", stored(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("t")) // want `no parameter "t" in /s/{s}`
	})))
	mux.Handle("/t/{t}", stored(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("s")) // want `no parameter "s" in /t/{t}`
	})))
}

type failed func(http.ResponseWriter, *http.Request) error

func (f failed) ServeHTTP(w http.ResponseWriter, r *http.Request) { _ = f(w, r) }

func fail(w http.ResponseWriter, r *http.Request) error {
	return fmt.Errorf("%s", r.PathValue("why")) // want `no parameter "why" in /failed/{how}`
}

func fails2() {
	mux := http.NewServeMux()
	mux.Handle("/failed/{how}", failed(fail))
}
