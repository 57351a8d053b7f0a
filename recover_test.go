package segue

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A liveApp is a router with Recover on a server. Its error list keeps what it
// sees and passes it on.
type liveApp struct {
	*httptest.Server
	seen chan error
	log  lockedBuffer // of the server
}

// protocols are the ways to reach a liveApp.
var protocols = []string{"HTTP/1.1", "HTTP/2.0", "HTTP/2.0 without TLS"}

func startApp(t *testing.T, protocol string, mw []Middleware, handler http.HandlerFunc) *liveApp {
	app := &liveApp{seen: make(chan error, 9)}
	router := New()
	router.Use(mw...)
	router.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		app.seen <- err
		return err
	})
	path := ownPath()
	router.HandleFunc(path, handler)
	app.Server = httptest.NewUnstartedServer(router)
	app.Config.ErrorLog = log.New(&app.log, "", 0)
	switch protocol {
	case "HTTP/1.1":
		app.Start()
	case "HTTP/2.0":
		app.EnableHTTP2 = true
		app.StartTLS()
	default:
		var h2c http.Protocols
		h2c.SetUnencryptedHTTP2(true)
		app.Config.Protocols = &h2c
		app.Start()
		app.Client().Transport.(*http.Transport).Protocols = &h2c
	}
	app.URL += path
	t.Cleanup(app.Close)
	return app
}

// ownPath returns a path that no other router has: with purego, a request tells
// by its pattern alone whose error list it walks.
func ownPath() string { return fmt.Sprintf("/recover%d/", paths.Add(1)) }

var paths atomic.Int64

// eachProtocol runs test on a handler behind Recover.
func eachProtocol(t *testing.T, handler http.HandlerFunc, test func(t *testing.T, app *liveApp)) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			checked := func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, protocol[:len("HTTP/1.1")], r.Proto)
				handler(w, r)
			}
			test(t, startApp(t, protocol, []Middleware{Recover}, checked))
		})
	}
}

func (app *liveApp) get(t *testing.T) *http.Response {
	resp, err := app.Client().Get(app.URL)
	require.NoError(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// error returns the one error that the list has seen.
func (app *liveApp) error(t *testing.T) error {
	select {
	case err := <-app.seen:
		assert.Empty(t, app.seen, "the list was walked more than once")
		return err
	case <-time.After(time.Minute):
		require.Fail(t, "the error list was not walked")
		return nil
	}
}

func readAll(t *testing.T, resp *http.Response) string {
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(body)
}

// expectCut reads a response that was aborted after text.
func expectCut(t *testing.T, resp *http.Response, text string) {
	body, err := io.ReadAll(resp.Body)
	assert.Equal(t, text, string(body))
	if resp.ProtoMajor == 1 {
		assert.Equal(t, io.ErrUnexpectedEOF, err)
	} else {
		assert.ErrorContains(t, err, "INTERNAL_ERROR") // as net/http resets a stream
	}
}

type lockedBuffer struct {
	sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.Lock()
	defer b.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.Lock()
	defer b.Unlock()
	return b.Buffer.String()
}

func TestRecoverAnswers(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		panic("a secret")
	}, func(t *testing.T, app *liveApp) {
		resp := app.get(t)
		assert.Equal(t, 500, resp.StatusCode)
		assert.Equal(t, "Internal Server Error\n", readAll(t, resp))
		assert.Equal(t, "text/plain; charset=utf-8", resp.Header.Get("Content-Type"))
		err := app.error(t)
		assert.ErrorContains(t, err, "panic: a secret\n")
		assert.ErrorContains(t, err, "recover_test.go", "the stack")
		assert.Contains(t, app.log.String(), "a secret")
		assert.NotContains(t, app.log.String(), "panic serving")
	})
}

// Early Hints are no answer.
func TestRecoverAfterEarlyHints(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</x.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		panic("late")
	}, func(t *testing.T, app *liveApp) {
		resp := app.get(t)
		assert.Equal(t, 500, resp.StatusCode)
		assert.Equal(t, "Internal Server Error\n", readAll(t, resp))
		assert.ErrorContains(t, app.error(t), "late")
	})
}

