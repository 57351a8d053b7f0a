package main

import (
	"embed"
	"io/fs"
	"log/slog"
	"net/http"

	"github.com/klauspost/compress/gzhttp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/trace"

	"github.com/segue-go/segue"
)

// A config is what the service is made of. Tests make another than main.
type config struct {
	notes  *store
	log    *slog.Logger
	tracer trace.TracerProvider
	origin string
	limit  int
}

//go:embed assets
var embedded embed.FS

// newApp puts the routers together. What it uses sees every request, misses
// too, and runs once the route is known: r.Pattern is there for all of it.
func newApp(c config) *segue.Router {
	log := slog.New(withID{c.log.Handler()})
	registry := prometheus.NewRegistry() // not the global one, so that a test can have several apps
	app := segue.New()
	app.Use(
		otelhttp.NewMiddleware("notes", otelhttp.WithTracerProvider(c.tracer)),
		measure(registry),
		requestID,
		segue.AccessLog(log),
		compress,
		segue.Recover,
	)
	app.OnError(logFailure(log))
	app.OnError(errorPage)

	app.Handle("GET /{$}", http.RedirectHandler("/notes", http.StatusSeeOther))
	app.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	app.Static("/assets", segue.Files{FS: assets(), CacheControl: func(string) string { return "public, max-age=3600" }})
	app.Mount("/api", api(c, log))
	app.Mount("/notes", pages(c.notes))
	return app
}

func assets() fs.FS {
	sub, err := fs.Sub(embedded, "assets")
	if err != nil {
		panic(err) // the name is not one
	}
	return sub
}

// compress gives gzhttp's handler the result type of a [segue.Middleware]: its
// own is http.HandlerFunc, and Go compares function types by the letter.
func compress(next http.Handler) http.Handler { return gzhttp.GzipHandler(next) }

// logFailure notes what is the server's fault, and leaves the answer to the
// next in the list.
func logFailure(log *slog.Logger) func(http.ResponseWriter, *http.Request, error) error {
	return func(w http.ResponseWriter, r *http.Request, err error) error {
		if status, _ := segue.StatusOf(err); status >= 500 {
			log.ErrorContext(r.Context(), "failed", "pattern", r.Pattern, "err", err)
		}
		return err
	}
}
