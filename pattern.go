package segue

// This file holds both pattern languages and what is wrong with a pattern. A
// text is parsed once, into segments; nothing after that asks which language
// it was written in, except the rules that differ on purpose. It stands on
// nothing else of the package.

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/segue-go/segue/internal/automaton"
)

// segmentKind is the kind of a pattern segment. The kinds are in the order of
// rule 2 of doc.go, for Explain and Static: a literal beats a parameter, and a
// parameter beats a rest. What a request gets is decided in trie.go: (*compiler).step
// puts literals first, and (*compiler).children rests last.
type segmentKind uint8

const (
	literal   segmentKind = iota // the segment itself, decoded; "" is the empty segment after a final slash
	parameter                    // one non-empty segment
	rest                         // everything that follows, at least the slash before it
)

func (k segmentKind) String() string {
	return [...]string{"literal", "parameter", "rest"}[k]
}

// A segment is the part of a pattern between two slashes.
type segment struct {
	kind segmentKind
	text string // a literal's decoded text, or a wildcard's name; "" for a subtree's rest
}

// hasName reports whether s is a wildcard with a name.
func (s segment) hasName() bool { return s.kind != literal && s.text != "" }

// A pattern is a parsed route: the form between the text that a user wrote and
// the trie.
type pattern struct {
	text     string // what r.Pattern shows: method, host and path, in ServeMux's language
	segments []segment
	hostAt   uint32 // where the host begins in text
	pathAt   uint32 // where the path begins in text
	verb     bool   // written in Express's language: never a subtree, and TrailingSlash applies
	static   bool   // made by Static: the rest's name is not the user's, and gives way to a prefix's
}

// method returns the pattern's method, "" for any.
func (p *pattern) method() string { return strings.TrimRight(p.text[:p.hostAt], " \t") }

// host returns the host as it was written, "" for any.
func (p *pattern) host() string { return p.text[p.hostAt:p.pathAt] }

// hostName returns the name of the parameter that is the host's first label, ""
// if there is none.
func (p *pattern) hostName() string { return hostParameter(p.host()) }

// hostParameter is hostName for the text of a pattern before its path.
func hostParameter(text string) string {
	_, label, _ := strings.Cut(text, "{") // no method has a brace
	name, _, _ := strings.Cut(label, "}")
	return name
}

// hostKey returns the text by which hosts are told apart: two that differ only in
// the name of their parameter are one.
func (p *pattern) hostKey() string {
	name, host := p.hostName(), p.host()
	if name == "" {
		return canonicalHost(host)
	}
	return anyLabel + canonicalHost(host[len("{"+name+"}"):])
}

// anyLabel stands for the parameter in a host's key. No host begins like it.
const anyLabel = "{}"

// path returns the pattern without method and host.
func (p *pattern) path() string { return p.text[p.pathAt:] }

// names lists the parameters from left to right, the host's first.
func (p *pattern) names() []string {
	var names []string
	if name := p.hostName(); name != "" {
		names = append(names, name)
	}
	for _, s := range p.segments {
		if s.hasName() {
			names = append(names, s.text)
		}
	}
	return names
}

// last returns the last segment.
func (p *pattern) last() segment { return p.segments[len(p.segments)-1] }

// isRoot reports whether p stands for "/" in its own router, exactly or as a
// subtree: that is what a mount's prefix leads to.
func (p *pattern) isRoot() bool {
	return len(p.segments) == 1 && (p.segments[0].kind == rest || p.segments[0] == segment{})
}

// parseMux parses a pattern of Handle: [METHOD ][HOST]/path in the language of
// http.ServeMux.
func parseMux(text string) (*pattern, *PatternError) {
	ps := &parser{text: text, p: new(pattern)}
	if text == "" {
		return nil, ps.fail(0, `empty pattern; "/" is the whole site`)
	}
	host := 0
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		if err := ps.checkMethod(text[:i]); err != nil {
			return nil, err
		}
		host = len(text) - len(strings.TrimLeft(text[i:], " \t"))
	}
	slash := strings.IndexByte(text[host:], '/')
	if slash < 0 {
		return nil, ps.fail(host, `no path; a pattern is "/path", "host/path" or "METHOD host/path"`)
	}
	if err := ps.checkHost(host, host+slash); err != nil {
		return nil, err
	}
	ps.p.hostAt = uint32(host)
	return ps.parsePath(host + slash)
}

