package tag

import (
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
)

// A fit is a homography with which the predicted picture of a tag is like the image.
type fit struct {
	homography homography
	rms        float64 // of the residuals, over the contrast
	noise      float64 // the standard deviation of a coordinate of a corner, in pixels
	misfit     float64 // the share of the pixels with a large residual
	hidden     bool    // something seems to hide a part of the tag
}

// A fitter fits the predicted picture of a tag to the pixels of an image, by Gauss-Newton steps.
type fitter struct {
	kernels *kernels
	run     fitRun
	cells   float64 // along a side of the quad
	half    float64 // a half side, in pixels
	unit    float64 // the side of a cell, in pixels
	center  geometry.Point
	outer   int // pixels near the outer edge or outside
	inner   int // other pixels

	start     homography // the first one of the unknowns
	unknown   unknown
	equations equations
	contrast  float64 // at the center
	rms       float64 // of the residuals, over the contrast
	move      float64 // of a corner by the step, in pixels
}

// An unknown is what a fit is to find.
type unknown struct {
	homography      homography // from the tag to pixels from the center, in half sides
	black, contrast shade
	blur            float64 // a standard deviation, in pixels
}

// The rounds of a fit, and of one that begins with rounds in which large residuals count more.
const (
	rounds        = 4
	lenientRounds = 4
)

// leastMove is the move of a corner, in pixels, after which a fit ends.
const leastMove = 0.003

// leastPixels is the number of pixels that a fit needs.
const leastPixels = 40

// fit fits the tag that m is, beginning with the homography h and with the shades of m. Large residuals
// count more in the first round, or in the given number of rounds, which other rounds follow. It reports
// false if it fails.
func (f *fitter) fit(p *raster.Plane, h homography, m *match, family *plan, samples, lenient int) (fit, bool) {
	if !f.begin(p, h, m, family, samples) {
		return fit{}, false
	}
	for round := 1; ; round++ {
		if !f.round(round <= max(lenient, 1)) {
			return fit{}, false
		}
		if f.last(round, lenient) {
			result, ok := f.assess()
			f.step()
			result.homography = f.pixelHomography()
			return result, ok && f.near()
		}
		f.step()
	}
}

// last reports whether a round is the last one.
func (f *fitter) last(round, lenient int) bool {
	return round == lenient+rounds || f.move < leastMove && round > lenient
}

// begin sets the unknowns to those of the start, and chooses the pixels. It reports false if there are
// too few.
func (f *fitter) begin(p *raster.Plane, h homography, m *match, family *plan, samples int) bool {
	quad := h.quad()
	side := math.Sqrt(math.Abs(area(quad[:])))
	f.cells, f.half = float64(family.cells), side/2
	f.unit = side / f.cells

	r := &f.run
	family.draw(&r.drawing, m.id)
	r.start, r.last = float32(-family.margin), float32(family.total()-1)
	r.side, r.stride = float32(f.cells/2), maxCells
	r.half, r.unit = float32(f.half), float32(f.unit)

	c := geometry.Point{X: h[2], Y: h[5]}
	f.center = c
	f.start = homography{
		(h[0] - float64(c.X*h[6])) / f.half, (h[1] - float64(c.X*h[7])) / f.half, 0,
		(h[3] - float64(c.Y*h[6])) / f.half, (h[4] - float64(c.Y*h[7])) / f.half, 0,
		h[6], h[7], 1,
	}
	n := unknown{homography: f.start, black: m.black.turned(m.turn), contrast: m.white.turned(m.turn), blur: 0.6}
	for i := range n.contrast {
		n.contrast[i] -= n.black[i]
	}
	f.unknown, f.contrast = n, n.contrast[0]

	f.choose(p, &h, samples)
	return f.outer+f.inner >= leastPixels
}

