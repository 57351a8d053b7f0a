package segue_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

var changed = time.Date(2024, 5, 17, 10, 0, 0, 0, time.UTC)

// tree is a file system in which each file's content is its name.
func tree(names ...string) fstest.MapFS {
	all := fstest.MapFS{}
	for _, name := range names {
		all[name] = &fstest.MapFile{Data: []byte(name), Mode: 0o644, ModTime: changed}
	}
	return all
}

// site has what should be served beside what should not.
var site = tree(
	"index.html", "a.txt", "noext", "css/site.css", "with space.txt", "ä.txt", "a..b.txt", "50%.txt", "a%2Fb.txt", "a:b.txt",
	"dir/index.html", "dir/b.txt", "folder.d/index.html", "bare/c.txt", "odd/index.html/x.txt",
	"admin/index.html", "admin/secret.txt", "admin/secret",
	".env", ".git/config", "dir/.hidden", ".well-known/x.txt", "..dots.txt", "dir/...", `back\slash.txt`,
)

// siteAnswers is what each request for site below /assets comes to, as
// "status body" or "307 Location".
var siteAnswers = map[string]string{
	"GET /assets/a.txt":                       "200 a.txt",
	"GET /assets/noext":                       "200 noext",
	"GET /assets/css/site.css":                "200 css/site.css",
	"GET /assets/with%20space.txt":            "200 with space.txt",
	"GET /assets/%C3%A4.txt":                  "200 ä.txt",
	"GET /assets/ä.txt":                       "200 ä.txt",
	"GET /assets/a..b.txt":                    "200 a..b.txt",
	"GET /assets/50%25.txt":                   "200 50%.txt",
	"GET /assets/%61%2Etxt":                   "200 a.txt",
	"GET /%61ssets/a.txt":                     "200 a.txt",
	"GET /assets/a.txt?x=/../..":              "200 a.txt",
	"HEAD /assets/a.txt":                      "200 ",
	"GET /assets/bare/c.txt":                  "200 bare/c.txt",
	"GET /assets/index.html":                  "200 index.html",
	"GET /assets/dir/index.html":              "200 dir/index.html",
	"GET /assets/":                            "200 index.html",
	"GET /assets/dir/":                        "200 dir/index.html",
	"HEAD /assets/dir/":                       "200 ",
	"GET /assets/folder.d/":                   "200 folder.d/index.html",
	"GET /assets":                             "307 /assets/",
	"GET /assets/dir":                         "307 /assets/dir/",
	"HEAD /assets/dir":                        "307 /assets/dir/",
	"GET /assets/d%69r?q=%20&r":               "307 /assets/d%69r/?q=%20&r",
	"GET /assets//dir?q":                      "307 /assets/dir/?q",
	"GET /assets//a.txt":                      "307 /assets/a.txt",
	"GET /assets/dir/../a.txt":                "307 /assets/a.txt",
	"GET /assets/a.txt/":                      "404",
	"GET /assets/a.txt/x":                     "404",
	"GET /assets/a.txt/index.html":            "404",
	"GET /assets/nope":                        "404",
	"GET /assets/A.TXT":                       "404",
	"GET /assets/bare":                        "404",
	"GET /assets/bare/":                       "404",
	"GET /assets/odd/":                        "404",
	"GET /assets/odd":                         "404",
	"GET /assets/odd/index.html":              "404",
	"POST /assets/a.txt":                      "405 GET, HEAD, OPTIONS",
	"DELETE /assets/dir/":                     "405 GET, HEAD, OPTIONS",
	"PUT /assets/dir":                         "405 GET, HEAD, OPTIONS",
	"BREW /assets/":                           "405 GET, HEAD, OPTIONS",
	"OPTIONS /assets/a.txt":                   "204 GET, HEAD, OPTIONS",
	"OPTIONS /assets/dir/":                    "204 GET, HEAD, OPTIONS",
	"OPTIONS /assets/nope":                    "404",
	"POST /assets/nope":                       "404",
	"POST /assets/bare/":                      "404",
	"GET /assetsa.txt":                        "404",
	"GET /":                                   "404",
	"GET /assets/" + strings.Repeat("x", 1e5): "404",
}

func TestStatic(t *testing.T) {
	app := segue.New()
	app.Static("/assets", site)
	if runtime.GOOS != "windows" { // where a colon begins a stream
		answers(t, app, map[string]string{"GET /assets/a:b.txt": "200 a:b.txt"})
	}
	for request, want := range siteAnswers {
		w := ask(t, app, request)
		got := fmt.Sprint(w.Code)
		switch {
		case w.Code == 307:
			got += " " + w.Header().Get("Location")
		case w.Header().Get("Allow") != "":
			got += " " + w.Header().Get("Allow")
		case w.Code == 200:
			got += " " + w.Body.String()
		}
		assert.Equal(t, want, got, request)
	}
}

