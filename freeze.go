package segue

import "strings"

// A draft is a node while it is compiled: it points at others, several may point
// at it, and it is thrown away with the compiler.
type draft struct {
	end, miss *leaf // answers where the path ends here, and where the next segment leads nowhere
	param     *draft
	slash     *draft    // the literal child for the empty segment behind a final slash
	dots      [2]*draft // the literal children "." and ".."

	slots []slot // a hash table of the other literal children; its size is a power of two
	hash  hash
	twins []slot // those that the hash does not tell from another
	long  bool   // some of these have more than fifteen bytes: no other segment of that length needs a look

	wide     []*draft // stepped through side by side instead of all above
	wideMiss *leaf

	reached  bool
	alone    bool   // something leads here that is no literal of a table: it needs a node of its own,
	at       uint32 // which is this,
	table    uint32 // and its slots begin here,
	twinsAt  uint32 // and its twins
	state    uint32
	finished node // without a key
}

// A freezer makes the nodes of a trie out of drafts.
type freezer struct {
	*trie
	text strings.Builder
	at   map[string]uint32 // where in it each text is
}

// freeze returns a trie of what is drafted from root, and from plain, if there is
// one. The leaves have their numbers.
func freeze(root, plain *draft, leaves []leaf) *trie {
	f := &freezer{trie: &trie{leaves: leaves, lead: noLead, extras: make([]extra, 1)}, at: map[string]uint32{}}
	all := reach(root, plain)
	f.number(all)
	for _, d := range all {
		d.finished = f.finish(d)
	}
	for _, d := range all {
		if d.alone {
			f.nodes[d.at] = d.finished
		}
		f.fill(d.table, d.slots)
		f.fill(d.twinsAt, d.twins)
	}
	f.root, f.texts = root.at, strings.Clone(f.text.String())
	if plain != nil {
		f.plain = plain.at
	}
	return f.trie
}

// reach lists the drafts that can be reached, those near the root first.
func reach(root, plain *draft) []*draft {
	var all []*draft
	add := func(d *draft, alone bool) {
		if d == nil {
			return
		}
		d.alone = d.alone || alone
		if !d.reached {
			d.reached = true
			all = append(all, d)
		}
	}
	add(root, true)
	add(plain, true)
	for i := 0; i < len(all); i++ {
		d := all[i]
		for _, s := range d.slots {
			add(s.to, false)
		}
		for _, s := range d.twins {
			add(s.to, false)
		}
		for _, other := range append(d.wide, d.slash, d.dots[0], d.dots[1]) {
			add(other, true)
		}
		if !d.param.endsPaths() {
			add(d.param, true)
		}
	}
	return all
}

// number says where each draft's nodes will be, and makes room for all.
func (f *freezer) number(all []*draft) {
	next := uint32(1)
	take := func(n int) uint32 {
		from := next
		next += uint32(n)
		return from
	}
	for i, d := range all {
		d.state = uint32(i)
		if d.alone {
			d.at = take(1)
		}
		d.table, d.twinsAt = take(len(d.slots)), take(len(d.twins))
	}
	f.nodes = make([]node, next)
	f.nodes[0] = freeNode
}

// finish returns the node that a draft becomes. The leaves of find are set here. A
// rest that took something gives way to an exact route at the other spelling of
// the path, and that is known now: the other spelling ends one node before or
// behind.
func (f *freezer) finish(d *draft) node {
	n := node{last: freeNode.last, size: -1, miss: d.missed(), fastEnd: d.fastEnd(), state: d.state}
	if len(d.slots) > 0 {
		n.slots, n.mask, n.mul = d.table, uint32(len(d.slots)-1), d.hash.mul
	}
	n.paramEnd = n.miss
	if d.param != nil {
		n.param, n.paramEnd = d.param.at, d.param.fastEnd()
		if d.param.endsPaths() {
			n.param = ended | n.paramEnd.id
		}
	}
	if d.hash.moved != nil {
		n.mul = uint64(2 * len(f.moves))
		f.moves = append(f.moves, *d.hash.moved)
	}
	x := extra{
		slash: d.slash.node(), dots: [2]uint32{d.dots[0].node(), d.dots[1].node()},
		fastSlash: d.fastSlash(), slowEnd: d.end.toHit().id, wideMiss: d.wideMiss.toHit().id,
		twins: span{d.twinsAt, uint32(len(d.twins))},
	}
	if d.wide != nil {
		x.slowEnd, x.wide = slowLeaf, span{uint32(len(f.wide)), uint32(len(d.wide))}
	}
	for _, w := range d.wide {
		f.wide = append(f.wide, w.at)
	}
	rare := x.slash != 0 || x.dots != [2]uint32{} || x.twins.n != 0 || x.wide.n != 0
	if rare || x.fastSlash != n.miss || n.fastEnd.id == slowLeaf {
		n.extra = uint32(len(f.extras))
		f.extras = append(f.extras, x)
	}
	if d.twins != nil {
		n.extra |= twinned
	}
	if d.long {
		n.extra |= haveLong
	}
	return n
}

