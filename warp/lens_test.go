package warp_test

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// cameras are of all kinds, for images of 192 by 108 pixels. The models of some end within them.
var cameras = map[string]camera.Camera{
	"none":        {Fx: 100, Fy: 101, Cx: 96, Cy: 54},
	"barrel":      {Fx: 80, Fy: 80.5, Cx: 95, Cy: 54.3, K1: -0.3, K2: 0.1, P1: 0.001, P2: 0.002, K3: -0.01},
	"folding":     {Fx: 60, Fy: 60, Cx: 97, Cy: 53, K1: -0.35, K2: 0.02},
	"pincushion":  {Fx: 70, Fy: 69, Cx: 96, Cy: 54, K1: 0.6, K2: 0.3, K3: 0.2},
	"tangential":  {Fx: 90, Fy: 90, Cx: 96, Cy: 54, K1: -0.1, P1: 0.02, P2: -0.02},
	"rational":    {Fx: 53.7, Fy: 53.7, Cx: 96, Cy: 54, K1: 11.4, K2: -7, P1: 0.001, P2: -0.0002, K3: 1, K4: 11.7, K5: -3, K6: 0.4},
	"fisheye":     {Model: camera.KannalaBrandt, Fx: 60, Fy: 60, Cx: 95, Cy: 54, K1: -0.01, K2: 0.02, K3: -0.015, K4: 0.003},
	"end fisheye": {Model: camera.KannalaBrandt, Fx: 60, Fy: 60, Cx: 95, Cy: 54, K1: -0.5},
}

// placeOf returns the place of pixel i of a map, in 1/32 pixel.
func placeOf(m *warp.FixedMap, i int) image.Point {
	return image.Pt(int(m.XY[2*i])<<5|int(m.Fraction[i]&31), int(m.XY[2*i+1])<<5|int(m.Fraction[i]>>5))
}

// TestUndistortion checks that pixels come from where the camera sees them and, beyond the end of its
// model, from where the formulas of OpenCV's documentation have them.
func TestUndistortion(t *testing.T) {
	const w, h = 192, 108
	for name, c := range cameras {
		m := warp.Undistortion(c, w, h)
		require.Equal(t, image.Pt(w, h), image.Pt(m.Width, m.Height))
		inside, beyond := 0, 0
		for i := range w * h {
			at := []geometry.Point{{X: float64(i % w), Y: float64(i / w)}}
			u, v := (at[0].X-c.Cx)/c.Fx, (at[0].Y-c.Cy)/c.Fy
			c.Distort(at, at)
			if !math.IsNaN(at[0].X) {
				inside++
				require.Equal(t, image.Pt(int(math.RoundToEven(32*at[0].X)), int(math.RoundToEven(32*at[0].Y))), placeOf(m, i), "%s, pixel %d", name, i)
				continue
			}
			beyond++
			s := u*u + v*v
			k := (1 + s*(c.K1+s*(c.K2+s*c.K3))) / (1 + s*(c.K4+s*(c.K5+s*c.K6)))
			if c.Model == camera.KannalaBrandt {
				angle := math.Atan(math.Sqrt(s))
				q := angle * angle
				k = angle / math.Sqrt(s) * (1 + q*(c.K1+q*(c.K2+q*(c.K3+q*c.K4))))
			}
			x := c.Fx*(u*k+2*c.P1*u*v+c.P2*(s+2*u*u)) + c.Cx
			y := c.Fy*(v*k+c.P1*(s+2*v*v)+2*c.P2*u*v) + c.Cy
			if math.Abs(x) < 1000 && math.Abs(y) < 1000 { // 16 bits hold it
				got := placeOf(m, i)
				require.InDelta(t, 32*x, float64(got.X), 0.501, "%s, pixel %d", name, i)
				require.InDelta(t, 32*y, float64(got.Y), 0.501, "%s, pixel %d", name, i)
			}
		}
		require.Greater(t, inside, w*h/10, name)
		if name == "folding" || name == "end fisheye" || name == "rational" {
			require.Greater(t, beyond, w*h/10, name)
		}
	}
}

