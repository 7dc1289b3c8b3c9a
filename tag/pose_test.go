package tag_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
	"github.com/stretchr/testify/require"
)

// webcam distorts, so that poses need rays.
var webcam = camera.Camera{Fx: 600, Fy: 610, Cx: 320, Cy: 240, K1: -0.2, K2: 0.05}

// seenAt returns a marker that a camera sees in a pose, with sides of the given length.
func seenAt(t *testing.T, c camera.Camera, at pose.Pose, side float64) tag.Tag {
	var seen tag.Tag
	for i, corner := range [4]pose.Vector{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
		p, ok := c.Project(at.Apply(corner.Scale(side / 2)))
		require.True(t, ok)
		seen.Corners[i] = p
	}
	return seen
}

// TestPose finds the poses of markers whose corners are exact, and both minima.
func TestPose(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 8))
	for range 300 {
		const side = 0.16
		x, y := random.Float64()-0.5, random.Float64()-0.5
		at := pose.FromQuaternion(1, x, y, 2*random.Float64()-1, pose.Vector{random.Float64() - 0.5, random.Float64() - 0.5, 2})
		seen := seenAt(t, webcam, at, side)
		found, ok := seen.Pose(webcam, side)
		require.True(t, ok)
		require.InDeltaSlice(t, at.R[:], found.Pose.R[:], 1e-5)
		require.InDeltaSlice(t, at.T[:], found.Pose.T[:], 1e-5)
		require.InDelta(t, 0, found.Error, 1e-6)
		require.GreaterOrEqual(t, found.OtherError, found.Error)
		require.InDelta(t, found.OtherError, rms(found.Other, &seen, side), 1e-9)
		if found.OtherError > 0.1 {
			require.False(t, found.Ambiguous)
		}

		seen.Noise = 1 // more than the errors of the other pose
		noisy, ok := seen.Pose(webcam, side)
		require.True(t, ok)
		apart := found.Pose.R[2]*found.Other.R[2] + found.Pose.R[5]*found.Other.R[5] + found.Pose.R[8]*found.Other.R[8]
		require.Equal(t, 4*found.OtherError*found.OtherError < 16*(1+0.03*0.03) && apart < 0.99995, noisy.Ambiguous)
		noisy.Ambiguous, noisy.Covariance = found.Ambiguous, found.Covariance
		require.Equal(t, found, noisy)
	}
}

// TestCovariance compares covariances with those of poses from corners with noise.
func TestCovariance(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 13))
	fisheye := camera.Camera{Model: camera.KannalaBrandt, Fx: 300, Fy: 310, Cx: 320, Cy: 240, K1: 0.02}
	for _, c := range []struct {
		camera camera.Camera
		at     pose.Pose
	}{
		{camera.Camera{Fx: 600, Fy: 610, Cx: 320, Cy: 240}, pose.FromQuaternion(1, 0.3, -0.2, 0.4, pose.Vector{0.1, -0.05, 0.8})},
		{webcam, pose.FromQuaternion(1, -0.4, 0.1, -0.8, pose.Vector{-0.1, 0.1, 0.9})},
		{fisheye, pose.FromQuaternion(1, 0.1, 0.4, 0.1, pose.Vector{0.3, 0.2, 0.5})},
	} {
		const side, noise, draws = 0.16, 0.02, 2000
		exact := seenAt(t, c.camera, c.at, side)
		exact.Noise = noise
		found, ok := exact.Pose(c.camera, side)
		require.True(t, ok)
		require.InDeltaSlice(t, c.at.T[:], found.Pose.T[:], 1e-6)
		var sums [6][6]float64
		for range draws {
			seen := exact
			for i := range seen.Corners {
				seen.Corners[i].X += noise * random.NormFloat64()
				seen.Corners[i].Y += noise * random.NormFloat64()
			}
			noisy, ok := seen.Pose(c.camera, side)
			require.True(t, ok)
			// The rotation from the exact pose is nearly the identity.
			r := noisy.Pose.Mul(c.at.Inverse()).R
			shift := noisy.Pose.T.Sub(c.at.T)
			e := [6]float64{(r[7] - r[5]) / 2, (r[2] - r[6]) / 2, (r[3] - r[1]) / 2, shift[0], shift[1], shift[2]}
			for i := range e {
				for j := range e {
					sums[i][j] += e[i] * e[j] / draws
				}
			}
		}
		for i, row := range found.Covariance {
			require.InEpsilon(t, math.Sqrt(sums[i][i]), math.Sqrt(row[i]), 0.1)
			for j := range row {
				require.InDelta(t, sums[i][j], row[j], 0.1*math.Sqrt(row[i]*found.Covariance[j][j]))
				require.Equal(t, row[j], found.Covariance[j][i])
			}
		}
	}
}

