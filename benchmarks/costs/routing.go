package main

// This file has the cases of the middlewares, the hosts, the misses and the
// paths.

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"time"

	"github.com/go-chi/chi/v5"
	chimiddleware "github.com/go-chi/chi/v5/middleware"
	"github.com/rs/cors"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/benchmarks/costs/timing"
)

func hello(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }

func get(target string) func() *http.Request { return ask("GET", target) }

func ask(method, target string, header ...string) func() *http.Request {
	return func() *http.Request {
		r := httptest.NewRequest(method, target, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return r
	}
}

// A sink is a slog.Handler that takes every record and drops it.
type sink struct{ records int }

func (*sink) Enabled(context.Context, slog.Level) bool { return true }
func (s *sink) Handle(context.Context, slog.Record) error {
	s.records++
	return nil
}
func (s *sink) WithAttrs([]slog.Attr) slog.Handler { return s }
func (s *sink) WithGroup(string) slog.Handler      { return s }

// lines counts what is written to it.
type lines struct{ n int }

func (l *lines) Write(b []byte) (int, error) {
	l.n++
	return len(b), nil
}

// logged is a row: a set of middlewares, and the counter of what they log, nil
// where they log nothing.
type logged struct {
	title string
	logs  *int
	mw    []segue.Middleware
}

func middlewareCases() []timing.Case {
	toSink := func(title string, mw func(*slog.Logger) []segue.Middleware) logged {
		s := &sink{}
		return logged{title, &s.records, mw(slog.New(s))}
	}
	asText := func(title string, mw func(*slog.Logger) []segue.Middleware) logged {
		l := &lines{}
		return logged{title, &l.n, mw(slog.New(slog.NewTextHandler(l, nil)))}
	}
	ours := func(l *slog.Logger) []segue.Middleware { return []segue.Middleware{segue.AccessLog(l), segue.Recover} }
	byHand := func(l *slog.Logger) []segue.Middleware {
		return []segue.Middleware{handWrittenLog(l), handWrittenRecover}
	}
	chiLines := &lines{}
	chiLogger := chimiddleware.RequestLogger(&chimiddleware.DefaultLogFormatter{Logger: log.New(chiLines, "", 0), NoColor: true})
	var cases []timing.Case
	for _, row := range []logged{
		{"no middleware", nil, nil},
		{"Recover", nil, []segue.Middleware{segue.Recover}},
		{"chi's Recoverer", nil, []segue.Middleware{chimiddleware.Recoverer}},
		toSink("AccessLog to the sink", func(l *slog.Logger) []segue.Middleware { return ours(l)[:1] }),
		toSink("AccessLog to the sink, Recover", ours),
		toSink("by hand to the sink: the status, then slog", func(l *slog.Logger) []segue.Middleware { return byHand(l)[:1] }),
		toSink("by hand to the sink, and a recover by hand", byHand),
		asText("AccessLog as text, Recover", ours),
		asText("by hand as text, and a recover by hand", byHand),
		{"chi's Logger as text, its Recoverer", &chiLines.n, []segue.Middleware{chiLogger, chimiddleware.Recoverer}},
	} {
		app := segue.New()
		app.Use(row.mw...)
		app.GET("/hello", hello)
		cases = append(cases, timing.Exchange{
			Handler: app, Request: get("/hello"), Status: 200, Answer: "hello", After: oneMore(row.logs),
		}.Case("middlewares", "a request", row.title))
	}
	return cases
}

// oneMore is a check that each request has been logged once. It must see
// every request.
func oneMore(logs *int) func() error {
	if logs == nil {
		return nil
	}
	served := 0
	return func() error {
		served++
		if *logs != served {
			return fmt.Errorf("%d requests, %d of them logged", served, *logs)
		}
		return nil
	}
}

// A statusWriter is what one writes by hand. It hides Flush, Hijack and
// ReadFrom, which segue's does not.
type statusWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func handWrittenLog(logger *slog.Logger) segue.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start, sw := time.Now(), &statusWriter{ResponseWriter: w, status: 200}
			next.ServeHTTP(sw, r)
			logger.LogAttrs(r.Context(), slog.LevelInfo, "request",
				slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.String("pattern", r.Pattern),
				slog.Int("status", sw.status), slog.Int64("bytes", sw.bytes),
				slog.Duration("duration", time.Since(start)), slog.String("remote", r.RemoteAddr))
		})
	}
}

func handWrittenRecover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				log.Println(v)
				http.Error(w, "Internal Server Error", http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func hostCases() []timing.Case {
	const column = "a request"
	param := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, segue.Param(r, "name")) }
	value := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.PathValue("name")) }
	row := func(title, pattern, target, answer string, h http.HandlerFunc, values bool) timing.Case {
		app := segue.New()
		app.PathValues(values)
		app.HandleFunc(pattern, h)
		return timing.Exchange{Handler: app, Request: get(target), Status: 200, Answer: answer}.Case("hosts", column, title)
	}
	mux := func(title, pattern, target, answer string, h http.HandlerFunc) timing.Case {
		m := http.NewServeMux()
		m.HandleFunc(pattern, h)
		return timing.Exchange{Handler: m, Request: get(target), Status: 200, Answer: answer}.Case("hosts", column, title)
	}
	return []timing.Case{
		row("segue, no host", "GET /hello", "http://acme.example.com/hello", "hello", hello, true),
		row("segue, an exact host", "GET acme.example.com/hello", "http://acme.example.com/hello", "hello", hello, true),
		row("segue, a host with a parameter", "GET {name}.example.com/hello", "http://acme.example.com/hello", "acme", param, true),
		row("segue, the same, `PathValues(false)`", "GET {name}.example.com/hello", "http://acme.example.com/hello", "acme", param, false),
		row("segue, a parameter in the path", "GET /{name}", "http://acme.example.com/acme", "acme", param, true),
		row("segue, the same, `PathValues(false)`, in the path", "GET /{name}", "http://acme.example.com/acme", "acme", param, false),
		mux("`http.ServeMux`, no host", "GET /hello", "http://acme.example.com/hello", "hello", hello),
		mux("`http.ServeMux`, an exact host", "GET acme.example.com/hello", "http://acme.example.com/hello", "hello", hello),
		mux("`http.ServeMux`, a parameter in the path", "GET /{name}", "http://acme.example.com/acme", "acme", value),
	}
}

