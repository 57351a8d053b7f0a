package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segue-go/segue/internal/testkit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small is a run for a test.
func small() config {
	return config{
		length: 2 * time.Second, connections: 16, seed: 1, routes: 24,
		patience: time.Minute, every: time.Hour, rehearsal: 200 * time.Millisecond,
	}
}

func TestSoak(t *testing.T) {
	testkit.SkipUnlessExplores(t)
	var out bytes.Buffer
	c := small()
	c.results = filepath.Join(t.TempDir(), "soak.md")
	ok := run(t.Context(), c, &out)
	require.True(t, ok, "%s", &out)
	assert.Contains(t, out.String(), "| faults of all sorts | 0 |")
	tables, err := os.ReadFile(c.results)
	require.NoError(t, err)
	assert.Contains(t, out.String(), string(tables))
	assert.Contains(t, string(tables), "\n| goroutines, at rest | ")
}

// An interrupt ends a long run early, with all its figures.
func TestInterrupt(t *testing.T) {
	testkit.SkipUnlessExplores(t)
	c := small()
	c.length = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	require.True(t, run(ctx, c, &out), "%s", &out)
	assert.Contains(t, out.String(), "| faults of all sorts | 0 |")
}

// A soak that cannot fail shows nothing: each of these apps does one thing
// wrong, and must be found out.
func TestFaultsAreFound(t *testing.T) {
	testkit.SkipUnlessExplores(t)
	if testing.Short() || raceDetector() != "" {
		t.Skip("takes half a minute, and what pools is a data race besides")
	}
	for name, f := range map[string]struct {
		wrap func(enough func()) wrapper
		says string // a regular expression
	}{
		"pools requests":      {poolsRequests, "kept for some time: a kept request"},
		"pools URLs":          {poolsURLs, "kept for some time"},
		"mixes requests up":   {mixesUp, "the answer of another"},
		"changes bodies":      {changesBodies, "the body, from byte"},
		"cuts bodies short":   {cutsShort, "the body ends at byte"},
		"never answers":       {neverAnswers, "no whole answer after"},
		"hangs up":            {hangsUp, "no whole answer after"},
		"answers for a panic": {answersForPanics, "where none can be"},
		"loses panics":        {losesPanics, "that had to break off came to an end"},
		"forgets routes":      {forgetsRoutes, "status 404 instead of 200"},
		"forgets middleware":  {forgetsLayers, "it passed 0 middlewares of Use instead of 1 to 1"},
		"leaves goroutines":   {leavesGoroutines, "at rest before"},
		"leaves memory":       {leavesMemory, "with the same routes: .* bytes before"},
		"holds on to apps":    {holdsApps, "is held by something"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, enough := context.WithCancel(t.Context())
			defer enough()
			c := small()
			c.length, c.patience, c.routes, c.wrap = 20*time.Second, 2*time.Second, 8, f.wrap(enough)
			if name == "leaves memory" {
				c.length = 4 * time.Second // nothing to be found ends the first act
			}
			out := &finder{says: regexp.MustCompile("WRONG: .*" + f.says), found: enough}
			assert.False(t, run(ctx, c, out))
			assert.Regexp(t, out.says, out.String())
		})
	}
}

// A finder ends a run when it has found what it looks for.
type finder struct {
	bytes.Buffer
	says  *regexp.Regexp
	found func()
}

func (f *finder) Write(p []byte) (int, error) {
	if f.says.Match(p) {
		f.found()
	}
	return f.Buffer.Write(p)
}

type wrapper = func(app http.Handler) http.Handler

// poolsRequests serves each request on memory that served another.
func poolsRequests(func()) wrapper {
	pool := sync.Pool{New: func() any { return new(http.Request) }}
	return func(app http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mine := pool.Get().(*http.Request)
			*mine = *r
			app.ServeHTTP(w, mine)
			pool.Put(mine)
		})
	}
}

// poolsURLs does so with the URL alone, off which Param reads.
func poolsURLs(func()) wrapper {
	pool := sync.Pool{New: func() any { return new(url.URL) }}
	return func(app http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mine := pool.Get().(*url.URL)
			*mine = *r.URL
			r.URL = mine
			app.ServeHTTP(w, r)
			pool.Put(mine)
		})
	}
}

