package harris

import (
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/tensor"
)

// A sobel is the pipeline in Go for the Gradient Sobel3, boxes of 3 by 3 pixels and the Border
// Reflect101. It computes the gradients of two rows at a time. After those of rows y and y+1, y
// being even, follow the responses of rows y-1 and y, which also need the two rows of
// gradients before.
type sobel struct {
	measure  tensor.Measure
	products [4]products // of the gradients of rows y-2 to y+1
	tensors  tensors

	plane      *plane
	begin, end int // the columns of the strip
	y          int // of the next gradients
}

// products are those of the gradients of a row, summed over three columns.
type products struct {
	xxy []int64 // gx*gx, plus gx*gy times 1<<32
	yy  []int32 // gy*gy
}

// tensors are the elements of a row of structure tensors.
type tensors struct{ a, b, c []float32 }

func newTensors() tensors {
	return tensors{newRow[float32](maxStrip), newRow[float32](maxStrip), newRow[float32](maxStrip)}
}

func newSobel(m tensor.Measure) *sobel {
	s := &sobel{measure: m, tensors: newTensors()}
	for i := range s.products {
		s.products[i] = products{make([]int64, maxStrip), make([]int32, maxStrip)}
	}
	return s
}

func (s *sobel) serves(int) bool {
	return true
}

func (s *sobel) start(p *plane, begin, end, y int) {
	s.plane, s.begin, s.end = p, begin, end
	// Compute the rows of gradients to keep: y-1 and y, or row 1 for its mirror.
	s.y = max(y-1, 0)
	s.pair(nil, nil)
	s.y = y + 1
}

func (s *sobel) pair(upper, lower []float32) {
	s.multiply()
	n, t := s.end-s.begin, &s.tensors
	for i, dst := range [...][]float32{upper, lower} {
		if dst != nil {
			t.sum((*[3]products)(s.products[i:]), n)
			s.measure.Respond(dst[:n], t.a, t.b, t.c)
		}
	}
	p := &s.products
	p[0], p[1], p[2], p[3] = p[2], p[3], p[0], p[1]
	s.y += 2
}

func (s *sobel) release() {
	s.plane = nil
}

// multiply computes the products of the gradients of rows y and y+1.
func (s *sobel) multiply() {
	// After the last row follows the mirror of the one before it.
	h := s.plane.H
	y := min(s.y, h-2+h&1)
	row := func(y int) []byte { return s.plane.Row(raster.Mirror(y, h)) }
	a, b, c, d := row(y-1), row(y), row(y+1), row(y+2)
	s.products[2].sum(a, b, c, s.begin, s.end)
	if y == h-1 {
		// The products of the row below the image are those of row y-1.
		b, d = d, b
	}
	s.products[3].sum(b, c, d, s.begin, s.end)
}

// sum computes the products of the gradients of row b, which is between rows a and c, in the
// columns from begin up to end.
func (p *products) sum(a, b, c []byte, begin, end int) {
	// Products in between need two columns on each side.
	left := min(max(begin, 2), end)
	right := max(min(end, len(b)-2), left)
	for x := begin; x < left; x++ {
		p.xxy[x-begin], p.yy[x-begin] = sumAt(a, b, c, x)
	}
	if left < right {
		sumInside(p.xxy[left-begin:right-begin], p.yy[left-begin:], a, b, c, left)
	}
	for x := right; x < end; x++ {
		p.xxy[x-begin], p.yy[x-begin] = sumAt(a, b, c, x)
	}
}

// sumAt returns the sums of the products of column x and the two beside it. Columns beyond
// the image are mirrored.
func sumAt(a, b, c []byte, x int) (xxy int64, yy int32) {
	for i := x - 1; i <= x+1; i++ {
		dxxy, dyy := product(a, b, c, raster.Mirror(i, len(b)))
		xxy += dxxy
		yy += dyy
	}
	return xxy, yy
}

// product returns the products of the gradients of one pixel.
func product(a, b, c []byte, x int) (xxy int64, yy int32) {
	left, right := raster.Mirror(x-1, len(b)), raster.Mirror(x+1, len(b))
	gx := smoothed(a, b, c, right) - smoothed(a, b, c, left)
	gy := difference(a, c, left) + 2*difference(a, c, x) + difference(a, c, right)
	return (gx + gy<<32) * gx, int32(gy * gy)
}

// smoothed returns the sum of three pixels of a column, the middle one counted twice.
func smoothed(a, b, c []byte, x int) int64 {
	return int64(a[x]) + 2*int64(b[x]) + int64(c[x])
}

// difference returns the difference of two pixels of a column.
func difference(a, c []byte, x int) int64 {
	return int64(c[x]) - int64(a[x])
}

// sumInside computes the sums from column x on. The rows have at least two more columns on
// both sides.
func sumInside(xxy []int64, yy []int32, a, b, c []byte, x int) {
	s0, s1 := smoothed(a, b, c, x), smoothed(a, b, c, x+1)
	d1 := difference(a, c, x+1)
	d01 := difference(a, c, x) + d1
	p1, q1 := product(a, b, c, x)
	p01, q01 := product(a, b, c, x-1)
	p01 += p1
	q01 += q1

	n := len(xxy)
	yy = yy[:n]
	a, b, c = a[x+2:][:n], b[x+2:][:n], c[x+2:][:n]
	for i := range xxy {
		above, below := int64(a[i]), int64(c[i])
		s2 := above + 2*int64(b[i]) + below
		d2 := below - above
		d12 := d1 + d2
		gx, gy := s2-s0, d01+d12
		p2, q2 := (gx+gy<<32)*gx, int32(gy)*int32(gy)
		xxy[i] = p01 + p2
		yy[i] = q01 + q2
		s0, s1 = s1, s2
		d1, d01 = d2, d12
		p1, p01 = p2, p1+p2
		q1, q01 = q2, q1+q2
	}
}

// sum computes the elements of n tensors from three rows of products.
func (t *tensors) sum(rows *[3]products, n int) {
	a, b, c := t.a[:n], t.b[:n], t.c[:n]
	xxy0, xxy1, xxy2 := rows[0].xxy[:n], rows[1].xxy[:n], rows[2].xxy[:n]
	yy0, yy1, yy2 := rows[0].yy[:n], rows[1].yy[:n], rows[2].yy[:n]
	for i := range a {
		// The sum of gx*gx is not negative, so it takes nothing from the upper half.
		xxy := xxy0[i] + xxy1[i] + xxy2[i]
		a[i] = float32(int32(xxy))
		b[i] = float32(yy0[i] + yy1[i] + yy2[i])
		c[i] = float32(int32(xxy >> 32))
	}
}
