// Package report is what the programs write: which machine a run was made on,
// Markdown tables, and the data behind them.
package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// A Machine is where and when a run was made, and how busy the machine was
// with other things.
type Machine struct {
	Date     string
	CPU      string
	Cores    int
	Kernel   string
	Go       string
	Others   float64           // cores that other processes had meanwhile
	Steal    float64           // cores that the hypervisor gave to others
	Versions map[string]string // of what was compared

	began Usage
}

// ThisMachine describes the machine and the modules compiled into the program.
func ThisMachine(modules ...string) Machine {
	m := Machine{
		CPU:      cpuModel(),
		Cores:    runtime.NumCPU(),
		Kernel:   readWord("/proc/sys/kernel/osrelease"),
		Go:       runtime.Version(),
		Versions: map[string]string{},
	}
	info, _ := debug.ReadBuildInfo()
	for _, dep := range info.Deps {
		if slices.Contains(modules, dep.Path) {
			m.Versions[dep.Path] = dep.Version
		}
	}
	m.Begin()
	return m
}

// Begin notes when a run begins.
func (m *Machine) Begin() {
	m.Date, m.began = time.Now().UTC().Format("2006-01-02 15:04 UTC"), UsageNow()
}

// Finish notes how busy others kept the machine during the run.
func (m *Machine) Finish() { m.Others, m.Steal = m.began.Since(0) }

func (m Machine) String() string {
	return fmt.Sprintf("%s; %s, %d cores, Linux %s; %s. Meanwhile other processes had %.2f of the %d cores, and other guests of the hypervisor %.2f.",
		m.Date, m.CPU, m.Cores, m.Kernel, m.Go, m.Others, m.Cores, m.Steal)
}

// VersionList names what was compared, sorted.
func (m Machine) VersionList() string {
	var list []string
	for name, version := range m.Versions {
		list = append(list, strings.TrimPrefix(name, "github.com/")+" "+version)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func cpuModel() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func readWord(file string) string {
	text, _ := os.ReadFile(file)
	word, _, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	return word
}

// A Table is a Markdown table.
type Table struct{ lines []string }

// NewTable returns a table with these columns, the first on the left and the
// others, numbers, on the right.
func NewTable(header ...string) *Table {
	t := &Table{}
	t.Row(header...)
	t.Row(append([]string{"---"}, slices.Repeat([]string{"--:"}, len(header)-1)...)...)
	return t
}

// Row adds a line.
func (t *Table) Row(cells ...string) {
	t.lines = append(t.lines, "| "+strings.Join(cells, " | ")+" |")
}

func (t *Table) String() string { return strings.Join(t.lines, "\n") + "\n" }

// Save writes data as JSON.
func Save(file string, data any) error {
	text, err := json.MarshalIndent(data, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// Load reads what Save wrote.
func Load(file string, data any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, data); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// Number writes a figure with three digits that count, thousands separated.
func Number(x float64) string {
	switch {
	case x >= 1000:
		return thousands(int(x + 0.5))
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// Bytes writes a size.
func Bytes(n float64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%.1f MB", n/(1<<20))
	}
	return fmt.Sprintf("%.1f KB", n/(1<<10))
}
