package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A fate is what becomes of a mutant.
type fate string

const (
	killed   fate = "killed"
	timedOut fate = "timed out"
	survived fate = "survived"
)

// A binary is a package's test binary.
type binary struct {
	path   string
	tags   string
	dir    string
	stages []stage
	quick  []string // tests that may go before the stages
	apart  []string // tests that notice the copies: they need a binary for each mutant

	mu      sync.Mutex
	killers map[string][]string // by function, the tests that told mutants of it
	own     []string            // the tests in the file named after the source, if quick
}

// A stage is a set of tests, and what they take without a mutant.
type stage struct {
	tests string
	cpu   time.Duration
}

// test finds out what becomes of each mutant.
func (f *source) test(out io.Writer, o options) error {
	tmp, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	text, _ := f.withCopies()
	on := []byte(switchText(f.syntax.Name.Name))
	overlay := map[string][]byte{f.name: text, "mutate_on.go": on}
	var binaries []*binary
	for _, tags := range slices.Compact([]string{"", o.tags}) {
		for i, dir := range append([]string{f.dir}, o.with...) {
			b, err := f.build(filepath.Join(tmp, fmt.Sprint("with", i, tags)), overlay, tags, dir)
			if err != nil {
				return err
			}
			if err := b.measure(o); err != nil {
				return err
			}
			if err := f.try(b); err != nil {
				return err
			}
			binaries = append(binaries, b)
		}
	}
	for _, b := range binaries {
		b.own = slices.DeleteFunc(f.ownTests(), func(name string) bool { return !slices.Contains(b.quick, name) })
	}
	work := make(chan *mutant)
	var workers sync.WaitGroup
	var printing sync.Mutex
	for range o.workers {
		workers.Go(func() {
			for m := range work {
				if err := f.decide(m, binaries); err != nil {
					m.fate, m.killer = survived, err.Error()
				}
				if o.verbose {
					printing.Lock()
					fmt.Fprintf(out, "%v: %v %v\n", m, m.fate, m.killer)
					printing.Unlock()
				}
			}
		})
	}
	for _, m := range f.mutants {
		work <- m
	}
	close(work)
	workers.Wait()
	return nil
}

// try runs the tests that fail beside the copies without any, and leaves those
// out that fail even so.
func (f *source) try(b *binary) error {
	if len(b.apart) == 0 {
		return nil
	}
	plain, err := f.build(b.path+"plain", nil, b.tags, b.dir)
	if err != nil {
		return err
	}
	defer os.Remove(plain.path)
	b.apart = slices.DeleteFunc(b.apart, func(name string) bool {
		fate, _ := b.run(plain.path, 0, stage{only([]string{name}), time.Minute})
		if fate != survived {
			fmt.Fprintf(os.Stderr, "left out, since it fails without a mutant: %s\n", name)
		}
		return fate != survived
	})
	return nil
}

// decide runs the tests on one mutant until one fails: first those that told
// another mutant of the function and those of the file, then all, the fast ones
// first.
func (f *source) decide(m *mutant, binaries []*binary) error {
	for _, b := range binaries {
		if m.fate == killed || m.fate == timedOut {
			return nil
		}
		stages := b.stages
		if known := b.known(m.function); len(known) > 0 {
			stages = slices.Insert(slices.Clone(stages), 0, stage{only(known), b.stages[0].cpu})
		}
		apart := stage{only(b.apart), time.Minute}
		if m.isCopied() {
			if b.decide(m, b.path, stages); m.fate != survived || len(b.apart) == 0 {
				continue
			}
			stages = nil
		}
		single, err := f.build(fmt.Sprint(b.path, m.id), map[string][]byte{f.name: m.apply(f.bytes)}, b.tags, b.dir)
		if err != nil {
			return err
		}
		if len(b.apart) > 0 {
			stages = append(slices.Clone(stages), apart)
		}
		b.decide(m, single.path, stages)
		if err := os.Remove(single.path); err != nil {
			return err
		}
	}
	return nil
}

// decide runs stages until one fails, unless the mutant is dead already.
func (b *binary) decide(m *mutant, path string, stages []stage) {
	for _, s := range stages {
		if m.fate == killed || m.fate == timedOut {
			return
		}
		if m.fate, m.killer = b.run(path, m.id, s); m.fate != survived {
			b.learn(m)
		}
	}
}

// ownTests lists the tests in the file that is named after the source.
func (f *source) ownTests() []string {
	text, err := os.ReadFile(filepath.Join(f.dir, strings.TrimSuffix(f.name, ".go")+"_test.go"))
	if err != nil {
		return nil
	}
	var names []string
	for _, m := range testName.FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	return names
}

