package hostile

import (
	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// The handlers and middlewares that tell what they saw.
var (
	shows = testkit.Shows(segue.Params)
	via   = testkit.Via
	viaOf = testkit.ViaOf
)
