package warp

import (
	"math"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/raster"
)

// A lane is the memory of a worker.
type lane struct {
	kernels    *kernels
	sampling   sampleRun
	projection projectRun
	scaling    scaleRun
	unpacking  unpackRun
	x, y       []int32 // the places of a row
}

// begin prepares l for parts of w columns.
func (l *lane) begin(j *job, w int) {
	s := &l.sampling
	s.n = w
	r := j.src.rect
	s.pix, s.stride = j.src.used(j.size), j.src.stride
	s.left, s.top = int32(r.Min.X), int32(r.Min.Y)
	s.right, s.bottom = int32(r.Dx()-1), int32(r.Dy()-1)
	s.value = j.value
	s.constant = 0
	if j.opts.Border == border.Constant {
		s.constant = 1
	}
	// Kernels read two columns of two rows, or four bytes.
	l.kernels = j.kernels
	if w < l.kernels.group || min(s.right, s.bottom) < 1 || s.stride < 2 {
		l.kernels = portable()
	}
	s.outer = raster.Resize(s.outer, w+l.kernels.group)
	l.x, l.y = raster.Resize(l.x, w), raster.Resize(l.y, w)
}

// release drops what belongs to the caller.
func (l *lane) release() {
	s := &l.sampling
	s.pix, s.to, s.x, s.y = nil, nil, nil, nil
	l.scaling.from = nil
	l.unpacking.xy, l.unpacking.fraction = nil, nil
}

// locate sets the places of the pixels of row y, from column x on.
func (l *lane) locate(j *job, x, y int) {
	s := &l.sampling
	nearest := j.opts.Interpolation == Nearest
	if j.kind == affine {
		m := &j.affine
		half := int32(16)
		s.shift = 5
		if nearest {
			half = 512
			s.shift = 10
		}
		row := float64(y)
		s.x0 = round((float64(m[1]*row)+m[2])*1024) + half
		s.y0 = round((float64(m[4]*row)+m[5])*1024) + half
		i := x - j.dst.rect.Min.X
		s.x, s.y = j.dx[i:], j.dy[i:]
		return
	}
	s.x0, s.y0, s.shift = 0, 0, 0
	s.x, s.y = l.x, l.y
	first := (y-j.dst.rect.Min.Y)*j.dst.rect.Dx() + x - j.dst.rect.Min.X // in a map
	switch j.kind {
	case homography:
		k := 32.0
		if nearest {
			k = 1
		}
		l.project(j, x, y, k)
	case floats:
		k := float32(32)
		if nearest {
			k = 1
		}
		l.scale(j.places.X[first:], l.x, k)
		l.scale(j.places.Y[first:], l.y, k)
	case fixed:
		l.unpacking = unpackRun{j.fixed.XY[2*first:], j.fixed.Fraction[first:], l.x, l.y, s.n}
		l.kernels.unpack(&l.unpacking)
		if nearest { // its positions have fractions
			s.x0, s.y0, s.shift = 16, 16, 5
		}
	}
}

// scale sets to to the first numbers of from times k.
func (l *lane) scale(from []float32, to []int32, k float32) {
	l.scaling = scaleRun{from, to, l.sampling.n, k}
	l.kernels.scale(&l.scaling)
}

// project sets the places of a homography, in blocks: the numbers at the first pixel of each
// are computed anew, which shows in the last bits.
func (l *lane) project(j *job, x, y int, k float64) {
	m, p, r := &j.matrix, &l.projection, j.dst.rect
	width := blockWidth(r.Dx(), r.Dy())
	row := float64(y)
	p.dx, p.dy, p.dw, p.k = m[0], m[3], m[6], k
	for i := 0; i < l.sampling.n; i += width {
		column := float64(x + i)
		n := min(width, l.sampling.n-i)
		p.x0 = float64(m[0]*column) + float64(m[1]*row) + m[2]
		p.y0 = float64(m[3]*column) + float64(m[4]*row) + m[5]
		p.w0 = float64(m[6]*column) + float64(m[7]*row) + m[8]
		p.x, p.y, p.n = l.x[i:], l.y[i:], n&^15
		l.kernels.project(p)
		for ; p.n < n; p.n++ {
			x, y := p.at(p.n)
			p.x[p.n], p.y[p.n] = clamp(x, math.MaxInt32), clamp(y, math.MaxInt32)
		}
	}
}

// blockWidth returns the width of the blocks of a destination of w by h pixels.
func blockWidth(w, h int) int {
	return min(1024/min(16, h), w)
}
