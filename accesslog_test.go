package segue

// The access log is tested by the records that a handler of log/slog gets, first
// from requests in memory, then from net/http's servers over HTTP/1.1 and
// HTTP/2.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/segue-go/segue/internal/testkit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A logged record and the context that it came with.
type logged struct {
	slog.Record
	ctx   context.Context
	names []string
	attrs map[string]slog.Value
}

// records is a slog.Handler that keeps what it is given.
type records chan logged

func (records) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }
func (l records) WithAttrs([]slog.Attr) slog.Handler             { return l }
func (l records) WithGroup(string) slog.Handler                  { return l }

func (l records) Handle(ctx context.Context, r slog.Record) error {
	got := logged{Record: r, ctx: ctx, attrs: map[string]slog.Value{}}
	r.Attrs(func(a slog.Attr) bool {
		got.names = append(got.names, a.Key)
		got.attrs[a.Key] = a.Value
		return true
	})
	l <- got
	return nil
}

// next returns the one record that there is or will be.
func (l records) next(t *testing.T) logged {
	t.Helper()
	select {
	case got := <-l:
		assert.Empty(t, l, "more than one record")
		return got
	case <-time.After(time.Minute):
		require.Fail(t, "no record was written")
		return logged{}
	}
}

// sevenAttributes are always there; outcome may follow.
var sevenAttributes = []string{"method", "path", "pattern", "status", "bytes", "duration", "remote"}

// checkRecord compares what depends on the request. outcome may be "".
func checkRecord(t *testing.T, got logged, status, bytes int, outcome string) {
	t.Helper()
	want := sevenAttributes
	if outcome != "" {
		want = append(want[:len(want):len(want)], "outcome")
		assert.Equal(t, outcome, got.attrs["outcome"].String())
	}
	assert.Equal(t, want, got.names)
	assert.Equal(t, int64(status), got.attrs["status"].Int64(), "status")
	assert.Equal(t, int64(bytes), got.attrs["bytes"].Int64(), "bytes")
	assert.Equal(t, slog.LevelInfo, got.Level)
	assert.Equal(t, "request", got.Message)
}

// logOf serves one request to handler behind AccessLog and mw, in a router, and
// returns the record.
func logOf(t *testing.T, request string, handler http.HandlerFunc, mw ...Middleware) logged {
	t.Helper()
	seen := make(records, 9)
	app := New()
	app.Use(AccessLog(slog.New(seen)))
	app.Use(mw...)
	app.HandleFunc("/logged/{id}", handler)
	method, target, _ := strings.Cut(request, " ")
	app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, target, nil))
	return seen.next(t)
}

func TestAccessLogAttributes(t *testing.T) {
	got := logOf(t, "POST /logged/a%20b?secret=1", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Millisecond)
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, "made")
	})
	checkRecord(t, got, 201, 4, "")
	assert.Equal(t, "POST", got.attrs["method"].String())
	assert.Equal(t, "/logged/a b", got.attrs["path"].String())
	assert.Equal(t, "/logged/{id}", got.attrs["pattern"].String())
	assert.Equal(t, "192.0.2.1:1234", got.attrs["remote"].String(), "of httptest")
	assert.Equal(t, slog.KindDuration, got.attrs["duration"].Kind())
	assert.GreaterOrEqual(t, got.attrs["duration"].Duration(), time.Millisecond)
	assert.WithinDuration(t, time.Now(), got.Time, time.Minute)
}

