//go:build playground

package engine

// This file reads Express programs. It makes of JavaScript what the parser of Go
// makes of Go, as far as routes need it: calls, strings, variables and functions.
// Everything else becomes an expression that says nothing.

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A jsToken is a word, a string, or a sign.
type jsToken struct {
	kind jsKind
	text string // of a string, what it says
	at   int
	line int
}

type jsKind int

const (
	jsEnd jsKind = iota
	jsWord
	jsString
	jsOther // a number, a regular expression, a template with values in it
	jsSign
)

// parseJS returns the statements of a program.
func (r *reader) parseJS(text string) []ast.Stmt {
	file := r.fset.AddFile("1", -1, len(text)+1)
	file.SetLinesForContent([]byte(text))
	p := &jsParser{r: r, file: file, tokens: scanJS(text)}
	return p.statements()
}

// scanJS takes a program apart. Comments are left out.
func scanJS(text string) []jsToken {
	var all []jsToken
	line := 1
	for i := 0; i < len(text); {
		c, from := text[i], i
		kind, said := jsSign, ""
		switch {
		case strings.ContainsRune(" \t\r\n", rune(c)):
			i++
			if c == '\n' {
				line++
			}
			continue
		case strings.HasPrefix(text[i:], "//"), strings.HasPrefix(text[i:], "/*"):
			i = endOfComment(text, i)
			line += strings.Count(text[from:i], "\n")
			continue
		case c == '"' || c == '\'' || c == '`':
			said, i, kind = jsQuoted(text, i)
		case c == '/' && regexpMayFollow(all):
			_, i, _ = jsQuoted(text, i)
			kind = jsOther
		case isWordByte(c):
			for i < len(text) && isWordByte(text[i]) {
				i++
			}
			kind, said = jsWord, text[from:i]
			if unicode.IsDigit(rune(c)) {
				kind = jsOther
			}
		case strings.HasPrefix(text[i:], "=>"), strings.HasPrefix(text[i:], "?."):
			i += 2
			said = strings.ReplaceAll(text[from:i], "?.", ".")
		case strings.HasPrefix(text[i:], "..."):
			i += 3
			continue
		default:
			i++
			said = text[from:i]
		}
		all = append(all, jsToken{kind, said, from, line})
		line += strings.Count(text[from:i], "\n")
	}
	return append(all, jsToken{kind: jsEnd, at: len(text), line: line})
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func endOfComment(text string, i int) int {
	end := "\n"
	if text[i+1] == '*' {
		end = "*/"
	}
	if n := strings.Index(text[i+2:], end); n >= 0 {
		return i + 2 + n + len(strings.TrimPrefix(end, "\n"))
	}
	return len(text)
}

// regexpMayFollow tells a regular expression from a division.
func regexpMayFollow(before []jsToken) bool {
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	return last.kind == jsSign && !strings.Contains(")]}", last.text) || last.text == "return"
}

// jsQuoted reads what is quoted by the byte at i.
func jsQuoted(text string, i int) (said string, end int, kind jsKind) {
	quote := text[i]
	var b strings.Builder
	kind = jsString
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case c == quote:
			return b.String(), i + 1, kind
		case c == '\n' && quote != '`':
			return b.String(), i, jsOther
		case c == '$' && quote == '`' && strings.HasPrefix(text[i:], "${"):
			kind = jsOther
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), len(text), jsOther
}

// A jsParser reads tokens. What it does not know it passes over.
type jsParser struct {
	r      *reader
	file   *token.File
	tokens []jsToken
	i      int
	depth  int
}

func (p *jsParser) peek() jsToken { return p.tokens[p.i] }

func (p *jsParser) next() jsToken {
	t := p.tokens[p.i]
	if t.kind != jsEnd {
		p.i++
	}
	return t
}

func (p *jsParser) is(text string) bool {
	t := p.peek()
	return t.text == text && (t.kind == jsSign || t.kind == jsWord)
}

func (p *jsParser) skip(text string) bool {
	if p.is(text) {
		p.i++
		return true
	}
	return false
}

func (p *jsParser) pos() token.Pos { return p.file.Pos(p.peek().at) }

