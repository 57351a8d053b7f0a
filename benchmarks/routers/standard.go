package routers

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/gorilla/mux"
	"github.com/julienschmidt/httprouter"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/workload"
)

// The routers that take a standard handler.

func newSegue(t Table) http.Handler {
	return t.segue((*http.Request).PathValue)
}

// newSegueNoValues stores nothing: Param reads off the URL.
func newSegueNoValues(t Table) http.Handler {
	router := t.segue(segue.Param)
	router.PathValues(false)
	return router
}

func (t Table) segue(value func(r *http.Request, name string) string) *segue.Router {
	router := segue.New()
	for range t.Middlewares {
		router.Use(passOn)
	}
	for _, r := range t.Routes {
		router.Handle(r.Pattern(), t.endpoint(r, "").standard(value))
	}
	return router
}

func newServeMux(t Table) http.Handler {
	router := http.NewServeMux()
	for _, r := range t.Routes {
		router.Handle(r.Pattern(), t.endpoint(r, "").standard((*http.Request).PathValue))
	}
	return t.wrap(router)
}

func newChi(t Table) http.Handler {
	router := chi.NewRouter()
	for range t.Middlewares {
		router.Use(passOn)
	}
	for _, r := range t.Routes {
		path := r.Path
		if i := strings.LastIndexByte(path, '{'); strings.HasSuffix(path, "...}") {
			path = path[:i] + "*"
		}
		router.Method(r.Method, path, t.endpoint(r, "*").standard(chi.URLParam))
	}
	return router
}

func newGorilla(t Table) http.Handler {
	router := mux.NewRouter()
	for range t.Middlewares {
		router.Use(passOn)
	}
	for _, r := range t.Routes {
		path := strings.Replace(r.Path, "...}", ":.*}", 1)
		router.HandleFunc(path, t.endpoint(r, "").gorilla()).Methods(r.Method)
	}
	return router
}

func (e *endpoint) gorilla() http.HandlerFunc {
	if !e.reads {
		return func(http.ResponseWriter, *http.Request) {}
	}
	return func(_ http.ResponseWriter, r *http.Request) {
		e.enter()
		vars := mux.Vars(r)
		for _, name := range e.names {
			e.see(vars[name])
		}
	}
}

func newHTTPRouterStandard(t Table) http.Handler {
	router := httprouter.New()
	for _, r := range t.Routes {
		router.Handler(r.Method, colon(r.Path, true), t.endpoint(r, "").httpRouterStandard())
	}
	return t.wrap(router)
}

func (e *endpoint) httpRouterStandard() http.HandlerFunc {
	if !e.reads {
		return func(http.ResponseWriter, *http.Request) {}
	}
	return func(_ http.ResponseWriter, r *http.Request) {
		e.enter()
		params := httprouter.ParamsFromContext(r.Context())
		for _, name := range e.names {
			e.see(params.ByName(name))
		}
	}
}

// wholePaths is the floor: a map of handlers by method and path. It knows
// beforehand every path that will be asked for.
type wholePaths map[string]map[string]http.HandlerFunc

func (m wholePaths) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h, ok := m[r.Method][r.URL.Path]; ok {
		h(w, r)
		return
	}
	http.NotFound(w, r)
}

func newMap(t Table) http.Handler {
	m := wholePaths{}
	for _, c := range t.Calls {
		if m[c.Method] == nil {
			m[c.Method] = map[string]http.HandlerFunc{}
		}
		r := workload.Route{Method: c.Method, Path: strings.TrimPrefix(c.Pattern, c.Method+" ")}
		e := t.endpoint(r, "")
		e.names = nil
		m[c.Method][c.Request().URL.Path] = e.standard(nil)
	}
	return t.wrap(m)
}
