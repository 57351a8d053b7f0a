package segue

// This file holds the parameters of a route: how their values are cut from a
// path and given to the request, and how a handler reads them. The memory of the
// values, and the way into r.PathValue, are in internal/pathvalue.

import (
	"encoding"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/segue-go/segue/internal/automaton"
	"github.com/segue-go/segue/internal/pathvalue"
)

// setValues gives a request that find has matched the values of the route's
// parameters, for r.PathValue.
func (r *route) setValues(req *http.Request) {
	path := req.URL.Path
	if r.few == 0 {
		r.claim(req, automaton.Path{Text: path})
		return
	}
	values := pathvalue.New(req, int(r.few), len(path))
	r.cut(path, r.gaps[:], values)
	pathvalue.Set(req, r.names, values)
}

// claim writes into r what a matched route gives it, for a path of any kind.
func (r *route) claim(req *http.Request, path automaton.Path) {
	req.Pattern = r.text
	if r.names == nil {
		pathvalue.Clear(req)
		return
	}
	values := pathvalue.New(req, len(r.names.List()), max(len(path.Text), len(req.Host)))
	if r.allGaps != nil && !path.Escaped {
		r.cut(path.Text, *r.allGaps, values)
	} else {
		r.pattern.decode(req.Host, path, values)
	}
	pathvalue.Set(req, r.names, values)
}

// cut cuts the values out of a path that is not encoded: see setGaps.
func (r *route) cut(path string, gaps []uint16, values []string) {
	at, last := 0, len(values)-1
	for i, gap := range gaps[:len(values)] {
		at += int(gap)
		if at >= len(path) {
			return // an empty rest whose slash is missing
		}
		end := len(path)
		switch {
		case i < last || !r.tail:
			end = automaton.NextSlash(path, at)
		case !r.named && path[end-1] == '/':
			end-- // the other spelling of a mount's prefix
		}
		values[i] = path[at:end]
		at = end
	}
}

// decode does the same for any host and path, in one walk over the pattern and
// the path.
func (p *pattern) decode(host string, path automaton.Path, values []string) {
	i := 0
	if p.hostName() != "" {
		values[0], _, _ = strings.Cut(requestHost(host), ".")
		i = 1
	}
	for _, s := range p.segments {
		switch {
		case !s.hasName():
			path.Skip()
		case s.kind == rest:
			values[i] = path.Rest()
		default:
			values[i], _ = path.Next()
			i++
		}
	}
}

// params returns the parameters by name, nil if the route has none.
func (r *route) params(host string, path automaton.Path) map[string]string {
	names := r.pattern.names()
	if len(names) == 0 {
		return nil
	}
	values := make([]string, len(names))
	r.pattern.decode(host, path, values)
	params := make(map[string]string, len(values))
	for i, name := range names {
		params[name] = values[i]
	}
	return params
}

// Param returns the value that r's path has for a parameter of the matched
// route, decoded once by path rules: "%2F" arrives as "/", "+" stays "+".
//
//	id := segue.Param(r, "id")
//
// It returns "" for a name that the route does not have. It works whether or not
// [Router.PathValues] is on, and in handlers of a plain [http.ServeMux] too. Where
// r.PathValue was filled, the value comes from there. Otherwise it comes from
// r.URL by r.Pattern, so that nothing needs to be stored. A name that r.Pattern
// does not hold comes from r.PathValue, where somebody's SetPathValue put it.
// Under PathValues(false) a handler or middleware that rewrites r.URL changes
// what Param reads.
//
// Param does not allocate, unless the value comes from the URL and holds an
// encoding that URL.Path does not. It is safe for concurrent use as long as
// nobody changes r.
func Param(r *http.Request, name string) string {
	if !pathvalue.Filled(r) {
		w := newWildcards(r)
		for w.advance() {
			if w.name == name {
				return w.value()
			}
		}
	}
	return r.PathValue(name)
}

// Params returns the parameters of the matched route and their values, as
// [Param] gives them, in the order in which they stand in the path.
//
//	for name, value := range segue.Params(r) {
//
// Ranged over directly it does not allocate.
func Params(r *http.Request) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) { eachParam(r, yield) }
}