func TestAccessLogStatusAndBytes(t *testing.T) {
	for _, test := range []struct {
		what, request string
		handler       http.HandlerFunc
		status, bytes int
	}{
		{"nothing", "GET /logged/7", func(http.ResponseWriter, *http.Request) {}, 200, 0},
		{"a body", "GET /logged/7", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }, 200, 5},
		{"early hints", "GET /logged/7", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); w.WriteHeader(204) }, 204, 0},
		{"only early hints", "GET /logged/7", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103) }, 200, 0},
		{"two statuses", "GET /logged/7", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404); w.WriteHeader(200) }, 404, 0},
		{"HEAD", "HEAD /logged/7", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }, 200, 5},
		{"an error of Try", "GET /logged/7", Try(func(http.ResponseWriter, *http.Request) error { return Errorf(409, "taken") }), 409, 6},
		{"a panic that Recover answers", "GET /logged/7", Recover(panicking("a secret")).ServeHTTP, 500, len("Internal Server Error\n")},
		{"no route", "GET /nowhere", nil, 404, len("404 page not found\n")},
	} {
		t.Run(test.what, func(t *testing.T) {
			defer log.SetOutput(log.Writer())
			log.SetOutput(io.Discard)
			if test.handler == nil {
				test.handler = func(http.ResponseWriter, *http.Request) {}
			}
			got := logOf(t, test.request, test.handler)
			checkRecord(t, got, test.status, test.bytes, "")
			if test.what == "no route" {
				assert.Equal(t, "", got.attrs["pattern"].String())
			}
		})
	}
}

func panicking(value any) http.Handler {
	return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(value) })
}

// What a handler makes of its request does not change the record.
func TestAccessLogReadsTheRequestFirst(t *testing.T) {
	got := logOf(t, "GET /logged/7", func(_ http.ResponseWriter, r *http.Request) {
		r.Method, r.URL.Path, r.RemoteAddr = "PUT", "/other", "other"
	})
	assert.Equal(t, "GET", got.attrs["method"].String())
	assert.Equal(t, "/logged/7", got.attrs["path"].String())
	assert.Equal(t, "192.0.2.1:1234", got.attrs["remote"].String())
}

// Around a router the pattern is there as well, and the context is the one that
// AccessLog was given.
func TestAccessLogAroundARouter(t *testing.T) {
	seen := make(records, 9)
	app := New()
	app.HandleFunc("GET /around/{id}", func(http.ResponseWriter, *http.Request) {})
	type key struct{}
	r := httptest.NewRequest("GET", "/around/7", nil)
	r = r.WithContext(context.WithValue(r.Context(), key{}, "trace"))
	AccessLog(slog.New(seen))(app).ServeHTTP(httptest.NewRecorder(), r)
	got := seen.next(t)
	checkRecord(t, got, 200, 0, "")
	assert.Equal(t, "GET /around/{id}", got.attrs["pattern"].String())
	assert.Equal(t, "trace", got.ctx.Value(key{}))
}

// A panic is logged and goes on as it came, http.ErrAbortHandler too.
func TestAccessLogPanic(t *testing.T) {
	for _, value := range []any{"text", errors.New("an error"), http.ErrAbortHandler} {
		seen := make(records, 9)
		handler := AccessLog(slog.New(seen))(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			io.WriteString(w, "half")
			panic(value)
		}))
		assert.PanicsWithValue(t, value, func() { handler.ServeHTTP(httptest.NewRecorder(), accessRequest("/")) })
		checkRecord(t, seen.next(t), 500, 4, "panic")
	}
}

func TestAccessLogGoexit(t *testing.T) {
	seen := make(records, 9)
	go AccessLog(slog.New(seen))(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		runtime.Goexit()
	})).ServeHTTP(httptest.NewRecorder(), accessRequest("/"))
	checkRecord(t, seen.next(t), 500, 0, "panic")
}

// A deadline that a middleware has set is no client that left.
func TestAccessLogDeadline(t *testing.T) {
	for outcome, end := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"gone": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, cancel
		},
		"": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithDeadline(ctx, time.Now())
		},
	} {
		seen := make(records, 9)
		ctx, cancel := end(t.Context())
		defer cancel()
		AccessLog(slog.New(seen))(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), accessRequest("/").WithContext(ctx))
		checkRecord(t, seen.next(t), 404, len("404 page not found\n"), outcome)
	}
}

