package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
)

// An outcome is what has become of a request that was sent whole.
type outcome int

const (
	answered   outcome = iota // whole and right
	brokeOff                  // by its handler, as it had to
	givenUp                   // by its client
	wrong                     // the answer of another request, or of none
	unanswered                // no answer, or not all of it
)

// A noAnswer is an error of the connection where an answer was due.
type noAnswer struct{ error }

func (e noAnswer) Unwrap() error { return e.error }

// layers is what a call knows of the middlewares that Use adds meanwhile.
type layers struct {
	*era
	before int64 // that were there when it was sent
	inner  int64 // those of the router that is mounted twice: none known if < 0
}

// judge reads an answer to its end and holds it against what c must get. err is
// what came instead of one.
func (c *call) judge(resp *http.Response, err error) (outcome, error) {
	if err != nil {
		if isTimeout(err) || c.want.ends == whole {
			return unanswered, noAnswer{err}
		}
		return brokeOff, nil
	}
	defer resp.Body.Close()
	if c.want.ends == absent {
		return wrong, fmt.Errorf("an answer, %s, where none can be", resp.Status)
	}
	if c.want.ends == either && resp.StatusCode == http.StatusBadRequest {
		return brokeOff, nil // the server lost patience before it had the whole request
	}
	if err := c.judgeHead(resp); err != nil {
		return wrong, err
	}
	err = compare(resp.Body, c.want.body)
	var read noAnswer
	switch {
	case !errors.As(err, &read):
		if err == nil && c.want.ends == cut {
			err = errors.New("an answer that had to break off came to an end")
		}
		if err != nil {
			return wrong, err
		}
		return answered, nil
	case c.want.ends == whole || isTimeout(err):
		return unanswered, err
	}
	return brokeOff, nil
}

func isTimeout(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded)
}

func (c *call) judgeHead(resp *http.Response) error {
	if !c.want.bare {
		generation, err := strconv.Atoi(resp.Header.Get("Generation"))
		if err != nil {
			return fmt.Errorf("an answer, %s, that no app gave: %v", resp.Status, resp.Header)
		}
		if c.app != nil && generation != c.app.number {
			c.missing() // its route went with its app
		}
		if got, want := resp.Header.Get("Id"), url.PathEscape(c.id); got != want {
			return fmt.Errorf("the answer of another: id %q instead of %q", got, want)
		}
		if err := c.judgeLayers(generation, resp.Header); err != nil {
			return err
		}
	}
	if resp.StatusCode != c.want.status {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return fmt.Errorf("status %d instead of %d: %s", resp.StatusCode, c.want.status, text)
	}
	for name, want := range c.want.header {
		if got := resp.Header.Get(name); got != want {
			return fmt.Errorf("%s: %q instead of %q", name, got, want)
		}
	}
	return nil
}

// judgeLayers: a request passes those that were there when it was sent, in the
// order of Use, and may pass those that came meanwhile.
func (c *call) judgeLayers(generation int, h http.Header) error {
	if c.layers.era == nil || generation != c.layers.number {
		return nil
	}
	passed := h.Values("Layer")
	for i, number := range passed {
		if number != strconv.Itoa(i) {
			return fmt.Errorf("middlewares out of order: %v", passed)
		}
	}
	n, most := int64(len(passed)), c.layers.begun.Load()
	if n < c.layers.before || n > most {
		return fmt.Errorf("it passed %d middlewares of Use instead of %d to %d", n, c.layers.before, most)
	}
	if inner := int64(len(h.Values("Inner"))); c.layers.inner >= 0 && inner != c.layers.inner {
		return fmt.Errorf("it passed %d middlewares of the mounted router instead of %d", inner, c.layers.inner)
	}
	return nil
}

// compare reads got to its end. The error is a noAnswer if reading failed, with
// nothing wrong in what had come.
func compare(got, want io.Reader) error {
	if want == nil {
		want = bytes.NewReader(nil)
	}
	var a, b [2048]byte
	for at := 0; ; {
		n, err := got.Read(a[:])
		m, _ := io.ReadFull(want, b[:n])
		if !bytes.Equal(a[:n], b[:m]) {
			return fmt.Errorf("the body, from byte %d on, is\n%s\ninstead of\n%s", at, shown(a[:n]), shown(b[:m]))
		}
		at += n
		if err == io.EOF {
			if left, _ := io.ReadFull(want, b[:]); left > 0 {
				return fmt.Errorf("the body ends at byte %d, without\n%s", at, shown(b[:left]))
			}
			return nil
		}
		if err != nil {
			return noAnswer{err}
		}
	}
}

func shown(text []byte) []byte {
	if len(text) > 600 {
		return slices.Concat(text[:600], []byte("…"))
	}
	return text
}

// String is how a call is shown that was answered wrongly.
func (c *call) String() string {
	text := fmt.Sprintf("%s, %s %s, header Id: %s", c.name, c.method, c.target, url.PathEscape(c.id))
	if c.host != "" {
		text += ", Host: " + c.host
	}
	if c.body != "" {
		text += fmt.Sprintf(", a body of %d bytes", len(c.body))
	}
	return text
}
