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
}

func newCircle(radius, arc int) circle {
	c := circle{radius: radius, pixels: circlePixels(radius), arc: arc}
	return c
}

// four is the pixels of four circles.
type four [4]uint32

// setMin sets the smaller ones of x and y.
func (z *four) setMin(x, y *four) {
	z[0] = min(x[0], y[0])
	z[1] = min(x[1], y[1])
	z[2] = min(x[2], y[2])
	z[3] = min(x[3], y[3])
}

// brightest returns the largest that the darkest pixel of an arc is. The pixels go twice
// around the circle.
func (c *circle) brightest(best *four, pixels *[2 * maxCircle]four) {
	n, arc := len(c.pixels), c.arc
	if arc%2 == 0 {
		for i := range n + arc - 1 {
			pixels[i].setMin(&pixels[i], &pixels[i+1])
		}
		arc--
	}
	// Two arcs side by side share all pixels but the first one and the last one: an even
	// number, pairs.
	var memory [maxCircle]four
	pairs := arc / 2
	shared := memory[:n/2+pairs-1]
	for i := range shared {
		shared[i].setMin(&pixels[(2*i+1)&(2*maxCircle-1)], &pixels[(2*i+2)&(2*maxCircle-1)])
	}
	for run := 1; run < pairs; {
		step := min(run, pairs-run)
		rest := shared[step:]
		shared = shared[:len(rest)]
		for i := range rest {
			shared[i].setMin(&shared[i], &rest[i])
		}
		run += step
	}
	var b0, b1, b2, b3 uint32
	for i := range shared {
		s, x, y := &shared[i], &pixels[(2*i)&(2*maxCircle-1)], &pixels[(2*i+arc)&(2*maxCircle-1)]
		b0 = max(b0, min(s[0], max(x[0], y[0])))
		b1 = max(b1, min(s[1], max(x[1], y[1])))
		b2 = max(b2, min(s[2], max(x[2], y[2])))
		b3 = max(b3, min(s[3], max(x[3], y[3])))
	}
	best[0], best[1], best[2], best[3] = b0, b1, b2, b3
}
