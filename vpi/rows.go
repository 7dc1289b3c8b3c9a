package vpi

import (
	"encoding/binary"
	"image"
	"math"

	"github.com/fastcorners/fast/internal/raster"
)

// wordBytes is how many bytes of pixels are processed at once.
const wordBytes = 8

// A format is how words hold pixels of a size.
type format struct {
	size    int    // bytes of a pixel
	largest uint32 // pixel
	tops    uint64 // the top bits of the pixels of a word
}

var formats = [3]format{
	1: {1, math.MaxUint8, 0x8080_8080_8080_8080},
	2: {2, math.MaxUint16, 0x8000_8000_8000_8000},
}

// each returns a word whose pixels have a value.
func (f *format) each(value uint64) uint64 {
	return f.tops >> (8*f.size - 1) * value
}

// A searcher searches bands of rows of an image with its border. Coordinates are those of
// what is tested: 0, 0 is the first pixel whose circle lies there.
type searcher struct {
	circle      *circle
	format      *format
	img         *borderedImage
	threshold   int32
	kernels     *kernels
	view        view // of the chunk that is tested
	suppression bool
	w, h        int         // of what is tested
	origin      image.Point // the image's coordinates of 0, 0

	// The latest rows of the image, of unsigned, little-endian pixels, and their
	// halves, rounded down. Behind each there is room for its last chunk.
	rows, halves []byte
	stride       int // bytes from a row to the next

	candidates []candidate
	scorer     scorer
	lines      [3]line // the latest ones
	corners    []Corner
}

// slots is how many rows a searcher holds: a power of 2 that is no less than the rows of the
// largest circle.
const slots = 8

// start prepares for an image.
func (s *searcher) start(d *Detector, img *borderedImage) {
	s.circle, s.format, s.img = &d.circle, &formats[img.size], img
	s.threshold = int32(d.threshold)
	s.kernels = table.Best()
	s.view.rest, s.view.thresholds = ^s.format.tops, s.format.each(uint64(d.threshold))
	s.view.opposite = len(s.circle.pixels) / 2
	s.suppression = !d.opts.NoSuppression
	radius := d.circle.radius
	s.w, s.h = img.w-2*radius, img.h-2*radius
	inset := radius - img.margin
	s.origin = img.bounds.Min.Add(image.Pt(inset, inset))
	s.stride = roundUp(img.w*img.size) + chunkBytes + wordBytes
	s.rows = raster.Resize(s.rows, slots*s.stride)
	s.halves = raster.Resize(s.halves, slots*s.stride)
	// There is room for each pixel of a chunk as a bright and as a dark candidate, filled
	// up to a multiple of four.
	s.candidates = raster.Resize(s.candidates, 2*chunkBytes+3)
	s.corners = s.corners[:0]
}

// roundUp rounds a number of bytes up to whole words.
func roundUp(n int) int {
	return (n + wordBytes - 1) &^ (wordBytes - 1)
}

// place returns where a pixel of the image lies in the rows.
func (s *searcher) place(x, y int) int {
	return y%slots*s.stride + x*s.format.size
}

// loadRow makes row y of the image the latest one.
func (s *searcher) loadRow(y int) {
	size := s.img.w * s.img.size
	row := s.rows[s.place(0, y):][:roundUp(size)]
	halves := s.halves[s.place(0, y):][:len(row)]
	s.img.setRow(row[:size], y)
	swap := s.img.bigEndian && s.img.size == 2
	flip := s.format.each(uint64(s.img.flip))
	for i := 0; i <= len(row)-wordBytes; i += wordBytes {
		v := load(row[i:])
		if swap {
			const low = 0x00ff_00ff_00ff_00ff
			v = v&low<<8 | v>>8&low
		}
		v ^= flip
		store(row[i:], v)
		store(halves[i:], v>>1&^s.format.tops)
	}
}

// load returns the word at the beginning of b.
func load(b []byte) uint64 {
	return binary.LittleEndian.Uint64(b)
}

// store stores a word at the beginning of b.
func store(b []byte, v uint64) {
	binary.LittleEndian.PutUint64(b, v)
}

// search appends the corners in the rows from begin to end to those of s.
func (s *searcher) search(begin, end int) {
	top, bottom := begin, end
	if s.suppression {
		// The rows beside the band decide which of its corners stay.
		top, bottom = max(begin-1, 0), min(end+1, s.h)
	}
	for i := range s.lines {
		s.lines[i].start(s.w)
	}
	below := 2 * s.circle.radius
	for y := top; y < top+below; y++ {
		s.loadRow(y)
	}
	for y := top; y < bottom; y++ {
		s.loadRow(y + below)
		s.line(y).clear()
		s.test(y)
		if !s.suppression {
			s.emit(y)
		} else if y > begin {
			s.emit(y - 1)
		}
	}
	if s.suppression && bottom == end {
		s.line(bottom).clear()
		s.emit(bottom - 1)
	}
}
