package segue

// This file holds the parameters of a route: how their values are cut from a
// path and given to the request, how a handler reads them, and the way back, from
// values to a path. The memory of the values, and the way into r.PathValue, are in
// internal/pathvalue.

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/segue-go/segue/internal/automaton"
	"github.com/segue-go/segue/internal/pathvalue"
)

// setValues gives a request that find has matched the values of the route's
// parameters, for r.PathValue.
func (r *route) setValues(req *http.Request) {
	path := req.URL.Path
	if r.gapCount == 0 {
		r.setMatch(req, automaton.Path{Text: path})
		return
	}
	values := pathvalue.New(req, int(r.gapCount), len(path))
	r.cut(path, r.gaps[:], values)
	pathvalue.Set(req, r.names, values)
}

// setMatch writes into r what a matched route gives it, for a path of any kind.
func (r *route) setMatch(req *http.Request, path automaton.Path) {
	req.Pattern = r.text
	if r.names == nil {
		pathvalue.Clear(req)
		return
	}
	values := pathvalue.New(req, len(r.names.List()), max(len(path.Text), len(req.Host)))
	if r.longGaps != nil && !path.Escaped {
		r.cut(path.Text, *r.longGaps, values)
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
		case i < last || !r.endsInValue:
			end = automaton.NextSlash(path, at)
		case !r.endsInRest && path[end-1] == '/':
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
		values[0] = firstLabel(host)
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

// Param returns the value of a parameter of the matched route. The value is decoded
// once by path rules: "%2F" arrives as "/", "+" stays "+".
//
//	id := segue.Param(r, "id")
//
// It returns "" for a name that the route does not have. It works whether or not
// [Router.PathValues] is on, and in handlers of a plain [http.ServeMux] too.
//
// # Corner cases
//
// Where r.PathValue was filled, the value comes from there. Otherwise Param cuts it
// from r.URL by r.Pattern, so that nothing needs to be stored. A handler or middleware
// that rewrites r.URL then changes what Param reads. A name that r.Pattern does not
// hold comes from r.PathValue, where somebody's SetPathValue put it.
//
// # Costs
//
// Param does not allocate, unless the value comes from the URL and holds an encoding
// that URL.Path does not. It is safe for concurrent use as long as nobody changes r.
func Param(r *http.Request, name string) string {
	if !pathvalue.Filled(r) {
		host, pattern, path := patternAndPath(r)
		if name != "" && name == hostParameter(host) {
			return firstLabel(r.Host)
		}
		for left := path.Text; pattern != ""; {
			var wildcard string
			if wildcard, path.Text, pattern, left = nextWildcard(pattern, left); wildcard == name && name != "" {
				return path.Rest()
			}
		}
	}
	return r.PathValue(name)
}

// Params returns the parameters of the matched route and their values, as [Param]
// gives them, in the order in which they stand in the path.
//
//	for name, value := range segue.Params(r) {
//
// After them come the other names that somebody's SetPathValue gave r, sorted. So
// Params has every name for which Param has a value. Among the others are the
// parameters of a [Router.Mount] around a plain [http.ServeMux].
//
// Ranged over directly it does not allocate, unless there are such other names.
func Params(r *http.Request) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) { eachParam(r, yield) }
}

func eachParam(r *http.Request, yield func(name, value string) bool) {
	filled, others := pathvalue.Filled(r), pathvalue.Others(r)
	var names, values []string
	host, pattern, path := patternAndPath(r)
	left, name := path.Text, hostParameter(host)
	for i := 0; name != "" || pattern != ""; i++ {
		ofHost := name != ""
		if !ofHost {
			if name, path.Text, pattern, left = nextWildcard(pattern, left); name == "" {
				break
			}
		}
		if i == fewParams && filled {
			names, values = pathvalue.InOrder(r)
		}
		var value string
		switch {
		case i < len(names) && names[i] == name:
			value = values[i]
		case filled:
			value = r.PathValue(name)
		case ofHost:
			value = firstLabel(r.Host)
		default:
			value = path.Rest()
		}
		if !yield(name, value) {
			return
		}
		delete(others, name)
		name = ""
	}
	if len(others) > 0 {
		for _, name := range slices.Sorted(maps.Keys(others)) {
			if !yield(name, r.PathValue(name)) {
				return
			}
		}
	}
}

