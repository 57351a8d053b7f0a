package segue

import (
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Routers that mounted another and are gone leave nothing in it, so that a
// program which builds routers all the time does not grow.
func TestDiscardedParentsLeaveNothing(t *testing.T) {
	child, kept := New(), New()
	kept.Mount("/kept", child)
	for range 100 {
		New().Mount("/gone", child)
	}
	n := 0
	require.Eventually(t, func() bool {
		runtime.GC()
		n++
		child.Handle(fmt.Sprintf("/%d", n), http.NotFoundHandler())
		return len(child.parents) == 1
	}, time.Minute, time.Millisecond)
	runtime.KeepAlive(kept)
}
