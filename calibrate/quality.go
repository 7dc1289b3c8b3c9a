package calibrate

import (
	"fmt"
	"image"
	"math"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/rotation"
	"github.com/fastcorners/fast/pose"
)

// placesX and placesY are the numbers of columns and rows of places all over an image at which cameras
// are compared.
const placesX, placesY = 16, 12

// places returns the places of an image.
func places(size image.Point) (list [placesX * placesY]geometry.Point) {
	for i := range list {
		x, y := float64(i%placesX)+.5, float64(i/placesX)+.5
		list[i] = geometry.Point{X: float64(x*float64(size.X))/placesX - .5, Y: float64(y*float64(size.Y))/placesY - .5}
	}
	return list
}

// A farView tells how the projections of what is far away change with the unknown fields of a camera,
// after the turn of the camera that best undoes the change all over the image: the camera does not know
// which way it looks, and poses absorb that.
type farView struct {
	camera  camera.Camera
	freedom *freedom
	turns   [3][numFields]float64 // that undo the changes by the fields
	count   int                   // of places at which the camera sees something
	squares []float64             // the sums of products of derivatives over these places
}

// newFarView returns the farView of a camera with images of a size.
func newFarView(c *camera.Camera, f *freedom, size image.Point) *farView {
	s := &farView{camera: *c, freedom: f}
	n := len(f.fields)
	var changes []change
	var square [9]float64 // of the derivatives by a turn
	all := places(size)
	for _, ray := range c.Bearings(all[:]) {
		d, ok := s.change(ray)
		if !ok {
			continue
		}
		changes = append(changes, d)
		for r := range 2 {
			for i, v := range d.turn[r] {
				for k, w := range d.turn[r] {
					square[3*i+k] += float64(v * w)
				}
				for k, w := range d.fields[r][:n] {
					s.turns[i][k] -= float64(v * w)
				}
			}
		}
	}
	s.count = len(changes)
	s.squares = make([]float64, n*n)
	var l [9]float64
	if !factor(l[:], square[:], 3, 0, 1e-14) {
		s.count = 0
		return s
	}
	for k := range n {
		turn := [3]float64{s.turns[0][k], s.turns[1][k], s.turns[2][k]}
		forward(l[:], turn[:])
		backward(l[:], turn[:])
		s.turns[0][k], s.turns[1][k], s.turns[2][k] = turn[0], turn[1], turn[2]
	}
	for _, d := range changes {
		for _, row := range s.steady(&d) {
			for i := range n {
				for k := range i + 1 {
					s.squares[i*n+k] += float64(row[i] * row[k])
				}
			}
		}
	}
	return s
}

// A change has the derivatives of a projection's coordinates.
type change struct {
	turn   [2]pose.Vector // by a turn of what is projected
	fields [2][numFields]float64
}

// change returns the derivatives of the projection of a bearing. It reports false if there is none.
func (s *farView) change(ray pose.Vector) (c change, ok bool) {
	d, ok := s.camera.Derivatives(ray) // not if the bearing is NaN
	if !ok {
		return c, false
	}
	aspect := s.freedom.aspectOf(&s.camera)
	for r := range 2 {
		c.turn[r] = ray.Cross(d.Point[r])
		s.freedom.derivatives(c.fields[r][:], &d.Field[r], aspect)
	}
	return c, true
}

// steady returns the derivatives by the unknown fields with the turns that undo the changes.
func (s *farView) steady(c *change) [2][numFields]float64 {
	rows := c.fields
	for r := range rows {
		for k := range s.freedom.fields {
			for i, v := range c.turn[r] {
				rows[r][k] += float64(v * s.turns[i][k])
			}
		}
	}
	return rows
}

// mean returns the root mean square over the places of the deviations in pixels, in both directions, if
// the covariance of the n unknowns, the first of which are the fields, is the inverse of equations with a
// given factor, times variance.
func (s *farView) mean(factor []float64, n int, variance float64) float64 {
	return math.Sqrt(float64(s.total(inverse(factor, n), n)*variance) / float64(s.count))
}

// total returns the sum over the places of the squares of deviations, for a covariance of n unknowns.
func (s *farView) total(covariance []float64, n int) float64 {
	fields := len(s.freedom.fields)
	sum := 0.0
	for i := range fields {
		for k := range i {
			sum += float64(2 * float64(s.squares[i*fields+k]*covariance[i*n+k]))
		}
		sum += float64(s.squares[i*fields+i] * covariance[i*n+i])
	}
	return sum
}

// moved returns the sum over the places of the squares of distances by which a step of the unknown
// fields moves projections.
func (s *farView) moved(step []float64) float64 {
	fields := len(s.freedom.fields)
	sum := 0.0
	for i := range fields {
		for k := range i {
			sum += float64(2 * float64(s.squares[i*fields+k]*float64(step[i]*step[k])))
		}
		sum += float64(s.squares[i*fields+i] * float64(step[i]*step[i]))
	}
	return sum
}

// Uncertainty returns the standard deviation in pixels, in the worst direction, of the projection of a
// point far away that is seen at pixel p, which follows from the noise of the points of the views. It is
// NaN if the camera sees nothing at p. It corresponds to mrcal's projection uncertainty at infinity.
//
// The deviation is that after the turn of the camera that best undoes the change of each field all over
// the image, which no picture shows.
func (c *Calibration) Uncertainty(p geometry.Point) float64 {
	c.check()
	s := c.found.farView()
	ray, _ := c.Camera.Bearing(p) // 0, 0, 0 if there is none, which has no derivatives
	change, ok := s.change(ray)
	if !ok || s.count == 0 {
		return math.NaN()
	}
	rows, n := s.steady(&change), c.found.unknowns
	var squares [2][2]float64
	for i := range rows {
		for k := range rows {
			for a := range s.freedom.fields {
				sum := 0.0
				for b := range s.freedom.fields {
					sum += float64(c.found.inverse[a*n+b] * rows[k][b])
				}
				squares[i][k] += float64(rows[i][a] * sum)
			}
		}
	}
	mean, half := (squares[0][0]+squares[1][1])/2, (squares[0][0]-squares[1][1])/2
	larger := mean + math.Sqrt(float64(half*half)+float64(squares[0][1]*squares[0][1]))
	return float64(c.Sigma * math.Sqrt(larger))
}

