// Package automaton is a compiled trie of path segments. It answers a path with
// a number, in one step for each segment, and knows nothing of what the numbers
// stand for.
//
// Build makes an Automaton from a graph of States: a state says where each
// segment leads, and which answer it has where the path ends. For the paths
// /users/{id} and /users/new that is
//
//	root --users--> S --new--> ends with answer 3
//	                S --any other segment--> ends with answer 2
//
// # The key of a segment
//
// The literals that lead on from a state are a hash table. A segment is looked up
// as two numbers, so that a comparison of texts is a comparison of numbers. They
// hold up to fifteen bytes, the first one lowest, and the length in the highest
// byte of the second number:
//
//	segment         first                last
//	users           0x0000007372657375   0x0500000000000000
//	notifications   0x6163696669746f6e   0x0d0000736e6f6974
//
// Find makes them with two loads of eight bytes each. For a longer segment, the first
// number is a hash of the text, and the last is 0xff and the length. The text is then
// compared too.
//
// # The hash
//
// The hash of a key is the product of its numbers, each xored with seeds, and the
// halves of the product folded. With the seeds 0x0123456789abcdef of the table and
// 0x9e3779b97f4a7c15 of the automaton:
//
//	users           0x01234514fbcebe9a * 0x9a143cdef6e1b1fa = 0x00af4e9546fdc332_ba9c56015b089c64
//	                0x00af4e9546fdc332 ^ 0xba9c56015b089c64 = 0xba3318941df55f56
//	notifications   0x8278a491f9d9e2ca likewise
//
// In a table of eight slots these are in the slots 6 and 2, the lowest three bits.
// Build tries seeds until each literal of the table has a slot of its own, so that
// a lookup compares with one slot only. If there are many literals, it adds
// displacements: the high half of the hash chooses one, which is xored with the low
// half. Seeds are random, so that nobody can choose names that are slow to build or
// to find.
//
// # Nondeterministic states
//
// A caller that cannot afford a state for each list of possibilities gives a
// state Alternatives. Find leaves such paths to Match, which steps through all
// alternatives side by side.
package automaton

// This file holds the automaton and how it answers. It stands on path.go, which
// reads paths, and on hash.go, which finds the slot of a segment.

import (
	"math/bits"
	"slices"
)

// Answers below First are the package's. A caller's are below 1<<30.
const (
	None      = 0 // no answer
	Undecided = 1 // Find cannot tell; Match can
	First     = 2 // the least number that a caller may give an answer
)

// An Automaton answers paths. It never changes, so that any number of goroutines
// may use it at once. Its nodes refer to each other by number: they hold no
// pointer, and the garbage collector passes them over, however many there are.
type Automaton struct {
	// What every Find reads lies together: each of many hosts has an automaton of
	// its own, and not all of them stay in the processor's caches.
	nodes []node // nowhere, root, and all others
	seed  uint64 // of the hash, with that of each table

	// The common prefix, such as /api/v1/, and the node to which it leads.
	prefix, prefixMask     uint64
	prefixSize, prefixNode uint32

	longSeeds     [2]uint64
	displacements []uint16 // of the tables that have some
	extras        []extra  // of few nodes; 0 is that of all others
	alternatives  []uint32 // of all nondeterministic nodes
	texts         string   // the literals of more than maxShort bytes

	states, entries int
}

// A node is one state, together with the literal that leads to it. Where several
// literals lead to one state, each has a copy. A node fills one cache line, so
// that a step costs one access to memory. This is why it also holds the answers
// of paths that end one segment later.
type node struct {
	first, last   uint64 // the literal's key
	seed          uint64 // of the table, with that of the automaton
	slots, mask   uint32 // the table is the mask+1 nodes from slots on; 0 and 0 for none
	displacements uint32 // where those of the table begin; 0 for none
	param         uint32 // the number of the state where any other segment leads
	end           uint32 // the answer where the path ends here,
	paramEnd      uint32 // where it ends one such segment later,
	slashEnd      uint32 // where it ends one slash later,
	miss          uint32 // and where the next segment leads nowhere
	extra         uint32 // with flags
	text          uint32 // where in texts a long literal is
}

