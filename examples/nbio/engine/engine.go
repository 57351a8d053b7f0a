// Package engine runs a handler on nbio. What net/http's server does for
// handlers and nbio leaves out, as far as a handler can make up for it, is what
// guard does.
package engine

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lesismal/nbio/logging"
	"github.com/lesismal/nbio/nbhttp"
)

func init() { logging.SetLevel(logging.LevelWarn) } // nbio writes to standard output

// Limits are what a client may take.
type Limits struct {
	Idle  time.Duration // to send a whole request
	Write time.Duration // to take an answer
	Bytes int           // of a header, and of a body: nbio holds both in memory
}

// A Server is a handler that is served by nbio.
type Server struct {
	engine   *nbhttp.Engine
	listener *listener
	guard    *guard
}

// Serve serves h and returns at once. In the mixed mode a connection has a
// goroutine of its own, as on net/http, up to 10,000 connections. The rest share
// a few.
func Serve(l net.Listener, h http.Handler, limits Limits) (*Server, error) {
	s := &Server{listener: &listener{Listener: l, stopped: make(chan struct{})}, guard: &guard{next: h}}
	s.engine = nbhttp.NewEngine(nbhttp.Config{
		Addrs:             []string{l.Addr().String()},
		Listen:            func(string, string) (net.Listener, error) { return s.listener, nil },
		Handler:           s.guard,
		IOMod:             nbhttp.IOModMixed,
		KeepaliveTime:     limits.Idle,
		WriteTimeout:      limits.Write,
		ReadLimit:         limits.Bytes,
		MaxHTTPBodySize:   limits.Bytes,
		SupportServerOnly: true,
	})
	s.engine.OnClose(func(c net.Conn, _ error) { c.Close() }) // nbio forgets connections without closing them
	return s, s.engine.Start()
}

// Shutdown takes no new connections, finishes the requests in flight, and
// closes the connections. nbio's own closes them at once.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.listener.Listener.Close()
	for s.guard.inFlight.Load() > 0 && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	return errors.Join(err, s.engine.Shutdown(ctx))
}

// A listener that is closed lets nbio wait until it stops. Else nbio would ask
// for the next connection again and again.
type listener struct {
	net.Listener
	stopped chan struct{}
	once    sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.stopped
	}
	return conn, err
}

// Close is called by nbio when it stops.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.stopped) })
	return l.Listener.Close()
}

// A guard is what stands between nbio and the router.
type guard struct {
	next     http.Handler
	inFlight atomic.Int64
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// nbio empties r and its body and uses them again, so the handler gets a
	// request of its own, and a body that nothing closes.
	own := r.WithContext(r.Context())
	own.Body = io.NopCloser(r.Body)
	// nbio closes the body when it has written the answer.
	g.inFlight.Add(1)
	r.Body = onClose(func() { g.inFlight.Add(-1) })
	hosts := r.Header["Host"]
	if len(hosts) > 1 || len(hosts) == 0 && r.ProtoAtLeast(1, 1) {
		r.Close = true
		http.Error(w, "400 Bad Request: one header Host is wanted", http.StatusBadRequest)
		return
	}
	defer hangUpOnPanic(w)
	answer := &writer{ResponseWriter: w, head: r.Method == http.MethodHead, whole: !r.ProtoAtLeast(1, 1)}
	g.next.ServeHTTP(answer, own)
	answer.finish()
	r.Close = r.Close || w.Header().Get("Connection") == "close" // nbio does not look at the answer
}

// An onClose is a body that was read by somebody else.
type onClose func()

func (onClose) Read([]byte) (int, error) { return 0, io.EOF }
func (f onClose) Close() error           { f(); return nil }

// hangUpOnPanic closes the connection of a handler that panicked. nbio would
// send the answer to the next request in place of the one that is missing.
func hangUpOnPanic(w http.ResponseWriter) {
	err := recover()
	if err == nil {
		return
	}
	if err != http.ErrAbortHandler {
		slog.Error("handler panicked", "err", err, "stack", string(debug.Stack()))
	}
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		conn.Close()
	}
}

// A writer sends no body to HEAD and no 1xx, tells the kind of a body from its
// beginning, and flushes before a piece of an answer reaches 64 KB: there nbio
// goes on using memory that it has given away. It has no ReadFrom: nbio's sends
// files to their end where a range was asked for.
type writer struct {
	http.ResponseWriter
	head    bool
	whole   bool // HTTP/1.0 has no pieces
	status  int
	length  int // of the body that HEAD is not sent
	pending int // bytes since the last flush
}

// piece is how much is written at once, at most, without a known length.
const piece = 32 << 10

func (w *writer) WriteHeader(status int) {
	if w.status != 0 || status < 200 && status != http.StatusSwitchingProtocols {
		return
	}
	w.status = status
	if !w.head {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *writer) Write(p []byte) (n int, _ error) {
	if w.status == 0 {
		if _, known := w.Header()["Content-Type"]; !known {
			w.Header().Set("Content-Type", http.DetectContentType(p))
		}
		w.WriteHeader(http.StatusOK)
	}
	if w.head {
		w.length += len(p)
		return len(p), nil
	}
	if w.whole || w.Header().Get("Content-Length") != "" {
		return w.ResponseWriter.Write(p)
	}
	for n < len(p) {
		part := p[n:min(n+piece, len(p))]
		if w.pending+len(part) > piece {
			if err := w.FlushError(); err != nil {
				return n, err
			}
		}
		if _, err := w.ResponseWriter.Write(part); err != nil {
			return n, err
		}
		n += len(part)
		w.pending += len(part)
	}
	return n, nil
}

// finish answers a HEAD request, whose body is known by now to be none.
func (w *writer) finish() {
	if !w.head {
		return
	}
	if w.length > 0 && w.Header().Get("Content-Length") == "" {
		w.Header().Set("Content-Length", strconv.Itoa(w.length))
	}
	w.ResponseWriter.WriteHeader(max(w.status, http.StatusOK))
}

func (w *writer) Flush() { _ = w.FlushError() }

// FlushError asks the connection how it is: nbio keeps the error to itself.
func (w *writer) FlushError() error {
	if w.head || w.whole {
		return nil
	}
	w.WriteHeader(http.StatusOK)
	w.pending = 0
	w.ResponseWriter.(http.Flusher).Flush()
	_, err := w.conn().Write(nil)
	return err
}

func (w *writer) conn() net.Conn { return w.ResponseWriter.(*nbhttp.Response).Parser.Conn }

// Hijack is for handlers that keep the connection as long as they run: after
// that nbio reads from it again. nbio's own returns no buffer.
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, _, err := w.ResponseWriter.(http.Hijacker).Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.head = false // the answer is the handler's affair
	return conn, bufio.NewReadWriter(bufio.NewReader(conn), bufio.NewWriter(conn)), conn.SetDeadline(time.Time{})
}

// SetWriteDeadline is called by [http.ResponseController].
func (w *writer) SetWriteDeadline(t time.Time) error {
	return w.conn().SetWriteDeadline(t)
}
