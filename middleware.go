package segue

import (
	"cmp"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// A Middleware wraps a handler into another, which decides whether, and with
// what request and writer, the next one runs. It is called when the handlers
// are composed, once for each place that its router is served from, and not for
// each route or request: what it makes inside, such as a limiter or a cache,
// there is one of in each place. It must not serve or look up requests by the
// router that it is composed for, nor call its Use; registering routes is fine.
type Middleware = func(next http.Handler) http.Handler

// Chain joins middlewares into one, the first outermost. Its arguments are
// copied; later changes to a slice that was passed have no effect. It panics if
// one is nil.
func Chain(mw ...Middleware) Middleware {
	mw = slices.Clone(mw)
	checkMiddleware(mw)
	return func(next http.Handler) http.Handler {
		for _, m := range slices.Backward(mw) {
			if next = m(next); next == nil {
				panic("segue: the middleware " + funcName(m) + " returned no handler")
			}
		}
		return next
	}
}

func checkMiddleware(mw []Middleware) {
	for _, m := range mw {
		if m == nil {
			panic("segue: a middleware is nil (at " + caller().String() + ")")
		}
	}
}

// Use adds middlewares to this router, inside those that it has. They cover all
// its routes and those mounted in it, whenever these were registered, outer
// routers' first, and the 404s, 405s, redirects and automatic answers to
// OPTIONS of a router that is served itself; those of a mounted router only as
// described at [Router.NotFound].
//
// A middleware runs after matching: r.Pattern and the parameters are there, and
// a change to r.URL does not lead to another route. To act before matching, for
// example to rewrite a path or a method, wrap the router:
//
//	http.ListenAndServe(addr, rewrite(app))
//
// A request costs one call for each middleware, and for each router with
// middleware one look for the matched route. Use on a router that is being
// served composes its chain alone, with the next request; requests on their way
// finish on the former one, which for their sake is never freed. It panics if a
// middleware is nil.
func (rt *Router) Use(mw ...Middleware) {
	checkMiddleware(mw)
	rt.configure(func(c *config) {
		c.middleware = slices.Concat(c.middleware, mw)
		c.version++
	})
}

// With returns a router for routes of rt that pass some more middlewares:
//
//	app.With(cache).GET("/feed", feed)
//
// It is a [Router.Group] without a prefix, and owns no misses. It panics if a
// middleware is nil.
func (rt *Router) With(mw ...Middleware) *Router {
	return rt.born(new(pattern), true, mw)
}

// Group returns a new router with these middlewares, mounted in rt under a
// prefix: the same as New, Use and [Router.Mount]. It panics as they do.
func (rt *Router) Group(prefix string, mw ...Middleware) *Router {
	p, err := parsePrefix(prefix)
	if err != nil {
		err.place = caller()
		panic(err)
	}
	return rt.born(p, false, mw)
}

func (rt *Router) born(prefix *pattern, shared bool, mw []Middleware) *Router {
	checkMiddleware(mw)
	child := New()
	child.shared = shared
	child.middleware = slices.Clone(mw)
	if err := rt.mount(prefix, child); err != nil {
		panic(err)
	}
	return child
}

// NotFound sets what answers the 404s that this router owns: those of paths
// below its prefix that no route matches, unless a router mounted further in
// has set its own. The router with the longest matching prefix is asked first,
// then those around it. Of several at one prefix it is the first mounted one
// that has set NotFound, MethodNotAllowed or OnError. The handler runs inside the middleware of the router
// that set it, and those around.
//
// Where none is set, a 404 goes to the error handlers of the router that owns
// it ([Router.OnError]), inside the middleware of the served router alone, and
// ends as ServeMux's text. NotFound is not a route and never hides a 405. It
// panics if the handler is nil, or rt was made by [Router.With].
func (rt *Router) NotFound(handler http.Handler) {
	rt.ownsMisses("NotFound", handler)
	rt.configure(func(c *config) { c.notFound = handler })
}

// MethodNotAllowed sets what answers the 405s that this router owns: those of
// paths whose best route, over all methods, is its own, or of a router mounted
// in it that has not set its own. The handler runs inside the middleware of the
// router that owns that route, with the header Allow set (RFC 9110, section
// 15.5.6).
//
// Where none is set, a 405 goes to the error handlers, as a 404 does. It panics
// if the handler is nil, or rt was made by [Router.With].
func (rt *Router) MethodNotAllowed(handler http.Handler) {
	rt.ownsMisses("MethodNotAllowed", handler)
	rt.configure(func(c *config) { c.notAllowed = handler })
}

func (rt *Router) ownsMisses(what string, handler http.Handler) {
	switch {
	case isNil(handler):
		panic("segue: the handler for " + what + " is nil (at " + caller().String() + ")")
	case rt.shared:
		panic("segue: a router made by With owns no misses; set " + what + " on the router that With was called on (at " + caller().String() + ")")
	}
}

// A site is a router in one of the places where a root serves it from. It
// lives as long as the root, so that middlewares are composed once for it,
// whatever routes come later.
type site struct {
	root     *Router
	router   *Router
	depth    int     // how many routers lie above
	line     []*site // those, from the root, and this one
	children map[*mount]*site
	chain    http.Handler // nil if the router has no middleware
	version  int          // of the router's middlewares that chain was made from
}

func (s *site) child(m *mount) *site {
	c := s.children[m]
	if c == nil {
		c = &site{root: s.root, router: m.child, depth: s.depth + 1}
		c.line = append(slices.Clone(s.line), c)
		if s.children == nil {
			s.children = map[*mount]*site{}
		}
		s.children[m] = c
	}
	return c
}

// A composition is a chain that is to be made anew.
type composition struct {
	site       *site
	middleware []Middleware
	version    int
}

// outdated lists the sites from s on whose chain is not what their router's
// middlewares are now.
func (s *site) outdated() []composition {
	var all []composition
	if s.version != s.router.version || s.chain == nil && len(s.router.middleware) > 0 {
		all = append(all, composition{s, s.router.middleware, s.router.version})
	}
	for _, m := range s.router.mounts {
		all = append(all, s.child(m).outdated()...)
	}
	return all
}

// compile makes the table that requests are served from. Middlewares are
// composed outside of the graph's lock, so that one may register routes while
// it is built.
func (rt *Router) compile() *table {
	rt.compiling.Lock()
	defer rt.compiling.Unlock()
	for {
		if t := rt.table.Load(); t != nil {
			return t
		}
		t, todo := rt.compileOnce()
		if t != nil {
			return t
		}
		for _, c := range todo {
			if len(c.middleware) == 0 {
				c.site.chain = nil
			} else {
				c.site.chain = Chain(c.middleware...)(http.HandlerFunc(c.site.forward))
			}
			c.site.version = c.version
		}
	}
}

func (rt *Router) compileOnce() (*table, []composition) {
	graph.Lock()
	defer graph.Unlock()
	if rt.site == nil {
		rt.site = &site{root: rt, router: rt}
		rt.site.line = []*site{rt.site}
		addRoot(rt)
	}
	if todo := rt.site.outdated(); len(todo) > 0 {
		return nil, todo
	}
	t := newTable(rt)
	rt.dropSources()
	rt.last.Store(t)
	rt.table.Store(t)
	return t, nil
}

// A scope is a router in one of its places, as one table serves it: the
// settings as inherited and the chains on the way.
type scope struct {
	*site
	parent   *scope
	chained  []*scope // from the root to this one, those that have a chain
	chain    http.Handler
	config   config
	slash    SlashPolicy
	clean    bool
	values   bool
	children map[*mount]*scope
}

func newScope(s *site, parent *scope) *scope {
	sc := &scope{site: s, parent: parent, chain: s.chain, config: s.router.config, clean: true, values: true}
	if parent != nil {
		sc.slash, sc.clean, sc.values = parent.slash, parent.clean, parent.values
		sc.chained = parent.chained
	}
	if c := sc.config; c.slash != nil {
		sc.slash = *c.slash
	}
	if c := sc.config; c.clean != nil {
		sc.clean = *c.clean
	}
	if c := sc.config; c.values != nil {
		sc.values = *c.values
	}
	if sc.chain != nil {
		sc.chained = append(sc.chained[:len(sc.chained):len(sc.chained)], sc)
	}
	for _, m := range s.router.mounts {
		if sc.children == nil {
			sc.children = map[*mount]*scope{}
		}
		sc.children[m] = newScope(s.child(m), sc)
	}
	return sc
}

func (sc *scope) at(line []*mount) *scope {
	for _, m := range line {
		sc = sc.children[m]
	}
	return sc
}

// enter returns what a request runs through on its way to last within sc: the
// first chain that it has not passed when it comes out of from's, or last
// itself. from is nil at the door.
func (sc *scope) enter(from *site, last http.Handler) http.Handler {
	for _, c := range sc.chained {
		if !c.site.around(from) {
			return c.chain
		}
	}
	return last
}

// around reports whether s is other or a router around it.
func (s *site) around(other *site) bool {
	return other != nil && s.depth < len(other.line) && other.line[s.depth] == s
}

// forward ends a router's chain: it goes on to the matched route, by way of
// the next chain. Which route that is stands in the request itself.
func (s *site) forward(w http.ResponseWriter, r *http.Request) {
	t := s.root.last.Load()
	m, l := t.stateOf(r)
	switch {
	case l != nil:
		l.scope.enter(s, l.handler()).ServeHTTP(w, r)
		return
	case m != nil:
		m.target.enter(s, m).ServeHTTP(w, r)
		return
	}
	// A middleware passed on a request that this router has not seen, or that
	// another router has written its pattern into.
	a := t.resolve(r)
	if a.status != http.StatusOK {
		m = t.newMiss(a, r)
		m.target.enter(s, m).ServeHTTP(w, m.mark(w, r))
		return
	}
	a.leaf.claim(r, a.path)
	a.leaf.scope.enter(s, a.leaf.handler()).ServeHTTP(w, r)
}

// routes lists the routes in the order of [Router.Routes].
func (rt *Router) routes() []Route {
	graph.Lock()
	defer graph.Unlock()
	var all []Route
	rt.eachEntry(func(e *entry) error {
		route := e.public(e.kept().text)
		route.Middleware = funcNames(rt, e.line())
		all = append(all, route)
		return nil
	})
	slices.SortFunc(all, func(a, b Route) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	return all
}

func funcNames(rt *Router, line []*mount) []string {
	names := appendNames(nil, rt.middleware)
	for _, m := range line {
		names = appendNames(names, m.child.middleware)
	}
	return names
}

func (sc *scope) middlewareNames() []string {
	if sc == nil {
		return nil
	}
	return appendNames(sc.parent.middlewareNames(), sc.config.middleware)
}

func appendNames(names []string, mw []Middleware) []string {
	for _, m := range mw {
		names = append(names, funcName(m))
	}
	return names
}

// funcName is a function's name with its package's last element: what a reader
// of a listing recognises.
func funcName(m Middleware) string {
	name := runtime.FuncForPC(reflect.ValueOf(m).Pointer()).Name()
	return name[strings.LastIndexByte(name, '/')+1:]
}
