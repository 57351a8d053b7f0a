package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/segue-go/segue"
)

// A service is the app with what it writes down kept at hand.
type service struct {
	*segue.Router
	t     *testing.T
	store *store
	spans *tracetest.InMemoryExporter
	log   *bytes.Buffer
}

func newService(t *testing.T, limit int) *service {
	t.Helper()
	notes, err := openStore(t.Context(), ":memory:")
	require.NoError(t, err)
	t.Cleanup(func() { notes.Close() })
	s := &service{t: t, store: notes, spans: tracetest.NewInMemoryExporter(), log: new(bytes.Buffer)}
	s.Router = newApp(config{
		notes:  notes,
		log:    slog.New(slog.NewJSONHandler(s.log, nil)),
		tracer: sdktrace.NewTracerProvider(sdktrace.WithSyncer(s.spans)),
		origin: "https://app.example",
		limit:  limit,
	})
	return s
}

// do sends a request; headers are "Name: value".
func (s *service) do(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

const (
	asJSON = "Content-Type: application/json"
	asForm = "Content-Type: application/x-www-form-urlencoded"
)

// add stores a note by way of the API.
func (s *service) add(title, text string) note {
	s.t.Helper()
	body, err := json.Marshal(note{Title: title, Text: text})
	require.NoError(s.t, err)
	w := s.do("POST", "/api/notes", string(body), asJSON)
	require.Equal(s.t, http.StatusCreated, w.Code, w.Body)
	var n note
	require.NoError(s.t, json.Unmarshal(w.Body.Bytes(), &n))
	return n
}

// logged returns the log's lines with a message.
func (s *service) logged(message string) (lines []map[string]any) {
	s.t.Helper()
	for line := range strings.Lines(s.log.String()) {
		var fields map[string]any
		require.NoError(s.t, json.Unmarshal([]byte(line), &fields))
		if fields["msg"] == message {
			lines = append(lines, fields)
		}
	}
	return lines
}

func TestAPI(t *testing.T) {
	s := newService(t, 100)
	n := s.add("Milk", "two litres")
	assert.Equal(t, int64(1), n.ID)
	assert.False(t, n.Changed.IsZero())

	w := s.do("PUT", "/api/notes/1", `{"title":"Milk","text":"three litres"}`, asJSON)
	assert.Equal(t, http.StatusOK, w.Code)
	w = s.do("GET", "/api/notes/1", "")
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Contains(t, w.Body.String(), "three litres")

	s.add("Bread", "rye")
	w = s.do("GET", "/api/notes?q=LITRES", "")
	assert.Contains(t, w.Body.String(), "Milk")
	assert.NotContains(t, w.Body.String(), "Bread")
	w = s.do("GET", "/api/notes?limit=1", "")
	assert.Equal(t, 1, strings.Count(w.Body.String(), `"id"`))

	assert.Equal(t, http.StatusNoContent, s.do("DELETE", "/api/notes/1", "").Code)
	assert.Equal(t, http.StatusNotFound, s.do("GET", "/api/notes/1", "").Code)
}

func TestTooLarge(t *testing.T) {
	w := newService(t, 100).do("POST", "/api/notes", `{"title":"`+strings.Repeat("m", 70_000)+`"}`, asJSON)
	assert.Equal(t, http.StatusRequestEntityTooLarge, w.Code)
	assert.JSONEq(t, `{"error":"the body is larger than 65536 bytes"}`, w.Body.String())
}

func TestCreatedSaysWhere(t *testing.T) {
	s := newService(t, 100)
	for _, path := range []string{"/api/notes", "/api/notes/"} { // one place to segue
		w := s.do("POST", path, `{"title":"Milk"}`, asJSON)
		require.Equal(t, http.StatusCreated, w.Code)
		assert.Equal(t, http.StatusOK, s.do("GET", w.Header().Get("Location"), "").Code, w.Header())
	}
}

// TestErrors goes through what can be wrong with a request to the API, each
// with its status and a text in JSON.
func TestErrors(t *testing.T) {
	tests := []struct {
		method, target, body string
		status               int
		message              string
	}{
		{"GET", "/api/notes/7", "", 404, "no note 7"},
		{"DELETE", "/api/notes/7", "", 404, "no note 7"},
		{"GET", "/api/notes/seven", "", 400, `path parameter id: "seven" is not a whole number`},
		{"GET", "/api/notes?limit=few", "", 400, `query parameter limit: "few" is not a whole number`},
		{"POST", "/api/notes", `{"title":""}`, 422, "a note needs a title"},
		{"POST", "/api/notes", `{"title":7}`, 400, "field title: expected a string, got a number at byte 10"},
		{"POST", "/api/notes", `{"title":"Milk","txt":"2"}`, 400, `unknown field "txt": correct the name or leave it out`},
		{"GET", "/api/nope", "", 404, "there is nothing at /api/nope"},
		{"PATCH", "/api/notes/7", "", 405, "Method Not Allowed"},
	}
	s := newService(t, 100)
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.target+" "+tt.body, func(t *testing.T) {
			w := s.do(tt.method, tt.target, tt.body, asJSON)
			assert.Equal(t, tt.status, w.Code)
			assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
			var got map[string]string
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
			assert.Equal(t, tt.message, got["error"])
		})
	}
}

