package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/segue-go/segue/internal/testkit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sums = "testdata/sums/sums.go"

// Every mutant there is of a small file, of each operator and each kind of
// function; that those which do not compile are not among them.
func TestMutants(t *testing.T) {
	testkit.SkipUnlessExplores(t)
	var out bytes.Buffer
	_, err := run(&out, []string{sums}, options{only: regexp.MustCompile(""), list: true})
	require.NoError(t, err)
	want, err := os.ReadFile("testdata/sums/mutants.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String())
}

// The tests of the small file tell all mutants but those that its page
// explains, also one that never ends and those that cannot share a binary.
func TestFates(t *testing.T) {
	testkit.SkipUnlessExplores(t)
	var out bytes.Buffer
	o := options{only: regexp.MustCompile(""), page: "testdata/sums/survivors.md", tags: "purego", workers: 2, verbose: true}
	unexplained, err := run(&out, []string{sums}, o)
	require.NoError(t, err)
	text := out.String()
	assert.Zero(t, unexplained, text)
	assert.Contains(t, text, "Count: swap: && → ||: killed TestCount\n")
	assert.Contains(t, text, "Down: remove: n-- → nothing: timed out endless\n")
	assert.Contains(t, text, "sums.go:5 package: swap: << → >>: killed TestCount\n")
	page, err := os.ReadFile(o.page)
	require.NoError(t, err)
	_, tables, _ := strings.Cut(text, "| file")
	assert.Equal(t, string(page), "| file"+tables, "the tables are the page's own")

	o.page, o.only = filepath.Join(t.TempDir(), "none.md"), regexp.MustCompile("Larger: boundary")
	unexplained, err = run(&out, []string{sums}, o)
	require.NoError(t, err)
	assert.Equal(t, 1, unexplained, "without the page nothing is explained")
}

// The same on a function of the package itself.
func TestMutantsOfThePackage(t *testing.T) {
	testkit.SkipUnlessExplores(t)
	if testing.Short() {
		t.Skip("compiles the package's tests")
	}
	var out bytes.Buffer
	unexplained, err := run(&out, []string{"../../pattern.go"}, options{
		only: regexp.MustCompile("isStandardMethod"), run: "^(TestMethodsAreTokens|TestWrongPatternsAreExplained)$", workers: 1, fast: true, verbose: true,
	})
	require.NoError(t, err)
	assert.Zero(t, unexplained, out.String())
	assert.Regexp(t, `return: true → false: killed Test(MethodsAreTokens|WrongPatternsAreExplained)\n`, out.String())
}

// The survivors of a line that have one reason share a row, which is read as it
// was printed.
func TestPage(t *testing.T) {
	survivor := func(line int, change string) *mutant {
		return &mutant{file: "a.go", function: "F", line: line, code: "x := a || b", operator: "swap", old: "||", new: change, fate: survived}
	}
	f := &source{name: "a.go", mutants: []*mutant{survivor(9, "&&"), survivor(7, "&&"), survivor(7, "|")}}
	var out bytes.Buffer
	assert.Equal(t, 3, report(&out, []*source{f}, nil))
	known := map[row]string{}
	for _, m := range f.mutants {
		known[rowOf(m)] = "the same"
	}
	out.Reset()
	assert.Zero(t, report(&out, []*source{f}, known))
	assert.Contains(t, out.String(), "\n| a.go:7 `F` | `x := a \\|\\| b` | `swap \\|\\| → &&`, `swap \\|\\| → \\|` | the same |\n| a.go:9")

	page := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(page, out.Bytes(), 0o666))
	read, err := readPage(page)
	require.NoError(t, err)
	assert.Equal(t, known, read)
}

func TestMutateRefuses(t *testing.T) {
	for _, file := range []string{"testdata/sums/none.go", "testdata/sums/sums_test.go", "none/none.go"} {
		_, err := run(&bytes.Buffer{}, []string{file}, options{only: regexp.MustCompile(""), list: true})
		assert.Error(t, err, file)
	}
}
