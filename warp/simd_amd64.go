//go:build !purego

package warp

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./warp

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.VBMI2, Kernels: kernels{
		linear:  [3]func(*sampling){linearGrayAVX512, linearGray16AVX512, linearColorAVX512},
		nearest: [3]func(*sampling){nearestGrayAVX512, nearestGray16AVX512, nearestColorAVX512},
		turned:  linearColorAVX2,
		group:   16,
		project: projectAVX512,
		scale:   scaleAVX512,
		unpack:  unpackAVX512,
	}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{
		linear:  [3]func(*sampling){linearGrayAVX2, linearGray16AVX2, linearColorAVX2},
		nearest: [3]func(*sampling){nearestGrayAVX2, nearestGray16AVX2, nearestColorAVX2},
		turned:  linearColorAVX2,
		group:   8,
		project: projectAVX2,
		scale:   scaleAVX2,
		unpack:  unpackAVX2,
	}},
}

// linearGrayAVX2 and linearGrayAVX512 replace the loop of [linearGray]:
//
//	a := (32-fx)*upper[0] + fx*upper[1]
//	b := (32-fx)*lower[0] + fx*lower[1]
//	to[i] = ((32-fy)*a + fy*b + 512) >> 10
//
//go:noescape
func linearGrayAVX2(r *sampling)

//go:noescape
func linearGrayAVX512(r *sampling)

// linearGray16AVX2 and linearGray16AVX512 replace the loop of [linearGray16], where sums are made in
// float32 from left to right:
//
//	sum := (32-fx)*(32-fy)*upper[0] + fx*(32-fy)*upper[1] + (32-fx)*fy*lower[0] + fx*fy*lower[1]
//	to[i] = roundToEven(sum / 1024)
//
//go:noescape
func linearGray16AVX2(r *sampling)

//go:noescape
func linearGray16AVX512(r *sampling)

// linearColorAVX2 and linearColorAVX512 replace the loop of [linearColor]: the same for each of
// four channels.
//
//go:noescape
func linearColorAVX2(r *sampling)

//go:noescape
func linearColorAVX512(r *sampling)

// nearestGrayAVX2 and nearestGrayAVX512 replace the loop of [nearestGray]:
//
//	to[i] = pix[row*stride+column]
//
//go:noescape
func nearestGrayAVX2(r *sampling)

//go:noescape
func nearestGrayAVX512(r *sampling)

// nearestGray16AVX2 and nearestGray16AVX512 replace the loop of [nearestGray16]: the same for
// numbers of 16 bits.
//
//go:noescape
func nearestGray16AVX2(r *sampling)

//go:noescape
func nearestGray16AVX512(r *sampling)

// nearestColorAVX2 and nearestColorAVX512 replace the loop of [nearestColor]: the same for each
// of four channels.
//
//go:noescape
func nearestColorAVX2(r *sampling)

//go:noescape
func nearestColorAVX512(r *sampling)

// projectAVX2 and projectAVX512 replace the loop of [project]:
//
//	for i := range r.n {
//		w := r.k / (r.w0 + r.dw*i)
//		r.x[i], r.y[i] = round((r.x0+r.dx*i)*w), round((r.y0+r.dy*i)*w)
//	}
//
//go:noescape
func projectAVX2(r *projection)

//go:noescape
func projectAVX512(r *projection)

// scaleAVX2 and scaleAVX512 replace the loop of [scale]:
//
//	for i, v := range r.from {
//		r.to[i] = round(v * r.k)
//	}
//
//go:noescape
func scaleAVX2(r *scaling)

//go:noescape
func scaleAVX512(r *scaling)

// unpackAVX2 and unpackAVX512 replace the loop of [unpack]:
//
//	for i, f := range r.fraction {
//		r.x[i] = r.xy[2*i]<<5 | f&31
//		r.y[i] = r.xy[2*i+1]<<5 | f>>5&31
//	}
//
//go:noescape
func unpackAVX2(r *unpacking)

//go:noescape
func unpackAVX512(r *unpacking)
