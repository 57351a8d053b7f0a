package segue

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/internal/testkit"
)

// What only the inside shows of small things: sizes, letters, names, tables.

// What is parsed is no larger than it must be, and parsing
// takes four allocations, however long the text: the parser, the pattern, its
// segments, and the text as it is shown.
func TestPatternsAreNoLargerThanTheyMust(t *testing.T) {
	SkipUnlessAllocationsCount(t)
	for _, path := range []string{
		"/", "/users", "/users/{id}/posts/{post}", "/a/b/c/d/e/f/g/h/i/j", "/a/b/c/d/e/f/g/{h}/:i/*j",
		"/" + strings.Repeat("x", 25) + "/*p", // 29 bytes, shown as 33: Go rounds 32 up to nothing more
	} {
		p, err := parseVerb("", path)
		require.Nil(t, err)
		assert.Len(t, p.segs, cap(p.segs), path)
		allocs := AllocsPerRun(20, func() { parseVerb("", path) })
		assert.LessOrEqual(t, allocs, 4.0, path)
	}
}

// Hosts are compared by the letters A to Z alone.
func TestLowerASCII(t *testing.T) {
	for c := range 256 {
		want := byte(c)
		if 'A' <= want && want <= 'Z' {
			want += 'a' - 'A'
		}
		for _, around := range [][2]string{{"", ""}, {"x-", ""}, {"", ".É"}, {"Ab", "Yz"}} {
			text := around[0] + string([]byte{byte(c)}) + around[1]
			lower := strings.ToLower(around[0]) + string([]byte{want}) + strings.NewReplacer("Y", "y").Replace(around[1])
			assert.Equal(t, lower, lowerASCII(text), "%q", text)
		}
	}
	if !raceEnabled {
		assert.Zero(t, testing.AllocsPerRun(20, func() { lowerASCII("www.example.org:8080") }), "where there is nothing to do")
	}
}

// The names that Windows reads otherwise than they look.
func TestServableOnWindows(t *testing.T) {
	for _, seg := range []string{
		"a.txt:stream", "a.txt::$DATA", "C:", "a.txt.", "a.txt ", "admin.", "admin. .", "PROGRA~1", "secret~1.txt", "x~2~a~9",
		"what?", "*", "<a>", "a|b", `"a"`, "tab\t", "\x1f",
	} {
		assert.False(t, servableOnWindows(seg), "%q", seg)
	}
	for _, seg := range []string{"a.txt", "a b.txt", "backup~", "a~b", "ä", "x.y.z", "con.d"} {
		assert.True(t, servableOnWindows(seg), "%q", seg)
	}
}

// What the tests from inside of the package have of testkit, and a handler.
var (
	AllocsPerRun               = testkit.AllocsPerRun
	SkipUnlessAllocationsCount = testkit.SkipUnlessAllocationsCount
	enumRecover                = testkit.PanicOf
	serve                      = testkit.Serve
	showPattern                = testkit.Shows(Params)
)

const raceEnabled = testkit.Race

func fuzzHandler(http.ResponseWriter, *http.Request) {}

// Of requests that nobody has seen before nothing stays in what the package keeps
// from one request to the next, and none of them changes what is served from.
func TestRequestsGrowNoTable(t *testing.T) {
	rt := New()
	rt.GET("/users/{id}", showPattern)
	rt.Group("/g/{org}", Recover).GET("/{a}/{b}", showPattern)
	rt.Mount("/plain/{p}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { r.SetPathValue("own", "x") }))
	serve(rt, "GET", "/users/1")
	measure := func() (names, entered, gone int, of *table) {
		knownNames.Range(func(any, any) bool { names++; return true })
		roots.RLock()
		defer roots.RUnlock()
		return names, len(roots.all), len(rt.last.Load().retired), rt.table.Load()
	}
	names, known, gone, of := measure()
	for i := range 1000 {
		for _, path := range []string{"/users/", "/g/", "/g/o/a/", "/plain/", "//", "/"} {
			serve(rt, []string{"GET", "POST", "OPTIONS", fmt.Sprint("X", i)}[i%4], fmt.Sprint(path, i, "?", i))
		}
	}
	nowNames, nowKnown, nowGone, nowOf := measure()
	assert.LessOrEqual(t, nowNames, names, "names")
	assert.LessOrEqual(t, nowKnown, known, "roots")
	assert.LessOrEqual(t, nowGone, gone, "retired tables")
	assert.Same(t, of, nowOf)
}
