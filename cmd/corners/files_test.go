package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/stretchr/testify/require"
)

// Flags may come before and after files, and -- ends them.
func TestFlagsAndFiles(t *testing.T) {
	inTempDir(t)
	for _, name := range []string{"a.png", "-nonmax", "--", "-o"} {
		filetest.Write(t, name, filetest.Encode(t, filetest.StorePNG, filetest.Square(40, 30)))
	}
	filetest.WriteSquare(t, "b.png")
	for _, test := range []struct{ args, images, drawn string }{
		{"a.png -nonmax b.png -threshold 30", "a.png b.png", "a-corners.png b-corners.png"},
		{"-no-picture -- a.png -nonmax", "a.png -nonmax", ""},
		{"a.png -no-picture -- -nonmax -- -o", "a.png -nonmax -- -o", ""},
		{"-o -- a.png", "a.png", "--/a-corners.png"},
		{"a.png -o=-- -- b.png", "a.png b.png", "--/a-corners.png --/b-corners.png"},
		{"-no-picture --", files.PhotoName, ""},
		{"--no-picture --nonmax=false a.png", "a.png", ""},
	} {
		require.NoError(t, os.RemoveAll("--"))
		if test.drawn == "" {
			filetest.WriteSquare(t, "--")
		}
		status, stdout, stderr := corners(t, strings.Fields(test.args)...)
		require.Zero(t, status, stderr)
		var images []string
		for line := range strings.Lines(stdout) {
			if name, _, _ := strings.Cut(line, " "); name != "IMAGE" && name != "wrote" {
				images = append(images, name)
			}
		}
		require.Equal(t, test.images, strings.Join(images, " "), test.args)
		for _, picture := range strings.Fields(test.drawn) {
			require.FileExists(t, picture, test.args)
			require.NoError(t, os.Remove(picture))
		}
	}
}

// Help that cannot be written is an error.
func TestBrokenHelp(t *testing.T) {
	for _, command := range []string{"-h", "-version", "-method orb -h", "match -h", "bench -h"} {
		var stderr strings.Builder
		require.Equal(t, 1, run(t.Context(), strings.Fields(command), nil, brokenWriter{}, &stderr), command)
		require.Equal(t, "corners: standard output: no space left\n", stderr.String())
	}
}

func TestVersion(t *testing.T) {
	inTempDir(t)
	for _, args := range [][]string{{"-version"}, {"a.png", "--version", "-method=orb"}} {
		status, stdout, stderr := corners(t, args...)
		require.Zero(t, status)
		require.Empty(t, stderr)
		require.Regexp(t, `^corners \S+, go\S+.* for `+runtime.GOOS+"/"+runtime.GOARCH+`\n$`, stdout)
	}
	require.Empty(t, filetest.List(t))
}

func TestStandardInput(t *testing.T) {
	inTempDir(t)
	file := filetest.Encode(t, filetest.StorePNG, filetest.Square(40, 30))
	filetest.Write(t, "a.png", file)
	pipe := func(args ...string) (status int, stdout, stderr string) {
		var out, errs strings.Builder
		status = run(t.Context(), args, bytes.NewReader(file), &out, &errs)
		return status, out.String(), errs.String()
	}
	want := found(t, "a.png")
	status, stdout, stderr := pipe("-format", "json", "-")
	require.Zero(t, status, stderr)
	var items []fastObject
	decodeJSON(t, stdout, &items)
	require.Equal(t, "-", items[0].Image)
	require.Len(t, items[0].Corners, len(want))

	status, stdout, stderr = pipe("-", "a.png")
	require.Zero(t, status, stderr)
	require.Regexp(t, `\n-  +40x30 .*\na\.png +40x30 `, stdout)
	require.Equal(t, []string{"a-corners.png", "a.png", "stdin-corners.png"}, filetest.List(t))

	status, stdout, stderr = pipe("a.png", "-", "-no-picture", "-mask", "-")
	require.Equal(t, 2, status)
	require.Equal(t, "corners: standard input: named more than once (run corners -h for help)\n", stderr)
	require.Contains(t, stdout, "\na.png ")

	status, stdout, stderr = pipe("match", "-", "a.png")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "wrote stdin-a-matches.png\n")
	status, stdout, stderr = pipe("bench", "-", "-time", "1ms")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "4 frames")

	for _, text := range []string{"", "no image\n"} {
		var out, errs strings.Builder
		require.Equal(t, 1, run(t.Context(), []string{"-"}, strings.NewReader(text), &out, &errs))
		require.Equal(t, "corners: standard input: not an image, or of a format that is not read\n", errs.String())
	}
	broken := iotest.ErrReader(&os.PathError{Op: "read", Path: "/dev/stdin", Err: errors.New("input/output error")})
	var out, errs strings.Builder
	require.Equal(t, 1, run(t.Context(), []string{"-"}, io.MultiReader(bytes.NewReader(file[:50]), broken), &out, &errs))
	require.Equal(t, "corners: standard input: input/output error\n", errs.String())
}

