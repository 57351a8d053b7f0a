package testkit

import (
	"bufio"
	"bytes"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Buffer may be written and read by several goroutines at once.
type Buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// Reset empties the buffer.
func (b *Buffer) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf.Reset()
}

// Listen serves h on a port of its own until the test ends, and returns the
// address, with what the server logs.
func Listen(t testing.TB, h http.Handler, configure ...func(*http.Server)) (address string, errors *Buffer) {
	errors = new(Buffer)
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(errors, "", 0)
	for _, c := range configure {
		c(server.Config)
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), errors
}

// A Conn is a connection to a server over which a test sends bytes as they are,
// so that no client mends them on the way. Nothing on it takes longer than a
// minute.
type Conn struct {
	net.Conn
	Reader *bufio.Reader // of what the server sends
	t      testing.TB
}

// Dial connects to a server. The test's end closes the connection.
func Dial(t testing.TB, address string) *Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err == nil {
		err = conn.SetDeadline(time.Now().Add(time.Minute))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &Conn{conn, bufio.NewReader(conn), t}
}

// Send sends text.
func (c *Conn) Send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.Conn, text); err != nil {
		c.t.Fatal(err)
	}
}

// An Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   string
	Close  bool // the server closes the connection
}

// Answer reads the answer to a request of a method. The request is for the
// message where there is none.
func (c *Conn) Answer(method, request string) Answer {
	c.t.Helper()
	response, err := http.ReadResponse(c.Reader, &http.Request{Method: method})
	if err != nil {
		c.t.Fatalf("%.200q: %v", request, err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatalf("%.200q: %v", request, err)
	}
	return Answer{response.StatusCode, response.Header, string(body), response.Close}
}

// Expect reads an answer and holds it to a status and a body.
func (c *Conn) Expect(method string, status int, body string) {
	c.t.Helper()
	if got := c.Answer(method, body); got.Status != status || got.Body != body {
		c.t.Errorf("%s is answered by %d %q, not %d %q", method, got.Status, got.Body, status, body)
	}
}

// Get is the text of a request for target.
func Get(target string) string { return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n" }

// WhileServing runs change while eight goroutines each send requests by request,
// over and over, at least once after the change is done.
func WhileServing(change func(), request func(goroutine, n int)) {
	var done atomic.Bool
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for n := 0; ; n++ {
				last := done.Load()
				request(g, n)
				if last {
					return
				}
			}
		})
	}
	change()
	done.Store(true)
	wg.Wait()
}
