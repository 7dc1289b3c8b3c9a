package fast

import (
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/option"
)

// A Kernel names one of the implementations of the segment test. All find the
// same corners in the same order.
type Kernel uint8

// The block kernels load a block of pixels, such as 16 by 4, into one vector
// and do eight checks of two ring pixels each, with an early exit as soon as
// no pixel of the block can be a corner. They find FAST-10 corners only.
const (
	Auto            Kernel = iota // the fastest that this processor has
	Scalar                        // portable Go
	SSE2Block16x1                 // any amd64
	AVX2Block32x1                 // AVX2, BMI1 and POPCNT
	AVX2Block16x2                 // AVX2, BMI1 and POPCNT
	AVX2Block8x4                  // AVX2, BMI1 and POPCNT
	AVX512Block64x1               // AVX-512 F, BW, VL and DQ, and BMI2
	AVX512Block32x2               // AVX-512 F, BW, VL and DQ, and BMI2
	AVX512Block16x4               // AVX-512 F, BW, VL and DQ, and BMI2
	AVX512Block8x8                // AVX-512 F, BW, VL and DQ, and BMI2
)

// The sieve kernels work in stages without branches that depend on pixels. The first stage tests
// four ring pixels of every pixel of the image; only blocks in which a pixel passes reach the
// second stage, the whole test. They find corners with any arc length.
const (
	SSE2Sieve   Kernel = AVX512Block8x8 + 1 + iota // any amd64
	AVX2Sieve                                      // AVX2, BMI1 and POPCNT
	AVX512Sieve                                    // AVX-512 as above with VBMI and VBMI2
	NEONSieve                                      // any arm64

	// simd128Sieve is for WebAssembly with vectors. It is not exported because only the
	// page of the repository can have it: its functions come from another module.
	simd128Sieve
)

// kernelNames holds the names of the kernels.
var kernelNames = option.Enum[Kernel]{
	Auto:            "auto",
	Scalar:          "scalar",
	SSE2Block16x1:   "sse2-16x1",
	AVX2Block32x1:   "avx2-32x1",
	AVX2Block16x2:   "avx2-16x2",
	AVX2Block8x4:    "avx2-8x4",
	AVX512Block64x1: "avx512-64x1",
	AVX512Block32x2: "avx512-32x2",
	AVX512Block16x4: "avx512-16x4",
	AVX512Block8x8:  "avx512-8x8",
	SSE2Sieve:       "sse2-sieve",
	AVX2Sieve:       "avx2-sieve",
	AVX512Sieve:     "avx512-sieve",
	NEONSieve:       "neon-sieve",
	simd128Sieve:    "simd128-sieve",
}

// sieves holds the stages for each instruction set.
var sieves = cpu.NewTable("fast", portableStages, sieveRows...)

// An implementation is what a Kernel stands for on this platform. The zero value is none.
type implementation struct {
	needs  cpu.Set
	sieves cpu.Table[stages] // from the row of the instruction set on
	blocks []blockKernel     // nil for a sieve, which has nothing but stages
	share  int               // the least number of pixels of an image for each worker
}

const (
	// workerPixels is the share of kernels in assembly. While another processor wakes up,
	// they can process as many pixels.
	workerPixels = 250_000
	// scalarPixels is the share of the Scalar kernel.
	scalarPixels = 31_250
)

// kernels holds the implementation of each Kernel but Auto.
var kernels = func() (list [simd128Sieve + 1]implementation) {
	for i, row := range sieves {
		list[row.Kernels.kernel] = implementation{row.Needs, sieves[i:], nil, workerPixels}
		for _, blocks := range blockRows {
			if blocks.Name != row.Name {
				continue
			}
			for j, b := range blocks.Kernels {
				list[b.kernel] = implementation{blocks.Needs, sieves[i:], blocks.Kernels[:j+1], workerPixels}
			}
		}
	}
	list[Scalar].share = scalarPixels
	return list
}()

// Kernels returns the kernels that this processor can run, in the order of their
// constants, without Auto.
func Kernels() []Kernel {
	var list []Kernel
	for k := range kernels {
		if Kernel(k).supported() {
			list = append(list, Kernel(k))
		}
	}
	return list
}

// supported reports whether this processor can run k.
func (k Kernel) supported() bool {
	return kernels[k].sieves != nil && cpu.Has(kernels[k].needs)
}

// serves reports whether k finds corners of the given arc length.
func (k Kernel) serves(arc int) bool {
	return arc == defaultArc || kernels[k].blocks == nil
}

// String returns the name of k, such as "scalar" or "avx512-16x4".
func (k Kernel) String() string { return kernelNames.String(k) }

// MarshalText returns the name of k. It fails if k is not one of the constants.
func (k Kernel) MarshalText() ([]byte, error) { return kernelNames.MarshalText(k) }

// UnmarshalText sets k to the kernel named by text. It fails if there is no such kernel, but not if
// this processor cannot run it, which [New] checks.
func (k *Kernel) UnmarshalText(text []byte) error { return kernelNames.UnmarshalText(k, text) }
