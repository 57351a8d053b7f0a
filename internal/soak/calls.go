package main

import (
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A call is a request and the answer that it must get, which is written down
// here without asking the router.
type call struct {
	*kind
	id     string // no two calls have the same
	method string
	host   string // "" for the server's address
	target string
	body   string
	app    *era // whose added route it asks for; nil for what every app has
	layers layers
	want   want
}

// A want is what must come back.
type want struct {
	status int
	header map[string]string
	body   io.Reader // nil for none
	ends   ending
	bare   bool // not by way of the app's middleware
}

// An ending is how an answer ends.
type ending int

const (
	whole  ending = iota
	cut           // breaks off behind some of the body
	absent        // nothing comes
	either        // whole or cut, as time will have it
)

// A kind of calls.
type kind struct {
	name   string
	weight int
	http2  bool // it is asked by HTTP/2 alone
	slow   bool // it takes long on purpose
	closes bool // the connection of HTTP/1.1 ends with it
	make   func(c *call, choose *rand.Rand)
}

// kinds are all that clients ask for. An added route is the grower's to give.
var kinds = []*kind{
	{name: "echo", weight: 100, make: echo},
	{name: "echo of a body", weight: 30, make: echoBody},
	{name: "rest", weight: 20, make: rest},
	{name: "rest of Handle", weight: 20, make: mux},
	{name: "9 parameters", weight: 20, make: nine},
	{name: "mounted twice", weight: 20, make: mountedTwice},
	{name: "PathValues(false)", weight: 30, make: lean},
	{name: "ServeMux mounted", weight: 20, make: plain},
	{name: "TimeoutHandler in time", weight: 10, make: inTime},
	{name: "TimeoutHandler too late", weight: 10, slow: true, make: late},
	{name: "kept", weight: 20, make: keep},
	{name: "stream", weight: 10, make: stream},
	{name: "large", weight: 5, make: large},
	{name: "static", weight: 10, make: static},
	{name: "HEAD", weight: 10, make: head},
	{name: "OPTIONS", weight: 10, make: options},
	{name: "redirect", weight: 10, make: redirect},
	{name: "404", weight: 10, make: notFound},
	{name: "404 of NotFound", weight: 10, make: lost},
	{name: "405", weight: 10, make: notAllowed},
	{name: "error list", weight: 10, make: failing},
	{name: "panic, recovered", weight: 10, make: panicRecovered},
	{name: "panic, recovered, begun", weight: 4, closes: true, make: panicRecoveredBegun},
	{name: "panic", weight: 4, closes: true, make: panicBare},
	{name: "panic, begun", weight: 4, closes: true, make: panicBegun},
	{name: "hang up", weight: 5, closes: true, make: hangUp},
	{name: "hijack refused", weight: 2, http2: true, make: hijackRefused},
}

// Kinds that are not drawn by weight.
var (
	addedKind       = &kind{name: "added route"}
	hijackedKind    = &kind{name: "hijack", closes: true}
	waitingKind     = &kind{name: "shutdown", slow: true}
	slowKind        = &kind{name: "large, read slowly", slow: true}
	stalledBodyKind = &kind{name: "body in halves", slow: true}
	stalledKind     = &kind{name: "large, never read", slow: true, closes: true}
)

var allKinds = append(slices.Clone(kinds), addedKind, hijackedKind, waitingKind, slowKind, stalledBodyKind, stalledKind)

// valueOf is what a parameter of this name is in the path of a call with this
// id.
func valueOf(name, id string) string {
	switch name {
	case "id":
		return id
	case "path":
		return "a/b/" + id
	}
	return name + "-" + id
}

// escaped is a parameter's value as it stands in the path.
func escaped(name, id string) string {
	return strings.TrimSuffix(valueOf(name, id), id) + url.PathEscape(id)
}

// path fills a pattern's wildcards.
func path(pattern, id string) string {
	segs := strings.Split(pattern, "/")
	for i, seg := range segs {
		if name, ok := strings.CutPrefix(seg, "{"); ok {
			segs[i] = escaped(strings.TrimRight(name, ".}"), id)
		}
	}
	return strings.Join(segs, "/")
}

// reported is what a handler must say about the call.
func (c *call) reported(method, pattern string, filled bool, names ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q\n", method, pattern)
	for _, name := range names {
		value, pathValue := valueOf(name, c.id), ""
		if filled {
			pathValue = value
		}
		fmt.Fprintf(&b, "%s %q %q %q\n", name, value, value, pathValue)
	}
	fmt.Fprintf(&b, "header %q\n", url.PathEscape(c.id))
	return b.String()
}

// echoed is the whole body of handlers.echo.
func (c *call) echoed(method, pattern string, filled bool, names ...string) io.Reader {
	sum := fnv.New64a()
	io.WriteString(sum, c.body)
	return strings.NewReader(fmt.Sprintf("%sbody %d %x\n", c.reported(method, pattern, filled, names...), len(c.body), sum.Sum64()))
}

// get makes c a GET of a path whose pattern is shown as it is written.
func (c *call) get(prefix string, filled bool, pattern string, names ...string) {
	c.method, c.target = "GET", path(pattern, c.id)
	c.want.status = http.StatusOK
	c.want.body = c.echoed("GET", prefix+pattern, filled, names...)
}

func echo(c *call, _ *rand.Rand) { c.get("GET ", true, "/echo/{id}", "id") }

func echoBody(c *call, choose *rand.Rand) {
	c.method, c.target = "POST", path("/echo/{id}", c.id)
	c.body = strings.Repeat(c.id+"\n", 1+choose.IntN(100))
	c.want.status = http.StatusOK
	c.want.body = c.echoed("POST", "POST /echo/{id}", true, "id")
}

func rest(c *call, _ *rand.Rand) { c.get("GET ", true, "/files/{path...}", "path") }

func mux(c *call, _ *rand.Rand) { c.get("", true, "/mux/{id}/{path...}", "id", "path") }

func nine(c *call, _ *rand.Rand) {
	c.get("GET ", true, "/{a}/deep/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{id}", "a", "b", "c", "d", "e", "f", "g", "h", "id")
}

func mountedTwice(c *call, choose *rand.Rand) {
	if choose.IntN(2) == 0 {
		c.get("GET ", true, "/one/{id}", "id")
	} else {
		c.get("GET ", true, "/two/{tenant}/{id}", "tenant", "id")
	}
}

func lean(c *call, _ *rand.Rand) {
	c.get("GET ", false, "/lean/{tenant}/{id}/x/{sub}", "tenant", "id", "sub")
}

func plain(c *call, _ *rand.Rand) {
	c.method, c.target = "GET", path("/plain/{tenant}/x/{id}/{path...}", c.id)
	c.want.status = http.StatusOK
	c.want.body = strings.NewReader(c.reported("GET", "GET /x/{id}/{path...}", true, "id", "path", "tenant"))
}

func inTime(c *call, _ *rand.Rand) { c.get("GET ", true, "/intime/{tenant}/{id}", "tenant", "id") }

func late(c *call, choose *rand.Rand) {
	pattern := []string{"/late/{tenant}/{id}", "/lean/{tenant}/late/{id}"}[choose.IntN(2)]
	c.method, c.target = "GET", path(pattern, c.id)
	c.want.status, c.want.body = http.StatusServiceUnavailable, strings.NewReader("too late\n")
}

func keep(c *call, choose *rand.Rand) {
	if choose.IntN(2) == 0 {
		c.get("GET ", true, "/keep/{id}/{sub}", "id", "sub")
	} else {
		c.get("GET ", false, "/lean/{tenant}/keep/{id}/{sub}", "tenant", "id", "sub")
	}
}

func stream(c *call, choose *rand.Rand) {
	n := choose.IntN(20)
	c.method, c.target = "GET", fmt.Sprintf("%s/%d", path("/stream/{id}", c.id), n)
	c.want.status, c.want.body = http.StatusOK, c.lines(n)
}

func (c *call) lines(n int) io.Reader {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d %s\n", i, c.id)
	}
	return strings.NewReader(b.String())
}

