//go:build !purego

package fast

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C _asm run ./fast

var sieveRows = []cpu.Row[stages]{
	{Name: "avx512", Needs: cpu.VBMI2, Kernels: stages{
		kernel:   AVX512Sieve,
		block:    64,
		screen:   choose(screenTableAVX512, screenAVX512),
		screen12: choose(screenTable12AVX512, screen12AVX512),
		compact:  compactAVX512,
		exact:    [4]func(*sieveRun){exact9AVX512, exact10AVX512, exact11AVX512, exact12AVX512},
		peaks:    peaksAVX512,
		wipe:     wipeAVX512,
		pack:     packAVX512,
		widens:   16,
	}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: stages{
		kernel:   AVX2Sieve,
		block:    32,
		screen:   screenAVX2,
		screen12: screen12AVX2,
		compact:  compactAVX2,
		exact:    [4]func(*sieveRun){exact9AVX2, exact10AVX2, exact11AVX2, exact12AVX2},
		peaks:    peaksAVX2,
		wipe:     wipeAVX2,
		pack:     packAVX2,
		widens:   4,
	}},
	{Name: "sse2", Needs: cpu.SSE2, Kernels: stages{
		kernel:   SSE2Sieve,
		block:    16,
		screen:   screenSSE2,
		screen12: screen12SSE2,
		compact:  compactSSE2,
		exact:    [4]func(*sieveRun){exact9SSE2, exact10SSE2, exact11SSE2, exact12SSE2},
		peaks:    peaksSSE2,
		wipe:     wipeSSE2,
		pack:     packSSE2,
		widens:   4,
	}},
}

// blockRows holds the block kernels of each instruction set, the flattest first. A
// processor that has what those for AVX-512 need may lack what the sieve needs besides.
var blockRows = []cpu.Row[[]blockKernel]{
	{Name: "avx512", Needs: cpu.AVX512, Kernels: []blockKernel{
		{AVX512Block64x1, 64, 1, blocks64x1AVX512},
		{AVX512Block32x2, 32, 2, blocks32x2AVX512},
		{AVX512Block16x4, 16, 4, blocks16x4AVX512},
		{AVX512Block8x8, 8, 8, blocks8x8AVX512},
	}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: []blockKernel{
		{AVX2Block32x1, 32, 1, blocks32x1AVX2},
		{AVX2Block16x2, 16, 2, blocks16x2AVX2},
		{AVX2Block8x4, 8, 4, blocks8x4AVX2},
	}},
	{Name: "sse2", Needs: cpu.SSE2, Kernels: []blockKernel{{SSE2Block16x1, 16, 1, blocks16x1SSE2}}},
}

// grayRows holds the functions for gray values.
var grayRows = []cpu.Row[grayKernels]{{Name: "sse2", Needs: cpu.SSE2, Kernels: grayKernels{luma: lumaSSE2, expand: expandPortable}}}

// choose returns the function for this kind of processor. Intel's have one port for
// permutes, and one for minima and maxima.
func choose(intel, other func(*sieveRun)) func(*sieveRun) {
	if cpu.Intel() {
		return intel
	}
	return other
}

// widen makes dst the packed corners of r.
func (st *stages) widen(dst []Corner, r *sieveRun) {
	done := 0
	switch st.widens {
	case 16:
		widenAVX512(&dst[0], r)
		return
	case 4:
		widenSSE2(&dst[0], r)
		done = r.corners &^ 3
	}
	widenPortable(dst, r, done)
}

// The functions of simd_amd64.s. What they read of the image beyond the blocks is
// the ring around them, but screenAVX512 and screen12AVX512 read a block
// more to the left and right.

// screenSSE2, screen12SSE2, screenAVX2, screen12AVX2, screenAVX512 and screen12AVX512 replace
// [screenPortable]. They test the ring pixels 1, 5, 9 and 13: an arc of 9 to 11 has one of any
// two opposite ones, and an arc of 12 has three of all four:
//
//	for x := range block {
//		if fails(r.first + int(r.offsets[i]) + x) {
//			r.grid[i] |= 1 << x
//		}
//	}
//
//go:noescape
func screenSSE2(r *sieveRun)

//go:noescape
func screen12SSE2(r *sieveRun)

//go:noescape
func screenAVX2(r *sieveRun)

//go:noescape
func screen12AVX2(r *sieveRun)

//go:noescape
func screenAVX512(r *sieveRun)

//go:noescape
func screen12AVX512(r *sieveRun)

// screenTableAVX512 and screenTable12AVX512 are screenAVX512 and screen12AVX512 for processors
// with one port for permutes, by the table of offsets.
//
//go:noescape
func screenTableAVX512(r *sieveRun)

//go:noescape
func screenTable12AVX512(r *sieveRun)

