package pathvalue

// These tests hold of both ways. A test of the portable way alone is in
// portable_test.go, one of the direct way in direct_test.go.

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// eachWay runs a test in each way that the build has.
func eachWay(t *testing.T, test func(t *testing.T)) {
	if direct {
		t.Run("direct", test)
	}
	defer UsePortable(true)()
	t.Run("portable", test)
}

func bareRequest(path string) *http.Request { return httptest.NewRequest("GET", path, nil) }

// fill is what a router does with a request that matched.
func fill(r *http.Request, names []string, values ...string) {
	own := New(r, len(values), 0)
	copy(own, values)
	Set(r, NamesOf(names), own)
}

func TestSetNames(t *testing.T) {
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
			fill(r, names, values...)
			for i, name := range names {
				assert.Equal(t, values[i], r.PathValue(name))
			}
			assert.Empty(t, r.PathValue("unknown"))
			gotNames, gotValues := InOrder(r)
			assert.Equal(t, names, gotNames)
			assert.Equal(t, values, gotValues)
		}
	})
}

// Whatever bytes a value has, it comes back as it was.
func TestSetValues(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		everyByte := make([]byte, 256)
		for i := range everyByte {
			everyByte[i] = byte(i)
		}
		odd := []string{"", ".", "..", "/", "//", "a/b/", "/../x", "%2F", "%", "%zz", "{a}", "*", "x", "ä", "\x00", " ", "?q#f", string(everyByte), strings.Repeat("long/", 5000)}
		for _, first := range odd {
			for _, last := range odd {
				r := bareRequest("/")
				fill(r, []string{"a", "b", "c"}, first, "", last)
				assert.Equal(t, [3]string{first, "", last}, [3]string{r.PathValue("a"), r.PathValue("b"), r.PathValue("c")})
			}
		}
	})
}

// Set and Clear change what PathValue answers and nothing else, whatever the
// request looks like.
func TestSetLeavesTheRest(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		for _, request := range []string{"GET /a/../b?q", "OPTIONS *", "CONNECT h:80", "HEAD http://h/x%2Fy", "PURGE //"} {
			method, target, _ := strings.Cut(request, " ")
			r := httptest.NewRequest(method, target, strings.NewReader("body"))
			r.Pattern = "my own"
			want := r.Clone(context.Background())
			for range 2 {
				fill(r, []string{"a"}, "1")
				assert.Equal(t, "1", r.PathValue("a"), request)
				assert.True(t, Filled(r))
				Clear(r)
				assert.Equal(t, "", r.PathValue("a"), request)
				assert.False(t, Filled(r))
			}
			assert.Equal(t, want, r, request)
		}
	})
}

func TestNamesAreShared(t *testing.T) {
	assert.Nil(t, NamesOf(nil))
	assert.Nil(t, NamesOf([]string{}))
	assert.Nil(t, NamesOf(nil).List())
	names := []string{"a", "b"}
	known := NamesOf(names)
	assert.Same(t, known, NamesOf([]string{"a", "b"}))
	assert.NotSame(t, known, NamesOf([]string{"b", "a"}))
	assert.NotSame(t, known, NamesOf([]string{"ab"}))

	names[0] = "changed"
	assert.Equal(t, []string{"a", "b"}, known.List())
	r := bareRequest("/")
	Set(r, known, []string{"1", "2"})
	assert.Equal(t, "1", r.PathValue("a"))
	assert.Panics(t, func() { NamesOf([]string{"not a name"}) })
}

// A Names made in one way serves in the other.
func TestNamesOutliveTheWay(t *testing.T) {
	for _, portable := range []bool{false, true} {
		restore := UsePortable(portable)
		list := []string{"made", fmt.Sprint("portable", portable)}
		names := NamesOf(list)
		restore()
		eachWay(t, func(t *testing.T) {
			r := bareRequest("/")
			Set(r, names, []string{"1", "2"})
			assert.Equal(t, "2", r.PathValue(list[1]))
			got, values := InOrder(r)
			assert.Equal(t, list, got)
			assert.Equal(t, []string{"1", "2"}, values)
		})
	}
}

