package pose

import (
	"math"

	"github.com/fastcorners/fast/internal/consensus"
	"github.com/fastcorners/fast/internal/raster"
)

// A twoViews has the coordinates of pairs in two images, in the frames in which an epipolar geometry is
// searched for, and its errors.
type twoViews struct {
	run     scoreRun
	kernels *kernels

	thresholdA, thresholdB float64 // squared
}

// set makes room for n pairs and sets the squared thresholds. NaN fill up the last group.
func (w *twoViews) set(n int, a, b float64) {
	w.kernels = table.Best()
	filled := (n + groupSize - 1) / groupSize * groupSize
	for _, s := range [4]*[]float64{&w.run.x, &w.run.y, &w.run.u, &w.run.v} {
		*s = raster.Resize(*s, filled)
		for i := n; i < filled; i++ {
			(*s)[i] = math.NaN()
		}
	}
	w.thresholdA, w.thresholdB = a, b
}

// place sets pair k.
func (w *twoViews) place(k int, x, y, u, v float64) {
	w.run.x[k], w.run.y[k], w.run.u[k], w.run.v[k] = x, y, u, v
}

// rays returns the coordinates of pair k in A and in B, with a third one of 1.
func (w *twoViews) rays(k int) (a, b Vector) {
	return Vector{w.run.x[k], w.run.y[k], 1}, Vector{w.run.u[k], w.run.v[k], 1}
}

func (w *twoViews) setModel(m model, squared float64) {
	w.run.model = m
	w.run.limitA, w.run.limitB = float64(w.thresholdA*squared), float64(w.thresholdB*squared)
	w.run.far = 4 * (w.run.limitA + w.run.limitB)
}

// call calls a kernel for pairs from begin, a multiple of consensus.Block, to end, and returns
// the number of inliers and the sum of their gains.
func (w *twoViews) call(kernel func(*scoreRun), begin, end int, masks []byte) (count int, support float64) {
	r := &w.run
	r.begin, r.end, r.masks = begin, (end+groupSize-1)/groupSize*groupSize, masks
	r.support = [groupSize]float64{}
	clear(masks[r.end/groupSize : consensus.MaskSize(end)])
	kernel(r)
	return consensus.Count(masks[begin/groupSize : consensus.MaskSize(end)]), total(&r.support)
}

// callSum calls a kernel that adds to the sums for the first n pairs, and sets the equations.
func (w *twoViews) callSum(kernel func(*scoreRun), q *equations, unknowns, n int, wt weights, masks []byte) (count int, support, squares float64) {
	r := &w.run
	r.weights = wt
	r.squares = [groupSize]float64{}
	clear(r.sums[:unknowns*(unknowns+3)/2])
	count, support = w.call(kernel, 0, n, masks)
	r.equations(q, unknowns)
	return count, support, total(&r.squares)
}

func (w *twoViews) dimensions() float64 { return 1 }

func (w *twoViews) spreadOut(inliers []byte) bool {
	r := &w.run
	return widthExceeds(r.x, r.y, inliers, w.thresholdA) && widthExceeds(r.u, r.v, inliers, w.thresholdB)
}

// explains reports whether the transfer error of pair k is small enough for a homography or for its
// inverse: in squared thresholds, the squared error is at most squared.
func (w *twoViews) explains(h, inverse *matrix, k int, squared float64) bool {
	limit := float64(squared * (w.thresholdA + w.thresholdB))
	x, y, u, v := w.run.x[k], w.run.y[k], w.run.u[k], w.run.v[k]
	p := h.apply(Vector{x, y, 1})
	dx, dy := p[0]-float64(u*p[2]), p[1]-float64(v*p[2])
	if float64(dx*dx)+float64(dy*dy) <= float64(limit*p[2]*p[2]) {
		return true
	}
	q := inverse.apply(Vector{u, v, 1})
	dx, dy = q[0]-float64(x*q[2]), q[1]-float64(y*q[2])
	return float64(dx*dx)+float64(dy*dy) <= float64(limit*q[2]*q[2])
}

// widthExceeds reports whether the variance of the points that masks choose, across the line that
// fits them best, exceeds a limit.
func widthExceeds(x, y []float64, masks []byte, limit float64) bool {
	var count, mx, my float64
	for i := range members(masks) {
		count++
		mx += x[i]
		my += y[i]
	}
	mx, my = mx/count, my/count
	var xx, xy, yy float64
	for i := range members(masks) {
		dx, dy := x[i]-mx, y[i]-my
		xx += float64(dx * dx)
		xy += float64(dx * dy)
		yy += float64(dy * dy)
	}
	d := (xx - yy) / 2
	return (xx+yy)/2-math.Sqrt(float64(d*d)+float64(xy*xy)) > limit*count
}
