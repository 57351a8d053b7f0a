// Package app is the program with segue that is measured, the same on each
// engine.
package app

import (
	"net/http"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/benchmarks/e2e/servers/serve"
)

// New returns the router for what is to be served.
func New(o serve.Options) *segue.Router {
	app := segue.New()
	for range o.Middlewares {
		app.Use(serve.PassOn)
	}
	paths, param := o.Paths()
	answer := o.Standard(func(r *http.Request) string { return r.PathValue(param) })
	for _, path := range paths {
		app.GET(path, answer)
	}
	return app
}
