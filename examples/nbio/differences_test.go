package main

// This file lists what is compared. A check returns a few words for the table
// in README.md.

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/examples/internal/live"
)

var checks = []struct {
	what    string
	observe func(t *testing.T, s *subject) string
}{
	{"`PathValue`, `Param` and `r.Pattern`", pathValues},
	{"misses (404, 405 with `Allow`, 307)", misses},
	{"keep-alive past a body that nobody reads", unreadBodies},
	{"pipelined requests", pipelined},
	{"chunked bodies", chunked},
	{"requests that come byte by byte", byteByByte},
	{"HTTP/1.0", http10},
	{"paths of 500 KB", longPaths},
	{"`Flush`", flushes},
	{"write timeouts", writeTimeouts},
	{"a client that sends nothing is hung up on", silent},
	{"`HEAD`", heads},
	{"ranges of files", ranges},
	{"`io.Copy` from a file", copies},
	{"100 KB in pieces, without `Content-Length`", pieces},
	{"a missing `Content-Type`", sniffed},
	{"103 Early Hints", earlyHints},
	{"`panic(http.ErrAbortHandler)`", aborted},
	{"`Hijack`", hijacks},
	{"deadlines set by handlers", handlerDeadlines},
	{"announced trailers of requests", func(t *testing.T, s *subject) string { return requestTrailer(t, s, "Trailer: Sum\r\n") }},
	{"other trailers of requests", func(t *testing.T, s *subject) string { return requestTrailer(t, s, "") }},
	{"trailers of responses", responseTrailers},
	{"a handler runs before the body is there", streamed},
	{"`Expect: 100-continue`", expectContinue},
	{"bodies above the limit", largeBodies},
	{"headers above the limit", largeHeaders},
	{"requests that are no HTTP", broken},
	{"no `Host`, or two", hosts},
	{"a blank before a header's colon", blankBeforeColon},
	{"lines that end without CR", bareLF},
	{"methods such as `PROPFIND`", otherMethods},
	{"absolute targets", absolute},
	{"`Connection: close` from a handler", closes},
	{"a request kept after its handler", kept},
	{"`r.Context()` ends with the client", contexts},
	{"HTTP/2", http2},
	{"graceful shutdown", shutdown}, // last: it ends the server
}