// TestFailure closes the database. The client hears nothing of why; the log
// has it, under the id that the client was told.
func TestFailure(t *testing.T) {
	s := newService(t, 100)
	require.NoError(t, s.store.Close())
	for _, path := range []string{"/api/notes", "/notes"} {
		w := s.do("GET", path, "")
		assert.Equal(t, http.StatusInternalServerError, w.Code)
		assert.NotContains(t, w.Body.String(), "database")
		lines := s.logged("failed")
		require.NotEmpty(t, lines)
		last := lines[len(lines)-1]
		assert.Contains(t, last["err"], "database is closed")
		assert.Equal(t, w.Header().Get("X-Request-Id"), last["id"])
	}
	assert.Len(t, s.logged("failed"), 2, "each failure is logged once")
}

func TestPages(t *testing.T) {
	s := newService(t, 100)
	w := s.do("POST", "/notes", url.Values{"title": {"<b>Milk</b>"}, "text": {"two"}}.Encode(), asForm)
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body)
	w = s.do("GET", w.Header().Get("Location"), "")
	assert.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
	assert.Contains(t, w.Body.String(), "<h1>&lt;b&gt;Milk&lt;/b&gt;</h1>")
	assert.Contains(t, s.do("GET", "/notes?q=milk", "").Body.String(), `href="/notes/1"`)
	assert.Equal(t, http.StatusSeeOther, s.do("POST", "/notes/1/delete", "", asForm).Code)
	assert.Contains(t, s.do("GET", "/notes", "").Body.String(), "Nothing here yet")
	assert.Equal(t, "/notes", s.do("GET", "/", "").Header().Get("Location"))

	for path, status := range map[string]int{"/notes/7": 404, "/notes/x": 400, "/nope": 404} {
		w := s.do("GET", path, "")
		assert.Equal(t, status, w.Code, path)
		assert.Contains(t, w.Body.String(), "<h1>That did not work</h1>", path)
	}
}

func TestAssets(t *testing.T) {
	s := newService(t, 100)
	w := s.do("GET", "/assets/style.css", "")
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, "text/css; charset=utf-8", w.Header().Get("Content-Type"))
	assert.Equal(t, "public, max-age=3600", w.Header().Get("Cache-Control"))
	assert.Equal(t, http.StatusNotFound, s.do("GET", "/assets/", "").Code, "no listing")
}

// TestCrossOrigin sends the form from another site.
func TestCrossOrigin(t *testing.T) {
	s := newService(t, 100)
	assert.Equal(t, http.StatusForbidden, s.do("POST", "/notes", "title=x", asForm, "Sec-Fetch-Site: cross-site").Code)
	assert.Equal(t, http.StatusSeeOther, s.do("POST", "/notes", "title=x", asForm, "Sec-Fetch-Site: same-origin").Code)
}

// TestCORS shows that rs/cors, used by the router at /api, answers the
// preflight for the routes of the router within it, on the OPTIONS answer that
// nobody registered, and that it covers misses and 405s.
func TestCORS(t *testing.T) {
	s := newService(t, 100)
	const from = "Origin: https://app.example"
	w := s.do("OPTIONS", "/api/notes/7", "", from, "Access-Control-Request-Method: PUT", "Access-Control-Request-Headers: content-type")
	assert.Equal(t, http.StatusNoContent, w.Code)
	assert.Equal(t, "https://app.example", w.Header().Get("Access-Control-Allow-Origin"))
	assert.Equal(t, "PUT", w.Header().Get("Access-Control-Allow-Methods"))
	assert.Equal(t, "content-type", w.Header().Get("Access-Control-Allow-Headers"))

	for target, status := range map[string]int{"/api/notes": 200, "/api/notes/7": 404, "/api/nope": 404} {
		w := s.do("GET", target, "", from)
		assert.Equal(t, status, w.Code, target)
		assert.Equal(t, "https://app.example", w.Header().Get("Access-Control-Allow-Origin"), target)
	}
	w = s.do("GET", "/api/notes", "", "Origin: https://elsewhere.example")
	assert.Empty(t, w.Header().Get("Access-Control-Allow-Origin"))
	w = s.do("GET", "/notes", "", from)
	assert.Empty(t, w.Header().Get("Access-Control-Allow-Origin"), "the pages are not in it")
}

