package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
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

	"github.com/segue-go/segue/internal/loopback"
)

// patience is for what would never come. No test is to fail on it.
const patience = 2 * time.Minute

// A program is the service, built and running.
type program struct {
	cmd *exec.Cmd
	url string

	mu   sync.Mutex
	log  strings.Builder
	read chan struct{} // closed at the end of the log
}

// start builds and runs the service on a free port, until the end of the test.
func start(t *testing.T, args ...string) *program {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "notes")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	args = append([]string{"-addr", loopback.Host() + ":0"}, args...)
	p := &program{cmd: exec.Command(binary, args...), read: make(chan struct{})}
	stderr, err := p.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { p.cmd.Process.Kill() })

	listening := make(chan string, 1)
	go p.follow(stderr, listening)
	select {
	case p.url = <-listening:
	case <-time.After(patience):
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
	<-p.read // all of the pipe must be read before Wait
	return p.cmd.Wait()
}

// blocks returns the README's code blocks of a language.
func blocks(t *testing.T, language string) (all []string) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		all = append(all, m[1])
	}
	require.NotEmpty(t, all)
	return all
}

// What differs from run to run, in what comes out and in the README alike.
var varying = []struct {
	pattern *regexp.Regexp
	masked  string
}{
	{regexp.MustCompile(`(?m)^(Date|X-Ratelimit-Reset): .*\n`), ""},
	{regexp.MustCompile(`"changed":"[^"]*"`), `"changed":"T"`},
	{regexp.MustCompile(`X-Request-Id: \w+`), "X-Request-Id: ID"},
	{regexp.MustCompile(`\bid=\w+`), "id=ID"},
	{regexp.MustCompile(`duration=\S+ remote=\S+`), "duration=D remote=R"},
}

func mask(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, v := range varying {
		text = v.pattern.ReplaceAllString(text, v.masked)
	}
	return strings.TrimSpace(text)
}

// TestREADME runs the README's commands, one after the other, and compares
// what they answer and what the service logs.
func TestREADME(t *testing.T) {
	for _, tool := range []string{"sh", "curl", "grep"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("the README's commands need ", tool)
		}
	}
	const home = "http://localhost:18008"
	p := start(t, "-db", ":memory:")
	for _, block := range blocks(t, "console") {
		for part := range strings.SplitSeq("\n"+block, "\n$ ") {
			line, want, _ := strings.Cut(part, "\n")
			if !strings.HasPrefix(line, "curl ") {
				continue
			}
			out, err := exec.Command("sh", "-c", strings.ReplaceAll(line, home, p.url)).CombinedOutput()
			require.NoError(t, err, "%s: %s", line, out)
			assert.Equal(t, mask(want), mask(strings.ReplaceAll(string(out), p.url, home)), line)
		}
	}
	require.NoError(t, p.stop(os.Interrupt))
	log := mask(p.text())
	for _, block := range blocks(t, "log") {
		for line := range strings.Lines(block) {
			assert.Contains(t, log, mask(line))
		}
	}
}

// TestShutdown sends SIGTERM while a request is in flight. The service takes no
// new ones, finishes this one, ends with status 0, and has kept the note.
func TestShutdown(t *testing.T) {
	db := filepath.Join(t.TempDir(), "notes.db")
	p := start(t, "-db", db)
	body, in := io.Pipe()
	reading := make(chan struct{}) // the handler reads the body
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(reading) }})
	r, err := http.NewRequestWithContext(ctx, "POST", p.url+"/api/notes", body)
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

	stopped := make(chan error, 1)
	go func() { stopped <- p.stop(syscall.SIGTERM) }()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		if err == nil {
			conn.Close()
		}
		return err != nil
	}, patience, time.Millisecond, "it still listens")
	_, err = io.WriteString(in, `{"title":"kept"}`)
	require.NoError(t, err)
	in.Close()
	resp := <-answered
	require.NotNil(t, resp)
	resp.Body.Close()
	assert.Equal(t, http.StatusCreated, resp.StatusCode)
	require.NoError(t, <-stopped, p.text())

	again, err := openStore(t.Context(), db)
	require.NoError(t, err)
	defer again.Close()
	notes, err := again.List(t.Context(), "", 10)
	require.NoError(t, err)
	require.Len(t, notes, 1)
	assert.Equal(t, "kept", notes[0].Title)
}
