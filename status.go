package segue

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"unicode/utf8"
)

// This file is the value side of the error list: what an error says to a
// client. Who is asked, and in which order, is errors.go's.

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
//  2. an error with a method StatusCode() int: that status and its standard
//     text;
//  3. anything else: 500 and "Internal Server Error".
//
// The whole tree is searched for the first before it is searched for the
// second. The text of a wrapper or of a foreign error is never returned: it may
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

// foreignStatus asks the nearest error that has a StatusCode; 0 if there is none.
func foreignStatus(err error) int {
	type coder interface {
		error
		StatusCode() int
	}
	defer dropNilPanic()
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

// clientText formats what hideWrapped returned. Errors among args go in behind
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
