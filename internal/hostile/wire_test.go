package hostile

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// Raw bytes against a live server: what clients may send, however they send
// it.

// wireRouter echoes what it was given.
func wireRouter() *segue.Router {
	router := segue.New()
	echo := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, "%s %s", r.Pattern, r.Host)
		for name, value := range segue.Params(r) {
			if len(value) > 100 {
				value = fmt.Sprintf("%d bytes", len(value))
			}
			fmt.Fprintf(w, " %s=%s", name, value)
		}
		fmt.Fprintf(w, " body=%s", body)
	}
	router.GET("/hello/{name}", echo)
	router.POST("/hello/{name}", echo)
	router.GET("/files/{path...}", echo)
	router.GET("/{a}/{b}/{c}", echo)
	router.HandleFunc("example.org/hello/{org}", echo)
	return router
}

// A wire is a connection to a live server.
type wire struct {
	*testkit.Conn
	t *testing.T
}

func dial(t *testing.T, configure ...func(*http.Server)) wire {
	address, _ := testkit.Listen(t, wireRouter(), configure...)
	return wire{testkit.Dial(t, address), t}
}

func (w wire) redirected(method, location string) {
	w.t.Helper()
	got := w.Answer(method, location)
	assert.Equal(w.t, 307, got.Status)
	assert.True(w.t, location == got.Header.Get("Location"), "%.200q", got.Header.Get("Location"))
}

func TestWirePipelined(t *testing.T) {
	w := dial(t)
	var all strings.Builder
	for i := range 200 {
		all.WriteString(testkit.Get(fmt.Sprintf("/hello/n%d", i)))
		all.WriteString(testkit.Get("/nowhere"))
		fmt.Fprintf(&all, "POST /hello/p%d HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", i)
	}
	go io.WriteString(w, all.String()) // the answers come while it is sent
	for i := range 200 {
		w.Expect("GET", 200, fmt.Sprintf("GET /hello/{name} localhost name=n%d body=", i))
		w.Expect("GET", 404, "404 page not found\n")
		w.Expect("POST", 200, fmt.Sprintf("POST /hello/{name} localhost name=p%d body=abc", i))
	}
}

