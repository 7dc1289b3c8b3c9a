package fast

import (
	"fmt"
	"strings"
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
)

// isa is an instruction set, with every CPU feature that its kernels use.
type isa uint8

const (
	portable isa = iota
	sse2
	avx2
	avx512
	avx512vbmi2 // with VBMI, too
)

// pixels returns how many pixels a vector of the instruction set holds.
func (s isa) pixels() int {
	switch s {
	case sse2:
		return 16
	case avx2:
		return 32
	}
	return 64
}

// A shape is the size in pixels of the block that fills a vector.
type shape struct{ w, h int }

// kernels describes each Kernel. The flatter block shapes of an instruction
// set come before the taller ones; the last rows of an image rely on it.
var kernels = [...]struct {
	name  string
	isa   isa
	block shape // of a block kernel
}{
	Auto:            {name: "auto"},
	Scalar:          {name: "scalar"},
	SSE2Block16x1:   {"sse2-16x1", sse2, shape{16, 1}},
	AVX2Block32x1:   {"avx2-32x1", avx2, shape{32, 1}},
	AVX2Block16x2:   {"avx2-16x2", avx2, shape{16, 2}},
	AVX2Block8x4:    {"avx2-8x4", avx2, shape{8, 4}},
	AVX512Block64x1: {"avx512-64x1", avx512, shape{64, 1}},
	AVX512Block32x2: {"avx512-32x2", avx512, shape{32, 2}},
	AVX512Block16x4: {"avx512-16x4", avx512, shape{16, 4}},
	AVX512Block8x8:  {"avx512-8x8", avx512, shape{8, 8}},
	SSE2Sieve:       {name: "sse2-sieve", isa: sse2},
	AVX2Sieve:       {name: "avx2-sieve", isa: avx2},
	AVX512Sieve:     {name: "avx512-sieve", isa: avx512vbmi2},
}

// Kernels returns the kernels that this processor can run, Auto not among
// them, in the order of their constants.
func Kernels() []Kernel {
	var list []Kernel
	for k := Scalar; int(k) < len(kernels); k++ {
		if k.supported() {
			list = append(list, k)
		}
	}
	return list
}

// supported reports whether this processor can run k.
func (k Kernel) supported() bool {
	switch kernels[k].isa {
	case sse2:
		return haveSSE2
	case avx2:
		return haveAVX2
	case avx512:
		return haveAVX512
	case avx512vbmi2:
		return haveVBMI2
	}
	return true
}

// isBlock reports whether k is one of the block kernels.
func (k Kernel) isBlock() bool {
	return kernels[k].block.w > 0
}

// isSieve reports whether k is one of the sieve kernels.
func (k Kernel) isSieve() bool {
	return k >= SSE2Sieve
}

// serves reports whether k finds corners of the given arc length.
func (k Kernel) serves(arc int) bool {
	return arc == defaultArc || !k.isBlock()
}

// bestKernel returns the fastest kernel of this processor, the same for every
// arc length. Where AVX-512 lacks VBMI2 that is the AVX2 sieve.
func bestKernel() Kernel {
	switch {
	case haveVBMI2:
		return AVX512Sieve
	case haveAVX2:
		return AVX2Sieve
	case haveSSE2:
		return SSE2Sieve
	}
	return Scalar
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
