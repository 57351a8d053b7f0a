// The server with segue on nbio, guarded as in examples/nbio.
package main

import (
	"net"
	"time"

	"github.com/segue-go/segue/benchmarks/e2e/servers/app"
	"github.com/segue-go/segue/benchmarks/e2e/servers/serve"
	"github.com/segue-go/segue/examples/nbio/engine"
)

func main() {
	o := serve.Flags()
	o.RunListener(func(l net.Listener) error {
		limits := engine.Limits{Idle: 2 * time.Minute, Write: 30 * time.Second, Bytes: 1 << 20}
		if _, err := engine.Serve(l, app.New(o), limits); err != nil {
			return err
		}
		select {}
	})
}
