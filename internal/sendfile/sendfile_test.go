package sendfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a route for files answers is tested at the root, in static_test.go. Here is
// what the package says of itself.

// dist is the folder of the package comment.
func dist() fstest.MapFS {
	files := fstest.MapFS{}
	for name, size := range map[string]int{"about.html": 1000, "about.html.br": 300, "docs/index.html": 500, "blob": 20} {
		files[name] = &fstest.MapFile{Data: bytes.Repeat([]byte("x"), size), ModTime: time.Date(2024, 5, 17, 10, 0, 0, 0, time.UTC)}
	}
	return files
}

// The answer of the package comment.
func Example() {
	tree := &Tree{FS: dist(), Precompressed: true, Extension: ".html"}
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/about", nil)
	r.Header.Set("Accept-Encoding", "gzip, br;q=0.9")
	err := tree.Serve(w, r, "about", false, false)
	w.Header().Del("Accept-Ranges") // always "bytes"
	fmt.Println(w.Code, err, w.Body.Len())
	for _, name := range slices.Sorted(maps.Keys(w.Header())) {
		fmt.Printf("%s: %s\n", name, w.Header().Get(name))
	}
	// Output:
	// 200 <nil> 300
	// Content-Encoding: br
	// Content-Length: 300
	// Content-Type: text/html; charset=utf-8
	// Etag: "17d03e56abe24000-12c-br"
	// Last-Modified: Fri, 17 May 2024 10:00:00 GMT
	// Vary: Accept-Encoding
}

// A callsFS notes the calls that it gets.
type callsFS struct {
	fs.FS
	calls *[]string
}

func (f callsFS) Stat(name string) (fs.FileInfo, error) {
	*f.calls = append(*f.calls, "Stat "+name)
	return fs.Stat(f.FS, name)
}

// The table of the package comment, and what is beside it.
func TestFind(t *testing.T) {
	var calls []string
	tree := &Tree{FS: callsFS{dist(), &calls}, Extension: ".html"}
	for _, c := range []struct{ name, calls, file, page string }{
		{"about", "Stat about, Stat about.html", "about.html", ""},
		{"docs", "Stat docs, Stat docs.html, Stat docs/index.html", "", "docs/index.html"},
		{"nope", "Stat nope, Stat nope.html", "", ""},
		{"about.html", "Stat about.html", "about.html", ""},
		{"blob/x", "Stat blob/x, Stat blob/x.html", "", ""},
		{".", "Stat index.html", "", ""},
		{"", "", "", ""},
	} {
		calls = nil
		found := tree.Find(c.name)
		assert.Equal(t, c.calls, strings.Join(calls, ", "), c.name)
		assert.Equal(t, c.file, found.With(false), c.name)
		assert.Equal(t, c.page, found.With(true), c.name)
		assert.True(t, found.Tree == tree && found.Name == c.name)
	}
}

// A deniedFS says of some names that they may not be looked up.
type deniedFS struct {
	fs.FS
	denied []string
}

func (f deniedFS) Stat(name string) (fs.FileInfo, error) {
	if slices.Contains(f.denied, name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrPermission}
	}
	return fs.Stat(f.FS, name)
}

// What cannot be looked up may be there. It is found before anything else, so
// that the error is told. A name that is too long for any file is not there.
func TestFindFailures(t *testing.T) {
	long := strings.Repeat("n", 255)
	tree := &Tree{FS: deniedFS{dist(), []string{"about", "docs/index.html", long, long + "n"}}, Extension: ".html"}
	for name, want := range map[string]string{
		"about":    "about about/index.html",
		"docs":     " docs/index.html",
		long:       long + " " + long + "/index.html",
		long + "n": " ",
	} {
		found := tree.Find(name)
		assert.Equal(t, want, found.With(false)+" "+found.With(true))
	}
}

func TestValid(t *testing.T) {
	for _, name := range []string{"a", "a/b", "a b", "ä", "a..b", "a/b.c/d"} {
		assert.True(t, Valid(name), "%q", name)
	}
	for _, name := range []string{"", "/", "a/", "/a", "a//b", ".", "..", "a/../b", ".env", "a/.git/b", "...", `a\b`, "a\x00", "\xff", "a/\xff/b"} {
		assert.False(t, Valid(name), "%q", name)
		assert.False(t, name != "" && Valid("a/"+name), "a/%q", name)
	}
}

