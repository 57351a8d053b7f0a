//go:build playground

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/segue-go/segue/playground/engine"
)

func TestRequestFollowsTheWay(t *testing.T) {
	b := open(t, "")
	assert.Equal(t, "13 routes", b.text("#count"))
	assert.Equal(t, "/ users {id} posts", b.lit())

	b.write("#target", "/orgs/acme/users/7")
	b.key(kb.Enter)
	assert.Equal(t, "/ orgs {org} users {id}", b.lit())
	assert.Contains(t, b.text("#segue"), "200")
	assert.Contains(t, b.text("#segue"), "GET /orgs/{org}/users/{id}")
	assert.Contains(t, b.text("#segue"), `org = "acme"`)
	assert.Contains(t, b.text("#segue"), `id = "7"`)
	assert.Contains(t, b.text("#mux"), "GET /orgs/{org}/users/{id}")
	assert.Equal(t, 4, eval[int](b, `document.querySelectorAll("#steps li.lit").length`))
	assert.Equal(t, 2, eval[int](b, `document.querySelectorAll("#gutter i").length + 1`), "the line of the route is marked")

	// Each step is a button that lights the way up to it.
	b.click("#steps li:nth-child(2) button")
	assert.Equal(t, "/ orgs {org}", b.lit())
	assert.Equal(t, "step", eval[string](b, `document.querySelector("#steps li:nth-child(2) button").getAttribute("aria-current")`))
}

func TestTheWayLightsUpStepByStep(t *testing.T) {
	b := open(t, "")
	b.run(`globalThis.seen = [];
		new MutationObserver(() => seen.push(document.body.dataset.step)).observe(document.body, {attributes: true, attributeFilter: ["data-step"]})`)
	b.write("#target", "/users/new/posts")
	b.key(kb.Enter)
	assert.Equal(t, "30123", eval[string](b, `seen.join("")`), "at once as typed, then step by step")
}

func TestMissAndNearest(t *testing.T) {
	b := open(t, "#s=users&m=GET&p=/usres/7")
	assert.Contains(t, b.text("#segue"), "404")
	assert.Contains(t, b.text("#mux"), "404")
	assert.Contains(t, b.text("#steps"), "no route goes on here")
	assert.Contains(t, b.text("#nearest"), "GET /users/{id}")
	assert.Contains(t, b.text("#nearest"), "2 letters differ")

	b.write("#method", "PATCH")
	b.write("#target", "/users/7")
	b.key(kb.Enter)
	assert.Contains(t, b.text("#segue"), "405")
	assert.Contains(t, b.text("#segue"), "Allow: DELETE, GET, HEAD")
	assert.Contains(t, b.text("#nearest"), "the same path by another method")

	b.write("#target", "no slash")
	b.key(kb.Enter)
	assert.Contains(t, b.text("#ended"), "begins with a slash")
	assert.Empty(t, b.text("#segue .answer"))
	assert.Empty(t, b.text("#steps"))

	b.write("#target", "/users/7")
	assert.Contains(t, b.text("#segue"), "405")
	assert.Equal(t, "/users/7", eval[string](b, `new URLSearchParams(location.hash.slice(1)).get("p")`))
}

func TestEditorShowsWhatIsRefused(t *testing.T) {
	b := open(t, "")
	b.write("#text", "GET /users/{id}\nGET /users/{name\nGET /users/:other\nHandle get /x\nGET /ok")
	assert.Equal(t, 3, eval[int](b, `document.querySelectorAll("#problems li").length`))
	assert.Equal(t, "2 routes, 3 lines refused", b.text("#count"), "the other lines stay live")

	first := eval[string](b, `document.querySelector("#problems pre").textContent`)
	assert.Equal(t, "2  GET /users/{name\n              ^", first)
	assert.Contains(t, b.text("#problems li:nth-child(1)"), "the brace is not closed; write {name}")
	assert.Contains(t, b.text("#problems li:nth-child(2)"), "(line 1)")
	assert.Contains(t, b.text("#problems li:nth-child(3)"), "write GET")
	assert.Equal(t, "4  Handle get /x\n          ^", eval[string](b, `document.querySelector("#problems li:nth-child(3) pre").textContent`))
	assert.Equal(t, "{", eval[string](b, `document.querySelector("#marks .wrong").textContent`))

	// The error leads to its place.
	b.click("#problems li:nth-child(1) button")
	assert.Equal(t, 27, eval[int](b, `document.querySelector("#text").selectionStart`))
	b.write("#target", "/ok")
	assert.Contains(t, b.text("#segue"), "GET /ok")

	// Mending the line makes it live.
	b.write("#text", "GET /users/{id}\nGET /a/{name}\nGET /ok")
	assert.Equal(t, "3 routes", b.text("#count"))
	assert.Equal(t, 0, eval[int](b, `document.querySelectorAll("#problems li").length`))
}

