//go:build !purego

package match

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		block:     4,
		places:    [maxBlock]int{0, 4, 8, 12},
		words:     [8]int{0, 16, 32, 48, 64, 80, 96, 112},
		flat:      [maxBlock]int{0, 4, 8, 12},
		find:      [metrics]func(*run){findNEON, find2NEON, findFlatNEON, findL2Portable, find32NEON},
		keys:      [listed]func(*run){keysNEON, keys2NEON, keysFlatNEON, keysL2Portable},
		vectors:   inRows,
		distances: distancesPortable,
		share:     1 << 17,
	}},
}

// findNEON replaces the loops of [findPortable].
//
//go:noescape
func findNEON(r *run)

// find2NEON replaces the loops of [find2Portable].
//
//go:noescape
func find2NEON(r *run)

// find32NEON replaces the loops of [find32Portable].
//
//go:noescape
func find32NEON(r *run)

// findFlatNEON replaces the loops of [findFlatPortable], for descriptors of any length.
//
//go:noescape
func findFlatNEON(r *run)

// keysNEON replaces the loops of [keysPortable].
//
//go:noescape
func keysNEON(r *run)

// keys2NEON replaces the loops of [keys2Portable].
//
//go:noescape
func keys2NEON(r *run)

// keysFlatNEON replaces the loops of [keysFlatPortable].
//
//go:noescape
func keysFlatNEON(r *run)
