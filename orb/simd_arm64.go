//go:build !purego

package orb

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		window:       8,
		strip:        8,
		resize:       resizeNEON,
		harris:       harrisNEON,
		moments:      momentsNEON,
		smooth:       smoothNEON,
		sample:       sampleNEON,
		compare:      compareNEON,
		readPatch:    readPatchNEON,
		comparePatch: comparePatchNEON,
	}},
}

//go:noescape
func resizeNEON(r *resizeRun)

//go:noescape
func harrisNEON(r *harrisRun)

//go:noescape
func momentsNEON(r *momentRun)

//go:noescape
func smoothNEON(r *smoothRun)

//go:noescape
func sampleNEON(r *sampleRun)

//go:noescape
func compareNEON(r *sampleRun)

//go:noescape
func readPatchNEON(r *patchRun)

//go:noescape
func comparePatchNEON(r *comparisonRun)
