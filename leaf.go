package segue

import (
	"math/bits"
	"net/http"
	"net/url"
	"slices"
)

// A leaf is a route as a compiled table serves it.
type leaf struct {
	serve  func(http.ResponseWriter, *http.Request) // the first chain on the way, or handler
	text   string                                   // r.Pattern; its bytes are the route's identity
	names  *pathNames                               // what r.PathValue is filled with, nil if nothing
	holes  []hole                                   // where the values stand in a path
	isRest bool                                     // the last segment takes everything that follows,
	named  bool                                     // and has a name: the last hole is its
	tail   bool                                     // the last segment is a hole
	isSlow bool                                     // resolve must decide: slowLeaf, and what may decline
	direct bool                                     // neither of the two

	// accepts reports whether the route answers a path that it matches. Where
	// it does not, all is as if it were not there. nil for most routes.
	accepts func(segments) bool

	route *entry
	scope *scope
	peers *[]*leaf // all routes on the same path where there are several

	fewHoles [4]hole // the holes of most routes, beside what is read with them
}

// takes reports whether l answers a path that it matches.
func (l *leaf) takes(path segments) bool { return l.accepts == nil || l.accepts(path) }

// handler is what answers behind all chains.
func (l *leaf) handler() http.Handler {
	if l.route.route.strip {
		return stripped{l}
	}
	if f := l.route.route.files; f != nil {
		return filesAt{f, l}
	}
	return l.route.route.handler
}

// onPath lists the routes of the same path and rank, l among them.
func (l *leaf) onPath() []*leaf {
	if l.peers == nil {
		return []*leaf{l}
	}
	return slices.DeleteFunc(slices.Clone(*l.peers), func(p *leaf) bool { return p.route.alias != l.route.alias })
}

// A hole is where a parameter's value stands: in a path that is not encoded so
// many bytes behind the value before it, and in any path in this segment.
type hole struct {
	gap, segment uint32
}

// findHoles notes where a route's values stand. The literals between them have
// fixed lengths, so that a lookup need not record anything.
func (l *leaf) findHoles(segs []segment) {
	l.holes = l.fewHoles[:0]
	gap := 0
	for i, s := range segs {
		gap++
		switch {
		case s.kind == literal:
			gap += len(s.text)
		case s.text != "":
			l.holes = append(l.holes, hole{uint32(gap), uint32(i)})
			gap = 0
		}
	}
}

// plainValues cuts the values out of a path that is not encoded and matched as
// it was sent.
func (l *leaf) plainValues(path string, values []string) {
	at, last := 0, len(l.holes)-1
	for i, h := range l.holes {
		at += int(h.gap)
		if at >= len(path) {
			return // an empty rest whose slash is missing
		}
		end := len(path)
		switch {
		case i < last || !l.tail:
			end = slashFrom(path, at)
		case !l.named && path[end-1] == '/':
			end-- // the other spelling of a mount's prefix
		}
		values[i] = path[at:end]
		at = end
	}
}

// slashFrom returns where the first slash from i on is, or the path's length.
// Segments are short: to look here is faster than a call of strings.IndexByte.
func slashFrom(path string, i int) int {
	for ; i <= len(path)-8; i += 8 {
		if slash := slashes(load8(path, i)); slash != 0 {
			return i + bits.TrailingZeros64(slash)>>3
		}
	}
	for i < len(path) && path[i] != '/' {
		i++
	}
	return i
}

// decodedValues does the same for any path, segment by segment.
func (l *leaf) decodedValues(path segments, values []string) {
	i, n := 0, uint32(0)
	for i < len(l.holes) {
		if l.named && i == len(l.holes)-1 && n == l.holes[i].segment {
			values[i] = path.remainder()
			return
		}
		seg, ok := path.next()
		if !ok {
			return
		}
		if n == l.holes[i].segment {
			values[i] = seg
			i++
		}
		n++
	}
}

// segments takes a path apart, each segment decoded once.
type segments struct {
	path    string // what is left, from a slash on; "" at the end
	escaped bool
}

// next returns the next segment, false at the end of the path.
func (s *segments) next() (string, bool) {
	seg, ok := s.cut()
	return s.decode(seg), ok
}

// cut is next without the decoding.
func (s *segments) cut() (string, bool) {
	if s.path == "" {
		return "", false
	}
	end := slashFrom(s.path, 1)
	seg := s.path[1:end]
	s.path = s.path[end:]
	return seg, true
}

// remainder returns everything after the next slash.
func (s *segments) remainder() string {
	if s.path == "" {
		return ""
	}
	return s.decode(s.path[1:])
}

func (s *segments) decode(seg string) string {
	if s.escaped {
		if u, err := url.PathUnescape(seg); err == nil {
			return u
		}
	}
	return seg
}

// pathOf returns the path that a request is matched by: URL.Path, unless the
// encoded form says something that it cannot, such as a slash inside a segment.
func pathOf(u *url.URL) segments {
	if u.RawPath != "" && u.RawPath == u.EscapedPath() {
		return segments{u.RawPath, true}
	}
	return segments{u.Path, false}
}