// A logger that does not want the record gets none, and the request is served.
func TestAccessLogLevel(t *testing.T) {
	var buf bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&buf, &slog.HandlerOptions{Level: slog.LevelWarn}))
	w := httptest.NewRecorder()
	AccessLog(logger)(http.NotFoundHandler()).ServeHTTP(w, accessRequest("/"))
	assert.Equal(t, 404, w.Code)
	assert.Empty(t, buf.String())
}

func TestAccessLogOfNil(t *testing.T) {
	defer func() {
		err, ok := recover().(error)
		require.True(t, ok, "the panic's value is an error")
		assert.Regexp(t, `^segue: the logger of AccessLog is nil \(at .*accesslog_test.go:\d+\); for the default one write AccessLog\(slog.Default\(\)\)$`, err.Error())
	}()
	assert.Nil(t, AccessLog(slog.Default())(nil), "which is refused where it is registered")
	AccessLog(nil)
}

// AccessLog and Recover wrap the writer once, and the wrapped writer is all that
// they allocate.
func TestAccessLogAllocatesOnce(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector adds allocations")
	}
	logger := slog.New(slog.DiscardHandler)
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for _, h := range []http.Handler{
		AccessLog(logger)(handler),
		AccessLog(logger)(Recover(handler)),
		AccessLog(logger)(AccessLog(logger)(Recover(Recover(handler)))),
	} {
		w, r := httptest.NewRecorder(), accessRequest("/")
		h.ServeHTTP(w, r)
		assert.Equal(t, 1.0, testing.AllocsPerRun(100, func() { h.ServeHTTP(w, r) }))
	}
}

// logLive serves one request of client to handler behind AccessLog and Recover
// on a server for each protocol, and returns the record.
func logLive(t *testing.T, handler http.HandlerFunc, ask func(t *testing.T, client *http.Client, url string), test func(t *testing.T, protocol string, got logged)) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			seen := make(records, 9)
			app := New()
			app.Use(AccessLog(slog.New(seen)), Recover)
			app.HandleFunc("/live/{id}", func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, protocol, r.Proto)
				handler(w, r)
			})
			server := httptest.NewUnstartedServer(app)
			server.EnableHTTP2 = protocol == "HTTP/2.0"
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.StartTLS()
			defer server.Close()
			ask(t, server.Client(), server.URL+"/live/7")
			got := seen.next(t)
			assert.Equal(t, "/live/7", got.attrs["path"].String())
			assert.Equal(t, "/live/{id}", got.attrs["pattern"].String())
			assert.Contains(t, got.attrs["remote"].String(), "127.0.0.1:")
			test(t, protocol, got)
		})
	}
}

// askAll reads all of the answer, and does not mind if it is cut.
func askAll(t *testing.T, client *http.Client, url string) {
	resp, err := client.Get(url)
	if err == nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

// A stream is logged once, when it ends.
func TestAccessLogOfAStream(t *testing.T) {
	logLive(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 3 {
			io.WriteString(w, "event\n")
			assert.NoError(t, http.NewResponseController(w).Flush())
		}
	}, askAll, func(t *testing.T, _ string, got logged) { checkRecord(t, got, 200, 18, "") })
}

// Recover aborts a response that has begun, and the record says so.
func TestAccessLogOfAnAbort(t *testing.T) {
	logLive(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "half")
		panic("in the middle")
	}, askAll, func(t *testing.T, _ string, got logged) { checkRecord(t, got, 500, 4, "panic") })
}

// HTTP/2 has no hijack.
func TestAccessLogOfAHijack(t *testing.T) {
	logLive(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			w.WriteHeader(http.StatusNotImplemented)
			return
		}
		io.WriteString(conn, "own words")
		conn.Close()
	}, askAll, func(t *testing.T, protocol string, got logged) {
		if protocol == "HTTP/1.1" {
			checkRecord(t, got, 0, 0, "hijacked")
		} else {
			checkRecord(t, got, 501, 0, "")
		}
	})
}

