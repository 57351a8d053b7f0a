//go:build !purego

package pathvalue

// These tests are of the direct way alone: which request types it declines, and
// what it costs.

import (
	"net/http"
	"os/exec"
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFieldsAreProvenHere(t *testing.T) {
	assert.True(t, direct, "%s: net/http has another shape, the portable way is taken", runtime.Version())
	t.Logf("%s: the direct way is taken: %v", runtime.Version(), direct)
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
		_, ok = provenOffset(shape, (*http.Request).PathValue)
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
	assert.Equal(t, unsafe.Sizeof(""), at)
}

// Fields of the right types whose meaning is another must not pass the probe.
func TestProbeDeclinesOtherFields(t *testing.T) {
	pathValue := (*http.Request).PathValue
	request := reflect.TypeFor[http.Request]()
	response, _ := request.FieldByName("Response") // a pointer to a struct
	url, _ := request.FieldByName("URL")
	assert.False(t, answers(response.Offset, pathValue, "a"))
	assert.False(t, answers(url.Offset, pathValue, "a"))
	assert.False(t, answers(offset, pathValue, "not a name"), "ServeMux panics")
	assert.True(t, answers(offset, pathValue, "a", "b"))
}

// The shape is that of today, but PathValue has come to read something else.
func TestProbeDeclinesAnotherPathValue(t *testing.T) {
	first := (*http.Request).PathValue
	for name, pathValue := range map[string]func(*http.Request, string) string{
		"nothing any more": func(*http.Request, string) string { return "" },
		"something always": func(_ *http.Request, name string) string { return name },
		"a map that SetPathValue fills": func(r *http.Request, name string) string {
			bare := *r
			*fieldsOf(&bare) = fields{}
			return first(&bare, name)
		},
		"the values in another order": func(r *http.Request, name string) string {
			return first(r, map[string]string{"a": "b", "b": "a"}[name])
		},
		"the values escaped": func(r *http.Request, name string) string { return "%" + first(r, name) },
		"until it panics":    func(*http.Request, string) string { panic("index out of range") },
	} {
		_, ok := provenOffset(reflect.TypeFor[http.Request](), pathValue)
		assert.False(t, ok, name)
	}
	_, ok := provenOffset(reflect.TypeFor[http.Request](), first)
	assert.True(t, ok)
}

// The probe asks nine questions of two names: one wrong answer is enough.
func TestProbeDeclinesOneWrongAnswer(t *testing.T) {
	for wrong := range 10 {
		asked := 0
		ok := answers(offset, func(r *http.Request, name string) string {
			if asked++; asked == wrong+1 {
				return "wrong"
			}
			return r.PathValue(name)
		}, "a", "b")
		assert.Equal(t, wrong == 9, ok, "wrong answer %d", wrong+1)
	}
}

// The fields are written in place of a call: that is most of their price.
func TestSetIsInlined(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Skipf("no compiler here: %v", err)
	}
	for _, name := range []string{"Set", "Clear", "Filled", "Identity", "FuncIdentity", "addressOf"} {
		assert.Contains(t, string(out), "can inline "+name+"\n")
	}
}

// The number is of allocations for 1000 requests with so many parameters.
func TestAllocations(t *testing.T) {
	for _, row := range []struct {
		names []string
		want  float64
	}{
		{nil, 0},
		{[]string{"a"}, 33},
		{[]string{"a", "b"}, 67},
		{[]string{"a", "b", "c", "d", "e", "f", "g", "h"}, 334},
		{[]string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}, 1000},
	} {
		r, names := bareRequest("/"), NamesOf(row.names)
		got := leastAllocs(func() {
			for range 1000 {
				Filled(r)
				var values []string
				if names != nil {
					values = New(r, len(row.names), 10)
				}
				Set(r, names, values)
			}
		})
		assert.InDelta(t, row.want, got, 2, "%d parameters", len(row.names))
	}
	text, f, sum := bareRequest("/a").URL.Path, limiter(1), uintptr(0)
	assert.Zero(t, leastAllocs(func() { sum += Identity(text) + FuncIdentity(f) }))
}
