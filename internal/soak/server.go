package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// A stage is an app being served, over HTTP/1.1 and HTTP/2 on one port. A
// second port belongs to a server that loses patience with its clients.
type stage struct {
	config
	*book
	*handlers
	app    atomic.Pointer[app]
	server *http.Server
	strict *http.Server
	addr   string
	hasty  string // the address of strict

	acts    int
	open    atomic.Int64  // connections
	logged  atomic.Int64  // panics in the server's log
	serving chan error    // what Serve returned, of both
	closing chan struct{} // closed when the shutdown has begun
}

func newStage(c config, b *book) (*stage, error) {
	s := &stage{config: c, book: b, serving: make(chan error, 2), closing: make(chan struct{})}
	s.handlers = &handlers{book: b, atMost: min(2*time.Second, c.length/4), gate: make(chan struct{})}
	s.server = s.newServer()
	s.server.RegisterOnShutdown(func() { close(s.closing) })
	s.strict = s.newServer()
	s.strict.ReadHeaderTimeout, s.strict.WriteTimeout = time.Second, time.Second
	s.begin()
	for _, of := range []struct {
		server *http.Server
		addr   *string
	}{{s.server, &s.addr}, {s.strict, &s.hasty}} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		*of.addr = listener.Addr().String()
		go func() { s.serving <- of.server.Serve(narrow{listener}) }()
	}
	return s, nil
}

func (s *stage) newServer() *http.Server {
	server := &http.Server{
		Handler:   http.HandlerFunc(s.serve),
		Protocols: new(http.Protocols),
		ErrorLog:  log.New(s, "", 0),
		ConnState: s.connState,
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	return server
}

// serve hands a request to the app of the moment.
func (s *stage) serve(w http.ResponseWriter, r *http.Request) { s.app.Load().serve.ServeHTTP(w, r) }

// begin puts a fresh app in the place of the one that is served.
func (s *stage) begin() *app {
	a := newApp(int(s.apps.Add(1)), s.handlers)
	a.serve = a.Router
	if s.wrap != nil {
		a.serve = s.wrap(a.Router)
	}
	s.app.Store(a)
	return a
}

func (s *stage) connState(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		n := s.open.Add(1)
		for most := s.connected.Load(); n > most && !s.connected.CompareAndSwap(most, n); {
			most = s.connected.Load()
		}
	case http.StateClosed, http.StateHijacked:
		s.open.Add(-1)
	}
}

// Write takes a message for the server's log. Panics were raised on purpose: net/http
// logs one ("panic serving"), or Recover. http.TimeoutHandler swallows one if the
// client goes in the same moment. No other message is expected.
func (s *stage) Write(text []byte) (int, error) {
	line, _, _ := strings.Cut(string(text), "\n")
	switch {
	case strings.Contains(line, "panic serving") && strings.Contains(line, "on purpose: GET /panic/"):
		s.logged.Add(1)
	case strings.HasPrefix(line, "segue: GET /safe/") && strings.Contains(line, ": panic: on purpose: GET /safe/"):
		s.logged.Add(1)
	case strings.Contains(line, "panic serving") && strings.Contains(line, "on purpose: GET /intime/"):
	case strings.Contains(line, "timeout waiting for SETTINGS"): // see conn2.unborn
	default:
		s.wrongAnswer("the server's log has %q", text)
	}
	return len(text), nil
}

// narrow gives each connection a small buffer, so that a client that does not
// read holds its handler up.
type narrow struct{ net.Listener }

func (n narrow) Accept() (net.Conn, error) {
	conn, err := n.Listener.Accept()
	if err == nil {
		_ = conn.(*net.TCPConn).SetWriteBuffer(128 << 10) // fails if the client has reset it already
	}
	return conn, err
}

// await waits for a condition, for as long as patience goes.
func (s *stage) await(what string, condition func() bool) error {
	if !s.clock.await(s.patience, condition) {
		return fmt.Errorf("after %v still not: %s", s.patience, what)
	}
	return nil
}
