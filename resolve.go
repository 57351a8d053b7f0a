package segue

// This file decides what becomes of a request: which route answers, and what is
// answered where none does. ServeHTTP comes here with every request that Find
// leaves open; Lookup, Explain and Handler tell what was decided here, so that
// none of them can differ from another.
//
// What decides is the list of all routes that match the path, whatever their
// method, best first. One automaton of each host gives it in one pass.

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/segue-go/segue/internal/automaton"
	"github.com/segue-go/segue/internal/pathvalue"
	"github.com/segue-go/segue/internal/sendfile"
)

// An answer is what becomes of a request.
type answer struct {
	status          int            // 200, 204, 307, 400, 404 or 405
	route           *route         // the route that answers or is redirected to; for 204 and 405 the best on the path
	host            string         // what the values are read from: the request's host
	path            automaton.Path // and its path
	location, allow string         // of a redirect; of a 405 and a 204
	declined        bool           // a Static was asked for the path of a 404
}

// resolve decides what becomes of a request, by every rule.
func (s *snapshot) resolve(r *http.Request) answer {
	a := s.decide(r)
	a.host = r.Host
	return a
}

func (s *snapshot) decide(r *http.Request) answer {
	if r.RequestURI == "*" {
		return answer{status: http.StatusBadRequest} // not a path (RFC 9112, section 3.2.4), as in ServeMux
	}
	path := pathOf(r.URL)
	if isClean(path.Text) {
		if found := s.exactMatch(r, path); found != nil {
			return answer{status: http.StatusOK, route: found, path: path}
		}
		q := s.question(s.hosts, r, path)
		a := q.answer(r.Method)
		if a.status == http.StatusTemporaryRedirect {
			a.location = location(otherSpelling(r.URL.EscapedPath()), r.URL.RawQuery)
		}
		return a
	}
	if s.unclean != nil && strings.HasPrefix(path.Text, "/") {
		// A redirect from here could begin with two slashes, which browsers
		// take for another site: cleaning does better.
		q := s.question(s.unclean, r, path)
		if a := q.find(r.Method); a.status == http.StatusOK || a.status == http.StatusNoContent {
			return q.withAllow(a)
		}
	}
	if r.Method == http.MethodConnect {
		return answer{status: http.StatusNotFound}
	}
	clean := cleanPath(r.URL.EscapedPath())
	q := s.question(s.hosts, r, automaton.Path{Text: clean, Escaped: true})
	a := q.find(r.Method)
	if a.status == http.StatusTemporaryRedirect {
		clean = otherSpelling(clean)
	} else if a.status != http.StatusOK {
		a.route = nil
	}
	return answer{status: http.StatusTemporaryRedirect, route: a.route, path: a.path, location: location(clean, r.URL.RawQuery)}
}

// exactMatch spares the question where the automaton's answer is final. It returns
// the route that matches a path with nothing taken by a rest, nil if there is more
// to decide. It is what Find would say of an encoded path, or of states that are
// stepped through side by side, and allocates as little.
func (s *snapshot) exactMatch(r *http.Request, path automaton.Path) *route {
	var buf [64]uint32 // one is found, or as many as are stepped through side by side
	for h := s.of(r.Host); h != nil; h = h.next {
		a := h.forMethod(r.Method)
		if a == nil {
			return nil
		}
		if found := a.Match(path, buf[:0]); len(found) > 0 {
			if number := found[0]; number >= automaton.First && s.routes[number].pattern.last().kind != rest {
				return &s.routes[number]
			}
			return nil
		}
	}
	return nil
}

// location is the value of a Location header. The path is escaped already. The
// query comes as the client sent it, and may hold bytes that a header must not.
func location(path, query string) string {
	if query == "" {
		return path
	}
	var b strings.Builder
	b.WriteString(path + "?")
	for i := range len(query) {
		if c := query[i]; c < 0x80 {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + strconv.FormatInt(int64(c), 16))
		}
	}
	return b.String()
}

// otherSpelling adds a path's final slash, or takes it away.
func otherSpelling(path string) string {
	if strings.HasSuffix(path, "/") {
		return path[:len(path)-1]
	}
	return path + "/"
}

// A question is what a request asks for, whatever its method: a path, in both
// spellings of its final slash, on some hosts.
type question struct {
	snapshot  *snapshot
	host      *host             // the first that is asked
	paths     [2]automaton.Path // as it was sent, and with its final slash added or removed
	routes    [2][]*route       // that match each of them, best first; nil until they are asked for
	preflight string            // the method that a CORS preflight asks for
	files     []sendfile.Found  // what Statics have found
}

