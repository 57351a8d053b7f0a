package segue

import (
	"cmp"
	"math/bits"
	"slices"
)

// A slot is a literal child. Up to sixteen bytes of a segment are compared as
// two numbers and a length; of longer ones the node knows the text. It has 32
// bytes, so that none lies across two cache lines.
type slot struct {
	first, last uint64
	size        int // -1 where the slot is free
	node        *node
}

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
// seven bytes are their own number and the second is 0. From seventeen on all
// others are mixed into the first, or names that differ in the middle would
// have one key.
func segmentKey(s string) (first, last uint64) {
	if len(s) < 8 {
		for i := range len(s) {
			first |= uint64(s[i]) << (8 * i)
		}
		return first, 0
	}
	first, last = load8(s, 0), load8(s, len(s)-8)
	for i := 8; len(s) > 16 && i < len(s)-8; i += 8 {
		hi, lo := bits.Mul64(first^load8(s, i)^uint64(len(s)), 0x9e3779b97f4a7c15)
		first = hi ^ lo
	}
	return first, last
}

func load8(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// isDots reports whether a key is that of "." or "..".
func isDots(first uint64, size int) bool {
	return first == '.' && size == 1 || first == '.'|'.'<<8 && size == 2
}

// A hash is how a table finds a segment's slot. It is perfect: each child has the
// slot that it hashes to, so that one look tells. Of children that no hash tells
// apart, such as those that differ in a final NUL alone, all but the first are
// twins, which are looked through one by one: see extra.
type hash struct {
	mul   uint64
	moved *moved // of larger tables
}

// moved shifts the slots of the children that share a bucket together, so that
// a table of any size can be perfect: "hash, displace, and compress" of
// Belazzougui, Botelho and Dietzfelbinger, without the compressing.
type moved struct {
	by  []uint16 // a power of two of them
	mul uint64
}

// of returns the hash of a key, of which a table takes as many of the lowest
// bits as its size has.
func (h *hash) of(first, last uint64) uint32 {
	if h.moved != nil {
		return h.moved.of(first, last)
	}
	return uint32(fold(first, last) * h.mul >> 32)
}

func (m *moved) of(first, last uint64) uint32 {
	key := m.mix(first, last)
	return uint32(key>>32) ^ uint32(m.by[key>>16&uint64(len(m.by)-1)])
}

// fold makes one number of a key's two. Of a key a table without moves knows that
// number alone.
func fold(first, last uint64) uint64 { return first ^ bits.RotateLeft64(last, 29) }

// mix spreads every bit of a key over the whole: a product's low half knows
// nothing of its factors' high bits, and names that end in numbers differ there.
func (m *moved) mix(first, last uint64) uint64 {
	hi, lo := bits.Mul64(first^m.mul, last^0x9e3779b97f4a7c15)
	return hi ^ lo
}

// setTable seeks a hash that gives each child a slot of its own.
func (n *node) setTable(children []slot) {
	children, twins := splitTwins(children)
	if len(twins) > 0 {
		n.rare().twins = twins
	}
	if slices.ContainsFunc(children, func(c slot) bool { return c.size >= 16 }) {
		n.rare().long = true
	}
	var h hash
	const tries = 64
	seed := uint64(0x9e3779b97f4a7c15)
	next := func() uint64 {
		seed = seed*0xd1342543de82ef95 + 0x632be59bd9b4e019 | 1
		return seed
	}
	size := 1 << bits.Len(uint(len(children)-1))
	if len(children) <= plainChildren {
		for i := range 4 * tries {
			h.mul = next()
			if n.tryTable(children, h, size<<(i/tries)) {
				return
			}
		}
	}
	size = 1 << bits.Len(uint(len(children)+len(children)/3))
	for i := range tries {
		size := size << (i / 16)
		h.moved = newMoved(children, next(), size)
		if h.moved != nil && n.tryTable(children, h, size) {
			return
		}
	}
	// Nobody has seen this happen; it would be slow, and right.
	n.rare().twins = append(twins, children...)
	n.slots = freeSlots(1)
}

// splitTwins takes the children apart that no hash tells from another one before
// them: those of one key, and in a table without moves those whose two numbers
// come to one when folded.
func splitTwins(children []slot) (first, twins []slot) {
	seen := make(map[[2]uint64]bool, len(children))
	for _, c := range children {
		key := [2]uint64{c.first, c.last}
		if len(children) <= plainChildren {
			key = [2]uint64{fold(c.first, c.last)}
		}
		if seen[key] {
			twins = append(twins, c)
			continue
		}
		seen[key] = true
		first = append(first, c)
	}
	return first, twins
}

// plainChildren is up to how many children a table is sought in which no bucket
// is moved, which a lookup finds sooner. More have no chance within a size that
// one would want, by the birthday rule.
const plainChildren = 64

func (n *node) tryTable(children []slot, h hash, size int) bool {
	var small [8 * plainChildren]bool
	used := small[:]
	if size > len(small) {
		used = make([]bool, size)
	}
	mask := uint32(size - 1)
	for _, c := range children {
		i := h.of(c.first, c.last) & mask
		if used[i] {
			return false
		}
		used[i] = true
	}
	n.slots, n.mul = freeSlots(size), h.mul
	if h.moved != nil {
		n.rare().moved = h.moved
	}
	for _, c := range children {
		n.slots[h.of(c.first, c.last)&mask] = c
	}
	return true
}

// newMoved seeks by how much to move each bucket of a table, the fullest first.
// It returns nil where two of a bucket have one slot.
func newMoved(children []slot, mul uint64, size int) *moved {
	m := &moved{by: make([]uint16, size/4), mul: mul}
	buckets := make([][]uint32, len(m.by))
	for _, c := range children {
		key := m.mix(c.first, c.last)
		b := key >> 16 & uint64(len(buckets)-1)
		buckets[b] = append(buckets[b], uint32(key>>32)&uint32(size-1))
	}
	order := make([]int, len(buckets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(len(buckets[b]), len(buckets[a])) })
	used := make([]bool, size)
	for _, b := range order {
		by, ok := room(used, buckets[b])
		if !ok {
			return nil
		}
		m.by[b] = by
	}
	return m
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

// freeSlots returns a table that no segment matches.
func freeSlots(size int) []slot {
	slots := make([]slot, size)
	for i := range slots {
		slots[i].size = -1
	}
	return slots
}
