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
	last *sized // of the last image
}

// A sized is the pinhole camera for images of a size, and the map to its images when it has been made.
type sized struct {
	size    image.Point
	pinhole camera.Camera
	once    sync.Once
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
	_, err := m.of(size)
	return err
}

// of returns what belongs to images of a size. There are mostly many of one size.
func (m *Method) of(size image.Point) (*sized, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last == nil || m.last.size != size {
		p, err := m.pinhole(size)
		if err != nil {
			return nil, err
		}
		m.last = &sized{size: size, pinhole: p}
	}
	return m.last, nil
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
	images, _ := m.of(img.Rect.Size()) // CheckSize has found no error
	p := images.pinhole
	var row []any
	for _, v := range []float64{p.Fx, p.Fy, p.Cx, p.Cy} {
		row = append(row, fmt.Sprintf("%.2f", v))
	}
	return method.Finding{
		Rows:   [][]any{row},
		Count:  1,
		Record: func(int) []any { return []any{p.Fx, p.Fy, p.Cx, p.Cy} },
		Draw:   func(dst draw.Image) { m.undistort(dst, images) },
	}
}

// undistort replaces an image by the one that the camera without distortion would have taken.
func (m *Method) undistort(dst draw.Image, images *sized) {
	b := dst.Bounds()
	src := image.NewRGBA(b)
	draw.Draw(src, b, dst, b.Min, draw.Src)
	images.once.Do(func() {
		images.rays = warp.Rectification(m.camera.Camera, images.pinhole, pose.Identity().R, images.size.X, images.size.Y)
	})
	m.warper.Image(dst, src, images.rays)
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
