package main

import (
	"bytes"
	"encoding/xml"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fastcorners/fast/evaluation/internal/checks"
	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/fastcorners/fast/evaluation/internal/views"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/motions"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/sift"
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
	err := new(session).make([]string{"nothing"}, t.TempDir(), "")
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
	require.NoError(t, c.addLine(c.plots[0], "line", plotter.XYs{{X: 1, Y: 2}, {X: 3, Y: 4}}, look{blue, true, draw.CircleGlyph{}}))
	svg := c.svg(300, 200, 50)
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
	require.Equal(t, colors[blue], one)
	require.Equal(t, colors[vermilion], all)
	require.Less(t, heat(4).R, heat(5).R)
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

// madeUp returns the times of two tests.
func madeUp(scale float64) []peers.Time {
	return []peers.Time{
		{Test: "one", Name: "avx2", Nanoseconds: 2 * scale, Spread: .01, Speedup: 4},
		{Test: "one", Name: "portable", Nanoseconds: 16 * scale, Spread: .02, Speedup: .5},
		{Test: "one", Name: "other", Peer: true, Nanoseconds: 8 * scale, Spread: .3, Speedup: 1},
		{Test: "two", Name: "avx2", Nanoseconds: 3 * scale, Speedup: 5},
		{Test: "two", Name: "slow", Peer: true, Nanoseconds: 30 * scale, Speedup: .5},
		{Test: "two", Name: "other", Peer: true, Nanoseconds: 15 * scale, Speedup: 1},
	}
}

// TestComparison checks the files of made-up times.
func TestComparison(t *testing.T) {
	c := &comparison{
		name:        "name",
		title:       "Title",
		about:       "About.",
		inputs:      []input{{"small", "small, 2"}, {"large", "large, 1"}},
		parts:       []part{{heading: "Part", value: "7", times: [][]peers.Time{madeUp(1), madeUp(10)}}},
		clocks:      []float64{4, 5},
		work:        work{10, "ns", "%.1f", "axis", 1, "%.3f"},
		inputColumn: "frames",
		partColumn:  "part",
	}
	s := &session{stamp: stamp{"machine", "date", "commit"}}
	files, err := s.files(c)
	require.NoError(t, err)
	require.Len(t, files, 3)
	require.True(t, strings.HasSuffix(string(files["name.md"]), `
About.

## Part

| test | by | small, 2 | large, 1 |
|---|---|--:|--:|
| one | avx2 | 0.200 ± 1 % (4.0) | 2.000 ± 1 % (4.0) |
| one | portable | 1.600 ± 2 % (0.5) | 16.000 ± 2 % (0.5) |
| one | other * | 0.800 ± 30 % (1.0) | 8.000 ± 30 % (1.0) |
| two | avx2 | 0.300 ± 0 % (5.0) | 3.000 ± 0 % (5.0) |
| two | slow * | 3.000 ± 0 % (0.5) | 30.000 ± 0 % (0.5) |
| two | other * | 1.500 ± 0 % (1.0) | 15.000 ± 0 % (1.0) |
`))
	lines := strings.Split(string(files["name.csv"]), "\n")
	require.Len(t, lines, 14)
	require.Equal(t, "frames,part,test,by,peer,ns,spread,times_peer,clock_ghz,machine,date,commit,peers", lines[0])
	require.True(t, strings.HasPrefix(lines[3], "small,7,one,other,true,8.0,0.3000,1.00,4.000,machine,date,commit,"))
	for _, text := range []string{">0.500 (4.0)<", ">0.062 (0.5)<", ">0.125<", ">one<", ">two<", ">small, 2<", ">large, 1<"} {
		require.Contains(t, string(files["name.svg"]), text)
	}

	c.partColumn = ""
	files, err = s.files(c)
	require.NoError(t, err)
	require.Contains(t, string(files["name.csv"]), "\nsmall,one,other,true,")
}

func TestPairsOfSets(t *testing.T) {
	require.Equal(t, "1 pair of sets", pairsOfSets(1))
	require.Equal(t, "15 pairs of sets", pairsOfSets(15))
}

// TestBySet checks the table of instruction sets.
func TestBySet(t *testing.T) {
	require.Equal(t, `| test | avx512 | avx2 | sse2 | portable | fastest peer * |
|---|--:|--:|--:|--:|--:|
| one |  | 2.000 ± 1 % (4.0) |  | 16.000 ± 2 % (0.5) | other: 8.000 ± 30 % (1.0) |
| two |  | 3.000 ± 0 % (5.0) |  |  | other: 15.000 ± 0 % (1.0) |`, bySet([]cpu.InstructionSet{{Name: "avx512"}, {Name: "avx2"}, {Name: "sse2"}, {Name: "portable"}}, madeUp(1e6)))
}

// TestNoise checks that pages say how much times vary, and which of them are noisy.
func TestNoise(t *testing.T) {
	s := &session{stamp: stamp{"machine", "date", "commit"}}
	require.Equal(t, s.stamp.markdown("Title", 4, "Text."), s.page("Title", 4, "Text."))
	s.spreads = []float64{.05, .01, .02}
	require.Contains(t, string(s.page("Title", 4)), "is 2.0 % for the middle one of 3 times and 5.0 % for the one")
	require.NotContains(t, string(s.page("Title", 4)), "exceeds")
	s.spreads = append(s.spreads, .2)
	require.Contains(t, string(s.page("Title", 4)), "Something else ran meanwhile: the spread of 1 of the 4 times exceeds 5 %.")
}

// TestAnchors checks that viewers align text, those that have other fonts, too.
func TestAnchors(t *testing.T) {
	p := newPlot("title", "below", "beside")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.Y.Tick.Marker = plot.ConstantTicks{{Value: .5, Label: "left"}}
	c := newChart(p)
	c.note = "note"
	data := c.svg(300, 200, 50)
	anchors := map[string]string{}
	decoder := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			var element struct {
				Anchor string `xml:"text-anchor,attr"`
				Text   string `xml:",chardata"`
			}
			require.NoError(t, decoder.DecodeElement(&element, &start))
			anchors[element.Text] = element.Anchor
		}
	}
	for text, want := range map[string]string{"title": "middle", "below": "middle", "beside": "middle", "left": "end", "note": ""} {
		got, ok := anchors[text]
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
}

