//go:build playground

package engine

// This file writes the routers of a program in the language of the editor.

import (
	"fmt"
	"slices"
	"strings"
)

const mostLines = 5000 // of what is written: two routers in each other could go on for ever

// A writer writes routers.
type writer struct {
	lines  []string
	routes int
	on     []*router // the way to the router that is written
	full   bool
}

// write writes every router that is not mounted in another.
func (r *reader) write() Reading {
	w := &writer{}
	var roots []*router
	for _, rt := range r.made {
		if !rt.mounted && rt.holds(map[*router]bool{}) {
			roots = append(roots, rt)
		}
	}
	for _, rt := range roots {
		if len(roots) > 1 {
			if len(w.lines) > 0 {
				w.lines = append(w.lines, "")
			}
			w.lines = append(w.lines, "# "+rt.name)
		}
		w.router(rt, "", rt.uses)
	}
	if len(roots) > 1 {
		r.left = append(r.left, Left{Why: fmt.Sprintf("%d routers that are not mounted in one another: written one after the other", len(roots))})
	}
	if w.full {
		r.left = append(r.left, Left{Why: "there is more than the page can show"})
	}
	left := r.left
	if left == nil {
		left = []Left{}
	}
	slices.SortStableFunc(left, func(a, b Left) int { return a.Line - b.Line })
	return Reading{Text: strings.Join(w.lines, "\n") + "\n", Routes: w.routes, Left: left}
}

// holds reports whether a router has a route, or one in it has.
func (rt *router) holds(seen map[*router]bool) bool {
	if seen[rt] {
		return false
	}
	seen[rt] = true
	return slices.ContainsFunc(rt.items, func(i item) bool { return i.child == nil || i.child.holds(seen) })
}

// router writes a router at an indent, unless it is in itself, or there is too
// much already.
func (w *writer) router(rt *router, indent string, uses []string) {
	if slices.Contains(w.on, rt) || len(w.lines) > mostLines {
		w.full = true
		return
	}
	w.on = append(w.on, rt)
	w.body(rt, indent, uses)
	w.on = w.on[:len(w.on)-1]
}

// body writes what is in a router, in columns.
func (w *writer) body(rt *router, indent string, uses []string) {
	if len(uses) > 0 {
		w.lines = append(w.lines, indent+"use "+strings.Join(uses, " "))
	}
	for n, i := range rt.items {
		if n > 0 && indent == "" && i.child == nil && rt.items[n-1].child != nil {
			w.lines = append(w.lines, "")
		}
		switch {
		case i.child == nil:
			word, path := columns(rt.items, n)
			if slices.Contains(settings, i.word) {
				word, path = 0, 0
			} else {
				w.routes++
			}
			w.lines = append(w.lines, strings.TrimRight(fmt.Sprintf("%s%-*s %-*s  %s", indent, word, i.word, path, i.path, i.name), " "))
		case i.path == "" && !i.child.inline && len(i.child.uses) == 0:
			w.router(i.child, indent, nil)
		case i.path == "" && i.child.inline:
			w.child(i.child, indent, "with "+strings.Join(i.child.uses, " "), nil)
		default:
			prefix := i.path
			if prefix == "" {
				prefix = "/"
			}
			w.child(i.child, indent, "mount "+prefix, i.child.uses)
		}
	}
}

// columns is how wide the words and the paths are of the lines around the nth.
func columns(items []item, n int) (word, path int) {
	from, to := n, n
	for from > 0 && items[from-1].child == nil {
		from--
	}
	for to < len(items) && items[to].child == nil {
		to++
	}
	for _, i := range items[from:to] {
		if !slices.Contains(settings, i.word) {
			word, path = max(word, len(i.word)), max(path, len(i.path))
		}
	}
	return word, path
}

func (w *writer) child(rt *router, indent, head string, uses []string) {
	if !rt.holds(map[*router]bool{}) {
		return
	}
	if n := len(w.lines); n > 0 && indent == "" && w.lines[n-1] != "" {
		w.lines = append(w.lines, "")
	}
	w.lines = append(w.lines, indent+strings.TrimRight(head, " "))
	w.router(rt, indent+"  ", uses)
}
