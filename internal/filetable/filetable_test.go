package filetable

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const small = "# Page\n\n" +
	"| column | the server |\n|---|---|\n| one | the first |\n\n" +
	"| request | all four |\n|---|---|\n| `GET /a.txt` | `200 a.txt` |\n\n" +
	"## Others\n\n| request | one | two | why |\n|---|---|---|---|\n" +
	"| `GET /a.txt`, `If-None-Match: {etag}` (ETag) | no ETag | `304`, ETag | so |\n" +
	"| `GET /dir` | `307 /dir/` | `301 /dir/` |  |\n\n" +
	"## Compressed\n\n| request | one | why |\n|---|---|---|\n| `HEAD /a.txt` (Vary) | `200`, no Vary |  |\n"

// answers answers as the column says that small has for it.
func answers(page, column string) func(bool, request) (string, error) {
	rows, _ := parse(page)
	return func(compressed bool, r request) (string, error) {
		for _, row := range rows {
			for i, c := range row.columns {
				same := row.compressed == compressed && row.request.method == r.method && row.request.target == r.target && len(row.request.headers) == len(r.headers)
				if same && (c == column || c == Agreed) {
					return row.cells[i], nil
				}
			}
		}
		return "", io.EOF
	}
}

func TestCompare(t *testing.T) {
	fresh, wrong, err := compare(small, "one", "", answers(small, "one"))
	require.NoError(t, err)
	assert.Equal(t, small, fresh)
	assert.Equal(t, []string{"line 16: nobody has decided this difference:\n| `GET /dir` | `307 /dir/` | `301 /dir/` |  |"}, wrong)

	// What the server answers otherwise is written anew, and only that.
	decided := strings.Replace(small, "`301 /dir/` |  |", "`301 /dir/` | so |", 1)
	stale := strings.NewReplacer("`307 /dir/`", "`308`", "no Vary", "`Vary: x`").Replace(decided)
	fresh, wrong, err = compare(stale, "one", "", answers(decided, "one"))
	require.NoError(t, err)
	assert.Equal(t, decided, fresh)
	assert.Len(t, wrong, 2)
	assert.Equal(t, "line 16: one answers otherwise; the row should be\n| `GET /dir` | `307 /dir/` | `301 /dir/` | so |", wrong[0])

	// A row on which the servers agree belongs in the other table, and the other way round.
	same := strings.Replace(decided, "`307 /dir/`", "`301 /dir/`", 1)
	_, wrong, err = compare(same, "two", "", answers(same, "two"))
	require.NoError(t, err)
	assert.Equal(t, []string{"line 16: the servers agree: move it to the table of all four:\n| `GET /dir` | `301 /dir/` | `301 /dir/` | so |"}, wrong)
	differs := strings.Replace(decided, "`200 a.txt`", "`404`", 1)
	fresh, wrong, err = compare(differs, "two", "", answers(decided, "two"))
	require.NoError(t, err)
	assert.Equal(t, differs, fresh)
	assert.Equal(t, []string{"line 9: two answers otherwise; the row should be\n| `GET /a.txt` | `200 a.txt` |"}, wrong)

	_, _, err = compare(small, "one", "", func(bool, request) (string, error) { return "", io.EOF })
	assert.ErrorIs(t, err, io.EOF)
	_, _, err = compare("| request | one |\n|---|---|\n| `GET /` | `200` |\n", "three", "", nil)
	assert.ErrorContains(t, err, `no table has the column "three"`)
	for _, line := range []string{"| `GET /` | `200` | more |", "| GET / | `200` |", "| `GET` | `200` |", "| `GET / x` | `200` |"} {
		_, _, err = compare("| request | one |\n|---|---|\n"+line+"\n", "one", "", nil)
		assert.ErrorContains(t, err, "line 3", line)
	}
}

