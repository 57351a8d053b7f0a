package segue_test

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
)

// Parameters as values of a type, in the path and in the query.

// A typedRow is a text with what it is as a T; with a reason it is none.
type typedRow[T any] struct {
	text   string
	want   T
	reason string
}

// askAs asks for a text as a T in the path and in the query.
func askAs[T any](t *testing.T, text string) (path, query T, pathErr, queryErr error) {
	router := segue.New()
	router.GET("/{n}", func(w http.ResponseWriter, r *http.Request) {
		path, pathErr = segue.ParamAs[T](r, "n")
		query, queryErr = segue.QueryAs[T](r, "n", path)
	})
	w := httptest.NewRecorder()
	u := &url.URL{Path: "/" + text, RawQuery: url.Values{"n": {text}}.Encode()}
	router.ServeHTTP(w, &http.Request{Method: "GET", URL: u})
	require.Equal(t, 200, w.Code, text)
	return path, query, pathErr, queryErr
}

// testTyped holds rows to ParamAs and QueryAs.
func testTyped[T comparable](t *testing.T, rows ...typedRow[T]) {
	t.Helper()
	for _, row := range rows {
		path, query, pathErr, queryErr := askAs[T](t, row.text)
		assert.Equal(t, row.want, path, "%q as a %T in the path", row.text, row.want)
		assert.Equal(t, row.want, query, "%q as a %T in the query", row.text, row.want)
		for place, err := range map[string]error{"path": pathErr, "query": queryErr} {
			if row.reason == "" {
				assert.NoError(t, err, "%q as a %T in the %s", row.text, row.want, place)
				continue
			}
			var wrong *segue.ParamError
			require.True(t, errors.As(err, &wrong), "%q as a %T in the %s", row.text, row.want, place)
			assert.Equal(t, []string{"n", row.text, row.reason}, []string{wrong.Name, wrong.Value, wrong.Reason})
			assert.Equal(t, fmt.Sprintf("%s parameter n: %q %s", place, row.text, row.reason), err.Error())
			assert.Error(t, errors.Unwrap(err))
			status, message := segue.StatusOf(fmt.Errorf("wrapped: %w", err))
			assert.Equal(t, []any{400, err.Error()}, []any{status, message})
			assert.Equal(t, 400, wrong.StatusCode())
		}
	}
}

// testWhole tests a kind of whole numbers from min to max.
func testWhole[T comparable](t *testing.T, min, max int64, umax uint64, of func(string) T) {
	t.Helper()
	reason := "is not a whole number"
	limits := []string{strconv.FormatInt(min, 10), strconv.FormatUint(umax, 10), "0", "9", "10", "11", "0099", "64", "100"}
	beyond := []string{"99999999999999999999", strconv.FormatUint(umax, 10) + "0"}
	if umax < math.MaxUint64 {
		beyond = append(beyond, strconv.FormatUint(umax+1, 10))
	}
	if max == 0 {
		reason = "is not a whole number from 0 on"
		beyond = append(beyond, "18446744073709551616")
	} else {
		limits = append(limits, "-1", "+7", "-10")
		beyond = append(beyond, "-99999999999999999999")
		if min > math.MinInt64 {
			beyond = append(beyond, strconv.FormatInt(min-1, 10))
		}
	}
	for _, text := range limits {
		testTyped(t, typedRow[T]{text, of(text), ""})
	}
	for _, text := range beyond {
		testTyped(t, typedRow[T]{text, of(text), "is out of range"})
	}
	for _, text := range []string{"x", "1.5", "0x10", "1_0", " 1", "a", "1e3", "--1"} {
		testTyped(t, typedRow[T]{text, of(text), reason})
	}
}

// as is a number by strconv, which gives the nearest limit beyond one.
func as[T int | int8 | int16 | int32 | int64 | namedInt8](bits int) func(string) T {
	return func(text string) T { n, _ := strconv.ParseInt(text, 10, bits); return T(n) }
}

func asUint[T uint | uint8 | uint16 | uint32 | uint64 | uintptr | namedUint16](bits int) func(string) T {
	return func(text string) T { n, _ := strconv.ParseUint(text, 10, bits); return T(n) }
}

type (
	namedInt8   int8
	namedUint16 uint16
	namedString string
	namedBool   bool
	namedFloat  float32
)

