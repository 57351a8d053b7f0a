package segue_test

// These tests are of reply.go: each refusal of Decode with what the client is
// told, its check for names against a slow twin, its answers beside those of
// encoding/json/v2, and what JSON and Text write and cost.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// Decode, JSON and Text, in what they answer, refuse and cost.

// pathsHaveKeys is whether the paths of encoding/json name array indices and map
// keys, as from Go 1.27 on.
var pathsHaveKeys = func() bool {
	var wrong *json.UnmarshalTypeError
	return errors.As(json.Unmarshal([]byte(`[true]`), new([]string)), &wrong) && wrong.Field != ""
}()

type embeddedPart struct {
	Zip string `json:"zip"`
}

// refusing refuses every value with refuseWith.
type refusing struct{}

var refuseWith error

func (*refusing) UnmarshalJSON([]byte) error { return refuseWith }

// decoded has a field of each kind that a message tells apart.
type decoded struct {
	embeddedPart
	Name    string            `json:"name"`
	Small   int8              `json:"small"`
	Count   uint64            `json:"count"`
	Price   float32           `json:"price"`
	Done    bool              `json:"done"`
	Tags    []string          `json:"tags"`
	Data    []byte            `json:"data"`
	Labels  map[string]string `json:"labels"`
	Num     json.Number       `json:"num"`
	Address *struct {
		Zip   string `json:"zip"`
		Lines []struct {
			N int `json:"n"`
		} `json:"lines"`
	} `json:"address"`
	Keyed map[string][]struct {
		N int `json:"n"`
	} `json:"keyed"`
	IP    netip.Addr `json:"ip"`
	At    time.Time  `json:"at"`
	Next  *decoded   `json:"next"`
	Inner *refusing  `json:"inner"`
	Dot   int        `json:"dot.ted"`
	Strin fmt.Stringer
}

