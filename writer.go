package segue

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
)

// A tracked writer knows whether the response has begun: whether a client may
// have seen some of it, so that a second answer would be appended to the first.
// [Recover] puts it around the writer that it is given; [Try] and [Fail] find it
// again by trackedOf.
//
// It is safe for concurrent use, which the writer behind it need not be: a
// handler may still write on a goroutine of its own while another one panics.
type tracked struct {
	w      http.ResponseWriter
	begins atomic.Int64             // calls that began the response or went on with it
	conn   atomic.Pointer[net.Conn] // set by a hijack
}

// track returns w, or a writer around it that is tracked and has those of the
// six optional interfaces that w has: the one allocation of Recover.
func track(w http.ResponseWriter) http.ResponseWriter {
	if _, ok := w.(stateful); ok {
		return w // of an outer Recover, which knows the same
	}
	return kinds[kindOf(w)](w)
}

// stateful is what all tracked writers have in common.
type stateful interface {
	http.ResponseWriter
	state() *tracked
}

// trackedOf returns the state of the tracked writer that w is or leads to by
// Unwrap, the innermost if there are several, or nil.
func trackedOf(w http.ResponseWriter) *tracked {
	for {
		switch v := w.(type) {
		case stateful:
			return v.state()
		case interface{ Unwrap() http.ResponseWriter }:
			w = v.Unwrap()
		default:
			return nil
		}
	}
}

func (t *tracked) state() *tracked { return t }

// begun reports whether a final status or a part of the body was written,
// flushed or copied, or the connection hijacked. Of several Recovers around a
// request the outer ones are asked too: a middleware between them may have
// written.
func (t *tracked) begun() bool {
	for ; t != nil; t = trackedOf(t.w) {
		if t.begins.Load() > 0 {
			return true
		}
	}
	return false
}

// abort ends a response that has begun and cannot be finished. A hijacked
// connection is closed, since net/http has forgotten it, and abort returns.
// Otherwise it panics with [http.ErrAbortHandler], upon which net/http cuts the
// connection (HTTP/2: resets the stream), so that the client does not take the
// part for the whole.
func (t *tracked) abort() {
	for ; t != nil; t = trackedOf(t.w) {
		if conn := t.conn.Load(); conn != nil {
			(*conn).Close()
			return
		}
	}
	panic(http.ErrAbortHandler)
}

func (t *tracked) Header() http.Header { return t.w.Header() }

// Unwrap is for [http.ResponseController], which finds deadlines and full
// duplex behind it.
func (t *tracked) Unwrap() http.ResponseWriter { return t.w }

// WriteHeader does not begin the response with an informational status, as 103
// Early Hints, nor with one that net/http refuses by a panic: the client is
// still owed an answer after both.
func (t *tracked) WriteHeader(status int) {
	if status >= 200 && status <= 999 || status == http.StatusSwitchingProtocols {
		t.begins.Add(1)
	}
	t.w.WriteHeader(status)
}

// Write begins the response even without a byte: net/http then writes the header.
func (t *tracked) Write(b []byte) (int, error) {
	t.begins.Add(1)
	return t.w.Write(b)
}

func (t *tracked) writeString(s string) (int, error) {
	t.begins.Add(1)
	return t.w.(io.StringWriter).WriteString(s)
}

// readFrom hands src on as it is, since a wrapped one would lose sendfile. The
// response has not begun where nothing was copied: net/http writes no header
// before src has given it something, so that an error of src can still be
// answered. If src panics, it counts as begun: nobody knows.
func (t *tracked) readFrom(src io.Reader) (int64, error) {
	t.begins.Add(1)
	n, err := t.w.(io.ReaderFrom).ReadFrom(src)
	if n == 0 {
		t.begins.Add(-1)
	}
	return n, err
}

func (t *tracked) flush() {
	t.begins.Add(1)
	t.w.(http.Flusher).Flush()
}

// flushError does not begin the response where a writer says that it cannot
// flush, as one does that asks a ResponseController in its turn.
func (t *tracked) flushError() error {
	t.begins.Add(1)
	err := t.w.(flushErrorer).FlushError()
	if errors.Is(err, http.ErrNotSupported) {
		t.begins.Add(-1)
	}
	return err
}

func (t *tracked) hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := t.w.(http.Hijacker).Hijack()
	if err == nil {
		t.conn.Store(&conn)
		t.begins.Add(1)
	}
	return conn, rw, err
}

