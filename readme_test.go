package segue_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/internal/loopback"
	"github.com/segue-go/segue/internal/testkit"
)

// What README's pieces of code take for granted. A piece that needs more finds
// it here, or does not compile.
const takenForGranted = `
var (
	app, users                   *segue.Router
	logging, requireAdmin, cache segue.Middleware
	feed                         http.HandlerFunc
	legacy                       http.Handler
	files                        fs.FS
	r                            *http.Request
	find                         func(id string) (user any, err error)
	t                            *testing.T
)
`

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	return string(text)
}

// goBlocks returns README's pieces of Go, the whole programs as they are and
// the others with what makes them compile.
func goBlocks(t *testing.T) (sources []string) {
	t.Helper()
	for _, m := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readme(t), -1) {
		if strings.Contains(m[1], "package main\n") {
			sources = append(sources, m[1])
		} else {
			sources = append(sources, wrapped(m[1]))
		}
	}
	require.NotEmpty(t, sources)
	return sources
}

func wrapped(block string) string {
	body := block
	if !regexp.MustCompile(`(?m)^(func|type|var) `).MatchString(block) {
		for _, m := range regexp.MustCompile(`(?m)^(\w+)(?:, (\w+))? :=`).FindAllStringSubmatch(block, -1) {
			for _, name := range m[1:] {
				if name != "" {
					body += "_ = " + name + "\n" // a piece need not use what it declares
				}
			}
		}
		body = "func _() {\n" + body + "}\n"
	}
	imports := `"github.com/segue-go/segue"; "io/fs"; "net/http"; "testing"`
	for _, path := range []string{"context", "crypto/rand", "database/sql", "embed", "errors", "fmt", "log", "log/slog", "os", "slices", "strings", "sync/atomic", "time"} {
		if strings.Contains(block, filepath.Base(path)+".") {
			imports += fmt.Sprintf("; %q", path)
		}
	}
	return "package piece\nimport (" + imports + ")\n" + takenForGranted + body
}

// build compiles README's pieces as packages of this module that exist in the
// compiler's eyes alone, and returns the folder that has the programs.
func build(t *testing.T, sources []string) string {
	t.Helper()
	dir, files, pkgs := t.TempDir(), map[string]string{}, []string(nil)
	for i, source := range sources {
		pkg := fmt.Sprintf("readme%d", i)
		files[pkg+"/main.go"], pkgs = source, append(pkgs, "./"+pkg)
	}
	args := append([]string{"build", "-o", dir + string(filepath.Separator)}, overlaid(t, dir, files)...)
	out, err := exec.Command("go", append(args, pkgs...)...).CombinedOutput()
	require.NoError(t, err, string(out))
	return dir
}

// overlaid writes files into a folder, and returns the arguments by which the go
// command sees them in this module.
func overlaid(t *testing.T, dir string, files map[string]string) []string {
	t.Helper()
	overlay := map[string]string{}
	for name, source := range files {
		at, err := filepath.Abs(filepath.FromSlash(name))
		require.NoError(t, err)
		overlay[at] = filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		require.NoError(t, os.WriteFile(overlay[at], []byte(source), 0o600))
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	require.NoError(t, err)
	list := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(list, text, 0o600))
	return []string{"-overlay", list}
}

// TestREADME compiles all of README's Go. The first program is the one of
// examples/hello, which the first command runs. It is run on a free port here,
// and answers.
func TestREADME(t *testing.T) {
	assert.LessOrEqual(t, strings.Count(readme(t), "\n"), 250, "README gets too long to read")
	sources := goBlocks(t)
	hello, err := os.ReadFile("examples/hello/main.go")
	require.NoError(t, err)
	require.Equal(t, string(hello), sources[0], "README's program is not that of examples/hello")
	addr, err := loopback.FreeAddr()
	require.NoError(t, err)
	sources[0] = strings.ReplaceAll(sources[0], `":18000"`, fmt.Sprintf("%q", addr))

	program := exec.Command(filepath.Join(build(t, sources), "readme0"))
	require.NoError(t, program.Start())
	defer program.Wait()
	defer program.Process.Kill()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, time.Minute, 10*time.Millisecond)

	for path, want := range map[string]string{
		"/hello/vikram": "Hello, vikram!\n",
		"/users":        "all users\n",
		"/users/":       "all users\n",
		"/users/new":    "a form\n",
		"/users/7":      `{"id":7}`,
		"/users/seven":  "path parameter id: \"seven\" is not a whole number\n",
		"/nope":         "404 page not found\n",
	} {
		resp, err := http.Get("http://" + addr + path)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, want, string(body), path)
	}
}