// attacks are targets below a prefix, none of which may be served.
var attacks = []string{
	"admin%2Fsecret.txt", "admin%2fsecret.txt", "admin%5Csecret.txt", "x/%2e%2e/admin/secret.txt", "%2e%2e/secret.txt",
	"x/..%2fadmin/secret.txt", "..%2f..%2fetc/passwd", "%2e%2e%2f%2e%2e%2fetc/passwd", "..%5c..%5csecret.txt",
	"admin%252Fsecret.txt", "%252e%252e/admin/secret.txt", "admin/secret.txt%00", "admin/secret.txt%00.html", "%00admin/secret.txt",
	"admin/secret%2Etxt/", "admin/secret.txt%2F", "admin/secret.txt%20", "admin%2F", "admin%2F/secret.txt", "%2Fadmin/secret.txt",
	".env", "%2eenv", "%2Eenv", ".git/config", "%2egit/config", "dir/.hidden", "dir/%2ehidden", "..dots.txt", "dir/...", "dir/%2e%2e%2e",
	".well-known/x.txt", `back%5Cslash.txt`, "back%255Cslash.txt", "a%2Fb.txt", "dir%2Findex.html", "dir%2F", "%2F", "%2e", "%2e/", "%2e%2e", "%2e%2e/",
	"%ff.txt", "a.txt%ff", "%c0%ae%c0%ae/admin/secret.txt", "%c0%afadmin", "admin%c0%afsecret.txt", "%EF%BC%8Fadmin", "..%c0%af",
	"C:/windows/win.ini", "a.txt::$DATA", "file:///etc/passwd", "~root", "~/.env", "%7e/a.txt", "nul", "con.txt",
	strings.Repeat("a", 300), strings.Repeat("a/", 5000), strings.Repeat("%2e%2e%2f", 3000), strings.Repeat("x", 70000) + ".txt",
}

func TestStaticAttacks(t *testing.T) {
	dir := onDisk(t, "a.txt", "index.html", "admin/secret.txt", "dir/index.html", ".env", ".git/config")
	for name, fsys := range map[string]fs.FS{"map": site, "disk": os.DirFS(dir)} {
		for _, prefix := range []string{"/", "/assets", "/{tenant}"} {
			app := segue.New()
			app.Static(prefix, fsys)
			for _, attack := range attacks {
				target := strings.Replace(strings.TrimSuffix(prefix, "/"), "{tenant}", "acme", 1) + "/" + attack
				for _, method := range []string{"GET", "HEAD"} {
					// net/http answers what cannot be parsed as a URL.
					w := ask(t, app, method+" "+target)
					assert.Contains(t, []int{404, 307}, w.Code, "%s, %s: %.100s", name, method, target)
					assert.NotContains(t, w.Body.String(), "secret\n")
					if w.Code == 307 { // a clean path, not a file
						assert.NotContains(t, w.Header().Get("Location"), "secret", target)
					}
				}
			}
		}
	}
}

// onDisk writes files whose content is their name into a new directory.
func onDisk(t *testing.T, names ...string) string {
	dir := t.TempDir()
	for _, name := range names {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(name), 0o644))
	}
	return dir
}

// refuses is a guard that lets nobody through.
func refuses(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "who are you?", http.StatusUnauthorized)
	})
}

// Two Statics over one tree, with a guard on a part of it: no spelling of a
// path gets around it.
func TestStaticGuard(t *testing.T) {
	admin, err := fs.Sub(site, "admin")
	require.NoError(t, err)
	for name, register := range map[string]func(*segue.Router){
		"group": func(app *segue.Router) { app.Group("/admin", refuses).Static("/", admin) },
		"with":  func(app *segue.Router) { app.With(refuses).Static("/admin", admin) },
		"mount": func(app *segue.Router) {
			sub := segue.New()
			sub.Static("/", admin)
			sub.Use(refuses)
			app.Mount("/admin", sub)
		},
	} {
		app := segue.New()
		app.Static("/", site, "index.html")
		register(app)
		answers(t, app, map[string]string{
			"GET /admin/secret.txt":      "401",
			"GET /admin/secret":          "401",
			"GET /%61dmin/s%65cret":      "401",
			"GET /admin/":                "401",
			"GET /admin/index.html":      "401",
			"HEAD /admin/secret.txt":     "401",
			"POST /admin/secret.txt":     "401",
			"OPTIONS /admin/secret.txt":  "401",
			"GET /a.txt":                 "200 a.txt",
			"GET /admin%2Fsecret.txt":    "404",
			"GET /admin%2Fsecret":        "200 index.html",
			"GET /x/..%2Fadmin/secret":   "200 index.html",
			"GET /x%2F..%2Fadmin/secret": "200 index.html",
		})
		for _, attack := range attacks {
			w := ask(t, app, "GET /"+attack)
			assert.False(t, w.Code == 200 && strings.Contains(w.Body.String(), "secret"), "%s: %s", name, attack)
		}
	}
}

// What a path is looked up by is what was matched: a middleware that rewrites
// the path behind the guard's back does not reach another file.
func TestStaticPathRewritten(t *testing.T) {
	log := quiet(t)
	app := segue.New()
	rewrite := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path, r.URL.RawPath = "/admin/secret.txt", ""
			next.ServeHTTP(w, r)
		})
	}
	app.With(rewrite).Static("/", site)
	r := httptest.NewRequest("GET", "/a.txt", nil)
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	assert.Equal(t, 500, w.Code)
	assert.Equal(t, "Internal Server Error\n", w.Body.String())
	assert.Contains(t, log.String(), "a middleware has changed the request's path since it was matched")
}

