//go:build playground

package engine

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A line is what one line of the editor says.
type line struct {
	number int
	indent int
	kind   lineKind
	method string // of a verb
	path   string // of a verb, a pattern of Handle, or a prefix of mount
	at     int    // where path begins in the text, in bytes
	verbAt int    // where the method begins
	name   string
	text   string
}

type lineKind int

const (
	nothing lineKind = iota
	verb
	handle
	mount
)

// code is a registration as it stands in a program, Go's or Express's.
var code = regexp.MustCompile("^\\w+\\.(\\w+)\\(\\s*[\"'`]([^\"'`]*)[\"'`]\\s*,?\\s*(\\w*)")

// parseLine never fails: what a line means wrongly, segue refuses.
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
	return l
}

func isHandle(word string) bool { return word == "Handle" || word == "HandleFunc" }

// set says what a word before a path means.
func (l *line) set(word, path string) {
	l.path = path
	switch {
	case isHandle(word):
		l.kind = handle
	case word == "mount" || word == "Mount" || word == "Group" || word == "use":
		l.kind = mount
	case word == "Any" || word == "ANY" || word == "all":
		l.kind = verb
	default:
		l.kind, l.method = verb, word
		if strings.Contains(l.text, "(") {
			l.method = strings.ToUpper(word) // app.get, app.Get and app.GET
		}
	}
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
	return utf8.RuneCountInString(l.text[:min(max(at, 0), len(l.text))])
}
