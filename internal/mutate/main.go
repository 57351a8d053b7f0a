// Mutate changes a package in one small place at a time. Each change is a mutant.
// On each mutant it runs the package's tests, and those of internal/conformance and
// internal/hostile. A mutant that passes all tests shows a line that no test checks.
//
//	go run ./internal/mutate trie.go pattern.go params.go
//	go run ./internal/mutate -only canonicalHost -v pattern.go
//
// If the tests cannot tell a mutant from the original, or need not, survivors.tsv in
// this folder has it with the reason. The command fails if another one survives. With
// -write it puts what became of the files into survivors.tsv, and makes
// docs/mutation.md from it. Without files it makes that page alone.
//
// All mutants of a file are compiled into one binary for each package of tests. Each
// mutant is a copy of its function, and the function calls the copy that the
// environment names. So a mutant costs a run of the tests, and no build.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

type options struct {
	only    *regexp.Regexp // which mutants there are
	run     string         // which tests,
	skip    string         // but for these, which no mutant can touch
	data    string         // where survivors are explained, line by line,
	page    string         // and by reason
	with    []string       // folders of other packages whose tests are run too
	tags    string         // of a second build, in which survivors are run too
	workers int
	fast    bool
	list    bool
	verbose bool
	write   bool
}

func main() {
	var o options
	only := flag.String("only", "", "run the mutants whose line of -list matches this `expression` alone")
	flag.StringVar(&o.run, "run", "", "run the tests that match this `expression` alone")
	flag.StringVar(&o.skip, "skip", "^TestREADME$", "leave out the tests that match this `expression`")
	flag.StringVar(&o.data, "data", "internal/mutate/survivors.tsv", "the `file` that explains survivors")
	flag.StringVar(&o.page, "page", "docs/mutation.md", "the `file` that -write makes of it")
	flag.IntVar(&o.workers, "workers", 1, "how many mutants are run at a time")
	flag.StringVar(&o.tags, "tags", "purego", "run what survives in a build with these `tags` too")
	flag.BoolVar(&o.fast, "fast", false, "leave out the slow tests")
	flag.BoolVar(&o.list, "list", false, "list the mutants, and run nothing")
	flag.BoolVar(&o.verbose, "v", false, "print what becomes of every mutant")
	flag.BoolVar(&o.write, "write", false, "keep what becomes of the files, and make the page")
	with := flag.String("with", "internal/conformance,internal/hostile", "run the tests in these `folders` too")
	flag.Parse()
	o.only, o.with = regexp.MustCompile(*only), strings.FieldsFunc(*with, func(c rune) bool { return c == ',' })
	if o.write && (*only != "" || o.run != "" || o.fast) {
		fmt.Fprintln(os.Stderr, "mutate: -write takes all mutants of a file, and all tests")
		os.Exit(2)
	}
	unexplained, err := run(os.Stdout, flag.Args(), o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
	if unexplained > 0 {
		fmt.Printf("\n%d survivors are not explained in %s\n", unexplained, o.data)
		os.Exit(1)
	}
}

// run mutates each file and returns how many survivors nobody has explained.
func run(out io.Writer, files []string, o options) (unexplained int, err error) {
	known, err := readData(o.data)
	if err != nil {
		return 0, err
	}
	var sources []*source
	for _, file := range files {
		f, err := load(file, o.only)
		if err != nil {
			return 0, err
		}
		if o.list {
			for _, m := range f.mutants {
				fmt.Fprintln(out, m)
			}
			continue
		}
		if err := f.test(out, o); err != nil {
			return 0, err
		}
		known.put(f)
		sources = append(sources, f)
	}
	if o.write {
		if err := os.WriteFile(o.data, []byte(known.String()), 0o666); err != nil {
			return 0, err
		}
		if err := os.WriteFile(o.page, []byte(known.page()), 0o666); err != nil {
			return 0, err
		}
	}
	if len(sources) == 0 {
		return 0, nil // they were listed, or there are none
	}
	return known.report(out, sources), nil
}
