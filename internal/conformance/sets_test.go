package conformance

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// How sets of routes and requests are made, how an answer is compared with the
// oracle's and with that of http.ServeMux, and, at the end, the universes that
// sets and requests are drawn from.

// An enumRoute is one registration, as the files in testdata/cases write it.
type enumRoute struct {
	Dialect string // "mux" or "verb"
	Pattern string
	Mount   string // the prefix of the mounted router that holds it, "" for the root
}

func muxRoute(pattern string) enumRoute  { return enumRoute{Dialect: "mux", Pattern: pattern} }
func verbRoute(pattern string) enumRoute { return enumRoute{Dialect: "verb", Pattern: pattern} }

func (r enumRoute) String() string {
	text := r.Dialect + " " + strconv.Quote(r.Pattern)
	if r.Mount != "" {
		text += " below " + r.Mount
	}
	return text
}

// methodAndPath cuts "GET /x", or "/x" for Any.
func (r enumRoute) methodAndPath() (method, path string) {
	if method, path, ok := strings.Cut(r.Pattern, " "); ok && !strings.HasPrefix(r.Pattern, "/") {
		return method, path
	}
	return "", r.Pattern
}

func (r enumRoute) oracle(policy segue.SlashPolicy) *oracleRoute {
	if r.Dialect == "mux" {
		return oracleMux(r.Mount, r.Pattern).under(policy)
	}
	method, path := r.methodAndPath()
	return oracleVerb(r.Mount, method, path).under(policy)
}

// register uses the method that a user would.
func (r enumRoute) register(router *segue.Router, handler http.HandlerFunc) {
	if r.Dialect == "mux" {
		router.Handle(r.Pattern, handler)
		return
	}
	switch method, path := r.methodAndPath(); method {
	case "":
		router.Any(path, handler)
	case "GET":
		router.GET(path, handler)
	case "POST":
		router.POST(path, handler)
	case "PUT":
		router.PUT(path, handler)
	case "PATCH":
		router.PATCH(path, handler)
	case "DELETE":
		router.DELETE(path, handler)
	case "HEAD":
		router.HEAD(path, handler)
	case "OPTIONS":
		router.OPTIONS(path, handler)
	default:
		router.Method(method, path, handler)
	}
}

// An enumSet is a set of routes with the policies of the routers they are in.
type enumSet struct {
	routes   []enumRoute
	policies map[string]segue.SlashPolicy // by mount; a mount without one inherits
	plain    bool                         // PathValues(false)
	spent    bool                         // nothing is merged: see spendBudget
	o        oracle
	names    []string // of all routes, so that a value under another route's name is seen
}

func newEnumSet(routes ...enumRoute) enumSet { return enumSet{routes: routes}.withOracle() }

func (s enumSet) withOracle() enumSet {
	names := map[string]bool{}
	for _, r := range s.routes {
		policy, ok := s.policies[r.Mount]
		if !ok {
			policy = s.policies[""]
		}
		o := r.oracle(policy)
		s.o = append(s.o, o)
		for _, name := range o.names() {
			names[name] = true
		}
	}
	s.names = slices.Sorted(maps.Keys(names))
	return s
}

func (s enumSet) String() string {
	var b strings.Builder
	for _, r := range s.routes {
		fmt.Fprintf(&b, "  %v\n", r)
	}
	if len(s.policies) > 0 {
		fmt.Fprintf(&b, "  policies %v\n", s.policies)
	}
	if s.plain {
		b.WriteString("  PathValues(false)\n")
	}
	return b.String()
}

// canonical leaves out one of two sets that differ by a and b alone.
func (s enumSet) canonical() bool {
	text := ""
	for _, r := range s.routes {
		text += r.Pattern
	}
	i := strings.IndexAny(text, "ab")
	return i < 0 || text[i] == 'a'
}

