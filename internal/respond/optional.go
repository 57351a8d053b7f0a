package respond

// This file gives a wrapped writer the optional interfaces of the underlying
// writer. It stands on basic, in respond.go, whose methods do the work.
//
// Handlers ask for an optional interface by a type assertion, such as
// w.(http.Flusher). Six interfaces make 64 sets, and each set needs a type of its
// own. The compiler makes these types from one generic type, writer. A method
// satisfies an interface only if it has the signature that the interface asks
// for, and the type arguments decide about the signature. For example, Push takes
// options of type P:
//
//	writer[*http.PushOptions, ...] has Push(string, *http.PushOptions) error and is an http.Pusher
//	writer[struct{}, ...]          has Push(string, struct{}) error          and is not
//
// Each of P, H, R, S and E stands in the signature of one method, and switches
// one interface on or off. Flush has neither parameters nor results. Where it is
// not wanted, a field of the same name hides it.
//
// To find the type, Wrap asks six questions, one in each of the functions below.
// A function passes the answers so far on to the next one as type arguments.

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// Wrap returns a writer around w that has a [State]. Of the six optional
// interfaces [http.Pusher], [http.Hijacker], [io.ReaderFrom], [io.StringWriter],
// FlushError and [http.Flusher] it has those that w has, and no others. It has
// an Unwrap for [http.ResponseController].
//
// Wrap costs one allocation. If w is a wrapped writer, it returns w.
func Wrap(w http.ResponseWriter) http.ResponseWriter {
	if _, ok := w.(interface{ state() *State }); ok {
		return w
	}
	return wrap(w)
}

// A writer has the optional interfaces whose type is among its type arguments:
// *http.PushOptions for P, io.Reader for R, string for S, and error for H
// (Hijack) and E (FlushError). For an interface that it does not have, the type
// argument is struct{}.
type writer[P, H, R, S, E any] struct{ basic }

func (w *writer[P, H, R, S, E]) Push(target string, opts P) error {
	return w.push(target, any(opts).(*http.PushOptions))
}

func (w *writer[P, H, R, S, E]) Hijack() (net.Conn, *bufio.ReadWriter, H) {
	conn, rw, err := w.hijack()
	h, _ := any(err).(H) // a nil error is of no type, and gives a nil H
	return conn, rw, h
}

func (w *writer[P, H, R, S, E]) ReadFrom(src R) (int64, error) {
	return w.readFrom(any(src).(io.Reader))
}

func (w *writer[P, H, R, S, E]) WriteString(text S) (int, error) {
	return w.writeString(any(text).(string))
}

func (w *writer[P, H, R, S, E]) FlushError() E {
	e, _ := any(w.flushError()).(E)
	return e
}

func (w *writer[P, H, R, S, E]) Flush() { w.flush() }

func wrap(w http.ResponseWriter) http.ResponseWriter {
	if _, ok := w.(http.Pusher); ok {
		return wrapP[*http.PushOptions](w)
	}
	return wrapP[struct{}](w)
}

func wrapP[P any](w http.ResponseWriter) http.ResponseWriter {
	if _, ok := w.(http.Hijacker); ok {
		return wrapH[P, error](w)
	}
	return wrapH[P, struct{}](w)
}

func wrapH[P, H any](w http.ResponseWriter) http.ResponseWriter {
	if _, ok := w.(io.ReaderFrom); ok {
		return wrapR[P, H, io.Reader](w)
	}
	return wrapR[P, H, struct{}](w)
}

func wrapR[P, H, R any](w http.ResponseWriter) http.ResponseWriter {
	if _, ok := w.(io.StringWriter); ok {
		return wrapS[P, H, R, string](w)
	}
	return wrapS[P, H, R, struct{}](w)
}

func wrapS[P, H, R, S any](w http.ResponseWriter) http.ResponseWriter {
	if _, ok := w.(interface{ FlushError() error }); ok {
		return wrapE[P, H, R, S, error](w)
	}
	return wrapE[P, H, R, S, struct{}](w)
}

func wrapE[P, H, R, S, E any](w http.ResponseWriter) http.ResponseWriter {
	if _, ok := w.(http.Flusher); ok {
		flusher := new(writer[P, H, R, S, E])
		flusher.s.w = w
		return flusher
	}
	unflushable := new(struct {
		Flush struct{} // hides the method
		writer[P, H, R, S, E]
	})
	unflushable.s.w = w
	return unflushable
}
