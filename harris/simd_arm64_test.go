//go:build !purego

package harris

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNEON checks that arm64 always has NEON, so that the other tests here are of it.
func TestNEON(t *testing.T) {
	require.Equal(t, "neon", table[0].Name)
	require.Same(t, &table[0].Kernels, table.Best())
	d, err := New(Options{})
	require.NoError(t, err)
	require.True(t, d.newPipelines(table.Best())[0].serves(columnsBefore))
}
