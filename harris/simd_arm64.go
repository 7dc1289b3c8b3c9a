//go:build !purego

package harris

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{{Name: "neon", Needs: cpu.NEON, Kernels: neon()}}

// neon returns the kernels for NEON, of which most are portable.
func neon() kernels {
	k := portable
	k.sum, k.gradient = sumNEON, gradientNEON
	k.refineSample, k.refineMoments, k.refineLanes = refineSampleNEON, refineMomentsNEON, 4
	return k
}

//go:noescape
func sumNEON(r *sumRun)

//go:noescape
func gradientNEON(r *gradientRun)

//go:noescape
func refineSampleNEON(r *sampleRun)

//go:noescape
func refineMomentsNEON(r *momentsRun)
