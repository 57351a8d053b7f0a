package routers

// This file composes routers of routers, which only segue compiles into one.

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/segue-go/segue"
)

// A Composition is a router of many parts.
type Composition struct {
	Title string
	Make  func() // the router, with all its requests
}

// Compositions are those that the tables time. In the last one each request
// follows a change, and so compiles.
var Compositions = []Composition{
	{"20 levels of routers, each mounting the next at two prefixes, with one route at the top", func() {
		top := segue.New()
		first := top
		for range 20 {
			next := segue.New()
			top.Mount("/a", next)
			top.Mount("/b", next)
			top = next
		}
		serve(first, "/x")
	}},
	{"one route below 400 nested groups", func() {
		rt := segue.New()
		inner := rt
		for range 400 {
			inner = inner.Group("/g")
		}
		inner.GET("/x", func(http.ResponseWriter, *http.Request) {})
		ask(rt, strings.Repeat("/g", 400)+"/x")
	}},
	{"2,000 routes, and a request after each", func() {
		rt := segue.New()
		for i := range 2000 {
			serve(rt, fmt.Sprint("/r", i))
		}
	}},
}

// serve adds a route, and asks for it.
func serve(rt *segue.Router, path string) {
	rt.GET(path, func(http.ResponseWriter, *http.Request) {})
	ask(rt, path)
}

func ask(rt *segue.Router, path string) {
	w := httptest.NewRecorder()
	if rt.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil)); w.Code != http.StatusOK {
		panic(fmt.Sprint("routers: ", path, " was answered by ", w.Code))
	}
}
