package segue

// This file reads a request's body as JSON and writes an answer as JSON or as
// text. It stands on encoding/json, to which it adds the rules of HTTP (limits,
// labels, statuses) and errors that a client can read.

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Decode reads the request's body as one JSON value of type T, as [json.Unmarshal]
// does: unknown fields are ignored, and missing ones stay zero.
//
//	user, err := segue.Decode[User](w, r)                         // at most 1 MiB
//	batch, err := segue.Decode[[]Item](w, r, segue.MaxBytes(8<<20))
//
// On an error the value is the zero T, and nothing has been written: a handler under
// [Try] returns the error as it is.
//
// # Errors
//
// Each error has a status and a message for the client, which [StatusOf] gives:
//
//	415  Content-Type is missing, is neither application/json nor of a subtype
//	     that ends in +json, or names a charset other than utf-8. The message
//	     says which header to send (RFC 8259, section 11; RFC 6839, section 3.1).
//	415  Content-Encoding is something other than identity. A middleware that
//	     decodes the body deletes the header.
//	413  the body is larger than the limit. If Content-Length already says so,
//	     nothing is read, and a client that sent "Expect: 100-continue" is not
//	     asked for the body. The connection is closed after the answer.
//	400  the body is empty, or only white space. The error is an io.EOF too.
//	400  the body is malformed, cut short, nested too deeply (beyond
//	     encoding/json's 10,000) or followed by something else. The message has
//	     the place, in bytes from 1.
//	400  an object has the same name twice. The message has the second's place.
//	400  a value has the wrong type. The message has the field's path, what was
//	     expected, and the place, as far as encoding/json tells them: "field
//	     address.zip: expected a string, got a number at byte 31". The path is
//	     in the names of the JSON, without array indices and map keys.
//	400  a type's own UnmarshalJSON or UnmarshalText refused a value. Its text
//	     stays out of the message, as any foreign text does. If it returns an
//	     error of Errorf, that error's status and message are used.
//	408  the body did not arrive before the server's ReadTimeout.
//
// [errors.As] finds the cause: *[http.MaxBytesError], *[json.SyntaxError],
// *[json.UnmarshalTypeError], or the error of an UnmarshalJSON. A panic in one of
// those passes through. What the error's text quotes from the request is escaped
// and bounded.
//
// # Corner cases
//
// encoding/json/v2 is stricter than encoding/json in three ways. Decode follows
// only the first:
//
//   - A name that an object has twice is refused, because two readers of such a
//     body (a gateway and a handler) may each see another value. This holds at
//     any depth, also in what T ignores or keeps as a [json.RawMessage]. Names
//     are compared once escapes are decoded. The check comes after the value is
//     decoded, so an UnmarshalJSON may have seen both.
//   - The case of a field's name does not matter: {"name":1,"NAME":2} sets the
//     field name twice, and the last one counts. v2 takes NAME for an unknown
//     field. Where that matters, decode into a map, which has both.
//   - Bytes that are not UTF-8, and half a surrogate pair, become U+FFFD. v2
//     refuses the body.
//
// A byte order mark before the value is skipped, and not counted in places. If a
// type's own UnmarshalJSON calls encoding/json, places below that type count from
// where its value begins.
//
// # Costs
//
// The body is read into memory whole, in about as many allocations as io.ReadAll
// and json.Unmarshal take by hand. Memory grows with what arrives, not with what
// Content-Length claims. The check for names reads a copy of the body, in time in
// proportion to its length. It allocates nothing for objects of up to 8 names. For a
// body made to be expensive it allocates at most some 20 times the body's length,
// not all of it at once. Decode keeps nothing after it returns, and is safe for
// concurrent use on different requests.
func Decode[T any](w http.ResponseWriter, r *http.Request, options ...DecodeOption) (T, error) {
	var value, zero T
	if err := decodeInto(&value, w, r, options); err != nil {
		return zero, err
	}
	return value, nil
}

