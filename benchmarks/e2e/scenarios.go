package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

// A scenario is what all servers are asked for, and how.
type scenario struct {
	name, title string
	routes      int // 0 is /hello/{name}
	middlewares int
	body        int
	closes      bool          // each request has a connection of its own
	threads     int           // of wrk, 0 for 1
	connections int           // 0 for 64
	unpinned    bool          // nothing is tied to a core
	own         bool          // our client instead of wrk
	lasting     time.Duration // in place of -duration
	long        bool          // not in a short run
	last        bool          // the last route alone is asked for, not all of them in turn
	loadOnly    bool          // no pairs and no profile
	needs       func(server) bool
}

func anyServer(s server) bool   { return !s.whole }
func routing(s server) bool     { return s.routes || s.name == "nethttp" }
func middlewares(s server) bool { return s.middlewares && !s.whole }

var scenarios = []scenario{
	{name: "hello", title: "Hello with one parameter, 64 connections", needs: anyServer},
	{name: "hello-400", title: "Hello with one parameter, `wrk -t12 -c400`, nothing pinned",
		threads: 12, connections: 400, unpinned: true, lasting: 10 * time.Second, long: true, needs: anyServer, loadOnly: true},
	{name: "routes-5", title: "5 routes", routes: 5, needs: routing, long: true},
	{name: "routes-1000", title: "1,000 routes", routes: 1_000, needs: routing},
	{name: "routes-10000", title: "10,000 routes", routes: 10_000, needs: routing, lasting: 5 * time.Second, long: true},
	{name: "last-10000", title: "The last of 10,000 routes", routes: 10_000, last: true, needs: routing, lasting: 5 * time.Second, long: true, loadOnly: true},
	{name: "connections-512", title: "512 connections for 10 seconds", connections: 512, own: true, lasting: 10 * time.Second, needs: anyServer},
	{name: "body-100k", title: "Bodies of 100 KB", body: 100 << 10, needs: anyServer},
	{name: "close", title: "A connection for each request", closes: true, needs: anyServer},
	{name: "middlewares-16", title: "Behind 16 middlewares that only pass on", middlewares: 16, needs: middlewares},
}

// threadsAndConnections are those of wrk.
func (s scenario) threadsAndConnections() (threads, connections int) {
	return max(s.threads, 1), cmp.Or(s.connections, 64)
}

// inTurn is how many routes wrk asks for, 0 for path alone.
func (s scenario) inTurn() int {
	if s.last {
		return 0
	}
	return s.routes
}

func scenarioNames() []string {
	var names []string
	for _, s := range scenarios {
		names = append(names, s.name)
	}
	return names
}

// path is where a server that is up answers.
func (s scenario) path() string {
	switch {
	case s.last:
		return fmt.Sprintf("/api/v1/resource%d/vikram", s.routes-1)
	case s.routes > 0:
		return "/api/v1/resource0/vikram"
	}
	return "/hello/vikram"
}

// A server is a program that is measured.
type server struct {
	name, title string
	routes      bool // it finds a route, and answers 404 where there is none
	middlewares bool
	whole       bool // it knows the whole paths that wrk asks for, and no others
	fixed       bool // it answers the same whatever it is asked
	engine      bool // it is a Go server on another engine than net/http's
	kind        string
}

var servers = []server{
	{name: "segue", title: "segue", routes: true, middlewares: true, kind: "go"},
	{name: "servemux", title: "`http.ServeMux`", routes: true, middlewares: true, kind: "go"},
	{name: "chi", title: "chi", routes: true, middlewares: true, kind: "go"},
	{name: "gin", title: "gin", routes: true, middlewares: true, kind: "go"},
	{name: "floor", title: "a Go map of whole paths", routes: true, middlewares: true, whole: true, kind: "go"},
	{name: "nethttp", title: "bare `net/http`, no routing", middlewares: true, kind: "go"},
	{name: "nbio-guarded", title: "segue on nbio, guarded", routes: true, middlewares: true, engine: true, kind: "go"},
	{name: "nbio", title: "segue on nbio as it comes", routes: true, middlewares: true, engine: true, kind: "go"},
	{name: "fasthttp", title: "fasthttp, no routing", engine: true, kind: "go"},
	{name: "node", title: "Node http, no routing", kind: "node"},
	{name: "express", title: "Express", routes: true, middlewares: true, kind: "node"},
	{name: "plusweb", title: "PlusWeb in C++", routes: true, kind: "cpp"},
	{name: "epoll", title: "bare epoll in C, no parsing", fixed: true, kind: "c"},
}

func serverNames() []string {
	var names []string
	for _, s := range servers {
		names = append(names, s.name)
	}
	return names
}

// command is what starts a server for a scenario.
func (b *bench) command(s server, sc scenario, addr string) []string {
	var args []string
	switch s.name {
	case "node":
		args = []string{b.node, filepath.Join(nodeDir, "http.js")}
	case "express":
		args = []string{b.node, filepath.Join(nodeDir, "express.js")}
	default:
		args = []string{filepath.Join(b.dir, s.name)}
	}
	args = append(args, "--addr", addr, "--body", strconv.Itoa(sc.body))
	if s.kind == "c" {
		if sc.closes {
			args = append(args, "--close")
		}
		return args
	}
	return append(args, "--routes", strconv.Itoa(sc.routes), "--middlewares", strconv.Itoa(sc.middlewares))
}
