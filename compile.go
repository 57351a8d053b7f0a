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
	end   *leaf  // answers where the path ends here
	rest  *leaf  // answers whatever follows the slash
	draft *draft // the same as a draft to step over, made when some draft is wide
	seen  bool   // compiled on its own once already
	fixed bool   // no branch from here on has a choice or a rest: compiled and side by side it is the same
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
	leaves []leaf // of which those of the entries are some

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
		if best == nil || e.alias < best.alias || e.alias == best.alias && pr.better(pr.leaf(best), pr.leaf(e)) {
			best = e
		}
	}
	if best == nil {
		return nil
	}
	if pr.leaf(best).accepts != nil {
		pr.second = true
		pr.decline(best, ends)
	}
	return pr.leaf(best)
}

func (pr *prune) leaf(e *entry) *leaf { return &pr.leaves[e.id] }

// decline notes who answers where e does not: the best of those it ends with.
func (pr *prune) decline(e *entry, ends []*entry) {
	others := slices.DeleteFunc(slices.Clone(ends), func(other *entry) bool { return other == e })
	if l := pr.best(others); l != nil {
		if pr.instead == nil {
			pr.instead = map[*leaf]*leaf{}
		}
		pr.instead[pr.leaf(e)] = l
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

// A compiler drafts one method's trie. A draft stands for the list of branches
// that can still match, best first; equal lists share one.
type compiler struct {
	source int // size of the plain trie
	budget int
	used   int // nodes, child entries and open alternatives beyond single branches
	single map[singleKey]*draft
	merged map[string]*draft
	jobs   []job
}

type singleKey struct {
	branch *plain
	miss   *leaf
}

// A job is a draft whose children are not there yet.
type job struct {
	draft *draft
	list  []*plain
	miss  *leaf // the best rest that the way here passed: it answers when the list leads nowhere
}

// compile returns a trie that takes one step per segment and never goes back.
// Where a literal and a parameter can both go on, the literal's node already holds
// what the parameter could do: the subset construction of automata, on lists,
// since their order decides which route wins.
func compile(root *branch, pr *prune) *trie {
	top := pr.copy(root)
	if top == nil {
		return emptyTrie
	}
	return compileWithin(budgetFactor*pr.size+budgetConstant, top, pr)
}

func compileWithin(budget int, top *plain, pr *prune) *trie {
	c := newCompiler(budget, pr)
	root := c.intern([]*plain{top}, nil)
	var plain *draft
	if pr.second {
		plain = c.lookup(top)
	}
	c.finish()
	t := freeze(root, plain, pr.leaves)
	t.instead = pr.instead
	t.setLead()
	if compiled != nil {
		compiled(t, c.source)
	}
	return t
}

func newCompiler(budget int, pr *prune) *compiler {
	return &compiler{source: pr.size, budget: budget, single: make(map[singleKey]*draft, pr.size), merged: map[string]*draft{}}
}

// finish does the jobs until there is none left.
func (c *compiler) finish() {
	for len(c.jobs) > 0 {
		j := c.jobs[0]
		c.jobs = c.jobs[1:]
		c.expand(j)
	}
}

// compiled is where the tests look at every trie that is made.
var compiled func(t *trie, source int)

// intern returns the draft for a list, making it if this is the first time that
// the list comes up.
func (c *compiler) intern(list []*plain, miss *leaf) *draft {
	if len(list) == 1 {
		key := singleKey{list[0], miss}
		if d := c.single[key]; d != nil {
			return d
		}
		d := c.add(list, miss)
		c.single[key] = d
		return d
	}
	key := listKey(list, miss)
	if d := c.merged[key]; d != nil {
		return d
	}
	d := c.add(list, miss)
	c.merged[key] = d
	return d
}

func (c *compiler) add(list []*plain, miss *leaf) *draft {
	d := &draft{end: miss, miss: miss}
	c.jobs = append(c.jobs, job{d, list, miss})
	for _, p := range list {
		if p.end != nil {
			d.end = p.end
			break
		}
	}
	return d
}

// listKey tells lists apart, those too that differ in the rest that the way to
// them passed.
func listKey(list []*plain, miss *leaf) string {
	key := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+4*len(list)), miss.toHit().id)
	for _, p := range list {
		key = binary.LittleEndian.AppendUint32(key, uint32(p.id))
	}
	return string(key)
}

// expand gives a draft its children, or leaves it wide if that would go beyond
// the budget.
func (c *compiler) expand(j job) {
	list, miss := cut(j.list, j.miss)
	if !c.afford(j, list) {
		c.widen(j)
		return
	}
	d := j.draft
	d.miss = miss
	var params []*plain
	for _, p := range list {
		if p.param != nil {
			params = append(params, p.param)
		}
	}
	if params != nil {
		d.param = c.intern(params, miss)
	}
	slots := make([]slot, 0, len(list[0].kids))
	for _, text := range literalsOf(list) {
		slots = append(slots, newSlot(text, c.intern(step(list, text), miss)))
	}
	d.setChildren(slots)
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
// all under a later one, since the leftmost difference decides.
func step(list []*plain, text string) []*plain {
	next := make([]*plain, 0, 1+len(list))
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

// widen leaves a draft as a list that is stepped through side by side.
func (c *compiler) widen(j job) {
	d := j.draft
	d.wideMiss, d.wide = j.miss, make([]*draft, 0, len(j.list))
	for _, p := range j.list {
		d.wide = append(d.wide, c.lookup(p))
	}
}

// lookup is p as a draft for side-by-side stepping: unlike a compiled one, its
// literal children do not hold what its parameter child could do.
func (c *compiler) lookup(p *plain) *draft {
	if p.fixed {
		return c.intern([]*plain{p}, nil)
	}
	if p.draft != nil {
		return p.draft
	}
	p.draft = &draft{end: p.end, miss: p.rest}
	if p.param != nil {
		p.draft.param = c.lookup(p.param)
	}
	slots := make([]slot, 0, len(p.kids))
	for _, k := range p.kids {
		slots = append(slots, newSlot(k.text, c.lookup(k.to)))
	}
	p.draft.setChildren(slots)
	return p.draft
}

// setChildren sorts the literal children into the table and the rare places.
func (d *draft) setChildren(all []slot) {
	table := all[:0]
	for _, s := range all {
		switch {
		case s.size == 0:
			d.slash = s.to
		case isDots(s.first, s.size):
			d.dots[s.size-1] = s.to
		default:
			table = append(table, s)
		}
	}
	if len(table) > 0 {
		d.setTable(table)
	}
}
