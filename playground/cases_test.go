//go:build playground

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/playground/engine"
)

// A routerCase is one of the module's cases: see the README beside them.
type routerCase struct {
	Name     string
	Routes   []struct{ Dialect, Pattern, Mount string }
	Refused  bool
	Requests []struct {
		Method, Target, Host string
		Want                 struct {
			Status                   int
			Pattern, Location, Allow *string
			Params                   map[string]string
		}
	}
}

// text is the case as one writes it into the editor.
func (c routerCase) text() string {
	var b strings.Builder
	var mounts []string
	lines := map[string][]string{}
	for _, r := range c.Routes {
		line := r.Pattern
		switch {
		case r.Dialect == "mux":
			line = "Handle " + line
		case strings.HasPrefix(line, "/"):
			line = "Any " + line
		}
		if lines[r.Mount] == nil {
			mounts = append(mounts, r.Mount)
		}
		lines[r.Mount] = append(lines[r.Mount], line)
	}
	for _, mount := range mounts {
		indent := ""
		if mount != "" {
			b.WriteString("mount " + mount + "\n")
			indent = "  "
		}
		for _, line := range lines[mount] {
			b.WriteString(indent + line + "\n")
		}
	}
	return b.String()
}

func cases(t *testing.T) []routerCase {
	files, err := filepath.Glob("../internal/conformance/testdata/cases/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all []routerCase
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var some []routerCase
		require.NoError(t, json.Unmarshal(text, &some), file)
		all = append(all, some...)
	}
	return all
}

// A call is what the page asks the engine.
type call struct{ name, args string }

func arguments(t *testing.T, name string, args map[string]string) call {
	text, err := json.Marshal(args)
	require.NoError(t, err)
	return call{name, string(text)}
}

// calls is what a person would do with all cases and samples.
func calls(t *testing.T) []call {
	all := []call{{"samples", "{}"}, arguments(t, "pack", map[string]string{"text": "GET /ü"}), {"nonsense", "{}"}}
	for _, c := range cases(t) {
		all = append(all, arguments(t, "build", map[string]string{"text": c.text()}))
		for _, q := range c.Requests {
			all = append(all, arguments(t, "explain", map[string]string{"method": q.Method, "target": q.Target, "host": q.Host}),
				arguments(t, "compiled", map[string]string{"method": q.Method, "host": q.Host}))
		}
	}
	programs, err := filepath.Glob("testdata/programs/*.txt")
	require.NoError(t, err)
	for _, file := range programs {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all = append(all, arguments(t, "read", map[string]string{"text": string(text)}), arguments(t, "build", map[string]string{"text": engine.Read(string(text)).Text}),
			arguments(t, "explain", map[string]string{"method": "OPTIONS", "target": "/users/7", "preflight": "PUT"}))
	}
	for _, s := range engine.Samples() {
		all = append(all, arguments(t, "build", map[string]string{"text": s.Text}))
		for _, target := range []string{s.Target, "/", s.Target + "/x", "/users/", "//", "*"} {
			all = append(all, arguments(t, "explain", map[string]string{"method": s.Method, "target": target}))
		}
	}
	return all
}

// The router in the browser gives the answers of the native one, to the letter.
func TestBrowserAnswersAsNative(t *testing.T) {
	b := open(t, "")
	var native engine.Engine
	compared := 0
	for _, c := range calls(t) {
		want, got := native.Call(c.name, c.args), b.call(c.name, c.args)
		require.Equal(t, want, got, "%s %s", c.name, c.args)
		compared++
	}
	t.Logf("%d answers", compared)
}

// What the page shows of a case is what the case wants.
func TestCases(t *testing.T) {
	for _, c := range cases(t) {
		set := engine.Build(c.text())
		require.Equal(t, c.Refused, len(set.Problems) > 0, "%s: %v", c.Name, set.Problems)
		for _, q := range c.Requests {
			e, err := set.Explain(q.Method, cmp.Or(q.Host, "localhost"), q.Target, "")
			if err != nil {
				assert.Equal(t, 400, q.Want.Status, "%s: %v", c.Name, err)
				continue
			}
			compare(t, c, q.Target, e.Segue, q.Want.Status, q.Want.Pattern, q.Want.Location, q.Want.Allow, q.Want.Params)
			assert.Equal(t, e.Lookup.Status, e.Segue.Status, "%s: %s", c.Name, q.Target)
			assert.Equal(t, e.Lookup.Params, e.Segue.Params, "%s: %s", c.Name, q.Target)
		}
	}
}

func compare(t *testing.T, c routerCase, target string, got engine.Answer, status int, pattern, location, allow *string, params map[string]string) {
	where := c.Name + ": " + target
	assert.Equal(t, status, got.Status, where)
	if pattern != nil && status == 200 {
		assert.Equal(t, *pattern, got.Pattern, where)
	}
	if location != nil {
		assert.Equal(t, *location, got.Location, where)
	}
	if allow != nil {
		assert.Equal(t, *allow, got.Allow, where)
	}
	for name, want := range params {
		value := "" // a name that the route does not have
		for _, p := range got.Params {
			if p.Name == name {
				value = p.Value
			}
		}
		assert.Equal(t, want, value, where)
	}
}

