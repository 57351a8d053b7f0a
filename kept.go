package segue

import (
	"slices"
	"strings"
)

// A kept pattern is what a router holds of one for as long as it lives: its text,
// in ServeMux's language, and where the parts of it are. The rest is read off the
// text again where somebody needs it, which a request that is matched as it was
// sent does not: ten thousand routes are that much less to go through for the
// collector.
type kept struct {
	text      string // what r.Pattern shows
	methodEnd uint32 // in text, as
	pathAt    uint32
	verb      bool // written in Express's language: never a subtree, and TrailingSlash applies
	yields    bool // the rest's name is Static's, not the user's, and gives way to a prefix's
}

func newKept(p *pattern) kept {
	return kept{
		text: p.text, verb: p.verb, yields: p.yields,
		methodEnd: uint32(len(p.method)), pathAt: uint32(len(p.text) - len(p.path)),
	}
}

// pattern is the pattern that k was made of.
func (k *kept) pattern() *pattern {
	return &pattern{
		method: k.method(), host: k.host(), segs: k.segs(), text: k.text, path: k.path(), shown: k.shown(), verb: k.verb, yields: k.yields,
	}
}

func (k *kept) method() string { return k.text[:k.methodEnd] } // "" for any method
func (k *kept) path() string   { return k.text[k.pathAt:] }

// shown is the host as it was written, host as it is compared; "" for any host.
func (k *kept) shown() string { return strings.TrimLeft(k.text[k.methodEnd:k.pathAt], " \t") }
func (k *kept) host() string  { return canonicalHost(k.shown()) }

// depth is how many segments there are.
func (k *kept) depth() int { return strings.Count(k.path(), "/") }

// segs reads the segments off the text, in which nothing is wrong: it was parsed
// before.
func (k *kept) segs() []segment {
	ps := &parser{text: k.path(), p: &pattern{verb: k.verb}}
	segs := make([]segment, 0, k.depth())
	for from := 1; len(segs) < cap(segs); {
		to := slashFrom(ps.text, from)
		s, _ := ps.parseSegment(from, to)
		segs = append(segs, s)
		from = to + 1
	}
	return segs
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
	vias       slab[via]
	lines      slab[*mount]
	texts      strings.Builder // the chunk that is written at present; those that are full live in what was cut from them
}

func (st *store) keepRoute(r *route) *route {
	r = st.registered.add(*r)
	r.text = st.keepText(r.text)
	return r
}

func (st *store) keepEntry(e entry) *entry {
	e.id = uint32(firstLeaf + st.entries.len())
	return st.entries.add(e)
}

// keepVia keeps a way. Routes that come by the same one, one after the other, share
// the list of its mounts.
func (st *store) keepVia(v *via) *via {
	line := v.line
	if last := st.vias.last(); last != nil && slices.Equal(last.line, line) {
		line = last.line
	} else {
		line = st.lines.take(len(v.line))
		copy(line, v.line)
	}
	kept := st.vias.add(via{line, v.joined})
	if v.joined.text != "" {
		kept.joined.text = st.keepText(v.joined.text)
	}
	return kept
}

// textChunk is how large a chunk of texts becomes in a router of many routes.
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
