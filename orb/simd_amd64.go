//go:build !purego

package orb

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./orb

// smoothBlock smooths rows of 8 pixels, if this processor can.
func smoothBlock(r *smoothRun) bool {
	if !cpu.Has(cpu.AVX2FMA) {
		return false
	}
	smoothAVX2(r)
	return true
}

//go:noescape
func smoothAVX2(r *smoothRun)
