// Package patterns registers patterns that are refused. // want package:"gives values and routes"
package patterns

import (
	"net/http"

	"github.com/segue-go/segue"
)

func handler(http.ResponseWriter, *http.Request) {}

const open = "/users/{id"

func verbs(app *segue.Router) {
	app.GET("/users/{id", handler)                         // want `pattern "GET /users/{id" is refused at offset 11: the brace is not closed; write {name}`
	app.POST("users", handler)                             // want `a verb's path begins with "/"`
	app.PUT("GET /users", handler)                         // want `the method is in the name of the call; write "/users"`
	app.Any("/users/{id:[0-9]+}", handler)                 // want `a parameter takes no regular expression`
	app.DELETE(open+"}/{id}", handler)                     // want `the name id occurs twice in this path`
	app.Method("get", "/lower", http.HandlerFunc(handler)) // want `methods are case-sensitive`
	app.Method("A B", "/token", http.HandlerFunc(handler)) // want `pattern "A B /token" is refused at offset 1: a method is a token`
	app.Method("", "/token", http.HandlerFunc(handler))    // want `the method is empty`
	app.Handle("GET /x/:id", http.HandlerFunc(handler))    // want `a colon is a literal here; write {id}`
	app.HandleFunc("example.com:80/", handler)             // want `hosts are compared without their port`
	app.Static("/assets/{$}", segue.Files{})               // want `a prefix cannot end in a rest or {\$}`
	app.With(segue.Recover).GET("/what?", handler)         // want `a query is not part of a path`
	admin := app.Group("admin", segue.Recover)             // want `pattern "admin" is refused at offset 0: a prefix begins with "/"`
	admin.GET("/fine", handler)                            //
	app.Mount("/a/{rest...}", admin)                       // want `a prefix cannot end in a rest`
	app.Mount("/b//c", http.HandlerFunc(handler))          // want `an empty or dot segment never matches`
}

func joined() {
	users := segue.New()
	users.GET("/{id}", handler)
	app := segue.New()
	app.Mount("/orgs/{id}", users) // want `the name id stands in the mount's prefix too`
	teams := app.Group("/teams/{team}")
	teams.GET("/{team}", handler) // want `pattern "GET /teams/{team}/{team}" is refused at offset 18: the name team stands in the mount's prefix too`
	app.Mount("/self", app)       // want `a router cannot be mounted in itself`
}

func muxes(mux *http.ServeMux) {
	mux.HandleFunc("GET /users/{id", handler)        // want `pattern "GET /users/{id" is refused at offset 11: the brace is not closed`
	mux.Handle("/a{b}", http.HandlerFunc(handler))   // want `a wildcard is a whole segment`
	http.HandleFunc("users", handler)                // want `no path`
	mux.HandleFunc("/a/{x}/{x}", handler)            // want `the name x occurs twice`
	mux.HandleFunc("{tenant}.example.com/", handler) // want `pattern "{tenant}.example.com/" is refused at offset 0`
}
