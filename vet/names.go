package vet

// This file reports names that no pattern has: it knows what names a request can
// have by the sets of flow.go, and which of them the writer may have meant.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	"golang.org/x/tools/go/analysis"

	"github.com/segue-go/segue"
)

// A read is a call that asks a request for a parameter by a constant name.
type read struct {
	arg     ast.Expr
	name    string
	request *set
	v       *types.Var // the variable that holds the request, nil for another expression
}

// read takes in a call of PathValue, Param or ParamAs.
func (f *flow) read(call *ast.CallExpr, request, name ast.Expr) {
	text, known := f.text(name)
	if !known {
		f.leak(request)
		return
	}
	v, _ := f.object(request).(*types.Var)
	f.reads = append(f.reads, &read{arg: name, name: text, request: f.expr(request), v: v})
}

var wildcard = regexp.MustCompile(`\{([^{}$./]+)(?:\.\.\.)?\}`)

// namesOf returns the parameters of a pattern in ServeMux's language.
func namesOf(pattern string) []string {
	var names []string
	for _, m := range wildcard.FindAllStringSubmatch(pattern, -1) {
		names = append(names, m[1])
	}
	return names
}

// shown returns what a registration's r.Pattern shows, false if its text is not
// constant or is refused.
func (f *flow) shown(reg *registration) (text string, known bool) {
	pattern, known := f.text(reg.pattern)
	if reg.name == "With" {
		return "", true
	}
	if !known || reg.mux && f.oldMux {
		return "", false
	}
	rt, h := segue.New(), placed(reg.call.Pos())
	method, isVerb := verbs[reg.name]
	if reg.name == "Method" {
		method, isVerb = f.text(reg.method)
		if !isVerb {
			return "", false
		}
	}
	refusal := panicOf(func() {
		switch {
		case reg.mux:
			(&muxLog{}).Handle(pattern, h)
		case reg.name == "Handle" || reg.name == "HandleFunc":
			rt.Handle(pattern, h)
		case reg.name == "Static":
			rt.Static(pattern, segue.Files{FS: fstest.MapFS{}})
		case isVerb && method == "":
			rt.Any(pattern, h)
		case isVerb:
			rt.Method(method, pattern, h)
		default: // Mount and Group
			rt.Mount(pattern, h)
		}
	})
	if refusal != nil {
		return "", false
	}
	for r := range rt.Routes() {
		pattern = r.Pattern
	}
	return pattern, true
}

// A knowledge is what is known of the requests that a variable can hold.
type knowledge struct {
	names    map[string]bool
	routes   []*route
	open     bool // there may be other names
	several  bool // the request may be one of several routes, since a middleware sees it
	visited  map[object]bool
	patterns []string
}

// know collects what is known of the requests in a set.
func (f *flow) know(requests ...*set) *knowledge {
	k := &knowledge{names: map[string]bool{}, visited: map[object]bool{}}
	for _, s := range requests {
		if s != nil {
			for _, o := range s.order {
				f.learn(k, o, true)
			}
		}
	}
	slices.Sort(k.patterns)
	k.patterns = slices.Compact(k.patterns)
	return k
}

// learn adds what is known of one object. Only what the request itself matched
// counts as one of its patterns, not the prefixes around.
func (f *flow) learn(k *knowledge, o object, own bool) {
	if k.visited[o] {
		return
	}
	k.visited[o] = true
	switch o := o.(type) {
	case outside:
		k.open = true
	case *route:
		for _, name := range o.names {
			k.names[name] = true
		}
		if own {
			k.routes = append(k.routes, o)
			k.patterns = append(k.patterns, o.text)
		}
		if v, ok := f.object(o.receiver()).(*types.Var); len(o.router.order) == 0 && !(ok && v.Kind() == types.ParamVar && isRouter(v.Type())) {
			k.open = true // a parameter without a value belongs to a function that nobody calls
		}
		for _, at := range o.router.order {
			f.learn(k, at, false)
		}
	case *router: // around a route
		k.open = k.open || o.open
		for _, outer := range o.outer.order {
			f.learn(k, outer, false)
		}
	case anyOf:
		k.several = true
		k.open = k.open || o.foreign
		f.learn(k, o.router, false)
		for _, rt := range f.routes {
			if f.isUnder(rt, o.router, map[*router]bool{}) {
				f.learn(k, rt, own && rt.handler != nil && rt.name != "Mount")
				if rt.handler != nil && (rt.handler.has[outside{}] || len(rt.handler.order) == 0) {
					k.open = true // it may be a router
				}
			}
		}
	}
}

