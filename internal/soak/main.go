// Soak serves requests for as long as it is told, over hundreds of connections
// at once, with everything that can go wrong: handlers that panic, time out, hijack
// and hang up, clients that stall, reset and cancel, and routes that are added all
// the while. Every answer is compared with the one that its request must get, and at
// the end nothing may be left over.
//
//	go run ./internal/soak                          # two minutes
//	go run -race ./internal/soak -for 8h            # a night
//	go run ./internal/soak -out soak.md             # the tables into a file too
//
// It ends with a table of figures, and with status 1 if anything was wrong.
//
// What it does is in soak.go; what is served in app.go, handlers.go and
// server.go; what is asked in calls.go, by the clients in http1.go and http2.go;
// what comes back is compared in check.go; keep.go holds requests longer
// than their handlers run; grow.go adds routes; close.go shuts the server down;
// leaks.go looks for what is left; clock.go says how long is too long.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"time"
)

// A config is what a run is told.
type config struct {
	length      time.Duration
	connections int
	seed        uint64
	routes      int           // added to an app before a fresh one takes its place
	patience    time.Duration // how long the slowest answer may take
	every       time.Duration // between two lines of progress
	rehearsal   time.Duration // how long all is tried before
	lull        time.Duration // before memory is looked at
	results     string        // file to write the tables to, "" for none

	wrap func(app http.Handler) http.Handler // of the tests alone: does wrong on purpose
}

func main() {
	c, err := parse(os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop() // a second interrupt ends it at once
	context.AfterFunc(ctx, stop)
	if !run(ctx, c, os.Stdout) {
		os.Exit(1)
	}
}

// parse reads the flags. The error is one line, fit for whoever typed them.
func parse(args []string, help io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.DurationVar(&c.length, "for", 2*time.Minute, "how long to go on, such as 90s or 8h")
	flags.IntVar(&c.connections, "connections", 512, "how many connections at once, half of them HTTP/2")
	flags.Uint64Var(&c.seed, "seed", 1, "what the clients' choices start from")
	flags.IntVar(&c.routes, "routes", 1000, "how many routes are added to an app, at most, before a fresh one takes its place")
	flags.DurationVar(&c.patience, "patience", time.Minute, "how long an answer may take before it counts as none")
	flags.StringVar(&c.results, "out", "", "file to write the tables to, in Markdown")
	c.every, c.lull, c.rehearsal = 10*time.Second, 6*time.Second, 5*time.Second

	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(help)
		fmt.Fprintln(help, "soak [flags]: see whether segue survives load and faults")
		flags.PrintDefaults()
	}
	switch {
	case err != nil:
		return c, err
	case flags.NArg() > 0:
		return c, fmt.Errorf("there is an argument too much: %q (flags begin with -)", flags.Arg(0))
	case c.length < time.Second:
		return c, fmt.Errorf("-for %v is too short: at least 1s", c.length)
	case c.connections < 8 || c.connections > 8192:
		return c, fmt.Errorf("-connections %d: from 8 to 8192", c.connections)
	case c.routes < 8:
		return c, fmt.Errorf("-routes %d: at least 8", c.routes)
	case c.patience < time.Second:
		return c, fmt.Errorf("-patience %v is too short: at least 1s", c.patience)
	}
	return c, nil
}
