package segue

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A Trace is what [Router.Explain] tells of a request.
type Trace struct {
	Match Match  // what [Router.Lookup] returns
	Steps []Step // one for each segment that was looked at

	// Nearest holds, for a 404 or 405, the routes that come nearest, at most
	// five: those of the same path by another method, then in the other
	// spelling of the final slash, then on another host, then by how many
	// letters differ.
	Nearest []Route

	why     []string // of each of Nearest
	notes   []string // what went before the steps
	request string   // method, host and path as they came
	ended   bool     // a miss: the path ended before any route did
	routes  []Route  // all of them, for a trace of no request
}

// A Step is what happened at one segment of a path. The steps go along the
// spelling of the path that decided: of a redirect, the one that it leads to.
type Step struct {
	Segment string // decoded; the last one holds all that is left where only a rest is

	// Node names the compiled trie's node behind the segment: the branches
	// that are open there, best first. More than one is what compiling merged,
	// so that a lookup need not go back. None is open where only a rest can
	// take what follows, or nothing.
	Node []string

	// How the route that answers takes the segment: "literal", "parameter" or
	// "rest". On a miss it is the route that got furthest, and "" where it
	// ended. A rest has its value in the step where it begins.
	Kind        string
	Name, Value string

	Open []Route // the routes that can still win, best first; where the path ends, those that match
	Rule string  // why the winner wins over routes that match too, where the rule applies here
	Wide bool    // the step was made side by side in several branches: the budget for compiling was used up

	verdicts []verdict
}

// Explain returns how a request is matched, without serving it: what
// [Router.Lookup] returns, each step on the way, the routes that were open
// there, by which rule the winner won, and on a miss where it ended and which
// routes are nearest. The trace's String draws that for a terminal.
//
// With nil for the request there is nothing to follow, and String draws all of
// the router's routes as a tree.
//
// Explain is for people. It visits every route and allocates as it needs; it
// takes no lock that requests wait for, but like them it compiles the routes
// first if they changed.
func (rt *Router) Explain(r *http.Request) Trace {
	if r == nil {
		return Trace{routes: rt.routes()}
	}
	t := rt.current()
	x := &explainer{forest: t.forest, answer: t.resolve(r), method: r.Method, host: r.Host}
	x.trace.Match = x.answer.match()
	x.trace.request = requestText(r)
	x.choosePath(t, r)
	x.chooseTrie()
	x.judge()
	if x.status == http.StatusNotFound || x.status == http.StatusMethodNotAllowed {
		x.seekNearest(t.forest, pathOf(r.URL))
	}
	return x.trace
}

// match is the answer as [Router.Lookup] returns it.
func (a answer) match() Match {
	m := Match{Status: a.status, Location: a.location, Allow: a.allow}
	if a.status == http.StatusOK || a.status == http.StatusTemporaryRedirect && a.leaf != nil {
		m.Route = a.leaf.public()
	}
	if a.status == http.StatusOK {
		m.Params = a.leaf.params(a.path)
	}
	return m
}

func (l *leaf) place() []segment { return l.entry().place() }

// An explainer follows one answer through the compiled tries. What it tells of
// the routes that were open it finds by holding every route of the trie against
// the path, so that steps and answer are two witnesses, which the tests compare.
type explainer struct {
	*forest
	answer
	method, host string
	path         segments // the spelling that decided
	unclean      bool     // and it was looked up as it is among those that keep it so
	leaves       []*leaf  // the routes of the trie that decided, best first
	verdicts     []verdict
	trace        Trace
}

// choosePath finds the spelling of the path that decided.
func (x *explainer) choosePath(t *table, r *http.Request) {
	sent := pathOf(r.URL)
	x.path = sent
	switch {
	case x.status == http.StatusBadRequest:
		x.note("* is not a path")
		x.path = segments{}
	case isClean(sent.path):
		x.chooseSpelling(sent)
	case x.status == http.StatusOK || x.status == http.StatusNoContent:
		x.note("the path is not clean; only routers under CleanPath(false) are asked")
		x.forest, x.path, x.unclean = t.unclean, x.answer.path, true
	case x.status == http.StatusNotFound:
		x.note("the path is not clean, and CONNECT is never redirected")
		x.path = segments{}
	default:
		to := t.target(r.Host, segments{cleanPath(r.URL.EscapedPath()), true})
		x.path = to.find(r.Method).path
		x.note("the path is not clean; the clean one is " + x.path.path)
	}
}

