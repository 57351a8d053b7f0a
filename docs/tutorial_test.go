package docs

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/internal/loopback"
)

// A reader follows tutorial.md in a folder of its own.
type reader struct {
	t         *testing.T
	dir       string
	addr      string // in place of localhost:8080
	clone     string // in place of ../segue
	program   *exec.Cmd
	mu        sync.Mutex
	log       strings.Builder // what the program wrote
	ended     chan struct{}   // closed at the end of what it writes
	listening chan struct{}
}

// TestTutorial does what each step says, and sees what each step shows.
func TestTutorial(t *testing.T) {
	for _, tool := range []string{"sh", "curl", "grep"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("the tutorial's commands need ", tool)
		}
	}
	text, err := os.ReadFile("tutorial.md")
	require.NoError(t, err)
	addr, err := loopback.FreeAddr()
	require.NoError(t, err)
	clone, err := filepath.Abs("..")
	require.NoError(t, err)
	rd := &reader{t: t, dir: t.TempDir(), addr: addr, clone: clone}
	defer rd.stop()
	steps := strings.Split(string(text), "\n## ")[1:]
	assert.Contains(t, steps[14], "15. ")
	for _, step := range steps {
		title, _, _ := strings.Cut(step, "\n")
		for _, m := range regexp.MustCompile("(?s)```(\\w+) ?(\\S*) ?(\\w*)\n(.*?)```").FindAllStringSubmatch(step, -1) {
			switch language, file, how, block := m[1], m[2], m[3], m[4]; language {
			case "console":
				rd.enter(title, block)
			case "log":
				rd.expectLog(title, block)
			default:
				rd.write(title, file, how, strings.ReplaceAll(block, "localhost:8080", addr))
			}
		}
	}
}

// write puts a block into a file: all of it, or in place of the line or the
// function that the block begins with, or at the end, or takes a line out.
func (rd *reader) write(title, file, how, block string) {
	rd.t.Helper()
	name := filepath.Join(rd.dir, file)
	require.NoError(rd.t, os.MkdirAll(filepath.Dir(name), 0o700))
	if how != "" {
		old, err := os.ReadFile(name)
		require.NoError(rd.t, err, title)
		first, _, _ := strings.Cut(block, "\n")
		part := first + "\n"
		switch how {
		case "more":
			part, block = string(old), string(old)+"\n"+block
		case "drop":
			block = ""
		case "func":
			_, after, _ := strings.Cut("\n"+string(old), "\n"+part)
			body, _, _ := strings.Cut(after, "\n}\n")
			part += body + "\n}\n"
		}
		require.Equal(rd.t, 1, strings.Count(string(old), part), "%s: %s: %s", title, file, part)
		block = strings.Replace(string(old), part, block, 1)
	}
	require.NoError(rd.t, os.WriteFile(name, []byte(block), 0o600))
	if strings.HasSuffix(file, ".go") {
		out, err := exec.Command("gofmt", "-l", name).CombinedOutput()
		require.NoError(rd.t, err, string(out))
		assert.Empty(rd.t, string(out), title)
	}
}

// enter enters commands one by one and compares what they answer.
func (rd *reader) enter(title, block string) {
	rd.t.Helper()
	for part := range strings.SplitSeq("\n"+block, "\n$ ") {
		line, want, _ := strings.Cut(part, "\n")
		switch line = rd.here(line); {
		case line == "":
			continue
		case strings.HasPrefix(line, "mkdir "):
			continue // the folder is there
		case line == "go run .":
			rd.run(title)
			require.Contains(rd.t, rd.text(), strings.TrimSpace(rd.here(want)), title)
			continue
		}
		line = strings.Replace(line, "curl ", "curl -sS ", 1)
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = rd.dir
		out, err := cmd.CombinedOutput()
		require.NoError(rd.t, err, "%s: %s: %s", title, line, out)
		if want != "" {
			assert.Equal(rd.t, strings.TrimSpace(rd.here(want)), strings.TrimSpace(strings.ReplaceAll(string(out), "\r", "")), "%s: %s", title, line)
		}
	}
}

func (rd *reader) here(text string) string {
	return strings.NewReplacer("localhost:8080", rd.addr, "../segue", rd.clone).Replace(text)
}

// run builds the program and starts it, when a former one has ended.
func (rd *reader) run(title string) {
	rd.t.Helper()
	rd.stop()
	binary := filepath.Join(rd.t.TempDir(), "library")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = rd.dir
	out, err := build.CombinedOutput()
	require.NoError(rd.t, err, "%s: %s", title, out)
	rd.program, rd.ended, rd.listening = exec.Command(binary), make(chan struct{}), make(chan struct{})
	rd.program.Dir = rd.dir
	output, in := io.Pipe()
	rd.program.Stdout, rd.program.Stderr = in, in
	rd.log.Reset()
	require.NoError(rd.t, rd.program.Start())
	go rd.follow(output)
	go func() { rd.program.Wait(); in.Close() }()
	select {
	case <-rd.listening:
	case <-rd.ended:
		require.FailNow(rd.t, title, rd.text())
	}
	require.Eventually(rd.t, func() bool { // it listens a moment after it says so
		conn, err := net.Dial("tcp", rd.addr)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, 2*time.Minute, time.Millisecond, title)
}

func (rd *reader) follow(output io.Reader) {
	defer close(rd.ended)
	said := false
	for lines := bufio.NewScanner(output); lines.Scan(); {
		rd.mu.Lock()
		rd.log.WriteString(lines.Text() + "\n")
		rd.mu.Unlock()
		if !said && strings.Contains(lines.Text(), "listening") {
			said = true
			close(rd.listening)
		}
	}
}

func (rd *reader) stop() {
	if rd.program != nil {
		rd.program.Process.Signal(os.Interrupt)
		<-rd.ended
		rd.program = nil
	}
}

func (rd *reader) text() string {
	rd.mu.Lock()
	defer rd.mu.Unlock()
	return rd.log.String()
}

var varying = regexp.MustCompile(`\d{4}/\d\d/\d\d \d\d:\d\d:\d\d|duration=\S+|remote=\S+`)

// expectLog stops the program and looks for lines in what it wrote.
func (rd *reader) expectLog(title, block string) {
	rd.t.Helper()
	rd.stop()
	log := varying.ReplaceAllString(rd.text(), "")
	for line := range strings.Lines(varying.ReplaceAllString(block, "")) {
		assert.Contains(rd.t, log, line, title)
	}
}
