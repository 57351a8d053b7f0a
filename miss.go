package segue

import (
	"context"
	"net/http"
	"strings"
)

// A miss is a request that no route answers: 404, 405, a redirect, or
// automatic OPTIONS. It travels in the request's context, so that the chains
// on the way and the error list know what it is: r.Pattern alone does not tell
// a redirect from a match.
type miss struct {
	answer
	table   *table
	owner   *scope       // whose error list it walks
	target  *scope       // whose chains it runs through
	handler http.Handler // what was set for it, nil for the error list
	pattern string       // r.Pattern meanwhile
}

type missKey struct{}

// stateOf returns the route that r has matched in this table's root, or the
// miss that it is there; neither if it has not been there or another router has
// had it since.
func (t *table) stateOf(r *http.Request) (*miss, *leaf) {
	if keyIsIdentity {
		if l := t.leafOf(r); l != nil {
			return nil, l
		}
		return t.missOf(r), nil
	}
	if m := t.missOf(r); m != nil {
		return m, nil
	}
	return nil, t.leafOf(r)
}

func (t *table) missOf(r *http.Request) *miss {
	if m := missIn(r); m != nil && m.table.root.root == t.root.root {
		return m
	}
	return nil
}

// missIn returns the miss that r is for the router that had it last, nil if it
// is none.
func missIn(r *http.Request) *miss {
	m, _ := r.Context().Value(missKey{}).(*miss)
	if m == nil || keyOf(m.pattern) != keyOf(r.Pattern) {
		return nil // a router has had the request since
	}
	return m
}

func (t *table) serveMiss(w http.ResponseWriter, r *http.Request, a answer) {
	if a.status == http.StatusBadRequest {
		if r.ProtoAtLeast(1, 1) {
			w.Header().Set("Connection", "close")
		}
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	m := t.newMiss(a, r)
	r = m.mark(w, r)
	m.target.enter(nil, m).ServeHTTP(w, r)
}

// newMiss decides who owns the miss and whose handler answers it.
func (t *table) newMiss(a answer, r *http.Request) *miss {
	m := &miss{answer: a, table: t, target: t.root}
	switch a.status {
	case http.StatusMethodNotAllowed:
		m.owner = a.leaf.scope
		m.target = m.owner
		m.handler, _ = m.owner.inherited(func(c *config) http.Handler { return c.notAllowed })
	case http.StatusNoContent:
		m.owner = a.leaf.scope
		m.target = m.owner
	case http.StatusNotFound:
		m.owner = t.ownerOf(r)
		var setter *scope
		m.handler, setter = m.owner.inherited(func(c *config) http.Handler { return c.notFound })
		if setter != nil {
			m.target = setter
		}
	default:
		m.owner = t.ownerOf(r)
		if a.leaf != nil {
			m.pattern = strings.Clone(a.leaf.text()) // not the route's own bytes: it is no match
		}
	}
	return m
}

// inherited returns a handler of the nearest scope that has set it.
func (sc *scope) inherited(get func(*config) http.Handler) (http.Handler, *scope) {
	for ; sc != nil; sc = sc.parent {
		if h := get(&sc.config); h != nil {
			return h, sc
		}
	}
	return nil, nil
}

func (t *table) ownerOf(r *http.Request) *scope {
	path := pathOf(r.URL)
	if !isClean(path.path) {
		path = segments{cleanPath(r.URL.EscapedPath()), true}
	}
	if l := t.owners.walk(path); l != nil {
		return l.scope
	}
	return t.root
}

// mark sets what a miss has to tell and returns the request that carries it.
func (m *miss) mark(w http.ResponseWriter, r *http.Request) *http.Request {
	r.Pattern = m.pattern
	clearPathValues(r)
	if m.location != "" {
		w.Header().Set("Location", m.location)
	}
	if m.allow != "" {
		w.Header().Set("Allow", m.allow)
	}
	return r.WithContext(context.WithValue(r.Context(), missKey{}, m))
}

// ServeHTTP answers the miss, when all chains have passed it.
func (m *miss) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case m.handler != nil:
		m.handler.ServeHTTP(w, r)
	case m.status == http.StatusNoContent:
		w.WriteHeader(http.StatusNoContent)
	case m.status == http.StatusTemporaryRedirect:
		redirect(w, r, m.location)
	case m.status == http.StatusMethodNotAllowed:
		m.owner.fail(w, r, errNotAllowed)
	default:
		m.owner.fail(w, r, errNotFound)
	}
}

// redirect answers as http.Redirect does, but for the cleaning of the path:
// what resolve found is the address, and the header has it already.
func redirect(w http.ResponseWriter, r *http.Request, location string) {
	h := w.Header()
	_, typed := h["Content-Type"]
	if !typed && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		h.Set("Content-Type", "text/html; charset=utf-8")
	}
	w.WriteHeader(http.StatusTemporaryRedirect)
	if !typed && r.Method == http.MethodGet {
		w.Write([]byte("<a href=\"" + htmlEscape.Replace(location) + "\">Temporary Redirect</a>.\n\n"))
	}
}

var htmlEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")
