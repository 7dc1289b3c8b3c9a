package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/test/phototest"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/register"
	"github.com/stretchr/testify/require"
)

// truth maps the photo to the copy that writePair writes.
var truth = geometry.Transform{0.6, -0.45, 230, 0.45, 0.6, 10, 0, 0, 1}

// writePair writes the program's photo, and a copy of it that is turned and smaller.
func writePair(t *testing.T, original, copied string) {
	t.Helper()
	if pairFiles[0] == nil {
		pairFiles = [2][]byte{filetest.Encode(t, filetest.StorePNG, decodedPhoto(t)), filetest.Encode(t, filetest.StorePNG, turnedPhoto(t))}
	}
	filetest.Write(t, original, pairFiles[0])
	filetest.Write(t, copied, pairFiles[1])
}

// pairFiles are the files that writePair writes, when they have been made.
var pairFiles [2][]byte

// turnedPhoto returns the copy that writePair writes.
func turnedPhoto(t *testing.T) *image.Gray {
	t.Helper()
	gray := fast.Gray(decodedPhoto(t))
	img := image.NewGray(image.Rect(0, 0, 540, 500))
	const squares = 0.6*0.6 + 0.45*0.45
	for y := range 500 {
		for x := range 540 {
			dx, dy := float64(x)-230, float64(y)-10
			u, v := (0.6*dx+0.45*dy)/squares, (0.6*dy-0.45*dx)/squares
			i, j := math.Floor(u), math.Floor(v)
			fu, fv := u-i, v-j
			at := func(x, y float64) float64 { return float64(gray.GrayAt(int(x), int(y)).Y) }
			value := (1-fv)*((1-fu)*at(i, j)+fu*at(i+1, j)) + fv*((1-fu)*at(i, j+1)+fu*at(i+1, j+1))
			img.SetGray(x, y, color.Gray{Y: uint8(value + 0.5)})
		}
	}
	return img
}

// matched is what the libraries find in two files.
func matched(t *testing.T, files [2]string, o orb.Options, m match.Options) (kps [2][]orb.Keypoint, matches []match.Match) {
	t.Helper()
	e, err := orb.New(o)
	require.NoError(t, err)
	matcher, err := match.New[match.Descriptor](m)
	require.NoError(t, err)
	var descs [2][]match.Descriptor
	for i, name := range files {
		kps[i], descs[i] = e.Extract(fast.Gray(filetest.ReadPNG(t, name)), nil)
	}
	return kps, matcher.Match(descs[0], descs[1])
}

func TestMatchTable(t *testing.T) {
	inTempDir(t)
	writePair(t, "a.png", "b.png")
	kps, matches := matched(t, [2]string{"a.png", "b.png"}, orb.Options{}, match.Options{CrossCheck: true})
	head := fmt.Sprintf("IMAGE  SIZE     KEYPOINTS\na.png  512x512  %d\nb.png  540x500  %d\n%d matches", len(kps[0]), len(kps[1]), len(matches))

	status, stdout, stderr := corners(t, "match", "a.png", "b.png")
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	require.Equal(t, head+"\nwrote a-b-matches.png\n", stdout)
	require.Equal(t, []string{"a-b-matches.png", "a.png", "b.png"}, filetest.List(t))
	require.Equal(t, image.Rect(0, 0, 512+540, 512), filetest.ReadPNG(t, "a-b-matches.png").Bounds())
	all := filetest.Read(t, "a-b-matches.png")

	status, stdout, stderr = corners(t, "match", "-model", "homography", "a.png", "b.png")
	require.Zero(t, status, stderr)
	rest, ok := strings.CutPrefix(stdout, head)
	require.True(t, ok, stdout)
	var inliers int
	var h [9]float64
	lines := strings.Split(rest, "\n")
	require.Len(t, lines, 6)
	_, err := fmt.Sscanf(lines[0], ", %d of them inliers of the homography", &inliers)
	require.NoError(t, err)
	require.Greater(t, inliers, len(matches)/2)
	_, err = fmt.Sscan(strings.Join(lines[1:4], " "), &h[0], &h[1], &h[2], &h[3], &h[4], &h[5], &h[6], &h[7], &h[8])
	require.NoError(t, err)
	require.InDelta(t, 230, h[2], 2)
	require.InDelta(t, 0.45, h[3], 0.01)
	require.NotEqual(t, all, filetest.Read(t, "a-b-matches.png"), "only the inliers are drawn")
}

