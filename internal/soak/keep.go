package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/segue-go/segue"
)

// This file holds requests for longer than their handlers run, and asks them
// again. A router that uses memory again which a request can reach shows one
// client's values to another here.

// A witness is a request with what it must say for ever.
type witness struct {
	*http.Request
	what    string // the request itself, or which copy
	text    string // the report when it came
	path    string
	params  map[string]string
	pattern string
}

func newWitness(r *http.Request, what string) witness {
	w := witness{r, what, report(r), r.URL.Path, map[string]string{}, r.Pattern}
	for name := range segue.Params(r) {
		w.params[name] = segue.Param(r, name)
	}
	return w
}

// check holds the request against what it said when it came, and that against
// the id in its header.
func (w witness) check() error {
	id, err := url.PathUnescape(w.Header.Get("Id"))
	if err != nil {
		return err
	}
	if w.Pattern != w.pattern || w.URL.Path != w.path {
		return fmt.Errorf("%s: %q %q became %q %q", w.what, w.pattern, w.path, w.Pattern, w.URL.Path)
	}
	for name, want := range w.params {
		if got := segue.Param(w.Request, name); got != want {
			return fmt.Errorf("%s: %s was %q and became %q", w.what, name, want, got)
		}
		if name != "set" && want != valueOf(name, id) {
			return fmt.Errorf("%s: %s is %q, of a request with the id %q", w.what, name, want, id)
		}
	}
	if text := report(w.Request); text != w.text {
		return fmt.Errorf("%s: it said\n%sand now\n%s", w.what, w.text, text)
	}
	return nil
}

// outlast is for behind an http.TimeoutHandler: the client has its answer, and
// this goes on.
func (h *handlers) outlast(_ http.ResponseWriter, r *http.Request) {
	h.held.Add(1)
	defer h.held.Done()
	w := newWitness(r, "a request behind TimeoutHandler")
	<-r.Context().Done()
	h.count(timeouts)
	for range 4 {
		time.Sleep(rand.N(h.atMost / 20))
		h.verify(w)
	}
}

// keep answers, and leaves the request and copies of it behind.
func (h *handlers) keep(w http.ResponseWriter, r *http.Request) {
	shallow := *r
	clone := r.Clone(context.Background())
	changed := r.Clone(r.Context())
	changed.SetPathValue("sub", "another")
	changed.SetPathValue("set", "by hand")
	all := []witness{
		newWitness(r, "a kept request"),
		newWitness(&shallow, "a copied request"),
		newWitness(clone, "a clone"),
		newWitness(r.WithContext(context.Background()), "a request with another context"),
	}
	h.held.Add(1)
	time.AfterFunc(rand.N(h.atMost), func() {
		defer h.held.Done()
		for _, w := range all {
			h.verify(w)
		}
		if changed.PathValue("sub") != "another" || changed.PathValue("set") != "by hand" {
			h.wrongAnswer("a clone lost what SetPathValue put there: %q %q", changed.PathValue("sub"), changed.PathValue("set"))
		}
	})
	h.echo(w, r)
}

func (h *handlers) verify(w witness) {
	h.kept.Add(1)
	if err := w.check(); err != nil {
		h.wrongAnswer("kept for some time: %v", err)
	}
}
