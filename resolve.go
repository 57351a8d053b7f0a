package segue

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// An answer is what becomes of a request.
type answer struct {
	status int      // 200, 204, 307, 400, 404 or 405
	leaf   *leaf    // the route that answers or is redirected to; for 204 and 405 the best on the path
	path   segments // what the values are read from
	// For a redirect and for 405 and 204.
	location, allow string
}

// resolve decides what becomes of a request, by every rule. It is what
// ServeHTTP falls back on where find does not answer, and what Lookup and
// Explain tell, so that none of them can differ from another.
func (t *table) resolve(r *http.Request) answer {
	if r.RequestURI == "*" {
		return answer{status: http.StatusBadRequest} // not a path (RFC 9112, section 3.2.4), as ServeMux
	}
	path := pathOf(r.URL)
	if isClean(path.path) {
		to := t.target(r.Host, path)
		a := to.answer(r.Method)
		if a.status == http.StatusTemporaryRedirect {
			a.location = location(otherSpelling(r.URL.EscapedPath()), r.URL.RawQuery)
		}
		return a
	}
	if t.unclean != nil && strings.HasPrefix(path.path, "/") {
		// A redirect from here could begin with two slashes, which browsers
		// take for another site: cleaning does better.
		to := t.unclean.target(r.Host, path)
		if a := to.find(r.Method); a.status == http.StatusOK || a.status == http.StatusNoContent {
			return to.withAllow(a)
		}
	}
	if r.Method == http.MethodConnect {
		return answer{status: http.StatusNotFound}
	}
	clean := cleanPath(r.URL.EscapedPath())
	to := t.target(r.Host, segments{clean, true})
	a := to.find(r.Method)
	if a.status == http.StatusTemporaryRedirect {
		clean = otherSpelling(clean)
	} else if a.status != http.StatusOK {
		a.leaf = nil
	}
	return answer{status: http.StatusTemporaryRedirect, leaf: a.leaf, location: location(clean, r.URL.RawQuery)}
}

// location is the value of a Location header. The path is escaped already; of
// the query, which comes as the client sent it, a header may not hold all.
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

// A target is what a request asks for, whatever its method.
type target struct {
	tries   []*methods // those of its host, before those of no host
	path    segments
	spelled string // the path in its other spelling, made when first asked for: a miss needs it for each method
}

func (f *forest) target(host string, path segments) target {
	return target{tries: f.both(host), path: path}
}

func (to *target) other() segments {
	if to.spelled == "" {
		to.spelled = otherSpelling(to.path.path)
	}
	return segments{to.spelled, to.path.escaped}
}

// answer is find, with what a miss has to tell.
func (to *target) answer(method string) answer {
	a := to.find(method)
	switch a.status {
	case http.StatusNoContent:
		return to.withAllow(a)
	case 0:
		a.status = http.StatusNotFound
		if allow := to.allowed(); len(allow) > 0 {
			a.status, a.allow = http.StatusMethodNotAllowed, strings.Join(allow, ", ")
			a.leaf = to.best()
		}
	}
	return a
}

func (to *target) withAllow(a answer) answer {
	if a.status == http.StatusNoContent {
		a.allow = strings.Join(to.allowed(), ", ")
	}
	return a
}

// find looks the path up as it was sent. If nothing matches, or a rest took
// something, the other spelling counts if an exact route is there whose policy
// allows it. The status is 0 where nothing answers the method.
func (to *target) find(method string) answer {
	l, status := to.at(method, to.path)
	if status != 0 && l.exact(to.path) {
		return answer{status: status, leaf: l, path: to.path}
	}
	if o, otherStatus := to.atOther(method); otherStatus != 0 {
		if o.kept().verb && o.scope.slash == SlashEither && o.accepts == nil {
			return answer{status: otherStatus, leaf: o, path: to.other()}
		}
		return answer{status: http.StatusTemporaryRedirect, leaf: o, path: to.other()}
	}
	return answer{status: status, leaf: l, path: to.path}
}

// at returns who answers a method on one spelling of the path.
func (to *target) at(method string, path segments) (*leaf, int) {
	if method == http.MethodOptions {
		return to.optionsAt(path)
	}
	for _, m := range to.tries {
		if l := m.root(method).walk(path); l != nil {
			return l, http.StatusOK
		}
	}
	return nil, 0
}

// atOther is at for the other spelling, as far as it counts.
func (to *target) atOther(method string) (*leaf, int) {
	if to.path.path == "/" {
		return nil, 0
	}
	l, status := to.at(method, to.other())
	if status == 0 || !l.countsFor(to.path, to.other()) {
		return nil, 0
	}
	return l, status
}