func TestMatchJSON(t *testing.T) {
	inTempDir(t)
	writePair(t, "a.png", "b.png")
	status, stdout, stderr := corners(t, "match", "-format=json", "-model=homography", "-features=300", "-threshold=15",
		"-points-per-bit=4", "-max-distance=40", "-ratio=0.9", "-o=out", "-workers=2", "-inlier=4", "a.png", "b.png")
	require.Zero(t, status, stderr)
	picture := filepath.Join("out", "a-b-matches.png")
	require.Equal(t, "wrote "+picture+"\n", stderr)
	require.FileExists(t, picture)
	var got matchObject
	decodeJSON(t, stdout, &got)

	kps, matches := matched(t, [2]string{"a.png", "b.png"},
		orb.Options{Features: 300, FASTThreshold: 15, PointsPerBit: 4},
		match.Options{CrossCheck: true, MaxDistance: 40, Ratio: 0.9, Hamming2: true})
	require.Equal(t, matchImage{"a.png", 512, 512, len(kps[0])}, got.Query)
	require.Equal(t, matchImage{"b.png", 540, 500, len(kps[1])}, got.Train)
	require.Equal(t, picture, got.Picture)
	require.Equal(t, "orb", got.Method)
	require.True(t, got.CrossCheck)
	require.Equal(t, 0.9, got.Ratio)
	require.Equal(t, 40, got.MaxDistance)
	require.Equal(t, orbValues{
		Features: 300, Scale: 1.2, Levels: 8, Edge: 31, PointsPerBit: 4, Score: "harris", Patch: 31, Threshold: 15,
	}, got.orbValues)
	require.Len(t, got.Matches, len(matches))
	require.Equal(t, 4.0, got.Model.Threshold)
	inliers := 0
	for i, m := range matches {
		pair := got.Matches[i]
		query, train := kps[0][m.Query], kps[1][m.Train]
		require.Equal(t, matchPoint{m.Query, query.X, query.Y}, pair.Query)
		require.Equal(t, matchPoint{m.Train, train.X, train.Y}, pair.Train)
		require.Equal(t, m.Distance, pair.Distance)
		p := truth.Apply(geometry.Point{X: float64(query.X), Y: float64(query.Y)})
		miss := math.Hypot(p.X-float64(train.X), p.Y-float64(train.Y))
		if *pair.Inlier {
			inliers++
			require.Less(t, miss, 7.0)
		} else {
			require.Greater(t, miss, 1.0)
		}
	}
	require.Equal(t, inliers, got.Model.Inliers)
	require.Greater(t, inliers, 50)
	for _, p := range []geometry.Point{{X: 100, Y: 100}, {X: 400, Y: 100}, {X: 256, Y: 400}} {
		want, is := truth.Apply(p), transform(got.Model.Matrix).Apply(p)
		require.Less(t, math.Hypot(want.X-is.X, want.Y-is.Y), 2.0)
	}

	// Without -model nothing is said of it, and without -cross-check more is left.
	status, stdout, stderr = corners(t, "match", "-format=json", "-cross-check=false", "-no-picture", "a.png", "b.png")
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	for _, word := range []string{"model", "inlier", "picture"} {
		require.NotContains(t, stdout, word)
	}
	got = matchObject{}
	decodeJSON(t, stdout, &got)
	require.Len(t, got.Matches, got.Query.Keypoints)
}

// transform returns the transform of a matrix in JSON.
func transform(m *[3][3]float64) geometry.Transform {
	return geometry.Transform(slices.Concat(m[0][:], m[1][:], m[2][:]))
}

