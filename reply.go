package segue

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
)

// defaultBodyLimit is how much Decode reads where the caller names no limit.
const defaultBodyLimit = 1 << 20

// Decode reads the request's body as one JSON value of type T, as
// [json.Unmarshal] does: unknown fields are ignored, missing ones stay zero.
//
//	user, err := segue.Decode[User](w, r)         // at most 1 MiB
//	batch, err := segue.Decode[[]Item](w, r, 8<<20)
//
// The first limit counts, in bytes; one of 0 or less admits no body at all. On
// an error the value is the zero T, and nothing has been written: a handler
// under [Try] returns the error as it is. Each error has its status and a
// message for the client, which [StatusOf] gives:
//
//	415  Content-Type is neither application/json nor of a subtype ending in
//	     +json, is missing, or names a charset other than utf-8. The message
//	     says which header to send (RFC 8259, section 11; RFC 6839, section 3.1).
//	413  the body is larger than the limit. The connection is closed after the
//	     answer, as by [http.MaxBytesReader].
//	400  the body is empty, malformed, cut short, nested too deeply (beyond
//	     encoding/json's 10,000) or followed by something else. The message has
//	     the place, in bytes from 1.
//	400  a value has the wrong type. The message has the field's path in the
//	     names of the JSON, without array indices and map keys, what was
//	     expected, and the place, each where encoding/json tells it: "field
//	     address.zip: expected a string, got a number at byte 31".
//	400  a type's own UnmarshalJSON or UnmarshalText refused a value. Its text
//	     stays out of the message, as any foreign text does; if it returns an
//	     error of [Errorf], that one's status and message count.
//	408  the body did not arrive before the server's ReadTimeout.
//
// The place is encoding/json's Offset; below a type that has an UnmarshalJSON
// of its own and calls encoding/json in it, it counts from where that value
// begins. [errors.As] still finds what was behind: *[http.MaxBytesError],
// *[json.SyntaxError], *[json.UnmarshalTypeError], or the error of an
// UnmarshalJSON. A panic in one of those passes through.
//
// The body is read into memory whole, in as many allocations as io.ReadAll and
// json.Unmarshal take by hand for a small body, and fewer for a large one with a
// Content-Length. Memory grows with what arrives, not with what Content-Length
// claims. Decode keeps nothing after it returns, and is safe for concurrent use
// on different requests.
func Decode[T any](w http.ResponseWriter, r *http.Request, limit ...int64) (T, error) {
	var value, zero T
	most := int64(defaultBodyLimit)
	if len(limit) > 0 {
		most = limit[0]
	}
	body, err := readJSON(w, r, most)
	if err != nil {
		return zero, err
	}
	if err := json.Unmarshal(body, &value); err != nil {
		return zero, decodeError(err, body, reflect.TypeFor[T]())
	}
	return value, nil
}

// readJSON reads a body that says it is JSON.
func readJSON(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if problem := checkJSONType(r.Header["Content-Type"]); problem != "" {
		return nil, refuseBody(http.StatusUnsupportedMediaType, nil, problem+`: send "Content-Type: application/json"`)
	}
	if r.Body == nil {
		return nil, nil // a request made by hand; for the decoder an empty body
	}

	// The first allocation follows Content-Length only so far: a client that
	// promises a megabyte and sends nothing must not cost one.
	var body bytes.Buffer
	if n := min(r.ContentLength, limit, 64<<10); n > 0 {
		body.Grow(int(n) + bytes.MinRead)
	}
	_, err := body.ReadFrom(http.MaxBytesReader(innermostWriter(w), r.Body, limit))
	if err != nil {
		return nil, readError(err, body.Len())
	}
	return body.Bytes(), nil
}

