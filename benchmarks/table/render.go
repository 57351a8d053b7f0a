package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/segue-go/segue/benchmarks/chart"
	"github.com/segue-go/segue/benchmarks/report"
	"github.com/segue-go/segue/benchmarks/routers"
	"github.com/segue-go/segue/internal/pathlen"
)

// cell returns the cell of a router in a column, nil where it was not measured.
func (r *Result) cell(section, column, router string) *Cell {
	for _, c := range r.Cells {
		if c.Section == section && c.Column == column && c.Router == router {
			return c
		}
	}
	return nil
}

// columns are the names of a section's columns, in the order of measuring.
func (r *Result) columns(section string) []string {
	var names []string
	for _, c := range r.Cells {
		if c.Section == section && !slices.Contains(names, c.Column) {
			names = append(names, c.Column)
		}
	}
	return names
}

func (r *Result) markdown() string {
	var text strings.Builder
	fmt.Fprintf(&text, "# Routers\n\n%s\n%s.\n\n", r.Machine, r.VersionList())
	fmt.Fprintf(&text, "Least of %d rounds of %s, which take turns; the median round took %.0f %% longer than the least.\n", r.Rounds, r.Length, 100*r.noise())
	text.WriteString("In brackets: how many times what segue takes with nothing stored (`PathValues(false)`).\n")
	for _, s := range sections {
		columns := r.columns(s.name)
		if len(columns) == 0 {
			continue
		}
		fmt.Fprintf(&text, "\n## %s\n\n%s", s.title, s.table(r, s, columns))
		if s.name == "sets" || s.name == "sets-read" {
			fmt.Fprintf(&text, "\n%s", r.targets(s.name, columns))
		}
		if name, alt := picture(s.name); name != "" {
			fmt.Fprintf(&text, "\n%s", chart.Picture("", name, alt))
		}
	}
	return text.String()
}

