package vet

// This file reports parameters that nobody reads, for those who ask for it: many
// programs have some on purpose.

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// reportUnread reports the parameters of routes whose handlers and middlewares
// are all known, and of whose requests none goes where it could be read unseen.
func (f *flow) reportUnread() {
	read := map[*route]map[string]bool{}
	for _, rd := range f.reads {
		for _, rt := range f.know(rd.request, f.after[rd.v]).routes {
			if read[rt] == nil {
				read[rt] = map[string]bool{}
			}
			read[rt][rd.name] = true
		}
	}
	unseen := map[*route]bool{}
	for _, rt := range f.know(&f.leaked).routes {
		unseen[rt] = true
	}
	for _, rt := range f.routes {
		if rt.handler == nil || rt.name == "Mount" || unseen[rt] || !f.isSeen(rt) {
			continue
		}
		for _, name := range rt.names {
			if !read[rt][name] {
				f.Report(analysis.Diagnostic{
					Pos: f.placeOf(rt.pattern, f.offsetOf(rt, name)), End: rt.pattern.End(), Category: "unread",
					Message: fmt.Sprintf("nobody reads the parameter %q of %s", name, rt.text),
				})
			}
		}
	}
}

// isSeen reports whether all that serves a route is in this package: its
// handler, and the middleware around it.
func (f *flow) isSeen(rt *route) bool {
	for _, o := range rt.handler.order {
		if _, ok := o.(*function); !ok {
			return false
		}
	}
	request := &set{}
	request.add(rt)
	return len(rt.handler.order) > 0 && !f.know(request).open
}

// offsetOf returns where a parameter begins in the pattern's own text.
func (f *flow) offsetOf(rt *route, name string) int {
	text, _ := f.text(rt.pattern)
	for _, form := range []string{"{" + name + "}", "{" + name + "...}", "/:" + name, "/*" + name} {
		if i := strings.Index(text, form); i >= 0 {
			return i + strings.IndexAny(form, "{:*")
		}
	}
	return 0
}
