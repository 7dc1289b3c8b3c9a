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
	hidden     bool    // there are too many of these, or too many in a part of the outer edges
}

// A fitter fits the predicted picture of a tag to the pixels of an image, by Gauss-Newton steps.
type fitter struct {
	run    fitRun // also has the unknowns but the homography
	center geometry.Point
	outer  int // pixels near the outer edge or outside
	inner  int // other pixels

	homography homography // from the tag to pixels from the center, in half sides
	start      homography // the first one
	equations  equations
	contrast   float64 // at the center
	rms        float64 // of the residuals, over the contrast
	move       float64 // of a corner by the step, in pixels
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
	r := &f.run
	quad := h.quad()
	side := math.Sqrt(math.Abs(area(quad[:])))
	r.cells, r.start, r.total = float64(family.cells), float64(-family.margin), float64(family.total())
	r.half, r.unit = side/2, side/r.cells
	family.draw(&r.drawing, m.id)

	c := geometry.Point{X: h[2], Y: h[5]}
	f.center = c
	f.homography = homography{
		(h[0] - float64(c.X*h[6])) / r.half, (h[1] - float64(c.X*h[7])) / r.half, 0,
		(h[3] - float64(c.Y*h[6])) / r.half, (h[4] - float64(c.Y*h[7])) / r.half, 0,
		h[6], h[7], 1,
	}
	f.start = f.homography
	r.black, r.contrast = m.black.turned(m.turn), m.white.turned(m.turn)
	for i := range r.contrast {
		r.contrast[i] -= r.black[i]
	}
	f.contrast = r.contrast[0]
	r.blur = 0.6

	f.choose(p, &h, samples)
	return f.outer+f.inner >= leastPixels
}

// round computes the residuals, their derivatives and the step that they lead to. It reports false if
// there is none.
func (f *fitter) round(lenient bool) bool {
	r := &f.run
	r.inverse = f.homography.inverse()
	r.h6, r.h7 = f.homography[6], f.homography[7]
	r.covariance = float64(r.blur*r.blur) + 1.0/12
	tune := 0.15
	if lenient {
		tune = 0.4
	}
	r.tune = 1 / (tune * f.contrast)
	r.u, r.v = r.edges()
	fitRound(r)

	e := &f.equations
	e.set(r)
	f.rms = math.Sqrt(e.variance) / f.contrast
	if !e.solve() {
		return false
	}
	f.move = f.moved()
	return true
}

// edges returns the responses to the lines of the tag, which cross the pixels at the center of the start
// as they do everywhere.
func (r *fitRun) edges() (u, v edge) {
	inv := &r.inverse
	w := inv[8]
	x, y := inv[2]/w, inv[5]/w
	gu := geometry.Point{X: (inv[0] - float64(x*inv[6])) / w, Y: (inv[1] - float64(x*inv[7])) / w}
	gv := geometry.Point{X: (inv[3] - float64(y*inv[6])) / w, Y: (inv[4] - float64(y*inv[7])) / w}
	lu, lv := length(gu), length(gv)
	return newEdge(gu.X/lu, gu.Y/lu, r.blur), newEdge(gv.X/lv, gv.Y/lv, r.blur)
}

// moved returns the largest change of a coordinate of a corner by the step, in pixels.
func (f *fitter) moved() float64 {
	s := &f.equations.step
	move := 0.0
	for _, c := range corners {
		at := f.homography.at(c.X, c.Y)
		scale := f.run.half / f.homography.row(6, c.X, c.Y)
		t := float64(s[6]*c.X) + float64(s[7]*c.Y)
		x := float64(s[0]*c.X) + float64(s[1]*c.Y) + s[2] - float64(t*at.X)
		y := float64(s[3]*c.X) + float64(s[4]*c.Y) + s[5] - float64(t*at.Y)
		move = max(move, math.Abs(x)*scale, math.Abs(y)*scale)
	}
	return move
}

// step takes the step.
func (f *fitter) step() {
	r, s := &f.run, &f.equations.step
	for i := range 8 {
		f.homography[i] += s[i]
	}
	for i := range 3 {
		r.black[i] += s[blackAt+i]
		r.contrast[i] += s[contrastAt+i]
	}
	r.blur = min(max(r.blur+min(max(s[blurAt], -0.2), 0.2), 0.1), 2.5)
	f.contrast = max(r.contrast[0], 4)
}

// near reports whether the corners are not far from where they were at the start.
func (f *fitter) near() bool {
	limit := max(2, 0.2*f.run.half)
	for _, c := range corners {
		moved := distance(f.homography.at(c.X, c.Y), f.start.at(c.X, c.Y)) * f.run.half
		if !(moved < limit) || f.homography.row(6, c.X, c.Y) < 0.1 {
			return false
		}
	}
	return true
}

// pixelHomography returns the homography from the tag to the pixels of the image.
func (f *fitter) pixelHomography() homography {
	h, half, c := f.homography, f.run.half, f.center
	return homography{
		float64(h[0]*half) + float64(c.X*h[6]), float64(h[1]*half) + float64(c.X*h[7]), float64(h[2]*half) + c.X,
		float64(h[3]*half) + float64(c.Y*h[6]), float64(h[4]*half) + float64(c.Y*h[7]), float64(h[5]*half) + c.Y,
		h[6], h[7], 1,
	}
}

// assess returns the last round's fit without its homography. It reports false if no pixel lies in the
// drawing.
func (f *fitter) assess() (fit, bool) {
	const (
		tooMany  = 0.05
		quarters = 16 // of the four edges
		hides    = 5  // one in so many pixels of a quarter
	)
	var all, large [quarters]int
	sum, sumLarge := 0, 0
	n := f.outer + f.inner
	for i := range n {
		mark := f.run.marks[i/lanes][i%lanes]
		if mark&markOutside != 0 {
			continue
		}
		is := int(mark & markLarge / markLarge)
		sum++
		sumLarge += is
		if q := mark & markQuarter; q != noQuarter {
			all[q]++
			large[q] += is
		}
	}
	if sum == 0 {
		return fit{}, false
	}
	result := fit{rms: f.rms, misfit: float64(sumLarge) / float64(sum)}
	result.hidden = result.misfit > tooMany
	for q := range all {
		if all[q] == 0 || hides*large[q] > all[q] {
			result.hidden = true
		}
	}
	result.noise = f.equations.noise(&f.homography) * f.run.half
	return result, true
}
