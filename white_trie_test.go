package segue

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every trie that any test compiles is checked, so that a broken one is found
// where it is made and not where it first answers wrongly.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		compiled = func(t *trie, source int) {
			if err := checkTrie(t, source); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

// checkTrie returns what is wrong with a compiled trie, nil if nothing is.
func checkTrie(t *trie, source int) error {
	if err := checkLead(t); err != nil {
		return err
	}
	size := 0
	var fault error
	t.eachNode(func(n *node) {
		size += 1 + len(t.appendChildren(nil, n))
		if err := checkNode(t, n); err != nil {
			fault = err
		}
	})
	// Section "compile": single branches, what the budget adds, and what is
	// left wide at its edge.
	if limit := 4*source + budgetConstant; size > limit {
		return fmt.Errorf("%d nodes and child entries, more than %d for a source of %d", size, limit, source)
	}
	return fault
}

// checkLead holds what find passes at once to the steps that it spares.
func checkLead(t *trie) error {
	if t.lead == noLead {
		return nil
	}
	var text [8]byte
	binary.LittleEndian.PutUint64(text[:], t.lead.text)
	n := t.root
	for seg := range strings.SplitSeq(strings.Trim(string(text[:t.lead.size]), "/"), "/") {
		if n = t.child(n, seg); n == 0 {
			return fmt.Errorf("the lead %q leads nowhere at %q", text, seg)
		}
	}
	if n != t.lead.node || text[0] != '/' || text[t.lead.size-1] != '/' {
		return fmt.Errorf("the lead %q leads elsewhere than its segments", text)
	}
	return nil
}

func checkNode(t *trie, n *node) error {
	if size := n.mask + 1; size&n.mask != 0 || n.slots == 0 && size != 1 {
		return fmt.Errorf("a table of %d slots", size)
	}
	for c := n.slots; c != 0 && c <= n.slots+n.mask; c++ {
		if t.nodes[c].size < 0 {
			continue
		}
		switch text := t.literalOf(c); {
		case text == "" || text == "." || text == "..":
			return fmt.Errorf("the segment %q is in a table", text)
		case t.literal(n, text) != c:
			return fmt.Errorf("the child %q is not found", text)
		}
	}
	want := n.miss
	if n.param >= ended {
		want = t.leaves[n.param&^ended].hit
	} else if n.param != 0 {
		want = t.nodes[n.param].fastEnd
	}
	if n.paramEnd != want {
		return fmt.Errorf("two answers where a parameter ends the path")
	}
	x := t.extra(n)
	for _, o := range t.wideAt(n) {
		if t.wideAt(&t.nodes[o]) != nil {
			return fmt.Errorf("a wide node among those that are stepped through side by side")
		}
	}
	if x.wide.n != 0 && (n.slots != 0 || n.param != 0 || n.miss != slowHit || n.fastEnd != slowHit || x.fastSlash != slowHit) {
		return fmt.Errorf("a wide node that find could take for a compiled one")
	}
	return nil
}

// literalOf is the literal that leads to a node.
func (t *trie) literalOf(n uint32) string {
	c := &t.nodes[n]
	if c.size > shortLiteral {
		return t.texts[c.text:][:c.size]
	}
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], c.first)
	binary.LittleEndian.PutUint64(b[8:], c.last) // the length included, which the cut leaves out
	return string(b[:c.size])
}

// frozen is the trie of a draft, without leaves.
func frozen(d *draft) *trie { return freeze(d, nil, ownLeaves(0)) }

// draftAt is whether a segment leads from the root to what was this draft.
func (t *trie) leadsToDraft(seg string, d *draft) bool {
	c := t.child(t.root, seg)
	return c == 0 && d == nil || c != 0 && d != nil && t.nodes[c].state == d.state
}

// found is find, as a leaf.
func (t *trie) found(path string) (l *leaf, unchecked int) {
	h, unchecked := t.find(path)
	return t.leaf(h.id), unchecked
}

