//go:build js && wasm && boards

package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// When frames become views, and how many.
const (
	stillness  = 1. / 640 // of the width: how far corners may move between frames, in the root mean square
	stillFor   = 3        // frames of a video
	difference = 1. / 40  // of the width: how far corners must be from where they are in other views
	mostViews  = 40
	leastViews = 3
)

// Lenses are the options of a calibration for the names that the page has.
var lenses = map[string]calibrate.Options{
	"usual":   {},
	"wide":    {Distortion: 8},
	"fisheye": {Model: camera.KannalaBrandt},
}

// A calibrateFinder finds a chessboard, takes views of it, and calibrates the camera with them.
type calibrateFinder struct {
	options    options
	finder     *calibrate.Finder
	calibrator *calibrate.Calibrator
	seen       []calibrate.Board // in the last frame, the largest first
	before     calibrate.Board   // in the frame before, or the zero Board
	still      int               // for how many frames it has hardly moved
	views      views
	found      *calibrate.Calibration // of all views, or nil
	problem    string                 // why there is none
	hint       calibrate.Hint
	outline    []geometry.Point // where the hint has the board
	grid       grid
	serial     int       // changes with what is described
	told       int       // the serial of what has been described
	dots       []float32 // the corners of all views
}

// Views are those of one board by one camera.
type views struct {
	size          image.Point
	columns, rows int
	boards        []calibrate.Board
}

func newCalibrateFinder(o options, last finder) (finder, error) {
	finder, err := calibrate.NewFinder(calibrate.FinderOptions{MaxBoards: 1})
	if err != nil {
		return nil, err
	}
	opts, ok := lenses[o.lens]
	if !ok {
		return nil, fmt.Errorf("unknown lens %q", o.lens)
	}
	calibrator, err := calibrate.New(opts)
	if err != nil {
		return nil, err
	}
	f := &calibrateFinder{options: o, finder: finder, calibrator: calibrator}
	// Another lens has the same views.
	if l, ok := last.(*calibrateFinder); ok && l.options.attempt == o.attempt {
		f.views = l.views
	}
	f.calibrate()
	return f, nil
}

func (f *calibrateFinder) find(pictures *[slots]picture) {
	p := &pictures[0]
	size := p.gray.Rect.Size()
	f.seen = f.finder.AppendFind(f.seen[:0], &p.gray)
	if len(f.seen) == 0 {
		f.before, f.still = calibrate.Board{}, 0
		return
	}
	board := f.seen[0]
	if d, ok := distance(board, f.before); ok && d <= stillness*float64(size.X) {
		f.still++
	} else {
		f.still = 0
	}
	f.before = board
	if (p.photo || f.still >= stillFor) && f.views.take(board, size) {
		f.calibrate()
	}
}

// distance returns the root mean square distance between corners of two boards of the same size, and
// false if there are none in common.
func distance(a, b calibrate.Board) (float64, bool) {
	if a.Columns != b.Columns || a.Rows != b.Rows {
		return 0, false
	}
	sum, n := 0., 0
	for i, p := range a.Corners {
		q := b.Corners[i]
		if dx, dy := p.X-q.X, p.Y-q.Y; dx == dx && dy == dy { // not NaN
			sum += dx*dx + dy*dy
			n++
		}
	}
	return math.Sqrt(sum / float64(n)), n > 0
}

// take adds a view, unless it is of a part of the board only, much like another one, or one too many.
// It reports whether it has done so.
func (v *views) take(board calibrate.Board, size image.Point) bool {
	if v.size != size {
		*v = views{size: size}
	}
	if len(v.boards) >= mostViews || board.Columns < v.columns || board.Rows < v.rows {
		return false
	}
	for _, b := range v.boards {
		if d, ok := distance(board, b); ok && d < difference*float64(size.X) {
			return false
		}
	}
	v.columns, v.rows = board.Columns, board.Rows
	v.boards = append(v.boards, board)
	return true
}

// calibrate calibrates the camera with the views.
func (f *calibrateFinder) calibrate() {
	f.serial++
	f.found, f.problem = nil, ""
	f.dots = f.dots[:0]
	var list []calibrate.View
	for _, b := range f.views.boards {
		view := b.View(1)
		list = append(list, view)
		for _, p := range view.Image {
			f.dots = appendPoint(f.dots, p)
		}
	}
	if len(list) < leastViews {
		return
	}
	c, err := f.calibrator.Calibrate(f.views.size, list)
	switch {
	case errors.Is(err, calibrate.ErrFocal):
		f.problem = "These views hardly determine the focal length: tilt the board."
	case err != nil:
		f.problem = "These views do not determine the camera: tilt the board."
		return
	}
	f.found = &c
	f.hint = c.Suggest(f.views.columns, f.views.rows)
	f.outline = f.place()
	f.grid.fill(f.found)
}

