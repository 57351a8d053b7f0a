// Notes is a whole service: a JSON API and pages over one SQLite file, with
// request logs, metrics, traces, compression, CORS and a rate limit. All of
// these come from other packages, or from net/http, and know nothing of segue.
//
//	go run -C examples/notes .
//
// The README beside this file says what there is to see.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// options are the command line's.
type options struct {
	addr   string
	db     string
	origin string
	limit  int
	traces bool
}

func main() {
	var o options
	flag.StringVar(&o.addr, "addr", "localhost:18008", "where to listen")
	flag.StringVar(&o.db, "db", "notes.db", "the SQLite file, or :memory:")
	flag.StringVar(&o.origin, "origin", "https://app.example", "whose pages may call the API from a browser")
	flag.IntVar(&o.limit, "limit", 100, "requests to the API a minute, for each client address")
	flag.BoolVar(&o.traces, "traces", false, "write traces to standard output")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	if err := run(ctx, o); err != nil {
		slog.Error("stopped", "err", err)
		os.Exit(1)
	}
}

// run opens what the service needs, serves until ctx is done, and closes it
// again when the last request is finished.
func run(ctx context.Context, o options) (err error) {
	notes, err := openStore(ctx, o.db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, notes.Close()) }()

	cfg := config{notes: notes, log: slog.Default(), tracer: noop.NewTracerProvider(), origin: o.origin, limit: o.limit}
	if o.traces {
		provider, err := tracesTo(os.Stdout)
		if err != nil {
			return err
		}
		defer provider.Shutdown(context.WithoutCancel(ctx)) // sends what is left
		cfg.tracer = provider
	}
	return serve(ctx, o.addr, newApp(cfg))
}

func tracesTo(w io.Writer) (*sdktrace.TracerProvider, error) {
	exporter, err := stdouttrace.New(stdouttrace.WithWriter(w))
	if err != nil {
		return nil, err
	}
	return sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter)), nil
}

// serve answers until ctx is done, and then finishes the requests in flight.
func serve(ctx context.Context, addr string, app http.Handler) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           app,
		ReadHeaderTimeout: 5 * time.Second, // a client that sends nothing
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second, // a client that reads nothing
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelError),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	home := "http://" + listener.Addr().String()
	slog.Info("listening", "url", home, "try", home+"/notes")

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	slog.Info("finishing the requests in flight")
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return server.Shutdown(wait)
}
