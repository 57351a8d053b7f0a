package timing

// This file makes a case of a handler, a request and the answer that it must
// give.

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

// An Exchange is a request to a handler, and what must be answered.
type Exchange struct {
	Handler http.Handler
	Request func() *http.Request
	Body    []byte // of the request

	Status int
	Answer string            // the body; a final newline does not count
	Header map[string]string // these must be there, with these values
	After  func() error      // what else must hold after a request
}

// Case returns the case that serves the request again and again. As a server's
// connection does, the writer has a ReadFrom and a Flush, and keeps its buffer.
func (e Exchange) Case(section, column, title string) Case {
	r, w, body := e.Request(), newWriter(), &reader{}
	return Case{
		Section: section, Column: column, Title: title,
		Check: e.check,
		Call: func() {
			if e.Body != nil {
				body.Reset(e.Body)
				r.Body = body
			}
			e.Handler.ServeHTTP(w, r)
			clear(w.header)
		},
	}
}

// Serve serves the request once and returns the answer.
func (e Exchange) Serve() *httptest.ResponseRecorder {
	r, w := e.Request(), httptest.NewRecorder()
	if e.Body != nil {
		body := &reader{}
		body.Reset(e.Body)
		r.Body = body
	}
	e.Handler.ServeHTTP(w, r)
	return w
}

func (e Exchange) check() error {
	w := e.Serve()
	if w.Code != e.Status {
		return fmt.Errorf("status %d %.200q, want %d", w.Code, w.Body, e.Status)
	}
	if got := strings.TrimSuffix(w.Body.String(), "\n"); got != strings.TrimSuffix(e.Answer, "\n") {
		return fmt.Errorf("body of %d bytes %.200q, want %d %.200q", len(got), got, len(e.Answer), e.Answer)
	}
	for name, want := range e.Header {
		if got := w.Header().Get(name); got != want {
			return fmt.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if e.After != nil {
		return e.After()
	}
	return nil
}

// A reader is a body that is read again in each call.
type reader struct{ bytes.Reader }

func (*reader) Close() error { return nil }

// A writer drops what it is given. It can do what net/http's can do, apart from
// a hijack: where ReadFrom is missing, each copy of a file allocates a buffer,
// which no server pays.
type writer struct {
	header http.Header
	buffer [32 << 10]byte
}

func newWriter() *writer { return &writer{header: http.Header{}} }

func (w *writer) Header() http.Header               { return w.header }
func (w *writer) WriteHeader(int)                   {}
func (w *writer) Write(b []byte) (int, error)       { return len(b), nil }
func (w *writer) WriteString(s string) (int, error) { return len(s), nil }
func (w *writer) Flush()                            {}

// ReadFrom reads to the end, and does not ask whether the source has a WriteTo.
func (w *writer) ReadFrom(src io.Reader) (n int64, err error) {
	for {
		m, err := src.Read(w.buffer[:])
		n += int64(m)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
