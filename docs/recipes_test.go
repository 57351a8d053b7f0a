package docs

import (
	"bytes"
	"context"
	"crypto/rand"
	"expvar"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"net/mail"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing/fstest"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httprate"
	"github.com/rs/cors"

	"github.com/segue-go/segue"
)

// errorJSON is the end of an API's error list.
func errorJSON(w http.ResponseWriter, r *http.Request, err error) error {
	status, message := segue.StatusOf(err)
	if status >= 500 {
		slog.ErrorContext(r.Context(), "failed", "pattern", r.Pattern, "err", err)
	}
	return segue.JSON(w, status, map[string]string{"error": message})
}

func Example_cors() {
	app := segue.New()
	app.GET("/", whereAmI) // a page, which no other site may read
	api := app.Group("/api")
	api.Use(cors.New(cors.Options{
		AllowedOrigins: []string{"https://app.example"},
		AllowedMethods: []string{"GET", "PUT"},
		AllowedHeaders: []string{"Content-Type"},
	}).Handler)
	api.PUT("/notes/{id}", whereAmI)

	w := ask(app, "OPTIONS", "/api/notes/7", "", "Origin: https://app.example",
		"Access-Control-Request-Method: PUT", "Access-Control-Request-Headers: content-type")
	fmt.Println(w.Code, w.Header().Get("Access-Control-Allow-Methods"), w.Header().Get("Access-Control-Allow-Headers"))
	w = ask(app, "GET", "/api/nope", "", "Origin: https://app.example")
	fmt.Println(w.Code, w.Header().Get("Access-Control-Allow-Origin"))
	w = ask(app, "GET", "/", "", "Origin: https://app.example")
	fmt.Printf("%d %q\n", w.Code, w.Header().Get("Access-Control-Allow-Origin"))
	// Output:
	// 204 PUT content-type
	// 404 https://app.example
	// 200 ""
}

func Example_rateLimit() {
	tooMany := func(w http.ResponseWriter, r *http.Request) {
		segue.Fail(w, r, segue.Errorf(http.StatusTooManyRequests, "too many requests, try again in a minute"))
	}
	byToken := func(r *http.Request) (string, error) { return r.Header.Get("Authorization"), nil }

	app := segue.New()
	app.OnError(errorJSON)
	api := app.Group("/api")
	api.Use(httprate.LimitBy(1, time.Minute, byToken, httprate.WithLimitHandler(tooMany)))
	api.GET("/notes", listUsers)

	ask(app, "GET", "/api/notes", "")
	w := ask(app, "GET", "/api/notes", "")
	fmt.Println(w.Code, w.Header().Get("Retry-After"), w.Body)
	// Output:
	// 429 60 {"error":"too many requests, try again in a minute"}
}

// upload keeps one file of a form.
func upload(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, 10<<20) // all parts together
	file, header, err := r.FormFile("picture")
	if err != nil {
		if status, _ := segue.StatusOf(err); status == http.StatusRequestEntityTooLarge {
			return err // it has its status
		}
		return segue.Errorf(http.StatusBadRequest, "send a multipart form with a file named picture: %w", err)
	}
	defer file.Close()
	defer r.MultipartForm.RemoveAll()
	n, err := io.Copy(io.Discard, file) // to where it is kept
	if err != nil {
		return err
	}
	return segue.JSON(w, http.StatusCreated, map[string]any{"name": header.Filename, "bytes": n})
}

// form makes a multipart form with one file.
func form(size int) (body, contentType string) {
	var b bytes.Buffer
	parts := multipart.NewWriter(&b)
	part, _ := parts.CreateFormFile("picture", "cat.png")
	part.Write(make([]byte, size))
	parts.Close()
	return b.String(), "Content-Type: " + parts.FormDataContentType()
}

func Example_upload() {
	app := segue.New()
	app.OnError(errorJSON)
	app.POST("/pictures", segue.Try(upload))

	body, contentType := form(1000)
	fmt.Println(ask(app, "POST", "/pictures", body, contentType).Body)
	body, contentType = form(11 << 20)
	fmt.Println(ask(app, "POST", "/pictures", body, contentType).Body)
	fmt.Println(ask(app, "POST", "/pictures", "{}").Body)
	// Output:
	// {"bytes":1000,"name":"cat.png"}
	// {"error":"Request Entity Too Large"}
	// {"error":"send a multipart form with a file named picture"}
}

