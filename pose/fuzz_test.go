package pose

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// FuzzEstimator checks that there is a rotation or an error, and that the inliers are as many as
// the result says. Points are made of bytes: as floats of 32 bits, or as small integers.
func FuzzEstimator(f *testing.F) {
	f.Add([]byte{}, 2.0, 0.0, false)
	f.Add([]byte("a few pairs of points that are letters, and many more of them so that they suffice"), 40.0, 0.1, true)
	f.Add([]byte("a few pairs of points that are floats, and many more of them so that they suffice"), 1e10, -0.3, false)
	f.Add([]byte("\x00\xff\xff\x14\x14\xc9\xc9\xc9\xc9\x14\x14\x14\x14\x14\x00\x00\x01\x00\x14\x14\xff"), 0.0, 1960.0, true)
	f.Fuzz(func(t *testing.T, data []byte, threshold, k1 float64, small bool) {
		values := numbers(data, small)
		var a, b []geometry.Point
		var world []Vector
		for ; len(values) >= 5; values = values[5:] {
			a, b = append(a, geometry.Point{X: values[0], Y: values[1]}), append(b, geometry.Point{X: values[2], Y: values[3]})
			world = append(world, Vector{values[0], values[1], values[4]})
		}
		c := camera.Camera{Fx: 100, Fy: 120, Cx: 100, Cy: 90, K1: k1}
		e, err := New(Options{InlierThreshold: threshold, MinInliers: 4, MaxSamples: 200})
		if err != nil || !(math.Abs(k1) <= math.MaxFloat64) {
			return
		}
		threshold = e.Options().InlierThreshold // 0 is the default
		mask := make([]bool, len(a))
		check := func(inliers int, err error) {
			count := 0
			for _, in := range mask {
				if in {
					count++
				}
			}
			require.Equal(t, inliers, count)
			if err != nil {
				require.True(t, errors.Is(err, ErrPairs) || errors.Is(err, ErrSupport) || errors.Is(err, ErrDegenerate))
				require.Zero(t, count)
			}
		}
		m, err := e.Relative(c, c, a, b, nil, mask)
		if check(m.Inliers, err); err == nil {
			requireRotation(t, m.Pose.R)
			length := 1.0
			if m.Turn {
				length = 0
			}
			require.InDelta(t, length, m.Pose.T.Norm(), 1e-12)
			if m.Ambiguous {
				requireRotation(t, m.Other.R)
			}
		}
		fit, err := e.Absolute(c, world, b, nil, mask)
		if check(fit.Inliers, err); err == nil {
			requireRotation(t, fit.Pose.R)
			for _, v := range fit.Pose.T {
				require.LessOrEqual(t, math.Abs(v), math.MaxFloat64)
			}
			require.LessOrEqual(t, fit.Error, threshold*(1+1e-9))
			require.True(t, !fit.Ambiguous || fit.Other != (Pose{}))
			if fit.Other != (Pose{}) {
				requireRotation(t, fit.Other.R)
			}
		}
		epipolar, err := e.Fundamental(a, b, nil, mask)
		if check(epipolar.Inliers, err); err == nil {
			squares := 0.0
			for _, v := range epipolar.F {
				squares += v * v
			}
			require.InDelta(t, 1, squares, 1e-12)
		}
	})
}

// numbers returns those that bytes stand for: floats of 32 bits, or small integers.
func numbers(data []byte, small bool) (values []float64) {
	if small {
		for _, b := range data {
			values = append(values, float64(b))
		}
		return values
	}
	for ; len(data) >= 4; data = data[4:] {
		values = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
	}
	return values
}

// requireRotation checks that r is a rotation.
func requireRotation(t *testing.T, r Rotation) {
	t.Helper()
	p := Pose{R: r}
	product := p.Inverse().Mul(p)
	for i, v := range product.R {
		want := 0.0
		if i%4 == 0 {
			want = 1
		}
		require.InDelta(t, want, v, 1e-12)
	}
}
