// Package vet holds an analyzer that reports wrong patterns, and parameter names
// that no pattern has, before a program runs. It looks at segue's routers and at
// [http.ServeMux].
//
//	mux.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) {
//		fmt.Fprintln(w, r.PathValue("userID")) // no parameter "userID" in GET /users/{id}; it has "id"
//	})
//
// The command segue-vet runs it, and the package plugin gives it to
// golangci-lint.
//
// The analyzer reads a package in two ways. A replay (replay.go) finds wrong patterns
// and conflicts: it makes each registration whose pattern is constant again, on a real
// router, and reports what that panics with. paths.go makes the calls of PathFor in the
// same way. A flow analysis (flow.go) finds wrong names: it follows routers, handlers
// and requests from where they are made to where they are used. What it cannot follow
// may be used by other packages, and nothing is reported about it.
package vet

import (
	"golang.org/x/tools/go/analysis"
)

const doc = `report wrong patterns and parameter names of segue and http.ServeMux

The analyzer reports a name asked of r.PathValue, segue.Param or segue.ParamAs
that no pattern of the handler has, a pattern that registration would refuse,
two patterns of one function that would conflict, and a call of segue.PathFor
that can only return an error.`

// Analyzer reports what this package's comment lists. It has one flag, -unread.
var Analyzer = New()

// New returns an analyzer with flags of its own.
func New() *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name:      "segue",
		Doc:       doc,
		URL:       "https://pkg.go.dev/github.com/segue-go/segue/vet",
		FactTypes: []analysis.Fact{new(gives)},
	}
	unread := a.Flags.Bool("unread", false, "report parameters that no handler reads, too")
	a.Run = func(pass *analysis.Pass) (any, error) {
		run(pass, *unread)
		return nil, nil
	}
	return a
}

func run(pass *analysis.Pass, unread bool) {
	if !exportFact(pass) {
		return // no handler can be here
	}
	p := newProgram(pass)
	for _, file := range pass.Files {
		replayFile(p, file)
		reportPaths(p, file)
	}
	f := analyze(p)
	f.reportNames()
	if unread {
		f.reportUnread()
	}
}
