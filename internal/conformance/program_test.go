package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// A program is what its users do with a tree of routers: registrations,
// settings and requests in some order. This file runs one (the runner) and
// holds every answer against the oracle's (the comparison). Where programs come
// from is in program_fuzz_test.go.

// A progOp is one step.
type progOp struct {
	kind    progKind
	router  int // the router it is called on, or that is asked; 0 is the root
	child   int // the other router: what is mounted, or made by Group and With
	method  string
	host    string
	path    string // of a route, a prefix, or the target of a request
	variant int    // which of the forms that a handler or a setting has
	order   byte   // where it goes in another order
	name    string // of the handler
}

// A progKind is what a step does.
type progKind byte

const (
	progHandle     progKind = iota // Handle(method host path)
	progVerb                       // GET and its like, Any, Method
	progMount                      // Mount of a new router
	progAgain                      // Mount of a router that is there already
	progPlain                      // Mount of another handler
	progGroup                      // Group
	progWith                       // With
	progUse                        // Use
	progNotFound                   // NotFound
	progNotAllowed                 // MethodNotAllowed
	progOnError                    // OnError
	progSlash                      // TrailingSlash
	progClean                      // CleanPath
	progValues                     // PathValues
	progAsk                        // a request
	progNear                       // a request, for a path near that of a route
)

var progNames = strings.Fields("Handle Verb Mount Again Plain Group With Use NotFound NotAllowed OnError Slash Clean Values Ask Near")

func (op progOp) String() string {
	return fmt.Sprintf("router %d: %s %s %s%s, variant %d, router %d, %s", op.router, progNames[op.kind], op.method, op.host, op.path, op.variant, op.child, op.name)
}

func (op progOp) asks() bool { return op.kind == progAsk || op.kind == progNear }

// A progRun is a program on its way: the routers, and the same for the oracle.
type progRun struct {
	live    [progRouters]*segue.Router
	model   [progRouters]*oracleRouter
	trees   [progRouters]*oracleTree // of the model as it is, made when asked for
	w       *progWriter
	reached progReached // nil if nobody counts

	accepted, refused []progOp
	asked             []progAsked
}

const (
	progRouters = 6
	progRoutes  = 150 // as many as a root may come to serve: mounts multiply them
)

// progReached counts what programs came to.
type progReached map[string]int

func (p *progRun) reach(kind string, times int) {
	if p.reached != nil {
		p.reached[kind] += times
	}
}

func newProgRun(reached progReached) *progRun {
	p := &progRun{w: &progWriter{header: http.Header{}}, reached: reached}
	p.live[0], p.model[0] = segue.New(), new(oracleRouter)
	return p
}

// A progVerdict is the oracle's word on a step.
type progVerdict struct {
	name, hosts, conflict, cycle, shared bool // why it must be refused
	large                                bool // too many routes: it is left out
}

func (v progVerdict) refused() bool { return v.name || v.hosts || v.conflict || v.cycle || v.shared }

// apply does a step that is no request, for the oracle and on the routers, and
// says where the two disagree about refusing it.
func (p *progRun) apply(op progOp) (done bool, fault string) {
	if p.live[op.router] == nil || op.kind == progAgain && p.live[op.child] == nil {
		return false, "" // that router has not come to be
	}
	before := p.snapshot()
	v := p.judge(op)
	if v.large || v.refused() {
		p.restore(before)
	}
	if v.large {
		return false, ""
	}
	err := testkit.PanicOf(func() { p.call(op) })
	var pattern *segue.PatternError
	var conflict *segue.ConflictError
	switch {
	case err == nil && !v.refused():
		return true, ""
	case err != nil && v.shared:
		p.reach("refused on a router made by With", 1)
	case errors.As(err, &pattern) && v.hosts:
		p.reach("refused for two hosts", 1)
	case errors.As(err, &pattern) && (v.name || v.cycle):
		p.reach("refused for a name or a cycle", 1)
	case errors.As(err, &conflict) && v.conflict:
		p.reach("refused for a conflict", 1)
	default:
		return false, fmt.Sprintf("%v\nrefused with a %T %v, the oracle says %+v", op, err, err, v)
	}
	return false, ""
}

