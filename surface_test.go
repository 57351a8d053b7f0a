package segue_test

import (
	"flag"
	"fmt"
	"go/ast"
	gobuild "go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const surfaceFile = "testdata/surface.txt"

var updateSurface = flag.Bool("update", false, "write "+surfaceFile+" anew")

// What the package exports is one list that a review sees. The build tags that
// a user may set do not change it; playground, which is ours, may only add.
func TestSurface(t *testing.T) {
	surface := exported(t)
	assert.Empty(t, surfaceDiff(surface, exported(t, "purego")), "purego exports something else")

	for _, line := range surfaceDiff(surface, exported(t, "playground")) {
		assert.Regexp(t, `^\+ `, line, "the tag playground takes something away")
	}

	if *updateSurface {
		require.NoError(t, os.WriteFile(surfaceFile, []byte(strings.Join(surface, "\n")+"\n"), 0o666))
	}
	golden, err := os.ReadFile(surfaceFile)
	require.NoError(t, err)
	if diff := surfaceDiff(strings.Split(strings.TrimSpace(string(golden)), "\n"), surface); len(diff) > 0 {
		t.Errorf("the package exports something else than %s says:\n\n%s\n\nIf that is meant, CONTRIBUTING.md says which version it makes; then run\n\n\tgo test -run TestSurface -update .",
			surfaceFile, strings.Join(diff, "\n"))
	}
}

// The names that the tag playground adds exist, so that their absence above says
// something.
func TestSurfaceOfThePlayground(t *testing.T) {
	playground := exported(t, "playground")
	assert.Contains(t, playground, "method (Trace) Notes() []string")
	assert.NotContains(t, exported(t), "method (Trace) Notes() []string")
}

// What the package has no example of yet is written down as well.
func TestSurfaceOfEveryKind(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "kinds.go", `package segue
import "io"
const (A = iota; B; c)
const Text string = "a\nb"
var V, w = 1.5, 2
type Number int
func (Number) Get() int { return 0 }
func (*Number) Set(int) {}
func (Number) hidden() {}
type List[T ~int | ~string, U any] struct{ Items []T; more U }
func (l *List[T, U]) Add(item T) {}
type Reader interface{ io.Reader; Close() error; hidden() }
type base struct{ Shown string }
func (*base) Promoted(a, b string) {}
type Struct struct { base; *Number; Name string `+"`json:\"name\"`"+`; hidden func() }
type Alias = Struct
type unexported struct{ Field int }
`, parser.SkipObjectResolution)
	require.NoError(t, err)
	assert.Equal(t, []string{
		`const A untyped int = 0`,
		`const B untyped int = 1`,
		`const Text string = "a\nb"`,
		`field List.Items []T`,
		`field Struct.Name string "json:\"name\""`,
		`field Struct.Number *Number, embedded`,
		`field Struct.Shown string`,
		`method (*List) Add(item T)`,
		`method (*Number) Set(int)`,
		`method (*Struct) Promoted(a string, b string)`,
		`method (Number) Get() int`,
		`method (Struct) Get() int`,
		`method (Struct) Set(int)`,
		`type Alias = Struct`,
		`type List[T ~int | ~string, U any] struct, not comparable`,
		`type Number int`,
		`type Reader interface{Close() error; hidden(); io.Reader}`,
		`type Struct struct, not comparable`,
		`var V float64`,
	}, describePackage(checkFiles(t, fset, []*ast.File{file}, nil).Scope()))
}

// exported lists all that a user of the package can name, a line each, as it is
// under the build tags.
func exported(t *testing.T, tags ...string) []string {
	t.Helper()
	return describePackage(checkPackage(t, tags...).Scope())
}

func describePackage(scope *types.Scope) []string {
	var lines []string
	for _, name := range scope.Names() {
		if ast.IsExported(name) {
			lines = append(lines, describe(scope.Lookup(name))...)
		}
	}
	slices.Sort(lines)
	return lines
}

