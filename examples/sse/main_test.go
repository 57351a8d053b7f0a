package main

import (
	"bufio"
	"context"
	"io"
	"log"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/examples/internal/live"
)

// start runs the example with events so far apart.
func start(t *testing.T, every time.Duration) (url string, tk *ticker) {
	log.SetOutput(io.Discard)
	tk = &ticker{every: every}
	addr := live.Start(t, func(addr string) error { return serve(addr, tk) })
	return "http://" + addr, tk
}

func TestTicks(t *testing.T) {
	url, _ := start(t, time.Millisecond)
	resp, body := live.Ask(t, "GET", url+"/ticks/3", "")
	assert.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	assert.Equal(t, "id: 1\ndata: tick 1 of 3\n\nid: 2\ndata: tick 2 of 3\n\nid: 3\ndata: tick 3 of 3\n\n", body)

	resp, body = live.Ask(t, "GET", url+"/ticks/many", "")
	assert.Equal(t, http.StatusBadRequest, resp.StatusCode)
	assert.Equal(t, "path parameter count: \"many\" is not a whole number\n", body)
}

func TestComesBack(t *testing.T) {
	url, _ := start(t, time.Millisecond)
	r, err := http.NewRequest("GET", url+"/ticks/3", nil)
	require.NoError(t, err)
	r.Header.Set("Last-Event-ID", "2")
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Equal(t, "id: 3\ndata: tick 3 of 3\n\n", string(body))
}

// The first event is there long before the second, and the handler ends when
// the client leaves.
func TestEventsLeaveAtOnce(t *testing.T) {
	url, tk := start(t, time.Hour)
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", url+"/ticks/2", nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	line, err := bufio.NewReader(resp.Body).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "id: 1\n", line)
	assert.EqualValues(t, 1, tk.open.Load())
	leave()
	require.Eventually(t, func() bool { return tk.open.Load() == 0 }, live.Patience, time.Millisecond)
}

func TestBroken(t *testing.T) {
	url, _ := start(t, time.Millisecond)
	resp, err := http.Get(url + "/broken")
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Equal(t, "id: 1\ndata: so far, so good\n\n", string(body))
}

func TestPortTaken(t *testing.T) { live.PortTaken(t, run) }
