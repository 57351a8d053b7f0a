package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
)

// A conn1 is a connection of HTTP/1.1, written and read by hand.
type conn1 struct {
	*net.TCPConn
	in *bufio.Reader
}

// overHTTP1 keeps one connection busy, and opens another when it is gone.
func (w *worker) overHTTP1() {
	w.pause(rand.N(min(w.length/16, time.Second))) // not all at once
	var conn *conn1
	for !w.over() {
		if conn == nil {
			conn = w.dial(w.addr)
		}
		if conn != nil && !w.scene1(conn) {
			conn.Close()
			conn = nil
		}
	}
	if conn != nil {
		conn.Close()
	}
}

func (w *worker) dial(addr string) *conn1 {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		w.wrongAnswer("no connection: %v", err)
		w.pause(time.Second)
		return nil
	}
	tcp := conn.(*net.TCPConn)
	return &conn1{tcp, bufio.NewReader(tcp)}
}

// hurry has a connection time out when patience is at its end.
func (w *worker) hurry(conn *conn1) (stop func()) {
	return w.clock.after(w.patience, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
}

// scene1 does one thing with a connection, and reports whether it can go on.
func (w *worker) scene1(conn *conn1) bool {
	switch n := w.choose.IntN(1000); {
	case n < 80:
		return w.pipelined(conn)
	case n < 140:
		return w.inPieces(conn)
	case n < 146:
		return w.stalled(conn)
	case n < 150:
		w.slowly()
		return true
	case n < 152:
		w.abandoned()
		return true
	case n < 153:
		w.neverRead()
		return true
	case n < 190:
		return w.reset(conn)
	case n < 220:
		return w.hijacked(conn)
	case n < 250:
		return false // a connection that closes between two requests
	}
	return w.ask1(conn, w.next(overHTTP1))
}

// ask1 sends a call and checks the answer.
func (w *worker) ask1(conn *conn1, c *call) bool {
	start := time.Now()
	if !w.send(conn, c, text1(c, w.addr)) {
		return false
	}
	return w.receive(conn, c, start)
}

// text1 is a call as it is written on the connection.
func text1(c *call, host string) string {
	var b strings.Builder
	if c.host != "" {
		host = c.host
	}
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nId: %s\r\n", c.method, c.target, host, escaped("id", c.id))
	switch {
	case c.body == "":
		b.WriteString("\r\n")
	case len(c.id)%2 == 0:
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(c.body), c.body)
	default:
		half := len(c.body) / 2
		b.WriteString("Transfer-Encoding: chunked\r\n\r\n")
		fmt.Fprintf(&b, "%x\r\n%s\r\n%x;ext=1\r\n%s\r\n0\r\n\r\n", half, c.body[:half], len(c.body)-half, c.body[half:])
	}
	return b.String()
}

// send writes the last part of a call's request. That it cannot is a fault of
// the server's: it had not answered yet.
func (w *worker) send(conn *conn1, c *call, text string) bool {
	defer w.hurry(conn)()
	if _, err := io.WriteString(conn, text); err != nil {
		w.settle(overHTTP1, c, 0, unanswered, fmt.Errorf("the request was not taken: %w", err))
		return false
	}
	return true
}

// receive reads the answer to a call, and reports whether the connection can go
// on.
func (w *worker) receive(conn *conn1, c *call, sent time.Time) bool {
	defer w.hurry(conn)()
	resp, err := http.ReadResponse(conn.in, &http.Request{Method: c.method})
	o, err := c.judge(resp, err)
	w.settle(overHTTP1, c, time.Since(sent), o, err)
	return o == answered && !resp.Close && !c.closes
}

// pipelined sends some calls at once.
func (w *worker) pipelined(conn *conn1) bool {
	var calls []*call
	var text strings.Builder
	for range 2 + w.choose.IntN(7) {
		c := w.next(overHTTP1)
		for c.closes {
			c = w.next(overHTTP1)
		}
		w.count(pipelines)
		calls = append(calls, c)
		text.WriteString(text1(c, w.addr))
	}
	start := time.Now()
	writing := make(chan error, 1) // the answers come while it is sent
	go func() {
		_, err := io.WriteString(conn, text.String())
		writing <- err
	}()
	ok := true
	for _, c := range calls {
		if !ok {
			w.settle(overHTTP1, c, time.Since(start), unanswered, errors.New("the answer before it went wrong"))
			continue
		}
		ok = w.receive(conn, c, start)
	}
	if !ok {
		conn.Close() // or writing might go on for ever
	}
	return <-writing == nil && ok
}

// inPieces sends a call in several packets.
func (w *worker) inPieces(conn *conn1) bool {
	c := w.next(overHTTP1)
	text := text1(c, w.addr)
	w.count(splits)
	start := time.Now()
	for len(text) > 1 && w.choose.IntN(8) > 0 {
		n := 1 + w.choose.IntN(len(text)-1)
		if !w.send(conn, c, text[:n]) {
			return false
		}
		text = text[n:]
		time.Sleep(time.Duration(w.choose.IntN(2000)) * time.Microsecond)
	}
	return w.send(conn, c, text) && w.receive(conn, c, start)
}

