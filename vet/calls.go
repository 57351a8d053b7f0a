package vet

// This file says what each call does to the sets of flow.go: a registration, a
// call of a function of this package, or one of another package, which is taken
// to pass handlers and requests on unless a fact says that it gives values.

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
)

// analyze follows a whole package.
func analyze(p *program) *flow {
	f := &flow{
		program: p, vars: map[*types.Var]*set{}, exprs: map[ast.Expr]*set{}, calls: map[*ast.CallExpr][]*set{},
		routers: map[any]*router{}, functions: map[ast.Node]*function{}, decls: map[*types.Func]*function{},
		byName: map[string][]*function{}, values: map[string]bool{}, outside: &set{}, after: map[*types.Var]*set{},
	}
	f.closed = p.Pkg.Name() == "main" || strings.HasSuffix(p.Pkg.Name(), "_test")
	f.outside.add(outside{})
	f.out.each(f.escape)
	f.declare()
	for _, file := range p.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil {
				f.look(n)
			}
			return true
		})
	}
	for _, u := range f.uses {
		if len(u.value.order) == 0 {
			u.lost()
		}
	}
	return f
}

// declare makes the functions of the package, and marks those that may be called
// from elsewhere: by another package, or in a file that is not built here.
func (f *flow) declare() {
	elsewhere := f.ignoredNames()
	for _, file := range f.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				obj, ok := f.TypesInfo.Defs[n.Name].(*types.Func)
				if !ok {
					break
				}
				fn := f.funcOf(n, n.Type, n.Body, obj.Signature())
				f.decls[obj] = fn
				if n.Recv != nil {
					f.byName[obj.Name()] = append(f.byName[obj.Name()], fn)
				}
				if obj.Exported() && !f.closed && !f.isSealed(obj) || elsewhere[obj.Name()] {
					f.out.add(fn)
				}
			case *ast.FuncLit:
				f.funcOf(n, n.Type, n.Body, f.TypesInfo.TypeOf(n).(*types.Signature))
			case *ast.Ident:
				if v, ok := f.TypesInfo.Defs[n].(*types.Var); ok && elsewhere[v.Name()] && (v.IsField() || v.Parent() == f.Pkg.Scope()) {
					f.variable(v).add(outside{})
					f.variable(v).flow(&f.out)
				}
			}
			return true
		})
	}
}

// isSealed reports whether fn is the ServeHTTP of a type that no other package can
// name. Only a value of the type, which is followed, takes it out.
func (f *flow) isSealed(fn *types.Func) bool {
	if fn.Name() != "ServeHTTP" || receiver(fn) == nil {
		return false
	}
	t := receiver(fn)
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Exported() {
		return false
	}
	for _, obj := range f.TypesInfo.Defs {
		if v, ok := obj.(*types.Var); ok && v.Embedded() && v.Name() == named.Obj().Name() {
			return false
		}
	}
	return true
}

// ignoredNames returns every name in the files of the package that build
// constraints leave out.
func (f *flow) ignoredNames() map[string]bool {
	names := map[string]bool{}
	for _, name := range f.IgnoredFiles {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		content, err := f.ReadFile(name)
		if err != nil {
			continue
		}
		file, _ := parser.ParseFile(token.NewFileSet(), name, content, parser.SkipObjectResolution)
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				names[id.Name] = true
			}
			return true
		})
	}
	return names
}

// escape lets the world outside have an object.
func (f *flow) escape(o object) {
	switch o := o.(type) {
	case *function:
		for _, v := range o.params {
			if v != nil {
				f.variable(v).add(outside{})
			}
		}
		for _, result := range o.results {
			result.flow(&f.out)
		}
	case *router:
		o.open, o.foreign = true, true
	}
}