// TestMatchModels checks the form of the transform of each kind. The images differ by a
// similarity.
func TestMatchModels(t *testing.T) {
	inTempDir(t)
	writePair(t, "a.png", "b.png")
	for _, kind := range []geometry.Kind{geometry.Homography, geometry.Affine, geometry.Similarity, geometry.Rigid, geometry.Translation} {
		status, stdout, stderr := corners(t, "match", "-no-picture", "-format=json", "-model", kind.String(), "a.png", "b.png")
		require.Zero(t, status, stderr)
		var got matchObject
		decodeJSON(t, stdout, &got)
		require.Equal(t, kind.String(), got.Model.Kind)
		if kind <= geometry.Rigid {
			require.Nil(t, got.Model.Matrix)
			require.Zero(t, got.Model.Inliers)
			continue
		}
		m := transform(got.Model.Matrix)
		require.InDelta(t, 230, m[2], 2)
		require.Equal(t, kind <= geometry.Affine, m[6] == 0)
		require.Equal(t, kind <= geometry.Similarity, m[0] == m[4])
	}
}

func TestMatchCSV(t *testing.T) {
	inTempDir(t)
	writePair(t, "a.png", "b.png")
	kps, matches := matched(t, [2]string{"a.png", "b.png"}, orb.Options{}, match.Options{CrossCheck: true})
	for _, flag := range []string{"-model=none", "-model=homography"} {
		status, stdout, stderr := corners(t, "match", "-no-picture", "-format", "csv", flag, "a.png", "b.png")
		require.Zero(t, status, stderr)
		require.Empty(t, stderr)
		rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
		require.NoError(t, err)
		require.Equal(t, []string{"query_x", "query_y", "train_x", "train_y", "distance", "inlier"}, rows[0])
		require.Len(t, rows, 1+len(matches))
		counts := make(map[string]int)
		for i, m := range matches {
			query, train := kps[0][m.Query], kps[1][m.Train]
			require.Equal(t, fmt.Sprintln(query.X, query.Y, train.X, train.Y, m.Distance), fmt.Sprintln(strings.Join(rows[1+i][:5], " ")))
			counts[rows[1+i][5]]++
		}
		if flag == "-model=homography" {
			require.Equal(t, len(matches), counts["true"]+counts["false"])
			require.Greater(t, counts["true"], counts["false"])
		} else {
			require.Equal(t, len(matches), counts[""])
		}
	}
	require.Equal(t, []string{"a.png", "b.png"}, filetest.List(t))
}

// Two different images have no homography, and images without keypoints no matches.
func TestNoHomography(t *testing.T) {
	photos, err := filepath.Abs(filepath.Join("..", "..", "testdata", "photos"))
	require.NoError(t, err)
	inTempDir(t)
	for _, name := range []string{"camera_512x512.png", "coffee_600x400.png"} {
		data := filetest.Read(t, filepath.Join(photos, name))
		filetest.Write(t, name[:6]+".png", data)
	}
	filetest.WriteSquare(t, "square.png")
	for _, test := range []struct{ b, matches, reason string }{
		{"coffee.png", "[1-9][0-9]*", "too few pairs agree with any transform"},
		{"square.png", "0", "too few pairs"},
	} {
		status, stdout, stderr := corners(t, "match", "-model", "homography", "camera.png", test.b)
		require.Zero(t, status, stderr)
		require.Regexp(t, `\n`+test.matches+` matches, no homography: `+test.reason+`\nwrote `, stdout)

		status, stdout, stderr = corners(t, "match", "-model", "homography", "-no-picture", "-format=json", "camera.png", test.b)
		require.Zero(t, status, stderr)
		require.Contains(t, stdout, `"model":{"kind":"homography","threshold":3,"inliers":0,"matrix":null,"reason":"`+test.reason+`"},"matches":[`)
		require.NotContains(t, stdout, "true}")

		status, stdout, stderr = corners(t, "match", "-model", "homography", "-no-picture", "-format=csv", "camera.png", test.b)
		require.Zero(t, status, stderr)
		require.NotContains(t, stdout, "true")
	}
	// All matches are drawn then.
	first := filetest.Read(t, "camera-coffee-matches.png")
	status, _, _ := corners(t, "match", "camera.png", "coffee.png")
	require.Zero(t, status)
	require.Equal(t, first, filetest.Read(t, "camera-coffee-matches.png"))
}

