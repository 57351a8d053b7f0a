package segue

import (
	"fmt"
	"net/http"
	"runtime/debug"
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
		w = track(w)
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