// stalled sends half a call, keeps silent for long, and goes on or goes away.
func (w *worker) stalled(conn *conn1) bool {
	c := w.next(overHTTP1)
	text := text1(c, w.addr)
	half := 1 + w.choose.IntN(len(text)-1)
	w.count(stalls)
	if !w.send(conn, c, text[:half]) {
		return false
	}
	w.pause(time.Duration(w.choose.Int64N(int64(2 * time.Second))))
	if w.choose.IntN(3) == 0 {
		return false
	}
	start := time.Now()
	return w.send(conn, c, text[half:]) && w.receive(conn, c, start)
}

// abandoned sends half a call to the server that loses patience, and waits for
// it to hang up: without a word or with one, by where it was.
func (w *worker) abandoned() {
	conn := w.dial(w.hasty)
	if conn == nil {
		return
	}
	defer conn.Close()
	c := w.newCall(kinds[0])
	text := text1(c, w.hasty)
	w.count(abandons)
	defer w.hurry(conn)()
	_, _ = io.WriteString(conn, text[:1+w.choose.IntN(len(text)-2)]) // fails if it has lost patience already
	got, err := io.ReadAll(conn)
	if isTimeout(err) || len(got) > 0 && !bytes.HasPrefix(got, []byte("HTTP/1.1 400 ")) {
		w.wrongAnswer("%v: half of it was sent, and the server did not hang up but said %q, %v", c, shown(got), err)
	}
}

// neverRead asks the server that loses patience for a lot, and does not read it
// until it must have given up.
func (w *worker) neverRead() {
	conn := w.dial(w.hasty)
	if conn == nil {
		return
	}
	defer conn.Close()
	c := w.newCall(stalledKind)
	c.larger(8 << 20)
	c.want.ends = either
	w.count(neverReaders)
	if _, err := io.WriteString(conn, text1(c, w.hasty)); err == nil {
		start := time.Now()
		w.pause(1500 * time.Millisecond)
		w.receive(conn, c, start)
	}
}

// slowBody is more than all buffers on the way hold.
const slowBody = 600_000

// slowly reads an answer bit by bit, on a connection with a small buffer, so
// that its handler has to wait.
func (w *worker) slowly() {
	conn := w.dial(w.addr)
	if conn == nil {
		return
	}
	defer conn.Close()
	_ = conn.SetReadBuffer(64 << 10)
	conn.in = bufio.NewReaderSize(slowReader{conn.TCPConn, w}, 16<<10)
	c := w.newCall(slowKind)
	c.larger(slowBody + w.choose.IntN(slowBody))
	w.count(slowReaders)
	w.ask1(conn, c)
}

// A slowReader reads little at a time, until the act is over.
type slowReader struct {
	io.Reader
	w *worker
}

func (s slowReader) Read(p []byte) (int, error) {
	s.w.pause(20 * time.Millisecond)
	return s.Reader.Read(p)
}

// reset sends a call, or a part of one, and cuts the connection so that the
// other side gets an error: at once, or while it answers.
func (w *worker) reset(conn *conn1) bool {
	c := w.next(overHTTP1)
	text := text1(c, w.addr)
	part := text
	if w.choose.IntN(2) == 0 {
		part = text[:1+w.choose.IntN(len(text)-1)]
	}
	w.count(resets)
	if !w.send(conn, c, part) {
		return false
	}
	if w.choose.IntN(2) == 0 {
		_ = conn.SetReadDeadline(time.Now().Add(time.Duration(w.choose.IntN(20)) * time.Millisecond))
		_, _ = io.CopyN(io.Discard, conn.in, int64(w.choose.IntN(2000)))
	}
	if part == text {
		w.settle(overHTTP1, c, 0, givenUp, nil)
	}
	_ = conn.SetLinger(0)
	return false
}

// hijacked asks for another protocol, and speaks it: its first line comes along
// with the request.
func (w *worker) hijacked(conn *conn1) bool {
	c := w.newCall(hijackedKind)
	c.method, c.target = "GET", path("/hijack/{id}", c.id)
	c.want.status, c.want.bare = http.StatusSwitchingProtocols, true
	start := time.Now()
	if !w.send(conn, c, text1(c, w.addr)+"0\n") {
		return false
	}
	defer w.hurry(conn)()
	resp, err := http.ReadResponse(conn.in, nil)
	o, err := c.judge(resp, err)
	if o == answered {
		o, err = w.talk(conn, c)
	}
	w.settle(overHTTP1, c, time.Since(start), o, err)
	return false
}

// talk speaks the protocol of handlers.hijack.
func (w *worker) talk(conn *conn1, c *call) (outcome, error) {
	want := fmt.Sprintf("%q\n", c.reported("GET", "GET /hijack/{id}", true, "id"))
	for n := range 5 {
		got, err := conn.in.ReadString('\n')
		if err != nil {
			return unanswered, err
		}
		if got != want {
			return wrong, fmt.Errorf("line %d of the hijacked connection is %q instead of %q", n, got, want)
		}
		want = fmt.Sprintf("%s %d\n", c.id, n)
		if n > 0 {
			fmt.Fprintf(conn, "%d\n", n)
		}
	}
	if w.choose.IntN(2) == 0 {
		fmt.Fprint(conn, "bye\n") // else the handler sees the connection end
	}
	return answered, nil
}
