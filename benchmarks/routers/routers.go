// Package routers sets up each router that segue is compared with, on one
// route set and as the router's own documentation says: its own handler type,
// its own way to read parameters, its own middleware.
package routers

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/segue-go/segue/internal/workload"
)

// A Router is a row of the tables.
type Router struct {
	Name    string // as in router=chi
	Title   string
	Handler string // "standard" where it takes an http.Handler, "own" where it has a type of its own
	Floor   bool   // the map: not a router, it knows every path beforehand
	Wrong   string // the set of misses that it answers with another status, and is not measured on

	build func(Table) http.Handler
}

// Segue by default, and with nothing stored.
var (
	Segue    = Router{Name: "segue", Title: "segue", Handler: "standard", build: newSegue}
	NoValues = Router{Name: "segue-novalues", Title: "segue, `PathValues(false)`", Handler: "standard", build: newSegueNoValues}
	Map      = Router{Name: "map", Title: "map by method and whole path (the floor)", Handler: "standard", Floor: true, build: newMap}
)

// All are the rows in the order of the tables.
var All = []Router{
	Segue,
	NoValues,
	{Name: "servemux", Title: "`http.ServeMux`", Handler: "standard", build: newServeMux},
	{Name: "chi", Title: "chi", Handler: "standard", build: newChi},
	{Name: "gorilla", Title: "gorilla/mux", Handler: "standard", build: newGorilla},
	{Name: "httprouter", Title: "httprouter", Handler: "own", build: newHTTPRouter},
	{Name: "httprouter-standard", Title: "httprouter, `Handler`", Handler: "standard", build: newHTTPRouterStandard},
	{Name: "gin", Title: "gin", Handler: "own", build: newGin},
	{Name: "echo4", Title: "echo v4", Handler: "own", build: newEcho4},
	{Name: "echo5", Title: "echo v5", Handler: "own", build: newEcho5},
	{Name: "bunrouter", Title: "bunrouter", Handler: "own", Wrong: "405", build: newBunrouter},
	{Name: "httptreemux", Title: "httptreemux", Handler: "own", build: newHTTPTreeMux},
	Map,
}

// IsSegue tells segue's rows from those of its peers.
func (r Router) IsSegue() bool { return r.Name == Segue.Name || r.Name == NoValues.Name }

// Answers tells whether the router can be measured on a set: the map knows no
// misses, and bunrouter answers 404 on some paths that only other methods have.
func (r Router) Answers(s workload.Set) bool {
	return r.Wrong != s.Name && !(r.Floor && Table{Set: s}.misses())
}

// Modules are where the routers come from, for the versions in the results.
var Modules = []string{
	"github.com/go-chi/chi/v5", "github.com/gorilla/mux", "github.com/julienschmidt/httprouter", "github.com/gin-gonic/gin",
	"github.com/labstack/echo/v4", "github.com/labstack/echo/v5", "github.com/uptrace/bunrouter", "github.com/dimfeld/httptreemux/v5",
}

// A Table is what a router is loaded with.
type Table struct {
	workload.Set
	Reads       bool // the handlers read every parameter
	Middlewares int  // that only pass on

	log *answer // the handlers say here what they were given
}

// New returns the router loaded with the table.
func (r Router) New(t Table) http.Handler { return r.build(t) }

// Prepare checks that the router answers every call of the table as it must,
// and returns a Run of it.
func (r Router) Prepare(t Table) (*workload.Run, error) {
	if err := r.Verify(t); err != nil {
		return nil, err
	}
	h := r.New(t)
	if t.misses() {
		h = emptied(h)
	}
	return workload.NewRun(h, t.Set), nil
}

// Verify compares every answer with what the call expects: status, which route
// and the values of its parameters. It does so twice over: a router must not
// remember the first time.
func (r Router) Verify(t Table) error {
	var got answer
	t.log, t.Reads = &got, true
	h := r.New(t)
	for _, c := range slices.Concat(t.Calls, t.Calls) {
		got = answer{}
		w := workload.NewWriter()
		h.ServeHTTP(w, c.Request())
		if w.Status != 0 {
			got.status = w.Status
		}
		if !r.matches(got, c) {
			return fmt.Errorf("%s: %s %s: got %d %q %q, want %d %q %q", r.Name, c.Method, c.Target,
				got.status, got.pattern, got.values, c.Status, c.Pattern, c.Values)
		}
	}
	return nil
}

// matches allows a rest that begins with the slash before it, as in httprouter
// and gin. The map knows the path alone, and so no values.
func (r Router) matches(got answer, want workload.Call) bool {
	if r.Floor {
		got.values = want.Values
	}
	same := func(a, b string) bool { return a == b || a == "/"+b }
	return got.status == want.Status && got.pattern == want.Pattern && slices.EqualFunc(got.values, want.Values, same)
}

func (t Table) misses() bool { return t.Calls[0].Status >= http.StatusMultipleChoices }

// emptied empties the header after each answer, since some routers add to
// what they find there.
func emptied(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		clear(w.Header())
	})
}

// An answer is what a handler was called with.
type answer struct {
	status  int
	pattern string
	values  []string
}

// An endpoint is what the handler of a route does, in whatever type the
// router wants handlers.
type endpoint struct {
	pattern string
	names   []string
	reads   bool
	log     *answer // nil while the time counts
}

// endpoint returns the endpoint of a route. A rest is read by the name that
// the router has for it, "" for the route's own.
func (t Table) endpoint(r workload.Route, rest string) *endpoint {
	e := &endpoint{pattern: r.Pattern(), names: r.Names(), reads: t.Reads, log: t.log}
	if rest != "" && strings.HasSuffix(r.Path, "...}") {
		e.names[len(e.names)-1] = rest
	}
	return e
}

func (e *endpoint) enter() {
	if e.log != nil {
		e.log.status, e.log.pattern = http.StatusOK, e.pattern
	}
}

// see takes a value. None of the sets has an empty one.
func (e *endpoint) see(value string) {
	if value == "" {
		panic("routers: no value in " + e.pattern)
	}
	if e.log != nil {
		e.log.values = append(e.log.values, value)
	}
}

// standard is the endpoint as a standard handler.
func (e *endpoint) standard(value func(r *http.Request, name string) string) http.HandlerFunc {
	if !e.reads {
		return func(http.ResponseWriter, *http.Request) {}
	}
	return func(_ http.ResponseWriter, r *http.Request) {
		e.enter()
		for _, name := range e.names {
			e.see(value(r, name))
		}
	}
}

// passOn is a middleware that does nothing.
func passOn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}

// wrap puts the middlewares around a router that has none of its own.
func (t Table) wrap(h http.Handler) http.Handler {
	for range t.Middlewares {
		h = passOn(h)
	}
	return h
}

// colon writes a path as most routers want it: /users/:id and /files/*path.
// A router whose rest has no name gets a bare star.
func colon(path string, restHasName bool) string {
	segs := strings.Split(path, "/")
	for i, seg := range segs {
		name, isWildcard := strings.CutPrefix(seg, "{")
		name = strings.TrimSuffix(name, "}")
		rest, isRest := strings.CutSuffix(name, "...")
		switch {
		case isRest && restHasName:
			segs[i] = "*" + rest
		case isRest:
			segs[i] = "*"
		case isWildcard:
			segs[i] = ":" + name
		}
	}
	return strings.Join(segs, "/")
}
