package browser_test

import (
	"context"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/web/browser"
	"github.com/stretchr/testify/require"
)

// filled makes a file with a gray picture of one level.
func filled(t *testing.T, name string, width, height int, level uint8) string {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = level
	}
	return write(t, name, encode(t, img))
}

// The script color is a function of JavaScript. It returns the red part of the pixel that is
// seen at a place of the canvas, 0 to 1 in both directions.
const color01 = `((x, y) => {
	const canvas = document.getElementById("picture");
	const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
	copy.drawImage(canvas, 0, 0);
	return copy.getImageData(Math.floor(x * canvas.width), Math.floor(y * canvas.height), 1, 1).data[0];
})`

// Figures are shown together with the picture that they are of.
func TestTogether(t *testing.T) {
	p := openDefault(t)
	p.act(choose("file", filled(t, "dark.png", 3000, 2000, 10)))
	eval[bool](p, `(globalThis.seen = [], new MutationObserver(() => seen.push([
		document.getElementById("size").textContent, %s(0.5, 0.5)])).observe(document.getElementById("size"), {childList: true}), true)`, color01)
	p.act(choose("file", filled(t, "light.png", 3000, 2001, 240)))
	p.act(choose("file", filled(t, "dark.png", 3000, 2002, 10)))
	require.Equal(t, [][]any{{"3000×2001", 240.0}, {"3000×2002", 10.0}}, eval[[][]any](p, `seen`))
	p.noProblems()
}

// tiled makes a file with a photo many times.
func tiled(t *testing.T, name string, across, down int) (file string, img *image.Gray) {
	t.Helper()
	tile := read(t, photo(name))
	w, h := tile.Rect.Dx(), tile.Rect.Dy()
	img = image.NewGray(image.Rect(0, 0, w*across, h*down))
	for y := range h * down {
		for x := range across {
			copy(img.Pix[y*img.Stride+x*w:], tile.Pix[y%h*tile.Stride:][:w])
		}
	}
	file = filepath.Join(t.TempDir(), "tiled.png")
	f, err := os.Create(file)
	require.NoError(t, err)
	defer f.Close()
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	require.NoError(t, encoder.Encode(f, img))
	return file, img
}

// A long search that is no longer wanted is ended.
func TestOutdated(t *testing.T) {
	// The page gives it as long as the photo took to be read, which depends on what else the
	// machine does.
	p := open(t, chromium, server.URL+corners, command(cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: `
		const add = Worker.prototype.addEventListener;
		Worker.prototype.addEventListener = function (type, listener) {
			add.call(this, type, (event) => {
				if (event.data?.searching) {
					event.data.searching = 0;
				}
				listener(event);
			});
		};`}))
	p.wait(`state.result`)
	p.settle()
	file, img := tiled(t, "life_640x480.png", 12, 12)
	p.act(p.set(map[string]any{"threshold": 100}))
	p.act(choose("file", file))
	eval[bool](p, `(globalThis.seen = [], new MutationObserver(() => seen.push(document.getElementById("count").textContent))
		.observe(document.getElementById("count"), {childList: true}), true)`)
	p.do(p.set(map[string]any{"method": "lococo"}))
	p.wait(`state.busy`)
	time.Sleep(100 * time.Millisecond)
	r := p.act(p.set(map[string]any{"method": "fast", "threshold": 120}))
	require.Equal(t, "corners", r.Kind)
	require.Equal(t, 1, eval[int](p, `state.ended`))
	require.Equal(t, count(img, 120), p.text("count"))
	require.Equal(t, []string{count(img, 120)}, eval[[]string](p, `seen`))
	p.noProblems()
}

// While the time of a photo is measured, other options need not wait long.
func TestRepeatedBriefly(t *testing.T) {
	p := openDefault(t)
	file, _ := tiled(t, "life_640x480.png", 7, 7)
	p.act(p.set(map[string]any{"method": "lococo"}))
	p.act(choose("file", file))
	took := eval[float64](p, `state.result.milliseconds`)
	require.Greater(t, took, 100.0)
	require.Zero(t, eval[int](p, `state.ended`))
	// The worker is idle, though nothing was asked for.
	idle := eval[float64](p, `await new Promise((resolve) => {
		const began = performance.now(), button = document.getElementById("larger");
		const canvas = document.getElementById("picture");
		new MutationObserver(() => resolve(performance.now() - began)).observe(canvas, {attributes: true});
		button.click();
		setTimeout(() => resolve(0), 50);
	})`)
	require.Less(t, idle, took)
}

