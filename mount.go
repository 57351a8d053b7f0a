package segue

// This file holds routers in routers. A registration is added to the trie of its
// own router and, through the mounts, to the trie of every router that contains
// it. If one of them refuses it, it is added to none.

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"weak"

	"github.com/segue-go/segue/internal/automaton"
	"github.com/segue-go/segue/internal/pathvalue"
)

// A mount hangs a router under a prefix of another.
type mount struct {
	parent *Router
	child  *Router
	prefix *pattern
}

// Mount hangs a handler under a prefix. The prefix is a path, a host, or a host and a
// path, and may hold parameters.
//
//	app.Mount("/users", users)
//	app.Mount("/orgs/{org}/users", users)
//	app.Mount("{tenant}.example.com", shop)
//
// The prefix alone, with or without a final slash, is "/" to what is mounted there; no
// redirect is needed. A final slash of the prefix is dropped.
//
// # Routers
//
// If the handler is a *Router, its routes join this router's. They form one set, in
// which the best route wins wherever it was registered. Each keeps its router's
// middleware, error handlers and settings, and its handler sees the full path. A router
// may be mounted in several places, and what is added to it later is seen in all of
// them.
//
// A wrapped Router, as in Mount("/u", logging(users)), is an opaque handler. To add
// middleware to a mounted router, call its Use method instead: users.Use(logging).
//
// # Other handlers
//
// Any other handler takes the whole subtree. It sees the path without the prefix, at
// least "/", in URL.Path and URL.RawPath. It reads the prefix's parameters by
// r.PathValue, even if it is an [http.ServeMux] with parameters of its own.
//
// It needs no [http.StripPrefix]: in Mount("/u", http.StripPrefix("/u", users)) the
// prefix is taken off twice, and /u/7 is 404. [Router.Explain] says so.
//
// # Panics
//
// Mount panics with a [*PatternError] if the prefix is wrong: it has a method, a rest
// or {$}, a second host, or a name that a route of the mounted router has too. It does
// so also if the handler is nil, or if a router would come to be mounted in itself. It
// panics with a [*ConflictError] if two routes would match the same requests. Then
// nothing has changed. A router that mounts this one can still be the cause after the
// program has dropped it, until the garbage collector frees it.
//
// # Costs
//
// A mounted *Router costs a request nothing. Any other handler costs a copy of the
// request, one or two allocations. If the prefix has parameters, it costs an
// [http.Request.Clone].
func (rt *Router) Mount(prefix string, handler http.Handler) {
	p, perr := parsePrefix(prefix)
	child, isRouter := handler.(*Router)
	if perr == nil && isNil(handler) {
		perr = &PatternError{Pattern: prefix, Reason: "the handler is nil"}
	}
	if perr != nil {
		perr.site = caller()
		panic(perr)
	}
	if !isRouter {
		child = New()
		root, _ := parseMux("/")
		child.register(&registration{pattern: root, handler: handler, stripsPrefix: true}, nil)
	}
	if err := rt.mount(p, child); err != nil {
		panic(err)
	}
}

func (rt *Router) mount(prefix *pattern, child *Router) (err error) {
	site := caller()
	graph.Lock()
	defer graph.Unlock()
	if child.contains(rt, map[*Router]bool{}) {
		return &PatternError{Pattern: prefix.text, Reason: "a router cannot be mounted in itself, not even by way of others", site: site}
	}
	if err := rt.checkHosts(prefix, child); err != nil {
		err.site = site
		return err
	}
	m := &mount{rt, child, prefix}
	var changed []*Router
	child.eachRoute(func(reg *registration, p *pattern, mounts []*mount) {
		if err == nil {
			err = m.addThrough(reg, p, mounts, &changed)
		}
	})
	if err != nil {
		undo(changed)
		switch e := err.(type) {
		case *PatternError:
			e.site = site
		case *ConflictError:
			e.mounted = site
		}
		return err
	}
	rt.mounts = append(rt.mounts, m)
	child.parents = append(child.parents, weak.Make(m))
	if child.inUse {
		rt.outdate()
	}
	return nil
}

// checkHosts refuses a mount by which one way through the prefixes has two hosts.
// Those that routes have of their own are checked by join.
func (rt *Router) checkHosts(prefix *pattern, child *Router) *PatternError {
	outer, inner := "", child.hostInside(map[*Router]bool{})
	rt.eachAround(map[*Router]bool{}, func(around *Router) {
		for _, p := range around.parents {
			if m := p.Value(); m != nil {
				outer = cmp.Or(outer, m.prefix.host())
			}
		}
	})
	switch {
	case outer != "" && prefix.host() != "":
		return &PatternError{Pattern: prefix.text, Reason: "the router's own prefix has a host already, " + outer + "; a request has one host"}
	case inner != "" && cmp.Or(outer, prefix.host()) != "":
		return &PatternError{Pattern: prefix.text, Reason: "a prefix in what is mounted has a host already, " + inner + "; a request has one host"}
	}
	return nil
}

// hostInside returns a host that a prefix has in the mounts below rt, "" if none
// has.
func (rt *Router) hostInside(seen map[*Router]bool) (host string) {
	seen[rt] = true
	for _, m := range rt.mounts {
		if host = cmp.Or(host, m.prefix.host()); !seen[m.child] {
			host = cmp.Or(host, m.child.hostInside(seen))
		}
	}
	return host
}

// contains reports whether other is rt or mounted somewhere in it.
func (rt *Router) contains(other *Router, seen map[*Router]bool) bool {
	if rt == other {
		return true
	}
	seen[rt] = true
	return slices.ContainsFunc(rt.mounts, func(m *mount) bool {
		return !seen[m.child] && m.child.contains(other, seen)
	})
}

