package consensus

import "math"

// A Box has the least and the largest coordinates of points.
type Box struct{ X0, Y0, X1, Y1 float64 }

// NewBox returns the box of no points.
func NewBox() Box { return Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)} }

// Add adds a point.
func (b *Box) Add(x, y float64) {
	b.X0, b.Y0 = min(b.X0, x), min(b.Y0, y)
	b.X1, b.Y1 = max(b.X1, x), max(b.Y1, y)
}

// A Frame is a system of coordinates in which the points of an image are about 1 from 0, at
// most: image coordinates minus X and Y, times Scale, a power of 2.
type Frame struct{ X, Y, Scale float64 }

// Frame returns the frame for the points of the box, of which there is one at least.
func (b *Box) Frame() Frame {
	side := max(b.X1-b.X0, b.Y1-b.Y0)
	if side == 0 {
		return Frame{b.X0, b.Y0, 1}
	}
	_, exponent := math.Frexp(side)
	scale := math.Ldexp(1, 1-max(exponent, -500))
	// The center is near for points of any extent, and has so few digits that differences from
	// it are exact.
	units := max(scale, 1)
	return Frame{math.Floor((b.X0+b.X1)/2*units) / units, math.Floor((b.Y0+b.Y1)/2*units) / units, scale}
}

// To returns a place of the image in coordinates of the frame.
func (f *Frame) To(x, y float64) (float64, float64) {
	return float64((x - f.X) * f.Scale), float64((y - f.Y) * f.Scale)
}

// Into returns the matrix of To, by rows.
func (f *Frame) Into() [9]float64 {
	return [9]float64{f.Scale, 0, -float64(f.X * f.Scale), 0, f.Scale, -float64(f.Y * f.Scale), 8: 1}
}
