package segue

// This file holds the access log: one record of log/slog for each request. It
// stands on internal/respond, which knows what became of a response.

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/segue-go/segue/internal/respond"
)

// AccessLog is a middleware that writes one record to logger for each request, when
// the request is done:
//
//	app.Use(segue.AccessLog(slog.Default()), segue.Recover)
//
// The record has the level Info and the message "request". It always has these seven
// attributes, in this order:
//
//	method    r.Method
//	path      r.URL.Path, without the query
//	pattern   r.Pattern, empty if no route matched
//	status    of the answer
//	bytes     of the body
//	duration  from the call of AccessLog to the end of the handler
//	remote    r.RemoteAddr
//
// An eighth attribute is there if the request did not end with an answer:
//
//	outcome   panic     a panic passed through AccessLog
//	          hijacked  the handler took the connection over
//	          gone      the client left before the handler was done
//
// If more than one holds, outcome is the first of them in this list.
//
// The record is logged with the context of the request that AccessLog was given, so
// that a [slog.Handler] can add what a middleware outside has put there. AccessLog(nil)
// panics.
//
// # Status and bytes
//
// The status is the first final one that the handler wrote: 101, or from 200 on. 103
// Early Hints is not one. If the handler wrote none it is 200, as net/http answers. It
// is 500 after a panic, whatever was sent before. It is 0 after a hijack without a
// status, because the handler then writes its own. It is 499 if the client left and the
// handler gave that error to [Fail] before it began an answer.
//
// The bytes are those that the server's writer accepted from the handler. They include
// the body of an answer to HEAD, which net/http drops, and not what was written to a
// hijacked connection.
//
// # Outcomes
//
// AccessLog stands outside of [Recover]. Recover turns a panic into an answer, and the
// record shows that: status 500 and no outcome. If the response had begun, Recover
// panics with [http.ErrAbortHandler], and the outcome is panic. If Fail aborted the
// response because the client had left, the outcome is gone, and the status is the one
// already sent. The client counts as gone if the context of the request has been
// canceled when the handler returns.
//
// AccessLog stops no panic: after the record the panic goes on. [runtime.Goexit] is
// logged as a panic.
//
// # Corner cases
//
// Method, path and remote are read before the handler runs, which could change them.
// The pattern is read at the end. Under [Router.Use] AccessLog always sees it. Around
// a router, AccessLog(logger)(app), it sees it if no middleware between the two has
// copied the request.
//
// Like Recover, AccessLog wraps the writer. The wrapped one can do what the underlying
// one can do, and no more. AccessLog does not see what is done to the writer outside of
// it, or past it through Unwrap.
//
// # Costs
//
// AccessLog costs one allocation a request, shared with Recover, and what logger costs.
// It is safe for concurrent use if logger and next are.
func AccessLog(logger *slog.Logger) Middleware {
	if logger == nil {
		panic(fmt.Errorf("segue: the logger of AccessLog is nil (at %v); for the default one write AccessLog(slog.Default())", caller()))
	}
	return func(next http.Handler) http.Handler {
		if next == nil {
			return nil // refused where it is registered
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w = respond.Wrap(w)
			start, method, path, remote := time.Now(), r.Method, r.URL.Path, r.RemoteAddr
			returned := false
			// Without recover, so that a panic keeps its stack.
			defer func() {
				state := respond.StateOf(w)
				status, outcome := state.Status(), ""
				switch {
				case !returned && !state.Gone():
					status, outcome = http.StatusInternalServerError, "panic"
				case state.Hijacked():
					outcome = "hijacked"
				case state.Gone() || isCanceled(r.Context().Err()):
					outcome = "gone"
				}
				if status == 0 && !state.Hijacked() {
					status = http.StatusOK
				}
				attrs := append(make([]slog.Attr, 0, 8),
					slog.String("method", method), slog.String("path", path), slog.String("pattern", r.Pattern),
					slog.Int("status", status), slog.Int64("bytes", state.Bytes()),
					slog.Duration("duration", time.Since(start)), slog.String("remote", remote))
				if outcome != "" {
					attrs = append(attrs, slog.String("outcome", outcome))
				}
				logger.LogAttrs(r.Context(), slog.LevelInfo, "request", attrs...)
			}()
			next.ServeHTTP(w, r)
			returned = true
		})
	}
}
