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

const caddyfile = `{
	admin off
	persist_config off
	auto_https off
	log {
		output discard
	}
}

(files) {
	bind %[1]s
	root %[2]q
}

http://:%[3]s {
	import files
	file_server
}

http://:%[4]s {
	import files
	file_server {
		precompressed br zstd gzip
	}
}
`

func serve(t *testing.T, dir string) (plain, compressed string) {
	plain, err := loopback.FreeAddr()
	require.NoError(t, err)
	compressed, err = loopback.FreeAddr()
	require.NoError(t, err)
	host, port, err := net.SplitHostPort(plain)
	require.NoError(t, err)
	_, another, err := net.SplitHostPort(compressed)
	require.NoError(t, err)
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt(fmt.Appendf(nil, caddyfile, host, dir, port, another), nil)
	require.NoError(t, err)
	require.NoError(t, caddy.Load(config, true))
	t.Cleanup(func() { assert.NoError(t, caddy.Stop()) })
	return plain, compressed
}

// The page names the version that has been asked.
func TestVersion(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/caddyserver/caddy/v2").Output()
	require.NoError(t, err)
	assert.Contains(t, string(text), "Caddy "+strings.TrimSpace(string(version)))
}
