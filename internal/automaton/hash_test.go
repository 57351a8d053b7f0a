package automaton

// This file tests the hash: keys, tables and their sizes, names that were chosen
// to collide, and the arithmetic of Find on words.

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tableOf returns a state with a literal for each text, whose answers are counted
// from First.
func tableOf(texts ...string) *State {
	root := new(State)
	for i, text := range texts {
		root.Literals = append(root.Literals, Literal{text, &State{End: uint32(First + i)}})
	}
	return root
}

func named(form string, n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf(form, i))
	}
	return texts
}

func TestNodeIsOneCacheLine(t *testing.T) {
	assert.EqualValues(t, 64, unsafe.Sizeof(node{}))
}

// The package comment's example.
func TestExample(t *testing.T) {
	first, last := shortKey("users")
	assert.Equal(t, [2]uint64{0x0000007372657375, 0x0500000000000000}, [2]uint64{first, last})
	assert.Equal(t, uint64(0xba3318941df55f56), hash(first^0x0123456789abcdef, last^0x9e3779b97f4a7c15^0x0123456789abcdef))
	first, last = shortKey("notifications")
	assert.Equal(t, [2]uint64{0x6163696669746f6e, 0x0d0000736e6f6974}, [2]uint64{first, last})
	assert.Equal(t, uint64(0x8278a491f9d9e2ca), hash(first^0x0123456789abcdef, last^0x9e3779b97f4a7c15^0x0123456789abcdef))

	a := Build(&State{Literals: []Literal{{"users", &State{Param: &State{End: 2}, Literals: []Literal{{"new", &State{End: 3}}}}}}})
	for path, want := range map[string]uint32{"/users/new": 3, "/users/42": 2, "/users": None, "/users/42/": None, "/": None} {
		got, _ := a.Find(path)
		assert.Equal(t, want, got, path)
	}
}

// Every bit of a short segment is in its key, at its place, and so is its length.
func TestKeysHoldEveryBit(t *testing.T) {
	for size := range maxShort + 1 {
		text := []byte("0123456789abcdef"[:size])
		first, last := shortKey(string(text))
		assert.EqualValues(t, size, last>>56)
		for i := range text {
			for bit := range 8 {
				text[i] ^= 1 << bit
				f, l := shortKey(string(text))
				text[i] ^= 1 << bit
				var want [2]uint64
				want[i/8] = 1 << (i%8*8 + bit)
				assert.Equal(t, want, [2]uint64{f ^ first, l ^ last}, "bit %d of byte %d of %d", bit, i, size)
			}
		}
	}
}

// Segments of all lengths, different in one byte or one bit each, are told apart
// in tables of many sizes.
func TestTablesTellSegmentsApart(t *testing.T) {
	words := []string{"2024-01-02T0000", "2024-02-01T0000"}
	for size := 1; size <= 40; size++ {
		base := strings.Repeat("x", size)
		words = append(words, base)
		for _, at := range []int{0, size / 2, size - 1} {
			for bit := range 8 {
				word := base[:at] + string([]byte{'x' ^ 1<<bit}) + base[at+1:]
				if at == 0 || word != words[len(words)-8] {
					words = append(words, word)
				}
			}
		}
	}
	seen := map[string]bool{}
	var distinct []string
	for _, w := range words {
		if !seen[w] {
			seen[w], distinct = true, append(distinct, w)
		}
	}
	for _, step := range []int{1, 2, 3, 7, 50, len(distinct)} {
		root := new(State)
		want := map[string]uint32{}
		for i := 0; i < len(distinct); i += step {
			root.Literals = append(root.Literals, Literal{distinct[i], &State{End: uint32(First + i)}})
			want[distinct[i]] = uint32(First + i)
		}
		a := Build(root)
		check(t, a, root)
		for _, w := range distinct {
			for _, path := range []string{"/" + w, "/" + w + "/v"} {
				got, _ := a.Find(path)
				if path != "/"+w {
					require.Zero(t, got, "%q", path)
				} else if !strings.Contains(w, "/") {
					require.Equal(t, want[w], got, "%q", path)
				}
			}
		}
	}
}

