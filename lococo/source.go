package lococo

import (
	"image"

	"github.com/fastcorners/fast/internal/tensor"
)

// A plane is the gray values of an image.
type plane struct {
	w, h   int
	pix    []byte
	stride int
}

func newPlane(img *image.Gray) plane {
	if img == nil || img.Rect.Empty() {
		return plane{}
	}
	return plane{w: img.Rect.Dx(), h: img.Rect.Dy(), pix: img.Pix, stride: img.Stride}
}

// row returns columns of row y.
func (p *plane) row(y, begin, end int) []byte {
	return p.pix[y*p.stride:][begin:end]
}

// A source makes the responses of a part of an image, row by row. Bands of pixels slide
// down with the rows, and make the gradients of windows, which do so, too.
type source struct {
	size
	kernels *kernels // nil for those in Go

	plane *plane
	left  int // the first column of the image that counts
	top   int // the first row
	n     int // how many columns count
	y     int // of the bands

	// Sums over columns, of 2r-1 pixels, and of the r below a row less the r above, twice:
	// for a row and the one before. The first response has the column padding.
	bands [2][2][]int16
	rows  [6][]byte // as a bandsRun has them
	blank []byte    // a row of no image
	run   bandsRun

	narrow *narrow // nil where it cannot serve
	wide   *wide   // nil until it is needed
	window window  // one of them
}

// A window makes responses of bands.
type window interface {
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

// bandsPixels is how many pixels a bandsRun has at least.
const bandsPixels = 32

// A bandsRun is bands to be moved down by a row. Of r+1 rows above that row, r below and
// itself it needs the first two and the last two, and itself and the one above.
type bandsRun struct {
	rows     [6]*byte
	ahead    *byte // a row that will be needed soon
	old, out [2]*int16
	n        int
}

func newSource(s size) *source {
	src := &source{size: s}
	if s.isNarrow() {
		src.narrow = newNarrow(s)
	}
	const width = padding + maxStrip + padding
	for i := range src.bands {
		src.bands[i] = [2][]int16{make([]int16, width), make([]int16, width)}
	}
	src.blank = make([]byte, width)
	return src
}

// start begins a part. Responses are defined for all of its pixels.
func (s *source) start(p *plane, part image.Rectangle) {
	s.plane = p
	s.left, s.top = part.Min.X-s.margin(), part.Min.Y-s.margin()
	s.n = part.Dx() + 2*s.margin()
	s.kernels = nil
	if s.n >= bandsPixels {
		s.kernels = bestKernels()
	}
	if s.kernels != nil && s.narrow != nil && s.narrow.serve(s.kernels) {
		s.window = s.narrow
	} else {
		if s.wide == nil {
			s.wide = newWide(s.size)
		}
		s.wide.kernels = s.kernels
		s.window = s.wide
	}
	s.window.start(part.Dx())
	// The bands of a row above all that count are 0.
	for _, band := range s.bands[0] {
		clear(band)
	}
	for i := range s.rows {
		s.rows[i] = s.blank[:s.n]
	}
	for s.y = s.top - s.r - 1; s.y < s.top+s.r-1; {
		s.slideBands()
	}
	for range 2 * s.q {
		s.slideBands()
		s.window.slide(&s.bands[0], nil)
	}
}

// row makes the next row of responses.
func (s *source) row(dst []float32) {
	s.slideBands()
	s.window.slide(&s.bands[0], dst)
}

// release forgets the image.
func (s *source) release() {
	s.plane, s.rows, s.run = nil, [6][]byte{}, bandsRun{}
	if s.window != nil {
		s.window.release()
	}
}

// pixels returns those of a row that count.
func (s *source) pixels(y int) []byte {
	if y < s.top {
		return s.blank[:s.n]
	}
	return s.plane.row(y, s.left, s.left+s.n)
}

// slideBands moves the bands down by a row.
func (s *source) slideBands() {
	s.y++
	s.bands[0], s.bands[1] = s.bands[1], s.bands[0]
	// Half of the rows were among the last ones.
	rows := &s.rows
	rows[0], rows[2], rows[4] = rows[1], rows[3], rows[5]
	rows[1], rows[3], rows[5] = s.pixels(s.y-s.r), s.pixels(s.y), s.pixels(s.y+s.r)
	begin := padding - s.margin()
	if s.kernels != nil {
		const soon = 4
		s.run.ahead = &s.pixels(min(s.y+s.r+soon, s.plane.h-1))[0]
		for i, row := range rows {
			s.run.rows[i] = &row[0]
		}
		for i := range s.run.old {
			s.run.old[i], s.run.out[i] = &s.bands[1][i][begin], &s.bands[0][i][begin]
		}
		s.run.n = s.n
		s.kernels.bands(&s.run)
		return
	}
	oldWholes, oldHalves := s.bands[1][0][begin:][:s.n], s.bands[1][1][begin:][:s.n]
	wholes, halves := s.bands[0][0][begin:][:s.n], s.bands[0][1][begin:][:s.n]
	top, leave := rows[0][:s.n], rows[1][:s.n]
	above, here := rows[2][:s.n], rows[3][:s.n]
	enter, bottom := rows[4][:s.n], rows[5][:s.n]
	for i := range wholes {
		wholes[i] = oldWholes[i] + int16(enter[i]) - int16(leave[i])
		halves[i] = oldHalves[i] + int16(bottom[i]) - int16(here[i]) - int16(above[i]) + int16(top[i])
	}
}
