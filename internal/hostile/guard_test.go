package hostile

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// Two ways past a router that attackers look for: around a guard, and out of
// the site by a redirect.

const secret = "the secret"

// guardedSite keeps its secret below /admin, where a guard lets nobody pass. The
// same file lies in what is served to all.
func guardedSite(configure func(*segue.Router)) *segue.Router {
	site := fstest.MapFS{
		"index.html":       {Data: []byte("welcome")},
		"dir/index.html":   {Data: []byte("page")},
		"admin/secret.txt": {Data: []byte(secret)},
		".env":             {Data: []byte(secret)},
	}
	tell := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, secret) }
	guard := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) })
	}
	app := segue.New()
	configure(app)
	app.GET("/ping", pong)
	app.GET("/users/{id}", attackEcho)
	admin := app.Group("/admin", guard)
	admin.GET("/panel", tell)
	admin.GET("/report/{name}", tell)
	admin.Any("/{path...}", tell)
	app.Static("/", segue.Files{FS: site})
	return app
}

// attackGuards have 403 where the guard ran.
var attackGuards = []attackRow{
	{request: "/admin/secret.txt", status: 403},
	{request: "/admin/panel", status: 403},
	{request: "/admin", status: 403},
	{request: "/admin/", status: 403},
	{request: "/admin/report/x", status: 403},
	{request: "/admin?/../ping", status: 403},
	{request: "/%61dmin/secret.txt", status: 403},
	{request: "/%61%64%6D%69%6e/%73ecret.txt", status: 403},
	{request: "/admin/secret.txt;x", status: 403},
	{request: "/admin/secret.txt%00", status: 403},
	{request: "/admin/secret.txt%2F", status: 403},
	{request: "/admin/secret.txt/", status: 403},
	{request: "/admin/%2e/secret.txt", status: 403},
	{request: "/admin/%2e%2e/admin/secret.txt", status: 403},
	{request: "/admin/%2F/secret.txt", status: 403},
	{request: `/admin/\secret.txt`, status: 403},
	{request: "/admin/.%2e/ping", status: 403},
	{request: "http://evil.com/admin/secret.txt", status: 403},
	{request: local("HEAD /admin/secret.txt"), status: 403},
	{request: local("POST /admin/secret.txt"), status: 403},
	{request: local("OPTIONS /admin/secret.txt"), status: 403},
	{request: local("M-SEARCH /admin/panel"), status: 403},
	{request: local("get /admin/panel"), status: 403},
	{request: local("CONNECT /admin/panel"), status: 403},
	{request: head("GET /admin/panel", "Host: evil.com"), status: 403},
	{request: local("GET /admin/panel", "X-Original-URL: /ping", "X-Rewrite-URL: /ping"), status: 403},
	{request: local("GET /admin/panel", "X-HTTP-Method-Override: OPTIONS", "X-Forwarded-For: 127.0.0.1"), status: 403},
	{request: local("GET /ping", "X-Original-URL: /admin/panel", "X-Rewrite-URL: /admin/panel"), status: 200, body: "pong"},

	{request: "//admin/secret.txt", status: 403, location: "/admin/secret.txt"},
	{request: "/admin//secret.txt", status: 403, location: "/admin/secret.txt"},
	{request: "/./admin/secret.txt", status: 403, location: "/admin/secret.txt"},
	{request: "/x/../admin/secret.txt", status: 403, location: "/admin/secret.txt"},
	{request: "/admin/./secret.txt", status: 403, location: "/admin/secret.txt"},
	{request: "/admin/../admin/secret.txt", status: 403, location: "/admin/secret.txt"},
	{request: "/admin/..", status: 307, location: "/"},
	{request: "/admin/panel/", status: 403, location: "/admin/panel"},
	{request: "/dir/../admin/panel/", status: 403, location: "/admin/panel"},
	{request: "/dir?//evil.com", status: 307, location: "/dir/?//evil.com"},

	{request: "/admin%2Fsecret.txt", status: 404},
	{request: "/admin%2fsecret.txt", status: 404},
	{request: "/admin%252Fsecret.txt", status: 404},
	{request: "/admin%252e%252e%252fsecret.txt", status: 404},
	{request: "/%2561dmin/%70anel", status: 404},
	{request: "/%2561dmin%252F%73ecret.txt", status: 404},
	{request: "/dir/%252e%252e/%61dmin/secret.txt", status: 404},
	{request: `/admin\secret.txt`, status: 404},
	{request: "/admin%5Csecret.txt", status: 404},
	{request: "/admin%c0%afsecret.txt", status: 404},
	{request: "/admin%E2%88%95secret.txt", status: 404},
	{request: "/%EF%BD%81dmin/secret.txt", status: 404},
	{request: "/ADMIN/secret.txt", status: 404},
	{request: "/admin;/secret.txt", status: 404},
	{request: "/admin%00/secret.txt", status: 404},
	{request: "/admin%20/secret.txt", status: 404},
	{request: "/admin./secret.txt", status: 404},
	{request: "/%09admin/secret.txt", status: 404},
	{request: "/%2e/admin/secret.txt", status: 404},
	{request: "/%2fadmin/secret.txt", status: 404},
	{request: "/%2e%2fadmin%2fsecret.txt", status: 404},
	{request: "/x/%2e%2e/admin/secret.txt", status: 404},
	{request: "/x%2f..%2fadmin/secret.txt", status: 404},
	{request: "/dir/%2e%2E/admin/secret.txt", status: 404},
	{request: "/dir/..%2fadmin%2Fsecret.txt", status: 404},
	{request: "/dir/%c0%ae%c0%ae/admin/secret.txt", status: 404},
	{request: "/.env", status: 404},
	{request: "/%2eenv", status: 404},
	{request: "/dir/%2e%2e/.env", status: 404},
	{request: "/users/..%2Fadmin%2Fsecret.txt", status: 200, body: `GET /users/{id} id="../admin/secret.txt"`},
	{request: "/users/%2e%2e/admin/secret.txt", status: 404},

	// The decoded path is matched here (see attackPaths), by guard and files alike.
	{request: `/admin%2Fsecret.txt"`, status: 403},
	{request: "/\xc3\xbc/%2e%2e%2Fadmin/secret.txt", status: 403, location: "/admin/secret.txt"},
	{request: "/<%2f..%2Fadmin%2Fsecret.txt", status: 403, location: "/admin/secret.txt"},
}

