//go:build !purego

package orb

import "github.com/fastcorners/fast/internal/cpu"

var descriptionSets = []*descriptionKernels{
	{needs: cpu.NEON, strip: 8, smooth: smoothNEON, sample: sampleNEON, compare: compareNEON},
}

//go:noescape
func smoothNEON(r *smoothRun)

//go:noescape
func sampleNEON(r *sampleRun)

//go:noescape
func compareNEON(r *sampleRun)
