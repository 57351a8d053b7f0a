package routers

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/internal/workload"
)

// The benchmarks serve one request an operation. Names are those that benchstat
// filters by: routes=github/router=chi/read=nothing. `go run ./table` prints
// the same comparison from rounds that take turns.

func readName(reads bool) string {
	if reads {
		return "parameters"
	}
	return "nothing"
}

// eachRouter times the routers that can answer a table.
func eachRouter(b *testing.B, t Table) {
	for _, r := range All {
		if !r.Answers(t.Set) {
			continue
		}
		b.Run("router="+r.Name+"/read="+readName(t.Reads), func(b *testing.B) {
			run, err := r.Prepare(t)
			require.NoError(b, err)
			b.ReportAllocs()
			b.ResetTimer()
			run.Serve(b.N)
		})
	}
}

// One core: the goroutine that serves.
func BenchmarkRouters(b *testing.B) {
	for _, s := range slices.Concat(sets(b), Params()) {
		b.Run("routes="+s.Name, func(b *testing.B) {
			eachRouter(b, Table{Set: s})
			eachRouter(b, Table{Set: s, Reads: true})
		})
	}
}

func BenchmarkSizes(b *testing.B) {
	for _, s := range Sizes() {
		b.Run("routes="+s.Name, func(b *testing.B) { eachRouter(b, Table{Set: s}) })
	}
}

func BenchmarkMisses(b *testing.B) {
	for _, s := range Misses(sets(b)[0]) {
		b.Run("status="+s.Name, func(b *testing.B) { eachRouter(b, Table{Set: s}) })
	}
}

func BenchmarkMiddlewares(b *testing.B) {
	for _, n := range []int{0, 4, 16} {
		b.Run(fmt.Sprintf("middlewares=%d", n), func(b *testing.B) { eachRouter(b, Table{Set: Params()[0], Middlewares: n}) })
	}
}

// All cores: each goroutine has requests of its own, as in a server.
func BenchmarkParallel(b *testing.B) {
	s := sets(b)[0]
	for _, r := range All {
		b.Run("routes=github/router="+r.Name+"/read=nothing", func(b *testing.B) {
			run, err := r.Prepare(Table{Set: s})
			require.NoError(b, err)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				own := run.Fork(s)
				for pb.Next() {
					own.Serve(1)
				}
			})
		})
	}
}

// BenchmarkHeap reports what a loaded table keeps; an operation is loading it.
func BenchmarkHeap(b *testing.B) {
	for _, s := range append([]workload.Set{sets(b)[0]}, Sizes()...) {
		for _, r := range All {
			b.Run("routes="+s.Name+"/router="+r.Name, func(b *testing.B) {
				least := r.Load(s).Heap
				for range b.N - 1 {
					least = min(least, r.Load(s).Heap)
				}
				b.ReportMetric(float64(least), "heap-B")
			})
		}
	}
}