func TestMatchUsageErrors(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	for _, test := range []struct{ args, says string }{
		{"", "corners match needs two images, not 0"},
		{"a.png", "corners match needs two images, not 1"},
		{"a.png a.png a.png", "corners match needs two images, not 3"},
		{"a.png -ratio 1.8 a.png", "invalid value 1.8 for flag -ratio"},
		{"-ratio 1.5 a.png a.png", "invalid value 1.5 for flag -ratio: want 0 to 1"},
		{"-ratio NaN a.png a.png", "-ratio"},
		{"-max-distance -1 a.png a.png", "invalid value -1 for flag -max-distance: want 0 or more"},
		{"-model affine -inlier 0 a.png a.png", "invalid value 0 for flag -inlier: want more than 0"},
		{"-model affine -inlier NaN a.png a.png", "-inlier"},
		{"-model affine -inlier Inf a.png a.png", "-inlier"},
		{"-inlier 3 a.png a.png", "flag -inlier needs flag -model"},
		{"-model none -inlier 3 a.png a.png", "flag -inlier needs flag -model"},
		{"-model perspective a.png a.png", `invalid value "perspective" for flag -model: want none, homography, affine, similarity, rigid, translation, essential or fundamental`},
		{"-model essential a.png a.png", "flag -model essential needs flag -camera: fx,fy,cx,cy in pixels, or a file"},
		{"-model essential -camera a.png a.png a.png", "for flag -camera: camera: line 1: "},
		{"-model fundamental -camera 600,600,320,240 a.png a.png", "flag -camera is only for -model essential"},
		{"-camera 600,600,320,240 a.png a.png", "flag -camera is only for -model essential"},
		{"-model essential -camera 600 a.png a.png", `; want 4 to 9 numbers with commas between them: fx,fy,cx,cy,k1,k2,p1,p2,k3, or the name of a file`},
		{"-model essential -camera 1,2,3,4,5,6,7,8,9,10 a.png a.png", "for flag -camera: want 4 to 9 numbers"},
		{"-model essential -camera 600,600,320,x a.png a.png", "for flag -camera: want 4 to 9 numbers"},
		{"-model essential -camera 600,600,320, a.png a.png", "for flag -camera: want 4 to 9 numbers"},
		{"-model essential -camera 600,600,320,NaN a.png a.png", "for flag -camera: want 4 to 9 numbers"},
		{"-model essential -camera 600,600,320,240,1e999 a.png a.png", "for flag -camera: want 4 to 9 numbers"},
		{"-model essential -camera 0,600,320,240 a.png a.png", "for flag -camera: want focal lengths, the first two numbers, of more than 0"},
		{"-model essential -camera 600,-600,320,240 a.png a.png", "for flag -camera: want focal lengths, the first two numbers, of more than 0"},
		{"-homography a.png a.png", "flag provided but not defined: -homography"},
		{"-features 0 a.png a.png", "invalid value 0 for flag -features: want 1 or more"},
		{"-edge 10 a.png a.png", "invalid value 10 for flag -edge: want 22 to 1000000000 with -patch 31"},
		{"-score best a.png a.png", `invalid value "best" for flag -score`},
		{"-format xml a.png a.png", `invalid value "xml" for flag -format: want table, csv or json`},
		{"-o= a.png a.png", "flag -o needs a directory, or a name that ends in .png"},
		{"-mask a.png a.png a.png", "-mask"},
		{"-arc 9 a.png a.png", "-arc"},
		{"-method surf a.png a.png", `invalid value "surf" for flag -method: want orb or sift`},
		{"-method fast a.png a.png", `invalid value "fast" for flag -method: want orb or sift`},
		{"-method sift -scale 2 a.png a.png", "flag -scale is not for method sift"},
		{"-sigma 2 a.png a.png", "flag -sigma is not for method orb"},
		{"-method sift -contrast 2 a.png a.png", "invalid value 2 for flag -contrast: want 0 to 1"},
	} {
		status, stdout, stderr := corners(t, append([]string{"match"}, strings.Fields(test.args)...)...)
		require.Equal(t, 2, status, test.args)
		require.Empty(t, stdout, test.args)
		require.Contains(t, stderr, test.says)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
	require.Equal(t, []string{"a.png"}, filetest.List(t))
}

func TestMatchBadFiles(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.WriteSquare(t, "d/b.png")
	filetest.Write(t, "text.png", []byte("not an image\n"))
	for _, test := range []struct{ a, b, says string }{
		{"a.png", "missing.png", "corners: missing.png: "},
		{"text.png", "a.png", "corners: text.png: not an image, or of a format that is not read\n"},
		{"a.png", "d", "corners: d: a directory, not an image\n"},
	} {
		for _, format := range []string{"table", "csv", "json"} {
			status, stdout, stderr := corners(t, "match", "-format", format, "-o", "out", test.a, test.b)
			require.Equal(t, 1, status)
			require.Empty(t, stdout)
			require.Contains(t, stderr, test.says)
			require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		}
	}
	status, _, stderr := corners(t, "match", "missing.png", "text.png")
	require.Equal(t, 1, status)
	require.Equal(t, 2, strings.Count(stderr, "\n"), "both are named")
	require.NoDirExists(t, "out")
	require.Equal(t, []string{"a.png", "d/b.png", "text.png"}, filetest.List(t))
}

func TestMatchBlockedOutput(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.Write(t, "file", []byte("in the way"))
	status, stdout, stderr := corners(t, "match", "-o", "file", "a.png", "a.png")
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "corners: file: ")

	picture := filepath.Join("out", "a-a-matches.png")
	require.NoError(t, os.MkdirAll(picture, 0o777))
	status, stdout, stderr = corners(t, "match", "-o", "out", "a.png", "a.png")
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "corners: "+picture+": ")
	require.Equal(t, []string{"a.png", "file"}, filetest.List(t))

	for _, format := range []string{"table", "csv", "json"} {
		var errs strings.Builder
		require.Equal(t, 1, run(context.Background(), []string{"match", "-no-picture", "-format", format, "a.png", "a.png"}, nil, brokenWriter{}, &errs))
		require.Equal(t, "corners: standard output: no space left\n", errs.String())
	}
}

