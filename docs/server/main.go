// Server is the program of server.md: timeouts, shutdown and a request log.
package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/segue-go/segue"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", "localhost:18010")
	if err == nil {
		err = serve(ctx, listener, newApp(slog.Default()))
	}
	if err != nil {
		slog.Error("stopped", "err", err)
		os.Exit(1)
	}
}

func newApp(log *slog.Logger) *segue.Router {
	app := segue.New()
	app.Use(requestLog(log), segue.Recover)
	app.GET("/hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		segue.Text(w, http.StatusOK, "Hello, "+r.PathValue("name")+"!\n")
	})
	return app
}

// serve answers until ctx is done, and then finishes the requests in flight.
func serve(ctx context.Context, listener net.Listener, app http.Handler) error {
	server := &http.Server{
		Handler:           app,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelError),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served: // it could not serve
		return err
	case <-ctx.Done():
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return server.Shutdown(wait)
}

// requestLog logs how each request ended, under an id that the client is told.
func requestLog(log *slog.Logger) segue.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id, start := rand.Text(), time.Now()
			w.Header().Set("X-Request-Id", id)
			sw := &statusWriter{ResponseWriter: w, status: http.StatusOK}
			defer func() { // also when a handler panics
				log.Info("request", "id", id, "method", r.Method, "path", r.URL.Path,
					"pattern", r.Pattern, "status", sw.status, "took", time.Since(start))
			}()
			next.ServeHTTP(sw, r)
		})
	}
}

// A statusWriter remembers the status that it passes on.
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

// Unwrap lets http.ResponseController flush and hijack what is behind.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