// invalid is an error that names fields. StatusOf finds its status by the
// method StatusCode.
type invalid map[string]string

func (e invalid) Error() string   { return fmt.Sprint("invalid fields: ", map[string]string(e)) }
func (e invalid) StatusCode() int { return http.StatusUnprocessableEntity }

type signup struct {
	Name string `json:"name"`
	Mail string `json:"mail"`
}

func (s signup) check() error {
	wrong := invalid{}
	if strings.TrimSpace(s.Name) == "" {
		wrong["name"] = "is missing"
	}
	if _, err := mail.ParseAddress(s.Mail); err != nil {
		wrong["mail"] = "is no address"
	}
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

func signUp(w http.ResponseWriter, r *http.Request) error {
	s, err := segue.Decode[signup](w, r)
	if err != nil {
		return err // 400, 413 or 415
	}
	if err := s.check(); err != nil {
		return err // 422
	}
	return segue.JSON(w, http.StatusCreated, s)
}

func fieldErrors(w http.ResponseWriter, r *http.Request, err error) error {
	if wrong, ok := err.(invalid); ok {
		return segue.JSON(w, wrong.StatusCode(), map[string]any{"error": "invalid fields", "fields": wrong})
	}
	return err // for the next handler of the list
}

func Example_validation() {
	app := segue.New()
	app.OnError(fieldErrors)
	app.OnError(errorJSON)
	app.POST("/users", segue.Try(signUp))
	for _, body := range []string{`{"name":"ada","mail":"ada@example.org"}`, `{"mail":"ada"}`, `{"name":7}`} {
		w := ask(app, "POST", "/users", body)
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 201 {"name":"ada","mail":"ada@example.org"}
	// 422 {"error":"invalid fields","fields":{"mail":"is no address","name":"is missing"}}
	// 400 {"error":"field name: expected a string, got a number at byte 9"}
}

func Example_query() {
	app := segue.New()
	app.OnError(errorJSON)
	app.GET("/notes", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		page, err := segue.QueryAs(r, "page", 1) // 1 where it is absent or empty
		if err != nil {
			return err // 400
		}
		since, err := segue.QueryAs[*time.Time](r, "since", nil) // nil where it is absent
		if err != nil {
			return err
		}
		tags, err := segue.QueryAs[[]string](r, "tag", nil) // ?tag=a&tag=b
		if err != nil {
			return err
		}
		return segue.Text(w, http.StatusOK, fmt.Sprint(page, since == nil, tags, "\n"))
	}))
	for _, query := range []string{"", "?page=2&tag=go&tag=web", "?since=2026-12-02T08:00:00Z", "?page=two"} {
		fmt.Print(ask(app, "GET", "/notes"+query, "").Body)
	}
	// Output:
	// 1 true []
	// 2 true [go web]
	// 1 false []
	// {"error":"query parameter page: \"two\" is not a whole number"}
}

func Example_pathFor() {
	app := segue.New()
	app.POST("/orgs/{org}/users", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		location, err := segue.PathFor(r.Pattern+"/{id}", r.PathValue("org"), 7)
		if err != nil {
			return err
		}
		w.Header().Set("Location", location)
		return segue.Text(w, http.StatusCreated, "")
	}))
	fmt.Println(ask(app, "POST", "/orgs/a%2Fb%20c/users", "").Header().Get("Location"))
	// Output:
	// /orgs/a%2Fb%20c/users/7
}

func Example_outcome() {
	app := segue.New()
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Println(r.Method, r.URL.Path, segue.Outcome(r))
			next.ServeHTTP(w, r)
		})
	})
	app.GET("/users/{id}", whereAmI)
	ask(app, "GET", "/users/7", "")
	ask(app, "GET", "/users/7/", "")
	ask(app, "PUT", "/users/7", "")
	ask(app, "GET", "/nope", "")
	// Output:
	// GET /users/7 200
	// GET /users/7/ 307
	// PUT /users/7 405
	// GET /nope 404
}

func Example_metrics() {
	requests := new(expvar.Map)
	count := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			pattern := r.Pattern
			if pattern == "" {
				pattern = "none" // no route: one label for all such paths
			}
			requests.Add(pattern, 1)
			next.ServeHTTP(w, r)
		})
	}
	app := segue.New()
	app.Use(count)
	app.GET("/users/{id}", whereAmI)
	app.GET("/metrics", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, requests) })
	for _, path := range []string{"/users/1", "/users/2", "/a", "/b"} {
		ask(app, "GET", path, "")
	}
	fmt.Println(ask(app, "GET", "/metrics", "").Body)
	// Output:
	// {"GET /metrics": 1, "GET /users/{id}": 2, "none": 2}
}

