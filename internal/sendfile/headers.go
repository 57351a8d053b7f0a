package sendfile

// This file chooses the coding in which a file is sent, and the headers that
// net/http does not set by itself: ETag, Content-Type of what is coded, and those
// that depend on the status.

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// siblings are the extensions of the files that hold a file in a coding.
var siblings = map[string]string{"br": ".br", "zstd": ".zst", "gzip": ".gz", "": ""}

// openBest opens a file in the best coding that there is and that the request
// accepts. A sibling that cannot be opened is passed over.
func (t *Tree) openBest(h http.Header, r *http.Request, name string) (file fs.File, info fs.FileInfo, coding string, err error) {
	codings := []string{""}
	if t.Precompressed && len(h.Values("Content-Encoding")) == 0 {
		h.Add("Vary", "Accept-Encoding")
		codings = acceptedCodings(r.Header.Values("Accept-Encoding"))
	}
	for _, coding = range codings {
		if file, info, err = t.open(name + siblings[coding]); err == nil {
			break
		}
	}
	return file, info, coding, err
}

// acceptedCodings lists the codings of siblings that a request accepts and does
// not like less than none at all, best first, and then "", for none. That comes
// last even where identity;q=0 refuses it: RFC 9110, section 12.1, lets a server
// answer so, and a page that is readable serves better than a 406.
func acceptedCodings(header []string) []string {
	quality := map[string]float64{}
	for part := range strings.SplitSeq(strings.Join(header, ","), ",") {
		coding, weight, _ := strings.Cut(part, ";")
		switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
		case "x-gzip":
			quality["gzip"] = qualityOf(weight)
		case "br", "zstd", "gzip", "identity", "*":
			quality[coding] = qualityOf(weight)
		}
	}
	of := func(coding string) float64 {
		if q, named := quality[coding]; named {
			return q
		}
		return quality["*"]
	}
	codings := slices.DeleteFunc([]string{"br", "zstd", "gzip"}, func(c string) bool {
		return of(c) == 0 || of(c) < quality["identity"]
	})
	slices.SortStableFunc(codings, func(a, b string) int { return cmp.Compare(of(b), of(a)) })
	return append(codings, "")
}

// qualityOf reads "q=0.5". A weight that is wrong counts as 0.
func qualityOf(weight string) float64 {
	key, value, found := strings.Cut(weight, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(key), "q") {
		return 1
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(q >= 0 && q <= 1) { // NaN too
		return 0
	}
	return q
}

// setTag gives a file its ETag: where there is no time to tell two versions
// apart, and where two codings of one version have to be told apart.
func (t *Tree) setTag(h http.Header, file fs.File, info fs.FileInfo, name, coding string) error {
	end := `"`
	if coding != "" {
		end = "-" + coding + `"`
	}
	if own, quoted := strings.CutSuffix(h.Get("ETag"), `"`); quoted { // a middleware's, the same for every coding
		h.Set("ETag", own+end)
		return nil
	}
	changed := info.ModTime()
	told := changed.Year() > 1980 // archives and reproducible builds write an older one where they have none
	switch {
	case told && t.Precompressed:
		h.Set("ETag", fmt.Sprintf(`"%x-%x`, changed.UnixNano(), info.Size())+end)
	case !told:
		sum, err := t.sum(file, info, name+siblings[coding])
		if err != nil {
			return err
		}
		h.Set("ETag", `"`+sum+end)
	}
	return nil
}

// sum returns a hash of a file's bytes. Those of an embedded file cannot change,
// and its FileInfo is the same one whenever it is opened.
func (t *Tree) sum(file fs.File, info fs.FileInfo, name string) (string, error) {
	of := reflect.TypeOf(file)
	embedded := of.Kind() == reflect.Pointer && of.Elem().PkgPath() == "embed"
	if embedded {
		if sum, known := t.sums.Load(info); known {
			return sum.(string), nil
		}
	}
	again, err := t.FS.Open(name) // file may only be read once
	if err != nil {
		return "", err
	}
	defer again.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, again); err != nil {
		return "", err
	}
	sum := hex.EncodeToString(hash.Sum(nil)[:16])
	if embedded {
		t.sums.Store(info, sum)
	}
	return sum, nil
}

// setType sets the type of a file that is sent in a coding, whose bytes do not
// show it.
func (t *Tree) setType(h http.Header, name string) {
	if _, set := h["Content-Type"]; set {
		return
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = "application/octet-stream"
		if file, _, err := t.open(name); err == nil {
			head := make([]byte, sniffed)
			n, _ := io.ReadFull(file, head)
			kind = http.DetectContentType(head[:n])
			file.Close()
		}
	}
	h.Set("Content-Type", kind)
}

const sniffed = 512 // bytes, as many as http.DetectContentType reads

// A writer sets the headers that depend on the status, which is
// http.ServeContent's to decide.
type writer struct {
	http.ResponseWriter
	cacheControl string
	coding       string
	size         int64
}

func (w *writer) WriteHeader(status int) {
	switch h := w.Header(); {
	case status >= 400: // 412 and 416 have a body of their own, or none
		if w.coding != "" {
			h.Del("Content-Encoding")
		}
	default:
		if w.cacheControl != "" {
			h.Set("Cache-Control", w.cacheControl)
		}
		if w.coding != "" && status == http.StatusOK { // left out by ServeContent where there is a Content-Encoding
			h.Set("Content-Length", strconv.FormatInt(w.size, 10))
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// ReadFrom keeps the way open to a connection that sends an *os.File by itself.
func (w *writer) ReadFrom(r io.Reader) (int64, error) { return io.Copy(w.ResponseWriter, r) }

// DropHeaders takes away what has been set for a file, as http.FileServer does
// when it answers an error.
func DropHeaders(h http.Header) {
	for _, name := range []string{"Cache-Control", "Content-Encoding", "Etag", "Last-Modified"} {
		h.Del(name)
	}
}
