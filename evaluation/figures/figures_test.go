package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fastcorners/fast/evaluation/internal/checks"
	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/fastcorners/fast/evaluation/internal/views"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/internal/homography"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

func TestTiled(t *testing.T) {
	photos, err := tree.Photos()
	require.NoError(t, err)
	s := &session{photos: photos}
	// The pixels of 128 tiles, in two sizes, and the same again.
	histogram := func(c spec) (n [256]int) {
		list := s.tiled(c)
		require.Len(t, list, c.Frames)
		for _, img := range list {
			require.Equal(t, image.Rect(0, 0, c.W, c.H), img.Rect)
			for _, gray := range img.Pix {
				n[gray]++
			}
		}
		return n
	}
	small, large := histogram(spec{256, 256, 128, 1}), histogram(spec{1024, 512, 16, 1})
	require.Equal(t, small, large)
	require.Equal(t, s.tiled(spec{128, 128, 3, 1}), s.tiled(spec{128, 128, 3, 1}))
}

func TestNames(t *testing.T) {
	err := new(session).make([]string{"nothing"}, t.TempDir())
	require.ErrorContains(t, err, `no figure is called "nothing"; there are scaling, checks,`)
}

func TestTable(t *testing.T) {
	require.Equal(t, "| a | b |\n|---|--:|\n| x | 1 |\n| y | 2 |",
		table(1, []string{"a", "b"}, [][]string{{"x", "1"}, {"y", "2"}}))
}

func TestWriteFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for _, text := range []string{"old", "new"} {
		require.NoError(t, writeFiles(dir, map[string][]byte{"a": []byte(text), "b": nil}))
	}
	got, err := os.ReadFile(filepath.Join(dir, "a"))
	require.NoError(t, err)
	require.Equal(t, "new", string(got))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)

	require.NoError(t, os.Mkdir(filepath.Join(dir, "taken"), 0o777))
	require.Error(t, writeFiles(dir, map[string][]byte{"taken": nil}))
	entries, err = os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 3)
}

func TestStamp(t *testing.T) {
	root, err := tree.Root()
	require.NoError(t, err)
	s := newStamp(root)
	require.Contains(t, s.line(4.1), "4.10 GHz")
	require.True(t, strings.HasPrefix(string(s.markdown("Title", 4.1, "One.", "Two.")), "# Title\n\n"+s.line(4.1)+"\n\nOne.\n\nTwo.\n"))
	require.Equal(t, "unknown", newStamp(t.TempDir()).commit)
}

func TestTicks(t *testing.T) {
	labels := func(ticks plot.ConstantTicks) (list []string) {
		for _, tick := range ticks {
			list = append(list, tick.Label)
		}
		return list
	}
	require.Equal(t, []string{"0.05", "0.1", "0.2", "0.5", "1", "2"}, labels(decades(.05, 2)))
	axis := plot.Axis{Max: 1.1}
	require.Equal(t, []string{"0", "0.5", "1", "1.5"}, labels(evenly(&axis, .5)))
	require.Equal(t, 1.5, axis.Max)
}

func TestSVG(t *testing.T) {
	c := newChart(newPlot("title", "x", "y"), newPlot("other", "", ""))
	c.note = "note"
	require.NoError(t, c.addLine("line", plotter.XYs{{X: 1, Y: 2}, {X: 3, Y: 4}}, look{blue, true, draw.CircleGlyph{}}))
	svg, err := c.svg(300, 200, 50)
	require.NoError(t, err)
	for _, text := range []string{"title", "other", "line", "note", "Arial"} {
		require.Contains(t, string(svg), text)
	}
}

func TestPicture(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 40, 30))
	data, err := picture([]panel{{"one", img}, {"two", img}, {"three", img}}, 2, []key{{color.Black, "key"}}, "note")
	require.NoError(t, err)
	got, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, 3*margin+2*40, got.Bounds().Dx())
	r, _, _, _ := got.At(margin, captionHeight).RGBA()
	require.Zero(t, r)
}

func TestHeat(t *testing.T) {
	one, all := heat(1), heat(checks.Max)
	require.Greater(t, one.G, one.R)
	require.Greater(t, all.R, all.G)
	require.Equal(t, all, heat(checks.Passed))
}

func TestStageOf(t *testing.T) {
	for name, want := range map[string]int{
		"github.com/fastcorners/fast.screenAVX512":       0,
		"github.com/fastcorners/fast.exact10SSE2":        1,
		"github.com/fastcorners/fast.compactAVX512":      2,
		"github.com/fastcorners/fast.packAVX2":           3,
		"github.com/fastcorners/fast.widenSSE2":          3,
		"github.com/fastcorners/fast.(*Detector).Append": 4,
		"github.com/fastcorners/fast.(*sieve).appendRun": 4,
		"runtime.exact": 4,
	} {
		require.Equal(t, want, stageOf(name), name)
	}
}

func TestRoundStep(t *testing.T) {
	for v, want := range map[float64]float64{1: 1, 1.1: 2, 3: 5, 7: 10, .12: .2, 180: 200} {
		require.InEpsilon(t, want, roundStep(v), 1e-9)
	}
}

