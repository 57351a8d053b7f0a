package conformance

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// heapGrowth is by how many bytes the heap grows, the least of a few tries.
func heapGrowth(do func()) float64 {
	return testkit.Least(func() float64 {
		testRoutersAlive = nil
		before, _ := testkit.Heap()
		do()
		after, _ := testkit.Heap()
		return float64(after - before)
	})
}

// What is refused leaves nothing behind, however often it is tried.
func TestRefusedRoutesAreNotKept(t *testing.T) {
	rt, inner := segue.New(), segue.New()
	inner.GET("/a", fuzzHandler)
	rt.Mount("/m", inner)
	const tries = 500
	refuse := func() {
		for i := range tries {
			for _, register := range []func(){
				func() { inner.GET("/a", fuzzHandler) },
				func() { rt.GET("/m/a", fuzzHandler) },
				func() { rt.Mount("/m", inner) },
				func() { rt.GET(fmt.Sprintf("/{x}/a-long-text-of-its-own-%d/{x}", i), fuzzHandler) },
			} {
				if testkit.PanicOf(register) == nil {
					t.Fatal("it was not refused")
				}
			}
		}
	}
	refuse()
	assert.Less(t, heapGrowth(refuse), 4.0*tries, "bytes, one for each refusal at most")
	runtime.KeepAlive(rt)
}

// What a router keeps is its own, and not a part of what the caller cut it from.
func TestKeptTextsPinNothing(t *testing.T) {
	const long, routes = 1 << 16, 50
	kept := heapGrowth(func() {
		rt, outer := segue.New(), segue.New()
		for i := range routes {
			whole := strings.Repeat("x", long) + fmt.Sprintf("GET host%d.example/a/{pinned%d}", i, i)
			rt.Handle(whole[long:], http.HandlerFunc(fuzzHandler))
			whole = strings.Repeat("x", long) + fmt.Sprintf("/verb%d/:p/*rest", i)
			rt.GET(whole[long:], fuzzHandler)
		}
		whole := strings.Repeat("x", long*routes) + "/prefix/{outer}"
		outer.Mount(whole[long*routes:], rt)
		outer.Lookup(&newEnumRequest("GET", "host1.example", "/prefix/o/a/p").request) // compiles
		runtime.GC()
		testRoutersAlive = append(testRoutersAlive[:0], outer)
	})
	testRoutersAlive = nil
	assert.Less(t, kept, float64(long*routes)/4, "bytes")
}

// testRoutersAlive keeps a router while its heap is looked at.
var testRoutersAlive []*segue.Router

// Routers that mounted another and are gone leave nothing in it, so that a
// program which builds routers all the time does not grow.
func TestDiscardedParentsLeaveNothing(t *testing.T) {
	child, kept := segue.New(), segue.New()
	child.GET("/{id}", fuzzHandler)
	kept.Mount("/kept", child)
	const parents = 2000
	n := 0
	grown := heapGrowth(func() {
		for range parents {
			parent := segue.New()
			parent.Mount("/gone", child)
		}
		runtime.GC()
		runtime.GC()
		n++
		child.GET(fmt.Sprintf("/%d/{id}", n), fuzzHandler) // a change looks for who mounts it
	})
	assert.Less(t, grown, 8.0*parents, "bytes")
	runtime.KeepAlive(kept)
}
