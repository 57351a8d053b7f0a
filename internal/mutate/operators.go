package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// A mutant is one change of the source.
type mutant struct {
	id       int
	file     string
	function string // "package" outside of functions
	line     int
	code     string // the line as it stands
	operator string
	old, new string // what is shown of the change
	from, to int    // offsets of what is replaced,
	text     string // and by what
	in       *ast.FuncDecl

	fate   fate
	killer string // the test that told, or how it died
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d %s: %s: %s → %s", m.file, m.line, m.function, m.operator, m.old, m.new)
}

// An operators walks over a file and notes what can be changed in it.
type operators struct {
	*source
	in   *ast.FuncDecl
	sigs []*ast.FuncType // of the functions that enclose the node, the innermost last
}

var negated = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.GEQ, token.GEQ: token.LSS,
	token.GTR: token.LEQ, token.LEQ: token.GTR,
}

var moved = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR,
}

var swapped = map[token.Token]token.Token{
	token.ADD: token.SUB, token.SUB: token.ADD,
	token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.MUL,
	token.AND: token.OR, token.OR: token.AND, token.XOR: token.AND, token.AND_NOT: token.AND,
	token.SHL: token.SHR, token.SHR: token.SHL,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN, token.REM_ASSIGN: token.MUL_ASSIGN,
	token.AND_ASSIGN: token.OR_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN,
	token.XOR_ASSIGN: token.AND_ASSIGN, token.AND_NOT_ASSIGN: token.AND_ASSIGN,
	token.SHL_ASSIGN: token.SHR_ASSIGN, token.SHR_ASSIGN: token.SHL_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC,
}

// decl notes the changes inside one declaration.
func (o *operators) decl(d ast.Decl) {
	o.in, o.sigs = nil, nil
	if f, ok := d.(*ast.FuncDecl); ok {
		o.in, o.sigs = f, []*ast.FuncType{f.Type}
	}
	o.walk(d)
}

func (o *operators) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			o.sigs = append(o.sigs, n.Type)
			o.walk(n.Body)
			o.sigs = o.sigs[:len(o.sigs)-1]
			return false
		case *ast.ArrayType: // its length is part of a type, which other functions name too
			o.walk(n.Elt)
			return false
		case ast.Expr:
			o.expr(n)
		case ast.Stmt:
			o.stmt(n)
		}
		return true
	})
}

func (o *operators) expr(e ast.Expr) {
	if !o.info.Types[e].IsValue() {
		return // a type such as int | string
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if to, ok := negated[e.Op]; ok {
			o.binary("negate", e, to)
		}
		if to, ok := moved[e.Op]; ok {
			o.binary("boundary", e, to)
		}
		if to, ok := swapped[e.Op]; ok {
			o.binary("swap", e, to)
		}
		if e.Op == token.LAND || e.Op == token.LOR {
			o.condition(e.X)
			o.condition(e.Y)
		}
	case *ast.UnaryExpr:
		if e.Op == token.NOT || e.Op == token.SUB || e.Op == token.XOR {
			o.note("unary", e.Op.String(), "", e.Pos(), e.End(), "("+o.src(e.X)+")")
		}
	case *ast.BasicLit:
		if e.Kind == token.INT {
			o.note("constant", e.Value, e.Value+"+1", e.Pos(), e.End(), "("+e.Value+"+1)")
			o.note("constant", e.Value, e.Value+"-1", e.Pos(), e.End(), "("+e.Value+"-1)")
		}
	}
}

// binary puts both sides in parentheses, since operators differ in precedence.
func (o *operators) binary(name string, e *ast.BinaryExpr, to token.Token) {
	text := "((" + o.src(e.X) + ")" + to.String() + "(" + o.src(e.Y) + "))"
	o.noteAt(e.OpPos, name, e.Op.String(), to.String(), e.Pos(), e.End(), text)
}

// condition negates what is no operator: a variable or a call.
func (o *operators) condition(e ast.Expr) {
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.IndexExpr:
		if b, ok := o.info.TypeOf(e).Underlying().(*types.Basic); ok && b.Info()&types.IsBoolean != 0 {
			o.note("negate", o.src(e), "!"+o.src(e), e.Pos(), e.End(), "!("+o.src(e)+")")
		}
	}
}

