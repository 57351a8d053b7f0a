package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

var parseSeeds = []string{
	"/",                                           // the shortest pattern
	"",                                            // no pattern at all
	" ",                                           // an empty method and nothing behind it
	"GET /users/{id}",                             // the ordinary one
	"GET \t h.example/{x}/{$}",                    // several blanks, a host, an end
	"get /x",                                      // a standard method that no client sends so
	"purge /x",                                    // a method of one's own may be in lower case
	"G(T /x",                                      // no token
	"GET",                                         // a method alone is a host without a path
	"h/{x}",                                       // a host alone
	"h{x}/y",                                      // a brace before the path
	"{x}.h.example/y",                             // a parameter for the host's first label
	"GET {x}.H.Example./{y}",                      // the same with all that may be around it
	"{x}.h/{x...}",                                // its name once more in the path
	"{x}.{y}.h/",                                  // two labels
	"h.{x}/",                                      // not the first one
	"{x}y.h/",                                     // not the whole of it
	"{x}/y",                                       // no host around it
	"{x}./y",                                      // nor here
	"{x-y}.h/",                                    // a name that is no name
	"{x}.h:80/",                                   // a port
	" {A}. 0/0",                                   // a blank in a host
	":/", "h:p/", "[::1]:/", "[a]b:80/", "a:b:1/", // and what is taken for one
	"h}/{x}",                               // a brace that nothing opened
	"/a/{x}/b/{x}",                         // one name twice
	"/a/{}",                                // a name without a letter
	"/a/{...}",                             // a rest without a name
	"/a/{x...}/b",                          // a rest that is not last
	"/a/{$}/b",                             // an end that is not last
	"/a{x}",                                // a wildcard that is not the whole segment
	"/{x}a",                                // the same from the other side
	"/{x",                                  // never closed
	"/{a b}",                               // a name that is no name
	"/{1}",                                 // nor is this
	"/{é}/{type}",                          // these are
	"/users/:id/*rest",                     // Express: dead in Handle, alive in GET
	"/a/*",                                 // nameless
	"/a/:",                                 // nameless too
	"/a/:x...",                             // both notations at once
	"/a/{:x}",                              // both again
	"/x:y/a*b",                             // ordinary literals
	"/%3Aid/%2A",                           // how to write those literals in front
	"//a",                                  // unclean, legal without a method
	"GET /a/../b",                          // unclean with one
	"CONNECT //a",                          // CONNECT may be unclean
	"/a%2Fb/%zz/%",                         // encoded, and badly encoded
	"/%7Bx%7D",                             // encoded braces are no wildcard
	"/a\x00b/\xff\xfe",                     // bytes that no text has
	"/\u2028\n\r\"`",                       // what would break an error's lines
	"/" + strings.Repeat("a/", 99) + "{x}", // depth
	"/{" + strings.Repeat("n", 300) + "}",  // a long name
}

// FuzzParse registers any text, by Handle and by GET. What is refused is
// refused with an error that names the text, and what ServeMux takes is taken,
// but for what the documentation refuses.
func FuzzParse(f *testing.F) {
	for _, text := range parseSeeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if fault := fuzzListed(text); fault != "" {
			t.Error(fault)
		}
		if fault := fuzzHandle(text); fault != "" {
			t.Errorf("Handle(%q): %s", text, fault)
		}
		if fault := fuzzGET(text); fault != "" {
			t.Errorf("GET(%q): %s", text, fault)
		}
	})
}

// fuzzListed says where Routes and Lookup tell something else of a pattern than
// the oracle does, under prefixes too.
func fuzzListed(text string) string {
	for _, prefix := range []string{"", "/m", "/{org}/x%2Fy", "H.Example", "{Org}.Example./x%2Fy"} {
		for _, r := range []enumRoute{muxRoute(text), verbRoute("GET " + text), verbRoute(text)} {
			app, inner := segue.New(), segue.New()
			if prefix == "" {
				inner = app
			} else {
				app.Mount(prefix, inner)
			}
			if testkit.PanicOf(func() { r.register(inner, fuzzHandler) }) != nil {
				continue
			}
			r.Mount = prefix
			if fault := r.listedFault(app); fault != "" {
				return fmt.Sprintf("%v: %s", r, fault)
			}
		}
	}
	return ""
}