// The picture replaces an older one, but never an image that is read; and in a
// directory it is not read.
func TestMatchPictureNames(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.WriteSquare(t, "d/b.tar.png")
	filetest.WriteSquare(t, "a-b.tar-matches.png")
	status, stdout, stderr := corners(t, "match", "a.png", filepath.Join("d", "b.tar.png"))
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Equal(t, "corners: a-b.tar-matches.png: corners has not drawn this file, and overwrites it only with -f\n", stderr)
	require.Equal(t, filetest.Encode(t, filetest.StorePNG, filetest.Square(40, 30)), filetest.Read(t, "a-b.tar-matches.png"))
	for _, force := range []string{"-f", "-f=false"} {
		status, stdout, stderr := corners(t, "match", "a.png", filepath.Join("d", "b.tar.png"), force)
		require.Zero(t, status, stderr)
		require.Contains(t, stdout, "wrote a-b.tar-matches.png\n")
	}
	require.Equal(t, image.Rect(0, 0, 80, 30), filetest.ReadPNG(t, "a-b.tar-matches.png").Bounds())

	filetest.WriteSquare(t, "b-c-matches.png")
	before := filetest.Read(t, "b-c-matches.png")
	require.NoError(t, os.Rename("a-b.tar-matches.png", "b.png"))
	require.NoError(t, os.Link("b-c-matches.png", "c.png"))
	status, stdout, stderr = corners(t, "match", "b.png", "c.png")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "wrote b-c-matches-2.png\n")
	require.True(t, bytes.Equal(before, filetest.Read(t, "b-c-matches.png")))

	// Of a directory, pictures are not read, whatever they are called, and all others are.
	_, stdout, _ = corners(t, "-no-picture", ".")
	for _, name := range []string{"a.png", "c.png", "b-c-matches.png"} {
		require.Contains(t, stdout, "\n"+name+" ")
	}
	require.NotContains(t, stdout, "\nb.png ", "which was drawn")
	require.NotContains(t, stdout, "matches-2")
	require.True(t, slices.Contains(filetest.List(t), "b-c-matches-2.png"))
}

