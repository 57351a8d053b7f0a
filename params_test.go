package segue_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
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
	for _, query := range []string{"n=1", "n=", ""} {
		r := httptest.NewRequest("GET", "/?"+query, nil)
		panicsFor(t, r)
	}
}

// panicsFor holds that a wrong type panics, whatever the query has.
func panicsFor(t *testing.T, r *http.Request) {
	for name, ask := range map[string]func(){
		"[]int":    func() { segue.ParamAs[[]int](r, "n") },
		"*int":     func() { segue.ParamAs[*int](r, "n") },
		"struct {": func() { segue.QueryAs(r, "n", struct{ n int }{}) },
		"*string":  func() { segue.QueryAs[**string](r, "n", nil) },
		"[]bool":   func() { segue.QueryAs[[][]bool](r, "n", nil) },
		"chan int": func() { segue.QueryAs[*chan int](r, "n", nil) },
	} {
		assert.PanicsWithValue(t, "segue: ParamAs and QueryAs cannot make a "+name, func() {
			defer func() { panic(strings.TrimSuffix(strings.Split(fmt.Sprint(recover()), ";")[0], " n int }")) }()
			ask()
		})
	}
}

// queryOf asks a query for its n as a T.
func queryOf[T any](query string, def T) string {
	v, err := segue.QueryAs(httptest.NewRequest("GET", "/?"+query, nil), "n", def)
	if err != nil {
		status, message := segue.StatusOf(err)
		return fmt.Sprint(status, " ", message)
	}
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && !p.IsNil() {
		return fmt.Sprintf("&%v", p.Elem())
	}
	return fmt.Sprintf("%v", v)
}

// A list has all values, and those that are not of the type are told by
// themselves. An empty value is one for a text only.
func TestQueryAsLists(t *testing.T) {
	type ids []namedInt8
	for query, want := range map[string][4]string{
		"":                {"[7]", "[x]", "[]", "[]"},
		"m=1":             {"[7]", "[x]", "[]", "[]"},
		"n=":              {"[7]", "[]", "[]", "[]"},
		"n=1":             {"[1]", "[1]", "[1]", `400 query parameter n: "1" is not valid`},
		"n=1&m=5&n=2":     {"[1 2]", "[1 2]", "[1 2]", `400 query parameter n: "1" is not valid`},
		"n=&n=1&n=":       {"[1]", "[ 1 ]", "[1]", `400 query parameter n: "1" is not valid`},
		"n=1,2":           {`400 query parameter n: "1,2" is not a whole number`, "[1,2]", `400 query parameter n: "1,2" is not a whole number`, `400 query parameter n: "1,2" is not valid`},
		"n=1&n=300":       {"[1 300]", "[1 300]", `400 query parameter n: "300" is out of range`, `400 query parameter n: "1" is not valid`},
		"n=%31&n=x&n=y":   {`400 query parameter n: "x" is not a whole number`, "[1 x y]", `400 query parameter n: "x" is not a whole number`, `400 query parameter n: "1" is not valid`},
		"n=::1&n=1.2.3.4": {`400 query parameter n: "::1" is not a whole number`, "[::1 1.2.3.4]", `400 query parameter n: "::1" is not a whole number`, "[::1 1.2.3.4]"},
	} {
		assert.Equal(t, want, [4]string{queryOf(query, []int{7}), queryOf(query, []string{"x"}), queryOf(query, ids{}), queryOf[[]netip.Addr](query, nil)}, query)
	}
	assert.Equal(t, "1.2.3.4", queryOf(`n=1.2.3.4&n=x`, net.IP{}), "a slice with an UnmarshalText is one value")
}

// A pointer tells what is not there from what is empty.
func TestQueryAsPointers(t *testing.T) {
	for query, want := range map[string][4]string{
		"":        {"<nil>", "<nil>", "<nil>", "<nil>"},
		"m=1":     {"<nil>", "<nil>", "<nil>", "<nil>"},
		"n=":      {`400 query parameter n: "" is not a whole number`, "&", `400 query parameter n: "" is neither true nor false`, `&invalid IP`},
		"n":       {`400 query parameter n: "" is not a whole number`, "&", `400 query parameter n: "" is neither true nor false`, `&invalid IP`},
		"n=1&n=2": {"&1", "&1", "&true", `400 query parameter n: "1" is not valid`},
		"n=::1":   {`400 query parameter n: "::1" is not a whole number`, "&::1", `400 query parameter n: "::1" is neither true nor false`, "&::1"},
	} {
		assert.Equal(t, want, [4]string{queryOf[*int](query, nil), queryOf[*string](query, nil), queryOf[*namedBool](query, nil), queryOf[*netip.Addr](query, nil)}, query)
	}
	assert.Equal(t, "&7", queryOf("m=1", new(7)), "the default may be another than nil")
}