// noise is by how much the median round is above the least, over all cells.
func (r *Result) noise() float64 {
	var all []float64
	for _, c := range r.Cells {
		if c.NS > 0 {
			all = append(all, c.Median/c.NS-1)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func (r *Result) timeTable(s section, columns []string) string {
	table := report.NewTable(slices.Concat([]string{"ns a request", "handler"}, columns, []string{"allocations", "bytes"})...)
	for _, router := range routers.All {
		line := []string{router.Title, router.Handler}
		var allocs, bytes float64
		for _, column := range columns {
			c := r.cell(s.name, column, router.Name)
			if c == nil {
				line = append(line, "")
				continue
			}
			line = append(line, c.text(r.cell(s.name, column, routers.NoValues.Name)))
			allocs, bytes = max(allocs, c.Allocs), max(bytes, c.Bytes)
		}
		table.Row(append(line, count(allocs), count(bytes))...)
	}
	note := "\nAllocations and bytes a request are those of the column that has most.\n"
	if strings.HasSuffix(s.name, "-read") {
		note += "The map reads none: it is the floor for the way to the handler.\n"
	}
	if s.name == "misses" {
		note += "bunrouter answers 404 to some paths that only other methods have, and has no figure there.\n"
	}
	return table.String() + note
}

func (c *Cell) text(base *Cell) string {
	if base == c {
		return "**" + report.Number(c.NS) + "**"
	}
	return fmt.Sprintf("%s (%s)", report.Number(c.NS), report.Number(c.NS/base.NS))
}

// count writes 0 for what is none, but 0.03 for a block that thirty requests
// share.
func count(x float64) string {
	if x < 0.005 {
		return "0"
	}
	return strings.TrimSuffix(report.Number(x), ".00")
}

// heapTable has the times before the first answer too, as tables of their own.
func (r *Result) heapTable(_ section, columns []string) string {
	of := func(first string, cell func(*Cell) string) string {
		table := report.NewTable(append([]string{first}, columns...)...)
		for _, router := range routers.All {
			line := []string{router.Title}
			for _, column := range columns {
				line = append(line, cell(r.cell("heap", column, router.Name)))
			}
			table.Row(line...)
		}
		return table.String()
	}
	return of("heap, by routes", func(c *Cell) string { return report.Bytes(c.Heap) }) +
		"\nAll routes have one handler. The map holds the paths that are asked for, and not the routes.\n" +
		"\n## Until all routes are registered\n\n" + of("ms, by routes", func(c *Cell) string { return report.Number(c.Register) }) +
		"\n## From there to the first answer\n\n" + of("ms, by routes", func(c *Cell) string { return report.Number(c.Compile) }) +
		"\nThe first request compiles segue's routes, and so does the first one after a change.\n"
}

func (r *Result) composeTable(s section, _ []string) string {
	table := report.NewTable("segue", "ms")
	for _, comp := range routers.Compositions {
		table.Row(comp.Title, report.Number(r.cell(s.name, "ms", comp.Title).NS/1e6))
	}
	return table.String()
}

// pathTable has a row for each kind of path.
func (r *Result) pathTable(s section, columns []string) string {
	table := report.NewTable(append([]string{"ns a " + strings.TrimSuffix(s.name, "s")}, columns...)...)
	for _, k := range pathlen.Kinds() {
		line := []string{k.Name}
		for _, column := range columns {
			text := ""
			if c := r.cell(s.name, column, k.Name); c != nil {
				text = report.Number(c.NS)
			}
			line = append(line, text)
		}
		if k.Unit+"s" == s.name {
			table.Row(line...)
		}
	}
	return table.String() + "\nA row that stays level is a straight line. An empty cell is a length that the kind does not have.\n"
}

// targets sets segue against the fastest peer and the floor.
func (r *Result) targets(section string, columns []string) string {
	table := report.NewTable(append([]string{"segue against"}, columns...)...)
	rows := [][]string{{"the fastest peer"}, {"nothing stored, times as fast as it"}, {"by default, times as fast as it"}, {"nothing stored, times the floor"}}
	for _, column := range columns {
		peer := r.fastestPeer(section, column)
		stored, nothing := r.cell(section, column, routers.Segue.Name), r.cell(section, column, routers.NoValues.Name)
		floor := r.cell(section, column, routers.Map.Name)
		rows[0] = append(rows[0], peer.Router+" "+report.Number(peer.NS))
		rows[1] = append(rows[1], report.Number(peer.NS/nothing.NS))
		rows[2] = append(rows[2], report.Number(peer.NS/stored.NS))
		rows[3] = append(rows[3], report.Number(nothing.NS/floor.NS))
	}
	for _, row := range rows {
		table.Row(row...)
	}
	return table.String()
}

func (r *Result) fastestPeer(section, column string) *Cell {
	var fastest *Cell
	for _, router := range routers.All {
		c := r.cell(section, column, router.Name)
		if c != nil && !router.IsSegue() && !router.Floor && (fastest == nil || c.NS < fastest.NS) {
			fastest = c
		}
	}
	return fastest
}

// picture is the one that belongs to a section.
func picture(section string) (name, alt string) {
	switch section {
	case "sets":
		return "routers-time", "Time a request in nanoseconds, by router and route set"
	case "heap":
		return "routers-heap", "Heap of a table of 1,000 routes in KB, by router"
	}
	return "", ""
}

// draw makes the pictures of what was measured.
func (r *Result) draw(dir string) error {
	if columns := r.columns("sets"); len(columns) > 0 {
		if err := r.drawTimes(dir, columns); err != nil {
			return err
		}
	}
	if len(r.columns("heap")) > 0 {
		return r.drawHeap(dir)
	}
	return nil
}

func (r *Result) drawTimes(dir string, columns []string) error {
	var series []chart.Series
	for _, column := range columns {
		s := chart.Series{Name: column}
		for _, router := range routers.All {
			s.Values = append(s.Values, r.cell("sets", column, router.Name).NS)
		}
		series = append(series, s)
	}
	return chart.Dots(dir, "routers-time", "Time a request, by router and route set", "ns a request (logarithmic; less is better)", names(), series)
}

func (r *Result) drawHeap(dir string) error {
	var labels []string
	var values []float64
	for i, router := range routers.All {
		if !router.Floor {
			labels = append(labels, names()[i])
			values = append(values, r.cell("heap", "1000", router.Name).Heap/1024)
		}
	}
	return chart.Bars(dir, "routers-heap", "Heap of a table of 1,000 routes", "KB (less is better)", labels, values)
}

// names are the titles of the rows as plain text.
func names() []string {
	var out []string
	for _, router := range routers.All {
		title := strings.ReplaceAll(router.Title, "`", "")
		if router.Floor {
			title = "map of whole paths"
		}
		out = append(out, title)
	}
	return out
}