// What a number of a state says besides that of its node.
const (
	nowhere  = 0
	root     = 1
	terminal = 1 << 31          // a path can only end there, with the answer that the other bits say
	done     = terminal | 1<<30 // a path may end there or go on, with that answer
)

// Flags in a node's extra.
const (
	hasLong          = 1 << 31 // the table has literals of more than maxShort bytes
	nondeterministic = 1 << 30

	extraFlags = hasLong | nondeterministic
)

// An extra is what few states have.
type extra struct {
	rare     [3]uint32 // the states where "", "." and ".." lead, by length
	end      uint32    // the answer where the path ends here, if Find does not decide
	from, to uint32    // the alternatives
}

// isRare reports whether a literal is in an extra and not in a table.
func isRare(text string) bool { return text == "" || text == "." || text == ".." }

// isDots reports whether a key is that of "." or "..".
func isDots(first uint64, size int) bool {
	return first == '.' && size == 1 || first == '.'|'.'<<8 && size == 2
}

// Find returns the answer for a path that begins with a slash and is not
// percent-encoded, and the index from which it did not look at the path. What it
// looked at holds no dot segment and no empty one. It returns Undecided where only
// Match can tell, and None on a miss. It allocates nothing.
//
// Two things make it fast besides the hash. The common prefix of all paths, such
// as /api/v1/, is passed in one comparison: that saves half of a lookup. The last
// eight bytes of the path are loaded once, and segments too near the end for a
// load of their own are shifted out of them: that saves a tenth to a third.
//
//nolint:funlen // one loop of 63 lines, whose variables stay in registers
func (a *Automaton) Find(path string) (answer uint32, at int) {
	i, n := 1, &a.nodes[root]
	var tail, first uint64 // tail is the last eight bytes, the last one highest
	if len(path) < 8 {
		tail = shortTail(path)
	} else if tail = load8(path, len(path)-8); load8(path, 0)&a.prefixMask == a.prefix {
		i, n = int(a.prefixSize), &a.nodes[a.prefixNode]
	}
	for uint(i) <= uint(len(path)) { // unsigned, so that the compiler sees i within the path
		last, size := uint64(0), len(path)-i
		if i <= len(path)-8 {
			first = load8(path, i)
		} else {
			first = lastBytes(tail, size)
		}
		if slash := slashes(first); slash != 0 {
			size, first = bits.TrailingZeros64(slash)>>3, first&below(slash)
		} else if left := size - 8; left >= 0 {
			if i <= len(path)-16 {
				last = load8(path, i+8)
			} else {
				last = lastBytes(tail, left)
			}
			if slash := slashes(last); slash != 0 {
				size, last = 8+bits.TrailingZeros64(slash)>>3, last&below(slash)
			} else if left >= 8 {
				size = NextSlash(path, i+16) - i
				if n.extra >= hasLong {
					if c := a.literal(n, path[i:i+size]); c != nowhere {
						n = &a.nodes[c]
						goto step
					}
				}
				goto other
			}
		}
		last |= uint64(size) << 56
		if n.slots != 0 {
			if c := &a.nodes[a.slot(n, first, last)]; (c.first^first)|(c.last^last) == 0 {
				n = c
				goto step
			}
		}
	other:
		switch {
		case size <= 2 && (size == 0 || isDots(first, size)): // one comparison for most segments
			if size == 0 && i == len(path) {
				return n.slashEnd, i
			}
			return n.miss, i
		case i+size == len(path):
			return n.paramEnd, len(path)
		case n.param-1 >= terminal-1:
			if n.param != nowhere {
				return None, i
			}
			return n.miss, i
		}
		n = &a.nodes[n.param]
	step:
		i += size + 1
	}
	return n.end, len(path)
}

