package consensus

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFrame checks that points of any extent, also far from 0, are near to 0 in their frame, and that
// the matrix does the same as the function.
func TestFrame(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	for range 2000 {
		extent := math.Exp2(50*rng.Float64() - 28)
		x0, y0 := 20_000*rng.Float64()-10_000, 20_000*rng.Float64()-10_000
		var points [5][2]float64
		box := NewBox()
		for i := range points {
			points[i] = [2]float64{x0 + extent*rng.Float64(), y0 + extent*rng.Float64()}
			box.Add(points[i][0], points[i][1])
		}
		f := box.Frame()
		m := f.Into()
		farthest, side := 0.0, 0.0
		for _, p := range points {
			x, y := f.To(p[0], p[1])
			farthest = max(farthest, math.Abs(x), math.Abs(y))
			for _, q := range points {
				u, v := f.To(q[0], q[1])
				side = max(side, u-x, v-y)
			}
			require.InDelta(t, x, m[0]*p[0]+m[1]*p[1]+m[2], 1e-10*f.Scale)
			require.InDelta(t, y, m[3]*p[0]+m[4]*p[1]+m[5], 1e-10*f.Scale)
			require.Equal(t, [3]float64{0, 0, 1}, [3]float64(m[6:]))
		}
		require.LessOrEqual(t, farthest, 2.0, "%v", box)
		require.GreaterOrEqual(t, side, 1.0, "%v", box)
		require.Less(t, side, 2.0+1e-9, "%v", box)
	}
	one := NewBox()
	one.Add(7.25, -3)
	f := one.Frame()
	x, y := f.To(7.25, -3)
	require.Equal(t, [2]float64{}, [2]float64{x, y})
}
