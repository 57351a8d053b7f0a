package segue

// This file holds the Router: what registers routes, what sets it up, and
// ServeHTTP. Patterns are parsed in pattern.go; a snapshot (snapshot.go) finds
// the route of a request; resolve.go decides what Find leaves open.

import (
	"fmt"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/segue-go/segue/internal/automaton"
	"github.com/segue-go/segue/internal/pathvalue"
)

// A Router matches requests to handlers by method, host and path. It is an
// [http.Handler] and takes the place of [http.ServeMux].
//
//	app := segue.New()
//	app.GET("/users/{id}", showUser)
//	http.ListenAndServe("localhost:8080", app)
//
// The package comment says how patterns are written, which route wins, and what
// is answered where no route is. The zero Router is ready to use. A Router must
// not be copied. All its methods are safe for concurrent use; routes may be
// registered while requests are served.
type Router struct {
	_ [0]sync.Mutex // so that vet forbids copies

	current atomic.Pointer[snapshot] // what requests are served from, nil when a change outdated it
	last    atomic.Pointer[snapshot] // the newest snapshot, outdated or not: for requests on their way

	// Locks are taken in this order: compiling, graph, roots.
	compiling sync.Mutex // held while a snapshot is made, so that others wait for it
	scopes    *scope     // those composed last, by compile, which keeps their chains

	// What follows is guarded by graph.
	settings      // middleware.go says how to add one
	registrations []*registration
	mounts        []*mount
	parents       []weak.Pointer[mount] // weak, so that a discarded root does not live on in its children
	madeByWith    bool                  // made by With: it shares its parent's prefix and territory
	inUse         bool                  // it has a route or a setting, or a router mounted in it has
	trie          *trie                 // of all these routes; nil while nobody registers: see source
}

// graph guards every router's registrations. Routers that are mounted into one
// another share one set of routes, and a lock for each would need an order
// between them. Requests do not take it, unless they find their snapshot
// outdated.
var graph sync.Mutex

// roots are the routers that were served from, for those who hold a request
// and need to know which router matched it.
var roots struct {
	sync.RWMutex
	all   []weak.Pointer[Router]
	sweep int // at this length, those that were collected are taken out
}

func addRoot(rt *Router) {
	roots.Lock()
	defer roots.Unlock()
	if len(roots.all) >= roots.sweep {
		roots.all = slices.DeleteFunc(roots.all, func(p weak.Pointer[Router]) bool { return p.Value() == nil })
		roots.sweep = 2*len(roots.all) + 16
	}
	roots.all = append(roots.all, weak.Make(rt))
}

// New returns a Router without routes, which answers 404. The zero Router does
// the same.
func New() *Router { return new(Router) }

// SlashPolicy says what a verb route does with its path in the other spelling:
// with a final slash where it has none, or without where it has one. It is set
// by [Router.TrailingSlash].
type SlashPolicy int

// The policies.
const (
	SlashRedirect SlashPolicy = iota // 307 to the route's own spelling: the default
	SlashExact                       // nothing: the other spelling is another path
	SlashEither                      // the route answers both
)

func (p SlashPolicy) String() string {
	switch p {
	case SlashRedirect:
		return "SlashRedirect"
	case SlashExact:
		return "SlashExact"
	case SlashEither:
		return "SlashEither"
	}
	return fmt.Sprintf("SlashPolicy(%d)", int(p))
}

