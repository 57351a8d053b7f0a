package segue

import (
	"cmp"
	"math/bits"
	"slices"
)

// A slot is a literal child of a draft. Up to fifteen bytes of a segment are
// compared as two numbers, of longer ones the text as well.
type slot struct {
	first, last uint64
	size        int // -1 where the slot is free
	text        string
	to          *draft
}

func newSlot(text string, to *draft) slot {
	s := slot{size: len(text), text: text, to: to}
	s.first, s.last = segmentKey(text)
	return s
}

// shortLiteral is how long a segment is at most whose key is all of it.
const shortLiteral = 15

// segmentKey returns two numbers for a segment. Up to fifteen bytes they are the
// segment: its bytes, and its length in the highest byte of the second, which is
// more than that in longer ones. Of these all bytes are mixed into the first, or
// names that differ in the middle would have one key.
func segmentKey(s string) (first, last uint64) {
	if len(s) > shortLiteral {
		first, last = uint64(len(s)), load8(s, len(s)-8)
		for i := 0; i < len(s)-8; i += 8 {
			first = mix(first ^ load8(s, i))
		}
		return mix(first ^ last), last>>8 | 0xff<<56
	}
	for i := range len(s) {
		if i < 8 {
			first |= uint64(s[i]) << (8 * i)
		} else {
			last |= uint64(s[i]) << (8 * (i - 8))
		}
	}
	return first, last | uint64(len(s))<<56
}

func mix(x uint64) uint64 {
	hi, lo := bits.Mul64(x, 0x9e3779b97f4a7c15)
	return hi ^ lo
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
// slot that it hashes to, so that one look tells. Should long ones come to one key,
// all but the first of them are twins, which are looked through one by one.
type hash struct {
	mul   uint64 // odd; 0 with moved
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
	return spread(first, last, h.mul)
}

// spread is the hash of a key in a table without moves.
func spread(first, last, mul uint64) uint32 {
	high, _ := bits.Mul64(fold(first, last), mul)
	return uint32(high)
}

func (m *moved) of(first, last uint64) uint32 {
	key := m.mix(first, last)
	return uint32(key>>32) ^ uint32(m.by[key>>16&uint64(len(m.by)-1)])
}

// fold makes one number of a key's two. Of a key a table without moves knows that
// number alone. By how much the second is turned decides how small tables come out:
// TestTablesAreSmall says how small they are.
func fold(first, last uint64) uint64 { return first ^ bits.RotateLeft64(last, 11) }

// mix spreads every bit of a key over the whole: a product's low half knows
// nothing of its factors' high bits, and names that end in numbers differ there.
func (m *moved) mix(first, last uint64) uint64 {
	hi, lo := bits.Mul64(first^m.mul, last^0x9e3779b97f4a7c15)
	return hi ^ lo
}

// setTable seeks a hash that gives each child a slot of its own.
func (d *draft) setTable(children []slot) {
	children, d.twins = splitTwins(children)
	d.long = slices.ContainsFunc(children, func(c slot) bool { return c.size > shortLiteral })
	seed := uint64(0x9e3779b97f4a7c15)
	next := func() uint64 {
		seed = seed*0xd1342543de82ef95 + 0x632be59bd9b4e019 | 1
		return seed
	}
	if len(children) <= plainChildren && !folds(children) && d.plainTable(children, next) {
		return
	}
	size := 1 << bits.Len(uint(len(children)+len(children)/3))
	for i := range 64 {
		size := size << (i / 16)
		h := hash{moved: newMoved(children, next(), size)}
		if h.moved != nil && d.tryTable(children, h, size) {
			return
		}
	}
	// Nobody has seen this happen; it would be slow, and right.
	d.twins = append(d.twins, children...)
	d.slots, d.hash = freeSlots(1), hash{mul: seed}
}

// plainTable seeks a hash without moves. A table twice as large takes twice the
// memory, so that it is worth many tries to do without; fewer where they would have
// to be lucky beyond the odds of n birthdays on as many days as there are slots.
func (d *draft) plainTable(children []slot, next func() uint64) bool {
	n := len(children)
	for double := range 4 {
		size := 1 << bits.Len(uint(n-1)) << double
		tries := 512
		if n*n > 11*size {
			tries = 256
		}
		for range tries {
			if d.tryTable(children, hash{mul: next()}, size) {
				return true
			}
		}
	}
	return false
}

// splitTwins takes the children apart that have the key of another one before them.
func splitTwins(children []slot) (first, twins []slot) {
	seen := make(map[[2]uint64]bool, len(children))
	for _, c := range children {
		key := [2]uint64{c.first, c.last}
		if seen[key] {
			twins = append(twins, c)
			continue
		}
		seen[key] = true
		first = append(first, c)
	}
	return first, twins
}

// folds reports whether the numbers of some two keys fold to one: a table without
// moves cannot tell them apart.
func folds(children []slot) bool {
	seen := make(map[uint64]bool, len(children))
	for _, c := range children {
		f := fold(c.first, c.last)
		if seen[f] {
			return true
		}
		seen[f] = true
	}
	return false
}

// plainChildren is up to how many children a table is sought in which no bucket
// is moved, which a lookup finds sooner. More have no chance within a size that
// one would want, by the birthday rule.
const plainChildren = 64

func (d *draft) tryTable(children []slot, h hash, size int) bool {
	var small [plainChildren / 8]uint64
	used := small[:]
	if size > 8*plainChildren {
		used = make([]uint64, size/64)
	}
	mask := uint32(size - 1)
	for _, c := range children {
		i := h.of(c.first, c.last) & mask
		if used[i/64]>>(i%64)&1 != 0 {
			return false
		}
		used[i/64] |= 1 << (i % 64)
	}
	d.slots, d.hash = freeSlots(size), h
	for _, c := range children {
		d.slots[h.of(c.first, c.last)&mask] = c
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
