package sift

// batchSize is the number of samples from which on they are added to the histogram, before
// more are gathered.
const batchSize = 1024

// A samplesRun is the argument of the kernels for samples, which are gradients around a keypoint, and
// their histogram.
//
// All sums are in the order of the rows and of the columns, and OpenCV's vectors add some
// products with one rounding less than the samples that are left over at the end, of which
// there are fewer than 8.
type samplesRun struct {
	// The rows and columns to look at, relative to the keypoint. They are in the layer, but not
	// at its edges. A kernel that gathers advances row.
	pix         []float32 // of the layer
	stride      int
	center      int // of the keypoint in pix, which can lie elsewhere
	row, end    int
	left, right int // both are looked at

	// Of the orientation: the factor of the squared distance in the exponent.
	falloff float32

	// Of the descriptor: the cosine and the sine of its angle, divided by the width of a cell.
	// The inverse values are limited to 1e9.
	cos, sin               float32
	inverseCos, inverseSin float32
	angle                  float32 // subtracted from that of each gradient, in degrees

	// The gathered samples: differences of pixels, and where they are. That is the squared
	// distance, or the columns and the rows of cells.
	dx, dy  []float32
	columns []float32
	rows    []float32
	count   int
	done    int // of those, the ones at the front that were added already
	fused   int // of those, the ones at the end that are added with a fused operation

	// A histogram of 36 directions with 2 more on both sides, or of the cells of the
	// descriptor: cell r, c of direction o is at cellPlace(r, c, o).
	histogram []float32
	math      *coefficients

	//lint:ignore U1000 kernels keep there what they compute of some rows, or before they add samples
	turns  [256]float32
	vector []float32 // the result of the kernel cut, of 128 components
}

// histogramSize is the length of samplesRun.histogram. Memory of this size begins at a line of
// the cache.
const histogramSize = 512

// cellPlace returns the place in the histogram of the descriptor of direction o, 0 to 8, of the
// cell in row r and column c. Rows -1 and 4 are not of the descriptor; kernels may add to
// them.
func cellPlace(r, c, o int) int {
	return 32*o + 16 + 4*r + c
}

// begin prepares s for the samples of the given rows and columns around a pixel of the layer,
// at a distance of at most radius.
func (s *samplesRun) begin(layer *plane, x, y, radius int) {
	s.pix, s.stride, s.center = layer.pix, layer.stride, y*layer.stride+x
	s.row, s.end = max(-radius, 1-y), min(radius+1, layer.height-1-y)
	s.left, s.right = max(-radius, 1-x), min(radius, layer.width-2-x)
	s.count, s.done, s.fused = 0, 0, 0
	if s.left > s.right {
		s.row = s.end
	}
	if s.histogram == nil {
		s.histogram = make([]float32, histogramSize)
		s.math = &approximation
	}
	clear(s.histogram)
	if size := batchSize + max(s.right-s.left, 0) + 2*vectorWidth; len(s.dx) < size {
		mem := make([]float32, 4*size)
		for i, list := range []*[]float32{&s.dx, &s.dy, &s.columns, &s.rows} {
			*list = mem[i*size:][:size:size]
		}
	}
}

// collect gathers all samples that are left and adds them to the histogram.
func (s *samplesRun) collect(gather, add func(*samplesRun)) {
	for s.refill(gather); s.row < s.end; s.refill(gather) {
		// The rest of a vector has to wait for more samples.
		rest := (s.count - s.done) % 8
		s.count -= rest
		add(s)
		s.done = s.count
		s.count += rest
	}
	s.fused = (s.count - s.done) % 8
	add(s)
}

// refill gathers more samples, unless there are eight that were not added yet, or no more.
func (s *samplesRun) refill(gather func(*samplesRun)) {
	for s.count-s.done < 8 && s.row < s.end {
		for _, list := range [][]float32{s.dx, s.dy, s.columns, s.rows} {
			copy(list, list[s.done:s.count])
		}
		s.count -= s.done
		s.done = 0
		gather(s)
	}
}

// A pairRun is the argument of the kernel pairs.
type pairRun struct {
	samples [2]*samplesRun // of descriptors
	count   int            // of each, a multiple of eight
}

// addInTurn returns a function that adds count samples, those after done, of each of a pair by the
// kernel cells, none of them with fused operations.
func addInTurn(add func(*samplesRun)) func(*pairRun) {
	return func(p *pairRun) {
		for _, s := range p.samples {
			count := s.count
			s.count = s.done + p.count
			add(s)
			s.count = count
		}
	}
}

// gradient returns the differences of the pixels around that at i.
func (s *samplesRun) gradient(i int) (dx, dy float32) {
	return s.pix[i+1] - s.pix[i-1], s.pix[i-s.stride] - s.pix[i+s.stride]
}
