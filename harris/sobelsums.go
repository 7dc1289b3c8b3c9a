package harris

import "github.com/fastcorners/fast/internal/raster"

// A sobelSums computes sums and differences along the columns, from which the Gradient Sobel3
// is made, for a strip and the columns beside it.
type sobelSums struct {
	kernels *kernels
	// rows are a+2b+c and c-a for row b, which is between rows a and c, and the same for the
	// row below b. The first column of the strip has index stripPadding.
	rows   [4][]int16
	unused [2][]int16 // for sums that are not needed
	sumRun sumRun

	plane    *plane
	begin, n int // the columns of the strip
}

const (
	// stripPadding is the room before the first column of a strip and after the last one.
	stripPadding = 64
	stripRoom    = stripPadding + maxStrip + stripPadding
	// columnsBefore is the number of columns before a strip that are computed, if there are
	// any.
	columnsBefore = 32
	// columnsAfter is the number of columns after a strip that are computed, if there are
	// any.
	columnsAfter = maxSobelWindow/2 + 1
)

// A sumRun holds the arguments of the kernel sum. For rows a, b, c and d of the image it
// computes a+2b+c and c-a, b+2c+d and d-b.
type sumRun struct {
	rows  [4]*byte
	sums  [4]*int16
	n     int      // pixels, at least 32
	ahead [2]*byte // rows to fetch into the cache
}

func newSobelSums(k *kernels) sobelSums {
	s := sobelSums{kernels: k}
	for i := range s.rows {
		s.rows[i] = make([]int16, stripRoom)
	}
	for i := range s.unused {
		s.unused[i] = make([]int16, stripRoom)
	}
	return s
}

// serves reports whether images of width w are wide enough for the kernel.
func (s *sobelSums) serves(w int) bool {
	return w >= columnsBefore
}

// start begins a strip.
func (s *sobelSums) start(p *plane, begin, end int) {
	s.plane, s.begin, s.n = p, begin, end-begin
}

// sum computes the sums and differences of rows y and y+1.
func (s *sobelSums) sum(y int) {
	p := s.plane
	left, right := max(s.begin-columnsBefore, 0), min(s.begin+s.n+columnsAfter, p.W)
	row := func(y int) *byte { return &p.Pix[raster.Mirror(y, p.H)*p.Stride+left] }
	at := stripPadding + left - s.begin
	r := &s.sumRun
	*r = sumRun{
		rows:  [4]*byte{row(y - 1), row(y), row(y + 1), row(y + 2)},
		sums:  [4]*int16{&s.rows[0][at], &s.rows[1][at], &s.rows[2][at], &s.rows[3][at]},
		n:     right - left,
		ahead: [2]*byte{row(min(y+6, p.H-1)), row(min(y+7, p.H-1))},
	}
	s.kernels.sum(r)
	if y == p.H-1 {
		// The row below the image mirrors the gradients of the last row but one. These
		// are not the gradients of the mirrored image.
		r.rows = [4]*byte{row(y - 2), row(y - 1), row(y), row(y)}
		r.sums = [4]*int16{&s.rows[2][at], &s.rows[3][at], &s.unused[0][at], &s.unused[1][at]}
		s.kernels.sum(r)
	}
	for i, row := range s.rows {
		if s.begin == 0 {
			mirrorEnd(row, stripPadding, 1, i%2 == 0)
		}
		if end := p.W - s.begin; end <= s.n+columnsAfter {
			mirrorEnd(row, stripPadding+end-1, -1, i%2 == 0)
		}
	}
}

// mirrorEnd sets the two values beyond an end of a row to those inside, which are in the given
// direction. If the values are sums and not differences, it chooses the second one so that
// the gradient along x in the column beyond the end is that of its mirror.
func mirrorEnd(row []int16, end, direction int, sums bool) {
	row[end-direction] = row[end+direction]
	second := row[end+2*direction]
	if sums {
		second = 2*row[end] - second
	}
	row[end-2*direction] = second
}

// release forgets the image.
func (s *sobelSums) release() {
	s.plane, s.sumRun = nil, sumRun{}
}
