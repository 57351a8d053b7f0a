package segue

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkReply compares Text and JSON with the same answer by hand, to a
// writer that drops bytes; the header map is kept from one round to the next.
//
//	go test -run '^$' -bench Reply -count 6
func BenchmarkReply(b *testing.B) {
	text := strings.Repeat("a", 100<<10)
	large := make([]*replyPoint, 200)
	for i := range large {
		large[i] = examplePoint
	}
	for _, bb := range []struct {
		name string
		f    func(w http.ResponseWriter)
	}{
		{"kind=text/by=segue", func(w http.ResponseWriter) { _ = Text(w, 200, "hello, world") }},
		{"kind=text/by=hand", func(w http.ResponseWriter) { textByHand(w, 200, "hello, world") }},
		{"kind=text2KB/by=segue", func(w http.ResponseWriter) { _ = Text(w, 200, text[:2048]) }},
		{"kind=text2KB/by=hand", func(w http.ResponseWriter) { textByHand(w, 200, text[:2048]) }},
		{"kind=text100KB/by=segue", func(w http.ResponseWriter) { _ = Text(w, 200, text) }},
		{"kind=text100KB/by=hand", func(w http.ResponseWriter) { textByHand(w, 200, text) }},
		{"kind=json/by=segue", func(w http.ResponseWriter) { _ = JSON(w, 200, examplePoint) }},
		{"kind=json/by=hand", func(w http.ResponseWriter) { jsonByHand(w, 200, examplePoint) }},
		{"kind=json10KB/by=segue", func(w http.ResponseWriter) { _ = JSON(w, 200, large) }},
		{"kind=json10KB/by=hand", func(w http.ResponseWriter) { jsonByHand(w, 200, large) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			w := &nullWriter{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				bb.f(w)
			}
		})
	}
}

// BenchmarkReplyParallel shows what the memory for headers costs when all cores
// ask for it.
func BenchmarkReplyParallel(b *testing.B) {
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		w := &nullWriter{http.Header{}}
		for pb.Next() {
			_ = Text(w, 200, "hello, world")
		}
	})
}

// BenchmarkDecode compares Decode with reading and json.Unmarshal by hand.
func BenchmarkDecode(b *testing.B) {
	body := []byte(`{"x":1,"y":2,"name":"here","tags":["a","b"]}`)
	reader := bytes.NewReader(nil)
	r := jsonRequest("")
	r.Body = io.NopCloser(reader)
	r.ContentLength = int64(len(body))
	w := &nullWriter{http.Header{}}
	for _, bb := range []struct {
		name string
		f    func() (replyPoint, error)
	}{
		{"by=segue", func() (replyPoint, error) { return Decode[replyPoint](w, r) }},
		{"by=hand", func() (p replyPoint, err error) {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
			if err == nil {
				err = json.Unmarshal(body, &p)
			}
			return p, err
		}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				reader.Reset(body)
				if _, err := bb.f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func textByHand(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

func jsonByHand(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
