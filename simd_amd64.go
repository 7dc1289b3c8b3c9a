//go:build !purego

package fast

import "golang.org/x/sys/cpu"

//go:generate go -C _asm run . ../simd_amd64.s

// What this processor has: for each instruction set, every feature that its
// functions use.
var (
	haveSSE2   = cpu.X86.HasSSE2
	haveAVX2   = cpu.X86.HasAVX && cpu.X86.HasAVX2
	haveAVX512 = haveAVX2 && cpu.X86.HasPOPCNT && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW &&
		cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ
	haveVBMI2 = haveAVX512 && cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512VBMI2
)

// The block functions find the FAST-10 corners of n blocks of pixels that lie
// side by side:
//
//	for i := range n {
//		for y := range h {
//			for x := range w {
//				if isCorner10(pix, y*stride+i*w+x, ringOffsets(stride), threshold) {
//					set bit i*w+x of the row of hits that begins y*hitStride bytes after hits
//				}
//			}
//		}
//	}
//
// They overwrite all bits of a block that has a corner and may leave those of
// others as they are: the bits must be zero before. n is at least 1. The
// pixels up to 3 beyond the blocks are read.

//go:noescape
func blocks16x1SSE2(hits *uint64, hitStride int, pix *byte, stride, n int, threshold uint8)

//go:noescape
func blocks32x1AVX2(hits *uint64, hitStride int, pix *byte, stride, n int, threshold uint8)

//go:noescape
func blocks16x2AVX2(hits *uint64, hitStride int, pix *byte, stride, n int, threshold uint8)

//go:noescape
func blocks8x4AVX2(hits *uint64, hitStride int, pix *byte, stride, n int, threshold uint8)

//go:noescape
func blocks64x1AVX512(hits *uint64, hitStride int, pix *byte, stride, n int, threshold uint8)

//go:noescape
func blocks32x2AVX512(hits *uint64, hitStride int, pix *byte, stride, n int, threshold uint8)

//go:noescape
func blocks16x4AVX512(hits *uint64, hitStride int, pix *byte, stride, n int, threshold uint8)

//go:noescape
func blocks8x8AVX512(hits *uint64, hitStride int, pix *byte, stride, n int, threshold uint8)

// blocks calls the function of kernel k.
func blocks(k Kernel, hits *uint64, hitStride int, pix *byte, stride, n int, threshold uint8) {
	switch k {
	case SSE2Block16x1:
		blocks16x1SSE2(hits, hitStride, pix, stride, n, threshold)
	case AVX2Block32x1:
		blocks32x1AVX2(hits, hitStride, pix, stride, n, threshold)
	case AVX2Block16x2:
		blocks16x2AVX2(hits, hitStride, pix, stride, n, threshold)
	case AVX2Block8x4:
		blocks8x4AVX2(hits, hitStride, pix, stride, n, threshold)
	case AVX512Block64x1:
		blocks64x1AVX512(hits, hitStride, pix, stride, n, threshold)
	case AVX512Block32x2:
		blocks32x2AVX512(hits, hitStride, pix, stride, n, threshold)
	case AVX512Block16x4:
		blocks16x4AVX512(hits, hitStride, pix, stride, n, threshold)
	case AVX512Block8x8:
		blocks8x8AVX512(hits, hitStride, pix, stride, n, threshold)
	}
}

// compactAVX512 copies the words that are not zero, with their origins, and
// returns how many there are:
//
//	for i := range n {
//		if from[i] != 0 {
//			hits[k], origins[k] = from[i], fromOrigins[i]
//			k++
//		}
//	}
//
// It works in place, too. It handles 8 words at once: words of from beyond n
// must be zero, up to a multiple of 8, and the results need room for 8 more.
//
//go:noescape
func compactAVX512(hits *uint64, origins *uint32, from *uint64, fromOrigins *uint32, n int) int

// packAVX512 lists the bits that are set and returns how many there are:
//
//	for i := range n {
//		for x := range 64 {
//			if hits[i]>>x&1 != 0 {
//				corners[k] = origins[i] + uint32(x)
//				k++
//			}
//		}
//	}
//
// It writes 16 corners at once, or 64: corners needs room for 64 more.
//
//go:noescape
func packAVX512(corners *uint32, hits *uint64, origins *uint32, n int) int
