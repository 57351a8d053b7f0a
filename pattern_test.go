package segue_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

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

const (
	dots  = "an empty or dot segment never matches"
	whole = "a wildcard is a whole segment"
	label = "a parameter in a host is its first label"
)

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
	{"Handle", "/a/{x}/b/{x}", "/a/{x}/b/{x}", "         ^", "the name x occurs twice", "each parameter needs its own"},
	{"Handle", "GET /a/../b", "GET /a/../b", "       ^", dots, "cleaned first"},
	{"Handle", "GET //a", "GET //a", "     ^", dots, "cleaned first"},
	{"Handle", "GET h//a", "GET h//a", "      ^", dots, "cleaned first"},
	{"Handle", "/é/a{x}", "/é/a{x}", "   ^", whole, "write only {name}"},
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
	{"GET", "a", "GET a", "    ^", `begins with "/"`, "use Handle"},
	{"GET", "GET /x", "GET GET /x", "    ^", "the method is in the name of the call", `write "/x"`},
	{"GET", "get /x", "GET get /x", "    ^", `begins with "/"`, "use Handle"},
	{"GET", "/?c", "GET /?c", "     ^", "a query is not part of a path", "write %3F"},
	{"GET", "/a/b?c", "GET /a/b?c", "        ^", "a query is not part of a path", "write %3F"},
	{"GET", "/a/{id:[0-9]+}", "GET /a/{id:[0-9]+}", "          ^", "no regular expression", "write {id}"},
	{"GET", "/{1:2}", "GET /{1:2}", "      ^", "begins with no digit", "write {name}"},
	{"GET", "/a/{user-id}", "GET /a/{user-id}", "            ^", "letters, digits and _", "write {user_id}"},
	{"Handle", "h{x}.org/y", "h{x}.org/y", " ^", label, "{tenant}.example.com/"},
	{"Handle", ":80/x", ":80/x", "^", "compared without their port", "{tenant}.example.com/"},
	{"Handle", "h:/x", "h:/x", " ^", "compared without their port", `write "h"`},
	{"Handle", "h:p/x", "h:p/x", " ^", "compared without their port", `write "h"`},
	{"Handle", "[::1]:/x", "[::1]:/x", "     ^", "compared without their port", `write "::1"`},
	{"Handle", ":t.example.com/x", ":t.example.com/x", "^", "compared without their port", "{tenant}.example.com/"},
	{"Mount", ":t.h.org/m", ":t.h.org/m", "^", "compared without their port", "{tenant}.example.com/"},
	{"Handle", "h:8/x", "h:8/x", " ^", "compared without their port", `write "h"`},
	{"Handle", "h:80/x", "h:80/x", " ^", "compared without their port", `write "h"`},
	{"Handle", "GET [::1]:80/x", "GET [::1]:80/x", "         ^", "compared without their port", `write "::1"`},
	{"Handle", "*.h.example/x", "*.h.example/x", "^", "a star in a host is a literal", "write {name}.h.example"},
	{"Handle", "*.h.example:80/x", "*.h.example:80/x", "^", "a star in a host is a literal", "write {name}.h.example"},
	{"Handle", "{x}/", "{x}/", "^", label, "{tenant}.example.com/"},
	{"Handle", "{x}./", "{x}./", "^", label, "{tenant}.example.com/"},
	{"Handle", "{x}../", "{x}../", "^", label, "{tenant}.example.com/"},
	{"Handle", "{x.org/", "{x.org/", "^", label, "{tenant}.example.com/"},
	{"Handle", "{x}y.org/", "{x}y.org/", "^", label, "{tenant}.example.com/"},
	{"Handle", "GET {x}.{y}.org/", "GET {x}.{y}.org/", "    ^", label, "{tenant}.example.com/"},
	{"Handle", "GET www.{x}.org/", "GET www.{x}.org/", "        ^", label, "{tenant}.example.com/"},
	{"Handle", "{}.org/", "{}.org/", "^", "a wildcard needs a name", "write {name}"},
	{"Handle", "GET {1}.org/", "GET {1}.org/", "     ^", "begins with no digit", "write {name}"},
	{"Handle", "{$}.org/", "{$}.org/", " ^", "a name is letters, digits and _", "write {name}"},
	{"Handle", "{x...}.org/", "{x...}.org/", " ^", "a name is letters, digits and _", "write {name}"},
	{"Handle", "{ten-ant}.org/", "{ten-ant}.org/", "    ^", "a name is letters, digits and _", "write {ten_ant}"},
	{"Handle", "{x}.org:80/", "{x}.org:80/", "       ^", "compared without their port", `write "{x}.org"`},
	{"Handle", "GET {x}.org/a/{x}", "GET {x}.org/a/{x}", "              ^", "the name x occurs twice", "each parameter needs its own"},
	{"Handle", "{x}.org/{x...}", "{x}.org/{x...}", "        ^", "the name x occurs twice", "each parameter needs its own"},
	{"Handle", "GET {x}.org//", "GET {x}.org//", "            ^", dots, "cleaned first"},
	{"GET", "{x}.org/a", "GET {x}.org/a", "    ^", `begins with "/"`, "use Handle"},
	{"Any", "a", "a", "^", `begins with "/"`, "use Handle"},
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
	{"Mount", "m/n/", "m/n/", "^", `a prefix begins with "/"`, `write "/m/n"`},
	{"Mount", ":id", ":id", "^", `a prefix begins with "/"`, `write "/:id"`},
	{"Mount", "../m", "../m", "^", `a prefix begins with "/"`, "a host that has a dot"},
	{"Mount", "GET h.org/m", "GET h.org/m", "^", "a prefix takes no method", ""},
	{"Mount", "G /m", "G /m", "^", "a prefix takes no method", ""},
	{"Mount", " /m", " /m", "^", "white space in a prefix", "write %20 or %09"},
	{"Mount", "h.org/a b", "h.org/a b", "       ^", "white space in a prefix", "write %20 or %09"},
	{"Mount", "h.org:80/m", "h.org:80/m", "     ^", "compared without their port", `write "h.org"`},
	{"Mount", "*.h.org", "*.h.org", "^", "a star in a host is a literal", "write {name}.h.org"},
	{"Mount", "{x}/m", "{x}/m", "^", label, "{tenant}.example.com/"},
	{"Mount", "h.{x}.org", "h.{x}.org", "  ^", label, "{tenant}.example.com/"},
	{"Mount", "{1}.org/", "{1}.org/", " ^", "begins with no digit", "write {name}"},
	{"Mount", "{x}.org/:x/", "{x}.org/:x/", "        ^", "the name x occurs twice", "each parameter needs its own"},
	{"Mount", "h.org//", "h.org//", "      ^", dots, "cleaned first"},
	{"Mount", "h.org/../a", "h.org/../a", "      ^", dots, "cleaned first"},
	{"Mount", "h.org/{$}", "h.org/{$}", "      ^", "cannot end in a rest or {$}", "decides what follows"},
	{"Mount", "h.org/a/{p...}/", "h.org/a/{p...}/", "        ^", "cannot end in a rest or {$}", "decides what follows"},
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
		assert.Equal(t, strings.IndexByte(w.caret, '^'), utf8.RuneCountInString(wrong.Pattern[:wrong.Offset]), "%s(%q)", w.call, w.text)
		assert.Contains(t, wrong.Reason, w.reason, "%s(%q)", w.call, w.text)
		assert.Contains(t, wrong.Reason, w.write, "%s(%q)", w.call, w.text)
		assert.Contains(t, lines[0], fmt.Sprintf("pattern %q ", wrong.Pattern), "%s(%q)", w.call, w.text)
		assert.Contains(t, lines[0], fmt.Sprintf("offset %d: %s", wrong.Offset, wrong.Reason), "%s(%q)", w.call, w.text)
	}
}