// judge does the step for the oracle. Every router is looked at, since a step
// may fit into one and fail in another that mounts it.
func (p *progRun) judge(op progOp) (v progVerdict) {
	if op.kind == progAgain && p.model[op.child].reaches(p.model[op.router]) {
		return progVerdict{cycle: true}
	}
	if p.model[op.router].shared && (op.kind == progNotFound || op.kind == progNotAllowed) {
		return progVerdict{shared: true}
	}
	p.changeModel(op)
	clear(p.trees[:])
	for i, r := range p.model {
		if r != nil {
			t := p.tree(i)
			name, hosts, conflict := t.wrong()
			v.name, v.hosts, v.conflict, v.large = v.name || name, v.hosts || hosts, v.conflict || conflict, v.large || len(t.routes) > progRoutes
		}
	}
	return v
}

func (p *progRun) snapshot() (before [progRouters]*oracleRouter) {
	for i, r := range p.model {
		if r != nil {
			copied := *r
			before[i] = &copied
		}
	}
	return before
}

// restore writes into the same routers again, since others point to them.
func (p *progRun) restore(before [progRouters]*oracleRouter) {
	clear(p.trees[:])
	for i, r := range before {
		if r == nil {
			p.model[i] = nil
		} else {
			*p.model[i] = *r
		}
	}
}

func (p *progRun) tree(i int) *oracleTree {
	if p.trees[i] == nil {
		p.trees[i] = newOracleTree(p.model[i])
	}
	return p.trees[i]
}

// changeModel tells the oracle of a step.
func (p *progRun) changeModel(op progOp) {
	r := p.model[op.router]
	switch op.kind {
	case progHandle:
		r.calls = append(r.calls, oracleCall{name: op.name, pattern: op.pattern(), fails: op.fails()})
	case progVerb:
		r.calls = append(r.calls, oracleCall{name: op.name, verb: true, method: op.method, pattern: op.path, fails: op.fails()})
	case progMount, progGroup, progWith:
		child := &oracleRouter{shared: op.kind == progWith}
		if op.kind != progMount {
			child.uses = op.uses()
		}
		p.model[op.child] = child
		r.mounts = append(r.mounts, oracleMount{op.path, child})
	case progAgain:
		r.mounts = append(r.mounts, oracleMount{op.path, p.model[op.child]})
	case progPlain:
		plain := oracleCall{name: op.name, pattern: "/", plain: true, mux: op.variant%2 == 1}
		r.mounts = append(r.mounts, oracleMount{op.path, &oracleRouter{calls: []oracleCall{plain}}})
	case progUse:
		r.uses = append(r.uses, op.uses()...)
	case progNotFound:
		r.notFound = op.name
	case progNotAllowed:
		r.notAllowed = op.name
	case progOnError:
		r.errors = append(r.errors, op.onError())
	case progSlash:
		r.slash = new(segue.SlashPolicy(op.variant % 3))
	case progClean:
		r.clean = new(op.variant%2 == 1)
	case progValues:
		r.values = new(op.variant%2 == 1)
	}
}

// call does a step on the routers, by the method that a user would call.
func (p *progRun) call(op progOp) {
	rt := p.live[op.router]
	switch op.kind {
	case progHandle:
		rt.Handle(op.pattern(), op.handler())
	case progVerb:
		enumRoute{Dialect: "verb", Pattern: strings.TrimPrefix(op.method+" "+op.path, " ")}.register(rt, op.handler())
	case progMount:
		child := segue.New()
		rt.Mount(op.path, child)
		p.live[op.child] = child // unless it was refused
	case progAgain:
		rt.Mount(op.path, p.live[op.child])
	case progPlain:
		rt.Mount(op.path, op.plainHandler())
	case progGroup:
		p.live[op.child] = rt.Group(op.path, op.middlewares()...)
	case progWith:
		p.live[op.child] = rt.With(op.middlewares()...)
	case progUse:
		rt.Use(op.middlewares()...)
	case progNotFound:
		rt.NotFound(progAnswer(op.name, oracleNotFound))
	case progNotAllowed:
		rt.MethodNotAllowed(progAnswer(op.name, oracleNotAllowed))
	case progOnError:
		rt.OnError(op.errorHandler())
	case progSlash:
		rt.TrailingSlash(segue.SlashPolicy(op.variant % 3))
	case progClean:
		rt.CleanPath(op.variant%2 == 1)
	case progValues:
		rt.PathValues(op.variant%2 == 1)
	}
}

