package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The texts have every listed sentence and every figure of the results.
func TestTexts(t *testing.T) {
	require.NoError(t, run("../..", true))
}

func TestFill(t *testing.T) {
	list := []figure{
		{"a.md", "takes {} ns, not {}.", []string{"12.5", "1,000"}},
		{"a.md", "| segue | {} ({}×) |", []string{"7.00", "2.0"}},
		{"b.md", "of another text {} ns", nil},
	}
	text, errs := fill("a.md", "It takes\n3 ns, not 4.5.\n\n| segue | 7.00 (1.9×) |\n", list)
	assert.Equal(t, "It takes\n12.5 ns, not 1,000.\n\n| segue | 7.00 (2.0×) |\n", text)
	require.Len(t, errs, 3)
	require.ErrorContains(t, errors.Join(errs...), "a.md:4: 1.9 stands where the results have 2.0")
	_, errs = fill("a.md", text, list)
	assert.Empty(t, errs)
	_, errs = fill("a.md", "It took 3 ns.\n| segue | 1 (1×) |\n| segue | 1 (1×) |\n", list)
	require.Len(t, errs, 2)
	require.ErrorContains(t, errs[0], "there is not one, but 0, of: takes {} ns")
	require.ErrorContains(t, errs[1], "not one, but 2")
}

// What looks like a figure must be listed, but for code and settings.
func TestUnlisted(t *testing.T) {
	list := []figure{{"docs/recipes.md", "takes {} ns.", []string{"3"}}}
	const known = "up to 32 MB. It takes 3 ns.\n```\nsleep 5 ms\n```\n"
	assert.Empty(t, unlisted("docs/recipes.md", known, list))
	errs := unlisted("docs/recipes.md", known+"404s. It is 5 times\nas fast.\n", list)
	require.Len(t, errs, 1)
	require.ErrorContains(t, errs[0], `docs/recipes.md:5: "5 times`)
	require.ErrorContains(t, errors.Join(unlisted("docs/recipes.md", "nothing", list)...), "nowhere: up to 32 MB")
}

func TestCells(t *testing.T) {
	dir := t.TempDir()
	text := "| | all |\n|---|--:|\n| **sent** | 1,234 |\n\n## Time\n\n| ns | a | b |\n| --- | --: | --: |\n| segue | **3.5** | 1.07 (1.04–1.08) |\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.md"), []byte(text), 0o600))
	r := &results{dir: dir}
	assert.Equal(t, []string{"1,234"}, r.numbers(table{"x.md", ""}, "sent", "all"))
	assert.Equal(t, []string{"3.5", "1.07"}, r.numbers(table{"x.md", "Time"}, "segue", "a", "b"))
	assert.Equal(t, "1.08", r.nth(table{"x.md", "Time"}, "segue", "b", 2))
	assert.InDelta(t, 1234, r.value(table{"x.md", ""}, "sent", "all"), 0)
	require.Empty(t, r.errs)
	r.cell(table{"x.md", "Time"}, "segue", "c")
	r.nth(table{"x.md", "Time"}, "segue", "a", 1)
	r.after("x.md", "of rounds")
	r.cell(table{"y.md", ""}, "segue", "a")
	assert.Len(t, strings.Split(errors.Join(r.errs...).Error(), "\n"), 5)
}