func TestGzip(t *testing.T) {
	s := newService(t, 100)
	s.add("Long", strings.Repeat("all work and no play ", 200))
	w := s.do("GET", "/api/notes/1", "", "Accept-Encoding: gzip")
	assert.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
	assert.Less(t, w.Body.Len(), 500)
	plain, err := gzip.NewReader(w.Body)
	require.NoError(t, err)
	text, err := io.ReadAll(plain)
	require.NoError(t, err)
	assert.Equal(t, s.do("GET", "/api/notes/1", "").Body.String(), string(text))
}

func TestRateLimit(t *testing.T) {
	s := newService(t, 2)
	for range 2 {
		assert.Equal(t, http.StatusOK, s.do("GET", "/api/notes", "").Code)
	}
	w := s.do("GET", "/api/notes", "")
	assert.Equal(t, http.StatusTooManyRequests, w.Code)
	assert.Equal(t, "60", w.Header().Get("Retry-After"))
	assert.JSONEq(t, `{"error":"too many requests, try again in a minute"}`, w.Body.String())
	assert.Equal(t, http.StatusOK, s.do("GET", "/notes", "").Code, "the pages have no limit")
}

// requests is what people may ask for; the labels that come of it are those of
// patterns alone.
var requests = []struct{ method, target, pattern, span string }{
	{"GET", "/api/notes/1", "GET /api/notes/{id}", "GET /api/notes/{id}"},
	{"GET", "/api/notes/2", "GET /api/notes/{id}", "GET /api/notes/{id}"},
	{"HEAD", "/notes", "GET /notes", "HEAD /notes"},
	{"GET", "/assets/style.css", "GET /assets/{path...}", "GET /assets/{path...}"},
	{"GET", "/notes/1/", "GET /notes/{id}", "GET /notes/{id}"}, // a redirect
	{"GET", "/a-b-c", "", "GET"},
	{"GET", "/d-e-f", "", "GET"},
	{"PATCH", "/api/notes/1", "", "PATCH"},
	{"BREW", "/api/notes/1", "", "HTTP"},
}

func TestMetrics(t *testing.T) {
	s := newService(t, 100)
	for _, r := range requests {
		s.do(r.method, r.target, "")
	}
	text := s.do("GET", "/metrics", "").Body.String()
	for _, line := range []string{
		`http_request_duration_seconds_count{code="404",method="get",pattern="GET /api/notes/{id}"} 2`,
		`http_request_duration_seconds_count{code="200",method="head",pattern="GET /notes"} 1`,
		`http_request_duration_seconds_count{code="200",method="get",pattern="GET /assets/{path...}"} 1`,
		`http_request_duration_seconds_count{code="307",method="get",pattern="GET /notes/{id}"} 1`,
		`http_request_duration_seconds_count{code="404",method="get",pattern="none"} 2`,
		`http_request_duration_seconds_count{code="405",method="patch",pattern="none"} 1`,
		`http_request_duration_seconds_count{code="405",method="unknown",pattern="none"} 1`,
	} {
		assert.Contains(t, text, line+"\n")
	}
	assert.NotContains(t, text, "a-b-c")
}

func TestTraces(t *testing.T) {
	s := newService(t, 100)
	for _, r := range requests {
		s.do(r.method, r.target, "")
	}
	spans := s.spans.GetSpans()
	require.Len(t, spans, len(requests))
	for i, r := range requests {
		assert.Equal(t, r.span, spans[i].Name, r.target)
	}
}

func TestRequestLog(t *testing.T) {
	s := newService(t, 100)
	for _, r := range requests {
		w := s.do(r.method, r.target, "")
		lines := s.logged("request")
		last := lines[len(lines)-1]
		assert.Equal(t, r.pattern, last["pattern"])
		assert.Equal(t, r.target, last["path"])
		assert.EqualValues(t, w.Code, last["status"])
		assert.Equal(t, w.Header().Get("X-Request-Id"), last["id"])
	}
}