// A status that net/http refuses by a panic is no answer either.
func TestRecoverFromWrongStatus(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(0)
	}, func(t *testing.T, app *liveApp) {
		assert.Equal(t, 500, app.get(t).StatusCode)
		assert.ErrorContains(t, app.error(t), "invalid WriteHeader code 0")
	})
}

func TestRecoverAbortsWhatHasBegun(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		panic("in the middle")
	}, func(t *testing.T, app *liveApp) {
		resp := app.get(t)
		assert.Equal(t, 200, resp.StatusCode)
		expectCut(t, resp, "half")
		assert.ErrorContains(t, app.error(t), "in the middle")
		assert.NotContains(t, app.log.String(), "panic serving")
		assert.NotContains(t, app.log.String(), "superfluous")
	})
}

// What net/http still buffers counts as begun too.
func TestRecoverAbortsWhatIsBuffered(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("half"))
		panic("in the middle")
	}, func(t *testing.T, app *liveApp) {
		_, err := app.Client().Get(app.URL)
		assert.Error(t, err)
		assert.ErrorContains(t, app.error(t), "in the middle")
	})
}

// Behind Recover, Try knows that the response has begun.
func TestTryBehindRecover(t *testing.T) {
	eachProtocol(t, Try(func(w http.ResponseWriter, r *http.Request) error {
		io.WriteString(w, "half")
		http.NewResponseController(w).Flush()
		return Errorf(http.StatusConflict, "in the middle")
	}), func(t *testing.T, app *liveApp) {
		expectCut(t, app.get(t), "half")
		assert.EqualError(t, app.error(t), "in the middle")
	})
}

// A source that fails before anything was copied leaves room for an answer.
func TestTryAfterAFailedCopy(t *testing.T) {
	eachProtocol(t, Try(func(w http.ResponseWriter, r *http.Request) error {
		if _, err := io.Copy(w, failingReader("")); err != nil {
			return Errorf(http.StatusBadGateway, "the source: %w", err)
		}
		return nil
	}), func(t *testing.T, app *liveApp) {
		resp := app.get(t)
		assert.Equal(t, http.StatusBadGateway, resp.StatusCode)
		assert.Equal(t, "the source\n", readAll(t, resp))
		assert.ErrorIs(t, app.error(t), io.ErrClosedPipe)
	})
}

func TestRecoverAfterHijack(t *testing.T) {
	app := startApp(t, "HTTP/1.1", []Middleware{Recover}, func(w http.ResponseWriter, r *http.Request) {
		_, rw, err := http.NewResponseController(w).Hijack()
		require.NoError(t, err)
		rw.WriteString("own words")
		rw.Flush()
		panic("on its own")
	})
	conn, err := net.Dial("tcp", app.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", app.URL)
	got, err := io.ReadAll(conn)
	assert.NoError(t, err, "closed in order")
	assert.Equal(t, "own words", string(got))
	assert.ErrorContains(t, app.error(t), "on its own")
	assert.NotContains(t, app.log.String(), "hijacked connection")
}

// The first part is there before the handler goes on.
func TestRecoverStreams(t *testing.T) {
	for _, flush := range []func(w http.ResponseWriter){
		func(w http.ResponseWriter) { w.(http.Flusher).Flush() },
		func(w http.ResponseWriter) { http.NewResponseController(w).Flush() },
	} {
		var goOn chan bool
		eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "first,")
			flush(w)
			<-goOn
			io.WriteString(w, "second")
		}, func(t *testing.T, app *liveApp) {
			goOn = make(chan bool)
			resp := app.get(t)
			part := make([]byte, len("first,"))
			_, err := io.ReadFull(resp.Body, part)
			require.NoError(t, err)
			assert.Equal(t, "first,", string(part))
			close(goOn)
			assert.Equal(t, "second", readAll(t, resp))
			assert.Empty(t, app.seen)
		})
	}
}

