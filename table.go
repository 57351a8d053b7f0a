package segue

import (
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"weak"
)

// A table is what a root serves from. It never changes.
type table struct {
	*forest
	hostless *methods // the forest's only methods where no route has a host, else nil
	unclean  *forest  // the routes of routers with CleanPath(false), nil if there are none
	root     *scope
	berths   slab[berth]                 // of the entries, in their order
	owners   *node                       // leads a path to the router that owns its misses
	retired  map[patternKey]*leaf        // former leaves of routes whose chains changed; shared with the table before
	cloned   bool                        // retired is this table's own
	byKey    func() map[patternKey]*leaf // made when first asked for
}

// newTable compiles all that rt serves. The graph is locked.
func newTable(rt *Router) *table {
	t := &table{root: newScope(rt.site, nil)}
	if last := rt.last.Load(); last != nil {
		t.retired = last.retired
	}
	sources := rt.sources()
	t.addLeaves(&rt.entries)
	for _, b := range sources {
		b.eachBranch(joinPeers)
	}
	kept := false
	for e := range rt.entries.all() {
		kept = kept || !e.leaf.scope.clean
	}
	t.byKey = sync.OnceValue(t.leavesByKey)
	t.forest = compileForest(sources, (*entry).inUse)
	if t.hosts == nil {
		t.hostless = t.nowhere
	}
	if kept {
		t.unclean = compileForest(sources, func(e *entry) bool { return e.inUse() && !e.leaf.scope.clean })
	}
	t.owners = t.compileOwners()
	return t
}

func (t *table) leavesByKey() map[patternKey]*leaf {
	byKey := make(map[patternKey]*leaf, t.berths.len())
	for b := range t.berths.all() {
		l, key := &b.leaf, keyOf(b.leaf.text)
		if other, seen := byKey[key]; seen && (other == nil || other.route.route != l.route.route) {
			l = nil // purego: Handle's "GET /" and GET's; the path has to tell them apart again
		}
		byKey[key] = l
	}
	return byKey
}

// inUse reports whether an entry answers under the settings that hold: under
// SlashExact a verb's "/" is the mount's prefix without the slash alone.
func (e *entry) inUse() bool {
	return e.alias != exactRoot || !e.route.verb || e.leaf.scope.slash != SlashExact
}

// addLeaves gives every entry its leaf in this table.
func (t *table) addLeaves(entries *slab[entry]) {
	var origins slab[origin]
	for e := range entries.all() {
		b := t.berths.add(berth{})
		l := &b.leaf
		segs := e.segs()
		last := segs[len(segs)-1]
		*l = leaf{
			text:   t.textOf(e),
			origin: origins.add(origin{route: e, scope: t.root.at(e.line), beside: &b.node}),
			isRest: last.kind == rest,
			named:  last.kind == rest && last.text != "",
			tail:   last.kind != literal && last.text != "",
		}
		l.findGaps(segs)
		if f := e.route.files; f != nil {
			l.serveFiles(f)
		}
		l.direct = !l.isRest && !l.isSlow
		l.serve = funcOf(l.scope.enter(nil, l.handler()))
		if l.scope.values {
			l.names = pathNamesOf(e.names())
		}
		e.leaf = l
	}
}

// joinPeers tells the leaves of one path of each other.
func joinPeers(b *branch) {
	if len(b.ends) < 2 {
		return
	}
	peers := new([]*leaf)
	for _, e := range b.ends {
		*peers = append(*peers, e.leaf)
		e.leaf.peers = peers
	}
}