func (l *leaf) slow() bool { return l != nil && l.id == slowLeaf }

// Segments around the eight and fifteen bytes that are compared as numbers,
// different in one byte each, in tables of many sizes.
func TestTablesTellSegmentsApart(t *testing.T) {
	var words []string
	for size := 1; size <= 40; size++ {
		base := strings.Repeat("x", size)
		words = append(words, base)
		for _, at := range []int{0, size / 2, size - 1} {
			for _, c := range []string{"y", "\x00", "\xff", "z"} {
				words = append(words, base[:at]+c+base[at+1:])
			}
		}
	}
	for _, step := range []int{1, 2, 3, 7, 50, len(words)} {
		for from := 0; from < len(words); from += step {
			checkTable(t, words, words[from:min(from+step, len(words))])
		}
	}
}

func checkTable(t *testing.T, all, children []string) {
	drafts := map[string]*draft{}
	var slots []slot
	for _, text := range children {
		if drafts[text] == nil {
			drafts[text] = new(draft)
			slots = append(slots, newSlot(text, drafts[text]))
		}
	}
	var d draft
	d.setChildren(slots)
	table := frozen(&d)
	for _, text := range all {
		require.True(t, table.leadsToDraft(text, drafts[text]), "child %q of %q", text, children)
	}
}

// find and walk are two readers of one trie; the first decides most requests.
func TestFindAgreesWithWalk(t *testing.T) {
	patterns := []string{
		"/", "/{$}", "/a", "/a/", "/a/{x}", "/a/{x}/", "/{x}/b", "/{x}/{y}/c", "/abcdefgh/{x}", "/abcdefghi/{x}/d",
		"/abcdefghijklmnopqrs", "/abcdefghijklmnopqrt", "/a/b/{rest...}", "/a/b/c/d", "/%2e%2e/x", "/files/{p...}",
	}
	rt := New()
	for _, p := range patterns {
		rt.HandleFunc(p, showPattern)
	}
	root := rt.current().nowhere.root("GET")
	segs := []string{"", "a", "b", "c", "abcdefgh", "abcdefghi", "abcdefghijklmnopqrs", "abcdefghijklmnopqrt", "files", "x"}
	var path func(prefix string, depth int)
	compared := 0
	path = func(prefix string, depth int) {
		for _, s := range segs {
			p := prefix + "/" + s
			if isClean(p) {
				compared++
				if l, _ := root.found(p); !l.slow() {
					require.True(t, l == root.walk(segments{path: p}), p)
				}
			}
			if depth > 1 {
				path(p, depth-1)
			}
		}
	}
	path("", 4)
	t.Logf("%d paths", compared)
}

// find takes a path apart eight bytes at a time, and what stands before a segment
// and behind it moves it among them: literals of each length, beside a parameter
// and alone, at each place. Where no other spelling counts it leaves nothing to
// resolve.
func TestFindReadsSegmentsOfEveryLength(t *testing.T) {
	word := func(n int) string { return strings.Repeat("literal/", 6)[:n] }
	escape := func(n int) string { return strings.ReplaceAll(word(n), "/", "_") }
	for _, beside := range []string{"", "/{p}", "/{p}/end", "/{p...}", "/x/{p}"} {
		for _, twins := range []bool{false, true} {
			rt := New()
			rt.TrailingSlash(SlashExact)
			for n := 1; n < 40; n += 3 {
				rt.GET("/"+escape(n), showPattern)
				rt.GET("/x/"+escape(n)+"/end", showPattern)
				rt.GET("/x/"+escape(n)+"/{q}/"+escape(n), showPattern)
				if twins {
					rt.GET("/"+escape(n)+"%00", showPattern)
				}
			}
			if beside != "" {
				rt.GET(beside, showPattern)
			}
			root := rt.current().nowhere.root("GET")
			for n := range 45 {
				last := escape(n)
				for _, path := range []string{
					last, last + "\x00", last + "/", last + "/end", "x/" + last, "x/" + last + "/end", "x/" + last + "/end/", last + "/" + last,
					"x/" + last + "/v/" + last, "x/" + last + "/" + last + "/" + last, "x/literal/" + last + "/literal", "." + last, last + ".", last + "\xaf0.",
				} {
					if path = "/" + path; !isClean(path) {
						continue
					}
					l, unchecked := root.found(path)
					require.True(t, 0 < unchecked && unchecked <= len(path), "%d in %q", unchecked, path)
					require.True(t, unchecked == len(path) || path[unchecked-1] == '/', "%d in %q", unchecked, path)
					if l.slow() && strings.Contains(beside, "...") {
						continue // what a rest took may have another spelling
					}
					require.False(t, l.slow(), "%q beside %q", path, beside)
					require.True(t, l == root.walk(segments{path: path}), "%q beside %q", path, beside)
				}
			}
		}
	}
}