// statements reads up to a closing brace or the end.
func (p *jsParser) statements() []ast.Stmt {
	var all []ast.Stmt
	for p.peek().kind != jsEnd && !p.is("}") {
		before := p.i
		if s := p.statement(); s != nil {
			all = append(all, s)
		}
		if p.i == before {
			p.i++
		}
	}
	return all
}

func (p *jsParser) statement() ast.Stmt {
	switch t := p.peek(); {
	case p.skip(";"), p.skip("export"), p.skip("default"), p.skip("async"), p.skip("else"), p.skip("try"), p.skip("finally"), p.skip("do"):
		return nil
	case p.is("{"):
		return p.block()
	case p.is("import"):
		p.passStatement()
		return nil
	case slices.Contains([]string{"if", "for", "while", "switch", "catch"}, t.text) && t.kind == jsWord:
		p.next()
		p.passGroup()
		return nil // its block, or its one statement, is read as it comes
	case p.skip("const"), p.skip("let"), p.skip("var"):
		return p.declaration()
	case p.is("function") && p.tokens[p.i+1].kind == jsWord:
		p.next()
		name := p.next().text
		f := &function{name: name, up: p.r.top}
		lit := p.function()
		f.typ, f.body = lit.Type, lit.Body
		p.r.declare(name, f)
		return nil
	case p.skip("return"):
		if p.is(";") || p.is("}") {
			return &ast.ReturnStmt{}
		}
		return &ast.ReturnStmt{Results: []ast.Expr{p.expression()}}
	}
	x := p.expression()
	if p.skip("=") {
		return &ast.AssignStmt{Lhs: []ast.Expr{x}, Tok: token.ASSIGN, Rhs: []ast.Expr{p.expression()}}
	}
	return &ast.ExprStmt{X: x}
}

func (p *jsParser) block() *ast.BlockStmt {
	b := &ast.BlockStmt{Lbrace: p.pos()}
	p.skip("{")
	if p.depth++; p.depth > 200 {
		p.i = len(p.tokens) - 1
	}
	b.List = p.statements()
	p.depth--
	p.skip("}")
	return b
}

// declaration is what follows const, let and var: a name and a value.
func (p *jsParser) declaration() ast.Stmt {
	if p.peek().kind != jsWord {
		p.passStatement() // const { Router } = require("express")
		return nil
	}
	name := p.next().text
	if !p.skip("=") {
		return nil
	}
	x := p.expression()
	if f, ok := x.(*ast.FuncLit); ok {
		p.r.declare(name, &function{name: name, typ: f.Type, body: f.Body, up: p.r.top})
		return nil
	}
	return &ast.AssignStmt{Lhs: []ast.Expr{ast.NewIdent(name)}, Tok: token.DEFINE, Rhs: []ast.Expr{x}}
}

// passStatement passes over what is left of a line.
func (p *jsParser) passStatement() {
	for line := p.peek().line; p.peek().kind != jsEnd && !p.is(";"); {
		if strings.Contains("([{", p.peek().text) && p.peek().kind == jsSign {
			p.passGroup()
		} else if p.peek().line > line {
			return
		} else {
			p.next()
		}
	}
}

// passGroup passes over what brackets hold.
func (p *jsParser) passGroup() {
	depth := 0
	for p.peek().kind != jsEnd {
		t := p.next()
		if t.kind == jsSign && strings.Contains("([{", t.text) {
			depth++
		} else if t.kind == jsSign && strings.Contains(")]}", t.text) {
			depth--
		}
		if depth <= 0 {
			return
		}
	}
}

// expression reads up to a comma, a semicolon, a closing bracket, or a line that
// begins anew.
func (p *jsParser) expression() ast.Expr {
	x := p.operand()
	for p.skip("+") {
		x = &ast.BinaryExpr{X: x, Op: token.ADD, Y: p.operand()}
	}
	for !p.ends() { // an operator that says nothing here
		if t := p.peek(); t.kind == jsSign && strings.Contains("([{", t.text) {
			p.passGroup()
		} else {
			p.next()
		}
		x = &ast.BadExpr{From: x.Pos()}
	}
	return x
}