// parseVerb parses the path of a verb route. Offsets count in "METHOD /path",
// because an error shows that text.
func parseVerb(method, path string) (*pattern, *PatternError) {
	text, start := path, 0
	if method != "" {
		text, start = method+" "+path, len(method)+1
	}
	ps := &parser{text: text, p: &pattern{hostAt: uint32(start), verb: true}}
	if err := ps.checkMethod(method); err != nil {
		return nil, err
	}
	if before, after, found := strings.Cut(path, " "); found && isStandardMethod(before) {
		return nil, ps.fail(start, fmt.Sprintf("the method is in the name of the call; write %q", after))
	}
	if !strings.HasPrefix(path, "/") {
		return nil, ps.fail(start, `a verb's path begins with "/"; for a host or a method in the text use Handle`)
	}
	if i := strings.IndexAny(path, " \t"); i >= 0 {
		return nil, ps.fail(start+i, "white space in a path; write %20 or %09")
	}
	return ps.parsePath(start)
}

// parsePrefix parses the prefix of Mount and Group: [HOST]/path in either language,
// without a final slash. "" and "/" are the empty prefix.
func parsePrefix(text string) (*pattern, *PatternError) {
	text = strings.Clone(text) // a mount keeps it, and must not keep what the caller cut it from
	trimmed := strings.TrimSuffix(text, "/")
	ps := &parser{text: trimmed, p: &pattern{text: trimmed, verb: true}}
	p, err := ps.parsePrefix()
	if err != nil {
		err.Pattern = text
	}
	return p, err
}

func (ps *parser) parsePrefix() (*pattern, *PatternError) {
	host := automaton.NextSlash(ps.text, 0)
	switch blank := strings.IndexAny(ps.text, " \t"); {
	case blank > 0 && blank < host:
		return nil, ps.fail(0, "a prefix takes no method")
	case blank >= 0:
		return nil, ps.fail(blank, "white space in a prefix; write %20 or %09")
	case host > 0 && !looksLikeHost(ps.text[:host]):
		return nil, ps.fail(0, `a prefix begins with "/", or with a host that has a dot; write "/`+ps.text+`"`)
	}
	if err := ps.checkHost(0, host); err != nil {
		return nil, err
	}
	if ps.p.pathAt = uint32(host); host == len(ps.text) {
		return ps.p, nil
	}
	p, err := ps.parsePath(host)
	if err != nil {
		return nil, err
	}
	if at := uncleanAt(ps.text+"/", host); at >= 0 { // with a slash, so that the last segment is not taken for a final slash
		return nil, ps.fail(at, neverMatches)
	}
	if p.last().kind == rest || p.last() == (segment{}) {
		return nil, ps.fail(strings.LastIndexByte(ps.text, '/')+1, "a prefix cannot end in a rest or {$}; what is mounted decides what follows")
	}
	return p, nil
}

// looksLikeHost tells a prefix with a host from one that lacks its first slash: "m",
// ":id", "*path" and "../m" name no host.
func looksLikeHost(s string) bool {
	return strings.ContainsAny(s, ".:{") && strings.Trim(s, ".") != "" && !isName(s[1:]) || s == "localhost"
}

const neverMatches = "an empty or dot segment never matches, since paths are cleaned first"

// A parser walks over one pattern's text.
type parser struct {
	text string
	p    *pattern
}

func (ps *parser) fail(offset int, reason string) *PatternError {
	return &PatternError{Pattern: ps.text, Offset: offset, Reason: reason}
}

