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
	before, err := os.ReadFile("testdata/sums/survivors.tsv")
	require.NoError(t, err)
	dir := t.TempDir()
	o := options{only: regexp.MustCompile(""), data: filepath.Join(dir, "data"), page: filepath.Join(dir, "page"), tags: "purego", workers: 2, verbose: true, write: true}
	require.NoError(t, os.WriteFile(o.data, before, 0o666))
	unexplained, err := run(&out, []string{sums}, o)
	require.NoError(t, err)
	text := out.String()
	assert.Zero(t, unexplained, text)
	assert.Contains(t, text, "Count: swap: && → ||: killed TestCount\n")
	assert.Contains(t, text, "Down: remove: n-- → nothing: timed out endless\n")
	assert.Contains(t, text, "sums.go:5 package: swap: << → >>: killed TestCount\n")
	after, err := os.ReadFile(o.data)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after), "the survivors are those that were known")
	page, err := os.ReadFile(o.page)
	require.NoError(t, err)
	assert.Contains(t, string(page), "| testdata/sums/sums.go | 70 | 60 | 3 | 7 |\n")

	o.data, o.only, o.write = filepath.Join(dir, "none"), regexp.MustCompile("Larger: boundary"), false
	unexplained, err = run(&out, []string{sums}, o)
	require.NoError(t, err)
	assert.Equal(t, 1, unexplained, "without the data nothing is explained")
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

// What becomes of a file's mutants takes the place of what was known of it, and a
// survivor keeps its reason. It is read as it was written.
func TestData(t *testing.T) {
	survivor := func(line int, change string) *mutant {
		return &mutant{function: "F", line: line, code: "x := a || b", operator: "swap", old: "||", new: change, fate: survived}
	}
	name := filepath.Join(t.TempDir(), "survivors.tsv")
	d, err := readData(name)
	require.NoError(t, err)
	a := &source{path: "a.go", mutants: []*mutant{survivor(9, "&&"), {fate: killed}, {fate: timedOut}}}
	d.put(&source{path: "b.go", mutants: []*mutant{survivor(1, "|")}})
	d.put(a)
	const told = "a.go\t3 mutants\t1 timed out\nb.go\t1 mutants\t0 timed out\na.go\tF\tx := a || b\tswap || → &&\t\nb.go\tF\tx := a || b\tswap || → |\t\n"
	assert.Equal(t, told, d.String())
	var out bytes.Buffer
	assert.Equal(t, 1, d.report(&out, []*source{a}))
	assert.Contains(t, out.String(), "\n| a.go | 3 | 1 | 1 | 1 |\n| all | 3 | 1 | 1 | 1 |\n")
	assert.Contains(t, out.String(), "\na.go F: swap || → &&: x := a || b\n")

	d.rows[0].reason = "the same"
	a.mutants = []*mutant{survivor(8, "&&"), survivor(7, "|")}
	d.put(a)
	assert.Equal(t, 1, d.report(&out, []*source{a}))
	assert.Equal(t, []string{"", "the same", ""}, []string{d.rows[0].reason, d.rows[1].reason, d.rows[2].reason})
	assert.Contains(t, d.page(), "\n| **not judged yet** | 2 | a.go: `x := a \\|\\| b`: `swap \\|\\| → \\|` |\n| the same | 1 |")
	require.NoError(t, os.WriteFile(name, []byte(d.String()), 0o666))
	read, err := readData(name)
	require.NoError(t, err)
	assert.Equal(t, d, read)

	require.NoError(t, os.WriteFile(name, []byte("a.go\tmany\n"), 0o666))
	_, err = readData(name)
	assert.ErrorContains(t, err, `"a.go\tmany\n" is no line of it`)
}

// docs/mutation.md is what -write makes of survivors.tsv, and both are about the code
// that stands: whoever changes a line with a survivor runs the command again.
func TestPage(t *testing.T) {
	known, err := readData("survivors.tsv")
	require.NoError(t, err)
	text, err := os.ReadFile("../../docs/mutation.md")
	require.NoError(t, err)
	assert.Equal(t, known.page(), string(text), "go run ./internal/mutate -write makes the page anew")
	for file := range known.files {
		text, err := os.ReadFile(filepath.Join("../..", file))
		require.NoError(t, err)
		lines := map[string]bool{}
		for line := range strings.Lines(string(text)) {
			lines[oneLine(line)] = true
		}
		for _, r := range known.rows {
			assert.True(t, r.file != file || lines[r.code], "%s: %s has no such line any more; go run ./internal/mutate -write %s", r.code, file, file)
		}
	}
	for _, r := range known.rows {
		assert.Contains(t, known.files, r.file)
	}
}

func TestMutateRefuses(t *testing.T) {
	for _, file := range []string{"testdata/sums/none.go", "testdata/sums/sums_test.go", "none/none.go"} {
		_, err := run(&bytes.Buffer{}, []string{file}, options{only: regexp.MustCompile(""), list: true})
		assert.Error(t, err, file)
	}
}