// A name that the matched route does not have is the program's fault. The client
// is not told, the log is.
func TestParamAsOfAMissingName(t *testing.T) {
	text := quiet(t)
	asked := func(w http.ResponseWriter, r *http.Request) error {
		name := r.URL.Query().Get("n")
		if _, err := segue.ParamAs[int](r, name); err != nil {
			return err
		}
		_, err := segue.ParamAs[string](r, name)
		return err
	}
	for _, filled := range []bool{true, false} {
		app, users, mux := segue.New(), segue.New(), http.NewServeMux()
		app.PathValues(filled)
		users.GET("/{id}", segue.Try(asked))
		users.GET("/", segue.Try(asked))
		app.Mount("/orgs/{org}/users", users)
		app.GET("/none", segue.Try(asked))
		mux.Handle("/{id}", segue.Try(asked))
		app.Mount("/plain/{org}", mux)
		for request, want := range map[string]string{
			"/orgs/1/users/7?n=id":   "",
			"/orgs/1/users/7?n=org":  "",
			"/orgs/1/users/x?n=id":   `400 path parameter id: "x" is not a whole number`,
			"/orgs/1/users/7?n=user": "path parameter user is not in GET /orgs/{org}/users/{id}, which has org, id",
			"/orgs/1/users?n=id":     "path parameter id is not in GET /orgs/{org}/users, which has org",
			"/none?n=a%0Ab":          `path parameter a\nb is not in GET /none, which has no parameters`,
			"/plain/1/7?n=org":       "",
			"/plain/1/7?n=user":      "path parameter user is not in /{id}, which has id, org",
		} {
			text.Reset()
			w := ask(t, app, "GET "+request)
			switch body := strings.TrimSpace(w.Body.String()); {
			case want == "" || strings.HasPrefix(want, "400"):
				assert.Equal(t, strings.TrimPrefix(want, "400 "), body, request)
				assert.Empty(t, text.String(), request)
			default:
				assert.Equal(t, "500 Internal Server Error", fmt.Sprint(w.Code, " ", body), request)
				assert.Contains(t, text.String(), want, request)
			}
		}
	}
}

// Without a matched route it is a value that is not there, and so the client's
// fault.
func TestParamAsWithoutARoute(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	_, err := segue.ParamAs[int](r, "id")
	status, message := segue.StatusOf(err)
	assert.Equal(t, `400 path parameter id: "" is not a whole number`, fmt.Sprint(status, " ", message))

	app := segue.New()
	app.Use(func(http.Handler) http.Handler {
		return segue.Try(func(_ http.ResponseWriter, r *http.Request) error {
			_, err := segue.ParamAs[int](r, "id")
			return err
		})
	})
	app.POST("/users/{org}", shows)
	assert.Equal(t, 400, ask(t, app, "GET /nope").Code)
	assert.Equal(t, 400, ask(t, app, "GET /users/7").Code)

	r = httptest.NewRequest("GET", "/", nil)
	r.Pattern = "/{org}"
	_, err = segue.ParamAs[int](r, "id")
	var wrong *segue.ParamError
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, segue.ParamError{Name: "id", Reason: "is not in /{org}, which has org"}.Reason, wrong.Reason)
	assert.Equal(t, 500, wrong.StatusCode())
	assert.NoError(t, wrong.Unwrap())
	r.SetPathValue("id", "7")
	id, err := segue.ParamAs[int](r, "id")
	assert.NoError(t, err)
	assert.Equal(t, 7, id)
}

// paramsOf lists what Params has, each with what Param says of it.
func paramsOf(r *http.Request) string {
	var all []string
	for name, value := range segue.Params(r) {
		if value != segue.Param(r, name) {
			name += " differs from Param"
		}
		all = append(all, name+"="+value)
	}
	return strings.Join(all, " ")
}