// What is not found is another route's: less specific ones in the order of
// rule 2, Statics among them, then 405, then the owner's NotFound.
func TestStaticPassesOn(t *testing.T) {
	app := segue.New()
	app.Static("/x/y", tree("one.txt"))
	app.Static("/x", tree("one.txt", "y/two.txt", "y/dir/index.html"))
	app.Static("/{p}", tree("y/three.txt", "one.txt", "two.txt"))
	app.Static("/", tree("x/y/four.txt", "y/dir/index.html"))
	app.GET("/{a}/{b}/exact", shows)
	app.GET("/x/five.txt", shows)
	app.POST("/x/{file}", shows)
	app.HandleFunc("PUT /", shows)
	app.NotFound(lost("app"))
	answers(t, app, map[string]string{
		"GET /x/y/one.txt":   "200 one.txt",
		"GET /x/y/two.txt":   "200 y/two.txt",
		"GET /x/y/three.txt": "200 y/three.txt",
		"GET /x/y/four.txt":  "200 x/y/four.txt",
		"GET /x/y/exact":     "200 GET /{a}/{b}/exact a=x b=y",
		"GET /z/one.txt":     "200 one.txt",
		"GET /x/five.txt":    "200 GET /x/five.txt",
		"POST /x/one.txt":    "200 POST /x/{file} file=one.txt",
		"POST /x/y/one.txt":  "405",
		"PUT /x/y/one.txt":   "200 PUT /",
		"GET /x/y/dir":       "307",
		"GET /x/y/dir/":      "200 y/dir/index.html",
		"GET /x/six.txt":     "405",
		"GET /q/y/six.txt":   "405", // PUT / has every path
	})
	assert.Equal(t, "GET, HEAD, OPTIONS, POST, PUT", ask(t, app, "DELETE /x/one.txt").Header().Get("Allow"))
	assert.Equal(t, "OPTIONS, POST, PUT", ask(t, app, "GET /x/six.txt").Header().Get("Allow"))

	app = segue.New()
	app.Static("/x", site)
	app.NotFound(lost("app"))
	answers(t, app, map[string]string{"GET /x/nope": `418 app [] ""`, "GET /x/.env": `418 app [] ""`})
}

// Routes on the very same path answer where the files do not: one for any
// method, and others' in Allow and OPTIONS.
func TestStaticBesideRoutesOnItsPath(t *testing.T) {
	app := segue.New()
	app.Static("/", tree("a.txt", "dir/index.html"))
	app.Any("/{old...}", shows)
	answers(t, app, map[string]string{
		"GET /a.txt":     "200 a.txt",
		"GET /nope":      "200 /{old...} old=nope",
		"HEAD /nope":     "200",
		"POST /a.txt":    "200 /{old...} old=a.txt",
		"OPTIONS /a.txt": "200 /{old...} old=a.txt",
		"GET /dir":       "307",
		"GET /":          "200 /{old...} old=",
	})
	assert.Contains(t, app.Explain(httptest.NewRequest("GET", "/nope", nil)).String(), `{old...} = "nope"`)

	app = segue.New()
	app.Static("/s", tree("a.txt"))
	app.HandleFunc("DELETE /s/{p...}", shows)
	app.POST("/s/{q...}", shows)
	answers(t, app, map[string]string{
		"GET /s/nope":     "405",
		"GET /s/a.txt":    "200 a.txt",
		"DELETE /s/nope":  "200 DELETE /s/{p...} p=nope",
		"OPTIONS /s/nope": "204",
		"PUT /s/nope":     "405",
	})
	assert.Equal(t, "DELETE, OPTIONS, POST", ask(t, app, "PUT /s/nope").Header().Get("Allow"))
	assert.Equal(t, "DELETE, GET, HEAD, OPTIONS, POST", ask(t, app, "PUT /s/a.txt").Header().Get("Allow"))

	app = segue.New()
	app.Static("/s", tree("a.txt"))
	app.HandleFunc("DELETE /s/{p...}", shows) // has no automatic OPTIONS, and gets none from files that are not there
	answers(t, app, map[string]string{"OPTIONS /s/nope": "405", "OPTIONS /s/a.txt": "204"})
	assert.Equal(t, "DELETE", ask(t, app, "OPTIONS /s/nope").Header().Get("Allow"))
}

// A file that is there is not given up for a route at the other spelling of its
// path; one that only the fallback answers is.
func TestStaticBesideOtherSpellings(t *testing.T) {
	app := segue.New()
	app.Static("/", site, "index.html")
	app.GET("/noext/", shows)
	app.GET("/deep/", shows)
	app.GET("/dir", shows)
	answers(t, app, map[string]string{
		"GET /noext":  "200 noext",
		"GET /noext/": "200 GET /noext/{$}",
		"GET /deep":   "307",
		"GET /deep/":  "200 GET /deep/{$}",
		"GET /dir":    "200 GET /dir",
		"GET /dir/":   "200 dir/index.html",
	})
}

func TestStaticFallback(t *testing.T) {
	app := segue.New()
	app.Static("/", site, "index.html")
	api := app.Group("/api")
	api.GET("/users", shows)
	api.POST("/login", shows)
	api.NotFound(lost("api"))
	app.Mount("/empty", segue.New())
	app.Mount("/plain", http.HandlerFunc(shows))
	app.POST("/form", shows)
	answers(t, app, map[string]string{
		"GET /":                "200 index.html",
		"GET /deep/link":       "200 index.html",
		"HEAD /deep/link":      "200",
		"GET /deep/link/":      "200 index.html",
		"GET /deep.link/x":     "200 index.html",
		"GET /bare":            "200 index.html",
		"GET /bare/":           "200 index.html",
		"GET /group%2Fproject": "200 index.html",
		"GET /%00":             "200 index.html",
		"GET /.git/config":     "200 index.html", // the page, not the file
		"GET /a.txt":           "200 a.txt",
		"GET /a.txt/":          "404",
		"GET /nope.js":         "404",
		"GET /nope%2ejs":       "404",
		"GET /.env":            "404",
		"GET /dir":             "307",
		"POST /deep/link":      "405",
		"OPTIONS /deep/link":   "204",
		"GET /form":            "200 index.html",
		"POST /form":           "200 POST /form",
		"PUT /form":            "405",
		"GET /api/users":       "200 GET /api/users",
		"GET /api/nope":        `418 api [] ""`,
		"GET /api":             `418 api [] ""`,
		"GET /api/login":       "405",
		"DELETE /api/users":    "405",
		"GET /apis":            "200 index.html",
		"GET /empty/x":         "404",
		"GET /plain/x":         "200 /plain/",
	})
}

