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
	dir := t.TempDir()
	overlay := map[string]string{}
	args := []string{"build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", dir + string(filepath.Separator)}
	for i, source := range sources {
		pkg, file := fmt.Sprintf("readme%d", i), filepath.Join(dir, fmt.Sprintf("%d.go", i))
		require.NoError(t, os.WriteFile(file, []byte(source), 0o600))
		at, err := filepath.Abs(filepath.Join(pkg, "main.go"))
		require.NoError(t, err)
		overlay[at] = file
		args = append(args, "./"+pkg)
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o600))
	out, err := exec.Command("go", args...).CombinedOutput()
	require.NoError(t, err, string(out))
	return dir
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