// checkJSONType returns what is wrong with a Content-Type, "" if it is JSON.
func checkJSONType(lines []string) string {
	if len(lines) == 0 || lines[0] == "" {
		return "the request has no Content-Type"
	}
	if len(lines) > 1 {
		return "the request has more than one Content-Type"
	}
	if lines[0] == "application/json" {
		return ""
	}
	mediaType, params, err := mime.ParseMediaType(lines[0])
	if err != nil || mediaType != "application/json" && !strings.HasSuffix(mediaType, "+json") {
		return "the body is not labelled as JSON"
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return "JSON is sent in UTF-8, without another charset"
	}
	return ""
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
func readError(err error, n int) error {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return refuseBody(http.StatusRequestEntityTooLarge, err,
			fmt.Sprintf("the body is larger than %d bytes", max(tooLarge.Limit, 0)))
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuseBody(http.StatusRequestTimeout, err, "the body did not arrive in time")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return refuseBody(http.StatusBadRequest, err, fmt.Sprintf("the body was cut short after %d bytes", n))
	}
	return refuseBody(http.StatusBadRequest, err, "the body could not be read")
}

// decodeError says what json.Unmarshal did not like about body.
func decodeError(err error, body []byte, into reflect.Type) error {
	if !json.Valid(body) {
		return refuseBody(http.StatusBadRequest, err, malformedAt(body))
	}
	if status, message, ok := ownStatus(err); ok {
		status, message = answerable(status, message)
		return refuseBody(status, err, message)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return refuseBody(http.StatusBadRequest, err, wrongType(wrong, into))
	}
	if _, ok := errors.AsType[*time.ParseError](err); ok {
		return refuseBody(http.StatusBadRequest, err, "a time is not written as in 2006-01-02T15:04:05Z")
	}
	return refuseBody(http.StatusBadRequest, err, "a value in the JSON was not accepted")
}

// malformedAt says where body stops to be JSON. A Decoder tells what Unmarshal
// has only one error for: nothing there, half a value, and one value too many.
func malformedAt(body []byte) string {
	var first json.RawMessage
	decoder := json.NewDecoder(bytes.NewReader(body))
	err := decoder.Decode(&first)
	syntax, isSyntax := errors.AsType[*json.SyntaxError](err)
	switch {
	case err == nil:
		rest := body[decoder.InputOffset():]
		at := len(body) - len(bytes.TrimLeft(rest, " \t\r\n")) + 1
		return fmt.Sprintf("the JSON value is followed by something else at byte %d", at)
	case err == io.EOF:
		return "the body is empty"
	case !isSyntax:
		return fmt.Sprintf("the JSON is cut short after %d bytes", len(body))
	case strings.Contains(syntax.Error(), "max depth"):
		return fmt.Sprintf("the JSON is nested too deeply at byte %d", syntax.Offset)
	}
	return fmt.Sprintf("the JSON is malformed at byte %d", syntax.Offset)
}

// wrongType says which field was wrong, what belongs there and what came.
func wrongType(wrong *json.UnmarshalTypeError, into reflect.Type) string {
	var message strings.Builder
	if path := jsonPath(into, wrong.Field); path != "" {
		message.WriteString("field " + path + ": ")
	}
	wanted, bounds := expectedJSON(wrong.Type)
	message.WriteString("expected " + wanted)
	// Behind the first word Value has the number as sent, of any length.
	if got, _, _ := strings.Cut(wrong.Value, " "); got == "number" && bounds != "" {
		message.WriteString(bounds)
	} else {
		message.WriteString(", got " + withArticle(got))
	}
	if wrong.Offset > 0 {
		fmt.Fprintf(&message, " at byte %d", wrong.Offset)
	}
	return message.String()
}

// withArticle names what a client sent, given encoding/json's word for it.
func withArticle(got string) string {
	switch got {
	case "bool":
		return "true or false"
	case "array", "object":
		return "an " + got
	}
	return "a " + got
}

// expectedJSON returns the JSON that t is decoded from, in a client's words, and for
// a number what it has to fit into.
func expectedJSON(t reflect.Type) (wanted, bounds string) {
	switch {
	case t == nil: // by an UnmarshalJSON that made the error itself
		return "another kind of value", ""
	case t == reflect.TypeFor[json.Number]():
		return "a number", ""
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return "a string", ""
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return "a string in base64", ""
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false", ""
	case reflect.String:
		return "a string", ""
	case reflect.Struct, reflect.Map:
		return "an object", ""
	case reflect.Slice, reflect.Array:
		return "an array", ""
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		most := int64(1)<<(t.Bits()-1) - 1
		return "a whole number", fmt.Sprintf(" from %d to %d", -most-1, most)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return "a whole number", fmt.Sprintf(" from 0 to %d", ^uint64(0)>>(64-t.Bits()))
	case reflect.Float32, reflect.Float64:
		return "a number", fmt.Sprintf(" that fits into %d bits", t.Bits())
	}
	return "another kind of value", ""
}

