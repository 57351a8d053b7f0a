// Package serve is what the Go servers have in common: their flags, the
// answers that all of them give, and the profile.
package serve

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
)

// Options say what a server has to serve. Without Routes that is
// /hello/{name}; with them, Routes times /api/v1/resource17/{id} instead.
type Options struct {
	Addr        string
	Routes      int
	Middlewares int
	Body        []byte // answered in place of the greeting, if there is one
	profile     string
}

// Flags are the same for every server, those in other languages too.
func Flags() Options {
	var o Options
	size := 0
	flag.StringVar(&o.Addr, "addr", "127.0.0.1:18080", "address to listen on")
	flag.IntVar(&o.Routes, "routes", 0, "number of routes /api/v1/resource17/{id}; 0 is one, /hello/{name}")
	flag.IntVar(&o.Middlewares, "middlewares", 0, "number of middlewares that only pass on")
	flag.IntVar(&size, "body", 0, "bytes to answer with; 0 is a greeting")
	flag.StringVar(&o.profile, "profile", "", "file for a CPU profile, from start to SIGTERM")
	flag.Parse()
	if size > 0 {
		o.Body = []byte(strings.Repeat("x", size))
	}
	return o
}

// Paths are the patterns to register, in ServeMux's language without a method,
// each with the name of its parameter.
func (o Options) Paths() (paths []string, param string) {
	if o.Routes == 0 {
		return []string{"/hello/{name}"}, "name"
	}
	for i := range o.Routes {
		paths = append(paths, fmt.Sprintf("/api/v1/resource%d/{id}", i))
	}
	return paths, "id"
}

// Colon is a path as the routers want it that write parameters :name.
func Colon(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// Answer is what every handler on net/http answers.
func (o Options) Answer(w http.ResponseWriter, name string) {
	if o.Body != nil {
		w.Header().Set("Content-Length", strconv.Itoa(len(o.Body)))
		w.Write(o.Body)
		return
	}
	fmt.Fprintf(w, "Hello, %s!\n", name)
}

// Standard is the answer as a standard handler.
func (o Options) Standard(name func(*http.Request) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { o.Answer(w, name(r)) }
}

// PassOn is a middleware that does nothing.
func PassOn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}

// Wrap puts the middlewares around a handler that has no other way.
func (o Options) Wrap(h http.Handler) http.Handler {
	for range o.Middlewares {
		h = PassOn(h)
	}
	return h
}

// Run serves on net/http until SIGTERM.
func (o Options) Run(h http.Handler) {
	o.RunListener(func(l net.Listener) error { return http.Serve(l, h) })
}

// RunListener serves until SIGTERM. It leaves open connections alone: the
// program that measures has gone by then.
func (o Options) RunListener(serve func(net.Listener) error) {
	l, err := net.Listen("tcp", o.Addr)
	if err != nil {
		log.Fatal(err)
	}
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err != nil {
			log.Fatal(err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			log.Fatal(err)
		}
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() { log.Fatal(serve(l)) }()
	<-stop
	pprof.StopCPUProfile()
}
