package timing

// This file writes the tables of a run.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/segue-go/segue/benchmarks/report"
)

// A Run is what a program measured, and where.
type Run struct {
	report.Machine
	Rounds int
	Length string
	Cells  []*Cell
}

// Head returns what stands above the tables: the machine, the versions of what
// was compared, and how it was measured.
func (r *Run) Head(title string) string {
	return fmt.Sprintf("# %s\n\n%s\n%s.\n\n", title, r.Machine, r.VersionList()) +
		fmt.Sprintf("Least of %d rounds of %s, which take turns; the median round took %.0f %% longer than the least.\n", r.Rounds, r.Length, 100*r.Noise()) +
		"In brackets: how many times what the first row takes. Under the times stand allocations and, in brackets, bytes.\n"
}

// Has reports whether the section was measured.
func (r *Run) Has(section string) bool {
	return slices.ContainsFunc(r.Cells, func(c *Cell) bool { return c.Section == section })
}

// Tables returns the times and the allocations of a section.
func (r *Run) Tables(section string) string {
	times := r.Table(section, "ns", func(c, base *Cell) string {
		if base == nil || c == base {
			return report.Number(c.NS)
		}
		return fmt.Sprintf("%s (%s)", report.Number(c.NS), report.Number(c.NS/base.NS))
	})
	allocations := r.Table(section, "allocations", func(c, _ *Cell) string {
		return fmt.Sprintf("%s (%s)", count(c.Allocs), count(c.Bytes))
	})
	return times + "\n" + allocations
}

// Table has the rows and columns of a section in the order of measuring. write
// is given each cell and the one of the first row in its column.
func (r *Run) Table(section, unit string, write func(c, base *Cell) string) string {
	var rows, columns []string
	cells := map[[2]string]*Cell{}
	for _, c := range r.Cells {
		if c.Section != section {
			continue
		}
		if !slices.Contains(rows, c.Title) {
			rows = append(rows, c.Title)
		}
		if !slices.Contains(columns, c.Column) {
			columns = append(columns, c.Column)
		}
		cells[[2]string{c.Title, c.Column}] = c
	}
	table := report.NewTable(append([]string{unit}, columns...)...)
	for _, row := range rows {
		line := []string{row}
		for _, column := range columns {
			text := ""
			if c := cells[[2]string{row, column}]; c != nil {
				text = write(c, cells[[2]string{rows[0], column}])
			}
			line = append(line, text)
		}
		table.Row(line...)
	}
	return table.String()
}

// Noise is by how much the median round is above the least, over all cells.
func (r *Run) Noise() float64 {
	var all []float64
	for _, c := range r.Cells {
		all = append(all, c.Median/c.NS-1)
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// count writes 0 for what is none, but 0.03 for a block that thirty requests
// share.
func count(x float64) string {
	if x < 0.005 {
		return "0"
	}
	return strings.TrimSuffix(report.Number(x), ".00")
}
