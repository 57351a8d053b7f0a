package segue

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A wrongPattern is a registration that is refused, with the two lines that a
// terminal shows, the text and the caret below it, and what the reason says.
type wrongPattern struct {
	call, text    string // GET("/x"): GET /x
	shown, caret  string
	reason, write string // of the reason, what is wrong and how to write it right
}

// register makes the call.
func (w wrongPattern) register() error {
	return enumRecover(func() {
		switch w.call {
		case "Handle":
			New().Handle(w.text, http.NotFoundHandler())
		case "Mount":
			New().Mount(w.text, New())
		case "Any":
			New().Any(w.text, fuzzHandler)
		default:
			New().Method(w.call, w.text, http.NotFoundHandler())
		}
	})
}

const dots, whole = "an empty or dot segment never matches", "a wildcard is a whole segment"

// wrongPatterns has each reason there is, at the front of a text and further in.
var wrongPatterns = []wrongPattern{
	{"Handle", "", "", "^", "empty pattern", `"/" is the whole site`},
	{"Handle", "GET", "GET", "^", "no path", `a pattern is "/path"`},
	{"Handle", "GET h", "GET h", "    ^", "no path", `a pattern is "/path"`},
	{"Handle", "GET \t h", "GET \uFFFD h", "      ^", "no path", `a pattern is "/path"`},
	{"Handle", "(G /x", "(G /x", "^", "a method is a token", "such as GET"},
	{"Handle", "G(T /x", "G(T /x", " ^", "a method is a token", "such as GET"},
	{"Handle", "PURG\u00c9 /x", "PURG\u00c9 /x", "    ^", "a method is a token", "such as GET"},
	{"Handle", "Get /x", "Get /x", "^", "methods are case-sensitive", "write GET"},
	{"Handle", "h{x}/y", "h{x}/y", " ^", "a host takes no wildcards", `begins with "/"`},
	{"Handle", "{x}/y", "{x}/y", "^", "a host takes no wildcards", `begins with "/"`},
	{"Handle", "GET h{x}/y", "GET h{x}/y", "     ^", "a host takes no wildcards", `begins with "/"`},
	{"Handle", "/a/{x}/b/{x}", "/a/{x}/b/{x}", "         ^", "the name x stands twice", "each parameter needs its own"},
	{"Handle", "GET /a/../b", "GET /a/../b", "       ^", dots, "cleaned first"},
	{"Handle", "GET //a", "GET //a", "     ^", dots, "cleaned first"},
	{"Handle", "GET h//a", "GET h//a", "      ^", dots, "cleaned first"},
	{"Handle", "/é/a{x}", "/é/a{x}", "   ^", whole, "write {name} alone"},
	{"Handle", "/{x", "/{x", " ^", "the brace is not closed", "write {name}"},
	{"Handle", "/{x}a", "/{x}a", "    ^", whole, "nothing may follow its brace"},
	{"Handle", "/a/{$}/b", "/a/{$}/b", "   ^", "{$} marks the end", "nothing can follow"},
	{"Handle", "/a/{x...}/b", "/a/{x...}/b", "   ^", "a rest takes everything", "it must be last"},
	{"Handle", "/a/{}", "/a/{}", "   ^", "a wildcard needs a name", "write {name}"},
	{"Handle", "/a/{...}", "/a/{...}", "   ^", "a wildcard needs a name", "write {path...}"},
	{"Handle", "/a/{1}", "/a/{1}", "    ^", "begins with no digit", "write {name}"},
	{"Handle", "/a/{b-c...}", "/a/{b-c...}", "    ^", "a name is letters, digits and _", "write {path...}"},
	{"Handle", "/a/:id", "/a/:id", "   ^", "a colon is a literal here", "write {id}, or %3A"},
	{"Handle", "/a/*", "/a/*", "   ^", "a star is a literal here", "write {path...} for the rest, or %2A"},
	{"Handle", "/a/*path", "/a/*path", "   ^", "a star is a literal here", "write {path...} for the rest, or %2A"},
	{"GET", "a", "GET a", "    ^", `begins with "/"`, "is for Handle"},
	{"Any", "a", "a", "^", `begins with "/"`, "is for Handle"},
	{"GET", "/a b", "GET /a b", "      ^", "white space in a path", "write %20 or %09"},
	{"Any", "/\tb", "/\uFFFDb", " ^", "white space in a path", "write %20 or %09"},
	{"GET", "/a/./b", "GET /a/./b", "       ^", dots, "cleaned first"},
	{"GET", "/:", "GET /:", "     ^", "a wildcard needs a name", "write {name}"},
	{"GET", "/:1", "GET /:1", "      ^", "begins with no digit", "write {name}"},
	{"GET", "/*", "GET /*", "     ^", "a wildcard needs a name", "write {path...}"},
	{"GET", "/*a-b", "GET /*a-b", "      ^", "a name is letters, digits and _", "write {path...}"},
	{"GET", "/a/*p/b", "GET /a/*p/b", "       ^", "a rest takes everything", "it must be last"},
	{"delete", "/a", "delete /a", "^", "methods are case-sensitive", "write DELETE"},
	{"G T", "/a", "G T /a", " ^", "a method is a token", "such as GET"},
	{"Mount", "a", "a", "^", `a prefix begins with "/"`, "no method and no host"},
	{"Mount", "/a b/", "/a b/", "  ^", "white space in a prefix", "write %20 or %09"},
	{"Mount", "/a/{x/", "/a/{x/", "   ^", "the brace is not closed", "write {name}"},
	{"Mount", "/a//b", "/a//b", "   ^", dots, "cleaned first"},
	{"Mount", "//a", "//a", " ^", dots, "cleaned first"},
	{"Mount", "/a/..", "/a/..", "   ^", dots, "cleaned first"},
	{"Mount", "/a/{$}/", "/a/{$}/", "   ^", "cannot end in a rest or {$}", "decides what follows"},
	{"Mount", "/a/*p", "/a/*p", "   ^", "cannot end in a rest or {$}", "decides what follows"},
}

