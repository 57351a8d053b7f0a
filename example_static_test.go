package segue_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"testing/fstest"

	"github.com/segue-go/segue"
)

// dist stands for an embed.FS, an os.DirFS, or any other file system.
var dist = fstest.MapFS{
	"index.html":         {Data: []byte("the page")},
	"app.js":             {Data: []byte("the script")},
	"help/index.html":    {Data: []byte("the help")},
	"admin/accounts.csv": {Data: []byte("a secret")},
	".env":               {Data: []byte("another")},
}

// printAnswers prints what app answers to GET.
func printAnswers(app http.Handler, targets ...string) {
	for _, target := range targets {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		switch w.Code {
		case http.StatusOK:
			fmt.Println(target, w.Code, w.Body)
		case http.StatusTemporaryRedirect:
			fmt.Println(target, w.Code, w.Header().Get("Location"))
		default:
			fmt.Println(target, w.Code)
		}
	}
}

func ExampleRouter_Static() {
	app := segue.New()
	app.Static("/assets", dist)
	printAnswers(app, "/assets/app.js", "/assets/", "/assets/help", "/assets/help/", "/assets/nope.js", "/assets/.env")
	// Output:
	// /assets/app.js 200 the script
	// /assets/ 200 the page
	// /assets/help 307 /assets/help/
	// /assets/help/ 200 the help
	// /assets/nope.js 404
	// /assets/.env 404
}

// A single-page application: its page answers for its paths, but neither for
// files that are not there nor for the API, which is a router of its own.
func ExampleRouter_Static_fallback() {
	app := segue.New()
	app.Static("/", dist, "index.html")
	api := app.Group("/api")
	api.GET("/users", func(w http.ResponseWriter, r *http.Request) { segue.Text(w, http.StatusOK, "all users") })
	printAnswers(app, "/", "/users/7", "/app.js", "/nope.js", "/api/users", "/api/nope")
	// Output:
	// / 200 the page
	// /users/7 200 the page
	// /app.js 200 the script
	// /nope.js 404
	// /api/users 200 all users
	// /api/nope 404
}

// A guard on a part of the files. No spelling of the path gets around it. The
// route for the rest sees to it that what the guarded files do not have is not
// looked for among the others.
func ExampleRouter_Static_guard() {
	guard := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			segue.Fail(w, r, segue.Errorf(http.StatusUnauthorized, "log in first"))
		})
	}
	reports, _ := fs.Sub(dist, "admin")
	app := segue.New()
	app.Static("/", dist)
	admin := app.Group("/admin", guard)
	admin.Static("/", reports)
	admin.Any("/{path...}", http.NotFound)
	printAnswers(app, "/app.js", "/admin/accounts.csv", "/admin/nope.csv", "/admin%2Faccounts.csv", "/x/..%2fadmin/accounts.csv")
	// Output:
	// /app.js 200 the script
	// /admin/accounts.csv 401
	// /admin/nope.csv 401
	// /admin%2Faccounts.csv 404
	// /x/..%2fadmin/accounts.csv 404
}

// Wrong: the API's routes stand on the same router as the files. A path that
// none of them has is then the page's, and an API's client gets HTML with
// status 200. Put them under [Router.Group] or [Router.Mount].
func ExampleRouter_Static_wrong() {
	app := segue.New()
	app.Static("/", dist, "index.html")
	app.GET("/api/users", func(w http.ResponseWriter, r *http.Request) { segue.Text(w, http.StatusOK, "all users") })
	printAnswers(app, "/api/users", "/api/userz")
	// Output:
	// /api/users 200 all users
	// /api/userz 200 the page
}