// What the servers were seen to do is what README.md says.
func TestDifferences(t *testing.T) {
	var rows []live.Row
	for _, c := range checks {
		rows = append(rows, live.Row{What: c.what})
	}
	names := []string{"net/http", "nbio", "this program"}
	for i, serve := range []serve{onNetHTTP, onNbio, onProgram} {
		t.Run(names[i], func(t *testing.T) {
			s := newSubject(t, serve)
			for row, c := range checks {
				t.Run(c.what, func(t *testing.T) {
					rows[row].Outcomes = append(rows[row].Outcomes, c.observe(t, s))
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

// each asks for targets on one connection and compares the answers.
func (w wire) each(targetsAndAnswers ...string) string {
	for i := 0; i < len(targetsAndAnswers); i += 2 {
		method, target, _ := strings.Cut(targetsAndAnswers[i], " ")
		if got := w.ask(method, target); got != targetsAndAnswers[i+1] {
			w.t.Logf("%s %.50s: %.200s", method, target, got)
			return "no"
		}
	}
	return "yes"
}

func pathValues(t *testing.T, s *subject) string {
	return dial(t, s.addr).each(
		"GET /hello/sl%C3%B6w%2F?q", "200 GET /hello/{name} localhost name=slöw/ body=",
		"GET /files/a/b%2Fc", "200 GET /files/{path...} localhost path=a/b/c body=")
}

func misses(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	w.send("PUT /hello/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
	response, _, err := w.response("PUT")
	require.NoError(t, err)
	assert.Equal(t, "GET, HEAD, OPTIONS, POST, PROPFIND", response.Header.Get("Allow"))
	w.send("GET /hello/x/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
	redirect, _, err := w.response("GET")
	require.NoError(t, err)
	assert.Equal(t, "/hello/x", redirect.Header.Get("Location"))
	return yes(fmt.Sprint(response.StatusCode, redirect.StatusCode, w.ask("GET", "/nowhere")) == "405 307 404 404 page not found")
}

func unreadBodies(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	smuggled := strings.Repeat("GET /hello/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n", 100)
	for range 20 {
		w.send(fmt.Sprintf("POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(smuggled), smuggled))
		if got := w.answer("POST"); got != "404 404 page not found" {
			return got
		}
	}
	return w.each("GET /hello/x", "200 GET /hello/{name} localhost name=x body=")
}

func pipelined(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	var all strings.Builder
	for i := range 200 {
		fmt.Fprintf(&all, "POST /hello/p%d HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", i)
		all.WriteString("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n")
	}
	go w.send(all.String())
	for i := range 200 {
		if got := w.answer("POST"); got != fmt.Sprintf("200 POST /hello/{name} localhost name=p%d body=abc", i) {
			return got
		}
		if got := w.answer("GET"); got != "404 404 page not found" {
			return got
		}
	}
	return "yes"
}

const chunks = "POST /hello/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\na;ext=1\r\n0123456789\r\n0\r\n\r\n"

func chunked(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	w.send(chunks + chunks)
	const want = "200 POST /hello/{name} localhost name=x body=abc0123456789"
	first := w.answer("POST")
	return yes(first == want && w.answer("POST") == want)
}

func byteByByte(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	require.NoError(t, w.Conn.(*net.TCPConn).SetNoDelay(true))
	for i := range len(chunks) {
		w.send(chunks[i : i+1])
	}
	return yes(w.answer("POST") == "200 POST /hello/{name} localhost name=x body=abc0123456789")
}

func http10(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	w.send("GET /hello/x HTTP/1.0\r\nHost: localhost\r\n\r\n")
	return yes(w.answer("GET") == "200 GET /hello/{name} localhost name=x body=" && w.answer("GET") == "no answer")
}

func longPaths(t *testing.T, s *subject) string {
	long := strings.Repeat("x", 500_000)
	return dial(t, s.addr).each("GET /hello/"+long, "200 GET /hello/{name} localhost name=500000 bytes body=",
		"GET /nowhere/"+long, "404 404 page not found")
}

func flushes(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	w.send("GET /flush HTTP/1.1\r\nHost: localhost\r\n\r\n")
	response, err := http.ReadResponse(w.Reader, nil)
	require.NoError(t, err)
	var first [5]byte
	_, err = response.Body.Read(first[:])
	require.NoError(t, err)
	s.release <- true
	return yes(string(first[:]) == "first")
}

func writeTimeouts(t *testing.T, s *subject) string {
	w := dial(t, s.impatient)
	w.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n") // and reads nothing
	err := <-s.errors
	var timeout net.Error
	return yes(assert.ErrorAs(t, err, &timeout) && timeout.Timeout())
}

func silent(t *testing.T, s *subject) string {
	require.Equal(t, "no answer", dial(t, s.impatient).answer("GET"))
	return yes(!s.leftOpen.Load())
}

func heads(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	w.send("HEAD /hello/x HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hello/after HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if got := w.answer("HEAD"); got != "200" {
		return got
	}
	if w.answer("GET") != "200 GET /hello/{name} localhost name=after body=" {
		return "answered with a body"
	}
	return "no body"
}

func ranges(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	w.send("GET /static/ten.txt HTTP/1.1\r\nHost: localhost\r\nRange: bytes=2-5\r\nConnection: close\r\n\r\n")
	got := w.answer("GET")
	if _, err := w.Reader.Peek(1); err == nil {
		return "the rest of the file is sent too"
	}
	if got == "206 2345" {
		return "yes"
	}
	return got
}

func copies(t *testing.T, s *subject) string {
	if got := dial(t, s.addr).last("GET", "GET /copy HTTP/1.1\r\nHost: localhost\r\n\r\n"); got != "200 0123" {
		return "status " + got
	}
	return "yes"
}

// pieces has eight clients ask for letters of their own, until one of them is
// sent another's. Where answers are broken it takes a few hundred of them.
func pieces(t *testing.T, s *subject) string {
	var broken, anothers atomic.Bool
	var wg sync.WaitGroup
	for _, letter := range strings.Split("abcdefgh", "") {
		wg.Go(func() {
			for round := 0; round < 50 || broken.Load() && round < 5000; round++ {
				w := dial(t, s.addr)
				w.send("GET /pieces/" + letter + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
				_, body, _ := w.response("GET")
				w.Close()
				if len(body) != 100_000 {
					broken.Store(true)
				}
				if strings.Trim(body, letter) != "" {
					anothers.Store(true)
				}
				if anothers.Load() {
					return
				}
			}
		})
	}
	wg.Wait()
	if anothers.Load() {
		return "**another client's bytes are in it**"
	}
	return "yes"
}

func sniffed(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	w.send("GET /html HTTP/1.1\r\nHost: localhost\r\n\r\n")
	response, _, err := w.response("GET")
	require.NoError(t, err)
	return "`" + response.Header.Get("Content-Type") + "`"
}

func earlyHints(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	first := w.last("GET", "GET /hints HTTP/1.1\r\nHost: localhost\r\n\r\n")
	switch {
	case first == "200 hello":
		return "left out"
	case strings.TrimSpace(first) == "103" && w.answer("GET") == "200 hello":
		return "sent"
	}
	return "taken for the answer"
}

func aborted(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	w.send("GET /abort HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hello/next HTTP/1.1\r\nHost: localhost\r\n\r\n")
	switch got := w.answer("GET"); got {
	case "no answer":
		return "hangs up"
	case "200 GET /hello/{name} localhost name=next body=":
		return "the next answer comes in place of this one"
	default:
		return got
	}
}

func hijacks(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	w.send("GET /hijack HTTP/1.1\r\nHost: localhost\r\n\r\n")
	response, err := http.ReadResponse(w.Reader, nil)
	require.NoError(t, err)
	if response.StatusCode != http.StatusSwitchingProtocols {
		return "without a buffer"
	}
	for _, line := range []string{"one\n", "two\n"} {
		w.send(line)
		got, err := w.Reader.ReadString('\n')
		require.NoError(t, err)
		assert.Equal(t, line, got)
	}
	return "yes"
}

func handlerDeadlines(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	w.send("GET /deadlines HTTP/1.1\r\nHost: localhost\r\n\r\n")
	response, _, err := w.response("GET")
	require.NoError(t, err)
	switch response.Header.Get("read") + response.Header.Get("write") {
	case "yesyes":
		return "yes"
	case "yes":
		return "of writes"
	}
	return "no"
}

func requestTrailer(t *testing.T, s *subject, announced string) string {
	text := "POST /trailers HTTP/1.1\r\nHost: localhost\r\n" + announced + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nSum: 7\r\n\r\n"
	got := dial(t, s.addr).last("POST", text)
	if got == "200 abc <nil> 7" {
		return "yes"
	}
	return got
}

func responseTrailers(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	w.send("GET /trailers HTTP/1.1\r\nHost: localhost\r\n\r\n")
	response, _, err := w.response("GET")
	require.NoError(t, err)
	return yes(response.Trailer.Get("Announced") == "1" && response.Trailer.Get("Prefixed") == "2")
}

func streamed(t *testing.T, s *subject) string {
	return yes(dial(t, s.addr).last("POST", "POST /first HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\na") == "200 a <nil>")
}

func expectContinue(t *testing.T, s *subject) string {
	const header = "POST /hello/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
	if got := dial(t, s.addr).last("POST", header); got != "100" {
		return got
	}
	w := dial(t, s.addr)
	w.send(header)
	require.Equal(t, "100", w.answer("POST"))
	w.send("abc")
	return yes(w.answer("POST") == "200 POST /hello/{name} localhost name=x body=abc")
}

func largeBodies(t *testing.T, s *subject) string {
	body := `"` + strings.Repeat("x", 2*bodyLimit) + `"`
	return dial(t, s.addr).status("POST", fmt.Sprintf("POST /decode HTTP/1.1\r\nHost: localhost\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
}

func largeHeaders(t *testing.T, s *subject) string {
	return dial(t, s.addr).status("GET", "GET /hello/x HTTP/1.1\r\nHost: localhost\r\nX: "+strings.Repeat("x", 2*bodyLimit)+"\r\n\r\n")
}

func broken(t *testing.T, s *subject) string {
	answers := map[string]bool{}
	for _, text := range []string{
		"GET\r\n\r\n",
		"GET /hello/x\r\n\r\n",
		"GET hello/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /hello/%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"G@T /hello/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		answers[dial(t, s.addr).status("GET", text)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(answers)), " or ")
}

func hosts(t *testing.T, s *subject) string {
	answers := map[string]bool{}
	for _, host := range []string{"", "Host: a\r\nHost: b\r\n"} {
		answers[dial(t, s.addr).status("GET", "GET /hello/x HTTP/1.1\r\n"+host+"\r\n")] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(answers)), " or ")
}

func blankBeforeColon(t *testing.T, s *subject) string {
	return dial(t, s.addr).status("POST", "POST /hello/x HTTP/1.1\r\nHost: localhost\r\nContent-Length : 3\r\n\r\nabc")
}

func bareLF(t *testing.T, s *subject) string {
	return dial(t, s.addr).status("GET", "GET /hello/x HTTP/1.1\nHost: localhost\n\n")
}

func otherMethods(t *testing.T, s *subject) string {
	answer := dial(t, s.addr).last("PROPFIND", "PROPFIND /hello/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if answer == "200 PROPFIND /hello/{name} localhost name=x body=" {
		return "yes"
	}
	return answer
}

func absolute(t *testing.T, s *subject) string {
	answer := dial(t, s.addr).last("GET", "GET http://example.org/hello/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if answer == "200 GET /hello/{name} example.org name=x body=" {
		return "yes"
	}
	return answer
}

func closes(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	w.send("GET /close HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hello/next HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.Equal(t, "200", w.answer("GET"))
	return yes(w.answer("GET") == "no answer")
}

func kept(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	require.Equal(t, "200", w.ask("GET", "/keep?first"))
	first := <-s.requests
	require.Equal(t, "yes", w.each("GET /hello/x", "200 GET /hello/{name} localhost name=x body="))
	if first.URL == nil || first.URL.RawQuery != "first" {
		return "emptied, and used for another"
	}
	return "stays as it was"
}

func contexts(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	const request = "GET /context HTTP/1.1\r\nHost: localhost\r\n\r\n"
	w.send(request)
	first := <-s.contexts
	s.release <- true
	require.Equal(t, "200", w.answer("GET"))
	w.send(request)
	second := <-s.contexts
	w.Close()
	defer func() { s.release <- true }()
	if first == second {
		return "no: all requests have one context"
	}
	select {
	case <-second.Done():
		return "yes"
	case <-time.After(live.Patience):
		return "no"
	}
}

func http2(t *testing.T, s *subject) string {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Get("http://" + s.addr + "/html")
	if err != nil {
		return "no"
	}
	response.Body.Close()
	return yes(response.ProtoMajor == 2)
}

func shutdown(t *testing.T, s *subject) string {
	w := dial(t, s.addr)
	w.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-s.requests
	s.shutdown()
	s.release <- true
	if w.answer("GET") != "200 finished" {
		return "cuts requests off"
	}
	return "finishes requests"
}

// The program ends when it is told to, and the request in flight is answered.
func TestRun(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	begun, release, ended := make(chan bool), make(chan bool), make(chan error, 1)
	app := newApp()
	app.GET("/slow", func(w http.ResponseWriter, r *http.Request) {
		begun <- true
		<-release
		fmt.Fprint(w, "done")
	})
	addr := live.Start(t, func(addr string) error {
		ended <- run(ctx, addr, app)
		return nil
	})
	_, body := live.Ask(t, "GET", "http://"+addr+"/hello/vikram", "")
	assert.Equal(t, "Hello, vikram!\n", body)

	w := dial(t, addr)
	w.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-begun
	stop()
	require.Eventually(t, func() bool { return !live.Listens(addr) }, live.Patience, time.Millisecond)
	release <- true
	assert.Equal(t, "200 done", w.answer("GET"))
	assert.NoError(t, <-ended)
}

func TestPortTaken(t *testing.T) {
	live.PortTaken(t, func(addr string) error { return run(t.Context(), addr, newApp()) })
}