// Whose territory a path is goes by the prefixes, not by which router has the
// Static.
func TestStaticFallbackTerritory(t *testing.T) {
	app := segue.New()
	app.Static("/{tenant}", tree("one.html"), "one.html")
	app.Static("/app/ui", tree("two.html"), "two.html")
	app.Group("/app")                          // above the second, at a better prefix than the first
	app.Group("/{t}/inner")                    // below the first
	app.Group("/").Static("/s", site, "noext") // a router at the same place
	app.Group("/s/")
	sub := segue.New()
	sub.Static("/", tree("three.html"), "three.html")
	sub.Group("/in")
	app.Mount("/sub", sub)
	answers(t, app, map[string]string{
		"GET /acme/x":       "200 one.html",
		"GET /acme":         "307",
		"GET /acme/":        "200 one.html",
		"GET /acme/inner/x": "404",
		"GET /app/x":        "404",
		"GET /app/ui/x":     "200 two.html",
		"GET /app/ui":       "307",
		"GET /s/x":          "200 noext",
		"GET /sub/x":        "200 three.html",
		"GET /sub":          "307",
		"GET /sub/in/x":     "404",
		"GET /sub/in":       "404",
		"GET /in/x":         "200 one.html",
	})
}

func TestStaticUnderMounts(t *testing.T) {
	app, sub := segue.New(), segue.New()
	sub.Static("/", site)
	sub.Static("/more", tree("m.txt"))
	app.Mount("/one", sub)
	app.Mount("/{path}/two", sub)
	answers(t, app, map[string]string{
		"GET /one/a.txt":        "200 a.txt",
		"GET /one/more/m.txt":   "200 m.txt",
		"GET /one/":             "200 index.html",
		"GET /one/dir/":         "200 dir/index.html",
		"GET /z/two/a.txt":      "200 a.txt",
		"GET /z%2F/two/a.txt":   "200 a.txt",
		"GET /z/two/more/m.txt": "200 m.txt",
		"GET /one":              "307",
		"GET /z/two":            "307",
	})
	assert.Equal(t, "/one/", ask(t, app, "GET /one").Header().Get("Location"))
	assert.Equal(t, "/%7a/two/dir/?q=1", ask(t, app, "GET /%7a/two/dir?q=1").Header().Get("Location"))
	answers(t, sub, map[string]string{"GET /a.txt": "200 a.txt", "GET /one/a.txt": "404"})

	var listed []string
	for r := range app.Routes() {
		listed = append(listed, r.Pattern)
	}
	assert.Equal(t, []string{"GET /one/more/{path...}", "GET /one/{path...}", "GET /{path}/two/more/{path_...}", "GET /{path}/two/{path_...}"}, listed)
}

// The parameters of the prefix and the rest can be read in middleware.
func TestStaticParameters(t *testing.T) {
	for _, values := range []bool{true, false} {
		app := segue.New()
		app.PathValues(values)
		app.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Saw", fmt.Sprintf("%s %s %s", r.Pattern, segue.Param(r, "tenant"), segue.Param(r, "path")))
				next.ServeHTTP(w, r)
			})
		})
		app.Static("/t/{tenant}/:path_/files", site)
		app.Static("/e/:path", site)
		w := ask(t, app, "GET /t/a%2Fc/x/files/dir/b.txt")
		assert.Equal(t, "200 dir/b.txt", fmt.Sprint(w.Code, " ", w.Body))
		assert.Equal(t, "GET /t/{tenant}/{path_}/files/{path...} a/c dir/b.txt", w.Header().Get("Saw"))
		w = ask(t, app, "GET /e/outer/a.txt")
		assert.Equal(t, "GET /e/{path}/{path_...}  outer", w.Header().Get("Saw"))
		assert.Equal(t, "a.txt", w.Body.String())
	}
}

// A directory is under its slash, whatever is set for the spellings of routes.
func TestStaticUnderSettings(t *testing.T) {
	for _, policy := range []segue.SlashPolicy{segue.SlashRedirect, segue.SlashExact, segue.SlashEither} {
		for _, clean := range []bool{true, false} {
			app := segue.New()
			app.TrailingSlash(policy)
			app.CleanPath(clean)
			app.PathValues(false)
			app.Static("/s", site)
			app.Group("/g").Static("/", site)
			for _, prefix := range []string{"/s", "/g"} {
				for target, want := range map[string]string{
					"":                         "307 /",
					"/":                        "200 index.html",
					"/a.txt":                   "200 a.txt",
					"/a.txt/":                  "404",
					"/dir":                     "307 /dir/",
					"/dir/":                    "200 dir/index.html",
					"//a.txt":                  "307 /a.txt",
					"//dir":                    "307 /dir/",
					"/dir/../admin/secret.txt": "307 /admin/secret.txt",
					"/./a.txt":                 "307 /a.txt",
					"/%2e/a.txt":               "404",
				} {
					w := ask(t, app, "GET "+prefix+target)
					got := fmt.Sprint(w.Code)
					switch w.Code {
					case 200:
						got += " " + w.Body.String()
					case 307:
						got += " " + strings.TrimPrefix(w.Header().Get("Location"), prefix)
					}
					assert.Equal(t, want, got, "%v, CleanPath(%v): %s", policy, clean, prefix+target)
				}
			}
		}
	}
}

