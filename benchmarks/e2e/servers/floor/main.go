// The floor under every router: a Go map of whole paths, which knows beforehand
// each path that wrk will ask for.
package main

import (
	"net/http"
	"strings"

	"github.com/segue-go/segue/benchmarks/e2e/servers/serve"
)

func main() {
	o := serve.Flags()
	paths, param := o.Paths()
	handlers := make(map[string]http.HandlerFunc, len(paths))
	answer := o.Standard(func(*http.Request) string { return "vikram" })
	for _, path := range paths {
		whole := strings.Replace(path, "{"+param+"}", "vikram", 1)
		handlers[whole] = answer
	}
	o.Run(o.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler := handlers[r.URL.Path]
		if handler == nil {
			handler = http.NotFound
		}
		handler(w, r)
	})))
}
