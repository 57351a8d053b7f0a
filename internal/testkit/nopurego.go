//go:build !purego

package testkit

// Purego is whether the build does without unsafe: parameters then cost a map,
// and a request tells its route by the text of its pattern alone.
const Purego = false