// checkMethod refuses what is not a token (RFC 9110, section 5.6.2), and a
// standard method in small letters, which no client sends.
func (ps *parser) checkMethod(method string) *PatternError {
	for i := range len(method) {
		if !isToken(method[i]) {
			return ps.fail(i, "a method is a token such as GET, followed by one space")
		}
	}
	if up := strings.ToUpper(method); up != method && isStandardMethod(up) {
		return ps.fail(0, "methods are case-sensitive, and no client sends this one; write "+up)
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

// checkHost refuses a host that no request can match.
func (ps *parser) checkHost(from, to int) *PatternError {
	host := ps.text[from:to]
	if i := strings.IndexByte(host, '{'); i >= 0 {
		name, domain, _ := strings.Cut(host[1:], "}")
		if i > 0 || !strings.HasPrefix(domain, ".") || strings.Trim(domain, ".") == "" || strings.IndexByte(domain, '{') >= 0 {
			return ps.fail(from+i, `a parameter in a host is its first label, as in {tenant}.example.com/; a path begins with "/"`)
		}
		if _, err := ps.wildcard(name, false, from); err != nil {
			return err
		}
	}
	if domain, found := strings.CutPrefix(host, "*."); found {
		return ps.fail(from, "a star in a host is a literal, which no client sends; write {name}."+domain)
	}
	name, port, err := net.SplitHostPort(host) // as requestHost
	if err != nil {
		return nil
	}
	advice := fmt.Sprintf("hosts are compared without their port; write %q", name)
	if name == "" {
		advice = "hosts are compared without their port: leave it out; a parameter is written as in {tenant}.example.com/"
	}
	return ps.fail(from+len(host)-len(port)-len(":"), advice)
}

// canonicalHost returns the form in which hosts are compared: RFC 3986 (3.2.2)
// makes them case-insensitive, and a final dot names the same host.
func canonicalHost(host string) string {
	if len(host) > 1 { // "." is not a host, and must not become ""
		host = strings.TrimSuffix(host, ".")
	}
	return lowerASCII(host)
}

// lowerASCII changes A to Z and nothing else. By Unicode's rules the Kelvin
// sign is a k, and every byte that is not UTF-8 is the same character, so that a
// client could reach a host under another name.
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

// parsePath parses the text from its first slash on and sets the text that
// r.Pattern will show.
func (ps *parser) parsePath(start int) (*pattern, *PatternError) {
	p := ps.p
	p.text, p.pathAt = ps.text, uint32(start)
	seen := map[string]bool{p.hostName(): true}
	var shown strings.Builder
	shown.Grow(len(ps.text) + 4)
	shown.WriteString(ps.text[:start])
	p.segments = make([]segment, 0, strings.Count(ps.text, "/"))
	for off := start; off < len(ps.text); {
		from, to := off+1, automaton.NextSlash(ps.text, off+1)
		s, err := ps.parseSegment(from, to)
		if err != nil {
			return nil, err
		}
		if s.hasName() {
			if seen[s.text] {
				return nil, ps.fail(from, "the name "+s.text+" occurs twice in this path; each parameter needs its own")
			}
			seen[s.text] = true
		}
		p.segments = append(p.segments, s)
		shown.WriteByte('/')
		shown.WriteString(ps.show(s, from, to))
		off = to
	}
	if off := uncleanAt(ps.text, start); off >= 0 && strings.TrimSpace(ps.text[:p.hostAt]) != "" {
		return nil, ps.fail(off, neverMatches)
	}
	if shown.String() != ps.text {
		p.text = shown.String()
	}
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
	case ps.p.verb && strings.IndexByte(s, '?') >= 0:
		return segment{}, ps.fail(from+strings.IndexByte(s, '?'), "a query is not part of a path, and an optional parameter takes two routes; write %3F for a question mark")
	}
	return segment{kind: literal, text: decodedLiteral(s)}, nil
}

// decodedLiteral returns a literal as paths are compared with it. Like
// ServeMux, it takes a text that is not a valid encoding as it stands.
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
		return segment{}, ps.fail(from, "a wildcard is a whole segment; write only {name}, and split the value in the handler")
	case end < 0:
		return segment{}, ps.fail(from, "the brace is not closed; write {name}")
	case end != len(s)-1 && strings.IndexByte(s[:end], ':') < 0:
		return segment{}, ps.fail(from+end+1, "a wildcard is a whole segment; nothing may follow its brace but a slash")
	}
	if name, _, found := strings.Cut(s[1:], ":"); found && isName(name) {
		return segment{}, ps.fail(from+1+len(name), "a parameter takes no regular expression; write {"+name+"} and check the value in the handler, as ParamAs does")
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
	return ps.wildcard(name, isRest, from)
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
	return ps.wildcard(name, isRest, from)
}