func TestServeMuxRefuses(t *testing.T) {
	b := open(t, "")
	b.write("#text", "GET /{a}/x\nGET /y/{b}\nGET /z")
	b.write("#target", "/y/x")
	assert.Contains(t, b.text("#mux"), "refuses 1 of these 3 routes")
	b.click("#mux summary")
	assert.Contains(t, b.text("#mux"), "line 2")
	assert.Contains(t, b.text("#mux"), "conflicts with pattern")
	assert.Contains(t, b.text("#segue"), "GET /y/{b}")
	assert.Contains(t, b.text("#mux"), "another answer")
}

func TestCompiledTrie(t *testing.T) {
	b := open(t, "#s=users&m=GET&p=/users/new/posts&v=compiled")
	assert.Equal(t, "/ users new posts", b.lit())
	assert.Contains(t, eval[string](b, `document.querySelector("#drawing").textContent`), "2 merged: /users/new, /users/{id}")
	assert.Contains(t, b.text("#legend"), "merged")
	assert.Equal(t, "as compiled for GET", b.text(".switch label:last-child"))
	b.click(".switch label:first-child")
	assert.Equal(t, "/ users {id} posts", b.lit())
}

func TestCompiledTrieSideBySide(t *testing.T) {
	b := open(t, "#s=budget&m=GET&p=/x/x/x/x/x/x/x/x/x/x/x/l&v=compiled")
	assert.Contains(t, b.text("#legend"), "left side by side")
	assert.Contains(t, b.text("#segue"), "GET /{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j}/{k}/l")
	b.write("#target", "/a/b/c/d/e/f/g/h/i/j/k/l")
	assert.Contains(t, b.text("#steps"), "side by side")
}

func TestHundredsOfRoutes(t *testing.T) {
	b := open(t, "#s=github")
	assert.Equal(t, 207, eval[int](b, `parseInt(document.querySelector("#count").innerText)`))
	assert.Equal(t, "/ repos {owner} {repo} issues {number} comments", b.lit())
	// The way is in view, and can be read.
	assert.Greater(t, eval[float64](b, `Math.min(...[...document.querySelectorAll("g.node.lit .label")].map(e => e.getBoundingClientRect().height))`), 8.0)
	assert.True(t, eval[bool](b, `(() => { const box = document.querySelector("#drawing").getBoundingClientRect();
		return [...document.querySelectorAll("g.node.lit .label")].every(e => { const r = e.getBoundingClientRect(); return r.top >= box.top && r.bottom <= box.bottom }) })()`))
	b.checkLabels()
	b.click("#all")
	b.checkLabels()
}

// checkLabels checks that no label lies on another.
func (b *tab) checkLabels() {
	b.Helper()
	assert.Empty(b, eval[[]string](b, `(() => {
		const boxes = [...document.querySelectorAll("#drawing text")].filter(e => e.textContent).map(e => [e.textContent, e.getBoundingClientRect()]);
		boxes.sort((a, b) => a[1].top - b[1].top);
		const found = [];
		for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length && boxes[j][1].top < boxes[i][1].bottom - 2; j++) {
			const a = boxes[i][1], b = boxes[j][1];
			if (a.left < b.right - 1 && b.left < a.right - 1) found.push(boxes[i][0] + " / " + boxes[j][0]);
		}
		return found })()`))
}

func TestLinkShowsTheSame(t *testing.T) {
	b := open(t, "")
	b.write("#text", "GET /größe/{x}  <b>bold</b>\nHandle example.com/{y...} files")
	b.write("#host", "example.com")
	b.write("#method", "POST")
	b.write("#target", "/a/b%2Fc")
	b.click(".switch label:last-child")
	assert.Contains(t, b.text("#segue"), "example.com/{y...}")
	hash := eval[string](b, "location.hash")
	assert.Contains(t, hash, "v=compiled")
	before, lit := b.text("main"), b.lit()

	b.visit(hash)
	assert.Equal(t, before, b.text("main"))
	assert.Equal(t, lit, b.lit())
	assert.Equal(t, hash, eval[string](b, "location.hash"))
	assert.Equal(t, 0, eval[int](b, `document.querySelectorAll("b b, #steps b b, #drawing b").length`), "no markup from a route")
	b.do(chromedp.Reload())
	b.rest()
	assert.Equal(t, before, b.text("main"))
}

