package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseWrk(t *testing.T) {
	got, err := parseWrk("Running 1s test\ne2e 1000 2000000 1 2 0 0 3 5500 20670\n")
	require.NoError(t, err)
	assert.Equal(t, wrkResult{requests: 1000, lasted: 2 * time.Second, errors: 6, p99: 5.5, max: 20.67}, got)
	_, err = parseWrk("unable to connect")
	assert.ErrorContains(t, err, "unable to connect")
}

func TestMedianAndQuantile(t *testing.T) {
	assert.Equal(t, 2.0, median([]float64{3, 1, 2}))
	assert.Equal(t, 2.5, median([]float64{4, 1, 2, 3}))
	assert.Zero(t, median(nil))
	assert.Equal(t, 1.0, quantile([]float64{3, 1, 2}, 0))
	assert.Equal(t, 3.0, quantile([]float64{3, 1, 2}, 1))
	assert.Zero(t, quantile(nil, 0.99))
}

// Of 21 values the 6th and the 16th bound the median, as tables of the sign
// test have it; of 5 no two do.
func TestInterval(t *testing.T) {
	var values []float64
	for i := range 21 {
		values = append(values, float64(21-i))
	}
	low, high := interval(values)
	assert.Equal(t, []float64{6, 16}, []float64{low, high})
	low, high = interval(values[:5])
	assert.Equal(t, []float64{17, 21}, []float64{low, high})
	low, _ = interval(nil)
	assert.NotEqual(t, low, low, "not a number")
}

func TestClassify(t *testing.T) {
	for want, stacks := range map[string][][]string{
		"kernel":     {{"internal/runtime/syscall.Syscall6", "syscall.Write", "internal/poll.(*FD).Write", "net/http.(*conn).serve"}},
		"allocation": {{"runtime.mallocgc", "runtime.newobject", "net/http.readRequest", "net/http.(*conn).serve"}, {"runtime.gcDrain", "runtime.gcBgMarkWorker"}},
		"parsing":    {{"strings.IndexByte", "net/textproto.(*Reader).ReadLine", "net/http.readRequest"}},
		"routing": {
			{"github.com/segue-go/segue.(*Router).ServeHTTP", "net/http.serverHandler.ServeHTTP"},
			{"runtime.mallocgc", "github.com/segue-go/segue.(*Router).ServeHTTP"}, // a router that allocates
			{"net/http.(*routingNode).match", "net/http.(*ServeMux).findHandler"},
			{"runtime.mallocgc", "net/http.(*Request).WithContext", "github.com/go-chi/chi/v5.(*Mux).ServeHTTP"},
		},
		"answer":  {{"net/http.(*response).Write", "fmt.Fprintf", "github.com/segue-go/segue/benchmarks/e2e/servers/serve.Options.Answer", "github.com/segue-go/segue.(*Router).ServeHTTP"}},
		"handler": {{"main.main.func1", "github.com/segue-go/segue.(*Router).ServeHTTP"}},
		"rest":    {{"runtime.findRunnable", "runtime.schedule"}, {"runtime.exitsyscall", "internal/poll.(*FD).Read", "net/http.(*connReader).Read"}},
	} {
		for _, stack := range stacks {
			assert.Equal(t, want, classify(stack), stack)
		}
	}
}

func TestEnds(t *testing.T) {
	for list, want := range map[string][2]string{"0-1": {"0", "1"}, "0-2,5": {"0", "5"}, "3": {"3", "3"}, "1,10-11": {"1", "11"}, "": {"0", "0"}} {
		first, last := ends(list)
		assert.Equal(t, want, [2]string{first, last}, list)
	}
}

// Our client tells a connection that is answered from one that is not.
func TestDrive(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }))
	defer server.Close()
	u, err := url.Parse(server.URL + "/hello")
	require.NoError(t, err)
	got := driveUntil(u, 8, func(got tally) bool { return got.Unanswered == 0 && got.Requests > 8 })
	assert.Greater(t, got.Slowest, 0.0)

	chunked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "hel")
		w.(http.Flusher).Flush()
		io.WriteString(w, "lo")
	}))
	defer chunked.Close()
	driveUntil(&url.URL{Host: chunked.Listener.Addr().String(), Path: "/"}, 2, func(got tally) bool { return got.Unanswered == 0 && got.Requests > 8 })

	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	got = driveUntil(&url.URL{Host: silent.Addr().String(), Path: "/"}, 3, func(got tally) bool { return got.Slowest >= 90 })
	assert.Equal(t, 3, got.Unanswered, "each waited until the end")
}

