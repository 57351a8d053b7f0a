package chart

// This file draws several small charts in one picture. They have their sizes in
// common, and one legend.

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Panel is one of the charts. Both its axes are logarithmic.
type Panel struct {
	Title  string // with the unit
	Curves []Curve
}

// A Curve is a line of a panel. Curves of one name have one colour.
type Curve struct {
	Name   string
	Colour int // the number of a colour
	Dashed bool
	Values []float64 // NaN where there is none
}

// Panels draws four panels, two in a row, over the same places. The legend says
// what dashes mean.
func Panels(dir, name, title, unitX, dashes string, places []float64, panels [4]Panel) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, t := range themes {
		canvas := vgsvg.New(7*vg.Inch, 6.2*vg.Inch)
		margin := vg.Points(8)
		if err := t.drawPanels(draw.Crop(draw.New(canvas), margin, -margin, margin, -margin), title, unitX, dashes, places, panels); err != nil {
			return err
		}
		var text bytes.Buffer
		if _, err := canvas.WriteTo(&text); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+"-"+t.name+".svg"), withFonts(text.Bytes()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (t theme) drawPanels(c draw.Canvas, title, unitX, dashes string, places []float64, panels [4]Panel) error {
	plots := [][]*plot.Plot{make([]*plot.Plot, 2), make([]*plot.Plot, 2)}
	for i, panel := range panels {
		p := plot.New()
		p.BackgroundColor = nil
		plots[i/2][i%2] = p
		t.axes(p, panel.Title, "", "")
		p.Title.TextStyle.Font = sans(10)
		if i >= 2 {
			p.X.Label.Text = unitX
		}
		for _, curve := range panel.Curves {
			if err := t.addCurve(p, places, curve); err != nil {
				return err
			}
		}
		logarithmic(&p.X, places[0], places[len(places)-1])
		p.X.Tick.Marker = at(places)
		decades(&p.Y, panel.Curves)
	}
	head := t.text(12)
	head.XAlign, head.YAlign = draw.XCenter, draw.YTop
	c.FillText(head, vg.Point{X: c.Center().X, Y: c.Max.Y}, title)
	t.drawLegend(c, dashes, panels)
	tiles := draw.Tiles{Rows: 2, Cols: 2, PadX: vg.Points(14), PadY: vg.Points(10)}
	for i, row := range plot.Align(plots, tiles, draw.Crop(c, 0, 0, 0, -vg.Points(44))) {
		for j, tile := range row {
			plots[i][j].Draw(tile)
		}
	}
	return nil
}

// text is a style for what belongs to no plot.
func (t theme) text(size float64) draw.TextStyle {
	style := plot.New().Title.TextStyle
	style.Font, style.Color = sans(size), t.ink
	return style
}

// addCurve adds a curve as far as it has values.
func (t theme) addCurve(p *plot.Plot, places []float64, curve Curve) error {
	var points plotter.XYs
	for i, v := range curve.Values {
		if !math.IsNaN(v) && v > 0 {
			points = append(points, plotter.XY{X: places[i], Y: v})
		}
	}
	if len(points) == 0 {
		return nil
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.LineStyle = t.stroke(curve)
	dots, err := t.scatter(curve.Colour, points)
	if err != nil {
		return err
	}
	dots.GlyphStyle.Radius = vg.Points(2.5)
	p.Add(line, dots)
	return nil
}

func (t theme) stroke(curve Curve) draw.LineStyle {
	style := draw.LineStyle{Color: t.series[curve.Colour%len(t.series)], Width: vg.Points(1.6)}
	if curve.Dashed {
		style.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	}
	return style
}

// drawLegend writes each curve's name once, in a row below the title.
func (t theme) drawLegend(c draw.Canvas, dashes string, panels [4]Panel) {
	var names []string
	var strokes []draw.LineStyle
	for _, curve := range slices.Concat(panels[0].Curves, panels[1].Curves, panels[2].Curves, panels[3].Curves) {
		if !slices.Contains(names, curve.Name) && !curve.Dashed {
			names, strokes = append(names, curve.Name), append(strokes, t.stroke(curve))
		}
	}
	stroke := t.stroke(Curve{Dashed: true})
	stroke.Color = t.ink
	names, strokes = append(names, dashes), append(strokes, stroke)
	const sample, gap = 22, 16 // points
	style := t.text(9)
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	width := vg.Points(-gap)
	for _, name := range names {
		width += vg.Points(sample+4+gap) + style.Width(name)
	}
	x, y := c.Center().X-width/2, c.Max.Y-vg.Points(29)
	for i, name := range names {
		c.StrokeLine2(strokes[i], x, y, x+vg.Points(sample), y)
		x += vg.Points(sample + 4)
		c.FillText(style, vg.Point{X: x, Y: y}, name)
		x += style.Width(name) + vg.Points(gap)
	}
}

// decades sets a logarithmic axis that has a tick for each power of ten, or
// between them too where there are few.
func decades(axis *plot.Axis, curves []Curve) {
	var low, high []float64
	for _, curve := range curves {
		low, high = append(low, least(curve.Values)), append(high, most(curve.Values))
	}
	logarithmic(axis, least(low), most(high))
	if axis.Max/axis.Min < 50 {
		return
	}
	var ticks []float64
	for exponent := math.Floor(math.Log10(axis.Min)); exponent <= math.Log10(axis.Max); exponent++ {
		ticks = append(ticks, math.Pow10(int(exponent)))
	}
	axis.Tick.Marker = at(ticks)
}