// Hosts are compared without regard to their letters' case, to a port and to a
// final dot. The label of a parameter is one, is never empty and comes in small
// letters; what else stands in it is as it came.
func TestHosts(t *testing.T) {
	app := segue.New()
	for _, host := range []string{"Api.Example.org", "{tenant}.example.ORG.", "{T}.api.example.org", "{x}.xn--bcher-kva.example", "[::1]", "::1", "{n}.0.0.1"} {
		app.HandleFunc(host+"/{id}", shows)
	}
	app.HandleFunc("/{id}", shows)
	for host, want := range map[string]string{
		"api.example.org":                "Api.Example.org/{id} id=7",
		"API.example.org.:8080":          "Api.Example.org/{id} id=7",
		"acme.example.org":               "{tenant}.example.ORG./{id} tenant=acme id=7",
		"ACME.Example.Org:443":           "{tenant}.example.ORG./{id} tenant=acme id=7",
		"acme.example.org.":              "{tenant}.example.ORG./{id} tenant=acme id=7",
		"a%2Fb+c_d.example.org":          "{tenant}.example.ORG./{id} tenant=a%2fb+c_d id=7",
		"xn--mnchen-3ya.example.org":     "{tenant}.example.ORG./{id} tenant=xn--mnchen-3ya id=7",
		"Acme.Api.example.org.:1":        "{T}.api.example.org/{id} T=acme id=7",
		"a.b.api.example.org":            "/{id} id=7",
		"a.b.example.org":                "/{id} id=7",
		".example.org":                   "/{id} id=7",
		"example.org":                    "/{id} id=7",
		"acme.example.org..":             "/{id} id=7",
		"{}.example.org":                 "{tenant}.example.ORG./{id} tenant={} id=7",
		"Der.XN--Bcher-KVA.example":      "{x}.xn--bcher-kva.example/{id} x=der id=7",
		"der.xn--bcher-kva.example:80":   "{x}.xn--bcher-kva.example/{id} x=der id=7",
		"der.b\u00fccher.example":        "/{id} id=7",
		"\u212aelvin.example.org":        "{tenant}.example.ORG./{id} tenant=\u212aelvin id=7",
		"[::1]":                          "[::1]/{id} id=7", // with a port it is as in ServeMux, which drops the brackets too
		"[::1]:8080":                     "::1/{id} id=7",
		"127.0.0.1:8080":                 "{n}.0.0.1/{id} n=127 id=7",
		"":                               "/{id} id=7",
		".":                              "/{id} id=7",
		"a.":                             "/{id} id=7",
		strings.Repeat("a.", 5000) + "h": "/{id} id=7",
	} {
		r, w := httptest.NewRequest("GET", "/7", nil), httptest.NewRecorder()
		r.Host = host
		m := app.Lookup(r)
		app.ServeHTTP(w, r)
		got := m.Route.Pattern
		for _, name := range []string{"tenant", "T", "x", "n", "id"} {
			value := r.PathValue(name)
			assert.Equal(t, m.Params[name], value, "%s: %s, Lookup and served", host, name)
			if value != "" {
				got += " " + name + "=" + value
			}
		}
		assert.Equal(t, 200, w.Code, host)
		assert.Equal(t, want, got, host)
	}
}

