package segue_test

import (
	"archive/zip"
	"bytes"
	"embed"
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
	"syscall"
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
	app.Static("/assets", segue.Files{FS: site})
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
			app.Static(prefix, segue.Files{FS: fsys})
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
		"group": func(app *segue.Router) { app.Group("/admin", refuses).Static("/", segue.Files{FS: admin}) },
		"with":  func(app *segue.Router) { app.With(refuses).Static("/admin", segue.Files{FS: admin}) },
		"mount": func(app *segue.Router) {
			sub := segue.New()
			sub.Static("/", segue.Files{FS: admin})
			sub.Use(refuses)
			app.Mount("/admin", sub)
		},
	} {
		app := segue.New()
		app.Static("/", segue.Files{FS: site, Fallback: "index.html"})
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
	app.With(rewrite).Static("/", segue.Files{FS: site})
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
	app.Static("/x/y", segue.Files{FS: tree("one.txt")})
	app.Static("/x", segue.Files{FS: tree("one.txt", "y/two.txt", "y/dir/index.html")})
	app.Static("/{p}", segue.Files{FS: tree("y/three.txt", "one.txt", "two.txt")})
	app.Static("/", segue.Files{FS: tree("x/y/four.txt", "y/dir/index.html")})
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
	app.Static("/x", segue.Files{FS: site})
	app.NotFound(lost("app"))
	answers(t, app, map[string]string{"GET /x/nope": `418 app [] ""`, "GET /x/.env": `418 app [] ""`})
}

// Routes on the very same path answer where the files do not: one for any
// method, and others' in Allow and OPTIONS.
func TestStaticBesideRoutesOnItsPath(t *testing.T) {
	app := segue.New()
	app.Static("/", segue.Files{FS: tree("a.txt", "dir/index.html")})
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
	app.Static("/s", segue.Files{FS: tree("a.txt")})
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
	app.Static("/s", segue.Files{FS: tree("a.txt")})
	app.HandleFunc("DELETE /s/{p...}", shows) // has no automatic OPTIONS, and gets none from files that are not there
	answers(t, app, map[string]string{"OPTIONS /s/nope": "405", "OPTIONS /s/a.txt": "204"})
	assert.Equal(t, "DELETE", ask(t, app, "OPTIONS /s/nope").Header().Get("Allow"))
}

// A file that is there is not given up for a route at the other spelling of its
// path; one that only the fallback answers is.
func TestStaticBesideOtherSpellings(t *testing.T) {
	app := segue.New()
	app.Static("/", segue.Files{FS: site, Fallback: "index.html"})
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
	app.Static("/", segue.Files{FS: site, Fallback: "index.html"})
	api := app.Group("/api")
	api.GET("/users", shows)
	api.POST("/login", shows)
	api.NotFound(lost("api"))
	empty := segue.New()
	empty.PathValues(true) // a router without a route and a setting has no territory
	app.Mount("/empty", empty)
	app.Mount("/plain", shows)
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
	app.Static("/{tenant}", segue.Files{FS: tree("one.html"), Fallback: "one.html"})
	app.Static("/app/ui", segue.Files{FS: tree("two.html"), Fallback: "two.html"})
	app.Group("/app").GET("/r", shows)                                    // above the second, at a better prefix than the first
	app.Group("/{t}/inner").GET("/r", shows)                              // below the first
	app.Group("/").Static("/s", segue.Files{FS: site, Fallback: "noext"}) // a router at the same place
	app.Group("/s/").GET("/r", shows)
	sub := segue.New()
	sub.Static("/", segue.Files{FS: tree("three.html"), Fallback: "three.html"})
	sub.Group("/in").GET("/r", shows)
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
	sub.Static("/", segue.Files{FS: site})
	sub.Static("/more", segue.Files{FS: tree("m.txt")})
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
		app.Static("/t/{tenant}/:path_/files", segue.Files{FS: site})
		app.Static("/e/:path", segue.Files{FS: site})
		w := ask(t, app, "GET /t/a%2Fc/x/files/dir/b.txt")
		assert.Equal(t, "200 dir/b.txt", fmt.Sprint(w.Code, " ", w.Body))
		assert.Equal(t, "GET /t/{tenant}/{path_}/files/{path...} a/c dir/b.txt", w.Header().Get("Saw"))
		w = ask(t, app, "GET /e/outer/a.txt")
		assert.Equal(t, "GET /e/{path}/{path_...}  outer", w.Header().Get("Saw"))
		assert.Equal(t, "a.txt", w.Body.String())
	}
}

// The name gives way under the prefix that has it, and nowhere else.
func TestStaticParameterGivesWayUnderOneMount(t *testing.T) {
	app, sub := segue.New(), segue.New()
	sub.Static("/", segue.Files{FS: site})
	app.Mount("/e/{path}", sub)
	app.Mount("/f", sub)
	for _, c := range []struct{ target, name string }{{"/e/outer/a.txt", "path_"}, {"/f/a.txt", "path"}} {
		assert.Equal(t, "a.txt", app.Lookup(httptest.NewRequest("GET", c.target, nil)).Params[c.name], c.target)
	}
	assert.Equal(t, []string{"GET /{path...}"}, patterns(sub))
}