func (s *snapshot) question(hs *hosts, r *http.Request, path automaton.Path) *question {
	q := &question{snapshot: s, host: hs.of(r.Host), paths: [2]automaton.Path{path}}
	if r.Method == http.MethodOptions {
		q.preflight = r.Header.Get("Access-Control-Request-Method")
	}
	return q
}

// of returns the first host whose routes a request may match: its own, else the
// one whose first label is a parameter, else none. Each leads to the next.
func (hs *hosts) of(host string) *host {
	if hs.named == nil {
		return hs.none
	}
	host = requestHost(host)
	h := hs.named[host]
	if dot := strings.IndexByte(host, '.'); h == nil && dot > 0 {
		h = hs.under[host[dot:]]
	}
	if h == nil {
		return hs.none
	}
	return h
}

// firstLabel returns the value of a host's parameter.
func firstLabel(host string) string {
	label, _, _ := strings.Cut(requestHost(host), ".")
	return label
}

// requestHost is a request's host as patterns name it: without the port, as in
// ServeMux, and in the canonical form.
func requestHost(host string) string {
	if strings.IndexByte(host, ':') >= 0 {
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
	}
	return canonicalHost(host)
}

// onSent returns the routes that match the path as it was sent.
func (q *question) onSent() []*route { return q.matching(0) }

// onOther returns those that match the other spelling.
func (q *question) onOther() []*route {
	if q.paths[0].Text == "/" {
		return nil
	}
	if q.paths[1].Text == "" {
		q.paths[1] = automaton.Path{Text: otherSpelling(q.paths[0].Text), Escaped: q.paths[0].Escaped}
	}
	return q.matching(1)
}

// matching returns the routes that match a spelling, best first, without those
// that decline the path.
func (q *question) matching(i int) []*route {
	if q.routes[i] != nil {
		return q.routes[i]
	}
	found, path := []*route{}, q.paths[i]
	var buf [8]uint32
	for h := q.host; h != nil; h = h.next {
		for _, number := range h.all.Match(path, buf[:0]) {
			found = q.snapshot.appendRoutes(found, number)
		}
	}
	q.routes[i] = slices.DeleteFunc(found, func(r *route) bool { return !q.takes(r, path) })
	return q.routes[i]
}

// appendRoutes adds what an automaton's number stands for.
func (s *snapshot) appendRoutes(to []*route, number uint32) []*route {
	if int(number) < len(s.routes) {
		return append(to, &s.routes[number])
	}
	for _, n := range s.lists[int(number)-len(s.routes)] {
		to = append(to, &s.routes[n])
	}
	return to
}

// answer is find, with what a miss has to tell.
func (q *question) answer(method string) answer {
	a := q.withAllow(q.find(method))
	if a.status == 0 {
		a.status, a.declined = http.StatusNotFound, len(q.files) > 0
		if allow := q.allowed(); len(allow) > 0 {
			a.status, a.allow = http.StatusMethodNotAllowed, strings.Join(allow, ", ")
			best := q.onSent() // over all methods
			if len(best) == 0 {
				best = q.onOther()
			}
			a.route = best[0]
		}
	}
	return a
}

func (q *question) withAllow(a answer) answer {
	if a.status == http.StatusNoContent {
		a.allow = strings.Join(q.allowed(), ", ")
	}
	return a
}

// find looks the path up as it was sent. If nothing matches, or a rest took
// something, the other spelling counts if an exact route is there whose policy
// allows it. The status is 0 where nothing answers the method.
func (q *question) find(method string) answer {
	found, status := q.at(method, q.onSent())
	if status != 0 && q.exact(found, q.paths[0]) {
		return answer{status: status, route: found, path: q.paths[0]}
	}
	if other, otherStatus := q.atOther(method); otherStatus != 0 && (other != found || found.registered.files != nil) {
		if other.pattern.verb && *other.scope.slash == SlashEither && other.registered.files == nil {
			return answer{status: otherStatus, route: other, path: q.paths[1]}
		}
		return answer{status: http.StatusTemporaryRedirect, route: other, path: q.paths[1]}
	}
	return answer{status: status, route: found, path: q.paths[0]}
}

