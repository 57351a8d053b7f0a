package segue

// This file holds the segment trie: how routes are inserted, when two of them
// conflict, and the subset construction that compiles the trie. The trie
// changes with every registration, under the lock of router.go, and no request
// reads it. What requests read is the automaton that compile returns.

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/segue-go/segue/internal/automaton"
)

// A trie holds the routes of one router, those of the routers mounted in it
// included. It has one node for each path segment.
type trie struct {
	hosts  map[string]*node // the root of each host, by hostKey; "" for none
	routes []*route         // in the order in which they were inserted
	nodes  int
}

// A node is one segment of the source trie.
type node struct {
	id       int
	literals map[string]*node
	param    *node
	rest     *node    // takes everything that follows; it has no children
	routes   []*route // the routes whose path ends here
	isRest   bool
	seen     bool // compiled as a state of its own already: see afford
}

// child returns where a segment leads from n, nil for nowhere.
func (n *node) child(s segment) *node {
	switch s.kind {
	case parameter:
		return n.param
	case rest:
		return n.rest
	}
	return n.literals[s.text]
}

// add inserts a route, or returns the route that matches the same requests. A
// route that is "/" to what a prefix mounts is inserted at both spellings.
func (t *trie) add(r *route) (old *route) {
	if old := t.conflict(r); old != nil {
		return old
	}
	t.insert(r, r.pattern.segments)
	if other, rank := r.pattern.otherSpelling(r.registered.pattern); rank != asWritten {
		twin := *r
		twin.spelling = rank
		t.insert(&twin, other)
	}
	return nil
}

// conflict returns the route that matches the same requests as r, nil if there
// is none.
func (t *trie) conflict(r *route) *route {
	n := t.hosts[r.pattern.hostKey()]
	for _, s := range r.pattern.segments {
		if n == nil {
			return nil
		}
		n = n.child(s)
	}
	if n == nil {
		return nil
	}
	for _, old := range n.routes {
		if old.spelling == asWritten && old.pattern.method() == r.pattern.method() {
			return old
		}
	}
	return nil
}

// insert puts r where segments lead.
func (t *trie) insert(r *route, segments []segment) {
	host := r.pattern.hostKey()
	root := t.hosts[host]
	if root == nil {
		if t.hosts == nil {
			t.hosts = map[string]*node{}
		}
		root = t.newNode()
		t.hosts[host] = root
	}
	end := t.grow(root, segments)
	r.end = uint32(end.id)
	end.routes = append(end.routes, r)
	t.routes = append(t.routes, r)
}

// grow returns the node where segments lead from root, and makes what is
// missing on the way.
func (t *trie) grow(root *node, segments []segment) *node {
	n := root
	for _, s := range segments {
		next := n.child(s)
		if next == nil {
			next = t.newNode()
			switch {
			case s.kind == parameter:
				n.param = next
			case s.kind == rest:
				n.rest, next.isRest = next, true
			case n.literals == nil:
				n.literals = map[string]*node{s.text: next}
			default:
				n.literals[s.text] = next
			}
		}
		n = next
	}
	return n
}

func (t *trie) newNode() *node {
	t.nodes++
	return &node{id: t.nodes}
}

// eachNode visits n and every node below it.
func (n *node) eachNode(visit func(*node)) {
	visit(n)
	for _, c := range n.literals {
		c.eachNode(visit)
	}
	if n.param != nil {
		n.param.eachNode(visit)
	}
	if n.rest != nil {
		n.rest.eachNode(visit)
	}
}

// # The subset construction
//
// A trie that follows the literal child and finds no route below it has to go
// back and try the parameter child. An automaton need not: its state stands for
// the list of all trie nodes that can still match, best first. For
//
//	GET /users/new
//	GET /users/{id}/posts
//
// the state after "/users/new" is the list [new, {id}]. The path may end there,
// at new, or go on with "posts", at {id}. Rule 2 of doc.go (the leftmost difference
// decides) gives the order: for each node of the list its literal child, then
// its parameter child, then its rest; and everything below an earlier node
// before anything below a later one. Equal lists are one state.

// The budget bounds the states and table entries of one automaton. States of a
// single node are free: there are no more of them than trie nodes. States that
// merge several may take as much as the trie again, plus a constant, so that small
// sets of routes are always merged. A state over the budget stays
// nondeterministic: its nodes are stepped through side by side, which takes one
// state for each trie node once more. Together that is at most 4 times the trie
// and the constant; the tests hold every automaton to it.
const (
	budgetFactor   = 1
	budgetConstant = 1024
)

