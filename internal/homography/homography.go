// Package homography estimates the projective map between two images of a plane, or
// between two images from one place, from pairs of points, many of which may be wrong.
package homography

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A Point is a place in an image, in pixels.
type Point struct {
	X, Y float64
}

const (
	minInliers  = 8      // minimum number of pairs that a homography fits, and
	pairsPerFit = 50     // one more for each pairsPerFit pairs
	maxRounds   = 20_000 // maximum number of samples of four pairs
	missing     = 0.001  // probability that no sample has only correct pairs
	refinements = 10     // maximum number of least-squares steps
)

// Estimate returns the homography that maps as many points as possible of image A to
// the points of image B with the same index, and reports for each pair whether it does:
// to within threshold pixels, in both directions. There must be as many points of A as
// of B. Estimate reports false if no homography fits at least 8 pairs plus 2% of all,
// since some fit by chance. Pairs that are all on one line, to within the threshold, do
// not count.
//
// The method is RANSAC (M. Fischler and R. Bolles, "Random sample consensus", CACM 24,
// 1981) of direct linear transformations in normalized coordinates (R. Hartley and A.
// Zisserman, "Multiple View Geometry in Computer Vision", 2004, chapter 4), and then
// least squares of the distances in B. The random numbers are always the same, so the
// result is, too, on every platform.
func Estimate(a, b []Point, threshold float64) (h Matrix, inliers []bool, ok bool) {
	frameA, frameB := newFrame(a), newFrame(b)
	if frameA.scale == 0 || frameB.scale == 0 {
		return Matrix{}, nil, false
	}
	e := estimator{
		a:      frameA.to(a),
		b:      frameB.to(b),
		limitA: square(threshold * frameA.scale),
		limitB: square(threshold * frameB.scale),
	}
	best := e.refine(e.search())
	if best.count < minInliers+len(a)/pairsPerFit {
		return Matrix{}, nil, false
	}
	h = frameB.fromMatrix().After(best.h.After(frameA.toMatrix()))
	if h[2][2] != 0 {
		h = h.over(h[2][2])
	}
	return h, best.inliers, true
}

// A frame is a system of coordinates in which the centroid of points is 0 and their mean
// distance from it is the root of 2: image coordinates minus center, times scale.
type frame struct {
	center Point
	scale  float64 // 0 if there is no such frame
}

func newFrame(points []Point) frame {
	var f frame
	n := float64(len(points))
	for _, p := range points {
		f.center.X += p.X / n
		f.center.Y += p.Y / n
	}
	distance := 0.0
	for _, p := range points {
		distance += math.Sqrt(square(p.X-f.center.X)+square(p.Y-f.center.Y)) / n
	}
	if distance > 0 { // and not NaN
		f.scale = math.Sqrt2 / distance
	}
	return f
}

// to returns the points in coordinates of the frame.
func (f frame) to(points []Point) []Point {
	list := make([]Point, len(points))
	for i, p := range points {
		list[i] = Point{float64((p.X - f.center.X) * f.scale), float64((p.Y - f.center.Y) * f.scale)}
	}
	return list
}

// toMatrix returns the matrix from coordinates of the image to those of the frame.
func (f frame) toMatrix() Matrix {
	return Matrix{
		{f.scale, 0, -float64(f.center.X * f.scale)},
		{0, f.scale, -float64(f.center.Y * f.scale)},
		{0, 0, 1},
	}
}

// fromMatrix returns the inverse of toMatrix.
func (f frame) fromMatrix() Matrix {
	return Matrix{
		{1 / f.scale, 0, f.center.X},
		{0, 1 / f.scale, f.center.Y},
		{0, 0, 1},
	}
}

// An estimator holds the points in their frames.
type estimator struct {
	a, b           []Point
	limitA, limitB float64 // squares of the threshold
}

// A model is a homography from the frame of A to that of B, with the pairs it fits.
type model struct {
	h       Matrix
	inliers []bool
	count   int // of the inliers
}

