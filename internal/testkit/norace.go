//go:build !race

package testkit

// Race is whether the race detector runs. It allocates, and is slow.
const Race = false
