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
	leaves   []leaf // those of the entries in their order, behind two others: see ownLeaves
	entries  slab[entry]
	served   []served                    // by the leaves' numbers
	names    []*pathNames                // by the groups of hits: what their origins have, in fewer steps
	owners   *trie                       // leads a path to the router that owns its misses
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
	origins := t.addLeaves(rt)
	for _, b := range sources {
		b.eachBranch(t.joinPeers)
	}
	t.byKey = sync.OnceValue(t.leavesByKey)
	t.forest = compileForest(sources, t.leaves, t.inUse)
	if t.hosts == nil {
		t.hostless = t.nowhere
	}
	if slices.ContainsFunc(origins, func(o *origin) bool { return !o.scope.clean }) {
		t.unclean = compileForest(sources, t.leaves, func(e *entry) bool { return t.inUse(e) && !t.leaves[e.id].scope.clean })
	}
	t.owners = t.compileOwners()
	return t
}

func (t *table) leavesByKey() map[patternKey]*leaf {
	byKey := make(map[patternKey]*leaf, len(t.leaves))
	for i := firstLeaf; i < len(t.leaves); i++ {
		l, key := &t.leaves[i], keyOf(t.leaves[i].text())
		if other, seen := byKey[key]; seen && (other == nil || other.entry().route != l.entry().route) {
			l = nil // purego: Handle's "GET /" and GET's; the path has to tell them apart again
		}
		byKey[key] = l
	}
	return byKey
}

// inUse reports whether an entry answers under the settings that hold: under
// SlashExact a verb's "/" is the mount's prefix without the slash alone.
func (t *table) inUse(e *entry) bool {
	return e.alias != exactRoot || !e.route.verb || t.leaves[e.id].scope.slash != SlashExact
}

// addLeaves gives every entry its leaf in this table, and returns the origins that
// several may share.
func (t *table) addLeaves(rt *Router) (origins []*origin) {
	last := rt.last.Load()
	if last == nil {
		last = new(table)
	}
	t.entries = rt.entries.snapshot()
	t.leaves = ownLeaves(rt.entries.len())
	t.served = make([]served, len(t.leaves))
	known := map[originKey]*origin{}
	for e := range rt.entries.all() {
		l := &t.leaves[e.id]
		segs := e.kept().segs()
		*l = leaf{hit: hit{id: e.id, flags: flagsOf(segs)}}
		key := originKey{scope: t.root.at(e.line())}
		if key.scope.values {
			key.names = pathNamesOf(e.kept().names())
		}
		if known[key] == nil {
			known[key] = &origin{scope: key.scope, names: key.names, table: t, number: uint32(len(origins))}
			origins, t.names = append(origins, known[key]), append(t.names, key.names)
		}
		l.origin = known[key]
		l.group = l.number
		if l.names != nil {
			l.flags |= hasNames
			l.setGaps(segs)
		}
		if f := e.route.files; f != nil {
			l.serveFiles(f)
		}
		if l.flags&(isRest|isSlow) == 0 {
			l.flags |= isDirect
		}
		t.served[e.id] = served{t.textOf(e, last), funcOf(l.scope.enter(nil, l.handler()))}
	}
	return origins
}

// What a request that matches a route is served with.
type served struct {
	text  string                                   // r.Pattern; its bytes are the route's identity
	serve func(http.ResponseWriter, *http.Request) // the first chain on the way, or the handler
}

// An originKey is what the origins of a table differ in.
type originKey struct {
	scope *scope
	names *pathNames
}

// joinPeers tells the leaves of one path of each other.
func (t *table) joinPeers(b *branch) {
	for i, e := range b.ends {
		if next := b.ends[(i+1)%len(b.ends)]; next != e {
			t.leaves[e.id].peer = next.id
		}
	}
}

// textOf returns r.Pattern for an entry. No other string has its bytes, so that
// they tell whose route it is. It has others than in the last table when the chains
// on its way have changed, so that a request which matched it before still leads to
// the former leaf. That is the price of Use on a router which is being served: these
// leaves are never freed.
func (t *table) textOf(e *entry, last *table) string {
	keep := &t.root.router.store
	if int(e.id) >= len(last.leaves) {
		if k := e.kept(); e.via == nil || k != &e.route.kept {
			return k.text
		}
		return keep.keepText(e.route.text) // the other routers that show it have the same bytes
	}
	old := &last.leaves[e.id]
	if !keyIsIdentity || old.scope.sameChains(t.root.at(e.line())) {
		return old.text()
	}
	if !t.cloned {
		t.retired, t.cloned = maps.Clone(t.retired), true
		if t.retired == nil {
			t.retired = map[patternKey]*leaf{}
		}
	}
	t.retired[keyOf(old.text())] = old.apart()
	return keep.keepText(old.text())
}

