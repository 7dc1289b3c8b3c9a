package flow

import "math"

// A windowRun is the argument of the kernels for windows: what they work on, what they
// return, and their memory.
type windowRun struct {
	w, h int // of the window
	over int // how many bytes more may be read from a row of the window

	// The position of the template's window, with one pixel more on each side, and of
	// the window in the second image.
	template, window window
	// The pixels of the template's window that are in the image have derivatives, and
	// others do not: columns from left to right and rows from top to bottom, of w+1 and
	// h+1.
	left, right, top, bottom int
	// values are the template of kernels in assembly: gray values and derivatives along x and
	// y, in their order.
	values []int16

	tensor     [3]float32 // sums of the products of derivatives: xx, xy, yy
	products   [2]float32 // sums of the differences times the derivatives along x and y
	difference float32    // the sum of the absolute differences

	// twin is the other argument of kernels for two.
	twin *windowRun

	// For kernels that add up integers. derivatives is memory for those of h+1 rows, and
	// deltas for the differences of h rows.
	masks               masks
	late                lateColumns
	sums                integerSums
	derivatives, deltas []int16

	portable portableMemory
}

// A window is pixels at a position: pix begins with the one above and to the left.
type window struct {
	pix    []byte
	stride int
	// weights are those of a pixel, the one to the right, and the two below these.
	weights [4]int16
}

// masks tell kernels that add up integers which columns count. The columns of a row, of which
// there are 32 at most, are in the order of their products, unless it says otherwise: those of
// columns c and c+4 of eight next to each other.
type masks struct {
	// inside and columns have all bits set for the columns in the image, of w+1 and in their
	// natural order, and for those of the window.
	inside, columns [32]uint16
	// elementMask and tailMask have all bits set for the columns of the elements and of the tail,
	// two at a time.
	elementMask, tailMask [16]uint32
}

// lateColumns are the columns from 16 on of values and deltas. Kernels for vectors of 16 words put
// those of two rows into one vector if there are less than eight: in the place of those of the
// even row. It has what is added to their offset, 0 in the first row, by an exclusive or when the
// next row begins, in bytes.
type lateColumns struct {
	values, deltas int
}

// Sizes in bytes of kernels with lateColumns.
const (
	valuesRow      = 3 * 64 // of a template
	deltasRow      = 64
	lateRow        = 16
	rowDerivatives = 2 * 64 * 34      // of derivatives, and after them
	lateBytes      = 2 * lateRow * 34 // of the late ones of both directions
)

// integerSums are what kernels add up in integers.
type integerSums struct {
	// elements and tails are sums of up to three products: of the columns of each element of
	// OpenCV's vectors, and of those of the tail, in four parts.
	//lint:ignore U1000 kernels keep here what they add up in integers
	elements, tails [12]uint32
	// bounds are the larger ones of the sums of the squared derivatives along x and y: of
	// the elements and, four times, of the tail.
	//lint:ignore U1000 template keeps them here for exact
	bounds [8]float32
	// inexact is not 0 if the sums of products might be rounded.
	inexact uint32
}

// prepare makes the memory that kernels need for windows of w by h pixels.
func (r *windowRun) prepare(k *windowKernels, w, h int) {
	columns := (w + k.align - 1) / k.align * k.align
	r.w, r.h, r.over = w, h, columns-w+k.over
	if k.isPortable() {
		r.portable.prepare(w, h)
		return
	}
	r.values = make([]int16, 3*columns*h)
	if k.exact != nil {
		if k.hasLate(w) {
			r.late = lateColumns{lateRow - valuesRow, lateRow - deltasRow}
		}
		r.deltas = make([]int16, h*len(r.masks.columns))
		r.masks.prepare(w)
	}
}

// hasLate reports whether there are lateColumns for windows of w columns.
func (k *windowKernels) hasLate(w int) bool { return k.twoRows && w >= 16 && w < 24 }

// derivatives returns memory for the derivatives of a template of w by h pixels. All of a lane's
// searches share it, since no template needs it once it is made.
func (k *windowKernels) derivatives(w, h int) []int16 {
	const more = 1 // is read than there is
	switch {
	case k.exact == nil:
		return nil
	case k.hasLate(w):
		return make([]int16, (rowDerivatives+lateBytes)/2)
	}
	return make([]int16, (h+1)*2*len(masks{}.columns)+more)
}

// prepare sets the masks that do not depend on the position.
func (m *masks) prepare(w int) {
	for i := range m.columns {
		if column := i&^7 | i>>1&3 | i&1<<2; column < w {
			m.columns[i] = math.MaxUint16
		}
	}
	blocks := w / 8
	for i := range m.elementMask {
		if i/4 < blocks {
			m.elementMask[i] = math.MaxUint32
		} else if i/4 == blocks {
			m.tailMask[i] = math.MaxUint32
		}
	}
}

// setBounds sets which pixels of the template's window, at x, y, are in the image.
func (r *windowRun) setBounds(x, y int, image *level) {
	left, right := min(max(-x, 0), r.w+1), max(min(image.W-x, r.w+1), 0)
	r.top, r.bottom = min(max(-y, 0), r.h+1), max(min(image.H-y, r.h+1), 0)
	if left == r.left && right == r.right {
		return
	}
	r.left, r.right = left, right
	inside := &r.masks.inside
	clear(inside[:])
	for x := left; x < min(right, len(inside)); x++ {
		inside[x] = math.MaxUint16
	}
}
