package tensor

// Padding is the room that the rows of a Windows have before their first column and after
// their last one.
const Padding = 64

// maxWindow is the side of the largest windows that there are kernels for.
const maxWindow = 9

// lags holds, by the side of windows, by how many columns blocks of gradients precede their
// responses, or -1 if there are no kernels.
var lags = [maxWindow + 1]int{-1, -1, 0, 2, -1, 2, -1, 4, -1, 4}

// HasWindows reports whether there is a Windows of a side for gradients whose squares are at
// most square and whose products with each other are at most product. The sums of both have
// 32 bits. One of these is for the sign, except in sums of squares over the largest window.
func HasWindows(side int, square, product int64) bool {
	if side > maxWindow || lags[side] < 0 {
		return false
	}
	area := int64(side) * int64(side)
	squareBits := 31
	if side == maxWindow {
		squareBits = 32
	}
	return area*square < 1<<squareBits && area*product < 1<<31
}

// A Windows computes responses from the sums of products of gradients over square windows,
// in assembly. The windows slide down: the products of a row of gradients that enters them
// are added to the sums over columns, and those of a row that leaves them are subtracted.
type Windows struct {
	side    int
	kernels *kernels
	sums    []int32
	zeros   []int16 // a row of gradients before the first one
	spans   Spans
	run     *slideRun
}

// A slideRun is a row of responses of windows to be made of the rows of gradients that
// enter the windows and leave them.
type slideRun struct {
	room         *Room
	enter, leave [2]*int16 // where the first block begins
	state        *int32    // sums over columns, 6 vectors for each block
	spans        []Span    // of one row
	measure      int
	constants    [2]float32
}

// A Room is where kernels keep vectors that do not fit in registers. None straddles two cache
// lines, since an object of this size that has no pointers begins with a line. One with pointers
// begins after a word of the allocator's if it has more than 512 bytes.
type Room [26 * 32]byte

// NewWindows returns a Windows of a side for rows of at most width columns.
func NewWindows(side int, m *Measure, width int) *Windows {
	const blocks = 3 // more than those that fill a row, of 32 columns at most
	w := &Windows{
		side:  side,
		sums:  make([]int32, 3*(width+blocks*32)),
		zeros: make([]int16, Padding+width+Padding),
		spans: NewSpans(width),
		run:   &slideRun{room: new(Room)},
	}
	w.run.measure, w.run.constants = m.Formula()
	return w
}

// Serve reports whether this processor has a kernel for w. It must be called before Start.
func (w *Windows) Serve() bool {
	w.kernels = table.Best()
	return w.kernels.slide[w.side] != nil
}

// Start sets all sums to 0, for rows of n responses.
func (w *Windows) Start(n int) {
	w.spans.Start(n, w.kernels.columns)
	clear(w.sums)
}

// Slide lets a row of gradients along x and y enter the windows and, unless leave is nil,
// another row leave them. Unless out is nil, it computes the row of responses. The rows of
// gradients have Padding columns before the one of the first response, since a window around
// that column extends to columns before it.
func (w *Windows) Slide(enter, leave *[2][]int16, out []float32) {
	r := w.run
	first := Padding + lags[w.side] - w.kernels.columns
	for i := range r.enter {
		r.enter[i], r.leave[i] = &enter[i][first], &w.zeros[first]
		if leave != nil {
			r.leave[i] = &leave[i][first]
		}
	}
	rows := [2][]float32{out}
	r.state, r.spans = &w.sums[0], w.spans.LayOut(rows)
	w.kernels.slide[w.side](r)
	w.spans.Finish(rows)
}

// Release drops what belongs to the caller.
func (w *Windows) Release() {
	w.spans.Release()
	w.run.spans = nil
}

// A Span is blocks whose responses follow each other in a row or two.
type Span struct {
	Out    [2]*float32
	Blocks int
}

// Spans say where the responses of blocks are stored. A block of columns begins some columns
// after the responses that it results in, and needs the block before it. So the responses of
// the first block of a row are dropped, and the last block may be cut off.
type Spans struct {
	list []Span
	n    int          // responses of a row
	rest int          // the responses of the block that is cut off
	dump [2][]float32 // for responses to drop, and those of blocks that are cut off
}

// NewSpans returns the Spans of rows of at most width responses.
func NewSpans(width int) Spans {
	s := Spans{list: make([]Span, 0, 3)}
	for i := range s.dump {
		s.dump[i] = make([]float32, width+Padding)
	}
	return s
}

// Start makes rows those of n responses, in blocks of this many columns.
func (s *Spans) Start(n, columns int) {
	s.n, s.rest = n, n%columns
	dropped := Span{Out: [2]*float32{&s.dump[0][0], &s.dump[1][0]}, Blocks: 1}
	s.list = append(s.list[:0], dropped)
	if whole := n / columns; whole > 0 {
		s.list = append(s.list, Span{Out: dropped.Out, Blocks: whole})
	}
	if s.rest > 0 {
		s.list = append(s.list, dropped)
	}
}

// LayOut returns the spans of one row or of two. The responses of a nil row are dropped.
func (s *Spans) LayOut(out [2][]float32) []Span {
	if s.n > s.rest {
		for i := range out {
			to := &s.dump[i][0]
			if out[i] != nil {
				to = &out[i][0]
			}
			s.list[1].Out[i] = to
		}
	}
	return s.list
}

// Finish copies the responses of blocks that are cut off. It must be called after the kernel.
func (s *Spans) Finish(out [2][]float32) {
	for i := range out {
		if out[i] != nil {
			copy(out[i][s.n-s.rest:s.n], s.dump[i][:s.rest])
		}
	}
}

// Release drops the rows.
func (s *Spans) Release() {
	s.LayOut([2][]float32{})
}