// jsonPath is the struct fields in encoding/json's path, by their names in the
// JSON: without the names of embedded structs, which are Go's and not the
// client's, and without array indices and map keys, which are the client's and
// of any length. It is cut where a recursive type would let a client make it as
// long as the body.
func jsonPath(t reflect.Type, field string) string {
	const longest = 16
	var path []string
	for rest := field; rest != "" && t != nil; {
		if len(path) == longest {
			path = append(path, "…")
			break
		}
		var name string
		t, name, rest = jsonStep(t, rest)
		if name != "" {
			path = append(path, name)
		}
	}
	return strings.Join(path, ".")
}

// jsonStep goes one step down from a value of type t by the first of the names
// in path. It returns what is there, the name to show, "" for none, and what is
// left of path. A nil type means that the path leads elsewhere.
func jsonStep(t reflect.Type, path string) (to reflect.Type, name, rest string) {
	switch t.Kind() {
	case reflect.Pointer:
		return t.Elem(), "", path
	case reflect.Slice, reflect.Array, reflect.Map:
		if pathsHaveKeys() {
			_, path, _ = strings.Cut(path, ".")
		}
		return t.Elem(), "", path
	case reflect.Struct:
		return jsonField(t, path)
	}
	return nil, "", ""
}

// jsonField is jsonStep for a struct. A name may have dots in it.
func jsonField(t reflect.Type, path string) (to reflect.Type, name, rest string) {
	for _, equal := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, field := range reflect.VisibleFields(t) {
			tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			name := cmp.Or(tag, field.Name)
			if len(path) < len(name) || !equal(path[:len(name)], name) || len(path) > len(name) && path[len(name)] != '.' {
				continue
			}
			rest := strings.TrimPrefix(path[len(name):], ".")
			if field.Anonymous && tag == "" {
				name = ""
			}
			return field.Type, name, rest
		}
	}
	return nil, "", ""
}

// pathsHaveKeys reports whether encoding/json's paths name array indices and
// map keys, as from Go 1.27 on, or struct fields alone.
var pathsHaveKeys = sync.OnceValue(func() bool {
	var wrong *json.UnmarshalTypeError
	return errors.As(json.Unmarshal([]byte(`[true]`), new([]string)), &wrong) && wrong.Field != ""
})

// refuseBody is the error of Decode. Its text is for the log, and of bounded length:
// encoding/json's has a wrong number as sent.
func refuseBody(status int, cause error, message string) error {
	text := "segue: Decode: " + message
	if cause != nil {
		detail := fmt.Sprint(cause)
		if len(detail) > 256 {
			detail = strings.ToValidUTF8(detail[:256], "") + "…"
		}
		text += ": " + detail
	}
	return &statusError{status: status, message: message, text: text, wrapped: cause}
}

// JSON answers with status and value as JSON, encoded as by [json.Marshal]:
// HTML characters escaped, no newline at the end. It sets Content-Type to
// application/json, which has no charset (RFC 8259, section 11), and
// Content-Length, each in place of what was there, and sends the body in one
// Write.
//
// The value is encoded before anything is written. One that cannot be encoded
// is the only error, with status 500 and that status's text for [StatusOf], and
// the response is as it was: a handler under [Try] returns it. Once the answer
// has begun the result is nil. A client that went away is not an error, since
// nobody is left to be told; the request's context says so to those who ask.
//
// A status without a body sends its header alone, and value is not looked at:
// 204, 205 and 304 (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5), and 1xx,
// after which the answer is still to come. A status outside 100 to 999 panics,
// as [http.ResponseWriter]'s WriteHeader does.
//
// JSON costs json.Marshal's allocations and, from a length of 2,049 on, one for
// Content-Length; the header's values are as for [Text]. It keeps nothing, and is safe for concurrent use on different
// writers.
func JSON(w http.ResponseWriter, status int, value any) error {
	if bodyless(status) {
		w.WriteHeader(status)
		return nil
	}
	body, err := json.Marshal(value)
	if err != nil {
		return &statusError{
			status:  http.StatusInternalServerError,
			message: http.StatusText(http.StatusInternalServerError),
			text:    "segue: JSON: " + err.Error(),
			wrapped: err,
		}
	}
	setBodyHeader(w.Header(), "application/json", len(body))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the answer has begun: see above
	return nil
}

