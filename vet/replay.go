package vet

// This file finds wrong patterns and conflicts. It makes the registrations of a
// function again, on a real segue.Router or http.ServeMux, so that what is
// reported is what the program would panic with. Two registrations meet on one
// router only if the second one cannot run without the first.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	"golang.org/x/tools/go/analysis"

	"github.com/segue-go/segue"
)

// replayFile replays each function of a file.
func replayFile(p *program, file *ast.File) {
	changes := p.changes()
	ast.Inspect(file, func(n ast.Node) bool {
		switch fn := n.(type) {
		case *ast.FuncDecl:
			p.replay(fn.Body, changes)
		case *ast.FuncLit:
			p.replay(fn.Body, changes)
		}
		return true
	})
}

// changes are the assignments to the variables and fields of a package.
type changes struct {
	values map[types.Object][]ast.Expr // nil for a value that is not one expression
	in     map[types.Object][]types.Object
}

func (p *program) changes() *changes {
	if p.changed != nil {
		return p.changed
	}
	c := &changes{map[types.Object][]ast.Expr{}, map[types.Object][]types.Object{}}
	p.changed = c
	set := func(at ast.Node, left, right []ast.Expr) {
		for i, l := range left {
			obj := p.object(l)
			if obj == nil {
				continue
			}
			var value ast.Expr
			if len(left) == len(right) {
				value = right[i]
			}
			c.values[obj] = append(c.values[obj], value)
			c.in[obj] = append(c.in[obj], p.declaredIn(at))
		}
	}
	for _, file := range p.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				set(n, n.Lhs, n.Rhs)
			case *ast.ValueSpec:
				if len(n.Values) > 0 {
					set(n, identsOf(n.Names), n.Values)
				}
			case *ast.RangeStmt:
				set(n, []ast.Expr{n.Key, n.Value}, nil)
			case *ast.UnaryExpr:
				t := p.TypesInfo.TypeOf(n.X)
				if _, isPointer := types.Unalias(t).(*types.Pointer); n.Op == token.AND && (isPointer || !isRouter(t)) {
					set(n, []ast.Expr{n.X, n.X}, nil) // may be set from anywhere
				}
			}
			return true
		})
	}
	return c
}

func identsOf(names []*ast.Ident) []ast.Expr {
	var list []ast.Expr
	for _, name := range names {
		list = append(list, name)
	}
	return list
}

// object returns the variable or field that an expression names, nil for
// anything else.
func (p *program) object(e ast.Expr) types.Object {
	switch e := e.(type) {
	case *ast.Ident:
		if v, ok := p.TypesInfo.ObjectOf(e).(*types.Var); ok {
			return v.Origin()
		}
	case *ast.SelectorExpr:
		if v, ok := p.TypesInfo.ObjectOf(e.Sel).(*types.Var); ok {
			return v.Origin()
		}
	case *ast.ParenExpr:
		return p.object(e.X)
	}
	return nil
}

// declaredIn returns the declared function that a node is part of, nil if there
// is none.
func (p *program) declaredIn(n ast.Node) types.Object {
	for ; n != nil; n = p.parents[n] {
		if fn, ok := n.(*ast.FuncDecl); ok {
			return p.TypesInfo.Defs[fn.Name]
		}
	}
	return nil
}

// A step is a registration and the list of statements that it is part of.
type step struct {
	*registration
	list ast.Node
}

