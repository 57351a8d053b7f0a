package segue

import (
	"net/http"
	"reflect"
	"strings"
	"sync"
)

// This file is what the two ways of filling r.PathValue share (pathvalue.go and
// pathvalue_purego.go): the names, known once per list, and the way by
// SetPathValue.

// knownNames leads from names, joined, to their *pathNames. It is read by
// requests too, and so without a lock; it grows with what is registered alone.
var knownNames sync.Map

// pathNamesOf returns the pathNames of a list of distinct names, nil for the
// empty list. A process has few different lists, however many routes and
// routers come and go: none is dropped.
func pathNamesOf(names []string) *pathNames {
	if len(names) == 0 {
		return nil
	}
	key := strings.Join(names, "/") // no name holds a slash
	known, ok := knownNames.Load(key)
	if !ok {
		known, _ = knownNames.LoadOrStore(key, newPathNames(strings.Split(strings.Clone(key), "/")))
	}
	return known.(*pathNames)
}

// setPortably clears first: where the pattern of an outer ServeMux holds a
// name, SetPathValue would write into values that the outer router's copies of
// the request share.
func setPortably(r *http.Request, names, values []string) {
	clearPortably(r)
	for i, name := range names {
		r.SetPathValue(name, values[i])
	}
}

// addPortably clears first, since SetPathValue would put the value where an
// inner ServeMux overwrites it.
func addPortably(r *http.Request, name, value string) {
	clearPortably(r)
	r.SetPathValue(name, value)
}

// clearPortably removes what an outer ServeMux wrote. Only a ServeMux can do
// that without unsafe: one without routes, which matches nothing.
func clearPortably(r *http.Request) {
	if !mayHavePattern(r) {
		return
	}
	pattern := r.Pattern
	emptyMux.ServeHTTP(noWriter{}, r)
	r.Pattern = pattern
}

var emptyMux = http.NewServeMux()

var patField, hasPatField = reflect.TypeFor[http.Request]().FieldByName("pat")

// mayHavePattern spares most requests the empty mux.
func mayHavePattern(r *http.Request) bool {
	if !hasPatField || patField.Type.Kind() != reflect.Pointer {
		return true
	}
	return !reflect.ValueOf(r).Elem().FieldByIndex(patField.Index).IsNil()
}

// noWriter takes the empty mux's 404.
type noWriter struct{}

func (noWriter) Header() http.Header         { return make(http.Header) }
func (noWriter) Write(p []byte) (int, error) { return len(p), nil }
func (noWriter) WriteHeader(int)             {}
