package segue

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
)

// segmentKind tells the three things that a pattern's segment can be apart.
type segmentKind uint8

const (
	literal   segmentKind = iota // the segment itself, decoded; "" stands behind a final slash
	parameter                    // one non-empty segment
	rest                         // everything from here on, at least the slash before it
)

func (k segmentKind) String() string {
	return [...]string{"literal", "parameter", "rest"}[k]
}

// A segment is what stands between two slashes of a pattern.
type segment struct {
	kind segmentKind
	text string // a literal's decoded text, or a wildcard's name; "" for a subtree's rest
}

// A pattern is a parsed route: the form between the text that a user wrote and
// the trie. Both languages end here, so that nothing behind it knows which one
// a route was written in, but for the rules that differ on purpose (verb).
type pattern struct {
	method string // "" for any method
	host   string // as compared: lower case, no final dot; "" for any host
	segs   []segment
	text   string // what r.Pattern shows
	path   string // the part of text from the first slash on
	shown  string // the host as written
	verb   bool   // written in Express's language: never a subtree, and TrailingSlash applies
	yields bool   // the rest's name is Static's, not the user's, and gives way to a prefix's
}

// names lists the named wildcards in the order in which they stand.
func (p *pattern) names() []string { return namesOf(p.segs) }

func namesOf(segs []segment) []string {
	var names []string
	for _, s := range segs {
		if s.kind != literal && s.text != "" {
			names = append(names, s.text)
		}
	}
	return names
}

// isRoot reports whether p is the whole of "/" for a router: what a mount's
// prefix alone stands for.
func (p *pattern) isRoot() bool {
	return len(p.segs) == 1 && (p.segs[0].kind == rest || p.segs[0] == segment{})
}

// parseMux parses a pattern of Handle: [METHOD ][HOST]/path in the language of
// http.ServeMux.
func parseMux(text string) (*pattern, *PatternError) {
	ps := &parser{text: text, p: new(pattern)}
	if text == "" {
		return nil, ps.fail(0, `empty pattern; "/" is the whole site`)
	}
	start := 0
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		ps.p.method = text[:i]
		if err := ps.checkMethod(); err != nil {
			return nil, err
		}
		start = i + 1
		for start < len(text) && (text[start] == ' ' || text[start] == '\t') {
			start++
		}
	}
	slash := strings.IndexByte(text[start:], '/')
	if slash < 0 {
		return nil, ps.fail(start, `no path; a pattern is "/path", "host/path" or "METHOD host/path"`)
	}
	if err := ps.setHost(start, start+slash); err != nil {
		return nil, err
	}
	return ps.parsePath(start + slash)
}

// parseVerb parses the path of a verb route. Offsets count in "METHOD /path",
// since that is the text which an error shows.
func parseVerb(method, path string) (*pattern, *PatternError) {
	text, start := path, 0
	if method != "" {
		text, start = method+" "+path, len(method)+1
	}
	ps := &parser{text: text, p: &pattern{method: method, verb: true}}
	if err := ps.checkMethod(); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(path, "/") {
		return nil, ps.fail(start, `a verb's path begins with "/"; a host or a method in the text is for Handle`)
	}
	if i := strings.IndexAny(path, " \t"); i >= 0 {
		return nil, ps.fail(start+i, "white space in a path; write %20 or %09")
	}
	return ps.parsePath(start)
}

// parsePrefix parses what Mount and Group take: a path in either language's
// wildcards that ends before a slash. "" and "/" are the empty prefix.
func parsePrefix(text string) (*pattern, *PatternError) {
	text = strings.Clone(text) // a mount keeps it, and not what the caller cut it from
	p := &pattern{text: text, verb: true}
	ps := &parser{text: text, p: p}
	trimmed := strings.TrimSuffix(text, "/")
	switch {
	case trimmed == "":
		return p, nil
	case trimmed[0] != '/':
		return nil, ps.fail(0, `a prefix begins with "/"; it takes no method and no host`)
	case strings.ContainsAny(trimmed, " \t"):
		return nil, ps.fail(strings.IndexAny(trimmed, " \t"), "white space in a prefix; write %20 or %09")
	}
	ps.text = trimmed
	p, err := ps.parsePath(0)
	if err != nil {
		err.Pattern = text
		return nil, err
	}
	ps.text = text
	if at := uncleanAt(text, 0); at >= 0 {
		return nil, ps.fail(at, "an empty or dot segment never matches, since paths are cleaned first")
	}
	last := p.segs[len(p.segs)-1]
	if last.kind == rest || last == (segment{}) {
		return nil, ps.fail(strings.LastIndexByte(trimmed, '/')+1, "a prefix cannot end in a rest or {$}; what is mounted decides what follows")
	}
	return p, nil
}

