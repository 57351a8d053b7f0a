package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

// A tally is a row of the table of files.
type tally struct {
	file                                string
	mutants, killed, timedOut, survived int
}

func (f *source) tally() tally {
	t := tally{file: f.name, mutants: len(f.mutants)}
	for _, m := range f.mutants {
		switch m.fate {
		case killed:
			t.killed++
		case timedOut:
			t.timedOut++
		default:
			t.survived++
		}
	}
	return t
}

// row is a survivor as the page shows it, without the reason. The line's number
// is left out of what is compared: it changes with every line above.
type row struct{ function, code, change string }

func rowOf(m *mutant) row {
	return row{m.file + " " + m.function, m.code, m.operator + " " + m.old + " → " + m.new}
}

var tableRow = regexp.MustCompile("(?m)^\\| (\\S+?):\\d+ `(.*?)` \\| `(.*?)` \\| `(.*?)` \\| (.*) \\|$")

// between stands between two changes in a row.
const between = "`, `"

// readPage returns the reasons that the page gives for survivors, none if there
// is no page yet. A row may name several changes of its line.
func readPage(name string) (map[row]string, error) {
	text, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	known := map[row]string{}
	for _, m := range tableRow.FindAllStringSubmatch(string(text), -1) {
		for i := range m {
			m[i] = strings.ReplaceAll(m[i], `\|`, "|")
		}
		for _, change := range strings.Split(m[4], between) {
			known[row{m[1] + " " + m[2], m[3], change}] = m[5]
		}
	}
	return known, nil
}

// report prints both tables as the page has them, and returns how many
// survivors have no reason.
func report(out io.Writer, sources []*source, known map[row]string) (unexplained int) {
	fmt.Fprintln(out, "| file | mutants | killed | timed out | survived |\n|---|---|---|---|---|")
	sum := tally{file: "all"}
	for _, f := range sources {
		t := f.tally()
		fmt.Fprintln(out, t)
		sum.mutants += t.mutants
		sum.killed += t.killed
		sum.timedOut += t.timedOut
		sum.survived += t.survived
	}
	fmt.Fprintln(out, sum)
	fmt.Fprintln(out, "\n| where | line | changes | why they survive |\n|---|---|---|---|")
	for _, f := range sources {
		unexplained += f.reportSurvivors(out, known)
	}
	return unexplained
}

// reportSurvivors prints one row for the survivors of a line that have one
// reason, and returns how many survivors have none.
func (f *source) reportSurvivors(out io.Writer, known map[row]string) (unexplained int) {
	escape := strings.NewReplacer("|", `\|`)
	var changes []string
	rows := slices.DeleteFunc(slices.Clone(f.mutants), func(m *mutant) bool { return m.fate != survived })
	slices.SortStableFunc(rows, func(a, b *mutant) int { return cmp.Compare(a.line, b.line) })
	for i, m := range rows {
		r := rowOf(m)
		if known[r] == "" {
			unexplained++
		}
		changes = append(changes, r.change)
		if i+1 < len(rows) && rows[i+1].line == m.line && known[rowOf(rows[i+1])] == known[r] {
			continue
		}
		fmt.Fprintf(out, "| %s:%d `%s` | `%s` | `%s` | %s |\n", m.file, m.line, m.function, escape.Replace(r.code), escape.Replace(strings.Join(slices.Compact(changes), between)), known[r])
		changes = nil
	}
	return unexplained
}

func (t tally) String() string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d |", t.file, t.mutants, t.killed, t.timedOut, t.survived)
}
