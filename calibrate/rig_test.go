package calibrate

import (
	"image"
	"math/rand"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// webcam is the camera of scenes, whose images are of webcamSize.
var (
	webcam     = camera.Camera{Fx: 420, Fy: 424, Cx: 325, Cy: 236, K1: -0.28, K2: 0.07, P1: 0.0007, P2: -0.0004}
	webcamSize = image.Pt(640, 480)
)

// A rig makes views of boards.
type rig struct {
	*rand.Rand
	camera        camera.Camera
	columns, rows int
	tilt          float64 // the largest one about each axis, in radians, more or less
}

func newRig(seed int64) *rig {
	return &rig{rand.New(rand.NewSource(seed)), webcam, 8, 6, 0.7}
}

// between returns a number from low to high.
func (s *rig) between(low, high float64) float64 { return low + (high-low)*s.Float64() }

// pose returns where a board may be.
func (s *rig) pose() pose.Pose {
	turn := func(limit float64) float64 { return s.between(-limit/2, limit/2) }
	p := pose.FromQuaternion(1, turn(s.tilt), turn(s.tilt), turn(1), pose.Vector{})
	width := float64(max(s.columns, s.rows))
	middle := p.Apply(pose.Vector{float64(s.columns-1) / 2, float64(s.rows-1) / 2})
	p.T = pose.Vector{s.between(-0.3, 0.3) * width, s.between(-0.2, 0.2) * width, s.between(1, 1.6) * width}.Sub(middle)
	return p
}

// see returns what a camera sees of a board.
func (s *rig) see(c camera.Camera, p pose.Pose) (v View) {
	for k := range s.columns * s.rows {
		x := pose.Vector{float64(k % s.columns), float64(k / s.columns)}
		at, ok := c.Project(p.Apply(x))
		if !ok {
			panic("a point of the rig is hidden")
		}
		v.World, v.Image = append(v.World, x), append(v.Image, at)
	}
	return v
}

// views returns n of them.
func (s *rig) views(n int) (views []View) {
	for range n {
		views = append(views, s.see(s.camera, s.pose()))
	}
	return views
}

// noisy returns views with noise of a standard deviation in pixels, times the deviations of the points.
func (s *rig) noisy(views []View, deviation float64) []View {
	noisy := make([]View, len(views))
	for i, v := range views {
		noisy[i].World, noisy[i].Deviations = v.World, v.Deviations
		for k, p := range v.Image {
			d := deviation
			if v.Deviations != nil {
				d *= v.Deviations[k]
			}
			noisy[i].Image = append(noisy[i].Image, geometry.Point{X: p.X + d*s.NormFloat64(), Y: p.Y + d*s.NormFloat64()})
		}
	}
	return noisy
}