// ServeHTTP hands r to the handler of the route that it matches, through the
// middleware, or answers as the package comment says.
//
//	http.ListenAndServe("localhost:8080", app)
//
// Like ServeMux it sets r.Pattern and what r.PathValue reads, and clears what an outer
// router wrote there, on every request. A panic of a handler passes through untouched,
// and w is handed on as it came.
//
// # Costs
//
// A match takes one step for each segment of the path. It allocates nothing for up to
// 8 parameters (each takes 16 bytes of blocks that are never reused), and once from 9
// on. Each percent-encoded segment that URL.Path cannot show costs one allocation. A
// miss costs a few. The first request after a change of routes or settings compiles
// them, and others wait for it.
func (rt *Router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := rt.current.Load()
	if s == nil {
		s = rt.compile()
	}
	// What follows is written out here, since a call of each part would cost a
	// twentieth of a lookup. A path that was sent clean and without encodings is
	// found by one call of Find.
	path := r.URL.Path
	number, unchecked := uint32(automaton.Undecided), 0
	if r.URL.RawPath == "" && path != "" && path[0] == '/' && r.RequestURI != "*" {
		if h := s.hostless; h == nil {
			number, unchecked = s.findByHost(r, path)
		} else {
			a := &h.get
			if r.Method != http.MethodGet { // spares most requests a call
				a = h.forMethod(r.Method)
			}
			if a != nil {
				number, unchecked = a.Find(path)
			}
		}
	}
	// Find passes no empty segment and no dot segment. But it stops where a rest
	// begins, and what the rest takes may hold some.
	if number < automaton.First || unchecked < len(path) && uncleanAt(path, unchecked-1) >= 0 {
		s.serveResolved(w, r)
		return
	}
	found := &s.routes[number]
	r.Pattern = found.text
	if found.names != nil {
		found.setValues(r)
	} else if pathvalue.Filled(r) {
		pathvalue.Clear(r)
	}
	found.serve(w, r)
	runtime.KeepAlive(s) // for routeOf, while the request is on its way
}

// findByHost finds a route where some routes have a host: the host's routes are asked
// first, then those without a host.
func (s *snapshot) findByHost(r *http.Request, path string) (number uint32, unchecked int) {
	first := s.of(r.Host)
	for h := first; h != nil; h = h.next {
		a := h.forMethod(r.Method)
		if a == nil {
			return automaton.Undecided, 0
		}
		if number, unchecked = a.Find(path); number != automaton.None {
			break
		}
	}
	if first.next != nil && number >= automaton.First && s.routes[number].endsInRest {
		return automaton.Undecided, 0 // the other spelling may be exact on the other host
	}
	return number, unchecked
}

// Handle registers a handler for a pattern in the language of [http.ServeMux]:
// [METHOD ][HOST]/path with {name}, {name...} and {$}. A trailing slash means the
// whole subtree.
//
//	app.Handle("GET example.com/files/", files)
//
// The handler sees the whole path. That holds for a *Router too: with
// Handle("/u/", users) a request for /u/7 asks users for /u/7. The answer is 404 if
// the routes of users begin without the prefix. [Router.Mount] joins such routes:
// Mount("/u", users). [Router.Explain] tells the two apart.
//
// Handle panics with a [*PatternError] if the pattern is wrong or the handler is nil,
// and with a [*ConflictError] if a route matches the same requests already. Then
// nothing has changed. Unlike ServeMux it takes patterns that overlap. It refuses
// patterns that could never match as they are meant: a standard method that is not in
// capitals, and the segments ":name", "*" and "*name".
func (rt *Router) Handle(pattern string, handler http.Handler) {
	p, err := parseMux(strings.Clone(pattern))
	rt.register(&registration{pattern: p, handler: handler}, err)
}

// HandleFunc is [Router.Handle] for a function.
func (rt *Router) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	rt.Handle(pattern, http.HandlerFunc(handler))
}

// GET registers a handler for GET requests on a path, and for HEAD requests if no
// better route names HEAD.
//
//	app.GET("/users/{id}", showUser)
//
// The path is in the language of the verbs, which the package comment describes. It is
// matched whole: /users/{id} and /users/:id have a parameter, /files/{path...} and
// /files/*path a rest.
//
// Like all verbs it panics with a [*PatternError] if the path is wrong or the handler
// is nil, and with a [*ConflictError] if a route matches the same requests already.
// Then nothing has changed.
func (rt *Router) GET(path string, handler http.HandlerFunc) {
	rt.verb(http.MethodGet, path, handler)
}

// POST registers a handler for POST requests on a path, as [Router.GET] does for GET.
func (rt *Router) POST(path string, handler http.HandlerFunc) {
	rt.verb(http.MethodPost, path, handler)
}

// PUT registers a handler for PUT requests on a path, as [Router.GET] does for GET.
func (rt *Router) PUT(path string, handler http.HandlerFunc) {
	rt.verb(http.MethodPut, path, handler)
}

// PATCH registers a handler for PATCH requests on a path, as [Router.GET] does for GET.
func (rt *Router) PATCH(path string, handler http.HandlerFunc) {
	rt.verb(http.MethodPatch, path, handler)
}

// DELETE registers a handler for DELETE requests on a path, as [Router.GET] does for GET.
func (rt *Router) DELETE(path string, handler http.HandlerFunc) {
	rt.verb(http.MethodDelete, path, handler)
}

