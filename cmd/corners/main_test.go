package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// testPatience is for how long tests wait for a session that ends early, however busy the machine.
const testPatience = 5 * time.Minute

// statusInterrupted is the exit status after an interruption that is no signal.
const statusInterrupted = 130

// The memory that the program takes by default does not depend on the machine.
func init() { machineMemory = func() cli.ByteSize { return 0 } }

// run runs the program until the context is done.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return newProgram(ctx, testPatience, stdin, stdout, stderr).run(args)
}

// corners runs the program. Its errors must be one line each.
func corners(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	status = run(context.Background(), args, strings.NewReader(""), &out, &errs)
	for line := range strings.Lines(errs.String()) {
		if !strings.HasPrefix(line, "wrote ") {
			require.Regexp(t, `^corners: .+: .+\n$|^corners: .+ \(run corners -h for help\)\n$`, line)
		}
	}
	return status, out.String(), errs.String()
}

// A writerFunc is a function that writes.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// withStdin runs the program with a stream as standard input.
func withStdin(t *testing.T, stream io.Reader, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(t.Context(), args, stream, &out, &errs)
	return status, out.String(), errs.String()
}

// inTempDir makes the test run in a new directory and returns its name.
func inTempDir(t *testing.T) string {
	dir := t.TempDir()
	t.Chdir(dir)
	return dir
}

func TestPhotoIsTheOneOfTestdata(t *testing.T) {
	original := filetest.ReadPNG(t, filepath.Join("..", "..", "testdata", "photos", files.PhotoName))
	require.True(t, reflect.DeepEqual(original, decodedPhoto(t)))
}

func TestNoArguments(t *testing.T) {
	inTempDir(t)
	status, stdout, stderr := corners(t)
	require.Zero(t, status)
	require.Empty(t, stderr)

	img := decodedPhoto(t)
	detector, err := fast.New(fast.Options{Threshold: 25})
	require.NoError(t, err)
	want := len(detector.Detect(fast.Gray(img)))
	lines := strings.Split(stdout, "\n")
	require.Len(t, lines, 4)
	require.Equal(t, []string{"IMAGE", "SIZE", "KERNEL", "THRESHOLD", "CORNERS", "NS/PIXEL"}, strings.Fields(lines[0]))
	fields := strings.Fields(lines[1])
	require.Equal(t, []string{files.PhotoName, "512x512", detector.Options().Kernel.String(), "25", fmt.Sprint(want)}, fields[:5])
	require.Regexp(t, `^\d+\.\d{3}$`, fields[5])
	require.Equal(t, "wrote corners.png", lines[2])
	require.Equal(t, []string{"corners.png"}, filetest.List(t))
	require.Equal(t, img.Bounds(), filetest.ReadPNG(t, "corners.png").Bounds())
}

// commonFlags are the flags that all methods have.
var commonFlags = []string{"f", "format", "jobs", "mask", "memory", "method", "no-picture", "o", "roi", "stretch", "version", "workers"}

func TestHelp(t *testing.T) {
	inTempDir(t)
	for _, arg := range []string{"-h", "--help"} {
		status, stdout, stderr := corners(t, arg)
		require.Zero(t, status)
		require.Empty(t, stderr)
		for _, name := range commonFlags {
			require.Contains(t, stdout, "\n  -"+name+" ")
		}
		require.Contains(t, stdout, "default half of it")
		for _, text := range []string{"corners match", "corners bench", "\n  fast  ", "\n  orb   ", "\n  sift  ", "\n  harris  ", "\n  shi-tomasi  ", "\n  lococo  ", "\n  vpi  "} {
			require.Contains(t, stdout, text)
		}
		require.LessOrEqual(t, strings.Count(stdout, "\n"), 40, "one screen")
	}
	require.Empty(t, filetest.List(t))
}

// webp1x1 is a lossless image of one pixel; x/image has no encoder.
const webp1x1 = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="

