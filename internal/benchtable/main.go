// Benchtable prints the tables of docs/measured.md: segue against http.ServeMux and a
// map, on the route sets, by the number of routes, and what a table costs.
//
//	go run ./internal/benchtable
//
// All rows are timed in one process, in many short rounds that take turns. The
// fastest round of each counts. So other work on the machine affects every row alike.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/segue-go/segue/internal/workload"
)

func main() {
	rounds := flag.Int("rounds", 40, "how often each row is timed")
	length := flag.Duration("length", 20*time.Millisecond, "how long a round of a row takes")
	sets := flag.String("sets", strings.Join(workload.Files, ","), "route sets, of testdata/routes")
	flag.Parse()
	if err := print(strings.Split(*sets, ","), *rounds, *length); err != nil {
		fmt.Fprintln(os.Stderr, "benchtable:", err)
		os.Exit(1)
	}
}

func print(names []string, rounds int, length time.Duration) error {
	fmt.Printf("%s, %s/%s, %d CPUs; the least of %d rounds of %v\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), rounds, length)
	var sets []workload.Set
	for _, name := range names {
		s, err := workload.Load(os.DirFS("testdata/routes"), name)
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%w (run it in the repository's root)", err)
		}
		if err != nil {
			return err
		}
		sets = append(sets, s)
	}
	if err := printTimes("ns a request", sets, rounds, length); err != nil {
		return err
	}
	var sizes []workload.Set
	for _, n := range []int{5, 1_000, 10_000} {
		s := workload.Resources(n)
		s.Name += " routes"
		sizes = append(sizes, s)
	}
	if err := printTimes("ns a request", sizes, rounds, length); err != nil {
		return err
	}
	printCosts()
	return nil
}

// A cell is a row of a table on one set.
type cell struct {
	row    workload.Row
	run    *workload.Run
	n      int     // calls a round
	ns     float64 // a call, in the fastest round
	allocs float64
	bytes  float64
}

// printTimes prints a table with a column for each set, and beside each time
// how many times as fast as ServeMux with the same reads that is.
func printTimes(title string, sets []workload.Set, rounds int, length time.Duration) error {
	table, err := prepare(sets, length)
	if err != nil {
		return err
	}
	for range rounds {
		for _, cells := range table {
			for _, c := range cells {
				c.ns = min(c.ns, c.round(c.n))
			}
		}
	}
	header := []string{title}
	for _, s := range sets {
		header = append(header, s.Name)
	}
	printRow(append(header, "allocations", "bytes")...)
	printRow(slices.Repeat([]string{"---"}, len(sets)+3)...)
	for i, row := range workload.Rows {
		printRow(line(table, i, row)...)
	}
	fmt.Println()
	return nil
}

// prepare returns the cells by set and row, and how many calls of each fill a
// round.
func prepare(sets []workload.Set, length time.Duration) ([][]*cell, error) {
	table := make([][]*cell, len(sets))
	for i, s := range sets {
		for _, row := range workload.Rows {
			run, err := row.Prepare(s)
			if err != nil {
				return nil, err
			}
			c := &cell{row: row, run: run}
			c.allocs, c.bytes = run.Allocations(100)
			c.ns = c.round(10_000)
			c.n = int(float64(length) / c.ns)
			table[i] = append(table[i], c)
		}
	}
	return table, nil
}

func (c *cell) round(n int) float64 {
	start := time.Now()
	c.run.Serve(n)
	return float64(time.Since(start)) / float64(n)
}

// line is a row's cells over all sets. Allocations and bytes are the largest.
func line(table [][]*cell, i int, row workload.Row) []string {
	out := []string{title(row)}
	var allocs, bytes float64
	for _, cells := range table {
		c := cells[i]
		out = append(out, fmt.Sprintf("%.1f%s", c.ns, ratios(cells, c)))
		allocs, bytes = max(allocs, c.allocs), max(bytes, c.bytes)
	}
	return append(out, fmt.Sprintf("%.2f", allocs), fmt.Sprintf("%.0f", bytes))
}

// ratios compares a cell of segue with ServeMux that reads as much, and one
// that reads nothing with the map.
func ratios(cells []*cell, c *cell) string {
	if !strings.HasPrefix(c.row.Router, "segue") {
		return ""
	}
	mux := workload.ServeMuxRead
	if c.row.Read == "nothing" {
		mux = workload.ServeMux
	}
	text := fmt.Sprintf("%.1f×", find(cells, mux).ns/c.ns)
	if c.row.Read == "nothing" {
		text += fmt.Sprintf(", map %.2f", c.ns/find(cells, workload.Map).ns)
	}
	return " (" + text + ")"
}

func find(cells []*cell, row workload.Row) *cell {
	i := slices.IndexFunc(cells, func(c *cell) bool { return c.row.Router == row.Router && c.row.Read == row.Read })
	return cells[i]
}

func title(row workload.Row) string {
	router := map[string]string{
		"segue":          "segue",
		"segue-novalues": "segue, `PathValues(false)`",
		"servemux":       "`http.ServeMux`",
		"map":            "map by method and whole path",
	}[row.Router]
	return router + map[string]string{
		"pathvalue": ", `PathValue` read",
		"param":     ", `Param` read",
		"nothing":   ", nothing read",
	}[row.Read]
}

// printCosts prints what a table of routes takes in memory, and how long it
// takes to register and to compile.
func printCosts() {
	printRow("routes", "heap", "register", "compile", "ServeMux: heap", "register")
	printRow(slices.Repeat([]string{"---"}, 6)...)
	for _, s := range []struct {
		name string
		workload.Set
		overlap bool // ServeMux refuses it
	}{
		{"1,000 `/api/v1/resource17/{id}`", workload.Resources(1_000), false},
		{"10,000 of them", workload.Resources(10_000), false},
		{"10,000 `/page{i}/edit` and 10,000 `/{user}/act{i}`", workload.Clash(10_000), false},
		{"24 of 24 segments, a literal in another place in each", workload.Ladder(24), true},
		{"300 of 24 segments, two literals or all but one", workload.HardLadder(24), true},
	} {
		c := leastCost(s.Set, workload.Segue)
		cells := []string{s.name, megabytes(c.Heap), millis(c.Register), millis(c.Compile), "refused", ""}
		if !s.overlap {
			c = leastCost(s.Set, workload.ServeMux)
			cells[4], cells[5] = megabytes(c.Heap), millis(c.Register)
		}
		printRow(cells...)
	}
}

func megabytes(n int64) string { return fmt.Sprintf("%.2f MB", float64(n)/(1<<20)) }

func leastCost(s workload.Set, row workload.Row) workload.Cost {
	least, _ := row.Measure(s)
	for range 4 {
		c, _ := row.Measure(s)
		least.Heap = min(least.Heap, c.Heap)
		least.Register, least.Compile = min(least.Register, c.Register), min(least.Compile, c.Compile)
	}
	return least
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func printRow(cells ...string) { fmt.Println("| " + strings.Join(cells, " | ") + " |") }