func TestMatchHelp(t *testing.T) {
	for _, args := range []string{"match -h", "match -ratio 0.8 --help a.png", "match -method sift -h", "match -h -workers=x -method=sift"} {
		status, stdout, stderr := corners(t, strings.Fields(args)...)
		require.Zero(t, status)
		require.Empty(t, stderr)
		own, distance := []string{"scale", "levels", "edge", "first-level", "points-per-bit", "score", "patch", "threshold"}, "differ by up to N bits"
		if strings.Contains(args, "sift") {
			own, distance = []string{"layers", "contrast", "edge-ratio", "sigma", "doubling", "upright", "root"}, "a squared distance of up to N"
			require.Contains(t, stdout, "(default 0.8)")
		}
		require.Contains(t, stdout, distance)
		for _, name := range append(own,
			"method", "cross-check", "ratio", "max-distance", "model", "camera", "inlier", "workers", "o", "format", "no-picture", "features",
		) {
			require.Contains(t, stdout, "\n  -"+name+" ")
		}
	}
}

// A file with the name of the command can still be named.
func TestFileNamedMatch(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "match.png")
	require.NoError(t, os.Rename("match.png", "match"))
	status, stdout, stderr := corners(t, "-no-picture", "./match")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "\n./match ")
}

// No more memory is used for matches than is reserved.
func TestMemoryOfMatches(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes images of some size")
	}
	inTempDir(t)
	noise := image.NewGray(image.Rect(0, 0, 320, 240))
	rand.NewChaCha8([32]byte{}).Read(noise.Pix)
	filetest.Write(t, "a.png", filetest.Encode(t, filetest.StorePNG, noise))
	for _, args := range []string{
		"-threshold=1",
		"-threshold=1 -cross-check=false",
		"-threshold=1 -model homography",
		"-threshold=1 -model affine -cross-check=false -workers=4",
		"-threshold=1 -model fundamental",
		"-threshold=1 -model essential -camera 400,400,160,120 -cross-check=false",
		"-method=sift -contrast=0 -ratio=0",
		"-method=sift -contrast=0 -ratio=0 -model homography",
	} {
		cfg, err := parseMatch(append(strings.Fields(args), "a.png", "a.png", "-features=1000000", "-memory=1GiB"), io.Discard)
		require.NoError(t, err)
		p := newProgram(t.Context(), testPatience, nil, io.Discard, io.Discard)
		_, images, err := beginPair(p, cfg)
		require.NoError(t, err)
		canvas := int64(cli.Memory(image.Pt(2*320, 240), 4+1))
		// Empty pools are filled by both, so that they do not hide what one of them takes.
		var extracting int64
		for range 5 {
			runtime.GC()
			extracting = max(extracting, phototest.Peak(func() {
				for _, img := range images {
					found := cfg.method.Find(img.Gray(), nil)
					defer runtime.KeepAlive(found)
				}
			}))
		}
		var m matching
		limit := extracting + 1<<17 // the buffers of the matcher
		require.Less(t, phototest.Least(limit, func() int64 {
			runtime.GC()
			peak := phototest.Peak(func() { m = newMatching(cfg, images) })
			return peak - matchBytes*int64(len(m.A))
		}), limit, args)
		limit = canvas + matchBytes/2*int64(len(m.A)) + 1<<18
		require.Less(t, phototest.Least(limit, func() int64 {
			return phototest.Peak(func() { m.draw() })
		}), limit, args)
	}
}

