package segue_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// Patterns that are refused, and how the error shows what is wrong with them.

// A wrongPattern is a registration that is refused, with the two lines that a
// terminal shows, the text and the caret below it, and what the reason says.
type wrongPattern struct {
	call, text    string // GET("/x"): GET /x
	shown, caret  string
	reason, write string // of the reason, what is wrong and how to write it right
}

// register makes the call.
func (w wrongPattern) register() error {
	return testkit.PanicOf(func() {
		switch w.call {
		case "Handle":
			segue.New().Handle(w.text, http.NotFoundHandler())
		case "Mount":
			segue.New().Mount(w.text, segue.New())
		case "Any":
			segue.New().Any(w.text, shows)
		default:
			segue.New().Method(w.call, w.text, http.NotFoundHandler())
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
	{"Handle", "h{x}/y", "h{x}/y", " ^", "its first label", `begins with "/"`},
	{"Handle", "{x}/y", "{x}/y", "^", "its first label", `begins with "/"`},
	{"Handle", "GET h{x}/y", "GET h{x}/y", "     ^", "its first label", `begins with "/"`},
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
	{"Handle", "/a/{b-c...}", "/a/{b-c...}", "     ^", "a name is letters, digits and _", "write {b_c...}"},
	{"Handle", "/a/:id", "/a/:id", "   ^", "a colon is a literal here", "write {id}, or %3A"},
	{"Handle", "/a/*", "/a/*", "   ^", "a star is a literal here", "write {path...} for the rest, or %2A"},
	{"Handle", "/a/*path", "/a/*path", "   ^", "a star is a literal here", "write {path...} for the rest, or %2A"},
	{"GET", "a", "GET a", "    ^", `begins with "/"`, "is for Handle"},
	{"GET", "GET /x", "GET GET /x", "    ^", "the method is in the name of the call", `write "/x"`},
	{"GET", "get /x", "GET get /x", "    ^", `begins with "/"`, "is for Handle"},
	{"GET", "/a/b?c", "GET /a/b?c", "        ^", "a query is no part of a path", "write %3F"},
	{"GET", "/a/{id:[0-9]+}", "GET /a/{id:[0-9]+}", "          ^", "no regular expression", "write {id}"},
	{"GET", "/a/{user-id}", "GET /a/{user-id}", "            ^", "letters, digits and _", "write {user_id}"},
	{"Handle", "h:80/x", "h:80/x", " ^", "compared without their port", `write "h"`},
	{"Handle", "GET [::1]:80/x", "GET [::1]:80/x", "         ^", "compared without their port", `write "[::1]"`},
	{"Handle", "*.h.example/x", "*.h.example/x", "^", "a star in a host is a literal", "write {name}.h.example"},
	{"Any", "a", "a", "^", `begins with "/"`, "is for Handle"},
	{"GET", "/a b", "GET /a b", "      ^", "white space in a path", "write %20 or %09"},
	{"Any", "/\tb", "/\uFFFDb", " ^", "white space in a path", "write %20 or %09"},
	{"GET", "/a/./b", "GET /a/./b", "       ^", dots, "cleaned first"},
	{"GET", "/:", "GET /:", "     ^", "a wildcard needs a name", "write {name}"},
	{"GET", "/:1", "GET /:1", "      ^", "begins with no digit", "write {name}"},
	{"GET", "/*", "GET /*", "     ^", "a wildcard needs a name", "write {path...}"},
	{"GET", "/*a-b", "GET /*a-b", "       ^", "a name is letters, digits and _", "write {a_b...}"},
	{"GET", "/a/*p/b", "GET /a/*p/b", "       ^", "a rest takes everything", "it must be last"},
	{"delete", "/a", "delete /a", "^", "methods are case-sensitive", "write DELETE"},
	{"G T", "/a", "G T /a", " ^", "a method is a token", "such as GET"},
	{"Mount", "a", "a", "^", `a prefix begins with "/"`, `write "/a"`},
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
		var wrong *segue.PatternError
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
			muxErr := testkit.PanicOf(func() { http.NewServeMux().HandleFunc(method+" /x", shows) })
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
