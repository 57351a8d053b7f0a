package segue

import (
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"weak"
)

// A Router matches requests to handlers by method, host and path. It is an
// [http.Handler] and takes the place of [http.ServeMux]. The zero Router is
// ready to use. A Router must not be copied. All its methods are safe for
// concurrent use, registering while requests are served included.
//
// # Two languages for patterns
//
// [Router.Handle] and [Router.HandleFunc] take the patterns of ServeMux, with
// its matching and its answers:
//
//	[METHOD ][HOST]/path
//
//	/users/{id}        one segment, whatever it is, but not an empty one
//	/files/{path...}   the rest of the path, empty or not
//	/static/           the same without a name: the whole subtree
//	/static/{$}        exactly /static/
//
// The verbs ([Router.GET], [Router.POST] and so on, [Router.Any] for every
// method, [Router.Method] for any other) take a path as Express does, in whole
// segments:
//
//	/users             exactly /users
//	/users/            exactly /users/
//	/users/{id}        one segment; Express's spelling /users/:id is understood
//	/files/{path...}   the rest; Express's spelling /files/*path is understood
//
// A verb's path is never a subtree: GET("/", home) answers / and nothing else.
//
// Literal segments may be percent-encoded; patterns and paths are compared
// decoded, segment by segment, so that an encoded slash is part of a segment.
// A name is letters, digits and _, and stands once in a pattern.
//
// # Which route wins
//
// First, a route with a host wins over one without. Then the leftmost segment
// in which two routes differ decides: a literal wins over {name}, and {name}
// over a rest. On one path, the route of the request's own method wins over
// GET's for HEAD, and that over one for any method. If the best path has no
// route for the method, the next best one that has answers.
//
//	GET /users/new          answers /users/new
//	GET /users/{id}         answers /users/7
//	GET /users/{id}/posts   answers /users/7/posts, and /users/new/posts too
//
// The order of registration never matters. Two routes that match the same
// requests cannot both be registered; two that overlap can.
//
// A lookup takes one step for each segment of the path and never goes back,
// however many routes there are. (Sets of routes built to make that expensive
// are stepped through side by side instead: see compile.go.)
//
// # What handlers see
//
// Inside a route's handler, and inside middleware, r.Pattern is the pattern of
// the route in the language of ServeMux, with the prefixes of all mounts, and
// [http.Request.PathValue], [Param], [Params] and [ParamAs] give the values of
// its parameters, decoded once. They belong to the request: a request, or a
// copy of it, that outlives its handler keeps them. r.URL is as it came.
//
// # Answers without a handler
//
// A path with an empty segment ("//") or a dot segment is redirected to the
// clean path (307; see [Router.CleanPath]). A path that no route matches, but
// whose other spelling, with or without a final slash, some route matches
// exactly, is redirected there: for Handle's patterns only to a subtree or
// {$}, as ServeMux does, for verbs both ways (see [Router.TrailingSlash]). Redirects
// keep the query and the encoding, and lead nowhere but to a path.
//
// A path that only other methods have is answered 405 with the header Allow,
// which lists them sorted. OPTIONS on the path of a verb route is answered 204
// with Allow, unless a route takes OPTIONS itself. All else is 404. The texts
// are those of ServeMux; [Router.NotFound], [Router.MethodNotAllowed] and
// [Router.OnError] replace them.
//
// # Routers in routers
//
// [Router.Mount] hangs a router under a prefix of another; [Router.Group] and
// [Router.With] make one that is mounted at once. The routes of all of them
// form one set, in which the rules above decide. The prefix alone, with or
// without a final slash, is "/" to what is mounted there. What [Router.Use]
// adds to a router covers all its routes and those mounted in it.
//
// # Where it differs from ServeMux
//
// Patterns that only overlap are legal. Methods such as "get", and segments
// such as ":id" or "*" in Handle, which ServeMux takes for literals, are
// refused. Redirects keep the encoding of the request, and the prefix under
// Mount. A segment that is exactly "%2F" is a value. Hosts are compared without
// regard to case and to a final dot. CONNECT is matched as any method, on
// clean paths alone. All answers pass the middleware.
type Router struct {
	_ [0]sync.Mutex // so that vet forbids copies

	table atomic.Pointer[table] // what requests are served from, nil when a change made it stale
	last  atomic.Pointer[table] // the same, but never nil once there was one: for requests on their way

	compiling sync.Mutex // held while a table is made, so that others wait for it

	// What follows is guarded by graph.
	store                      // this router's routes and those mounted
	hosts   map[string]*branch // the source tries of these by host, "" for none; nil while nobody registers: see sources
	mounts  []*mount
	parents []weak.Pointer[mount] // weak, so that a discarded root does not live on in its children
	shared  bool                  // made by With: it shares its parent's prefix and owns no misses
	site    *site                 // this router as a root
	config
}

