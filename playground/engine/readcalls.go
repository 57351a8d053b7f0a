//go:build playground

package engine

// This file reads the calls of a program: which of them make a router, which
// register a route on one, and which hand one on.

import (
	"go/ast"
	"slices"
	"strings"
)

// A router is one that the program makes.
type router struct {
	kind    string // the package: segue, http, chi, gin, echo, mux or express
	name    string
	uses    []string // middlewares
	items   []item
	mounted bool
	inline  bool // made by With, or a group without a prefix
	unknown bool // nothing in the text makes it
}

// An item is a line of the editor, or a router in the router.
type item struct {
	word, path, name string
	child            *router // mounted at path, or without a prefix if that is ""
}

func (r *reader) newRouter(kind, name string) *router {
	rt := &router{kind: kind, name: name}
	r.made = append(r.made, rt)
	return rt
}

// add adds a line or a router to a router. A router that comes to be in itself is
// left out: segue refuses it.
func (r *reader) add(rt *router, i item) {
	r.count++
	if i.child != nil {
		if i.child.reaches(rt, map[*router]bool{}) {
			r.left = append(r.left, Left{Why: "a router cannot be mounted in itself: " + i.child.name})
			return
		}
		i.child.mounted = true
	}
	rt.items = append(rt.items, i)
}

// reaches reports whether other is rt or mounted in it.
func (rt *router) reaches(other *router, seen map[*router]bool) bool {
	if rt == other {
		return true
	}
	if seen[rt] {
		return false
	}
	seen[rt] = true
	return slices.ContainsFunc(rt.items, func(i item) bool { return i.child != nil && i.child.reaches(other, seen) })
}

// within adds a router without a prefix, as With makes it.
func (r *reader) within(rt *router, uses []string) *router {
	child := r.newRouter(rt.kind, "")
	child.uses, child.inline = uses, true
	r.add(rt, item{child: child})
	return child
}

func (r *reader) call(c *ast.CallExpr, e *env) value {
	fun := ast.Unparen(c.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr: // of a type parameter
		fun = f.X
	case *ast.FuncLit:
		return r.invoke(&function{typ: f.Type, body: f.Body, up: e}, r.values(c.Args, e))
	}
	name := textOf(fun)
	if kind := constructors[name]; kind != "" && (kind != "express" || r.js) && !r.isVariable(fun, e) {
		return r.newRouter(kind, "")
	}
	switch {
	case name == "new" && len(c.Args) == 1 && kindOf(c.Args[0]) != "":
		return r.newRouter(kindOf(c.Args[0]), "")
	case name == "http.StripPrefix" && len(c.Args) == 2:
		prefix, _ := r.eval(c.Args[0], e).(string)
		return &stripped{of: r.eval(c.Args[1], e), prefix: prefix}
	case name == "http.Handle" || name == "http.HandleFunc":
		return r.method(r.implicit("http", "http"), c, "Handle", e)
	}
	s, ok := fun.(*ast.SelectorExpr)
	if !ok {
		if f, ok := r.eval(fun, e).(*function); ok {
			return r.invoke(f, r.values(c.Args, e))
		}
		if r.registers(name, c, e) && callKind(name) != "use" { // GET("/x", show), without what it is called on
			return r.method(r.implicit("app", ""), c, name, e)
		}
		return r.unknown(c, name, e)
	}
	switch of := r.eval(s.X, e).(type) {
	case *router:
		return r.method(of, c, s.Sel.Name, e)
	case *builder:
		return r.goOn(of, c, s.Sel.Name, e)
	}
	if f := r.decls[s.Sel.Name]; f != nil {
		return r.invoke(f, r.values(c.Args, e))
	}
	if of := textOf(s.X); of != "" && of != "express" && r.registers(s.Sel.Name, c, e) {
		return r.method(r.implicit(of, ""), c, s.Sel.Name, e)
	}
	return r.unknown(c, name, e)
}

func (r *reader) isVariable(fun ast.Expr, e *env) bool {
	s, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	_, found := e.find(textOf(s.X))
	return found && textOf(s.X) != "express"
}

func (r *reader) values(args []ast.Expr, e *env) []value {
	var all []value
	for _, x := range args {
		all = append(all, r.eval(x, e))
	}
	return all
}

// implicit is the router of a name that nothing in the text makes.
func (r *reader) implicit(name, kind string) *router {
	if rt, ok := r.top.vars[name].(*router); ok {
		return rt
	}
	if kind == "" && r.js {
		kind = "express"
	}
	rt := r.newRouter(kind, name)
	rt.unknown = true
	r.top.vars[name] = rt
	return rt
}

