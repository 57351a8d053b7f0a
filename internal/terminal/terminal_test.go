package terminal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// The package comment's lines.
func Example() {
	var b strings.Builder
	var names []string
	for i := range 15 {
		names = append(names, "/users"+strings.Repeat("/{id}", i+1))
	}
	Line(&b, "GET /users/\x1b[2J", "main.go:12")
	List(&b, "  not", names)
	fmt.Print(b.String())
	// Output:
	// GET /users/\x1b[2J                                                    main.go:12
	//   not /users/{id}, /users/{id}/{id}, /users/{id}/{id}/{id} and 12 more
}

var hostile = []string{
	"", "plain", `a "b" \c \\ \x1b`, "\x1b[31m", "\r\n\x00\x7f", "\u202e\u2066", "\xff\xfe", "a\xffb", "\u0085\u009b1m", "\ufffd", "日本語", "\u00ad\u200b\ufeff", `\"`, `\\"`, "'",
	strings.Repeat("語", 200), strings.Repeat("a", 500), strings.Repeat("\x1b", 100), strings.Repeat("語", 39) + "ab", strings.Repeat("語", 40), strings.Repeat("語", 40) + "a",
}

// Printable against a rune at a time.
func TestPrintable(t *testing.T) {
	for _, s := range hostile {
		var want strings.Builder
		for i, c := range s {
			_, size := utf8.DecodeRuneInString(s[i:])
			switch {
			case c == utf8.RuneError && size == 1:
				fmt.Fprintf(&want, `\x%02x`, s[i])
			case strconv.IsPrint(c):
				want.WriteRune(c)
			default:
				quoted := strconv.QuoteRune(c)
				want.WriteString(quoted[1 : len(quoted)-1])
			}
		}
		assert.Equal(t, want.String(), Printable(s), "%q", s)
		assert.Equal(t, want.String(), Printable(Printable(s)), "%q, twice", s)
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abcd", 1, "…"}, {"日本語", 6, "日本語"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"a日b", 3, "a…"},
	} {
		assert.Equal(t, c.want, Clip(c.text, c.most))
	}
	assert.Equal(t, 5, Width("日本a"))
}

// What East Asian fonts draw wide begins with Hangul and with the CJK radicals.
func TestWidth(t *testing.T) {
	for c, want := range map[rune]int{'\u10ff': 1, '\u1100': 2, '\u1101': 2, '\u200f': 2, '\u2010': 1, '\u2011': 1, '\u2e7f': 1, '\u2e80': 2, '\u2e81': 2} {
		assert.Equal(t, want, Width(string(c)), "%U", c)
	}
}

// Whatever it is given, a line is one line of visible characters that fits.
func TestLinesFit(t *testing.T) {
	for _, left := range hostile {
		for _, right := range hostile {
			var b strings.Builder
			Line(&b, left, right)
			List(&b, left, []string{right, left, right, "x", right})
			List(&b, left, nil)
			lines := strings.Split(b.String(), "\n")
			assert.Len(t, lines, 4)
			for _, line := range lines {
				assert.LessOrEqual(t, Width(line), 80, "%q", line)
				assert.False(t, strings.ContainsFunc(line, func(c rune) bool { return !unicode.IsPrint(c) }), "%q", line)
				assert.Equal(t, strings.TrimRight(line, " "), line)
			}
		}
	}
}

// The right part is at the margin, or left out.
func TestLineMargin(t *testing.T) {
	for n := range 100 {
		var b strings.Builder
		Line(&b, strings.Repeat("a", n), "right")
		switch line := strings.TrimSuffix(b.String(), "\n"); {
		case n <= 73:
			assert.Len(t, line, 80)
			assert.True(t, strings.HasSuffix(line, "  right"), line)
		case n <= 80:
			assert.Equal(t, strings.Repeat("a", n), line)
		default:
			assert.Equal(t, strings.Repeat("a", 79)+"…", line)
		}
	}
}

func TestList(t *testing.T) {
	for n, want := range map[int]string{
		1: "h: nnnnnnnn", 2: "h: nnnnnnnn, nnnnnnnn", 7: "h: " + strings.Repeat("nnnnnnnn, ", 6) + "nnnnnnnn", 8: "h: " + strings.Repeat("nnnnnnnn, ", 5) + "nnnnnnnn and 2 more",
		100: "h: " + strings.Repeat("nnnnnnnn, ", 5) + "nnnnnnnn and 94 more",
	} {
		var b strings.Builder
		List(&b, "h:", slices.Repeat([]string{"nnnnnnnn"}, n))
		assert.Equal(t, want+"\n", b.String(), n)
	}
	var b strings.Builder
	List(&b, "h:", slices.Repeat([]string{strings.Repeat("n", 100)}, 2)) // the first has to stand
	assert.Equal(t, "h: "+strings.Repeat("n", 76)+"…\n", b.String())
	b.Reset()
	List(&b, "h:", slices.Repeat([]string{strings.Repeat("n", 60)}, 2)) // the second need not
	assert.Equal(t, "h: "+strings.Repeat("n", 60)+" and 1 more\n", b.String())
	b.Reset()
	List(&b, "h:", []string{strings.Repeat("n", 40), strings.Repeat("n", 35)}) // up to the margin
	assert.Equal(t, "h: "+strings.Repeat("n", 40)+", "+strings.Repeat("n", 35)+"\n", b.String())
}
