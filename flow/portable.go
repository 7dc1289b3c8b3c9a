package flow

import (
	"encoding/binary"
	"math"
)

// portableMemory is memory of the portable kernels for windows. Columns are in groups of eight, and two of
// them, c and c+4, are in one number of 64 bits, so that they are multiplied by a weight at
// once.
type portableMemory struct {
	groups int // of the window
	// gray has, for each group of a row, the pairs of 512 times the template's gray values,
	// negated, and what rounds weighted sums.
	gray []uint64
	// gradients has the template's derivative along x, and times 1<<32, that along y, for
	// each column of the groups.
	gradients []int64
	// filtered are the pixels of three rows, each with the differences of the neighbors of
	// eight pixels, and their weighted sums, both first those of even columns and then those of
	// odd ones, in 16 bits each. derived has the derivatives of two rows in the same
	// order. There is one column more than in the window.
	filtered    [3][][4]uint64
	derived     [2][][4]uint64
	differences []int32 // of a row of the groups
	totals      totals
}

// totals are exact sums over a window: of the derivatives along x and y, of their products,
// of the differences, and of the products of these and the derivatives.
type totals struct {
	x, y, xx, xy, yy int64
	d, dx, dy        int64
}

const (
	// Parts of 32, of 16, and of 8 bits.
	longs = 0x0000_0001_0000_0001
	words = longs * 0x0001_0001

	evenBytes = words * 0xff
	evenWords = longs * 0xffff

	// slopeBias is added to a derivative, which may be that much less than 0.
	slopeBias = 16 * math.MaxUint8
	// carry is added to a number with two parts that may be negative, so that the lower one
	// does not borrow from the upper one.
	carry = 1 << 31
)

// prepare makes the memory for a window.
func (m *portableMemory) prepare(w, h int) {
	m.groups = (w + 7) / 8
	m.gray = make([]uint64, 4*m.groups*h)
	m.gradients = make([]int64, 8*m.groups*h)
	for i := range m.filtered {
		m.filtered[i] = make([][4]uint64, w/8+1)
	}
	for i := range m.derived {
		m.derived[i] = make([][4]uint64, w/8+1)
	}
	m.differences = make([]int32, 8*m.groups)
}

// template makes the template from the pixels of its window, which has one more on each side.
func template(r *windowRun) {
	m := &r.portable
	pix, stride := r.template.pix, r.template.stride
	row := func(y int) []byte { return pix[y*stride:][:r.w+r.over+3] }
	filter(row(0), m.filtered[0])
	filter(row(1), m.filtered[1])
	for y := range r.h + 1 {
		filter(row(y+2), m.filtered[(y+2)%3])
		r.derive(y)
		if y == 0 {
			continue
		}
		r.template.interpolateGray(row(y)[1:], row(y + 1)[1:], m.gray[4*m.groups*(y-1):][:4*m.groups])
		r.template.interpolateGradients(m.derived[(y+1)%2], m.derived[y%2], m.gradients[8*m.groups*(y-1):][:8*m.groups])
	}
}

// filter sets the differences of the neighbors of each pixel in a row, and their weighted
// sums.
func filter(row []byte, to [][4]uint64) {
	for g := range to {
		var left, right uint64 // of pixels from 0 and from 2 on
		if len(row) >= 10 {
			left, right = binary.LittleEndian.Uint64(row), binary.LittleEndian.Uint64(row[2:])
			row = row[8:]
		} else { // the last column
			left = uint64(row[0]) | uint64(row[1])<<8 | uint64(row[2])<<16
			right = left >> 16
		}
		e0, o0, e1, o1 := left&evenBytes, left>>8&evenBytes, right&evenBytes, right>>8&evenBytes
		to[g] = [4]uint64{e1 + evenBytes - e0, o1 + evenBytes - o0, 3*(e0+e1) + 10*o0, 3*(o0+o1) + 10*e1}
	}
}

// derive sets the derivatives of row y, to which slopeBias is added, from three filtered rows.
func (r *windowRun) derive(y int) {
	m := &r.portable
	to := m.derived[y%2]
	if y < r.top || y >= r.bottom {
		for g := range to {
			to[g] = [4]uint64{slopeBias * words, slopeBias * words, slopeBias * words, slopeBias * words}
		}
		return
	}
	a, b, c := m.filtered[y%3][:len(to)], m.filtered[(y+1)%3][:len(to)], m.filtered[(y+2)%3][:len(to)]
	for g := range to {
		to[g] = [4]uint64{
			3*(a[g][0]+c[g][0]) + 10*b[g][0], 3*(a[g][1]+c[g][1]) + 10*b[g][1],
			c[g][2] + slopeBias*words - a[g][2], c[g][3] + slopeBias*words - a[g][3],
		}
	}
	outside := func(from, end int) {
		for x := from; x < end; x++ {
			list, shift := &to[x/8], x/2%4*16
			for _, i := range [2]int{x % 2, 2 + x%2} {
				list[i] = list[i]&^(math.MaxUint16<<shift) | slopeBias<<shift
			}
		}
	}
	outside(0, r.left)
	outside(max(r.right, r.left), r.w+1)
}

