package browser_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/register"
	"github.com/fastcorners/fast/stabilize"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// The page opens with a video that is being stabilized.
func TestOpens(t *testing.T) {
	p := open(t, chromium, server.URL)
	p.wait(`state.result`)
	require.Equal(t, "stabilize", p.result().Kind)
	require.Equal(t, "loop", eval[string](p, `state.live`))
	require.Equal(t, [][2]int{{640, 360}}, p.result().Sizes)
	require.True(t, eval[bool](p, `document.querySelector("input[value=stabilize]").checked`))

	// Most of the shake is gone, and the frames are not.
	p.wait(`state.frames.done >= 60`)
	shake := eval[[]float64](p, `state.result.shake`)
	require.Greater(t, shake[0], 3.0)
	require.Less(t, shake[1], shake[0]/2)
	require.Greater(t, eval[int](p, `state.result.count`), 50)
	require.Regexp(t, `^\d+\.\d$`, p.text("before"))
	require.Regexp(t, `^\d+\.\d$`, p.text("after"))

	// What the time of a frame consists of is no more than that.
	parts := eval[map[string]float64](p, `({...state.result.parts, frame: state.result.frame})`)
	require.InDelta(t, parts["frame"], parts["waiting"]+parts["pixels"]+parts["search"]+parts["drawing"], 0.5*parts["frame"])
	require.Regexp(t, `^\d+`, p.text("part-drawing"))

	// It can be stopped, and goes on.
	p.do(chromedp.Click(chromedp.CSS("#pause")))
	p.settle()
	require.Equal(t, "Play", eval[string](p, `document.getElementById("pause").getAttribute("aria-label")`))
	done := eval[int](p, `state.frames.done`)
	time.Sleep(300 * time.Millisecond)
	require.Equal(t, done, eval[int](p, `state.frames.done`))
	p.act(p.set(map[string]any{"smoothing": 60})) // the same frame again
	p.do(chromedp.Click(chromedp.CSS("#pause")))
	p.wait(`state.frames.done >= %d`, done+5)
	p.noProblems()
}

// What moves by itself does not, where that is not wanted.
func TestReducedMotion(t *testing.T) {
	p := open(t, chromium, server.URL, command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
	}))
	p.wait(`state.result`)
	p.settle()
	time.Sleep(300 * time.Millisecond)
	require.Equal(t, 1, eval[int](p, `state.frames.done`))
	p.do(chromedp.Click(chromedp.CSS("#pause")))
	p.wait(`state.frames.done >= 3`)
	p.noProblems()
}

// The line between before and after is a slider.
func TestSplit(t *testing.T) {
	p := open(t, chromium, server.URL)
	p.wait(`state.frames.done >= 20`)
	p.do(chromedp.Click(chromedp.CSS("#pause")))
	p.settle()
	// The picture at one of its right columns, and whether it is the frame as it is.
	picture := `(() => {
		const canvas = document.getElementById("picture");
		const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
		copy.drawImage(canvas, 0, 0);
		return [...copy.getImageData(Math.floor(canvas.width * 0.9), 0, 1, canvas.height).data].join();
	})()`
	after := eval[string](p, "%s", picture)
	p.do(chromedp.Focus(chromedp.CSS("#split")), chromedp.KeyEvent(kb.End))
	require.Equal(t, "100 %", eval[string](p, `document.getElementById("split").getAttribute("aria-valuetext")`))
	p.wait(`%s !== %q`, picture, after)
	p.do(chromedp.KeyEvent(kb.Home))
	p.wait(`%s === %q`, picture, after)
	p.noProblems()
}