// eachRoute visits the routes of this router and of those mounted in it, with
// their patterns and the mounts on the way as this router sees them.
func (rt *Router) eachRoute(visit func(reg *registration, p *pattern, mounts []*mount)) {
	for _, reg := range rt.registrations {
		visit(reg, reg.pattern, nil)
	}
	for _, m := range rt.mounts {
		if !m.child.inUse {
			continue
		}
		m.child.eachRoute(func(reg *registration, p *pattern, mounts []*mount) {
			joined, _ := m.prefix.join(p) // it was joined before, without an error
			visit(reg, joined, slices.Concat([]*mount{m}, mounts))
		})
	}
}

// source returns the trie of this router's routes. It is dropped when a snapshot
// has been compiled from it, for what it takes, and made again with the next
// change.
func (rt *Router) source() *trie {
	if rt.trie == nil {
		rt.trie = new(trie)
		rt.eachRoute(func(reg *registration, p *pattern, mounts []*mount) {
			rt.trie.add(&route{registered: reg, pattern: p, mounts: mounts})
		})
	}
	return rt.trie
}

// dropTries drops the tries of this router and of those mounted in it.
func (rt *Router) dropTries() {
	if rt.trie == nil {
		return
	}
	rt.trie = nil
	for _, m := range rt.mounts {
		m.child.dropTries()
	}
}

// add adds a route to the trie of rt and of every router around it. It lists the
// routers whose tries have changed, for undo.
func (rt *Router) add(reg *registration, p *pattern, mounts []*mount, changed *[]*Router) error {
	*changed = append(*changed, rt)
	added := &route{registered: reg, pattern: p, mounts: mounts}
	if old := rt.source().add(added); old != nil {
		return &ConflictError{New: added.public(), Old: old.public()}
	}
	rt.parents = slices.DeleteFunc(rt.parents, func(p weak.Pointer[mount]) bool { return p.Value() == nil })
	for _, parent := range rt.parents {
		if m := parent.Value(); m != nil { // else collected this moment
			if err := m.addThrough(reg, p, mounts, changed); err != nil {
				return err
			}
		}
	}
	return nil
}

// addThrough adds a route of a mounted router to the router that mounts it.
func (m *mount) addThrough(reg *registration, p *pattern, mounts []*mount, changed *[]*Router) error {
	joined, err := m.prefix.join(p)
	if err != nil {
		err.site = reg.site
		return err
	}
	return m.parent.add(reg, joined, slices.Concat([]*mount{m}, mounts), changed)
}

// undo leaves the routers as they were: the tries are made again without the
// routes that were added.
func undo(changed []*Router) {
	for _, rt := range changed {
		rt.trie = nil
	}
}

// outdate marks this router, and every router around it, as changed.
func (rt *Router) outdate() {
	rt.eachAround(map[*Router]bool{}, func(rt *Router) {
		rt.inUse = true
		rt.current.Store(nil)
	})
}

// eachAround visits rt and every router around it once.
func (rt *Router) eachAround(seen map[*Router]bool, visit func(*Router)) {
	if seen[rt] {
		return
	}
	seen[rt] = true
	visit(rt)
	for _, p := range rt.parents {
		if m := p.Value(); m != nil {
			m.parent.eachAround(seen, visit)
		}
	}
}

// serveStripped serves a plain handler under a mount: it sees the path and the raw
// path without the prefix, and the prefix's parameters by PathValue.
func (r *route) serveStripped(w http.ResponseWriter, req *http.Request) {
	names := r.pattern.names()
	values := make([]string, 0, len(names))
	for _, value := range Params(req) { // req.Pattern is this route's, or it would not serve req
		values = append(values, value)
	}
	inner := new(http.Request)
	if len(names) > 0 {
		// A clone has a map of other path values of its own: writing to the
		// original's would race with a middleware that still reads it.
		inner = req.Clone(req.Context())
	} else {
		*inner = *req
	}
	u := *req.URL
	inner.URL = &u
	stripSegments(&u, len(r.pattern.segments)-1)
	for i, name := range names {
		pathvalue.Add(inner, name, values[i])
	}
	if len(names) > 0 && !pathvalue.Filled(inner) { // PathValues(false) when req matched: Param could not read them off this URL
		pathvalue.Set(inner, pathvalue.NamesOf(names), values[:len(names)])
	}
	defer shareForm(req, inner)
	r.registered.handler.ServeHTTP(w, inner)
}

// shareForm gives r the form that was parsed from a copy of it. The server
// removes the temporary files of the request that it made, which would not be
// found otherwise.
func shareForm(r, copied *http.Request) {
	if r.MultipartForm == nil {
		r.MultipartForm = copied.MultipartForm
	}
}

// stripSegments takes n segments off a URL's path and raw path together.
func stripSegments(u *url.URL, n int) {
	path := pathOf(u)
	for range n {
		path.Skip()
	}
	if path.Text == "" {
		path.Text = "/"
	}
	if u.Path, u.RawPath = path.Text, ""; path.Escaped {
		u.Path, u.RawPath = "/"+path.Rest(), path.Text
	}
}

// pathOf returns the path that a request is matched by: URL.Path, unless the
// encoded form says something that URL.Path cannot, such as a slash inside a
// segment.
func pathOf(u *url.URL) automaton.Path {
	if u.RawPath != "" && u.RawPath == u.EscapedPath() {
		return automaton.Path{Text: u.RawPath, Escaped: true}
	}
	return automaton.Path{Text: u.Path}
}
