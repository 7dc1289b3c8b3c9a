package harris

import "github.com/fastcorners/fast/internal/tensor"

// A sobelBlocks is the pipeline for Sobel's gradients of 3 by 3 pixels, boxes of 3 by 3 and
// the border Mirror, where there is a kernel that makes two rows of responses of the sums
// down the columns, a block of columns at a time. It stores nothing in between.
type sobelBlocks struct {
	sobelSums
	y          int // of the next sums
	spans      tensor.Spans
	respondRun *respondRun
	state      []int16 // gradients and sums of the rows before
}

// A respondRun is two rows of responses of windows of 3 by 3 pixels, to be made of the
// sums and differences of the rows after them. As an object of its own it begins with a
// cache line, so that no vector in it straddles two.
type respondRun struct {
	//lint:ignore U1000 the kernels keep there what does not fit registers
	room      [24 * 32]byte
	sums      [4]*int16 // where the first block begins
	state     *int16    // for each block, 8 vectors
	spans     []tensor.Span
	measure   int
	constants [2][16]float32
}

func newSobelBlocks(m tensor.Measure, k *kernels) *sobelBlocks {
	const blocks = 3 // more than those that fill a strip, of at most 32 columns
	s := &sobelBlocks{
		sobelSums:  newSobelSums(k),
		spans:      tensor.NewSpans(maxStrip),
		respondRun: new(respondRun),
		state:      make([]int16, 8*(maxStrip+blocks*32)),
	}
	s.respondRun.measure, s.respondRun.constants = m.Vectors()
	return s
}

func (s *sobelBlocks) start(p *plane, begin, end, y int) {
	s.sobelSums.start(p, begin, end)
	s.spans.Start(s.n, s.kernels.columns)
	// The two rows above, or the mirrors of those below.
	s.y = max(y-1, 0)
	s.pair(nil, nil)
	s.y = y + 1
}

func (s *sobelBlocks) pair(upper, lower []float32) {
	// The last row needs the one before it again, as its mirror.
	h := s.plane.H
	s.sum(min(s.y, h-2+h&1))
	out := [2][]float32{upper, lower}
	r := s.respondRun
	for i, row := range s.rows {
		r.sums[i] = &row[stripPadding+1-s.kernels.columns]
	}
	r.state, r.spans = &s.state[0], s.spans.LayOut(out)
	s.kernels.respond(r)
	s.spans.Finish(out)
	s.y += 2
}

func (s *sobelBlocks) release() {
	s.sobelSums.release()
	s.spans.Release()
	s.respondRun.spans = nil
}