func jsonRequest(body string) *http.Request {
	r := httptest.NewRequest("POST", "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

func TestDecode(t *testing.T) {
	for _, contentType := range []string{
		"application/json",
		"Application/JSON",
		"application/json;",
		"application/json; charset=utf-8",
		`application/json;charset="UTF-8"`,
		"application/json; charset=utf8",
		`application/json; charset="utf8";`,
		"application/json; charset=UTF8",
		"application/json; charset='utf-8'",
		"application/json; Charset=Utf-8; charset=Utf-8",
		"application/json; profile=x",
		"application/vnd.api+json",
		"application/problem+json; charset=utf-8",
	} {
		r := jsonRequest(` {"name":"ann","unknown":1,"address":{"zip":"8000"}} ` + "\n")
		r.Header.Set("Content-Type", contentType)
		v, err := segue.Decode[decoded](httptest.NewRecorder(), r)
		require.NoError(t, err, contentType)
		assert.Equal(t, "ann", v.Name)
		assert.Equal(t, "8000", v.Address.Zip)
	}

	numbers, err := segue.Decode[[]int](httptest.NewRecorder(), jsonRequest(`[1,2,3]`), segue.MaxBytes(7))
	require.NoError(t, err, "a body of exactly the limit")
	assert.Equal(t, []int{1, 2, 3}, numbers)

	anything, err := segue.Decode[any](httptest.NewRecorder(), jsonRequest(`null`))
	require.NoError(t, err)
	assert.Nil(t, anything)

	pointer, err := segue.Decode[*decoded](httptest.NewRecorder(), jsonRequest(`{"name":"ann"}`))
	require.NoError(t, err)
	assert.Equal(t, "ann", pointer.Name)

	deep := strings.Repeat("[", 10000) + strings.Repeat("]", 10000)
	_, err = segue.Decode[any](httptest.NewRecorder(), jsonRequest(deep))
	assert.NoError(t, err, "as deep as encoding/json goes")
}

// afterName is an object of a name and what follows.
func afterName(s string) string { return `{"name":"a",` + s + `}` }

// badBodies are bodies for a decoded, each with what a client is told.
var badBodies = []struct {
	name, body string
	status     int
	message    string
}{
	{"empty", "", 400, "the body is empty"},
	{"blank", " \r\n\t", 400, "the body is empty"},
	{"truncated", `{"name":"a`, 400, "the JSON is cut short after 10 bytes"},
	{"truncated after a comma", `{"name":"a",`, 400, "the JSON is cut short after 12 bytes"},
	{"truncated literal", `tru`, 400, "the JSON is cut short after 3 bytes"},
	{"malformed", `{"name":}`, 400, "the JSON is malformed at byte 9"},
	{"not JSON", "name=a", 400, "the JSON is malformed at byte 2"},
	{"gzip", "\x1f\x8b\x08", 400, "the JSON is malformed at byte 1"},
	{"byte order mark alone", "\ufeff", 400, "the body is empty"},
	{"byte order mark, not counted", "\ufeff{]", 400, "the JSON is malformed at byte 2"},
	{"two byte order marks", "\ufeff\ufeff{}", 400, "the JSON is malformed at byte 1"},
	{"single quotes", `{'name':1}`, 400, "the JSON is malformed at byte 2"},
	{"comma at the end", `[1,]`, 400, "the JSON is malformed at byte 4"},
	{"comment", "{} // x", 400, "the JSON value is followed by something else at byte 4"},
	{"two values", `{"name":"a"} {"name":"b"}`, 400, "the JSON value is followed by something else at byte 14"},
	{"two values on lines", "{}\n\n{}", 400, "the JSON value is followed by something else at byte 5"},
	{"trailing bracket", `{}}`, 400, "the JSON value is followed by something else at byte 3"},
	{"trailing NUL", "{}\x00", 400, "the JSON value is followed by something else at byte 3"},
	{"nested too deeply", strings.Repeat("[", 10001) + strings.Repeat("]", 10001), 400, "the JSON is nested too deeply at byte 10001"},
	{"a million brackets", strings.Repeat("[", 1000000), 400, "the JSON is nested too deeply at byte 10001"},
	{"10 MiB", `"` + strings.Repeat("a", 10<<20) + `"`, 413, "the body is larger than 1048576 bytes"},
	{"one byte more", `"` + strings.Repeat("a", 1<<20-1) + `"`, 413, "the body is larger than 1048576 bytes"},

	{"wrong type, whole", `[]`, 400, "expected an object, got an array at byte 1"},
	{"wrong type, string", afterName(`"name":7`), 400, "field name: expected a string, got a number at byte 20"},
	{"wrong type, int", afterName(`"small":"x"`), 400, "field small: expected a whole number, got a string at byte 23"},
	{"out of range", afterName(`"small":300`), 400, "field small: expected a whole number from -128 to 127 at byte 23"},
	{"not whole", afterName(`"small":1.5`), 400, "field small: expected a whole number from -128 to 127 at byte 23"},
	{"negative", afterName(`"count":-1`), 400, "field count: expected a whole number from 0 to 18446744073709551615 at byte 22"},
	{"too large a float", afterName(`"price":1e99`), 400, "field price: expected a number that fits into 32 bits at byte 24"},
	{"a number of 100 KB", afterName(`"small":` + strings.Repeat("9", 100000)), 400, "field small: expected a whole number from -128 to 127 at byte 100020"},
	{"wrong type, bool", afterName(`"done":"yes"`), 400, "field done: expected true or false, got a string at byte 24"},
	{"wrong type, array", afterName(`"tags":{}`), 400, "field tags: expected an array, got an object at byte 20"},
	{"wrong type, element", afterName(`"tags":["a",true]`), 400, "field tags: expected a string, got true or false at byte 28"},
	{"wrong type, bytes", afterName(`"data":7`), 400, "field data: expected a string in base64, got a number at byte 20"},
	{"wrong type, map", afterName(`"labels":7`), 400, "field labels: expected an object, got a number at byte 22"},
	{"wrong type, json.Number", afterName(`"num":true`), 400, "field num: expected a number, got true or false at byte 22"},
	{"wrong type, address", afterName(`"ip":7`), 400, "field ip: expected a string, got a number at byte 18"},
	{"wrong type, interface", afterName(`"Strin":7`), 400, "field Strin: expected another kind of value, got a number at byte 21"},
	{"nested", afterName(`"address":{"zip":8000}`), 400, "field address.zip: expected a string, got a number at byte 33"},
	{"in an array", afterName(`"address":{"lines":[{"n":1},{"n":"x"}]}`), 400, "field address.lines.n: expected a whole number, got a string at byte 48"},
	{"below a key", afterName(`"keyed":{"k":[{"n":"x"}]}`), 400, "field keyed.n: expected a whole number, got a string at byte 34"},
	{"a key that is a number", afterName(`"labels":{"7":7}`), 400, "field labels: expected a string, got a number at byte 27"},
	{"another case", afterName(`"SMALL":"x"`), 400, "field small: expected a whole number, got a string at byte 23"},
	{"embedded", afterName(`"zip":8000`), 400, "field zip: expected a string, got a number at byte 22"},
	{"embedded, nested", afterName(`"next":{"next":{"zip":8000}}`), 400, "field next.next.zip: expected a string, got a number at byte 38"},
	{"a dot in a name", afterName(`"dot.ted":"x"`), 400, "field dot.ted: expected a whole number, got a string at byte 25"},
	{"recursive", strings.Repeat(`{"next":`, 100) + `7` + strings.Repeat("}", 100), 400,
		"field " + strings.Repeat("next.", 16) + "…: expected an object, got a number at byte 801"},

	{"time", afterName(`"at":"tomorrow"`), 400, "a time is not written as in 2006-01-02T15:04:05Z"},
	{"address", afterName(`"ip":"1.2.3"`), 400, "a value in the JSON was not accepted"},
	{"base64", afterName(`"data":"?"`), 400, "a value in the JSON was not accepted"},
}

// messagesByKeys are those of badBodies for which encoding/json has another
// place, or more to say, since its paths have keys.
var messagesByKeys = map[string]string{
	"two byte order marks":    "the JSON is malformed at byte 3",
	"wrong type, json.Number": "expected a number, got true or false",
	"wrong type, interface":   "field Strin: expected another kind of value, got a number at byte 20",
	"base64":                  "field data: expected a string in base64, got a string at byte 22",
}

func TestDecodeRefuses(t *testing.T) {
	for _, tt := range badBodies {
		if message, ok := messagesByKeys[tt.name]; ok && pathsHaveKeys {
			tt.message = message
		}
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			v, err := segue.Decode[decoded](w, jsonRequest(tt.body))
			require.Error(t, err)
			status, message := segue.StatusOf(err)
			assert.Equal(t, tt.status, status)
			assert.Equal(t, tt.message, message)
			assert.Equal(t, decoded{}, v, "the zero value")
			assert.True(t, strings.HasPrefix(err.Error(), "segue: Decode: "+message), err)
			assert.Less(t, len(err.Error()), 500, "what goes into a log is bounded")
			assert.Empty(t, w.Body)
			for _, leak := range []string{"segue.", "decoded", "int8", "Go "} {
				assert.NotContains(t, message, leak)
			}
		})
	}
}

// A key is the client's text: no message has it, and none grows with it.
func TestDecodeKeepsKeysOut(t *testing.T) {
	for _, key := range []string{"hers", "a.b", "name", "n", "keyed", "<b>", "/", "~1", "", ".", strings.Repeat("k", 1<<16)} {
		for _, body := range []string{`{"labels":{%q:7}}`, `{"keyed":{%q:7}}`, `{"keyed":{%q:[{"n":"x"}]}}`, `{"keyed":{%q:[7]}}`} {
			_, err := segue.Decode[decoded](httptest.NewRecorder(), jsonRequest(fmt.Sprintf(body, key)))
			_, message := segue.StatusOf(err)
			assert.Regexp(t, `^field (labels|keyed|keyed\.n): expected [a-z ]+, got a (string|number) at byte \d+$`, message)
		}
	}
}

