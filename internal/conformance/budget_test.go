package conformance

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
	"github.com/segue-go/segue/internal/workload"
)

// Compiling merges branches as far as a budget goes. Where it is spent, a lookup
// steps through the branches side by side: the answers stay what they are, and
// the memory is bounded.

// Times are logged alone, since they depend on the machine; memory does not.
func TestMemoryIsBounded(t *testing.T) {
	for _, s := range workload.Costs() {
		t.Run(s.Name, func(t *testing.T) {
			cost, router := workload.Segue.Measure(s.Set)
			t.Logf("%d routes: %.2f MB, registered in %v, compiled in %v",
				len(s.Routes), float64(cost.Heap)/(1<<20), cost.Register, cost.Compile)
			assert.LessOrEqual(t, cost.Heap, s.Bound)
			runtime.KeepAlive(router)
			if s.Name == "10000" {
				mux, other := workload.ServeMux.Measure(s.Set)
				t.Logf("ServeMux: %.2f MB", float64(mux.Heap)/(1<<20))
				assert.LessOrEqual(t, cost.Heap, mux.Heap, "more than ServeMux")
				runtime.KeepAlive(other)
			}
		})
	}
}

// Where the budget leaves a node as a list, the answers are what they are
// everywhere.
func TestAnswersUnderTheBudget(t *testing.T) {
	t.Parallel() // that is: after the tests that count allocations
	for _, s := range workload.Costs() {
		t.Run(s.Name, func(t *testing.T) {
			var o oracle
			for _, r := range s.Routes {
				o = append(o, oracleMux("", r.Pattern()))
			}
			calls := s.Calls
			s.Calls = nil
			for i := 0; i < len(calls); i += 1 + len(calls)/testkit.Size(100, 500) {
				s.Calls = append(s.Calls, calls[i])
			}
			for _, target := range targetsBetween(s.Routes) {
				s.Calls = append(s.Calls, o.call(target))
			}
			require.NoError(t, workload.SegueRead.Verify(s.Set))
		})
	}
}

// call is a request for a path among routes for GET with no final slash, and
// what it must be answered with.
func (o oracle) call(target string) workload.Call {
	c := workload.Call{Method: "GET", Host: "localhost", Target: target, Status: http.StatusNotFound}
	if h := o.best("localhost", target, oraclePlace("GET")); h != nil {
		c.Status, c.Pattern = http.StatusOK, h.pattern
		params := h.params()
		for _, s := range h.form.segs {
			if s.kind != oracleLiteral {
				c.Values = append(c.Values, params[s.text])
			}
		}
	}
	return c
}

// Wherever a table came to its budget, a hit costs no allocation: as long as the
// stack has room for the alternatives, of which hardladder opens up to 300.
func TestAllocationsUnderTheBudget(t *testing.T) {
	testkit.SkipUnlessAllocationsCount(t)
	for _, s := range workload.Costs() {
		if s.Name == "hardladder" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			s.Calls = s.Calls[:min(len(s.Calls), 500)]
			run, err := workload.NoValues.Prepare(s.Set)
			require.NoError(t, err)
			assert.Less(t, testkit.Least(func() float64 { allocs, _ := run.Allocations(10); return allocs }), 0.01, "allocations a request")
			assert.Less(t, testkit.Least(func() float64 { _, bytes := run.Allocations(10); return bytes }), 1.0, "bytes a request")
		})
	}
}

// targetsBetween are paths that join the beginning of one route with the end
// of another: where several could go on.
func targetsBetween(routes []workload.Route) []string {
	var targets []string
	for i := 0; i < 300; i += testkit.Size(3, 1) {
		a := strings.Split(routes[i*7%len(routes)].Path, "/")
		b := strings.Split(routes[(i*13+len(routes)/2)%len(routes)].Path, "/")
		cut := min(1+i%len(a), len(a), len(b))
		path := strings.Join(append(slices.Clone(a[:cut]), b[cut:]...), "/")
		targets = append(targets, strings.NewReplacer("{", "", "}", "").Replace(path))
	}
	return targets
}

// A deep path is no recursion, neither in what is registered nor in what is
// asked.
func TestDepthIsNotBounded(t *testing.T) {
	t.Parallel() // that is: after the tests that count allocations
	var path strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&path, "/s%d", i)
	}
	route := workload.Route{Method: "GET", Path: path.String()}
	s := workload.Set{Routes: []workload.Route{route}}
	o := oracle{oracleMux("", route.Pattern())}
	s.Calls = []workload.Call{
		o.call(path.String()),
		o.call(path.String() + "/more"),
		o.call(path.String()[:path.Len()-1]),
	}
	require.Equal(t, http.StatusOK, s.Calls[0].Status)
	require.NoError(t, workload.NoValuesParam.Verify(s))
}

// spendBudget adds routes that nobody asks for and that use up what compiling
// may merge, before it comes to any other: their literals sort first, and each
// of them would copy all that a parameter could do there. So every other literal
// is left side by side with the parameter.
func spendBudget(rt *segue.Router, host string) {
	for i := range 60 {
		rt.HandleFunc(fmt.Sprintf("%s/!%02d/!edit", host, i), fuzzHandler)
		rt.HandleFunc(fmt.Sprintf("%s/{spent}/!act%02d", host, i), fuzzHandler)
	}
}

// wideSteps counts the steps of a request that are made side by side.
func wideSteps(rt *segue.Router, r *http.Request) (wide int) {
	for _, step := range rt.Explain(r).Steps {
		if step.Wide {
			wide++
		}
	}
	return wide
}

// Whatever the budget, the answers are the same: random sets, with and without
// room for merged nodes, and every path that could tell the two apart.
func TestBudgetNeverChangesTheAnswer(t *testing.T) {
	segs := []string{"a", "b", "a-literal-of-more-than-sixteen-bytes", "{x}", "{x}"}
	var requests []*enumRequest
	for _, shape := range enumShapes(4, append([]string{"", "c"}, segs[:3]...), append([]string{"", "c"}, segs[:3]...)) {
		requests = append(requests, newEnumRequest("GET", "h", shape))
	}
	c := newEnumCheck(t, nil)
	var wide atomic.Int64
	c.each(testkit.Size(24, 400), func(w *enumWriter, i int) {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		var s enumSet
		for range 2 + r.IntN(12) {
			path := ""
			for i := range 1 + r.IntN(5) {
				path += "/" + strings.Replace(segs[r.IntN(len(segs))], "x", fmt.Sprintf("x%d", i), 1)
			}
			path += []string{"", "", "/", "/{$}", "/{rest...}"}[r.IntN(5)]
			s.routes = append(s.routes, muxRoute("GET "+path))
		}
		s = s.withOracle().accepted()
		for _, spent := range []bool{false, true} {
			s.spent = spent
			if testkit.Explore() {
				c.some(w, s, requests, nil, len(requests))
			} else {
				c.some(w, s, requests, r, 150)
			}
		}
		if router, err := s.router(); err == nil {
			for range 20 {
				wide.Add(int64(wideSteps(router, &requests[r.IntN(len(requests))].request)))
			}
		}
	})
	assert.NotZero(t, wide.Load(), "steps side by side")
}
