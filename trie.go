package segue

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

// The source trie holds the routes, one branch per path segment. It changes
// with every registration and is never read by a request: compile turns it
// into the immutable nodes at the end of this file.
type branch struct {
	twigs *twigs // the literal children, nil if there are none
	param *branch
	rest  *branch
	ends  []*entry // the routes whose path ends here
}

// twigs holds literal children: in a slice while they are few, since most
// branches have one or two and a map for each would be most of the trie.
type twigs struct {
	few  []twig
	many map[string]*branch
}

type twig struct {
	text string
	to   *branch
}

const fewTwigs = 8

// An entry is a route as one root sees it: through the mounts on the way.
type entry struct {
	*pattern
	text  string // r.Pattern; no other string has its bytes, so that they tell whose route it is
	route *route
	line  []*mount // from the root to the router that registered it
	alias alias
	leaf  *leaf // what the running compilation made of it
}

// alias ranks the routes that end at one branch, best first: a mount's prefix
// stands for "/" in both spellings, and a route written for a spelling is
// better than one that only stands in for it.
type alias uint8

const (
	written   alias = iota // the path as registered
	exactRoot              // the other spelling of a mount's prefix, for an exact "/"
	restRoot               // the same for a subtree or a rest, which take less exactly
)

// insert puts e where segs lead. It is the caller's part to have looked for a
// conflict before.
func (b *branch) insert(segs []segment, e *entry) {
	for _, s := range segs {
		b = b.grow(s)
	}
	b.ends = append(b.ends, e)
}

func (b *branch) grow(s segment) *branch {
	next := b.child(s)
	if next != nil {
		return next
	}
	next = new(branch)
	switch {
	case s.kind == parameter:
		b.param = next
	case s.kind == rest:
		b.rest = next
	case b.twigs == nil:
		b.twigs = &twigs{few: []twig{{s.text, next}}}
	default:
		b.twigs.add(s.text, next)
	}
	return next
}

func (t *twigs) add(text string, to *branch) {
	if t.many == nil && len(t.few) < fewTwigs {
		t.few = append(t.few, twig{text, to})
		return
	}
	if t.many == nil {
		t.many = map[string]*branch{}
		for _, old := range t.few {
			t.many[old.text] = old.to
		}
		t.few = nil
	}
	t.many[text] = to
}

func (b *branch) child(s segment) *branch {
	switch {
	case s.kind == parameter:
		return b.param
	case s.kind == rest:
		return b.rest
	case b.twigs == nil:
		return nil
	}
	for _, t := range b.twigs.few {
		if t.text == s.text {
			return t.to
		}
	}
	return b.twigs.many[s.text]
}

// literals visits the literal children, in no order.
func (b *branch) literals(do func(text string, to *branch)) {
	if b.twigs == nil {
		return
	}
	for _, t := range b.twigs.few {
		do(t.text, t.to)
	}
	for text, to := range b.twigs.many {
		do(text, to)
	}
}

