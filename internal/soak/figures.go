package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A proto is one of the two that clients speak.
type proto int

const (
	overHTTP1 proto = iota
	overHTTP2
)

func (p proto) String() string { return []string{"HTTP/1.1", "HTTP/2"}[p] }

// A planned fault is something that goes wrong on purpose, or, with unborn, that
// net/http does to a machine which is too busy.
type planned int

const (
	panics planned = iota
	aborts
	timeouts
	hijacks
	pipelines
	splits
	stalls
	abandons
	slowReaders
	neverReaders
	resets
	cancels
	brokenBodies
	refusals
	unborn
)

var plannedNames = [unborn + 1]string{
	"handlers that panic",
	"handlers that hang up",
	"handlers that outlast their time",
	"handlers that hijack",
	"requests that are pipelined",
	"requests that come in pieces",
	"requests that stall half-way",
	"requests of which half never comes",
	"answers read slowly",
	"answers never read",
	"connections reset by the client",
	"requests cancelled by the client",
	"bodies that break off",
	"routes that are refused",
	"connections too slow for HTTP/2's handshake, tried again",
}

// A book holds the figures of a run, and what is wrong.
type book struct {
	out   io.Writer
	clock clock

	requests [2][]atomic.Int64 // sent whole, by protocol and kind
	outcomes [2][unanswered + 1]atomic.Int64
	faults   [unborn + 1]atomic.Int64

	newRoutes, uses, apps, kept, faulty atomic.Int64
	connected, peak                     atomic.Int64 // connections and goroutines at once, at most

	mu      sync.Mutex
	slowest time.Duration
	which   string
	levels  []level
}

// A level is something that was measured, and what it may be at most.
type level struct {
	what          string
	before, after int64
	most          int64 // for after
	unit          string
	requests      int64  // served between before and after, if they count
	left          string // what there is, for whoever looks for the reason
}

func newBook(out io.Writer) *book {
	b := &book{out: out}
	for p := range b.requests {
		b.requests[p] = make([]atomic.Int64, len(allKinds))
	}
	return b
}

func (b *book) count(f planned) { b.faults[f].Add(1) }

// shownFaults is how many wrong answers are printed, of however many.
const shownFaults = 20

