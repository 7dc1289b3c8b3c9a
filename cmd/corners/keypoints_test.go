package main

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/register"
	"github.com/fastcorners/fast/sift"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/webp"
)

// decodedPhoto returns a copy of the program's photo.
func decodedPhoto(t *testing.T) image.Image {
	t.Helper()
	img, err := decodeOwnPhoto()
	require.NoError(t, err)
	return fast.Gray(img)
}

var decodeOwnPhoto = sync.OnceValues(func() (image.Image, error) { return webp.Decode(bytes.NewReader(files.OwnPhoto)) })

// extracted returns the keypoints that package orb finds in the program's photo.
func extracted(t *testing.T, opts orb.Options, mask *image.Gray) ([]orb.Keypoint, []match.Descriptor) {
	t.Helper()
	e, err := orb.New(opts)
	require.NoError(t, err)
	return e.Extract(fast.Gray(decodedPhoto(t)), mask)
}

func TestORBTable(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.Write(t, "b.png", files.OwnPhoto)
	status, stdout, stderr := corners(t, "-method", "orb", "-o", "out", "a.png", "b.png")
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	kps, _ := extracted(t, orb.Options{}, nil)
	counts := make([]int, 8)
	for _, k := range kps {
		counts[k.Octave]++
	}
	octaves := strings.ReplaceAll(strings.Trim(fmt.Sprint(counts), "[]"), " ", "+")
	lines := strings.Split(stdout, "\n")
	require.Len(t, lines, 5)
	require.Equal(t, []string{"IMAGE", "SIZE", "KEYPOINTS", "OCTAVES", "NS/PIXEL"}, strings.Fields(lines[0]))
	require.Regexp(t, `^a\.png +40x30 +0 +0\+0\+0\+0\+0\+0\+0\+0 +\d+\.\d{3}$`, lines[1])
	require.Regexp(t, fmt.Sprintf(`^b\.png +512x512 +%d +%s +\d+\.\d{3}$`, len(kps), regexp.QuoteMeta(octaves)), lines[2])
	require.Equal(t, "wrote 2 pictures into out", lines[3])
	require.Equal(t, []string{"a.png", "b.png", "out/a-corners.png", "out/b-corners.png"}, filetest.List(t))
	picture := filetest.ReadPNG(t, "out/b-corners.png")
	require.Equal(t, image.Rect(0, 0, 512, 512), picture.Bounds())
	colors := 0
	for y := range 512 {
		for x := range 512 {
			if c := color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA); c.R != c.G || c.G != c.B {
				colors++
			}
		}
	}
	require.Greater(t, colors, 10000, "circles on a gray photo")
}

func TestORBCSV(t *testing.T) {
	inTempDir(t)
	status, stdout, stderr := corners(t, "-method=orb", "-features=100", "-threshold=40", "-format=csv", "-no-picture")
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"image", "x", "y", "size", "angle", "response", "octave", "descriptor"}, rows[0])
	kps, descs := extracted(t, orb.Options{Features: 100, FASTThreshold: 40}, nil)
	require.Len(t, rows, 1+len(kps))
	require.NotEmpty(t, kps)
	for i, row := range rows[1:] {
		var k orb.Keypoint
		_, err := fmt.Sscan(strings.Join(row[1:7], " "), &k.X, &k.Y, &k.Size, &k.Angle, &k.Response, &k.Octave)
		require.NoError(t, err)
		require.Equal(t, files.PhotoName, row[0])
		require.Equal(t, kps[i], k)
		require.Equal(t, hex.EncodeToString(descs[i][:]), row[7])
	}
}

