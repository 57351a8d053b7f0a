package names

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/app/names/elsewhere"
	"github.com/segue-go/segue"
)

// Routes is mounted by other packages, under prefixes with names of their own.
func Routes() *segue.Router {
	r := segue.New()
	r.GET("/{id}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("org"), r.PathValue("id"))
	})
	r.GET("/{userID}/x", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("user_id")) // want `did you mean "userID"`
	})
	return r
}

// Show is registered by other packages too.
func Show(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.PathValue("thing")) }

// Register is given a router that may hang anywhere.
func Register(app *segue.Router) {
	app.GET("/shown/{name}", Show)
	app.GET("/given/{name}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("org"))
	})
}

// Patterns that are not constant.
func table(mux *http.ServeMux, prefix string) {
	for _, route := range []struct {
		pattern string
		handler http.HandlerFunc
	}{{"/t1/{one}", tableHandler}, {"/t2/{two}", tableHandler}} {
		mux.HandleFunc(route.pattern, route.handler)
	}
	mux.HandleFunc("/known/{id}", tableHandler)
	mux.HandleFunc(prefix+"/{id}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.PathValue("prefix")) })
}

func tableHandler(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.PathValue("one")) }

// A handler that another package wraps, which gives it values.
func given(mux *http.ServeMux) {
	h := func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.PathValue("lang")) }
	mux.Handle("/given/{id}", elsewhere.Localize(http.HandlerFunc(h)))
	app := segue.New()
	app.Use(elsewhere.Localize)
	app.GET("/localized/{id}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.PathValue("lang")) })
}

// A router that another package mounts.
func lent() {
	app := segue.New()
	app.GET("/lent/{id}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.PathValue("any")) })
	elsewhere.Serve(app)
}

// A name that is not constant, and a request that is not the handler's.
func dynamic(mux *http.ServeMux, names []string) {
	mux.HandleFunc("/dynamic/{id}", func(w http.ResponseWriter, r *http.Request) {
		for _, name := range names {
			fmt.Fprintln(w, r.PathValue(name))
		}
		fmt.Fprintln(w, elsewhere.Request().PathValue("name"))
		other := httptest.NewRequest("GET", "/", strings.NewReader(""))
		fmt.Fprintln(w, other.PathValue("nothing"))
	})
}

// A router whose values are read after it has served.
func around() {
	mux := http.NewServeMux()
	mux.HandleFunc("/around/{seen}", func(w http.ResponseWriter, r *http.Request) {})
	serve := func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r)
		fmt.Println(r.PathValue("seen"))
	}
	outer := http.NewServeMux()
	outer.HandleFunc("/around/{outer}", serve)
	outer.Handle("/logged/{it}", log(mux.ServeHTTP))
}

type embeds struct{ *http.ServeMux }

func embedded() {
	e := embeds{http.NewServeMux()}
	e.HandleFunc("/embedded/{id}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.PathValue("year")) })
	app := segue.New()
	app.Mount("/of/{year}", e)
}

// A method that is called by way of an interface, and registered itself too.
type resource interface {
	Get(w http.ResponseWriter, r *http.Request)
}

type book struct{}

func (book) Get(w http.ResponseWriter, r *http.Request) {
	json.NewEncoder(w).Encode(r.PathValue("isbn") + r.PathValue("title"))
}

func resources() {
	mux := http.NewServeMux()
	var res resource = book{}
	mux.HandleFunc("/isbn/{isbn}", res.Get)
	mux.HandleFunc("/title/{title}", book{}.Get)
}

// A router with routes that another package registers.
func foreign() {
	app := segue.New()
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Println(r.PathValue("theirs"))
			next.ServeHTTP(w, r)
		})
	})
	app.GET("/ours/{id}", func(w http.ResponseWriter, r *http.Request) {})
	elsewhere.Register(app)
}

// Nobody knows what this handler holds.
func holds(h http.Handler) {
	app := segue.New()
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			fmt.Println(r.PathValue("held"))
		})
	})
	app.GET("/ours/{id}", func(w http.ResponseWriter, r *http.Request) {})
	app.Mount("/theirs", h)
}

// Holds lets others call holds.
func Holds(h http.Handler) { holds(h) }

// Routes that are registered by way of an interface.
type registrar interface {
	HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request))
}

func through(m registrar) {
	m.HandleFunc("/through/{it}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.PathValue("it")) })
}

func interfaces() {
	app := segue.New()
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Println(r.PathValue("it"))
			next.ServeHTTP(w, r)
		})
	})
	app.GET("/known/{id}", func(w http.ResponseWriter, r *http.Request) {})
	through(app)
}

// A wrapper that registers what it is given, by way of another function.
func hang(h http.HandlerFunc) http.Handler {
	mux := http.NewServeMux()
	put(mux, func(w http.ResponseWriter, r *http.Request) { h(w, r) })
	return mux
}

func put(mux *http.ServeMux, h http.HandlerFunc) { mux.HandleFunc("/hung/{on}", h) }

func hung() {
	mux := http.NewServeMux()
	mux.Handle("/hung/", hang(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.PathValue("on")) }))
}

// A handler type whose functions return errors.
type failing func(http.ResponseWriter, *http.Request) error

func (f failing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := f(w, r); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func fails(mux *http.ServeMux) {
	mux.Handle("/fails/{how}", failing(func(w http.ResponseWriter, r *http.Request) error {
		return fmt.Errorf("%s", r.PathValue("how"))
	}))
}

// A handler that keeps what it wraps.
type timed struct{ next http.Handler }

func (t timed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fmt.Println(r.PathValue("a"), r.PathValue("b"))
	t.next.ServeHTTP(w, r)
}

func keeps(mux *http.ServeMux) {
	mux.Handle("/keeps/{a}", timed{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.PathValue("a")) })})
	mux.Handle("/keeps/b/{b}", &timed{next: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.PathValue("b")) })})
}

// A list of middlewares, applied in a loop.
func chain(h http.Handler, list ...func(http.Handler) http.Handler) http.Handler {
	for _, mw := range list {
		h = mw(h)
	}
	return h
}

func chained(mux *http.ServeMux) {
	mux.Handle("/chained/{link}", chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("link"))
	}), segue.Recover))
}
