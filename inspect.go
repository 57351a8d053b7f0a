//go:build playground

package segue

import "slices"

// What the playground draws beyond what everybody sees. The tag keeps it out of
// the package for all others.

// A CompiledNode is one state of a compiled trie.
type CompiledNode struct {
	Branches []string // of the source trie, best first
	Wide     bool     // left as a list: its Edges lead to the branches
	Alone    bool     // one of these, whose literals do not hold what its parameter could do
	End      string   // the pattern that answers where the path ends here
	Rest     string   // the pattern that answers where nothing goes on
	Edges    []CompiledEdge
}

// A CompiledEdge leads to Nodes[To] by a literal, by any other segment, or,
// from a wide node, side by side without a step.
type CompiledEdge struct {
	Text string
	Kind string
	To   int
}

// Why says of each of t.Nearest what differs.
func (t Trace) Why() []string { return t.why }

// Notes is what went before the steps.
func (t Trace) Notes() []string { return t.notes }

// Compiled returns the compiled trie of one host and method, its root first.
func (rt *Router) Compiled(host, method string) []CompiledNode {
	f := rt.current().forest
	m := f.both(host)[0]
	d := &dump{trie: m.root(method), index: map[uint32]int{}}
	if method == "OPTIONS" {
		d.trie = m.all // the best path decides
	}
	d.add(dumped{at: d.root, open: leavesOf(d.trie)})
	for i := 0; i < len(d.todo); i++ {
		d.expand(i)
	}
	return d.drawn
}

type dump struct {
	*trie
	drawn []CompiledNode
	todo  []dumped
	index map[uint32]int // by state
}

type dumped struct {
	at    uint32 // the node
	open  []*leaf
	depth int
	alone bool // one branch of a wide node
}

// add returns the index of a node.
func (d *dump) add(n dumped) int {
	key, i := n.at, len(d.drawn)
	if n.at < ended {
		key = d.nodes[n.at].state
	}
	if known, ok := d.index[key]; ok {
		return known
	}
	d.index[key] = i
	d.todo = append(d.todo, n)
	c := CompiledNode{Branches: branches(n.open, n.depth), Alone: n.alone}
	if n.depth == 0 {
		c.Branches = []string{"/"}
	}
	if end := d.leaf(d.endAt(n.at)); end != nil && end.flags&isSlow == 0 {
		c.End = end.text()
	}
	if n.at < ended {
		at := &d.nodes[n.at]
		c.Wide = d.wideAt(at) != nil
		if rest := d.leaf(at.miss.id); rest != nil && rest.flags&isSlow == 0 {
			c.Rest = rest.text()
		}
	}
	d.drawn = append(d.drawn, c)
	return i
}

// expand adds what a node leads to.
func (d *dump) expand(i int) {
	n := d.todo[i]
	if n.at >= ended {
		return
	}
	at := &d.nodes[n.at]
	edge := func(text, kind string, to dumped) {
		d.drawn[i].Edges = append(d.drawn[i].Edges, CompiledEdge{text, kind, d.add(to)})
	}
	if d.drawn[i].Wide {
		rests, lists := n.split()
		for j, w := range d.wideAt(at) {
			if j < len(lists) {
				edge(d.drawn[i].Branches[j], "aside", dumped{w, append(lists[j], rests...), n.depth, true})
			}
		}
		return
	}
	for _, text := range d.literals(n) {
		edge(text, literal.String(), dumped{d.child(n.at, text), d.after(n, text), n.depth + 1, n.alone})
	}
	if at.param != 0 {
		edge("", parameter.String(), dumped{at.param, d.after(n, "any other \x00 segment"), n.depth + 1, n.alone})
	}
}

// split takes what is open at a wide node apart by branch.
func (n dumped) split() (rests []*leaf, lists [][]*leaf) {
	var last []segment
	for _, l := range n.open {
		place := l.place()
		switch {
		case begun(place, n.depth):
			rests = append(rests, l)
		case last == nil || comparePlaces(last, place[:n.depth]) != 0:
			last = place[:n.depth]
			lists = append(lists, []*leaf{l})
		default:
			lists[len(lists)-1] = append(lists[len(lists)-1], l)
		}
	}
	return rests, lists
}

func (d *dump) literals(n dumped) []string {
	var texts []string
	for _, l := range n.open {
		place := l.place()
		if len(place) > n.depth && place[n.depth].kind == literal {
			if text := place[n.depth].text; d.child(n.at, text) != 0 {
				texts = append(texts, text)
			}
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// after is what is open behind a segment. A branch on its own does not hold
// what another child of it could do.
func (d *dump) after(n dumped, text string) []*leaf {
	open := stillOpen(n.open, n.depth, text)
	if !n.alone {
		return open
	}
	var own []*leaf
	for _, l := range open {
		if place := l.place(); len(place) > n.depth && (place[n.depth].kind == literal) == (d.child(n.at, text) != 0) {
			own = append(own, l)
		}
	}
	return own
}
