package segue

import (
	"math/bits"
)

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
	*kept
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
		if e.method() == method && e.alias == written {
			return e
		}
	}
	return nil
}

// A node is one state of a compiled trie. It never changes once a request can
// see it. Its 72 bytes leave a leaf room beside it: see berth.
type node struct {
	slots  []slot // a hash table of the literal children; its size is a power of two
	param  *node  // where any other segment leads, nil if nowhere
	mul    uint64 // see hash
	*extra        // what few nodes have

	// paramEnd is the parameter's fastEnd: it spares a step, where nodes are many
	// and cold.
	paramEnd *leaf
	fastEnd  *leaf // answers where the path ends here, slowLeaf where its other spelling could answer better
	miss     *leaf // answers where the next segment leads nowhere: a rest, or nil
}

type extra struct {
	moved     *moved // of larger tables: see hash
	fastSlash *leaf  // answers behind a final slash, slowLeaf where the other spelling could answer better; without extra it is miss
	slowEnd   *leaf  // where fastEnd is slowLeaf, what answers by the path alone

	slash    *node    // the literal child for the empty segment behind a final slash
	dots     [2]*node // the literal children "." and "..": written encoded, reached encoded
	twins    []slot   // literal children that the hash does not tell from another: see hash
	long     bool     // some literal child has sixteen bytes or more: no other segment of that length needs a look
	text     string   // what leads here, if that is a literal of more than sixteen bytes
	wide     []*node  // stepped through side by side instead of all above
	wideMiss *leaf
	plain    *node // of a root where the best match is not always enough: see matches

	lead    *lead           // of a root that one literal follows
	instead map[*leaf]*leaf // of a root with plain: who answers, on the same path, where a leaf declines
}

// end returns what answers where the path ends here: a route, a rest, or nil.
func (n *node) end() *leaf {
	if n.fastEnd == slowLeaf && n.extra != nil {
		return n.slowEnd
	}
	return n.fastEnd
}

// hash returns the hash of the node's table.
func (n *node) hash() hash {
	h := hash{mul: n.mul}
	if n.extra != nil {
		h.moved = n.moved
	}
	return h
}

// A lead is what all paths that go on from a root begin with, such as /api/v1/,
// as far as it fits one number: find passes it in one look.
type lead struct {
	text, mask uint64
	size       int // of the text, with its last slash
	node       *node
}

func (l *lead) starts(path string) bool { return load8(path, 0)&l.mask == l.text }

var emptyNode node

func (n *node) rare() *extra {
	if n.extra == nil {
		n.extra = &extra{fastSlash: n.miss}
	}
	return n.extra
}

// slowLeaf stands where find cannot decide alone.
var slowLeaf = &leaf{isSlow: true, origin: new(origin)}

var slowNode = node{miss: slowLeaf, fastEnd: slowLeaf}

// find returns what answers a path that is clean and not encoded, and from
// where on the path was not looked at: a rest may begin with segments that
// nobody checked for cleanness. It returns nil on a miss, and slowLeaf where
// [table.resolve] must decide. One step per segment, no allocation.
//
// All but the rarest is written out in the loop, so that it stays in registers:
// literals of 16 bytes and more, and twins.
func (n *node) find(path string) (l *leaf, unchecked int) {
	i := 1
	var tail, first uint64 // tail are the path's last eight bytes, the last one highest
	if len(path) < 8 {
		tail = shortTail(path)
	} else if tail = load8(path, len(path)-8); n.extra != nil && n.lead != nil && n.lead.starts(path) {
		i, n = n.lead.size, n.lead.node
	}
	for uint(i) <= uint(len(path)) { // unsigned, so that the compiler sees i within the path
		// The segment's first and last eight bytes as numbers, as segmentKey.
		last, next, size := uint64(0), n.param, len(path)-i
		if i <= len(path)-8 {
			first = load8(path, i)
		} else {
			first = lastBytes(tail, size)
		}
		if slash := slashes(first); slash != 0 {
			size = bits.TrailingZeros64(slash) >> 3
			first &= below(slash)
		} else if left := size - 8; left >= 0 {
			var second uint64
			if i <= len(path)-16 {
				second = load8(path, i+8)
			} else {
				second = lastBytes(tail, left)
			}
			if slash := slashes(second); slash != 0 {
				size = 8 + bits.TrailingZeros64(slash)>>3
			} else if left >= 8 {
				size = slashFrom(path, i+16) - i
				goto other
			}
			last = load8(path, i+size-8)
		}
		if len(n.slots) != 0 {
			h := n.hash()
			s := &n.slots[h.of(first, last)&uint32(len(n.slots)-1)]
			if (s.first^first)|(s.last^last)|uint64(s.size^size) == 0 {
				next = s.node
				goto step
			}
		}
	other:
		if n.extra != nil && (n.twins != nil || n.long && size >= 16) {
			if l := n.literal(path[i : i+size]); l != nil {
				next = l
				goto step
			}
		}
		if next == nil || size == 0 || isDots(first, size) {
			return n.stop(i+size == len(path) && size == 0), i
		}
		if i+size == len(path) {
			return n.paramEnd, len(path)
		}
	step:
		n, i = next, i+size+1
	}
	return n.fastEnd, len(path)
}

// stop returns who answers where no step leads on from n.
func (n *node) stop(finalSlash bool) *leaf {
	if finalSlash && n.extra != nil {
		return n.fastSlash
	}
	return n.miss
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
	return n.literal(seg)
}

// literal is child for all but the empty and the dot segments.
func (n *node) literal(seg string) *node {
	if len(n.slots) == 0 {
		return nil
	}
	first, last := segmentKey(seg)
	h := n.hash()
	if s := &n.slots[h.of(first, last)&uint32(len(n.slots)-1)]; s.is(first, last, seg) {
		return s.node
	}
	if n.extra != nil {
		for i := range n.twins {
			if s := &n.twins[i]; s.is(first, last, seg) {
				return s.node
			}
		}
	}
	return nil
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
			return n.end()
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
	list, next := []candidate{{open: n}}, []candidate(nil)
	for open := true; open; { // behind the last open branch no segment changes anything
		seg, ok := path.next()
		if !ok {
			break
		}
		next, open = next[:0], false
		for _, c := range list {
			if c.open == nil {
				next = append(next, c)
				continue
			}
			if child := c.open.child(seg); child != nil {
				next, open = append(next, candidate{open: child}), true
			}
			if seg != "" && c.open.param != nil {
				next, open = append(next, candidate{open: c.open.param}), true
			}
			if c.open.miss != nil {
				next = append(next, candidate{leaf: c.open.miss})
			}
		}
		list, next = next, list
	}
	var found []*leaf
	for _, c := range list {
		if c.open != nil {
			c.leaf = c.open.end()
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
		if l := n.end(); l != nil {
			return l
		}
	}
	return miss
}
