package conformance

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/segue-go/segue"
)

// The oracle for routers in routers: whose route it is, which middlewares a
// request passes, who owns a miss and which error handlers it meets. As the
// rest of the oracle it is written from the documentation, of Use, Mount,
// NotFound, MethodNotAllowed, OnError, TrailingSlash, CleanPath and PathValues,
// and keeps nothing: it flattens the tree of routers and scans what comes out.

// An oracleRouter is what was called on one router.
type oracleRouter struct {
	calls      []oracleCall
	mounts     []oracleMount
	uses       []oracleUse
	errors     []oracleError
	notFound   string // the names of the handlers, "" where none is set
	notAllowed string
	slash      *segue.SlashPolicy
	clean      *bool
	values     *bool
	shared     bool // made by With
}

// An oracleCall is a registration. The router of a plain handler's mount has
// one, of "/".
type oracleCall struct {
	name    string // of the handler
	verb    bool
	method  string // of a verb
	pattern string
	plain   bool // a handler that sees the path without the prefix
	mux     bool // and is a ServeMux
	fails   bool // a handler under Try that returns an error
}

type oracleMount struct {
	prefix string
	child  *oracleRouter
}

// An oracleUse is a middleware; one that stops answers a request whose query is
// "stop" with Fail.
type oracleUse struct {
	name  string
	stops bool
}

// An oracleError is an error handler. It answers, or returns an error of
// another status, or, with neither, the same.
type oracleError struct {
	name    string
	answers bool
	status  int
}

// What the handlers of a program answer with.
const (
	oracleNotFound   = http.StatusGone
	oracleNotAllowed = http.StatusNotAcceptable
	oracleAnswered   = http.StatusTeapot
	oracleReplaced   = http.StatusConflict
	oracleFailed     = http.StatusUnprocessableEntity
	oracleStopped    = http.StatusForbidden
)

// An oracleScope is a router in one of the places where a root serves it from,
// with its settings as inherited.
type oracleScope struct {
	*oracleRouter
	parent *oracleScope
	host   string // as it was written
	prefix string // the path
	policy segue.SlashPolicy
	cleans bool
	fills  bool
}

// An oracleTree is all that a root serves.
type oracleTree struct {
	scopes  []*oracleScope // outer before inner
	routes  oracle
	unclean oracle // those under CleanPath(false)
	names   []string
	twice   bool // two prefixes on one way have a host
}

func newOracleTree(root *oracleRouter) *oracleTree {
	t := &oracleTree{}
	t.add(root, &oracleScope{cleans: true, fills: true}, "", "")
	t.scopes[0].parent = nil
	seen := map[string]bool{}
	for _, r := range t.routes {
		for _, name := range r.names() {
			if !seen[name] {
				seen[name] = true
				t.names = append(t.names, name)
			}
		}
	}
	return t
}

func (t *oracleTree) add(r *oracleRouter, parent *oracleScope, host, prefix string) {
	s := &oracleScope{oracleRouter: r, parent: parent, host: host, prefix: prefix, policy: parent.policy, cleans: parent.cleans, fills: parent.fills}
	if r.slash != nil {
		s.policy = *r.slash
	}
	if r.clean != nil {
		s.cleans = *r.clean
	}
	if r.values != nil {
		s.fills = *r.values
	}
	t.scopes = append(t.scopes, s)
	for _, call := range r.calls {
		route := call.below(host + prefix).under(s.policy)
		route.scope, route.call = s, call
		t.routes = append(t.routes, route)
		if !s.cleans {
			t.unclean = append(t.unclean, route)
		}
	}
	for _, m := range r.mounts {
		inner, path := oracleCut(m.prefix)
		t.twice = t.twice || host != "" && inner != ""
		t.add(m.child, s, cmp.Or(host, inner), prefix+oraclePrefix(path))
	}
}

func (c oracleCall) below(prefix string) *oracleRoute {
	if c.verb {
		return oracleVerb(prefix, c.method, c.pattern)
	}
	return oracleMux(prefix, c.pattern)
}

// oraclePrefix writes :name as ServeMux does.
func oraclePrefix(prefix string) string {
	segs := strings.Split(prefix, "/")
	for i, s := range segs {
		segs[i] = oracleExpress(s)
	}
	return strings.Join(segs, "/")
}

func (r *oracleRoute) names() (names []string) {
	if r.host.label != "" {
		names = append(names, r.host.label)
	}
	for _, s := range r.forms[0].segs {
		if s.kind != oracleLiteral && s.text != "" {
			names = append(names, s.text)
		}
	}
	return names
}

// wrong says why the routes cannot stand together: a name twice in one of them,
// two hosts on the way to one, and two that match the same requests.
func (t *oracleTree) wrong() (name, hosts, conflict bool) {
	hosts = t.twice
	for i, r := range t.routes {
		names := r.names()
		slices.Sort(names)
		name = name || len(slices.Compact(names)) < len(r.names())
		hosts = hosts || r.twice
		conflict = conflict || slices.ContainsFunc(t.routes[:i], r.conflict)
	}
	return name, hosts, conflict
}

// reaches reports whether other is r or mounted somewhere in it.
func (r *oracleRouter) reaches(other *oracleRouter) bool {
	return r == other || slices.ContainsFunc(r.mounts, func(m oracleMount) bool { return m.child.reaches(other) })
}

// An oracleReply is the answer with the way to it.
type oracleReply struct {
	oracleAnswer
	trail []string          // the middlewares and handlers that ran, in order
	wire  int               // the status that a client sees
	inner string            // the path that a plain handler sees
	seen  map[string]string // the parameters of the request, on a miss too
	fills bool              // and PathValue has them
	owner *oracleScope      // the router that the answer is about
}