func TestAttackGuard(t *testing.T) {
	v := newVictim(t, guardedSite(func(*segue.Router) {}))
	for _, row := range attackGuards {
		if !strings.Contains(row.request, "HTTP/") {
			row.request = local("GET " + row.request)
		}
		got := v.attack(row.request)
		name := fmt.Sprintf("%q", row.request)
		assert.Equal(t, row.status, got.status, name)
		assert.Equal(t, row.location, got.location, name)
		assert.NotContains(t, got.body, secret, name)
		if row.status == 200 {
			assert.Equal(t, row.body, got.body, name)
		}
	}
}

// spell joins up to n of the pieces, each with each.
func spell(n int, pieces []string, do func(string)) {
	var add func(text string, n int)
	add = func(text string, n int) {
		do(text)
		for _, p := range pieces {
			if n > 0 {
				add(text+p, n-1)
			}
		}
	}
	add("", n)
}

// received is a request as a server reads it, nil where it would refuse it.
func received(raw string) *http.Request {
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
	if err != nil {
		return nil
	}
	return r
}

var everySetting = []func(*segue.Router){
	func(*segue.Router) {},
	func(app *segue.Router) { app.CleanPath(false) },
	func(app *segue.Router) { app.TrailingSlash(segue.SlashExact) },
	func(app *segue.Router) { app.TrailingSlash(segue.SlashEither) },
	func(app *segue.Router) { app.TrailingSlash(segue.SlashEither); app.CleanPath(false) },
	func(app *segue.Router) { app.TrailingSlash(segue.SlashExact); app.CleanPath(false) },
	func(app *segue.Router) { app.PathValues(false); app.CleanPath(false) },
}

