package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A source is a file of a package, with its mutants.
type source struct {
	path      string // as the data has it
	dir, name string
	bytes     []byte
	syntax    *ast.File
	fset      *token.FileSet
	info      *types.Info
	others    []string // the package's other files
	imports   types.Importer
	mutants   []*mutant
}

// load parses a file and lists its mutants, those left out that do not compile.
func load(file string, only *regexp.Regexp) (*source, error) {
	f := &source{path: filepath.ToSlash(filepath.Clean(file)), dir: filepath.Dir(file), name: filepath.Base(file), fset: token.NewFileSet()}
	if err := f.list(); err != nil {
		return nil, err
	}
	var err error
	if f.bytes, err = os.ReadFile(file); err != nil {
		return nil, err
	}
	if f.syntax, err = parser.ParseFile(f.fset, f.name, f.bytes, parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	f.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	if errs := f.check(f.info, f.syntax); len(errs) > 0 {
		return nil, errs[0]
	}
	o := operators{source: f}
	for _, d := range f.syntax.Decls {
		o.decl(d)
	}
	f.mutants = slices.DeleteFunc(f.mutants, func(m *mutant) bool { return !only.MatchString(m.String()) })
	return f, f.dropBroken()
}

// list asks go which files the package has, and where the export data of what
// it imports is.
func (f *source) list() error {
	var pkg struct{ GoFiles []string }
	if err := golist(f.dir, &pkg, "-json=GoFiles"); err != nil {
		return err
	}
	f.others = slices.DeleteFunc(pkg.GoFiles, func(name string) bool { return name == f.name })
	if len(f.others) == len(pkg.GoFiles) && !slices.Contains(pkg.GoFiles, f.name) {
		return fmt.Errorf("%s is no file of the package in %s", f.name, f.dir)
	}
	exports := map[string]string{}
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export", ".", "os", "strconv")
	cmd.Dir, cmd.Stderr = f.dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var dep struct{ ImportPath, Export string }
		if err := dec.Decode(&dep); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		exports[dep.ImportPath] = dep.Export
	}
	f.imports = importer.ForCompiler(f.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	return nil
}

func golist(dir string, into any, args ...string) error {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	return json.Unmarshal(out, into)
}

// check type-checks the package with these files in the place of the file.
func (f *source) check(info *types.Info, files ...*ast.File) []error {
	for _, name := range f.others {
		other, err := parser.ParseFile(f.fset, filepath.Join(f.dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return []error{err}
		}
		files = append(files, other)
	}
	var errs []error
	conf := types.Config{Importer: f.imports, Error: func(err error) { errs = append(errs, err) }}
	conf.Check(f.syntax.Name.Name, f.fset, files, info)
	return errs
}

// dropBroken compiles all mutants and drops those that have errors.
func (f *source) dropBroken() error {
	broken := map[*mutant]bool{}
	text, lines := f.withCopies()
	copies, err := parser.ParseFile(f.fset, "copies.go", text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	on, err := parser.ParseFile(f.fset, "on.go", switchText(f.syntax.Name.Name), parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, err := range f.check(nil, copies, on) {
		at := f.fset.Position(err.(types.Error).Pos)
		m := lines.at(at.Line)
		if at.Filename != "copies.go" || m == nil {
			return err
		}
		broken[m] = true
	}
	for _, m := range f.mutants {
		if !m.isCopied() {
			single, err := parser.ParseFile(f.fset, "single.go", m.apply(f.bytes), parser.SkipObjectResolution)
			broken[m] = err != nil || len(f.check(nil, single)) > 0
		}
	}
	f.mutants = slices.DeleteFunc(f.mutants, func(m *mutant) bool { return broken[m] })
	return nil
}

func (f *source) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *source) text(from, to token.Pos) string {
	return string(f.bytes[f.offset(from):f.offset(to)])
}

func (f *source) src(n ast.Node) string { return f.text(n.Pos(), n.End()) }

func (o *operators) note(operator, old, new string, from, to token.Pos, text string) {
	o.noteAt(from, operator, old, new, from, to, text)
}

func (o *operators) noteAt(at token.Pos, operator, old, new string, from, to token.Pos, text string) {
	line := o.fset.Position(at).Line
	m := &mutant{
		id: len(o.mutants) + 1, file: o.name, in: o.in, line: line, operator: operator,
		code: oneLine(strings.Split(string(o.bytes), "\n")[line-1]),
		old:  oneLine(old), new: oneLine(new),
		from: o.offset(from), to: o.offset(to), text: text,
	}
	if m.function = "package"; o.in != nil {
		m.function = nameOf(o.in)
	}
	o.mutants = append(o.mutants, m)
}

// oneLine is a text with one space for each run of white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// nameOf is a function's name as in a stack trace.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	switch t := f.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		return fmt.Sprintf("(*%v).%s", t.X, f.Name.Name)
	default:
		return fmt.Sprintf("%v.%s", t, f.Name.Name)
	}
}

func (m *mutant) apply(text []byte) []byte {
	return slices.Concat(text[:m.from], []byte(m.text), text[m.to:])
}
