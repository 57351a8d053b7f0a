//go:build playground

package engine

// This file reads a program, or a piece of one, for the routes that it registers:
// segue's, http.ServeMux's, chi's, gin's, echo's and Express's calls. It runs the
// program in a small way. It follows variables, constants and functions that take
// or return a router, and knows nothing else. What it cannot follow it lists.

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Reading is what was made of a program.
type Reading struct {
	Program bool   // the text looks like one
	Text    string // in the language of the editor
	Routes  int
	Left    []Left // what could not be read, or not for sure
}

// A Left is a place in the program, and what is to say about it.
type Left struct {
	Line      int
	Text, Why string
}

var (
	goMarks = regexp.MustCompile(`(?m):=|^\s*(?:package \w+|func[ (]|import ["(])`)
	jsMarks = regexp.MustCompile(`(?m)=>|\brequire\(|^\s*(?:const|let|var) .*= |\bfunction\b|'[^'\n]{2,}'|^import .* from|\);\s*$`)
	calls   = regexp.MustCompile(`(?m)^\s*(?:[\w.]+\.)?(?:GET|POST|PUT|PATCH|DELETE|Handle|HandleFunc|Get|Post|Put|Patch|Delete|Any|Method|get|post|put|patch|delete|all|use|Use|Mount|Group|Route)\(\s*(?:$|["'` + "`" + `])`)
)

// LooksLikeProgram reports whether a text is a program rather than lines of the
// editor. A line such as app.GET("/x", show) is both.
func LooksLikeProgram(text string) bool {
	return goMarks.MatchString(text) || calls.MatchString(text) && (jsMarks.MatchString(text) || strings.Contains(text, "\n"))
}

// Read reads a program.
func Read(text string) Reading {
	r := &reader{
		fset: token.NewFileSet(), source: strings.Split(text, "\n"), decls: map[string]*function{}, fields: map[string]value{},
		names: map[string]bool{}, running: map[*ast.BlockStmt]bool{}, top: &env{vars: map[string]value{}},
	}
	var body []ast.Stmt
	if r.js = jsMarks.MatchString(text) && !goMarks.MatchString(text); r.js {
		body = r.parseJS(text)
	} else {
		for _, c := range chunks(text) {
			body = append(body, r.parse(c)...)
		}
	}
	r.run(body)
	reading := r.write()
	reading.Program = LooksLikeProgram(text)
	return reading
}

// A chunk is a declaration or statement that stands at the top of the text.
type chunk struct {
	text string
	line int
	decl bool // it begins as a declaration does
}

// chunks takes a text apart, so that a mistake in one chunk leaves the others
// alone, and a piece of a program reads as well as a whole file.
func chunks(text string) []chunk {
	var all []chunk
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	begin, depth, first := -1, 0, token.ILLEGAL
	end := func(to int) {
		if begin >= 0 && first != token.PACKAGE && first != token.IMPORT {
			decl := slices.Contains([]token.Token{token.FUNC, token.TYPE, token.CONST, token.VAR}, first)
			all = append(all, chunk{text[begin:to], 1 + strings.Count(text[:begin], "\n"), decl})
		}
		begin, depth = -1, 0
	}
	for {
		pos, tok, _ := s.Scan()
		at := file.Offset(pos)
		switch {
		case tok == token.EOF:
			end(len(text))
			return all
		case tok == token.SEMICOLON && depth == 0, slices.Contains([]token.Token{token.RBRACE, token.RPAREN, token.RBRACK}, tok) && depth == 0:
			end(at) // a brace that nothing opened belongs to what was left out above
			continue
		case begin < 0:
			begin, first = at, tok
		}
		switch tok {
		case token.LBRACE, token.LPAREN, token.LBRACK:
			depth++
		case token.RBRACE, token.RPAREN, token.RBRACK:
			depth--
		}
	}
}

