package main

import (
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"regexp"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/register"
	"github.com/fastcorners/fast/sift"
	"github.com/stretchr/testify/require"
)

// siftRegion is a part of the program's photo, small enough for portable Go, and siftROI the same as
// a flag.
var (
	siftRegion = image.Rect(150, 60, 330, 220)
	siftROI    = "-roi=150,60,180,160"
)

// siftIn returns what package sift finds in the region.
func siftIn(t *testing.T, opts sift.Options, mask *image.Gray) ([]sift.Keypoint, []match.Vector) {
	t.Helper()
	e, err := sift.New(opts)
	require.NoError(t, err)
	return e.Extract(fast.Gray(decodedPhoto(t)).SubImage(siftRegion).(*image.Gray), mask)
}

func TestSIFTTable(t *testing.T) {
	inTempDir(t)
	filetest.Write(t, "flat.png", filetest.Encode(t, filetest.StorePNG, image.NewGray(image.Rect(0, 0, 40, 30))))
	filetest.Write(t, "photo.png", filetest.Encode(t, filetest.StorePNG, fast.Gray(decodedPhoto(t)).SubImage(siftRegion)))
	status, stdout, stderr := corners(t, "-method", "sift", "flat.png", "photo.png")
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	kps, _ := siftIn(t, sift.Options{}, nil)
	var counts []int
	for octave := -1; octave < 9; octave++ {
		n := 0
		for _, k := range kps {
			if o, _ := sift.Level(k); o == octave {
				n++
			}
		}
		if n > 0 {
			require.Len(t, counts, octave+1, "no octave in between is empty")
			counts = append(counts, n)
		}
	}
	require.Greater(t, len(counts), 2)
	octaves := strings.ReplaceAll(strings.Trim(fmt.Sprint(counts), "[]"), " ", "+")
	lines := strings.Split(stdout, "\n")
	require.Equal(t, []string{"IMAGE", "SIZE", "KEYPOINTS", "OCTAVES", "NS/PIXEL"}, strings.Fields(lines[0]))
	require.Regexp(t, `^flat\.png +40x30 +0 +0 +\d+\.\d{3}$`, lines[1])
	require.Regexp(t, fmt.Sprintf(`^photo\.png +180x160 +%d +%s +\d+\.\d{3}$`, len(kps), regexp.QuoteMeta(octaves)), lines[2])
	picture := filetest.ReadPNG(t, "photo-corners.png")
	require.Equal(t, image.Rect(0, 0, 180, 160), picture.Bounds())
	require.NotEqual(t, filetest.ReadPNG(t, "photo.png"), picture)
}

func TestSIFTCSV(t *testing.T) {
	inTempDir(t)
	status, stdout, stderr := corners(t, "-method=sift", "-format=csv", siftROI)
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"image", "x", "y", "size", "angle", "response", "octave", "layer", "descriptor"}, rows[0])
	kps, descs := siftIn(t, sift.Options{}, nil)
	require.Len(t, rows, 1+len(kps))
	require.Greater(t, len(kps), 50)
	for i, row := range rows[1:] {
		octave, layer := sift.Level(kps[i])
		k := kps[i]
		require.Equal(t, []string{files.PhotoName, fmt.Sprint(k.X), fmt.Sprint(k.Y), fmt.Sprint(k.Size), fmt.Sprint(k.Angle), fmt.Sprint(k.Response), fmt.Sprint(octave), fmt.Sprint(layer), hex.EncodeToString(descs[i][:])}, row)
	}
}

