// Package segue is a router for net/http. It takes the place of
// [http.ServeMux] without a change to the handlers, and adds what Express taught
// people to expect: verbs, parameters, routers mounted into routers, middleware,
// and a list of error handlers.
//
//	app := segue.New()
//	app.Use(segue.Recover)
//	app.GET("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
//		fmt.Fprintln(w, "user", r.PathValue("id"))
//	})
//	http.ListenAndServe("localhost:8080", app)
//
// # Patterns
//
// There are two languages. [Router.Handle] and [Router.HandleFunc] take the
// patterns of ServeMux, and match and answer as ServeMux does:
//
//	[METHOD ][HOST]/path
//
//	/users/{id}        one segment, never empty
//	/files/{path...}   the rest of the path, possibly empty
//	/static/           the same without a name: the whole subtree
//	/static/{$}        exactly /static/
//
//	example.com/users            one host
//	{tenant}.example.com/users   one label, a parameter like any other
//
// The verbs ([Router.GET], [Router.POST] and so on, [Router.Any] for every
// method, [Router.Method] for any other) take a path as Express does:
//
//	/users             exactly /users
//	/users/            exactly /users/
//	/users/{id}        one segment; Express's spelling /users/:id is understood
//	/files/{path...}   the rest; Express's spelling /files/*path is understood
//
// A verb's path is never a subtree: GET("/", home) answers only /.
//
// A literal segment may be percent-encoded. Patterns and paths are compared
// decoded, segment by segment, so that an encoded slash is part of a segment. A
// name consists of letters, digits and _, and occurs once in a pattern. A wrong
// pattern is refused with a [*PatternError], which shows the place and how to
// write it right.
//
// # Which route wins
//
//  1. A route with the exact host beats one whose host has a parameter, and that
//     beats one without a host.
//  2. Then the leftmost segment in which two routes differ decides: a literal
//     beats {name}, and {name} beats a rest.
//  3. On one path, the route of the request's own method beats GET's for HEAD,
//     and that beats one for any method.
//
// If the best path has no route for the method, the next best path that has one
// answers.
//
//	GET /users/new          answers /users/new
//	GET /users/{id}         answers /users/7
//	GET /users/{id}/posts   answers /users/7/posts, and /users/new/posts too
//
// The order of registration never matters. Two routes that match the same
// requests cannot both be registered ([*ConflictError]); two that overlap can.
//
// A lookup takes one step for each segment of the path and never goes back,
// however many routes there are. For a set of routes that is built to make this
// expensive, a lookup steps through the open branches side by side instead; trie.go
// has the bound.
//
// # What handlers see
//
// Inside a handler, and inside middleware, r.Pattern is the pattern of the route
// in the language of ServeMux, with the prefixes of all mounts. One pattern
// differs: a verb's "/" shows "/" and matches that path only.
// [http.Request.PathValue], [Param], [Params] and [ParamAs] give the values of its
// parameters, decoded once. The values belong to the request: a request, or a
// copy of it, that outlives its handler keeps them. r.URL is unchanged.
//
//	app.GET("/files/{path...}", func(w http.ResponseWriter, r *http.Request) {
//		fmt.Fprintln(w, r.Pattern, segue.Param(r, "path")) // GET /files/{path...} a/b.txt
//	})
//
// [PathFor] is the way back, from a pattern and values to a path. [Outcome] tells a
// middleware whether the request is a match, a redirect or a miss.
//
// # Answers without a handler
//
// A path with an empty segment ("//") or a dot segment is redirected to the
// clean path, 307 (see [Router.CleanPath]). If no route matches a path but some
// route matches its other spelling exactly, with or without a final slash, the
// path is redirected there: for Handle's patterns only to a subtree or {$}, as
// ServeMux does, for verbs both ways (see [Router.TrailingSlash]). A redirect
// keeps the query and the encoding.
//
// If a path matches routes for other methods only, the answer is 405, with the header
// Allow, which lists them sorted. OPTIONS on the path of a verb route is answered 204
// with Allow, unless a route takes OPTIONS itself. Everything else is 404. The
// texts are those of ServeMux; [Router.NotFound], [Router.MethodNotAllowed] and
// [Router.OnError] replace them.
//
//	GET  //users/7   307 to /users/7
//	GET  /users/7/   307 to /users/7
//	POST /users/7    405, Allow: GET, HEAD, OPTIONS
//	GET  /nope       404
//
// # Routers in routers
//
// [Router.Mount] mounts a router under a prefix of another; [Router.Group] and
// [Router.With] make one that is mounted at once. The routes of all of them form
// one set, in which the rules above decide. The prefix alone, with or without a
// final slash, is "/" to what is mounted there. What [Router.Use] adds to a router
// covers all its routes and those mounted in it.
//
//	users := segue.New() // does not know where it will be mounted
//	users.GET("/{id}", showUser)
//	app.Mount("/users", users)
//
// # Errors
//
// A handler under [Try] returns an error, [Fail] takes one from anywhere, and
// [Recover] turns a panic into one. The error walks the handlers that
// [Router.OnError] added to the router of the matched route, then those of the
// routers around it. If none answers, the answer is what [StatusOf] returns.
//
//	users.GET("/{id}", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
//		return segue.Errorf(http.StatusNotFound, "no user %s", segue.Param(r, "id"))
//	}))
//
// # Where it differs from ServeMux
//
// Patterns that only overlap are legal. Methods such as "get", and segments such
// as ":id" or "*" in Handle, which ServeMux takes for literals, are refused, and so
// is a host with a port. The first label of a host may be a parameter. A redirect
// keeps the encoding of the request, and the prefix under Mount. A segment that is
// exactly "%2F" is a value. Hosts are compared without regard to case and to a final
// dot. CONNECT is matched like any other method, on clean paths only.
// Every answer goes through the middleware.
package segue