// checkPackage type-checks the package's own files, without its tests.
func checkPackage(t *testing.T, tags ...string) *types.Package {
	t.Helper()
	fset, files := parsePackage(t, tags...)
	return checkFiles(t, fset, files, nil)
}

func parsePackage(t *testing.T, tags ...string) (fset *token.FileSet, files []*ast.File) {
	t.Helper()
	context := gobuild.Default
	context.BuildTags = tags
	listed, err := context.ImportDir(".", 0)
	require.NoError(t, err)

	fset = token.NewFileSet()
	for _, name := range listed.GoFiles {
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	return fset, files
}

// checkFiles type-checks; info, unless nil, takes what is learned.
func checkFiles(t *testing.T, fset *token.FileSet, files []*ast.File, info *types.Info) *types.Package {
	t.Helper()
	config := types.Config{Importer: importer.Default()}
	checked, err := config.Check("segue", fset, files, info)
	require.NoError(t, err)
	return checked
}

// ofOthers writes the names of other packages with their package.
func ofOthers(p *types.Package) string {
	if p.Name() == "segue" {
		return ""
	}
	return p.Name()
}

func describe(object types.Object) []string {
	switch object := object.(type) {
	case *types.Const:
		return []string{fmt.Sprintf("%s = %s", types.ObjectString(object, ofOthers), object.Val().ExactString())}
	case *types.TypeName:
		return describeType(object)
	}
	return []string{types.ObjectString(object, ofOthers)}
}

func describeType(object *types.TypeName) []string {
	named, ok := object.Type().(*types.Named)
	if !ok || object.IsAlias() {
		return []string{types.ObjectString(object, ofOthers)}
	}
	head := "type " + types.TypeString(named, ofOthers)
	structure, ok := named.Underlying().(*types.Struct)
	if !ok {
		return append([]string{head + " " + types.TypeString(named.Underlying(), ofOthers)}, describeMethods(named)...)
	}
	head += " struct"
	if !types.Comparable(named) {
		head += ", not comparable"
	}
	return slices.Concat([]string{head}, describeFields(object.Name(), structure), describeMethods(named))
}

// describeFields lists the exported fields, those that an unexported struct
// lends by being embedded too.
func describeFields(of string, structure *types.Struct) []string {
	var lines []string
	for i := range structure.NumFields() {
		field := structure.Field(i)
		if inner, ok := field.Type().Underlying().(*types.Struct); ok && field.Embedded() && !field.Exported() {
			lines = append(lines, describeFields(of, inner)...)
		}
		if !field.Exported() {
			continue
		}
		line := fmt.Sprintf("field %s.%s %s", of, field.Name(), types.TypeString(field.Type(), ofOthers))
		if field.Embedded() {
			line += ", embedded"
		}
		if tag := structure.Tag(i); tag != "" {
			line += fmt.Sprintf(" %q", reflect.StructTag(tag))
		}
		lines = append(lines, line)
	}
	return lines
}

// describeMethods lists the exported methods, those of embedded fields too.
func describeMethods(named *types.Named) []string {
	if types.IsInterface(named) {
		return nil // they are in the type
	}
	var lines []string
	ofValue := types.NewMethodSet(named)
	for selection := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		method := selection.Obj()
		if !method.Exported() {
			continue
		}
		receiver := named.Obj().Name()
		if ofValue.Lookup(method.Pkg(), method.Name()) == nil {
			receiver = "*" + receiver
		}
		signature := strings.TrimPrefix(types.TypeString(method.Type(), ofOthers), "func")
		lines = append(lines, fmt.Sprintf("method (%s) %s%s", receiver, method.Name(), signature))
	}
	return lines
}

// surfaceDiff returns the lines that only one of two sorted lists has.
func surfaceDiff(before, after []string) []string {
	var diff []string
	for _, line := range before {
		if !slices.Contains(after, line) {
			diff = append(diff, "- "+line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			diff = append(diff, "+ "+line)
		}
	}
	// What changed stands below what it was.
	slices.SortStableFunc(diff, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	return diff
}