// TestRoofs checks which roofs are one.
func TestRoofs(t *testing.T) {
	require.Equal(t, []roof{{2, []string{"c"}}, {3, []string{"a", "b"}}}, roofs(map[string]float64{"a": 3, "b": 3.1, "c": 2}))
}

// TestSeparable checks that the presets of package harris are among what is measured.
func TestSeparable(t *testing.T) {
	require.Equal(t, harris.Separable9(), separable(9))
	opts := separable(31)
	opts.GradientSigma = 5
	require.Equal(t, harris.Separable31(), opts)
}

// TestSizes checks the detectors whose times are shown against sizes: that they can be
// made for their kernels, and that each set of the processor has the same ones.
func TestSizes(t *testing.T) {
	list := sizedDetectors()
	require.Zero(t, len(list)%3)
	img := image.NewGray(image.Rect(0, 0, 200, 150))
	for i, d := range list {
		require.Equal(t, list[i%3].kernels, d.kernels)
		for _, kernel := range d.kernels {
			d.make(kernel)(img)
		}
	}
}

// TestRepetition counts made-up corners in a view that is twice as large.
func TestRepetition(t *testing.T) {
	from := []image.Point{{40, 40}, {50, 40}, {60, 40}, {15, 40}, {90, 40}}
	to := []image.Point{
		{81, 81},  // 1.4 pixels off
		{102, 80}, // 2 pixels off
		{120, 80}, // the right one
		{30, 80},  // in the margin
	}
	var got repetition
	got.add(from, to, views.Scaling(2), inner(image.Pt(200, 200)))
	require.Equal(t, repetition{corners: 5, visible: 3, repeated: 2}, got)
}

