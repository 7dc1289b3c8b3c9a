//go:build !purego

package integral

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./integral

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512VNNI, Kernels: kernels{sumRows: sumRowsAVX512}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{sumRows: sumRowsAVX2}},
	{Name: "sse2", Needs: cpu.SSE2, Kernels: kernels{sumRows: sumRowsSSE2}},
}

// sumRowsSSE2, sumRowsAVX2 and sumRowsAVX512 replace the loops of [sumRows]:
//
//	for x, v := range pixels {
//		sum += uint32(v)
//		sums[x+1] = above[x+1] + sum
//	}
//
//go:noescape
func sumRowsSSE2(r *sumRun)

//go:noescape
func sumRowsAVX2(r *sumRun)

//go:noescape
func sumRowsAVX512(r *sumRun)
