// Package workload is what segue is measured on: route sets, requests with
// realistic values, and http.ServeMux beside it. The tests, the benchmarks and
// the programs of the module in benchmarks share it.
package workload

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
)

// A Route is a route in the language of http.ServeMux.
type Route struct {
	Method, Host, Path string
}

// Pattern is what is registered, and what r.Pattern shows on a match.
func (r Route) Pattern() string {
	if r.Method == "" {
		return r.Host + r.Path
	}
	return r.Method + " " + r.Host + r.Path
}

// Names are the names of the route's wildcards, in order: of the host's, then of
// the path's.
func (r Route) Names() []string {
	var names []string
	if label, _, found := strings.Cut(r.Host, "."); found && wildcard(label) != "" {
		names = append(names, wildcard(label))
	}
	for seg := range strings.SplitSeq(r.Path, "/") {
		if name := wildcard(seg); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// wildcard is the name of a segment that is one, "" for any other.
func wildcard(seg string) string {
	if !strings.HasPrefix(seg, "{") || seg == "{$}" {
		return ""
	}
	return strings.TrimSuffix(seg[1:len(seg)-1], "...")
}

// A Call is a request and the answer that it must get.
type Call struct {
	Method, Host, Target string

	Status  int
	Pattern string   // of the route that answers, "" for a miss
	Values  []string // of its wildcards, in order
}

// call is a request that r answers, its wildcards filled by value. A rest has
// its dots there, since its values are others.
func (r Route) call(value func(wildcard string) string) Call {
	c := Call{Method: r.Method, Host: r.Host, Status: http.StatusOK, Pattern: r.Pattern()}
	if c.Host == "" {
		c.Host = "localhost"
	}
	if label, domain, found := strings.Cut(c.Host, "."); found && wildcard(label) != "" {
		c.Values = []string{value(wildcard(label))}
		c.Host = c.Values[0] + "." + domain
	}
	segs := strings.Split(strings.TrimSuffix(r.Path, "{$}"), "/")
	for i, seg := range segs {
		if wildcard(seg) != "" {
			segs[i] = value(seg[1 : len(seg)-1])
			c.Values = append(c.Values, segs[i])
		}
	}
	c.Target = strings.Join(segs, "/")
	return c
}

// Request is the call as net/http's server would parse it.
func (c Call) Request() *http.Request {
	text := c.Method + " " + c.Target + " HTTP/1.1\r\nHost: " + c.Host + "\r\n\r\n"
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	if err != nil {
		panic(fmt.Sprintf("workload: %s %s: %v", c.Method, c.Target, err))
	}
	return r
}

// A Set is a route set with the calls that it is measured by.
type Set struct {
	Name   string
	Routes []Route
	Calls  []Call
}

// values stands in for what clients send: of the lengths that such values have,
// and not the same everywhere. (The figures of other benchmarks were taken with
// each parameter's name for its value.)
var values = map[string][]string{
	"owner":        {"golang", "kubernetes", "rs", "segue-go", "torvalds"},
	"repo":         {"go", "linux", "segue", "awesome-selfhosted", "tools"},
	"repository":   {"go", "website"},
	"user":         {"octocat", "bradfitz", "a", "gopher-1984"},
	"target_user":  {"defunkt"},
	"assignee":     {"hubot"},
	"org":          {"github", "cncf", "the-apache-software-foundation"},
	"id":           {"1", "42", "17203", "9007199254740993"},
	"number":       {"1347", "7", "65123"},
	"sha":          {"6dcb09b5b57875f334f61aebed695e2e4193db5e", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
	"ref":          {"main", "v1.26.8"},
	"ref...":       {"heads/main", "tags/v1.26.8", "heads/dev.generics"},
	"path...":      {"README.md", "docs/guide/install.html", "src/net/http/server.go"},
	"branch":       {"main", "release-branch.go1.26"},
	"state":        {"open"},
	"keyword":      {"router", "http+middleware"},
	"email":        {"octocat@example.com"},
	"name":         {"bug", "good-first-issue", "vikram"},
	"client_id":    {"Iv1.8a61f9b3a7aba766"},
	"access_token": {"e72e16c7e42f292c6912e7710c838347ae178b4a"},
	"userId":       {"116899029375914044550", "me"},
	"activityId":   {"z12gtjhq3qn2xxl2o224exwiqruvtda0i", "z13hsb"},
	"commentId":    {"z12gtjhq3qn2xxl2o224exwiqruvtda0i.1344"},
	"collection":   {"public", "vault", "plusoners"},
	"className":    {"GameScore", "Post", "_Installation"},
	"objectId":     {"Ed1nuqPvcm", "g7y9tkhB7O"},
	"fileName":     {"hello.txt", "4b42a1c0-holiday-photo.jpg"},
	"eventName":    {"AppOpened", "search"},
}

// cycle gives each wildcard's values in turn.
func cycle() func(wildcard string) string {
	next := map[string]int{}
	return func(wildcard string) string {
		list := values[wildcard]
		if list == nil {
			list = []string{"x", "value", "longer-value-17"}
		}
		next[wildcard]++
		return list[next[wildcard]%len(list)]
	}
}

// newSet measures every route by one call.
func newSet(name string, routes []Route) Set {
	s := Set{Name: name, Routes: routes}
	value := cycle()
	for _, r := range routes {
		s.Calls = append(s.Calls, r.call(value))
	}
	return s
}
