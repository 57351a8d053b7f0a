//go:build playground

package engine

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/segue-go/segue"
)

// A Set is the routes of one text, in both routers.
type Set struct {
	Problems []Problem // what segue refused, the other lines stay
	Hints    []Problem // what is probably a slip of the hand, though it was taken
	Refused  []Problem // what ServeMux refused of what segue took
	Routes   []Route
	Methods  []string // that some route names
	Program  bool     // the text looks like a program, which Read can read
	Tree     *Tree    // the source trie

	router *segue.Router
	mux    *http.ServeMux
	marks  []*mark // of the routes, in the order of Routes
	places map[*segue.Router]place

	plain, taken *segue.Router   // see reasons
	requests     []*http.Request // for Bench
}

// A place is where a router of the text is mounted.
type place struct {
	prefix string
	line   int // of its mount or with, 0 for the outermost
}

// A Problem is a line that was refused.
type Problem struct {
	Line   int
	Text   string // the line
	Column int    // where, in characters, -1 if it is the whole line
	Reason string
	Other  int    // the line that it conflicts with, 0 if none
	Fix    string // what to write instead, "" if that is not known
}

// A Route is a route that segue took.
type Route struct {
	Line                        int
	Name, Method, Host, Pattern string
	InMux                       bool
}

// mark is the handler of a line. It tells a recorder what it saw, and anybody
// else nothing.
type mark struct {
	line  int
	name  string
	exact bool // a verb: its "/" is that path alone
}

func (m *mark) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch w := w.(type) {
	case *recorder:
		w.see(m, r)
	case *asker:
		w.mark = m
	}
}

// An asker is the writer by which a handler is asked for its mark.
type asker struct {
	http.ResponseWriter
	mark *mark
}

func markIn(h http.Handler) *mark {
	if h == nil {
		return &mark{}
	}
	var a asker
	h.ServeHTTP(&a, nil)
	return a.mark
}

func markOf(r segue.Route) *mark { return markIn(r.Handler) }

// A missMark is the handler of a NotFound or MethodNotAllowed.
type missMark struct {
	line   int
	name   string
	status int
}

func (m *missMark) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if w, ok := w.(*recorder); ok {
		w.answeredBy = m
	}
	w.WriteHeader(m.status)
}

// passing is the middleware of a name: it tells a recorder that it ran.
func passing(name string) segue.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if w, ok := w.(*recorder); ok {
				w.ran = append(w.ran, name)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Build registers what the lines say, each on its own.
func Build(text string) *Set {
	s := &Set{
		router: segue.New(), mux: http.NewServeMux(), places: map[*segue.Router]place{}, Program: LooksLikeProgram(text),
		Problems: []Problem{}, Hints: []Problem{}, Refused: []Problem{}, Routes: []Route{},
	}
	s.places[s.router] = place{prefix: "/"}
	stack := []level{{indent: -1, router: s.router}}
	for i, text := range strings.Split(text, "\n") {
		l := parseLine(i+1, text)
		if l.kind == nothing {
			continue
		}
		for l.indent <= stack[len(stack)-1].indent {
			stack = stack[:len(stack)-1]
		}
		top := stack[len(stack)-1]
		child, err := l.register(top.router)
		if err != nil {
			s.Problems = append(s.Problems, l.problem(err))
		} else {
			s.hint(l)
		}
		if l.kind == mount || l.kind == with {
			if child == nil {
				child = segue.New() // lost with its prefix, but its lines are checked
			}
			s.places[child] = place{below(s.places[top.router].prefix, l), l.number}
			stack = append(stack, level{l.indent, child})
		}
	}
	s.list()
	return s
}

// below is the prefix of a router that a line mounts below another.
func below(prefix string, l line) string {
	path := strings.TrimSuffix(l.path, "/")
	switch {
	case l.kind == with || path == "":
		return prefix
	case prefix == "/":
		return path
	}
	return prefix + path
}

// hint points out a method that is one slip away from a known word.
func (s *Set) hint(l line) {
	if l.kind != verb || l.method == "" {
		return
	}
	known := slip(l.method, words)
	if known == "" || l.verbAt+len(l.method) > len(l.text) {
		return
	}
	s.Hints = append(s.Hints, Problem{
		Line: l.number, Text: l.text, Column: l.characters(l.verbAt),
		Reason: fmt.Sprintf("%s is taken for a method of its own. Is it %s?", l.method, known),
		Fix:    l.text[:l.verbAt] + known + l.text[l.verbAt+len(l.method):],
	})
}

// A level is a router and how far its mount line is indented.
type level struct {
	indent int
	router *segue.Router
}

// register makes what segue panics with an error.
func (l line) register(rt *segue.Router) (child *segue.Router, err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case error:
			child, err = nil, v
		default:
			child, err = nil, fmt.Errorf("%v", v)
		}
	}()
	h := &mark{line: l.number, name: l.name, exact: l.kind == verb}
	switch {
	case l.kind == mount:
		return rt.Group(l.path), nil
	case l.kind == with:
		return rt.With(middlewares(l.names())...), nil
	case l.kind == use && len(l.names()) == 0:
		return nil, errors.New("write the names of the middlewares after use")
	case l.kind == use:
		rt.Use(middlewares(l.names())...)
	case l.kind == setting:
		return nil, l.configure(rt)
	case l.kind == handle:
		rt.Handle(l.path, h)
	case l.method == "":
		rt.Any(l.path, h.ServeHTTP)
	default:
		rt.Method(l.method, l.path, h)
	}
	return nil, nil
}

