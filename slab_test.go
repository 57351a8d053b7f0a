package segue

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Values stay where they are and as they are, whatever is handed out after them,
// and come in their order.
func TestSlabsKeepTheirValues(t *testing.T) {
	var s slab[int]
	assert.Empty(t, slices.Collect(s.all()))
	assert.Zero(t, s.len())
	var want []int
	var places []*int
	for i := range 300 {
		want = append(want, i)
		places = append(places, s.add(i))
		if i%10 == 0 {
			some := s.take(i % 70)
			require.Len(t, some, i%70)
			require.Equal(t, len(some), cap(some), "an append would write on what comes after")
			for j := range some {
				require.Zero(t, some[j])
				some[j] = -j
				want = append(want, -j)
			}
		}
	}
	assert.Equal(t, len(want), s.len())
	at := 0
	for p := range s.all() {
		require.Equal(t, want[at], *p)
		at++
	}
	for i, p := range places {
		require.Equal(t, i, *p)
	}
	for p := range s.all() {
		require.Zero(t, *p, "a look at the first one alone")
		break
	}
}

// A chunk is no larger than it should be, unless one value is, or more are asked
// for at once.
func TestSlabsHaveChunks(t *testing.T) {
	var small slab[node]
	for range 100 {
		small.take(1)
	}
	for _, c := range small.chunks {
		assert.LessOrEqual(t, cap(c)*int(reflect.TypeFor[node]().Size()), slabChunk)
	}
	assert.Less(t, len(small.chunks), 20)
	var large slab[[2 * slabChunk]byte]
	large.take(1)
	large.take(3)
	assert.Len(t, large.chunks, 2)
}

// A leaf and its node lie in 128 bytes, and four of them in a chunk.
func TestBerthsAreTwoCacheLines(t *testing.T) {
	assert.LessOrEqual(t, reflect.TypeFor[berth]().Size(), uintptr(128))
	assert.LessOrEqual(t, reflect.TypeFor[slot]().Size(), uintptr(32))
}

// Where a parameter ends the path behind a literal, and where a literal ends it,
// the node before the leaf is the one beside it.
func TestLeavesLieBesideTheirNodes(t *testing.T) {
	rt := New()
	for _, path := range []string{"/users", "/users/{id}", "/posts/{id}", "/about", "/a/b/c", "/a/b/{x}"} {
		rt.GET(path, fuzzHandler)
	}
	beside := map[*leaf]*node{}
	tab := rt.current()
	for b := range tab.berths.all() {
		beside[&b.leaf] = &b.node
	}
	root := tab.nowhere.root("GET")
	at := func(segs ...string) *node {
		n := root
		for _, s := range segs {
			n = n.child(s)
		}
		return n
	}
	posts, about := at("posts"), at("about")
	assert.Same(t, beside[posts.paramEnd], posts)
	assert.Same(t, beside[about.fastEnd], about)
	assert.Same(t, beside[at("users").paramEnd], at("users"), "which serves both, and lies with what is further away")
	assert.Same(t, beside[at("a", "b").paramEnd], at("a", "b"))
	assert.Same(t, beside[at("a", "b", "c").fastEnd], at("a", "b", "c"))
}
