//go:build playground

package engine

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/segue-go/segue"
)

// An Answer is what a router does with a request.
type Answer struct {
	Status   int
	Pattern  string
	Params   []Param
	Location string
	Allow    string
	Line     int
	Name     string   // of the handler
	Panic    string   // ServeMux does, on some CONNECT requests
	Ran      []string // the middlewares that ran, outermost first
}

// A Param is a parameter in the order of the pattern.
type Param struct{ Name, Value string }

// An Explanation is a request followed through both routers.
type Explanation struct {
	Segue, Mux Answer
	Lookup     Answer // what segue says without serving
	Steps      []Step
	Notes      []string
	Nearest    []Near
	Text       string // the trace as a terminal shows it

	Differs []string // what of the answers differs: "status", "Allow"
	Reasons []string // why
	Miss    *Miss    // nil where a route answers
	Example *Example // a request that a route answers, where none answers this one
	Method  string   // the method that this one is a slip of, "" if it is none
}

// A Miss is an answer that no route gives.
type Miss struct {
	Prefix      string // of the router that it is about
	Line        int    // where that router is mounted, 0 for the outermost
	Handler     string // the handler for misses that answered, "" for the router's own text
	HandlerLine int
}

// An Example is a request that a route answers.
type Example struct{ Method, Host, Target, Pattern string }

// A Step is one of segue's steps with the nodes to light.
type Step struct {
	Segment, Kind, Name, Value, Rule string
	Node, Open                       []string
	Wide                             bool
	Way                              string   // the node of the source trie on the winner's way
	Others                           []string // the other branches that are open
	Compiled                         []int    // the nodes of the compiled trie
}

// A Near is a route that a miss comes near to.
type Near struct {
	Pattern, Why string
	Line         int
}

// Explain follows a request. preflight is the method that a CORS preflight asks
// for, "" for any other request.
func (s *Set) Explain(method, host, target, preflight string) (*Explanation, error) {
	r, err := newRequest(method, host, target)
	if err != nil {
		return nil, err
	}
	if preflight != "" {
		r.Header.Set("Access-Control-Request-Method", preflight)
	}
	trace := s.router.Explain(r)
	if m := markOf(trace.Match.Route); m.line > 0 {
		trace.Match.Route.File, trace.Match.Route.Line = "routes", m.line // the reader's line, and not this program's
	}
	answered, by := serve(s.router, r)
	muxAnswer, _ := serve(s.mux, r)
	e := &Explanation{
		Segue:  answered,
		Mux:    muxAnswer,
		Lookup: answerOf(trace.Match),
		Notes:  trace.Notes(),
		Text:   trace.String(),
	}
	e.Segue.Pattern = cmp.Or(e.Segue.Pattern, trace.Match.Route.Pattern)
	for i, near := range trace.Nearest {
		e.Nearest = append(e.Nearest, Near{near.Pattern, trace.Why()[i], markOf(near).line})
	}
	e.Steps = s.steps(trace, method, r.Host)
	if e.Differs = differences(e.Segue, e.Mux); len(e.Differs) > 0 {
		e.Reasons = s.reasons(r)
	}
	e.Miss = s.miss(r, by)
	if e.Segue.Status == http.StatusNotFound {
		e.Example = s.example(trace.Nearest)
	}
	if !slices.Contains(s.Methods, method) {
		e.Method = slip(method, words[:methodWords])
	}
	return e, nil
}

// miss tells which router an answer is about that no route gives.
func (s *Set) miss(r *http.Request, by *missMark) *Miss {
	about := s.router.About(r)
	if about == nil {
		return nil
	}
	at := s.places[about]
	m := &Miss{Prefix: at.prefix, Line: at.line}
	if by != nil {
		m.Handler, m.HandlerLine = by.name, by.line
	}
	return m
}

// example is a request that a route answers: one of those that came near to a
// miss, else the first.
func (s *Set) example(nearest []segue.Route) *Example {
	const enough = 32 // who would look further
	all := slices.Clone(nearest)
	for _, r := range s.Routes {
		all = append(all, segue.Route{Method: r.Method, Host: r.Host, Pattern: r.Pattern})
	}
	for _, route := range all[:min(len(all), enough)] {
		x := Example{cmp.Or(route.Method, http.MethodGet), exampleHost(route.Host), examplePath(route.Pattern), route.Pattern}
		r, err := newRequest(x.Method, x.Host, x.Target)
		if err != nil {
			continue
		}
		if m := s.router.Lookup(r); m.Status == http.StatusOK && m.Route.Pattern == route.Pattern {
			return &x
		}
	}
	return nil
}

