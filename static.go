package segue

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Static serves the files of fsys under a prefix, to GET and HEAD.
//
//	app.Static("/assets", os.DirFS("public"))    // /assets/css/a.css is public/css/a.css
//	app.Static("/", dist, "index.html")          // a single-page application
//
// The prefix is as for [Router.Mount], parameters and "/" included. The route
// is GET's for prefix/{path...}, and so r.Pattern shows it: it conflicts with
// what conflicts with that, middleware covers it, and Routes lists it. (Where
// the prefix has a parameter named path already, the rest is called path_.)
//
// # What is found
//
// A file is looked up by the very segments that the route was matched by, each
// decoded once, so that a request cannot name a file in a way that a guard on
// another route does not see. Not found is a segment that is empty, begins
// with a dot, or holds a slash, a backslash or NUL once it is decoded: neither
// /admin%2Fsecret.txt nor /x/%2e%2e/admin/secret.txt is admin/secret.txt, and
// .git and .env stay where they are. (What is in .well-known can be served from
// a Static with that prefix.) On Windows the same goes for a colon and other
// characters that no name has, a dot or a space at the end, device names as
// NUL, and short names as PROGRA~1. Beyond that, names are as for [fs.ValidPath].
//
// Files are regular files. A directory is its index.html, and is not found if
// it has none; nothing is ever listed. It is served under its final slash
// alone: without, the answer is a redirect there (307; query and encoding
// kept), whatever [Router.TrailingSlash] says, since the page's relative links
// begin at the slash. A file with a slash behind it is not found. /index.html
// is served as any file.
//
// What is not found is answered as if this route were not there: by a less
// specific route, with 405 where another method has the path, or by the
// NotFound of the router that owns the path. On the path of a file, other
// methods are 405, and OPTIONS is 204.
//
// # A fallback
//
// A fallback is the file, by its name in fsys, that answers where no file is
// found: with status 200, for paths whose last segment has no dot, as the page
// of a single-page application that has paths of its own. It does not answer for
// what a router with a prefix of its own covers (one that [Router.Mount] or
// [Router.Group] has put below this prefix, or at a better one by the rules of
// [Router]): /api/nope is the 404 of a router at /api. Routes registered
// without such a router have no territory, only paths.
//
// # What is sent
//
// Answers are those of [http.ServeContent], with its 206, 304, 412 and 416: the type
// by the name's extension or the first 512 bytes, Last-Modified where fsys has
// it (an [embed.FS] has none), ranges, no ETag. A file that is no [io.Seeker]
// is read as it is needed; a range that lies behind what was read opens it anew.
//
// A file that is gone between the look-up and the opening is an error of status
// 404 for [Fail]; any other failure of the file system, permissions included, one
// of status 500, which names the file in the log alone. A read that fails once
// the answer has begun cuts the connection short of Content-Length.
//
// # What it does not hide
//
// A guard on a router runs for the files that this route finds. What it does not
// find is another route's, which may be a Static without the guard, or a miss,
// which the guard does not see (see [Router.Use]); a redirect to a directory is a
// miss too. To close all of a prefix, give the guarded router a route for the rest:
//
//	admin := app.Group("/admin", requireAdmin)
//	admin.Static("/", reports)
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
// A file is looked up in fsys three times and then opened; a path that is not
// found is looked up a dozen times, in both spellings and for Allow. Nothing is
// kept from one request to the next, so that changes show at once. Other routes
// of the router pay nothing.
//
// # What it refuses
//
// Static panics with a *[PatternError] if the prefix is wrong, fsys is nil, or
// the fallback is not a regular file of fsys now: a page that a build has not made
// yet is found out at the start. It panics with a *[ConflictError] as the other
// methods do. More than one fallback is refused.
func (rt *Router) Static(prefix string, fsys fs.FS, fallback ...string) {
	at := caller()
	f := &files{fsys: fsys}
	p, err := parseStatic(prefix)
	if err == nil {
		err = f.configure(p.text, fallback)
	}
	if err != nil {
		err.place = at
		panic(err)
	}
	if err := rt.add(p, &route{handler: filesAt{files: f}, files: f, place: at}); err != nil {
		panic(err)
	}
}

// parseStatic parses the prefix and adds the rest.
func parseStatic(prefix string) (*pattern, *PatternError) {
	p, err := parsePrefix(prefix)
	if err != nil {
		return nil, err
	}
	if off := uncleanAt(prefix, 0); off >= 0 {
		return nil, &PatternError{Pattern: prefix, Offset: off, Reason: "an empty or dot segment never matches, since paths are cleaned first"}
	}
	rest, err := parseVerb(http.MethodGet, "/{path...}")
	if err != nil {
		return nil, err
	}
	rest.yields = true
	return joinPatterns(p, rest)
}

