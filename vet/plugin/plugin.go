// Package plugin gives the analyzer to golangci-lint, as a module plugin under
// the name segue. vet/README.md has the two files that it takes.
package plugin

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/segue-go/segue/vet"
)

func init() { register.Plugin("segue", newLinter) }

// settings are what .golangci.yml may set under linters.settings.custom.segue.settings.
type settings struct {
	Unread bool `json:"unread"` // the flag -unread
}

type linter struct{ settings }

func newLinter(conf any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[settings](conf)
	return linter{s}, err
}

// BuildAnalyzers returns the analyzer with the settings as its flags.
func (l linter) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	a := vet.New()
	if l.Unread {
		if err := a.Flags.Set("unread", "true"); err != nil {
			return nil, err
		}
	}
	return []*analysis.Analyzer{a}, nil
}

// GetLoadMode asks for types.
func (linter) GetLoadMode() string { return register.LoadModeTypesInfo }
