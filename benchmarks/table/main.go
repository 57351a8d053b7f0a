// Table times every router on every route set and writes the tables and
// pictures of the results.
//
//	go run ./table                  measure, and write results/routers.{json,md} and the pictures
//	go run ./table -short           the same in seconds, to see that it works; writes to a folder of its own
//	go run ./table -render          the tables and pictures again, from results/routers.json
//
// The texts that quote the tables take their figures from them by `go run ./figures`.
// All routers are timed in one process, in short rounds that take turns, and
// the least of each counts: what else the machine does hits every router alike.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/segue-go/segue/benchmarks/report"
	"github.com/segue-go/segue/benchmarks/routers"
)

type options struct {
	rounds   int
	length   time.Duration
	routes   string
	out      string
	sections string
	short    bool
	render   bool
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 150, "how often each router is timed")
	flag.DurationVar(&o.length, "length", 2*time.Millisecond, "how long a round of a router takes at least")
	flag.StringVar(&o.routes, "routes", "../testdata/routes", "folder of the route sets")
	flag.StringVar(&o.out, "out", "results", "folder to write to")
	flag.StringVar(&o.sections, "sections", "", "what to measure, comma-separated: "+strings.Join(sectionNames(), ","))
	flag.BoolVar(&o.short, "short", false, "measure next to nothing; write to a temporary folder, unless -out is given")
	flag.BoolVar(&o.render, "render", false, "measure nothing; write tables and pictures from the data in -out")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	measured := func() (*Result, error) { return measure(o) }
	return report.Make(o.out, "routers", o.render, o.short, measured, func(r *Result, out string) error {
		return errors.Join(report.WritePage(out, "routers", r.markdown()), r.draw(out))
	})
}

func measure(o options) (*Result, error) {
	if o.short {
		o.rounds, o.length = 1, time.Millisecond
	}
	sets, err := routers.Sets(os.DirFS(o.routes))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w (run it in the folder benchmarks, or say -routes)", err)
	}
	if err != nil {
		return nil, err
	}
	wanted := sectionNames()
	if o.sections != "" {
		wanted = strings.Split(o.sections, ",")
	}
	r := &Result{Machine: report.ThisMachine(routers.Modules...), Rounds: o.rounds, Length: o.length.String()}
	for _, name := range wanted {
		i := slices.IndexFunc(sections, func(s section) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no section %q; there are %s", name, strings.Join(sectionNames(), ", "))
		}
		if err := sections[i].measure(r, sections[i], sets, o); err != nil {
			return nil, err
		}
	}
	r.Finish()
	return r, nil
}
