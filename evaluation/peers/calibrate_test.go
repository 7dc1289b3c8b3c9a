package peers

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/prints"
	"github.com/fastcorners/fast/pose"
	"github.com/stretchr/testify/require"
)

// TestChessboard checks that all find the corners of a board where package calibrate does, in the same
// order or in the opposite one, and none without a board.
func TestChessboard(t *testing.T) {
	peers := openPeers(t)
	scene := prints.NewScene(320, 240, 120)
	scene.Place(prints.Chessboard(7, 6), geometry.Transform{80, 10, 160, -12, 84, 125, .05, -.04, 1}, prints.Ink{Black: 30, White: 210}, nil, 2)
	img := scene.Pixels(.7).Gray(0, nil)
	want, err := Must(calibrate.NewFinder(calibrate.FinderOptions{})).FindOne(img)
	require.NoError(t, err)
	require.Equal(t, [3]int{7, 6, 42}, [3]int{want.Columns, want.Rows, want.Count})
	for _, f := range BoardFinders {
		corners, ok := peers.Chessboard(f, img, 7, 6)
		require.True(t, ok, f)
		turned := math.Hypot(float64(corners[0].X)-want.Corners[0].X, float64(corners[0].Y)-want.Corners[0].Y) > 10
		for i, c := range corners {
			if turned {
				i = len(corners) - 1 - i
			}
			require.InDelta(t, want.Corners[i].X, c.X, 1, f)
			require.InDelta(t, want.Corners[i].Y, c.Y, 1, f)
		}
		_, ok = peers.Chessboard(f, image.NewGray(image.Rect(0, 0, 100, 100)), 9, 6)
		require.False(t, ok, f)
	}
}

// boardViews returns what cameras see of boards of 9 by 6 corners, with noise.
func boardViews(rng *rand.Rand, n int, cameras ...func(board pose.Pose) (camera.Camera, pose.Pose)) [][]calibrate.View {
	lists := make([][]calibrate.View, len(cameras))
	for range n {
		turn := func() float64 { return .6*rng.Float64() - .3 }
		board := pose.FromQuaternion(1, turn(), turn(), turn(), pose.Vector{4*rng.Float64() - 6, 3*rng.Float64() - 4, 9 + 5*rng.Float64()})
		for i := range cameras {
			c, p := cameras[i](board)
			var v calibrate.View
			for k := range 54 {
				x := pose.Vector{float64(k % 9), float64(k / 9)}
				q, _ := c.Project(p.Apply(x))
				v.World = append(v.World, x)
				v.Image = append(v.Image, geometry.Point{X: q.X + .1*rng.NormFloat64(), Y: q.Y + .1*rng.NormFloat64()})
			}
			lists[i] = append(lists[i], v)
		}
	}
	return lists
}

// TestCalibrate compares package calibrate with OpenCV and mrcal: cameras, deviations, of which OpenCV's
// are larger, and the pose of a second camera.
func TestCalibrate(t *testing.T) {
	peers := openPeers(t)
	size := image.Pt(640, 480)
	barrel := camera.Camera{Fx: 600, Fy: 604, Cx: 325, Cy: 236, K1: -.28, K2: .07, P1: .0007, P2: -.0004}
	fisheye := camera.Camera{Model: camera.KannalaBrandt, Fx: 420, Fy: 421, Cx: 322, Cy: 238, K1: -.03, K2: .004}
	between := pose.FromQuaternion(1, .01, -.02, .01, pose.Vector{-1, .1, .2})
	lists := boardViews(
		rand.New(rand.NewPCG(1, 2)), 12,
		func(board pose.Pose) (camera.Camera, pose.Pose) { return barrel, board },
		func(board pose.Pose) (camera.Camera, pose.Pose) { return barrel, between.Mul(board) },
		func(board pose.Pose) (camera.Camera, pose.Pose) { return fisheye, board },
	)
	for i, list := range lists {
		lists[i] = Float32(list)
	}
	for n, share := range map[int]float64{5: 1e-6, 8: .01} { // the minimum of 8 is in a flat valley
		ours := Must(Must(calibrate.New(calibrate.Options{Distortion: n, MaxFocalError: -1})).Calibrate(size, lists[0]))
		theirs := Must(peers.Calibrate(camera.BrownConrady, n, size, lists[0]))
		require.InDelta(t, ours.RMS, theirs.RMS, share*ours.RMS)
		require.Less(t, calibrate.Difference(ours.Camera, theirs.Camera, size), .05)
		if n == 5 {
			require.InDelta(t, math.Sqrt2, theirs.Deviations[0]/ours.StandardDeviations()[0], .1)
		}
		if !HasMrcal() {
			continue
		}
		problem := &MrcalProblem{Width: size.X, Height: size.Y, Columns: 9, Rows: 6, Coefficients: n, Focal: 600, Places: [][2]float64{{100, 300}}}
		for _, v := range lists[0] {
			var list [][2]float64
			for _, q := range v.Image {
				list = append(list, [2]float64{q.X, q.Y})
			}
			problem.Views = append(problem.Views, list)
		}
		m := Must(Mrcal(problem))
		require.InDelta(t, ours.RMS, m.RMS, share*ours.RMS)
		require.InDelta(t, ours.Camera.Fx, m.Fields[0], 3*ours.StandardDeviations()[0])
		require.InDelta(t, 1, ours.Uncertainty(geometry.Point{X: 100, Y: 300})/m.Uncertainty[0], .3)
	}

	ours := Must(Must(calibrate.New(calibrate.Options{Model: camera.KannalaBrandt})).Calibrate(size, lists[2]))
	theirs := Must(peers.Calibrate(camera.KannalaBrandt, 4, size, lists[2]))
	require.InDelta(t, ours.RMS, theirs.RMS, 1e-6*ours.RMS)
	require.Less(t, calibrate.Difference(ours.Camera, theirs.Camera, size), .05)
	_, err := peers.Calibrate(camera.KannalaBrandt, 4, size, nil)
	require.Error(t, err)

	var pairs [][2]calibrate.View
	for i, v := range lists[0] {
		pairs = append(pairs, [2]calibrate.View{v, lists[1][i]})
	}
	pair := Must(Must(calibrate.New(calibrate.Options{})).Pair(calibrate.Calibration{Camera: barrel}, calibrate.Calibration{Camera: barrel}, pairs))
	at, rms, err := peers.Pair(barrel, barrel, size, pairs)
	require.NoError(t, err)
	require.InDelta(t, pair.RMS, rms, 1e-4*rms)
	require.InDeltaSlice(t, pair.Pose.R[:], at.R[:], 1e-4)
	require.InDeltaSlice(t, pair.Pose.T[:], at.T[:], 1e-3)
}
