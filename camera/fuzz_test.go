package camera_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// FuzzCamera checks that nothing is seen outside of the model, that rays lie inside, and that
// projecting a ray leads back to its pixel.
func FuzzCamera(f *testing.F) {
	f.Add(false, 500.0, 500.0, 320.0, 240.0, -0.3, 0.1, 0.001, -0.002, 0.02, 0.0, 0.0, 0.0, 10.0, 20.0, 0.3, -0.2, 1.0)
	f.Add(false, 500.0, 500.0, 320.0, 240.0, 11.4, -7.0, 0.001, -0.002, 1.0, 11.7, -3.0, 0.4, 10.0, 20.0, 2.0, -0.2, 1.0)
	f.Add(true, 300.0, 300.0, 320.0, 240.0, -0.05, 0.01, 0.0, 0.0, -0.002, 0.001, 0.0, 0.0, 10.0, 20.0, 3.0, -0.2, -1.0)
	f.Add(false, 1e-300, 1e300, 0.0, 0.0, 1e300, -1e300, 1e-300, 1e10, -1.0, 0.0, 0.0, 0.0, 1e200, -1e-200, 0.0, 0.0, 1e-300)
	f.Add(false, 1e-300, 1e300, -95.0, 0.0, 1e299, -1e299, -80.0, 1e10, -1.0, 0.0, 0.0, 0.0, 1e200, -1e-200, 0.0, -54.0, 91.0)
	f.Fuzz(func(t *testing.T, fisheye bool, fx, fy, cx, cy, k1, k2, p1, p2, k3, k4, k5, k6, px, py, x, y, z float64) {
		c := camera.Camera{Fx: fx, Fy: fy, Cx: cx, Cy: cy, K1: k1, K2: k2, P1: p1, P2: p2, K3: k3, K4: k4, K5: k5, K6: k6}
		if fisheye {
			c.Model, c.P1, c.P2, c.K5, c.K6 = camera.KannalaBrandt, 0, 0, 0, 0
		}
		if c.Check() != nil {
			return
		}
		o := newOracle(c)
		point, pixel := [3]float64{x, y, z}, geometry.Point{X: px, Y: py}
		// bits keeps NaN comparable.
		bits := func(ok bool, v ...float64) (list []uint64) {
			if !ok {
				return nil
			}
			for _, v := range v {
				list = append(list, math.Float64bits(v))
			}
			return list
		}
		seen, ok := c.Project(point)
		want, wantOK := o.project(point)
		require.Equal(t, bits(wantOK, want.X, want.Y), bits(ok, seen.X, seen.Y))
		if ok && !fisheye {
			require.Less(t, math.Hypot(x/z, y/z), o.end*(1+1e-15))
		}
		if d, deriveOK := c.Derivatives(point); ok {
			finite := true
			for _, v := range append(d.Point[0][:], d.Point[1][:]...) {
				finite = finite && math.Abs(v) <= math.MaxFloat64
			}
			require.Equal(t, finite, deriveOK)
			require.Equal(t, bits(true, seen.X, seen.Y), bits(true, d.Pixel.X, d.Pixel.Y))
		}
		b, ok := c.Bearing(pixel)
		wantB, wantOK := o.bearing(pixel)
		require.Equal(t, bits(wantOK, wantB[:]...), bits(ok, b[:]...))
		u, v, rayOK := c.Ray(pixel)
		wantU, wantV, wantOK := o.ray(pixel)
		require.Equal(t, bits(wantOK, wantU, wantV), bits(rayOK, u, v))
		if rayOK {
			require.True(t, ok)
			require.False(t, math.IsNaN(u) || math.IsNaN(v))
		}
		if rayOK && !fisheye {
			require.Less(t, float64(u*u)+float64(v*v), o.end*o.end)
			again, ok := c.Project([3]float64{u, v, 1})
			require.True(t, ok)
			if math.Hypot(u, v) < 100 {
				size := math.Abs(px-cx)/fx + math.Abs(py-cy)/fy + math.Abs(u) + math.Abs(v)
				slack := 1e-12 * (math.Abs(px) + math.Abs(py) + math.Abs(cx) + math.Abs(cy))
				require.InDelta(t, px, again.X, slack+fx*size*0x1p-42)
				require.InDelta(t, py, again.Y, slack+fy*size*0x1p-42)
			}
		}
		if ok && fisheye {
			require.InDelta(t, 1, b[0]*b[0]+b[1]*b[1]+b[2]*b[2], 1e-12)
			require.LessOrEqual(t, math.Atan2(math.Hypot(b[0], b[1]), b[2]), o.end+1e-14)
		}
	})
}

// FuzzReadInfo checks that what is read is a camera that can be written and read again.
func FuzzReadInfo(f *testing.F) {
	for _, text := range []string{
		openCV, openCVXML, openCVJSON, fisheye, ros, kalibr, `{"Fx": 500, "Fy": 500, "Name": "x"}`,
		"a:\n- - b: [c, {d: e}] # f\n  - 'g'\n", "cam0: {camera_model: pinhole, distortion_model: none, intrinsics: [500, 501, 320, 240]}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		info, err := camera.ReadInfo(bytes.NewReader(data))
		if err != nil {
			require.Zero(t, info)
			return
		}
		require.NoError(t, info.Check())
		for name, write := range writers {
			var b bytes.Buffer
			require.NoError(t, write(info, &b))
			again, err := camera.ReadInfo(&b)
			require.NoError(t, err, "%s: %q", name, b.String())
			require.Equal(t, info, again, name)
		}
	})
}