// place returns the outline of the corners of a board as the hint has it, with points along the edges,
// since lenses bend them.
func (f *calibrateFinder) place() []geometry.Point {
	h, c := f.hint, f.found.Camera
	if !(h.After < h.Before) {
		return nil
	}
	ray, ok := c.Bearing(h.At)
	if !ok {
		return nil
	}
	sinX, cosX := math.Sincos(h.TiltX * math.Pi / 180)
	sinY, cosY := math.Sincos(h.TiltY * math.Pi / 180)
	at := pose.Pose{R: pose.Rotation{
		cosY, sinY * sinX, sinY * cosX,
		0, cosX, -sinX,
		-sinY, cosY * sinX, cosY * cosX,
	}}
	width := float64(f.views.columns - 1)
	depth := c.Fx * width / (h.Size * float64(f.views.size.X))
	at.T = pose.Vector{ray[0] / ray[2] * depth, ray[1] / ray[2] * depth, depth}
	halfX, halfY := width/2, float64(f.views.rows-1)/2
	const steps = 8 // of an edge
	corners := [...]pose.Vector{{-halfX, -halfY}, {halfX, -halfY}, {halfX, halfY}, {-halfX, halfY}}
	var points []geometry.Point
	for i, from := range corners {
		along := corners[(i+1)%len(corners)].Sub(from).Scale(1. / steps)
		for range steps {
			p, ok := c.Project(at.Apply(from))
			if !ok {
				return nil
			}
			points = append(points, p)
			from = from.Add(along)
		}
	}
	return points
}

// gridColumns is the number of columns of points where the uncertainty is told.
const gridColumns = 33

// A grid is the uncertainty at points of the image, from edge to edge.
type grid struct {
	columns, rows int
	values        []float32
	middle, worst float64
}

func (g *grid) fill(c *calibrate.Calibration) {
	last := geometry.Point{X: float64(c.Size.X - 1), Y: float64(c.Size.Y - 1)}
	g.columns, g.rows = gridColumns, max(2, (gridColumns-1)*c.Size.Y/c.Size.X+1)
	g.values, g.worst = g.values[:0], 0
	for y := range g.rows {
		for x := range g.columns {
			u := c.Uncertainty(geometry.Point{
				X: last.X * float64(x) / float64(g.columns-1),
				Y: last.Y * float64(y) / float64(g.rows-1),
			})
			g.values = append(g.values, float32(u))
			if u > g.worst {
				g.worst = u
			}
		}
	}
	g.middle = c.Uncertainty(geometry.Point{X: last.X / 2, Y: last.Y / 2})
}

// appendTo appends the corners of the board that is seen.
func (f *calibrateFinder) appendTo(dst []float32) ([]float32, int) {
	if len(f.seen) > 0 {
		for _, p := range f.seen[0].Corners {
			dst = appendPoint(dst, p)
		}
	}
	return dst, 2
}

// describe adds the board that is seen and, when it has changed, what the views tell.
func (f *calibrateFinder) describe(result map[string]any) {
	board := calibrate.Board{}
	if len(f.seen) > 0 {
		board = f.seen[0]
	}
	result["board"] = []any{board.Columns, board.Rows, board.Count}
	result["count"] = board.Count
	if f.told == f.serial {
		return
	}
	f.told = f.serial
	calibration := map[string]any{
		"views": len(f.views.boards), "most": mostViews, "problem": f.problem,
		"board": []any{f.views.columns, f.views.rows},
		"width": f.views.size.X, "height": f.views.size.Y,
		"dots": floats(f.dots),
	}
	if c := f.found; c != nil {
		deviations := c.StandardDeviations()
		fields, errors := make([]any, len(deviations)), make([]any, len(deviations))
		for i, field := range fieldsOf(&c.Camera) {
			fields[i], errors[i] = *field, deviations[i]
		}
		calibration["known"] = map[string]any{
			"model": int(c.Camera.Model), "fields": fields, "width": c.Size.X, "height": c.Size.Y,
		}
		calibration["deviations"] = errors
		calibration["rms"] = c.RMS
		calibration["middle"], calibration["worst"] = f.grid.middle, f.grid.worst
		calibration["grid"] = map[string]any{"columns": f.grid.columns, "rows": f.grid.rows, "values": floats(f.grid.values)}
		outline := make([]any, 0, 2*len(f.outline))
		for _, p := range f.outline {
			outline = append(outline, p.X, p.Y)
		}
		h := f.hint
		calibration["hint"] = map[string]any{
			"x": h.At.X, "y": h.At.Y, "tiltX": h.TiltX, "tiltY": h.TiltY, "size": h.Size,
			"before": h.Before, "after": h.After, "outline": outline,
		}
	}
	result["calibration"] = calibration
}

// floats tells where numbers are.
func floats(values []float32) map[string]any {
	return map[string]any{"address": address(values), "length": len(values)}
}

// info returns the camera that was found.
func (f *calibrateFinder) info() camera.Info {
	return camera.Info{Camera: f.found.Camera, Width: f.found.Size.X, Height: f.found.Size.Y}
}

// writeJSON returns the camera as camera.Info writes it.
func (f *calibrateFinder) writeJSON([2]string, *[slots]picture) []byte {
	var buf bytes.Buffer
	f.info().WriteJSON(&buf)
	return buf.Bytes()
}

// writeYAML returns the camera as OpenCV reads it.
func (f *calibrateFinder) writeYAML() []byte {
	var buf bytes.Buffer
	f.info().WriteOpenCV(&buf)
	return buf.Bytes()
}