// literal returns the node where the literals of n's table lead a segment.
func (a *Automaton) literal(n *node, segment string) uint32 {
	if n.slots == 0 {
		return nowhere
	}
	var first, last uint64
	if len(segment) > maxShort {
		first, last = longHash(a.longSeeds, segment), longKey|uint64(len(segment))
	} else {
		first, last = shortKey(segment)
	}
	at := a.slot(n, first, last)
	c := &a.nodes[at]
	if c.first != first || c.last != last || len(segment) > maxShort && a.texts[c.text:][:len(segment)] != segment {
		return nowhere
	}
	return at
}

// child is literal for all segments.
func (a *Automaton) child(n *node, segment string) uint32 {
	if isRare(segment) {
		return a.extras[n.extra&^extraFlags].rare[len(segment)]
	}
	return a.literal(n, segment)
}

// endAt returns the answer where the path ends at a state.
func (a *Automaton) endAt(at uint32) uint32 {
	if at >= terminal {
		return at &^ done
	}
	n := &a.nodes[at]
	if x := n.extra &^ extraFlags; x != 0 {
		return a.extras[x].end
	}
	return n.end
}

// Match appends the answer for any path: encoded or not, clean or not. A path
// that reaches a nondeterministic state has all answers that are found from there
// on appended, best first. A miss has none. Match does not allocate for a path
// that is not encoded, as long as found has room and at most 32 states are open
// at once.
func (a *Automaton) Match(path Path, found []uint32) []uint32 {
	at, _ := a.follow(&path)
	var x, y [32]uint32
	open, next := a.enter(x[:0], at), y[:0]
	for path.Text != "" && countOpen(open) > 0 {
		segment, _ := path.Next()
		open, next = a.step(next[:0], open, segment), open
	}
	for _, at := range open {
		if answer := a.endAt(at); answer != None {
			found = append(found, answer)
		}
	}
	return found
}

// Open returns how many states Match looks each segment up in: one, or from a
// nondeterministic state on as many as are stepped through side by side. It ends
// before the segment for which no state is left.
func (a *Automaton) Open(path Path) []int {
	at, steps := a.follow(&path)
	counts := slices.Repeat([]int{1}, steps)
	open := a.enter(nil, at)
	for path.Text != "" && countOpen(open) > 0 {
		counts = append(counts, countOpen(open))
		segment, _ := path.Next()
		open = a.step(nil, open, segment)
	}
	return counts
}

// Size returns the number of states, and of the entries by which they lead to
// each other: literals, parameters and alternatives.
func (a *Automaton) Size() (states, entries int) { return a.states, a.entries }

// follow takes segments off a path and returns where they lead, at most as far
// as the first state that is nondeterministic, and their number.
func (a *Automaton) follow(path *Path) (at uint32, steps int) {
	at = root
	for at < terminal && a.nodes[at].extra&nondeterministic == 0 {
		segment, ok := path.Next()
		if !ok {
			break
		}
		n := &a.nodes[at]
		steps++
		if at = a.child(n, segment); at == nowhere && segment != "" {
			at = n.param
		}
		if at == nowhere {
			at = done | n.miss
		}
	}
	return at, steps
}

// step appends where a segment leads from the states that are open side by side.
func (a *Automaton) step(next, open []uint32, segment string) []uint32 {
	for _, at := range open {
		switch {
		case at >= done:
			next = append(next, at)
			continue
		case at >= terminal:
			continue
		}
		n := &a.nodes[at]
		if c := a.child(n, segment); c != nowhere {
			next = a.enter(next, c)
		}
		if segment != "" && n.param != nowhere {
			next = a.enter(next, n.param)
		}
		if n.miss != None {
			next = append(next, done|n.miss)
		}
	}
	return next
}

// enter appends a state, or its alternatives.
func (a *Automaton) enter(open []uint32, at uint32) []uint32 {
	if at < terminal && a.nodes[at].extra&nondeterministic != 0 {
		x := &a.extras[a.nodes[at].extra&^extraFlags]
		return append(open, a.alternatives[x.from:x.to]...)
	}
	return append(open, at)
}

// countOpen returns how many states may still lead on.
func countOpen(open []uint32) int {
	n := 0
	for _, at := range open {
		if at < done {
			n++
		}
	}
	return n
}
