package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A run checks the answers of all servers, and writes the data and the page.
func TestRun(t *testing.T) {
	out := t.TempDir()
	require.NoError(t, run(1, time.Microsecond, out, false))
	assert.FileExists(t, filepath.Join(out, "caddy.json"))
	page, err := os.ReadFile(filepath.Join(out, "caddy.md"))
	require.NoError(t, err)
	for _, s := range servers {
		assert.Contains(t, string(page), "\n| "+s.Title+" | ")
	}
	assert.Contains(t, string(page), "caddyserver/caddy/v2 v")
}
