package calibrate

import (
	"fmt"
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// A Hint is a view that would help.
type Hint struct {
	// At is the pixel where the middle of the board should be.
	At geometry.Point
	// TiltX and TiltY are the angles, in degrees, by which the top and the right side of the board
	// should lean away from the camera.
	TiltX, TiltY float64
	// Size is the width of the board, from its first to its last column of corners, as a share of the
	// width of the image, if it were not tilted.
	Size float64
	// Before is the uncertainty in pixels, in the root mean square over the image and both directions,
	// without the view, and After that with it. They are the same if none of the views helps; the other
	// fields are 0 then.
	Before, After float64
}

// A tilt is an angle of a Hint.
type tilt struct {
	degrees, sin, cos float64
}

var (
	upright  = tilt{0, 0, 1}
	leaning  = tilt{25, 0.42261826174069944, 0.9063077870366499}
	inclined = tilt{35, 0.573576436351046, 0.8191520442889918}
)

// back returns the tilt to the other side.
func (t tilt) back() tilt { return tilt{-t.degrees, -t.sin, t.cos} }

// tilts are those in x and y that are tried.
var tilts = [][2]tilt{
	{upright, upright},
	{inclined, upright},
	{inclined.back(), upright},
	{upright, inclined},
	{upright, inclined.back()},
	{leaning, leaning},
	{leaning.back(), leaning},
}

// Suggest returns the view of a board with the given numbers of columns and rows of corners that would
// reduce the uncertainty most, of 126 views that it tries: two sizes, nine places and seven tilts. It
// panics unless there are at least 2 columns and 2 rows.
func (c *Calibration) Suggest(columns, rows int) Hint {
	c.check()
	if columns < 2 || rows < 2 {
		panic(fmt.Sprintf("calibrate: board of %d by %d corners", columns, rows))
	}
	f, s := c.found, c.found.farView()
	variance := float64(c.Sigma * c.Sigma)
	before := math.Sqrt(float64(s.total(f.inverse, f.unknowns)*variance) / float64(s.count))
	best := Hint{Before: before, After: before}
	board := newTrial(c, columns, rows)
	for _, size := range []float64{.35, .6} {
		for _, y := range []float64{.25, .5, .75} {
			for _, x := range []float64{.25, .5, .75} {
				at := geometry.Point{X: float64(x * float64(c.Size.X)), Y: float64(y * float64(c.Size.Y))}
				ray, ok := c.Camera.Bearing(at)
				if !ok || !(ray[2] > 0) {
					continue
				}
				for _, t := range tilts {
					if !board.put(ray, size, t) {
						continue
					}
					if after := board.after(s, variance); after < best.After {
						best = Hint{at, t[0].degrees, t[1].degrees, size, before, after}
					}
				}
			}
		}
	}
	return best
}

// A trial is a view of a board that Suggest tries.
type trial struct {
	*solver
	c     *Calibration
	view  View
	width float64 // in the unit of World
	mid   pose.Vector
}

// newTrial returns a trial of views of a board. If boards are bent, it is as wide as those of the
// calibration, and bends as they do.
func newTrial(c *Calibration, columns, rows int) *trial {
	t := &trial{c: c}
	square := 1.0
	if c.found.opts.Bend {
		square = float64(2*c.found.extent.halfX) / float64(columns-1)
	}
	for k := range columns * rows {
		t.view.World = append(t.view.World, pose.Vector{float64(float64(k%columns) * square), float64(float64(k/columns) * square)})
	}
	t.view.Image = make([]geometry.Point, len(t.view.World))
	t.width = float64(float64(columns-1) * square)
	t.mid = pose.Vector{t.width / 2, float64(float64(rows-1)*square) / 2}
	t.solver = newSolver(&c.found.opts, c.found.freedom, []View{t.view})
	t.now.cameras[0] = c.Camera
	return t
}

// put puts the board where it has a size and tilts, with its middle on a ray. It reports false if the
// image does not show all of it.
func (t *trial) put(ray pose.Vector, size float64, tilts [2]tilt) bool {
	x, y := tilts[0], tilts[1]
	p := pose.Pose{R: pose.Rotation{
		y.cos, float64(y.sin * x.sin), float64(y.sin * x.cos),
		0, x.cos, -x.sin,
		-y.sin, float64(y.cos * x.sin), float64(y.cos * x.cos),
	}}
	depth := float64(t.c.Camera.Fx*t.width) / float64(size*float64(t.c.Size.X))
	mid := p.Apply(t.mid)
	for i := range mid {
		p.T[i] = float64(ray[i]/ray[2]*depth) - mid[i]
	}
	t.now.poses[0] = p
	for i, x := range t.view.World {
		q, ok := t.c.Camera.Project(p.Apply(x))
		if !ok || !(q.X > 0 && q.Y > 0 && q.X < float64(t.c.Size.X-1) && q.Y < float64(t.c.Size.Y-1)) {
			return false
		}
		t.view.Image[i] = q
	}
	return true
}

// after returns the uncertainty with the view.
func (t *trial) after(s *farView, variance float64) float64 {
	ok := t.evaluate(t.now) && t.reduce(t.now, 0)
	for i, v := range t.c.found.equations {
		t.reduced[i] += v
	}
	if !ok || !t.regular() {
		return math.Inf(1)
	}
	return s.mean(t.factor, t.shared, variance)
}
