package segue

// This file serves files: which file a path names, which of its encodings is
// sent, and with which headers. It stands on io/fs and http.ServeContent. What
// a route asks of its files, and what they ask of the router, is at the end.

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/segue-go/segue/internal/automaton"
)

// Files says which files [Router.Static] serves, and how. FS alone is enough.
//
//	segue.Files{FS: os.DirFS("public")}
//	segue.Files{FS: dist, Fallback: "index.html", Precompressed: true}
type Files struct {
	// FS holds the files.
	FS fs.FS

	// Fallback is the name of the file in FS that answers where no file is
	// found, as the page of a single-page application: "index.html". See
	// [Router.Static] for the paths that it does not answer.
	Fallback string

	// Precompressed sends app.js.br, app.js.zst or app.js.gz in place of app.js
	// if the file is there and Accept-Encoding prefers it. Among equal
	// qualities the order is br, zst, gz.
	Precompressed bool

	// Extension is added to a name that no file has: with ".html", /about is
	// about.html.
	Extension string

	// CacheControl returns the Cache-Control of a file that is served, by its
	// name in FS. It replaces what a middleware has set, unless it returns "".
	// It is not asked for the fallback and holds for no error and no redirect.
	CacheControl func(name string) string
}

// Static serves files under a prefix, to GET and HEAD.
//
//	app.Static("/assets", segue.Files{FS: os.DirFS("public")}) // /assets/css/a.css is public/css/a.css
//	app.Static("/", segue.Files{FS: dist, Fallback: "index.html"}) // a single-page application
//
// The prefix is that of [Router.Mount]: it may have parameters, and may be "/".
// The route is GET's for prefix/{path...}, and r.Pattern shows it so. It
// conflicts with what conflicts with that pattern, middleware covers it, and
// Routes lists it. If the prefix has a parameter named path, the rest is called
// path_.
//
// # Errors and panics
//
// Static panics with a *[PatternError] if the prefix is wrong, if "." of the file
// system is no directory that can be read, if the fallback is no regular file of
// it, or if the extension is none. So a directory that is missing, or a page that
// no build has made yet, is found at the start. Static panics with a
// *[ConflictError] as the other methods do.
//
// A file that is gone when it is opened is an error of status 404 for [Fail]. A
// file that must not be read ([fs.ErrPermission]) is one of status 403. Any other
// failure of the file system is one of status 500. Only the log names the file.
// A read that fails once the answer has begun cuts the connection short of
// Content-Length. Errors go out without the Cache-Control, ETag, Last-Modified and
// Content-Encoding that a middleware has set; so does the 404 for a file that is
// not found, if no NotFound and no OnError answers it.
//
// # What is found
//
// A path's segments, each decoded once, are the file's name. They are the very
// segments that the route was matched by, so a request cannot name a file in a
// way that a guard on another route does not see. A segment is not found if it is
// empty, begins with a dot, or holds a slash, a backslash or NUL once it is
// decoded: neither /admin%2Fsecret.txt nor /x/%2e%2e/admin/secret.txt is
// admin/secret.txt, and .git and .env are never sent. (To serve what is in
// .well-known, register a Static with that prefix.) On Windows a segment is also
// not found if it holds a colon or another character that no name has, ends in a
// dot or a space, or is the name of a device such as NUL or a short name such as
// PROGRA~1. A name that is too long for the system is not found.
//
// Only regular files are sent. The order is: the file, the file with Extension,
// the directory. A directory is its index.html, and is not found without one;
// nothing is ever listed. It is served under its final slash. Without the slash
// the answer is a redirect there (307; query and encoding kept), whatever
// [Router.TrailingSlash] says, because the page's relative links begin at the
// slash. A file with a slash after its name is not found. /index.html is served as any
// file.
//
// What is not found is answered as if this route were not there: by a less
// specific route, with 405 if another method has the path, or by the NotFound of
// the router that owns the path. On the path of a file, other methods are 405,
// and OPTIONS is 204.
//
// # The fallback
//
// The fallback answers, with status 200, a path that names no file and whose
// last segment has no dot. It is sent with "Cache-Control: no-cache" unless a
// middleware has set Cache-Control. It does not answer below the prefix of
// another Static or of a router that [Router.Mount] or [Router.Group] has put
// there, if that prefix is deeper than its own or better by the rules of
// [Router]: /api/nope is the 404 of a router at /api, and /assets/nope is the 404
// of a Static at /assets. Routes that are registered without such a router do not
// keep the fallback out.
//
// # What is sent
//
// The answers are those of [http.ServeContent], with its 206, 304, 412 and 416.
// The type follows from the name's extension, or from the first 512 bytes.
// Last-Modified is the time that the file system tells. If it tells none, as an
// [embed.FS], the file has a strong ETag made from its bytes.
//
// With Precompressed every answer has "Vary: Accept-Encoding", and every file has
// a strong ETag, which differs for each encoding. Ranges are those of the
// encoding that is sent. Content-Encoding that a middleware has set turns
// Precompressed off for the request.
//
// A file that is no [io.Seeker] is read from front to back. A request for more
// than one range of such a file gets the whole file (200).
//
// # What it does not hide
//
// A guard on a router runs for the files that this route finds, for redirects to
// its directories, and for what no route has below the router's prefix. What
// another route has, perhaps a Static's without the guard, it does not see. To
// close all of a prefix, give the guarded router a route for the rest:
//
//	admin := app.Group("/admin", requireAdmin)
//	admin.Static("/", segue.Files{FS: reports})
//	admin.Any("/{path...}", http.NotFound)
//
// A file system decides what a name and a link mean. [os.DirFS] follows symbolic
// links out of its directory; [os.Root.FS] does not, and fails (500). Where
// case does not count, as on Windows and macOS, /ADMIN/secret.txt is
// admin/secret.txt to the file system, and not under /admin to a router: keep
// guarded files out of a directory that is served without the guard.
//
// # What it costs
//
// A path that names no file costs at most three calls of the file system, however
// long it is. A file costs at most three to be found, as many to be found again
// once the middleware has run, and one to be opened; with Precompressed, one more
// for each encoding that is tried. Nothing is remembered from one request to the
// next, so changes show at once. The exception is an ETag made from the bytes of an
// [embed.FS], which cannot change; for another file system without times it is made
// for each request, and the file is read twice. Other routes pay nothing.
func (rt *Router) Static(prefix string, files Files) {
	f := newFiles(files)
	p, err := parseStatic(prefix)
	if err == nil {
		err = f.check(p.text)
	}
	rt.register(&registration{pattern: p, handler: http.HandlerFunc(f.serveAll), files: f}, err)
}

