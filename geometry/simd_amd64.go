//go:build !purego

package geometry

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./geometry

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512, Kernels: kernels{scoreAffineAVX512, scoreProjectiveAVX512, sumAffineAVX512, sumProjectiveAVX512}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{scoreAffineAVX2, scoreProjectiveAVX2, sumAffineAVX2, sumProjectiveAVX2}},
}

// scoreAffineAVX2 and scoreAffineAVX512 replace the loop of [scoreAffine]:
//
//	for i := r.begin; i < r.end; i++ {
//		if m := loss(pair(i)); m <= 1 {
//			r.masks[i/lanes] |= 1 << (i % lanes)
//			r.support[i%lanes] += 1 - m
//		}
//	}
//
//go:noescape
func scoreAffineAVX2(r *run)

//go:noescape
func scoreAffineAVX512(r *run)

// scoreProjectiveAVX2 and scoreProjectiveAVX512 replace the loop of [scoreProjective], which
// divides by the third coordinate.
//
//go:noescape
func scoreProjectiveAVX2(r *run)

//go:noescape
func scoreProjectiveAVX512(r *run)

// sumAffineAVX2 and sumAffineAVX512 replace the loop of [sumAffine], which also adds each inlier
// to 12 sums:
//
//	for k, v := range terms(i) {
//		r.sums[k][i%lanes] += v
//	}
//
//go:noescape
func sumAffineAVX2(r *run)

//go:noescape
func sumAffineAVX512(r *run)

// sumProjectiveAVX2 and sumProjectiveAVX512 replace the loop of [sumProjective]: the same for 27
// sums.
//
//go:noescape
func sumProjectiveAVX2(r *run)

//go:noescape
func sumProjectiveAVX512(r *run)
