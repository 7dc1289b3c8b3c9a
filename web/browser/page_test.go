package browser_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/web/browser"
	"github.com/stretchr/testify/require"
)

// command makes an action of a command of the protocol.
func command[P, R any](cmd cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, cmd, params)
		return err
	})
}

// drop drops files at a point of the window.
func drop(x, y float64, files ...string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		for _, event := range []input.DispatchDragEventType{"dragEnter", "dragOver", "drop"} {
			_, err := cdp.Call(ctx, tab, input.DispatchDragEvent, input.DispatchDragEventParams{
				Type: event,
				X:    x,
				Y:    y,
				Data: &input.DragData{Items: []*input.DragDataItem{}, Files: files, DragOperationsMask: 1},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// write writes a file for the page to open.
func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, data, 0o666))
	return file
}

// count returns the number of corners, with a comma, that the page shows by default.
func count(img *image.Gray, threshold uint8) string {
	n := len(must(fast.New(fast.Options{Threshold: threshold, ArcLength: 9, NonmaxSuppression: true})).Detect(img))
	if n = min(n, 2000); n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

func TestLoad(t *testing.T) {
	p := openDefault(t)
	require.Regexp(t, `^\d,\d+$`, p.text("count"))
	require.Equal(t, "corners", p.text("count-title"))
	require.Equal(t, "512×512", p.text("size"))
	require.Regexp(t, `^\d+\.\d+$`, p.text("time"))
	for _, id := range []string{"frame-time", "parts"} { // those are for videos
		require.False(t, eval[bool](p, `document.getElementById(%q).checkVisibility()`, id))
	}
	require.Empty(t, p.message())
	require.True(t, eval[bool](p, `document.getElementById("loading").hidden`))
	p.wait(`document.getElementById("summary").textContent.includes(" corners in ")`)
	p.noProblems()
	require.NotEmpty(t, p.urls)
	for _, u := range p.urls {
		require.True(t, strings.HasPrefix(u, server.URL) || strings.HasPrefix(u, "blob:"+server.URL), u)
	}
}

func TestDrop(t *testing.T) {
	p := openDefault(t)
	coffee, chelsea := photo("coffee_600x400.png"), photo("chelsea_451x300.png")
	r := p.act(drop(300, 300, coffee))
	require.Equal(t, [][2]int{{600, 400}}, r.Sizes)
	require.Equal(t, count(read(t, coffee), 25), p.text("count"))
	require.True(t, eval[bool](p, `document.getElementById("drop").hidden`))

	// Two are matched, and each can be replaced.
	p.do(drop(300, 300, coffee, chelsea))
	p.wait(`state.result.sizes.length === 2 && state.result.sizes[0][0] === 600 && state.result.sizes[1][0] === 451`)
	p.settle()
	require.Equal(t, "matches", p.result().Kind)
	second := p.result().Places[1]
	at := eval[[]float64](p, `[document.getElementById("picture").getBoundingClientRect()].flatMap((box) => [box.left, box.top])`)
	r = p.act(drop(at[0]+second.X+second.Width/2, at[1]+second.Y+second.Height/2, photo("astronaut_512x512.png")))
	require.Equal(t, [][2]int{{600, 400}, {512, 512}}, r.Sizes)
	second = p.result().Places[1]
	r = p.act(drop(at[0]+second.X-20, at[1]+second.Y+second.Height/2, chelsea))
	require.Equal(t, [][2]int{{451, 300}, {512, 512}}, r.Sizes)
	p.noProblems()
}

func TestSlider(t *testing.T) {
	p := openDefault(t)
	img := read(t, photo("astronaut_512x512.png"))
	p.act(choose("file", photo("astronaut_512x512.png")))
	before := p.text("count")
	require.Equal(t, count(img, 25), before)
	p.do(chromedp.Focus(chromedp.CSS("#threshold")))
	for range 5 {
		p.act(chromedp.KeyEvent(kb.ArrowRight))
	}
	require.Equal(t, "30 gray levels", eval[string](p, `document.querySelector("output[for=threshold]").textContent`))
	require.Equal(t, count(img, 30), p.text("count"))
	require.NotEqual(t, before, p.text("count"))

	// However fast it is moved, the last place counts.
	p.do(chromedp.Evaluate[chromedp.Void](`for (let i = 1; i <= 60; i++) {
		const slider = document.getElementById("threshold");
		slider.value = i;
		slider.dispatchEvent(new Event("input", {bubbles: true}));
	}`))
	p.settle()
	require.Equal(t, count(img, 60), p.text("count"))

	p.act(chromedp.Click(chromedp.CSS("#defaults")))
	require.Equal(t, before, p.text("count"))
	p.noProblems()
}

// All that can be done with a mouse can be done with the keyboard.
func TestKeyboard(t *testing.T) {
	p := openDefault(t)
	reached := make(map[string]bool)
	for range 40 {
		p.do(chromedp.KeyEvent(kb.Tab))
		reached[eval[string](p, `document.activeElement.id || document.activeElement.name || document.activeElement.alt`+
			` || document.activeElement.textContent.trim() || document.activeElement.firstElementChild?.alt`)] = true
	}
	for _, name := range []string{
		"picture", "larger", "file", "camera", "show", "method", "threshold", "arc", "number", "suppression", "spread", "save", "defaults", "Coffee",
	} {
		require.True(t, reached[name], "%s is not among %v", name, reached)
	}
	p.do(chromedp.Focus(chromedp.CSS("input[value=corners]")))
	for _, kind := range []string{"keypoints", "calibrate", "markers", "matches", "panorama", "track", "stabilize"} {
		p.do(chromedp.KeyEvent(kb.ArrowLeft))
		p.wait(`state.result.kind === %q`, kind)
	}
}

// What can be used has a name to be read aloud.
func TestLabels(t *testing.T) {
	p := openDefault(t)
	roles := map[string]int{}
	for _, show := range []string{"matches", "keypoints", "corners", "panorama", "track", "stabilize", "markers", "calibrate"} {
		p.do(p.set(map[string]any{"show": show}))
		p.wait(`state.result.kind === %q`, show)
		tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		require.NoError(t, err)
		for _, node := range tree.Nodes {
			role, name := text(node.Role), text(node.Name)
			switch role {
			case "slider", "button", "radio", "checkbox", "combobox", "image", "link", "group", "radiogroup", "textbox":
				if node.Ignored {
					continue
				}
				roles[role]++
				require.NotEmpty(t, name, "%s in %s", role, show)
			}
		}

		// All of them that can be seen and used can be reached with the keyboard: one of the radio
		// buttons, which the arrows go through, and each of the others.
		want := eval[int](p, `[...document.querySelectorAll("button, input, select, summary, a, [tabindex]")]
			.filter((element) => !element.disabled && element.checkVisibility() && (element.type !== "radio" || element.checked)).length`)
		p.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur(); globalThis.reached = new Set();
			addEventListener("focusin", ({target}) => reached.add(target)); undefined`))
		for range want + 1 { // the first one leaves the page's frame, or comes back to it
			p.do(chromedp.KeyEvent(kb.Tab))
		}
		require.Equal(t, want, eval[int](p, `reached.size`), show)
	}
	for role, least := range map[string]int{"slider": 10, "button": 15, "radio": 9, "checkbox": 5, "combobox": 1, "group": 6} {
		require.GreaterOrEqual(t, roles[role], least, "%v", roles)
	}
}

// text returns a value of the tree of accessible things as a text.
func text(v *accessibility.Value) string {
	var s string
	if v != nil {
		_ = json.Unmarshal(v.Value, &s)
	}
	return s
}

func TestCamera(t *testing.T) {
	p := openDefault(t)
	p.do(chromedp.Click(chromedp.CSS("#camera")))
	p.wait(`state.frames.done >= 10`)
	require.Equal(t, [][2]int{{640, 480}}, p.result().Sizes)
	p.wait(`state.result.values.length > 0`)
	require.Regexp(t, `^\d+$`, p.text("dropped"))

	// Corners are drawn over the video itself, which is where the picture would be.
	p.wait(`!document.getElementById("video").classList.contains("unseen") && !document.getElementById("marks").hidden`)
	require.Equal(t, []float64{640, 480}, eval[[]float64](p, `(() => {
		const {left, top, width, height} = document.getElementById("video").getBoundingClientRect();
		const stage = document.getElementById("stage").getBoundingClientRect(), [place] = state.result.places;
		return [left - stage.left - place.x, top - stage.top - place.y].every((v) => Math.abs(v) < 1) ?
			[width, height].map((v) => Math.round(v / place.scale)) : [];
	})()`))
	file := filepath.Join(p.downloads(), "fast.png")
	p.do(chromedp.Click(chromedp.CSS("#save")))
	downloaded(t, file)
	saved := read(t, file)
	require.Equal(t, image.Rect(0, 0, 640, 480), saved.Rect)
	require.Greater(t, slices.Max(saved.Pix), uint8(100))

	// When the camera is off, its last frame stays.
	p.do(chromedp.Click(chromedp.CSS("#camera")))
	p.wait(`document.getElementById("video").classList.contains("unseen") && %s(0.5, 0.5).some((v) => v > 100)`,
		strings.Replace(color01, "data[0]", "data.slice(0, 3)", 1))
	p.do(chromedp.Click(chromedp.CSS("#camera")))
	p.wait(`state.live === "camera"`)

	// Between two frames, the first of which is held.
	p.do(p.set(map[string]any{"show": "matches", "threshold": 20, "features": features}))
	p.wait(`state.result.kind === "matches"`)
	require.Equal(t, [][2]int{{640, 480}, {640, 480}}, p.result().Sizes)
	p.do(chromedp.Click(chromedp.CSS("#hold")))
	p.wait(`state.result.values.length > 0`)

	p.do(chromedp.Click(chromedp.CSS("#camera")))
	p.settle()
	done := eval[int](p, `state.frames.done`)
	time.Sleep(300 * time.Millisecond)
	require.Equal(t, done, eval[int](p, `state.frames.done`))
	require.Equal(t, "false", eval[string](p, `document.getElementById("camera").getAttribute("aria-pressed")`))

	p.noProblems()
}

// What takes longer than a frame drops others, and queues none.
func TestDropped(t *testing.T) {
	slow := command(cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: `
		globalThis.runs = 0;
		const post = Worker.prototype.postMessage;
		Worker.prototype.postMessage = function (message, transfer) {
			runs += message.run ? 1 : 0;
			setTimeout(() => post.call(this, message, transfer), message.run ? 200 : 0);
		};`})
	p := open(t, chromium, server.URL+corners, slow)
	p.wait(`state.result`)
	p.settle()
	p.do(chromedp.Click(chromedp.CSS("#camera")))
	p.wait(`state.frames.seen > 0`)
	eval[bool](p, `(globalThis.first = {...state.frames, runs}, true)`)
	for range 20 {
		require.True(t, eval[bool](p, `[0, 1].includes(state.frames.seen - state.frames.done - state.frames.dropped)`))
		require.True(t, eval[bool](p, `runs - first.runs <= 1 + state.frames.done - first.done`))
		require.Zero(t, eval[int](p, `state.waiting.length`))
		time.Sleep(50 * time.Millisecond)
	}
	p.wait(`state.frames.done >= first.done + 3`)
	require.True(t, eval[bool](p, `state.frames.dropped - first.dropped >= state.frames.done - first.done`))
	p.wait(`Number(document.getElementById("dropped").textContent) > 0`)
	p.noProblems()
}

// A photo takes the place of the camera, whatever that is doing.
func TestPhotoForCamera(t *testing.T) {
	p := openDefault(t)
	coffee := photo("coffee_600x400.png")
	for i := range 6 {
		p.act(chromedp.Click(chromedp.CSS("[data-sample]")))
		p.do(chromedp.Click(chromedp.CSS("#camera")))
		if i > 0 { // the first time, it may not be on yet
			p.wait(`state.result.sizes[0][0] === 640`)
		}
		p.do(choose("file", coffee))
		p.wait(`state.result.sizes[0][0] === 600`)
		p.settle()
		time.Sleep(200 * time.Millisecond)
		p.settle()
		require.Equal(t, [][2]int{{600, 400}}, p.result().Sizes)
		require.Equal(t, count(read(t, coffee), 25), p.text("count"))
		require.Equal(t, "false", eval[string](p, `document.getElementById("camera").getAttribute("aria-pressed")`))
	}
	p.noProblems()
}

func TestCameraErrors(t *testing.T) {
	for _, test := range []struct {
		name  string
		flags map[string]any
		says  string
	}{
		{
			"refused",
			map[string]any{"use-fake-device-for-media-stream": true, "use-fake-ui-for-media-stream": "deny"},
			"Access to the camera was denied.",
		},
		{
			"none",
			map[string]any{"use-fake-device-for-media-stream": "device-count=0", "use-fake-ui-for-media-stream": true},
			"No camera was found.",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			other, cancel := browser.Start(t.TempDir(), test.flags)
			defer cancel()
			require.NoError(t, chromedp.Do(other))
			p := open(t, other, server.URL+corners)
			p.wait(`state.result`)
			p.do(chromedp.Click(chromedp.CSS("#camera")))
			p.waitMessage(test.says)
			require.Equal(t, "false", eval[string](p, `document.getElementById("camera").getAttribute("aria-pressed")`))
			p.do(chromedp.Click(chromedp.CSS("#dismiss")))
			require.Empty(t, p.message())
			// Everything else works.
			require.Equal(t, "keypoints", p.act(chromedp.Click(chromedp.CSS("input[value=keypoints]"))).Kind)
		})
	}
}

// A plain image is black.
type plain struct{ image.Rectangle }

func (p plain) ColorModel() color.Model     { return color.Palette{color.Black, color.White} }
func (p plain) Bounds() image.Rectangle     { return p.Rectangle }
func (p plain) At(int, int) color.Color     { return color.Black }
func (p plain) ColorIndexAt(int, int) uint8 { return 0 }

func TestBadPictures(t *testing.T) {
	p := openDefault(t)
	good := p.text("count")
	p.do(choose("file", write(t, "notes.png", []byte("These are not pixels.\n"))))
	p.waitMessage("notes.png is not a picture")

	p.do(chromedp.Click(chromedp.CSS("#dismiss")))
	p.do(choose("file", write(t, "IMG_1.HEIC", []byte("\x00\x00\x00\x18ftypheic"))))
	p.waitMessage("IMG_1.HEIC is a HEIC photo", "Export it as JPEG.")

	whole, err := os.ReadFile(photo("coffee_600x400.png"))
	require.NoError(t, err)
	p.do(chromedp.Click(chromedp.CSS("#dismiss")))
	p.do(choose("file", write(t, "header.png", whole[:60])))
	p.waitMessage("header.png is not a picture")

	var huge bytes.Buffer
	require.NoError(t, png.Encode(&huge, plain{image.Rect(0, 0, 12500, 8000)}))
	p.do(chromedp.Click(chromedp.CSS("#dismiss")))
	p.do(choose("file", write(t, "huge.png", huge.Bytes())))
	p.waitMessage("huge.png", "12500 × 8000", "100 million", "64 million")

	// The picture before is still there, and the next good one is taken.
	p.settle()
	require.Equal(t, good, p.text("count"))
	p.act(choose("file", photo("coffee_600x400.png")))
	require.Empty(t, p.message())
	require.Equal(t, count(read(t, photo("coffee_600x400.png")), 25), p.text("count"))
	r := p.act(choose("file", write(t, "small.png", encode(t, image.NewGray(image.Rect(0, 0, 3, 2))))))
	require.Equal(t, [][2]int{{3, 2}}, r.Sizes)
	require.Equal(t, "0", p.text("count"))
	for _, method := range []string{"harris", "shi-tomasi", "lococo"} {
		require.Empty(t, p.act(p.set(map[string]any{"method": method})).Values)
	}
	require.Empty(t, p.act(p.set(map[string]any{"show": "matches"})).Values)
	require.Empty(t, p.message())
}

func encode(t *testing.T, img image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	require.NoError(t, png.Encode(&buf, img))
	return buf.Bytes()
}

// A transparent pixel counts as black, and colors as their luma.
func TestColors(t *testing.T) {
	rng := uint32(1)
	opaque := image.NewNRGBA(image.Rect(0, 0, 90, 70))
	for i := range opaque.Pix {
		rng = rng*1664525 + 1013904223
		opaque.Pix[i] = uint8(rng >> 24)
		if i%4 == 3 {
			opaque.Pix[i] = 255
		}
	}
	holes := image.NewNRGBA(opaque.Rect)
	copy(holes.Pix, opaque.Pix)
	for y := 20; y < 50; y++ {
		for x := 30; x < 60; x++ {
			opaque.SetNRGBA(x, y, color.NRGBA{A: 255})
			holes.SetNRGBA(x, y, color.NRGBA{R: 200, G: 150, B: 100})
		}
	}
	p := openDefault(t)
	p.act(p.set(map[string]any{"number": allCorners}))
	want := findFAST(fast.Options{Threshold: 25, ArcLength: 9, Score: true, NonmaxSuppression: true})(fast.Gray(opaque))
	require.NotEmpty(t, want)
	white := image.NewGray(opaque.Rect) // shows through if anything does
	for i := range white.Pix {
		white.Pix[i] = 255
	}
	for _, img := range []image.Image{opaque, holes} {
		require.Empty(t, p.act(choose("file", write(t, "white.png", encode(t, white)))).Values)
		require.Equal(t, want, p.act(choose("file", write(t, "colors.png", encode(t, img)))).Values)
	}
}

// A picture of more pixels than are read at once is read whole.
func TestStrips(t *testing.T) {
	rng := uint32(1)
	img := image.NewGray(image.Rect(0, 0, 2300, 1500))
	for y := range 1500 {
		for x := range 2300 {
			rng = rng*1664525 + 1013904223
			img.Pix[y*2300+x] = uint8(x/50+y/50)*40 + uint8(rng>>30)
		}
	}
	p := openDefault(t)
	p.act(p.set(map[string]any{"number": allCorners}))
	want := findFAST(fast.Options{Threshold: 25, ArcLength: 9, Score: true, NonmaxSuppression: true})(img)
	require.NotEmpty(t, want)
	require.Equal(t, want, p.act(choose("file", write(t, "large.png", encode(t, img)))).Values)
	p.noProblems()
}

// downloaded returns a file when the browser has saved it. Until then there is none, or an empty
// one that reserves the name.
func downloaded(t *testing.T, file string) []byte {
	t.Helper()
	require.Eventually(t, func() bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() > 0
	}, patience, 10*time.Millisecond)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return data
}

func TestSave(t *testing.T) {
	p := openDefault(t)
	dir := t.TempDir()
	_, err := chromedp.CallBrowser(p.ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior:         cdpbrowser.SetDownloadBehaviorBehaviorAllow,
		DownloadPath:     dir,
		BrowserContextID: "",
	})
	require.NoError(t, err)
	save := func(name string) image.Image {
		p.do(chromedp.Click(chromedp.CSS("#save")))
		img, err := png.Decode(bytes.NewReader(downloaded(t, filepath.Join(dir, name))))
		require.NoError(t, err)
		return img
	}
	coffee := read(t, photo("coffee_600x400.png"))
	p.act(choose("file", photo("coffee_600x400.png")))
	img := save("fast.png")
	require.Equal(t, coffee.Rect, img.Bounds())
	// Corners are drawn in colors; far from them the photo is as it was.
	corners := must(fast.New(fast.Options{Threshold: 25, ArcLength: 9, NonmaxSuppression: true})).Detect(coffee)
	near := make(map[image.Point]bool)
	for _, c := range corners {
		dot := color.NRGBAModel.Convert(img.At(int(c.X), int(c.Y))).(color.NRGBA)
		require.False(t, dot.R == dot.G && dot.G == dot.B, "corner %v", c)
		for dy := -12; dy <= 12; dy++ {
			for dx := -12; dx <= 12; dx++ {
				near[image.Pt(int(c.X)+dx, int(c.Y)+dy)] = true
			}
		}
	}
	far := 0
	for y := range 400 {
		for x := range 600 {
			if !near[image.Pt(x, y)] {
				far++
				v := coffee.GrayAt(x, y).Y
				require.Equal(t, color.NRGBA{v, v, v, 255}, color.NRGBAModel.Convert(img.At(x, y)), "%d,%d", x, y)
			}
		}
	}
	require.Greater(t, far, 10_000)

	p.do(chromedp.EmulateViewport(1280, 700)) // in a higher window, they are one above the other
	p.act(p.set(map[string]any{"show": "matches"}))
	p.act(choose("second-file", photo("chelsea_451x300.png")))
	img = save("matches.png")
	// Side by side, with a gap, the lower one enlarged.
	require.Equal(t, 400, img.Bounds().Dy())
	require.InDelta(t, 600+451*400/300+10, img.Bounds().Dx(), 5)
	p.noProblems()
}

// newProxy serves the page with changes.
func newProxy(t *testing.T, change func(http.ResponseWriter, *http.Request, http.Handler)) string {
	t.Helper()
	target, err := url.Parse(server.URL)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { change(w, r, proxy) }))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

func TestNoProgram(t *testing.T) {
	p := open(t, chromium, newProxy(t, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if path.Ext(r.URL.Path) == ".bin" {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	}))
	p.waitMessage("The detectors cannot be loaded", "404")
}

// Without the photos to begin with, there is none yet.
func TestNoSamples(t *testing.T) {
	p := open(t, chromium, newProxy(t, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if path.Dir(r.URL.Path) == "/samples" {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})+corners)
	p.waitMessage("The photo cannot be loaded", "404")
	p.wait("state.ready")
	p.do(p.set(map[string]any{"show": "matches"}), chromedp.Click(chromedp.CSS("#dismiss")))
	p.do(choose("second-file", photo("coffee_600x400.png")))
	p.waitMessage("Choose the first photo, too.")
	r := p.act(choose("file", photo("astronaut_512x512.png")))
	require.Equal(t, [][2]int{{512, 512}, {600, 400}}, r.Sizes)
	require.Empty(t, p.message())
}

func TestNoWorker(t *testing.T) {
	p := open(t, chromium, newProxy(t, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.URL.Path == "/worker.js" {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	}))
	p.waitMessage("A part of the page could not be loaded")
}

func TestNoWebAssembly(t *testing.T) {
	p := open(t, chromium, server.URL+corners, command(cdppage.AddScriptToEvaluateOnNewDocument,
		cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: "delete globalThis.WebAssembly"}))
	p.waitMessage("This browser has no WebAssembly")
}

// While the program is loaded, the page tells how much of it is there.
func TestProgress(t *testing.T) {
	half := make(chan struct{})
	p := open(t, chromium, newProxy(t, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if path.Ext(r.URL.Path) != ".bin" {
			next.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		body := answer.Body.Bytes()
		w.Write(body[:len(body)/2])
		w.(http.Flusher).Flush()
		select {
		case <-half:
		case <-time.After(patience):
		}
		w.Write(body[len(body)/2:])
	}))
	p.wait(`Math.abs(document.getElementById("progress").value - 0.5) < 0.01`)
	require.False(t, eval[bool](p, `document.getElementById("loading").hidden`))
	// Nothing lies over that, and there are no figures yet.
	seen := `["split-field", "pause", "zoom", "figures", "parts"].filter((id) => document.getElementById(id).checkVisibility({visibilityProperty: true}))`
	require.Empty(t, eval[[]string](p, "%s", seen))
	close(half)
	p.wait(`state.result`)
	require.True(t, eval[bool](p, `document.getElementById("loading").hidden`))
	require.Equal(t, []string{"split-field", "pause", "figures", "parts"}, eval[[]string](p, "%s", seen))
}

// The built page works on any file server, in any folder.
func TestStatic(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	build := exec.Command(program, "-o", dir)
	build.Dir = filepath.Join(root, "web")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	files := httptest.NewServer(http.StripPrefix("/some/where/", http.FileServer(http.Dir(dir))))
	defer files.Close()
	p := open(t, chromium, files.URL+"/some/where/"+corners)
	p.wait(`state.result`)
	p.settle()
	coffee := photo("coffee_600x400.png")
	want := count(read(t, coffee), 25)
	p.act(choose("file", coffee))
	require.Equal(t, want, p.text("count"))
	p.noProblems()

	// After the first visit it works without the server.
	p.wait(`(await navigator.serviceWorker.ready).active.state === "activated"`)
	p.do(chromedp.Reload()) // so that the service worker answers
	p.wait(`state.result`)
	p.do(p.set(map[string]any{"show": "markers"}))
	p.wait(`state.result.kind === "markers"`)
	p.do(p.set(map[string]any{"show": "corners"}))
	p.wait(`state.result.kind === "corners" && location.hash.startsWith("#show=corners")`)
	files.Close()
	p.do(chromedp.Reload())
	p.wait(`state.result`)
	p.settle()
	p.act(choose("file", coffee))
	require.Equal(t, want, p.text("count"))
	// So do the rooms of the other program after a visit of one of them.
	p.act(chromedp.Click(chromedp.CSS("[data-sample=chelsea]")))
	for _, room := range []string{"matches", "panorama", "markers", "track", "calibrate", "stabilize", "keypoints"} {
		p.do(p.set(map[string]any{"show": room}))
		p.wait(`state.result.kind === %q && state.result.count > 0`, room)
	}
	p.noProblems()

	// A second build would mix with the first.
	again := exec.Command(program, "-o", dir)
	again.Dir = build.Dir
	out, err = again.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "is not empty")
}

// colorScheme has the page in light or dark colors.
func colorScheme(value string) chromedp.Action[chromedp.Void] {
	return command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
	})
}

func TestLooks(t *testing.T) {
	p := openDefault(t)
	background := func() string { return eval[string](p, `getComputedStyle(document.body).backgroundColor`) }
	fits := func(width int) { // nothing needs scrolling to the side
		t.Helper()
		require.Equal(t, width, eval[int](p, `document.scrollingElement.scrollWidth`))
	}
	shoot := func(name string) {
		if *screenshots == "" {
			return
		}
		time.Sleep(1500 * time.Millisecond) // the time of a photo gets better for a second
		quality := int64(75)
		shot, err := chromedp.Call(p.ctx, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{
			Format:  cdppage.CaptureScreenshotFormatJpeg,
			Quality: &quality,
		})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(*screenshots, name+".jpg"), shot.Data, 0o666))
	}

	// moving waits until a room has shown some frames, and stops at one.
	moving := func(room string) {
		p.do(p.set(map[string]any{"show": room}))
		p.wait(`state.live === "loop" && state.result.kind === %q`, room)
		done := eval[int](p, `state.frames.done`)
		p.wait(`state.frames.done >= %d`, done+60)
	}

	p.do(colorScheme("light"))
	light := background()
	fits(1280)
	shoot("corners")
	p.do(colorScheme("dark"))
	require.NotEqual(t, light, background())
	p.act(p.set(map[string]any{"show": "keypoints", "features": 3, "spread": true}))
	shoot("keypoints")
	p.act(choose("file", photo("chelsea_451x300.png")))
	p.act(p.set(map[string]any{"show": "matches"}))
	p.act(choose("second-file", filepath.Join(root, "testdata", "chelsea_turned.png")))
	fits(1280)
	shoot("matches")
	moving("track")
	fits(1280)
	shoot("track")
	p.do(colorScheme("light"))
	p.do(p.set(map[string]any{"show": "panorama"}))
	p.wait(`state.result.together`)
	fits(1280)
	shoot("panorama")
	moving("stabilize")
	fits(1280)
	shoot("stabilize")
	moving("markers")
	fits(1280)
	shoot("markers")
	moving("calibrate")
	p.wait(`state.calibration.known && state.calibration.views >= 10 && state.result.count > 0`)
	fits(1280)
	shoot("calibrate")
	p.do(colorScheme("dark"))
	shoot("calibrate-dark")
	p.do(colorScheme("light"))

	// The header begins where the content does.
	p.do(chromedp.EmulateViewport(1920, 1080))
	fits(1920)
	lefts := eval[[]float64](p, `["header img", "#stage"].map((css) => document.querySelector(css).getBoundingClientRect().left)`)
	require.InDelta(t, lefts[0], lefts[1], 0.5)

	// On a phone, the picture leaves room for the controls, and the row of rooms ends in one that is cut off.
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateScale(1.5)))
	for _, room := range []string{"calibrate", "markers", "matches", "panorama", "track", "keypoints", "corners", "stabilize"} {
		p.do(p.set(map[string]any{"show": room}))
		p.wait(`state.result.kind === %q`, room)
		fits(390)
		require.LessOrEqual(t, eval[float64](p, `document.getElementById("stage").clientHeight / innerHeight`), 0.45, room)
		require.True(t, eval[bool](p, `(() => {
			const row = document.getElementById("rooms"), edges = [...row.children].flatMap((label) => {
				const {left, right} = label.getBoundingClientRect();
				return [[left, right]];
			});
			return row.scrollWidth > row.clientWidth && getComputedStyle(row).maskImage !== "none" &&
				edges.some(([left, right]) => left < innerWidth && right > innerWidth - 10 || left < 10 && right > 0);
		})()`), room)
		if room == "calibrate" {
			p.wait(`state.calibration?.known && state.result.count > 0`)
			shoot("phone-calibrate")
		} else if room == "markers" {
			shoot("phone-markers")
		}
	}

	p.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateScale(1.5)))
	moving("stabilize")
	fits(360)
	shoot("phone")
	p.do(colorScheme("dark"))
	p.act(p.set(map[string]any{"show": "corners", "method": "shi-tomasi", "number": 3}))
	fits(360)
	require.True(t, eval[bool](p, `(({left, right}) => left >= 0 && right <= innerWidth)`+
		`(document.querySelector("#rooms label:has(:checked)").getBoundingClientRect())`)) // the room that was chosen
	shoot("phone-dark")
	p.do(colorScheme("light"))
	for _, size := range [][2]int64{{740, 360}, {844, 390}} {
		p.do(chromedp.EmulateViewport(size[0], size[1], chromedp.EmulateMobile))
		fits(int(size[0]))
		p.wait(`document.getElementById("figures").getBoundingClientRect().bottom < innerHeight`)
		require.Greater(t, eval[float64](p, `document.getElementById("stage").clientHeight / innerHeight`), 0.5)
	}
	shoot("lying")

	p.do(chromedp.EmulateViewport(1280, 800), chromedp.Click(chromedp.CSS("#explain")), chromedp.Click(chromedp.CSS("details summary")))
	p.do(chromedp.Evaluate[chromedp.Void](`scrollTo(0, document.body.scrollHeight); undefined`))
	fits(1280)
	shoot("code")
	p.noProblems()
}