// TestRectification checks maps between cameras by the directions in which they see a pixel.
func TestRectification(t *testing.T) {
	const w, h = 64, 36
	rng := rand.New(rand.NewPCG(1, 1))
	found, nowhere := 0, 0
	for fromName, from := range cameras {
		for toName, to := range cameras {
			to = to.Resized(image.Pt(192, 108), image.Pt(w, h))
			turn := turned(0.3*rng.NormFloat64(), 0.3*rng.NormFloat64(), rng.NormFloat64())
			m := warp.Rectification(from, to, turn, w, h)
			require.Equal(t, image.Pt(w, h), image.Pt(m.Width, m.Height))
			for i := range w * h {
				b, seen := to.Bearing(geometry.Point{X: float64(i % w), Y: float64(i / w)})
				var ray [3]float64
				for k := range 3 {
					ray[k] = turn[k]*b[0] + turn[3+k]*b[1] + turn[6+k]*b[2]
				}
				want, ok := from.Project(ray)
				if !seen || !ok {
					nowhere++
					require.True(t, math.IsNaN(float64(m.X[i])) && math.IsNaN(float64(m.Y[i])), "%s to %s, %d", fromName, toName, i)
					continue
				}
				found++
				require.InDelta(t, want.X, float64(m.X[i]), 1e-4*max(1, math.Abs(want.X)/100), "%s to %s, %d", fromName, toName, i)
				require.InDelta(t, want.Y, float64(m.Y[i]), 1e-4*max(1, math.Abs(want.Y)/100), "%s to %s, %d", fromName, toName, i)
			}
		}
	}
	require.Greater(t, found, 40_000)
	require.Greater(t, nowhere, 10_000)

	// The same camera, half the focal length, and a quarter turn to the right of what it sees.
	c := camera.Camera{Fx: 40, Fy: 40, Cx: 31.5, Cy: 31.5}
	still := [9]float64{0: 1, 4: 1, 8: 1}
	same, wide := warp.Rectification(c, c, still, 64, 64), c
	wide.Fx, wide.Fy = 20, 20
	twice := warp.Rectification(c, wide, still, 64, 64)
	quarter := warp.Rectification(c, c, [9]float64{0, -1, 0, 1, 0, 0, 0, 0, 1}, 64, 64)
	for i := range 64 * 64 {
		x, y := float64(i%64), float64(i/64)
		require.InDeltaSlice(t, []float64{x, y}, []float64{float64(same.X[i]), float64(same.Y[i])}, 1e-5)
		require.InDeltaSlice(t, []float64{31.5 + 2*(x-31.5), 31.5 + 2*(y-31.5)}, []float64{float64(twice.X[i]), float64(twice.Y[i])}, 1e-5)
		require.InDeltaSlice(t, []float64{y, 63 - x}, []float64{float64(quarter.X[i]), float64(quarter.Y[i])}, 1e-5)
	}
}

// turned returns the product of rotations about the axes.
func turned(x, y, z float64) [9]float64 {
	product := [9]float64{0: 1, 4: 1, 8: 1}
	for axis, angle := range []float64{x, y, z} {
		sin, cos := math.Sincos(angle)
		var r [9]float64
		a, b := (axis+1)%3, (axis+2)%3
		r[4*axis], r[4*a], r[4*b], r[3*a+b], r[3*b+a] = 1, cos, cos, -sin, sin
		var next [9]float64
		for i := range next {
			for k := range 3 {
				next[i] += r[i/3*3+k] * product[3*k+i%3]
			}
		}
		product = next
	}
	return product
}

// TestLensPanics checks arguments that are none.
func TestLensPanics(t *testing.T) {
	c := cameras["barrel"]
	still := [9]float64{0: 1, 4: 1, 8: 1}
	require.PanicsWithValue(t, "warp: FixedMap of 0 by -1 pixels, sides are 0 to 32766", func() { warp.Undistortion(c, 0, -1) })
	require.PanicsWithValue(t, "warp: Map of 1048577 by 0 pixels, sides are 0 to 1048576", func() { warp.Rectification(c, c, still, 1048577, 0) })
	require.PanicsWithValue(t, "camera: Fx is 0, not positive", func() { warp.Undistortion(camera.Camera{}, 1, 1) })
	require.PanicsWithValue(t, "camera: Fx is 0, not positive", func() { warp.Rectification(camera.Camera{}, c, still, 1, 1) })
	require.PanicsWithValue(t, "camera: Fx is 0, not positive", func() { warp.Rectification(c, camera.Camera{}, still, 1, 1) })
	for _, bad := range [][9]float64{
		{},
		{0: 1, 4: 1, 8: -1},
		{0: 1, 4: -1, 8: 1},
		{0: 1, 1: 1e-3, 4: 1, 8: 1},
		{0: 1.001, 4: 1.001, 8: 1.001},
		{0: 1, 4: 1, 8: math.NaN()},
		{0: math.Inf(1), 4: 1, 8: 1},
		{0: 1, 4: 1, 5: 0.5, 8: 1},
		{3: 1, 6: 1, 8: 1},
	} {
		require.PanicsWithValue(t, "warp: turn that is not a rotation", func() { warp.Rectification(c, c, bad, 1, 1) }, bad)
	}
	require.Empty(t, warp.Undistortion(c, 0, 5).XY)
	require.Empty(t, warp.Rectification(c, c, still, 5, 0).X)
}
