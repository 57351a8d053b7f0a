package docs

// This file tries the middlewares that middlewares.md lists, each in Use and
// around the router, and holds the page's tables to what came of it.

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httprate"
	"github.com/gorilla/handlers"
	"github.com/justinas/nosurf"
	"github.com/klauspost/compress/gzhttp"
	"github.com/rs/cors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/unrolled/secure"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/segue-go/segue"
)

// A trial is one middleware and what shows that it does its work. The app has
// one route, /try/{id} for GET and POST, with the trial's handler.
type trial struct {
	name    string
	mw      segue.Middleware
	handler http.HandlerFunc // echoes the body if nil
	works   func(app http.Handler) bool
	note    string
}

// app makes the app of a trial, with mw in Use if it is not nil.
func (tr trial) app(mw segue.Middleware) *segue.Router {
	handler := tr.handler
	if handler == nil {
		handler = segue.Try(echoBody)
	}
	app := segue.New()
	app.GET("/try/{id}", handler)
	app.POST("/try/{id}", handler)
	if mw != nil {
		app.Use(mw)
	}
	return app
}

func echoBody(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	return segue.Text(w, http.StatusOK, r.PathValue("id")+" "+string(body))
}

// verdict says where the middleware works: in Use, only around the router, or
// nowhere.
func (tr trial) verdict() string {
	switch {
	case tr.worksOn(tr.app(tr.mw)):
		return "`Use`"
	case tr.worksOn(tr.mw(tr.app(nil))):
		return "around"
	}
	return "no"
}

// worksOn takes a panic for a no.
func (tr trial) worksOn(app http.Handler) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return tr.works(app)
}

// is returns a check that one request is answered with a status.
func is(status int, method, target, body string, headers ...string) func(http.Handler) bool {
	return func(app http.Handler) bool { return ask(app, method, target, body, headers...).Code == status }
}

// sets returns a check that an answer has a header.
func sets(name, value string, headers ...string) func(http.Handler) bool {
	return func(app http.Handler) bool {
		w := ask(app, "GET", "/try/7", "", headers...)
		return w.Code == 200 && w.Header().Get(name) == value
	}
}

func all(checks ...func(http.Handler) bool) func(http.Handler) bool {
	return func(app http.Handler) bool {
		for _, check := range checks {
			if !check(app) {
				return false
			}
		}
		return true
	}
}

func says(text string, headers ...string) func(http.Handler) bool {
	return func(app http.Handler) bool {
		return strings.TrimSpace(ask(app, "GET", "/try/7", "", headers...).Body.String()) == text
	}
}

// tell is a handler that answers with a text made from the request.
func tell(text func(r *http.Request) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text(r)) }
}

func panics(http.ResponseWriter, *http.Request) { panic("a bug") }

func untilDeadline(_ http.ResponseWriter, r *http.Request) {
	if _, limited := r.Context().Deadline(); limited {
		<-r.Context().Done()
	}
}

func long(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, strings.Repeat("all work and no play ", 200))
}

type valueKey struct{}

const noted = "note"

func ipOf(r *http.Request) string { return middleware.GetClientIP(r.Context()) }

const xff = "X-Forwarded-For: 203.0.113.9, 198.51.100.7"

