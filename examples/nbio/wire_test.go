package main

// This file sends raw bytes to the same router on net/http, on nbio as it comes,
// and on nbio as this program uses it. README.md has to say what was different.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/lesismal/nbio/nbhttp"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/examples/internal/live"
	"github.com/segue-go/segue/examples/nbio/engine"
)

// bodyLimit is what nbio may hold of a request. The rest is of the router alone.
const bodyLimit = 1 << 20

// A subject is the router on one of the servers.
type subject struct {
	addr      string
	impatient string // another server, which gives a client 100 ms
	requests  chan *http.Request
	contexts  chan context.Context
	release   chan bool
	errors    chan error
	shutdown  func()      // returns when requests in flight have been cut off, if they are
	leftOpen  atomic.Bool // nbio has forgotten a connection without closing it
}

// A serve starts a server that waits a while for a request.
type serve func(t *testing.T, s *subject, h http.Handler, idle time.Duration) (addr string, shutdown func())

func newSubject(t *testing.T, serve serve) *subject {
	s := &subject{requests: make(chan *http.Request, 1), contexts: make(chan context.Context), release: make(chan bool), errors: make(chan error, 1)}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ten.txt"), []byte("0123456789"), 0o644))
	app := s.router(dir)
	s.addr, s.shutdown = serve(t, s, app, live.Patience)
	s.impatient, _ = serve(t, s, app, 100*time.Millisecond)
	return s
}

// onNetHTTP serves as most programs do.
func onNetHTTP(t *testing.T, _ *subject, h http.Handler, idle time.Duration) (string, func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: h, ReadTimeout: idle, WriteTimeout: idle, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return l.Addr().String(), func() {
		go server.Shutdown(context.Background())
		require.Eventually(t, func() bool { return !live.Listens(l.Addr().String()) }, live.Patience, time.Millisecond)
	}
}

// onNbio serves on nbio alone.
func onNbio(t *testing.T, s *subject, h http.Handler, idle time.Duration) (string, func()) {
	config := nbhttp.Config{Addrs: []string{"127.0.0.1:0"}, Handler: h, IOMod: nbhttp.IOModMixed, KeepaliveTime: idle,
		WriteTimeout: idle, ReadLimit: bodyLimit, MaxHTTPBodySize: bodyLimit, SupportServerOnly: true}
	bare := nbhttp.NewEngine(config)
	bare.OnClose(func(c net.Conn, _ error) { // so that the tests need not wait for the garbage collector
		if c.Close() == nil {
			s.leftOpen.Store(true)
		}
	})
	require.NoError(t, bare.Start())
	var once sync.Once
	t.Cleanup(func() { once.Do(bare.Stop) })
	return config.Addrs[0], func() {
		now, cancel := context.WithCancel(context.Background())
		cancel()
		once.Do(func() { _ = bare.Shutdown(now) }) // it closes all connections before it looks
	}
}

// onProgram serves as main does.
func onProgram(t *testing.T, _ *subject, h http.Handler, idle time.Duration) (string, func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server, err := engine.Serve(l, h, engine.Limits{Idle: idle, Write: idle, Bytes: bodyLimit})
	require.NoError(t, err)
	var once sync.Once
	now, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		once.Do(func() { _ = server.Shutdown(now) })
	})
	return l.Addr().String(), func() {
		go once.Do(func() { _ = server.Shutdown(context.Background()) })
		require.Eventually(t, func() bool { return !live.Listens(l.Addr().String()) }, live.Patience, time.Millisecond)
	}
}

// router has a route for each thing that a handler does.
func (s *subject) router(dir string) *segue.Router {
	app := segue.New()
	app.GET("/hello/{name}", hello)
	app.POST("/hello/{name}", hello)
	app.Method("PROPFIND", "/hello/{name}", http.HandlerFunc(hello))
	app.GET("/files/{path...}", hello)
	app.Static("/static", segue.Files{FS: os.DirFS(dir)})
	app.GET("/copy", func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Open(filepath.Join(dir, "ten.txt"))
		if err == nil {
			defer f.Close()
			_, err = io.Copy(w, io.LimitReader(f, 4))
		}
		if err != nil {
			panic(err)
		}
	})
	app.GET("/pieces/{letter}", func(w http.ResponseWriter, r *http.Request) {
		for range 100 {
			fmt.Fprint(w, strings.Repeat(r.PathValue("letter"), 1000))
		}
	})
	app.GET("/html", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<!DOCTYPE html>") })
	app.GET("/flush", s.flush)
	app.GET("/wait", s.wait)
	app.GET("/hints", hints)
	app.GET("/hijack", hijack)
	app.GET("/close", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Connection", "close") })
	app.GET("/abort", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	app.GET("/large", s.large)
	app.GET("/keep", func(w http.ResponseWriter, r *http.Request) { s.requests <- r })
	app.GET("/context", func(w http.ResponseWriter, r *http.Request) {
		s.contexts <- r.Context()
		<-s.release
	})
	app.GET("/deadlines", deadlines)
	app.GET("/trailers", trailers)
	app.POST("/trailers", trailers)
	app.POST("/first", func(w http.ResponseWriter, r *http.Request) {
		var b [1]byte
		_, err := io.ReadFull(r.Body, b[:])
		fmt.Fprintf(w, "%s %v", b[:], err)
	})
	app.POST("/decode", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		_, err := segue.Decode[any](w, r)
		return err
	}))
	return app
}

