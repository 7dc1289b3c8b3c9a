package hashes

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// boardPoses are those of a board of 8 by 5 corners before a camera.
var boardPoses = []pose.Pose{
	pose.FromQuaternion(8, 2, 0, 0, pose.Vector{-5, -2.5, 12}),
	pose.FromQuaternion(8, -2, 0, 1, pose.Vector{-2, -2, 14}),
	pose.FromQuaternion(8, 0, 2, 0, pose.Vector{-4, -1, 13}),
	pose.FromQuaternion(8, 0, -2, -1, pose.Vector{-5, -1.5, 11}),
	pose.FromQuaternion(8, 1, 1, 3, pose.Vector{-1, -4, 12}),
	pose.FromQuaternion(8, -1, 1, 0, pose.Vector{-6, -2, 13}),
	pose.FromQuaternion(8, 1, -1, 16, pose.Vector{3, -3, 12}),
}

// calibrations adds cameras that are found from fixed views, whose noise is the gray values of the
// image, with all that is known of how good they are, and pairs of them.
func calibrations(s *sum, img *image.Gray, n int, settings Settings) {
	truth := camera.Camera{Fx: 500, Fy: 510, Cx: 310, Cy: 250, K1: -float64(n%3) / 16}
	opts := calibrate.Options{Distortion: []int{1, 2, 4, 5, 8}[n%5], Bend: n%4 == 1, Workers: settings.Workers}
	if n%3 == 2 {
		truth.Model, opts.Model, opts.Distortion = camera.KannalaBrandt, camera.KannalaBrandt, 1+n%4
	}
	if n%4 > 1 {
		opts.HuberThreshold = float64(n%4) / 8
	}
	size := image.Pt(640, 480)
	other := truth
	other.Cx += 12
	between := pose.FromQuaternion(32, 0, 1, 0, pose.Vector{-2, 0, 0.25})
	var views []calibrate.View
	var pairs [][2]calibrate.View
	for i, p := range boardPoses {
		views = append(views, boardView(img, i, truth, p))
		pairs = append(pairs, [2]calibrate.View{views[i], boardView(img, i+1, other, between.Mul(p))})
	}

	calibrator := must(calibrate.New(opts))
	c, err := calibrator.Calibrate(size, views)
	addCalibrated(s.result(), c.Camera)
	s.doubles(c.RMS, c.Sigma, c.Bend[0], c.Bend[1]).integers(int32(c.Iterations), int32(c.Beyond)).bool(c.Converged).bytes(fmt.Append(nil, err))
	for i, p := range c.Poses {
		s.result().doubles(p.R[:]...).doubles(p.T[:]...)
		each(s, c.Errors(i), func(s *sum, e geometry.Point) { s.doubles(e.X, e.Y) })
	}
	deviations := c.StandardDeviations()
	s.result().doubles(deviations[:]...).doubles(c.Covariance(0, 2)).doubles(c.Influence()...)
	for y := 0; y < size.Y; y += 80 {
		for x := 0; x < size.X; x += 80 {
			s.result().doubles(c.Uncertainty(geometry.Point{X: float64(x), Y: float64(y)}))
		}
	}
	h := c.Suggest(8, 5)
	s.result().doubles(h.At.X, h.At.Y, h.TiltX, h.TiltY, h.Size, h.Before, h.After)
	halves, err := calibrator.Halves(size, views)
	s.result().doubles(halves.Difference, halves.Predicted).bytes(fmt.Append(nil, err))

	opts.RefineCameras = n%2 == 1
	pair, err := must(calibrate.New(opts)).Pair(calibrate.Calibration{Camera: truth}, calibrate.Calibration{Camera: other}, pairs)
	addCalibrated(s.result(), pair.A)
	addCalibrated(s, pair.B)
	s.doubles(pair.Pose.R[:]...).doubles(pair.Pose.T[:]...).doubles(pair.Turn[:]...).doubles(pair.Shift[:]...)
	s.doubles(pair.RMS, pair.Sigma).integers(int32(pair.Iterations)).bytes(fmt.Append(nil, err))
}

// boardView returns what a camera sees of a board.
func boardView(img *image.Gray, i int, c camera.Camera, p pose.Pose) (v calibrate.View) {
	size := img.Rect.Size()
	for k := range 8 * 5 {
		point := pose.Vector{float64(k % 8), float64(k / 8)}
		at, ok := c.Project(p.Apply(point))
		if !ok {
			continue
		}
		j := 97*i + 2*k
		noise := func(j int) float64 {
			return float64(img.GrayAt(img.Rect.Min.X+j%size.X, img.Rect.Min.Y+j/size.X%size.Y).Y)/512 + float64(j*j%7)/16
		}
		v.World = append(v.World, point)
		v.Image = append(v.Image, geometry.Point{X: at.X + noise(j), Y: at.Y + noise(j+1)})
		v.Deviations = append(v.Deviations, 1+float64(k%3)/4)
	}
	return v
}

// addCalibrated adds the fields of a camera.
func addCalibrated(s *sum, c camera.Camera) {
	s.doubles(c.Fx, c.Fy, c.Cx, c.Cy, c.K1, c.K2, c.P1, c.P2, c.K3, c.K4, c.K5, c.K6)
}
