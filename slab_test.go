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
	var small slab[entry]
	for range 100 {
		small.take(1)
	}
	for _, c := range small.chunks {
		assert.LessOrEqual(t, cap(c)*int(reflect.TypeFor[entry]().Size()), slabChunk)
	}
	assert.Less(t, len(small.chunks), 20)
	var large slab[[2 * slabChunk]byte]
	large.take(1)
	large.take(3)
	assert.Len(t, large.chunks, 2)
}

// What a request reads lies in two cache lines, and nothing of it is for the
// collector to follow.
func TestNodesAreTwoCacheLines(t *testing.T) {
	assert.LessOrEqual(t, reflect.TypeFor[node]().Size(), uintptr(128))
	var pointers func(reflect.Type) bool
	pointers = func(of reflect.Type) bool {
		switch of.Kind() {
		case reflect.Struct:
			for i := range of.NumField() {
				if pointers(of.Field(i).Type) {
					return true
				}
			}
			return false
		case reflect.Array:
			return pointers(of.Elem())
		}
		return of.Kind() > reflect.Complex128
	}
	assert.False(t, pointers(reflect.TypeFor[node]()))
	assert.True(t, pointers(reflect.TypeFor[leaf]()), "which the test can tell")
}

// Of values that were taken one by one each is found by its number, in a snapshot
// too, which does not see what comes later.
func TestSlabsFindByNumber(t *testing.T) {
	var s slab[[3]uint64]
	assert.Nil(t, s.last())
	var places []*[3]uint64
	for i := range 1000 {
		then := s.snapshot()
		places = append(places, s.add([3]uint64{uint64(i)}))
		require.Same(t, places[i], s.last())
		require.Equal(t, i, then.len())
		for j := 0; j < i; j += 1 + i/20 {
			require.Same(t, places[j], then.at(j), "%d of %d", j, i)
		}
	}
	for i, p := range places {
		require.Same(t, p, s.at(i))
	}
}
