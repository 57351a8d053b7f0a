package main

// This file says what grows: for each axis its sizes, the routes of a table of
// each size, and whose tables are measured.

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/segue-go/segue"
)

// An axis is one thing that grows.
type axis struct {
	name, title string
	of          string // what a size counts
	shape       string // the routes, in a phrase
	sizes       []int
	who         []contestant
	routes      func(n int) int                // how many routes a table of size n has
	pattern     func(n, i int) string          // the i-th of them
	request     func(n, i int) request         // that it answers
	miss        func() (request, int)          // that no route answers, and its status
	alarm       func(r *Result, a axis) string // where a user notices it: see alarms.go
}

// A request is what a lookup reads.
type request struct{ method, host, path string }

// A contestant is one whose tables are measured.
type contestant struct {
	name, title string
	begin       func() table
}

// A table is a router that gets its routes.
type table struct {
	http.Handler
	register func(pattern string)
	more     func() // adds a route to a table that serves already
}

func nothing(http.ResponseWriter, *http.Request) {}

var (
	segueItself = contestant{"segue", "segue", func() table {
		app := segue.New()
		return table{app, func(p string) { app.HandleFunc(p, nothing) }, func() { app.HandleFunc("GET /more/{id}", nothing) }}
	}}
	serveMux = contestant{"servemux", "`http.ServeMux`", func() table {
		mux := http.NewServeMux()
		return table{mux, func(p string) { mux.HandleFunc(p, nothing) }, func() { mux.HandleFunc("GET /more/{id}", nothing) }}
	}}
	manyMounted = contestant{"many", "a router for each", func() table {
		app := segue.New()
		return table{app, func(p string) { app.Mount(prefixOf(p), oneRoute()) }, func() { app.HandleFunc("GET /more/{id}", nothing) }}
	}}
	oneMounted = contestant{"one", "one router in all", func() table {
		app, shared := segue.New(), oneRoute()
		return table{app, func(p string) { app.Mount(prefixOf(p), shared) }, func() { shared.GET("/more/{id}", nothing) }}
	}}
	both = []contestant{segueItself, serveMux}
)

// oneRoute returns a router to mount.
func oneRoute() *segue.Router {
	router := segue.New()
	router.GET("/{id}", nothing)
	return router
}

// prefixOf returns where a router with the route "GET /{id}" is mounted, so that
// the pattern comes out.
func prefixOf(pattern string) string {
	return strings.TrimSuffix(strings.TrimPrefix(pattern, "GET "), "/{id}")
}

var (
	powers = []int{1, 10, 100, 1_000, 10_000, 100_000, 1_000_000}
	halves = []int{1, 3, 10, 30, 100, 300, 1_000}
)

const (
	depthRoutes = 100 // of each table of the axes depth and parameters
	methodPaths = 100 // of the axis methods
)

