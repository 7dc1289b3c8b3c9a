//go:build !purego

package fast

import "github.com/fastcorners/fast/internal/cpu"

var neonStages = &stages{
	needs:    cpu.NEON,
	block:    16,
	screen:   screenNEON,
	screen12: screen12NEON,
	compact:  compactNEON,
	exact:    [4]func(*run){exact9NEON, exact10NEON, exact11NEON, exact12NEON},
	peaks:    peaksNEON,
	wipe:     wipeNEON,
	pack:     packNEON,
}

// widen makes dst the packed corners of r. It is no entry of the table: if it were
// called through a function value, a dst on the stack would escape.
func (st *stages) widen(dst []Corner, r *run) {
	done := 0
	if st == neonStages {
		widenNEON(&dst[0], r) // all but the last three at most
		done = r.corners &^ 3
	}
	widenPortable(dst, r, done)
}

// The kernels of other processors.
var (
	sse2Stages, avx2Stages, avx512Stages *stages

	sse2Block16x1, avx2Block32x1, avx2Block16x2, avx2Block8x4 *blockKernel

	avx512Block64x1, avx512Block32x2, avx512Block16x4, avx512Block8x8 *blockKernel
)

// The functions of simd_arm64.s. What they read of the image beyond the blocks is
// the ring around them.

//go:noescape
func screenNEON(r *run)

//go:noescape
func screen12NEON(r *run)

//go:noescape
func exact9NEON(r *run)

//go:noescape
func exact10NEON(r *run)

//go:noescape
func exact11NEON(r *run)

//go:noescape
func exact12NEON(r *run)

//go:noescape
func peaksNEON(r *run)

//go:noescape
func wipeNEON(r *run)

//go:noescape
func compactNEON(r *run)

//go:noescape
func packNEON(r *run)

//go:noescape
func widenNEON(dst *Corner, r *run)