// Beside routes with hosts, and with a fallback, nothing differs.
func TestStaticBesideHosts(t *testing.T) {
	app := segue.New()
	app.HandleFunc("example.org/a.txt", shows)
	app.HandleFunc("example.com/", shows)
	app.Static("/", site, "index.html")
	answers(t, app, map[string]string{
		"GET http://example.org/a.txt": "200 example.org/a.txt",
		"GET http://example.org/noext": "200 noext",
		"GET http://example.org/deep":  "200 index.html",
		"GET http://example.com/a.txt": "200 example.com/",
		"GET http://other.org/a.txt":   "200 a.txt",
	})
}

func TestStaticIsListed(t *testing.T) {
	app := segue.New()
	app.Static("/", site)
	place := here(-1)
	guarded := app.Group("/admin", requireAdmin)
	guarded.Static("/files/", site)
	routes := slices.Collect(app.Routes())
	require.Len(t, routes, 2)
	assert.Equal(t, "GET /admin/files/{path...}", routes[0].Pattern)
	assert.Equal(t, []string{"segue_test.requireAdmin"}, routes[0].Middleware)
	assert.Equal(t, "GET /{path...}", routes[1].Pattern)
	assert.Equal(t, place, fmt.Sprintf("%s:%d", routes[1].File, routes[1].Line))

	// Handler and Route.Handler serve on their own.
	h, pattern := app.Handler(httptest.NewRequest("GET", "/dir/b.txt", nil))
	assert.Equal(t, "GET /{path...}", pattern)
	for _, h := range []http.Handler{h, routes[1].Handler} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/dir/b.txt", nil))
		assert.Equal(t, "200 dir/b.txt", fmt.Sprint(w.Code, " ", w.Body))
	}
}

func TestStaticRefuses(t *testing.T) {
	for reason, register := range map[string]func(*segue.Router){
		`"GET /x/{path...}" (registered at PLACE), offset 0: the file system is nil; write os.DirFS("directory")`: func(app *segue.Router) {
			app.Static("/x", nil)
		},
		"there are 2 fallbacks; at most one can answer": func(app *segue.Router) { app.Static("/x", site, "a.txt", "noext") },
		`the fallback "/index.html" is not a name`:      func(app *segue.Router) { app.Static("/x", site, "/index.html") },
		`the fallback "../a.txt" is not a name`:         func(app *segue.Router) { app.Static("/x", site, "../a.txt") },
		`the fallback "" is not a name`:                 func(app *segue.Router) { app.Static("/x", site, "") },
		`the fallback "." is not a file`:                func(app *segue.Router) { app.Static("/x", site, ".") },
		`the fallback "dir" is not a file`:              func(app *segue.Router) { app.Static("/x", site, "dir") },
		`the fallback "app.html" cannot be served: open app.html: file does not exist`: func(app *segue.Router) {
			app.Static("/x", site, "app.html")
		},
		`"x" (registered at PLACE), offset 0: a prefix begins with "/"`:                     func(app *segue.Router) { app.Static("x", site) },
		`"/x/{y...}" (registered at PLACE), offset 3: a prefix cannot end in a rest or {$}`: func(app *segue.Router) { app.Static("/x/{y...}", site) },
		`"/x//" (registered at PLACE), offset 3: an empty or dot segment never matches`:     func(app *segue.Router) { app.Static("/x//", site) },
		`"/x/../y" (registered at PLACE), offset 3: an empty or dot segment never matches`:  func(app *segue.Router) { app.Static("/x/../y", site) },
	} {
		app := segue.New()
		func() {
			defer func() {
				var perr *segue.PatternError
				err, _ := recover().(error)
				require.ErrorAs(t, err, &perr, reason)
				parts := strings.SplitN(reason, "PLACE", 2)
				for _, part := range parts {
					assert.Contains(t, err.Error(), part)
				}
				assert.Contains(t, err.Error(), "static_test.go:")
			}()
			register(app)
		}()
		assert.Empty(t, listing(app), reason)
	}

	app := segue.New()
	app.Static("/x", site)
	for _, register := range []func(){
		func() { app.Static("/x/", site) },
		func() { app.GET("/x/{other...}", shows) },
		func() { app.HandleFunc("GET /x/", shows) },
	} {
		func() {
			defer func() {
				var conflict *segue.ConflictError
				err, _ := recover().(error)
				assert.ErrorAs(t, err, &conflict)
			}()
			register()
		}()
	}
}

