package patterns

import (
	"fmt"
	"net/http"

	"github.com/segue-go/segue"
)

// Dead routes of a ServeMux are not refused by it.
func dead(mux *http.ServeMux) {
	mux.HandleFunc("/x/:id", handler)
	mux.HandleFunc("get /x/*", handler)
	mux.HandleFunc("example.com:80/", handler)
}

// A function that waits for the panic.
func refuses(pattern string) (err error) {
	defer func() { err = fmt.Errorf("%v", recover()) }()
	segue.New().GET("/{", handler)
	return nil
}

func try(f func()) {
	defer func() { recover() }()
	f()
}

func tried() {
	try(func() { segue.New().GET("/{", handler) })
}

func unknown(app *segue.Router, pattern string) {
	app.GET(pattern, handler)
	app.GET(pattern+"/{", handler)
	app.Method(pattern, "/{", http.HandlerFunc(handler))
}

type other struct{}

func (other) GET(path string, h http.HandlerFunc) {}

func others(o other) { o.GET("{", handler) }
