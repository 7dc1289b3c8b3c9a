//go:build !purego

package orb

import (
	"testing"

	"github.com/fastcorners/fast/internal/asmtest"
	"github.com/fastcorners/fast/internal/cpu"
)

// TestRequiredFeatures compares the features that the assembly functions use with
// those that the kernels ask for.
func TestRequiredFeatures(t *testing.T) {
	known := map[string][]cpu.Set{}
	for i := range assembly {
		asmtest.Add(known, &assembly[i].Kernels, assembly[i].Needs)
	}
	asmtest.RequireFeatures(t, known)
}
