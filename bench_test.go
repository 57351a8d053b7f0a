package segue_test

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/workload"
)

// The benchmarks serve one request an operation, beside http.ServeMux. What is
// served and by what is in internal/workload. The module in benchmarks has more:
// other routers, sizes, costs, and the length of a path.

// routeSet loads one of workload.Files.
func routeSet(tb testing.TB, name string) workload.Set {
	s, err := workload.Load(os.DirFS("testdata/routes"), name)
	require.NoError(tb, err)
	return s
}

func routeSets(tb testing.TB) []workload.Set {
	var sets []workload.Set
	for _, name := range workload.Files {
		sets = append(sets, routeSet(tb, name))
	}
	return sets
}

// Every router that is measured gives the answers that are measured.
func TestWorkload(t *testing.T) {
	hits := append(routeSets(t), workload.Kinds()...)
	hits = append(hits, workload.Resources(5), workload.Resources(1000))
	for _, s := range hits {
		for _, row := range workload.Rows {
			require.NoError(t, row.Verify(s), s.Name)
		}
	}
	for _, kind := range workload.HostKinds {
		require.NoError(t, workload.SegueRead.Verify(workload.Tenants(20, 10, kind)), kind)
	}
	others := append(workload.Misses(routeSet(t, "github")), workload.Hosts(8))
	for _, s := range others {
		for _, row := range []workload.Row{workload.SegueRead, workload.NoValuesParam, workload.ServeMuxRead} {
			require.NoError(t, row.Verify(s), s.Name)
		}
	}
}

func BenchmarkRouter(b *testing.B) {
	sets := append(routeSets(b), workload.Kinds()...)
	for _, s := range sets {
		b.Run("routes="+s.Name, func(b *testing.B) { eachRow(b, s, workload.Rows) })
	}
}

// The time of a lookup must not grow with the hosts.
func BenchmarkHosts(b *testing.B) {
	eachRow(b, workload.Hosts(8), workload.Rows)
	for _, kind := range workload.HostKinds {
		for _, n := range []struct{ exact, parameters int }{{1, 1}, {10_000, 1_000}} {
			s := workload.Tenants(n.exact, n.parameters, kind)
			b.Run(s.Name, func(b *testing.B) { eachRow(b, s, []workload.Row{workload.SegueRead, workload.NoValues}) })
		}
	}
}

// A miss may allocate: it answers with a text, a Location or an Allow.
func BenchmarkMiss(b *testing.B) {
	for _, s := range workload.Misses(routeSet(b, "github")) {
		b.Run("kind="+s.Name, func(b *testing.B) {
			eachRow(b, s, []workload.Row{workload.Segue, workload.ServeMux})
		})
	}
}

func eachRow(b *testing.B, s workload.Set, rows []workload.Row) {
	for _, row := range rows {
		b.Run("router="+row.Router+"/read="+row.Read, func(b *testing.B) {
			run, err := row.Prepare(s)
			require.NoError(b, err)
			run.Serve(1) // compiles
			b.ReportAllocs()
			b.ResetTimer()
			run.Serve(b.N)
		})
	}
}

func passOn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}

// Mounted routers are joined into one trie; each with middleware is one step.
func BenchmarkMount(b *testing.B) {
	s := workload.Kinds()[1]
	nothing := func(http.ResponseWriter, *http.Request) {}
	for _, mw := range []int{0, 1} {
		inner, router := segue.New(), segue.New()
		inner.GET("/{name}", nothing)
		router.Mount("/user", inner)
		for range mw {
			inner.Use(passOn)
			router.Use(passOn)
		}
		serveAll(b, fmt.Sprintf("middleware=%d", 2*mw), router, s)
	}
}

func serveAll(b *testing.B, name string, h http.Handler, s workload.Set) {
	b.Run(name, func(b *testing.B) {
		run := workload.NewRun(h, s)
		b.ReportAllocs()
		run.Serve(b.N)
	})
}