func middlewares(names []string) []segue.Middleware {
	var all []segue.Middleware
	for _, name := range names {
		all = append(all, passing(name))
	}
	return all
}

// policies are what TrailingSlash can be set to.
var policies = []segue.SlashPolicy{segue.SlashRedirect, segue.SlashExact, segue.SlashEither}

// configure sets what the line says on the router that it stands in.
func (l line) configure(rt *segue.Router) error {
	switch l.method {
	case "NotFound":
		rt.NotFound(&missMark{l.number, cmp.Or(l.path, l.method), http.StatusNotFound})
	case "MethodNotAllowed":
		rt.MethodNotAllowed(&missMark{l.number, cmp.Or(l.path, l.method), http.StatusMethodNotAllowed})
	case "OnError":
		m := &missMark{line: l.number, name: cmp.Or(l.path, l.method)}
		rt.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
			answered := *m
			answered.status, _ = segue.StatusOf(err)
			answered.ServeHTTP(w, r)
			return nil
		})
	case "TrailingSlash":
		for _, p := range policies {
			if p.String() == l.path {
				rt.TrailingSlash(p)
				return nil
			}
		}
		return errors.New("write TrailingSlash SlashRedirect, SlashExact or SlashEither")
	case "CleanPath":
		if l.path != "true" && l.path != "false" {
			return errors.New("write CleanPath true or CleanPath false")
		}
		rt.CleanPath(l.path == "true")
	}
	return nil
}

func (l line) problem(err error) Problem {
	p := Problem{Line: l.number, Text: l.text, Column: -1, Reason: err.Error()}
	var wrong *segue.PatternError
	var conflict *segue.ConflictError
	switch {
	case errors.As(err, &wrong):
		p.Reason = wrong.Reason
		p.Column = l.column(wrong.Pattern, wrong.Offset)
	case errors.As(err, &conflict):
		p.Column = l.column("", 0)
		p.Reason = fmt.Sprintf("matches the same requests as %q", conflict.Old.Pattern)
		p.Other = markOf(conflict.Old).line
	default:
		p.Reason = strings.TrimPrefix(callSites.ReplaceAllString(p.Reason, ""), "segue: ")
	}
	return p
}

// callSites are where an error of segue says that a call stands: always here.
var callSites = regexp.MustCompile(` \(at [^)]*\)$`)

// list reads the routes back from the router and hands them to ServeMux, in
// the order of the lines.
func (s *Set) list() {
	routes := slices.Collect(s.router.Routes())
	slices.SortStableFunc(routes, func(a, b segue.Route) int { return markOf(a).line - markOf(b).line })
	for _, r := range routes {
		m := markOf(r)
		reason := addTo(s.mux, muxPattern(r), m)
		if reason != "" {
			s.Refused = append(s.Refused, Problem{Line: m.line, Text: r.Pattern, Column: -1, Reason: reason})
		}
		s.marks = append(s.marks, m)
		s.Routes = append(s.Routes, Route{m.line, m.name, r.Method, r.Host, r.Pattern, reason == ""})
		if r.Method != "" && !slices.Contains(s.Methods, r.Method) {
			s.Methods = append(s.Methods, r.Method)
		}
	}
	slices.Sort(s.Methods)
	s.Tree = treeOf(routes)
}

