//go:build !purego

package orb

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./orb

// Only rows of pixels gain from wider vectors than those of AVX2.
var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.VBMI2 | cpu.AVX2FMA, Kernels: kernels{
		window:  32,
		strip:   16,
		resize:  resizeAVX512,
		harris:  harrisAVX2,
		moments: momentsAVX2,
		smooth:  smoothAVX512,
		sample:  sampleAVX2,
		compare: compareAVX2,
	}},
	{Name: "avx2", Needs: cpu.AVX2FMA, Kernels: kernels{
		window:  8,
		strip:   8,
		resize:  resizeAVX2,
		harris:  harrisAVX2,
		moments: momentsAVX2,
		smooth:  smoothAVX2,
		sample:  sampleAVX2,
		compare: compareAVX2,
	}},
}

// resizeAVX2 and resizeAVX512 replace the loop of [resizePortable]:
//
//	for x := range dst {
//		first, second := line(tap.first)[x], line(tap.second)[x]
//		dst[x] = (tap.weights[0]*first + tap.weights[1]*second + 1<<15) >> 16
//	}
//
//go:noescape
func resizeAVX2(r *resizeRun)

//go:noescape
func resizeAVX512(r *resizeRun)

// harrisAVX2 replaces the loop of [harrisPortable], over the windows of 7 by 7 pixels of the
// corners:
//
//	for i := range 49 {
//		xx += gx[i] * gx[i]
//		yy += gy[i] * gy[i]
//		xy += gx[i] * gy[i]
//	}
//
//go:noescape
func harrisAVX2(r *harrisRun)

// momentsAVX2 replaces the loop of [momentsPortable], over the pixels of a disc:
//
//	for i, p := range pixels {
//		r.m10 += x[i] * p
//		r.m01 += y[i] * p
//	}
//
//go:noescape
func momentsAVX2(r *momentRun)

// smoothAVX2 and smoothAVX512 replace the loops of [smoothPortable]: a filter of seven taps
// along the rows, and the same down the columns, with sums of floats by fused operations.
//
//go:noescape
func smoothAVX2(r *smoothRun)

//go:noescape
func smoothAVX512(r *smoothRun)

// sampleAVX2 replaces the loop of [samplePortable]:
//
//	for i := range r.values {
//		r.values[i] = pixel(turned(r.xs[i], r.ys[i]))
//	}
//
//go:noescape
func sampleAVX2(r *sampleRun)

// compareAVX2 replaces the loop of [comparePortable]:
//
//	for i := range pairs {
//		if pixel(first(i)) < pixel(second(i)) {
//			r.desc[i/8] |= 1 << (i % 8)
//		}
//	}
//
//go:noescape
func compareAVX2(r *sampleRun)