// fewParams is up to how many are read by name. PathValue compares the names
// one after the other, so that many would cost their square.
const fewParams = 8

// patternAndPath returns r.Pattern up to its path, that path, and the path that it
// matched, for nextWildcard.
func patternAndPath(r *http.Request) (host, pattern string, path automaton.Path) {
	if m := missOf(r); m != nil {
		return m.params.host(), m.params.path(), m.path
	}
	if i := strings.IndexByte(r.Pattern, '/'); i >= 0 {
		return r.Pattern[:i], r.Pattern[i:], pathOf(r.URL)
	}
	return "", "", automaton.Path{}
}

// nextWildcard walks over a pattern and a path, each from a slash on, to the
// pattern's first named wildcard. It returns the name, what the path has there,
// encoded and from its slash on, and what is left of both texts. The name is ""
// if there is none.
func nextWildcard(pattern, path string) (name, value, patternLeft, pathLeft string) {
	for pattern != "" {
		end := automaton.NextSlash(pattern, 1)
		s := pattern[1:end]
		at := min(automaton.NextSlash(path, 1), len(path))
		if len(s) > 2 && s[0] == '{' && s != "{$}" {
			name, isRest := strings.CutSuffix(s[1:len(s)-1], "...")
			if isRest {
				at = len(path)
			}
			return name, path[:at], pattern[end:], path[at:]
		}
		pattern, path = pattern[end:], path[at:]
	}
	return "", "", "", ""
}

// A ParamError says that a parameter's value is not of the type that [ParamAs] or
// [QueryAs] was asked for, or that the matched route does not have the parameter.
// [StatusOf] gives 400 for the first. It gives 500 for the second, because that is the
// program's fault.
type ParamError struct {
	Name   string // the parameter's
	Value  string // as it came, decoded
	Reason string // such as "is not a whole number"

	query, missing bool
	err            error
}

