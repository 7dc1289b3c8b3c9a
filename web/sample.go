//go:build js && wasm && boards

package main

import (
	"image"
	"math"
	"syscall/js"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
	"github.com/fastcorners/fast/warp"
)

// The size of frames, and the camera that sees them.
var (
	sampleSize = image.Pt(640, 360)
	lens       = camera.Camera{Fx: 550, Fy: 550, Cx: 323, Cy: 177, K1: -0.12, K2: 0.03}
)

// table is the gray of what the sheet or board lies on.
const table = 112

// A scenery is what a camera sees before which a sheet of markers or a chessboard moves.
type scenery struct {
	warper  *warp.Warper
	rays    []geometry.Point // of the pixels
	sources warp.Map
	name    string      // of the drawing
	drawing *image.Gray // its width is 1, in the frame of poses
}

func (s *scenery) build() (err error) {
	s.warper, err = warp.New(warp.Options{Value: [4]uint8{table}})
	if err != nil {
		return err
	}
	w, h := sampleSize.X, sampleSize.Y
	for y := range h {
		for x := range w {
			s.rays = append(s.rays, geometry.Point{X: float64(x), Y: float64(y)})
		}
	}
	s.rays = lens.Rays(s.rays)
	s.sources = warp.Map{Width: w, Height: h, X: make([]float32, w*h), Y: make([]float32, w*h)}
	return nil
}

// functions returns the functions of the object detector that the other program does not have.
func (s *session) functions() map[string]func(js.Value, []js.Value) any {
	return map[string]func(js.Value, []js.Value) any{"tilt": s.tilt}
}

func (s *session) tilt(_ js.Value, args []js.Value) any {
	method, family, frame := args[0].String(), args[1].String(), args[2].Int()
	if name := method + " " + family; s.name != name {
		d, err := draw(method, family)
		if err != nil {
			return err.Error()
		}
		s.name, s.drawing = name, d
	}
	p := &s.pictures[0]
	resize(p, sampleSize.X, sampleSize.Y)
	s.render(&p.gray, poseAt(method, frame))
	s.changed(0)
	return map[string]any{"address": address(p.gray.Pix), "width": sampleSize.X, "height": sampleSize.Y}
}

// drawingWidth is the width of drawings in pixels, about, which is more than frames show of them.
const drawingWidth = 720

// draw returns the drawing for a method: markers of a family, or a chessboard.
func draw(method, family string) (*image.Gray, error) {
	if method == "calibrate" {
		return drawBoard(drawingWidth / (boardColumns + 2*boardMargin)), nil
	}
	f, err := readFamily(family)
	if err != nil {
		return nil, err
	}
	sheet := tag.Sheet{Family: f, Columns: 4, Rows: 2, Side: 1, Gap: 0.4}
	sheet.First = f.Len() / 3
	return framed(sheet.Draw(drawingWidth/sheet.Draw(1).Rect.Dx()), drawingWidth/16), nil
}

// The squares of the board, and the width of the white around them in squares.
const (
	boardColumns = 10
	boardRows    = 7
	boardMargin  = 1
)

// drawBoard draws a chessboard with squares of so many pixels.
func drawBoard(square int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, boardColumns*square, boardRows*square))
	for i := range img.Pix {
		if (i%img.Stride/square+i/img.Stride/square)%2 == 1 {
			img.Pix[i] = 255
		}
	}
	return framed(img, boardMargin*square)
}

// framed returns a drawing with a white margin, as soft as a lens would show it.
func framed(img *image.Gray, margin int) *image.Gray {
	w, h := img.Rect.Dx()+2*margin, img.Rect.Dy()+2*margin
	sharp := image.NewGray(image.Rect(0, 0, w, h))
	for i := range sharp.Pix {
		sharp.Pix[i] = 255
	}
	for y := range img.Rect.Dy() {
		copy(sharp.Pix[(y+margin)*w+margin:], img.Pix[y*img.Stride:][:img.Rect.Dx()])
	}
	soft := image.NewGray(sharp.Rect)
	for i := range soft.Pix {
		soft.Pix[i] = 240
	}
	for y := 1; y < h-1; y++ {
		for x := 1; x < w-1; x++ {
			sum := 0
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					sum += int(sharp.Pix[(y+dy)*w+x+dx])
				}
			}
			soft.Pix[y*w+x] = uint8(25 + sum*215/(9*255)) // ink and paper
		}
	}
	return soft
}