func TestWireChunkedBody(t *testing.T) {
	w := dial(t)
	for i := range 3 { // on one connection: each body was read to its end
		w.Send("POST /hello/chunked HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
		w.Send("3\r\nabc\r\n")
		w.Send("a;ext=1\r\n0123456789\r\n")
		w.Send("0\r\nTrailer: x\r\n\r\n")
		w.Expect("POST", 200, "POST /hello/{name} localhost name=chunked body=abc0123456789")
		w.Send(testkit.Get(fmt.Sprintf("/hello/%d", i)))
		w.Expect("GET", 200, fmt.Sprintf("GET /hello/{name} localhost name=%d body=", i))
	}
}

// Each byte in a packet of its own.
func TestWireByteByByte(t *testing.T) {
	w := dial(t)
	require.NoError(t, w.Conn.Conn.(*net.TCPConn).SetNoDelay(true))
	text := "POST /hello/sl%C3%B6w HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" +
		testkit.Get("/files/a/b%2Fc")
	for i := range len(text) {
		w.Send(text[i : i+1])
	}
	w.Expect("POST", 200, "POST /hello/{name} localhost name=slöw body=abc")
	w.Expect("GET", 200, "GET /files/{path...} localhost path=a/b/c body=")
}

func TestWireHead(t *testing.T) {
	w := dial(t)
	w.Send("HEAD /hello/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
	got := w.Answer("HEAD", "/hello/x")
	assert.Equal(t, 200, got.Status)
	assert.Empty(t, got.Body)
	assert.Equal(t, "40", got.Header.Get("Content-Length"))
	w.Send("HEAD /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n")
	w.Expect("HEAD", 404, "")
	w.Send("HEAD /hello/x/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
	w.redirected("HEAD", "/hello/x")
	w.Send(testkit.Get("/hello/after")) // no body was sent in between
	w.Expect("GET", 200, "GET /hello/{name} localhost name=after body=")
}

// A client that waits for 100 Continue gets it when the handler reads, and not
// before a miss.
func TestWireExpectContinue(t *testing.T) {
	w := dial(t)
	w.Send("POST /hello/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
	w.Expect("POST", 100, "")
	w.Send("abc")
	w.Expect("POST", 200, "POST /hello/{name} localhost name=x body=abc")
	w.Send("POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
	w.Expect("POST", 404, "404 page not found\n")
}

// A miss whose body nobody reads leaves the connection where the next request
// begins.
func TestWireKeepAliveOverMisses(t *testing.T) {
	w := dial(t)
	body := strings.Repeat("GET /hello/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n", 100)
	for i := range 20 {
		w.Send(fmt.Sprintf("POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
		w.Expect("POST", 404, "404 page not found\n")
		w.Send(fmt.Sprintf("PUT /hello/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
		got := w.Answer("PUT", "/hello/x")
		assert.Equal(t, 405, got.Status)
		assert.Equal(t, "Method Not Allowed\n", got.Body)
		assert.Equal(t, "GET, HEAD, OPTIONS, POST", got.Header.Get("Allow"))
		w.Send(testkit.Get(fmt.Sprintf("/hello/%d", i)))
		w.Expect("GET", 200, fmt.Sprintf("GET /hello/{name} localhost name=%d body=", i))
	}
}

// The host is that of an absolute target, whatever the header Host says.
func TestWireAbsoluteForm(t *testing.T) {
	w := dial(t)
	w.Send("GET http://example.org/hello/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
	w.Expect("GET", 200, "example.org/hello/{org} example.org org=x body=")
	w.Send("GET http://EXAMPLE.org.:8080/hello/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
	w.Expect("GET", 200, "example.org/hello/{org} EXAMPLE.org.:8080 org=x body=")
	w.Send("GET http://localhost/hello/x HTTP/1.1\r\nHost: example.org\r\n\r\n")
	w.Expect("GET", 200, "GET /hello/{name} localhost name=x body=")
	w.Send("GET http://localhost/hello//x HTTP/1.1\r\nHost: localhost\r\n\r\n")
	w.redirected("GET", "/hello/x")
}

// net/http answers OPTIONS * itself unless told to hand it on.
func TestWireOptionsStar(t *testing.T) {
	const options = "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n"
	w := dial(t)
	w.Send(options)
	w.Expect("OPTIONS", 200, "")

	w = dial(t, func(s *http.Server) { s.DisableGeneralOptionsHandler = true })
	w.Send(options)
	w.Expect("OPTIONS", 400, "")
	_, err := w.Reader.ReadByte()
	assert.ErrorIs(t, err, io.EOF)
}

// A path as long as net/http lets through: the whole header may be 1 MB.
func TestWireLongPath(t *testing.T) {
	w := dial(t)
	long := strings.Repeat("x", 1_000_000)
	w.Send(testkit.Get("/hello/" + long))
	w.Expect("GET", 200, "GET /hello/{name} localhost name=1000000 bytes body=")
	w.Send(testkit.Get("/files/" + long))
	w.Expect("GET", 200, "GET /files/{path...} localhost path=1000000 bytes body=")
	w.Send(testkit.Get("/nowhere/" + long))
	w.Expect("GET", 404, "404 page not found\n")
	w.Send(testkit.Get("/hello/" + strings.Repeat("%41", 333_000)))
	w.Expect("GET", 200, "GET /hello/{name} localhost name=333000 bytes body=")
	w.Send(testkit.Get("/hello//" + long))
	w.redirected("GET", "/hello/"+long)
}

func TestWireManySegments(t *testing.T) {
	w := dial(t)
	deep := strings.Repeat("/a", 50_000)
	w.Send(testkit.Get("/files" + deep))
	w.Expect("GET", 200, "GET /files/{path...} localhost path=99999 bytes body=")
	w.Send(testkit.Get(deep))
	w.Expect("GET", 404, "404 page not found\n")
	w.Send(testkit.Get("/files" + strings.Repeat("/..", 50_000) + "/hello/x"))
	w.redirected("GET", "/hello/x")
}

// A connection that does not speak HTTP, or breaks off, harms no other.
func TestWireBrokenRequests(t *testing.T) {
	for _, text := range []string{
		"GET\r\n\r\n",
		"GET /hello/x\r\n\r\n",
		"GET hello/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /hello/%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"G@T /hello/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /hello/x HTTP/1.1\r\n\r\n",
		"GET /hello/x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
	} {
		w := dial(t)
		w.Send(text)
		assert.Equal(t, 400, w.Answer("GET", text).Status, "%q", text)
	}
	w := dial(t)
	w.Send("POST /hello/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
	require.NoError(t, w.Conn.Conn.(*net.TCPConn).CloseWrite())
	w.Expect("POST", 400, "unexpected EOF\n")
}