func TestFormats(t *testing.T) {
	inTempDir(t)
	img := filetest.Square(40, 30)
	webp, err := base64.StdEncoding.DecodeString(webp1x1)
	require.NoError(t, err)
	for name, data := range map[string][]byte{
		"a.png": filetest.Encode(t, filetest.StorePNG, img),
		"b.jpg": filetest.Encode(t, func(w io.Writer, img image.Image) error {
			return jpeg.Encode(w, img, &jpeg.Options{Quality: 100})
		}, img),
		"c.gif":        filetest.Encode(t, func(w io.Writer, img image.Image) error { return gif.Encode(w, img, nil) }, img),
		"d.BMP":        filetest.Encode(t, bmp.Encode, img),
		"e.tiff":       filetest.Encode(t, func(w io.Writer, img image.Image) error { return tiff.Encode(w, img, nil) }, img),
		"f.pgm":        append([]byte("P5 40 30 255\n"), img.Pix...),
		"g.webp":       webp,
		"no-extension": filetest.Encode(t, filetest.StorePNG, img), // not of the directory, but may be named
		"notes.txt":    []byte("not an image"),
	} {
		filetest.Write(t, name, data)
	}

	status, stdout, stderr := corners(t, "-format", "json", ".", "no-extension")
	require.Zero(t, status, stderr)
	require.Equal(t, "corners: g.webp: all its pixels are transparent, so that it is black\n", stderr)
	var items []fastObject
	decodeJSON(t, stdout, &items)
	require.Len(t, items, 8)
	require.NotEmpty(t, items[0].Corners)
	for i, name := range []string{"a.png", "b.jpg", "c.gif", "d.BMP", "e.tiff", "f.pgm", "g.webp", "no-extension"} {
		require.Equal(t, name, items[i].Image)
		if name == "g.webp" {
			require.Equal(t, 1, items[i].Width)
			require.Equal(t, []fastCorner{}, items[i].Corners)
			continue
		}
		require.Equal(t, 40, items[i].Width, name)
		require.Equal(t, 30, items[i].Height, name)
		if name == "b.jpg" || name == "c.gif" { // formats that change the pixels a little
			for j, c := range items[i].Corners {
				require.InDelta(t, 199, c.Score, 15, name)
				items[i].Corners[j].Score = 199
			}
		}
		require.Equal(t, items[0].Corners, items[i].Corners, name)
	}
}

func TestJSON(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	status, stdout, stderr := corners(t, "-format=json", "-threshold=30", "-arc=9", "-nonmax", "-kernel=scalar", "-o=out", "a.png")
	require.Zero(t, status)
	picture := filepath.Join("out", "a-corners.png")
	require.Equal(t, "wrote "+picture+"\n", stderr)

	d, err := fast.New(fast.Options{Threshold: 30, ArcLength: 9, NonmaxSuppression: true})
	require.NoError(t, err)
	want := fastObject{
		imageObject: imageObject{Image: "a.png", Width: 40, Height: 30, Picture: picture, Method: "fast"},
		Kernel:      fast.Scalar, Threshold: 30, Arc: 9, Nonmax: true, Corners: []fastCorner{},
	}
	for _, c := range d.Detect(filetest.Square(40, 30)) {
		require.NotZero(t, c.Score)
		want.Corners = append(want.Corners, fastCorner(c))
	}
	var items []fastObject
	decodeJSON(t, stdout, &items)
	require.Equal(t, []fastObject{want}, items)
	require.Equal(t, []string{"a.png", "out/a-corners.png"}, filetest.List(t))
}

func TestCSV(t *testing.T) {
	inTempDir(t)
	const name = `odd, "name".png`
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such file names")
	}
	filetest.WriteSquare(t, name)
	status, stdout, stderr := corners(t, "-format", "csv", "-no-picture", name)
	require.Zero(t, status)
	require.Empty(t, stderr)
	d, err := fast.New(fast.Options{Threshold: 25, Score: true})
	require.NoError(t, err)
	want := [][]string{{"image", "x", "y", "score"}}
	for _, c := range d.Detect(filetest.Square(40, 30)) {
		require.NotZero(t, c.Score)
		want = append(want, []string{name, fmt.Sprint(c.X), fmt.Sprint(c.Y), fmt.Sprint(c.Score)})
	}
	got, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, []string{name}, filetest.List(t))
}