func TestCopies(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		names := []string{"a", "b"}
		r := bareRequest("/")
		fill(r, names, "1", "2")
		clone := r.Clone(context.Background())
		shallow := r.WithContext(context.Background())
		fill(r.Clone(context.Background()), names, "7", "8")
		fill(r.WithContext(context.Background()), names, "7", "8")
		fill(r.WithContext(context.Background()), []string{"b", "c"}, "7", "8")
		Clear(r.WithContext(context.Background()))
		for _, r := range []*http.Request{r, clone, shallow} {
			assert.Equal(t, "1", r.PathValue("a"))
			assert.Equal(t, "2", r.PathValue("b"))
			assert.Equal(t, "", r.PathValue("c"))
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
			fill(requests[i], names, "1", "2")
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

// A middleware may set the values that its handler sees, to the empty one too.
func TestSetPathValueAfterSet(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		r := bareRequest("/")
		fill(r, []string{"a", "b"}, "1", "2")
		r.SetPathValue("a", "")
		r.SetPathValue("other", "3")
		assert.Equal(t, [3]string{"", "2", "3"}, [3]string{r.PathValue("a"), r.PathValue("b"), r.PathValue("other")})
		_, values := InOrder(r)
		assert.Equal(t, []string{"", "2"}, values)
	})
}

// A request that is dispatched again has the values of its last route only, and
// what SetPathValue gave it under other names.
func TestSecondDispatch(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		r := bareRequest("/")
		r.SetPathValue("user", "hers")
		fill(r, []string{"a", "b"}, "1", "2")
		fill(r, []string{"b", "c"}, "3", "4")
		assert.Equal(t, [4]string{"", "3", "4", "hers"}, [4]string{r.PathValue("a"), r.PathValue("b"), r.PathValue("c"), r.PathValue("user")})
		Set(r, nil, nil)
		assert.Equal(t, [4]string{"", "", "", "hers"}, [4]string{r.PathValue("a"), r.PathValue("b"), r.PathValue("c"), r.PathValue("user")})
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
			fill(r, []string{"id"}, "9")
			assert.Equal(t, "9", r.PathValue("id"))
			assert.Empty(t, r.PathValue("outer"))
			assert.Equal(t, "/{id}/{outer}", r.Pattern, "not what Set changes")

			fill(r, []string{"id"}, "")
			assert.Empty(t, r.PathValue("id"), "an empty value is a value")
		})
		behindServeMux("/{id}", "/7", func(r *http.Request) {
			r.SetPathValue("user", "hers")
			Set(r, nil, nil)
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
			fill(r.WithContext(context.Background()), []string{"id"}, "9")
			assert.Equal(t, "7", r.PathValue("id"))
		})
	})
}

func TestFilledAndInOrder(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		r := bareRequest("/")
		check := func(filled bool, wantNames, wantValues []string) {
			t.Helper()
			names, values := InOrder(r)
			assert.Equal(t, filled, Filled(r))
			assert.Equal(t, wantNames, names)
			assert.Equal(t, wantValues, values)
		}
		check(false, nil, nil)
		r.SetPathValue("other", "1")
		check(false, nil, nil)
		fill(r, []string{"a"}, "1")
		check(true, []string{"a"}, []string{"1"})
		Add(r, "a", "2")
		check(true, []string{"a"}, []string{"1"})
		Set(r, nil, nil)
		check(false, nil, nil)
		behindServeMux("/{a}", "/x", func(behind *http.Request) {
			r = behind
			check(true, nil, nil)
		})
		behindServeMux("/", "/x", func(behind *http.Request) {
			r = behind
			check(true, nil, nil)
		})
	})
}

func TestAddOutlastsServeMux(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		outer := bareRequest("/7/8")
		fill(outer, []string{"id", "tenant"}, "1", "2")
		r := outer.Clone(context.Background())
		Add(r, "id", "one")
		Add(r, "tenant", "two")
		Add(r, "more", "three")
		assert.Equal(t, [3]string{"1", "2", "three"}, [3]string{r.PathValue("id"), r.PathValue("tenant"), r.PathValue("more")})
		assert.Empty(t, r.PathValue(""))

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

// What a ServeMux wrote stays in place.
func TestAddInsideServeMux(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		behindServeMux("GET example.com/x/{id}/{file...}", "/x/7/a/b", func(outer *http.Request) {
			outer.SetPathValue("file", "")
			r := outer.Clone(context.Background())
			Add(r, "id", "one")
			assert.True(t, Filled(r))
			assert.Equal(t, [2]string{"7", ""}, [2]string{r.PathValue("id"), r.PathValue("file")})
			Clear(r)
			assert.Equal(t, "one", r.PathValue("id"))
			assert.Equal(t, "7", outer.PathValue("id"))
		})
		for _, pattern := range []string{"/{$}", "/"} {
			behindServeMux(pattern, "/", func(outer *http.Request) {
				r := outer.Clone(context.Background())
				Add(r, "id", "one")
				assert.Equal(t, "one", r.PathValue("id"))
			})
		}
	})
}

