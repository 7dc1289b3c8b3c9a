package lococo

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/tensor"
)

// A scanner computes the responses of parts of an image, row by row. Bands of pixels and
// windows slide down over the image: from the bands come the gradients in the windows.
type scanner struct {
	size
	kernels *kernels

	plane *raster.Plane
	left  int // the first column of the image that is looked at
	top   int // the first row
	n     int // columns that are looked at
	y     int // the row of the bands

	// Two bands for row y and two for the row above: the sums over columns of the 2r-1 pixels
	// around the row, and of the r pixels below it minus the r pixels above it. The first
	// response is in column padding.
	bands [2][2][]int16
	run   bandsRun
	blank []byte // stands for rows above the first one

	small   *windows32 // nil if kernels or windows are too large
	large   *windows64 // nil until it is needed
	windows windows    // the one in use

	halves *halves // nil until they are needed
	halved bool    // whether they are in use, instead of bands and windows
}

// A windows computes responses from bands.
type windows interface {
	// serve sets the kernels, and reports whether they can be used.
	serve(k *kernels) bool
	// start drops all rows. The rows that follow have n responses.
	start(n int)
	// slide lets the row of gradients of the bands enter the windows, and the first row leave
	// them if they are full. Unless dst is nil, it computes the row of responses.
	slide(bands *[2][]int16, dst []float32)
	// release drops what belongs to the caller.
	release()
}

// padding is the room before the first column of a row of responses and after the last one,
// for the largest margin and for whole vectors.
const padding = tensor.Padding

func newScanner(s size) *scanner {
	c := &scanner{size: s}
	if s.has32() {
		c.small = newWindows32(s)
	}
	const width = padding + maxStrip + padding
	for i := range c.bands {
		c.bands[i] = [2][]int16{make([]int16, width), make([]int16, width)}
	}
	c.blank = make([]byte, width)
	return c
}

// start begins a part of an image. Responses are defined for all of its pixels.
func (s *scanner) start(p *raster.Plane, part image.Rectangle) {
	s.plane = p
	s.left, s.top = part.Min.X-s.margin(), part.Min.Y-s.margin()
	s.n = part.Dx() + 2*s.margin()
	s.kernels = table.Best()
	if s.n < minBands {
		s.kernels = &portable
	}
	if s.halved = s.small != nil && s.kernels.halves[s.r] != nil && tensor.HasHalves(); s.halved {
		if s.halves == nil {
			s.halves = newHalves(s.size)
		}
		s.halves.start(s.kernels, p, part)
		return
	}
	if s.small != nil && s.small.serve(s.kernels) {
		s.windows = s.small
	} else {
		if s.large == nil {
			s.large = newWindows64(s.size)
		}
		s.large.serve(s.kernels)
		s.windows = s.large
	}
	s.windows.start(part.Dx())
	// Above the first row the bands are 0.
	for _, band := range s.bands[0] {
		clear(band)
	}
	for i := range s.run.rows {
		s.run.rows[i] = s.blank[:s.n]
	}
	for s.y = s.top - s.r - 1; s.y < s.top+s.r-1; {
		s.slideBands()
	}
	for range 2 * s.q {
		s.slideBands()
		s.windows.slide(&s.bands[0], nil)
	}
}

// row computes the next row of responses.
func (s *scanner) row(dst []float32) {
	if s.halved {
		s.halves.row(dst)
		return
	}
	s.slideBands()
	s.windows.slide(&s.bands[0], dst)
}

// release drops the image.
func (s *scanner) release() {
	s.plane, s.run = nil, bandsRun{}
	if s.windows != nil {
		s.windows.release()
	}
	if s.halves != nil {
		s.halves.release()
	}
}

// pixels returns the pixels of a row that are looked at.
func (s *scanner) pixels(y int) []byte {
	if y < s.top {
		return s.blank[:s.n]
	}
	return s.plane.Row(y)[s.left : s.left+s.n]
}

// slideBands moves the bands down by a row.
func (s *scanner) slideBands() {
	s.y++
	s.bands[0], s.bands[1] = s.bands[1], s.bands[0]
	// Half of the rows are those of the last time.
	rows := &s.run.rows
	rows[0], rows[2], rows[4] = rows[1], rows[3], rows[5]
	rows[1], rows[3], rows[5] = s.pixels(s.y-s.r), s.pixels(s.y), s.pixels(s.y+s.r)
	const soon = 4
	s.run.ahead = &s.pixels(min(s.y+s.r+soon, s.plane.H-1))[0]
	begin := padding - s.margin()
	for i := range s.bands[0] {
		s.run.old[i], s.run.out[i] = s.bands[1][i][begin:], s.bands[0][i][begin:]
	}
	s.kernels.bands(&s.run)
}
