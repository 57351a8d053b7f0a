// The server with chi.
package main

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/segue-go/segue/benchmarks/e2e/servers/serve"
)

func main() {
	o := serve.Flags()
	router := chi.NewRouter()
	for range o.Middlewares {
		router.Use(serve.PassOn)
	}
	paths, param := o.Paths()
	answer := o.Standard(func(r *http.Request) string { return chi.URLParam(r, param) })
	for _, path := range paths {
		router.Get(path, answer)
	}
	o.Run(router)
}
