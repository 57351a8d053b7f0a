package segue

import (
	"log"
	"net/http"
)

// OnError adds a handler to this router's error list, behind those that it has.
//
// An error, of a handler under [Try], of [Fail] or of [Recover], or a 404 or
// 405 that no other handler was set for, walks the list of the router that the
// matched route or the miss belongs to, then those of the routers around it.
// Each handler either answers and returns nil, or returns an error, the same or
// another, for the next. At the end of the list the answer is what [StatusOf]
// makes of the error, and an error of 500 and more is logged to the server's
// ErrorLog. A handler must not call Fail for the same request. One that is added
// while requests are served may be asked by those on their way too. OnError
// panics if the handler is nil.
func (rt *Router) OnError(handler func(w http.ResponseWriter, r *http.Request, err error) error) {
	if handler == nil {
		panic("segue: the error handler is nil (at " + caller().String() + ")")
	}
	rt.configure(func(c *config) {
		c.onError = append(c.onError[:len(c.onError):len(c.onError)], handler)
	})
}

// Try turns a handler that returns an error into a standard one: an error goes
// to [Fail]. Without an error it costs nothing.
//
// Behind [Recover] an error after the response has begun aborts the response,
// since a client could not tell it from a whole one. Without Recover it is
// appended to what was written, as it would be by [http.Error].
func Try(handler func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	if handler == nil {
		return nil // refused where it is registered
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if err := handler(w, r); err != nil {
			Fail(w, r, err)
		}
	}
}

// Fail answers r by the error list of the router that r's route belongs to; see
// [Router.OnError]. It is for middleware and plain handlers; a handler under
// [Try] returns its error. If err is nil, it does nothing.
//
// Whose list it is, is found from r itself, or from a copy of it. Where r no
// longer tells, since an inner ServeMux has overwritten it, or since under the
// build tag purego two routers of the process have the same pattern, the list
// is empty and its end answers. It is safe for concurrent use for different
// requests.
func Fail(w http.ResponseWriter, r *http.Request, err error) {
	if err != nil {
		scopeOf(r).fail(w, r, err)
	}
}

// scopeOf finds the router whose error list a request walks: the one of the
// matched route, or of the miss. It is found from the request alone, when an
// error happens, so that requests without one pay nothing.
func scopeOf(r *http.Request) *scope {
	roots.RLock()
	defer roots.RUnlock()
	m := missIn(r)
	if m != nil && !keyIsIdentity {
		return m.owner
	}
	var found *scope
	for _, p := range roots.all {
		rt := p.Value()
		if rt == nil {
			continue
		}
		t := rt.last.Load()
		if t == nil {
			continue
		}
		l := t.leafOf(r)
		if l == nil {
			continue
		}
		if keyIsIdentity {
			return l.scope
		}
		if found != nil {
			return nil // the same text in two roots: it does not tell
		}
		found = l.scope
	}
	if found == nil && m != nil {
		return m.owner
	}
	return found
}

// fail walks the list of sc and its parents, and ends a response that has begun
// by aborting it. A nil sc has an empty list.
func (sc *scope) fail(w http.ResponseWriter, r *http.Request, err error) {
	state := trackedOf(w)
	begun := state != nil && state.begun()
	if begun {
		w = newDropWriter(w)
	}
	if err = sc.walk(w, r, err); err != nil {
		status, message := StatusOf(err)
		if status >= 500 {
			logError(r, err)
		}
		// A handler of the list may have written something and then given up.
		begun = begun || state != nil && state.begun()
		if err == errNotFound {
			message = "404 page not found"
		}
		if !begun {
			http.Error(w, message, status)
		}
	}
	if begun {
		state.abort()
	}
}

// walk hands the error on from handler to handler and returns what is left of
// it.
func (sc *scope) walk(w http.ResponseWriter, r *http.Request, err error) error {
	for ; sc != nil; sc = sc.parent {
		for _, handle := range sc.config.onError {
			if err = handle(w, r, err); err == nil {
				return nil
			}
		}
	}
	return err
}

// logError logs where net/http logs a panic.
func logError(r *http.Request, err error) {
	if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && s.ErrorLog != nil {
		s.ErrorLog.Printf("segue: %s %s: %v", r.Method, r.URL.EscapedPath(), err)
		return
	}
	log.Printf("segue: %s %s: %v", r.Method, r.URL.EscapedPath(), err)
}

// The errors of a miss. At the end of the list both are answered as by ServeMux,
// whose text for the first is not the standard one.
var (
	errNotFound   = Errorf(http.StatusNotFound, "Not Found")
	errNotAllowed = Errorf(http.StatusMethodNotAllowed, "Method Not Allowed")
)