// hello tells what came.
func hello(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "%s %s", r.Pattern, r.Host)
	for name, value := range segue.Params(r) {
		if value != r.PathValue(name) || value != segue.Param(r, name) {
			value = "not that of PathValue"
		}
		if len(value) > 100 {
			value = fmt.Sprintf("%d bytes", len(value))
		}
		fmt.Fprintf(w, " %s=%s", name, value)
	}
	fmt.Fprintf(w, " body=%s", body)
}

func (s *subject) flush(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, "first")
	if err := http.NewResponseController(w).Flush(); err != nil {
		fmt.Fprint(w, err)
		return
	}
	<-s.release
	fmt.Fprint(w, " second")
}

func (s *subject) wait(w http.ResponseWriter, r *http.Request) {
	s.requests <- r
	<-s.release
	fmt.Fprint(w, "finished")
}

func hints(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Link", "</style.css>; rel=preload")
	w.WriteHeader(http.StatusEarlyHints)
	w.Header().Set("Content-Length", "5")
	fmt.Fprint(w, "hello")
}

// hijack answers each line that comes with the same line.
func hijack(w http.ResponseWriter, r *http.Request) {
	conn, buffer, err := http.NewResponseController(w).Hijack()
	if err != nil {
		fmt.Fprint(w, err)
		return
	}
	defer conn.Close()
	if buffer == nil {
		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nno buffer")
		return
	}
	fmt.Fprint(buffer, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n")
	for err == nil && buffer.Flush() == nil {
		var line string
		line, err = buffer.ReadString('\n')
		fmt.Fprint(buffer, line)
	}
}

// large writes more than fits on the way, for as long as the client may take.
func (s *subject) large(w http.ResponseWriter, r *http.Request) {
	piece := make([]byte, 1<<20)
	for {
		if _, err := w.Write(piece); err != nil {
			s.errors <- err
			return
		}
	}
}

// deadlines tells which ones a handler can set.
func deadlines(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	for what, err := range map[string]error{"read": control.SetReadDeadline(time.Time{}), "write": control.SetWriteDeadline(time.Time{})} {
		if !errors.Is(err, http.ErrNotSupported) {
			w.Header().Set(what, "yes")
		}
	}
}

func trailers(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Trailer", "Announced")
	body, err := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %v %s", body, err, r.Trailer.Get("Sum"))
	w.Header().Set("Announced", "1")
	w.Header().Set(http.TrailerPrefix+"Prefixed", "2")
}

// A wire is a connection to a server.
type wire struct {
	net.Conn
	*bufio.Reader
	t *testing.T
}

func (w wire) Read(p []byte) (int, error) { return w.Reader.Read(p) }

func dial(t *testing.T, addr string) wire {
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(live.Patience)))
	t.Cleanup(func() { conn.Close() })
	return wire{conn, bufio.NewReader(conn), t}
}

// send sends requests. A server that has hung up does not get them.
func (w wire) send(text string) { _, _ = io.WriteString(w.Conn, text) }

// response reads an answer and its body.
func (w wire) response(method string) (*http.Response, string, error) {
	response, err := http.ReadResponse(w.Reader, &http.Request{Method: method})
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(response.Body)
	return response, string(body), err
}

// answer is the status and the body of the next answer, "no answer" if the
// connection ends instead, and "no HTTP" for what cannot be read.
func (w wire) answer(method string) string {
	response, body, err := w.response(method)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		w.t.Error("neither an answer nor the end of the connection")
	}
	ended := err != nil && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET))
	switch {
	case err == nil, response != nil && ended: // a server that has not read everything resets the connection
		return strings.TrimRight(fmt.Sprint(response.StatusCode, " ", body), " \n")
	case ended:
		return "no answer"
	}
	return "no HTTP"
}

func (w wire) ask(method, target string) string {
	w.send(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
	return w.answer(method)
}

// last sends the last request of a connection, so that a server that waits for
// more sees that there is no more.
func (w wire) last(method, text string) string {
	go func() {
		w.send(text)
		_ = w.Conn.(*net.TCPConn).CloseWrite()
	}()
	return w.answer(method)
}

// status is the status alone.
func (w wire) status(method, text string) string {
	status, rest, _ := strings.Cut(w.last(method, text), " ")
	if status == "no" {
		return "no " + rest
	}
	return status
}
