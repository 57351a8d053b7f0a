package main

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/segue-go/segue"
)

// grow adds routes to the app that is served, a few at a time, each with a
// request that is too early and one that must find it. When an app has as many
// as it may, or some time has gone, a fresh one takes its place.
func (w *worker) grow() {
	g := &grower{worker: w, conn2: w.newConn2(1)}
	defer g.close()
	var leaving sync.WaitGroup
	defer leaving.Wait()
	for g.app = w.app.Load(); !w.over(); {
		end := time.Now().Add(min(w.length/6, time.Minute))
		for g.count = 0; g.count < w.config.routes && time.Now().Before(end) && !w.over(); {
			g.addSome()
			g.change()
			w.pause(20 * time.Millisecond)
		}
		if !w.over() {
			wait := w.expectGone(g.app)
			g.app, g.inner = w.begin(), 0
			leaving.Go(wait)
		}
	}
}

// A grower adds routes, and asks for them by both protocols.
type grower struct {
	*worker
	app     *app
	conn1   *conn1
	conn2   *conn2
	names   int   // of routes, so far
	changes int   // that were due, so far
	count   int   // routes of this app
	inner   int64 // middlewares of this app's router that is mounted twice
	last    addedRoute
}

// An addition is a change that brings routes.
type addition struct {
	routes   []addedRoute
	register func()
}

// route is one that is added by a verb or by Handle, and asked by GET.
func (g *grower) route(host, prefix, rest string, names ...string) addedRoute {
	return addedRoute{
		era: g.app.era, host: host, pattern: "GET " + host + prefix + rest, names: names,
		target: func(id string) string { return path(prefix+rest, id) },
	}
}

// additions are all the ways in which routes come.
func (g *grower) additions() []addition {
	a, at := g.app, fmt.Sprintf("/added/r%d", g.names)
	g.names++
	mounted := segue.New()
	mounted.GET("/x/*path", g.echo)
	mounted.GET("/y/{id}", g.echo)
	host := "" // the first half of an app's life no route has one
	if g.count > g.config.routes/2 {
		host = fmt.Sprintf("host%d.example", g.names)
	}
	return []addition{
		{[]addedRoute{g.route("", at, "/{id}", "id")}, func() { a.GET(at+"/:id", g.echo) }},
		{[]addedRoute{g.route("", "/one"+at, "/{id}", "id"), g.route("", "/two/{tenant}"+at, "/{id}", "tenant", "id")},
			func() { a.shared.GET(at+"/{id}", g.echo) }},
		{[]addedRoute{g.route("", at+"/mount/{tenant}", "/x/{path...}", "tenant", "path"), g.route("", at+"/mount/{tenant}", "/y/{id}", "tenant", "id")},
			func() { a.Mount(at+"/mount/{tenant}", mounted) }},
		{[]addedRoute{g.route("", at, "/with/{a}/{b}/{id}", "a", "b", "id")},
			func() { a.With(segue.Recover).GET(at+"/with/{a}/{b}/{id}", g.echo) }},
		{[]addedRoute{g.route("", at, "/group/g/{id}", "id")},
			func() { a.Group(at+"/group", segue.Recover).HandleFunc("GET /g/{id}", g.echo) }},
		{[]addedRoute{g.route(host, at, "/host/{id}", "id")},
			func() { a.HandleFunc("GET "+host+at+"/host/{id}", g.echo) }},
	}
}

// addSome adds routes in all ways. A request before gets a 404; the first one
// after must find the route.
func (g *grower) addSome() {
	additions := slices.Concat(g.additions(), g.additions(), g.additions())
	var early, late []*call
	for _, add := range additions {
		for _, route := range add.routes {
			c := g.callAdded(route)
			c.missing()
			early = append(early, c)
		}
	}
	g.ask(early)
	for _, add := range additions {
		add.register()
		for _, route := range add.routes {
			late = append(late, g.callAdded(route))
			m := g.app.Lookup(request(g.callAdded(route)))
			if m.Status != http.StatusOK || m.Route.Pattern != route.pattern {
				g.wrongAnswer("Lookup gives %d %q for the new route %q", m.Status, m.Route.Pattern, route.pattern)
			}
			g.app.add(route)
			g.last = route
			g.count++
			g.newRoutes.Add(1)
		}
	}
	g.ask(late)
}

func request(c *call) *http.Request {
	r, err := http.NewRequest(c.method, "http://localhost"+c.target, nil)
	if err != nil {
		panic(err) // calls are well formed
	}
	r.Host = c.host
	return r
}

// change is what happens now and then besides.
func (g *grower) change() {
	a := g.app
	g.changes++
	switch g.changes % 6 {
	case 1: // refused: nothing may have changed
		g.book.count(refusals)
		g.refused(g.last.pattern)
		g.ask([]*call{g.callAdded(g.last)})
	case 2:
		n := a.begun.Add(1)
		a.Use(layer("Layer", n-1))
		a.done.Add(1)
		g.uses.Add(1)
		g.ask([]*call{g.callAdded(g.last)})
	case 3:
		a.shared.Use(layer("Inner", g.inner))
		g.inner++
		g.uses.Add(1)
		c := g.newCall(kinds[0])
		c.get("GET ", true, "/one/{id}", "id")
		c.layers.inner = g.inner
		g.ask([]*call{c})
	case 4:
		g.lookIn()
	}
}

// lookIn asks the app itself, which nobody else changes.
func (g *grower) lookIn() {
	r := request(g.callAdded(g.last))
	if m := g.app.Explain(r).Match; m.Route.Pattern != g.last.pattern {
		g.wrongAnswer("Explain gives %d %q for %q", m.Status, m.Route.Pattern, g.last.pattern)
	}
	if _, pattern := g.app.Handler(r); pattern != g.last.pattern {
		g.wrongAnswer("Handler gives %q for %q", pattern, g.last.pattern)
	}
	added := 0
	for route := range g.app.Routes() {
		if strings.Contains(route.Path, "/added/") {
			added++
		}
	}
	if added != g.count {
		g.wrongAnswer("Routes lists %d of %d added routes", added, g.count)
	}
}

// refused registers a route that is there already.
func (g *grower) refused(pattern string) {
	defer func() {
		err, _ := recover().(error)
		var conflict *segue.ConflictError
		if !errors.As(err, &conflict) {
			g.wrongAnswer("%q was registered twice, and the answer was %v", pattern, err)
		}
	}()
	g.app.HandleFunc(pattern, g.echo)
}

// ask sends calls at once, every fourth over HTTP/1.1.
func (g *grower) ask(calls []*call) {
	ctx, cancel := g.clock.context(g.patience)
	defer cancel()
	var asking sync.WaitGroup
	for i, c := range calls {
		if i%4 != 0 {
			asking.Go(func() { g.ask2(g.conn2, ctx, c, nil, nil) })
			continue
		}
		if g.conn1 == nil {
			g.conn1 = g.dial(g.addr)
		}
		if g.conn1 != nil && !g.ask1(g.conn1, c) {
			g.conn1.Close()
			g.conn1 = nil
		}
	}
	asking.Wait()
}

func (g *grower) close() {
	if g.conn1 != nil {
		g.conn1.Close()
	}
	g.conn2.cut(false)
}