// round computes the residuals, their derivatives and the step that they lead to. It reports false if
// there is none.
func (f *fitter) round(lenient bool) bool {
	tune := 0.15
	if lenient {
		tune = 0.4
	}
	f.setRun(1 / (tune * f.contrast))
	f.kernels.round(&f.run)

	e := &f.equations
	e.set(&f.run)
	f.rms = math.Sqrt(e.variance) / f.contrast
	if !e.solve() {
		return false
	}
	f.move = f.moved()
	return true
}

// setRun sets what the kernel needs to know of the unknowns, and the sums to 0.
func (f *fitter) setRun(tune float64) {
	r, n := &f.run, &f.unknown
	clear(r.products[:])
	clear(r.squares[:])
	clear(r.weights[:])
	inverse := n.homography.inverse()
	for i, v := range inverse {
		r.inverse[i] = float32(v)
	}
	r.h6, r.h7 = float32(n.homography[6]), float32(n.homography[7])
	for i := range n.black {
		r.black[i], r.contrast[i] = float32(n.black[i]), float32(n.contrast[i])
	}
	r.blur, r.covariance = float32(n.blur), float32(float64(n.blur*n.blur)+1.0/12)
	r.tune = float32(tune)
	r.u, r.v = edges(&inverse, n.blur)
}

// edges returns the responses to the lines of the tag, which cross the pixels at the center of the start
// as they do everywhere.
func edges(inverse *homography, blur float64) (u, v edge) {
	w := inverse[8]
	x, y := inverse[2]/w, inverse[5]/w
	gu := geometry.Point{X: (inverse[0] - float64(x*inverse[6])) / w, Y: (inverse[1] - float64(x*inverse[7])) / w}
	gv := geometry.Point{X: (inverse[3] - float64(y*inverse[6])) / w, Y: (inverse[4] - float64(y*inverse[7])) / w}
	lu, lv := length(gu), length(gv)
	return newEdge(gu.X/lu, gu.Y/lu, blur), newEdge(gv.X/lv, gv.Y/lv, blur)
}

// moved returns the largest change of a coordinate of a corner by the step, in pixels.
func (f *fitter) moved() float64 {
	s := &f.equations.step
	move := 0.0
	for _, c := range corners {
		at := f.unknown.homography.at(c.X, c.Y)
		scale := f.half / f.unknown.homography.row(6, c.X, c.Y)
		t := float64(s[6]*c.X) + float64(s[7]*c.Y)
		x := float64(s[0]*c.X) + float64(s[1]*c.Y) + s[2] - float64(t*at.X)
		y := float64(s[3]*c.X) + float64(s[4]*c.Y) + s[5] - float64(t*at.Y)
		move = max(move, math.Abs(x)*scale, math.Abs(y)*scale)
	}
	return move
}

// step takes the step.
func (f *fitter) step() {
	n, s := &f.unknown, &f.equations.step
	for i := range 8 {
		n.homography[i] += s[i]
	}
	for i := range 3 {
		n.black[i] += s[blackAt+i]
		n.contrast[i] += s[contrastAt+i]
	}
	n.blur = min(max(n.blur+min(max(s[blurAt], -0.2), 0.2), 0.1), 2.5)
	f.contrast = max(n.contrast[0], 4)
}

// near reports whether the corners are not far from where they were at the start.
func (f *fitter) near() bool {
	limit := max(2, 0.2*f.half)
	for _, c := range corners {
		moved := distance(f.unknown.homography.at(c.X, c.Y), f.start.at(c.X, c.Y)) * f.half
		if !(moved < limit) || f.unknown.homography.row(6, c.X, c.Y) < 0.1 {
			return false
		}
	}
	return true
}

// pixelHomography returns the homography from the tag to the pixels of the image.
func (f *fitter) pixelHomography() homography {
	h, half, c := f.unknown.homography, f.half, f.center
	return homography{
		float64(h[0]*half) + float64(c.X*h[6]), float64(h[1]*half) + float64(c.X*h[7]), float64(h[2]*half) + c.X,
		float64(h[3]*half) + float64(c.Y*h[6]), float64(h[4]*half) + float64(c.Y*h[7]), float64(h[5]*half) + c.Y,
		h[6], h[7], 1,
	}
}

