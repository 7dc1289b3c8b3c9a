// Package fft correlates pictures with templates, exactly: in floating point by the fast Fourier
// transform, and rounded to the integers that the sums are. The error before that is far below one
// half, so results are the same on every platform, whatever the instructions.
//
// For a template of w x h numbers, which fit int16, and pixels of 8 or 16 bits, the sum of a place
// (x, y) is that of the products of the template's numbers with the pixels from (x, y) on. The
// picture is cut into tiles, two of which are the real and the imaginary parts of one complex
// transform (overlap-save). A template is transformed once:
//
//	size, _ := fft.Choose(places, w, h)
//	spectrum := fft.NewSpectrum(size, template, stride, w, h)
//
// and then one block of places after the other is made, by any number of goroutines, each with a
// Scratch of its own:
//
//	step := spectrum.Block()
//	for y := 0; y < places.Y; y += step.Y {
//		for x := 0; x < places.X; x += step.X {
//			dst := fft.Sums{Ints: sums[y*places.X+x:], Stride: places.X}
//			spectrum.Correlate(dst, pixels, x, y, &scratch)
//		}
//	}
//
// # Method
//
// The data are cells of 4 or 8 adjacent columns, as the vectors of the processor have them, in
// strips of one cell a row. The transform over the rows is done strip by strip, and it begins with
// the conversion of pixels. That over the columns is one of cells, followed by one within cells.
// Its last step, the product and the first step back are one. Frequencies stay in the order in
// which decimation in frequency leaves them, from which decimation in time takes them back (J. W.
// Cooley and J. W. Tukey, "An algorithm for the machine calculation of complex Fourier series",
// 1965; W. M. Gentleman and G. Sande, "Fast Fourier transforms for fun and profit", 1966).
package fft

import (
	"fmt"
	"image"
	"sync"
)

// The sides of tiles are powers of two in this range.
const (
	MinSide = 64
	MaxSide = 2048
)

// Pixels is a picture, of bytes or, if there are none, of words. The first pixel is the upper left
// one, and rows have Stride elements.
type Pixels struct {
	Bytes  []uint8
	Words  []int16
	Stride int
	W, H   int
}

// Sums is where sums are stored: as 32 bits or, if there are none of them, as 64. Rows have Stride
// elements.
type Sums struct {
	Ints   []int32
	Longs  []int64
	Stride int
}

// A Spectrum is the transform of a template. It is safe for concurrent use.
type Spectrum struct {
	plan  *plan
	w, h  int // of the template
	cells []float64
}

// scratches has those in which templates are transformed: fresh memory takes longer than that.
var scratches = sync.Pool{New: func() any { return new(Scratch) }}

// NewSpectrum transforms a template of w x h numbers, in rows of stride elements, for tiles of that
// size, which are at least as large.
func NewSpectrum(size image.Point, template []int16, stride, w, h int) *Spectrum {
	if w < 1 || h < 1 || w > size.X || h > size.Y {
		panic(fmt.Sprintf("fft: a template of %d x %d for tiles of %v", w, h, size))
	}
	return newSpectrum(planOf(size), template, stride, w, h)
}

// newSpectrum is NewSpectrum with a plan.
func newSpectrum(p *plan, template []int16, stride, w, h int) *Spectrum {
	size := p.size
	s := &Spectrum{p, w, h, make([]float64, 2*size.X*size.Y)}
	c := scratches.Get().(*Scratch)
	defer scratches.Put(c)
	c.resize(p)
	source := Pixels{Words: template, Stride: stride, W: w, H: h}
	c.load(p, source, [2]image.Point{{}, {0, h}})
	r := &c.pass
	c.forwardRows(p, (w+p.lanes-1)/p.lanes)
	r.scale = 1 / float64(size.X*size.Y)
	c.columns(p, s.cells, true)
	c.forget()
	return s
}

// Block returns the size of a block of places, which one call of Correlate is for.
func (s *Spectrum) Block() image.Point { return blockOf(s.plan.size, s.w, s.h) }

// blockOf returns the places of two tiles of a size, side by side, for templates of w x h numbers. The
// rows of a tile are whole cells if there are any.
func blockOf(size image.Point, w, h int) image.Point {
	n := size.X - w + 1
	if n > maxLanes {
		n -= n % maxLanes
	}
	return image.Pt(2*n, size.Y-h+1)
}

// Correlate stores the sums of the block whose first place is (x, y), which is a place of the
// picture. The first number of dst is that place's. No number is stored that is of no place. The
// sums must fit dst. They are exact if the template has at most 1<<20 numbers and the product of
// the largest magnitudes of pixels and of the template's numbers is at most 1<<22.
func (s *Spectrum) Correlate(dst Sums, src Pixels, x, y int, c *Scratch) {
	p, block := s.plan, s.Block()
	apart := block.X / 2
	c.resize(p)
	c.load(p, src, [2]image.Point{{x, y}, {x + apart, y}})
	c.forwardRows(p, p.strips)
	c.columns(p, s.cells, false)
	w, h := min(block.X, src.W-s.w+1-x), min(block.Y, src.H-s.h+1-y)
	c.backRows(p, dst, [2]int{min(w, apart), max(0, w-apart)}, h, apart)
	c.forget()
}