// What SetPathValue gave a request is in Params as in Param, once for each name,
// whoever had the request.
func TestParamsAfterSetPathValue(t *testing.T) {
	r := httptest.NewRequest("GET", "/1", nil)
	r.SetPathValue("b", "2")
	r.SetPathValue("a", "3")
	r.SetPathValue("c", "")
	assert.Equal(t, "a=3 b=2 c=", paramsOf(r), "no router")
	r.Pattern = "/{b}"
	assert.Equal(t, "b=1 a=3 c=", paramsOf(r), "a router that filled nothing")
	for name := range segue.Params(r) {
		if name == "a" {
			break
		}
	}

	set := func(w http.ResponseWriter, r *http.Request) {
		r.SetPathValue("z", "set")
		r.SetPathValue("id", "set")
		fmt.Fprint(w, paramsOf(r))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/users/{id}", set)
	app := segue.New()
	app.HandleFunc("/users/{id}", set)
	app.Mount("/orgs/{org}", mux)
	assert.Equal(t, "id=set z=set", testkit.Serve(mux, "GET", "/users/7").Body.String())
	assert.Equal(t, "id=set z=set", ask(t, app, "GET /users/7").Body.String())
	assert.Equal(t, "id=set org=acme z=set", ask(t, app, "GET /orgs/acme/users/7").Body.String())
	app.PathValues(false)
	assert.Equal(t, "id=7 z=set", ask(t, app, "GET /users/7").Body.String())
}

// A path of a pattern in either language, with values of every type.
func TestPathFor(t *testing.T) {
	ip, one := netip.MustParseAddr("::1"), big.NewInt(1)
	for _, c := range []struct {
		pattern string
		values  []any
		want    string
	}{
		{"/", nil, "/"}, {"/users", nil, "/users"}, {"/users/", nil, "/users/"}, {"/users/{$}", nil, "/users/"},
		{"/users/{id}", []any{7}, "/users/7"}, {"/users/:id", []any{"7"}, "/users/7"}, {"/:a/{b}/:c", []any{1, 2, 3}, "/1/2/3"},
		{"GET /users/{id}", []any{7}, "/users/7"}, {"GET \t h.example/users/{id}", []any{7}, "/users/7"}, {"PURGE h.example/:id", []any{7}, "/7"},
		{"/files/{path...}", []any{"a/b c/d"}, "/files/a/b%20c/d"}, {"/files/*path", []any{"a/"}, "/files/a/"}, {"/files/{path...}", []any{""}, "/files/"},
		{"/{x}/{$}", []any{"a/b"}, "/a%2Fb/"}, {"/{x}/", []any{"%2F"}, "/%252F/"}, {"/{x}", []any{"é?#;\\"}, "/%C3%A9%3F%23%3B%5C"}, {"/{x}", []any{"c++"}, "/c++"},
		{"/{x}", []any{"\xff\x00"}, "/%FF%00"}, {"/{x}", []any{"..."}, "/..."}, {"/{x...}", []any{".../..a"}, "/.../..a"}, {"/{x}", []any{"http://a"}, "/http:%2F%2Fa"},
		{"/a b%2Fc%3F/%zz/é", nil, ""}, {"GET /a b%2Fc%3F/%zz/é", nil, "/a%20b%2Fc%3F/%25zz/%C3%A9"}, {"/%2e/%2E%2e", nil, "/%2E/%2E%2E"}, {"/a?b", nil, "/a%3Fb"}, {"/:1", nil, "/:1"},
		{"/{x}", []any{int8(-7)}, "/-7"}, {"/{x}", []any{uint64(math.MaxUint64)}, "/18446744073709551615"}, {"/{x}", []any{uintptr(7)}, "/7"}, {"/{x}", []any{true}, "/true"},
		{"/{x}", []any{0.1}, "/0.1"}, {"/{x}", []any{0.125}, "/0.125"}, {"/{x}", []any{float32(0.1)}, "/0.1"}, {"/{x}", []any{1e21}, "/1e+21"}, {"/{x}", []any{ip}, "/::1"}, {"/{x}", []any{&ip}, "/::1"}, {"/{x}", []any{one}, "/1"},
		{"/{x}", []any{time.Second}, "/1000000000"}, {"/{x}", []any{namedString("a")}, "/a"}, {"/{x}", []any{namedFloat(0.5)}, "/0.5"}, {"/{x}", []any{segue.SlashEither}, "/2"},
		{"/{x...}", []any{&url.URL{Path: "a/b", RawQuery: "c"}}, "/a/b%3Fc"}, {"/{x}", []any{http.MethodGet}, "/GET"},
		{"POST //{id}", []any{7}, "/7"}, {"h.example//{id}", []any{7}, "/7"}, {"GET /users//:id", []any{7}, "/users/7"}, {"GET /users/{$}/{id}", []any{7}, "/users/7"}, {"/{a}/{$}/{b}", []any{1, 2}, "/1/2"},
	} {
		got, err := segue.PathFor(c.pattern, c.values...)
		if c.want == "" {
			assert.Error(t, err, c.pattern)
			continue
		}
		assert.NoError(t, err, c.pattern)
		assert.Equal(t, c.want, got, c.pattern)
	}
}

func TestPathForErrors(t *testing.T) {
	var nilAddr *netip.Addr
	for _, c := range []struct {
		pattern string
		values  []any
		want    string
	}{
		{"/users/{id}", nil, "it has the parameters [id], and 0 values were given"},
		{"/users", []any{7}, "it has the parameters [], and 1 values were given"},
		{"/{a}/{b...}", []any{1, 2, 3}, "it has the parameters [a b], and 3 values were given"},
		{"/sub/", []any{"a"}, "it has the parameters [], and 1 values were given"},
		{"/{x}", []any{""}, `the value of x is "", which cannot be a segment`},
		{"/{x}", []any{"."}, `the value of x is ".", which cannot be a segment`},
		{"/{a}/:x", []any{"a", ".."}, `the value of x is "..", which cannot be a segment`},
		{"/{x...}", []any{"a//b"}, `the value of x is "a//b", whose empty or dot segment would be cleaned away`},
		{"/{x...}", []any{"/"}, `the value of x is "/", whose empty or dot segment would be cleaned away`},
		{"/{x...}", []any{"/a"}, `the value of x is "/a", whose empty or dot segment would be cleaned away`},
		{"/{x...}", []any{"a//"}, `the value of x is "a//", whose empty or dot segment would be cleaned away`},
		{"/*x", []any{"../a"}, `the value of x is "../a", whose empty or dot segment would be cleaned away`},
		{"/*x", []any{"a/."}, `the value of x is "a/.", whose empty or dot segment would be cleaned away`},
		{"/{x}", []any{nil}, "the value of x is nil"},
		{"/{x}", []any{nilAddr}, "the value of x is nil"},
		{"/{x}", []any{new(7)}, "the value of x is a *int; give a string"},
		{"/{x}", []any{struct{}{}}, "the value of x is a struct {}; give a string"},
		{"/{x}", []any{[]byte("a")}, "the value of x is a []uint8; give a string"},
		{"/{x}", []any{1i}, "the value of x is a complex128; give a string"},
		{"/{x}", []any{math.NaN()}, "the value of x has no text: strconv.ParseFloat"},
		{"/{x}", []any{math.Inf(-1)}, "the value of x has no text: strconv.ParseFloat"},
		{"/{x}", []any{unwritable{}}, "the value of x has no text: half read"},
		{"/{x}", []any{netip.Addr{}}, `the value of x is "", which cannot be a segment`},
	} {
		got, err := segue.PathFor(c.pattern, c.values...)
		assert.Empty(t, got, c.pattern)
		require.Error(t, err, c.pattern)
		assert.Contains(t, err.Error(), fmt.Sprintf("segue: no path for %q: %s", c.pattern, c.want))
		status, _ := segue.StatusOf(err)
		assert.Equal(t, 500, status, "the fault is the program's")
	}
	_, err := segue.PathFor("/{x}", unwritable{})
	assert.ErrorIs(t, err, errHalf)
}

type unwritable struct{}

func (unwritable) MarshalText() ([]byte, error) { return nil, errHalf }

// What is wrong with a pattern is told as by the method that it is meant for, as
// far as one can know.
func TestPathForPatternErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		"":               "0: empty pattern",
		"users":          "0: no path",
		"G(T /x":         "1: a method is a token",
		"h:80/x":         "1: hosts are compared without their port",
		"/{x":            "1: the brace is not closed",
		"/users/:id/{x":  "11: the brace is not closed",
		"/:id/x{y}":      "5: a wildcard is a whole segment",
		"GET /{a}/{a}":   "9: the name a occurs twice",
		"GET /:a/{a}":    "8: the name a occurs twice",
		"/a?b/{x":        "5: the brace is not closed",
		"/*":             "1: a star is a literal here; write {path...}",
		"///a":           "1: an empty or dot segment",
		"/{$}/{$}/a":     "1: {$} marks the end of a path",
		"/a/../{x}":      "3: an empty or dot segment",
		"GET h/a/./{x}":  "8: an empty or dot segment",
		"h.example///:a": "10: an empty or dot segment",
	} {
		_, err := segue.PathFor(pattern)
		var wrong *segue.PatternError
		require.ErrorAs(t, err, &wrong, pattern)
		assert.Equal(t, pattern, wrong.Pattern)
		assert.Contains(t, fmt.Sprintf("%d: %s", wrong.Offset, wrong.Reason), want, pattern)
		assert.Contains(t, err.Error(), fmt.Sprintf("segue: pattern %q, offset %d: ", pattern, wrong.Offset), "nothing was registered")
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
		assert.Equal(t, strings.TrimSpace(c.want+" none=set"), paramsOf(r))
	}
}