// parseStatic parses the prefix and adds the rest.
func parseStatic(prefix string) (*pattern, *PatternError) {
	p, err := parsePrefix(prefix)
	if err != nil {
		return nil, err
	}
	if off := uncleanAt(prefix, 0); off >= 0 {
		return nil, &PatternError{Pattern: prefix, Offset: off, Reason: neverMatches}
	}
	rest, err := parseVerb(http.MethodGet, "/{path...}")
	if err != nil {
		return nil, err
	}
	rest.static = true
	return p.join(rest)
}

// files is what one call of Static serves.
type files struct {
	Files
	sums sync.Map // of embedded files, by their fs.FileInfo
}

func newFiles(f Files) *files { return &files{Files: f} }

// check refuses Files that cannot be served.
func (f *files) check(pattern string) *PatternError {
	refuse := func(format string, args ...any) *PatternError {
		return &PatternError{Pattern: pattern, Reason: fmt.Sprintf(format, args...)}
	}
	if f.FS == nil {
		return refuse(`the file system is nil; write Files{FS: os.DirFS("directory")} for a directory`)
	}
	if root, err := fs.Stat(f.FS, "."); err != nil {
		return refuse("the file system cannot be read: %v; name a directory that is there", err)
	} else if !root.IsDir() {
		return refuse("the file system is not a directory")
	}
	if ext := f.Extension; ext != "" && (ext[0] != '.' || !servable("x"+ext)) {
		return refuse(`the extension %q is none; write it with its dot, as ".html"`, ext)
	}
	if f.Fallback == "" {
		return nil
	}
	if !fs.ValidPath(f.Fallback) {
		return refuse("the fallback %q is not a name in a file system; write it without a slash in front and without dot segments, as index.html", f.Fallback)
	}
	if page, err := fs.Stat(f.FS, f.Fallback); err != nil {
		return refuse("the fallback %q cannot be served: %v", f.Fallback, err)
	} else if !page.Mode().IsRegular() {
		return refuse("the fallback %q is not a file", f.Fallback)
	}
	return nil
}