// worker makes a worker of its own and gives it files of pictures, one after the other, as data
// in base64. It returns the results of all.
func (p *page) worker(options string, pictures ...[]byte) []json.RawMessage {
	p.t.Helper()
	encoded := make([]string, len(pictures))
	for i, data := range pictures {
		encoded[i] = base64.StdEncoding.EncodeToString(data)
	}
	list, err := json.Marshal(encoded)
	require.NoError(p.t, err)
	return eval[[]json.RawMessage](p, `await (async () => {
		const {load} = await import(new URL("load.js", document.baseURI));
		const worker = new Worker("worker.js", {type: "module"});
		const answer = (what) => new Promise((resolve, reject) => {
			worker.onmessage = ({data}) => {
				data.drawn?.close();
				data.error || data.fatal ? reject(new Error(data.error ?? data.fatal)) : what(data) && resolve(what(data));
			};
		});
		worker.postMessage({module: await load()});
		await answer((data) => data.ready);
		const options = {
			number: 2000, features: 500, points: 200, threshold: 25, arc: 9, suppression: true, spread: false, quality: 0.01,
			distance: 10, block: 3, kernel: 9, radius: 4, circle: 3, run: 9, border: "limited", levels: 8,
			crossCheck: true, ratio: 0.8, maxDistance: 64, smoothing: 30, zoom: 1.15, ...%s};
		const results = [], two = ["matches", "panorama"].includes(options.kind);
		const files = %s.map((data) => new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]));
		while (files.length > 0) {
			const images = files.splice(0, two ? 2 : 1).map((source, slot) => ({source, slots: [slot]}));
			worker.postMessage({run: {images, options, seen: 0}});
			const result = await answer((data) => data.result);
			results.push({...result, values: Array.from(result.values)});
		}
		worker.terminate();
		return results;
	})()`, options, list)
}

// shaken returns what a camera that shakes sees of a photo.
func shaken(t *testing.T, n int) (frames []*image.Gray, files [][]byte) {
	img := read(t, photo("aitzgorri_752x480.png"))
	w := must(warp.New(warp.Options{Border: border.Reflect101}))
	for i := range n {
		s := float64(i)
		sin, cos := math.Sincos(0.01 * math.Sin(1.3*s))
		frame := image.NewGray(image.Rect(0, 0, 320, 240))
		w.Gray(frame, img, warp.Affine{cos, -sin, 180 + 2*s + 5*math.Sin(2*s), sin, cos, 120 + 4*math.Cos(1.7*s)})
		frames = append(frames, frame)
		files = append(files, encode(t, frame))
	}
	return frames, files
}

// What the page finds to stabilize frames is what the library finds here, to the last bit.
func TestSameStabilize(t *testing.T) {
	frames, files := shaken(t, 25)
	p := openDefault(t)
	results := p.worker(`{kind: "stabilize", method: "stabilize"}`, files...)
	s := must(stabilize.New(stabilize.Options{Online: true, Points: 200, SmoothingRadius: 30, Zoom: 1.15}))
	for i, frame := range frames {
		want, ok := s.Push(frame)
		require.True(t, ok)
		var got struct {
			Source geometry.Transform
			Count  int
		}
		require.NoError(t, json.Unmarshal(results[i], &got))
		require.Equal(t, want.Source, got.Source)
		require.Equal(t, want.Inliers, got.Count)
	}
	p.noProblems()
}

// Points are followed as the library does, to the last bit, and keep their trails.
func TestSameTrack(t *testing.T) {
	frames, files := shaken(t, 9)
	p := openDefault(t)
	results := p.worker(`{kind: "track", method: "track"}`, files...)
	points := flow.Points(must(harris.New(harris.GoodFeatures(200, 0.01, 10))).Detect(frames[0], nil))
	tracker := must(flow.New(flow.Options{Confirm: 0.5, KeepInside: true}))
	for i := range frames {
		if i > 0 {
			var left []flow.Point
			for _, track := range tracker.Track(tracker.Pyramid(frames[i-1]), tracker.Pyramid(frames[i]), points, nil) {
				if track.Found() {
					left = append(left, track.Point())
				}
			}
			points = left
		}
		var got struct {
			Values []float32
			Stride int
		}
		require.NoError(t, json.Unmarshal(results[i], &got))
		require.Len(t, got.Values, len(points)*got.Stride)
		require.Greater(t, len(points), 50)
		for k, point := range points {
			trail := got.Values[k*got.Stride : (k+1)*got.Stride]
			require.Equal(t, []float32{point.X, point.Y}, trail[:2])
		}
	}
	p.noProblems()
}