// The caret stands below what is wrong, and the reason says how to write it
// right.
func TestWrongPatternsAreExplained(t *testing.T) {
	for _, w := range wrongPatterns {
		err := w.register()
		var wrong *PatternError
		require.True(t, errors.As(err, &wrong), "%s(%q): %v", w.call, w.text, err)
		lines := strings.Split(err.Error(), "\n")
		require.Len(t, lines, 3, "%s(%q)", w.call, w.text)
		assert.Equal(t, []string{"\t" + w.shown, "\t" + w.caret}, lines[1:], "%s(%q)", w.call, w.text)
		assert.Contains(t, wrong.Reason, w.reason, "%s(%q)", w.call, w.text)
		assert.Contains(t, wrong.Reason, w.write, "%s(%q)", w.call, w.text)
		assert.Contains(t, lines[0], fmt.Sprintf("pattern %q ", wrong.Pattern), "%s(%q)", w.call, w.text)
		assert.Contains(t, lines[0], fmt.Sprintf("offset %d: %s", wrong.Offset, wrong.Reason), "%s(%q)", w.call, w.text)
	}
}

// A method is a token, byte by byte (RFC 9110, section 5.6.2), in either
// language.
func TestMethodsAreTokens(t *testing.T) {
	for c := range 256 {
		for _, method := range []string{string([]byte{byte(c)}), "X" + string([]byte{byte(c)})} {
			err := wrongPattern{call: "Handle", text: method + " /x"}.register()
			muxErr := enumRecover(func() { http.NewServeMux().HandleFunc(method+" /x", fuzzHandler) })
			assert.Equal(t, muxErr == nil, err == nil, "%q: %v, but ServeMux %v", method, err, muxErr)
			isToken := c > ' ' && c < 0x7f && !strings.ContainsRune(`"(),/:;<=>?@[\]{}`, rune(c))
			err = wrongPattern{call: method, text: "/x"}.register()
			assert.Equal(t, isToken, err == nil, "%q: %v", method, err)
		}
	}
	for _, method := range strings.Fields("GET HEAD POST PUT PATCH DELETE CONNECT OPTIONS TRACE") {
		assert.NoError(t, wrongPattern{call: "Handle", text: method + " /x"}.register(), method)
		for _, odd := range []string{strings.ToLower(method), method[:1] + strings.ToLower(method[1:])} {
			err := wrongPattern{call: "Handle", text: odd + " /x"}.register()
			assert.ErrorContains(t, err, "write "+method)
		}
	}
	assert.NoError(t, wrongPattern{call: "Handle", text: "purge /x"}.register(), "no standard method")
}

// Texts that are legal and that few would write mean what they mean to
// ServeMux: blanks behind a method, encodings that are none, stars and colons in
// literals, names in other scripts.
func TestOddTextsMeanWhatServeMuxSays(t *testing.T) {
	targets := []string{"/", "/x", "/x/", "/x/y", "/%zz", "/:%zz", "/*%zz", "/a%", "/%", "/:", "/:1", "/*a-b", "/:A", "/*A-", "/:-A", "/%2A", "/:id",
		"/a:b", "/a*b", "/é", "/%C3%A9", "/%3Aid", "/A", "/a%2Fb", "/x%2Fy/z", "/1"}
	for _, text := range []string{
		"/x", "GET /x", "GET  /x", "GET\t/x", "GET \t  h/x", "GET\t\th/x", "G^~ /x", " /x", "\t/x", " \t h/x", "GET /x/", "GET \t/x/{y}",
		"/%zz", "/a%", "/%", "/:%zz", "/*%zz", "/:", "/:1", "/*a-b", "/:-%41", "/*%41-", "/:%2D%41", "/%3Aid", "/%2A", "/%2a", "/a:b", "/a*b",
		"/é", "/%C3%A9", "/%c3%a9", "/{é}", "/{_1}/{type}", "/%41", "/a%2Fb", "/x%2Fy/{z}", "h/{x}", "h/x/{$}", "/x/{$}", "/x/{y...}", "h:80/x",
	} {
		router, mux := New(), http.NewServeMux()
		router.HandleFunc(text, showMatch)
		mux.HandleFunc(text, showMatch)
		for _, method := range []string{"GET", "POST", "G^~"} {
			for _, target := range targets {
				for _, host := range []string{"h", "other"} {
					u := &url.URL{Path: target}
					if path, err := url.PathUnescape(target); err == nil {
						u = &url.URL{Path: path, RawPath: target}
					}
					request := func() *http.Request { return &http.Request{Method: method, URL: u, Host: host, RequestURI: target} }
					got, want := httptest.NewRecorder(), httptest.NewRecorder()
					router.ServeHTTP(got, request())
					mux.ServeHTTP(want, request())
					assert.Equal(t, fmt.Sprint(want.Code, want.Body), fmt.Sprint(got.Code, got.Body), "%q: %s %s, host %s", text, method, target, host)
				}
			}
		}
	}
}

// showMatch answers with the pattern and the values of its parameters.
func showMatch(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, r.Pattern)
	for _, seg := range strings.Split(r.Pattern, "/")[1:] {
		if name, ok := strings.CutPrefix(seg, "{"); ok {
			name = strings.TrimSuffix(strings.TrimSuffix(name, "}"), "...")
			fmt.Fprintf(w, " %s=%q", name, r.PathValue(name))
		}
	}
}

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
