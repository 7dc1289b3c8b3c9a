package calibrate

import (
	"errors"
	"image"
	"math"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/stretchr/testify/require"
)

// FuzzCalibrate calibrates with views of a rig, some of whose numbers are those of the input, with any
// options. Nothing panics, errors are those that are documented, and results are finite and what an oracle
// says.
func FuzzCalibrate(f *testing.F) {
	f.Add(int64(1), uint8(6), uint8(0), int8(0), uint8(0), 0.1, 0.7, 0.0, 0.0, uint8(0))
	f.Add(int64(2), uint8(3), uint8(1), int8(4), uint8(0), 0.0, 0.0, 100.0, 1e300, uint8(3))
	f.Add(int64(3), uint8(1), uint8(0), int8(8), uint8(2), 1.0, 0.3, -5.0, 7.0, uint8(200))
	f.Add(int64(4), uint8(9), uint8(4), int8(-1), uint8(13), 100.0, 1.2, 1e-300, 1.0, uint8(40))
	f.Fuzz(func(t *testing.T, seed int64, views, kind uint8, distortion int8, fixed uint8, noise, tilt, x, y float64, changed uint8) {
		finite := func(v float64) bool { return v-v == 0 }
		if !finite(noise) || !finite(tilt) || !finite(x) || !finite(y) {
			return
		}
		opts := Options{
			Model: camera.Model(kind & 1), Distortion: int(distortion), Fixed: Fixed(fixed), Bend: kind&2 != 0,
			Iterations: 30,
		}
		if kind&4 != 0 {
			opts.Start = camera.Camera{Model: opts.Model, Fx: 100 + math.Abs(x), Fy: 400, Cx: y, Cy: 200, K1: x}
		}
		if kind&8 != 0 {
			opts.HuberThreshold = math.Abs(y)
		}
		c, err := New(opts)
		if err != nil {
			return
		}
		s := newRig(seed)
		s.tilt = math.Mod(tilt, 1)
		s.columns, s.rows = 3+int(changed&7), 3
		list := s.noisy(s.views(int(views%10)), noise)
		for i := range list {
			list[i].World = append([]pose.Vector(nil), list[i].World...)
			for k := range list[i].World {
				if !finite(list[i].Image[k].X) || !finite(list[i].Image[k].Y) {
					return
				}
				switch (i + k + int(changed)) % 64 {
				case 62:
					list[i].World[k] = pose.Vector{x, y}
				case 63:
					list[i].Image[k] = geometry.Point{X: x, Y: y}
				}
			}
		}
		opts.Workers = 2
		size := image.Pt(640, 480)
		found, err := c.Calibrate(size, list)
		again, other := calibrator(t, opts).Calibrate(size, list)
		require.Equal(t, err, other)
		require.Equal(t, found.Camera, again.Camera)
		require.Equal(t, found.Poses, again.Poses)
		if _, err := c.Halves(size, list); err != nil && !errors.Is(err, ErrDegenerate) && !errors.Is(err, ErrViews) {
			t.Fatal(err)
		}
		if err != nil && !errors.Is(err, ErrFocal) {
			require.True(t, errors.Is(err, ErrDegenerate) || errors.Is(err, ErrViews), "%v", err)
			require.Zero(t, found)
			return
		}
		require.NoError(t, found.Camera.Check())
		require.True(t, finite(found.RMS) && finite(found.Sigma) && finite(found.Bend[0]) && finite(found.Bend[1]))
		for _, v := range found.StandardDeviations() {
			require.GreaterOrEqual(t, v, 0.0)
		}
		for i, p := range found.Poses {
			for k := range 3 {
				row := pose.Vector(p.R[3*k : 3*k+3])
				require.InDelta(t, 1, row.Norm(), 1e-12)
				require.InDelta(t, 0, row.Dot(pose.Vector(p.R[(3*k+3)%9:])), 1e-12)
				require.True(t, finite(p.T[k]))
			}
			require.Len(t, found.Errors(i), len(list[i].World))
		}
		if found.Beyond == 0 {
			cost := costOf(&found.Camera, found.Poses, found.Bend, list, opts.HuberThreshold)
			want := math.Sqrt(cost / float64(len(list)*len(list[0].World)))
			require.InDelta(t, want, found.RMS, 1e-9*max(1, want))
		}
		for _, v := range found.Influence() {
			require.False(t, v < 0)
		}
		hint := found.Suggest(5, 4)
		require.False(t, hint.After > hint.Before)
		found.Uncertainty(geometry.Point{X: x, Y: y})
		found.Draw(image.NewGray(image.Rect(0, 0, 50, 50)))
	})
}