func (x *explainer) chooseSpelling(sent segments) {
	switch {
	case x.status == http.StatusMethodNotAllowed:
		if to := x.target(x.host, sent); to.on(sent) == nil {
			x.path.path = otherSpelling(sent.path)
		}
	case x.answer.path.path != "":
		x.path = x.answer.path
	}
	if x.path != sent {
		x.note("the other spelling of the final slash decides: " + x.path.path)
	}
}

func (x *explainer) note(text string) { x.trace.notes = append(x.trace.notes, text) }

// chooseTrie takes the steps through the trie that decided. A miss is shown in
// the trie of all methods, on the host where it got furthest.
func (x *explainer) chooseTrie() {
	for _, t := range x.tries() {
		leaves, steps := x.follow(t)
		if x.leaf != nil && x.won(t.trie) {
			x.leaves, x.trace.Steps = leaves, steps
			return
		}
		if x.leaf == nil && (x.trace.Steps == nil || len(steps) > len(x.trace.Steps)) {
			x.leaves, x.trace.Steps = leaves, steps
		}
	}
	if last := len(x.trace.Steps) - 1; last >= 0 {
		x.trace.ended = x.leaf == nil && len(x.trace.Steps[last].Node) > 0
	}
}

// A tried is a trie that was asked.
type tried struct {
	*trie
	all bool // every route is in it, with the best method's at each place
}

// tries lists the tries in the order in which they were asked.
func (x *explainer) tries() []tried {
	var all []tried
	for _, m := range x.both(x.host) {
		switch {
		case x.leaf == nil || x.status == http.StatusMethodNotAllowed:
			all = append(all, tried{m.all, true})
		case x.method == http.MethodOptions:
			all = append(all, tried{m.options, false}, tried{m.all, true}, tried{m.any, false})
		default:
			all = append(all, tried{m.root(x.method), false})
		}
	}
	return all
}

// won reports whether the answer came from this trie.
func (x *explainer) won(t *trie) bool {
	l := t.walk(x.path)
	return l != nil && (l == x.leaf || slices.Contains(l.onPath(), x.leaf))
}

// leavesOf returns the routes of a compiled trie in the order of their places,
// those that share one with them included.
func leavesOf(t *trie) []*leaf {
	var leaves []*leaf
	seenLeaf := map[uint32]bool{noLeaf: true, slowLeaf: true}
	add := func(id uint32) {
		for l := t.leaf(id); !seenLeaf[l.toHit().id]; l = t.instead[l] {
			seenLeaf[l.id] = true
			leaves = append(leaves, l)
		}
	}
	t.eachNode(func(n *node) {
		add(t.end(n))
		add(n.paramEnd.id)
		add(n.miss.id)
		add(t.extra(n).wideMiss)
	})
	slices.SortFunc(leaves, func(a, b *leaf) int {
		return cmp.Or(comparePlaces(a.place(), b.place()), cmp.Compare(a.kept().method(), b.kept().method()))
	})
	return leaves
}

