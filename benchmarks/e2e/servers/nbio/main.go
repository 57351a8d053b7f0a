// The server with segue on another engine than net/http's: nbio in its mixed
// mode, as it comes. examples/nbio says why nobody should run it like this.
package main

import (
	"net"

	"github.com/lesismal/nbio/logging"
	"github.com/lesismal/nbio/nbhttp"

	"github.com/segue-go/segue/benchmarks/e2e/servers/app"
	"github.com/segue-go/segue/benchmarks/e2e/servers/serve"
)

func main() {
	o := serve.Flags()
	logging.SetLevel(logging.LevelWarn)
	o.RunListener(func(l net.Listener) error {
		engine := nbhttp.NewEngine(nbhttp.Config{
			Addrs:             []string{o.Addr},
			Listen:            func(string, string) (net.Listener, error) { return l, nil },
			Handler:           app.New(o),
			IOMod:             nbhttp.IOModMixed,
			SupportServerOnly: true,
		})
		if err := engine.Start(); err != nil {
			return err
		}
		select {}
	})
}
