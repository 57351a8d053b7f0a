// The server with segue.
package main

import (
	"github.com/segue-go/segue/benchmarks/e2e/servers/app"
	"github.com/segue-go/segue/benchmarks/e2e/servers/serve"
)

func main() {
	o := serve.Flags()
	o.Run(app.New(o))
}
