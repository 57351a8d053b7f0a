// Shutdown ends as a service should: on Ctrl-C or SIGTERM it takes no new
// connections, finishes the requests in flight, tells those that could wait for
// ever, and gives up after a while.
//
//	go run ./examples/shutdown
//	curl http://localhost:18007/tasks/3s      # and then Ctrl-C in the other terminal: it is finished
//	curl -i http://localhost:18007/tasks/1h   # this one is told to stop
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
)

func main() {
	addr := flag.String("addr", "localhost:18007", "where to listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	if err := run(ctx, *addr, newApp(), patience{finish: 5 * time.Second, stop: 2 * time.Second}); err != nil {
		fmt.Fprintln(os.Stderr, "shutdown:", err)
		os.Exit(1)
	}
	fmt.Println("all requests are finished")
}

// patience is how long requests in flight have: to finish, and then to stop.
type patience struct {
	finish, stop time.Duration
}

// run serves app until ctx is done, or something fails.
func run(ctx context.Context, addr string, app http.Handler, wait patience) error {
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program listens on %s: stop it, or choose another port, as in -addr localhost:18017 (%w)", addr, err)
	}
	if err != nil {
		return err
	}
	// The requests' context outlives ctx: the signal is no reason to drop them.
	requests, tellAll := context.WithCancelCause(context.WithoutCancel(ctx))
	defer tellAll(nil)
	server := &http.Server{
		Handler:           app,
		ReadHeaderTimeout: 5 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	fmt.Printf("listening on http://%[1]s, try http://%[1]s/tasks/3s and Ctrl-C\n", listener.Addr())

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	// Serve returns at once now, and nobody waits for it.
	patient, cancel := context.WithTimeout(context.Background(), wait.finish)
	defer cancel()
	if server.Shutdown(patient) == nil {
		return nil
	}
	tellAll(errShuttingDown)
	patient, cancel = context.WithTimeout(context.Background(), wait.stop)
	defer cancel()
	if err := server.Shutdown(patient); err != nil {
		server.Close()
		return fmt.Errorf("some requests did not stop: %w", err)
	}
	return nil
}

var errShuttingDown = segue.Errorf(http.StatusServiceUnavailable, "the server is shutting down, try again")

func newApp() *segue.Router {
	app := segue.New()
	app.Use(segue.Recover)
	app.GET("/tasks/{duration}", segue.Try(work))
	app.GET("/stubborn/{duration}", segue.Try(stubborn))
	return app
}

// work takes its time, unless it is told to stop.
func work(w http.ResponseWriter, r *http.Request) error {
	duration, err := durationOf(r)
	if err != nil {
		return err
	}
	select {
	case <-time.After(duration):
		return segue.Text(w, http.StatusOK, "done\n")
	case <-r.Context().Done():
		return context.Cause(r.Context()) // errShuttingDown, or the client has left
	}
}

// stubborn does not listen.
func stubborn(w http.ResponseWriter, r *http.Request) error {
	duration, err := durationOf(r)
	if err != nil {
		return err
	}
	time.Sleep(duration)
	return segue.Text(w, http.StatusOK, "done\n")
}

func durationOf(r *http.Request) (time.Duration, error) {
	duration, err := time.ParseDuration(segue.Param(r, "duration"))
	if err != nil || duration > time.Hour {
		return 0, segue.Errorf(http.StatusBadRequest, "a duration is at most 1h, and written as in 3s or 1m30s")
	}
	return duration, nil
}
