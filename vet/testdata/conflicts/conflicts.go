// Package conflicts registers patterns twice. // want package:"gives routes"
package conflicts

import (
	"net/http"

	"github.com/segue-go/segue"
)

func handler(http.ResponseWriter, *http.Request) {}

func routers(debug bool) {
	app := segue.New()
	app.GET("/users/{id}", handler)
	app.POST("/users/{id}", handler)
	app.GET("/users/:user", handler) // want `pattern "GET /users/{user}" conflicts with "GET /users/{id}" of line 14: for example /users/user`
	app.Any("/any", handler)
	if debug {
		app.Any("/any", handler) // want `conflicts with "/any" of line 17`
	}
	api := app.Group("/api")
	api.GET("/x", handler)
	app.With(segue.Recover).GET("/api/x", handler) // want `pattern "GET /api/x" conflicts with "GET /api/x" of line 22`
	users := segue.New()
	users.GET("/x", handler)
	app.Mount("/api", users) // want `pattern "GET /api/x" conflicts with "GET /api/x" of line 22`
	files := http.FileServer(http.Dir("."))
	app.Handle("/files/", files)
	app.Mount("/files", http.StripPrefix("/", files).(http.HandlerFunc)) // want `conflicts with "/files/" of line 28`
}

type server struct{ mux *http.ServeMux }

func (s *server) routes() {
	s.mux.HandleFunc("GET /a/{x}", handler)
	s.mux.HandleFunc("GET /a/{y}", handler) // want `pattern "GET /a/{y}" conflicts with "GET /a/{x}" of line 35: GET /a/{y} matches the same requests as GET /a/{x}`
	s.mux.HandleFunc("/a/b", handler)       // want `pattern "/a/b" conflicts with "GET /a/{x}" of line 35`
	http.HandleFunc("/default", handler)
	http.Handle("/default", http.NotFoundHandler()) // want `conflicts with "/default" of line 38`
}

func literal() {
	_ = func(mux *http.ServeMux) {
		mux.HandleFunc("/twice", handler)
		for range 2 {
			mux.HandleFunc("/twice", handler) // want `pattern "/twice" conflicts with "/twice"`
		}
	}
}
