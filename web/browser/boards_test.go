package browser_test

import (
	"bytes"
	"image"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// tilted returns a picture of a drawing that is seen from the side.
func tilted(drawing *image.Gray) *image.Gray {
	r := drawing.Rect
	quad := []geometry.Point{{X: 60, Y: 40}, {X: 600, Y: 90}, {X: 560, Y: 400}, {X: 90, Y: 440}}
	corners := []geometry.Point{{}, {X: float64(r.Dx())}, {X: float64(r.Dx()), Y: float64(r.Dy())}, {Y: float64(r.Dy())}}
	t, ok := geometry.Exact(geometry.Homography, quad, corners)
	if !ok {
		panic("the quad is not convex")
	}
	img := image.NewGray(image.Rect(0, 0, 640, 480))
	must(warp.New(warp.Options{Border: border.Replicate})).Gray(img, drawing, warp.Of(t))
	return img
}

// The room for markers shows those of the sample, with a cube on each of them, and what it finds in a
// photo is what the library and the program corners find.
func TestMarkers(t *testing.T) {
	p := open(t, chromium, server.URL+"#show=markers")
	p.wait(`state.result?.kind === "markers"`)
	require.Equal(t, "loop", eval[string](p, `state.live`))
	done := eval[int](p, `state.frames.done`)
	p.wait(`state.frames.done >= %d`, done+5)
	r := p.result()
	require.Equal(t, [][2]int{{640, 360}}, r.Sizes)
	require.Len(t, r.Values, 8*r.Stride)
	p.do(p.set(map[string]any{"family": "aruco4x4:50"})) // the sample has markers of that family, too
	p.wait(`state.result.values[0] === 16 && state.result.count === 8`)

	family := tag.Family{Kind: tag.ArUco5x5, Codes: 100}
	img := tilted(tag.Sheet{Family: family, First: 30, Columns: 4, Rows: 3, Side: 1, Gap: 0.4}.Draw(12))
	dir := t.TempDir()
	sheet := filepath.Join(dir, "sheet.png")
	require.NoError(t, os.WriteFile(sheet, encode(t, img), 0o666))
	p.do(choose("file", sheet))
	p.wait(`state.live === null && state.result.sizes[0][1] === 480`)
	p.act(p.set(map[string]any{"family": "aruco5x5:100"}))
	p.settle()
	var want []float32
	for _, found := range must(tag.New(tag.Options{Families: []tag.Family{family}})).Detect(img) {
		seen := camera.FromFieldOfView(60, 640, img.Rect.Size())
		want = append(want, float32(found.ID))
		for _, c := range found.Corners {
			want = append(want, float32(c.X), float32(c.Y))
		}
		at, ok := found.Pose(seen, 1)
		require.True(t, ok)
		require.False(t, found.Hidden)
		want = append(want, 0, float32(at.Pose.T.Norm()))
		for _, top := range []pose.Vector{{-0.5, -0.5, -1}, {0.5, -0.5, -1}, {0.5, 0.5, -1}, {-0.5, 0.5, -1}} {
			c, ok := seen.Project(at.Pose.Apply(top))
			require.True(t, ok)
			want = append(want, float32(c.X), float32(c.Y))
		}
	}
	require.Len(t, want, 12*r.Stride)
	require.Equal(t, want, p.result().Values)
	p.sameFiles(buildCorners(t, dir), filepath.Join(dir, "saved"), "markers", "tag -family aruco5x5:100", []string{sheet})
	p.sameInGo(buildCode(t, p.text("code"), dir), []string{sheet})

	// The photo stays in the rooms of the other program, and the sample comes back.
	p.do(p.set(map[string]any{"show": "keypoints"}))
	p.wait(`state.result.kind === "keypoints" && state.result.sizes[0][1] === 480`)
	p.do(p.set(map[string]any{"show": "markers"}))
	p.wait(`state.result.kind === "markers" && state.result.sizes[0][1] === 480`)
	p.do(chromedp.Click(chromedp.CSS("#sample")))
	p.wait(`state.live === "loop" && state.result.sizes[0][1] === 360`)
	p.noProblems()
}

// The room for calibration takes views of the sample, of which each frame that is still tells something
// new, and finds the lens that the sample is seen through.
func TestCalibrate(t *testing.T) {
	p := open(t, chromium, server.URL+"#show=calibrate")
	p.wait(`state.calibration?.views >= 1`)
	require.Contains(t, p.text("next-view"), "Hold the board still")
	p.wait(`state.calibration.views >= 8`)
	require.Equal(t, "9 × 6 corners", p.text("board"))
	require.Equal(t, 9*6*2*eval[int](p, `state.calibration.views`), eval[int](p, `state.calibration.dots.length`))
	fields := eval[[]float64](p, `state.calibration.known.fields`)
	deviations := eval[[]float64](p, `state.calibration.deviations`)
	for i, want := range []float64{550, 550, 323, 177, -0.12, 0.03} {
		require.InDelta(t, want, fields[i], 5*deviations[i]+0.01*max(1, want)) // and what rendering adds
		require.Greater(t, deviations[i], 0.0)
	}
	require.Less(t, eval[float64](p, `state.calibration.rms`), 0.2)
	require.Less(t, eval[float64](p, `state.calibration.middle`), eval[float64](p, `state.calibration.worst`))
	require.Regexp(t, "^(Next, |No other view)", p.text("next-view"))
	require.False(t, eval[bool](p, `document.getElementById("map").hidden`))

	// The camera can be saved, for programs with OpenCV too.
	p.do(chromedp.Click(chromedp.CSS("#pause")))
	p.settle()
	dir := p.downloads()
	for _, form := range []string{"yaml", "json"} {
		p.do(chromedp.Click(chromedp.CSS("#save-" + form)))
		info, err := camera.ReadInfo(bytes.NewReader(downloaded(t, filepath.Join(dir, "camera."+form))))
		require.NoError(t, err)
		require.Equal(t, [2]int{640, 360}, [2]int{info.Width, info.Height})
		require.Equal(t, eval[[]float64](p, `state.calibration.known.fields`)[:6], []float64{info.Fx, info.Fy, info.Cx, info.Cy, info.K1, info.K2})
	}
	buildCode(t, p.text("code"), t.TempDir())

	// Another lens has the same views.
	views := eval[int](p, `state.calibration.views`)
	p.act(p.set(map[string]any{"lens": "fisheye"}))
	require.Equal(t, views, eval[int](p, `state.calibration.views`))
	require.Equal(t, 1, eval[int](p, `state.calibration.known.model`))
	buildCode(t, p.text("code"), t.TempDir())
	p.act(p.set(map[string]any{"lens": "usual"}))

	// The room for markers knows the camera, until a calibration begins anew.
	p.do(p.set(map[string]any{"show": "markers"}))
	p.wait(`state.result.kind === "markers"`)
	require.False(t, eval[bool](p, `document.getElementById("known").hidden`))
	p.do(p.set(map[string]any{"show": "calibrate"}))
	p.wait(`state.result.kind === "calibrate"`)
	p.do(chromedp.Click(chromedp.CSS("#anew")))
	p.wait(`state.calibration.views === 0 && document.getElementById("save-yaml").disabled`)
	p.do(p.set(map[string]any{"show": "markers"}))
	p.wait(`state.result.kind === "markers"`)
	require.True(t, eval[bool](p, `document.getElementById("known").hidden`))
	p.noProblems()
}
