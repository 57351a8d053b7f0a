package main

// This file asks the same of the router over HTTP/1.1, HTTP/2 and HTTP/3.
// README.md has to say what was different.

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go/http3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/examples/internal/live"
	"github.com/segue-go/segue/internal/loopback"
)

// A subject is the program's servers, asked by a client of one protocol.
type subject struct {
	*servers
	t        *testing.T
	client   *http.Client
	url      string
	contexts chan context.Context
	release  chan bool
	errors   chan error
}

// trust is the program's certificate for addresses that tests listen on.
func trust(t *testing.T) (tls.Certificate, *tls.Config) {
	certificate, err := selfSigned()
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(certificate.Certificate[0])
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return certificate, &tls.Config{RootCAs: roots, ServerName: "localhost"}
}

// transport speaks one version of HTTP alone.
func transport(t *testing.T, version int, config *tls.Config) http.RoundTripper {
	if version == 3 {
		h3 := &http3.Transport{TLSClientConfig: config, DisableCompression: true}
		t.Cleanup(func() { h3.Close() })
		return h3
	}
	std := &http.Transport{TLSClientConfig: config, Protocols: new(http.Protocols), DisableCompression: true, ExpectContinueTimeout: live.Patience}
	std.Protocols.SetHTTP1(version == 1)
	std.Protocols.SetHTTP2(version == 2)
	t.Cleanup(std.CloseIdleConnections)
	return std
}

func newSubject(t *testing.T, version int) *subject {
	certificate, config := trust(t)
	s := &subject{t: t, contexts: make(chan context.Context), release: make(chan bool), errors: make(chan error, 1)}
	var err error
	s.servers, err = listen(loopback.Host()+":0", s.router(), certificate)
	require.NoError(t, err)
	s.serve()
	t.Cleanup(func() { s.close() })
	s.url = "https://" + s.tcp.Addr().String()
	s.client = &http.Client{Transport: transport(t, version, config), Timeout: live.Patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return s
}

// router has a route for each thing that a handler does.
func (s *subject) router() *segue.Router {
	app := segue.New()
	hello := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %d", r.Pattern, r.ProtoMajor)
		for name, value := range segue.Params(r) {
			fmt.Fprintf(w, " %s=%s=%s", name, value, r.PathValue(name))
		}
	}
	app.GET("/hello/{name}", hello)
	app.GET("/files/{path...}", hello)
	app.Method("PROPFIND", "/hello/{name}", http.HandlerFunc(hello))
	app.GET("/flush", s.flush)
	app.POST("/first", first)
	app.POST("/upper", upper)
	app.GET("/hints", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		fmt.Fprint(w, "<!DOCTYPE html>")
	})
	app.GET("/hijack", func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			fmt.Fprint(w, "no")
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes")
	})
	app.GET("/abort", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "half of it")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	app.POST("/read", s.read)
	app.GET("/write", s.write)
	app.GET("/context", func(w http.ResponseWriter, r *http.Request) {
		s.contexts <- r.Context()
		<-s.release
		fmt.Fprint(w, "finished")
	})
	app.POST("/trailers", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "Announced")
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, r.Trailer.Get("Sum"))
		w.Header().Set("Announced", "1")
		w.Header().Set(http.TrailerPrefix+"Prefixed", "2")
	})
	app.GET("/server", func(w http.ResponseWriter, r *http.Request) {
		_, is := r.Context().Value(http.ServerContextKey).(*http.Server)
		fmt.Fprint(w, yes(is))
	})
	app.GET("/tls", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, yes(r.TLS != nil && r.TLS.HandshakeComplete))
	})
	return app
}

func (s *subject) flush(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, "first")
	if err := http.NewResponseController(w).Flush(); err != nil {
		panic(err)
	}
	<-s.release
	fmt.Fprint(w, " second")
}

func (s *subject) read(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now())
	_, err := io.ReadAll(r.Body)
	s.errors <- err
}

func (s *subject) write(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now())
	_, err := w.Write(make([]byte, 1<<20))
	s.errors <- errors.Join(err, control.Flush())
}

func first(w http.ResponseWriter, r *http.Request) {
	var b [1]byte
	_, err := io.ReadFull(r.Body, b[:])
	fmt.Fprintf(w, "%s %v", b[:], err)
}

// upper answers while it reads.
func upper(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	_ = control.EnableFullDuplex() // HTTP/1.1 wants to be asked
	_ = control.Flush()
	var piece [100]byte
	for {
		n, err := r.Body.Read(piece[:])
		fmt.Fprint(w, strings.ToUpper(string(piece[:n])))
		if err != nil || control.Flush() != nil {
			return
		}
	}
}