func TestBrokenLink(t *testing.T) {
	b := open(t, "#r=@@@&m=%00&p=%1b%5b31m&v=none")
	assert.Equal(t, "0 routes", b.text("#count"))
	assert.Equal(t, "ready", eval[string](b, "document.body.dataset.state"))
}

func TestKeyboardAlone(t *testing.T) {
	b := open(t, "")
	visited := map[string]bool{}
	for range 45 {
		b.key(kb.Tab)
		visited[eval[string](b, "(e => e.id || e.name || e.className || e.parentElement.id || e.textContent.slice(0, 12))(document.activeElement)")] = true
	}
	for _, id := range []string{"sample", "share", "text", "method", "target", "host", "send", "view", "in", "out", "all", "lit", "drawing", "measure"} {
		assert.True(t, visited[id], "%s cannot be reached by Tab: %v", id, visited)
	}

	// Choose a sample, write a path, send, step back, switch, pan and zoom.
	b.focus("#sample")
	b.key(kb.ArrowDown)
	assert.Equal(t, "207 routes", b.text("#count"))
	b.focus("#target")
	b.key("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)) // Ctrl-A
	b.key("/user/repos" + kb.Enter)
	assert.Equal(t, "2", eval[string](b, "document.body.dataset.step"))
	assert.Equal(t, "/ user repos", b.lit())
	b.focus("#steps button")
	b.key(kb.Enter)
	assert.Equal(t, "/ user", b.lit())
	b.focus("input[name=view]:checked")
	b.key(kb.ArrowRight)
	assert.Contains(t, b.text("#legend"), "merged")
	b.focus("#drawing")
	place := func() string {
		return eval[string](b, `document.querySelector("#drawing > g").getAttribute("transform")`)
	}
	for _, key := range []string{kb.ArrowLeft, kb.ArrowDown, "+", "-", "0"} {
		before := place()
		b.key(key)
		assert.NotEqual(t, before, place(), "key %q", key)
	}
}

func TestPhone(t *testing.T) {
	b := open(t, "", size(360, 740))
	for _, hash := range []string{"#s=users", "#s=github", "#s=budget&v=compiled", "#s=users&p=/usres"} {
		b.visit(hash)
		assert.LessOrEqual(t, eval[int](b, "document.documentElement.scrollWidth"), 360, hash)
		assert.Empty(t, eval[[]string](b, `[...document.querySelectorAll("button, select, #request input, textarea, section, article")]
			.filter(e => e.offsetParent && e.getBoundingClientRect().right > 360.5).map(e => e.outerHTML.slice(0, 60))`), hash)
	}
	b.visit("")
	b.shoot("phone")
	b.run(`document.querySelector("#trie-title").scrollIntoView()`)
	b.shoot("phone-trie")
}

func TestDark(t *testing.T) {
	b := open(t, "", scheme("dark"))
	assert.Less(t, eval[float64](b, brightness("body", "backgroundColor")), 60.0)
	for _, element := range []string{"h1", "#count", "#legend", "#text", ".status", ".pattern", "#steps .seg", "#steps .how"} {
		assert.Greater(t, eval[float64](b, brightness(element, "color")), 110.0, element)
	}
	b.shoot("dark")
}

func brightness(selector, property string) string {
	return fmt.Sprintf(`(c => (c[0] * 299 + c[1] * 587 + c[2] * 114) / 1000)(getComputedStyle(document.querySelector(%q)).%s.match(/\d+/g).map(Number))`, selector, property)
}

func TestMeasure(t *testing.T) {
	b := open(t, "#s=github")
	b.click("#measure")
	rates := eval[[]float64](b, `[...document.querySelectorAll("#paces .number")].map(e => +e.innerText.replaceAll(",", ""))`)
	require.Len(t, rates, 2)
	for _, rate := range rates {
		assert.Positive(t, rate)
	}
	t.Log(b.text("#paces"))
	b.write("#text", "nonsense")
	b.click("#measure")
	assert.Contains(t, b.text("#paces"), "no route")

	// Routes that are written meanwhile are measured instead.
	b.run(typed("#text", "GET /a\nGET /b") + `; document.querySelector("#measure").click(); ` + typed("#text", "GET /c"))
	assert.Contains(t, b.text("#paces"), "each of 1 route ")
}

func TestWithoutWebAssembly(t *testing.T) {
	b := open(t, "", command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: "delete globalThis.WebAssembly",
	}))
	assert.Contains(t, b.text("#loading-text"), "no WebAssembly")
	assert.True(t, eval[bool](b, `document.querySelector("#main").hidden`))
}