// Of csv and json there are pictures only when -o asks for them.
func TestPicturesAreAskedFor(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	for _, format := range []string{"csv", "json"} {
		for _, command := range [][]string{{"a.png"}, {"match", "a.png", "a.png"}} {
			status, _, stderr := corners(t, append(command, "-format", format)...)
			require.Zero(t, status)
			require.Empty(t, stderr)
			require.Equal(t, []string{"a.png"}, filetest.List(t))
			status, _, stderr = corners(t, append(command, "-format", format, "-o", "x.png")...)
			require.Zero(t, status)
			require.Equal(t, "wrote x.png\n", stderr)
			require.NoError(t, os.Remove("x.png"))
		}
	}
}

// With -o one picture has a name of its own.
func TestOnePicture(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.WriteSquare(t, "d/b.png")
	filetest.WriteSquare(t, "d/c.png")
	name := filepath.Join("new", "it.PNG")
	status, stdout, stderr := corners(t, "a.png", "-o", name)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "wrote "+name+"\n")
	require.Equal(t, image.Pt(40, 30), filetest.ReadPNG(t, name).Bounds().Size())

	for _, args := range [][]string{{"d", "-o", "it.png"}, {"a.png", "a.png", "-o", "it.png"}} {
		status, stdout, stderr = corners(t, args...)
		require.Equal(t, 2, status)
		require.Empty(t, stdout)
		require.Equal(t, "corners: it.png: the name of one picture, for 2 images (run corners -h for help)\n", stderr)
	}
	// The image itself is never overwritten.
	for _, args := range [][]string{
		{"a.png", "-o", "a.png", "-f"},
		{"d/b.png", "-o", "a.png", "-f", "-mask", "a.png"},
		{"match", "a.png", "d/b.png", "-f", "-o", "a.png"},
	} {
		status, _, stderr = corners(t, args...)
		require.Equal(t, 1, status)
		require.Equal(t, "corners: a.png: this image is read, and never overwritten\n", stderr)
	}
	require.NoError(t, os.Mkdir("dir.jpg", 0o777))
	status, _, stderr = corners(t, "a.png", "-o", "dir.jpg")
	require.Zero(t, status, stderr)
	require.NoError(t, os.RemoveAll("dir.jpg"))
	require.NoError(t, os.Mkdir("dir.png", 0o777))
	status, stdout, stderr = corners(t, "a.png", "-o", "dir.png")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "wrote "+filepath.Join("dir.png", "a-corners.png")+"\n")
	require.Equal(t, []string{"a.png", "d/b.png", "d/c.png", "dir.png/a-corners.png", "new/it.PNG"}, filetest.List(t))
}