// replay replays the registrations of a function's own body, list by list.
func (p *program) replay(body *ast.BlockStmt, c *changes) {
	if body == nil {
		return
	}
	var steps []step
	var lists []ast.Node
	calls := map[types.Object]bool{}
	usable := !p.meansToPanic(body)
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.DeferStmt, *ast.GoStmt:
			return false
		case *ast.BranchStmt:
			usable = usable && n.Tok != token.GOTO
		case *ast.CallExpr:
			if fn := p.callee(n); fn != nil {
				calls[fn] = true
			}
			if reg := p.registration(n); reg != nil && !(reg.mux && p.oldMux) {
				list := p.listOf(n)
				if !slices.Contains(lists, list) {
					lists = append(lists, list)
				}
				steps = append(steps, step{reg, list})
			}
		}
		return true
	})
	if !usable {
		return
	}
	// A call's receiver is a call that runs before it, and ends before it.
	slices.SortStableFunc(steps, func(a, b step) int { return int(a.call.End() - b.call.End()) })
	for _, list := range lists {
		rp := &replay{program: p, changes: c, fn: p.declaredIn(body), calls: calls,
			routers: map[key]*segue.Router{}, muxes: map[key]*muxLog{}, made: map[*ast.CallExpr]*segue.Router{}}
		for _, s := range steps {
			if s.list == list || contains(s.list, list) && s.call.End() <= list.Pos() {
				rp.quiet = s.list != list
				rp.do(s.registration)
			}
		}
	}
}

// listOf returns the innermost list of statements around a node.
func (p *program) listOf(n ast.Node) ast.Node {
	for {
		switch n = p.parents[n]; n.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return n
		}
	}
}

func contains(outer, inner ast.Node) bool {
	return outer.Pos() <= inner.Pos() && inner.End() <= outer.End()
}

// A key is a router that an expression names: a variable, and the fields on the
// way from there.
type key struct {
	root types.Object
	path string
}

// A replay is the routers of one list of statements, made again.
type replay struct {
	*program
	*changes
	fn      types.Object          // the declared function, nil for a variable's initializer
	calls   map[types.Object]bool // functions that it calls
	routers map[key]*segue.Router
	muxes   map[key]*muxLog
	made    map[*ast.CallExpr]*segue.Router // by Group and With
	quiet   bool                            // the step belongs to another list, which reports it
}

// A muxLog is an http.ServeMux and where its patterns stand.
type muxLog struct {
	http.ServeMux
	places map[string]token.Pos
}

// key returns the router that an expression names, false if it may name
// different routers at different times.
func (rp *replay) key(e ast.Expr) (key, bool) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return rp.key(e.X)
	case *ast.StarExpr:
		return rp.key(e.X)
	case *ast.UnaryExpr:
		return rp.key(e.X)
	case *ast.Ident:
		obj := rp.object(e)
		return key{obj, ""}, obj != nil && rp.stays(obj)
	case *ast.SelectorExpr:
		obj := rp.object(e)
		if obj == nil || !rp.stays(obj) {
			return key{}, false
		}
		if rp.TypesInfo.Selections[e] == nil {
			return key{obj, ""}, true // another package's variable
		}
		k, ok := rp.key(e.X)
		return key{k.root, k.path + "." + obj.Name()}, ok
	}
	return key{}, false
}

// stays reports whether a variable keeps its value while the function runs.
func (rp *replay) stays(obj types.Object) bool {
	v := obj.(*types.Var)
	here, most := 0, 1
	for _, fn := range rp.in[obj] {
		switch {
		case fn == rp.fn:
			here++
		case fn != nil && rp.calls[fn]:
			return false
		}
	}
	if _, isPointer := v.Type().Underlying().(*types.Pointer); v.Kind() == types.ParamVar || !isPointer && isRouter(v.Type()) {
		most = 0 // it has a value before the first assignment
	}
	if v.IsField() {
		return here <= most // others set it in other values of the struct
	}
	return len(rp.values[obj]) <= most
}

// router returns the router that stands for an expression's.
func (rp *replay) router(e ast.Expr) *segue.Router {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		if rt := rp.made[call]; rt != nil {
			return rt
		}
		return segue.New()
	}
	k, ok := rp.key(e)
	if !ok {
		return segue.New()
	}
	if rp.routers[k] == nil {
		rp.routers[k] = segue.New()
		if values := rp.values[k.root]; k.path == "" && len(values) == 1 && values[0] != nil && isRouter(rp.TypesInfo.TypeOf(values[0])) {
			rp.routers[k] = rp.router(values[0]) // a group, or another name for a router
		}
	}
	return rp.routers[k]
}

