package files

// This file writes the tables of the servers of files, and the page that has
// Caddy's beside them. The program in benchmarks/caddy measures what is on that
// page. The page is written here, where Caddy need not be compiled for it.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/segue-go/segue/benchmarks/costs/timing"
	"github.com/segue-go/segue/benchmarks/report"
)

const caddyNote = `
The rows of Caddy are its module ` + "`http.handlers.file_server`" + `, called without Caddy's routes. The module needs what ` + "`caddyhttp.PrepareRequest`" + ` makes: a replacer, variables and
a copy of the request. Caddy's server calls that function once for each request, so these rows include it. The last row is the whole handler of Caddy's server, with one route and no
access log. segue's rows include its routing.

Caddy reads the disk by its own file system; the others read it by ` + "`os.DirFS`" + `. Files in memory are registered with Caddy. With ` + "`precompressed`" + ` it looks for br, zstd and gzip, which is
the default of a Caddyfile, and segue looks for the same. The request accepts gzip and br. Caddy sends Vary and an ETag with every file, segue sends both with ` + "`Precompressed`" + `, and
` + "`http.FileServerFS`" + ` sends neither.

`

// Calls returns the table of the calls of the file system.
func Calls(r *timing.Run) string {
	return "\nCalls of the file system with a name (Open, Stat), and of the opened files (Stat, Read, Seek, Close), counted in memory:\n\n" +
		r.Table(Section, "calls", func(c, _ *timing.Cell) string {
			if c.Lookups == 0 {
				return ""
			}
			return fmt.Sprintf("%.0f + %.0f", c.Lookups, c.FileCalls)
		})
}

// SaveCaddy writes the data of a run beside Caddy's file server to a folder, and
// its page.
func SaveCaddy(dir string, r *timing.Run) error {
	if err := report.Save(filepath.Join(dir, "caddy.json"), r); err != nil {
		return err
	}
	return RenderCaddy(dir)
}

// RenderCaddy writes the page again from the data in a folder. It does nothing
// where there is none.
func RenderCaddy(dir string) error {
	var r timing.Run
	if err := report.Load(filepath.Join(dir, "caddy.json"), &r); errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	text := r.Head("Files, beside Caddy's file server") + caddyNote + r.Tables(Section) + Calls(&r)
	return os.WriteFile(filepath.Join(dir, "caddy.md"), []byte(text), 0o644)
}
