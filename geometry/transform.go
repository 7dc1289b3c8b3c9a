package geometry

import (
	"fmt"
	"image"
	"math"
)

// A Transform maps points of one image to points of another. It is a 3 by 3 matrix, by rows, that
// maps the point x, y to X/W, Y/W, where
//
//	X = t[0]*x + t[1]*y + t[2]
//	Y = t[3]*x + t[4]*y + t[5]
//	W = t[6]*x + t[7]*y + t[8]
//
// Translations, similarities and affine transforms have 0, 0, 1 in the last row. In homographies
// that this package returns, W is positive at the points that they were made for, and element 8, its
// value at the point 0, 0, is 1, or -1 or 0 if that point is not visible, as where the horizon of a
// road is below it. The zero value is not useful.
type Transform [9]float64

// Identity returns the transform that maps every point to itself.
func Identity() Transform {
	return Transform{0: 1, 4: 1, 8: 1}
}

// FromSimilarity returns the transform that multiplies by scale, rotates around 0, 0 by angle, in
// radians from the x axis toward the y axis, and then adds shift: the one with these parts, as
// [Transform.Similarity] returns them. Its last bits may differ between platforms, since package
// math computes the sine and the cosine.
func FromSimilarity(scale, angle float64, shift Point) Transform {
	sin, cos := math.Sincos(angle)
	a, b := scale*cos, scale*sin
	return Transform{a, -b, shift.X, b, a, shift.Y, 0, 0, 1}
}

// Corners returns the centers of the pixels in the corners of r, clockwise from the upper left. It
// panics if r is empty.
func Corners(r image.Rectangle) [4]Point {
	if r.Empty() {
		panic("geometry: corners of an empty rectangle")
	}
	left, top, right, bottom := float64(r.Min.X), float64(r.Min.Y), float64(r.Max.X-1), float64(r.Max.Y-1)
	return [4]Point{{left, top}, {right, top}, {right, bottom}, {left, bottom}}
}

// BetweenRectangles returns the transform that maps the edges of one rectangle of pixels to the edges
// of another: it maps points of an image with the bounds from to points of the image with the bounds
// to that package warp's Resize makes of it. Edges lie half a pixel outside the centers of the
// outermost pixels. BetweenRectangles panics if a rectangle is empty.
func BetweenRectangles(from, to image.Rectangle) Transform {
	if from.Empty() || to.Empty() {
		panic(fmt.Sprintf("geometry: transform from %v to %v, of which one is empty", from, to))
	}
	x, y := float64(to.Dx())/float64(from.Dx()), float64(to.Dy())/float64(from.Dy())
	return Transform{
		0: x, 2: float64((0.5-float64(from.Min.X))*x) - 0.5 + float64(to.Min.X),
		4: y, 5: float64((0.5-float64(from.Min.Y))*y) - 0.5 + float64(to.Min.Y),
		8: 1,
	}
}

// Apply returns the point that t maps p to. Its coordinates are infinite or NaN where W is 0. Where
// W is not positive, p is not visible to a camera that sees the points with a positive W.
func (t Transform) Apply(p Point) Point {
	w := t.row(6, p)
	return Point{t.row(0, p) / w, t.row(3, p) / w}
}

// row returns the product of the row that begins at element i and the column x, y, 1.
func (t *Transform) row(i int, p Point) float64 {
	return row((*[9]float64)(t), i, p.X, p.Y)
}

// ApplyAll sets dst to the points that t maps src to. dst may be src. It panics if the lengths
// differ.
func (t Transform) ApplyAll(dst, src []Point) {
	if len(dst) != len(src) {
		panic(fmt.Sprintf("geometry: room for %d points of %d", len(dst), len(src)))
	}
	for i, p := range src {
		dst[i] = t.Apply(p)
	}
}

