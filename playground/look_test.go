//go:build playground

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The page can be read: on a wide screen and on a phone, light and dark.

func scheme(name string) step {
	return command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
	})
}

// states are what the page can look like.
var states = []struct{ name, hash, script string }{
	{"users", "#s=users", ""},
	{"compiled", "#s=users&v=compiled", ""},
	{"github", "#s=github", ""},
	{"github-compiled", "#s=github&v=compiled", ""},
	{"budget", "#s=budget&v=compiled", ""},
	{"miss", "#s=users&p=/usres/7", ""},
	{"differs", "#s=users&p=/users/7&m=OPTIONS&a=DELETE", ""},
	{"problems", "#s=users", typed("#text", "GTE /users/{id}\nGET /users/{name\nGET /users/:other\nHandle get /x\nGET /{a}/x\nGET /y/{b}\nGET /ok") + `; document.querySelector("#help").open = true; ` + typed("#target", "/y/x")},
	{"read", "#s=users", pastes("app := segue.New()\napp.Use(logging)\nusers := app.Group(\"/users\", auth)\nusers.NotFound(page)\nusers.GET(\"/{id}\", show)\nusers.GET(name(), x)\n") + "; " + typed("#target", "/users/7/x")},
}

// TestReadable lets axe measure every state of the page, and measures itself what
// axe does not: the drawing.
func TestReadable(t *testing.T) {
	axe, err := os.ReadFile("testdata/axe.min.js")
	require.NoError(t, err)
	for _, s := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390} {
			b := open(t, "", size(width, 800), scheme(s))
			for _, state := range states {
				name := fmt.Sprintf("%s-%s-%d", state.name, s, width)
				b.visit(state.hash)
				b.run(state.script)
				b.do(chromedp.Evaluate[chromedp.Void](string(axe)))
				assert.Empty(t, b.violations(), name)
				assert.Empty(t, eval[[]string](b, tooFaint), name)
				assert.LessOrEqual(t, eval[int64](b, "document.documentElement.scrollWidth"), width, name)
				b.checkLabels()
				b.shoot(name)
			}
		}
	}
}

// violations is what axe finds.
func (b *tab) violations() []string {
	b.Helper()
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`axe.run(document, {resultTypes: ["violations"]}).then(r =>
		r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html.slice(0, 90) + " " + n.failureSummary)))`, chromedp.EvalAwaitPromise))
	require.NoError(b, err)
	return found
}

// What measures the page finds what is wrong with it.
func TestReadableFindsFaults(t *testing.T) {
	b := open(t, "#s=users&v=compiled", scheme("dark"))
	axe, err := os.ReadFile("testdata/axe.min.js")
	require.NoError(t, err)
	b.do(chromedp.Evaluate[chromedp.Void](string(axe)))
	b.run(`document.querySelector("#legend").style.color = "#444"; document.querySelector("#drawing .label").style.color = "#444"; document.querySelector("path.link").style.stroke = "#31373d"; 0`)
	found := strings.Join(b.violations(), "\n")
	assert.Contains(t, found, "color-contrast")
	assert.Contains(t, found, "legend")
	faint := eval[[]string](b, tooFaint)
	assert.Len(t, faint, 2, faint)
}

// tooFaint lists what of the drawing has less contrast than WCAG AA asks for:
// 4.5 for text, 3 for lines and marks.
const tooFaint = `(() => {
	const parts = (c) => c.match(/[\d.]+/g).map(Number);
	const luminance = (c) => parts(c).slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
	const ground = luminance(getComputedStyle(document.querySelector("#drawing")).backgroundColor);
	const contrast = (c) => { const l = luminance(c); return (Math.max(l, ground) + .05) / (Math.min(l, ground) + .05) };
	const found = new Set();
	const check = (selector, property, least) => { for (const e of document.querySelectorAll("#drawing " + selector)) {
		const c = getComputedStyle(e)[property];
		if (e.textContent !== "" || least === 3) if (contrast(c) < least) found.add(selector + " " + c + " " + contrast(c).toFixed(2));
	} };
	check("text", "fill", 4.5);
	check("path.link", "stroke", 3);
	check("circle", "stroke", 3);
	return [...found];
})()`

// What is refused, the help and what was read share a part of their card, and
// leave the editor the other.
func TestEditorKeepsItsRoom(t *testing.T) {
	b := open(t, "", size(1280, 700))
	b.write("#text", "GET /users/{id}\nGET /users/{name\nGET /users/:other\nHandle get /x\nget /y\nGTE /z")
	b.click("#help summary")
	assert.GreaterOrEqual(t, eval[float64](b, `document.querySelector("#text").getBoundingClientRect().height`), 200.0)
	assert.True(t, eval[bool](b, `document.querySelector(".under").getBoundingClientRect().bottom <= document.querySelector(".routes").getBoundingClientRect().bottom`))
	b.run(`document.querySelector("#help dd:last-child").scrollIntoView()`)
	assert.True(t, eval[bool](b, `document.querySelector("#help dd:last-child").getBoundingClientRect().bottom <= document.querySelector(".routes").getBoundingClientRect().bottom`), "the end of the help can be reached")
}

// On a phone the whole trie is in view where it is small, and else the page says
// that there is more.
func TestTrieOnAPhone(t *testing.T) {
	b := open(t, "#s=users", size(390, 800))
	cut := func() int {
		return eval[int](b, `(() => { const box = document.querySelector("#drawing").getBoundingClientRect();
			return [...document.querySelectorAll("#drawing text")].filter(e => { const r = e.getBoundingClientRect(); return r.width && (r.left < box.left || r.right > box.right || r.top < box.top || r.bottom > box.bottom) }).length })()`)
	}
	beyond := func() bool { return eval[bool](b, `!document.querySelector("#beyond").hidden`) }
	for _, hash := range []string{"#s=users", "#s=users&v=compiled"} {
		b.visit(hash)
		assert.Zero(t, cut(), hash)
		assert.False(t, beyond(), hash)
		assert.Greater(t, eval[float64](b, `document.querySelector("g.node .label").getBoundingClientRect().height`), 11.0, "and can be read")
		used := eval[float64](b, `(() => { const r = document.querySelector("#drawing > g").getBoundingClientRect(); return r.height / document.querySelector("#drawing").getBoundingClientRect().height })()`)
		assert.Greater(t, used, 0.75, "the panel is no larger than what it shows")
	}
	b.visit("#s=github")
	assert.Positive(t, cut())
	assert.True(t, beyond())
	b.do(size(1280, 800))
	b.rest()
	b.checkLabels()
}

// At 1280 the drawing uses its panel.
func TestTrieIsSpread(t *testing.T) {
	b := open(t, "#s=users", size(1280, 800))
	for _, hash := range []string{"#s=users", "#s=users&v=compiled"} {
		b.visit(hash)
		used := eval[[]float64](b, `(() => { const r = document.querySelector("#drawing > g").getBoundingClientRect(), box = document.querySelector("#drawing").getBoundingClientRect(); return [r.width / box.width, r.height / box.height] })()`)
		assert.Greater(t, used[0], 0.85, hash)
		assert.Greater(t, used[1], 0.6, hash)
	}
}
