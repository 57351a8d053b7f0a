package filetable

// This file lays out the files that the page's requests are for.

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// changed is the time of every file.
var changed = time.Date(2024, 5, 17, 10, 0, 0, 0, time.UTC)

// names are those of the files. A file's content is its name.
var names = []string{
	"index.html", "a.txt", "noext", "with space.txt", "ä.txt", "a%b.txt", `back\slash.txt`, "dot.", ".env", ".well-known/x.txt", unreadable,
	"dir/index.html", "dir/b.txt", "my dir/index.html", "bare/c.txt", "admin/secret.txt",
	"app.js", "app.js.br", "app.js.zst", "app.js.gz", "page.css", "page.css.gz", "only.js.br", "noext.br",
}

const (
	empty      = "empty.txt"
	unreadable = "unreadable.txt"
)

// layOut writes the files to a folder. What lies beside it is reached only by a link.
func layOut(t *testing.T) (dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("some of the names cannot be given to a file, and the page is about others")
	}
	top := t.TempDir()
	dir = filepath.Join(top, "site")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, content string) {
		t.Helper()
		name = filepath.Join(top, filepath.FromSlash(name))
		must(os.MkdirAll(filepath.Dir(name), 0o755))
		must(os.WriteFile(name, []byte(content), 0o644))
		must(os.Chtimes(name, changed, changed))
	}
	for _, name := range names {
		write("site/"+name, name)
	}
	write("site/"+empty, "")
	write("beside.txt", "beside.txt")
	must(os.Chmod(filepath.Join(dir, unreadable), 0))
	for link, target := range map[string]string{"link.txt": "a.txt", "out.txt": "../beside.txt", "loop.txt": "loop.txt"} {
		must(os.Symlink(target, filepath.Join(dir, link)))
	}
	return dir
}

// answerable reports whether a request can be asked here: nothing is unreadable
// to root.
func answerable(dir string, r request) bool {
	if !strings.Contains(r.target, unreadable) {
		return true
	}
	file, err := os.Open(filepath.Join(dir, unreadable))
	if err == nil {
		file.Close()
	}
	return err != nil
}
