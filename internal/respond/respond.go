// Package respond wraps an [http.ResponseWriter] in one that remembers what has
// become of the response: whether it has begun, with which status, how much of
// a body it has, and whether the connection was hijacked.
//
// Middleware wraps the writer before it calls the handler, and asks afterwards:
//
//	w = respond.Wrap(w)
//	next.ServeHTTP(w, r)
//	state := respond.StateOf(w)
//
// Take a handler that sends early hints, reads a file that is empty, and then
// writes five bytes:
//
//	                               Begun   Status   Bytes
//	w.WriteHeader(103)             false   0        0      another answer can still follow
//	io.Copy(w, empty)              false   0        0      nothing was copied
//	io.WriteString(w, "hello")     true    200      5      net/http writes the header now
//	w.WriteHeader(500)             true    200      5      too late: the first status counts
//
// An error that happens in the first two lines can be answered by a 500. One
// that happens later cannot, since the 500 would be appended to the five bytes:
// [State.Abort] then cuts the connection, so that the client does not take the
// part for the whole.
//
// A wrapped writer can do what the underlying writer can do, and no more: a
// handler that asks by a type assertion whether it can flush gets the same
// answer as without the wrapper. The file optional.go says how.
package respond

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
)

// A State knows what has become of a response. It sees what is done to the
// wrapped writer that it belongs to. It does not see what is done to the
// underlying writer directly.
//
// A State is safe for concurrent use, also with a handler that is writing. A
// handler may still write on one goroutine while another one panics.
type State struct {
	w       http.ResponseWriter
	conn    atomic.Pointer[net.Conn] // set by a hijack
	bytes   atomic.Int64
	status  atomic.Int32
	pending atomic.Int32 // calls on their way that may begin the response
	gone    atomic.Bool  // aborted since the client had left
}

// StateOf returns the State of the wrapped writer that w is or leads to by
// Unwrap. If there are several, it is the innermost. If there is none, StateOf
// returns nil.
func StateOf(w http.ResponseWriter) *State {
	for {
		switch v := w.(type) {
		case interface{ state() *State }:
			return v.state()
		case interface{ Unwrap() http.ResponseWriter }:
			w = v.Unwrap()
		default:
			return nil
		}
	}
}

// Begun reports whether a client may have seen some of the response, so that a
// second answer would be appended to the first. A response begins with its
// final status, a write, even of no bytes, a flush or a hijack. A copy by
// ReadFrom begins it unless it copies nothing, and a flush unless the writer
// says [http.ErrNotSupported]. Until such a call returns, the response counts as
// begun, and also if the call panics.
//
// If the underlying writer leads to another wrapped writer, that one is asked
// too: a middleware between the two may have written. Begun of a nil State is false.
func (s *State) Begun() bool {
	for ; s != nil; s = StateOf(s.w) {
		if s.status.Load() != 0 || s.pending.Load() > 0 || s.Hijacked() {
			return true
		}
	}
	return false
}

// Abort ends a response that has begun and cannot be finished. If the
// connection was hijacked, from this writer or from another wrapped writer
// under it, Abort closes it, because net/http has forgotten it. Otherwise Abort
// panics with [http.ErrAbortHandler]. net/http then cuts the connection (HTTP/2:
// resets the stream). For gone see Gone.
func (s *State) Abort(gone bool) {
	for ; s != nil; s = StateOf(s.w) {
		s.gone.Store(gone)
		if conn := s.conn.Load(); conn != nil {
			(*conn).Close()
			return
		}
	}
	panic(http.ErrAbortHandler)
}

// Status returns the status of the response: the first that was written and is
// final, which means 101 or from 200 to 999. It is 200 if the body was begun
// without one, since net/http then writes it. It is 0 while nothing has begun,
// and also after a hijack, unless a status was written before.
func (s *State) Status() int {
	if status := s.status.Load(); status != 0 || s.pending.Load() == 0 {
		return int(status)
	}
	return http.StatusOK
}

