package plugin

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"
)

// golangci-lint finds the plugin by its name and hands it the settings of its
// file, or nil.
func TestPlugin(t *testing.T) {
	newPlugin, err := register.GetPlugin("segue")
	if err != nil {
		t.Fatal(err)
	}
	for unread, conf := range map[string]any{"false": nil, "true": map[string]any{"unread": true}} {
		p, err := newPlugin(conf)
		if err != nil {
			t.Fatal(err)
		}
		analyzers, err := p.BuildAnalyzers()
		if err != nil || len(analyzers) != 1 {
			t.Fatalf("%d analyzers, error %v", len(analyzers), err)
		}
		if got := analyzers[0].Flags.Lookup("unread").Value.String(); got != unread {
			t.Errorf("settings %v: -unread is %s", conf, got)
		}
		if p.GetLoadMode() != register.LoadModeTypesInfo {
			t.Error("the analyzer needs types")
		}
	}
	if _, err := newPlugin(map[string]any{"unraed": true}); err == nil {
		t.Error("an unknown setting is taken")
	}
}