// A found is what one Static has for a path.
type found struct {
	in   *files
	name string // what was looked for: the path without its final slash, "" for a path that names nothing
	file string // what is served without a final slash, "" for nothing
	page string // what is served with a final slash, "" for nothing
}

// with returns the file that is served for the path in one spelling, "" for none.
func (fd found) with(slash bool) string {
	if slash {
		return fd.page
	}
	return fd.file
}

const indexPage = "index.html"

// look finds what a name stands for. It calls the file system three times at most.
func (f *files) look(name string) found {
	fd := found{in: f, name: name}
	if name == "" {
		return fd
	}
	page, dir := path.Join(name, indexPage), name == "."
	if !dir {
		info, err := fs.Stat(f.FS, name)
		switch {
		case err != nil && !missing(name, err): // claimed, to be an error and not another's page
			fd.file, fd.page = name, page
			return fd
		case err == nil && info.Mode().IsRegular():
			fd.file = name
			return fd
		}
		dir = err == nil && info.IsDir()
		if f.Extension != "" && f.has(name+f.Extension) {
			fd.file = name + f.Extension
		}
	}
	if dir && f.has(page) {
		fd.page = page
	}
	return fd
}

// has reports whether a name is a regular file's. A name that the file system
// fails to tell of counts as one.
func (f *files) has(name string) bool {
	info, err := fs.Stat(f.FS, name)
	if err != nil {
		return !missing(name, err)
	}
	return info.Mode().IsRegular()
}

// missing reports whether an error of the file system only says that there is
// no such file. Systems have errors of their own for a file where a directory
// should be and for a name that is too long, Windows more than one for the latter.
func missing(name string, err error) bool {
	for _, target := range []error{fs.ErrNotExist, fs.ErrInvalid, syscall.ENOTDIR, syscall.ENAMETOOLONG} {
		if errors.Is(err, target) {
			return true
		}
	}
	return slices.ContainsFunc(strings.Split(name, "/"), func(elem string) bool { return len(elem) > 255 })
}

// fileName returns the name in the file system that a path's rest stands for, ""
// if there can be none, and whether the path has a final slash.
func fileName(rest automaton.Path) (name string, slash bool) {
	p := rest
	for {
		seg, more := p.Next()
		if !more {
			break
		}
		if seg == "" && p.Text == "" {
			slash = true
			break
		}
		if !servable(seg) {
			return "", false
		}
	}
	// No segment has a slash of its own: decoding them together is the same.
	name = strings.TrimSuffix(rest.Rest(), "/")
	switch {
	case name == "":
		return ".", slash
	case !fs.ValidPath(name):
		return "", slash
	}
	return name, slash
}

// servable reports whether a decoded segment may be a part of a name.
func servable(seg string) bool {
	return seg != "" && seg[0] != '.' && !strings.ContainsAny(seg, "/\\\x00") &&
		(runtime.GOOS != "windows" || servableOnWindows(seg) && filepath.IsLocal(seg)) // IsLocal knows the devices
}

// servableOnWindows refuses what Windows takes for another name than it seems
// to be, and what it fails on.
func servableOnWindows(seg string) bool {
	for i := range len(seg) {
		if seg[i] < ' ' || strings.IndexByte(`:<>"|?*`, seg[i]) >= 0 {
			return false
		}
	}
	if i := strings.LastIndexByte(seg, '~'); i >= 0 && i+1 < len(seg) && seg[i+1] >= '0' && seg[i+1] <= '9' {
		return false // perhaps the short name of another
	}
	return strings.TrimRight(seg, ". ") == seg
}

// looksLikeFile reports whether the last segment, a final slash aside, has a
// dot, as the name of a file.
func looksLikeFile(rest automaton.Path) (dot bool) {
	for {
		seg, ok := rest.Next()
		if !ok {
			return dot
		}
		if seg != "" {
			dot = strings.Contains(seg, ".")
		}
	}
}

