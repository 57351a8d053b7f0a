package segue

// This file holds middleware: how it is added, how it is joined, and how the
// chains of nested routers are composed. Each router's middleware becomes one
// chain for each place where a root serves the router; a scope is the router in
// that place. Matching, in snapshot.go and resolve.go, knows scopes only as the
// owners of routes and misses.

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// A Middleware wraps a handler into another one. The outer handler decides whether the
// next one runs, with what request and with what writer:
//
//	func logging(next http.Handler) http.Handler {
//		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
//			next.ServeHTTP(w, r)
//			log.Println(r.Method, r.Pattern)
//		})
//	}
//
// It is called when the handlers are composed: once for each place where its router
// is mounted or served, never for a route or a request. State that it creates, such
// as a limiter or a cache, exists once for each of these places.
//
// While it is called it may register routes. It must not run next yet, nor call Use
// of the router that it is composed for. It must not ask that router, or one in which
// that router is mounted, for an answer or a list, as by ServeHTTP, Lookup or Routes:
// the answer would wait for this call to return.
type Middleware = func(next http.Handler) http.Handler

// Chain joins middlewares into one. The first is outermost.
//
//	app.Use(segue.Chain(logging, segue.Recover))
//
// It copies its arguments. It panics with an error if one is nil.
//
//go:noinline
func Chain(mw ...Middleware) Middleware {
	mw = slices.Clone(mw)
	checkMiddleware(mw)
	return func(next http.Handler) http.Handler {
		if list, ok := next.(*members); ok {
			list.of = mw
			return next
		}
		for _, m := range slices.Backward(mw) {
			if next = m(next); next == nil {
				panic(fmt.Errorf("segue: the middleware %s returned a nil handler", funcName(m)))
			}
		}
		return next
	}
}

// members is the handler that a Chain is asked by what it has joined.
type members struct {
	http.Handler
	of []Middleware
}

// isChain reports whether Chain made m: it has the code of what Chain returns,
// which is one function as long as Chain is not inlined.
func isChain(m Middleware) bool { return reflect.ValueOf(m).Pointer() == chainCode }

var chainCode = reflect.ValueOf(Chain()).Pointer()

// withMembers lists middlewares, each Chain before its members.
func withMembers(mw []Middleware) (all []Middleware) {
	for _, m := range mw {
		if all = append(all, m); isChain(m) {
			list := new(members)
			m(list)
			all = append(all, withMembers(list.of)...)
		}
	}
	return all
}

func checkMiddleware(mw []Middleware) {
	for _, m := range mw {
		if m == nil {
			panic(misuse("a middleware is nil"))
		}
	}
}

// misuse is the error of a call that is wrong without a pattern.
func misuse(what string) error {
	return errors.New("segue: " + what + " (at " + caller().String() + ")")
}

// Use adds middlewares to this router, inside those that it has.
//
//	app.Use(logging, segue.Recover) // logging is outside
//
// They cover all routes of this router and of the routers mounted in it, whenever
// these were registered. The middleware of outer routers runs first. The 404s below
// the router's prefix pass them too, and so do the 405s, redirects and automatic
// answers to OPTIONS of its routes. Use panics with an error if a middleware is nil.
//
// A middleware runs after matching: r.Pattern and the parameters are there, and a
// change to r.URL does not lead to another route. To act before matching, for example
// to rewrite a path or a method, wrap the router:
//
//	http.ListenAndServe(addr, rewrite(app))
//
// # Costs
//
// A request costs one call for each middleware, and one map lookup for each router
// that has middleware. Use may be called while the router is served. The next request
// then composes this router's chain, and no other. Requests on their way finish on the
// old one.
func (rt *Router) Use(mw ...Middleware) {
	checkMiddleware(mw)
	rt.configure(func(s *settings) {
		s.middleware = slices.Concat(s.middleware, mw)
		s.version++
	})
}

// With returns a router for routes of rt that pass some more middlewares:
//
//	app.With(cache).GET("/feed", feed)
//
// It is a [Router.Group] without a prefix, and no miss belongs to it. It panics with
// an error if a middleware is nil.
func (rt *Router) With(mw ...Middleware) *Router {
	return rt.newChild(new(pattern), true, mw)
}

