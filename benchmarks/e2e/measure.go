package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/segue-go/segue/benchmarks/report"
)

// modules are compared, beside what is no Go module.
var modules = []string{"github.com/go-chi/chi/v5", "github.com/gin-gonic/gin", "github.com/lesismal/nbio", "github.com/valyala/fasthttp"}

// A loadResult is a scenario under load: each server's rounds.
type loadResult struct {
	report.Machine
	Scenario string
	Duration string
	Servers  []*serverRounds
}

type serverRounds struct {
	Server string
	Rounds []sample
}

// A sample is one round of one server.
type sample struct {
	PerSecond  float64
	CPU        float64 // µs a request
	P99        float64 // ms
	Slowest    float64 // ms
	Resident   float64 // bytes
	Errors     int
	Unanswered int
	Others     float64 // cores that other processes and other guests had meanwhile
}

// A pairedResult is the processor time a request of servers that take turns,
// in µs, round by round.
type pairedResult struct {
	report.Machine
	Scenario string
	Micros   map[string][]float64 // by server
}

// ratios are the quotients of two servers' figures of the same rounds.
func (p *pairedResult) ratios(a, b string) []float64 {
	var list []float64
	if p != nil {
		for i := range min(len(p.Micros[a]), len(p.Micros[b])) {
			list = append(list, p.Micros[a][i]/p.Micros[b][i])
		}
	}
	return list
}

// A profileResult is where the time of a server goes, in shares of it.
type profileResult struct {
	report.Machine
	Scenario string
	Servers  []*serverProfile
}

type serverProfile struct {
	Server  string
	Samples int64
	Shares  map[string]float64
}

func (b *bench) measure(kind string, sc scenario) error {
	if kind != "load" && (sc.loadOnly || b.short && sc.name != "hello") {
		return nil
	}
	machine := b.machine
	machine.Begin()
	var result any
	var err error
	switch kind {
	case "load":
		result, err = b.load(sc, &machine)
	case "paired":
		result, err = b.paired(sc, &machine)
	case "profile":
		result, err = b.profile(sc, &machine)
	}
	if err != nil {
		return err
	}
	return report.Save(filepath.Join(b.out, "servers", kind+"-"+sc.name+".json"), result)
}

func (b *bench) load(sc scenario, machine *report.Machine) (*loadResult, error) {
	lasting := b.lasting(sc)
	r := &loadResult{Scenario: sc.name, Duration: lasting.String()}
	for _, s := range b.chosen {
		if sc.needs(s) {
			r.Servers = append(r.Servers, &serverRounds{Server: s.name})
		}
	}
	for round := range b.rounds {
		for _, s := range r.Servers {
			one, err := b.undisturbed(func() (sample, error) { return b.sample(serverNamed(s.Server), sc, lasting) })
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(os.Stderr, "%s, round %d of %d, %s: %.0f/s\n", sc.name, round+1, b.rounds, s.Server, one.PerSecond)
			s.Rounds = append(s.Rounds, one)
		}
	}
	machine.Finish()
	r.Machine = *machine
	return r, nil
}

// lasting is how long a round is. A short one of our own client leaves time to
// open its connections on a busy machine.
func (b *bench) lasting(sc scenario) time.Duration {
	switch {
	case b.short && sc.own:
		return 2 * time.Second
	case b.short || sc.lasting == 0:
		return b.duration
	}
	return sc.lasting
}

func serverNamed(name string) server {
	for _, s := range servers {
		if s.name == name {
			return s
		}
	}
	panic("e2e: no server " + name)
}

// undisturbed takes a sample again, a few times, while something else than the
// measurement has more of the machine than it may. It keeps the least disturbed.
func (b *bench) undisturbed(take func() (sample, error)) (sample, error) {
	best, err := take()
	for tries := 0; err == nil && best.Others > b.disturbance && tries < 5; tries++ {
		var again sample
		if again, err = take(); again.Others < best.Others {
			best = again
		}
	}
	return best, err
}

// sample starts a server afresh and measures it once.
func (b *bench) sample(s server, sc scenario, lasting time.Duration) (sample, error) {
	p, err := b.start(s, sc, b.port)
	if err != nil {
		return sample{}, err
	}
	defer p.stop()
	if b.warmup > 0 && !sc.own {
		if _, err := runWrk(sc, p.addr, b.warmup); err != nil {
			return sample{}, err
		}
		if err := p.settle(); err != nil {
			return sample{}, err
		}
	}
	return p.burst(sc, lasting)
}

// burst measures a server that runs.
func (p *process) burst(sc scenario, lasting time.Duration) (sample, error) {
	began := report.UsageNow()
	before, err := p.cpu()
	if err != nil {
		return sample{}, err
	}
	var one sample
	var requests float64
	if sc.own {
		t, err := ownClient(sc, p.addr, lasting)
		if err != nil {
			return sample{}, err
		}
		requests = float64(t.Requests)
		one = sample{PerSecond: requests / lasting.Seconds(), P99: t.P99, Slowest: t.Slowest, Unanswered: t.Unanswered}
	} else {
		w, err := runWrk(sc, p.addr, lasting)
		if err != nil {
			return sample{}, err
		}
		requests = w.requests
		one = sample{PerSecond: requests / w.lasted.Seconds(), P99: w.p99, Slowest: w.max, Errors: w.errors}
	}
	if requests == 0 {
		return sample{}, fmt.Errorf("%s answered nothing", p.name)
	}
	after, err := p.cpu()
	if err != nil {
		return sample{}, err
	}
	others, steal := began.Since(after - before)
	one.Others = others + steal
	one.CPU = float64((after - before).Microseconds()) / requests
	one.Resident, err = p.resident()
	return one, err
}

// inTurns are the servers that paired compares.
var inTurns = []string{"segue", "nethttp", "floor", "chi", "gin", "nbio-guarded", "nbio"}

// paired lets servers that all run take turns, in bursts of a second, the one
// that begins changing from round to round.
func (b *bench) paired(sc scenario, machine *report.Machine) (*pairedResult, error) {
	var running []*process
	for _, s := range b.chosen {
		if !slices.Contains(inTurns, s.name) {
			continue
		}
		p, err := b.start(s, sc, b.port+len(running))
		if err != nil {
			return nil, err
		}
		defer p.stop()
		running = append(running, p)
	}
	r := &pairedResult{Scenario: sc.name, Micros: map[string][]float64{}}
	for round := range b.pairs + 1 {
		for turn := range running {
			p := running[(round+turn)%len(running)]
			one, err := b.undisturbed(func() (sample, error) { return p.burst(sc, time.Second) })
			if err != nil {
				return nil, err
			}
			if round > 0 { // the first one warms up
				r.Micros[p.name] = append(r.Micros[p.name], one.CPU)
			}
		}
	}
	fmt.Fprintf(os.Stderr, "%s, CPU a request of segue beside bare net/http: %.3f\n", sc.name, median(r.ratios("segue", "nethttp")))
	machine.Finish()
	r.Machine = *machine
	return r, nil
}
