//go:build !purego

package match

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "dotprod", Needs: cpu.DotProd, Kernels: neon(layout{block: 8, atOnce: 4}, findL2DotProd, keysL2DotProd)},
	{Name: "neon", Needs: cpu.NEON, Kernels: neon(layout{block: 4, atOnce: 4}, findL2NEON, keysL2NEON)},
}

// neon returns the kernels for NEON with those for vectors.
func neon(vectors layout, findL2, keysL2 func(*findRun)) kernels {
	return kernels{
		block:     4,
		places:    [maxBlock]int{0, 4, 8, 12},
		words:     [8]int{0, 16, 32, 48, 64, 80, 96, 112},
		flat:      [maxBlock]int{0, 4, 8, 12},
		vectors:   vectors,
		packL2:    vectors.packRun,
		find:      [metrics]func(*findRun){findNEON, find2NEON, findFlatNEON, findL2, find32NEON},
		keys:      [listed]func(*findRun){keysNEON, keys2NEON, keysFlatNEON, keysL2},
		distances: distancesNEON,
		share:     1 << 17,
	}
}

// findNEON replaces the loops of [findPortable].
//
//go:noescape
func findNEON(r *findRun)

// find2NEON replaces the loops of [find2Portable].
//
//go:noescape
func find2NEON(r *findRun)

// find32NEON replaces the loops of [find32Portable].
//
//go:noescape
func find32NEON(r *findRun)

// findFlatNEON replaces the loops of [findFlatPortable], for descriptors of any length.
//
//go:noescape
func findFlatNEON(r *findRun)

// keysNEON replaces the loops of [keysPortable].
//
//go:noescape
func keysNEON(r *findRun)

// keys2NEON replaces the loops of [keys2Portable].
//
//go:noescape
func keys2NEON(r *findRun)

// keysFlatNEON replaces the loops of [keysFlatPortable].
//
//go:noescape
func keysFlatNEON(r *findRun)

// findL2DotProd and findL2NEON replace the loops of [findL2Portable]: those of [findPortable] with
//
//	distance(q, t)<<vectorIndexBits = r.queryNorms[i] + r.trainNorms[j] - product(q, t)<<(vectorIndexBits+1)
//
//go:noescape
func findL2DotProd(r *findRun)

//go:noescape
func findL2NEON(r *findRun)

// keysL2DotProd and keysL2NEON replace the loops of [keysL2Portable].
//
//go:noescape
func keysL2DotProd(r *findRun)

//go:noescape
func keysL2NEON(r *findRun)

// distancesNEON replaces the loops of [distancesPortable].
//
//go:noescape
func distancesNEON(r *distancesRun)