// Whole numbers are decimal, and as large as the type holds, to the last one.
func TestWholeNumbersFillTheirType(t *testing.T) {
	testWhole(t, math.MinInt, math.MaxInt, math.MaxInt, as[int](strconv.IntSize))
	testWhole(t, math.MinInt8, math.MaxInt8, math.MaxInt8, as[int8](8))
	testWhole(t, math.MinInt16, math.MaxInt16, math.MaxInt16, as[int16](16))
	testWhole(t, math.MinInt32, math.MaxInt32, math.MaxInt32, as[int32](32))
	testWhole(t, math.MinInt64, math.MaxInt64, math.MaxInt64, as[int64](64))
	testWhole(t, math.MinInt8, math.MaxInt8, math.MaxInt8, as[namedInt8](8))
	testWhole(t, 0, 0, math.MaxUint, asUint[uint](strconv.IntSize))
	testWhole(t, 0, 0, math.MaxUint8, asUint[uint8](8))
	testWhole(t, 0, 0, math.MaxUint16, asUint[uint16](16))
	testWhole(t, 0, 0, math.MaxUint32, asUint[uint32](32))
	testWhole(t, 0, 0, math.MaxUint64, asUint[uint64](64))
	testWhole(t, 0, 0, math.MaxUint, asUint[uintptr](strconv.IntSize))
	testWhole(t, 0, 0, math.MaxUint16, asUint[namedUint16](16))
}

// Other numbers are decimal too, and finite.
func TestOtherTypes(t *testing.T) {
	const number, truth = "is not a number", "is neither true nor false"
	testTyped(t, typedRow[float64]{"0.1", 0.1, ""}, typedRow[float64]{"-1e308", -1e308, ""}, typedRow[float64]{"1E+3", 1000, ""},
		typedRow[float64]{"16777217", 16777217, ""}, typedRow[float64]{"1e309", math.Inf(1), "is out of range"},
		typedRow[float64]{"NaN", 0, number}, typedRow[float64]{"Inf", 0, number}, typedRow[float64]{"0x1p4", 0, number}, typedRow[float64]{"1_0", 0, number},
		typedRow[float64]{"e", 0, number}, typedRow[float64]{"1.2.3", 0, number})
	testTyped(t, typedRow[float32]{"0.1", 0.1, ""}, typedRow[float32]{"3.4e38", 3.4e38, ""},
		typedRow[float32]{"3.5e38", float32(math.Inf(1)), "is out of range"}, typedRow[float32]{"-infinity", 0, number},
		typedRow[float32]{"0.50000008940696716308593749999", 0.5 + 1.0/(1<<24), ""}) // rounded twice, by way of a float64, it is another
	testTyped(t, typedRow[namedFloat]{"0.1", 0.1, ""}, typedRow[namedFloat]{"3.5e38", namedFloat(math.Inf(1)), "is out of range"}, typedRow[namedFloat]{"x", 0, number})
	testTyped(t, typedRow[bool]{"true", true, ""}, typedRow[bool]{"1", true, ""}, typedRow[bool]{"false", false, ""}, typedRow[bool]{"yes", false, truth})
	testTyped(t, typedRow[namedBool]{"true", true, ""}, typedRow[namedBool]{"f", false, ""}, typedRow[namedBool]{"yes", false, truth})
	testTyped(t, typedRow[string]{"a+b", "a+b", ""})
	testTyped(t, typedRow[namedString]{"é%", "é%", ""})
	testTyped(t, typedRow[netip.Addr]{"::1", netip.IPv6Loopback(), ""}, typedRow[netip.Addr]{"x", netip.Addr{}, "is not valid"})
}

// The value is that of UnmarshalText even where it fails, as of strconv.
func TestValuesBesideErrors(t *testing.T) {
	path, query, err, _ := askAs[halfRead](t, "abc")
	assert.Equal(t, []halfRead{"a", "a"}, []halfRead{path, query})
	assert.ErrorIs(t, err, errHalf)
	assert.NotContains(t, err.Error(), "half", "the text of a type's own error is not for clients")
}

type halfRead string

var errHalf = errors.New("half read")

func (h *halfRead) UnmarshalText(text []byte) error {
	*h = halfRead(text[:1])
	return errHalf
}

// A long value does not come back whole.
func TestParamErrorCutsTheValue(t *testing.T) {
	for size, shown := range map[int]string{
		63: strings.Repeat("x", 63), 64: strings.Repeat("x", 64), 65: strings.Repeat("x", 64) + "…", 1000: strings.Repeat("x", 64) + "…",
	} {
		_, _, err, _ := askAs[int](t, strings.Repeat("x", size))
		assert.Equal(t, `path parameter n: "`+shown+`" is not a whole number`, err.Error())
	}
}

// QueryAs takes the default where the query says nothing, and where it is empty
// unless that is a text.
func TestQueryAsDefault(t *testing.T) {
	for query, want := range map[string]string{
		"": "7 def", "m=1": "7 def", "n=": "7 ", "n": "7 ", "n=5": "5 5", "n=5&n=x": "5 5", "n=&n=5": "7 ", "n=%35": "5 5",
	} {
		r := httptest.NewRequest("GET", "/?"+query, nil)
		n, err := segue.QueryAs(r, "n", 7)
		require.NoError(t, err, query)
		s, err := segue.QueryAs(r, "n", "def")
		require.NoError(t, err, query)
		assert.Equal(t, want, fmt.Sprint(n, " ", s), query)
		named, err := segue.QueryAs(r, "n", namedString("def"))
		require.NoError(t, err, query)
		assert.EqualValues(t, s, named, query)
	}
}

