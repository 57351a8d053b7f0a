// Wrap takes an application that is built on http.ServeMux and puts segue
// around it, beside it and inside of it, without a change to its handlers.
//
//	go run ./examples/wrap
//	curl http://localhost:18002/reports/2024              # the old application, as it was
//	curl -i http://localhost:18002/crash                  # a panic that is answered now
//	curl http://localhost:18002/reports/2024/summary      # a new route beside the old ones
//	curl http://localhost:18002/intranet/reports/2024     # the old application once more, under a prefix
//	curl http://localhost:18002/api/orders/7              # a Router inside a ServeMux
package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/segue-go/segue"
)

func main() {
	addr := flag.String("addr", "localhost:18002", "where to listen")
	flag.Parse()
	if err := run(*addr); err != nil {
		fmt.Fprintln(os.Stderr, "wrap:", err)
		os.Exit(1)
	}
}

// run serves until something fails.
func run(addr string) error {
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program listens on %s: stop it, or choose another port, as in -addr localhost:18012 (%w)", addr, err)
	}
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%[1]s, try http://%[1]s/reports/2024\n", listener.Addr())
	server := &http.Server{Handler: outerMux(), ReadHeaderTimeout: 5 * time.Second}
	return server.Serve(listener)
}

// oldMux is the application that was there before. It stays as it is.
func oldMux() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "the front page")
	})
	mux.HandleFunc("GET /reports/{year}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "report of %s, by %q\n", r.PathValue("year"), r.Pattern)
	})
	mux.HandleFunc("GET /crash", func(http.ResponseWriter, *http.Request) { panic("an old bug") })
	return mux
}

// around serves all that the old application does, and some more. Its
// middleware covers both.
func around(old http.Handler) *segue.Router {
	app := segue.New()
	app.Use(servedBy, segue.Recover)
	app.Handle("/", old) // whatever no other route takes
	app.GET("/reports/{year}/summary", summary)
	app.Mount("/intranet", old) // sees /reports/2024, not the prefix
	return app
}

func summary(w http.ResponseWriter, r *http.Request) {
	_ = segue.Text(w, http.StatusOK, "summary of "+r.PathValue("year")+"\n")
}

// outerMux is the other way round: a Router is an http.Handler, and so is a
// route of a ServeMux. It sees the whole path.
func outerMux() *http.ServeMux {
	api := segue.New()
	orders := api.Group("/api/orders")
	orders.GET("/{id}", segue.Try(showOrder))

	mux := http.NewServeMux()
	mux.Handle("/api/", api)
	mux.Handle("/", around(oldMux()))
	return mux
}

func showOrder(w http.ResponseWriter, r *http.Request) error {
	id, err := segue.ParamAs[int](r, "id")
	if err != nil {
		return err // 400
	}
	return segue.JSON(w, http.StatusOK, map[string]int{"order": id})
}

// servedBy shows that the middleware of the new router runs for the old routes.
func servedBy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Served-By", "segue")
		next.ServeHTTP(w, r)
	})
}
