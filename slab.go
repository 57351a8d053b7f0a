package segue

import (
	"iter"
	"reflect"
)

// What a router keeps of its routes lies side by side, a few values in each piece
// of memory. With ten thousand routes the garbage collector would otherwise go
// through a hundred thousand pieces in each of its cycles, which cost requests
// more than all of their matching. Routes are never taken back, so that nothing
// here has to be freed before the router is.

// A slab hands out values that lie side by side, and stay where they are.
type slab[T any] struct {
	chunks [][]T
}

// slabChunk is how many bytes a chunk has, unless more is asked for at once. Up to
// so many Go 1.26's collector goes through objects a page at a time, which took
// three quarters of the time that it took for chunks of a hundred values; and
// larger ones have a header in front, which moves all off the cache lines.
const slabChunk = 512

// take returns the next n values, which are zero.
func (s *slab[T]) take(n int) []T {
	last := len(s.chunks) - 1
	if last < 0 || cap(s.chunks[last])-len(s.chunks[last]) < n {
		size := 1
		if last >= 0 {
			size = min(2*cap(s.chunks[last]), max(1, slabChunk/int(reflect.TypeFor[T]().Size())))
		}
		s.chunks = append(s.chunks, make([]T, 0, max(n, size)))
		last++
	}
	from := len(s.chunks[last])
	s.chunks[last] = s.chunks[last][:from+n]
	return s.chunks[last][from : from+n : from+n]
}

func (s *slab[T]) add(v T) *T {
	p := &s.take(1)[0]
	*p = v
	return p
}

// all yields all values, in the order in which they were handed out.
func (s *slab[T]) all() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, c := range s.chunks {
			for i := range c {
				if !yield(&c[i]) {
					return
				}
			}
		}
	}
}

func (s *slab[T]) len() (n int) {
	for _, c := range s.chunks {
		n += len(c)
	}
	return n
}
