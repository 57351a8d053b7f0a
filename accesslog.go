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

// AccessLog is a middleware that writes one record to logger for each request,
// when the request is done:
//
//	app.Use(segue.AccessLog(slog.Default()), segue.Recover)
//
// The record has the level Info, the message "request" and the context of the
// request that AccessLog was given, so that a [slog.Handler] can add what a
// middleware outside has put there. It always has these seven attributes, in
// this order:
//
//	method    r.Method
//	path      r.URL.Path, without the query
//	pattern   r.Pattern, empty if no route matched
//	status    of the answer
//	bytes     of the body
//	duration  from the call of AccessLog to the end of the handler
//	remote    r.RemoteAddr
//
// One more is there if the request ended in another way than by an answer:
//
//	outcome   panic     a panic passed through AccessLog
//	          hijacked  the handler took the connection over
//	          gone      the client left before the handler was done
//
// If more than one holds, outcome is the first of them in this list.
//
// The status is the first final one that the handler wrote: 101, or from 200 on.
// 103 Early Hints is not one. The status is 200 if the handler wrote none, as
// net/http answers, 500 after a panic, whatever was sent before, and 0 after a
// hijack without a status, since the handler then writes its own. The bytes are
// those that the server's writer accepted from the handler. They include the
// body of an answer to HEAD, which net/http drops, and not what was written to a
// hijacked connection.
//
// AccessLog stands outside of [Recover]. Recover turns a panic into an answer,
// and that is what the record shows: status 500 and no outcome. If the response
// had begun, Recover panics with [http.ErrAbortHandler], and the outcome is panic.
// It is gone where [Fail] did so since the client had left; the status is then the
// one that was sent. AccessLog stops no panic: after the record the panic goes on. [runtime.Goexit]
// is logged as a panic.
//
// Method, path and remote are read before the handler runs, which could change
// them. The pattern is read at the end. Under [Router.Use] it is always there.
// Around a router, AccessLog(logger)(app), it is there if no middleware between
// the two has copied the request. The client counts as gone if the context of the
// request has been canceled when the handler returns. The status is 499 if the
// handler has handed that on to [Fail] before it began an answer.
//
// Like Recover, AccessLog wraps the writer, and the wrapped one can do what the
// underlying one can do, and no more. Both together wrap it once. What is done
// to the writer from outside of AccessLog, or past it by way of Unwrap, is not
// seen.
//
// AccessLog costs one allocation a request, shared with Recover, and what logger
// costs. It is safe for concurrent use if logger and next are. AccessLog(nil)
// panics.
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
