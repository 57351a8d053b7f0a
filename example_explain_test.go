package segue_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/segue-go/segue"
)

func ExampleRouter_Explain() {
	show := func(http.ResponseWriter, *http.Request) {}
	app := segue.New()
	app.GET("/users/new", show)
	app.GET("/users/{id}", show)
	app.GET("/users/{id}/posts", show)

	trace := app.Explain(httptest.NewRequest("GET", "/users/new/posts", nil))
	for _, step := range trace.Steps {
		fmt.Println(step.Segment, step.Kind, step.Node)
	}
	fmt.Println(trace.Match.Route.Pattern, trace.Match.Params)

	trace = app.Explain(httptest.NewRequest("GET", "/user/7", nil))
	fmt.Println(trace.Match.Status, trace.Nearest[0].Pattern)
	// Output:
	// users literal [/users]
	// new parameter [/users/new /users/{id}]
	// posts literal [/users/{id}/posts]
	// GET /users/{id}/posts map[id:new]
	// 404 GET /users/{id}
}

// A trace is drawn for a terminal.
func ExampleTrace_String() {
	app := segue.New()
	app.Handle("GET /users/new", http.NotFoundHandler())
	app.Handle("GET /users/{id}", http.NotFoundHandler())

	trace := app.Explain(httptest.NewRequest("DELETE", "/users/new", nil))
	fmt.Println(trace)
	// Output:
	// DELETE example.com /users/new
	// 405, Allow: GET, HEAD
	//
	//       /
	//   1  ├─ users  literal                                                  2 routes
	//   2  └─ new    literal                                                  2 routes
	//                merged: /users/new, /users/{id}
	//
	// nearest:
	//   GET /users/new                                 the same path by another method
	//   GET /users/{id}                                the same path by another method
}