var checks = []struct {
	what    string
	observe func(s *subject) string
}{
	{"`PathValue`, `Param` and `r.Pattern`", pathValues},
	{"misses (404, 405 with `Allow`, 307)", misses},
	{"methods such as `PROPFIND`", func(s *subject) string { return yes(s.ask("PROPFIND", "/hello/x", nil).status == 200) }},
	{"50 requests at once", manyAtOnce},
	{"`HEAD`", heads},
	{"`Flush`", flushes},
	{"answers while the request is sent", bothWays},
	{"103 Early Hints", earlyHints},
	{"trailers both ways", trailers},
	{"read deadlines set by handlers", readDeadlines},
	{"write deadlines set by handlers", writeDeadlines},
	{"`panic(http.ErrAbortHandler)` tells the client", aborted},
	{"`r.Context()` ends with the client", contexts},
	{"headers above 1 MB are refused", largeHeaders},
	{"a missing `Content-Type`", func(s *subject) string { return "`" + s.ask("GET", "/hints", nil).header.Get("Content-Type") + "`" }},
	{"`Expect: 100-continue`", expectContinue},
	{"`Hijack`", func(s *subject) string { return s.ask("GET", "/hijack", nil).body }},
	{"`r.TLS`", func(s *subject) string { return s.ask("GET", "/tls", nil).body }},
	{"`http.ServerContextKey`", func(s *subject) string { return s.ask("GET", "/server", nil).body }},
	{"`Alt-Svc` leads to HTTP/3", altSvc},
	{"the program's shutdown finishes requests", shutsDown}, // last: it ends the servers
}

// What the protocols were seen to do is what README.md says.
func TestDifferences(t *testing.T) {
	var rows []live.Row
	for _, c := range checks {
		rows = append(rows, live.Row{What: c.what})
	}
	names := []string{"HTTP/1.1", "HTTP/2", "HTTP/3"}
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			s := newSubject(t, i+1)
			for row, c := range checks {
				t.Run(c.what, func(t *testing.T) {
					s.t = t
					rows[row].Outcomes = append(rows[row].Outcomes, c.observe(s))
				})
			}
		})
	}
	live.Readme(t, names, rows)
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// An answer is what came back, and why no more came.
type answer struct {
	status  int
	header  http.Header
	trailer http.Header
	body    string
	err     error
}

func (s *subject) request(method, target string, body io.Reader) *http.Request {
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+target, body)
	require.NoError(s.t, err)
	return r
}

func (s *subject) ask(method, target string, body io.Reader) answer {
	return s.send(s.request(method, target, body))
}

func (s *subject) send(r *http.Request) answer {
	response, err := s.client.Do(r)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, response.Trailer, string(body), err}
}

func pathValues(s *subject) string {
	version := s.ask("GET", "/hello/x", nil).body[len("GET /hello/{name} "):][:1]
	return yes(s.ask("GET", "/hello/sl%C3%B6w%2F?q", nil).body == "GET /hello/{name} "+version+" name=slöw/=slöw/" &&
		s.ask("GET", "/files/a/b%2Fc", nil).body == "GET /files/{path...} "+version+" path=a/b/c=a/b/c")
}

func misses(s *subject) string {
	lost, method, redirect := s.ask("GET", "/nowhere", nil), s.ask("PUT", "/hello/x", nil), s.ask("GET", "/hello//x", nil)
	return yes(lost.status == 404 && lost.body == "404 page not found\n" &&
		method.status == 405 && method.header.Get("Allow") == "GET, HEAD, OPTIONS, PROPFIND" &&
		redirect.status == 307 && redirect.header.Get("Location") == "/hello/x")
}

func manyAtOnce(s *subject) string {
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			got := s.ask("GET", fmt.Sprintf("/hello/n%d", i), nil)
			assert.Contains(s.t, got.body, fmt.Sprintf("name=n%d=n%d", i, i))
		})
	}
	wg.Wait()
	return yes(!s.t.Failed())
}

func heads(s *subject) string {
	got := s.ask("HEAD", "/hello/x", nil)
	return yes(got.status == 200 && got.body == "" && s.ask("HEAD", "/nowhere", nil).status == 404)
}

func flushes(s *subject) string {
	response, err := s.client.Do(s.request("GET", "/flush", nil))
	require.NoError(s.t, err)
	defer response.Body.Close()
	var begin [5]byte
	_, err = io.ReadFull(response.Body, begin[:])
	require.NoError(s.t, err)
	s.release <- true
	rest, err := io.ReadAll(response.Body)
	return yes(err == nil && string(begin[:]) == "first" && string(rest) == " second")
}