func large(c *call, choose *rand.Rand) { c.larger(choose.IntN(300_000)) }

func (c *call) larger(n int) {
	c.method, c.target = "GET", fmt.Sprintf("%s/%d", path("/large/{id}", c.id), n)
	c.want.status, c.want.body = http.StatusOK, newFiller(c.id, n)
}

func static(c *call, choose *rand.Rand) {
	names, _ := fs.Glob(sources, "*.go")
	name := names[choose.IntN(len(names))]
	text, _ := fs.ReadFile(sources, name)
	c.method, c.target = "GET", "/static/"+name
	c.want.status, c.want.body = http.StatusOK, strings.NewReader(string(text))
}

func head(c *call, _ *rand.Rand) {
	c.get("GET ", true, "/echo/{id}", "id")
	c.method = "HEAD"
	text, _ := io.ReadAll(c.echoed("HEAD", "GET /echo/{id}", true, "id"))
	c.want.header = map[string]string{"Content-Length": fmt.Sprint(len(text))}
	c.want.body = nil
}

const allowed = "GET, HEAD, OPTIONS, POST"

func options(c *call, _ *rand.Rand) {
	c.method, c.target = "OPTIONS", path("/echo/{id}", c.id)
	c.want.status, c.want.header = http.StatusNoContent, map[string]string{"Allow": allowed}
}

