package main

import (
	"image"
	"image/draw"
	"math"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/pose"
)

// The models that are no transforms, but tell on which line of B a point of A is.
const (
	modelEssential   = "essential"
	modelFundamental = "fundamental"
)

// An epipolar is how two images are related by their epipolar lines.
type epipolar struct {
	motion      pose.Motion   // of an essential matrix
	fundamental pose.Epipolar // of a fundamental matrix

	// essential is the matrix for rays of the camera, which is made up for a fundamental
	// matrix. It is zero if there is none.
	essential [9]float64
	camera    camera.Camera
}

// findEpipolar finds the essential or the fundamental matrix, and moves its inliers to the front
// of the matches.
func (m *matching) findEpipolar(cfg matchConfig) (err error) {
	a, b, _ := geometry.Pairs(m.A, m.B, m.Matches)
	inliers := make([]bool, len(a))
	if cfg.model == modelEssential {
		m.camera = cfg.camera.Camera
		m.motion, err = cfg.estimator.Relative(m.camera, m.camera, a, b, nil, inliers)
		m.Inliers = m.motion.Inliers
		m.essential = m.motion.Pose.Essential()
	} else {
		m.fundamental, err = cfg.estimator.Fundamental(a, b, nil, inliers)
		m.Inliers = m.fundamental.Inliers
		m.camera = m.standIn()
		m.essential = inRays(m.fundamental.F, m.camera)
	}
	sorted := make([]match.Match, 0, len(inliers))
	for _, agree := range []bool{true, false} {
		for i, in := range inliers {
			if in == agree {
				sorted = append(sorted, m.Matches[i])
			}
		}
	}
	m.Matches = sorted
	return err
}

// flat reports whether a homography explains nine tenths of the inliers of a fundamental matrix.
func (e *epipolar) flat() bool {
	return e.fundamental.Inliers > 0 && 10*e.fundamental.OffPlane <= e.fundamental.Inliers
}

// standIn returns a camera that sees every pixel of both images within 45 degrees.
func (m *matching) standIn() camera.Camera {
	a, b := m.images[0].Size(), m.images[1].Size()
	f := float64(max(a.X, a.Y, b.X, b.Y))
	return camera.Camera{Fx: f, Fy: f, Cx: f / 2, Cy: f / 2}
}

// inRays returns the fundamental matrix f for the rays of a camera without distortion.
func inRays(f [9]float64, c camera.Camera) (e [9]float64) {
	k := [9]float64{c.Fx, 0, c.Cx, 0, c.Fy, c.Cy, 0, 0, 1}
	for i := range e {
		for r := range 3 {
			for s := range 3 {
				e[i] += k[3*r+i/3] * f[3*r+s] * k[3*s+i%3]
			}
		}
	}
	return e
}

// epipolarLines is the number of inliers whose epipolar lines are drawn, for which there are as
// many colors.
const epipolarLines = 8

// A spreadInlier is the keypoint of image A of an inlier.
type spreadInlier struct {
	point.Keypoint
	match match.Match
}

// drawEpipolar returns the images side by side. Inliers all over the first one are dots there
// and in the second one, each on the line that the other tells, in the same color.
func (m *matching) drawEpipolar() image.Image {
	picture, shift := overlay.SideBySide(m.images[0].Upright(), m.images[1].Upright())
	left, right := m.images[0].Upright().Bounds(), m.images[1].Upright().Bounds().Add(shift)
	var inliers []spreadInlier
	for _, p := range m.Matches[:m.Inliers] {
		inliers = append(inliers, spreadInlier{m.A[p.Query], p})
	}
	var lines, dots [2][][]geometry.Point
	for _, inlier := range fast.Spread(inliers, left, epipolarLines) {
		p, q := m.pair(inlier.match)
		a, b := geometry.Point{X: float64(p.X), Y: float64(p.Y)}, geometry.Point{X: float64(q.X), Y: float64(q.Y)}
		lines[0] = append(lines[0], m.line(b, true))
		lines[1] = append(lines[1], moved(m.line(a, false), shift))
		dots[0] = append(dots[0], []geometry.Point{a})
		dots[1] = append(dots[1], moved([]geometry.Point{b}, shift))
	}
	for i, r := range []image.Rectangle{left, right} {
		part := picture.SubImage(r).(draw.Image)
		overlay.Lines(part, lines[i])
		overlay.Tracks(part, dots[i], overlay.Pen{Width: 3})
	}
	return picture
}

// moved returns points that are moved by shift.
func moved(points []geometry.Point, shift image.Point) []geometry.Point {
	for i := range points {
		points[i].X += float64(shift.X)
		points[i].Y += float64(shift.Y)
	}
	return points
}

// line returns the epipolar line in B of a point of A, or with back that in A of a point of B, as
// the camera sees it: a curve if its lens distorts. Where it does not see it the points are NaN.
func (e *epipolar) line(p geometry.Point, back bool) []geometry.Point {
	x, y, _ := e.camera.Ray(p)
	rows, columns := 3, 1 // the steps from one to the next
	if back {
		rows, columns = 1, 3
	}
	var l [3]float64
	for i := range l {
		row := e.essential[rows*i:]
		l[i] = row[0]*x + row[columns]*y + row[2*columns]
	}
	// The place that is nearest to the axis, and steps from there.
	squared := l[0]*l[0] + l[1]*l[1]
	length := math.Sqrt(squared)
	footX, footY := -l[0]*l[2]/squared, -l[1]*l[2]/squared
	depth := math.Sqrt(1 + footX*footX + footY*footY)
	var rays [][3]float64
	const steps = 100
	for i := -9 * steps / 10; i <= 9*steps/10; i++ {
		u := float64(i) / steps
		t := depth * u / (1 - u*u)
		rays = append(rays, [3]float64{footX - l[1]/length*t, footY + l[0]/length*t, 1})
	}
	return e.camera.Projections(rays)
}