// Where the rules coincide, answers are http.FileServerFS's, to the header.
func TestStaticAsFileServer(t *testing.T) {
	app, server := segue.New(), http.FileServerFS(site)
	app.Static("/", site)
	stamp := changed.Format(http.TimeFormat)
	headers := []http.Header{
		{},
		{"Range": {"bytes=0-0"}}, {"Range": {"bytes=1-"}}, {"Range": {"bytes=-2"}}, {"Range": {"bytes=0-99999"}},
		{"Range": {"bytes=99999-"}}, {"Range": {"bytes=3-2"}}, {"Range": {"nonsense"}},
		{"If-Modified-Since": {stamp}}, {"If-Modified-Since": {changed.Add(-time.Hour).Format(http.TimeFormat)}},
		{"If-Unmodified-Since": {changed.Add(-time.Hour).Format(http.TimeFormat)}},
		{"If-Match": {`"x"`}}, {"If-None-Match": {"*"}}, {"If-None-Match": {`"x"`}},
		{"If-Range": {stamp}, "Range": {"bytes=1-1"}}, {"If-Range": {`"x"`}, "Range": {"bytes=1-1"}},
	}
	targets := []string{
		"/", "/a.txt", "/noext", "/css/site.css", "/with%20space.txt", "/%C3%A4.txt", "/a..b.txt", "/50%25.txt", "/dir/", "/dir/b.txt",
		"/nope", "/a.txt/x", "/dir/nope.txt", "/nope/", "/%ff",
	}
	for _, target := range targets {
		for _, header := range headers {
			for _, method := range []string{"GET", "HEAD"} {
				got, want := httptest.NewRecorder(), httptest.NewRecorder()
				for w, h := range map[*httptest.ResponseRecorder]http.Handler{got: app, want: server} {
					r := httptest.NewRequest(method, target, nil)
					r.Header = header.Clone()
					h.ServeHTTP(w, r)
				}
				assert.Equal(t, want.Code, got.Code, "%s %s %v", method, target, header)
				assert.Equal(t, want.Header(), got.Header(), "%s %s %v", method, target, header)
				assert.Equal(t, want.Body.String(), got.Body.String(), "%s %s %v", method, target, header)
			}
		}
	}
}

// forwardOnly hides all of a file system but what fs.FS and fs.File demand.
type forwardOnly struct{ fs.FS }

func (f forwardOnly) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	return struct{ fs.File }{file}, err
}

// A file that cannot seek is served as one that can.
func TestStaticWithoutSeeking(t *testing.T) {
	content := make([]byte, 100_000)
	for i := range content {
		content[i] = byte('a' + i%23)
	}
	files := fstest.MapFS{}
	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	for name, size := range map[string]int{"big.bin": 100_000, "noext": 5_000, "small": 7, "empty": 0, "edge": 512} {
		files[name] = &fstest.MapFile{Data: content[:size], ModTime: changed}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Modified: changed, Method: zip.Deflate})
		require.NoError(t, err)
		_, err = w.Write(content[:size])
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	archive, err := zip.NewReader(bytes.NewReader(zipped.Bytes()), int64(zipped.Len()))
	require.NoError(t, err)

	app := segue.New()
	app.Static("/seek", files)
	app.Static("/forward", forwardOnly{files})
	app.Static("/zip", archive)
	ranges := []string{
		"", "bytes=0-0", "bytes=0-511", "bytes=511-512", "bytes=512-", "bytes=600-700", "bytes=-1", "bytes=99990-",
		"bytes=90000-90010,5-9,700-800,0-600", "bytes=0-1,0-1,0-1", "bytes=100000-",
	}
	for name := range files {
		for _, rng := range ranges {
			for _, method := range []string{"GET", "HEAD"} {
				want := ranged(t, app, method, "/seek/"+name, rng)
				for _, place := range []string{"/forward/", "/zip/"} {
					assert.Equal(t, want, ranged(t, app, method, place+name, rng), "%s %s %s", method, place+name, rng)
				}
			}
		}
	}
}

// ranged returns an answer, its parts apart, so that the random boundary
// between them does not count.
func ranged(t *testing.T, app http.Handler, method, target, rng string) []string {
	r := httptest.NewRequest(method, target, nil)
	if rng != "" {
		r.Header.Set("Range", rng)
	}
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	kind, params, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
	require.NoError(t, err)
	all := []string{fmt.Sprint(w.Code), kind, w.Header().Get("Content-Range"), w.Header().Get("Content-Length"), w.Header().Get("Last-Modified")}
	if kind != "multipart/byteranges" || method == "HEAD" {
		return append(all, w.Body.String())
	}
	parts := multipart.NewReader(w.Body, params["boundary"])
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return all
		}
		require.NoError(t, err)
		text, err := io.ReadAll(part)
		require.NoError(t, err)
		all = append(all, fmt.Sprint(part.Header), string(text))
	}
}

// A client that leaves in the middle of several ranges leaves a goroutine of
// net/http reading; the race detector watches.
func TestStaticClientLeaves(t *testing.T) {
	app := segue.New()
	app.Static("/", forwardOnly{fstest.MapFS{"big": {Data: make([]byte, 1<<20)}}})
	for range 20 {
		r := httptest.NewRequest("GET", "/big", nil)
		r.Header.Set("Range", "bytes=0-99999,500000-900000,100-200000")
		app.ServeHTTP(&leaver{ResponseRecorder: httptest.NewRecorder()}, r)
	}
}

// A leaver is a connection that breaks.
type leaver struct {
	*httptest.ResponseRecorder
	got int
}

func (w *leaver) Write(p []byte) (int, error) {
	if w.got += len(p); w.got > 50_000 {
		return 0, net.ErrClosed
	}
	return len(p), nil
}

// A failingFS fails as it is told to.
type failingFS struct {
	fs.FS
	open, stat map[string]error
}

func (f failingFS) Open(name string) (fs.File, error) {
	if err := f.open[name]; err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	file, err := f.FS.Open(name)
	if strings.HasSuffix(name, ".broken") && err == nil {
		return brokenFile{file}, nil
	}
	if strings.HasSuffix(name, ".unread") && err == nil {
		return brokenSeeker{brokenFile{file}}, nil
	}
	return file, err
}

func (f failingFS) Stat(name string) (fs.FileInfo, error) {
	if err := f.stat[name]; err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return fs.Stat(f.FS, name)
}

// A brokenFile cannot be read.
type brokenFile struct{ fs.File }

var errDisk = errors.New("disk on fire")

func (f brokenFile) Read([]byte) (int, error) { return 0, errDisk }

// A brokenSeeker seeks, and then cannot be read.
type brokenSeeker struct{ brokenFile }

