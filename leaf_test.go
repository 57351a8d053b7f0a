package segue

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
