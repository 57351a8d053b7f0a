package segue

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
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
		compiled = func(root *node, source int) {
			if err := checkTrie(root, source); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

// KeyIsIdentity is for the tests outside of the package.
const KeyIsIdentity = keyIsIdentity

// checkTrie returns what is wrong with a compiled trie, nil if nothing is.
func checkTrie(root *node, source int) error {
	if err := checkLead(root); err != nil {
		return err
	}
	seen := map[*node]bool{}
	size := 0
	for todo := []*node{root}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		if err := checkNode(n); err != nil {
			return err
		}
		children := childrenOf(n)
		size += 1 + len(children)
		todo = append(todo, children...)
	}
	// Section "compile": single branches, what the budget adds, and what is
	// left wide at its edge.
	if limit := 4*source + budgetConstant; size > limit {
		return fmt.Errorf("%d nodes and child entries, more than %d for a source of %d", size, limit, source)
	}
	return nil
}

// checkLead holds what find passes at once to the steps that it spares.
func checkLead(root *node) error {
	if root.extra == nil || root.lead == nil {
		return nil
	}
	var text [8]byte
	binary.LittleEndian.PutUint64(text[:], root.lead.text)
	n := root
	for seg := range strings.SplitSeq(strings.Trim(string(text[:root.lead.size]), "/"), "/") {
		if n = n.child(seg); n == nil {
			return fmt.Errorf("the lead %q leads nowhere at %q", text, seg)
		}
	}
	if n != root.lead.node || text[0] != '/' || text[root.lead.size-1] != '/' {
		return fmt.Errorf("the lead %q leads elsewhere than its segments", text)
	}
	return nil
}

func childrenOf(n *node) []*node {
	var all []*node
	for _, s := range n.slots {
		if s.node != nil {
			all = append(all, s.node)
		}
	}
	if n.extra != nil {
		for _, s := range n.twins {
			all = append(all, s.node)
		}
	}
	if n.param != nil {
		all = append(all, n.param)
	}
	if n.extra != nil {
		if n.slash != nil {
			all = append(all, n.slash)
		}
		for _, d := range n.dots {
			if d != nil {
				all = append(all, d)
			}
		}
		all = append(all, n.wide...)
	}
	return all
}

func checkNode(n *node) error {
	if len(n.slots)&(len(n.slots)-1) != 0 {
		return fmt.Errorf("a table of %d slots", len(n.slots))
	}
	for _, s := range n.slots {
		if s.node == nil {
			if s.size >= 0 {
				return fmt.Errorf("a free slot that a segment matches")
			}
			continue
		}
		switch text := textOf(s); {
		case text == "" || text == "." || text == "..":
			return fmt.Errorf("the segment %q is in a table", text)
		case n.child(text) != s.node:
			return fmt.Errorf("the child %q is not found", text)
		}
	}
	if n.paramEnd != nil && n.paramEnd != n.param.fastEnd {
		return fmt.Errorf("two answers where a parameter ends the path")
	}
	wide := n.extra != nil && n.wide != nil
	if wide && slices.ContainsFunc(n.wide, func(o *node) bool { return o.extra != nil && o.wide != nil }) {
		return fmt.Errorf("a wide node among those that are stepped through side by side")
	}
	if wide && (len(n.slots) > 0 || n.param != nil || n.miss != slowLeaf || n.fastEnd != slowLeaf || n.fastSlash != slowLeaf) {
		return fmt.Errorf("a wide node that find could take for a compiled one")
	}
	return nil
}

// textOf is a slot's literal again.
func textOf(s slot) string {
	if s.size > 16 {
		return s.node.text
	}
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], s.first)
	if s.size >= 8 {
		binary.LittleEndian.PutUint64(b[s.size-8:], s.last)
	}
	return string(b[:s.size])
}

func serve(h http.Handler, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

// showPattern answers with the pattern and the parameters that it was matched by.
func showPattern(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, r.Pattern)
	for name, value := range Params(r) {
		fmt.Fprintf(w, " %s=%s", name, value)
	}
}

