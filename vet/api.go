package vet

// This file knows the functions that the analyzer is about: which calls register
// a handler, where such a call has its pattern and handler, and which types are
// routers and handlers.

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"go/version"
	"net/http"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

const seguePath = "github.com/segue-go/segue"

// A program is one package with what both readings of it need.
type program struct {
	*analysis.Pass
	parents map[ast.Node]ast.Node
	changed *changes // see changes
	oldMux  bool     // http.ServeMux is the one before Go 1.22, without parameters
}

func newProgram(pass *analysis.Pass) *program {
	p := &program{Pass: pass, parents: map[ast.Node]ast.Node{}}
	v := pass.Pkg.GoVersion()
	p.oldMux = v != "" && version.Compare(v, "go1.22") < 0
	for _, file := range pass.Files {
		var stack []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if len(stack) > 0 {
				p.parents[n] = stack[len(stack)-1]
			}
			stack = append(stack, n)
			return true
		})
		for _, group := range file.Comments {
			for _, c := range group.List {
				p.oldMux = p.oldMux || strings.HasPrefix(c.Text, "//go:debug httpmuxgo121=1")
			}
		}
	}
	return p
}

// isTest reports whether a place is in a _test.go file.
func (p *program) isTest(pos token.Pos) bool {
	return strings.HasSuffix(p.Fset.File(pos).Name(), "_test.go")
}

// A registration is a call that gives a router a handler, a prefix or a
// middleware.
type registration struct {
	call    *ast.CallExpr
	router  ast.Expr // nil for http.DefaultServeMux
	name    string   // of the method: GET, HandleFunc, Mount and so on
	mux     bool     // the router is an http.ServeMux
	method  ast.Expr // of Method, nil for all others
	pattern ast.Expr // nil for With and Use
	handler ast.Expr // nil for Group, With, Use and Static
	mw      []ast.Expr
}

// receiver returns the expression that names the router.
func (reg *registration) receiver() ast.Expr {
	if reg.router == nil {
		return reg.call.Fun
	}
	return ast.Unparen(reg.router)
}

// verbs are the methods of a Router that take a path and a function.
var verbs = map[string]string{
	"GET": http.MethodGet, "POST": http.MethodPost, "PUT": http.MethodPut, "PATCH": http.MethodPatch,
	"DELETE": http.MethodDelete, "HEAD": http.MethodHead, "OPTIONS": http.MethodOptions, "Any": "",
}

// registration returns what a call registers, nil if it registers nothing.
func (p *program) registration(call *ast.CallExpr) *registration {
	fn := p.callee(call)
	if fn == nil || fn.Pkg() == nil {
		return nil
	}
	reg := &registration{call: call, name: fn.Name()}
	switch recv := receiver(fn); {
	case isType(recv, "net/http", "ServeMux"):
		reg.mux = true
	case isType(recv, seguePath, "Router"):
	case recv == nil && fn.Pkg().Path() == "net/http":
		reg.mux = true
	default:
		return nil
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && receiver(fn) != nil {
		reg.router = sel.X
	}
	if !reg.takeArguments() {
		return nil
	}
	return reg
}

// takeArguments finds pattern, handler and middleware among the arguments,
// false if the method is none that registers.
func (reg *registration) takeArguments() bool {
	args := reg.call.Args
	takes := 2
	switch _, isVerb := verbs[reg.name]; {
	case reg.name == "Handle", reg.name == "HandleFunc":
	case reg.mux:
		return false
	case isVerb, reg.name == "Mount":
	case reg.name == "Method":
		takes = 3
	case reg.name == "Group" && len(args) > 0:
		reg.pattern, reg.mw = args[0], args[1:]
		return true
	case reg.name == "With", reg.name == "Use":
		reg.mw = args
		return true
	case reg.name == "Static" && len(args) == 2:
		reg.pattern = args[0]
		return true
	default:
		return false
	}
	if len(args) != takes { // one call that returns them all
		return false
	}
	if takes == 3 {
		reg.method = args[0]
	}
	reg.pattern, reg.handler = args[takes-2], args[takes-1]
	return true
}

// callee returns the function or method that a call names, nil for a value.
func (p *program) callee(call *ast.CallExpr) *types.Func {
	fn, _ := typeutil.Callee(p.TypesInfo, call).(*types.Func)
	if fn != nil {
		fn = fn.Origin()
	}
	return fn
}

// isCallOf reports whether a call names one of the functions of a package.
func isCallOf(fn *types.Func, path string, names ...string) bool {
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != path {
		return false
	}
	for _, name := range names {
		if fn.Name() == name {
			return true
		}
	}
	return false
}

// receiver returns the type that fn is a method of, nil for a function.
func receiver(fn *types.Func) types.Type {
	if recv := fn.Signature().Recv(); recv != nil {
		return recv.Type()
	}
	return nil
}

// isType reports whether t, or what it points to, is a package's named type.
func isType(t types.Type, path, name string) bool {
	if t == nil {
		return false
	}
	t = types.Unalias(t)
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	named, ok := t.(*types.Named)
	return ok && named.Obj().Name() == name && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == path
}

func isRequest(t types.Type) bool {
	_, isPointer := types.Unalias(t).(*types.Pointer)
	return isPointer && isType(t, "net/http", "Request")
}

func isMux(t types.Type) bool    { return isType(t, "net/http", "ServeMux") }
func isRouter(t types.Type) bool { return isMux(t) || isType(t, seguePath, "Router") }

// isHandler reports whether t serves requests.
func isHandler(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "ServeHTTP")
	fn, ok := obj.(*types.Func)
	return ok && requestParam(fn.Signature()) >= 0
}

// requestParam returns the index of the one parameter that is a request, -1 if
// there is none, or more than one.
func requestParam(sig *types.Signature) int {
	found := -1
	for i := range sig.Params().Len() {
		if isRequest(sig.Params().At(i).Type()) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// handles reports whether a value of type t can have to do with requests: a
// handler, a router, a function of a request, a middleware, or several of them.
func handles(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return handles(t.Elem())
	case *types.Signature:
		for v := range t.Params().Variables() {
			if isRequest(v.Type()) || isHandler(v.Type()) {
				return true
			}
		}
		return false
	}
	return isHandler(t)
}

// text returns the value of a constant string.
func (p *program) text(e ast.Expr) (string, bool) {
	if e == nil {
		return "", false
	}
	v := p.TypesInfo.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// placeOf returns where byte offset of a constant string stands in the source,
// or where the expression begins if no literal shows it byte for byte.
func (p *program) placeOf(e ast.Expr, offset int) token.Pos {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		if s, ok := p.text(e); ok && len(s) == len(e.Value)-2 && offset <= len(s) {
			return e.Pos() + token.Pos(1+offset)
		}
	case *ast.BinaryExpr:
		if left, ok := p.text(e.X); ok && offset < len(left) {
			return p.placeOf(e.X, offset)
		} else if ok {
			return p.placeOf(e.Y, offset-len(left))
		}
	}
	return e.Pos()
}