// Group returns a new router that is mounted in rt under a prefix and has these
// middlewares:
//
//	admin := app.Group("/admin", requireAdmin)
//	admin.GET("/users", listUsers) // GET /admin/users
//
// It is the same as [New], [Router.Use] and [Router.Mount], and panics as they
// do.
func (rt *Router) Group(prefix string, mw ...Middleware) *Router {
	p, err := parsePrefix(prefix)
	if err != nil {
		err.site = caller()
		panic(err)
	}
	return rt.newChild(p, false, mw)
}

func (rt *Router) newChild(prefix *pattern, shared bool, mw []Middleware) *Router {
	checkMiddleware(mw)
	child := New()
	child.madeByWith = shared
	child.middleware = slices.Clone(mw)
	child.inUse = len(mw) > 0
	if err := rt.mount(prefix, child); err != nil {
		panic(err)
	}
	return child
}

// A chain is a router's middleware, composed for one place. It outlives
// snapshots: a change of routes composes nothing again.
type chain struct {
	root       *Router
	mounts     []*mount // from the root to the router: the place
	middleware []Middleware
	version    int
	handler    http.Handler // nil until it is composed
}

// passed reports whether a request that leaves the chain by has run through c. That is
// so if c's place is by's place or around it. Places are compared, so that a chain
// composed since then counts as passed too.
func (c *chain) passed(by *chain) bool {
	return by != nil && len(c.mounts) <= len(by.mounts) && slices.Equal(c.mounts, by.mounts[:len(c.mounts)])
}

// next ends a chain: it goes on to what the request has matched, through the
// chains that are left. The request itself tells what that is.
func (c *chain) next(w http.ResponseWriter, r *http.Request) {
	s := c.root.last.Load()
	if s == nil {
		panic(fmt.Errorf("segue: the middleware %s or one inside it called the next handler before all were composed", funcName(c.middleware[0])))
	}
	if found := s.routeOf(r); found != nil {
		found.scope.handlerAfter(c, found.handler).ServeHTTP(w, r)
		return
	}
	m := missOf(r)
	if m == nil || m.root != c.root {
		// A middleware passed on a request that this router has not seen, or
		// that another router has written its pattern into.
		a := s.resolve(r)
		if a.status == http.StatusOK {
			a.route.setMatch(r, a.path)
			a.route.scope.handlerAfter(c, a.route.handler).ServeHTTP(w, r)
			runtime.KeepAlive(s) // for routeOf, while the request is on its way
			return
		}
		m = s.newMiss(a, r)
		r = m.setOn(w, r)
	}
	m.about.handlerAfter(c, m).ServeHTTP(w, r)
}

// A scope is a router in one of the places where a root serves it, with the
// settings that hold there. It belongs to one snapshot.
type scope struct {
	snapshot *snapshot
	router   *Router
	parent   *scope
	prefix   *pattern // of its territory
	owner    uint32   // the number of an owner of territories; None for a router that With made
	settings          // its own, and where they are inherited, those around it
	chain    *chain   // of its own middleware, nil without
	chains   []*chain // from the root to here
	children map[*mount]*scope
}

// newScope makes the scope of rt and of what is mounted in it. A chain of the
// scope before is kept while the middleware is the same. Routers without routes
// and settings have no scope: they could answer nothing.
func newScope(root, rt *Router, parent *scope, mounts []*mount, before *scope) *scope {
	sc := &scope{router: rt, parent: parent, settings: rt.settings, prefix: new(pattern)}
	if parent == nil {
		sc.inherit(&defaults)
	} else {
		sc.inherit(&parent.settings)
		sc.prefix = parent.prefix.append(mounts[len(mounts)-1].prefix)
		sc.chains = parent.chains
	}
	if len(rt.middleware) > 0 {
		if before != nil && before.chain != nil && before.chain.version == rt.version {
			sc.chain = before.chain
		} else {
			sc.chain = &chain{root: root, mounts: mounts, middleware: rt.middleware, version: rt.version}
		}
		sc.chains = append(sc.chains[:len(sc.chains):len(sc.chains)], sc.chain)
	}
	for _, m := range rt.mounts {
		if !m.child.inUse {
			continue
		}
		if sc.children == nil {
			sc.children = map[*mount]*scope{}
		}
		var child *scope
		if before != nil {
			child = before.children[m]
		}
		sc.children[m] = newScope(root, m.child, sc, append(mounts[:len(mounts):len(mounts)], m), child)
	}
	return sc
}

