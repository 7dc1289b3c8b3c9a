package lococo

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/tensor"
)

// A scanner makes the responses of parts of an image, row by row. Bands of pixels slide
// down with the rows, and make the gradients of windows, which do so, too.
type scanner struct {
	size
	kernels *kernels

	plane *raster.Plane
	left  int // the first column of the image that counts
	top   int // the first row
	n     int // how many columns count
	y     int // of the bands

	// Sums over columns, of 2r-1 pixels, and of the r below a row less the r above, twice:
	// for a row and the one before. The first response has the column padding.
	bands [2][2][]int16
	run   bandsRun
	blank []byte // a row of no image

	small   *windows32 // nil for kernels or windows that are too large
	large   *windows64 // nil until it is needed
	windows windows    // one of them
}

// A windows makes responses of bands.
type windows interface {
	// serve reports whether it can, with these kernels.
	serve(k *kernels) bool
	// start forgets all rows. Rows have n responses.
	start(n int)
	// slide lets the row of gradients of bands enter windows, and the first one leave if
	// they are full, and makes a row of responses. Where dst is nil it is not wanted.
	slide(bands *[2][]int16, dst []float32)
	// release forgets what belongs to the caller.
	release()
}

// padding is the room before the first column of a row of responses, and after the last
// one: as much as a margin is at most, and whole vectors.
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

// start begins a part. Responses are defined for all of its pixels.
func (s *scanner) start(p *raster.Plane, part image.Rectangle) {
	s.plane = p
	s.left, s.top = part.Min.X-s.margin(), part.Min.Y-s.margin()
	s.n = part.Dx() + 2*s.margin()
	s.kernels = table.Best()
	if s.n < minBands {
		s.kernels = &portable
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
	// The bands of a row above all that count are 0.
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

// row makes the next row of responses.
func (s *scanner) row(dst []float32) {
	s.slideBands()
	s.windows.slide(&s.bands[0], dst)
}

// release forgets the image.
func (s *scanner) release() {
	s.plane, s.run = nil, bandsRun{}
	if s.windows != nil {
		s.windows.release()
	}
}

// pixels returns those of a row that count.
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
	// Half of the rows were among the last ones.
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
