package segue

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// A plain is a copy of the part of the source trie that can answer one method,
// with the one route that would answer at each end.
type plain struct {
	id    int32
	kids  []kid // literal children by text
	param *plain
	end   *leaf // answers where the path ends here
	rest  *leaf // answers whatever follows the slash
	node  *node // the same as a node to step over, made when some node is wide
	seen  bool  // compiled on its own once already
	fixed bool  // no branch from here on has a choice or a rest: compiled and side by side it is the same
}

type kid struct {
	text string
	to   *plain
}

// A prune copies the source trie for one method.
type prune struct {
	size   int                       // plains and their literal children
	second bool                      // keep what leads to the matches behind the best one
	better func(old, new *leaf) bool // of two leaves with one path
	wanted func(*entry) bool

	instead map[*leaf]*leaf // of two leaves with one path, who answers where the better one declines
}

func (pr *prune) copy(b *branch) *plain {
	if b == nil {
		return nil
	}
	p := &plain{end: pr.best(b.ends), fixed: b.rest == nil}
	b.literals(func(text string, child *branch) {
		if to := pr.copy(child); to != nil {
			p.kids = append(p.kids, kid{text, to})
			p.fixed = p.fixed && to.fixed
		}
	})
	if p.param = pr.copy(b.param); p.param != nil {
		p.fixed = p.fixed && p.param.fixed && p.kids == nil
	}
	if b.rest != nil {
		p.rest = pr.best(b.rest.ends)
	}
	if p.end == nil && p.rest == nil && p.param == nil && p.kids == nil {
		return nil
	}
	// The order decides which nodes the budget leaves wide; a map's would
	// differ from run to run.
	slices.SortFunc(p.kids, func(a, b kid) int { return cmp.Compare(a.text, b.text) })
	p.id = int32(pr.size)
	pr.size += 1 + len(p.kids)
	return p
}

func (pr *prune) best(ends []*entry) *leaf {
	var best *entry
	for _, e := range ends {
		if !pr.wanted(e) {
			continue
		}
		if best == nil || e.alias < best.alias || e.alias == best.alias && pr.better(best.leaf, e.leaf) {
			best = e
		}
	}
	if best == nil {
		return nil
	}
	if best.leaf.accepts != nil {
		pr.second = true
		pr.decline(best, ends)
	}
	return best.leaf
}

// decline notes who answers where e does not: the best of those it ends with.
func (pr *prune) decline(e *entry, ends []*entry) {
	others := slices.DeleteFunc(slices.Clone(ends), func(other *entry) bool { return other == e })
	if l := pr.best(others); l != nil {
		if pr.instead == nil {
			pr.instead = map[*leaf]*leaf{}
		}
		pr.instead[e.leaf] = l
	}
}

// The budget bounds the nodes and child entries of one compiled trie. Nodes for
// a single branch are free: they come to the source trie's size, twice that
// with the ones at their edge that are left wide. Nodes that merge several
// branches may take as much again, plus a constant that is all an ordinary set
// of routes needs: together no more than 4 times the source trie and the
// constant, which the tests hold every compiled trie to.
const (
	budgetFactor   = 1
	budgetConstant = 1024
)

// A compiler makes one method's nodes. A node stands for the list of branches
// that can still match, best first; equal lists share one node.
type compiler struct {
	source int // size of the plain trie
	budget int
	used   int // nodes, child entries and open alternatives beyond single branches
	single map[singleKey]*node
	merged map[string]*node
	leaves map[*leaf]uint32 // numbers the rests, to tell lists apart that differ in them
	jobs   []job
	nodes  slab[node] // those that have no berth
}

type singleKey struct {
	branch *plain
	miss   *leaf
}

// A job is a node whose children are not there yet.
type job struct {
	node *node
	list []*plain
	miss *leaf // the best rest that the way here passed: it answers when the list leads nowhere
}

// compile returns the root of a trie that takes one step per segment and never
// goes back. Where a literal and a parameter can both go on, the literal's node
// already holds what the parameter could do: the subset construction of
// automata, on lists, since their order decides which route wins.
func compile(root *branch, pr *prune) *node {
	top := pr.copy(root)
	if top == nil {
		return &emptyNode
	}
	return compileWithin(budgetFactor*pr.size+budgetConstant, top, pr)
}