// shoot takes a picture to look at, where SHOTS names a folder for them.
func (b *tab) shoot(name string) {
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(dir+"/"+name+".png", png, 0o644))
}

// The README's pictures, light and dark. They are written anew where SCREENSHOT
// says so, and must be there otherwise.
func TestScreenshot(t *testing.T) {
	for s, file := range map[string]string{"light": "screenshot.png", "dark": "screenshot-dark.png"} {
		b := open(t, "#s=users&m=GET&p=/users/new/posts", scheme(s))
		png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		require.NoError(b, err)
		assert.Less(t, len(png), 300_000)
		assert.Greater(t, len(png), 30_000)
		if os.Getenv("SCREENSHOT") != "" {
			require.NoError(t, os.WriteFile(file, png, 0o644))
		}
		assert.FileExists(t, file)
	}
}

func TestSlipOfAMethod(t *testing.T) {
	b := open(t, "")
	b.write("#text", "GTE /x  show\nPURGE /cache\nGET /y")
	assert.Equal(t, "3 routes", b.text("#count"), "it is a method all the same")
	assert.Equal(t, 1, eval[int](b, `document.querySelectorAll("#hints li").length`))
	assert.Contains(t, b.text("#hints"), "Is it GET?")
	b.click("#hints button")
	assert.Equal(t, "GET /x  show\nPURGE /cache\nGET /y", eval[string](b, `document.querySelector("#text").value`))
	assert.Empty(t, b.text("#hints"))

	b.write("#target", "/x")
	b.write("#method", "GTE")
	assert.Contains(t, b.text("#segue"), "405")
	b.click("#offers button")
	assert.Contains(t, b.text("#segue"), "GET /x")
	assert.Empty(t, b.text("#offers"))
}

func TestPathIsOffered(t *testing.T) {
	b := open(t, "#s=users&p=/users/7&m=GET")
	assert.Empty(t, b.text("#offers"))
	b.write("#text", "mount /shelves\n  GET /{shelf}/books  list\n  DELETE /{shelf}  drop")
	assert.Contains(t, b.text("#segue"), "404")
	b.click("#offers button")
	assert.Equal(t, "/shelves/12345/books", eval[string](b, `document.querySelector("#target").value`))
	assert.Contains(t, b.text("#segue"), "200")
	assert.Empty(t, b.text("#offers"))

	b.write("#text", "Handle example.com/only/{x...}")
	b.click("#offers button")
	assert.Equal(t, "example.com", eval[string](b, `document.querySelector("#host").value`))
	assert.Contains(t, b.text("#segue"), "200")
	b.run(typed("#text", ""))
	assert.Empty(t, b.text("#offers"), "there is none to offer")
}

// Where the answers differ the page says in what, and why if that is on purpose.
func TestDifferencesAreExplained(t *testing.T) {
	for _, c := range []struct{ routes, method, target, host, differs, why string }{
		{"GET /{a}/x\nGET /y/{b}", "GET", "/y/x", "", "route", "refuses overlapping patterns"},
		{"GET /{a}/x\nPUT /{b}/x\nGET /y/{b}", "DELETE", "/y/z", "", "status, Allow", "refuses overlapping patterns"},
		{"Handle GET /a b/{x}\nHandle /d/", "GET", "/d//a%20b", "", "Location", "keeps the request's own encoding"},
		{"Handle /c/", "CONNECT", "/c//x", "", "status", "CONNECT"},
		{"Handle /d/{x}", "GET", "/d/%2F", "", "status", "%2F"},
		{"Handle example.com/", "GET", "/", "EXAMPLE.com.", "status", "in any case"},
		{"GET /about", "OPTIONS", "/about", "", "status, Allow", "answers OPTIONS by itself"},
		{"GET /about", "GET", "/about/", "", "status, Location", "redirects the other spelling"},
		{"mount /users\n  GET / list", "GET", "/users/", "", "status", "with and without the final slash"},
		{"GET /a", "PUT", "/a", "", "Allow", "Allow lists what verbs answer"},
	} {
		e, err := engine.Build(c.routes).Explain(c.method, c.host, c.target, "")
		require.NoError(t, err)
		assert.Contains(t, strings.Join(e.Differs, ", "), c.differs, "%+v: %+v %+v", c, e.Segue, e.Mux)
		assert.Contains(t, strings.Join(e.Reasons, " "), c.why, "%+v", c)
	}
	e, err := engine.Build("GET /\nGET /users/{id}/\nHandle /s/").Explain("GET", "", "/", "")
	require.NoError(t, err)
	assert.Empty(t, e.Differs, "the patterns are spelled differently, and the answer is the same")

	b := open(t, "#m=OPTIONS&p=/about")
	assert.Contains(t, b.text("#mux h3"), "another answer: status, Allow")
	assert.Contains(t, b.text("#reasons"), "On purpose: A verb's route answers OPTIONS by itself")
	b.write("#method", "GET")
	assert.NotContains(t, b.text("#mux h3"), "another answer")
	assert.Empty(t, b.text("#reasons"))
}