// call returns the sets of a call's results.
func (f *flow) call(call *ast.CallExpr) []*set {
	if results, ok := f.calls[call]; ok {
		return results
	}
	n := 1
	if tuple, ok := f.TypesInfo.TypeOf(call).(*types.Tuple); ok {
		n = tuple.Len()
	}
	results := make([]*set, n)
	for i := range results {
		results[i] = &set{}
	}
	f.calls[call] = results
	if n == 0 {
		results = []*set{{}} // of nobody's interest, but spares a question
	}
	switch tv := f.TypesInfo.Types[ast.Unparen(call.Fun)]; {
	case tv.IsType():
		f.expr(call.Args[0]).flow(results[0])
	case tv.IsBuiltin():
		f.builtin(call, results[0])
	default:
		f.callOf(f.callee(call), call, results)
	}
	return f.calls[call]
}

func (f *flow) builtin(call *ast.CallExpr, result *set) {
	if t := f.TypesInfo.TypeOf(call); t != nil && isRouter(t) {
		result.add(f.madeBy(call)) // new
		return
	}
	for _, arg := range call.Args {
		if f.TypesInfo.Types[arg].IsValue() {
			f.expr(arg).flow(result) // append
		}
	}
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && id.Name == "copy" {
		f.assign(call.Args[0], f.expr(call.Args[1]))
	}
}

// callOf is a call of fn, nil for a function value.
func (f *flow) callOf(fn *types.Func, call *ast.CallExpr, results []*set) {
	if reg := f.registration(call); reg != nil {
		f.register(reg, results[0])
		return
	}
	sel, _ := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	switch {
	case fn == nil:
		f.expr(call.Fun).each(func(o object) { f.callObject(o, call, results) })
	case f.decls[fn] != nil:
		f.bind(call, f.decls[fn], results)
	case fn.Name() == "ServeHTTP" && sel != nil && len(call.Args) == 2 && isRequest(f.TypesInfo.TypeOf(call.Args[1])):
		request := f.expr(call.Args[1])
		f.receiverOf(sel).each(func(o object) {
			f.invoke(o, request)
			if o == (outside{}) || o == (foreign{}) {
				f.leak(call.Args[1])
			}
		})
	case receiver(fn) != nil && types.IsInterface(receiver(fn)):
		for _, m := range f.byName[fn.Name()] {
			f.bind(call, m, results)
		}
		if sel != nil { // it may be a router, and the method one that registers
			f.receiverOf(sel).flow(&f.out)
		}
		f.callObject(outside{}, call, results)
	default:
		if !f.standard(fn, sel, call, results[0]) {
			f.passOn(fn.Pkg(), sel, call, results)
		}
	}
}

// callObject is a call of a function value.
func (f *flow) callObject(o object, call *ast.CallExpr, results []*set) {
	switch o := o.(type) {
	case *function:
		f.bind(call, o, results)
	case foreign:
		f.passOn(nil, nil, call, results)
	case outside:
		for _, arg := range call.Args {
			f.expr(arg).flow(&f.out)
			f.leak(arg)
		}
		for _, result := range results {
			result.add(outside{})
		}
	}
}

// bind lets arguments flow to the parameters of a function of this package, and
// its results to the call.
func (f *flow) bind(call *ast.CallExpr, fn *function, results []*set) {
	for i, arg := range f.valuesOf(call.Args, len(fn.params)) {
		at := min(i, len(fn.params)-1)
		if at < 0 || fn.params[at] == nil {
			continue
		}
		if i < len(call.Args) && f.passes(fn, at) {
			// What fn returns serves the argument with its own request.
			arg.flow(results[0])
			f.uses = append(f.uses, use{arg, func() { results[0].add(outside{}) }})
			arg.each(func(o object) {
				if r, ok := o.(*router); ok {
					fn.results[0].each(func(o object) { f.leaves(o, r) })
				}
			})
			continue
		}
		f.hand(arg, f.variable(fn.params[at]))
	}
	for i, result := range fn.results {
		if i < len(results) {
			result.flow(results[i])
		}
	}
}

// leaves notes that a handler has served its request by a router.
func (f *flow) leaves(handler object, r *router) {
	if h, ok := handler.(*function); ok && h.request != nil {
		if f.after[h.request] == nil {
			f.after[h.request] = &set{}
		}
		f.after[h.request].add(anyOf{r, true})
	}
}

