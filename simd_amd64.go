//go:build !purego

package fast

import "golang.org/x/sys/cpu"

//go:generate go -C _asm run . ../simd_amd64.s

// What this processor has: for each instruction set, every feature that its
// functions use.
var (
	haveSSE2   = cpu.X86.HasSSE2
	haveAVX2   = cpu.X86.HasAVX && cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT
	haveAVX512 = haveAVX2 && cpu.X86.HasBMI2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW &&
		cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ
	haveVBMI2 = haveAVX512 && cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512VBMI2
)

// The block functions find the FAST-10 corners of n blocks of pixels that lie
// side by side:
//
//	for i := range n {
//		for y := range h {
//			for x := range w {
//				if the pixel at pix[y*stride+i*w+x] is a corner {
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

// The screen functions are the first stage of the sieve. They set bit x of the
// masks where a pixel may be a corner, by the ring pixels 1, 5, 9 and 13 only:
//
//	for y := range rows {
//		for i := range blocks {
//			*masks = set of the pixels of the block at pix[y*stride+i*size] that pass
//			if i == 0 {
//				*masks &= first
//			}
//			if i == blocks-1 {
//				*masks &= last
//			}
//			masks++
//		}
//	}
//
// A block has as many pixels as a vector. rows and blocks are at least 1.
// screen serves arcs of 9 to 11 ring pixels, screen12 those of 12. They read
// the blocks 3 rows above and below, too. Those of SSE2 and AVX2 read 3 pixels
// to the left and right of the blocks, those of AVX-512 64.

//go:noescape
func screenSSE2(masks *uint64, pix *byte, stride, rows, blocks int, first, last uint64, threshold uint8)

//go:noescape
func screenAVX2(masks *uint64, pix *byte, stride, rows, blocks int, first, last uint64, threshold uint8)

//go:noescape
func screenAVX512(masks *uint64, pix *byte, stride, rows, blocks int, first, last uint64, threshold uint8)

//go:noescape
func screen12SSE2(masks *uint64, pix *byte, stride, rows, blocks int, first, last uint64, threshold uint8)

//go:noescape
func screen12AVX2(masks *uint64, pix *byte, stride, rows, blocks int, first, last uint64, threshold uint8)

//go:noescape
func screen12AVX512(masks *uint64, pix *byte, stride, rows, blocks int, first, last uint64, threshold uint8)

// screen calls the function of an instruction set for an arc length.
func screen(s isa, arc int, masks *uint64, pix *byte, stride, rows, blocks int, first, last uint64, threshold uint8) {
	switch {
	case s == sse2 && arc < 12:
		screenSSE2(masks, pix, stride, rows, blocks, first, last, threshold)
	case s == sse2:
		screen12SSE2(masks, pix, stride, rows, blocks, first, last, threshold)
	case s == avx2 && arc < 12:
		screenAVX2(masks, pix, stride, rows, blocks, first, last, threshold)
	case s == avx2:
		screen12AVX2(masks, pix, stride, rows, blocks, first, last, threshold)
	case arc < 12:
		screenAVX512(masks, pix, stride, rows, blocks, first, last, threshold)
	default:
		screen12AVX512(masks, pix, stride, rows, blocks, first, last, threshold)
	}
}

// The exact functions are the second stage of the sieve: they clear the bits of
// the pixels that are not corners.
//
//	for i := range n {
//		for x := range size {
//			if the pixel at pix[origins[i]>>16*stride+origins[i]&0xffff+x] is no corner {
//				masks[i] &^= 1 << x
//			}
//		}
//	}
//
// Where scores is not nil they store a byte for each pixel of the block, 0 if
// it is no corner and otherwise its score and 1, in the same place of rows that
// lie scoreStride bytes apart.
//
// n is at least 1. The pixels up to 3 beyond the blocks are read.

//go:noescape
func exact9SSE2(masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int)

//go:noescape
func exact10SSE2(masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int)

//go:noescape
func exact11SSE2(masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int)

//go:noescape
func exact12SSE2(masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int)

//go:noescape
func exact9AVX2(masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int)

//go:noescape
func exact10AVX2(masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int)

//go:noescape
func exact11AVX2(masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int)

//go:noescape
func exact12AVX2(masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int)

//go:noescape
func exact9AVX512(masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int)

//go:noescape
func exact10AVX512(masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int)

//go:noescape
func exact11AVX512(masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int)

//go:noescape
func exact12AVX512(masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int)