func Example_cookie() {
	app := segue.New()
	app.GET("/theme/{name}", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "theme", Value: r.PathValue("name"), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
		w.WriteHeader(http.StatusNoContent)
	})
	app.GET("/", func(w http.ResponseWriter, r *http.Request) {
		theme := "light"
		if cookie, err := r.Cookie("theme"); err == nil {
			theme = cookie.Value
		}
		segue.Text(w, http.StatusOK, theme)
	})
	fmt.Println(ask(app, "GET", "/theme/dark", "").Header().Get("Set-Cookie"))
	fmt.Println(ask(app, "GET", "/", "").Body, ask(app, "GET", "/", "", "Cookie: theme=dark").Body)
	// Output:
	// theme=dark; Path=/; HttpOnly; SameSite=Lax
	// light dark
}

func Example_sessions() {
	sessions := scs.New()
	requireLogin := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if sessions.GetString(r.Context(), "user") == "" {
				segue.Fail(w, r, segue.Errorf(http.StatusUnauthorized, "log in first"))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	app := segue.New()
	app.Use(sessions.LoadAndSave)
	app.POST("/login/{user}", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
		if err := sessions.RenewToken(r.Context()); err != nil { // against session fixation
			return err
		}
		sessions.Put(r.Context(), "user", r.PathValue("user"))
		return nil
	}))
	app.With(requireLogin).GET("/me", func(w http.ResponseWriter, r *http.Request) {
		segue.Text(w, http.StatusOK, sessions.GetString(r.Context(), "user"))
	})

	cookie, _, _ := strings.Cut(ask(app, "POST", "/login/ada", "").Header().Get("Set-Cookie"), ";")
	fmt.Println(ask(app, "GET", "/me", "", "Cookie: "+cookie).Body)
	fmt.Println(ask(app, "GET", "/me", "").Code)
	// Output:
	// ada
	// 401
}

type idKey struct{}

// requestID gives each request an id and tells the client.
func requestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), idKey{}, id)))
	})
}

// withID adds the request's id to every record that is logged with its context.
type withID struct{ slog.Handler }

func (h withID) Handle(ctx context.Context, record slog.Record) error {
	if id, ok := ctx.Value(idKey{}).(string); ok {
		record.AddAttrs(slog.String("id", id))
	}
	return h.Handler.Handle(ctx, record)
}

func (h withID) WithAttrs(attrs []slog.Attr) slog.Handler { return withID{h.Handler.WithAttrs(attrs)} }
func (h withID) WithGroup(name string) slog.Handler       { return withID{h.Handler.WithGroup(name)} }

// plain is a text handler whose lines are the same in every run.
func plain(w io.Writer) slog.Handler {
	return slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case slog.TimeKey, "duration":
			return slog.Attr{}
		case "id":
			return slog.String("id", "ID")
		}
		return a
	}})
}

func Example_requestID() {
	logger := slog.New(withID{plain(os.Stdout)}) // in a program: slog.NewJSONHandler(os.Stderr, nil)
	app := segue.New()
	app.Use(requestID, segue.AccessLog(logger), segue.Recover)
	app.GET("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		logger.InfoContext(r.Context(), "looked up", "user", r.PathValue("id"))
	})
	ask(app, "GET", "/users/7", "")
	// Output:
	// level=INFO msg="looked up" user=7 id=ID
	// level=INFO msg=request method=GET path=/users/7 pattern="GET /users/{id}" status=200 bytes=0 remote=192.0.2.1:1234 id=ID
}

func Example_behindAProxy() {
	app := segue.New()
	app.Use(middleware.ClientIPFromXFF("192.0.2.0/24")) // the proxy's own network
	app.GET("/", func(w http.ResponseWriter, r *http.Request) {
		segue.Text(w, http.StatusOK, middleware.GetClientIP(r.Context()))
	})
	fmt.Println(ask(app, "GET", "/", "", "X-Forwarded-For: 203.0.113.9, 198.51.100.7").Body) // the first is the client's own word
	// Output:
	// 198.51.100.7
}