// do makes a registration and reports what it panics with.
func (rp *replay) do(reg *registration) {
	pattern, known := rp.text(reg.pattern)
	var method string
	if reg.method != nil {
		var ok bool
		method, ok = rp.text(reg.method)
		known = known && ok
	}
	if reg.mux {
		if known {
			rp.doMux(reg, pattern)
		}
		return
	}
	rt := rp.router(reg.router)
	switch reg.name {
	case "With":
		rp.made[reg.call] = rt.With()
		return
	case "Use":
		return
	case "Group":
		rp.made[reg.call] = segue.New()
	}
	if !known {
		return
	}
	err := panicOf(func() {
		switch reg.name {
		case "Group":
			rp.made[reg.call] = rt.Group(pattern)
		case "Static":
			rt.Static(pattern, segue.Files{FS: fstest.MapFS{}})
		case "Handle", "HandleFunc":
			rt.Handle(pattern, placed(reg.pattern.Pos()))
		case "Mount":
			rp.mount(rt, pattern, reg.handler)
		case "Any":
			rt.Any(pattern, placed(reg.pattern.Pos()))
		case "Method":
			rt.Method(method, pattern, placed(reg.pattern.Pos()))
		default:
			rt.Method(verbs[reg.name], pattern, placed(reg.pattern.Pos()))
		}
	})
	switch err := err.(type) {
	case *segue.PatternError:
		rp.reportPattern(reg, pattern, err)
	case *segue.ConflictError:
		_, example, _ := strings.Cut(err.Error(), ", for example ")
		rp.reportConflict(reg, err.New.Pattern, err.Old.Pattern, placeIn(err.Old.Handler), "for example "+strings.Fields(example)[0])
	}
}

// mount mounts what a handler's type tells about it. An interface may hold a
// router, whose routes are not known, or any other handler.
func (rp *replay) mount(rt *segue.Router, prefix string, handler ast.Expr) {
	switch t := rp.TypesInfo.TypeOf(handler); {
	case isType(t, seguePath, "Router"):
		rt.Mount(prefix, rp.router(handler))
	case types.IsInterface(t):
		rt.Mount(prefix, segue.New())
	default:
		rt.Mount(prefix, placed(handler.Pos()))
	}
}

func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// placed returns a handler that knows where it was registered: see placeIn.
func placed(pos token.Pos) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) { r.ContentLength = int64(pos) }
}

func placeIn(h http.Handler) token.Pos {
	r := new(http.Request)
	if f, ok := h.(http.HandlerFunc); ok && f != nil {
		f(nil, r)
	}
	return token.Pos(r.ContentLength)
}

var (
	offsetOf  = regexp.MustCompile(`(?s)at offset (\d+): (.*)`)
	placeText = regexp.MustCompile(` \(registered at [^)]*\)`)
	conflict  = regexp.MustCompile(`(?s) conflicts with pattern ("(?:[^"\\]|\\.)*"):\n(.*)`)
)

// doMux makes a registration on an http.ServeMux. It refuses with a text.
func (rp *replay) doMux(reg *registration, pattern string) {
	mux := &muxLog{places: map[string]token.Pos{}}
	if k, ok := rp.muxKey(reg); ok {
		if rp.muxes[k] == nil {
			rp.muxes[k] = mux
		}
		mux = rp.muxes[k]
	}
	refusal := panicOf(func() { mux.Handle(pattern, http.NotFoundHandler()) })
	if refusal == nil {
		mux.places[pattern] = reg.pattern.Pos()
		return
	}
	text := placeText.ReplaceAllString(fmt.Sprint(refusal), "")
	if m := conflict.FindStringSubmatch(text); m != nil {
		old, _ := strconv.Unquote(m[1])
		rp.reportConflict(reg, pattern, old, mux.places[old], strings.ReplaceAll(m[2], "\n", " "))
		return
	}
	// segue refuses it too, and says how to write it.
	err, ok := panicOf(func() { segue.New().Handle(pattern, http.NotFoundHandler()) }).(*segue.PatternError)
	if !ok {
		err = &segue.PatternError{Pattern: pattern, Reason: text}
		if m := offsetOf.FindStringSubmatch(text); m != nil {
			err.Offset, _ = strconv.Atoi(m[1])
			err.Reason = m[2]
		}
	}
	rp.reportPattern(reg, pattern, err)
}