// everyTenth does something with every tenth request; the others pass.
func everyTenth(do func(w http.ResponseWriter, r *http.Request, app http.Handler)) func(func()) wrapper {
	return func(func()) wrapper {
		var n atomic.Int64
		return func(app http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if n.Add(1)%10 == 0 {
					do(w, r, app)
				} else {
					app.ServeHTTP(w, r)
				}
			})
		}
	}
}

var mixesUp = everyTenth(func(w http.ResponseWriter, r *http.Request, app http.Handler) {
	r.Header.Set("Id", "another")
	app.ServeHTTP(w, r)
})

// A bodyWriter writes something else than it is given.
type bodyWriter struct {
	http.ResponseWriter
	change func(p []byte) []byte
}

func (b bodyWriter) Unwrap() http.ResponseWriter { return b.ResponseWriter }

func (b bodyWriter) Write(p []byte) (int, error) {
	_, err := b.ResponseWriter.Write(b.change(p))
	return len(p), err
}

var changesBodies = everyTenth(func(w http.ResponseWriter, r *http.Request, app http.Handler) {
	app.ServeHTTP(bodyWriter{w, bytes.ToUpper}, r)
})

var cutsShort = everyTenth(func(w http.ResponseWriter, r *http.Request, app http.Handler) {
	app.ServeHTTP(bodyWriter{w, func(p []byte) []byte { return p[:len(p)-1] }}, r)
})

var neverAnswers = everyTenth(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	<-r.Context().Done()
})

var hangsUp = everyTenth(func(http.ResponseWriter, *http.Request, http.Handler) {
	panic(http.ErrAbortHandler)
})

func answersForPanics(func()) wrapper {
	return func(app http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				if recover() != nil {
					http.Error(w, "sorry", http.StatusInternalServerError)
				}
			}()
			app.ServeHTTP(w, r)
		})
	}
}

func losesPanics(func()) wrapper {
	return func(app http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() { _ = recover() }()
			app.ServeHTTP(w, r)
		})
	}
}

func forgetsRoutes(func()) wrapper {
	return func(app http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/added/") {
				r.URL.Path, r.URL.RawPath = "/nowhere", ""
			}
			app.ServeHTTP(w, r)
		})
	}
}

// A headerWriter loses a header.
type headerWriter struct {
	http.ResponseWriter
	name string
}

func (h headerWriter) Unwrap() http.ResponseWriter { return h.ResponseWriter }

func (h headerWriter) WriteHeader(status int) {
	h.Header().Del(h.name)
	h.ResponseWriter.WriteHeader(status)
}

func (h headerWriter) Write(p []byte) (int, error) {
	h.Header().Del(h.name)
	return h.ResponseWriter.Write(p)
}

func forgetsLayers(func()) wrapper {
	return func(app http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			app.ServeHTTP(headerWriter{w, "Layer"}, r)
		})
	}
}

// leavesGoroutines leaves some until the run has to end, and then for as long
// as its patience goes.
func leavesGoroutines(enough func()) wrapper {
	var n atomic.Int64
	return func(app http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch i := n.Add(1); {
			case i < 10:
				go time.Sleep(30 * time.Second)
			case i == 10:
				enough()
			}
			app.ServeHTTP(w, r)
		})
	}
}

// leavesMemory leaves some in the second act: that is where an id begins with 2.
func leavesMemory(enough func()) wrapper {
	var mu sync.Mutex
	var all [][]byte
	return func(app http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.Header.Get("Id"), "2") {
				mu.Lock()
				defer mu.Unlock()
				if all = append(all, make([]byte, 1<<20)); len(all) == 5 {
					enough()
				}
			}
			app.ServeHTTP(w, r)
		})
	}
}

func holdsApps(enough func()) wrapper {
	var all []http.Handler
	return func(app http.Handler) http.Handler {
		if all = append(all, app); len(all) == 3 {
			enough()
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { app.ServeHTTP(w, r) })
	}
}

