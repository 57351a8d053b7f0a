package segue_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
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

// wire is a connection to a live server.
type wire struct {
	net.Conn
	*bufio.Reader
	t *testing.T
}

func (w wire) Read(p []byte) (int, error) { return w.Reader.Read(p) }

func dial(t *testing.T, configure ...func(*http.Server)) wire {
	server := httptest.NewUnstartedServer(wireRouter())
	for _, c := range configure {
		c(server.Config)
	}
	server.Start()
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	return wire{conn, bufio.NewReader(conn), t}
}

func (w wire) send(text string) {
	_, err := io.WriteString(w.Conn, text)
	require.NoError(w.t, err)
}

// answer reads the answer to a request of this method.
func (w wire) answer(method string) (status int, body string, header http.Header) {
	resp, err := http.ReadResponse(w.Reader, &http.Request{Method: method})
	require.NoError(w.t, err)
	text, err := io.ReadAll(resp.Body)
	require.NoError(w.t, err)
	return resp.StatusCode, string(text), resp.Header
}

func (w wire) expect(method string, status int, body string) {
	gotStatus, gotBody, _ := w.answer(method)
	assert.Equal(w.t, status, gotStatus)
	assert.Equal(w.t, body, gotBody)
}

func get(target string) string { return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n" }

func TestWirePipelined(t *testing.T) {
	w := dial(t)
	var all strings.Builder
	for i := range 200 {
		all.WriteString(get(fmt.Sprintf("/hello/n%d", i)))
		all.WriteString(get("/nowhere"))
		fmt.Fprintf(&all, "POST /hello/p%d HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", i)
	}
	go io.WriteString(w.Conn, all.String()) // the answers come while it is sent
	for i := range 200 {
		w.expect("GET", 200, fmt.Sprintf("GET /hello/{name} localhost name=n%d body=", i))
		w.expect("GET", 404, "404 page not found\n")
		w.expect("POST", 200, fmt.Sprintf("POST /hello/{name} localhost name=p%d body=abc", i))
	}
}

func TestWireChunkedBody(t *testing.T) {
	w := dial(t)
	for i := range 3 { // on one connection: each body was read to its end
		w.send("POST /hello/chunked HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
		w.send("3\r\nabc\r\n")
		w.send("a;ext=1\r\n0123456789\r\n")
		w.send("0\r\nTrailer: x\r\n\r\n")
		w.expect("POST", 200, "POST /hello/{name} localhost name=chunked body=abc0123456789")
		w.send(get(fmt.Sprintf("/hello/%d", i)))
		w.expect("GET", 200, fmt.Sprintf("GET /hello/{name} localhost name=%d body=", i))
	}
}

// Each byte in a packet of its own.
func TestWireByteByByte(t *testing.T) {
	w := dial(t)
	require.NoError(t, w.Conn.(*net.TCPConn).SetNoDelay(true))
	text := "POST /hello/sl%C3%B6w HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" +
		get("/files/a/b%2Fc")
	for i := range len(text) {
		w.send(text[i : i+1])
	}
	w.expect("POST", 200, "POST /hello/{name} localhost name=slöw body=abc")
	w.expect("GET", 200, "GET /files/{path...} localhost path=a/b/c body=")
}

func TestWireHead(t *testing.T) {
	w := dial(t)
	w.send("HEAD /hello/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
	status, body, header := w.answer("HEAD")
	assert.Equal(t, 200, status)
	assert.Empty(t, body)
	assert.Equal(t, "40", header.Get("Content-Length"))
	w.send("HEAD /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n")
	w.expect("HEAD", 404, "")
	w.send("HEAD /hello/x/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
	status, _, header = w.answer("HEAD")
	assert.Equal(t, 307, status)
	assert.Equal(t, "/hello/x", header.Get("Location"))
	w.send(get("/hello/after")) // no body was sent in between
	w.expect("GET", 200, "GET /hello/{name} localhost name=after body=")
}

// A client that waits for 100 Continue gets it when the handler reads, and not
// before a miss.
func TestWireExpectContinue(t *testing.T) {
	w := dial(t)
	w.send("POST /hello/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
	w.expect("POST", 100, "")
	w.send("abc")
	w.expect("POST", 200, "POST /hello/{name} localhost name=x body=abc")
	w.send("POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
	w.expect("POST", 404, "404 page not found\n")
}

// A miss whose body nobody reads leaves the connection where the next request
// begins.
func TestWireKeepAliveOverMisses(t *testing.T) {
	w := dial(t)
	body := strings.Repeat("GET /hello/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n", 100)
	for i := range 20 {
		w.send(fmt.Sprintf("POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
		w.expect("POST", 404, "404 page not found\n")
		w.send(fmt.Sprintf("PUT /hello/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
		status, text, header := w.answer("PUT")
		assert.Equal(t, 405, status)
		assert.Equal(t, "Method Not Allowed\n", text)
		assert.Equal(t, "GET, HEAD, OPTIONS, POST", header.Get("Allow"))
		w.send(get(fmt.Sprintf("/hello/%d", i)))
		w.expect("GET", 200, fmt.Sprintf("GET /hello/{name} localhost name=%d body=", i))
	}
}

// The host is that of an absolute target, whatever the header Host says.
func TestWireAbsoluteForm(t *testing.T) {
	w := dial(t)
	w.send("GET http://example.org/hello/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
	w.expect("GET", 200, "example.org/hello/{org} example.org org=x body=")
	w.send("GET http://EXAMPLE.org.:8080/hello/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
	w.expect("GET", 200, "example.org/hello/{org} EXAMPLE.org.:8080 org=x body=")
	w.send("GET http://localhost/hello/x HTTP/1.1\r\nHost: example.org\r\n\r\n")
	w.expect("GET", 200, "GET /hello/{name} localhost name=x body=")
	w.send("GET http://localhost/hello//x HTTP/1.1\r\nHost: localhost\r\n\r\n")
	status, _, header := w.answer("GET")
	assert.Equal(t, 307, status)
	assert.Equal(t, "/hello/x", header.Get("Location"))
}

// net/http answers OPTIONS * itself unless told to hand it on.
func TestWireOptionsStar(t *testing.T) {
	const options = "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n"
	w := dial(t)
	w.send(options)
	w.expect("OPTIONS", 200, "")

	w = dial(t, func(s *http.Server) { s.DisableGeneralOptionsHandler = true })
	w.send(options)
	w.expect("OPTIONS", 400, "")
	_, err := w.ReadByte()
	assert.ErrorIs(t, err, io.EOF)
}

// A path as long as net/http lets through: the whole header may be 1 MB.
func TestWireLongPath(t *testing.T) {
	w := dial(t)
	long := strings.Repeat("x", 1_000_000)
	w.send(get("/hello/" + long))
	w.expect("GET", 200, "GET /hello/{name} localhost name=1000000 bytes body=")
	w.send(get("/files/" + long))
	w.expect("GET", 200, "GET /files/{path...} localhost path=1000000 bytes body=")
	w.send(get("/nowhere/" + long))
	w.expect("GET", 404, "404 page not found\n")
	w.send(get("/hello/" + strings.Repeat("%41", 333_000)))
	w.expect("GET", 200, "GET /hello/{name} localhost name=333000 bytes body=")
	w.send(get("/hello//" + long))
	status, _, header := w.answer("GET")
	assert.Equal(t, 307, status)
	assert.Len(t, header.Get("Location"), len("/hello/")+len(long))
}

func TestWireManySegments(t *testing.T) {
	w := dial(t)
	deep := strings.Repeat("/a", 50_000)
	w.send(get("/files" + deep))
	w.expect("GET", 200, "GET /files/{path...} localhost path=99999 bytes body=")
	w.send(get(deep))
	w.expect("GET", 404, "404 page not found\n")
	w.send(get("/files" + strings.Repeat("/..", 50_000) + "/hello/x"))
	status, _, header := w.answer("GET")
	assert.Equal(t, 307, status)
	assert.Equal(t, "/hello/x", header.Get("Location"))
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
		w.send(text)
		status, _, _ := w.answer("GET")
		assert.Equal(t, 400, status, "%q", text)
	}
	w := dial(t)
	w.send("POST /hello/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
	require.NoError(t, w.Conn.(*net.TCPConn).CloseWrite())
	w.expect("POST", 400, "unexpected EOF\n")
}
