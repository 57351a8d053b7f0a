//go:build playground

package engine

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
	Name     string // of the handler
	Panic    string // ServeMux does, on some CONNECT requests
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
}

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

// Explain follows a request.
func (s *Set) Explain(method, host, target string) (*Explanation, error) {
	r, err := newRequest(method, host, target)
	if err != nil {
		return nil, err
	}
	trace := s.router.Explain(r)
	e := &Explanation{
		Segue:  serve(s.router, r),
		Mux:    serve(s.mux, r),
		Lookup: answerOf(trace.Match),
		Notes:  trace.Notes(),
		Text:   trace.String(),
	}
	e.Segue.Pattern = cmp.Or(e.Segue.Pattern, trace.Match.Route.Pattern)
	for i, near := range trace.Nearest {
		e.Nearest = append(e.Nearest, Near{near.Pattern, trace.Why()[i], markOf(near).line})
	}
	e.Steps = s.steps(trace, method, r.Host)
	return e, nil
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
		for _, name := range namesIn(m.Route.Path) {
			if name != "" {
				a.Params = append(a.Params, Param{name, m.Params[name]})
			}
		}
	}
	return a
}

// A recorder is the writer of one request.
type recorder struct {
	header http.Header
	answer Answer
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
		if name != "" {
			w.answer.Params = append(w.answer.Params, Param{name, r.PathValue(name)})
		}
	}
}

// serve has a router answer a copy of the request.
func serve(h http.Handler, r *http.Request) (a Answer) {
	w, r2 := &recorder{header: http.Header{}}, r.Clone(r.Context())
	defer func() {
		if v := recover(); v != nil {
			a = Answer{Pattern: r2.Pattern, Panic: fmt.Sprint(v)}
		}
	}()
	h.ServeHTTP(w, r2)
	w.answer.Location, w.answer.Allow = w.header.Get("Location"), w.header.Get("Allow")
	if w.answer.Status == http.StatusTemporaryRedirect {
		w.answer.Pattern = r2.Pattern
	}
	return w.answer
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
