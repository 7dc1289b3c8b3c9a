//go:build !purego

package fast

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C _asm run ./fast

var sse2Stages = &stages{
	needs:    cpu.SSE2,
	block:    16,
	screen:   screenSSE2,
	screen12: screen12SSE2,
	compact:  compactSSE2,
	exact:    [4]func(*run){exact9SSE2, exact10SSE2, exact11SSE2, exact12SSE2},
	peaks:    peaksSSE2,
	wipe:     wipeSSE2,
	pack:     packSSE2,
}

var avx2Stages = &stages{
	needs:    cpu.AVX2,
	block:    32,
	screen:   screenAVX2,
	screen12: screen12AVX2,
	compact:  compactAVX2,
	exact:    [4]func(*run){exact9AVX2, exact10AVX2, exact11AVX2, exact12AVX2},
	peaks:    peaksAVX2,
	wipe:     wipeAVX2,
	pack:     packAVX2,
}

var avx512Stages = &stages{
	needs:    cpu.VBMI2,
	block:    64,
	screen:   choose(screenTableAVX512, screenAVX512),
	screen12: choose(screenTable12AVX512, screen12AVX512),
	compact:  compactAVX512,
	exact:    [4]func(*run){exact9AVX512, exact10AVX512, exact11AVX512, exact12AVX512},
	peaks:    peaksAVX512,
	wipe:     wipeAVX512,
	pack:     packAVX512,
}

// neonStages are those of other processors.
var neonStages *stages

// choose returns the function for this kind of processor. Intel's have one port for
// permutes, and one for minima and maxima.
func choose(intel, other func(*run)) func(*run) {
	if cpu.Intel() {
		return intel
	}
	return other
}

// widen makes dst the packed corners of r. It is no entry of the table: if it were
// called through a function value, a dst on the stack would escape.
func (st *stages) widen(dst []Corner, r *run) {
	switch st {
	case avx512Stages:
		widenAVX512(&dst[0], r)
	case avx2Stages, sse2Stages:
		widenSSE2(&dst[0], r) // all but the last three at most
		widenPortable(dst, r, r.corners&^3)
	default:
		widenPortable(dst, r, 0)
	}
}

// The block kernels. A processor that has what those for AVX-512 need may lack what
// its sieve needs besides.
var (
	sse2Block16x1 = &blockKernel{16, 1, cpu.SSE2, blocks16x1SSE2, nil, []*stages{sse2Stages}}

	avx2Block32x1 = &blockKernel{32, 1, cpu.AVX2, blocks32x1AVX2, nil, []*stages{avx2Stages}}
	avx2Block16x2 = &blockKernel{16, 2, cpu.AVX2, blocks16x2AVX2, avx2Block32x1, []*stages{avx2Stages}}
	avx2Block8x4  = &blockKernel{8, 4, cpu.AVX2, blocks8x4AVX2, avx2Block16x2, []*stages{avx2Stages}}

	avx512Block64x1 = &blockKernel{64, 1, cpu.AVX512, blocks64x1AVX512, nil, []*stages{avx512Stages, avx2Stages}}
	avx512Block32x2 = &blockKernel{32, 2, cpu.AVX512, blocks32x2AVX512, avx512Block64x1, []*stages{avx512Stages, avx2Stages}}
	avx512Block16x4 = &blockKernel{16, 4, cpu.AVX512, blocks16x4AVX512, avx512Block32x2, []*stages{avx512Stages, avx2Stages}}
	avx512Block8x8  = &blockKernel{8, 8, cpu.AVX512, blocks8x8AVX512, avx512Block16x4, []*stages{avx512Stages, avx2Stages}}
)

// The functions of simd_amd64.s. What they read of the image beyond the blocks is
// the ring around them, but screenAVX512 and screen12AVX512 read a block
// more to the left and right.

//go:noescape
func screenSSE2(r *run)

//go:noescape
func screen12SSE2(r *run)

//go:noescape
func exact9SSE2(r *run)

//go:noescape
func exact10SSE2(r *run)

//go:noescape
func exact11SSE2(r *run)

//go:noescape
func exact12SSE2(r *run)

//go:noescape
func peaksSSE2(r *run)

//go:noescape
func wipeSSE2(r *run)

//go:noescape
func compactSSE2(r *run)

//go:noescape
func compactAVX2(r *run)

//go:noescape
func packSSE2(r *run)

//go:noescape
func screenAVX2(r *run)

//go:noescape
func screen12AVX2(r *run)

//go:noescape
func exact9AVX2(r *run)

//go:noescape
func exact10AVX2(r *run)

//go:noescape
func exact11AVX2(r *run)

//go:noescape
func exact12AVX2(r *run)

//go:noescape
func peaksAVX2(r *run)

//go:noescape
func wipeAVX2(r *run)

//go:noescape
func packAVX2(r *run)

//go:noescape
func screenAVX512(r *run)

//go:noescape
func screenTableAVX512(r *run)

//go:noescape
func screen12AVX512(r *run)

//go:noescape
func screenTable12AVX512(r *run)

//go:noescape
func exact9AVX512(r *run)

//go:noescape
func exact10AVX512(r *run)

//go:noescape
func exact11AVX512(r *run)

//go:noescape
func exact12AVX512(r *run)

//go:noescape
func peaksAVX512(r *run)

//go:noescape
func wipeAVX512(r *run)

//go:noescape
func compactAVX512(r *run)

//go:noescape
func packAVX512(r *run)

//go:noescape
func widenSSE2(dst *Corner, r *run)

//go:noescape
func widenAVX512(dst *Corner, r *run)

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