// newRequest is the request that a server would make of a request line.
func newRequest(method, host, target string) (*http.Request, error) {
	if method == "" {
		return nil, errors.New("a request needs a method")
	}
	u, err := url.ParseRequestURI(target)
	switch {
	case method == http.MethodConnect && !strings.HasPrefix(target, "/"):
		u = &url.URL{Host: target} // what net/http makes of a host and port
	case err != nil:
		return nil, errors.New("this is no request target: it begins with a slash, and what is special in it is encoded")
	}
	host = cmp.Or(u.Host, host, "localhost")
	return &http.Request{Method: method, URL: u, Host: host, RequestURI: target, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}}, nil
}

func answerOf(m segue.Match) Answer {
	a := Answer{Status: m.Status, Pattern: m.Route.Pattern, Location: m.Location, Allow: m.Allow}
	a.Line, a.Name = markOf(m.Route).line, markOf(m.Route).name
	if m.Status == http.StatusOK {
		for _, name := range namesIn(m.Route.Pattern) {
			a.Params = append(a.Params, Param{name, m.Params[name]})
		}
	}
	return a
}

// A recorder is the writer of one request.
type recorder struct {
	header     http.Header
	answer     Answer
	ran        []string
	answeredBy *missMark
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if w.answer.Status == 0 {
		w.answer.Status = status
	}
}

func (w *recorder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return len(b), nil
}

// see is called by the handler that answers.
func (w *recorder) see(m *mark, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	w.answer.Pattern, w.answer.Line, w.answer.Name = r.Pattern, m.line, m.name
	for _, name := range namesIn(r.Pattern) {
		w.answer.Params = append(w.answer.Params, Param{name, r.PathValue(name)})
	}
}

// serve has a router answer a copy of the request, and tells which handler for
// misses answered it.
func serve(h http.Handler, r *http.Request) (a Answer, by *missMark) {
	w, r2 := &recorder{header: http.Header{}}, r.Clone(r.Context())
	defer func() {
		if v := recover(); v != nil {
			a = Answer{Pattern: r2.Pattern, Panic: fmt.Sprint(v)}
		}
	}()
	h.ServeHTTP(w, r2)
	w.answer.Location, w.answer.Allow, w.answer.Ran = w.header.Get("Location"), w.header.Get("Allow"), w.ran
	if w.answer.Status == http.StatusTemporaryRedirect {
		w.answer.Pattern = r2.Pattern
	}
	return w.answer, w.answeredBy
}

// steps adds to segue's steps which nodes to light.
func (s *Set) steps(trace segue.Trace, method, host string) []Step {
	way := wayOf(trace)
	lit := s.litNodes(trace, method, host)
	var steps []Step
	for i, t := range trace.Steps {
		step := Step{
			Segment: t.Segment, Kind: t.Kind, Name: t.Name, Value: t.Value, Rule: t.Rule, Node: t.Node, Wide: t.Wide,
			Open: patterns(t.Open), Compiled: lit[i],
		}
		prefix := s.prefix(trace, i)
		if len(t.Node)+len(t.Open) > 0 {
			step.Way = prefix + way.until(i+1)
		}
		for _, name := range t.Node {
			if key := prefix + keyOf(name); key != step.Way {
				step.Others = append(step.Others, key)
			}
		}
		steps = append(steps, step)
	}
	return steps
}

// prefix is the part of the source trie that a step goes along: a host's, or
// that of the routes without one.
func (s *Set) prefix(trace segue.Trace, step int) string {
	for i := step; i >= 0; i-- {
		if open := trace.Steps[i].Open; len(open) > 0 {
			if open[0].Host != "" {
				return "//" + hostKey(open[0].Host)
			}
			return "/"
		}
	}
	return "/"
}

func keyOf(path string) string {
	return way(Keys(path)).until(-1)
}

type way []Segment

// until is the key of the first n segments; the rest takes all from it on.
func (w way) until(n int) string {
	if n < 0 || n > len(w) {
		n = len(w)
	}
	var b strings.Builder
	for _, seg := range w[:n] {
		b.WriteString("|" + seg.Key)
	}
	return b.String()
}

// wayOf is the path of the route that answers, or of the one that got furthest.
func wayOf(trace segue.Trace) way {
	if path := trace.Match.Route.Path; path != "" {
		return Keys(path)
	}
	var best way
	for _, s := range trace.Steps {
		switch {
		case len(s.Open) > 0:
			best = Keys(s.Open[0].Path)
		case len(s.Node) > 0:
			best = Keys(s.Node[0])
		}
	}
	return best
}

func patterns(routes []segue.Route) []string {
	all := []string{}
	for _, r := range routes {
		all = append(all, r.Pattern)
	}
	return all
}
