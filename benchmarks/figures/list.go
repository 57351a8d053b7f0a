package main

// This file lists which sentence of which text has which figures, and what looks
// like a figure and is none.

import (
	"fmt"
	"strings"
)

const (
	readme     = "README.md"
	security   = "SECURITY.md"
	benchmarks = "benchmarks/README.md"
	measuredMD = "docs/measured.md"

	nothing = "segue, `PathValues(false)`"
	mux     = "`http.ServeMux`"
	bare    = "bare `net/http`, no routing"
)

var (
	sets     = table{"routers.md", "The four route sets, parameters not read"}
	setsRead = table{"routers.md", "The four route sets, every parameter read"}
	sizes    = table{"routers.md", "5, 1,000 and 10,000 routes"}
	heap     = table{"routers.md", "What a loaded table keeps on the heap"}
	register = table{"routers.md", "Until all routes are registered"}
	compile  = table{"routers.md", "From there to the first answer"}
	compose  = table{"routers.md", "Routers in routers, before the first answer"}
	segments = table{"routers.md", "The length of a path, in segments"}
	bytes    = table{"routers.md", "The length of a path, in bytes of one segment"}
	hosts    = table{"growth.md", "Hosts"}
	routing  = table{"servers.md", "What routing takes"}

	fourSets  = []string{"github", "gplus", "parse", "static"}
	threeSize = []string{"5", "1000", "10000"}
	lengths   = []string{"10.0", "100", "1,000", "10,000", "100,000", "1,048,576"}
)

// settings are limits and settings, which nobody measures.
var settings = map[string][]string{
	readme:            {"at most 4 times as many nodes"},
	benchmarks:        {"rounds of 2 ms", "95 % interval", "300 times Express", "bodies of 100 KB"},
	"docs/recipes.md": {"up to 32 MB"},
}

// figures are all figures of all texts.
func figures(r *results) []figure {
	var list []figure
	say := func(file, text string, values ...[]string) {
		f := figure{file: file, text: text}
		for _, v := range values {
			f.values = append(f.values, v...)
		}
		list = append(list, f)
	}
	r.ofREADME(say)
	r.ofMeasured(say)
	r.ofSecurity(say)
	r.ofBenchmarks(say)
	say("docs/questions.md", "at a cost of some {} ns.", round(r.value(setsRead, nothing, "github")-r.value(setsRead, "segue", "github")))
	return list
}

type sayer func(file, text string, values ...[]string)

func round(x float64) []string { return []string{fmt.Sprintf("%.0f", x)} }

// row says a row of a table, of so many holes.
func row(title, hole string, n int) string {
	return "| " + title + " |" + strings.Repeat(" "+hole+" |", n)
}

func (r *results) ofREADME(say sayer) {
	say(readme, row(nothing+" | standard", "{}", 4), r.numbers(sets, nothing, fourSets...))
	say(readme, row("segue | standard", "{}", 4), r.numbers(sets, "segue", fourSets...))
	var fastest []string
	for _, set := range fourSets {
		name, ns, _ := strings.Cut(r.cell(sets, "the fastest peer", set), " ")
		fastest = append(fastest, ns, name)
	}
	say(readme, row("the fastest of the others | own", "{} ({})", 4), fastest)
	say(readme, row(mux+" | standard", "{}", 4), r.numbers(sets, mux, fourSets...))
	say(readme, row("chi | standard", "{}", 4), r.numbers(sets, "chi", fourSets...))
	say(readme, "400 nested groups takes {} ms, and 2,000 routes with a request after each {} ms.",
		r.numbers(compose, "one route below 400 nested groups", "ms"), r.numbers(compose, "2,000 routes, and a request after each", "ms"))
	grown := func(router, column string) []string {
		return []string{fmt.Sprintf("%.1f", r.nanoseconds(hosts, "10,000 | "+router, column)/r.nanoseconds(hosts, "1 | "+router, column))}
	}
	say(readme, "Requests to one of them take {} times the time, and requests to all of them in a drawn order {} times, since they leave the processor's caches (ServeMux: {} times).",
		grown("segue", "one request"), grown("segue", "all routes"), grown(mux, "all routes"))
}

