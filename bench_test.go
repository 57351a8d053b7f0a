package segue_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/pathlen"
	"github.com/segue-go/segue/internal/workload"
)

// The benchmarks serve one request an operation, against http.ServeMux and, as
// the floor, a map keyed by method and whole path. What is served and by what
// is in internal/workload; `go run ./internal/benchtable` prints the same
// comparison as the tables of docs/measured.md.

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

// The time of a lookup must not grow with the routes.
func BenchmarkRoutes(b *testing.B) {
	for _, n := range []int{5, 1_000, 10_000} {
		b.Run(fmt.Sprintf("routes=%d", n), func(b *testing.B) { eachRow(b, workload.Resources(n), workload.Rows) })
	}
}

var againstMux = []workload.Row{
	workload.SegueRead, workload.Segue, workload.NoValuesParam, workload.NoValues, workload.ServeMuxRead, workload.ServeMux,
}

// The time of a lookup must not grow with the hosts.
func BenchmarkHosts(b *testing.B) {
	eachRow(b, workload.Hosts(8), againstMux)
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

// Each goroutine has requests of its own, as in a server.
func BenchmarkParallel(b *testing.B) {
	s := routeSet(b, "github")
	for _, row := range workload.Rows {
		b.Run("routes=github/router="+row.Router+"/read="+row.Read, func(b *testing.B) {
			run, err := row.Prepare(s)
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

// The cost of a router that has middlewares is one step, whatever their
// number; what they do themselves is beside that.
func BenchmarkMiddleware(b *testing.B) {
	s := workload.Kinds()[1]
	nothing := func(http.ResponseWriter, *http.Request) {}
	for _, count := range []int{0, 4, 16} {
		router, mux := segue.New(), http.NewServeMux()
		router.HandleFunc(s.Routes[0].Pattern(), nothing)
		mux.HandleFunc(s.Routes[0].Pattern(), nothing)
		var wrapped http.Handler = mux
		for range count {
			router.Use(passOn)
			wrapped = passOn(wrapped)
		}
		serveAll(b, fmt.Sprintf("count=%d/router=segue", count), router, s)
		serveAll(b, fmt.Sprintf("count=%d/router=servemux", count), wrapped, s)
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

// BenchmarkCost reports what a table takes in memory and before the first
// answer; an operation is all of its registrations and one request. ServeMux
// refuses the sets whose routes overlap.
func BenchmarkCost(b *testing.B) {
	for _, s := range workload.Costs() {
		b.Run("routes="+s.Name+"/router=segue", func(b *testing.B) { benchmarkCost(b, s.Set, workload.Segue) })
		if !s.Overlap {
			b.Run("routes="+s.Name+"/router=servemux", func(b *testing.B) { benchmarkCost(b, s.Set, workload.ServeMux) })
		}
	}
}

func benchmarkCost(b *testing.B, s workload.Set, row workload.Row) {
	var least workload.Cost
	for i := range b.N {
		c, _ := row.Measure(s)
		if i == 0 {
			least = c
		}
		least.Heap = min(least.Heap, c.Heap)
		least.Register, least.Compile = min(least.Register, c.Register), min(least.Compile, c.Compile)
	}
	b.ReportMetric(float64(least.Heap), "heap-B")
	b.ReportMetric(float64(least.Register)/float64(time.Millisecond), "register-ms")
	b.ReportMetric(float64(least.Compile)/float64(time.Millisecond), "compile-ms")
}

// BenchmarkPathLength shows that the time of a request is a straight line over
// the length of its path: the metric, of a segment or a byte, is a constant. With
// k alternatives open it is k times as steep at most. The metric is the fastest
// request's, which other programs disturb least.
func BenchmarkPathLength(b *testing.B) {
	for _, k := range pathlen.Kinds() {
		var lengths []int
		for n := 1; n <= k.Most; n *= 10 {
			if n >= k.Open && (k.Unit == "segment" || n >= 10) {
				lengths = append(lengths, n)
			}
		}
		if k.Unit == "byte" {
			lengths = append(lengths, k.Most)
		}
		b.Run("kind="+strings.ReplaceAll(k.Name, " ", "_"), func(b *testing.B) {
			rt := k.Router(lengths)
			for _, n := range lengths {
				b.Run(fmt.Sprintf("%ss=%d", k.Unit, n), func(b *testing.B) {
					r, w := k.Request(n), pathlen.NewWriter()
					require.True(b, k.Serve(rt, r, w))
					fastest := time.Duration(math.MaxInt64)
					for b.Loop() {
						start := time.Now()
						k.Serve(rt, r, w)
						fastest = min(fastest, time.Since(start))
					}
					b.ReportMetric(float64(fastest)/float64(n), "ns/"+k.Unit)
				})
			}
		})
	}
}

// BenchmarkCompose is what routers in routers cost before the first request, and
// what a request costs that follows a change.
func BenchmarkCompose(b *testing.B) {
	nothing := func(http.ResponseWriter, *http.Request) {}
	ask := func(rt *segue.Router, path string) {
		rt.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	b.Run("diamonds=20/routes=1", func(b *testing.B) {
		for b.Loop() {
			rt := segue.New()
			top := rt
			for range 20 {
				next := segue.New()
				top.Mount("/a", next)
				top.Mount("/b", next)
				top = next
			}
			rt.GET("/x", nothing)
			ask(rt, "/x")
		}
	})
	b.Run("groups=400/routes=1", func(b *testing.B) {
		for b.Loop() {
			rt := segue.New()
			inner := rt
			for range 400 {
				inner = inner.Group("/g")
			}
			inner.GET("/x", nothing)
			ask(rt, strings.Repeat("/g", 400)+"/x")
		}
	})
	b.Run("routes=2000/requests=2000", func(b *testing.B) {
		for b.Loop() {
			rt := segue.New()
			for i := range 2000 {
				path := fmt.Sprint("/r", i)
				rt.GET(path, nothing)
				ask(rt, path)
			}
		}
	})
}
