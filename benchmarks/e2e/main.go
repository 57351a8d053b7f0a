// E2e starts each server as a process of its own, checks its answers, drives it
// with wrk and writes the tables and pictures of the results.
//
//	go run ./e2e                              everything; forty minutes
//	go run ./e2e -scenario hello,close        only these
//	go run ./e2e -kind profile                only where the time goes
//	go run ./e2e -short                       everything for a moment, to see that it works; keeps nothing
//	go run ./e2e -render                      tables and pictures again, from the data of earlier runs
//
// It needs Linux, wrk, taskset, a C compiler, Node and, for Express, `npm ci` in
// e2e/servers/node. If the environment's PLUSWEB names a folder with the source
// of PlusWeb, that server is built and measured too, which needs a C++ compiler.
// Nothing but the loopback device is used.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

type options struct {
	kinds     string
	scenarios string
	servers   string
	rounds    int
	pairs     int
	duration  time.Duration
	warmup    time.Duration
	sampling  time.Duration
	port      int

	disturbance float64 // cores that others may have during a sample
	node        string
	out         string
	short       bool
	render      bool

	client      string // what follows is for the process that e2e starts as a client
	clientTime  time.Duration
	clientConns int
}

// kinds are the kinds of measurement: throughput and latency under load, the
// processor time a request beside bare net/http, and the profile.
var kinds = []string{"load", "paired", "profile"}

func flags() options {
	var o options
	flag.StringVar(&o.kinds, "kind", strings.Join(kinds, ","), "what to measure")
	flag.StringVar(&o.scenarios, "scenario", "", "scenarios, comma-separated; all of them are "+strings.Join(scenarioNames(), ","))
	flag.StringVar(&o.servers, "server", "", "servers, comma-separated; all of them are "+strings.Join(serverNames(), ","))
	flag.IntVar(&o.rounds, "rounds", 5, "how often each server is measured under load")
	flag.IntVar(&o.pairs, "pairs", 21, "how many rounds of bursts the servers on net/http are compared by, for processor time a request")
	flag.DurationVar(&o.duration, "duration", 2*time.Second, "how long wrk runs, in whole seconds")
	flag.DurationVar(&o.warmup, "warmup", time.Second, "how long it runs before that")
	flag.DurationVar(&o.sampling, "sampling", 30*time.Second, "how long a profile is taken")
	flag.Float64Var(&o.disturbance, "disturbance", 0.1, "a sample is taken again, up to five times, if other processes had more cores than this")
	flag.IntVar(&o.port, "port", 18080, "port of the servers; the next ones are used too")
	flag.StringVar(&o.node, "node", "node", "the Node to run")
	flag.StringVar(&o.out, "out", "results", "folder to write to")
	flag.BoolVar(&o.short, "short", false, "one round of a second, no warm-up, few scenarios; write to a temporary folder, unless -out is given")
	flag.BoolVar(&o.render, "render", false, "measure nothing; write tables and pictures from the data in -out")
	flag.StringVar(&o.client, "client", "", "internal: be the client of this URL")
	flag.DurationVar(&o.clientTime, "client-duration", 10*time.Second, "internal: for how long")
	flag.IntVar(&o.clientConns, "client-connections", 512, "internal: with how many connections")
	flag.Parse()
	return o
}

func main() {
	// The servers die with the thread that started them (Pdeathsig).
	runtime.LockOSThread()
	if err := run(flags()); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if o.client != "" {
		return printClient(o.client, o.clientConns, o.clientTime)
	}
	if o.short {
		o.rounds, o.pairs, o.duration, o.warmup, o.sampling = 1, 1, time.Second, 0, time.Second
		o.disturbance = math.Inf(1)
	}
	if o.short && o.out == "results" {
		dir, err := os.MkdirTemp("", "segue-e2e")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.out = dir
	}
	if !o.render {
		if err := measure(o); err != nil {
			return err
		}
	}
	results, err := loadResults(o.out)
	if err != nil {
		return err
	}
	text := results.markdown()
	if !o.short { // which judges no speed
		text += results.targets()
	}
	fmt.Println(text)
	if err := os.WriteFile(filepath.Join(o.out, "servers.md"), []byte(text), 0o644); err != nil {
		return err
	}
	return results.draw(o.out)
}

// measure checks everything that may be missing before it starts anything.
func measure(o options) error {
	wanted, err := pick("scenario", o.scenarios, scenarioNames())
	if err != nil {
		return err
	}
	chosen, err := pick("server", o.servers, serverNames())
	if err != nil {
		return err
	}
	kinds, err := pick("kind", o.kinds, kinds)
	if err != nil {
		return err
	}
	if serverCore == clientCore && !o.short {
		return errors.New("there is one core, and the servers and the client need one each: only -short runs here")
	}
	b, err := newBench(o, chosen)
	if err != nil {
		return err
	}
	defer b.close()
	for _, s := range scenarios {
		if !slices.Contains(wanted, s.name) || o.short && s.long {
			continue
		}
		for _, kind := range kinds {
			if err := b.measure(kind, s); err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, kind, err)
			}
		}
	}
	return nil
}

// pick splits a list of names and refuses unknown ones.
func pick(what, list string, all []string) ([]string, error) {
	if list == "" {
		return all, nil
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("no %s %q; there are %s", what, name, strings.Join(all, ", "))
		}
	}
	return names, nil
}