func eachParam(r *http.Request, yield func(name, value string) bool) {
	filled := pathvalue.Filled(r)
	var names, values []string
	w := newWildcards(r)
	for i := 0; w.advance(); i++ {
		if i == fewParams && filled {
			names, values = pathvalue.InOrder(r)
		}
		var value string
		switch {
		case i < len(names) && names[i] == w.name:
			value = values[i]
		case filled:
			value = r.PathValue(w.name)
		default:
			value = w.value()
		}
		if !yield(w.name, value) {
			return
		}
	}
}

// fewParams is up to how many are read by name. PathValue compares the names
// one after the other, so that many would cost their square.
const fewParams = 8

// wildcards walks over the named wildcards of r.Pattern and over the path at the
// same time.
type wildcards struct {
	pattern string
	next    int // where the pattern's next segment begins, at its slash
	path    automaton.Path
	at      int // where the path's segment for the last one begins, at its slash
	name    string
	isRest  bool
}

func newWildcards(r *http.Request) wildcards {
	pattern, path := r.Pattern, pathOf(r.URL)
	if m := missOf(r); m != nil {
		pattern, path = m.params.text, m.path
	}
	i := strings.IndexByte(pattern, '/')
	if i < 0 {
		return wildcards{}
	}
	return wildcards{pattern: pattern, next: i, path: path, at: -1}
}

// advance goes on to the next wildcard, false if there is none.
func (w *wildcards) advance() bool {
	for w.next < len(w.pattern) {
		begin := w.next + 1
		w.next = automaton.NextSlash(w.pattern, begin)
		if w.at < len(w.path.Text) {
			w.at = automaton.NextSlash(w.path.Text, w.at+1)
		}
		if s := w.pattern[begin:w.next]; len(s) > 2 && s[0] == '{' && s != "{$}" {
			w.name, w.isRest = strings.CutSuffix(s[1:len(s)-1], "...")
			return true
		}
	}
	return false
}

func (w *wildcards) value() string {
	path := w.path
	path.Text = path.Text[w.at:]
	if w.isRest {
		return path.Rest()
	}
	s, _ := path.Next()
	return s
}

// A ParamError says that a parameter's value is not of the type that
// [ParamAs] or [QueryAs] was asked for. [StatusOf] gives 400 for it.
type ParamError struct {
	Name   string // the parameter's
	Value  string // as it came, decoded
	Reason string // such as "is not a whole number"

	query bool
	err   error
}

// Error names the parameter, its value and the reason. It is what a client
// sees if nothing else answers; the text of a type's own UnmarshalText is not
// in it, see [ParamError.Unwrap].
func (e *ParamError) Error() string {
	in := "path"
	if e.query {
		in = "query"
	}
	value := e.Value
	if len(value) > 64 {
		value = value[:64] + "…"
	}
	return fmt.Sprintf("%s parameter %s: %q %s", in, e.Name, value, e.Reason)
}

// Unwrap returns the error of strconv or of the type's UnmarshalText.
func (e *ParamError) Unwrap() error { return e.err }

// StatusCode returns 400.
func (e *ParamError) StatusCode() int { return http.StatusBadRequest }

func (e *ParamError) statusMessage() (int, string) { return http.StatusBadRequest, e.Error() }

// ParamAs returns a parameter's value, as [Param] gives it, as a T: a string,
// bool, any integer or floating-point kind (decimal, in T's range), or a type
// whose pointer implements [encoding.TextUnmarshaler], which goes first. The
// error is a [*ParamError]. It does not allocate for the built-in numeric
// types. It panics if T is none of these.
func ParamAs[T any](r *http.Request, name string) (T, error) {
	value := Param(r, name)
	v, err := parseAs[T](value)
	if err != nil {
		return v, &ParamError{Name: name, Value: value, Reason: reasonOf(err, reflect.TypeFor[T]()), err: err}
	}
	return v, nil
}

// QueryAs returns the first value of a query parameter as a T, by the rules of
// [ParamAs], and def where the query does not have it, or has it empty and T is
// no string. It costs what [net/url.URL.Query] costs.
func QueryAs[T any](r *http.Request, name string, def T) (T, error) {
	values, ok := r.URL.Query()[name]
	if !ok || values[0] == "" && reflect.TypeFor[T]().Kind() != reflect.String {
		return def, nil
	}
	v, err := parseAs[T](values[0])
	if err != nil {
		return v, &ParamError{Name: name, Value: values[0], Reason: reasonOf(err, reflect.TypeFor[T]()), query: true, err: err}
	}
	return v, nil
}

