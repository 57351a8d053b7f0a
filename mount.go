package segue

import (
	"net/http"
	"net/url"
	"slices"
	"weak"
)

// A mount hangs a router under a prefix of another.
type mount struct {
	parent *Router
	child  *Router
	prefix *pattern
}

// Mount hangs a handler under a prefix: a path such as /users or
// /orgs/{org}/users, which may hold parameters.
//
// If the handler is a *Router, its routes are joined with this router's into
// one set, in which the best route wins wherever it stands, with its
// middleware, error handlers and settings. Its handlers see the full path. It
// may be mounted in several places, and what is added to it later is seen in
// all of them.
//
// Any other handler takes the whole subtree, and sees the path without the
// prefix, "/" at least, in URL.Path and URL.RawPath alike, and the prefix's
// parameters by r.PathValue, even if it is an [http.ServeMux] with parameters
// of its own. The copy of the request that this takes is an allocation or two;
// with parameters it is a [http.Request.Clone]. A Router that is wrapped in
// something, as in Mount("/u", logging(users)), is any other handler too: its
// Use does what is wanted there.
//
// The prefix alone, with or without a final slash, is "/" to what is mounted;
// no redirect is needed. A final slash of the prefix is dropped.
//
// Mount panics with a [*PatternError] if the prefix is wrong (a method, a host,
// a rest or {$} in it, or a name that a route in the handler has too), the
// handler is nil, or a router would come to be mounted in itself, and with a
// [*ConflictError] if two routes would match the same requests. Then nothing
// has changed.
func (rt *Router) Mount(prefix string, handler http.Handler) {
	p, perr := parsePrefix(prefix)
	child, ok := handler.(*Router)
	if perr == nil && isNil(handler) {
		perr = &PatternError{Pattern: prefix, Reason: "the handler is nil"}
	}
	if perr != nil {
		perr.place = caller()
		panic(perr)
	}
	if !ok {
		child = New()
		root, _ := parseMux("/")
		child.register(root, nil, handler, true)
	}
	if err := rt.mount(p, child); err != nil {
		panic(err)
	}
}

func (rt *Router) mount(prefix *pattern, child *Router) error {
	at := caller()
	graph.Lock()
	defer graph.Unlock()
	if child.reaches(rt) {
		return &PatternError{Pattern: prefix.text, Reason: "a router cannot be mounted in itself, not even by way of others", place: at}
	}
	m := &mount{rt, child, prefix}
	var b batch
	err := child.eachEntry(func(e *entry) error {
		return b.addEntry(rt, append([]*mount{m}, e.line()...), e.route, e.route.pattern())
	})
	if err != nil {
		b.refuse()
		switch e := err.(type) {
		case *PatternError:
			e.place = at
		case *ConflictError:
			e.mounted = at
		}
		return err
	}
	rt.mounts = append(rt.mounts, m)
	child.parents = append(child.parents, weak.Make(m))
	b.stale = append(b.stale, rt)
	b.commit()
	return nil
}

// reaches reports whether other is rt or mounted somewhere in it.
func (rt *Router) reaches(other *Router) bool {
	if rt == other {
		return true
	}
	for _, m := range rt.mounts {
		if m.child.reaches(other) {
			return true
		}
	}
	return false
}

// eachEntry visits the routes of this router and those mounted in it, each
// once, until do fails.
func (rt *Router) eachEntry(do func(*entry) error) error {
	var err error
	for e := range rt.entries.all() {
		if err == nil && e.alias == written {
			err = do(e)
		}
	}
	return err
}

// A batch collects the entries of one change, so that all of them are there or
// none.
type batch struct {
	entries []batchEntry
	stale   []*Router
	made    []*Router                      // whose source tries were made for it
	own     map[*Router]map[string]*branch // the entries among themselves
}

type batchEntry struct {
	top *Router
	*entry
}

// addEntry adds a route, whose pattern is own, to the router that it comes into by
// line, and to all that mount that one.
func (b *batch) addEntry(top *Router, line []*mount, r *route, own *pattern) error {
	joined := own
	for i := len(line) - 1; i >= 0; i-- {
		var err *PatternError
		if joined, err = joinPatterns(line[i].prefix, joined); err != nil {
			err.place = r.place
			return err
		}
	}
	e := &entry{route: r}
	if len(line) > 0 {
		e.via = &via{line: line}
	}
	if joined != own {
		e.via.joined = newKept(joined)
	}
	if old := b.conflict(top, e, joined.segs); old != nil {
		return newConflict(e, old)
	}
	b.entries = append(b.entries, batchEntry{top, e})
	top.parents = slices.DeleteFunc(top.parents, func(p weak.Pointer[mount]) bool { return p.Value() == nil })
	for _, p := range top.parents {
		m := p.Value()
		if m == nil {
			continue // collected this moment
		}
		if err := b.addEntry(m.parent, append([]*mount{m}, line...), r, own); err != nil {
			return err
		}
	}
	return nil
}