// atOther is at for the other spelling, as far as it counts.
func (q *question) atOther(method string) (*route, int) {
	found, status := q.at(method, q.onOther())
	if status == 0 || !q.countsFor(found) {
		return nil, 0
	}
	return found, status
}

// countsFor reports whether a route that won at the other spelling counts for
// the path as sent. ServeMux's rule, for its patterns, is to add a slash only.
func (q *question) countsFor(r *route) bool {
	if !q.exact(r, q.paths[1]) {
		return false
	}
	if r.pattern.verb && r.registered.files == nil {
		return *r.scope.slash != SlashExact
	}
	return !strings.HasSuffix(q.paths[0].Text, "/")
}

// exact reports whether r matches path with nothing taken by a rest, as
// ServeMux's exactMatch. A file that is there is not taken by a rest either.
func (q *question) exact(r *route, path automaton.Path) bool {
	if r.pattern.last().kind != rest {
		return true
	}
	slashes, depth := strings.Count(path.Text, "/"), len(r.pattern.segments)
	if slashes == depth && strings.HasSuffix(path.Text, "/") {
		return true
	}
	if r.registered.files != nil {
		return q.file(r, path) != ""
	}
	return slashes < depth
}

// at returns who answers a method, of the routes that match a path.
func (q *question) at(method string, found []*route) (*route, int) {
	if method == http.MethodOptions {
		return atOptions(found, q.preflight)
	}
	if r := bestOf(found, method); r != nil {
		return r, http.StatusOK
	}
	return nil, 0
}

// bestOf returns the first route that answers a method, nil if none does.
func bestOf(found []*route, method string) *route {
	for len(found) > 0 {
		same := samePlace(found)
		if r := pick(found[:same], method); r != nil {
			return r
		}
		found = found[same:]
	}
	return nil
}

// samePlace returns how many routes of a list, from the first on, end at one
// node in one spelling: they differ only in their methods.
func samePlace(found []*route) int {
	return leading(found, func(r *route) bool { return r.end == found[0].end && r.spelling == found[0].spelling })
}

// leading returns how many routes of a list, from the first on, have a property.
func leading(found []*route, has func(*route) bool) int {
	n := slices.IndexFunc(found, func(r *route) bool { return !has(r) })
	if n < 0 {
		return len(found)
	}
	return n
}

// rank orders the routes of one path by rule 3: the method's own route, then
// GET's for HEAD, then any method's.
func rank(r *route, method string) int {
	switch m := r.pattern.method(); {
	case m == method:
		return 0
	case m == http.MethodGet && method == http.MethodHead:
		return 1
	case m == "":
		return 2
	}
	return cannot
}

const cannot = 3 // the rank of a route that does not answer the method

// pick returns the best of some routes for a method, the better spelling first;
// nil if none answers it.
func pick(routes []*route, method string) *route {
	var best *route
	for _, r := range routes {
		if rank(r, method) == cannot {
			continue
		}
		if best == nil || r.spelling < best.spelling || r.spelling == best.spelling && rank(r, method) < rank(best, method) {
			best = r
		}
	}
	return best
}

// atOptions decides OPTIONS: a route that names it, else the route that a
// preflight asks for, else the best route there, over all methods. If that is one
// of Handle's, it is as in ServeMux: a less specific route may take the request.
func atOptions(found []*route, preflight string) (*route, int) {
	if len(found) == 0 {
		return nil, 0
	}
	taker := optionsTaker(found)
	if taker != nil && taker.pattern.method() == http.MethodOptions {
		return taker, http.StatusOK
	}
	deciding := found[:samePlace(found)]
	if r := bestOf(found, preflight); preflight != "" && r != nil {
		deciding = []*route{r}
	}
	if r, status := options(deciding); status != 0 {
		return r, status
	}
	if taker != nil {
		return taker, http.StatusOK
	}
	return nil, 0
}

// optionsTaker returns the route that takes OPTIONS itself, host by host: one that
// names it, else one for any method; nil if there is none.
func optionsTaker(found []*route) *route {
	for len(found) > 0 {
		same := sameHost(found)
		if r := cmp.Or(firstOf(found[:same], http.MethodOptions), firstOf(found[:same], "")); r != nil {
			return r
		}
		found = found[same:]
	}
	return nil
}

// firstOf returns the first route that names a method.
func firstOf(found []*route, method string) *route {
	for _, r := range found {
		if r.pattern.method() == method {
			return r
		}
	}
	return nil
}

