package vet

// This file follows routers, handlers and requests through a package. It is a
// points-to analysis without regard to order (L. O. Andersen, 1994): each
// variable, field and result has a set of objects that it may hold. What
// leaves the package, or comes from where nothing is known of it, is the object
// outside, and whatever outside reaches is not reported.
//
//	auth := func(next http.Handler) http.Handler {...}  // the set of auth: this function
//	mux.Handle("GET /users/{id}", auth(http.HandlerFunc(show)))
//
// Here the call of auth has two objects, the handler that auth returns and show,
// and the request of GET /users/{id} reaches the request parameter of both.

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// An object is what a set can hold: a *function, a *router, a *route (a request
// of it), an anyOf, a foreign, or outside.
type object any

// outside is what is known elsewhere.
type outside struct{}

// A foreign is a function, or a handler, of a package that passes requests on as
// they came.
type foreign struct{}

// A function is a declared function or a literal.
type function struct {
	node    ast.Node // *ast.FuncDecl or *ast.FuncLit
	body    *ast.BlockStmt
	sig     *types.Signature
	params  []*types.Var // nil for one without a name
	results []*set
	request *types.Var   // the parameter that is a request, nil if it has none, or several
	pass    map[int]bool // see passes
}

// A router is a place where a router is made.
type router struct {
	outer   *set // the requests, and thus prefixes, that reach it
	open    bool // something outside may mount it, or give its requests values
	foreign bool // something outside may register routes on it
}

// A route is one registration.
type route struct {
	*registration
	text    string // the pattern, in ServeMux's language
	names   []string
	router  *set
	handler *set
}

// A use is a value without which nothing is known of others.
type use struct {
	value *set
	lost  func() // called in the end, if nothing is known of value
}

// anyOf is a request of any route of a router: what its middleware sees, or, with
// after, what whoever serves a request by that router has in hand afterwards.
type anyOf struct {
	*router
	after bool
}

// A set is what a variable may hold. Those who need to know of each object are
// told of it when it comes.
type set struct {
	has   map[object]bool
	order []object
	tell  []func(object)
}

func (s *set) add(o object) {
	if s.has[o] {
		return
	}
	if s.has == nil {
		s.has = map[object]bool{}
	}
	s.has[o] = true
	s.order = append(s.order, o)
	for i := 0; i < len(s.tell); i++ {
		s.tell[i](o)
	}
}

// each calls visit with each object, those that come later included.
func (s *set) each(visit func(object)) {
	known := slices.Clone(s.order)
	s.tell = append(s.tell, visit)
	for _, o := range known {
		visit(o)
	}
}

func (s *set) flow(to *set) {
	if s != to {
		s.each(to.add)
	}
}

// A flow is the sets of a package.
type flow struct {
	*program
	vars      map[*types.Var]*set
	exprs     map[ast.Expr]*set
	calls     map[*ast.CallExpr][]*set
	routers   map[any]*router // by the expression or variable that makes it
	functions map[ast.Node]*function
	decls     map[*types.Func]*function
	byName    map[string][]*function // methods, for calls of an interface's
	routes    []*route
	reads     []*read
	uses      []use
	values    map[string]bool     // names given by SetPathValue
	anyValue  bool                // one that is not constant
	after     map[*types.Var]*set // by request parameter: what a handler that the function wraps leaves in it
	leaked    set                 // requests that went to where they may be read
	out       set                 // what the world outside may call or use
	outside   *set                // the set of outside alone
	closed    bool                // nobody can import the package
}

// funcOf makes the function of a declaration or a literal.
func (f *flow) funcOf(node ast.Node, typ *ast.FuncType, body *ast.BlockStmt, sig *types.Signature) *function {
	fn := &function{node: node, body: body, sig: sig, pass: map[int]bool{}}
	f.functions[node] = fn
	for _, field := range typ.Params.List {
		for _, name := range field.Names {
			v, _ := f.TypesInfo.Defs[name].(*types.Var)
			fn.params = append(fn.params, v)
		}
		if len(field.Names) == 0 {
			fn.params = append(fn.params, nil)
		}
	}
	if i := requestParam(sig); i >= 0 {
		fn.request = fn.params[i]
	}
	for i := range sig.Results().Len() {
		fn.results = append(fn.results, &set{})
		if v := sig.Results().At(i); v.Name() != "" {
			f.variable(v).flow(fn.results[i])
		}
	}
	return fn
}

