package conformance

import (
	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/testkit"
)

// shows answers with the pattern and the parameters that it was matched by.
var shows = testkit.Shows(segue.Params)
