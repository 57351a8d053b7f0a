package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"
)

// run soaks, prints what it saw, and reports whether all was well.
//
// All is done twice: a short rehearsal first, with everything set up and taken
// down, so that what the process makes once and keeps is there when memory and
// goroutines are looked at.
func run(ctx context.Context, c config, out io.Writer) bool {
	b := newBook(out)
	start, stop := time.Now(), make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { b.watch(c.every, stop) })
	watching.Go(func() { b.clock.run(stop) })

	short := c
	short.length, short.wrap = c.rehearsal, nil
	perform(ctx, short, b, true)
	before := lookAround(c, b)
	perform(ctx, c, b, false)
	b.nothingLeft(c, before)

	close(stop)
	watching.Wait()
	var tables bytes.Buffer
	b.print(&tables, c, time.Since(start))
	fmt.Fprintf(out, "\n%s", &tables)
	if c.results != "" {
		if err := os.WriteFile(c.results, tables.Bytes(), 0o644); err != nil {
			b.wrongAnswer("the tables are not written: %v", err)
		}
	}
	return b.faulty.Load() == 0
}

// perform sets a stage up, plays two acts on it and takes it down. In the first
// act routes are added, in the second they are as they are, so that memory must
// be too.
func perform(ctx context.Context, c config, b *book, rehearsal bool) {
	s, err := newStage(c, b)
	if err != nil {
		b.wrongAnswer("the server does not start: %v", err)
		return
	}
	s.act(ctx, c.length*3/4, true)
	before, sent := b.heap(c.lull, never), b.sentSoFar()
	s.act(ctx, c.length/4, false)
	if !rehearsal {
		n := b.sentSoFar() - sent
		most := before + 512<<10 + 4*n // an object a request would be 8 and more
		b.measured(level{
			what: "heap with the same routes", unit: "bytes", requests: n,
			before: before, most: most, after: b.settledHeap(c, most),
		})
	}
	s.close()
}

// act has all clients at work for some time, and waits until they have let go.
func (s *stage) act(ctx context.Context, length time.Duration, grow bool) {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	s.acts++
	var clients sync.WaitGroup
	half := s.connections / 2
	for i := range half {
		clients.Go(s.newWorker(ctx, fmt.Sprintf("a%d", i)).overHTTP1)
	}
	for i := range s.connections - half {
		streams := 1
		if i%8 == 0 {
			streams = 8
		}
		conn := s.newConn2(streams)
		for j := range streams {
			clients.Go(func() { s.newWorker(ctx, fmt.Sprintf("b%d.%d", i, j)).overHTTP2(conn) })
		}
	}
	if grow {
		clients.Go(s.newWorker(ctx, "g").grow)
	}
	clients.Wait()
	s.held.Wait()
	if err := s.await("all connections closed", func() bool { return s.open.Load() == 0 }); err != nil {
		s.wrongAnswer("%v: %d are open", err, s.open.Load())
	}
}

// A worker is a client, or one of those that share a connection of HTTP/2.
type worker struct {
	*stage
	ctx    context.Context
	name   string
	n      int // calls
	choose *rand.Rand
}

func (s *stage) newWorker(ctx context.Context, name string) *worker {
	name = fmt.Sprintf("%d%s", s.acts, name)
	var seed [32]byte
	copy(seed[:], fmt.Sprintf("%d %s", s.seed, name))
	return &worker{s, ctx, name, 0, rand.New(rand.NewChaCha8(seed))}
}

// over reports whether the act is.
func (w *worker) over() bool { return w.ctx.Err() != nil }

// pause waits, but not beyond the end of the act.
func (w *worker) pause(d time.Duration) {
	select {
	case <-w.ctx.Done():
	case <-time.After(d):
	}
}

// tails make ids that differ in length and in what has to be escaped.
var tails = []string{
	"", "", "-of-some-length-that-varies", "/with/slashes and blanks", `-ü%&+'"<>;=,:@`,
	"-" + strings.Repeat("long", 100),
}

func (w *worker) newCall(k *kind) *call {
	w.n++
	tail := tails[w.choose.IntN(len(tails))]
	c := &call{kind: k, id: fmt.Sprintf("%s.%d%s", w.name, w.n, tail[:w.choose.IntN(len(tail)+1)])}
	app := w.app.Load()
	c.layers = layers{app.era, app.done.Load(), -1}
	if k.make != nil {
		k.make(c, w.choose)
	}
	return c
}

// next is any call: mostly of a route that all apps have.
func (w *worker) next(p proto) *call {
	if w.choose.IntN(5) == 0 {
		if route, ok := w.app.Load().pick(w.choose.IntN); ok {
			return w.callAdded(route)
		}
	}
	for {
		k := kinds[w.choose.IntN(len(kinds))]
		if w.choose.IntN(100) < k.weight && (p == overHTTP2 || !k.http2) {
			return w.newCall(k)
		}
	}
}

func (w *worker) callAdded(route addedRoute) *call {
	c := w.newCall(addedKind)
	c.app, c.host = route.era, route.host
	c.method, c.target = "GET", route.target(c.id)
	c.want.status = 200
	c.want.body = c.echoed("GET", route.pattern, true, route.names...)
	return c
}
