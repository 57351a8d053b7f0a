//go:build !purego

package segue

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// eachWay runs a test for both ways of filling r.PathValue: the fields, and
// SetPathValue as on a net/http of another shape.
func eachWay(t *testing.T, test func(t *testing.T)) {
	t.Run("fields", test)
	t.Run("SetPathValue", func(t *testing.T) {
		defer func(was bool) { direct = was }(direct)
		direct = false
		test(t)
	})
}

func TestFieldsAreProvenHere(t *testing.T) {
	assert.True(t, direct, "%s: net/http has another shape, pathvalue.go runs on SetPathValue", runtime.Version())
	t.Logf("%s: r.PathValue is filled by its own fields: %v", runtime.Version(), direct)
}

type (
	somePattern struct{}
	someTexts   []string
	somePat     struct{ pat *somePattern } //lint:ignore U1000 read by reflection alone
	someMatches struct{ matches []string } //lint:ignore U1000 read by reflection alone
)

// otherShapes are structs that net/http.Request may come to look like.
var otherShapes = map[string]reflect.Type{
	"not a struct":     reflect.TypeFor[int](),
	"a pointer to one": reflect.TypeFor[*http.Request](),
	"both gone":        reflect.TypeFor[struct{ Method string }](),
	"pat gone":         reflect.TypeFor[struct{ matches []string }](),
	"matches gone":     reflect.TypeFor[struct{ pat *somePattern }](),
	"pat renamed": reflect.TypeFor[struct {
		pattern *somePattern
		matches []string
	}](),
	"matches renamed": reflect.TypeFor[struct {
		pat    *somePattern
		values []string
	}](),
	"both exported": reflect.TypeFor[struct {
		Pat     *somePattern
		Matches []string
	}](),
	"pat a struct": reflect.TypeFor[struct {
		pat     somePattern
		matches []string
	}](),
	"pat a pointer to text": reflect.TypeFor[struct {
		pat     *string
		matches []string
	}](),
	"pat a pointer to a pointer": reflect.TypeFor[struct {
		pat     **somePattern
		matches []string
	}](),
	"pat an interface": reflect.TypeFor[struct {
		pat     any
		matches []string
	}](),
	"pat a number": reflect.TypeFor[struct {
		pat     uintptr
		matches []string
	}](),
	"matches a map": reflect.TypeFor[struct {
		pat     *somePattern
		matches map[string]string
	}](),
	"matches of bytes": reflect.TypeFor[struct {
		pat     *somePattern
		matches [][]byte
	}](),
	"matches of a named type": reflect.TypeFor[struct {
		pat     *somePattern
		matches someTexts
	}](),
	"matches an array": reflect.TypeFor[struct {
		pat     *somePattern
		matches [3]string
	}](),
	"matches a pointer": reflect.TypeFor[struct {
		pat     *somePattern
		matches *[]string
	}](),
	"matches a text": reflect.TypeFor[struct {
		pat     *somePattern
		matches string
	}](),
	"matches moved away": reflect.TypeFor[struct {
		pat     *somePattern
		between int
		matches []string
	}](),
	"pat moved behind": reflect.TypeFor[struct {
		matches []string
		pat     *somePattern
	}](),
	"both in an embedded struct": reflect.TypeFor[struct {
		Method string
		http.Request
	}](),
	"both in one behind a pointer": reflect.TypeFor[struct {
		Method string
		*http.Request
	}](),
	"each in a struct of its own": reflect.TypeFor[struct {
		somePat
		someMatches
	}](),
	"pat in a struct of its own": reflect.TypeFor[struct {
		somePat
		matches []string
	}](),
	"matches in one of its own": reflect.TypeFor[struct {
		pat *somePattern
		someMatches
	}](),
}

func TestFindFieldsDeclinesOtherShapes(t *testing.T) {
	_, _ = somePat{}.pat, someMatches{}.matches // otherwise read by reflection alone
	for name, shape := range otherShapes {
		_, ok := findFields(shape)
		assert.False(t, ok, name)
		_, ok = provenFields(shape, (*http.Request).PathValue)
		assert.False(t, ok, name)
	}
}