// http.TimeoutHandler lets its handler run on with a copy of the request. Two
// routers then write into the request and into the copy at the same time.
func TestCopiesAreWrittenAtTheSameTime(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		for range 50 {
			r := bareRequest("/")
			r.SetPathValue("user", "hers")
			fill(r, []string{"a", "b"}, "1", "2")
			copies := []*http.Request{r}
			for range 7 {
				copies = append(copies, r.WithContext(context.Background()))
			}
			var all sync.WaitGroup
			for i, r := range copies {
				want := fmt.Sprint(i)
				all.Go(func() {
					fill(r, []string{"b", "c"}, want, want)
					if got := [4]string{r.PathValue("a"), r.PathValue("b"), r.PathValue("c"), r.PathValue("user")}; got != [4]string{"", want, want, "hers"} {
						t.Errorf("copy %d got %q", i, got)
					}
					r.SetPathValue("b", "own")
					Clear(r)
				})
			}
			all.Wait()
		}
	})
}

// One Names serves many requests at once.
func TestSetConcurrently(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		var all sync.WaitGroup
		for g := range 8 {
			all.Go(func() {
				for i := range 200 {
					r, value := new(http.Request), fmt.Sprint(g, i)
					fill(r, []string{"set", "concurrently"}, value, value)
					names, values := InOrder(r)
					if r.PathValue("concurrently") != value || len(names) != 2 || values[0] != value {
						t.Errorf("got %q, %q, want %q", names, values, value)
					}
				}
			})
		}
		all.Wait()
	})
}

func TestIdentity(t *testing.T) {
	text := strings.Clone("GET /users/{id}")
	same, again := text, strings.Clone(text)
	assert.Equal(t, Identity(text), Identity(same))
	assert.NotEqual(t, Identity(text), Identity(again))
	assert.Equal(t, Identity(text), Identity(text[:3]))
	assert.Zero(t, Identity(""))
	assert.Zero(t, Identity(text[:0]))
}

// Others has what SetPathValue keeps apart from the values of a pattern.
func TestOthers(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		r := bareRequest("/")
		assert.Nil(t, Others(r))
		r.SetPathValue("a", "1")
		r.SetPathValue("b", "")
		assert.Equal(t, map[string]bool{"a": true, "b": true}, Others(r))
		fill(r, []string{"id", "b"}, "7", "8")
		r.SetPathValue("id", "9")
		assert.Equal(t, map[string]bool{"a": true, "b": true}, Others(r), "b is covered, and not gone")

		clone := r.Clone(t.Context())
		Add(clone, "id", "outer")
		assert.Equal(t, map[string]bool{"a": true, "b": true, "id": true}, Others(clone))
		assert.Len(t, Others(r), 2)
		plain := bareRequest("/")
		Add(plain, "x", "1")
		assert.Equal(t, map[string]bool{"x": true}, Others(plain), "without what Add makes the map by")
	})
}

func limiter(limit int) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.MaxBytesHandler(next, int64(limit))
	}
}

func static(next http.Handler) http.Handler { return next }

func TestFuncIdentity(t *testing.T) {
	middlewares = append(middlewares[:0], limiter(1), limiter(1))
	one, two := middlewares[0], middlewares[1]
	same := one
	assert.Equal(t, FuncIdentity(one), FuncIdentity(same))
	assert.Equal(t, FuncIdentity(static), FuncIdentity(static))
	assert.NotEqual(t, FuncIdentity(one), FuncIdentity(two))
	assert.NotEqual(t, FuncIdentity(one), FuncIdentity(static))
	assert.Equal(t, FuncIdentity(nil), FuncIdentity(nil))
	assert.NotEqual(t, FuncIdentity(nil), FuncIdentity(static))

	middlewares = middlewares[:0]
	seen := map[uintptr]bool{}
	for i := range 1000 {
		middlewares = append(middlewares, limiter(i))
		seen[FuncIdentity(middlewares[i])] = true
	}
	require.Len(t, seen, 1000)
	for _, f := range middlewares {
		assert.True(t, seen[FuncIdentity(f)])
	}
}

var middlewares []func(http.Handler) http.Handler

func BenchmarkSet(b *testing.B) {
	r, names, values := bareRequest("/"), NamesOf([]string{"a", "b"}), []string{"1", "2"}
	for _, portable := range []bool{false, true} {
		defer UsePortable(portable)()
		b.Run(fmt.Sprintf("portable=%v/by=names", !direct), func(b *testing.B) {
			for b.Loop() {
				Set(r, names, values)
			}
		})
		b.Run(fmt.Sprintf("portable=%v/by=clear", !direct), func(b *testing.B) {
			for b.Loop() {
				Clear(r)
			}
		})
		b.Run(fmt.Sprintf("portable=%v/by=both", !direct), func(b *testing.B) {
			for b.Loop() {
				Set(r, names, values)
				Clear(r)
			}
		})
	}
}