// What the program has not drawn is overwritten with -f only, and what it has drawn always.
func TestOverwriting(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.WriteSquare(t, "b.png")
	precious := []byte("precious")
	for _, path := range []string{"a-corners.png", "it.png"} {
		filetest.Write(t, path, precious)
	}
	status, stdout, stderr := corners(t, "a.png", "b.png")
	require.Equal(t, 1, status)
	require.Equal(t, "corners: a-corners.png: corners has not drawn this file, and overwrites it only with -f\n", stderr)
	require.Contains(t, stdout, "wrote b-corners.png\n")
	require.NotContains(t, stdout, "\na.png ")
	status, _, stderr = corners(t, "a.png", "-o", "it.png", "-method", "orb")
	require.Equal(t, 1, status)
	require.Equal(t, "corners: it.png: corners has not drawn this file, and overwrites it only with -f\n", stderr)
	require.Equal(t, precious, filetest.Read(t, "a-corners.png"))
	require.Equal(t, precious, filetest.Read(t, "it.png"))

	for _, args := range [][]string{{"-f"}, {}, {"-method", "harris"}} {
		status, stdout, stderr = corners(t, append(args, "a.png", "b.png")...)
		require.Zero(t, status, stderr)
		require.Contains(t, stdout, "wrote 2 pictures into .\n")
		require.Equal(t, 40, filetest.ReadPNG(t, "a-corners.png").Bounds().Dx())
	}
	require.Equal(t, []string{"a-corners.png", "a.png", "b-corners.png", "b.png", "it.png"}, filetest.List(t))
}

// In tables and messages there is nothing that a terminal would obey.
func TestOddNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such file names")
	}
	inTempDir(t)
	names := map[string]string{
		"new\nline.png":     `"new\nline.png"`,
		"tab\t\x1b[31m.png": `"tab\t\x1b[31m.png"`,
		"\u202egnp.png":     `"\u202egnp.png"`,
		"bad\xff.png":       `"bad\xff.png"`,
		"a b \"ü\".png":     "a b \"ü\".png",
	}
	for name, shown := range names {
		if os.WriteFile(name, filetest.Encode(t, filetest.StorePNG, filetest.Square(40, 30)), 0o666) != nil {
			continue // this system has no such names
		}
		picture := strings.TrimSuffix(name, ".png") + "-corners.png"
		status, stdout, stderr := corners(t, name, "no"+name)
		require.Equal(t, 1, status)
		require.Contains(t, stdout, "\n"+shown+"  40x30 ")
		require.Contains(t, stdout, "\nwrote "+report.Printable(picture)+"\n")
		require.Equal(t, strings.ContainsAny(shown, `\`), strings.Contains(stdout, `wrote "`))
		require.True(t, strings.HasPrefix(stderr, "corners: "+report.Printable("no"+name)+": "), stderr)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)

		status, stdout, stderr = corners(t, "match", name, name)
		require.Zero(t, status, stderr)
		require.Contains(t, stdout, "\n"+shown+"  40x30 ")
		status, stdout, stderr = corners(t, name, "-format=json")
		require.Zero(t, status, stderr)
		var items []fastObject
		decodeJSON(t, stdout, &items)
		require.Equal(t, strings.ToValidUTF8(name, "\ufffd"), items[0].Image)
		status, _, stderr = corners(t, name, "-mask", name, "-roi", "1,2,300,4", "-o", name)
		require.Equal(t, 1, status)
		require.NotContains(t, strings.TrimSuffix(stderr, "\n"), "\n")
	}
	for _, name := range filetest.List(t) {
		require.NotContains(t, name, ".tmp")
	}
}

