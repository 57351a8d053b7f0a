package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/segue-go/segue/benchmarks/report"
	"github.com/segue-go/segue/benchmarks/routers"
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

	NS     float64 // a request, in the fastest round
	Median float64 // and in the median one, which tells how noisy the machine was
	Allocs float64 // a request
	Bytes  float64
	Heap   float64 // bytes; the only figure of the section heap

	rounds []float64
	n      int // calls a round
	serve  func(n int)
}

// A section is a table of the results.
type section struct {
	name, title string
	heap        bool
	columns     func(sets []workload.Set) []column
}

type column struct {
	name string
	routers.Table
	cores int // 0 is one
}

var sections = []section{
	{name: "sets", title: "The four route sets, parameters not read", columns: func(sets []workload.Set) []column { return columns(sets, false) }},
	{name: "sets-read", title: "The four route sets, every parameter read", columns: func(sets []workload.Set) []column { return columns(sets, true) }},
	{name: "params", title: "One route of 1, 5 and 20 parameters, not read", columns: func([]workload.Set) []column { return columns(routers.Params(), false) }},
	{name: "params-read", title: "One route of 1, 5 and 20 parameters, every one read", columns: func([]workload.Set) []column { return columns(routers.Params(), true) }},
	{name: "sizes", title: "5, 1,000 and 10,000 routes", columns: func([]workload.Set) []column { return columns(routers.Sizes(), false) }},
	{name: "misses", title: "No route, and no route for the method (GitHub set)", columns: func(sets []workload.Set) []column { return columns(routers.Misses(sets[0]), false) }},
	{name: "middlewares", title: "One parameter behind 0, 4 and 16 middlewares that only pass on", columns: middlewareColumns},
	{name: "cores", title: "GitHub set, one core and all", columns: coreColumns},
	{name: "heap", title: "What a loaded table keeps on the heap", heap: true, columns: func(sets []workload.Set) []column {
		return columns(append([]workload.Set{sets[0]}, routers.Sizes()...), false)
	}},
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
			if s.heap {
				c.measureHeap(router, col.Set, o.rounds)
			} else if err := c.prepare(router, col, o.length); err != nil {
				return err
			}
			cells = append(cells, c)
		}
	}
	if !s.heap {
		takeTurns(cells, o)
	}
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
		c.NS, c.Median = c.rounds[0], c.rounds[len(c.rounds)/2]
	}
}

// measureHeap takes the least of a few, since what the runtime keeps for
// itself is counted in.
func (c *Cell) measureHeap(router routers.Router, s workload.Set, rounds int) {
	c.Heap = float64(router.Heap(s))
	for range min(rounds, 5) - 1 {
		c.Heap = min(c.Heap, float64(router.Heap(s)))
	}
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
	c.n = len(col.Calls)
	c.NS = c.round()
	// Whole passes over the calls, so that each round has the same ones.
	passes := max(1, int(float64(length)/c.NS/float64(len(col.Calls))))
	c.n = passes * len(col.Calls)
	return nil
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
