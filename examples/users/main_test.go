package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue"
	"github.com/segue-go/segue/examples/internal/live"
	"github.com/segue-go/segue/internal/loopback"
)

// A program is the example, built and running.
type program struct {
	cmd *exec.Cmd
	url string

	mu   sync.Mutex
	log  strings.Builder
	read chan struct{} // closed at the end of the log
}

// start builds and runs the example on a free port, until the end of the test.
func start(t *testing.T) *program {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "users")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	p := &program{cmd: exec.Command(binary, "-addr", loopback.Host()+":0"), read: make(chan struct{})}
	stderr, err := p.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { p.cmd.Process.Kill() })

	listening := make(chan string, 1)
	go p.follow(stderr, listening)
	select {
	case p.url = <-listening:
	case <-time.After(live.Patience):
		require.FailNow(t, "it does not listen", p.text())
	}
	return p
}

var listeningLine = regexp.MustCompile(`listening url=(\S+)`)

func (p *program) follow(stderr io.Reader, listening chan<- string) {
	defer close(p.read)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if m := listeningLine.FindStringSubmatch(lines.Text()); m != nil {
			listening <- m[1]
		}
		p.mu.Lock()
		p.log.WriteString(lines.Text() + "\n")
		p.mu.Unlock()
	}
}

func (p *program) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// stop sends a signal and waits for the end.
func (p *program) stop(signal os.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil {
		return err
	}
	return p.wait()
}

func (p *program) wait() error {
	<-p.read // all of the pipe must be read before Wait
	return p.cmd.Wait()
}

// blocks returns the README's code blocks of a language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var all []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		all = append(all, m[1])
	}
	require.NotEmpty(t, all)
	return all
}

// A command is a line of the README and what it says that comes out.
type command struct{ line, want string }

func commands(t *testing.T) (all []command) {
	for _, block := range blocks(t, "console") {
		for part := range strings.SplitSeq("\n"+block, "\n$ ") {
			line, want, _ := strings.Cut(part, "\n")
			if strings.HasPrefix(line, "curl ") {
				all = append(all, command{line, strings.TrimSpace(want)})
			}
		}
	}
	return all
}

// What differs from run to run in the log.
var varying = regexp.MustCompile(`duration=\S+ remote=\S+`)

var dateLine = regexp.MustCompile(`(?m)^Date: .*\n`)

// TestREADME runs the README's commands, one after the other, and compares
// what they answer and what the program logs.
func TestREADME(t *testing.T) {
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("the README's commands need ", tool)
		}
	}
	p := start(t)
	for _, c := range commands(t) {
		line := strings.ReplaceAll(c.line, "http://localhost:18001", p.url)
		out, err := exec.Command("sh", "-c", line).CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
		got := strings.ReplaceAll(string(out), "\r\n", "\n")
		got = strings.ReplaceAll(dateLine.ReplaceAllString(got, ""), p.url, "http://localhost:18001")
		assert.Equal(t, c.want, strings.TrimSpace(got), c.line)
	}
	require.NoError(t, p.stop(os.Interrupt))
	for _, block := range blocks(t, "log") {
		for line := range strings.Lines(block) {
			assert.Contains(t, varying.ReplaceAllString(p.text(), ""), varying.ReplaceAllString(line, ""))
		}
	}
}

// TestShutdown sends SIGTERM while a request is in flight. The program takes no
// new ones, finishes this one, and ends with status 0.
func TestShutdown(t *testing.T) {
	p := start(t)
	body, in := io.Pipe()
	reading := make(chan struct{}) // the handler reads the body
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(reading) }})
	r, err := http.NewRequestWithContext(ctx, "POST", p.url+"/users", body)
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Expect", "100-continue")

	answered := make(chan *http.Response, 1)
	go func() {
		resp, err := (&http.Transport{ExpectContinueTimeout: time.Minute}).RoundTrip(r)
		assert.NoError(t, err)
		answered <- resp
	}()
	<-reading
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		if err == nil {
			conn.Close()
		}
		return err != nil
	}, live.Patience, time.Millisecond, "it still listens")

	_, err = io.WriteString(in, `{"name":"Barbara"}`)
	require.NoError(t, err)
	in.Close()
	resp := <-answered
	require.NotNil(t, resp)
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, http.StatusCreated, resp.StatusCode)
	assert.Equal(t, `{"id":4,"name":"Barbara"}`, string(text))
	assert.NoError(t, p.wait(), p.text())
}

// A host's parameter is none of the path's.
func TestLocationUnderHost(t *testing.T) {
	app, s := segue.New(), newStore()
	app.Mount("{tenant}.example.com/orgs", s.orgs(s.users()))
	r := httptest.NewRequest("POST", "http://a.example.com/orgs/acme/users", strings.NewReader(`{"name":"Ada"}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	assert.Equal(t, http.StatusCreated, w.Code, w.Body)
	assert.Regexp(t, `^/orgs/acme/users/\d+$`, w.Header().Get("Location"))
}
