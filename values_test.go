package segue

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNewValues(t *testing.T) {
	r := bareRequest("/")
	for n := range 20 {
		for _, textLen := range []int{0, maxCutText, maxCutText + 1} {
			values := newValues(r, n, textLen)
			assert.Len(t, values, n)
			assert.Equal(t, n, cap(values), "append must not reach the next request's")
			for i := range values {
				assert.Empty(t, values[i])
				values[i] = "used"
			}
		}
	}
}

// A long text's values share no block with others.
func TestNewValuesOfLongTextLieAlone(t *testing.T) {
	r := bareRequest("/")
	got := AllocsPerRun(100, func() { valuesSink = newValues(r, 1, maxCutText+1) })
	if !raceEnabled {
		assert.Equal(t, 1.0, got)
	}
}

var valuesSink []string

// Many goroutines take values of few shards, keep all of them, and find what
// they wrote. The race detector sees two that overlap even where no value is
// lost.
func TestNewValuesConcurrently(t *testing.T) {
	const goroutines, rounds = 64, 500
	requests := []*http.Request{bareRequest("/"), bareRequest("/")}
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			kept := make([][]string, rounds)
			for i := range kept {
				kept[i] = newValues(requests[g%2], 1+(g+i)%10, 10)
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

// BenchmarkNewValues decided where values come from: the rows are the ways that
// were tried. "requests=kept" takes turns among 64 requests for each goroutine,
// "requests=new" allocates each, as a server does.
//
//	go test -run '^$' -bench NewValues -cpu 1,2 -benchtime 50ms -count 6
func BenchmarkNewValues(b *testing.B) {
	ways := []struct {
		name string
		take func(r *http.Request, n int) []string
	}{
		{"reuse", reusedValues}, // the writing alone, and the fault that all this is about
		{"segue", func(r *http.Request, n int) []string { return newValues(r, n, 20) }},
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
	block atomic.Pointer[valueBlock]
	_     [56]byte
}

func hashedValues(r *http.Request, n int) []string {
	shard := &hashedShards[uint64(addressOf(r))*0x9e3779b97f4a7c15>>58]
	block := shard.block.Load()
	if block != nil {
		if end := int(block.used.Add(uint32(n))); end <= blockValues {
			return block.values[end-n : end : end]
		}
	}
	fresh := new(valueBlock)
	fresh.used.Store(uint32(n))
	shard.block.CompareAndSwap(block, fresh)
	return fresh.values[:n:n]
}
