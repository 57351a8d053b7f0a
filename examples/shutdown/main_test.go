package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/examples/internal/live"
)

// A program is the example, running.
type program struct {
	addr  string
	stop  context.CancelFunc // as a signal does
	begun chan bool          // gets a value for each request whose handler runs
	ended chan error
}

func start(t *testing.T, wait patience) program {
	ctx, stop := context.WithCancel(t.Context())
	p := program{stop: stop, begun: make(chan bool, 10), ended: make(chan error, 1)}
	app := newApp()
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p.begun <- true
			next.ServeHTTP(w, r)
		})
	})
	p.addr = live.Start(t, func(addr string) error {
		err := run(ctx, addr, app, wait)
		p.ended <- err
		return err
	})
	return p
}

// send sends a request and returns where its answer will be, once the request
// is surely in flight.
func (p program) send(t *testing.T, path string) <-chan string {
	answer := make(chan string, 1)
	go func() {
		resp, err := http.Get("http://" + p.addr + path)
		if err != nil {
			answer <- "failed"
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		answer <- fmt.Sprint(resp.StatusCode, " ", string(body))
	}()
	select {
	case <-p.begun:
	case <-time.After(live.Patience):
		require.FailNow(t, "the handler does not run")
	}
	return answer
}

func (p program) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-p.ended:
		return err
	case <-time.After(live.Patience):
		require.FailNow(t, "it does not end")
		return nil
	}
}

// A request in flight is finished, and nobody else gets in.
func TestFinishes(t *testing.T) {
	p := start(t, patience{finish: live.Patience})
	answer := p.send(t, "/tasks/500ms")
	p.stop()
	require.Eventually(t, func() bool { return !live.Listens(p.addr) }, live.Patience, time.Millisecond)
	assert.Equal(t, "200 done\n", <-answer)
	assert.NoError(t, p.end(t))
}

// One that takes too long is told, and answers that.
func TestTellsThoseThatWait(t *testing.T) {
	p := start(t, patience{finish: 10 * time.Millisecond, stop: live.Patience})
	answer := p.send(t, "/tasks/1h")
	p.stop()
	assert.Equal(t, "503 the server is shutting down, try again\n", <-answer)
	assert.NoError(t, p.end(t))
}

// One that does not listen is cut off.
func TestGivesUp(t *testing.T) {
	p := start(t, patience{finish: 10 * time.Millisecond, stop: 10 * time.Millisecond})
	answer := p.send(t, "/stubborn/1h")
	p.stop()
	assert.Equal(t, "failed", <-answer)
	assert.ErrorIs(t, p.end(t), context.DeadlineExceeded)
}

func TestAnswers(t *testing.T) {
	p := start(t, patience{})
	_, body := live.Ask(t, "GET", "http://"+p.addr+"/tasks/0s", "")
	assert.Equal(t, "done\n", body)
	resp, _ := live.Ask(t, "GET", "http://"+p.addr+"/tasks/2h", "")
	assert.Equal(t, http.StatusBadRequest, resp.StatusCode)
}

func TestPortTaken(t *testing.T) {
	live.PortTaken(t, func(addr string) error { return run(t.Context(), addr, newApp(), patience{}) })
}
