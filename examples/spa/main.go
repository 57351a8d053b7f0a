// Spa serves a single-page application and the API that it talks to, as one
// binary.
//
//	go run ./examples/spa
//	curl http://localhost:18003/                          # the page
//	curl http://localhost:18003/notes/1                   # a deep link: the page too
//	curl http://localhost:18003/app.js                    # a file
//	curl -i http://localhost:18003/app.jsx                # no such file: 404, not the page
//	curl http://localhost:18003/api/notes                 # the API
//	curl -i http://localhost:18003/api/nope               # its own 404, not the page
//	curl -i -X DELETE http://localhost:18003/api/notes    # its own 405
//	curl -H 'Content-Type: application/json' -d '{"text":"milk"}' http://localhost:18003/api/notes
package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/segue-go/segue"
)

func main() {
	addr := flag.String("addr", "localhost:18003", "where to listen")
	flag.Parse()
	if err := run(*addr); err != nil {
		fmt.Fprintln(os.Stderr, "spa:", err)
		os.Exit(1)
	}
}

// run serves until something fails.
func run(addr string) error {
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program listens on %s: stop it, or choose another port, as in -addr localhost:18013 (%w)", addr, err)
	}
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	server := &http.Server{Handler: newApp(), ReadHeaderTimeout: 5 * time.Second}
	return server.Serve(listener)
}

// built is what a front end's build would leave behind.
//
//go:embed dist
var built embed.FS

func newApp() *segue.Router {
	dist, err := fs.Sub(built, "dist")
	if err != nil {
		panic(err) // the embedded directory is there, or the program would not build
	}
	app := segue.New()
	app.Use(segue.Recover)
	// index.html answers for every path that looks like none of a file, but not
	// for those below /api: they are the territory of another router.
	app.With(revalidate).Static("/", segue.Files{FS: dist, Fallback: "index.html"})
	app.Mount("/api", newAPI())
	return app
}

// revalidate has browsers ask again before they use what they have: after the
// next build the page must not look for scripts that are gone.
func revalidate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		next.ServeHTTP(w, r)
	})
}

type note struct {
	Text string `json:"text"`
}

// newAPI knows nothing of where it hangs. All its answers are JSON, its 404 and
// 405 as well: they end in its error list.
func newAPI() *segue.Router {
	var notes noteList
	api := segue.New()
	api.GET("/notes", segue.Try(notes.list))
	api.POST("/notes", segue.Try(notes.add))
	api.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		status, message := segue.StatusOf(err)
		return segue.JSON(w, status, map[string]string{"error": message})
	})
	return api
}

// A noteList keeps notes in memory.
type noteList struct {
	mu  sync.Mutex
	all []note
}

func (l *noteList) list(w http.ResponseWriter, r *http.Request) error {
	l.mu.Lock()
	all := append([]note{}, l.all...) // never nil, which JSON calls null
	l.mu.Unlock()
	return segue.JSON(w, http.StatusOK, all)
}

func (l *noteList) add(w http.ResponseWriter, r *http.Request) error {
	n, err := segue.Decode[note](w, r)
	if err != nil {
		return err
	}
	if strings.TrimSpace(n.Text) == "" {
		return segue.Errorf(http.StatusUnprocessableEntity, "a note needs a text")
	}
	l.mu.Lock()
	l.all = append(slices.Clip(l.all), n)
	l.mu.Unlock()
	return segue.JSON(w, http.StatusCreated, n)
}
