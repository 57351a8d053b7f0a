package segue

// This file holds the second list: how an error of a handler, a middleware or a
// panic reaches the error handlers of the router that the request belongs to, and
// what an error says to a client. It stands on middleware.go for the scopes and
// on internal/respond for writers that know whether the response has begun.

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/segue-go/segue/internal/respond"
	"github.com/segue-go/segue/internal/sendfile"
	"github.com/segue-go/segue/internal/terminal"
)

// OnError adds a handler at the end of this router's error list. A handler
// answers and returns nil, or returns an error for the next handler.
//
//	app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
//		status, message := segue.StatusOf(err)
//		return segue.JSON(w, status, map[string]string{"error": message})
//	})
//
// The list gets errors from [Try], [Fail] and [Recover], and each 404 or 405
// without a handler of its own. An error walks first the list of the router that
// the matched route or the miss belongs to, then the lists of the routers around
// it. Each handler gets the error that the one before it returned. At the end the
// answer is what [StatusOf] makes of the error. An error of 500 and more is logged
// there to the server's ErrorLog, and so is one that comes too late for an answer
// (see Recover).
//
// To log and leave the answer to others, return the error as it came:
//
//	app.OnError(func(w http.ResponseWriter, r *http.Request, err error) error {
//		if status, _ := segue.StatusOf(err); status >= 500 {
//			slog.ErrorContext(r.Context(), "request failed", "error", err)
//		}
//		return err
//	})
//
// OnError panics with an error if the handler is nil. A handler must not call Fail
// for the same request.
//
// A handler that panics ends the list. The panic is logged with its stack. The
// error that the handler was given is logged as at the end of the list. The answer
// is 500. [http.ErrAbortHandler] goes on as it came.
func (rt *Router) OnError(handler func(w http.ResponseWriter, r *http.Request, err error) error) {
	if handler == nil {
		panic(misuse("the error handler is nil"))
	}
	rt.configure(func(s *settings) {
		s.onError = append(s.onError[:len(s.onError):len(s.onError)], handler)
	})
}

// Try turns a handler that returns an error into a standard one. The error goes to
// [Fail].
//
//	app.GET("/users/{id}", segue.Try(func(w http.ResponseWriter, r *http.Request) error {
//		return segue.Errorf(http.StatusNotFound, "no user %s", segue.Param(r, "id"))
//	}))
//
// Under [Recover] or [AccessLog] an error after the response has begun aborts the
// response, because a client could not tell a part from the whole. Without them the text
// of the error's answer is appended to what was written, as by [http.Error].
//
// Without an error Try costs nothing.
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
// [Router.OnError].
//
//	segue.Fail(w, r, segue.Errorf(http.StatusUnauthorized, "log in first"))
//
// It is for middleware and plain handlers. A handler under [Try] returns its error
// instead. If err is nil, Fail does nothing.
//
// # Corner cases
//
// A client that left is no fault. If the context of r is canceled and err is a
// [context.Canceled] ([errors.Is]), the list gets an error that wraps err and has
// the status 499 for [StatusOf]. At its end the status is written without a body,
// for an [AccessLog], and nothing is logged.
//
// Fail finds the router, and so the error list, from r or from any copy of r. If
// r no longer identifies a router, because an inner ServeMux has overwritten
// r.Pattern, Fail answers as if the list were empty: with what StatusOf says. Fail
// is safe for concurrent use for different requests.
func Fail(w http.ResponseWriter, r *http.Request, err error) {
	if err == nil {
		return
	}
	if isCanceled(err) && isCanceled(r.Context().Err()) {
		err = &statusError{status: statusGone, text: fmt.Sprint(err), wrapped: err}
	}
	scopeOf(r).fail(w, r, err)
}

// statusGone is the status of a request whose client has left. HTTP has none;
// this one is nginx's.
const statusGone = 499

