package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A clock counts patience. It goes on by a tick whenever a goroutine that asks
// for ten turns a second gets one: where the machine is so busy that turns come
// late, answers do too, and patience lasts longer.
type clock struct {
	ticks  atomic.Int64
	mu     sync.Mutex
	alarms map[*alarm]struct{}
}

const tick = 100 * time.Millisecond

type alarm struct {
	at   int64
	ring func()
}

// run ticks until stop is closed.
func (c *clock) run(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(tick):
		}
		now := c.ticks.Add(1)
		c.mu.Lock()
		for a := range c.alarms {
			if a.at <= now {
				delete(c.alarms, a)
				a.ring()
			}
		}
		c.mu.Unlock()
	}
}

func (c *clock) now() time.Duration { return time.Duration(c.ticks.Load()) * tick }

// after has ring called, which must not wait, unless it is stopped before.
func (c *clock) after(d time.Duration, ring func()) (stop func()) {
	a := &alarm{c.ticks.Load() + int64(d/tick) + 1, ring}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.alarms == nil {
		c.alarms = map[*alarm]struct{}{}
	}
	c.alarms[a] = struct{}{}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.alarms, a)
	}
}

// context returns one that ends after d of patience, with
// context.DeadlineExceeded for its cause.
func (c *clock) context(d time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := c.after(d, func() { cancel(context.DeadlineExceeded) })
	return ctx, func() { stop(); cancel(nil) }
}

// await waits for a condition, and reports whether it came to hold.
func (c *clock) await(d time.Duration, condition func() bool) bool {
	for end := c.now() + d; !condition(); time.Sleep(5 * time.Millisecond) {
		if c.now() > end {
			return false
		}
	}
	return true
}
