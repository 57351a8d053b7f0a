package names

import (
	"fmt"
	"net/http"

	"github.com/segue-go/segue"
)

func tenants(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.PathValue("org"), r.PathValue("user"))
		fmt.Println(r.PathValue("team")) // want `no parameter "team" in GET /{user}, GET /{user}/posts; there is "org", "user"`
		next.ServeHTTP(w, r)
	})
}

func users() *segue.Router {
	users := segue.New()
	users.Use(tenants)
	users.GET("/{user}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, segue.Param(r, "org"), segue.Param(r, "user"))
		fmt.Fprintln(w, segue.Param(r, "organisation")) // want `no parameter "organisation" in GET /{user}; there is "org", "user"$`
	})
	users.With(segue.Recover).GET("/{user}/posts", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, segue.Param(r, "orgs")) // want `no parameter "orgs" in GET /{user}/posts; there is "org", "user"; did you mean "org"`
	})
	return users
}

func mounted() {
	app := segue.New()
	app.Mount("/orgs/:org/users", users())
	admin := app.Group("/admin/{area}")
	admin.GET("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("area"), r.PathValue("zone")) // want `no parameter "zone" in GET /; there is "area"`
	})
	admin.NotFound(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("area"))
	}))
	old := http.NewServeMux()
	old.HandleFunc("/{name}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("version"), r.PathValue("name"))
		fmt.Fprintln(w, r.PathValue("vresion")) // want `no parameter "vresion"`
	})
	app.Mount("/old/{version}", old)
	app.Mount("/plain/{of}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("of"), r.PathValue("off")) // want `no parameter "off" in /plain/{of}/; there is "of"`
	}))
	http.ListenAndServe("localhost:8080", app)
}
