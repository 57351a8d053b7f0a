package segue

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A leaf is a route as a compiled table serves it.
type leaf struct {
	serve  func(http.ResponseWriter, *http.Request) // the first chain on the way, or handler
	text   string                                   // r.Pattern; its bytes are the route's identity
	names  *pathNames                               // what r.PathValue is filled with, nil if nothing
	holes  []hole                                   // where the values stand in a path
	isRest bool                                     // the last segment takes everything that follows,
	named  bool                                     // and has a name: the last hole is its
	isSlow bool                                     // resolve must decide: slowLeaf, and what may decline
	direct bool                                     // neither of the two

	// accepts reports whether the route answers a path that it matches. Where
	// it does not, all is as if it were not there. nil for most routes.
	accepts func(segments) bool

	route *entry
	scope *scope
	peers *[]*leaf // all routes on the same path where there are several
}

// takes reports whether l answers a path that it matches.
func (l *leaf) takes(path segments) bool { return l.accepts == nil || l.accepts(path) }

// handler is what answers behind all chains.
func (l *leaf) handler() http.Handler {
	if l.route.route.strip {
		return stripped{l}
	}
	if f := l.route.route.files; f != nil {
		return filesAt{f, l}
	}
	return l.route.route.handler
}

// onPath lists the routes of the same path and rank, l among them.
func (l *leaf) onPath() []*leaf {
	if l.peers == nil {
		return []*leaf{l}
	}
	return slices.DeleteFunc(slices.Clone(*l.peers), func(p *leaf) bool { return p.route.alias != l.route.alias })
}

// A hole is where a parameter's value stands: in a path that is not encoded so
// many bytes behind the value before it, and in any path in this segment.
type hole struct {
	gap, segment uint32
}

// holesOf finds the holes of a route. The literals between them have fixed
// lengths, so that a lookup need not record anything.
func holesOf(segs []segment) []hole {
	var holes []hole
	gap := 0
	for i, s := range segs {
		gap++
		switch {
		case s.kind == literal:
			gap += len(s.text)
		case s.text != "":
			holes = append(holes, hole{uint32(gap), uint32(i)})
			gap = 0
		}
	}
	return holes
}

// plainValues cuts the values out of a path that is not encoded and matched as
// it was sent.
func (l *leaf) plainValues(path string, values []string) {
	at := 0
	for i, h := range l.holes {
		at += int(h.gap)
		if at >= len(path) {
			return // an empty rest whose slash is missing
		}
		end := len(path)
		if !l.named || i < len(l.holes)-1 {
			if j := strings.IndexByte(path[at:], '/'); j >= 0 {
				end = at + j
			}
		}
		values[i] = path[at:end]
		at = end
	}
}

// decodedValues does the same for any path, segment by segment.
func (l *leaf) decodedValues(path segments, values []string) {
	i, n := 0, uint32(0)
	for i < len(l.holes) {
		if l.named && i == len(l.holes)-1 && n == l.holes[i].segment {
			values[i] = path.remainder()
			return
		}
		seg, ok := path.next()
		if !ok {
			return
		}
		if n == l.holes[i].segment {
			values[i] = seg
			i++
		}
		n++
	}
}

// segments takes a path apart, each segment decoded once.
type segments struct {
	path    string // what is left, from a slash on; "" at the end
	escaped bool
}

// next returns the next segment, false at the end of the path.
func (s *segments) next() (string, bool) {
	seg, ok := s.cut()
	return s.decode(seg), ok
}

// cut is next without the decoding.
func (s *segments) cut() (string, bool) {
	if s.path == "" {
		return "", false
	}
	seg := s.path[1:]
	if i := strings.IndexByte(seg, '/'); i >= 0 {
		seg, s.path = seg[:i], seg[i:]
	} else {
		s.path = ""
	}
	return seg, true
}

// remainder returns everything after the next slash.
func (s *segments) remainder() string {
	if s.path == "" {
		return ""
	}
	return s.decode(s.path[1:])
}

func (s *segments) decode(seg string) string {
	if s.escaped {
		if u, err := url.PathUnescape(seg); err == nil {
			return u
		}
	}
	return seg
}

// pathOf returns the path that a request is matched by: URL.Path, unless the
// encoded form says something that it cannot, such as a slash inside a segment.
func pathOf(u *url.URL) segments {
	if u.RawPath != "" && u.RawPath == u.EscapedPath() {
		return segments{u.RawPath, true}
	}
	return segments{u.Path, false}
}

// methods holds the compiled tries of one host, one for each method that its
// routes name. Methods with the same routes share one.
type methods struct {
	get, head, post, put, patch, del *node
	others                           map[string]*node
	any                              *node // for a method that no route names
	all                              *node // every route: who answers OPTIONS, and who owns a 405
	options                          *node // the routes that name OPTIONS
	named                            []string
}

func (m *methods) root(method string) *node {
	switch method {
	case "GET":
		return m.get
	case "HEAD":
		return m.head
	case "POST":
		return m.post
	case "PUT":
		return m.put
	case "PATCH":
		return m.patch
	case "DELETE":
		return m.del
	case "OPTIONS":
		return &slowNode // several tries have a say: see optionsAt
	}
	if n := m.others[method]; n != nil {
		return n
	}
	return m.any
}

