package segue

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tableOf makes the table of n children whose names have a form.
func tableOf(form string, n int) (*node, []slot) {
	var slots []slot
	for i := range n {
		slots = append(slots, newSlot(fmt.Sprintf(form, i), new(node)))
	}
	table := new(node)
	table.setTable(slots)
	return table, slots
}

// Tables are perfect, each child in the slot that it hashes to, and no larger
// than they were: how many slots there are for a child is counted over tables of
// every size. No bucket is moved in the small ones, which is found sooner.
func TestTablesAreSmall(t *testing.T) {
	for form, limits := range map[string][2]float64{
		"%d": {2.74, 1.92}, "resource%d": {2.45, 1.92}, "%03d-name": {2.19, 1.92}, "a-name-of-more-than-sixteen-%03d-bytes": {4.90, 1.92},
		"name-of-sixteen-%d": {2.86, 1.92}, "fifteen-bytes-%d": {9, 1.92},
	} {
		var slots, children [2]float64
		for n := 1; n < 300; n += 1 + n/16 {
			table, all := tableOf(form, n)
			require.True(t, table.extra == nil || table.twins == nil, "%s: %d", form, n)
			long := len(fmt.Sprintf(form, n-1)) >= 16
			require.Equal(t, long || table.hash().moved != nil, table.extra != nil, "nothing rare but that: %s: %d", form, n)
			require.True(t, table.extra == nil || table.long == long, "%s: %d", form, n)
			if n <= plainChildren*3/4 || n > plainChildren {
				require.Equal(t, n > plainChildren, table.hash().moved != nil, "%s: %d", form, n)
			}
			for _, s := range all {
				h := table.hash()
				require.Equal(t, s, table.slots[h.of(s.first, s.last)&uint32(len(table.slots)-1)], "%s: %d", form, n)
			}
			large := 0
			if n > plainChildren {
				large = 1
			}
			slots[large] += float64(len(table.slots))
			children[large] += float64(n)
		}
		for i, limit := range limits {
			assert.LessOrEqual(t, slots[i]/children[i], limit, "slots for a child of the form %s, in larger tables: %v", form, i == 1)
		}
	}
}

// Of children with one key all but the first are twins, and none is lost; of
// sixteen bytes and less only a NUL at the end makes one.
func TestTwins(t *testing.T) {
	var slots []slot
	for i := range 4 {
		slots = append(slots, newSlot("a"+strings.Repeat("\x00", i), new(node)), newSlot(fmt.Sprint("b", i), new(node)))
	}
	first, twins := splitTwins(slots)
	assert.Len(t, first, 5)
	assert.Len(t, twins, 3)
	var n node
	n.setTable(slots)
	assert.Len(t, n.twins, 3)
	assert.NotEmpty(t, n.twins)
	assert.False(t, n.long)
	for _, s := range slots {
		assert.Same(t, s.node, n.literal(textOf(s)))
	}
	assert.Nil(t, n.literal("a\x00\x00\x00\x00"))
	assert.Nil(t, n.literal("b4"))
}

// Every bit of a segment of up to sixteen bytes is in its key, at its place, and
// every bit of a longer one changes it.
func TestKeysHoldEveryBit(t *testing.T) {
	for size := range 70 {
		text := []byte(strings.Repeat("0123456789abcdef", 5)[:size])
		first, last := segmentKey(string(text))
		for i := range text {
			for bit := range 8 {
				text[i] ^= 1 << bit
				f, l := segmentKey(string(text))
				text[i] ^= 1 << bit
				if size > 16 {
					assert.False(t, f == first && l == last, "bit %d of byte %d of %d", bit, i, size)
					assert.Equal(t, i >= size-8, l != last, "the last eight bytes are their own number")
					continue
				}
				var want [2]uint64
				if i < 8 {
					want[0] = 1 << (8*i + bit)
				}
				if size >= 8 && i >= size-8 {
					want[1] = 1 << (8*(i-size+8) + bit)
				}
				assert.Equal(t, want, [2]uint64{f ^ first, l ^ last}, "bit %d of byte %d of %d", bit, i, size)
			}
		}
	}
	a, _ := segmentKey(strings.Repeat("a", 24))
	b, _ := segmentKey(strings.Repeat("a", 32))
	assert.NotEqual(t, a, b, "the length is in the key of a long one")
}

// Names whose two numbers come to one when folded, such as some dates, are twins in
// a small table, which costs the others nothing. A large one tells them apart.
func TestFoldedNamesAreTwins(t *testing.T) {
	a, b := newSlot("aaaaaaaabbbbbbbb", new(node)), newSlot("aaaAaaaacbbbbbbb", new(node))
	require.Equal(t, fold(a.first, a.last), fold(b.first, b.last))
	require.NotEqual(t, a.first, b.first)
	var small node
	small.setTable([]slot{a, b, newSlot("c", new(node))})
	assert.Len(t, small.twins, 1)
	assert.Len(t, small.slots, 2)
	slots := []slot{a, b}
	for month := range 40 {
		for day := range 40 {
			slots = append(slots, newSlot(fmt.Sprintf("2024-%02d-%02dT00:00", month, day), new(node)))
		}
	}
	var n node
	n.setTable(slots)
	assert.True(t, n.extra == nil || n.twins == nil)
	for _, s := range slots {
		require.Same(t, s.node, n.literal(textOf(s)), textOf(s))
	}
	assert.Nil(t, n.literal("2024-40-00T00:00"))

	rt := New()
	for _, path := range []string{"/aaaaaaaabbbbbbbb", "/aaaAaaaacbbbbbbb", "/{p}"} {
		rt.GET(path, showPattern)
	}
	for _, path := range []string{"/aaaaaaaabbbbbbbb", "/aaaAaaaacbbbbbbb"} {
		assert.Equal(t, "GET "+path, serve(rt, "GET", path).Body.String())
	}
	assert.Equal(t, "GET /{p} p=aaaAaaaabbbbbbbb", serve(rt, "GET", "/aaaAaaaabbbbbbbb").Body.String())
}

// A node holds the text that leads to it only where the key does not.
func TestShortTextsAreNotKept(t *testing.T) {
	for size := 1; size < 20; size++ {
		n := new(node)
		newSlot(strings.Repeat("x", size), n)
		assert.Equal(t, size > 16, n.extra != nil, size)
	}
	var none node
	none.setChildren(nil)
	assert.True(t, none.slots == nil && none.extra == nil, "no children, no table")
}

// mix is a product whose halves are folded, so that each bit of a key reaches
// the high half and the bits that choose a bucket.
func TestMixSpreads(t *testing.T) {
	m := moved{mul: 0x9e3779b97f4a7c15}
	was := m.mix(0x0123456789abcdef, 0xfedcba9876543210)
	changed := [2]int{}
	for bit := range 64 {
		for i, key := range [2][2]uint64{{1 << bit, 0}, {0, 1 << bit}} {
			diff := was ^ m.mix(0x0123456789abcdef^key[0], 0xfedcba9876543210^key[1])
			changed[i] += bits.OnesCount64(diff)
			assert.NotZero(t, diff>>32, "high half, bit %d", bit)
		}
	}
	assert.Greater(t, min(changed[0], changed[1]), 64*20, "of 64 bits some 32 change with each bit of a key")
}