func (r *results) ofMeasured(say sayer) {
	for _, line := range []struct {
		title, router string
		of            table
	}{
		{"segue, `PathValue` read", "segue", setsRead}, {"segue, nothing read", "segue", sets},
		{nothing + ", `Param` read", nothing, setsRead}, {nothing + ", nothing read", nothing, sets},
	} {
		var cells []string
		for _, set := range fourSets {
			cells = append(cells, r.nth(line.of, line.router, set, 0), fmt.Sprintf("%.1f", r.value(line.of, mux, set)/r.value(line.of, line.router, set)))
		}
		say(measuredMD, row(line.title, "{} ({}×)", 4), cells)
	}
	say(measuredMD, row(mux+", `PathValue` read", "{}", 4), r.numbers(setsRead, mux, fourSets...))
	say(measuredMD, row(mux+", nothing read", "{}", 4), r.numbers(sets, mux, fourSets...))
	say(measuredMD, row("a Go map of whole paths, known beforehand", "{}", 4), r.numbers(sets, "map by method and whole path (the floor)", fourSets...))
	for _, router := range []string{"segue", nothing, mux} {
		say(measuredMD, row(router, "{}", 3), r.numbers(sizes, router, threeSize...))
	}
	say(measuredMD, "where ServeMux makes {} allocations of {} bytes together,", r.numbers(sets, mux, "allocations", "bytes"))
	say(measuredMD, "take {} MB, where ServeMux takes {}.", r.numbers(heap, "segue", "10000"), r.numbers(heap, mux, "10000"))
	say(measuredMD, "10,000 such routes take {} ms to register, where ServeMux takes {}, and {} ms to compile,",
		r.numbers(register, "segue", "10000"), r.numbers(register, mux, "10000"), r.numbers(compile, "segue", "10000"))
	for _, title := range []string{
		"20 levels of routers, each mounting the next at two prefixes, with one route at the top",
		"one route below 400 nested groups", "2,000 routes, and a request after each",
	} {
		say(measuredMD, row(title, "{}", 1), r.numbers(compose, title, "ms"))
	}
	load := table{"servers.md", "Hello with one parameter, `wrk -t12 -c400`, nothing pinned"}
	say(measuredMD, "segue answers {} requests a second, ServeMux {} and bare net/http {}. segue had {} errors, and its slowest request took {} ms.",
		r.numbers(load, "segue", "requests/s"), r.numbers(load, mux, "requests/s"), r.numbers(load, bare, "requests/s"), r.numbers(load, "segue", "errors", "slowest ms"))
}

func (r *results) ofSecurity(say sayer) {
	soaks := []table{{"soak.md", ""}, {"soak-race.md", ""}}
	both := func(title, row, column string) {
		var values []string
		for _, t := range soaks {
			values = append(values, r.cell(t, row, column))
		}
		say(security, "| "+title+" | {} | {} |", values)
	}
	both("how long", "how long", "all")
	both("requests over HTTP/1.1", "requests", "HTTP/1.1")
	both("requests over HTTP/2", "requests", "HTTP/2")
	for _, same := range [][2]string{
		{"answered, and right", "answered"}, {"broken off by their handlers, on purpose", "broken off by the handler"},
		{"given up by their clients, on purpose", "given up by the client"}, {"wrong", "wrong"}, {"without an answer", "without an answer"},
		{"handlers that panicked", "handlers that panic"}, {"handlers that outlasted their time", "handlers that outlast their time"},
		{"connections reset by clients", "connections reset by the client"}, {"requests cancelled by clients", "requests cancelled by the client"},
		{"kept requests asked again", "requests checked after their handlers"}, {"routes added while serving", "routes added while serving"},
		{"apps, one after the other", "apps, one after the other"},
	} {
		both(same[0], same[1], "all")
	}
	for _, level := range [][2]string{
		{"goroutines at rest, before and after", "goroutines, at rest"}, {"bytes of heap with the same routes, before and after", "heap with the same routes, bytes"},
		{"bytes of heap with nothing served, before and after", "heap, with nothing served, bytes"},
	} {
		say(security, "| "+level[0]+" | {}, {} | {}, {} |", r.numbers(soaks[0], level[1], "before", "after"), r.numbers(soaks[1], level[1], "before", "after"))
	}
	both("requests between the two of the same routes", "heap with the same routes, bytes", "requests meanwhile")
	r.ofPaths(say)
}