// A lead is passed in one look: what stands between the root and its end is not
// asked. It takes as many whole segments as fit eight bytes, slashes included.
func TestFindPassesTheLead(t *testing.T) {
	for lead, passed := range map[string]string{
		"/api": "/api/", "/api/v1": "/api/v1/", "/people": "/people/", "/a/b/c": "/a/b/c/", "/a/b/c/d": "/a/b/c/", "/ab/longer": "/ab/", "/1": "/1/",
		"/sevenby": "", "/eight/by": "/eight/",
	} {
		rt := New()
		rt.GET(lead+"/{x}/end", showPattern)
		rt.GET(lead+"/y", showPattern)
		routes := *rt.current().nowhere.root("GET")
		require.Equal(t, len(passed), routes.lead.size, lead)
		if passed == "" {
			assert.Equal(t, noLead, routes.lead, lead)
			continue
		}
		elsewhere := hit{id: 1 << 20}
		routes.nodes = append(slices.Clone(routes.nodes), node{miss: elsewhere})
		routes.lead.node = uint32(len(routes.nodes) - 1)
		for path, want := range map[string]bool{
			passed + "longenough/more": true, passed + "12345678/9": true, passed[:len(passed)-1] + "x/longenough": false, "/X" + passed[2:] + "longenough": false,
		} {
			h, at := routes.find(path)
			assert.Equal(t, want, *h == elsewhere, "%s of %s", path, lead)
			if want {
				assert.Equal(t, len(passed), at, path)
			}
		}
	}
}

// The arithmetic of find on words, held to bytes: every slash is found among
// bytes that differ from it by one or by one bit.
func TestWordsAreReadAsBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	bytes := []byte{'/', '/', '/' - 1, '/' + 1, '/' | 0x80, '/' ^ 1, 0, 1, 0x80, 0xff, 'a'}
	for range 2000 {
		text := make([]byte, 8)
		for i := range text {
			text[i] = bytes[random.IntN(len(bytes))]
		}
		w := binary.LittleEndian.Uint64(text)
		require.Equal(t, w, load8("x"+string(text)+"x", 1))
		slash := slashes(w)
		at := strings.IndexByte(string(text), '/')
		if at < 0 {
			require.Zero(t, slash, "%q", text)
		} else {
			require.Equal(t, at, bits.TrailingZeros64(slash)>>3, "%q", text)
			first, _ := segmentKey(string(text[:at]))
			require.Equal(t, first, w&below(slash), "%q", text)
		}
		for n := range 8 {
			low := [8]byte{}
			copy(low[:], text[8-n:])
			require.Equal(t, binary.LittleEndian.Uint64(low[:]), lastBytes(w, n), "%d of %q", n, text)
			high := [8]byte{}
			copy(high[8-n:], text[:n])
			require.Equal(t, binary.LittleEndian.Uint64(high[:]), shortTail(string(text[:n])), "%q", text[:n])
		}
	}
}

