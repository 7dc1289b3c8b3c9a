package browser_test

import (
	"context"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/web/browser"
	"github.com/stretchr/testify/require"
)

// patience is how long anything may take before a test fails.
const patience = 30 * time.Second

var screenshots = flag.String("screenshots", "", "write pictures of the page into `DIR`")

// What all tests share.
var (
	root     string // of the repository
	program  string // the compiled program serve
	server   *browser.Server
	chromium context.Context // a browser with a camera
)

func TestMain(m *testing.M) {
	flag.Parse()
	status, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

func runTests(m *testing.M) (status int, err error) {
	dir, err := os.MkdirTemp("", "fast-browser-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if root, err = browser.Root(); err != nil {
		return 0, err
	}
	if program, err = browser.Build(dir); err != nil {
		return 0, err
	}
	if server, err = browser.Serve(program); err != nil {
		return 0, err
	}
	defer server.Close()
	var cancel context.CancelFunc
	chromium, cancel = browser.Start(filepath.Join(dir, "profile"), map[string]any{
		"use-fake-device-for-media-stream": true,
		"use-fake-ui-for-media-stream":     true,
	})
	defer cancel()
	if err := chromedp.Do(chromium); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// A page is the page in a tab of its own.
type page struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string // what the browser complained of
	urls     []string // what the page asked for
}

// open opens the page that is at a URL, in a browser.
func open(t *testing.T, in context.Context, url string, before ...chromedp.Action[chromedp.Void]) *page {
	t.Helper()
	p := &page{t: t}
	ctx, cancel := chromedp.NewContext(in, chromedp.WithListener(p.listen))
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx)) // makes the tab, which lives as long as this context
	p.ctx, cancel = context.WithTimeout(ctx, 4*patience)
	t.Cleanup(cancel)
	p.do(func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		return chromedp.Void{}, err
	})
	p.do(chromedp.EmulateViewport(1280, 800))
	p.do(before...)
	p.do(chromedp.Navigate(url))
	return p
}

// corners is what the address of the page ends with for corners of the first sample.
const corners = "#show=corners"

// openDefault opens the page with corners, and waits for its first picture.
func openDefault(t *testing.T) *page {
	t.Helper()
	p := open(t, chromium, server.URL+corners)
	p.wait(`state.result`)
	p.settle()
	return p
}

func (p *page) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, fmt.Sprint(e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			p.problems = append(p.problems, e.Entry.Text+" "+e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		p.urls = append(p.urls, e.Request.URL)
	}
}

// noProblems requires that the browser did not complain.
func (p *page) noProblems() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	require.Empty(p.t, p.problems)
}

func (p *page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, actions...))
}

// eval evaluates JavaScript, in which state is that of page.js.
func eval[T any](p *page, format string, args ...any) T {
	p.t.Helper()
	script := `(async () => {
		const {state} = await import(new URL("page.js", document.baseURI));
		return ` + fmt.Sprintf(format, args...) + `;
	})()`
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, script)
	return value
}

// wait waits until JavaScript is true.
func (p *page) wait(format string, args ...any) {
	p.t.Helper()
	condition := fmt.Sprintf(format, args...)
	for deadline := time.Now().Add(patience); !eval[bool](p, "Boolean(%s)", condition); {
		if time.Now().After(deadline) {
			require.Fail(p.t, "waited in vain", "for %s; the message is %q; %q", condition, p.message(), p.problems)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// settle waits until there is nothing to do for the worker.
func (p *page) settle() {
	p.t.Helper()
	p.wait(`state.ready && !state.busy && !state.stale`)
}

// act does something, and returns what the worker finds then.
func (p *page) act(actions ...chromedp.Action[chromedp.Void]) result {
	p.t.Helper()
	eval[bool](p, "(globalThis.before = state.result, true)")
	p.do(actions...)
	p.wait("state.result !== globalThis.before")
	p.settle()
	return p.result()
}

// A result is what page.js keeps of a run.
type result struct {
	Kind      string
	Stride    int
	Values    []float32
	Keypoints []int
	Sizes     [][2]int
	Places    []struct{ X, Y, Width, Height float64 }
}

func (p *page) result() result {
	p.t.Helper()
	return eval[result](p, `{...state.result, values: Array.from(state.result.values)}`)
}

// set sets controls by their names, as if by hand.
func (p *page) set(values map[string]any) chromedp.Action[chromedp.Void] {
	var script strings.Builder
	for name, value := range values {
		property := "value"
		if _, ok := value.(bool); ok {
			property = "checked"
		}
		fmt.Fprintf(&script, "document.forms[0].elements[%q].%s = %#v;", name, property, value)
	}
	script.WriteString(`document.forms[0].dispatchEvent(new Event("input", {bubbles: true}))`)
	return chromedp.Evaluate[chromedp.Void](script.String())
}

// choose chooses a file as the first or second photo.
func choose(id, file string) chromedp.Action[chromedp.Void] {
	return chromedp.SetUploadFiles(chromedp.CSS("#"+id), []string{file})
}

// text returns the text of an element.
func (p *page) text(id string) string {
	p.t.Helper()
	return eval[string](p, "document.getElementById(%q).textContent", id)
}

// message returns the message that is shown, or nothing.
func (p *page) message() string {
	p.t.Helper()
	return eval[string](p, `document.querySelector("#message:not([hidden]) p")?.textContent ?? ""`)
}

// waitMessage waits until a message with all of these words is shown.
func (p *page) waitMessage(words ...string) {
	p.t.Helper()
	p.wait(`document.querySelector("#message:not([hidden])")`)
	for _, word := range words {
		require.Contains(p.t, p.message(), word)
	}
}

// photo returns the path of a photo of testdata.
func photo(name string) string {
	return filepath.Join(root, "testdata", "photos", name)
}

// read reads an image as gray.
func read(t *testing.T, file string) *image.Gray {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	return fast.Gray(img)
}