// HEAD registers a handler for HEAD requests on a path, as [Router.GET] does
// for GET. On that path it takes them from GET's route.
func (rt *Router) HEAD(path string, handler http.HandlerFunc) {
	rt.verb(http.MethodHead, path, handler)
}

// OPTIONS registers a handler for OPTIONS requests on a path, as [Router.GET]
// does for GET. It replaces the automatic answer, 204 with Allow.
func (rt *Router) OPTIONS(path string, handler http.HandlerFunc) {
	rt.verb(http.MethodOptions, path, handler)
}

// Any registers a handler for every method on a path, as [Router.GET] does for
// GET. On the same path a route for the request's own method goes before it.
func (rt *Router) Any(path string, handler http.HandlerFunc) {
	rt.verb("", path, handler)
}

// Method registers a handler for a method on a path, as [Router.GET] does for GET.
//
//	dav.Method("PROPFIND", "/files/{path...}", propfind)
//
// The method may be any token (RFC 9110, section 5.6.2); methods are case-sensitive.
// Method panics with a [*PatternError] if the method is empty, or is a standard one
// that is not in capitals.
func (rt *Router) Method(method, path string, handler http.Handler) {
	if method == "" {
		rt.register(nil, &PatternError{Pattern: path, Reason: "the method is empty; Any registers for every method"})
	}
	rt.verb(method, path, handler)
}

func (rt *Router) verb(method, path string, handler http.Handler) {
	p, err := parseVerb(method, strings.Clone(path))
	rt.register(&registration{pattern: p, handler: handler}, err)
}

// register is where every registration ends, and the one place that panics for
// it.
func (rt *Router) register(reg *registration, perr *PatternError) {
	site := caller()
	if perr == nil && isNil(reg.handler) {
		perr = &PatternError{Pattern: reg.pattern.text, Reason: "the handler is nil"}
	}
	if perr != nil {
		perr.site = site
		panic(perr)
	}
	reg.site = site
	graph.Lock()
	defer graph.Unlock()
	var changed []*Router
	if err := rt.add(reg, reg.pattern, nil, &changed); err != nil {
		undo(changed)
		panic(err)
	}
	rt.registrations = append(rt.registrations, reg)
	rt.outdate()
}

func isNil(h http.Handler) bool {
	switch h := h.(type) {
	case nil:
		return true
	case http.HandlerFunc:
		return h == nil
	case *Router:
		return h == nil
	}
	return false
}

// configure changes a setting, under the lock.
func (rt *Router) configure(change func(*settings)) {
	graph.Lock()
	defer graph.Unlock()
	change(&rt.settings)
	rt.outdate()
}

// TrailingSlash sets what this router's verb routes do with a path in the other
// spelling: with a final slash where the route has none, or without where it has one.
//
//	app.TrailingSlash(segue.SlashEither)
//
// The policy applies if the path as sent matches nothing, or only a rest, and the other
// spelling matches exactly. Routers mounted here inherit it unless they set their own,
// whenever it is called. Patterns of [Router.Handle] always do as ServeMux does. It
// panics with an error for any other value.
func (rt *Router) TrailingSlash(policy SlashPolicy) {
	if policy < SlashRedirect || policy > SlashEither {
		panic(misuse(fmt.Sprintf("there is no %v", policy)))
	}
	rt.configure(func(s *settings) { s.slash = &policy })
}

// CleanPath sets whether a path with empty or dot segments ("//", "/./", "/../") is
// redirected to the clean path, 307, before anything else, as ServeMux does. The
// default is true.
//
//	proxy.CleanPath(false)
//
// With false such a path is first looked up as it is, only among the routes of the
// routers with this setting. There {name} takes "." and "..", never an empty segment,
// and a rest takes anything. Routers mounted here inherit the setting unless they set
// their own.
func (rt *Router) CleanPath(on bool) {
	rt.configure(func(s *settings) { s.clean = &on })
}

// PathValues sets whether [http.Request.PathValue] is filled. The default is true.
//
//	app.PathValues(false)
//
// With false a match writes no values, 0 bytes, and [http.Request.PathValue] gives only
// what somebody's SetPathValue put there. [Param], [Params] and [ParamAs] still work:
// they read the URL. Plain handlers under [Router.Mount] get the values of their prefix
// in any case. Routers mounted here inherit the setting unless they set their own.
func (rt *Router) PathValues(on bool) {
	rt.configure(func(s *settings) { s.values = &on })
}

