package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

const (
	// foldLists is the number of lists of a fold.
	foldLists = 9
	// moreFolds is the number of folds for which there is room behind those that a row of places needs.
	moreFolds = 4
)

// A folder is the memory of a worker for products by folds.
type folder struct {
	run foldRun
	// The folds of rows of the scene, of each channel. The first one is that of the rows from place row
	// first on, and until is that of the rows after them.
	folds        [3][]int16
	first, until int
}

// release drops what belongs to others.
func (l *folder) release() { l.run.pix, l.run.coefficients = nil, nil }

// begin prepares for a part of the places, n in a row, padded, whose rows of products are apart numbers
// apart.
func (l *folder) begin(t *task, part image.Rectangle, n, apart int) {
	f := &l.run
	f.n, f.apart = n, apart
	f.rows, f.quads = t.template.foldSize()
	f.length = padded(apart/2 + 2*f.quads)
	f.stride = t.scene.stride
	l.first, l.until = part.Min.Y, part.Min.Y
	for c := range t.template.channels {
		l.folds[c] = raster.Resize(l.folds[c], (f.rows+moreFolds)*foldLists*f.length)
	}
}

// multiply adds the products of two rows of places, y and the next one.
func (l *folder) multiply(t *task, part image.Rectangle, y int, products []int32) {
	f := &l.run
	size, end := foldLists*f.length, y+2*f.rows
	if (end-l.first)/2 > f.rows+moreFolds {
		used, n := (y-l.first)/2*size, (l.until-y)/2*size
		for c := range t.template.channels {
			copy(l.folds[c], l.folds[c][used:][:n])
		}
		l.first = y
	}
	for c := range t.template.channels {
		for row := l.until; row < end; row += 2 {
			f.pix, f.folded = t.scene.row(c, part.Min.X, row), l.folds[c][(row-l.first)/2*size:][:size]
			t.kernels.fold(f)
		}
		f.folds, f.coefficients, f.products = l.folds[c][(y-l.first)/2*size:], t.template.foldedValues(c), products
		t.kernels.multiplyFolds(f)
	}
	l.until = end
}
