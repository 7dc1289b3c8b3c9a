package calibrate

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCholesky checks inverses, and that singular matrices are found out.
func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for n := 1; n <= 14; n++ {
		a := make([]float64, n*n)
		for range 3 * n {
			v := make([]float64, n)
			for i := range v {
				v[i] = r.NormFloat64()
			}
			for i := range n {
				for k := range n {
					a[i*n+k] += v[i] * v[k]
				}
			}
		}
		l := make([]float64, n*n)
		require.True(t, factor(l, a, n, 0, 1e-15))
		inv := inverse(l, n)
		for i := range n {
			for k := range n {
				sum, want := 0.0, 0.0
				for m := range n {
					sum += a[i*n+m] * inv[m*n+k]
				}
				if i == k {
					want = 1
				}
				require.InDelta(t, want, sum, 1e-9)
			}
		}
		// The last row is twice the first one.
		if n > 1 {
			for k := range n {
				a[(n-1)*n+k] = 2 * a[k]
			}
			a[n*n-1] = 4 * a[0]
			for k := range n - 1 {
				a[(n-1)*n+k] = 2 * a[k*n]
			}
			require.False(t, factor(l, a, n, 0, 1e-13))
			require.True(t, factor(l, a, n, 1e-3, 1e-13))
		}
		a[0] = -1
		require.False(t, factor(l, a, n, 0, 0))
	}
}