func compileWithin(budget int, top *plain, pr *prune) *node {
	c := &compiler{
		source: pr.size,
		budget: budget,
		single: make(map[singleKey]*node, pr.size),
		merged: map[string]*node{},
		leaves: map[*leaf]uint32{nil: 0},
	}
	n := c.intern([]*plain{top}, nil)
	if pr.second {
		n.rare().plain = c.lookup(top)
		n.instead = pr.instead
	}
	all := []*node{}
	for len(c.jobs) > 0 {
		j := c.jobs[0]
		c.jobs = c.jobs[1:]
		c.expand(j)
		all = append(all, j.node)
	}
	for _, n := range all {
		n.finish()
	}
	gather(all)
	for _, n := range all {
		if n.param != nil {
			n.paramEnd = n.param.fastEnd
		}
	}
	n.setLead()
	if compiled != nil {
		compiled(n, c.source)
	}
	return n
}

// compiled is where the tests look at every trie that is made.
var compiled func(root *node, source int)

// intern returns the node for a list, making it if this is the first time that
// the list comes up.
func (c *compiler) intern(list []*plain, miss *leaf) *node {
	if len(list) == 1 {
		key := singleKey{list[0], miss}
		if n := c.single[key]; n != nil {
			return n
		}
		n := c.add(list, miss)
		c.single[key] = n
		return n
	}
	key := c.key(list, miss)
	if n := c.merged[key]; n != nil {
		return n
	}
	n := c.add(list, miss)
	c.merged[key] = n
	return n
}

func (c *compiler) add(list []*plain, miss *leaf) *node {
	n := c.newNode(list)
	n.fastEnd, n.miss = miss, miss
	c.jobs = append(c.jobs, job{n, list, miss})
	for _, p := range list {
		if p.end != nil {
			n.fastEnd = p.end
			break
		}
	}
	return n
}

// newNode returns the node of the berth where a request that comes here goes on
// to, if it is free: there the path ends, behind a parameter or at once.
func (c *compiler) newNode(list []*plain) *node {
	l := list[0].end
	if p := list[0].param; p != nil && p.end != nil {
		l = p.end
	}
	if l == nil || l.beside == nil {
		return c.nodes.add(node{})
	}
	n := l.beside
	l.beside = nil
	return n
}

func (c *compiler) key(list []*plain, miss *leaf) string {
	if _, ok := c.leaves[miss]; !ok {
		c.leaves[miss] = uint32(len(c.leaves))
	}
	key := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+4*len(list)), c.leaves[miss])
	for _, p := range list {
		key = binary.LittleEndian.AppendUint32(key, uint32(p.id))
	}
	return string(key)
}

// expand gives a node its children, or leaves it wide if that would go beyond
// the budget.
func (c *compiler) expand(j job) {
	list, miss := cut(j.list, j.miss)
	if !c.afford(j, list) {
		c.widen(j)
		return
	}
	n := j.node
	n.miss = miss
	var params []*plain
	for _, p := range list {
		if p.param != nil {
			params = append(params, p.param)
		}
	}
	if params != nil {
		n.param = c.intern(params, miss)
	}
	slots := make([]slot, 0, len(list[0].kids))
	for _, text := range literalsOf(list) {
		slots = append(slots, newSlot(text, c.intern(step(list, text, params), miss)))
	}
	n.setChildren(slots)
}

// cut ends the list behind the first branch with a rest: it matches whatever
// follows, so that nothing after it can win, and answers when all before it
// lead nowhere.
func cut(list []*plain, miss *leaf) ([]*plain, *leaf) {
	for i, p := range list {
		if p.rest != nil {
			return list[:i+1], p.rest
		}
	}
	return list, miss
}

// afford reports whether the budget allows a node for a list, which cut left of
// the job's, and books it. A branch on its own is free the first time: there are
// no more of those than the source trie has. So is what side-by-side steps use
// in place of a node of their own.
func (c *compiler) afford(j job, list []*plain) bool {
	if first := j.list[0]; len(j.list) == 1 && (!first.seen || first.fixed && j.miss == nil) {
		first.seen = true
		return true
	}
	cost := 1 + len(j.list)
	for _, p := range list {
		cost += len(p.kids) * (1 + len(list))
	}
	if c.used+cost > c.budget {
		return false
	}
	c.used += cost
	return true
}