// Few literal children are held in a slice, since a map for each branch would be
// most of a trie; many are in a map, so that they are found at once.
func TestFewTwigsHaveNoMap(t *testing.T) {
	for n := range 3 * fewTwigs {
		var root branch
		for i := range n {
			root.grow(segment{text: strconv.Itoa(i)})
			require.Same(t, root.child(segment{text: strconv.Itoa(i)}), root.grow(segment{text: strconv.Itoa(i)}), "there is one already")
		}
		found := map[string]*branch{}
		root.literals(func(text string, to *branch) {
			assert.Nil(t, found[text], "each once")
			found[text] = to
			assert.Same(t, to, root.child(segment{text: text}))
		})
		assert.Len(t, found, n)
		assert.Nil(t, root.child(segment{text: "none"}))
		if n == 0 {
			assert.Nil(t, root.twigs)
		} else if n <= fewTwigs {
			assert.Nil(t, root.twigs.many, n)
		} else {
			assert.Nil(t, root.twigs.few, n)
		}
	}
}

// randomDraft is one to step over, with all that can be open below it. It takes
// its leaves from those left.
func randomDraft(random *rand.Rand, depth int, left *[]leaf) *draft {
	d := new(draft)
	some := func() *leaf {
		if random.IntN(3) > 0 {
			return nil
		}
		l := &(*left)[0]
		*left = (*left)[1:]
		return l
	}
	d.end = some()
	if depth == 0 {
		return d
	}
	d.miss = some()
	var slots []slot
	for _, text := range []string{"a", "b"} {
		if random.IntN(2) == 0 {
			slots = append(slots, newSlot(text, randomDraft(random, depth-1, left)))
		}
	}
	d.setChildren(slots)
	if random.IntN(2) == 0 {
		d.param = randomDraft(random, depth-1, left)
	}
	if random.IntN(2) == 0 {
		d.slash = randomDraft(random, 0, left)
	}
	return d
}

// allBelow lists what matches below one node, best first, by going down and
// back: a literal before a parameter before a rest.
func (t *trie) allBelow(n uint32, segs []string) []*leaf {
	if len(segs) == 0 {
		if t.endAt(n) == noLeaf {
			return nil
		}
		return []*leaf{t.leaf(t.endAt(n))}
	}
	if n >= ended {
		return nil
	}
	at := &t.nodes[n]
	var all []*leaf
	if c := t.child(n, segs[0]); c != 0 {
		all = t.allBelow(c, segs[1:])
	}
	if at.param != 0 && segs[0] != "" {
		all = append(all, t.allBelow(at.param, segs[1:])...)
	}
	if at.miss.id != noLeaf {
		all = append(all, t.leaf(at.miss.id))
	}
	return all
}

// Stepping over several nodes at once finds what going down each of them finds,
// in the same order, and so does the list of all that match.
func TestSideBySideIsOneAfterTheOther(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var paths [][]string
	for _, a := range []string{"a", "b", "c", ""} {
		paths = append(paths, []string{a})
		for _, b := range []string{"a", "b", "c", ""} {
			paths = append(paths, []string{a, b})
			for _, c := range []string{"a", "c", ""} {
				paths = append(paths, []string{a, b, c}, []string{a, b, c, "a"})
			}
		}
	}
	found := 0
	for range 60 {
		leaves := numbered(1000)
		left := leaves[firstLeaf:]
		list := new(draft)
		for range 1 + random.IntN(4) {
			list.wide = append(list.wide, randomDraft(random, 3, &left))
		}
		list.wideMiss = &left[0] // what the way to the list passed
		steps := freeze(list, nil, leaves)
		open := steps.wideAt(&steps.nodes[steps.root])
		for _, segs := range paths {
			path := segments{path: "/" + strings.Join(segs, "/")}
			want := list.wideMiss
			for i := len(open) - 1; i >= 0; i-- {
				all := steps.allBelow(open[i], segs)
				require.True(t, slices.Equal(all, steps.matches(open[i], path)), path.path)
				if len(all) > 0 {
					want, found = all[0], found+1
				}
			}
			require.Same(t, want, steps.walk(path), path.path)
		}
	}
	assert.NotZero(t, found)
}