// Wherever the two routers differ on a case, the page knows why.
func TestEveryDifferenceHasAReason(t *testing.T) {
	differ := 0
	for _, c := range cases(t) {
		set := engine.Build(c.text())
		for _, q := range c.Requests {
			e, err := set.Explain(q.Method, q.Host, q.Target, "")
			if err != nil || len(e.Differs) == 0 {
				continue
			}
			differ++
			assert.NotEmpty(t, e.Reasons, "%s: %s %s: %v", c.Name, q.Method, q.Target, e.Differs)
			assert.NotContains(t, e.Reasons, "", "%s: %s %s: %v", c.Name, q.Method, q.Target, e.Differs)
		}
	}
	assert.Positive(t, differ)
}

func TestSampleIsTheModulesSet(t *testing.T) {
	want, err := os.ReadFile("../testdata/routes/github.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), engine.Samples()[1].Text)
	for _, s := range engine.Samples() {
		assert.Empty(t, engine.Build(s.Text).Problems, s.Name)
	}
}

func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		`GET /a/:b name here`:                    "GET /a/{b}",
		`  Handle GET h/a/ files`:                "GET h/a/",
		`HandleFunc /a/{x...}`:                   "/a/{x...}",
		`/plain/ x`:                              "/plain/",
		`example.com/x`:                          "example.com/x",
		`Any /x`:                                 "/x",
		`PURGE /x`:                               "PURGE /x",
		`app.GET("/users/{id}", show)`:           "GET /users/{id}",
		`app.get('/users/:id', (req, res) => 1)`: "GET /users/{id}",
		`r.Get("/x/{y}", h)`:                     "GET /x/{y}",
		`mux.HandleFunc("POST /x", h)`:           "POST /x",
		"mux.Handle(`/x/`, h)":                   "/x/",
	} {
		set := engine.Build("# comment\n\n" + text + "\n// end")
		if assert.Len(t, set.Routes, 1, "%s: %v", text, set.Problems) {
			assert.Equal(t, want, set.Routes[0].Pattern, text)
			assert.Equal(t, 3, set.Routes[0].Line)
		}
	}
	for text, column := range map[string]int{
		"GET /a/{": 7, "  GET   /ü/x{y}": 11, "Handle /a/:b": 10, "Handle get /": 7, "get /x": 0, `app.GET("/a/{", x)`: 12, "mount /a/*x": 9, "mount a": 6, "GET": 3, "GET x": 4, "Handle": 6,
		"G[T /x": 1,
	} {
		set := engine.Build(text)
		if assert.Len(t, set.Problems, 1, text) {
			assert.Equal(t, column, set.Problems[0].Column, "%s: %+v", text, set.Problems[0])
		}
	}
}

// Whatever one types is registered or refused, and can be followed.
func FuzzBuild(f *testing.F) {
	for _, s := range engine.Samples() {
		f.Add(s.Text, s.Method, s.Target, "")
	}
	f.Add("mount /{a}\n mount /{a}\n  GET /\n\tHandle h/ x\nmount /", "CONNECT", "*", "")
	f.Add("Handle\t \nAny\napp.get('/:x'", "OPTIONS", "//", "PUT")
	f.Fuzz(func(t *testing.T, text, method, target, preflight string) {
		set := engine.Build(text)
		for _, p := range set.Problems {
			if p.Column > len(p.Text) {
				t.Errorf("column %d in %q", p.Column, p.Text)
			}
		}
		e, err := set.Explain(method, "", target, preflight)
		if err == nil && e.Lookup.Status != e.Segue.Status {
			t.Errorf("%+v, but served %+v", e.Lookup, e.Segue)
		}
	})
}

// A host with a parameter is asked after the exact host and before none. The page
// shows its steps, lights its compiled trie, and says why ServeMux answers otherwise.
func TestHostsWithAParameter(t *testing.T) {
	set := engine.Build("Handle {tenant}.example.com/users/{id}\nHandle acme.example.com/users/{id}\nHandle /users/{id}\nmount {tenant}.group.org\n  GET /x\n  NotFound lost")
	require.Empty(t, set.Problems)
	for host, want := range map[string]string{
		"bob.example.com":     "{tenant}.example.com/users/{id} [{tenant bob} {id 7}]",
		"Acme.example.com:80": "acme.example.com/users/{id} [{id 7}]",
		"example.com":         "/users/{id} [{id 7}]",
	} {
		e, err := set.Explain("GET", host, "/users/7", "")
		require.NoError(t, err)
		assert.Equal(t, want, fmt.Sprint(e.Segue.Pattern, " ", e.Segue.Params), host)
		require.Len(t, e.Steps, 2, host)
		for _, step := range e.Steps {
			assert.NotEmpty(t, step.Compiled, "%s: %s is not lit", host, step.Segment)
		}
	}
	e, err := set.Explain("GET", "bob.example.com", "/users/7", "")
	require.NoError(t, err)
	assert.NotEmpty(t, e.Reasons, "ServeMux refuses the host: %+v", e.Mux)
	e, err = set.Explain("GET", "bob.group.org", "/nope", "")
	require.NoError(t, err)
	require.NotNil(t, e.Miss)
	assert.Equal(t, "{tenant}.group.org lost", e.Miss.Prefix+" "+e.Miss.Handler)
}
