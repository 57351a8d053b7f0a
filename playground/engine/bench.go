//go:build playground

package engine

import (
	"errors"
	"net/http"
	"strings"
	"time"
)

// A Pace is how fast a router was for a while.
type Pace struct {
	Lookups, Nanos int64
	Requests       int // how many different ones were sent round and round
}

// silent is a writer that nobody reads.
type silent struct{ header http.Header }

func (w silent) Header() http.Header         { return w.header }
func (w silent) Write(b []byte) (int, error) { return len(b), nil }
func (w silent) WriteHeader(int)             {}

// Bench sends a router, "segue" or "mux", one request for each route that both
// took, round and round for a while.
func (s *Set) Bench(who string, millis int) (Pace, error) {
	if s.requests == nil {
		s.requests = s.benchRequests()
	}
	if len(s.requests) == 0 {
		return Pace{}, errors.New("there is no route that both routers took")
	}
	h := http.Handler(s.router)
	if who == "mux" {
		h = s.mux
	}
	w, n, start := silent{http.Header{}}, int64(0), time.Now()
	limit := time.Duration(min(max(millis, 1), 100)) * time.Millisecond
	for time.Since(start) < limit {
		for range 1 + 256/len(s.requests) { // so that the clock is read rarely
			for _, r := range s.requests {
				h.ServeHTTP(w, r)
			}
		}
		n += int64((1 + 256/len(s.requests)) * len(s.requests))
	}
	return Pace{n, int64(time.Since(start)), len(s.requests)}, nil
}

func (s *Set) benchRequests() []*http.Request {
	var all []*http.Request
	for _, route := range s.Routes {
		if !route.InMux {
			continue
		}
		method := route.Method
		if method == "" {
			method = http.MethodGet
		}
		r, err := newRequest(method, exampleHost(route.Host), examplePath(route.Pattern))
		if err != nil {
			continue
		}
		a, _ := serve(s.router, r)
		b, _ := serve(s.mux, r)
		if a.Status == http.StatusOK && b.Status == http.StatusOK {
			all = append(all, r)
		}
	}
	return all
}

// exampleHost is a host that a pattern's host matches.
func exampleHost(host string) string { return wildcards.ReplaceAllString(host, "acme") }

// examplePath is a path that a pattern matches.
func examplePath(pattern string) string {
	var b strings.Builder
	for _, seg := range strings.Split(pattern[strings.Index(pattern, "/")+1:], "/") {
		b.WriteByte('/')
		switch {
		case seg == "{$}":
		case strings.HasPrefix(seg, "{") && strings.HasSuffix(seg, "...}"):
			b.WriteString("some/file.txt")
		case strings.HasPrefix(seg, "{"):
			b.WriteString("12345")
		default:
			b.WriteString(seg)
		}
	}
	return b.String()
}