// push answers another request, and does not begin this one.
func (t *tracked) push(target string, opts *http.PushOptions) error {
	return t.w.(http.Pusher).Push(target, opts)
}

// flushErrorer is what ResponseController asks for first.
type flushErrorer interface{ FlushError() error }

// kindOf returns which of the six optional interfaces w has, one bit each.
func kindOf(w http.ResponseWriter) (kind int) {
	if _, ok := w.(http.Pusher); ok {
		kind |= 0o01
	}
	if _, ok := w.(http.Hijacker); ok {
		kind |= 0o02
	}
	if _, ok := w.(io.ReaderFrom); ok {
		kind |= 0o04
	}
	if _, ok := w.(io.StringWriter); ok {
		kind |= 0o10
	}
	if _, ok := w.(flushErrorer); ok {
		kind |= 0o20
	}
	if _, ok := w.(http.Flusher); ok {
		kind |= 0o40
	}
	return kind
}

// wrap makes a tracked writer of type T, one of the types below.
func wrap[T any, P interface {
	*T
	stateful
}](w http.ResponseWriter) http.ResponseWriter {
	p := P(new(T))
	p.state().w = w
	return p
}

// Whether a writer can be flushed, say, is asked by a type assertion, so that it
// takes a type for each of the 64 sets of optional interfaces to keep them
// exactly. A type is named after its set, in octal, as kindOf has it. It embeds
// the one without its highest bit, and adds that bit's method.
type (
	w00 struct{ tracked }
	w01 struct{ w00 }
	w02 struct{ w00 }
	w03 struct{ w01 }
	w04 struct{ w00 }
	w05 struct{ w01 }
	w06 struct{ w02 }
	w07 struct{ w03 }
	w10 struct{ w00 }
	w11 struct{ w01 }
	w12 struct{ w02 }
	w13 struct{ w03 }
	w14 struct{ w04 }
	w15 struct{ w05 }
	w16 struct{ w06 }
	w17 struct{ w07 }
	w20 struct{ w00 }
	w21 struct{ w01 }
	w22 struct{ w02 }
	w23 struct{ w03 }
	w24 struct{ w04 }
	w25 struct{ w05 }
	w26 struct{ w06 }
	w27 struct{ w07 }
	w30 struct{ w10 }
	w31 struct{ w11 }
	w32 struct{ w12 }
	w33 struct{ w13 }
	w34 struct{ w14 }
	w35 struct{ w15 }
	w36 struct{ w16 }
	w37 struct{ w17 }
	w40 struct{ w00 }
	w41 struct{ w01 }
	w42 struct{ w02 }
	w43 struct{ w03 }
	w44 struct{ w04 }
	w45 struct{ w05 }
	w46 struct{ w06 }
	w47 struct{ w07 }
	w50 struct{ w10 }
	w51 struct{ w11 }
	w52 struct{ w12 }
	w53 struct{ w13 }
	w54 struct{ w14 }
	w55 struct{ w15 }
	w56 struct{ w16 }
	w57 struct{ w17 }
	w60 struct{ w20 }
	w61 struct{ w21 }
	w62 struct{ w22 }
	w63 struct{ w23 }
	w64 struct{ w24 }
	w65 struct{ w25 }
	w66 struct{ w26 }
	w67 struct{ w27 }
	w70 struct{ w30 }
	w71 struct{ w31 }
	w72 struct{ w32 }
	w73 struct{ w33 }
	w74 struct{ w34 }
	w75 struct{ w35 }
	w76 struct{ w36 }
	w77 struct{ w37 }
)

func (w *w01) Push(target string, opts *http.PushOptions) error { return w.push(target, opts) }

func (w *w02) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }
func (w *w03) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }

func (w *w04) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w *w05) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w *w06) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }
func (w *w07) ReadFrom(src io.Reader) (int64, error) { return w.readFrom(src) }

func (w *w10) WriteString(s string) (int, error) { return w.writeString(s) }
func (w *w11) WriteString(s string) (int, error) { return w.writeString(s) }
func (w *w12) WriteString(s string) (int, error) { return w.writeString(s) }
func (w *w13) WriteString(s string) (int, error) { return w.writeString(s) }
func (w *w14) WriteString(s string) (int, error) { return w.writeString(s) }
func (w *w15) WriteString(s string) (int, error) { return w.writeString(s) }
func (w *w16) WriteString(s string) (int, error) { return w.writeString(s) }
func (w *w17) WriteString(s string) (int, error) { return w.writeString(s) }

