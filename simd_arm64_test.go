//go:build !purego

package fast

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNEON checks that arm64 always has NEON, so that the other tests here are of it.
func TestNEON(t *testing.T) {
	require.Equal(t, []Kernel{Scalar, NEONSieve}, Kernels())
	require.Equal(t, NEONSieve, sieves.Best().kernel)
	require.Len(t, assemblyStages(), 1)
}
