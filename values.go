package segue

import (
	"math/bits"
	"net/http"
	"sync/atomic"
)

// The values of a request's parameters live as long as anybody holds the
// request or a copy of it, beyond the handler too. So their memory is never
// reused: each piece is handed out once, and nothing is given back.
//
// It is cut from small blocks by one atomic add. What others cost against that,
// each less the writing of the values (BenchmarkNewValues, one core and two):
//
//	shards by a hash of the address      1.2 to 1.3 times: cache lines change cores
//	a sync.Pool of begun blocks          1.4 to 1.6 times: Get and Put both pin the P
//	a make for each request              1.4 to 1.8 times, and it counts as an allocation
//
// Half of what is left is the fresh memory itself, a quarter the add.

const (
	// blockValues makes a block fill the allocator's class of 512 bytes. Blocks
	// of 63 values are no faster, and a request that is kept would hold on to
	// twice as much that is not its own.
	blockValues = 31

	// maxCutValues is how many values a request may have cut from a block.
	maxCutValues = 8

	// maxCutText is how long a text a block may keep alive through one value.
	maxCutText = 256
)

// valueBlock is a block; its first used values are handed out.
type valueBlock struct {
	used   atomic.Uint32
	values [blockValues]string
}

// valueShard holds the block that is cut at present, on a cache line of its own.
type valueShard struct {
	block atomic.Pointer[valueBlock]
	_     [64 - bits.UintSize/8]byte
}

// valueShards are picked by the page of the request: each P takes its requests
// from pages of its own, one after the other until a page is full. So a shard
// mostly serves one P at a time, where a hash of the whole address would send
// its cache lines from core to core. Only speed depends on it.
var valueShards [64]valueShard

const requestPage = 13 // bits of the address within one

// newValues returns n empty strings for the values of r, which nobody else has
// or will have. textLen is the length of the text that the values will be cut
// from, and keep alive as a whole: of r.RequestURI or the path, whichever is
// longer. A long one gets memory of its own, so that a request that is kept
// does not keep other requests' long texts.
func newValues(r *http.Request, n, textLen int) []string {
	if uint(n) > maxCutValues || textLen > maxCutText {
		return make([]string, n)
	}
	shard := &valueShards[addressOf(r)>>requestPage%uintptr(len(valueShards))]
	block := shard.block.Load()
	if block != nil {
		// An add that goes too far does no harm: the block is done with then, and
		// at most 8 values a goroutine that was on its way are far from 2^32.
		if end := int(block.used.Add(uint32(n))); end <= blockValues {
			return block.values[end-n : end : end]
		}
	}
	return shard.cutNew(block, n)
}

// cutNew cuts from a new block and puts it in the place of the one used up. If
// another goroutine has done so meanwhile, this block serves one request alone:
// nobody waits.
func (s *valueShard) cutNew(usedUp *valueBlock, n int) []string {
	block := new(valueBlock)
	block.used.Store(uint32(n))
	s.block.CompareAndSwap(usedUp, block)
	return block.values[:n:n]
}