func TestBadFileAmongGoodOnes(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.WriteSquare(t, "z.png")
	filetest.Write(t, "empty.png", nil)
	filetest.Write(t, "text.png", []byte("not an image\n"))
	filetest.Write(t, "cut.png", filetest.Encode(t, png.Encode, filetest.Square(40, 30))[:60])
	filetest.Write(t, "liar.pgm", []byte("P5 20000 20000 255\nabc"))
	filetest.Write(t, "huge.pgm", []byte("P5 2000000 2000000 255\nabc"))
	args := []string{"a.png", "missing.png", "empty.png", "text.png", "cut.png", "liar.pgm", "huge.pgm", "z.png"}

	for _, format := range []string{"table", "csv", "json"} {
		status, stdout, stderr := corners(t, append([]string{"-o", format, "-format", format}, args...)...)
		require.Equal(t, 1, status)
		for _, bad := range args[1:7] {
			require.Equal(t, 1, strings.Count(stderr, "corners: "+bad+": "), "%s: %s", bad, stderr)
			require.NotContains(t, stdout, bad)
		}
		require.Contains(t, stderr, "huge.pgm: 2000000 x 2000000 pixels need ")
		require.Contains(t, stderr, " of memory, more than 1 GiB (-memory)")
		require.Contains(t, stdout, "a.png")
		require.Contains(t, stdout, "z.png")
		if format == "json" {
			var items []fastObject
			decodeJSON(t, stdout, &items)
			require.Len(t, items, 2)
		}
		pictures, err := os.ReadDir(format)
		require.NoError(t, err)
		require.Len(t, pictures, 2)
	}
}

// Whatever fails, what goes to standard output is in the format asked for.
func TestOnlyBadFiles(t *testing.T) {
	inTempDir(t)
	for format, want := range map[string]string{"table": "", "csv": "image,x,y,score\n", "json": "[]\n"} {
		status, stdout, stderr := corners(t, "-o", "out", "-format", format, "missing.png")
		require.Equal(t, 1, status)
		require.Equal(t, want, stdout)
		require.Equal(t, 1, strings.Count(stderr, "\n"))
		require.Empty(t, filetest.List(t))
	}
}