func TestDecodeContentType(t *testing.T) {
	const (
		send    = `: send "Content-Type: application/json"`
		other   = "the body is not labelled as JSON" + send
		charset = "JSON is sent in UTF-8, without another charset" + send
		missing = "the request has no Content-Type" + send
	)
	for _, tt := range []struct {
		header  []string
		message string
	}{
		{nil, missing},
		{[]string{""}, missing},
		{[]string{"text/plain"}, other},
		{[]string{"text/json"}, other},
		{[]string{"application/x-www-form-urlencoded"}, other},
		{[]string{"multipart/form-data; boundary=x"}, other},
		{[]string{"application/jsonp"}, other},
		{[]string{"application/json-seq"}, other},
		{[]string{"+json"}, other},
		{[]string{"vnd.api+json"}, other},
		{[]string{"application/+json"}, other},
		{[]string{"application/x+json-seq"}, other},
		{[]string{"text/plain; x=application/json"}, other},
		{[]string{"json"}, other},
		{[]string{"application/json, text/plain"}, other},
		{[]string{"application/json; charset"}, other},
		{[]string{"application/json; charset=utf-8; charset=latin1"}, other},
		{[]string{"application/json; charset=latin1"}, charset},
		{[]string{"application/json; charset=utf-16"}, charset},
		{[]string{`application/vnd.api+json; charset="iso-8859-1"`}, charset},
		{[]string{"application/json; charset="}, other},
		{[]string{"application/json", "text/plain"}, "the request has more than one Content-Type" + send},
	} {
		r := jsonRequest(`{}`)
		r.Header["Content-Type"] = tt.header
		_, err := segue.Decode[decoded](httptest.NewRecorder(), r)
		status, message := segue.StatusOf(err)
		assert.Equal(t, http.StatusUnsupportedMediaType, status, tt.header)
		assert.Equal(t, tt.message, message, tt.header)
	}
}

func TestDecodeContentEncoding(t *testing.T) {
	for _, lines := range [][]string{nil, {""}, {"identity"}, {"Identity"}} {
		r := jsonRequest(`{}`)
		r.Header["Content-Encoding"] = lines
		_, err := segue.Decode[decoded](httptest.NewRecorder(), r)
		assert.NoError(t, err, lines)
	}
	for _, tt := range []struct {
		lines  []string
		quoted string
	}{
		{[]string{"gzip"}, `"gzip"`},
		{[]string{"identity, br"}, `"identity, br"`},
		{[]string{"identity", "gzip"}, `"identity, gzip"`},
		{[]string{"a\"b\x80"}, `"a\"b\x80"`},
		{[]string{strings.Repeat("z", 1000)}, `"` + strings.Repeat("z", 64) + `"`},
	} {
		r := jsonRequest("\x1f\x8b\x08")
		r.Header["Content-Encoding"] = tt.lines
		_, err := segue.Decode[decoded](httptest.NewRecorder(), r)
		status, message := segue.StatusOf(err)
		assert.Equal(t, http.StatusUnsupportedMediaType, status)
		assert.Equal(t, "the body has the Content-Encoding "+tt.quoted+": send it without one", message)
	}
}

// An empty body is an io.EOF, or under AllowEmpty the zero value, whatever the
// headers say.
func TestDecodeEmpty(t *testing.T) {
	for _, body := range []io.ReadCloser{
		nil, http.NoBody, io.NopCloser(strings.NewReader("")), io.NopCloser(strings.NewReader(" \r\n\t")),
		io.NopCloser(strings.NewReader("\ufeff ")),
	} {
		r := jsonRequest("")
		r.Body = body
		_, err := segue.Decode[any](httptest.NewRecorder(), r)
		status, message := segue.StatusOf(err)
		assert.Equal(t, 400, status)
		assert.Equal(t, "the body is empty", message)
		assert.ErrorIs(t, err, io.EOF)
	}
	for _, contentType := range []string{"application/json", "text/plain", ""} {
		for _, body := range []string{"", " \n"} {
			r := jsonRequest(body)
			r.Header["Content-Type"] = []string{contentType}
			v, err := segue.Decode[decoded](httptest.NewRecorder(), r, segue.AllowEmpty())
			assert.NoError(t, err, contentType)
			assert.Equal(t, decoded{}, v)
		}
	}

	_, err := segue.Decode[any](httptest.NewRecorder(), jsonRequest("{"), segue.AllowEmpty())
	assert.NotErrorIs(t, err, io.EOF, "half a value is not an empty body")
	r := jsonRequest("{}")
	r.Header.Del("Content-Type")
	_, err = segue.Decode[any](httptest.NewRecorder(), r, segue.AllowEmpty())
	status, _ := segue.StatusOf(err)
	assert.Equal(t, http.StatusUnsupportedMediaType, status, "a body needs its type")
}

func TestDecodeDisallowUnknownFields(t *testing.T) {
	decode := func(body string) error {
		_, err := segue.Decode[decoded](httptest.NewRecorder(), jsonRequest(body), segue.DisallowUnknownFields())
		return err
	}
	assert.NoError(t, decode(` {"name":"ann","zip":"8000","labels":{"any":"name"}} `))
	for _, tt := range []struct{ body, message string }{
		{`{"nam":"ann"}`, `unknown field "nam": correct the name or leave it out`},
		{`{"address":{"city":1}}`, `unknown field "city": correct the name or leave it out`},
		{`{"a\nb\"":1}`, `unknown field "a\nb\"": correct the name or leave it out`},
		{`{"` + strings.Repeat("z", 1000) + `":1}`, `unknown field "` + strings.Repeat("z", 64) + `": correct the name or leave it out`},
		{`{"name":7}`, "field name: expected a string, got a number at byte 9"},
		{` {"name":"a",}`, "the JSON is malformed at byte 14"},
		{`{} {}`, "the JSON value is followed by something else at byte 4"},
		{`{"name":"a","name":"b"}`, "an object has the same name twice, the second time at byte 13"},
	} {
		status, message := segue.StatusOf(decode(tt.body))
		assert.Equal(t, 400, status)
		assert.Equal(t, tt.message, message)
	}
}

func TestDecodeUseNumber(t *testing.T) {
	const body = `{"id":9007199254740993,"all":[1.10]}`
	v, err := segue.Decode[map[string]any](httptest.NewRecorder(), jsonRequest(body), segue.UseNumber(), segue.DisallowUnknownFields())
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"id": json.Number("9007199254740993"), "all": []any{json.Number("1.10")}}, v)

	v, err = segue.Decode[map[string]any](httptest.NewRecorder(), jsonRequest(body))
	require.NoError(t, err)
	assert.Equal(t, 9007199254740992.0, v["id"], "what it is for")
}

