package segue

// This file makes what a router serves from. A snapshot is compiled from the
// trie of all routes and the scopes of all mounted routers; it stands on trie.go
// for the automata and on middleware.go for the scopes.

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/segue-go/segue/internal/automaton"
	"github.com/segue-go/segue/internal/pathvalue"
	"github.com/segue-go/segue/internal/sendfile"
)

// A registration is what one call of a registering method left in its router.
type registration struct {
	pattern      *pattern // without the prefixes of mounts
	handler      http.Handler
	stripsPrefix bool           // a plain handler under Mount: it sees the path without the prefix
	files        *sendfile.Tree // of Static, else nil
	site         callSite
}

// A route is a registration as one router serves it: with the prefixes, the
// middleware and the settings of the routers on the way. A registration whose
// router is mounted twice is two routes.
type route struct {
	// What a request reads lies together.
	text        string                                   // r.Pattern; its bytes belong to this route only and identify it
	serve       func(http.ResponseWriter, *http.Request) // the outermost chain, or the handler
	names       *pathvalue.Names                         // what r.PathValue is filled with, nil for nothing
	gaps        [4]uint16                                // where the values stand: see setGaps
	gapCount    uint8                                    // how many values gaps has, 0 if longGaps has them
	endsInRest  bool                                     // the last segment is a rest
	endsInValue bool                                     // the last segment is a value
	spelling    spelling
	end         uint32 // the number of the trie node where it ends

	pattern    *pattern
	registered *registration
	mounts     []*mount // from the root to its router
	scope      *scope
	handler    http.Handler // what answers, inside all chains
	longGaps   *[]uint16    // of a route with more values than gaps holds
	number     uint32       // the automata's answer for it
}

// segments returns where the route ends in the trie.
func (r *route) segments() []segment {
	if r.spelling == asWritten {
		return r.pattern.segments
	}
	segments, _ := r.pattern.otherSpelling(r.registered.pattern)
	return segments
}

// A snapshot is the immutable compiled form of a router. Requests read it
// without a lock.
type snapshot struct {
	hostless *host   // the only host where no route has one, else nil: the fewer steps to it the better
	routes   []route // by number
	*hosts
	unclean  *hosts // the routes of routers with CleanPath(false), nil if there are none
	root     *scope
	lists    [][]uint32
	owners   []*scope   // those who can own a territory
	prefixes []*pattern // of the owners, then of the Statics
	byText   func() map[uintptr]*route
	older    []weak.Pointer[snapshot] // those that requests on their way may still hold
}

// hosts holds the automata of all hosts.
type hosts struct {
	named map[string]*host // the exact ones; nil if no pattern has a host
	under map[string]*host // those whose first label is a parameter, by what follows it
	none  *host            // the routes without a host
	all   []*host
}

// A host holds the automata of one host, one for each method that its routes
// name. Methods with the same routes share one.
type host struct {
	// What most requests read lies together, so that of many hosts more stay in the
	// processor's caches.
	next *host // the one that is asked after it, nil if this is the last
	get  automaton.Automaton

	key                      string               // see hostKey
	post, put, patch, delete *automaton.Automaton // the usual methods are not sought in a map
	methods                  map[string]*automaton.Automaton
	other                    *automaton.Automaton // for a method that no route names
	all                      *automaton.Automaton // every route, whatever its method: see resolve.go

	// What decides about paths that no route has: see compileTerritories.
	territories *automaton.Automaton // leads a path to one of the snapshot's owners
	covers      *automaton.Automaton // leads a path to a prefix of a router or of a Static
}

// withKey finds a host among h and those that are asked after it, nil if none has
// the key.
func (h *host) withKey(key string) *host {
	for h != nil && h.key != key {
		h = h.next
	}
	return h
}

// forMethod returns the automaton that answers a method, nil for OPTIONS, which
// resolve decides.
func (h *host) forMethod(method string) *automaton.Automaton {
	switch method {
	case http.MethodGet:
		return &h.get
	case http.MethodPost:
		return h.post
	case http.MethodPut:
		return h.put
	case http.MethodPatch:
		return h.patch
	case http.MethodDelete:
		return h.delete
	}
	if a, ok := h.methods[method]; ok {
		return a
	}
	return h.other
}