func TestJudge(t *testing.T) {
	const all = "GET \"GET /echo/{id}\"\nid \"7\" \"7\" \"7\"\nheader \"7\"\nbody 0 cbf29ce484222325\n"
	broken := io.MultiReader(strings.NewReader(all[:20]), iotestErr{io.ErrUnexpectedEOF})
	for name, c := range map[string]struct {
		ends   ending
		status int
		id     string
		body   io.Reader
		err    error
		want   outcome
	}{
		"right":                 {whole, 200, "7", strings.NewReader(all), nil, answered},
		"another's id":          {whole, 200, "8", strings.NewReader(all), nil, wrong},
		"another status":        {whole, 404, "7", strings.NewReader(all), nil, wrong},
		"another body":          {whole, 200, "7", strings.NewReader(strings.Replace(all, "7", "8", 1)), nil, wrong},
		"too little":            {whole, 200, "7", strings.NewReader(all[:20]), nil, wrong},
		"too much":              {whole, 200, "7", strings.NewReader(all + "x"), nil, wrong},
		"nothing":               {whole, 0, "", nil, io.EOF, unanswered},
		"half":                  {whole, 200, "7", broken, nil, unanswered},
		"half, as planned":      {cut, 200, "7", io.MultiReader(strings.NewReader(all[:20]), iotestErr{io.ErrUnexpectedEOF}), nil, brokeOff},
		"whole instead of half": {cut, 200, "7", strings.NewReader(all), nil, wrong},
		"half in time":          {cut, 200, "7", iotestErr{context.DeadlineExceeded}, nil, unanswered},
		"nothing, as planned":   {absent, 0, "", nil, io.EOF, brokeOff},
		"something for nothing": {absent, 200, "7", strings.NewReader(all), nil, wrong},
		"nothing in time":       {absent, 0, "", nil, context.DeadlineExceeded, unanswered},
	} {
		t.Run(name, func(t *testing.T) {
			k := &call{kind: kinds[0], id: "7"}
			echo(k, nil)
			k.want.ends = c.ends
			var resp *http.Response
			if c.err == nil {
				resp = &http.Response{StatusCode: c.status, Header: http.Header{"Generation": {"1"}, "Id": {c.id}}, Body: io.NopCloser(c.body)}
			}
			got, err := k.judge(resp, c.err)
			assert.Equal(t, c.want, got, "%v", err)
			assert.Equal(t, got == wrong || got == unanswered, err != nil)
		})
	}
}

type iotestErr struct{ error }

func (e iotestErr) Read([]byte) (int, error) { return 0, e.error }

func TestFiller(t *testing.T) {
	for _, n := range []int{0, 1, 5, 1024, 5000} {
		text, err := io.ReadAll(newFiller("id", n))
		require.NoError(t, err)
		assert.Equal(t, strings.Repeat("id\n", 1+n/3)[:n], string(text))
		text, err = io.ReadAll(io.MultiReader(newFiller("id", n)))
		require.NoError(t, err)
		assert.Len(t, text, n)
	}
}

func TestFlags(t *testing.T) {
	var help bytes.Buffer
	c, err := parse(strings.Fields("-for 90s -connections 100 -seed 7 -routes 50 -patience 5s"), &help)
	require.NoError(t, err)
	assert.Equal(t, "1m30s 100 7 50 5s", fmt.Sprint(c.length, c.connections, c.seed, c.routes, c.patience))

	assert.Empty(t, help.String())

	_, err = parse([]string{"-h"}, &help)
	assert.ErrorIs(t, err, flag.ErrHelp)
	assert.Contains(t, help.String(), "-connections")
	for _, args := range []string{
		"-for 1", "-for 1ms", "-for -1s", "-connections 0", "-connections x", "-connections 100000", "-routes 0", "-patience 0s", "-what", "2m",
	} {
		_, err := parse(strings.Fields(args), io.Discard)
		if assert.Error(t, err, args) {
			assert.False(t, errors.Is(err, flag.ErrHelp))
			assert.NotContains(t, err.Error(), "\n")
		}
	}
}