// parseAs tries the built-in types first, one by one: nothing escapes there,
// so that they cost no allocation.
func parseAs[T any](s string) (T, error) {
	var v T
	switch any(v).(type) {
	case string:
		return any(s).(T), nil
	case int:
		n, err := strconv.ParseInt(s, 10, strconv.IntSize)
		return any(int(n)).(T), err
	case int8:
		n, err := strconv.ParseInt(s, 10, 8)
		return any(int8(n)).(T), err
	case int16:
		n, err := strconv.ParseInt(s, 10, 16)
		return any(int16(n)).(T), err
	case int32:
		n, err := strconv.ParseInt(s, 10, 32)
		return any(int32(n)).(T), err
	case int64:
		n, err := strconv.ParseInt(s, 10, 64)
		return any(n).(T), err
	case uint:
		n, err := strconv.ParseUint(s, 10, strconv.IntSize)
		return any(uint(n)).(T), err
	case uint8:
		n, err := strconv.ParseUint(s, 10, 8)
		return any(uint8(n)).(T), err
	case uint16:
		n, err := strconv.ParseUint(s, 10, 16)
		return any(uint16(n)).(T), err
	case uint32:
		n, err := strconv.ParseUint(s, 10, 32)
		return any(uint32(n)).(T), err
	case uint64:
		n, err := strconv.ParseUint(s, 10, 64)
		return any(n).(T), err
	case float32:
		n, err := parseFloat(s, 32)
		return any(float32(n)).(T), err
	case float64:
		n, err := parseFloat(s, 64)
		return any(n).(T), err
	case bool:
		b, err := strconv.ParseBool(s)
		return any(b).(T), err
	}
	return parseOther[T](s)
}

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

func parseOther[T any](s string) (T, error) {
	if reflect.TypeFor[*T]().Implements(textUnmarshaler) {
		return unmarshal[T](s)
	}
	var v T
	err := setKind(reflect.ValueOf(&v).Elem(), s)
	return v, err
}

// unmarshal is apart since v escapes here: every other type stays on the stack.
func unmarshal[T any](s string) (T, error) {
	v := new(T)
	err := any(v).(encoding.TextUnmarshaler).UnmarshalText([]byte(s))
	return *v, err
}

func setKind(v reflect.Value, s string) (err error) {
	switch k := v.Kind(); {
	case k == reflect.String:
		v.SetString(s)
	case k == reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(s)
		v.SetBool(b)
	case v.CanInt():
		var n int64
		n, err = strconv.ParseInt(s, 10, v.Type().Bits())
		v.SetInt(n)
	case v.CanUint():
		var n uint64
		n, err = strconv.ParseUint(s, 10, v.Type().Bits())
		v.SetUint(n)
	case v.CanFloat():
		var n float64
		n, err = parseFloat(s, v.Type().Bits())
		v.SetFloat(n)
	default:
		panic("segue: ParamAs and QueryAs cannot make a " + v.Type().String() + "; give its pointer an UnmarshalText method")
	}
	return err
}

// parseFloat takes decimal numbers alone: NaN and the infinities, which
// strconv takes as well, are no values that a handler expects, nor can JSON
// write them.
func parseFloat(s string, bits int) (float64, error) {
	if strings.Trim(s, "+-.0123456789eE") != "" {
		return 0, &strconv.NumError{Func: "ParseFloat", Num: s, Err: strconv.ErrSyntax}
	}
	return strconv.ParseFloat(s, bits)
}

// reasonOf says what is wrong without the text of somebody else's error.
func reasonOf(err error, t reflect.Type) string {
	if reflect.PointerTo(t).Implements(textUnmarshaler) {
		return "is not valid"
	}
	if errors.Is(err, strconv.ErrRange) {
		return "is out of range"
	}
	switch k := t.Kind(); {
	case k == reflect.Bool:
		return "is neither true nor false"
	case k >= reflect.Int && k <= reflect.Int64:
		return "is not a whole number"
	case k >= reflect.Uint && k <= reflect.Uintptr:
		return "is not a whole number from 0 on"
	}
	return "is not a number"
}
