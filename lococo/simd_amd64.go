//go:build !purego

package lococo

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./lococo

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512VNNI, Kernels: kernels{
		bands:     bandsAVX512,
		gradients: [...]func(*gradientsRun){1: gradients1AVX512, 2: gradients2AVX512, 3: gradients3AVX512, 4: gradients4AVX512},
		slide:     slideAVX512,
		integral:  integralAVX512,
	}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{
		bands:     bandsAVX2,
		gradients: [...]func(*gradientsRun){1: gradients1AVX2, 2: gradients2AVX2, 3: gradients3AVX2, 4: gradients4AVX2},
		slide:     slideAVX2,
		integral:  integralAVX2,
	}},
	{Name: "sse2", Needs: cpu.SSE2, Kernels: kernels{
		bands:     bandsSSE2,
		gradients: [...]func(*gradientsRun){1: gradients1SSE2, 2: gradients2SSE2, 3: gradients3SSE2, 4: gradients4SSE2},
		slide:     slideSSE2,
		integral:  integralSSE2,
	}},
}

//go:noescape
func bandsSSE2(r *bandsRun)

//go:noescape
func gradients1SSE2(r *gradientsRun)

//go:noescape
func gradients2SSE2(r *gradientsRun)

//go:noescape
func gradients3SSE2(r *gradientsRun)

//go:noescape
func gradients4SSE2(r *gradientsRun)

//go:noescape
func slideSSE2(r *slideRun)

//go:noescape
func integralSSE2(r *integralRun)

//go:noescape
func bandsAVX2(r *bandsRun)

//go:noescape
func gradients1AVX2(r *gradientsRun)

//go:noescape
func gradients2AVX2(r *gradientsRun)

//go:noescape
func gradients3AVX2(r *gradientsRun)

//go:noescape
func gradients4AVX2(r *gradientsRun)

//go:noescape
func slideAVX2(r *slideRun)

//go:noescape
func integralAVX2(r *integralRun)

//go:noescape
func bandsAVX512(r *bandsRun)

//go:noescape
func gradients1AVX512(r *gradientsRun)

//go:noescape
func gradients2AVX512(r *gradientsRun)

//go:noescape
func gradients3AVX512(r *gradientsRun)

//go:noescape
func gradients4AVX512(r *gradientsRun)

//go:noescape
func slideAVX512(r *slideRun)

//go:noescape
func integralAVX512(r *integralRun)