// listedFault says what is wrong with how the app's one route is listed, and
// found by a path that it matches.
func (r enumRoute) listedFault(app *segue.Router) string {
	o, routes := r.oracle(0), slices.Collect(app.Routes())
	if len(routes) != 1 {
		return fmt.Sprintf("%d routes", len(routes))
	}
	got := routes[0]
	if r.Mount != "" {
		o.pattern = strings.TrimPrefix(blanks.ReplaceAllString(o.pattern, "$1 "), " ") // joined anew, with one behind a method
	}
	if got.Pattern != o.pattern || got.Method != o.method || oracleHostOf(got.Host) != o.host {
		return fmt.Sprintf("listed as %q, method %q, host %q", got.Pattern, got.Method, got.Host)
	}
	u, err := url.Parse(o.example())
	if err != nil || !fuzzASCII(o.host.name) {
		return ""
	}
	q := newEnumURLRequest(cmp.Or(o.method, "GET"), o.host.example(), u)
	m, want := app.Lookup(&q.request), oracle{o}.answer(q.request.Method, q.request.Host, q.escaped, q.query)
	if m.Status != want.status || m.Route.Pattern != want.pattern || !maps.Equal(m.Params, want.params) {
		return fmt.Sprintf("%v is answered by %+v, the oracle says %v", q, m, want)
	}
	return ""
}

var blanks = regexp.MustCompile(`^([^/ \t]*)[ \t]+`)

// What is listed is what was written: in both languages, encoded or not, with
// all that stands at an end.
func TestEveryPatternIsListed(t *testing.T) {
	for _, text := range []string{
		"/", "/{$}", "/{x}", "/{x...}", "/a", "/a/", "/a/{$}", "/a/{x}/", "/a/{x}/{$}", "/a/{x}/b/{y...}", "//a", "/a//", "/./a/..",
		"/%61/%2F/%7Bx%7D/%zz/%", "/é/{é}", "GET /a", "GET  \t h.example/a", "purge H.Example./{x}/", "h/", "GET h/{$}", "/$/{$}", "/...}/x}",
		"{x}.h/", "GET  {Org}.H.Example./{x}/{$}", "{x}.h/{org}", "h}.example/a", "{x}..h/",
		"/:x", "/:x/", "/a/{x}/*rest", "/*rest", "/{rest...}", "/a/%2E/%7Bx%7D", "/a:b/c*d", "/%3Aid", "PROPFIND /:x",
	} {
		assert.Empty(t, fuzzListed(text), "%q", text)
	}
}

func fuzzHandler(http.ResponseWriter, *http.Request) {}

// fuzzHandle says what is wrong with the answer to a registration by Handle.
func fuzzHandle(text string) string {
	err := testkit.PanicOf(func() { segue.New().Handle(text, http.HandlerFunc(fuzzHandler)) })
	meaning := fuzzHost(text)
	muxErr := testkit.PanicOf(func() { http.NewServeMux().HandleFunc(meaning, fuzzHandler) })
	refused := muxErr != nil || fuzzRefused(text)
	if refused != (err != nil) {
		return fmt.Sprintf("refused %v, but ServeMux %v", err, muxErr)
	}
	return fuzzError(text, err)
}

// fuzzHost writes a pattern whose host has a parameter for ServeMux, which has
// none there: with a host that a request may have, and the parameter as the first
// segment of the path. What is no parameter of a host stays as it is.
func fuzzHost(text string) string {
	head, host := "", text
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		host = strings.TrimLeft(text[i:], " \t")
		head = strings.TrimSuffix(text, host)
	}
	slash := strings.Index(host, "/")
	if slash < 0 {
		return text
	}
	label, domain, found := strings.Cut(host[:slash], ".")
	name, closed := strings.CutSuffix(label, "}")
	name, opened := strings.CutPrefix(name, "{")
	if !found || !closed || !opened || !fuzzName(name) || strings.Trim(domain, ".") == "" {
		return text
	}
	return head + "v." + domain + "/" + label + host[slash:]
}

