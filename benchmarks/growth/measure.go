package main

// This file measures. The tables of an axis are made and checked one after the
// other; then the lookups of all its sizes are timed in turns.

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/segue-go/segue/benchmarks/report"
	"github.com/segue-go/segue/internal/workload"
)

// A Result is a run.
type Result struct {
	report.Machine
	Rounds int
	Length string
	Limit  float64 // seconds that the registration of a table may take
	Peak   float64 // bytes that the program took at most
	Points []*Point
}

// A Point is a table of one size.
type Point struct {
	Axis, Who    string
	Size, Routes int

	Stopped string `json:",omitempty"` // why there are no figures

	Register float64 // ns, all routes
	First    float64 // ns, the first request; segue compiles then
	More     float64 // ns, one more route and the first request after it
	Heap     float64 // bytes that stay after the first request

	Spread Lookup // requests to all routes in turn, in a drawn order
	Fixed  Lookup // one request again and again
	Miss   Lookup // one that no route answers

	handler http.Handler
}

// A Lookup is the time of a request in ns, in the fastest round and in the median
// one.
type Lookup struct{ NS, Median float64 }

// measure adds an axis's points.
func (r *Result) measure(a axis, o options) error {
	sizes := a.sizes
	if o.short {
		sizes = sizes[:3]
	}
	var timed []*timing
	stopped := map[string]bool{}
	for _, n := range sizes {
		order := rand.New(rand.NewPCG(1, 2)).Perm(a.routes(n))
		requests := make([]request, len(order))
		for i, route := range order {
			requests[i] = a.request(n, route)
		}
		for _, c := range a.who {
			p := &Point{Axis: a.name, Who: c.name, Size: n, Routes: len(order)}
			r.Points = append(r.Points, p)
			if stopped[c.name] {
				p.Stopped = "not tried, since a smaller size was given up"
			} else if p.build(a, c, o); p.Stopped == "" {
				if err := p.check(a, order, requests); err != nil {
					return err
				}
				timed = append(timed, p.timings(a, requests, o.length)...)
			}
			stopped[c.name] = p.Stopped != ""
		}
	}
	takeTurns(timed, o.rounds)
	for _, p := range r.Points {
		p.handler = nil // the next axis needs the memory
	}
	return nil
}

// build makes the table of a point. One that takes less than a tenth of a second
// is made a few times, and the least counts.
func (p *Point) build(a axis, c contestant, o options) {
	first, w := newAsker(a.request(p.Size, 0)), workload.NewWriter()
	for end := time.Now().Add(100 * time.Millisecond); ; {
		p.handler = nil
		before := liveHeap()
		t := c.begin()
		register, stopped := p.register(a, t, o)
		if stopped != "" {
			p.Stopped = stopped
			return
		}
		compile := timeOf(func() { t.ServeHTTP(w, first) })
		heap := float64(liveHeap() - before)
		more := timeOf(func() { t.more(); t.ServeHTTP(w, first) })
		if p.Register == 0 {
			p.Register, p.First, p.More, p.Heap = register, compile, more, heap
		}
		p.Register, p.First = min(p.Register, register), min(p.First, compile)
		p.More, p.Heap = min(p.More, more), min(p.Heap, heap)
		if p.handler = t.Handler; time.Now().After(end) {
			return
		}
	}
}

// register registers a table's routes, and tells why it gave up if it did.
func (p *Point) register(a axis, t table, o options) (ns float64, stopped string) {
	defer func() {
		if refusal := recover(); refusal != nil {
			text, _, _ := strings.Cut(fmt.Sprint(refusal), "\n")
			stopped = "refused: " + text
		}
	}()
	start := time.Now()
	for i := range p.Routes {
		t.register(a.pattern(p.Size, i))
		if i%256 != 255 {
			continue
		}
		if time.Since(start) > o.limit {
			return 0, fmt.Sprintf("given up after %v, at route %s of %s", o.limit, whole(i+1), whole(p.Routes))
		}
	}
	return float64(time.Since(start)), ""
}

func timeOf(do func()) float64 {
	start := time.Now()
	do()
	return float64(time.Since(start))
}

// liveHeap is the heap after a collection. The second one frees what the first
// had to keep for finalizers.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// peakMemory is how many bytes this process had in memory at most.
func peakMemory() float64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return float64(r.Maxrss) * 1024
}

// newAsker returns the one request object of a timing. A server's request was
// just parsed, so that it is in the processor's cache, whatever the table is.
func newAsker(q request) *http.Request {
	r := workload.Call{Method: "GET", Host: "localhost", Target: "/"}.Request()
	q.ask(r)
	return r
}

// ask makes r the request.
func (q *request) ask(r *http.Request) { r.Method, r.Host, r.URL.Path = q.method, q.host, q.path }

// check asks for every route once, and for the miss.
func (p *Point) check(a axis, order []int, requests []request) error {
	r, w := newAsker(requests[0]), workload.NewWriter()
	for i := range requests {
		requests[i].ask(r)
		p.handler.ServeHTTP(w, r)
		if want := a.pattern(p.Size, order[i]); w.Status != 0 || r.Pattern != want {
			return fmt.Errorf("%s, %s, size %d: %v matches %q, not %q", a.name, p.Who, p.Size, requests[i], r.Pattern, want)
		}
	}
	miss, status := a.miss()
	miss.ask(r)
	if p.handler.ServeHTTP(w, r); w.Status != status {
		return fmt.Errorf("%s, %s, size %d: %v has the status %d, not %d", a.name, p.Who, p.Size, miss, w.Status, status)
	}
	return nil
}

// A timing times one kind of lookups of a table.
type timing struct {
	into     *Lookup
	handler  http.Handler
	requests []request
	next, n  int // where the next round begins, and how many lookups it has
	rounds   []float64
}

func (p *Point) timings(a axis, requests []request, length time.Duration) []*timing {
	miss, _ := a.miss()
	var all []*timing
	for _, of := range []struct {
		into     *Lookup
		requests []request
	}{{&p.Spread, requests}, {&p.Fixed, []request{a.request(p.Size, 0)}}, {&p.Miss, []request{miss}}} {
		t := &timing{into: of.into, handler: p.handler, requests: of.requests, n: 64}
		t.n = max(16, int(float64(length)/t.round()))
		all = append(all, t)
	}
	return all
}

// takeTurns times all lookups in turns. The least round counts, since whatever
// else the machine does can only add.
func takeTurns(all []*timing, rounds int) {
	runtime.GC()
	for range rounds {
		for _, t := range all {
			t.rounds = append(t.rounds, t.round())
		}
	}
	for _, t := range all {
		slices.Sort(t.rounds)
		*t.into = Lookup{t.rounds[0], t.rounds[len(t.rounds)/2]}
	}
}

// round returns the time of a lookup in ns.
func (t *timing) round() float64 {
	r, w := newAsker(t.requests[0]), workload.NewWriter()
	h, requests, next := t.handler, t.requests, t.next
	start := time.Now()
	for range t.n {
		requests[next].ask(r)
		h.ServeHTTP(w, r)
		if next++; next == len(requests) {
			next = 0
		}
	}
	t.next = next
	return float64(time.Since(start)) / float64(t.n)
}