// conflict returns the entry that matches the same requests as a route of this
// method and these segments would, nil if there is none.
func (b *branch) conflict(method string, segs []segment) *entry {
	for _, s := range segs {
		if b = b.child(s); b == nil {
			return nil
		}
	}
	for _, e := range b.ends {
		if e.method == method && e.alias == written {
			return e
		}
	}
	return nil
}

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
	used   int // nodes, child entries and open alternatives beyond single branches
	single map[singleKey]*node
	merged map[string]*node
	leaves map[*leaf]uint32 // numbers the rests, to tell lists apart that differ in them
	jobs   []job
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
	c := &compiler{
		source: pr.size,
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
	n := &node{end: miss, miss: miss}
	c.jobs = append(c.jobs, job{n, list, miss})
	for _, p := range list {
		if p.end != nil {
			n.end = p.end
			break
		}
	}
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
	if !c.afford(j.list, list) {
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

// afford reports whether the budget allows a node for the list and books it. A
// branch on its own is free the first time: there are no more of those than
// the source trie has.
func (c *compiler) afford(whole, list []*plain) bool {
	if len(whole) == 1 && !whole[0].seen {
		whole[0].seen = true
		return true
	}
	cost := 1 + len(whole)
	for _, p := range list {
		cost += len(p.kids) * (1 + len(list))
	}
	if c.used+cost > budgetFactor*c.source+budgetConstant {
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
	n.end, n.miss = slowLeaf, slowLeaf
	n.rare().wideMiss, n.wide = j.miss, make([]*node, 0, len(j.list))
	n.fastEnd, n.fastSlash = slowLeaf, slowLeaf
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
	p.node = &node{end: p.end, miss: p.rest}
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

// A node is one state of a compiled trie. It never changes once a request can
// see it.
type node struct {
	slots []slot // a hash table of the literal children; its size is a power of two
	hash  hash
	param *node // where any other segment leads, nil if nowhere
	miss  *leaf // answers where the next segment leads nowhere: a rest, or nil
	end   *leaf // answers where the path ends here: a route, a rest, or nil

	// What end and the final slash come to on a clean path, with slowLeaf where
	// the other spelling of the path could answer better.
	fastEnd   *leaf
	fastSlash *leaf

	*extra // what few nodes have
}

type extra struct {
	slash    *node    // the literal child for the empty segment behind a final slash
	dots     [2]*node // the literal children "." and "..": written encoded, reached encoded
	text     string   // what leads here, if that is a literal of more than sixteen bytes
	wide     []*node  // stepped through side by side instead of all above
	wideMiss *leaf
	plain    *node // of a root where the best match is not always enough: see matches

	instead map[*leaf]*leaf // of such a root: who answers, on the same path, where a leaf declines
}

// A slot is a literal child. Up to sixteen bytes of a segment are compared as
// two numbers and a length; of longer ones the node knows the text. It has 32
// bytes, so that none lies across two cache lines.
type slot struct {
	first, last uint64
	size        int // -1 where the slot is free
	node        *node
}

var emptyNode node

func newSlot(text string, n *node) slot {
	s := slot{size: len(text), node: n}
	s.first, s.last = segmentKey(text)
	if len(text) > 16 {
		n.rare().text = text
	}
	return s
}

// is reports whether seg, whose key is first and last, is this child.
func (s *slot) is(first, last uint64, seg string) bool {
	return s.first == first && s.last == last && s.size == len(seg) && (len(seg) <= 16 || s.node.text == seg)
}

// segmentKey returns a segment's first and last eight bytes as numbers. Up to
// seven bytes are their own number and the second is 0.
func segmentKey(s string) (first, last uint64) {
	if len(s) < 8 {
		for i := range len(s) {
			first |= uint64(s[i]) << (8 * i)
		}
		return first, 0
	}
	return load8(s, 0), load8(s, len(s)-8)
}

func load8(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// setChildren sorts the literal children into the table and the rare places.
func (n *node) setChildren(all []slot) {
	table := all[:0]
	for _, s := range all {
		switch {
		case s.size == 0:
			n.rare().slash = s.node
		case s.size <= 2 && isDots(s.first):
			n.rare().dots[s.size-1] = s.node
		default:
			table = append(table, s)
		}
	}
	if len(table) > 0 {
		n.setTable(table)
	}
}

func (n *node) rare() *extra {
	if n.extra == nil {
		n.extra = new(extra)
	}
	return n.extra
}

// A hash is how a table finds a segment's slot. The first ones that are tried
// are perfect: each child has the slot that it hashes to, so that one look
// tells. Children with the same key, which differ in length or in the middle of
// more than sixteen bytes, cannot be told apart so, and probing is the way out.
type hash struct {
	mul   uint64
	mask  uint32
	probe uint32 // how many more slots to look at
	moved *moved // of larger tables
}

// moved shifts the slots of the children that share a bucket together, so that
// a table of any size can be perfect: "hash, displace, and compress" of
// Belazzougui, Botelho and Dietzfelbinger, without the compressing.
type moved struct {
	by   []uint16
	mask uint64
}

func (h *hash) slot(first, last uint64) uint32 {
	key := h.mix(first, last)
	at := uint32(key >> 32)
	if h.moved != nil {
		at ^= uint32(h.moved.by[key>>16&h.moved.mask])
	}
	return at & h.mask
}

// mix spreads every bit of a key over the whole: a product's low half knows
// nothing of the key's high bits, and names that end in numbers differ there.
func (h *hash) mix(first, last uint64) uint64 {
	hi, lo := bits.Mul64(first^bits.RotateLeft64(last, 29), h.mul)
	return hi ^ lo
}

// setTable seeks a hash that gives each child a slot of its own.
func (n *node) setTable(children []slot) {
	const tries = 64
	seed := uint64(0x9e3779b97f4a7c15)
	next := func() uint64 {
		seed = seed*0xd1342543de82ef95 + 0x632be59bd9b4e019 | 1
		return seed
	}
	size := 1 << bits.Len(uint(len(children)-1))
	if len(children) <= 32 { // more have no chance without being moved, by the birthday rule
		for i := range 3 * tries {
			if n.tryTable(children, hash{mul: next(), mask: uint32(size<<(i/tries) - 1)}) {
				return
			}
		}
	}
	size = 1 << bits.Len(uint(len(children)+len(children)/3))
	for range tries / 4 {
		if h := (hash{mul: next(), mask: uint32(size - 1)}); h.move(children) && n.tryTable(children, h) {
			return
		}
	}
	n.probeTable(children, hash{mul: next(), mask: uint32(size - 1)})
}

func (n *node) tryTable(children []slot, h hash) bool {
	slots := freeSlots(int(h.mask) + 1)
	for _, c := range children {
		i := h.slot(c.first, c.last)
		if slots[i].node != nil {
			return false
		}
		slots[i] = c
	}
	n.slots, n.hash = slots, h
	return true
}

// probeTable puts each child into the next free slot.
func (n *node) probeTable(children []slot, h hash) {
	slots := freeSlots(int(h.mask) + 1)
	for _, c := range children {
		i, steps := h.slot(c.first, c.last), uint32(0)
		for ; slots[i].node != nil; steps++ {
			i = (i + 1) & h.mask
		}
		slots[i] = c
		h.probe = max(h.probe, steps)
	}
	n.slots, n.hash = slots, h
}

// move seeks by how much to move each bucket, the fullest first. It fails where
// two of a bucket have one slot.
func (h *hash) move(children []slot) bool {
	buckets := make([][]uint32, (h.mask+1)/4)
	mask := uint64(len(buckets) - 1)
	for _, c := range children {
		key := h.mix(c.first, c.last)
		b := key >> 16 & mask
		buckets[b] = append(buckets[b], uint32(key>>32)&h.mask)
	}
	order := make([]int, len(buckets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(len(buckets[b]), len(buckets[a])) })
	used := make([]bool, h.mask+1)
	h.moved = &moved{by: make([]uint16, len(buckets)), mask: mask}
	for _, b := range order {
		by, ok := room(used, buckets[b])
		if !ok {
			return false
		}
		h.moved.by[b] = by
	}
	return true
}

// room finds a move that brings all of a bucket to free slots, and takes them.
func room(used []bool, bucket []uint32) (uint16, bool) {
try:
	for by := range min(len(used), 1<<16) {
		for i, at := range bucket {
			if used[at^uint32(by)] {
				for _, taken := range bucket[:i] {
					used[taken^uint32(by)] = false
				}
				continue try
			}
			used[at^uint32(by)] = true
		}
		return uint16(by), true
	}
	return 0, false
}

// isDots reports whether a key is that of "." or "..". Followed by NUL they have
// the same, which the caller tells by the size, or leaves to resolve.
func isDots(first uint64) bool { return first == '.' || first == '.'|'.'<<8 }

// freeSlots returns a table that no segment matches.
func freeSlots(size int) []slot {
	slots := make([]slot, size)
	for i := range slots {
		slots[i].size = -1
	}
	return slots
}

// finish sets what find reads at the end of a path. A rest that took something
// gives way to an exact route at the other spelling of the path, and that is
// known now: the other spelling ends one node before or behind.
func (n *node) finish() {
	if n.extra != nil && n.wide != nil {
		return
	}
	n.fastEnd, n.fastSlash = n.end, n.miss
	if n.extra != nil && n.slash != nil {
		n.fastSlash = n.slash.end
	}
	if n.fastSlash == slowLeaf {
		n.fastEnd = slowLeaf
		return
	}
	if n.fastEnd != nil && n.fastEnd.isRest && n.fastSlash != n.fastEnd {
		n.fastEnd = slowLeaf
	}
	if n.fastSlash != nil && n.fastSlash.isRest && n.end != nil && !n.end.isRest {
		n.fastSlash = slowLeaf
	}
}

// slowLeaf stands where find cannot decide alone.
var slowLeaf = &leaf{isSlow: true}

var slowNode = node{end: slowLeaf, miss: slowLeaf, fastEnd: slowLeaf, fastSlash: slowLeaf}

// find returns what answers a path that is clean and not encoded, and from
// where on the path was not looked at: a rest may begin with segments that
// nobody checked for cleanness. It returns nil on a miss, and slowLeaf where
// [table.resolve] must decide. One step per segment, no allocation.
//
// Nothing is called from the loop, so that all of it stays in registers: what
// is rarer, segments from 16 bytes on and tables that need probing, goes on in
// findOn.
func (n *node) find(path string) (l *leaf, unchecked int) {
	var tail uint64 // the path's last eight bytes, the last one highest
	if len(path) >= 8 {
		tail = load8(path, len(path)-8)
	} else {
		tail = shortTail(path)
	}
	for i := 1; ; {
		// The segment's first and last eight bytes as numbers, as segmentKey.
		var first, last uint64
		size := len(path) - i
		if size >= 8 {
			first = load8(path, i)
		} else {
			first = lastBytes(tail, size)
		}
		if slash := slashes(first); slash != 0 {
			size = bits.TrailingZeros64(slash) >> 3
			first &= below(slash)
		} else if left := size - 8; left >= 0 {
			var second uint64
			if left >= 8 {
				second = load8(path, i+8)
			} else {
				second = lastBytes(tail, left)
			}
			if slash := slashes(second); slash != 0 {
				size = 8 + bits.TrailingZeros64(slash)>>3
			} else if left >= 8 {
				return n.findOn(path, i)
			}
			last = load8(path, i+size-8)
		}

		next := n.param
		if len(n.slots) != 0 {
			s := &n.slots[n.hash.slot(first, last)]
			if (s.first^first)|(s.last^last)|uint64(s.size^size) == 0 {
				next = s.node
				goto step
			}
			if n.hash.probe != 0 {
				return n.findOn(path, i)
			}
		}
		if size == 0 && i == len(path) {
			return n.fastSlash, i
		}
		if next == nil || size == 0 || isDots(first) {
			return n.miss, i
		}
	step:
		n = next
		i += size + 1
		if i > len(path) {
			return n.fastEnd, len(path)
		}
	}
}

// findOn is find from the segment at i on, for segments of any length.
func (n *node) findOn(path string, i int) (*leaf, int) {
	for {
		seg, _, more := strings.Cut(path[i:], "/")
		switch {
		case seg == "" && !more:
			return n.fastSlash, i
		case seg == "" || seg == "." || seg == "..":
			return n.miss, i
		}
		next := n.child(seg)
		if next == nil {
			next = n.param
		}
		if next == nil {
			return n.miss, i
		}
		n = next
		i += len(seg) + 1
		if !more {
			return n.fastEnd, len(path)
		}
	}
}

// lastBytes returns the last n bytes that tail holds, n < 8, the first one
// lowest.
func lastBytes(tail uint64, n int) uint64 {
	return tail >> (uint(56-8*n) & 63) >> 8 // in two steps, for n = 0
}

// probed looks for a child in the slots behind its own.
func (n *node) probed(first, last uint64, text string) *node {
	i := n.hash.slot(first, last)
	for range n.hash.probe {
		i++
		if s := &n.slots[i&n.hash.mask]; s.is(first, last, text) {
			return s.node
		}
	}
	return nil
}

// slashes returns a number whose lowest set bit is the highest bit of the first
// byte of w that is a slash; 0 if there is none.
func slashes(w uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	x := w ^ '/'*ones
	return (x - ones) &^ x & highs
}

// below returns a mask for the bytes before the first one that slashes found.
func below(slash uint64) uint64 { return (slash&-slash - 1) >> 7 }

// shortTail returns the bytes of a path of less than eight, the last one
// highest.
func shortTail(p string) uint64 {
	var w uint64
	for i := range len(p) {
		w = w>>8 | uint64(p[i])<<56
	}
	return w
}

// child returns where a decoded segment leads, nil if no literal child has it.
func (n *node) child(seg string) *node {
	switch seg {
	case "":
		if n.extra != nil {
			return n.slash
		}
		return nil
	case ".", "..":
		if n.extra != nil {
			return n.dots[len(seg)-1]
		}
		return nil
	}
	if len(n.slots) == 0 {
		return nil
	}
	first, last := segmentKey(seg)
	if s := &n.slots[n.hash.slot(first, last)]; s.is(first, last, seg) {
		return s.node
	}
	return n.probed(first, last, seg)
}

// walk is find for every path: encoded or not, clean or not, through wide nodes
// too, and past leaves that decline. It does not allocate unless a segment holds
// an encoding, more than 32 alternatives are open at once, or a leaf declines.
func (n *node) walk(path segments) *leaf {
	l := n.first(path)
	if l == nil || l.takes(path) {
		return l
	}
	for _, l := range n.plain.matches(path) {
		for l != nil && !l.takes(path) {
			l = n.insteadOf(l)
		}
		if l != nil {
			return l
		}
	}
	return nil
}

// insteadOf returns who answers, on the same path, where l declines. n is a root.
func (n *node) insteadOf(l *leaf) *leaf {
	if n.extra == nil {
		return nil
	}
	return n.instead[l]
}

func (n *node) first(path segments) *leaf {
	for {
		if n.extra != nil && n.wide != nil {
			return sideBySide(n.wide, n.wideMiss, path)
		}
		seg, ok := path.next()
		if !ok {
			return n.end
		}
		next := n.child(seg)
		if next == nil && seg != "" {
			next = n.param
		}
		if next == nil {
			return n.miss
		}
		n = next
	}
}

// A candidate is a branch that can still match, or a leaf that does already.
type candidate struct {
	open *node
	leaf *leaf
}

// matches returns all leaves that match, best first. n is a root for stepping
// side by side.
func (n *node) matches(path segments) []*leaf {
	list := []candidate{{open: n}}
	for {
		seg, ok := path.next()
		if !ok {
			break
		}
		var next []candidate
		for _, c := range list {
			if c.open == nil {
				next = append(next, c)
				continue
			}
			if child := c.open.child(seg); child != nil {
				next = append(next, candidate{open: child})
			}
			if seg != "" && c.open.param != nil {
				next = append(next, candidate{open: c.open.param})
			}
			if c.open.miss != nil {
				next = append(next, candidate{leaf: c.open.miss})
			}
		}
		list = next
	}
	var found []*leaf
	for _, c := range list {
		if c.open != nil {
			c.leaf = c.open.end
		}
		if c.leaf != nil {
			found = append(found, c.leaf)
		}
	}
	return found
}

// sideBySide goes on from a node that the budget left as a list. The work is
// the number of open alternatives for each segment.
func sideBySide(open []*node, miss *leaf, path segments) *leaf {
	var a, b [32]*node
	open, next := append(a[:0], open...), b[:0]
	for {
		seg, ok := path.next()
		if !ok {
			break
		}
		next = next[:0]
		for _, n := range open {
			if c := n.child(seg); c != nil {
				next = append(next, c)
			}
			if seg != "" && n.param != nil {
				next = append(next, n.param)
			}
			if n.miss != nil {
				miss = n.miss
				break
			}
		}
		if len(next) == 0 {
			return miss
		}
		open, next = next, open
	}
	for _, n := range open {
		if n.end != nil {
			return n.end
		}
	}
	return miss
}
