//go:build !purego

package harris

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./harris

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512VNNI | cpu.AVX2FMA, Kernels: kernels{
		peaks:            peaksAVX2, // most of its loads are not aligned, and wider ones straddle cache lines
		extremes:         extremesAVX512,
		widen:            widenAVX512,
		weighSums:        weighSumsAVX512,
		weighDifferences: weighDifferencesAVX512,
		multiply:         multiplyAVX512,
		slideDoubles:     slideDoublesAVX512,
		boxDoubles:       boxDoublesAVX512,
		refineSample:     refineSampleAVX2,
		refineMoments:    refineMomentsAVX512,
		refineElements:   8,
		sum:              sumAVX512,
		gradient:         gradientAVX512,
		respond:          respondAVX512,
		columns:          32,
		gradients7:       gradients7AVX512,
		products7:        products7AVX512,
		columns7:         columns7AVX512,
		respond7:         respond7AVX512,
	}},
	{Name: "avx2", Needs: cpu.AVX2FMA, Kernels: kernels{
		peaks:            peaksAVX2,
		extremes:         extremesAVX2,
		widen:            widenAVX2,
		weighSums:        weighSumsAVX2,
		weighDifferences: weighDifferencesAVX2,
		multiply:         multiplyAVX2,
		slideDoubles:     slideDoublesAVX2,
		boxDoubles:       boxDoublesAVX2,
		refineSample:     refineSampleAVX2,
		refineMoments:    refineMomentsAVX2,
		refineElements:   8,
		sum:              sumAVX2,
		gradient:         gradientAVX2,
		respond:          respondAVX2,
		columns:          16,
		gradients7:       gradients7AVX2,
		products7:        products7AVX2,
		columns7:         columns7AVX2,
		respond7:         respond7AVX2,
	}},
	{Name: "sse2", Needs: cpu.SSE2, Kernels: kernels{
		peaks:            peaksSSE2,
		extremes:         extremesSSE2,
		widen:            widenSSE2,
		weighSums:        weighSumsSSE2,
		weighDifferences: weighDifferencesSSE2,
		multiply:         multiplySSE2,
		slideDoubles:     slideDoublesSSE2,
		boxDoubles:       boxDoublesSSE2,
		refineSample:     sample,
		refineMoments:    moments,
		refineElements:   1,
		sum:              sumSSE2,
		gradient:         gradientSSE2,
		respond:          respondSSE2,
		columns:          8,
		gradients7:       gradients7SSE2,
		products7:        products7SSE2,
		columns7:         columns7SSE2,
		respond7:         respond7SSE2,
	}},
}

// sumSSE2, sumAVX2 and sumAVX512 make sums and differences of four rows of pixels, a to d:
//
//	for x := range r.n {
//		r.sums[0][x], r.sums[1][x] = a[x]+2*b[x]+c[x], c[x]-a[x]
//		r.sums[2][x], r.sums[3][x] = b[x]+2*c[x]+d[x], d[x]-b[x]
//	}
//
//go:noescape
func sumSSE2(r *sumRun)

//go:noescape
func sumAVX2(r *sumRun)

//go:noescape
func sumAVX512(r *sumRun)

// gradientSSE2, gradientAVX2 and gradientAVX512 make Sobel's gradients of these:
//
//	for x := range r.n {
//		r.out[0][x] = r.sums[x+1] - r.sums[x-1]
//		r.out[1][x] = r.differences[x-1] + 2*r.differences[x] + r.differences[x+1]
//	}
//
//go:noescape
func gradientSSE2(r *gradientRun)

//go:noescape
func gradientAVX2(r *gradientRun)

//go:noescape
func gradientAVX512(r *gradientRun)

// respondSSE2, respondAVX2 and respondAVX512 make two rows of responses of windows of 3 by 3
// pixels, from the gradients gx and gy of the rows, block by block:
//
//	for i := range 9 {
//		a += gx[i] * gx[i]
//		b += gy[i] * gy[i]
//		c += gx[i] * gy[i]
//	}
//	out[x] = measure(a, b, c)
//
//go:noescape
func respondSSE2(r *respondRun)

//go:noescape
func respondAVX2(r *respondRun)

//go:noescape
func respondAVX512(r *respondRun)

// peaksSSE2 and peaksAVX2 replace the loop of [peaks]:
//
//	for x, v := range row {
//		if v >= r.threshold[0] && v >= around(x) {
//			r.masks[x/32] |= 1 << (x % 32)
//		}
//		r.largest[0] = max(r.largest[0], v)
//	}
//
//go:noescape
func peaksSSE2(r *peaksRun)

//go:noescape
func peaksAVX2(r *peaksRun)

// extremesSSE2, extremesAVX2 and extremesAVX512 replace the loop of [extremes]:
//
//	for i, v := range r.row {
//		r.largest[i%16], r.smallest[i%16] = max(r.largest[i%16], v), min(r.smallest[i%16], v)
//	}
//
//go:noescape
func extremesSSE2(r *extremesRun)

//go:noescape
func extremesAVX2(r *extremesRun)

//go:noescape
func extremesAVX512(r *extremesRun)

