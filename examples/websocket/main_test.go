package main

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/websocket"

	"github.com/segue-go/segue/examples/internal/live"
)

func dial(addr, room, origin string) (*websocket.Conn, error) {
	return websocket.Dial("ws://"+addr+"/echo/"+room, "", origin)
}

func exchange(t *testing.T, ws *websocket.Conn, message string) string {
	t.Helper()
	require.NoError(t, websocket.Message.Send(ws, message))
	var answer string
	require.NoError(t, websocket.Message.Receive(ws, &answer))
	return answer
}

func TestEcho(t *testing.T) {
	addr := live.Start(t, run)
	ws, err := dial(addr, "kitchen", "http://"+addr)
	require.NoError(t, err)
	defer ws.Close()
	assert.Equal(t, "kitchen: hello", exchange(t, ws, "hello"))
	assert.Equal(t, "kitchen: ", exchange(t, ws, ""))
	long := strings.Repeat("x", 60_000)
	assert.Equal(t, "kitchen: "+long, exchange(t, ws, long))
}

// Each connection keeps its own room, however many there are.
func TestRooms(t *testing.T) {
	addr := live.Start(t, run)
	var wg sync.WaitGroup
	for _, room := range []string{"a", "b", "c%2Fd", "%C3%A4"} {
		wg.Go(func() {
			ws, err := dial(addr, room, "http://"+addr)
			if !assert.NoError(t, err) {
				return
			}
			defer ws.Close()
			want := strings.NewReplacer("%2F", "/", "%C3%A4", "ä").Replace(room)
			for range 20 {
				assert.Equal(t, want+": m", exchange(t, ws, "m"))
			}
		})
	}
	wg.Wait()
}

func TestOtherOrigin(t *testing.T) {
	addr := live.Start(t, run)
	_, err := dial(addr, "kitchen", "http://elsewhere.example")
	var refused *websocket.DialError
	require.ErrorAs(t, err, &refused)
	assert.ErrorIs(t, refused.Err, websocket.ErrBadStatus)
}

func TestPlainHTTP(t *testing.T) {
	url := "http://" + live.Start(t, run)
	resp, body := live.Ask(t, "GET", url+"/echo/kitchen", "")
	assert.Equal(t, http.StatusUpgradeRequired, resp.StatusCode)
	assert.Equal(t, "websocket", resp.Header.Get("Upgrade"))
	assert.Equal(t, "this is a WebSocket\n", body)
	resp, _ = live.Ask(t, "POST", url+"/echo/kitchen", "")
	assert.Equal(t, http.StatusMethodNotAllowed, resp.StatusCode)
	resp, _ = live.Ask(t, "GET", url+"/", "")
	assert.Equal(t, http.StatusOK, resp.StatusCode)
}

func TestPortTaken(t *testing.T) { live.PortTaken(t, run) }