// config is what can be set on a router beside its routes.
type config struct {
	middleware    []Middleware
	version       int // counts the changes of middleware
	onError       []func(http.ResponseWriter, *http.Request, error) error
	notFound      http.Handler
	notAllowed    http.Handler
	slash         *SlashPolicy // nil where inherited, as the next two
	clean, values *bool
}

// graph guards every router's registrations. Routers that are mounted into one
// another share one set of routes, and a lock for each would need an order
// between them. Requests do not take it, unless they find their table stale.
var graph sync.Mutex

// A route is one registration.
type route struct {
	kept
	handler http.Handler
	strip   bool // a plain handler under Mount: it sees the path without the prefix
	place   place
	files   *files // of Static, else nil
}

// New returns a Router without routes, which answers 404. The zero Router does
// the same.
func New() *Router { return new(Router) }

// SlashPolicy says what a verb route does with its path in the other spelling:
// with a final slash where it has none, or without where it has one.
type SlashPolicy int

// What [Router.TrailingSlash] can be set to.
const (
	SlashRedirect SlashPolicy = iota // 307 to the route's own spelling: the default
	SlashExact                       // nothing: another path
	SlashEither                      // the route answers both
)

func (p SlashPolicy) String() string {
	switch p {
	case SlashRedirect:
		return "SlashRedirect"
	case SlashExact:
		return "SlashExact"
	case SlashEither:
		return "SlashEither"
	}
	return fmt.Sprintf("SlashPolicy(%d)", int(p))
}

// ServeHTTP hands r to the handler of the route that it matches, by way of the
// middleware, or answers as described at [Router]. As ServeMux, it sets
// r.Pattern and what r.PathValue reads, and clears what an outer router wrote
// there, on every request.
//
// A match takes one step per segment of the path, and allocates nothing up to 8
// parameters (16 bytes a parameter, cut from blocks that are never reused) and
// once from 9 on. Encoded segments that URL.Path cannot show cost an allocation
// each, misses a few. The first request after a change of routes or settings
// compiles them, and others wait for it. A panic of a handler passes through
// untouched, and w is handed on as it came.
func (rt *Router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t := rt.table.Load()
	if t == nil {
		t = rt.compile()
	}
	path := r.URL.Path
	if r.URL.RawPath == "" && len(path) > 0 && path[0] == '/' {
		var h *hit
		var at int
		if m := t.hostless; m == nil {
			h, at = t.lookupByHost(r, path)
		} else {
			routes := m.get
			if r.Method != "GET" { // spares most requests a call
				routes = m.root(r.Method)
			}
			h, at = routes.find(path)
		}
		if h.flags&isDirect != 0 || h.flags&(isRest|isSlow) == isRest && (at >= len(path) || uncleanAt(path, at-1) < 0) {
			s := &t.served[h.id]
			r.Pattern = s.text
			switch {
			case h.flags&hasNames == 0:
				if mayBeFilled(r) {
					clearPathValues(r)
				}
			case h.count == 0:
				t.leaves[h.id].setPlainValues(r, path)
			default:
				values := newValues(r, int(h.count), max(len(r.RequestURI), len(path)))
				h.cutValues(path, h.gaps[:], values)
				setPathValues(r, t.names[h.group], values)
			}
			s.serve(w, r)
			return
		}
	}
	t.serveSlow(w, r)
}

