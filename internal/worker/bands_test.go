package worker

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCount checks that small images get fewer workers, and that no size overflows.
func TestCount(t *testing.T) {
	require.Equal(t, 1, Count(0, 1000, 1000))
	require.Equal(t, 1, Count(8, 100, 100))
	require.Equal(t, 2, Count(8, 640, 480))
	require.Equal(t, 8, Count(8, 10_000, 10_000))
	require.Equal(t, 8, Count(8, math.MaxInt32, math.MaxInt32))
}

// TestRows checks how rows are shared.
func TestRows(t *testing.T) {
	require.Equal(t, 480, Rows(480, 1, 32, 1))
	require.Equal(t, 481, Rows(480, 1, 32, 13))
	require.Equal(t, 60, Rows(480, 2, 32, 1))
	require.Equal(t, 64, Rows(480, 2, 64, 2))
	require.Equal(t, 65, Rows(480, 2, 64, 5))
}