func chiTrials() []trial {
	var lines bytes.Buffer
	logged := func(app http.Handler) bool {
		lines.Reset()
		ask(app, "GET", "/try/7", "")
		return strings.Contains(lines.String(), "/try/7") && strings.Contains(lines.String(), "200")
	}
	format := &middleware.DefaultLogFormatter{Logger: log.New(&lines, "", 0), NoColor: true}
	middleware.DefaultLogger = middleware.RequestLogger(format) // Logger knows no other way to another writer
	nested, throttled := throttling()
	red := middleware.SetHeader("X-Colour", "red")
	date := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	return []trial{
		{"AllowContentEncoding", middleware.AllowContentEncoding("gzip"), nil, all(is(415, "POST", "/try/7", "x", "Content-Encoding: br"), is(200, "POST", "/try/7", "x")), ""},
		{"AllowContentType", middleware.AllowContentType("application/json"), nil, all(is(415, "POST", "/try/7", "x", "Content-Type: text/plain"), is(200, "POST", "/try/7", "x")), "`Decode` checks the type itself"},
		{"BasicAuth", middleware.BasicAuth("site", map[string]string{"ada": "x"}), nil, all(is(401, "GET", "/try/7", ""), is(200, "GET", "/try/7", "", "Authorization: Basic YWRhOng=")), ""},
		{"CleanPath", middleware.CleanPath, nil, is(200, "GET", "//try/7", ""), "panics without chi's router; segue redirects to the clean path"},
		{"ClientIPFromHeader", middleware.ClientIPFromHeader("X-Real-Ip"), tell(ipOf), says("203.0.113.9", "X-Real-Ip: 203.0.113.9"), "only behind a proxy that sets the header"},
		{"ClientIPFromRemoteAddr", middleware.ClientIPFromRemoteAddr, tell(ipOf), says("192.0.2.1"), ""},
		{"ClientIPFromXFF", middleware.ClientIPFromXFF("192.0.2.0/24"), tell(ipOf), says("198.51.100.7", xff), ""},
		{"ClientIPFromXFFTrustedProxies", middleware.ClientIPFromXFFTrustedProxies(1), tell(ipOf), says("198.51.100.7", xff), ""},
		{"Compress", middleware.Compress(5), long, sets("Content-Encoding", "gzip", "Accept-Encoding: gzip"), "for files see also `Files.Precompressed`"},
		{"ContentCharset", middleware.ContentCharset("utf-8"), nil, all(is(415, "POST", "/try/7", "x", "Content-Type: text/plain; charset=latin1"), is(200, "POST", "/try/7", "x", "Content-Type: text/plain; charset=utf-8")), "`Decode` checks it itself"},
		{"Deprecation", middleware.Deprecation(date), nil, sets("Deprecation", "@1796083200"), ""},
		{"GetHead", middleware.GetHead, nil, is(200, "HEAD", "/try/7", ""), "panics on HEAD without chi's router; a route for GET answers HEAD anyway"},
		{"Heartbeat", middleware.Heartbeat("/ping"), nil, is(200, "GET", "/ping", ""), "no route is needed: it runs for the 404 of its path"},
		{"Logger", middleware.Logger, nil, logged, "`segue.AccessLog` adds the pattern"},
		{"Maybe", middleware.Maybe(red, func(r *http.Request) bool { return r.PathValue("id") == "7" }), nil, sets("X-Colour", "red"), ""},
		{"New", middleware.New(tell(func(*http.Request) string { return "instead" })), nil, says("instead"), "it never calls the next handler"},
		{"NoCache", middleware.NoCache, nil, sets("Pragma", "no-cache"), ""},
		{"PageRoute", middleware.PageRoute("/page", tell(func(*http.Request) string { return "page" })), nil, is(200, "GET", "/page", ""), "a route does the same"},
		{"PathRewrite", middleware.PathRewrite("/old", "/try"), nil, is(200, "GET", "/old/7", ""), "it has to run before the route is chosen"},
		//lint:ignore SA1019 deprecated, and still in use
		{"RealIP", middleware.RealIP, tell(func(r *http.Request) string { return r.RemoteAddr }), says("203.0.113.9", "X-Real-Ip: 203.0.113.9"), "deprecated by chi, since any client can lie to it"},
		{"Recoverer", middleware.Recoverer, panics, is(500, "GET", "/try/7", ""), "`segue.Recover` asks the error list"},
		{"RedirectSlashes", middleware.RedirectSlashes, nil, is(301, "GET", "/try/7/", ""), "segue redirects by itself, with 307"},
		{"RequestID", middleware.RequestID, tell(func(r *http.Request) string { return middleware.GetReqID(r.Context()) }), says("abc", "X-Request-Id: abc"), ""},
		{"RequestLogger", middleware.RequestLogger(format), nil, logged, ""},
		{"RequestSize", middleware.RequestSize(4), nil, is(413, "POST", "/try/7", "12345"), "the 413 is made by `Try`"},
		{"RouteHeaders", middleware.RouteHeaders().Route("Host", "x", nil).Route("X-Team", "red", red).Handler, nil, sets("X-Colour", "red", "X-Team: red"), "for other middleware by header; it cannot choose a route"},
		{"SetHeader", red, nil, sets("X-Colour", "red"), ""},
		{"StripPrefix", middleware.StripPrefix("/v1"), nil, is(200, "GET", "/v1/try/7", ""), "`Mount` and `Group` take a prefix"},
		{"StripSlashes", middleware.StripSlashes, nil, is(200, "GET", "/try/7/", ""), "or `app.TrailingSlash(segue.SlashEither)`"},
		{"Sunset", middleware.Sunset(date), nil, sets("Sunset", "Tue, 01 Dec 2026 00:00:00 GMT"), ""},
		{"SupressNotFound", middleware.SupressNotFound(chi.NewRouter()), nil, is(200, "GET", "/try/7", ""), "it asks chi's router; `segue.Outcome(r)` tells a 404"},
		{"Throttle", middleware.Throttle(1), nested, throttled, ""},
		{"ThrottleBacklog", middleware.ThrottleBacklog(1, 0, time.Second), nested, throttled, ""},
		{"ThrottleWithOpts", middleware.ThrottleWithOpts(middleware.ThrottleOpts{Limit: 1}), nested, throttled, ""},
		{"Timeout", middleware.Timeout(time.Millisecond), untilDeadline, is(504, "GET", "/try/7", ""), ""},
		{"URLFormat", middleware.URLFormat, tell(func(r *http.Request) string { return r.PathValue("id") }), func(app http.Handler) bool {
			return ask(app, "GET", "/try/7.json", "").Body.String() == "7"
		}, "it cuts the suffix off a path that only chi's router reads; use `path.Ext` on the parameter"},
		{"WithValue", middleware.WithValue(valueKey{}, noted), tell(func(r *http.Request) string { return r.Context().Value(valueKey{}).(string) }), says(noted), ""},
	}
}