// conflict is the oracle's word on two routes: the same host, method and shape.
func (r *oracleRoute) conflict(other *oracleRoute) bool {
	a, b := r.forms[0], other.forms[0]
	return r.method == other.method && r.host.same(other.host) && a.rank == b.rank &&
		slices.EqualFunc(a.segs, b.segs, func(a, b oracleSeg) bool { return a.kind != oracleLiteral || a.text == b.text })
}

func (s enumSet) conflict() bool {
	for i, r := range s.o {
		if r.twice || slices.ContainsFunc(s.o[:i], r.conflict) {
			return true
		}
	}
	return false
}

// mixedRoot: Handle("/{$}") and GET("/") at the root of one mount are spelt
// with and without the slash, though within their router they are one path.
// The contract does not say which of the two spellings is whose.
func (s enumSet) mixedRoot() bool {
	written := map[string]bool{}
	for _, r := range s.routes {
		if r.Mount != "" {
			written[r.Mount+r.Dialect+r.Pattern[strings.Index(r.Pattern, "/"):]] = true
		}
	}
	for key := range written {
		if prefix, ok := strings.CutSuffix(key, "mux/{$}"); ok && written[prefix+"verb/"] {
			return true
		}
	}
	return false
}

// accepted drops what a router would refuse: what has two hosts or conflicts with
// an earlier one.
func (s enumSet) accepted() enumSet {
	var kept enumSet
	for i, r := range s.routes {
		next := enumSet{routes: append(slices.Clip(kept.routes), r), o: append(slices.Clip(kept.o), s.o[i])}
		if !next.mixedRoot() && !s.o[i].twice && !slices.ContainsFunc(kept.o, s.o[i].conflict) {
			kept = next
		}
	}
	kept.policies, kept.names, kept.plain = s.policies, s.names, s.plain
	return kept
}

// router registers the set. A mounted router hangs in its place either before
// it has routes or when it has all of them.
func (s enumSet) router() (root *segue.Router, err error) {
	root = segue.New()
	root.TrailingSlash(s.policies[""])
	root.PathValues(!s.plain)
	routers := map[string]*segue.Router{"": root}
	late := len(s.routes)%2 == 0
	err = testkit.PanicOf(func() {
		for i, r := range s.routes {
			if routers[r.Mount] == nil {
				routers[r.Mount] = segue.New()
				if policy, ok := s.policies[r.Mount]; ok {
					routers[r.Mount].TrailingSlash(policy)
				}
				if !late {
					root.Mount(r.Mount, routers[r.Mount])
				}
			}
			r.register(routers[r.Mount], enumHandlers[i])
		}
		delete(routers, "")
		for prefix, router := range routers {
			if late {
				root.Mount(prefix, router)
			}
		}
		if s.spent {
			spendBudget(root, "")
		}
	})
	return root, err
}

// serveMux is a ServeMux with the routes of the set, or nil where it refuses
// one or a pattern means something else to it.
func (s enumSet) serveMux() *http.ServeMux {
	for _, r := range s.routes {
		if r.Dialect != "mux" || r.Mount != "" || muxDiffersOn(r.Pattern) {
			return nil
		}
	}
	m := http.NewServeMux()
	if testkit.PanicOf(func() {
		for i, r := range s.routes {
			m.Handle(r.Pattern, enumHandlers[i])
		}
	}) != nil {
		return nil
	}
	return m
}

// muxDiffersOn: a host in upper case or with a final dot, a segment that is an
// encoded slash, and an unclean path (where ServeMux takes the empty segment
// for a wildcard).
func muxDiffersOn(pattern string) bool {
	slash := strings.Index(pattern, "/")
	host := pattern[strings.LastIndexAny(pattern[:slash], " \t")+1 : slash]
	return host != oracleLower(host) || pattern[slash:] != oracleClean(pattern[slash:]) ||
		slices.ContainsFunc(oracleMux("", pattern).forms[0].segs, func(s oracleSeg) bool { return s.text == "/" })
}

// An enumRequest is sent to many routers.
type enumRequest struct {
	request        http.Request
	escaped, query string
	mux            muxComparison
}

// A muxComparison says how much of ServeMux's answer must be the same.
type muxComparison int

