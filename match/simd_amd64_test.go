//go:build !purego

package match

import (
	"testing"

	"github.com/fastcorners/fast/internal/asmtest"
	"github.com/fastcorners/fast/internal/cpu"
)

// TestRequiredFeatures compares the features that the assembly functions use with
// those that the rows ask for which have them.
func TestRequiredFeatures(t *testing.T) {
	known := map[string][]cpu.Set{}
	for _, k := range []*kernel{avx512Kernel, avx2Kernel, popcntKernel} {
		asmtest.Add(known, k, k.needs)
	}
	asmtest.RequireFeatures(t, known)
}