// countsFor reports whether l, which won at the other spelling, counts for the
// path as sent. ServeMux's rule, for its patterns, is to add a slash only.
func (l *leaf) countsFor(sent, other segments) bool {
	if !l.exact(other) {
		return false
	}
	if l.kept().verb && l.accepts == nil {
		return l.scope.slash != SlashExact
	}
	return !strings.HasSuffix(sent.path, "/")
}

// exact reports whether l matches path with nothing taken by a rest, as
// ServeMux's exactMatch. A file that is there is not taken by a rest either.
func (l *leaf) exact(path segments) bool {
	if l.flags&isRest == 0 {
		return true
	}
	slashes := strings.Count(path.path, "/")
	if slashes == l.kept().depth() && strings.HasSuffix(path.path, "/") {
		return true
	}
	if l.accepts != nil {
		return l.hasFile(path)
	}
	return slashes < l.kept().depth()
}

// optionsAt decides OPTIONS on one spelling of the path: a route that names it,
// else the best route there, over all methods. If that is one of Handle's, it
// is as in ServeMux: a less specific route may take the request.
func (to *target) optionsAt(path segments) (*leaf, int) {
	decided := false
	for _, m := range to.tries {
		if l := m.options.walk(path); l != nil {
			return l, http.StatusOK
		}
		if best := m.all.walk(path); best != nil && !decided {
			decided = true
			if l, status := best.options(path); status != 0 {
				return l, status
			}
		}
		if l := m.any.walk(path); l != nil {
			return l, http.StatusOK
		}
	}
	return nil, 0
}

// options is what the routes on the path of l, which do not name OPTIONS, make
// of it: one for any method takes it, and a verb's has an automatic answer.
func (l *leaf) options(path segments) (*leaf, int) {
	var verb *leaf
	for _, p := range l.onPath() {
		if p.kept().method() == "" {
			return p, http.StatusOK
		}
		if p.kept().verb && p.takes(path) && (verb == nil || p.before(verb)) {
			verb = p
		}
	}
	if verb == nil {
		return nil, 0
	}
	return verb, http.StatusNoContent
}

// before puts the verb routes of one path in order, whatever the order of
// registration: those that answer the other spelling as well come first.
func (l *leaf) before(other *leaf) bool {
	if exact := l.scope.slash == SlashExact; exact != (other.scope.slash == SlashExact) {
		return !exact
	}
	return l.kept().method() < other.kept().method()
}

// best returns the best route on the path over all methods, at the other
// spelling if there is none at this one.
func (to *target) best() *leaf {
	if l := to.on(to.path); l != nil {
		return l
	}
	return to.on(to.other())
}

// on returns the best route on one spelling of the path.
func (to *target) on(path segments) *leaf {
	for _, m := range to.tries {
		if l := m.all.walk(path); l != nil {
			return l
		}
	}
	return nil
}

// allowed returns the methods whose own routes answer on the path, sorted, one
// pass for each. HEAD comes with GET, and OPTIONS where it is answered
// automatically.
func (to *target) allowed() []string {
	var allow []string
	add := func(method string) {
		if !slices.Contains(allow, method) {
			allow = append(allow, method)
		}
	}
	for _, m := range to.tries {
		for _, method := range m.named {
			if to.answers(method) {
				add(method)
			}
		}
	}
	if slices.Contains(allow, http.MethodGet) {
		add(http.MethodHead)
	}
	if o := to.find(http.MethodOptions); o.automatic() {
		add(http.MethodOptions)
	}
	slices.Sort(allow)
	return allow
}

// automatic reports whether an answer to OPTIONS is, or redirects to, a 204.
func (a answer) automatic() bool {
	if a.status == http.StatusTemporaryRedirect {
		return a.leaf.kept().verb && a.leaf.kept().method() != "" && a.leaf.kept().method() != http.MethodOptions
	}
	return a.status == http.StatusNoContent
}

// both lists what routes a host has: its own and those without a host.
func (f *forest) both(host string) []*methods {
	if f.hosts != nil {
		if m := f.hosts[requestHost(host)]; m != nil {
			return []*methods{m, f.nowhere}
		}
	}
	return f.bare
}

// answers reports whether a method has a route of its own on the path.
func (to *target) answers(method string) bool {
	for _, m := range to.tries {
		if m.has(method, to.path) {
			return true
		}
	}
	l, status := to.atOther(method)
	return status != 0 && l.kept().method() == method
}

// has reports whether a route that names the method matches, be it the best one
// or hidden by one for any method.
func (m *methods) has(method string, path segments) bool {
	root := m.root(method)
	if method == http.MethodOptions {
		root = m.options
	}
	l := root.walk(path)
	if l == nil || l.kept().method() == method {
		return l != nil
	}
	if root.plain == 0 {
		return false
	}
	return slices.ContainsFunc(root.matches(root.plain, path), func(l *leaf) bool {
		return l.kept().method() == method && l.takes(path)
	})
}