const (
	muxAll muxComparison = iota
	muxAllButLocation
	muxNothing
)

// newEnumRequest reads the target as the server does.
func newEnumRequest(method, host, target string) *enumRequest {
	u, err := url.ParseRequestURI(target)
	if err != nil {
		panic(err)
	}
	return newEnumURLRequest(method, host, u)
}

func newEnumURLRequest(method, host string, u *url.URL) *enumRequest {
	r := http.Request{Method: method, Host: host, URL: u, ProtoMajor: 1, ProtoMinor: 1}
	q := &enumRequest{request: r, escaped: u.EscapedPath(), query: u.RawQuery}
	q.mux = q.compareMux()
	return q
}

func (q *enumRequest) compareMux() muxComparison {
	isSlash := func(s string) bool { return strings.EqualFold(s, "%2F") }
	host := q.request.Host
	switch {
	case q.request.Method == "CONNECT", slices.ContainsFunc(strings.Split(q.escaped, "/"), isSlash),
		oracleLower(host) != host, strings.Contains(host, ".:"):
		return muxNothing
	case (&url.URL{Path: oracleClean(q.escaped)}).EscapedPath() != oracleClean(q.escaped):
		return muxAllButLocation // it escapes once more
	}
	return muxAll
}

func (q *enumRequest) String() string {
	return fmt.Sprintf("%s %s?%s, host %q", q.request.Method, q.escaped, q.query, q.request.Host)
}

// An enumWriter is a ResponseWriter that keeps what is compared.
type enumWriter struct {
	header http.Header
	status int
	route  int // which handler ran, from 1
	fault  string

	set   enumSet
	want  oracleAnswer
	param bool // Param and Params are asked too
}

func (w *enumWriter) Header() http.Header { return w.header }

func (w *enumWriter) Write(b []byte) (int, error) { w.WriteHeader(http.StatusOK); return len(b), nil }

