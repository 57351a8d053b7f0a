// Hello answers /hello/{name} on port 18000.
//
//	go run ./examples/hello
//	curl http://localhost:18000/hello/vikram
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"

	"github.com/segue-go/segue"
)

func main() {
	addr := flag.String("addr", ":18000", "where to listen")
	flag.Parse()
	fmt.Printf("starting on %s\n", *addr)
	fmt.Fprintln(os.Stderr, "hello:", serve(*addr))
	os.Exit(1)
}

// serve returns when it cannot listen.
func serve(addr string) error {
	router := segue.New()
	router.GET("/hello/{name}", hello)
	err := http.ListenAndServe(addr, router)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program listens on %s: stop it, or choose another port, as in -addr :18001 (%w)", addr, err)
	}
	return err
}

func hello(w http.ResponseWriter, r *http.Request) {
	// Said outright: net/http would guess it from the text, which has the
	// client's own words in it.
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, "Hello, "+r.PathValue("name")+"!\n")
}
