package segue

// This file looks into a router: Routes and String list what it has, Lookup tells
// what would become of a request, and Explain tells why. They ask resolve.go for
// the answer, and add only words to it. draw.go draws what they return.

import (
	"cmp"
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/segue-go/segue/internal/automaton"
	"github.com/segue-go/segue/internal/pathvalue"
)

// A Route is a registered route as a router serves it.
type Route struct {
	Method     string // "" for every method
	Host       string // as written, "" for every host
	Path       string // in ServeMux's language, with the prefixes of all mounts
	Pattern    string // what r.Pattern shows: method, host and path
	Handler    http.Handler
	Middleware []string // function names, outermost first
	File       string   // where it was registered
	Line       int

	middleware []Middleware // outermost first, each Chain before its members
}

// public is what users see of a route.
func (r *route) public() Route {
	file, line := r.registered.site.locate()
	p := Route{
		Method: r.pattern.method(), Host: r.pattern.host(), Path: r.pattern.path(), Pattern: r.pattern.text,
		Handler: r.registered.handler, File: file, Line: line,
	}
	if r.scope != nil {
		p.middleware = r.scope.middlewares()
	}
	for _, m := range p.middleware {
		if !isChain(m) {
			p.Middleware = append(p.Middleware, funcName(m))
		}
	}
	return p
}

// Uses reports whether a middleware covers the route, on its own router or on one
// around it.
//
//	guard := requireRole("admin")
//	admin := app.Group("/admin", guard)
//	...
//	for route := range app.Routes() {
//		if strings.HasPrefix(route.Path, "/admin") && !route.Uses(guard) {
//			t.Errorf("%s (%s:%d) is not guarded", route.Pattern, route.File, route.Line)
//		}
//	}
//
// Uses compares function values. Two calls of one constructor return two middlewares, and
// a method value such as sessions.LoadAndSave is another one each time it is written: keep
// what a test asks for in a variable. What [Chain] has joined is found,
// the whole and each member. What another middleware calls inside is not.
//
// Uses is false for nil and for a Route that no router has returned.
func (r Route) Uses(mw Middleware) bool {
	id := pathvalue.FuncIdentity(mw)
	return slices.ContainsFunc(r.middleware, func(m Middleware) bool { return pathvalue.FuncIdentity(m) == id })
}

// Routes returns every route, those of mounted routers included, sorted by host, path
// and method.
//
//	for route := range app.Routes() {
//		fmt.Println(route.Pattern, route.Middleware)
//	}
//
// Each route has the names of all its middlewares, outermost first, and where it was
// registered. The names are for people: [Route.Uses] tells whether a middleware is
// among them. The list is made when Routes is called; later changes do not show in it.
// Like a request, Routes compiles the routes first if they have changed.
func (rt *Router) Routes() iter.Seq[Route] {
	var all []Route
	s := rt.snapshot()
	for i := range s.routes[automaton.First:] {
		if r := &s.routes[automaton.First+i]; r.spelling == asWritten {
			all = append(all, r.public())
		}
	}
	return slices.Values(sorted(all))
}

// String draws all routes as a tree, each with its methods and the line that
// registered it:
//
//	fmt.Println(app)
//
// It compiles nothing, so that it may be called in a middleware that is being
// composed.
func (rt *Router) String() string {
	var all []Route
	graph.Lock()
	rt.eachRoute(func(reg *registration, p *pattern, _ []*mount) {
		all = append(all, (&route{registered: reg, pattern: p}).public())
	})
	graph.Unlock()
	var b strings.Builder
	drawTree(&b, sorted(all), 0, "", "")
	return b.String()
}

