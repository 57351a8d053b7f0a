package main

// This file reads figures out of the tables in results, which the programs make
// of their data.

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// results are the tables of a folder, read as they are asked for. What is not
// there is an error, and "?".
type results struct {
	dir   string
	texts map[string]string
	errs  []error
}

// A table is a section of a file: its heading without the ##, "" for what is
// above the first one.
type table struct{ file, heading string }

func (r *results) text(file string) string {
	if r.texts == nil {
		r.texts = map[string]string{}
	}
	if _, read := r.texts[file]; !read {
		text, err := os.ReadFile(filepath.Join(r.dir, file))
		if err != nil {
			r.errs = append(r.errs, err)
		}
		r.texts[file] = string(text)
	}
	return r.texts[file]
}

// cell is the text of a cell, without the stars of bold ones. A row is called by its
// first cell, or by its first two.
func (r *results) cell(t table, row, column string) string {
	heading, at := "", -1
	for line := range strings.Lines(r.text(t.file)) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.TrimSpace(title)
		}
		if heading != t.heading || !strings.HasPrefix(line, "|") {
			at = -1 // the table is over
			continue
		}
		cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), "**", ""), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if at < 0 { // a header, and its first cell has no column
			if at = slices.Index(cells[2:], column) + 2; at < 2 {
				at = len(cells)
			}
		} else if (cells[1] == row || cells[1]+" | "+cells[2] == row) && at < len(cells) {
			return cells[at]
		}
	}
	r.errs = append(r.errs, fmt.Errorf("%s: no cell %q, %q in %q", t.file, row, column, t.heading))
	return "?"
}

var number = regexp.MustCompile(`[0-9][0-9,]*(\.[0-9]+)?`)

// numbers are the first numbers of a row's cells.
func (r *results) numbers(t table, row string, columns ...string) []string {
	var out []string
	for _, column := range columns {
		out = append(out, r.nth(t, row, column, 0))
	}
	return out
}

// nth is one of the numbers in a cell, such as the bounds of an interval.
func (r *results) nth(t table, row, column string, i int) string {
	all := number.FindAllString(r.cell(t, row, column), -1)
	if i >= len(all) {
		r.errs = append(r.errs, fmt.Errorf("%s: no number %d in the cell %q, %q in %q", t.file, i, row, column, t.heading))
		return "?"
	}
	return all[i]
}

// value is the first number of a cell.
func (r *results) value(t table, row, column string) float64 {
	x, _ := strconv.ParseFloat(strings.ReplaceAll(r.nth(t, row, column, 0), ",", ""), 64)
	return x
}

// nanoseconds is a time of a cell, which may be in another unit.
func (r *results) nanoseconds(t table, row, column string) float64 {
	d, err := time.ParseDuration(strings.ReplaceAll(r.cell(t, row, column), " ", ""))
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("%s: the cell %q, %q in %q: %w", t.file, row, column, t.heading, err))
	}
	return float64(d)
}

// after is the first number after some words.
func (r *results) after(file, words string) []string {
	_, rest, _ := strings.Cut(r.text(file), words)
	n := number.FindString(rest)
	if n == "" {
		r.errs = append(r.errs, fmt.Errorf("%s: no number after %q", file, words))
	}
	return []string{n}
}
