//go:build playground

package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	b := open(t, "", command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	}))
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

// The README's picture. It is written anew where SCREENSHOT says so, and must
// be there otherwise.
func TestScreenshot(t *testing.T) {
	b := open(t, "#s=users&m=GET&p=/users/new/posts")
	b.shoot("users")
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(b, err)
	assert.Less(t, len(png), 300_000)
	assert.Greater(t, len(png), 30_000)
	if os.Getenv("SCREENSHOT") != "" {
		require.NoError(t, os.WriteFile("screenshot.png", png, 0o644))
	}
	assert.FileExists(t, "screenshot.png")
	for name, hash := range map[string]string{
		"github": "#s=github", "compiled": "#s=users&v=compiled&p=/users/new/posts", "budget": "#s=budget&v=compiled", "miss": "#s=users&p=/usres/7&m=GET",
		"github-compiled": "#s=github&v=compiled",
	} {
		if os.Getenv("SHOTS") != "" {
			b.visit(hash)
			b.shoot(name)
		}
	}
	if os.Getenv("SHOTS") != "" {
		b.visit("")
		b.write("#text", "GET /users/{id}\nGET /users/{name\nGET /users/:other\nHandle get /x\nGET /{a}/x\nGET /y/{b}\nGET /ok")
		b.write("#target", "/y/x")
		b.click("#measure")
		b.shoot("problems")
	}
}
