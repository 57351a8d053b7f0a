// Package count counts the blocks of code that run. TestWorkGrowsWithThePath
// puts the counting into the packages that a request goes through.
package count

// Blocks is how many have been run.
var Blocks int
