//go:build playground

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests use the page as a person does, in a real browser without a window.
// A person sees what came of one thing before doing the next: so every helper
// here that does something returns when the page is at rest, and what is read
// then belongs to what was done. Nothing waits for a time.

// patience is for what would never come. No test is to fail on it.
const patience = 5 * time.Minute

// site is the playground, built once.
var site = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "segue-playground")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	p, err := build(context.Background(), dir)
	if err != nil {
		return "", err
	}
	app, err := newApp(p)
	if err != nil {
		return "", err
	}
	return httptest.NewServer(app).URL, nil
})

// browser is started once; each test has a tab of its own.
var browser = sync.OnceValues(func() (context.Context, error) {
	path, err := findBrowser()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "segue-browser")
	if err != nil {
		return nil, err
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.UserDataDir(dir), chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.WindowSize(1360, 850), chromedp.WSURLReadTimeout(patience))
	ctx, stop := chromedp.NewContext(allocator)
	closeBrowser = func() {
		stop()
		stopAllocator()
		os.RemoveAll(dir)
	}
	return ctx, chromedp.Do(ctx)
})

func findBrowser() (path string, err error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err = exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", err
}

var closeBrowser = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	closeBrowser()
	os.Exit(code)
}

// A step is one action in the browser.
type step = chromedp.Action[chromedp.Void]

// A tab is one page under test.
type tab struct {
	*testing.T
	ctx context.Context
	url string

	mu       sync.Mutex
	asked    []string // every address that the page asked for
	problems []string // what the page threw
}

// open opens the page at a hash.
func open(t *testing.T, hash string, before ...step) *tab {
	root, err := browser()
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("CI") == "" {
		t.Skip("there is no chromium on this machine")
	}
	require.NoError(t, err)
	url, err := site()
	require.NoError(t, err)
	ctx, stop := chromedp.NewContext(root)
	require.NoError(t, chromedp.Do(ctx))
	b := &tab{T: t, url: url}
	require.NoError(t, chromedp.Listen(ctx, b.watch))
	var cancel func()
	b.ctx, cancel = context.WithTimeout(ctx, patience)
	t.Cleanup(func() {
		b.checkPage()
		cancel()
		stop()
	})
	b.do(command(network.Enable, network.EnableParams{}), command(runtime.Enable, cdp.Empty{}), size(1360, 850))
	b.do(before...)
	b.do(chromedp.Navigate(url+"/icon.svg"), chromedp.Evaluate[chromedp.Void]("localStorage.clear()")) // of the test before
	b.visit(hash)
	return b
}

// command is a command of the protocol whose answer does not matter.
func command[P, R any](c cdp.Command[P, R], params P) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

func size(width, height int64) step { return chromedp.EmulateViewport(width, height) }

func (b *tab) watch(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.asked = append(b.asked, e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" {
			b.problems = append(b.problems, fmt.Sprint(e.Args[0].Value))
		}
	}
}

// checkPage holds for every test: nothing went wrong, and nothing but the
// playground's own server was asked.
func (b *tab) checkPage() {
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.Empty(b, b.problems)
	assert.NotEmpty(b, b.asked)
	for _, url := range b.asked {
		assert.True(b, strings.HasPrefix(url, b.url+"/") || strings.HasPrefix(url, "data:"), url)
	}
}

func (b *tab) do(actions ...step) {
	b.Helper()
	require.NoError(b, chromedp.Do(b.ctx, actions...))
}

// visit goes to a hash by way of another page, so that all is loaded anew.
func (b *tab) visit(hash string) {
	b.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+"/"+hash))
	b.rest()
}

// rest waits until the page has loaded, has been laid out, and shows what belongs
// to what was done to it.
func (b *tab) rest() {
	b.Helper()
	b.do(chromedp.WaitReady(chromedp.CSS("body[data-state]")), chromedp.Evaluate[chromedp.Void](`(async () => {
		const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
		do { await frame(); await frame() } while (document.body.dataset.busy);
	})()`, chromedp.EvalAwaitPromise))
}

// eval runs a line of JavaScript.
func eval[T any](b *tab, script string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	require.NoError(b, err, script)
	return v
}

// text is what a reader sees of an element.
func (b *tab) text(selector string) string {
	b.Helper()
	return eval[string](b, fmt.Sprintf("document.querySelector(%q).innerText", selector))
}

// lit lists the labels of the nodes that are lit, from the root on.
func (b *tab) lit() string {
	b.Helper()
	return eval[string](b, `[...document.querySelectorAll("g.node.lit")].map(g => [+g.getAttribute("transform").match(/[\d.-]+/)[0], g.querySelector(".label").textContent]).sort((a, b) => a[0] - b[0]).map(p => p[1]).join(" ")`)
}

// run runs JavaScript for what it does.
func (b *tab) run(script string) {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](script))
	b.rest()
}

func (b *tab) click(selector string) {
	b.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
	b.rest()
}

func (b *tab) focus(selector string) {
	b.Helper()
	b.do(chromedp.Focus(chromedp.CSS(selector)))
}

// write replaces what a field holds, by keys.
func (b *tab) write(selector, text string) {
	b.Helper()
	b.focus(selector)
	b.run(fmt.Sprintf("document.querySelector(%q).select()", selector))
	b.key(text)
	require.Equal(b, text, eval[string](b, fmt.Sprintf("document.querySelector(%q).value", selector)))
}

func (b *tab) key(keys string, modifiers ...chromedp.KeyOption) {
	b.Helper()
	b.do(chromedp.KeyEvent(keys, modifiers...))
	b.rest()
}

// call is the function that the page calls.
func (b *tab) call(name, args string) string {
	b.Helper()
	quoted, err := json.Marshal(args)
	require.NoError(b, err)
	return eval[string](b, fmt.Sprintf("segueCall(%q, %s)", name, quoted))
}
