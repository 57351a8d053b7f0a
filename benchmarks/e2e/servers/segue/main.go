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
	answer := o.Standard(func(r *http.Request) string { return r.PathValue(param) })
	for _, path := range paths {
		app.GET(path, answer)
	}
	o.Run(app)
}
