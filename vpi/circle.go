package vpi

import (
	"image"
	"slices"
)

// maxRadius is that of the largest circle, and maxCircle how many pixels it has.
const (
	maxRadius = 3
	maxCircle = 16
)

// quarters holds the first quarter of the circles by their radius, relative to the centre,
// clockwise from the pixel straight above.
var quarters = [maxRadius + 1][]image.Point{
	1: {{0, -1}, {1, -1}},
	2: {{0, -2}, {1, -2}, {2, -1}},
	3: {{0, -3}, {1, -3}, {2, -2}, {3, -1}},
}

// circlePixels returns the pixels of the circle of a radius, relative to the centre,
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

// A circle is what there is to know of a circle and its arcs.
type circle struct {
	radius int
	pixels []image.Point // relative to the centre
	arc    int           // its length
	turns  []turn        // that find arcs
	spread int           // how many arcs side by side are scored at once
}

func newCircle(radius, arc int) circle {
	c := circle{radius: radius, pixels: circlePixels(radius), arc: arc}
	n := len(c.pixels)
	for run := 1; run < arc; {
		step := min(run, arc-run)
		c.turns = append(c.turns, newTurn(n, step))
		run += step
	}
	// All arcs of a corner begin on so many pixels side by side, unless the circle is
	// all bright or dark, or has room for two arcs.
	c.spread = max(min(n-arc, arc), 1)
	return c
}

// Fields are the four parts of 16 bits of a word.
const (
	fieldTops uint64 = 0x8000_8000_8000_8000
	fieldOnes        = fieldTops >> 15
)

// A turn turns the circles in the fields of a word. Their pixels are the top bits of a
// field, the first one lowest.
type turn struct {
	right, left uint   // one of these is the way of a bit
	keep, wrap  uint64 // what goes right, and what left, after that
}

func newTurn(n, step int) turn {
	return turn{
		right: uint(step), left: uint(n - step),
		keep: fieldOnes * (1<<(n-step) - 1) << (16 - n),
		wrap: fieldOnes * (1<<step - 1) << (16 - step),
	}
}

// arcs returns the bits of circles from which on an arc's worth of them are set, by
// doubling: from those that begin pairs it makes those that begin four, and so on.
func (c *circle) arcs(circles uint64) uint64 {
	for i := range c.turns {
		t := &c.turns[i]
		circles &= circles>>(t.right&63)&t.keep | circles<<(t.left&63)&t.wrap
	}
	return circles
}
