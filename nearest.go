package segue

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// A near is a route that a missed request comes near to.
type near struct {
	leaf  *leaf
	class int // what has to change, the least first
	cost  int
	why   string
}

const (
	otherMethod = iota
	otherSlash
	otherHost
	otherLetters
)

const (
	nearestCount = 5
	nearestPath  = 512 // bytes; nobody reads what a longer path comes near to
	nearestDepth = 64  // segments
)

// seekNearest fills in what the trace tells of a miss.
func (x *explainer) seekNearest(f *forest, sent segments) {
	var all []near
	for _, l := range x.everywhere(f) {
		if n, ok := x.nearness(l, sent); ok {
			all = append(all, n)
		}
	}
	slices.SortStableFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.cost, b.cost))
	})
	for _, n := range all[:min(len(all), nearestCount)] {
		if n.class == otherLetters && (n.class != all[0].class || n.cost > all[0].cost+3) {
			break // what is much farther than the first would distract
		}
		x.trace.Nearest = append(x.trace.Nearest, n.leaf.public())
		x.trace.why = append(x.trace.why, n.why)
	}
}

// everywhere lists the routes of all hosts, those that the request could meet
// first.
func (x *explainer) everywhere(f *forest) []*leaf {
	var all []*leaf
	seen := map[*methods]bool{}
	add := func(m *methods) {
		if !seen[m] {
			seen[m] = true
			all = append(all, x.withPeers(leavesOf(m.all))...)
		}
	}
	for _, m := range f.both(x.host) {
		add(m)
	}
	hosts := make([]string, 0, len(f.hosts))
	for host := range f.hosts {
		hosts = append(hosts, host)
	}
	slices.Sort(hosts)
	for _, host := range hosts {
		add(f.hosts[host])
	}
	return all
}

// nearness says how near the path comes to l, false if it does not.
func (x *explainer) nearness(l *leaf, sent segments) (near, bool) {
	n, place := near{leaf: l}, l.place()
	other := segments{otherSpelling(sent.path), sent.escaped}
	here := l.kept().host() == "" || l.kept().host() == requestHost(x.host)
	switch {
	case l.entry().alias != written, l.accepts != nil && matches(place, sent) && !l.accepts(sent):
		return n, false // named by its own path, or there but for a file
	case matches(place, sent) && here:
		n.why = "the same path by another method"
	case matches(place, sent):
		n.class, n.why = otherHost, "the same path on another host"
	case here && sent.path != "/" && matches(place, other):
		n.class, n.why = otherSlash, "with a final slash"
		if strings.HasSuffix(sent.path, "/") {
			n.why = "without the final slash"
		}
	case here:
		return n.byLetters(place, sent, x.method)
	default:
		return n, false
	}
	return n, true
}

// byLetters is the edit distance, in letters and slashes, as far as a reader
// would call it near.
func (n near) byLetters(place []segment, sent segments, method string) (near, bool) {
	if len(sent.path) > nearestPath || strings.Count(sent.path, "/") > nearestDepth || len(place) > nearestDepth {
		return n, false
	}
	length := utf8.RuneCountInString(sent.path)
	distance := pathDistance(place, sent)
	n.class, n.cost = otherLetters, 2*distance
	n.why = fmt.Sprintf("%d letters differ", distance)
	if distance == 1 {
		n.why = "one letter differs"
	}
	if m := n.leaf.kept().method(); m != method && m != "" && (m != http.MethodGet || method != http.MethodHead) {
		n.cost++ // of two at one distance the one that would answer
	}
	return n, distance > 0 && distance <= 1+length/3
}

// pathDistance is the least number of letters and slashes to change in a path
// so that the place matches it: the edit distance of segments, each at the
// price of its own.
func pathDistance(place []segment, path segments) int {
	row := make([]int, len(place)+1)
	for j, s := range place {
		row[j+1] = row[j] + s.price()
	}
	for path.path != "" {
		seg, _ := path.next()
		diagonal := row[0]
		row[0] += 1 + utf8.RuneCountInString(seg)
		for j, s := range place {
			change := diagonal + s.distance(seg)
			if s.kind == rest {
				change = min(change, row[j+1]) // it takes one more
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+s.price(), row[j+1]+1+utf8.RuneCountInString(seg))
		}
	}
	return row[len(place)]
}

// price is what a segment costs that the path lacks: its letters and a slash.
func (s segment) price() int {
	switch s.kind {
	case literal:
		return 1 + utf8.RuneCountInString(s.text)
	case parameter:
		return 2
	}
	return 1
}

func (s segment) distance(seg string) int {
	switch {
	case s.kind == rest, s.kind == parameter && seg != "":
		return 0
	case s.kind == parameter:
		return 1
	case s.text != seg && strings.EqualFold(s.text, seg):
		return 1 // one slip, however many letters
	}
	return editDistance([]rune(s.text), []rune(seg))
}

// editDistance is Levenshtein's.
func editDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, c := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, d := range b {
			change := diagonal
			if c != d {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
