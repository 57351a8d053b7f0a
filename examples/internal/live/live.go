// Package live starts the examples for their tests.
package live

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/internal/loopback"
)

// Patience is for what would never come. No test is to fail on it.
const Patience = 2 * time.Minute

// Start runs a program on a free port and returns its address when it listens.
func Start(t *testing.T, run func(addr string) error) (addr string) {
	t.Helper()
	addr, err := loopback.FreeAddr()
	require.NoError(t, err)
	go run(addr)
	require.Eventually(t, func() bool { return Listens(addr) }, Patience, 5*time.Millisecond, "it does not listen")
	return addr
}

// Listens reports whether somebody accepts connections there.
func Listens(addr string) bool {
	conn, err := net.Dial("tcp", addr)
	if err == nil {
		conn.Close()
	}
	return err == nil
}

// PortTaken checks what a program says if another one has its port.
func PortTaken(t *testing.T, run func(addr string) error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	err = run(l.Addr().String())
	require.Error(t, err)
	assert.Contains(t, err.Error(), "another program listens on "+l.Addr().String())
	assert.Contains(t, err.Error(), "-addr localhost:")
}

// Ask sends a request without following redirects and returns the answer with
// its body read.
func Ask(t *testing.T, method, url, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp, string(text)
}