// textOf returns r.Pattern for an entry. No other string has its bytes, so that
// they tell whose route it is. It has others when the chains on its way have changed,
// so that a request which matched it before still leads to the former leaf. That is
// the price of Use on a router which is being served: these leaves are never freed.
func (t *table) textOf(e *entry) string {
	old := e.leaf
	switch {
	case old == nil && len(e.line) > 0 && e.kept == &e.route.kept:
		return t.root.router.keepText(e.text) // the other routers that show it have the same bytes
	case old == nil:
		return e.text
	case !keyIsIdentity || old.scope.sameChains(t.root.at(e.line)):
		return old.text
	}
	if !t.cloned {
		t.retired, t.cloned = maps.Clone(t.retired), true
		if t.retired == nil {
			t.retired = map[patternKey]*leaf{}
		}
	}
	t.retired[keyOf(old.text)] = old.apart()
	return t.root.router.keepText(old.text)
}

// apart is a leaf for requests that have matched it, which does not hold on to
// the table that it came from.
func (l *leaf) apart() *leaf {
	o := origin{route: l.route, scope: l.scope}
	apart := *l
	apart.origin = &o
	if f := o.route.route.files; f != nil {
		apart.serveFiles(f)
	}
	apart.serve = funcOf(o.scope.enter(nil, apart.handler()))
	return &apart
}

func (sc *scope) sameChains(other *scope) bool {
	return slices.EqualFunc(sc.chained, other.chained, func(a, b *scope) bool {
		return a.site == b.site && a.config.version == b.config.version
	})
}

// funcOf spares a call where the handler is a function already.
func funcOf(h http.Handler) func(http.ResponseWriter, *http.Request) {
	if f, ok := h.(http.HandlerFunc); ok {
		return f
	}
	return h.ServeHTTP
}

// compileOwners makes a trie of all prefixes, by the same rules as routes.
func (t *table) compileOwners() *node {
	var root branch
	var add func(sc *scope, segs []segment, text string)
	add = func(sc *scope, segs []segment, text string) {
		if !sc.router.shared {
			all := append(segs[:len(segs):len(segs)], segment{kind: rest})
			l := &leaf{isRest: true, origin: &origin{scope: sc, route: &entry{kept: &kept{text: text}}}}
			root.insert(all, &entry{leaf: l})
			if len(segs) > 0 {
				root.insert(segs, &entry{leaf: l})
			}
		}
		for _, m := range sc.router.mounts {
			add(sc.children[m], append(segs[:len(segs):len(segs)], m.prefix.segs...), text+m.prefix.path)
		}
	}
	add(t.root, nil, "")
	return compile(&root, &prune{
		wanted: func(*entry) bool { return true },
		// Of routers at one prefix the one that says what to do with a miss.
		better: func(old, new *leaf) bool {
			return !old.scope.ownsMisses() && new.scope.ownsMisses()
		},
	})
}

func (sc *scope) ownsMisses() bool {
	return sc.config.notFound != nil || sc.config.notAllowed != nil || sc.config.onError != nil
}

// leafOf returns the route that r has matched in this table's root, as it was
// when it did: requests finish on the chains that they started with.
func (t *table) leafOf(r *http.Request) *leaf {
	if r.Pattern == "" {
		return nil
	}
	key := keyOf(r.Pattern)
	if l := t.byKey()[key]; l != nil {
		return l
	}
	return t.retired[key]
}

// methods holds the compiled tries of one host, one for each method that its
// routes name. Methods with the same routes share one.
type methods struct {
	get, head, post, put, patch, del *node
	others                           map[string]*node
	any                              *node // for a method that no route names
	all                              *node // every route: who answers OPTIONS, and who owns a 405
	options                          *node // the routes that name OPTIONS
	named                            []string
}

func (m *methods) root(method string) *node {
	switch method {
	case "GET":
		return m.get
	case "HEAD":
		return m.head
	case "POST":
		return m.post
	case "PUT":
		return m.put
	case "PATCH":
		return m.patch
	case "DELETE":
		return m.del
	case "OPTIONS":
		return &slowNode // several tries have a say: see optionsAt
	}
	if n := m.others[method]; n != nil {
		return n
	}
	return m.any
}

