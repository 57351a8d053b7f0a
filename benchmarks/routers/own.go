package routers

import (
	"net/http"

	"github.com/dimfeld/httptreemux/v5"
	"github.com/gin-gonic/gin"
	"github.com/julienschmidt/httprouter"
	echo4 "github.com/labstack/echo/v4"
	echo5 "github.com/labstack/echo/v5"
	"github.com/uptrace/bunrouter"
)

// The routers with a handler type of their own.

func newHTTPRouter(t Table) http.Handler {
	router := httprouter.New()
	for _, r := range t.Routes {
		router.Handle(r.Method, colon(r.Path, true), t.endpoint(r, "").httpRouter())
	}
	return t.wrap(router)
}

func (e *endpoint) httpRouter() httprouter.Handle {
	if !e.reads {
		return func(http.ResponseWriter, *http.Request, httprouter.Params) {}
	}
	return func(_ http.ResponseWriter, _ *http.Request, params httprouter.Params) {
		e.enter()
		for _, name := range e.names {
			e.see(params.ByName(name))
		}
	}
}

func newGin(t Table) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.HandleMethodNotAllowed = true // 404 otherwise
	for range t.Middlewares {
		router.Use(func(c *gin.Context) { c.Next() })
	}
	for _, r := range t.Routes {
		router.Handle(r.Method, colon(r.Path, true), t.endpoint(r, "").gin())
	}
	return router
}

func (e *endpoint) gin() gin.HandlerFunc {
	if !e.reads {
		return func(*gin.Context) {}
	}
	return func(c *gin.Context) {
		e.enter()
		for _, name := range e.names {
			e.see(c.Param(name))
		}
	}
}

func newEcho4(t Table) http.Handler {
	router := echo4.New()
	for range t.Middlewares {
		router.Use(func(next echo4.HandlerFunc) echo4.HandlerFunc {
			return func(c echo4.Context) error { return next(c) }
		})
	}
	for _, r := range t.Routes {
		router.Add(r.Method, colon(r.Path, false), t.endpoint(r, "*").echo4())
	}
	return router
}

func (e *endpoint) echo4() echo4.HandlerFunc {
	if !e.reads {
		return func(echo4.Context) error { return nil }
	}
	return func(c echo4.Context) error {
		e.enter()
		for _, name := range e.names {
			e.see(c.Param(name))
		}
		return nil
	}
}

func newEcho5(t Table) http.Handler {
	router := echo5.New()
	for range t.Middlewares {
		router.Use(func(next echo5.HandlerFunc) echo5.HandlerFunc {
			return func(c *echo5.Context) error { return next(c) }
		})
	}
	for _, r := range t.Routes {
		router.Add(r.Method, colon(r.Path, false), t.endpoint(r, "*").echo5())
	}
	return router
}

func (e *endpoint) echo5() echo5.HandlerFunc {
	if !e.reads {
		return func(*echo5.Context) error { return nil }
	}
	return func(c *echo5.Context) error {
		e.enter()
		for _, name := range e.names {
			e.see(c.Param(name))
		}
		return nil
	}
}

func newBunrouter(t Table) http.Handler {
	var middlewares []bunrouter.MiddlewareFunc
	for range t.Middlewares {
		middlewares = append(middlewares, func(next bunrouter.HandlerFunc) bunrouter.HandlerFunc {
			return func(w http.ResponseWriter, r bunrouter.Request) error { return next(w, r) }
		})
	}
	router := bunrouter.New(bunrouter.Use(middlewares...))
	for _, r := range t.Routes {
		router.Handle(r.Method, colon(r.Path, true), t.endpoint(r, "").bunrouter())
	}
	return router
}

func (e *endpoint) bunrouter() bunrouter.HandlerFunc {
	if !e.reads {
		return func(http.ResponseWriter, bunrouter.Request) error { return nil }
	}
	return func(_ http.ResponseWriter, r bunrouter.Request) error {
		e.enter()
		for _, name := range e.names {
			e.see(r.Param(name))
		}
		return nil
	}
}

func newHTTPTreeMux(t Table) http.Handler {
	router := httptreemux.New()
	for range t.Middlewares {
		router.Use(func(next httptreemux.HandlerFunc) httptreemux.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request, params map[string]string) { next(w, r, params) }
		})
	}
	for _, r := range t.Routes {
		router.Handle(r.Method, colon(r.Path, true), t.endpoint(r, "").httpTreeMux())
	}
	return router
}

func (e *endpoint) httpTreeMux() httptreemux.HandlerFunc {
	if !e.reads {
		return func(http.ResponseWriter, *http.Request, map[string]string) {}
	}
	return func(_ http.ResponseWriter, _ *http.Request, params map[string]string) {
		e.enter()
		for _, name := range e.names {
			e.see(params[name])
		}
	}
}
