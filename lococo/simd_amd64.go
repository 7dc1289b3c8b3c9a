//go:build !purego

package lococo

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./lococo

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512, Kernels: kernels{
		bands:     bandsAVX512,
		gradients: [...]func(*gradientsRun){1: gradients1AVX512, 2: gradients2AVX512, 3: gradients3AVX512, 4: gradients4AVX512},
		slide:     slideAVX512,
	}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{
		bands:  bandsAVX2,
		halves: [...]func(*halvesRun){1: halves1AVX2, 2: halves2AVX2, 3: halves3AVX2, 4: halves4AVX2},
		slide:  slideAVX2,
	}},
	{Name: "sse2", Needs: cpu.SSE2, Kernels: kernels{
		bands:     bandsSSE2,
		gradients: [...]func(*gradientsRun){1: gradients1SSE2, 2: gradients2SSE2, 3: gradients3SSE2, 4: gradients4SSE2},
		slide:     slideSSE2,
	}},
}

// bandsSSE2, bandsAVX2 and bandsAVX512 replace the loop of [bands].
//
//go:noescape
func bandsSSE2(r *bandsRun)

//go:noescape
func bandsAVX2(r *bandsRun)

//go:noescape
func bandsAVX512(r *bandsRun)

// gradients1SSE2, gradients2SSE2, gradients3SSE2, gradients4SSE2, gradients1AVX512,
// gradients2AVX512, gradients3AVX512 and gradients4AVX512 replace the loop of [gradients], for kernels with that
// reach, n:
//
//	for x := range len(r.out[0]) - n {
//		r.out[0][n+x] = sum(wholes[x+n+1:][:n]) - sum(wholes[x:][:n])
//		r.out[1][n+x] = sum(halves[x+1:][:2*n-1])
//	}
//
//go:noescape
func gradients1SSE2(r *gradientsRun)

//go:noescape
func gradients2SSE2(r *gradientsRun)

//go:noescape
func gradients3SSE2(r *gradientsRun)

//go:noescape
func gradients4SSE2(r *gradientsRun)

//go:noescape
func gradients1AVX512(r *gradientsRun)

//go:noescape
func gradients2AVX512(r *gradientsRun)

//go:noescape
func gradients3AVX512(r *gradientsRun)

//go:noescape
func gradients4AVX512(r *gradientsRun)

// slideSSE2, slideAVX2 and slideAVX512 replace the loops of [slide]. The sums over columns and
// over windows are differences of prefix sums.
//
//go:noescape
func slideSSE2(r *slideRun)

//go:noescape
func slideAVX2(r *slideRun)

//go:noescape
func slideAVX512(r *slideRun)

// halves1AVX2, halves2AVX2, halves3AVX2 and halves4AVX2 compute a row of gradients as [gradients]
// and [bands] do, with kernels of that reach, from sums over columns, which they move down by a row.
//
//go:noescape
func halves1AVX2(r *halvesRun)

//go:noescape
func halves2AVX2(r *halvesRun)

//go:noescape
func halves3AVX2(r *halvesRun)

//go:noescape
func halves4AVX2(r *halvesRun)
