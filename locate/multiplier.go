package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

// A multiplier is the memory of a worker for the products of a template with windows, of a part of the places.
type multiplier struct {
	run      multiplyRun
	folder   folder
	products []int64 // of blockRows rows, run.apart numbers apart
	lows     []int32 // likewise, of 32 bits
}

// release drops what belongs to others.
func (m *multiplier) release() {
	m.run.pix, m.run.values, m.run.bytes = nil, nil, nil
	m.folder.release()
}

// begin prepares for products of n places in a row, padded.
func (m *multiplier) begin(t *task, n int) {
	m.set(t, n, n)
	m.products = raster.Resize(m.products, blockRows*n)
	m.run.products = m.products
}

// beginLow prepares for products of 32 bits of a part of the places.
func (m *multiplier) beginLow(t *task, part image.Rectangle) {
	n := padded(part.Dx())
	apart := (n + foldGroup - 1) / foldGroup * foldGroup
	m.set(t, n, apart)
	m.lows = raster.Resize(m.lows, blockRows*apart)
	m.run.lows = m.lows
	if t.kernels.fold != nil {
		m.folder.begin(t, part, n, apart)
	}
}

// set prepares for rows of n places.
func (m *multiplier) set(t *task, n, apart int) {
	w, r := t.template.w, &m.run
	r.stride, r.apart, r.n, r.pairs, r.quads = t.scene.stride, apart, n, (w+1)/2, (w+3)/4
	r.sums = raster.Resize(r.sums, n)
}

// multiply makes the products of blockRows rows of places, from column x of row y on.
func (m *multiplier) multiply(t *task, x, y int) {
	clear(m.products)
	m.add(t, x, y, t.kernels.multiply)
}

// multiplyLow makes the products of 32 bits of blockRows rows of places of a part, from row y on.
func (m *multiplier) multiplyLow(t *task, part image.Rectangle, y int) {
	clear(m.lows)
	if t.kernels.fold == nil {
		m.add(t, part.Min.X, y, t.kernels.multiplyLow)
		return
	}
	for i := 0; i < min(blockRows, part.Max.Y-y); i += 2 {
		m.folder.multiply(t, part, y+i, m.lows[i*m.run.apart:])
	}
}

// add adds products by a kernel.
func (m *multiplier) add(t *task, x, y int, kernel func(*multiplyRun)) {
	p, r := t.template, &m.run
	// As many rows of pixels as their products have room in 31 bits.
	most := productPixels / (2 * r.pairs)
	for c := range p.channels {
		values, bytes := p.products(c, t.kernels.bytes)
		for row := 0; row < p.h+blockRows-1; row += r.rows {
			r.rows = min(most, p.h+blockRows-1-row)
			r.pix = t.scene.row(c, x, y+row)
			if t.kernels.bytes {
				r.bytes = bytes[row*r.quads*4*blockRows:]
			} else {
				r.values = values[row*r.pairs*2*blockRows:]
			}
			kernel(r)
		}
	}
}