// shifted returns the part of the photo whose upper left pixel is at a place.
func shifted(t *testing.T, x, y int) *image.RGBA {
	t.Helper()
	photo := decodedPhoto(t)
	part := image.NewRGBA(image.Rect(0, 0, 300, 240))
	for v := range 240 {
		for u := range 300 {
			g := color.GrayModel.Convert(photo.At(x+u, y+v)).(color.Gray).Y
			part.SetRGBA(u, v, color.RGBA{g, g / 2, 255 - g, 255})
		}
	}
	return part
}

// meanDifference returns the mean difference of the red of two images in a rectangle.
func meanDifference(a, b image.Image, r image.Rectangle, at image.Point) float64 {
	sum := 0.0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p, _, _, _ := a.At(x+at.X, y+at.Y).RGBA()
			q, _, _, _ := b.At(x, y).RGBA()
			sum += max(float64(p)-float64(q), float64(q)-float64(p)) / 257
		}
	}
	return sum / float64(r.Dx()*r.Dy())
}

// TestRegister moves a part of a photo onto another part, which it overlaps.
func TestRegister(t *testing.T) {
	inTempDir(t)
	a, b := shifted(t, 100, 120), shifted(t, 137, 103) // 37 to the right, 17 up
	filetest.Write(t, "a.png", filetest.Encode(t, filetest.StorePNG, a))
	filetest.Write(t, "b.png", filetest.Encode(t, filetest.StorePNG, b))
	both := image.Rect(40, 0, 300, 220)    // pixels that both have
	only := image.Rect(0, 0, 34, 240)      // pixels of a alone
	under := image.Rect(40, 226, 300, 240) // others
	for _, model := range []string{"homography", "affine", "similarity", "rigid", "translation"} {
		for _, show := range []string{"blend", "side", "moved"} {
			if testing.Short() && model != "homography" && show != "moved" {
				continue
			}
			name := fmt.Sprintf("%s-%s.png", model, show)
			status, stdout, stderr := corners(t, "register", "a.png", "b.png", "-model", model, "-show", show, "-o", name)
			require.Zero(t, status, stderr)
			require.Contains(t, stdout, "inliers of the "+model)
			require.Contains(t, stdout, "wrote "+name+"\n")
			picture := filetest.ReadPNG(t, name)
			black := image.NewRGBA(a.Rect)
			at := image.Point{}
			if show == "side" {
				require.Equal(t, image.Rect(0, 0, 600, 240), picture.Bounds())
				require.Zero(t, meanDifference(picture, a, a.Rect, at))
				at.X = 300
			} else {
				require.Equal(t, a.Rect, picture.Bounds())
			}
			require.Less(t, meanDifference(picture, a, both, at), 3.0, name)
			for _, r := range []image.Rectangle{only, under} {
				if show == "blend" {
					require.Zero(t, meanDifference(picture, a, r, at), name)
				} else {
					require.Zero(t, meanDifference(picture, black, r, at), name)
				}
			}
		}
	}

	// The name of the picture, and the other reports.
	status, stdout, stderr := corners(t, "register", "a.png", "b.png")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "wrote a-b-registered.png\n")
	require.Equal(t, filetest.ReadPNG(t, "homography-blend.png"), filetest.ReadPNG(t, "a-b-registered.png"))
	status, stdout, stderr = corners(t, "register", "a.png", "b.png", "-format", "json")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, `"model":{"kind":"homography"`)
	require.NotContains(t, stdout, "picture")
}

