package segue_test

import (
	"cmp"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/workload"
)

// A costSet is a table of routes with a bound on the memory that it may take,
// all told: routers, tries, what is compiled.
type costSet struct {
	workload.Set
	bound   int64 // bytes of heap
	overlap bool  // in ways that ServeMux refuses
}

// costSets are ordinary tables and such as would explode a construction
// without a budget. The bound is 500 KB for each 1,000 routes of some segments.
func costSets() []costSet {
	return []costSet{
		{workload.Resources(1_000), 500 << 10, false},
		{workload.Resources(10_000), 4500 << 10, false},
		{workload.Clash(10_000), 16 << 20, false},
		{workload.Ladder(24), 1 << 20, true},
		{workload.HardLadder(24), 2 << 20, true}, // 7,200 segments,
	}
}

// Times are for BenchmarkCost to tell, and depend on the machine; memory does
// not.
func TestMemoryIsBounded(t *testing.T) {
	for _, s := range costSets() {
		t.Run(s.Name, func(t *testing.T) {
			cost, router := workload.Segue.Measure(s.Set)
			t.Logf("%d routes: %.2f MB, registered in %v, compiled in %v",
				len(s.Routes), float64(cost.Heap)/(1<<20), cost.Register, cost.Compile)
			assert.LessOrEqual(t, cost.Heap, s.bound)
			runtime.KeepAlive(router)
		})
	}
}

// Where the budget leaves a node as a list, the answers are what they are
// everywhere.
func TestAnswersUnderTheBudget(t *testing.T) {
	for _, s := range costSets() {
		t.Run(s.Name, func(t *testing.T) {
			calls := s.Calls
			s.Calls = nil
			for i := 0; i < len(calls); i += 1 + len(calls)/500 {
				s.Calls = append(s.Calls, calls[i])
			}
			for _, target := range targetsBetween(s.Routes) {
				s.Calls = append(s.Calls, expect(s.Routes, target))
			}
			require.NoError(t, workload.SegueRead.Verify(s.Set))
		})
	}
}

// Wherever a table came to its budget, a hit costs no allocation: as long as the
// stack has room for the alternatives, of which hardladder opens up to 300.
func TestAllocationsUnderTheBudget(t *testing.T) {
	segue.SkipUnlessAllocationsCount(t)
	for _, s := range costSets() {
		if s.Name == "hardladder" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			s.Calls = s.Calls[:min(len(s.Calls), 500)]
			run, err := workload.NoValues.Prepare(s.Set)
			require.NoError(t, err)
			assert.Less(t, segue.Least(func() float64 { allocs, _ := run.Allocations(10); return allocs }), 0.01, "allocations a request")
			assert.Less(t, segue.Least(func() float64 { _, bytes := run.Allocations(10); return bytes }), 1.0, "bytes a request")
		})
	}
}

// targetsBetween are paths that join the beginning of one route with the end
// of another: where several could go on.
func targetsBetween(routes []workload.Route) []string {
	var targets []string
	for i := range 300 {
		a := strings.Split(routes[i*7%len(routes)].Path, "/")
		b := strings.Split(routes[(i*13+len(routes)/2)%len(routes)].Path, "/")
		cut := min(1+i%len(a), len(a), len(b))
		path := strings.Join(append(slices.Clone(a[:cut]), b[cut:]...), "/")
		targets = append(targets, strings.NewReplacer("{", "", "}", "").Replace(path))
	}
	return targets
}

// expect looks for the answer among all routes, one after the other: of those
// that match, the one whose leftmost difference is a literal.
func expect(routes []workload.Route, target string) workload.Call {
	c := workload.Call{Method: "GET", Host: "localhost", Target: target, Status: http.StatusNotFound}
	segs := strings.Split(target, "/")
	best := ""
	for _, r := range routes {
		kinds, values, ok := matchLinear(strings.Split(r.Path, "/"), segs)
		if ok && kinds > best {
			best, c.Status, c.Pattern, c.Values = kinds, http.StatusOK, r.Pattern(), values
		}
	}
	return c
}

// matchLinear returns what the segments of a matching route are, "l" for a
// literal and "a" for a parameter, so that the better one is the greater.
func matchLinear(pattern, segs []string) (kinds string, values []string, ok bool) {
	if len(pattern) != len(segs) {
		return "", nil, false
	}
	for i, p := range pattern {
		switch {
		case p == segs[i]:
			kinds += "l"
		case strings.HasPrefix(p, "{") && segs[i] != "":
			kinds += "a"
			values = append(values, segs[i])
		default:
			return "", nil, false
		}
	}
	return kinds, values, true
}

func TestExpectation(t *testing.T) {
	routes := []workload.Route{{Method: "GET", Path: "/{a}/x"}, {Method: "GET", Path: "/y/{b}"}}
	assert.Equal(t, "GET /y/{b}", expect(routes, "/y/x").Pattern)
	assert.Equal(t, []string{"z"}, expect(routes, "/z/x").Values)
	assert.Equal(t, http.StatusNotFound, expect(routes, "/z/z").Status)
	assert.Negative(t, cmp.Compare("a", "l"))
}

// A deep path is no recursion, neither in what is registered nor in what is
// asked.
func TestDepthIsNotBounded(t *testing.T) {
	var path strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&path, "/s%d", i)
	}
	route := workload.Route{Method: "GET", Path: path.String()}
	s := workload.Set{Routes: []workload.Route{route}}
	s.Calls = []workload.Call{
		expect(s.Routes, path.String()),
		expect(s.Routes, path.String()+"/more"),
		expect(s.Routes, path.String()[:path.Len()-1]),
	}
	require.Equal(t, http.StatusOK, s.Calls[0].Status)
	require.NoError(t, workload.NoValuesParam.Verify(s))
}
