// Costs times what segue adds to routing beside what one would use instead:
// the access log, hosts, misses, PathFor, files, and JSON in and out.
//
//	go run ./costs            measure, and write results/costs.{json,md}
//	go run ./costs -short     the same in seconds, to see that it works; keeps nothing
//	go run ./costs -render    the tables again, from results/costs.json, and those of results/caddy.json
//
// The alternatives of a table take turns in short rounds, and the least of each
// counts. Every answer is checked before it is timed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/segue-go/segue/benchmarks/costs/files"
	"github.com/segue-go/segue/benchmarks/costs/timing"
	"github.com/segue-go/segue/benchmarks/report"
)

type options struct {
	rounds   int
	length   time.Duration
	out      string
	sections string
	short    bool
	render   bool
}

// A Result is a run.
type Result struct {
	timing.Run
	Checks []check
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 120, "how often each case is timed")
	flag.DurationVar(&o.length, "length", 2*time.Millisecond, "how long a round takes at least")
	flag.StringVar(&o.out, "out", "results", "folder to write to")
	flag.StringVar(&o.sections, "sections", "", "what to measure, comma-separated: "+strings.Join(sectionNames(), ","))
	flag.BoolVar(&o.short, "short", false, "measure next to nothing; write to a temporary folder, unless -out is given")
	flag.BoolVar(&o.render, "render", false, "measure nothing; write the tables from the data in -out")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "costs:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	measured := func() (*Result, error) { return measure(o) }
	return report.Make(o.out, "costs", o.render, o.short, measured, func(r *Result, out string) error {
		return errors.Join(report.WritePage(out, "costs", r.markdown()), files.RenderCaddy(out))
	})
}

func measure(o options) (*Result, error) {
	if o.short {
		o.rounds, o.length = 1, 100*time.Microsecond
	}
	wanted := sectionNames()
	if o.sections != "" {
		wanted = strings.Split(o.sections, ",")
	}
	dir, err := os.MkdirTemp("", "segue-costs-files")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &Result{Run: timing.Run{Machine: report.ThisMachine(modules...), Rounds: o.rounds, Length: o.length.String()}}
	for _, name := range wanted {
		i := slices.IndexFunc(sections, func(s section) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no section %q; there are %s", name, strings.Join(sectionNames(), ", "))
		}
		cases, err := sections[i].cases(dir)
		if err != nil {
			return nil, err
		}
		cells, err := timing.Measure(cases, o.rounds, o.length)
		if err != nil {
			return nil, err
		}
		r.Cells = append(r.Cells, cells...)
		if name == "decode" {
			r.Checks = checks()
		}
	}
	r.Finish()
	return r, nil
}

var modules = []string{
	"github.com/go-chi/chi/v5", "github.com/gin-gonic/gin", "github.com/labstack/echo/v4",
	"github.com/labstack/echo/v5", "github.com/rs/cors",
}

// A section is a table of the results.
type section struct {
	name, title, note string
	cases             func(dir string) ([]timing.Case, error)
}

// in makes a section's cases of a function that cannot fail.
func in(cases func() []timing.Case) func(string) ([]timing.Case, error) {
	return func(string) ([]timing.Case, error) { return cases(), nil }
}

var sections = []section{
	{name: "middlewares", title: "AccessLog and Recover", cases: in(middlewareCases),
		note: "All stand in `Use` of the same router, around a handler that writes five bytes. The sink drops each record; the text goes to `io.Discard`."},
	{name: "hosts", title: "Hosts", cases: in(hostCases), note: "The handlers with a parameter read it by `segue.Param` or, in ServeMux, by `PathValue`, and write it."},
	{name: "misses", title: "Misses and answers without a handler", cases: in(missCases),
		note: "The middlewares only pass on. A preflight is answered by rs/cors: in `Use` of the group that has the route, around ServeMux, and in `Use` of chi's root. ServeMux and chi have no automatic OPTIONS."},
	{name: "paths", title: "PathFor", cases: in(pathCases), note: "Sprintf checks nothing and escapes nothing."},
	{name: files.Section, title: "Files", cases: func(dir string) ([]timing.Case, error) { return files.Cases(dir, files.Servers...) },
		note: "The file in memory and on disk has a time. The embedded one has none, so segue makes an ETag of its bytes, once. The .br has a quarter of the file's bytes, a ninth of the embedded one's. `http.FileServerFS` is not behind a router and sends the whole file whatever is accepted. Caddy's file server stands in [a table of its own](caddy.md)."},
	{name: "decode", title: "Reading JSON", cases: in(decodeCases), note: "They do not check the same, as the next table shows."},
	{name: "json", title: "Writing JSON", cases: in(answerCases)},
}

func sectionNames() []string {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	return names
}