// What Check says and what Serve does agree: a tree that is refused has nothing.
func TestCheck(t *testing.T) {
	missing := os.DirFS(filepath.Join(t.TempDir(), "missing"))
	file, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	defer file.Close()
	for want, tree := range map[string]*Tree{
		"the file system is nil":         {},
		"the file system cannot be read": {FS: missing},
		"is not a directory":             {FS: fstest.MapFS{".": {}}},
		`the extension "html" is none`:   {FS: dist(), Extension: "html"},
		`the extension ".a/b" is none`:   {FS: dist(), Extension: ".a/b"},
		`the fallback "a/" is not a name`: {
			FS: dist(), Fallback: "a/"},
		`the fallback "nope" cannot be served`: {FS: dist(), Fallback: "nope"},
		`the fallback "docs" is not a file`:    {FS: dist(), Fallback: "docs"},
	} {
		assert.ErrorContains(t, tree.Check(), want)
	}
	assert.NoError(t, (&Tree{FS: dist(), Fallback: "docs/index.html", Extension: ".html"}).Check())
	assert.NoError(t, (&Tree{FS: file.FS()}).Check())
	assert.ErrorIs(t, (&Tree{FS: missing}).Check(), fs.ErrNotExist)
}

// Nothing is written where Serve returns an error.
func TestServeNothing(t *testing.T) {
	tree := &Tree{FS: dist(), Fallback: "docs/index.html"}
	serve := func(name string, slash, fallback bool) (*httptest.ResponseRecorder, error) {
		w := httptest.NewRecorder()
		return w, tree.Serve(w, httptest.NewRequest("GET", "/", nil), name, slash, fallback)
	}
	for _, name := range []string{"nope", "docs", ""} {
		w, err := serve(name, false, false)
		assert.ErrorIs(t, err, fs.ErrNotExist, name)
		assert.False(t, w.Flushed || w.Body.Len() > 0 || len(w.Header()) > 0, name)
		w, err = serve(name, false, true)
		assert.NoError(t, err, name)
		assert.Equal(t, "500 no-cache", fmt.Sprint(w.Body.Len(), " ", w.Header().Get("Cache-Control")), name)
	}
}

// A hookFS lets a test see or answer what is opened. It counts the files that are open.
type hookFS struct {
	fs.FS
	hook func(name string) error
	open int
	deaf bool // the files that are opened cannot be read
}

func (f *hookFS) Open(name string) (fs.File, error) {
	if err := f.hook(name); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	file, err := f.FS.Open(name)
	if err == nil {
		f.open++
		file = &hookFile{file, f}
		if f.deaf {
			file.(*hookFile).File = broken{file.(*hookFile).File}
		}
	}
	return file, err
}

func (f *hookFS) Stat(name string) (fs.FileInfo, error) {
	if name == "vanished" {
		name = "about.html"
	}
	return fs.Stat(f.FS, name)
}

type hookFile struct {
	fs.File
	from *hookFS
}

func (f *hookFile) Close() error { f.from.open--; return f.File.Close() }

// Every file that is opened is closed again, whatever becomes of it, and an
// error on the way is told before anything is written.
func TestServeClosesFiles(t *testing.T) {
	var fails error
	opened := map[string]int{}
	files := dist()
	files["undated"] = &fstest.MapFile{Data: []byte("x")}
	files["blob.br"] = &fstest.MapFile{Data: []byte("x"), ModTime: time.Unix(1, 0)}
	hooked, deaf := &hookFS{FS: files}, false
	hooked.hook = func(name string) error {
		opened[name]++
		if hooked.deaf = opened[name] == 2 && fails == errDisk && deaf; hooked.deaf {
			return nil
		}
		if opened[name] == 2 || name == "vanished" {
			return fails
		}
		return nil
	}
	tree := &Tree{FS: hooked, Fallback: "docs", Precompressed: true}
	for _, c := range []struct {
		name  string
		fails error
		want  error
	}{
		{"about.html", nil, nil}, {"undated", nil, nil}, {"blob", nil, nil},
		{"undated", errDisk, errDisk},                 // when it is read for its ETag
		{"vanished", syscall.ENOTDIR, fs.ErrNotExist}, // since it was found
		{"vanished", fs.ErrPermission, fs.ErrPermission},
		{"nope", nil, fs.ErrNotExist}, // the fallback has become a directory
	} {
		for _, deaf = range []bool{false, true} {
			fails = c.fails
			clear(opened)
			w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
			r.Header.Set("Accept-Encoding", "br")
			assert.ErrorIs(t, tree.Serve(w, r, c.name, false, true), c.want, c.name)
			assert.Zero(t, hooked.open, c.name)
			assert.Equal(t, c.want == nil, w.Body.Len() > 0, c.name)
		}
	}
}

