//go:build !purego

package harris

import "github.com/fastcorners/fast/internal/cpu"

var fusedSets = []*fusedKernels{
	{needs: cpu.NEON, sum: sumNEON, gradient: gradientNEON},
}

//go:noescape
func sumNEON(r *sumRun)

//go:noescape
func gradientNEON(r *gradientRun)
