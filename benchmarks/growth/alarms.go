package main

// This file says for each axis where a user notices the growth. The words stand
// here; every figure in them, and every comparison, is of the run.

import (
	"fmt"

	"github.com/segue-go/segue/benchmarks/report"
)

// A curve is what was measured of one contestant, from small to large.
type curve []*Point

// measured are the points of an axis that have figures.
func (r *Result) measured(a axis, c contestant) curve {
	var points curve
	for _, p := range r.points(a.name, c.name) {
		if p.Stopped == "" {
			points = append(points, p)
		}
	}
	return points
}

func (c curve) smallest() *Point { return c[0] }
func (c curve) largest() *Point  { return c[len(c)-1] }

const never = "at none of these sizes"

// from says from which size on a figure is above a bound.
func (c curve) from(bound float64, of func(*Point) float64, unit string) string {
	for i, p := range c {
		above := true
		for _, larger := range c[i:] {
			above = above && of(larger) > bound
		}
		if above {
			return "from " + whole(p.Size) + " " + unit + " on"
		}
	}
	return never
}

// at returns the point of a size, or the one that is next below it.
func (c curve) at(size int) *Point {
	found := c[0]
	for _, p := range c {
		if p.Size <= size {
			found = p
		}
	}
	return found
}

// times is how a figure grows from the smallest size to the largest.
func (c curve) times(of func(*Point) float64) float64 { return of(c.largest()) / of(c.smallest()) }

func start(p *Point) float64    { return p.Register + p.First }
func ofSpread(p *Point) float64 { return p.Spread.NS }
func ofFixed(p *Point) float64  { return p.Fixed.NS }
func ofMiss(p *Point) float64   { return p.Miss.NS }
func perSize(p *Point) float64  { return p.Fixed.NS / float64(p.Size) }

// atStart says from which sizes on a program starts later.
func (c curve) atStart(unit string) string {
	tenth, second := c.from(1e8, start, unit), c.from(1e9, start, unit)
	switch {
	case tenth == never:
		return "registering and compiling take " + duration(start(c.largest())) + " with " + whole(c.largest().Size) + " of them"
	case tenth == second:
		return "registering and compiling take more than a second " + second
	}
	return fmt.Sprintf("registering and compiling take more than a tenth of a second %s, and more than a second %s", tenth, second)
}

// atLookup says from which size on lookups take longer, and whether the steps do.
func (c curve) atLookup(unit string) string {
	least := ofSpread(c.smallest())
	for _, p := range c {
		least = min(least, ofSpread(p))
	}
	times := c.times(ofFixed)
	text := fmt.Sprintf("A lookup among all of them takes more than twice its least %s. One request, again and again, takes %s times as long at %s as at %s",
		c.from(2*least, ofSpread, unit), report.Number(times), whole(c.largest().Size), whole(c.smallest().Size))
	if times < 1.25 {
		text += ": its steps stay the same"
	}
	return text + "."
}

// beside compares a lookup with ServeMux's, at the largest size that both have, and
// says who was given up.
func (r *Result) beside(a axis, unit string) string {
	text := ""
	mine, other := r.measured(a, segueItself), r.measured(a, serveMux)
	for _, p := range mine {
		if theirs := other.at(p.Size); theirs.Size == other.largest().Size && theirs.Size == p.Size {
			text = fmt.Sprintf("At %s %s `http.ServeMux` takes %s times as long for a lookup among all, and %s times the heap.",
				whole(p.Size), unit, report.Number(theirs.Spread.NS/p.Spread.NS), report.Number(theirs.Heap/p.Heap))
		}
	}
	return text + r.givenUp(a, segueItself) + r.givenUp(a, serveMux)
}

// givenUp says where a contestant has no figures, "" if it has them all.
func (r *Result) givenUp(a axis, who contestant) string {
	for _, p := range r.points(a.name, who.name) {
		if p.Stopped != "" {
			return fmt.Sprintf(" With %s %s, %s is %s.", whole(p.Size), a.of, who.title, p.Stopped)
		}
	}
	return ""
}

func alarmOfRoutes(r *Result, a axis) string {
	c, last := r.measured(a, segueItself), r.measured(a, segueItself).largest()
	return fmt.Sprintf("**A user notices routes at the start: %s.** %s of them take %s and %s, and keep %s. One more, while they serve, takes %s. %s %s",
		c.atStart("routes"), whole(last.Size), duration(last.Register), duration(last.First), report.Bytes(last.Heap), duration(last.More),
		c.atLookup("routes"), r.beside(a, "routes"))
}

func alarmOfSiblings(r *Result, a axis) string {
	c := r.measured(a, segueItself)
	return fmt.Sprintf("**A user notices siblings at the start: %s.** %s %s", c.atStart("siblings"), c.atLookup("siblings"), r.beside(a, "siblings"))
}

func alarmOfDepth(r *Result, a axis) string {
	c, last := r.measured(a, segueItself), r.measured(a, segueItself).largest()
	return fmt.Sprintf("**A user notices depth in the lookup, which takes more than a microsecond %s.** It takes one step for each segment: %s a segment at %s of them, and %s at %s. %s",
		c.from(1000, ofFixed, "segments"), duration(perSize(c.at(10))), whole(c.at(10).Size), duration(perSize(last)), whole(last.Size), r.beside(a, "segments"))
}

func alarmOfParameters(r *Result, a axis) string {
	c, last := r.measured(a, segueItself), r.measured(a, segueItself).largest()
	text := fmt.Sprintf("**A user notices parameters in the lookup, which takes more than a microsecond %s.** It writes a value for each, and takes %s for %s segments", c.from(1000, ofFixed, "segments"), duration(ofFixed(last)), whole(last.Size))
	literals := r.measured(axis{name: "depth"}, segueItself)
	if len(literals) > 0 && literals.largest().Size == last.Size {
		text += fmt.Sprintf(", %s times what as many literals take", report.Number(ofFixed(last)/ofFixed(literals.largest())))
	}
	return text + ". " + r.beside(a, "segments")
}

func alarmOfHosts(r *Result, a axis) string {
	c, last := r.measured(a, segueItself), r.measured(a, segueItself).largest()
	return fmt.Sprintf("**A user notices hosts when one more comes while %s serve, which takes %s, and in the memory, %s for each.** At the start, %s. %s %s",
		whole(last.Size), duration(last.More), report.Bytes(last.Heap/float64(last.Size)), c.atStart("hosts"), c.atLookup("hosts"), r.beside(a, "hosts"))
}

func alarmOfMethods(r *Result, a axis) string {
	c, last := r.measured(a, segueItself), r.measured(a, segueItself).largest()
	return fmt.Sprintf("**A user notices methods in the 405, which lists them: it takes %s with %s of them, and %s with %s.** At the start, %s. %s The one request is a GET; methods beyond the usual five are sought in a map. %s",
		duration(ofMiss(c.smallest())), whole(c.smallest().Size), duration(ofMiss(last)), whole(last.Size), c.atStart("methods"), c.atLookup("methods"), r.beside(a, "methods"))
}

func alarmOfMounts(r *Result, a axis) string {
	many, last := r.measured(a, manyMounted), r.measured(a, oneMounted).largest()
	return fmt.Sprintf("**A user notices mounts when a route is added, while it serves, to a router that is mounted in %s places: that is as many routes, and takes %s.** At the start, with a router for each, %s. %s",
		whole(last.Size), duration(last.More), many.atStart("mounts"), many.atLookup("mounts"))
}