// driveUntil gives the client more and more time until it has seen enough: how
// much that takes is the machine's affair.
func driveUntil(u *url.URL, connections int, enough func(tally) bool) tally {
	for lasting := 100 * time.Millisecond; ; lasting *= 2 {
		if got := drive(u, connections, lasting); enough(got) {
			return got
		}
	}
}

// Whatever is missing is named with what to install, before anything is built.
func TestBadInput(t *testing.T) {
	assert.ErrorContains(t, measure(options{scenarios: "speed"}), `no scenario "speed"; there are hello`)
	_, err := newBench(options{}, serverNames())
	assert.ErrorContains(t, err, "run it in the folder benchmarks")

	t.Chdir("..")
	t.Setenv("PLUSWEB", "")
	_, err = newBench(options{servers: "plusweb"}, []string{"plusweb"})
	assert.ErrorContains(t, err, "set the environment's PLUSWEB")
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	o := options{node: "node", port: 28380}
	for _, missing := range []string{"wrk is not installed: apt-get install wrk", "taskset is not installed: apt-get", "cc is not installed: apt-get", "node is not installed: apt-get"} {
		_, err := newBench(o, serverNames())
		assert.ErrorContains(t, err, missing)
		name, _, _ := strings.Cut(missing, " ")
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755))
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	o.port = l.Addr().(*net.TCPAddr).Port
	_, err = newBench(o, []string{"segue"})
	assert.ErrorContains(t, err, fmt.Sprintf("port %d is taken: stop what listens there, or choose another by -port", o.port))
}

// A server that answers wrongly is not measured.
func TestCheck(t *testing.T) {
	answer := "Hello, %s!\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, answer, filepath.Base(r.URL.Path))
	}))
	defer server.Close()
	hello := scenarios[0]
	p := &process{server: serverNamed("nethttp"), addr: server.Listener.Addr().String()}
	assert.NoError(t, p.check(hello))
	p.server = serverNamed("segue")
	assert.ErrorContains(t, p.check(hello), "/no/such/route: got 200", "a router must have answered 404")
	answer = "Hello, %.2s!\n"
	assert.ErrorContains(t, p.check(hello), "want 200")
}

// What was measured is rendered, and what was not is left out.
func TestRender(t *testing.T) {
	dir := t.TempDir()
	_, err := loadResults(dir)
	assert.ErrorContains(t, err, "measure first")

	rounds := func(rate, cpu float64) []sample {
		return []sample{{PerSecond: rate, CPU: cpu, P99: 3, Resident: 13 << 20}, {PerSecond: rate * 1.1, CPU: cpu, P99: 3, Resident: 13 << 20}}
	}
	r := results{
		load: map[string]*loadResult{"routes-1000": {Servers: []*serverRounds{{"segue", rounds(60_000, 15)}, {"express", rounds(2_000, 400)}}}},
		paired: map[string]*pairedResult{"routes-1000": {Micros: map[string][]float64{
			"segue": {15, 15, 15, 15, 15, 15}, "nethttp": {15, 15, 15, 15, 15, 15}, "floor": {15, 15, 15, 15, 15, 15}, "chi": {17, 17, 17, 17, 17, 17}, "gin": {14, 16, 17, 17, 17, 17}, "nbio": {12, 12, 12, 12, 12, 12}}}},
		profiles: map[string]*profileResult{"routes-1000": {Servers: []*serverProfile{{"segue", 1500, map[string]float64{"routing": 0.02}}}}},
	}
	text := r.markdown() + r.targets()
	assert.Contains(t, text, "| segue | 63,000 (60,000–66,000) | 30.0 |")
	assert.Contains(t, text, "| 1,000 routes | 2.00 % | 1500 | 1.000 (1.000–1.000) | 1.000 (1.000–1.000) | 0.882 (0.882–0.882) |")
	assert.Contains(t, text, "| 1,000 routes |  | 0.800 (0.800–0.800) |")
	assert.Contains(t, text, "- reached: 1,000 routes: routing below 1 %")
	assert.Contains(t, text, "- reached: 1,000 routes, at least 20 times Express: 30.0 times")
	assert.NotContains(t, text, "100 KB")
	require.NoError(t, r.draw(dir))
	assert.FileExists(t, filepath.Join(dir, "servers-memory-dark.svg"))
}
