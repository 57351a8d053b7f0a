package testkit

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

// SkipUnderRace skips a test that counts allocations: the race detector makes
// some of its own, and has sync.Pool forget at random.
func SkipUnderRace(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("the race detector allocates")
	}
}

// SkipUnlessAllocationsCount skips a test that counts what requests with
// parameters allocate.
func SkipUnlessAllocationsCount(t testing.TB) {
	t.Helper()
	SkipUnderRace(t)
	if Purego {
		t.Skip("SetPathValue keeps a map")
	}
}

// Least returns the least that a few tries count of what the process allocates:
// whatever else it does meanwhile counts as well. No garbage is collected
// meanwhile, since that empties the pools of other packages.
func Least(count func() float64) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := math.Inf(1)
	for range 5 {
		least = min(least, count())
	}
	return least
}

// AllocsPerRun returns how many allocations a call of f makes.
func AllocsPerRun(n int, f func()) float64 {
	return Least(func() float64 { return testing.AllocsPerRun(n, f) })
}

// BytesPerRun returns how many bytes a call of f allocates.
func BytesPerRun(n int, f func()) float64 {
	return Least(func() float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range n {
			f()
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
	})
}

// Heap returns the bytes and the number of pieces in use on the heap, after a
// collection. The first one only begins to free what has a finalizer.
func Heap() (bytes, pieces int64) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc), int64(m.HeapObjects)
}
