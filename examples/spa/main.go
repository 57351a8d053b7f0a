// Spa serves a single-page application and the API that it talks to, as one
// binary.
//
//	go run ./examples/spa
//	curl http://localhost:18003/                          # the page
//	curl http://localhost:18003/notes/1                   # a deep link: the page too
//	curl http://localhost:18003/about                     # about.html
//	curl -i --compressed http://localhost:18003/assets/app-1.js    # app-1.js.gz, kept for a year
//	curl -i http://localhost:18003/assets/app-2.js        # no such file: 404, not the page
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
	"log/slog"
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
	fmt.Printf("listening on http://%[1]s, try http://%[1]s/notes/1 and http://%[1]s/api/notes\n", listener.Addr())
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
	app.Use(segue.AccessLog(slog.Default()), segue.Recover)
	// The fallback answers every path that does not look like a file, but none
	// below /api, which is another router's.
	app.Static("/", segue.Files{
		FS:            dist,
		Fallback:      "index.html",
		Extension:     ".html",
		Precompressed: true,
		CacheControl:  cacheControl,
	})
	app.Mount("/api", newAPI())
	return app
}

// cacheControl lets browsers keep what the build gave a name of its own. They
// ask again for everything else: after the next build a page must not look for
// scripts that are gone.
func cacheControl(name string) string {
	if strings.HasPrefix(name, "assets/") {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

type note struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

// newAPI does not know where it hangs. All its answers are JSON, its 404 and 405
// too: they end in its error list.
func newAPI() *segue.Router {
	var notes noteList
	api := segue.New()
	api.GET("/notes", segue.Try(notes.list))
	api.POST("/notes", segue.Try(notes.add))
	api.GET("/notes/{id}", segue.Try(notes.show))
	api.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		status, message := segue.StatusOf(err)
		if status >= 500 {
			slog.Error("failed", "pattern", r.Pattern, "err", err)
		}
		return segue.JSON(w, status, map[string]string{"error": message})
	})
	return api
}

// A noteList keeps notes in memory. The id of a note is its place, from 1.
type noteList struct {
	mu  sync.Mutex
	all []note
}

// list answers with the last notes, of those that are asked for by ?id=1&id=2.
func (l *noteList) list(w http.ResponseWriter, r *http.Request) error {
	limit, err := segue.QueryAs(r, "limit", 100)
	if err != nil {
		return err // 400
	}
	ids, err := segue.QueryAs[[]int](r, "id", nil)
	if err != nil {
		return err
	}
	l.mu.Lock()
	all := append([]note{}, l.all...) // never nil, which JSON calls null
	l.mu.Unlock()
	if ids != nil {
		all = slices.DeleteFunc(all, func(n note) bool { return !slices.Contains(ids, n.ID) })
	}
	return segue.JSON(w, http.StatusOK, all[max(0, len(all)-max(0, limit)):])
}

func (l *noteList) add(w http.ResponseWriter, r *http.Request) error {
	n, err := segue.Decode[note](w, r, segue.MaxBytes(64<<10), segue.DisallowUnknownFields())
	if err != nil {
		return err // 400, 413 or 415
	}
	if strings.TrimSpace(n.Text) == "" {
		return segue.Errorf(http.StatusUnprocessableEntity, "a note needs a text")
	}
	l.mu.Lock()
	n.ID = len(l.all) + 1
	l.all = append(l.all, n)
	l.mu.Unlock()
	location, err := segue.PathFor(r.Pattern+"/{id}", n.ID) // r.Pattern has the prefix, wherever this is mounted
	if err != nil {
		return err
	}
	w.Header().Set("Location", location)
	return segue.JSON(w, http.StatusCreated, n)
}

func (l *noteList) show(w http.ResponseWriter, r *http.Request) error {
	id, err := segue.ParamAs[int](r, "id")
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if id < 1 || id > len(l.all) {
		return segue.Errorf(http.StatusNotFound, "no note %d", id)
	}
	return segue.JSON(w, http.StatusOK, l.all[id-1])
}