func notAllowed(c *call, _ *rand.Rand) {
	c.method, c.target = "DELETE", path("/echo/{id}", c.id)
	c.want.status, c.want.header = http.StatusMethodNotAllowed, map[string]string{"Allow": allowed}
	c.want.body = strings.NewReader("Method Not Allowed\n")
}

func redirect(c *call, choose *rand.Rand) {
	location := path("/echo/{id}", c.id)
	c.method, c.target = "GET", []string{location + "/", "/" + location, "/x/.." + location}[choose.IntN(3)]
	if choose.IntN(2) == 0 {
		c.target, location = c.target+"?q=a%20b&r", location+"?q=a%20b&r"
	}
	c.want.status, c.want.header = http.StatusTemporaryRedirect, map[string]string{"Location": location}
	c.want.body = strings.NewReader(`<a href="` + html.EscapeString(location) + "\">Temporary Redirect</a>.\n\n")
}

func notFound(c *call, _ *rand.Rand) {
	c.method, c.target = "GET", path("/nowhere/{id}", c.id)
	c.missing()
}

func (c *call) missing() {
	c.want.status, c.want.body = http.StatusNotFound, strings.NewReader("404 page not found\n")
}

func lost(c *call, _ *rand.Rand) {
	c.method, c.target = "GET", path("/lost/{tenant}/{id}", c.id)
	c.want.status = http.StatusNotFound
	c.want.body = strings.NewReader(fmt.Sprintf("lost %q %q\n", "", url.PathEscape(c.id)))
}

func failing(c *call, _ *rand.Rand) {
	c.guarded("/safe/{tenant}/fail/{id}", http.StatusTeapot, fmt.Sprintf("no tea for %q", c.id))
}

func panicRecovered(c *call, _ *rand.Rand) {
	c.guarded("/safe/{tenant}/panic/{id}", http.StatusInternalServerError, "Internal Server Error")
}

// guarded is a call that ends in the error list of the guarded router.
func (c *call) guarded(pattern string, status int, message string) {
	c.method, c.target = "GET", path(pattern, c.id)
	c.want.status = status
	c.want.body = strings.NewReader(c.reported("GET", "GET "+pattern, true, "tenant", "id") + message + "\n")
}

func panicRecoveredBegun(c *call, _ *rand.Rand) { c.breaksOff("/safe/{tenant}/panic/{id}/begun") }

func panicBegun(c *call, _ *rand.Rand) { c.breaksOff("/panic/{id}/begun") }

func hangUp(c *call, _ *rand.Rand) { c.breaksOff("/abort/{id}") }

// breaksOff is a call whose handler stops in the middle of the answer.
func (c *call) breaksOff(pattern string) {
	c.method, c.target = "GET", path(pattern, c.id)
	c.want.status, c.want.ends, c.want.body = http.StatusOK, cut, c.lines(3)
}

func panicBare(c *call, choose *rand.Rand) {
	pattern := []string{"/panic/{id}", "/intime/{tenant}/panic/{id}"}[choose.IntN(2)]
	c.method, c.target = "GET", path(pattern, c.id)
	c.want.ends = absent
}

func hijackRefused(c *call, _ *rand.Rand) {
	c.method, c.target = "GET", path("/hijack/{id}", c.id)
	c.want.status, c.want.body = http.StatusNotImplemented, strings.NewReader("no hijacking\n")
}