// send answers with a file. It returns an error only while nothing is written.
// cacheControl may be nil.
func (f *files) send(w http.ResponseWriter, r *http.Request, name string, cacheControl func(string) string) error {
	h := w.Header()
	file, info, coding, err := f.openBest(h, r, name)
	if err != nil {
		return err
	}
	defer file.Close()
	content, err := seekable(file, info.Size())
	if err != nil {
		return err
	}
	if err := f.setTag(h, file, info, name, coding); err != nil {
		return err
	}
	if _, forward := content.(*stream); forward && strings.Contains(r.Header.Get("Range"), ",") {
		r = r.WithContext(r.Context()) // a copy, whose header is its own
		r.Header = maps.Clone(r.Header)
		r.Header.Del("Range")
	}
	if coding != "" {
		h.Set("Content-Encoding", coding)
		f.setType(h, name)
	}
	cache := ""
	if cacheControl != nil {
		cache = cacheControl(name)
	}
	if cache != "" || coding != "" {
		w = &fileWriter{w, cache, coding, info.Size()}
	}
	http.ServeContent(w, r, path.Base(name), info.ModTime(), content)
	return nil
}

// open opens a regular file. Anything else does not exist.
func (f *files) open(name string) (fs.File, fs.FileInfo, error) {
	file, err := f.FS.Open(name)
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

// siblings are the extensions of the files that hold a file in a coding.
var siblings = map[string]string{"br": ".br", "zstd": ".zst", "gzip": ".gz", "": ""}

// openBest opens a file in the best coding that there is and that the request
// accepts. A sibling that cannot be opened is passed over.
func (f *files) openBest(h http.Header, r *http.Request, name string) (file fs.File, info fs.FileInfo, coding string, err error) {
	codings := []string{""}
	if f.Precompressed && len(h.Values("Content-Encoding")) == 0 {
		h.Add("Vary", "Accept-Encoding")
		codings = acceptedCodings(r.Header.Values("Accept-Encoding"))
	}
	for _, coding = range codings {
		if file, info, err = f.open(name + siblings[coding]); err == nil {
			break
		}
	}
	return file, info, coding, err
}

// acceptedCodings lists the codings of siblings that a request accepts and does
// not like less than none at all, best first, and then "", for none. That comes
// last even where identity;q=0 refuses it: RFC 9110, section 12.1, lets a server
// answer so, and a page that is readable serves better than a 406.
func acceptedCodings(header []string) []string {
	quality := map[string]float64{}
	for part := range strings.SplitSeq(strings.Join(header, ","), ",") {
		coding, weight, _ := strings.Cut(part, ";")
		switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
		case "x-gzip":
			quality["gzip"] = qualityOf(weight)
		case "br", "zstd", "gzip", "identity", "*":
			quality[coding] = qualityOf(weight)
		}
	}
	of := func(coding string) float64 {
		if q, named := quality[coding]; named {
			return q
		}
		return quality["*"]
	}
	codings := slices.DeleteFunc([]string{"br", "zstd", "gzip"}, func(c string) bool {
		return of(c) == 0 || of(c) < quality["identity"]
	})
	slices.SortStableFunc(codings, func(a, b string) int { return cmp.Compare(of(b), of(a)) })
	return append(codings, "")
}

// qualityOf reads "q=0.5". A weight that is wrong counts as 0.
func qualityOf(weight string) float64 {
	key, value, found := strings.Cut(weight, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(key), "q") {
		return 1
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(q >= 0 && q <= 1) { // NaN too
		return 0
	}
	return q
}

// setTag gives a file its ETag: where there is no time to tell two versions
// apart, and where two codings of one version have to be told apart.
func (f *files) setTag(h http.Header, file fs.File, info fs.FileInfo, name, coding string) error {
	end := `"`
	if coding != "" {
		end = "-" + coding + `"`
	}
	if own, quoted := strings.CutSuffix(h.Get("ETag"), `"`); quoted { // a middleware's, the same for every coding
		h.Set("ETag", own+end)
		return nil
	}
	changed := info.ModTime()
	told := !changed.IsZero() && !changed.Equal(time.Unix(0, 0)) // as http.ServeContent sees it
	switch {
	case told && f.Precompressed:
		h.Set("ETag", fmt.Sprintf(`"%x-%x`, changed.UnixNano(), info.Size())+end)
	case !told:
		sum, err := f.sum(file, info, name+siblings[coding])
		if err != nil {
			return err
		}
		h.Set("ETag", `"`+sum+end)
	}
	return nil
}

// sum returns a hash of a file's bytes. Those of an embedded file cannot change,
// and its FileInfo is the same one whenever it is opened.
func (f *files) sum(file fs.File, info fs.FileInfo, name string) (string, error) {
	t := reflect.TypeOf(file)
	embedded := t.Kind() == reflect.Pointer && t.Elem().PkgPath() == "embed"
	if embedded {
		if sum, known := f.sums.Load(info); known {
			return sum.(string), nil
		}
	}
	again, err := f.FS.Open(name) // file may only be read once
	if err != nil {
		return "", err
	}
	defer again.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, again); err != nil {
		return "", err
	}
	sum := hex.EncodeToString(hash.Sum(nil)[:16])
	if embedded {
		f.sums.Store(info, sum)
	}
	return sum, nil
}

