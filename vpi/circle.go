package vpi

import (
	"image"
	"slices"
)

// maxRadius is the radius of the largest circle, and maxCircle how many pixels it has.
const (
	maxRadius = 3
	maxCircle = 16
)

// quarters holds the first quarter of the circles by their radius, relative to the center,
// clockwise from the pixel straight above.
var quarters = [maxRadius + 1][]image.Point{
	1: {{0, -1}, {1, -1}},
	2: {{0, -2}, {1, -2}, {2, -1}},
	3: {{0, -3}, {1, -3}, {2, -2}, {3, -1}},
}

// circlePixels returns the pixels of the circle of a radius, relative to the center,
// clockwise from the pixel straight above.
func circlePixels(radius int) []image.Point {
	quarter := quarters[radius]
	list := slices.Clone(quarter)
	for len(list) < 4*len(quarter) {
		p := list[len(list)-len(quarter)]
		list = append(list, image.Pt(-p.Y, p.X))
	}
	return list
}

// A circle is the pixels that a pixel is compared with, and the length of arcs.
type circle struct {
	radius int
	pixels []image.Point // relative to the center
	arc    int           // its length
}

func newCircle(radius, arc int) circle {
	return circle{radius: radius, pixels: circlePixels(radius), arc: arc}
}

// A quad holds a pixel of each of four circles.
type quad [4]uint32

// set sets the pixels. Copying a quad that has just been set would wait for the stores.
func (z *quad) set(a, b, c, d uint32) {
	z[0], z[1], z[2], z[3] = a, b, c, d
}

// A scorer scores four pixels at a time. It holds the pixels of their circles by their
// place, even or odd, and the darker one of each such pair, twice around.
type scorer struct {
	even, odd [maxCircle / 2]quad
	pairs     [maxCircle]quad
	best      quad // the largest that the darkest pixel of an arc is
}

// score sets the best of circles with the given number of pairs, and arcs of a length.
func (f *scorer) score(pairs, arc int) {
	// Two arcs side by side share all pixels but the first one and the last one. These are
	// pairs and, if arcs have an even length, an even pixel.
	shared := (arc - 1) / 2
	first, last := f.odd[:pairs], f.even[:pairs]
	if arc%2 == 0 {
		last = first
	}
	end := shared + 1
	var b0, b1, b2, b3 uint32
	for i := range first {
		if end >= len(last) {
			end = 0
		}
		x, y := &first[i], &last[end]
		d0, d1, d2, d3 := max(x[0], y[0]), max(x[1], y[1]), max(x[2], y[2]), max(x[3], y[3])
		if arc%2 == 0 {
			e := &f.even[end&(maxCircle/2-1)]
			d0, d1, d2, d3 = min(d0, e[0]), min(d1, e[1]), min(d2, e[2]), min(d3, e[3])
		}
		between := f.pairs[i+1:][:shared]
		for j := range between {
			p := &between[j]
			d0, d1, d2, d3 = min(d0, p[0]), min(d1, p[1]), min(d2, p[2]), min(d3, p[3])
		}
		b0, b1, b2, b3 = max(b0, d0), max(b1, d1), max(b2, d2), max(b3, d3)
		end++
	}
	f.best.set(b0, b1, b2, b3)
}
