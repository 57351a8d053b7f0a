package segue

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tableOf makes the table of n children whose names have a form.
func tableOf(form string, n int) (*draft, []slot) {
	var slots []slot
	for i := range n {
		slots = append(slots, newSlot(fmt.Sprintf(form, i), new(draft)))
	}
	table := new(draft)
	table.setTable(slices.Clone(slots))
	return table, slots
}

// Tables are perfect, each child in the slot that it hashes to, and no larger
// than they were: how many slots there are for a child is counted over tables of
// every size. No bucket is moved in the small ones, which is found sooner.
func TestTablesAreSmall(t *testing.T) {
	for form, limits := range map[string][2]float64{
		"%d": {2.6, 1.92}, "resource%d": {2.4, 1.92}, "%03d-name": {1.8, 1.92}, "s%d-shard%[1]d": {3.2, 1.92}, "fifteen-bytes-%d": {4.9, 1.92},
		"a-name-of-more-than-sixteen-%03d-bytes": {4.9, 1.92}, "name-of-sixteen-%d": {4.7, 1.92},
	} {
		var slots, children [2]float64
		for n := 1; n < 300; n += 1 + n/16 {
			table, all := tableOf(form, n)
			require.Nil(t, table.twins, "%s: %d", form, n)
			long := len(fmt.Sprintf(form, n-1)) >= 16
			require.Equal(t, long, table.long, "%s: %d", form, n)
			if n <= plainChildren*3/4 || n > plainChildren {
				require.Equal(t, n > plainChildren, table.hash.moved != nil, "%s: %d", form, n)
			}
			for _, s := range all {
				require.Equal(t, s, table.slots[table.hash.of(s.first, s.last)&uint32(len(table.slots)-1)], "%s: %d", form, n)
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

// folded are names whose two numbers come to one when folded.
var folded = []string{"aaaaaaaabbbbbbb", "aiaaaaaacbbbbbb", "aaiaaaaabcbbbbb", "aaaiaaaabbcbbbb"}

// Twins are found, each of them, and those that the table has as well. Two names of
// one key are not known; so some that have none are made twins here.
func TestTwins(t *testing.T) {
	first, twins := splitTwins([]slot{{first: 1}, {first: 2}, {first: 1}, {first: 1, last: 1}, {first: 1}})
	assert.Equal(t, []slot{{first: 1}, {first: 2}, {first: 1, last: 1}}, first)
	assert.Equal(t, []slot{{first: 1}, {first: 1}}, twins)

	var slots []slot
	for i := range 4 {
		slots = append(slots, newSlot(fmt.Sprint("b", i), new(draft)), newSlot(fmt.Sprint("a-name-of-sixteen-bytes-and-more", i), new(draft)))
	}
	var d draft
	d.setTable(slices.Clone(slots[:4]))
	d.twins = slots[4:]
	table := frozen(&d)
	for _, s := range slots {
		assert.True(t, table.leadsToDraft(s.text, s.to), s.text)
		h, _ := table.find("/" + s.text)
		assert.Same(t, &table.nodes[table.child(table.root, s.text)].fastEnd, h, s.text)
	}
	for _, other := range []string{"b4", "b", "b0\x00", "a-name-of-sixteen-bytes-and-more4", "a-name-of-sixteen-bytes-and-more"} {
		assert.True(t, table.leadsToDraft(other, nil), other)
	}
}

// Every bit of a segment of up to fifteen bytes is in its key, at its place, and so
// is its length; every bit of a longer one changes it.
func TestKeysHoldEveryBit(t *testing.T) {
	for size := range 70 {
		text := []byte(strings.Repeat("0123456789abcdef", 5)[:size])
		first, last := segmentKey(string(text))
		for i := range text {
			for bit := range 8 {
				text[i] ^= 1 << bit
				f, l := segmentKey(string(text))
				text[i] ^= 1 << bit
				if size > 15 {
					assert.False(t, f == first, "bit %d of byte %d of %d", bit, i, size)
					assert.EqualValues(t, 0xff, l>>56)
					continue
				}
				var want [2]uint64
				want[i/8] = 1 << (i%8*8 + bit)
				assert.EqualValues(t, size, l>>56)
				assert.Equal(t, want, [2]uint64{f ^ first, l ^ last}, "bit %d of byte %d of %d", bit, i, size)
			}
		}
	}
	a, _ := segmentKey(strings.Repeat("a", 24))
	b, _ := segmentKey(strings.Repeat("a", 32))
	assert.NotEqual(t, a, b, "the length is in the key of a long one")
}

// Names that a table without moves cannot tell apart, since what differs in them
// cancels out, have one with moves, however few they are: none is sought one by one.
func TestFoldedNamesHaveMoves(t *testing.T) {
	for _, text := range folded[1:] {
		a, b := newSlot(folded[0], nil), newSlot(text, nil)
		require.Equal(t, fold(a.first, a.last), fold(b.first, b.last))
		require.NotEqual(t, a.first, b.first)
	}
	var small draft
	small.setTable([]slot{newSlot(folded[0], new(draft)), newSlot(folded[1], new(draft)), newSlot("c", new(draft))})
	assert.Nil(t, small.twins)
	assert.NotNil(t, small.hash.moved)
	assert.LessOrEqual(t, len(small.slots), 8)
	var slots []slot
	for _, text := range folded {
		slots = append(slots, newSlot(text, new(draft)))
	}
	for month := range 40 {
		for day := range 40 {
			slots = append(slots, newSlot(fmt.Sprintf("2024-%02d-%02dT0000", month, day), new(draft)))
		}
	}
	var d draft
	d.setTable(slices.Clone(slots))
	assert.Nil(t, d.twins)
	table := frozen(&d)
	for _, s := range slots {
		require.True(t, table.leadsToDraft(s.text, s.to), s.text)
	}
	assert.True(t, table.leadsToDraft("2024-40-00T0000", nil))

	rt := New()
	for _, text := range folded {
		rt.GET("/"+text, showPattern)
	}
	rt.GET("/{p}", showPattern)
	for _, text := range folded {
		assert.Equal(t, "GET /"+text, serve(rt, "GET", "/"+text).Body.String())
	}
	assert.Equal(t, "GET /{p} p=aiiaaaaabbbbbbb", serve(rt, "GET", "/aiiaaaaabbbbbbb").Body.String())
}

// A trie holds a literal's text only where the key does not.
func TestShortTextsAreNotKept(t *testing.T) {
	for size := 1; size < 20; size++ {
		var d draft
		d.setChildren([]slot{newSlot(strings.Repeat("x", size), new(draft))})
		assert.Equal(t, size > 15, frozen(&d).texts != "", size)
	}
	var none draft
	none.setChildren(nil)
	table := frozen(&none)
	assert.Len(t, table.nodes, 2, "no children, no table")
	assert.Len(t, table.extras, 1)
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
