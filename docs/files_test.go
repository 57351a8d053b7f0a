package docs

import (
	"flag"
	"net/http"
	"os"
	"testing"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/filetable"
	"github.com/segue-go/segue/internal/testkit"
)

var updateFiles = flag.Bool("update", false, "write the columns of segue and FileServerFS in files.md anew")

// TestFiles holds two columns of files.md to what the servers answer. The others
// are held by benchmarks/filetable and benchmarks/caddy.
func TestFiles(t *testing.T) {
	for column, serve := range map[string]func(dir string, compressed bool) http.Handler{
		"segue": func(dir string, compressed bool) http.Handler {
			app := segue.New()
			app.Static("/", segue.Files{FS: os.DirFS(dir), Precompressed: compressed})
			return app
		},
		"FileServerFS": func(dir string, _ bool) http.Handler { return http.FileServerFS(os.DirFS(dir)) },
	} {
		t.Run(column, func(t *testing.T) {
			filetable.Check(t, "files.md", column, *updateFiles, func(t *testing.T, dir string) (plain, compressed string) {
				plain, _ = testkit.Listen(t, serve(dir, false))
				compressed, _ = testkit.Listen(t, serve(dir, true))
				return plain, compressed
			})
		})
	}
}