// variable returns the set of a variable or field.
func (f *flow) variable(v *types.Var) *set {
	v = v.Origin()
	if s := f.vars[v]; s != nil {
		return s
	}
	s := &set{}
	f.vars[v] = s
	_, isPointer := types.Unalias(v.Type()).(*types.Pointer)
	switch {
	case v.Pkg() != f.Pkg:
		if isType(v.Type(), "net/http", "ServeMux") && v.Name() == "DefaultServeMux" {
			s.add(f.madeBy(v))
		} else if !isServed(v) {
			s.add(outside{})
			s.flow(&f.out)
		}
	case isRouter(v.Type()) && !isPointer && v.Kind() != types.ParamVar:
		s.add(f.madeBy(v))
	case !isRouter(v.Type()):
		f.ownHandler(v.Type(), s)
	}
	if !f.closed && v.Exported() && (v.IsField() || v.Parent() == f.Pkg.Scope()) {
		s.add(outside{})
		s.flow(&f.out)
	}
	return s
}

// isServed reports whether v is where a server keeps its handler.
func isServed(v *types.Var) bool {
	return v.IsField() && v.Pkg() != nil && v.Pkg().Path() == "net/http" && v.Name() == "Handler"
}

// madeBy returns the router that an expression or a variable makes.
func (f *flow) madeBy(by any) *router {
	if f.routers[by] == nil {
		r := &router{outer: &set{}}
		f.routers[by] = r
		r.outer.each(func(o object) {
			if o == (outside{}) {
				r.open = true
			}
		})
		if v, ok := by.(*types.Var); ok && v.Pkg() != f.Pkg { // http.DefaultServeMux
			r.foreign, r.open = true, !f.closed
		}
	}
	return f.routers[by]
}

// ownHandler adds what serves requests in a type of this package: its method
// ServeHTTP, or the field that it has it from.
func (f *flow) ownHandler(t types.Type, to *set) {
	if types.IsInterface(t) {
		return
	}
	obj, index, _ := types.LookupFieldOrMethod(t, true, nil, "ServeHTTP")
	fn, ok := obj.(*types.Func)
	if !ok || requestParam(fn.Signature()) < 0 {
		return
	}
	_, isFunc := t.Underlying().(*types.Signature)
	switch own := f.decls[fn.Origin()]; {
	case own != nil:
		to.add(own)
	case len(index) > 1:
		f.embedded(t, index).flow(to)
	case !isFunc: // else a function's value says more
		f.foreignOf(fn.Pkg(), to)
	}
}

// embedded returns the set of the field that a promoted method belongs to.
func (f *flow) embedded(t types.Type, index []int) *set {
	var field *types.Var
	for _, i := range index[:len(index)-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return f.outside
		}
		field = st.Field(i)
		t = field.Type()
	}
	return f.variable(field)
}

// expr returns the set of an expression: for a variable its own, so that what is
// done to a request is done to the variable.
func (f *flow) expr(e ast.Expr) *set {
	if v, ok := f.object(e).(*types.Var); ok {
		return f.variable(v)
	}
	if s := f.exprs[e]; s != nil {
		return s
	}
	s := &set{}
	f.exprs[e] = s
	t := f.TypesInfo.TypeOf(e)
	if t == nil || f.TypesInfo.Types[e].IsNil() {
		return s
	}
	if !isRouter(t) {
		f.ownHandler(t, s)
	}
	f.fill(e, t, s)
	return s
}