// at returns the scope where mounts lead.
func (sc *scope) at(mounts []*mount) *scope {
	for _, m := range mounts {
		sc = sc.children[m]
	}
	return sc
}

// eachScope visits sc and the scopes in it, in the order of mounting.
func (sc *scope) eachScope(visit func(*scope)) {
	visit(sc)
	for _, m := range sc.router.mounts {
		if child := sc.children[m]; child != nil {
			child.eachScope(visit)
		}
	}
}

// uncomposed lists the chains that are still to be composed.
func (sc *scope) uncomposed() []*chain {
	var all []*chain
	sc.eachScope(func(sc *scope) {
		if sc.chain != nil && sc.chain.handler == nil {
			all = append(all, sc.chain)
		}
	})
	return all
}

// compile returns the snapshot that requests are served from, and makes it if a
// change has outdated the last one. Middleware is called without the graph's
// lock, so that it may register routes.
func (rt *Router) compile() *snapshot {
	rt.compiling.Lock()
	defer rt.compiling.Unlock()
	for {
		s, todo := rt.tryCompile()
		if s != nil {
			return s
		}
		for _, c := range todo {
			c.handler = Chain(c.middleware...)(http.HandlerFunc(c.next))
		}
	}
}

// tryCompile returns the current snapshot, which it makes if there is none. If
// chains are to be composed first, it returns them instead.
func (rt *Router) tryCompile() (*snapshot, []*chain) {
	graph.Lock()
	defer graph.Unlock()
	if s := rt.current.Load(); s != nil {
		return s, nil
	}
	rt.scopes = newScope(rt, rt, nil, nil, rt.scopes)
	if todo := rt.scopes.uncomposed(); len(todo) > 0 {
		return nil, todo
	}
	s := newSnapshot(rt, rt.scopes)
	rt.dropTries()
	if rt.last.Swap(s) == nil {
		addRoot(rt) // now that scopeOf finds a snapshot in it, and before a request can match
	}
	rt.current.Store(s)
	return s, nil
}

// handlerAfter returns what runs after the chain from, on the way into sc: the next
// chain inward, or last. from is nil at the start.
func (sc *scope) handlerAfter(from *chain, last http.Handler) http.Handler {
	for _, c := range sc.chains {
		if !c.passed(from) {
			return c.handler
		}
	}
	return last
}

// middlewares lists the middlewares from the root to sc, outermost first, each
// Chain before its members.
func (sc *scope) middlewares() (all []Middleware) {
	for _, c := range sc.chains {
		all = append(all, withMembers(c.middleware)...)
	}
	return all
}

// funcName is a function's name after the last slash of its package's path:
// what a reader of a listing recognises.
func funcName(m Middleware) string {
	name := runtime.FuncForPC(reflect.ValueOf(m).Pointer()).Name()
	return name[strings.LastIndexByte(name, '/')+1:]
}

// settings is what can be set on a router beside its routes. To add one that
// mounted routers inherit, add a field that is nil where a router has not set it, its
// value in defaults and a line in inherit, and read it from a route's scope.
type settings struct {
	middleware []Middleware
	version    int // counts the changes of middleware
	onError    []func(http.ResponseWriter, *http.Request, error) error
	notFound   http.Handler
	notAllowed http.Handler

	// Inherited; nil where a router has not set its own.
	slash         *SlashPolicy
	clean, values *bool
}

var defaults = settings{slash: new(SlashPolicy), clean: ptr(true), values: ptr(true)}

func ptr[T any](v T) *T { return &v }

func (s *settings) inherit(outer *settings) {
	s.slash = cmp.Or(s.slash, outer.slash)
	s.clean = cmp.Or(s.clean, outer.clean)
	s.values = cmp.Or(s.values, outer.values)
}

// answersMisses reports whether the router itself says what to do with a miss.
func (s *settings) answersMisses() bool {
	return s.notFound != nil || s.notAllowed != nil || len(s.onError) > 0
}
