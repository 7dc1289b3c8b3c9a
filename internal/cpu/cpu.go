// Package cpu says what the processor has. Every package with assembly asks
// here, by the names of instruction sets.
package cpu

import (
	"math/bits"
	"runtime"
	"strings"

	"golang.org/x/sys/cpu"
)

// A Set is a set of features of a processor. The empty set is portable Go.
type Set uint32

// The features.
const (
	sse2 Set = 1 << iota
	avx
	avx2
	bmi1
	bmi2
	popcnt
	avx512f
	avx512bw
	avx512vl
	avx512dq
	avx512vbmi
	avx512vbmi2
	avx512vpopcntdq
	fma
	avx512vnni
	neon
	asimddp
	simd128
)

// Instruction sets. Each holds every feature that assembly for it may use: a
// processor, or GODEBUG, can lack any single one.
const (
	SSE2    = sse2
	POPCNT  = popcnt
	AVX2    = SSE2 | avx | avx2 | bmi1 | popcnt
	AVX2FMA = AVX2 | fma
	AVX512  = AVX2 | bmi2 | avx512f | avx512bw | avx512vl | avx512dq
	VBMI2   = AVX512 | avx512vbmi | avx512vbmi2

	VPOPCNTDQ  = AVX512 | avx512vpopcntdq
	AVX512VNNI = AVX512 | avx512vnni

	NEON    = neon // in every arm64 processor that Go runs on
	DotProd = NEON | asimddp

	SIMD128 = simd128 // vectors of WebAssembly, for the page of this repository
)

// hasNEON reports whether this is an arm64 processor.
var hasNEON = runtime.GOARCH == "arm64"

// features holds, in the order of the constants, the features' names in the
// processors' manuals and where it is known whether the processor has them.
var features = [...]struct {
	name string
	has  *bool
}{
	{"SSE2", &cpu.X86.HasSSE2},
	{"AVX", &cpu.X86.HasAVX},
	{"AVX2", &cpu.X86.HasAVX2},
	{"BMI1", &cpu.X86.HasBMI1},
	{"BMI2", &cpu.X86.HasBMI2},
	{"POPCNT", &cpu.X86.HasPOPCNT},
	{"AVX512F", &cpu.X86.HasAVX512F},
	{"AVX512BW", &cpu.X86.HasAVX512BW},
	{"AVX512VL", &cpu.X86.HasAVX512VL},
	{"AVX512DQ", &cpu.X86.HasAVX512DQ},
	{"AVX512VBMI", &cpu.X86.HasAVX512VBMI},
	{"AVX512VBMI2", &cpu.X86.HasAVX512VBMI2},
	{"AVX512VPOPCNTDQ", &cpu.X86.HasAVX512VPOPCNTDQ},
	{"FMA", &cpu.X86.HasFMA},
	{"AVX512VNNI", &cpu.X86.HasAVX512VNNI},
	{"NEON", &hasNEON},
	{"ASIMDDP", &cpu.ARM64.HasASIMDDP},
	{"SIMD128", &hasSIMD128},
}

// available is what Has knows.
var available = detect()

func detect() Set {
	var s Set
	for i, f := range features {
		if *f.has {
			s |= 1 << i
		}
	}
	return s
}

// Has reports whether the processor has all of s.
func Has(s Set) bool {
	return s&^available == 0
}

// Limit makes Has deny all features that are not in s, until restore is called.
// It is for tests and measurements, which choose an instruction set with it; no
// other goroutine may use the library meanwhile.
func Limit(s Set) (restore func()) {
	before := available
	available &= s
	return func() { available = before }
}

// Intel reports whether this is an amd64 processor of Intel. Features do not tell
// what is fast.
func Intel() bool {
	return intel
}

// PrefetchW reports whether this is an amd64 processor with the instruction PREFETCHW,
// which asks for memory that will be stored. It is not a feature, since nothing depends on
// it but speed, so Limit does not deny it.
func PrefetchW() bool {
	return prefetchw
}

// String returns the names of the features, separated by spaces.
func (s Set) String() string {
	var names []string
	for ; s != 0; s &= s - 1 {
		names = append(names, features[bits.TrailingZeros32(uint32(s))].name)
	}
	return strings.Join(names, " ")
}