// fill finds what an expression of type t may hold.
func (f *flow) fill(e ast.Expr, t types.Type, s *set) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		f.expr(e.X).flow(s)
	case *ast.StarExpr:
		f.expr(e.X).flow(s)
	case *ast.IndexExpr: // an element, or a generic function with its types
		f.expr(e.X).flow(s)
	case *ast.IndexListExpr:
		f.expr(e.X).flow(s)
	case *ast.SliceExpr:
		f.expr(e.X).flow(s)
	case *ast.TypeAssertExpr:
		f.expr(e.X).flow(s)
	case *ast.UnaryExpr:
		f.address(e)
		f.expr(e.X).flow(s)
	case *ast.Ident:
		f.named(f.TypesInfo.ObjectOf(e), s)
	case *ast.SelectorExpr:
		f.selected(e, s)
	case *ast.FuncLit:
		s.add(f.functions[e])
	case *ast.CompositeLit:
		if isRouter(t) {
			s.add(f.madeBy(e))
		}
		f.composite(e, t, s)
	case *ast.CallExpr:
		for _, result := range f.call(e) {
			result.flow(s)
		}
	}
}

// address notes that a variable may be set by way of a pointer.
func (f *flow) address(e *ast.UnaryExpr) {
	if v, ok := f.object(e.X).(*types.Var); ok && e.Op == token.AND {
		if _, isStruct := v.Type().Underlying().(*types.Struct); !isStruct {
			f.variable(v).add(outside{})
			f.variable(v).flow(&f.out)
		}
	}
}

// named adds what a name stands for.
func (f *flow) named(obj types.Object, s *set) {
	switch obj := obj.(type) {
	case *types.Var:
		f.variable(obj).flow(s)
	case *types.Func:
		if fn := f.decls[obj.Origin()]; fn != nil {
			s.add(fn)
		} else {
			f.foreignOf(obj.Pkg(), s)
		}
	}
}

// foreignOf adds what a value of another package stands for.
func (f *flow) foreignOf(pkg *types.Package, s *set) {
	if f.factOf(pkg).Values || f.factOf(pkg).Routes {
		s.add(outside{})
	} else {
		s.add(foreign{})
	}
}

func (f *flow) factOf(pkg *types.Package) (g gives) {
	if pkg != nil && pkg != f.Pkg {
		f.ImportPackageFact(pkg, &g)
	}
	return g
}

// selected adds what x.name stands for.
func (f *flow) selected(e *ast.SelectorExpr, s *set) {
	selection := f.TypesInfo.Selections[e]
	if selection == nil || selection.Kind() == types.FieldVal {
		f.named(f.TypesInfo.ObjectOf(e.Sel), s)
		return
	}
	fn := selection.Obj().(*types.Func).Origin()
	own := f.decls[fn]
	switch {
	case selection.Kind() == types.MethodExpr: // its parameters are one off
		if own != nil {
			f.out.add(own)
		}
		s.add(outside{})
	case own != nil:
		s.add(own)
	case types.IsInterface(selection.Recv()) && fn.Name() != "ServeHTTP":
		for _, m := range f.byName[fn.Name()] {
			s.add(m)
		}
		s.add(outside{})
	case fn.Name() == "ServeHTTP": // the handler itself
		f.receiverOf(e).flow(s)
	default: // a method value such as mux.HandleFunc
		f.leak(e.X)
		f.receiverOf(e).flow(&f.out)
		s.add(outside{})
	}
}

// receiverOf returns the set of what a method is called on, an embedded field's
// where the method is promoted.
func (f *flow) receiverOf(e *ast.SelectorExpr) *set {
	selection := f.TypesInfo.Selections[e]
	if selection == nil || len(selection.Index()) < 2 {
		return f.expr(e.X)
	}
	return f.embedded(selection.Recv(), selection.Index())
}

// composite adds the elements of a literal to it, or to the fields of its struct.
func (f *flow) composite(e *ast.CompositeLit, t types.Type, s *set) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem() // elided in the elements of a slice
	}
	st, isStruct := t.Underlying().(*types.Struct)
	for i, element := range e.Elts {
		value := element
		kv, isPair := element.(*ast.KeyValueExpr)
		if isPair {
			value = kv.Value
		}
		switch {
		case !isStruct:
			f.expr(value).flow(s)
		case isPair:
			if v, ok := f.TypesInfo.ObjectOf(kv.Key.(*ast.Ident)).(*types.Var); ok {
				f.expr(value).flow(f.variable(v))
			}
		case i < st.NumFields():
			f.expr(value).flow(f.variable(st.Field(i)))
		}
	}
}

