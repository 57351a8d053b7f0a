//go:build playground

package engine

// This file compares the answers of the two routers. Where they differ it finds
// the reason by asking two more routers of segue that stand between them.

import (
	"net/http"
	"slices"
	"strings"

	"github.com/segue-go/segue"
)

// differences names what differs between segue's answer and ServeMux's.
func differences(a, b Answer) []string {
	if a.Panic != "" || b.Panic != "" {
		return []string{"a panic"}
	}
	all := []string{}
	add := func(what string, differs bool) {
		if differs {
			all = append(all, what)
		}
	}
	add("status", a.Status != b.Status)
	add("route", a.Status == b.Status && (a.Line != b.Line || a.Status == http.StatusTemporaryRedirect && rootless(a.Pattern) != rootless(b.Pattern)))
	add("Location", a.Location != b.Location)
	add("Allow", a.Allow != b.Allow)
	add("values", a.Status == b.Status && a.Line == b.Line && !slices.Equal(a.Params, b.Params))
	return all
}

// rootless undoes muxPattern.
func rootless(pattern string) string {
	if before, ok := strings.CutSuffix(pattern, "/{$}"); ok && !strings.Contains(before, "/") {
		return before + "/"
	}
	return pattern
}

// reasons tells why the answers to r differ. Between the two routers stand the
// same routes registered by Handle alone, in ServeMux's language, and those of
// them that ServeMux takes: the step at which the answer changes is the reason.
func (s *Set) reasons(r *http.Request) []string {
	if s.plain == nil {
		s.plain, s.taken = segue.New(), segue.New()
		for i, route := range s.Routes {
			pattern := muxPattern(segue.Route{Path: pathOf(route.Pattern), Pattern: route.Pattern, Handler: s.marks[i]})
			register(s.plain, pattern, s.marks[i])
			if route.InMux {
				register(s.taken, pattern, s.marks[i])
			}
		}
	}
	ours, _ := serve(s.router, r)
	plain, _ := serve(s.plain, r)
	taken, _ := serve(s.taken, r)
	mux, _ := serve(s.mux, r)
	var all []string
	if len(differences(ours, plain)) > 0 {
		all = append(all, ofVerbs(ours, plain))
	}
	if len(differences(plain, taken)) > 0 {
		all = append(all, s.ofRefused(plain))
	}
	if len(differences(taken, mux)) > 0 {
		all = append(all, ofMux(r, taken, mux))
	}
	return all
}

// ofRefused is why ServeMux does not have a route that answers, or another one of
// its path.
func (s *Set) ofRefused(plain Answer) string {
	if slices.ContainsFunc(s.Routes, func(r Route) bool { return r.Line == plain.Line && strings.Contains(r.Host, "{") }) {
		return "The first label of a host can be a parameter. ServeMux refuses such a host."
	}
	return "ServeMux refuses overlapping patterns. segue takes them, and the more specific one wins."
}

// register registers a pattern, unless Handle refuses what a verb takes.
func register(rt *segue.Router, pattern string, h http.Handler) {
	defer func() { recover() }()
	rt.Handle(pattern, h)
}

func pathOf(pattern string) string { return pattern[strings.IndexByte(pattern, '/'):] }

// ofVerbs is what a route of a verb, a mount or a setting has to itself.
func ofVerbs(ours, plain Answer) string {
	switch {
	case ours.Status == http.StatusNoContent:
		return "A verb's route answers OPTIONS by itself, with 204 and Allow."
	case ours.Status == http.StatusTemporaryRedirect:
		return "A verb's route redirects the other spelling of its final slash."
	case ours.Status == http.StatusOK && plain.Status != http.StatusOK:
		return "A mount's prefix, and a route under SlashEither, answer with and without the final slash."
	case ours.Allow != plain.Allow:
		return "Allow lists what verbs answer by themselves: OPTIONS, and the other spelling of the final slash."
	}
	return "Verbs, mounts and settings have rules of their own for the final slash."
}

// ofMux is where segue differs from ServeMux on purpose.
func ofMux(r *http.Request, ours, mux Answer) string {
	switch {
	case r.Method == http.MethodConnect:
		return "segue matches CONNECT on a clean path as any other method. ServeMux has rules of its own for it, and may panic."
	case slices.ContainsFunc(strings.Split(r.URL.EscapedPath(), "/"), func(s string) bool { return strings.EqualFold(s, "%2F") }):
		return "A segment that is exactly %2F is a value like any other. ServeMux takes it for a final slash."
	case ours.Location != mux.Location && ours.Status == mux.Status:
		return "A redirect keeps the request's own encoding. ServeMux escapes twice, and turns %2F into a slash."
	case r.Host != strings.ToLower(strings.TrimSuffix(r.Host, ".")):
		return "segue matches a host in any case, and ignores its final dot."
	}
	return ""
}
