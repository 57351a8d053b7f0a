//go:build !purego

package segue

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// r.PathValue reads two unexported fields of http.Request that only
// http.ServeMux writes: pat, the pattern that matched, and matches, the values
// of its wildcards in order. The exported way in, SetPathValue, keeps a map:
// two allocations and 336 bytes a request. So segue writes the two fields, as
// ServeMux does, on three conditions:
//
//   - reflection finds both, side by side, with the types that they should have;
//   - the pattern is net/http's own, taken from a ServeMux with one route;
//   - PathValue, asked on a request filled in this way, gave the right answers.
//
// Where one of them fails (another net/http, or GODEBUG=httpmuxgo121=1) segue
// goes back to SetPathValue. This is the only file of the module that uses
// unsafe; the build tag purego leaves it out.

// filled is the two fields as they lie in http.Request. The pattern is held as
// a pointer, so that the garbage collector sees it.
type filled struct {
	pat     unsafe.Pointer // *http.pattern
	matches []string
}

// fieldsAt is the offset of the two fields in an http.Request.
type fieldsAt uintptr

func (at fieldsAt) of(r *http.Request) *filled {
	return (*filled)(unsafe.Add(unsafe.Pointer(r), at))
}

// fields is where the two fields are, direct whether they are read and written.
var fields, direct = provenFields(reflect.TypeFor[http.Request](), (*http.Request).PathValue)

func provenFields(request reflect.Type, pathValue func(*http.Request, string) string) (fieldsAt, bool) {
	at, ok := findFields(request)
	return at, ok && at.answer(pathValue, "a") && at.answer(pathValue, "a", "b", "c")
}

// findFields finds the two fields in a struct type. It declines a type in which
// they are missing, of another type, or apart.
func findFields(t reflect.Type) (fieldsAt, bool) {
	if t.Kind() != reflect.Struct {
		return 0, false
	}
	pat, hasPat := t.FieldByName("pat")
	matches, hasMatches := t.FieldByName("matches")
	ok := hasPat && hasMatches &&
		len(pat.Index) == 1 && len(matches.Index) == 1 && // not those of an embedded struct
		pat.Type.Kind() == reflect.Pointer && pat.Type.Elem().Kind() == reflect.Struct &&
		matches.Type == reflect.TypeFor[[]string]() &&
		matches.Offset-pat.Offset == unsafe.Offsetof(filled{}.matches)
	return fieldsAt(pat.Offset), ok
}

// answer reports whether a request whose fields were written answers as one
// that ServeMux matched: for each name, in its copies too, and no longer once
// the fields are cleared. A panic on the way is a no.
func (at fieldsAt) answer(pathValue func(*http.Request, string) string, names ...string) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	pat := at.pattern(names)
	if pat == nil {
		return false
	}
	r := &http.Request{Method: "GET", URL: &url.URL{Path: "/"}}
	*at.of(r) = filled{pat, slices.Clone(names)}
	clone, shallow := r.Clone(context.Background()), r.WithContext(context.Background())
	for _, name := range names {
		// Each name is its own value, so that two exchanged would show.
		if pathValue(r, name) != name || pathValue(clone, name) != name || pathValue(shallow, name) != name {
			return false
		}
	}
	r.SetPathValue(names[0], "set")
	if pathValue(r, names[0]) != "set" || pathValue(clone, names[0]) != names[0] {
		return false
	}
	*at.of(r) = filled{}
	return pathValue(r, names[0]) == ""
}

// pattern has net/http make its *pattern for a path with these wildcards.
func (at fieldsAt) pattern(names []string) unsafe.Pointer {
	mux := http.NewServeMux()
	mux.HandleFunc("/{"+strings.Join(names, "}/{")+"}", func(http.ResponseWriter, *http.Request) {})
	r := &http.Request{Method: "GET", URL: &url.URL{Path: strings.Repeat("/x", len(names))}}
	mux.ServeHTTP(nil, r)
	return at.of(r).pat
}

// pathNames is what net/http must know of a route's parameter names. It is
// immutable; routes with the same names in the same order share one.
type pathNames struct {
	pat  unsafe.Pointer // *http.pattern; nil unless direct
	list []string       // for SetPathValue
}

// namesOfPat leads back from pat.
var namesOfPat sync.Map

func newPathNames(names []string) *pathNames {
	made := &pathNames{list: names}
	if direct {
		made.pat = fields.pattern(names)
		namesOfPat.Store(made.pat, made)
	}
	return made
}

// setPathValues makes r.PathValue answer with values, one for each name, and
// with nothing else that a router wrote. names nil clears. The values become
// the request's own: SetPathValue writes into them.
//
// It is written out, without of, to stay within what the compiler inlines.
func setPathValues(r *http.Request, names *pathNames, values []string) {
	if names != nil && direct {
		*(*filled)(unsafe.Add(unsafe.Pointer(r), fields)) = filled{names.pat, values}
	} else {
		setOtherwise(r, names, values)
	}
}

// setOtherwise is setPathValues without names, or by SetPathValue.
func setOtherwise(r *http.Request, names *pathNames, values []string) {
	if names == nil {
		clearPathValues(r)
		return
	}
	setPortably(r, names.list, values)
}

// clearPathValues is setPathValues without names, inlined as well: for a caller
// that has branched on names already.
func clearPathValues(r *http.Request) {
	if direct {
		*fields.of(r) = filled{}
	} else {
		clearPortably(r)
	}
}

// mayBeFilled reports whether there is anything to clear: mostly nobody was
// there before.
func mayBeFilled(r *http.Request) bool { return !direct || fields.of(r).pat != nil }

// pathValuesFilled reports whether the router that matched r last, segue or
// ServeMux, wrote the fields behind r.PathValue.
func pathValuesFilled(r *http.Request) bool {
	return direct && fields.of(r).pat != nil
}

// filledInOrder returns the names and values that segue wrote into the fields,
// in the order of the path; nothing if it was ServeMux. Who changes a value by
// SetPathValue changes it in these values.
func filledInOrder(r *http.Request) (names, values []string) {
	if !direct {
		return nil, nil
	}
	at := fields.of(r)
	if known, ok := namesOfPat.Load(at.pat); ok {
		names, values = known.(*pathNames).list, at.matches
	}
	return names, values
}

// addPathValue gives r a path value that outlasts an inner ServeMux, which
// overwrites the two fields. SetPathValue puts it elsewhere unless the pattern
// holds the name; so the pattern is out of the way meanwhile. r and its map are
// the caller's own.
func addPathValue(r *http.Request, name, value string) {
	if !direct {
		addPortably(r, name, value)
		return
	}
	at := fields.of(r)
	kept := *at
	*at = filled{}
	r.SetPathValue(name, value)
	*at = kept
}

// textID is the identity of a non-empty string: the address of its bytes. Texts
// that are equal but were made apart differ in it.
func textID(s string) *byte { return unsafe.StringData(s) }

// patternKey is what a router knows an r.Pattern by that it wrote itself.
type patternKey *byte

// keyIsIdentity is whether patternKey tells texts apart that are equal but were
// made apart.
const keyIsIdentity = true

// keyOf returns the key of a pattern text, nil for the empty one. Equal
// constants may share their bytes, and a substring shares its string's; only a
// strings.Clone has bytes of its own.
func keyOf(pattern string) patternKey {
	if pattern == "" {
		return nil
	}
	return textID(pattern)
}

// addressOf is for the choice of a shard alone: it keeps nothing alive.
func addressOf(r *http.Request) uintptr { return uintptr(unsafe.Pointer(r)) }
