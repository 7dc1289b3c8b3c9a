package warp

import (
	"slices"

	"github.com/fastcorners/fast/geometry"
)

// A Transform specifies, for each pixel of the destination, where in the source it comes from. It
// is an [Affine], a [Homography], a *[Map] or a *[FixedMap].
type Transform interface{ transform() }

func (Affine) transform()     {}
func (Homography) transform() {}
func (*Map) transform()       {}
func (*FixedMap) transform()  {}

// An Affine is a 2 by 3 matrix, by rows: the pixel x, y of the destination comes from
//
//	X = a[0]*x + a[1]*y + a[2]
//	Y = a[3]*x + a[4]*y + a[5]
//
// in the source. Elements may have any value, including infinity and NaN. Positions are computed in
// 1/1024 pixel: one of 1<<21 pixels or more does not fit in 32 bits, and counts as far to the left or
// above.
type Affine [6]float64

// Of returns the Transform that takes the pixel p of the destination from t.Apply(p) in the source.
// If the last row of t is 0, 0, w, where w is not 0, the Transform is an Affine, which is faster;
// it has the elements of t, divided by w unless w is 1. Otherwise, it is a Homography with the
// elements of t.
func Of(t geometry.Transform) Transform {
	// Of is inlined, so that its result need not be on the heap.
	if a, ok := affineOf(t); ok {
		return a
	}
	return Homography(t)
}

// affineOf returns t as an Affine. It reports false if it is none.
//
//go:noinline
func affineOf(t geometry.Transform) (Affine, bool) {
	a, ok := t.Aff3()
	return a, ok
}

// Inverse returns the transform in the other direction, to the bit as OpenCV computes it. It
// reports false if there is none, or none whose elements are finite.
func (a Affine) Inverse() (Affine, bool) {
	d := float64(a[0]*a[4]) - float64(a[1]*a[3])
	ok := d != 0
	if ok {
		d = 1 / d
	}
	b := Affine{0: a[4] * d, 1: a[1] * -d, 3: a[3] * -d, 4: a[0] * d}
	b[2] = float64(-b[0]*a[2]) - float64(b[1]*a[5])
	b[5] = float64(-b[3]*a[2]) - float64(b[4]*a[5])
	return b, ok && finite(b[:])
}

// A Homography is a 3 by 3 matrix, by rows: the pixel x, y of the destination comes from X/W, Y/W
// in the source, where
//
//	X = h[0]*x + h[1]*y + h[2]
//	Y = h[3]*x + h[4]*y + h[5]
//	W = h[6]*x + h[7]*y + h[8]
//
// Where W is 0, it comes from 0, 0. A geometry.Transform is such a matrix.
type Homography [9]float64

// Inverse returns the transform in the other direction, to the bit as OpenCV computes it. It
// reports false if there is none, or none whose elements are finite.
func (h Homography) Inverse() (Homography, bool) {
	cofactors := [9]float64{
		minor(h[4], h[8], h[5], h[7]), minor(h[2], h[7], h[1], h[8]), minor(h[1], h[5], h[2], h[4]),
		minor(h[5], h[6], h[3], h[8]), minor(h[0], h[8], h[2], h[6]), minor(h[2], h[3], h[0], h[5]),
		minor(h[3], h[7], h[4], h[6]), minor(h[1], h[6], h[0], h[7]), minor(h[0], h[4], h[1], h[3]),
	}
	d := float64(h[0]*cofactors[0]) - float64(h[1]*minor(h[3], h[8], h[5], h[6])) + float64(h[2]*cofactors[6])
	if d == 0 {
		return Homography{}, false
	}
	d = 1 / d
	for i, c := range cofactors {
		h[i] = c * d
	}
	return h, finite(h[:])
}

// minor returns a*b - c*d, where each operation is rounded.
func minor(a, b, c, d float64) float64 {
	return float64(a*b) - float64(c*d)
}

// finite reports whether all elements are finite.
func finite(m []float64) bool {
	return !slices.ContainsFunc(m, func(v float64) bool { return v-v != 0 })
}

// Rectangle returns the homography that turns a document, a card or any other flat object with four
// corners into an upright image of w by h pixels, a destination with the bounds 0, 0, w, h. quad
// holds the corners in the source, clockwise from the one that becomes the upper left. They map to
// the centers of the corner pixels: 0, 0, then w-1, 0, then w-1, h-1, and 0, h-1. Therefore w and h
// must be at least 2.
//
// Rectangle reports false if w or h is less than 2, if three of the corners lie on a line, if no
// camera can see a rectangle that way, or if a coordinate is not finite or exceeds 1<<24 in
// magnitude.
func Rectangle(quad [4]geometry.Point, w, h int) (Homography, bool) {
	if w < 2 || h < 2 {
		return Homography{}, false
	}
	x, y := float64(w-1), float64(h-1)
	t, ok := geometry.Exact(geometry.Homography, []geometry.Point{{}, {X: x}, {X: x, Y: y}, {Y: y}}, quad[:])
	return Homography(t), ok
}