func (w *enumWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

var enumHandlers = func() (handlers []http.HandlerFunc) {
	for i := range 1024 {
		handlers = append(handlers, func(w http.ResponseWriter, r *http.Request) { w.(*enumWriter).handled(i+1, r) })
	}
	return handlers
}()

// handled runs in the handler, where the parameters must be.
func (w *enumWriter) handled(route int, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	w.route = route
	for _, name := range w.set.names {
		if got := r.PathValue(name); got != w.want.params[name] && !w.set.plain {
			w.fault += fmt.Sprintf(" PathValue(%q) is %q.", name, got)
		}
		if !w.param {
			continue
		}
		if got := segue.Param(r, name); got != w.want.params[name] {
			w.fault += fmt.Sprintf(" Param(%q) is %q.", name, got)
		}
	}
	if !w.param {
		return
	}
	n := 0
	for name, got := range segue.Params(r) {
		n++
		if want, ok := w.want.params[name]; !ok || got != want {
			w.fault += fmt.Sprintf(" Params yields %q: %q.", name, got)
		}
	}
	if n != len(w.want.params) && w.want.status == http.StatusOK {
		w.fault += fmt.Sprintf(" Params yields %d values.", n)
	}
}

// serve sends the request and says how the answer differs from w.want, "" if
// it does not.
func (w *enumWriter) serve(h http.Handler, q *enumRequest) string {
	clear(w.header)
	w.status, w.route, w.fault = 0, 0, ""
	r := q.request
	h.ServeHTTP(w, &r)
	location, allow := w.header.Get("Location"), w.header.Get("Allow")
	if !w.param && q.mux == muxAllButLocation && location != "" {
		location = w.want.location
	}
	if w.status == w.want.status && r.Pattern == w.want.pattern && location == w.want.location && allow == w.want.allow &&
		w.fault == "" && (w.status == http.StatusOK) == (w.route > 0) && (w.route == 0 || w.set.o[w.route-1].pattern == r.Pattern) {
		return ""
	}
	return fmt.Sprintf("%d pattern %q location %q allow %q, handler %d.%s", w.status, r.Pattern, location, allow, w.route, w.fault)
}

// lookup is serve for Lookup.
func (w *enumWriter) lookup(router *segue.Router, q *enumRequest) string {
	r := q.request
	m := router.Lookup(&r)
	if m.Status == w.want.status && m.Route.Pattern == w.want.pattern && m.Location == w.want.location && m.Allow == w.want.allow &&
		(m.Status != http.StatusOK || maps.Equal(m.Params, w.want.params)) {
		return ""
	}
	return fmt.Sprintf("%d pattern %q location %q allow %q params %q", m.Status, m.Route.Pattern, m.Location, m.Allow, m.Params)
}

// An enumCheck runs comparisons in parallel and counts them.
type enumCheck struct {
	t               *testing.T
	requests        []*enumRequest
	step            int // each takes every step-th
	sets            atomic.Int64
	compared, muxes atomic.Int64
	failures        atomic.Int64
}

func newEnumCheck(t *testing.T, requests []*enumRequest) *enumCheck {
	t.Parallel()            // that is: after the tests that count allocations
	debug.SetGCPercent(400) // much garbage, little that stays
	c := &enumCheck{t: t, requests: requests, step: 1}
	t.Cleanup(func() {
		testkit.LogSize(t)
		t.Logf("%d sets, %d answers compared with the oracle's, %d of them with ServeMux's", c.sets.Load(), c.compared.Load(), c.muxes.Load())
	})
	return c
}

// failf reports a disagreement; a few are enough.
func (c *enumCheck) failf(format string, args ...any) {
	if c.failures.Add(1) <= 8 {
		c.t.Errorf(format, args...)
	}
}

// every has each take one of n unless the test explores. A prime n does not
// leave out a kind: what comes round in a universe does so in smaller numbers.
func (c *enumCheck) every(n int) *enumCheck {
	c.step = testkit.Size(n, 1)
	return c
}

// each calls f for 0 to n-1 on all processors. The race detector is slow, and
// the routers share little that it could see: it gets every tenth at most.
func (c *enumCheck) each(n int, f func(w *enumWriter, i int)) {
	step := c.step
	if testkit.Race {
		step = max(step, 10)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			w := &enumWriter{header: http.Header{}}
			for c.failures.Load() < 8 {
				i := step * int(next.Add(1)-1)
				if i >= n {
					return
				}
				f(w, i)
			}
		})
	}
	wg.Wait()
}

// pairs calls f for every set of two different routes.
func (c *enumCheck) pairs(all []enumRoute, f func(w *enumWriter, s enumSet)) {
	c.each(len(all), func(w *enumWriter, i int) {
		for j := range i {
			f(w, newEnumSet(enumShuffled(i+j, all[i], all[j])...))
		}
	})
}

// all serves every request from a set.
func (c *enumCheck) all(w *enumWriter, s enumSet) { c.some(w, s, c.requests, nil, len(c.requests)) }

// some serves n of the requests, drawn by r if there is one.
func (c *enumCheck) some(w *enumWriter, s enumSet, requests []*enumRequest, r *rand.Rand, n int) {
	if s.conflict() {
		return // TestEveryPairIsRefusedOrNot has those
	}
	router, err := s.router()
	if err != nil {
		c.failf("%vis refused: %v", s, err)
		return
	}
	w.set = s
	m := s.serveMux()
	c.sets.Add(1)
	for i := range n {
		if r != nil {
			i = r.IntN(len(requests))
		}
		if c.fault(w, router, m, requests[i]) != "" {
			c.report(w, requests[i])
			return // one a set
		}
	}
}

// mux is all for the oracle and ServeMux alone.
func (c *enumCheck) mux(w *enumWriter, s enumSet) {
	m := s.serveMux()
	if m == nil {
		return
	}
	w.set = s
	c.sets.Add(1)
	for _, q := range c.requests {
		if fault := c.fault(w, nil, m, q); fault != "" {
			c.failf("%v%v\n%s", s, q, fault)
		}
	}
}

