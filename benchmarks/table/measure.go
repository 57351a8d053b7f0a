package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/segue-go/segue/benchmarks/report"
	"github.com/segue-go/segue/benchmarks/routers"
	"github.com/segue-go/segue/internal/pathlen"
	"github.com/segue-go/segue/internal/workload"
)

// A Result is a run.
type Result struct {
	report.Machine
	Rounds int
	Length string
	Cells  []*Cell
}

// A Cell is a router on one table of routes.
type Cell struct {
	Section, Column, Router string

	NS     float64 // a request, or a segment or byte of its path, in the fastest round
	Median float64 // and in the median one, which tells how noisy the machine was
	Allocs float64 // a request
	Bytes  float64

	Heap, Register, Compile float64 `json:",omitzero"` // bytes, and milliseconds; the figures of the section heap

	rounds []float64
	n      int // calls a round
	per    int // segments or bytes of a call's path, if NS is for one of them
	serve  func(n int)
}

// A section is a table of the results.
type section struct {
	name, title string
	columns     func(sets []workload.Set) []column // of those that all routers are measured on
	measure     func(r *Result, s section, sets []workload.Set, o options) error
	table       func(r *Result, s section, columns []string) string
}

type column struct {
	name string
	routers.Table
	cores int // 0 is one
}

// times is a section whose columns are timed on every router.
func times(name, title string, columns func(sets []workload.Set) []column) section {
	return section{name, title, columns, (*Result).measure, (*Result).timeTable}
}

// fixed is a section with the same columns whatever the route sets are.
func fixed(sets func() []workload.Set, reads bool) func([]workload.Set) []column {
	return func([]workload.Set) []column { return columns(sets(), reads) }
}

var sections = []section{
	times("sets", "The four route sets, parameters not read", func(sets []workload.Set) []column { return columns(sets, false) }),
	times("sets-read", "The four route sets, every parameter read", func(sets []workload.Set) []column { return columns(sets, true) }),
	times("params", "One route of 1, 5 and 20 parameters, not read", fixed(routers.Params, false)),
	times("params-read", "One route of 1, 5 and 20 parameters, every one read", fixed(routers.Params, true)),
	times("sizes", "5, 1,000 and 10,000 routes", fixed(routers.Sizes, false)),
	times("lengths", "One route of 10, 100 and 1,000 literals", fixed(routers.Lengths, false)),
	times("misses", "No route, and no route for the method (GitHub set)", func(sets []workload.Set) []column { return columns(routers.Misses(sets[0]), false) }),
	times("middlewares", "One parameter behind 0, 4 and 16 middlewares that only pass on", middlewareColumns),
	times("cores", "GitHub set, one core and all", coreColumns),
	{"heap", "What a loaded table keeps on the heap", func(sets []workload.Set) []column {
		return columns(append([]workload.Set{sets[0]}, routers.Sizes()...), false)
	}, (*Result).measureLoads, (*Result).heapTable},
	{"compose", "Routers in routers, before the first answer", nil, (*Result).measureCompositions, (*Result).composeTable},
	{"segments", "The length of a path, in segments", nil, (*Result).measurePaths, (*Result).pathTable},
	{"bytes", "The length of a path, in bytes of one segment", nil, (*Result).measurePaths, (*Result).pathTable},
}

func sectionNames() []string {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	return names
}

func columns(sets []workload.Set, reads bool) []column {
	var out []column
	for _, s := range sets {
		out = append(out, column{name: s.Name, Table: routers.Table{Set: s, Reads: reads}})
	}
	return out
}

func middlewareColumns([]workload.Set) []column {
	var out []column
	for _, n := range []int{0, 4, 16} {
		t := routers.Table{Set: routers.Params()[0], Middlewares: n}
		out = append(out, column{name: fmt.Sprintf("%d middlewares", n), Table: t})
	}
	return out
}

func coreColumns(sets []workload.Set) []column {
	t := routers.Table{Set: sets[0]}
	return []column{{name: "one core", Table: t, cores: 1}, {name: fmt.Sprintf("%d cores", runtime.NumCPU()), Table: t, cores: runtime.NumCPU()}}
}

// measure adds a section's cells. All are made and checked first; then they
// are timed in turns.
func (r *Result) measure(s section, sets []workload.Set, o options) error {
	var cells []*Cell
	for _, col := range s.columns(sets) {
		for _, router := range routers.All {
			if !router.Answers(col.Set) {
				continue
			}
			c := &Cell{Section: s.name, Column: col.name, Router: router.Name}
			if err := c.prepare(router, col, o.length); err != nil {
				return err
			}
			cells = append(cells, c)
		}
	}
	takeTurns(cells, o)
	r.Cells = append(r.Cells, cells...)
	return nil
}

