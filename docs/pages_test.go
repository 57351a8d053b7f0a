package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unindented is text without the space around its lines, so that a piece of a
// function can stand in a page without its indentation.
func unindented(text string) string {
	var b strings.Builder
	b.WriteByte('\n')
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return b.String()
}

// TestPages holds each Go block of the pages to the code that the tests of
// this module compile and run, and each text block to the output that its
// examples verify.
func TestPages(t *testing.T) {
	var code, outputs string
	for _, glob := range []string{"*_test.go", "server/*.go"} {
		files, err := filepath.Glob(glob)
		require.NoError(t, err)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			code += unindented(string(text))
		}
	}
	for line := range strings.Lines(code) {
		if comment, ok := strings.CutPrefix(line, "//"); ok {
			outputs += strings.TrimPrefix(comment, " ")
		} else {
			outputs += line
		}
	}

	pages, err := filepath.Glob("*.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	block := regexp.MustCompile("(?s)```(\\w+)\n(.*?)```")
	for _, page := range pages {
		if page == "tutorial.md" {
			continue // its steps are built and run by a test of their own
		}
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range block.FindAllStringSubmatch(string(text), -1) {
			switch m[1] {
			case "go":
				for part := range strings.SplitSeq(m[2], "\n\n") { // a page may show declarations side by side that are not
					assert.True(t, strings.Contains(code, unindented(part)), "%s: this is not in the tested code:\n%s", page, part)
				}
			case "text":
				assert.True(t, strings.Contains(unindented(outputs), unindented(m[2])), "%s: no example puts this out:\n%s", page, m[2])
			}
		}
	}
}

// TestLinks follows the links of the pages to files.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	require.NoError(t, err)
	code := regexp.MustCompile("(?s)```.*?```|`[^`]*`")
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			_, err := os.Stat(m[1])
			assert.NoError(t, err, page)
		}
	}
}
