// Work prints how many blocks of the package's code a request runs through, for
// each kind of path and each length among the arguments. It is built by
// TestWorkGrowsWithThePath alone, which puts the counter into the package.
package main

import (
	"encoding/json"
	"log"
	"os"
	"strconv"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/internal/pathlen"
)

func main() {
	var lengths []int
	for _, arg := range os.Args[1:] {
		n, err := strconv.Atoi(arg)
		if err != nil {
			log.Fatal(err)
		}
		lengths = append(lengths, n)
	}
	work := map[string][]int{}
	for _, k := range pathlen.Kinds() {
		rt := k.Router(lengths)
		for _, n := range lengths {
			r, w := k.Request(n), pathlen.NewWriter()
			k.Serve(rt, r, w) // compiles
			segue.Work = 0
			if !k.Serve(rt, r, w) {
				log.Fatalf("%s: %d was not answered as it should", k.Name, n)
			}
			work[k.Name] = append(work[k.Name], segue.Work)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(work); err != nil {
		log.Fatal(err)
	}
}
