//go:build !purego

package flow

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{{Name: "neon", Needs: cpu.NEON, Kernels: neon()}}

// neon returns the kernels for NEON, of which most are portable.
func neon() kernels {
	k := portable
	k.down = downNEON
	return k
}

//go:noescape
func downNEON(r *downRun)