// The second photo of a panorama is where the library finds that it belongs.
func TestSamePanorama(t *testing.T) {
	frames, files := shaken(t, 12)
	p := openDefault(t)
	results := p.worker(`{kind: "panorama", method: "panorama"}`, files[0], files[11])
	r := must(register.New(register.Options{
		ORB:   orb.Options{Features: 500, FASTThreshold: 25},
		Match: match.Options{CrossCheck: true, Ratio: 0.8, MaxDistance: 64},
	}))
	want, err := r.Register(frames[0], frames[11])
	require.NoError(t, err)
	var got struct {
		Inliers  int
		Together bool
		Seen     [][2]int
	}
	require.NoError(t, json.Unmarshal(results[0], &got))
	require.True(t, got.Together)
	require.Equal(t, want.Inliers, got.Inliers)
	back, ok := want.Transform.Inverse()
	require.True(t, ok)
	bounds, ok := back.Bounds(frames[11].Rect)
	require.True(t, ok)
	whole := bounds.Union(frames[0].Rect)
	require.Equal(t, [][2]int{{whole.Dx(), whole.Dy()}}, got.Seen)
}

// Two photos become one where they overlap, and otherwise there is a hint.
func TestPanorama(t *testing.T) {
	p := open(t, chromium, server.URL+"#show=panorama")
	p.wait(`state.result?.together`)
	p.settle()
	require.Equal(t, [][2]int{{640, 520}, {640, 520}}, p.result().Sizes)
	require.Greater(t, eval[int](p, `state.result.inliers`), 20)
	require.True(t, eval[bool](p, `document.getElementById("apart").hidden`))
	require.Greater(t, eval[int](p, `state.result.seen[0][0]`), 900)
	p.wait(`Number(document.getElementById("time").textContent) < 0.9 * state.result.milliseconds`) // it is repeated

	// As a file, it is as large as its pixels.
	dir := p.downloads()
	p.do(chromedp.Click(chromedp.CSS("#save")))
	downloaded(t, filepath.Join(dir, "panorama.png"))
	img := read(t, filepath.Join(dir, "panorama.png"))
	require.Equal(t, eval[[2]int](p, `state.result.seen[0]`), [2]int{img.Rect.Dx(), img.Rect.Dy()})

	p.act(choose("second-file", photo("chelsea_451x300.png")))
	require.False(t, eval[bool](p, `state.result.together`))
	require.False(t, eval[bool](p, `document.getElementById("apart").hidden`))
	require.Len(t, p.result().Places, 2)
	p.noProblems()
}

// downloads has the browser save files in a directory, and returns it.
func (p *page) downloads() string {
	p.t.Helper()
	dir := p.t.TempDir()
	_, err := chromedp.CallBrowser(p.ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior:     cdpbrowser.SetDownloadBehaviorBehaviorAllow,
		DownloadPath: dir,
	})
	require.NoError(p.t, err)
	return dir
}

// The stabilized video can be saved, and such a file be opened.
func TestRecord(t *testing.T) {
	p := open(t, chromium, server.URL)
	p.wait(`state.frames.done >= 5`)
	dir := p.downloads()
	p.do(chromedp.Click(chromedp.CSS("#record")))
	require.Equal(t, "Stop and save", p.text("record"))
	done := eval[int](p, `state.frames.done`)
	p.wait(`state.frames.done >= %d`, done+20)
	time.Sleep(500 * time.Millisecond)
	p.do(chromedp.Click(chromedp.CSS("#record")))
	file := filepath.Join(dir, "stabilize.webm")
	data := downloaded(t, file)
	require.Equal(t, "\x1a\x45\xdf\xa3", string(data[:4]))
	require.Greater(t, len(data), 10_000)
	require.Equal(t, "Record", p.text("record"))

	p.do(choose("file", file))
	p.wait(`state.live === "file" && state.frames.done >= 3`)
	require.Equal(t, [][2]int{{640, 360}}, p.result().Sizes)
	require.Equal(t, "stabilize", p.result().Kind)
	for _, room := range []string{"track", "corners", "matches"} {
		p.do(p.set(map[string]any{"show": room}))
		p.wait(`state.result.kind === %q && state.live === "file"`, room)
	}

	// Another file that is none leaves the room with the loop.
	p.do(p.set(map[string]any{"show": "track"}))
	p.do(choose("file", write(t, "notes.webm", []byte("These are no frames.\n"))))
	p.waitMessage("notes.webm is not a video that this browser can play.")
	p.wait(`state.live === "loop" && state.frames.done >= 3`)
	// A photo leads to the room for it.
	p.act(choose("file", photo("coffee_600x400.png")))
	p.wait(`state.result.kind === "corners" && state.live === null`)
	require.Equal(t, [][2]int{{600, 400}}, p.result().Sizes)
	require.Equal(t, count(read(t, photo("coffee_600x400.png")), 25), p.text("count"))
}