// The type of a sibling is that of the file itself, whose bytes are not sent.
func TestServeTypeOfSibling(t *testing.T) {
	when := time.Unix(1, 0)
	files := fstest.MapFS{"text": {Data: []byte("hello"), ModTime: when}, "text.br": {Data: []byte("\x00\x01"), ModTime: when}}
	var fails error
	hooked := &hookFS{FS: files, hook: func(name string) error {
		if name == "text" {
			return fails
		}
		return nil
	}}
	for _, c := range []struct {
		fails error
		want  string
	}{{nil, "text/plain; charset=utf-8"}, {errDisk, "application/octet-stream"}} {
		fails = c.fails
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", "br")
		require.NoError(t, (&Tree{FS: hooked, Precompressed: true}).Serve(w, r, "text", false, false))
		assert.Equal(t, "\x00\x01", w.Body.String())
		assert.Equal(t, c.want, w.Header().Get("Content-Type"))
		assert.Zero(t, hooked.open)
	}
}

// Several ranges are answered where the file can seek. Where it cannot, the
// whole is sent, and the request keeps the header that the client sent.
func TestServeRanges(t *testing.T) {
	for want, files := range map[int]fs.FS{206: dist(), 200: &hookFS{FS: dist(), hook: func(string) error { return nil }}} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Range", "bytes=0-1,9-9")
		require.NoError(t, (&Tree{FS: files}).Serve(w, r, "blob", false, false))
		assert.Equal(t, want, w.Code)
		assert.Equal(t, "bytes=0-1,9-9", r.Header.Get("Range"))
	}
}

// acceptedCodings against the rule, coding by coding, with weights that are drawn.
func TestAcceptedCodings(t *testing.T) {
	weights := []float64{-1, 0, 0.001, 0.5, 1} // -1: not named
	for i := range 5 * 5 * 5 * 5 * 5 {
		var header []string
		quality := map[string]float64{}
		for _, coding := range []string{"br", "zstd", "gzip", "identity", "*"} {
			if weight := weights[i%5]; weight >= 0 {
				quality[coding] = weight
				header = append(header, fmt.Sprintf("%s;q=%v", coding, weight))
			}
			i /= 5
		}
		of := func(coding string) float64 {
			if q, ok := quality[coding]; ok {
				return q
			}
			return quality["*"]
		}
		got := acceptedCodings(header)
		assert.Equal(t, "", got[len(got)-1], "%q", header)
		order := []string{"br", "zstd", "gzip"}
		for n, coding := range got[:len(got)-1] {
			assert.Positive(t, of(coding), "%q", header)
			assert.GreaterOrEqual(t, of(coding), quality["identity"], "%q", header)
			if n > 0 {
				before := got[n-1]
				assert.True(t, of(before) > of(coding) || of(before) == of(coding) && slices.Index(order, before) < slices.Index(order, coding), "%q: %q", header, got)
			}
		}
		for _, coding := range order {
			if of(coding) > 0 && of(coding) >= quality["identity"] {
				assert.Contains(t, got, coding, "%q", header)
			}
		}
	}
}

// A weight that is missing is 1, and one that is none is 0.
func TestAcceptedCodingsWeights(t *testing.T) {
	for header, want := range map[string]string{
		"zstd, br;q=1":                "br zstd ",
		"zstd;q=1, br":                "br zstd ",
		"br;q=x, identity;q=x":        "",
		"br;q=-0.3, identity;q=-0.5":  "",
		"br;q=2, zstd;q=NaN, gzip;q=": "",
		"br;x=0":                      "br ",
	} {
		assert.Equal(t, want, strings.Join(acceptedCodings([]string{header}), " "), header)
	}
}

