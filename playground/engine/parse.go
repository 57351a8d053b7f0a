//go:build playground

package engine

// This file reads one line of the editor. A line never fails here: what it means
// wrongly, the router refuses when the line is registered.

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A line is what one line of the editor says.
type line struct {
	number int
	indent int
	kind   lineKind
	method string // of a verb
	path   string // of a verb, a pattern of Handle, a prefix of mount, or what a setting is set to
	at     int    // where path begins in the text, in bytes
	verbAt int    // where the first word begins
	name   string
	text   string
}

type lineKind int

const (
	nothing lineKind = iota
	verb
	handle
	mount
	use
	with
	setting
)

// settings are the words that set something on the router of their line.
var settings = []string{"NotFound", "MethodNotAllowed", "OnError", "TrailingSlash", "CleanPath"}

// code is a registration as it stands in a program, Go's or Express's.
var code = regexp.MustCompile("^(?:\\w+\\.)?(\\w+)\\(\\s*[\"'`]([^\"'`]*)[\"'`]\\s*,?\\s*(\\w*)")

// parseLine takes a line apart.
func parseLine(number int, text string) line {
	body := strings.TrimLeft(text, " \t")
	l := line{number: number, indent: len(text) - len(body), text: text}
	body = strings.TrimRight(body, " \t\r")
	if body == "" || strings.HasPrefix(body, "#") || strings.HasPrefix(body, "//") {
		return l
	}
	if m := code.FindStringSubmatchIndex(body); m != nil {
		l.verbAt, l.at = l.indent+m[2], l.indent+m[4]
		l.name = body[m[6]:m[7]]
		l.set(body[m[2]:m[3]], body[m[4]:m[5]])
		return l
	}
	word, rest, at := cutWord(body, l.indent)
	l.verbAt = l.indent
	if strings.Contains(word, "/") {
		l.kind, l.path, l.at, l.name = handle, word, l.indent, rest
		return l
	}
	path, name, _ := cutWord(rest, at)
	if isHandle(word) && path != "" && !strings.Contains(path, "/") {
		// A method stands before the path: both are the pattern.
		next, tail, _ := cutWord(name, 0)
		path, name = rest[:len(rest)-len(name)+len(next)], tail
	}
	l.at, l.name = at, name
	l.set(word, path)
	if l.kind == use || l.kind == with {
		l.path = rest
	}
	return l
}

func isHandle(word string) bool { return word == "Handle" || word == "HandleFunc" }

// set says what a word before a path means.
func (l *line) set(word, path string) {
	l.path = path
	switch {
	case isHandle(word):
		l.kind = handle
	case word == "mount" || word == "Mount" || word == "Group" || word == "use" && strings.Contains(path, "/"):
		l.kind = mount
	case word == "use":
		l.kind = use
	case word == "with":
		l.kind = with
	case slices.Contains(settings, word):
		l.kind, l.method = setting, word
	case word == "Any" || word == "ANY" || word == "all":
		l.kind = verb
	default:
		l.kind, l.method = verb, word
		if strings.Contains(l.text, "(") {
			l.method = strings.ToUpper(word) // app.get, app.Get and app.GET
		}
	}
}

// names are the middlewares of a line: "use logging, auth".
func (l line) names() []string {
	return strings.FieldsFunc(l.path, func(c rune) bool { return c == ' ' || c == '\t' || c == ',' })
}

// cutWord cuts text at its first white space, and says where what follows
// begins if text began at from.
func cutWord(text string, from int) (word, rest string, at int) {
	i := strings.IndexAny(text, " \t")
	if i < 0 {
		return text, "", from + len(text)
	}
	rest = strings.TrimLeft(text[i:], " \t")
	return text[:i], rest, from + len(text) - len(rest)
}

// column is a place in the line, in characters, for an offset of an error's
// pattern, which for a verb begins with the method.
func (l line) column(pattern string, offset int) int {
	at := l.at + offset
	if l.kind == verb && l.method != "" && strings.HasPrefix(pattern, l.method+" ") {
		if at -= len(l.method) + 1; offset <= len(l.method) {
			at = l.verbAt + offset
		}
	}
	return l.characters(at)
}

func (l line) characters(bytes int) int {
	return utf8.RuneCountInString(l.text[:min(max(bytes, 0), len(l.text))])
}

// words are those that a line begins with, the methods first.
var words = []string{
	"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE",
	"Any", "Handle", "HandleFunc", "mount", "use", "with", "NotFound", "MethodNotAllowed", "OnError", "TrailingSlash", "CleanPath",
}

const methodWords = 9 // so many of words are methods

// slip returns the known word that a word is one slip away from: a letter too
// many, too few or wrong, or two that changed places. It returns "" for a known
// word, and where there is none.
func slip(word string, known []string) string {
	if slices.Contains(known, word) {
		return ""
	}
	for _, k := range known {
		if oneSlip(word, k) {
			return k
		}
	}
	return ""
}

func oneSlip(a, b string) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	switch {
	case len(a) <= 1 && len(b) <= 1:
		return true
	case len(a) == 2 && len(b) == 2:
		return a[0] == b[1] && a[1] == b[0]
	}
	return false
}
