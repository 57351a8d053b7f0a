package segue

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func bareRequest(path string) *http.Request { return httptest.NewRequest("GET", path, nil) }

// fillPathValues is what a router does with a request that matched.
func fillPathValues(r *http.Request, names []string, values ...string) {
	own := newValues(r, len(values), 0)
	copy(own, values)
	setPathValues(r, newPathNamesFor(names), own)
}

// newPathNamesFor is pathNamesOf without its cache, since eachWay changes what
// is to be cached.
func newPathNamesFor(names []string) *pathNames {
	if len(names) == 0 {
		return nil
	}
	return newPathNames(names)
}

func TestSetPathValuesNames(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		for _, names := range [][]string{
			{"id"},
			{"_"},
			{"a", "b"},
			{"b", "a"},
			{"func", "range", "type", "nil"},
			{"größe", "名前", "x١"},
			{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"},
		} {
			r := bareRequest("/")
			values := make([]string, len(names))
			for i, name := range names {
				values[i] = "value of " + name
			}
			fillPathValues(r, names, values...)
			for i, name := range names {
				assert.Equal(t, values[i], r.PathValue(name))
			}
			assert.Empty(t, r.PathValue("unknown"))
		}
	})
}

func TestPathNamesAreShared(t *testing.T) {
	assert.Nil(t, pathNamesOf(nil))
	assert.Nil(t, pathNamesOf([]string{}))
	names := []string{"a", "b"}
	known := pathNamesOf(names)
	assert.Same(t, known, pathNamesOf([]string{"a", "b"}))
	assert.NotSame(t, known, pathNamesOf([]string{"b", "a"}))
	assert.NotSame(t, known, pathNamesOf([]string{"ab"}))

	names[0] = "changed"
	r := bareRequest("/")
	setPathValues(r, known, []string{"1", "2"})
	assert.Equal(t, "1", r.PathValue("a"))
}

func TestPathValuesInCopies(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		names := []string{"a", "b"}
		r := bareRequest("/")
		fillPathValues(r, names, "1", "2")
		clone := r.Clone(context.Background())
		shallow := r.WithContext(context.Background())
		fillPathValues(r.Clone(context.Background()), names, "7", "8")
		for _, r := range []*http.Request{r, clone, shallow} {
			assert.Equal(t, "1", r.PathValue("a"))
			assert.Equal(t, "2", r.PathValue("b"))
		}
		clone.SetPathValue("a", "set")
		assert.Equal(t, "set", clone.PathValue("a"))
		assert.Equal(t, "1", r.PathValue("a"))
	})
}

func TestSetPathValueTouchesNoOtherRequest(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		names := []string{"a", "b"}
		requests := make([]*http.Request, 3*blockValues)
		for i := range requests {
			requests[i] = bareRequest("/")
			fillPathValues(requests[i], names, "1", "2")
		}
		for i, r := range requests {
			if i%2 == 0 {
				r.SetPathValue("b", "set")
				r.SetPathValue("new", "set")
			}
		}
		for i, r := range requests {
			want := map[bool][3]string{true: {"1", "set", "set"}, false: {"1", "2", ""}}[i%2 == 0]
			assert.Equal(t, want, [3]string{r.PathValue("a"), r.PathValue("b"), r.PathValue("new")})
		}
	})
}

// behindServeMux gives do a request that an outer ServeMux matched.
func behindServeMux(pattern, path string, do func(r *http.Request)) {
	mux := http.NewServeMux()
	mux.HandleFunc(pattern, func(_ http.ResponseWriter, r *http.Request) { do(r) })
	mux.ServeHTTP(httptest.NewRecorder(), bareRequest(path))
}

func TestOuterValuesDoNotShowThrough(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		behindServeMux("/{id}/{outer}", "/7/8", func(r *http.Request) {
			fillPathValues(r, []string{"id"}, "9")
			assert.Equal(t, "9", r.PathValue("id"))
			assert.Empty(t, r.PathValue("outer"))
			assert.Equal(t, "/{id}/{outer}", r.Pattern, "not what setPathValues changes")

			fillPathValues(r, []string{"id"}, "")
			assert.Empty(t, r.PathValue("id"), "an empty value is a value")
		})
		behindServeMux("/{id}", "/7", func(r *http.Request) {
			r.SetPathValue("user", "hers")
			setPathValues(r, nil, nil)
			assert.Empty(t, r.PathValue("id"))
			assert.Equal(t, "hers", r.PathValue("user"), "as behind ServeMux")
			assert.Equal(t, "/{id}", r.Pattern)
		})
	})
}