// TestCornerFinders checks that all find a photo's corners again in itself, and equally many
// of them.
func TestCornerFinders(t *testing.T) {
	photo, err := tree.Photo(mapPhoto)
	require.NoError(t, err)
	list, err := cornerFinders()
	require.NoError(t, err)
	mask := inner(photo.Rect.Size())
	from, to := findEqually(list, photo, mask, photo, mask)
	require.Equal(t, from, to)
	numbers := map[int]int{}
	for i, f := range list {
		var got repetition
		got.add(from[i], to[i], views.Scaling(1), mask)
		n := len(from[i])
		require.Equal(t, repetition{n, n, n}, got, f.name)
		if numbers[f.kernel] == 0 {
			numbers[f.kernel] = n
		}
		require.Equal(t, numbers[f.kernel], n, f.name)
	}
	require.Equal(t, mostCorners, numbers)
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
		p := plane.Apply(geometry.Point{X: 30, Y: 20})
		require.InDelta(t, float64(img.Rect.Dx()-1)/2, p.X, 1e-9)
		require.InDelta(t, float64(img.Rect.Dy()-1)/2, p.Y, 1e-9)
		require.Greater(t, img.GrayAt(int(p.X+.5), int(p.Y+.5)).Y, img.GrayAt(3, 3).Y, v.name)
	}
}

// TestTally counts made-up keypoints in a view that is twice as large.
func TestTally(t *testing.T) {
	spots := func(kps ...orb.Keypoint) (list []spot) {
		for _, k := range kps {
			list = append(list, spotOfORB(k))
		}
		return list
	}
	from := spots(orb.Keypoint{X: 10, Y: 10, Octave: 1}, orb.Keypoint{X: 20, Y: 10}, orb.Keypoint{X: 30, Y: 10}, orb.Keypoint{X: 60, Y: 10})
	to := spots(
		orb.Keypoint{X: 20, Y: 23, Octave: 5},   // 3 pixels off, 3.8 levels after
		orb.Keypoint{X: 40, Y: 24},              // 4 pixels off
		orb.Keypoint{X: 60, Y: 24, Octave: 2},   // 4 pixels off, 2.8 of its level
		orb.Keypoint{X: 59.5, Y: 20, Octave: 3}, // the right one
		orb.Keypoint{X: 120, Y: 20, Octave: 4},  // outside
	)
	matches := []match.Match{{Query: 0, Train: 0}, {Query: 1, Train: 1}, {Query: 2, Train: 2}, {Query: 2, Train: 0}}
	var got tally
	got.add(from, to, matches, views.Scaling(2), image.Pt(80, 50), image.Pt(100, 100))
	require.Equal(t, tally{matches: 4, correct: 2, visible: 3, repeated: 2, parts: 64, covered: 2}, got)
}