// freeNode is none: no segment has its key, whose length would be too great.
var freeNode = node{last: 0xfe << 56, size: -1}

// fill writes the nodes that a draft's literals lead to.
func (f *freezer) fill(from uint32, slots []slot) {
	for i, s := range slots {
		n := freeNode
		if s.to != nil {
			n = s.to.finished
			n.first, n.last, n.size = s.first, s.last, int32(s.size)
		}
		if s.size > shortLiteral {
			n.text = f.textAt(s.text)
		}
		f.nodes[from+uint32(i)] = n
	}
}

// textAt returns where a text is, which copies of a literal share.
func (f *freezer) textAt(text string) uint32 {
	at, ok := f.at[text]
	if !ok {
		at = uint32(f.text.Len())
		f.at[text] = at
		f.text.WriteString(text)
	}
	return at
}

// node is where a draft's own node is, 0 for none.
func (d *draft) node() uint32 {
	if d == nil {
		return 0
	}
	return d.at
}

// endsPaths reports whether nothing is behind a draft but a path's end. Many
// parameters are such: nodes for them would take a quarter of the memory of an
// ordinary table.
func (d *draft) endsPaths() bool {
	return d != nil && d.end != nil && d.miss == nil && len(d.slots)+len(d.twins) == 0 && d.param == nil && d.slash == nil &&
		d.dots == [2]*draft{} && d.wide == nil && d.fastEnd() == d.end.toHit()
}

var slowHit = hit{id: slowLeaf, flags: isSlow}

func (d *draft) missed() hit {
	if d.wide != nil {
		return slowHit
	}
	return d.miss.toHit()
}

// slashEnd is what answers behind a final slash, by the path alone; known is
// whether that is found without stepping side by side.
func (d *draft) slashEnd() (l *leaf, known bool) {
	switch {
	case d.wide != nil, d.slash != nil && d.slash.wide != nil:
		return nil, false
	case d.slash != nil:
		return d.slash.end, true
	}
	return d.miss, true
}

func (d *draft) fastEnd() hit {
	slash, known := d.slashEnd()
	if !known || d.end.takesMore() && slash != d.end {
		return slowHit
	}
	return d.end.toHit()
}

func (d *draft) fastSlash() hit {
	slash, known := d.slashEnd()
	if !known || slash.takesMore() && d.end != nil && !d.end.takesMore() {
		return slowHit
	}
	return slash.toHit()
}

// takesMore reports whether l is a rest.
func (l *leaf) takesMore() bool { return l != nil && l.flags&isRest != 0 }

// setLead sets what find passes at once. Such a segment has up to six bytes, so
// that its key is its text; a literal that holds a slash, which was written
// encoded, is none.
func (t *trie) setLead() {
	l := lead{text: '/', size: 1, node: t.root}
	for {
		n := &t.nodes[l.node]
		if n.slots == 0 || n.mask != 0 || n.param != 0 {
			break
		}
		c := &t.nodes[n.slots]
		if c.size < 0 || int(c.size)+1 > 8-l.size || slashes(c.first) != 0 {
			break
		}
		l.text |= (c.first | '/'<<(8*c.size)) << (8 * l.size)
		l.size += int(c.size) + 1
		l.mask = 1<<(8*l.size) - 1
		l.node = n.slots
	}
	if l.size > 1 {
		t.lead = l
	}
}
