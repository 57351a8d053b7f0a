package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/segue-go/segue/benchmarks/chart"
	"github.com/segue-go/segue/benchmarks/report"
)

// results are all that has been measured, by scenario.
type results struct {
	load     map[string]*loadResult
	paired   map[string]*pairedResult
	profiles map[string]*profileResult
}

// loadResults reads what there is; each scenario may be from another run.
func loadResults(dir string) (*results, error) {
	r := &results{map[string]*loadResult{}, map[string]*pairedResult{}, map[string]*profileResult{}}
	for _, sc := range scenarios {
		file := func(kind string) string { return filepath.Join(dir, "servers", kind+"-"+sc.name+".json") }
		if err := errors.Join(loadInto(r.load, sc.name, file("load")), loadInto(r.paired, sc.name, file("paired")),
			loadInto(r.profiles, sc.name, file("profile"))); err != nil {
			return nil, err
		}
	}
	if len(r.load)+len(r.paired)+len(r.profiles) == 0 {
		return nil, fmt.Errorf("no results in %s: measure first", filepath.Join(dir, "servers"))
	}
	return r, nil
}

func loadInto[T any](into map[string]*T, name, file string) error {
	var one T
	err := report.Load(file, &one)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		into[name] = &one
	}
	return err
}

// of returns the figures of a server, nil where it was not measured.
func (l *loadResult) of(name string) *serverRounds {
	if l != nil {
		for _, s := range l.Servers {
			if s.Server == name {
				return s
			}
		}
	}
	return nil
}

// each is one figure of all rounds.
func (s *serverRounds) each(figure func(sample) float64) []float64 {
	var values []float64
	if s != nil {
		for _, one := range s.Rounds {
			values = append(values, figure(one))
		}
	}
	return values
}

func perSecond(s sample) float64 { return s.PerSecond }
func cpu(s sample) float64       { return s.CPU }
func p99(s sample) float64       { return s.P99 }
func slowest(s sample) float64   { return s.Slowest }
func resident(s sample) float64  { return s.Resident / (1 << 20) }
func errorCount(s sample) float64 {
	return float64(s.Errors)
}
func others(s sample) float64     { return s.Others }
func unanswered(s sample) float64 { return float64(s.Unanswered) }

func (s *serverRounds) median(figure func(sample) float64) float64 { return median(s.each(figure)) }

// largest is the worst of all rounds.
func (s *serverRounds) largest(figure func(sample) float64) float64 {
	return quantile(s.each(figure), 1)
}

func (r *results) markdown() string {
	var text strings.Builder
	text.WriteString("# Servers, end to end\n\nMedians of the rounds, least and most in brackets. Servers and client have a core each, unless the title says otherwise. " +
		"\"Others\" is what other processes had of the two cores during the rounds, at most; what is said below a table counts the time between the rounds too.\n")
	for _, sc := range scenarios {
		if l := r.load[sc.name]; l != nil {
			fmt.Fprintf(&text, "\n## %s\n\n%s\n%s\n%s; %d rounds of %s, each on servers started afresh.\n", sc.title, l.table(sc), l.Machine, l.VersionList(), len(l.Servers[0].Rounds), l.Duration)
		}
		if name, alt := r.picture(sc.name); name != "" {
			fmt.Fprintf(&text, "\n%s", chart.Picture("", name, alt))
		}
	}
	if len(r.paired)+len(r.profiles) > 0 {
		text.WriteString(r.routingShare())
	}
	text.WriteString(r.engines())
	if p := r.profiles["hello"]; p != nil {
		fmt.Fprintf(&text, "\n## Where the time goes: hello with one parameter\n\n%s\n%s\n", p.table(), p.Machine)
	}
	return text.String()
}

func (l *loadResult) table(sc scenario) string {
	header := []string{"", "requests/s", "times Express", "share of epoll", "CPU µs a request", "its share of epoll", "p99 ms", "slowest ms", "resident MB"}
	if sc.own {
		header = append(header, "connections never answered")
	} else {
		header = append(header, "errors")
	}
	header = append(header, "others")
	table := report.NewTable(header...)
	for _, s := range l.Servers {
		express, epoll := l.of("express"), l.of("epoll")
		last := s.largest(errorCount)
		if sc.own {
			last = s.largest(unanswered)
		}
		rate := s.each(perSecond)
		table.Row(serverNamed(s.Server).title,
			fmt.Sprintf("%s (%s–%s)", report.Number(median(rate)), report.Number(quantile(rate, 0)), report.Number(quantile(rate, 1))),
			quotient(s, express, perSecond), quotient(s, epoll, perSecond),
			report.Number(s.median(cpu)), quotient(epoll, s, cpu),
			report.Number(s.median(p99)), report.Number(s.largest(slowest)), report.Number(s.median(resident)), fmt.Sprint(last), fmt.Sprintf("%.2f", s.largest(others)))
	}
	return table.String()
}

// quotient of two medians, nothing where one was not measured.
func quotient(a, b *serverRounds, figure func(sample) float64) string {
	if a == nil || b == nil {
		return ""
	}
	return report.Number(a.median(figure) / b.median(figure))
}