const territories = "use logging\nGET / home\n\nmount /users\n  use auth\n  NotFound noUser\n  GET /{id} show\n  with cache\n    GET /{id}/feed feed\n"

func TestTerritoryOfAMiss(t *testing.T) {
	b := open(t, "")
	b.write("#text", territories)
	b.write("#target", "/users/7/nothing")
	assert.Contains(t, b.text("#segue"), "404")
	assert.Contains(t, b.text("#segue"), "about the router at /users, line 4; answered by noUser, line 6")
	assert.Contains(t, b.text("#segue"), "ran: logging → auth")
	assert.Equal(t, "› 6", eval[string](b, `document.querySelector("#gutter i").textContent`))

	b.write("#target", "/elsewhere")
	assert.Contains(t, b.text("#segue"), "about the outermost router")
	assert.Contains(t, b.text("#segue"), "ran: logging")
	assert.NotContains(t, b.text("#segue"), "auth")

	b.write("#method", "PUT")
	b.write("#target", "/users/7/feed")
	assert.Contains(t, b.text("#segue"), "405")
	assert.Contains(t, b.text("#segue"), "about the router at /users, line 8")
	assert.Contains(t, b.text("#segue"), "ran: logging → auth → cache")
	b.write("#method", "GET")
	assert.Contains(t, b.text("#segue"), "feed, line 9")
	assert.Contains(t, b.text("#segue"), "ran: logging → auth → cache")
	assert.NotContains(t, b.text("#segue"), "about the router")
}

func TestPreflight(t *testing.T) {
	b := open(t, "")
	b.write("#text", "mount /api\n  use cors\n  PUT /{id}  save\nmount /pages\n  GET /{x}  page\nHandle /  all")
	b.write("#target", "/api/7")
	assert.False(t, eval[bool](b, `document.querySelector("#preflight").offsetParent !== null`), "it is for OPTIONS alone")
	b.write("#method", "OPTIONS")
	b.write("#preflight", "PUT")
	assert.Contains(t, b.text("#segue"), "204")
	assert.Contains(t, b.text("#segue"), "about the router at /api, line 1")
	assert.Contains(t, b.text("#segue"), "ran: cors")
	hash := eval[string](b, "location.hash")
	assert.Contains(t, hash, "a=PUT")

	b.write("#preflight", "POST")
	assert.Contains(t, b.text("#segue"), "all, line 6", "of the route that would answer POST")
	b.visit(hash)
	assert.Equal(t, "PUT", eval[string](b, `document.querySelector("#preflight").value`))
	assert.Contains(t, b.text("#segue"), "ran: cors")
}

func TestTerminalNamesTheLine(t *testing.T) {
	b := open(t, "")
	b.click(".way summary")
	assert.Contains(t, b.text("#trace"), "routes:11")
	assert.NotContains(t, b.text("#trace"), ".go")
}

func TestLinesThatSet(t *testing.T) {
	for text, reason := range map[string]string{
		"use": "write the names", "TrailingSlash either": "write TrailingSlash SlashRedirect", "CleanPath": "write CleanPath true",
		"with a\n  NotFound x": "no miss belongs to a router made by With",
	} {
		set := engine.Build(text)
		if assert.Len(t, set.Problems, 1, text) {
			assert.Contains(t, set.Problems[0].Reason, reason)
			assert.NotContains(t, set.Problems[0].Reason, ".go")
		}
	}
	set := engine.Build("TrailingSlash SlashEither\nCleanPath false\nGET /a/{b}\nMethodNotAllowed no\nOnError fail")
	require.Empty(t, set.Problems)
	for _, c := range []struct {
		method, target string
		status         int
		by             string
	}{{"GET", "/a/b/", 200, ""}, {"GET", "/a/../", 200, ""}, {"PUT", "/a/b", 405, "no"}, {"GET", "/", 404, "fail"}} {
		e, err := set.Explain(c.method, "", c.target, "")
		require.NoError(t, err)
		assert.Equal(t, c.status, e.Segue.Status, c.target)
		if c.by != "" {
			assert.Equal(t, c.by, e.Miss.Handler)
		}
	}
}