// All flags arrive, and are in the report.
func TestORBJSON(t *testing.T) {
	inTempDir(t)
	where := image.Rect(0, 0, 300, 512)
	writeMask(t, "mask.png", image.NewGray(image.Rect(0, 0, 512, 512)), where, color.White)
	status, stdout, stderr := corners(t, "-format", "json", "-method", "orb", "-o", ".", "-mask", "mask.png", "-workers", "2",
		"-features", "90", "-scale", "1.5", "-levels", "4", "-edge", "33", "-first-level", "1",
		"-points-per-bit", "3", "-score", "fast", "-patch", "25", "-threshold", "30")
	require.Zero(t, status, stderr)
	require.Equal(t, "wrote corners.png\n", stderr)

	mask := image.NewGray(image.Rect(0, 0, 512, 512))
	for y := range 512 {
		for x := range 300 {
			mask.SetGray(x, y, color.Gray{Y: 255})
		}
	}
	kps, descs := extracted(t, orb.Options{
		Features: 90, ScaleFactor: 1.5, Levels: 4, EdgeThreshold: 33, FirstLevel: 1,
		PointsPerBit: 3, ScoreType: orb.FASTScore, PatchSize: 25, FASTThreshold: 30,
	}, mask)
	require.NotEmpty(t, kps)
	want := orbObject{
		imageObject: imageObject{Image: files.PhotoName, Width: 512, Height: 512, Method: "orb", Picture: "corners.png"},
		orbValues: orbValues{
			Features: 90, Scale: 1.5, Levels: 4, Edge: 33, FirstLevel: 1,
			PointsPerBit: 3, Score: "fast", Patch: 25, Threshold: 30,
		},
	}
	for i, k := range kps {
		want.Keypoints = append(want.Keypoints, orbKeypoint{
			k.X, k.Y, k.Size, k.Angle, k.Response, k.Octave, hex.EncodeToString(descs[i][:]),
		})
	}
	var objects []orbObject
	decodeJSON(t, stdout, &objects)
	require.Equal(t, []orbObject{want}, objects)
	require.Contains(t, stdout, `"score":"fast"`)
}

// What the program says without flags are the defaults of package orb.
func TestORBDefaults(t *testing.T) {
	inTempDir(t)
	status, stdout, _ := corners(t, "-method", "orb", "-format", "json", "-no-picture")
	require.Zero(t, status)
	var objects []orbObject
	decodeJSON(t, stdout, &objects)
	kps, _ := extracted(t, orb.Options{}, nil)
	require.Len(t, objects[0].Keypoints, len(kps))
	for i, k := range objects[0].Keypoints {
		require.Equal(t, kps[i], orb.Keypoint{X: k.X, Y: k.Y, Size: k.Size, Angle: k.Angle, Response: k.Response, Octave: k.Octave})
	}
}

func TestORBBadFiles(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.Write(t, "text.png", []byte("not an image\n"))
	header := "image,x,y,size,angle,response,octave,descriptor\n"
	for format, want := range map[string]string{"table": "", "csv": header, "json": "[]\n"} {
		status, stdout, stderr := corners(t, "-method=orb", "-format", format, "text.png")
		require.Equal(t, 1, status)
		require.Equal(t, want, stdout)
		require.Equal(t, "corners: text.png: not an image, or of a format that is not read\n", stderr)
	}
	status, stdout, stderr := corners(t, "-method=orb", "-no-picture", "-mask", "a.png")
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Equal(t, "corners: "+files.PhotoName+": 512 x 512 pixels, but the mask a.png has 40 x 30\n", stderr)
}

