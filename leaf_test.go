package segue

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// splitValues takes the values of a route out of a path by splitting it.
func splitValues(t *testing.T, segs []segment, path segments) []string {
	values := []string{}
	parts := strings.Split(path.path, "/")[1:]
	for i, s := range segs {
		var value string
		switch {
		case s.kind == literal || s.text == "":
			continue
		case s.kind == rest:
			value = strings.Join(parts[min(i, len(parts)):], "/")
		default:
			value = parts[i]
		}
		if path.escaped {
			var err error
			value, err = url.PathUnescape(value)
			require.NoError(t, err)
		}
		values = append(values, value)
	}
	return values
}

// The values that are cut out of a path by the lengths of the literals are those
// that splitting it gives, for segments of every length around the eight bytes
// that are looked at at once, and in each spelling that a route answers.
func TestValuesAreCutWhereSegmentsAre(t *testing.T) {
	router, inner, files := New(), New(), New()
	for _, text := range []string{
		"/{a}", "/{a}/{b}", "/{a}/{b}/{c}/{$}", "/one/{a}/", "/two/{a}/literal/{b}", "/three/{a}/{b...}", "/four/{a...}", "/five/{a}/x/{b}/y/{$}",
		"/six/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j...}", "/seven/literals/alone", "/{a}/b/{c}/d/",
	} {
		router.Handle(text, http.NotFoundHandler())
	}
	inner.GET("/", fuzzHandler)
	inner.Handle("/in/{b...}", http.NotFoundHandler())
	router.Mount("/m/{a}", inner)
	files.Handle("/{b...}", http.NotFoundHandler())
	router.Mount("/n/{a}", files)
	tab := router.current()
	matched := map[*leaf]bool{}
	for _, form := range []string{
		"/A", "/A/B", "/A/B/C/", "/one/A/", "/one/A/B/C", "/two/A/literal/B", "/three/A", "/three/A/", "/three/A/B", "/three/A/B/C/",
		"/four", "/four/", "/four/A/B", "/five/A/x/B/y/", "/six/A/B/A/B/A/B/A/B/A/B/C", "/seven/literals/alone", "/A/b/B/d/", "/A/b/B/d/x",
		"/m/A", "/m/A/", "/m/A/in/", "/m/A/in/B/C", "/n/A", "/n/A/", "/n/A/B/C/",
	} {
		for a := 1; a < 20; a++ {
			for _, b := range []int{1, 7, 8, 9, 16, 17} {
				path := strings.NewReplacer("A", strings.Repeat("p", a), "B", strings.Repeat("q", b), "C", "rst").Replace(form)
				l := tab.nowhere.root("GET").walk(segments{path, false})
				require.NotNil(t, l, path)
				matched[l] = true
				want := splitValues(t, l.kept().segs(), segments{path, false})
				plain, decoded := make([]string, len(want)), make([]string, len(want))
				l.plainValues(path, plain)
				l.decodedValues(segments{path, false}, decoded)
				assert.Equal(t, want, plain, "%s on %s", l.text(), path)
				assert.Equal(t, want, decoded, "%s on %s", l.text(), path)

				escaped := segments{strings.NewReplacer("p", "%70", "q", "%2F", "s", "%25").Replace(path), true}
				l.decodedValues(escaped, decoded)
				assert.Equal(t, splitValues(t, l.kept().segs(), escaped), decoded, "%s on %s", l.text(), escaped.path)
			}
		}
	}
	assert.Len(t, matched, 16, "each route was matched, and the root of each mount in both spellings")
}

// A slash is found from each place in a text of any length, among bytes that
// differ from it in one bit.
func TestSlashFrom(t *testing.T) {
	for size := range 40 {
		for at := range size + 1 {
			for _, fill := range []byte{'.', 'o', '/' | 0x80, 0, 0xff, '/' ^ 1} {
				text := []byte(strings.Repeat(string([]byte{fill}), size))
				if at < size {
					text[at] = '/'
				}
				for from := range size + 1 {
					want := size
					if i := strings.IndexByte(string(text[from:]), '/'); i >= 0 {
						want = from + i
					}
					assert.Equal(t, want, slashFrom(string(text), from), "%q from %d", text, from)
				}
			}
		}
	}
}

// The routes of one path, whatever their methods, are peers, but for those that
// answer there in the place of another spelling.
func TestPeersHaveOneRank(t *testing.T) {
	router, inner := New(), New()
	inner.GET("/", fuzzHandler)
	router.Mount("/m", inner)
	router.POST("/m/", fuzzHandler)
	router.PUT("/m/", fuzzHandler)
	router.GET("/alone", fuzzHandler)
	tab := router.current()
	peers := func(method, path string) []string {
		var all []string
		for _, l := range tab.nowhere.root(method).walk(segments{path, false}).onPath() {
			all = append(all, l.text())
		}
		slices.Sort(all)
		return all
	}
	assert.Equal(t, []string{"POST /m/{$}", "PUT /m/{$}"}, peers("PUT", "/m/"))
	assert.Equal(t, []string{"GET /m"}, peers("GET", "/m/"), "which is the other spelling of the prefix")
	assert.Equal(t, []string{"GET /m"}, peers("GET", "/m"))
	assert.Equal(t, []string{"GET /alone"}, peers("GET", "/alone"))
}
