// The server with segue.
package main

import (
	"net/http"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/benchmarks/e2e/servers/serve"
)

func main() {
	o := serve.Flags()
	app := segue.New()
	for range o.Middlewares {
		app.Use(serve.PassOn)
	}
	paths, param := o.Paths()
	for _, path := range paths {
		app.GET(path, o.Standard(func(r *http.Request) string { return r.PathValue(param) }))
	}
	o.Run(app)
}
