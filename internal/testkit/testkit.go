// Package testkit holds what the tests of several packages share: what a build
// can do, how much a test tries, what the process allocates, and a server with a
// client that sends raw bytes. It does not import segue, so that the tests of every
// package can import it, also those inside of package segue.
package testkit

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// Explore reports whether tests try everything that they can: set SEGUE_EXPLORE
// to 1, as .ci/run does. Without it they try some of each kind, so that
// "go test ./..." ends within a minute. The race detector, which takes ten times
// as long, and -short leave it at that too.
func Explore() bool { return os.Getenv("SEGUE_EXPLORE") == "1" && !Race && !testing.Short() }

// Size returns how much of something a test tries: full if it explores, else
// some.
func Size(some, full int) int {
	if Explore() {
		return full
	}
	return some
}

// SkipUnlessExplores skips a test that takes long and shows little of each run.
func SkipUnlessExplores(t testing.TB) {
	t.Helper()
	if !Explore() {
		t.Skip("takes long: SEGUE_EXPLORE=1 runs it")
	}
}

// LogSize says in the test's log that it does not explore.
func LogSize(t testing.TB) {
	t.Helper()
	if !Explore() {
		t.Log("some of what there is: SEGUE_EXPLORE=1 tries all")
	}
}

// WaitFor waits for done, not for ever.
func WaitFor(t testing.TB, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it hangs")
	}
}

// PanicOf returns the error that do panics with, nil if it returns. Another
// value becomes an error that says so.
func PanicOf(do func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			var ok bool
			if err, ok = v.(error); !ok {
				err = fmt.Errorf("panic with a %T: %v", v, v)
			}
		}
	}()
	do()
	return nil
}
