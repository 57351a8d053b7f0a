package segue

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomSource is a source trie of routes that share segments, with parameters
// and rests beside literals.
func randomSource(random *rand.Rand, routes int) *branch {
	var root branch
	for i := range routes {
		var segs []segment
		for range 1 + random.IntN(4) {
			segs = append(segs, []segment{{text: "a"}, {text: "b"}, {text: "a-literal-of-more-than-sixteen-bytes"}, {kind: parameter, text: "p"}}[random.IntN(4)])
		}
		switch random.IntN(6) {
		case 0:
			segs = append(segs, segment{kind: rest})
		case 1:
			segs = append(segs, segment{})
		}
		root.insert(segs, &entry{route: new(route), id: uint32(firstLeaf + i)})
	}
	return &root
}

func pruneAll() *prune {
	return &prune{leaves: numbered(10), wanted: func(*entry) bool { return true }, better: func(old, new *leaf) bool { return false }}
}

// requireSame holds a draft to be stepped over side by side to what it stands for:
// it has the branch's children and no more, all the way down.
func requireSame(t *testing.T, p *plain, d *draft) {
	require.Same(t, p.end, d.end)
	require.Same(t, p.rest, d.miss)
	children := map[string]*draft{}
	for _, s := range append(d.slots, d.twins...) {
		if s.to != nil {
			children[s.text] = s.to
		}
	}
	if d.slash != nil {
		children[""] = d.slash
	}
	require.Len(t, children, len(p.kids))
	for _, k := range p.kids {
		require.NotNil(t, children[k.text], k.text)
		requireSame(t, k.to, children[k.text])
	}
	if require.Equal(t, p.param != nil, d.param != nil); p.param != nil {
		requireSame(t, p.param, d.param)
	}
}

// What is stepped over side by side is the source, unmerged, whether or not it
// shares its nodes with the compiled trie; and it shares them where no branch has
// a choice, for else a set with one wide node would take twice the memory.
func TestPlainNodesAreTheSource(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	shared := 0
	for range 300 {
		pr := pruneAll()
		top := pr.copy(randomSource(random, 1+random.IntN(7)))
		c := newCompiler(1<<20, pr)
		compiled, plainDraft := c.intern([]*plain{top}, nil), c.lookup(top)
		c.finish()
		requireSame(t, top, plainDraft)
		requireSame(t, top, c.lookup(top))
		hasChoice := false
		var look func(p *plain)
		look = func(p *plain) {
			hasChoice = hasChoice || p.rest != nil || p.param != nil && len(p.kids) > 0
			for _, k := range p.kids {
				look(k.to)
			}
			if p.param != nil {
				look(p.param)
			}
		}
		look(top)
		assert.Equal(t, !hasChoice, plainDraft == compiled)
		if !hasChoice {
			shared++
		}
	}
	assert.NotZero(t, shared)
}

// The size that the budget is reckoned from is that of the trie: its nodes, and
// its literal children once more.
func TestSizeOfASource(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 50 {
		pr := pruneAll()
		top := pr.copy(randomSource(random, 6))
		var count func(p *plain) int
		ids := map[int32]bool{}
		count = func(p *plain) int {
			assert.False(t, ids[p.id], "each branch has its own number")
			ids[p.id] = true
			n := 1 + len(p.kids)
			for _, k := range p.kids {
				n += count(k.to)
			}
			if p.param != nil {
				n += count(p.param)
			}
			return n
		}
		assert.Equal(t, count(top), pr.size)
	}
}

