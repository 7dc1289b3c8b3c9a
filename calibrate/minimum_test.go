package calibrate

import (
	"math"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/pose"
	"github.com/stretchr/testify/require"
)

// costOf returns the sum of Huber's function of the errors, by package camera and pose.Pose alone. Boards
// bend by the formula of Calibration.Bend. It is infinite if a point is not seen.
func costOf(c *camera.Camera, poses []pose.Pose, bend [2]float64, views []View, huber float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	lowY, highY := low, high
	for _, v := range views {
		for _, x := range v.World {
			low, high = min(low, x[0]), max(high, x[0])
			lowY, highY = min(lowY, x[1]), max(highY, x[1])
		}
	}
	sum := 0.0
	for i, v := range views {
		seen := make([][3]float64, len(v.World))
		for k, x := range v.World {
			u, w := 2*(x[0]-low)/(high-low)-1, 2*(x[1]-lowY)/(highY-lowY)-1
			x[2] = bend[0]*(1-u*u) + bend[1]*(1-w*w)
			seen[k] = poses[i].Apply(x)
		}
		for k, p := range c.Projections(seen) {
			if p.X != p.X {
				return math.Inf(1)
			}
			e := math.Hypot(p.X-v.Image[k].X, p.Y-v.Image[k].Y)
			if huber > 0 && e > huber {
				sum += 2*huber*e - huber*huber
			} else {
				sum += e * e
			}
		}
	}
	return sum
}

// TestMinimum checks that the cost, which is computed without the solver, grows by the same in both
// directions of each unknown: that it has a minimum where Calibrate says.
func TestMinimum(t *testing.T) {
	fisheye := camera.Camera{Model: camera.KannalaBrandt, Fx: 300, Fy: 301, Cx: 322, Cy: 238, K1: -0.03, K2: 0.004, K3: -0.002, K4: 0.0003}
	aspect := webcam
	aspect.Fy = aspect.Fx * 1.01
	for name, o := range map[string]Options{
		"5":          {},
		"1":          {Distortion: 1},
		"rational":   {Distortion: 8},
		"fisheye":    {Model: camera.KannalaBrandt},
		"fisheye 2":  {Model: camera.KannalaBrandt, Distortion: 2},
		"huber":      {HuberThreshold: 0.2},
		"bend":       {Bend: true},
		"aspect":     {Fixed: FixAspect, Start: aspect},
		"center":     {Fixed: FixCenter},
		"focal":      {Fixed: FixFocal, Start: webcam},
		"tangential": {Fixed: FixTangential},
		"poses":      {Fixed: FixFocal | FixCenter, Distortion: -1, Start: webcam},
	} {
		t.Run(name, func(t *testing.T) {
			s := newRig(1)
			if o.Model == camera.KannalaBrandt {
				s.camera = fisheye
			}
			views := s.noisy(s.views(7), 0.15)
			o.MaxFocalError = -1
			c, err := calibrator(t, o).Calibrate(webcamSize, views)
			require.NoError(t, err)
			require.True(t, c.Converged)
			cost := func(camera *camera.Camera, poses []pose.Pose, bend [2]float64) float64 {
				return costOf(camera, poses, bend, views, o.HuberThreshold)
			}
			n := float64(len(views) * len(views[0].World))
			least := cost(&c.Camera, c.Poses, c.Bend)
			requireRelative(t, c.RMS, math.Sqrt(least/n), 1e-12, "rms")
			check := func(what string, change func(camera *camera.Camera, poses []pose.Pose, bend *[2]float64, by float64)) {
				at := func(by float64) float64 {
					lens, poses, bend := c.Camera, append([]pose.Pose(nil), c.Poses...), c.Bend
					change(&lens, poses, &bend, by)
					return cost(&lens, poses, bend) - least
				}
				step := 1.0
				for at(step) > 1e-6*least {
					step /= 2
				}
				up, down := at(step), at(-step)
				require.Positive(t, up, what)
				require.Positive(t, down, what)
				require.InDelta(t, 1, up/down, 0.01, what)
			}
			for _, id := range calibrator(t, o).opts.freedom().fields {
				check("field", func(camera *camera.Camera, _ []pose.Pose, _ *[2]float64, by float64) {
					f := fieldsOf(camera)
					*f[id] += by
					if o.Fixed&FixAspect != 0 && id == fieldFx {
						*f[fieldFy] += by * 1.01
					}
				})
			}
			for i := range views {
				for k := range 3 {
					check("shift", func(_ *camera.Camera, poses []pose.Pose, _ *[2]float64, by float64) { poses[i].T[k] += by })
					check("turn", func(_ *camera.Camera, poses []pose.Pose, _ *[2]float64, by float64) {
						turn := [3]float64{}
						turn[k] = by / 100
						poses[i] = poses[i].Mul(pose.FromQuaternion(1, turn[0], turn[1], turn[2], pose.Vector{}))
					})
				}
			}
			if o.Bend {
				for k := range 2 {
					check("bend", func(_ *camera.Camera, _ []pose.Pose, bend *[2]float64, by float64) { bend[k] += by })
				}
			}

			// What is fixed stays as it was.
			free := calibrator(t, o).opts.freedom().fields
			deviations := c.StandardDeviations()
			for id, field := range fieldsOf(&c.Camera) {
				isFree := false
				for _, f := range free {
					isFree = isFree || f == id
				}
				switch {
				case isFree:
					require.Positive(t, deviations[id], "field %d", id)
				case o.Fixed&FixAspect != 0 && id == fieldFy:
					requireRelative(t, 1.01*c.Camera.Fx, *field, 1e-14, "Fy")
					requireRelative(t, 1.01*deviations[fieldFx], deviations[fieldFy], 1e-12, "Fy")
				default:
					require.Zero(t, deviations[id], "field %d", id)
					start := o.Start
					if (start == camera.Camera{}) {
						start.Cx, start.Cy = 319.5, 239.5
					}
					require.Equal(t, *fieldsOf(&start)[id], *field, "field %d", id)
				}
			}
		})
	}
}
