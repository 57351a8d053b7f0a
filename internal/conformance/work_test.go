package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/internal/pathlen"
	"github.com/segue-go/segue/internal/testkit"
)

// How much code a request runs through.

// What time shows on a quiet machine, a count shows on any: the blocks of code
// that a request runs through grow by the same number for each segment, and no
// faster with the open alternatives than these. (What the standard library does
// inside, and each call of it reads a part of the path once, is the benchmark's
// to show.)
func TestWorkGrowsWithThePath(t *testing.T) {
	t.Parallel() // that is: after the tests that count allocations
	if testing.Short() || testkit.Race {
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
			most = float64(k.Open)*slopes[alone] + 20 // a segment is cut by calls where Find does it in its loop
		case k.Status() != 200:
			most = 250 // several passes
		}
		assert.LessOrEqual(t, slopes[k.Name], most, k.Name)
	}
}

// A listed is what go list says of a package.
type listed struct {
	Dir      string
	GoFiles  []string
	Standard bool
}

// ownPackages are segue and the packages that it is made of.
func ownPackages(t *testing.T) (own []listed) {
	out, err := exec.Command("go", "list", "-deps", "-json=Dir,GoFiles,Standard", "github.com/segue-go/segue").Output()
	require.NoError(t, err)
	for all := json.NewDecoder(bytes.NewReader(out)); all.More(); {
		var p listed
		require.NoError(t, all.Decode(&p))
		if !p.Standard {
			own = append(own, p)
		}
	}
	require.NotEmpty(t, own)
	return own
}

// countWork builds testdata/work against segue with a counter in each of its
// blocks, and runs it.
func countWork(t *testing.T, lengths ...int) map[string][]int {
	dir, replace := t.TempDir(), map[string]string{}
	for _, p := range ownPackages(t) {
		for _, name := range p.GoFiles {
			counting := filepath.Join(dir, fmt.Sprint(len(replace), name))
			replace[filepath.Join(p.Dir, name)] = counting
			require.NoError(t, os.WriteFile(counting, withCounters(t, filepath.Join(p.Dir, name)), 0o600))
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

// withCounters is a file with a counter at the beginning of every block.
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
	if inserts == nil {
		return text
	}
	slices.Sort(inserts)
	for _, at := range slices.Backward(inserts) {
		text = slices.Insert(text, at, []byte("workCount.Blocks++;")...)
	}
	const counter = `; import workCount "github.com/segue-go/segue/internal/conformance/testdata/work/count"`
	return slices.Insert(text, files.Position(file.Name.End()).Offset, []byte(counter)...)
}
