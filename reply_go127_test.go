//go:build go1.27

package segue_test

// This file holds what reply.go says of encoding/json/v2 against that package,
// which Go has from 1.27 on.

import (
	"encoding/json/v2"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestV2BesideDecode(t *testing.T) {
	for _, tt := range besideV2 {
		var v besideV2Value
		got := "error"
		if err := json.Unmarshal([]byte(tt.body), &v); err == nil {
			got = fmt.Sprint(v.Name, " ", v.Any)
		}
		assert.Equal(t, tt.v2, got, tt.name)
	}
}
