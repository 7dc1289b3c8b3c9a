//go:build !purego

package tensor

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../../_asm run ./tensor

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512VNNI, Kernels: kernels{
		columns: 32,
		slide:   [maxWindow + 1]func(*slideRun){2: slide2AVX512, 3: slide3AVX512, 5: slide5AVX512, 7: slide7AVX512, 9: slide9AVX512},
		respond: respondAVX512,
	}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{
		columns: 16,
		slide:   [maxWindow + 1]func(*slideRun){2: slide2AVX2, 3: slide3AVX2, 5: slide5AVX2, 7: slide7AVX2, 9: slide9AVX2},
		halves:  [maxWindow + 1]func(*slideRun){3: slideHalves3AVX2, 5: slideHalves5AVX2, 7: slideHalves7AVX2, 9: slideHalves9AVX2},
		respond: respondAVX2,
	}},
	{Name: "sse2", Needs: cpu.SSE2, Kernels: kernels{
		columns: 8,
		slide:   [maxWindow + 1]func(*slideRun){2: slide2SSE2, 3: slide3SSE2, 5: slide5SSE2, 7: slide7SSE2, 9: slide9SSE2},
		respond: respondSSE2,
	}},
}

// slide2SSE2, slide3SSE2, slide5SSE2, slide7SSE2, slide9SSE2, slide2AVX2, slide3AVX2,
// slide5AVX2, slide7AVX2, slide9AVX2, slide2AVX512, slide3AVX512, slide5AVX512, slide7AVX512 and
// slide9AVX512 let a row of gradients enter windows of that side, and another row leave them,
// and make a row of responses. gx and gy are the products of the one row less those of the
// other:
//
//	for x := range columns {
//		a[x] += gx * gx
//		b[x] += gy * gy
//		c[x] += gx * gy
//		out[x] = measure(sum(a[x:][:side]), sum(b[x:][:side]), sum(c[x:][:side]))
//	}
//
//go:noescape
func slide2SSE2(r *slideRun)

//go:noescape
func slide3SSE2(r *slideRun)

//go:noescape
func slide5SSE2(r *slideRun)

//go:noescape
func slide7SSE2(r *slideRun)

//go:noescape
func slide9SSE2(r *slideRun)

//go:noescape
func slide2AVX2(r *slideRun)

//go:noescape
func slide3AVX2(r *slideRun)

//go:noescape
func slide5AVX2(r *slideRun)

//go:noescape
func slide7AVX2(r *slideRun)

//go:noescape
func slide9AVX2(r *slideRun)

//go:noescape
func slide2AVX512(r *slideRun)

//go:noescape
func slide3AVX512(r *slideRun)

//go:noescape
func slide5AVX512(r *slideRun)

//go:noescape
func slide7AVX512(r *slideRun)

//go:noescape
func slide9AVX512(r *slideRun)

// respondAVX512, respondAVX2 and respondSSE2 replace the loop of [respond]:
//
//	for i := range r.out {
//		r.out[i] = measure(r.in[0][i], r.in[1][i], r.in[2][i])
//	}
//
//go:noescape
func respondAVX512(r *respondRun)

//go:noescape
func respondAVX2(r *respondRun)

//go:noescape
func respondSSE2(r *respondRun)

// slideHalves3AVX2, slideHalves5AVX2, slideHalves7AVX2 and slideHalves9AVX2 do what slide3AVX2 and
// its siblings do, for rows whose halves lie in the halves of vectors.
//
//go:noescape
func slideHalves3AVX2(r *slideRun)

//go:noescape
func slideHalves5AVX2(r *slideRun)

//go:noescape
func slideHalves7AVX2(r *slideRun)

//go:noescape
func slideHalves9AVX2(r *slideRun)