// wildcard checks the name of a wildcard that begins at from, one byte before
// its name.
func (ps *parser) wildcard(name string, isRest bool, from int) (segment, *PatternError) {
	kind, form := parameter, "{name}"
	if isRest {
		kind, form = rest, "{path...}"
	}
	switch {
	case name == "":
		return segment{}, ps.fail(from, "a wildcard needs a name; write "+form)
	case !isName(name) && isName(strings.ReplaceAll(name, "-", "_")):
		form = strings.ReplaceAll(strings.NewReplacer("name", name, "path", name).Replace(form), "-", "_")
		return segment{}, ps.fail(from+1+strings.IndexByte(name, '-'), "a name is letters, digits and _; write "+form)
	case !isName(name):
		return segment{}, ps.fail(from+1, "a name is letters, digits and _, and begins with no digit; write "+form)
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

// show returns the segment in ServeMux's language. A literal stays as it was
// written, so that logs show what stands in the code.
func (ps *parser) show(s segment, from, to int) string {
	switch {
	case s.kind == parameter:
		return "{" + s.text + "}"
	case s.hasName():
		return "{" + s.text + "...}"
	case s == segment{} && ps.p.verb && to == len(ps.text) && len(ps.p.segments) > 1:
		return "{$}" // except a verb's "/", which shows as it was written
	}
	return ps.text[from:to]
}

// join returns the pattern of a route as it is seen from the router that mounts
// the route's router under the prefix p.
func (p *pattern) join(inner *pattern) (*pattern, *PatternError) {
	if p.text == "" {
		return inner, nil
	}
	if p.host() != "" && inner.host() != "" {
		return nil, &PatternError{Pattern: inner.text, Offset: int(inner.hostAt),
			Reason: "the mount's prefix has a host already, " + p.host() + "; a request has one host"}
	}
	if inner.static {
		inner = inner.renameRest(p.names())
	}
	j := *inner
	j.segments = slices.Concat(p.segments, inner.segments)
	path := p.path() + inner.path()
	if inner.verb && inner.isRoot() && inner.segments[0].kind == literal && len(p.segments) > 0 {
		j.segments, path = p.segments, p.path()
	}
	j.text = cmp.Or(p.host(), inner.host()) + path
	j.hostAt = 0
	if m := inner.method(); m != "" {
		j.text, j.hostAt = m+" "+j.text, uint32(len(m)+1)
	}
	j.pathAt = uint32(len(j.text) - len(path))
	outer := p.names()
	for _, name := range inner.names() {
		if slices.Contains(outer, name) {
			at := max(strings.LastIndex(j.text, "{"+name+"}"), strings.LastIndex(j.text, "{"+name+"...}"))
			return nil, &PatternError{Pattern: j.text, Offset: at,
				Reason: "the name " + name + " stands in the mount's prefix too; each parameter needs its own"}
		}
	}
	return &j, nil
}

// append returns the prefix of a mount inside a mount under the prefix p.
func (p *pattern) append(inner *pattern) *pattern {
	host := cmp.Or(p.host(), inner.host())
	return &pattern{text: host + p.path() + inner.path(), pathAt: uint32(len(host)), segments: slices.Concat(p.segments, inner.segments)}
}

// renameRest returns p with another name for its rest if a prefix has that
// name. The user has not chosen the name, and so need not care about it.
func (p *pattern) renameRest(prefix []string) *pattern {
	old := p.last().text
	name, taken := old, slices.Concat(prefix, p.names()[:len(p.names())-1])
	for slices.Contains(taken, name) {
		name += "_"
	}
	if name == old {
		return p
	}
	q := *p
	q.segments = slices.Clone(p.segments)
	q.segments[len(q.segments)-1].text = name
	q.text = strings.TrimSuffix(p.text, old+"...}") + name + "...}"
	return &q
}

// otherSpelling returns the other spelling of a mount's prefix for a pattern
// that is "/" to what is mounted there, and how well it fits that spelling; nil
// for every other pattern. root is the pattern as its own router sees it.
func (p *pattern) otherSpelling(root *pattern) ([]segment, spelling) {
	prefix := len(p.segments) - 1
	switch own := root.segments[0]; {
	case !root.isRoot(), p.segments[0] == own, own.kind == rest && prefix == 0:
		return nil, asWritten
	case own.kind == rest:
		return p.segments[:prefix], otherOfRest
	case p.last() != own: // a verb's "/" has no segment of its own under a prefix
		return append(p.segments[:prefix+1:prefix+1], segment{}), otherOfExact
	default:
		return p.segments[:prefix], otherOfExact
	}
}

// A spelling ranks the routes that end at one node of the trie, best first. A
// mount's prefix is "/" to what is mounted there, with a final slash and
// without; a route that was written for a spelling beats one that stands in.
type spelling uint8

const (
	asWritten    spelling = iota
	otherOfExact          // the other spelling of a mount's prefix, for an exact "/"
	otherOfRest           // the same for a subtree or a rest, which takes it less exactly
)

// uncleanAt returns where in text the first empty or dot segment begins that
// cleaning would take away, -1 if there is none. The path begins at start.
func uncleanAt(text string, start int) int {
	for off := start; off < len(text); {
		from, to := off+1, automaton.NextSlash(text, off+1)
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

// A PatternError says what is wrong with a pattern. Every registering method panics with
// a *PatternError, which recover returns as it is. [PathFor] returns one as its error.
type PatternError struct {
	Pattern string // as it was to be registered, with the method
	Offset  int    // where in Pattern, in bytes
	Reason  string // what is wrong there, and how to write it right

	site callSite
}

// Error returns the pattern, the place of registration, the offset and the
// reason, with a caret under the offset on a line of its own.
func (e *PatternError) Error() string {
	site := ""
	if e.site != 0 { // else PathFor returned it
		site = fmt.Sprintf(" (registered at %v)", e.site)
	}
	return fmt.Sprintf("segue: pattern %q%s, offset %d: %s\n%s", e.Pattern, site, e.Offset, e.Reason, underline(e.Pattern, e.Offset))
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

// A ConflictError says that two routes match the same requests. Registering the second
// one panics with a *ConflictError, and leaves every router as it was.
type ConflictError struct {
	New, Old Route

	mounted callSite // where Mount brought the two together, if it did
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
