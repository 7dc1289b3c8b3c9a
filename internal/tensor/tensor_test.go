package tensor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRespond compares responses of a diagonal tensor with those of its eigenvalues.
func TestRespond(t *testing.T) {
	const scale, large, small = 0.25, 48, 12 // of 12 and 3 after scaling
	for kind, want := range map[Kind]float64{
		MinEigenvalue: 3,
		Harris:        12*3 - 0.04*15*15,
		Noble:         2 * 12 * 3 / 15.000001,
		DetOverTrace:  12.0 * 3 / 16,
	} {
		m := New(kind, 0.04, scale)
		dst := make([]float32, 2)
		// The second one is the first one turned by 45 degrees.
		m.Respond(dst, []float32{small, (large + small) / 2}, []float32{large, (large + small) / 2}, []float32{0, (large - small) / 2, 0})
		require.InEpsilon(t, want, dst[0], 1e-5, kind)
		require.InEpsilon(t, want, dst[1], 1e-5, kind)
	}
}

// TestOrder checks that the order is that of responses.
func TestOrder(t *testing.T) {
	last := Order(-1)
	for _, v := range []float32{0, 1e-40, 1e-20, 0.5, 1, 3, math.MaxFloat32} {
		require.Greater(t, Order(v), last)
		last = Order(v)
	}
}
