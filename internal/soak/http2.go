package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A conn2 is a connection of HTTP/2, which workers may share. When it is gone it
// is opened again.
type conn2 struct {
	*stage
	transport *http.Transport
	workers   int // that have not gone yet

	mu   sync.Mutex
	link *link // nil before the first dial, and after a reset
	tcp  *net.TCPConn
	cuts int // how often a client has cut it
}

// A link is one of the connections that a conn2 has one after the other.
type link struct {
	*http.ClientConn
	used atomic.Bool // an answer has come
	cuts int         // of the conn2, before this link
}

func (s *stage) newConn2(workers int) *conn2 {
	c := &conn2{stage: s, workers: workers}
	c.transport = &http.Transport{Protocols: new(http.Protocols), HTTP2: &http.HTTP2Config{
		MaxReceiveBufferPerConnection: 256 << 10, // or a slow reader would never hold its handler up
		MaxReceiveBufferPerStream:     64 << 10,
	}}
	c.transport.Protocols.SetUnencryptedHTTP2(true)
	c.transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, network, addr)
		if err == nil {
			c.tcp = conn.(*net.TCPConn)
		}
		return conn, err
	}
	return c
}

// ready returns the link of the moment.
func (c *conn2) ready(ctx context.Context) (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == nil {
		cc, err := c.transport.NewClientConn(ctx, "http", c.addr)
		if err != nil {
			return nil, err
		}
		c.link = &link{ClientConn: cc, cuts: c.cuts}
	}
	return c.link, nil
}

// unborn reports whether a link ended before it had any answer, as those do
// that net/http's server does not get the first settings of within 2 seconds,
// and drops it.
func (c *conn2) unborn(l *link) bool {
	if l == nil || l.used.Load() || l.Err() == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == l {
		c.link = nil
		_ = l.Close()
	}
	return c.cuts == l.cuts // else it was a client
}

// cut ends the connection, by a reset or in good order. Requests that are on
// their way on it are given up.
func (c *conn2) cut(reset bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == nil {
		return
	}
	c.cuts++
	if reset {
		_ = c.tcp.SetLinger(0)
		_ = c.tcp.Close()
	}
	_ = c.link.Close()
	c.link = nil
}

func (c *conn2) cutsSoFar() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cuts
}

// leave is called by each worker when it goes; the last closes the connection.
func (c *conn2) leave() {
	c.mu.Lock()
	c.workers--
	last := c.workers == 0
	c.mu.Unlock()
	if last {
		c.cut(false)
	}
}

// overHTTP2 asks on a connection that others may ask on, too.
func (w *worker) overHTTP2(conn *conn2) {
	defer conn.leave()
	w.pause(rand.N(min(w.length/16, time.Second))) // not all at once
	for !w.over() {
		w.scene2(conn)
	}
}

func (w *worker) scene2(conn *conn2) {
	ctx, cancel := w.clock.context(w.patience)
	defer cancel()
	switch n := w.choose.IntN(1000); {
	case n < 50:
		w.cancelled(conn, ctx, cancel)
	case n < 54:
		w.count(slowReaders)
		c := w.newCall(slowKind)
		c.larger(slowBody + w.choose.IntN(slowBody))
		w.ask2(conn, ctx, c, nil, func(r io.Reader) io.Reader { return slowReader{r, w} })
	case n < 60:
		w.stalledBody(conn, ctx)
	case n < 70:
		w.brokenBody(conn, ctx)
	case n < 80:
		w.count(resets)
		conn.cut(true)
	case n < 90:
		conn.cut(false)
	default:
		w.ask2(conn, ctx, w.next(overHTTP2), nil, nil)
	}
}

// ask2 sends a call and checks the answer. The body is c's own unless another is
// given, and the answer's is read by way of through, if there is one.
func (w *worker) ask2(conn *conn2, ctx context.Context, c *call, body *halves, through func(io.Reader) io.Reader) {
	start := time.Now()
	l, resp, err := w.roundTrip(conn, ctx, c, body)
	for try := 1; err != nil && try < 10 && conn.unborn(l); try++ {
		w.count(unborn)
		l, resp, err = w.roundTrip(conn, ctx, c, body)
	}
	if resp != nil && through != nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{bufio.NewReaderSize(through(resp.Body), 16<<10), resp.Body}
	}
	o, err := c.judge(resp, err)
	if o == unanswered || o == brokeOff {
		switch {
		case context.Cause(ctx) == context.DeadlineExceeded:
			o, err = unanswered, context.DeadlineExceeded
		case context.Cause(ctx) == context.Canceled, l != nil && conn.cutsSoFar() > l.cuts, errors.Is(err, errBroken):
			o, err = givenUp, nil
		}
	}
	if o == unanswered {
		conn.cut(false) // it may be of no more use
	}
	w.settle(overHTTP2, c, time.Since(start), o, err)
}

func (w *worker) roundTrip(conn *conn2, ctx context.Context, c *call, halves *halves) (*link, *http.Response, error) {
	l, err := conn.ready(ctx)
	if err != nil {
		return nil, nil, err
	}
	var body io.Reader
	if halves != nil {
		again := *halves
		body = &again
	} else if c.body != "" {
		body = strings.NewReader(c.body)
	}
	r, err := http.NewRequestWithContext(ctx, c.method, "http://"+w.addr+c.target, body)
	if err != nil {
		return l, nil, err
	}
	r.Host = c.host
	r.Header.Set("Id", escaped("id", c.id))
	resp, err := l.RoundTrip(r)
	if err == nil {
		l.used.Store(true)
	}
	return l, resp, err
}

// cancelled takes a call back, at some time: before the answer, within it, or
// too late.
func (w *worker) cancelled(conn *conn2, ctx context.Context, cancel func()) {
	c := w.next(overHTTP2)
	for c.want.ends != whole {
		c = w.next(overHTTP2)
	}
	w.count(cancels)
	timer := time.AfterFunc(time.Duration(w.choose.ExpFloat64()*float64(5*time.Millisecond)), cancel)
	defer timer.Stop()
	w.ask2(conn, ctx, c, nil, nil)
}

// stalledBody sends half a body, keeps silent, and goes on.
func (w *worker) stalledBody(conn *conn2, ctx context.Context) {
	c := w.newCall(stalledBodyKind)
	echoBody(c, w.choose)
	w.count(stalls)
	half := len(c.body) / 2
	w.ask2(conn, ctx, c, &halves{first: c.body[:half], between: func() error {
		w.pause(time.Duration(w.choose.Int64N(int64(time.Second))))
		return nil
	}, second: c.body[half:]}, nil)
}

var errBroken = errors.New("the client's body breaks off")

// brokenBody sends half a body and then takes the request back.
func (w *worker) brokenBody(conn *conn2, ctx context.Context) {
	c := w.newCall(stalledBodyKind)
	echoBody(c, w.choose)
	w.count(brokenBodies)
	half := len(c.body) / 2
	w.ask2(conn, ctx, c, &halves{first: c.body[:half], between: func() error { return errBroken }}, nil)
}

// halves is a body with something that happens half-way.
type halves struct {
	first   string
	between func() error
	second  string
}

func (h *halves) Read(p []byte) (int, error) {
	if h.first == "" && h.between != nil {
		if err := h.between(); err != nil {
			return 0, err
		}
		h.first, h.second, h.between = h.second, "", nil
	}
	n := copy(p, h.first)
	h.first = h.first[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