// setPlainValues gives r the values that l has on a path that is not encoded.
func (l *leaf) setPlainValues(r *http.Request, path string) {
	values := newValues(r, l.values(), max(len(r.RequestURI), len(path)))
	l.plainValues(path, values)
	setPathValues(r, l.names, values)
}

// lookupByHost is find where some routes have a host.
func (t *table) lookupByHost(r *http.Request, path string) (h *hit, unchecked int) {
	m := t.hosts[requestHost(r.Host)]
	if m == nil {
		return t.nowhere.root(r.Method).find(path)
	}
	h, unchecked = m.root(r.Method).find(path)
	if h.id == noLeaf {
		h, unchecked = t.nowhere.root(r.Method).find(path)
	}
	if h.flags&isRest != 0 {
		return &slowHit, 0 // the other spelling may be exact in the other of the two
	}
	return h, unchecked
}

// serveSlow serves what find left open.
func (t *table) serveSlow(w http.ResponseWriter, r *http.Request) {
	a := t.resolve(r)
	if a.status != http.StatusOK {
		t.serveMiss(w, r, a)
		return
	}
	a.leaf.claim(r, a.path)
	t.served[a.leaf.id].serve(w, r)
}

// claim writes into r what the matched route gives it.
func (l *leaf) claim(r *http.Request, path segments) {
	r.Pattern = l.text()
	if l.names == nil {
		clearPathValues(r)
		return
	}
	values := newValues(r, l.values(), max(len(r.RequestURI), len(path.path)))
	l.decodedValues(path, values)
	setPathValues(r, l.names, values)
}

// Handle registers a handler for a pattern in the language of
// [http.ServeMux]: [METHOD ][HOST]/path with {name}, {name...} and {$}, where a
// trailing slash means the whole subtree.
//
// It panics with a [*PatternError] if the pattern is wrong or the handler nil,
// and with a [*ConflictError] if a route matches the same requests already;
// then nothing has changed. Other than ServeMux it takes patterns that overlap,
// and refuses a standard method that is not in capitals and the segments
// ":name", "*" and "*name", which could never match as they are meant.
func (rt *Router) Handle(pattern string, handler http.Handler) {
	p, err := parseMux(pattern)
	rt.register(p, err, handler, false)
}

// HandleFunc is [Router.Handle] for a function.
func (rt *Router) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	rt.Handle(pattern, http.HandlerFunc(handler))
}

// GET registers a handler for GET requests on a path, and for HEAD requests
// where no better route names HEAD. The path is in the language of the verbs
// described at [Router]: it is matched whole, /users/{id} and /users/:id have a
// parameter, /files/{path...} and /files/*path a rest.
//
// As all verbs, it panics with a [*PatternError] if the path is wrong or the
// handler nil, and with a [*ConflictError] if a route matches the same requests
// already; then nothing has changed.
func (rt *Router) GET(path string, handler http.HandlerFunc) {
	rt.verb(http.MethodGet, path, handler)
}

// POST registers a handler for POST requests on a path, as [Router.GET] does for GET.
func (rt *Router) POST(path string, handler http.HandlerFunc) {
	rt.verb(http.MethodPost, path, handler)
}

// PUT registers a handler for PUT requests on a path, as [Router.GET] does for GET.
func (rt *Router) PUT(path string, handler http.HandlerFunc) {
	rt.verb(http.MethodPut, path, handler)
}

// PATCH registers a handler for PATCH requests on a path, as [Router.GET] does for GET.
func (rt *Router) PATCH(path string, handler http.HandlerFunc) {
	rt.verb(http.MethodPatch, path, handler)
}

// DELETE registers a handler for DELETE requests on a path, as [Router.GET] does for GET.
func (rt *Router) DELETE(path string, handler http.HandlerFunc) {
	rt.verb(http.MethodDelete, path, handler)
}