// Up to 32 alternatives are stepped over without an allocation.
func TestSideBySideOfManyAllocatesNothing(t *testing.T) {
	SkipUnlessAllocationsCount(t)
	leaves := numbered(1)
	end := &leaves[firstLeaf]
	list := new(draft)
	for range 31 {
		list.wide = append(list.wide, &draft{param: &draft{param: &draft{}}})
	}
	list.wide = append(list.wide, &draft{param: &draft{param: &draft{end: end}}})
	steps := freeze(list, nil, leaves)
	require.Same(t, end, steps.walk(segments{path: "/x/y"}))
	assert.Zero(t, AllocsPerRun(100, func() { steps.walk(segments{path: "/x/y"}) }))
}

// One step per segment: a path of n segments passes n nodes below the root and
// no more, wherever the routes could make one go back.
func TestOneStepPerSegment(t *testing.T) {
	rt := New()
	deep := strings.Repeat("/a", 12)
	rt.GET(deep+"/end", showPattern)
	rt.GET("/{x0}/{x1}/{x2}/{x3}/{x4}/{x5}/{x6}/{x7}/{x8}/{x9}/{x10}/{x11}/zzz", showPattern)
	routes := rt.current().nowhere.root("GET")
	n, steps := routes.root, 0
	for range strings.SplitSeq(deep[1:]+"/zzz", "/") {
		seg := "a"
		if steps == 12 {
			seg = "zzz"
		}
		next := routes.child(n, seg)
		if next == 0 {
			next = routes.nodes[n].param
		}
		require.NotZero(t, next, "step %d", steps)
		n = next
		steps++
	}
	assert.Equal(t, 13, steps)
	assert.Contains(t, routes.leaf(routes.endAt(n)).text(), "zzz")
}

// Whatever the budget, the answers are the same: random sets, with and without
// room for merged nodes, and every path that could tell the two apart.
func TestBudgetNeverChangesTheAnswer(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	segs := []string{"a", "b", "a-literal-of-more-than-sixteen-bytes", "{x}", "{x}"}
	sets := 400
	if testing.Short() {
		sets = 100
	}
	for range sets {
		rt := New()
		for range 2 + random.IntN(12) {
			path := ""
			for i := range 1 + random.IntN(5) {
				path += "/" + strings.Replace(segs[random.IntN(len(segs))], "x", fmt.Sprintf("x%d", i), 1)
			}
			path += []string{"", "", "/", "/{$}", "/{rest...}"}[random.IntN(5)]
			register(rt, path)
		}
		comparePaths(t, rt, segs[:3])
	}
}

// register leaves out what is there already.
func register(rt *Router, path string) {
	defer func() { _ = recover() }()
	rt.HandleFunc("GET "+path, showPattern)
}

func comparePaths(t *testing.T, rt *Router, segs []string) {
	t.Helper()
	tab := rt.current()
	pr := pruneFor(tab.leaves, tab.inUse, "GET", false)
	top := pr.copy(rt.sources()[""])
	tight, roomy := compileWithin(0, top, pr), tab.nowhere.get
	var path func(prefix string, depth int)
	path = func(prefix string, depth int) {
		for _, s := range append([]string{"", "c"}, segs...) {
			p := prefix + "/" + s
			want := roomy.walk(segments{path: p})
			require.True(t, want == tight.walk(segments{path: p}), p)
			if l, _ := tight.found(p); !l.slow() && isClean(p) {
				require.True(t, want == l, p)
			}
			if depth > 1 {
				path(p, depth-1)
			}
		}
	}
	path("", 4)
}

