//go:build !purego

package fast

import "github.com/fastcorners/fast/internal/cpu"

var sieveRows = []cpu.Row[stages]{
	{Name: "neon", Needs: cpu.NEON, Kernels: stages{
		kernel:   NEONSieve,
		block:    16,
		screen:   screenNEON,
		screen12: screen12NEON,
		compact:  compactNEON,
		exact:    [4]func(*sieveRun){exact9NEON, exact10NEON, exact11NEON, exact12NEON},
		peaks:    peaksNEON,
		wipe:     wipeNEON,
		pack:     packNEON,
		widens:   4,
	}},
}

// grayRows holds the functions for gray values.
var grayRows = []cpu.Row[grayKernels]{{Name: "neon", Needs: cpu.NEON, Kernels: grayKernels{luma: lumaNEON, expand: expandPortable}}}

// There are no block kernels.
var blockRows []cpu.Row[[]blockKernel]

// widen makes dst the packed corners of r.
func (st *stages) widen(dst []Corner, r *sieveRun) {
	done := 0
	if st.widens == 4 {
		widenNEON(&dst[0], r)
		done = r.corners &^ 3
	}
	widenPortable(dst, r, done)
}

// The functions of simd_arm64.s. What they read of the image beyond the blocks is
// the ring around them.

// screenNEON and screen12NEON replace [screenPortable].
//
//go:noescape
func screenNEON(r *sieveRun)

//go:noescape
func screen12NEON(r *sieveRun)

// compactNEON replaces the loop of [compactPortable].
//
//go:noescape
func compactNEON(r *sieveRun)

// exact9NEON, exact10NEON, exact11NEON and exact12NEON replace the loop of [exactPortable] for
// arcs of that length, for all pixels of a block at once.
//
//go:noescape
func exact9NEON(r *sieveRun)

//go:noescape
func exact10NEON(r *sieveRun)

//go:noescape
func exact11NEON(r *sieveRun)

//go:noescape
func exact12NEON(r *sieveRun)

// peaksNEON replaces the loop of [peaksPortable].
//
//go:noescape
func peaksNEON(r *sieveRun)

// wipeNEON replaces the loop of [wipePortable].
//
//go:noescape
func wipeNEON(r *sieveRun)

// packNEON replaces the loop of [packPortable].
//
//go:noescape
func packNEON(r *sieveRun)

// widenNEON replaces the loop of [widenPortable].
//
//go:noescape
func widenNEON(dst *Corner, r *sieveRun)

// lumaNEON replaces the loop of [lumaPortable].
//
//go:noescape
func lumaNEON(r *grayRun)
