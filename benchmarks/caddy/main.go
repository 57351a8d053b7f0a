// Caddy times Caddy's file server beside segue's Static and the standard
// library's, in turns, as the program in costs times those two without it. It
// is a module of its own, so that nothing else compiles Caddy.
//
//	go run -C caddy .           measure, and write results/caddy.{json,md}
//	go run -C caddy . -short    the same in seconds, to see that it works; keeps nothing
//	go run ./costs -render      the tables again, from results/caddy.json
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/segue-go/segue/benchmarks/costs/files"
	"github.com/segue-go/segue/benchmarks/costs/timing"
	"github.com/segue-go/segue/benchmarks/report"
)

func main() {
	rounds := flag.Int("rounds", 120, "how often each case is timed")
	length := flag.Duration("length", 2*time.Millisecond, "how long a round takes at least")
	out := flag.String("out", "../results", "folder to write to")
	short := flag.Bool("short", false, "measure next to nothing, and keep nothing")
	flag.Parse()
	if *short {
		*rounds, *length = 1, 100*time.Microsecond
	}
	if err := run(*rounds, *length, *out, *short); err != nil {
		fmt.Fprintln(os.Stderr, "caddy:", err)
		os.Exit(1)
	}
}

func run(rounds int, length time.Duration, out string, short bool) error {
	dir, err := os.MkdirTemp("", "segue-caddy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if short {
		out = dir
	}
	cases, err := files.Cases(dir, slices.Concat(files.Servers, servers)...)
	if err != nil {
		return err
	}
	r := &timing.Run{Machine: report.ThisMachine("github.com/caddyserver/caddy/v2"), Rounds: rounds, Length: length.String()}
	if r.Cells, err = timing.Measure(cases, rounds, length); err != nil {
		return err
	}
	r.Finish()
	fmt.Println(r.Tables(files.Section))
	return files.SaveCaddy(out, r)
}
