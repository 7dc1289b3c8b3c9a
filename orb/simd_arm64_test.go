//go:build !purego

package orb

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNEON checks that arm64 always has NEON, so that the other tests here are of it.
func TestNEON(t *testing.T) {
	require.Same(t, &table[0].Kernels, table.Best())
}
