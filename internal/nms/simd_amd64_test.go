//go:build !purego

package nms

import (
	"testing"

	"github.com/fastcorners/fast/internal/asmtest"
	"github.com/fastcorners/fast/internal/cpu"
)

// TestRequiredFeatures compares the features that the assembly functions use with those
// that run asks for.
func TestRequiredFeatures(t *testing.T) {
	asmtest.RequireFeatures(t, map[string][]cpu.Set{
		"maximizeSSE2": {cpu.SSE2},
		"maximizeAVX2": {cpu.AVX2},
		"peaksSSE2":    {cpu.SSE2},
		"peaksAVX2":    {cpu.AVX2},
	})
}
