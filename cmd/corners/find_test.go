package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"syscall"
	"testing"

	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/stretchr/testify/require"
)

// The places of the picture that writeScenes draws.
var placesOfIcon = []image.Point{{20, 50}, {100, 20}, {26, 50}}

// writeScenes writes icon.png, whose corners are transparent, and scenes with and without it.
// The third place overlaps the first one.
func writeScenes(t *testing.T) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	noise := func(w, h int) *image.NRGBA {
		img := image.NewNRGBA(image.Rect(0, 0, w, h))
		for i := range img.Pix {
			img.Pix[i] = uint8(random.IntN(256)) | uint8(i%4/3*255)
		}
		return img
	}
	icon := noise(16, 12)
	for y := range 12 {
		for x := range 16 {
			if abs := math.Abs; abs(float64(x)-7.5)/8+abs(float64(y)-5.5)/6 > 1.2 {
				icon.Pix[icon.PixOffset(x, y)+3] = 0
			}
		}
	}
	empty := noise(140, 90)
	screen := image.NewNRGBA(empty.Rect)
	copy(screen.Pix, empty.Pix)
	for _, at := range placesOfIcon[:2] {
		draw.Draw(screen, icon.Rect.Add(at), icon, image.Point{}, draw.Over)
	}
	filetest.Write(t, "icon.png", filetest.Encode(t, filetest.StorePNG, icon))
	filetest.Write(t, "screen.png", filetest.Encode(t, filetest.StorePNG, screen))
	filetest.Write(t, "empty.png", filetest.Encode(t, filetest.StorePNG, empty))
}

// A sceneReport is what corners find -format json writes of a scene.
type sceneReport struct {
	Image         string `json:"image"`
	Width, Height int
	ROI           map[string]int `json:"roi"`
	Picture       string         `json:"picture"`
	Template      string         `json:"template"`
	Measure       string         `json:"measure"`
	MinScore      float64        `json:"min_score"`
	All           bool           `json:"all"`
	Overlap       float64        `json:"overlap"`
	MaxMatches    int            `json:"max_matches"`
	Color         bool           `json:"color"`
	Matches       []struct {
		X, Y, Width, Height int
		Score, DX, DY       float64
	}
}

// findJSON returns the exit status and the report of corners find.
func findJSON(t *testing.T, args ...string) (status int, scenes []sceneReport) {
	t.Helper()
	status, stdout, stderr := corners(t, append([]string{"find", "-format", "json"}, args...)...)
	require.Empty(t, stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &scenes))
	return status, scenes
}

