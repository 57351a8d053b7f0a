package segue

import "strings"

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
