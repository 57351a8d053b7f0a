package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/segue-go/segue"
)

// measure counts and times requests by the pattern of their route, of which
// there are as many as routes, whatever paths people ask for.
func measure(registry prometheus.Registerer) segue.Middleware {
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "http_request_duration_seconds",
		Help: "How long requests took, by route, method and status.",
	}, []string{"pattern", "method", "code"})
	registry.MustRegister(durations)
	byPattern := promhttp.WithLabelFromCtx("pattern", func(ctx context.Context) string {
		return ctx.Value(patternKey{}).(string)
	})
	return func(next http.Handler) http.Handler {
		return withPattern(promhttp.InstrumentHandlerDuration(durations, next, byPattern))
	}
}

type patternKey struct{}

// withPattern puts the pattern where promhttp can get at it, in the context.
// What no route matches has none, and shares one label.
func withPattern(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pattern := r.Pattern
		if pattern == "" {
			pattern = "none"
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), patternKey{}, pattern)))
	})
}

type idKey struct{}

// requestID gives each request an id, in its context and in the answer.
func requestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), idKey{}, id)))
	})
}

// idOf returns the id that requestID has put into the context.
func idOf(ctx context.Context) string {
	id, _ := ctx.Value(idKey{}).(string)
	return id
}

// withID adds the request's id to every record that is logged with its context.
type withID struct{ slog.Handler }

func (h withID) Handle(ctx context.Context, record slog.Record) error {
	if id := idOf(ctx); id != "" {
		record.AddAttrs(slog.String("id", id))
	}
	return h.Handler.Handle(ctx, record)
}

func (h withID) WithAttrs(attrs []slog.Attr) slog.Handler { return withID{h.Handler.WithAttrs(attrs)} }
func (h withID) WithGroup(name string) slog.Handler       { return withID{h.Handler.WithGroup(name)} }
