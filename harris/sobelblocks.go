package harris

import "github.com/fastcorners/fast/internal/tensor"

// A sobelBlocks is the pipeline for the Gradient Sobel3, boxes of 3 by 3 pixels and the Border
// Reflect101 whose kernel computes two rows of responses from a sobelSums, one block of columns
// after the other, and stores nothing in between.
type sobelBlocks struct {
	sobelSums
	y          int // first row of the next sums
	spans      tensor.Spans
	respondRun *respondRun
	state      []int16 // what the kernel keeps: gradients and sums of the rows before
}

// A respondRun holds the arguments of the kernel respond, which computes two rows of responses
// from the sums and differences of the rows after them.
type respondRun struct {
	room      *tensor.Room
	sums      [4]*int16 // at the first column of the first block
	state     *int16    // 8 vectors for each block
	spans     []tensor.Span
	measure   int
	constants [2]float32
}

func newSobelBlocks(m tensor.Measure, k *kernels) *sobelBlocks {
	const blocks = 3 // more than those that fill a strip, of at most 32 columns
	s := &sobelBlocks{
		sobelSums:  newSobelSums(k),
		spans:      tensor.NewSpans(maxStrip),
		respondRun: &respondRun{room: new(tensor.Room)},
		state:      make([]int16, 8*(maxStrip+blocks*32)),
	}
	s.respondRun.measure, s.respondRun.constants = m.Formula()
	return s
}

func (s *sobelBlocks) start(p *plane, begin, end, y int) {
	s.sobelSums.start(p, begin, end)
	s.spans.Start(s.n, s.kernels.columns)
	// Begin with the two rows above, or at the top with those that mirror them.
	s.y = max(y-1, 0)
	s.pair(nil, nil)
	s.y = y + 1
}

func (s *sobelBlocks) pair(upper, lower []float32) {
	// After the last row follows the mirror of the one before it.
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
