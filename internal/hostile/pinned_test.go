package hostile

// A request's path is a part of the request line, so whoever keeps a value of the
// path keeps the whole line. These tests flood a live server with requests that
// are long in one part each, close it, and compare what is left in memory with
// what is left of an http.ServeMux.

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

const (
	pinnedRequests = 2000
	pinnedSlack    = 1 << 20
)

var pinnedJunk = strings.Repeat("X", 1<<14)

// pinnedFloods are requests without their last empty line. Each is named by what
// is long in it.
var pinnedFloods = map[string]string{
	"nothing":         "GET /users/7 HTTP/1.1\r\nHost: h",
	"method":          pinnedJunk + " /users/7 HTTP/1.1\r\nHost: h",
	"value":           "GET /users/" + pinnedJunk + " HTTP/1.1\r\nHost: h",
	"rest":            "GET /files/7/" + pinnedJunk + " HTTP/1.1\r\nHost: h",
	"short and rest":  "GET /both/7/" + pinnedJunk + " HTTP/1.1\r\nHost: h",
	"encoded value":   "GET /users/%2F" + pinnedJunk + " HTTP/1.1\r\nHost: h",
	"encoded rest":    "GET /both/%37/" + strings.Repeat("%58", len(pinnedJunk)/3) + " HTTP/1.1\r\nHost: h",
	"query":           "GET /users/7?" + pinnedJunk + " HTTP/1.1\r\nHost: h",
	"fragment":        "GET /both/7/#" + pinnedJunk + " HTTP/1.1\r\nHost: h",
	"scheme":          "GET " + pinnedJunk + "://h/users/7 HTTP/1.1\r\nHost: h",
	"user":            "GET http://" + pinnedJunk + "@h/users/7 HTTP/1.1\r\nHost: h",
	"absolute host":   "GET http://" + pinnedJunk + "/users/7 HTTP/1.1\r\nHost: h",
	"CONNECT host":    "CONNECT " + pinnedJunk + "/users/7 HTTP/1.1\r\nHost: h",
	"host":            "GET /users/7 HTTP/1.1\r\nHost: " + pinnedJunk,
	"header":          "GET /users/7 HTTP/1.1\r\nHost: h\r\nX: " + pinnedJunk,
	"header name":     "GET /users/7 HTTP/1.1\r\nHost: h\r\n" + pinnedJunk + ": x",
	"many headers":    "GET /users/7 HTTP/1.1\r\nHost: h" + strings.Repeat("\r\nX: x", len(pinnedJunk)/6),
	"cookie":          "GET /users/7 HTTP/1.1\r\nHost: h\r\nCookie: a=" + pinnedJunk,
	"body":            "POST /users/7 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nX: " + pinnedJunk + "\r\n\r\nabc",
	"method and HTTP": pinnedJunk + " /users/7 HTTP/1.0\r\nHost: h\r\nConnection: keep-alive",
}

// pinnedPatterns are the routes of both servers.
var pinnedPatterns = []string{"/users/{id}", "/files/7/{path...}", "/both/{id}/{path...}"}

// pinnedHandlers makes each of the two.
var pinnedHandlers = map[string]func() http.Handler{
	"ServeMux": func() http.Handler {
		mux := http.NewServeMux()
		for _, pattern := range pinnedPatterns {
			mux.HandleFunc(pattern, pinnedHandler)
		}
		return mux
	},
	"segue": func() http.Handler {
		rt := segue.New()
		for _, pattern := range pinnedPatterns {
			rt.HandleFunc(pattern, pinnedHandler)
		}
		return rt
	},
}

func pinnedHandler(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
}

func TestFloodLeavesNothingBehind(t *testing.T) {
	testkit.SkipUnlessExplores(t)
	for name, request := range pinnedFloods {
		t.Run(name, func(t *testing.T) {
			left := map[string]int64{}
			for server, handler := range pinnedHandlers {
				left[server] = leftByFlood(t, handler, func(t *testing.T, address string) { floodHTTP1(t, address, request) })
			}
			assert.LessOrEqual(t, left["segue"], max(left["ServeMux"], 0)+pinnedSlack, "bytes left, ServeMux leaves %d", left["ServeMux"])
		})
	}
}

// HTTP/2 sends method, path and headers each as a text of its own.
func TestFloodByHTTP2LeavesNothingBehind(t *testing.T) {
	testkit.SkipUnlessExplores(t)
	for name, edit := range map[string]func(r *http.Request){
		"method": func(r *http.Request) { r.Method = pinnedJunk },
		"path":   func(r *http.Request) { r.URL.Path = "/both/7/" + pinnedJunk },
		"query":  func(r *http.Request) { r.URL.RawQuery = pinnedJunk },
		"host":   func(r *http.Request) { r.Host = pinnedJunk },
		"header": func(r *http.Request) { r.Header.Set("X", pinnedJunk) },
		"cookie": func(r *http.Request) { r.Header.Set("Cookie", "a="+pinnedJunk) },
	} {
		t.Run(name, func(t *testing.T) {
			left := map[string]int64{}
			for server, handler := range pinnedHandlers {
				left[server] = leftByFlood(t, handler, func(t *testing.T, address string) { floodHTTP2(t, address, edit) })
			}
			assert.LessOrEqual(t, left["segue"], max(left["ServeMux"], 0)+pinnedSlack, "bytes left, ServeMux leaves %d", left["ServeMux"])
		})
	}
}

// leftByFlood serves a flood, closes the server and returns by how much the heap
// has grown meanwhile.
func leftByFlood(t *testing.T, handler func() http.Handler, flood func(t *testing.T, address string)) int64 {
	before := pinnedHeap()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: handler(), Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	flood(t, listener.Addr().String())
	require.NoError(t, server.Close())
	require.ErrorIs(t, <-served, http.ErrServerClosed)
	return pinnedHeap() - before
}

func floodHTTP1(t *testing.T, address, request string) {
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	if !strings.Contains(request, "\r\n\r\n") {
		request += "\r\n\r\n"
	}
	in := bufio.NewReader(conn)
	for range pinnedRequests {
		_, err := io.WriteString(conn, request)
		require.NoError(t, err)
		response, err := http.ReadResponse(in, nil)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, response.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode)
	}
}

func floodHTTP2(t *testing.T, address string, edit func(r *http.Request)) {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	for range pinnedRequests {
		r, err := http.NewRequest(http.MethodGet, "http://"+address+"/users/7", nil)
		require.NoError(t, err)
		edit(r)
		response, err := transport.RoundTrip(r)
		require.NoError(t, err)
		response.Body.Close()
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Equal(t, 2, response.ProtoMajor)
	}
}

// pinnedHeap collects three times: pools keep their contents over one collection.
func pinnedHeap() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