// A directory is under its slash, whatever is set for the spellings of routes.
func TestStaticUnderSettings(t *testing.T) {
	for _, policy := range []segue.SlashPolicy{segue.SlashRedirect, segue.SlashExact, segue.SlashEither} {
		for _, clean := range []bool{true, false} {
			app := segue.New()
			app.TrailingSlash(policy)
			app.CleanPath(clean)
			app.PathValues(false)
			app.Static("/s", segue.Files{FS: site})
			app.Group("/g").Static("/", segue.Files{FS: site})
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
	app.Static("/", segue.Files{FS: site, Fallback: "index.html"})
	answers(t, app, map[string]string{
		"GET http://example.org/a.txt": "200 example.org/a.txt",
		"GET http://example.org/noext": "200 noext",
		"GET http://example.org/deep":  "200 index.html",
		"GET http://example.com/a.txt": "200 example.com/",
		"GET http://other.org/a.txt":   "200 a.txt",
	})
}

// On a host a Static keeps fallbacks out as anywhere: those without a host, and
// those of a host's parameter where the very host has a prefix. A router on a host
// has what it does not find to itself.
func TestStaticOnAHost(t *testing.T) {
	app := segue.New()
	app.Use(via("app"))
	app.Static("/", segue.Files{FS: tree("none.html", "deep/a.txt"), Fallback: "none.html"})
	app.Group("{path}.example.org", via("t")).Static("/", segue.Files{FS: tree("t.html"), Fallback: "t.html"})
	app.Group("a.example.org/in").Static("/s", segue.Files{FS: tree("s.txt")})
	app.Group("b.example.org").NotFound(lost("b"))
	app.Static("c.example.org/own", segue.Files{FS: tree("own.html"), Fallback: "own.html"})
	app.Static("d./x", segue.Files{FS: tree("d.txt")}) // one letter and the final dot of a host are no dot segment
	answers(t, app, map[string]string{
		"GET http://d/x/d.txt":                "200 d.txt",
		"GET http://h/x":                      "200 none.html",
		"GET http://h/deep/a.txt":             "200 deep/a.txt",
		"GET http://x.example.org/x":          "200 t.html",
		"GET http://X.Example.org.:80/t.html": "200 t.html",
		"GET http://x.example.org/deep/a.txt": "200 deep/a.txt", // a file is found wherever it is
		"GET http://x.example.org/no.txt":     "404",
		"GET http://a.example.org/in/s/s.txt": "200 s.txt",
		"GET http://a.example.org/in/s/no":    "404",
		"GET http://a.example.org/in/no":      "404",
		"GET http://a.example.org/x":          "200 t.html",
		"GET http://b.example.org/x":          `418 b [] ""`,
		"GET http://b.example.org/deep/a.txt": "200 deep/a.txt",
		"GET http://c.example.org/own/x":      "200 own.html",
		"GET http://c.example.org/own":        "307",
		"GET http://c.example.org/x":          "200 t.html",
		"POST http://x.example.org/x":         "405",
		"GET http://x.y.example.org/x":        "200 none.html",
	})
	assert.Equal(t, "app t", viaOf(ask(t, app, "GET http://x.example.org/x")))
	assert.Contains(t, patterns(app), "GET {path}.example.org/{path_...}")
}

// A Static with a fallback is asked for unclean paths where its router keeps
// them, and keeps to its prefix there too.
func TestStaticFallbackOfUncleanPaths(t *testing.T) {
	for _, host := range []string{"", "h.example.org", "{t}.example.org"} {
		app := segue.New()
		raw := app.Group(host + "/raw")
		raw.CleanPath(false)
		raw.Static("/", segue.Files{FS: tree("page.html"), Fallback: "page.html"})
		raw.Group("/in").GET("/x", shows)
		answers(t, app, map[string]string{
			"GET http://h.example.org/raw/x":       "200 page.html",
			"GET http://h.example.org/raw/a//b":    "200 page.html",
			"GET http://h.example.org/raw/./b":     "200 page.html",
			"GET http://h.example.org/raw/in//x":   "307",
			"GET http://h.example.org/raw/in/./no": "307",
			"GET http://h.example.org//raw/x":      "307",
		})
	}
}

func TestStaticIsListed(t *testing.T) {
	app := segue.New()
	app.Static("/", segue.Files{FS: site})
	place := here(-1)
	guarded := app.Group("/admin", requireAdmin)
	guarded.Static("/files/", segue.Files{FS: site})
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
		`"GET /x/{path...}" (registered at PLACE), offset 0: the file system is nil; write Files{FS: os.DirFS("directory")}`: func(app *segue.Router) {
			app.Static("/x", segue.Files{})
		},
		`the file system cannot be read: `: func(app *segue.Router) {
			app.Static("/x", segue.Files{FS: os.DirFS(filepath.Join(t.TempDir(), "missing"))})
		},
		`the extension "html" is none; write it with its dot`: func(app *segue.Router) { app.Static("/x", segue.Files{FS: site, Extension: "html"}) },
		`the extension "./x" is none`:                         func(app *segue.Router) { app.Static("/x", segue.Files{FS: site, Extension: "./x"}) },
		`the fallback "/index.html" is not a name`:            func(app *segue.Router) { app.Static("/x", segue.Files{FS: site, Fallback: "/index.html"}) },
		`the fallback "../a.txt" is not a name`:               func(app *segue.Router) { app.Static("/x", segue.Files{FS: site, Fallback: "../a.txt"}) },
		`the fallback "." is not a file`:                      func(app *segue.Router) { app.Static("/x", segue.Files{FS: site, Fallback: "."}) },
		`the fallback "dir" is not a file`:                    func(app *segue.Router) { app.Static("/x", segue.Files{FS: site, Fallback: "dir"}) },
		`the fallback "app.html" cannot be served: open app.html: file does not exist`: func(app *segue.Router) {
			app.Static("/x", segue.Files{FS: site, Fallback: "app.html"})
		},
		`"x" (registered at PLACE), offset 0: a prefix begins with "/"`:                     func(app *segue.Router) { app.Static("x", segue.Files{FS: site}) },
		`"/x/{y...}" (registered at PLACE), offset 3: a prefix cannot end in a rest or {$}`: func(app *segue.Router) { app.Static("/x/{y...}", segue.Files{FS: site}) },
		`"/x//" (registered at PLACE), offset 3: an empty or dot segment never matches`:     func(app *segue.Router) { app.Static("/x//", segue.Files{FS: site}) },
		`"/x/../y" (registered at PLACE), offset 3: an empty or dot segment never matches`:  func(app *segue.Router) { app.Static("/x/../y", segue.Files{FS: site}) },
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
	app.Static("/x", segue.Files{FS: site})
	for _, register := range []func(){
		func() { app.Static("/x/", segue.Files{FS: site}) },
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
	app.Static("/", segue.Files{FS: site})
	stamp := changed.Format(http.TimeFormat)
	headers := []http.Header{
		{},
		{"Range": {"bytes=0-0"}}, {"Range": {"bytes=1-"}}, {"Range": {"bytes=-2"}}, {"Range": {"bytes=0-99999"}},
		{"Range": {"bytes=99999-"}}, {"Range": {"bytes=3-2"}}, {"Range": {"bytes=nonsense"}},
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

// A file that cannot seek is served as one that can. More than one range of it
// is all of it, as RFC 9110, section 14.2, allows.
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
	app.Static("/seek", segue.Files{FS: files})
	app.Static("/forward", segue.Files{FS: forwardOnly{files}})
	app.Static("/zip", segue.Files{FS: archive})
	ranges := []string{
		"", "bytes=0-0", "bytes=0-511", "bytes=511-512", "bytes=512-", "bytes=600-700", "bytes=-1", "bytes=99990-",
		"bytes=90000-90010,5-9,700-800,0-600", "bytes=0-1,0-1,0-1", "bytes=100000-",
	}
	for name := range files {
		for _, rng := range ranges {
			for _, method := range []string{"GET", "HEAD"} {
				want := ranged(t, app, method, "/seek/"+name, rng)
				if strings.Contains(rng, ",") {
					want = ranged(t, app, method, "/seek/"+name, "")
				}
				for _, place := range []string{"/forward/", "/zip/"} {
					assert.Equal(t, want, ranged(t, app, method, place+name, rng), "%s %s %s", method, place+name, rng)
				}
			}
		}
	}
}

// A Range in a unit that is not bytes is ignored, as RFC 9110, section 14.2, asks,
// where http.FileServer answers 416. The request stays as it was.
func TestStaticOtherUnits(t *testing.T) {
	app := segue.New()
	app.Static("/seek", segue.Files{FS: site})
	app.Static("/forward", segue.Files{FS: forwardOnly{site}})
	for _, place := range []string{"/seek", "/forward"} {
		for _, method := range []string{"GET", "HEAD"} {
			want := ranged(t, app, method, place+"/a.txt", "")
			assert.Equal(t, "200", want[0])
			for _, rng := range []string{"lines=1-2", "nonsense", "Bytes=1-2", "lines=1-2,3-4"} {
				assert.Equal(t, want, ranged(t, app, method, place+"/a.txt", rng), rng)
			}
			for _, rng := range []string{"bytes=9-", "bytes=x"} {
				assert.Equal(t, "416", ranged(t, app, method, place+"/a.txt", rng)[0], rng)
			}
		}
	}
	r := httptest.NewRequest("GET", "/seek/a.txt", nil)
	r.Header.Set("Range", "lines=1-2")
	app.ServeHTTP(httptest.NewRecorder(), r)
	assert.Equal(t, "lines=1-2", r.Header.Get("Range"))
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

// A countingFS counts the calls that it gets, and the bytes that are read from it.
type countingFS struct {
	fs.FS
	calls *[]string
	bytes *int64
}

func counting(fsys fs.FS) countingFS { return countingFS{fsys, new([]string), new(int64)} }

func (f countingFS) called(method, name string) {
	*f.calls = append(*f.calls, method+" "+name[:min(len(name), 50)])
}

func (f countingFS) Open(name string) (fs.File, error) {
	f.called("Open", name)
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return countingFile{file, f.bytes}, nil
}

func (f countingFS) Stat(name string) (fs.FileInfo, error) {
	f.called("Stat", name)
	return fs.Stat(f.FS, name)
}

func (f countingFS) ReadFile(name string) ([]byte, error) {
	f.called("ReadFile", name)
	return fs.ReadFile(f.FS, name)
}

func (f countingFS) ReadDir(name string) ([]fs.DirEntry, error) {
	f.called("ReadDir", name)
	return fs.ReadDir(f.FS, name)
}

// A countingFile can only be read from front to back.
type countingFile struct {
	fs.File
	bytes *int64
}

func (f countingFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	*f.bytes += int64(n)
	return n, err
}

// A path that finds nothing costs three calls for each Static that is asked,
// however long it is, whatever the method, and with routes beside that make the
// router ask in both spellings, for Allow, and for every host.
func TestStaticCallsOfAMiss(t *testing.T) {
	outer, inner := counting(tree("index.html", "bare/c.txt", "odd/index.html/x.txt")), counting(os.DirFS(onDisk(t, "index.html", "bare/c.txt")))
	app := segue.New()
	app.Static("/", segue.Files{FS: outer, Extension: ".html"})
	app.Static("/{any}", segue.Files{FS: inner, Extension: ".html"})
	app.POST("/x/{p...}", shows)
	app.HandleFunc("PUT /{a}/{b}/", shows)
	app.HandleFunc("example.com/only", shows)
	app.HandleFunc("DELETE example.com/x/{p...}", shows)
	names := []string{
		"nope", "nope.txt", "bare", "bare/", "odd", "odd/", "index.html/", "x", "x/y", "x/nope.txt", "x/bare", "x/bare/", "x/y/",
		".env", "a%2Fb", "%00", "//x", "x//", "x/./y", "x/index.html/y", "x/%ff",
		strings.Repeat("n", 300), strings.Repeat("n", 70_000), strings.Repeat("n/", 5_000), "x/" + strings.Repeat("n/", 5_000) + "n", "x/" + strings.Repeat("n", 300),
	}
	for _, name := range names {
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "BREW"} {
			for _, host := range []string{"", "http://example.com"} {
				*outer.calls, *inner.calls = nil, nil
				w := fetch(app, method+" "+host+"/"+name)
				assert.NotEqual(t, 500, w.Code, "%s /%.50s", method, name)
				assert.LessOrEqual(t, len(*outer.calls), 3, "%s /%.50s: %q", method, name, *outer.calls)
				assert.LessOrEqual(t, len(*inner.calls), 3, "%s /%.50s: %q", method, name, *inner.calls)
			}
		}
	}
	*outer.calls = nil
	fetch(app, "GET /nope")
	assert.Equal(t, []string{"Stat nope", "Stat nope.html"}, *outer.calls)
}

// What is found costs its look twice, before the middleware and after, and the
// opening.
func TestStaticCallsOfAFile(t *testing.T) {
	files := counting(tree("index.html", "a.js", "a.js.gz", "about.html", "dir/index.html"))
	app := segue.New()
	app.Static("/", segue.Files{FS: files, Fallback: "index.html", Extension: ".html", Precompressed: true})
	for target, want := range map[string]string{
		"/a.js":     "Stat a.js, Stat a.js, Open a.js.br, Open a.js.zst, Open a.js.gz",
		"/a.js/":    "Stat a.js",
		"/about":    "Stat about, Stat about.html, Stat about, Stat about.html, Open about.html.br, Open about.html.zst, Open about.html.gz, Open about.html",
		"/deep":     "Stat deep, Stat deep.html, Stat deep, Stat deep.html, Open index.html.br, Open index.html.zst, Open index.html.gz, Open index.html",
		"/dir":      "Stat dir, Stat dir.html, Stat dir/index.html",
		"/dir/":     "Stat dir, Stat dir.html, Stat dir/index.html, Stat dir, Stat dir.html, Stat dir/index.html, Open dir/index.html.br, Open dir/index.html.zst, Open dir/index.html.gz, Open dir/index.html",
		"/nope.txt": "Stat nope.txt, Stat nope.txt.html",
	} {
		*files.calls = nil
		fetch(app, "GET "+target, "Accept-Encoding: gzip, br, zstd")
		assert.Equal(t, want, strings.Join(*files.calls, ", "), target)
	}
}

// Whatever is asked of a file that cannot seek, it is read once.
func TestStaticReadsOnce(t *testing.T) {
	const size = 2 << 20
	files := counting(fstest.MapFS{"big.bin": {Data: make([]byte, size), ModTime: changed}})
	app := segue.New()
	app.Static("/", segue.Files{FS: files})
	var descending []string
	for i := range 300 {
		descending = append(descending, fmt.Sprintf("%d-%d", size-1-i*5000, size-1-i*5000))
	}
	for rng, most := range map[string]int64{
		"":                                       size,
		"bytes=0-0":                              64 << 10,
		"bytes=-1":                               size,
		"bytes=1000000-":                         size,
		"bytes=0-0,5-6":                          size,
		"bytes=5-6,0-0":                          size,
		"bytes=0-0,":                             size,
		"bytes=" + strings.Join(descending, ","): size,
	} {
		*files.bytes = 0
		w := fetch(app, "GET /big.bin", "Range: "+rng)
		assert.LessOrEqual(t, *files.bytes, most, "%.40s", rng)
		if strings.Contains(rng, ",") {
			assert.Equal(t, 200, w.Code, "%.40s", rng)
			assert.Equal(t, size, w.Body.Len(), "%.40s", rng)
		}
	}
}

// fetch asks for a target with headers, each as "Name: value".
func fetch(h http.Handler, request string, headers ...string) *httptest.ResponseRecorder {
	method, target, _ := strings.Cut(request, " ")
	r := httptest.NewRequest(method, target, nil)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// packed has siblings in every coding, whose content is their name.
var packed = tree(
	"a.js", "a.js.br", "a.js.zst", "a.js.gz", "one.css", "one.css.gz", "plain.txt", "index.html", "index.html.br", "dir/index.html", "dir/index.html.zst",
	"untold", "untold.br", "odd.txt", "odd.txt.br/x", "only.txt.br", "about.html", "about.html.gz",
)

// By Accept-Encoding, which sibling is sent for a.js.
func TestStaticCodings(t *testing.T) {
	app := segue.New()
	app.Static("/", segue.Files{FS: packed, Precompressed: true})
	for accept, want := range map[string]string{
		"":                             "a.js",
		"gzip":                         "a.js.gz",
		"x-gzip":                       "a.js.gz",
		"GZip":                         "a.js.gz",
		"zstd":                         "a.js.zst",
		"br":                           "a.js.br",
		"gzip, deflate, br, zstd":      "a.js.br",
		"gzip, zstd":                   "a.js.zst",
		"gzip;q=1, br;q=0.9":           "a.js.gz",
		"gzip;q=0.5, zstd;q=0.6":       "a.js.zst",
		"gzip ; Q=0.5 , br ; q = 0.50": "a.js.br",
		"*":                            "a.js.br",
		"br;q=0, *":                    "a.js.zst",
		"br;q=0, *;q=0":                "a.js",
		"*;q=0, gzip":                  "a.js.gz",
		"gzip;q=0":                     "a.js",
		"deflate":                      "a.js",
		"identity":                     "a.js",
		"identity, br":                 "a.js.br",
		"identity, br;q=0.9":           "a.js",
		"identity;q=0.5, br;q=0.9":     "a.js.br",
		"identity;q=0, gzip;q=0.001":   "a.js.gz",
		"identity;q=0":                 "a.js", // a page rather than a 406
		"gzip;q=2":                     "a.js",
		"gzip;q=-1":                    "a.js",
		"gzip;q=NaN":                   "a.js",
		"gzip;q=":                      "a.js",
		"gzip;level=9":                 "a.js.gz",
		",, ;q=1,gzip":                 "a.js.gz",
	} {
		w := fetch(app, "GET /a.js", "Accept-Encoding: "+accept)
		assert.Equal(t, want, w.Body.String(), "%q", accept)
		coding := map[string]string{".br": "br", ".zst": "zstd", ".gz": "gzip", ".js": ""}[filepath.Ext(want)]
		assert.Equal(t, coding, w.Header().Get("Content-Encoding"), "%q", accept)
		assert.Equal(t, "text/javascript; charset=utf-8", w.Header().Get("Content-Type"), "%q", accept)
		assert.Equal(t, "Accept-Encoding", w.Header().Get("Vary"), "%q", accept)
	}
	w := fetch(app, "GET /a.js", "Accept-Encoding: gzip", "Accept-Encoding: br")
	assert.Equal(t, "a.js.br", w.Body.String(), "two header lines are one list")
}

// Whatever file a path comes to, its siblings stand beside it.
func TestStaticSiblings(t *testing.T) {
	log := quiet(t)
	files := failingFS{FS: packed, open: map[string]error{"a.js.br": fs.ErrPermission}}
	app := segue.New()
	app.Static("/", segue.Files{FS: files, Precompressed: true, Extension: ".html", Fallback: "index.html"})
	for target, want := range map[string]string{
		"/a.js":        "200 a.js.zst zstd text/javascript; charset=utf-8", // the br cannot be opened
		"/one.css":     "200 one.css.gz gzip text/css; charset=utf-8",
		"/plain.txt":   "200 plain.txt  text/plain; charset=utf-8",
		"/":            "200 index.html.br br text/html; charset=utf-8",
		"/deep":        "200 index.html.br br text/html; charset=utf-8",
		"/dir/":        "200 dir/index.html.zst zstd text/html; charset=utf-8",
		"/about":       "200 about.html.gz gzip text/html; charset=utf-8",
		"/untold":      "200 untold.br br text/plain; charset=utf-8", // guessed from the file, not from its sibling
		"/odd.txt":     "200 odd.txt  text/plain; charset=utf-8",
		"/only.txt":    "404 404 page not found\n  text/plain; charset=utf-8", // a sibling of nothing
		"/one.css.gz":  "200 one.css.gz  application/gzip",
		"/only.txt.br": "200 only.txt.br  text/plain; charset=utf-8",
	} {
		w := fetch(app, "GET "+target, "Accept-Encoding: br, zstd, gzip")
		h := w.Header()
		got := fmt.Sprintf("%d %s %s %s", w.Code, w.Body, h.Get("Content-Encoding"), h.Get("Content-Type"))
		if !strings.HasSuffix(target, ".gz") { // whose type is the system's to tell
			assert.Equal(t, want, got, target)
		}
	}
	assert.Empty(t, log.String())
}

// Each coding has a length, ranges and an ETag of its own, over a connection too.
func TestStaticCodingsOnTheWire(t *testing.T) {
	for name, files := range map[string]fs.FS{"times": packed, "no times": timeless(packed), "disk": os.DirFS(onDisk(t, "a.js", "a.js.br", "a.js.zst", "a.js.gz"))} {
		app := segue.New()
		app.Static("/", segue.Files{FS: files, Precompressed: true, CacheControl: func(string) string { return "max-age=60" }})
		server := httptest.NewServer(app)
		defer server.Close()
		tags := map[string]string{}
		for _, coding := range []string{"identity", "br", "zstd", "gzip"} {
			want := map[string]string{"identity": "a.js", "br": "a.js.br", "zstd": "a.js.zst", "gzip": "a.js.gz"}[coding]
			length := fmt.Sprint(len(want))
			get := func(status int, body, length, cache string, headers ...string) http.Header {
				t.Helper()
				return wired(t, server.URL+"/a.js", status, body, length, cache, append(headers, "Accept-Encoding: "+coding)...)
			}
			tag := get(200, want, length, "max-age=60").Get("ETag")
			assert.Regexp(t, `^"[0-9a-f-]+[a-z]*"$`, tag, name)
			assert.Empty(t, tags[tag], "%s: %s has the ETag of another coding", name, coding)
			tags[tag] = coding
			get(304, "", "", "max-age=60", "If-None-Match: "+tag)
			get(200, want, length, "max-age=60", `If-None-Match: "x"`)
			get(206, want[1:3], "2", "max-age=60", "Range: bytes=1-2")
			get(206, want[1:3], "2", "max-age=60", "Range: bytes=1-2", "If-Range: "+tag)
			get(200, want, length, "max-age=60", "Range: bytes=1-2", `If-Range: "x"`)
			get(200, want, length, "max-age=60", "If-Match: "+tag)
			get(412, "", "0", "", `If-Match: "x"`)
			get(416, "invalid range: failed to overlap\n", "33", "", "Range: bytes=99-")
		}
	}
}

// wired asks over a connection for an answer and returns its header.
func wired(t *testing.T, url string, status int, body, length, cache string, headers ...string) http.Header {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	require.NoError(t, err)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	w, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	defer w.Body.Close()
	got, err := io.ReadAll(w.Body)
	require.NoError(t, err, "%v", headers)
	coding, sent := r.Header.Get("Accept-Encoding"), w.Header.Get("Content-Encoding")
	if coding == "identity" || status == 304 || status >= 400 {
		coding = ""
	}
	assert.Equal(t, []any{status, string(got), length, cache, coding, "Accept-Encoding"},
		[]any{w.StatusCode, string(got)[:min(len(got), len(body))] + string(got)[min(len(got), len(body)):], w.Header.Get("Content-Length"), w.Header.Get("Cache-Control"), sent, w.Header.Get("Vary")}, "%v", headers)
	assert.Equal(t, body, string(got), "%v", headers)
	return w.Header
}

// timeless returns the same files without times.
func timeless(files fstest.MapFS) fstest.MapFS {
	all := fstest.MapFS{}
	for name, file := range files {
		all[name] = &fstest.MapFile{Data: file.Data, Mode: file.Mode}
	}
	return all
}

// sets is a middleware that sets headers, each as "Name: value".
func sets(headers ...string) segue.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, header := range headers {
				name, value, _ := strings.Cut(header, ": ")
				w.Header().Set(name, value)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// What a middleware has set: a Content-Encoding means that it compresses by
// itself, an ETag is told apart by coding, a type stays.
func TestStaticCodingsUnderMiddleware(t *testing.T) {
	app := segue.New()
	app.With(sets("Content-Encoding: gzip")).Static("/zip", segue.Files{FS: packed, Precompressed: true})
	app.With(sets(`ETag: W/"v1"`, "Content-Type: text/x", "Vary: Origin")).Static("/tag", segue.Files{FS: packed, Precompressed: true})
	app.With(sets(`ETag: "v1"`)).Static("/off", segue.Files{FS: packed})

	w := fetch(app, "GET /zip/a.js", "Accept-Encoding: br, gzip")
	assert.Equal(t, "a.js", w.Body.String())
	assert.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
	assert.Empty(t, w.Header().Get("Content-Length"))
	assert.Empty(t, w.Header().Values("Vary"))
	w = fetch(app, "GET /tag/a.js", "Accept-Encoding: br, gzip")
	assert.Equal(t, `a.js.br W/"v1-br" text/x`, fmt.Sprint(w.Body, " ", w.Header().Get("ETag"), " ", w.Header().Get("Content-Type")))
	assert.Equal(t, []string{"Origin", "Accept-Encoding"}, w.Header().Values("Vary"))
	assert.Equal(t, 304, fetch(app, "GET /tag/a.js", "Accept-Encoding: br", `If-None-Match: W/"v1-br"`).Code)
	assert.Equal(t, 200, fetch(app, "GET /tag/a.js", "Accept-Encoding: gzip", `If-None-Match: W/"v1-br"`).Code)
	assert.Equal(t, `W/"v1"`, fetch(app, "GET /tag/a.js").Header().Get("ETag"))
	assert.Equal(t, `"v1"`, fetch(app, "GET /off/a.js").Header().Get("ETag"))
}

func TestStaticExtension(t *testing.T) {
	app := segue.New()
	app.Static("/", segue.Files{FS: tree(
		"about.html", "both", "both.html", "dir.html", "dir/index.html", "bare.html", "bare/x.txt", "only/index.html", "v1.2.html", "a.html.html", "index.html",
	), Extension: ".html"})
	answers(t, app, map[string]string{
		"GET /about":        "200 about.html",
		"HEAD /about":       "200",
		"GET /about.html":   "200 about.html",
		"GET /about/":       "404",
		"GET /both":         "200 both",
		"GET /dir":          "200 dir.html", // before the directory
		"GET /dir/":         "200 dir/index.html",
		"GET /bare":         "200 bare.html",
		"GET /bare/":        "404",
		"GET /only":         "307",
		"GET /only/index":   "200 only/index.html",
		"GET /v1.2":         "200 v1.2.html",
		"GET /a.html":       "200 a.html.html",
		"GET /":             "200 index.html",
		"GET /nope":         "404",
		"POST /about":       "405",
		"OPTIONS /about":    "204",
		"GET /%2Fabout":     "404",
		"GET /x/..%2fabout": "404",
	})
	assert.Equal(t, "text/html; charset=utf-8", ask(t, app, "GET /about").Header().Get("Content-Type"))
}

// CacheControl is for files alone, and goes before what a middleware has set.
func TestStaticCacheControl(t *testing.T) {
	var asked []string
	files := segue.Files{FS: site, Fallback: "index.html", CacheControl: func(name string) string {
		asked = append(asked, name)
		if strings.HasSuffix(name, ".html") {
			return ""
		}
		return "immutable"
	}}
	app := segue.New()
	app.Static("/", files)
	app.With(sets("Cache-Control: private")).Static("/p", files)
	for request, want := range map[string]string{
		"GET /a.txt":      "200 immutable a.txt",
		"HEAD /a.txt":     "200 immutable a.txt",
		"GET /dir/b.txt":  "200 immutable dir/b.txt",
		"GET /":           "200  index.html",
		"GET /index.html": "200  index.html",
		"GET /deep":       "200 no-cache ",
		"GET /dir":        "307  ",
		"GET /nope.txt":   "404  ",
		"POST /a.txt":     "405  ",
		"GET /p/a.txt":    "200 immutable a.txt",
		"GET /p/dir/":     "200 private dir/index.html",
		"GET /p/deep":     "200 private ",
		"GET /p/nope.txt": "404  ",
	} {
		asked = nil
		w := fetch(app, request)
		assert.Equal(t, want, fmt.Sprintf("%d %s %s", w.Code, w.Header().Get("Cache-Control"), strings.Join(asked, ",")), request)
	}
	for header, want := range map[string]string{
		"Range: bytes=0-0": "206 immutable", "Range: bytes=99-": "416 ",
		"If-Modified-Since: " + changed.Format(http.TimeFormat): "304 immutable", `If-Match: "x"`: "412 ",
	} {
		w := fetch(app, "GET /a.txt", header)
		assert.Equal(t, want, fmt.Sprint(w.Code, " ", w.Header().Get("Cache-Control")), header)
	}
}

// A file whose file system tells no time has an ETag from its bytes: the same
// for the same bytes, wherever they lie, and another for others.
func TestStaticTags(t *testing.T) {
	epoch := fstest.MapFS{"a.txt": {Data: []byte("one"), ModTime: time.Unix(0, 0)}}                             // which http.ServeContent takes for no time
	zip := fstest.MapFS{"a.txt": {Data: []byte("one"), ModTime: time.Date(1979, 11, 30, 0, 0, 0, 0, time.UTC)}} // which archive/zip reads where an entry has none
	build := fstest.MapFS{"a.txt": {Data: []byte("one"), ModTime: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}} // which reproducible builds write
	files := fstest.MapFS{"a.txt": {Data: []byte("one")}, "b.txt": {Data: []byte("one")}, "c.txt": {Data: []byte("two")}, "dir/index.html": {}}
	app := segue.New()
	app.Static("/", segue.Files{FS: files})
	app.Static("/epoch", segue.Files{FS: epoch})
	app.Static("/zip", segue.Files{FS: zip, Precompressed: true})
	app.Static("/build", segue.Files{FS: build})
	app.Static("/forward", segue.Files{FS: forwardOnly{files}})
	tag := func(target string) string { return fetch(app, "GET "+target).Header().Get("ETag") }
	one := tag("/a.txt")
	assert.Regexp(t, `^"[0-9a-f]{32}"$`, one)
	for _, target := range []string{"/b.txt", "/epoch/a.txt", "/zip/a.txt", "/build/a.txt", "/forward/a.txt"} {
		assert.Equal(t, one, tag(target), target)
	}
	assert.NotEqual(t, one, tag("/c.txt"))
	assert.NotEmpty(t, tag("/dir/"))
	assert.Equal(t, 304, fetch(app, "GET /forward/a.txt", "If-None-Match: "+one).Code)
	assert.Equal(t, "ne", fetch(app, "GET /forward/a.txt", "Range: bytes=1-", "If-Range: "+one).Body.String())
	assert.Empty(t, tag("/nope.txt"))

	files["a.txt"] = &fstest.MapFile{Data: []byte("changed")}
	assert.NotEqual(t, one, tag("/a.txt"))
}

//go:embed testdata/surface.txt
var embedded embed.FS

// An embedded file is read for its ETag once, below fs.Sub too. A file system
// that only shows embedded files is one of its own.
func TestStaticTagsOfEmbeddedFiles(t *testing.T) {
	sub, err := fs.Sub(embedded, "testdata")
	require.NoError(t, err)
	opened := map[string]int{}
	count := func(name string, fsys fs.FS) fs.FS {
		return opener(func(file string) (fs.File, error) {
			opened[name]++
			return fsys.Open(file)
		})
	}
	app := segue.New()
	app.Static("/whole", segue.Files{FS: count("whole", embedded)})
	app.Static("/sub", segue.Files{FS: count("sub", sub)})
	app.Static("/shown", segue.Files{FS: count("shown", forwardOnly{sub})})
	want := fetch(app, "GET /whole/testdata/surface.txt").Header().Get("ETag")
	assert.NotEmpty(t, want)
	for name, target := range map[string]string{"whole": "/whole/testdata/surface.txt", "sub": "/sub/surface.txt", "shown": "/shown/surface.txt"} {
		assert.Equal(t, want, fetch(app, "GET "+target).Header().Get("ETag"))
		before := opened[name]
		assert.Equal(t, 304, fetch(app, "GET "+target, "If-None-Match: "+want).Code)
		again := map[string]int{"whole": 3, "sub": 3, "shown": 4}[name] // two looks, the file, and its bytes
		assert.Equal(t, again, opened[name]-before, name)
	}
}

// An opener is a file system of one function.
type opener func(string) (fs.File, error)

func (f opener) Open(name string) (fs.File, error) { return f(name) }

// Errors of files do not carry what a middleware has set for files.
func TestStaticErrorsCarryNoFileHeaders(t *testing.T) {
	quiet(t)
	fileHeaders := []string{"Cache-Control: immutable", `ETag: "v1"`, "Last-Modified: " + changed.Format(http.TimeFormat), "Content-Encoding: gzip"}
	files := segue.Files{FS: failingFS{FS: site, open: map[string]error{"a.txt": fs.ErrPermission, "noext": errDisk, "dir/b.txt": fs.ErrNotExist}}}
	plain, answered := segue.New(), segue.New()
	for _, app := range []*segue.Router{plain, answered} {
		app.Use(sets(append(fileHeaders, "X-Other: stays")...))
		app.Static("/assets", files)
		app.GET("/assets/own/x", shows)
		app.GET("/own/{id}", segue.Try(func(http.ResponseWriter, *http.Request) error { return segue.Errorf(404, "no such thing") }))
	}
	for request, status := range map[string]int{
		"GET /assets/nope.js": 404, "HEAD /assets/nope.js": 404, "POST /assets/nope.js": 404, "GET /assets/.env": 404, "GET /assets/a%2Fb": 404,
		"GET /assets/a.txt": 403, "GET /assets/noext": 500, "GET /assets/dir/b.txt": 404,
	} {
		w := fetch(plain, request)
		assert.Equal(t, status, w.Code, request)
		assert.Equal(t, "stays", w.Header().Get("X-Other"), request)
		for _, header := range fileHeaders {
			name, _, _ := strings.Cut(header, ": ")
			assert.Empty(t, w.Header().Get(name), "%s: %s", request, name)
		}
	}
	for _, request := range []string{"GET /assets/own/x", "GET /own/7", "GET /nothing/here"} { // no business of the files
		assert.Equal(t, "immutable", fetch(plain, request).Header().Get("Cache-Control"), request)
	}

	answered.NotFound(lost("answered"))
	w := fetch(answered, "GET /assets/nope.js")
	assert.Equal(t, "418 immutable", fmt.Sprint(w.Code, " ", w.Header().Get("Cache-Control")), "whoever answers has the header as it is")
	listed := segue.New()
	listed.With(sets("Cache-Control: private")).Static("/", files)
	listed.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		return fmt.Errorf("wrapped: %w", err)
	})
	w = fetch(listed, "GET /nope.js")
	assert.Equal(t, "404 ", fmt.Sprint(w.Code, " ", w.Header().Get("Cache-Control")), "nobody has answered it")
}

// What a request can put into a name is quoted in the log.
func TestStaticLogIsQuoted(t *testing.T) {
	log := quiet(t)
	app := segue.New()
	app.Static("/", segue.Files{FS: opener(func(name string) (fs.File, error) {
		if name == "." {
			return site.Open(name)
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: errDisk}
	})})
	answers(t, app, map[string]string{"GET /out/%0a2026/01/02%20FORGED%1b[2J%e2%80%ae%c2%85.txt": "500 Internal Server Error\n"})
	assert.Contains(t, log.String(), `Static: open out/\n2026/01/02 FORGED\x1b[2J\u202e\u0085.txt: disk on fire`)
	assert.Equal(t, 1, strings.Count(log.String(), "\n"))
}

// Names that a system cannot have are no files, whatever it calls the error.
func TestStaticNamesThatCannotBe(t *testing.T) {
	log := quiet(t)
	long := strings.Repeat("x", 256)
	app := segue.New()
	app.Static("/", segue.Files{FS: failingFS{FS: tree("index.html", "a.txt"), stat: map[string]error{
		"notdir": syscall.ENOTDIR, "toolong": syscall.ENAMETOOLONG, long + "/x": errDisk, "invalid": fs.ErrInvalid,
	}}, Fallback: "index.html"})
	app.NotFound(lost("app"))
	answers(t, app, map[string]string{
		"GET /notdir":          "200 index.html",
		"GET /toolong":         "200 index.html",
		"GET /invalid":         "200 index.html",
		"GET /" + long + "/x":  "200 index.html",
		"GET /" + long + ".js": `418 app [] ""`,
	})
	assert.Empty(t, log.String())
}

// A directory is no match without its slash. So another route's slash does not
// make it one, and Lookup says what is served.
func TestStaticDirectoryUnderAnothersSlash(t *testing.T) {
	for _, fallback := range []string{"", "page.html"} {
		for _, policy := range []segue.SlashPolicy{segue.SlashRedirect, segue.SlashExact, segue.SlashEither} {
			app := segue.New()
			app.TrailingSlash(policy)
			app.Static("/", segue.Files{FS: tree("docs/index.html", "page.html"), Fallback: fallback})
			app.GET("/docs/{page...}", shows)
			for _, target := range []string{"/docs", "/docs/", "/docs/x", "/x", "/docs/index.html"} {
				r := httptest.NewRequest("GET", target, nil)
				assert.Equal(t, app.Lookup(r).Status, fetch(app, "GET "+target).Code, "%v %s, fallback %q", policy, target, fallback)
			}
		}
	}
	app := segue.New()
	app.TrailingSlash(segue.SlashExact)
	app.Static("/", segue.Files{FS: tree("docs/index.html")})
	app.GET("/docs/{page...}", shows)
	answers(t, app, map[string]string{"GET /docs": "404", "GET /docs/": "200 GET /docs/{page...} page="})
	app.Any("/{all...}", shows)
	answers(t, app, map[string]string{"GET /docs": "200 /{all...} all=docs"})
}

// What lies under the prefix of a Static has its files, and nobody's fallback but
// its own.
func TestStaticKeepsFallbacksOut(t *testing.T) {
	app := segue.New()
	app.Static("/", segue.Files{FS: tree("page.html", "deep/x.txt"), Fallback: "page.html"})
	app.Static("/assets", segue.Files{FS: tree("a.txt")})
	app.Static("/own", segue.Files{FS: tree("own.html"), Fallback: "own.html"})
	app.With(via("x")).Static("/with/{id}", segue.Files{FS: tree("a.txt")})
	sub := segue.New()
	sub.With().Static("/inner", segue.Files{FS: tree("a.txt")})
	app.Mount("/{tenant}/sub", sub)
	answers(t, app, map[string]string{
		"GET /x":               "200 page.html",
		"GET /assets/a.txt":    "200 a.txt",
		"GET /assets/nope":     "404",
		"GET /assets/":         "404",
		"GET /assets":          "404",
		"GET /assetsx":         "200 page.html",
		"GET /own/x":           "200 own.html",
		"GET /own":             "307",
		"GET /with/7/nope":     "404",
		"GET /with":            "200 page.html",
		"GET /t/sub/inner/x":   "404",
		"GET /t/sub/x":         "404", // the router's
		"GET /deep/x":          "200 page.html",
		"POST /assets/nope":    "404",
		"OPTIONS /assets/nope": "404",
	})
	assert.Equal(t, []string{"GET /assets/{path...}", "GET /own/{path...}", "GET /with/{id}/{path...}", "GET /{path...}", "GET /{tenant}/sub/inner/{path...}"}, patterns(app))

	// A territory is still a router's alone.
	app = segue.New()
	app.Group("/{any}").NotFound(lost("any"))
	app.Static("/assets", segue.Files{FS: tree("a.txt")})
	answers(t, app, map[string]string{"GET /assets/nope": `418 any [] ""`})
}

func patterns(app *segue.Router) (all []string) {
	for r := range app.Routes() {
		all = append(all, r.Pattern)
	}
	return all
}

// A client that leaves in the middle of several ranges leaves a goroutine of
// net/http reading; the race detector watches.
func TestStaticClientLeaves(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "big"), make([]byte, 1<<20), 0o644))
	app := segue.New()
	app.Static("/disk", segue.Files{FS: os.DirFS(dir)})
	app.Static("/forward", segue.Files{FS: forwardOnly{os.DirFS(dir)}})
	for range 20 {
		for _, target := range []string{"/disk/big", "/forward/big"} {
			r := httptest.NewRequest("GET", target, nil)
			r.Header.Set("Range", "bytes=0-99999,500000-900000,100-200000")
			app.ServeHTTP(&leaver{ResponseRecorder: httptest.NewRecorder()}, r)
		}
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
	app.Static("/", segue.Files{FS: files, Fallback: "index.html"})
	app.Static("/bare", segue.Files{FS: files})
	app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		seen = append(seen, err)
		return err
	})
	answers(t, app, map[string]string{
		"GET /denied":    "403 Forbidden\n",
		"HEAD /denied":   "403",
		"POST /denied":   "405",
		"GET /hidden/x":  "403",
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
	assert.Contains(t, log.String(), "GET /lost: Static: open lost: disk on fire\n")
	assert.NotContains(t, log.String(), "gone")
	assert.NotContains(t, log.String(), "denied")
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
	app.Static("/dir", segue.Files{FS: os.DirFS(dir)})
	app.Static("/root", segue.Files{FS: root.FS()})
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
	app.Static("/", segue.Files{FS: site, Fallback: "index.html"})
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
	app.Static("/", segue.Files{FS: os.DirFS(dir), Fallback: "index.html"})
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
	group.Static("/", segue.Files{FS: site, Fallback: "index.html"})
	testkit.WhileServing(func() {
		for i := range 25 {
			app.Group(fmt.Sprintf("/g/inner%d", i))
			group.Use(via("more"))
			group.Static(fmt.Sprintf("/s%d", i), segue.Files{FS: site})
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
	app.Static("/", segue.Files{FS: site, Fallback: "index.html"})
	app.Static("/users", segue.Files{FS: site})
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
	app.Static("/", segue.Files{FS: site})
	spa.Static("/", segue.Files{FS: site, Fallback: "index.html"})
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

// As Route.Handler shows it, there is no route around it: the whole path is the
// name, and the fallback has the paths that look like no file.
func TestStaticHandlerAlone(t *testing.T) {
	for fallback, want := range map[string][2]int{"": {404, 404}, "index.html": {200, 404}} {
		app := segue.New()
		app.Static("/s", segue.Files{FS: site, Fallback: fallback})
		for route := range app.Routes() {
			for i, target := range []string{"/deep/link", "/nope.js"} {
				assert.Equal(t, want[i], fetch(route.Handler, "GET "+target).Code, "%q %s", fallback, target)
			}
			assert.Equal(t, 200, fetch(route.Handler, "GET /a.txt").Code)
		}
	}
}
