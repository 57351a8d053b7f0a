package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/segue-go/segue/benchmarks/report"
	"github.com/segue-go/segue/benchmarks/routers"
)

// readmeTable is the table of five rows in the project's README: the same run
// as all other tables.
func (r *Result) readmeTable() string {
	table := report.NewTable("ns a request, parameters not read", "handler", "GitHub", "Google+", "Parse", "static")
	row := func(title, handler string, cell func(column string) string) {
		line := []string{title, handler}
		for _, column := range []string{"github", "gplus", "parse", "static"} {
			line = append(line, cell(column))
		}
		table.Row(line...)
	}
	of := func(name string) func(string) string {
		return func(column string) string { return report.Number(r.cell("sets", column, name).NS) }
	}
	row(routers.NoValues.Title, routers.NoValues.Handler, of(routers.NoValues.Name))
	row(routers.Segue.Title, routers.Segue.Handler, of(routers.Segue.Name))
	row("the fastest of the others", "own", func(column string) string {
		peer := r.fastestPeer("sets", column)
		return fmt.Sprintf("%s (%s)", report.Number(peer.NS), peer.Router)
	})
	row("`http.ServeMux`", "standard", of("servemux"))
	row("chi", "standard", of("chi"))
	return table.String()
}

// putTable puts a table in the place of the one with the same header in a file.
func putTable(file, table string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	header, _, _ := strings.Cut(table, "\n")
	before, rest, found := strings.Cut(string(text), header+"\n")
	if !found {
		return fmt.Errorf("%s has no table that begins with %s", file, header)
	}
	for strings.HasPrefix(rest, "|") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return os.WriteFile(file, []byte(before+table+rest), 0o644)
}
