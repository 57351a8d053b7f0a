package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/segue-go/segue/benchmarks/report"
)

// shares are what the time is divided into, in the order of the tables.
var shares = []string{"kernel", "parsing", "allocation", "answer", "routing", "handler", "rest"}

var shareTitles = map[string]string{
	"kernel": "kernel", "parsing": "HTTP parsing", "allocation": "allocation, collection", "answer": "writing the answer",
	"routing": "routing", "handler": "handler, middleware", "rest": "the rest: sockets, scheduler, net/http",
}

// A rule names a share by the beginning of a function's name.
type rule struct{ prefix, share string }

// low are the functions of the runtime that tell what the time went into,
// whoever called them.
var low = []rule{
	{"internal/runtime/syscall.", "kernel"}, {"syscall.RawSyscall", "kernel"}, {"syscall.Syscall", "kernel"}, {"runtime.futex", "kernel"},
	{"runtime.epollwait", "kernel"}, {"runtime.usleep", "kernel"}, {"runtime.write1", "kernel"}, {"runtime.madvise", "kernel"},
	{"runtime.tgkill", "kernel"}, {"runtime.osyield", "kernel"},
	{"runtime.mallocgc", "allocation"}, {"runtime.newobject", "allocation"}, {"runtime.makeslice", "allocation"}, {"runtime.growslice", "allocation"},
	{"runtime.gc", "allocation"}, {"runtime.bgsweep", "allocation"}, {"runtime.bgscavenge", "allocation"}, {"runtime.(*mheap)", "allocation"},
	{"runtime.(*mcache)", "allocation"}, {"runtime.(*mcentral)", "allocation"}, {"runtime.wbBuf", "allocation"}, {"runtime.sweep", "allocation"},
	{"runtime.(*gcWork)", "allocation"}, {"runtime.scan", "allocation"}, {"runtime.greyobject", "allocation"}, {"runtime.markroot", "allocation"},
	{"runtime.memclrNoHeapPointers", "allocation"}, {"runtime.deductAssistCredit", "allocation"},
}

// high are the functions that something was done for. The innermost one that
// has a rule counts, so that a response written inside of a handler is no
// handler's time. What a router allocates or clears is routing.
var high = []rule{
	{"github.com/segue-go/segue/benchmarks/", "handler"}, {"main.", "handler"},
	{"github.com/segue-go/segue.", "routing"},
	{"net/http.(*ServeMux)", "routing"}, {"net/http.(*routingNode)", "routing"}, {"net/http.(*routingIndex)", "routing"}, {"net/http.cleanPath", "routing"},
	{"internal/poll.", "rest"}, {"net.", "rest"}, // around the system calls
	{"net/http.(*Request).SetPathValue", "routing"}, {"net/http.(*Request).WithContext", "routing"},
	{"github.com/go-chi/chi/v5.", "routing"},
	{"github.com/gin-gonic/gin.(*responseWriter)", "answer"}, {"github.com/gin-gonic/gin.(*Context).String", "answer"},
	{"github.com/gin-gonic/gin.(*Context).Render", "answer"}, {"github.com/gin-gonic/gin.(*Context).Data", "answer"}, {"github.com/gin-gonic/gin.", "routing"},
	{"net/http.(*conn).readRequest", "parsing"}, {"net/http.readRequest", "parsing"}, {"net/textproto.", "parsing"}, {"net/http.parseRequestLine", "parsing"},
	{"net/url.", "parsing"}, {"net/http.readTransfer", "parsing"}, {"net/http.(*connReader)", "parsing"}, {"bufio.(*Reader)", "parsing"},
	{"net/http.(*response)", "answer"}, {"net/http.(*chunkWriter)", "answer"}, {"net/http.Header", "answer"}, {"net/http.extraHeader", "answer"},
	{"bufio.(*Writer)", "answer"}, {"net/http.checkConnErrorWriter", "answer"}, {"fmt.", "answer"}, {"net/http.DetectContentType", "answer"},
}

func find(rules []rule, function string) string {
	for _, r := range rules {
		if strings.HasPrefix(function, r.prefix) {
			return r.share
		}
	}
	return ""
}

// classify divides a stack, innermost function first.
func classify(stack []string) string {
	what, forWhom := "", ""
	for _, function := range stack {
		if what == "" && forWhom == "" {
			what = find(low, function)
		}
		if forWhom == "" {
			forWhom = find(high, function)
		}
	}
	switch {
	case forWhom == "routing", what == "" && forWhom != "":
		return forWhom
	case what != "":
		return what
	}
	return "rest" // the scheduler, and the loop of a connection
}

// profile drives segue while it takes a profile of itself, and for hello the
// other servers on net/http too.
func (b *bench) profile(sc scenario, machine *report.Machine) (*profileResult, error) {
	r := &profileResult{Scenario: sc.name}
	for _, s := range b.chosen {
		if s.name != "segue" && (s.kind != "go" || s.whole || s.engine || sc.name != "hello" || b.short) {
			continue
		}
		one, err := b.profileOf(s, sc)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "%s, profile of %s: routing %.2f %%\n", sc.name, s.name, 100*one.Shares["routing"])
		r.Servers = append(r.Servers, one)
	}
	machine.Finish()
	r.Machine = *machine
	return r, nil
}

func (b *bench) profileOf(s server, sc scenario) (*serverProfile, error) {
	file := filepath.Join(b.dir, "profile")
	p, err := b.start(s, sc, b.port, "--profile", file)
	if err != nil {
		return nil, err
	}
	_, err = runWrk(sc, p.addr, b.sampling)
	p.stop()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	prof, err := profile.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("profile of %s: %w", s.name, err)
	}
	return divide(s.name, prof), nil
}

func divide(name string, prof *profile.Profile) *serverProfile {
	one := &serverProfile{Server: name, Shares: map[string]float64{}}
	for _, s := range prof.Sample {
		one.Samples += s.Value[0]
		one.Shares[classify(stackOf(s))] += float64(s.Value[0])
	}
	for share := range one.Shares {
		one.Shares[share] /= float64(one.Samples)
	}
	return one
}

// stackOf are the names of a sample's functions, innermost first, those that
// were inlined included.
func stackOf(s *profile.Sample) []string {
	var stack []string
	for _, location := range s.Location {
		for _, line := range location.Line {
			stack = append(stack, line.Function.Name)
		}
	}
	return stack
}
