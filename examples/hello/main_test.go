package main

import (
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/examples/internal/live"
)

func ask(t *testing.T, url string) (int, string) {
	resp, body := live.Ask(t, "GET", url, "")
	return resp.StatusCode, body
}

func TestHello(t *testing.T) {
	addr := live.Start(t, serve)
	status, body := ask(t, "http://"+addr+"/hello/vikram")
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "Hello, vikram!\n", body)
	status, body = ask(t, "http://"+addr+"/hello/%3Cb%3E")
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "Hello, <b>!\n", body)
	status, _ = ask(t, "http://"+addr+"/nobody")
	assert.Equal(t, http.StatusNotFound, status)
}

func TestPortTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	err = serve(l.Addr().String())
	require.Error(t, err)
	assert.Contains(t, err.Error(), "another program listens on "+l.Addr().String())
	assert.Contains(t, err.Error(), "-addr :18001")
}
