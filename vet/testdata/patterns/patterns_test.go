package patterns

import (
	"testing"

	"github.com/segue-go/segue"
)

func panics(t *testing.T, f func()) {}

// A test says what is refused; only what it runs itself is taken at its word.
func TestPatterns(t *testing.T) {
	panics(t, func() { segue.New().GET("/{", handler) })
	for _, test := range []struct {
		name string
		f    func()
	}{{"brace", func() { segue.New().GET("/{", handler) }}} {
		panics(t, test.f)
	}
	t.Run("more", func(t *testing.T) {
		segue.New().GET("/{", handler) // want `the brace is not closed`
	})
}