// TestRegisterFeatures checks that as many keypoints are found as package register finds.
func TestRegisterFeatures(t *testing.T) {
	inTempDir(t)
	a, b := decodedPhoto(t), shifted(t, 137, 103)
	filetest.Write(t, "a.png", filetest.Encode(t, filetest.StorePNG, a))
	filetest.Write(t, "b.png", filetest.Encode(t, filetest.StorePNG, b))
	r, err := register.New(register.Options{})
	require.NoError(t, err)
	want, err := r.Register(fast.Gray(a), fast.Gray(b))
	require.NoError(t, err)
	require.Greater(t, len(want.A), 600)
	status, stdout, stderr := corners(t, "register", "a.png", "b.png", "-format", "json")
	require.Zero(t, status, stderr)
	var got struct {
		Query, Train struct{ Keypoints int }
		Features     int
		Model        struct {
			Inliers int
			Matrix  [][]float64
		}
		Matches []json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &got))
	require.Equal(t, []int{len(want.A), len(want.B), 1000, want.Inliers, len(want.Matches)},
		[]int{got.Query.Keypoints, got.Train.Keypoints, got.Features, got.Model.Inliers, len(got.Matches)})
	require.Equal(t, want.Transform[:], slices.Concat(got.Model.Matrix...))

	// Corners match finds those of method orb, and other numbers may be given.
	for args, features := range map[string]string{"match": "500", "register -features 700": "700"} {
		_, stdout, _ := corners(t, append(strings.Fields(args), "a.png", "b.png", "-format", "json")...)
		require.Contains(t, stdout, `"features":`+features+",")
	}
	_, stdout, _ = corners(t, "register", "-h")
	require.Regexp(t, `\n  -features N .*\(default 1000\)\n`, stdout)
	_, stdout, _ = corners(t, "match", "-h")
	require.Regexp(t, `\n  -features N .*\(default 500\)\n`, stdout)
	_, stdout, _ = corners(t, "register", "-method", "sift", "-h")
	require.Regexp(t, `\n  -features N `, stdout)
	require.NotContains(t, stdout, "(default 1000)")
}

// TestRegisterErrors checks what corners register refuses.
func TestRegisterErrors(t *testing.T) {
	inTempDir(t)
	filetest.Write(t, "a.png", filetest.Encode(t, filetest.StorePNG, shifted(t, 100, 120)))
	filetest.Write(t, "b.png", filetest.Encode(t, filetest.StorePNG, shifted(t, 137, 103)))
	filetest.WriteSquare(t, "square.png")
	for _, c := range []struct {
		args, err string
		status    int
	}{
		{"a.png", "corners: corners register needs two images, not 1 (run corners -h for help)\n", 2},
		{"a.png b.png -model none", "corners: flag -model: corners register needs a transform (run corners -h for help)\n", 2},
		{"a.png b.png -model fundamental", `corners: invalid value "fundamental" for flag -model: want none, homography, affine, similarity, rigid or translation (run corners -h for help)` + "\n", 2},
		{"a.png b.png -camera 1,1,1,1", "corners: flag provided but not defined: -camera (run corners -h for help)\n", 2},
		{"a.png square.png", "corners: square.png onto a.png: there is no homography\n", 1},
		{"a.png b.png -o a.png", "corners: a.png: this image is read, and never overwritten\n", 1},
	} {
		status, _, stderr := corners(t, append([]string{"register"}, strings.Fields(c.args)...)...)
		require.Equal(t, c.err, stderr, c.args)
		require.Equal(t, c.status, status, c.args)
	}
	require.Equal(t, []string{"a.png", "b.png", "square.png"}, filetest.List(t))
	_, err := os.Stat("a-square-registered.png")
	require.ErrorIs(t, err, os.ErrNotExist)
	status, stdout, stderr := corners(t, "register", "-h")
	require.Zero(t, status)
	require.Empty(t, stderr)
	require.Contains(t, stdout, "-model KIND")
	require.Contains(t, stdout, "(default homography)")
}
