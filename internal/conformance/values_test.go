package conformance

import (
	"strings"
	"testing"
)

// The values that are cut out of a path are those that splitting it gives, for
// segments of every length around the eight bytes that are looked at at once,
// and in each spelling that a route answers.
func TestValuesAreCutWhereSegmentsAre(t *testing.T) {
	s := enumSet{}
	for _, text := range []string{
		"/{a}", "/{a}/{b}", "/{a}/{b}/{c}/{$}", "/one/{a}/", "/two/{a}/literal/{b}", "/three/{a}/{b...}", "/four/{a...}", "/five/{a}/x/{b}/y/{$}",
		"/six/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j...}", "/seven/literals/alone", "/{a}/b/{c}/d/",
	} {
		s.routes = append(s.routes, muxRoute(text))
	}
	s.routes = append(s.routes, enumRoute{"verb", "GET /", "/m/{a}"}, enumRoute{"mux", "/in/{b...}", "/m/{a}"}, enumRoute{"mux", "/{b...}", "/n/{a}"})
	var requests []*enumRequest
	for _, form := range []string{
		"/A", "/A/B", "/A/B/C/", "/one/A/", "/one/A/B/C", "/two/A/literal/B", "/three/A", "/three/A/", "/three/A/B", "/three/A/B/C/",
		"/four", "/four/", "/four/A/B", "/five/A/x/B/y/", "/six/A/B/A/B/A/B/A/B/A/B/C", "/seven/literals/alone", "/A/b/B/d/", "/A/b/B/d/x",
		"/m/A", "/m/A/", "/m/A/in/", "/m/A/in/B/C", "/n/A", "/n/A/", "/n/A/B/C/",
	} {
		for a := 1; a < 20; a++ {
			for _, b := range []int{1, 7, 8, 9, 16, 17} {
				path := strings.NewReplacer("A", strings.Repeat("p", a), "B", strings.Repeat("q", b), "C", "rst").Replace(form)
				escaped := strings.NewReplacer("p", "%70", "q", "%2F", "s", "%25").Replace(path)
				requests = append(requests, newEnumRequest("GET", "h", path), newEnumRequest("GET", "h", escaped))
			}
		}
	}
	c := newEnumCheck(t, nil)
	c.each(1, func(w *enumWriter, _ int) { c.some(w, s.withOracle(), requests, nil, len(requests)) })
}
