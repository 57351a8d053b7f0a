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
	if c.from(1e8, start, unit) == never {
		return "registering and compiling take " + duration(start(c.largest())) + " with " + whole(c.largest().Size) + " of them"
	}
	return fmt.Sprintf("registering and compiling take more than a tenth of a second %s, and more than a second %s",
		c.from(1e8, start, unit), c.from(1e9, start, unit))
}

// atLookup says from which size on lookups take longer, and whether that is the
// caches or the steps.
func (c curve) atLookup(unit string) string {
	least := ofSpread(c.smallest())
	for _, p := range c {
		least = min(least, ofSpread(p))
	}
	bend, times := c.from(2*least, ofSpread, unit), c.times(ofFixed)
	switch {
	case bend == never:
	case times < 1.25:
		bend += ", since the table leaves the caches and the steps stay the same"
	default:
		bend += ", since the table leaves the caches and the steps are more as well"
	}
	return fmt.Sprintf("a lookup among all of them takes more than twice its least %s (one request, again and again, takes %s times as long at %s as at %s)",
		bend, report.Number(times), whole(c.largest().Size), whole(c.smallest().Size))
}

// beside compares a lookup with the other's, at the largest size that both have.
func beside(mine, other curve, unit string) string {
	theirs := other.largest()
	for _, p := range mine {
		if p.Size == theirs.Size {
			return fmt.Sprintf("At %s %s `http.ServeMux` takes %s times as long for a lookup, and %s times the heap",
				whole(p.Size), unit, report.Number(theirs.Spread.NS/p.Spread.NS), report.Number(theirs.Heap/p.Heap))
		}
	}
	return "No size has figures of both"
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
	c, mux := r.measured(a, segueItself), r.measured(a, serveMux)
	last := c.largest()
	return fmt.Sprintf("A user notices routes at the start: %s; %s of them take %s and %s, keep %s, and one more while they serve takes %s. In traffic, %s. %s.%s",
		c.atStart("routes"), whole(last.Size), duration(last.Register), duration(last.First), report.Bytes(last.Heap), duration(last.More),
		c.atLookup("routes"), beside(c, mux, "routes"), r.givenUp(a, serveMux))
}

func alarmOfSiblings(r *Result, a axis) string {
	c, mux := r.measured(a, segueItself), r.measured(a, serveMux)
	return fmt.Sprintf("A user notices siblings at the start: %s. In traffic, %s. %s.%s",
		c.atStart("siblings"), c.atLookup("siblings"), beside(c, mux, "siblings"), r.givenUp(a, serveMux))
}

func alarmOfDepth(r *Result, a axis) string {
	c, mux := r.measured(a, segueItself), r.measured(a, serveMux)
	last := c.largest()
	return fmt.Sprintf("A user notices depth in the lookup, which takes one step for each segment: %s for %s segments, and more than a microsecond %s; a segment takes %s at %s of them and %s at %s. %s.%s%s",
		duration(ofFixed(last)), whole(last.Size), c.from(1000, ofFixed, "segments"), duration(perSize(c.at(10))), whole(c.at(10).Size), duration(perSize(last)), whole(last.Size),
		beside(c, mux, "segments"), r.givenUp(a, segueItself), r.givenUp(a, serveMux))
}

func alarmOfParameters(r *Result, a axis) string {
	c, mux := r.measured(a, segueItself), r.measured(a, serveMux)
	last := c.largest()
	literal := r.measured(axis{name: "depth"}, segueItself)
	beyond := ""
	if len(literal) > 0 && literal.largest().Size == last.Size {
		beyond = fmt.Sprintf(", %s times what as many literals take", report.Number(ofFixed(last)/ofFixed(literal.largest())))
	}
	return fmt.Sprintf("A user notices parameters in the lookup, which writes a value for each: %s for %s segments%s, and more than a microsecond %s. %s.%s%s",
		duration(ofFixed(last)), whole(last.Size), beyond, c.from(1000, ofFixed, "segments"), beside(c, mux, "segments"), r.givenUp(a, segueItself), r.givenUp(a, serveMux))
}

func alarmOfHosts(r *Result, a axis) string {
	c, mux := r.measured(a, segueItself), r.measured(a, serveMux)
	last := c.largest()
	return fmt.Sprintf("A user notices hosts in the memory, since each has a table of its own: %s a host, %s for %s; %s, and one more host while they serve takes %s. In traffic, %s. %s.%s",
		report.Bytes(last.Heap/float64(last.Size)), report.Bytes(last.Heap), whole(last.Size), c.atStart("hosts"), duration(last.More),
		c.atLookup("hosts"), beside(c, mux, "hosts"), r.givenUp(a, serveMux))
}

func alarmOfMethods(r *Result, a axis) string {
	c, mux := r.measured(a, segueItself), r.measured(a, serveMux)
	last := c.largest()
	return fmt.Sprintf("A user notices methods in the 405, which lists them: %s with %s of them, %s with %s. In traffic, %s. %s.%s",
		duration(ofMiss(c.smallest())), whole(c.smallest().Size), duration(ofMiss(last)), whole(last.Size), c.atLookup("methods"), beside(c, mux, "methods"), r.givenUp(a, serveMux))
}

func alarmOfMounts(r *Result, a axis) string {
	many, one := r.measured(a, manyMounted), r.measured(a, oneMounted)
	last := one.largest()
	return fmt.Sprintf("A user notices mounts at the start: with a router for each, %s; and when a route is added to a router that is mounted in %s places, which is as many routes and takes %s. In traffic, %s.",
		many.atStart("mounts"), whole(last.Size), duration(last.More), many.atLookup("mounts"))
}