// newSnapshot compiles what a router serves. The graph is locked.
func newSnapshot(rt *Router, root *scope) *snapshot {
	s := &snapshot{root: root}
	s.byText = sync.OnceValue(s.routesByText)
	t := rt.source()
	s.routes = make([]route, automaton.First, automaton.First+len(t.routes))
	for _, r := range t.routes {
		r.number = uint32(len(s.routes))
		s.routes = append(s.routes, *r)
		s.routes[r.number].finish(s)
	}
	s.listPrefixes()
	all := allRoutes(uint32(len(s.routes)), &s.lists)
	s.hosts = s.compileHosts(t, all, func(r *route) bool { return s.routes[r.number].answers() })
	keepsUnclean := func(r *route) bool { return s.routes[r.number].answers() && !*s.routes[r.number].scope.clean }
	if slices.ContainsFunc(t.routes, keepsUnclean) {
		s.unclean = s.compileHosts(t, all, keepsUnclean)
	}
	if s.named == nil {
		s.hostless = s.none
	}
	s.compileTerritories()
	if last := rt.last.Load(); last != nil {
		s.older = append(slices.DeleteFunc(slices.Clone(last.older), func(p weak.Pointer[snapshot]) bool { return p.Value() == nil }), weak.Make(last))
	}
	return s
}

// finish completes the copy of a route that belongs to a snapshot.
func (r *route) finish(s *snapshot) {
	r.text = strings.Clone(r.pattern.text) // bytes of its own, which identify it
	r.endsInRest = r.pattern.last().kind == rest
	r.scope = s.root.at(r.mounts)
	if *r.scope.values {
		r.names = pathvalue.NamesOf(r.pattern.names())
	}
	if r.names != nil {
		r.setGaps()
	}
	switch r.handler = r.registered.handler; {
	case r.registered.stripsPrefix:
		r.handler = http.HandlerFunc(r.serveStripped)
	case r.registered.files != nil:
		r.handler = http.HandlerFunc(r.serveFiles)
	}
	r.serve = funcOf(r.scope.handlerAfter(nil, r.handler))
}

// funcOf spares a call where the handler is a function already.
func funcOf(h http.Handler) func(http.ResponseWriter, *http.Request) {
	if f, ok := h.(http.HandlerFunc); ok {
		return f
	}
	return h.ServeHTTP
}

// answers reports whether the route answers under the settings that hold: under
// SlashExact a verb's "/" is the mount's prefix in one spelling only.
func (r *route) answers() bool {
	return r.spelling != otherOfExact || !r.pattern.verb || *r.scope.slash != SlashExact
}

// routesByText finds the route of a request by the identity of its r.Pattern.
func (s *snapshot) routesByText() map[uintptr]*route {
	byText := make(map[uintptr]*route, len(s.routes))
	for i := automaton.First; i < len(s.routes); i++ {
		byText[pathvalue.Identity(s.routes[i].text)] = &s.routes[i]
	}
	return byText
}

// routeOf returns the route that r has matched in this snapshot or in an older
// one that still serves it, nil if there is none. A request finishes on what it
// started with.
func (s *snapshot) routeOf(r *http.Request) *route {
	if r.Pattern == "" {
		return nil
	}
	id := pathvalue.Identity(r.Pattern)
	if found := s.byText()[id]; found != nil {
		return found
	}
	for _, p := range s.older {
		if old := p.Value(); old != nil && old.byText()[id] != nil {
			return old.byText()[id]
		}
	}
	return nil
}

// compileHosts compiles the routes that wanted admits.
func (s *snapshot) compileHosts(t *trie, all func([]*node) uint32, wanted func(*route) bool) *hosts {
	routes, byKey := map[string][]*route{"": nil}, map[string]*host{}
	for _, p := range s.prefixes {
		routes[p.hostKey()] = nil
	}
	for key, root := range t.hosts {
		root.eachNode(func(n *node) {
			for _, r := range n.routes {
				if wanted(r) {
					routes[key] = append(routes[key], r)
				}
			}
		})
	}
	for key := range routes {
		byKey[key] = compileHost(key, routes[key], all)
	}
	return newHosts(byKey)
}

