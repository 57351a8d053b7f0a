// Package sendfile finds the file that a name stands for in a file system, and
// sends it as the answer to a request.
//
//	tree := &sendfile.Tree{FS: os.DirFS("dist"), Precompressed: true, Extension: ".html"}
//	err := tree.Serve(w, r, "about", false, false)
//
// It knows names and headers, and nothing of routes: the caller says which name a
// request is for, whether its path ends in a slash, and whether the fallback may
// answer it.
//
// # From the name to the file
//
// Let dist hold about.html, about.html.br, docs/index.html and blob. The name is
// looked up as it is, then with the extension, then as a directory:
//
//	name     calls of the file system                           without a slash   with one
//	about    Stat about, Stat about.html                        about.html        nothing
//	docs     Stat docs, Stat docs.html, Stat docs/index.html    nothing           docs/index.html
//	nope     Stat nope, Stat nope.html                          nothing           nothing
//	.env     none                                               nothing           nothing
//
// The page of a directory is found only under the final slash, because its relative
// links begin there: see [Found].
//
// # From the file to the answer
//
// A request for about says "Accept-Encoding: gzip, br;q=0.9". The codings are tried
// in the order that it asks for, until a sibling is there: about.html.gz is not,
// about.html.br is. The answer is the 300 bytes of that file:
//
//	HTTP/1.1 200 OK
//	Content-Encoding: br
//	Content-Length: 300                       of the sibling
//	Content-Type: text/html; charset=utf-8    of about.html
//	Etag: "17d03e56abe24000-12c-br"           the time and the size of the sibling, and its coding
//	Last-Modified: Fri, 17 May 2024 10:00:00 GMT
//	Vary: Accept-Encoding
//
// [http.ServeContent] does the rest: conditions, ranges, and the status. Three
// things are done around it. ServeContent seeks, so a file that cannot seek is
// wrapped in a stream that seeks forward by reading. ServeContent decides on the
// status, and some headers depend on that, so a writer between it and the connection
// sets them. ServeContent takes its ETag from the caller: for a file without a time,
// the ETag is a hash of the bytes.
package sendfile

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"strings"
	"sync"
)

// A Tree is a file system whose files are sent. Its fields are those of the Files
// of the package segue, and must not change once it is in use.
type Tree struct {
	FS            fs.FS
	Fallback      string
	Precompressed bool
	Extension     string
	CacheControl  func(name string) string

	sums sync.Map // of embedded files, by their fs.FileInfo
}

// Check returns what is wrong with a tree that cannot be served, nil for nothing.
func (t *Tree) Check() error {
	if t.FS == nil {
		return errors.New(`the file system is nil; write Files{FS: os.DirFS("directory")} for a directory`)
	}
	if root, err := fs.Stat(t.FS, "."); err != nil {
		return fmt.Errorf("the file system cannot be read: %w; name a directory that is there", err)
	} else if !root.IsDir() {
		return errors.New("the file system is not a directory")
	}
	if ext := t.Extension; ext != "" && (ext[0] != '.' || !servable("x"+ext)) {
		return fmt.Errorf(`the extension %q is none; write it with its dot, as ".html"`, ext)
	}
	if t.Fallback == "" {
		return nil
	}
	if !fs.ValidPath(t.Fallback) {
		return fmt.Errorf("the fallback %q is not a name in a file system; write it without a slash in front and without dot segments, as index.html", t.Fallback)
	}
	if page, err := fs.Stat(t.FS, t.Fallback); err != nil {
		return fmt.Errorf("the fallback %q cannot be served: %w", t.Fallback, err)
	} else if !page.Mode().IsRegular() {
		return fmt.Errorf("the fallback %q is not a file", t.Fallback)
	}
	return nil
}

// Serve answers with what is found for a name, in the spelling with a final slash
// or without. If nothing is found and fallback is set, it answers with the
// fallback. It returns an error only while nothing is written: [fs.ErrNotExist] if
// there is no file to send.
func (t *Tree) Serve(w http.ResponseWriter, r *http.Request, name string, slash, fallback bool) error {
	if file := t.Find(name).With(slash); file != "" {
		return t.send(w, r, file, t.CacheControl)
	}
	if !fallback {
		return fs.ErrNotExist
	}
	return t.send(w, r, t.Fallback, func(string) string {
		if _, set := w.Header()["Cache-Control"]; set {
			return ""
		}
		return "no-cache"
	})
}

func (t *Tree) send(w http.ResponseWriter, r *http.Request, name string, cacheControl func(string) string) error {
	h := w.Header()
	file, info, coding, err := t.openBest(h, r, name)
	if err != nil {
		return err
	}
	defer file.Close()
	content, err := seekable(file, info.Size())
	if err != nil {
		return err
	}
	if err := t.setTag(h, file, info, name, coding); err != nil {
		return err
	}
	_, forward := content.(*stream)
	// RFC 9110, section 14.2: no Range is refused for a unit that is not understood.
	if asked := r.Header.Get("Range"); asked != "" && !strings.HasPrefix(asked, "bytes=") || forward && strings.Contains(asked, ",") {
		r = r.WithContext(r.Context()) // a copy, whose header is its own
		r.Header = maps.Clone(r.Header)
		r.Header.Del("Range")
	}
	if coding != "" {
		h.Set("Content-Encoding", coding)
		t.setType(h, name)
	}
	cache := ""
	if cacheControl != nil {
		cache = cacheControl(name)
	}
	if cache != "" || coding != "" {
		w = &writer{w, cache, coding, info.Size()}
	}
	http.ServeContent(w, r, path.Base(name), info.ModTime(), content)
	return nil
}

// open opens a regular file. Anything else does not exist.
func (t *Tree) open(name string) (fs.File, fs.FileInfo, error) {
	file, err := t.FS.Open(name)
	if err != nil {
		if missing(name, err) {
			err = fs.ErrNotExist
		}
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}
