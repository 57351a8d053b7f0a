package main

import (
	"math"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"
	"weak"

	"github.com/segue-go/segue"
)

// heap is how much memory is in use once the collector has taken what it can:
// the least within some time, since others let go late. (A client of net/http
// keeps a connection of HTTP/2 for 5 seconds after its end.)
func (b *book) heap(within time.Duration, enough func(now int64) bool) int64 {
	least := int64(math.MaxInt64)
	for end := b.clock.now() + within; ; time.Sleep(200 * time.Millisecond) {
		runtime.GC()
		runtime.GC() // empties pools
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		least = min(least, int64(m.HeapAlloc))
		if enough(least) || b.clock.now() > end {
			return least
		}
	}
}

func never(int64) bool { return false }

// settledHeap is what the heap comes down to. If that is more than it may be, it
// gets more time: as much as a request does.
func (b *book) settledHeap(c config, most int64) int64 {
	now := b.heap(c.lull, never)
	if now > most {
		now = b.heap(c.patience, func(now int64) bool { return now <= most })
	}
	return now
}

// A look is what the process holds at some moment.
type look struct {
	goroutines, peak, heap int64
}

func lookAround(c config, b *book) look {
	return look{int64(runtime.NumGoroutine()), b.peak.Load(), b.heap(c.lull, never)}
}

// nothingLeft compares what there is when all has been taken down with what
// there was before.
//
// The heap may be larger by 1 MiB, for caches that the runtime and net/http
// keep, and by the descriptors of goroutines, which the runtime never frees.
func (b *book) nothingLeft(c config, before look) {
	b.clock.await(c.patience, func() bool { return int64(runtime.NumGoroutine()) <= before.goroutines })
	var stacks strings.Builder
	goroutines := int64(runtime.NumGoroutine())
	if goroutines > before.goroutines {
		_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
	}
	b.measured(level{
		what: "goroutines", unit: "at rest",
		before: before.goroutines, after: goroutines, most: before.goroutines, left: stacks.String(),
	})
	const descriptor = 512
	most := before.heap + 1<<20 + descriptor*(b.peak.Load()-before.peak)
	b.measured(level{
		what: "heap, with nothing served", unit: "bytes",
		before: before.heap, most: most, after: b.settledHeap(c, most),
	})
}

// expectGone sees to it that an app that is served no longer becomes garbage. It
// returns a function that waits for that.
func (s *stage) expectGone(a *app) (wait func()) {
	number, router := a.number, weak.Make(a.Router)
	return func() { s.gone(number, router) }
}

func (s *stage) gone(number int, router weak.Pointer[segue.Router]) {
	n := 0
	err := s.await("a former app is garbage", func() bool {
		if n++; n%50 == 0 { // the load makes the collector run often enough
			runtime.GC()
		}
		return router.Value() == nil
	})
	if err != nil {
		s.wrongAnswer("app %d is held by something: %v", number, err)
	}
}