func (r *results) ofPaths(say sayer) {
	for title, kind := range map[string]string{
		"literals": "literals", "parameters, all read": "parameters", "parameters of `%2F`, all read": "parameters, encoded", "a rest": "rest",
		"404 at the end": "404 at the end", "unclean at the end: redirect": "unclean at the end", "final slash: redirect, segments": "final slash",
	} {
		say(security, row(title, "{}", 5), r.numbers(segments, kind, lengths[:5]...))
	}
	for _, open := range []string{"2", "4", "8"} {
		say(security, row(open+" alternatives open", "{}", 4), r.numbers(segments, "open "+open, lengths[:4]...))
	}
	say(security, "| 16 alternatives open | |"+strings.Repeat(" {} |", 3), r.numbers(segments, "open 16", lengths[1:4]...))
	for title, kind := range map[string]string{
		"parameter": "parameter", "parameter with `%2F`": "parameter, encoded", "404": "404 of one", "final slash: redirect": "final slash of one",
	} {
		say(security, row(title, "{}", 6), r.numbers(bytes, kind, lengths...))
	}
	two, sixteen := r.value(segments, "open 2", "100"), r.value(segments, "open 16", "100")
	each := (sixteen - two) / 14
	say(security, "takes about {} + {}k nanoseconds.", round(two-2*each), round(each))
}

func (r *results) ofBenchmarks(say sayer) {
	hello := table{"servers.md", "Hello with one parameter, 64 connections"}
	last := table{"servers.md", "The last of 10,000 routes"}
	profile := table{"servers.md", "Where the time goes: hello with one parameter"}
	const besides, floor, chi, gin = "CPU a request: segue / bare `net/http`", "a Go map / bare `net/http`", "segue / chi", "segue / gin"
	three := func(column string) []string {
		var out []string
		for _, scenario := range []string{"Hello with one parameter, 64 connections", "1,000 routes", "10,000 routes"} {
			out = append(out, r.nth(routing, scenario, column, 0))
		}
		return out
	}
	bounds := func(scenario, column string) []string {
		return []string{r.nth(routing, scenario, column, 1), r.nth(routing, scenario, column, 2)}
	}
	say(benchmarks, "the least of {} rounds", r.after("routers.md", "Least of "))
	say(benchmarks, "net/http takes {} µs a request and the epoll server {}.", r.numbers(hello, bare, "CPU µs a request"), r.numbers(hello, "bare epoll in C, no parsing", "CPU µs a request"))
	say(benchmarks, "{} % of segue's time is the kernel's,", r.numbers(profile, "segue", "kernel"))
	say(benchmarks, "Routing is {} % of it for one route, {} % for 1,000 and {} % for 10,000,", three("routing, of the profile"))
	say(benchmarks, "segue takes {}, {} and {} times the processor time of bare net/http there.", three(besides))
	say(benchmarks, "takes {}, {} and {} times. segue takes {}, {} and {} times what chi takes, and {}, {} and {} times what gin takes.", three(floor), three(chi), three(gin))
	say(benchmarks, "fasthttp shows what another engine gives: {} µs a request,", r.numbers(hello, "fasthttp, no routing", "CPU µs a request"))
	say(benchmarks, "the processor time is {} to {} times at 10,000 routes, where the map's is {} to {}.", bounds("10,000 routes", besides), bounds("10,000 routes", floor))
	say(benchmarks, "At 1,000 routes it answers {} times as many, and not 20.", r.numbers(table{"servers.md", "1,000 routes"}, "segue", "times Express"))
	say(benchmarks, "segue answers {} times as many; where the last route alone is asked for, {} times, and bare net/http without any routing {} times.",
		r.numbers(table{"servers.md", "10,000 routes"}, "segue", "times Express"), r.numbers(last, "segue", "times Express"), r.numbers(last, bare, "times Express"))
	bodies := table{"servers.md", "Bodies of 100 KB"}
	say(benchmarks, "segue answers {} requests a second and gin {}, and the interval of its processor time reaches {} times gin's.",
		r.numbers(bodies, "segue", "requests/s"), r.numbers(bodies, "gin", "requests/s"), bounds("Bodies of 100 KB", gin)[1:])
}