// setType sets the type of a file that is sent in a coding, whose bytes do not
// show it.
func (f *files) setType(h http.Header, name string) {
	if _, set := h["Content-Type"]; set {
		return
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = "application/octet-stream"
		if file, _, err := f.open(name); err == nil {
			head := make([]byte, 512) // as much as DetectContentType reads
			n, _ := io.ReadFull(file, head)
			kind = http.DetectContentType(head[:n])
			file.Close()
		}
	}
	h.Set("Content-Type", kind)
}

// A fileWriter sets the headers that depend on the status, which is
// http.ServeContent's to decide.
type fileWriter struct {
	http.ResponseWriter
	cacheControl string
	coding       string
	size         int64
}

func (w *fileWriter) WriteHeader(status int) {
	switch h := w.Header(); {
	case status >= 400: // 412 and 416 have a body of their own, or none
		if w.coding != "" {
			h.Del("Content-Encoding")
		}
	default:
		if w.cacheControl != "" {
			h.Set("Cache-Control", w.cacheControl)
		}
		if w.coding != "" && status == http.StatusOK { // left out by ServeContent where there is a Content-Encoding
			h.Set("Content-Length", strconv.FormatInt(w.size, 10))
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// ReadFrom keeps the way open to a connection that sends an *os.File by itself.
func (w *fileWriter) ReadFrom(r io.Reader) (int64, error) { return io.Copy(w.ResponseWriter, r) }

// seekable makes a file fit for http.ServeContent. One that can seek is handed
// on as it is, since net/http sends an *os.File without copying it. One that
// cannot even be read is an error now, when it can still be answered.
func seekable(file fs.File, size int64) (io.ReadSeeker, error) {
	if s, ok := file.(io.ReadSeeker); ok {
		if _, err := s.Seek(0, io.SeekStart); err == nil {
			var first [1]byte
			if _, err := s.Read(first[:]); err != nil && err != io.EOF {
				return nil, err
			}
			_, err := s.Seek(0, io.SeekStart)
			return s, err
		}
	}
	s := &stream{file: file, size: size, head: make([]byte, 512)}
	n, err := io.ReadFull(file, s.head)
	s.head, s.at = s.head[:n], int64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return s, err
}

// A stream is a file that can only be read from front to back. It seeks forward
// by reading over what is not wanted, and back within its head. That is enough
// for http.ServeContent to guess the type and to send one range.
type stream struct {
	file fs.File
	head []byte // what the type is guessed from
	size int64
	at   int64 // where file stands
	want int64 // what is read next
}

func (s *stream) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += s.want
	case io.SeekEnd:
		offset += s.size
	}
	if offset < 0 {
		return 0, fs.ErrInvalid
	}
	s.want = offset
	return offset, nil
}

func (s *stream) Read(p []byte) (int, error) {
	if s.want < int64(len(s.head)) {
		n := copy(p, s.head[s.want:])
		s.want += int64(n)
		return n, nil
	}
	if s.want < s.at {
		return 0, fs.ErrInvalid // ServeContent does not go back
	}
	n, err := io.CopyN(io.Discard, s.file, s.want-s.at)
	s.at += n
	if err != nil {
		return 0, err
	}
	got, err := s.file.Read(p)
	s.at += int64(got)
	s.want = s.at
	return got, err
}

var errRewritten = errors.New("segue: Static: a middleware has changed the request's path since it was matched")

// serve answers with what is found for a path's rest, or with the fallback if
// that answers the path.
func (f *files) serve(w http.ResponseWriter, r *http.Request, rest automaton.Path, fallsBack bool) error {
	name, slash := fileName(rest)
	if file := f.look(name).with(slash); file != "" {
		return f.send(w, r, file, f.CacheControl)
	}
	if !fallsBack {
		return fs.ErrNotExist
	}
	return f.send(w, r, f.Fallback, func(string) string {
		if _, set := w.Header()["Cache-Control"]; set {
			return ""
		}
		return "no-cache"
	})
}

// failFile hands an error of a file to the error list.
func failFile(w http.ResponseWriter, r *http.Request, err error) {
	if err == nil {
		return
	}
	dropFileHeaders(w.Header())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = errNotFound
	case errors.Is(err, fs.ErrPermission):
		err = fileError(http.StatusForbidden, err)
	default:
		err = fileError(http.StatusInternalServerError, err)
	}
	Fail(w, r, err)
}

