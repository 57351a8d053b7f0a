package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A run checks every answer, writes the data and the tables, and from the data
// the tables can be written again.
func TestRun(t *testing.T) {
	o := options{out: t.TempDir(), short: true}
	require.NoError(t, run(o))
	assert.FileExists(t, filepath.Join(o.out, "costs.json"))
	table := filepath.Join(o.out, "costs.md")
	before, err := os.ReadFile(table)
	require.NoError(t, err)
	for _, s := range sections {
		assert.Contains(t, string(before), "\n## "+s.title+"\n")
	}
	assert.Contains(t, string(before), "| segue, `DisallowUnknownFields` | 400 | 400 | 400 | 413 | 415 |")
	require.NoError(t, os.Remove(table))
	o.render = true
	require.NoError(t, run(o))
	after, err := os.ReadFile(table)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}

func TestBadInput(t *testing.T) {
	assert.ErrorContains(t, run(options{out: t.TempDir(), short: true, sections: "speed"}), `no section "speed"; there are middlewares`)
	assert.ErrorContains(t, run(options{out: t.TempDir(), render: true}), "measure first")
}

// A middleware that forgets a request is found.
func TestOneMore(t *testing.T) {
	n := 1
	check := oneMore(&n)
	assert.NoError(t, check())
	assert.ErrorContains(t, check(), "2 requests, 1 of them logged")
}
