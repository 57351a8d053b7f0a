package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/benchmarks/report"
	"github.com/segue-go/segue/benchmarks/routers"
)

// A run writes the data, the tables and the pictures, and from the data they
// can be written again.
func TestRun(t *testing.T) {
	o := options{routes: "../../testdata/routes", out: t.TempDir(), short: true, sections: "sets,misses,cores,heap,segments"}
	require.NoError(t, run(o))
	for _, name := range []string{"routers.json", "routers-time-light.svg", "routers-time-dark.svg", "routers-heap-light.svg"} {
		assert.FileExists(t, filepath.Join(o.out, name))
	}
	table := filepath.Join(o.out, "routers.md")
	before, err := os.ReadFile(table)
	require.NoError(t, err)
	assert.Contains(t, string(before), "| echo v5 | own |")
	assert.Regexp(t, `\| final slash \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \|`, string(before))
	require.NoError(t, os.Remove(table))
	o.render = true
	require.NoError(t, run(o))
	after, err := os.ReadFile(table)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}

func TestBadInput(t *testing.T) {
	o := options{routes: "no/such/folder", out: t.TempDir(), short: true}
	assert.ErrorContains(t, run(o), "say -routes")
	o = options{routes: "../../testdata/routes", out: t.TempDir(), short: true, sections: "speed"}
	assert.ErrorContains(t, run(o), `no section "speed"; there are sets`)
	o = options{out: t.TempDir(), render: true}
	assert.ErrorContains(t, run(o), "measure first")
}

// The ratios are what they say.
func TestTargets(t *testing.T) {
	r := Result{}
	for router, ns := range map[string]float64{"segue": 50, "segue-novalues": 25, "map": 20, "chi": 400, "bunrouter": 75} {
		r.Cells = append(r.Cells, &Cell{Section: "sets", Column: "github", Router: router, NS: ns, Median: ns * 1.5})
	}
	want := report.NewTable("segue against", "github")
	want.Row("the fastest peer", "bunrouter 75.0")
	want.Row("nothing stored, times as fast as it", "3.00")
	want.Row("by default, times as fast as it", "1.50")
	want.Row("nothing stored, times the floor", "1.25")
	assert.Equal(t, want.String(), r.targets("sets", []string{"github"}))
	assert.InDelta(t, 0.5, r.noise(), 1e-9)
	assert.Equal(t, "75.0 (3.00)", r.cell("sets", "github", "bunrouter").text(r.cell("sets", "github", routers.NoValues.Name)))
}
