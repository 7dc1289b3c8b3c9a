package geometry

import (
	"fmt"

	"github.com/fastcorners/fast/internal/consensus"
)

// Exact returns the transform of a kind that maps the points of a to those of b. There must be
// exactly as many points as determine the transform (see [Kind.Pairs]). Exact reports false if they
// do not: if two points are equal, three points of a homography or all points of an affine
// transform are on a line, coordinates are not finite or exceed 2^24 in magnitude, or no camera can
// see a plane that way, because some triangles of the four points are mirrored and others are not.
// It panics if there are more or fewer points, or if the kind is unknown.
//
// A rigid transform takes two pairs, but maps them exactly only if the points are equally far apart
// in a and b. Otherwise, Exact returns the least squares solution, which maps the midpoint to the
// midpoint and the direction to the direction, so that each point misses its partner by half of the
// difference of the two distances.
//
// Since the elements of a transform are rounded, it misses points near the origin by about 1e-15 of
// their extent, and points at a distance of 1000 times their extent by 1000 times as much. A
// homography misses points by a million times as much if both a and b are that far away; move its
// points to the origin first.
func Exact(kind Kind, a, b []Point) (Transform, bool) {
	kind = kind.orDefault()
	checkPairs(a, b)
	if len(a) != kind.Pairs() {
		panic(fmt.Sprintf("geometry: %d pairs for Kind %v, not %d", len(a), kind, kind.Pairs()))
	}
	f, ok := framesOf(a, b)
	if !ok {
		return Transform{}, false
	}
	var p, q [4]Point
	for i := range a {
		p[i], q[i] = f.a.to(a[i]), f.b.to(b[i])
	}
	t, ok := exact(kind, &p, &q, f.scale())
	if !ok {
		return Transform{}, false
	}
	t = f.out(&t)
	return t, t.finite()
}

// framesOf returns the frames of all points. It reports false if one of them is not usable.
func framesOf(a, b []Point) (frames, bool) {
	boxA, boxB := consensus.NewBox(), consensus.NewBox()
	for i, p := range a {
		if !consensus.Usable(p.X, p.Y) || !consensus.Usable(b[i].X, b[i].Y) {
			return frames{}, false
		}
		boxA.Add(p.X, p.Y)
		boxB.Add(b[i].X, b[i].Y)
	}
	return frames{frame{boxA.Frame()}, frame{boxB.Frame()}}, true
}

// LeastSquares returns the transform of a kind that maps the points of a to those of b with the
// smallest sum of squared distances. It uses all pairs, correct or not; if some pairs are wrong,
// use [Estimator.Estimate]. A homography is found by iteration. A rigid transform is the solution
// of the orthogonal Procrustes problem (P. Schönemann, Psychometrika 31, 1966) without reflections.
//
// LeastSquares reports false if the points do not determine a transform because they are too few,
// on a line or at one place; if coordinates are not finite or exceed 2^24 in magnitude; if no
// homography near the best one has a positive W at all points; or if all rotations are equally
// good, or nearly so because the extent of b is less than about a millionth of that of a. It panics
// if the lengths differ or the kind is unknown. It does not allocate.
func LeastSquares(kind Kind, a, b []Point) (Transform, bool) {
	kind = kind.orDefault()
	checkPairs(a, b)
	if len(a) < kind.Pairs() {
		return Transform{}, false
	}
	f, ok := framesOf(a, b)
	if !ok {
		return Transform{}, false
	}
	var p, q Point // the centroids, in the frames
	n := float64(len(a))
	for i := range a {
		s, t := f.a.to(a[i]), f.b.to(b[i])
		p = Point{p.X + s.X, p.Y + s.Y}
		q = Point{q.X + t.X, q.Y + t.Y}
	}
	p, q = Point{p.X / n, p.Y / n}, Point{q.X / n, q.Y / n}
	// equations returns those for t, or for the first transform, and the sum of squares.
	equations := func(t *Transform, first bool) (e equations, squares float64, ok bool) {
		for i := range a {
			s, u := f.a.to(a[i]), f.b.to(b[i])
			s, u = Point{s.X - p.X, s.Y - p.Y}, Point{u.X - q.X, u.Y - q.Y}
			w := t.row(6, s)
			if !(w > 0) {
				return e, 0, false
			}
			m := Point{t.row(0, s) / w, t.row(3, s) / w}
			d := Point{u.X - m.X, u.Y - m.Y}
			if first && kind == Homography {
				m = u // which makes the equations linear, but they are not those of the distances
			}
			var sum [sums]float64
			products(&sum, 1, s.X/w, s.Y/w, 1/w, m.X, m.Y, d.X, d.Y)
			for k, v := range sum {
				e[k] += v
			}
			squares += squared(d.X, d.Y)
		}
		return e, squares, true
	}
	t := Transform{8: 1}
	if kind == Translation {
		t[0], t[4] = f.scale(), f.scale()
	}
	e, least, _ := equations(&t, true)
	for i := range finalRefits {
		next, largest, ok := e.next(kind, &t, 1, f.scale())
		if !ok {
			return Transform{}, false
		}
		nextE, squares, ok := equations(&next, false)
		if i == 0 {
			if !ok {
				return Transform{}, false
			}
		} else if !ok || squares >= least {
			break
		}
		t, e, least = next, nextE, squares
		if largest <= converged {
			break
		}
	}
	t = t.shifted(-p.X, -p.Y, -q.X, -q.Y)
	t = f.out(&t)
	return t, t.finite()
}
