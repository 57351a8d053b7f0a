//go:build playground

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

// What a person has done to the page stays while it shows something else: typing
// is never punished.

// choose is a script that chooses a sample.
func choose(sample string) string {
	return fmt.Sprintf(`(s => { s.value = %q; s.dispatchEvent(new Event("change")) })(document.querySelector("#sample"))`, sample)
}

const refused = "GET /{a}/x\nGET /y/{b}\nGET /z"

// typed is a script that types all at once. What follows it in the same script
// is done before the page has noticed that the keys have ceased.
func typed(selector, text string) string {
	return fmt.Sprintf(`(f => { f.value = %q; f.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector(%q))`, text, selector)
}

func TestWhatIsOpenStaysOpen(t *testing.T) {
	b := open(t, "")
	b.write("#text", refused)
	b.click("#refuses summary")
	b.click(".way summary")
	b.click("#help summary")
	opened := func() int {
		return eval[int](b, `[...document.querySelectorAll("details")].filter(d => d.open && d.offsetParent).length`)
	}
	assert.Equal(t, 3, opened())
	b.run(`document.querySelector("#refuses pre").style.height = "2em"; document.querySelector("#refuses pre").scrollTop = 10`)

	b.write("#target", "/y/x")
	assert.Equal(t, 3, opened(), "another path")
	b.key(kb.Enter)
	assert.Equal(t, 3, opened(), "sent, step by step")
	b.write("#target", "no path")
	assert.Equal(t, 3, opened(), "no path at all")
	b.click(".switch label:last-child")
	assert.Equal(t, 3, opened(), "the other trie")
	assert.Equal(t, 10, eval[int](b, `document.querySelector("#refuses pre").scrollTop`), "and scrolled")

	b.write("#text", "GET /z")
	assert.Equal(t, 2, opened(), "nothing is refused")
	b.write("#text", refused)
	assert.Equal(t, 3, opened(), "refused again")
}

// Something is opened, focused or marked in the moment between a key and what
// comes of it.
func TestNothingIsLostBetweenKeyAndAnswer(t *testing.T) {
	b := open(t, "")
	b.write("#text", refused)
	b.run(typed("#target", "/y/x") + `; document.querySelector("#refuses summary").click(); document.querySelector("#refuses summary").focus()`)
	assert.Contains(t, b.text("#refuses"), "conflicts with pattern")
	assert.Equal(t, "SUMMARY", eval[string](b, "document.activeElement.tagName"))

	b.run(typed("#target", "/y/z") + `; document.querySelector("#steps li:nth-child(2) button").focus()`)
	assert.Equal(t, "2", eval[string](b, `document.activeElement.querySelector(".n").textContent`))

	b.run(`getSelection().selectAllChildren(document.querySelector("#segue .pattern")); ` + typed("#target", "/y/w"))
	assert.Equal(t, "GET /y/{b}", eval[string](b, "getSelection().toString()"))

	// The focus goes with the line that it is on, whatever comes before it.
	b.write("#text", "GET /{\nGET x\nGET /{a")
	b.run(typed("#text", "GET x\nGET /{a") + `; document.querySelector("#problems li:nth-child(2) button").focus()`)
	assert.Contains(t, eval[string](b, "document.activeElement.innerText"), "GET x")
	b.write("#text", "GET /ok")
	assert.Empty(t, b.text("#problems"))
}

// Whatever is pressed is pressed on what was typed, however quickly.
func TestButtonsActOnWhatWasTyped(t *testing.T) {
	b := open(t, "")
	b.run(typed("#text", "GET /a/b/c") + "; " + typed("#target", "/a/b/c") + `; globalThis.seen = [];
		new MutationObserver(() => seen.push(document.body.dataset.step)).observe(document.body, {attributes: true, attributeFilter: ["data-step"]});
		document.querySelector("#send").click()`)
	assert.Contains(t, eval[string](b, `seen.join("")`), "0123", "it goes step by step to the end")
	assert.Contains(t, b.text("#segue"), "GET /a/b/c")

	b.run(typed("#text", "GET /only") + `; document.querySelector("#share").click()`)
	assert.Equal(t, "1 route", b.text("#count"))
	assert.Equal(t, "Copy link", b.text("#share"))
	assert.Contains(t, eval[string](b, "location.hash"), "r=")

	b.run(typed("#text", "GET /gone") + `; ` + choose("github"))
	assert.Equal(t, "207 routes", b.text("#count"), "the sample was chosen last")
}