// Tables are at most as large as this for a literal, over all their sizes.
func TestTablesAreSmall(t *testing.T) {
	for _, form := range []string{"%d", "resource%d", "%03d-name", "fifteen-bytes-%d", "2024-%02d-01T0000", "a-name-of-more-than-sixteen-%03d-bytes"} {
		var slots, literals [2]int
		for n := 1; n < 300; n += 1 + n/16 {
			root := tableOf(named(form, n)...)
			a := build(root, counter(1), longHash)
			check(t, a, root)
			many := 0
			if n > maxUndisplaced {
				many = 1
			}
			require.Equal(t, n > maxUndisplaced, a.nodes[rootNode].displacements != 0)
			slots[many] += int(a.nodes[rootNode].mask + 1)
			literals[many] += n
		}
		assert.Less(t, float64(slots[0])/float64(literals[0]), 6.0, form)
		assert.Less(t, float64(slots[1])/float64(literals[1]), 2.0, form)
	}
}

// A table is as small as its number of literals lets a search end soon, and has
// displacements beyond 64.
func TestTableSizes(t *testing.T) {
	larger, all := 0, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 23, 24, 26, 27, 32, 33, 37, 38, 53, 54, 63, 64, 65, 66, 95, 96, 97, 191, 192, 193}
	for _, n := range all {
		root := tableOf(named("name%d", n)...)
		a := build(root, counter(1), longHash)
		check(t, a, root)
		table := &a.nodes[rootNode]
		require.Equal(t, n > 64, table.displacements != 0, n)
		want := 1
		for n <= 64 && (want < n || n*n > 11*want) || n > 64 && want <= n+n/3 {
			want *= 2
		}
		if size := int(table.mask + 1); n > 64 {
			require.Equal(t, want, size, "%d literals", n)
		} else if size != want {
			require.Equal(t, 2*want, size, "%d literals", n)
			larger++
		}
	}
	assert.LessOrEqual(t, larger, len(all)/8, "too many tables whose search took a second size")
}

// The search for a table takes so many seeds for each of four sizes, and Build so
// many searches, before it gives up.
func TestSearchEnds(t *testing.T) {
	for n, tries := range map[int]int{2: 512, 100: 16} {
		draws, draw := 0, counter(1)
		assert.Panics(t, func() {
			build(tableOf(append(named("%d", n-1), "0")...), func() uint64 { draws++; return draw() }, longHash)
		})
		assert.Equal(t, 100*(3+4*tries), draws, "%d literals", n)
	}
}

// Where no seed helps, the table is made larger.
func TestTableGrows(t *testing.T) {
	const seed = 7
	slot := func(name string, size uint64) uint64 {
		first, last := shortKey(name)
		return hash(first^seed, last^seed^seed) & (size - 1)
	}
	for size := uint64(4); size <= 8; size *= 2 {
		names := []string{"name"}
		for i := 0; len(names) < 2; i++ { // the two are apart in the table of this size, and in no smaller one
			if name := fmt.Sprint("name", i); slot(name, size/2) == slot("name", size/2) && slot(name, size) != slot("name", size) {
				names = append(names, name)
			}
		}
		root, draws := tableOf(names...), 0
		a := build(root, func() uint64 { draws++; return seed }, longHash)
		check(t, a, root)
		assert.EqualValues(t, size-1, a.nodes[rootNode].mask)
		assert.Equal(t, 3+512*bits.Len64(size/4)+1, draws)
	}
}

// rootNode is root where a State has that name.
const rootNode = root

// counter returns a sequence of seeds that anyone can know.
func counter(from uint64) func() uint64 {
	random := rand.New(rand.NewPCG(from, 0))
	return random.Uint64
}

// Names that all hash to one slot under the seeds that are tried first are told
// apart in one look, under these seeds' successors and under any others.
func TestChosenNamesDoNotCollide(t *testing.T) {
	for _, n := range []int{8, 60, 300} {
		draw := counter(1)
		automaton, _, _, table := draw(), draw(), draw(), draw() // as place and perfect draw them
		var names []string
		for i := 0; len(names) < n; i++ {
			name := fmt.Sprint("name", i)
			if first, last := shortKey(name); hash(first^table, last^automaton^table)&0xff == 0 {
				names = append(names, name)
			}
		}
		root := tableOf(names...)
		for seed := range uint64(5) {
			a := build(root, counter(1+seed), longHash)
			check(t, a, root) // each literal in the one slot that is looked at
			if size := int(a.nodes[rootNode].mask) + 1; n > maxUndisplaced {
				assert.LessOrEqual(t, size, 8*n)
			} else {
				assert.LessOrEqual(t, size, 16*n)
			}
		}
	}
}

