package pathvalue

// These tests are of the memory of values: nobody else has it or will have it,
// and it keeps nothing long alive.

import (
	"bufio"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNew(t *testing.T) {
	r := bareRequest("/")
	for n := range 20 {
		for _, pathLen := range []int{0, maxCutText, maxCutText + 1} {
			values := New(r, n, pathLen)
			assert.Len(t, values, n)
			assert.Equal(t, n, cap(values), "append must not reach the next request's")
			for i := range values {
				assert.Empty(t, values[i])
				values[i] = "used"
			}
		}
	}
}

// leastAllocs is the least of a few counts: whatever else the process does
// meanwhile counts as well.
func leastAllocs(f func()) float64 {
	least := math.Inf(1)
	for range 5 {
		least = min(least, testing.AllocsPerRun(10, f))
	}
	return least
}

// Values of a long text share no block with others, whichever part of the
// request line is long.
func TestNewOfLongTextLiesAlone(t *testing.T) {
	long := strings.Repeat("X", maxCutText+1)
	for name, row := range map[string]struct {
		r       http.Request
		pathLen int
		alone   bool
	}{
		"all short":    {http.Request{Method: "GET", RequestURI: "/users/7", Proto: "HTTP/1.1"}, 8, false},
		"path":         {http.Request{}, len(long), true},
		"request URI":  {http.Request{RequestURI: long}, 8, true},
		"method":       {http.Request{Method: long}, 8, true},
		"protocol":     {http.Request{Proto: long}, 8, true},
		"all together": {http.Request{Method: long[:100], RequestURI: long[:100], Proto: long[:100]}, 100, true},
		"up to it":     {http.Request{Method: long[:100], RequestURI: long[:156]}, 156, false},
	} {
		got := leastAllocs(func() {
			for range blockValues {
				valuesSink = New(&row.r, 1, row.pathLen)
			}
		})
		assert.Equal(t, map[bool]float64{true: blockValues, false: 1}[row.alone], got, name)
	}
}

var valuesSink []string

// A request that is kept holds on to its own memory, and not to the long texts
// of those that were served between.
func TestKeptValuesPinNoOtherText(t *testing.T) {
	const requests, between, long = 50, 10, 20_000
	junk := strings.Repeat("X", long)
	for name, line := range map[string]string{
		"method":        junk + " /users/7 HTTP/1.1",
		"path":          "GET /users/7/" + junk + " HTTP/1.1",
		"query":         "GET /users/7?" + junk + " HTTP/1.1",
		"encoded path":  "GET /users/7%2F" + junk + " HTTP/1.1",
		"absolute host": "GET http://" + junk + "/users/7 HTTP/1.1",
		"user":          "GET http://" + junk + "@h/users/7 HTTP/1.1",
		"scheme":        "GET " + junk + "://h/users/7 HTTP/1.1",
		"connect":       "CONNECT " + junk + "/users/7 HTTP/1.1",
		"host header":   "GET /users/7 HTTP/1.1\r\nHost: " + junk,
		"header":        "GET /users/7 HTTP/1.1\r\nX: " + junk,
		"header name":   "GET /users/7 HTTP/1.1\r\n" + junk + ": x",
	} {
		before := heapInUse()
		kept := make([][]string, 0, requests)
		for range requests {
			for range between {
				valuesOfLine(t, line)
			}
			kept = append(kept, valuesOfLine(t, "GET /users/kept HTTP/1.1"))
		}
		assert.Less(t, heapInUse()-before, int64(requests*long/4), name)
		runtime.KeepAlive(kept)
	}
}

// valuesOfLine reads a request and cuts its values as a router does.
func valuesOfLine(t *testing.T, line string) []string {
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(line + "\r\n\r\n")))
	require.NoError(t, err)
	path := r.URL.Path
	values := New(r, 1, len(path))
	values[0] = path[strings.LastIndexByte(path, '/')+1:][:1]
	return values
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Many goroutines take values of few shards, keep all of them, and find what
// they wrote. The race detector sees two that overlap even where no value is
// lost.
func TestNewConcurrently(t *testing.T) {
	const goroutines, rounds = 64, 500
	requests := []*http.Request{bareRequest("/"), bareRequest("/")}
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			kept := make([][]string, rounds)
			for i := range kept {
				kept[i] = New(requests[g%2], 1+(g+i)%10, 10)
				for k := range kept[i] {
					if kept[i][k] != "" {
						t.Errorf("not fresh: %q", kept[i][k])
					}
					kept[i][k] = fmt.Sprint(g, i, k)
				}
			}
			for i := range kept {
				for k, got := range kept[i] {
					if want := fmt.Sprint(g, i, k); got != want {
						t.Errorf("got %q, want %q", got, want)
					}
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkNew decided where values come from: the rows are the ways that
// were tried. "requests=kept" takes turns among 64 requests for each goroutine,
// "requests=new" allocates each, as a server does.
//
//	go test -run '^$' -bench New -cpu 1,2 -benchtime 50ms -count 6
func BenchmarkNew(b *testing.B) {
	ways := []struct {
		name string
		take func(r *http.Request, n int) []string
	}{
		{"reuse", reusedValues}, // the writing alone, and the fault that all this is about
		{"segue", func(r *http.Request, n int) []string { return New(r, n, 20) }},
		{"hash", hashedValues},
		{"pool", pooledValues},
		{"make", func(_ *http.Request, n int) []string { return make([]string, n) }},
	}
	for _, fresh := range []bool{false, true} {
		for _, way := range ways {
			if fresh && way.name == "reuse" {
				continue
			}
			b.Run(fmt.Sprintf("requests=%s/way=%s", map[bool]string{false: "kept", true: "new"}[fresh], way.name), func(b *testing.B) {
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) { takeValues(pb, fresh, way.take) })
			})
		}
	}
}

func takeValues(pb *testing.PB, fresh bool, take func(r *http.Request, n int) []string) {
	const path = "/repos/segue-go/segue/issues"
	counts := [...]int{1, 2, 2, 1, 3, 1, 2, 2} // 1.75, about the GitHub set's
	requests := make([]*http.Request, 64)
	for i := range requests {
		requests[i] = new(http.Request)
	}
	for i := 0; pb.Next(); i++ {
		r := requests[i%len(requests)]
		if fresh {
			r = new(http.Request)
			requests[i%len(requests)] = r
		}
		values := take(r, counts[i%len(counts)])
		for k := range values {
			values[k] = path[k : k+8]
		}
		r.TransferEncoding = values
	}
}

// The ways that lost.

func reusedValues(r *http.Request, n int) []string {
	if r.TransferEncoding == nil {
		r.TransferEncoding = make([]string, 3)
	}
	return r.TransferEncoding[:n]
}

type begunBlock struct {
	used   int
	values [blockValues]string
}

var begunBlocks sync.Pool

func pooledValues(_ *http.Request, n int) []string {
	block, _ := begunBlocks.Get().(*begunBlock)
	if block == nil || block.used+n > len(block.values) {
		block = new(begunBlock)
	}
	values := block.values[block.used : block.used+n : block.used+n]
	block.used += n
	begunBlocks.Put(block)
	return values
}

var hashedShards [64]struct {
	block atomic.Pointer[block]
	_     [56]byte
}

func hashedValues(r *http.Request, n int) []string {
	shard := &hashedShards[uint64(addressOf(r))*0x9e3779b97f4a7c15>>58]
	current := shard.block.Load()
	if current != nil {
		if end := int(current.used.Add(uint32(n))); end <= blockValues {
			return current.values[end-n : end : end]
		}
	}
	fresh := new(block)
	fresh.used.Store(uint32(n))
	shard.block.CompareAndSwap(current, fresh)
	return fresh.values[:n:n]
}
