package report

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0.456: "0.46", 24.21: "24.2", 345.6: "346", 65690.4: "65,690", 1_000_009: "1,000,009"} {
		assert.Equal(t, want, Number(x))
	}
	assert.Equal(t, "1.5 MB", Bytes(1.5*(1<<20)))
	assert.Equal(t, "2.0 KB", Bytes(2048))
}

func TestTable(t *testing.T) {
	table := NewTable("router", "ns")
	table.Row("segue", "24.2")
	assert.Equal(t, "| router | ns |\n| --- | --: |\n| segue | 24.2 |\n", table.String())
}

func TestSaveAndLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data", "x.json")
	m := ThisMachine("github.com/stretchr/testify")
	m.Finish()
	require.NoError(t, Save(file, m))
	m.began = Usage{}
	var back Machine
	require.NoError(t, Load(file, &back))
	assert.Equal(t, m, back)
	assert.Contains(t, m.String(), m.Go)
	assert.Error(t, Load(file+".none", &back))
}

func TestParseStat(t *testing.T) {
	busy, steal := parseStat("cpu  100 1 50 9000 7 2 3 40 0 0")
	assert.Equal(t, 1560*time.Millisecond, busy)
	assert.Equal(t, 400*time.Millisecond, steal)
	busy, steal = parseStat("nothing")
	assert.Zero(t, busy+steal)
}

func TestMake(t *testing.T) {
	type result struct{ Text string }
	measured := 0
	measure := func() (*result, error) { measured++; return &result{"measured"}, nil }
	wrote := ""
	write := func(r *result, out string) error { wrote = out; return WritePage(out, "x", r.Text) }
	dir := t.TempDir()
	require.ErrorContains(t, Make(dir, "x", true, false, measure, write), "measure first")
	require.NoError(t, Make(dir, "x", false, true, measure, write))
	require.NoError(t, Make(dir, "x", true, false, measure, write))
	assert.Equal(t, 1, measured)
	page, err := os.ReadFile(filepath.Join(dir, "x.md"))
	require.NoError(t, err)
	assert.Equal(t, "measured", string(page))

	require.NoError(t, Make("results", "x", false, true, measure, write))
	assert.NoDirExists(t, wrote, "a run that keeps nothing leaves no folder")
}