// The client leaves in the middle of a stream.
func TestAccessLogOfAClientThatLeft(t *testing.T) {
	logLive(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "first")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}, func(t *testing.T, client *http.Client, url string) {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		require.NoError(t, err)
		resp, err := client.Do(r)
		require.NoError(t, err)
		_, err = io.ReadFull(resp.Body, make([]byte, len("first")))
		require.NoError(t, err)
	}, func(t *testing.T, _ string, got logged) { checkRecord(t, got, 200, 5, "gone") })
}

// The same, of a handler that hands the cancellation on: before it has begun an
// answer the status is 499.
func TestAccessLogOfACancellation(t *testing.T) {
	for _, begins := range []bool{false, true} {
		started := make(chan struct{}, 1)
		logLive(t, Try(func(w http.ResponseWriter, r *http.Request) error {
			if begins {
				io.WriteString(w, "first")
				http.NewResponseController(w).Flush()
			}
			started <- struct{}{}
			<-r.Context().Done()
			return fmt.Errorf("query: %w", r.Context().Err())
		}), func(t *testing.T, client *http.Client, url string) {
			ctx, leave := context.WithCancel(t.Context())
			go func() { <-started; leave() }()
			r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
			require.NoError(t, err)
			resp, err := client.Do(r)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			assert.ErrorIs(t, err, context.Canceled)
		}, func(t *testing.T, _ string, got logged) {
			if begins {
				checkRecord(t, got, 200, 5, "gone")
			} else {
				checkRecord(t, got, 499, 0, "gone")
			}
		})
	}
}

// What Fail makes of a canceled request, and the record, agree, also where a
// middleware stands between. A panic is one, whether or not the client is there.
func TestAccessLogAgreesWithFail(t *testing.T) {
	defer log.SetOutput(log.Writer())
	var text bytes.Buffer
	log.SetOutput(&text)
	left, leave := context.WithCancel(t.Context())
	leave()
	between := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(unwrapping{w}, r)
		})
	}
	for _, test := range []struct {
		what    string
		handler http.HandlerFunc
		status  int
		outcome string
		logs    bool
	}{
		{"canceled", Try(func(http.ResponseWriter, *http.Request) error { return context.Canceled }), 499, "gone", false},
		{"late", Try(func(w http.ResponseWriter, _ *http.Request) error { w.WriteHeader(202); return context.Canceled }), 202, "gone", false},
		{"late again", Try(func(w http.ResponseWriter, _ *http.Request) error { io.WriteString(w, "half"); return context.Canceled }), 200, "gone", false},
		{"another error", Try(func(w http.ResponseWriter, _ *http.Request) error { return io.ErrClosedPipe }), 500, "gone", true},
		{"another, late", Try(func(w http.ResponseWriter, _ *http.Request) error { w.WriteHeader(202); return io.ErrClosedPipe }), 500, "panic", true},
		{"panic", func(http.ResponseWriter, *http.Request) { panic(context.Canceled) }, 500, "gone", true},
		{"panic, late", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202); panic(context.Canceled) }, 500, "panic", true},
	} {
		for _, mw := range []Middleware{Recover, Chain(between, Recover), Chain(Recover, between)} {
			text.Reset()
			seen := make(records, 9)
			handler := AccessLog(slog.New(seen))(mw(test.handler))
			func() {
				defer func() { recover() }() // the answer may have been cut
				handler.ServeHTTP(httptest.NewRecorder(), accessRequest("/").WithContext(left))
			}()
			got := seen.next(t)
			assert.Equal(t, int64(test.status), got.attrs["status"].Int64(), test.what)
			assert.Equal(t, test.outcome, got.attrs["outcome"].String(), test.what)
			assert.Equal(t, test.logs, text.Len() > 0, test.what)
		}
	}
}

type unwrapping struct{ http.ResponseWriter }

func (u unwrapping) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// accessRequest is a request that no server has made.
func accessRequest(path string) *http.Request {
	return &http.Request{Method: "GET", URL: &url.URL{Path: path}, Host: "example.com"}
}