// registers reports whether a call looks like a registration, so that what it is
// called on is a router. client.Get("https://…") and header.Get("Accept") do not.
func (r *reader) registers(name string, c *ast.CallExpr, e *env) bool {
	first := ""
	if len(c.Args) > 0 {
		first, _ = r.eval(c.Args[0], e).(string)
	}
	switch kind := callKind(name); kind {
	case "verb", "handle":
		return len(c.Args) > 1 && (strings.HasPrefix(first, "/") || strings.Contains(first, " /"))
	case "use":
		return len(c.Args) > 0
	case "group", "route", "mount", "static":
		return strings.HasPrefix(first, "/")
	}
	return false
}

// unknown is a call of something that the text does not hold. If it is handed a
// router, it may return it wrapped, or register routes on it.
func (r *reader) unknown(c *ast.CallExpr, name string, e *env) value {
	for i, v := range r.values(c.Args, e) {
		rt, ok := v.(*router)
		if !ok {
			continue
		}
		of, _, _ := strings.Cut(name, ".")
		if !slices.Contains([]string{"http", "log", "httptest", "fmt", "context", "slog", "errors"}, of) {
			r.leave(r.line(c), "what "+nameOf(c)+" does with "+textOf(c.Args[i])+" is not in the text")
		}
		return &stripped{of: rt, by: nameOf(c)}
	}
	return nil
}

// callKind sorts the methods of routers.
func callKind(name string) string {
	switch strings.ToLower(name) {
	case "get", "head", "post", "put", "patch", "delete", "options", "connect", "trace", "any", "all":
		return "verb"
	case "handle", "handlefunc":
		return "handle"
	case "method", "methodfunc", "add", "match":
		return "method"
	case "use", "pre":
		return "use"
	case "group", "route", "mount", "with", "static":
		return strings.ToLower(name)
	case "staticfile", "file":
		return "file"
	case "notfound", "noroute", "methodnotallowed", "nomethod", "onerror", "trailingslash", "cleanpath":
		return "setting"
	case "servehttp", "routes", "run", "listen", "start", "lookup", "explain", "string", "handler", "set", "disable", "enable", "shutdown", "close", "routenotfound", "param":
		return "harmless"
	}
	return ""
}

// method is a call of a router's method.
func (r *reader) method(rt *router, c *ast.CallExpr, name string, e *env) value {
	switch callKind(name) {
	case "verb":
		if len(c.Args) < 2 { // Express's app.get("setting")
			return nil
		}
		return r.verb(rt, c, strings.ToUpper(name), c.Args[0], c.Args[1:], e)
	case "handle":
		return r.handle(rt, c, e)
	case "method":
		if len(c.Args) < 3 {
			return nil
		}
		b := &builder{of: rt, from: len(rt.items)}
		for _, method := range r.texts(c.Args[0], c, "the method is not a constant", e) {
			r.verb(rt, c, method, c.Args[1], c.Args[2:], e)
		}
		return b
	case "use":
		r.use(rt, c, e)
	case "group", "route":
		return r.group(rt, c, e)
	case "with":
		return r.within(rt, r.middlewares(c.Args, e))
	case "mount":
		if len(c.Args) == 2 {
			for _, prefix := range r.texts(c.Args[0], c, "the prefix is not a constant", e) {
				r.mount(rt, c, prefix, c.Args[1], e)
			}
		}
	case "static", "file":
		r.static(rt, c, callKind(name) == "file", e)
	case "setting":
		r.setting(rt, c, name)
	case "harmless":
	default:
		r.unknownMethod(rt, c, name, e)
	}
	if rt.kind == "express" {
		return rt // for more calls
	}
	return nil
}

func (r *reader) unknownMethod(rt *router, c *ast.CallExpr, name string, e *env) {
	if f := r.decls[name]; f != nil && !rt.unknown {
		r.invoke(f, r.values(c.Args, e))
		return
	}
	if !rt.unknown {
		r.leave(r.line(c), "the page does not know "+name)
	}
}

