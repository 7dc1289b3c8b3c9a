package orb

import (
	"slices"

	"github.com/fastcorners/fast/point"
)

// A Keypoint is a point in an image that can be found again in other images. An Extractor finds
// integer coordinates on the level that is the image itself, and fractions on other levels.
type Keypoint = point.Keypoint

// Keypoints returns a keypoint for each of the points, which are corners of any package, for
// [Extractor.Describe]. X and Y are the point's position, which may lie between pixels. Size, which
// Describe does not use, is size; the default PatchSize is 31. Response is the point's strength.
//
// Angle is 0, which makes descriptors upright; with [Options.RecomputeAngles], Describe computes
// the angle. Octave is 0, which is the image itself unless Options.FirstLevel is set. To describe a
// point on several levels, copy its keypoint with other octaves.
func Keypoints[P point.Strong](points []P, size float32) []Keypoint {
	return AppendKeypoints(nil, points, size)
}

// AppendKeypoints is like Keypoints but appends the keypoints to dst. It does not allocate if dst
// has room.
func AppendKeypoints[P point.Strong](dst []Keypoint, points []P, size float32) []Keypoint {
	dst = slices.Grow(dst, len(points))
	for i := range points {
		x, y := points[i].Position()
		dst = append(dst, Keypoint{X: x, Y: y, Size: size, Response: points[i].Strength()})
	}
	return dst
}
