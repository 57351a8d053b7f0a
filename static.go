package segue

// This file has Static, the route for files: which paths it takes, and which of
// them are the fallback's. What a name stands for and how a file is sent is
// internal/sendfile's, which knows nothing of routes.

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/segue-go/segue/internal/automaton"
	"github.com/segue-go/segue/internal/sendfile"
)

// Files says which files [Router.Static] serves, and how. Only FS is required.
//
//	segue.Files{FS: os.DirFS("public")}
//	segue.Files{FS: dist, Fallback: "index.html", Precompressed: true}
type Files struct {
	// FS holds the files.
	FS fs.FS

	// Fallback is the name of a file in FS, such as "index.html", that answers
	// if no file is found: the page of a single-page application. See
	// [Router.Static] for the paths that it does not answer.
	Fallback string

	// Precompressed sends app.js.br, app.js.zst or app.js.gz in place of app.js
	// if the file is there and Accept-Encoding prefers it. Among equal
	// qualities the order is br, zst, gz.
	Precompressed bool

	// Extension is added to the name if there is no such file: with ".html",
	// /about is about.html.
	Extension string

	// CacheControl returns the Cache-Control of a file that is served, by its
	// name in FS. It replaces what a middleware has set, unless it returns "".
	// It is not called for the fallback, an error or a redirect.
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
// system is not a directory that can be read, if Fallback is not a regular file in
// it, or if Extension is not a file extension. So a missing directory, or a page
// that has not been built yet, is found at the start. Static panics with a
// *[ConflictError] as the other methods do.
//
// A file that is gone when it is opened is an error of status 404 for [Fail]. A
// file that must not be read ([fs.ErrPermission]) is an error of status 403. Any
// other failure of the file system is an error of status 500. Only the log names
// the file. A read that fails once the answer has begun cuts the connection short of
// Content-Length. Errors go out without the Cache-Control, ETag, Last-Modified and
// Content-Encoding that a middleware has set. So does the 404 for a file that is
// not found, if no NotFound and no OnError answers it.
//
// # What is found
//
// A path's segments, each decoded once, are the file's name. They are the very
// segments that the route was matched by, so a request cannot name a file in a
// way that a guard on another route does not see. A segment is not found if it is
// empty, begins with a dot, or holds a slash, a backslash or NUL once it is
// decoded. So neither /admin%2Fsecret.txt nor /x/%2e%2e/admin/secret.txt is
// admin/secret.txt, and .git and .env are never sent. (To serve what is in
// .well-known, register a Static with that prefix.) On Windows a segment is also
// not found if it holds a colon or another character that no name has, ends in a
// dot or a space, or is the name of a device such as NUL or a short name such as
// PROGRA~1. A name that is too long for the system is not found.
//
// Only regular files are sent. The order is: the file, the file with Extension,
// the directory. A directory is its index.html, and is not found without one. No
// directory is listed. A directory is served under its final slash. Without the
// slash the answer is a redirect to it (307; query and encoding kept), whatever
// [Router.TrailingSlash] says, because the page's relative links begin at the
// slash. A file with a slash after its name is not found. /index.html is served
// like any other file.
//
// A path that is not found is answered as if this route were not there: by a less
// specific route, with 405 if another method has the path, or by the NotFound of
// the router in whose territory the path lies. On the path of a file, other methods
// are 405, and OPTIONS is 204.
//
// # The fallback
//
// The fallback answers, with status 200, a path that names no file and whose
// last segment has no dot. It is sent with "Cache-Control: no-cache" unless a
// middleware has set Cache-Control. It does not answer below the prefix of
// another Static or of a router that [Router.Mount] or [Router.Group] has put
// there, if that prefix is deeper than its own or better by the rules of the package
// comment ("Which route wins"): /api/nope is the 404 of a router at /api, and
// /assets/nope is the 404 of a Static at /assets. Routes that are registered without such a router do not
// keep the fallback out.
//
// # What is sent
//
// The answers are those of [http.ServeContent], with its 206, 304, 412 and 416, but a
// Range in a unit other than bytes is ignored. The type follows from the name's
// extension, or from the first 512 bytes. Last-Modified is the file system's time. If
// it has none, like [embed.FS], or one before 1981, as archives and reproducible builds
// write it, the file has a strong ETag made from its bytes.
//
// With Precompressed every file, and its 304, 412 and 416, has "Vary: Accept-Encoding"
// and a strong ETag, which differs for each encoding. Ranges are those of the
// encoding that is sent. Content-Encoding that a middleware has set turns
// Precompressed off for the request.
//
// A file that is not an [io.Seeker] is read from front to back. A request for more
// than one range of such a file gets the whole file (200).
//
// # What it does not hide
//
// A guard on a router runs for the files that this route finds, for redirects to
// its directories, and for paths below the router's prefix that no route has. It
// does not run for other routes, such as those of a Static without the guard. To
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
// # Costs
//
// A path that names no file costs at most three calls of the file system, however
// long it is. Finding a file takes at most three calls, before the middleware and again
// after it. Opening it takes one. With Precompressed, each encoding
// that is tried costs one more. Nothing is remembered from one request to the
// next, so changes show at once. The exception is an ETag made from the bytes of an
// [embed.FS], which cannot change; for another file system without times it is made
// for each request, and the file is read twice. Other routes pay nothing.
func (rt *Router) Static(prefix string, files Files) {
	tree := &sendfile.Tree{
		FS: files.FS, Fallback: files.Fallback, Precompressed: files.Precompressed, Extension: files.Extension, CacheControl: files.CacheControl,
	}
	p, err := parseStatic(prefix)
	if err == nil {
		if wrong := tree.Check(); wrong != nil {
			err = &PatternError{Pattern: p.text, Reason: wrong.Error()}
		}
	}
	// As Route.Handler shows it, there is no route: the whole path is the rest.
	alone := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := pathOf(r.URL)
		serveFile(w, r, tree, path, tree.Fallback != "" && !looksLikeFile(path))
	})
	rt.register(&registration{pattern: p, handler: alone, files: tree}, err)
}

