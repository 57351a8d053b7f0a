// Package filetable holds docs/files.md, the page of what servers of files
// answer, against the servers. Each column of its tables is checked by a test
// in the module that can run that server:
//
//	filetable.Check(t, "files.md", "segue", *update, serveSegue)
//
// The package lays out the files that the page names, asks the server over a
// connection of its own, and compares each answer with its cell.
package filetable

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A Starter serves the files of dir until the test ends. It returns the address
// of the server, and of one that sends compressed siblings, "" for none.
type Starter func(t *testing.T, dir string) (plain, compressed string)

// Check asks a server for each row of the page that has the column, or that says
// that all servers agree. It fails for each cell that is not what the server
// answers. If update is set, it writes the column anew.
func Check(t *testing.T, page, column string, update bool, start Starter) {
	t.Helper()
	dir := layOut(t)
	plain, siblings := start(t, dir)
	ask := func(compressed bool, r request) (string, error) {
		if compressed {
			return (&server{siblings}).ask(r)
		}
		return (&server{plain}).ask(r)
	}
	for {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		fresh, wrong, err := compare(string(text), column, dir, ask)
		if err != nil {
			t.Fatal(err)
		}
		if !update || fresh == string(text) {
			for _, w := range wrong {
				t.Errorf("%s: %s", page, w)
			}
			return
		}
		if err := os.WriteFile(page, []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
		update = false
	}
}

// Agreed is the column of the table in which the servers do not differ. All of
// them are asked for it.
const Agreed = "all four"

// reason is the column that says why segue answers as it does.
const reason = "why"

// compare returns the page as it should be for a column, and what is wrong with
// it. A cell of Agreed stays as it is, since a server that differs there moves
// the row to another table.
func compare(page, column, dir string, ask func(compressed bool, r request) (string, error)) (fresh string, wrong []string, err error) {
	rows, err := parse(page)
	if err != nil {
		return "", nil, err
	}
	lines, asked := strings.Split(page, "\n"), 0
	for _, row := range rows {
		i := slices.Index(row.columns, column)
		agreed := i < 0 && slices.Contains(row.columns, Agreed)
		if agreed {
			i = slices.Index(row.columns, Agreed)
		}
		if i < 0 || !answerable(dir, row.request) {
			continue
		}
		asked++
		got, err := ask(row.compressed, row.request)
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", row.cells[0], err)
		}
		if got != row.cells[i] {
			row.cells[i] = got
			wrong = append(wrong, fmt.Sprintf("line %d: %s answers otherwise; the row should be\n%s", row.line+1, column, row))
		}
		if !agreed {
			lines[row.line] = row.String()
		}
		if flaw := row.flaw(); flaw != "" {
			wrong = append(wrong, fmt.Sprintf("line %d: %s:\n%s", row.line+1, flaw, row))
		}
	}
	if asked == 0 {
		return "", nil, fmt.Errorf("no table has the column %q", column)
	}
	return strings.Join(lines, "\n"), wrong, nil
}

// A row is a line of a table.
type row struct {
	line       int
	columns    []string // of the table
	cells      []string
	request    request
	compressed bool // the section is about compressed siblings
}

// parse returns the rows of the tables whose first column is the request.
func parse(page string) (rows []row, err error) {
	var columns []string
	compressed := false
	for i, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "## ") {
			compressed = strings.Contains(line, "ompressed")
		}
		if !strings.HasPrefix(line, "| ") {
			if !strings.HasPrefix(line, "|-") {
				columns = nil
			}
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line[len("| "):], " |"), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case columns == nil:
			columns = cells
		case columns[0] != "request":
		case len(cells) != len(columns):
			return nil, fmt.Errorf("line %d has %d cells, and the table has %d columns", i+1, len(cells), len(columns))
		default:
			r, err := parseRequest(cells[0])
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			rows = append(rows, row{i, columns, cells, r, compressed})
		}
	}
	return rows, nil
}

func (r row) String() string { return "| " + strings.Join(r.cells, " | ") + " |" }

// flaw says what is wrong with a row whose answers are right, "" for nothing.
func (r row) flaw() string {
	why := slices.Index(r.columns, reason)
	if why < 0 {
		return ""
	}
	differ := slices.ContainsFunc(r.cells[1:why], func(cell string) bool { return cell != r.cells[1] })
	switch {
	case differ && r.cells[why] == "":
		return "nobody has decided this difference"
	case !differ && !r.compressed:
		return "the servers agree: move it to the table of " + Agreed
	}
	return ""
}

// A request is what a row's first cell says: a request line and headers in code,
// and in parentheses the headers of the answer that the row shows.
type request struct {
	method, target string
	headers        []string
	shown          []string
}

var (
	code  = regexp.MustCompile("`([^`]*)`")
	shown = regexp.MustCompile(`\(([^()]*)\)$`)
)

func parseRequest(cell string) (r request, err error) {
	spans := code.FindAllStringSubmatch(cell, -1)
	if len(spans) == 0 {
		return r, fmt.Errorf("%s is no request", cell)
	}
	var found bool
	if r.method, r.target, found = strings.Cut(spans[0][1], " "); !found || strings.Contains(r.target, " ") {
		return r, fmt.Errorf("%s is no request line", spans[0][0])
	}
	for _, span := range spans[1:] {
		r.headers = append(r.headers, span[1])
	}
	if m := shown.FindStringSubmatch(cell); m != nil {
		r.shown = strings.Split(m[1], ", ")
	}
	return r, nil
}
