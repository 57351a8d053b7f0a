package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// PathFor is the way back: the path that it makes of a pattern is matched by that
// pattern, and gives the values back.

// pathForFault says what is wrong with what PathFor makes of a pattern and as many
// of the values as it has parameters.
func pathForFault(text string, values []string) string {
	r, ok := pathForRoute(text)
	if !ok { // two patterns that were joined at a slash or at {$}
		r, ok = pathForRoute(pathForJoints.Replace(text))
	}
	_, err := segue.PathFor(text)
	var refused *segue.PatternError
	if wrong := errors.As(err, &refused); wrong == ok {
		return fmt.Sprintf("PathFor says %v, and a router takes it: %v", err, ok)
	} else if wrong {
		return ""
	}
	rt := segue.New()
	r.register(rt, fuzzHandler)
	route := slices.Collect(rt.Routes())[0]
	var given []any
	for range strings.Count(strings.ReplaceAll(route.Path, "{$}", ""), "{") {
		given = append(given, values[len(given)%len(values)])
	}
	segments, lost := given, false
	if strings.HasSuffix(route.Path, "...}") {
		segments, lost = given[:len(given)-1], !isClean("/"+given[len(given)-1].(string))
	}
	lost = lost || slices.ContainsFunc(segments, func(v any) bool { return v == "" || v == "." || v == ".." })
	path, err := segue.PathFor(text, given...)
	if lost != (err != nil) {
		return fmt.Sprintf("of %q: %q, %v", given, path, err)
	} else if lost {
		return ""
	}
	if again, err := segue.PathFor(route.Pattern, given...); again != path {
		return fmt.Sprintf("of %q by r.Pattern: %q, %v, not %q", given, again, err, path)
	}
	return pathFault(r, rt, route, path, given)
}

var pathForJoints = strings.NewReplacer("/{$}/", "/", "//", "/")

// isClean reports whether a path has no dot segment, and no empty one but the last.
func isClean(path string) bool {
	segments := strings.Split(path[1:], "/")
	return !slices.ContainsFunc(segments, func(s string) bool { return s == "." || s == ".." }) &&
		!slices.Contains(segments[:len(segments)-1], "")
}

// pathForRoute returns a route for the text, in the first language that takes it,
// and whether a request can match it. Of a text that is for the verbs, the method
// and the host must be right all the same.
func pathForRoute(text string) (r enumRoute, ok bool) {
	slash := max(strings.IndexByte(text, '/'), 0)
	for _, r := range []enumRoute{muxRoute(text), verbRoute("GET " + text[slash:])} {
		rt := segue.New()
		var wrong *segue.PatternError
		if errors.As(testkit.PanicOf(func() { r.register(rt, fuzzHandler) }), &wrong) {
			if wrong.Offset < slash {
				break
			}
			continue
		}
		for route := range rt.Routes() {
			if isClean(route.Path) {
				return r, true
			}
		}
	}
	return r, false
}

var plainHost = regexp.MustCompile(`^([a-z0-9-]+(\.[a-z0-9-]+)*)?$`)

// pathFault asks the router, and ServeMux, for a path that PathFor made.
func pathFault(r enumRoute, rt *segue.Router, route segue.Route, path string, values []any) string {
	u, err := url.ParseRequestURI(path)
	if err != nil || u.EscapedPath() != path || u.RawQuery != "" {
		return fmt.Sprintf("%q is no path: %v", path, err)
	}
	if !plainHost.MatchString(route.Host) {
		return "" // how such hosts are compared is told elsewhere
	}
	method := route.Method
	if method == "" {
		method = "GET"
	}
	request := func() *http.Request {
		return &http.Request{Method: method, URL: &url.URL{Path: u.Path, RawPath: u.RawPath}, Host: route.Host, RequestURI: path, Header: http.Header{}}
	}
	match := rt.Lookup(request())
	if match.Status != 200 || match.Route.Pattern != route.Pattern {
		return fmt.Sprintf("%q gives %d %q", path, match.Status, match.Route.Pattern)
	}
	got, names := []any{}, []string{}
	served := request()
	rt.ServeHTTP(httptest.NewRecorder(), served)
	for name, value := range segue.Params(served) {
		got, names = append(got, value), append(names, name)
	}
	if !slices.Equal(got, values) {
		return fmt.Sprintf("%q gives back %q, not %q", path, got, values)
	}
	// ServeMux takes a segment that is exactly %2F for its own sign of a subtree.
	if r.Dialect != "mux" || strings.Contains(path+"/", "/%2F/") || method == "CONNECT" {
		return ""
	}
	mux := http.NewServeMux()
	if testkit.PanicOf(func() { mux.Handle(r.Pattern, http.HandlerFunc(fuzzHandler)) }) != nil {
		return "ServeMux does not take the pattern"
	}
	served = request()
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, served)
	for i, name := range names {
		if served.PathValue(name) != values[i] {
			return fmt.Sprintf("%q on ServeMux: %s is %q", path, name, served.PathValue(name))
		}
	}
	if served.Pattern != r.Pattern || w.Code != 200 {
		return fmt.Sprintf("%q on ServeMux: %d %q", path, w.Code, served.Pattern)
	}
	return ""
}

var (
	pathForStarts   = []string{"", "", "GET ", "h.example", "PURGE h.example", "POST "}
	pathForSegments = []string{
		"a", "b c", "é", "%2F", "a%2fb", "%2e", "%2E%2E", "%zz", "a?b", "x:y", ":1", "...", "%7Bx%7D", "a;b,c", "\xff", "{x}", "{y}", ":z", "{v}", ":w", // a pattern each
		"", "{$}", // joints
	}
	pathForEnds   = []string{"", "", "", "/", "/{$}", "/{r...}", "/*r"}
	pathForValues = []string{
		"7", "a/b", "/", "a/", "/a", "a//b", "", ".", "..", "...", "a/../b", "a/.", "%2F", "%", "c++", "a b", "é", "\xff\x00", "?q#f", ";=,", "{x}", "http://h", `\`, "*", ":a", "%2e",
	}
)

func TestPathForIsTheWayBack(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	one := func(of []string) string { return of[r.IntN(len(of))] }
	for range testkit.Size(20_000, 500_000) {
		text := one(pathForStarts)
		segments := r.IntN(5)
		for range segments {
			text += "/" + one(pathForSegments)
		}
		text += one(pathForEnds)
		values := []string{one(pathForValues), one(pathForValues), one(pathForValues)}
		if fault := pathForFault(text, values); fault != "" {
			t.Fatalf("PathFor(%q, %q): %s", text, values, fault)
		}
	}
}

// FuzzPathFor asks for the paths of any pattern.
func FuzzPathFor(f *testing.F) {
	for _, seed := range [][2]string{
		{"/users/{id}", "7"}, {"GET h.example/:a/*b", "a/b"}, {"/%2e/{x}/", "."}, {"//{x}", "a"}, {"/{x...}", "a//b"}, {"/a?b/{x}/{$}", "?"}, {"/:x/a b", "%"},
	} {
		f.Add(seed[0], seed[1], "other/value")
	}
	f.Fuzz(func(t *testing.T, text, first, second string) {
		if fault := pathForFault(text, []string{first, second}); fault != "" {
			t.Fatalf("PathFor(%q, %q, %q): %s", text, first, second, fault)
		}
	})
}