// Names that differ in the middle alone, or beyond fifteen bytes in their length
// alone, are told apart in one look as well.
func TestTablesArePerfect(t *testing.T) {
	for _, form := range []string{"organization-%05d-settings-page", "resource%d", "%d", "a-%04d-quite-long-name-with-the-number-inside-%[1]d-and-a-common-end"} {
		var d draft
		var slots []slot
		for i := range 5000 {
			slots = append(slots, newSlot(fmt.Sprintf(form, i), new(draft)))
		}
		d.setChildren(slots)
		assert.Nil(t, d.twins, form)
	}
	var d draft
	var slots []slot
	for i := 1; i <= 40; i++ {
		slots = append(slots, newSlot(strings.Repeat("a", i), new(draft)), newSlot("a"+strings.Repeat("\x00", i), new(draft)))
	}
	all := slices.Clone(slots)
	d.setChildren(slots)
	assert.Nil(t, d.twins)
	table := frozen(&d)
	for _, s := range all {
		assert.True(t, table.leadsToDraft(s.text, s.to), s.text)
	}
}

// numbered are so many leaves, behind those that every trie has.
func numbered(n int) []leaf {
	leaves := ownLeaves(n)
	for i := range leaves {
		leaves[i].id, leaves[i].origin = uint32(i), new(origin)
	}
	return leaves
}

// explosive are sets of paths whose compiled form would be large: a literal beside
// a parameter at many places, and tables that would be copied under each literal.
func explosive() (sets [][]string) {
	params := func(n int) string { return strings.Repeat("/{}", n) }
	for _, n := range []int{10, 14} {
		powers := []string{}
		for i := range n {
			powers = append(powers, params(i)+"/a"+params(n-1-i)+fmt.Sprint("/end", i))
		}
		sets = append(sets, powers)
	}
	for _, n := range []int{60, 200} {
		square := []string{}
		for i := range n {
			square = append(square, fmt.Sprintf("/page%d/edit", i), fmt.Sprintf("/{}/act%d", i))
		}
		sets = append(sets, square)
	}
	for _, n := range []int{12, 40} {
		diagonal := []string{}
		for i := range n {
			diagonal = append(diagonal, strings.Repeat("/a", i)+params(n-i)+fmt.Sprint("/e", i))
		}
		sets = append(sets, diagonal)
	}
	return sets
}

// The branches that a step of Explain names are those of the compiled trie: one
// node where it is compiled, as many as are open where it is side by side.
func TestExplainFollowsTheCompiledTrie(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	wide := 0
	for _, paths := range explosive() {
		rt := New()
		for _, path := range paths {
			for i := range strings.Count(path, "{}") {
				path = strings.Replace(path, "{}", fmt.Sprintf("{p%d}", i), 1)
			}
			rt.GET(path, showPattern)
		}
		root := rt.current().nowhere.root("GET")
		leaves := leavesOf(root)
		for range 40 {
			segs, other := strings.Split(paths[random.IntN(len(paths))], "/"), strings.Split(paths[random.IntN(len(paths))], "/")
			for i := range min(len(segs), len(other)) {
				if random.IntN(2) == 0 {
					segs[i] = other[i]
				}
			}
			mixed := segments{path: strings.ReplaceAll(strings.Join(segs, "/"), "{}", []string{"a", "v", "page1"}[random.IntN(3)])}
			open, at := leaves, stepper{trie: root, open: []uint32{root.root}}
			for n := 0; mixed.path != "" && len(at.open) > 0; n++ {
				seg, _ := mixed.next()
				open = stillOpen(open, n, seg)
				at.step(seg)
				names := branches(open, n+1)
				if !at.wide {
					assert.Equal(t, len(names) > 0, len(at.open) == 1, names)
					continue
				}
				wide++
				assert.Len(t, at.open, len(names))
			}
		}
	}
	assert.NotZero(t, wide)
}
