// The command segue-vet reports wrong patterns and parameter names of segue's
// routers and of http.ServeMux:
//
//	go run github.com/segue-go/segue/vet/cmd/segue-vet@latest ./...
//	go vet -vettool=$(go tool -n segue-vet) ./...
//
// For the second line, add the tool to the module first:
//
//	go get -tool github.com/segue-go/segue/vet/cmd/segue-vet
package main

import (
	"golang.org/x/tools/go/analysis/singlechecker"

	"github.com/segue-go/segue/vet"
)

// Main loads the packages that it is given, and answers go vet too, which hands
// it one package at a time in a .cfg file.
func main() { singlechecker.Main(vet.Analyzer) }