func (w *w20) FlushError() error { return w.flushError() }
func (w *w21) FlushError() error { return w.flushError() }
func (w *w22) FlushError() error { return w.flushError() }
func (w *w23) FlushError() error { return w.flushError() }
func (w *w24) FlushError() error { return w.flushError() }
func (w *w25) FlushError() error { return w.flushError() }
func (w *w26) FlushError() error { return w.flushError() }
func (w *w27) FlushError() error { return w.flushError() }
func (w *w30) FlushError() error { return w.flushError() }
func (w *w31) FlushError() error { return w.flushError() }
func (w *w32) FlushError() error { return w.flushError() }
func (w *w33) FlushError() error { return w.flushError() }
func (w *w34) FlushError() error { return w.flushError() }
func (w *w35) FlushError() error { return w.flushError() }
func (w *w36) FlushError() error { return w.flushError() }
func (w *w37) FlushError() error { return w.flushError() }

func (w *w40) Flush() { w.flush() }
func (w *w41) Flush() { w.flush() }
func (w *w42) Flush() { w.flush() }
func (w *w43) Flush() { w.flush() }
func (w *w44) Flush() { w.flush() }
func (w *w45) Flush() { w.flush() }
func (w *w46) Flush() { w.flush() }
func (w *w47) Flush() { w.flush() }
func (w *w50) Flush() { w.flush() }
func (w *w51) Flush() { w.flush() }
func (w *w52) Flush() { w.flush() }
func (w *w53) Flush() { w.flush() }
func (w *w54) Flush() { w.flush() }
func (w *w55) Flush() { w.flush() }
func (w *w56) Flush() { w.flush() }
func (w *w57) Flush() { w.flush() }
func (w *w60) Flush() { w.flush() }
func (w *w61) Flush() { w.flush() }
func (w *w62) Flush() { w.flush() }
func (w *w63) Flush() { w.flush() }
func (w *w64) Flush() { w.flush() }
func (w *w65) Flush() { w.flush() }
func (w *w66) Flush() { w.flush() }
func (w *w67) Flush() { w.flush() }
func (w *w70) Flush() { w.flush() }
func (w *w71) Flush() { w.flush() }
func (w *w72) Flush() { w.flush() }
func (w *w73) Flush() { w.flush() }
func (w *w74) Flush() { w.flush() }
func (w *w75) Flush() { w.flush() }
func (w *w76) Flush() { w.flush() }
func (w *w77) Flush() { w.flush() }

var kinds = [64]func(http.ResponseWriter) http.ResponseWriter{
	wrap[w00], wrap[w01], wrap[w02], wrap[w03], wrap[w04], wrap[w05], wrap[w06], wrap[w07],
	wrap[w10], wrap[w11], wrap[w12], wrap[w13], wrap[w14], wrap[w15], wrap[w16], wrap[w17],
	wrap[w20], wrap[w21], wrap[w22], wrap[w23], wrap[w24], wrap[w25], wrap[w26], wrap[w27],
	wrap[w30], wrap[w31], wrap[w32], wrap[w33], wrap[w34], wrap[w35], wrap[w36], wrap[w37],
	wrap[w40], wrap[w41], wrap[w42], wrap[w43], wrap[w44], wrap[w45], wrap[w46], wrap[w47],
	wrap[w50], wrap[w51], wrap[w52], wrap[w53], wrap[w54], wrap[w55], wrap[w56], wrap[w57],
	wrap[w60], wrap[w61], wrap[w62], wrap[w63], wrap[w64], wrap[w65], wrap[w66], wrap[w67],
	wrap[w70], wrap[w71], wrap[w72], wrap[w73], wrap[w74], wrap[w75], wrap[w76], wrap[w77],
}

// A dropWriter is what error handlers get once a response has begun: they see
// the error, and what they write goes nowhere.
type dropWriter struct{ header http.Header }

// newDropWriter returns a dropWriter with a copy of w's headers, since the real
// ones may still be sent, as trailers.
func newDropWriter(w http.ResponseWriter) dropWriter {
	header := w.Header().Clone()
	if header == nil {
		header = http.Header{}
	}
	return dropWriter{header}
}

func (d dropWriter) Header() http.Header         { return d.header }
func (d dropWriter) Write(b []byte) (int, error) { return len(b), nil }
func (d dropWriter) WriteHeader(int)             {}