// sameHost returns how many routes of a list, from the first on, have its host.
func sameHost(found []*route) int {
	host := found[0].pattern.hostKey()
	return leading(found, func(r *route) bool { return r.pattern.hostKey() == host })
}

// options is what the routes of one path, none of which names OPTIONS, make of
// it: one for any method takes it, and a verb's has an automatic answer. Of
// several verbs the order does not depend on the registration: those that answer
// the other spelling as well come first, then the names of the methods decide.
func options(routes []*route) (*route, int) {
	var verb *route
	for _, r := range routes {
		if r.pattern.method() == "" {
			return r, http.StatusOK
		}
		if r.pattern.verb && (verb == nil || *verb.scope.slash == SlashExact && *r.scope.slash != SlashExact) {
			verb = r
		}
	}
	if verb == nil {
		return nil, 0
	}
	return verb, http.StatusNoContent
}

// allowed returns the methods whose own routes answer on the path, sorted. HEAD
// comes with GET, and OPTIONS where it is answered automatically.
func (q *question) allowed() []string {
	var allow []string
	add := func(method string) {
		if method != "" && !slices.Contains(allow, method) {
			allow = append(allow, method)
		}
	}
	for _, r := range q.onSent() {
		add(r.pattern.method())
	}
	for _, r := range q.onOther() {
		m := r.pattern.method()
		if own, status := q.atOther(m); status != 0 && own.pattern.method() == m {
			add(m)
		}
	}
	if slices.Contains(allow, http.MethodGet) {
		add(http.MethodHead)
	}
	if q.find(http.MethodOptions).automatic() {
		add(http.MethodOptions)
	}
	slices.Sort(allow)
	return allow
}

// automatic reports whether an answer to OPTIONS is, or redirects to, a 204.
func (a answer) automatic() bool {
	if a.status == http.StatusTemporaryRedirect {
		m := a.route.pattern.method()
		return a.route.pattern.verb && m != "" && m != http.MethodOptions
	}
	return a.status == http.StatusNoContent
}

// serveResolved serves what find left open.
func (s *snapshot) serveResolved(w http.ResponseWriter, r *http.Request) {
	a := s.resolve(r)
	if a.status != http.StatusOK {
		s.serveMiss(w, r, a)
		return
	}
	a.route.setMatch(r, a.path)
	a.route.serve(w, r)
	runtime.KeepAlive(s) // for routeOf, while the request is on its way
}

// A miss is a request that no route answers: 404, 405, a redirect, or automatic
// OPTIONS. It travels in the request's context, so that the chains on the way and
// the error list know what it is: r.Pattern does not tell a redirect from a match.
type miss struct {
	answer
	root    *Router
	about   *scope   // whose middleware and error list it gets
	pattern string   // r.Pattern meanwhile
	params  *pattern // whose parameters the request has: the route's, or the territory's prefix
}

// missKey is the key of a miss in a context.
var missKey = new(miss)

// missOf returns the miss that r is for the router that had it last, nil if it
// is none.
func missOf(r *http.Request) *miss {
	m, _ := r.Context().Value(missKey).(*miss)
	if m == nil || pathvalue.Identity(m.pattern) != pathvalue.Identity(r.Pattern) {
		return nil // a router has had the request since
	}
	return m
}

// Outcome returns what a router has decided about r, as a status:
//
//	200 a route matches     404 no route matches
//	307 a redirect          405 the path has routes for other methods only
//	204 automatic OPTIONS
//
// It is for middleware that a router runs. r.Pattern tells neither a redirect from
// a match nor a 404 from a 405.
//
//	if segue.Outcome(r) == http.StatusOK {
//		count(r.Pattern)
//	}
//
// It says which handler r goes to, and not what that handler writes.
//
// # Corner cases
//
// Outcome is 0 before a router has matched r, and after something else has written
// r.Pattern, as an inner [http.ServeMux] does. In middleware around a router it is
// 200 after a match and 0 otherwise: the router records a miss in a copy of the
// request, which only its own middleware and handlers see. A request without a
// path, such as OPTIONS *, is answered 400 before any middleware runs.
//
// Routers joined by [Router.Mount], [Router.Group] or [Router.With] decide as one.
// A wrapped Router under Mount or [Router.Handle] decides for itself: middleware of
// the outer router sees 200 until it calls next, because the outer router matched the
// wrapped one. After next it sees 0 if the wrapped router answered a miss, which sets
// r.Pattern to "": a middleware that counts takes both before next.
//
// # Costs
//
// Outcome does not allocate, except for the first request after a change of routes
// and under the build tag purego. It searches the routers that have served requests,
// at about 50 ns for each. It is safe for concurrent use as long as nobody changes r.
func Outcome(r *http.Request) int {
	if m := missOf(r); m != nil {
		return m.status
	}
	if scopeOf(r) != nil {
		return http.StatusOK
	}
	return 0
}

