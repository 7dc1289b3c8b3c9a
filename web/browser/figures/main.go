// Figures measures how long the page's detectors take for a frame in Chromium, beside
// the same code as a native program without assembly and, where a file of it is given,
// OpenCV.js.
//
//	go -C web/browser run ./figures
//	go -C web/browser run ./figures -opencv FILE
//	go -C web/browser run ./figures -opencv FILE -o ../page/measured.js    # for the page to show
//	go -C web/browser run ./figures -camera 30                             # whole frames of a camera
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/png"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/program/frames"
	"github.com/fastcorners/fast/warp"
	"github.com/fastcorners/fast/web/browser"
)

// script is what runs in the browser.
//
//go:embed measure.js
var measureScript []byte

func main() {
	opencv := flag.String("opencv", "", "measure the OpenCV.js in `FILE`, too")
	out := flag.String("o", "", "write a script for the page to `FILE`; this needs -opencv")
	rounds := flag.Int("rounds", 15, "measure `N` times; the fastest counts")
	rate := flag.Int("camera", 0, "measure whole frames of a camera with `N` a second instead")
	flag.Parse()
	measure := func(dir, url string) error { return run(dir, url, *opencv, *out, *rounds) }
	if *rate > 0 {
		measure = func(dir, url string) error { return runFrames(dir, url, *rate, 3) }
	}
	if err := withPage(measure); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// withPage calls do with the address of the page, which it builds and serves, and a directory for
// temporary files.
func withPage(do func(dir, url string) error) error {
	dir, err := os.MkdirTemp("", "fast-figures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := browser.Build(dir)
	if err != nil {
		return err
	}
	page, err := browser.Serve(program)
	if err != nil {
		return err
	}
	defer page.Close()
	return do(dir, page.URL)
}

// run measures, and prints a table in Markdown. It writes a script for the page to out if that is
// not empty.
func run(dir, url, opencv, out string, rounds int) error {
	list, video, err := loadFrames(16)
	if err != nil {
		return err
	}
	defer cpu.Limit(0)()
	methods, err := newMethods(list[0])
	if err != nil {
		return err
	}
	site, err := newSite(url, opencv, list, video)
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

	best := make([]times, len(methods))
	for round := range rounds {
		for i, m := range methods {
			// They take turns, for what else the machine does slows all of them.
			frames := list
			if m.moving {
				frames = video
			}
			now := times{native: measure(m, frames)}
			if now.page, err = call("%s", m.page); err != nil {
				return err
			}
			if opencv != "" && m.opencv != "" {
				if now.opencv, err = call("%s", m.opencv); err != nil {
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
	if out == "" || opencv == "" {
		return nil
	}
	opencvVersion, err := chromedp.Run(tab, chromedp.Evaluate[string]("version()"))
	if err != nil {
		return err
	}
	text, err := script(methods, best, version.Product, opencvVersion)
	if err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o666)
}

// times are those of a method, for a frame.
type times struct{ native, page, opencv time.Duration }

// script returns the script for the page.
func script(methods []method, best []times, browser, opencv string) ([]byte, error) {
	type test struct {
		What   string  `json:"what"`
		Cores  int     `json:"cores"` // that the page uses
		Page   float64 `json:"page"`  // milliseconds
		OpenCV float64 `json:"opencv"`
	}
	var measured struct {
		Date    string          `json:"date"`
		Browser string          `json:"browser"`
		Machine string          `json:"machine"`
		OpenCV  string          `json:"opencv"`
		Tests   map[string]test `json:"tests"`
	}
	measured.Date = time.Now().UTC().Format("January 2, 2006")
	name, number, _ := strings.Cut(browser, "/")
	major, _, _ := strings.Cut(number, ".")
	measured.Browser = strings.TrimPrefix(name, "Headless") + " " + major
	measured.Machine = machine()
	measured.OpenCV = "OpenCV.js " + opencv
	measured.Tests = make(map[string]test)
	ms := func(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e3 }
	for i, m := range methods {
		if m.room != "" && best[i].opencv > 0 {
			cores := 1
			if m.second {
				cores = 2
			}
			measured.Tests[m.room] = test{m.what, cores, ms(best[i].page), ms(best[i].opencv)}
		}
	}
	data, err := json.MarshalIndent(measured, "", "  ")
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "// What figures has measured: milliseconds for a frame of 640x480, of this page and of\n"+
		"// OpenCV.js in the same browser.\n\nexport const measured = %s;\n", data), nil
}

// machine returns the name of the processor, if the system tells it, or that of its kind.
func machine() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if found := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindSubmatch(info); err == nil && found != nil {
		return string(found[1])
	}
	return runtime.GOARCH + " processor"
}

// loadFrames returns n frames of photos, and as many of a video.
func loadFrames(n int) (list, video []*image.Gray, err error) {
	root, err := browser.Root()
	if err != nil {
		return nil, nil, err
	}
	photos, err := frames.Load(os.DirFS(filepath.Join(root, "testdata", "photos")))
	if err != nil {
		return nil, nil, err
	}
	list = frames.Make(photos, 640, 480, n)
	file, err := os.Open(filepath.Join(root, "testdata", "photos", "picos_1280x720.png"))
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		return nil, nil, err
	}
	photo := fast.Gray(img)
	w, err := warp.New(warp.Options{Border: border.Reflect101})
	if err != nil {
		return nil, nil, err
	}
	for i := range list {
		// A number of waves, near to what one of so many radians a frame has in the video, so that
		// the last frame goes before the first.
		wave := func(radians float64) float64 {
			return 2 * math.Pi * float64(i) * math.Round(radians*float64(n)/(2*math.Pi)) / float64(n)
		}
		pan := 3 * float64(n) / (2 * math.Pi) * math.Sin(2*math.Pi*float64(i)/float64(n)) // up to 3 pixels a frame
		sin, cos := math.Sincos(0.01 * math.Sin(wave(1)))
		frame := image.NewGray(image.Rect(0, 0, 640, 480))
		w.Gray(frame, photo, warp.Affine{cos, -sin, 250 + pan + 6*math.Sin(wave(1.9)), sin, cos, 120 + 5*math.Cos(wave(1.3))})
		video = append(video, frame)
	}
	return list, video, nil
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
func newSite(page, opencv string, list, video []*image.Gray) (*httptest.Server, error) {
	target, err := url.Parse(page)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		"/measure/":           []byte("<!DOCTYPE html><title>measure</title><script src=measure.js></script>"),
		"/measure/measure.js": measureScript,
	}
	for name, frames := range map[string][]*image.Gray{"": list, "moving": video} {
		for i, frame := range frames {
			var buf bytes.Buffer
			if err := png.Encode(&buf, frame); err != nil {
				return nil, err
			}
			files[fmt.Sprintf("/measure/%s%d.png", name, i)] = buf.Bytes()
		}
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
