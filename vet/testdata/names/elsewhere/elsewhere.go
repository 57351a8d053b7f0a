// Package elsewhere gives handlers values and routers routes. // want package:"gives values and routes"
package elsewhere

import (
	"net/http"

	"github.com/segue-go/segue"
)

// Localize sets a value.
func Localize(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.SetPathValue("lang", "en")
		next.ServeHTTP(w, r)
	})
}

// Serve mounts app under a parameter.
func Serve(app *segue.Router) {
	root := segue.New()
	root.Mount("/{any}", app)
	http.ListenAndServe("localhost:8080", root)
}

// Register registers routes.
func Register(app *segue.Router) {
	app.GET("/{theirs}", func(w http.ResponseWriter, r *http.Request) {})
}

// Request returns a request of unknown origin.
func Request() *http.Request { return nil }