// A DecodeOption changes how [Decode] reads a body. If two of them contradict each
// other, the last one counts. The zero DecodeOption changes nothing.
type DecodeOption struct {
	maxBytes   *int64 // nil where it says nothing
	allowEmpty bool
	decoder    []func(*json.Decoder)
}

// MaxBytes makes [Decode] return an error of status 413 for a body of more than n
// bytes, instead of more than 1 MiB. An n of 0 or less admits no body at all.
//
//	batch, err := segue.Decode[[]Item](w, r, segue.MaxBytes(8<<20))
func MaxBytes(n int64) DecodeOption {
	n = max(n, 0)
	return DecodeOption{maxBytes: &n}
}

// DisallowUnknownFields makes [Decode] return an error of status 400 for an object with
// a name that its struct has no field for. The message has the name, quoted and bounded.
//
//	user, err := segue.Decode[User](w, r, segue.DisallowUnknownFields())
//
// As with [json.Decoder.DisallowUnknownFields], a type with an UnmarshalJSON of
// its own decides for itself.
func DisallowUnknownFields() DecodeOption {
	return DecodeOption{decoder: []func(*json.Decoder){(*json.Decoder).DisallowUnknownFields}}
}

// AllowEmpty has [Decode] return the zero T, and no error, if the body is empty or
// only white space.
//
//	filter, err := segue.Decode[Filter](w, r, segue.AllowEmpty())
//
// An empty body needs no Content-Type. So the headers are checked after the body is
// read, and a body of the wrong type is 415 only once it has arrived.
func AllowEmpty() DecodeOption {
	return DecodeOption{allowEmpty: true}
}

// UseNumber has [Decode] keep a number as a [json.Number], with all its digits, where
// T has an any. Without it the number is a float64, which rounds beyond 2^53.
//
//	fields, err := segue.Decode[map[string]any](w, r, segue.UseNumber())
func UseNumber() DecodeOption {
	return DecodeOption{decoder: []func(*json.Decoder){(*json.Decoder).UseNumber}}
}

// decodeInto is Decode into the value that into points to.
func decodeInto(into any, w http.ResponseWriter, r *http.Request, options []DecodeOption) error {
	all := DecodeOption{maxBytes: ptr(int64(1 << 20))}
	for _, o := range options {
		all.maxBytes = cmp.Or(o.maxBytes, all.maxBytes)
		all.allowEmpty = all.allowEmpty || o.allowEmpty
		all.decoder = append(all.decoder, o.decoder...)
	}
	body, err := readJSON(w, r, *all.maxBytes, all.allowEmpty)
	if err != nil || body == nil {
		return err
	}
	if err := unmarshalJSON(body, into, all.decoder); err != nil {
		return decodeError(err, body, reflect.TypeOf(into).Elem())
	}
	if at := repeatedName(string(body)); at > 0 {
		return refuseBody(http.StatusBadRequest, nil, fmt.Sprintf("an object has the same name twice, the second time at byte %d", at))
	}
	return nil
}

// readJSON reads a body that says it is JSON. A nil body with a nil error is an
// empty one that is allowed.
func readJSON(w http.ResponseWriter, r *http.Request, maxBytes int64, allowEmpty bool) ([]byte, error) {
	problem := labelProblem(r.Header)
	if problem != "" && !allowEmpty {
		return nil, refuseBody(http.StatusUnsupportedMediaType, nil, problem)
	}
	// A request made by hand may have no Body.
	from, limit := cmp.Or[io.ReadCloser](r.Body, http.NoBody), maxBytes
	if r.ContentLength > limit {
		// MaxBytesReader has the connection closed, so that net/http does not
		// wait for the body, once it has read more than its limit. The one
		// byte for that is not the client's.
		from, limit = io.NopCloser(strings.NewReader("-")), 0
	}

	// The first allocation follows Content-Length only so far: a client that
	// promises a megabyte and sends nothing must not cost one.
	var body bytes.Buffer
	if n := min(r.ContentLength, limit, 64<<10); n > 0 {
		body.Grow(int(n) + bytes.MinRead)
	}
	if _, err := body.ReadFrom(http.MaxBytesReader(innermostWriter(w), from, limit)); err != nil {
		return nil, readError(err, body.Len(), maxBytes)
	}
	text := bytes.TrimPrefix(body.Bytes(), []byte("\ufeff"))
	switch empty := len(bytes.TrimLeft(text, jsonSpace)) == 0; {
	case empty && allowEmpty:
		return nil, nil
	case empty:
		return nil, refuseBody(http.StatusBadRequest, io.EOF, "the body is empty")
	case problem != "":
		return nil, refuseBody(http.StatusUnsupportedMediaType, nil, problem)
	}
	return text, nil
}

