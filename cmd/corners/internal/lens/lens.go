// Package lens has what corners undistort is made of: its flags, the camera without distortion, and the
// pictures that it would have taken.
package lens

import (
	"errors"
	"fmt"
	"image"
	"image/draw"
	"math"
	"sync"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/limits"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/warp"
)

// pixelBytes is what a Method takes at most for each pixel: the map, and a copy of the picture.
const pixelBytes = 2*4 + 4

// info describes a Method, but for the model of the camera.
var info = method.Info{
	Things:  "pinholes",
	Titles:  []string{"FX", "FY", "CX", "CY"},
	Columns: []string{"fx", "fy", "cx", "cy"},
	Members: []string{"whole"},
}

// A Method turns images into those that a camera without distortion would have taken. It implements
// method.Method.
type Method struct {
	camera method.Camera
	whole  bool
	warper *warp.Warper

	mu   sync.Mutex
	last *sized // the map of the last image
}

// A sized is the pinhole camera for images of a size, and the map to its images.
type sized struct {
	size    image.Point
	pinhole camera.Camera
	rays    *warp.Map
}

func (m *Method) Define(flags *cli.Set) {
	flags.Var(&m.camera, "camera", "the images were taken by this `CAMERA`, in numbers or a file")
	flags.BoolVar(&m.whole, "whole", false, "show all of each image, smaller and with black edges")
}

func (m *Method) Prepare(workers int) (err error) {
	m.warper, err = warp.New(warp.Options{Workers: workers, Value: [4]uint8{3: math.MaxUint8}})
	return err
}

// Check returns an error that names the first flag that makes no sense. Prepare and Info come after it.
func (m *Method) Check(flags *cli.Set) error {
	if !flags.IsGiven("camera") {
		return errors.New("corners undistort needs flag -camera: fx,fy,cx,cy,k1,k2,... in pixels, or a file")
	}
	return nil
}

// CheckSize returns an error if the camera takes images of another size, or if none without distortion
// shows all of them.
func (m *Method) CheckSize(size image.Point) error {
	if err := m.camera.CheckSize(size); err != nil {
		return err
	}
	_, err := m.pinhole(size)
	return err
}

// pinhole returns the camera without distortion. It has the focal lengths of the camera, or with the flag
// -whole those with which it sees what the edges of the image show.
func (m *Method) pinhole(size image.Point) (camera.Camera, error) {
	c := m.camera.Camera
	p := camera.Camera{Fx: c.Fx, Fy: c.Fy, Cx: c.Cx, Cy: c.Cy}
	if !m.whole {
		return p, nil
	}
	var edges []geometry.Point
	for x := range size.X {
		edges = append(edges, geometry.Point{X: float64(x)}, geometry.Point{X: float64(x), Y: float64(size.Y - 1)})
	}
	for y := range size.Y {
		edges = append(edges, geometry.Point{Y: float64(y)}, geometry.Point{X: float64(size.X - 1), Y: float64(y)})
	}
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, r := range c.Rays(edges) {
		left, right = min(left, r.X), max(right, r.X)
		top, bottom = min(top, r.Y), max(bottom, r.Y)
	}
	if math.IsNaN(left) || math.IsNaN(top) {
		return p, errors.New("flag -whole: no camera without distortion sees what some edges of the image show")
	}
	w, h := float64(size.X-1), float64(size.Y-1)
	scale := min(w/(c.Fx*(right-left)), h/(c.Fy*(bottom-top)))
	if !(scale > 0) || math.IsInf(scale, 1) {
		return p, errors.New("flag -whole: the image is too small")
	}
	p.Fx, p.Fy = c.Fx*scale, c.Fy*scale
	p.Cx, p.Cy = w/2-p.Fx*(left+right)/2, h/2-p.Fy*(top+bottom)/2
	return p, nil
}

// Find implements method.Method. What it finds is the camera without distortion.
func (m *Method) Find(img, _ *image.Gray) method.Finding {
	size := img.Rect.Size()
	p, _ := m.pinhole(size) // as CheckSize has found
	var row []any
	for _, v := range []float64{p.Fx, p.Fy, p.Cx, p.Cy} {
		row = append(row, fmt.Sprintf("%.2f", v))
	}
	return method.Finding{
		Rows:   [][]any{row},
		Count:  1,
		Record: func(int) []any { return []any{p.Fx, p.Fy, p.Cx, p.Cy} },
		Draw:   m.undistort,
	}
}

// undistort replaces an image by the one that the camera without distortion would have taken.
func (m *Method) undistort(dst draw.Image) {
	b := dst.Bounds()
	src := image.NewRGBA(b)
	draw.Draw(src, b, dst, b.Min, draw.Src)
	m.warper.Image(dst, src, m.rays(b.Size()))
}

// rays returns the map for images of a size.
func (m *Method) rays(size image.Point) *warp.Map {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last == nil || m.last.size != size {
		p, _ := m.pinhole(size)
		m.last = &sized{size, p, warp.Rectification(m.camera.Camera, p, pose.Identity().R, size.X, size.Y)}
	}
	return m.last.rays
}

// Repeater implements method.Method. Nothing is measured.
func (m *Method) Repeater() func(img *image.Gray) { return nil }

func (m *Method) Memory() int64 { return pixelBytes }

// Limit implements method.Method.
func (m *Method) Limit() limits.Limit { return limits.Warp }

// Lists implements method.Method.
func (m *Method) Lists(*image.Gray, bool) int64 { return 0 }

// Info returns the description of what m finds.
func (m *Method) Info() method.Info {
	res := info
	res.Name = m.camera.Camera.Model.String()
	return res
}
