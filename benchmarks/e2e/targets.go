package main

import (
	"fmt"
	"strings"

	"github.com/segue-go/segue/benchmarks/report"
)

// targets says of each aim whether what was measured reaches it. An aim that
// was not measured has no line.
func (r *results) targets() string {
	var lines strings.Builder
	say := func(reached bool, format string, args ...any) {
		mark := "reached"
		if !reached {
			mark = "**not reached**"
		}
		fmt.Fprintf(&lines, "- %s: %s\n", mark, fmt.Sprintf(format, args...))
	}
	for _, sc := range scenarios {
		r.routingTarget(sc, say)
	}
	for _, sc := range scenarios {
		r.peersTarget(sc, say)
	}
	r.expressTargets(say)
	if l := r.load["connections-512"]; l != nil && l.of("segue") != nil {
		n := l.of("segue").largest(unanswered)
		say(n == 0, "no connection of 512 unanswered: %.0f; slowest request %s ms", n, report.Number(l.of("segue").largest(slowest)))
	}
	if lines.Len() == 0 {
		return ""
	}
	return "\n## Against the targets\n\n" + lines.String()
}

type sayer = func(reached bool, format string, args ...any)

// routingTarget: below 1 % of the profile, or a quotient beside bare net/http
// whose interval includes 1.01 (or lies below it).
func (r *results) routingTarget(sc scenario, say sayer) {
	prof, ratios := r.profiles[sc.name].of("segue"), r.paired[sc.name].ratios("segue", "nethttp")
	if prof == nil && len(ratios) == 0 {
		return
	}
	reached := false
	var found []string
	if prof != nil {
		share := prof.Shares["routing"]
		reached = share < 0.01
		found = append(found, fmt.Sprintf("%.2f %% of the profile", 100*share))
	}
	if len(ratios) > 0 {
		low, high := interval(ratios)
		reached = reached || low <= 1.01
		found = append(found, fmt.Sprintf("%.3f times the CPU a request of bare net/http (%.3f to %.3f)", median(ratios), low, high))
	}
	if floor := r.paired[sc.name].ratios("floor", "nethttp"); len(floor) > 0 {
		low, high := interval(floor)
		found = append(found, fmt.Sprintf("where a Go map of whole paths takes %.3f times (%.3f to %.3f)", median(floor), low, high))
	}
	say(reached, "%s: routing below 1 %% of the profile, or an interval that includes 1.01: %s", sc.title, strings.Join(found, ", "))
}

// peersTarget goes by processor time a request in turns, since wrk's own core
// is full at the top; the requests a second are said too.
func (r *results) peersTarget(sc scenario, say sayer) {
	l := r.load[sc.name]
	for _, name := range []string{"chi", "gin"} {
		ratios := r.paired[sc.name].ratios(name, "segue")
		if len(ratios) == 0 || l.of(name) == nil || l.of("segue") == nil {
			continue
		}
		low, high := interval(ratios)
		rate := l.of("segue").median(perSecond) / l.of(name).median(perSecond)
		say(low > 1, "%s: ahead of %s, which takes %.3f times the CPU a request (%.3f to %.3f); segue answers %.2f times as many a second",
			sc.title, name, median(ratios), low, high, rate)
	}
}

// expressTargets: times Express on this Node. Those of the number of routes are
// set against ServeMux in the same run, and against the seed's figures.
func (r *results) expressTargets(say sayer) {
	times := func(sc, name string) float64 {
		l := r.load[sc]
		if l.of(name) == nil || l.of("express") == nil {
			return 0
		}
		return l.of(name).median(perSecond) / l.of("express").median(perSecond)
	}
	if mux := times("routes-5", "servemux"); mux > 0 {
		segue := times("routes-5", "segue")
		say(segue >= mux, "5 routes, at least what ServeMux reaches against Express on this Node: %.1f times, ServeMux %.1f", segue, mux)
	}
	for _, aim := range []struct {
		scenario, title string
		want            float64
	}{
		{"routes-1000", "1,000 routes", 20}, {"routes-10000", "10,000 routes", 300}, {"last-10000", "the last of 10,000 routes", 300}, {"body-100k", "bodies of 100 KB", 4.5},
	} {
		if got := times(aim.scenario, "segue"); got > 0 {
			say(got >= aim.want, "%s, at least %v times Express: %.1f times", aim.title, aim.want, got)
		}
	}
}