// Luma of a video is taken as it is, in the range of pictures.
func TestLuma(t *testing.T) {
	p := openDefault(t)
	const w, h = 62, 46
	img := image.NewGray(image.Rect(0, 0, w, h))
	luma := make([]string, w*h)
	rng := uint32(1)
	for i := range img.Pix {
		rng = rng*1664525 + 1013904223
		v := 16 + rng>>24*219/255/8*8
		luma[i] = fmt.Sprint(v)
		img.Pix[i] = uint8(math.Round(float64(v-16) * 255 / 219))
	}
	want := findFAST(fast.Options{Threshold: 25, ArcLength: 9, Score: true, NonmaxSuppression: true})(img)
	require.NotEmpty(t, want)
	got := eval[[]float32](p, `await (async () => {
		const {load} = await import(new URL("load.js", document.baseURI));
		const worker = new Worker("worker.js", {type: "module"});
		const answer = (what) => new Promise((resolve) => {
			worker.onmessage = ({data}) => what(data) && resolve(what(data));
		});
		worker.postMessage({module: await load()});
		await answer((data) => data.ready);
		const data = new Uint8Array(%[1]d * %[2]d * 3 / 2).fill(128);
		data.set([%[3]s]);
		const source = new VideoFrame(data, {format: "I420", codedWidth: %[1]d, codedHeight: %[2]d, timestamp: 0});
		worker.postMessage({run: {images: [{source, slots: [0]}], seen: 0, options: {
			kind: "corners", method: "fast", number: 0, features: 500, points: 200, threshold: 25, arc: 9, suppression: true,
			spread: false, quality: 0.01, distance: 10, block: 3, kernel: 9, radius: 4, circle: 3, run: 9, border: "limited",
			levels: 8, crossCheck: true, ratio: 0.8, maxDistance: 64, smoothing: 30, zoom: 1.15}}}, [source]);
		const {values} = await answer((data) => data.result);
		worker.terminate();
		return Array.from(values);
	})()`, w, h, strings.Join(luma, ","))
	require.Equal(t, want, got)
}

// Rooms and their options are in the address.
func TestRoomLinks(t *testing.T) {
	p := open(t, chromium, server.URL+"#show=track&points=100")
	p.wait(`state.result?.kind === "track"`)
	require.Equal(t, "100", eval[string](p, `document.getElementById("points").value`))
	p.wait(`location.hash === "#show=track&points=100"`)
	p.do(p.set(map[string]any{"show": "stabilize", "smoothing": 45}))
	p.wait(`location.hash === "#points=100&smoothing=45"`)
	p.do(chromedp.Evaluate[chromedp.Void](`location.hash = "#show=keypoints&sample=coffee"; undefined`))
	p.wait(`state.result.kind === "keypoints"`)
	p.settle()
	require.Equal(t, [][2]int{{600, 400}}, p.result().Sizes)
	p.do(chromedp.Evaluate[chromedp.Void](`location.hash = "#smoothing=20"; undefined`))
	p.wait(`state.result.kind === "stabilize"`)
	p.noProblems()
}

// The camera goes with every room.
func TestCameraRooms(t *testing.T) {
	p := open(t, chromium, server.URL)
	p.wait(`state.result`)
	p.do(chromedp.Click(chromedp.CSS("#camera")))
	for _, room := range []string{"stabilize", "track", "panorama", "matches", "markers", "calibrate", "keypoints", "corners", "stabilize"} {
		p.do(p.set(map[string]any{"show": room}))
		p.wait(`state.live === "camera" && state.result.kind === %q && state.result.sizes[0][1] === 480`, room)
	}
	p.do(chromedp.Click(chromedp.CSS("#camera")))
	p.wait(`state.live === "loop" && state.result.sizes[0][1] === 360`)
	p.noProblems()
}