// hand lets an argument flow to a parameter. A request may come back with the
// values of a router that served it.
func (f *flow) hand(arg, param *set) {
	arg.flow(param)
	param.each(func(o object) {
		if any, ok := o.(anyOf); ok && any.after {
			arg.add(o)
		}
	})
}

// serve lets each of some handlers serve a request of its own.
func (f *flow) serve(handlers, request *set) {
	handlers.each(func(o object) {
		own := &set{}
		request.flow(own)
		f.invoke(o, own)
	})
}

// invoke lets a handler, or what a middleware makes, serve a request.
func (f *flow) invoke(handler object, request *set) {
	switch h := handler.(type) {
	case *function:
		if h.request != nil {
			f.hand(request, f.variable(h.request))
			return
		}
		for _, result := range h.results {
			result.each(func(o object) {
				if o != handler {
					f.invoke(o, request)
				}
			})
		}
	case *router:
		request.each(func(o object) {
			if any, ok := o.(anyOf); !ok || !any.after { // else its values are written over
				h.outer.add(o)
			}
		})
		request.add(anyOf{h, true})
	case outside:
		request.add(outside{})
	}
}

// register takes in a registration.
func (f *flow) register(reg *registration, result *set) {
	to := &set{}
	if reg.router != nil {
		to = f.receiverOf(ast.Unparen(reg.call.Fun).(*ast.SelectorExpr))
	} else if v, ok := f.callee(reg.call).Pkg().Scope().Lookup("DefaultServeMux").(*types.Var); ok {
		to = f.variable(v)
	}
	request := &set{}
	rt := &route{registration: reg, router: to}
	switch text, known := f.shown(reg); {
	case reg.name == "Use":
	case known:
		rt.text, rt.names = text, namesOf(text)
		request.add(rt)
		f.routes = append(f.routes, rt)
	default:
		request.add(outside{})
		to.each(func(o object) {
			if r, ok := o.(*router); ok {
				r.foreign = true // it has parameters that nobody knows
			}
		})
	}
	if reg.name == "Group" || reg.name == "With" {
		child := f.madeBy(reg.call)
		result.add(child)
		request.flow(child.outer)
		to = result
	}
	for _, mw := range reg.mw {
		f.middleware(to, f.expr(mw), reg.call.Ellipsis.IsValid())
	}
	if reg.handler != nil {
		rt.handler = f.expr(reg.handler)
		f.serve(rt.handler, request)
	}
}

// middleware lets what middlewares return see every request of a router.
func (f *flow) middleware(to, mw *set, spread bool) {
	to.each(func(o object) {
		r, ok := o.(*router)
		if !ok {
			return
		}
		if !spread { // a list may be empty
			f.uses = append(f.uses, use{mw, func() { r.open = true }})
		}
		request := &set{}
		request.add(anyOf{r, false})
		mw.each(func(o object) {
			switch o := o.(type) {
			case *function:
				for _, result := range o.results {
					f.serve(result, request)
				}
			case outside:
				r.open = true
			}
		})
	})
}

// standard takes in the functions of net/http and segue that are known by name,
// false for all others.
func (f *flow) standard(fn *types.Func, sel *ast.SelectorExpr, call *ast.CallExpr, result *set) bool {
	const web, test = "net/http", "net/http/httptest"
	switch recv := receiver(fn); {
	case isCallOf(fn, seguePath, "New") || isCallOf(fn, web, "NewServeMux"):
		result.add(f.madeBy(call))
	case isCallOf(fn, web, "NewRequest", "NewRequestWithContext") || isCallOf(fn, test, "NewRequest", "NewRequestWithContext"):
		// A request without values.
	case recv == nil && isCallOf(fn, seguePath, "Param", "ParamAs") && len(call.Args) == 2:
		f.read(call, call.Args[0], call.Args[1])
	case recv != nil && isRequest(recv) && sel != nil:
		switch fn.Name() {
		case "PathValue":
			f.read(call, sel.X, call.Args[0])
		case "SetPathValue":
			name, known := f.text(call.Args[0])
			f.values[name] = true
			f.anyValue = f.anyValue || !known
		case "WithContext", "Clone":
			f.expr(sel.X).flow(result)
		}
	case isType(recv, seguePath, "Router") && isCallOf(fn, seguePath, "NotFound", "MethodNotAllowed", "OnError") && len(call.Args) == 1:
		f.receiverOf(sel).each(func(o object) {
			if r, ok := o.(*router); ok {
				request := &set{}
				request.add(anyOf{r, false})
				f.serve(f.expr(call.Args[0]), request)
			}
		})
	default:
		return false
	}
	return true
}

