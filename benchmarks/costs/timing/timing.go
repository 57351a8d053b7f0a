// Package timing checks a set of handlers and calls and then times them in
// turns. It knows nothing of what it times.
package timing

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

// A Case is one thing to time.
type Case struct {
	Section, Column, Title string

	Call  func()
	Check func() error // called before anything is timed

	Lookups, FileCalls float64 // calls of the file system and of the opened files, where they were counted
}

// A Cell is the result of a case.
type Cell struct {
	Section, Column, Title string

	NS     float64 // a call, in the fastest round
	Median float64 // and in the median one, which tells how noisy the machine was
	Allocs float64 // a call
	Bytes  float64

	Lookups   float64 `json:",omitempty"`
	FileCalls float64 `json:",omitempty"`

	rounds []float64
	n      int // calls a round
	call   func()
}

// Measure checks all cases and then times them in rounds of at least this
// length, which take turns.
func Measure(cases []Case, rounds int, length time.Duration) ([]*Cell, error) {
	var cells []*Cell
	for _, c := range cases {
		for range 2 { // nothing must be remembered from the first time
			if err := c.Check(); err != nil {
				return nil, fmt.Errorf("%s, %s, %s: %w", c.Section, c.Column, c.Title, err)
			}
		}
		cell := &Cell{Section: c.Section, Column: c.Column, Title: c.Title, Lookups: c.Lookups, FileCalls: c.FileCalls, call: c.Call}
		cell.prepare(length)
		cells = append(cells, cell)
	}
	for range rounds {
		for _, c := range cells {
			c.rounds = append(c.rounds, c.round())
		}
	}
	for _, c := range cells {
		slices.Sort(c.rounds)
		c.NS, c.Median = c.rounds[0], c.rounds[len(c.rounds)/2]
	}
	return cells, nil
}

// prepare counts allocations and finds how many calls a round takes.
func (c *Cell) prepare(length time.Duration) {
	const calls = 500
	for range 20 { // so that what is made once is there
		c.call()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range calls {
		c.call()
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	c.Allocs = float64(after.Mallocs-before.Mallocs) / calls
	c.Bytes = float64(after.TotalAlloc-before.TotalAlloc) / calls
	c.n = max(1, int(length*calls/max(took, 1)))
}

func (c *Cell) round() float64 {
	start := time.Now()
	for range c.n {
		c.call()
	}
	return float64(time.Since(start)) / float64(c.n)
}