// routingShare is what routing takes: of segue's profile, and beside bare
// net/http.
func (r *results) routingShare() string {
	table := report.NewTable("segue", "routing, of the profile", "samples", "CPU a request: segue / bare `net/http`", "a Go map / bare `net/http`", "segue / chi", "segue / gin", "rounds")
	for _, sc := range scenarios {
		pair, prof := r.paired[sc.name], r.profiles[sc.name].of("segue")
		if pair == nil && prof == nil {
			continue
		}
		line := []string{sc.title, "", ""}
		if prof != nil {
			line[1], line[2] = fmt.Sprintf("%.2f %%", 100*prof.Shares["routing"]), fmt.Sprint(prof.Samples)
		}
		for _, two := range [][2]string{{"segue", "nethttp"}, {"floor", "nethttp"}, {"segue", "chi"}, {"segue", "gin"}} {
			line = append(line, withInterval(pair.ratios(two[0], two[1])))
		}
		rounds := ""
		if pair != nil {
			rounds = fmt.Sprint(len(pair.ratios("segue", "segue")))
		}
		table.Row(append(line, rounds)...)
	}
	text := "\n## What routing takes\n\n" + table.String()
	for _, sc := range scenarios {
		if pair := r.paired[sc.name]; pair != nil {
			return text + "\nMedians of the quotients of rounds, their 95 % intervals in brackets. " + pair.Machine.String() + "\n"
		}
	}
	return text
}

// engines is what segue takes on another engine, of what it takes on net/http.
func (r *results) engines() string {
	names := []string{"nbio-guarded", "nbio"}
	table := report.NewTable("CPU a request, of that of segue on net/http", serverNamed(names[0]).title, serverNamed(names[1]).title)
	found := false
	for _, sc := range scenarios {
		line := []string{sc.title}
		for _, name := range names {
			line = append(line, withInterval(r.paired[sc.name].ratios(name, "segue")))
		}
		if line[1]+line[2] != "" {
			found = true
			table.Row(line...)
		}
	}
	if !found {
		return ""
	}
	return "\n## Another engine\n\n" + table.String() + "\nMedians of the quotients of the same rounds as above.\n"
}

func withInterval(ratios []float64) string {
	if len(ratios) == 0 {
		return ""
	}
	low, high := interval(ratios)
	return fmt.Sprintf("%.3f (%.3f–%.3f)", median(ratios), low, high)
}

func (p *profileResult) of(name string) *serverProfile {
	if p != nil {
		for _, s := range p.Servers {
			if s.Server == name {
				return s
			}
		}
	}
	return nil
}

func (p *profileResult) table() string {
	header := []string{"% of processor time"}
	for _, share := range shares {
		header = append(header, shareTitles[share])
	}
	table := report.NewTable(append(header, "samples")...)
	for _, s := range p.Servers {
		line := []string{serverNamed(s.Server).title}
		for _, share := range shares {
			line = append(line, fmt.Sprintf("%.1f", 100*s.Shares[share]))
		}
		table.Row(append(line, fmt.Sprint(s.Samples))...)
	}
	return table.String()
}

// picture is the one that follows a scenario.
func (r *results) picture(scenario string) (name, alt string) {
	switch {
	case r.load[scenario] == nil:
	case scenario == "hello":
		return "servers-hello", "Requests a second by server"
	case scenario == "routes-1000":
		return "servers-memory", "Resident memory with 1,000 routes by server"
	case scenario == "routes-10000" && r.load["routes-5"] != nil && r.load["routes-1000"] != nil:
		return "servers-routes", "Requests a second by number of routes: segue, ServeMux and Express"
	}
	return "", ""
}

func (r *results) draw(dir string) error {
	if err := r.drawRoutes(dir); err != nil {
		return err
	}
	if l := r.load["hello"]; l != nil {
		if err := l.bars(dir, "servers-hello", "Hello with one parameter, a core for the server", "requests a second, in thousands (more is better)",
			func(s sample) float64 { return s.PerSecond / 1000 }); err != nil {
			return err
		}
	}
	if l := r.load["routes-1000"]; l != nil {
		return l.bars(dir, "servers-memory", "Memory under load with 1,000 routes", "resident MB (less is better)", resident)
	}
	return nil
}

// drawRoutes needs all three numbers of routes.
func (r *results) drawRoutes(dir string) error {
	var series []chart.Series
	for _, name := range []string{"segue", "servemux", "express"} {
		s := chart.Series{Name: strings.Trim(serverNamed(name).title, "`")}
		for _, sc := range []string{"routes-5", "routes-1000", "routes-10000"} {
			one := r.load[sc].of(name)
			if one == nil {
				return nil
			}
			s.Values = append(s.Values, one.median(perSecond))
		}
		series = append(series, s)
	}
	return chart.Lines(dir, "servers-routes", "Requests a second by number of routes, a core for the server",
		"routes (logarithmic)", "requests a second (logarithmic)", []float64{5, 1_000, 10_000}, series)
}

func (l *loadResult) bars(dir, name, title, unit string, figure func(sample) float64) error {
	var labels []string
	var values []float64
	for _, s := range l.Servers {
		label := strings.ReplaceAll(serverNamed(s.Server).title, "`", "")
		if version := l.Versions["Node"]; version != "" && serverNamed(s.Server).kind == "node" {
			label += " (Node " + strings.TrimPrefix(version, "v") + ")"
		}
		labels, values = append(labels, label), append(values, s.median(figure))
	}
	return chart.Bars(dir, name, title, unit, labels, values)
}