// parse returns the statements of a chunk, and keeps the functions that it
// declares.
func (r *reader) parse(c chunk) []ast.Stmt {
	forms := []string{"package p; func _() {" + c.text + "\n}", "package p; " + c.text + "\n"}
	if c.decl {
		slices.Reverse(forms)
	}
	var best *ast.File
	var wrong error
	for _, form := range forms {
		// The name of the file is the line at which it begins.
		file, err := parser.ParseFile(r.fset, strconv.Itoa(c.line), form, parser.SkipObjectResolution)
		if best == nil || err == nil {
			best, wrong = file, err
		}
		if err == nil {
			break
		}
	}
	if errs, ok := wrong.(scanner.ErrorList); ok {
		line := c.line + errs[0].Pos.Line - 1
		r.leave(min(line, len(r.source)), "this is not Go: "+errs[0].Msg)
	}
	var body []ast.Stmt
	for _, d := range best.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			body = append(body, &ast.DeclStmt{Decl: d})
		case *ast.FuncDecl:
			if d.Name.Name == "_" && d.Body != nil {
				body = append(body, d.Body.List...)
			} else if d.Body != nil {
				r.declare(d.Name.Name, &function{name: d.Name.Name, typ: d.Type, body: d.Body, up: r.top, method: d.Recv != nil})
			}
		}
	}
	return body
}

func (r *reader) declare(name string, f *function) {
	r.decls[name] = f
	r.order = append(r.order, f)
}

// A reader runs a program.
type reader struct {
	fset    *token.FileSet
	source  []string // lines
	js      bool
	decls   map[string]*function
	order   []*function
	top     *env
	fields  map[string]value // of all structs, by name: a program has one router in a field of one name
	names   map[string]bool  // that some call or argument mentions
	made    []*router
	left    []Left
	running map[*ast.BlockStmt]bool
	calls   int
	count   int // of registrations
}

// A value is what the reader knows of one: a string, a []string, a *router, a
// *function, a *builder, a *stripped, or nil for everything else.
type value any

type function struct {
	name   string
	typ    *ast.FuncType
	body   *ast.BlockStmt
	up     *env
	method bool
	called bool
}

// A builder is a route that more calls go on with: Express's app.route("/x"),
// and what .Methods("GET") of gorilla/mux stands behind.
type builder struct {
	of   *router
	path ast.Expr // of app.route
	from int      // of's items from here on are the route
}

// A stripped is a handler that was wrapped: by http.StripPrefix, or by a
// middleware.
type stripped struct {
	of     value
	prefix string
	by     string
}

type env struct {
	vars map[string]value
	up   *env
}

func (e *env) find(name string) (value, bool) {
	for ; e != nil; e = e.up {
		if v, ok := e.vars[name]; ok {
			return v, true
		}
	}
	return nil, false
}

// set gives a variable another value where it is declared, or declares it.
func (e *env) set(name string, v value) {
	for at := e; at != nil; at = at.up {
		if _, ok := at.vars[name]; ok {
			at.vars[name] = v
			return
		}
	}
	e.vars[name] = v
}

// leave lists a line that was not read.
func (r *reader) leave(line int, why string) {
	l := Left{Line: line, Why: why}
	if line >= 1 && line <= len(r.source) {
		l.Text = strings.TrimSpace(r.source[line-1])
	}
	if !slices.Contains(r.left, l) {
		r.left = append(r.left, l)
	}
}

func (r *reader) line(n ast.Node) int {
	p := r.fset.Position(n.Pos())
	first, _ := strconv.Atoi(path.Base(p.Filename))
	return first + p.Line - 1
}

// run runs what stands at the top, then main, then every function that nothing
// in the text calls. A parameter of those that has routes registered on it is a
// router.
func (r *reader) run(body []ast.Stmt) {
	for _, s := range body {
		r.mention(s)
	}
	for _, f := range r.order {
		r.mention(f.body)
	}
	r.exec(body, r.top)
	if main := r.decls["main"]; main != nil {
		r.invoke(main, nil)
	}
	for _, f := range r.order {
		if !f.called && !r.names[f.name] {
			r.invoke(f, nil)
		}
	}
	for _, f := range r.order { // those that only call each other, and what only an unread call names
		if !f.called {
			r.invoke(f, nil)
		}
	}
}

// mention notes the names that n calls or hands on.
func (r *reader) mention(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		for _, e := range append([]ast.Expr{c.Fun}, c.Args...) {
			switch e := e.(type) {
			case *ast.Ident:
				r.names[e.Name] = true
			case *ast.SelectorExpr:
				r.names[e.Sel.Name] = true
			}
		}
		return true
	})
}

