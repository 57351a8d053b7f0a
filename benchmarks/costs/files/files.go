// Package files sets up what sends files: segue's Static, the standard
// library's file server, and what a caller adds.
package files

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing/fstest"
	"time"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/benchmarks/costs/timing"
)

// Section is the name of the section that the cases are in.
const Section = "files"

//go:embed embedded
var embedded embed.FS

// A Site is where files come from: site.css, which has the siblings
// site.css.br and site.css.gz, and plain.css, which has none.
type Site struct {
	Column string
	FS     fs.FS
	Dir    string // where it is on disk, else ""
}

// A Server is a row.
type Server struct {
	Title   string
	New     func(Site) (http.Handler, error)
	File    string
	Encoded bool // the .br must be sent
}

// Servers are the rows that need no other module.
var Servers = []Server{
	{Title: "`http.FileServerFS`", New: standard, File: "site.css"},
	{Title: "segue, `Static`", New: static(false), File: "site.css"},
	{Title: "segue, `Precompressed`, the .br is sent", New: static(true), File: "site.css", Encoded: true},
	{Title: "segue, `Precompressed`, no sibling there", New: static(true), File: "plain.css"},
}

func standard(s Site) (http.Handler, error) { return http.FileServerFS(s.FS), nil }

func static(precompressed bool) func(Site) (http.Handler, error) {
	return func(s Site) (http.Handler, error) {
		app := segue.New()
		app.Static("/", segue.Files{FS: s.FS, Precompressed: precompressed})
		return app, nil
	}
}

// Cases returns a case for each server on each site. It writes the files on disk
// to dir.
func Cases(dir string, servers ...Server) ([]timing.Case, error) {
	sites, err := sites(dir)
	if err != nil {
		return nil, err
	}
	var cases []timing.Case
	for _, site := range sites {
		for _, server := range servers {
			c, err := server.on(site)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", server.Title, site.Column, err)
			}
			cases = append(cases, c)
		}
	}
	return cases, nil
}

func sites(dir string) ([]Site, error) {
	page, err := fs.Sub(embedded, "embedded")
	if err != nil {
		return nil, err
	}
	sites := []Site{{Column: "1 KB, embedded", FS: page}}
	for _, size := range []struct {
		title string
		bytes int
	}{{"1 KB", 1000}, {"100 KB", 100_000}} {
		memory := fstest.MapFS{}
		for name, length := range map[string]int{"site.css": size.bytes, "plain.css": size.bytes, "site.css.br": size.bytes / 4, "site.css.gz": size.bytes / 3} {
			text := bytes.Repeat([]byte(name[len(name)-1:]), length)
			memory[name] = &fstest.MapFile{Data: text, Mode: 0o644, ModTime: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
		}
		disk := filepath.Join(dir, fmt.Sprint(size.bytes))
		if err := os.CopyFS(disk, memory); err != nil {
			return nil, err
		}
		sites = append(sites,
			Site{Column: size.title + ", memory", FS: memory},
			Site{Column: size.title + ", disk", FS: os.DirFS(disk), Dir: disk})
	}
	return sites, nil
}

// on returns the case of a server on a site. In memory it counts the calls.
func (s Server) on(site Site) (timing.Case, error) {
	e, err := s.exchange(site)
	if err != nil {
		return timing.Case{}, err
	}
	c := e.Case(Section, site.Column, s.Title)
	if site.Dir != "" {
		return c, nil
	}
	counter := &counter{FS: site.FS}
	site.FS = counter
	counted, err := s.exchange(site)
	if err != nil {
		return timing.Case{}, err
	}
	counted.Serve() // so that what is read once has been read
	counter.lookups, counter.calls = 0, 0
	counted.Serve()
	c.Lookups, c.FileCalls = float64(counter.lookups), float64(counter.calls)
	return c, nil
}

func (s Server) exchange(site Site) (timing.Exchange, error) {
	h, err := s.New(site)
	if err != nil {
		return timing.Exchange{}, err
	}
	sent, encoding := s.File, ""
	if s.Encoded {
		sent, encoding = s.File+".br", "br"
	}
	text, err := fs.ReadFile(site.FS, sent)
	if err != nil {
		return timing.Exchange{}, err
	}
	return timing.Exchange{
		Handler: h,
		Request: func() *http.Request {
			r := httptest.NewRequest("GET", "/"+s.File, nil)
			r.Header.Set("Accept-Encoding", "gzip, br")
			return r
		},
		Status: http.StatusOK,
		Answer: string(text),
		Header: map[string]string{"Content-Length": fmt.Sprint(len(text)), "Content-Encoding": encoding, "Content-Type": "text/css; charset=utf-8"},
	}, nil
}
