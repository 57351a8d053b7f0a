package vet_test

// This file runs the analyzer on the programs in testdata: one folder for each
// rule, with the cases about which it must be silent beside.

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/segue-go/segue/vet"
)

func TestRules(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), vet.New(), "./names/...", "./patterns", "./conflicts", "./paths")
}

// TestFixes compares what the suggested fixes make of a file.
func TestFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), vet.New(), "./fixes")
}

// TestUnread runs with -unread, which is off otherwise.
func TestUnread(t *testing.T) {
	a := vet.New()
	if err := a.Flags.Set("unread", "true"); err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, analysistest.TestData(), a, "./unread")
}
