package main

import (
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// freeAddr is an address that nobody listens on.
func freeAddr(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

func ask(t *testing.T, url string) (int, string) {
	var resp *http.Response
	require.Eventually(t, func() (ok bool) {
		var err error
		resp, err = http.Get(url)
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

func TestHello(t *testing.T) {
	addr := freeAddr(t)
	go serve(addr)
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
