package vet

// This file says what one package tells the next: whether a handler or router
// that is given to it can come to have parameters that its own package does not
// show. All others pass requests on as they came.

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"
)

// gives is the fact of a package that gives requests path values, or imports one
// that does.
type gives struct {
	Values bool // by SetPathValue, or by a router mounted under a parameter
	Routes bool // by routes with parameters, on a router of its own or a caller's
}

// AFact marks gives as a fact.
func (*gives) AFact() {}

func (g *gives) String() string {
	switch {
	case g.Values && g.Routes:
		return "gives values and routes"
	case g.Values:
		return "gives values"
	}
	return "gives routes"
}

// exportFact exports what the package gives, and reports whether the package can
// hold handlers at all: whether it has to do with net/http.
func exportFact(pass *analysis.Pass) bool {
	switch pass.Pkg.Path() {
	case "net/http", "net/http/httptest", seguePath:
		return false // api.go knows them
	}
	var g gives
	usesHTTP := false
	for _, imported := range pass.Pkg.Imports() {
		var theirs gives
		if pass.ImportPackageFact(imported, &theirs) {
			g.Values = g.Values || theirs.Values
			g.Routes = g.Routes || theirs.Routes
		}
		path := imported.Path()
		usesHTTP = usesHTTP || path == "net/http" || path == seguePath
	}
	if usesHTTP {
		g.look(pass)
	}
	if g != (gives{}) && pass.Pkg.Name() != "main" { // which nobody imports
		pass.ExportPackageFact(&g)
	}
	return usesHTTP
}

// look finds what the package itself gives.
func (g *gives) look(pass *analysis.Pass) {
	p := &program{Pass: pass}
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr: // a method value counts too
				if fn := pass.TypesInfo.Uses[n.Sel]; fn != nil && fn.Name() == "SetPathValue" && fn.Pkg() != nil && fn.Pkg().Path() == "net/http" {
					g.Values = true
				}
			case *ast.CallExpr:
				if reg := p.registration(n); reg != nil && reg.pattern != nil {
					text, known := p.text(reg.pattern)
					if known && len(namesOf(text)) == 0 {
						break
					}
					g.Routes = true
					g.Values = g.Values || reg.name == "Mount" || reg.name == "Group"
				}
			}
			return true
		})
	}
}