// HEAD registers a handler for HEAD requests on a path, as [Router.GET] does
// for GET. On that path it takes them from GET's route.
func (rt *Router) HEAD(path string, handler http.HandlerFunc) {
	rt.verb(http.MethodHead, path, handler)
}

// OPTIONS registers a handler for OPTIONS requests on a path, as [Router.GET]
// does for GET. It takes the place of the automatic answer, 204 with Allow.
func (rt *Router) OPTIONS(path string, handler http.HandlerFunc) {
	rt.verb(http.MethodOptions, path, handler)
}

// Any registers a handler for every method on a path, as [Router.GET] does for
// GET. On the same path a route for the request's own method goes before it.
func (rt *Router) Any(path string, handler http.HandlerFunc) {
	rt.verb("", path, handler)
}

// Method registers a handler for a method on a path, as [Router.GET] does for
// GET. The method may be any token (RFC 9110, section 5.6.2), such as PROPFIND
// or one of the client's own invention; methods are case-sensitive. It panics
// with a [*PatternError] if the method is empty, or a standard one that is not
// in capitals.
func (rt *Router) Method(method, path string, handler http.Handler) {
	if method == "" {
		rt.register(nil, &PatternError{Pattern: path, Reason: "the method is empty; Any registers for every method"}, handler, false)
	}
	rt.verb(method, path, handler)
}

func (rt *Router) verb(method, path string, handler http.Handler) {
	p, err := parseVerb(method, path)
	rt.register(p, err, handler, false)
}

// register is where every registration ends, and the one place that panics for
// it.
func (rt *Router) register(p *pattern, perr *PatternError, handler http.Handler, strip bool) {
	at := caller()
	if perr == nil && isNil(handler) {
		perr = &PatternError{Pattern: p.text, Reason: "the handler is nil"}
	}
	if perr != nil {
		perr.place = at
		panic(perr)
	}
	if err := rt.add(p, &route{handler: handler, strip: strip, place: at}); err != nil {
		panic(err)
	}
}

func isNil(h http.Handler) bool {
	switch h := h.(type) {
	case nil:
		return true
	case http.HandlerFunc:
		return h == nil
	case *Router:
		return h == nil
	}
	return false
}

// configure changes a setting, under the lock, and marks the tables stale.
func (rt *Router) configure(change func(*config)) {
	graph.Lock()
	defer graph.Unlock()
	change(&rt.config)
	rt.outdate()
}

// TrailingSlash sets what this router's verb routes do with a path in the other
// spelling: with a final slash where theirs has none, or without where theirs
// has one. It counts where the path as sent matches nothing, or only a rest,
// and the other spelling matches exactly. Routers mounted here inherit it
// unless they set their own, whenever it is called. Patterns of
// [Router.Handle] always do as ServeMux does. It panics for any other value.
func (rt *Router) TrailingSlash(policy SlashPolicy) {
	if policy < SlashRedirect || policy > SlashEither {
		panic(fmt.Sprintf("segue: there is no %v (at %v)", policy, caller()))
	}
	rt.configure(func(c *config) { c.slash = &policy })
}

// CleanPath sets whether a path with empty or dot segments ("//", "/./",
// "/../") is redirected to the clean path, 307, before anything else, as
// ServeMux does: true, the default. With false such a path is first looked up
// as it is, among the routes of the routers with this setting alone: {name}
// then takes "." and "..", never an empty segment, and a rest takes anything.
// Routers mounted here inherit it unless they set their own.
func (rt *Router) CleanPath(on bool) {
	rt.configure(func(c *config) { c.clean = &on })
}

// PathValues sets whether [http.Request.PathValue] is filled: true, the
// default. With false a match writes no values at all, 0 bytes, and
// [http.Request.PathValue] gives only what somebody's SetPathValue put there;
// [Param], [Params] and [ParamAs] work all the same, off the URL. Plain
// handlers under [Router.Mount] get the values of their prefix in any case.
// Routers mounted here inherit it unless they set their own.
func (rt *Router) PathValues(on bool) {
	rt.configure(func(c *config) { c.values = &on })
}