func (op progOp) pattern() string { return strings.TrimPrefix(op.method+" "+op.host+op.path, " ") }

// Under purego an error may not know whose request it is, where two routers
// serve one pattern: no handler and no middleware fails there.
func (op progOp) fails() bool { return !testkit.Purego && op.variant%8 == 7 }

// uses are one or two middlewares, or for a router made with some, none.
func (op progOp) uses() (uses []oracleUse) {
	n := 1 + op.variant%2
	if op.kind != progUse {
		n = op.variant % 3
	}
	for i := range n {
		uses = append(uses, oracleUse{fmt.Sprint(op.name, ".", i), !testkit.Purego && op.variant%8 == 6})
	}
	return uses
}

func (op progOp) onError() oracleError {
	return []oracleError{{name: op.name}, {name: op.name, answers: true}, {name: op.name, status: oracleReplaced}}[op.variant%3]
}

// The handlers of a program tell its writer that they ran, and what they saw.

func (op progOp) handler() http.HandlerFunc {
	if op.fails() {
		return segue.Try(func(w http.ResponseWriter, r *http.Request) error {
			w.(*progWriter).saw(op.name, r)
			return segue.Errorf(oracleFailed, "failed")
		})
	}
	return progAnswer(op.name, http.StatusOK)
}

func progAnswer(name string, status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.(*progWriter).saw(name, r)
		w.WriteHeader(status)
	}
}

func (op progOp) errorHandler() func(http.ResponseWriter, *http.Request, error) error {
	e := op.onError()
	return func(w http.ResponseWriter, r *http.Request, err error) error {
		w.(*progWriter).saw(e.name, r)
		switch {
		case e.answers:
			w.WriteHeader(oracleAnswered)
			return nil
		case e.status != 0:
			return segue.Errorf(e.status, "replaced")
		}
		return err
	}
}

// middlewares hand on the request, or a copy of it, or fail.
func (op progOp) middlewares() (all []segue.Middleware) {
	for _, use := range op.uses() {
		all = append(all, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.(*progWriter).saw(use.name, r)
				switch {
				case use.stops && r.URL.RawQuery == "stop":
					segue.Fail(w, r, segue.Errorf(oracleStopped, "stopped"))
					return
				case op.variant/8%3 == 1:
					r = r.WithContext(r.Context())
				case op.variant/8%3 == 2:
					r = r.Clone(r.Context())
				}
				next.ServeHTTP(w, r)
			})
		})
	}
	return all
}

func (op progOp) plainHandler() http.Handler {
	inner := http.Handler(progAnswer("", http.StatusOK))
	if op.variant%2 == 1 {
		inner = progMux()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := w.(*progWriter)
		p.sawInside(op.name, r)
		if op.variant%2 == 1 {
			inner.ServeHTTP(w, r)
		}
	})
}

// progMux is the ServeMux that programs mount.
func progMux() *http.ServeMux {
	mux := http.NewServeMux()
	for _, pattern := range []string{"/{$}", "GET /a", "/{inner}/b", "POST /{inner}", "/c/c/"} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { w.(*progWriter).sawInMux(r) })
	}
	return mux
}

// A progWriter is the ResponseWriter of a program's requests. It keeps the
// answer and what ran on the way, and compares what that saw.
type progWriter struct {
	header http.Header
	status int
	trail  []string
	fault  string

	want   oracleReply
	names  []string // of every route, so that a value under another route's name is seen
	during func()   // done once, by the first middleware or handler
	direct bool     // what Handler returned is served, which need not claim the request
}

func (w *progWriter) Header() http.Header { return w.header }

func (w *progWriter) Write(b []byte) (int, error) { w.WriteHeader(http.StatusOK); return len(b), nil }

