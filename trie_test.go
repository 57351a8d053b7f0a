package segue_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// Sets of routes that compiling cannot merge in full, and literals that a path may
// spell otherwise: which route answers. internal/conformance has every small set.

// The set of design's section on the budget, and two more that copy tables
// until something stops them.
func TestBudget(t *testing.T) {
	for _, page := range []string{"page", "a-page-with-a-long-name-"} {
		rt := segue.New()
		const n = 300
		for i := range n {
			rt.GET(fmt.Sprintf("/%s%d/edit", page, i), shows)
			rt.GET(fmt.Sprintf("/{user}/act%d", i), shows)
		}
		for i := range n {
			assert.Equal(t, fmt.Sprintf("GET /%s%d/edit", page, i), testkit.Serve(rt, "GET", fmt.Sprintf("/%s%d/edit", page, i)).Body.String())
			assert.Equal(t, fmt.Sprintf("GET /{user}/act%d user=%s%d", i, page, n-1-i), testkit.Serve(rt, "GET", fmt.Sprintf("/%s%d/act%d", page, n-1-i, i)).Body.String())
			assert.Equal(t, 404, testkit.Serve(rt, "GET", fmt.Sprintf("/user%d/edit", i)).Code)
		}
	}
}

func TestBudgetLiteralAtEachPosition(t *testing.T) {
	const n = 24
	rt := segue.New()
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
		rt.GET(route(i), shows)
	}
	rt.GET(route(-1), shows)
	for i := range n {
		path := strings.Repeat("/x", i) + "/a" + strings.Repeat("/y", n-1-i)
		assert.True(t, strings.HasPrefix(testkit.Serve(rt, "GET", path).Body.String(), "GET "+route(i)), path)
		// A literal further left wins over all others.
		path = strings.Repeat("/x", i) + strings.Repeat("/a", n-i)
		assert.True(t, strings.HasPrefix(testkit.Serve(rt, "GET", path).Body.String(), "GET "+route(i)), path)
	}
	assert.True(t, strings.HasPrefix(testkit.Serve(rt, "GET", strings.Repeat("/x", n)).Body.String(), "GET "+route(-1)))
	assert.Equal(t, 404, testkit.Serve(rt, "GET", strings.Repeat("/a", n-1)).Code)
}

// The set that a tight budget once made a node of that was in its own list.
func TestBudgetBesideACatchAll(t *testing.T) {
	for _, n := range []int{22, 200} {
		rt := segue.New()
		rt.HandleFunc("GET /", shows)
		for i := range n {
			rt.HandleFunc(fmt.Sprintf("GET /page%d/edit", i), shows)
			rt.HandleFunc(fmt.Sprintf("GET /{user}/act%d", i), shows)
		}
		for i := range n {
			assert.Equal(t, fmt.Sprintf("GET /{user}/act%d user=page%d", n-1-i, i), testkit.Serve(rt, "GET", fmt.Sprintf("/page%d/act%d", i, n-1-i)).Body.String())
			assert.Equal(t, "GET /", testkit.Serve(rt, "GET", fmt.Sprintf("/page%d/none", i)).Body.String())
		}
	}
}

// Each literal on the way adds a rest to the one node that goes on. Its 300
// children would be compiled for each of 2^8 lists, were the node free in all.
func TestBudgetOfOneNodeBesideRests(t *testing.T) {
	const depth = 8
	rt := segue.New()
	params := func(n int) (path string) {
		for i := range n {
			path += fmt.Sprintf("/{p%d}", i)
		}
		return path
	}
	for i := range 300 {
		rt.POST(fmt.Sprintf("%s/end%d", params(depth), i), shows)
	}
	for i := range depth {
		rt.GET(params(i)+"/a/{rest...}", shows)
	}
	for path, want := range map[string]string{
		strings.Repeat("/a", depth) + "/end7": "GET /a/{rest...}",
		"/b/b/a/b/b/b/b/b/end7":               "GET /{p0}/{p1}/a/{rest...}",
		strings.Repeat("/b", depth) + "/end7": "",
	} {
		assert.Equal(t, want, rt.Lookup(httptest.NewRequest("GET", path, nil)).Route.Pattern, path)
		assert.Equal(t, "POST "+params(depth)+"/end7", rt.Lookup(httptest.NewRequest("POST", path, nil)).Route.Pattern, path)
		assert.Equal(t, http.StatusMethodNotAllowed, testkit.Serve(rt, "PUT", path).Code, path)
	}
}

