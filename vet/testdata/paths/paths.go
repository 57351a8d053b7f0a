// Package paths makes paths of patterns.
package paths

import "github.com/segue-go/segue"

const user = "GET example.com/users/{id}"

func wrong() {
	segue.PathFor("/users/{id}")           // want `no path for "/users/{id}": it has the parameters \[id\], and 0 values were given`
	segue.PathFor(user+"/{post}", 1)       // want `it has the parameters \[id post\], and 1 values were given`
	segue.PathFor("/about", "x")           // want `1 values were given`
	segue.PathFor("/users/{id", 1)         // want `pattern "/users/{id" is wrong at offset 7: the brace is not closed; write {name}`
	segue.PathFor("/users/{id:[0-9]+}", 1) // want `a parameter takes no regular expression`
	segue.PathFor("users", 1)              // want `pattern "users" is wrong at offset 0: no path`
}

func silent(pattern string, values []any, value func() any) {
	segue.PathFor("/users/:id/*rest", 1, value())
	segue.PathFor("/users/{id}", values...)
	segue.PathFor(pattern)
	segue.PathFor(user, "") // an error, but of the value
}