// wildcards are the parameters of a pattern, those of its host too.
var wildcards = regexp.MustCompile(`\{([^{}]*)\}`)

// namesIn lists the names of a pattern's parameters.
func namesIn(pattern string) []string {
	var names []string
	for _, m := range wildcards.FindAllStringSubmatch(pattern, -1) {
		if name := strings.TrimSuffix(m[1], "..."); name != "" && name != "$" {
			names = append(names, name)
		}
	}
	return names
}

// muxPattern is what says the same to ServeMux: r.Pattern, but for the one
// pattern that means something else there.
func muxPattern(r segue.Route) string {
	if r.Path == "/" && markOf(r).exact {
		return r.Pattern + "{$}"
	}
	return r.Pattern
}

// places are where ServeMux says that patterns were registered: always here.
var places = regexp.MustCompile(` \(registered at [^)]*\)`)

// addTo returns why ServeMux refuses a pattern.
func addTo(mux *http.ServeMux, pattern string, h http.Handler) (reason string) {
	defer func() {
		if v := recover(); v != nil {
			reason = places.ReplaceAllString(fmt.Sprint(v), "")
		}
	}()
	mux.Handle(pattern, h)
	return ""
}

// A Tree is a node of the source trie.
type Tree struct {
	Key    string // tells nodes apart: the path with nameless wildcards
	Label  string
	Kind   string // literal, parameter, rest, slash or host
	Routes []TreeRoute
	Kids   []*Tree
}

// A TreeRoute is a route that ends at a node.
type TreeRoute struct {
	Method, Pattern, Name string
	Line                  int
}

func treeOf(routes []segue.Route) *Tree {
	top := &Tree{Key: "/", Label: "/", Kind: "literal"}
	for _, r := range routes {
		at := top
		if r.Host != "" {
			at = top.grow("//"+hostKey(r.Host), r.Host, "host")
		}
		for _, seg := range Keys(r.Path) {
			at = at.grow(at.Key+"|"+seg.Key, seg.Label, seg.Kind)
		}
		m := markOf(r)
		at.Routes = append(at.Routes, TreeRoute{r.Method, r.Pattern, m.name, m.line})
	}
	top.sort()
	return top
}

func hostKey(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

func (t *Tree) grow(key, label, kind string) *Tree {
	for _, k := range t.Kids {
		if k.Key == key {
			return k
		}
	}
	k := &Tree{Key: key, Label: label, Kind: kind}
	t.Kids = append(t.Kids, k)
	return k
}

// sort puts kids in the order of which route wins.
func (t *Tree) sort() {
	rank := func(k *Tree) int {
		return slices.Index([]string{"slash", "literal", "parameter", "rest", "host"}, k.Kind)
	}
	slices.SortStableFunc(t.Kids, func(a, b *Tree) int {
		if rank(a) != rank(b) {
			return rank(a) - rank(b)
		}
		return strings.Compare(a.Label, b.Label)
	})
	for _, k := range t.Kids {
		k.sort()
	}
}

// A Segment is one of a pattern's.
type Segment struct{ Key, Label, Kind string }

// Keys takes a path in ServeMux's language apart. The path "/" has none: it is
// the root of the drawing, exact or not.
func Keys(path string) []Segment {
	if path == "/" {
		return nil
	}
	var all []Segment
	parts := strings.Split(path[1:], "/")
	for i, seg := range parts {
		switch {
		case seg == "{$}":
			all = append(all, Segment{"{$}", "/", "slash"})
		case seg == "" && i == len(parts)-1:
			all = append(all, Segment{"{...}", "…", "rest"})
		case strings.HasPrefix(seg, "{") && strings.HasSuffix(seg, "...}"):
			all = append(all, Segment{"{...}", seg, "rest"})
		case strings.HasPrefix(seg, "{"):
			all = append(all, Segment{"{}", seg, "parameter"})
		default:
			all = append(all, Segment{seg, seg, "literal"})
		}
	}
	return all
}
