//go:build !purego

package harris

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{{Name: "neon", Needs: cpu.NEON, Kernels: neon()}}

// neon returns the kernels for NEON, of which most are portable.
func neon() kernels {
	k := portable
	k.sum, k.gradient = sumNEON, gradientNEON
	k.refineSample, k.refineMoments, k.refineElements = refineSampleNEON, refineMomentsNEON, 4
	return k
}

// sumNEON makes sums and differences of four rows of pixels, a to d:
//
//	for x := range r.n {
//		r.sums[0][x], r.sums[1][x] = a[x]+2*b[x]+c[x], c[x]-a[x]
//		r.sums[2][x], r.sums[3][x] = b[x]+2*c[x]+d[x], d[x]-b[x]
//	}
//
//go:noescape
func sumNEON(r *sumRun)

// gradientNEON makes Sobel's gradients of these:
//
//	for x := range r.n {
//		r.out[0][x] = r.sums[x+1] - r.sums[x-1]
//		r.out[1][x] = r.differences[x-1] + 2*r.differences[x] + r.differences[x+1]
//	}
//
//go:noescape
func gradientNEON(r *gradientRun)

// refineSampleNEON replaces the loops of [sample], for all elements together.
//
//go:noescape
func refineSampleNEON(r *sampleRun)

// refineMomentsNEON replaces the loops of [moments], for all elements together.
//
//go:noescape
func refineMomentsNEON(r *momentsRun)
