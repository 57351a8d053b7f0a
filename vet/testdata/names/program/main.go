// The program's functions are nobody else's, exported or not.
package main

import (
	"fmt"
	"log"
	"net/http"
)

// App is an application.
type App struct{ Mux *http.ServeMux }

// NewApp returns an App.
func NewApp() *App {
	a := &App{Mux: http.NewServeMux()}
	a.Mux.HandleFunc("GET /users/{id}", a.ShowUser)
	return a
}

// ShowUser shows a user.
func (a *App) ShowUser(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, r.PathValue("userID")) // want `no parameter "userID" in GET /users/{id}; there is "id"; did you mean "id"\?`
}

// ServeHTTP answers requests.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.Mux.ServeHTTP(w, r) }

func main() {
	http.HandleFunc("/default/{name}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.PathValue("nmae")) // want `no parameter "nmae" in /default/{name}; there is "name"; did you mean "name"`
	})
	go http.ListenAndServe("localhost:8081", nil)
	server := &http.Server{Addr: "localhost:8080", Handler: NewApp()}
	log.Fatal(server.ListenAndServe())
}
