// Package filetable holds a column of docs/files.md to what serve-static answers.
// It needs Node, and what npm ci --prefix e2e/servers/node installs.
package filetable

import (
	"bytes"
	"encoding/json"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/internal/filetable"
	"github.com/segue-go/segue/internal/loopback"
)

const (
	page = "../../docs/files.md"
	node = "../e2e/servers/node"
)

var update = flag.Bool("update", false, "write the column of serve-static in docs/files.md anew")

func TestServeStatic(t *testing.T) {
	filetable.Check(t, page, "serve-static", *update, serve)
}

// serve starts the server, and waits until it can be reached. serve-static sends no
// compressed siblings.
func serve(t *testing.T, dir string) (address, _ string) {
	address, err := loopback.FreeAddr()
	require.NoError(t, err)
	server := exec.Command("node", filepath.Join(node, "static.js"), address, dir)
	var log bytes.Buffer // each answer of an error is in it
	server.Stderr = &log
	require.NoError(t, server.Start(), "install Node: apt-get install nodejs npm")
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() { server.Process.Kill() })
	for {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			return address, ""
		}
		select {
		case err := <-ended:
			t.Fatalf("the server ended: %v; run npm ci --prefix e2e/servers/node\n%s", err, log.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// The page names the versions that have been asked.
func TestVersions(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	for module, name := range map[string]string{"express": "Express", "serve-static": "serve-static"} {
		about, err := os.ReadFile(filepath.Join(node, "node_modules", module, "package.json"))
		require.NoError(t, err, "run npm ci --prefix e2e/servers/node")
		var its struct{ Version string }
		require.NoError(t, json.Unmarshal(about, &its))
		assert.Contains(t, string(text), name+" "+its.Version)
	}
}
