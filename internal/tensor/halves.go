package tensor

// A Halves does what a [Windows] does, for rows of gradients whose halves lie in the halves of
// vectors of 16 words: vector i has 8 columns from column 8*i of each half on. So sums along the
// row are shifted within the halves of vectors, which takes one instruction instead of two. The
// halves of a row overlap by what windows need.
type Halves struct {
	side   int
	kernel func(*slideRun)
	sums   []int32
	zeros  []int16 // a row of gradients before the first one
	run    *slideRun

	n     int          // responses of a row
	first int          // the vector that the kernel begins with
	rest  int          // the responses at the end of the vectors to drop that count
	spans [2]Span      // the vectors to drop, and the others
	dump  [2][]float32 // for responses to drop
}

// A Split tells how a row of columns is divided into halves.
type Split struct {
	Vectors int // of 8 columns of each half
	Second  int // the column that the second half begins with
}

const (
	// half is the number of columns of half of a vector.
	half = 8
	// maxLead is the largest number of columns before that in which the first window ends.
	maxLead = 16
)

// NewHalves returns a Halves of windows of a side for rows of at most width responses.
func NewHalves(side int, m *Measure, width int) *Halves {
	h := &Halves{
		side:  side,
		sums:  make([]int32, 6*half*halvesVectors(width)),
		zeros: make([]int16, HalvesRoom(width)),
		run:   &slideRun{room: new(Room)},
	}
	h.run.measure, h.run.constants = m.Formula()
	for i := range h.dump {
		h.dump[i] = make([]float32, half*halvesVectors(width))
	}
	return h
}

// halvesVectors returns the largest number of vectors of a row of at most width responses.
func halvesVectors(width int) int {
	return ceil(width+2*maxLead, 2*half)
}

// HalvesRoom returns the length of a row of at most width responses, in words. Its first vector
// comes after HalvesBefore words, since kernels also read a word before and after a row.
func HalvesRoom(width int) int {
	return HalvesBefore + 2*half*halvesVectors(width) + 1
}

// HalvesBefore is the number of words before the first vector of a row.
const HalvesBefore = 2 * half

// ceil returns n/d, rounded up.
func ceil(n, d int) int {
	return (n + d - 1) / d
}

// HasHalves reports whether this processor has kernels for Halves.
func HasHalves() bool {
	return table.Best().halves[maxWindow] != nil
}

// Start sets all sums to 0, for rows of n responses. Response i is that of the window whose last
// column is i+lead, for a lead of at most 16, and n+lead is at least 32. HasHalves must have
// returned true. Start returns how rows of n+lead gradients are divided.
func (h *Halves) Start(n, lead int) Split {
	h.kernel = table.Best().halves[h.side]
	dropped := ceil(lead, half)
	vectors := ceil(n+lead+half*dropped, 2*half)
	h.n = n
	h.first = max(lead/half-1, 0)
	h.rest = half*dropped - lead
	h.spans[0] = Span{Out: [2]*float32{&h.dump[0][0], &h.dump[1][0]}, Blocks: dropped - h.first}
	h.spans[1].Blocks = vectors - dropped
	clear(h.sums)
	return Split{vectors, n + lead - half*vectors}
}

// Slide lets a row of gradients along x and y enter the windows and, unless leave is nil,
// another row leave them. Unless out is nil, it computes the row of responses.
func (h *Halves) Slide(enter, leave *[2][]int16, out []float32) {
	r := h.run
	first := HalvesBefore + 2*half*h.first
	for i := range r.enter {
		r.enter[i], r.leave[i] = &enter[i][first], &h.zeros[first]
		if leave != nil {
			r.leave[i] = &leave[i][first]
		}
	}
	h.spans[1].Out = h.spans[0].Out
	if out != nil {
		h.spans[1].Out = [2]*float32{&out[h.rest], &out[h.n-half*h.spans[1].Blocks]}
	}
	r.state, r.spans = &h.sums[0], h.spans[:]
	h.kernel(r)
	if out != nil {
		copy(out[:h.rest], h.dump[0][half*h.spans[0].Blocks-h.rest:])
	}
}

// Release drops what belongs to the caller.
func (h *Halves) Release() {
	h.spans[1].Out = h.spans[0].Out
	h.run.spans = nil
}
