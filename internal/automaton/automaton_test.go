package automaton

// This file holds Find and Match to a slow twin that walks the States, on random
// graphs and paths, and each automaton to what must be true of all.

import (
	"encoding/binary"
	"math/rand/v2"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slowFind is Find, written from its rules.
func slowFind(s *State, segments []string) uint32 {
	if s.Alternatives != nil {
		return Undecided
	}
	if len(segments) == 0 {
		if s.EndUndecided {
			return Undecided
		}
		return s.End
	}
	segment, next := segments[0], s.literal(segments[0])
	switch {
	case segment == "" && len(segments) == 1:
		switch {
		case s.SlashUndecided, next != nil && next.Alternatives != nil:
			return Undecided
		case next != nil:
			return next.End
		}
		return s.Rest
	case isRare(segment):
		return s.Rest
	case next == nil:
		next = s.Param
	}
	if next == nil {
		return s.Rest
	}
	return slowFind(next, segments[1:])
}

// slowMatch is Match. It goes down and back where Match steps side by side.
func slowMatch(s *State, segments []string, sideBySide bool) (found []uint32) {
	if s.Alternatives != nil {
		for _, alternative := range s.Alternatives {
			found = append(found, slowMatch(alternative, segments, true)...)
		}
		return found
	}
	answer := func(n uint32) {
		if n != None {
			found = append(found, n)
		}
	}
	if len(segments) == 0 || s.Done {
		answer(s.End)
		return found
	}
	var next []*State
	if to := s.literal(segments[0]); to != nil {
		next = append(next, to)
	}
	if s.Param != nil && segments[0] != "" {
		next = append(next, s.Param)
	}
	if !sideBySide {
		next = next[:min(len(next), 1)]
	}
	for _, to := range next {
		found = append(found, slowMatch(to, segments[1:], sideBySide)...)
	}
	if sideBySide || len(next) == 0 {
		answer(s.Rest)
	}
	return found
}

func (s *State) literal(text string) *State {
	for _, l := range s.Literals {
		if l.Text == text {
			return l.To
		}
	}
	return nil
}

// texts are segments whose lengths are around those of keys, and which differ in
// one bit or in their length.
var texts = func() []string {
	all := []string{"", ".", "..", "...", "a", "b", "A", "a\x00", "a/b", "a/", "/", "%2F", "%", ".a", "a."}
	for _, size := range []int{6, 7, 8, 9, 14, 15, 16, 17, 23, 24, 40} {
		base := strings.Repeat("0123456789", 4)[:size]
		all = append(all, base, "1"+base[1:], base[:size/2]+"\xff"+base[size/2+1:], base[:size-1]+"\x00")
	}
	return all
}()

// A decider makes a graph of what it reads: as it is random or as a fuzzer wants it.
type decider []byte

// below returns a number below n, 0 where nothing is left to read.
func (d *decider) below(n int) int {
	if len(*d) == 0 {
		return 0
	}
	b := (*d)[0]
	*d = (*d)[1:]
	return int(b) % n
}

// graph returns the root of a graph in which states are shared.
func (d *decider) graph() *State {
	states := []*State{{End: First}}
	answer := func() uint32 {
		if d.below(3) > 0 {
			return None
		}
		return uint32(First + d.below(200))
	}
	some := func() *State { return states[d.below(len(states))] }
	for range 1 + d.below(12) {
		s := &State{End: answer(), Rest: answer(), EndUndecided: d.below(8) == 1, SlashUndecided: d.below(8) == 1}
		kind := d.below(10)
		if d.below(3) == 1 { // the empty literal, which ends a path in a slash, is too rare in texts
			s.Literals = append(s.Literals, Literal{"", some()})
		}
		for _, text := range texts[1+d.below(len(texts)-1):] {
			if d.below(3) == 1 {
				s.Literals = append(s.Literals, Literal{text, some()})
			}
		}
		if d.below(2) == 1 {
			s.Param = some()
		}
		if kind > 7 {
			s.Alternatives = []*State{}
			for range d.below(40) {
				if next := some(); d.below(4) == 1 || len(next.flatten(nil)) > 3 {
					s.Alternatives = append(s.Alternatives, &State{Done: true, End: uint32(First + d.below(200))})
				} else {
					s.Alternatives = append(s.Alternatives, next)
				}
			}
		}
		states = append(states, s)
	}
	return states[len(states)-1]
}

// paths calls do with paths, of which some lead far into the graph.
func (d *decider) paths(root *State, do func(segments []string)) {
	for range 40 {
		var segments []string
		for s := root; len(segments) < 6 && (s != nil && d.below(6) > 0 || d.below(4) > 0); {
			text := texts[d.below(len(texts))]
			for s != nil && s.Alternatives != nil {
				if len(s.Alternatives) == 0 {
					s = nil
				} else {
					s = s.Alternatives[d.below(len(s.Alternatives))]
				}
			}
			if s != nil && len(s.Literals) > 0 && d.below(4) > 0 {
				text = s.Literals[d.below(len(s.Literals))].Text
			}
			if segments = append(segments, text); s != nil {
				if next := s.literal(text); next != nil {
					s = next
				} else {
					s = s.Param
				}
			}
		}
		if len(segments) > 0 {
			do(segments)
			do(append(segments, "")) // with a final slash
		}
	}
}

// compare holds an automaton to the slow twin on one path.
func compare(t *testing.T, a *Automaton, root *State, segments []string) {
	escaped := make([]string, len(segments))
	for i, s := range segments {
		escaped[i] = url.PathEscape(s)
	}
	plain := "/" + strings.Join(segments, "/")
	for _, p := range []Path{{plain, false}, {"/" + strings.Join(escaped, "/"), true}} {
		var split []string
		for _, s := range strings.Split(p.Text[1:], "/") {
			if decoded, err := url.PathUnescape(s); p.Escaped && err == nil {
				s = decoded
			}
			split = append(split, s)
		}
		want := slowMatch(root, split, false)
		require.Equal(t, append([]uint32{7}, want...), a.Match(p, []uint32{7}), "%q", p)
		open := a.Open(p)
		require.LessOrEqual(t, len(open), len(split))
		require.NotContains(t, open, 0)
	}
	answer, at := a.Find(plain)
	require.Equal(t, slowFind(root, strings.Split(plain[1:], "/")), answer, "%q", plain)
	require.True(t, 0 < at && at <= len(plain) && (at == len(plain) || plain[at-1] == '/'), "%d in %q", at, plain)
	if looked := plain[:at]; looked != "/" {
		assert.Equal(t, path.Clean(looked), strings.TrimSuffix(looked, "/"), "what Find looked at is clean")
	}
}

// Whatever the graph, Find and Match answer as their slow twins do.
func TestSlowTwin(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	for range 200 {
		data := make([]byte, 1500)
		_, _ = random.Read(data)
		d := decider(data)
		root := d.graph()
		a := Build(root)
		check(t, a, root)
		d.paths(root, func(segments []string) { compare(t, a, root, segments) })
	}
}

// checkTable fails where a state's table holds anything but its literals.
func checkTable(t *testing.T, a *Automaton, n *node, s *State) {
	t.Helper()
	inTable := 0
	for _, l := range s.Literals {
		if !isRare(l.Text) {
			inTable++
			to := a.child(n, l.Text)
			require.True(t, n.slots <= to && to <= n.slots+n.mask)
		}
	}
	for i := range n.mask + 1 {
		if c := a.nodes[n.slots+i]; n.slots != 0 && c.last != freeKey {
			inTable--
		}
	}
	require.Zero(t, inTable, "slots and literals")
	for _, text := range texts {
		require.Equal(t, s.literal(text) != nil, a.child(n, text) != nowhere, "%q", text)
	}
}

// check fails where an automaton is not what Build promises.
func check(t *testing.T, a *Automaton, start *State) {
	t.Helper()
	require.Equal(t, uint64(freeKey), a.nodes[nowhere].last)
	checked := map[uint32]bool{}
	var visit func(at uint32, s *State)
	lead := func(at uint32, s *State) {
		switch {
		case s == nil:
			require.EqualValues(t, nowhere, at)
		case at < terminal:
			require.NotEqualValues(t, nowhere, at)
			require.Less(t, int(at), len(a.nodes))
			visit(at, s)
		case at >= done:
			require.True(t, s.Done)
			require.Equal(t, s.End, at&^done)
		default:
			require.Equal(t, &State{End: at &^ terminal, index: s.index}, s, "a state that only ends paths")
		}
	}
	visit = func(at uint32, s *State) {
		if checked[at] {
			return
		}
		checked[at] = true
		n := &a.nodes[at]
		x := a.extras[n.extra&^extraFlags]
		if all := s.flatten(nil); s.Alternatives != nil {
			require.NotZero(t, n.extra&nondeterministic)
			require.Equal(t, node{first: n.first, last: n.last, text: n.text, extra: n.extra, end: Undecided, paramEnd: Undecided, slashEnd: Undecided, miss: Undecided}, *n)
			require.Len(t, all, int(x.to-x.from))
			for i, alternative := range all {
				lead(a.alternatives[int(x.from)+i], alternative)
			}
			return
		}
		require.Zero(t, n.extra&nondeterministic)
		require.True(t, n.slots != 0 || n.mask == 0)
		require.Zero(t, n.mask&(n.mask+1), "a power of two slots")
		lead(n.param, s.Param)
		for _, l := range s.Literals {
			lead(a.child(n, l.Text), l.To)
		}
		checkTable(t, a, n, s)
	}
	visit(root, start)
	if a.prefixSize > 1 {
		at := uint32(root)
		var text [8]byte
		binary.LittleEndian.PutUint64(text[:], a.prefix)
		for _, segment := range strings.Split(string(text[1:a.prefixSize-1]), "/") {
			at = a.child(&a.nodes[at], segment)
		}
		require.Equal(t, at, a.prefixNode)
	}
}

func FuzzAutomaton(f *testing.F) {
	f.Add([]byte{}, "/")                                     // an empty graph
	f.Add([]byte{1, 0, 5, 0, 9, 0, 0, 0, 3, 1, 0}, "/a/b")   // a state with literals
	f.Add([]byte("\x02\x00\x07\x00\x08\x01\x01\x09"), "/a/") // a nondeterministic one
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		if len(data) > 4096 || len(path) > 4096 {
			return
		}
		d := decider(data)
		root := d.graph()
		a := Build(root)
		check(t, a, root)
		d.paths(root, func(segments []string) { compare(t, a, root, segments) })
		compare(t, a, root, strings.Split(strings.TrimPrefix(path, "/"), "/"))
	})
}