func TestFind(t *testing.T) {
	inTempDir(t)
	writeScenes(t)
	const masked = "icon.png screen.png empty.png -mask alpha -no-picture "
	status, stdout, stderr := corners(t, append([]string{"find", "-all"}, strings.Fields(masked)...)...)
	require.Zero(t, status, stderr)
	require.Equal(t, ""+
		"IMAGE       SIZE    X    Y   SCORE\n"+
		"screen.png  140x90  100  20  1.0000\n"+
		"screen.png  140x90  20   50  1.0000\n"+
		"empty.png   140x90  -    -   -\n", stdout)
	for _, c := range []struct {
		flags string
		want  []image.Point
	}{
		{"", placesOfIcon[1:2]}, // the upper one
		{"-color", placesOfIcon[1:2]},
		{"-color -all -workers 2 -jobs 1", []image.Point{placesOfIcon[1], placesOfIcon[0]}},
		{"-all -matches 1", placesOfIcon[1:2]},
		{"-roi 10,30,60,50", placesOfIcon[:1]},
		{"-roi 10,30,60,50 -color", placesOfIcon[:1]},
		{"-roi 20,50,16,12 -measure cosine", placesOfIcon[:1]},
		{"-roi 20,50,16,12 -measure difference", placesOfIcon[:1]},
		{"-roi 21,50,16,12", nil},
		{"-roi 20,50,15,12 -min-score 0", nil}, // smaller than the picture
	} {
		status, scenes := findJSON(t, strings.Fields(masked+c.flags)...)
		require.Len(t, scenes, 2)
		var got []image.Point
		for _, m := range scenes[0].Matches {
			require.Equal(t, 1.0, m.Score, c.flags)
			require.Equal(t, []int{16, 12}, []int{m.Width, m.Height})
			got = append(got, image.Pt(m.X, m.Y))
		}
		require.Equal(t, c.want, got, c.flags)
		if len(c.want) == 0 {
			require.Equal(t, statusNotFound, status, c.flags)
		} else {
			require.Zero(t, status, c.flags)
		}
		if !strings.Contains(c.flags, "-measure") { // noise is alike by the others
			require.Empty(t, scenes[1].Matches, c.flags)
		}
	}
	// All places that there are.
	_, scenes := findJSON(t, "icon.png", "empty.png", "-all", "-overlap", "1", "-min-score", "0", "-roi", "3,4,40,30")
	require.Len(t, scenes[0].Matches, (40-16+1)*(30-12+1))
	require.Equal(t, map[string]int{"x": 3, "y": 4, "width": 40, "height": 30}, scenes[0].ROI)
	scenes[0].Matches, scenes[0].ROI = nil, nil
	require.Equal(t, sceneReport{Image: "empty.png", Width: 140, Height: 90, Template: "icon.png", Measure: "correlation", All: true, Overlap: 1}, scenes[0])
	_, scenes = findJSON(t, "icon.png", "empty.png", "-all", "-overlap", "0", "-min-score", "0", "-roi", "3,4,40,30")
	for i, a := range scenes[0].Matches {
		for _, b := range scenes[0].Matches[:i] {
			require.True(t, image.Rect(a.X, a.Y, a.X+16, a.Y+12).Intersect(image.Rect(b.X, b.Y, b.X+16, b.Y+12)).Empty())
		}
	}

	status, stdout, stderr = corners(t, "find", "icon.png", "screen.png", "-mask", "alpha", "-format", "csv", "-roi", "20,50,16,12")
	require.Zero(t, status, stderr)
	require.Equal(t, "image,x,y,width,height,score,dx,dy\nscreen.png,20,50,16,12,1,0,0\n", stdout)
	require.Equal(t, []string{"empty.png", "icon.png", "screen.png"}, filetest.List(t))
}

// TestFindMask gives the mask as an image, which says the same as the transparent pixels.
func TestFindMask(t *testing.T) {
	inTempDir(t)
	writeScenes(t)
	icon := filetest.ReadPNG(t, "icon.png")
	mask := image.NewGray(icon.Bounds())
	for y := range 12 {
		for x := range 16 {
			if _, _, _, a := icon.At(x, y).RGBA(); a > 0 {
				mask.SetGray(x, y, color.Gray{9})
			}
		}
	}
	filetest.Write(t, "mask.png", filetest.Encode(t, filetest.StorePNG, mask))
	for _, gray := range []string{"-color=false", "-color"} {
		_, want := findJSON(t, "icon.png", "screen.png", "-mask", "alpha", "-all", gray, "-min-score", "0.1")
		_, got := findJSON(t, "icon.png", "screen.png", "-mask", "mask.png", "-all", gray, "-min-score", "0.1")
		require.Equal(t, want, got)
	}
	// Without a mask the pixels that are transparent differ.
	_, scenes := findJSON(t, "icon.png", "screen.png", "-min-score", "0")
	require.Len(t, scenes[0].Matches, 1)
	require.Less(t, scenes[0].Matches[0].Score, 1.0)
}

