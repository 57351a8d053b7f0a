package respond

// These tests go through all 64 sets of optional interfaces: a wrapped writer
// has the set of the underlying writer, calls its method of the same name, and
// is one allocation.

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// optional are the six interfaces, asked for as their users do. Here they are in
// the order of the type parameters of writer.
var optional = []struct {
	name string
	has  func(w http.ResponseWriter) bool
}{
	{"Push", func(w http.ResponseWriter) bool { _, ok := w.(http.Pusher); return ok }},
	{"Hijack", func(w http.ResponseWriter) bool { _, ok := w.(http.Hijacker); return ok }},
	{"ReadFrom", func(w http.ResponseWriter) bool { _, ok := w.(io.ReaderFrom); return ok }},
	{"WriteString", func(w http.ResponseWriter) bool { _, ok := w.(io.StringWriter); return ok }},
	{"FlushError", func(w http.ResponseWriter) bool { _, ok := w.(interface{ FlushError() error }); return ok }},
	{"Flush", func(w http.ResponseWriter) bool { _, ok := w.(http.Flusher); return ok }},
}

// setOf returns the set of w: bit i is optional[i].
func setOf(w http.ResponseWriter) (set int) {
	for i, o := range optional {
		if o.has(w) {
			set |= 1 << i
		}
	}
	return set
}

// writers returns a writer around w for each of the 64 sets: at index i is the
// one whose set is i. w must have all six interfaces.
func writers(w http.ResponseWriter) []http.ResponseWriter {
	return zip(writersP[struct{}](w), writersP[*http.PushOptions](w))
}

func writersP[P any](w http.ResponseWriter) []http.ResponseWriter {
	return zip(writersH[P, struct{}](w), writersH[P, error](w))
}

func writersH[P, H any](w http.ResponseWriter) []http.ResponseWriter {
	return zip(writersR[P, H, struct{}](w), writersR[P, H, io.Reader](w))
}

func writersR[P, H, R any](w http.ResponseWriter) []http.ResponseWriter {
	return zip(writersS[P, H, R, struct{}](w), writersS[P, H, R, string](w))
}

func writersS[P, H, R, S any](w http.ResponseWriter) []http.ResponseWriter {
	return zip(writersE[P, H, R, S, struct{}](w), writersE[P, H, R, S, error](w))
}

func writersE[P, H, R, S, E any](w http.ResponseWriter) []http.ResponseWriter {
	var without struct {
		Flush struct{}
		writer[P, H, R, S, E]
	}
	var with writer[P, H, R, S, E]
	without.s.w, with.s.w = w, w
	return []http.ResponseWriter{&without, &with}
}

// zip takes one of a and one of b in turn, so that the lowest bit of the index
// says which.
func zip(a, b []http.ResponseWriter) (all []http.ResponseWriter) {
	for i := range a {
		all = append(all, a[i], b[i])
	}
	return all
}

// names are the methods of a set.
func names(set int) (names []string) {
	for i, o := range optional {
		if set&(1<<i) != 0 {
			names = append(names, o.name)
		}
	}
	return names
}

// A wrapped writer has exactly those interfaces that the underlying writer has.
func TestWrapKeepsTheOptionalInterfaces(t *testing.T) {
	originals := writers(&recordingWriter{})
	assert.Len(t, originals, 64)
	for set, original := range originals {
		wrapped := wrap(original) // Wrap would return original
		assert.Equal(t, names(set), names(setOf(original)))
		assert.Equal(t, names(set), names(setOf(wrapped)))
		assert.Same(t, original, wrapped.(interface{ Unwrap() http.ResponseWriter }).Unwrap())
		assert.Same(t, wrapped, Wrap(wrapped))
		assert.NotSame(t, StateOf(original), StateOf(wrapped))
		for method := range reflect.TypeFor[*State]().Methods() {
			assert.NotContains(t, methodsOf(wrapped), method.Name, "a method of State on the writer")
		}
	}
	assert.Len(t, names(setOf(Wrap(&recordingWriter{}))), 6)
	assert.Empty(t, names(setOf(Wrap(hiding{&recordingWriter{}}))))
}

func methodsOf(v any) (names []string) {
	for method := range reflect.TypeOf(v).Methods() {
		names = append(names, method.Name)
	}
	return names
}

