package paths

import (
	"testing"

	"github.com/segue-go/segue"
)

func TestRefused(t *testing.T) {
	if _, err := segue.PathFor("/{id}"); err == nil {
		t.Error("no error")
	}
}