// assess returns the last round's fit without its homography. It reports false if no pixel lies in the
// drawing.
func (f *fitter) assess() (fit, bool) {
	var quarters [2 * edgeQuarters]quarter
	r := &f.run
	sum, large := 0, 0
	for i := range f.outer + f.inner {
		if r.masks[i/lanes]>>(i%lanes)&1 == 0 {
			continue
		}
		sum++
		residual, contrast := float64(r.residual[i]), float64(r.margin[i])
		if math.Abs(residual) > 0.2*contrast {
			large++
		}
		k, across := f.quarter(float64(r.column[i]), float64(r.row[i]))
		change := [2]float32{r.byU[i], r.byV[i]}[across]
		quarters[k].add(contrast*float64(change), residual)
	}
	if sum == 0 {
		return fit{}, false
	}
	misfit := float64(large) / float64(sum)
	return fit{
		rms:    f.rms,
		noise:  f.equations.noise(&f.unknown.homography) * f.half,
		misfit: misfit,
		hidden: misfit > hiddenMisfit || f.hides(&quarters),
	}, true
}

// edgeQuarters is the number of quarters of the four outer edges.
const edgeQuarters = 16

// A quarter is what pixels that are nearest to a quarter of an outer edge say of where that should be.
type quarter struct {
	pixels int
	// The sums of the products of how a pixel changes if the edge moves by a pixel, with the residual
	// and with itself.
	pull, stiffness float64
}

// add adds a pixel.
func (q *quarter) add(change, residual float64) {
	q.pixels++
	q.pull += float64(change * residual)
	q.stiffness += float64(change * change)
}

// quarter returns the number of the quarter of an outer edge that is nearest to a place in cells, and 1 if
// v changes across that edge, 0 if u does. Places that are farther inside have numbers from edgeQuarters
// on. There are no branches, since the place of one pixel tells little of the next one's.
func (f *fitter) quarter(column, row float64) (k, across int) {
	n := f.cells
	x, y := math.Abs(column-n/2), math.Abs(row-n/2)
	across = one(y >= x)
	at, along := [2]float64{column, row}[across], [2]float64{row, column}[across]
	k = 8*across + 4*one(at > n/2) + one(along >= n/4) + one(along >= n/2) + one(along >= 3*n/4)
	e := n/2 - max(x, y)
	if !(e*f.unit < 2.2 && e < 0.6) {
		k += edgeQuarters
	}
	return k, across
}

// one returns 1 for true, and 0 for false.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mostShift is by how many pixels an outer edge of a tag that is seen whole may be from where pixels want it
// to be.
const mostShift = 0.12

// hides reports whether something seems to hide a part of the tag: a quarter of an outer edge has no
// pixels near it, or these, or those farther inside, or those farther inside along all of the edge,
// want it to be elsewhere by least squares. What hides a tag often ends parallel to an edge, which is
// then fitted to its end, and only the pixels of the inner cells tell. Sharpening makes edges overshoot,
// but moves none.
func (f *fitter) hides(quarters *[2 * edgeQuarters]quarter) bool {
	for k := range edgeQuarters {
		if q := &quarters[k]; q.pixels == 0 || f.moves(q) {
			return true
		}
	}
	for k := edgeQuarters; k < len(quarters); k += 4 {
		var edge quarter
		for i := range 4 {
			q := &quarters[k+i]
			if f.moves(q) {
				return true
			}
			edge.pull += q.pull
			edge.stiffness += q.stiffness
		}
		if f.moves(&edge) {
			return true
		}
	}
	return false
}

// moves reports whether pixels want an edge to be elsewhere. If few of them change with it, it is held
// where it is, as by four or five pixels on an edge.
func (f *fitter) moves(q *quarter) bool {
	return math.Abs(q.pull) > mostShift*(q.stiffness+2*float64(f.contrast*f.contrast))
}