func TestUsageErrors(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	var unsupported string
	for k := fast.Scalar; ; k++ {
		if _, err := k.MarshalText(); err != nil {
			break
		}
		if _, err := fast.New(fast.Options{Kernel: k}); err != nil {
			unsupported = k.String()
		}
	}
	for _, test := range []struct{ args, names string }{
		{"-threshold 256", "invalid value 256 for flag -threshold: want 0 to 255"},
		{"-threshold -1", "-threshold"},
		{"-threshold x", `invalid value "x" for flag -threshold`},
		{"-threshold", "-threshold"},
		{"-threshold a.png", "flag -threshold has no value, but the name of a file, a.png: want 0 to 255"},
		{"match -features a.png", "flag -features has no value, but the name of a file, a.png: want 1 or more"},
		{"bench -time a.png", "flag -time has no value, but the name of a file, a.png: want a time, such as 3s"},
		{"-arc 8", "invalid value 8 for flag -arc: want 9 to 12"},
		{"-arc 0", "-arc"},
		{"-arc 13", "-arc"},
		{"-nonmax=maybe", "-nonmax"},
		{"-kernel mmx", `invalid value "mmx" for flag -kernel: unknown Kernel "mmx", not one of auto, scalar, `},
		{"-kernel " + unsupported, unsupported},
		{"-arc 9 -kernel sse2-16x1", "sse2-16x1"},
		{"-strongest -1", "invalid value -1 for flag -strongest: want 0 or more"},
		{"-spread -1", "invalid value -1 for flag -spread: want 0 or more"},
		{"-workers x", `invalid value "x" for flag -workers`},
		{"bench -threshold 256", "invalid value 256 for flag -threshold: want 0 to 255"},
		{"bench -format xml", `invalid value "xml" for flag -format: want table, csv or json`},
		{"bench -time soon", "-time"},
		{"bench -time -3s", "invalid value -3s for flag -time: want 0s or more"},
		{"-o x.jpg", `invalid value "x.jpg" for flag -o: pictures are PNG: want a directory, or a name that ends in .png`},
		{"-workers -5", "invalid value -5 for flag -workers: want -1 or more"},
		{"match -workers -5", "invalid value -5 for flag -workers: want -1 or more"},
		{"-method vpi -arc 17", "invalid value 17 for flag -arc: want 1 to 16 with -radius 3"},
		{"-method lococo -kernel-size 4", "invalid value [4] for flag -kernel-size: want different odd numbers from 3 to 63"},
		{"-method orb -edge 1000000000000", "flag -edge"},
		{"-method orb -scale 1.000000000001", "flag -scale"},
		{"-method orb -levels 20 -first-level 12 -scale 2", "flag -first-level"},
		{"-method sift -sigma 0.6 -doubling=false", "invalid value 0.6 for flag -sigma: want enough for filters of 7 taps with -layers 3 and -doubling=false"},
		{"-method sift -sigma 0.5", "invalid value 0.5 for flag -sigma: want enough for filters of 7 taps with -layers 3 and -doubling"},
		{"-method sift -edge-ratio 1.00000000001", "invalid value 1.00000000001 for flag -edge-ratio: want more than 1 as a float32, up to 1000000"},
		{"-method sift -features 2000000000", "invalid value 2000000000 for flag -features: want 0 to 1000000000"},
		{"bench -arc 8", "invalid value 8 for flag -arc: want 9 to 12"},
		{"bench -mask a.png", "-mask"},
		{"bench -method surf", `invalid value "surf" for flag -method`},
		{"bench -method orb -arc 9", "flag -arc is not for method orb"},
		{"bench a.png -threshold 300", "invalid value 300 for flag -threshold"},
		{"-format xml", `invalid value "xml" for flag -format: want table, csv or json`},
		{"-o=", "-o"},
		{"-colour", "-colour"},
		{"-method surf", `invalid value "surf" for flag -method: want fast, orb, sift, harris, shi-tomasi, lococo or vpi`},
		{"-method=", `invalid value "" for flag -method`},
		{"-levels 3", "flag -levels is not for method fast"},
		{"a.png -threshold 300", "invalid value 300 for flag -threshold: want 0 to 255"},
		{"a.png -colour", "-colour"},
		{"-o x -no-picture", "flag -o is for pictures, and -no-picture wants none"},
		{"-jobs -1", "invalid value -1 for flag -jobs: want 0 or more"},
		{"-memory lots", `invalid value "lots" for flag -memory: want an amount of memory, such as 500MiB or 2GiB`},
		{"-memory 0", "-memory"},
		{"-memory NaN", "-memory"},
		{"-memory 1e30G", "-memory"},
		{"-roi 1,2,3", `invalid value "1,2,3" for flag -roi: want four numbers, X,Y,W,H`},
		{"-roi 1,2,3,4,5", "-roi"},
		{"-roi 1,2,3,x", "-roi"},
		{"-roi 1,2,3,99999999999", "-roi"},
		{"-roi 1,2,0,4", "want X and Y of 0 or more, and W and H of 1 or more"},
		{"-roi=-1,2,3,4", "-roi"},
	} {
		if strings.HasSuffix(test.args, "-kernel ") {
			continue // this processor runs all kernels
		}
		args := strings.Fields(test.args)
		if !strings.HasPrefix(test.args, "a.png") && test.args != "-threshold" {
			args = append(args, "a.png")
		}
		status, stdout, stderr := corners(t, args...)
		require.Equal(t, 2, status, test.args)
		require.Empty(t, stdout, test.args)
		require.Contains(t, stderr, test.names)
		require.NotContains(t, stderr, "Options.", "a field of Go")
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
	require.Equal(t, []string{"a.png"}, filetest.List(t))
}

func TestBlockedOutput(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.Write(t, "file", []byte("in the way"))
	for _, dir := range []string{"file", filepath.Join("file", "sub")} {
		status, stdout, stderr := corners(t, "-o", dir, "a.png")
		require.Equal(t, 1, status)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "corners: "+dir+": ")
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}

	// A directory where the picture goes: the other file is done, and nothing
	// is left over.
	filetest.WriteSquare(t, "b.png")
	require.NoError(t, os.MkdirAll(filepath.Join("out", "a-corners.png"), 0o777))
	status, stdout, stderr := corners(t, "-o", "out", "a.png", "b.png")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "corners: "+filepath.Join("out", "a-corners.png")+": ")
	require.Contains(t, stdout, "wrote "+filepath.Join("out", "b-corners.png"))
	require.Equal(t, []string{"a.png", "b.png", "file", "out/b-corners.png"}, filetest.List(t))
}

