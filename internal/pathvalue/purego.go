//go:build purego

package pathvalue

// This file stands in for direct.go where unsafe is not allowed: the portable
// way is always taken.

import (
	"hash/maphash"
	"net/http"
	"reflect"
)

// UsePortable does nothing: there is no other way.
func UsePortable(bool) (restore func()) { return func() {} }

const direct, proven = false, false

func fieldsOf(*http.Request) *fields { return nil }

// Set makes r.PathValue answer with values, one for each name, and with nothing
// else that a router wrote. Set clears if names is nil. What SetPathValue gave r
// under other names stays, as behind ServeMux.
func Set(r *http.Request, names *Names, values []string) { setPortably(r, names, values) }

// Identity returns the address of the bytes of s, 0 for "". Equal texts that
// were made apart differ in it. It allocates 16 bytes.
func Identity(s string) uintptr {
	if s == "" {
		return 0
	}
	return reflect.ValueOf(&s).Elem().Pointer()
}

var seed = maphash.MakeSeed()

// FuncIdentity returns the identity of a function value. Two calls of one
// constructor return closures that differ in it.
//
// reflect.Value.Pointer returns the address of the code, which both share. So
// FuncIdentity hashes the reflect.Value itself, which holds the pointer to the
// closure: two function values have equal identities by a chance of 1 in 2^64,
// or 1 in 2^32 where a uintptr has 32 bits.
func FuncIdentity(f func(http.Handler) http.Handler) uintptr {
	return uintptr(maphash.Comparable(seed, reflect.ValueOf(f)))
}

func addressOf(r *http.Request) uintptr { return reflect.ValueOf(r).Pointer() }
