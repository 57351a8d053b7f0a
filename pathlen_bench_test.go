package segue_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/pathlen"
)

// BenchmarkPathLength shows that the time of a request is a straight line over
// the length of its path: the metric, of a segment or a byte, is a constant. With
// k alternatives open it is k times as steep at most. The metric is the fastest
// request's, which other programs disturb least.
func BenchmarkPathLength(b *testing.B) {
	for _, k := range pathlen.Kinds() {
		var lengths []int
		for n := 1; n <= k.Most; n *= 10 {
			if n >= k.Open && (k.Unit == "segment" || n >= 10) {
				lengths = append(lengths, n)
			}
		}
		if k.Unit == "byte" {
			lengths = append(lengths, k.Most)
		}
		b.Run("kind="+strings.ReplaceAll(k.Name, " ", "_"), func(b *testing.B) {
			rt := k.Router(lengths)
			for _, n := range lengths {
				b.Run(fmt.Sprintf("%ss=%d", k.Unit, n), func(b *testing.B) {
					r, w := k.Request(n), pathlen.NewWriter()
					require.True(b, k.Serve(rt, r, w))
					fastest := time.Duration(math.MaxInt64)
					for b.Loop() {
						start := time.Now()
						k.Serve(rt, r, w)
						fastest = min(fastest, time.Since(start))
					}
					b.ReportMetric(float64(fastest)/float64(n), "ns/"+k.Unit)
				})
			}
		})
	}
}

// What time shows on a quiet machine, a count shows on any: the blocks of code
// that a request runs through grow by the same number for each segment, and no
// faster with the open alternatives than these. (What the standard library does
// inside, and each call of it reads a part of the path once, is the benchmark's
// to show.)
func TestWorkGrowsWithThePath(t *testing.T) {
	if testing.Short() || segue.RaceEnabled {
		t.Skip("builds a program; once is enough")
	}
	const n = 64
	work := countWork(t, n, 2*n, 4*n)
	slopes := map[string]float64{}
	for _, k := range pathlen.Kinds() {
		w := work[k.Name]
		require.Len(t, w, 3, k.Name)
		first, second := float64(w[1]-w[0])/n, float64(w[2]-w[1])/(2*n)
		t.Logf("%-32s %6.1f blocks a %s", k.Name, second, k.Unit)
		assert.InDelta(t, first, second, max(1, first/50), "%s: no straight line through %v", k.Name, w)
		slopes[k.Name] = second
	}
	for _, k := range pathlen.Kinds() {
		alone := strings.Replace(k.Name, fmt.Sprint("open ", k.Open), "open 1", 1)
		most := float64(k.Open) * 70 // a match
		switch {
		case alone != k.Name:
			most = float64(k.Open)*slopes[alone] + 10 // a segment is cut by calls where find does it in its loop
		case k.Status() != 200:
			most = 250 // several passes
		}
		assert.LessOrEqual(t, slopes[k.Name], most, k.Name)
	}
}

// countWork builds testdata/work against the package with a counter in each of
// its blocks, and runs it.
func countWork(t *testing.T, lengths ...int) map[string][]int {
	dir := t.TempDir()
	root, err := os.Getwd()
	require.NoError(t, err)
	replace := map[string]string{filepath.Join(root, "work.go"): filepath.Join(dir, "work.go")}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "work.go"), []byte("package segue\n\nvar Work int\n"), 0o600))
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") {
			replace[filepath.Join(root, name)] = filepath.Join(dir, name)
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), withCounters(t, name), 0o600))
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	args := []string{"run", "-overlay", filepath.Join(dir, "overlay.json"), "./testdata/work"}
	for _, n := range lengths {
		args = append(args, strconv.Itoa(n))
	}
	command := exec.Command("go", args...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	require.NoError(t, err)
	var work map[string][]int
	require.NoError(t, json.Unmarshal(out, &work))
	return work
}

// withCounters is a file of the package with a counter at the beginning of every
// block.
func withCounters(t *testing.T, name string) []byte {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, 0)
	require.NoError(t, err)
	var inserts []int
	switches := map[*ast.BlockStmt]bool{} // hold cases and nothing else
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SwitchStmt:
			switches[n.Body] = true
		case *ast.TypeSwitchStmt:
			switches[n.Body] = true
		case *ast.SelectStmt:
			switches[n.Body] = true
		case *ast.BlockStmt:
			if !switches[n] {
				inserts = append(inserts, files.Position(n.Lbrace).Offset+1)
			}
		case *ast.CaseClause:
			inserts = append(inserts, files.Position(n.Colon).Offset+1)
		}
		return true
	})
	slices.Sort(inserts)
	for _, at := range slices.Backward(inserts) {
		text = slices.Insert(text, at, []byte("Work++;")...)
	}
	return text
}