// rms returns the root of the mean squared distance of the corners from where a pose projects them,
// in undistorted pixels.
func rms(at pose.Pose, seen *tag.Tag, side float64) float64 {
	sum := 0.0
	for i, corner := range [4]pose.Vector{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
		x, y, _ := webcam.Ray(seen.Corners[i])
		p := at.Apply(corner.Scale(side / 2))
		u, v := webcam.Fx*(p[0]/p[2]-x), webcam.Fy*(p[1]/p[2]-y)
		sum += u*u + v*v
	}
	return math.Sqrt(sum / 4)
}

// TestPoseFacing finds the pose of a marker that faces the camera, which has one minimum.
func TestPoseFacing(t *testing.T) {
	c := camera.Camera{Fx: 500, Fy: 500, Cx: 320, Cy: 240}
	at := pose.Pose{R: pose.Rotation{0: 1, 4: 1, 8: 1}, T: pose.Vector{0, 0, 3}}
	found, ok := seenAt(t, c, at, 1).Pose(c, 1)
	require.True(t, ok)
	require.InDeltaSlice(t, at.R[:], found.Pose.R[:], 1e-6)
	require.InDeltaSlice(t, at.R[:], found.Other.R[:], 1e-2)
	require.False(t, found.Ambiguous)
}

// TestNoPose has corners without rays, and corners without a pose.
func TestNoPose(t *testing.T) {
	fisheye := camera.Camera{Model: camera.KannalaBrandt, Fx: 200, Fy: 200, Cx: 320, Cy: 240}
	at := pose.Pose{R: pose.Rotation{0: 1, 4: 1, 8: 1}, T: pose.Vector{0, 0, 1}}
	seen := seenAt(t, fisheye, at, 0.2)
	_, ok := seen.Pose(fisheye, 0.2)
	require.True(t, ok)
	seen.Corners[2].X = 1e6
	_, ok = seen.Pose(fisheye, 0.2)
	require.False(t, ok)

	for _, corners := range [][4]geometry.Point{
		{},
		{{X: 0}, {X: 10}, {X: 20}, {X: 30}},
		{{X: 0}, {X: 10}, {X: 20}, {X: 10, Y: 10}},
		{{X: math.NaN()}, {X: 10}, {X: 10, Y: 10}, {Y: 10}},
		{{X: 0}, {X: 10, Y: 10}, {X: 10}, {Y: 10}},   // crossed
		{{X: 0}, {X: 100}, {X: 20, Y: 20}, {Y: 100}}, // not convex
		{{X: 10}, {X: 0}, {Y: 10}, {X: 10, Y: 10}},   // counterclockwise
	} {
		p, ok := tag.Tag{Corners: corners}.Pose(webcam, 1)
		require.False(t, ok, "%v %v", corners, p)
	}
	require.PanicsWithValue(t, "tag: side is -1, not a positive finite number", func() { seen.Pose(fisheye, -1) })
	require.Panics(t, func() { seen.Pose(camera.Camera{}, 1) })
}