// dropFileHeaders takes away what a middleware has set for a file, as
// http.FileServer does when it answers an error.
func dropFileHeaders(h http.Header) {
	for _, name := range []string{"Cache-Control", "Content-Encoding", "Etag", "Last-Modified"} {
		h.Del(name)
	}
}

// What follows is all that a route asks of its files, and they of the router.

// errNoFile is the errNotFound of a path that a Static was asked for. If nothing
// answers it, it goes out without the headers of a file.
var errNoFile = fmt.Errorf("segue: Static: %w", errNotFound)

// fileError is an error of the file system with a status. Its text, for the log,
// has quoted what a request may have put into a name.
func fileError(status int, err error) error {
	text := strconv.Quote(err.Error())
	return &statusError{status: status, message: http.StatusText(status), text: "Static: " + text[1:len(text)-1], wrapped: err}
}

// takes reports whether r answers a path that it matches. A Static answers only
// what it finds.
func (q *question) takes(r *route, path automaton.Path) bool {
	return r.registered.files == nil || q.file(r, path) != "" || r.fallsBack(q.hosts, path)
}

// file returns the file that answers a path of a Static, "" if there is none. All
// that one request asks of a Static, in both spellings, is one look.
func (q *question) file(r *route, path automaton.Path) string {
	f := r.registered.files
	name, slash := fileName(r.restOf(path))
	i := slices.IndexFunc(q.looks, func(fd found) bool { return fd.in == f && fd.name == name })
	if i < 0 {
		i = len(q.looks)
		q.looks = append(q.looks, f.look(name))
	}
	return q.looks[i].with(slash)
}

// fallsBack reports whether the fallback answers a path that has no file: not
// below the prefix of a router or of another Static that is better than r's.
func (r *route) fallsBack(hosts []*host, path automaton.Path) bool {
	prefix := r.pattern.segments[:len(r.pattern.segments)-1]
	if r.registered.files.Fallback == "" || looksLikeFile(r.restOf(path)) {
		return false
	}
	best := r.scope.snapshot.prefixOf(hosts, path)
	return best.hostKey() == r.pattern.hostKey() && !deeper(best.segments, prefix)
}

// deeper compares two prefixes of one path by rule 2: the leftmost difference
// decides, and a longer one lies inside.
func deeper(a, b []segment) bool {
	for i := range min(len(a), len(b)) {
		if a[i].kind != b[i].kind {
			return a[i].kind < b[i].kind
		}
	}
	return len(a) > len(b)
}

// restOf returns what follows the prefix in a path that r matches.
func (r *route) restOf(path automaton.Path) automaton.Path {
	for range len(r.pattern.segments) - 1 {
		path.Skip()
	}
	return path
}

// filesAt serves the files of a route.
type filesAt struct {
	*route
}

func (f filesAt) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := pathOf(r.URL)
	rest := f.restOf(path)
	// What the route was not matched by could be a file that another route guards.
	names := f.pattern.names()
	if r.Pattern == f.text && Param(r, names[len(names)-1]) != rest.Rest() {
		failFile(w, r, errRewritten)
		return
	}
	failFile(w, r, f.registered.files.serve(w, r, rest, f.fallsBack(f.scope.snapshot.of(r.Host), path)))
}

// serveAll serves files without a route, as [Route].Handler shows it: it takes
// the whole path for the rest.
func (f *files) serveAll(w http.ResponseWriter, r *http.Request) {
	path := pathOf(r.URL)
	failFile(w, r, f.serve(w, r, path, f.Fallback != "" && !looksLikeFile(path)))
}
