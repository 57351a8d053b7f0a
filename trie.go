package segue

import "math/bits"

// The source trie holds the routes, one branch per path segment. It changes
// with every registration and is never read by a request: compile turns it
// into the immutable nodes further down.
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
	route *route
	via   *via   // nil where the router is the root
	id    uint32 // the number of its leaf, in every table
	alias alias
}

// A via is the way from a root to a route.
type via struct {
	line   []*mount // from the root to the router that registered it
	joined kept     // the pattern with the prefixes on the way; none where there is none
}

func (e *entry) line() []*mount {
	if e.via == nil {
		return nil
	}
	return e.via.line
}

// kept is the route's pattern with all prefixes.
func (e *entry) kept() *kept {
	if e.via == nil || e.via.joined.text == "" {
		return &e.route.kept
	}
	return &e.via.joined
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

// visit calls do for every entry from b on.
func (b *branch) visit(do func(*entry)) {
	b.eachBranch(func(b *branch) {
		for _, e := range b.ends {
			do(e)
		}
	})
}

func (b *branch) eachBranch(do func(*branch)) {
	do(b)
	b.literals(func(_ string, c *branch) { c.eachBranch(do) })
	if b.param != nil {
		b.param.eachBranch(do)
	}
	if b.rest != nil {
		b.rest.eachBranch(do)
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
		if e.kept().method() == method && e.alias == written {
			return e
		}
	}
	return nil
}

// A trie is what the routes that can answer one method are compiled to. It never
// changes once a request can see it. Its nodes know each other, and the leaves, by
// number: they hold no pointer, so that the garbage collector passes them over,
// however many there are.
type trie struct {
	nodes   []node   // 0 leads nowhere
	extras  []extra  // of few nodes; 0 is that of all others
	moves   []moved  // of larger tables
	wide    []uint32 // what wide nodes stand for
	leaves  []leaf   // the table's: noLeaf, slowLeaf, and those of its entries
	texts   string   // the literals of sixteen bytes and more
	root    uint32
	plain   uint32 // the root to step from side by side where the best match is not always enough, else 0: see walk
	lead    lead
	instead map[*leaf]*leaf // with plain: who answers, on the same path, where a leaf declines
}

// A node is one state of a trie, together with the literal that leads to it and
// with what answers: all of it lies side by side, in two cache lines that the
// processor fetches together. Where several literals lead to one state, there is
// a copy for each.
type node struct {
	first, last uint64 // the literal's key: see segmentKey
	mul         uint64 // of the hash; if it is even, half of it says which moves
	size        int32  // of the literal in bytes, -1 where there is none
	slots, mask uint32 // the literal children are a table of mask+1 nodes from slots on; 0 and 0 if there are none
	param       uint32 // where any other segment leads, or with ended the leaf that it leads to
	extra       uint32 // with flags
	text        uint32 // where the literal is in texts, if it is there
	state       uint32 // numbers the states: copies have the same

	paramEnd hit // where such a segment ends the path
	fastEnd  hit // where the path ends here; slow where its other spelling could answer better
	miss     hit // where the next segment leads nowhere: a rest, or none

	_ [2]uint64 // so that nodes begin where cache lines do
}

// ended is set in a number of what is no node: there a path ends, at the leaf of
// the rest of the number, and nothing goes on.
const ended = 1 << 31

// Flags in a node's extra say that a segment may be a literal child although find
// does not see it in the table.
const (
	twinned  = 1 << 31 // any segment: there are twins
	haveLong = 1 << 30 // one of sixteen bytes or more

	extraFlags = twinned | haveLong
)

// An extra is what few nodes have.
type extra struct {
	fastSlash hit    // behind a final slash, slow where the other spelling could answer better; without an extra it is miss
	slowEnd   uint32 // where fastEnd is slow, the leaf by the path alone

	slash    uint32    // the literal child for the empty segment behind a final slash
	dots     [2]uint32 // the literal children "." and "..": written encoded, reached encoded
	twins    span      // literal children that the hash does not tell from another: see hash
	wide     span      // of the trie's: stepped through side by side instead of all above
	wideMiss uint32
}

// A span is so many numbers from one on.
type span struct{ from, n uint32 }

// A lead is what all paths that go on from a root begin with, such as /api/v1/,
// as far as it fits one number: find passes it in one look.
type lead struct {
	text, mask uint64
	size       int // of the text, with its last slash; 0 if there is none
	node       uint32
}

// noLead is one that no path begins with.
var noLead = lead{text: 1}

func (l *lead) starts(path string) bool { return load8(path, 0)&l.mask == l.text }

// The numbers of two leaves that every trie has.
const (
	noLeaf   = 0
	slowLeaf = 1 // stands where find cannot decide alone

	firstLeaf = 2
)

// ownLeaves are the first leaves of a table, and all of a trie without routes.
func ownLeaves(more int) []leaf {
	leaves := make([]leaf, firstLeaf+more)
	leaves[slowLeaf] = leaf{hit: hit{id: slowLeaf, flags: isSlow}, origin: new(origin)}
	return leaves
}

var (
	emptyTrie = freeze(new(draft), nil, ownLeaves(0))
	slowTrie  = freeze(&draft{wide: []*draft{{}}}, nil, ownLeaves(0)) // answers nothing by itself
)

// leaf returns a leaf by its number, nil for noLeaf.
func (t *trie) leaf(id uint32) *leaf {
	if id == noLeaf {
		return nil
	}
	return &t.leaves[id]
}

// extra returns the extra of a node. It is not to be changed.
func (t *trie) extra(n *node) *extra { return &t.extras[n.extra&^extraFlags] }

// wideAt returns the nodes that a wide one stands for, nil for all others.
func (t *trie) wideAt(n *node) []uint32 {
	w := t.extra(n).wide
	if w.n == 0 {
		return nil
	}
	return t.wide[w.from:][:w.n]
}

// end returns the number of what answers where the path ends at a node: a route,
// a rest, or none.
func (t *trie) end(n *node) uint32 {
	if n.fastEnd.id == slowLeaf {
		return t.extra(n).slowEnd
	}
	return n.fastEnd.id
}

// endAt is end of a node's number, or what stands for one.
func (t *trie) endAt(at uint32) uint32 {
	if at >= ended {
		return at &^ ended
	}
	return t.end(&t.nodes[at])
}

// find returns what answers a path that is clean and not encoded, and from where
// on the path was not looked at: a rest may begin with segments that nobody
// checked for cleanness. On a miss that is the hit of noLeaf; a slow one is for
// [table.resolve] to decide. One step per segment, no allocation.
//
// A segment is looked up as the two numbers of segmentKey. All but the rarest is
// written out in the loop, so that it stays in registers: literals of 16 bytes and
// more, and twins.
func (t *trie) find(path string) (found *hit, unchecked int) {
	i, n := 1, &t.nodes[t.root]
	var tail, first uint64 // tail are the path's last eight bytes, the last one highest
	if len(path) < 8 {
		tail = shortTail(path)
	} else if tail = load8(path, len(path)-8); t.lead.starts(path) {
		i, n = t.lead.size, &t.nodes[t.lead.node]
	}
	for uint(i) <= uint(len(path)) { // unsigned, so that the compiler sees i within the path
		last, size := uint64(0), len(path)-i
		if i <= len(path)-8 {
			first = load8(path, i)
		} else {
			first = lastBytes(tail, size)
		}
		if slash := slashes(first); slash != 0 {
			size, first = bits.TrailingZeros64(slash)>>3, first&below(slash)
		} else if left := size - 8; left >= 0 {
			if i <= len(path)-16 {
				last = load8(path, i+8)
			} else {
				last = lastBytes(tail, left)
			}
			if slash := slashes(last); slash != 0 {
				size, last = 8+bits.TrailingZeros64(slash)>>3, last&below(slash)
			} else if left >= 8 {
				size = slashFrom(path, i+16) - i
				goto other
			}
		}
		last |= uint64(size) << 56
		if n.slots != 0 {
			h := spread(first, last, n.mul)
			if n.mul&1 == 0 {
				h = t.moves[n.mul/2].of(first, last)
			}
			if c := &t.nodes[n.slots+h&n.mask]; (c.first^first)|(c.last^last) == 0 {
				n = c
				goto step
			}
		}
	other:
		if n.extra >= haveLong && (size > shortLiteral || n.extra >= twinned) {
			if c := t.literal(n, path[i:i+size]); c != 0 {
				n = &t.nodes[c]
				goto step
			}
		}
		switch {
		case size == 0 || isDots(first, size):
			return t.stop(n, i+size == len(path) && size == 0), i
		case i+size == len(path):
			return &n.paramEnd, len(path)
		case n.param == 0 || n.param >= ended:
			return &n.miss, i
		}
		n = &t.nodes[n.param]
	step:
		i += size + 1
	}
	return &n.fastEnd, len(path)
}

// slot returns which node of n's table has a key, if one has.
func (t *trie) slot(n *node, first, last uint64) uint32 {
	if n.mul&1 == 0 {
		return n.slots + t.moves[n.mul/2].of(first, last)&n.mask
	}
	return n.slots + spread(first, last, n.mul)&n.mask
}

// stop returns who answers where no step leads on from n.
func (t *trie) stop(n *node, finalSlash bool) *hit {
	if x := n.extra &^ extraFlags; finalSlash && x != 0 {
		return &t.extras[x].fastSlash
	}
	return &n.miss
}

// lastBytes returns the last n bytes that tail holds, n < 8, the first one
// lowest.
func lastBytes(tail uint64, n int) uint64 {
	return tail >> (uint(56-8*n) & 63) >> 8 // in two steps, for n = 0
}

// slashes returns a number whose lowest set bit is the highest bit of the first
// byte of w that is a slash; 0 if there is none.
func slashes(w uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	x := w ^ '/'*ones
	return (x - ones) &^ x & highs
}

// below returns a mask for the bytes before the first one that slashes found.
func below(slash uint64) uint64 { return (slash ^ (slash - 1)) >> 8 }

// shortTail returns the bytes of a path of less than eight, the last one highest.
func shortTail(p string) uint64 {
	var w uint64
	for i := range len(p) {
		w = w>>8 | uint64(p[i])<<56
	}
	return w
}

// child returns where a decoded segment leads from a node, 0 if no literal child
// has it.
func (t *trie) child(n uint32, seg string) uint32 {
	from := &t.nodes[n]
	switch seg {
	case "":
		return t.extra(from).slash
	case ".", "..":
		return t.extra(from).dots[len(seg)-1]
	}
	return t.literal(from, seg)
}

// literal is child for all but the empty and the dot segments.
func (t *trie) literal(n *node, seg string) uint32 {
	if n.slots == 0 {
		return 0
	}
	first, last := segmentKey(seg)
	if c := t.slot(n, first, last); t.leadsTo(c, first, last, seg) {
		return c
	}
	for twins, i := t.extra(n).twins, uint32(0); i < twins.n; i++ {
		if c := twins.from + i; t.leadsTo(c, first, last, seg) {
			return c
		}
	}
	return 0
}

// leadsTo reports whether seg, whose key is first and last, is the literal that
// leads to a node.
func (t *trie) leadsTo(n uint32, first, last uint64, seg string) bool {
	c := &t.nodes[n]
	return c.first == first && c.last == last && int(c.size) == len(seg) && (len(seg) <= shortLiteral || t.texts[c.text:][:len(seg)] == seg)
}

// walk is find for every path: encoded or not, clean or not, through wide nodes
// too, and past leaves that decline; nil on a miss. It does not allocate unless a
// segment holds an encoding, more than 32 alternatives are open at once, or a leaf
// declines.
func (t *trie) walk(path segments) *leaf {
	l := t.leaf(t.first(path))
	if l == nil || l.takes(path) {
		return l
	}
	for _, l := range t.matches(t.plain, path) {
		for l != nil && !l.takes(path) {
			l = t.instead[l]
		}
		if l != nil {
			return l
		}
	}
	return nil
}

func (t *trie) first(path segments) (leaf uint32) {
	for at := t.root; ; {
		n := &t.nodes[at]
		if open := t.wideAt(n); open != nil {
			return t.sideBySide(open, t.extra(n).wideMiss, path)
		}
		seg, ok := path.next()
		if !ok {
			return t.end(n)
		}
		next := t.child(at, seg)
		if next == 0 && seg != "" {
			next = n.param
		}
		switch {
		case next == 0:
			return n.miss.id
		case next >= ended && path.path == "":
			return next &^ ended
		case next >= ended:
			return noLeaf
		}
		at = next
	}
}

// A candidate is a node that can still match, or a leaf that does already.
type candidate struct{ open, leaf uint32 }

// matches returns all leaves that match from a root for stepping side by side,
// best first.
func (t *trie) matches(root uint32, path segments) []*leaf {
	list, next := []candidate{{open: root}}, []candidate(nil)
	for open := true; open; { // behind the last open branch no segment changes anything
		seg, ok := path.next()
		if !ok {
			break
		}
		next, open = next[:0], false
		for _, c := range list {
			switch {
			case c.open == 0:
				next = append(next, c)
				continue
			case c.open >= ended:
				continue
			}
			n := &t.nodes[c.open]
			if child := t.child(c.open, seg); child != 0 {
				next, open = append(next, candidate{open: child}), true
			}
			if seg != "" && n.param != 0 {
				next, open = append(next, candidate{open: n.param}), true
			}
			if n.miss.id != noLeaf {
				next = append(next, candidate{leaf: n.miss.id})
			}
		}
		list, next = next, list
	}
	var found []*leaf
	for _, c := range list {
		if c.open != 0 {
			c.leaf = t.endAt(c.open)
		}
		if c.leaf != noLeaf {
			found = append(found, &t.leaves[c.leaf])
		}
	}
	return found
}

// sideBySide goes on from a node that the budget left as a list. The work is
// the number of open alternatives for each segment.
func (t *trie) sideBySide(open []uint32, miss uint32, path segments) (leaf uint32) {
	var a, b [32]uint32
	open, next := append(a[:0], open...), b[:0]
	for {
		seg, ok := path.next()
		if !ok {
			break
		}
		next = next[:0]
		for _, at := range open {
			if at >= ended {
				continue
			}
			n := &t.nodes[at]
			if c := t.child(at, seg); c != 0 {
				next = append(next, c)
			}
			if seg != "" && n.param != 0 {
				next = append(next, n.param)
			}
			if n.miss.id != noLeaf {
				miss = n.miss.id
				break
			}
		}
		if len(next) == 0 {
			return miss
		}
		open, next = next, open
	}
	for _, at := range open {
		if l := t.endAt(at); l != noLeaf {
			return l
		}
	}
	return miss
}
