package respond

// These tests say what begins a response, what ends it, and which status and how
// many bytes are counted, on a writer that records its calls. The tests of
// live_test.go ask the same of net/http's servers.

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

// A recordingWriter has all six optional interfaces and records what reaches it.
type recordingWriter struct {
	header http.Header
	calls  []string
	conn   net.Conn // what Hijack gives
	err    error    // what every call gives
	src    io.Reader
}

func (l *recordingWriter) record(format string, args ...any) error {
	l.calls = append(l.calls, fmt.Sprintf(format, args...))
	return l.err
}

func (l *recordingWriter) Header() http.Header { return l.header }
func (l *recordingWriter) WriteHeader(s int)   { l.record("WriteHeader %d", s) }
func (l *recordingWriter) Flush()              { l.record("Flush") }
func (l *recordingWriter) FlushError() error   { return l.record("FlushError") }

func (l *recordingWriter) Write(b []byte) (int, error) {
	return len(b), l.record("Write %s", b)
}

func (l *recordingWriter) WriteString(s string) (int, error) {
	return len(s), l.record("WriteString %s", s)
}

func (l *recordingWriter) ReadFrom(src io.Reader) (int64, error) {
	l.src = src
	b, err := io.ReadAll(src)
	l.record("ReadFrom %s", b)
	return int64(len(b)), err
}

func (l *recordingWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return l.conn, nil, l.record("Hijack")
}

func (l *recordingWriter) Push(target string, opts *http.PushOptions) error {
	if opts != nil {
		target += " " + opts.Method
	}
	return l.record("Push %s", target)
}

// all is a wrapped writer with all six optional interfaces.
type all = writer[*http.PushOptions, error, io.Reader, string, error]

// An unwrapping writer has no optional method but Unwrap.
type unwrapping struct{ http.ResponseWriter }

func (u unwrapping) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// A hiding writer hides Unwrap too.
type hiding struct{ http.ResponseWriter }

// A failing reader gives what it has, then its error.
func failingReader(text string) io.Reader {
	return io.MultiReader(strings.NewReader(text), closedReader{})
}

type closedReader struct{}

func (closedReader) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

type panickingReader struct{}

func (panickingReader) Read([]byte) (int, error) { panic("the source") }

