package live

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A Row is what one thing comes to with each of several servers.
type Row struct {
	What     string
	Outcomes []string // in the order of the servers
}

// Readme holds the README of the folder to what was seen of the servers: a
// sentence with all that is the same, and a table of what is not. Where lines
// break does not matter.
func Readme(t *testing.T, servers []string, rows []Row) {
	t.Helper()
	var same []string
	table := "| | " + strings.Join(servers, " | ") + " |\n|---|" + strings.Repeat("---|", len(servers)) + "\n"
	for _, row := range rows {
		if len(slices.Compact(slices.Clone(row.Outcomes))) == 1 {
			same = append(same, row.What)
			continue
		}
		table += fmt.Sprintf("| %s | %s |\n", row.What, strings.Join(row.Outcomes, " | "))
	}
	want := fmt.Sprintf("The same on all of them: %s.\n\n%s", strings.Join(same, ", "), table)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	assert.True(t, strings.Contains(words(string(readme)), words(want)), "README.md does not say this:\n\n%s", want)
}

func words(text string) string { return strings.Join(strings.Fields(text), " ") }