// widenSSE2, widenAVX2 and widenAVX512 replace the loop of [widen]:
//
//	for i := range r.dst {
//		r.dst[i] = float32(r.src[i])
//	}
//
//go:noescape
func widenSSE2(r *widenRun)

//go:noescape
func widenAVX2(r *widenRun)

//go:noescape
func widenAVX512(r *widenRun)

// weighSumsSSE2, weighSumsAVX2 and weighSumsAVX512 replace the loops of [weighSums]:
//
//	for i := range r.out {
//		r.out[i] = r.weights[0] * middle[i]
//		for k := 1; k < len(r.weights); k++ {
//			r.out[i] += r.weights[k] * (before[k][i] + after[k][i])
//		}
//	}
//
//go:noescape
func weighSumsSSE2(r *weighRun)

//go:noescape
func weighSumsAVX2(r *weighRun)

//go:noescape
func weighSumsAVX512(r *weighRun)

// weighDifferencesSSE2, weighDifferencesAVX2 and weighDifferencesAVX512 replace the loops of
// [weighDifferences]: the same with after[k][i] - before[k][i].
//
//go:noescape
func weighDifferencesSSE2(r *weighRun)

//go:noescape
func weighDifferencesAVX2(r *weighRun)

//go:noescape
func weighDifferencesAVX512(r *weighRun)

// multiplySSE2, multiplyAVX2 and multiplyAVX512 replace the loop of [multiply]:
//
//	for i, x := range r.x {
//		y := r.y[i]
//		r.products[0][i], r.products[1][i], r.products[2][i] = x*x, y*y, x*y
//	}
//
//go:noescape
func multiplySSE2(r *multiplyRun)

//go:noescape
func multiplyAVX2(r *multiplyRun)

//go:noescape
func multiplyAVX512(r *multiplyRun)

// slideDoublesSSE2, slideDoublesAVX2 and slideDoublesAVX512 replace the loop of [slideDoubles]:
//
//	for x := range r.n {
//		r.sums[0][x] += enter.x[x]*enter.x[x] - leave.x[x]*leave.x[x] // and so on
//	}
//
//go:noescape
func slideDoublesSSE2(r *slideDoublesRun)

//go:noescape
func slideDoublesAVX2(r *slideDoublesRun)

//go:noescape
func slideDoublesAVX512(r *slideDoublesRun)

// boxDoublesSSE2, boxDoublesAVX2 and boxDoublesAVX512 replace the loop of [boxDoubles], for each
// of three rows:
//
//	for x := range r.n {
//		for _, v := range in[x:][:r.side] {
//			sum += v
//		}
//		out[x] = float32(sum)
//	}
//
//go:noescape
func boxDoublesSSE2(r *boxRun)

//go:noescape
func boxDoublesAVX2(r *boxRun)

//go:noescape
func boxDoublesAVX512(r *boxRun)

// gradients7SSE2, gradients7AVX2 and gradients7AVX512 smooth and derive eight rows down the
// columns, to two of each:
//
//	for x := range r.n {
//		r.out[i][x] = smooth[0]*rows[i+3][x] + smooth[1]*(rows[i+2][x]+rows[i+4][x]) + ...
//		r.out[2+i][x] = derive[1]*(rows[i+4][x]-rows[i+2][x]) + ...
//	}
//
//go:noescape
func gradients7SSE2(r *gaussian7Run)

//go:noescape
func gradients7AVX2(r *gaussian7Run)

//go:noescape
func gradients7AVX512(r *gaussian7Run)

// products7SSE2, products7AVX2 and products7AVX512 derive the first row along itself, which
// gives gx, and smooth the second one, which gives gy:
//
//	for x := range r.n {
//		r.out[0][x], r.out[1][x], r.out[2][x] = gx*gx, gy*gy, gx*gy
//	}
//
//go:noescape
func products7SSE2(r *gaussian7Run)

//go:noescape
func products7AVX2(r *gaussian7Run)

//go:noescape
func products7AVX512(r *gaussian7Run)

// columns7SSE2, columns7AVX2 and columns7AVX512 smooth eight rows down the columns, to two, as
// gradients7SSE2 does.
//
//go:noescape
func columns7SSE2(r *gaussian7Run)

//go:noescape
func columns7AVX2(r *gaussian7Run)

//go:noescape
func columns7AVX512(r *gaussian7Run)

// respond7SSE2, respond7AVX2 and respond7AVX512 smooth three rows of sums along themselves, to
// a, b and c:
//
//	for x := range r.n {
//		r.out[0][x] = measure(a, b, c)
//	}
//
//go:noescape
func respond7SSE2(r *gaussian7Run)

//go:noescape
func respond7AVX2(r *gaussian7Run)

//go:noescape
func respond7AVX512(r *gaussian7Run)

// refineSampleAVX2 replaces the loops of [sample], for all elements together.
//
//go:noescape
func refineSampleAVX2(r *sampleRun)

// refineMomentsAVX2 and refineMomentsAVX512 replace the loops of [moments], for all elements
// together.
//
//go:noescape
func refineMomentsAVX2(r *momentsRun)

//go:noescape
func refineMomentsAVX512(r *momentsRun)
