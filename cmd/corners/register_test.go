package main

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/register"
	"github.com/stretchr/testify/require"
)

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