func (p *jsParser) ends() bool {
	t := p.peek()
	switch {
	case t.kind == jsEnd:
		return true
	case t.kind == jsSign && (strings.Contains(",;)]}", t.text) || t.text == "=" && p.tokens[p.i+1].text != "="):
		return true
	}
	return p.i > 0 && t.line > p.tokens[p.i-1].line && t.kind != jsSign
}

// operand is a value and the calls on it.
func (p *jsParser) operand() ast.Expr {
	for p.skip("await") || p.skip("new") || p.skip("async") || p.skip("!") || p.skip("typeof") {
	}
	x := p.primary()
	for {
		switch pos := p.pos(); {
		case p.skip("."):
			x = &ast.SelectorExpr{X: x, Sel: &ast.Ident{NamePos: p.pos(), Name: p.next().text}}
		case p.is("("):
			x = &ast.CallExpr{Fun: x, Lparen: pos, Args: p.list("(", ")")}
		case p.is("["):
			p.passGroup()
			x = &ast.BadExpr{From: x.Pos()}
		default:
			return x
		}
	}
}

// list reads what brackets hold, with commas between.
func (p *jsParser) list(open, end string) []ast.Expr {
	var all []ast.Expr
	p.skip(open)
	for p.peek().kind != jsEnd && !p.skip(end) {
		before := p.i
		if all = append(all, p.expression()); !p.skip(",") && p.i == before {
			p.i++
		}
	}
	return all
}

func (p *jsParser) primary() ast.Expr {
	pos := p.pos()
	switch t := p.peek(); {
	case p.is("function"):
		p.next()
		if p.peek().kind == jsWord {
			p.next()
		}
		return p.function()
	case p.isArrow():
		return p.function()
	case p.is("("):
		inside := p.list("(", ")")
		if len(inside) == 1 {
			return &ast.ParenExpr{Lparen: pos, X: inside[0]}
		}
	case p.is("["):
		return &ast.CompositeLit{Lbrace: pos, Elts: p.list("[", "]")}
	case p.is("{"):
		p.passGroup()
	case p.is("require"):
		return p.require()
	case t.kind == jsString:
		p.next()
		return &ast.BasicLit{ValuePos: pos, Kind: token.STRING, Value: strconv.Quote(t.text)}
	case t.kind == jsWord:
		p.next()
		return &ast.Ident{NamePos: pos, Name: t.text}
	case t.kind == jsOther:
		p.next()
	}
	return &ast.BadExpr{From: pos}
}

// require is Express itself, or a name for what another file exports.
func (p *jsParser) require() ast.Expr {
	pos := p.pos()
	p.next()
	name := "required"
	if args := p.list("(", ")"); len(args) == 1 {
		if lit, ok := args[0].(*ast.BasicLit); ok {
			file, _ := strconv.Unquote(lit.Value)
			name = file[strings.LastIndexByte(file, '/')+1:]
		}
	}
	return &ast.Ident{NamePos: pos, Name: name}
}

// isArrow reports whether an arrow function begins here: (a, b) => or a =>.
func (p *jsParser) isArrow() bool {
	if p.peek().kind == jsWord {
		return p.tokens[p.i+1].text == "=>"
	}
	if !p.is("(") {
		return false
	}
	before := p.i
	defer func() { p.i = before }()
	p.passGroup()
	return p.is("=>")
}

// function reads parameters and a body.
func (p *jsParser) function() *ast.FuncLit {
	typ := &ast.FuncType{Func: p.pos(), Params: &ast.FieldList{}}
	names := []ast.Expr{}
	if p.peek().kind == jsWord {
		names = append(names, ast.NewIdent(p.next().text))
	} else {
		names = p.list("(", ")")
	}
	for _, x := range names {
		name, ok := x.(*ast.Ident)
		if !ok {
			name = ast.NewIdent("_")
		}
		typ.Params.List = append(typ.Params.List, &ast.Field{Names: []*ast.Ident{name}})
	}
	p.skip("=>")
	if p.is("{") {
		return &ast.FuncLit{Type: typ, Body: p.block()}
	}
	return &ast.FuncLit{Type: typ, Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{p.expression()}}}}}
}
