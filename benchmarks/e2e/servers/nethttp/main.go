// The server with net/http alone: one handler for everything, no routing. It
// is the ceiling of every router on net/http.
package main

import (
	"net/http"
	"strings"

	"github.com/segue-go/segue/benchmarks/e2e/servers/serve"
)

func main() {
	o := serve.Flags()
	lastSegment := func(r *http.Request) string { return r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:] }
	o.Run(o.Wrap(o.Standard(lastSegment)))
}