var axes = []axis{
	{
		name: "routes", title: "Routes", of: "routes", sizes: powers[1:], who: both, alarm: alarmOfRoutes,
		shape:  "`GET /s3/r14/t31415/{id}`, a tree in which no node has more than 100 children",
		routes: itself, miss: notFound("/s0/r0/none/1"),
		pattern: func(_, i int) string { return "GET " + treePath(i) + "{id}" },
		request: func(_, i int) request { return get(treePath(i) + value(i)) },
	},
	{
		name: "siblings", title: "Siblings", of: "children of one node", sizes: powers[:6], who: both, alarm: alarmOfSiblings,
		shape:  "`GET /items/item1592`, all of them literals below one node",
		routes: itself, miss: notFound("/items/none"),
		pattern: func(_, i int) string { return "GET /items/item" + strconv.Itoa(i) },
		request: func(_, i int) request { return get("/items/item" + strconv.Itoa(i)) },
	},
	{
		name: "depth", title: "Depth", of: "segments of a path", sizes: halves, who: both, alarm: alarmOfDepth,
		shape:  "`GET /r14/d1/d2/d3…`, 100 routes of so many segments, all of them literals",
		routes: hundred, miss: notFound("/none"),
		pattern: func(n, i int) string { return "GET " + deepPath(n, i, "/d", "") },
		request: func(n, i int) request { return get(deepPath(n, i, "/d", "")) },
	},
	{
		name: "parameters", title: "Depth, in parameters", of: "segments of a path", sizes: halves, who: both, alarm: alarmOfParameters,
		shape:  "`GET /r14/{d1}/{d2}/{d3}…`, 100 routes of so many segments, all but the first of them parameters",
		routes: hundred, miss: notFound("/none"),
		pattern: func(n, i int) string { return "GET " + deepPath(n, i, "/{d", "}") },
		request: func(n, i int) request { return get(deepPath(n, i, "/value", "")) },
	},
	{
		name: "hosts", title: "Hosts", of: "hosts", sizes: powers[:6], who: both, alarm: alarmOfHosts,
		shape:  "`GET tenant1592.example.com/users/{id}`, one route for each host",
		routes: itself, miss: notFound("/none"),
		pattern: func(_, i int) string { return "GET " + host(i) + "/users/{id}" },
		request: func(_, i int) request { return request{http.MethodGet, host(i), "/users/" + value(i)} },
	},
	{
		name: "methods", title: "Methods", of: "methods", sizes: halves[:5], who: both, alarm: alarmOfMethods,
		shape:  "`GET /resource14/{id}`, 100 paths, each with a route for every method",
		routes: func(n int) int { return n * methodPaths },
		miss: func() (request, int) {
			return request{"NONE", "localhost", "/resource14/1"}, http.StatusMethodNotAllowed
		},
		pattern: func(n, i int) string { return method(i%n) + " " + resource(i/n) + "{id}" },
		request: func(n, i int) request { return request{method(i % n), "localhost", resource(i/n) + value(i)} },
	},
	{
		name: "mounts", title: "Mounts", of: "mounts", sizes: powers[:5], who: []contestant{manyMounted, oneMounted}, alarm: alarmOfMounts,
		shape:  "`GET /m1592/{id}`, where `/{id}` is the only route of the mounted router: either a router for each mount, or one router in all of them",
		routes: itself, miss: notFound("/none"),
		pattern: func(_, i int) string { return "GET /m" + strconv.Itoa(i) + "/{id}" },
		request: func(_, i int) request { return get("/m" + strconv.Itoa(i) + "/" + value(i)) },
	},
}

func axisNames() []string {
	var names []string
	for _, a := range axes {
		names = append(names, a.name)
	}
	return names
}

func itself(n int) int { return n }

func hundred(int) int { return depthRoutes }

func get(path string) request { return request{http.MethodGet, "localhost", path} }

func notFound(path string) func() (request, int) {
	return func() (request, int) { return get(path), http.StatusNotFound }
}

// value returns the i-th route's parameter in its request, of up to five digits.
func value(i int) string { return strconv.Itoa(i * 31 % 100_000) }

func treePath(i int) string {
	return "/s" + strconv.Itoa(i/10_000) + "/r" + strconv.Itoa(i/100%100) + "/t" + strconv.Itoa(i) + "/"
}

// deepPath returns a path of n segments. All but the first have a number between
// before and after.
func deepPath(n, i int, before, after string) string {
	path := append(make([]byte, 0, 12*n), "/r"...)
	path = strconv.AppendInt(path, int64(i), 10)
	for at := 1; at < n; at++ {
		path = append(path, before...)
		path = strconv.AppendInt(path, int64(at), 10)
		path = append(path, after...)
	}
	return string(path)
}

func host(i int) string { return "tenant" + strconv.Itoa(i) + ".example.com" }

func resource(i int) string { return "/resource" + strconv.Itoa(i) + "/" }

// method returns the i-th method: those that applications have, then others.
func method(i int) string {
	usual := []string{"GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE"}
	if i < len(usual) {
		return usual[i]
	}
	return "METHOD" + strconv.Itoa(i)
}
