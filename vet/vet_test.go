package vet_test

// This file runs the analyzer on the programs in testdata: one folder for each
// rule, with the cases about which it must be silent beside.

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/segue-go/segue/vet"
)

func TestRules(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), vet.New(), "./names/...", "./patterns", "./conflicts")
}