// A compiler builds the automaton of one trie.
type compiler struct {
	firstOnly bool                      // of the routes that match, the first is enough
	number    func(ends []*node) uint32 // the answer for the nodes at which a path may end, best first
	budget    int
	states    map[string]*automaton.State // by their lists
	singles   map[*node]*automaton.State  // of single nodes, for stepping side by side
	lists     [][]*node                   // those that states stand for, the nearer to the root the earlier
}

// compile returns the automaton of the trie from root on. With firstOnly a list
// ends at its first rest: that matches whatever follows, so that nothing after
// it can win.
func compile(root *node, firstOnly bool, number func(ends []*node) uint32) *automaton.Automaton {
	return compileWithin(root, budgetFactor*root.size()+budgetConstant, firstOnly, number)
}

func compileWithin(root *node, budget int, firstOnly bool, number func(ends []*node) uint32) *automaton.Automaton {
	c := newCompiler(budget, firstOnly, number)
	built := automaton.Build(c.run(root))
	if compiled != nil {
		compiled(built, root)
	}
	return built
}

func newCompiler(budget int, firstOnly bool, number func(ends []*node) uint32) *compiler {
	return &compiler{
		firstOnly: firstOnly, number: number, budget: budget,
		states: map[string]*automaton.State{}, singles: map[*node]*automaton.State{},
	}
}

// run makes all states and returns the first.
func (c *compiler) run(root *node) *automaton.State {
	start := c.state([]*node{root})
	for i := 0; i < len(c.lists); i++ {
		c.expand(c.state(c.lists[i]), c.lists[i])
	}
	return start
}

// compiled is where the tests look at every automaton.
var compiled func(*automaton.Automaton, *node)

// size counts the nodes from n on, and their literal children once more.
func (n *node) size() (size int) {
	n.eachNode(func(n *node) { size += 1 + len(n.literals) })
	return size
}

// state returns the state that stands for a list of nodes.
func (c *compiler) state(nodes []*node) *automaton.State {
	key := make([]byte, 0, 64)
	for _, n := range nodes {
		key = binary.LittleEndian.AppendUint32(key, uint32(n.id))
	}
	if s := c.states[string(key)]; s != nil {
		return s
	}
	s := new(automaton.State)
	c.states[string(key)] = s
	c.lists = append(c.lists, nodes)
	return s
}

// expand gives a state its answers and children, or leaves it nondeterministic
// if that would go beyond the budget.
func (c *compiler) expand(s *automaton.State, nodes []*node) {
	if !c.afford(nodes) {
		for _, n := range nodes {
			s.Alternatives = append(s.Alternatives, c.single(n))
		}
		return
	}
	slash := c.step(nodes, "")
	s.End, s.Rest = c.number(nodes), c.number(restsOf(nodes))
	s.EndUndecided, s.SlashUndecided = undecided(nodes, slash)
	for _, text := range literalsOf(nodes) {
		s.Literals = append(s.Literals, automaton.Literal{Text: text, To: c.state(c.step(nodes, text))})
	}
	if params := c.children(nodes, func(n *node) [2]*node { return [2]*node{n.param} }); hasOpen(params) {
		s.Param = c.state(params)
	}
}

// afford reports whether the budget allows a state for a list, and books it. A node
// on its own is free the first time: there are no more of those than the trie has
// nodes.
func (c *compiler) afford(nodes []*node) bool {
	open := slices.DeleteFunc(slices.Clone(nodes), func(n *node) bool { return n.isRest })
	if len(open) == 1 && !open[0].seen {
		open[0].seen = true
		return true
	}
	literals, others := 0, len(nodes)-len(open)
	for _, n := range open {
		literals += len(n.literals)
		if n.param != nil {
			others++
		}
	}
	cost := len(nodes) + literals*(1+others) // each literal leads to the others too
	if c.budget < cost {
		return false
	}
	c.budget -= cost
	return true
}