const jsonSpace = " \t\r\n"

// labelProblem returns what is wrong with the headers that say what a body is,
// "" if they say JSON as it stands.
func labelProblem(header http.Header) string {
	const send = `: send "Content-Type: application/json"`
	coding, types := strings.Join(header["Content-Encoding"], ", "), header["Content-Type"]
	switch {
	case coding != "" && !strings.EqualFold(coding, "identity"):
		return fmt.Sprintf("the body has the Content-Encoding %.64q: send it without one", coding)
	case len(types) == 0 || types[0] == "":
		return "the request has no Content-Type" + send
	case len(types) > 1:
		return "the request has more than one Content-Type" + send
	case types[0] == "application/json":
		return ""
	}
	mediaType, params, err := mime.ParseMediaType(types[0])
	_, subtype, _ := strings.Cut(mediaType, "/")
	isJSON := mediaType == "application/json" || strings.HasSuffix(subtype, "+json") && subtype != "+json"
	if err != nil || !isJSON {
		return "the body is not labelled as JSON" + send
	}
	// HTTP libraries also send utf8, and 'utf-8' in quotes that HTTP has not.
	switch strings.ToLower(strings.Trim(params["charset"], "'")) {
	case "", "utf-8", "utf8":
		return ""
	}
	return "JSON is sent in UTF-8, without another charset" + send
}

// innermostWriter returns the writer within the wrappers of middleware. Only
// net/http's own lets MaxBytesReader close the connection, which is all that
// MaxBytesReader does with it.
func innermostWriter(w http.ResponseWriter) http.ResponseWriter {
	for {
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = wrapper.Unwrap()
	}
}

// readError is for a body of which n bytes arrived.
func readError(err error, n int, limit int64) error {
	tooLarge, isTooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case isTooLarge:
		// A middleware may have set a lower limit. Of 0 is what stood in for a
		// body that was not read.
		limit = cmp.Or(tooLarge.Limit, limit)
		err = &http.MaxBytesError{Limit: limit}
		return refuseBody(http.StatusRequestEntityTooLarge, err, fmt.Sprintf("the body is larger than %d bytes", limit))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuseBody(http.StatusRequestTimeout, err, "the body did not arrive in time")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return refuseBody(http.StatusBadRequest, err, fmt.Sprintf("the body was cut short after %d bytes", n))
	}
	return refuseBody(http.StatusBadRequest, err, "the body could not be read")
}

