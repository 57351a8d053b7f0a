//go:build !race

package segue

// raceEnabled is for tests that count allocations: the race detector adds some.
const raceEnabled = false
