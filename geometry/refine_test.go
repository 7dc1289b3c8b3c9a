package geometry

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOverstep checks factors for pairs that all have the same gain: gain / (3*gain - 2), and 2
// where that is more than 2 or negative.
func TestOverstep(t *testing.T) {
	for gain, want := range map[float64]float64{1: 1, 0.9375: 0.9375 / 0.8125, 0.875: 0.875 / 0.625, 0.75: 2, 0.5: 2} {
		require.Equal(t, want, overstep(gain*gain, gain), gain)
	}
}