// All flags arrive, and are in the report.
func TestSIFTJSON(t *testing.T) {
	inTempDir(t)
	whole := image.NewGray(image.Rect(0, 0, 512, 512))
	writeMask(t, "mask.png", whole, image.Rect(0, 0, 300, 512), color.White)
	mask := image.NewGray(siftRegion)
	for y := siftRegion.Min.Y; y < siftRegion.Max.Y; y++ {
		for x := siftRegion.Min.X; x < 300; x++ {
			mask.SetGray(x, y, color.Gray{Y: 255})
		}
	}
	for _, c := range []struct {
		args string
		opts sift.Options
		want siftValues
	}{
		{
			"-features 60 -layers 4 -contrast 0.02 -edge-ratio 8 -sigma 1.7 -doubling=false -upright -root -workers 2",
			sift.Options{Features: 60, Layers: 4, Contrast: 0.02, Edge: 8, Sigma: 1.7, NoDoubling: true, Upright: true, Root: true},
			siftValues{Features: 60, Layers: 4, Contrast: 0.02, EdgeRatio: 8, Sigma: 1.7, Upright: true, Root: true},
		},
		{
			"-contrast 0",
			sift.Options{Contrast: -1},
			siftValues{Layers: 3, EdgeRatio: 10, Sigma: 1.6, Doubling: true},
		},
	} {
		args := append(strings.Fields(c.args), "-method=sift", "-format=json", "-mask=mask.png", siftROI)
		status, stdout, stderr := corners(t, args...)
		require.Zero(t, status, stderr)
		kps, descs := siftIn(t, c.opts, mask)
		require.NotEmpty(t, kps)
		want := siftObject{
			imageObject: imageObject{Image: files.PhotoName, Width: 512, Height: 512, Method: "sift", ROI: &roiObject{150, 60, 180, 160}},
			siftValues:  c.want,
		}
		for i, k := range kps {
			octave, layer := sift.Level(k)
			want.Keypoints = append(want.Keypoints, siftKeypoint{k.X, k.Y, k.Size, k.Angle, k.Response, octave, layer, hex.EncodeToString(descs[i][:])})
		}
		var objects []siftObject
		decodeJSON(t, stdout, &objects)
		require.Equal(t, []siftObject{want}, objects)
	}
}

func TestSIFTUsageErrors(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	for _, test := range []struct{ args, says string }{
		{"-features -1", "invalid value -1 for flag -features: want 0 or more"},
		{"-layers 0", "invalid value 0 for flag -layers: want 1 to 11"},
		{"-layers 12", "invalid value 12 for flag -layers: want 1 to 11"},
		{"-contrast -0.1", "invalid value -0.1 for flag -contrast: want 0 to 1"},
		{"-contrast NaN", "-contrast"},
		{"-edge-ratio 1", "invalid value 1 for flag -edge-ratio: want more than 1, up to 1e+06"},
		{"-sigma 0", "invalid value 0 for flag -sigma: want more than 0, up to 8"},
		{"-layers 11 -sigma 1.2", "invalid value 1.2 for flag -sigma: want enough for filters of 7 taps with -layers 11 and -doubling"},
		{"-doubling=maybe", "-doubling"},
		{"-scale 2", "flag -scale is not for method sift"},
		{"-edge 31", "flag -edge is not for method sift"},
	} {
		for _, command := range []string{"-method sift a.png ", "match -method sift a.png a.png ", "register -method=sift a.png a.png ", "bench -method sift a.png "} {
			status, stdout, stderr := corners(t, strings.Fields(command+test.args)...)
			require.Equal(t, 2, status, test.args)
			require.Empty(t, stdout, test.args)
			require.Contains(t, stderr, test.says)
			require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		}
	}
	require.Equal(t, []string{"a.png"}, filetest.List(t))
}

// writeParts writes two parts of the program's photo as a.png and b.png, and returns them.
func writeParts(t *testing.T) (a, b *image.Gray) {
	t.Helper()
	photo := fast.Gray(decodedPhoto(t))
	a = photo.SubImage(image.Rect(150, 60, 330, 220)).(*image.Gray)
	b = photo.SubImage(image.Rect(180, 50, 370, 230)).(*image.Gray)
	filetest.Write(t, "a.png", filetest.Encode(t, filetest.StorePNG, a))
	filetest.Write(t, "b.png", filetest.Encode(t, filetest.StorePNG, b))
	return fast.Gray(filetest.ReadPNG(t, "a.png")), fast.Gray(filetest.ReadPNG(t, "b.png"))
}