// children returns the list after one more segment: for each node what next
// gives for it, then its rest.
func (c *compiler) children(nodes []*node, next func(*node) [2]*node) []*node {
	list := make([]*node, 0, 1+len(nodes))
	for _, n := range nodes {
		taken := n
		if !n.isRest {
			for _, child := range next(n) {
				if child != nil {
					list = append(list, child)
				}
			}
			taken = n.rest
		}
		if taken != nil {
			if list = append(list, taken); c.firstOnly {
				break
			}
		}
	}
	return list
}

// step returns the list after a literal. A parameter does not take the empty
// segment after a final slash.
func (c *compiler) step(nodes []*node, text string) []*node {
	return c.children(nodes, func(n *node) [2]*node {
		if text == "" {
			return [2]*node{n.literals[text]}
		}
		return [2]*node{n.literals[text], n.param}
	})
}

// restsOf returns the rests that take whatever follows a list.
func restsOf(nodes []*node) []*node {
	var rests []*node
	for _, n := range nodes {
		switch {
		case n.isRest:
			rests = append(rests, n)
		case n.rest != nil:
			rests = append(rests, n.rest)
		}
	}
	return rests
}

// hasOpen reports whether a list has a node that is not a rest.
func hasOpen(nodes []*node) bool {
	return slices.ContainsFunc(nodes, func(n *node) bool { return !n.isRest })
}

// undecided reports whether Find must leave a path to resolve, since a redirect to
// the exact spelling of the final slash goes before a rest. It must if a rest
// matches the path while the path with its final slash added or removed ends at
// another node. end is for a path that ends at these nodes, final for the same
// path plus a slash.
func undecided(nodes, slash []*node) (end, final bool) {
	here, there := firstEnd(nodes), firstEnd(slash)
	end = here != nil && here.isRest && here != there
	final = there != nil && there.isRest && here != nil && !here.isRest
	return end, final
}

// firstEnd returns the first node of a list at which a route ends.
func firstEnd(nodes []*node) *node {
	for _, n := range nodes {
		if len(n.routes) > 0 {
			return n
		}
	}
	return nil
}

// literalsOf returns the literals with which some node of the list goes on.
// They are sorted, so that the budget falls on the same states in every run.
func literalsOf(nodes []*node) []string {
	var texts []string
	for _, n := range nodes {
		texts = slices.AppendSeq(texts, maps.Keys(n.literals))
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// single returns the state of one node for stepping side by side. Unlike a
// compiled state, its literal children do not hold what its parameter child
// could do.
func (c *compiler) single(n *node) *automaton.State {
	if s := c.singles[n]; s != nil {
		return s
	}
	s := &automaton.State{End: c.number([]*node{n}), Done: n.isRest}
	c.singles[n] = s
	if n.rest != nil {
		s.Rest = c.number([]*node{n.rest})
	}
	if n.param != nil {
		s.Param = c.single(n.param)
	}
	for _, text := range literalsOf([]*node{n}) {
		s.Literals = append(s.Literals, automaton.Literal{Text: text, To: c.single(n.literals[text])})
	}
	return s
}

// bestFor answers with the number of the best route for one method. A route that
// serves files may decline a path, so that Find leaves it to resolve.
func bestFor(method string) func([]*node) uint32 {
	return func(ends []*node) uint32 {
		for _, n := range ends {
			if r := pick(n.routes, method); r != nil {
				if r.registered.files != nil {
					return automaton.Undecided
				}
				return r.number
			}
		}
		return automaton.None
	}
}

// allRoutes answers with all routes that match, whatever their method, best
// first: with the number of the only one, or with first and the index in lists of
// a list, which it adds.
func allRoutes(first uint32, lists *[][]uint32) func([]*node) uint32 {
	known := map[string]uint32{}
	return func(ends []*node) uint32 {
		var list []uint32
		for _, n := range ends {
			for _, r := range inOrder(n.routes) {
				list = append(list, r.number)
			}
		}
		switch len(list) {
		case 0:
			return automaton.None
		case 1:
			return list[0]
		}
		key := fmt.Sprint(list)
		number, ok := known[key]
		if !ok {
			number = first + uint32(len(*lists))
			*lists = append(*lists, list)
			known[key] = number
		}
		return number
	}
}

// inOrder returns the routes of one node: the better spelling first, then by
// method.
func inOrder(routes []*route) []*route {
	return slices.SortedFunc(slices.Values(routes), func(a, b *route) int {
		return cmp.Or(cmp.Compare(a.spelling, b.spelling), cmp.Compare(a.pattern.method(), b.pattern.method()))
	})
}