// NotFound sets what answers the 404s of this router: those of paths in its territory
// that no route matches.
//
//	app.NotFound(http.HandlerFunc(notFoundPage))
//
// A router's territory is its prefix and every path below it. A 404 passes the
// middleware of the territory's router, and of those around it. The nearest of these
// routers that has set NotFound answers. If none has, the 404 goes to the error
// handlers ([Router.OnError]), and ends as ServeMux's text. NotFound is not a route and
// never hides a 405.
//
// NotFound panics with an error if the handler is nil, or rt was made by [Router.With].
//
// # Which territory
//
// Of nested territories the longest prefix counts. If several routers are mounted at
// one prefix, it belongs to the first mounted one that has set NotFound,
// MethodNotAllowed or OnError, and otherwise to the innermost router that contains all
// of them. A router without a route and without a setting has no territory.
func (rt *Router) NotFound(handler http.Handler) {
	rt.checkMissHandler("NotFound", handler)
	rt.configure(func(s *settings) { s.notFound = handler })
}

// MethodNotAllowed sets the handler that answers 405 for this router. It is called if the
// best route on the path, whatever its method, belongs to this router.
//
//	app.MethodNotAllowed(http.HandlerFunc(wrongMethodPage))
//
// A 405 passes the middleware of the router that has that route, and of those around
// it. The nearest of these routers that has set MethodNotAllowed answers, with the
// header Allow already set (RFC 9110, section 15.5.6). If none has, the 405 goes to the
// error handlers, as a 404 does.
//
// It panics with an error if the handler is nil, or rt was made by [Router.With].
func (rt *Router) MethodNotAllowed(handler http.Handler) {
	rt.checkMissHandler("MethodNotAllowed", handler)
	rt.configure(func(s *settings) { s.notAllowed = handler })
}

func (rt *Router) checkMissHandler(what string, handler http.Handler) {
	switch {
	case isNil(handler):
		panic(misuse("the handler for " + what + " is nil"))
	case rt.madeByWith:
		panic(misuse("no miss belongs to a router made by With; set " + what + " on the router that With was called on"))
	}
}

// Handler returns the handler that would answer r, its middleware included, and the
// pattern of the route that r matches or is redirected to, as [http.ServeMux.Handler]
// does. The pattern is "" if there is none. Handler does not change r: path values and
// r.Pattern are unset until a router has served it.
func (rt *Router) Handler(r *http.Request) (http.Handler, string) {
	s := rt.snapshot()
	a := s.resolve(r)
	switch {
	case a.status == http.StatusOK && len(a.route.scope.chains) == 0 && !a.route.registered.stripsPrefix:
		return a.route.handler, a.route.text
	case a.status == http.StatusOK:
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a.route.setMatch(r, a.path)
			a.route.serve(w, r)
			runtime.KeepAlive(s)
		}), a.route.text
	case a.status == http.StatusTemporaryRedirect && a.route != nil:
		return s.missHandler(a), a.route.text
	}
	return s.missHandler(a), ""
}

// snapshot returns what requests are served from.
func (rt *Router) snapshot() *snapshot {
	if s := rt.current.Load(); s != nil {
		return s
	}
	return rt.compile()
}

// A callSite is where in the user's code something was registered: the address
// of a call, 0 if there is none outside this package.
type callSite uintptr

// locate returns the file and the line, "" and 0 for none.
func (c callSite) locate() (file string, line int) {
	if c == 0 {
		return "", 0
	}
	f, _ := runtime.CallersFrames([]uintptr{uintptr(c)}).Next()
	return f.File, f.Line
}

func (c callSite) String() string {
	file, line := c.locate()
	if file == "" {
		return "unknown location"
	}
	return fmt.Sprintf("%s:%d", file, line)
}

var packagePrefix = reflect.TypeFor[Router]().PkgPath() + "."

// caller returns the first call site outside this package, whatever methods the
// registration went through.
func caller() callSite {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, packagePrefix) || strings.HasSuffix(f.File, "_test.go") {
			return callSite(f.PC + 1) // as Callers gives it, and CallersFrames takes it
		}
		if !more {
			return 0
		}
	}
}
