package segue

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// optional are the six interfaces, asked for as their users do, in the order of
// kindOf's bits.
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

// A loggingWriter has all six and logs what reaches it.
type loggingWriter struct {
	header http.Header
	calls  []string
	conn   net.Conn // what Hijack gives
	err    error    // what every call gives
	src    io.Reader
}

func (l *loggingWriter) log(format string, args ...any) error {
	l.calls = append(l.calls, fmt.Sprintf(format, args...))
	return l.err
}

func (l *loggingWriter) Header() http.Header { return l.header }
func (l *loggingWriter) WriteHeader(s int)   { l.log("WriteHeader %d", s) }
func (l *loggingWriter) Flush()              { l.log("Flush") }
func (l *loggingWriter) FlushError() error   { return l.log("FlushError") }

func (l *loggingWriter) Write(b []byte) (int, error) {
	return len(b), l.log("Write %s", b)
}

func (l *loggingWriter) WriteString(s string) (int, error) {
	return len(s), l.log("WriteString %s", s)
}

func (l *loggingWriter) ReadFrom(src io.Reader) (int64, error) {
	l.src = src
	b, err := io.ReadAll(src)
	l.log("ReadFrom %s", b)
	return int64(len(b)), err
}

func (l *loggingWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return l.conn, nil, l.log("Hijack")
}

func (l *loggingWriter) Push(target string, _ *http.PushOptions) error {
	return l.log("Push %s", target)
}

// plainWriter hides all of what it wraps, Unwrap too.
type plainWriter struct{ http.ResponseWriter }

// For each of the 64 sets there is a writer of kinds that has exactly that set,
// and a writer with that set gets one with the same.
func TestTrackedKeepsTheOptionalInterfaces(t *testing.T) {
	assert.Equal(t, 64, 1<<len(optional))
	sets := map[string]bool{}
	for kind, wrap := range kinds {
		original := wrap(&loggingWriter{})
		tracked := kinds[kindOf(original)](original)
		var set []string
		for bit, o := range optional {
			want := kind&(1<<bit) != 0
			assert.Equal(t, want, o.has(original), "kind %02o, %s", kind, o.name)
			assert.Equal(t, want, o.has(tracked), "of kind %02o, %s", kind, o.name)
			if want {
				set = append(set, o.name)
			}
		}
		sets[strings.Join(set, " ")] = true
		assert.Same(t, original, tracked.(interface{ Unwrap() http.ResponseWriter }).Unwrap())
		assert.Same(t, trackedOf(tracked), tracked.(stateful).state())
	}
	assert.Len(t, sets, 64)
}

// The optional methods of every kind reach the writer behind.
func TestTrackedDelegates(t *testing.T) {
	conn, _ := net.Pipe()
	for kind, wrap := range kinds {
		l := &loggingWriter{header: http.Header{}, conn: conn, err: io.ErrShortWrite}
		w := wrap(l)
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
		assert.Equal(t, want, l.calls, "kind %02o", kind)
	}
}

// A failing reader gives what it has, then its error.
func failingReader(text string) io.Reader {
	return io.MultiReader(strings.NewReader(text), closedReader{})
}

type closedReader struct{}

func (closedReader) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

