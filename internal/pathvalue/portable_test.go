package pathvalue

// These tests are of the portable way alone: a net/http that writes no fields,
// and what the portable way reads by reflection.

import (
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// GODEBUG=httpmuxgo121=1 has ServeMux write no fields. The package starts all the
// same, and fills PathValue by SetPathValue.
func TestAnotherServeMux(t *testing.T) {
	if os.Getenv("SEGUE_TEST_ANOTHER_MUX") == "" {
		again := exec.Command(os.Args[0], "-test.run", "^TestAnotherServeMux$", "-test.v")
		again.Env = append(os.Environ(), "SEGUE_TEST_ANOTHER_MUX=1", "GODEBUG=httpmuxgo121=1")
		out, err := again.CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Contains(t, string(out), "--- PASS: TestAnotherServeMux")
		return
	}
	assert.False(t, direct)
	for _, value := range []string{"7", "", "a/../b"} {
		r := bareRequest("/users/7")
		fill(r, []string{"user", "post"}, value, "9")
		assert.Equal(t, [2]string{value, "9"}, [2]string{r.PathValue("user"), r.PathValue("post")})
		assert.False(t, Filled(r))
		names, values := InOrder(r)
		assert.Nil(t, names)
		assert.Nil(t, values)
		Clear(r)
		Add(r, "user", "added")
		assert.Equal(t, "added", r.PathValue("user"))
	}
}

// The small ServeMux is made once for each list of names.
func TestMuxesAreShared(t *testing.T) {
	defer UsePortable(true)()
	names := NamesOf([]string{"one", "mux"})
	var first uintptr
	for range 3 {
		r := new(http.Request)
		Set(r, names, []string{"1", "2"})
		if first == 0 {
			first = addressOfPattern(r)
		}
		assert.Equal(t, first, addressOfPattern(r))
	}
}