// The common prefix is as many whole segments as fit eight bytes, slashes
// included.
func TestCommonPrefix(t *testing.T) {
	for path, want := range map[string]string{
		"/api": "/api/", "/people": "/people/", "/a/b/c": "/a/b/c/", "/a/b/c/d": "/a/b/c/", "/ab/longer": "/ab/",
		"/sevenby": "/", "/eight/by": "/eight/", "/x%2Fy/z": "/", "/a/b%2Fc": "/a/", "/api/v1": "/api/v1/", "/api/v1/x": "/api/v1/",
	} {
		root := &State{Param: &State{End: 3}, Literals: []Literal{{"end", &State{End: 2}}}}
		segments := strings.Split(path[1:], "/")
		for _, s := range slices.Backward(segments) {
			s, _ = url.PathUnescape(s)
			root = &State{Literals: []Literal{{s, root}}, Rest: 4}
		}
		a := Build(root)
		check(t, a, root)
		require.EqualValues(t, len(want), a.prefixSize, path)
		for _, tail := range []string{"/end", "/other", "/", "", "x/end", "/end/more", "//", "/./a"} {
			compare(t, a, root, strings.Split(path[1:]+tail, "/"))
		}
	}
	root := &State{Param: &State{End: 3}, Literals: []Literal{{"api", &State{Param: &State{End: 2}}}}}
	assert.EqualValues(t, 1, Build(root).prefixSize, "beside a parameter there is none")
}