// net/http's own writers keep what they have, and only that.
func TestRecoverKeepsWhatTheServerHas(t *testing.T) {
	var outside, inside int
	look := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			outside = kindOf(w)
			next.ServeHTTP(w, r)
		})
	}
	for _, protocol := range protocols {
		app := startApp(t, protocol, []Middleware{look, Recover}, func(w http.ResponseWriter, r *http.Request) {
			inside = kindOf(w)
		})
		resp := app.get(t)
		assert.Equal(t, outside, inside, protocol)
		assert.Equal(t, resp.ProtoMajor == 1, inside&0o02 != 0, "%s: Hijack", protocol)
		assert.Equal(t, resp.ProtoMajor == 2, inside&0o01 != 0, "%s: Push", protocol)
	}
}

// A file goes out whole, by way of the server's own ReadFrom.
func TestRecoverServesFiles(t *testing.T) {
	name := t.TempDir() + "/file"
	text := strings.Repeat("0123456789abcdef", 1<<16)
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, name)
	}, func(t *testing.T, app *liveApp) {
		resp := app.get(t)
		assert.Equal(t, int64(len(text)), resp.ContentLength)
		assert.True(t, text == readAll(t, resp), "the file's text")
	})
}

// Deadlines are set on the server's own writer.
func TestRecoverPassesDeadlines(t *testing.T) {
	app := startApp(t, "HTTP/1.1", []Middleware{Recover}, func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		assert.NoError(t, control.EnableFullDuplex())
		assert.NoError(t, control.SetWriteDeadline(time.Now().Add(time.Minute)))
		assert.NoError(t, control.SetReadDeadline(time.Now().Add(10*time.Millisecond)))
		_, err := io.ReadAll(r.Body)
		assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
	})
	conn, err := net.Dial("tcp", app.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab", app.URL) // and no more
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	assert.Equal(t, 200, resp.StatusCode)
}

// http.ErrAbortHandler passes without a word.
func TestRecoverLeavesErrAbortHandler(t *testing.T) {
	eachProtocol(t, func(w http.ResponseWriter, r *http.Request) {
		panic(http.ErrAbortHandler)
	}, func(t *testing.T, app *liveApp) {
		_, err := app.Client().Get(app.URL)
		assert.Error(t, err)
		assert.Empty(t, app.seen)
		assert.Empty(t, app.log.String())
	})
}

// recovered serves one request to a handler behind Recover that panics with
// value, and returns the error that the list saw.
func recovered(t *testing.T, value any) (w *httptest.ResponseRecorder, seen error) {
	path, router := ownPath(), New()
	router.Use(Recover)
	router.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		seen = err
		return err
	})
	router.HandleFunc(path, func(http.ResponseWriter, *http.Request) { panic(value) })
	quiet(func() { w = serve(router, "GET", path) })
	require.NotNil(t, seen)
	return w, seen
}

// quiet runs f without the standard logger, which stands in where there is no
// server.
func quiet(f func()) {
	defer log.SetOutput(log.Writer())
	log.SetOutput(io.Discard)
	f()
}

// The error gives the value and the stack, by text and by method, and hides the
// value's status.
func TestPanicError(t *testing.T) {
	missing := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	for _, value := range []any{
		"text", 42, []int{1}, struct{ f func() }{nil}, map[string]int{"a": 1},
		missing, (*fs.PathError)(nil), Errorf(http.StatusNotFound, "not here"),
		fmt.Errorf("no longer itself: %w", http.ErrAbortHandler),
	} {
		w, err := recovered(t, value)
		assert.Equal(t, 500, w.Code)
		assert.Equal(t, "Internal Server Error\n", w.Body.String())
		status, message := StatusOf(fmt.Errorf("wrapped: %w", err))
		assert.Equal(t, 500, status)
		assert.Equal(t, "Internal Server Error", message)

		var p interface{ Panic() (any, []byte) }
		require.ErrorAs(t, err, &p)
		got, stack := p.Panic()
		assert.Equal(t, fmt.Sprintf("%#v", value), fmt.Sprintf("%#v", got))
		assert.Contains(t, string(stack), "segue.recovered.func2", "the function that panicked")
		assert.Equal(t, fmt.Sprintf("panic: %v\n\n%s", value, stack), err.Error())
	}

	_, err := recovered(t, missing)
	var pathError *fs.PathError
	assert.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorAs(t, err, &pathError)
	assert.Same(t, missing, pathError)

	_, err = recovered(t, nil)
	var panicNil *runtime.PanicNilError
	assert.ErrorAs(t, err, &panicNil)

	_, err = recovered(t, "text")
	assert.NoError(t, errors.Unwrap(err))
}