// goOn is a call on a route: app.route("/x").get(h).post(h), or .Methods("GET").
func (r *reader) goOn(b *builder, c *ast.CallExpr, name string, e *env) value {
	switch {
	case b.path != nil && callKind(name) == "verb":
		r.verb(b.of, c, strings.ToUpper(name), b.path, c.Args, e)
	case name == "Methods":
		route := b.of.items[b.from:]
		b.of.items = b.of.items[:b.from]
		for _, x := range c.Args {
			method, _ := r.eval(x, e).(string)
			for _, i := range slices.Clone(route) {
				i.word = method
				b.of.items = append(b.of.items, i)
			}
		}
	case name == "Name":
	case b.path == nil && callKind(name) != "": // chained: Express returns the app, gin its group
		return r.method(b.of, c, name, e)
	default:
		r.leave(r.line(c), "the page does not know "+name)
	}
	return b
}

// texts are the strings that an argument is: one, or a list. Where it is not a
// constant, that is listed.
func (r *reader) texts(x ast.Expr, c *ast.CallExpr, why string, e *env) []string {
	switch v := r.eval(x, e).(type) {
	case string:
		return []string{v}
	case []string:
		return v
	}
	r.leave(r.line(c), why)
	return nil
}

// verb registers a route of a method. Beside its handler gin and Express have
// the middlewares before it, echo after it.
func (r *reader) verb(rt *router, c *ast.CallExpr, method string, pathArg ast.Expr, handlers []ast.Expr, e *env) value {
	b := &builder{of: rt, from: len(rt.items)}
	if method == "ANY" || method == "ALL" {
		method = "Any"
	}
	for _, text := range r.texts(pathArg, c, "the path is not a constant", e) {
		name, to := "", rt
		if n := len(handlers); n > 0 {
			h, mw := handlers[n-1], handlers[:n-1]
			if rt.kind == "echo" {
				h, mw = handlers[0], handlers[1:]
			}
			h, by := unwrap(h)
			if name, by = nameOf(h), append(r.middlewares(mw, e), by...); len(by) > 0 {
				to = r.within(rt, by)
			}
		}
		paths, why := translate(text, rt.kind)
		if why != "" {
			r.leave(r.line(c), why)
		}
		for _, p := range paths {
			r.add(to, item{word: method, path: p, name: name})
		}
	}
	return b
}

// handle is Handle or HandleFunc: a pattern of ServeMux, a path for every method
// (chi, gorilla/mux), or a method and a path (gin).
func (r *reader) handle(rt *router, c *ast.CallExpr, e *env) value {
	if len(c.Args) < 2 {
		return nil
	}
	if rt.kind == "gin" && len(c.Args) > 2 {
		return r.method(rt, c, "Method", e)
	}
	b := &builder{of: rt, from: len(rt.items)}
	for _, pattern := range r.texts(c.Args[0], c, "the pattern is not a constant", e) {
		if rt.kind == "chi" || rt.kind == "mux" {
			method, p, found := strings.Cut(pattern, " ")
			if !found {
				method, p = "Any", pattern
			}
			r.verb(rt, c, method, quoted(p), c.Args[1:], e)
			continue
		}
		if child, prefix := inner(r.eval(c.Args[1], e)); child != nil {
			r.add(rt, item{path: prefix, child: child})
			continue
		}
		to := rt
		h, by := unwrap(c.Args[1])
		if len(by) > 0 {
			to = r.within(rt, by)
		}
		r.add(to, item{word: "Handle", path: pattern, name: nameOf(h)})
	}
	return b
}

// unwrap takes the middlewares off a handler: auth(http.HandlerFunc(show)).
func unwrap(h ast.Expr) (inside ast.Expr, by []string) {
	c, ok := h.(*ast.CallExpr)
	if !ok || len(c.Args) != 1 || textOf(c.Fun) == "http.HandlerFunc" {
		return h, nil
	}
	inside, by = unwrap(c.Args[0])
	if inner, ok := inside.(*ast.CallExpr); !ok || textOf(inner.Fun) != "http.HandlerFunc" {
		return h, nil
	}
	return inside, append([]string{nameOf(c)}, by...)
}

// inner is the router in a handler, and the prefix that was taken off its paths.
func inner(v value) (*router, string) {
	switch v := v.(type) {
	case *router:
		return v, ""
	case *stripped:
		child, prefix := inner(v.of)
		if child != nil && v.by != "" {
			child.mounted = true
			child = &router{kind: child.kind, uses: []string{v.by}, items: []item{{child: child}}}
		}
		return child, strings.TrimSuffix(v.prefix, "/") + prefix
	}
	return nil, ""
}

