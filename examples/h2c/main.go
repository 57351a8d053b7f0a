// H2c serves HTTP/2 without TLS, as behind a proxy that ends TLS, and HTTP/1.1
// on the same port.
//
//	go run ./examples/h2c
//	curl --http2-prior-knowledge http://localhost:18006/hello/vikram     # HTTP/2.0
//	curl http://localhost:18006/hello/vikram                             # HTTP/1.1
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/segue-go/segue"
)

func main() {
	addr := flag.String("addr", "localhost:18006", "where to listen")
	flag.Parse()
	if err := run(*addr); err != nil {
		fmt.Fprintln(os.Stderr, "h2c:", err)
		os.Exit(1)
	}
}

// run serves until something fails.
func run(addr string) error {
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program listens on %s: stop it, or choose another port, as in -addr localhost:18016 (%w)", addr, err)
	}
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%[1]s, try http://%[1]s/hello/vikram\n", listener.Addr())
	server := &http.Server{Handler: newApp(), ReadHeaderTimeout: 5 * time.Second, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	return server.Serve(listener)
}

func newApp() *segue.Router {
	app := segue.New()
	app.Use(segue.Recover)
	app.GET("/hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		_ = segue.Text(w, http.StatusOK, fmt.Sprintf("Hello, %s, over %s!\n", r.PathValue("name"), r.Proto))
	})
	app.POST("/upper", upper)
	return app
}

// upper answers while it still reads: on HTTP/2 a request and its answer are
// two streams. HTTP/1.1 does it too, where both sides are asked to.
func upper(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	_ = control.EnableFullDuplex() // not there, and not needed, on HTTP/2
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_ = control.Flush() // the header goes out before anything has come
	var piece [1024]byte
	for {
		n, err := r.Body.Read(piece[:])
		for i, c := range piece[:n] {
			if 'a' <= c && c <= 'z' {
				piece[i] = c - 'a' + 'A'
			}
		}
		if _, err := w.Write(piece[:n]); err != nil || control.Flush() != nil {
			return
		}
		if err != nil {
			if err != io.EOF {
				panic(http.ErrAbortHandler) // half a request: no whole answer
			}
			return
		}
	}
}
