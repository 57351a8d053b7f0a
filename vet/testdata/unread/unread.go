// Package unread has parameters that nobody reads. // want package:"gives routes"
package unread

import (
	"context"
	"fmt"
	"net/http"

	"github.com/segue-go/segue"
)

func id(r *http.Request) string { return r.PathValue("id") }

func show(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, id(r)) }

func list(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }

func tenant(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if segue.Param(r, "tenant") != "" {
			next.ServeHTTP(w, r)
		}
	})
}

func routes() {
	app := segue.New()
	app.Use(tenant)
	app.GET("/{tenant}/users/{id}", show)
	app.GET("/{tenant}/users/{id}/posts/:post", show) // want `nobody reads the parameter "post" of GET /{tenant}/users/{id}/posts/{post}`
	app.GET("/files/*path", list)                     // want `nobody reads the parameter "path" of GET /files/{path...}`
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{a}/{b}", func(w http.ResponseWriter, r *http.Request) { // want `nobody reads the parameter "b"`
		fmt.Fprintln(w, r.PathValue("a"))
	})
	http.ListenAndServe("localhost:8080", app)
	http.ListenAndServe("localhost:8081", mux)
}

type key struct{}

// Here somebody may.
func silent(h http.Handler, name string) {
	app := segue.New()
	app.Handle("/held/{x}", h)
	app.GET("/all/{x}", func(w http.ResponseWriter, r *http.Request) {
		for name, value := range segue.Params(r) {
			fmt.Fprintln(w, name, value)
		}
	})
	app.GET("/named/{x}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.PathValue(name)) })
	app.GET("/printed/{x}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r) })
	app.GET("/copied/{x}", func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(context.WithValue(r.Context(), key{}, r))
	})
	app.GET("/stored/{x}", func(w http.ResponseWriter, r *http.Request) {
		c := &ctx{r}
		fmt.Fprintln(w, c.get("x"))
	})
	app.GET("/deref/{x}", func(w http.ResponseWriter, r *http.Request) {
		copied := *r
		fmt.Fprintln(w, copied.PathValue("x"))
	})
	http.ListenAndServe("localhost:8080", app)
}

type ctx struct{ r *http.Request }

func (c *ctx) get(name string) string { return c.r.PathValue(name) }

// Routes may be served by anybody, with any middleware.
func Routes() *segue.Router {
	app := segue.New()
	app.GET("/users/{id}", list)
	return app
}
