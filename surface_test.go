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
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
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
	fset, files := parsePackage(t, ".", tags...)
	return checkFiles(t, fset, files, nil)
}

func parsePackage(t *testing.T, dir string, tags ...string) (fset *token.FileSet, files []*ast.File) {
	t.Helper()
	context := gobuild.Default
	context.BuildTags = tags
	listed, err := context.ImportDir(dir, 0)
	require.NoError(t, err)

	fset = token.NewFileSet()
	for _, name := range listed.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, file)
	}
	return fset, files
}

// checkFiles type-checks; info, unless nil, takes what is learned.
func checkFiles(t *testing.T, fset *token.FileSet, files []*ast.File, info *types.Info) *types.Package {
	t.Helper()
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		file := packages(t)[path].export
		if file == "" {
			return nil, fmt.Errorf("no package %s", path)
		}
		return os.Open(file)
	})}
	checked, err := config.Check("segue", fset, files, info)
	require.NoError(t, err)
	return checked
}

// A dependency is the package or one that it imports.
type dependency struct {
	dir    string // of what is ours, else ""
	export string // the file with what it exports
}

var listPackages = sync.OnceValues(func() ([]byte, error) {
	const fields = "{{.ImportPath}}\t{{if not .Standard}}{{.Dir}}{{end}}\t{{.Export}}"
	return exec.Command("go", "list", "-export", "-deps", "-tags", "playground", "-f", fields, ".").Output()
})

// packages are what go list says of the package and all that it imports.
func packages(t *testing.T) map[string]dependency {
	t.Helper()
	list, err := listPackages()
	require.NoError(t, err)
	all := map[string]dependency{}
	for line := range strings.Lines(string(list)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		all[fields[0]] = dependency{fields[1], fields[2]}
	}
	return all
}