// A forward file can only be read.
type forward struct{ fs.File }

// A stream seeks as a bytes.Reader, forward from the first 512 bytes on.
func TestStream(t *testing.T) {
	data := make([]byte, 2000)
	for i := range data {
		data[i] = byte(i % 251)
	}
	for _, size := range []int{0, 1, 511, 512, 513, 2000} {
		files := fstest.MapFS{"f": {Data: data[:size]}}
		for from := range size + 1 {
			file, err := files.Open("f")
			require.NoError(t, err)
			s, err := seekable(forward{file}, int64(size))
			require.NoError(t, err)
			end, err := s.Seek(0, io.SeekEnd)
			assert.Equal(t, []any{int64(size), nil}, []any{end, err})
			_, err = s.Seek(0, io.SeekStart)
			assert.NoError(t, err)
			head := make([]byte, sniffed)
			n, _ := io.ReadFull(s, head)
			assert.Equal(t, data[:min(size, sniffed)], head[:n])
			at, err := s.Seek(int64(from-n), io.SeekCurrent)
			assert.Equal(t, []any{int64(from), nil}, []any{at, err})
			rest, err := io.ReadAll(s)
			assert.NoError(t, err)
			if !bytes.Equal(data[from:size], rest) {
				t.Fatalf("%d of %d: got %d bytes", from, size, len(rest))
			}
			_, err = s.Seek(-1, io.SeekStart)
			assert.Error(t, err)
		}
	}
	file, _ := fstest.MapFS{"f": {Data: data}}.Open("f")
	s, err := seekable(forward{file}, 3000)
	require.NoError(t, err)
	for _, at := range []int64{600, 1200} {
		_, err = s.Seek(at, io.SeekStart)
		require.NoError(t, err)
		got := make([]byte, 9)
		_, err = io.ReadFull(s, got)
		require.NoError(t, err)
		assert.Equal(t, data[at:at+9], got)
	}
	_, err = io.Copy(io.Discard, s)
	require.NoError(t, err)
	_, err = s.Seek(2500, io.SeekStart)
	require.NoError(t, err)
	n, err := s.Read(make([]byte, 1))
	assert.Equal(t, []any{0, io.EOF}, []any{n, err}, "the file is shorter than was said")
	_, err = s.Seek(1000, io.SeekStart)
	require.NoError(t, err)
	_, err = s.Read(make([]byte, 1))
	assert.ErrorIs(t, err, fs.ErrInvalid, "what has been read is gone")
}

// A file that cannot be read is an error before anything is written, whether it
// claims to seek or not.
func TestSeekableReads(t *testing.T) {
	for _, file := range []fs.File{broken{}, brokenSeeker{}} {
		_, err := seekable(file, 7)
		assert.ErrorIs(t, err, errDisk)
	}
}

var errDisk = errors.New("disk on fire")

// A broken file cannot be read.
type broken struct{ fs.File }

func (broken) Read([]byte) (int, error) { return 0, errDisk }

// A brokenSeeker seeks, and then cannot be read.
type brokenSeeker struct{ broken }

func (brokenSeeker) Seek(int64, int) (int64, error) { return 0, nil }

func TestDropHeaders(t *testing.T) {
	h := http.Header{}
	for _, name := range []string{"Cache-Control", "Content-Encoding", "ETag", "Last-Modified", "Vary", "X-Other"} {
		h.Set(name, "x")
	}
	DropHeaders(h)
	assert.Equal(t, http.Header{"Vary": {"x"}, "X-Other": {"x"}}, h)
}

// A time from before 1981 is none: two versions may have it.
func TestServeTagsOldTimes(t *testing.T) {
	for year, tagged := range map[int]bool{1970: true, 1979: true, 1980: true, 1981: false, 2026: false} {
		tree := &Tree{FS: fstest.MapFS{"a": {Data: []byte("a"), ModTime: time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC)}}}
		w := httptest.NewRecorder()
		require.NoError(t, tree.Serve(w, httptest.NewRequest("GET", "/a", nil), "a", false, false))
		assert.Equal(t, tagged, w.Header().Get("ETag") != "", year)
	}
}
