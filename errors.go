package segue

// This file holds the second list: how an error of a handler, a middleware or a
// panic reaches the error handlers of the router that the request belongs to, and
// what an error says to a client. It stands on middleware.go for the scopes and
// on internal/respond for writers that know whether the response has begun.

import (
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

// OnError adds a handler at the end of this router's error list.
//
// An error, of a handler under [Try], of [Fail] or of [Recover], or a 404 or
// 405 that no other handler was set for, walks the list of the router that the
// matched route or the miss belongs to, then those of the routers around it.
// Each handler either answers and returns nil, or returns an error, the same or
// another, for the next. At the end of the list the answer is what [StatusOf]
// makes of the error, and an error of 500 and more is logged to the server's
// ErrorLog. A handler must not call Fail for the same request. OnError
// panics with an error if the handler is nil.
func (rt *Router) OnError(handler func(w http.ResponseWriter, r *http.Request, err error) error) {
	if handler == nil {
		panic(misuse("the error handler is nil"))
	}
	rt.configure(func(s *settings) {
		s.onError = append(s.onError[:len(s.onError):len(s.onError)], handler)
	})
}

// Try turns a handler that returns an error into a standard one: an error goes
// to [Fail]. Without an error it costs nothing.
//
// Under [Recover] an error after the response has begun aborts the response,
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
// Fail finds the router, and so the error list, from r or from any copy of r. If r
// no longer identifies a router, because an inner ServeMux has overwritten
// r.Pattern, Fail answers as if the list were empty: with what [StatusOf] says. It
// is safe for concurrent use for different requests.
func Fail(w http.ResponseWriter, r *http.Request, err error) {
	if err != nil {
		scopeOf(r).fail(w, r, err)
	}
}

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
	state := respond.StateOf(w)
	begun := state.Begun()
	if begun {
		w = respond.Discard(w)
	}
	noFile := err == errNoFile
	if err = sc.walk(w, r, err); err != nil {
		status, message := StatusOf(err)
		if status >= 500 {
			logError(r, err)
		}
		// A handler of the list may have written something and then given up.
		begun = begun || state.Begun()
		if err == errNotFound || err == errNoFile {
			message = "404 page not found"
		}
		if !begun {
			if noFile {
				sendfile.DropHeaders(w.Header())
			}
			http.Error(w, message, status)
		}
	}
	if begun {
		state.Abort()
	}
}

// walk hands the error on from handler to handler and returns what is left of
// it.
func (sc *scope) walk(w http.ResponseWriter, r *http.Request, err error) error {
	for ; sc != nil; sc = sc.parent {
		for _, handle := range sc.onError {
			if err = handle(w, r, err); err == nil {
				return nil
			}
		}
	}
	return err
}

// logError logs where net/http logs a panic. An error may hold what a client
// sent, so that its text is escaped and bounded: it is one line, apart from the
// stack of a panic.
func logError(r *http.Request, err error) {
	text, stack := err.Error(), ""
	if p, ok := errors.AsType[*panicError](err); ok {
		stack = "\n\n" + string(p.stack)
		text = strings.Replace(text, stack, "", 1)
	}
	if len(text) > maxLogged {
		text = text[:maxLogged] + "…"
	}
	logf := log.Printf
	if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && s.ErrorLog != nil {
		logf = s.ErrorLog.Printf
	}
	logf("segue: %s %.256s: %s%s", terminal.Printable(r.Method), r.URL.EscapedPath(), terminal.Printable(text), stack)
}

const maxLogged = 4096 // bytes of an error's text

// The errors of a miss. At the end of the list both are answered as by ServeMux,
// whose text for the first is not the standard one.
var (
	errNotFound   = Errorf(http.StatusNotFound, "Not Found")
	errNotAllowed = Errorf(http.StatusMethodNotAllowed, "Method Not Allowed")
)