// TestComparison checks the files of made-up times.
func TestComparison(t *testing.T) {
	times := func(scale float64) []peers.Time {
		return []peers.Time{
			{Test: "one", Name: "best", Nanoseconds: 2 * scale, Ratio: 1},
			{Test: "one", Name: "other", Peer: true, Nanoseconds: 8 * scale, Ratio: 4},
			{Test: "two", Name: "best", Nanoseconds: 3 * scale, Ratio: 1},
			{Test: "two", Name: "other", Peer: true, Nanoseconds: 15 * scale, Ratio: 5},
		}
	}
	c := &comparison{
		name:        "name",
		library:     "package",
		title:       "Title",
		about:       "About.",
		inputs:      []input{{"small", "small, 2"}, {"large", "large, 1"}},
		parts:       []part{{heading: "Part", value: "7"}},
		cell:        overOpenCV(10),
		inputColumn: "frames",
		partColumn:  "part",
		nameColumn:  "subject",
		timeColumn:  "ns",
		timeFormat:  "%.1f",
		nanoseconds: 1,
		rateFormat:  "%.3f",
	}
	c.add(0, times(1), 4)
	c.add(0, times(10), 5)
	s := &session{stamp: stamp{"machine", "date", "commit"}}
	files, err := s.files(c)
	require.NoError(t, err)
	require.Len(t, files, 3)
	require.True(t, strings.HasSuffix(string(files["name.md"]), `
About.

## Part

| test | subject | small, 2 | large, 1 |
|---|---|--:|--:|
| one | best | 0.200 (4.0) | 2.000 (4.0) |
| one | other * | 0.800 (1.0) | 8.000 (1.0) |
| two | best | 0.300 (5.0) | 3.000 (5.0) |
| two | other * | 1.500 (1.0) | 15.000 (1.0) |
`))
	lines := strings.Split(string(files["name.csv"]), "\n")
	require.Len(t, lines, 10)
	require.Equal(t, "frames,part,test,subject,peer,ns,times_first,clock_ghz,machine,date,commit", lines[0])
	require.Equal(t, "small,7,one,other,true,8.0,4.00,4.000,machine,date,commit", lines[2])
	for _, text := range []string{"0.500", "(best: 4.0 times as fast)", "(best: 5.0 times as fast)", "others, large"} {
		require.Contains(t, string(files["name.svg"]), text)
	}

	c.partColumn = ""
	files, err = s.files(c)
	require.NoError(t, err)
	require.Contains(t, string(files["name.csv"]), "\nsmall,one,other,true,")
}

// TestViews checks that a view shows the center of a photo in its center, and where it
// shows the other points.
func TestViews(t *testing.T) {
	photo := image.NewGray(image.Rect(0, 0, 61, 41))
	photo.SetGray(30, 20, color.Gray{255})
	names := map[string]bool{}
	for _, v := range changes() {
		require.False(t, names[v.name])
		names[v.name] = true
		img, plane := v.of(photo)
		require.InDelta(t, 61*v.zoom, img.Rect.Dx(), .5)
		require.InDelta(t, 41*v.zoom, img.Rect.Dy(), .5)
		p := plane.Map(homography.Point{X: 30, Y: 20})
		require.InDelta(t, float64(img.Rect.Dx()-1)/2, p.X, 1e-9)
		require.InDelta(t, float64(img.Rect.Dy()-1)/2, p.Y, 1e-9)
		require.Greater(t, img.GrayAt(int(p.X+.5), int(p.Y+.5)).Y, img.GrayAt(3, 3).Y, v.name)
	}
}

// TestTally counts made-up keypoints in a view that is twice as large.
func TestTally(t *testing.T) {
	from := []orb.Keypoint{{X: 10, Y: 10, Octave: 1}, {X: 20, Y: 10}, {X: 30, Y: 10}, {X: 60, Y: 10}}
	to := []orb.Keypoint{
		{X: 20, Y: 23, Octave: 5},   // 3 pixels off, 3.8 levels after
		{X: 40, Y: 24},              // 4 pixels off
		{X: 60, Y: 24, Octave: 2},   // 4 pixels off, 2.8 of its level
		{X: 59.5, Y: 20, Octave: 3}, // the right one
		{X: 120, Y: 20, Octave: 4},  // outside
	}
	matches := []match.Match{{Query: 0, Train: 0}, {Query: 1, Train: 1}, {Query: 2, Train: 2}, {Query: 2, Train: 0}}
	var got tally
	got.add(from, to, matches, views.Scaling(2), image.Pt(80, 50), image.Pt(100, 100))
	require.Equal(t, tally{matches: 4, correct: 2, visible: 3, repeated: 2, parts: 64, covered: 2}, got)
}

// TestFinders checks that all find a photo again in itself.
func TestFinders(t *testing.T) {
	photo, err := tree.Photo(mapPhoto)
	require.NoError(t, err)
	list, err := finders()
	require.NoError(t, err)
	for _, f := range list {
		kps, descs := f.extract(photo)
		var got tally
		got.add(kps, kps, f.match(descs, descs), views.Scaling(1), photo.Rect.Size(), photo.Rect.Size())
		require.Greater(t, got.matches, 400, f.name)
		require.Equal(t, got.matches, got.correct, f.name)
		require.Equal(t, len(kps), got.visible, f.name)
		require.Equal(t, len(kps), got.repeated, f.name)
	}
}

// TestSurvivors checks the shares of a frame with a single corner.
func TestSurvivors(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 70, 16)) // 64 by 10 pixels may be corners
	img.SetGray(20, 8, color.Gray{255})
	left := newSurvivors([]*image.Gray{img}, 25)
	require.Equal(t, []float64{1. / 640, 1. / 640}, left.of(shape{1, 1}))
	require.Equal(t, []float64{1. / 20, 1. / 20}, left.of(shape{64, 1}))
}