// throttling returns a handler that asks the app once more while it is on its
// way, and a check that the second request is refused.
func throttling() (nested http.HandlerFunc, throttled func(http.Handler) bool) {
	var busy http.Handler
	nested = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Nested") == "" {
			w.WriteHeader(ask(busy, "GET", "/try/8", "", "X-Nested: yes").Code)
		}
	}
	return nested, func(app http.Handler) bool {
		busy = app
		return is(429, "GET", "/try/7", "")(app)
	}
}

func otherTrials() []trial {
	var lines bytes.Buffer
	logged := func(app http.Handler) bool {
		lines.Reset()
		ask(app, "GET", "/try/7", "")
		return strings.Contains(lines.String(), "GET /try/7")
	}
	logs := func(wrap func(io.Writer, http.Handler) http.Handler) segue.Middleware {
		return func(next http.Handler) http.Handler { return wrap(&lines, next) }
	}
	preflight := []string{"Origin: https://app.example", "Access-Control-Request-Method: POST"}
	preflighted := func(app http.Handler) bool {
		w := ask(app, "OPTIONS", "/try/7", "", preflight...)
		return w.Code < 300 && w.Header().Get("Access-Control-Allow-Origin") == "https://app.example"
	}
	sessions := scs.New()
	remembers := func(app http.Handler) bool {
		cookie, _, _ := strings.Cut(ask(app, "POST", "/try/7", "").Header().Get("Set-Cookie"), ";")
		return ask(app, "GET", "/try/8", "", "Cookie: "+cookie).Body.String() == "7"
	}
	spans := tracetest.NewInMemoryExporter()
	traced := func(app http.Handler) bool {
		spans.Reset()
		ask(app, "GET", "/try/7", "")
		return spans.GetSpans()[0].Name == "GET /try/{id}"
	}
	key := func(*http.Request) (string, error) { return "all", nil }
	return []trial{
		{"gorilla/handlers `CanonicalHost`", handlers.CanonicalHost("https://www.example.com", 301), nil, is(301, "GET", "/try/7", ""), ""},
		{"gorilla/handlers `CombinedLoggingHandler`", logs(handlers.CombinedLoggingHandler), nil, logged, "in a function that binds the writer"},
		{"gorilla/handlers `CompressHandler`", handlers.CompressHandler, long, sets("Content-Encoding", "gzip", "Accept-Encoding: gzip"), ""},
		{"gorilla/handlers `ContentTypeHandler`", func(next http.Handler) http.Handler {
			return handlers.ContentTypeHandler(next, "application/json")
		}, nil, is(415, "POST", "/try/7", "x", "Content-Type: text/plain"), "in a function that binds the types"},
		{"gorilla/handlers `CORS`", handlers.CORS(handlers.AllowedOrigins([]string{"https://app.example"}), handlers.AllowedMethods([]string{"POST"})), nil, preflighted, "no route for OPTIONS is needed"},
		{"gorilla/handlers `HTTPMethodOverrideHandler`", handlers.HTTPMethodOverrideHandler, nil, is(405, "POST", "/try/7", "", "X-HTTP-Method-Override: DELETE"), "it has to run before the route is chosen"},
		{"gorilla/handlers `LoggingHandler`", logs(handlers.LoggingHandler), nil, logged, "in a function that binds the writer"},
		{"gorilla/handlers `ProxyHeaders`", handlers.ProxyHeaders, tell(func(r *http.Request) string { return r.RemoteAddr }), says("203.0.113.9", "X-Real-Ip: 203.0.113.9"), "only behind a proxy that sets the headers; around the router if routes have a host"},
		{"gorilla/handlers `RecoveryHandler`", handlers.RecoveryHandler(handlers.RecoveryLogger(log.New(io.Discard, "", 0))), panics, is(500, "GET", "/try/7", ""), "`segue.Recover` asks the error list"},
		{"rs/cors", cors.New(cors.Options{AllowedOrigins: []string{"https://app.example"}, AllowedMethods: []string{"POST"}}).Handler, nil, preflighted, "no route for OPTIONS is needed"},
		{"alexedwards/scs `LoadAndSave`", sessions.LoadAndSave, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "POST" {
				sessions.Put(r.Context(), "id", r.PathValue("id"))
			}
			io.WriteString(w, sessions.GetString(r.Context(), "id"))
		}, remembers, ""},
		{"go-chi/httprate", httprate.LimitBy(1, time.Hour, key), nil, all(is(200, "GET", "/try/7", ""), is(429, "GET", "/try/7", "")), "give it a handler for 429, see [recipes](recipes.md#a-rate-limit-that-answers-in-the-apis-own-format)"},
		{"otelhttp", otelhttp.NewMiddleware("app", otelhttp.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)))), nil, traced, "spans have the pattern for a name"},
		{"klauspost/compress `gzhttp`", compress, long, sets("Content-Encoding", "gzip", "Accept-Encoding: gzip"), "in a function, since its result is an `http.HandlerFunc`"},
		{"justinas/nosurf", func(next http.Handler) http.Handler { return nosurf.New(next) }, nil, all(is(200, "GET", "/try/7", ""), is(400, "POST", "/try/7", "x")), "in a function, since its result is a `*CSRFHandler`; net/http has `http.CrossOriginProtection`"},
		{"unrolled/secure", secure.New(secure.Options{FrameDeny: true}).Handler, nil, sets("X-Frame-Options", "DENY"), ""},
	}
}

