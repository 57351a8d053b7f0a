// The server with http.ServeMux.
package main

import (
	"net/http"

	"github.com/segue-go/segue/benchmarks/e2e/servers/serve"
)

func main() {
	o := serve.Flags()
	mux := http.NewServeMux()
	paths, param := o.Paths()
	answer := o.Standard(func(r *http.Request) string { return r.PathValue(param) })
	for _, path := range paths {
		mux.HandleFunc("GET "+path, answer)
	}
	o.Run(o.Wrap(mux))
}
