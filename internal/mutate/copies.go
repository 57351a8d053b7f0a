package main

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

const variable = "MUTANT"

// switchText is the file that is added to the package: the number of the mutant
// that stands in for its function, 0 for none.
func switchText(pkg string) string {
	return `package ` + pkg + `

import (
	"os"
	"strconv"
)

var mutantOn = func() int { n, _ := strconv.Atoi(os.Getenv("` + variable + `")); return n }()
`
}

// isCopied reports whether a mutant can be a copy of its function. Where there
// is none, or it cannot be called from itself with its own arguments, the mutant
// gets a binary of its own.
func (m *mutant) isCopied() bool {
	if m.in == nil || m.in.Body == nil || m.in.Recv == nil && m.in.Name.Name == "init" {
		return false
	}
	lists := []*ast.FieldList{m.in.Type.Params}
	if m.in.Recv != nil {
		lists = append(lists, m.in.Recv)
	}
	for _, list := range lists {
		for _, p := range list.List {
			if len(p.Names) == 0 || slices.ContainsFunc(p.Names, func(id *ast.Ident) bool { return id.Name == "_" }) {
				return false
			}
		}
	}
	recovers := false // which works in the deferred function alone
	ast.Inspect(m.in.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		recovers = recovers || ok && id.Name == "recover"
		return !recovers
	})
	return !recovers
}

// ranges tells which mutant a line of the copies belongs to.
type ranges []struct {
	from, to int
	m        *mutant
}

func (r ranges) at(line int) *mutant {
	for _, x := range r {
		if x.from <= line && line <= x.to {
			return x.m
		}
	}
	return nil
}

// withCopies is the file's text with a copy of its function for each mutant.
// The original keeps its lines.
func (f *source) withCopies() ([]byte, ranges) {
	heads := map[*ast.FuncDecl]string{}
	var copies strings.Builder
	var lines ranges
	line := strings.Count(string(f.bytes), "\n") + 1
	for _, m := range f.mutants {
		if !m.isCopied() {
			continue
		}
		name := fmt.Sprintf("%s_mutant%d", m.in.Name.Name, m.id)
		heads[m.in] += fmt.Sprintf("case %d: %s; ", m.id, f.call(m.in, name))
		from, to := f.offset(m.in.Pos()), f.offset(m.in.End())
		at, end := f.offset(m.in.Name.Pos()), f.offset(m.in.Name.End())
		text := "\n" + string(f.bytes[from:at]) + name + string(f.bytes[end:m.from]) + m.text + string(f.bytes[m.to:to]) + "\n"
		copies.WriteString(text)
		n := strings.Count(text, "\n")
		lines = append(lines, struct {
			from, to int
			m        *mutant
		}{line, line + n, m})
		line += n
	}
	var b strings.Builder
	done := 0
	for _, d := range f.syntax.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && heads[fd] != "" {
			at := f.offset(fd.Body.Lbrace) + 1
			b.Write(f.bytes[done:at])
			b.WriteString(" if mutantOn != 0 { switch mutantOn { " + heads[fd] + "} }; ")
			done = at
		}
	}
	b.Write(f.bytes[done:])
	b.WriteString(copies.String())
	return []byte(b.String()), lines
}

// call is the statement that goes on to a copy.
func (f *source) call(fd *ast.FuncDecl, name string) string {
	var args []string
	for _, p := range fd.Type.Params.List {
		for _, id := range p.Names {
			arg := id.Name
			if _, ok := p.Type.(*ast.Ellipsis); ok {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	if fd.Recv != nil {
		name = fd.Recv.List[0].Names[0].Name + "." + name
	}
	if fd.Type.TypeParams != nil {
		var params []string
		for _, p := range fd.Type.TypeParams.List {
			for _, id := range p.Names {
				params = append(params, id.Name)
			}
		}
		name += "[" + strings.Join(params, ", ") + "]"
	}
	text := name + "(" + strings.Join(args, ", ") + ")"
	if fd.Type.Results == nil {
		return text + "; return"
	}
	return "return " + text
}
