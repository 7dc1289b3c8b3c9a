package vpi

import (
	"image"
	"math"
	"math/bits"
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
	spread int           // how many arcs side by side are scored at once
}

func newCircle(radius, arc int) circle {
	c := circle{radius: radius, pixels: circlePixels(radius), arc: arc}
	n := len(c.pixels)
	// All arcs of a corner begin on so many pixels side by side, unless the whole circle
	// is bright, or has room for two arcs.
	c.spread = max(min(n-arc, arc), 1)
	return c
}

// arcs returns where arcs begin: the bits of a circle, the first pixel lowest, from which
// on an arc's length of them is set.
func (c *circle) arcs(bits uint32) uint32 {
	n := uint(len(c.pixels))
	arcs := bits | bits<<(n&31) // unrolls the circle
	run := uint(1)
	for ; 2*run <= uint(c.arc); run *= 2 {
		arcs &= arcs >> (run & 31)
	}
	arcs &= arcs >> ((uint(c.arc) - run) & 31)
	return arcs & (1<<(n&31) - 1)
}

// brightest returns the largest that the darkest pixel of an arc is, of those that begin
// on some pixels, bits. There is one at least. The pixels go twice around the circle.
func (c *circle) brightest(pixels *[2 * maxCircle]uint16, starts uint32) uint16 {
	n := len(c.pixels)
	if starts == 1<<n-1 || 2*c.arc <= n {
		best := uint16(0)
		for first := 0; first < n; first += c.spread {
			best = max(best, c.darkest(pixels[first:]))
		}
		return best
	}
	first := bits.TrailingZeros32(starts &^ (starts<<1 | starts>>((n-1)&31)))
	return c.darkest(pixels[first&(maxCircle-1):])
}

// darkest returns the largest that the darkest pixel of an arc is, of those that begin on
// the first pixels.
func (c *circle) darkest(pixels []uint16) uint16 {
	var memory [maxCircle]uint16
	first := pixels[:c.arc]
	tails := memory[:len(first)] // the darkest pixels from each of the first arc on
	darkest := uint16(math.MaxUint16)
	for i := len(first) - 1; i >= 0; i-- {
		darkest = min(darkest, first[i])
		tails[i] = darkest
	}
	best := darkest
	darkest = math.MaxUint16
	tails = tails[1:c.spread]
	rest := pixels[len(first):][:len(tails)]
	for i, tail := range tails {
		darkest = min(darkest, rest[i])
		best = max(best, min(darkest, tail))
	}
	return best
}
