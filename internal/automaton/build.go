package automaton

// This file makes the nodes of an Automaton from a graph of States. It stands on
// hash.go, which finds the slots of each table.

import (
	"math/rand/v2"
	"strings"
)

// A State is one state of an automaton to be built. Several literals and
// parameters, of several states, may lead to one State.
type State struct {
	Literals []Literal // distinct, in any order
	Param    *State    // where any other segment leads that is not empty; nil for nowhere
	End      uint32    // the answer where the path ends here
	Rest     uint32    // the answer where the next segment leads nowhere, such as that of a rest

	// Find returns Undecided where the path ends here, and where it ends here
	// with one more slash.
	EndUndecided, SlashUndecided bool

	// Alternatives make the state nondeterministic: they are stepped through
	// side by side, best first, and all the fields above are ignored. Each may
	// have Alternatives itself.
	Alternatives []*State
	// Done is for an alternative that stands for a rest which was taken already:
	// End is its answer, whatever follows.
	Done bool

	index int // in builder.placed
}

// A Literal is a segment that leads from one state to another.
type Literal struct {
	Text string // decoded; it may be "", "." or "..", and may hold slashes
	To   *State
}

// Build returns the automaton that begins at root. It marks the states, so that a
// State is for one Build at a time; the automaton does not refer to them. It
// panics if a state has two equal literals.
func Build(root *State) *Automaton { return build(root, rand.Uint64, longHash) }

// build takes its seeds from draw, and the hashes of long literals from hashLong,
// which is longHash except in tests.
func build(root *State, draw func() uint64, hashLong func([2]uint64, string) uint64) *Automaton {
	b := &builder{draw: draw, hashLong: hashLong, textAt: map[string]uint32{}}
	b.reach(root, true)
	for i := 0; i < len(b.placed); i++ {
		b.reachFrom(b.placed[i].State)
	}
	for tries := 1; !b.place(); tries++ {
		if tries == 100 { // with random seeds only equal literals always collide
			panic("automaton: a state has two equal literals")
		}
	}
	b.extras = make([]extra, 1)
	for i := range b.placed {
		b.finish(&b.placed[i])
	}
	b.nodes = make([]node, b.size)
	for i := range b.nodes {
		b.nodes[i].last = freeKey
	}
	for i := range b.placed {
		b.fill(&b.placed[i])
	}
	b.texts = strings.Clone(b.text.String())
	b.setPrefix()
	b.states = len(b.placed)
	a := b.Automaton // without what the builder holds
	return &a
}

// A builder makes one automaton.
type builder struct {
	Automaton
	draw     func() uint64
	hashLong func([2]uint64, string) uint64
	placed   []placed // the states that can be reached, the nearer to the root the earlier
	size     uint32   // the number of nodes
	used     []bool   // the slots that are taken, for perfect
	text     strings.Builder
	textAt   map[string]uint32 // where in it a text is
}

// A placed is a state with its place among the nodes.
type placed struct {
	*State
	own   bool        // it needs a node that is in no table,
	at    uint32      // which is this
	keys  [][2]uint64 // of the literals in the table,
	slots []uint32    // and where they are in it
	node  node        // what all nodes of the state have in common
}

// reach lists a state. With own it gets a node of its own, since something else
// leads to it than a literal in a table.
func (b *builder) reach(s *State, own bool) {
	if s.index >= len(b.placed) || b.placed[s.index].State != s {
		s.index = len(b.placed)
		b.placed = append(b.placed, placed{State: s})
	}
	b.placed[s.index].own = b.placed[s.index].own || own
}

// reachFrom lists the states to which s leads.
func (b *builder) reachFrom(s *State) {
	var others []*State // which no table leads to
	if s.Alternatives != nil {
		others = s.flatten(nil)
	} else if s.Param != nil {
		others = append(others, s.Param)
	}
	for _, l := range s.literals() {
		if isRare(l.Text) {
			others = append(others, l.To)
		} else {
			b.reach(l.To, false)
			b.entries++
		}
	}
	for _, to := range others {
		if !to.isTerminal() && !to.Done {
			b.reach(to, true)
		}
	}
	b.entries += len(others)
}

// literals returns the literals of s, which a nondeterministic state does not have.
func (s *State) literals() []Literal {
	if s.Alternatives != nil {
		return nil
	}
	return s.Literals
}

// flatten appends the alternatives of a nondeterministic state, or s itself.
func (s *State) flatten(all []*State) []*State {
	if s.Alternatives == nil {
		return append(all, s)
	}
	for _, alternative := range s.Alternatives {
		all = alternative.flatten(all)
	}
	return all
}

// isTerminal reports whether a path that leads to s can only end there. Many
// parameters are like that: nodes for them would take a quarter of the memory of
// an ordinary automaton.
func (s *State) isTerminal() bool {
	return len(s.Literals) == 0 && s.Param == nil && s.Rest == None && s.Alternatives == nil && !s.EndUndecided && !s.SlashUndecided && !s.Done
}