// Equal lists of branches share one node, so that a trie of any depth stays near
// the size of its source.
func TestEqualListsShareANode(t *testing.T) {
	rt := New()
	for _, path := range []string{"/k/y/0", "/{p}/x/1", "/{p}/{q}/2", "/{p}/{q}/{r}/3"} {
		rt.GET(path, showPattern)
	}
	routes := rt.current().nowhere.root("GET")
	at := func(segs ...string) uint32 { // "" goes by the parameter
		n := routes.root
		for _, seg := range segs {
			if seg == "" {
				n = routes.nodes[n].param
			} else {
				n = routes.child(n, seg)
			}
			require.NotZero(t, n, segs)
		}
		return routes.nodes[n].state
	}
	assert.NotEqual(t, at(""), at("k"))
	assert.Equal(t, at("", "x"), at("k", "x"), "two branches each")
	assert.Equal(t, at("", ""), at("k", ""), "one branch each")
	assert.Equal(t, at("", "x", ""), at("k", "y", ""))
}

// The budget grows with the source: twice as many routes may merge twice as many
// branches. Beyond it the rest is left wide, and find leaves that to resolve.
func TestBudgetGrowsWithTheSource(t *testing.T) {
	wide := func(n int) (count int) {
		rt := New()
		rt.TrailingSlash(SlashExact)
		for i := range n {
			rt.GET(fmt.Sprintf("/page%d/edit", i), showPattern)
		}
		rt.GET("/{user}/act", showPattern)
		root := rt.current().nowhere.root("GET")
		for i := range n {
			if l, _ := root.found(fmt.Sprintf("/page%d/act", i)); l.slow() {
				count++
			}
		}
		return count
	}
	assert.Zero(t, wide(100))
	assert.Zero(t, wide(200), "nine each, more than the constant allows")
	assert.NotZero(t, wide(2000), "more than the source allows, which is four each")
}

// A merged node has each literal once, whichever of its branches goes on with it.
func TestMergedLiteralsAreThereOnce(t *testing.T) {
	rt := New()
	for i, path := range []string{"/k/b", "/k/a", "/k/d", "/{p}/a", "/{p}/c", "/{p}/b", "/{p}/{q}/a"} {
		rt.GET(path+"/"+fmt.Sprint(i), showPattern)
	}
	routes := rt.current().nowhere.root("GET")
	n := &routes.nodes[routes.child(routes.root, "k")]
	assert.Zero(t, routes.extra(n).twins)
	assert.Len(t, routes.appendChildren(nil, n), 5, "a to d and the parameter")
	assert.EqualValues(t, 4, n.mask+1)
}

// The budget is what merged nodes cost: one for the node, one for each open
// branch, and for each literal child that there could be one for itself and one
// for each branch. A branch alone is free the first time, and always where no
// node is its own.
func TestAffordBooksWhatItAllows(t *testing.T) {
	a := &plain{kids: []kid{{text: "a"}, {text: "b"}}}
	b := &plain{kids: []kid{{text: "a"}}}
	const cost = 1 + 2 + 3*(1+2)
	list := []*plain{a, b}
	c := &compiler{budget: 2 * cost}
	assert.True(t, c.afford(job{list: list}, list))
	assert.Equal(t, cost, c.used)
	assert.True(t, c.afford(job{list: list}, list), "to the last one")
	assert.Equal(t, 2*cost, c.used)
	assert.False(t, c.afford(job{list: list}, list))
	assert.False(t, a.seen, "it was not alone")
	c = &compiler{budget: cost - 1}
	assert.False(t, c.afford(job{list: list}, list))
	assert.Zero(t, c.used)

	one := []*plain{a}
	assert.True(t, c.afford(job{list: one}, one), "free")
	assert.Zero(t, c.used)
	assert.True(t, c.afford(job{list: one}, one))
	assert.Equal(t, 1+1+2*(1+1), c.used, "not twice")
	fixed := []*plain{{fixed: true}}
	for range 3 {
		assert.True(t, c.afford(job{list: fixed}, fixed))
	}
	assert.Equal(t, 1+1+2*(1+1), c.used, "free each time")
	assert.True(t, c.afford(job{list: fixed, miss: &numbered(1)[firstLeaf]}, fixed))
	assert.Equal(t, 1+1+2*(1+1)+2, c.used, "with a rest it has a node of its own")
}
