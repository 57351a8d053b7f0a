package main

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
)

// close takes the stage down while requests are being answered: each that has
// come must still get its answer, and then nobody is left.
func (s *stage) close() {
	const each = 16
	ctx, cancel := s.clock.context(s.patience)
	defer cancel()
	s.acts++
	var clients sync.WaitGroup
	shared := s.newConn2(1)
	for i := range each {
		clients.Go(s.newWorker(ctx, fmt.Sprintf("a%d", i)).waitOverHTTP1)
		clients.Go(func() { s.newWorker(ctx, fmt.Sprintf("b%d", i)).waitOverHTTP2(shared) })
	}
	if err := s.await("requests wait", func() bool { return s.waiting.Load() == 2*each }); err != nil {
		s.wrongAnswer("%v: %d of %d", err, s.waiting.Load(), 2*each)
	}
	go func() {
		<-s.closing
		close(s.gate)
	}()
	for _, server := range []*http.Server{s.server, s.strict} {
		if err := server.Shutdown(ctx); err != nil {
			s.wrongAnswer("the shutdown ended with %v", err)
			server.Close()
		}
		if err := <-s.serving; !errors.Is(err, http.ErrServerClosed) {
			s.wrongAnswer("the server ended with %v", err)
		}
	}
	clients.Wait()
	shared.cut(false)
	if n := s.open.Load(); n != 0 {
		s.wrongAnswer("%d connections are open after the shutdown", n)
	}
	if err := s.await("all panics in the server's log", func() bool { return s.raised.Load() == s.logged.Load() }); err != nil {
		s.wrongAnswer("%v: %d of %d", err, s.logged.Load(), s.raised.Load())
	}
}

func (w *worker) waitOverHTTP1() {
	if conn := w.dial(w.addr); conn != nil {
		defer conn.Close()
		w.ask1(conn, w.waitCall())
	}
}

func (w *worker) waitOverHTTP2(conn *conn2) { w.ask2(conn, w.ctx, w.waitCall(), nil, nil) }

func (w *worker) waitCall() *call {
	c := w.newCall(waitingKind)
	c.get("GET ", true, "/wait/{id}", "id")
	return c
}