// number returns the number that stands for a state: that of its node, or the
// answer where that is all.
func (b *builder) number(s *State) uint32 {
	switch {
	case s.Done:
		return done | s.End
	case s.isTerminal():
		return terminal | s.End
	}
	return b.placed[s.index].at
}

// place gives each state its nodes. It reports false if two literals of a state
// collide under the seeds that it draws.
func (b *builder) place() bool {
	b.seed, b.longSeeds = b.draw(), [2]uint64{b.draw(), b.draw()}
	b.displacements, b.size = make([]uint16, 1), nowhere+1
	for i := range b.placed {
		p := &b.placed[i]
		p.node, p.keys = node{last: freeKey}, p.keys[:0]
		if p.own {
			p.at = b.size
			b.size++
		}
		for _, l := range p.literals() {
			if !isRare(l.Text) {
				p.keys = append(p.keys, b.key(l.Text))
			}
		}
		if len(p.keys) == 0 {
			continue
		}
		if p.slots = b.perfect(&p.node, p.keys); p.slots == nil {
			return false
		}
		p.node.slots = b.size
		b.size += p.node.mask + 1
	}
	return true
}

// key returns the key of a literal.
func (b *builder) key(text string) [2]uint64 {
	if len(text) > maxShort {
		return [2]uint64{b.hashLong(b.longSeeds, text), longKey | uint64(len(text))}
	}
	first, last := shortKey(text)
	return [2]uint64{first, last}
}

// finish sets what a state's nodes have in common.
func (b *builder) finish(p *placed) {
	n, x := &p.node, extra{end: p.End, from: uint32(len(b.alternatives))}
	n.end, n.paramEnd, n.slashEnd, n.miss = p.findEnd(), p.Rest, p.Rest, p.Rest
	needed := p.EndUndecided || p.Alternatives != nil
	switch {
	case p.Alternatives != nil:
		n.paramEnd, n.slashEnd, n.miss = Undecided, Undecided, Undecided
		n.extra = nondeterministic
		for _, s := range p.flatten(nil) {
			b.alternatives = append(b.alternatives, b.number(s))
		}
	case p.Param != nil:
		n.param, n.paramEnd = b.number(p.Param), p.Param.findEnd()
	}
	for _, l := range p.literals() {
		if isRare(l.Text) {
			x.rare[len(l.Text)], needed = b.number(l.To), true
		} else if len(l.Text) > maxShort {
			n.extra |= hasLong
		}
		if l.Text == "" {
			n.slashEnd = l.To.End
			if l.To.Alternatives != nil {
				n.slashEnd = Undecided
			}
		}
	}
	if p.SlashUndecided {
		n.slashEnd = Undecided
	}
	if needed {
		x.to = uint32(len(b.alternatives))
		n.extra |= uint32(len(b.extras))
		b.extras = append(b.extras, x)
	}
}

// findEnd is what Find answers where the path ends at s.
func (s *State) findEnd() uint32 {
	if s.EndUndecided || s.Alternatives != nil {
		return Undecided
	}
	return s.End
}

// fill writes the state's own node, and its table.
func (b *builder) fill(p *placed) {
	if p.own {
		b.nodes[p.at] = p.node
	}
	i := 0
	for _, l := range p.literals() {
		if isRare(l.Text) {
			continue
		}
		n := &b.nodes[p.node.slots+p.slots[i]]
		*n = b.placed[l.To.index].node
		n.first, n.last = p.keys[i][0], p.keys[i][1]
		if len(l.Text) > maxShort {
			n.text = b.addText(l.Text)
		}
		i++
	}
}

// addText returns where a text is, which is in texts once.
func (b *builder) addText(text string) uint32 {
	at, ok := b.textAt[text]
	if !ok {
		at = uint32(b.text.Len())
		b.textAt[text] = at
		b.text.WriteString(text)
	}
	return at
}

// setPrefix sets the common prefix: the segments that all paths which lead on
// from the root begin with, as far as they fit eight bytes. A literal that holds
// a slash ends it, since Find never sees one.
func (b *builder) setPrefix() {
	b.prefix, b.prefixSize, b.prefixNode = '/', 1, root
	for {
		n := &b.nodes[b.prefixNode]
		if n.slots == 0 || n.mask != 0 || n.param != nowhere {
			break
		}
		c := &b.nodes[n.slots]
		size := uint32(c.last >> 56)
		if b.prefixSize+size > 7 || slashes(c.first) != 0 {
			break
		}
		b.prefix |= (c.first | '/'<<(8*size)) << (8 * b.prefixSize)
		b.prefixSize += size + 1
		b.prefixNode = n.slots
	}
	b.prefixMask = 1<<(8*b.prefixSize) - 1
}