func TestParamAsOfAnotherType(t *testing.T) {
	r := httptest.NewRequest("GET", "/?n=1", nil)
	for name, ask := range map[string]func(){
		"[]int":    func() { segue.ParamAs[[]int](r, "n") },
		"struct {": func() { segue.QueryAs(r, "n", struct{ n int }{}) },
		"*int":     func() { segue.QueryAs[*int](r, "n", nil) },
	} {
		var said any
		func() {
			defer func() { said = recover() }()
			ask()
		}()
		assert.Contains(t, said, "cannot make a "+name)
	}
}

// The host's parameter is one as any other, under either setting: first in Params,
// in Param and ParamAs, in middleware, in a copy of the request.
func TestParamOfAHost(t *testing.T) {
	for _, values := range []bool{true, false} {
		app := segue.New()
		app.PathValues(values)
		var inside string
		app.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				inside = segue.Param(r, "tenant")
				next.ServeHTTP(w, r.Clone(r.Context()))
			})
		})
		app.HandleFunc("GET {tenant}.Example.org/", shows)
		app.HandleFunc("GET {tenant}.example.org/n/{id}", func(w http.ResponseWriter, r *http.Request) {
			tenant, err := segue.ParamAs[int](r, "tenant")
			fmt.Fprint(w, tenant, err, segue.Param(r, "id"), segue.Param(r, "none"))
		})
		long := "{tenant}.example.org/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i...}" // more than a request keeps by name
		app.HandleFunc("GET "+long, shows)
		answers(t, app, map[string]string{
			"GET http://Acme.example.org:80/x/y":          "200 GET {tenant}.Example.org/ tenant=acme",
			"GET http://acme.example.org/":                "200 GET {tenant}.Example.org/ tenant=acme",
			"GET http://17.example.org/n/a%2Fb":           "200 17 <nil>a/b",
			"GET http://17.example.org/1/2/3/4/5/6/7/8/9": "200 GET " + long + " tenant=17 a=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8 i=9",
		})
		ask(t, app, "GET http://Acme.example.org/")
		assert.Equal(t, "acme", inside)
	}
}

// Param and Params read any r.Pattern, whoever wrote it, with the path beside
// it.
func TestParamReadsAnyPattern(t *testing.T) {
	for _, c := range []struct{ pattern, path, want string }{
		{"/{a}", "/1", "a=1"},
		{"/{a}/", "/1/2/3", "a=1"},
		{"GET h/x/{a}/y/{b}", "/x/1/y/2", "a=1 b=2"},
		{"/{a}/{b}/{c...}", "/1/2/3/4", "a=1 b=2 c=3/4"},
		{"/{a}/y/{b}/{$}", "/1/y/2/", "a=1 b=2"},
		{"/{a...}", "/", "a="},
		{"/x/{a...}", "/x", "a="},
		{"/{a}/{b}", "/1", "a=1 b="},
		{"/{a}/{b}", "", "a= b="},
		{"/{$}", "/1", ""}, {"/{}", "/1", ""}, {"/{", "/1", ""}, {"/}", "/1", ""}, {"/", "/1", ""}, {"", "/1", ""}, {"{a}", "/1", ""},
		{"/{}/{a}", "/1/2", "a=2"}, {"/{/{a}", "/1/2", "a=2"}, {"/x{a}/{b}", "/1/2", "b=2"},
		{"/{x}", "/a%2Fb", "x=a/b"}, {"/{x}/{y...}", "/%C3%A9/%2F/+", "x=é y=//+"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		var err error
		r.URL.Path, err = url.PathUnescape(c.path)
		require.NoError(t, err)
		r.URL.RawPath, r.Pattern = c.path, c.pattern
		var got, names []string
		for name, value := range segue.Params(r) {
			got, names = append(got, name+"="+value), append(names, name)
			assert.Equal(t, value, segue.Param(r, name), "%s of %s on %s", name, c.pattern, c.path)
		}
		assert.Equal(t, c.want, strings.Join(got, " "), "%s on %s", c.pattern, c.path)
		assert.Empty(t, segue.Param(r, "none"))
		assert.Empty(t, segue.Param(r, ""))
		for stop := range names {
			n := 0
			for range segue.Params(r) {
				if n++; n > stop {
					break
				}
			}
			assert.Equal(t, stop+1, n)
		}
		r.SetPathValue("none", "set")
		assert.Equal(t, "set", segue.Param(r, "none"), "what the pattern does not name")
	}
}
