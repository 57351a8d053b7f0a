// Package values sets values itself, under a name that it knows. // want package:"gives values"
package values

import (
	"fmt"
	"net/http"
)

func withUser(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.SetPathValue("user", "me")
		next.ServeHTTP(w, r)
	})
}

func routes() {
	mux := http.NewServeMux()
	mux.Handle("/me", withUser(http.HandlerFunc(me)))
}

func me(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, r.PathValue("user"))
	fmt.Fprintln(w, r.PathValue("name")) // want `no parameter "name" in /me, nor any other`
}