// silent are packages that only look at what they are given.
var silent = map[string]bool{"fmt": true, "log": true, "log/slog": true, "testing": true, "net/http": true, "net/http/httptest": true, seguePath: true}

// passOn is a call of another package's function, nil if it is not known which.
// What it makes of handlers and requests may be any of its arguments.
func (f *flow) passOn(pkg *types.Package, sel *ast.SelectorExpr, call *ast.CallExpr, results []*set) {
	given := f.factOf(pkg)
	args := f.valuesOf(call.Args, len(call.Args))
	if sel != nil && f.TypesInfo.Selections[sel] != nil {
		args = append(args, f.expr(sel.X))
	}
	path := ""
	if pkg != nil {
		path = pkg.Path()
	}
	keeps, hasRequest := !silent[path], false
	for _, t := range f.resultTypes(call) {
		keeps = keeps && !handles(t)
	}
	for _, arg := range call.Args {
		hasRequest = hasRequest || isRequest(f.TypesInfo.TypeOf(arg))
		if path != "net/http" && path != seguePath || isCallOf(f.callee(call), seguePath, "Params") {
			f.leak(arg)
		}
	}
	for _, arg := range args {
		switch {
		case given.Values:
			arg.flow(&f.out)
		case given.Routes:
			f.lend(arg)
		case keeps:
			arg.flow(&f.out)
		}
		for _, result := range results {
			arg.flow(result)
		}
	}
	for i, t := range f.resultTypes(call) {
		if given.Values || given.Routes || isRequest(t) && !hasRequest {
			results[i].add(outside{})
		} else if handles(t) {
			results[i].add(foreign{})
		}
	}
}

// lend gives an object to a package that registers routes: it may put them on a
// router, and register a handler.
func (f *flow) lend(arg *set) {
	arg.each(func(o object) {
		if r, ok := o.(*router); ok {
			r.foreign = true
		} else {
			f.out.add(o)
		}
	})
}

func (f *flow) resultTypes(call *ast.CallExpr) []types.Type {
	switch t := f.TypesInfo.TypeOf(call).(type) {
	case nil:
		return nil
	case *types.Tuple:
		var list []types.Type
		for v := range t.Variables() {
			list = append(list, v.Type())
		}
		return list
	default:
		return []types.Type{t}
	}
}

// leak notes that a request goes to where its values may be read.
func (f *flow) leak(arg ast.Expr) {
	if t := f.TypesInfo.TypeOf(arg); t != nil && isRequest(t) {
		f.expr(arg).flow(&f.leaked)
	}
}

// passes reports whether a function serves its parameter, a handler, with the
// very request that what it returns is given:
//
//	func auth(next http.Handler) http.Handler {
//		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
//	}
//
// Then each call of it can be looked at by itself.
func (f *flow) passes(fn *function, param int) bool {
	known, seen := fn.pass[param]
	if seen {
		return known
	}
	fn.pass[param] = false // while it is looked at
	v := fn.params[param]
	if fn.body == nil || len(fn.results) == 0 || !handles(v.Type()) || !handles(fn.sig.Results().At(0).Type()) ||
		fn.sig.Variadic() && param == len(fn.params)-1 {
		return false
	}
	ok := true
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			ok = ok && f.registration(n) == nil
		case *ast.Ident:
			if f.TypesInfo.ObjectOf(n) == v {
				ok = ok && f.passedOn(n, fn)
			}
		}
		return ok
	})
	fn.pass[param] = ok
	return ok
}