// sorted sorts routes into the order of [Router.Routes].
func sorted(routes []Route) []Route {
	slices.SortFunc(routes, func(a, b Route) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	return routes
}

// A Match is what would become of a request.
type Match struct {
	Status   int               // 200, 307, 404, 405, 204 for automatic OPTIONS, or 400 for "OPTIONS *"
	Route    Route             // the route that answers or is redirected to
	Params   map[string]string // by name, nil if the route has none
	Location string            // of a redirect
	Allow    string            // with 405 and 204: "GET, HEAD"
}

// Lookup returns what would become of r, without serving it.
//
//	if m := app.Lookup(r); m.Status == http.StatusOK && m.Route.Pattern == "GET /admin/{page}" {
//
// Use it for a decision that must tell a match from a redirect. It follows the same
// rules as [Router.ServeHTTP], by the same code, and does not change r. If the routes
// have changed, it compiles them first, so one call warms up a router. It allocates the
// parameters, and what a miss has to tell.
func (rt *Router) Lookup(r *http.Request) Match {
	return rt.snapshot().resolve(r).match()
}

// A Trace is what [Router.Explain] tells about a request.
type Trace struct {
	Match Match  // what [Router.Lookup] returns
	Steps []Step // one for each segment that was looked at

	// Nearest holds, for a 404 or 405, the routes that come nearest, at most
	// five: those of the same path by another method, then in the other
	// spelling of the final slash, then on another host, then by how many
	// letters differ.
	Nearest []Route

	why     []string // of each of Nearest
	notes   []string // what the steps do not show
	request string   // method, host and path as they came
}

// A Step is what happened at one segment of a path. The steps follow the spelling of
// the path that decided: for a redirect, the one that it leads to.
type Step struct {
	Segment string // decoded; if only a rest is left, the last one holds all that follows

	// Node names the branches of the trie that are open after the segment, best
	// first. Compiling has merged them into one state, so that a lookup need not
	// go back. Node is empty if only a rest, or nothing, can take what follows.
	Node []string

	// Kind is how the route that answers takes the segment: "literal",
	// "parameter" or "rest". On a miss it is that of the route that got furthest,
	// and "" where it ended. A rest has its value in the step where it begins.
	Kind        string
	Name, Value string

	Open []Route // the routes that can still win, best first; at the end of the path, those that match
	Rule string  // why the winner beats other routes that match, at the step where that rule applies
	Wide bool    // the step went through several branches side by side: the budget for compiling was used up

	rules []string   // of Rule
	lost  [][]string // the patterns that lost by each of rules
}

// Explain returns how a request is matched, without serving it. The trace's String
// draws that for a terminal.
//
//	fmt.Println(app.Explain(httptest.NewRequest("GET", "/users/new/posts", nil)))
//
// The trace has what [Router.Lookup] returns, each step on the way, the routes that
// were still open there, and the rule by which the winner won. For a miss it has where
// the way ended and which routes are nearest.
//
// If the handler of the route is a Router, the trace says what that router answers to
// the path. This shows a Router that was handed to [Router.Handle] with routes that
// lack the prefix, and a prefix that is stripped twice.
//
// Explain is for people. It visits every route and allocates as it needs. It takes no
// lock that requests wait for, but like them it compiles the routes first if they have
// changed.
func (rt *Router) Explain(r *http.Request) Trace {
	s := rt.snapshot()
	x := &explainer{answer: s.resolve(r), snapshot: s, hosts: s.hosts, method: r.Method, host: r.Host}
	x.trace.Match = x.answer.match()
	x.trace.request = requestText(r)
	x.choosePath(r)
	x.chooseHost()
	x.judge()
	x.askInner(r)
	if x.status == http.StatusNotFound || x.status == http.StatusMethodNotAllowed {
		x.seekNearest(pathOf(r.URL))
	}
	return x.trace
}

// match is the answer as [Router.Lookup] returns it.
func (a answer) match() Match {
	m := Match{Status: a.status, Location: a.location, Allow: a.allow}
	if a.status == http.StatusOK || a.status == http.StatusTemporaryRedirect && a.route != nil {
		m.Route = a.route.public()
	}
	if a.status == http.StatusOK {
		m.Params = a.route.params(a.host, a.path)
	}
	return m
}

// An explainer follows one answer. It finds the open routes by testing every route
// against the path, without the automaton. So the steps are computed independently
// of the answer, and the tests check that the two agree.
type explainer struct {
	answer
	snapshot     *snapshot
	hosts        *hosts // where the answer was found
	method, host string
	path         automaton.Path // the spelling that decided
	routes       []*route       // the routes that were asked, best first
	trace        Trace
}

// choosePath finds the spelling of the path that decided.
func (x *explainer) choosePath(r *http.Request) {
	sent := pathOf(r.URL)
	x.path = sent
	switch {
	case x.status == http.StatusBadRequest:
		x.note("* is not a path")
		x.path = automaton.Path{}
	case isClean(sent.Text):
		x.chooseSpelling(sent)
	case x.status == http.StatusOK || x.status == http.StatusNoContent:
		x.note("the path is not clean; only routers under CleanPath(false) are asked")
		x.hosts, x.path = x.snapshot.unclean, x.answer.path
	case x.status == http.StatusNotFound:
		x.note("the path is not clean, and CONNECT is never redirected")
		x.path = automaton.Path{}
	default:
		q := x.snapshot.question(x.hosts, r, automaton.Path{Text: cleanPath(r.URL.EscapedPath()), Escaped: true})
		x.path = q.find(r.Method).path
		x.note("the path is not clean; the clean one is " + x.path.Text)
	}
}

func (x *explainer) chooseSpelling(sent automaton.Path) {
	switch {
	case x.status == http.StatusMethodNotAllowed:
		if q := x.ask(x.hosts.of(x.host), sent); len(q.onSent()) == 0 {
			x.path.Text = otherSpelling(sent.Text)
		}
	case x.answer.path.Text != "":
		x.path = x.answer.path
	}
	if x.path != sent {
		x.note("the other spelling of the final slash decides: " + x.path.Text)
	}
}

func (x *explainer) ask(first *host, path automaton.Path) *question {
	return &question{snapshot: x.snapshot, host: first, paths: [2]automaton.Path{path}}
}

func (x *explainer) note(text string) { x.trace.notes = append(x.trace.notes, text) }

// chooseHost takes the steps through the routes of the host that decided. A miss
// is shown on the host where it got furthest.
func (x *explainer) chooseHost() {
	for h := x.hosts.of(x.host); h != nil; h = h.next {
		asked := h.all
		routes := slices.DeleteFunc(x.routesOf(h.key), func(r *route) bool { return !x.takes(r, x.path) })
		if x.route != nil {
			if x.route.pattern.hostKey() != h.key {
				continue
			}
			if routes = x.rivals(routes); x.method != http.MethodOptions && x.status != http.StatusMethodNotAllowed {
				asked = h.forMethod(x.method)
			}
		}
		if steps := x.follow(routes, asked); x.trace.Steps == nil || len(steps) > len(x.trace.Steps) {
			x.routes, x.trace.Steps = routes, steps
		}
	}
}

// takes reports whether a route answers a path that it matches: a Static answers
// only what it finds.
func (x *explainer) takes(r *route, path automaton.Path) bool {
	return x.ask(x.hosts.of(x.host), path).takes(r, path)
}

// routesOf lists the routes of a host that answer under the settings that hold,
// in the order of rule 2.
func (x *explainer) routesOf(host string) []*route {
	routes := slices.DeleteFunc(x.answering(), func(r *route) bool { return r.pattern.hostKey() != host })
	slices.SortStableFunc(routes, compareRoutes)
	return routes
}

// answering lists the routes that answer under the settings that hold.
func (x *explainer) answering() (routes []*route) {
	for i := range x.snapshot.routes[automaton.First:] {
		r := &x.snapshot.routes[automaton.First+i]
		if r.answers() && (x.hosts != x.snapshot.unclean || !*r.scope.clean) {
			routes = append(routes, r)
		}
	}
	return routes
}

// rivals returns those of a host's routes that were asked for the request's
// method: the best of each path. For OPTIONS, as atOptions goes on, these are
// the routes that name it, all, or those for any method.
func (x *explainer) rivals(routes []*route) []*route {
	matching := slices.DeleteFunc(slices.Clone(routes), func(r *route) bool { return !r.matches(x.path) })
	switch m := x.route.pattern.method(); {
	case x.status == http.StatusMethodNotAllowed:
		return routes
	case x.method == http.MethodOptions && m != http.MethodOptions && (m != "" || slices.Contains(matching[:samePlace(matching)], x.route)):
		return routes
	case x.method == http.MethodOptions:
		return slices.DeleteFunc(routes, func(r *route) bool { return r.pattern.method() != m })
	}
	rivals := slices.DeleteFunc(routes, func(r *route) bool { return rank(r, x.method) == cannot })
	slices.SortStableFunc(rivals, func(a, b *route) int {
		return cmp.Or(compareSegments(a.segments(), b.segments()), cmp.Compare(a.spelling, b.spelling), cmp.Compare(rank(a, x.method), rank(b, x.method)))
	})
	return slices.CompactFunc(rivals, func(a, b *route) bool { return a.end == b.end })
}

func compareRoutes(a, b *route) int {
	return cmp.Or(compareSegments(a.segments(), b.segments()), cmp.Compare(a.spelling, b.spelling), cmp.Compare(a.pattern.method(), b.pattern.method()))
}

// compareSegments is rule 2, of routes that may not match the same path.
func compareSegments(a, b []segment) int {
	return slices.CompareFunc(a, b, func(a, b segment) int {
		if a.kind != b.kind || a.kind != literal {
			return cmp.Compare(a.kind, b.kind)
		}
		return cmp.Compare(a.text, b.text)
	})
}

// goesOn reports whether a route that was open before the nth segment of a
// path, from 0 on, is still open after it.
func (r *route) goesOn(n int, seg string) bool {
	segments := r.segments()
	if n >= len(segments) {
		return r.begun(n)
	}
	switch segments[n].kind {
	case literal:
		return segments[n].text == seg
	case parameter:
		return seg != ""
	}
	return true
}

// begun reports whether the route's rest has taken one of n segments.
func (r *route) begun(n int) bool {
	segments := r.segments()
	return len(segments) <= n && segments[len(segments)-1].kind == rest
}

// matches reports whether the route matches the whole of a path.
func (r *route) matches(path automaton.Path) bool {
	n := 0
	for ; path.Text != ""; n++ {
		if r.begun(n) {
			return true
		}
		if seg, _ := path.Next(); !r.goesOn(n, seg) {
			return false
		}
	}
	return n == len(r.segments())
}

// follow takes the steps through an automaton, along the routes that were asked.
func (x *explainer) follow(routes []*route, asked *automaton.Automaton) (steps []Step) {
	open, path, guide, states := routes, x.path, x.route, asked.Open(x.path)
	var before []automaton.Path
	for n := 0; path.Text != ""; n++ {
		before = append(before, path)
		segment, _ := path.Next()
		open = stillOpen(open, n, segment)
		if x.route == nil && len(open) > 0 {
			guide = open[0]
		}
		s := Step{Segment: segment, Node: branches(open, n+1), Wide: states[n] > 1}
		if path.Text == "" {
			open = slices.DeleteFunc(open, func(r *route) bool { return !r.matches(x.path) })
		}
		if s.Open = publicOf(open); len(s.Node) == 0 {
			s.Segment, path.Text = before[n].Rest(), ""
		}
		steps = append(steps, s)
	}
	fillValues(steps, before, guide)
	return steps
}

// stillOpen keeps the routes that go on, up to the first whose rest has begun: a
// rest matches whatever follows, so that no route after it can win.
func stillOpen(open []*route, n int, seg string) (next []*route) {
	var begun *route
	for _, r := range open {
		if begun != nil && compareSegments(begun.segments(), r.segments()) != 0 {
			break
		}
		if r.goesOn(n, seg) {
			if next = append(next, r); r.begun(n + 1) {
				begun = r
			}
		}
	}
	return next
}

// branches names the branches of the trie that are open after n segments.
func branches(open []*route, n int) (names []string) {
	var last []segment
	for _, r := range open {
		if r.begun(n) || last != nil && compareSegments(last, r.segments()[:n]) == 0 {
			continue
		}
		last = r.segments()[:n]
		names = append(names, r.branchName(n))
	}
	return names
}

// branchName is the first n segments of r's path as they were written.
func (r *route) branchName(n int) string {
	written := strings.Split(r.pattern.path(), "/")[1:]
	if n > len(written) {
		written = append(written, "{$}")
	}
	return "/" + strings.Join(written[:n], "/")
}

// prefixLength returns how many segments of the path come before what a subtree or
// a rest takes.
func (r *route) prefixLength() int {
	if last := r.pattern.last(); last.kind == rest || last.text == "" {
		return len(r.pattern.segments) - 1
	}
	return len(r.pattern.segments)
}

func publicOf(routes []*route) (public []Route) {
	for _, r := range routes {
		public = append(public, r.public())
	}
	return public
}

// fillValues notes how a route takes each segment: the route that answers, or on
// a miss the one that got furthest.
func fillValues(steps []Step, before []automaton.Path, guide *route) {
	for i := range steps {
		s := &steps[i]
		if len(s.Open)+len(s.Node) == 0 {
			return // where a miss ended
		}
		segments := guide.segments()
		if i >= len(segments) {
			s.Kind = rest.String()
			continue
		}
		s.Kind = segments[i].kind.String()
		switch segments[i].kind {
		case parameter:
			s.Name, s.Value = segments[i].text, s.Segment
		case rest:
			s.Name, s.Value = segments[i].text, before[i].Rest()
		}
	}
}

// judge says by which rules the winner won over the routes that match too.
func (x *explainer) judge() {
	steps := x.trace.Steps
	if x.route == nil || x.status == http.StatusMethodNotAllowed {
		return
	}
	x.judgePaths()
	x.judgeMethods()
	for i := range steps {
		s := &steps[i]
		for n, rule := range s.rules {
			s.rules[n] = rule + ": not"
			s.Rule += "; " + s.rules[n] + " " + strings.Join(s.lost[n], ", ")
		}
		s.Rule = strings.TrimPrefix(s.Rule, "; ")
	}
	judged := slices.ContainsFunc(steps, func(s Step) bool { return s.Rule != "" })
	if last := &steps[len(steps)-1]; !judged && (x.status != http.StatusNoContent || len(last.Open) == 1) {
		last.Rule = "no other route matches"
	}
}

// lose notes that a route lost by a rule.
func (x *explainer) lose(step int, rule string, r *route) {
	s := &x.trace.Steps[step]
	i := slices.Index(s.rules, rule)
	if i < 0 {
		i = len(s.rules)
		s.rules, s.lost = append(s.rules, rule), append(s.lost, nil)
	}
	s.lost[i] = append(s.lost[i], r.text)
}

// judgePaths is the second rule: segment by segment from the left.
func (x *explainer) judgePaths() {
	won := x.route.segments()
	for _, r := range x.routes {
		if r == x.route || !r.matches(x.path) {
			continue
		}
		for i, s := range r.segments()[:min(len(won), len(r.segments()))] {
			if won[i].kind != s.kind {
				x.lose(i, fmt.Sprintf("a %v beats a %v", won[i].kind, s.kind), r)
				break
			}
		}
	}
}

// judgeMethods is the third rule, among the routes of the same path, and the
// first, among the hosts.
func (x *explainer) judgeMethods() {
	last := len(x.trace.Steps) - 1
	for _, r := range x.routesOf(x.route.pattern.hostKey()) {
		switch {
		case r == x.route || r.end != x.route.end || rank(r, x.method) == cannot || !x.takes(r, x.path):
		case r.spelling != x.route.spelling:
			x.lose(last, "the path as registered beats a mount's prefix in its other spelling", r)
		default:
			x.lose(last, "the more specific method wins", r)
		}
	}
	for h := x.hosts.of(x.host).withKey(x.route.pattern.hostKey()).next; h != nil; h = h.next {
		rule := "a host written out beats one with a parameter"
		if h.key == "" {
			rule = "a route with a host beats one without"
		}
		alone := *h
		alone.next = nil
		if r := bestOf(x.ask(&alone, x.path).onSent(), x.method); r != nil && x.takes(r, x.path) {
			x.lose(last, rule, r)
		}
	}
}

// askInner notes what the route's handler makes of the path, if it is a Router or
// takes off a prefix that Mount has taken off before.
func (x *explainer) askInner(r *http.Request) {
	if x.status != http.StatusOK {
		return
	}
	own := x.route.registered
	switch h := own.handler.(type) {
	case *Router:
		m := h.Lookup(r)
		x.note("the handler is a Router, which sees the whole path")
		x.note("it answers " + m.answerText())
		cut, u := *r, *r.URL
		cut.URL = &u
		stripSegments(&u, x.route.prefixLength())
		if m.Status == http.StatusNotFound && h.Lookup(&cut).Status != http.StatusNotFound {
			alone := &route{pattern: own.pattern}
			x.note(fmt.Sprintf("it has the path without the prefix: write Mount(%q, router)", alone.branchName(alone.prefixLength())))
		}
	case http.HandlerFunc:
		if own.stripsPrefix && isStripPrefix(h) {
			x.note("stripped twice: Mount takes the prefix off before http.StripPrefix; drop that")
		}
	}
}

// isStripPrefix reports whether http.StripPrefix made h. Its name begins with that
// of the function that http.StripPrefix was inlined into; its code stays net/http's.
func isStripPrefix(h http.HandlerFunc) bool {
	f := runtime.FuncForPC(reflect.ValueOf(h).Pointer())
	file, _ := f.FileLine(f.Entry())
	return strings.Contains(f.Name(), ".StripPrefix.") && strings.HasSuffix(file, "net/http/server.go")
}

const nearestCount = 5

// seekNearest fills in what the trace tells of a miss.
func (x *explainer) seekNearest(sent automaton.Path) {
	costs, why := map[*route]int{}, map[*route]string{}
	near := slices.DeleteFunc(x.answering(), func(r *route) bool {
		costs[r], why[r] = x.nearness(r, sent)
		return why[r] == ""
	})
	slices.SortStableFunc(near, func(a, b *route) int {
		host, other := a.pattern.hostKey(), b.pattern.hostKey()
		if (host == "") != (other == "") {
			host, other = other, host // none comes last
		}
		return cmp.Or(cmp.Compare(costs[a], costs[b]), cmp.Compare(host, other), compareRoutes(a, b))
	})
	for _, r := range near[:min(len(near), nearestCount)] {
		if costs[r] > costs[near[0]]+3 {
			break // what is much farther than the first would distract
		}
		x.trace.Nearest, x.trace.why = append(x.trace.Nearest, r.public()), append(x.trace.why, why[r])
	}
}

// nearness says what is between a path and a route that does not answer it, and
// what that costs: nothing for another method, then the other spelling, another
// host, and from 6 on the letters that differ. The text is "" where nobody would
// call it near.
func (x *explainer) nearness(r *route, sent automaton.Path) (cost int, why string) {
	here := x.hosts.of(x.host).withKey(r.pattern.hostKey()) != nil
	matching := r.matches(sent)
	switch {
	case r.spelling != asWritten, matching && !x.takes(r, sent):
		return 0, "" // named by its own path, or there but for a file
	case matching && here:
		return 0, "the same path by another method"
	case matching:
		return 2, "the same path on another host"
	case !here:
		return 0, ""
	case sent.Text != "/" && r.matches(automaton.Path{Text: otherSpelling(sent.Text), Escaped: sent.Escaped}):
		if strings.HasSuffix(sent.Text, "/") {
			return 1, "without the final slash"
		}
		return 1, "with a final slash"
	case len(sent.Text) > 512 || strings.Count(sent.Text, "/") > 64 || len(r.segments()) > 64:
		return 0, "" // nobody reads what so long a path comes near to
	}
	differ := pathDistance(r.segments(), sent)
	if differ > 1+utf8.RuneCountInString(sent.Text)/3 {
		return 0, ""
	}
	cost, why = 4+2*differ, fmt.Sprintf("%d letters differ", differ)
	if differ == 1 {
		why = "one letter differs"
	}
	if rank(r, x.method) == cannot {
		cost++ // of two at one distance the one that would answer
	}
	return cost, why
}

// pathDistance is the least number of letters and slashes to change in a path so
// that a route with these segments matches it: the edit distance of segments, each
// at the price of its own.
func pathDistance(segments []segment, path automaton.Path) int {
	var sent []string
	for seg, ok := path.Next(); ok; seg, ok = path.Next() {
		sent = append(sent, seg)
	}
	return editDistance(len(segments), len(sent),
		func(i int) int { return segments[i].price() },
		func(i, j int) int {
			if i >= 0 && segments[i].kind == rest {
				return 0 // it takes one more
			}
			return 1 + utf8.RuneCountInString(sent[j])
		},
		func(i, j int) int { return segments[i].distance(sent[j]) })
}

// price is what a segment costs that the path lacks: its letters and a slash.
func (s segment) price() int {
	switch s.kind {
	case literal:
		return 1 + utf8.RuneCountInString(s.text)
	case parameter:
		return 2
	}
	return 1
}

func (s segment) distance(seg string) int {
	switch {
	case s.kind == rest, s.kind == parameter && seg != "":
		return 0
	case s.kind == parameter:
		return 1
	case s.text != seg && strings.EqualFold(s.text, seg):
		return 1 // one slip, however many letters
	}
	want, got := []rune(s.text), []rune(seg)
	return editDistance(len(want), len(got),
		func(int) int { return 1 },
		func(int, int) int { return 1 },
		func(i, j int) int {
			if want[i] == got[j] {
				return 0
			}
			return 1
		})
}

// editDistance is Levenshtein's, of two lists of n and m elements: the least cost
// of making the first list the second. drop is the cost of leaving out element i of
// the first, add of putting in element j of the second after element i (-1 for the
// beginning), and change of making the one the other.
func editDistance(n, m int, drop func(i int) int, add, change func(i, j int) int) int {
	row := make([]int, n+1)
	for i := range n {
		row[i+1] = row[i] + drop(i)
	}
	for j := range m {
		diagonal := row[0]
		row[0] += add(-1, j)
		for i := range n {
			changed := diagonal + change(i, j)
			diagonal = row[i+1]
			row[i+1] = min(changed, row[i]+drop(i), diagonal+add(i, j))
		}
	}
	return row[n]
}