func (t *oracleTree) reply(method, host, escaped, query string) oracleReply {
	a := oracleReply{oracleAnswer: t.answer(method, host, escaped, query)}
	a.wire = a.status
	owner := t.owner(oracleSent(host), oracleClean(escaped))
	switch {
	case a.hit != nil && (a.status != http.StatusTemporaryRedirect || a.pattern != ""):
		owner, a.seen = a.hit.scope, a.hit.params()
	default:
		a.seen = owner.params(oracleSent(host), oracleClean(escaped))
	}
	a.owner, a.fills = owner, owner.fills
	notFound, notAllowed := "", ""
	for s := owner; s != nil && notFound == "" && a.status == http.StatusNotFound; s = s.parent {
		notFound = s.notFound
	}
	for s := owner; s != nil && notAllowed == "" && a.status == http.StatusMethodNotAllowed; s = s.parent {
		notAllowed = s.notAllowed
	}
	for _, use := range owner.chain() {
		a.trail = append(a.trail, use.name)
		if use.stops && query == "stop" {
			a.fail(owner, oracleStopped)
			return a
		}
	}
	switch {
	case a.status == http.StatusOK:
		a.matched(escaped)
	case notFound != "":
		a.trail, a.wire = append(a.trail, notFound), oracleNotFound
	case notAllowed != "":
		a.trail, a.wire = append(a.trail, notAllowed), oracleNotAllowed
	case a.status == http.StatusNotFound, a.status == http.StatusMethodNotAllowed:
		a.fail(owner, a.status)
	}
	return a
}

func (t *oracleTree) answer(method, host, escaped, query string) oracleAnswer {
	if oracleClean(escaped) != escaped && strings.HasPrefix(escaped, "/") {
		a := t.unclean.answerClean(method, oracleSent(host), escaped)
		if a.status == http.StatusOK || a.status == http.StatusNoContent {
			return a
		}
	}
	return t.routes.answer(method, host, escaped, query)
}

// matched goes on into the handler.
func (a *oracleReply) matched(escaped string) {
	call := a.hit.call
	a.trail = append(a.trail, call.name)
	switch {
	case call.fails:
		a.fail(a.hit.scope, oracleFailed)
	case call.plain:
		a.inner = escaped
		for range len(oracleSegs(a.hit.scope.prefix+"/", oracleExpress, oracleLiteral)) - 1 {
			_, after, _ := strings.Cut(a.inner[1:], "/")
			a.inner = "/" + after
		}
	}
}

// fail walks the error handlers of a router and those around it.
func (a *oracleReply) fail(s *oracleScope, status int) {
	for ; s != nil; s = s.parent {
		for _, e := range s.errors {
			a.trail = append(a.trail, e.name)
			switch {
			case e.answers:
				a.wire = oracleAnswered
				return
			case e.status != 0:
				status = e.status
			}
		}
	}
	a.wire = status
}

// chain is every middleware from the root to s.
func (s *oracleScope) chain() []oracleUse {
	if s == nil {
		return nil
	}
	return slices.Concat(s.parent.chain(), s.uses)
}

// owner is the router with the best host, then with the longest prefix, and,
// among parameters, the one that the rule for routes prefers; of several at one
// prefix the first that says what to do with a miss, else the innermost that
// contains all of them. A router that With made has no territory, nor has one
// without routes and settings.
func (t *oracleTree) owner(host, p string) *oracleScope {
	var at []*oracleScope
	best, bestHost := "9", oracleOtherHost
	for _, s := range t.scopes {
		rank := oracleHostOf(s.host).on(host)
		if s.shared || s.parent != nil && !s.inUse() || rank == oracleOtherHost {
			continue
		}
		for _, f := range s.covers() {
			if f.match(p) && cmp.Or(cmp.Compare(rank, bestHost), cmp.Compare(best, f.rank)) > 0 {
				at, best, bestHost = nil, f.rank, rank
			}
			if f.match(p) && rank == bestHost && f.rank == best && !slices.Contains(at, s) {
				at = append(at, s)
			}
		}
	}
	if len(at) == 0 {
		return t.scopes[0]
	}
	owner := at[0]
	for _, s := range at {
		if s.ownsMisses() {
			return s
		}
		for !slices.Contains(s.around(), owner) {
			owner = owner.parent
		}
	}
	for owner.shared && owner.parent != nil {
		owner = owner.parent
	}
	return owner
}

// around lists s and the scopes that it lies in.
func (s *oracleScope) around() []*oracleScope {
	if s == nil {
		return nil
	}
	return append(s.parent.around(), s)
}

func (r *oracleRouter) inUse() bool {
	return len(r.calls)+len(r.uses)+len(r.errors) > 0 || r.notFound != "" || r.notAllowed != "" || r.slash != nil || r.clean != nil || r.values != nil ||
		slices.ContainsFunc(r.mounts, func(m oracleMount) bool { return m.child.inUse() })
}

// params are those of the prefix.
func (s *oracleScope) params(host, p string) map[string]string {
	params := oracleHostOf(s.host).params(host)
	segs := strings.Split(p, "/")
	for i, seg := range strings.Split(s.prefix, "/") {
		if name, found := strings.CutPrefix(seg, "{"); found {
			params[strings.TrimSuffix(name, "}")], _ = url.PathUnescape(segs[i])
		}
	}
	return params
}

// covers is a scope's prefix alone and all that is below it.
func (s *oracleScope) covers() []oracleForm {
	below := oracleSegs(s.prefix+"/", oracleExpress, oracleRest)
	below[len(below)-1].text = ""
	if s.prefix == "" {
		return oracleForms(below)
	}
	return oracleForms(below, below[:len(below)-1])
}

func (s *oracleScope) ownsMisses() bool {
	return s.notFound != "" || s.notAllowed != "" || len(s.errors) > 0
}