// What begins a response and what does not.
func TestBegun(t *testing.T) {
	conn, _ := net.Pipe()
	fails := func(err error) func(*loggingWriter) { return func(l *loggingWriter) { l.err = err } }
	for _, test := range []struct {
		what  string
		do    func(w *w77)
		begun bool
		setup func(*loggingWriter)
	}{
		{"nothing", func(w *w77) {}, false, nil},
		{"headers", func(w *w77) { w.Header().Set("X", "y") }, false, nil},
		{"100", func(w *w77) { w.WriteHeader(100) }, false, nil},
		{"101", func(w *w77) { w.WriteHeader(101) }, true, nil},
		{"103", func(w *w77) { w.WriteHeader(103) }, false, nil},
		{"199", func(w *w77) { w.WriteHeader(199) }, false, nil},
		{"200", func(w *w77) { w.WriteHeader(200) }, true, nil},
		{"999", func(w *w77) { w.WriteHeader(999) }, true, nil},
		{"0, refused by net/http", func(w *w77) { w.WriteHeader(0) }, false, nil},
		{"1000, refused by net/http", func(w *w77) { w.WriteHeader(1000) }, false, nil},
		{"a write", func(w *w77) { w.Write([]byte("x")) }, true, nil},
		{"a write of nothing", func(w *w77) { w.Write(nil) }, true, nil},
		{"a string", func(w *w77) { w.WriteString("x") }, true, nil},
		{"an empty string", func(w *w77) { w.WriteString("") }, true, nil},
		{"a copy", func(w *w77) { w.ReadFrom(strings.NewReader("x")) }, true, nil},
		{"a copy of nothing", func(w *w77) { w.ReadFrom(strings.NewReader("")) }, false, nil},
		{"a copy that fails at once", func(w *w77) { w.ReadFrom(failingReader("")) }, false, nil},
		{"a copy that fails later", func(w *w77) { w.ReadFrom(failingReader("x")) }, true, nil},
		{"a failed copy after a write", func(w *w77) { w.Write(nil); w.ReadFrom(failingReader("")) }, true, nil},
		{"Flush", func(w *w77) { w.Flush() }, true, nil},
		{"FlushError", func(w *w77) { w.FlushError() }, true, nil},
		{"FlushError that fails", func(w *w77) { w.FlushError() }, true, fails(io.ErrClosedPipe)},
		{"FlushError without support", func(w *w77) { w.FlushError() }, false, fails(fmt.Errorf("it is %w", http.ErrNotSupported))},
		{"flush by a ResponseController", func(w *w77) { http.NewResponseController(w).Flush() }, true, nil},
		{"Hijack", func(w *w77) { w.Hijack() }, true, nil},
		{"Hijack that fails", func(w *w77) { w.Hijack() }, false, fails(http.ErrHijacked)},
		{"Push", func(w *w77) { w.Push("/x", nil) }, false, nil},
	} {
		l := &loggingWriter{header: http.Header{}, conn: conn}
		if test.setup != nil {
			test.setup(l)
		}
		w := track(l).(*w77)
		test.do(w)
		assert.Equal(t, test.begun, trackedOf(w).begun(), test.what)
	}
}

// While a source is read, and after it panicked, the response counts as begun.
func TestBegunWhenTheSourcePanics(t *testing.T) {
	w := track(httptest.NewRecorder())
	assert.False(t, trackedOf(w).begun())
	w = track(&loggingWriter{})
	assert.Panics(t, func() { w.(io.ReaderFrom).ReadFrom(panickingReader{}) })
	assert.True(t, trackedOf(w).begun())
}

type panickingReader struct{}

func (panickingReader) Read([]byte) (int, error) { panic("the source") }

// trackedOf looks through Unwrap, and finds the innermost.
func TestTrackedOf(t *testing.T) {
	assert.Nil(t, trackedOf(nil))
	assert.Nil(t, trackedOf(httptest.NewRecorder()))
	assert.Nil(t, trackedOf(unwrapping{httptest.NewRecorder()}))
	assert.Nil(t, trackedOf(unwrapping{nil}))

	outer := track(httptest.NewRecorder())
	assert.Same(t, outer, track(outer), "one Recover next to another needs no second writer")
	assert.Same(t, trackedOf(outer), trackedOf(unwrapping{unwrapping{outer}}))
	assert.Nil(t, trackedOf(plainWriter{outer}), "a writer that hides what it wraps")

	middle := unwrapping{outer}
	inner := track(middle)
	require.NotSame(t, outer, inner)
	assert.NotSame(t, trackedOf(outer), trackedOf(unwrapping{inner}))
	assert.False(t, trackedOf(inner).begun())
	middle.Write(nil)
	assert.True(t, trackedOf(inner).begun(), "a middleware between two Recovers has written")
}

type unwrapping struct{ http.ResponseWriter }

func (u unwrapping) Unwrap() http.ResponseWriter { return u.ResponseWriter }

func TestAbort(t *testing.T) {
	w := track(httptest.NewRecorder())
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() { trackedOf(w).abort() })

	// The hijacked connection is closed, also if an outer Recover knows it.
	for _, between := range []func(w http.ResponseWriter) http.ResponseWriter{
		func(w http.ResponseWriter) http.ResponseWriter { return w },
		func(w http.ResponseWriter) http.ResponseWriter { return track(unwrapping{w}) },
	} {
		conn, peer := net.Pipe()
		peer.SetDeadline(time.Now().Add(time.Minute))
		w = track(&loggingWriter{conn: conn})
		_, _, err := http.NewResponseController(between(w)).Hijack()
		require.NoError(t, err)
		assert.NotPanics(t, func() { trackedOf(between(w)).abort() })
		_, err = peer.Read(make([]byte, 1))
		assert.Equal(t, io.EOF, err)
	}
}

