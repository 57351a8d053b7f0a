package segue

// This file looks into a router: Routes lists what it has, Lookup tells what
// would become of a request, and Explain tells why. They ask resolve.go for the
// answer, and add only words to it.

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/segue-go/segue/internal/automaton"
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
}

// public is what users see of a route.
func (r *route) public() Route {
	file, line := r.registered.site.locate()
	p := Route{
		Method: r.pattern.method(), Host: r.pattern.host(), Path: r.pattern.path(), Pattern: r.pattern.text,
		Handler: r.registered.handler, File: file, Line: line,
	}
	if r.scope != nil {
		p.Middleware = r.scope.middlewareNames()
	}
	return p
}

// Routes returns every route, those of mounted routers included, sorted by
// host, path and method.
//
//	for route := range app.Routes() {
//		fmt.Println(route.Pattern, route.Middleware)
//	}
//
// Each shows the names of all middlewares on its way, outermost first, and where
// it was registered. The list is made when Routes is called; later changes do
// not show in it. Like the next request, it compiles what a change has outdated.
func (rt *Router) Routes() iter.Seq[Route] { return slices.Values(rt.routes()) }

// routes lists the routes in the order of [Router.Routes].
func (rt *Router) routes() []Route {
	var all []Route
	s := rt.snapshot()
	for i := range s.routes[automaton.First:] {
		if r := &s.routes[automaton.First+i]; r.spelling == asWritten {
			all = append(all, r.public())
		}
	}
	slices.SortFunc(all, func(a, b Route) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	return all
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
// It is what a decision about a request needs that must tell a match from a
// redirect. It follows the same rules as [Router.ServeHTTP], by the same code, and
// does not change r. It compiles what a change has outdated, so that calling it
// once warms a router up. It allocates the parameters, and what a miss has to
// tell.
func (rt *Router) Lookup(r *http.Request) Match {
	return rt.snapshot().resolve(r).match()
}

// A Trace is what [Router.Explain] tells of a request.
type Trace struct {
	Match Match  // what [Router.Lookup] returns
	Steps []Step // one for each segment that was looked at

	// Nearest holds, for a 404 or 405, the routes that come nearest, at most
	// five: those of the same path by another method, then in the other
	// spelling of the final slash, then on another host, then by how many
	// letters differ.
	Nearest []Route

	why     []string // of each of Nearest
	notes   []string // what went before the steps
	request string   // method, host and path as they came
	ended   bool     // a miss: the path ended before any route did
	routes  []Route  // all of them, for a trace of no request
}

// A Step is what happened at one segment of a path. The steps go along the
// spelling of the path that decided: of a redirect, the one that it leads to.
type Step struct {
	Segment string // decoded; the last one holds all that is left where only a rest is

	// Node names the compiled trie's node behind the segment: the branches
	// that are open there, best first. More than one is what compiling merged,
	// so that a lookup need not go back. None is open where only a rest can
	// take what follows, or nothing.
	Node []string

	// How the route that answers takes the segment: "literal", "parameter" or
	// "rest". On a miss it is the route that got furthest, and "" where it
	// ended. A rest has its value in the step where it begins.
	Kind        string
	Name, Value string

	Open []Route // the routes that can still win, best first; where the path ends, those that match
	Rule string  // why the winner wins over routes that match too, where the rule applies here
	Wide bool    // the step was made side by side in several branches: the budget for compiling was used up

	verdicts []verdict
}

// Explain returns how a request is matched, without serving it: what
// [Router.Lookup] returns, each step on the way, the routes that were open
// there, by which rule the winner won, and on a miss where it ended and which
// routes are nearest. The trace's String draws that for a terminal.
//
// With nil for the request there is nothing to follow, and String draws all of
// the router's routes as a tree.
//
// Explain is for people. It visits every route and allocates as it needs; it
// takes no lock that requests wait for, but like them it compiles the routes
// first if they changed.
func (rt *Router) Explain(r *http.Request) Trace {
	if r == nil {
		return Trace{routes: rt.routes()}
	}
	s := rt.snapshot()
	x := &explainer{answer: s.resolve(r), snapshot: s, hosts: s.hosts, method: r.Method, host: r.Host}
	x.trace.Match = x.answer.match()
	x.trace.request = requestText(r)
	x.choosePath(r)
	x.chooseHost()
	x.judge()
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
	verdicts     []verdict
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

func (x *explainer) ask(hosts []*host, path automaton.Path) *question {
	return &question{snapshot: x.snapshot, hosts: hosts, paths: [2]automaton.Path{path}}
}

func (x *explainer) note(text string) { x.trace.notes = append(x.trace.notes, text) }

// chooseHost takes the steps through the routes of the host that decided. A miss
// is shown on the host where it got furthest.
func (x *explainer) chooseHost() {
	for _, h := range x.hosts.of(x.host) {
		name, routes, asked := x.hostOf(h), []*route(nil), h.all
		for _, r := range x.routesOf(name) {
			if x.ask(x.hosts.of(x.host), x.path).takes(r, x.path) {
				routes = append(routes, r)
			}
		}
		if x.route != nil {
			if x.route.pattern.hostKey() != name {
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
	if last := len(x.trace.Steps) - 1; last >= 0 {
		x.trace.ended = x.route == nil && len(x.trace.Steps[last].Node) > 0
	}
}

// hostOf returns the name of one of x's hosts.
func (x *explainer) hostOf(h *host) string {
	return h.key
}

// routesOf lists the routes of a host that answer under the settings that hold,
// in the order of rule 2.
func (x *explainer) routesOf(host string) []*route {
	var routes []*route
	for i := range x.snapshot.routes[automaton.First:] {
		r := &x.snapshot.routes[automaton.First+i]
		if r.pattern.hostKey() == host && r.answers() && (x.hosts != x.snapshot.unclean || !*r.scope.clean) {
			routes = append(routes, r)
		}
	}
	slices.SortStableFunc(routes, func(a, b *route) int {
		return cmp.Or(compareSegments(a.segments(), b.segments()), cmp.Compare(a.spelling, b.spelling), cmp.Compare(a.pattern.method(), b.pattern.method()))
	})
	return routes
}

// rivals returns those of a host's routes that were asked for the request's
// method: the best at each place. For OPTIONS, as atOptions goes on, these are
// the routes that name it, all, or those for any method.
func (x *explainer) rivals(routes []*route) []*route {
	matching := slices.DeleteFunc(slices.Clone(routes), func(r *route) bool { return !matches(r.segments(), x.path) })
	var rivals []*route
	switch m := x.route.pattern.method(); {
	case x.status == http.StatusMethodNotAllowed:
		return routes
	case x.method == http.MethodOptions && m != http.MethodOptions && (m != "" || slices.Contains(matching[:samePlace(matching)], x.route)):
		return routes
	case x.method == http.MethodOptions:
		return slices.DeleteFunc(routes, func(r *route) bool { return r.pattern.method() != m })
	}
	for len(routes) > 0 {
		same := slices.IndexFunc(routes, func(r *route) bool { return r.end != routes[0].end })
		if same < 0 {
			same = len(routes)
		}
		if r := pick(routes[:same], x.method); r != nil {
			rivals = append(rivals, r)
		}
		routes = routes[same:]
	}
	return rivals
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
// path, from 0 on, is so behind it.
func goesOn(place []segment, n int, seg string) bool {
	if n >= len(place) {
		return place[len(place)-1].kind == rest
	}
	switch place[n].kind {
	case literal:
		return place[n].text == seg
	case parameter:
		return seg != ""
	}
	return true
}

// begun reports whether the place's rest has taken one of n segments.
func begun(place []segment, n int) bool {
	return len(place) <= n && place[len(place)-1].kind == rest
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
		s := Step{Segment: segment, Node: branches(open, n+1), Wide: n < len(states) && states[n] > 1}
		if path.Text == "" {
			open = slices.DeleteFunc(open, func(r *route) bool { return !matches(r.segments(), x.path) })
		}
		if s.Open = publicOf(open); len(s.Node) == 0 {
			s.Segment, path.Text = before[n].Rest(), ""
		}
		steps = append(steps, s)
	}
	fillValues(steps, before, guide)
	return steps
}

// stillOpen keeps the routes that go on, up to the first place whose rest has
// begun: it matches whatever follows, so that nothing behind it can win.
func stillOpen(open []*route, n int, seg string) []*route {
	var next []*route
	var last []segment
	for _, l := range open {
		place := l.segments()
		if last != nil && compareSegments(last, place) != 0 {
			break
		}
		if goesOn(place, n, seg) {
			if next = append(next, l); begun(place, n+1) {
				last = place
			}
		}
	}
	return next
}

// branches names the open branches of the source trie behind n segments.
func branches(open []*route, n int) []string {
	var names []string
	var last []segment
	for _, l := range open {
		place := l.segments()
		if begun(place, n) || last != nil && compareSegments(last, place[:n]) == 0 {
			continue
		}
		last = place[:n]
		names = append(names, l.branchName(n))
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

func publicOf(leaves []*route) []Route {
	var routes []Route
	for _, l := range leaves {
		routes = append(routes, l.public())
	}
	return routes
}

// fillValues says how the guide, the winner or who got furthest, took each
// segment.
func fillValues(steps []Step, before []automaton.Path, guide *route) {
	for i := range steps {
		s := &steps[i]
		if len(s.Open)+len(s.Node) == 0 {
			return // where a miss ended
		}
		place := guide.segments()
		if i >= len(place) {
			s.Kind = rest.String()
			continue
		}
		s.Kind = place[i].kind.String()
		switch place[i].kind {
		case parameter:
			s.Name, s.Value = place[i].text, s.Segment
		case rest:
			s.Name, s.Value = place[i].text, before[i].Rest()
		}
	}
}

// judge says by which rules the winner won over the routes that match too.
func (x *explainer) judge() {
	steps := x.trace.Steps
	if x.route == nil || x.status == http.StatusMethodNotAllowed || len(steps) == 0 {
		return
	}
	x.judgePaths()
	x.judgeMethods()
	if len(x.verdicts) == 0 && (x.status != http.StatusNoContent || len(steps[len(steps)-1].Open) == 1) {
		steps[len(steps)-1].Rule = nothingElse
	}
	for _, v := range x.verdicts {
		rule := v.rule + ": not " + strings.Join(v.lost, ", ")
		if old := steps[v.step].Rule; old != "" {
			rule = old + "; " + rule
		}
		steps[v.step].Rule, steps[v.step].verdicts = rule, append(steps[v.step].verdicts, v)
	}
}

const nothingElse = "no other route matches"

// A verdict is a rule and the routes that lost by it.
type verdict struct {
	step int
	rule string
	lost []string
}

func (x *explainer) lose(step int, rule string, l *route) {
	step = min(step, len(x.trace.Steps)-1)
	i := slices.IndexFunc(x.verdicts, func(v verdict) bool { return v.step == step && v.rule == rule })
	if i < 0 {
		i = len(x.verdicts)
		x.verdicts = append(x.verdicts, verdict{step: step, rule: rule})
	}
	x.verdicts[i].lost = append(x.verdicts[i].lost, l.text)
}

// judgePaths is the second rule: segment by segment from the left.
func (x *explainer) judgePaths() {
	won := x.route.segments()
	for _, l := range x.routes {
		place := l.segments()
		if l == x.route || !matches(place, x.path) {
			continue
		}
		for i := range min(len(won), len(place)) {
			if won[i].kind != place[i].kind {
				x.lose(i, fmt.Sprintf("a %v beats a %v", won[i].kind, place[i].kind), l)
				break
			}
		}
	}
}

// judgeMethods is the third rule, among the routes of the same path, and the
// first, a host before none.
func (x *explainer) judgeMethods() {
	last := len(x.trace.Steps) - 1
	if x.method == http.MethodOptions {
		return // the best path decides, and not the method
	}
	for _, r := range x.routesOf(x.route.pattern.hostKey()) {
		switch {
		case r == x.route || r.end != x.route.end || rank(r, x.method) == cannot || !x.ask(x.hosts.of(x.host), x.path).takes(r, x.path):
		case r.spelling != x.route.spelling:
			x.lose(last, "the path as registered beats a mount's prefix in its other spelling", r)
		default:
			x.lose(last, "the more specific method wins", r)
		}
	}
	if x.route.pattern.host() == "" {
		return
	}
	if r := bestOf(x.ask(x.hosts.none, x.path).onSent(), x.method); r != nil {
		x.lose(last, "a route with a host beats one without", r)
	}
}

// matches reports whether a place matches the whole of a path.
func matches(place []segment, path automaton.Path) bool {
	n := 0
	for ; path.Text != ""; n++ {
		if begun(place, n) {
			return true
		}
		if seg, _ := path.Next(); !goesOn(place, n, seg) {
			return false
		}
	}
	return n == len(place)
}

// A near is a route that a missed request comes near to.
type near struct {
	route *route
	class int // what has to change, the least first
	cost  int
	why   string
}

const (
	otherMethod = iota
	otherSlash
	otherHost
	otherLetters
)

const (
	nearestCount = 5
	nearestPath  = 512 // bytes; nobody reads what a longer path comes near to
	nearestDepth = 64  // segments
)

// seekNearest fills in what the trace tells of a miss.
func (x *explainer) seekNearest(sent automaton.Path) {
	var all []near
	for _, l := range x.everywhere() {
		if n, ok := x.nearness(l, sent); ok {
			all = append(all, n)
		}
	}
	slices.SortStableFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.cost, b.cost))
	})
	for _, n := range all[:min(len(all), nearestCount)] {
		if n.class == otherLetters && (n.class != all[0].class || n.cost > all[0].cost+3) {
			break // what is much farther than the first would distract
		}
		x.trace.Nearest = append(x.trace.Nearest, n.route.public())
		x.trace.why = append(x.trace.why, n.why)
	}
}

// everywhere lists the routes of all hosts, those that the request could meet
// first.
func (x *explainer) everywhere() []*route {
	var all []*route
	asked := requestHost(x.host)
	if x.snapshot.hosts.named[asked] != nil {
		all = x.routesOf(asked)
	}
	all = append(all, x.routesOf("")...)
	for _, host := range slices.Sorted(maps.Keys(x.snapshot.hosts.named)) {
		if host != asked {
			all = append(all, x.routesOf(host)...)
		}
	}
	return all
}

// nearness says how near the path comes to l, false if it does not.
func (x *explainer) nearness(l *route, sent automaton.Path) (near, bool) {
	n, place := near{route: l}, l.segments()
	other := automaton.Path{Text: otherSpelling(sent.Text), Escaped: sent.Escaped}
	here := canonicalHost(l.pattern.host()) == "" || canonicalHost(l.pattern.host()) == requestHost(x.host)
	switch {
	case l.spelling != asWritten, matches(place, sent) && !x.ask(x.hosts.of(x.host), x.path).takes(l, sent):
		return n, false // named by its own path, or there but for a file
	case matches(place, sent) && here:
		n.why = "the same path by another method"
	case matches(place, sent):
		n.class, n.why = otherHost, "the same path on another host"
	case here && sent.Text != "/" && matches(place, other):
		n.class, n.why = otherSlash, "with a final slash"
		if strings.HasSuffix(sent.Text, "/") {
			n.why = "without the final slash"
		}
	case here:
		return n.byLetters(place, sent, x.method)
	default:
		return n, false
	}
	return n, true
}

// byLetters is the edit distance, in letters and slashes, as far as a reader
// would call it near.
func (n near) byLetters(place []segment, sent automaton.Path, method string) (near, bool) {
	if len(sent.Text) > nearestPath || strings.Count(sent.Text, "/") > nearestDepth || len(place) > nearestDepth {
		return n, false
	}
	length := utf8.RuneCountInString(sent.Text)
	distance := pathDistance(place, sent)
	n.class, n.cost = otherLetters, 2*distance
	n.why = fmt.Sprintf("%d letters differ", distance)
	if distance == 1 {
		n.why = "one letter differs"
	}
	if m := n.route.pattern.method(); m != method && m != "" && (m != http.MethodGet || method != http.MethodHead) {
		n.cost++ // of two at one distance the one that would answer
	}
	return n, distance > 0 && distance <= 1+length/3
}

// pathDistance is the least number of letters and slashes to change in a path
// so that the place matches it: the edit distance of segments, each at the
// price of its own.
func pathDistance(place []segment, path automaton.Path) int {
	row := make([]int, len(place)+1)
	for j, s := range place {
		row[j+1] = row[j] + s.price()
	}
	for path.Text != "" {
		seg, _ := path.Next()
		diagonal := row[0]
		row[0] += 1 + utf8.RuneCountInString(seg)
		for j, s := range place {
			change := diagonal + s.distance(seg)
			if s.kind == rest {
				change = min(change, row[j+1]) // it takes one more
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+s.price(), row[j+1]+1+utf8.RuneCountInString(seg))
		}
	}
	return row[len(place)]
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
	return editDistance([]rune(s.text), []rune(seg))
}

// editDistance is Levenshtein's.
func editDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, c := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, d := range b {
			change := diagonal
			if c != d {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