// newHosts sets for each host which one is asked after it: the one whose first
// label is a parameter, then none.
func newHosts(byKey map[string]*host) *hosts {
	hs := &hosts{none: byKey[""]}
	if len(byKey) > 1 {
		hs.named, hs.under = map[string]*host{}, map[string]*host{}
	}
	for key, h := range byKey {
		hs.all = append(hs.all, h)
		if domain, found := strings.CutPrefix(key, anyLabel); found {
			hs.under[domain], h.next = h, hs.none
		} else if key != "" {
			hs.named[key], h.next = h, hs.none
			if dot := strings.IndexByte(key, '.'); dot > 0 && byKey[anyLabel+key[dot:]] != nil {
				h.next = byKey[anyLabel+key[dot:]]
			}
		}
	}
	return hs
}

// compileHost compiles the routes of one host. Where all of them have one
// method, the automaton of that method knows everything there is to know.
func compileHost(key string, routes []*route, all func([]*node) uint32) *host {
	h := &host{key: key, methods: map[string]*automaton.Automaton{}}
	named := map[string]bool{}
	declines := false
	for _, r := range routes {
		named[r.pattern.method()] = true
		declines = declines || r.registered.files != nil
	}
	for method := range named {
		h.methods[method] = compile(trieOf(routes, method), true, bestFor(method))
		if len(named) == 1 && !declines {
			h.all = h.methods[method]
		}
	}
	if h.all == nil {
		h.all = compile(trieOf(routes), false, all)
	}
	h.other = cmp.Or(h.methods[""], empty)
	delete(h.methods, "") // other has it
	h.get = *cmp.Or(h.methods[http.MethodGet], h.other)
	h.post, h.put = cmp.Or(h.methods[http.MethodPost], h.other), cmp.Or(h.methods[http.MethodPut], h.other)
	h.patch, h.delete = cmp.Or(h.methods[http.MethodPatch], h.other), cmp.Or(h.methods[http.MethodDelete], h.other)
	if h.methods[http.MethodHead] == nil {
		h.methods[http.MethodHead] = &h.get
	}
	h.methods[http.MethodOptions] = nil
	return h
}

var empty = automaton.Build(new(automaton.State))

// trieOf returns the root of a trie of routes: of those that can answer the
// method, or of all.
func trieOf(routes []*route, method ...string) *node {
	var t trie
	root := t.newNode()
	for _, r := range routes {
		if len(method) == 0 || rank(r, method[0]) != cannot {
			end := t.grow(root, r.segments())
			end.routes = append(end.routes, r)
		}
	}
	return root
}

// listPrefixes lists what decides about paths that no route has: the prefixes of
// routers and of Statics.
func (s *snapshot) listPrefixes() {
	s.root.eachScope(func(sc *scope) {
		sc.snapshot = s
		if !sc.router.madeByWith {
			sc.owner = automaton.First + uint32(len(s.owners))
			s.owners = append(s.owners, sc)
			s.prefixes = append(s.prefixes, sc.prefix)
		}
	})
	for i := range s.routes[automaton.First:] {
		if r := &s.routes[automaton.First+i]; r.registered.files != nil && r.spelling == asWritten {
			prefix := *r.pattern
			prefix.segments = prefix.segments[:len(prefix.segments)-1]
			s.prefixes = append(s.prefixes, &prefix)
		}
	}
}