// mount mounts a router, or a handler that takes the whole subtree.
func (r *reader) mount(rt *router, c *ast.CallExpr, prefix string, handler ast.Expr, e *env) {
	paths, why := translate(prefix, rt.kind)
	if why != "" {
		r.leave(r.line(c), why)
	}
	for _, p := range paths {
		child, more := inner(r.eval(handler, e))
		if child == nil {
			child = &router{items: []item{{word: "Handle", path: "/", name: nameOf(handler)}}}
			r.leave(r.line(c), "what "+nameOf(handler)+" serves is not in the text: read as one handler for all below")
		}
		r.add(rt, item{path: strings.TrimSuffix(p, "/") + more, child: child})
	}
}

// use adds middlewares. Express's takes a prefix too, and routers.
func (r *reader) use(rt *router, c *ast.CallExpr, e *env) {
	prefix, args := "", c.Args
	if len(args) == 0 {
		return
	}
	if first, ok := r.eval(c.Args[0], e).(string); ok && len(c.Args) > 1 {
		prefix, args = first, args[1:]
	}
	last := args[len(args)-1]
	if child, _ := inner(r.eval(last, e)); child == nil && prefix == "" {
		rt.uses = append(rt.uses, r.middlewares(args, e)...)
		r.count++
		return
	}
	if to := r.middlewares(args[:len(args)-1], e); len(to) > 0 {
		rt = r.within(rt, to)
	}
	r.mount(rt, c, prefix, last, e)
}

func (r *reader) middlewares(args []ast.Expr, e *env) []string {
	var all []string
	for _, x := range args {
		switch name := nameOf(x); {
		case name == "segue.Chain":
			all = append(all, r.middlewares(x.(*ast.CallExpr).Args, e)...)
		case name == "":
			all = append(all, "func")
		default:
			all = append(all, name)
		}
	}
	return all
}

// group is Group or Route: a prefix and middlewares, or a function that is given
// the new router, or both. Express's route is the path of several verbs.
func (r *reader) group(rt *router, c *ast.CallExpr, e *env) value {
	if len(c.Args) == 0 {
		return r.within(rt, nil)
	}
	args := c.Args
	first := r.eval(args[0], e)
	if rt.kind == "express" {
		return &builder{of: rt, path: args[0]}
	}
	child := r.newRouter(rt.kind, "")
	if _, isFunction := first.(*function); !isFunction {
		prefixes := r.texts(args[0], c, "the prefix is not a constant", e)
		if len(prefixes) == 0 {
			child.mounted = true // its routes are lost with its prefix
			return child
		}
		paths, why := translate(prefixes[0], rt.kind)
		if why != "" {
			r.leave(r.line(c), why)
		}
		r.add(rt, item{path: strings.TrimSuffix(paths[0], "/"), child: child})
		args = args[1:]
	} else {
		child.inline = true
		r.add(rt, item{child: child})
	}
	if len(args) > 0 {
		if f, ok := r.eval(args[len(args)-1], e).(*function); ok && takes(f) != "" {
			child.kind = takes(f)
			r.invoke(f, []value{child})
			args = args[:len(args)-1]
		}
	}
	child.uses = append(r.middlewares(args, e), child.uses...)
	return child
}

// takes is the kind of router that a function is given, "" for a middleware.
func takes(f *function) string {
	if f.typ == nil || f.typ.Params == nil || len(f.typ.Params.List) != 1 {
		return ""
	}
	return kindOf(f.typ.Params.List[0].Type)
}

// static is a folder of files, or one file.
func (r *reader) static(rt *router, c *ast.CallExpr, one bool, e *env) {
	if len(c.Args) < 2 {
		return
	}
	for _, prefix := range r.texts(c.Args[0], c, "the prefix is not a constant", e) {
		if one {
			r.add(rt, item{word: "GET", path: prefix, name: "file"})
			continue
		}
		r.add(rt, item{word: "GET", path: strings.TrimSuffix(prefix, "/") + "/*path", name: "files"})
		r.leave(r.line(c), "read as if every file were there")
	}
}

// setting is a call that sets what answers misses, or a policy.
func (r *reader) setting(rt *router, c *ast.CallExpr, name string) {
	words := map[string]string{"noroute": "NotFound", "nomethod": "MethodNotAllowed"}
	word := words[strings.ToLower(name)]
	if word == "" {
		word = name
	}
	if len(c.Args) == 0 {
		return
	}
	what := nameOf(c.Args[len(c.Args)-1])
	what = what[strings.LastIndexByte(what, '.')+1:]
	r.add(rt, item{word: word, path: what})
}
