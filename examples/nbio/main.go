// Nbio serves a router on another engine than net/http's: nbio, which parses
// requests itself. The router, its middleware and its handlers are the same.
//
//	go run -C examples/nbio .
//	curl http://localhost:18032/hello/vikram
//
// The README beside this file says what is different for clients and handlers.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/examples/nbio/engine"
)

func main() {
	addr := flag.String("addr", "localhost:18032", "where to listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	if err := run(ctx, *addr, newApp()); err != nil {
		fmt.Fprintln(os.Stderr, "nbio:", err)
		os.Exit(1)
	}
}

// run serves app until ctx is done, and then finishes the requests in flight.
func run(ctx context.Context, addr string, app http.Handler) error {
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program listens on %s: stop it, or choose another port, as in -addr localhost:18042 (%w)", addr, err)
	}
	if err != nil {
		return err
	}
	server, err := engine.Serve(listener, app, engine.Limits{Idle: 2 * time.Minute, Write: 30 * time.Second, Bytes: 1 << 20})
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	<-ctx.Done()
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return server.Shutdown(wait)
}

func newApp() *segue.Router {
	app := segue.New()
	app.Use(segue.Recover)
	app.GET("/hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		_ = segue.Text(w, http.StatusOK, "Hello, "+r.PathValue("name")+"!\n")
	})
	return app
}
