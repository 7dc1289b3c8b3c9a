package fast

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fastcorners/fast/internal/cpu"
)

// A Kernel names one of the implementations of the segment test. All find the
// same corners in the same order.
type Kernel uint8

// The block kernels load a block of so many by so many pixels into one vector
// and run eight checks of two ring pixels each on it, with an early exit when
// no pixel of the block can be a corner any more. They find FAST-10 corners
// only.
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

// The sieve kernels work in stages without branches on the pixels' values. The
// first tests four ring pixels of every pixel of the image, and only blocks in
// which a pixel passes come to the second, the whole test. They find corners of
// every arc length.
const (
	SSE2Sieve   Kernel = AVX512Block8x8 + 1 + iota // any amd64
	AVX2Sieve                                      // AVX2, BMI1 and POPCNT
	AVX512Sieve                                    // AVX-512 as above with VBMI and VBMI2
	NEONSieve                                      // any arm64
)

// kernels describes each Kernel: as a sieve or as a block kernel. Those whose
// assembly this platform lacks are neither.
var kernels = [...]struct {
	name  string
	sieve *stages
	block *blockKernel
}{
	Auto:            {name: "auto"},
	Scalar:          {name: "scalar", sieve: portableStages},
	SSE2Block16x1:   {name: "sse2-16x1", block: sse2Block16x1},
	AVX2Block32x1:   {name: "avx2-32x1", block: avx2Block32x1},
	AVX2Block16x2:   {name: "avx2-16x2", block: avx2Block16x2},
	AVX2Block8x4:    {name: "avx2-8x4", block: avx2Block8x4},
	AVX512Block64x1: {name: "avx512-64x1", block: avx512Block64x1},
	AVX512Block32x2: {name: "avx512-32x2", block: avx512Block32x2},
	AVX512Block16x4: {name: "avx512-16x4", block: avx512Block16x4},
	AVX512Block8x8:  {name: "avx512-8x8", block: avx512Block8x8},
	SSE2Sieve:       {name: "sse2-sieve", sieve: sse2Stages},
	AVX2Sieve:       {name: "avx2-sieve", sieve: avx2Stages},
	AVX512Sieve:     {name: "avx512-sieve", sieve: avx512Stages},
	NEONSieve:       {name: "neon-sieve", sieve: neonStages},
}

// Kernels returns the kernels that this processor can run, Auto not among
// them, in the order of their constants.
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
	switch d := &kernels[k]; {
	case d.sieve != nil:
		return cpu.Has(d.sieve.needs)
	case d.block != nil:
		return cpu.Has(d.block.needs)
	}
	return false
}

// serves reports whether k finds corners of the given arc length.
func (k Kernel) serves(arc int) bool {
	return arc == defaultArc || kernels[k].block == nil
}

// byPreference holds the kernels that Auto stands for, the best first. They serve
// every arc length, and every processor can run the last.
var byPreference = [...]Kernel{AVX512Sieve, AVX2Sieve, SSE2Sieve, NEONSieve, Scalar}

// bestKernel returns the fastest kernel of this processor.
func bestKernel() Kernel {
	return byPreference[slices.IndexFunc(byPreference[:], Kernel.supported)]
}

// String returns the name of k, such as "scalar" or "avx512-16x4".
func (k Kernel) String() string {
	if int(k) >= len(kernels) {
		return fmt.Sprintf("Kernel(%d)", uint8(k))
	}
	return kernels[k].name
}

// MarshalText returns the name of k. It fails when k is not one of the
// constants.
func (k Kernel) MarshalText() ([]byte, error) {
	if int(k) >= len(kernels) {
		return nil, fmt.Errorf("fast: unknown kernel %d", uint8(k))
	}
	return []byte(k.String()), nil
}

// UnmarshalText sets k to the kernel that text names. It fails when there is
// none, but not when this processor cannot run it: New does.
func (k *Kernel) UnmarshalText(text []byte) error {
	names := make([]string, len(kernels))
	for i, desc := range kernels {
		if desc.name == string(text) {
			*k = Kernel(i)
			return nil
		}
		names[i] = desc.name
	}
	return fmt.Errorf("fast: unknown kernel %q (want one of %s)", text, strings.Join(names, ", "))
}
