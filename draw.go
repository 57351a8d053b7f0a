package segue

import (
	"cmp"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// drawWidth is what a terminal shows at least.
const drawWidth = 80

// A drawing collects lines that are fit for a terminal: what would move its
// cursor or turn the text around is escaped, and no line is wider than
// drawWidth.
type drawing struct{ strings.Builder }

// line adds a line: left, and right at the margin if there is room for it.
func (d *drawing) line(left, right string) {
	left, right = printable(left), printable(right)
	if gap := drawWidth - width(left) - width(right); right != "" && gap > 1 {
		left += strings.Repeat(" ", gap) + right
	}
	d.WriteString(strings.TrimRight(clip(left, drawWidth), " "))
	d.WriteByte('\n')
}

// list adds a line of names behind a heading, as many as there is room for.
func (d *drawing) list(heading string, names []string) {
	for i, name := range names {
		next, room := heading+" "+name, 0
		if i < len(names)-1 {
			next += ","
			room = len(fmt.Sprintf(" and %d more", len(names)-i-1))
		}
		if i > 0 && width(printable(next))+room > drawWidth {
			heading = strings.TrimSuffix(heading, ",") + fmt.Sprintf(" and %d more", len(names)-i)
			break
		}
		heading = next
	}
	d.line(heading, "")
}

// printable escapes what is no visible character, as Go's strings are written.
func printable(s string) string {
	var b strings.Builder
	for i, c := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case strconv.IsPrint(c):
			b.WriteRune(c)
		default:
			quoted := strconv.QuoteRune(c)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// width counts columns: two for what East Asian fonts draw wide.
func width(s string) int {
	n := 0
	for _, c := range s {
		n += columns(c)
	}
	return n
}

func columns(c rune) int {
	if c >= 0x1100 && (c < 0x2010 || c >= 0x2e80) {
		return 2
	}
	return 1
}

// clip cuts s to so many columns, and shows that it did.
func clip(s string, most int) string {
	if width(s) <= most {
		return s
	}
	n := 0
	for i, c := range s {
		if n += columns(c); n > most-1 {
			return s[:i] + "…"
		}
	}
	return s
}

// String draws the trace for a terminal of 80 columns: the request, the
// answer, a line for each segment, and what comes nearest to a miss. What a
// terminal would not show as a character is escaped.
func (t Trace) String() string {
	var d drawing
	if t.request == "" {
		drawTree(&d, t.routes)
		return d.String()
	}
	d.line(t.request, "")
	d.line(t.Match.answerText(), placeText(t.Match.Route))
	for _, note := range t.notes {
		d.line("  "+note, "")
	}
	if len(t.Steps) > 0 {
		d.line("", "")
		t.drawSteps(&d)
	}
	t.drawParams(&d)
	t.drawNearest(&d)
	return d.String()
}

// requestText is a request's first line, with its host.
func requestText(r *http.Request) string {
	text := r.Method + " "
	if r.Host != "" {
		text += r.Host + " "
	}
	return text + r.URL.EscapedPath()
}

func (m Match) answerText() string {
	text := strconv.Itoa(m.Status)
	switch {
	case m.Status == http.StatusBadRequest:
		text += ", not a path"
	case m.Location != "":
		text += " to " + m.Location
		if m.Route.Pattern != "" {
			text += ", of " + m.Route.Pattern
		}
	case m.Status == http.StatusNotFound:
		text += ", no route"
	case m.Allow != "":
		text += ", Allow: " + m.Allow
	default:
		text += " " + m.Route.Pattern
	}
	return text
}

func placeText(r Route) string {
	if r.File == "" {
		return ""
	}
	return filepath.Base(r.File) + ":" + strconv.Itoa(r.Line)
}

func (t Trace) drawSteps(d *drawing) {
	column := 1
	for _, s := range t.Steps {
		column = max(column, min(width(printable(s.Segment)), 28))
	}
	d.line("      /", "")
	for i, s := range t.Steps {
		edge, below := "├─", "│ "
		if i == len(t.Steps)-1 {
			edge, below = "└─", "  "
		}
		segment := clip(printable(cmp.Or(s.Segment, "/")), 28)
		segment += strings.Repeat(" ", column-width(segment))
		d.line(fmt.Sprintf("%3d  %s %s  %s", i+1, edge, segment, s.how()), s.openText())
		indent := "     " + below + strings.Repeat(" ", column+3)
		if len(s.Node) > 1 {
			d.list(indent+"merged:", s.Node)
		}
		if s.Rule == nothingElse {
			d.line(indent+s.Rule, "")
		}
		for _, v := range s.verdicts {
			d.list(indent+v.rule+": not", v.lost)
		}
	}
	if t.ended {
		d.line("         the path ends here, and no route does", "")
	}
}

// how says how the segment was taken.
func (s Step) how() string {
	switch {
	case s.Kind == "":
		return "no route goes on here"
	case s.Kind == rest.String() && s.Name == "":
		return "the rest"
	case s.Kind == rest.String():
		return "{" + s.Name + "...} = " + clip(strconv.Quote(s.Value), 32)
	case s.Kind == parameter.String():
		return "{" + s.Name + "} = " + clip(strconv.Quote(s.Value), 32)
	case s.Segment == "":
		return "final slash"
	}
	return s.Kind
}

func (s Step) openText() string {
	text := strconv.Itoa(len(s.Open)) + " routes"
	switch len(s.Open) {
	case 0:
		text = "no route"
	case 1:
		text = "1 route"
	}
	if s.Wide {
		text = "side by side, " + text
	}
	return text
}

func (t Trace) drawParams(d *drawing) {
	names := make([]string, 0, len(t.Match.Params))
	for name := range t.Match.Params {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) > 0 {
		d.line("", "")
	}
	for _, name := range names {
		d.line(fmt.Sprintf("  %s = %q", name, t.Match.Params[name]), "")
	}
}

func (t Trace) drawNearest(d *drawing) {
	if len(t.Nearest) == 0 {
		return
	}
	d.line("", "")
	d.line("nearest:", "")
	for i, r := range t.Nearest {
		d.line("  "+r.Pattern, t.why[i])
	}
}

// A limb is a segment of the tree of all routes.
type limb struct {
	text   string
	routes []Route // that end here
	limbs  []*limb
}

func (l *limb) grow(text string) *limb {
	for _, c := range l.limbs {
		if c.text == text {
			return c
		}
	}
	c := &limb{text: text}
	l.limbs = append(l.limbs, c)
	return c
}

// treeOf joins routes by their segments, as they were written, under their
// hosts. A subtree's nameless rest is shown as {...}.
func treeOf(routes []Route) []*limb {
	var root limb
	for _, r := range routes {
		at := root.grow(r.Host + "/")
		for seg := range strings.SplitSeq(r.Path[1:], "/") {
			switch {
			case r.Path == "/":
			case seg == "":
				at = at.grow("{...}")
			default:
				at = at.grow(seg)
			}
		}
		at.routes = append(at.routes, r)
	}
	return root.limbs
}

func drawTree(d *drawing, routes []Route) {
	for _, host := range treeOf(routes) {
		host.draw(d, "", "")
	}
}

// draw draws a limb behind what leads to it.
func (l *limb) draw(d *drawing, edge, below string) {
	var methods, places []string
	for _, r := range l.routes {
		method := r.Method
		if method == "" {
			method = "any"
		}
		methods = append(methods, method)
		if place := placeText(r); place != "" && !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	left := fmt.Sprintf("%-34s %s", printable(edge+l.text), strings.Join(methods, " "))
	d.line(left, strings.Join(places[:min(len(places), 1)], ""))
	for i, c := range l.limbs {
		if i < len(l.limbs)-1 {
			c.draw(d, below+"├── ", below+"│   ")
		} else {
			c.draw(d, below+"└── ", below+"    ")
		}
	}
}
