package conformance

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/segue-go/segue"
)

// The oracle answers as the documentation says a router must, by a scan over
// all routes. It shares no code with the router: it has its own parser, no
// trie, no tables and no speed. The other tests hold the two side by side.
//
// Which route wins is decided in match, matching, best and oraclePlace. Then
// follow the other spelling of a path, OPTIONS and Allow, then the texts.

// An oracle is a set of routes; their order means nothing.
type oracle []*oracleRoute

// An oracleRoute is one registration.
type oracleRoute struct {
	verb    bool   // GET(path) and its like; else Handle(pattern)
	method  string // "" is any
	host    oracleHost
	twice   bool   // it has a host, and so has the prefix
	pattern string // what r.Pattern shows
	policy  segue.SlashPolicy
	forms   []oracleForm

	// In a tree of routers: where it is served from, and the call that made it.
	scope *oracleScope
	call  oracleCall
}

// An oracleHost is the host of a pattern or of a prefix. {tenant}.example.com has
// the label tenant and the name example.com, example.com the name alone, and the
// zero one is every host.
type oracleHost struct{ label, name string }

// The ranks of hosts, the better one last. The routes of a request's own host go
// before those of a host whose first label is a parameter, and these before those
// of no host.
const (
	oracleOtherHost = iota - 1
	oracleAnyHost
	oracleLabelHost
	oracleOwnHost
)

// on is the rank of h for a request to a host. A label is one, and never empty.
func (h oracleHost) on(host string) int {
	label, domain, dotted := strings.Cut(host, ".")
	switch {
	case h == oracleHost{}:
		return oracleAnyHost
	case h.label == "" && h.name == host:
		return oracleOwnHost
	case h.label != "" && dotted && label != "" && h.name == domain:
		return oracleLabelHost
	}
	return oracleOtherHost
}

// same reports whether two hosts match the same requests.
func (h oracleHost) same(other oracleHost) bool {
	return h.name == other.name && (h.label == "") == (other.label == "")
}

// An oracleForm is a spelling of a route's path. A route has one; the root of
// a mounted router has two, since it answers at the prefix with and without
// the final slash.
type oracleForm struct {
	segs []oracleSeg
	rank string // the kinds of the segments; the smaller string is the better match
}

// An oracleSeg is a literal (decoded; the empty one stands after a final
// slash), a parameter, a rest ("" is the name of a subtree's), or an end.
type oracleSeg struct {
	kind byte
	text string
}

// The kinds, the better one first: comparing two ranks as strings finds the
// leftmost segment in which two routes differ, and that decides. The two ends close the second form of a mount's root,
// which stands behind a route that has the same path in its own right.
const (
	oracleLiteral = '0'
	oracleParam   = '1'
	oracleRest    = '2'
	oracleEnd     = '3'
	oracleRestEnd = '4' // of a subtree or rest, which took nothing
)

// match reports whether the form describes the path.
func (f oracleForm) match(p string) bool {
	for _, s := range f.segs {
		if s.kind >= oracleEnd || p == "" {
			return s.kind >= oracleEnd && p == ""
		}
		seg, _, _ := strings.Cut(p[1:], "/")
		switch {
		case s.kind == oracleRest:
			return true
		case s.kind == oracleParam && seg == "":
			return false
		case s.kind == oracleLiteral && s.text != oracleDecode(seg):
			return false
		}
		p = p[1+len(seg):]
	}
	return p == ""
}

// An oracleHit is a route that matches a path.
type oracleHit struct {
	*oracleRoute
	form oracleForm
	path string
	sent string // the request's host
	rank int    // of the route's host for it
}

// matching yields the routes that match a path, whatever their method.
func (o oracle) matching(host, p string) iter.Seq[*oracleHit] {
	return func(yield func(*oracleHit) bool) {
		for _, r := range o {
			for _, f := range r.forms {
				rank := r.host.on(host)
				if rank >= 0 && f.match(p) && !yield(&oracleHit{r, f, p, host, rank}) {
					return
				}
			}
		}
	}
}

// best says which route wins: of those that match and whose method has a
// place, the one with the better host, then with the better path, then with the
// lower place.
func (o oracle) best(host, p string, place func(*oracleHit) int) (best *oracleHit) {
	for h := range o.matching(host, p) {
		if place(h) >= 0 && (best == nil || cmp.Or(
			cmp.Compare(best.rank, h.rank),
			cmp.Compare(h.form.rank, best.form.rank),
			cmp.Compare(place(h), place(best)),
			cmp.Compare(h.method, best.method)) < 0) { // which only the pattern of an OPTIONS redirect shows
			best = h
		}
	}
	return best
}

