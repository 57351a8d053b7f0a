//go:build playground

package engine

import (
	"cmp"

	"github.com/segue-go/segue"
)

// Compiled returns the compiled trie that answers a method on a host.
func (s *Set) Compiled(method, host string) []segue.CompiledNode {
	return s.router.Compiled(cmp.Or(host, "localhost"), method)
}

// litNodes returns the nodes of the compiled trie that each step reaches.
func (s *Set) litNodes(trace segue.Trace, method, host string) [][]int {
	nodes := s.router.Compiled(host, method)
	at := aside(nodes, []int{0})
	lit := make([][]int, len(trace.Steps))
	for i, step := range trace.Steps {
		var next []int
		for _, n := range at {
			next = append(next, after(nodes[n], step.Segment)...)
		}
		at = aside(nodes, next)
		lit[i] = append([]int{}, at...)
	}
	return lit
}

// aside adds the branches that wide nodes lead to.
func aside(nodes []segue.CompiledNode, at []int) []int {
	for i := 0; i < len(at); i++ {
		if nodes[at[i]].Wide {
			for _, e := range nodes[at[i]].Edges {
				at = append(at, e.To)
			}
		}
	}
	return at
}

// after returns where a segment leads: in a compiled node to one place, in a
// branch on its own to its parameter's too.
func after(n segue.CompiledNode, segment string) (next []int) {
	for _, e := range n.Edges {
		switch {
		case e.Kind == "literal" && e.Text == segment:
			next = append(next, e.To)
		case e.Kind == "parameter" && segment != "" && (n.Alone || len(next) == 0):
			next = append(next, e.To)
		}
	}
	return next
}