func (rp *replay) muxKey(reg *registration) (key, bool) {
	if reg.router != nil {
		return rp.key(reg.router)
	}
	obj := rp.callee(reg.call).Pkg().Scope().Lookup("DefaultServeMux")
	return key{obj, ""}, obj != nil && rp.stays(obj)
}

func (rp *replay) reportPattern(reg *registration, text string, err *segue.PatternError) {
	if rp.quiet {
		return
	}
	at := reg.pattern
	offset := err.Offset - (len(err.Pattern) - len(text))
	switch {
	case !strings.HasSuffix(err.Pattern, text):
		offset = 0 // joined with a prefix
	case offset < 0 && reg.method != nil:
		at, offset = reg.method, err.Offset
	}
	rp.Report(analysis.Diagnostic{
		Pos: rp.placeOf(at, max(offset, 0)), End: at.End(), Category: "pattern",
		Message: fmt.Sprintf("pattern %q is refused at offset %d: %s", err.Pattern, err.Offset, err.Reason),
	})
}

func (rp *replay) reportConflict(reg *registration, pattern, old string, place token.Pos, why string) {
	if rp.quiet {
		return
	}
	d := analysis.Diagnostic{Pos: reg.pattern.Pos(), End: reg.pattern.End(), Category: "conflict"}
	line := ""
	if place.IsValid() {
		d.Related = []analysis.RelatedInformation{{Pos: place, Message: fmt.Sprintf("%q is registered here", old)}}
		line = fmt.Sprintf(" of line %d", rp.Fset.Position(place).Line)
	}
	d.Message = fmt.Sprintf("pattern %q conflicts with %q%s: %s", pattern, old, line, why)
	rp.Report(d)
}

// meansToPanic reports whether somebody waits for the panic of a wrong
// registration in a function: a recover, or a test's helper.
func (p *program) meansToPanic(body ast.Node) bool {
	for n := body; n != nil; n = p.parents[n] {
		switch fn := n.(type) {
		case *ast.FuncDecl:
			return p.recovers(fn.Body, true)
		case *ast.FuncLit:
			if p.recovers(fn.Body, true) || p.isGivenAway(fn) {
				return true
			}
		}
	}
	return false
}

// isGivenAway reports whether a function literal goes to a function that
// recovers, or in a test to anything but t.Run.
func (p *program) isGivenAway(lit *ast.FuncLit) bool {
	switch parent := p.parents[lit].(type) {
	case *ast.CompositeLit, *ast.KeyValueExpr:
		return p.isTest(lit.Pos())
	case *ast.CallExpr:
		if parent.Fun == lit {
			return false
		}
		fn := p.callee(parent)
		return fn == nil || fn.Name() != "Run" && p.isTest(lit.Pos()) || p.recovers(p.bodyOf(fn), false)
	}
	return false
}

// recovers reports whether a body calls recover, itself or, with deferred, in a
// function of this package that it defers.
func (p *program) recovers(body *ast.BlockStmt, deferred bool) bool {
	found := false
	if body == nil {
		return false
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			if fn := p.callee(n.Call); fn != nil && deferred {
				found = found || p.recovers(p.bodyOf(fn), false)
			}
		case *ast.Ident:
			_, builtin := p.TypesInfo.Uses[n].(*types.Builtin)
			found = found || builtin && n.Name == "recover"
		}
		return !found
	})
	return found
}

// bodyOf returns the body of a function of this package, nil for any other.
func (p *program) bodyOf(fn *types.Func) *ast.BlockStmt {
	for _, file := range p.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && p.TypesInfo.Defs[d.Name] == fn {
				return d.Body
			}
		}
	}
	return nil
}
