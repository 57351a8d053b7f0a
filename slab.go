package segue

import (
	"iter"
	"reflect"
	"slices"
)

// What a router keeps of its routes lies side by side, a few values in each piece
// of memory. With ten thousand routes the garbage collector would otherwise go
// through a hundred thousand pieces in each of its cycles, which cost requests
// more than all of their matching. Routes are never taken back, so that nothing
// here has to be freed before the router is.

// A slab hands out values that lie side by side, and stay where they are.
type slab[T any] struct {
	chunks [][]T
	n      int
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
			size = min(2*cap(s.chunks[last]), fullChunk[T]())
		}
		s.chunks = append(s.chunks, make([]T, 0, max(n, size)))
		last++
	}
	s.n += n
	from := len(s.chunks[last])
	s.chunks[last] = s.chunks[last][:from+n]
	return s.chunks[last][from : from+n : from+n]
}

func (s *slab[T]) add(v T) *T {
	p := &s.take(1)[0]
	*p = v
	return p
}

// last returns the value that was handed out last, nil if there was none.
func (s *slab[T]) last() *T {
	if len(s.chunks) == 0 {
		return nil
	}
	c := s.chunks[len(s.chunks)-1]
	return &c[len(c)-1]
}

// at returns the value of a number, in a slab whose values were all taken one by
// one: then all chunks but the first few, and the last, are as large as can be.
func (s *slab[T]) at(i int) *T {
	for k := range s.chunks {
		c := s.chunks[k]
		if i < len(c) {
			return &c[i]
		}
		if cap(c) == fullChunk[T]() {
			return &s.chunks[k+i/cap(c)][i%cap(c)]
		}
		i -= len(c)
	}
	return nil
}

// snapshot is a slab of the values that there are, for those who read it while
// others are added.
func (s *slab[T]) snapshot() slab[T] { return slab[T]{slices.Clone(s.chunks), s.n} }

// fullChunk is how many values a chunk has of a slab of many.
func fullChunk[T any]() int { return max(1, slabChunk/int(reflect.TypeFor[T]().Size())) }

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

func (s *slab[T]) len() int { return s.n }
