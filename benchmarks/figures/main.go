// Figures puts the measured figures of the tables in results into the texts
// that quote them.
//
//	go run ./figures          writes the figures into the texts
//	go run ./figures -check   writes nothing; fails where text and table disagree
//
// list.go says which sentence of which text has which figure. -check also fails
// on a number with a unit of measurement that stands in none of these sentences.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	root := flag.String("root", "..", "folder of the repository")
	check := flag.Bool("check", false, "write nothing; fail where text and table disagree")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A figure is a sentence, or a row of a table, of a text.
type figure struct {
	file   string
	text   string   // {} is a hole; a blank is any white space
	values []string // what belongs into the holes
}

func run(root string, check bool) error {
	r := &results{dir: filepath.Join(root, "benchmarks/results")}
	list := figures(r)
	errs := r.errs
	files := []string{"README.md", "SECURITY.md", "benchmarks/README.md"}
	docs, _ := filepath.Glob(filepath.Join(root, "docs/*.md"))
	for _, name := range docs {
		if filepath.Base(name) != "mutation.md" { // which internal/mutate makes
			files = append(files, "docs/"+filepath.Base(name))
		}
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		filled, found := fill(name, string(text), list)
		for _, err := range found {
			if _, differs := errors.AsType[stale](err); check || !differs {
				errs = append(errs, err)
			}
		}
		if !check && len(r.errs) == 0 && filled != string(text) {
			errs = append(errs, os.WriteFile(filepath.Join(root, name), []byte(filled), 0o644))
		}
		errs = append(errs, unlisted(name, filled, list)...)
	}
	return errors.Join(errs...)
}

// A stale figure is another than the table's.
type stale string

func (s stale) Error() string { return string(s) }

// pattern is what finds a figure's sentence. Each of its groups is a hole.
func (f figure) pattern() *regexp.Regexp {
	words := strings.Fields(f.text)
	for i, word := range words {
		words[i] = strings.ReplaceAll(regexp.QuoteMeta(word), `\{\}`, `(\S+?)`)
	}
	return regexp.MustCompile(strings.Join(words, `\s+`) + `(?:\s|$)`)
}

// fill puts a text's figures in. The errors are the sentences that the text
// does not have, or has twice, and the figures that were others.
func fill(name, text string, list []figure) (string, []error) {
	var errs []error
	for _, f := range list {
		if f.file != name {
			continue
		}
		found := f.pattern().FindAllStringSubmatchIndex(text, -1)
		if len(found) != 1 || len(found[0]) != 2*len(f.values)+2 {
			errs = append(errs, fmt.Errorf("%s: there is not one, but %d, of: %s (with %d figures)", name, len(found), f.text, len(f.values)))
			continue
		}
		for i := len(f.values); i > 0; i-- { // from behind, so that what is before stays where it is
			from, to := found[0][2*i], found[0][2*i+1]
			if was, want := text[from:to], f.values[i-1]; was != want {
				errs = append(errs, stale(fmt.Sprintf("%s:%d: %s stands where the results have %s: go run ./figures", name, line(text, from), was, want)))
				text = text[:from] + want + text[to:]
			}
		}
	}
	return text, errs
}

func line(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

// measured is a number that looks like a measurement.
var measured = regexp.MustCompile(`[0-9][0-9.,]*( |\n)?(ns|µs|ms|seconds|minutes|hours|×|%|KB|MB|GB|times|(micro|nano)seconds?|requests a second)([^A-Za-z0-9]|$)`)

// fenced is a block of code.
var fenced = regexp.MustCompile("(?ms)^ *```.*?^ *```$")

// unlisted are the numbers that look like measurements and are neither in a
// listed sentence nor in one of those that are known to hold none.
func unlisted(name, text string, list []figure) []error {
	blank := func(s string) string { return regexp.MustCompile(`[^\n]`).ReplaceAllString(s, "_") }
	text = fenced.ReplaceAllStringFunc(text, blank)
	for _, f := range list {
		if f.file == name {
			text = f.pattern().ReplaceAllStringFunc(text, blank)
		}
	}
	var errs []error
	for _, known := range settings[name] {
		if !strings.Contains(text, known) {
			errs = append(errs, fmt.Errorf("%s: nowhere: %s", name, known))
		}
		text = strings.ReplaceAll(text, known, blank(known))
	}
	for _, at := range measured.FindAllStringIndex(text, -1) {
		errs = append(errs, fmt.Errorf("%s:%d: %q is in no sentence of figures/list.go: take it from the results, or add it to settings", name, line(text, at[0]), text[at[0]:at[1]]))
	}
	return errs
}
