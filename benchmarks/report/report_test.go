package report

import (
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
