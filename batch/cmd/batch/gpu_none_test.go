//go:build !gpu

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoGPU checks that a program without package gpu says so.
func TestNoGPU(t *testing.T) {
	status, _, stderr := batchProgram(t, "matches", "-gpu", "-features", t.TempDir(), "-output", t.TempDir())
	require.NotZero(t, status)
	require.Contains(t, stderr, "batch: this program cannot use GPUs: build it with -tags gpu")
}