// literalsOf returns the literals that some branch of the list goes on with.
func literalsOf(list []*plain) []string {
	var texts []string
	for _, p := range list {
		for _, k := range p.kids {
			texts = append(texts, k.text)
		}
	}
	if len(list) > 1 {
		slices.Sort(texts)
		texts = slices.Compact(texts)
	}
	return texts
}

// step returns where the list stands behind a literal: for each branch its
// literal child before its parameter child, all under an earlier branch before
// all under a later one, since the leftmost difference decides. params, what
// any other segment leads to, is the answer where no branch has the literal.
func step(list []*plain, text string, params []*plain) []*plain {
	next := make([]*plain, 0, 1+len(params))
	for _, p := range list {
		if i, ok := slices.BinarySearchFunc(p.kids, text, func(k kid, t string) int { return cmp.Compare(k.text, t) }); ok {
			next = append(next, p.kids[i].to)
		}
		if text != "" && p.param != nil {
			next = append(next, p.param)
		}
	}
	return next
}

// widen leaves a node as a list that is stepped through side by side.
func (c *compiler) widen(j job) {
	n := j.node
	n.fastEnd, n.miss = slowLeaf, slowLeaf
	n.rare().wideMiss, n.wide = j.miss, make([]*node, 0, len(j.list))
	n.slowEnd, n.fastSlash = slowLeaf, slowLeaf
	for _, p := range j.list {
		n.wide = append(n.wide, c.lookup(p))
	}
}

// lookup is p as a node for side-by-side stepping: unlike a compiled one, its
// literal children do not hold what its parameter child could do.
func (c *compiler) lookup(p *plain) *node {
	if p.fixed {
		return c.intern([]*plain{p}, nil)
	}
	if p.node != nil {
		return p.node
	}
	p.node = &node{fastEnd: p.end, miss: p.rest}
	if p.param != nil {
		p.node.param = c.lookup(p.param)
	}
	slots := make([]slot, 0, len(p.kids))
	for _, k := range p.kids {
		slots = append(slots, newSlot(k.text, c.lookup(k.to)))
	}
	p.node.setChildren(slots)
	return p.node
}

// setChildren sorts the literal children into the table and the rare places.
func (n *node) setChildren(all []slot) {
	table := all[:0]
	for _, s := range all {
		switch {
		case s.size == 0:
			n.rare().slash = s.node
		case isDots(s.first, s.size):
			n.rare().dots[s.size-1] = s.node
		default:
			table = append(table, s)
		}
	}
	if len(table) > 0 {
		n.setTable(table)
	}
}

// finish sets what find reads at the end of a path. A rest that took something
// gives way to an exact route at the other spelling of the path, and that is
// known now: the other spelling ends one node before or behind.
func (n *node) finish() {
	if n.extra != nil && n.wide != nil {
		return
	}
	end, slash := n.end(), n.miss
	if n.extra != nil && n.slash != nil {
		slash = n.slash.end()
	}
	fastEnd, fastSlash := end, slash
	if slash == slowLeaf || end != nil && end.isRest && slash != end {
		fastEnd = slowLeaf
	}
	if slash != nil && slash.isRest && end != nil && !end.isRest {
		fastSlash = slowLeaf
	}
	if fastEnd != end || fastSlash != n.miss || n.extra != nil {
		n.rare().fastSlash, n.slowEnd = fastSlash, end
	}
	n.fastEnd = fastEnd
}

// gather moves the small tables side by side.
func gather(all []*node) {
	var together slab[slot]
	for _, n := range all {
		if size := len(n.slots); size > 0 && size < 16 {
			slots := together.take(size)
			copy(slots, n.slots)
			n.slots = slots
		}
	}
}

// setLead sets what find passes at once. Such a segment has up to six bytes, so
// that its key is its text; a literal that holds a slash, which was written
// encoded, is none.
func (n *node) setLead() {
	l := &lead{text: '/', size: 1, node: n}
	for len(l.node.slots) == 1 && l.node.param == nil {
		s := l.node.slots[0]
		if s.size < 0 || s.size+1 > 8-l.size || slashes(s.first) != 0 {
			break
		}
		l.text |= (s.first | '/'<<(8*s.size)) << (8 * l.size)
		l.size += s.size + 1
		l.mask = 1<<(8*l.size) - 1
		l.node = s.node
	}
	if l.node != n {
		n.rare().lead = l
	}
}
