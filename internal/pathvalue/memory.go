package pathvalue

// This file provides the memory of values. It stands on sync/atomic only.
//
// Whoever holds a request or a copy of it reads its values, after the handler
// has returned too. So no memory is reused: each piece is handed out once, and
// nothing is given back.
//
// New cuts the pieces from small blocks, by one atomic add each. Other ways cost
// more. The factors are of what is left after the writing of the values
// (BenchmarkNew, one core and two):
//
//	shards by a hash of the address      1.2 to 1.3 times: cache lines change cores
//	a sync.Pool of begun blocks          1.4 to 1.6 times: Get and Put both pin the P
//	a make for each request              1.4 to 1.8 times, and it counts as an allocation
//
// Of what New costs, half is the fresh memory itself and a quarter the add.

import (
	"math/bits"
	"net/http"
	"sync/atomic"
)

const (
	// blockValues makes a block fill the allocator's class of 512 bytes, or 256
	// where a word has 32 bits. Blocks of 63 values are no faster, and a request that is kept would hold on to
	// twice as much that is not its own.
	blockValues = 31

	// maxCutValues is how many values a request may have cut from a block.
	maxCutValues = 8

	// maxCutText is how long a text a block may keep alive through one value.
	maxCutText = 256
)

// block is memory for values. The first used of them are handed out.
type block struct {
	used   atomic.Uint32
	values [blockValues]string
}

// shards hold the blocks that are cut at present, each on a cache line of its
// own. The page of the request picks the shard: each P takes its requests from
// pages of its own, one after the other until a page is full. So a shard mostly
// serves one P at a time, where a hash of the whole address would send its cache
// lines from core to core. Only speed depends on it.
var shards [64]struct {
	block atomic.Pointer[block]
	_     [64 - bits.UintSize/8]byte
}

const requestPage = 13 // bits of the address within one page

// New returns n empty strings for the values of r, which nobody else has or will
// have. pathLen is the length of the path that the values are cut from.
//
// A value keeps alive the whole text that it is cut from, and a block keeps all
// its values alive. So a request with a long text gets memory of its own.
// Otherwise a request that somebody keeps, or the last block after a server is
// closed, would keep the long texts of other requests.
//
// That text is longer than the path:
//
//   - net/http reads the request line of HTTP/1 into one string, and cuts Method,
//     RequestURI and Proto from it. Package url cuts RequestURI into scheme, user,
//     host, path and query.
//   - A path with percent-encoding is decoded into memory of its own.
//   - HTTP/2 has a string for each pseudo-header. The path shares that of
//     RequestURI only.
//   - Headers, and with them Host, have strings of their own.
//
// New cannot see a part that a middleware has replaced meanwhile, such as Method,
// nor another text that it has cut URL.Path from.
func New(r *http.Request, n, pathLen int) []string {
	textLen := max(len(r.Method)+len(r.RequestURI)+len(r.Proto), pathLen)
	if uint(n) > maxCutValues || textLen > maxCutText {
		return make([]string, n)
	}
	shard := &shards[addressOf(r)>>requestPage%uintptr(len(shards))].block
	current := shard.Load()
	if current != nil {
		// An add that goes too far does no harm: the block is done with then, and
		// at most 8 values a goroutine that was on its way are far from 2^32.
		if end := int(current.used.Add(uint32(n))); end <= blockValues {
			return current.values[end-n : end : end]
		}
	}
	// If another goroutine puts its new block in the place of the one used up,
	// this block serves one request only: nobody waits.
	fresh := new(block)
	fresh.used.Store(uint32(n))
	shard.CompareAndSwap(current, fresh)
	return fresh.values[:n:n]
}