// oraclePlace puts a route's own method first, then GET for HEAD, then any;
// a negative place is none.
func oraclePlace(method string) func(*oracleHit) int {
	return func(h *oracleHit) int {
		switch {
		case h.method == method:
			return 0
		case h.method == "GET" && method == "HEAD":
			return 1
		case h.method == "":
			return 2
		}
		return -1
	}
}

// That was which route wins. Next, what else a router answers.

// exact reports whether no rest took anything.
func (h *oracleHit) exact() bool {
	n := len(h.form.segs)
	return h.form.segs[n-1].kind != oracleRest || strings.HasSuffix(h.path, "/") && strings.Count(h.path, "/") == n
}

// oracleOtherSpelling adds the final slash or takes it away; "/" has no other,
// and "" is matched by nothing.
func oracleOtherSpelling(p string) string {
	if p == "/" {
		return ""
	}
	if cut, ok := strings.CutSuffix(p, "/"); ok {
		return cut
	}
	return p + "/"
}

// counts reports whether the route answers for a path that was sent without
// (added) or with a final slash. A route of Handle does as in ServeMux.
func (h *oracleHit) counts(added bool) bool {
	if h.verb {
		return h.exact() && h.policy != segue.SlashExact
	}
	return h.exact() && added
}

// An oracleAnswer is what a handler or a client sees.
type oracleAnswer struct {
	status   int
	pattern  string
	params   map[string]string
	location string
	allow    string
	hit      *oracleHit // that answers or is redirected to; for 204 and 405 the best on the path
}

// answer takes the path as the request spells it.
func (o oracle) answer(method, host, escaped, query string) oracleAnswer {
	p := oracleClean(escaped)
	if method == "CONNECT" && p != escaped {
		return oracleAnswer{status: http.StatusNotFound}
	}
	a := o.answerClean(method, oracleSent(host), p)
	if p != escaped && a.location == "" {
		a = oracleAnswer{status: http.StatusTemporaryRedirect, pattern: a.pattern, location: p, hit: a.hit}
	}
	if a.location != "" && query != "" {
		a.location += "?" + query
	}
	a.location = oracleASCII(a.location)
	return a
}

func (o oracle) answerClean(method, host, p string) oracleAnswer {
	h, moved := o.find(method, host, p)
	switch {
	case h == nil:
		if allow := o.allow(host, p); allow != "" {
			return oracleAnswer{status: http.StatusMethodNotAllowed, allow: allow, hit: o.bestOnPath(host, p)}
		}
		return oracleAnswer{status: http.StatusNotFound}
	case moved && (!h.verb || h.policy == segue.SlashRedirect):
		return oracleAnswer{status: http.StatusTemporaryRedirect, pattern: h.pattern, location: oracleOtherSpelling(p), hit: h}
	case h.automatic(method):
		return oracleAnswer{status: http.StatusNoContent, allow: o.allow(host, p), hit: h}
	}
	return oracleAnswer{status: http.StatusOK, pattern: h.pattern, params: h.params(), hit: h}
}

// bestOnPath is the best route over all methods, at the other spelling if there
// is none at this one: whose router a 405 belongs to.
func (o oracle) bestOnPath(host, p string) *oracleHit {
	all := func(*oracleHit) int { return 0 }
	if h := o.best(host, p, all); h != nil {
		return h
	}
	return o.best(host, oracleOtherSpelling(p), all)
}

// find is what answers the method, at the path as sent or the other spelling.
// The other counts only if nothing matches as sent or a rest took something.
func (o oracle) find(method, host, p string) (h *oracleHit, moved bool) {
	h = o.at(method, host, p)
	if h == nil || !h.exact() {
		if other := o.atOther(method, host, p); other != nil {
			return other, true
		}
	}
	return h, false
}

// at is what answers the method at one spelling.
func (o oracle) at(method, host, p string) *oracleHit {
	if method == "OPTIONS" {
		return o.options(host, p)
	}
	return o.best(host, p, oraclePlace(method))
}

// atOther is at for the other spelling, where that is exact and allowed.
func (o oracle) atOther(method, host, p string) *oracleHit {
	other := oracleOtherSpelling(p)
	if h := o.at(method, host, other); h != nil && h.counts(len(other) > len(p)) {
		return h
	}
	return nil
}

