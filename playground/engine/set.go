//go:build playground

package engine

import (
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
	Refused  []Problem // what ServeMux refused of what segue took
	Routes   []Route
	Methods  []string // that some route names
	Tree     *Tree    // the source trie

	router *segue.Router
	mux    *http.ServeMux

	requests []*http.Request // for Bench
}

// A Problem is a line that was refused.
type Problem struct {
	Line   int
	Text   string // the line
	Column int    // where, in characters, -1 if it is the whole line
	Reason string
	Other  int // the line that it conflicts with, 0 if none
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

// Build registers what the lines say, each on its own.
func Build(text string) *Set {
	s := &Set{router: segue.New(), mux: http.NewServeMux(), Problems: []Problem{}, Refused: []Problem{}, Routes: []Route{}}
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
		}
		if l.kind == mount {
			if child == nil {
				child = segue.New() // lost with its prefix, but its lines are checked
			}
			stack = append(stack, level{l.indent, child})
		}
	}
	s.list()
	return s
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
	case l.kind == handle:
		rt.Handle(l.path, h)
	case l.method == "":
		rt.Any(l.path, h.ServeHTTP)
	default:
		rt.Method(l.method, l.path, h)
	}
	return nil, nil
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
	}
	return p
}

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
		s.Routes = append(s.Routes, Route{m.line, m.name, r.Method, r.Host, r.Pattern, reason == ""})
		if r.Method != "" && !slices.Contains(s.Methods, r.Method) {
			s.Methods = append(s.Methods, r.Method)
		}
	}
	slices.Sort(s.Methods)
	s.Tree = treeOf(routes)
}

func namesIn(path string) []string {
	var names []string
	for seg := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(seg, "{"); ok && seg != "{$}" {
			names = append(names, strings.TrimSuffix(strings.TrimSuffix(name, "}"), "..."))
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
