package segue

import (
	"cmp"
	"math"
	"math/bits"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A hit is as much of a leaf as a request needs that is matched as it was sent. A
// node holds those that it leads to, so that they come with it, and here too there
// is no pointer: see trie.
type hit struct {
	id    uint32    // the leaf's number in its table
	group uint32    // the number of its names
	gaps  [4]uint16 // where the values stand in a path that is not encoded: so many bytes behind the one before
	count uint8     // of the values that r.PathValue is filled with; 0 where gaps has no room for them: see origin
	flags flags
}

type flags uint8

const (
	isRest   flags = 1 << iota // the last segment takes everything that follows,
	isNamed                    // and has a name: the last value is its
	isTail                     // the last segment is a value
	isSlow                     // resolve must decide: slowLeaf, and what may decline
	isDirect                   // neither a rest nor slow
	hasNames                   // r.PathValue is filled
)

// A leaf is a route as a compiled table serves it.
type leaf struct {
	hit
	peer uint32 // the next of those on the same path, after the last one the first; 0 where it is alone
	*origin
}

// text is r.Pattern. Its bytes are the route's identity.
func (l *leaf) text() string {
	if l.ownText != "" {
		return l.ownText
	}
	return l.table.served[l.id].text
}

// entry is the route in the place where the table has it.
func (l *leaf) entry() *entry {
	if l.ownEntry != nil {
		return l.ownEntry
	}
	return l.table.entries.at(int(l.id) - firstLeaf)
}

func (l *leaf) kept() *kept { return l.entry().kept() }

// toHit is what nodes hold of l. That of nil is the hit of noLeaf.
func (l *leaf) toHit() hit {
	if l == nil {
		return hit{}
	}
	return l.hit
}

// An origin is what many leaves have in common.
type origin struct {
	number uint32
	names  *pathNames // what r.PathValue is filled with, nil if nothing
	scope  *scope
	table  *table

	// What follows is of leaves that share their origin with no other.
	ownText  string // in place of the table's; of an owner, its prefix
	ownEntry *entry // likewise

	// accepts reports whether the route answers a path that it matches. Where
	// it does not, all is as if it were not there. nil for most routes.
	accepts func(segments) bool

	allGaps []uint16 // in place of the leaf's; none where one is too long even for that
}

// paramNames lists the route's parameters. The list is not the caller's.
func (l *leaf) paramNames() []string {
	if l.names != nil {
		return l.names.list
	}
	return l.kept().names()
}

// takes reports whether l answers a path that it matches.
func (l *leaf) takes(path segments) bool { return l.accepts == nil || l.accepts(path) }

// handler is what answers behind all chains.
func (l *leaf) handler() http.Handler {
	if l.entry().route.strip {
		return stripped{l}
	}
	if f := l.entry().route.files; f != nil {
		return filesAt{f, l}
	}
	return l.entry().route.handler
}

// allPeers lists the routes of the same path, l among them, in the order in which
// they were registered.
func (l *leaf) allPeers() []*leaf {
	all := []*leaf{l}
	for id := l.peer; id != l.id && id != noLeaf; id = l.table.leaves[id].peer {
		all = append(all, &l.table.leaves[id])
	}
	slices.SortFunc(all, func(a, b *leaf) int { return cmp.Compare(a.id, b.id) })
	return all
}

// onPath lists those of its rank.
func (l *leaf) onPath() []*leaf {
	return slices.DeleteFunc(l.allPeers(), func(p *leaf) bool { return p.entry().alias != l.entry().alias })
}

func flagsOf(segs []segment) flags {
	var f flags
	last := segs[len(segs)-1]
	if last.kind == rest {
		f |= isRest
	}
	if last.text != "" && last.kind == rest {
		f |= isNamed
	}
	if last.text != "" && last.kind != literal {
		f |= isTail
	}
	return f
}

// setGaps notes where a route's values stand. The literals between them have
// fixed lengths, so that a lookup need not record anything.
func (l *leaf) setGaps(segs []segment) {
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
		l.ownOrigin().allGaps = gaps
	default:
		l.count = uint8(copy(l.gaps[:], gaps))
	}
}

// ownOrigin gives l an origin that it shares with no other leaf.
func (l *leaf) ownOrigin() *origin {
	own := *l.origin
	l.origin = &own
	return l.origin
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
	switch {
	case l.count != 0:
		l.cutValues(path, l.gaps[:], values)
	case l.allGaps != nil:
		l.cutValues(path, l.allGaps, values)
	default:
		l.decodedValues(segments{path, false}, values)
	}
}

func (h *hit) cutValues(path string, gaps []uint16, values []string) {
	at, last := 0, len(values)-1
	for i, gap := range gaps[:len(values)] {
		at += int(gap)
		if at >= len(path) {
			return // an empty rest whose slash is missing
		}
		end := len(path)
		switch {
		case i < last || h.flags&isTail == 0:
			end = slashFrom(path, at)
		case h.flags&isNamed == 0 && path[end-1] == '/':
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
	for left := l.kept().path(); left != "" && i < len(values); {
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
