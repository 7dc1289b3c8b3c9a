// Figures measures how long the page's detectors take for a frame in Chromium, beside
// the same code as a native program without assembly and, where a file of it is given,
// OpenCV.js.
//
//	go -C web/browser run ./figures
//	go -C web/browser run ./figures -opencv FILE
package main

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/frames"
	"github.com/fastcorners/fast/web/browser"
)

// script is what runs in the browser.
//
//go:embed measure.js
var script []byte

func main() {
	opencv := flag.String("opencv", "", "measure the OpenCV.js in `FILE`, too")
	rounds := flag.Int("rounds", 15, "measure `N` times; the fastest counts")
	flag.Parse()
	if err := run(*opencv, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// run measures, and prints a table in Markdown.
func run(opencv string, rounds int) error {
	dir, err := os.MkdirTemp("", "fast-figures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	list, err := loadFrames()
	if err != nil {
		return err
	}
	defer cpu.Limit(0)()
	methods, err := newMethods(list[0])
	if err != nil {
		return err
	}
	program, err := browser.Build(dir)
	if err != nil {
		return err
	}
	page, err := browser.Serve(program)
	if err != nil {
		return err
	}
	defer page.Close()
	site, err := newSite(page.URL, opencv, list)
	if err != nil {
		return err
	}
	defer site.Close()
	tab, cancel := browser.Start(filepath.Join(dir, "profile"), nil)
	defer cancel()
	if err := chromedp.Do(tab, chromedp.Navigate(site.URL+"/measure/")); err != nil {
		return err
	}
	// call calls a function of measure.js, which returns milliseconds.
	call := func(format string, args ...any) (time.Duration, error) {
		ms, err := chromedp.Run(tab, chromedp.Evaluate[float64](fmt.Sprintf(format, args...), chromedp.EvalAwaitPromise))
		return time.Duration(ms * 1e6), err
	}
	if _, err := call("begin(%d, %t)", len(list), opencv != ""); err != nil {
		return err
	}

	type times struct{ native, page, opencv time.Duration }
	best := make([]times, len(methods))
	for round := range rounds {
		for i, m := range methods {
			// They take turns, for what else the machine does slows all of them.
			now := times{native: measure(m, list)}
			if now.page, err = call("measure(%s)", m.page); err != nil {
				return err
			}
			if opencv != "" && m.opencv != "" {
				if now.opencv, err = call("measureOpenCV(%q)", m.opencv); err != nil {
					return err
				}
			}
			b := &best[i]
			if round == 0 {
				*b = now
			}
			*b = times{min(b.native, now.native), min(b.page, now.page), min(b.opencv, now.opencv)}
		}
	}

	version, err := chromedp.CallBrowser(tab, cdpbrowser.GetVersion, cdp.Empty{})
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s, %s\n\n", version.Product, runtime.Version(), runtime.GOARCH)
	fmt.Println("| ms a frame | native | page | page : native | OpenCV.js |")
	fmt.Println("|---|--:|--:|--:|--:|")
	for i, m := range methods {
		b, other := best[i], ""
		if b.opencv > 0 {
			other = milliseconds(b.opencv)
		}
		fmt.Printf("| %s | %s | %s | %.1f | %s |\n",
			m.name, milliseconds(b.native), milliseconds(b.page), float64(b.page)/float64(b.native), other)
	}
	return nil
}

func loadFrames() ([]*image.Gray, error) {
	root, err := browser.Root()
	if err != nil {
		return nil, err
	}
	photos, err := frames.Load(os.DirFS(filepath.Join(root, "testdata", "photos")))
	if err != nil {
		return nil, err
	}
	return frames.Make(photos, 640, 480, 16), nil
}

// measure returns how long a method takes for a frame here.
func measure(m method, list []*image.Gray) time.Duration {
	start := time.Now()
	for _, frame := range list {
		m.find(frame)
	}
	return time.Since(start) / time.Duration(len(list))
}

// milliseconds returns a time with three digits or so.
func milliseconds(d time.Duration) string {
	ms := d.Seconds() * 1e3
	if ms < 10 {
		return fmt.Sprintf("%.2f", ms)
	}
	return fmt.Sprintf("%.1f", ms)
}

// newSite serves the page, and below /measure/ what measures it.
func newSite(page, opencv string, list []*image.Gray) (*httptest.Server, error) {
	target, err := url.Parse(page)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		"/measure/":           []byte("<!DOCTYPE html><title>measure</title><script src=measure.js></script>"),
		"/measure/measure.js": script,
	}
	for i, frame := range list {
		var buf bytes.Buffer
		if err := png.Encode(&buf, frame); err != nil {
			return nil, err
		}
		files[fmt.Sprintf("/measure/%d.png", i)] = buf.Bytes()
	}
	if opencv != "" {
		if files["/measure/opencv.js"], err = os.ReadFile(opencv); err != nil {
			return nil, err
		}
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[r.URL.Path]
		if !ok {
			proxy.ServeHTTP(w, r)
			return
		}
		// As serve does, for a fine clock.
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		if r.URL.Path == "/measure/" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		http.ServeContent(w, r, r.URL.Path, time.Time{}, bytes.NewReader(data))
	})), nil
}
