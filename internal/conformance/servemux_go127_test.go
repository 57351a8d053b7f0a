//go:build go1.27

package conformance

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/segue-go/segue"
)

// From Go 1.27 on ServeMux keeps the encoding of a path in its redirects, as
// segue does everywhere: the two have the same Location.
func TestLocationIsThatOfServeMux(t *testing.T) {
	app, mux := segue.New(), http.NewServeMux()
	for _, pattern := range []string{"/{$}", "/a%20b/", "/x/{id}/", "/y/{id}", "/ä/"} {
		app.HandleFunc(pattern, shows)
		mux.HandleFunc(pattern, shows)
	}
	for _, target := range []string{
		"//", "//a%20b/", "/a%20b", "/%61%20b", "/a%20b?q=%20&r=/../", "/x/1", "/x/a%20b", "/x/a%2Fb", "/x/a%2fb?q",
		"//x/a%2Fb/", "//x/a%2Fb", "/x/../y/a%252Fb", "/x/%2e%2e/y", "/./y/1", "/y/..", "/y/1/..", "/x/%22", "/x/%5c", "/x/a;b", "/x/a:b", "/x/%E4",
		"/ä", "/%C3%A4", "//ä/", "/x/ä", "/x/+", "/x/%2B", "/x/!$&'()*,=@", "/nope//x", "//y/%3F", "/x/%3F?%3F", "/x/a|b", "/x/a^b", "//x/[1]",
	} {
		want, got := httptest.NewRecorder(), httptest.NewRecorder()
		mux.ServeHTTP(want, httptest.NewRequest("GET", target, nil))
		app.ServeHTTP(got, httptest.NewRequest("GET", target, nil))
		assert.Equal(t, want.Code, got.Code, target)
		assert.Equal(t, want.Header().Get("Location"), got.Header().Get("Location"), target)
	}
}