// passedOn reports whether a handler is only served, compared, returned by fn, or
// given to a function that passes it on in its turn.
func (f *flow) passedOn(e ast.Expr, fn *function) bool {
	switch parent := f.parents[e].(type) {
	case *ast.ParenExpr:
		return f.passedOn(parent, fn)
	case *ast.BinaryExpr:
		return true
	case *ast.ReturnStmt:
		return f.outermost(parent, fn) == nil
	case *ast.AssignStmt:
		return len(parent.Lhs) == 1 && f.passesVariable(parent.Lhs[0], fn)
	case *ast.SelectorExpr:
		call, ok := f.parents[parent].(*ast.CallExpr)
		return ok && call.Fun == parent && parent.Sel.Name == "ServeHTTP" && f.sameRequest(call, fn)
	case *ast.CallExpr:
		if parent.Fun == e {
			return f.sameRequest(parent, fn)
		}
		if f.TypesInfo.Types[parent.Fun].IsType() || isCallOf(f.callee(parent), seguePath, "Try") {
			return f.passedOn(parent, fn)
		}
		own := f.decls[f.callee(parent)]
		for i, arg := range parent.Args {
			if arg == e && own != nil && i < len(own.params) && own.params[i] != nil {
				return f.passes(own, i) && f.passedOn(parent, fn)
			}
		}
	}
	return false
}

// passesVariable reports whether a new variable of fn holds one handler, which is
// passed on.
func (f *flow) passesVariable(e ast.Expr, fn *function) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := f.TypesInfo.Defs[id].(*types.Var)
	if !ok || len(f.program.changes().values[v]) != 1 {
		return false
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if use, isIdent := n.(*ast.Ident); isIdent && f.TypesInfo.Uses[use] == v {
			ok = ok && f.passedOn(use, fn)
		}
		return ok
	})
	return ok
}

// outermost returns the literal of fn's body that a node is part of, nil if there
// is none. Others may be in it.
func (f *flow) outermost(n ast.Node, fn *function) *ast.FuncLit {
	var found *ast.FuncLit
	for ; n != nil && n != fn.node; n = f.parents[n] {
		if lit, ok := n.(*ast.FuncLit); ok {
			found = lit
		}
	}
	return found
}

// sameRequest reports whether a call's request is the one, or a copy of the one,
// that a handler which fn returns was given.
func (f *flow) sameRequest(call *ast.CallExpr, fn *function) bool {
	lit := f.outermost(call, fn)
	if lit == nil || !f.passedOn(lit, fn) {
		return false
	}
	own := f.functions[lit]
	for _, arg := range call.Args {
		if isRequest(f.TypesInfo.TypeOf(arg)) {
			return own.request != nil && f.isCopyOf(arg, own.request, 0)
		}
	}
	return false
}

// isCopyOf reports whether a request is v, or is made of v by WithContext and
// Clone alone.
func (f *flow) isCopyOf(e ast.Expr, v *types.Var, depth int) bool {
	at, ok := f.object(baseOf(e)).(*types.Var)
	if !ok || at.IsField() || at.Parent() == f.Pkg.Scope() || depth > 8 {
		return false
	}
	values := f.program.changes().values[at]
	for _, value := range values {
		// r = r.WithContext(ctx) keeps it what it is.
		if value == nil || f.object(baseOf(value)) != at && !f.isCopyOf(value, v, depth+1) {
			return false
		}
	}
	return at == v || at.Kind() == types.LocalVar && len(values) > 0
}

// baseOf returns the request that WithContext and Clone are called on.
func baseOf(e ast.Expr) ast.Expr {
	for {
		call, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok {
			return ast.Unparen(e)
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "WithContext" && sel.Sel.Name != "Clone" {
			return e
		}
		e = sel.X
	}
}