// factors returns the weights of a window. Sums of their products are correct although one of
// them may be negative.
func (w *window) factors() (w00, w01, w10, w11 uint64) {
	return uint64(w.weights[0]), uint64(w.weights[1]), uint64(w.weights[2]), uint64(w.weights[3])
}

// interpolateGray makes a row of gray values of the template.
func (w *window) interpolateGray(upper, lower []byte, to []uint64) {
	w00, w01, w10, w11 := w.factors()
	const rounding = 1 << 8 * longs
	for len(to) >= 4 && len(upper) >= 9 && len(lower) >= 9 {
		u0, u1, u2, u3, u4 := pairs(upper)
		v0, v1, v2, v3, v4 := pairs(lower)
		to[0] = minuend(w00*u0 + w01*u1 + w10*v0 + w11*v1 + rounding)
		to[1] = minuend(w00*u1 + w01*u2 + w10*v1 + w11*v2 + rounding)
		to[2] = minuend(w00*u2 + w01*u3 + w10*v2 + w11*v3 + rounding)
		to[3] = minuend(w00*u3 + w01*u4 + w10*v3 + w11*v4 + rounding)
		upper, lower, to = upper[8:], lower[8:], to[4:]
	}
}

// minuend returns what is added to the weighted sums of the window's pixels, for those of the
// template's.
func minuend(sum uint64) uint64 {
	return 1<<8*longs + carry - sum&(longs*(1<<32-1<<9))
}

// pairs returns the pixels 0 to 4, each with the one four further.
func pairs(row []byte) (p0, p1, p2, p3, p4 uint64) {
	const pair = longs * math.MaxUint8
	v := binary.LittleEndian.Uint64(row)
	return v & pair, v >> 8 & pair, v >> 16 & pair, v >> 24 & pair, v>>32&math.MaxUint8 | uint64(row[8])<<32
}

// interpolateGradients makes a row of derivatives of the template.
func (w *window) interpolateGradients(upper, lower [][4]uint64, to []int64) {
	for g := 0; len(to) >= 8; g++ {
		a, b := &upper[g], &lower[g]
		var nextA, nextB *[4]uint64
		if g+1 < len(upper) {
			nextA, nextB = &upper[g+1], &lower[g+1]
		} else {
			nextA, nextB = a, b // it makes no difference
		}
		x0, x1, x2, x3 := w.slopes(a[0], a[1], nextA[0], b[0], b[1], nextB[0])
		y0, y1, y2, y3 := w.slopes(a[2], a[3], nextA[2], b[2], b[3], nextB[2])
		to[0], to[4] = gradients(x0, y0)
		to[1], to[5] = gradients(x1, y1)
		to[2], to[6] = gradients(x2, y2)
		to[3], to[7] = gradients(x3, y3)
		to = to[8:]
	}
}

// slopes returns pairs of derivatives in a direction, to which slopeBias is added, between two
// rows of which the even and the odd columns are given, and those after them.
func (w *window) slopes(even0, odd0, next0, even1, odd1, next1 uint64) (s0, s1, s2, s3 uint64) {
	w00, w01, w10, w11 := w.factors()
	const rounding = 1 << 13 * longs
	u0, u1, u2, u3 := even0&evenWords, odd0&evenWords, even0>>16&evenWords, odd0>>16&evenWords
	v0, v1, v2, v3 := even1&evenWords, odd1&evenWords, even1>>16&evenWords, odd1>>16&evenWords
	u4, v4 := u0>>32|next0<<32&(math.MaxUint16<<32), v0>>32|next1<<32&(math.MaxUint16<<32)
	s0 = w00*u0 + w01*u1 + w10*v0 + w11*v1 + rounding
	s1 = w00*u1 + w01*u2 + w10*v1 + w11*v2 + rounding
	s2 = w00*u2 + w01*u3 + w10*v2 + w11*v3 + rounding
	s3 = w00*u3 + w01*u4 + w10*v3 + w11*v4 + rounding
	return s0, s1, s2, s3
}

// gradients returns the gradients of two columns, of sums of derivatives.
func gradients(x, y uint64) (first, second int64) {
	const mask, bias = longs * (1<<18 - 1), slopeBias * (1 + 1<<32)
	x, y = x>>14&mask, y>>14&mask
	return int64(x&math.MaxUint32|y<<32) - bias, int64(x>>32|y&^math.MaxUint32) - bias
}

// A floatSum is a sum in the order of OpenCV's vectors of four: the columns of a row, but for
// the last ones if their number is not a multiple of eight, belong to their elements in turn.
type floatSum struct {
	elements [4]float32
	tail     float32
}

func (s *floatSum) total() float32 {
	return s.tail + ((s.elements[0] + s.elements[2]) + (s.elements[1] + s.elements[3]))
}

