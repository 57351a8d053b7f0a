// Work prints how many blocks of segue's code a request runs through, for each
// kind of path and each length among the arguments. TestWorkGrowsWithThePath
// builds it, with the counting put into the code; else it counts nothing.
package main

import (
	"encoding/json"
	"log"
	"os"
	"strconv"

	"github.com/segue-go/segue/internal/conformance/testdata/work/count"
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
			count.Blocks = 0
			if !k.Serve(rt, r, w) {
				log.Fatalf("%s: %d was not answered as it should", k.Name, n)
			}
			work[k.Name] = append(work[k.Name], count.Blocks)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(work); err != nil {
		log.Fatal(err)
	}
}