// Influence returns, for each view, by how many standard deviations leaving it out would move projections,
// in the root mean square over the image. The deviations and the noise are those of the other views, so
// that a wrong view, whose errors spread over all, does not hide. A view with more than 5 deserves a
// look. It is +Inf if the others do not determine the camera.
func (c *Calibration) Influence() []float64 {
	c.check()
	list := make([]float64, len(c.found.parts))
	for i := range list {
		moved, deviation, variance := c.found.without(i)
		if !(variance > 0) { // since the views fit exactly
			variance = float64(c.Sigma * c.Sigma)
		}
		list[i] = moved / (deviation * math.Sqrt(variance))
	}
	return list
}

// without returns by how much projections would move without view i, their deviation then for a noise of
// 1 pixel, and the variance of the noise of the other views, as far as the equations hold. If these do not
// determine the camera, projections move without end.
func (f *findings) without(i int) (moved, deviation, variance float64) {
	n := f.unknowns
	rest, l, step := make([]float64, n*n), make([]float64, n*n), make([]float64, n)
	for k, v := range f.equations {
		rest[k] = v - f.parts[i].equations[k]
	}
	if !factor(l, rest, n, 0, leastPivot) {
		return math.Inf(1), 1, 1
	}
	copy(step, f.parts[i].right) // the right side of the others is the opposite
	forward(l, step)
	cost, more := 0.0, -n
	for _, v := range step {
		cost -= float64(v * v) // by which it falls when the camera moves
	}
	for k, p := range f.parts {
		if k != i {
			cost += p.cost
			more += p.more
		}
	}
	backward(l, step)
	s := f.farView()
	return math.Sqrt(s.moved(step) / float64(s.count)), s.mean(l, n, 1), cost / float64(max(1, more))
}

// Difference returns the root mean square, over images of a size, of the distances in pixels between
// where two cameras see the same things far away, after the turn that brings them closest. It is NaN if
// there is no part of the image where both see something. It panics if a width or a height is not
// positive, or if [camera.Camera.Check] returns an error.
func Difference(a, b camera.Camera, size image.Point) float64 {
	requireSize(size)
	at := places(size)
	inA, inB := a.Bearings(at[:]), b.Bearings(at[:])
	turn := pose.Identity()
	difference := math.NaN()
	for range 8 {
		var square [9]float64
		var right [3]float64
		sum, count := 0.0, 0
		for i, ray := range inB {
			if inA[i][0] != inA[i][0] {
				continue
			}
			turned := turn.Apply(ray)
			d, ok := a.Derivatives(turned) // not if the bearing is NaN
			if !ok {
				continue
			}
			count++
			for r, e := range [2]float64{d.Pixel.X - at[i].X, d.Pixel.Y - at[i].Y} {
				by := turned.Cross(d.Point[r])
				sum += float64(e * e)
				for m, v := range by {
					right[m] -= float64(v * e)
					for k, w := range by {
						square[3*m+k] += float64(v * w)
					}
				}
			}
		}
		difference = math.Sqrt(sum / float64(count))
		var l [9]float64
		if !factor(l[:], square[:], 3, 0, 1e-14) {
			break
		}
		forward(l[:], right[:])
		backward(l[:], right[:])
		turn.R = pose.Pose{R: rotation.Cayley(right)}.Mul(turn).R
	}
	return difference
}

// Halves compares the cameras that halves of the views lead to.
type Halves struct {
	// Difference is that between the cameras, in pixels: see [Difference].
	Difference float64
	// Predicted is the Difference that the noise of the points explains, in the root mean square. If
	// the Difference is more than 3 times as large, the model does not suit the lens, or views are
	// wrong. This does not hold for the rational model, with 8 coefficients, since those of the halves
	// often differ far from the views.
	Predicted float64
}

// Halves calibrates with the views with even and with odd indices apart, and compares the results. Its
// panics are those of Calibrate, and so are its errors, except that ErrFocal is none.
func (c *Calibrator) Halves(size image.Point, views []View) (Halves, error) {
	c.check()
	requireSize(size)
	if err := checkViews(views); err != nil {
		return Halves{}, err
	}
	if len(views) < 2 {
		return Halves{}, fmt.Errorf("%w: there is one view, not at least 2", ErrViews)
	}
	var halves [2][]View
	for i, v := range views {
		halves[i&1] = append(halves[i&1], v)
	}
	var cameras [2]camera.Camera
	sum := 0.0
	for i, half := range halves {
		j := newSolver(&c.opts, c.opts.freedom(), half)
		best, err := j.search(&c.opts, size)
		if err != nil {
			return Halves{}, fmt.Errorf("%w: the views with %s indices", err, [2]string{"even", "odd"}[i])
		}
		cameras[i] = best.cameras[0]
		s := newFarView(&cameras[i], &j.sensors[0].freedom, size)
		sum += float64(s.total(inverse(j.factor, j.shared), j.shared)*j.variance(best.estimate)) / float64(s.count)
	}
	return Halves{Difference(cameras[0], cameras[1], size), math.Sqrt(sum)}, nil
}