// makeWay gives the rest of a Static another name if a prefix has its name.
// The user has not chosen it, and so need not care for it.
func (p *pattern) makeWay(prefix []string) *pattern {
	last := len(p.segs) - 1
	old := p.segs[last].text
	name, taken := old, slices.Concat(prefix, p.names()[:len(p.names())-1])
	for slices.Contains(taken, name) {
		name += "_"
	}
	if name == old {
		return p
	}
	q := *p
	q.segs = slices.Clone(p.segs)
	q.segs[last].text = name
	q.text = strings.TrimSuffix(p.text, old+"...}") + name + "...}"
	q.path = strings.TrimSuffix(p.path, old+"...}") + name + "...}"
	return &q
}

// files is what a Static route serves.
type files struct {
	fsys     fs.FS
	fallback string // "" if there is none
}

// configure checks what Static was given.
func (f *files) configure(pattern string, fallback []string) *PatternError {
	refuse := func(format string, args ...any) *PatternError {
		return &PatternError{Pattern: pattern, Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case f.fsys == nil:
		return refuse(`the file system is nil; write os.DirFS("directory") for a directory`)
	case len(fallback) > 1:
		return refuse("there are %d fallbacks; at most one can answer", len(fallback))
	case len(fallback) == 0:
		return nil
	}
	f.fallback = fallback[0]
	if !fs.ValidPath(f.fallback) {
		return refuse("the fallback %q is not a name in a file system; write it without a slash in front and without dot segments, as index.html", f.fallback)
	}
	info, err := fs.Stat(f.fsys, f.fallback)
	switch {
	case err != nil:
		return refuse("the fallback %q cannot be served: %v", f.fallback, err)
	case !info.Mode().IsRegular():
		return refuse("the fallback %q is not a file", f.fallback)
	}
	return nil
}

// serveFiles makes l a leaf of Static, which answers only what it finds.
func (l *leaf) serveFiles(f *files) {
	l.flags |= isSlow
	l.ownOrigin().accepts = func(path segments) bool {
		_, found := f.look(l.restOf(path))
		return found != nothing || f.fallback != "" && !looksLikeFile(l.restOf(path)) && !l.covered(path)
	}
}

// hasFile reports whether a path is a file's own, and not a directory's that
// lacks its slash or one that the fallback answers.
func (l *leaf) hasFile(path segments) bool {
	_, found := l.entry().route.files.look(l.restOf(path))
	return found == there
}

// restOf returns what follows the prefix in a path that l matches.
func (l *leaf) restOf(path segments) segments {
	for range l.kept().depth() - 1 {
		path.cut()
	}
	return path
}

// covered reports whether a router with a better prefix than this route's owns
// the misses on a path.
func (l *leaf) covered(path segments) bool {
	// The root's table, not one of the leaf's own: leaves outlive their tables.
	owner := l.scope.root.last.Load().owners.walk(path)
	return owner != nil && betterPrefix(owner.ownText, l.kept().path()[:strings.LastIndexByte(l.kept().path(), '/')])
}

// betterPrefix compares the texts of two prefixes of one path by rule 2: the
// leftmost difference decides, and a longer one lies inside.
func betterPrefix(a, b string) bool {
	for a != "" && b != "" {
		endA, endB := slashFrom(a, 1), slashFrom(b, 1)
		if x, y := isWildcard(a[1:endA]), isWildcard(b[1:endB]); x != y {
			return y
		}
		a, b = a[endA:], b[endB:]
	}
	return a != ""
}

// looksLikeFile reports whether the last segment, a final slash aside, has a
// dot, as the name of a file.
func looksLikeFile(rest segments) (dot bool) {
	for {
		seg, ok := rest.next()
		if !ok {
			return dot
		}
		if seg != "" {
			dot = strings.Contains(seg, ".")
		}
	}
}

// finding is what a path comes to among the files.
type finding uint8

const (
	nothing finding = iota
	aside           // the directory is there, the path lacks its slash
	there           // a file, or one that the file system fails to tell of
)

const indexPage = "index.html"

// look finds the file that a path's rest stands for.
func (f *files) look(rest segments) (name string, found finding) {
	name, slash, ok := fileName(rest)
	if !ok {
		return "", nothing
	}
	if !slash {
		info, err := fs.Stat(f.fsys, name)
		if err != nil || !info.IsDir() {
			return name, f.judge(name, info, err)
		}
	}
	name = path.Join(name, indexPage)
	info, err := fs.Stat(f.fsys, name)
	found = f.judge(name, info, err)
	if found == there && !slash {
		found = aside
	}
	return name, found
}

// judge says what a look at a name has found. What is neither there nor clearly
// not there is claimed: an error to be seen, and not a page in its place.
func (f *files) judge(name string, info fs.FileInfo, err error) finding {
	if err != nil && f.missing(name, err) || err == nil && !info.Mode().IsRegular() {
		return nothing
	}
	return there
}

// missing reports whether an error of the file system only says that there is
// no such file. Systems have errors of their own, which are not fs.ErrNotExist,
// for a file where a directory should be and for a name that is too long.
func (f *files) missing(name string, err error) bool {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return true
	}
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		info, err := fs.Stat(f.fsys, name[:i])
		if err != nil {
			return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) || tooLong(name[:i])
		}
		if !info.IsDir() {
			return true
		}
	}
	return tooLong(name)
}

