//go:build (!amd64 && !arm64) || purego

package fast

// There is no assembly.
var (
	sse2Stages, avx2Stages, avx512Stages, neonStages *stages

	sse2Block16x1, avx2Block32x1, avx2Block16x2, avx2Block8x4 *blockKernel

	avx512Block64x1, avx512Block32x2, avx512Block16x4, avx512Block8x8 *blockKernel
)

// widen makes dst the packed corners of r.
func (st *stages) widen(dst []Corner, r *run) {
	widenPortable(dst, r, 0)
}