// fuzzRefused are the patterns that ServeMux takes and segue does not:
// standard methods not in capitals, hosts with a port or a star, the wildcards of
// Express, and, since a CONNECT on an unclean path is always 404, routes for that.
func fuzzRefused(text string) bool {
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		method := text[:i]
		path := text[strings.Index(text, "/"):]
		if method == "CONNECT" && path != oracleClean(path) {
			return true
		}
		if upper := strings.ToUpper(method); upper != method && slices.Contains(strings.Fields(
			"GET HEAD POST PUT PATCH DELETE CONNECT OPTIONS TRACE"), upper) {
			return true
		}
	}
	segs := strings.Split(text, "/")
	host := strings.TrimLeft(segs[0][strings.IndexAny(segs[0], " \t")+1:], " \t")
	return fuzzDeadHost.MatchString(host) || slices.ContainsFunc(segs[1:], fuzzExpress)
}

// fuzzDeadHost are the hosts that no request has: what follows their colon is cut
// from a request's host as its port.
var fuzzDeadHost = regexp.MustCompile(`^(?s:\*\..*|[^:\[\]]*:[^:\[\]]*|\[[^\[\]]*\]:[^:\[\]]*)$`)

func fuzzExpress(seg string) bool {
	name, star := strings.CutPrefix(seg, "*")
	name, colon := strings.CutPrefix(name, ":")
	return star != colon && (fuzzName(name) || seg == "*")
}

// fuzzName is the rule that net/http has for names.
func fuzzName(s string) bool {
	for i, c := range s {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return s != ""
}

// fuzzError says what is wrong with the error itself.
func fuzzError(text string, err error) string {
	var wrong *segue.PatternError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &wrong):
		return fmt.Sprintf("panics with a %T: %v", err, err)
	case wrong.Offset < 0 || wrong.Offset > len(wrong.Pattern):
		return fmt.Sprintf("offset %d in %q", wrong.Offset, wrong.Pattern)
	case !strings.Contains(wrong.Pattern, text):
		return fmt.Sprintf("the error has the pattern %q", wrong.Pattern)
	case wrong.Reason == "":
		return "no reason"
	}
	quoted := strconv.Quote(text)
	if !strings.Contains(err.Error(), text) && !strings.Contains(err.Error(), quoted[1:len(quoted)-1]) {
		return "the text does not name the pattern: " + err.Error()
	}
	return ""
}

// fuzzGET is fuzzHandle for GET: ServeMux must take what the path means.
func fuzzGET(path string) string {
	err := testkit.PanicOf(func() { segue.New().GET(path, fuzzHandler) })
	meaning, ok := fuzzMeaning(path)
	muxErr := testkit.PanicOf(func() { http.NewServeMux().HandleFunc(meaning, fuzzHandler) })
	if refused := !ok || muxErr != nil; refused != (err != nil) {
		return fmt.Sprintf("refused %v, but ServeMux's answer to %q is %v", err, meaning, muxErr)
	}
	return fuzzError(path, err)
}

// fuzzMeaning writes the path of a verb for ServeMux; false is what is no path
// of a verb, whatever ServeMux says.
func fuzzMeaning(path string) (pattern string, ok bool) {
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " \t") {
		return "", false // r.Pattern would show a host, or another method
	}
	segs := strings.Split(path[1:], "/")
	for i, s := range segs {
		switch {
		case strings.HasPrefix(s, ":"), strings.HasPrefix(s, "*"):
			if !fuzzName(s[1:]) {
				return "", false
			}
			segs[i] = oracleExpress(s)
		case strings.Contains(s, "?") && !strings.Contains(s, "{"):
			return "", false // a query is no part of a path
		}
	}
	if segs[len(segs)-1] == "" {
		segs[len(segs)-1] = "{$}"
	}
	return "GET /" + strings.Join(segs, "/"), true
}

