package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/internal/loopback"
)

func TestRequestLog(t *testing.T) {
	var log bytes.Buffer
	app := newApp(slog.New(withID{slog.NewJSONHandler(&log, nil)}))
	for _, tt := range []struct {
		target, pattern string
		status          int
	}{
		{"/hello/ada", "GET /hello/{name}", 200},
		{"/hello/ada/", "GET /hello/{name}", 307},
		{"/nope", "", 404},
	} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", tt.target, nil))
		var line struct {
			ID, Pattern, Path string
			Status            int
		}
		require.NoError(t, json.Unmarshal(log.Bytes(), &line))
		log.Reset()
		assert.Equal(t, tt.pattern, line.Pattern)
		assert.Equal(t, tt.target, line.Path)
		assert.Equal(t, tt.status, line.Status)
		assert.Equal(t, w.Header().Get("X-Request-Id"), line.ID)
	}
}

// TestShutdown ends the server while a request is in flight: it is answered.
func TestShutdown(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	listener, err := net.Listen("tcp", loopback.Host()+":0")
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	app := newApp(log)
	app.GET("/slow", func(w http.ResponseWriter, r *http.Request) {
		stop()
		<-ctx.Done()
		io.WriteString(w, "done")
	})
	served := make(chan error, 1)
	go func() { served <- serve(ctx, listener, app, log) }()

	resp, err := http.Get("http://" + listener.Addr().String() + "/slow")
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Equal(t, "done", string(body))
	assert.NoError(t, <-served)
	_, err = net.Dial("tcp", listener.Addr().String())
	assert.Error(t, err, "it still listens")
}