// The methods of every set reach the underlying writer.
func TestWrapDelegates(t *testing.T) {
	conn, _ := net.Pipe()
	l := &recordingWriter{header: http.Header{}, conn: conn, err: io.ErrShortWrite}
	for set, original := range writers(l) {
		l.calls = nil
		w := wrap(original)
		var want []string
		called := func(err error, call string) {
			assert.Equal(t, io.ErrShortWrite, err, call)
			want = append(want, call)
		}
		w.Header().Set("X", "y")
		assert.Equal(t, "y", l.header.Get("X"))
		w.WriteHeader(201)
		called(l.err, "WriteHeader 201")
		n, err := w.Write([]byte("ab"))
		called(err, "Write ab")
		assert.Equal(t, 2, n)
		if w, ok := w.(http.Pusher); ok {
			called(w.Push("/x", &http.PushOptions{Method: "HEAD"}), "Push /x HEAD")
			called(w.Push("/x", nil), "Push /x")
		}
		if w, ok := w.(http.Hijacker); ok {
			got, _, err := w.Hijack()
			called(err, "Hijack")
			assert.Same(t, conn, got)
		}
		if w, ok := w.(io.ReaderFrom); ok {
			src := strings.NewReader("abc")
			n, err := w.ReadFrom(src)
			assert.NoError(t, err)
			assert.Equal(t, int64(3), n)
			assert.Same(t, src, l.src, "a wrapped source would lose sendfile")
			want = append(want, "ReadFrom abc")
		}
		if w, ok := w.(io.StringWriter); ok {
			n, err := w.WriteString("abcd")
			called(err, "WriteString abcd")
			assert.Equal(t, 4, n)
		}
		if w, ok := w.(interface{ FlushError() error }); ok {
			called(w.FlushError(), "FlushError")
		}
		if w, ok := w.(http.Flusher); ok {
			w.Flush()
			called(l.err, "Flush")
		}
		assert.Equal(t, want, l.calls, "of %v", names(set))
	}
}

// A call that succeeds gives a nil error, of whichever set.
func TestWrapPassesNilErrors(t *testing.T) {
	conn, _ := net.Pipe()
	w := Wrap(&recordingWriter{conn: conn}).(*all)
	assert.NoError(t, w.FlushError())
	assert.NoError(t, w.Push("/", nil))
	_, _, err := w.Hijack()
	assert.NoError(t, err)
}

// A wrapped writer is one allocation, whatever it has, and its methods none.
func TestWrapAllocatesOnce(t *testing.T) {
	for set, original := range writers(&recordingWriter{}) {
		assert.Equal(t, 1.0, testing.AllocsPerRun(10, func() { sink = wrap(original) }), "%v", names(set))
	}
	var d http.ResponseWriter = &deafWriter{discard: discard{http.Header{}}}
	assert.Equal(t, 1.0, testing.AllocsPerRun(10, func() { sink = Wrap(d) }))
	w := Wrap(d)
	var around http.ResponseWriter = unwrapping{w}
	src := strings.NewReader("x")
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		sink = Wrap(w)
		StateOf(around).Begun()
		w.Write(nil)
		io.WriteString(w, "text")
		w.(io.ReaderFrom).ReadFrom(src)
		w.(http.Flusher).Flush()
		w.(interface{ FlushError() error }).FlushError()
	}))
}

var sink http.ResponseWriter

// BenchmarkWrap is what a request pays, with a status and with a body of one
// write: "plain" is the writer of the server without a wrapper.
//
//	go test -run '^$' -bench Wrap -count 6 ./internal/respond
func BenchmarkWrap(b *testing.B) {
	body := []byte("hello")
	for _, bench := range []struct {
		name string
		wrap func(http.ResponseWriter) http.ResponseWriter
	}{
		{"writer=plain", func(w http.ResponseWriter) http.ResponseWriter { return w }},
		{"writer=wrapped", Wrap},
		{"writer=wrapped-twice", func(w http.ResponseWriter) http.ResponseWriter { return Wrap(Wrap(w)) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			server := &deafWriter{}
			b.ReportAllocs()
			for b.Loop() {
				w := bench.wrap(server)
				w.WriteHeader(http.StatusOK)
				w.Write(body)
			}
		})
	}
}

// A deafWriter has what net/http's writer of HTTP/1 has, and does nothing.
type deafWriter struct{ discard }

func (*deafWriter) Flush()                                       {}
func (*deafWriter) FlushError() error                            { return nil }
func (*deafWriter) WriteString(s string) (int, error)            { return len(s), nil }
func (*deafWriter) ReadFrom(src io.Reader) (int64, error)        { return 1, nil }
func (*deafWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, http.ErrHijacked }
