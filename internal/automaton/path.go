package automaton

// This file takes paths apart: Path for every path, segment by segment and
// decoded, and the arithmetic on eight bytes at a time for Find. It stands on
// nothing else of the package.

import (
	"math/bits"
	"net/url"
)

// A Path is the path of a request, from which each segment is taken and decoded
// once.
type Path struct {
	Text    string // what is left, from a slash on; "" at the end
	Escaped bool   // Text is percent-encoded
}

// Next returns the next segment, decoded. It reports false at the end.
func (p *Path) Next() (segment string, ok bool) {
	rest := p.Text
	if !p.Skip() {
		return "", false
	}
	return p.decode(rest[1 : len(rest)-len(p.Text)]), true
}

// Skip is Next without the decoding.
func (p *Path) Skip() bool {
	if p.Text == "" {
		return false
	}
	p.Text = p.Text[NextSlash(p.Text, 1):]
	return true
}

// Rest returns everything after the next slash, decoded, and "" at the end.
func (p Path) Rest() string {
	if p.Text == "" {
		return ""
	}
	return p.decode(p.Text[1:])
}

// decode returns what is wrongly encoded as it is.
func (p *Path) decode(s string) string {
	if p.Escaped {
		if decoded, err := url.PathUnescape(s); err == nil {
			return decoded
		}
	}
	return s
}

// NextSlash returns the index of the first slash in s at or after i, or len(s)
// if there is none. Segments are short, so that this is faster than a call of
// strings.IndexByte.
func NextSlash(s string, i int) int {
	for ; i <= len(s)-8; i += 8 {
		if slash := slashes(load8(s, i)); slash != 0 {
			return i + bits.TrailingZeros64(slash)>>3
		}
	}
	for i < len(s) && s[i] != '/' {
		i++
	}
	return i
}

// load8 returns eight bytes of s, the first one lowest. The compiler joins the
// loads to one.
func load8(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// slashes returns a number whose lowest set bit is the highest bit of the first
// slash among the bytes of w. It returns 0 if there is none. For "users/42" it
// finds the sixth byte, and below makes the mask that leaves "users":
//
//	w                   0x32342f7372657375
//	x                   0x1d1b005c5d4a5c5a  each byte of w xored with 0x2f, so that the slash is 0
//	slashes(w)          0x0000800000000000
//	below(slashes(w))   0x000000ffffffffff
//	both of w           0x0000007372657375
//
// Bytes after the first slash may be marked wrongly, those before it are not.
func slashes(w uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	x := w ^ '/'*ones
	return (x - ones) &^ x & highs
}

// below returns a mask of the bytes before the first slash that slashes found.
func below(slash uint64) uint64 { return (slash ^ (slash - 1)) >> 8 }

// lastBytes returns the last n bytes of tail, n < 8, the first one lowest.
func lastBytes(tail uint64, n int) uint64 {
	return tail >> (uint(56-8*n) & 63) >> 8 // in two steps, for n = 0
}

// shortTail returns the bytes of a path of less than eight, the last one highest.
func shortTail(p string) uint64 {
	var w uint64
	for i := range len(p) {
		w = w>>8 | uint64(p[i])<<56
	}
	return w
}