// Where encoding/json/v2 answers otherwise than encoding/json: what Decode makes
// of it, and what v2 does.
var besideV2 = []struct {
	name, body string
	want       string // name and any of the value, or the message
	v2         string // the same; "error" for an error
}{
	{"a name twice", `{"name":"a","name":"b"}`, "an object has the same name twice, the second time at byte 13", "error"},
	{"twice, once escaped", `{"name":"a","n\u0061me":"b"}`, "an object has the same name twice, the second time at byte 13", "error"},
	{"twice in what is ignored", `{"x":[{"y":{},"y":{}}]}`, "an object has the same name twice, the second time at byte 15", "error"},
	{"twice in a RawMessage", `{"raw":{"y":1,"y":1}}`, "an object has the same name twice, the second time at byte 15", "error"},
	{"twice in an any", `{"any":{"y":1,"y":1}}`, "an object has the same name twice, the second time at byte 15", "error"},
	{"in two objects", `{"any":[{"y":1},{"y":2}]}`, " [map[y:1] map[y:2]]", " [map[y:1] map[y:2]]"},
	{"twice but for the case, in a map", `{"any":{"y":1,"Y":2}}`, " map[Y:2 y:1]", " map[Y:2 y:1]"},
	{"twice but for the case", `{"name":"a","NAME":"b"}`, "b <nil>", "a <nil>"},
	{"another case", `{"NAME":"b"}`, "b <nil>", " <nil>"},
	{"not UTF-8", "{\"name\":\"\xff\"}", "\ufffd <nil>", "error"},
	{"names that are not UTF-8", "{\"any\":{\"\xff\":1,\"\xfe\":2}}", "an object has the same name twice, the second time at byte 15", "error"},
	{"half a surrogate pair", `{"name":"\ud800"}`, "\ufffd <nil>", "error"},
}

type besideV2Value struct {
	Name string          `json:"name"`
	Raw  json.RawMessage `json:"raw"`
	Any  any             `json:"any"`
}

func TestDecodeBesideV2(t *testing.T) {
	for _, tt := range besideV2 {
		v, err := segue.Decode[besideV2Value](httptest.NewRecorder(), jsonRequest(tt.body))
		got := fmt.Sprint(v.Name, " ", v.Any)
		if err != nil {
			_, got = segue.StatusOf(err)
		}
		assert.Equal(t, tt.want, got, tt.name)
	}
}

// A type may be its own element: the walk over it for the path in a message ends.
type (
	ownElement []ownElement
	ownValue   map[string]ownValue
	OwnEmbed   struct {
		*OwnEmbed
		Next []OwnEmbed `json:"next"`
	}
)

// A type that has other fields than its UnmarshalJSON reads, and one that has none.
type (
	ownStruct struct{ Z int }
	ownText   string
)

// UnmarshalJSON fails with an error that has a path, of fields elsewhere.
func (*ownElement) UnmarshalJSON(data []byte) error { return inner(data) }
func (*ownValue) UnmarshalJSON(data []byte) error   { return inner(data) }
func (*OwnEmbed) UnmarshalJSON(data []byte) error   { return inner(data) }
func (*ownStruct) UnmarshalJSON(data []byte) error  { return inner(data) }
func (*ownText) UnmarshalJSON(data []byte) error    { return inner(data) }

func inner(data []byte) error {
	return json.Unmarshal(data, &struct{ X struct{ Y int } }{})
}

func errorOf[T any](body string) error {
	_, err := segue.Decode[T](httptest.NewRecorder(), jsonRequest(body))
	return err
}

func TestDecodeLimit(t *testing.T) {
	for _, tt := range []struct {
		limit  int64
		body   string
		status int // 200 for no error
		text   string
	}{
		{2, `{}`, 200, "OK"},
		{2, `{} `, 413, "the body is larger than 2 bytes"},
		{0, `{}`, 413, "the body is larger than 0 bytes"},
		{-1, `{}`, 413, "the body is larger than 0 bytes"},
		{0, ``, 400, "the body is empty"},
		{0, ` `, 413, "the body is larger than 0 bytes"},
		{math.MinInt64, `{}`, 413, "the body is larger than 0 bytes"},
		{math.MaxInt64, `{}`, 200, "OK"},
		{4 << 20, `"` + strings.Repeat("a", 3<<20) + `"`, 200, "OK"},
	} {
		for _, length := range []int64{int64(len(tt.body)), -1} {
			r := jsonRequest(tt.body)
			r.ContentLength = length
			_, err := segue.Decode[any](httptest.NewRecorder(), r, segue.MaxBytes(1), segue.MaxBytes(tt.limit))
			status, message := segue.StatusOf(err)
			assert.Equal(t, tt.status, status)
			assert.Equal(t, tt.text, message)
			if status == 413 {
				var tooLarge *http.MaxBytesError
				require.ErrorAs(t, err, &tooLarge)
				assert.Equal(t, max(tt.limit, 0), tooLarge.Limit)
			}
		}
	}
}

// Where Content-Length tells, nothing is read.
func TestDecodeTooLargeUnread(t *testing.T) {
	r := jsonRequest("")
	r.Body = failingBody{strings.NewReader(""), errors.New("read")}
	r.ContentLength = 1<<20 + 1
	_, err := segue.Decode[any](httptest.NewRecorder(), r)
	status, message := segue.StatusOf(err)
	assert.Equal(t, 413, status)
	assert.Equal(t, "the body is larger than 1048576 bytes", message)
}

// A client that asks before it sends is told 413 or 415, and is not asked for
// the body.
func TestDecodeExpectContinue(t *testing.T) {
	server := httptest.NewServer(segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		_, err := segue.Decode[any](replyWrapper{w}, r, segue.MaxBytes(100))
		return err
	}))
	defer server.Close()
	ask := func(headers string) string {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		require.NoError(t, err)
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n%s\r\n", headers)
		require.NoError(t, err)
		if !strings.Contains(headers, "close") {
			answer := make([]byte, 12)
			_, err = io.ReadFull(conn, answer)
			require.NoError(t, err)
			return string(answer)
		}
		answer, err := io.ReadAll(conn)
		require.NoError(t, err)
		return string(answer)
	}
	const isJSON = "Content-Type: application/json\r\n"
	assert.Equal(t, "HTTP/1.1 100", ask(isJSON+"Content-Length: 100\r\n"))
	for status, headers := range map[string]string{
		"413": isJSON + "Content-Length: 101\r\n",
		"415": isJSON + "Content-Encoding: gzip\r\nContent-Length: 5\r\n",
	} {
		answer := ask(headers + "Connection: close\r\n")
		assert.True(t, strings.HasPrefix(answer, "HTTP/1.1 "+status), answer)
		assert.Contains(t, answer, "\r\nConnection: close\r\n")
	}
}

