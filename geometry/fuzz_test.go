package geometry

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/stretchr/testify/require"
)

// FuzzEstimate checks that all instruction sets find the same, that elements are finite, and
// that inliers are near to where they are mapped. Points are made of bytes: as floats of 32
// bits, or as small integers.
func FuzzEstimate(f *testing.F) {
	f.Add([]byte{}, uint8(0), 3.0, false)
	f.Add([]byte{0, 0, 0, 0, 9, 0, 9, 0, 0, 9, 0, 9, 9, 9, 9, 9, 3, 5, 3, 5, 7, 1, 7, 1, 2, 8, 2, 8, 1, 1, 1, 1}, uint8(0), 0.5, true)
	f.Add([]byte("a few pairs of points that are letters, and many more of them so that they suffice"), uint8(6), 40.0, true)
	f.Add([]byte("a few pairs of points that are floats, and many more of them so that they suffice"), uint8(11), 1e10, false)
	f.Fuzz(func(t *testing.T, data []byte, mode uint8, threshold float64, small bool) {
		kind := kinds[mode%5]
		var values []float64
		if small {
			for _, b := range data {
				values = append(values, float64(b))
			}
		} else {
			for ; len(data) >= 4; data = data[4:] {
				values = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
			}
		}
		var p pairs
		for ; len(values) >= 5; values = values[5:] {
			p.a, p.b = append(p.a, Point{values[0], values[1]}), append(p.b, Point{values[2], values[3]})
			p.distances = append(p.distances, values[4])
		}
		if mode/5%2 > 0 {
			p.distances = nil
		}
		e, err := New(Options{Kind: kind, InlierThreshold: threshold, MinInliers: kind.Pairs() + 1 + int(mode>>6), MaxSamples: 200})
		if err != nil {
			return
		}
		var want Fit
		var wantErr error
		for i, set := range cpu.InstructionSets("geometry") {
			restore := cpu.Limit(set.Set)
			inliers := make([]bool, len(p.a))
			fit, err := e.Estimate(p.a, p.b, p.distances, inliers)
			restore()
			if i == 0 {
				want, wantErr = fit, err
			}
			require.Equal(t, want, fit)
			require.Equal(t, wantErr, err)
			count := 0
			for k, in := range inliers {
				if !in {
					continue
				}
				count++
				q := fit.Transform.Apply(p.a[k])
				if threshold > 0.01 && threshold < 1e4 {
					require.LessOrEqual(t, distance(q, p.b[k]), 4.01*threshold+1e-3)
				}
			}
			require.Equal(t, fit.Inliers, count)
			if err == nil {
				require.True(t, fit.Transform.finite())
				require.GreaterOrEqual(t, fit.Inliers, e.Options().MinInliers)
			}
		}
		if h, ok := LeastSquares(kind, p.a, p.b); ok {
			require.True(t, h.finite())
		}
	})
}
