package main

import (
	"errors"
	"image"
	"image/draw"
	"math"
	"strconv"
	"strings"

	"github.com/fastcorners/fast"
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

// A cameraValue is the flag for a camera.
type cameraValue pose.Camera

func (c *cameraValue) String() string { return "" }

func (c *cameraValue) Set(text string) error {
	fields := strings.Split(text, ",")
	var v [9]float64
	malformed := errors.New("want 4 to 9 numbers with commas between them: fx,fy,cx,cy,k1,k2,p1,p2,k3")
	if len(fields) < 4 || len(fields) > len(v) {
		return malformed
	}
	for i, field := range fields {
		var err error
		if v[i], err = strconv.ParseFloat(strings.TrimSpace(field), 64); err != nil || math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
			return malformed
		}
	}
	if !(v[0] > 0 && v[1] > 0) {
		return errors.New("want focal lengths, the first two numbers, of more than 0")
	}
	*c = cameraValue{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]}
	return nil
}

// An epipolar is how two images are related by their epipolar lines.
type epipolar struct {
	motion      pose.Motion   // of an essential matrix
	fundamental pose.Epipolar // of a fundamental matrix

	// essential is the matrix for rays of the camera, which is made up for a fundamental
	// matrix. It is zero if there is none.
	essential [9]float64
	camera    pose.Camera
}

// findEpipolar finds the essential or the fundamental matrix, and moves its inliers to the front
// of the matches.
func (m *matching) findEpipolar(cfg matchConfig) (err error) {
	a, b, _ := geometry.Pairs(m.A, m.B, m.Matches)
	inliers := make([]bool, len(a))
	if cfg.model == modelEssential {
		m.camera = pose.Camera(cfg.camera)
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
func (m *matching) standIn() pose.Camera {
	a, b := m.images[0].Size(), m.images[1].Size()
	f := float64(max(a.X, a.Y, b.X, b.Y))
	return pose.Camera{Fx: f, Fy: f, Cx: f / 2, Cy: f / 2}
}

// inRays returns the fundamental matrix f for the rays of a camera without distortion.
func inRays(f [9]float64, c pose.Camera) (e [9]float64) {
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
	var path []geometry.Point
	const steps = 100
	for i := -9 * steps / 10; i <= 9*steps/10; i++ {
		u := float64(i) / steps
		t := depth * u / (1 - u*u)
		path = append(path, e.seen(footX-l[1]/length*t, footY+l[0]/length*t))
	}
	return path
}

// seen returns where the camera sees a ray, or NaN where the distortion has folded back.
func (e *epipolar) seen(x, y float64) geometry.Point {
	const same = 1e-6
	p, _ := e.camera.Project(pose.Vector{x, y, 1})
	u, v, ok := e.camera.Ray(p)
	if !ok || math.Abs(u-x) > same*(1+math.Abs(x)) || math.Abs(v-y) > same*(1+math.Abs(y)) {
		return geometry.Point{X: math.NaN(), Y: math.NaN()}
	}
	return p
}