func bothWays(s *subject) string {
	body, in := io.Pipe()
	response, err := s.client.Do(s.request("POST", "/upper", body))
	require.NoError(s.t, err)
	defer response.Body.Close()
	for _, word := range []string{"one", "two"} {
		_, err := io.WriteString(in, word)
		require.NoError(s.t, err)
		got := make([]byte, len(word))
		_, err = io.ReadFull(response.Body, got)
		require.NoError(s.t, err)
		assert.Equal(s.t, strings.ToUpper(word), string(got))
	}
	return yes(in.Close() == nil)
}

func earlyHints(s *subject) string {
	var link string
	r := s.request("GET", "/hints", nil)
	trace := &httptrace.ClientTrace{Got1xxResponse: func(status int, header textproto.MIMEHeader) error {
		link = fmt.Sprint(status, header.Get("Link"))
		return nil
	}}
	got := s.send(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	return yes(got.status == 200 && link == "103</style.css>; rel=preload")
}

func trailers(s *subject) string {
	r := s.request("POST", "/trailers", io.NopCloser(strings.NewReader("abc")))
	r.Trailer = http.Header{"Sum": {"7"}}
	got := s.send(r)
	switch {
	case got.body != "7":
		return "of responses alone"
	case got.trailer.Get("Announced") != "1" || got.trailer.Get("Prefixed") != "2":
		return "of requests alone"
	}
	return "yes"
}

func readDeadlines(s *subject) string {
	body, in := io.Pipe()
	defer in.Close()
	go s.ask("POST", "/read", body) // never sends its body
	return yes(<-s.errors != nil)
}

func writeDeadlines(s *subject) string {
	go s.ask("GET", "/write", nil)
	return yes(<-s.errors != nil)
}

func aborted(s *subject) string {
	got := s.ask("GET", "/abort", nil)
	return yes(got.err != nil) // what had been sent may be lost
}

func contexts(s *subject) string {
	ctx, leave := context.WithCancel(s.t.Context())
	go s.send(s.request("GET", "/context", nil).WithContext(ctx))
	seen := <-s.contexts
	leave()
	defer func() { s.release <- true }()
	select {
	case <-seen.Done():
		return "yes"
	case <-time.After(live.Patience):
		return "no"
	}
}

func largeHeaders(s *subject) string {
	r := s.request("GET", "/hello/x", nil)
	r.Header.Set("X", strings.Repeat("x", 2<<20))
	got := s.send(r)
	return yes(got.err != nil || got.status == 431) // HTTP/2 tells clients the limit
}

func expectContinue(s *subject) string {
	told := false
	r := s.request("POST", "/first", strings.NewReader("abc"))
	r.Header.Set("Expect", "100-continue")
	trace := &httptrace.ClientTrace{Got100Continue: func() { told = true }, Got1xxResponse: func(status int, _ textproto.MIMEHeader) error {
		told = told || status == 100
		return nil
	}}
	got := s.send(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	require.Equal(s.t, "a <nil>", got.body)
	return yes(told)
}

func altSvc(s *subject) string {
	got := s.ask("GET", "/hello/x", nil).header.Get("Alt-Svc")
	_, port, _ := strings.Cut(s.udp.LocalAddr().String(), ":")
	return yes(strings.Contains(got, `h3=":`+port+`"`))
}

func shutsDown(s *subject) string {
	answered := make(chan answer)
	go func() { answered <- s.ask("GET", "/context", nil) }()
	<-s.contexts
	down := make(chan error)
	go func() { down <- s.shutdown(context.Background()) }()
	require.Eventually(s.t, func() bool { // both have begun to stop
		return !live.Listens(s.tcp.Addr().String()) && s.quic.SetQUICHeaders(http.Header{}) != nil
	}, live.Patience, time.Millisecond)
	s.release <- true
	got := <-answered
	s.client.CloseIdleConnections()
	require.NoError(s.t, <-down)
	return yes(got.body == "finished")
}

// The program answers over TCP and UDP, and ends when it is told to.
func TestRun(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	addr := live.Start(t, func(addr string) error {
		ended <- run(ctx, addr, newApp())
		return nil
	})
	for version, proto := range map[int]string{1: "HTTP/1.1", 2: "HTTP/2.0", 3: "HTTP/3.0"} {
		// The program's certificate is its own affair.
		rt := transport(t, version, &tls.Config{InsecureSkipVerify: true})
		response, err := (&http.Client{Transport: rt, Timeout: live.Patience}).Get("https://" + addr + "/hello/vikram")
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		require.NoError(t, err)
		assert.Equal(t, "Hello, vikram, over "+proto+"!\n", string(body))
		(&http.Client{Transport: rt}).CloseIdleConnections()
	}
	stop()
	assert.NoError(t, <-ended)
}

func TestPortTaken(t *testing.T) {
	live.PortTaken(t, func(addr string) error { return run(t.Context(), addr, newApp()) })
}
