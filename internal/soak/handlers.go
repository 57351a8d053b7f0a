package main

import (
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segue-go/segue"
)

// handlers are what the routes of every generation lead to.
type handlers struct {
	*book
	held    sync.WaitGroup // requests that are checked later on
	atMost  time.Duration  // and for how long
	waiting atomic.Int64   // requests in wait
	gate    chan struct{}  // what they wait for
	raised  atomic.Int64   // panics that net/http or Recover has to log
	failed  atomic.Int64   // errors that came to an error list
}

// report is what a handler sees of its request: the route, every parameter in
// each of the ways to read it, and the header that says what they must be.
func report(r *http.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q\n", r.Method, r.Pattern)
	for name, value := range segue.Params(r) {
		fmt.Fprintf(&b, "%s %q %q %q\n", name, value, segue.Param(r, name), r.PathValue(name))
	}
	fmt.Fprintf(&b, "header %q\n", r.Header.Get("Id"))
	return b.String()
}

// echo answers with what it sees, the body included.
func (h *handlers) echo(w http.ResponseWriter, r *http.Request) {
	text := report(r)
	sum := fnv.New64a()
	n, err := io.Copy(sum, r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "%sbody %d %x\n", text, n, sum.Sum64())
}

// plain is echo in an http.ServeMux, with what the mount's prefix gave it.
func (h *handlers) plain(w http.ResponseWriter, r *http.Request) { io.WriteString(w, report(r)) }

func (h *handlers) lost(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusNotFound)
	fmt.Fprintf(w, "lost %q %q\n", r.Pattern, r.Header.Get("Id"))
}

// stream flushes line by line.
func (h *handlers) stream(w http.ResponseWriter, r *http.Request) {
	lines, err := segue.ParamAs[int](r, "n")
	if err != nil {
		segue.Fail(w, r, err)
		return
	}
	h.lines(w, r, lines)
}

func (h *handlers) lines(w http.ResponseWriter, r *http.Request, n int) {
	flush := http.NewResponseController(w)
	for i := range n {
		fmt.Fprintf(w, "%d %s\n", i, r.PathValue("id"))
		if flush.Flush() != nil {
			return // the client has gone
		}
	}
}

// large writes n bytes as fast as the client reads them.
func (h *handlers) large(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		segue.Fail(w, r, err)
		return
	}
	io.Copy(w, newFiller(segue.Param(r, "id"), n)) // an error is the client's going
}

// abort hangs up in the middle of the answer, as a proxy does whose backend has
// gone.
func (h *handlers) abort(w http.ResponseWriter, r *http.Request) {
	h.lines(w, r, 3)
	h.count(aborts)
	panic(http.ErrAbortHandler)
}

// panics does so before it has written anything.
func (h *handlers) panics(_ http.ResponseWriter, r *http.Request) {
	h.panic(r)
}

// panicsBegun does so when the client has a part of the answer already.
func (h *handlers) panicsBegun(w http.ResponseWriter, r *http.Request) {
	h.lines(w, r, 3)
	h.panic(r)
}

func (h *handlers) panic(r *http.Request) {
	h.count(panics)
	if !strings.HasPrefix(r.Pattern, "GET /intime/") {
		h.raised.Add(1)
	}
	panic("on purpose: " + r.Pattern)
}

func (h *handlers) fails(_ http.ResponseWriter, r *http.Request) error {
	return segue.Errorf(http.StatusTeapot, "no tea for %q", r.PathValue("id"))
}

// onError is the error list of the guarded router.
func (h *handlers) onError(w http.ResponseWriter, r *http.Request, err error) error {
	h.failed.Add(1)
	status, message := segue.StatusOf(err)
	w.WriteHeader(status)
	fmt.Fprintf(w, "%s%s\n", report(r), message)
	return nil
}

// hijack takes the connection over and speaks a protocol of its own: each line
// comes back with the id. HTTP/2 cannot do that.
func (h *handlers) hijack(w http.ResponseWriter, r *http.Request) {
	conn, buffer, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "no hijacking", http.StatusNotImplemented)
		return
	}
	h.count(hijacks)
	defer conn.Close()
	fmt.Fprintf(buffer, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: lines\r\nConnection: Upgrade\r\n\r\n%q\n", report(r))
	for buffer.Flush() == nil {
		line, err := buffer.ReadString('\n')
		if err != nil || line == "bye\n" {
			return
		}
		fmt.Fprintf(buffer, "%s %s", r.PathValue("id"), line)
	}
}

// wait answers once the gate is open: after the shutdown has begun.
func (h *handlers) wait(w http.ResponseWriter, r *http.Request) {
	h.waiting.Add(1)
	<-h.gate
	h.echo(w, r)
}

// A filler is a body that only its id could have made.
type filler struct {
	line     string
	at, left int
}

func newFiller(id string, n int) io.Reader {
	return &filler{line: strings.Repeat(id+"\n", 1+1024/(len(id)+1)), left: n}
}

func (f *filler) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, io.EOF
	}
	p = p[:min(len(p), f.left)]
	n := 0
	for n < len(p) {
		k := copy(p[n:], f.line[f.at:])
		f.at = (f.at + k) % len(f.line)
		n += k
	}
	f.left -= n
	return n, nil
}
