package hashes

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// poses adds motions, poses and fundamental matrices of a camera that moves before a relief: the
// gray values of the image are depths. Every fourth pair is wrong.
func poses(s *sum, img *image.Gray, n int, _ Settings) {
	c := camera.Camera{Fx: 200, Fy: 210, Cx: 90, Cy: 70, K1: float64(n%3) / 16}
	truth := pose.FromQuaternion(32, 1, -float64(n%5), 1, pose.Vector{0.75, 0.25 * float64(n%4), -0.5})
	var a, b []geometry.Point
	var world []pose.Vector
	for i, p := range points(img) {
		from := geometry.Point{X: float64(p.X), Y: float64(p.Y)}
		x, y, ok := c.Ray(from)
		if !ok {
			continue
		}
		depth := 4 + float64(img.GrayAt(img.Rect.Min.X+int(p.X), img.Rect.Min.Y+int(p.Y)).Y)/64
		point := pose.Vector{x * depth, y * depth, depth}
		to, _ := c.Project(truth.Apply(point))
		switch i % 4 {
		case 0:
			to.X, to.Y = to.Y, to.X
		case 1:
			to.X += 0.25
		case 2:
			to.Y -= 0.5
		}
		a, b, world = append(a, from), append(b, to), append(world, point)
	}
	e := must(pose.New(pose.Options{Seed: uint64(n), MaxSamples: 500}))
	inliers := make([]bool, len(a))
	add := func(err error, count, samples int, numbers ...float64) {
		s.result().doubles(numbers...).integers(int32(count), int32(samples))
		if err != nil {
			s.bytes(fmt.Append(nil, err))
			return
		}
		each(s, inliers, func(s *sum, in bool) { s.bool(in) })
	}
	motion, err := e.Relative(c, c, a, b, nil, inliers)
	add(err, motion.Inliers, motion.Samples, append(motion.Pose.R[:], motion.Pose.T[:]...)...)
	s.bool(motion.Turn).bool(motion.Planar).bool(motion.Ambiguous).doubles(motion.Other.R[:]...).doubles(motion.Other.T[:]...)
	if err == nil {
		for i := range a {
			x, ok := motion.Pose.Triangulate(c, c, a[i], b[i])
			s.result().doubles(x[:]...).bool(ok)
		}
	}
	fit, err := e.Absolute(c, world, b, nil, inliers)
	add(err, fit.Inliers, fit.Samples, append(fit.Pose.R[:], fit.Pose.T[:]...)...)
	epipolar, err := e.Fundamental(a, b, nil, inliers)
	add(err, epipolar.Inliers, epipolar.Samples, epipolar.F[:]...)
}
