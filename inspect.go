//go:build playground

package segue

// This file shows the playground what everybody else need not see: the states of
// an automaton. The tag keeps it out of the package for all others.

import (
	"net/http"
	"slices"
	"strings"

	"github.com/segue-go/segue/internal/automaton"
)

// A CompiledNode is one state of an automaton.
type CompiledNode struct {
	Branches []string // the trie's nodes that it stands for, best first
	Wide     bool     // nondeterministic: its Edges lead to the nodes' own states
	Alone    bool     // one of these, whose literals do not hold what its parameter could do
	End      string   // the pattern that answers where the path ends here
	Rest     string   // the pattern that answers where nothing goes on
	Edges    []CompiledEdge
}

// A CompiledEdge leads to the node with index To by a literal, by any other
// segment, or, from a nondeterministic state, side by side without a step.
type CompiledEdge struct {
	Text string
	Kind string
	To   int
}

// Why says of each of t.Nearest what differs.
func (t Trace) Why() []string { return t.why }

// Notes is what went before the steps.
func (t Trace) Notes() []string { return t.notes }

// About returns the router that a miss is about, nil where a route answers.
func (rt *Router) About(r *http.Request) *Router {
	s := rt.snapshot()
	a := s.resolve(r)
	if a.status == http.StatusOK || a.status == http.StatusBadRequest {
		return nil
	}
	return s.newMiss(a, r).about.router
}

// Compiled returns the states of the automaton for one host and method, its first
// one first.
func (rt *Router) Compiled(host, method string) []CompiledNode {
	s := rt.snapshot()
	key := s.of(host).key
	var routes []*route
	for i := automaton.First; i < len(s.routes); i++ {
		r := &s.routes[i]
		if r.pattern.hostKey() == key && r.answers() && (method == "OPTIONS" || rank(r, method) != cannot) {
			routes = append(routes, r)
		}
	}
	root := trieOf(routes)
	d := &dump{snapshot: s, names: map[*node]string{root: "/"}, index: map[*automaton.State]int{}}
	for _, r := range routes {
		d.name(root, r)
	}
	number := bestFor(method)
	if method == "OPTIONS" { // the best path decides
		number = d.bestOf
	}
	c := newCompiler(budgetFactor*root.size()+budgetConstant, true, number)
	c.run(root)
	var lists []merged
	for _, nodes := range c.lists {
		lists = append(lists, merged{c.state(nodes), nodes})
		d.add(lists[len(lists)-1], false)
	}
	for n, state := range c.singles {
		if !n.isRest {
			d.nodesOf = append(d.nodesOf, merged{state, []*node{n}})
		}
	}
	slices.SortFunc(d.nodesOf, func(a, b merged) int { return a.nodes[0].id - b.nodes[0].id })
	for _, m := range d.nodesOf {
		d.add(m, true)
	}
	for _, m := range append(lists, d.nodesOf...) {
		d.connect(m)
	}
	return d.drawn
}

// A merged is a state and the nodes that it stands for.
type merged struct {
	*automaton.State
	nodes []*node
}

type dump struct {
	snapshot *snapshot
	names    map[*node]string
	index    map[*automaton.State]int
	drawn    []CompiledNode
	nodesOf  []merged // the states of single nodes
}

// bestOf answers with the first route, whatever its method.
func (d *dump) bestOf(ends []*node) uint32 {
	if n := firstEnd(ends); n != nil {
		return inOrder(n.routes)[0].number
	}
	return automaton.None
}

// name names the nodes on the way to a route as its pattern has them.
func (d *dump) name(root *node, r *route) {
	for i, n := 0, root; i < len(r.segments()); i++ {
		if n = n.child(r.segments()[i]); d.names[n] == "" {
			d.names[n] = r.branchName(i + 1)
		}
	}
}

func (d *dump) pattern(number uint32) string {
	if number < automaton.First {
		return ""
	}
	return d.snapshot.routes[number].text
}

func (d *dump) add(m merged, alone bool) {
	c := CompiledNode{Wide: m.Alternatives != nil, Alone: alone}
	for _, n := range m.nodes {
		if !n.isRest {
			c.Branches = append(c.Branches, d.names[n])
		}
	}
	if !c.Wide {
		c.End, c.Rest = d.pattern(m.End), d.pattern(m.Rest)
	}
	d.index[m.State] = len(d.drawn)
	d.drawn = append(d.drawn, c)
}

func (d *dump) connect(m merged) {
	from := &d.drawn[d.index[m.State]]
	edge := func(text, kind string, to *automaton.State) {
		if i, ok := d.index[to]; ok {
			from.Edges = append(from.Edges, CompiledEdge{text, kind, i})
		}
	}
	for i, a := range m.Alternatives {
		if i < len(from.Branches) {
			edge(from.Branches[i], "aside", a)
		}
	}
	slices.SortFunc(m.Literals, func(a, b automaton.Literal) int { return strings.Compare(a.Text, b.Text) })
	for _, l := range m.Literals {
		edge(l.Text, literal.String(), l.To)
	}
	if m.Param != nil {
		edge("", parameter.String(), m.Param)
	}
}