func (brokenSeeker) Seek(int64, int) (int64, error) { return 0, nil }

// Failures of the file system are errors: they walk the list, end as 500, and
// never give way to another page.
func TestStaticFailures(t *testing.T) {
	log := quiet(t)
	files := failingFS{
		FS: tree("index.html", "denied", "hidden/x", "gone", "gone.txt", "x.broken", "x.unread", "dir/index.html"),
		open: map[string]error{
			"denied": fs.ErrPermission, "gone": fs.ErrNotExist, "gone.txt": fs.ErrNotExist, "dir/index.html": errDisk,
			"hidden/x": fs.ErrPermission, "lost": errDisk,
		},
		stat: map[string]error{"hidden": fs.ErrPermission, "hidden/x": fs.ErrPermission, "lost": errDisk, "invalid": fs.ErrInvalid},
	}
	var seen []error
	app := segue.New()
	app.Static("/", files, "index.html")
	app.Static("/bare", files)
	app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		seen = append(seen, err)
		return err
	})
	answers(t, app, map[string]string{
		"GET /denied":    "500 Internal Server Error\n",
		"HEAD /denied":   "500",
		"POST /denied":   "405",
		"GET /hidden/x":  "500",
		"GET /lost":      "500",
		"GET /dir/":      "500",
		"GET /x.broken":  "500",
		"GET /x.unread":  "500",
		"GET /invalid":   "200 index.html",
		"GET /bare/gone": "404 404 page not found\n", // between the look-up and the opening
		"GET /gone.txt":  "404 404 page not found\n",
		"GET /gone":      "404",
	})
	assert.True(t, slices.ContainsFunc(seen, func(err error) bool { return errors.Is(err, fs.ErrPermission) }))
	assert.True(t, slices.ContainsFunc(seen, func(err error) bool { return errors.Is(err, errDisk) }))
	assert.Contains(t, log.String(), "open denied: permission denied")
	assert.NotContains(t, log.String(), "gone")
}

// On a disk there are more kinds of things than files and directories, and
// more kinds of errors than "does not exist".
func TestStaticOnDisk(t *testing.T) {
	outside := onDisk(t, "out.txt")
	dir := onDisk(t, "index.html", "a.txt", "dir/index.html", "sub/b.txt")
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err == nil {
		defer l.Close()
	}
	links := os.Symlink(filepath.Join(outside, "out.txt"), filepath.Join(dir, "link.txt")) == nil &&
		os.Symlink("a.txt", filepath.Join(dir, "inside.txt")) == nil && os.Symlink("nowhere", filepath.Join(dir, "dangling.txt")) == nil
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()

	log := quiet(t)
	app := segue.New()
	app.Static("/dir", os.DirFS(dir))
	app.Static("/root", root.FS())
	for _, prefix := range []string{"/dir", "/root"} {
		answers(t, app, map[string]string{
			"GET " + prefix + "/a.txt":                                  "200 a.txt",
			"GET " + prefix + "/":                                       "200 index.html",
			"GET " + prefix + "/dir":                                    "307",
			"GET " + prefix + "/dir/":                                   "200 dir/index.html",
			"GET " + prefix + "/sub/b.txt":                              "200 sub/b.txt",
			"GET " + prefix + "/sub/":                                   "404",
			"GET " + prefix + "/socket":                                 "404",
			"GET " + prefix + "/a.txt/b":                                "404",
			"GET " + prefix + "/a.txt/":                                 "404",
			"GET " + prefix + "/a.txt/b/c/":                             "404",
			"GET " + prefix + "/" + strings.Repeat("n", 256):            "404",
			"GET " + prefix + "/" + strings.Repeat("n", 5000):           "404",
			"GET " + prefix + "/sub/" + strings.Repeat("n/", 5000):      "404",
			"GET " + prefix + "/a.txt/" + strings.Repeat("n/", 5000):    "404",
			"GET " + prefix + "/" + strings.Repeat("n", 300) + "/a.txt": "404",
		})
	}
	assert.Empty(t, log.String())
	if !links {
		t.Skip("no symbolic links here")
	}
	answers(t, app, map[string]string{
		"GET /dir/link.txt":      "200 out.txt",
		"GET /dir/inside.txt":    "200 a.txt",
		"GET /dir/dangling.txt":  "404",
		"GET /root/link.txt":     "500",
		"GET /root/inside.txt":   "200 a.txt",
		"GET /root/dangling.txt": "404",
	})
}

// Over a connection, byte for byte.
func TestStaticOnTheWire(t *testing.T) {
	app := segue.New()
	app.Static("/", site, "index.html")
	app.Group("/api").GET("/x", shows)
	address, _ := testkit.Listen(t, app)
	w := testkit.Dial(t, address)

	w.Send("GET /a.txt HTTP/1.1\r\nHost: x\r\nRange: bytes=1-3\r\n\r\n" + testkit.Get("/deep/link") + testkit.Get("/api/nope") + "HEAD /a.txt HTTP/1.1\r\nHost: x\r\n\r\n" + testkit.Get("/noext"))
	got := w.Answer("GET", "a range")
	assert.Equal(t, "206 .tx bytes 1-3/5", fmt.Sprint(got.Status, " ", got.Body, " ", got.Header.Get("Content-Range")))
	w.Expect("GET", 200, "index.html")
	w.Expect("GET", 404, "404 page not found\n")
	got = w.Answer("HEAD", "/a.txt")
	assert.Equal(t, "200 5 text/plain; charset=utf-8", fmt.Sprint(got.Status, got.Body, " ", got.Header.Get("Content-Length"), " ", got.Header.Get("Content-Type")))
	w.Expect("GET", 200, "noext")

	w.Send("GET /a.txt HTTP/1.1\r\nHost: x\r\nIf-Modified-Since: " + got.Header.Get("Last-Modified") + "\r\n\r\n")
	w.Expect("GET", 304, "")
	for _, target := range []string{"/../../etc/passwd.txt", "/..%2f..%2fetc%2fpasswd.txt", "/%2e%2e/%2e%2e/passwd.txt", "/admin%2Fsecret.txt", "//etc/passwd.txt", "/admin/secret.txt%00.x", "/.env"} {
		w.Send(testkit.Get(target))
		got := w.Answer("GET", target)
		assert.Contains(t, []int{404, 307, 400}, got.Status, target)
		assert.NotContains(t, got.Body, "admin/secret.txt\n", target)
	}
	w.Send("POST /a.txt HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc" + testkit.Get("/a.txt"))
	w.Expect("POST", 405, "Method Not Allowed\n")
	w.Expect("GET", 200, "a.txt")
}