// A region is searched as if it were the whole image.
func TestROI(t *testing.T) {
	inTempDir(t)
	region := image.Rect(100, 50, 400, 250)
	whole := decodedPhoto(t).(*image.Gray)
	part := image.NewGray(image.Rectangle{Max: region.Size()})
	for y := range part.Rect.Dy() {
		copy(part.Pix[y*part.Stride:][:part.Stride], whole.Pix[whole.PixOffset(100, 50+y):])
	}
	filetest.Write(t, "part.png", filetest.Encode(t, filetest.StorePNG, part))
	filetest.Write(t, "whole.png", files.OwnPhoto)
	for _, m := range method.All {
		args := []string{"-format", "csv", "-method", m.Name}
		_, want, _ := corners(t, append(args, "part.png")...)
		status, got, stderr := corners(t, append(args, "whole.png", "-roi", "100,50,300,200")...)
		require.Zero(t, status, stderr)
		wantLines, gotLines := strings.Split(want, "\n"), strings.Split(got, "\n")
		require.Len(t, gotLines, len(wantLines), m.Name)
		require.Greater(t, len(gotLines), 20)
		for i, line := range wantLines[1 : len(wantLines)-1] {
			var x, y float32
			var rest string
			_, err := fmt.Sscanf(strings.ReplaceAll(line, ",", " "), "part.png %g %g %s", &x, &y, &rest)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(gotLines[1+i], fmt.Sprintf("whole.png,%v,%v,%s", x+100, y+50, rest)), "%s: %s: %s", m.Name, line, gotLines[1+i])
		}
	}

	// With a mask, which has the size of the whole image.
	where := image.Rect(0, 0, 200, 512)
	writeMask(t, "mask.png", image.NewGray(image.Rect(0, 0, 512, 512)), where, image.White)
	for _, c := range found(t, "-roi", "100,50,300,200", "-mask", "mask.png") {
		require.True(t, c.Pt().In(image.Rect(103, 53, 200, 247)))
	}
	status, stdout, stderr := corners(t, "-format=json", "-roi", "0, 0, 512, 512")
	require.Zero(t, status, stderr)
	var items []fastObject
	decodeJSON(t, stdout, &items)
	require.Equal(t, &roiObject{0, 0, 512, 512}, items[0].ROI)
	require.Equal(t, len(found(t)), len(items[0].Corners))

	filetest.WriteSquare(t, "a.png")
	status, stdout, stderr = corners(t, "-no-picture", "-roi", "10,10,40,5", "a.png", "whole.png")
	require.Equal(t, 1, status)
	require.Equal(t, "corners: a.png: the region 10,10,40,5 is not within its 40 x 30 pixels\n", stderr)
	require.Contains(t, stdout, "\nwhole.png ")
}

// Whatever is done at once, results are the same and in order.
func TestJobs(t *testing.T) {
	inTempDir(t)
	var names []string
	for i := range 30 {
		name := fmt.Sprintf("%02d.png", i)
		filetest.Write(t, name, filetest.Encode(t, filetest.StorePNG, filetest.Square(40+60*(i%7), 30)))
		names = append(names, name)
		if i%10 == 5 {
			filetest.Write(t, name, []byte("no image"))
		}
	}
	for _, format := range []string{"csv", "json", "table"} {
		if testing.Short() && format == "csv" {
			continue
		}
		var want string
		for _, jobs := range []string{"1", "2", "7", "0"} {
			if testing.Short() && (jobs == "2" || jobs == "0") {
				continue
			}
			status, stdout, stderr := corners(t, append([]string{"-format", format, "-jobs", jobs, "-o", "out"}, names...)...)
			require.Equal(t, 1, status)
			require.Regexp(t, `(?s)^corners: 05.png: .*\ncorners: 15.png: .*\ncorners: 25.png: `, stderr)
			if format == "table" { // which has times
				var firsts []string
				for line := range strings.Lines(stdout) {
					firsts = append(firsts, strings.Join(strings.Fields(line)[:3], " "))
				}
				stdout = strings.Join(firsts, "\n")
			}
			if want == "" {
				want = stdout
			}
			require.Equal(t, want, stdout)
		}
		if format != "json" { // whose objects have the names of pictures
			require.Less(t, strings.Index(want, "04.png"), strings.Index(want, "06.png"))
		}
		pictures, err := os.ReadDir("out")
		require.NoError(t, err)
		require.Len(t, pictures, 27)
		require.NoError(t, os.RemoveAll("out"))
	}
}
