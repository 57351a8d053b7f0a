package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
		"GET /assets/app-2.js": "404 404 page not found\n",
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
}

// TestFiles asks for files by each of the ways that Files has.
func TestFiles(t *testing.T) {
	app := newApp()
	get := func(path, accept string) (h http.Header, body []byte) {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		assert.Equal(t, http.StatusOK, w.Code, path)
		return w.Header(), w.Body.Bytes()
	}
	script, err := os.ReadFile("dist/assets/app-1.js")
	require.NoError(t, err)
	h, body := get("/assets/app-1.js", "")
	assert.Equal(t, script, body)
	assert.Equal(t, "text/javascript; charset=utf-8", h.Get("Content-Type"))
	assert.Equal(t, "public, max-age=31536000, immutable", h.Get("Cache-Control"))

	h, body = get("/assets/app-1.js", "gzip")
	assert.Equal(t, "gzip", h.Get("Content-Encoding"))
	assert.Equal(t, "text/javascript; charset=utf-8", h.Get("Content-Type"))
	plain, err := gzip.NewReader(bytes.NewReader(body))
	require.NoError(t, err)
	body, err = io.ReadAll(plain)
	require.NoError(t, err)
	assert.Equal(t, script, body, "the build has to compress it anew")

	h, body = get("/about", "")
	assert.Contains(t, string(body), "<h1>About</h1>")
	assert.Equal(t, "no-cache", h.Get("Cache-Control"))
	h, _ = get("/notes/1", "")
	assert.Equal(t, "no-cache", h.Get("Cache-Control"))
}

func TestNotes(t *testing.T) {
	url := "http://" + live.Start(t, run) + "/api/notes"
	resp, body := live.Ask(t, "POST", url, `{"text":"milk"}`)
	assert.Equal(t, http.StatusCreated, resp.StatusCode, body)
	assert.Equal(t, "/api/notes/1", resp.Header.Get("Location"))
	_, body = live.Ask(t, "GET", url+"/1", "")
	assert.Equal(t, `{"id":1,"text":"milk"}`, body)
	resp, body = live.Ask(t, "GET", url+"/7", "")
	assert.Equal(t, `404 {"error":"no note 7"}`, fmt.Sprint(resp.StatusCode, " ", body))
	resp, _ = live.Ask(t, "POST", url, `{"text":"milk","colour":"red"}`)
	assert.Equal(t, http.StatusBadRequest, resp.StatusCode)
	resp, _ = live.Ask(t, "POST", url, `{"text":"`+strings.Repeat("m", 70_000)+`"}`)
	assert.Equal(t, http.StatusRequestEntityTooLarge, resp.StatusCode)
	resp, body = live.Ask(t, "POST", url, `{"text":" "}`)
	assert.Equal(t, http.StatusUnprocessableEntity, resp.StatusCode)
	assert.Equal(t, `{"error":"a note needs a text"}`, body)
	_, body = live.Ask(t, "GET", url, "")
	assert.Equal(t, `[{"id":1,"text":"milk"}]`, body)
	_, body = live.Ask(t, "GET", url+"?id=7&id=1", "")
	assert.Equal(t, `[{"id":1,"text":"milk"}]`, body)
	resp, _ = live.Ask(t, "GET", url+"?id=7&id=x", "")
	assert.Equal(t, http.StatusBadRequest, resp.StatusCode)
	_, body = live.Ask(t, "GET", url+"?limit=0", "")
	assert.Equal(t, `[]`, body)
}

func TestPortTaken(t *testing.T) { live.PortTaken(t, run) }
