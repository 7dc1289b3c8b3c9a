package harris

import (
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/tensor"
)

// A sobelWindows is the pipeline for the Gradient Sobel3, boxes that tensor.Windows has
// kernels for and the Border Reflect101.
type sobelWindows struct {
	sobelSums
	side        int // of the box
	windows     *tensor.Windows
	gradients   [gradientRows][2][]int16 // along x and y, of row y in y%gradientRows
	gradientRun gradientRun

	y     int // first of the next two rows of responses
	held  int // number of rows of gradients in the windows
	known int // first row whose gradients have not been computed
}

const (
	// gradientRows is the number of rows of gradients that are kept: at least those of a
	// box, the one that leaves it, and the two that are computed at a time.
	gradientRows = 16
	// maxSobelWindow is the side of the largest box.
	maxSobelWindow = 7
	// maxSobel is the largest gradient.
	maxSobel = 4 * 255
)

// A gradientRun holds the arguments of the kernel gradient, which computes a row of gradients
// along x and y from sums and differences.
type gradientRun struct {
	sums, differences *int16
	out               [2]*int16
	n                 int // a multiple of 32
}

// hasSobelWindows reports whether tensor.Windows may have kernels for boxes with this side.
func hasSobelWindows(side int) bool {
	return side <= maxSobelWindow && tensor.HasWindows(side, maxSobel*maxSobel, maxSobel*maxSobel)
}

func newSobelWindows(side int, m tensor.Measure, k *kernels) *sobelWindows {
	s := &sobelWindows{
		sobelSums: newSobelSums(k),
		side:      side,
		windows:   tensor.NewWindows(side, &m, maxStrip),
	}
	for i := range s.gradients {
		s.gradients[i] = [2][]int16{make([]int16, stripRoom), make([]int16, stripRoom)}
	}
	return s
}

func (s *sobelWindows) serves(w int) bool {
	return s.windows.Serve() && s.sobelSums.serves(w)
}

func (s *sobelWindows) start(p *plane, begin, end, y int) {
	s.sobelSums.start(p, begin, end)
	s.windows.Start(s.n)
	s.y, s.held = y, 0
	first := max(y, 0) - s.side/2
	s.known = max(first, 0)
	for i := range s.side - 1 {
		s.slide(first+i, nil)
	}
}

func (s *sobelWindows) pair(upper, lower []float32) {
	for i, row := range [...][]float32{upper, lower} {
		if y := s.y + i; y >= 0 && y < s.plane.H {
			s.slide(y+s.side-1-s.side/2, row)
		}
	}
	s.y += 2
}

// slide adds the gradients of row y to the windows, removes those of the first row if the
// windows are full, and computes a row of responses unless out is nil.
func (s *sobelWindows) slide(y int, out []float32) {
	h := s.plane.H
	for ; s.known <= raster.Mirror(y, h); s.known += 2 {
		s.makeGradients(s.known)
	}
	var leave *[2][]int16
	if s.held == s.side {
		leave = &s.gradients[raster.Mirror(y-s.side, h)%gradientRows]
	} else {
		s.held++
	}
	s.windows.Slide(&s.gradients[raster.Mirror(y, h)%gradientRows], leave, out)
}

// makeGradients computes the gradients of rows y and y+1. Those of columns beyond the image
// are mirrored.
func (s *sobelWindows) makeGradients(y int) {
	s.sum(y)
	end := s.plane.W - s.begin
	for i := range min(2, s.plane.H-y) {
		rows := &s.gradients[(y+i)%gradientRows]
		const begin = stripPadding - columnsBefore
		s.gradientRun = gradientRun{
			sums: &s.rows[2*i][begin], differences: &s.rows[2*i+1][begin],
			out: [2]*int16{&rows[0][begin], &rows[1][begin]},
			n:   (columnsBefore + s.n + columnsAfter + 31) / 32 * 32,
		}
		s.kernels.gradient(&s.gradientRun)
		for _, row := range rows {
			for j := 1; j < columnsAfter; j++ {
				if s.begin == 0 {
					row[stripPadding-j] = row[stripPadding+j]
				}
				if end <= s.n+columnsAfter {
					row[stripPadding+end-1+j] = row[stripPadding+end-1-j]
				}
			}
		}
	}
}

func (s *sobelWindows) release() {
	s.sobelSums.release()
	s.windows.Release()
}