// Segments around the eight and sixteen bytes that are compared as numbers,
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
	nodes := map[string]*node{}
	var slots []slot
	for _, text := range children {
		if nodes[text] == nil {
			nodes[text] = new(node)
			slots = append(slots, newSlot(text, nodes[text]))
		}
	}
	var n node
	n.setChildren(slots)
	for _, text := range all {
		require.True(t, n.child(text) == nodes[text], "child %q of %q", text, children)
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
				if l, _ := root.find(p); l != slowLeaf {
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
					l, unchecked := root.find(path)
					require.True(t, 0 < unchecked && unchecked <= len(path), "%d in %q", unchecked, path)
					require.True(t, unchecked == len(path) || path[unchecked-1] == '/', "%d in %q", unchecked, path)
					if l == slowLeaf && strings.Contains(beside, "...") {
						continue // what a rest took may have another spelling
					}
					require.False(t, l == slowLeaf, "%q beside %q", path, beside)
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
		n := *rt.current().nowhere.root("GET")
		if passed == "" {
			assert.True(t, n.extra == nil || n.lead == nil, lead)
			continue
		}
		require.Equal(t, len(passed), n.lead.size, lead)
		rare, elsewhere := *n.extra, newLeaf()
		rare.lead.node = &node{miss: elsewhere}
		n.extra = &rare
		for path, want := range map[string]bool{
			passed + "longenough": true, passed + "12345678/9": true, passed[:len(passed)-1] + "x/longenough": false, "/X" + passed[2:] + "longenough": false,
		} {
			l, at := n.find(path)
			assert.Equal(t, want, l == elsewhere, "%s of %s", path, lead)
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

// randomNode is a node to step over, with all that can be open below it.
func randomNode(random *rand.Rand, depth int) *node {
	n := new(node)
	some := func() *leaf {
		if random.IntN(3) > 0 {
			return nil
		}
		return newLeaf()
	}
	n.fastEnd = some()
	if depth == 0 {
		return n
	}
	n.miss = some()
	var slots []slot
	for _, text := range []string{"a", "b"} {
		if random.IntN(2) == 0 {
			slots = append(slots, newSlot(text, randomNode(random, depth-1)))
		}
	}
	n.setChildren(slots)
	if random.IntN(2) == 0 {
		n.param = randomNode(random, depth-1)
	}
	if random.IntN(2) == 0 {
		n.rare().slash = randomNode(random, 0)
	}
	return n
}

// allBelow lists what matches below one node, best first, by going down and
// back: a literal before a parameter before a rest.
func allBelow(n *node, segs []string) []*leaf {
	if len(segs) == 0 {
		if n.end() == nil {
			return nil
		}
		return []*leaf{n.end()}
	}
	var all []*leaf
	if c := n.child(segs[0]); c != nil {
		all = allBelow(c, segs[1:])
	}
	if n.param != nil && segs[0] != "" {
		all = append(all, allBelow(n.param, segs[1:])...)
	}
	if n.miss != nil {
		all = append(all, n.miss)
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
		var open []*node
		for range 1 + random.IntN(4) {
			open = append(open, randomNode(random, 3))
		}
		last := newLeaf() // what the way to the list passed
		for _, segs := range paths {
			path := segments{path: "/" + strings.Join(segs, "/")}
			want := last
			for i := len(open) - 1; i >= 0; i-- {
				all := allBelow(open[i], segs)
				require.True(t, slices.Equal(all, open[i].matches(path)), path.path)
				if len(all) > 0 {
					want, found = all[0], found+1
				}
			}
			require.Same(t, want, sideBySide(open, last, path), path.path)
		}
	}
	assert.NotZero(t, found)
}

// Up to 32 alternatives are stepped over without an allocation.
func TestSideBySideOfManyAllocatesNothing(t *testing.T) {
	SkipUnlessAllocationsCount(t)
	end := newLeaf()
	var open []*node
	for range 31 {
		open = append(open, &node{param: &node{param: &node{}}})
	}
	open = append(open, &node{param: &node{param: &node{fastEnd: end}}})
	require.Same(t, end, sideBySide(open, nil, segments{path: "/x/y"}))
	assert.Zero(t, AllocsPerRun(100, func() { sideBySide(open, nil, segments{path: "/x/y"}) }))
}

// The set of design's section on the budget, and two more that copy tables
// until something stops them.
func TestBudget(t *testing.T) {
	for _, page := range []string{"page", "a-page-with-a-long-name-"} {
		rt := New()
		const n = 300
		for i := range n {
			rt.GET(fmt.Sprintf("/%s%d/edit", page, i), showPattern)
			rt.GET(fmt.Sprintf("/{user}/act%d", i), showPattern)
		}
		for i := range n {
			assert.Equal(t, fmt.Sprintf("GET /%s%d/edit", page, i), serve(rt, "GET", fmt.Sprintf("/%s%d/edit", page, i)).Body.String())
			assert.Equal(t, fmt.Sprintf("GET /{user}/act%d user=%s%d", i, page, n-1-i), serve(rt, "GET", fmt.Sprintf("/%s%d/act%d", page, n-1-i, i)).Body.String())
			assert.Equal(t, 404, serve(rt, "GET", fmt.Sprintf("/user%d/edit", i)).Code)
		}
	}
}

func TestBudgetLiteralAtEachPosition(t *testing.T) {
	const n = 24
	rt := New()
	route := func(at int) string {
		var b strings.Builder
		for i := range n {
			if i == at {
				b.WriteString("/a")
			} else {
				fmt.Fprintf(&b, "/{p%d}", i)
			}
		}
		return b.String()
	}
	for i := range n {
		rt.GET(route(i), showPattern)
	}
	rt.GET(route(-1), showPattern)
	for i := range n {
		path := strings.Repeat("/x", i) + "/a" + strings.Repeat("/y", n-1-i)
		assert.True(t, strings.HasPrefix(serve(rt, "GET", path).Body.String(), "GET "+route(i)), path)
		// A literal further left wins over all others.
		path = strings.Repeat("/x", i) + strings.Repeat("/a", n-i)
		assert.True(t, strings.HasPrefix(serve(rt, "GET", path).Body.String(), "GET "+route(i)), path)
	}
	assert.True(t, strings.HasPrefix(serve(rt, "GET", strings.Repeat("/x", n)).Body.String(), "GET "+route(-1)))
	assert.Equal(t, 404, serve(rt, "GET", strings.Repeat("/a", n-1)).Code)
}

// One step per segment: a path of n segments passes n nodes below the root and
// no more, wherever the routes could make one go back.
func TestOneStepPerSegment(t *testing.T) {
	rt := New()
	deep := strings.Repeat("/a", 12)
	rt.GET(deep+"/end", showPattern)
	rt.GET("/{x0}/{x1}/{x2}/{x3}/{x4}/{x5}/{x6}/{x7}/{x8}/{x9}/{x10}/{x11}/zzz", showPattern)
	n := rt.current().nowhere.root("GET")
	steps := 0
	for range strings.SplitSeq(deep[1:]+"/zzz", "/") {
		seg := "a"
		if steps == 12 {
			seg = "zzz"
		}
		next := n.child(seg)
		if next == nil {
			next = n.param
		}
		require.NotNil(t, next, "step %d", steps)
		n = next
		steps++
	}
	assert.Equal(t, 13, steps)
	assert.Contains(t, n.end().text, "zzz")
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
	rt.current() // gives the entries their leaves
	pr := pruneFor((*entry).inUse, "GET", false)
	top := pr.copy(rt.sources()[""])
	tight, roomy := compileWithin(0, top, pr), rt.current().nowhere.get
	var path func(prefix string, depth int)
	path = func(prefix string, depth int) {
		for _, s := range append([]string{"", "c"}, segs...) {
			p := prefix + "/" + s
			want := roomy.walk(segments{path: p})
			require.True(t, want == tight.walk(segments{path: p}), p)
			if l, _ := tight.find(p); l != slowLeaf && isClean(p) {
				require.True(t, want == l, p)
			}
			if depth > 1 {
				path(p, depth-1)
			}
		}
	}
	path("", 4)
}

// The set that a tight budget once made a node of that was in its own list.
func TestBudgetBesideACatchAll(t *testing.T) {
	for _, n := range []int{22, 200} {
		rt := New()
		rt.HandleFunc("GET /", showPattern)
		for i := range n {
			rt.HandleFunc(fmt.Sprintf("GET /page%d/edit", i), showPattern)
			rt.HandleFunc(fmt.Sprintf("GET /{user}/act%d", i), showPattern)
		}
		for i := range n {
			assert.Equal(t, fmt.Sprintf("GET /{user}/act%d user=page%d", n-1-i, i), serve(rt, "GET", fmt.Sprintf("/page%d/act%d", i, n-1-i)).Body.String())
			assert.Equal(t, "GET /", serve(rt, "GET", fmt.Sprintf("/page%d/none", i)).Body.String())
		}
	}
}

// Names that differ in the middle alone, or beyond sixteen bytes in their length
// alone, are told apart in one look as well.
func TestTablesArePerfect(t *testing.T) {
	for _, form := range []string{"organization-%05d-settings-page", "resource%d", "%d", "a-%04d-quite-long-name-with-the-number-inside-%[1]d-and-a-common-end"} {
		var n node
		var slots []slot
		for i := range 5000 {
			slots = append(slots, newSlot(fmt.Sprintf(form, i), new(node)))
		}
		n.setChildren(slots)
		assert.True(t, n.extra == nil || n.twins == nil, form)
	}
	var n node
	var slots []slot
	for i := 1; i <= 40; i++ {
		slots = append(slots, newSlot(strings.Repeat("a", i), new(node)), newSlot("a"+strings.Repeat("\x00", i), new(node)))
	}
	n.setChildren(slots)
	assert.Less(t, len(n.twins), 30, "those of up to sixteen bytes")
	for _, s := range slots {
		assert.True(t, n.child(textOf(s)) == s.node, textOf(s))
	}
}

// A literal of dots is reached where a path has it encoded, in either spelling of
// the escape, and by nothing else.
func TestDotsWrittenEncoded(t *testing.T) {
	rt := New()
	for _, path := range []string{"/%2e/x", "/%2e%2E/x", "/a/%2E", "/a/%2e.", "/{p}/y", "/.../x"} {
		rt.GET(path, showPattern)
	}
	for target, want := range map[string]string{
		"/%2E/x": "GET /%2e/x", "/%2e%2e/x": "GET /%2e%2E/x", "/.%2E/x": "GET /%2e%2E/x", "/a/%2e": "GET /a/%2E", "/a/%2E%2E": "GET /a/%2e.",
		"/.../x": "GET /.../x", "/%2e.%2E/x": "GET /.../x", "/%2e/y": "GET /{p}/y p=.", "/%2e%2e/y": "GET /{p}/y p=..", "/a/y": "GET /{p}/y p=a",
	} {
		w := serve(rt, "GET", target)
		assert.Equal(t, "200 "+want, fmt.Sprint(w.Code, " ", w.Body), target)
	}
	for _, target := range []string{"/%2e%2e%2e%2e/x", "/a/x", "/a/%2e%2e%2e", "/%2e"} {
		assert.Equal(t, 404, serve(rt, "GET", target).Code, target)
	}
	assert.Equal(t, 404, serve(New(), "GET", "/%2e").Code, "where nothing is rare")
}

// What only looks like a dot segment or a host is none, as in ServeMux.
func TestAlmostDots(t *testing.T) {
	mux, rt := http.NewServeMux(), New()
	for _, p := range []string{"/{id}", "/{rest...}", "/.%00", "/x/%2e%00", "/x/{y}", "./host", "host/x"} {
		h := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Pattern, " ", r.PathValue("id")) }
		mux.HandleFunc(p, h)
		rt.HandleFunc(p, h)
	}
	for _, target := range []string{"/.%00", "/..%00", "/.%00%00", "/..%00%00", "/%2e", "/%2e%2e", "/x/.%00", "/x/..%00", "/host", "/...", "/.a", "/x/..."} {
		want, got := serve(mux, "GET", target), serve(rt, "GET", target)
		assert.Equal(t, want.Code, got.Code, target)
		assert.Equal(t, want.Body.String(), got.Body.String(), target)
	}
}

func newLeaf() *leaf { return &leaf{origin: new(origin)} }
