package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"

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

// requestLog logs how each request ended, under an id that the client is told
// too, and under the pattern of its route.
func requestLog(log *slog.Logger) segue.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id, start := rand.Text(), time.Now()
			w.Header().Set("X-Request-Id", id)
			r = r.WithContext(context.WithValue(r.Context(), idKey{}, id))
			sw := &statusWriter{ResponseWriter: w, status: http.StatusOK}
			defer func() { // also when a handler panics
				log.Info("request", "id", id, "method", r.Method, "path", r.URL.Path,
					"pattern", r.Pattern, "status", sw.status, "took", time.Since(start))
			}()
			next.ServeHTTP(sw, r)
		})
	}
}

type idKey struct{}

// requestID returns what requestLog logs the request under.
func requestID(r *http.Request) string {
	id, _ := r.Context().Value(idKey{}).(string)
	return id
}

// A statusWriter remembers the status that it passes on. Unwrap lets
// http.ResponseController reach what is behind it.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if status >= 200 || status == http.StatusSwitchingProtocols { // the others are hints ahead of the answer
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
