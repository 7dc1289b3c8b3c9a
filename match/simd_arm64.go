//go:build !purego

package match

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		block:  4,
		places: [maxBlock]int{0, 4, 8, 12},
		words:  [8]int{0, 16, 32, 48, 64, 80, 96, 112},
		flat:   [maxBlock]int{0, 4, 8, 12},
		find:   [metrics]func(*run){findNEON, find2NEON, findFlatNEON, find32NEON},
		keys:   [listed]func(*run){keysNEON, keys2NEON, keysFlatNEON},
		share:  1 << 17,
	}},
}

// The functions of simd_arm64.s.

//go:noescape
func findNEON(r *run)

//go:noescape
func find2NEON(r *run)

//go:noescape
func find32NEON(r *run)

//go:noescape
func keysNEON(r *run)

//go:noescape
func keys2NEON(r *run)

//go:noescape
func findFlatNEON(r *run)

//go:noescape
func keysFlatNEON(r *run)
