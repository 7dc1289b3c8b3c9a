package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// bent is a camera for images of 240 by 160 pixels, with a lens that bends lines.
var bent = camera.Camera{Fx: 200, Fy: 190, Cx: 118, Cy: 82, K1: -0.2}

// planeColor is the color of a place in the plane at depth 1: a checkerboard of smooth changes.
func planeColor(x, y float64) color.RGBA {
	wave := func(v float64) uint8 { // of a period of 0.2
		v = 10*v - float64(int(10*v+100)-100)
		return uint8(40 + 700*v*(1-v))
	}
	return color.RGBA{wave(x), wave(y), wave(x + y), 255}
}

// writeBent writes bent.png, what the bent camera sees of the plane, and camera.yaml.
func writeBent(t *testing.T) {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 240, 160))
	for v := range 160 {
		for u := range 240 {
			x, y, ok := bent.Ray(geometry.Point{X: float64(u), Y: float64(v)})
			require.True(t, ok)
			img.SetRGBA(u, v, planeColor(x, y))
		}
	}
	filetest.Write(t, "bent.png", filetest.Encode(t, filetest.StorePNG, img))
	var file bytes.Buffer
	require.NoError(t, camera.Info{Camera: bent, Width: 240, Height: 160}.WriteOpenCV(&file))
	filetest.Write(t, "camera.yaml", file.Bytes())
}

// requirePlane checks that a picture shows the plane as a pinhole camera sees it, but for the share of its
// pixels that are black.
func requirePlane(t *testing.T, name string, fx, fy, cx, cy, black float64) {
	t.Helper()
	img := filetest.ReadPNG(t, name)
	require.Equal(t, image.Rect(0, 0, 240, 160), img.Bounds())
	dark, sum, compared := 0, 0, 0
	for v := range 160 {
		for u := range 240 {
			got := color.RGBAModel.Convert(img.At(u, v)).(color.RGBA)
			require.Equal(t, uint8(255), got.A)
			if got == (color.RGBA{A: 255}) {
				dark++
				continue
			}
			want := planeColor((float64(u)-cx)/fx, (float64(v)-cy)/fy)
			for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
				sum += max(d, -d)
				compared++
			}
		}
	}
	require.InDelta(t, black, float64(dark)/240/160, 0.02)
	require.Less(t, float64(sum)/float64(compared), 4.0)
}

func TestUndistort(t *testing.T) {
	inTempDir(t)
	writeBent(t)
	status, stdout, stderr := corners(t, "undistort", "-camera", "camera.yaml", "bent.png")
	require.Zero(t, status, stderr)
	require.Equal(t, "IMAGE     SIZE     FX      FY      CX      CY\nbent.png  240x160  200.00  190.00  118.00  82.00\nwrote bent-undistorted.png\n", stdout)
	requirePlane(t, "bent-undistorted.png", 200, 190, 118, 82, 0)

	status, stdout, stderr = corners(t, "undistort", "-camera", "200,190,118,82,-0.2", "-whole", "-o", "out", "-workers", "2", "-format", "json", "bent.png")
	require.Zero(t, status, stderr)
	var report []struct {
		Image, Picture, Model string
		Whole                 bool
		Pinholes              []struct{ Fx, Fy, Cx, Cy float64 }
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	require.Len(t, report, 1)
	require.Equal(t, "brown-conrady", report[0].Model)
	require.True(t, report[0].Whole)
	p := report[0].Pinholes[0]
	require.Less(t, p.Fx, 200.0)
	require.InDelta(t, 200.0/190, p.Fx/p.Fy, 1e-9)
	requirePlane(t, "out/bent-undistorted.png", p.Fx, p.Fy, p.Cx, p.Cy, 0.12)
	// The corners of the image are seen, and at least one of them at an edge of the picture.
	nearest := 1e9
	for _, corner := range []image.Point{{0, 0}, {239, 0}, {0, 159}, {239, 159}} {
		x, y, ok := bent.Ray(geometry.Point{X: float64(corner.X), Y: float64(corner.Y)})
		require.True(t, ok)
		u, v := p.Fx*x+p.Cx, p.Fy*y+p.Cy
		edge := min(u, v, 239-u, 159-v)
		require.Greater(t, edge, -1e-6)
		nearest = min(nearest, edge)
	}
	require.InDelta(t, 0, nearest, 1e-6)

	status, stdout, stderr = corners(t, "undistort", "-camera", "camera.yaml", "-format", "csv", "bent.png")
	require.Zero(t, status, stderr)
	require.Equal(t, "image,fx,fy,cx,cy\nbent.png,200,190,118,82\n", stdout)
}

// TestUndistortErrors checks what is said of command lines and of images that do not fit.
func TestUndistortErrors(t *testing.T) {
	inTempDir(t)
	writeBent(t)
	filetest.Write(t, "small.png", filetest.Encode(t, filetest.StorePNG, image.NewGray(image.Rect(0, 0, 30, 20))))
	filetest.Write(t, "thin.png", filetest.Encode(t, filetest.StorePNG, image.NewGray(image.Rect(0, 0, 30, 1))))
	filetest.Write(t, "fisheye.json", []byte(`{"Model": "kannala-brandt", "Fx": 70, "Fy": 70, "Cx": 120, "Cy": 80}`))
	for args, want := range map[string]string{
		"bent.png":                               "corners undistort needs flag -camera: fx,fy,cx,cy,k1,k2,... in pixels, or a file",
		"-camera camera.yaml":                    "corners undistort needs an image or more",
		"-camera camera.yaml small.png":          "small.png: 30 by 20 pixels, but the file of -camera is for images of 240 by 160",
		"-camera fisheye.json -whole bent.png":   "bent.png: flag -whole: no camera without distortion sees what some edges of the image show",
		"-camera 200,190,118,82 -whole thin.png": "thin.png: flag -whole: the image is too small",
	} {
		status, stdout, stderr := corners(t, append([]string{"undistort"}, strings.Fields(args)...)...)
		require.NotZero(t, status, args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "corners: "+want)
	}
	status, _, stderr := corners(t, "undistort", "-camera", "fisheye.json", "bent.png")
	require.Zero(t, status, stderr)
}
