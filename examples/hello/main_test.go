package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/segue-go/segue/examples/internal/live"
)

func TestHello(t *testing.T) {
	server := httptest.NewServer(newApp())
	defer server.Close()
	for _, tt := range []struct {
		path   string
		status int
		answer string
	}{
		{"/hello/vikram", http.StatusOK, "Hello, vikram!\n"},
		{"/hello/%3Cb%3E", http.StatusOK, "Hello, <b>!\n"},
		{"/users", http.StatusOK, "all users\n"},
		{"/users/", http.StatusOK, "all users\n"},
		{"/users/new", http.StatusOK, "a form\n"},
		{"/users/7", http.StatusOK, `{"id":7}`},
		{"/users/seven", http.StatusBadRequest, "path parameter id: \"seven\" is not a whole number\n"},
		{"/nobody", http.StatusNotFound, "404 page not found\n"},
	} {
		resp, body := live.Ask(t, "GET", server.URL+tt.path, "")
		assert.Equal(t, tt.status, resp.StatusCode, tt.path)
		assert.Equal(t, tt.answer, body, tt.path)
		assert.NotContains(t, resp.Header.Get("Content-Type"), "html", tt.path)
	}
}
