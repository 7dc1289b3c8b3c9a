package fast

import (
	"math/bits"
	"slices"
	"sync"
)

// callPixels is how many pixels, about, one call of an assembly function looks
// at. Such a call cannot be preempted, so it must not take long.
const callPixels = 1 << 14

// Hits are sets of pixels: words whose bits are set where there is a corner, or
// where there may be one. A run is a stretch of words that is worked at once:
// whole rows, or a part of a long row. A word has an origin, the position of
// its bit 0 in the run: the row in the upper 16 bits, the column in the lower
// 16. maxWords is for the narrowest vectors, one word each.
const (
	maxWords = callPixels / 16
	slack    = 8 // the words that compactAVX512 handles at once
)

type (
	words   [maxWords + slack]uint64
	origins [maxWords + slack]uint32
)

// A scratch is the memory that the detection of one band of rows needs. It is
// reused, so that detection does not allocate in the long run.
type scratch struct {
	isa  isa      // the instruction set of the kernel
	band []uint64 // the hits of a band

	// The origins of runs with so many words to a row, each of so many pixels.
	origins origins
	width   int
	pixels  int

	// The words of a run that are not zero.
	hits       words
	hitOrigins origins

	packed [callPixels + 64]uint32 // the corners of a run, as origins are
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// newScratch returns a scratch for kernel k, to be put into scratchPool.
func newScratch(k Kernel) *scratch {
	s := scratchPool.Get().(*scratch)
	s.isa = kernels[k].isa
	if s.isa == avx512 && haveVBMI2 {
		s.isa = avx512vbmi2
	}
	return s
}

// growBand returns n words for the hits of a band; they hold anything.
func (s *scratch) growBand(n int) []uint64 {
	s.band = slices.Grow(s.band[:0], n+slack)
	return s.band[:n]
}

// setOrigins makes the origins for runs with so many words to a row, each of so
// many pixels.
func (s *scratch) setOrigins(width, pixels int) {
	if s.width == width && s.pixels == pixels {
		return
	}
	s.width, s.pixels = width, pixels
	for i := range s.origins {
		s.origins[i] = uint32(i/width)<<16 | uint32(i%width*pixels)
	}
}

// emitRows appends the corners of rows of hits, width words of 64 pixels to a
// row, to dst. Bit 0 of the first word is the pixel x, y.
func (s *scratch) emitRows(dst []Corner, hits []uint64, width, x, y int) []Corner {
	const runWords = callPixels / 64
	s.setOrigins(min(width, runWords), 64)
	if width <= runWords {
		rows := runWords / width
		for ; len(hits) > rows*width; y += rows {
			dst = s.emit(dst, s.compact(hits[:rows*width], &s.origins), x, y)
			hits = hits[rows*width:]
		}
		return s.emit(dst, s.compact(hits, &s.origins), x, y)
	}
	for ; len(hits) > 0; y++ {
		for i := 0; i < width; i += runWords {
			dst = s.emit(dst, s.compact(hits[i:min(i+runWords, width)], &s.origins), x+64*i, y)
		}
		hits = hits[width:]
	}
	return dst
}

// compact makes s.hits the words of a run that are not zero and returns how
// many there are. The run may be s.hits itself.
func (s *scratch) compact(run []uint64, o *origins) int {
	n := len(run)
	switch {
	case n == 0:
		return 0
	case s.isa == avx512vbmi2:
		return compactAVX512(&s.hits[0], &s.hitOrigins[0], &run[0], &o[0], n)
	case s.isa != portable:
		return compactSSE2(&s.hits[0], &s.hitOrigins[0], &run[0], &o[0], n)
	}
	k := 0
	for i, word := range run {
		if word != 0 {
			s.hits[k], s.hitOrigins[k] = word, o[i]
			k++
		}
	}
	return k
}

// emit appends the corners of the first n words of s.hits to dst. The run
// begins at the pixel x, y.
func (s *scratch) emit(dst []Corner, n, x, y int) []Corner {
	if n == 0 {
		return dst
	}
	switch s.isa {
	case avx512vbmi2:
		n = packAVX512(&s.packed[0], &s.hits[0], &s.hitOrigins[0], n)
	case avx2, avx512:
		n = packAVX2(&s.packed[0], &s.hits[0], &s.hitOrigins[0], n)
	case portable:
		n = s.pack(n)
	default:
		n = packSSE2(&s.packed[0], &s.hits[0], &s.hitOrigins[0], n)
	}
	end := len(dst)
	dst = slices.Grow(dst, n)[:end+n]
	done := 0
	switch s.isa {
	case avx512vbmi2:
		widenAVX512(&dst[end], &s.packed[0], n, int32(x), int32(y))
		done = n
	case portable:
	default:
		if done = n &^ 3; done > 0 {
			widenSSE2(&dst[end], &s.packed[0], done, int32(x), int32(y))
		}
	}
	for i := done; i < n; i++ {
		c := s.packed[i]
		dst[end+i] = Corner{X: int32(x) + int32(c&0xffff), Y: int32(y) + int32(c>>16)}
	}
	return dst
}

// pack makes s.packed the positions of the bits of the first n words of s.hits
// and returns how many there are.
func (s *scratch) pack(n int) int {
	k := 0
	for i, word := range s.hits[:n] {
		for ; word != 0; word &= word - 1 {
			s.packed[k] = s.hitOrigins[i] + uint32(bits.TrailingZeros64(word))
			k++
		}
	}
	return k
}