func TestORBUsageErrors(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	for _, test := range []struct{ args, says string }{
		{"-features 0", "invalid value 0 for flag -features: want 1 or more"},
		{"-scale 1", "invalid value 1 for flag -scale: want more than 1"},
		{"-scale NaN", "-scale"},
		{"-scale 1e9", "corners: invalid value 1e+09 for flag -scale: want more than 1 as a float32, up to 100"},
		{"-features 2000000000", "corners: invalid value 2000000000 for flag -features: want 1 to 1000000000"},
		{"-scale 2 -first-level 5", "corners: invalid value 5 for flag -first-level: want 0 to 4 with -scale 2"},
		{"-levels 0", "invalid value 0 for flag -levels: want 1 or more"},
		{"-levels 1000", "invalid value 1000 for flag -levels: want 1 to 64"},
		{"-edge 0", "invalid value 0 for flag -edge: want 1 or more"},
		{"-edge 10", "corners: invalid value 10 for flag -edge: want 22 to 1000000000 with -patch 31"},
		{"-first-level 8", "invalid value 8 for flag -first-level: want 0 to 7"},
		{"-first-level -1", "-first-level"},
		{"-points-per-bit 5", "invalid value 5 for flag -points-per-bit: want 2 to 4"},
		{"-patch 1", "invalid value 1 for flag -patch: want 2 or more"},
		{"-score best", `invalid value "best" for flag -score: unknown ScoreType "best", not one of harris, fast`},
		{"-threshold 0", "invalid value 0 for flag -threshold: want 1 to 254"},
		{"-threshold 255", "invalid value 255 for flag -threshold: want 1 to 254"},
		{"-format xml", `invalid value "xml" for flag -format: want table, csv or json`},
		{"-o=", "-o"},
		{"-arc 9", "flag -arc is not for method orb"},
		{"-nonmax", "flag -nonmax is not for method orb"},
		{"-kernel scalar", "flag -kernel is not for method orb"},
		{"-colour", "-colour"},
		{"a.png -levels 0", "invalid value 0 for flag -levels"},
	} {
		for _, args := range []string{"-method orb " + test.args, "-workers 1 -no-picture -method=orb " + test.args} {
			status, stdout, stderr := corners(t, append(strings.Fields(args), "a.png")...)
			require.Equal(t, 2, status, args)
			require.Empty(t, stdout, args)
			require.Contains(t, stderr, test.says)
			require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		}
	}
	// The method may come after its flags.
	status, _, stderr := corners(t, "-nonmax", "-method", "orb", "a.png")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "flag -nonmax is not for method orb")
	status, stdout, stderr := corners(t, "-levels", "3", "-no-picture", "-method", "orb", "a.png")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, " 0+0+0 ")
	require.Equal(t, []string{"a.png"}, filetest.List(t))
}

func TestMethodHelp(t *testing.T) {
	for _, m := range method.All {
		own := cli.New(m.New().Define)
		for _, args := range [][]string{
			{"-method", m.Name, "-h"},
			{"-h", "-method=" + m.Name},
			{"-no-picture", "-method", m.Name, "-workers=x", "-help"},
		} {
			status, stdout, stderr := corners(t, args...)
			require.Zero(t, status)
			require.Empty(t, stderr)
			require.Contains(t, stdout, "corners -method "+m.Name+" [flags]")
			own.VisitAll(func(f *flag.Flag) { require.Contains(t, stdout, "\n  -"+f.Name+" ") })
			for _, name := range commonFlags {
				require.Contains(t, stdout, "\n  -"+name+" ")
			}
		}
	}
	_, stdout, _ := corners(t, "-method", "fast", "-h")
	for _, k := range fast.Kernels() {
		require.Contains(t, stdout, k.String())
	}
	status, _, stderr := corners(t, "-h", "-method", "surf")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, `invalid value "surf" for flag -method`)
}

// What a method's flags are must not depend on the method: scan reads them before it
// is known.
func TestFlagsOfMethods(t *testing.T) {
	all := make(map[string]bool)
	common := cli.New(new(searchConfig).define)
	for _, m := range method.All {
		cli.New(m.New().Define).VisitAll(func(f *flag.Flag) {
			require.Nil(t, common.Lookup(f.Name), f.Name)
			require.NotContains(t, []string{"h", "help"}, f.Name)
			if other, ok := all[f.Name]; ok {
				require.Equal(t, other, cli.IsBool(f), f.Name)
			}
			all[f.Name] = cli.IsBool(f)
		})
	}
	require.True(t, all["nonmax"])
}