// Error names the parameter, its value and the reason. It is what a client sees, with
// a status of 400, if nothing else answers. It does not have the text of a type's own
// UnmarshalText; see [ParamError.Unwrap].
func (e *ParamError) Error() string {
	if e.missing {
		return fmt.Sprintf("path parameter %s %s", e.Name, e.Reason)
	}
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

// Unwrap returns the error of strconv or of the type's UnmarshalText. It returns nil
// if the route does not have the parameter.
func (e *ParamError) Unwrap() error { return e.err }

// StatusCode returns 400, or 500 if the route does not have the parameter.
func (e *ParamError) StatusCode() int {
	if e.missing {
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

func (e *ParamError) statusMessage() (int, string) {
	if e.missing {
		return e.StatusCode(), "" // the text is for the log
	}
	return e.StatusCode(), e.Error()
}

// ParamAs returns a parameter's value, as [Param] gives it, as a T.
//
//	id, err := segue.ParamAs[int](r, "id")
//
// T is a string, bool, any integer or floating-point kind (decimal, in T's range), or
// a type whose pointer implements [encoding.TextUnmarshaler], which goes first.
// ParamAs panics if T is none of these types.
//
// The error is a [*ParamError]. If the value is not a T, its status is 400. The T beside
// it is what strconv or UnmarshalText made of the value. If the matched route has no
// parameter of that name, and SetPathValue has set none, the program is wrong. Then the
// status is 500, and the error's text lists the names that there are. That text is
// logged and not sent.
//
// ParamAs does not allocate for the built-in numeric types.
func ParamAs[T any](r *http.Request, name string) (T, error) {
	value := Param(r, name)
	if value == "" && r.Pattern != "" {
		if err := missingParam(r, name); err != nil {
			return *new(T), err
		}
	}
	v, err := parseAs[T](value)
	if err != nil {
		return v, &ParamError{Name: name, Value: value, Reason: reasonOf(err, reflect.TypeFor[T]()), err: err}
	}
	return v, nil
}

// missingParam returns the error for a name that r's parameters do not have, nil
// if they have it.
func missingParam(r *http.Request, name string) error {
	has := ""
	for n := range Params(r) {
		if n == name {
			return nil
		}
		has += ", " + n
	}
	reason := fmt.Sprintf("is not in %s, which has %s", r.Pattern, cmp.Or(strings.TrimPrefix(has, ", "), "no parameters"))
	return &ParamError{Name: name, Reason: reason, missing: true}
}

// QueryAs returns the value of a query parameter as a T, or def if the query does not
// have it.
//
//	page, err := segue.QueryAs(r, "page", 1)         // the first value
//	page, err := segue.QueryAs[*int](r, "page", nil) // the same, to tell whether there is one
//	ids, err := segue.QueryAs[[]int](r, "id", nil)   // all values: ?id=1&id=2
//
// T is a type that [ParamAs] takes, a pointer to one, or a slice of one. QueryAs panics
// otherwise. The error is a [*ParamError], with status 400, for the first value that is
// wrong. The T beside it is what was read so far.
//
// Forms send an empty value, as in ?page=, for a field that was left empty. It counts
// as absent, unless the value is a string or T is a pointer. In these two cases only
// absence gives def: an empty value is a pointer to "" for *string, and an error for
// *int.
//
// QueryAs costs about what [net/url.URL.Query] costs.
func QueryAs[T any](r *http.Request, name string, def T) (T, error) {
	var v T
	said, err := readQuery(reflect.ValueOf(&v).Elem(), r, name)
	if !said {
		return def, nil
	}
	return v, err
}

// readQuery sets v to what the query says, and reports whether it says anything.
func readQuery(v reflect.Value, r *http.Request, name string) (said bool, err error) {
	one, shape := v.Type(), v.Kind()
	switch {
	case reflect.PointerTo(one).Implements(textUnmarshaler):
		shape = reflect.Invalid // whatever it is, it is one value
	case shape == reflect.Pointer || shape == reflect.Slice:
		one = one.Elem()
	}
	if k := one.Kind(); (k < reflect.Bool || k > reflect.Float64) && k != reflect.String && !reflect.PointerTo(one).Implements(textUnmarshaler) {
		panic(unreadable(one)) // whatever the client sends
	}
	values := r.URL.Query()[name]
	if shape != reflect.Slice {
		values = values[:min(len(values), 1)]
	}
	for _, value := range values {
		if value == "" && one.Kind() != reflect.String && shape != reflect.Pointer {
			continue
		}
		item := reflect.New(one).Elem()
		err := setText(item, value)
		switch shape {
		case reflect.Slice:
			v.Set(reflect.Append(v, item))
		case reflect.Pointer:
			v.Set(item.Addr())
		default:
			v.Set(item)
		}
		if err != nil {
			return true, &ParamError{Name: name, Value: value, Reason: reasonOf(err, one), query: true, err: err}
		}
		said = true
	}
	return said, nil
}

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

func parseAs[T any](s string) (T, error) {
	if reflect.TypeFor[*T]().Implements(textUnmarshaler) {
		v := new(T)
		err := setText(reflect.ValueOf(v).Elem(), s)
		return *v, err
	}
	var v T // stays on the stack, since setKind calls no method of it
	err := setKind(reflect.ValueOf(&v).Elem(), s)
	return v, err
}

func setText(v reflect.Value, s string) error {
	if t, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return t.UnmarshalText([]byte(s))
	}
	return setKind(v, s)
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
		panic(unreadable(v.Type()))
	}
	return err
}

func unreadable(t reflect.Type) string {
	return "segue: ParamAs and QueryAs cannot make a " + t.String() + "; give its pointer an UnmarshalText method"
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

// PathFor returns the path of a pattern, with its parameters filled in from left to
// right. It is the way back from [Router.GET] and [Param].
//
//	path, err := segue.PathFor("/users/{id}", 7) // /users/7
//
// The pattern is in either language. Its method and host are ignored, so r.Pattern
// can be given, which has the prefixes of all mounts:
//
//	path, err := segue.PathFor(r.Pattern+"/{id}", segue.Param(r, "org"), user.ID)
//
// If r.Pattern ends in a slash or in {$}, the two slashes in the middle are one.
//
// A value is a string, a bool, any integer or finite floating-point kind, an
// [encoding.TextMarshaler], which goes first, or else a [fmt.Stringer]. The path is
// encoded as in a URL. The pattern matches it and gives the values back.
//
// The error is a [*PatternError] if the pattern is wrong, or never matches because it
// has a dot segment or further empty ones. Other errors are a wrong number of values, a
// value of another type, and a value that could not come back. For a parameter these are "",
// "." and "..". For a rest it is a text with an empty or dot segment; a final slash is
// allowed, and so is "".
func PathFor(pattern string, values ...any) (string, error) {
	p, perr := parseEither(pattern)
	if perr != nil {
		var err *PatternError
		if p, err = parseEither(joints.Replace(pattern)); err != nil {
			return "", perr
		}
	}
	names := p.names()
	if len(names) != len(values) {
		return "", fmt.Errorf("segue: no path for %q: it has the parameters %v, and %d values were given", pattern, names, len(values))
	}
	var path strings.Builder
	for _, s := range p.segments {
		text := s.text
		if s.hasName() {
			var err error
			if text, err = valueText(s.kind, values[0]); err != nil {
				return "", fmt.Errorf("segue: no path for %q: the value of %s %w", pattern, s.text, err)
			}
			values = values[1:]
		}
		escaped := url.PathEscape(text)
		switch {
		case s.kind == rest:
			escaped = strings.ReplaceAll(escaped, "%2F", "/")
		case text == "." || text == "..": // a literal that is encoded in the pattern
			escaped = strings.ReplaceAll(text, ".", "%2E")
		}
		path.WriteString("/" + escaped)
	}
	return path.String(), nil
}

// joints are where a path was added to a pattern that ends in a slash or in {$}.
var joints = strings.NewReplacer("/{$}/", "/", "//", "/")

// parseEither parses a pattern of Handle, or else a path of the verbs, for its path. If it is
// neither, the error is that of the language in which more of it is right.
func parseEither(text string) (*pattern, *PatternError) {
	p, err := parseMux(text)
	if start := strings.IndexByte(text, '/'); err != nil && start >= 0 && err.Offset >= start {
		verb, verbErr := parseVerb("", text[start:])
		if verbErr == nil || verbErr.Offset+start > err.Offset {
			if p, err = verb, verbErr; err != nil {
				err.Pattern, err.Offset = text, err.Offset+start
			}
		}
	}
	if err == nil {
		p.hostAt = p.pathAt // a path has no host, nor its parameter
		if at := uncleanAt(p.path(), 0); at >= 0 {
			return nil, &PatternError{Pattern: text, Offset: strings.IndexByte(text, '/') + at, Reason: neverMatches}
		}
	}
	return p, err
}

// valueText returns the text of a value for a parameter or a rest.
func valueText(kind segmentKind, value any) (text string, err error) {
	v := reflect.ValueOf(value)
	marshaler, marshals := value.(encoding.TextMarshaler)
	stringer, prints := value.(fmt.Stringer)
	switch {
	case value == nil, v.Kind() == reflect.Pointer && v.IsNil():
		return "", errors.New("is nil")
	case marshals:
		var b []byte
		b, err = marshaler.MarshalText()
		text = string(b)
	case v.Kind() == reflect.String:
		text = v.String()
	case v.Kind() == reflect.Bool:
		text = strconv.FormatBool(v.Bool())
	case v.CanInt():
		text = strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		text = strconv.FormatUint(v.Uint(), 10)
	case v.CanFloat():
		text = strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())
		_, err = parseFloat(text, v.Type().Bits())
	case prints:
		text = stringer.String()
	default:
		return "", fmt.Errorf("is a %T; give a string, a number or a bool, or give the type a MarshalText method", value)
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("has no text: %w", err)
	case kind == rest && uncleanAt("/"+text, 0) >= 0:
		return "", fmt.Errorf("is %q, whose empty or dot segment would be cleaned away", text)
	case kind == parameter && (text == "" || text == "." || text == ".."):
		return "", fmt.Errorf("is %q, which cannot be a segment", text)
	}
	return text, nil
}