// TestFindColor looks for a picture whose gray values are those of another place, too.
func TestFindColor(t *testing.T) {
	inTempDir(t)
	screen := image.NewGray(image.Rect(0, 0, 60, 40))
	for i := range screen.Pix {
		screen.Pix[i] = uint8(i * i % 251)
	}
	inColor := image.NewRGBA(screen.Rect)
	for i, v := range screen.Pix {
		copy(inColor.Pix[4*i:], []uint8{v, v, v, 255})
	}
	icon := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		red := uint8(i * 37 % 200)
		copy(icon.Pix[4*i:], []uint8{red, 90, 200 - red, 255})
		v := color.GrayModel.Convert(icon.RGBAAt(i%8, i/8)).(color.Gray).Y
		inColor.SetRGBA(30+i%8, 4+i/8, color.RGBA{v, v, v, 255}) // above
		inColor.SetRGBA(10+i%8, 20+i/8, icon.RGBAAt(i%8, i/8))
	}
	filetest.Write(t, "icon.png", filetest.Encode(t, filetest.StorePNG, icon))
	filetest.Write(t, "screen.png", filetest.Encode(t, filetest.StorePNG, inColor))
	for flag, want := range map[string]image.Point{"-color=false": {30, 4}, "-color": {10, 20}} {
		_, scenes := findJSON(t, "icon.png", "screen.png", flag)
		require.Equal(t, 1.0, scenes[0].Matches[0].Score)
		require.Equal(t, want, image.Pt(scenes[0].Matches[0].X, scenes[0].Matches[0].Y))
	}
}

// TestFindPicture checks where rectangles are drawn.
func TestFindPicture(t *testing.T) {
	inTempDir(t)
	writeScenes(t)
	status, stdout, stderr := corners(t, "find", "icon.png", "screen.png", "-mask", "alpha", "-all")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "wrote screen-found.png\n")
	before, after := filetest.ReadPNG(t, "screen.png"), filetest.ReadPNG(t, "screen-found.png")
	require.Equal(t, before.Bounds(), after.Bounds())
	differs := func(x, y int) bool {
		return color.RGBAModel.Convert(before.At(x, y)) != color.RGBAModel.Convert(after.At(x, y))
	}
	var near []image.Rectangle
	for _, at := range placesOfIcon[:2] {
		r := image.Rectangle{at, at.Add(image.Pt(16, 12))}
		for _, p := range []image.Point{r.Min, {r.Max.X - 1, r.Min.Y}, {r.Min.X, r.Max.Y - 1}, r.Max.Sub(image.Pt(1, 1)), r.Min.Add(image.Pt(8, 0))} {
			require.True(t, differs(p.X, p.Y), p)
		}
		require.False(t, differs(at.X+8, at.Y+6))
		near = append(near, r.Inset(-3))
	}
	for y := range 90 {
		for x := range 140 {
			if p := image.Pt(x, y); !p.In(near[0]) && !p.In(near[1]) {
				require.False(t, differs(x, y), p)
			}
		}
	}
	status, _, stderr = corners(t, "find", "icon.png", "empty.png", "-format", "csv", "-o", "out.png")
	require.Equal(t, statusNotFound, status)
	require.Equal(t, "wrote out.png\n", stderr)
}