// The matches are those of the packages, with the program's defaults and with flags.
func TestSIFTMatch(t *testing.T) {
	inTempDir(t)
	a, b := writeParts(t)
	for _, c := range []struct {
		args string
		opts sift.Options
		l2   match.Options
		want siftValues
	}{
		{
			"",
			sift.Options{},
			match.Options{CrossCheck: true, Ratio: 0.8},
			siftValues{Layers: 3, Contrast: 0.04, EdgeRatio: 10, Sigma: 1.6, Doubling: true},
		},
		{
			"-features 100 -root -doubling=false -cross-check=false -ratio 0 -max-distance 40000 -workers 2",
			sift.Options{Features: 100, Root: true, NoDoubling: true},
			match.Options{MaxDistance: 40000},
			siftValues{Features: 100, Layers: 3, Contrast: 0.04, EdgeRatio: 10, Sigma: 1.6, Root: true},
		},
	} {
		e, err := sift.New(c.opts)
		require.NoError(t, err)
		m, err := match.New[match.Vector](c.l2)
		require.NoError(t, err)
		query, queries := e.Extract(a, nil)
		train, trains := e.Extract(b, nil)
		matches := m.Match(queries, trains)
		require.Greater(t, len(matches), 20)

		args := append([]string{"match", "-method=sift", "a.png", "b.png", "-format=json", "-o=matches.png", "-f"}, strings.Fields(c.args)...)
		status, stdout, stderr := corners(t, args...)
		require.Zero(t, status, stderr)
		require.Equal(t, image.Rect(0, 0, 180+190, 180), filetest.ReadPNG(t, "matches.png").Bounds())
		var got siftMatchObject
		decodeJSON(t, stdout, &got)
		want := siftMatchObject{c.want, matchValues{
			Query: matchImage{"a.png", 180, 160, len(query)}, Train: matchImage{"b.png", 190, 180, len(train)},
			Method: "sift", CrossCheck: c.l2.CrossCheck, Ratio: c.l2.Ratio, MaxDistance: c.l2.MaxDistance, Picture: "matches.png",
		}}
		for _, p := range matches {
			q, r := query[p.Query], train[p.Train]
			want.Matches = append(want.Matches, matchPair{
				Query: matchPoint{p.Query, q.X, q.Y}, Train: matchPoint{p.Train, r.X, r.Y}, Distance: p.Distance,
			})
		}
		require.Equal(t, want, got)
	}
}

// Models are found by package register with SIFT, and the picture is that of the transform.
func TestSIFTModels(t *testing.T) {
	inTempDir(t)
	a, b := writeParts(t)
	opts := register.Options{SIFT: new(sift.Options)}
	opts.Geometry.Kind = geometry.Translation
	r, err := register.New(opts)
	require.NoError(t, err)
	result, err := r.Register(a, b)
	require.NoError(t, err)
	for _, command := range []string{"match", "register"} {
		args := []string{command, "-method=sift", "-model=translation", "a.png", "b.png"}
		status, stdout, stderr := corners(t, append(args, "-format=json")...)
		require.Zero(t, status, stderr)
		var got siftMatchObject
		decodeJSON(t, stdout, &got)
		require.Equal(t, result.Inliers, got.Model.Inliers)
		require.Equal(t, result.Transform, transform(got.Model.Matrix))
		require.InDelta(t, -30, result.Transform[2], 0.1)
		require.InDelta(t, 10, result.Transform[5], 0.1)
		require.Len(t, got.Matches, len(result.Matches))

		status, stdout, stderr = corners(t, args...)
		require.Zero(t, status, stderr)
		require.Contains(t, stdout, fmt.Sprintf("\n%d matches, %d of them inliers of the translation\n", len(result.Matches), result.Inliers))
	}
	both := image.Rect(32, 2, 178, 158)
	require.Less(t, meanDifference(filetest.ReadPNG(t, "a-b-registered.png"), a, both, image.Point{}), 3.0)
}

// Epipolar geometry is found, too.
func TestSIFTEpipolar(t *testing.T) {
	if testing.Short() {
		t.Skip("models that are transforms take the same way to the matches")
	}
	writeShots(t, shot{focal: 420, turn: -.12, at: [3]float64{.8, .1, .2}})
	status, stdout, stderr := corners(t, "match", "-method=sift", "-doubling=false", "-model=essential", "-camera=420,420,240,180", "a.png", "b.png")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, " of them inliers of the essential matrix\n")
	require.Contains(t, stdout, "rotation by 6.8")
}
