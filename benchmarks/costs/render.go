package main

// This file writes the tables.

import (
	"fmt"
	"strings"

	"github.com/segue-go/segue/benchmarks/costs/files"
)

func (r *Result) markdown() string {
	var text strings.Builder
	text.WriteString(r.Head("Costs"))
	for _, s := range sections {
		if !r.Has(s.name) {
			continue
		}
		fmt.Fprintf(&text, "\n## %s\n\n", s.title)
		if s.note != "" {
			fmt.Fprintf(&text, "%s\n\n", s.note)
		}
		text.WriteString(r.Tables(s.name))
		if s.name == files.Section {
			text.WriteString(files.Calls(&r.Run))
		}
		if s.name == "decode" {
			text.WriteString("\n" + checkTable(r.Checks))
		}
	}
	return text.String()
}
