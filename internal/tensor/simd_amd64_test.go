//go:build !purego

package tensor

import (
	"testing"

	"github.com/fastcorners/fast/internal/asmtest"
	"github.com/fastcorners/fast/internal/cpu"
)

// TestRequiredFeatures compares the features that the assembly functions use with
// those that the kernels ask for.
func TestRequiredFeatures(t *testing.T) {
	known := map[string][]cpu.Set{}
	for _, k := range instructionSets {
		asmtest.Add(known, k, k.needs)
	}
	asmtest.RequireFeatures(t, known)
}
