package routers

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/internal/workload"
)

func sets(tb testing.TB) []workload.Set {
	s, err := Sets(os.DirFS("../../testdata/routes"))
	require.NoError(tb, err)
	return s
}

// Every router answers what is measured: status, route and values.
func TestAnswers(t *testing.T) {
	hits := slices.Concat(sets(t), Sizes(), Params(), Lengths())
	if testing.Short() {
		hits = slices.Concat(sets(t), Sizes()[:2], Params(), Lengths())
	}
	for _, r := range All {
		for _, s := range hits {
			for _, middlewares := range []int{0, 4} {
				require.NoError(t, r.Verify(Table{Set: s, Middlewares: middlewares}), s.Name)
			}
		}
	}
}

func TestMissesAreMisses(t *testing.T) {
	for _, s := range Misses(sets(t)[0]) {
		for _, r := range All {
			switch {
			case r.Answers(s):
				require.NoError(t, r.Verify(Table{Set: s}), s.Name)
			case !r.Floor:
				require.Error(t, r.Verify(Table{Set: s}), "%s: measure it", r.Name)
			}
		}
	}
}

// A check that cannot fail would prove nothing.
func TestVerifyFindsWrongAnswers(t *testing.T) {
	good := Params()[1]
	for name, spoil := range map[string]func(*workload.Call){
		"status":  func(c *workload.Call) { c.Status = 404 },
		"pattern": func(c *workload.Call) { c.Pattern = "GET /other" },
		"value":   func(c *workload.Call) { c.Values = slices.Concat(c.Values[:4], []string{"other"}) },
		"missing": func(c *workload.Call) { c.Values = c.Values[:4] },
	} {
		s := good
		s.Calls = slices.Clone(good.Calls)
		spoil(&s.Calls[0])
		assert.Error(t, Segue.Verify(Table{Set: s}), name)
	}
}

// segue allocates nothing on any of the sets, whether values are stored or
// not, and read or not. A block that many requests share counts in part for
// each, and so as none.
func TestSegueDoesNotAllocate(t *testing.T) {
	for _, r := range []Router{Segue, NoValues} {
		for _, s := range sets(t) {
			for _, reads := range []bool{false, true} {
				run, err := r.Prepare(Table{Set: s, Reads: reads})
				require.NoError(t, err)
				mallocs := leastAllocations(run)
				assert.Zero(t, int(mallocs), "%s, %s, read %v: %v", r.Name, s.Name, reads, mallocs)
				if r.Name == NoValues.Name {
					assert.Less(t, mallocs, 0.001, "%s, %s, read %v", r.Name, s.Name, reads)
				}
			}
		}
	}
}

// leastAllocations takes the least of a few tries: whatever else the process
// does meanwhile counts as well.
func leastAllocations(run *workload.Run) float64 {
	least := math.Inf(1)
	for range 5 {
		mallocs, _ := run.Allocations(200)
		least = min(least, mallocs)
	}
	return least
}

func TestColon(t *testing.T) {
	assert.Equal(t, "/users/:id/files/*path", colon("/users/{id}/files/{path...}", true))
	assert.Equal(t, "/users/:id/files/*", colon("/users/{id}/files/{path...}", false))
	assert.Equal(t, "/", colon("/", true))
}

func TestHeapGrowsWithTheRoutes(t *testing.T) {
	few, many := workload.Resources(5), workload.Resources(1_000)
	for _, r := range All {
		if !r.Floor { // it holds the calls, not the routes
			assert.Greater(t, r.Load(many).Heap, r.Load(few).Heap, r.Name)
		}
	}
}