func (s *snapshot) serveMiss(w http.ResponseWriter, r *http.Request, a answer) {
	if a.status == http.StatusBadRequest {
		if r.ProtoAtLeast(1, 1) {
			w.Header().Set("Connection", "close")
		}
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	m := s.newMiss(a, r)
	m.about.handlerAfter(nil, m).ServeHTTP(w, m.setOn(w, r))
}

func (s *snapshot) missHandler(a answer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serveMiss(w, r, a) })
}

// newMiss decides which router a miss is about: the router of the route that has
// the path, or that a redirect leads to; else the one in whose territory the path
// lies.
func (s *snapshot) newMiss(a answer, r *http.Request) *miss {
	m := &miss{answer: a, root: s.root.router}
	if a.route == nil {
		path := pathOf(r.URL)
		if !isClean(path.Text) {
			path = automaton.Path{Text: cleanPath(r.URL.EscapedPath()), Escaped: true}
		}
		m.about, m.path = s.territory(s.hosts.of(r.Host), path), path
		m.params = m.about.prefix
		return m
	}
	m.about, m.params = a.route.scope, a.route.pattern
	if a.status == http.StatusTemporaryRedirect {
		m.pattern = strings.Clone(a.route.text) // not the route's own bytes: it is no match
	}
	return m
}

// nearest returns a handler of the nearest scope that has set it, nil if none
// has.
func (sc *scope) nearest(get func(*settings) http.Handler) http.Handler {
	for ; sc != nil; sc = sc.parent {
		if h := get(&sc.settings); h != nil {
			return h
		}
	}
	return nil
}

// setOn sets what a miss has to tell and returns the request that carries it.
func (m *miss) setOn(w http.ResponseWriter, r *http.Request) *http.Request {
	r.Pattern = m.pattern
	pathvalue.Clear(r)
	if names := m.params.names(); len(names) > 0 && *m.about.values {
		values := pathvalue.New(r, len(names), max(len(m.path.Text), len(m.host)))
		m.params.decode(m.host, m.path, values)
		pathvalue.Set(r, pathvalue.NamesOf(names), values)
	}
	if m.location != "" {
		w.Header().Set("Location", m.location)
	}
	if m.allow != "" {
		w.Header().Set("Allow", m.allow)
	}
	return r.WithContext(context.WithValue(r.Context(), missKey, m))
}

// ServeHTTP answers the miss, when all chains have passed it.
func (m *miss) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch m.status {
	case http.StatusNoContent:
		w.WriteHeader(http.StatusNoContent)
	case http.StatusTemporaryRedirect:
		redirect(w, r, m.location)
	case http.StatusMethodNotAllowed:
		m.answerBy(w, r, m.about.nearest(func(s *settings) http.Handler { return s.notAllowed }), errNotAllowed)
	default:
		err := errNotFound
		if m.declined {
			err = errNoFile
		}
		m.answerBy(w, r, m.about.nearest(func(s *settings) http.Handler { return s.notFound }), err)
	}
}

// answerBy answers by a handler, or by the error list where none was set.
func (m *miss) answerBy(w http.ResponseWriter, r *http.Request, handler http.Handler, err error) {
	if handler != nil {
		handler.ServeHTTP(w, r)
	} else {
		m.about.fail(w, r, err)
	}
}

// redirect answers as http.Redirect does, without cleaning the path: what
// resolve found is the address, and the header has it already.
func redirect(w http.ResponseWriter, r *http.Request, location string) {
	h := w.Header()
	_, typed := h["Content-Type"]
	if !typed && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		h.Set("Content-Type", "text/html; charset=utf-8")
	}
	w.WriteHeader(http.StatusTemporaryRedirect)
	if !typed && r.Method == http.MethodGet {
		w.Write([]byte("<a href=\"" + htmlEscape.Replace(location) + "\">Temporary Redirect</a>.\n\n"))
	}
}

var htmlEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")
