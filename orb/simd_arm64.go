//go:build !purego

package orb

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		window:  8,
		strip:   8,
		resize:  resizeNEON,
		harris:  harrisNEON,
		moments: momentsNEON,
		smooth:  smoothNEON,
		sample:  sampleNEON,
		compare: compareNEON,
	}},
}

// resizeNEON replaces the loop of [resizePortable].
//
//go:noescape
func resizeNEON(r *resizeRun)

// harrisNEON replaces the loop of [harrisPortable].
//
//go:noescape
func harrisNEON(r *harrisRun)

// momentsNEON replaces the loop of [momentsPortable].
//
//go:noescape
func momentsNEON(r *momentRun)

// smoothNEON replaces the loops of [smoothPortable]: a filter of seven taps along the rows, and
// the same down the columns, with sums of floats by fused operations.
//
//go:noescape
func smoothNEON(r *smoothRun)

// sampleNEON replaces the loop of [samplePortable].
//
//go:noescape
func sampleNEON(r *sampleRun)

// compareNEON replaces the loop of [comparePortable].
//
//go:noescape
func compareNEON(r *sampleRun)