// Bytes returns how many bytes of the body the writer has accepted from Write,
// WriteString and ReadFrom. Headers do not count. net/http accepts the body of
// an answer to HEAD, and drops it: Bytes counts what the handler wrote. It
// refuses a body after 204 and 304 by [http.ErrBodyNotAllowed]: Bytes is 0. What
// is written to a hijacked connection does not count.
func (s *State) Bytes() int64 { return s.bytes.Load() }

// Hijacked reports whether the handler took the connection over.
func (s *State) Hijacked() bool { return s.conn.Load() != nil }

// Gone reports whether the response was aborted for no fault of the server: the
// client had left.
func (s *State) Gone() bool { return s.gone.Load() }

// begin sets the status unless there is one. After a hijack the writer sends
// nothing, so there will be none.
func (s *State) begin(status int) {
	if s.status.Load() == 0 && !s.Hijacked() {
		s.status.CompareAndSwap(0, int32(status))
	}
}

// A basic writer has the methods that every wrapped writer has. It keeps the
// methods of the State off the writer, and those of the writer off the State.
type basic struct{ s State }

func (b *basic) state() *State { return &b.s }

func (b *basic) Header() http.Header { return b.s.w.Header() }

// Unwrap is for [http.ResponseController], which finds deadlines and full duplex
// there.
func (b *basic) Unwrap() http.ResponseWriter { return b.s.w }

// WriteHeader does not begin the response with an informational status, such as
// 103 Early Hints, nor with one that net/http refuses by a panic: the client is
// still owed an answer after both.
func (b *basic) WriteHeader(status int) {
	if status >= 200 && status <= 999 || status == http.StatusSwitchingProtocols {
		b.s.begin(status)
	}
	b.s.w.WriteHeader(status)
}

func (b *basic) Write(p []byte) (int, error) {
	b.s.begin(http.StatusOK)
	n, err := b.s.w.Write(p)
	b.s.bytes.Add(int64(n))
	return n, err
}

func (b *basic) writeString(text string) (int, error) {
	b.s.begin(http.StatusOK)
	n, err := b.s.w.(io.StringWriter).WriteString(text)
	b.s.bytes.Add(int64(n))
	return n, err
}

// readFrom passes src itself on, because a wrapped one would lose sendfile.
// net/http writes no header before src has given it something, so that an error
// of src can still be answered if nothing was copied. If src panics, the call
// stays pending: nobody knows.
func (b *basic) readFrom(src io.Reader) (int64, error) {
	b.s.pending.Add(1)
	n, err := b.s.w.(io.ReaderFrom).ReadFrom(src)
	if n > 0 {
		b.s.begin(http.StatusOK)
		b.s.bytes.Add(n)
	}
	b.s.pending.Add(-1)
	return n, err
}

func (b *basic) flush() {
	b.s.begin(http.StatusOK)
	b.s.w.(http.Flusher).Flush()
}

// flushError does not begin the response if the writer cannot flush. Such a
// writer may have the method all the same, and ask a ResponseController in turn.
func (b *basic) flushError() error {
	b.s.pending.Add(1)
	err := b.s.w.(interface{ FlushError() error }).FlushError()
	if !errors.Is(err, http.ErrNotSupported) {
		b.s.begin(http.StatusOK)
	}
	b.s.pending.Add(-1)
	return err
}

func (b *basic) hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := b.s.w.(http.Hijacker).Hijack()
	if err == nil {
		b.s.conn.Store(&conn)
	}
	return conn, rw, err
}

// push asks for another request, and does not begin this response.
func (b *basic) push(target string, opts *http.PushOptions) error {
	return b.s.w.(http.Pusher).Push(target, opts)
}

// A discard writer has headers of its own and drops all else.
type discard struct{ header http.Header }

// Discard returns a writer that drops what it is given. It is for the error
// handlers of a response that has begun: they see the error and cannot answer.
// Its headers are a copy of w's, since those of w may still be sent, as trailers.
func Discard(w http.ResponseWriter) http.ResponseWriter {
	header := w.Header().Clone()
	if header == nil {
		header = http.Header{}
	}
	return discard{header}
}

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}