// fault says who disagrees with the oracle on w.set and how, "" for nobody.
func (c *enumCheck) fault(w *enumWriter, router *segue.Router, m *http.ServeMux, q *enumRequest) string {
	w.want = w.set.o.answer(q.request.Method, q.request.Host, q.escaped, q.query)
	if router != nil {
		c.compared.Add(1)
		w.param = true
		if got := w.serve(router, q); got != "" {
			return fmt.Sprintf("segue  %s\noracle %s", got, w.want)
		}
		if got := w.lookup(router, q); got != "" {
			return fmt.Sprintf("Lookup %s\noracle %s", got, w.want)
		}
	}
	if m != nil && q.mux != muxNothing {
		c.muxes.Add(1)
		w.param = false
		if got := w.serve(m, q); got != "" {
			return fmt.Sprintf("ServeMux %s\noracle   %s", got, w.want)
		}
	}
	return ""
}

// report drops the routes without which w.set fails as well.
func (c *enumCheck) report(w *enumWriter, q *enumRequest) {
	again := func(s enumSet) string {
		router, err := s.router()
		if err != nil {
			return ""
		}
		w.set = s
		return c.fault(w, router, s.serveMux(), q)
	}
	s := w.set
	for i := 0; i < len(s.routes); {
		less := s
		less.routes, less.o = slices.Delete(slices.Clone(s.routes), i, i+1), nil
		if less = less.withOracle(); again(less) != "" {
			s = less
		} else {
			i++
		}
	}
	c.failf("%v%v\n%s", s, q, again(s))
}

func (a oracleAnswer) String() string {
	return fmt.Sprintf("%d pattern %q location %q allow %q params %q", a.status, a.pattern, a.location, a.allow, a.params)
}

var (
	enumMethods      = []string{"GET", "HEAD", "POST", "OPTIONS", "PUT"}
	enumRouteMethods = []string{"", "GET ", "POST ", "HEAD ", "OPTIONS "}
	enumInner        = []string{"a", "b", "{}"}
	enumMuxLast      = []string{"a", "b", "{}", "{...}", "{$}", ""}
	enumVerbLast     = []string{"a", "b", "{}", "{...}", ""}
	enumOddPaths     = []string{
		"//", "//a", "/a//", "/a//a", "/./a", "/a/.", "/a/..", "/a/../c/", "/c/./../a//c", "/%2F", "/a/%2F", "/%2f/a/", "/a%2fb", "/a/a%2Fb/",
		"/%61", "/a/%61/", "/%2e%2e/a", "/a/%2E", "//c%20d/", "/a?q=1", "/a/?q", "//a?x=//y", "/a/?\xce=é", "/a/a?", "/c/c/c/c/c",
	}
)

// enumShapes are all paths of up to depth segments; {} is a parameter and
// {...} a rest, without their names.
func enumShapes(depth int, inner, last []string) (all []string) {
	prefixes := []string{""}
	for range depth {
		var longer []string
		for _, p := range prefixes {
			for _, s := range last {
				all = append(all, p+"/"+s)
			}
			for _, s := range inner {
				longer = append(longer, p+"/"+s)
			}
		}
		prefixes = longer
	}
	return all
}

// enumNamed names what a shape left without: by its place, and, so that two
// routes of one shape differ, by a letter.
func enumNamed(shape, letter, param, rest string) string {
	for i := range strings.Count(shape, "{}") {
		shape = strings.Replace(shape, "{}", fmt.Sprintf(param, letter+strconv.Itoa(i)), 1)
	}
	return strings.Replace(shape, "{...}", fmt.Sprintf(rest, letter+"r"), 1)
}

func enumMux(methods []string, host string, shapes []string) (all []enumRoute) {
	for i, m := range methods {
		for _, p := range shapes {
			all = append(all, muxRoute(m+host+enumNamed(p, "xy"[i%2:i%2+1], "{%s}", "{%s...}")))
		}
	}
	return all
}

