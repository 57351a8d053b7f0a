package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

	"github.com/segue-go/segue/examples/internal/live"
)

// A client speaks HTTP/2 without TLS and counts its connections.
type client struct {
	http.Client
	dialed atomic.Int32
}

func (c *client) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c.dialed.Add(1)
	var d net.Dialer
	return d.DialContext(ctx, network, addr)
}

// clients returns net/http's own client and that of golang.org/x/net, which is
// another implementation than the server's.
func clients(t *testing.T) map[string]*client {
	ours, theirs := new(client), new(client)
	std := &http.Transport{DialContext: ours.dial, Protocols: new(http.Protocols)}
	std.Protocols.SetUnencryptedHTTP2(true)
	//lint:ignore SA1019 deprecated for programs; a second implementation is the point here
	other := &http2.Transport{
		AllowHTTP: true, //lint:ignore SA1019 as above
		//lint:ignore SA1019 as above
		DialTLSContext: func(ctx context.Context, network, addr string, _ *tls.Config) (net.Conn, error) {
			return theirs.dial(ctx, network, addr)
		},
	}
	ours.Transport, theirs.Transport = std, other
	for _, c := range []*client{ours, theirs} {
		t.Cleanup(c.CloseIdleConnections)
	}
	return map[string]*client{"net/http": ours, "golang.org/x/net/http2": theirs}
}

func get(t *testing.T, c *client, url string) (status int, body string) {
	resp, err := c.Get(url)
	if !assert.NoError(t, err) {
		return 0, ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	assert.NoError(t, err)
	return resp.StatusCode, string(text)
}

// connect asks until the client goes back to a connection that it has: net/http's
// answers a request before it puts the new connection where the next one finds it.
func connect(t *testing.T, c *client, url string) {
	require.Eventually(t, func() bool {
		before := c.dialed.Load()
		get(t, c, url+"/hello/first")
		return c.dialed.Load() == before
	}, time.Minute, time.Millisecond)
}

// Many requests at once on one connection, each with its own parameter.
func TestHTTP2(t *testing.T) {
	url := "http://" + live.Start(t, run)
	for name, c := range clients(t) {
		t.Run(name, func(t *testing.T) {
			connect(t, c, url)
			dialed := c.dialed.Load()
			var wg sync.WaitGroup
			for i := range 50 {
				wg.Go(func() {
					status, body := get(t, c, fmt.Sprintf("%s/hello/n%d", url, i))
					assert.Equal(t, http.StatusOK, status)
					assert.Equal(t, fmt.Sprintf("Hello, n%d, over HTTP/2.0!\n", i), body)
				})
			}
			wg.Wait()
			assert.Equal(t, dialed, c.dialed.Load(), "connections beside the one that was there")

			status, body := get(t, c, url+"/nope")
			assert.Equal(t, "404 404 page not found\n", fmt.Sprint(status, " ", body))
			status, _ = get(t, c, url+"/upper")
			assert.Equal(t, http.StatusMethodNotAllowed, status)
		})
	}
}

// The answer comes while the request is still being sent.
func TestBothWays(t *testing.T) {
	url := "http://" + live.Start(t, run)
	for name, c := range clients(t) {
		t.Run(name, func(t *testing.T) {
			body, in := io.Pipe()
			resp, err := c.Post(url+"/upper", "text/plain", body)
			require.NoError(t, err)
			defer resp.Body.Close()
			for _, word := range []string{"one", "two"} {
				_, err := io.WriteString(in, word)
				require.NoError(t, err)
				answer := make([]byte, len(word))
				_, err = io.ReadFull(resp.Body, answer)
				require.NoError(t, err)
				assert.Equal(t, strings.ToUpper(word), string(answer))
			}
			require.NoError(t, in.Close())
			rest, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Empty(t, rest)
		})
	}
}

func TestHTTP1(t *testing.T) {
	url := "http://" + live.Start(t, run)
	_, body := live.Ask(t, "GET", url+"/hello/vikram", "")
	assert.Equal(t, "Hello, vikram, over HTTP/1.1!\n", body)
}

func TestPortTaken(t *testing.T) { live.PortTaken(t, run) }
