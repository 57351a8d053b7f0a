package conflicts

import (
	"net/http"

	"github.com/segue-go/segue"
)

// Only one of these runs.
func branches(app *segue.Router, debug bool, kind int) {
	if debug {
		app.GET("/", handler)
	} else {
		app.GET("/", handler)
	}
	switch kind {
	case 1:
		app.GET("/kind", handler)
	case 2:
		app.GET("/kind", handler)
	}
	if kind == 3 {
		app.GET("/return", handler)
		return
	}
	app.GET("/return", handler)
}

// These are different routers.
func others(two [2]*segue.Router) {
	app := segue.New()
	app.GET("/", handler)
	app = segue.New()
	app.GET("/", handler)
	two[0].GET("/", handler)
	two[1].GET("/", handler)
	make().GET("/", handler)
	make().GET("/", handler)
	var mux http.ServeMux
	mux.HandleFunc("/", handler)
	var muxes []*http.ServeMux
	for _, mux := range muxes {
		mux.HandleFunc("/", handler)
	}
}

func make() *segue.Router { return segue.New() }

func parameter(app *segue.Router) {
	app.GET("/", handler)
	app = segue.New()
	app.GET("/", handler)
}

var global = http.NewServeMux()

func reset() { global = http.NewServeMux() }

func resets() {
	global.HandleFunc("/", handler)
	reset()
	global.HandleFunc("/", handler)
}

type app struct{ mux *http.ServeMux }

func (a *app) clear() { a.mux = http.NewServeMux() }

func (a *app) clears() {
	a.mux.HandleFunc("/", handler)
	a.clear()
	a.mux.HandleFunc("/", handler)
	a.mux = http.NewServeMux()
	a.mux.HandleFunc("/", handler)
}

func fields(a, b *app) {
	a.mux.HandleFunc("/", handler)
	b.mux.HandleFunc("/", handler)
}

// What an interface holds may be a router without routes.
func holds(h http.Handler) {
	app := segue.New()
	app.GET("/held/{path...}", handler)
	app.Mount("/held", h)
	app.Mount("/held", h)
}

// Segue's patterns may overlap.
func overlap(app *segue.Router) {
	app.GET("/{a}/x", handler)
	app.GET("/y/{b}", handler)
}

func jumps(app *segue.Router, again bool) {
	if again {
		goto end
	}
	app.GET("/", handler)
end:
	app.GET("/", handler)
}

func later(app *segue.Router) {
	defer app.GET("/", handler)
	app.GET("/", handler)
}