// Lines of help texts fit into a terminal.
func TestHelpWidth(t *testing.T) {
	commands := []string{"-h", "find -h", "match -h", "match -method sift -h", "register -h", "register -method sift -h", "track -h", "stabilize -h", "bench -h"}
	for _, m := range method.All {
		commands = append(commands, "-method "+m.Name+" -h")
	}
	for _, args := range commands {
		_, stdout, _ := corners(t, strings.Fields(args)...)
		for line := range strings.Lines(stdout) {
			require.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), cli.HelpWidth, line)
		}
	}
}

// The picture does not replace an image that is read, with any method.
func TestORBPictureNames(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.WriteSquare(t, "a-corners.png")
	status, stdout, stderr := corners(t, "-method=orb", "a.png", filepath.Join(".", "a-corners.png"))
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "wrote 2 pictures into .\n")
	require.Equal(t, []string{"a-corners-2.png", "a-corners-corners.png", "a-corners.png", "a.png"}, slices.Sorted(slices.Values(filetest.List(t))))
	require.Equal(t, filetest.Encode(t, filetest.StorePNG, filetest.Square(40, 30)), filetest.Read(t, "a-corners.png"))
}

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

// found runs the program on a photo and returns the corners it reports.
func found(t *testing.T, args ...string) []fast.Corner {
	t.Helper()
	status, stdout, stderr := corners(t, append([]string{"-no-picture", "-format", "json"}, args...)...)
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	var items []fastObject
	decodeJSON(t, stdout, &items)
	require.Len(t, items, 1)
	var list []fast.Corner
	for _, c := range items[0].Corners {
		list = append(list, fast.Corner(c))
	}
	return list
}

// writeMask writes an image of the size of the program's photo.
func writeMask(t *testing.T, path string, img draw.Image, where image.Rectangle, c color.Color) {
	t.Helper()
	draw.Draw(img, where, image.NewUniform(c), image.Point{}, draw.Src)
	filetest.Write(t, path, filetest.Encode(t, filetest.StorePNG, img))
}

func TestSelection(t *testing.T) {
	inTempDir(t)
	bounds := image.Rect(0, 0, 512, 512)
	all := found(t)
	require.Greater(t, len(all), 3000)
	filetest.Write(t, "a.png", filetest.Encode(t, filetest.StorePNG, decodedPhoto(t))) // which is decoded soon
	found := func(t *testing.T, args ...string) []fast.Corner {
		t.Helper()
		return found(t, append(args, "a.png")...)
	}
	require.Equal(t, fast.Strongest(slices.Clone(all), 50), found(t, "-strongest", "50"))
	require.Equal(t, fast.Spread(slices.Clone(all), bounds, 50), found(t, "-spread", "50"))
	require.Equal(t, all, found(t, "-strongest", "0", "-spread=0"))
	require.Equal(t, all, found(t, "-strongest", "100000", "-spread=100000", "-workers=3"))
	require.Equal(t, all, found(t, "-workers=-1"))
	require.Less(t, len(found(t, "-nonmax")), 1500)

	// First the mask, then -strongest, then -spread.
	where := image.Rect(100, 200, 300, 400)
	writeMask(t, "mask.png", image.NewGray(bounds), where, color.Gray{Y: 1})
	var want []fast.Corner
	for _, c := range all {
		if c.Pt().In(where) {
			want = append(want, c)
		}
	}
	require.Equal(t, want, found(t, "-mask", "mask.png"))
	want = fast.Spread(fast.Strongest(want, 400), bounds, 60)
	require.Len(t, want, 60)
	require.Equal(t, want, found(t, "-mask", "mask.png", "-spread=60", "-strongest=400"))
}

