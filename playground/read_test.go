//go:build playground

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/playground/engine"
)

// Programs that are pasted are read, and written in the page's own language.

var update = flag.Bool("update", false, "write what programs are read as anew")

// readAs is what a program is read as, what is left of it, and which of the lines
// written segue refuses.
func readAs(program string) string {
	r := engine.Read(program)
	var b strings.Builder
	b.WriteString(r.Text)
	for _, l := range r.Left {
		fmt.Fprintf(&b, "-- line %d: %s: %s\n", l.Line, l.Text, l.Why)
	}
	for _, p := range engine.Build(r.Text).Problems {
		fmt.Fprintf(&b, "-- refused: %s: %s\n", strings.TrimSpace(p.Text), p.Reason)
	}
	return b.String()
}

// Each file of testdata/programs is a program; beside it is what is made of it.
func TestProgramsAreRead(t *testing.T) {
	files, err := filepath.Glob("testdata/programs/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		program, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.True(t, engine.LooksLikeProgram(string(program)), file)
		got, want := readAs(string(program)), strings.TrimSuffix(file, ".txt")+".want"
		if *update {
			require.NoError(t, os.WriteFile(want, []byte(got), 0o644))
		}
		text, err := os.ReadFile(want)
		require.NoError(t, err)
		assert.Equal(t, string(text), got, file)
	}
}

// What the page itself writes is no program, nor are its samples.
func TestLinesAreNoProgram(t *testing.T) {
	for _, s := range engine.Samples() {
		assert.False(t, engine.LooksLikeProgram(s.Text), s.Name)
	}
	for _, text := range []string{"", "GET /x", "app.GET(\"/x\", show)", "Handle /\nuse a, b\n# isn't it a GitHub's?", "mount /x\n  GET /{a}/x"} {
		assert.False(t, engine.LooksLikeProgram(text), text)
	}
}

// Whatever is pasted is read to an end, and what is written are lines of the page.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/programs/*.txt")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Add("a.use(b=>b.use(a=>a")
	f.Fuzz(func(t *testing.T, program string) {
		r := engine.Read(program)
		if n := strings.Count(r.Text, "\n"); n > 20_000 {
			t.Errorf("%d lines", n)
		}
		for _, l := range r.Left {
			if l.Line < 0 || l.Line > 1+strings.Count(program, "\n") {
				t.Errorf("line %d", l.Line)
			}
		}
	})
}

func TestPastedProgram(t *testing.T) {
	b := open(t, "")
	program, err := os.ReadFile("testdata/programs/segue.txt")
	require.NoError(t, err)
	b.run(pastes(string(program)))
	want, _, _ := strings.Cut(readAs(string(program)), "--")
	assert.Equal(t, want, eval[string](b, `document.querySelector("#text").value`), "in the place of the sample")
	assert.Equal(t, "13 routes", b.text("#count"))
	assert.Contains(t, b.text("#reading"), "Read 13 routes from the program.")
	assert.Contains(t, b.text("#reading"), "line 31")
	assert.Contains(t, b.text("#reading"), "the path is not a constant")
	b.write("#target", "/users/new")
	assert.Contains(t, b.text("#segue"), "GET /users/new")

	// A piece goes where the cursor is, and into the trie under its prefix.
	b.focus("#text")
	b.run(`document.querySelector("#text").setSelectionRange(0, 0)`)
	b.run(pastes("books := segue.New(); books.GET(\"/new\", newBook)\napp.Mount(\"/books\", books)\n"))
	assert.Equal(t, "14 routes", b.text("#count"))
	b.write("#target", "/books/new")
	assert.Contains(t, b.text("#segue"), "newBook")
	b.click("#reading button")
	assert.Empty(t, b.text("#reading"))

	// Lines of the page are pasted as they are.
	b.run(`document.querySelector("#text").select()`)
	b.run(pastes("GET /plain\nGET /lines"))
	assert.Equal(t, "GET /plain\nGET /lines", eval[string](b, `document.querySelector("#text").value`))

	// A program without routes takes nothing away.
	b.run(pastes("x := 1\nfmt.Println(x)"))
	assert.Contains(t, b.text("#reading"), "no route")
	assert.Equal(t, "2 routes", b.text("#count"))
}

func TestTypedProgramIsOffered(t *testing.T) {
	b := open(t, "")
	b.run(typed("#text", "const app = express()\napp.get('/users/:id', (req, res) => {\n  res.send('x')\n})\n"))
	assert.Contains(t, b.text("#reading"), "looks like a program")
	b.click("#reading button")
	assert.Equal(t, "GET /users/:id\n", eval[string](b, `document.querySelector("#text").value`))
	assert.Equal(t, "1 route", b.text("#count"))
}