// conflict looks for an entry that matches the same requests, among those that
// are there and those of this batch.
func (b *batch) conflict(top *Router, e *entry, segs []segment) *entry {
	if top.hosts == nil {
		b.made = append(b.made, top)
	}
	if root := top.sources()[e.kept().host()]; root != nil {
		if old := root.conflict(e.kept().method(), segs); old != nil {
			return old
		}
	}
	if b.own == nil {
		b.own = map[*Router]map[string]*branch{}
	}
	if b.own[top] == nil {
		b.own[top] = map[string]*branch{}
	}
	root := b.own[top][e.kept().host()]
	if root == nil {
		root = new(branch)
		b.own[top][e.kept().host()] = root
	}
	if old := root.conflict(e.kept().method(), segs); old != nil {
		return old
	}
	root.insert(segs, e)
	return nil
}

// refuse leaves every router as it was.
func (b *batch) refuse() {
	for _, rt := range b.made {
		rt.hosts = nil
	}
}

// commit has each router keep its entries, and a route's own router the route.
func (b *batch) commit() {
	var added *route
	for _, e := range b.entries {
		if len(e.line()) == 0 {
			added = e.top.keepRoute(e.route)
		}
		e.top.keep(*e.entry, added)
		b.stale = append(b.stale, e.top)
	}
	for _, rt := range b.stale {
		rt.outdate()
	}
}

// keep takes an entry into this router. added is its route as its own router
// keeps it; nil if that has it already.
func (rt *Router) keep(e entry, added *route) {
	sources := rt.sources()
	if added != nil {
		e.route = added
	}
	if e.via != nil {
		e.via = rt.keepVia(e.via)
	}
	rt.keepEntry(e).insert(sources)
	if _, rank := e.otherRoot(); rank != written {
		e.alias = rank
		rt.keepEntry(e).insert(sources)
	}
}

// sources returns the source tries of this router's routes. They are dropped
// when a table has been compiled from them, for what they take, and made again
// with the next change.
func (rt *Router) sources() map[string]*branch {
	if rt.hosts == nil {
		rt.hosts = map[string]*branch{}
		for e := range rt.entries.all() {
			e.insert(rt.hosts)
		}
	}
	return rt.hosts
}

// dropSources drops them, in the routers mounted here too.
func (rt *Router) dropSources() {
	rt.hosts = nil
	for _, m := range rt.mounts {
		m.child.dropSources()
	}
}

// place is where an entry hangs in its trie: where a mount's prefix stands for
// "/", that is not where its pattern ends.
func (e *entry) place() []segment {
	if e.alias == written {
		return e.kept().segs()
	}
	segs, _ := e.otherRoot()
	return segs
}

func (e *entry) insert(sources map[string]*branch) {
	root := sources[e.kept().host()]
	if root == nil {
		root = new(branch)
		sources[e.kept().host()] = root
	}
	root.insert(e.place(), e)
}

// otherRoot returns the other spelling of a mount's prefix for a route that is
// "/" to what is mounted there.
func (e *entry) otherRoot() ([]segment, alias) {
	if e.route.depth() != 1 {
		return nil, written
	}
	own, segs := e.route.segs()[0], e.kept().segs()
	prefix := len(segs) - 1
	switch isRest := own.kind == rest; {
	case !isRest && own != segment{}, isRest && prefix == 0, segs[0] == own:
		return nil, written
	case isRest:
		return segs[:prefix], restRoot
	case segs[prefix] != own: // a verb's "/" has no segment of its own under a prefix
		return append(segs[:prefix+1:prefix+1], segment{}), exactRoot
	}
	return segs[:prefix], exactRoot
}

// outdate marks the tables of this router and all that mount it stale.
func (rt *Router) outdate() {
	rt.table.Store(nil)
	for _, p := range rt.parents {
		if m := p.Value(); m != nil {
			m.parent.outdate()
		}
	}
}

// add joins a route into this router and every router that mounts it, or into
// none.
func (rt *Router) add(p *pattern, r *route) error {
	graph.Lock()
	defer graph.Unlock()
	r.kept = newKept(p)
	var b batch
	if err := b.addEntry(rt, nil, r, p); err != nil {
		b.refuse()
		return err
	}
	b.commit()
	return nil
}

// stripped serves a plain handler under a mount: it sees the path and the raw
// path without the prefix, and the prefix's parameters by PathValue.
type stripped struct {
	*leaf
}

func (s stripped) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	names := s.paramNames()
	values := make([]string, len(names))
	i := 0
	for _, value := range Params(r) { // r.Pattern is this route's, or it would not serve r
		values[i] = value
		i++
	}
	r2 := new(http.Request)
	if len(names) > 0 {
		// A clone has a map of other path values of its own: writing to the
		// original's would race with a middleware that still reads it.
		r2 = r.Clone(r.Context())
	} else {
		*r2 = *r
	}
	u := *r.URL
	r2.URL = &u
	stripSegments(&u, s.kept().depth()-1)
	for i, name := range names {
		addPathValue(r2, name, values[i])
	}
	if len(names) > 0 && !pathValuesFilled(r2) { // PathValues(false) when r matched: Param could not read them off this URL
		setPathValues(r2, pathNamesOf(names), values)
	}
	s.entry().route.handler.ServeHTTP(w, r2)
}

// stripSegments takes n segments off a URL's path and raw path together.
func stripSegments(u *url.URL, n int) {
	path := pathOf(u)
	for range n {
		path.cut()
	}
	if path.path == "" {
		path.path = "/"
	}
	u.Path, u.RawPath = path.path, ""
	if path.escaped {
		u.Path, u.RawPath = path.decode(path.path), path.path
	}
}
