package main

// This file keeps what is known of survivors. survivors.tsv has it line by line, and
// docs/mutation.md, which is made from it and from page.md, sums it up by reason.

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

//go:embed page.md
var template string

// data is what survivors.tsv holds: for each file a line with its tally, and for each
// survivor a line with its row.
type data struct {
	files map[string]tally
	rows  []row // by file, then by line
}

type tally struct{ mutants, timedOut int }

// A row is a survivor. The line's number is no part of it: that changes with every
// line above.
type row struct{ file, function, code, change, reason string }

func (f *source) rowOf(m *mutant) row {
	return row{file: f.path, function: m.function, code: m.code, change: m.operator + " " + m.old + " → " + m.new}
}

// readData reads the data, and none if there is no such file yet.
func readData(name string) (data, error) {
	text, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return data{}, err
	}
	d := data{files: map[string]tally{}}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) == 5 {
			d.rows = append(d.rows, row{fields[0], fields[1], fields[2], fields[3], fields[4]})
			continue
		}
		var t tally
		if _, err := fmt.Sscanf(strings.Join(fields[1:], " "), "%d mutants %d timed out", &t.mutants, &t.timedOut); err != nil {
			return data{}, fmt.Errorf("%s: %q is no line of it: %w", name, line, err)
		}
		d.files[fields[0]] = t
	}
	return d, nil
}

// String is the text of survivors.tsv.
func (d data) String() string {
	var b strings.Builder
	for _, file := range slices.Sorted(maps.Keys(d.files)) {
		fmt.Fprintf(&b, "%s\t%d mutants\t%d timed out\n", file, d.files[file].mutants, d.files[file].timedOut)
	}
	for _, r := range d.rows {
		fmt.Fprintln(&b, strings.Join([]string{r.file, r.function, r.code, r.change, r.reason}, "\t"))
	}
	return b.String()
}

// put replaces what is known of a file by what its mutants came to. A survivor keeps
// the reason that it had.
func (d *data) put(f *source) {
	reasons := map[row]string{}
	for _, r := range d.rows {
		reason := r.reason
		r.reason = ""
		reasons[r] = reason
	}
	d.rows = slices.DeleteFunc(d.rows, func(r row) bool { return r.file == f.path })
	t := tally{mutants: len(f.mutants)}
	slices.SortStableFunc(f.mutants, func(a, b *mutant) int { return cmp.Compare(a.line, b.line) })
	for _, m := range f.mutants {
		switch m.fate {
		case timedOut:
			t.timedOut++
		case survived:
			r := f.rowOf(m)
			r.reason = reasons[r]
			d.rows = append(d.rows, r)
		}
	}
	d.files[f.path] = t
	slices.SortStableFunc(d.rows, func(a, b row) int { return cmp.Compare(a.file, b.file) })
}

// report prints the table of some files, and their survivors that have no reason. It
// returns how many these are.
func (d data) report(out io.Writer, sources []*source) (unexplained int) {
	some := data{files: map[string]tally{}, rows: d.rows}
	for _, f := range sources {
		some.files[f.path] = d.files[f.path]
	}
	fmt.Fprintln(out, some.table())
	for _, r := range d.rows {
		if _, ok := some.files[r.file]; ok && r.reason == "" {
			fmt.Fprintf(out, "%s %s: %s: %s\n", r.file, r.function, r.change, r.code)
			unexplained++
		}
	}
	return unexplained
}

// page is the text of docs/mutation.md.
func (d data) page() string {
	return strings.NewReplacer("{{files}}\n", d.table(), "{{reasons}}\n", d.reasons()).Replace(template)
}

// table is the table of files.
func (d data) table() string {
	var b strings.Builder
	line := func(file string, t tally, survived int) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", file, t.mutants, t.mutants-t.timedOut-survived, t.timedOut, survived)
	}
	var all tally
	lived := 0
	b.WriteString("| file | mutants | killed | timed out | survived |\n|---|---|---|---|---|\n")
	for _, file := range slices.Sorted(maps.Keys(d.files)) {
		n := 0
		for _, r := range d.rows {
			if r.file == file {
				n++
			}
		}
		t := d.files[file]
		line(file, t, n)
		all, lived = tally{all.mutants + t.mutants, all.timedOut + t.timedOut}, lived+n
	}
	line("all", all, lived)
	return b.String()
}

// reasons is the table of reasons, the most frequent first.
func (d data) reasons() string {
	count, example := map[string]int{}, map[string]string{}
	escape := strings.NewReplacer("|", `\|`)
	for _, r := range d.rows {
		reason := cmp.Or(r.reason, "**not judged yet**")
		if count[reason]++; count[reason] == 1 {
			example[reason] = escape.Replace(fmt.Sprintf("%s: `%s`: `%s`", r.file, r.code, r.change))
		}
	}
	var b strings.Builder
	b.WriteString("| why they survive | survivors | one of them |\n|---|---|---|\n")
	for _, reason := range slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) }) {
		fmt.Fprintf(&b, "| %s | %d | %s |\n", reason, count[reason], example[reason])
	}
	return b.String()
}
