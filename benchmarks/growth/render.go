package main

// This file writes what was measured: a table, a picture and a sentence for each
// axis.

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/segue-go/segue/benchmarks/chart"
	"github.com/segue-go/segue/benchmarks/report"
)

const preface = `Each table is registered from nothing, with one handler for all its routes; its text is made meanwhile. segue
compiles at the first request, and again at the first request after a change: "one more" is the time of one more registration and of the request
after it, while the table serves already. The heap is what stays after the first request. What takes less than a tenth of a second is done
again a few times, and the least time counts.

A lookup is ` + "`ServeHTTP`" + ` to a handler that does nothing. Requests to all routes, in a drawn order, leave the processor's caches
where the table does; the request to the first route, again and again, stays in them, and shows what the steps
themselves take. A miss is one request that no route answers, 404 or 405, again and again. Before it is timed, every route is asked for once, and has to answer.
`

// whole writes a number of things.
func whole(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return report.Number(float64(n))
}

// points are the points of an axis, of one contestant, from small to large.
func (r *Result) points(axis, who string) []*Point {
	var points []*Point
	for _, p := range r.Points {
		if p.Axis == axis && p.Who == who {
			points = append(points, p)
		}
	}
	return points
}

func (r *Result) markdown() string {
	var text strings.Builder
	fmt.Fprintf(&text, "# Growth\n\n%s\n\n", r.Machine)
	fmt.Fprintf(&text, "Lookups: the least of %d rounds of %s, in which all sizes of an axis take turns. The program took at most %s of memory; the collector works harder near %s. ",
		r.Rounds, r.Length, report.Bytes(r.Peak), report.Bytes(memoryLimit))
	fmt.Fprintf(&text, "A registration is given up after %.0f s.\n\n%s", r.Limit, preface)
	for _, a := range axes {
		if len(r.points(a.name, a.who[0].name)) == 0 {
			continue
		}
		fmt.Fprintf(&text, "\n## %s\n\n%s.\n\n%s\n\n%s\n", a.title, a.shape, a.alarm(r, a), r.table(a))
		text.WriteString(chart.Picture("", "growth-"+a.name, a.title+": time to register, time to compile, heap and time of a lookup, by size"))
	}
	return text.String()
}

func (r *Result) table(a axis) string {
	t := report.NewTable(a.of, "", "register", "first request", "one more", "heap", "all routes", "one request", "a miss")
	for _, c := range a.who {
		for _, p := range r.points(a.name, c.name) {
			if p.Stopped != "" {
				t.Row(whole(p.Size), c.title+": "+p.Stopped, "", "", "", "", "", "", "")
				continue
			}
			t.Row(whole(p.Size), c.title, duration(p.Register), duration(p.First), duration(p.More), report.Bytes(p.Heap),
				duration(p.Spread.NS), duration(p.Fixed.NS), duration(p.Miss.NS))
		}
	}
	return t.String()
}

// duration writes a time with its unit.
func duration(ns float64) string {
	for _, unit := range []struct {
		ns   float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= unit.ns {
			return report.Number(ns/unit.ns) + " " + unit.name
		}
	}
	return report.Number(ns) + " ns"
}

// draw makes a picture for each axis.
func (r *Result) draw(dir string) error {
	for _, a := range axes {
		first := r.points(a.name, a.who[0].name)
		if len(first) == 0 {
			continue
		}
		var places []float64
		for _, p := range first {
			places = append(places, float64(p.Size))
		}
		panels := [4]chart.Panel{{Title: "Time to register (ms)"}, {Title: "Time to compile (ms)"}, {Title: "Heap (KB)"}, {Title: "Time of a lookup (ns)"}}
		for i, c := range a.who {
			add := func(to *chart.Panel, dashed bool, of func(*Point) float64) {
				curve := chart.Curve{Name: strings.ReplaceAll(c.title, "`", ""), Colour: i, Dashed: dashed}
				for _, p := range r.points(a.name, c.name) {
					curve.Values = append(curve.Values, of(p))
				}
				to.Curves = append(to.Curves, curve)
			}
			add(&panels[0], false, func(p *Point) float64 { return p.figure(p.Register / 1e6) })
			if c.name != serveMux.name { // which compiles nothing
				add(&panels[1], false, func(p *Point) float64 { return p.figure(p.First / 1e6) })
			}
			add(&panels[2], false, func(p *Point) float64 { return p.figure(p.Heap / 1024) })
			add(&panels[3], false, func(p *Point) float64 { return p.figure(p.Spread.NS) })
			add(&panels[3], true, func(p *Point) float64 { return p.figure(p.Fixed.NS) })
		}
		if err := chart.Panels(dir, "growth-"+a.name, a.title, a.of, "one request, again and again", places, panels); err != nil {
			return err
		}
	}
	return nil
}

// figure returns x, or nothing if the point has no figures.
func (p *Point) figure(x float64) float64 {
	if p.Stopped != "" {
		return math.NaN()
	}
	return x
}
