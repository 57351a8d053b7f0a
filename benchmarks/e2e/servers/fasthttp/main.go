// The server on another engine than net/http: fasthttp, one handler for
// everything, no routing.
package main

import (
	"bytes"
	"fmt"
	"net"

	"github.com/valyala/fasthttp"

	"github.com/segue-go/segue/benchmarks/e2e/servers/serve"
)

func main() {
	o := serve.Flags()
	handler := func(ctx *fasthttp.RequestCtx) {
		if o.Body != nil {
			ctx.SetBody(o.Body)
			return
		}
		path := ctx.Path()
		fmt.Fprintf(ctx, "Hello, %s!\n", path[bytes.LastIndexByte(path, '/')+1:])
	}
	o.RunListener(func(l net.Listener) error { return fasthttp.Serve(l, handler) })
}
