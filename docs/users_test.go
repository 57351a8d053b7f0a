// Package docs holds what the pages beside it show, compiled and run.
package docs

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/segue-go/segue"
)

// What every program of ways-over.md has, whatever router is before it.

type user struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

var users = []user{{1, "ada"}, {2, "grace"}}

func find(id int) (user, bool) {
	for _, u := range users {
		if u.ID == id {
			return u, true
		}
	}
	return user{}, false
}

func send(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}

func listUsers(w http.ResponseWriter, r *http.Request) { send(w, 200, users) }

func showUser(w http.ResponseWriter, id string) {
	n, err := strconv.Atoi(id)
	if err != nil {
		send(w, 400, "not a number")
		return
	}
	u, ok := find(n)
	if !ok {
		send(w, 404, "no such user")
		return
	}
	send(w, 200, u)
}

func createUser(w http.ResponseWriter, r *http.Request) {
	var u user
	if err := json.NewDecoder(r.Body).Decode(&u); err != nil {
		send(w, 400, "not JSON")
		return
	}
	send(w, 201, u)
}

func deleteUser(w http.ResponseWriter, id string) { w.WriteHeader(204) }

func sendFile(w http.ResponseWriter, path string) { send(w, 200, path) }

func nothingHere(w http.ResponseWriter, r *http.Request) { send(w, 404, "nothing here") }

func requireAdmin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			send(w, 401, "log in first")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// The same for those whose handlers return errors already.

func showUserOrFail(w http.ResponseWriter, r *http.Request) error {
	id, err := segue.ParamAs[int](r, "id")
	if err != nil {
		return err
	}
	u, ok := find(id)
	if !ok {
		return segue.Errorf(404, "no user %d", id)
	}
	return segue.JSON(w, 200, u)
}
