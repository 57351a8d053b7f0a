// Package hostile holds no code, only the tests that treat a router as badly as
// clients, handlers and operators do. They use only exported names.
//
//   - Attacks (attack_test.go, guard_test.go, limits_test.go, growth_test.go) are
//     requests, byte for byte, that go for a redirect to another site, for a way
//     around a guard, for a header or markup in an answer, or for memory.
//   - Raw sockets (wire_test.go) send requests in pieces, many at once, and broken
//     off.
//   - Lifetimes (lifetime_test.go) keep requests longer than their handlers run,
//     while others pass. A router that reuses memory would then show one user's
//     values to another. They are of most use under -race.
//   - Live change (live_test.go) registers routes, middleware and settings while
//     requests are on their way.
//
// Tests that take minutes are in internal/soak.
package hostile