// Long names that have one hash are hashed anew.
func TestLongNamesThatCollide(t *testing.T) {
	names := named("a-long-name-of-24-bytes%d", 9)
	var seeds [][2]uint64
	root := tableOf(names...)
	a := build(root, counter(1), func(seed [2]uint64, s string) uint64 {
		if len(seeds) == 0 || seeds[len(seeds)-1] != seed {
			seeds = append(seeds, seed)
		}
		if len(seeds) < 4 {
			return 0
		}
		return longHash(seed, s)
	})
	assert.Len(t, seeds, 4)
	check(t, a, root)
	for i, name := range names {
		got, _ := a.Find("/" + name)
		assert.EqualValues(t, First+i, got)
	}
	// Another name with one of the hashes has another text.
	n := &a.nodes[rootNode]
	c := &a.nodes[a.literal(n, names[3])]
	c.first = longHash(a.longSeeds, "a-long-name-of-24-bytesX")
	a.nodes[a.slot(n, c.first, c.last)] = *c
	assert.EqualValues(t, nowhere, a.literal(n, "a-long-name-of-24-bytesX"))
}

func TestEqualLiteralsPanic(t *testing.T) {
	for _, n := range []int{2, 100} {
		assert.Panics(t, func() { Build(tableOf(append(named("%d", n), "0")...)) })
	}
}

// Only the texts that keys do not hold are kept, and equal ones once.
func TestTextsAreKeptOnce(t *testing.T) {
	long := strings.Repeat("x", maxShort+1)
	assert.Empty(t, Build(tableOf(long[1:], "a")).texts)
	root := tableOf(long, "a")
	root.Param = &State{Literals: root.Literals}
	assert.Equal(t, long, Build(root).texts)
}

// Each bit of a key changes many bits of a hash, in both its halves.
func TestHashSpreads(t *testing.T) {
	const a, b = 0x0123456789abcdef, 0xfedcba9876543210
	was, changed := hash(a, b), [2]int{}
	for bit := range 64 {
		for i, key := range [2][2]uint64{{1 << bit, 0}, {0, 1 << bit}} {
			diff := was ^ hash(a^key[0], b^key[1])
			changed[i] += bits.OnesCount64(diff)
			assert.NotZero(t, diff>>32, "high half, bit %d", bit)
		}
	}
	assert.Greater(t, min(changed[0], changed[1]), 64*20, "of 64 bits some 32 change with each bit of a key")
}

// The arithmetic of Find on words, held to bytes: every slash is found among
// bytes that differ from it by one or by one bit.
func TestWordsAreReadAsBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	near := []byte{'/', '/', '/' - 1, '/' + 1, '/' | 0x80, '/' ^ 1, 0, 1, 0x80, 0xff, 'a'}
	for range 2000 {
		text := make([]byte, 8)
		for i := range text {
			text[i] = near[random.IntN(len(near))]
		}
		w := binary.LittleEndian.Uint64(text)
		require.Equal(t, w, load8("x"+string(text)+"x", 1))
		at := strings.IndexByte(string(text), '/')
		if slash := slashes(w); at < 0 {
			require.Zero(t, slash, "%q", text)
			at = 8
		} else {
			require.Equal(t, at, bits.TrailingZeros64(slash)>>3, "%q", text)
			first, _ := shortKey(string(text[:at]))
			require.Equal(t, first, w&below(slash), "%q", text)
		}
		require.Equal(t, 3+at, NextSlash("abc"+string(text), 3))
		for n := range 8 {
			low, high := [8]byte{}, [8]byte{}
			copy(low[:], text[8-n:])
			require.Equal(t, binary.LittleEndian.Uint64(low[:]), lastBytes(w, n), "%d of %q", n, text)
			copy(high[8-n:], text[:n])
			require.Equal(t, binary.LittleEndian.Uint64(high[:]), shortTail(string(text[:n])), "%q", text[:n])
		}
	}
}