// The page of a server that changes is written anew, and then it is right.
func TestCheckUpdates(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	text := "| request | other | files | why |\n|---|---|---|---|\n" +
		"| `GET /a.txt` | - | ? | so |\n| `GET /bare` | - | ? | so |\n| `GET /{long}` | - | ? | so |\n\n" +
		"## Compressed\n\n| request | files | why |\n|---|---|---|\n| `GET /app.js`, `Accept-Encoding: br` | ? | so |\n"
	require.NoError(t, os.WriteFile(page, []byte(text), 0o644))
	start := func(t *testing.T, dir string) (plain, compressed string) {
		files := http.FileServerFS(os.DirFS(dir))
		one := httptest.NewServer(files)
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") == "br" {
				r.URL.Path += ".br"
			}
			files.ServeHTTP(w, r)
		}))
		t.Cleanup(one.Close)
		t.Cleanup(other.Close)
		return strings.TrimPrefix(one.URL, "http://"), strings.TrimPrefix(other.URL, "http://")
	}
	Check(t, page, "files", true, start)
	fresh, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, row := range []string{
		"| `GET /a.txt` | - | `200 a.txt` | so |", "| `GET /bare` | - | `301 bare/` | so |", "| `GET /{long}` | - | `500` | so |", "| `GET /app.js`, `Accept-Encoding: br` | `200 app.js.br` | so |",
	} {
		assert.Contains(t, string(fresh), "\n"+row+"\n")
	}
	Check(t, page, "files", false, start)
}

// Each kind of answer has its cell.
func TestAsk(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/tag":
			w.Header().Set("ETag", `W/"`+r.Header.Get("Accept-Encoding")+`"`)
			w.Header().Set("Last-Modified", r.Header.Get("If-Modified-Since"))
			io.WriteString(w, r.Header.Get("If-None-Match"))
		case "/strong":
			w.Header().Set("ETag", `"x"`)
			io.WriteString(w, "line\nline")
		case "/moved":
			http.Redirect(w, r, "/there", http.StatusFound)
		case "/methods":
			w.Header().Set("Allow", r.Method)
			w.WriteHeader(http.StatusMethodNotAllowed)
		case "/parts":
			w.Header().Set("Content-Type", "multipart/byteranges; boundary=x")
			w.WriteHeader(http.StatusPartialContent)
			io.WriteString(w, "--x\r\nContent-Range: bytes 0-0/2\r\n\r\na\r\n--x\r\nContent-Range: bytes 1-1/2\r\n\r\nb\r\n--x--\r\n")
		case "/cut":
			w.Header().Set("Content-Length", "9")
			w.WriteHeader(http.StatusPreconditionFailed)
		}
	}))
	defer web.Close()
	s := &server{address: strings.TrimPrefix(web.URL, "http://")}
	for asked, want := range map[string]string{
		"`GET /tag` (ETag, Vary)": "`200`, weak ETag, no Vary",
		"`GET /tag`, `Accept-Encoding: br`, `If-None-Match: {etag}` (X)": "`200 W/\"br\"`, no X",
		"`GET /tag`, `If-Modified-Since: {time}` (Last-Modified)":        "`200`, `Last-Modified: {time}`",
		"`HEAD /tag`, `If-Modified-Since: {before}` (Last-Modified)":     "`200`, `Last-Modified: Fri, 17 May 2024 09:00:00 GMT`",
		"`GET /strong` (ETag)":                 "`200 line…`, ETag",
		"`GET /nope`, `If-None-Match: {etag}`": "no ETag",
		"`GET /moved`":                         "`302 /there`",
		"`POST /methods`":                      "`405 POST`",
		"`GET /parts`":                         "`206 2 parts`",
		"`GET /cut`":                           "`412 (cut short)`",
	} {
		r, err := parseRequest(asked)
		require.NoError(t, err)
		got, err := s.ask(r)
		require.NoError(t, err)
		assert.Equal(t, want, got, asked)
	}
	_, err := (&server{address: "127.0.0.1:0"}).ask(request{method: "GET", target: "/"})
	assert.Error(t, err)
}

// A file that nobody may read is asked for where that holds.
func TestAnswerable(t *testing.T) {
	dir := layOut(t)
	file, err := os.Open(filepath.Join(dir, unreadable))
	if err == nil {
		file.Close()
	}
	assert.Equal(t, err != nil, answerable(dir, request{target: "/" + unreadable}))
	assert.True(t, answerable(dir, request{target: "/a.txt"}))
}