// takeTurns times all cells in turns. A router that takes much longer than a round
// (one that tries route after route) gets fewer of them.
func takeTurns(cells []*Cell, o options) {
	for round := range o.rounds {
		for _, c := range cells {
			if c.NS*float64(c.n) > 10*float64(o.length) && round%8 != 0 {
				continue
			}
			c.rounds = append(c.rounds, c.round())
		}
	}
	for _, c := range cells {
		slices.Sort(c.rounds)
		per := float64(max(c.per, 1))
		c.NS, c.Median = c.rounds[0]/per, c.rounds[len(c.rounds)/2]/per
	}
}

// measureLoads takes the least of a few, since what the runtime keeps for
// itself is counted in.
func (r *Result) measureLoads(s section, sets []workload.Set, o options) error {
	for _, col := range s.columns(sets) {
		for _, router := range routers.All {
			least := router.Load(col.Set)
			for range min(o.rounds, 5) - 1 {
				c := router.Load(col.Set)
				least = workload.Cost{Heap: min(least.Heap, c.Heap), Register: min(least.Register, c.Register), Compile: min(least.Compile, c.Compile)}
			}
			r.Cells = append(r.Cells, &Cell{Section: s.name, Column: col.name, Router: router.Name,
				Heap: float64(least.Heap), Register: float64(least.Register) / 1e6, Compile: float64(least.Compile) / 1e6})
		}
	}
	return nil
}

// measureCompositions times each composition by itself: they take long.
func (r *Result) measureCompositions(s section, _ []workload.Set, o options) error {
	for _, comp := range routers.Compositions {
		c := &Cell{Section: s.name, Column: "ms", Router: comp.Title, n: 1, serve: func(int) { comp.Make() }}
		takeTurns([]*Cell{c}, options{rounds: min(o.rounds, 3), length: time.Hour})
		r.Cells = append(r.Cells, c)
	}
	return nil
}

// measurePaths times segue alone, by kind of path and its length, one kind after
// the other, since long routes take much memory.
func (r *Result) measurePaths(s section, _ []workload.Set, o options) error {
	for _, k := range pathlen.Kinds() {
		if k.Unit+"s" != s.name {
			continue
		}
		most := k.Most
		if o.short {
			most = min(most, 1_000)
		}
		var lengths []int
		for n := 10; n <= most; n *= 10 {
			if n >= k.Open {
				lengths = append(lengths, n)
			}
		}
		if lengths[len(lengths)-1] < most {
			lengths = append(lengths, most)
		}
		var cells []*Cell
		for _, n := range lengths { // each by itself: what lies beside the alternatives is made for the longest
			rt := k.Router([]int{n})
			request, w := k.Request(n), pathlen.NewWriter()
			c := &Cell{Section: s.name, Column: report.Number(float64(n)), Router: k.Name, per: n, serve: func(times int) {
				for range times {
					k.Serve(rt, request, w)
				}
			}}
			if !k.Serve(rt, request, w) {
				return fmt.Errorf("%s: %d was not answered by %d", k.Name, n, k.Status())
			}
			c.calibrate(1, o.length)
			cells = append(cells, c)
		}
		takeTurns(cells, o)
		r.Cells = append(r.Cells, cells...)
	}
	return nil
}

func (c *Cell) prepare(router routers.Router, col column, length time.Duration) error {
	run, err := router.Prepare(col.Table)
	if err != nil {
		return err
	}
	c.serve = run.Serve
	if col.cores > 1 {
		c.serve = onCores(run, col)
	}
	c.Allocs, c.Bytes = run.Allocations(20)
	c.calibrate(len(col.Calls), length)
	return nil
}

// calibrate sets how many calls a round has: whole passes over all of them, so
// that each round has the same ones.
func (c *Cell) calibrate(calls int, length time.Duration) {
	c.n = calls
	c.NS = c.round()
	c.n = calls * max(1, int(float64(length)/c.NS/float64(calls)))
}

// onCores serves n calls on each core; each has requests of its own, as in a
// server.
func onCores(run *workload.Run, col column) func(n int) {
	var forks []*workload.Run
	for range col.cores {
		forks = append(forks, run.Fork(col.Set))
	}
	return func(n int) {
		var all sync.WaitGroup
		for _, fork := range forks {
			all.Go(func() { fork.Serve(n / col.cores) })
		}
		all.Wait()
	}
}

func (c *Cell) round() float64 {
	start := time.Now()
	c.serve(c.n)
	return float64(time.Since(start)) / float64(c.n)
}