// wrongAnswer prints something that must not be.
func (b *book) wrongAnswer(format string, args ...any) {
	n := b.faulty.Add(1)
	if n > shownFaults {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	text := strings.TrimSuffix(fmt.Sprintf(format, args...), "\n")
	fmt.Fprintf(b.out, "WRONG: %s\n", strings.ReplaceAll(text, "\n", "\n       "))
	if n == shownFaults {
		fmt.Fprintln(b.out, "WRONG: and more, which are only counted")
	}
}

// settle counts a request that was sent whole, and what has become of it.
func (b *book) settle(p proto, c *call, took time.Duration, o outcome, err error) {
	b.requests[p][slices.Index(allKinds, c.kind)].Add(1)
	b.outcomes[p][o].Add(1)
	switch o {
	case wrong:
		b.wrongAnswer("%v over %v: %v", c, p, err)
	case unanswered:
		b.wrongAnswer("%v over %v: no whole answer after %v: %v", c, p, took, err)
	case answered:
		b.mu.Lock()
		defer b.mu.Unlock()
		if took > b.slowest && !c.slow {
			b.slowest, b.which = took, fmt.Sprintf("%s over %v", c.name, p)
		}
	}
}

// measured notes a level that was reached, and that it is wrong if it is over
// what it may be.
func (b *book) measured(l level) {
	b.mu.Lock()
	b.levels = append(b.levels, l)
	b.mu.Unlock()
	if l.after > l.most {
		b.wrongAnswer("%s: %d %s before, %d after, at most %d\n%s", l.what, l.before, l.unit, l.after, l.most, l.left)
	}
}

// watch notes how many goroutines there are at most, and prints a line now and
// then, until stop is closed.
func (b *book) watch(every time.Duration, stop <-chan struct{}) {
	start, last := time.Now(), int64(0)
	sample, line := time.NewTicker(100*time.Millisecond), time.NewTicker(every)
	defer sample.Stop()
	defer line.Stop()
	for {
		select {
		case <-stop:
			return
		case <-sample.C:
			b.peak.Store(max(b.peak.Load(), int64(runtime.NumGoroutine())))
		case <-line.C:
			n := b.sentSoFar()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			fmt.Fprintf(b.out, "%7v  %9d requests, %6.0f a second; %d apps, %d routes, %d wrong; %d goroutines, heap %d MB\n",
				time.Since(start).Round(time.Second), n, float64(n-last)/every.Seconds(),
				b.apps.Load(), b.newRoutes.Load(), b.faulty.Load(), runtime.NumGoroutine(), m.HeapAlloc>>20)
			last = n
		}
	}
}

func (b *book) sent(p proto) int64 {
	var n int64
	for i := range b.requests[p] {
		n += b.requests[p][i].Load()
	}
	return n
}

func (b *book) sentSoFar() int64 { return b.sent(overHTTP1) + b.sent(overHTTP2) }

// print writes the tables at the end, in Markdown.
func (b *book) print(out io.Writer, c config, took time.Duration) {
	fmt.Fprintf(out, "# Soak\n\n%s, %s, %s/%s, %d CPUs%s; %d connections, seed %d\n\n", time.Now().UTC().Format(time.DateOnly), runtime.Version(),
		runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), raceDetector(), c.connections, c.seed)
	row := func(what string, of func(p proto) int64) {
		one, two := of(overHTTP1), of(overHTTP2)
		fmt.Fprintf(out, "| %-36s | %10d | %10d | %10d |\n", what, one, two, one+two)
	}
	line := strings.Repeat("-", 11)
	fmt.Fprintf(out, "| %-36s | %10s | %10s | %10s |\n", "", "HTTP/1.1", "HTTP/2", "all")
	fmt.Fprintf(out, "|%s|%s:|%s:|%s:|\n", strings.Repeat("-", 38), line, line, line)
	row("**requests**", b.sent)
	for i, k := range allKinds {
		row(k.name, func(p proto) int64 { return b.requests[p][i].Load() })
	}
	for o, what := range []string{"**answered**", "**broken off by the handler**", "**given up by the client**", "**wrong**", "**without an answer**"} {
		row(what, func(p proto) int64 { return b.outcomes[p][o].Load() })
	}
	b.printRest(out, took)
}

func (b *book) printRest(out io.Writer, took time.Duration) {
	fmt.Fprintf(out, "\n| on purpose | all |\n|---|--:|\n")
	for f, what := range plannedNames {
		fmt.Fprintf(out, "| %s | %d |\n", what, b.faults[f].Load())
	}
	fmt.Fprintf(out, "\n| | all |\n|---|--:|\n| how long | %v |\n", took.Round(time.Second))
	for _, r := range []struct {
		what string
		n    *atomic.Int64
	}{
		{"routes added while serving", &b.newRoutes}, {"middlewares added while serving", &b.uses},
		{"apps, one after the other", &b.apps}, {"requests checked after their handlers", &b.kept},
		{"connections at once, at most", &b.connected}, {"goroutines at once, at most", &b.peak}, {"faults of all sorts", &b.faulty},
	} {
		fmt.Fprintf(out, "| %s | %d |\n", r.what, r.n.Load())
	}
	fmt.Fprintf(out, "| slowest request | %v, %s |\n", b.slowest.Round(time.Millisecond), b.which)
	fmt.Fprintf(out, "\n| | before | after | at most | requests meanwhile |\n|---|--:|--:|--:|--:|\n")
	for _, l := range b.levels {
		fmt.Fprintf(out, "| %s, %s | %d | %d | %d | %d |\n", l.what, l.unit, l.before, l.after, l.most, l.requests)
	}
}

func raceDetector() string {
	info, _ := debug.ReadBuildInfo()
	for _, s := range info.Settings {
		if s.Key == "-race" && s.Value == "true" {
			return ", race detector"
		}
	}
	return ""
}