// ownDirs are the folders of the package and of those of ours that it imports.
func ownDirs(t *testing.T) (dirs []string) {
	t.Helper()
	root, err := os.Getwd()
	require.NoError(t, err)
	for _, p := range packages(t) {
		if p.dir != "" {
			dir, err := filepath.Rel(root, p.dir)
			require.NoError(t, err)
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	require.Contains(t, dirs, ".")
	return dirs
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

// What SECURITY.md promises of the source is held against the source.

// Each promise names the tests that hold it, and they exist.
func TestPromisesNameTheirTests(t *testing.T) {
	text, err := os.ReadFile("SECURITY.md")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(text), "Each is checked by")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n## ")
	promises := strings.Split(list, "\n- **")[1:]
	assert.Greater(t, len(promises), 5)

	tests := map[string]bool{}
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	inside, err := filepath.Glob("internal/*/*_test.go")
	require.NoError(t, err)
	for _, name := range append(files, inside...) {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, match := range regexp.MustCompile(`(?m)^func (Test\w+|Fuzz\w+)\(`).FindAllSubmatch(source, -1) {
			tests[string(match[1])] = true
		}
	}
	for _, promise := range promises {
		named := regexp.MustCompile(`\b(Test|Fuzz)[A-Z]\w+`).FindAllString(promise, -1)
		assert.NotEmpty(t, named, promise)
		for _, name := range named {
			assert.True(t, tests[name], "there is no %s", name)
		}
	}
}

// Neither unsafe nor another way around the type system is in any file of the
// module but internal/pathvalue/direct.go. Assembly, cgo and linkname would be such ways.
func TestUnsafeIsInOneFile(t *testing.T) {
	var unsafe []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || isModule(path)) {
			return filepath.SkipDir
		}
		assert.NotContains(t, []string{".s", ".c", ".h", ".syso"}, filepath.Ext(path), path)
		if filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") && usesUnsafe(t, path) {
			unsafe = append(unsafe, path)
		}
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"internal/pathvalue/direct.go"}, unsafe)
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func usesUnsafe(t *testing.T, path string) bool {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	require.NoError(t, err)
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, "//go:linkname") {
				return true
			}
		}
	}
	return slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"unsafe"` || i.Path.Value == `"C"` })
}

// A use is where the source of the package, or of one of ours that it is made of,
// uses something.
type use struct{ file, function, what string }

// uses lists, of what the source uses, all for which wanted returns a name.
func uses(t *testing.T, wanted func(of ast.Expr, object types.Object, info *types.Info) string) []use {
	t.Helper()
	var all []use
	for _, dir := range ownDirs(t) {
		all = append(all, usesIn(t, dir, wanted)...)
	}
	slices.SortFunc(all, func(a, b use) int { return strings.Compare(a.file+a.function+a.what, b.file+b.function+b.what) })
	return slices.Compact(all)
}

func usesIn(t *testing.T, dir string, wanted func(of ast.Expr, object types.Object, info *types.Info) string) (all []use) {
	t.Helper()
	fset, files := parsePackage(t, dir)
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	checkFiles(t, fset, files, info)
	for _, file := range files {
		for _, declared := range file.Decls {
			function := ""
			if f, ok := declared.(*ast.FuncDecl); ok {
				function = f.Name.Name
			}
			ast.Inspect(declared, func(n ast.Node) bool {
				name, of := (*ast.Ident)(nil), ast.Expr(nil)
				switch n := n.(type) {
				case *ast.SelectorExpr:
					name, of = n.Sel, n.X
				case *ast.Ident:
					name = n
				}
				if name != nil && info.Uses[name] != nil {
					if what := wanted(of, info.Uses[name], info); what != "" {
						all = append(all, use{fset.Position(n.Pos()).Filename, function, what})
					}
				}
				return true
			})
		}
	}
	return all
}

func packageOf(object types.Object) string {
	if object.Pkg() == nil {
		return "builtin"
	}
	return object.Pkg().Path()
}

// There is no pool at all.
func TestNothingIsPooled(t *testing.T) {
	assert.Empty(t, uses(t, func(_ ast.Expr, object types.Object, _ *types.Info) string {
		if packageOf(object) == "sync" && object.Name() == "Pool" {
			return "Pool"
		}
		return ""
	}))
}

// Of a request's header the package reads what Decode and Static need, and the
// method that a preflight asks for, and AccessLog logs the address: nothing that a client or a proxy says about
// who or where it is. (Static hands a request on to net/http, which reads its
// conditions and ranges.)
func TestNoHeaderIsRead(t *testing.T) {
	claims := []string{
		"Header", "Trailer", "RemoteAddr", "TLS", "Form", "PostForm", "MultipartForm", "ParseForm", "FormValue", "PostFormValue",
		"Cookie", "Cookies", "CookiesNamed", "BasicAuth", "UserAgent", "Referer", "TransferEncoding",
	}
	read := uses(t, func(of ast.Expr, object types.Object, info *types.Info) string {
		if of == nil || !slices.Contains(claims, object.Name()) {
			return ""
		}
		if of := info.Types[of].Type; of == nil || strings.TrimPrefix(of.String(), "*") != "net/http.Request" {
			return ""
		}
		return object.Name()
	})
	assert.Equal(t, []use{
		{"accesslog.go", "AccessLog", "RemoteAddr"},
		{"internal/sendfile/headers.go", "openBest", "Header"}, {"internal/sendfile/sendfile.go", "send", "Header"},
		{"mount.go", "shareForm", "MultipartForm"}, {"reply.go", "readJSON", "Header"}, {"resolve.go", "question", "Header"},
	}, read)

	for _, dir := range ownDirs(t) {
		_, files := parsePackage(t, dir)
		for _, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					assert.NotRegexp(t, "(?i)forwarded|^[\"`]x-[^g]|client-ip|override", text.Value)
				}
				return true
			})
		}
	}
}

// One function writes to a log by itself. It is called for a panic that Recover
// catches, and for what reaches the end of an error list. AccessLog writes to the
// logger that it is given.
func TestOneFunctionLogs(t *testing.T) {
	printing := regexp.MustCompile(`^(builtin\.print(ln)?|os\.Std(out|err)|fmt\.Print.*|log/slog\.((Debug|Info|Warn|Error|Log)(Context)?|LogAttrs|Default)|log\..*|runtime/debug\.PrintStack)$`)
	logs := uses(t, func(_ ast.Expr, object types.Object, _ *types.Info) string {
		if _, ok := object.(*types.PkgName); ok {
			return ""
		}
		if name := packageOf(object) + "." + object.Name(); printing.MatchString(name) {
			return name
		}
		return ""
	})
	assert.Equal(t, []use{{"accesslog.go", "AccessLog", "log/slog.LogAttrs"}, {"errors.go", "logError", "log.Printf"}}, logs)

	calls := uses(t, func(_ ast.Expr, object types.Object, _ *types.Info) string {
		if packageOf(object) == "segue" && object.Name() == "logError" {
			return "logError"
		}
		return ""
	})
	assert.Equal(t, []use{{"errors.go", "Recover", "logError"}, {"errors.go", "fail", "logError"}}, calls)
}
