package testkit

import (
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
)

// Shows returns a handler that writes the pattern and the parameters it was
// reached with: "GET /users/{id} id=7". It reads them by params.
func Shows(params func(*http.Request) iter.Seq2[string, string]) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Pattern)
		for name, value := range params(r) {
			fmt.Fprintf(w, " %s=%s", name, value)
		}
	}
}

// Lost returns a handler for misses that tells who answered, and what was set
// before.
func Lost(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%s [%s] %q", name, w.Header().Get("Allow"), r.Pattern)
	}
}

// Via returns a middleware that adds its name to the header Via, so that an
// answer tells which ones it went through, and in which order.
func Via(name string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add("Via", name)
			next.ServeHTTP(w, r)
		})
	}
}

// ViaOf returns the names of an answer's middlewares: "app users".
func ViaOf(w *httptest.ResponseRecorder) string {
	return strings.Join(w.Header().Values("Via"), " ")
}

// Listed returns an error handler that adds its name to the header List and
// passes the error on.
func Listed(name string) func(http.ResponseWriter, *http.Request, error) error {
	return func(w http.ResponseWriter, r *http.Request, err error) error {
		w.Header().Add("List", name)
		return err
	}
}

// Serve sends a request without a body to h.
func Serve(h http.Handler, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}
