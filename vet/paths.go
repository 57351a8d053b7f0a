package vet

// This file finds calls of PathFor that can only return an error. It makes each
// call whose pattern is constant, with values that fit any parameter.

import (
	"errors"
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/segue-go/segue"
)

// reportPaths reports the calls of a file. In a test the error may be meant.
func reportPaths(p *program, file *ast.File) {
	if p.isTest(file.Pos()) {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !isCallOf(p.callee(call), seguePath, "PathFor") || call.Ellipsis.IsValid() {
			return true
		}
		pattern, known := p.text(call.Args[0])
		if !known {
			return true
		}
		values := slices.Repeat([]any{"value"}, len(call.Args)-1)
		_, err := segue.PathFor(pattern, values...)
		if perr, ok := errors.AsType[*segue.PatternError](err); ok {
			at := call.Args[0]
			p.Report(analysis.Diagnostic{
				Pos: p.placeOf(at, perr.Offset), End: at.End(), Category: "pattern",
				Message: fmt.Sprintf("pattern %q is wrong at offset %d: %s", perr.Pattern, perr.Offset, perr.Reason),
			})
		} else if err != nil {
			p.Report(analysis.Diagnostic{
				Pos: call.Pos(), End: call.End(), Category: "values",
				Message: strings.TrimPrefix(err.Error(), "segue: "),
			})
		}
		return true
	})
}
