//go:build !purego

package calibrate

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{responsesNEON, roundNEON}},
}

// responsesNEON replaces the loop of [responsesOfRow], and roundNEON that of [fitRound], as
// simd_amd64.go tells.
//
//go:noescape
func responsesNEON(r *responseRun)

//go:noescape
func roundNEON(r *fitRun)