// A State may be built again, beside others that were never built together.
func TestBuildTwice(t *testing.T) {
	shared := &State{End: 2, Param: &State{End: 3}}
	a := &State{Param: &State{Param: shared, Rest: 5}}
	b := &State{Literals: []Literal{{"x", &State{Rest: 4}}, {"y", shared}}, Param: shared}
	for range 3 {
		for _, root := range []*State{a, shared, b} {
			built := Build(root)
			check(t, built, root)
			for _, p := range []string{"x", "y", "z", "x/y", "y/z", "x/y/z", "x/y/z/w"} {
				compare(t, built, root, strings.Split(p, "/"))
			}
		}
	}
}

func TestSize(t *testing.T) {
	end := &State{End: 2}
	root := &State{Param: end, Literals: []Literal{{"", end}, {"a", end}, {"b", &State{Alternatives: []*State{end, {Done: true, End: 3}, {Param: end}}}}}}
	states, entries := Build(root).Size()
	assert.Equal(t, 4, states, "root, a, b, and the alternative with a parameter: the others only end paths")
	assert.Equal(t, 8, entries)
}

func TestOpen(t *testing.T) {
	end := &State{End: 2}
	deep := &State{Param: &State{Param: end}}
	root := &State{Literals: []Literal{{"a", &State{Alternatives: []*State{deep, {Rest: 3, Literals: []Literal{{"b", deep}}}, {Done: true, End: 4}}}}}, Param: end}
	a := Build(root)
	for path, want := range map[string][]int{"/": {1}, "/x": {1}, "/x/y": {1, 1}, "/x/y/z": {1, 1}, "/a": {1}, "/a/b": {1, 2}, "/a/b/c/d/e/f": {1, 2, 2, 2, 1}, "": {}} {
		if path == "/a/b/c/d/e/f" {
			assert.Equal(t, []uint32{3, 4}, a.Match(Path{Text: path}, nil))
		}
		assert.Equal(t, want, a.Open(Path{Text: path}), path)
	}
}