// Two photos that are dropped are not matched with themselves first.
func TestPair(t *testing.T) {
	p := openDefault(t)
	eval[bool](p, `(globalThis.seen = [], new MutationObserver(() => seen.push(document.getElementById("size").textContent))
		.observe(document.getElementById("size"), {childList: true}), true)`)
	coffee, chelsea, astronaut := photo("coffee_600x400.png"), photo("chelsea_451x300.png"), photo("astronaut_512x512.png")
	p.act(drop(300, 300, coffee, chelsea))
	require.Equal(t, []string{"600×400, 451×300"}, eval[[]string](p, `seen`))
	require.Empty(t, p.message())

	// A third one is not ignored silently.
	p.act(drop(300, 300, astronaut, coffee, chelsea))
	p.waitMessage("astronaut_512x512.png and coffee_600x400.png", "Left out: chelsea_451x300.png")

	// A sample comes with its view, and another first photo does not keep that.
	r := p.act(chromedp.Click(chromedp.CSS("[data-sample=coffee]")))
	require.Equal(t, [][2]int{{600, 400}, {600, 400}}, r.Sizes)
	require.Greater(t, len(r.Values), 5*50)
	r = p.act(choose("file", chelsea))
	require.Equal(t, [][2]int{{451, 300}, {451, 300}}, r.Sizes)
	p.act(chromedp.Click(chromedp.CSS("[data-sample=coffee]")))
	p.act(choose("second-file", astronaut))
	r = p.act(choose("file", chelsea))
	require.Equal(t, [][2]int{{451, 300}, {512, 512}}, r.Sizes)
	p.act(chromedp.Click(chromedp.CSS("input[value=corners]")))
	p.act(chromedp.Click(chromedp.CSS("[data-sample=coffee]")))
	r = p.act(chromedp.Click(chromedp.CSS("input[value=matches]")))
	require.Equal(t, [][2]int{{600, 400}, {600, 400}}, r.Sizes)

	p.act(p.set(map[string]any{"ratio": 1}))
	require.Equal(t, "off", eval[string](p, `document.querySelector("output[for=ratio]").textContent`))
	p.noProblems()
}