// tooLong reports whether no common file system has so long a name.
func tooLong(name string) bool { return len(path.Base(name)) > 255 }

// fileName returns the name in the file system, false if none can have it, and
// whether the path has a final slash.
func fileName(rest segments) (name string, slash, ok bool) {
	p := rest
	for {
		seg, more := p.next()
		if !more {
			break
		}
		if seg == "" && p.path == "" {
			slash = true
			break
		}
		if !servable(seg) {
			return "", false, false
		}
	}
	// No segment has a slash of its own: decoding them together is the same.
	name = strings.TrimSuffix(rest.remainder(), "/")
	if name == "" {
		return ".", slash, true
	}
	return name, slash, fs.ValidPath(name)
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

// filesAt serves files in one place of their route. Without a leaf, as
// [Route].Handler shows it, it takes the whole path for the rest.
type filesAt struct {
	*files
	leaf *leaf
}

var errRewritten = errors.New("segue: Static: a middleware has changed the request's path since it was matched")

func (f filesAt) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := pathOf(r.URL)
	rest := path
	if f.leaf != nil {
		rest = f.leaf.restOf(path)
		if f.leaf.rewritten(r, rest) {
			Fail(w, r, errRewritten)
			return
		}
	}
	err := fs.ErrNotExist
	if name, found := f.look(rest); found == there {
		err = f.send(w, r, name)
	} else if f.fallback != "" && (f.leaf == nil || f.leaf.accepts(path)) {
		err = f.send(w, r, f.fallback)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errNotFound
	}
	Fail(w, r, err)
}

// rewritten reports whether rest is not what the route was matched by. Served
// all the same, it could be a file that another route guards.
func (l *leaf) rewritten(r *http.Request, rest segments) bool {
	names := l.paramNames()
	return r.Pattern == l.text() && Param(r, names[len(names)-1]) != rest.remainder()
}

// send answers with a file. It returns an error only while nothing is written.
func (f *files) send(w http.ResponseWriter, r *http.Request, name string) error {
	file, err := f.fsys.Open(name)
	if err != nil {
		if f.missing(name, err) {
			return fs.ErrNotExist
		}
		return err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	var content io.ReadSeekCloser
	if err == nil {
		content, err = f.content(name, file, info.Size())
	}
	if err != nil {
		file.Close()
		return err
	}
	defer content.Close()
	http.ServeContent(w, r, path.Base(name), info.ModTime(), content)
	return nil
}

// content makes a file fit for http.ServeContent. One that can seek is handed
// on as it is, since net/http sends an *os.File without copying it. One that
// cannot even be read is an error now, when it can still be answered.
func (f *files) content(name string, file fs.File, size int64) (io.ReadSeekCloser, error) {
	s, ok := file.(io.ReadSeekCloser)
	if ok {
		_, err := s.Seek(0, io.SeekStart)
		ok = err == nil
	}
	if !ok {
		return newStream(file, size, func() (fs.File, error) { return f.fsys.Open(name) })
	}
	var first [1]byte
	if _, err := s.Read(first[:]); err != nil && err != io.EOF {
		return nil, err
	}
	_, err := s.Seek(0, io.SeekStart)
	return s, err
}

// A stream can seek in a file that is only read from front to back, by reading
// over what is not wanted, and by opening it anew to go back.
type stream struct {
	mu     sync.Mutex // ServeContent may read on in a goroutine after it has returned
	file   fs.File
	reopen func() (fs.File, error)
	closed bool
	head   []byte // what the type is guessed from, so that this does not open the file twice
	size   int64
	at     int64 // where file stands
	want   int64 // what is read next
}

func newStream(file fs.File, size int64, reopen func() (fs.File, error)) (*stream, error) {
	s := &stream{file: file, size: size, reopen: reopen, head: make([]byte, 512)}
	n, err := io.ReadFull(file, s.head)
	s.head, s.at = s.head[:n], int64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return s, err
}

func (s *stream) Seek(offset int64, whence int) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, fs.ErrClosed
	}
	if s.want < int64(len(s.head)) {
		n := copy(p, s.head[s.want:])
		s.want += int64(n)
		return n, nil
	}
	if err := s.catchUp(); err != nil {
		return 0, err
	}
	n, err := s.file.Read(p)
	s.at += int64(n)
	s.want = s.at
	return n, err
}

// catchUp brings the file to where the next read begins.
func (s *stream) catchUp() error {
	if s.at > s.want {
		file, err := s.reopen()
		if err != nil {
			return err
		}
		s.file.Close()
		s.file, s.at = file, 0
	}
	n, err := io.CopyN(io.Discard, s.file, s.want-s.at)
	s.at += n
	return err
}

func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.file.Close()
}
