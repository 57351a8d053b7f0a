//go:build playground

// Package engine is what the playground does, without a browser: routes from
// text, registered in segue and in http.ServeMux, and requests followed through
// both. The WebAssembly program and the tests both call it.
package engine

import (
	"bytes"
	"compress/flate"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// An Engine holds the routes that were built last.
type Engine struct{ set *Set }

// Call answers one call of the page: a name, and arguments and answer as JSON.
// An error is part of the answer, since the page shows it. So is a panic: what
// somebody pastes is not to end the program, which the page cannot do without.
func (e *Engine) Call(name, args string) string {
	answer, err := e.guarded(name, []byte(args))
	if err != nil {
		answer = map[string]string{"error": err.Error()}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		return `{"error":"the answer is no JSON"}`
	}
	return b.String()
}

func (e *Engine) guarded(name string, args []byte) (answer any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the page made a mistake: %v", v)
		}
	}()
	return e.call(name, args)
}

func (e *Engine) call(name string, args []byte) (any, error) {
	var a struct {
		Text, Method, Target, Host, Preflight, Who string
		Millis                                     int
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	if e.set == nil {
		e.set = Build("")
	}
	switch name {
	case "build":
		e.set = Build(a.Text)
		return e.set, nil
	case "explain":
		return e.set.Explain(a.Method, a.Host, a.Target, a.Preflight)
	case "compiled":
		return e.set.Compiled(a.Method, a.Host), nil
	case "read":
		return Read(a.Text), nil
	case "bench":
		return e.set.Bench(a.Who, a.Millis)
	case "samples":
		return Samples(), nil
	case "pack":
		return pack(a.Text)
	case "unpack":
		return unpack(a.Text)
	}
	return nil, fmt.Errorf("no call %q", name)
}

//go:embed samples/*.txt
var samples embed.FS

// A Sample is something to start from.
type Sample struct {
	Name, Title, Text, Method, Target string
}

// Samples lists the samples, the first one is shown at the start.
func Samples() []Sample {
	all := []Sample{
		{Name: "users", Title: "Users, mounted routers", Method: "GET", Target: "/users/new/posts"},
		{Name: "github", Title: "GitHub's API", Method: "GET", Target: "/repos/golang/go/issues/7/comments"},
		{Name: "budget", Title: "Where the budget ends", Method: "GET", Target: "/a/b/c/d/e/f/g/h/i/j/k/x"},
	}
	for i := range all {
		text, err := samples.ReadFile("samples/" + all[i].Name + ".txt")
		if err != nil {
			panic(err)
		}
		all[i].Text = string(text)
	}
	return all
}

// pack makes text short enough for an address.
func pack(text string) (string, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := io.WriteString(w, text); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b.Bytes()), nil
}

// mostUnpacked bounds what an address that somebody made can unfold to.
const mostUnpacked = 1 << 20

func unpack(packed string) (string, error) {
	b, err := base64.RawURLEncoding.DecodeString(packed)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), mostUnpacked))
	return strings.ToValidUTF8(string(text), "\uFFFD"), err
}
