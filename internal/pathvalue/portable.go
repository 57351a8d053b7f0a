package pathvalue

// This file has net/http itself write the two fields of a request. It stands on
// the exported names of net/http, and on reflection to read one field.
//
// A ServeMux with the one route /{user}/{post} serves the request as GET /x/x.
// That writes its pattern and a fresh slice of two values into the request, and
// nothing into copies of it. SetPathValue then finds both names in the pattern
// and replaces the values there, whatever bytes they hold. So everything is as
// behind a ServeMux: the next dispatch replaces both fields, and no two requests
// share a map.
//
// Two limits remain. Meanwhile the URL and three other fields of the request are
// those of the small ServeMux, so that no other goroutine may read the same
// *http.Request just then; a copy is safe. And GODEBUG=httpmuxgo121=1 has
// ServeMux write no fields: SetPathValue keeps a map then, which shallow copies
// share and which later dispatches only add to.

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// setPortably is Set in the portable way, and in both ways if names is nil.
func setPortably(r *http.Request, names *Names, values []string) {
	if names == nil {
		Clear(r)
		return
	}
	serveThrough(names.mux, r, len(names.list))
	for i, name := range names.list {
		r.SetPathValue(name, values[i])
	}
}

// muxFor returns a ServeMux that matches a path of len(names) segments.
func muxFor(names []string) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/{"+strings.Join(names, "}/{")+"}", func(http.ResponseWriter, *http.Request) {})
	return mux
}

// serveThrough has mux write the fields of r for a path of n segments. Nothing
// else in r is changed when it returns.
func serveThrough(mux *http.ServeMux, r *http.Request, n int) {
	method, u, host, uri, pattern := r.Method, r.URL, r.Host, r.RequestURI, r.Pattern
	r.Method, r.Host, r.RequestURI = "GET", "", ""
	r.URL = &url.URL{Path: strings.Repeat("/x", n)}
	mux.ServeHTTP(noWriter{}, r)
	r.Method, r.URL, r.Host, r.RequestURI, r.Pattern = method, u, host, uri, pattern
}

// emptyMux matches nothing. Only such a ServeMux can clear the fields.
var emptyMux = http.NewServeMux()

func clearPortably(r *http.Request) {
	if !patternIsSeen || addressOfPattern(r) != 0 { // spares most requests the emptyMux
		serveThrough(emptyMux, r, 1)
	}
}

var patternField, hasPattern = reflect.TypeFor[http.Request]().FieldByName("pat")

// patternIsSeen is whether addressOfPattern tells anything.
var patternIsSeen = hasPattern && patternField.Type.Kind() == reflect.Pointer

// addressOfPattern returns the address of the pattern in r, 0 if there is none or
// none can be seen. Reflection may read an unexported field.
func addressOfPattern(r *http.Request) uintptr {
	if !patternIsSeen {
		return 0
	}
	return reflect.ValueOf(r).Elem().FieldByIndex(patternField.Index).Pointer()
}

// noWriter takes the 404 of emptyMux.
type noWriter struct{}

func (noWriter) Header() http.Header         { return make(http.Header) }
func (noWriter) Write(p []byte) (int, error) { return len(p), nil }
func (noWriter) WriteHeader(int)             {}