// TestFinders checks that all find a photo again in itself.
func TestFinders(t *testing.T) {
	photo, err := tree.Photo(mapPhoto)
	require.NoError(t, err)
	list, err := orbFinders()
	require.NoError(t, err)
	for _, f := range append(list, siftFinders()...) {
		kps, again, matches := f.find(photo, photo)
		require.Equal(t, kps, again)
		var got tally
		got.add(kps, again, matches, views.Scaling(1), photo.Rect.Size(), photo.Rect.Size())
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

// TestScenes checks the pairs of trials: how many are right, to within their noise, and that
// the wrong ones are not.
func TestScenes(t *testing.T) {
	for n, c := range scenes() {
		trial := c.make(rand.New(rand.NewPCG(1, uint64(n))))
		require.Len(t, trial.a, c.pairs)
		require.Len(t, trial.b, c.pairs)
		right := 0
		for i, a := range trial.a {
			p := trial.truth.Apply(a)
			if math.Hypot(p.X-trial.b[i].X, p.Y-trial.b[i].Y) < 12 {
				right++
			}
		}
		require.InDelta(t, c.right, float64(right)/float64(c.pairs), .05, "%v", c)
		require.Zero(t, trial.miss(trial.truth))
		require.InDelta(t, 5, trial.miss(views.Translation(3, 4).Mul(trial.truth)), 1e-9)
	}
	require.Equal(t, 3.0, quantile([]float64{5, 1, 3, 4, 2}, .5))
	require.Equal(t, 5.0, quantile([]float64{5, 1, 3, 4, 2}, .9))
}

// TestFollowing counts made-up tracks of points that move by 10 pixels.
func TestFollowing(t *testing.T) {
	points := []flow.Point{{X: 5, Y: 5}, {X: 20, Y: 5}, {X: 30, Y: 5}, {X: 40, Y: 5}, {X: 95, Y: 5}, {X: 96, Y: 5}}
	tracks := []flow.Track{
		{X: 15.25, Y: 5, Status: flow.Found}, // right
		{X: 30, Y: 5.75, Status: flow.Found}, // wrong
		{X: 40, Y: 5, Status: flow.Lost},     // lost
		{X: 50, Y: 5, Status: flow.Found},    // right
		{X: 105, Y: 5, Status: flow.Found},   // outside
		{X: 99, Y: 5, Status: flow.Outside},  // outside, and lost
	}
	var got following
	got.add(points, tracks, views.Translation(10, 0), image.Pt(100, 20))
	require.Equal(t, following{visible: 4, right: 2, found: 4, wrong: 1, errors: []float64{.25, 0}}, got)
	require.Equal(t, []string{"50.0", "25.0", "0.250"}, got.cells())
	require.Equal(t, "-", new(following).cells()[0])
	require.Equal(t, "t5", motions.Named("t5").Name)
}

// TestSIFTAgreement counts keypoints that two lists share.
func TestSIFTAgreement(t *testing.T) {
	a, b, c := sift.Keypoint{X: 1}, sift.Keypoint{X: 2}, sift.Keypoint{X: 2, Angle: 1}
	var got siftAgreement
	got.add([]sift.Keypoint{a, b}, make([]match.Vector, 2), []sift.Keypoint{a, b, c}, []match.Vector{{}, {1}, {}})
	got.add([]sift.Keypoint{b, c}, make([]match.Vector, 2), []sift.Keypoint{c}, make([]match.Vector, 1))
	require.Equal(t, siftAgreement{keypoints: 4, found: 3, same: 2}, got)
}

// TestRatioRows checks the medians of ratios and their goals.
func TestRatioRows(t *testing.T) {
	require.Equal(t, [][]string{
		{"whole: avx2", "3.00", "2.8", "2.00", "5.00"},
		{"detect: avx2", "4.00", "-", "4.00", "4.00"},
		{"two workers", "1.50", "1.7", "1.50", "1.75"},
	}, ratioRows([]string{"whole: avx2", "whole: opencv", "detect: avx2"}, map[string][]float64{
		"whole: avx2": {5, 2, 3}, "detect: avx2": {4},
	}, []float64{1.75, 1.5}))
}

// TestScore checks what of the homographies that are found counts as solved and as wrong.
func TestScore(t *testing.T) {
	photo := image.NewGray(image.Rect(0, 0, 100, 50))
	// Only the left half is in sight.
	truth := views.Scaling(2)
	p := imagePair{photo, photo, truth}
	var n score
	for _, found := range []struct {
		t  geometry.Transform
		ok bool
	}{
		{truth, true},
		{views.Translation(3, 3.5).Mul(truth), true},
		{views.Translation(5, 0).Mul(truth), true},
		{views.Translation(6, 8).Mul(truth), true},
		{geometry.Transform{}, true},
		{truth, false},
	} {
		n.add(solver{"", func(a, b *image.Gray) (geometry.Transform, bool) { return found.t, found.ok }}, p)
	}
	require.Equal(t, score{solved: 2, wrong: 2}, n)
	require.InDelta(t, 10, p.miss(views.Translation(6, 8).Mul(truth)), 1e-9)
	require.InDelta(t, 25, p.miss(views.Scaling(1)), 5) // half of what is in sight, not of the photo
}