// automatic reports whether the hit is not the one that answers OPTIONS, but
// the one that lets the router answer it.
func (h *oracleHit) automatic(method string) bool {
	return method == "OPTIONS" && h.method != "" && h.method != "OPTIONS"
}

// options is the rule for OPTIONS on one spelling. A route that names it
// answers. Else the best path over all methods decides: a verb route of a
// named method makes the answer automatic; any other leaves it, as ServeMux
// does, to the best route for any method.
func (o oracle) options(host, p string) *oracleHit {
	takes := o.takesOptions(host, p)
	if takes != nil && takes.method == "OPTIONS" {
		return takes
	}
	best := o.best(host, p, func(h *oracleHit) int {
		switch {
		case h.method == "":
			return 0
		case h.verb && h.policy != segue.SlashExact: // answers for the other spelling too
			return 1
		case h.verb:
			return 2
		}
		return 3
	})
	if best != nil && best.verb {
		return best
	}
	return takes
}

// takesOptions is the best route that names OPTIONS, else the best for any
// method; the better host comes before both, as always.
func (o oracle) takesOptions(host, p string) *oracleHit {
	only := func(method string) func(*oracleHit) int {
		return func(h *oracleHit) int {
			if h.method == method {
				return 0
			}
			return -1
		}
	}
	named, any := o.best(host, p, only("OPTIONS")), o.best(host, p, only(""))
	if named == nil || any != nil && any.rank > named.rank {
		return any
	}
	return named
}

// allow lists the methods of the routes that match as sent and those that
// only the other spelling has, HEAD with GET, and an automatic OPTIONS.
func (o oracle) allow(host, p string) string {
	methods := map[string]bool{}
	for h := range o.matching(host, p) {
		methods[h.method] = true
	}
	for _, r := range o {
		if h := o.atOther(r.method, host, p); h != nil && !h.automatic(r.method) {
			methods[h.method] = true
		}
	}
	if methods["GET"] {
		methods["HEAD"] = true
	}
	if h, _ := o.find("OPTIONS", host, p); h != nil && h.automatic("OPTIONS") {
		methods["OPTIONS"] = true
	}
	delete(methods, "")
	return strings.Join(slices.Sorted(maps.Keys(methods)), ", ")
}

// params are the values by name, each decoded once; a host's label is not encoded.
func (h *oracleHit) params() map[string]string {
	params, segs := h.host.params(h.sent), strings.Split(h.path[1:], "/")
	for i, s := range h.form.segs {
		switch {
		case s.kind == oracleParam:
			params[s.text] = oracleDecode(segs[i])
		case s.kind == oracleRest && s.text != "":
			params[s.text] = oracleDecode(strings.Join(segs[i:], "/"))
		case s.kind == oracleRestEnd && s.text != "":
			params[s.text] = ""
		}
	}
	return params
}

// params is the first label of a request's host, if that is a parameter.
func (h oracleHost) params(host string) map[string]string {
	if h.label == "" {
		return map[string]string{}
	}
	label, _, _ := strings.Cut(host, ".")
	return map[string]string{h.label: label}
}

// The texts: requests first, then patterns.

func oracleDecode(s string) string {
	if d, err := url.PathUnescape(s); err == nil {
		return d
	}
	return s
}

// oracleASCII is what http.Redirect does to a query with other bytes.
func oracleASCII(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= 0x80 {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// oracleClean is path.Clean on a rooted path, but for the final slash.
func oracleClean(p string) string {
	clean := path.Clean("/" + p)
	if strings.HasSuffix(p, "/") && clean != "/" {
		clean += "/"
	}
	return clean
}

// oracleSent drops the port, the case and a final dot of a request's host.
func oracleSent(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return oracleLower(host)
}

func oracleLower(host string) string {
	if host == "." {
		return host // no host, but not every host either
	}
	lower := []byte(host)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c - 'A' + 'a'
		}
	}
	return strings.TrimSuffix(string(lower), ".")
}

// oracleHostOf reads the host of a pattern. Names keep their case.
func oracleHostOf(text string) oracleHost {
	if label, name, found := strings.Cut(text, "}."); found && strings.HasPrefix(label, "{") {
		return oracleHost{label[1:], oracleLower(name)}
	}
	return oracleHost{"", oracleLower(text)}
}

// oracleCut cuts the prefix of a mount into its host and a path without a final
// slash.
func oracleCut(prefix string) (host, path string) {
	prefix = strings.TrimSuffix(prefix, "/")
	slash := strings.Index(prefix+"/", "/")
	return prefix[:slash], prefix[slash:]
}