// exact calls the function of an instruction set for an arc length.
func exact(s isa, arc int, masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int) {
	switch s {
	case sse2:
		switch arc {
		case 9:
			exact9SSE2(masks, origins, n, pix, stride, threshold, scores, scoreStride)
		case 10:
			exact10SSE2(masks, origins, n, pix, stride, threshold, scores, scoreStride)
		case 11:
			exact11SSE2(masks, origins, n, pix, stride, threshold, scores, scoreStride)
		default:
			exact12SSE2(masks, origins, n, pix, stride, threshold, scores, scoreStride)
		}
	case avx2:
		switch arc {
		case 9:
			exact9AVX2(masks, origins, n, pix, stride, threshold, scores, scoreStride)
		case 10:
			exact10AVX2(masks, origins, n, pix, stride, threshold, scores, scoreStride)
		case 11:
			exact11AVX2(masks, origins, n, pix, stride, threshold, scores, scoreStride)
		default:
			exact12AVX2(masks, origins, n, pix, stride, threshold, scores, scoreStride)
		}
	default:
		switch arc {
		case 9:
			exact9AVX512(masks, origins, n, pix, stride, threshold, scores, scoreStride)
		case 10:
			exact10AVX512(masks, origins, n, pix, stride, threshold, scores, scoreStride)
		case 11:
			exact11AVX512(masks, origins, n, pix, stride, threshold, scores, scoreStride)
		default:
			exact12AVX512(masks, origins, n, pix, stride, threshold, scores, scoreStride)
		}
	}
}

// The peaks functions clear the bits of the pixels whose score is not greater
// than those of all eight pixels around it. The scores are those that the exact
// functions store. n is at least 1.

//go:noescape
func peaksSSE2(masks *uint64, origins *uint32, n int, scores *byte, scoreStride int)

//go:noescape
func peaksAVX2(masks *uint64, origins *uint32, n int, scores *byte, scoreStride int)

//go:noescape
func peaksAVX512(masks *uint64, origins *uint32, n int, scores *byte, scoreStride int)

// peaks calls the function of an instruction set.
func peaks(s isa, masks *uint64, origins *uint32, n int, scores *byte, scoreStride int) {
	switch s {
	case sse2:
		peaksSSE2(masks, origins, n, scores, scoreStride)
	case avx2:
		peaksAVX2(masks, origins, n, scores, scoreStride)
	default:
		peaksAVX512(masks, origins, n, scores, scoreStride)
	}
}

// The wipe functions set the scores of n blocks to 0. n is at least 1.

//go:noescape
func wipeSSE2(origins *uint32, n int, scores *byte, scoreStride int)

//go:noescape
func wipeAVX2(origins *uint32, n int, scores *byte, scoreStride int)

//go:noescape
func wipeAVX512(origins *uint32, n int, scores *byte, scoreStride int)

// wipe calls the function of an instruction set.
func wipe(s isa, origins *uint32, n int, scores *byte, scoreStride int) {
	switch s {
	case sse2:
		wipeSSE2(origins, n, scores, scoreStride)
	case avx2:
		wipeAVX2(origins, n, scores, scoreStride)
	default:
		wipeAVX512(origins, n, scores, scoreStride)
	}
}

// compactAVX512 and compactSSE2 copy the words that are not zero, with their
// origins, and return how many there are:
//
//	for i := range n {
//		if from[i] != 0 {
//			hits[k], origins[k] = from[i], fromOrigins[i]
//			k++
//		}
//	}
//
// They work in place, too. n is at least 1. compactAVX512 reads and writes 8
// words at once: both sides need room for 7 more.

//go:noescape
func compactAVX512(hits *uint64, origins *uint32, from *uint64, fromOrigins *uint32, n int) int

//go:noescape
func compactSSE2(hits *uint64, origins *uint32, from *uint64, fromOrigins *uint32, n int) int

// The pack functions list the bits that are set and return how many there
// are:
//
//	for i := range n {
//		for x := range 64 {
//			if hits[i]>>x&1 != 0 {
//				packed[k] = origins[i] + uint32(x)
//				if scores != nil {
//					packedScores[k] = scores[origins[i]>>16*scoreStride+origins[i]&0xffff+x] - 1
//				}
//				k++
//			}
//		}
//	}
//
// n is at least 1. They write up to 64 corners at once: packed and packedScores
// need room for 64 more. They may read the scores up to 64 bytes behind an
// origin.

//go:noescape
func packSSE2(packed *uint32, hits *uint64, origins *uint32, n int, packedScores *uint8, scores *byte, scoreStride int) int

//go:noescape
func packAVX2(packed *uint32, hits *uint64, origins *uint32, n int, packedScores *uint8, scores *byte, scoreStride int) int

//go:noescape
func packAVX512(packed *uint32, hits *uint64, origins *uint32, n int, packedScores *uint8, scores *byte, scoreStride int) int

// widenAVX512 and widenSSE2 make Corners of packed positions, relative to the
// pixel x, y:
//
//	for i := range n {
//		corners[i] = Corner{X: x + int32(packed[i]&0xffff), Y: y + int32(packed[i]>>16)}
//		if packedScores != nil {
//			corners[i].Score = packedScores[i]
//		}
//	}
//
// widenAVX512 reads 16 corners at once: packed and packedScores have room for
// 15 more.
// widenSSE2 needs n to be a multiple of 4, and more than 0.

//go:noescape
func widenSSE2(corners *Corner, packed *uint32, n int, x, y int32, packedScores *uint8)

//go:noescape
func widenAVX512(corners *Corner, packed *uint32, n int, x, y int32, packedScores *uint8)