// Recover is a middleware that turns a panic below it into an error and hands
// it to [Fail], with the request that it was given: so it walks the error list,
// and ends as a 500 with its standard text, never the panic's.
//
//	app.Use(logging, segue.Recover)
//
// The error's text is the panic value and the stack of the goroutine that
// panicked, for a log. [errors.Is] and [errors.As] go on to a value that is an
// error itself. To have the two apart:
//
//	var p interface{ Panic() (value any, stack []byte) }
//	if errors.As(err, &p) {
//		value, stack := p.Panic()
//
// A panic is a fault of the server, whatever its value: [StatusOf] gives 500
// even for panic(segue.Errorf(404, "no such user")).
//
// Once the response has begun there can be no other answer. The list is then
// walked all the same, with a writer that drops what it is given, and the
// response is aborted by a panic with [http.ErrAbortHandler]: net/http cuts the
// connection (HTTP/2: resets the stream), and the client knows that the part it
// has is not the whole. After a hijack the hijacked connection is closed instead.
// A response begins with a status (101 or from 200 on; 103 Early Hints is not
// one), a write, a flush or a hijack.
//
// To know that, Recover wraps the writer. What next gets has those of
// [http.Flusher], FlushError, [http.Hijacker], [io.ReaderFrom],
// [io.StringWriter] and [http.Pusher] that the writer had, no others, and an
// Unwrap for [http.ResponseController]. Not seen is what is done to the writer
// from outside of Recover, or past it by way of Unwrap: a ResponseController does
// so where the writer that Recover was given cannot flush or hijack, but has an
// Unwrap to one that can.
//
// A panic with http.ErrAbortHandler, which asks net/http to cut the connection
// without a word, goes on as it came, and so does [runtime.Goexit], which is not
// a panic. A panic on a goroutine that a handler started is out of reach: it
// ends the program, as ever. One that a middleware below carries over from
// another goroutine, as [http.TimeoutHandler] does, shows the stack of where it
// was thrown again.
//
// Recover costs one allocation a request, the wrapped writer, and none where
// next to it another Recover has wrapped it already. The handler is safe for
// concurrent use if next is. Recover(nil) is nil, which is refused where it is
// registered.
func Recover(next http.Handler) http.Handler {
	if next == nil {
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w = respond.Wrap(w)
		defer func() {
			switch v := recover(); v {
			case nil: // no panic (panic(nil) is a *runtime.PanicNilError), or Goexit
			case http.ErrAbortHandler:
				panic(v)
			default:
				Fail(w, r, &panicError{v, debug.Stack()})
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// A panicError is a recovered panic on its way through the error list.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v\n\n%s", e.value, e.stack) }

// Panic returns the panic's value and the stack of its goroutine.
func (e *panicError) Panic() (value any, stack []byte) { return e.value, e.stack }

// Unwrap returns the panic's value if it is an error.
func (e *panicError) Unwrap() error {
	err, _ := e.value.(error)
	return err
}

// statusMessage comes before any status that the panic's value may have.
func (e *panicError) statusMessage() (int, string) {
	return http.StatusInternalServerError, http.StatusText(http.StatusInternalServerError)
}

// Errorf returns an error with an HTTP status, formatted as by [fmt.Errorf].
// [StatusOf] finds the status and the message again, however deep the error has
// been wrapped since.
//
//	return segue.Errorf(http.StatusNotFound, "no user %d", id)
//	return segue.Errorf(http.StatusNotFound, "no user %d: %w", id, sql.ErrNoRows)
//
// The text is written for the client. Under %w it is written for two readers:
// Error gives all of it, for the log, while the message for the client leaves
// out what a %w stands for, together with spaces and any of : ; , - that this
// leaves at either end. Both lines above tell the client "no user 7", and the
// second tells the log "no user 7: sql: no rows in result set". Two cases
// follow from that:
//
//   - an error under %w that holds an error of segue's own (of Errorf, [Decode]
//     or [ParamAs]) shows as that one's message, which was meant for the client
//     too;
//   - an error under %v or %s is part of the text. That is how to show one on
//     purpose, and how to show one by mistake.
//
// A message that is empty once the %w are out is the standard text of the
// status. A status outside 400 to 599 counts as 500 with its standard text, and
// Error still gives the text.
//
// Wrapping is that of fmt.Errorf: [errors.Is] and [errors.As] go through any
// number of %w. The error also has a method StatusCode() int, for packages that
// look for one.
//
// go vet checks the format as it does fmt.Errorf's. Errorf costs one allocation
// more than fmt.Errorf, and with %w six: the text is then formatted a second
// time. It never panics. The error does not change and is safe for concurrent
// use.
func Errorf(status int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	own := statusError{status: status, text: err.Error()}
	own.message = own.text
	if hidden, found := hideWrapped(format); found {
		own.message = clientText(hidden, args)
	}
	own.status, own.message = answerable(status, own.message)

	switch err := err.(type) {
	case interface{ Unwrap() []error }:
		return &statusErrors{own, err.Unwrap()}
	case interface{ Unwrap() error }:
		own.wrapped = err.Unwrap()
	}
	return &own
}

// StatusOf returns the HTTP status, 400 to 599, and the message for the client
// that err stands for. It is the answer at the end of the error list. The first
// of these that err's tree holds (err itself, then what it wraps, in the order
// of [errors.As]) decides:
//
//  1. an error of [Errorf], [Decode], [JSON] or [ParamAs] and [QueryAs]: its
//     status and message;
//  2. an [http.MaxBytesError]: 413 and its standard text;
//  3. an error with a method StatusCode() int: that status and its standard
//     text;
//  4. anything else: 500 and "Internal Server Error".
//
// The whole tree is searched for each of these before it is searched for the
// next. The text of a wrapper or of a foreign error is never returned: it may
// hold what no client should see.
//
// A status outside 400 to 599 counts as 500, with its standard text. A status
// that has no standard text, as 499, gets that of its class, "Bad Request" or
// "Internal Server Error": RFC 9110, section 15, has clients take an unknown
// status for the x00 of its class. The message is never empty.
//
// StatusOf(nil) is 200 and "OK". A nil pointer in an error, which panics when it
// is asked, counts as an error that has no status.
//
// StatusOf does not allocate, and is safe for concurrent use if the methods of
// err are.
func StatusOf(err error) (status int, message string) {
	if err == nil {
		return http.StatusOK, http.StatusText(http.StatusOK)
	}
	if status, message, ok := ownStatus(err); ok {
		return answerable(status, message)
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

// An ownError is an error of this package whose message is meant for clients.
type ownError interface {
	error
	statusMessage() (status int, message string)
}

// ownStatus asks the nearest error of our own in the tree of err. What it says
// has not been through answerable.
func ownStatus(err error) (status int, message string, ok bool) {
	defer dropNilPanic()
	own, found := errors.AsType[ownError](err)
	if !found {
		return 0, "", false
	}
	ok = true // also if own is a nil pointer and panics
	status, message = own.statusMessage()
	return status, message, ok
}

// foreignStatus knows net/http's error for a body that is too large, and asks the
// nearest error that has a StatusCode; 0 if there is none.
func foreignStatus(err error) int {
	type coder interface {
		error
		StatusCode() int
	}
	defer dropNilPanic()
	if _, found := errors.AsType[*http.MaxBytesError](err); found {
		return http.StatusRequestEntityTooLarge
	}
	if foreign, found := errors.AsType[coder](err); found {
		return foreign.StatusCode()
	}
	return 0
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
	message string // for the client, never empty
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

// clientText formats what hideWrapped returned. It wraps the errors among args in
// a formatter that knows which verb asks; only %T and %p, which fmt answers
// itself, tell the difference.
func clientText(hidden string, args []any) string {
	operands := make([]any, len(args))
	for i, arg := range args {
		operands[i] = arg
		if err, ok := arg.(error); ok || arg == nil {
			operands[i] = operand{err}
		}
	}
	return strings.Trim(fmt.Sprintf(hidden, operands...), " \t\n:;,-")
}

// An operand is an error, or nil, on its way into a message for the client.
type operand struct{ err error }

func (o operand) Format(f fmt.State, verb rune) {
	if verb != hiddenVerb {
		fmt.Fprintf(f, fmt.FormatString(f, verb), o.err)
		return
	}
	if o.err == nil {
		return
	}
	if _, message, ok := ownStatus(o.err); ok {
		fmt.Fprint(f, message)
	}
}