// oracleMux reads a pattern of Handle, mounted at prefix ("" for the root).
func oracleMux(prefix, pattern string) *oracleRoute {
	method, rest := "", pattern
	if i := strings.IndexAny(pattern, " \t"); i >= 0 {
		method, rest = pattern[:i], strings.TrimLeft(pattern[i:], " \t")
	}
	outer, prefix := oracleCut(prefix)
	slash := strings.Index(rest, "/")
	host, p := rest[:slash], rest[slash:]
	shown := strings.TrimSuffix(pattern, rest) + cmp.Or(outer, host) + prefix + p
	r := &oracleRoute{method: method, host: oracleHostOf(cmp.Or(outer, host)), twice: outer != "" && host != "", pattern: shown}
	return r.below(prefix, oracleSegs(p, func(s string) string { return s }, oracleRest))
}

// oracleVerb reads the path of GET and its like ("" is Any).
func oracleVerb(prefix, method, p string) *oracleRoute {
	host, prefix := oracleCut(prefix)
	if p == "/{$}" && prefix != "" {
		p = "/" // which a verb shows as the prefix
	}
	segs := oracleSegs(p, oracleExpress, oracleLiteral)
	shown := prefix
	for _, s := range strings.Split(p[1:], "/") {
		shown += "/" + oracleExpress(s)
	}
	switch {
	case p == "/" && prefix != "":
		shown = prefix
	case p != "/" && strings.HasSuffix(p, "/"):
		shown += "{$}"
	}
	r := &oracleRoute{verb: true, method: method, host: oracleHostOf(host), pattern: strings.TrimPrefix(method+" "+host+shown, " ")}
	return r.below(prefix, segs)
}

// oracleExpress writes :name and *name as ServeMux does.
func oracleExpress(s string) string {
	switch {
	case strings.HasPrefix(s, ":"):
		return "{" + s[1:] + "}"
	case strings.HasPrefix(s, "*"):
		return "{" + s[1:] + "...}"
	}
	return s
}

// oracleSegs cuts a path; final is the kind of what stands after a final slash.
func oracleSegs(p string, rewrite func(string) string, final byte) (segs []oracleSeg) {
	for s := range strings.SplitSeq(p[1:], "/") {
		name, named := strings.CutPrefix(strings.TrimSuffix(rewrite(s), "}"), "{")
		rest, isRest := strings.CutSuffix(name, "...")
		switch {
		case !named:
			segs = append(segs, oracleSeg{oracleLiteral, oracleDecode(s)})
		case name == "$":
			segs = append(segs, oracleSeg{oracleLiteral, ""})
		case isRest:
			segs = append(segs, oracleSeg{oracleRest, rest})
		default:
			segs = append(segs, oracleSeg{oracleParam, name})
		}
	}
	if strings.HasSuffix(p, "/") {
		segs[len(segs)-1].kind = final
	}
	return segs
}

// below gives the route its forms below a prefix. The root of what is mounted
// there gets its second one.
func (r *oracleRoute) below(prefix string, inner []oracleSeg) *oracleRoute {
	var base []oracleSeg
	if prefix != "" {
		base = oracleSegs(prefix, oracleExpress, oracleLiteral)
	}
	own := slices.Concat(base, inner)
	root := inner[0]
	isRoot := prefix != "" && len(inner) == 1 && (root.text == "" || root.kind == oracleRest)
	switch {
	case !isRoot:
		r.forms = oracleForms(own)
	case root.kind == oracleRest:
		r.forms = oracleForms(own, append(base, oracleSeg{oracleRestEnd, root.text}))
	case r.verb:
		r.forms = oracleForms(base, append(own, oracleSeg{oracleEnd, ""}))
	default:
		r.forms = oracleForms(own, append(base, oracleSeg{oracleEnd, ""}))
	}
	return r
}

// under sets the policy. Under SlashExact a verb's "/" has only its own form.
func (r *oracleRoute) under(policy segue.SlashPolicy) *oracleRoute {
	r.policy = policy
	last := r.forms[len(r.forms)-1].rank
	if r.verb && policy == segue.SlashExact && last[len(last)-1] == oracleEnd {
		r.forms = r.forms[:1]
	}
	return r
}

func oracleForms(spellings ...[]oracleSeg) (forms []oracleForm) {
	for _, segs := range spellings {
		rank := ""
		for _, s := range segs {
			rank += string(s.kind)
		}
		forms = append(forms, oracleForm{segs, rank})
	}
	return forms
}