func Example_ownFullPath() {
	app := segue.New()
	app.HandleFunc("/debug/pprof/", pprof.Index) // it looks for /debug/pprof/ in the path
	app.HandleFunc("/debug/pprof/profile", pprof.Profile)

	wrong := segue.New()
	wrong.Mount("/debug/pprof", http.HandlerFunc(pprof.Index)) // sees /heap
	for _, app := range []*segue.Router{app, wrong} {
		body := ask(app, "GET", "/debug/pprof/heap?debug=1", "").Body.String()
		fmt.Println(strings.HasPrefix(body, "heap profile:"))
	}
	// Output:
	// true
	// false
}

var siteFiles = fstest.MapFS{
	"index.html": {Data: []byte(`<link rel="stylesheet" href="site.css">`)},
	"site.css":   {Data: []byte("body {}")},
}

func Example_fileServer() {
	mounted := segue.New()
	mounted.Mount("/docs", http.FileServerFS(siteFiles))
	static := segue.New()
	static.Static("/docs", segue.Files{FS: siteFiles})
	for _, app := range []*segue.Router{mounted, static} {
		w := ask(app, "GET", "/docs", "")
		fmt.Printf("%d %q\n", w.Code, w.Header().Get("Location"))
	}
	// Output:
	// 200 ""
	// 307 "/docs/"
}

// showUserID is the handler that is tested alone.
func showUserID(w http.ResponseWriter, r *http.Request) error {
	id, err := segue.ParamAs[int](r, "id")
	if err != nil {
		return err
	}
	return segue.JSON(w, http.StatusOK, map[string]int{"id": id})
}

func Example_handlerAlone() {
	r := httptest.NewRequest("GET", "/any/path", nil)
	r.SetPathValue("id", "7")
	w := httptest.NewRecorder()
	segue.Try(showUserID)(w, r)
	fmt.Println(w.Code, w.Body)
	// Output:
	// 200 {"id":7}
}

func Example_swap() {
	routes := func(beta bool) *segue.Router {
		app := segue.New()
		app.GET("/", whereAmI)
		if beta {
			app.GET("/beta", whereAmI)
		}
		return app
	}
	var current atomic.Pointer[segue.Router]
	current.Store(routes(true))
	server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.Load().ServeHTTP(w, r) })

	fmt.Println(ask(server, "GET", "/beta", "").Code)
	current.Store(routes(false)) // requests on their way finish on the former router
	fmt.Println(ask(server, "GET", "/beta", "").Code)
	// Output:
	// 200
	// 404
}

// ignoreCase lets a router whose routes are written in lower case answer paths
// in any case.
func ignoreCase(router http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		segments := strings.Split(r.URL.EscapedPath(), "/")
		for i, s := range segments { // each by itself, so that %2F stays within its segment
			if decoded, err := url.PathUnescape(s); err == nil {
				segments[i] = url.PathEscape(strings.ToLower(decoded))
			}
		}
		if lower, err := url.ParseRequestURI(strings.Join(segments, "/")); err == nil {
			u := *r.URL
			u.Path, u.RawPath = lower.Path, lower.RawPath
			r = r.WithContext(r.Context()) // a copy: who logs outside sees the path as it came
			r.URL = &u
		}
		router.ServeHTTP(w, r)
	})
}

func Example_ignoreCase() {
	app := segue.New()
	app.GET("/users/{id}", whereAmI)
	fmt.Println(ask(ignoreCase(app), "GET", "/Users/ADA", "").Body)
	fmt.Println(ask(ignoreCase(app), "GET", "/Users/%C3%84%2FB", "").Body)
	// Output:
	// /users/ada as GET /users/{id}, id=ada
	// /users/ä/b as GET /users/{id}, id=ä/b
}

func Example_contentTypes() {
	app := segue.New()
	app.GET("/report", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if strings.Contains(r.Header.Get("Accept"), "text/csv") {
			w.Header().Set("Content-Type", "text/csv; charset=utf-8") // before the first write
			w.Header().Set("Content-Disposition", `attachment; filename="report.csv"`)
			fmt.Fprintln(w, "name,count\nada,2")
			return
		}
		segue.JSON(w, http.StatusOK, map[string]int{"ada": 2}) // sets its own type
	})
	for _, accept := range []string{"text/csv", "*/*"} {
		w := ask(app, "GET", "/report", "", "Accept: "+accept)
		fmt.Println(w.Header().Get("Content-Type"), strconv.Quote(w.Body.String()))
	}
	// Output:
	// text/csv; charset=utf-8 "name,count\nada,2\n"
	// application/json "{\"ada\":2}"
}