// A handler may write on one goroutine and panic on another.
func TestTrackedConcurrently(t *testing.T) {
	conn, _ := net.Pipe()
	w := track(&lockedWriter{l: loggingWriter{conn: conn, header: http.Header{}}}).(interface {
		http.ResponseWriter
		http.Hijacker
		http.Flusher
	})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				w.WriteHeader(200)
				w.Write([]byte("x"))
				w.Flush()
				w.Hijack()
				trackedOf(w).begun()
			}
			trackedOf(w).abort()
		})
	}
	all.Wait()
	assert.Equal(t, int64(8*100*4), trackedOf(w).begins.Load())
}

type lockedWriter struct {
	sync.Mutex
	l loggingWriter
}

func (w *lockedWriter) locked() func()      { w.Lock(); return w.Unlock }
func (w *lockedWriter) Header() http.Header { return w.l.header }
func (w *lockedWriter) WriteHeader(s int)   { defer w.locked()(); w.l.WriteHeader(s) }
func (w *lockedWriter) Flush()              { defer w.locked()(); w.l.Flush() }

func (w *lockedWriter) Write(b []byte) (int, error) { defer w.locked()(); return w.l.Write(b) }

func (w *lockedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	defer w.locked()()
	return w.l.Hijack()
}

// io.Copy of a file finds the ReaderFrom and gives it the file.
func TestTrackedCopiesFiles(t *testing.T) {
	f, err := os.Open("writer_test.go")
	require.NoError(t, err)
	defer f.Close()
	l := &loggingWriter{}
	_, err = io.CopyN(track(l), f, 13)
	require.NoError(t, err)
	assert.Equal(t, []string{"ReadFrom package segue"}, l.calls)
	assert.Same(t, f, l.src.(*io.LimitedReader).R)
}

func TestDropWriter(t *testing.T) {
	original := httptest.NewRecorder()
	original.Header().Set("X", "y")
	w := newDropWriter(original)
	assert.Equal(t, "y", w.Header().Get("X"))
	http.Error(w, "text", http.StatusTeapot)
	n, err := io.WriteString(w, "text")
	assert.Equal(t, 4, n)
	assert.NoError(t, err)
	assert.Nil(t, trackedOf(w), "what begins here is not the response")
	assert.Equal(t, http.Header{"X": {"y"}}, original.Header())
	assert.Empty(t, original.Body.String())

	newDropWriter(&loggingWriter{}).Header().Set("X", "y") // also if there were none
}

// The writer is one allocation, whatever it has.
func TestTrackAllocatesOnce(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector adds allocations")
	}
	for kind, wrap := range kinds {
		original := wrap(&loggingWriter{})
		assert.Equal(t, 1.0, AllocsPerRun(10, func() { writerSink = wrap(original) }), "kind %02o", kind)
	}
	l := &loggingWriter{}
	assert.Equal(t, 1.0, AllocsPerRun(10, func() { writerSink = track(l) }))
	w := track(l)
	var around http.ResponseWriter = unwrapping{w}
	assert.Zero(t, AllocsPerRun(10, func() { writerSink = track(w) }))
	assert.Zero(t, AllocsPerRun(10, func() { trackedOf(around).begun() }))
}

var writerSink http.ResponseWriter

// BenchmarkRecover is what a request pays: "none" is the handler alone.
//
//	go test -run '^$' -bench Recover -count 6
func BenchmarkRecover(b *testing.B) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for _, bench := range []struct {
		name    string
		handler http.Handler
	}{
		{"recover=none", handler},
		{"recover=one", Recover(handler)},
		{"recover=two", Recover(Recover(handler))},
	} {
		b.Run(bench.name, func(b *testing.B) {
			w, r := &deafWriter{}, bareRequest("/")
			b.ReportAllocs()
			for b.Loop() {
				bench.handler.ServeHTTP(w, r)
			}
		})
	}
}

// A deafWriter has what net/http's writer of HTTP/1 has, and does nothing.
type deafWriter struct{ dropWriter }

func (*deafWriter) Flush()                                       {}
func (*deafWriter) FlushError() error                            { return nil }
func (*deafWriter) WriteString(s string) (int, error)            { return len(s), nil }
func (*deafWriter) ReadFrom(src io.Reader) (int64, error)        { return io.Copy(io.Discard, src) }
func (*deafWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, http.ErrHijacked }
func (*deafWriter) SetReadDeadline(time.Time) error              { return nil }