// TestUnwritable checks what is said of a directory in which nothing can be written: what was to be
// written there, and what to do.
func TestUnwritable(t *testing.T) {
	inTempDir(t)
	filetest.Write(t, "file", nil)
	for i, frame := range sequence(t, 2) {
		filetest.Write(t, []string{"a.png", "b.png"}[i], filetest.Encode(t, filetest.StorePNG, frame))
	}
	const advice = " (-o names another place, and -no-picture none)\n"
	for args, what := range map[string]string{
		"a.png -o file/sub":                "a-corners.png",
		"a.png b.png -o file/sub":          "2 pictures",
		"-method orb a.png -o file/x.png":  "x.png",
		"match a.png b.png -o file/sub":    "a-b-matches.png",
		"register a.png b.png -o file/sub": "a-b-registered.png",
		"track a.png b.png -o file/sub":    "pictures of tracks",
		"find a.png b.png -o file/sub":     "b-found.png",
	} {
		status, _, stderr := corners(t, strings.Fields(args)...)
		require.NotZero(t, status, args)
		dir := filepath.FromSlash(strings.TrimSuffix(args[strings.Index(args, "file"):], "/x.png"))
		require.Equal(t, "corners: "+dir+": "+what+" cannot be written there: "+syscall.ENOTDIR.Error()+advice, stderr)
	}
	require.Equal(t, []string{"a.png", "b.png", "file"}, filetest.List(t))
}

// TestCounts checks that one of a thing is not called several.
func TestCounts(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	frame := sequence(t, 1)
	_, stdout, _ := withStdin(t, bytes.NewReader(stream(frame)), "stabilize", "-", "out.y4m")
	require.Regexp(t, "^wrote 1 frame: 0 cuts, ", stdout)
	_, _, stderr := corners(t, "find", "a.png")
	require.Contains(t, stderr, ", not 1 image (")
	_, _, stderr = corners(t, "stabilize", "a.y4m")
	require.Contains(t, stderr, ", not 1 name (")
	var table, share strings.Builder
	one := []speed{{Frames: 1, Pixels: 9, Rounds: 1, Megapixels: 1}} // of a session that is interrupted
	require.NoError(t, errors.Join(writeSpeeds(&table, report.FormatTable, one), writeShare(&share, one)))
	require.Contains(t, table.String(), ", median of 1 round\n")
	require.Contains(t, share.String(), "\n1 frame with 0.00 million pixels, median of 1 round\n")
	filetest.Write(t, "photo.png", files.OwnPhoto)
	for _, n := range []string{"1 match", "3 matches"} {
		_, stdout, _ = corners(t, "match", "photo.png", "photo.png", "-features", n[:1], "-levels", "1", "-no-picture")
		require.Contains(t, stdout, n+"\n")
	}
}

func TestUnreadable(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	require.NoError(t, os.Chmod("a.png", 0))
	if f, err := os.Open("a.png"); err == nil {
		f.Close()
		t.Skip("this user may read all files")
	}
	status, _, stderr := corners(t, "a.png")
	require.Equal(t, 1, status)
	require.Equal(t, "corners: a.png: permission denied\n", stderr)
	require.Equal(t, []string{"a.png"}, filetest.List(t))
}

