package automaton

// This file holds the hash: the key of a segment, the slot of a key in a table,
// and the search for seeds and displacements that make a table perfect. It knows
// nothing of states; build.go asks it for one table after the other.

import (
	"cmp"
	"math/bits"
	"slices"
)

// maxShort is the length of the longest segment that its key holds exactly.
const maxShort = 15

// The highest byte of a key's second number is the length of a short segment.
// These two stand for no length.
const (
	longKey = 0xff << 56 // a segment of more than maxShort bytes, whose length the other bytes hold
	freeKey = 0xfe << 56 // a free slot
)

// shortKey returns the key of a segment of at most maxShort bytes.
func shortKey(s string) (first, last uint64) {
	for i := range len(s) {
		if i < 8 {
			first |= uint64(s[i]) << (8 * i)
		} else {
			last |= uint64(s[i]) << (8 * (i - 8))
		}
	}
	return first, last | uint64(len(s))<<56
}

// slot returns the number of the one node in n's table that can have a key. The
// seed of the table is in both factors: were it in one, the other would be the
// same for all names that agree in that half, whatever seed is tried.
func (a *Automaton) slot(n *node, first, last uint64) uint32 {
	h := hash(first^n.seed, last^(a.seed^n.seed))
	if n.displacements != 0 {
		h ^= uint64(a.displacements[n.displacements+uint32(h>>32)&(n.mask/bucketSize)])
	}
	return n.slots + uint32(h)&n.mask
}

// hash folds the 128 bits of a product.
func hash(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// longHash returns the first number of the key of a segment of more than maxShort
// bytes: the hash of sixteen bytes at a time, the last sixteen of them last. It
// takes two thirds of the time of hash/maphash (BenchmarkLongHash).
func longHash(seeds [2]uint64, s string) uint64 {
	h := seeds[0]
	for i := 0; i < len(s)-16; i += 16 {
		h = hash(load8(s, i)^h, load8(s, i+8)^seeds[1])
	}
	return hash(load8(s, len(s)-16)^h, load8(s, len(s)-8)^seeds[1])
}

const (
	// bucketSize is the number of slots for each bucket.
	bucketSize = 4
	// maxUndisplaced is the number of literals up to which a table is sought
	// without displacements, which saves a lookup one load.
	maxUndisplaced = 64
)

// perfect makes n the head of a table in which each of the keys has a slot of
// its own, and returns the slots. The first of n's slots is the caller's to set.
// It returns nil if two keys collide under all the seeds that it tries: the
// caller draws new seeds for the whole automaton.
func (b *builder) perfect(n *node, keys [][2]uint64) []uint32 {
	slots := make([]uint32, len(keys))
	attempt, tries := b.spread, 512
	n.mask = 1<<bits.Len(uint(len(keys)-1)) - 1
	if len(keys) > maxUndisplaced {
		attempt, tries = b.displace, 16
		n.mask = 1<<bits.Len(uint(len(keys)+len(keys)/3)) - 1
		n.displacements = uint32(len(b.displacements))
	}
	// Without displacements, so many keys find a slot each with odds of about
	// exp(-keys²/2/size). Below 1 to 250 a larger table is the better search.
	for n.displacements == 0 && len(keys)*len(keys) > 11*int(n.mask+1) {
		n.mask = 2*n.mask + 1
	}
	for i := 1; i <= 4*tries; i++ {
		if n.seed = b.draw(); attempt(n, keys, slots) {
			return slots
		}
		if i%tries == 0 {
			n.mask = 2*n.mask + 1
		}
	}
	return nil
}

// spread sets the slots of the keys in a table without displacements. It reports
// false if two keys collide.
func (b *builder) spread(n *node, keys [][2]uint64, slots []uint32) bool {
	b.clearUsed(n)
	for i, k := range keys {
		at := uint32(hash(k[0]^n.seed, k[1]^b.seed^n.seed)) & n.mask
		if b.used[at] {
			return false
		}
		b.used[at], slots[i] = true, at
	}
	return true
}

// displace sets the slots of the keys in a table with displacements: "hash and
// displace". Keys whose hashes agree in some high bits share a bucket, and each
// bucket moves to where all its keys find free slots, the fullest bucket first.
// It reports false if a bucket finds no such place.
func (b *builder) displace(n *node, keys [][2]uint64, slots []uint32) bool {
	buckets := make([][]int, n.mask/bucketSize+1)
	for i, k := range keys {
		h := hash(k[0]^n.seed, k[1]^b.seed^n.seed)
		slots[i] = uint32(h) & n.mask
		bucket := &buckets[uint32(h>>32)&(n.mask/bucketSize)]
		*bucket = append(*bucket, i)
	}
	order := make([]int, len(buckets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(len(buckets[y]), len(buckets[x])) })
	b.clearUsed(n)
	b.displacements = append(b.displacements[:n.displacements], make([]uint16, len(buckets))...)
	for _, i := range order {
		d, ok := b.room(buckets[i], slots)
		if !ok {
			return false
		}
		b.displacements[n.displacements+uint32(i)] = d
	}
	return true
}

// room moves the keys of a bucket to free slots and returns how far. It reports
// false if there is no way.
func (b *builder) room(bucket []int, slots []uint32) (uint16, bool) {
try:
	for d := range uint32(min(len(b.used), 1<<16)) {
		for i, k := range bucket {
			if b.used[slots[k]^d] {
				for _, taken := range bucket[:i] {
					b.used[slots[taken]^d] = false
				}
				continue try
			}
			b.used[slots[k]^d] = true
		}
		for _, k := range bucket {
			slots[k] ^= d
		}
		return uint16(d), true
	}
	return 0, false
}

// clearUsed makes all slots of n's table free.
func (b *builder) clearUsed(n *node) {
	size := int(n.mask + 1)
	b.used = slices.Grow(b.used[:0], size)[:size]
	clear(b.used)
}
