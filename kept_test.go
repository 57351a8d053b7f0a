package segue

import (
	"fmt"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keptFault says where a kept pattern tells something else than the one that it
// was made of, under a prefix too.
func keptFault(p *pattern) string {
	prefixes := []*pattern{{}, must(parsePrefix("/m")), must(parsePrefix("/:org/x%2Fy"))}
	for _, prefix := range prefixes {
		joined, err := joinPatterns(prefix, p)
		if err != nil {
			continue // one name twice
		}
		k := newKept(joined)
		if again := k.pattern(); !reflect.DeepEqual(joined, again) {
			return fmt.Sprintf("kept as %+v, read as %+v", joined, again)
		}
		if names := joined.names(); !reflect.DeepEqual(names, k.names()) {
			return fmt.Sprintf("%s: names %q", k.text, k.names())
		}
	}
	return ""
}

func must(p *pattern, err *PatternError) *pattern {
	if err != nil {
		panic(err)
	}
	return p
}

// A pattern is read off its text as it was written: in both languages, encoded or
// not, with all that stands at an end.
func TestKeptPatternsAreRead(t *testing.T) {
	for _, text := range []string{
		"/", "/{$}", "/{x}", "/{x...}", "/a", "/a/", "/a/{$}", "/a/{x}/", "/a/{x}/{$}", "/a/{x}/b/{y...}", "//a", "/a//", "/./a/..",
		"/%61/%2F/%7Bx%7D/%zz/%", "/é/{é}", "GET /a", "GET  \t h.example/a", "purge H.Example./{x}/", "h/", "GET h/{$}", "/$/{$}", "/...}/x}",
	} {
		p, err := parseMux(text)
		require.Nil(t, err, text)
		assert.Empty(t, keptFault(p), text)
	}
	for _, path := range []string{
		"/", "/a", "/a/", "/:x", "/:x/", "/a/{x}/*rest", "/*rest", "/{rest...}", "/a/%2E/%7Bx%7D", "/{$}", "/a/{$}", "/a:b/c*d", "/%3Aid",
	} {
		for _, method := range []string{"", "GET", "PROPFIND"} {
			p, err := parseVerb(method, path)
			require.Nil(t, err, path)
			assert.Empty(t, keptFault(p), "%s %s", method, path)
		}
	}
	static, err := parseStatic("/files")
	require.Nil(t, err)
	assert.Empty(t, keptFault(static))
}

// Texts have bytes of their own, however they come to lie: they are what tells
// whose route a request has matched.
func TestTextsAreTheirOwn(t *testing.T) {
	var st store
	seen := map[patternKey]bool{}
	for i := range 2000 {
		text := strings.Repeat("x", 1+i%97)
		if i%500 == 499 {
			text = strings.Repeat("long", textChunk)
		}
		kept := st.keepText(text)
		require.Equal(t, text, kept)
		require.True(t, !seen[keyOf(kept)] || !keyIsIdentity, i)
		seen[keyOf(kept)] = true
	}
}

// The source tries are there while routes are added, and no longer than that; a
// route that comes later meets all that were there.
func TestSourcesAreMadeAgain(t *testing.T) {
	rt, inner := New(), New()
	inner.GET("/", fuzzHandler)
	inner.GET("/a/{x}", fuzzHandler)
	rt.Mount("/m", inner)
	rt.Handle("h.example/b", http.HandlerFunc(fuzzHandler))
	for range 3 {
		assert.NotNil(t, rt.sources())
		rt.current()
		assert.Nil(t, rt.hosts)
		assert.Nil(t, inner.hosts, "in what is mounted too")
		for _, add := range []func(){
			func() { rt.GET("/m/a/{y}", fuzzHandler) },
			func() { rt.Handle("H.example/b", http.HandlerFunc(fuzzHandler)) },
			func() { inner.GET("/a/{y}", fuzzHandler) },
			func() { rt.Mount("/m/", inner) },
		} {
			var conflict *ConflictError
			require.ErrorAs(t, enumRecover(add), &conflict)
			assert.True(t, rt.hosts == nil && inner.hosts == nil, "a refusal is no change")
		}
		rt.configure(func(*config) {})
	}
	inner.GET("/new", fuzzHandler)
	assert.Equal(t, "GET /m/new", rt.current().nowhere.root("GET").walk(segments{"/m/new", false}).text())
	assert.Equal(t, "GET /m", rt.current().nowhere.root("GET").walk(segments{"/m/", false}).text(), "the prefix in its other spelling")
}

// A request that is on its way when Use is called keeps its leaf, and nothing else
// of the table that it matched in.
func TestFormerLeavesLeaveTheirTable(t *testing.T) {
	if !keyIsIdentity {
		t.Skip("purego keeps no former leaves")
	}
	rt := New()
	pass := func(next http.Handler) http.Handler { return next }
	rt.Use(pass)
	for i := range 200 {
		rt.GET(fmt.Sprintf("/x%d/{id}", i), fuzzHandler)
	}
	rt.Mount("/plain/{p}", http.HandlerFunc(fuzzHandler))
	rt.Static("/files", fstest.MapFS{"index.html": {}})
	old, oldLeaf := weak.Make(rt.current()), weak.Make(rt.current().nowhere.root("GET").walk(segments{"/x7/1", false}))
	text := oldLeaf.Value().text()
	rt.Use(pass)
	l := rt.current().leafOf(&http.Request{Pattern: text})
	require.NotNil(t, l)
	assert.Equal(t, text, l.text())
	for range 3 {
		runtime.GC()
	}
	assert.Nil(t, old.Value(), "the table")
	assert.Nil(t, oldLeaf.Value(), "a leaf, and so the piece that it lies in")
	runtime.KeepAlive(rt)
}