// A forest holds the compiled tries of all hosts.
type forest struct {
	nowhere *methods // routes without a host
	hosts   map[string]*methods
}

// compileForest compiles the routes that keep admits.
func compileForest(hosts map[string]*branch, keep func(*entry) bool) *forest {
	f := &forest{nowhere: noMethods}
	for host, b := range hosts {
		m := compileMethods(b, keep)
		if host == "" {
			f.nowhere = m
			continue
		}
		if f.hosts == nil {
			f.hosts = map[string]*methods{}
		}
		f.hosts[host] = m
	}
	return f
}

var noMethods = compileMethods(new(branch), func(*entry) bool { return false })

func compileMethods(b *branch, keep func(*entry) bool) *methods {
	m := &methods{others: map[string]*node{}, any: &emptyNode, options: &emptyNode}
	var hasAny bool
	m.named, hasAny = namedMethods(b, keep)
	if hasAny {
		m.any = compileFor(b, keep, "", false)
	}
	if slices.Contains(m.named, "OPTIONS") {
		m.options = compileFor(b, func(e *entry) bool { return keep(e) && e.method == "OPTIONS" }, "OPTIONS", false)
	}
	roots := map[string]*node{}
	for _, method := range m.named {
		roots[method] = compileFor(b, keep, method, hasAny)
	}
	of := func(method string, instead *node) *node {
		if n := roots[method]; n != nil {
			return n
		}
		return instead
	}
	m.get = of("GET", m.any)
	m.head = of("HEAD", m.get)
	m.post, m.put = of("POST", m.any), of("PUT", m.any)
	m.patch, m.del = of("PATCH", m.any), of("DELETE", m.any)
	for method, n := range roots {
		m.others[method] = n
	}
	switch len(m.named) {
	case 0:
		m.all = m.any
	case 1:
		m.all = roots[m.named[0]] // its own routes and those for any method: that is all
	default:
		m.all = compile(b, &prune{wanted: keep, better: func(old, new *leaf) bool { return new.route.method < old.route.method }})
	}
	return m
}

// namedMethods returns the methods that routes name, sorted, and whether some
// route takes any.
func namedMethods(b *branch, keep func(*entry) bool) (named []string, hasAny bool) {
	last := ""
	b.visit(func(e *entry) {
		switch {
		case e.method == "":
			hasAny = hasAny || keep(e)
		case e.method != last && keep(e):
			last = e.method
			if !slices.Contains(named, last) {
				named = append(named, last)
			}
		}
	})
	slices.Sort(named)
	return named, hasAny
}

// visit calls do for every entry from b on.
func (b *branch) visit(do func(*entry)) {
	b.eachBranch(func(b *branch) {
		for _, e := range b.ends {
			do(e)
		}
	})
}

func (b *branch) eachBranch(do func(*branch)) {
	do(b)
	b.literals(func(_ string, c *branch) { c.eachBranch(do) })
	if b.param != nil {
		b.param.eachBranch(do)
	}
	if b.rest != nil {
		b.rest.eachBranch(do)
	}
}

// compileFor compiles the routes that can answer a method: its own, GET's for
// HEAD, and those for any method. "" stands for a method that no route names.
// With mixed, a route for any method may hide one of the method's own.
func compileFor(b *branch, keep func(*entry) bool, method string, mixed bool) *node {
	rank := func(m string) int {
		switch {
		case m == method:
			return 0
		case m == "GET" && method == "HEAD":
			return 1
		case m == "":
			return 2
		}
		return 3
	}
	return compile(b, &prune{
		second: mixed,
		wanted: func(e *entry) bool { return rank(e.method) < 3 && keep(e) },
		better: func(old, new *leaf) bool { return rank(new.route.method) < rank(old.route.method) },
	})
}

// lookup returns the route that wins among those of the trie that pick names,
// a host's routes before those without a host.
func (f *forest) lookup(host string, path segments, pick func(*methods) *node) *leaf {
	if f.hosts != nil {
		if m := f.hosts[requestHost(host)]; m != nil {
			if l := pick(m).walk(path); l != nil {
				return l
			}
		}
	}
	return pick(f.nowhere).walk(path)
}

// requestHost is a request's host as patterns name it: without the port, as
// ServeMux, and in the canonical form.
func requestHost(host string) string {
	if strings.IndexByte(host, ':') >= 0 {
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
	}
	return canonicalHost(host)
}

// A table is what a root serves from. It never changes.
type table struct {
	*forest
	hostless *methods // the forest's only methods where no route has a host, else nil
	unclean  *forest  // the routes of routers with CleanPath(false), nil if there are none
	root     *scope
	owners   *node                       // leads a path to the router that owns its misses
	retired  map[patternKey]*leaf        // former leaves of routes whose chains changed; shared with the table before
	cloned   bool                        // retired is this table's own
	byKey    func() map[patternKey]*leaf // made when first asked for
}