// compactSSE2, compactAVX2 and compactAVX512 replace the loop of [compactPortable]:
//
//	for i, mask := range r.from {
//		if mask = r.allowed[i] &^ mask; mask != 0 {
//			r.masks[r.count], r.origins[r.count] = mask, r.fromOrigins[i]
//			r.count++
//		}
//	}
//
//go:noescape
func compactSSE2(r *sieveRun)

//go:noescape
func compactAVX2(r *sieveRun)

//go:noescape
func compactAVX512(r *sieveRun)

// exact9SSE2, exact10SSE2, exact11SSE2, exact12SSE2, exact9AVX2, exact10AVX2, exact11AVX2,
// exact12AVX2, exact9AVX512, exact10AVX512, exact11AVX512 and exact12AVX512 replace the loop of
// [exactPortable] for arcs of that length, for all pixels of a block at once:
//
//	for x := range block {
//		scores[x] = difference(bestArc(x))
//		if scores[x] <= r.threshold {
//			r.masks[i] &^= 1 << x
//			scores[x] = 0
//		}
//	}
//
//go:noescape
func exact9SSE2(r *sieveRun)

//go:noescape
func exact10SSE2(r *sieveRun)

//go:noescape
func exact11SSE2(r *sieveRun)

//go:noescape
func exact12SSE2(r *sieveRun)

//go:noescape
func exact9AVX2(r *sieveRun)

//go:noescape
func exact10AVX2(r *sieveRun)

//go:noescape
func exact11AVX2(r *sieveRun)

//go:noescape
func exact12AVX2(r *sieveRun)

//go:noescape
func exact9AVX512(r *sieveRun)

//go:noescape
func exact10AVX512(r *sieveRun)

//go:noescape
func exact11AVX512(r *sieveRun)

//go:noescape
func exact12AVX512(r *sieveRun)

// peaksSSE2, peaksAVX2 and peaksAVX512 replace the loop of [peaksPortable]:
//
//	for x := range block {
//		if scores[x] <= max(earlier(x), later(x)-r.tie) {
//			r.masks[i] &^= 1 << x
//		}
//	}
//
//go:noescape
func peaksSSE2(r *sieveRun)

//go:noescape
func peaksAVX2(r *sieveRun)

//go:noescape
func peaksAVX512(r *sieveRun)

// wipeSSE2, wipeAVX2 and wipeAVX512 replace the loop of [wipePortable]:
//
//	for _, origin := range r.origins[:r.count] {
//		clear(r.scores[at(origin):][:block])
//	}
//
//go:noescape
func wipeSSE2(r *sieveRun)

//go:noescape
func wipeAVX2(r *sieveRun)

//go:noescape
func wipeAVX512(r *sieveRun)

// packSSE2, packAVX2 and packAVX512 replace the loop of [packPortable]:
//
//	for i, mask := range r.masks[:r.count] {
//		for ; mask != 0; mask &= mask - 1 {
//			r.packed[r.corners] = r.origins[i] + uint32(bits.TrailingZeros64(mask))
//			r.corners++
//		}
//	}
//
//go:noescape
func packSSE2(r *sieveRun)

//go:noescape
func packAVX2(r *sieveRun)

//go:noescape
func packAVX512(r *sieveRun)

// widenSSE2 and widenAVX512 replace the loop of [widenPortable]:
//
//	for i, position := range r.packed[:r.corners] {
//		dst[i] = Corner{r.x + int32(position&0xffff), r.y + int32(position>>16), r.packedScores[i]}
//	}
//
//go:noescape
func widenSSE2(dst *Corner, r *sieveRun)

//go:noescape
func widenAVX512(dst *Corner, r *sieveRun)

// lumaSSE2 replaces the loop of [lumaPortable]:
//
//	for i := range r.dst {
//		r.dst[i] = r.src[2*i+r.shift/8]
//	}
//
//go:noescape
func lumaSSE2(r *grayRun)

// blocks16x1SSE2, blocks32x1AVX2, blocks16x2AVX2, blocks8x4AVX2, blocks64x1AVX512,
// blocks32x2AVX512, blocks16x4AVX512 and blocks8x8AVX512 set the masks of the FAST-10 corners of
// blocks of that size:
//
//	for y := range h {
//		for x := range w {
//			masks[y] |= corner(x, y) << x
//		}
//	}
//
//go:noescape
func blocks16x1SSE2(r *blockRun)

//go:noescape
func blocks32x1AVX2(r *blockRun)

//go:noescape
func blocks16x2AVX2(r *blockRun)

//go:noescape
func blocks8x4AVX2(r *blockRun)

//go:noescape
func blocks64x1AVX512(r *blockRun)

//go:noescape
func blocks32x2AVX512(r *blockRun)

//go:noescape
func blocks16x4AVX512(r *blockRun)

//go:noescape
func blocks8x8AVX512(r *blockRun)
