//go:build !purego

package geometry

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./geometry

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512, Kernels: kernels{scoreAffineAVX512, scoreProjectiveAVX512, sumAffineAVX512, sumProjectiveAVX512}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{scoreAffineAVX2, scoreProjectiveAVX2, sumAffineAVX2, sumProjectiveAVX2}},
}

//go:noescape
func scoreAffineAVX2(r *run)

//go:noescape
func scoreProjectiveAVX2(r *run)

//go:noescape
func sumAffineAVX2(r *run)

//go:noescape
func sumProjectiveAVX2(r *run)

//go:noescape
func scoreAffineAVX512(r *run)

//go:noescape
func scoreProjectiveAVX512(r *run)

//go:noescape
func sumAffineAVX512(r *run)

//go:noescape
func sumProjectiveAVX512(r *run)