// TestShownCorners checks that a picture in which no flag chooses corners shows strong ones from all
// parts, and the report all of them.
func TestShownCorners(t *testing.T) {
	inTempDir(t)
	for i, args := range []string{"", "-nonmax", "-nonmax -spread 500", "-spread 4000", "-strongest 900"} {
		status, _, stderr := corners(t, append(strings.Fields(args), "-o", fmt.Sprintf("%d.png", i))...)
		require.Zero(t, status, stderr)
	}
	shown := filetest.ReadPNG(t, "0.png")
	require.Equal(t, filetest.ReadPNG(t, "2.png"), shown)
	for _, name := range []string{"1.png", "3.png", "4.png"} {
		require.NotEqual(t, filetest.ReadPNG(t, name), shown, name)
	}

	// A mask limits them, too.
	for i, args := range []string{"", "-nonmax -spread 500"} {
		status, _, stderr := corners(t, append(strings.Fields(args), "-roi", "0,0,512,200", "-o", fmt.Sprintf("roi%d.png", i))...)
		require.Zero(t, status, stderr)
	}
	require.Equal(t, filetest.ReadPNG(t, "roi1.png"), filetest.ReadPNG(t, "roi0.png"))
	_, stdout, _ := corners(t, "-format", "csv", "-o", "x.png")
	d, err := fast.New(fast.Options{Threshold: 25})
	require.NoError(t, err)
	require.Equal(t, 1+len(d.Detect(fast.Gray(decodedPhoto(t)))), strings.Count(stdout, "\n"))
	_, plain, _ := corners(t, "-format", "csv", "-no-picture")
	require.Equal(t, plain, stdout)
}

func TestMasks(t *testing.T) {
	inTempDir(t)
	bounds := image.Rect(0, 0, 512, 512)
	where := image.Rect(100, 200, 300, 400)
	filetest.Write(t, "a.png", filetest.Encode(t, filetest.StorePNG, decodedPhoto(t)))
	found := func(t *testing.T, args ...string) []fast.Corner {
		t.Helper()
		return found(t, append(args, "a.png")...)
	}
	writeMask(t, "gray.png", image.NewGray(bounds), where, color.Gray{Y: 255})
	want := found(t, "-mask", "gray.png")
	require.NotEmpty(t, want)

	writeMask(t, "alpha.png", image.NewNRGBA(bounds), where, color.NRGBA{A: 1})
	require.Equal(t, want, found(t, "-mask", "alpha.png"), "any alpha counts, no color does")

	opaque := image.NewNRGBA(bounds)
	draw.Draw(opaque, bounds, image.Black, image.Point{}, draw.Src)
	writeMask(t, "color.png", opaque, where, color.NRGBA{R: 90, A: 255})
	require.Equal(t, want, found(t, "-mask", "color.png"))

	writeMask(t, "black.png", opaque, bounds, color.Black)
	require.Empty(t, found(t, "-mask", "black.png"))
}

func TestMaskErrors(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.Write(t, "text.png", []byte("not an image\n"))
	for _, name := range []string{"missing.png", "text.png"} {
		status, stdout, stderr := corners(t, "-mask", name, "-o", "out", "a.png")
		require.Equal(t, 1, status)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "corners: "+name+": ")
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		require.NoDirExists(t, "out")
	}

	// Another size is an error of that image only.
	filetest.Write(t, "b.png", filetest.Encode(t, filetest.StorePNG, filetest.Square(30, 40)))
	status, stdout, stderr := corners(t, "-mask", "a.png", "-no-picture", "b.png", "a.png")
	require.Equal(t, 1, status)
	require.Equal(t, "corners: b.png: 30 x 40 pixels, but the mask a.png has 40 x 30\n", stderr)
	require.Contains(t, stdout, "\na.png ")
	require.NotContains(t, stdout, "b.png")
}

// The picture does not replace the mask.
func TestMaskIsKept(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.WriteSquare(t, "a-corners.png")
	before, err := os.ReadFile("a-corners.png")
	require.NoError(t, err)
	status, stdout, stderr := corners(t, "-mask", filepath.Join(".", "a-corners.png"), "a.png")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "wrote a-corners-2.png\n")
	after, err := os.ReadFile("a-corners.png")
	require.NoError(t, err)
	require.Equal(t, before, after)
}
