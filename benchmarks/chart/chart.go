// Package chart draws the pictures of the results with gonum/plot, as SVG and
// in two colourings: NAME-light.svg and NAME-dark.svg, on no background.
package chart

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A theme is a colouring. Series colours are those of Okabe and Ito, which
// people who confuse red and green can tell apart.
type theme struct {
	name       string
	ink, faint color.Color
	series     []color.Color
}

var themes = []theme{
	{"light", gray(0x24), gray(0xd8), []color.Color{rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73), rgb(0xb0579a), rgb(0x8a6d00)}},
	{"dark", gray(0xd6), gray(0x44), []color.Color{rgb(0x56b4e9), rgb(0xf0904e), rgb(0x2fc79b), rgb(0xe39ac9), rgb(0xe6c229)}},
}

func gray(v uint8) color.Color { return color.RGBA{v, v, v, 0xff} }

func rgb(v uint32) color.Color {
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff}
}

// A Series is a line, or the dots of one colour.
type Series struct {
	Name   string
	Values []float64 // NaN where there is none
}

// Picture returns the Markdown that shows a chart in the reader's colours.
func Picture(dir, name, alt string) string {
	file := func(theme string) string { return dir + name + "-" + theme + ".svg" }
	return fmt.Sprintf("<picture>\n<source media=\"(prefers-color-scheme: dark)\" srcset=\"%s\">\n<img alt=\"%s\" src=\"%s\">\n</picture>\n",
		file("dark"), alt, file("light"))
}

// Dots draws a line of dots for each label, on a logarithmic axis.
func Dots(dir, name, title, unit string, labels []string, series []Series) error {
	return eachTheme(dir, name, func(t theme, p *plot.Plot) error {
		t.axes(p, title, unit, "")
		var low, high []float64
		for i, s := range series {
			dots, err := t.scatter(i, rows(s.Values))
			if err != nil {
				return err
			}
			p.Add(dots)
			p.Legend.Add(s.Name, dots)
			low, high = append(low, least(s.Values)), append(high, most(s.Values))
		}
		logarithmic(&p.X, least(low), most(high))
		p.Y.Min, p.Y.Max = -0.7, float64(len(labels))-0.3
		p.NominalY(reversed(labels)...)
		t.nominal(&p.Y)
		p.Legend.Top, p.Legend.Left = true, false
		return nil
	}, 7*vg.Inch, vg.Length(len(labels))*0.28*vg.Inch+1.2*vg.Inch)
}

// Lines draws each series over the same places of a logarithmic axis.
func Lines(dir, name, title, unitX, unitY string, places []float64, series []Series) error {
	return eachTheme(dir, name, func(t theme, p *plot.Plot) error {
		t.axes(p, title, unitX, unitY)
		var low, high []float64
		for i, s := range series {
			points := make(plotter.XYs, 0, len(places))
			for j, v := range s.Values {
				points = append(points, plotter.XY{X: places[j], Y: v})
			}
			line, err := plotter.NewLine(points)
			if err != nil {
				return err
			}
			line.Color, line.Width = t.series[i%len(t.series)], vg.Points(1.6)
			dots, err := t.scatter(i, points)
			if err != nil {
				return err
			}
			p.Add(line, dots)
			p.Legend.Add(s.Name, line, dots)
			low, high = append(low, least(s.Values)), append(high, most(s.Values))
		}
		logarithmic(&p.X, places[0], places[len(places)-1])
		logarithmic(&p.Y, least(low), most(high))
		p.X.Tick.Marker = at(places)
		p.Legend.Left = true
		return nil
	}, 7*vg.Inch, 4*vg.Inch)
}

// Bars draws a bar for each label.
func Bars(dir, name, title, unit string, labels []string, values []float64) error {
	return eachTheme(dir, name, func(t theme, p *plot.Plot) error {
		t.axes(p, title, unit, "")
		bars, err := plotter.NewBarChart(plotter.Values(reversed(values)), vg.Points(12))
		if err != nil {
			return err
		}
		bars.Horizontal, bars.Color, bars.LineStyle.Width = true, t.series[0], 0
		p.Add(bars)
		p.X.Min = 0
		p.NominalY(reversed(labels)...)
		t.nominal(&p.Y)
		return t.numbers(p, reversed(values))
	}, 7*vg.Inch, vg.Length(len(labels))*0.28*vg.Inch+1.2*vg.Inch)
}

// numbers writes each bar's value at its end.
func (t theme) numbers(p *plot.Plot, values []float64) error {
	var at plotter.XYLabels
	for i, v := range values {
		at.XYs = append(at.XYs, plotter.XY{X: v, Y: float64(i)})
		at.Labels = append(at.Labels, figure(v))
	}
	labels, err := plotter.NewLabels(at)
	if err != nil {
		return err
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Color, labels.TextStyle[i].YAlign = t.ink, draw.YCenter
		labels.TextStyle[i].Font = sans(9)
	}
	labels.Offset = vg.Point{X: vg.Points(4)}
	p.Add(labels)
	p.X.Max = most(values) * 1.1
	p.X.Tick.Marker = plainTicks{}
	return nil
}

