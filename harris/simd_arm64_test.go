//go:build !purego

package harris

import (
	"testing"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// TestNEON checks that arm64 always has NEON, so that the other tests here are of it.
func TestNEON(t *testing.T) {
	asmtest.RequireFirst(t, "neon", table)
	d, err := New(Options{})
	require.NoError(t, err)
	require.True(t, d.newPipelines(table.Best())[0].serves(columnsBefore))
}
