//go:build purego

package segue

import "testing"

// eachWay runs a test for each way of filling r.PathValue that the build has.
func eachWay(t *testing.T, test func(t *testing.T)) { t.Run("purego", test) }
