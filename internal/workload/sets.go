package workload

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
)

// Files are the names of the route sets taken from the benchmarks that routers
// have been compared by for years.
var Files = []string{"github", "gplus", "parse", "static"}

// Load reads one of Files from a directory of route lists.
func Load(dir fs.FS, name string) (Set, error) {
	text, err := fs.ReadFile(dir, name+".txt")
	if err != nil {
		return Set{}, err
	}
	var routes []Route
	for line := range strings.Lines(string(text)) {
		method, path, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			return Set{}, fmt.Errorf("%s.txt: no route: %q", name, line)
		}
		routes = append(routes, Route{Method: method, Path: path})
	}
	return newSet(name, routes), nil
}

// Kinds are tables of one route, one for each kind of path.
func Kinds() []Set {
	one := func(name, path string) Set {
		return newSet(name, []Route{{Method: "GET", Path: path}})
	}
	return []Set{
		one("literal", "/user/repos"),
		one("param1", "/user/{name}"),
		one("param5", "/{a}/{b}/{c}/{d}/{e}"),
		one("param16", "/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j}/{k}/{l}/{m}/{n}/{o}/{p}"),
		one("rest", "/files/{path...}"),
	}
}

// resourceCalls is how many requests each of the resource sets is measured by:
// the same for each, and few enough to stay in the processor's caches, as a
// request does that was just parsed. So the sets differ in the routes alone.
const resourceCalls = 250