// What begins a response and what does not, and what is counted.
func TestState(t *testing.T) {
	conn, _ := net.Pipe()
	for _, test := range []struct {
		what   string
		do     func(w *all)
		begun  bool
		status int
		bytes  int
		err    error // of all calls
	}{
		{"nothing", func(w *all) {}, false, 0, 0, nil},
		{"headers", func(w *all) { w.Header().Set("X", "y") }, false, 0, 0, nil},
		{"100", func(w *all) { w.WriteHeader(100) }, false, 0, 0, nil},
		{"101", func(w *all) { w.WriteHeader(101) }, true, 101, 0, nil},
		{"103", func(w *all) { w.WriteHeader(103) }, false, 0, 0, nil},
		{"199", func(w *all) { w.WriteHeader(199) }, false, 0, 0, nil},
		{"200", func(w *all) { w.WriteHeader(200) }, true, 200, 0, nil},
		{"999", func(w *all) { w.WriteHeader(999) }, true, 999, 0, nil},
		{"0, refused by net/http", func(w *all) { w.WriteHeader(0) }, false, 0, 0, nil},
		{"1000, refused by net/http", func(w *all) { w.WriteHeader(1000) }, false, 0, 0, nil},
		{"103, then 404", func(w *all) { w.WriteHeader(103); w.WriteHeader(404) }, true, 404, 0, nil},
		{"404, then 200", func(w *all) { w.WriteHeader(404); w.WriteHeader(200) }, true, 404, 0, nil},
		{"404 with a body", func(w *all) { w.WriteHeader(404); w.Write([]byte("ab")) }, true, 404, 2, nil},
		{"a body, then 404", func(w *all) { w.Write([]byte("ab")); w.WriteHeader(404) }, true, 200, 2, nil},
		{"a write", func(w *all) { w.Write([]byte("x")) }, true, 200, 1, nil},
		{"a write of nothing", func(w *all) { w.Write(nil) }, true, 200, 0, nil},
		{"a string", func(w *all) { w.WriteString("äö") }, true, 200, 4, nil},
		{"an empty string", func(w *all) { w.WriteString("") }, true, 200, 0, nil},
		{"bytes that were accepted before an error", func(w *all) { w.Write([]byte("x")); w.WriteString("y") }, true, 200, 2, io.ErrClosedPipe},
		{"a copy", func(w *all) { w.ReadFrom(strings.NewReader("xyz")) }, true, 200, 3, nil},
		{"a copy of one byte", func(w *all) { w.ReadFrom(strings.NewReader("x")) }, true, 200, 1, nil},
		{"404 with a copy", func(w *all) { w.WriteHeader(404); w.ReadFrom(strings.NewReader("xyz")) }, true, 404, 3, nil},
		{"a copy of nothing", func(w *all) { w.ReadFrom(strings.NewReader("")) }, false, 0, 0, nil},
		{"404 after a copy of nothing", func(w *all) { w.ReadFrom(strings.NewReader("")); w.WriteHeader(404) }, true, 404, 0, nil},
		{"a copy that fails at once", func(w *all) { w.ReadFrom(failingReader("")) }, false, 0, 0, nil},
		{"a copy that fails later", func(w *all) { w.ReadFrom(failingReader("xy")) }, true, 200, 2, nil},
		{"a failed copy after a write", func(w *all) { w.Write(nil); w.ReadFrom(failingReader("")) }, true, 200, 0, nil},
		{"all ways to write", func(w *all) { w.Write([]byte("a")); w.WriteString("bc"); w.ReadFrom(strings.NewReader("def")) }, true, 200, 6, nil},
		{"Flush", func(w *all) { w.Flush() }, true, 200, 0, nil},
		{"404, then Flush", func(w *all) { w.WriteHeader(404); w.Flush() }, true, 404, 0, nil},
		{"FlushError", func(w *all) { w.FlushError() }, true, 200, 0, nil},
		{"FlushError that fails", func(w *all) { w.FlushError() }, true, 200, 0, io.ErrClosedPipe},
		{"FlushError without support", func(w *all) { w.FlushError() }, false, 0, 0, fmt.Errorf("it is %w", http.ErrNotSupported)},
		{"flush by a ResponseController", func(w *all) { http.NewResponseController(w).Flush() }, true, 200, 0, nil},
		{"Hijack", func(w *all) { w.Hijack() }, true, 0, 0, nil},
		{"101, then Hijack", func(w *all) { w.WriteHeader(101); w.Hijack() }, true, 101, 0, nil},
		{"Hijack, then 500", func(w *all) { w.Hijack(); w.WriteHeader(500) }, true, 0, 0, nil},
		{"Hijack that fails", func(w *all) { w.Hijack() }, false, 0, 0, http.ErrHijacked},
		{"Push", func(w *all) { w.Push("/x", nil) }, false, 0, 0, nil},
	} {
		w := Wrap(&recordingWriter{header: http.Header{}, conn: conn, err: test.err}).(*all)
		test.do(w)
		state := StateOf(w)
		assert.Equal(t, test.begun, state.Begun(), "begun after %s", test.what)
		assert.Equal(t, test.status, state.Status(), "status after %s", test.what)
		assert.Equal(t, int64(test.bytes), state.Bytes(), "bytes after %s", test.what)
		hijacked := strings.Contains(test.what, "Hijack") && test.err == nil
		assert.Equal(t, hijacked, state.Hijacked(), "hijacked after %s", test.what)
	}
	assert.False(t, (*State)(nil).Begun())
}

// The example of the package comment.
func TestWorkedExample(t *testing.T) {
	w := Wrap(&recordingWriter{})
	var got []string
	for _, line := range []func(){
		func() { w.WriteHeader(103) },
		func() { io.Copy(w, strings.NewReader("")) },
		func() { io.WriteString(w, "hello") },
		func() { w.WriteHeader(500) },
	} {
		line()
		s := StateOf(w)
		got = append(got, fmt.Sprint(s.Begun(), " ", s.Status(), " ", s.Bytes()))
	}
	assert.Equal(t, []string{"false 0 0", "false 0 0", "true 200 5", "true 200 5"}, got)
}

