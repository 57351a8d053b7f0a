package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each chart is well-formed XML, in both colourings, with its unit and labels.
func TestCharts(t *testing.T) {
	dir := t.TempDir()
	labels := []string{"segue", "chi"}
	series := []Series{{"GitHub", []float64{24, 442}}, {"static", []float64{17, math.NaN()}}}
	require.NoError(t, Dots(dir, "dots", "Time", "ns a request", labels, series))
	require.NoError(t, Bars(dir, "bars", "Memory", "MB", labels, []float64{12.9, 17}))
	require.NoError(t, Lines(dir, "lines", "Routes", "routes", "requests a second", []float64{5, 1000},
		[]Series{{"segue", []float64{60_000, 60_000}}, {"chi", []float64{6_000, 300}}}))
	for name, texts := range map[string][]string{
		"dots": {"ns a request", "segue", "chi", "GitHub"}, "bars": {"MB", "12.9"}, "lines": {"requests a second", "1k", "segue"},
	} {
		for _, theme := range []string{"light", "dark"} {
			text, err := os.ReadFile(filepath.Join(dir, name+"-"+theme+".svg"))
			require.NoError(t, err)
			assertWellFormed(t, filepath.Join(dir, name+"-"+theme+".svg"))
			for _, want := range texts {
				assert.Contains(t, string(text), want, name)
			}
		}
	}
	assert.Contains(t, Picture("results/", "dots", "a chart"), `srcset="results/dots-dark.svg"`)
}

func assertWellFormed(t *testing.T, file string) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	for decoder := xml.NewDecoder(f); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if !assert.NoError(t, err, file) {
			return
		}
	}
}

// Each of the panels is there, with what it has of each curve.
func TestPanels(t *testing.T) {
	dir := t.TempDir()
	curves := []Curve{{Name: "segue", Values: []float64{24, 442, 1e6}}, {Name: "ServeMux", Colour: 1, Dashed: true, Values: []float64{17, math.NaN(), math.NaN()}}}
	none := []Curve{{Name: "chi", Values: []float64{3, 4, 5}}, {Name: "chi", Values: []float64{math.NaN(), math.NaN(), math.NaN()}}}
	panels := [4]Panel{{"Register (ms)", curves}, {"Compile (ms)", none}, {"Heap (KB)", curves}, {"Lookup (ns)", curves}}
	require.NoError(t, Panels(dir, "panels", "Routes", "routes", "again", []float64{10, 1000, 1e6}, panels))
	for _, theme := range []string{"light", "dark"} {
		file := filepath.Join(dir, "panels-"+theme+".svg")
		assertWellFormed(t, file)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, want := range []string{"Routes", "Register (ms)", "Compile (ms)", "Heap (KB)", "Lookup (ns)", "routes", "segue", "chi", "again", "1M", "100k"} {
			assert.Contains(t, string(text), want)
		}
	}
}
