//go:build !purego

package vpi

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./vpi

var assembly = []cpu.Row[kernels]{
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{sift: siftAVX2}},
	{Name: "sse2", Needs: cpu.SSE2, Kernels: kernels{sift: siftSSE2}},
}

//go:noescape
func siftAVX2(r *view)

//go:noescape
func siftSSE2(r *view)