func (w *progWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// saw notes who ran with which request.
func (w *progWriter) saw(name string, r *http.Request) {
	w.trail = append(w.trail, name)
	if do := w.during; do != nil {
		w.during = nil
		do()
	}
	w.compareRequest(name, r, w.want.fills)
}

// sawInside is saw for a plain handler under Mount.
func (w *progWriter) sawInside(name string, r *http.Request) {
	w.trail = append(w.trail, name)
	w.WriteHeader(http.StatusOK)
	w.compareRequest(name, r, true)
	if got := r.URL.EscapedPath(); got != w.want.inner {
		w.fault += fmt.Sprintf(" %s sees the path %q.", name, got)
	}
}

// sawInMux is saw for a handler of a ServeMux under Mount.
func (w *progWriter) sawInMux(r *http.Request) {
	w.trail = append(w.trail, r.Pattern)
	if r.Method != "CONNECT" { // whose values make PathValue panic on some paths
		w.trail = append(w.trail, r.PathValue("inner"), segue.Param(r, "inner"))
		for name, value := range w.want.params {
			if r.PathValue(name) != value || segue.Param(r, name) != value {
				w.fault += fmt.Sprintf(" %s is %q and %q in the mux.", name, r.PathValue(name), segue.Param(r, name))
			}
		}
	}
	w.WriteHeader(http.StatusOK)
}

func (w *progWriter) compareRequest(name string, r *http.Request, filled bool) {
	if w.direct {
		return
	}
	params := w.want.seen
	if r.Pattern != w.want.pattern {
		w.fault += fmt.Sprintf(" %s sees the pattern %q.", name, r.Pattern)
	}
	for _, param := range w.names {
		value := ""
		if filled {
			value = params[param]
		}
		if got := r.PathValue(param); got != value {
			w.fault += fmt.Sprintf(" %s gets %q by PathValue(%q).", name, got, param)
		}
		if got := segue.Param(r, param); got != params[param] {
			w.fault += fmt.Sprintf(" %s gets %q by Param(%q).", name, got, param)
		}
	}
	n := 0
	for param, got := range segue.Params(r) {
		n++
		if value, ok := params[param]; !ok || got != value {
			w.fault += fmt.Sprintf(" %s gets %q, %q of Params.", name, param, got)
		}
	}
	if n != len(params) {
		w.fault += fmt.Sprintf(" %s gets %d of Params.", name, n)
	}
}

// serve sends a request and says how the answer differs from w.want, "" if it
// does not.
func (w *progWriter) serve(h http.Handler, q *enumRequest) string {
	clear(w.header)
	w.status, w.trail, w.fault = 0, w.trail[:0], ""
	r := q.request
	h.ServeHTTP(w, &r)
	want, location, allow := w.want, w.header.Get("Location"), w.header.Get("Allow")
	if w.status == want.wire && location == want.location && allow == want.allow && slices.Equal(w.trail, want.trail) && w.fault == "" &&
		(w.direct || r.Pattern == want.pattern) {
		return ""
	}
	return fmt.Sprintf("%d pattern %q location %q allow %q trail %q.%s", w.status, r.Pattern, location, allow, w.trail, w.fault)
}

// The comparison.

// A progAsked is a request with the router that it goes to.
type progAsked struct {
	root int
	*enumRequest
}

func (q progAsked) String() string { return fmt.Sprintf("%v, to router %d", q.enumRequest, q.root) }

// expect has the oracle answer.
func (p *progRun) expect(q progAsked) {
	t := p.tree(q.root)
	p.w.names = t.names
	p.w.want = t.reply(q.request.Method, q.request.Host, q.escaped, q.query)
	if hit := p.w.want.hit; p.w.want.inner != "" && hit.call.mux {
		p.w.want.throughMux(q)
	}
}

// throughMux has the ServeMux under Mount answer, on its own, a request for the
// path that it must see.
func (a *oracleReply) throughMux(q progAsked) {
	r := q.request
	r.URL = &url.URL{Path: oracleDecode(a.inner), RawPath: a.inner, RawQuery: q.query}
	w := &progWriter{header: http.Header{}}
	progMux().ServeHTTP(w, &r)
	a.wire, a.location, a.allow = http.StatusOK, w.header.Get("Location"), w.header.Get("Allow")
	a.trail = append(a.trail, w.trail...)
}

// served holds what ServeHTTP does against the oracle.
func (p *progRun) served(q progAsked) string {
	p.expect(q)
	p.count(q, p.w.want)
	return p.w.differs("ServeHTTP", q, p.w.serve(p.live[q.root], q.enumRequest))
}

func (w *progWriter) differs(who string, q progAsked, got string) string {
	if got == "" {
		return ""
	}
	return fmt.Sprintf("%v\n%s %s\noracle %v trail %q, wire %d, inner path %q", q, who, got, w.want.oracleAnswer, w.want.trail, w.want.wire, w.want.inner)
}

// agreed holds every way of asking against the oracle.
func (p *progRun) agreed(q progAsked) string {
	if fault := p.served(q); fault != "" {
		return fault
	}
	rt, r := p.live[q.root], q.request
	m := rt.Lookup(&r)
	if fault := p.w.differs("Lookup", q, p.w.matched(m)); fault != "" {
		return fault
	}
	trace := rt.Explain(&r)
	for _, fault := range []string{matchFault(trace.Match, m), stepsFault(trace), drawingFault(trace.String())} {
		if fault != "" {
			return p.w.differs("Explain", q, fault+"\n"+trace.String())
		}
	}
	h, pattern := rt.Handler(&r)
	if pattern != p.w.want.pattern {
		return p.w.differs("Handler", q, fmt.Sprintf("pattern %q", pattern))
	}
	if hit := p.w.want.hit; p.w.want.status == http.StatusOK && (hit.call.fails || hit.call.mux) {
		return "" // without its router, the request does not tell whose errors these are
	}
	p.w.direct = true
	defer func() { p.w.direct = false }()
	return p.w.differs("Handler", q, p.w.serve(h, q.enumRequest))
}

// matched says how Lookup's answer differs.
func (w *progWriter) matched(m segue.Match) string {
	want, chain := w.want, 0
	if want.pattern != "" {
		chain = len(want.hit.scope.chain())
	}
	location, allow := want.location, want.allow
	if want.inner != "" {
		location, allow = "", "" // those were the ServeMux's
	}
	if m.Status == want.status && m.Route.Pattern == want.pattern && m.Location == location && m.Allow == allow && maps.Equal(m.Params, want.params) &&
		len(m.Route.Middleware) == chain {
		return ""
	}
	return fmt.Sprintf("%+v", m)
}

// count notes what kind of answer this was.
func (p *progRun) count(q progAsked, a oracleReply) {
	if p.reached == nil {
		return
	}
	p.reach(fmt.Sprint("status ", a.status), 1)
	hit, path := a.hit, oracleClean(q.escaped)
	twice := func(s *oracleScope) bool {
		return hit != nil && s.oracleRouter == hit.scope.oracleRouter && s != hit.scope
	}
	kinds := map[string]bool{
		"in a router mounted twice":        slices.ContainsFunc(p.tree(q.root).scopes, twice),
		"served in the other spelling":     a.status == 200 && hit.path == oracleOtherSpelling(path),
		"redirected to the other spelling": a.status == 307 && path == q.escaped,
		"redirected to the clean path":     a.status == 307 && path != q.escaped,
		"by a host":                        a.hit != nil && a.hit.host.name != "",
		"by a host's parameter":            a.hit != nil && a.hit.host.label != "",
		"in a mount on a host":             a.hit != nil && a.hit.scope.host != "",
		"a miss of a host's router":        a.status == 404 && a.owner.host != "",
		"in a mount":                       a.hit != nil && a.hit.scope.prefix != "",
		"in a plain mount":                 a.inner != "",
		"in a mounted ServeMux":            a.inner != "" && a.hit.call.mux,
		"with parameters":                  len(a.params) > 1,
		"without PathValues":               a.status == 200 && len(a.params) > 0 && !a.hit.scope.fills,
		"a middleware ran":                 len(a.trail) > 0 && strings.Contains(a.trail[0], "."),
		"NotFound ran":                     a.wire == oracleNotFound,
		"MethodNotAllowed ran":             a.wire == oracleNotAllowed,
		"an error handler ran":             a.wire == oracleAnswered || a.wire == oracleReplaced,
		"a middleware failed":              a.wire == oracleStopped,
		"a handler failed":                 a.wire == oracleFailed,
		"an unclean path served":           a.status == 200 && oracleClean(a.hit.path) != a.hit.path,
	}
	for kind, is := range kinds {
		if is {
			p.reach(kind, 1)
		}
	}
}

// The whole of a program.

// runProgram runs a program and says what is wrong, "" if nothing is. After
// every step each request so far is served again.
func runProgram(ops []progOp, reached progReached) (fault string) {
	p := newProgRun(reached)
	for i := 0; i < len(ops) && fault == ""; i++ {
		op := ops[i]
		switch {
		case !op.asks():
			fault = cmp.Or(p.change(op), p.each(p.served))
		case p.live[op.router] == nil:
		case op.variant%2 == 1 && i+1 < len(ops) && ops[i+1].fitsDuring():
			i++
			fault = cmp.Or(p.servedDuring(p.ask(op), ops[i]), p.each(p.served))
		default:
			fault = p.served(p.ask(op))
		}
	}
	for _, check := range []func() string{func() string { return p.each(p.agreed) }, p.listed, p.builtAtOnce, p.builtInAnotherOrder, p.asServeMux} {
		if fault == "" {
			fault = check()
		}
	}
	return fault
}

// change does a step and keeps it.
func (p *progRun) change(op progOp) (fault string) {
	done, fault := p.apply(op)
	if done {
		p.accepted = append(p.accepted, op)
		p.reach("a live change", min(1, len(p.asked)))
	} else {
		p.refused = append(p.refused, op)
	}
	return fault
}

func (p *progRun) ask(op progOp) progAsked {
	q := progAsked{op.router, newEnumRequest(op.method, op.host, op.path)}
	p.asked = append(p.asked, q)
	return q
}

func (p *progRun) each(do func(progAsked) string) (fault string) {
	for _, q := range p.asked {
		if fault = do(q); fault != "" {
			break
		}
	}
	return fault
}

// fitsDuring reports whether a request on its way must not notice the step. An
// error list is found when an error happens, and so is the one of that moment.
// Under purego a changed chain is passed by those on their way too.
func (op progOp) fitsDuring() bool {
	return !op.asks() && op.kind != progOnError && (!testkit.Purego || op.kind != progUse)
}

// servedDuring changes the routers when the request has matched and its first
// middleware or handler runs. It must finish on what it started with.
func (p *progRun) servedDuring(q progAsked, op progOp) string {
	p.expect(q)
	changed := ""
	do := func() {
		changed = p.change(op)
		r := q.request
		p.live[q.root].Lookup(&r) // compiles
	}
	p.w.during = do
	served := p.w.differs("ServeHTTP, changed meanwhile,", q, p.w.serve(p.live[q.root], q.enumRequest))
	if p.w.during != nil {
		p.w.during = nil
		do()
	} else {
		p.reach("a change during a request", 1)
	}
	return cmp.Or(changed, served)
}

// listed holds what Routes lists against the oracle's routes, each with as many
// middlewares as lie on its way.
func (p *progRun) listed() string {
	var got, want []string
	for r := range p.live[0].Routes() {
		got = append(got, fmt.Sprint(r.Pattern, " ", len(r.Middleware)))
	}
	for _, r := range p.tree(0).routes {
		want = append(want, fmt.Sprint(r.pattern, " ", len(r.scope.chain())))
	}
	slices.Sort(got)
	slices.Sort(want)
	if slices.Equal(got, want) {
		return ""
	}
	return fmt.Sprintf("Routes lists %q, the oracle %q", got, want)
}

// builtAtOnce takes the accepted steps again, with no request between them.
func (p *progRun) builtAtOnce() string {
	again, fault := p.rebuilt(p.accepted)
	if fault = cmp.Or(fault, again.each(again.served)); fault != "" {
		return "built at once: " + fault
	}
	return ""
}

// rebuilt is the outcome of steps that must all be accepted.
func (p *progRun) rebuilt(ops []progOp) (again *progRun, fault string) {
	again = newProgRun(nil)
	again.asked = p.asked
	for _, op := range ops {
		if done, fault := again.apply(op); !done {
			return again, cmp.Or(fault, fmt.Sprintf("%v\nis not taken again", op))
		}
	}
	return again, ""
}

// builtInAnotherOrder takes the accepted steps in the program's other order.
// What was refused must be refused still, since what it was refused for is
// there, and change nothing. Then all is compiled once more with the budget spent.
func (p *progRun) builtInAnotherOrder() string {
	again, fault := p.rebuilt(progPermuted(p.accepted))
	fault = cmp.Or(fault, again.each(again.served), p.each(func(q progAsked) string { return p.same(again, q) }))
	for _, op := range p.refused {
		if done, f := again.apply(op); fault == "" && (done || f != "") {
			fault = cmp.Or(f, fmt.Sprintf("%v\nwas refused, and is no longer", op))
		}
	}
	if fault = cmp.Or(fault, again.each(again.served)); fault != "" {
		return "in another order: " + fault
	}
	p.reach("steps side by side", again.spend())
	if fault = again.each(again.served); fault != "" {
		return "compiled without a budget: " + fault
	}
	return ""
}

// same holds the oracle's answers in the two orders against one another.
func (p *progRun) same(other *progRun, q progAsked) string {
	p.expect(q)
	other.expect(q)
	a, b := p.w.want, other.w.want
	if a.oracleAnswer.String() == b.oracleAnswer.String() && slices.Equal(a.trail, b.trail) && a.wire == b.wire && a.inner == b.inner {
		return ""
	}
	return fmt.Sprintf("%v\n%v trail %q\n%v trail %q", q, a.oracleAnswer, a.trail, b.oracleAnswer, b.trail)
}

// progPermuted puts steps in the order that they carry, as far as it makes no
// difference by the documentation: a router is made before it is used, and what
// is set twice on one router, or added to a list there, keeps its order. So do
// the mounts of one router, since of two at one prefix that both have a
// NotFound the first owns the misses.
func progPermuted(ops []progOp) (ordered []progOp) {
	left := slices.Clone(ops)
	for len(left) > 0 {
		next := 0
		for i, op := range left {
			if op.order < left[next].order && !slices.ContainsFunc(left[:i], op.follows) {
				next = i
			}
		}
		ordered = append(ordered, left[next])
		left = slices.Delete(left, next, next+1)
	}
	return ordered
}

// follows reports whether op must stay behind an earlier step.
func (op progOp) follows(earlier progOp) bool {
	makes := earlier.kind == progMount || earlier.kind == progGroup || earlier.kind == progWith
	if makes && (earlier.child == op.router || earlier.child == op.child) {
		return true
	}
	isRoute := op.kind == progHandle || op.kind == progVerb
	return earlier.router == op.router && !isRoute && (earlier.kind == op.kind || earlier.mounts() && op.mounts())
}

func (op progOp) mounts() bool { return op.kind >= progMount && op.kind <= progWith }

// spend leaves the root without a budget for any of its hosts, so that nothing
// is merged, and returns how many steps of the requests go side by side then.
func (p *progRun) spend() (wide int) {
	hosts := []string{""}
	for _, r := range p.tree(0).routes {
		host := r.host.name
		if r.host.label != "" {
			host = "{spends}." + host
		}
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	for _, host := range hosts {
		spendBudget(p.live[0], host)
	}
	for _, q := range p.asked {
		if r := q.request; q.root == 0 {
			wide += wideSteps(p.live[0], &r)
		}
	}
	return wide
}

// asServeMux takes what the root has by Handle alone, as far as a ServeMux
// takes it, and has router, oracle and ServeMux answer the requests.
func (p *progRun) asServeMux() string {
	var s enumSet
	for _, call := range p.model[0].calls {
		more := enumSet{routes: append(slices.Clip(s.routes), muxRoute(call.pattern))}
		if !call.verb && more.serveMux() != nil {
			s = more
		}
	}
	if s = s.withOracle(); len(s.routes) == 0 {
		return ""
	}
	router, err := s.router()
	if err != nil {
		return fmt.Sprintf("%vas ServeMux takes them: %v", s, err)
	}
	c, w, m := new(enumCheck), &enumWriter{header: http.Header{}, set: s}, s.serveMux()
	fault := p.each(func(q progAsked) string {
		if fault := c.fault(w, router, m, q.enumRequest); fault != "" {
			return fmt.Sprintf("%v%v\n%s", s, q, fault)
		}
		return ""
	})
	p.reach("compared with ServeMux", int(c.muxes.Load()))
	return fault
}

// shrunk drops the steps without which the program fails as well.
func shrunk(ops []progOp) []progOp {
	for i := 0; i < len(ops); {
		less := slices.Delete(slices.Clone(ops), i, i+1)
		if runProgram(less, nil) != "" {
			ops = less
		} else {
			i++
		}
	}
	return ops
}

// report says what a program does wrong, with as few steps as it takes.
func reportProgram(ops []progOp) string {
	var b strings.Builder
	ops = shrunk(ops)
	for _, op := range ops {
		fmt.Fprintf(&b, "%v\n", op)
	}
	return b.String() + runProgram(ops, nil)
}
