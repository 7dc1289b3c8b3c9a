package fast

import (
	"math/bits"
	"slices"
	"sync"
)

// callPixels is how many pixels, about, one call of an assembly function looks
// at. Such a call cannot be preempted, so it must not take long.
const callPixels = 1 << 14

// Hits are sets of pixels: rows of bits, in words of 64, in which the corners
// are set. A run is a stretch of hits that one call emits: some whole rows, or a
// part of a long one.
const runWords = callPixels / 64

// scratch is the memory that the detection of one band of rows needs. It is
// reused, so that detection does not allocate in the long run.
type scratch struct {
	hits []uint64
	// corners holds the corners of a run, packed: the row in the run in the
	// upper 16 bits, the column in the lower 16.
	corners [callPixels]uint32
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// zeroHits returns n words of hits with no bit set.
func (s *scratch) zeroHits(n int) []uint64 {
	s.hits = slices.Grow(s.hits[:0], n)[:n]
	clear(s.hits)
	return s.hits
}

// emit appends the corners of rows of hits to dst, width words to a row. Bit 0
// of the first word is the pixel x, y.
func (s *scratch) emit(dst []Corner, hits []uint64, width, x, y int) []Corner {
	if width > runWords {
		for ; len(hits) > 0; hits, y = hits[width:], y+1 {
			for i := 0; i < width; i += runWords {
				dst = s.emitRun(dst, hits[i:min(i+runWords, width)], width, x+64*i, y)
			}
		}
		return dst
	}
	for rows := runWords / width; len(hits) > 0; y += rows {
		n := min(rows*width, len(hits))
		dst = s.emitRun(dst, hits[:n], width, x, y)
		hits = hits[n:]
	}
	return dst
}

// emitRun appends the corners of one run.
func (s *scratch) emitRun(dst []Corner, hits []uint64, width, x, y int) []Corner {
	packed := s.corners[:pack(&s.corners, hits, width)]
	dst = slices.Grow(dst, len(packed))
	for _, c := range packed {
		dst = append(dst, Corner{X: int32(x) + int32(c&0xffff), Y: int32(y) + int32(c>>16)})
	}
	return dst
}

// pack writes the corners of a run to packed and returns how many there are.
func pack(packed *[callPixels]uint32, hits []uint64, width int) int {
	n := 0
	for origin := uint32(0); len(hits) > 0; origin += 1 << 16 {
		row := hits[:min(width, len(hits))]
		hits = hits[len(row):]
		for i, set := range row {
			for ; set != 0; set &= set - 1 {
				packed[n] = origin + uint32(64*i+bits.TrailingZeros64(set))
				n++
			}
		}
	}
	return n
}