// Resources is a table of n routes /api/v1/resource17/{id}, measured by calls
// drawn from all of them.
func Resources(n int) Set {
	s := Set{Name: strconv.Itoa(n)}
	for i := range n {
		s.Routes = append(s.Routes, Route{Method: "GET", Path: fmt.Sprintf("/api/v1/resource%d/{id}", i)})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range resourceCalls {
		id := strconv.Itoa(random.IntN(100_000))
		s.Calls = append(s.Calls, s.Routes[random.IntN(n)].call(func(string) string { return id }))
	}
	return s
}

// Hosts is a table of n hosts with three routes each, and the same routes
// without a host.
func Hosts(n int) Set {
	var routes []Route
	for i := range n + 1 {
		host := fmt.Sprintf("tenant%d.example.com", i)
		if i == n {
			host = ""
		}
		for _, path := range []string{"/", "/users/{user}", "/repos/{owner}/{repo}"} {
			routes = append(routes, Route{Method: "GET", Host: host, Path: path})
		}
	}
	return newSet("hosts", routes)
}

// HostKinds are the kinds of hosts that Tenants is called by.
var HostKinds = []string{"exact", "parameter", "none"}

// Tenants is a table of exact hosts, of hosts whose first label is a parameter, and
// of a route without a host, measured by calls of one of HostKinds.
func Tenants(exact, parameters int, kind string) Set {
	s := Set{Name: fmt.Sprintf("exact=%d/parameters=%d/kind=%s", exact, parameters, kind)}
	first := map[string]int{"parameter": exact, "none": exact + parameters}[kind]
	for i := range exact {
		s.Routes = append(s.Routes, Route{Method: "GET", Host: fmt.Sprintf("tenant%d.example.com", i), Path: "/users/{user}"})
	}
	for i := range parameters {
		s.Routes = append(s.Routes, Route{Method: "GET", Host: fmt.Sprintf("{tenant}.zone%d.example.com", i), Path: "/users/{user}"})
	}
	s.Routes = append(s.Routes, Route{Method: "GET", Path: "/users/{user}"})
	n := map[string]int{"exact": exact, "parameter": parameters, "none": 1}[kind]
	random := rand.New(rand.NewPCG(1, 2))
	for range resourceCalls {
		value := strconv.Itoa(random.IntN(100_000))
		c := s.Routes[first+random.IntN(n)].call(func(string) string { return value })
		if kind == "none" {
			c.Host = "other" + value + ".example.com"
		}
		s.Calls = append(s.Calls, c)
	}
	return s
}

// Misses are calls that no route of the GitHub set answers: 404, 405, and
// redirects to a clean path and to a subtree's final slash.
func Misses(github Set) []Set {
	subtree := Route{Method: "GET", Path: "/assets/"}
	routes := append([]Route{subtree}, github.Routes...)
	miss := func(name string, status int, method string, targets ...string) Set {
		s := Set{Name: name, Routes: routes}
		for _, target := range targets {
			s.Calls = append(s.Calls, Call{Method: method, Host: "localhost", Target: target, Status: status})
		}
		return s
	}
	s := []Set{
		miss("404", http.StatusNotFound, "GET", "/favicon.ico", "/repos/golang/go/nothing", "/users/octocat/repos/more", "/.env"),
		miss("405", http.StatusMethodNotAllowed, "POST", "/users/octocat", "/repos/golang/go/commits", "/events"),
		miss("redirect", http.StatusTemporaryRedirect, "GET", "/users//octocat", "/repos/golang/./go", "/assets"),
	}
	redirected := []string{"GET /users/{user}", "GET /repos/{owner}/{repo}", subtree.Pattern()}
	for i := range s[2].Calls {
		s[2].Calls[i].Pattern = redirected[i]
	}
	return s
}

// Clash is n routes /page{i}/edit beside n routes /{user}/act{i}. Each page's
// node could do all that {user}'s can: copied out, n times n entries.
func Clash(n int) Set {
	var routes []Route
	for i := range n {
		routes = append(routes, Route{Method: "GET", Path: fmt.Sprintf("/page%d/edit", i)})
	}
	for i := range n {
		routes = append(routes, Route{Method: "GET", Path: fmt.Sprintf("/{user}/act%d", i)})
	}
	s := newSet("clash", routes)
	for i := range n {
		// The page's node must find what only {user} has.
		c := Route{Method: "GET", Path: routes[n+i].Path}.call(func(string) string { return fmt.Sprintf("page%d", n-1-i) })
		s.Calls = append(s.Calls, c)
	}
	return s
}

// Ladder is n routes of n segments: in the i-th, the i-th segment is a literal
// and all others are parameters. Every subset of them can be open at once.
func Ladder(n int) Set {
	var routes []Route
	for i := range n {
		routes = append(routes, ladderRoute(n, func(at int) bool { return at == i }))
	}
	return withLiterals("ladder", routes, routes[0])
}

// HardLadder has two literals in each of its routes, at every pair of places,
// and the opposite of each route of Ladder: one parameter among literals. So a
// literal and a parameter can go on at every level, on every way.
func HardLadder(n int) Set {
	var routes []Route
	for i := range n {
		routes = append(routes, ladderRoute(n, func(at int) bool { return at != i }))
		for j := range i {
			routes = append(routes, ladderRoute(n, func(at int) bool { return at == i || at == j }))
		}
	}
	return withLiterals("hardladder", routes, ladderRoute(n, func(at int) bool { return at < n-1 }))
}

// withLiterals adds the path that every route matches, to the very end.
func withLiterals(name string, routes []Route, winner Route) Set {
	s := newSet(name, routes)
	s.Calls = append(s.Calls, winner.call(func(string) string { return "lit" }))
	return s
}

func ladderRoute(n int, isLiteral func(at int) bool) Route {
	var path strings.Builder
	for at := range n {
		if isLiteral(at) {
			path.WriteString("/lit")
		} else {
			fmt.Fprintf(&path, "/{p%d}", at)
		}
	}
	return Route{Method: "GET", Path: path.String()}
}

// A CostSet is a table of routes with a bound on the memory that it may take,
// all told: routers, tries, what is compiled.
type CostSet struct {
	Set
	Bound   int64 // bytes of heap
	Overlap bool  // in ways that ServeMux refuses
}

// Costs are ordinary tables and such as would explode a construction without a
// budget. The bound is 500 KB for each 1,000 routes of some segments.
func Costs() []CostSet {
	return []CostSet{
		{Resources(1_000), 550 << 10, false},
		{Resources(10_000), 5100 << 10, false},
		{Clash(10_000), 18 << 20, false},
		{Ladder(24), 1 << 20, true},
		{HardLadder(24), 5 << 19, true}, // 7,200 segments
	}
}
