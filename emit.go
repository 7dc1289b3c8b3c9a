package fast

import (
	"math/bits"
	"slices"
	"sync"
)

// callPixels is how many pixels, about, one call of an assembly function looks
// at. Such a call cannot be preempted, so it must not take long.
const callPixels = 1 << 14

// Hits are sets of pixels: rows of words whose bits are set where there is a
// corner. A run is a stretch of hits that is emitted at once: some whole rows,
// or a part of a long one. Words of a run have an origin, the position of their
// first pixel in the run: the row in the upper 16 bits, the column in the lower
// 16.
const (
	runWords = callPixels / 64
	slack    = 8 // the words that compactAVX512 handles at once
)

// scratch is the memory that the detection of one band of rows needs. It is
// reused, so that detection does not allocate in the long run.
type scratch struct {
	band []uint64 // the hits of a band

	width   int // the words to a row that origins was made for
	origins [runWords + slack]uint32

	// What is left of a run's words without those that are zero.
	hits       [runWords + slack]uint64
	hitOrigins [runWords + slack]uint32

	corners [callPixels + 64]uint32 // the corners of a run, as origins are
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// zeroBand returns n words of hits with no bit set, and as many more as
// compactAVX512 may read.
func (s *scratch) zeroBand(n int) []uint64 {
	s.band = slices.Grow(s.band[:0], n+slack)[:n+slack]
	clear(s.band)
	return s.band[:n]
}

// setWidth makes the origins for rows of so many words.
func (s *scratch) setWidth(width int) {
	width = min(width, runWords)
	if s.width == width {
		return
	}
	s.width = width
	for i := range s.origins {
		s.origins[i] = uint32(i/width)<<16 | uint32(i%width)*64
	}
}

// emit appends the corners of a band's rows of hits, width words to a row, to
// dst. Bit 0 of the first word is the pixel x, y.
func (s *scratch) emit(dst []Corner, hits []uint64, width, x, y int) []Corner {
	s.setWidth(width)
	if width <= runWords {
		rows := runWords / width
		for ; len(hits) > rows*width; y += rows {
			dst = s.emitRun(dst, hits[:rows*width], x, y)
			hits = hits[rows*width:]
		}
		return s.emitRun(dst, hits, x, y)
	}
	for ; len(hits) > 0; y++ {
		for i := 0; i < width; i += runWords {
			dst = s.emitRun(dst, hits[i:min(i+runWords, width)], x+64*i, y)
		}
		hits = hits[width:]
	}
	return dst
}

// emitRun appends the corners of one run.
func (s *scratch) emitRun(dst []Corner, hits []uint64, x, y int) []Corner {
	n := 0
	if haveVBMI2 {
		words := compactAVX512(&s.hits[0], &s.hitOrigins[0], &hits[0], &s.origins[0], len(hits))
		n = packAVX512(&s.corners[0], &s.hits[0], &s.hitOrigins[0], words)
	} else {
		n = pack(&s.corners, hits, &s.origins)
	}
	dst = slices.Grow(dst, n)
	end := len(dst)
	dst = dst[:end+n]
	for i, c := range s.corners[:n] {
		dst[end+i] = Corner{X: int32(x) + int32(c&0xffff), Y: int32(y) + int32(c>>16)}
	}
	return dst
}

// pack lists the corners of a run and returns how many there are.
func pack(corners *[callPixels + 64]uint32, hits []uint64, origins *[runWords + slack]uint32) int {
	n := 0
	for i, set := range hits {
		for ; set != 0; set &= set - 1 {
			corners[n] = origins[i] + uint32(bits.TrailingZeros64(set))
			n++
		}
	}
	return n
}
