package filetable

// This file asks a server, and writes its answer as a cell of the page.

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// A server is one that runs.
type server struct{ address string }

// standIns are the words in braces of a request. {etag} is what the server itself
// says of the file.
var standIns = strings.NewReplacer(
	"{time}", changed.Format(http.TimeFormat),
	"{before}", changed.Add(-time.Hour).Format(http.TimeFormat),
	"{after}", changed.Add(time.Hour).Format(http.TimeFormat),
	"{long}", strings.Repeat("x", 300),
)

// ask returns what a server answers to a request, as a cell.
func (s *server) ask(r request) (string, error) {
	tag := ""
	if strings.Contains(strings.Join(r.headers, ""), "{etag}") {
		var err error
		if tag, err = s.etag(r); err != nil {
			return "", err
		}
		if tag == "" {
			return "no ETag", nil
		}
	}
	var lines []string
	for _, header := range r.headers {
		lines = append(lines, strings.ReplaceAll(standIns.Replace(header), "{etag}", tag))
	}
	answer, body, err := s.exchange(r.method, standIns.Replace(r.target), lines)
	if err != nil {
		return "", err
	}
	return cell(answer, body, r.shown), nil
}

// etag returns the ETag of the file that a request is for, in the coding that the
// request asks for.
func (s *server) etag(r request) (string, error) {
	var headers []string
	for _, header := range r.headers {
		if strings.HasPrefix(header, "Accept-Encoding:") {
			headers = append(headers, header)
		}
	}
	answer, _, err := s.exchange(http.MethodGet, r.target, headers)
	if err != nil {
		return "", err
	}
	return answer.Header.Get("ETag"), nil
}

// exchange sends a request on a connection of its own. No client mends the path
// or decodes the body.
func (s *server) exchange(method, target string, headers []string) (*http.Response, string, error) {
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		return nil, "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil { // a server that hangs
		return nil, "", err
	}
	lines := append([]string{method + " " + target + " HTTP/1.1", "Host: localhost", "Connection: close"}, headers...)
	if method != http.MethodGet && method != http.MethodHead {
		lines = append(lines, "Content-Length: 0")
	}
	if _, err := io.WriteString(conn, strings.Join(lines, "\r\n")+"\r\n\r\n"); err != nil {
		return nil, "", err
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		return nil, "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if errors.Is(err, io.ErrUnexpectedEOF) { // less than Content-Length says
		body, err = append(body, cut...), nil
	}
	return answer, string(body), err
}

// cut ends a body that ends too early.
const cut = " (cut short)"

// cell writes an answer: the status with the body or where it leads, and the
// headers that the row shows.
func cell(answer *http.Response, body string, shown []string) string {
	said := ""
	switch h := answer.Header; {
	case strings.HasPrefix(h.Get("Content-Type"), "multipart/byteranges"):
		said = fmt.Sprintf("%d parts", strings.Count(body, "Content-Range:"))
	case answer.StatusCode == http.StatusOK || answer.StatusCode == http.StatusPartialContent:
		said = body
		if first, _, more := strings.Cut(body, "\n"); more || len(body) > 40 {
			said = first[:min(len(first), 40)] + "…"
		}
	case h.Get("Location") != "":
		said = h.Get("Location")
	case h.Get("Allow") != "":
		said = h.Get("Allow")
	case strings.HasSuffix(body, cut):
		said = cut
	}
	text := "`" + strings.TrimSpace(fmt.Sprint(answer.StatusCode, " ", strings.TrimSpace(said))) + "`"
	for _, name := range shown {
		switch value := answer.Header.Get(name); {
		case value == "":
			text += ", no " + name
		case name == "ETag" && strings.HasPrefix(value, "W/"):
			text += ", weak ETag"
		case name == "ETag":
			text += ", ETag"
		case value == changed.Format(http.TimeFormat):
			text += ", `" + name + ": {time}`"
		default:
			text += ", `" + name + ": " + value + "`"
		}
	}
	return text
}
