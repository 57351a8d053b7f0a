package segue

import (
	"net/url"
	"strings"
)

// A kept pattern is what a router holds of one for as long as it lives: its text,
// in ServeMux's language, and where the parts of it are. The segments are read off
// the text where somebody needs them, which no request does that finds its route:
// ten thousand routes are that much less to go through for the collector.
type kept struct {
	text      string // what r.Pattern shows
	host      string // as compared: lower case, no final dot; "" for any host
	methodEnd uint32 // in text, as
	pathAt    uint32
	depth     uint32 // how many segments there are
	verb      bool   // written in Express's language: never a subtree, and TrailingSlash applies
	yields    bool   // the rest's name is Static's, not the user's, and gives way to a prefix's
}

func newKept(p *pattern) kept {
	return kept{
		text: p.text, host: p.host, verb: p.verb, yields: p.yields,
		methodEnd: uint32(len(p.method)), pathAt: uint32(len(p.text) - len(p.path)), depth: uint32(len(p.segs)),
	}
}

// pattern is the pattern that k was made of.
func (k *kept) pattern() *pattern {
	return &pattern{
		method: k.method(), host: k.host, segs: k.segs(), text: k.text, path: k.path(), shown: k.shown(), verb: k.verb, yields: k.yields,
	}
}

func (k *kept) method() string { return k.text[:k.methodEnd] } // "" for any method
func (k *kept) path() string   { return k.text[k.pathAt:] }

// shown is the host as it was written.
func (k *kept) shown() string { return strings.TrimLeft(k.text[k.methodEnd:k.pathAt], " \t") }

// segs reads the segments off the text.
func (k *kept) segs() []segment {
	segs := make([]segment, 0, k.depth)
	for left := k.path(); left != ""; {
		end := slashFrom(left, 1)
		segs = append(segs, k.segment(left[1:end], end == len(left)))
		left = left[end:]
	}
	return segs
}

func (k *kept) segment(text string, last bool) segment {
	switch name, isWildcard := strings.CutPrefix(text, "{"); {
	case text == "{$}", text == "" && last && k.verb:
		return segment{}
	case text == "" && last:
		return segment{kind: rest}
	case isWildcard && strings.HasSuffix(text, "...}"):
		return segment{rest, strings.TrimSuffix(name, "...}")}
	case isWildcard:
		return segment{parameter, strings.TrimSuffix(name, "}")}
	}
	return segment{literal, decodedLiteral(text)}
}

// decodedLiteral is a literal as paths are compared with it. As in ServeMux, what
// is no encoding stands for itself.
func decodedLiteral(text string) string {
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	return text
}

// names lists the named wildcards in the order in which they stand.
func (k *kept) names() []string {
	if strings.IndexByte(k.text, '{') < 0 {
		return nil
	}
	return namesOf(k.segs())
}

// A store has what a router keeps of its routes.
type store struct {
	entries    slab[entry] // in the order of registration
	registered slab[route]
	joined     slab[kept] // patterns that a mount's prefix was joined to
	lines      slab[*mount]
	texts      strings.Builder // the chunk that is written at present; those that are full live in what was cut from them
}

func (st *store) keepRoute(r *route) *route {
	r = st.registered.add(*r)
	r.text = st.keepText(r.text)
	return r
}

func (st *store) keepJoined(k *kept) *kept {
	k = st.joined.add(*k)
	k.text = st.keepText(k.text)
	return k
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
