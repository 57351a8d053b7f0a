package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/examples/internal/live"
)

func TestSPA(t *testing.T) {
	url := "http://" + live.Start(t, run)
	page, err := os.ReadFile("dist/index.html")
	require.NoError(t, err)
	for request, want := range map[string]string{
		"GET /":                "200 " + string(page),
		"GET /notes/1":         "200 " + string(page),
		"GET /notes/1/":        "200 " + string(page),
		"HEAD /notes/1":        "200 ",
		"GET /apis":            "200 " + string(page),
		"GET /style.css":       "200 body { font-family: sans-serif; margin: 2em auto; max-width: 40em; }\n",
		"GET /app.jsx":         "404 404 page not found\n",
		"GET /style%2Ecss/x.y": "404 404 page not found\n",
		"POST /notes/1":        "405 Method Not Allowed\n",
		"GET /api/notes":       "200 []",
		"GET /api/nope":        `404 {"error":"Not Found"}`,
		"GET /api":             `404 {"error":"Not Found"}`,
		"DELETE /api/notes":    `405 {"error":"Method Not Allowed"}`,
		"DELETE /api/nope":     `404 {"error":"Not Found"}`,
	} {
		method, path, _ := strings.Cut(request, " ")
		resp, body := live.Ask(t, method, url+path, "")
		assert.Equal(t, want, fmt.Sprint(resp.StatusCode, " ", body), request)
	}
	resp, _ := live.Ask(t, "DELETE", url+"/api/notes", "")
	assert.Equal(t, "GET, HEAD, OPTIONS, POST", resp.Header.Get("Allow"))
	resp, _ = live.Ask(t, "GET", url+"/app.js", "")
	assert.Equal(t, "text/javascript; charset=utf-8", resp.Header.Get("Content-Type"))
	assert.Equal(t, "no-cache", resp.Header.Get("Cache-Control"))
}

func TestNotes(t *testing.T) {
	url := "http://" + live.Start(t, run) + "/api/notes"
	resp, body := live.Ask(t, "POST", url, `{"text":"milk"}`)
	assert.Equal(t, http.StatusCreated, resp.StatusCode, body)
	resp, body = live.Ask(t, "POST", url, `{"text":" "}`)
	assert.Equal(t, http.StatusUnprocessableEntity, resp.StatusCode)
	assert.Equal(t, `{"error":"a note needs a text"}`, body)
	_, body = live.Ask(t, "GET", url, "")
	assert.Equal(t, `[{"text":"milk"}]`, body)
}

func TestPortTaken(t *testing.T) { live.PortTaken(t, run) }
