package respond

// These tests ask net/http's own writers, over HTTP/1.1 and HTTP/2: what a State
// says is what the client got.

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// eachProtocol serves handler with a wrapped writer, and calls test with a client of the
// server and a function that waits for the State of the request.
func eachProtocol(t *testing.T, handler http.HandlerFunc, test func(t *testing.T, server *httptest.Server, state func() *State)) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			states := make(chan *State, 9)
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, protocol, r.Proto)
				wrapped := Wrap(w)
				assert.Equal(t, names(setOf(w)), names(setOf(wrapped)))
				defer func() { states <- StateOf(wrapped) }()
				handler(wrapped, r)
			}))
			server.EnableHTTP2 = protocol == "HTTP/2.0"
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.StartTLS()
			defer server.Close()
			test(t, server, func() *State {
				select {
				case state := <-states:
					return state
				case <-time.After(time.Minute):
					require.Fail(t, "the handler did not return")
					return nil
				}
			})
		})
	}
}

// A State has the status that the client got, and the bytes of the body.
func TestLiveStatusAndBytes(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", 1<<16)
	file := t.TempDir() + "/file"
	require.NoError(t, os.WriteFile(file, []byte(large), 0o600))
	for _, test := range []struct {
		what    string
		handler http.HandlerFunc
		status  int
		bytes   int
	}{
		{"nothing", func(w http.ResponseWriter, r *http.Request) {}, 0, 0},
		{"a status", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) }, 418, 0},
		{"a write", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("hello")) }, 200, 5},
		{"a string", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, large) }, 200, len(large)},
		{"a copy", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, strings.NewReader(large)) }, 200, len(large)},
		{"a file", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) }, 200, len(large)},
		{"an error", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "gone", http.StatusGone) }, 410, 5},
		{"early hints", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			assert.False(t, StateOf(w).Begun())
			http.NotFound(w, r)
		}, 404, len("404 page not found\n")},
		{"a stream", func(w http.ResponseWriter, r *http.Request) {
			for range 3 {
				io.WriteString(w, "event\n")
				assert.NoError(t, http.NewResponseController(w).Flush())
			}
		}, 200, 18},
		{"no content", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNoContent)
			_, err := io.WriteString(w, "refused")
			assert.ErrorIs(t, err, http.ErrBodyNotAllowed)
		}, 204, 0},
		{"not modified", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNotModified)
			_, err := io.Copy(w, strings.NewReader("refused"))
			assert.ErrorIs(t, err, http.ErrBodyNotAllowed)
		}, 304, 0},
	} {
		t.Run(test.what, func(t *testing.T) {
			eachProtocol(t, test.handler, func(t *testing.T, server *httptest.Server, state func() *State) {
				resp, err := server.Client().Get(server.URL)
				require.NoError(t, err)
				defer resp.Body.Close()
				body, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				s := state()
				assert.Equal(t, test.status, s.Status())
				assert.Equal(t, int64(test.bytes), s.Bytes())
				assert.False(t, s.Hijacked())
				assert.Equal(t, test.status != 0, s.Begun())
				if s.Begun() {
					assert.Equal(t, resp.StatusCode, s.Status())
				}
				assert.Len(t, body, test.bytes)
			})
		})
	}
}

// The body of an answer to HEAD is counted, and the client gets none.
func TestLiveHead(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "hello")
		io.Copy(w, strings.NewReader(", world"))
	}, func(t *testing.T, server *httptest.Server, state func() *State) {
		resp, err := server.Client().Head(server.URL)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		assert.NoError(t, err)
		assert.Empty(t, body)
		assert.Equal(t, int64(len("hello, world")), state().Bytes())
	})
}

// A panic leaves the State as it was.
func TestLivePanic(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, "half")
		panic("in the middle")
	}, func(t *testing.T, server *httptest.Server, state func() *State) {
		_, err := server.Client().Get(server.URL)
		assert.Error(t, err)
		s := state()
		assert.True(t, s.Begun())
		assert.Equal(t, http.StatusAccepted, s.Status())
		assert.Equal(t, int64(4), s.Bytes())
	})
}

// After a hijack nothing that is written to the writer counts. HTTP/2 has no
// hijack, and the State says so.
func TestLiveHijack(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if r.ProtoMajor == 2 {
			assert.ErrorIs(t, err, http.ErrNotSupported)
			return
		}
		require.NoError(t, err)
		defer conn.Close()
		rw.WriteString("HTTP/1.1 299 Own Words\r\nConnection: close\r\n\r\nown words")
		rw.Flush()
		_, err = w.Write([]byte("refused"))
		assert.ErrorIs(t, err, http.ErrHijacked)
	}, func(t *testing.T, server *httptest.Server, state func() *State) {
		resp, err := server.Client().Get(server.URL)
		require.NoError(t, err)
		defer resp.Body.Close()
		s := state()
		assert.Equal(t, resp.ProtoMajor == 1, resp.StatusCode == 299)
		assert.Equal(t, resp.ProtoMajor == 1, s.Hijacked())
		assert.Equal(t, resp.ProtoMajor == 1, s.Begun())
		assert.Zero(t, s.Status())
		assert.Zero(t, s.Bytes())
	})
}

// Deadlines are set on the server's own writer.
func TestLiveDeadlines(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		assert.NoError(t, control.SetReadDeadline(time.Now().Add(time.Minute)))
		assert.NoError(t, control.SetWriteDeadline(time.Now().Add(time.Minute)))
		assert.NoError(t, control.EnableFullDuplex())
		assert.False(t, StateOf(w).Begun())
	}, func(t *testing.T, server *httptest.Server, state func() *State) {
		resp, err := server.Client().Get(server.URL)
		require.NoError(t, err)
		resp.Body.Close()
		state()
	})
}

// A State can be asked while the handler streams, and after its client has left.
func TestLiveStream(t *testing.T) {
	running := make(chan *State)
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		running <- StateOf(w)
		for r.Context().Err() == nil {
			io.WriteString(w, "event\n")
			http.NewResponseController(w).Flush()
		}
	}, func(t *testing.T, server *httptest.Server, state func() *State) {
		ctx, leave := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, "GET", server.URL, nil)
		require.NoError(t, err)
		asked := make(chan bool)
		go func() {
			defer close(asked)
			for s := <-running; s.Bytes() < 600; {
				s.Begun()
				s.Status()
			}
		}()
		resp, err := server.Client().Do(request)
		require.NoError(t, err)
		go io.Copy(io.Discard, resp.Body)
		<-asked
		leave()
		s := state()
		assert.Equal(t, 200, s.Status())
		assert.GreaterOrEqual(t, s.Bytes(), int64(600))
	})
}
