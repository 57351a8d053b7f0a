package hostile

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// A router that reuses what a request can reach shows one user's values to
// another, once somebody holds a request longer than its handler runs. These
// tests hold requests, and every copy of one, while others pass. They are of
// most use under -race.

// A kept request is one that its handler has left behind, with what it must
// say for ever.
type kept struct {
	*http.Request
	pattern string
	values  map[string]string
}

func (k kept) check(t *testing.T) {
	assert.Equal(t, k.pattern, k.Pattern)
	for name, want := range k.values {
		assert.Equal(t, want, k.PathValue(name), "PathValue of %s", k.URL)
		assert.Equal(t, want, segue.Param(k.Request, name), "Param of %s", k.URL)
	}
	count := 0
	for name, value := range segue.Params(k.Request) {
		assert.Equal(t, k.values[name], value, "Params of %s", k.URL)
		count++
	}
	assert.Len(t, k.values, count)
}

// others serves n requests with other values and more and fewer of them.
func others(h http.Handler, n int) {
	for i := range n {
		target := fmt.Sprintf("/users/other%d/posts/wrong%d", i, i)
		if i%3 == 0 {
			target = fmt.Sprintf("/users/other%d", i)
		}
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", target, nil))
	}
}

// http.TimeoutHandler answers while the handler still runs. The server goes on
// to other requests; this one must stay what it was.
func TestHandlerOutlivesItsAnswer(t *testing.T) {
	const slow = 100
	goOn := make(chan struct{})
	var waiting, running sync.WaitGroup
	waiting.Add(slow)
	running.Add(slow)
	router := segue.New()
	router.Use(func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Millisecond, "too slow") })
	router.GET("/slow/{id}/{sub}", func(_ http.ResponseWriter, r *http.Request) {
		defer running.Done()
		id := r.Header.Get("Id")
		want := kept{r, "GET /slow/{id}/{sub}", map[string]string{"id": id, "sub": id + "s"}}
		want.check(t)
		waiting.Done()
		<-goOn
		want.check(t)
	})
	router.GET("/users/{user}", func(http.ResponseWriter, *http.Request) {})
	router.GET("/users/{user}/posts/{post}", func(http.ResponseWriter, *http.Request) {})

	for i := range slow {
		id := strconv.Itoa(i)
		r := httptest.NewRequest("GET", "/slow/"+id+"/"+id+"s", nil)
		r.Header.Set("Id", id)
		w := httptest.NewRecorder()
		router.ServeHTTP(w, r)
		require.Equal(t, http.StatusServiceUnavailable, w.Code)
	}
	waiting.Wait()
	others(router, 3000)
	close(goOn)
	running.Wait()
}

// The same through a live server, which reuses connections and buffers.
func TestHandlerOutlivesItsConnection(t *testing.T) {
	const slow = 20
	goOn := make(chan struct{})
	var waiting, running sync.WaitGroup
	waiting.Add(slow)
	running.Add(slow)
	router := segue.New()
	router.Use(func(next http.Handler) http.Handler {
		return http.TimeoutHandler(next, 50*time.Millisecond, "too slow")
	})
	router.GET("/slow/{id}", func(_ http.ResponseWriter, r *http.Request) {
		defer running.Done()
		want := kept{r, "GET /slow/{id}", map[string]string{"id": r.Header.Get("Id")}}
		want.check(t)
		waiting.Done()
		<-goOn
		want.check(t)
	})
	router.GET("/users/{user}", func(http.ResponseWriter, *http.Request) {})
	server := httptest.NewServer(router)
	defer server.Close()

	get := func(path, id string) {
		r, err := http.NewRequest("GET", server.URL+path, nil)
		if !assert.NoError(t, err) {
			return
		}
		r.Header.Set("Id", id)
		resp, err := server.Client().Do(r)
		if assert.NoError(t, err) {
			resp.Body.Close()
		}
	}
	var clients sync.WaitGroup
	for i := range slow {
		clients.Go(func() { get("/slow/"+strconv.Itoa(i), strconv.Itoa(i)) })
	}
	clients.Wait()
	waiting.Wait()
	for i := range 500 {
		get(fmt.Sprintf("/users/other%d", i), "")
	}
	close(goOn)
	running.Wait()
}

// Copies made in a handler, in every way that there is.
func TestCopiesKeepTheirValues(t *testing.T) {
	for _, on := range []bool{true, false} {
		t.Run(fmt.Sprintf("PathValues=%v", on), func(t *testing.T) { testCopies(t, on) })
	}
}

func testCopies(t *testing.T, pathValues bool) {
	var all []kept
	router := segue.New()
	router.PathValues(pathValues)
	router.GET("/users/{user}", func(_ http.ResponseWriter, r *http.Request) {
		all = append(all, copiesOf(r, map[string]string{"user": r.Header.Get("User")})...)
	})
	router.GET("/users/{user}/posts/{post}", func(_ http.ResponseWriter, r *http.Request) {
		all = append(all, copiesOf(r, map[string]string{"user": r.Header.Get("User"), "post": r.Header.Get("Post")})...)
	})
	for i := range 300 {
		user, post := fmt.Sprintf("u%d", i), fmt.Sprintf("p%d", i)
		target := "/users/" + user
		if i%2 == 0 {
			target += "/posts/" + post
		}
		r := httptest.NewRequest("GET", target, nil)
		r.Header.Set("User", user)
		r.Header.Set("Post", post)
		router.ServeHTTP(httptest.NewRecorder(), r)
	}
	require.NotEmpty(t, all)
	for _, k := range all {
		if !pathValues {
			k.fill() // so that check finds what Param alone can know
		}
		k.check(t)
	}
}