func (o *operators) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		o.remove(s.List)
	case *ast.CaseClause:
		o.clause(s)
	case *ast.CommClause:
		o.remove(s.Body)
	case *ast.IfStmt:
		o.condition(s.Cond)
		o.empty("if", s.Body)
		if b, ok := s.Else.(*ast.BlockStmt); ok {
			o.empty("else", b)
		}
	case *ast.ForStmt:
		if s.Cond != nil {
			o.condition(s.Cond)
		}
		o.empty("for", s.Body)
	case *ast.RangeStmt:
		o.empty("for", s.Body)
	case *ast.IncDecStmt:
		to := swapped[s.Tok]
		o.note("swap", s.Tok.String(), to.String(), s.TokPos, s.End(), to.String())
	case *ast.AssignStmt:
		if to, ok := swapped[s.Tok]; ok {
			o.note("swap", s.Tok.String(), to.String(), s.TokPos, s.TokPos+token.Pos(len(s.Tok.String())), to.String())
		}
	case *ast.ReturnStmt:
		o.zero(s)
	}
}

func (o *operators) clause(c *ast.CaseClause) {
	for _, e := range c.List {
		o.condition(e)
	}
	o.remove(c.Body)
	if len(c.Body) > 1 { // one alone is removed already
		from, to := c.Body[0].Pos(), c.Body[len(c.Body)-1].End()
		o.noteAt(c.Pos(), "empty", "case", "nothing", from, to, removed(o.text(from, to)))
	}
}

// empty takes what a branch does away.
func (o *operators) empty(what string, b *ast.BlockStmt) {
	if len(b.List) > 0 {
		o.note("empty", what, "nothing", b.Pos(), b.End(), "{"+removed(o.src(b))+"}")
	}
}

// remove takes statements away, one for each mutant.
func (o *operators) remove(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
		case *ast.ReturnStmt:
			if len(s.Results) > 0 && len(list) == 1 {
				continue // the branch is emptied already
			}
		default:
			continue
		}
		o.note("remove", o.src(s), "nothing", s.Pos(), s.End(), removed(o.src(s)))
	}
}

// removed keeps code where the compiler sees that it uses its variables, and
// never runs it.
func removed(code string) string { return "if true {} else { " + code + " }" }

// zero returns the zero value in place of each result, and for a bool the other
// one.
func (o *operators) zero(s *ast.ReturnStmt) {
	results := fields(o.sigs[len(o.sigs)-1].Results)
	if len(s.Results) == 1 && len(results) > 1 {
		text := ""
		for i, r := range results {
			if i > 0 {
				text += ", "
			}
			text += o.zeroOf(r)
		}
		o.note("return", o.src(s.Results[0]), text, s.Results[0].Pos(), s.Results[0].End(), text)
		return
	}
	for i, e := range s.Results {
		if i >= len(results) {
			return
		}
		if v := o.info.Types[e].Value; v != nil && (v.ExactString() == "0" || v.ExactString() == `""`) {
			continue
		}
		was, values := o.src(e), []string{o.zeroOf(results[i])}
		if values[0] == "false" {
			values = append(values, "true")
		}
		for _, v := range values {
			if v != was {
				o.note("return", was, v, e.Pos(), e.End(), v)
			}
		}
	}
}

// zeroOf is how the zero value of a type is written.
func (o *operators) zeroOf(e ast.Expr) string {
	t := o.info.TypeOf(e)
	if _, ok := t.(*types.TypeParam); ok {
		return "*new(" + o.src(e) + ")"
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case t.Info()&types.IsBoolean != 0:
			return "false"
		case t.Info()&types.IsString != 0:
			return `""`
		}
		return "0"
	case *types.Struct, *types.Array:
		return o.src(e) + "{}"
	}
	return "nil"
}

// fields lists types, one for each value.
func fields(list *ast.FieldList) []ast.Expr {
	if list == nil {
		return nil
	}
	var all []ast.Expr
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			all = append(all, f.Type)
		}
	}
	return all
}
