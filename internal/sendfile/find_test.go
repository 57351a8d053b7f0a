package sendfile

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The names that Windows reads otherwise than they look.
func TestServableOnWindows(t *testing.T) {
	for _, seg := range []string{
		"a.txt:stream", "a.txt::$DATA", "C:", "a.txt.", "a.txt ", "admin.", "admin. .", "PROGRA~1", "secret~1.txt", "x~2~a~9", "~1", "x~0", "x-~1",
		"what?", "*", "<a>", "a|b", `"a"`, "tab\t", "\x1f",
	} {
		assert.False(t, servableOnWindows(seg), "%q", seg)
	}
	for _, seg := range []string{"a.txt", "a b.txt", "backup~", "a~b", "a~-b", "1.txt", "ä", "x.y.z", "con.d"} {
		assert.True(t, servableOnWindows(seg), "%q", seg)
	}
}
