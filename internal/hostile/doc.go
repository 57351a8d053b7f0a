// Package hostile holds no code, only the tests that treat a router as badly as
// clients, handlers and operators do. They speak the exported names alone.
//
//   - Attacks (attack_test.go, guard_test.go, limits_test.go, growth_test.go) are
//     requests, byte for byte, that go for a redirect to another site, for a way
//     around a guard, for a header or markup in an answer, or for memory.
//   - Raw sockets (wire_test.go) send what clients may send, in pieces, at once,
//     and broken off.
//   - Lifetimes (lifetime_test.go) keep requests longer than their handlers run,
//     while others pass. A router that reuses memory shows one user's values to
//     another then. They are of most use under -race.
//   - Live change (live_test.go) registers routes, middleware and settings while
//     requests are on their way.
//
// What takes minutes is internal/soak's.
package hostile