// compress binds a constructor that returns another type.
func compress(next http.Handler) http.Handler { return gzhttp.GzipHandler(next) }

// TestMiddlewares tries each and compares the page's row with what came of it.
func TestMiddlewares(t *testing.T) {
	page, err := os.ReadFile("middlewares.md")
	require.NoError(t, err)
	rows := 0
	for i, trials := range [][]trial{chiTrials(), otherTrials()} {
		for _, tr := range trials {
			where := tr.verdict()
			if i == 0 {
				tr.name = "`" + tr.name + "`"
			}
			assert.Contains(t, string(page), "| "+tr.name+" | "+where+" | "+tr.note+" |\n")
			if where != "no" {
				assert.False(t, tr.worksOn(tr.app(nil)), "%s: its check passes without it", tr.name)
			}
			rows++
		}
	}
	assert.Equal(t, rows, strings.Count(string(page), " | `Use` | ")+strings.Count(string(page), " | around | ")+strings.Count(string(page), " | no | "),
		"a row that nobody tried")
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	assert.True(t, strings.Contains(string(readme), fmt.Sprintf("[%d were tried]", rows)), "README has another number than %d", rows)
}

// TestProfiler mounts what is a handler in chi's package.
func TestProfiler(t *testing.T) {
	app := segue.New()
	app.Mount("/debug", middleware.Profiler())
	assert.Equal(t, 200, ask(app, "GET", "/debug/pprof/", "").Code)
	assert.Equal(t, 200, ask(app, "GET", "/debug/pprof/heap?debug=1", "").Code)
	assert.Equal(t, 200, ask(app, "GET", "/debug/vars", "").Code)
}
