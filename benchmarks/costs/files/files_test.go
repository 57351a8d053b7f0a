package files

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/benchmarks/costs/timing"
)

// Every server sends every file, and the calls were counted in memory alone.
func TestCases(t *testing.T) {
	cases, err := Cases(t.TempDir(), Servers...)
	require.NoError(t, err)
	require.Len(t, cases, 5*len(Servers))
	_, err = timing.Measure(cases, 1, time.Microsecond)
	require.NoError(t, err)
	for _, c := range cases {
		onDisk := c.Column == "1 KB, disk" || c.Column == "100 KB, disk"
		assert.Equal(t, onDisk, c.Lookups == 0, "%s, %s", c.Column, c.Title)
	}
}

func TestCounter(t *testing.T) {
	c := &counter{FS: fstest.MapFS{"a": {Data: []byte("text")}}}
	f, err := c.Open("a")
	require.NoError(t, err)
	_, err = f.Read(make([]byte, 2))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = c.Stat("none")
	require.Error(t, err)
	assert.Equal(t, []int{2, 2}, []int{c.lookups, c.calls})
}

// The page can be written again from the data, and is not written without.
func TestCaddyPage(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "caddy.md")
	require.NoError(t, RenderCaddy(dir))
	assert.NoFileExists(t, page)
	r := &timing.Run{Cells: []*timing.Cell{{Section: Section, Column: "memory", Title: "segue", NS: 50, Median: 75, Lookups: 3, FileCalls: 8}}}
	require.NoError(t, SaveCaddy(dir, r))
	before, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(before), "\n| calls | memory |\n| --- | --: |\n| segue | 3 + 8 |\n")
	require.NoError(t, os.Remove(page))
	require.NoError(t, RenderCaddy(dir))
	after, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}