// fill sets by hand what PathValues(false) leaves out.
func (k kept) fill() {
	for name := range k.values {
		k.SetPathValue(name, segue.Param(k.Request, name))
	}
}

// copiesOf returns r and copies of it.
func copiesOf(r *http.Request, values map[string]string) []kept {
	shallow := *r
	var all []kept
	for _, r := range []*http.Request{r, r.WithContext(context.Background()), r.Clone(context.Background()), &shallow} {
		all = append(all, kept{r, r.Pattern, values})
	}
	return all
}

// SetPathValue on a clone writes into the clone alone: neither into the
// request that it is of, nor into a neighbour in the same block.
func TestSetPathValueOnACopy(t *testing.T) {
	var all []kept
	router := segue.New()
	router.GET("/users/{user}/posts/{post}", func(_ http.ResponseWriter, r *http.Request) {
		user, post := r.PathValue("user"), r.PathValue("post")
		clone := r.Clone(r.Context())
		clone.SetPathValue("post", "set"+post)
		all = append(all,
			kept{r, r.Pattern, map[string]string{"user": user, "post": post}},
			kept{clone, r.Pattern, map[string]string{"user": user, "post": "set" + post}})
	})
	for i := range 300 {
		r := httptest.NewRequest("GET", fmt.Sprintf("/users/u%d/posts/p%d", i, i), nil)
		router.ServeHTTP(httptest.NewRecorder(), r)
		assert.Equal(t, fmt.Sprintf("p%d", i), r.PathValue("post"))
	}
	for _, k := range all {
		k.check(t)
	}
}

// Many goroutines serve at once and keep what they were given; each value is
// compared when all is over.
func TestKeptRequestsInParallel(t *testing.T) {
	router := segue.New()
	nothing := func(http.ResponseWriter, *http.Request) {}
	router.GET("/users/{user}", nothing)
	router.GET("/users/{user}/posts/{post}", nothing)
	router.GET("/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}", nothing)
	router.GET("/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}", nothing)

	var all [8][]kept
	var serving sync.WaitGroup
	for g := range all {
		serving.Go(func() {
			for i := range 500 {
				all[g] = append(all[g], serveAndKeep(router, g, i))
			}
		})
	}
	serving.Wait()
	for _, list := range all {
		for _, k := range list {
			k.check(t)
		}
	}
}

// serveAndKeep serves a request whose values no other one has.
func serveAndKeep(h http.Handler, g, i int) kept {
	names := [][]string{
		{"user"},
		{"user", "post"},
		{"a", "b", "c", "d", "e", "f", "g", "h"},
		{"a", "b", "c", "d", "e", "f", "g", "h", "i"},
	}[i%4]
	values := map[string]string{}
	var path strings.Builder
	for _, name := range names {
		switch name {
		case "user":
			path.WriteString("/users")
		case "post":
			path.WriteString("/posts")
		}
		values[name] = fmt.Sprintf("%s-%d-%d", name, g, i)
		path.WriteString("/" + values[name])
	}
	r := httptest.NewRequest("GET", path.String(), nil)
	h.ServeHTTP(httptest.NewRecorder(), r)
	return kept{r, r.Pattern, values}
}

// A request that is kept for hours holds on to its own memory, and not to the
// long URLs of those whose values lie in the same block.
func TestKeptRequestPinsNoOtherURL(t *testing.T) {
	const (
		keptRequests = 50
		between      = 10
		long         = 20_000
		bound        = keptRequests * long / 4 // far below one long URL for each
	)
	junk := strings.Repeat("x", long)
	for name, target := range map[string]func(i int) string{
		"long path":     func(i int) string { return fmt.Sprintf("/files/u%d/%s", i, junk) },
		"long value":    func(i int) string { return fmt.Sprintf("/users/u%d%s", i, junk) },
		"long query":    func(i int) string { return fmt.Sprintf("/users/u%d?q=%s", i, junk) },
		"encoded path":  func(i int) string { return fmt.Sprintf("/files/u%d%%2F/%s", i, junk) },
		"absolute form": func(i int) string { return fmt.Sprintf("http://h/users/u%d?q=%s", i, junk) },
	} {
		t.Run(name, func(t *testing.T) {
			router := segue.New()
			nothing := func(http.ResponseWriter, *http.Request) {}
			router.GET("/users/{user}", nothing)
			router.GET("/files/{user}/{rest...}", nothing)
			before, _ := testkit.Heap()
			all := make([]*http.Request, 0, keptRequests)
			for i := range keptRequests {
				for j := range between {
					router.ServeHTTP(httptest.NewRecorder(), parsed(t, target(i*between+j)))
				}
				r := parsed(t, "/users/kept"+strconv.Itoa(i))
				router.ServeHTTP(httptest.NewRecorder(), r)
				all = append(all, r)
			}
			after, _ := testkit.Heap()
			assert.Less(t, after-before, int64(bound), "bytes kept by %d requests", keptRequests)
			for i, r := range all {
				assert.Equal(t, "kept"+strconv.Itoa(i), r.PathValue("user"))
			}
		})
	}
}

// parsed is a request as the server makes it: path and query are parts of one
// string, so that whoever keeps a part keeps the whole.
func parsed(t *testing.T, target string) *http.Request {
	text := "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	require.NoError(t, err)
	return r
}
