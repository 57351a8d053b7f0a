package workload

import (
	"net/http"
	"runtime"
	"time"
)

// A Cost is what a table of routes costs before the first answer.
type Cost struct {
	Heap     int64         // bytes that stay, after one request
	Register time.Duration // all registrations
	Compile  time.Duration // the first request, which compiles
}

// Measure takes the cost of what load returns: a router with the routes of a
// set, which then answers one request. It returns the router too, alive until
// then.
func Measure(s Set, load func() http.Handler) (Cost, http.Handler) {
	var c Cost
	first, w := s.Calls[0].Request(), NewWriter()
	before := liveHeap()
	start := time.Now()
	h := load()
	c.Register = time.Since(start)
	start = time.Now()
	h.ServeHTTP(w, first)
	c.Compile = time.Since(start)
	c.Heap = liveHeap() - before
	return c, h
}

// Measure takes the cost of a row's router, with one handler for all routes.
func (row Row) Measure(s Set) (Cost, http.Handler) {
	handler := func(http.ResponseWriter, *http.Request) {}
	return Measure(s, func() http.Handler { return row.build(s.Routes, func(Route) http.HandlerFunc { return handler }) })
}

// liveHeap is the heap after a collection. The second one frees what the first
// had to keep for finalizers and in pools.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Allocations returns the allocations and bytes a request, both as they come
// over many: a block that several requests share counts in part for each.
func (run *Run) Allocations(rounds int) (mallocs, bytes float64) {
	n := rounds * len(run.requests)
	run.Serve(len(run.requests)) // so that what is made once is there
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run.Serve(n)
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n), float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
}
