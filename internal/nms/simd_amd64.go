//go:build !purego

package nms

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../../_asm run ./nms

// Where vectors of 256 bits do not fit, those of 128 may.
var assembly = []cpu.Row[kernels]{
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{lanes: 8, maximize: maximizeAVX2, peaks: peaksAVX2}},
	{Name: "sse2", Needs: cpu.SSE2, Kernels: kernels{lanes: 4, maximize: maximizeSSE2, peaks: peaksSSE2}},
}

//go:noescape
func maximizeSSE2(r *maximizeRun)

//go:noescape
func maximizeAVX2(r *maximizeRun)

//go:noescape
func peaksSSE2(r *peaksRun)

//go:noescape
func peaksAVX2(r *peaksRun)
