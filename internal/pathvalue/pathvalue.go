// Package pathvalue fills in what [http.Request.PathValue] answers, as
// [http.ServeMux] does. It also provides the memory that the values live in. It
// depends only on net/http, and is the only package of the module that uses
// unsafe.
//
// # Where the values are
//
// A ServeMux that matches GET /users/7/posts/9 by GET /users/{user}/posts/{post}
// writes two unexported fields of the request. SetPathValue adds a third for
// names that the pattern does not have:
//
//	pat         *pattern           "GET /users/{user}/posts/{post}"
//	matches     []string           "7", "9"
//	otherValues map[string]string  nil
//
// PathValue("post") counts the wildcards of pat up to {post}, and returns the
// value with that number in matches. It looks in otherValues if pat has no
// {post}. So a router has to write one pointer and one slice:
//
//	names := pathvalue.NamesOf([]string{"user", "post"}) // once, at registration
//
//	values := pathvalue.New(r, 2, len(r.URL.Path)) // for each request
//	values[0], values[1] = "7", "9"
//	pathvalue.Set(r, names, values)
//
// NamesOf has net/http make a pattern with the right names, here /{user}/{post}.
// That pattern has another text than the route's. Nobody sees it, since r.Pattern
// is a field of its own.
//
// # Two ways to write
//
// The direct way writes pat and matches through unsafe. It is used if a probe at
// start-up proves that the fields are where they are expected and mean what they
// should. See direct.go.
//
// The portable way has a ServeMux write them: one with the single route
// /{user}/{post}, which serves the request once as GET /x/x. SetPathValue then
// replaces each x. It is used if the probe fails, and always under the build
// tag purego, which leaves unsafe out. It costs about a microsecond and four
// allocations a request. See portable.go.
//
// # The memory of the values
//
// A handler may keep its request for ever, so the memory of values is never
// reused. New cuts it from blocks:
//
//	block   | 7 9 | 12 | acme 3 | … 31 values
//	          r1    r2   r3       next
//
// See memory.go for what that saves, and for what a block may keep alive.
package pathvalue

import (
	"net/http"
	"reflect"
	"strings"
	"sync"
)

// Names is an immutable list of parameter names in the form that net/http needs.
// Equal lists share one Names.
type Names struct {
	list []string
	mux  *http.ServeMux // has one route with these wildcards
	pat  *byte          // for the direct way: the *http.pattern of that route
}

// fields is the part of an http.Request that ServeMux writes. The pattern is a
// pointer here too, so that the garbage collector sees it.
type fields struct {
	pat     *byte // *http.pattern
	matches []string
}

// known maps names, joined, to their *Names. It grows only with what is
// registered: a process has few different lists, however many routers come and
// go. Each takes about 1.5 KB.
var known sync.Map

// namesOfPattern maps the address of an *http.pattern to the *Names that keeps it
// alive, so that no other pattern comes to have the address.
var namesOfPattern sync.Map

// NamesOf returns the Names of a list of distinct names, or nil for the empty
// list. It panics if http.ServeMux does not take one of them as the name of a
// wildcard.
func NamesOf(names []string) *Names {
	if len(names) == 0 {
		return nil
	}
	key := strings.Join(names, "/") // no name holds a slash
	n, ok := known.Load(key)
	if !ok {
		n, _ = known.LoadOrStore(key, newNames(strings.Split(strings.Clone(key), "/")))
	}
	return n.(*Names)
}

func newNames(list []string) *Names {
	n, sample := &Names{list: list, mux: muxFor(list)}, new(http.Request)
	serveThrough(n.mux, sample, len(list))
	if proven { // not direct: that may change in a test, and a Names stays
		n.pat = fieldsOf(sample).pat
	}
	if address := addressOfPattern(sample); address != 0 {
		namesOfPattern.Store(address, n)
	}
	return n
}

// List returns the names in order, nil for a nil n. The caller must not change
// them.
func (n *Names) List() []string {
	if n == nil {
		return nil
	}
	return n.list
}

// Clear removes the values that a router wrote.
func Clear(r *http.Request) {
	if direct {
		*fieldsOf(r) = fields{}
	} else {
		clearPortably(r)
	}
}

// Filled reports whether a router, segue or ServeMux, wrote the values that
// r.PathValue answers with. It reports false if net/http keeps no pattern in
// the request, as under GODEBUG=httpmuxgo121=1.
func Filled(r *http.Request) bool {
	if direct {
		return fieldsOf(r).pat != nil
	}
	return addressOfPattern(r) != 0
}

// InOrder returns the names and values that Set wrote, in path order. It returns
// nil if nobody or a ServeMux wrote last. Where SetPathValue has changed a value
// since, InOrder returns the changed one. The caller must not change the names.
func InOrder(r *http.Request) (names, values []string) {
	n, ok := namesOfPattern.Load(addressOfPattern(r))
	if !ok {
		return nil, nil
	}
	names = n.(*Names).list
	if direct {
		return names, fieldsOf(r).matches
	}
	for _, name := range names {
		values = append(values, r.PathValue(name))
	}
	return names, values
}

var otherValues, hasOthers = reflect.TypeFor[http.Request]().FieldByName("otherValues")

// othersAreSeen is whether Others tells anything.
var othersAreSeen = hasOthers && len(otherValues.Index) == 1 && otherValues.Type == reflect.TypeFor[map[string]string]()

// Others returns the names, except "", under which SetPathValue gave r values that
// its pattern had no place for. It returns nil if there are none, or if net/http
// keeps them in another way. Reflection may read an unexported field.
func Others(r *http.Request) map[string]bool {
	if !othersAreSeen {
		return nil
	}
	m := reflect.ValueOf(r).Elem().Field(otherValues.Index[0])
	if m.Len() == 0 {
		return nil
	}
	names := make(map[string]bool, m.Len())
	for i := m.MapRange(); i.Next(); {
		names[i.Key().String()] = true
	}
	delete(names, "") // that of Add
	return names
}

// Add gives r a path value that outlasts an inner ServeMux, which replaces the
// fields. r must be a clone: its map of other values must be its own.
//
// SetPathValue writes into that map unless the pattern of the request has the
// name. So Add calls it on a shallow copy without a pattern, which shares the
// map. The first line makes sure that there is a map: no wildcard has an empty
// name.
func Add(r *http.Request, name, value string) {
	r.SetPathValue("", r.PathValue(""))
	bare := r.WithContext(r.Context())
	Clear(bare)
	bare.SetPathValue(name, value)
}
