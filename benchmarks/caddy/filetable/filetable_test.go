// Package filetable holds a column of docs/files.md to what Caddy's file server
// answers, in Caddy's own server.
package filetable

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/brotli"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/gzip"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/zstd"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/fileserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/internal/filetable"
	"github.com/segue-go/segue/internal/loopback"
)

const page = "../../../docs/files.md"

var update = flag.Bool("update", false, "write the column of Caddy in docs/files.md anew")

func TestCaddy(t *testing.T) {
	filetable.Check(t, page, "Caddy", *update, serve)
}

const settings = `{
	admin off
	persist_config off
	auto_https off
	log {
		output discard
	}
}
`

// sites are the sites of the one Caddy that runs in a process.
var sites string

// serve adds a site to the Caddyfile, and loads it.
func serve(t *testing.T, dir string, compressed bool) string {
	address, err := loopback.FreeAddr()
	require.NoError(t, err)
	host, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	fileServer := "file_server"
	if compressed {
		fileServer = "file_server {\n\t\tprecompressed br zstd gzip\n\t}"
	}
	sites += fmt.Sprintf("http://:%s {\n\tbind %s\n\troot %q\n\t%s\n}\n", port, host, dir, fileServer)
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(settings+sites), nil)
	require.NoError(t, err)
	require.NoError(t, caddy.Load(config, true))
	t.Cleanup(func() { assert.NoError(t, caddy.Stop()) })
	return address
}

// The page names the version that has been asked.
func TestVersion(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/caddyserver/caddy/v2").Output()
	require.NoError(t, err)
	assert.Contains(t, string(text), "Caddy "+strings.TrimSpace(string(version)))
}