// slopes returns the two parts of a gradient.
func slopes(gradient int64) (x, y int64) {
	return int64(int32(gradient)), (gradient + carry) >> 32
}

// row returns the gradients of row y of the template.
func (r *windowRun) row(y int) []int64 {
	return r.portable.gradients[8*r.portable.groups*y:][:r.w]
}

// tensor adds up the products of the derivatives, which are exact.
func tensor(r *windowRun) {
	var xx, xy, yy floatSum
	n := r.w &^ 7
	for y := range r.h {
		row := r.row(y)
		for k := range 4 {
			a, b, c := xx.elements[k], xy.elements[k], yy.elements[k]
			for i := k; i < n; i += 4 {
				x, y := slopes(row[i])
				a += float32(x * x)
				b += float32(x * y)
				c += float32(y * y)
			}
			xx.elements[k], xy.elements[k], yy.elements[k] = a, b, c
		}
		for _, gradient := range row[n:] {
			x, y := slopes(gradient)
			xx.tail += float32(x * x)
			xy.tail += float32(x * y)
			yy.tail += float32(y * y)
		}
	}
	r.tensor = [3]float32{xx.total(), xy.total(), yy.total()}
}

// differ returns the differences between row y of the window and of the template.
func (r *windowRun) differ(y int) []int32 {
	m := &r.portable
	w00, w01, w10, w11 := r.window.factors()
	upper := r.window.pix[y*r.window.stride:][:8*m.groups+1]
	lower := r.window.pix[(y+1)*r.window.stride:][:8*m.groups+1]
	gray := m.gray[4*m.groups*y:][:4*m.groups]
	to := m.differences
	for len(upper) >= 9 && len(lower) >= 9 && len(gray) >= 4 && len(to) >= 8 {
		u0, u1, u2, u3, u4 := pairs(upper)
		v0, v1, v2, v3, v4 := pairs(lower)
		to[0], to[4] = differences(w00*u0 + w01*u1 + w10*v0 + w11*v1 + gray[0])
		to[1], to[5] = differences(w00*u1 + w01*u2 + w10*v1 + w11*v2 + gray[1])
		to[2], to[6] = differences(w00*u2 + w01*u3 + w10*v2 + w11*v3 + gray[2])
		to[3], to[7] = differences(w00*u3 + w01*u4 + w10*v3 + w11*v4 + gray[3])
		upper, lower, gray, to = upper[8:], lower[8:], gray[4:], to[8:]
	}
	return m.differences[:r.w]
}

// differences returns those of two columns, of a sum to which carry was added.
func differences(sum uint64) (first, second int32) {
	return int32(uint32(sum)-carry) >> 9, int32(int64(sum) >> 41)
}

// step adds up the products of the differences and the derivatives. Those of a column and of
// the one four further are added as integers.
func step(r *windowRun) {
	var x0, x1, x2, x3, tailX, y0, y1, y2, y3, tailY float32
	for y := range r.h {
		d, row := r.differ(y), r.row(y)
		for len(d) >= 8 && len(row) >= 8 {
			x, y := slopes(int64(d[0])*row[0] + int64(d[4])*row[4])
			x0 += float32(x)
			y0 += float32(y)
			x, y = slopes(int64(d[1])*row[1] + int64(d[5])*row[5])
			x1 += float32(x)
			y1 += float32(y)
			x, y = slopes(int64(d[2])*row[2] + int64(d[6])*row[6])
			x2 += float32(x)
			y2 += float32(y)
			x, y = slopes(int64(d[3])*row[3] + int64(d[7])*row[7])
			x3 += float32(x)
			y3 += float32(y)
			d, row = d[8:], row[8:]
		}
		row = row[:len(d)]
		for i, v := range d {
			x, y := slopes(int64(v) * row[i])
			tailX += float32(x)
			tailY += float32(y)
		}
	}
	r.products = [2]float32{tailX + ((x0 + x2) + (x1 + x3)), tailY + ((y0 + y2) + (y1 + y3))}
}

// addDerivatives sets the totals of the derivatives.
func (r *windowRun) addDerivatives() {
	t := &r.portable.totals
	*t = totals{}
	for y := range r.h {
		for _, gradient := range r.row(y) {
			x, y := slopes(gradient)
			t.x += x
			t.y += y
			t.xx += x * x
			t.xy += x * y
			t.yy += y * y
		}
	}
}

// addDifferences sets the totals of the differences.
func (r *windowRun) addDifferences() {
	t := &r.portable.totals
	t.d, t.dx, t.dy = 0, 0, 0
	for y := range r.h {
		row := r.row(y)
		for i, v := range r.differ(y) {
			x, y := slopes(int64(v) * row[i])
			t.d += int64(v)
			t.dx += x
			t.dy += y
		}
	}
}

// difference adds up the absolute differences, row by row, as floats.
func difference(r *windowRun) {
	var sum float32
	for y := range r.h {
		for _, v := range r.differ(y) {
			sum += float32(max(v, -v))
		}
	}
	r.difference = sum
}