// compileTerritories compiles the prefixes of each host. A router's territory is its
// prefix and every path below it: a miss there is the router's. A Static's
// fallback stays out of the territories, and of other Statics.
func (s *snapshot) compileTerritories() {
	byHost := map[string][]*route{}
	for i, p := range s.prefixes {
		key := p.hostKey()
		byHost[key] = append(byHost[key], &route{number: uint32(automaton.First + i), pattern: p})
	}
	hosts := s.hosts.all
	if s.unclean != nil {
		hosts = slices.Concat(hosts, s.unclean.all)
	}
	for _, h := range hosts {
		h.covers = compilePrefixes(byHost[h.key], func(at []*route) uint32 { return at[0].number })
		owned := slices.DeleteFunc(slices.Clone(byHost[h.key]), func(r *route) bool { return int(r.number)-automaton.First >= len(s.owners) })
		h.territories = compilePrefixes(owned, s.ownerOf)
	}
}

// compilePrefixes makes the automaton that leads a path to the best of some
// prefixes, by the rules of routes: to the number of one of those at the same
// prefix, which choose names.
func compilePrefixes(prefixes []*route, choose func(at []*route) uint32) *automaton.Automaton {
	if len(prefixes) == 0 {
		return empty
	}
	var t trie
	root := t.newNode()
	for _, r := range prefixes {
		prefix := r.pattern.segments
		below := t.grow(root, append(prefix[:len(prefix):len(prefix)], segment{kind: rest}))
		below.routes = append(below.routes, r)
		if len(prefix) > 0 {
			end := t.grow(root, prefix)
			end.routes = append(end.routes, r)
		}
	}
	return compile(root, true, func(ends []*node) uint32 {
		if n := firstEnd(ends); n != nil {
			return choose(n.routes)
		}
		return automaton.None
	})
}

// territory returns the scope in whose territory a path lies, of the first host
// that has one.
func (s *snapshot) territory(first *host, path automaton.Path) *scope {
	var buf [8]uint32
	for h := first; h != nil; h = h.next {
		if found := h.territories.Match(path, buf[:0]); len(found) > 0 {
			return s.owners[found[0]-automaton.First]
		}
	}
	return s.root
}

// prefixOf returns the best prefix of a path, of routers and of Statics, nil if
// there is none.
func (s *snapshot) prefixOf(first *host, path automaton.Path) *pattern {
	var buf [8]uint32
	for h := first; h != nil; h = h.next {
		if found := h.covers.Match(path, buf[:0]); len(found) > 0 {
			return s.prefixes[found[0]-automaton.First]
		}
	}
	return nil
}

// ownerOf returns the number of the router, of several at one prefix, to which
// the territory belongs: the first that says what to do with a miss, else the
// innermost that contains all of them.
func (s *snapshot) ownerOf(at []*route) uint32 {
	owner := s.owners[at[0].number-automaton.First]
	for _, r := range at {
		sc := s.owners[r.number-automaton.First]
		if sc.answersMisses() {
			return r.number
		}
		for !owner.contains(sc) {
			owner = owner.parent
		}
	}
	for owner.router.madeByWith && owner.parent != nil {
		owner = owner.parent
	}
	return owner.owner // None if a router that With made is served itself: see territory
}

// contains reports whether other is sc or lies in it.
func (sc *scope) contains(other *scope) bool {
	for other != nil && other != sc {
		other = other.parent
	}
	return other != nil
}

// setGaps notes where the route's values stand in a path that is not encoded:
// each begins so many bytes after the end of the one before. The literals
// between them have fixed lengths, so that a lookup records nothing. In
// /users/{id}/posts/{post} the gaps are 7 ("/users/") and 7 ("/posts/").
func (r *route) setGaps() {
	if r.pattern.hostName() != "" {
		return // decode reads the host too
	}
	var gaps []uint16
	gap, longest := 0, 0
	for _, s := range r.pattern.segments {
		gap++
		switch {
		case s.kind == literal:
			gap += len(s.text)
		case s.hasName():
			gaps = append(gaps, uint16(gap))
			longest, gap = max(longest, gap), 0
		}
	}
	last := r.pattern.last()
	r.endsInValue = last.hasName()
	switch {
	case longest > math.MaxUint16: // decode looks for the values
	case len(gaps) > len(r.gaps):
		r.longGaps = &gaps
	default:
		r.gapCount = uint8(copy(r.gaps[:], gaps))
	}
}