func TestPictureNames(t *testing.T) {
	inTempDir(t)
	for _, name := range []string{"a.png", "d1/a.png", "d1/sub/A.png", "d2/a.jpg", "d2/a-corners.png", "d2/b.tar.png"} {
		filetest.WriteSquare(t, name)
	}
	before, err := os.ReadFile("d2/a-corners.png")
	require.NoError(t, err)

	// The picture of d2/a.jpg may not replace the input d2/a-corners.png. A
	// second run replaces the pictures of the first.
	for range 2 {
		status, stdout, stderr := corners(t, "-o", "d2", "d2/a.jpg", "d2/a-corners.png")
		require.Zero(t, status, stderr)
		require.Contains(t, stdout, "wrote 2 pictures into d2\n")
		require.Equal(t, []string{
			"a.png", "d1/a.png", "d1/sub/A.png", "d2/a-corners-2.png", "d2/a-corners-corners.png", "d2/a-corners.png",
			"d2/a.jpg", "d2/b.tar.png",
		}, filetest.List(t))
	}
	after, err := os.ReadFile("d2/a-corners.png")
	require.NoError(t, err)
	require.Equal(t, before, after)

	// Of a directory, pictures are not read.
	status, stdout, stderr := corners(t, "-o", "out", "-format", "json", "a.png", "d1", "d2")
	require.Zero(t, status, stderr)
	var items []fastObject
	decodeJSON(t, stdout, &items)
	got := make(map[string]string)
	for _, item := range items {
		got[filepath.ToSlash(item.Image)] = filepath.ToSlash(item.Picture)
		require.FileExists(t, item.Picture)
	}
	require.Equal(t, map[string]string{
		"a.png":        "out/a-corners.png",
		"d1/a.png":     "out/a-corners-2.png",
		"d1/sub/A.png": "out/A-corners-3.png",
		"d2/a.jpg":     "out/a-corners-4.png",

		"d2/a-corners.png": "out/a-corners-corners.png", // which the program has not drawn
		"d2/b.tar.png":     "out/b.tar-corners.png",
	}, got)
}

func TestDirectories(t *testing.T) {
	inTempDir(t)
	require.NoError(t, os.MkdirAll("empty/sub", 0o777))
	filetest.Write(t, "empty/notes.txt", []byte("nothing to see"))
	status, _, _ := corners(t, "-o", "drawn")
	require.Zero(t, status)
	require.NoError(t, os.Rename("drawn/corners.png", "drawn/renamed.png"))
	filetest.WriteSquare(t, "d/b.png")
	filetest.WriteSquare(t, "d/c/a.png")
	filetest.Write(t, "d/bad.png", nil)
	status, stdout, stderr := corners(t, "-no-picture", "empty", "drawn", "d")
	require.Equal(t, 1, status)
	require.Equal(t, "corners: empty: no images in this directory\n"+
		"corners: drawn: no images in this directory except pictures that corners has drawn\n"+
		"corners: "+filepath.Join("d", "bad.png")+": not an image, or of a format that is not read\n", stderr)
	require.Regexp(t, `(?s)^IMAGE.*\nd.b\.png .*\nd.c.a\.png [^\n]*\n$`, stdout)

	if os.Symlink("d", "link") == nil {
		_, stdout, _ = corners(t, "-no-picture", "link")
		require.Contains(t, stdout, filepath.Join("link", "b.png"))
	}

	// By name, a picture of the program is an image as any other.
	status, stdout, _ = corners(t, "-no-picture", filepath.Join("drawn", "renamed.png"))
	require.Zero(t, status)
	require.Contains(t, stdout, "512x512")
}

// A full disk, or a pipe that nobody reads.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) {
	return 0, errors.New("no space left")
}

func TestBrokenOutput(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	for _, args := range [][]string{
		{"a.png"},
		{"-format", "csv", "a.png"},
		{"-format", "json", "-o", "out", "a.png", "a.png", "a.png"},
	} {
		var stderr strings.Builder
		require.Equal(t, 1, run(context.Background(), args, nil, brokenWriter{}, &stderr), args)
		require.Equal(t, "corners: standard output: no space left\n", stderr.String())
	}
}

// Only a terminal gets a progress bar, here neither a buffer nor a file.
func TestNoProgressBar(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.WriteSquare(t, "b.png")
	stderr, err := os.Create("stderr")
	require.NoError(t, err)
	require.Zero(t, run(context.Background(), []string{"-no-picture", "a.png", "b.png"}, nil, io.Discard, stderr))
	require.NoError(t, stderr.Close())
	text, err := os.ReadFile("stderr")
	require.NoError(t, err)
	require.Empty(t, text)
}