const mostCalls = 5000 // of functions: nothing that a person wrote needs more

// invoke runs a function, and returns what it returns first.
func (r *reader) invoke(f *function, args []value) value {
	if f.body == nil || r.running[f.body] || r.calls > mostCalls {
		return nil
	}
	r.running[f.body], f.called = true, true
	defer delete(r.running, f.body)
	r.calls++
	e := &env{vars: map[string]value{}, up: f.up}
	i := 0
	if f.typ != nil && f.typ.Params != nil {
		for _, p := range f.typ.Params.List {
			for _, name := range p.Names {
				if i < len(args) {
					e.vars[name.Name] = args[i]
				} else if kind := kindOf(p.Type); kind != "" {
					e.vars[name.Name] = r.newRouter(kind, name.Name)
				}
				i++
			}
		}
	}
	v, _ := r.exec(f.body.List, e)
	return v
}

// exec runs statements. done says that one of them returned.
func (r *reader) exec(list []ast.Stmt, e *env) (v value, done bool) {
	for _, s := range list {
		if v, done = r.stmt(s, e); done {
			return v, true
		}
	}
	return nil, false
}

func (r *reader) block(b ast.Stmt, e *env) {
	if b != nil {
		r.stmt(b, &env{vars: map[string]value{}, up: e})
	}
}

func (r *reader) stmt(s ast.Stmt, e *env) (v value, done bool) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		r.eval(s.X, e)
	case *ast.AssignStmt:
		r.assign(s.Lhs, s.Rhs, s.Tok == token.DEFINE, e)
	case *ast.DeclStmt:
		r.declStmt(s, e)
	case *ast.ReturnStmt:
		for i, x := range s.Results {
			if got := r.eval(x, e); i == 0 {
				v = got
			}
		}
		return v, true
	case *ast.BlockStmt:
		return r.exec(s.List, &env{vars: map[string]value{}, up: e})
	case *ast.IfStmt:
		r.branch(s, e)
	case *ast.ForStmt:
		r.block(s.Body, e)
	case *ast.RangeStmt:
		r.loop(s, e)
	case *ast.SwitchStmt:
		r.block(s.Body, e)
	case *ast.CaseClause:
		r.exec(s.Body, e)
	case *ast.GoStmt:
		r.eval(s.Call, e)
	case *ast.DeferStmt:
		r.eval(s.Call, e)
	}
	return nil, false
}

// branch reads both sides of an if, and says so where that matters.
func (r *reader) branch(s *ast.IfStmt, e *env) {
	inner := &env{vars: map[string]value{}, up: e}
	if s.Init != nil {
		r.stmt(s.Init, inner)
	}
	before := r.count
	r.block(s.Body, inner)
	r.block(s.Else, inner)
	if r.count != before {
		r.leave(r.line(s), "read as if the condition held")
	}
}

// loop runs a loop over strings as it is written, and any other one once.
func (r *reader) loop(s *ast.RangeStmt, e *env) {
	list, _ := r.eval(s.X, e).([]string)
	name, ok := s.Value.(*ast.Ident)
	if !ok || len(list) == 0 {
		r.block(s.Body, e)
		return
	}
	for _, text := range list {
		r.block(s.Body, &env{vars: map[string]value{name.Name: text}, up: e})
	}
}

func (r *reader) declStmt(s *ast.DeclStmt, e *env) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, name := range v.Names {
			switch kind := kindOf(v.Type); {
			case i < len(v.Values):
				r.assign([]ast.Expr{name}, v.Values[i:i+1], true, e)
			case kind != "":
				e.vars[name.Name] = r.newRouter(kind, name.Name)
			}
		}
	}
}

func (r *reader) assign(to, from []ast.Expr, define bool, e *env) {
	for i, x := range to {
		var v value
		if i < len(from) {
			v = r.eval(from[i], e)
		}
		if rt, ok := v.(*router); ok && rt.name == "" {
			rt.name = nameOf(x)
		}
		switch x := x.(type) {
		case *ast.Ident:
			if define {
				e.vars[x.Name] = v
			} else {
				e.set(x.Name, v)
			}
		case *ast.SelectorExpr:
			if v != nil {
				r.fields[x.Sel.Name] = v
			}
		}
	}
}