func TestPath(t *testing.T) {
	p := Path{"/a%2Fb//%zz/c%20d/e", true}
	for _, want := range []string{"a/b", "", "%zz"} {
		got, ok := p.Next()
		assert.True(t, ok)
		assert.Equal(t, want, got)
	}
	assert.Equal(t, "c d/e", p.Rest())
	assert.True(t, p.Skip())
	assert.Equal(t, Path{"/e", true}, p)
	assert.True(t, p.Skip())
	assert.False(t, p.Skip())
	_, ok := p.Next()
	assert.False(t, ok)
	assert.Empty(t, p.Rest())
}

// Find allocates nothing, and Match nothing for a path that is not encoded while
// up to 32 states are open.
func TestNoAllocs(t *testing.T) {
	root := tableOf(append(named("a-long-literal-number-%d", 100), "a", "b")...)
	root.Param = new(State)
	for range 32 {
		root.Param.Alternatives = append(root.Param.Alternatives, &State{Param: &State{Param: &State{End: 2}}})
	}
	a := Build(root)
	found := make([]uint32, 0, 32)
	for _, path := range []string{"/a-long-literal-number-7", "/b", "/x/y/z", "/x/y/z/none", "/", "/a-long-literal-number-7/none"} {
		assert.Zero(t, testing.AllocsPerRun(100, func() { a.Find(path) }), path)
		assert.Zero(t, testing.AllocsPerRun(100, func() { a.Match(Path{Text: path}, found) }), path)
	}
	assert.Len(t, a.Match(Path{Text: "/x/y/z"}, nil), 32)
}

// shapes are graphs of the forms that route tables have, and paths into them.
func shapes() map[string]func() (root *State, paths []string) {
	resources := func(n int) func() (*State, []string) {
		return func() (*State, []string) {
			root := tableOf(named("resource%d", n)...)
			var paths []string
			for i, l := range root.Literals {
				l.To.Param = &State{End: uint32(First + i)}
				if i%(n/250+1) == 0 {
					paths = append(paths, "/api/v1/"+l.Text+"/12345")
				}
			}
			rand.New(rand.NewPCG(1, 2)).Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
			return &State{Literals: []Literal{{"api", &State{Literals: []Literal{{"v1", root}}}}}}, paths
		}
	}
	return map[string]func() (*State, []string){
		"one": func() (*State, []string) { return tableOf("users"), []string{"/users"} },
		"github": func() (*State, []string) {
			repo := tableOf(strings.Fields("assignees branches collaborators comments commits contributors downloads events forks git hooks issues keys labels languages merges milestones notifications pulls readme releases stargazers stats subscribers subscription tags teams")...)
			for _, l := range repo.Literals {
				l.To.Param = &State{End: 50}
			}
			root := tableOf(strings.Fields("authorizations events feeds gists gitignore issues legacy markdown meta networks notifications orgs rate_limit repos search teams user users")...)
			root.literal("repos").Param = &State{Param: repo}
			return root, []string{"/user", "/repos/golang/go/stargazers", "/repos/octocat/hello-world/issues/42", "/repos/a/b/readme", "/notifications"}
		},
		"1000":  resources(1000),
		"10000": resources(10_000),
	}
}

func BenchmarkFind(b *testing.B) {
	for name, shape := range shapes() {
		b.Run("shape="+name, func(b *testing.B) {
			root, paths := shape()
			a := Build(root)
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; i += len(paths) {
				for _, path := range paths {
					if answer, _ := a.Find(path); answer == None {
						b.Fatal(path)
					}
				}
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	for name, shape := range shapes() {
		b.Run("shape="+name, func(b *testing.B) {
			root, _ := shape()
			b.ReportAllocs()
			for b.Loop() {
				Build(root)
			}
		})
	}
}
