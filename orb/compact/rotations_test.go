package compact

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRotations compares the places in the table with those computed, where a place
// changes and elsewhere.
func TestRotations(t *testing.T) {
	r := sharedRotations()
	requireSame := func(angle float32) (found bool) {
		at := r.at(angle)
		if at == nil {
			return false
		}
		if want := placesAt(angle); want != *at {
			require.Equal(t, want, *at, "%v degrees", angle)
		}
		return true
	}
	require.True(t, requireSame(0))
	require.True(t, requireSame(360))
	for i, rotation := range r.list {
		for _, angle := range []float32{rotation.from, rotation.to, rotation.from/2 + rotation.to/2} {
			require.True(t, requireSame(angle), "%v degrees", angle)
		}
		if i > 0 {
			before := r.list[i-1]
			require.Less(t, before.to, rotation.from)
			require.False(t, requireSame(before.to/2+rotation.from/2))
		}
	}
	rng := rand.New(rand.NewPCG(9, 10))
	const rounds = 100_000
	found := 0
	for range rounds {
		if requireSame(360 * rng.Float32()) {
			found++
		}
	}
	require.Greater(t, found, rounds*99/100)
}