func TestSVG(t *testing.T) {
	p := openDefault(t)
	p.act(p.set(map[string]any{"threshold": 10, "suppression": false}))
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="150">` +
		`<rect width="200" height="150"/><path d="M50 40h2v2h-2z" fill="white"/></svg>`
	r := p.act(choose("file", write(t, "square.svg", []byte(svg))))
	require.Equal(t, [][2]int{{200, 150}}, r.Sizes)
	img := image.NewGray(image.Rect(0, 0, 200, 150))
	for y := 40; y < 42; y++ {
		for x := 50; x < 52; x++ {
			img.SetGray(x, y, color.Gray{255})
		}
	}
	require.NotEmpty(t, r.Values)
	require.Equal(t, findFAST(fast.Options{Threshold: 10, ArcLength: 9, Score: true})(img), r.Values)
	require.Empty(t, p.message())
	p.noProblems()
}

// wheel turns the wheel of the mouse at a point.
func wheel(x, y, by float64) chromedp.Action[chromedp.Void] {
	// The type of package input leaves out a DeltaX of 0, which Chromium wants.
	type params struct {
		Type   string  `json:"type"`
		X      float64 `json:"x"`
		Y      float64 `json:"y"`
		DeltaX float64 `json:"deltaX"`
		DeltaY float64 `json:"deltaY"`
	}
	return command(cdp.Command[params, cdp.Empty]{Method: input.CommandDispatchMouseEvent},
		params{"mouseWheel", x, y, 0, by})
}

// Single pixels can be seen, and the picture be moved.
func TestZoom(t *testing.T) {
	p := openDefault(t)
	p.act(p.set(map[string]any{"threshold": 120}))
	p.act(choose("file", filled(t, "dark.png", 4000, 3000, 0)))
	box := eval[[]float64](p, `[document.getElementById("picture").getBoundingClientRect()].flatMap((b) => [b.left, b.top, b.width, b.height])`)
	place := p.result().Places[0]
	// Light the pixel at a point whose coordinates are integers, as browsers tell them, and
	// which is not at the edge of the pixel.
	pixelAt := func(x, y float64) (px, py float64) {
		size := eval[[]float64](p, `[document.getElementById("picture").width, document.getElementById("picture").height]`)
		return ((x-box[0])*size[0]/box[2] - place.X) * 4000 / place.Width, ((y-box[1])*size[1]/box[3] - place.Y) * 3000 / place.Height
	}
	middle := func(v float64) bool { return math.Abs(v-math.Floor(v)-0.5) < 0.25 }
	x, y := math.Round(box[0]+box[2]/4), math.Round(box[1]+box[3]/4)
	px, py := pixelAt(x, y)
	for ; !middle(px); px, py = pixelAt(x, y) {
		x++
	}
	for ; !middle(py); px, py = pixelAt(x, y) {
		y++
	}
	img := image.NewGray(image.Rect(0, 0, 4000, 3000))
	img.SetGray(int(px), int(py), color.Gray{20})
	p.act(choose("file", write(t, "pixel.png", encode(t, img))))
	require.True(t, eval[bool](p, `document.getElementById("smaller").disabled`))
	for range 30 {
		p.do(wheel(x, y, -200))
	}
	p.wait(`document.getElementById("larger").disabled`)
	// The pixel has an extent of 40 by 40 or so. Around it is a ring.
	near := func(x, y float64) {
		t.Helper()
		p.wait(`(%[1]s(%[2]f, %[3]f) > 15 && %[1]s(%[4]f, %[3]f) < 5 && %[1]s(%[2]f, %[5]f) < 5)`, color01,
			(x-box[0])/box[2], (y-box[1])/box[3], (x+60-box[0])/box[2], (y-60-box[1])/box[3])
	}
	near(x, y)

	// The mouse and the keys move it.
	mouse := func(kind input.DispatchMouseEventType, x, y float64) chromedp.Action[chromedp.Void] {
		return command(input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1,
		})
	}
	p.do(mouse(input.DispatchMouseEventTypeMousePressed, x, y), mouse(input.DispatchMouseEventTypeMouseMoved, x+100, y+50),
		mouse(input.DispatchMouseEventTypeMouseReleased, x+100, y+50))
	near(x+100, y+50)
	p.do(chromedp.Focus(chromedp.CSS("#picture")), chromedp.KeyEvent(kb.ArrowRight))
	near(x+40, y+50)
	p.do(chromedp.KeyEvent("0"))
	p.wait(`document.getElementById("smaller").disabled`)

	// Two fingers do as the wheel does.
	touch := func(kind input.DispatchTouchEventType, apart float64) chromedp.Action[chromedp.Void] {
		points := []*input.TouchPoint{}
		if kind != input.DispatchTouchEventTypeTouchEnd {
			points = append(points, &input.TouchPoint{X: x - apart, Y: y, ID: new(1.0)}, &input.TouchPoint{X: x + apart, Y: y, ID: new(2.0)})
		}
		return command(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
	}
	p.do(chromedp.EmulateViewport(1280, 800, chromedp.EmulateTouch))
	p.do(touch(input.DispatchTouchEventTypeTouchStart, 20), touch(input.DispatchTouchEventTypeTouchMove, 40),
		touch(input.DispatchTouchEventTypeTouchMove, 80), touch(input.DispatchTouchEventTypeTouchEnd, 0))
	p.wait(`!document.getElementById("smaller").disabled`)
	p.noProblems()
}

// With several cameras there is a choice.
func TestCameras(t *testing.T) {
	other, cancel := browser.Start(t.TempDir(), map[string]any{
		"use-fake-device-for-media-stream": "device-count=2",
		"use-fake-ui-for-media-stream":     true,
	})
	defer cancel()
	require.NoError(t, chromedp.Do(other))
	p := open(t, other, server.URL+corners)
	p.wait(`state.result`)
	require.True(t, eval[bool](p, `document.getElementById("device-field").hidden`))
	p.do(chromedp.Click(chromedp.CSS("#camera")))
	p.wait(`document.getElementById("device").options.length === 2 && state.frames.done > 0`)
	used := `document.getElementById("video").srcObject.getVideoTracks()[0].label`
	first := eval[string](p, "%s", used)
	require.Equal(t, first, eval[string](p, `document.getElementById("device").selectedOptions[0].label`))
	p.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const device = document.getElementById("device");
		device.selectedIndex = 1 - device.selectedIndex;
		device.dispatchEvent(new Event("input", {bubbles: true}));
		device.dispatchEvent(new Event("change", {bubbles: true}));
	})()`))
	p.wait(`document.getElementById("video").srcObject && %s !== %q && state.frames.done > 0`, used, first)
	p.wait(`document.getElementById("device").selectedOptions[0].label === %s`, used)
	p.do(chromedp.Click(chromedp.CSS("#camera")))
	require.True(t, eval[bool](p, `document.getElementById("device-field").hidden`))
	p.noProblems()
}