// What a request puts into the error's text is quoted there.
func TestDecodeTextIsQuoted(t *testing.T) {
	refuseWith = errors.New("line one\nline two \x1b[31m" + strings.Repeat("z", 1000))
	err := errorOf[refusing](`{}`)
	assert.Regexp(t, `^segue: Decode: a value in the JSON was not accepted: "line one\\nline two \\x1b\[31mz{233}"$`, err.Error())
}

// What was behind an error is still found.
func TestDecodeUnwrap(t *testing.T) {
	decode := func(body string) error {
		_, err := segue.Decode[decoded](httptest.NewRecorder(), jsonRequest(body), segue.MaxBytes(100))
		return err
	}
	var tooLarge *http.MaxBytesError
	require.ErrorAs(t, decode(strings.Repeat(" ", 101)), &tooLarge)
	assert.EqualValues(t, 100, tooLarge.Limit)

	var syntax *json.SyntaxError
	require.ErrorAs(t, decode(`{"name":}`), &syntax)
	assert.EqualValues(t, 9, syntax.Offset, "the number that the message has")

	var wrong *json.UnmarshalTypeError
	require.ErrorAs(t, decode(`{"name":7}`), &wrong)
	assert.Equal(t, "name", wrong.Field)
}

// A type's own UnmarshalJSON: its text is not for the client, unless it is of
// Errorf.
func TestDecodeUnmarshaler(t *testing.T) {
	secret := errors.New("secret")
	type outer struct {
		Inner refusing `json:"inner"`
	}
	for _, tt := range []struct {
		name    string
		err     error
		status  int
		message string
	}{
		{"foreign", secret, 400, "a value in the JSON was not accepted"},
		{"foreign with a status", &foreignCoded{500, "secret"}, 400, "a value in the JSON was not accepted"},
		{"of Errorf", segue.Errorf(422, "no such colour"), 422, "no such colour"},
		{"of Errorf, wrapped", fmt.Errorf("secret: %w", segue.Errorf(422, "no such colour: %w", secret)), 422, "no such colour"},
		{"made by hand", &json.UnmarshalTypeError{Value: "number"}, 400, "field inner: expected another kind of value, got a number"},
	} {
		if tt.name == "made by hand" && pathsHaveKeys { // which such an error does not get
			tt.message = strings.TrimPrefix(tt.message, "field inner: ")
		}
		t.Run(tt.name, func(t *testing.T) {
			refuseWith = tt.err
			_, err := segue.Decode[outer](httptest.NewRecorder(), jsonRequest(`{"inner":1}`))
			status, message := segue.StatusOf(err)
			assert.Equal(t, tt.status, status)
			assert.Equal(t, tt.message, message)
			assert.ErrorIs(t, err, tt.err)
		})
	}
}

// failingBody gives some bytes and then an error.
type failingBody struct {
	io.Reader
	err error
}

func (b failingBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = b.err
	}
	return n, err
}
func (failingBody) Close() error { return nil }

func TestDecodeReadErrors(t *testing.T) {
	for _, tt := range []struct {
		err     error
		status  int
		message string
	}{
		{io.ErrUnexpectedEOF, 400, "the body was cut short after 5 bytes"},
		{os.ErrDeadlineExceeded, 408, "the body did not arrive in time"},
		{errors.New("secret"), 400, "the body could not be read"},
		{http.ErrBodyReadAfterClose, 400, "the body could not be read"},
	} {
		r := jsonRequest("")
		r.Body = failingBody{strings.NewReader(`[1,2,`), tt.err}
		_, err := segue.Decode[any](httptest.NewRecorder(), r)
		status, message := segue.StatusOf(err)
		assert.Equal(t, tt.status, status)
		assert.Equal(t, tt.message, message)
		assert.ErrorIs(t, err, tt.err)
	}
}

// Over a connection: a client that hangs up half way, one that stalls, and one
// that sends too much, which is answered and then cut off, behind a middleware's
// writer too.
func TestDecodeConnection(t *testing.T) {
	results := make(chan error, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := segue.Decode[any](replyWrapper{w}, r, segue.MaxBytes(100))
		results <- err
		status, message := segue.StatusOf(err)
		_ = segue.Text(w, status, message)
	}))
	server.Config.ReadTimeout = 300 * time.Millisecond
	server.Start()
	defer server.Close()
	send := func(length int, body string) net.Conn {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		require.NoError(t, err)
		_, err = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", length, body)
		require.NoError(t, err)
		return conn
	}
	result := func(wantStatus int, wantMessage string) {
		t.Helper()
		status, message := segue.StatusOf(<-results)
		assert.Equal(t, wantStatus, status)
		assert.Equal(t, wantMessage, message)
	}

	conn := send(50, `{"a":`)
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	result(400, "the body was cut short after 5 bytes")
	conn.Close()

	conn = send(50, `{"a":`)
	result(408, "the body did not arrive in time")
	conn.Close()

	conn = send(1000, strings.Repeat(" ", 1000))
	result(413, "the body is larger than 100 bytes")
	answer, err := io.ReadAll(conn) // ends only if the server closes
	assert.NoError(t, err)
	assert.Contains(t, string(answer), "\r\nConnection: close\r\n")
	conn.Close()
}

// replyWrapper is a middleware's writer: the three methods and Unwrap.
type replyWrapper struct{ http.ResponseWriter }

