package workload

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/segue-go/segue"
)

// A Row is a router with what its handlers read: a row of the tables.
type Row struct {
	Router string // "segue", "segue-novalues" (PathValues(false)) or "servemux"
	Read   string // "pathvalue", "param" or "nothing"

	build func(routes []Route, handler func(Route) http.HandlerFunc) http.Handler
}

// The rows.
var (
	SegueRead     = Row{"segue", "pathvalue", newSegue}
	Segue         = Row{"segue", "nothing", newSegue}
	NoValuesParam = Row{"segue-novalues", "param", newSegueNoValues}
	NoValues      = Row{"segue-novalues", "nothing", newSegueNoValues}
	ServeMuxRead  = Row{"servemux", "pathvalue", newServeMux}
	ServeMux      = Row{"servemux", "nothing", newServeMux}
)

// Rows are all of them, in the order of the tables.
var Rows = []Row{SegueRead, Segue, NoValuesParam, NoValues, ServeMuxRead, ServeMux}

func newSegue(routes []Route, handler func(Route) http.HandlerFunc) http.Handler {
	router := segue.New()
	for _, r := range routes {
		router.Handle(r.Pattern(), handler(r))
	}
	return router
}

func newSegueNoValues(routes []Route, handler func(Route) http.HandlerFunc) http.Handler {
	router := newSegue(routes, handler).(*segue.Router)
	router.PathValues(false)
	return router
}

func newServeMux(routes []Route, handler func(Route) http.HandlerFunc) http.Handler {
	mux := http.NewServeMux()
	for _, r := range routes {
		mux.HandleFunc(r.Pattern(), handler(r))
	}
	return mux
}

// readers makes the handlers whose calls are timed. Routes with the same names
// share one, so that it is not the handlers that a large table is measured by.
func (row Row) readers() func(Route) http.HandlerFunc {
	known := map[string]http.HandlerFunc{}
	return func(r Route) http.HandlerFunc {
		names := r.Names()
		key := strings.Join(names, "/")
		if known[key] == nil {
			known[key] = row.reader(names)
		}
		return known[key]
	}
}

// reader returns a handler that answers 500 to a value that is missing, which
// no call of a set expects.
func (row Row) reader(names []string) http.HandlerFunc {
	switch {
	case row.Read == "nothing" || len(names) == 0:
		return func(http.ResponseWriter, *http.Request) {}
	case row.Read == "param":
		return func(w http.ResponseWriter, r *http.Request) {
			for _, name := range names {
				if segue.Param(r, name) == "" {
					w.WriteHeader(http.StatusInternalServerError)
				}
			}
		}
	}
	return func(w http.ResponseWriter, r *http.Request) {
		for _, name := range names {
			if r.PathValue(name) == "" {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}
	}
}

// A Writer is a ResponseWriter that keeps nothing but the status. Its header
// is never emptied.
type Writer struct {
	Status int
	header http.Header
}

// NewWriter returns a Writer with an empty header.
func NewWriter() *Writer { return &Writer{header: http.Header{}} }

// Header returns the one header of all responses.
func (w *Writer) Header() http.Header { return w.header }

// Write drops p.
func (w *Writer) Write(p []byte) (int, error) { return len(p), nil }

// WriteHeader keeps the status.
func (w *Writer) WriteHeader(status int) { w.Status = status }

// A Run serves the calls of a set again and again.
type Run struct {
	handler  http.Handler
	requests []*http.Request
	writer   *Writer
	next     int
}

// Prepare checks that the router of a row answers every call of a set as it
// must, and returns a Run of it.
func (row Row) Prepare(s Set) (*Run, error) {
	if err := row.Verify(s); err != nil {
		return nil, err
	}
	return NewRun(row.build(s.Routes, row.readers()), s), nil
}

// NewRun returns a Run of any handler.
func NewRun(h http.Handler, s Set) *Run {
	run := &Run{handler: h}
	return run.Fork(s)
}

// Fork returns a Run of the same handler with requests of its own, for another
// goroutine.
func (run *Run) Fork(s Set) *Run {
	fork := &Run{handler: run.handler, writer: NewWriter()}
	for _, c := range s.Calls {
		fork.requests = append(fork.requests, c.Request())
	}
	return fork
}

// Serve serves n calls.
func (run *Run) Serve(n int) {
	h, requests, w, next := run.handler, run.requests, run.writer, run.next
	for range n {
		h.ServeHTTP(w, requests[next])
		if next++; next == len(requests) {
			next = 0
		}
	}
	run.next = next
}

// Verify compares every answer with what the call expects, twice over: a
// router must not remember the first time.
func (row Row) Verify(s Set) error {
	var got Call
	h := row.build(s.Routes, func(route Route) http.HandlerFunc {
		names := route.Names()
		return func(w http.ResponseWriter, r *http.Request) {
			got.Status, got.Values = http.StatusOK, nil
			for _, name := range names {
				got.Values = append(got.Values, row.value(r, name))
			}
		}
	})
	for _, c := range slices.Concat(s.Calls, s.Calls) {
		got = Call{}
		r, w := c.Request(), NewWriter()
		h.ServeHTTP(w, r)
		if w.Status != 0 {
			got.Status = w.Status
		}
		got.Pattern = r.Pattern
		if err := row.compare(got, c); err != nil {
			return err
		}
	}
	return nil
}

func (row Row) value(r *http.Request, name string) string {
	if row.Read == "param" || row.Router == "segue-novalues" {
		return segue.Param(r, name)
	}
	return r.PathValue(name)
}

func (row Row) compare(got, want Call) error {
	if got.Status != want.Status || got.Pattern != want.Pattern || !slices.Equal(got.Values, want.Values) {
		return fmt.Errorf("%s: %s %s%s: got %d %q %q, want %d %q %q", row.Router, want.Method, want.Host, want.Target,
			got.Status, got.Pattern, got.Values, want.Status, want.Pattern, want.Values)
	}
	return nil
}
