package harris

import (
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/tensor"
)

// A box is the pipeline for integer gradients with a box as the window. Its sums are exact:
// they are integers with less than 53 bits.
type box struct {
	kernels       rowKernels
	before, after int // pixels that the window extends to the left and up, and to the right and down
	border        border.Mode
	responder     *tensor.Responder

	gradient gradient
	rows     []gradientRow // a ring, of gradients
	blank    gradientRow   // of zeros: what is beyond the image for the Border Constant
	next     int           // first row of gradients that has not been computed

	plane      *plane
	begin, end int          // the columns of the strip
	left       int          // first column with gradients
	y          int          // first of the next two rows of responses
	columns    [3][]float64 // sums over the columns of windows, in the strip and beside it
	tensors    tensors
}

func newBox(o *Options, m tensor.Measure, k *kernels) *box {
	b := &box{
		kernels:   rowKernels{kernels: k},
		before:    o.BlockSize / 2,
		after:     (o.BlockSize - 1) / 2,
		border:    o.Border,
		responder: tensor.NewResponder(&m),
		tensors:   newTensors(),
		// One row more than a window has, because the first row is subtracted when the
		// one after the last is added.
		rows: make([]gradientRow, o.BlockSize+1),
	}
	b.gradient = newGradient(&b.kernels, sobelWeights[o.Gradient], o.Border)
	width := maxStrip + o.BlockSize
	for i := range b.rows {
		b.rows[i] = newGradientRow(width)
	}
	b.blank = newGradientRow(width)
	for i := range b.columns {
		b.columns[i] = newRow[float64](width)
	}
	return b
}

func (b *box) serves(int) bool {
	return true
}

func (b *box) start(p *plane, begin, end, y int) {
	b.plane, b.begin, b.end = p, begin, end
	b.y = y
	b.left = max(begin-b.before, 0)
	// Begin with the windows of the row above.
	first := max(y, 0) - 1 - b.before
	b.next = max(first, 0)
	b.gradient.start(p, b.left, min(end+b.after, p.W), b.next)
	for i := range b.columns {
		clear(b.columns[i])
	}
	for i := range b.before + 1 + b.after {
		b.slide(b.row(first+i), b.blank)
	}
}

func (b *box) pair(upper, lower []float32) {
	for i, dst := range [...][]float32{upper, lower} {
		y := b.y + i
		if y < 0 || y >= b.plane.H {
			continue
		}
		b.slide(b.row(y+b.after), b.row(y-1-b.before))
		if dst == nil {
			continue
		}
		n, side := b.end-b.begin, b.before+1+b.after
		columns := b.columns
		for i := range columns {
			columns[i] = columns[i][:n+side-1]
			extend(b.border, columns[i], b.begin-b.before, b.plane.W)
		}
		b.kernels.box(&b.tensors, &columns, side, n)
		b.responder.Respond(dst, b.tensors.a, b.tensors.b, b.tensors.c)
	}
	b.y += 2
}

func (b *box) release() {
	b.plane, b.gradient.plane = nil, nil
	b.kernels.release()
}

// row returns the gradients of row y, which may be beyond the image.
func (b *box) row(y int) gradientRow {
	if b.border == border.Constant && (y < 0 || y >= b.plane.H) {
		return b.blank
	}
	y = raster.Mirror(y, b.plane.H)
	for ; b.next <= y; b.next++ {
		b.gradient.row(b.next, b.rows[b.next%len(b.rows)])
	}
	return b.rows[y%len(b.rows)]
}

// slide adds the products of a row of gradients to the sums over the columns of the image,
// and subtracts those of another row.
func (b *box) slide(added, removed gradientRow) {
	var inside [3][]float64
	for i := range inside {
		inside[i] = b.columns[i][b.left-(b.begin-b.before):]
	}
	b.kernels.slide(&inside, added, removed, b.gradient.end-b.left)
}