// A forest holds the compiled tries of all hosts.
type forest struct {
	nowhere *methods   // routes without a host
	bare    []*methods // these alone: what a host has that no route names
	hosts   map[string]*methods
}

// compileForest compiles the routes that keep admits.
func compileForest(hosts map[string]*branch, keep func(*entry) bool) *forest {
	f := &forest{nowhere: noMethods}
	for host, b := range hosts {
		m := compileMethods(b, keep)
		if host == "" {
			f.nowhere = m
			continue
		}
		if f.hosts == nil {
			f.hosts = map[string]*methods{}
		}
		f.hosts[host] = m
	}
	f.bare = []*methods{f.nowhere}
	return f
}

var noMethods = compileMethods(new(branch), func(*entry) bool { return false })

func compileMethods(b *branch, keep func(*entry) bool) *methods {
	m := &methods{others: map[string]*node{}, any: &emptyNode, options: &emptyNode}
	var hasAny bool
	m.named, hasAny = namedMethods(b, keep)
	if hasAny {
		m.any = compileFor(b, keep, "", false)
	}
	if slices.Contains(m.named, "OPTIONS") {
		m.options = compileFor(b, func(e *entry) bool { return keep(e) && e.method() == "OPTIONS" }, "OPTIONS", false)
	}
	roots := map[string]*node{}
	for _, method := range m.named {
		roots[method] = compileFor(b, keep, method, hasAny)
	}
	of := func(method string, instead *node) *node {
		if n := roots[method]; n != nil {
			return n
		}
		return instead
	}
	m.get = of("GET", m.any)
	m.head = of("HEAD", m.get)
	m.post, m.put = of("POST", m.any), of("PUT", m.any)
	m.patch, m.del = of("PATCH", m.any), of("DELETE", m.any)
	for method, n := range roots {
		m.others[method] = n
	}
	switch len(m.named) {
	case 0:
		m.all = m.any
	case 1:
		m.all = roots[m.named[0]] // its own routes and those for any method: that is all
	default:
		m.all = compile(b, &prune{wanted: keep, better: func(old, new *leaf) bool { return new.route.method() < old.route.method() }})
	}
	return m
}

// namedMethods returns the methods that routes name, sorted, and whether some
// route takes any.
func namedMethods(b *branch, keep func(*entry) bool) (named []string, hasAny bool) {
	last := ""
	b.visit(func(e *entry) {
		switch {
		case e.method() == "":
			hasAny = hasAny || keep(e)
		case e.method() != last && keep(e):
			last = e.method()
			if !slices.Contains(named, last) {
				named = append(named, last)
			}
		}
	})
	slices.Sort(named)
	return named, hasAny
}

// compileFor compiles the routes that can answer a method: its own, GET's for
// HEAD, and those for any method. "" stands for a method that no route names.
// With mixed, a route for any method may hide one of the method's own.
func compileFor(b *branch, keep func(*entry) bool, method string, mixed bool) *node {
	return compile(b, pruneFor(keep, method, mixed))
}

func pruneFor(keep func(*entry) bool, method string, mixed bool) *prune {
	rank := func(m string) int {
		switch {
		case m == method:
			return 0
		case m == "GET" && method == "HEAD":
			return 1
		case m == "":
			return 2
		}
		return 3
	}
	return &prune{
		second: mixed,
		wanted: func(e *entry) bool { return rank(e.method()) < 3 && keep(e) },
		better: func(old, new *leaf) bool { return rank(new.route.method()) < rank(old.route.method()) },
	}
}

// requestHost is a request's host as patterns name it: without the port, as
// ServeMux, and in the canonical form.
func requestHost(host string) string {
	if strings.IndexByte(host, ':') >= 0 {
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
	}
	return canonicalHost(host)
}

// roots are the routers that were served from, for those who hold a request
// and need to know whose route it matched.
var roots struct {
	sync.RWMutex
	all   []weak.Pointer[Router]
	sweep int // at this length those that were collected are taken out
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
