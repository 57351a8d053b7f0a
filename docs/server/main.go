// Server is the program of server.md: timeouts, shutdown and a request log.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
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
	log := slog.New(withID{slog.NewTextHandler(os.Stderr, nil)})
	listener, err := net.Listen("tcp", "localhost:18010")
	if err == nil {
		fmt.Printf("listening on http://%[1]s, try http://%[1]s/hello/vikram\n", listener.Addr())
		err = serve(ctx, listener, newApp(log), log)
	}
	if err != nil {
		log.Error("stopped", "err", err)
		os.Exit(1)
	}
}

func newApp(log *slog.Logger) *segue.Router {
	app := segue.New()
	app.Use(requestID, segue.AccessLog(log), segue.Recover)
	app.GET("/hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		segue.Text(w, http.StatusOK, "Hello, "+r.PathValue("name")+"!\n")
	})
	return app
}

// serve answers until ctx is done, and then finishes the requests in flight.
func serve(ctx context.Context, listener net.Listener, app http.Handler, log *slog.Logger) error {
	server := &http.Server{
		Handler:           app,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelError),
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

type idKey struct{}

// requestID gives each request an id, in its context and in the answer.
func requestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), idKey{}, id)))
	})
}

// withID adds the request's id to every record that is logged with its context.
type withID struct{ slog.Handler }

func (h withID) Handle(ctx context.Context, record slog.Record) error {
	if id, ok := ctx.Value(idKey{}).(string); ok {
		record.AddAttrs(slog.String("id", id))
	}
	return h.Handler.Handle(ctx, record)
}

func (h withID) WithAttrs(attrs []slog.Attr) slog.Handler { return withID{h.Handler.WithAttrs(attrs)} }
func (h withID) WithGroup(name string) slog.Handler       { return withID{h.Handler.WithGroup(name)} }
