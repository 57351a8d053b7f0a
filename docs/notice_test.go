package docs

import (
	"net/http"
	"os"
	"strconv"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/gorilla/mux"
	"github.com/julienschmidt/httprouter"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
)

// TestServeMuxIsTheSame compares headers too.
func TestServeMuxIsTheSame(t *testing.T) {
	before, after := serveMuxBefore(), serveMuxAfter()
	for _, r := range [][2]string{
		{"HEAD", "/users"}, {"OPTIONS", "/users"}, {"PATCH", "/users"}, {"GET", "/users/2/"}, {"GET", "//users?q=1"},
		{"GET", "/files"}, {"GET", "/files/"}, {"GET", "/files/a%2Fb"}, {"GET", "/admin/nope"}, {"GET", "/nope"},
	} {
		want, got := ask(before, r[0], r[1], ""), ask(after, r[0], r[1], "")
		assert.Equal(t, want.Code, got.Code, r)
		assert.Equal(t, want.Header(), got.Header(), r)
		assert.Equal(t, want.Body.String(), got.Body.String(), r)
	}
}

// TestTable holds the page's table of what changes to what the programs do.
// Express's column was taken from Express 5.3 by hand.
func TestTable(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	page, err := os.ReadFile("ways-over.md")
	require.NoError(t, err)
	programs := []http.Handler{chiBefore(), gorillaBefore(), httprouterBefore(), ginBefore(), echoBefore(), nil, chiAfter()}
	for _, r := range []struct {
		method, target string
		express        int
		note           string
	}{
		{"HEAD", "/users", 200, ""},
		{"OPTIONS", "/users", 200, ""},
		{"PATCH", "/users", 404, ", which has other methods"},
		{"GET", "/users/2/", 200, ""},
		{"GET", "//users", 404, ""},
		{"GET", "/USERS", 200, ""},
		{"GET", "/admin/nope", 401, ", not logged in"},
	} {
		row := "| `" + r.method + " " + r.target + "`" + r.note + " |"
		for _, p := range programs {
			status := r.express
			if p != nil {
				status = ask(p, r.method, r.target, "").Code
			}
			row += " " + strconv.Itoa(status) + " |"
		}
		assert.Contains(t, string(page), row+"\n")
	}
}

// TestAsBefore shows the lines by which the router before is matched.
func TestAsBefore(t *testing.T) {
	exact := segue.New()
	exact.TrailingSlash(segue.SlashExact) // chi, gorilla/mux, echo
	either := segue.New()
	either.TrailingSlash(segue.SlashEither) // Express
	for _, app := range []*segue.Router{exact, either} {
		app.GET("/users/{id}", func(w http.ResponseWriter, r *http.Request) { showUser(w, r.PathValue("id")) })
	}
	assert.Equal(t, 404, ask(exact, "GET", "/users/2/", "").Code)
	assert.Equal(t, 200, ask(either, "GET", "/users/2/", "").Code)

	guarded := segue.New() // Express, echo: the guard answers for whatever is below its prefix
	admin := guarded.Group("/admin", requireAdmin)
	admin.GET("/users", listUsers)
	assert.Equal(t, 401, ask(guarded, "GET", "/admin/nope", "").Code)
	assert.Equal(t, 404, ask(guarded, "GET", "/admin/nope", "", "Authorization: Basic x").Code)

	raw := segue.New()
	raw.CleanPath(false) // chi, gin, echo, Express
	raw.GET("/files/{path...}", func(w http.ResponseWriter, r *http.Request) { sendFile(w, r.PathValue("path")) })
	assert.Equal(t, "\"a//b\"\n", ask(raw, "GET", "/files/a//b", "").Body.String())

	strict := segue.New()
	strict.GET("/users", listUsers)
	strict.HEAD("/users", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(405) })
	assert.Equal(t, 405, ask(strict, "HEAD", "/users", "").Code)
}

// TestClaims is what the page says beside the programs.
func TestClaims(t *testing.T) {
	byChi := chi.NewRouter()
	byChi.Get("/users/{id}", func(w http.ResponseWriter, r *http.Request) { send(w, 200, r.PathValue("id")) })
	assert.Equal(t, "\"7\"\n", ask(byChi, "GET", "/users/7", "").Body.String(), "chi fills PathValue")

	byHTTPRouter := httprouter.New()
	byHTTPRouter.HandlerFunc("GET", "/users/:id", nothingHere)
	assert.Panics(t, func() { byHTTPRouter.HandlerFunc("GET", "/users/new", nothingHere) })
	app := segue.New()
	app.GET("/users/:id", nothingHere)
	app.GET("/users/new", listUsers)
	assert.Equal(t, 200, ask(app, "GET", "/users/new", "").Code)

	byGorilla := mux.NewRouter()
	byGorilla.HandleFunc("/users/{id}", nothingHere)
	byGorilla.HandleFunc("/users/new", listUsers) // never reached
	assert.Equal(t, 404, ask(byGorilla, "GET", "/users/new", "").Code)
	assert.Panics(t, func() { app.GET("/users/{name}", listUsers) }, "the same requests as /users/:id")

	app.Handle("GET api.example.com/users", http.HandlerFunc(listUsers))
	assert.Equal(t, 200, ask(app, "GET", "http://api.example.com/users", "").Code)
	assert.Equal(t, 404, ask(app, "GET", "http://example.com/users", "").Code)
}

// TestHiddenRouterHasItsOwnErrors is what pitfalls.md says of a wrapped Router.
func TestHiddenRouterHasItsOwnErrors(t *testing.T) {
	users := segue.New()
	users.GET("/{id}", segue.Try(showUserOrFail))
	app := segue.New()
	app.Mount("/wrong", logging(users))
	app.Mount("/right", users)
	app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
		return segue.Text(w, 404, "the outer list")
	})
	assert.Equal(t, "the outer list", ask(app, "GET", "/right/7", "").Body.String())
	assert.Equal(t, "no user 7\n", ask(app, "GET", "/wrong/7", "").Body.String())
}
