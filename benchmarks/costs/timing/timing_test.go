package timing

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Method", r.Method)
	io.Copy(w, r.Body)
}

func exchange() Exchange {
	return Exchange{
		Handler: http.HandlerFunc(echo), Request: func() *http.Request { return httptest.NewRequest("POST", "/", nil) },
		Body: []byte("hello"), Status: 200, Answer: "hello", Header: map[string]string{"X-Method": "POST"},
	}
}

// Each case is called again and again with its whole body, and has its figures.
func TestMeasure(t *testing.T) {
	read := 0
	e := exchange()
	e.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		echo(w, r)
		read++
		assert.Equal(t, "POST", w.Header().Get("X-Method"))
		assert.Equal(t, int64(5), r.Body.(*reader).Size())
	})
	c := e.Case("bodies", "small", "echo")
	c.Lookups = 3
	cells, err := Measure([]Case{c}, 3, time.Millisecond)
	require.NoError(t, err)
	require.Len(t, cells, 1)
	assert.Equal(t, "bodies small echo", strings.Join([]string{cells[0].Section, cells[0].Column, cells[0].Title}, " "))
	assert.Positive(t, cells[0].NS)
	assert.LessOrEqual(t, cells[0].NS, cells[0].Median)
	assert.Equal(t, 3.0, cells[0].Lookups)
	assert.Greater(t, read, 500)
}

var kept []byte

func TestAllocations(t *testing.T) {
	c := Case{Call: func() { kept = make([]byte, 1024) }, Check: func() error { return nil }}
	cells, err := Measure([]Case{c}, 1, time.Microsecond)
	require.NoError(t, err)
	assert.InDelta(t, 1, cells[0].Allocs, 0.5)
	assert.InDelta(t, 1024, cells[0].Bytes, 500)
}

// What answers otherwise is not timed.
func TestWrongAnswer(t *testing.T) {
	for want, change := range map[string]func(*Exchange){
		"status 200":                      func(e *Exchange) { e.Status = 404 },
		`body of 5 bytes "hello"`:         func(e *Exchange) { e.Answer = "help" },
		`X-Method: "POST", want "GET"`:    func(e *Exchange) { e.Header = map[string]string{"X-Method": "GET"} },
		io.ErrShortWrite.Error():          func(e *Exchange) { e.After = func() error { return io.ErrShortWrite } },
		"bodies, small, echo: status 200": func(e *Exchange) { e.Status = 500 },
	} {
		e := exchange()
		change(&e)
		_, err := Measure([]Case{e.Case("bodies", "small", "echo")}, 1, time.Millisecond)
		assert.ErrorContains(t, err, want)
	}
}

func TestReadFrom(t *testing.T) {
	n, err := newWriter().ReadFrom(strings.NewReader(strings.Repeat("x", 100_000)))
	assert.Equal(t, int64(100_000), n)
	assert.NoError(t, err)
}