// assign lets a value flow to where it is assigned.
func (f *flow) assign(left ast.Expr, value *set) {
	switch left := left.(type) {
	case nil:
	case *ast.ParenExpr:
		f.assign(left.X, value)
	case *ast.IndexExpr:
		f.assign(left.X, value)
	case *ast.StarExpr:
		value.flow(f.expr(left.X))
		value.flow(&f.out)
	case *ast.Ident, *ast.SelectorExpr:
		if v, ok := f.object(left).(*types.Var); ok {
			value.flow(f.variable(v))
		}
	default:
		value.flow(f.expr(left))
		value.flow(&f.out)
	}
}

// values returns the sets of a list of expressions, of which one call may stand
// for all.
func (f *flow) valuesOf(list []ast.Expr, n int) []*set {
	var sets []*set
	if len(list) == 1 && n > 1 {
		if call, ok := ast.Unparen(list[0]).(*ast.CallExpr); ok {
			sets = f.call(call)
		} else { // v, ok := m[k], x.(T) or <-c
			sets = []*set{f.expr(list[0])}
		}
	} else {
		for _, e := range list {
			sets = append(sets, f.expr(e))
		}
	}
	for len(sets) < n {
		sets = append(sets, &set{})
	}
	return sets
}

// look takes in one node of the syntax.
func (f *flow) look(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, value := range f.valuesOf(n.Rhs, len(n.Lhs)) {
			if i < len(n.Lhs) {
				f.assign(n.Lhs[i], value)
			}
		}
	case *ast.ValueSpec:
		if len(n.Values) > 0 {
			for i, value := range f.valuesOf(n.Values, len(n.Names)) {
				f.assign(n.Names[i], value)
			}
		}
	case *ast.ReturnStmt:
		if fn := f.enclosing(n); fn != nil && len(n.Results) > 0 {
			for i, value := range f.valuesOf(n.Results, len(fn.results)) {
				if i < len(fn.results) {
					value.flow(fn.results[i])
				}
			}
		}
	case *ast.RangeStmt:
		f.ranged(n)
	case *ast.SendStmt:
		f.assign(n.Chan, f.expr(n.Value))
	case *ast.TypeSwitchStmt:
		f.typeSwitch(n)
	case *ast.CallExpr:
		f.call(n)
	case ast.Expr:
		if call, ok := f.parents[n].(*ast.CallExpr); ok && call.Fun == n && f.callee(call) != nil {
			return // the name of a call is no value that goes anywhere
		}
		if tv, ok := f.TypesInfo.Types[n]; ok && tv.IsValue() {
			f.expr(n)
		}
	}
}

// ranged lets the elements of a container, or what an iterator yields, flow to
// the variables.
func (f *flow) ranged(n *ast.RangeStmt) {
	from := f.expr(n.X)
	if _, isFunc := f.TypesInfo.TypeOf(n.X).Underlying().(*types.Signature); isFunc {
		from = f.outside
	}
	f.assign(n.Key, from)
	f.assign(n.Value, from)
}

func (f *flow) typeSwitch(n *ast.TypeSwitchStmt) {
	assign, ok := n.Assign.(*ast.AssignStmt)
	if !ok {
		return
	}
	for _, clause := range n.Body.List {
		if v, ok := f.TypesInfo.Implicits[clause].(*types.Var); ok {
			f.expr(assign.Rhs[0]).flow(f.variable(v))
		}
	}
}

// enclosing returns the innermost function around a node.
func (f *flow) enclosing(n ast.Node) *function {
	for ; n != nil; n = f.parents[n] {
		if fn := f.functions[n]; fn != nil {
			return fn
		}
	}
	return nil
}
