// Package terminal writes text that may come from a stranger in lines that are fit
// for a terminal: only visible characters, and at most 80 columns.
//
//	var b strings.Builder
//	terminal.Line(&b, "GET /users/\x1b[2J", "main.go:12")
//	terminal.List(&b, "  not", names) // 15 of them
//
// writes
//
//	GET /users/\x1b[2J                                                    main.go:12
//	  not /users/{id}, /users/{id}/{id}, /users/{id}/{id}/{id} and 12 more
//
// The byte 1b, which would have cleared the screen, has become the four characters
// \x1b. What does not fit is left out, and the line says so: a list counts the names
// that are missing, and any other line ends in an ellipsis.
package terminal

import (
	"fmt"
	"strconv"
	"strings"
)

const columns = 80 // as many as a terminal has at least

// Line writes a line: left, and right at the margin if there is room for it.
func Line(to *strings.Builder, left, right string) {
	left, right = Printable(left), Printable(right)
	if gap := columns - Width(left) - Width(right); right != "" && gap > 1 {
		left += strings.Repeat(" ", gap) + right
	}
	to.WriteString(strings.TrimRight(Clip(left, columns), " ") + "\n")
}

// List writes a line of names after a heading, as many as there is room for.
func List(to *strings.Builder, heading string, names []string) {
	for i, name := range names {
		next, more := heading+" "+name, ""
		if left := len(names) - i - 1; left > 0 {
			next, more = next+",", fmt.Sprintf(" and %d more", left)
		}
		if i > 0 && Width(Printable(next+more)) > columns {
			heading = strings.TrimSuffix(heading, ",") + fmt.Sprintf(" and %d more", len(names)-i)
			break
		}
		heading = next
	}
	Line(to, heading, "")
}

// Printable escapes what is no visible character, as Go's strings are written.
func Printable(s string) string {
	quoted := strconv.Quote(s)
	return unescape.Replace(quoted[1 : len(quoted)-1])
}

// Of what strconv.Quote escapes these two are visible.
var unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

// Width counts columns: two for what East Asian fonts draw wide.
func Width(s string) (n int) {
	for _, c := range s {
		n++
		if c >= 0x1100 && (c < 0x2010 || c >= 0x2e80) {
			n++
		}
	}
	return n
}

// Clip cuts s to so many columns, and shows that it did.
func Clip(s string, most int) string {
	if Width(s) <= most {
		return s
	}
	n := Width("…")
	end := strings.IndexFunc(s, func(c rune) bool {
		n += Width(string(c))
		return n > most
	})
	return s[:end] + "…"
}