func TestChosenStepStays(t *testing.T) {
	b := open(t, "")
	b.click("#steps li:nth-child(2) button")
	assert.Equal(t, "/ users {id}", b.lit())
	b.click(".switch label:last-child")
	assert.Equal(t, "/ users new", b.lit(), "in the other trie")
	b.click(".switch label:first-child")
	b.write("#text", "GET /users/{id}/posts\nGET /users/x")
	assert.Equal(t, "/ users {id}", b.lit(), "with other routes")
	b.write("#target", "/users/x")
	assert.Equal(t, "/ users x", b.lit(), "another request is shown whole")
}

func TestViewStays(t *testing.T) {
	b := open(t, "#s=users")
	place := func() string {
		return eval[string](b, `document.querySelector("#drawing > g").getAttribute("transform")`)
	}
	nodes := func() int { return eval[int](b, `document.querySelectorAll("#drawing g.node").length`) }
	inView := func() bool {
		return eval[bool](b, `(() => { const box = document.querySelector("#drawing").getBoundingClientRect(), r = document.querySelector("g.node.won .label").getBoundingClientRect();
			return r.left >= box.left && r.right <= box.right && r.top >= box.top && r.bottom <= box.bottom })()`)
	}
	first := place()
	b.run(choose("github"))
	text := eval[string](b, `document.querySelector("#text").value`)

	folded := nodes()
	b.run(`document.querySelector('g.node.folded').dispatchEvent(new MouseEvent("click"))`)
	unfolded := nodes()
	assert.Greater(t, unfolded, folded)
	b.click("#in")
	b.focus("#drawing")
	b.key(kb.ArrowLeft)
	by := place()
	b.run(typed("#text", text+"\nGET /zzz/new"))
	assert.Equal(t, by, place(), "while routes are written")
	assert.Equal(t, unfolded+1, nodes())
	b.click(".switch label:last-child")
	assert.NotEqual(t, by, place())
	b.click(".switch label:first-child")
	assert.Equal(t, by, place(), "after the other trie was shown")

	b.focus("#drawing")
	b.key(strings.Repeat(kb.ArrowRight, 20))
	assert.False(t, inView())
	b.write("#target", "/zzz/new")
	assert.True(t, inView(), "a new way comes into view")
	assert.Equal(t, scaleOf(by), scaleOf(place()), "at the same scale")
	b.click("#all")
	all := nodes()
	assert.Greater(t, all, unfolded)
	b.write("#target", "/user")
	assert.Equal(t, all, nodes(), "all stays all")
	b.click("#lit")
	assert.Less(t, nodes(), folded+5)
	b.focus("#drawing")
	b.key(strings.Repeat(kb.ArrowLeft, 20))
	assert.False(t, inView())
	b.run(choose("users"))
	assert.Equal(t, first, place(), "a sample begins anew")
}

// What opens beside the drawing takes room from it: all of it is still in view.
func TestDrawingFitsItsRoom(t *testing.T) {
	b := open(t, "")
	b.write("#text", refused)
	fits := func() bool {
		return eval[bool](b, `(() => { const box = document.querySelector("#drawing").getBoundingClientRect();
			return [...document.querySelectorAll("g.node")].every(e => { const r = e.getBoundingClientRect(); return r.top >= box.top && r.bottom <= box.bottom }) })()`)
	}
	height := func() float64 {
		return eval[float64](b, `document.querySelector("#drawing").getBoundingClientRect().height`)
	}
	tall := height()
	b.click("#refuses summary")
	assert.Less(t, height(), tall)
	assert.True(t, fits())
	b.do(size(900, 700))
	b.rest()
	assert.True(t, fits())
}

func scaleOf(transform string) string { return transform[strings.Index(transform, "scale"):] }

// pastes is a script that pastes text into the editor, where the cursor is.
func pastes(text string) string {
	return fmt.Sprintf(`(f => { const data = new DataTransfer(); data.setData("text/plain", %q); f.focus();
		if (f.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}))) document.execCommand("insertText", false, data.getData("text/plain")) })(document.querySelector("#text"))`, text)
}