// The same with a parameter for each rest: each of the 900 literals would lead to a
// list of its own, as long as there are parameters beside it.
func TestBudgetOfOneNodeBesideParameters(t *testing.T) {
	const depth = 8
	rt := segue.New()
	params := func(from, to int) (path string) {
		for i := range to - from {
			path += fmt.Sprintf("/{p%d}", from+i)
		}
		return path
	}
	for i := range 900 {
		rt.GET(fmt.Sprintf("%s/end%d", params(0, depth), i), shows)
	}
	for i := range depth {
		rt.GET(params(0, i)+"/a"+params(i, depth), shows)
	}
	for path, want := range map[string]string{
		strings.Repeat("/a", depth) + "/end7": "GET /a" + params(0, depth),
		"/b/b/a/b/b/b/b/a/end7":               "GET /{p0}/{p1}/a" + params(2, depth),
		strings.Repeat("/b", depth) + "/end7": "GET " + params(0, depth) + "/end7",
		strings.Repeat("/b", depth) + "/end":  "",
	} {
		assert.Equal(t, want, rt.Lookup(httptest.NewRequest("GET", path, nil)).Route.Pattern, path)
	}
}

// A literal of dots is reached where a path has it encoded, in either spelling of
// the escape, and by nothing else.
func TestDotsWrittenEncoded(t *testing.T) {
	rt := segue.New()
	for _, path := range []string{"/%2e/x", "/%2e%2E/x", "/a/%2E", "/a/%2e.", "/{p}/y", "/.../x"} {
		rt.GET(path, shows)
	}
	for target, want := range map[string]string{
		"/%2E/x": "GET /%2e/x", "/%2e%2e/x": "GET /%2e%2E/x", "/.%2E/x": "GET /%2e%2E/x", "/a/%2e": "GET /a/%2E", "/a/%2E%2E": "GET /a/%2e.",
		"/.../x": "GET /.../x", "/%2e.%2E/x": "GET /.../x", "/%2e/y": "GET /{p}/y p=.", "/%2e%2e/y": "GET /{p}/y p=..", "/a/y": "GET /{p}/y p=a",
	} {
		w := testkit.Serve(rt, "GET", target)
		assert.Equal(t, "200 "+want, fmt.Sprint(w.Code, " ", w.Body), target)
	}
	for _, target := range []string{"/%2e%2e%2e%2e/x", "/a/x", "/a/%2e%2e%2e", "/%2e"} {
		assert.Equal(t, 404, testkit.Serve(rt, "GET", target).Code, target)
	}
	assert.Equal(t, 404, testkit.Serve(segue.New(), "GET", "/%2e").Code, "where nothing is rare")
}

// Lists of the same branches that differ in the rest that the way to them passed
// do not: a rest answers below its own prefix alone.
func TestListsDifferInTheirRests(t *testing.T) {
	for range 20 { // a map's order, if there were one, would decide which list comes first
		rt := segue.New()
		for _, path := range []string{"/n/{q}/b/x", "/n/{q}/{s}/y", "/{u}/a/{r...}", "/{u}/d/{r...}", "/{u}/{v}/e/{r...}", "/m/{q}/b/x"} {
			rt.GET(path, shows)
		}
		for target, want := range map[string]string{
			"/n/a/b/zzz": "GET /{u}/a/{r...} u=n r=b/zzz", "/n/d/b/zzz": "GET /{u}/d/{r...} u=n r=b/zzz", "/n/c/b/zzz": "404 page not found\n",
			"/n/a/b/x": "GET /n/{q}/b/x q=a", "/n/c/b/x": "GET /n/{q}/b/x q=c", "/n/d/b/y": "GET /n/{q}/{s}/y q=d s=b", "/n/c/e/z": "GET /{u}/{v}/e/{r...} u=n v=c r=z",
			"/m/c/b/zzz": "404 page not found\n", "/m/a/b/zzz": "GET /{u}/a/{r...} u=m r=b/zzz",
		} {
			assert.Equal(t, want, testkit.Serve(rt, "GET", target).Body.String(), target)
		}
	}
}