// lookupSeeds are the routes, and a request that they make hard.
var lookupSeeds = []struct{ routes, method, host, target string }{
	// The literal child cannot go on, the parameter child can.
	{"mux /users/new\nmux /users/{id}/posts", "GET", "", "/users/new/posts"},
	// Two levels up again.
	{"verb GET /a/:b/c\nverb GET /a/c/d\nverb GET /:e/c/f", "GET", "", "/a/c/f"},
	// The best path lacks the method; HEAD is GET's; any comes last.
	{"mux GET /a\nmux POST /{x}\nverb /{y...}", "POST", "", "/a"},
	{"verb HEAD /:x\nverb GET /a\nverb /a", "HEAD", "", "/a"},
	// A rest that took something gives way to the exact other spelling.
	{"verb GET /*r\nverb GET /ping\nmux /pong/", "GET", "", "/ping/?q"},
	{"verb GET /*r\nverb GET /ping\nmux /pong/", "OPTIONS", "", "/pong"},
	// Cleaning and the slash are one redirect; the encoding stays.
	{"mux /a/\nmux /{x}/b%20c/", "GET", "", "//./a%2F/b%20c?x=%20"},
	// A query that no header may hold.
	{"mux /\nmux /a/", "GET", "", "//a?\xce=\xff"},
	// Automatic OPTIONS beside a less specific route for any method.
	{"verb POST /a\nmux /\nmux GET /b", "OPTIONS", "", "/a"},
	{"verb POST /a\nmux OPTIONS /{p...}", "OPTIONS", "", "/a"},
	// 405 joins what both spellings have.
	{"mux GET /a\nverb PUT /a/\nverb DELETE /:x", "PATCH", "", "/a"},
	// A host before none, whatever the path and the method.
	{"mux h/{x...}\nmux GET /a\nverb /a", "POST", "H.:80", "/a"},
	{"mux GET h/a\nmux H./b\nmux /a", "POST", "[::1]:80", "/a"},
	// The very host before one whose label is a parameter, before none; the method
	// and the other spelling may be on any of them.
	{"mux GET x.h/a\nmux POST {t}.h/{y}\nmux /a", "POST", "X.H.:80", "/a"},
	{"mux x.h/{y...}\nmux GET {t}.h/a/\nverb OPTIONS /a", "OPTIONS", "x.h", "/a"},
	{"mux {t}.h/{y}\nmux {u}.H./{y}\nmux {t}.x.h/a", "GET", "y.x.h", "/a"},
	{"mux {t}.h/a\nverb /:t", "GET", ".h", "/a"},
	// An encoded slash, an encoded dot, an encoded percent: values.
	{"mux /a/{x}\nmux /{x}/b\nmux /a/{$}", "GET", "", "/a/%2F"},
	{"mux /{x}\nverb GET /:x/:y", "GET", "", "/%2e%2E/%252F"},
	// A zero byte is not the padding of a short segment.
	{"mux /a\nmux /a%00\nmux /{x}", "GET", "", "/a%00"},
	{"mux /a\x00\nmux /a%00%00\nmux /a", "GET", "", "/a%00%00"},
	{"verb GET /%00\nverb GET /\x00%00\nverb GET /*r", "GET", "", "/%00"},
	// Bytes from 0x80 on, in all eight places of a word.
	{"mux /\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\nmux /%80\nmux /{x}", "GET", "", "/%FF%fe%fd%fc%fb%fa%f9%f8"},
	{"mux /%80%80%80%80%80%80%80%80\nmux /%00%80%80%80%80%80%80%80\nmux /{x}", "GET", "", "/%80%80%80%80%80%80%80%80"},
	// Around one and two words, a difference in the first, a middle and the
	// last byte.
	{"mux /abcdefg\nmux /Xbcdefg\nmux /abcXefg\nmux /abcdefX\nmux /{x}", "GET", "", "/abcdefX"},
	{"mux /abcdefgh\nmux /Xbcdefgh\nmux /abcdXfgh\nmux /abcdefgX\nmux /{x}", "GET", "", "/abcdefgX"},
	{"mux /abcdefghi\nmux /Xbcdefghi\nmux /abcdXfghi\nmux /abcdefghX\nmux /{x}", "GET", "", "/abcdXfghi"},
	{"mux /abcdefghijklmno\nmux /Xbcdefghijklmno\nmux /abcdefgXijklmno\nmux /abcdefghijklmnX\nmux /{x}", "GET", "", "/abcdefgXijklmno"},
	{"mux /abcdefghijklmnop\nmux /Xbcdefghijklmnop\nmux /abcdefghXjklmnop\nmux /abcdefghijklmnoX\nmux /{x}", "GET", "", "/Xbcdefghijklmnop"},
	{"mux /abcdefghijklmnopq\nmux /Xbcdefghijklmnopq\nmux /abcdefghXjklmnopq\nmux /abcdefghijklmnopX\nmux /{x}", "GET", "", "/abcdefghXjklmnopq"},
	// The same first and last eight bytes and length, another middle.
	{"mux /abcdefgh0stuvwxyz\nmux /abcdefgh1stuvwxyz\nmux /{x}", "GET", "", "/abcdefgh2stuvwxyz"},
	// Literals that are prefixes of one another.
	{"mux /a/b\nmux /aa/b\nmux /aaaaaaaa/b\nmux /aaaaaaaaa/b\nmux /{x}/c", "GET", "", "/aaaaaaaaa/c"},
	{"mux /abcdefgh\nmux /abcdefghi\nmux /abcdefg\nmux /", "GET", "", "/abcdefghi/"},
	// Spellings of one literal.
	{"mux /%61%62\nmux /a%2fb\nverb GET /%zz", "GET", "", "/%25zz"},
	// Unclean patterns never match, and do no harm.
	{"mux //a\nmux /a//{x}\nmux /a/../b\nmux /{x}/{y}", "GET", "", "/a//b"},
	// No path, the asterisk, a path without its slash.
	{"mux /\nverb GET /", "GET", "", ""},
	{"mux /\nverb GET /", "OPTIONS", "", "*"},
	{"mux /a", "GET", "", "a"},
	{"mux /{x}", "CONNECT", "h:443", "/a//b"},
}

