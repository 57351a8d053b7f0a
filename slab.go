package segue

import (
	"cmp"
	"iter"
	"strings"
)

// What a router keeps of its routes, it keeps side by side in few large pieces.
// With ten thousand routes the garbage collector would otherwise go through a
// hundred thousand small ones in each cycle, which costs requests as much as
// all of their matching. Routes are never taken back, so that nothing here has
// to be freed before the router is.

// A slab hands out values that lie side by side, and stay where they are.
type slab[T any] struct {
	chunks [][]T
	most   int // values in a chunk, unless more are asked for at once; 0 for slabChunk
}

// slabChunk is a compromise: the last chunk is half empty on average.
const slabChunk = 128

// take returns the next n values, which are zero.
func (s *slab[T]) take(n int) []T {
	last := len(s.chunks) - 1
	if last < 0 || cap(s.chunks[last])-len(s.chunks[last]) < n {
		size := 1
		if last >= 0 {
			size = min(2*cap(s.chunks[last]), cmp.Or(s.most, slabChunk))
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

// A store has the slabs of one router.
type store struct {
	entries  slab[entry] // in the order of registration
	routes   slab[route]
	patterns slab[pattern]
	segments slab[segment]
	lines    slab[*mount]
	texts    strings.Builder // the chunk that is written at present; those that are full live in what was cut from them
}

// keepRoute returns a copy of r that the store holds.
func (st *store) keepRoute(r *route) *route {
	kept := st.routes.add(*r)
	kept.pattern = st.keepPattern(r.pattern)
	return kept
}

// keepPattern returns a copy of p that the store holds. Its strings are parts of
// its text, where they stand in it.
func (st *store) keepPattern(p *pattern) *pattern {
	kept := st.patterns.add(*p)
	kept.text = st.keepText(p.text)
	path := len(p.text) - len(p.path)
	kept.path = kept.text[path:]
	kept.shown = kept.text[path-len(p.shown) : path]
	kept.method = kept.text[:len(p.method)]
	if kept.host = kept.shown; p.host != p.shown {
		kept.host = st.keepText(p.host)
	}
	kept.segs = st.segments.take(len(p.segs))
	left := kept.path
	for i, s := range p.segs {
		end := slashFrom(left, 1)
		written := left[1:end]
		left = left[end:]
		if at := strings.Index(written, s.text); at >= 0 {
			s.text = written[at : at+len(s.text)]
		} else { // encoded there
			s.text = st.keepText(s.text)
		}
		kept.segs[i] = s
	}
	return kept
}

func (st *store) keepLine(line []*mount) []*mount {
	if len(line) == 0 {
		return nil
	}
	kept := st.lines.take(len(line))
	copy(kept, line)
	return kept
}

// textChunk is the least size of a chunk of texts in a router of many routes.
const textChunk = 4096

// keepText returns a copy of s that the store holds. No other text begins at the
// same byte, as keyOf needs it.
func (st *store) keepText(s string) string {
	b := &st.texts
	if b.Cap()-b.Len() < len(s) {
		size := min(2*b.Cap(), textChunk)
		b.Reset()
		b.Grow(max(len(s), size))
	}
	from := b.Len()
	b.WriteString(s)
	return b.String()[from:]
}
