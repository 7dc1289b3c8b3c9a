package geometry

import "github.com/fastcorners/fast/internal/consensus"

// A frame is a system of coordinates in which the points of an image are about 1 from 0, at most.
type frame struct{ consensus.Frame }

// to returns p in coordinates of the frame.
func (f *frame) to(p Point) Point {
	x, y := f.To(p.X, p.Y)
	return Point{x, y}
}

// outOf returns the inverse of Into.
func (f *frame) outOf() Transform {
	return Transform{1 / f.Scale, 0, f.X, 0, 1 / f.Scale, f.Y, 0, 0, 1}
}

// frames are the frames of both images.
type frames struct{ a, b frame }

// scale returns by how much a transform that keeps lengths enlarges them between the frames, a
// power of 2.
func (f *frames) scale() float64 { return f.b.Scale / f.a.Scale }

// out returns a transform between the frames as one between the images.
func (f *frames) out(t *Transform) Transform {
	into, outOf := Transform(f.a.Into()), f.b.outOf()
	right := t.mul(&into)
	return outOf.mul(&right).normalized()
}