// eval returns what is known of an expression, and does what its calls do.
func (r *reader) eval(x ast.Expr, e *env) value {
	switch x := x.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(x.Value); err == nil && x.Kind == token.STRING {
			return text
		}
	case *ast.Ident:
		if v, ok := e.find(x.Name); ok {
			return v
		}
		if f := r.decls[x.Name]; f != nil && !f.method {
			return f
		}
	case *ast.ParenExpr:
		return r.eval(x.X, e)
	case *ast.StarExpr:
		return r.eval(x.X, e)
	case *ast.UnaryExpr:
		return r.eval(x.X, e)
	case *ast.TypeAssertExpr:
		return r.eval(x.X, e)
	case *ast.BinaryExpr:
		a, isA := r.eval(x.X, e).(string)
		b, isB := r.eval(x.Y, e).(string)
		if isA && isB && x.Op == token.ADD {
			return a + b
		}
	case *ast.FuncLit:
		return &function{typ: x.Type, body: x.Body, up: e}
	case *ast.CompositeLit:
		return r.literal(x, e)
	case *ast.SelectorExpr:
		return r.selector(x, e)
	case *ast.CallExpr:
		return r.call(x, e)
	}
	return nil
}

func (r *reader) selector(x *ast.SelectorExpr, e *env) value {
	name := x.Sel.Name
	if method, ok := strings.CutPrefix(name, "Method"); ok && textOf(x.X) == "http" {
		return strings.ToUpper(method)
	}
	if v, ok := r.fields[name]; ok {
		return v
	}
	if f := r.decls[name]; f != nil {
		return f
	}
	if textOf(x.X) == "echo" {
		return name // echo.GET
	}
	return nil
}

// literal is a router, a list of strings, or a struct whose fields are kept.
func (r *reader) literal(x *ast.CompositeLit, e *env) value {
	if kind := kindOf(x.Type); kind != "" {
		return r.newRouter(kind, "")
	}
	var list []string
	for _, elt := range x.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if v := r.eval(kv.Value, e); v != nil {
				r.fields[textOf(kv.Key)] = v
			}
			continue
		}
		text, ok := r.eval(elt, e).(string)
		if !ok {
			return nil
		}
		list = append(list, text)
	}
	return list
}

// textOf is an expression of names and dots as it is written, "" for any other.
func textOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		if of := textOf(x.X); of != "" {
			return of + "." + x.Sel.Name
		}
	case *ast.StarExpr:
		return textOf(x.X)
	case *ast.UnaryExpr:
		return textOf(x.X)
	case *ast.ParenExpr:
		return textOf(x.X)
	}
	return ""
}

// nameOf is what a reader would call a handler: of listUsers(db) and of
// http.HandlerFunc(listUsers) it is listUsers, and of a function without a name
// nothing.
func nameOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.CallExpr:
		name := textOf(x.Fun)
		if wraps := slices.Contains([]string{"http.HandlerFunc", "segue.Try", "Try", "gin.WrapF", "gin.WrapH", "echo.WrapHandler"}, name); wraps && len(x.Args) == 1 {
			return nameOf(x.Args[0])
		}
		if name == "" {
			if s, ok := x.Fun.(*ast.SelectorExpr); ok {
				return s.Sel.Name
			}
		}
		return name
	}
	return textOf(x)
}

// constructors are the calls that make a router, by the name of their package.
var constructors = map[string]string{
	"segue.New": "segue", "http.NewServeMux": "http", "chi.NewRouter": "chi", "chi.NewMux": "chi", "gin.Default": "gin", "gin.New": "gin",
	"echo.New": "echo", "mux.NewRouter": "mux", "express": "express", "express.Router": "express", "Router": "express",
}

// kindOf is the package of a router's type, "" for any other type.
func kindOf(x ast.Expr) string {
	switch textOf(x) {
	case "segue.Router":
		return "segue"
	case "http.ServeMux":
		return "http"
	case "chi.Router", "chi.Mux":
		return "chi"
	case "gin.Engine", "gin.RouterGroup", "gin.IRouter", "gin.IRoutes":
		return "gin"
	case "echo.Echo", "echo.Group":
		return "echo"
	case "mux.Router":
		return "mux"
	}
	return ""
}