// TestHelpCommand checks that help shows the help of commands.
func TestHelpCommand(t *testing.T) {
	for _, c := range [][2][]string{
		{{"help"}, {"-h"}},
		{{"help", "match"}, {"match", "-h"}},
		{{"help", "stabilize"}, {"stabilize", "-h"}},
		{{"help", "-method", "orb"}, {"-method", "orb", "-h"}},
		{{"help", "orb"}, {"-method", "orb", "-h"}},
		{{"help", "help"}, {"-h"}},
		{{"help", "match", "a.png"}, {"match", "-h"}},
	} {
		status, stdout, stderr := corners(t, c[0]...)
		require.Zero(t, status)
		require.Empty(t, stderr)
		_, want, _ := corners(t, c[1]...)
		require.Equal(t, want, stdout)
		require.Contains(t, stdout, "Usage: ")
	}
}

// TestUnknownHelp checks that there is no help for what is not there.
func TestUnknownHelp(t *testing.T) {
	const all = ": no such command: the commands are bench, calibrate, find, match, register, stabilize, tag, track, undistort and help"
	for word, want := range map[string]string{
		"nosuch":   "nosuch" + all,
		"stabilse": "stabilse: no such command: did you mean corners stabilize?",
		"a.png":    "a.png" + all,
		"sfit":     "sfit: no such command: did you mean corners -method sift?",
		"a\nbcdef": `"a\nbcdef"` + all,
	} {
		status, stdout, stderr := corners(t, "help", word)
		require.Equal(t, report.StatusUsage, status, word)
		require.Empty(t, stdout)
		require.Equal(t, "corners: "+want+" (run corners -h for help)\n", stderr)
	}
}

// TestUnknownWord checks what the program says of a first word that is neither a command nor a file.
func TestUnknownWord(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "stabilise")
	filetest.WriteSquare(t, "a.png")
	const all = ": no such file or command: the commands are bench, calibrate, find, match, register, stabilize, tag, track, undistort and help"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"stabilice", "a.png", "b"}, "stabilice: no such file or command: did you mean corners stabilize?"},
		{[]string{"Track", "a.png"}, "Track: no such file or command: did you mean corners track?"},
		{[]string{"STABILISE"}, "STABILISE: no such file or command: did you mean corners stabilize?"},
		{[]string{"hlep"}, "hlep: no such file or command: did you mean corners help?"},
		{[]string{"regster"}, "regster: no such file or command: did you mean corners register?"},
		{[]string{"matches"}, "matches: no such file or command: did you mean corners match?"},
		{[]string{"matching"}, "matching" + all},
		{[]string{"orb", "x.jpg"}, "orb: no such file or command: did you mean corners -method orb?"},
		{[]string{"shi-tomasi", "a.png"}, "shi-tomasi: no such file or command: did you mean corners -method shi-tomasi?"},
		{[]string{"Haris", "a.png"}, "Haris: no such file or command: did you mean corners -method harris?"},
		{[]string{"detect", "a.png"}, "detect" + all},
		{[]string{"-f", "-o", "x", "frobnicate"}, "frobnicate" + all},
		{[]string{"-f", "track", "a.png"}, "track: no such file, and as a command it must be the first word"},
	} {
		status, stdout, stderr := corners(t, c.args...)
		require.Equal(t, report.StatusUsage, status, c.args)
		require.Empty(t, stdout)
		require.Equal(t, "corners: "+c.want+" (run corners -h for help)\n", stderr)
	}
	require.Equal(t, []string{"a.png", "stabilise"}, filetest.List(t))

	// Others are files, whether they exist or not.
	status, stdout, stderr := corners(t, "-no-picture", "stabilise")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "\nstabilise ")
	for _, args := range [][]string{{"missing.png"}, {"./track"}, {"a.png", "stabilice"}, {"frame1"}} {
		status, _, stderr = corners(t, append(args, "-no-picture")...)
		require.Equal(t, 1, status)
		require.Regexp(t, `^corners: .*: `+regexp.QuoteMeta(syscall.ENOENT.Error())+`\n$`, stderr)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"abc", "axc", 1},
		{"abc", "abxc", 1},
		{"abc", "ac", 1},
		{"ab", "ba", 2},
		{"kitten", "sitting", 3},
		{"saturday", "sunday", 3},
	} {
		require.Equal(t, c.want, distance(c.a, c.b), "%s %s", c.a, c.b)
	}
}