// search returns the best model of samples of four pairs, or a model without inliers.
func (e *estimator) search() model {
	n := len(e.a)
	best, m := model{inliers: make([]bool, n)}, model{inliers: make([]bool, n)}
	if n < minInliers {
		return best
	}
	random := rand.New(rand.NewPCG(1, 2))
	enough := maxRounds
	for tried, round := 0, 0; tried < enough && round < maxRounds; round++ {
		sample := draw4(random, n)
		if e.degenerate(sample) {
			continue
		}
		tried++
		if e.judge(&m, e.through(sample)); m.count > best.count && e.spread(m.inliers) {
			best, m = m, best
			enough = rounds(float64(best.count) / float64(n))
		}
	}
	return best
}

// draw4 returns four different indices below n.
func draw4(random *rand.Rand, n int) [4]int {
	var s [4]int
	for i := 0; i < len(s); {
		s[i] = random.IntN(n)
		if !slices.Contains(s[:i], s[i]) {
			i++
		}
	}
	return s
}

// rounds returns the number of samples to try if a share of the pairs is correct.
func rounds(share float64) int {
	n := 0
	wrong := 1 - square(square(share)) // the probability that a sample is not correct
	for miss := 1.0; miss > missing && n < maxRounds; n++ {
		miss *= wrong
	}
	return n
}

// degenerate reports whether three points of a sample are on one line, in A or in B,
// or whether some of the triangles are mirrored and others are not, which no camera
// makes of a plane.
func (e *estimator) degenerate(s [4]int) bool {
	const least = 1e-6
	mirrored := 0
	for skip := range s {
		i, j, k := s[(skip+1)%4], s[(skip+2)%4], s[(skip+3)%4]
		a, b := area(e.a[i], e.a[j], e.a[k]), area(e.b[i], e.b[j], e.b[k])
		if math.Abs(a) < least || math.Abs(b) < least {
			return true
		}
		if a > 0 != (b > 0) {
			mirrored++
		}
	}
	return mirrored != 0 && mirrored != 4
}

// area returns twice the signed area of a triangle.
func area(p, q, r Point) float64 {
	return float64((q.X-p.X)*(r.Y-p.Y)) - float64((q.Y-p.Y)*(r.X-p.X))
}

// judge makes h the homography of m and finds its inliers.
func (e *estimator) judge(m *model, h Matrix) {
	inverse := h.Inverse()
	m.h, m.count = h, 0
	for i, a := range e.a {
		b := e.b[i]
		fits := h.misses(a, b) <= e.limitB && inverse.misses(b, a) <= e.limitA
		m.inliers[i] = fits
		if fits {
			m.count++
		}
	}
}

// spread reports whether the root mean square distance of the inliers from any line, in A
// and in B, exceeds the threshold.
func (e *estimator) spread(inliers []bool) bool {
	return width(e.a, inliers) > e.limitA && width(e.b, inliers) > e.limitB
}

// width returns the variance of the inliers perpendicular to the line that fits them best.
func width(points []Point, count []bool) float64 {
	var n, x, y, xx, xy, yy float64
	for i, p := range points {
		if count[i] {
			n++
			x += p.X
			y += p.Y
			xx += square(p.X)
			xy += float64(p.X * p.Y)
			yy += square(p.Y)
		}
	}
	x, y = x/n, y/n
	xx, xy, yy = xx/n-square(x), xy/n-float64(x*y), yy/n-square(y)
	// The smaller eigenvalue of the covariance matrix.
	return (xx+yy)/2 - math.Sqrt(square((xx-yy)/2)+square(xy))
}

// refine returns m with the homography of least squares for its inliers, repeatedly, while
// that fits no fewer pairs.
func (e *estimator) refine(best model) model {
	m := model{inliers: make([]bool, len(e.a))}
	for range refinements {
		if e.judge(&m, e.leastSquares(best)); m.count < best.count {
			break
		}
		best, m = m, best
	}
	return best
}

// square returns the square of v.
func square(v float64) float64 {
	return float64(v * v)
}