// Each byte of a long segment is in its hash, and names that are made of the same
// words in another order differ in it, whatever the seeds.
func TestLongHashHoldsEveryByte(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for size := maxShort + 1; size <= 70; size++ {
		seeds, text := [2]uint64{random.Uint64(), random.Uint64()}, []byte(strings.Repeat("12345678abcdefgh", 5)[:size])
		hashes := map[uint64]bool{longHash(seeds, string(text)): true}
		for i := range text {
			text[i] ^= 1
			hashes[longHash(seeds, string(text))] = true
			text[i] ^= 1
		}
		assert.Len(t, hashes, 1+size)
		assert.NotEqual(t, longHash(seeds, "12345678abcdefgh"), longHash(seeds, "abcdefgh12345678"))
		assert.NotEqual(t, longHash(seeds, "12345678abcdefgh12345678abcdefgh"), longHash(seeds, "12345678abcdefgh12345678abcdefgh12345678abcdefgh"))
	}
}

// The hash of a long segment takes sixteen bytes at a time, and the last sixteen
// last.
func TestLongHashIsOfSixteenBytesAtATime(t *testing.T) {
	seeds, text := [2]uint64{0x0123456789abcdef, 0x9e3779b97f4a7c15}, strings.Repeat("12345678abcdefghxyz", 4)
	fold := func(h uint64, s string) uint64 {
		return hash(binary.LittleEndian.Uint64([]byte(s[:8]))^h, binary.LittleEndian.Uint64([]byte(s[8:]))^seeds[1])
	}
	for size := maxShort + 1; size <= len(text); size++ {
		h := seeds[0]
		for left := text[:size]; len(left) > 16; left = left[16:] {
			h = fold(h, left[:16])
		}
		assert.Equal(t, fold(h, text[size-16:size]), longHash(seeds, text[:size]), "%d bytes", size)
	}
}

// No free slot of a table has the key of the empty segment.
func TestFreeSlotsAreNoEmptySegment(t *testing.T) {
	for n := 1; n < 100; n++ {
		root := tableOf(named("%d", n)...)
		root.Rest = 1000
		for range 5 {
			a := Build(root)
			for _, path := range []string{"/", "//", "//x", "//a-path-of-many-bytes"} {
				got, at := a.Find(path)
				require.Equal(t, []any{uint32(1000), 1}, []any{got, at}, "%q among %d", path, n)
			}
		}
	}
}

// What a long segment costs by the package's hash and by the standard library's.
func BenchmarkLongHash(b *testing.B) {
	names := []string{"debugging_with_gdb.html", "gccgo_contribute.html", "the-apache-software-foundation"}
	seed, seeds := maphash.MakeSeed(), [2]uint64{rand.Uint64(), rand.Uint64()}
	for name, hash := range map[string]func(string) uint64{
		"own":     func(s string) uint64 { return longHash(seeds, s) },
		"maphash": func(s string) uint64 { return maphash.String(seed, s) },
	} {
		b.Run("hash="+name, func(b *testing.B) {
			for i := range b.N {
				hash(names[i%len(names)])
			}
		})
	}
}

// A segment is no shorter literal, even if its length agrees with the literal's
// in the lowest byte, which is all that a key holds of it.
func TestLongSegmentIsNoShortOne(t *testing.T) {
	root := tableOf("fifteen-bytes-x")
	root.Rest = 1000
	a := Build(root)
	for _, end := range []string{"", "/"} {
		got, _ := a.Find("/fifteen-bytes-x\x01" + strings.Repeat("y", 255) + end)
		assert.EqualValues(t, 1000, got, "%q", end)
	}
}

// A parameter may lead to a state without answers.
func TestParameterWithoutAnswers(t *testing.T) {
	a := Build(&State{Param: new(State), Rest: First})
	for _, path := range []string{"/x", "/x/y", "/x/y/z"} {
		got, _ := a.Find(path)
		assert.EqualValues(t, None, got, path)
		assert.Empty(t, a.Match(Path{Text: path}, nil), path)
	}
}