// A panic of the error list itself is left to the server.
func TestRecoverOnlyOnce(t *testing.T) {
	path, router := ownPath(), New()
	router.Use(Recover)
	router.OnError(func(http.ResponseWriter, *http.Request, error) error { panic("the second") })
	router.HandleFunc(path, func(http.ResponseWriter, *http.Request) { panic("the first") })
	assert.PanicsWithValue(t, "the second", func() { serve(router, "GET", path) })
}

// Without a router the error list is empty, and its end answers.
func TestRecoverWithoutRouter(t *testing.T) {
	var w *httptest.ResponseRecorder
	quiet(func() {
		w = serve(Recover(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("text") })), "GET", "/")
	})
	assert.Equal(t, 500, w.Code)
	assert.Equal(t, "Internal Server Error\n", w.Body.String())
	assert.Nil(t, Recover(nil))
}

// Goexit ends the goroutine without an error.
func TestRecoverLeavesGoexit(t *testing.T) {
	w := httptest.NewRecorder()
	done := make(chan bool)
	go func() {
		defer close(done)
		Recover(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { runtime.Goexit() })).ServeHTTP(w, bareRequest("/"))
		t.Error("Goexit did not end the goroutine")
	}()
	<-done
	assert.Empty(t, w.Body.String())
}

// An inner Recover answers; where it aborts, the outer one lets it.
func TestRecoverTwice(t *testing.T) {
	for _, between := range [][]Middleware{
		{Recover, Recover},
		{Recover, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(unwrapping{w}, r) })
		}, Recover},
	} {
		app := startApp(t, "HTTP/1.1", between, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery == "late" {
				w.Write([]byte("half"))
				http.NewResponseController(w).Flush()
			}
			panic("text")
		})
		assert.Equal(t, "Internal Server Error\n", readAll(t, app.get(t)))
		assert.ErrorContains(t, app.error(t), "text")
		app.URL += "?late"
		expectCut(t, app.get(t), "half")
		assert.ErrorContains(t, app.error(t), "text")
	}
}

func timeout(next http.Handler) http.Handler {
	return http.TimeoutHandler(next, 20*time.Millisecond, "too late")
}

// http.TimeoutHandler throws the handler's panic again on the server's
// goroutine, where an outer Recover finds it.
func TestRecoverAroundTimeoutHandler(t *testing.T) {
	app := startApp(t, "HTTP/1.1", []Middleware{Recover, timeout}, func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("half, in TimeoutHandler's buffer"))
		panic("text")
	})
	resp := app.get(t)
	assert.Equal(t, 500, resp.StatusCode)
	assert.Equal(t, "Internal Server Error\n", readAll(t, resp))
	assert.ErrorContains(t, app.error(t), "panic: text")
}

// A handler that panics after its time has passed reaches the list, and not the
// client, who has an answer, nor the next request on the connection.
func TestRecoverInsideTimeoutHandler(t *testing.T) {
	answered := make(chan bool, 1)
	app := startApp(t, "HTTP/1.1", []Middleware{timeout, Recover}, func(w http.ResponseWriter, r *http.Request) {
		<-answered
		io.WriteString(w, "nobody reads this")
		panic("late")
	})
	for range 3 {
		resp := app.get(t)
		assert.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
		assert.Equal(t, "too late", readAll(t, resp))
		answered <- true
		assert.ErrorContains(t, app.error(t), "late")
	}
}

// Recover costs one allocation a request, and a second one beside it none.
func TestRecoverAllocatesOnce(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector adds allocations")
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for recovers, h := range []http.Handler{handler, Recover(handler), Recover(Recover(handler))} {
		w, r := &deafWriter{}, bareRequest("/")
		got := AllocsPerRun(100, func() { h.ServeHTTP(w, r) })
		assert.Equal(t, float64(min(recovers, 1)), got, "%d Recovers", recovers)
	}
}