// A host with a port never matches a CONNECT either, whose Host has one.
func TestHostsOfConnect(t *testing.T) {
	app := segue.New()
	app.HandleFunc("CONNECT {x}.example.org/", shows)
	r := httptest.NewRequest("CONNECT", "/", nil)
	r.Host = "a.example.org:443"
	assert.Equal(t, map[string]string{"x": "a"}, app.Lookup(r).Params)
}

// These are hosts, and no port is cut from them. A single dot is one as well,
// and not the empty host.
func TestHostsWithoutPort(t *testing.T) {
	app, mux := segue.New(), http.NewServeMux()
	for _, pattern := range []string{"/x", " /blank", "GET \t /blanks", "8/x", "1:2:3/x", "./x", "b/x"} {
		app.HandleFunc(pattern, shows)
		mux.HandleFunc(pattern, shows)
	}
	for host, want := range map[string]string{"": "/x", "8": "8/x", ".": "./x", "b.": "b/x", "c": "/x"} {
		r := httptest.NewRequest("GET", "/x", nil)
		r.Host = host
		assert.Equal(t, want, app.Lookup(r).Route.Pattern, host)
	}
	for path, want := range map[string]string{"/blank": " /blank", "/blanks": "GET \t /blanks"} {
		r := httptest.NewRequest("GET", path, nil)
		assert.Equal(t, want, app.Lookup(r).Route.Pattern)
		_, pattern := mux.Handler(r)
		assert.Equal(t, want, pattern)
	}
}

// White space before a path does not go along into the router that mounts it.
func TestBlankBeforeMountedPath(t *testing.T) {
	app, sub := segue.New(), segue.New()
	sub.HandleFunc(" /x", shows)
	sub.HandleFunc("/:", shows) // a literal: there is no name that could be meant
	app.Mount("/m", sub)
	answers(t, app, map[string]string{"GET /m/x": "200 /m/x", "POST /m/x": "200 /m/x", "GET /m/:": "200 /m/:"})
}

// Two hosts are one if they differ in their case, a final dot, or the name of
// their parameter.
func TestHostsConflict(t *testing.T) {
	for _, c := range []struct{ first, second string }{
		{"{a}.x.org/", "{b}.x.org/"},
		{"{a}.x.org/", "{a}.X.ORG./"},
		{"GET {a}.x.org/{b}", "GET {b}.x.org/{a}"},
		{"a.x.org/", "A.x.org./"},
	} {
		app := segue.New()
		app.HandleFunc(c.first, shows)
		err := testkit.PanicOf(func() { app.HandleFunc(c.second, shows) })
		var conflict *segue.ConflictError
		require.ErrorAs(t, err, &conflict, "%s beside %s", c.second, c.first)
		assert.Equal(t, c.first, conflict.Old.Pattern)
		assert.Equal(t, c.second, conflict.New.Pattern)
		assert.Contains(t, err.Error(), "pattern_test.go:")
		assert.Equal(t, []string{c.first}, patterns(app))
	}
	app := segue.New()
	for _, pattern := range []string{"/", "{a}.x.org/", "a.x.org/", "{a}.org/", "x.org/", "GET {b}.x.org/", "{b}.x.org/{a}", "{a}.a.x.org/"} {
		assert.NoError(t, testkit.PanicOf(func() { app.HandleFunc(pattern, shows) }), pattern)
	}
	assert.Len(t, patterns(app), 8)
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
