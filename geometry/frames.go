package geometry

import "math"

// A frame is a system of coordinates in which the points of an image are about 1 from 0, at
// most: image coordinates minus center, times scale, a power of 2.
type frame struct {
	center Point
	scale  float64
}

// newFrame returns the frame for points whose coordinates are from low to high.
func newFrame(low, high Point) frame {
	side := max(high.X-low.X, high.Y-low.Y)
	if side == 0 {
		return frame{low, 1}
	}
	_, exponent := math.Frexp(side)
	scale := math.Ldexp(1, 1-max(exponent, -500))
	// The center is near for points of any extent, and has so few digits that differences from
	// it are exact.
	units := max(scale, 1)
	middle := Point{(low.X + high.X) / 2, (low.Y + high.Y) / 2}
	return frame{Point{math.Floor(middle.X*units) / units, math.Floor(middle.Y*units) / units}, scale}
}

// to returns p in coordinates of the frame.
func (f *frame) to(p Point) Point {
	return Point{float64((p.X - f.center.X) * f.scale), float64((p.Y - f.center.Y) * f.scale)}
}

// into returns the matrix of to.
func (f *frame) into() Transform {
	return Transform{f.scale, 0, -float64(f.center.X * f.scale), 0, f.scale, -float64(f.center.Y * f.scale), 0, 0, 1}
}

// outOf returns the inverse of into.
func (f *frame) outOf() Transform {
	return Transform{1 / f.scale, 0, f.center.X, 0, 1 / f.scale, f.center.Y, 0, 0, 1}
}

// A box has the least and the largest coordinates of points.
type box struct{ low, high Point }

func newBox() box {
	inf := math.Inf(1)
	return box{Point{inf, inf}, Point{-inf, -inf}}
}

func (b *box) add(p Point) {
	b.low = Point{min(b.low.X, p.X), min(b.low.Y, p.Y)}
	b.high = Point{max(b.high.X, p.X), max(b.high.Y, p.Y)}
}

// frames are the frames of both images.
type frames struct{ a, b frame }

// scale returns by how much a transform that keeps lengths enlarges them between the frames, a
// power of 2.
func (f *frames) scale() float64 { return f.b.scale / f.a.scale }

// out returns a transform between the frames as one between the images.
func (f *frames) out(t *Transform) Transform {
	into, outOf := f.a.into(), f.b.outOf()
	right := t.mul(&into)
	return outOf.mul(&right).normalized()
}
