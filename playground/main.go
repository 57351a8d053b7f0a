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
	"crypto/sha256"
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
	"regexp"
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
	fmt.Println("building the router for the browser; the first time takes a minute")
	start := time.Now()
	dir, err := cacheFolder()
	if err != nil {
		return err
	}
	program, err := build(ctx, dir)
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

// cacheFolder is where the program stays between two starts.
func cacheFolder() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	dir = filepath.Join(dir, "segue-playground")
	return dir, os.MkdirAll(dir, 0o755)
}

// build compiles it into a folder, with the toolchain that is there. The go
// command leaves a file alone that is what it would make.
func build(ctx context.Context, dir string) (*program, error) {
	out := filepath.Join(dir, "segue.wasm")
	err := inSource(ctx, nil, "build", "-v", "-buildvcs=false", "-tags", "playground", "-trimpath", "-ldflags", "-s -w", "-o", out, "./wasm")
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
	compressed, err := compressed(wasm, out+".gz")
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
	shown := newProgress()
	defer shown.end()
	cmd.Stderr = shown
	if stdout != nil {
		cmd.Stdout = stdout
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// A progress shows the packages that the go command compiles: on a terminal in
// one line that changes. What is no package goes on to standard error.
type progress struct {
	terminal bool
	packages int
	rest     []byte // of a line
}

func newProgress() *progress {
	info, err := os.Stdout.Stat()
	return &progress{terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

var packageName = regexp.MustCompile(`^[\w./~-]+$`)

func (p *progress) Write(b []byte) (int, error) {
	p.rest = append(p.rest, b...)
	for {
		line, rest, found := bytes.Cut(p.rest, []byte("\n"))
		if !found {
			return len(b), nil
		}
		p.rest = rest
		switch {
		case !packageName.Match(line):
			fmt.Fprintf(os.Stderr, "%s\n", line)
		case p.terminal:
			p.packages++
			fmt.Printf("\r\x1b[K  package %d: %s", p.packages, line)
		default:
			p.packages++
			fmt.Printf("  package %d: %s\n", p.packages, line)
		}
	}
}

func (p *progress) end() {
	if len(p.rest) > 0 {
		fmt.Fprintf(os.Stderr, "%s\n", p.rest)
	}
	if p.terminal && p.packages > 0 {
		fmt.Print("\r\x1b[K")
	}
}

// compressed compresses the program by gzip, which takes longer than all else
// where nothing has changed. So the outcome stays in a file, with the hash of
// what it was made from.
func compressed(wasm []byte, file string) ([]byte, error) {
	hash := fmt.Sprintf("%x", sha256.Sum256(wasm))
	if kept, err := os.ReadFile(file); err == nil {
		if r, err := gzip.NewReader(bytes.NewReader(kept)); err == nil && r.Comment == hash {
			return kept, nil
		}
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w.Comment = hash
	if _, err := w.Write(wasm); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	half := file + ".part" // a start that is interrupted leaves no half of a file
	if err := os.WriteFile(half, out.Bytes(), 0o644); err != nil {
		return nil, err
	}
	return out.Bytes(), os.Rename(half, file)
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
