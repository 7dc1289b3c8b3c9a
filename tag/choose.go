package tag

import (
	"math"

	"github.com/fastcorners/fast/internal/raster"
)

// A chooser tells which pixels a fit uses: some of those near the outer edge of the quad or outside, and
// some of those near other lines between cells.
type chooser struct {
	inverse homography // the map from pixels to the tag
	cells   float64    // along a side of the quad
	unit    float64    // the side of a cell, in pixels
	band    float64    // pixels whose distance inside the outer edge is up to this one are outer ones
	reach   float64    // the largest coordinate of the tag that a pixel may have
	deep    float64    // that of inner pixels
	outer   int        // one outer pixel in a row of this length is used,
	inner   int        // and one inner pixel in a row of this length
	weight  float64    // of an inner pixel
}

// newChooser returns a chooser for the tag that f fits, and for about the given number of pixels.
func newChooser(f *fitter, h *homography, samples int) chooser {
	side, band := 2*f.half, min(2.2, 0.6*f.unit)
	c := chooser{
		inverse: h.inverse(),
		cells:   f.cells,
		unit:    f.unit,
		band:    band,
		reach:   1 + float64(2/f.cells*min(3/f.unit, max(0.3, 1-2/f.unit))),
		deep:    1 - 2*band/side,
		outer:   max(1, int(8*band*side/float64(samples)+0.999)),
		inner:   max(1, int(2*side*side/float64(samples)+0.999)),
	}
	// Edges inside are often misprinted by a share of a cell, while noise does not depend on the size.
	c.weight = min(1, 0.15*float64(c.inner)*max(1, 9/(f.unit*f.unit)))
	return c
}

// choose sets the pixels of a fit that begins with h.
func (f *fitter) choose(p *raster.Plane, h *homography, samples int) {
	c := newChooser(f, h, samples)
	f.run.clear()
	f.outer, f.inner = 0, 0
	x0, y0, x1, y1 := c.box(p, h)
	for y := y0; y <= y1; y++ {
		row := p.Row(y)
		begin, end := c.interval(y, c.reach, x0-1, x1+1)
		begin, end = max(begin-1, x0), min(end+1, x1)
		deep, shallow := c.interval(y, c.deep, begin-1, end+1)
		deep, shallow = deep+2, shallow-1
		// The columns from deep up to shallow have no outer pixels.
		outer, inner := firstOf(begin, y, c.outer), firstOf(begin, y, c.inner)
		for x := min(outer, inner); x <= end; x = min(outer, inner) {
			isOuter, isInner := x == outer, x == inner
			if isOuter {
				if outer += c.outer; deep <= outer && outer < shallow {
					outer = firstOf(shallow, y, c.outer)
				}
			}
			if isInner {
				inner += c.inner
			}
			weight, near := c.weigh(float64(x), float64(y))
			if weight > 0 && (near && isOuter || !near && isInner) {
				f.run.add((float64(x)-f.center.X)/f.half, (float64(y)-f.center.Y)/f.half, row[x], weight)
				if near {
					f.outer++
				} else {
					f.inner++
				}
			}
		}
	}
	f.run.fill()
}

// firstOf returns the first column from x on in which x + 5*y is a multiple of n.
func firstOf(x, y, n int) int {
	return x + n - 1 - (x+5*y+n-1)%n
}

// box returns the first and the last column and row of the pixels of the image that may lie in reach.
func (c *chooser) box(p *raster.Plane, h *homography) (x0, y0, x1, y1 int) {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, corner := range corners {
		at := h.at(c.reach*corner.X, c.reach*corner.Y)
		left, top = min(left, at.X), min(top, at.Y)
		right, bottom = max(right, at.X), max(bottom, at.Y)
	}
	// Numbers that are too large for int are cut before they are converted.
	return int(clamp(math.Ceil(left), float64(p.W))), int(clamp(math.Ceil(top), float64(p.H))),
		int(clamp(math.Floor(right)+1, float64(p.W))) - 1, int(clamp(math.Floor(bottom)+1, float64(p.H))) - 1
}

// interval returns the columns between which, up to rounding, the coordinates of the tag are less than
// limit in row y, or from and to if these are nearer.
func (c *chooser) interval(y int, limit float64, from, to int) (begin, end int) {
	inv := &c.inverse
	row := float64(y)
	w := float64(inv[7]*row) + inv[8]
	low, high := float64(from), float64(to)
	for i := 0; i < 6; i += 3 {
		for _, sign := range [2]float64{1, -1} {
			// The coordinate is less than limit where a*x + b < 0.
			a := sign*inv[i] - float64(limit*inv[6])
			b := float64(sign*(float64(inv[i+1]*row)+inv[i+2])) - float64(limit*w)
			switch at := -b / a; {
			case a > 0:
				high = min(high, at)
			case a < 0:
				low = max(low, at)
			case !(b < 0):
				return to, from
			}
		}
	}
	if !(low <= high) {
		return to, from
	}
	return int(math.Floor(low)), int(math.Ceil(high))
}

// fromWhole returns the distance of a number from the nearest whole one, none of which is negative.
func fromWhole(x float64) float64 {
	part := x - float64(int(x))
	return min(part, 1-part)
}

// weigh returns the weight of a pixel, 0 if it is not used, and reports whether it is an outer one.
func (c *chooser) weigh(x, y float64) (weight float64, outer bool) {
	w := c.inverse.row(6, x, y)
	if w <= 0 {
		return 0, false
	}
	u, v := c.inverse.row(0, x, y)/w, c.inverse.row(3, x, y)/w
	if !(math.Abs(u) < c.reach && math.Abs(v) < c.reach) {
		return 0, false
	}
	n := c.cells
	cu, cv := float64((u+1)*(n/2)), float64((v+1)*(n/2))
	if min(cu, n-cu, cv, n-cv)*c.unit <= c.band {
		return 1, true
	}
	if min(fromWhole(cu), fromWhole(cv))*c.unit > 3 {
		return 0, false
	}
	return c.weight, false
}