// apart is a leaf for requests that have matched it, which does not hold on to
// the table that it came from.
func (l *leaf) apart() *leaf {
	apart := *l
	o := apart.ownOrigin()
	o.ownText, o.ownEntry, o.table, apart.peer = l.text(), l.entry(), nil, noLeaf
	if f := o.ownEntry.route.files; f != nil {
		apart.serveFiles(f)
	}
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
func (t *table) compileOwners() *trie {
	var root branch
	leaves := ownLeaves(0)
	var add func(sc *scope, segs []segment, text string)
	add = func(sc *scope, segs []segment, text string) {
		if !sc.router.shared {
			e := &entry{route: new(route), id: uint32(len(leaves))}
			leaves = append(leaves, leaf{hit: hit{id: e.id, flags: isRest}, origin: &origin{scope: sc, ownText: text, ownEntry: e}})
			root.insert(append(segs[:len(segs):len(segs)], segment{kind: rest}), e)
			if len(segs) > 0 {
				root.insert(segs, e)
			}
		}
		for _, m := range sc.router.mounts {
			add(sc.children[m], append(segs[:len(segs):len(segs)], m.prefix.segs...), text+m.prefix.path)
		}
	}
	add(t.root, nil, "")
	return compile(&root, &prune{
		leaves: leaves,
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
	get, head, post, put, patch, del *trie
	others                           map[string]*trie
	any                              *trie // for a method that no route names
	all                              *trie // every route: who answers OPTIONS, and who owns a 405
	options                          *trie // the routes that name OPTIONS
	named                            []string
}

func (m *methods) root(method string) *trie {
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
		return slowTrie // several tries have a say: see optionsAt
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

// compileForest compiles the routes that keep admits, whose leaves are among those
// given.
func compileForest(hosts map[string]*branch, leaves []leaf, keep func(*entry) bool) *forest {
	f := &forest{nowhere: noMethods}
	for host, b := range hosts {
		m := compileMethods(b, leaves, keep)
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

var noMethods = compileMethods(new(branch), nil, func(*entry) bool { return false })

func compileMethods(b *branch, leaves []leaf, keep func(*entry) bool) *methods {
	m := &methods{others: map[string]*trie{}, any: emptyTrie, options: emptyTrie}
	var hasAny bool
	m.named, hasAny = namedMethods(b, keep)
	if hasAny {
		m.any = compileFor(b, leaves, keep, "", false)
	}
	if slices.Contains(m.named, "OPTIONS") {
		m.options = compileFor(b, leaves, func(e *entry) bool { return keep(e) && e.kept().method() == "OPTIONS" }, "OPTIONS", false)
	}
	roots := map[string]*trie{}
	for _, method := range m.named {
		roots[method] = compileFor(b, leaves, keep, method, hasAny)
	}
	of := func(method string, instead *trie) *trie {
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
		m.all = compile(b, &prune{leaves: leaves, wanted: keep, better: func(old, new *leaf) bool { return new.kept().method() < old.kept().method() }})
	}
	return m
}

// namedMethods returns the methods that routes name, sorted, and whether some
// route takes any.
func namedMethods(b *branch, keep func(*entry) bool) (named []string, hasAny bool) {
	last := ""
	b.visit(func(e *entry) {
		switch {
		case e.kept().method() == "":
			hasAny = hasAny || keep(e)
		case e.kept().method() != last && keep(e):
			last = e.kept().method()
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
func compileFor(b *branch, leaves []leaf, keep func(*entry) bool, method string, mixed bool) *trie {
	return compile(b, pruneFor(leaves, keep, method, mixed))
}

func pruneFor(leaves []leaf, keep func(*entry) bool, method string, mixed bool) *prune {
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
		leaves: leaves,
		second: mixed,
		wanted: func(e *entry) bool { return rank(e.kept().method()) < 3 && keep(e) },
		better: func(old, new *leaf) bool { return rank(new.kept().method()) < rank(old.kept().method()) },
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
