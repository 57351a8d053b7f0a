// Growth measures segue to the sizes where it bends, along six axes: routes,
// siblings of one node, depth, hosts, methods, and mounts.
//
//	go run ./growth                  measure, and write results/growth.{json,md} and the pictures
//	go run ./growth -axes hosts      one axis, to a temporary folder unless -out is given
//	go run ./growth -short           small sizes in seconds, to see that it works; the same
//	go run ./growth -render          the tables and pictures again, from results/growth.json
//
// At each size it takes the time to register, the time to compile, the heap that
// stays and the time of a lookup, and http.ServeMux's beside them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/segue-go/segue/benchmarks/report"
)

type options struct {
	rounds int
	length time.Duration
	limit  time.Duration
	axes   string
	out    string
	short  bool
	render bool
}

// memoryLimit makes the collector work harder before the garbage of the largest
// tables takes the program to 3 GB.
const memoryLimit = 5 << 29

func main() {
	debug.SetMemoryLimit(memoryLimit)
	var o options
	flag.IntVar(&o.rounds, "rounds", 60, "how often the lookups of each table are timed")
	flag.DurationVar(&o.length, "length", 2*time.Millisecond, "how long a round takes at least")
	flag.DurationVar(&o.limit, "limit", 20*time.Second, "how long the registration of one table may take")
	flag.StringVar(&o.axes, "axes", "", "what to measure, comma-separated: "+strings.Join(axisNames(), ","))
	flag.StringVar(&o.out, "out", "results", "folder to write to")
	flag.BoolVar(&o.short, "short", false, "measure small sizes only; write to a temporary folder, unless -out is given")
	flag.BoolVar(&o.render, "render", false, "measure nothing; write tables and pictures from the data in -out")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	measured := func() (*Result, error) { return measure(o) }
	return report.Make(o.out, "growth", o.render, o.short || o.axes != "", measured, func(r *Result, out string) error {
		return errors.Join(report.WritePage(out, "growth", r.markdown()), r.draw(out))
	})
}

func measure(o options) (*Result, error) {
	if o.short {
		o.rounds, o.length = 1, 100*time.Microsecond
	}
	wanted := axisNames()
	if o.axes != "" {
		wanted = strings.Split(o.axes, ",")
	}
	r := &Result{Machine: report.ThisMachine(), Rounds: o.rounds, Length: o.length.String(), Limit: o.limit.Seconds()}
	for _, name := range wanted {
		i := slices.IndexFunc(axes, func(a axis) bool { return a.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no axis %q; there are %s", name, strings.Join(axisNames(), ", "))
		}
		if err := r.measure(axes[i], o); err != nil {
			return nil, err
		}
	}
	r.Peak = peakMemory()
	r.Finish()
	return r, nil
}
