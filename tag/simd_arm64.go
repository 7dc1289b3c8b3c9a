//go:build !purego

package tag

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{extremesNEON, bitsNEON, roundNEON, sampleImage}},
}

// extremesNEON and bitsNEON replace the loops of [extremesOfTiles] and [bitsOfTiles], and
// roundNEON that of [fitRound], as simd_amd64.go shows them.
//
//go:noescape
func extremesNEON(r *tilesRun)

//go:noescape
func bitsNEON(r *bitsRun)

//go:noescape
func roundNEON(r *fitRun)
