//go:build playground

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// What a person wrote stays until the person clears it.

// typedText is what the editor holds.
func (b *tab) typedText() string {
	b.Helper()
	return eval[string](b, `document.querySelector("#text").value`)
}

// chooseOwn chooses the nth of what a person wrote, the latest being the first.
func (b *tab) chooseOwn(n int) {
	b.Helper()
	b.run(fmt.Sprintf(`(s => { s.value = [...s.options].filter(o => o.value.startsWith("own:"))[%d].value; s.dispatchEvent(new Event("change")) })(document.querySelector("#sample"))`, n))
}

func TestOwnRoutesStay(t *testing.T) {
	b := open(t, "")
	b.write("#text", "GET /mine/{id}  show")
	b.write("#target", "/mine/7")
	b.run(choose("github"))
	assert.Equal(t, "207 routes", b.text("#count"))
	assert.True(t, eval[bool](b, `document.querySelector("#clear").hidden`))
	b.chooseOwn(0)
	assert.Equal(t, "GET /mine/{id}  show", b.typedText())
	assert.Equal(t, "/mine/7", eval[string](b, `document.querySelector("#target").value`), "with its request")
	assert.Contains(t, b.text("#segue"), "GET /mine/{id}")
	assert.Contains(t, eval[string](b, `document.querySelector("#sample").selectedOptions[0].textContent`), "My own: GET /mine/{id} show")

	// A sample that is edited is another one's own.
	b.run(choose("users"))
	b.run(typed("#text", "GET /second"))
	b.chooseOwn(1)
	assert.Equal(t, "GET /mine/{id}  show", b.typedText())

	b.visit("")
	assert.Equal(t, "GET /mine/{id}  show", b.typedText(), "by the address alone")
	b.visit("#s=github")
	b.chooseOwn(1)
	assert.Equal(t, "GET /second", b.typedText())
}

func TestOwnRoutesAreSavedAtOnce(t *testing.T) {
	b := open(t, "")
	b.do(chromedp.Evaluate[chromedp.Void](typed("#text", "GET /typed/and/gone")))
	b.visit("")
	assert.Equal(t, "GET /typed/and/gone", b.typedText())
}

func TestClearOwnRoutes(t *testing.T) {
	b := open(t, "")
	b.write("#text", "GET /mine")
	b.click("#clear")
	assert.Equal(t, "13 routes", b.text("#count"))
	assert.Equal(t, "Undo clear", b.text("#clear"))
	b.click("#clear")
	assert.Equal(t, "GET /mine", b.typedText(), "if that was a slip")
	b.click("#clear")
	b.visit("")
	assert.Equal(t, "13 routes", b.text("#count"))
	assert.Equal(t, 0, eval[int](b, `[...document.querySelector("#sample").options].filter(o => o.value.startsWith("own:")).length`))
}

// A link shows its own routes, and takes nothing from the person who opens it.
func TestLinkLeavesOwnRoutes(t *testing.T) {
	b := open(t, "")
	b.write("#text", "GET /theirs")
	link := eval[string](b, "location.hash")
	b.click("#clear")
	b.write("#text", "GET /mine")
	b.visit(link)
	assert.Equal(t, "GET /theirs", b.typedText())
	assert.Equal(t, "From a link", eval[string](b, `document.querySelector("#sample").selectedOptions[0].textContent`))
	b.write("#text", "GET /theirs\nGET /more")
	b.chooseOwn(1)
	assert.Equal(t, "GET /mine", b.typedText())
}

func TestWithoutStorage(t *testing.T) {
	b := open(t, "")
	b.run(`Object.defineProperty(window, "localStorage", {get() { throw new Error("denied") }}); 0`)
	b.write("#text", "GET /mine")
	b.run(choose("users"))
	b.chooseOwn(0)
	assert.Equal(t, "GET /mine", b.typedText())
}

func TestSidewaysScrollIsReset(t *testing.T) {
	b := open(t, "")
	b.write("#text", "GET /"+strings.Repeat("long/", 40))
	b.run(`document.querySelector("#text").scrollLeft = 500`)
	b.run(choose("users"))
	assert.Equal(t, 0, eval[int](b, `document.querySelector("#text").scrollLeft`))
	assert.Contains(t, eval[string](b, `document.querySelector("#marks").style.transform`), "translate(0px, 0px)")
}