// Bounds returns the smallest rectangle that contains the centers of the pixels of r after t maps
// them. It is r itself if t is the identity. Bounds reports false if r is empty, if the rectangle
// does not fit in 32 bits, or if W is not positive everywhere in r, unless it is the same everywhere,
// as that of an affine transform, whose sign means nothing.
func (t Transform) Bounds(r image.Rectangle) (image.Rectangle, bool) {
	if r.Empty() {
		return image.Rectangle{}, false
	}
	if t[6] == 0 && t[7] == 0 && t[8] < 0 {
		t = t.over(-1)
	}
	low, high := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, p := range Corners(r) {
		if !(t.row(6, p) > 0) {
			return image.Rectangle{}, false
		}
		p = t.Apply(p)
		low = Point{min(low.X, p.X), min(low.Y, p.Y)}
		high = Point{max(high.X, p.X), max(high.Y, p.Y)}
	}
	const limit = math.MaxInt32 - 1
	if !(low.X >= -limit && low.Y >= -limit && high.X <= limit && high.Y <= limit) { // NaN is not either
		return image.Rectangle{}, false
	}
	return image.Rect(
		int(math.Floor(low.X)), int(math.Floor(low.Y)),
		int(math.Ceil(high.X))+1, int(math.Ceil(high.Y))+1,
	), true
}

// Mul returns the transform that applies u and then t.
func (t Transform) Mul(u Transform) Transform {
	return t.mul(&u).normalized()
}

// mul returns the product of two matrices.
func (t *Transform) mul(u *Transform) Transform {
	var product Transform
	for i := 0; i < 9; i += 3 {
		for k := range 3 {
			product[i+k] = float64(t[i]*u[k]) + float64(t[i+1]*u[k+3]) + float64(t[i+2]*u[k+6])
		}
	}
	return product
}

// normalized returns t with an element 8 of 1, 0 or -1. The sign of W stays.
func (t Transform) normalized() Transform {
	if size := math.Abs(t[8]); size != 0 && size != 1 {
		t = t.over(size)
	}
	return t
}

// over returns t with all elements divided by d.
func (t Transform) over(d float64) Transform {
	for i := range t {
		t[i] /= d
	}
	return t
}

// Inverse returns the inverse of t. It reports false if there is none, or none whose elements are
// finite.
func (t Transform) Inverse() (Transform, bool) {
	inverse := t.inverse().normalized()
	return inverse, inverse.finite()
}

// inverse returns the inverse of a matrix, the adjugate over the determinant. It has an
// element that is not finite if there is none.
func (t *Transform) inverse() Transform {
	var adjugate Transform
	for i := range 3 {
		for k := range 3 {
			r, s := (k+1)%3*3, (k+2)%3*3
			c, d := (i+1)%3, (i+2)%3
			adjugate[3*i+k] = float64(t[r+c]*t[s+d]) - float64(t[r+d]*t[s+c])
		}
	}
	determinant := float64(t[0]*adjugate[0]) + float64(t[1]*adjugate[3]) + float64(t[2]*adjugate[6])
	return adjugate.over(determinant)
}

// finite reports whether all elements are finite.
func (t *Transform) finite() bool {
	for _, v := range t {
		if !(math.Abs(v) <= math.MaxFloat64) { // NaN is not, either
			return false
		}
	}
	return true
}

// Aff3 returns the first two rows of t, which can be assigned to an Aff3 of package
// golang.org/x/image/math/f64. It reports false if elements 6 and 7 are not 0.
func (t Transform) Aff3() ([6]float64, bool) {
	if t[6] != 0 || t[7] != 0 || t[8] == 0 {
		return [6]float64{}, false
	}
	t = t.over(t[8])
	return [6]float64(t[:6]), true
}

// Similarity returns the parts of a Similarity, Rigid or Translation, which multiplies by scale,
// rotates around 0, 0 by angle, in radians from the x axis toward the y axis, -Pi to Pi, and then
// adds shift. The scale of a Rigid is 1, except for rounding. It reports false if t is of another
// kind: its first elements must be t[0], t[1], t[2], -t[1], t[0] and its last row a multiple of 0,
// 0, 1. The last bits of scale and angle may differ between platforms, since package math computes
// them.
func (t Transform) Similarity() (scale, angle float64, shift Point, ok bool) {
	m, ok := t.Aff3()
	if !ok || m[0] != m[4] || m[1] != -m[3] {
		return 0, 0, Point{}, false
	}
	return math.Hypot(m[0], m[3]), math.Atan2(m[3], m[0]), Point{m[2], m[5]}, true
}