// guardTest is README's test that each route under /admin has its guard.
const guardTest = `for route := range app.Routes() {
	if strings.HasPrefix(route.Path, "/admin") && !route.Uses(requireAdmin) {
		t.Errorf("%s (%s:%d) is not guarded", route.Pattern, route.File, route.Line)
	}
}
`

// guardedProgram has its guards from one constructor, kept in variables. Its test is
// README's, once for an app that is guarded and once for one that is not.
var guardedProgram = map[string]string{
	"main.go": `package main

import (
	"net/http"

	"github.com/segue-go/segue"
)

func requireRole(role string) segue.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, password, _ := r.BasicAuth(); password != role {
				http.Error(w, "who are you?", http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

var requireAdmin, requireViewer = requireRole("admin"), requireRole("viewer")

func show(http.ResponseWriter, *http.Request) {}

func newApp() *segue.Router {
	app, reports := segue.New(), segue.New()
	admin := app.Group("/admin", segue.Chain(segue.Recover, requireAdmin))
	admin.GET("/", show)
	admin.With(requireViewer).GET("/stats", show)
	admin.Mount("/reports", reports)
	reports.GET("/{id}", show)
	app.With(requireViewer).GET("/", show)
	return app
}

func main() { http.ListenAndServe("localhost:8080", newApp()) }
`,
	"main_test.go": `package main

import (
	"strings"
	"testing"
)

func TestGuarded(t *testing.T) {
	app := newApp()
` + guardTest + `}

func TestForgotten(t *testing.T) {
	app := newApp()
	app.POST("/admin/forgotten", show)
	app.With(requireViewer, requireRole("admin")).POST("/admin/mistaken", show)
` + guardTest + `}
`}

// TestREADMEGuards runs README's test of the guards, as it is pasted into a program.
func TestREADMEGuards(t *testing.T) {
	require.Contains(t, readme(t), "```go\n"+guardTest+"```")
	dir, overlay := t.TempDir(), map[string]string{}
	for name, source := range guardedProgram {
		overlay["guarded/"+name] = source
	}
	args := append([]string{"test", "-c", "-vet=off", "-o", filepath.Join(dir, "guarded.test")}, overlaid(t, dir, overlay)...)
	if testkit.Purego {
		args = append(args, "-tags", "purego")
	}
	out, err := exec.Command("go", append(args, "./guarded")...).CombinedOutput()
	require.NoError(t, err, string(out))

	program := exec.Command(filepath.Join(dir, "guarded.test"), "-test.v")
	program.Dir = dir
	out, err = program.CombinedOutput()
	require.Error(t, err, string(out))
	assert.Contains(t, string(out), "--- PASS: TestGuarded ")
	assert.Contains(t, string(out), "--- FAIL: TestForgotten ")
	for _, path := range []string{"/admin/forgotten", "/admin/mistaken"} {
		assert.Regexp(t, "POST "+path+` \(.*main_test\.go:\d+\) is not guarded`, string(out))
	}
	assert.Equal(t, 2, strings.Count(string(out), "is not guarded"), string(out))
}

// TestREADMELinks follows the links to files and to headings.
func TestREADMELinks(t *testing.T) {
	text := readme(t)
	prose := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`").ReplaceAllStringFunc(text, func(code string) string {
		return strings.Trim(code, "`")
	})
	anchors := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(prose, -1) {
		slug := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(m[1]), "")
		anchors[strings.ReplaceAll(slug, " ", "-")] = true
	}
	for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(prose, -1) {
		file, anchor, _ := strings.Cut(m[1], "#")
		switch {
		case strings.Contains(file, "://"):
		case file != "":
			_, err := os.Stat(file)
			assert.NoError(t, err, m[1])
		default:
			assert.True(t, anchors[anchor], "there is no heading for %s", m[1])
		}
	}
}

// TestREADMENamesWhatIsTried: a package that README names for what segue leaves
// to others is in the code or the tests of examples/notes.
func TestREADMENamesWhatIsTried(t *testing.T) {
	files, err := filepath.Glob("examples/notes/*.go")
	require.NoError(t, err)
	var code strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		code.Write(text)
	}
	_, section, _ := strings.Cut(readme(t), "## Not here")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, m := range regexp.MustCompile("`([a-z]+(?:\\.[a-z]+)+/[^`\\s]+)`").FindAllStringSubmatch(section, -1) {
		assert.Contains(t, code.String(), m[1]+`"`)
	}
}
