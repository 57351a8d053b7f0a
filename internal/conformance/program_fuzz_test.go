package conformance

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/segue-go/segue/internal/testkit"
)

// FuzzProgram reads the bytes as a program (see program_test.go): what users
// may do with a tree of routers, in any order, with requests in between. Every
// answer must be the oracle's: the status, the headers, the pattern, the
// parameters by every accessor, and which middlewares and handlers ran. So it
// must be when the same steps are taken in another order or without a request
// between them, and when nothing is merged in the compiled tries. Lookup,
// Handler and Explain must agree, and so must ServeMux where it takes the
// routes.
func FuzzProgram(f *testing.F) {
	for _, seed := range progSeeds {
		f.Add(progWritten(seed.text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if fault := runProgram(readProgram(b), nil); fault != "" {
			t.Fatal(reportProgram(readProgram(b)))
		}
	})
}

// The seeds, in the words of progWritten: what is done, on which router, with
// which method or variant, with which host or number, and the path. Mount,
// Group and With make router 1, then 2 and so on.
// A progSeed is a program with what it comes to, in the words of count.
type progSeed struct{ reaches, text string }

var progSeeds = []progSeed{
	// A dead end behind the literal; both languages.
	{"status 200, with parameters", `
	 Verb 0 GET - /a/b
	 Handle 0 GET - /{}/{}/c
	 Ask 0 GET - /a/b/c
	 Ask 0 HEAD - /a/b`},
	// A rest passed early answers late, but for the exact other spelling.
	{"redirected to the other spelling, status 307, compared with ServeMux", `
	 Verb 0 GET - /*
	 Verb 0 GET - /a/b/c
	 Handle 0 - - /b/
	 Ask 0 GET - /a/b/b
	 Ask 0 GET - /a/b/c/
	 Ask 0 GET - /b`},
	// 405 and 204 through the owner's middleware, over both spellings.
	{"status 405, status 204, MethodNotAllowed ran, a middleware ran", `
	 Group 0 1 0 /a
	 Use 1 0 0 /
	 Verb 1 POST - /b
	 Verb 1 PUT - /b/
	 Ask 0 DELETE - /a/b
	 Ask 0 OPTIONS - /a/b
	 NotAllowed 0 0 0 /
	 Ask 0 GET - /a/b/`},
	// The automatic OPTIONS of one path belongs to its first method by name.
	{"status 204, a middleware ran", `
	 With 0 1 0 /
	 Verb 1 GET - /a
	 Verb 0 POST - /a
	 Ask 0 OPTIONS - /a`},
	// One router under two prefixes, one with a parameter, and by itself.
	{"in a mount, in a router mounted twice", `
	 Mount 0 0 0 /a
	 Verb 1 GET - /
	 Verb 1 GET - /{}
	 Again 0 1 0 /b/{}
	 Use 1 1 0 /
	 Ask 0 GET - /a/v
	 Ask 0 GET - /b/a%2Fb/v
	 Ask 0 GET - /b/%252F/a%2Fb
	 Ask 0 GET - /b/v/
	 Ask 1 GET - /v`},
	// A plain handler and a ServeMux under Mount, with parameters before them.
	{"in a plain mount, in a mounted ServeMux, without PathValues", `
	 Plain 0 0 0 /a/{}
	 Plain 0 1 0 /b/{}
	 Values 0 0 0 /
	 Ask 0 GET - /a/v/a%2Fb/c/
	 Ask 0 GET - /b/v/c/b
	 Ask 0 POST - /b/v/b
	 Ask 0 GET - /b/a%2Fb`},
	// Whose NotFound, by the longest prefix, inside whose middleware.
	{"NotFound ran, status 404, a live change", `
	 Group 0 1 0 /a
	 Group 1 2 0 /b
	 NotFound 0 0 0 /
	 NotFound 1 0 0 /
	 Ask 0 GET - /a/b/c
	 Ask 0 GET - /c
	 With 2 1 0 /
	 Group 3 1 0 /c
	 NotFound 4 0 0 /
	 Ask 0 GET - /a/b/c/v`},
	// The error lists of the owner and of those around it.
	{"an error handler ran, a handler failed, a middleware failed", `
	 Group 0 0 0 /{}
	 Verb 1 GET fails /a
	 Use 0 6 0 /
	 Ask 0 GET - /v/a
	 Ask 0 GET stop /v/a/
	 OnError 0 1 0 /
	 OnError 1 0 0 /
	 OnError 1 2 0 /
	 Ask 0 GET - /v/b
	 Ask 0 POST - /v/a`},
	// Policies, inherited and set; the root of a mount under each.
	{"served in the other spelling", `
	 Mount 0 0 0 /a
	 Verb 1 GET - /
	 Verb 1 GET - /b
	 Slash 0 2 0 /
	 Ask 0 GET - /a/
	 Ask 0 GET - /a/b/
	 Slash 1 1 0 /
	 Ask 0 GET - /a/
	 Ask 0 OPTIONS - /a/b/`},
	// An unclean path, kept in one router alone.
	{"an unclean path served, redirected to the clean path", `
	 Group 0 1 0 /a
	 Verb 1 GET - /{}
	 Handle 1 - - /b/
	 Clean 1 0 0 /
	 Ask 0 GET - /a/..
	 Group 1 0 0 /c
	 Verb 2 GET - /{}
	 Ask 0 GET - /a/c/.
	 Ask 0 GET - /a/b//c
	 Ask 0 CONNECT - /a//b
	 Ask 0 GET - //a`},
	// Hosts before everything, and their OPTIONS.
	{"by a host", `
	 Handle 0 GET h1 /{}
	 Handle 0 - H2. /a/
	 Handle 0 GET - /a
	 Verb 0 POST - /a
	 Ask 0 GET h1 /a
	 Ask 0 GET H1.:80 /v
	 Ask 0 POST H1.:80 /a
	 Ask 0 OPTIONS h1 /a
	 Ask 0 GET h2 /a`},
	// The very host before a parameter, before none, whatever the path and the method.
	{"by a host, by a host's parameter, with parameters", `
	 Handle 0 GET x.h /a
	 Handle 0 GET {}.h /{}
	 Handle 0 POST {}.H. /a
	 Handle 0 - - /a/
	 Ask 0 GET X.H.:80 /a
	 Ask 0 POST x.h /a
	 Ask 0 GET Y.H /a
	 Ask 0 PUT y.h /a
	 Ask 0 OPTIONS x.h /a/
	 Ask 0 GET y.x.h /a
	 Ask 0 GET .h /a`},
	// Routers on a host: their misses, their 405s, their parameters, their
	// middleware, a host in a router that has none, one in a router mounted twice.
	{"in a mount on a host, a miss of a host's router, NotFound ran, status 405, a middleware ran, in a router mounted twice", `
	 Group 0 1 {}.h /
	 Verb 1 GET - /{}
	 Group 1 0 0 /a
	 Verb 2 GET - /b
	 NotFound 2 0 0 /
	 Group 0 1 0 /a
	 NotFound 3 0 0 /
	 Handle 3 GET x.h /b
	 Again 0 1 0 /c
	 Ask 0 GET y.h /a/v
	 Ask 0 GET y.h /c/v
	 Ask 0 GET h1 /c/v
	 Ask 0 GET h1 /a/v
	 Ask 0 GET x.h /a/b
	 Ask 0 POST x.h /v
	 Ask 0 OPTIONS Y.H /a/b
	 Values 1 0 0 /
	 Ask 0 GET Y.H /b/`},
	// A plain handler and a ServeMux on a host, with and without a path.
	{"in a plain mount, in a mounted ServeMux, in a mount on a host, without PathValues", `
	 Plain 0 0 {}.h /a/{}
	 Plain 0 1 {}.h /b
	 Values 0 0 0 /
	 Ask 0 GET Y.H /a/v/b
	 Ask 0 GET y.h /b/v/b
	 Ask 0 POST x.h /b/a%2Fb`},
	// A verb's route has a host, and another host one that names OPTIONS.
	{"by a host's parameter, status 200", `
	 Group 0 0 x.h /
	 Verb 1 GET - /a
	 Verb 1 GET - /b
	 Handle 0 OPTIONS {}.h /a
	 Verb 0 OPTIONS - /{}
	 Ask 0 OPTIONS x.h /a
	 Ask 0 OPTIONS y.h /a
	 Ask 0 OPTIONS x.h /b`},
	// Refused: two hosts on the way, by a route, a group, a mount.
	{"refused for two hosts, a miss of a host's router", `
	 Group 0 1 x.h /a
	 Handle 1 GET {}.h /b
	 Group 1 0 {}.h /c
	 Mount 0 0 0 /
	 Group 2 0 {}.h /
	 Again 1 2 0 /b
	 Verb 1 GET - /b
	 Ask 0 GET x.h /a/c
	 Ask 0 GET x.h /a/b`},
	// Changes while a request is on its way: its chain, its route, its miss.
	{"a change during a request", `
	 Use 0 1 0 /
	 Verb 0 GET - /a
	 Ask 0 GET during /a
	 Use 0 0 0 /
	 Ask 0 GET during /b
	 Verb 0 GET - /b
	 Ask 0 GET during /b/
	 Values 0 0 0 /`},
	// The same further in, while the outer chain still runs.
	{"a change during a request, in a mount", `
	 Use 0 0 0 /
	 Group 0 1 0 /a
	 Verb 1 GET - /b
	 Ask 0 GET during /a/b
	 Use 1 0 0 /
	 Ask 0 GET - /a/b`},
	// A setting changes between the match and the plain handler, which needs the
	// prefix's values now that its URL no longer has them.
	{"a change during a request, in a plain mount", `
	 Values 0 0 0 /
	 Plain 0 0 0 /{}
	 Use 0 0 0 /
	 Ask 0 GET during /v/a
	 Values 0 1 0 /`},
	// Refused: the same requests by way of a mount, a name that the prefix has,
	// and a router in itself. Nothing has changed then.
	{"refused for a conflict, refused for a name or a cycle, refused on a router made by With", `
	 Verb 0 GET - /a/b
	 Mount 0 0 0 /a
	 Verb 1 GET - /b
	 Mount 1 0 0 /{}
	 Handle 2 - 64 /{}
	 Again 2 0 0 /c
	 With 2 0 0 /
	 NotFound 3 0 0 /
	 Ask 0 GET - /a/b
	 Ask 0 GET - /a/v/v`},
	// A mount that is refused leaves no NotFound behind.
	{"refused for a conflict, status 404", `
	 Verb 0 GET - /a/b
	 Mount 0 0 0 /c
	 Verb 1 GET - /b
	 NotFound 1 0 0 /
	 Again 0 1 0 /a
	 Ask 0 GET - /a/v
	 Ask 0 GET - /c/v`},
	// Two literals beside parameters, on both levels: side by side without a
	// budget.
	{"steps side by side", `
	 Handle 0 GET - /a/{}/b
	 Handle 0 GET - /{}/a/c
	 Handle 0 GET - /{}/{}/%61
	 Verb 0 GET - /a/:
	 Handle 0 - - /{}/b
	 Ask 0 GET - /a/b
	 Ask 0 GET - /a/a/c
	 Ask 0 GET - /a/a/a
	 Near 0 0 0 /`},
}

// The tables that bytes are read by. Some entries stand twice: they come more
// often.
var (
	progKinds = []progKind{
		progHandle, progVerb, progMount, progAgain, progPlain, progGroup, progWith, progUse, progNotFound, progNotAllowed, progOnError,
		progSlash, progClean, progValues, progAsk, progNear,
		progHandle, progHandle, progHandle, progVerb, progVerb, progVerb, progVerb, progUse, progGroup, progMount, progAsk, progAsk, progNear, progNear, progNear, progNear, progNear, progNear, progAgain,
	}
	progMethods  = []string{"", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PURGE", "CONNECT", "GET", "GET", "POST", "", "OPTIONS", "GET"}
	progHosts    = []string{"", "h1", "H2.", "", "", "", "", ".", "", "", "x.h", "{}.h", "{}.H.", "", "", ""}
	progAskHosts = []string{"", "h1", "h2", "H1.:80", "h3", "[::1]:80", "h1", ".", "x.h", "y.h", "X.H.:80", "Y.H", "y.x.h", ".h", "y.h", "x.h"}
	progOnHosts  = []string{"", "", "", "", "x.h", "{}.h", "", ""} // of prefixes
	progLabels   = []string{"y", "Y", "x", "y"}
	progSegs     = []string{"a", "b", "c", "{}", ":", "{...}", "*", "{$}", "", "%61", "a%2Fb", "%2F", "a-literal-of-more-than-sixteen-bytes", ".",
		"a", "a", "a", "b", "b", "b", "{}", "{}", "{}", ":", "c"}
	progAskSegs = []string{"a", "b", "c", "v", "", "%61", "a%2Fb", "%2F", ".", "..", "%2e%2E", "a-literal-of-more-than-sixteen-bytes", "b%20c",
		"a", "a", "a", "a", "a", "a", "a", "b", "b", "b", "b", "b", "c", "c", "c", "v", "v", "v", "%252F"}
	progDepths = []int{0, 1, 2, 3, 4, 5, 6, 1, 2, 3, 1, 2, 3, 1, 2, 2}
)

const (
	progSteps  = 28 // at most
	progHeader = 6  // bytes of a step before those of its path
)

// A progReader reads a program. What it needs to know of the routers is which
// of them there are, and where each hangs first.
type progReader struct {
	ops    []progOp
	places []string // the prefixes of the routers
	routes []string // the hosts and paths of the routes so far, with these
	of     []progOp // the steps that made those
	paths  [][]byte // as these were read
}

// readProgram reads any bytes as a program. A step is: what is done, on which
// router, two bytes of what that needs, its place in another order, the number
// of segments of its path, and these.
func readProgram(b []byte) []progOp {
	r := &progReader{places: []string{""}}
	for len(b) >= progHeader && len(r.ops) < progSteps {
		head := b[:progHeader]
		n := min(progDepths[int(head[5])%len(progDepths)], len(b)-progHeader)
		r.step(head, b[progHeader:progHeader+n])
		b = b[progHeader+n:]
	}
	return r.ops
}

func (r *progReader) step(head, path []byte) {
	x, y := int(head[2]), int(head[3])
	op := progOp{
		kind: progKinds[int(head[0])%len(progKinds)], router: int(head[1]) % len(r.places), order: head[4], variant: x,
		name: "h" + strconv.Itoa(len(r.ops)),
	}
	switch op.kind {
	case progHandle, progVerb:
		op.method, op.variant = progMethods[x%len(progMethods)], y>>3
		if op.kind == progHandle {
			op.host = strings.Replace(progHosts[y%len(progHosts)], "{}", "{"+"xy"[y>>5%2:y>>5%2+1]+"h}", 1)
		}
		if y>>5 == 3 && len(r.paths) > 0 { // on the path of another
			path = r.paths[int(head[4])%len(r.paths)]
		}
		op.path = op.routePath(path, y)
		r.paths = append(r.paths, path)
		r.of, r.routes = append(r.of, op), append(r.routes, progBelow(r.places[op.router], op.host+op.path))
	case progMount, progAgain, progPlain, progGroup:
		op.path = op.prefix(path, y)
		if op.kind == progAgain {
			op.child = x % len(r.places)
		}
	case progAsk:
		op.method, op.host, op.variant = progMethods[x%len(progMethods)], progAskHosts[y%len(progAskHosts)], y>>3
		op.path = progJoined(path, progAskSegs) + op.query()
	case progNear:
		if len(r.of) == 0 {
			return
		}
		r.near(&op, x, y, path)
	}
	if op.kind == progAsk && op.method == "" {
		op.method = "TRACE"
	}
	if op.kind == progMount || op.kind == progGroup || op.kind == progWith {
		if len(r.places) == progRouters {
			return
		}
		op.child = len(r.places)
		r.places = append(r.places, progBelow(r.places[op.router], strings.TrimSuffix(op.path, "/")))
	}
	r.ops = append(r.ops, op)
}

// progBelow puts a host and a path below a prefix that may have a host.
func progBelow(prefix, text string) string {
	outer, above := oracleCut(prefix)
	slash := strings.Index(text+"/", "/")
	return cmp.Or(outer, text[:slash]) + above + text[slash:]
}

// near makes a request for a route that is there: by its method or another, on
// its path or one close to it.
func (r *progReader) near(op *progOp, x, y int, values []byte) {
	i := x % len(r.of)
	route := r.of[i]
	op.router, op.variant = 0, y>>3
	op.method = route.method
	switch x / len(r.of) % 4 {
	case 1:
		op.method = progMethods[y%len(progMethods)]
	case 2:
		op.method = "OPTIONS"
	}
	if op.method == "" {
		op.method = "GET"
	}
	host, path, _ := strings.Cut(r.routes[i], "/")
	if label, domain, found := strings.Cut(host, "."); found && strings.HasPrefix(label, "{") {
		host = progLabels[y>>3%len(progLabels)] + "." + domain
	}
	op.host = strings.ToLower(host)
	if y%16 == 15 {
		op.host = host // as it was written
	}
	n := 0
	for s := range strings.SplitSeq(path, "/") {
		switch {
		case s == "{$}":
			s = ""
		case strings.HasPrefix(s, "{"), strings.HasPrefix(s, ":"), strings.HasPrefix(s, "*"):
			s = "v"
			if n < len(values) {
				s = progAskSegs[int(values[n])%len(progAskSegs)]
			}
			n++
		}
		op.path += "/" + s
	}
	switch y % 8 {
	case 4:
		op.path = oracleOtherSpelling(op.path)
	case 5:
		op.path = "/" + op.path
	case 6:
		op.path = strings.ReplaceAll(op.path, "/a", "/%61")
	case 7:
		op.path += "/c"
	}
	if op.path == "" {
		op.path = "/"
	}
	op.path += op.query()
}

func (op progOp) query() string {
	return []string{"", "", "?q=/", "?stop"}[op.variant/2%4]
}

// progJoined is a path of words from a table.
func progJoined(path []byte, table []string) (joined string) {
	for _, b := range path {
		joined += "/" + table[int(b)%len(table)]
	}
	if joined == "" {
		return "/"
	}
	return joined
}

// routePath writes a path that the method in question takes: names by their
// place, a rest and an end in the last one alone, and nothing unclean but where
// no method is named.
func (op progOp) routePath(path []byte, y int) (text string) {
	letter := "xy"[y>>5%2 : y>>5%2+1]
	for i, b := range path {
		last, name := i == len(path)-1, letter+strconv.Itoa(i)
		s := progSegs[int(b)%len(progSegs)]
		verb := op.kind == progVerb
		switch {
		case s == ":" && verb, s == "*" && verb && last:
			s += name
		case s == "{...}" && last, s == "*" && last:
			s = "{" + name + "...}"
		case s == "{}" || s == ":":
			s = "{" + name + "}"
		case s == "{$}" && last && !verb:
		case s == "{$}", s == "*", s == "{...}":
			s = "a"
		case (s == "" && !last || s == ".") && op.method != "":
			s = "b"
		}
		text += "/" + s
	}
	if text == "" {
		return "/"
	}
	return text
}

// prefix writes a host and a path for Mount and Group. Its names are the router's
// own, or, seldom, those of routes.
func (op progOp) prefix(path []byte, y int) (text string) {
	letter := "m" + strconv.Itoa(op.router)
	if y>>5 == 2 {
		letter = "x"
	}
	text = strings.Replace(progOnHosts[y%len(progOnHosts)], "{}", "{"+letter+"h}", 1)
	for i, b := range path {
		s, name := progSegs[int(b)%len(progSegs)], letter+strconv.Itoa(i)
		switch s {
		case "{}":
			s = "{" + name + "}"
		case ":":
			s += name
		case "{...}", "*", "{$}", ".":
			s = "b"
		case "":
			if i < len(path)-1 {
				s = "c"
			}
		}
		text += "/" + s
	}
	return text
}

// progWritten writes a seed as the bytes that readProgram reads: a line is a
// step with its router, method or variant, host or number, and path.
func progWritten(seed string) (b []byte) {
	index := func(table []string, word string) int {
		i := slices.Index(table, strings.TrimPrefix(word, "-"))
		if i < 0 {
			panic("a seed has the word " + word)
		}
		return i
	}
	numbers := map[string]int{"during": 8, "stop": 48, "fails": 56}
	for line := range strings.Lines(seed) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		kind := progKind(index(progNames, words[0]))
		router, _ := strconv.Atoi(words[1])
		table, hosts := progSegs, progHosts
		switch kind {
		case progAsk:
			table, hosts = progAskSegs, progAskHosts
		case progMount, progAgain, progPlain, progGroup:
			hosts = progOnHosts
		}
		x, err := strconv.Atoi(words[2])
		if err != nil {
			x = index(progMethods, words[2])
		}
		y, err := strconv.Atoi(words[3])
		if err != nil {
			var is bool
			if y, is = numbers[words[3]]; !is {
				y = index(hosts, words[3])
			}
		}
		var path []byte
		for s := range strings.SplitSeq(words[4][1:], "/") {
			path = append(path, byte(index(table, s)))
		}
		if words[4] == "/" {
			path = nil
		}
		order := byte(len(b) * 37) // anything
		b = append(b, byte(slices.Index(progKinds, kind)), byte(router), byte(x), byte(y), order, byte(len(path)))
		b = append(b, path...)
	}
	return b
}

// progNeedsIdentity are the kinds that purego has not, or not of Use.
var progNeedsIdentity = map[string]bool{"a handler failed": true, "a middleware failed": true, "a change during a request": true}

// Programs from a fixed seed, and what they came to: a test that reaches
// nothing finds nothing.
func TestPrograms(t *testing.T) {
	t.Parallel() // that is: after the tests that count allocations
	reached := progReached{}
	r := rand.New(rand.NewPCG(7, 7))
	debug.SetGCPercent(400) // much garbage, little that stays
	programs := testkit.Size(120, 1500)
	for i := range programs {
		b := make([]byte, 60+r.IntN(160))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		if fault := runProgram(readProgram(b), reached); fault != "" {
			t.Fatalf("program %d\n%s", i, reportProgram(readProgram(b)))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(reached)) {
		t.Logf("%6d  %s", reached[kind], kind)
	}
	for _, seed := range progSeeds {
		for kind := range strings.SplitSeq(seed.reaches, ", ") {
			assert.True(t, reached[kind] > 0 || progNeedsIdentity[kind] && testkit.Purego, "%d programs did not reach: %s", programs, kind)
		}
	}
}

// The seeds as a test, for those who do not fuzz. Each reaches what it is for.
func TestProgramSeeds(t *testing.T) {
	for _, seed := range progSeeds {
		ops, reached := readProgram(progWritten(seed.text)), progReached{}
		if fault := runProgram(ops, reached); fault != "" {
			t.Errorf("%s\n%s", seed.text, reportProgram(ops))
		}
		for kind := range strings.SplitSeq(seed.reaches, ", ") {
			assert.True(t, reached[kind] > 0 || progNeedsIdentity[kind] && testkit.Purego, "%s reached %v, not %q", seed.text, reached, kind)
		}
	}
}