// scopeOf finds the router whose error list a request walks: the one of the
// matched route, or of the miss; nil if the request does not tell. It is found
// from the request, when an error happens, so that requests without one pay
// nothing.
func scopeOf(r *http.Request) *scope {
	roots.RLock()
	defer roots.RUnlock()
	for _, p := range roots.all {
		if rt := p.Value(); rt != nil {
			if found := rt.last.Load().routeOf(r); found != nil {
				return found.scope
			}
		}
	}
	if m := missOf(r); m != nil {
		return m.about
	}
	return nil
}

// fail walks the list of sc and its parents, and ends a response that has begun
// by aborting it. A nil sc has an empty list.
func (sc *scope) fail(w http.ResponseWriter, r *http.Request, err error) {
	state, noFile, gone := respond.StateOf(w), err == errNoFile, isGone(err)
	begun, to := state.Begun(), w
	if begun {
		to = respond.Discard(w)
	}
	thrown, err := sc.walk(to, r, err)
	if err != nil {
		begun = begun || state.Begun() // by a handler of the list that has then given up
		gone = isGone(err) && thrown == nil
		if status, _ := StatusOf(err); (status >= 500 || begun && !gone) && !isPanic(err) {
			logError(r, fmt.Sprint(err), nil, begun)
		}
		if thrown != nil {
			logError(r, fmt.Sprintf("panic in an error handler: %v", thrown.value), thrown.stack, begun)
		}
	}
	switch {
	case begun:
		state.Abort(gone)
	case err == nil: // a handler has answered
	case gone:
		w.Header().Del("Content-Length") // of an answer that is not sent
		w.WriteHeader(statusGone)
	default:
		if noFile {
			sendfile.DropHeaders(w.Header())
		}
		status, message := StatusOf(err)
		if thrown != nil {
			status, message = StatusOf(thrown)
		} else if err == errNotFound || err == errNoFile {
			message = "404 page not found"
		}
		http.Error(w, message, status)
	}
}

// walk hands the error on from handler to handler. It returns what is left of it,
// and, if a handler panicked, that panic with the error that the handler was given.
func (sc *scope) walk(w http.ResponseWriter, r *http.Request, err error) (thrown *panicError, left error) {
	defer func() {
		if v := recover(); v != nil {
			thrown = caught(v)
		}
	}()
	for left = err; sc != nil; sc = sc.parent {
		for _, handle := range sc.onError {
			if left = handle(w, r, left); left == nil {
				return nil, nil
			}
		}
	}
	return nil, left
}

// logError logs where net/http logs a panic. The text may hold what a client
// sent, so that it is escaped and bounded: all but the stack of a panic is one
// line.
func logError(r *http.Request, text string, stack []byte, cut bool) {
	const most = 4096
	if len(text) > most {
		text = text[:most] + "…"
	}
	text = terminal.Printable(text)
	if cut {
		text += " (the answer had begun and was cut)"
	}
	if stack != nil {
		text += "\n\n" + string(stack)
	}
	logf := log.Printf
	if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && s.ErrorLog != nil {
		logf = s.ErrorLog.Printf
	}
	logf("segue: %.64s %.256s: %s", terminal.Printable(r.Method), r.URL.EscapedPath(), text)
}

// The errors of a miss. At the end of the list both are answered as by ServeMux,
// whose text for the first is not the standard one.
var (
	errNotFound   = Errorf(http.StatusNotFound, "Not Found")
	errNotAllowed = Errorf(http.StatusMethodNotAllowed, "Method Not Allowed")
)

