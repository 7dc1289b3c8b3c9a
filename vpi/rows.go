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

// A lane is the memory of a worker, which searches bands of rows of an image with its border.
// Coordinates are those of what is tested: 0, 0 is the first pixel whose circle lies there.
type lane struct {
	circle      *circle
	format      *format
	img         *borderedImage
	threshold   int32
	kernels     *kernels
	sift        siftRun // of the chunk that is tested
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

// slots is how many rows a lane holds: a power of 2 that is no less than the rows of the
// largest circle.
const slots = 8

// start prepares for an image.
func (l *lane) start(d *Detector, img *borderedImage) {
	l.circle, l.format, l.img = &d.circle, &formats[img.size], img
	l.threshold = int32(d.threshold)
	l.kernels = table.Best()
	l.sift.rest, l.sift.thresholds = ^l.format.tops, l.format.each(uint64(d.threshold))
	l.sift.opposite = len(l.circle.pixels) / 2
	l.suppression = !d.opts.NoSuppression
	radius := d.circle.radius
	l.w, l.h = img.w-2*radius, img.h-2*radius
	inset := radius - img.margin
	l.origin = img.bounds.Min.Add(image.Pt(inset, inset))
	l.stride = roundUp(img.w*img.size) + chunkBytes + wordBytes
	l.rows = raster.Resize(l.rows, slots*l.stride)
	l.halves = raster.Resize(l.halves, slots*l.stride)
	// There is room for each pixel of a chunk as a bright and as a dark candidate, filled
	// up to a multiple of four.
	l.candidates = raster.Resize(l.candidates, 2*chunkBytes+3)
	l.corners = l.corners[:0]
}

// roundUp rounds a number of bytes up to whole words.
func roundUp(n int) int {
	return (n + wordBytes - 1) &^ (wordBytes - 1)
}

// place returns where a pixel of the image lies in the rows.
func (l *lane) place(x, y int) int {
	return y%slots*l.stride + x*l.format.size
}

// loadRow makes row y of the image the latest one.
func (l *lane) loadRow(y int) {
	size := l.img.w * l.img.size
	row := l.rows[l.place(0, y):][:roundUp(size)]
	halves := l.halves[l.place(0, y):][:len(row)]
	l.img.setRow(row[:size], y)
	swap := l.img.bigEndian && l.img.size == 2
	flip := l.format.each(uint64(l.img.flip))
	for i := 0; i <= len(row)-wordBytes; i += wordBytes {
		v := load(row[i:])
		if swap {
			const low = 0x00ff_00ff_00ff_00ff
			v = v&low<<8 | v>>8&low
		}
		v ^= flip
		store(row[i:], v)
		store(halves[i:], v>>1&^l.format.tops)
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

// search appends the corners in the rows from begin to end to those of l.
func (l *lane) search(begin, end int) {
	top, bottom := begin, end
	if l.suppression {
		// The rows beside the band decide which of its corners stay.
		top, bottom = max(begin-1, 0), min(end+1, l.h)
	}
	for i := range l.lines {
		l.lines[i].start(l.w)
	}
	below := 2 * l.circle.radius
	for y := top; y < top+below; y++ {
		l.loadRow(y)
	}
	for y := top; y < bottom; y++ {
		l.loadRow(y + below)
		l.line(y).clear()
		l.test(y)
		if !l.suppression {
			l.emit(y)
		} else if y > begin {
			l.emit(y - 1)
		}
	}
	if l.suppression && bottom == end {
		l.line(bottom).clear()
		l.emit(bottom - 1)
	}
}