// eachNode visits the nodes that a lookup can come to, one of each state.
func (t *trie) eachNode(do func(*node)) {
	seen := make([]bool, len(t.nodes))
	for todo := []uint32{t.root}; len(todo) > 0; {
		n := &t.nodes[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if !seen[n.state] {
			seen[n.state] = true
			do(n)
			todo = t.appendChildren(todo, n)
		}
	}
}

func (t *trie) appendChildren(to []uint32, n *node) []uint32 {
	for c := n.slots; c != 0 && c <= n.slots+n.mask; c++ {
		if t.nodes[c].size >= 0 {
			to = append(to, c)
		}
	}
	x := t.extra(n)
	to = append(to, t.wideAt(n)...)
	for i := range x.twins.n {
		to = append(to, x.twins.from+i)
	}
	for _, c := range []uint32{n.param, x.slash, x.dots[0], x.dots[1]} {
		if c != 0 && c < ended {
			to = append(to, c)
		}
	}
	return to
}

// comparePlaces is the second rule of which route wins, on places that may not
// match the same path.
func comparePlaces(a, b []segment) int {
	return slices.CompareFunc(a, b, func(a, b segment) int {
		if a.kind != b.kind || a.kind != literal {
			return cmp.Compare(a.kind, b.kind)
		}
		return cmp.Compare(a.text, b.text)
	})
}

// withPeers adds to leaves the routes of the same path that other methods have.
func (x *explainer) withPeers(leaves []*leaf) []*leaf {
	var all []*leaf
	for _, l := range leaves {
		peers := x.inUse(l.onPath())
		slices.SortFunc(peers, func(a, b *leaf) int { return cmp.Compare(a.kept().method(), b.kept().method()) })
		all = append(all, peers...)
	}
	return all
}

// inUse leaves out what the settings keep out of x's tries.
func (x *explainer) inUse(leaves []*leaf) []*leaf {
	return slices.DeleteFunc(leaves, func(l *leaf) bool {
		exact := l.entry().alias == exactRoot && l.kept().verb && l.scope.slash == SlashExact
		return exact || x.unclean && l.scope.clean
	})
}

// goesOn reports whether a route that was open before the nth segment of a
// path, from 0 on, is so behind it.
func goesOn(place []segment, n int, seg string) bool {
	if n >= len(place) {
		return place[len(place)-1].kind == rest
	}
	switch place[n].kind {
	case literal:
		return place[n].text == seg
	case parameter:
		return seg != ""
	}
	return true
}

// begun reports whether the place's rest has taken one of n segments.
func begun(place []segment, n int) bool {
	return len(place) <= n && place[len(place)-1].kind == rest
}

// accepted leaves out the routes that decline this path.
func (x *explainer) accepted(leaves []*leaf) []*leaf {
	return slices.DeleteFunc(leaves, func(l *leaf) bool { return l.accepts != nil && !l.accepts(x.path) })
}

// follow takes the steps from one trie's root.
func (x *explainer) follow(t tried) (leaves []*leaf, steps []Step) {
	leaves = leavesOf(t.trie)
	if t.all {
		leaves = x.withPeers(leaves)
	}
	leaves = x.accepted(leaves)
	open, path, at, guide := leaves, x.path, stepper{trie: t.trie, open: []uint32{t.root}}, x.leaf
	var before []segments
	for n := 0; path.path != ""; n++ {
		before = append(before, path)
		seg, _ := path.next()
		open = stillOpen(open, n, seg)
		if x.leaf == nil && len(open) > 0 {
			guide = open[0]
		}
		at.step(seg)
		s := Step{Segment: seg, Node: branches(open, n+1), Wide: at.wide}
		if path.path == "" {
			open = slices.DeleteFunc(open, func(l *leaf) bool { return !matches(l.place(), x.path) })
		}
		if s.Open = publicOf(open); len(s.Node) == 0 {
			s.Segment, path.path = before[n].remainder(), ""
		}
		steps = append(steps, s)
	}
	fillValues(steps, before, guide)
	return leaves, steps
}

// stillOpen keeps the routes that go on, up to the first place whose rest has
// begun: it matches whatever follows, so that nothing behind it can win.
func stillOpen(open []*leaf, n int, seg string) []*leaf {
	var next []*leaf
	var last []segment
	for _, l := range open {
		place := l.place()
		if last != nil && comparePlaces(last, place) != 0 {
			break
		}
		if goesOn(place, n, seg) {
			if next = append(next, l); begun(place, n+1) {
				last = place
			}
		}
	}
	return next
}

// branches names the open branches of the source trie behind n segments.
func branches(open []*leaf, n int) []string {
	var names []string
	var last []segment
	for _, l := range open {
		place := l.place()
		if begun(place, n) || last != nil && comparePlaces(last, place[:n]) == 0 {
			continue
		}
		last = place[:n]
		names = append(names, l.branchName(n))
	}
	return names
}

// branchName is the first n segments of the leaf's path as they were written.
func (l *leaf) branchName(n int) string {
	written := strings.Split(l.kept().path(), "/")[1:]
	if n > len(written) {
		written = append(written, "{$}")
	}
	return "/" + strings.Join(written[:n], "/")
}

func publicOf(leaves []*leaf) []Route {
	var routes []Route
	for _, l := range leaves {
		routes = append(routes, l.public())
	}
	return routes
}

// fillValues says how the guide, the winner or who got furthest, took each
// segment.
func fillValues(steps []Step, before []segments, guide *leaf) {
	for i := range steps {
		s := &steps[i]
		if len(s.Open)+len(s.Node) == 0 {
			return // where a miss ended
		}
		place := guide.place()
		if i >= len(place) {
			s.Kind = rest.String()
			continue
		}
		s.Kind = place[i].kind.String()
		switch place[i].kind {
		case parameter:
			s.Name, s.Value = place[i].text, s.Segment
		case rest:
			s.Name, s.Value = place[i].text, before[i].remainder()
		}
	}
}

// A stepper goes through a compiled trie as a lookup does, to see where that is
// side by side.
type stepper struct {
	*trie
	open []uint32
	wide bool
}

func (s *stepper) step(seg string) {
	if len(s.open) == 1 && s.open[0] < ended {
		if list := s.wideAt(&s.nodes[s.open[0]]); list != nil {
			s.open, s.wide = list, true
		}
	}
	var next []uint32
	for _, at := range s.open {
		if at >= ended {
			continue
		}
		n, child := &s.nodes[at], s.child(at, seg)
		if child != 0 {
			next = append(next, child)
		}
		if seg != "" && n.param != 0 && (child == 0 || s.wide) {
			next = append(next, n.param)
		}
		if s.wide && n.miss.id != noLeaf {
			break
		}
	}
	s.open = next
}

// judge says by which rules the winner won over the routes that match too.
func (x *explainer) judge() {
	steps := x.trace.Steps
	if x.leaf == nil || x.status == http.StatusMethodNotAllowed || len(steps) == 0 {
		return
	}
	x.judgePaths()
	x.judgeMethods()
	if len(x.verdicts) == 0 && (x.status != http.StatusNoContent || len(steps[len(steps)-1].Open) == 1) {
		steps[len(steps)-1].Rule = nothingElse
	}
	for _, v := range x.verdicts {
		rule := v.rule + ": not " + strings.Join(v.lost, ", ")
		if old := steps[v.step].Rule; old != "" {
			rule = old + "; " + rule
		}
		steps[v.step].Rule, steps[v.step].verdicts = rule, append(steps[v.step].verdicts, v)
	}
}

const nothingElse = "no other route matches"

// A verdict is a rule and the routes that lost by it.
type verdict struct {
	step int
	rule string
	lost []string
}

func (x *explainer) lose(step int, rule string, l *leaf) {
	step = min(step, len(x.trace.Steps)-1)
	i := slices.IndexFunc(x.verdicts, func(v verdict) bool { return v.step == step && v.rule == rule })
	if i < 0 {
		i = len(x.verdicts)
		x.verdicts = append(x.verdicts, verdict{step: step, rule: rule})
	}
	x.verdicts[i].lost = append(x.verdicts[i].lost, l.text())
}

// judgePaths is the second rule: segment by segment from the left.
func (x *explainer) judgePaths() {
	won := x.leaf.place()
	for _, l := range x.leaves {
		place := l.place()
		if l == x.leaf || !matches(place, x.path) {
			continue
		}
		for i := range min(len(won), len(place)) {
			if won[i].kind != place[i].kind {
				x.lose(i, fmt.Sprintf("a %v beats a %v", won[i].kind, place[i].kind), l)
				break
			}
		}
	}
}

// judgeMethods is the third rule, among the routes of the same path, and the
// first, a host before none.
func (x *explainer) judgeMethods() {
	last := len(x.trace.Steps) - 1
	if x.method == http.MethodOptions {
		return // the best path decides, and not the method
	}
	for _, l := range x.accepted(x.inUse(x.leaf.allPeers())) {
		switch {
		case l == x.leaf || l.kept().method() != x.method && l.kept().method() != "" && (l.kept().method() != http.MethodGet || x.method != http.MethodHead):
		case l.entry().alias != x.leaf.entry().alias:
			x.lose(last, "the path as registered beats a mount's prefix in its other spelling", l)
		default:
			x.lose(last, "the more specific method wins", l)
		}
	}
	if x.leaf.kept().host() == "" || x.hosts == nil {
		return
	}
	if l := x.nowhere.root(x.method).walk(x.path); l != nil {
		x.lose(last, "a route with a host beats one without", l)
	}
}

// matches reports whether a place matches the whole of a path.
func matches(place []segment, path segments) bool {
	n := 0
	for ; path.path != ""; n++ {
		if begun(place, n) {
			return true
		}
		if seg, _ := path.next(); !goesOn(place, n, seg) {
			return false
		}
	}
	return n == len(place)
}
