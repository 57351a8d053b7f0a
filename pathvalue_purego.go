//go:build purego

package segue

import (
	"net/http"
	"reflect"
)

// Without unsafe, r.PathValue is filled by SetPathValue alone. It costs a map a
// request, and three things are not as behind http.ServeMux. Copies made by
// WithContext share the map, so that they may not be dispatched at the same
// time. What segue wrote in an earlier dispatch of the same request under a
// name that the new route does not have stays. And two apps with the same
// pattern text cannot be told apart by r.Pattern.

// direct is whether the fields behind r.PathValue are read and written.
const direct = false

// pathNames is what net/http must know of a route's parameter names. It is
// immutable; routes with the same names in the same order share one.
type pathNames struct {
	list []string
}

func newPathNames(names []string) *pathNames { return &pathNames{list: names} }

// setPathValues makes r.PathValue answer with values, one for each name, and
// with nothing that a ServeMux wrote. names nil clears.
func setPathValues(r *http.Request, names *pathNames, values []string) {
	if names == nil {
		clearPathValues(r)
		return
	}
	setPortably(r, names.list, values)
}

// clearPathValues is setPathValues without names.
func clearPathValues(r *http.Request) { clearPortably(r) }

// mayBeFilled reports whether there is anything to clear; that cannot be seen
// from here.
func mayBeFilled(*http.Request) bool { return true }

// pathValuesFilled reports whether the fields behind r.PathValue were written;
// that cannot be seen from here.
func pathValuesFilled(*http.Request) bool { return false }

// filledInOrder returns the names and values behind r.PathValue; that cannot be
// seen from here.
func filledInOrder(*http.Request) (names, values []string) { return nil, nil }

// addPathValue gives r a path value that outlasts an inner ServeMux. r and its
// map are the caller's own.
func addPathValue(r *http.Request, name, value string) { addPortably(r, name, value) }

// patternKey is what a router knows an r.Pattern by that it wrote itself.
type patternKey string

// keyIsIdentity is whether patternKey tells texts apart that are equal but were
// made apart.
const keyIsIdentity = false

// keyOf returns the key of a pattern text.
func keyOf(pattern string) patternKey { return patternKey(pattern) }

// addressOf is for the choice of a shard alone: it keeps nothing alive.
func addressOf(r *http.Request) uintptr { return reflect.ValueOf(r).Pointer() }