// A router inside writes into a copy of the request; whoever holds the outer
// one sees the outer value.
func TestOuterRequestKeepsItsValues(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		behindServeMux("/{id}", "/7", func(r *http.Request) {
			fillPathValues(r.WithContext(context.Background()), []string{"id"}, "9")
			assert.Equal(t, "7", r.PathValue("id"))
		})
	})
}

func TestAddPathValueOutlastsServeMux(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		outer := bareRequest("/7/8")
		fillPathValues(outer, []string{"id", "tenant"}, "1", "2")
		r := outer.Clone(context.Background())
		addPathValue(r, "id", "one")
		addPathValue(r, "tenant", "two")
		addPathValue(r, "more", "three")

		mux := http.NewServeMux()
		mux.HandleFunc("/{id}/{inner}", func(_ http.ResponseWriter, r *http.Request) {
			assert.Equal(t, "7", r.PathValue("id"), "the inner pattern's own")
			assert.Equal(t, "8", r.PathValue("inner"))
			assert.Equal(t, "two", r.PathValue("tenant"))
			assert.Equal(t, "three", r.PathValue("more"))
		})
		mux.ServeHTTP(httptest.NewRecorder(), r)

		assert.Equal(t, "1", outer.PathValue("id"))
		assert.Equal(t, "2", outer.PathValue("tenant"))
		assert.Empty(t, outer.PathValue("more"))
	})
}

func TestAddPathValueInsideServeMux(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		behindServeMux("/{id}", "/7", func(outer *http.Request) {
			r := outer.Clone(context.Background())
			addPathValue(r, "id", "one")
			setPathValues(r, nil, nil)
			assert.Equal(t, "one", r.PathValue("id"))
			assert.Equal(t, "7", outer.PathValue("id"))
		})
	})
}

func TestKeyOf(t *testing.T) {
	text := strings.Clone("GET /users/{id}")
	same, again := text, strings.Clone(text)
	assert.True(t, keyOf(text) == keyOf(same))
	assert.Equal(t, keyIsIdentity, keyOf(text) != keyOf(again))
	assert.True(t, keyOf("") == keyOf(text[:0]))
	assert.True(t, keyOf("") != keyOf(text))
	assert.Equal(t, 1, len(map[patternKey]int{keyOf(text): 1, keyOf(same): 2}))
}

// The number is of allocations for 1000 requests with so many parameters.
func TestSetPathValuesAllocations(t *testing.T) {
	if raceEnabled || !keyIsIdentity {
		t.Skip("counts what the usual build allocates")
	}
	for _, row := range []struct {
		names []string
		want  float64
	}{
		{nil, 0},
		{[]string{"a"}, 33},
		{[]string{"a", "b"}, 67},
		{[]string{"a", "b", "c", "d", "e", "f", "g", "h"}, 334},
		{[]string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}, 1000},
	} {
		r, names := bareRequest("/"), pathNamesOf(row.names)
		got := AllocsPerRun(10, func() {
			for range 1000 {
				var values []string
				if names != nil {
					values = newValues(r, len(row.names), 10)
				}
				setPathValues(r, names, values)
			}
		})
		assert.InDelta(t, row.want, got, 2, "%d parameters", len(row.names))
	}
}

// "by=clear" is what a route without parameters pays where its caller has
// branched on that, "by=nil" where it has not.
func BenchmarkSetPathValues(b *testing.B) {
	r, names, values := bareRequest("/"), pathNamesOf([]string{"a", "b"}), []string{"1", "2"}
	b.Run("by=names", func(b *testing.B) {
		for b.Loop() {
			setPathValues(r, names, values)
		}
	})
	b.Run("by=clear", func(b *testing.B) {
		for b.Loop() {
			clearPathValues(r)
		}
	})
	b.Run("by=nil", func(b *testing.B) {
		for b.Loop() {
			setPathValues(r, nil, nil)
		}
	})
}
