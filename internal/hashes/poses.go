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

// placements adds the poses of a camera that sees a card, which is flat or nearly so, and its motion to
// there: by few points, which are right but for a quarter pixel, and by all, of which some are wrong.
func placements(s *sum, img *image.Gray, n int, _ Settings) {
	c := camera.Camera{Fx: 400, Fy: 410, Cx: 90, Cy: 70, K1: -float64(n%3) / 64}
	truth := pose.FromQuaternion(8, 1+float64(n%3), -float64(n%2), float64(n%5), pose.Vector{-1, 0.5, 6 + float64(n%7)})
	var world []pose.Vector
	var seen, straight []geometry.Point
	for i, p := range points(img) {
		w := pose.Vector{float64(p.X) / 64, float64(p.Y) / 64, float64(n%4*(i%3)) / 64}
		to, ok := c.Project(truth.Apply(w))
		from, front := c.Project(pose.Vector{w[0], w[1], 8})
		if !ok || !front {
			continue
		}
		to.X += float64(i%4) / 4
		to.Y -= float64(i%3) / 4
		if i%16 == 15 {
			to.X += 32
		}
		world, seen, straight = append(world, w), append(seen, to), append(straight, from)
	}
	for _, k := range []int{3, 4, 5, 7, 12} {
		k = min(k, len(world))
		found, err := pose.LeastSquares(c, world[:k], seen[:k], float64(n%2)/4)
		if err != nil {
			s.result().bytes(fmt.Append(nil, err))
			continue
		}
		s.bool(found.Ambiguous)
		for _, m := range found.Minima {
			refined, _ := pose.View{Camera: c, Pose: m.Pose}.Refine(world, seen)
			s.result().doubles(m.Pose.R[:]...).doubles(m.Pose.T[:]...).doubles(m.Error)
			s.doubles(refined.Pose.R[:]...).doubles(refined.Pose.T[:]...).doubles(refined.Error)
		}
	}
	e := must(pose.New(pose.Options{Seed: uint64(n), MaxSamples: 500, MinInliers: 4}))
	fit, err := e.Absolute(c, world, seen, nil, nil)
	s.result().doubles(fit.Pose.R[:]...).doubles(fit.Pose.T[:]...).doubles(fit.Other.R[:]...).doubles(fit.Other.T[:]...).doubles(fit.Error, fit.OtherError)
	s.integers(int32(fit.Inliers)).bool(fit.Planar).bool(fit.Ambiguous).bytes(fmt.Append(nil, err))
	motion, err := e.Relative(c, c, straight, seen, nil, nil)
	s.result().doubles(motion.Pose.R[:]...).doubles(motion.Pose.T[:]...).doubles(motion.Other.R[:]...).doubles(motion.Other.T[:]...)
	s.integers(int32(motion.Inliers)).bool(motion.Turn).bool(motion.Planar).bool(motion.Ambiguous).bytes(fmt.Append(nil, err))
}
