package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The servers run on one core and the client on another, if there is another.
var serverCore, clientCore = cores()

// cores are the first and the last that this process may run on.
func cores() (first, last string) {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), "Cpus_allowed_list:")
	line, _, _ := strings.Cut(rest, "\n")
	return ends(strings.TrimSpace(line))
}

// ends are both ends of a list such as 0-2,5.
func ends(list string) (first, last string) {
	isNoDigit := func(r rune) bool { return r < '0' || r > '9' }
	numbers := strings.FieldsFunc(list, isNoDigit)
	if len(numbers) == 0 {
		return "0", "0"
	}
	return numbers[0], numbers[len(numbers)-1]
}

// A process is a server that runs.
type process struct {
	server
	cmd  *exec.Cmd
	addr string
	done chan struct{} // closed when it has ended
	err  *strings.Builder
}

func portFree(port int) error {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return fmt.Errorf("port %d is taken: stop what listens there, or choose another by -port", port)
	}
	return l.Close()
}

func pinned(core string, args []string) []string {
	return append([]string{"taskset", "-c", core}, args...)
}

// start starts a server, waits until it answers, and checks its answers.
func (b *bench) start(s server, sc scenario, port int, extra ...string) (*process, error) {
	if err := portFree(port); err != nil {
		return nil, err
	}
	p := &process{server: s, addr: fmt.Sprintf("127.0.0.1:%d", port), done: make(chan struct{}), err: &strings.Builder{}}
	args := append(b.command(s, sc, p.addr), extra...)
	if !sc.unpinned {
		args = pinned(serverCore, args)
	}
	p.cmd = exec.Command(args[0], args[1:]...)
	p.cmd.Env = append(os.Environ(), "NODE_ENV=production")
	p.cmd.Stderr = p.err
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
	err := p.await()
	if err == nil {
		err = p.check(sc)
	}
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return p, nil
}

// await waits until the port is open.
func (p *process) await() error {
	for start := time.Now(); time.Since(start) < 30*time.Second; time.Sleep(20 * time.Millisecond) {
		select {
		case <-p.done:
			return fmt.Errorf("ended before it answered: %s", strings.TrimSpace(p.err.String()))
		default:
		}
		if conn, err := net.Dial("tcp", p.addr); err == nil {
			return conn.Close()
		}
	}
	return errors.New("does not answer")
}

// stop ends a server, gently first so that it can write its profile.
func (p *process) stop() {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(3 * time.Second):
		p.cmd.Process.Kill()
		<-p.done
	}
}

// check compares the answers with what they must be.
func (p *process) check(sc scenario) error {
	paths := map[string]string{"/hello/vikram": "vikram", "/hello/ada": "ada"}
	if sc.routes > 0 {
		paths = map[string]string{}
		for _, i := range []int{0, sc.routes / 2, sc.routes - 1} {
			paths[fmt.Sprintf("/api/v1/resource%d/no%d", i, i)] = fmt.Sprintf("no%d", i)
		}
	}
	if p.whole {
		known := map[string]string{}
		for path := range paths {
			known[path[:strings.LastIndexByte(path, '/')]+"/vikram"] = "vikram"
		}
		paths = known
	}
	if p.fixed {
		paths = map[string]string{sc.path(): "vikram"}
	}
	for path, name := range paths {
		want := fmt.Sprintf("Hello, %s!\n", name)
		if sc.body > 0 {
			want = strings.Repeat("x", sc.body)
		}
		if err := p.expect(path, http.StatusOK, want); err != nil {
			return err
		}
	}
	if p.routes {
		return p.expect("/no/such/route", http.StatusNotFound, "")
	}
	return nil
}

// expect asks for a path. An empty want allows any body.
func (p *process) expect(path string, status int, want string) error {
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get("http://" + p.addr + path)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != status || want != "" && string(body) != want {
		return fmt.Errorf("GET %s: got %d %.40q (%d bytes), want %d %.40q (%d bytes)",
			path, resp.StatusCode, body, len(body), status, want, len(want))
	}
	return nil
}

// cpu is the processor time that all threads of the process have had.
func (p *process) cpu() (time.Duration, error) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	var total time.Duration
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended since
		}
		ns, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		if err != nil {
			return 0, err
		}
		total += time.Duration(ns)
	}
	if total == 0 {
		return 0, fmt.Errorf("%s: no processor time in /proc", p.name)
	}
	return total, nil
}

// settle waits until the server has done what the warm-up left it to do, which
// for a slow one is a good part of a round.
func (p *process) settle() error {
	before, err := p.cpu()
	for range 100 {
		time.Sleep(50 * time.Millisecond)
		after, failed := p.cpu()
		if err = errors.Join(err, failed); err != nil || after-before < 5*time.Millisecond {
			return err
		}
		before = after
	}
	return fmt.Errorf("%s does not come to rest", p.name)
}

// resident is the memory that the process holds, in bytes.
func (p *process) resident() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb * 1024, err
		}
	}
	return 0, fmt.Errorf("%s: no VmRSS in /proc", p.name)
}