// The host's parameter is read by Param and Params too, first of all, whether or
// not PathValue is filled, on a match and on a miss.
func TestParamOfTheHost(t *testing.T) {
	for _, on := range []bool{true, false} {
		app := segue.New()
		app.PathValues(on)
		read := func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, segue.Param(r, "tenant"), segue.Param(r, "id"))
			for name, value := range segue.Params(r) {
				fmt.Fprintf(w, " %s=%s", name, value)
			}
		}
		app.HandleFunc("GET {tenant}.example.com/users/{id}", read)
		app.Group("{tenant}.group.example").NotFound(http.HandlerFunc(read))
		app.Mount("{tenant}.plain.example/old", http.HandlerFunc(read))
		for target, want := range map[string]string{
			"http://Acme.example.com:80/users/7":  "acme7 tenant=acme id=7",
			"http://acme.example.com/users/a%2Fb": "acmea/b tenant=acme id=a/b",
			"http://b.group.example./nothing":     "b tenant=b",
			"http://c.plain.example/old/x":        "c tenant=c",
		} {
			assert.Equal(t, want, testkit.Serve(app, "GET", target).Body.String(), "%v %s", on, target)
		}
	}
}

// A host's parameter takes no value: it is no part of a path.
func TestPathForPassesTheHostOver(t *testing.T) {
	path, err := segue.PathFor("GET {tenant}.example.com/users/{id}", 7)
	assert.NoError(t, err)
	assert.Equal(t, "/users/7", path)
	_, err = segue.PathFor("{tenant}.example.com/users/{id}", "acme", 7)
	assert.ErrorContains(t, err, "it has the parameters [id], and 2 values were given")
}