var testName = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)

func (b *binary) known(function string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Concat(b.own, b.killers[function])
}

func (b *binary) learn(m *mutant) {
	if !slices.Contains(b.quick, m.killer) || slices.Contains(b.known(m.function), m.killer) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.killers == nil {
		b.killers = map[string][]string{}
	}
	b.killers[m.function] = append(b.killers[m.function], m.killer)
}

// build compiles the tests in dir, with overlay in the place of the package's files.
func (f *source) build(path string, overlay map[string][]byte, tags, dir string) (*binary, error) {
	replace := map[string]string{}
	mutated, err := filepath.Abs(f.dir)
	if err != nil {
		return nil, err
	}
	for name, text := range overlay {
		replace[filepath.Join(mutated, name)] = path + "-" + name
		if err := os.WriteFile(path+"-"+name, text, 0o666); err != nil {
			return nil, err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(path+".json", list, 0o666); err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-tags", tags, "-overlay", path+".json", "-o", path, ".")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	return &binary{path: path, tags: tags, dir: dir}, cmd.Run()
}

// Up to how many seconds a test is run before the stages, and in the first.
const quick, fast = 0.05, 0.25

var result = regexp.MustCompile(`(?m)^--- (PASS|FAIL): (\S+) \(([0-9.]+)s\)`)

// panicked finds the test in the stack of a panic.
var panicked = regexp.MustCompile(`(?m)\.(Test\w+|Fuzz\w+|Example\w+)(?:\.func\d+)*\(`)

// measure runs all tests without a mutant, and divides them by how long they
// take: fast ones, those that come to a fifth of the whole, and the longest. Tests that fail are left out, since they notice the copies.
func (b *binary) measure(o options) error {
	cmd := exec.Command(b.path, "-test.short", "-test.v", "-test.run", o.run, "-test.skip", cmp.Or(o.skip, "^$"))
	cmd.Dir = b.dir
	out, err := cmd.Output()
	type test struct {
		name    string
		seconds float64
	}
	var tests []test
	whole, sum := 0.0, 0.0
	for _, m := range result.FindAllSubmatch(out, -1) {
		if string(m[1]) == "FAIL" {
			b.apart = append(b.apart, string(m[2]))
			continue
		}
		seconds, _ := strconv.ParseFloat(string(m[3]), 64)
		tests = append(tests, test{string(m[2]), seconds})
		whole += seconds
	}
	if len(tests) == 0 {
		return fmt.Errorf("no test passes: %w\n%s", err, out)
	}
	slices.SortStableFunc(tests, func(a, b test) int { return cmp.Compare(a.seconds, b.seconds) })
	names := make([][]string, 3)
	for _, t := range tests {
		i := 0
		if sum += t.seconds; t.seconds > fast {
			i = 1
			if sum > whole/5 {
				i = 2
			}
		}
		names[i] = append(names[i], t.name)
		if t.seconds <= quick {
			b.quick = append(b.quick, t.name)
		}
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	for i, share := range []time.Duration{10, 3, 1} {
		if len(names[i]) > 0 {
			b.stages = append(b.stages, stage{only(names[i]), cpu / share})
		}
	}
	if o.fast {
		b.stages = b.stages[:1]
	}
	return nil
}

// only is the expression for these tests.
func only(tests []string) string { return "^(" + strings.Join(tests, "|") + ")$" }

// run runs tests on a mutant, for no more than a few times what they take. It
// limits the memory too, of which an endless loop takes all.
func (b *binary) run(path string, id int, s stage) (fate, string) {
	seconds := 2 + int(4*s.cpu.Seconds())
	cmd := exec.Command("/bin/sh", "-c", `ulimit -v 6000000; ulimit -t "$1"; shift; exec "$@"`, "sh", strconv.Itoa(seconds),
		path, "-test.short", "-test.failfast", "-test.timeout", fmt.Sprintf("%ds", 30+5*seconds), "-test.run", s.tests)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), variable+"="+strconv.Itoa(id))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return survived, ""
	case !errors.As(err, &exit):
		return survived, err.Error()
	case bytes.Contains(out.Bytes(), []byte("panic: test timed out")):
		return timedOut, "waits"
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && (status.Signaled() || strings.Contains(out.String(), "SIGXCPU")) {
		return timedOut, "endless"
	}
	if m := result.FindSubmatch(out.Bytes()); m != nil {
		return killed, string(m[2])
	}
	if m := panicked.FindSubmatch(out.Bytes()); m != nil {
		return killed, string(m[1])
	}
	return killed, firstLine(out.String())
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