// Where the two have moved together, they are found.
func TestFindFieldsWhereverTheyAre(t *testing.T) {
	at, ok := findFields(reflect.TypeFor[struct {
		pat     *somePattern
		matches []string
	}]())
	require.True(t, ok)
	assert.Zero(t, at)
	at, ok = findFields(reflect.TypeFor[struct {
		Method  string
		pat     *somePattern
		matches []string
		Host    string
	}]())
	require.True(t, ok)
	assert.Equal(t, fieldsAt(unsafe.Sizeof("")), at)
}

// Fields of the right types whose meaning is another must not pass the proof.
func TestProofDeclinesOtherFields(t *testing.T) {
	pathValue := (*http.Request).PathValue
	request := reflect.TypeFor[http.Request]()
	response, _ := request.FieldByName("Response") // a pointer to a struct
	url, _ := request.FieldByName("URL")
	assert.False(t, fieldsAt(response.Offset).answer(pathValue, "a"))
	assert.False(t, fieldsAt(url.Offset).answer(pathValue, "a"))
	assert.False(t, fields.answer(pathValue, "not a name"), "ServeMux panics")
	assert.True(t, fields.answer(pathValue, "a", "b"))
}

// The shape is that of today, but PathValue has come to read something else.
func TestProofDeclinesAnotherPathValue(t *testing.T) {
	first := (*http.Request).PathValue
	for name, pathValue := range map[string]func(*http.Request, string) string{
		"nothing any more": func(*http.Request, string) string { return "" },
		"something always": func(_ *http.Request, name string) string { return name },
		"a map that SetPathValue fills": func(r *http.Request, name string) string {
			bare := *r
			*fields.of(&bare) = filled{}
			return first(&bare, name)
		},
		"the values in another order": func(r *http.Request, name string) string {
			return first(r, map[string]string{"a": "b", "b": "a"}[name])
		},
		"the values escaped": func(r *http.Request, name string) string { return "%" + first(r, name) },
		"until it panics":    func(*http.Request, string) string { panic("index out of range") },
	} {
		_, ok := provenFields(reflect.TypeFor[http.Request](), pathValue)
		assert.False(t, ok, name)
	}
	_, ok := provenFields(reflect.TypeFor[http.Request](), first)
	assert.True(t, ok)
}

// GODEBUG=httpmuxgo121=1 has ServeMux write no fields: the program starts all
// the same, and serves by SetPathValue.
func TestFallsBackOnAnotherServeMux(t *testing.T) {
	if os.Getenv("SEGUE_TEST_FALLBACK") != "" {
		assert.False(t, direct)
		rt := New()
		rt.GET("/users/{id}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("id")) })
		assert.Equal(t, "7", serve(rt, "GET", "/users/7").Body.String())
		return
	}
	again := exec.Command(os.Args[0], "-test.run", "^TestFallsBackOnAnotherServeMux$", "-test.v")
	again.Env = append(os.Environ(), "SEGUE_TEST_FALLBACK=1", "GODEBUG=httpmuxgo121=1")
	out, err := again.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "--- PASS: TestFallsBackOnAnotherServeMux")
}

func TestPathValuesFilled(t *testing.T) {
	r := bareRequest("/")
	assert.False(t, pathValuesFilled(r))
	setPathValues(r, pathNamesOf([]string{"a"}), []string{"1"})
	assert.True(t, pathValuesFilled(r))
	addPathValue(r, "a", "2")
	assert.True(t, pathValuesFilled(r))
	setPathValues(r, nil, nil)
	assert.False(t, pathValuesFilled(r))

	mux := http.NewServeMux()
	mux.HandleFunc("/{a}", func(_ http.ResponseWriter, r *http.Request) { assert.True(t, pathValuesFilled(r)) })
	mux.ServeHTTP(nil, bareRequest("/x"))
}

// The fields are written in place of a call: that is most of their price.
func TestSetPathValuesIsInlined(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Skipf("no compiler here: %v", err)
	}
	for _, name := range []string{"setPathValues", "clearPathValues", "pathValuesFilled", "keyOf", "addressOf"} {
		assert.Contains(t, string(out), "can inline "+name)
	}
}