// Handler returns the handler that would answer r, its middleware included, and
// the pattern of the route that r matches or is redirected to, as
// [http.ServeMux.Handler] does; the pattern is "" if there is none. r is not
// changed: path values and r.Pattern are unset until a router has served it.
func (rt *Router) Handler(r *http.Request) (http.Handler, string) {
	t := rt.current()
	a := t.resolve(r)
	switch {
	case a.status == http.StatusOK && len(a.leaf.scope.chained) == 0 && !a.leaf.entry().route.strip:
		return a.leaf.handler(), a.leaf.text()
	case a.status == http.StatusOK:
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a.leaf.claim(r, a.path)
			t.served[a.leaf.id].serve(w, r)
		}), a.leaf.text()
	case a.status == http.StatusTemporaryRedirect && a.leaf != nil:
		return t.missHandler(a), a.leaf.text()
	}
	return t.missHandler(a), ""
}

func (t *table) missHandler(a answer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.serveMiss(w, r, a) })
}

func (rt *Router) current() *table {
	if t := rt.table.Load(); t != nil {
		return t
	}
	return rt.compile()
}

// A place is where in the user's code something was registered: the address of a
// call, 0 if there is none outside this package.
type place uintptr

// locate returns the file and the line, "" and 0 for none.
func (p place) locate() (file string, line int) {
	if p == 0 {
		return "", 0
	}
	f, _ := runtime.CallersFrames([]uintptr{uintptr(p)}).Next()
	return f.File, f.Line
}

func (p place) String() string {
	file, line := p.locate()
	if file == "" {
		return "unknown location"
	}
	return fmt.Sprintf("%s:%d", file, line)
}

var packagePrefix = reflect.TypeFor[Router]().PkgPath() + "."

// caller returns the first place outside this package, whatever methods the
// registration went through.
func caller() place {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, packagePrefix) || strings.HasSuffix(f.File, "_test.go") {
			return place(f.PC + 1) // as Callers gives it, and CallersFrames takes it
		}
		if !more {
			return 0
		}
	}
}

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

// public is what users see of an entry. The text is its own at the time, which
// may be that of a former leaf.
func (e *entry) public(text string) Route {
	file, line := e.route.place.locate()
	return Route{
		Method: e.kept().method(), Host: e.kept().shown(), Path: e.kept().path(), Pattern: text,
		Handler: e.route.handler, File: file, Line: line,
	}
}

// Routes returns every route, those of mounted routers included, sorted by
// host, path and method. Each shows the names of all middlewares on its way,
// outermost first, and where it was registered. The list is made when Routes is
// called; later changes do not show in it.
func (rt *Router) Routes() iter.Seq[Route] {
	routes := rt.routes()
	return func(yield func(Route) bool) {
		for _, r := range routes {
			if !yield(r) {
				return
			}
		}
	}
}

// A Match is what would become of a request.
type Match struct {
	Status   int               // 200, 307, 404, 405, 204 for automatic OPTIONS, or 400 for "OPTIONS *"
	Route    Route             // the route that answers or is redirected to
	Params   map[string]string // by name, nil if the route has none
	Location string            // of a redirect
	Allow    string            // with 405 and 204: "GET, HEAD"
}

// Lookup returns what would become of r, without serving it: what a decision
// about a request needs that must tell a match from a redirect. It follows the
// same rules as [Router.ServeHTTP], by the same code, and does not change r. It
// compiles what a change has made stale, so that calling it once warms a router
// up. It allocates the parameters, and what a miss has to tell.
func (rt *Router) Lookup(r *http.Request) Match {
	return rt.current().resolve(r).match()
}

func (l *leaf) public() Route {
	r := l.entry().public(l.text())
	r.Middleware = l.scope.middlewareNames()
	return r
}

func (l *leaf) params(path segments) map[string]string {
	names := l.paramNames()
	if len(names) == 0 {
		return nil
	}
	values := make([]string, len(names))
	l.decodedValues(path, values)
	params := make(map[string]string, len(values))
	for i, name := range names {
		params[name] = values[i]
	}
	return params
}