// What is changed behind a running Static is seen at once.
func TestStaticSeesChanges(t *testing.T) {
	dir := onDisk(t, "index.html", "a.txt")
	app := segue.New()
	app.Static("/", os.DirFS(dir), "index.html")
	answers(t, app, map[string]string{"GET /a.txt": "200 a.txt", "GET /new": "200 index.html"})
	require.NoError(t, os.Rename(filepath.Join(dir, "a.txt"), filepath.Join(dir, "new")))
	answers(t, app, map[string]string{"GET /a.txt": "404", "GET /new": "200 a.txt"})
	require.NoError(t, os.Remove(filepath.Join(dir, "index.html")))
	answers(t, app, map[string]string{"GET /deep": "404 404 page not found\n"})
}

// Routes and middleware come while requests are served.
func TestStaticWhileServing(t *testing.T) {
	app := segue.New()
	group := app.Group("/g", via("group"))
	group.Static("/", site, "index.html")
	testkit.WhileServing(func() {
		for i := range 25 {
			app.Group(fmt.Sprintf("/g/inner%d", i))
			group.Use(via("more"))
			group.Static(fmt.Sprintf("/s%d", i), site)
		}
	}, func(g, n int) {
		assert.Equal(t, "a.txt", testkit.Serve(app, "GET", "/g/a.txt").Body.String())
		assert.Equal(t, "index.html", testkit.Serve(app, "GET", "/g/deep/link").Body.String())
		assert.Equal(t, 404, testkit.Serve(app, "GET", "/g/nope.txt").Code)
	})
}

// Other routes of the router do not pay for its files.
func TestStaticCostsOthersNothing(t *testing.T) {
	testkit.SkipUnlessAllocationsCount(t)
	app := segue.New()
	app.Static("/", site, "index.html")
	app.Static("/users", site)
	app.GET("/users/{id}", func(w http.ResponseWriter, r *http.Request) {})
	app.GET("/about", func(w http.ResponseWriter, r *http.Request) {})
	for _, target := range []string{"/users/7", "/about"} {
		r, w := httptest.NewRequest("GET", target, nil), httptest.NewRecorder()
		assert.Zero(t, testkit.AllocsPerRun(200, func() { app.ServeHTTP(w, r) }), target)
	}
}

// FuzzStatic: whatever the path, what is served is the file that the path's own
// segments name, none of them hidden or a way out.
func FuzzStatic(f *testing.F) {
	f.Add("/a.txt", false)                    // a file
	f.Add("/dir/", false)                     // a directory's page
	f.Add("/deep/link", true)                 // the fallback
	f.Add("/admin%2Fsecret", true)            // one segment, not two
	f.Add("/x/%2e%2e/admin/secret.txt", true) // dots that cleaning does not see
	f.Add("/%252e%252e/a.txt", false)         // decoded once
	f.Add("/a.txt%00", false)                 // NUL
	f.Add("//a.txt", false)                   // not clean
	f.Add("/back%5Cslash.txt", false)         // a file that is there
	f.Add("/.env", true)                      // hidden
	app, spa := segue.New(), segue.New()
	app.Static("/", site)
	spa.Static("/", site, "index.html")
	f.Fuzz(func(t *testing.T, target string, fallback bool) {
		u, err := url.ParseRequestURI(target)
		if err != nil || !strings.HasPrefix(target, "/") {
			return
		}
		h := app
		if fallback {
			h = spa
		}
		r := &http.Request{Method: "GET", URL: u, Header: http.Header{}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, RequestURI: target}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		switch w.Code {
		case http.StatusNotFound, http.StatusTemporaryRedirect:
		case http.StatusOK:
			if !served(u, w.Body.String()) && (!fallback || w.Body.String() != "index.html") {
				t.Errorf("%q: got %q", target, w.Body)
			}
		default:
			t.Errorf("%q: status %d", target, w.Code)
		}
	})
}

// served reports whether a file's name, which is its content, is what the
// segments of a path say, each decoded on its own.
func served(u *url.URL, name string) bool {
	escaped := u.EscapedPath()
	if strings.HasSuffix(escaped, "/") {
		escaped += "index.html"
	}
	var segs []string
	for seg := range strings.SplitSeq(strings.TrimPrefix(escaped, "/"), "/") {
		decoded, err := url.PathUnescape(seg)
		if err != nil || decoded == "" || decoded[0] == '.' || strings.ContainsAny(decoded, "/\\\x00") {
			return false
		}
		segs = append(segs, decoded)
	}
	return strings.Join(segs, "/") == name
}
