package segue

// This file draws, for a terminal, what explain.go finds: the trace of one request,
// and the tree of all routes. How a line comes to fit is internal/terminal's.

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/segue-go/segue/internal/terminal"
)

// String draws the trace for a terminal of 80 columns: the request, the
// answer, a line for each segment, and what comes nearest to a miss. What a
// terminal would not show as a character is escaped.
func (t Trace) String() string {
	var b strings.Builder
	terminal.Line(&b, t.request, "")
	terminal.Line(&b, t.Match.answerText(), siteText(t.Match.Route))
	for _, note := range t.notes {
		terminal.Line(&b, "  "+note, "")
	}
	if len(t.Steps) > 0 {
		b.WriteString("\n      /\n")
		t.drawSteps(&b)
	}
	for i, name := range slices.Sorted(maps.Keys(t.Match.Params)) {
		if i == 0 {
			b.WriteByte('\n')
		}
		terminal.Line(&b, fmt.Sprintf("  %s = %q", name, t.Match.Params[name]), "")
	}
	for i, r := range t.Nearest {
		if i == 0 {
			b.WriteString("\nnearest:\n")
		}
		terminal.Line(&b, "  "+r.Pattern, t.why[i])
	}
	return b.String()
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

func siteText(r Route) string {
	if r.File == "" {
		return ""
	}
	return filepath.Base(r.File) + ":" + strconv.Itoa(r.Line)
}

func (t Trace) drawSteps(b *strings.Builder) {
	const widest = 28
	column := 1
	for _, s := range t.Steps {
		column = max(column, min(terminal.Width(terminal.Printable(s.Segment)), widest))
	}
	for i, s := range t.Steps {
		edge, below := "├─", "│ "
		if i == len(t.Steps)-1 {
			edge, below = "└─", "  "
		}
		segment := terminal.Clip(terminal.Printable(cmp.Or(s.Segment, "/")), widest)
		segment += strings.Repeat(" ", column-terminal.Width(segment))
		terminal.Line(b, fmt.Sprintf("%3d  %s %s  %s", i+1, edge, segment, s.how()), s.openText())
		indent := "     " + below + strings.Repeat(" ", column+3)
		if len(s.Node) > 1 {
			terminal.List(b, indent+"merged:", s.Node)
		}
		if len(s.rules) == 0 && s.Rule != "" {
			terminal.Line(b, indent+s.Rule, "")
		}
		for n, rule := range s.rules {
			terminal.List(b, indent+rule, s.lost[n])
		}
	}
	if last := t.Steps[len(t.Steps)-1]; t.Match.Route.Pattern == "" && t.Match.Allow == "" && len(last.Node) > 0 {
		terminal.Line(b, "         the path ends here, and no route does", "")
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
		return "{" + s.Name + "...} = " + terminal.Clip(strconv.Quote(s.Value), 32)
	case s.Kind == parameter.String():
		return "{" + s.Name + "} = " + terminal.Clip(strconv.Quote(s.Value), 32)
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

// drawTree draws the routes that have their first segments in common, depth of
// them with the host for one. edge leads to these routes, and below to what is
// drawn under them. A subtree's nameless rest is shown as {...}.
func drawTree(b *strings.Builder, routes []Route, depth int, edge, below string) {
	var methods, names []string
	site, under := "", map[string][]Route{}
	for _, r := range routes {
		segments := strings.Split(r.Host+strings.TrimSuffix(r.Path, "/"), "/")
		if segments[0] += "/"; r.Path != "/" && strings.HasSuffix(r.Path, "/") {
			segments = append(segments, "{...}")
		}
		if len(segments) == depth {
			methods, site = append(methods, cmp.Or(r.Method, "any")), cmp.Or(site, siteText(r))
			continue
		}
		name := segments[depth]
		if under[name] == nil {
			names = append(names, name)
		}
		under[name] = append(under[name], r)
	}
	if depth > 0 {
		terminal.Line(b, fmt.Sprintf("%-34s %s", terminal.Printable(edge), strings.Join(methods, " ")), site)
	}
	for i, name := range names {
		corner, beside := "├── ", "│   "
		switch {
		case depth == 0: // hosts stand at the margin
			corner, beside = "", ""
		case i == len(names)-1:
			corner, beside = "└── ", "    "
		}
		drawTree(b, under[name], depth+1, below+corner+name, below+beside)
	}
}
