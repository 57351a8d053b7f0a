// Package conformance holds no code, only the tests that compare segue with what
// its documentation says and with http.ServeMux. They use only exported names, so
// that they hold whatever the inside looks like.
//
// The measure is an oracle (oracle_test.go): a slow router of some sixty lines that
// was written from the documentation. It has a parser of its own and no trie. It
// finds the route of a request by a scan over all routes. For
//
//	GET /users/new
//	GET /users/{id}/posts
//
// and the path /users/new/posts the first route does not match and the second
// does, so the answer is the second. A router that walks a trie can get that
// wrong in many ways, and a scan can in few.
//
//   - The enumeration (enumerate_test.go) registers every small set of routes,
//     sends every small request, and expects the oracle's answer: the status, the
//     pattern, the parameters, Location and Allow. If ServeMux accepts the set,
//     its answer is compared as well.
//   - Programs (program_test.go) are steps of a user with a tree of routers:
//     registrations, mounts, settings, and requests in between. They are drawn
//     at random, and by the fuzzer.
//   - Cases (testdata/cases) are what users of other routers have reported.
//   - Guards (guards_test.go, budget_test.go, pins_test.go, work_test.go) count
//     what can be counted: allocations, bytes, and blocks of code.
//
// "go test" runs a part of each kind. SEGUE_EXPLORE=1 runs all of it.
package conformance