// emulateNetwork makes a line slow: bytes per second, and milliseconds for an answer to begin.
func emulateNetwork(bytes, latency float64) chromedp.Action[chromedp.Void] {
	type conditions struct {
		Offline            bool    `json:"offline"`
		Latency            float64 `json:"latency"`
		DownloadThroughput float64 `json:"downloadThroughput"`
		UploadThroughput   float64 `json:"uploadThroughput"`
	}
	return command(cdp.Command[conditions, cdp.Empty]{Method: "Network.emulateNetworkConditions"},
		conditions{Latency: latency, DownloadThroughput: bytes, UploadThroughput: bytes})
}

// The first result needs few bytes, so that it comes soon also by a slow line.
func TestFirstResult(t *testing.T) {
	for _, line := range []struct {
		name, hash     string
		bytes, latency float64
	}{
		{"fast", "", -1, 0},
		{"10 Mbit/s", "", 10e6 / 8, 40},
		{"markers", "#show=markers", 10e6 / 8, 40},
		{"calibrate", "#show=calibrate", 10e6 / 8, 40},
	} {
		t.Run(line.name, func(t *testing.T) {
			var sent atomic.Int64
			address := newProxy(t, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				next.ServeHTTP(counted{w, &sent}, r)
			})
			p := open(t, chromium, "about:blank", emulateNetwork(line.bytes, line.latency))
			began := time.Now()
			p.do(chromedp.Navigate(address + line.hash))
			p.wait(`state.result`)
			t.Logf("%v, %d bytes", time.Since(began), sent.Load())
			require.Less(t, sent.Load(), int64(1_500_000))
		})
	}
}

// A counted response counts the bytes of its body.
type counted struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c counted) Write(data []byte) (int, error) {
	c.sent.Add(int64(len(data)))
	return c.ResponseWriter.Write(data)
}

// A newer version waits until the user wants it.
func TestNewerVersion(t *testing.T) {
	var newer atomic.Bool
	p := open(t, chromium, newProxy(t, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if newer.Load() && r.URL.Path == "/files.js" {
			w.Header().Set("Content-Type", "text/javascript")
			w.Write([]byte(`const version = "newer", files = ["./"];`))
			return
		}
		next.ServeHTTP(w, r)
	}))
	p.wait(`state.result`)
	p.wait(`(await navigator.serviceWorker.ready).active.state === "activated"`)
	p.do(chromedp.Reload())
	p.wait(`state.result`)
	require.True(t, eval[bool](p, `document.getElementById("update").hidden`))
	newer.Store(true)
	p.do(chromedp.Reload())
	p.wait(`!document.getElementById("update").hidden`)
	require.Len(t, eval[[]string](p, `await caches.keys()`), 2)
	p.do(chromedp.Click(chromedp.CSS("#renew")))
	p.wait(`(await caches.keys()).length === 1 && (await caches.keys())[0].endsWith("newer")`)
	p.wait(`state.result`)
}

// rules is the version of axe-core, a program that knows rules of accessibility.
const rules = "axe-core@4.10.3"

// axe finds nothing that keeps anyone from using the page.
func TestAxe(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	pack := exec.CommandContext(ctx, "npm", "pack", rules)
	pack.Dir = dir
	if out, err := pack.CombinedOutput(); err != nil {
		t.Skipf("npm cannot get %s: %v %s", rules, err, out)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	require.NoError(t, err)
	require.Len(t, archives, 1)
	script, err := exec.Command("tar", "-xOf", archives[0], "package/axe.min.js").Output()
	require.NoError(t, err)
	p := openDefault(t)
	p.do(chromedp.Evaluate[chromedp.Void](string(script) + "; undefined"))
	for _, set := range []map[string]any{
		{"show": "corners", "method": "fast"},
		{"method": "lococo"},
		{"show": "keypoints"},
		{"show": "matches"},
		{"show": "panorama"},
		{"show": "track"},
		{"show": "stabilize"},
		{"show": "markers"},
		{"show": "calibrate"},
	} {
		p.do(p.set(set))
		p.wait(`state.result.kind === document.querySelector("[name=show]:checked").value`)
		for _, scheme := range []string{"light", "dark"} {
			p.do(colorScheme(scheme))
			require.Empty(t, eval[[]string](p, `(await axe.run()).violations.map(({id, nodes}) => id + ": " + nodes.map(({html}) => html).join(" "))`),
				"%v in %s", set, scheme)
		}
	}
}