func (w replyWrapper) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"name":"a","address":{"lines":[{"n":1}]}}`), "application/json")
	f.Add([]byte(`{"next":{"next":{"zip":1}}}`), "application/json")          // wrong type below an embedded struct
	f.Add([]byte(`[{}]]`), "application/vnd.x+json; charset=utf-8")           // one bracket too many
	f.Add([]byte(" "), "application/json;charset=latin1")                     // another charset
	f.Add([]byte(`{"at":"2006-01-02","ip":"::"}`), "application/json")        // refused by an UnmarshalJSON
	f.Add([]byte(`{"small":1e400,"data":"=","num":"x"}`), "application/json") // numbers that are none
	f.Add([]byte("\ufeff\x00\xff"), "")                                       // not text
	f.Add([]byte("\ufeff[{\"a\":1,\"\\u0061\" :{}}]"), "+json")               // a name twice
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		checkDecode[decoded](t, body, contentType)
		checkDecode[any](t, body, contentType)
		checkDecode[[]map[string]int8](t, body, contentType)
		checkDecode[map[int]*struct{ embeddedPart }](t, body, contentType)
	})
}

// checkDecode compares Decode with json.Unmarshal and RepeatsName on the same
// bytes.
func checkDecode[T any](t *testing.T, body []byte, contentType string) {
	refuseWith = errors.New("refused")
	var want T
	value := bytes.TrimPrefix(body, []byte("\ufeff"))
	wantErr := json.Unmarshal(value, &want)
	if wantErr == nil && testkit.RepeatsName(json.NewDecoder(bytes.NewReader(value))) {
		wantErr = errors.New("a name twice")
	}

	r := jsonRequest(string(body))
	got, err := segue.Decode[T](httptest.NewRecorder(), r)
	assert.Equal(t, wantErr == nil, err == nil, "%v, %v", wantErr, err)
	if err == nil {
		assert.Equal(t, want, got)
	} else {
		status, message := segue.StatusOf(err)
		assert.Equal(t, 400, status)
		assert.NotEmpty(t, message)
		assert.Less(t, len(message), 500)
		assert.NotContains(t, message, "embeddedPart")
	}

	strict, err := segue.Decode[T](httptest.NewRecorder(), jsonRequest(string(body)), segue.DisallowUnknownFields())
	if err == nil {
		assert.Equal(t, want, strict)
	} else if wantErr == nil {
		_, message := segue.StatusOf(err)
		assert.Regexp(t, `^unknown field ".*": correct the name or leave it out$`, message)
	}

	r = jsonRequest(string(body))
	r.Header.Set("Content-Type", contentType)
	if _, err = segue.Decode[T](httptest.NewRecorder(), r); err != nil {
		status, _ := segue.StatusOf(err)
		assert.Contains(t, []int{400, 415}, status)
	}
}

func TestJSON(t *testing.T) {
	for _, tt := range []struct {
		value any
		body  string
	}{
		{map[string]int{"b": 2, "a": 1}, `{"a":1,"b":2}`},
		{"<a> & \u2028", `"<a> & \u2028"`},
		{map[string]string{"<": "&"}, `{"<":"&"}`},
		{json.RawMessage(`"<\u003e"`), `"<\u003e"`},
		{"line\n", `"line\n"`},
		{nil, "null"},
		{[]int{}, "[]"},
		{json.RawMessage(`{"a": 1}`), `{"a":1}`},
		{strings.Repeat("a", 3000), `"` + strings.Repeat("a", 3000) + `"`},
	} {
		w := httptest.NewRecorder()
		require.NoError(t, segue.JSON(w, 201, tt.value))
		assert.Equal(t, 201, w.Code)
		assert.Equal(t, tt.body, w.Body.String())
		assert.Equal(t, http.Header{
			"Content-Type":   {"application/json"},
			"Content-Length": {strconv.Itoa(len(tt.body))},
		}, w.Header())
	}
}

// failsToEncode is refused by json.Marshal with an error of ours inside, which
// is not this response's.
type failsToEncode struct{}

func (failsToEncode) MarshalJSON() ([]byte, error) { return nil, segue.Errorf(404, "no user") }

func TestJSONNotEncoded(t *testing.T) {
	cyclic := &decoded{}
	cyclic.Next = cyclic
	for _, value := range []any{make(chan int), math.NaN(), func() {}, failsToEncode{}, cyclic} {
		w := &replyRecorder{header: http.Header{"Content-Type": {"text/html"}}}
		err := segue.JSON(w, 200, value)
		require.Error(t, err)
		status, message := segue.StatusOf(err)
		assert.Equal(t, 500, status)
		assert.Equal(t, "Internal Server Error", message)
		assert.Empty(t, w.calls, "nothing is written")
		assert.Equal(t, http.Header{"Content-Type": {"text/html"}}, w.header)
	}
	var unsupported *json.UnsupportedTypeError
	assert.ErrorAs(t, segue.JSON(httptest.NewRecorder(), 200, make(chan int)), &unsupported)
}

func TestText(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 99, 100, 999, 1000, 2047, 2048, 2049, 9999, 10000, 1 << 20} {
		text := strings.Repeat("ä", n)[:n]
		w := httptest.NewRecorder()
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", "17")
		require.NoError(t, segue.Text(w, 404, text))
		assert.Equal(t, 404, w.Code)
		assert.Equal(t, text, w.Body.String())
		assert.Equal(t, http.Header{
			"Content-Type":   {"text/plain; charset=utf-8"},
			"Content-Length": {strconv.Itoa(n)},
		}, w.Header())
	}
}

// replyRecorder notes the calls that it gets; with err its writes fail.
type replyRecorder struct {
	header http.Header
	calls  []string
	err    error
}

func (w *replyRecorder) Header() http.Header    { return w.header }
func (w *replyRecorder) WriteHeader(status int) { w.calls = append(w.calls, fmt.Sprint(status)) }
func (w *replyRecorder) Write(p []byte) (int, error) {
	w.calls = append(w.calls, fmt.Sprintf("Write %d", len(p)))
	return len(p), w.err
}

// replyStringRecorder is a replyRecorder with WriteString.
type replyStringRecorder struct{ replyRecorder }

func (w *replyStringRecorder) WriteString(s string) (int, error) {
	w.calls = append(w.calls, fmt.Sprintf("WriteString %d", len(s)))
	return len(s), w.err
}

// Each answer is one call for the header and one for the body, and a client
// that went away is no error.
func TestReplyCalls(t *testing.T) {
	short, long := strings.Repeat("a", 2048), strings.Repeat("a", 2049)
	for _, failure := range []error{nil, io.ErrClosedPipe} {
		plain := &replyRecorder{header: http.Header{}, err: failure}
		assert.NoError(t, segue.Text(plain, 200, short))
		assert.NoError(t, segue.Text(plain, 201, long))
		assert.NoError(t, segue.JSON(plain, 202, long))
		assert.Equal(t, []string{"200", "Write 2048", "201", "Write 2049", "202", "Write 2051"}, plain.calls)

		with := &replyStringRecorder{replyRecorder{header: http.Header{}, err: failure}}
		assert.NoError(t, segue.Text(with, 200, short))
		assert.NoError(t, segue.Text(with, 201, long))
		assert.NoError(t, segue.JSON(with, 202, ""))
		assert.Equal(t, []string{"200", "WriteString 2048", "201", "Write 2049", "202", "Write 2"}, with.calls)
	}
}

func TestReplyBodyless(t *testing.T) {
	for _, status := range []int{100, 103, 199, 204, 205, 304} {
		w := &replyRecorder{header: http.Header{}}
		assert.NoError(t, segue.JSON(w, status, make(chan int)))
		assert.NoError(t, segue.Text(w, status, "text"))
		assert.Equal(t, []string{fmt.Sprint(status), fmt.Sprint(status)}, w.calls)
		assert.Empty(t, w.header)
	}
	for _, status := range []int{0, 99, 1000, -1} {
		assert.Panics(t, func() { _ = segue.Text(httptest.NewRecorder(), status, "") })
		assert.Panics(t, func() { _ = segue.JSON(httptest.NewRecorder(), status, "") })
	}
}

// On net/http: statuses without a body, HEAD, and the answer after a 103.
func TestReplyServed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(r.URL.Path[1:])
		assert.NoError(t, err)
		assert.NoError(t, segue.Text(w, status, "text"))
		if status < 200 {
			assert.NoError(t, segue.JSON(w, 200, "then"))
		}
	}))
	defer server.Close()
	for _, tt := range []struct {
		method string
		path   string
		status int
		length string
		body   string
	}{
		{"GET", "/200", 200, "4", "text"},
		{"HEAD", "/200", 200, "4", ""},
		{"GET", "/404", 404, "4", "text"},
		{"GET", "/204", 204, "", ""},
		{"GET", "/205", 205, "0", ""},
		{"GET", "/304", 304, "", ""},
		{"GET", "/103", 200, "6", `"then"`},
	} {
		r, err := http.NewRequest(tt.method, server.URL+tt.path, nil)
		require.NoError(t, err)
		resp, err := server.Client().Do(r)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, tt.status, resp.StatusCode, tt.path)
		assert.Equal(t, tt.length, resp.Header.Get("Content-Length"), tt.path)
		assert.Equal(t, tt.body, string(body), tt.path)
	}
}

// Nothing of one response reaches another: a header changed in place, or
// appended to, is that response's alone.
func TestReplyHeadersApart(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			var kept []http.Header
			for i := range 100 {
				w := httptest.NewRecorder()
				assert.NoError(t, segue.Text(w, 200, "text"))
				h := w.Header()
				assert.Equal(t, []string{"text/plain; charset=utf-8"}, h["Content-Type"])
				assert.Equal(t, []string{"4"}, h["Content-Length"])
				mine := fmt.Sprintf("%d/%d", g, i)
				h["Content-Type"][0], h["Content-Length"][0] = mine, mine
				_ = append(h["Content-Type"], "appended")
				_ = append(h["Content-Length"], "appended")
				kept = append(kept, h)
			}
			for i, h := range kept {
				mine := []string{fmt.Sprintf("%d/%d", g, i)}
				assert.Equal(t, mine, h["Content-Type"])
				assert.Equal(t, mine, h["Content-Length"])
			}
		})
	}
	wg.Wait()
}

// countingListener counts the Write calls on the connections that it accepts.
type countingListener struct {
	net.Listener
	writes *atomic.Int64
}

func (l countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return countingConn{conn, l.writes}, err
}

// countingConn hides ReadFrom, so that every byte passes through Write.
type countingConn struct {
	net.Conn
	writes *atomic.Int64
}

func (c countingConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// A body of 100 KB leaves in few system calls.
func TestReplyWriteCalls(t *testing.T) {
	text := strings.Repeat("a", 100<<10)
	for _, tt := range []struct {
		name     string
		handler  func(w http.ResponseWriter)
		from, to int64
	}{
		{"Text", func(w http.ResponseWriter) { _ = segue.Text(w, 200, text) }, 2, 3},
		{"JSON", func(w http.ResponseWriter) { _ = segue.JSON(w, 200, text) }, 2, 3},
		{"Text of 2 KB", func(w http.ResponseWriter) { _ = segue.Text(w, 200, text[:2048]) }, 1, 1},
		{"io.WriteString, which this is not", func(w http.ResponseWriter) { _, _ = io.WriteString(w, text) }, 20, 60},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var writes atomic.Int64
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { tt.handler(w) }))
			server.Listener = countingListener{server.Listener, &writes}
			server.Start()
			resp, err := server.Client().Get(server.URL)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, resp.Body)
			require.NoError(t, err)
			resp.Body.Close()
			server.Close() // the connection is done before the count is read
			t.Logf("%d write calls", writes.Load())
			assert.GreaterOrEqual(t, writes.Load(), tt.from)
			assert.LessOrEqual(t, writes.Load(), tt.to)
		})
	}
}

// nullWriter is a response that goes nowhere, with net/http's WriteString.
type nullWriter struct{ header http.Header }

func (w *nullWriter) Header() http.Header                  { return w.header }
func (w *nullWriter) WriteHeader(int)                      {}
func (w *nullWriter) Write(p []byte) (int, error)          { return len(p), nil }
func (w *nullWriter) WriteString(text string) (int, error) { return len(text), nil }

type replyPoint struct {
	X    int      `json:"x"`
	Y    int      `json:"y"`
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}

var examplePoint = &replyPoint{1, 2, "here", []string{"a", "b"}}

// Allocations of each answer and of reading a body, the work of encoding/json
// and of the request beside them.
func TestReplyAllocs(t *testing.T) {
	testkit.SkipUnderRace(t)
	text := strings.Repeat("a", 100<<10)
	w := &nullWriter{http.Header{}}
	plain := &struct{ http.ResponseWriter }{w} // no WriteString
	body := []byte(`{"x":1,"y":2,"name":"here","tags":["a","b"]}`)
	reader := bytes.NewReader(nil)
	r := jsonRequest("")
	r.Body = io.NopCloser(reader)
	r.ContentLength = int64(len(body))
	// 9 on 64 bits, 8 on 32: encoding/json's own affair.
	unmarshal := testkit.AllocsPerRun(100, func() { var p replyPoint; _ = json.Unmarshal(body, &p) })
	marshal := testkit.AllocsPerRun(100, func() { _, _ = json.Marshal(text) })
	encoder := 1.0 // more than Marshal: the buffer
	if pathsHaveKeys {
		encoder = 2 // and itself, from Go 1.27 on
	}
	for _, tt := range []struct {
		name string
		want float64
		f    func()
	}{
		{"Text: the header", 1, func() { _ = segue.Text(w, 200, "hello") }},
		{"Text of 2 KB: the header and the length", 2, func() { _ = segue.Text(w, 200, text[:2048]) }},
		{"Text, no WriteString: the copy too", 2, func() { _ = segue.Text(plain, 200, "hello") }},
		{"Text beyond 2 KB: the copy too", 3, func() { _ = segue.Text(w, 200, text) }},
		{"json.Marshal", 1, func() { _, _ = json.Marshal(examplePoint) }},
		{"JSON: what an Encoder takes, and the header", 1 + encoder + 1, func() { _ = segue.JSON(w, 200, examplePoint) }},
		{"JSON of 100 KB: the length too", marshal + encoder + 2, func() { _ = segue.JSON(w, 200, text) }},
		{"Decode: what Unmarshal takes, the body twice and the limit", unmarshal + 3, func() { reader.Reset(body); _, _ = segue.Decode[replyPoint](w, r) }},
	} {
		assert.Equal(t, tt.want, testkit.AllocsPerRun(100, tt.f), tt.name)
	}
}

// BenchmarkReply compares Text and JSON with the same answer by hand, to a
// writer that drops bytes; the header map is kept from one round to the next.
//
//	go test -run '^$' -bench Reply -count 6
func BenchmarkReply(b *testing.B) {
	text := strings.Repeat("a", 100<<10)
	large := make([]*replyPoint, 200)
	for i := range large {
		large[i] = examplePoint
	}
	for _, bb := range []struct {
		name string
		f    func(w http.ResponseWriter)
	}{
		{"kind=text/by=segue", func(w http.ResponseWriter) { _ = segue.Text(w, 200, "hello, world") }},
		{"kind=text/by=hand", func(w http.ResponseWriter) { textByHand(w, 200, "hello, world") }},
		{"kind=text2KB/by=segue", func(w http.ResponseWriter) { _ = segue.Text(w, 200, text[:2048]) }},
		{"kind=text2KB/by=hand", func(w http.ResponseWriter) { textByHand(w, 200, text[:2048]) }},
		{"kind=text100KB/by=segue", func(w http.ResponseWriter) { _ = segue.Text(w, 200, text) }},
		{"kind=text100KB/by=hand", func(w http.ResponseWriter) { textByHand(w, 200, text) }},
		{"kind=json/by=segue", func(w http.ResponseWriter) { _ = segue.JSON(w, 200, examplePoint) }},
		{"kind=json/by=hand", func(w http.ResponseWriter) { jsonByHand(w, 200, examplePoint) }},
		{"kind=json10KB/by=segue", func(w http.ResponseWriter) { _ = segue.JSON(w, 200, large) }},
		{"kind=json10KB/by=hand", func(w http.ResponseWriter) { jsonByHand(w, 200, large) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			w := &nullWriter{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				bb.f(w)
			}
		})
	}
}

// BenchmarkDecode compares Decode with reading and json.Unmarshal by hand.
func BenchmarkDecode(b *testing.B) {
	body := []byte(`{"x":1,"y":2,"name":"here","tags":["a","b"]}`)
	reader := bytes.NewReader(nil)
	r := jsonRequest("")
	r.Body = io.NopCloser(reader)
	r.ContentLength = int64(len(body))
	w := &nullWriter{http.Header{}}
	for _, bb := range []struct {
		name string
		f    func() (replyPoint, error)
	}{
		{"by=segue", func() (replyPoint, error) { return segue.Decode[replyPoint](w, r) }},
		{"by=hand", func() (p replyPoint, err error) {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
			if err == nil {
				err = json.Unmarshal(body, &p)
			}
			return p, err
		}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				reader.Reset(body)
				if _, err := bb.f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func textByHand(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

func jsonByHand(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func TestDecodeTypeWithinItself(t *testing.T) {
	const body = `{"x":{"y":"z"}}`
	for name, err := range map[string]error{
		"element":          errorOf[ownElement](body),
		"value":            errorOf[ownValue](body),
		"embedded":         errorOf[OwnEmbed](body),
		"element, pointed": errorOf[*[]*ownElement](`[` + body + `]`),
		"below a field":    errorOf[struct{ A struct{ B ownElement } }](`{"a":{"b":` + body + `}}`),
	} {
		status, message := segue.StatusOf(err)
		assert.Equal(t, 400, status)
		assert.Regexp(t, `^(field [aA]\.[bB](\.…)?: )?expected a whole number, got a string( at byte \d+)?$`, message, name)
	}
}

// Where encoding/json names a field that a type's own UnmarshalJSON has come to, the
// path ends above it.
func TestDecodePathEndsAtOwnFields(t *testing.T) {
	const body = `{"A":{"x":{"y":"z"}}}`
	for _, err := range []error{errorOf[struct{ A ownStruct }](body), errorOf[struct{ A ownText }](body)} {
		var wrong *json.UnmarshalTypeError
		require.ErrorAs(t, err, &wrong)
		want := "expected a whole number, got a string"
		if strings.HasPrefix(wrong.Field, "A.") {
			want = "field A: " + want
		}
		_, message := segue.StatusOf(err)
		assert.True(t, strings.HasPrefix(message, want), "%s: %s", wrong.Field, message)
	}
}

// Integers of 64 bits are whole numbers too, and an escaped quote ends no name.
func TestDecodeTextsOfWholeNumbersAndEscapes(t *testing.T) {
	for want, err := range map[string]error{
		"from -9223372036854775808 to 9223372036854775807": errorOf[int64](`99999999999999999999`),
		"the same name twice":                              errorOf[any](`{"a\"b":1,"a\"b":2}`),
	} {
		assert.ErrorContains(t, err, want)
	}
	for _, err := range []error{errorOf[uint](`-1`), errorOf[uintptr](`-1`)} {
		assert.ErrorContains(t, err, fmt.Sprint("a whole number from 0 to ", uint(math.MaxUint)))
	}
	for _, body := range []string{`{"a\"":1,"a\\":2}`, `{"a":"\",\"a\":\"","b":"\\"}`, `["\"{\"",{"a":1},{"a":2}]`} {
		assert.NoError(t, errorOf[any](body), body)
	}
	assert.ErrorContains(t, errorOf[any](`{"x":"\\","x":"\""}`), "the same name twice")
}