// parseStatic parses the prefix and adds the rest.
func parseStatic(prefix string) (*pattern, *PatternError) {
	p, err := parsePrefix(prefix)
	if err != nil {
		return nil, err
	}
	rest, err := parseVerb(http.MethodGet, "/{path...}")
	if err != nil {
		return nil, err
	}
	rest.static = true
	return p.join(rest)
}

// fileName returns the name in the file system that a path's rest stands for, ""
// if there can be none, and whether the path has a final slash.
func fileName(rest automaton.Path) (name string, slash bool) {
	slash = strings.HasSuffix(rest.Text, "/")
	if len(rest.Text) <= len("/") {
		return ".", slash
	}
	name = rest.Rest()
	encoded := strings.Count(name, "/")+1 > strings.Count(rest.Text, "/") // a segment has a slash of its own
	if name = strings.TrimSuffix(name, "/"); encoded || !sendfile.Valid(name) {
		return "", slash
	}
	return name, slash
}

// looksLikeFile reports whether the last segment, a final slash aside, has a
// dot, as the name of a file.
func looksLikeFile(rest automaton.Path) bool {
	rest.Text = strings.TrimRight(rest.Text, "/")
	rest.Text = rest.Text[max(0, strings.LastIndexByte(rest.Text, '/')):]
	return strings.Contains(rest.Rest(), ".")
}

// takes reports whether r answers a path that it matches. A Static answers only
// what it finds.
func (q *question) takes(r *route, path automaton.Path) bool {
	return r.registered.files == nil || q.file(r, path) != "" || r.fallsBack(q.host, path)
}

// file returns the file that answers a path of a Static, "" if there is none. All
// that one request asks of a Static, in both spellings, is one look.
func (q *question) file(r *route, path automaton.Path) string {
	tree := r.registered.files
	name, slash := fileName(r.restOf(path))
	i := slices.IndexFunc(q.files, func(f sendfile.Found) bool { return f.Tree == tree && f.Name == name })
	if i < 0 {
		i = len(q.files)
		q.files = append(q.files, tree.Find(name))
	}
	return q.files[i].With(slash)
}

// fallsBack reports whether the fallback answers a path that has no file: not
// below the prefix of a router or of another Static that is better than r's.
func (r *route) fallsBack(first *host, path automaton.Path) bool {
	prefix := r.pattern.segments[:len(r.pattern.segments)-1]
	if r.registered.files.Fallback == "" || looksLikeFile(r.restOf(path)) {
		return false
	}
	best := r.scope.snapshot.prefixOf(first, path)
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

// serveFiles serves the files of a route.
func (r *route) serveFiles(w http.ResponseWriter, req *http.Request) {
	path := pathOf(req.URL)
	rest := r.restOf(path)
	// What the route was not matched by could be a file that another route guards.
	names := r.pattern.names()
	if req.Pattern == r.text && Param(req, names[len(names)-1]) != rest.Rest() {
		failFile(w, req, errRewritten)
		return
	}
	serveFile(w, req, r.registered.files, rest, r.fallsBack(r.scope.snapshot.of(req.Host), path))
}

var errRewritten = errors.New("segue: Static: a middleware has changed the request's path since it was matched")

// serveFile answers with the file that a path's rest names, or with the fallback
// if that answers the path.
func serveFile(w http.ResponseWriter, r *http.Request, tree *sendfile.Tree, rest automaton.Path, fallback bool) {
	name, slash := fileName(rest)
	if err := tree.Serve(w, r, name, slash, fallback); err != nil {
		failFile(w, r, err)
	}
}

// failFile hands an error of a file to the error list. The text for the log has
// quoted what a request may have put into a name.
func failFile(w http.ResponseWriter, r *http.Request, err error) {
	sendfile.DropHeaders(w.Header())
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		Fail(w, r, errNotFound)
		return
	case errors.Is(err, fs.ErrPermission):
		status = http.StatusForbidden
	}
	text := strconv.Quote(err.Error())
	Fail(w, r, &statusError{status: status, message: http.StatusText(status), text: "Static: " + text[1:len(text)-1], wrapped: err})
}

// errNoFile is the errNotFound of a path that a Static was asked for. If nothing
// answers it, it goes out without the headers of a file.
var errNoFile = fmt.Errorf("segue: Static: %w", errNotFound)