// isUnder reports whether a route is registered on a router or on one that is
// mounted in it.
func (f *flow) isUnder(rt *route, in *router, seen map[*router]bool) bool {
	for _, o := range rt.router.order {
		r, ok := o.(*router)
		if !ok || seen[r] {
			continue
		}
		seen[r] = true
		if r == in {
			return true
		}
		for _, outer := range r.outer.order {
			if outer, ok := outer.(*route); ok && f.isUnder(outer, in, seen) {
				return true
			}
		}
	}
	return false
}

// reportNames reports the reads of names that are not there.
func (f *flow) reportNames() {
	if f.anyValue {
		return
	}
	asked := map[*types.Var]map[string]bool{} // the names that a variable is asked for
	for _, rd := range f.reads {
		if rd.v != nil {
			if asked[rd.v] == nil {
				asked[rd.v] = map[string]bool{}
			}
			asked[rd.v][rd.name] = true
		}
	}
	for _, rd := range f.reads {
		k := f.know(rd.request, f.after[rd.v])
		if len(k.patterns) == 0 || k.names[rd.name] || f.values[rd.name] {
			continue
		}
		meant, sure := closest(rd.name, k.names, asked[rd.v])
		if k.open && (!sure || k.several) {
			continue
		}
		f.reportName(rd, k, meant)
	}
}

// reportName reports one read, and offers the name that was meant, "" for none.
func (f *flow) reportName(rd *read, k *knowledge, meant string) {
	var has []string
	for name := range k.names {
		has = append(has, strconv.Quote(name))
	}
	slices.Sort(has)
	patterns := slices.Clone(k.patterns)
	if more := len(patterns) - 3; more > 0 {
		patterns = append(patterns[:3], fmt.Sprintf("%d more", more))
	}
	d := analysis.Diagnostic{Pos: rd.arg.Pos(), End: rd.arg.End(), Category: "name"}
	d.Message = fmt.Sprintf("no parameter %q in %s; there is %s", rd.name, strings.Join(patterns, ", "), strings.Join(has, ", "))
	if len(has) == 0 {
		d.Message = fmt.Sprintf("no parameter %q in %s, nor any other", rd.name, strings.Join(patterns, ", "))
	}
	if meant != "" {
		d.Message += fmt.Sprintf("; did you mean %q?", meant)
		if lit, ok := ast.Unparen(rd.arg).(*ast.BasicLit); ok && lit.Kind == token.STRING {
			d.SuggestedFixes = []analysis.SuggestedFix{{
				Message:   fmt.Sprintf("Write %q", meant),
				TextEdits: []analysis.TextEdit{{Pos: lit.Pos(), End: lit.End(), NewText: []byte(strconv.Quote(meant))}},
			}}
		}
	}
	f.Report(d)
}

// closest returns the one name that the writer of name most likely meant, "" if
// none is close, or several are. A name that the same handler asks for is not
// meant. sure is set if the two differ by capitals and _ alone.
func closest(name string, names, asked map[string]bool) (meant string, sure bool) {
	best, count := 0, 0
	for candidate := range names {
		if asked[candidate] {
			continue
		}
		switch n := likeness(name, candidate); {
		case n > best:
			best, count, meant = n, 1, candidate
		case n == best:
			count++
		}
	}
	if best == 0 || count > 1 {
		return "", false
	}
	return meant, best == 3
}

// likeness is 3 for names that differ by capitals and _ alone, 2 for a letter or
// two, 1 for one that ends in the other, as userID does in id.
func likeness(a, b string) int {
	fold := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	a, b = fold(a), fold(b)
	switch n := min(len(a), len(b)); {
	case a == b:
		return 3
	case n >= 3 && distance(a, b) <= max(1, n/4):
		return 2
	case strings.HasSuffix(a, b) || strings.HasSuffix(b, a):
		return 1
	}
	return 0
}

// distance is the number of bytes to insert, delete, replace or swap with the
// next that makes a of b (F. J. Damerau, 1964).
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