// Twelve values are cut from a path like one: from its encoded form, without the
// final slash of a mount's other spelling, and with an empty rest.
func TestTwelveParameters(t *testing.T) {
	app, sub := segue.New(), segue.New()
	prefix, plain, encoded, want := "", "", "", ""
	for i := range 12 {
		prefix += fmt.Sprintf("/n%d/{p%d}", i, i)
		plain += fmt.Sprintf("/n%d/v%d", i, i)
		encoded += fmt.Sprintf("/n%d/v%%2F%d", i, i)
		want += fmt.Sprintf(" p%d=v%d", i, i)
	}
	sub.GET("/", shows)
	sub.GET("/rest/{rest...}", shows)
	sub.GET("/exact/{last}/{$}", shows)
	app.Mount(prefix, sub)
	for path, values := range map[string]string{
		"": want, "/": want, "/rest/": want + " rest=", "/rest/a/": want + " rest=a/", "/exact/z/": want + " last=z",
	} {
		_, got, _ := strings.Cut(testkit.Serve(app, "GET", plain+path).Body.String(), " p0")
		assert.Equal(t, values, " p0"+got, path)
		_, got, _ = strings.Cut(testkit.Serve(app, "GET", encoded+path).Body.String(), " p0")
		assert.Equal(t, strings.ReplaceAll(values, "=v", "=v/"), " p0"+got, path)
	}
	assert.Nil(t, app.Lookup(httptest.NewRequest("GET", "/none", nil)).Params)
	app.GET("/none", shows)
	assert.Nil(t, app.Lookup(httptest.NewRequest("GET", "/none", nil)).Params)
}

// A route without parameters hides those of an outer router, for an encoded path too.
func TestEncodedPathClearsOuterValues(t *testing.T) {
	app, outer := segue.New(), http.NewServeMux()
	seen := "none"
	app.HandleFunc("/a%2Fb", func(_ http.ResponseWriter, r *http.Request) { seen = r.PathValue("x") })
	outer.Handle("/{x}", app)
	outer.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/a%2Fb", nil))
	assert.Empty(t, seen)
}

// An empty rest is a parameter that the route has.
func TestParamAsOfAnEmptyRest(t *testing.T) {
	app := segue.New()
	app.HandleFunc("/files/{path...}", func(_ http.ResponseWriter, r *http.Request) {
		value, err := segue.ParamAs[string](r, "path")
		assert.NoError(t, err)
		assert.Empty(t, value)
	})
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/files/", nil))
	assert.Equal(t, http.StatusOK, w.Code)
}

// PathFor's error is that of the language in which more of the pattern is right.
func TestPathForPointsAtTheBlank(t *testing.T) {
	_, err := segue.PathFor("/a b")
	var wrong *segue.PatternError
	if assert.ErrorAs(t, err, &wrong) {
		assert.Equal(t, 2, wrong.Offset)
	}
}