// Text answers with status and text. It sets Content-Type to
// text/plain; charset=utf-8 and Content-Length, each in place of what was
// there, and sends the body in one call: WriteString up to 2 KB where the writer
// has it, Write otherwise. (A longer WriteString leaves net/http in pieces of 2
// to 4 KB, three times slower.)
//
// The result is always nil, so that a handler under [Try] can end with it. A
// client that went away is not an error, and nothing else can go wrong. A
// status without a body (204, 205, 304, 1xx) sends its header alone; one outside
// 100 to 999 panics, as [http.ResponseWriter]'s WriteHeader does.
//
// Up to 2 KB, Text has no allocation of its own on net/http's writers; beyond, it
// has two, a copy of text and the digits of Content-Length. A writer without a
// WriteString method costs the copy at any length. The two header values are cut from
// blocks of memory and belong to this response alone: whoever changes them in
// place, as middleware may, changes no other. They come to 32 bytes a response,
// an allocation of 1 KB every 31. Text keeps nothing, and is safe for concurrent use on
// different writers.
func Text(w http.ResponseWriter, status int, text string) error {
	if bodyless(status) {
		w.WriteHeader(status)
		return nil
	}
	setBodyHeader(w.Header(), "text/plain; charset=utf-8", len(text))
	w.WriteHeader(status)
	if len(text) <= shortBody {
		if sw, ok := w.(io.StringWriter); ok {
			_, _ = sw.WriteString(text)
			return nil
		}
	}
	_, _ = w.Write([]byte(text))
	return nil
}

// shortBody is the size of the buffer in net/http through which WriteString
// goes: what fits is copied once, into it, and what does not, piece by piece.
const shortBody = 2048

// bodyless reports whether an answer of this status has no body.
func bodyless(status int) bool {
	return status == http.StatusNoContent || status == http.StatusResetContent || status == http.StatusNotModified ||
		status >= 100 && status < 200
}

// setBodyHeader labels a body of length bytes.
func setBodyHeader(h http.Header, contentType string, length int) {
	cells := headerCells()
	cells[0], cells[1] = contentType, lengthText(length)
	// Capped, so that an append to one cannot reach its neighbour.
	h["Content-Type"] = cells[0:1:1]
	h["Content-Length"] = cells[1:2:2]
}

// A cellBlock is memory for the header values of some responses.
//
// A header's value is a slice, and a slice is an allocation, two for each
// response. Slices shared by all responses would cost nothing, but a header may
// be changed in place by whoever holds it, and would then change for everybody.
// So the slices are cut from blocks. A cell that has been cut is never used
// again; only a block's unused rest is kept for the next response, one block
// for each P, without a counter that all cores write to.
type cellBlock struct {
	used  int
	cells [62]string // with used, 1,000 bytes: within one of the runtime's sizes
}

var cellBlocks = sync.Pool{New: func() any { return new(cellBlock) }}

// headerCells returns two cells that nobody else has.
func headerCells() []string {
	block := cellBlocks.Get().(*cellBlock)
	i := block.used
	block.used += 2
	if block.used < len(block.cells) {
		cellBlocks.Put(block)
	}
	return block.cells[i : i+2 : i+2]
}

// lengthDigits holds the numbers from 0 to shortBody in four digits each.
var lengthDigits = func() string {
	digits := make([]byte, 0, 4*(shortBody+1))
	for n := range shortBody + 1 {
		digits = append(digits, byte('0'+n/1000), byte('0'+n/100%10), byte('0'+n/10%10), byte('0'+n%10))
	}
	return string(digits)
}()

// lengthText returns n in digits, without an allocation for a short body.
func lengthText(n int) string {
	if n > shortBody {
		return strconv.Itoa(n)
	}
	digits := lengthDigits[4*n : 4*n+4]
	for len(digits) > 1 && digits[0] == '0' {
		digits = digits[1:]
	}
	return digits
}