// unmarshalJSON is json.Unmarshal with the settings that only a json.Decoder has.
// A Decoder stops after the first value, so it gets what is known to be one.
func unmarshalJSON(body []byte, into any, configure []func(*json.Decoder)) error {
	if len(configure) == 0 || !json.Valid(body) {
		return json.Unmarshal(body, into)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	for _, set := range configure {
		set(decoder)
	}
	return decoder.Decode(into)
}

// decodeError says what encoding/json did not like about body.
func decodeError(err error, body []byte, into reflect.Type) error {
	if !json.Valid(body) {
		return refuseBody(http.StatusBadRequest, err, malformedAt(body))
	}
	if status, message, ok := ownStatus(err); ok {
		return refuseBody(status, err, message)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return refuseBody(http.StatusBadRequest, err, wrongType(wrong, into))
	}
	if _, ok := errors.AsType[*time.ParseError](err); ok {
		return refuseBody(http.StatusBadRequest, err, "a time is not written as in 2006-01-02T15:04:05Z")
	}
	// There is no error type for an unknown field.
	if name, ok := strings.CutPrefix(fmt.Sprint(err), "json: unknown field "); ok {
		if name, notQuoted := strconv.Unquote(name); notQuoted == nil {
			return refuseBody(http.StatusBadRequest, err, fmt.Sprintf("unknown field %.64q: correct the name or leave it out", name))
		}
	}
	return refuseBody(http.StatusBadRequest, err, "a value in the JSON was not accepted")
}

// malformedAt says where body stops to be JSON. A Decoder tells what Unmarshal
// has only one error for: half a value, and one value too many.
func malformedAt(body []byte) string {
	var first json.RawMessage
	decoder := json.NewDecoder(bytes.NewReader(body))
	err := decoder.Decode(&first)
	syntax, isSyntax := errors.AsType[*json.SyntaxError](err)
	switch {
	case err == nil:
		rest := bytes.TrimLeft(body[decoder.InputOffset():], jsonSpace)
		return fmt.Sprintf("the JSON value is followed by something else at byte %d", len(body)-len(rest)+1)
	case !isSyntax:
		return fmt.Sprintf("the JSON is cut short after %d bytes", len(body))
	case strings.Contains(syntax.Error(), "max depth"):
		return fmt.Sprintf("the JSON is nested too deeply at byte %d", syntax.Offset)
	}
	return fmt.Sprintf("the JSON is malformed at byte %d", syntax.Offset)
}

// repeatedName returns the place, from 1, of a name that its object has had
// before, and 0 if there is none. The body is valid JSON, so that the string
// before a colon is a name of the innermost object.
func repeatedName(body string) int {
	names := make([]int, 0, 32) // where the names of all open objects are
	open := make([]int, 0, 16)  // where the names of each open object start in names
	text := 0                   // where the last string is
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '{':
			open = append(open, len(names))
		case '}':
			last := len(open) - 1
			if at := repeatedOf(body, names[open[last]:]); at > 0 {
				return at
			}
			names, open = names[:open[last]], open[:last]
		case '"':
			text, i = i, stringEnd(body, i)-1
		case ':':
			names = append(names, text)
		}
	}
	return 0
}

// repeatedOf is repeatedName for one object, given where its names are.
func repeatedOf(body string, names []int) int {
	seen := make(map[string]struct{}) // on the stack for up to 8 names
	if len(names) > 8 {
		seen = make(map[string]struct{}, len(names))
	}
	for i, at := range names {
		quoted := body[at:stringEnd(body, at)]
		name := quoted[1 : len(quoted)-1]
		if strings.IndexByte(name, '\\') >= 0 || !utf8.ValidString(name) {
			var decoded string
			_ = json.Unmarshal([]byte(quoted), &decoded) // valid, as the body is
			name = decoded
		}
		seen[name] = struct{}{}
		if len(seen) == i {
			return at + 1
		}
	}
	return 0
}

// stringEnd returns the index after the JSON string that starts at start.
func stringEnd(body string, start int) int {
	end := start + 1
	for body[end] != '"' {
		if body[end] == '\\' {
			end++
		}
		end++
	}
	return end + 1
}

// wrongType says which field was wrong, what belongs there and what came.
func wrongType(wrong *json.UnmarshalTypeError, into reflect.Type) string {
	message := ""
	if path := jsonPath(into, wrong.Field); path != "" {
		message = "field " + path + ": "
	}
	wanted, bounds := expectedJSON(wrong.Type)
	message += "expected " + wanted
	// Behind the first word Value has the number as sent, of any length.
	kind, _, _ := strings.Cut(wrong.Value, " ")
	if got, ok := jsonKinds[kind]; kind == "number" && bounds != "" {
		message += bounds
	} else if ok {
		message += ", got " + got
	}
	if wrong.Offset > 0 {
		message += fmt.Sprintf(" at byte %d", wrong.Offset)
	}
	return message
}

