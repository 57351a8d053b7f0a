// Hello is the program of the project's README.
package main

import (
	"fmt"
	"log"
	"net/http"

	"github.com/segue-go/segue"
)

func main() {
	fmt.Println("listening on http://localhost:18000, try http://localhost:18000/hello/vikram")
	log.Fatal(http.ListenAndServe(":18000", newApp()))
}

func newApp() *segue.Router {
	app := segue.New()
	app.Use(segue.Recover)
	app.GET("/hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		segue.Text(w, http.StatusOK, "Hello, "+r.PathValue("name")+"!\n")
	})

	users := segue.New() // does not know where it will be mounted
	users.GET("/", func(w http.ResponseWriter, r *http.Request) { segue.Text(w, http.StatusOK, "all users\n") })
	users.GET("/new", func(w http.ResponseWriter, r *http.Request) { segue.Text(w, http.StatusOK, "a form\n") })
	users.GET("/{id}", segue.Try(showUser))
	app.Mount("/users", users)
	return app
}

func showUser(w http.ResponseWriter, r *http.Request) error {
	id, err := segue.ParamAs[int](r, "id")
	if err != nil {
		return err // answered with 400
	}
	return segue.JSON(w, http.StatusOK, map[string]int{"id": id})
}
