package timing

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each row is set against the first one of its column.
func TestTables(t *testing.T) {
	r := Run{Cells: []*Cell{
		{Section: "json", Column: "100 B", Title: "segue", NS: 50, Median: 75, Allocs: 4, Bytes: 240},
		{Section: "json", Column: "100 B", Title: "gin", NS: 100, Median: 150},
		{Section: "json", Column: "10 KB", Title: "gin", NS: 200, Median: 300},
	}}
	text := r.Tables("json")
	assert.Contains(t, text, "| ns | 100 B | 10 KB |\n| --- | --: | --: |\n| segue | 50.0 |  |\n| gin | 100 (2.00) | 200 |\n")
	assert.Contains(t, text, "| segue | 4 (240) |  |\n")
	assert.Contains(t, r.Head("Costs"), "; the median round took 50 % longer than the least.\n")
	assert.True(t, r.Has("json"))
	assert.False(t, r.Has("files"))
}
