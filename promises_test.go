package segue_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
)

// What SECURITY.md promises of the source is held against the source.

// Each promise names the tests that hold it, and they exist.
func TestPromisesNameTheirTests(t *testing.T) {
	text, err := os.ReadFile("SECURITY.md")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(text), "each held by")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n## ")
	promises := strings.Split(list, "\n- **")[1:]
	assert.Greater(t, len(promises), 5)

	tests := map[string]bool{}
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	for _, name := range files {
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
// module but pathvalue.go. Assembly, cgo and linkname would be such ways.
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
	assert.Equal(t, []string{"pathvalue.go"}, unsafe)
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

// A use is where the package's source uses something.
type use struct{ file, function, what string }

// uses lists, of what the source uses, all for which wanted returns a name.
func uses(t *testing.T, wanted func(of ast.Expr, object types.Object, info *types.Info) string) []use {
	t.Helper()
	fset, files := parsePackage(t)
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	checkFiles(t, fset, files, info)
	var all []use
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
	slices.SortFunc(all, func(a, b use) int { return strings.Compare(a.file+a.function+a.what, b.file+b.function+b.what) })
	return slices.Compact(all)
}

func packageOf(object types.Object) string {
	if object.Pkg() == nil {
		return "builtin"
	}
	return object.Pkg().Path()
}

// One pool is there: of blocks from which header values are cut. What has been
// cut is never used again (TestReplyHeadersApart), so that what the pool gives
// back was no request's.
func TestNothingIsPooled(t *testing.T) {
	pools := uses(t, func(_ ast.Expr, object types.Object, _ *types.Info) string {
		if packageOf(object) == "sync" && object.Name() == "Pool" {
			return "Pool"
		}
		return ""
	})
	assert.Equal(t, []use{{"reply.go", "", "Pool"}}, pools)

	calls := uses(t, func(_ ast.Expr, object types.Object, _ *types.Info) string {
		if f, ok := object.(*types.Func); ok && strings.HasPrefix(f.FullName(), "(*sync.Pool).") {
			return f.Name()
		}
		return ""
	})
	assert.Equal(t, []use{{"reply.go", "headerCells", "Get"}, {"reply.go", "headerCells", "Put"}}, calls)
}

// Of a request's header the package reads Content-Type, in Decode, and nothing
// that a client or a proxy says about who or where it is. (Static hands a
// request on to net/http, which reads its conditions and ranges.)
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
	assert.Equal(t, []use{{"reply.go", "readJSON", "Header"}}, read)

	_, files := parsePackage(t)
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				assert.NotRegexp(t, `(?i)forwarded|x-|client-ip|override`, text.Value)
			}
			return true
		})
	}
}

// One function writes to a log: that of what reaches the end of an error list.
func TestOneFunctionLogs(t *testing.T) {
	printing := regexp.MustCompile(`^(builtin\.print(ln)?|os\.Std(out|err)|fmt\.Print.*|log/slog\..*|log\..*|runtime/debug\.PrintStack)$`)
	logs := uses(t, func(_ ast.Expr, object types.Object, _ *types.Info) string {
		if _, ok := object.(*types.PkgName); ok {
			return ""
		}
		if name := packageOf(object) + "." + object.Name(); printing.MatchString(name) {
			return name
		}
		return ""
	})
	assert.Equal(t, []use{{"errors.go", "logError", "log.Printf"}}, logs)

	calls := uses(t, func(_ ast.Expr, object types.Object, _ *types.Info) string {
		if packageOf(object) == "segue" && object.Name() == "logError" {
			return "logError"
		}
		return ""
	})
	require.Len(t, calls, 1)
	assert.Equal(t, "errors.go", calls[0].file)
}

// Without Recover the very value of a panic reaches the server, and the router
// goes on.
func TestPanicPassesThrough(t *testing.T) {
	thrown := errors.New("thrown")
	panics := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(thrown) })
	app, inner, missing := segue.New(), segue.New(), segue.New()
	app.Use(func(next http.Handler) http.Handler { return next })
	app.OnError(func(w http.ResponseWriter, _ *http.Request, _ error) error { return segue.Text(w, 500, "caught") })
	app.GET("/plain/{id}", panics)
	app.GET("/try", segue.Try(func(w http.ResponseWriter, r *http.Request) error { panic(thrown) }))
	app.With(func(http.Handler) http.Handler { return panics }).GET("/middleware", panics)
	inner.Handle("/", panics)
	app.Mount("/inner/{x}", inner)
	app.Mount("/foreign", panics)
	missing.NotFound(panics)
	missing.MethodNotAllowed(panics)
	missing.Handle("POST /posted", panics)
	app.Mount("/missing", missing)
	app.GET("/well", shows)
	for _, request := range []string{
		"GET /plain/7", "HEAD /plain/7", "GET /try", "GET /middleware", "GET /inner/1/2", "GET /foreign/x", "GET /missing/x", "GET /missing/posted",
	} {
		assert.PanicsWithValue(t, thrown, func() { ask(t, app, request) }, request)
		assert.Equal(t, 200, ask(t, app, "GET /well").Code)
	}
}