// jsonKinds are encoding/json's words for what was sent, in a client's.
var jsonKinds = map[string]string{
	"bool":   "true or false",
	"number": "a number",
	"string": "a string",
	"array":  "an array",
	"object": "an object",
}

// expectedJSON returns the JSON that t is decoded from, in a client's words, and for
// a number what it has to fit into.
func expectedJSON(t reflect.Type) (wanted, bounds string) {
	const other = "another kind of value"
	if t == nil { // by an UnmarshalJSON that made the error itself
		return other, ""
	}
	switch kind := t.Kind(); {
	case t == reflect.TypeFor[json.Number]():
		return "a number", ""
	case kind == reflect.String || reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return "a string", ""
	case kind == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return "a string in base64", ""
	case kind == reflect.Slice || kind == reflect.Array:
		return "an array", ""
	case kind == reflect.Struct || kind == reflect.Map:
		return "an object", ""
	case kind == reflect.Bool:
		return "true or false", ""
	case kind >= reflect.Int && kind <= reflect.Int64:
		most := int64(1)<<(t.Bits()-1) - 1
		return "a whole number", fmt.Sprintf(" from %d to %d", -most-1, most)
	case kind >= reflect.Uint && kind <= reflect.Uintptr:
		return "a whole number", fmt.Sprintf(" from 0 to %d", ^uint64(0)>>(64-t.Bits()))
	case kind == reflect.Float32 || kind == reflect.Float64:
		return "a number", fmt.Sprintf(" that fits into %d bits", t.Bits())
	}
	return other, ""
}

// jsonPath is the struct fields in encoding/json's path, by their names in the
// JSON: without the names of embedded structs, which are Go's and not the
// client's, and without array indices and map keys, which are the client's and
// of any length. It ends after 32 steps: a recursive type lets a client make a
// path as long as the body, and in type tree []tree no step leads out.
func jsonPath(t reflect.Type, field string) string {
	var path []string
	for steps := 0; field != "" && steps < 32; steps++ {
		switch t.Kind() {
		case reflect.Pointer:
			t = t.Elem()
		case reflect.Slice, reflect.Array, reflect.Map:
			if pathsHaveKeys() {
				_, field, _ = strings.Cut(field, ".")
			}
			t = t.Elem()
		case reflect.Struct:
			t, field, path = jsonField(t, field, path)
		default:
			field = "" // below an UnmarshalJSON, which has fields of its own
		}
	}
	if field != "" && path != nil {
		path = append(path, "…")
	}
	return strings.Join(path, ".")
}

// jsonField goes from the struct t to the field that the first of the names in
// field is for, and appends that name to path. It returns the field's type and
// the rest of field, which is "" where t has no such field. A name may have dots
// in it.
func jsonField(t reflect.Type, field string, path []string) (reflect.Type, string, []string) {
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		name := cmp.Or(tag, f.Name)
		if len(field) < len(name) || !strings.EqualFold(field[:len(name)], name) || len(field) > len(name) && field[len(name)] != '.' {
			continue
		}
		if !f.Anonymous || tag != "" {
			path = append(path, name)
		}
		return f.Type, strings.TrimPrefix(field[len(name):], "."), path
	}
	return t, "", path
}

// pathsHaveKeys reports whether encoding/json's paths name array indices and
// map keys, as from Go 1.27 on, or struct fields alone.
var pathsHaveKeys = sync.OnceValue(func() bool {
	var wrong *json.UnmarshalTypeError
	return errors.As(json.Unmarshal([]byte(`[true]`), new([]string)), &wrong) && wrong.Field != ""
})

// refuseBody is the error of Decode. Its text is for the log, and the cause's
// text in it quoted and bounded: it may hold what the client sent.
func refuseBody(status int, cause error, message string) error {
	text := "segue: Decode: " + message
	if cause != nil {
		text += fmt.Sprintf(": %.256q", cause)
	}
	return &statusError{status: status, message: message, text: text, wrapped: cause}
}

