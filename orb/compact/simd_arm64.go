//go:build !purego

package compact

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		readPatch:    readPatchNEON,
		comparePatch: comparePatchNEON,
	}},
}

// readPatchNEON replaces the loop of [readPatchPortable], which copies a patch and adds up its
// moments.
//
//go:noescape
func readPatchNEON(r *patchRun)

// comparePatchNEON replaces the loop of [comparePatchPortable].
//
//go:noescape
func comparePatchNEON(r *comparisonRun)