// While a source is read, and after it panicked, the response counts as begun.
func TestBegunWhileTheSourceIsRead(t *testing.T) {
	w := Wrap(&recordingWriter{})
	state := StateOf(w)
	w.(io.ReaderFrom).ReadFrom(readerFunc(func([]byte) (int, error) {
		assert.True(t, state.Begun())
		assert.Equal(t, 200, state.Status())
		return 0, io.EOF
	}))
	assert.False(t, state.Begun())
	assert.Panics(t, func() { w.(io.ReaderFrom).ReadFrom(panickingReader{}) })
	assert.True(t, state.Begun())
	assert.Equal(t, 200, state.Status())
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// StateOf looks through Unwrap, and finds the innermost.
func TestStateOf(t *testing.T) {
	assert.Nil(t, StateOf(nil))
	assert.Nil(t, StateOf(httptest.NewRecorder()))
	assert.Nil(t, StateOf(unwrapping{httptest.NewRecorder()}))
	assert.Nil(t, StateOf(unwrapping{nil}))

	outer := Wrap(httptest.NewRecorder())
	assert.Same(t, outer, Wrap(outer), "a wrapped writer needs no second wrapper")
	assert.Same(t, StateOf(outer), StateOf(unwrapping{unwrapping{outer}}))
	assert.Nil(t, StateOf(hiding{outer}), "it hides the wrapped writer")

	middle := unwrapping{outer}
	inner := Wrap(middle)
	require.NotSame(t, outer, inner)
	assert.NotSame(t, StateOf(outer), StateOf(unwrapping{inner}))
	assert.False(t, StateOf(inner).Begun())
	middle.Write([]byte("ab"))
	assert.True(t, StateOf(inner).Begun(), "a middleware between two wrapped writers has written")
	assert.Zero(t, StateOf(inner).Status(), "but not here")
	inner.Write([]byte("c"))
	assert.Equal(t, int64(1), StateOf(inner).Bytes())
	assert.Equal(t, int64(3), StateOf(outer).Bytes())
}

func TestAbort(t *testing.T) {
	w := Wrap(httptest.NewRecorder())
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() { StateOf(w).Abort(false) })

	// An outer wrapped writer knows the reason as well.
	for _, gone := range []bool{false, true} {
		w = Wrap(httptest.NewRecorder())
		inner := Wrap(unwrapping{w})
		assert.False(t, StateOf(w).Gone())
		assert.Panics(t, func() { StateOf(inner).Abort(gone) })
		assert.Equal(t, gone, StateOf(inner).Gone())
		assert.Equal(t, gone, StateOf(w).Gone())
	}

	// The hijacked connection is closed, also if only an outer State knows it.
	for _, between := range []func(w http.ResponseWriter) http.ResponseWriter{
		func(w http.ResponseWriter) http.ResponseWriter { return w },
		func(w http.ResponseWriter) http.ResponseWriter { return Wrap(unwrapping{w}) },
	} {
		conn, peer := net.Pipe()
		peer.SetDeadline(time.Now().Add(time.Minute))
		w = Wrap(&recordingWriter{conn: conn})
		_, _, err := http.NewResponseController(between(w)).Hijack()
		require.NoError(t, err)
		assert.NotPanics(t, func() { StateOf(between(w)).Abort(false) })
		_, err = peer.Read(make([]byte, 1))
		assert.Equal(t, io.EOF, err)
	}
}

// A handler may write on one goroutine and panic on another.
func TestConcurrentUse(t *testing.T) {
	conn, _ := net.Pipe()
	w := Wrap(&lockedWriter{l: recordingWriter{conn: conn, header: http.Header{}}})
	state := StateOf(w)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 100 {
				w.WriteHeader(200 + i)
				w.Write([]byte("x"))
				w.(io.ReaderFrom).ReadFrom(strings.NewReader("yz"))
				w.(http.Flusher).Flush()
				assert.True(t, state.Begun())
				assert.GreaterOrEqual(t, state.Bytes(), int64(3))
			}
			w.(http.Hijacker).Hijack()
			assert.True(t, state.Hijacked())
			state.Abort(false)
		})
	}
	all.Wait()
	assert.Equal(t, int64(8*100*3), state.Bytes())
	assert.Equal(t, 200, state.Status(), "the first")
	assert.Zero(t, state.pending.Load())
}

type lockedWriter struct {
	sync.Mutex
	l recordingWriter
}

func (w *lockedWriter) locked() func()      { w.Lock(); return w.Unlock }
func (w *lockedWriter) Header() http.Header { return w.l.header }
func (w *lockedWriter) WriteHeader(s int)   { defer w.locked()(); w.l.WriteHeader(s) }
func (w *lockedWriter) Flush()              { defer w.locked()(); w.l.Flush() }

func (w *lockedWriter) Write(b []byte) (int, error) { defer w.locked()(); return w.l.Write(b) }

func (w *lockedWriter) ReadFrom(src io.Reader) (int64, error) {
	defer w.locked()()
	return w.l.ReadFrom(src)
}

func (w *lockedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	defer w.locked()()
	return w.l.Hijack()
}

// io.Copy of a file finds the ReaderFrom and gives it the file.
func TestFilesAreCopiedAsTheyAre(t *testing.T) {
	f, err := os.Open("respond_test.go")
	require.NoError(t, err)
	defer f.Close()
	l := &recordingWriter{}
	_, err = io.CopyN(Wrap(l), f, 15)
	require.NoError(t, err)
	assert.Equal(t, []string{"ReadFrom package respond"}, l.calls)
	assert.Same(t, f, l.src.(*io.LimitedReader).R)
}

func TestDiscard(t *testing.T) {
	original := httptest.NewRecorder()
	original.Header().Set("X", "y")
	w := Discard(original)
	assert.Equal(t, "y", w.Header().Get("X"))
	http.Error(w, "text", http.StatusTeapot)
	n, err := io.WriteString(w, "text")
	assert.Equal(t, 4, n)
	assert.NoError(t, err)
	assert.Nil(t, StateOf(w), "what begins here is not the response")
	assert.Equal(t, http.Header{"X": {"y"}}, original.Header())
	assert.Empty(t, original.Body.String())

	Discard(&recordingWriter{}).Header().Set("X", "y") // also if there were none
}