// JSON answers with status and value as JSON, encoded as by [json.Marshal], but with
// <, > and & as they are.
//
//	return segue.JSON(w, http.StatusCreated, user)
//
// It sets Content-Type to application/json, which has no charset (RFC 8259, section
// 11), and Content-Length, each in place of what was there. The body has no newline
// at the end and goes out in one Write.
//
// # Errors and panics
//
// The only error is that of a value that cannot be encoded. Its status for [StatusOf]
// is 500, with that status's text. The value is encoded before anything is written, so
// the response is as it was, and a handler under [Try] returns the error. Once the
// answer has begun the result is nil. A client that went away is not an error: nobody
// is left to be told, and the request's context says so to those who ask. A status
// outside 100 to 999 panics, as [http.ResponseWriter]'s WriteHeader does.
//
// # Corner cases
//
// A status without a body sends only its header, and value is ignored: 204, 205 and
// 304 (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5), and 1xx, after which the answer
// is still to come. For a page of HTML that holds JSON use html/template, which
// escapes it. What a type's own MarshalJSON has escaped stays escaped.
//
// # Costs
//
// JSON costs one allocation more than json.Marshal, and those of [Text] for the
// header. It keeps nothing, and is safe for concurrent use on different writers.
func JSON(w http.ResponseWriter, status int, value any) error {
	if bodyless(status) {
		w.WriteHeader(status)
		return nil
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return &statusError{status: http.StatusInternalServerError, text: "segue: JSON: " + err.Error(), wrapped: err}
	}
	body.Truncate(body.Len() - 1) // the Encoder's newline
	writeHeader(w, status, "application/json", body.Len())
	_, _ = w.Write(body.Bytes()) // the answer has begun: see above
	return nil
}

// Text answers with status and text.
//
//	return segue.Text(w, http.StatusOK, "Hello!\n")
//
// It sets Content-Type to text/plain; charset=utf-8 and Content-Length, each in
// place of what was there. A status without a body (204, 205, 304, 1xx) sends only
// its header.
//
// The result is always nil, so that a handler under [Try] can end with it. A client
// that went away is not an error, and nothing else can go wrong. A status outside 100
// to 999 panics, as [http.ResponseWriter]'s WriteHeader does.
//
// # Costs
//
// The body goes out in one call: WriteString up to 2 KB where the writer has it,
// Write otherwise. (A longer WriteString leaves net/http in pieces of 2 to 4 KB, three
// times slower.) The header costs one allocation of 32 bytes, and from a length of 100
// on one more of at most 24. Beyond 2 KB, and at any length where the writer has no
// WriteString, Text copies the text once. It keeps nothing, and is safe for concurrent
// use on different writers.
func Text(w http.ResponseWriter, status int, text string) error {
	if bodyless(status) {
		w.WriteHeader(status)
		return nil
	}
	writeHeader(w, status, "text/plain; charset=utf-8", len(text))
	// The size of the buffer in net/http through which WriteString goes: what
	// fits is copied once, into it, and what does not, piece by piece.
	const shortBody = 2048
	if len(text) <= shortBody {
		_, _ = io.WriteString(w, text)
	} else {
		_, _ = w.Write([]byte(text))
	}
	return nil
}

// bodyless reports whether an answer of this status has no body.
func bodyless(status int) bool {
	return status == http.StatusNoContent || status == http.StatusResetContent || status == http.StatusNotModified ||
		status >= 100 && status < 200
}

// writeHeader begins an answer with a body of length bytes. The header's values
// belong to this answer alone: whoever changes one in place, as middleware may,
// changes no other.
func writeHeader(w http.ResponseWriter, status int, contentType string, length int) {
	header, values := w.Header(), []string{contentType, strconv.Itoa(length)}
	// Capped, so that an append to one does not reach the other.
	header["Content-Type"] = values[0:1:1]
	header["Content-Length"] = values[1:2:2]
	w.WriteHeader(status)
}
