package tag

import (
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
)

// places are where quads are sampled.
type places struct {
	n int // without those that fill up a vector of a kernel, which are the last one again
	// The coordinates in a quad.
	u, v []float64
}

// sampleLanes is the number of places that a kernel needs a multiple of.
const sampleLanes = 8

// mostPlaces is the largest number of places.
const mostPlaces = (maxCells*maxCells + sampleLanes - 1) &^ (sampleLanes - 1)

// newPlaces returns the given places.
func newPlaces(list []geometry.Point) *places {
	n := (len(list) + sampleLanes - 1) &^ (sampleLanes - 1)
	p := &places{len(list), make([]float64, n), make([]float64, n)}
	for i := range n {
		at := list[min(i, len(list)-1)]
		p.u[i], p.v[i] = at.X, at.Y
	}
	return p
}

// ringSamples is the number of places that say whether a quad may be a tag.
const ringSamples = 24

// placesNear returns three places of each side of a quad with n cells along a side: those in the cells around
// the quad, and then those in its border.
func placesNear(n int) *places {
	var around, within []geometry.Point
	out, in := 1+1/float64(n), 1-1/float64(n)
	for side := range 4 {
		for _, e := range [3]float64{-2.0 / 3 * in, 0, 2.0 / 3 * in} {
			at := func(depth float64) geometry.Point {
				return [4]geometry.Point{{X: e, Y: -depth}, {X: depth, Y: e}, {X: e, Y: depth}, {X: -depth, Y: e}}[side]
			}
			around, within = append(around, at(out)), append(within, at(in))
		}
	}
	return newPlaces(append(around, within...))
}

// centers returns the centers of cells.
func centers(cells []cell) *places {
	list := make([]geometry.Point, len(cells))
	for i, c := range cells {
		list[i] = geometry.Point{X: c.u, Y: c.v}
	}
	return newPlaces(list)
}

// A sampler samples an image at places of quads.
type sampler struct {
	kernel func(*sampleRun)
	run    sampleRun
	values [mostPlaces]float64
}

// A sampleRun is the argument of the kernel that samples an image, whose brightness is linear between
// pixels. Beyond the image its edge is repeated. The image has at least two rows and columns.
type sampleRun struct {
	pix           []byte
	stride        int
	right, bottom float64    // the last column and row
	lastX, lastY  int32      // and those before
	homography    homography // from the quad to pixels
	u, v, values  []float64
}

// reset makes s sample an image.
func (s *sampler) reset(p *raster.Plane, k *kernels) {
	r := &s.run
	s.kernel = k.sample
	if len(p.Pix) > math.MaxInt32 {
		s.kernel = sampleImage // others have offsets of 32 bits
	}
	r.pix, r.stride = p.Pix, p.Stride
	r.right, r.bottom = float64(p.W-1), float64(p.H-1)
	r.lastX, r.lastY = int32(p.W-2), int32(p.H-2)
}

// release leaves nothing that belongs to the caller.
func (s *sampler) release() { s.run.pix = nil }

// sample returns the samples of a quad, which are valid up to the next call.
func (s *sampler) sample(h *homography, p *places) []float64 {
	r := &s.run
	r.homography, r.u, r.v, r.values = *h, p.u, p.v, s.values[:len(p.u)]
	s.kernel(r)
	return s.values[:p.n]
}

// sampleImage samples the image.
func sampleImage(r *sampleRun) {
	for k := range r.values {
		at := r.homography.at(r.u[k], r.v[k])
		x, y := clamp(at.X, r.right), clamp(at.Y, r.bottom)
		i, j := min(int(x), int(r.lastX)), min(int(y), int(r.lastY))
		fx, fy := x-float64(i), y-float64(j)
		upper := r.pix[j*r.stride+i:][:2]
		lower := r.pix[(j+1)*r.stride+i:][:2]
		a := float64(upper[0]) + float64(fx*(float64(upper[1])-float64(upper[0])))
		b := float64(lower[0]) + float64(fx*(float64(lower[1])-float64(lower[0])))
		r.values[k] = a + float64(fy*(b-a))
	}
}

// clamp returns the number from 0 to last that is nearest to x, and 0 for NaN.
func clamp(x, last float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, last)
}