// TestFindErrors checks what corners find refuses. Whatever fails, the status is not that of a
// picture that is not found.
func TestFindErrors(t *testing.T) {
	inTempDir(t)
	writeScenes(t)
	filetest.Write(t, "flat.png", filetest.Encode(t, filetest.StorePNG, image.NewGray(image.Rect(0, 0, 5, 4))))
	filetest.Write(t, "clear.png", filetest.Encode(t, filetest.StorePNG, image.NewNRGBA(image.Rect(0, 0, 5, 4))))
	filetest.Write(t, "long.png", filetest.Encode(t, filetest.StorePNG, image.NewGray(image.Rect(0, 0, 1025, 1))))
	filetest.Write(t, "bad.png", []byte("bad"))
	const usage = " (run corners -h for help)"
	for _, c := range []struct{ args, err string }{
		{"", "corners find needs a picture and one scene or more, not 0 images" + usage},
		{"icon.png", "corners find needs a picture and one scene or more, not 1 image" + usage},
		{"icon.png screen.png -matches 3", "flag -matches needs flag -all" + usage},
		{"icon.png screen.png -overlap 0.5", "flag -overlap needs flag -all" + usage},
		{"icon.png screen.png -min-score 1.5", "invalid value 1.5 for flag -min-score: want 0 to 1" + usage},
		{"icon.png screen.png -threshold 5", "flag provided but not defined: -threshold" + usage},
		{"- -", "standard input: not an image, or of a format that is not read"},
		{"none.png screen.png", "none.png: " + syscall.ENOENT.Error()},
		{"bad.png screen.png", "bad.png: not an image, or of a format that is not read"},
		{"icon.png bad.png", "bad.png: not an image, or of a format that is not read"},
		{"flat.png screen.png", "flat.png: all its pixels are equal, which correlates with nothing; use -measure difference"},
		{"clear.png screen.png -mask alpha", "clear.png: mask without pixels"},
		{"long.png screen.png", "long.png: 1025 x 1 pixels, but a template takes sides of up to 1024"},
		{"icon.png screen.png -mask flat.png", "icon.png: mask of 5 by 4 pixels for a template of 16 by 12"},
		{"icon.png screen.png -mask none.png", "none.png: " + syscall.ENOENT.Error()},
		{"icon.png screen.png -roi 130,0,20,20", "screen.png: the region 130,0,20,20 is not within its 140 x 90 pixels"},
		{"icon.png screen.png -memory 200KiB", "screen.png: "},
		{"icon.png screen.png -o icon.png", "icon.png: this image is read, and never overwritten"},
	} {
		status, _, stderr := corners(t, append([]string{"find"}, strings.Fields(c.args)...)...)
		require.Equal(t, 2, status, c.args)
		require.True(t, strings.HasPrefix(stderr, "corners: "+c.err), "%s: %s", c.args, stderr)
	}
	// What is found counts no less, but neither does an error.
	status, stdout, _ := corners(t, "find", "icon.png", "screen.png", "bad.png", "-format", "csv", "-mask", "alpha")
	require.Equal(t, 2, status)
	require.Contains(t, stdout, "screen.png,100,20,")
	// A flat picture is found by its difference.
	_, scenes := findJSON(t, "flat.png", "flat.png", "-measure", "difference")
	require.Equal(t, 1.0, scenes[0].Matches[0].Score)
}

// TestFindMemory checks that lists are reserved for as many places as there can be.
func TestFindMemory(t *testing.T) {
	for _, overlap := range []float64{0, 0.25, 0.9, 1} {
		for _, size := range []image.Point{{1, 1}, {3, 2}, {7, 9}} {
			m := &templateMethod{all: true, size: size}
			m.opts.Overlap = overlap
			img := image.NewGray(image.Rect(5, 6, 40, 37))
			places := img.Rect.Size().Sub(size).Add(image.Pt(1, 1))
			kept := 0
			var list []image.Point
			for y := range places.Y {
				for x := range places.X {
					good := true
					for _, p := range list {
						dx, dy := max(x-p.X, p.X-x), y-p.Y
						if dx < size.X && dy < size.Y && float64((size.X-dx)*(size.Y-dy)) > overlap*float64(size.X*size.Y) {
							good = false
						}
					}
					if good {
						list = append(list, image.Pt(x, y))
						kept++
					}
				}
			}
			need := int64(places.X)*int64(places.Y)*candidateBytes + int64(kept)*placeBytes
			require.GreaterOrEqual(t, m.Lists(img, true), need, fmt.Sprint(overlap, size))
			m.opts.MaxMatches = 1
			require.Equal(t, need-int64(kept-1)*placeBytes, m.Lists(img, true), "only one is kept")
		}
	}

	// The template is kept while the scene is searched, and color takes more.
	inTempDir(t)
	filetest.Write(t, "icon.png", filetest.Encode(t, filetest.StorePNG, filetest.Square(70, 60)))
	filetest.Write(t, "screen.png", filetest.Encode(t, filetest.StorePNG, filetest.Square(100, 90)))
	enough := func(args ...string) cli.ByteSize {
		said := ""
		memory := sort.Search(int(4*cli.MiB), func(memory int) bool {
			_, _, stderr := corners(t, append([]string{"find", "icon.png", "screen.png", "-no-picture", "-memory", fmt.Sprint(memory + 1)}, args...)...)
			said = cmp.Or(stderr, said)
			return stderr == ""
		})
		require.Regexp(t, `^corners: screen\.png: 100 x 90 pixels need .* \(-memory\) less \d+(\.\d+)? KiB that are in use\n$`, said)
		return cli.ByteSize(memory)
	}
	require.Greater(t, enough("-color"), enough()+2*sceneBytes*100*90)
}
