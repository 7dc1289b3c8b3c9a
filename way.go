package fast

import (
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/raster"
)

// sieves holds the stages for each instruction set.
var sieves = cpu.NewTable("fast", portableStages, sieveRows...)

// An implementation is what a Kernel stands for on this platform. The zero value is none.
type implementation struct {
	needs  cpu.Set
	sieves cpu.Table[stages] // from the row of the instruction set on
	blocks []blockKernel     // nil for a sieve, which has nothing but stages
}

// kernels holds the implementation of each Kernel but Auto.
var kernels = func() (list [SIMD128Sieve + 1]implementation) {
	for i, row := range sieves {
		list[row.Kernels.kernel] = implementation{row.Needs, sieves[i:], nil}
		for _, blocks := range blockRows {
			if blocks.Name != row.Name {
				continue
			}
			for j, b := range blocks.Kernels {
				list[b.kernel] = implementation{blocks.Needs, sieves[i:], blocks.Kernels[:j+1]}
			}
		}
	}
	return list
}()

// appendCorners appends the corners of p to dst. p is large enough to have some,
// and the threshold low enough.
func appendCorners(dst []Corner, p raster.Plane, opts *Options) []Corner {
	k := &kernels[opts.Kernel]
	if k.blocks != nil {
		return appendBlocks(dst, p, k, opts)
	}
	return appendSieve(dst, p, k.sieves.Best(), opts)
}