// FuzzLookup holds a small set of routes against the oracle, and against
// ServeMux where it takes them. Each line of routes is a dialect and a
// pattern; the target is tried as what a client sends, as a decoded path, and
// as a raw path beside it.
func FuzzLookup(f *testing.F) {
	for _, seed := range lookupSeeds {
		f.Add(seed.routes, uint8(len(seed.routes)), seed.method, seed.host, seed.target)
	}
	f.Fuzz(func(t *testing.T, routes string, policy uint8, method, host, target string) {
		if !fuzzASCII(host) || len(routes) > 400 {
			return
		}
		s, ok := fuzzSet(t, routes, segue.SlashPolicy(policy%3))
		if !ok {
			return
		}
		router, err := s.router()
		if err != nil {
			t.Fatalf("%vtogether refused: %v", s, err)
		}
		c, w, m := &enumCheck{t: t}, &enumWriter{header: http.Header{}, set: s}, s.serveMux()
		for _, u := range fuzzURLs(target) {
			for _, method := range []string{fuzzMethod(method), "GET", "HEAD", "OPTIONS"} {
				q := newEnumURLRequest(method, host, u)
				if fault := c.fault(w, router, m, q); fault != "" {
					t.Fatalf("%v%v\n%s", s, q, fault)
				}
			}
		}
	})
}

// fuzzSet is what the router takes of the routes; what it refuses for a
// conflict must be one.
func fuzzSet(t *testing.T, text string, policy segue.SlashPolicy) (s enumSet, ok bool) {
	router := segue.New()
	s.policies = map[string]segue.SlashPolicy{"": policy}
	var o oracle
	for line := range strings.SplitSeq(text, "\n") {
		dialect, pattern, _ := strings.Cut(line, " ")
		r := enumRoute{Dialect: dialect, Pattern: pattern}
		if dialect != "mux" && dialect != "verb" {
			continue
		}
		err := testkit.PanicOf(func() { r.register(router, fuzzHandler) })
		var wrong *segue.PatternError
		if errors.As(err, &wrong) {
			continue
		}
		route := r.oracle(policy)
		if !fuzzASCII(route.host.name) {
			return s, false // whose case, nobody says
		}
		if conflict := slices.ContainsFunc(o, route.conflict); conflict != (err != nil) {
			t.Fatalf("%s%v: refused %v, want refused %v", s, r, err, conflict)
		}
		if err == nil {
			s.routes, o = append(s.routes, r), append(o, route)
		}
	}
	return s.withOracle(), len(s.routes) > 0
}

// fuzzURLs reads a target in every way that a request may carry it.
func fuzzURLs(target string) (all []*url.URL) {
	if u, err := url.ParseRequestURI(target); err == nil {
		all = append(all, u)
	}
	path, query, _ := strings.Cut(target, "?")
	all = append(all,
		&url.URL{Path: path, RawQuery: url.QueryEscape(query)}, // decoded already
		&url.URL{Path: oracleDecode(path), RawPath: path},      // raw, also where that is not needed
		&url.URL{Path: "/a/" + path, RawPath: path})            // raw and wrong: of no account
	return all
}

// fuzzMethod keeps what a server would let through.
func fuzzMethod(method string) string {
	if _, err := http.NewRequest(method, "/", nil); err != nil || method == "" {
		return "GET"
	}
	return method
}

func fuzzASCII(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c > unicode.MaxASCII })
}
