package segue

import (
	"math"
	"math/bits"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A leaf is a route as a compiled table serves it. What every request reads of it
// lies within 56 bytes: with many routes they come from far, each time. See berth.
type leaf struct {
	serve func(http.ResponseWriter, *http.Request) // the first chain on the way, or handler
	text  string                                   // r.Pattern; its bytes are the route's identity
	names *pathNames                               // what r.PathValue is filled with, nil if nothing
	*origin

	isRest bool      // the last segment takes everything that follows,
	named  bool      // and has a name: the last value is its
	tail   bool      // the last segment is a value
	isSlow bool      // resolve must decide: slowLeaf, and what may decline
	direct bool      // neither of the two
	count  uint8     // of the values; 0 where gaps has no room for them: see origin
	gaps   [4]uint16 // where the values stand in a path that is not encoded: so many bytes behind the one before
}

// An origin is what some requests alone need to know of a leaf.
type origin struct {
	route *entry
	scope *scope
	peers *[]*leaf // all routes on the same path where there are several

	// accepts reports whether the route answers a path that it matches. Where
	// it does not, all is as if it were not there. nil for most routes.
	accepts func(segments) bool

	allGaps []uint16 // in place of the leaf's; none where one is too long even for that
	beside  *node    // of the leaf's berth, until the compiler takes it
}

// paramNames lists the route's parameters. The list is not the caller's.
func (l *leaf) paramNames() []string {
	if l.names != nil {
		return l.names.list
	}
	return l.route.names()
}

// A berth is a leaf and a node that leads to it, side by side: in 128 bytes, which
// the processor fetches together. Where the collector hardly ran, that took a third
// off what a request costs beyond net/http's own work with ten thousand routes.
type berth struct {
	node node
	leaf leaf
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

// findGaps notes where a route's values stand. The literals between them have
// fixed lengths, so that a lookup need not record anything.
func (l *leaf) findGaps(segs []segment) {
	var gaps []uint16
	gap, longest := 0, 0
	for _, s := range segs {
		gap++
		switch {
		case s.kind == literal:
			gap += len(s.text)
		case s.text != "":
			gaps = append(gaps, uint16(gap))
			gap, longest = 0, max(gap, longest)
		}
	}
	switch {
	case longest > math.MaxUint16:
		return // decodedValues looks where they are
	case len(gaps) > len(l.gaps):
		l.allGaps = gaps
	default:
		l.count = uint8(copy(l.gaps[:], gaps))
	}
}

// values is how many values a leaf with names has.
func (l *leaf) values() int {
	if l.count != 0 {
		return int(l.count)
	}
	return len(l.names.list)
}

// plainValues cuts the values, as many as the route has, out of a path that is
// not encoded and matched as it was sent.
func (l *leaf) plainValues(path string, values []string) {
	gaps := l.gaps[:]
	if l.count == 0 {
		if gaps = l.allGaps; gaps == nil {
			l.decodedValues(segments{path, false}, values)
			return
		}
	}
	at, last := 0, len(values)-1
	for i, gap := range gaps[:len(values)] {
		at += int(gap)
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

// decodedValues does the same for any path, in one walk over the pattern's text
// and the path.
func (l *leaf) decodedValues(path segments, values []string) {
	i := 0
	for left := l.route.path(); left != "" && i < len(values); {
		end := slashFrom(left, 1)
		text := left[1:end]
		left = left[end:]
		switch {
		case !isWildcard(text):
			path.cut()
		case strings.HasSuffix(text, "...}"):
			values[i] = path.remainder()
			return
		default:
			values[i], _ = path.next()
			i++
		}
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
