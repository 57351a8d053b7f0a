// Sse sends server-sent events through middleware: each one leaves when it is
// made, and a client that comes back goes on where it was.
//
//	go run ./examples/sse
//	curl -N http://localhost:18004/ticks/3                              # three events, a second apart
//	curl -N -H 'Last-Event-ID: 2' http://localhost:18004/ticks/3        # the third alone
//	curl -N http://localhost:18004/broken                               # a panic in the middle: the connection is cut
//
// The format is the HTML standard's: https://html.spec.whatwg.org/multipage/server-sent-events.html
package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/segue-go/segue"
)

func main() {
	addr := flag.String("addr", "localhost:18004", "where to listen")
	flag.Parse()
	if err := run(*addr); err != nil {
		fmt.Fprintln(os.Stderr, "sse:", err)
		os.Exit(1)
	}
}

// run serves until something fails.
func run(addr string) error { return serve(addr, &ticker{every: time.Second}) }

func serve(addr string, t *ticker) error {
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program listens on %s: stop it, or choose another port, as in -addr localhost:18014 (%w)", addr, err)
	}
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%[1]s, try http://%[1]s/ticks/3\n", listener.Addr())
	// No WriteTimeout: a stream may last. See http.ResponseController's
	// SetWriteDeadline for one that counts from each event.
	server := &http.Server{Handler: newApp(t), ReadHeaderTimeout: 5 * time.Second}
	return server.Serve(listener)
}

func newApp(t *ticker) *segue.Router {
	app := segue.New()
	app.Use(segue.AccessLog(slog.Default()), segue.Recover) // both keep Flush
	app.GET("/ticks/{count}", segue.Try(t.ticks))
	app.GET("/broken", segue.Try(t.broken))
	return app
}

// A ticker makes the events.
type ticker struct {
	every time.Duration
	open  atomic.Int32 // streams that are being sent
}

// ticks sends events numbered from 1, or from behind the last that the client
// has seen.
func (t *ticker) ticks(w http.ResponseWriter, r *http.Request) error {
	count, err := segue.ParamAs[int](r, "count")
	if err != nil {
		return err // 400: nothing has been sent yet
	}
	t.open.Add(1)
	defer t.open.Add(-1)
	last, _ := strconv.Atoi(r.Header.Get("Last-Event-ID")) // 0 if there is none
	stream := begin(w)
	for id := max(last, 0) + 1; id <= count; id++ {
		if err := stream.send(id, fmt.Sprintf("tick %d of %d", id, count)); err != nil {
			return nil // the client is gone, and nobody is left to be told
		}
		if id == count {
			break
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-time.After(t.every):
		}
	}
	return nil
}

// broken fails when the answer has begun. There can be no other answer by
// then: Recover cuts the connection, so that half a stream does not look whole.
func (t *ticker) broken(w http.ResponseWriter, r *http.Request) error {
	if err := begin(w).send(1, "so far, so good"); err != nil {
		return nil
	}
	panic("no more")
}

// A stream is an answer of events.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController // reaches Flush through the writers of middleware
}

func begin(w http.ResponseWriter) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	return stream{w, http.NewResponseController(w)}
}

func (s stream) send(id int, data string) error {
	if _, err := fmt.Fprintf(s.w, "id: %d\ndata: %s\n\n", id, data); err != nil {
		return err
	}
	return s.control.Flush()
}
