// Playground serves one page on which one writes routes, sees the tries that
// they make, and watches a request find its way. The page runs segue itself,
// compiled to WebAssembly when the program starts.
//
//	go run -C playground .
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/segue-go/segue"
)

func main() {
	addr := flag.String("addr", "localhost:18009", "where to listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, addr string) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Println("building the router for the browser ...")
	start := time.Now()
	program, err := build(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%.1f MB of WebAssembly, %.1f MB compressed, in %v\n",
		megabytes(program.size), megabytes(len(program.compressed)), time.Since(start).Round(time.Second/10))
	app, err := newApp(program)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: app, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	fmt.Println("http://" + listener.Addr().String())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func megabytes(n int) float64 { return float64(n) / 1e6 }

// A program is the router for the browser.
type program struct {
	size       int
	compressed []byte // by gzip
	support    []byte // the toolchain's script that loads it
}

// build compiles it with the toolchain that is there.
func build(ctx context.Context) (*program, error) {
	dir, err := os.MkdirTemp("", "segue-playground")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "segue.wasm")
	err = inSource(ctx, nil, "build", "-buildvcs=false", "-tags", "playground", "-trimpath", "-ldflags", "-s -w", "-o", out, "./wasm")
	if err != nil {
		return nil, err
	}
	var root bytes.Buffer
	if err := inSource(ctx, &root, "env", "GOROOT"); err != nil {
		return nil, err
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(root.String()), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, err
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	compressed, err := compress(wasm)
	return &program{len(wasm), compressed, support}, err
}

// inSource runs the go command where this file was compiled from.
func inSource(ctx context.Context, stdout *bytes.Buffer, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	if _, file, _, ok := runtime.Caller(0); ok {
		if _, err := os.Stat(file); err == nil {
			cmd.Dir = filepath.Dir(file)
		}
	}
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	cmd.Stderr = os.Stderr
	if stdout != nil {
		cmd.Stdout = stdout
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

func compress(b []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

//go:embed web
var web embed.FS

// newApp is the page, served by segue.
func newApp(p *program) (http.Handler, error) {
	files, err := fs.Sub(web, "web")
	if err != nil {
		return nil, err
	}
	app := segue.New()
	app.Use(headers, segue.Recover)
	app.Handle("GET /", http.FileServerFS(files))
	app.GET("/wasm_exec.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Write(p.support)
	})
	app.GET("/segue.wasm", p.serve)
	return app, nil
}

// headers lets the page reach nothing but this server, whatever it is made to
// show.
func headers(next http.Handler) http.Handler {
	const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		next.ServeHTTP(w, r)
	})
}

// serve sends the program as it is compressed. Every browser that has
// WebAssembly takes gzip. Its size beforehand is for the progress bar.
func (p *program) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "application/wasm")
	h.Set("Content-Encoding", "gzip")
	h.Set("Content-Length", strconv.Itoa(len(p.compressed)))
	h.Set("X-Size", strconv.Itoa(p.size))
	w.Write(p.compressed)
}
