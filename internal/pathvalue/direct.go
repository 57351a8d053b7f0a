//go:build !purego

package pathvalue

// This file writes the two fields of a request through unsafe. It does so if
//
//   - reflection finds both fields, side by side, with the types they should have;
//   - the pattern is net/http's own, taken from a ServeMux;
//   - PathValue gives the right answers on a request filled in this way.
//
// Otherwise (another net/http, or GODEBUG=httpmuxgo121=1) portable.go does the
// work.

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"unsafe"
)

// offset is where the fields lie in an http.Request, if the probe succeeded.
var offset, proven = provenOffset(reflect.TypeFor[http.Request](), (*http.Request).PathValue)

// direct is whether the direct way is taken.
var direct = proven

// UsePortable switches to the portable way, for tests. It returns a function
// that switches back. No request may be served while either of them runs.
func UsePortable(on bool) (restore func()) {
	before := direct
	direct = proven && !on
	return func() { direct = before }
}

// fieldsOf returns the fields of r. It may be called if proven is set.
func fieldsOf(r *http.Request) *fields {
	return (*fields)(unsafe.Add(unsafe.Pointer(r), offset)) // not fieldsAt: Filled would be too long to be inlined
}

func fieldsAt(r *http.Request, offset uintptr) *fields {
	return (*fields)(unsafe.Add(unsafe.Pointer(r), offset))
}

// Set makes r.PathValue answer with values, one for each name, and with nothing
// else that a router wrote. Set clears if names is nil. What SetPathValue gave r
// under other names stays, as behind ServeMux.
//
// The values become the request's own: SetPathValue writes into them.
func Set(r *http.Request, names *Names, values []string) {
	if direct && names != nil {
		// Written out: a call of fieldsOf would make Set too long to be inlined.
		*(*fields)(unsafe.Add(unsafe.Pointer(r), offset)) = fields{names.pat, values}
	} else {
		setPortably(r, names, values)
	}
}

func provenOffset(request reflect.Type, pathValue func(*http.Request, string) string) (uintptr, bool) {
	at, ok := findFields(request)
	return at, ok && answers(at, pathValue, "a") && answers(at, pathValue, "a", "b", "c")
}

// findFields finds the two fields in a struct type. It declines a type in which
// they are missing, of another type, or apart.
func findFields(t reflect.Type) (offset uintptr, ok bool) {
	if t.Kind() != reflect.Struct {
		return 0, false
	}
	pat, hasPat := t.FieldByName("pat")
	matches, hasMatches := t.FieldByName("matches")
	ok = hasPat && hasMatches &&
		len(pat.Index) == 1 && len(matches.Index) == 1 && // not those of an embedded struct
		pat.Type.Kind() == reflect.Pointer && pat.Type.Elem().Kind() == reflect.Struct &&
		matches.Type == reflect.TypeFor[[]string]() &&
		matches.Offset-pat.Offset == unsafe.Offsetof(fields{}.matches)
	return pat.Offset, ok
}

// answers reports whether a request with written fields answers like one that
// ServeMux matched: for each name, in its copies too, and no longer once the
// fields are cleared. A panic on the way is a no.
func answers(offset uintptr, pathValue func(*http.Request, string) string, names ...string) (ok bool) {
	defer func() { ok = recover() == nil && ok }()
	r := &http.Request{URL: &url.URL{Path: "/"}}
	f := fieldsAt(r, offset)
	serveThrough(muxFor(names), r, len(names))
	if f.pat == nil {
		return false
	}
	f.matches = slices.Clone(names)
	clone, shallow := r.Clone(context.Background()), r.WithContext(context.Background())
	ok = true
	for _, name := range names {
		// Each name is its own value, so that two exchanged would show.
		ok = ok && pathValue(r, name) == name && pathValue(clone, name) == name && pathValue(shallow, name) == name
	}
	r.SetPathValue(names[0], "set")
	ok = ok && pathValue(r, names[0]) == "set" && pathValue(clone, names[0]) == names[0]
	*f = fields{}
	return ok && pathValue(r, names[0]) == ""
}

// Identity returns the address of the bytes of s, 0 for "". Equal texts that
// were made apart differ in it. Equal constants may share their bytes, and a
// substring shares those of its string; a strings.Clone has its own.
func Identity(s string) uintptr {
	if s == "" {
		return 0
	}
	return uintptr(unsafe.Pointer(unsafe.StringData(s)))
}

// FuncIdentity returns the identity of a function value. Two calls of one
// constructor return closures that differ in it, although their code is the same.
// It stays the same as long as somebody holds the function value on the heap, as
// a router does with a middleware.
func FuncIdentity(f func(http.Handler) http.Handler) uintptr {
	return *(*uintptr)(unsafe.Pointer(&f)) // a function value is a pointer to its closure
}

// addressOf is for the choice of a shard only: it keeps nothing alive.
func addressOf(r *http.Request) uintptr { return uintptr(unsafe.Pointer(r)) }
