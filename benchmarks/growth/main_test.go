package main

import (
	"math"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A run writes the data, the tables and the pictures, and from the data they can
// be written again.
func TestRun(t *testing.T) {
	o := options{out: t.TempDir(), short: true, limit: time.Minute}
	require.NoError(t, run(o))
	for _, a := range axes {
		assert.FileExists(t, filepath.Join(o.out, "growth-"+a.name+"-light.svg"))
		assert.FileExists(t, filepath.Join(o.out, "growth-"+a.name+"-dark.svg"))
	}
	table := filepath.Join(o.out, "growth.md")
	before, err := os.ReadFile(table)
	require.NoError(t, err)
	for _, a := range axes {
		assert.Contains(t, string(before), "## "+a.title+"\n\n"+a.shape)
	}
	require.NoError(t, os.Remove(table))
	o.render = true
	require.NoError(t, run(o))
	after, err := os.ReadFile(table)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}

func TestBadInput(t *testing.T) {
	assert.ErrorContains(t, run(options{out: t.TempDir(), axes: "width"}), `no axis "width"; there are routes`)
	assert.ErrorContains(t, run(options{out: t.TempDir(), render: true}), "measure first")
}

// A table that takes too long, or that is refused, has no figures, and neither
// have larger ones.
func TestStopped(t *testing.T) {
	for reason, register := range map[string]func(string){
		"given up after 1ns, at route 256 of 1,000": func(string) {},
		"refused: too much":                         func(string) { panic("too much\nand more") },
	} {
		who := contestant{"none", "none", func() table { return table{http.NewServeMux(), register, nil} }}
		a := axes[0]
		a.sizes, a.who = []int{1_000, 2_000}, []contestant{who}
		r := new(Result)
		require.NoError(t, r.measure(a, options{limit: 1}))
		assert.Equal(t, reason, r.Points[0].Stopped)
		assert.Equal(t, "not tried, since a smaller size was given up", r.Points[1].Stopped)
		assert.Empty(t, r.measured(a, who))
		assert.Contains(t, r.givenUp(a, who), "With 1,000 routes, none is "+reason)
		assert.Contains(t, r.table(a), "none: "+reason)
		assert.True(t, math.IsNaN(r.Points[0].figure(1)))
	}
}

// A wrong answer has no figure.
func TestCheckFindsWrongAnswers(t *testing.T) {
	a, n := axes[0], 10
	app := segueItself.begin()
	for i := range n - 1 {
		app.register(a.pattern(n, i))
	}
	app.register("GET /other")
	p := &Point{Axis: a.name, Who: "segue", Size: n, Routes: n, handler: app}
	requests := []request{a.request(n, 8), a.request(n, 9)}
	assert.ErrorContains(t, p.check(a, []int{8, 9}, requests), "not \"GET /s0/r0/t9/{id}\"")
	assert.NoError(t, p.check(a, []int{8}, requests[:1]))
}

// The words follow the figures.
func TestWords(t *testing.T) {
	var c curve
	for i, ns := range []float64{10, 30, 15, 40, 50} {
		c = append(c, &Point{Size: powers[i], Register: ns * 1e7, Spread: Lookup{NS: ns}, Fixed: Lookup{NS: 10}})
	}
	assert.Equal(t, "from 1,000 routes on", c.from(20, ofSpread, "routes"), "a size whose larger ones are below is none")
	assert.Equal(t, "at none of these sizes", c.from(50, ofSpread, "routes"))
	assert.Equal(t, "A lookup among all of them takes more than twice its least from 1,000 routes on. One request, again and again, takes 1.00 times as long at 10,000 as at 1: its steps stay the same.", c.atLookup("routes"))
	assert.Contains(t, c.atStart("routes"), "tenth of a second from 10 routes on, and more than a second at none")
	assert.Equal(t, "registering and compiling take more than a second from 10 routes on", curve{{Size: 1}, {Size: 10, Register: 2e9}}.atStart("routes"))
	c.largest().Fixed.NS = 20
	assert.Contains(t, c.atLookup("routes"), "takes 2.00 times as long at 10,000 as at 1.")
	assert.Equal(t, 10, c.at(99).Size)
	assert.Contains(t, c[:1].atLookup("routes"), "twice its least at none of these sizes. One request")
	assert.Contains(t, curve{{Size: 1, Register: 1e6}}.atStart("routes"), "take 1.00 ms with 1 of them")
	r := new(Result)
	for _, p := range []Point{{Size: 1, Heap: 1, Spread: Lookup{NS: 1}}, {Size: 10, Heap: 20, Spread: Lookup{NS: 30}}, {Size: 100, Heap: 7}} {
		mine, theirs := p, p
		mine.Axis, mine.Who, theirs.Axis, theirs.Who = "routes", "segue", "routes", "servemux"
		theirs.Heap, theirs.Spread.NS = 2*p.Heap, 3*p.Spread.NS
		if p.Size == 100 {
			theirs.Stopped = "given up"
		}
		r.Points = append(r.Points, &mine, &theirs)
	}
	assert.Equal(t, "At 10 routes `http.ServeMux` takes 3.00 times as long for a lookup among all, and 2.00 times the heap. With 100 routes, `http.ServeMux` is given up.", r.beside(axes[0], "routes"))
	assert.Equal(t, []string{"500 ns", "1.50 µs", "20.0 ms", "3.00 s"}, []string{duration(500), duration(1500), duration(2e7), duration(3e9)})
}