// Whatever is put around and between the parts of a guarded path, under every
// setting, the secret stays.
func TestAttackGuardSpellings(t *testing.T) {
	pieces := []string{"/", "%2F", `\`, "%5c", ".", "%2e", "..%2f", "x", `"`, "%00", "\xc3\xbc"}
	tried, refused := 0, 0
	for i, setting := range everySetting {
		site := guardedSite(setting)
		try := func(target string) {
			r := received(local("GET " + target))
			if r == nil {
				return
			}
			tried++
			w := httptest.NewRecorder()
			site.ServeHTTP(w, r)
			if w.Code == 403 {
				refused++
			}
			if strings.Contains(w.Body.String(), secret) {
				t.Errorf("setting %d: GET %q gives the secret away", i, target)
			}
		}
		each := func(before, between string) {
			try("/" + before + "admin" + between + "secret.txt")
			try("/" + before + "/admin" + between + "/panel" + before)
			try("/admin/" + before + between + "panel")
		}
		spell(1, pieces, func(one string) {
			spell(2, pieces, func(two string) {
				each(one, two)
				each(two, one)
			})
		})
	}
	t.Logf("%d requests, of which the guard refused %d", tried, refused)
	assert.Greater(t, refused, len(everySetting))
}

// A redirector is a way to set up a router that answers with a Location.
type redirector struct {
	name    string
	handler http.Handler
	once    bool // what it leads to is not redirected again
}

func slashRoutes(rt *segue.Router) *segue.Router {
	for _, path := range []string{"/{one}", "/a/{b}/", "/{one}/{two}/{three}", "/dir/evil.com/", "/evil.com/{x}", "/{one}/@/{rest...}"} {
		rt.GET(path, attackEcho)
	}
	return rt
}

func muxRoutes(rt *segue.Router) *segue.Router {
	for _, pattern := range []string{"/evil.com/", "/{one}/{$}", "/{one}/{two}/", "/a/{rest...}", "//evil.com/", "//{one}/@/{$}"} {
		rt.HandleFunc(pattern, attackEcho)
	}
	return rt
}

// longRedirectors are as many as are tried at length.
const longRedirectors = 5

// redirectors are all ways to a Location that the package has: cleaning, the
// final slash of both languages under each policy, directories, and mounts.
func redirectors() []redirector {
	all := []redirector{
		{"handle", muxRoutes(segue.New()), true},
		{"static", func() http.Handler { rt := segue.New(); rt.Static("/", segue.Files{FS: redirectFiles}); return rt }(), true},
		{"static below a parameter", func() http.Handler { rt := segue.New(); rt.Static("/{one}", segue.Files{FS: redirectFiles}); return rt }(), true},
	}
	for i, setting := range everySetting {
		verbs := slashRoutes(segue.New())
		setting(verbs)
		both := muxRoutes(slashRoutes(segue.New()))
		setting(both)
		outer, anywhere, plain, kept := segue.New(), segue.New(), segue.New(), segue.New()
		outer.Mount("/dir", slashRoutes(segue.New()))
		setting(outer)
		anywhere.Mount("/{org}", verbs)
		plain.Mount("/a", http.HandlerFunc(verbs.ServeHTTP))
		kept.CleanPath(false)
		kept.Mount("/a", http.HandlerFunc(both.ServeHTTP))
		behind := http.NewServeMux()
		behind.Handle("/", http.StripPrefix("/", verbs)) // its paths have no first slash
		all = append(all,
			redirector{fmt.Sprintf("verbs, setting %d", i), verbs, true},
			redirector{fmt.Sprintf("both languages, setting %d", i), both, true},
			redirector{fmt.Sprintf("mounted, setting %d", i), outer, true},
			redirector{fmt.Sprintf("mounted at a parameter, setting %d", i), anywhere, true},
			redirector{fmt.Sprintf("mounted as a handler, setting %d", i), plain, false},
			redirector{fmt.Sprintf("mounted as a handler, unclean, setting %d", i), kept, false},
			redirector{fmt.Sprintf("behind StripPrefix, setting %d", i), behind, false},
			redirector{fmt.Sprintf("stripped, setting %d", i), http.StripPrefix("/a", verbs), false},
		)
	}
	return all
}

var redirectFiles = fstest.MapFS{
	"index.html": {}, "evil.com/index.html": {}, "a/index.html": {}, "a/@/evil.com/index.html": {}, "dir/index.html": {},
}

var redirectPieces = []string{
	"/", `\`, "%5C", "%2F", "%2e", ".", "%09", "evil.com", "%0d%0a", "%00", "a", "dir", "@", ":80", ";", `"`, "\xc3\xbc", "%20", "http:", "%23", "%3F",
}

func TestAttackRedirects(t *testing.T) {
	redirects := 0
	for i, maker := range redirectors() {
		length := 2
		if i < longRedirectors && testkit.Explore() {
			length = 3
		}
		try := func(target string) {
			r := received(local("GET "+target, "X-Forwarded-Host: evil.com", "X-Forwarded-Prefix: //evil.com"))
			if r == nil {
				return
			}
			w := httptest.NewRecorder()
			maker.handler.ServeHTTP(w, r)
			location := w.Header().Get("Location")
			if (w.Code >= 300 && w.Code < 400) != (location != "") {
				t.Errorf("%s: %q: %d with Location %q", maker.name, target, w.Code, location)
			}
			if location == "" {
				return
			}
			redirects++
			staysOnSite(t, location, maker.name+": "+target)
			if !maker.once {
				return
			}
			next := httptest.NewRecorder()
			maker.handler.ServeHTTP(next, received(local("GET "+location)))
			if next.Code == 307 {
				t.Errorf("%s: %q leads to %q, and that on to %q", maker.name, target, location, next.Header().Get("Location"))
			}
		}
		spell(length, redirectPieces, func(path string) {
			try("/" + path)
		})
		spell(2, redirectPieces, func(path string) {
			try("/" + path + "//evil.com/?q=//evil.com")
			try("/" + path + "/evil.com")
			try("/a/" + path)
		})
	}
	t.Logf("%d redirects", redirects)
	assert.Greater(t, redirects, 1000)
}

// The same over sockets, as far as that is quick.
func TestAttackRedirectsOnTheWire(t *testing.T) {
	for _, maker := range redirectors() {
		v := newVictim(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/ping" {
				pong(w, r)
				return
			}
			maker.handler.ServeHTTP(w, r)
		}))
		for _, path := range []string{"//evil.com", `/\evil.com`, `//\evil.com//`, "/%5Cevil.com/", "/%09/evil.com/", "//%0d%0aX:%20y", "/./" + strings.Repeat("/", 50) + "evil.com", "/a//evil.com/", "/dir//evil.com"} {
			if got := v.attack(local("GET " + path + "?x=%0d%0a//evil.com")); got.location != "" {
				staysOnSite(t, got.location, maker.name+": "+path)
				require.Equal(t, 307, got.status)
			}
		}
	}
}