// render draws what the camera sees of a drawing whose frame, 0 in the middle, x to the right and y
// down, a pose maps to that of the camera.
func (s *scenery) render(dst *image.Gray, at pose.Pose) {
	// A point x, y of the drawing is seen in the direction that this transform maps it to.
	seen := geometry.Transform{
		at.R[0], at.R[1], at.T[0],
		at.R[3], at.R[4], at.T[1],
		at.R[6], at.R[7], at.T[2],
	}
	back, _ := seen.Inverse() // what is seen from the front is not on a line
	size := s.drawing.Rect.Size()
	scale := float64(size.X)
	t := geometry.Transform{scale, 0, float64(size.X-1) / 2, 0, scale, float64(size.Y-1) / 2, 0, 0, 1}.Mul(back)
	for i, ray := range s.rays {
		p := t.Apply(ray)
		s.sources.X[i], s.sources.Y[i] = float32(p.X), float32(p.Y)
	}
	s.warper.Gray(dst, s.drawing, &s.sources)
}

// A stop is where the drawing is: where its middle is seen, as a direction, which part of the width
// of a frame it takes, and by which angles it is turned about x, y and z, in radians.
type stop struct{ x, y, size, ax, ay, az float64 }

// stops are the views of the board that calibrate the camera.
var stops = [...]stop{
	{0, 0, 0.7, 0, 0, 0},
	{-0.26, -0.1, 0.5, 0.5, 0, 0},
	{0.26, -0.1, 0.5, 0, 0.5, 0},
	{0.26, 0.1, 0.5, -0.5, 0, 0},
	{-0.26, 0.1, 0.5, 0, -0.5, 0},
	{0, -0.1, 0.5, 0.4, 0.4, 0.15},
	{0, 0.1, 0.5, -0.4, 0.4, -0.15},
	{-0.28, 0, 0.46, 0, 0.6, 0.1},
	{0.28, 0, 0.46, 0, -0.6, -0.1},
	{0, 0, 0.75, 0.3, 0.3, 0},
	{-0.2, -0.08, 0.46, -0.4, -0.4, 0.3},
	{0.2, 0.08, 0.46, 0.4, -0.4, -0.3},
	{0, 0, 0.75, 0, 0.6, 0},
	{0, 0, 0.7, 0.6, 0, 0},
}

// The frames in which the board moves to the next stop, and in which it is still.
const (
	movingFrames = 16
	stillFrames  = 8
)

// poseAt returns where the drawing is in a frame. It comes back to where it began, so that the video
// has no end.
func poseAt(method string, frame int) pose.Pose {
	if method == "markers" {
		const period = 300
		t := float64(frame%period) * 2 * math.Pi / period
		return stop{
			x: 0.08 * math.Sin(t), y: 0.04 * math.Sin(2*t), size: 0.68 + 0.06*math.Cos(t),
			ax: 0.5 * math.Sin(t+0.6), ay: 0.5 * math.Cos(t), az: 0.2 * math.Sin(2*t),
		}.pose()
	}
	index, part := frame/(stillFrames+movingFrames), float64(frame%(stillFrames+movingFrames)-stillFrames)/movingFrames
	a, b := stops[index%len(stops)], stops[(index+1)%len(stops)]
	u := max(0, part)
	u = u * u * (3 - 2*u)
	between := func(v, w float64) float64 { return v + u*(w-v) }
	return stop{
		between(a.x, b.x), between(a.y, b.y), between(a.size, b.size),
		between(a.ax, b.ax), between(a.ay, b.ay), between(a.az, b.az),
	}.pose()
}

func (s stop) pose() pose.Pose {
	about := func(angle float64, x, y, z float64) pose.Pose {
		sin, cos := math.Sincos(angle / 2)
		return pose.FromQuaternion(cos, sin*x, sin*y, sin*z, pose.Vector{})
	}
	p := about(s.ay, 0, 1, 0).Mul(about(s.ax, 1, 0, 0)).Mul(about(s.az, 0, 0, 1))
	depth := lens.Fx / (s.size * float64(sampleSize.X))
	p.T = pose.Vector{s.x * depth, s.y * depth, depth}
	return p
}
