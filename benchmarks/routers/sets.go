package routers

import (
	"fmt"
	"io/fs"
	"net/http"
	"runtime"
	"strings"

	"github.com/segue-go/segue/internal/workload"
)

// Sets loads the four route sets that routers have been compared by for years.
func Sets(dir fs.FS) ([]workload.Set, error) {
	var sets []workload.Set
	for _, name := range workload.Files {
		s, err := workload.Load(dir, name)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// Sizes are tables of 5, 1,000 and 10,000 routes.
func Sizes() []workload.Set {
	return []workload.Set{workload.Resources(5), workload.Resources(1_000), workload.Resources(10_000)}
}

// Params are tables of one route of 1, 5 and 20 parameters.
func Params() []workload.Set {
	var sets []workload.Set
	for _, n := range []int{1, 5, 20} {
		sets = append(sets, params(n))
	}
	return sets
}

func params(n int) workload.Set {
	var pattern, target strings.Builder
	c := workload.Call{Method: "GET", Host: "localhost", Status: http.StatusOK}
	for i := range n {
		value := fmt.Sprintf("value%d", i)
		fmt.Fprintf(&pattern, "/{p%d}", i)
		fmt.Fprintf(&target, "/%s", value)
		c.Values = append(c.Values, value)
	}
	r := workload.Route{Method: "GET", Path: pattern.String()}
	c.Pattern, c.Target = r.Pattern(), target.String()
	return workload.Set{Name: fmt.Sprintf("param%d", n), Routes: []workload.Route{r}, Calls: []workload.Call{c}}
}

// Lengths are tables of one route of 10, 100 and 1,000 literals.
func Lengths() []workload.Set {
	var sets []workload.Set
	for _, n := range []int{10, 100, 1_000} {
		r := workload.Route{Method: "GET", Path: strings.Repeat("/segment", n)}
		c := workload.Call{Method: r.Method, Host: "localhost", Target: r.Path, Status: http.StatusOK, Pattern: r.Pattern()}
		sets = append(sets, workload.Set{Name: fmt.Sprintf("%d segments", n), Routes: []workload.Route{r}, Calls: []workload.Call{c}})
	}
	return sets
}

// Misses are the calls of the GitHub set that end in 404 and 405.
func Misses(github workload.Set) []workload.Set {
	var sets []workload.Set
	for _, s := range workload.Misses(github) {
		if s.Name == "404" || s.Name == "405" {
			sets = append(sets, s)
		}
	}
	return sets
}

// Load takes the cost of a table of routes whose handlers are all one.
func (r Router) Load(s workload.Set) workload.Cost {
	cost, h := workload.Measure(s, func() http.Handler { return r.New(Table{Set: s}) })
	runtime.KeepAlive(h)
	return cost
}