// figure writes what is below 100 with a decimal.
func figure(v float64) string {
	if v < 100 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// plainTicks are gonum's ticks without needless zeros.
type plainTicks struct{}

func (plainTicks) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range ticks {
		if t.Label != "" {
			ticks[i].Label = short(t.Value)
		}
	}
	return ticks
}

func eachTheme(dir, name string, fill func(theme, *plot.Plot) error, width, height vg.Length) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, t := range themes {
		p := plot.New()
		p.BackgroundColor = nil
		if err := fill(t, p); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := save(p, width, height, filepath.Join(dir, name+"-"+t.name+".svg")); err != nil {
			return err
		}
	}
	return nil
}

// save leaves a margin, since the labels of an axis begin at the edge.
func save(p *plot.Plot, width, height vg.Length, file string) error {
	canvas := vgsvg.New(width, height)
	margin := vg.Points(8)
	p.Draw(draw.Crop(draw.New(canvas), margin, -margin, margin, -margin))
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return err
	}
	return os.WriteFile(file, withFonts(text.Bytes()), 0o644)
}

// withFonts names fonts of the same widths for readers who do not have the first
// one.
func withFonts(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
}

func sans(size float64) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, font.Length(size))
}

// axes sets the texts, and the theme's colours for all that is no data.
func (t theme) axes(p *plot.Plot, title, x, y string) {
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font, p.Title.TextStyle.Color = sans(12), t.ink
	p.Title.Padding = vg.Points(8)
	p.Legend.TextStyle.Font, p.Legend.TextStyle.Color = sans(10), t.ink
	p.Legend.Padding, p.Legend.YPosition = vg.Points(3), draw.PosCenter
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.LineStyle.Color, axis.Tick.LineStyle.Color = t.faint, t.faint
		axis.Label.TextStyle.Font, axis.Label.TextStyle.Color = sans(10), t.ink
		axis.Tick.Label.Font, axis.Tick.Label.Color = sans(9), t.ink
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = t.faint, t.faint
	p.Add(grid)
}

// nominal gives an axis of names its colours back, which NominalY resets.
func (t theme) nominal(axis *plot.Axis) {
	axis.Tick.Label.Font, axis.Tick.Label.Color = sans(10), t.ink
	axis.LineStyle.Width, axis.Tick.LineStyle.Width = 0, 0
}

var glyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.CrossGlyph{}}

func (t theme) scatter(i int, points plotter.XYs) (*plotter.Scatter, error) {
	dots, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: t.series[i%len(t.series)], Radius: vg.Points(3.5), Shape: glyphs[i%len(glyphs)]}
	return dots, nil
}

// rows puts the first value on top.
func rows(values []float64) plotter.XYs {
	var points plotter.XYs
	for i, v := range values {
		if !math.IsNaN(v) {
			points = append(points, plotter.XY{X: v, Y: float64(len(values) - 1 - i)})
		}
	}
	return points
}

func reversed[T any](list []T) []T {
	var out []T
	for i := range list {
		out = append(out, list[len(list)-1-i])
	}
	return out
}

// logarithmic sets an axis to whole and half decades around what it shows.
func logarithmic(axis *plot.Axis, low, high float64) {
	axis.Scale = plot.LogScale{}
	axis.Min, axis.Max = low*0.8, high*1.25
	var ticks []float64
	for decade := math.Pow(10, math.Floor(math.Log10(axis.Min))); decade <= axis.Max; decade *= 10 {
		for _, step := range []float64{1, 2, 5} {
			ticks = append(ticks, decade*step)
		}
	}
	axis.Tick.Marker = at(ticks)
}

func at(places []float64) plot.Ticker {
	var ticks plot.ConstantTicks
	for _, v := range places {
		ticks = append(ticks, plot.Tick{Value: v, Label: short(v)})
	}
	return ticks
}

func short(v float64) string {
	if v >= 1e6 {
		return strconv.FormatFloat(v/1e6, 'f', -1, 64) + "M"
	}
	if v >= 1000 {
		return strconv.FormatFloat(v/1000, 'f', -1, 64) + "k"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func least(values []float64) float64 { return fold(values, math.Min) }
func most(values []float64) float64  { return fold(values, math.Max) }

func fold(values []float64, f func(a, b float64) float64) float64 {
	out := math.NaN()
	for _, v := range values {
		switch {
		case math.IsNaN(v):
		case math.IsNaN(out):
			out = v
		default:
			out = f(out, v)
		}
	}
	return out
}
