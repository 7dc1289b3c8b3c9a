//go:build (!amd64 && !arm64 && !(js && simd128)) || purego

package fast

import "github.com/fastcorners/fast/internal/cpu"

// There is no assembly.
var (
	sieveRows []cpu.Row[stages]
	blockRows []cpu.Row[[]blockKernel]
	grayRows  []cpu.Row[grayKernels]
)

// widen makes dst the packed corners of r.
func (st *stages) widen(dst []Corner, r *sieveRun) {
	widenPortable(dst, r, 0)
}
