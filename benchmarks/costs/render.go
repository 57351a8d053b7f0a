package main

// This file writes the tables.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/segue-go/segue/benchmarks/costs/files"
	"github.com/segue-go/segue/benchmarks/costs/timing"
	"github.com/segue-go/segue/benchmarks/report"
)

func (r *Result) markdown() string {
	var text strings.Builder
	fmt.Fprintf(&text, "# Costs\n\n%s\n%s.\n\n", r.Machine, r.VersionList())
	fmt.Fprintf(&text, "Least of %d rounds of %s, which take turns; the median round took %.0f %% longer than the least.\n", r.Rounds, r.Length, 100*r.noise())
	text.WriteString("In brackets: how many times what the first row takes. Under the times stand allocations and, in brackets, bytes.\n")
	for _, s := range sections {
		if !slices.ContainsFunc(r.Cells, func(c *timing.Cell) bool { return c.Section == s.name }) {
			continue
		}
		fmt.Fprintf(&text, "\n## %s\n\n", s.title)
		if s.note != "" {
			fmt.Fprintf(&text, "%s\n\n", s.note)
		}
		r.tables(&text, s.name)
	}
	return text.String()
}

func (r *Result) tables(text *strings.Builder, section string) {
	text.WriteString(r.table(section, "ns", func(c, base *timing.Cell) string {
		if base == nil || c == base {
			return report.Number(c.NS)
		}
		return fmt.Sprintf("%s (%s)", report.Number(c.NS), report.Number(c.NS/base.NS))
	}))
	text.WriteString("\n" + r.table(section, "allocations", func(c, _ *timing.Cell) string {
		return fmt.Sprintf("%s (%s)", count(c.Allocs), count(c.Bytes))
	}))
	if section == files.Section {
		text.WriteString("\nCalls of the file system with a name (Open, Stat), and of the opened files (Stat, Read, Seek, Close), counted in memory:\n\n")
		text.WriteString(r.table(section, "calls", func(c, _ *timing.Cell) string {
			if c.Lookups == 0 {
				return ""
			}
			return fmt.Sprintf("%.0f + %.0f", c.Lookups, c.FileCalls)
		}))
	}
	if section == "decode" {
		text.WriteString("\n" + checkTable(r.Checks))
	}
}

// table has the rows and columns of a section in the order of measuring.
func (r *Result) table(section, unit string, write func(c, base *timing.Cell) string) string {
	var rows, columns []string
	cells := map[[2]string]*timing.Cell{}
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

// noise is by how much the median round is above the least, over all cells.
func (r *Result) noise() float64 {
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
