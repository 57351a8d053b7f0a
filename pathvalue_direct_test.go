//go:build !purego

package segue

import (
	"net/http"
	"os/exec"
	"reflect"
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
	assert.True(t, direct, "this Go's net/http has another shape: pathvalue.go runs on SetPathValue")
}

func TestFindFieldsDeclinesOtherShapes(t *testing.T) {
	type pattern struct{}
	type texts []string
	at, ok := findFields(reflect.TypeFor[struct {
		Method  string
		pat     *pattern
		matches []string
	}]())
	require.True(t, ok, "the shape itself")
	assert.Equal(t, fieldsAt(unsafe.Sizeof("")), at)

	for name, shape := range map[string]reflect.Type{
		"not a struct": reflect.TypeFor[int](),
		"no fields":    reflect.TypeFor[struct{ Method string }](),
		"pat renamed": reflect.TypeFor[struct {
			pattern *pattern
			matches []string
		}](),
		"matches renamed": reflect.TypeFor[struct {
			pat    *pattern
			values []string
		}](),
		"pat a struct": reflect.TypeFor[struct {
			pat     pattern
			matches []string
		}](),
		"pat a pointer to text": reflect.TypeFor[struct {
			pat     *string
			matches []string
		}](),
		"matches a map": reflect.TypeFor[struct {
			pat     *pattern
			matches map[string]string
		}](),
		"matches of bytes": reflect.TypeFor[struct {
			pat     *pattern
			matches [][]byte
		}](),
		"matches of a named type": reflect.TypeFor[struct {
			pat     *pattern
			matches texts
		}](),
		"apart": reflect.TypeFor[struct {
			pat     *pattern
			between int
			matches []string
		}](),
		"the other way round": reflect.TypeFor[struct {
			matches []string
			pat     *pattern
		}](),
		"embedded": reflect.TypeFor[struct {
			Method string
			http.Request
		}](),
	} {
		_, ok := findFields(shape)
		assert.False(t, ok, name)
	}
}

// Fields of the right types whose meaning is another must not pass the proof.
func TestProofDeclinesOtherFields(t *testing.T) {
	request := reflect.TypeFor[http.Request]()
	response, _ := request.FieldByName("Response") // a pointer to a struct
	url, _ := request.FieldByName("URL")
	assert.False(t, fieldsAt(response.Offset).answer("a"))
	assert.False(t, fieldsAt(url.Offset).answer("a"))
	assert.False(t, fields.answer("not a name"), "ServeMux panics")
	assert.True(t, fields.answer("a", "b"))
}

// A foreign struct that looks right is no http.Request, and is not proven.
func TestProvenFieldsOfAnotherType(t *testing.T) {
	_, ok := provenFields(reflect.TypeFor[struct {
		Method string
		pat    *struct{}
		values []string
	}]())
	assert.False(t, ok)
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