// enumVerbs writes half of the names as ServeMux does, half as Express.
func enumVerbs(methods []string, shapes []string) (all []enumRoute) {
	for i, m := range methods {
		for _, p := range shapes {
			if i%2 == 0 {
				all = append(all, verbRoute(m+enumNamed(p, "x", "{%s}", "{%s...}")))
			} else {
				all = append(all, verbRoute(m+enumNamed(p, "z", ":%s", "*%s")))
			}
		}
	}
	return all
}

// enumPowers: a literal in each of n positions, parameters in all others.
func enumPowers(n int) (all []enumRoute) {
	for i := range n {
		shape := strings.Repeat("/{}", i) + "/a" + strings.Repeat("/{}", n-1-i) + "/end" + strconv.Itoa(i)
		all = append(all, verbRoute("GET "+enumNamed(shape, "x", "{%s}", "")))
	}
	return append(all, verbRoute("GET /{r...}"))
}

// enumSquare: n pages that all edit, and users with n actions.
func enumSquare(n int) (all []enumRoute) {
	for i := range n {
		all = append(all, muxRoute(fmt.Sprintf("GET /page%d/edit", i)), muxRoute(fmt.Sprintf("/{user}/act%d", i)))
	}
	return append(all, muxRoute("POST /{user}/edit"))
}

// enumDiagonal: i literals, then parameters, for every i.
func enumDiagonal(n int) (all []enumRoute) {
	for i := range n {
		shape := strings.Repeat("/a", i) + strings.Repeat("/{}", n-i)
		all = append(all, muxRoute(enumNamed(shape+"/e"+strconv.Itoa(i), "x", "{%s}", "")), muxRoute(enumNamed(shape+"/b/{...}", "y", "{%s}", "{%s...}")))
	}
	return all
}

// enumMixedPath takes each segment from one of two routes.
func enumMixedPath(r *rand.Rand, routes []enumRoute) string {
	a, b := routes[r.IntN(len(routes))].oracle(0), routes[r.IntN(len(routes))].oracle(0)
	cuts := r.IntN(8)
	path := ""
	for i, s := range a.forms[0].segs {
		if other := b.forms[0].segs; r.IntN(8) < cuts && i < len(other) {
			s = other[i]
		}
		switch {
		case s.kind == oracleLiteral:
			path += "/" + url.PathEscape(s.text)
		default:
			path += "/" + []string{"a", "v", "a%2Fb", "a/b", "page1"}[r.IntN(5)]
		}
	}
	if r.IntN(6) == 0 {
		path = oracleOtherSpelling(path)
	}
	return cmp.Or(path, "/")
}

// enumPaths are all request paths of up to depth segments, with and without a
// final slash.
func enumPaths(depth int, segs ...string) []string {
	all := []string{"/"}
	for _, p := range enumShapes(depth, segs, segs) {
		all = append(all, p, p+"/")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func enumRequests(methods, hosts, paths []string) (all []*enumRequest) {
	for _, m := range methods {
		for _, h := range hosts {
			for _, p := range paths {
				all = append(all, newEnumRequest(m, h, p))
			}
		}
	}
	return all
}

// enumShuffled is one of the orders of the routes, by number.
func enumShuffled(n int, routes ...enumRoute) []enumRoute {
	for i := len(routes) - 1; i > 0; i-- {
		j := n % (i + 1)
		n /= i + 1
		routes[i], routes[j] = routes[j], routes[i]
	}
	return routes
}

// enumTexts are all paths of up to depth of the segments.
func enumTexts(depth int, segs []string) []string { return enumShapes(depth, segs, segs) }

// example is a host that h matches.
func (h oracleHost) example() string {
	if h.label != "" {
		return "v." + h.name
	}
	return h.name
}

// example is a path that the route matches.
func (r *oracleRoute) example() string {
	path := ""
	for _, s := range r.forms[0].segs {
		if s.kind == oracleLiteral {
			path += "/" + url.PathEscape(s.text)
		} else {
			path += "/v"
		}
	}
	return path
}
