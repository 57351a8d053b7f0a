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
		a := t.answer(r.Method, r.Host, path)
		if a.status == http.StatusTemporaryRedirect {
			a.location = location(otherSpelling(r.URL.EscapedPath()), r.URL.RawQuery)
		}
		return a
	}
	if t.unclean != nil && strings.HasPrefix(path.path, "/") {
		// A redirect from here could begin with two slashes, which browsers
		// take for another site: cleaning does better.
		if a := t.unclean.find(r.Method, r.Host, path); a.status == http.StatusOK || a.status == http.StatusNoContent {
			return t.unclean.withAllow(a, r.Host, path)
		}
	}
	if r.Method == http.MethodConnect {
		return answer{status: http.StatusNotFound}
	}
	clean := cleanPath(r.URL.EscapedPath())
	a := t.find(r.Method, r.Host, segments{clean, true})
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

// answer is find, with what a miss has to tell.
func (f *forest) answer(method, host string, path segments) answer {
	a := f.find(method, host, path)
	switch a.status {
	case http.StatusNoContent:
		return f.withAllow(a, host, path)
	case 0:
		a.status = http.StatusNotFound
		if allow := f.allowed(host, path); len(allow) > 0 {
			a.status, a.allow = http.StatusMethodNotAllowed, strings.Join(allow, ", ")
			a.leaf = f.best(host, path)
		}
	}
	return a
}

func (f *forest) withAllow(a answer, host string, path segments) answer {
	if a.status == http.StatusNoContent {
		a.allow = strings.Join(f.allowed(host, path), ", ")
	}
	return a
}

// find looks the path up as it was sent. If nothing matches, or a rest took
// something, the other spelling counts if an exact route is there whose policy
// allows it. The status is 0 where nothing answers the method.
func (f *forest) find(method, host string, path segments) answer {
	l, status := f.at(method, host, path)
	if status != 0 && l.exact(path) {
		return answer{status: status, leaf: l, path: path}
	}
	if o, other, otherStatus := f.atOther(method, host, path); otherStatus != 0 {
		if o.route.verb && o.scope.slash == SlashEither && o.accepts == nil {
			return answer{status: otherStatus, leaf: o, path: other}
		}
		return answer{status: http.StatusTemporaryRedirect, leaf: o, path: other}
	}
	return answer{status: status, leaf: l, path: path}
}

func (f *forest) at(method, host string, path segments) (*leaf, int) {
	if method == http.MethodOptions {
		return f.optionsAt(host, path)
	}
	l := f.lookup(host, path, func(m *methods) *node { return m.root(method) })
	if l == nil {
		return nil, 0
	}
	return l, http.StatusOK
}

// atOther is at for the other spelling, as far as it counts.
func (f *forest) atOther(method, host string, path segments) (*leaf, segments, int) {
	if path.path == "/" {
		return nil, path, 0
	}
	other := segments{otherSpelling(path.path), path.escaped}
	l, status := f.at(method, host, other)
	if status == 0 || !l.countsFor(path, other) {
		return nil, other, 0
	}
	return l, other, status
}

// countsFor reports whether l, which won at the other spelling, counts for the
// path as sent. ServeMux's rule, for its patterns, is to add a slash only.
func (l *leaf) countsFor(sent, other segments) bool {
	if !l.exact(other) {
		return false
	}
	if l.route.verb && l.accepts == nil {
		return l.scope.slash != SlashExact
	}
	return !strings.HasSuffix(sent.path, "/")
}

// exact reports whether l matches path with nothing taken by a rest, as
// ServeMux's exactMatch. A file that is there is not taken by a rest either.
func (l *leaf) exact(path segments) bool {
	if !l.isRest {
		return true
	}
	slashes := strings.Count(path.path, "/")
	if slashes == len(l.route.segs) && strings.HasSuffix(path.path, "/") {
		return true
	}
	if l.accepts != nil {
		return l.hasFile(path)
	}
	return slashes < len(l.route.segs)
}

// optionsAt decides OPTIONS on one spelling of a path: a route that names it,
// else the best route there, over all methods. If that is one of Handle's, it
// is as in ServeMux: a less specific route may take the request.
func (f *forest) optionsAt(host string, path segments) (*leaf, int) {
	decided := false
	for _, m := range f.both(host) {
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
		if p.route.method == "" {
			return p, http.StatusOK
		}
		if p.route.verb && p.takes(path) && (verb == nil || p.before(verb)) {
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
	return l.route.method < other.route.method
}

// best returns the best route on a path over all methods, at the other
// spelling if there is none at this one.
func (f *forest) best(host string, path segments) *leaf {
	all := func(m *methods) *node { return m.all }
	if l := f.lookup(host, path, all); l != nil {
		return l
	}
	return f.lookup(host, segments{otherSpelling(path.path), path.escaped}, all)
}

// allowed returns the methods whose own routes answer on a path, sorted, one
// pass for each. HEAD comes with GET, and OPTIONS where it is answered
// automatically.
func (f *forest) allowed(host string, path segments) []string {
	var allow []string
	add := func(method string) {
		if !slices.Contains(allow, method) {
			allow = append(allow, method)
		}
	}
	for _, m := range f.both(host) {
		for _, method := range m.named {
			if f.answers(method, host, path) {
				add(method)
			}
		}
	}
	if slices.Contains(allow, http.MethodGet) {
		add(http.MethodHead)
	}
	if o := f.find(http.MethodOptions, host, path); o.automatic() {
		add(http.MethodOptions)
	}
	slices.Sort(allow)
	return allow
}

// automatic reports whether an answer to OPTIONS is, or redirects to, a 204.
func (a answer) automatic() bool {
	if a.status == http.StatusTemporaryRedirect {
		return a.leaf.route.verb && a.leaf.route.method != "" && a.leaf.route.method != http.MethodOptions
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
	return []*methods{f.nowhere}
}

// answers reports whether a method has a route of its own on a path.
func (f *forest) answers(method, host string, path segments) bool {
	for _, m := range f.both(host) {
		if m.has(method, path) {
			return true
		}
	}
	l, other, status := f.atOther(method, host, path)
	return status != 0 && l.route.method == method && l.countsFor(path, other)
}

// has reports whether a route that names the method matches, be it the best one
// or hidden by one for any method.
func (m *methods) has(method string, path segments) bool {
	root := m.root(method)
	if method == http.MethodOptions {
		root = m.options
	}
	l := root.walk(path)
	if l == nil || l.route.method == method {
		return l != nil
	}
	if root.extra == nil || root.plain == nil {
		return false
	}
	return slices.ContainsFunc(root.plain.matches(path), func(l *leaf) bool {
		return l.route.method == method && l.takes(path)
	})
}