func passOn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}

var preflight = cors.New(cors.Options{
	AllowedOrigins: []string{"https://app.example"}, AllowedMethods: []string{"GET", "PUT"}, AllowedHeaders: []string{"Content-Type"},
}).Handler

// missRouters returns the routers of the table, each with a route for GET, one
// behind four middlewares and one for PUT behind rs/cors. chi's with rs/cors is
// apart, since there the middleware must be the root's.
func missRouters() (app, mux, other, chiCORS http.Handler) {
	four := []func(http.Handler) http.Handler{passOn, passOn, passOn, passOn}
	s := segue.New()
	s.GET("/users/{id}", hello)
	s.Group("/four", four...).GET("/users/{id}", hello)
	s.Group("/cors", preflight).PUT("/users/{id}", hello)

	m, inner, withCORS := http.NewServeMux(), http.NewServeMux(), http.NewServeMux()
	m.HandleFunc("GET /users/{id}", hello)
	inner.HandleFunc("GET /four/users/{id}", hello)
	m.Handle("/four/", segue.Chain(four...)(inner))
	withCORS.HandleFunc("PUT /cors/users/{id}", hello)
	m.Handle("/cors/", preflight(withCORS))

	c, root := chi.NewRouter(), chi.NewRouter()
	c.Get("/users/{id}", hello)
	c.Route("/four", func(r chi.Router) { r.Use(four...); r.Get("/users/{id}", hello) })
	root.Use(preflight)
	root.Put("/cors/users/{id}", hello)
	return s, m, c, root
}

func missCases() []timing.Case {
	app, mux, other, chiCORS := missRouters()
	var cases []timing.Case
	add := func(column, router string, h http.Handler, request func() *http.Request, status int, answer string, header ...string) {
		e := timing.Exchange{Handler: h, Request: request, Status: status, Answer: answer, Header: map[string]string{}}
		for i := 0; i < len(header); i += 2 {
			e.Header[header[i]] = header[i+1]
		}
		cases = append(cases, e.Case("misses", column, router))
	}
	const missing, wrong, methods = "404 page not found", "Method Not Allowed", "Access-Control-Allow-Methods"
	root, behind, post := get("/nope"), get("/four/nope"), ask("POST", "/users/7")
	cross := ask("OPTIONS", "/cors/users/7", "Origin", "https://app.example",
		"Access-Control-Request-Method", "PUT", "Access-Control-Request-Headers", "content-type")
	for _, r := range []struct {
		title string
		h     http.Handler
	}{{"segue", app}, {"`http.ServeMux`", mux}, {"chi", other}} {
		add("404", r.title, r.h, root, 404, missing)
		add("404 behind 4 middlewares", r.title, r.h, behind, 404, missing)
	}
	add("405", "segue", app, post, 405, wrong, "Allow", "GET, HEAD, OPTIONS")
	add("405", "`http.ServeMux`", mux, post, 405, wrong, "Allow", "GET, HEAD")
	add("405", "chi", other, post, 405, "", "Allow", "GET")
	add("OPTIONS", "segue", app, ask("OPTIONS", "/users/7"), 204, "", "Allow", "GET, HEAD, OPTIONS")
	add("preflight", "segue", app, cross, 204, "", methods, "PUT")
	add("preflight", "`http.ServeMux`", mux, cross, 204, "", methods, "PUT")
	add("preflight", "chi", chiCORS, cross, 204, "", methods, "PUT")
	return cases
}

func pathCases() []timing.Case {
	one := func(title string, build func() string) timing.Case {
		return pathCase("/users/{id}", title, "/users/7", build)
	}
	two := func(title string, build func() string) timing.Case {
		return pathCase("/orgs/{org}/users/{id}", title, "/orgs/acme/users/7", build)
	}
	org, id := "acme", 7
	return []timing.Case{
		one("`fmt.Sprintf`", func() string { return fmt.Sprintf("/users/%d", id) }),
		two("`fmt.Sprintf`", func() string { return fmt.Sprintf("/orgs/%s/users/%d", org, id) }),
		one("`segue.PathFor`", func() string { p, _ := segue.PathFor("/users/{id}", id); return p }),
		two("`segue.PathFor`", func() string { p, _ := segue.PathFor("/orgs/{org}/users/{id}", org, id); return p }),
	}
}

func pathCase(column, title, want string, build func() string) timing.Case {
	return timing.Case{
		Section: "paths", Column: column, Title: title,
		Call: func() { runtime.KeepAlive(build()) },
		Check: func() error {
			if got := build(); got != want {
				return fmt.Errorf("got %q, want %q", got, want)
			}
			return nil
		},
	}
}