// Recover is a middleware that logs a panic and answers 500.
//
//	app.Use(logging, segue.Recover)
//
// The panic goes to the server's ErrorLog, once, before anything else happens: one
// line with the method, the path and the panic's value, escaped and bounded, and
// after it the stack. Then it goes, as an error, to the error list of the request
// that Recover was given ([Router.OnError]). At the end of the list the answer is
// 500 with its standard text, never the panic's.
//
// The error's text is the panic value and the stack of the goroutine that panicked;
// it is for a log. [errors.Is] and [errors.As] find a panic value that is an error
// itself. To have value and stack apart:
//
//	var p interface{ Panic() (value any, stack []byte) }
//	if errors.As(err, &p) {
//		value, stack := p.Panic()
//
// A panic is a fault of the server, whatever its value: [StatusOf] gives 500 even
// for panic(segue.Errorf(404, "no such user")).
//
// # After the response has begun
//
// Once the response has begun there can be no other answer. The list is still
// walked, with a writer that drops what it is given. Then the response is aborted
// by a panic with [http.ErrAbortHandler]: net/http cuts the connection (HTTP/2:
// resets the stream), so that the client knows that its part is not the whole. After
// a hijack the hijacked connection is closed instead. The line in the log says so.
// A response begins with a status (101 or from 200 on; 103 Early Hints is not one),
// a write, a flush or a hijack.
//
// # The writer
//
// To know whether the response has begun, Recover wraps the writer. The wrapper has
// those of [http.Flusher], FlushError, [http.Hijacker], [io.ReaderFrom],
// [io.StringWriter] and [http.Pusher] that the writer has, and no others. It has an
// Unwrap for [http.ResponseController]. Recover does not see what is done to the
// writer outside of it, or past it through Unwrap. A ResponseController goes past it
// if the writer that Recover was given cannot flush or hijack, but has an Unwrap to
// one that can.
//
// # What passes through
//
// A panic with [http.ErrAbortHandler], which asks net/http to cut the connection
// without a word, goes on as it came. So does [runtime.Goexit], which is not a
// panic. Recover cannot catch a panic on a goroutine that a handler started: it
// ends the program, as ever. If a middleware below carries a panic over from another
// goroutine, as [http.TimeoutHandler] does, the stack shows where the middleware
// panicked again.
//
// # Costs
//
// Recover costs one allocation a request, the wrapped writer. It costs none if the
// writer that it is given was wrapped by another Recover or by an [AccessLog]. The
// handler is safe for concurrent use if next is. Recover(nil) is nil, which is
// refused where it is registered.
func Recover(next http.Handler) http.Handler {
	if next == nil {
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w = respond.Wrap(w)
		defer func() {
			if v := recover(); v != nil { // panic(nil) is a *runtime.PanicNilError, Goexit is nil
				p := caught(v)
				logError(r, fmt.Sprintf("panic: %v", v), p.stack, respond.StateOf(w).Begun())
				scopeOf(r).fail(w, r, p)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// A panicError is a recovered panic on its way through the error list. Its status
// comes before any that the panic's value may have.
type panicError struct {
	statusError
	value any
	stack []byte
}

// caught makes an error of what recover has returned. [http.ErrAbortHandler] goes
// on.
func caught(value any) *panicError {
	if value == http.ErrAbortHandler {
		panic(value)
	}
	stack := debug.Stack()
	wrapped, _ := value.(error)
	return &panicError{statusError{
		status: http.StatusInternalServerError, text: fmt.Sprintf("panic: %v\n\n%s", value, stack), wrapped: wrapped,
	}, value, stack}
}

// Panic returns the panic's value and the stack of its goroutine.
func (e *panicError) Panic() (value any, stack []byte) { return e.value, e.stack }

// Errorf returns an error with an HTTP status, formatted as by [fmt.Errorf].
// [StatusOf] finds the status and the message again, however deep the error has
// been wrapped since.
//
//	return segue.Errorf(http.StatusNotFound, "no user %d", id)
//	return segue.Errorf(http.StatusNotFound, "no user %d: %w", id, sql.ErrNoRows)
//
// Both lines tell the client "no user 7". The second also tells the log
// "no user 7: sql: no rows in result set".
//
// The text is written for the client, except for the text of a %w operand, which is for
// the log. The client's message omits it, and then trims spaces and : ; , - from both
// ends. Two cases follow from that:
//
//   - an error under %w that holds an error of segue's own (of Errorf, [Decode]
//     or [ParamAs]) shows as that one's message, which was meant for the client
//     too;
//   - an error under %v or %s is part of the text. That is how to show one on
//     purpose, and how to show one by mistake.
//
// Wrapping is that of fmt.Errorf: [errors.Is] and [errors.As] go through any
// number of %w. The error also has a method StatusCode() int, for packages that
// look for one. go vet checks the format as it does fmt.Errorf's.
//
// # Corner cases
//
// A status outside 400 to 599 counts as 500 with its standard text. If the message
// is empty once the %w are out, it is the standard text of the status. It is that
// text too if fmt complains, as in "no user %!d(string=ann)", because the complaint
// shows operands that were not meant for a client. Error gives the text in each case.
//
// # Costs
//
// Errorf costs one allocation more than fmt.Errorf, and with %w six: the text is
// then formatted a second time. It never panics. The error does not change and is
// safe for concurrent use.
func Errorf(status int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	own := statusError{text: err.Error()}
	own.status, own.message = answerable(status, clientText(own.text, format, args))
	switch err := err.(type) {
	case interface{ Unwrap() []error }:
		return &statusErrors{own, err.Unwrap()}
	case interface{ Unwrap() error }:
		own.wrapped = err.Unwrap()
	}
	return &own
}

// StatusOf returns the HTTP status, 400 to 599, and the message for the client that
// err stands for. It is the answer at the end of the error list.
//
//	status, message := segue.StatusOf(err)
//
// The first of these that err's tree holds (err itself, then what it wraps, in the
// order of [errors.As]) decides:
//
//  1. an error of [Errorf], [Decode], [JSON], [ParamAs] or [QueryAs]: its status
//     and message;
//  2. an [http.MaxBytesError]: 413 and its standard text;
//  3. an error with a method StatusCode() int: that status and its standard text;
//  4. anything else: 500 and "Internal Server Error".
//
// The whole tree is searched for each of these before it is searched for the next.
// The text of a wrapper or of a foreign error is never returned: it may hold what
// no client should see.
//
// # Corner cases
//
// StatusOf(nil) is 200 and "OK". A status outside 400 to 599 counts as 500, with its
// standard text. A status that has no standard text, such as 499, gets that of its
// class, "Bad Request" or "Internal Server Error": RFC 9110, section 15, has clients
// take an unknown status for the x00 of its class. The message is never empty. A nil
// pointer in an error, which panics when it is asked, counts as an error that has no
// status.
//
// StatusOf does not allocate, and is safe for concurrent use if the methods of err
// are.
func StatusOf(err error) (status int, message string) {
	if err == nil {
		return http.StatusOK, http.StatusText(http.StatusOK)
	}
	if status, message, ok := ownStatus(err); ok {
		return status, message
	}
	return answerable(foreignStatus(err), "")
}

// answerable returns the status and message that a client is to see.
func answerable(status int, message string) (int, string) {
	if status < 400 || status > 599 {
		status, message = http.StatusInternalServerError, ""
	}
	if message == "" {
		message = http.StatusText(status)
	}
	if message == "" {
		message = http.StatusText(status / 100 * 100)
	}
	return status, message
}

// ownStatus asks the nearest error of this package in the tree of err, whose
// message is meant for clients.
func ownStatus(err error) (status int, message string, ok bool) {
	defer dropNilPanic()
	own, ok := errors.AsType[interface {
		error
		statusMessage() (status int, message string)
	}](err)
	if ok {
		status, message = answerable(0, "") //nolint:wastedassign // if own is a nil pointer and panics
		status, message = answerable(own.statusMessage())
	}
	return status, message, ok
}

// foreignStatus knows net/http's error for a body that is too large, and asks the
// nearest error that has a StatusCode; 0 if there is none.
func foreignStatus(err error) int {
	defer dropNilPanic()
	if _, found := errors.AsType[*http.MaxBytesError](err); found {
		return http.StatusRequestEntityTooLarge
	}
	foreign, found := errors.AsType[interface {
		error
		StatusCode() int
	}](err)
	if !found {
		return 0
	}
	return foreign.StatusCode()
}

// isGone reports whether err is one of Fail's for a client that left.
func isGone(err error) bool {
	status, _ := StatusOf(err)
	return status == statusGone && isCanceled(err)
}

func isCanceled(err error) bool {
	defer dropNilPanic()
	return errors.Is(err, context.Canceled)
}

// isPanic reports whether err is of a panic, which is logged where it is caught.
func isPanic(err error) bool {
	defer dropNilPanic()
	_, found := errors.AsType[*panicError](err)
	return found
}

// dropNilPanic, deferred, ends the panic of a method called on a nil pointer.
// StatusOf is asked when something has gone wrong already, and an answer of 500
// then says more than a connection cut off. Any other panic goes on.
func dropNilPanic() {
	v := recover()
	if v == nil {
		return
	}
	if _, ok := v.(runtime.Error); !ok {
		panic(v)
	}
}

// A statusError is what Errorf and Decode return.
type statusError struct {
	status  int    // 400 to 599
	message string // for the client, "" for the standard text
	text    string // for the log
	wrapped error
}

func (e *statusError) Error() string                { return e.text }
func (e *statusError) Unwrap() error                { return e.wrapped }
func (e *statusError) StatusCode() int              { return e.status }
func (e *statusError) statusMessage() (int, string) { return e.status, e.message }

// A statusErrors is a statusError of several %w.
type statusErrors struct {
	statusError
	all []error
}

func (e *statusErrors) Unwrap() []error { return e.all }

// clientText returns the message for the client of an error with this text: the
// format without what %w stands for, "" where fmt complains.
//
// It wraps the errors among args in a formatter that knows which verb asks; only
// %T and %p, which fmt answers itself, tell the difference.
func clientText(text, format string, args []any) string {
	if hidden, found := hideWrapped(format); found {
		operands := make([]any, len(args))
		for i, arg := range args {
			operands[i] = arg
			if err, ok := arg.(error); ok || arg == nil {
				operands[i] = operand{err}
			}
		}
		text = strings.Trim(fmt.Sprintf(hidden, operands...), " \t\n:;,-")
	}
	for rest := text; ; {
		_, after, found := strings.Cut(rest, "%!")
		if !found {
			return text
		}
		// A complaint is %!verb(…) or %!(…). A space is no verb.
		_, verb := utf8.DecodeRuneInString(after)
		if strings.HasPrefix(after, "(") || strings.HasPrefix(after[verb:], "(") && after[0] != ' ' {
			return ""
		}
		rest = after
	}
}

// hiddenVerb takes the place of %w when the message for the client is
// formatted. It has to be a verb of its own since fmt shows %w and %v to a
// fmt.Formatter as the same one.
const hiddenVerb = 'ŵ'

// hideWrapped returns format with hiddenVerb in place of w, and whether there
// was one.
func hideWrapped(format string) (string, bool) {
	var out []byte
	done := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		// Flags, width, precision and index stand between % and the verb.
		for i++; i < len(format) && strings.IndexByte("+-# 0123456789.*[]", format[i]) >= 0; i++ {
		}
		if i < len(format) && format[i] == 'w' {
			out = utf8.AppendRune(append(out, format[done:i]...), hiddenVerb)
			done = i + 1
		}
	}
	if done == 0 {
		return format, false
	}
	return string(append(out, format[done:]...)), true
}

// An operand is an error, or nil, on its way into a message for the client.
type operand struct{ err error }

func (o operand) Format(f fmt.State, verb rune) {
	if verb != hiddenVerb {
		fmt.Fprintf(f, fmt.FormatString(f, verb), o.err)
	} else if _, message, ok := ownStatus(o.err); ok {
		fmt.Fprint(f, message)
	}
}