// A parser walks over one pattern's text.
type parser struct {
	text string
	p    *pattern
}

func (ps *parser) fail(offset int, reason string) *PatternError {
	return &PatternError{Pattern: ps.text, Offset: offset, Reason: reason}
}

// checkMethod refuses what is no token (RFC 9110, section 5.6.2), and a
// standard method in other letters, which no client sends.
func (ps *parser) checkMethod() *PatternError {
	m := ps.p.method
	for i := range len(m) {
		if !isToken(m[i]) {
			return ps.fail(i, "a method is a token such as GET, followed by one space")
		}
	}
	if up := strings.ToUpper(m); up != m && isStandardMethod(up) {
		return ps.fail(0, "methods are case-sensitive and this one never comes; write "+up)
	}
	return nil
}

func isToken(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

func isStandardMethod(m string) bool {
	switch m {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE":
		return true
	}
	return false
}

func (ps *parser) setHost(from, to int) *PatternError {
	host := ps.text[from:to]
	if i := strings.IndexByte(host, '{'); i >= 0 {
		return ps.fail(from+i, `a host takes no wildcards; a path begins with "/"`)
	}
	ps.p.shown, ps.p.host = host, canonicalHost(host)
	return nil
}

// canonicalHost is the form in which hosts are compared: RFC 3986 (3.2.2)
// makes them case-insensitive, and a final dot names the same host.
func canonicalHost(host string) string {
	if len(host) > 1 { // "." is no host, and must not become none
		host = strings.TrimSuffix(host, ".")
	}
	return lowerASCII(host)
}

// lowerASCII leaves all but A to Z alone: by Unicode's rules the Kelvin sign
// is a k, and all bytes that are no UTF-8 are one, so that a client could name
// a host by another.
func lowerASCII(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// parsePath parses the text from its first slash on and sets what r.Pattern
// will show.
func (ps *parser) parsePath(start int) (*pattern, *PatternError) {
	p, seen := ps.p, map[string]bool{}
	var shown strings.Builder
	shown.Grow(len(ps.text) + 4)
	shown.WriteString(ps.text[:start])
	p.segs = make([]segment, 0, strings.Count(ps.text, "/"))
	for off := start; off < len(ps.text); {
		from := off + 1
		to := len(ps.text)
		if i := strings.IndexByte(ps.text[from:], '/'); i >= 0 {
			to = from + i
		}
		seg, err := ps.parseSegment(from, to)
		if err != nil {
			return nil, err
		}
		if seg.kind != literal && seg.text != "" {
			if seen[seg.text] {
				return nil, ps.fail(from, "the name "+seg.text+" stands twice in this path; each parameter needs its own")
			}
			seen[seg.text] = true
		}
		p.segs = append(p.segs, seg)
		shown.WriteByte('/')
		shown.WriteString(ps.show(seg, from, to))
		off = to
	}
	if off := uncleanAt(ps.text, start); off >= 0 && p.method != "" {
		return nil, ps.fail(off, "an empty or dot segment never matches, since paths are cleaned first")
	}
	p.text = ps.text
	if shown.String() != ps.text {
		p.text = shown.String()
	}
	p.path = p.text[start:]
	return p, nil
}

// parseSegment parses text[from:to], one segment without its slashes.
func (ps *parser) parseSegment(from, to int) (segment, *PatternError) {
	s := ps.text[from:to]
	atEnd := to == len(ps.text)
	switch {
	case s == "" && atEnd && !ps.p.verb:
		return segment{kind: rest}, nil // a subtree
	case strings.IndexByte(s, '{') >= 0:
		return ps.parseBraces(from, to)
	case s != "" && (s[0] == ':' || s[0] == '*'):
		return ps.parseExpress(from, to)
	}
	return segment{kind: literal, text: decodedLiteral(s)}, nil
}

// decodedLiteral is a literal as paths are compared with it. As in ServeMux, what
// is no encoding stands for itself.
func decodedLiteral(text string) string {
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	return text
}

// parseBraces parses {name}, {name...} and {$}.
func (ps *parser) parseBraces(from, to int) (segment, *PatternError) {
	s, atEnd := ps.text[from:to], to == len(ps.text)
	open, end := strings.IndexByte(s, '{'), strings.IndexByte(s, '}')
	switch {
	case open != 0:
		return segment{}, ps.fail(from, "a wildcard is a whole segment; write {name} alone and take the value apart in the handler")
	case end < 0:
		return segment{}, ps.fail(from, "the brace is not closed; write {name}")
	case end != len(s)-1:
		return segment{}, ps.fail(from+end+1, "a wildcard is a whole segment; nothing may follow its brace but a slash")
	}
	name, isRest := strings.CutSuffix(s[1:len(s)-1], "...")
	switch {
	case name == "$" && !isRest && !atEnd:
		return segment{}, ps.fail(from, "{$} marks the end of a path; nothing can follow it")
	case name == "$" && !isRest:
		return segment{}, nil
	case isRest && !atEnd:
		return segment{}, ps.fail(from, "a rest takes everything that follows; it must be last")
	}
	return ps.wildcard(name, isRest, from, from+1)
}

// parseExpress parses :name and *name. In Handle they are refused: ServeMux
// takes them for literals, and so registers a route that nobody reaches.
func (ps *parser) parseExpress(from, to int) (segment, *PatternError) {
	s, isRest := ps.text[from:to], ps.text[from] == '*'
	name := s[1:]
	if !ps.p.verb {
		if !isName(name) && s != "*" {
			return segment{kind: literal, text: decodedLiteral(s)}, nil
		}
		if isRest {
			return segment{}, ps.fail(from, "a star is a literal here; write {path...} for the rest, or %2A for a real star")
		}
		return segment{}, ps.fail(from, "a colon is a literal here; write {"+name+"}, or %3A for a real colon")
	}
	if isRest && to != len(ps.text) {
		return segment{}, ps.fail(from, "a rest takes everything that follows; it must be last")
	}
	return ps.wildcard(name, isRest, from, from+1)
}

func (ps *parser) wildcard(name string, isRest bool, from, nameAt int) (segment, *PatternError) {
	kind, form := parameter, "{name}"
	if isRest {
		kind, form = rest, "{path...}"
	}
	switch {
	case name == "":
		return segment{}, ps.fail(from, "a wildcard needs a name; write "+form)
	case !isName(name):
		return segment{}, ps.fail(nameAt, "a name is letters, digits and _, and begins with no digit; write "+form)
	}
	return segment{kind: kind, text: name}, nil
}

// isName is ServeMux's rule: the form of a Go identifier, keywords included.
func isName(s string) bool {
	for i, c := range s {
		if !unicode.IsLetter(c) && c != '_' && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return s != ""
}

// show is the segment in ServeMux's language. Literals stay as they were
// written, so that logs show what stands in the code.
func (ps *parser) show(seg segment, from, to int) string {
	switch {
	case seg.kind == parameter:
		return "{" + seg.text + "}"
	case seg.kind == rest && seg.text != "":
		return "{" + seg.text + "...}"
	case seg == segment{} && ps.p.verb && to == len(ps.text) && len(ps.p.segs) > 1:
		return "{$}" // but a verb's "/" alone shows as it was written
	}
	return ps.text[from:to]
}

// joinPatterns is the pattern of a route as seen from the router that mounts
// its router under prefix.
func joinPatterns(prefix *pattern, p *pattern) (*pattern, *PatternError) {
	if len(prefix.segs) == 0 {
		return p, nil
	}
	if p.yields {
		p = p.makeWay(prefix.names())
	}
	j := *p
	j.segs = append(prefix.segs[:len(prefix.segs):len(prefix.segs)], p.segs...)
	path := prefix.path + p.path
	if p.verb && p.isRoot() && p.segs[0].kind == literal {
		j.segs, path = j.segs[:len(prefix.segs)], prefix.path
	}
	j.text = j.shown + path
	if j.method != "" {
		j.text = j.method + " " + j.text
	}
	j.path = j.text[len(j.text)-len(path):]
	outer := prefix.names()
	for _, name := range p.names() {
		if slices.Contains(outer, name) {
			at := max(strings.LastIndex(j.text, "{"+name+"}"), strings.LastIndex(j.text, "{"+name+"...}"))
			return nil, &PatternError{Pattern: j.text, Offset: at,
				Reason: "the name " + name + " stands in the mount's prefix too; each parameter needs its own"}
		}
	}
	return &j, nil
}

// uncleanAt returns where in text the first empty or dot segment begins that
// cleaning would take away, -1 if there is none. The path begins at start.
func uncleanAt(text string, start int) int {
	for off := start; off < len(text); {
		from := off + 1
		to := len(text)
		if i := strings.IndexByte(text[from:], '/'); i >= 0 {
			to = from + i
		}
		s := text[from:to]
		if s == "." || s == ".." || s == "" && to < len(text) {
			return from
		}
		off = to
	}
	return -1
}

// isClean reports whether cleaning would leave an escaped or plain path as it
// is (RFC 3986, section 5.2.4, and no empty segment but the last).
func isClean(p string) bool {
	return p != "" && p[0] == '/' && uncleanAt(p, 0) < 0
}

// cleanPath is ServeMux's: path.Clean with the final slash kept. It works on
// the escaped text, so that encoded slashes and dots stay values.
func cleanPath(p string) string {
	if p == "" {
		return "/"
	}
	if p[0] != '/' {
		p = "/" + p
	}
	clean := path.Clean(p)
	if clean != "/" && (p[len(p)-1] == '/') {
		clean += "/"
	}
	return clean
}

// A PatternError says what is wrong with a pattern that was to be registered.
// Every registering method panics with a *PatternError, which recover gives
// back as it is.
type PatternError struct {
	Pattern string // as it was to be registered, with the method
	Offset  int    // where in Pattern, in bytes
	Reason  string // what is wrong there, and how to write it right

	place place
}

// Error returns the pattern, the place of registration, the offset and the
// reason, with a caret under the offset on a line of its own.
func (e *PatternError) Error() string {
	return fmt.Sprintf("segue: pattern %q (registered at %v), offset %d: %s\n%s", e.Pattern, e.place, e.Offset, e.Reason, underline(e.Pattern, e.Offset))
}

// underline returns text with a caret below the character at offset. What a
// terminal would not show in one column is replaced.
func underline(text string, offset int) string {
	var line strings.Builder
	column := 0
	for i, c := range text {
		if i < offset {
			column++
		}
		if !unicode.IsPrint(c) {
			c = '\uFFFD'
		}
		line.WriteRune(c)
	}
	return "\t" + line.String() + "\n\t" + strings.Repeat(" ", column) + "^"
}

// A ConflictError says that two routes match the same requests. The second one
// is refused, with every router left as it was: registering panics with a
// *ConflictError.
type ConflictError struct {
	New, Old Route

	mounted place // where Mount brought the two together, if it did
}

func newConflict(e, old *entry) *ConflictError {
	return &ConflictError{New: e.public(e.kept().text), Old: old.public(old.kept().text)}
}

// Error names both patterns, both places of registration and a path that both
// match.
func (e *ConflictError) Error() string {
	text := fmt.Sprintf("segue: pattern %q (registered at %s:%d) matches the same requests as %q (registered at %s:%d), for example %s",
		e.New.Pattern, e.New.File, e.New.Line, e.Old.Pattern, e.Old.File, e.Old.Line, examplePath(e.New.Path))
	if e.mounted != 0 {
		text += fmt.Sprintf(" (mounted at %v)", e.mounted)
	}
	return text
}

// examplePath returns a path that a pattern's path matches.
func examplePath(path string) string {
	var b strings.Builder
	for seg := range strings.SplitSeq(path[1:], "/") {
		b.WriteByte('/')
		name, isWildcard := strings.CutPrefix(seg, "{")
		switch {
		case seg == "{$}":
		case isWildcard:
			b.WriteString(strings.TrimSuffix(strings.TrimSuffix(name, "}"), "..."))
		default:
			b.WriteString(seg)
		}
	}
	return b.String()
}
