package orb

import (
	"image"
	"slices"

	"github.com/fastcorners/fast/internal/pixel"
	"github.com/fastcorners/fast/point"
)

// A Keypoint is a point in an image that can be found again in other images.
type Keypoint struct {
	// X and Y are the coordinates in the image, in pixels. An Extractor finds integers on
	// the level that is the image itself, and fractions on other levels.
	X, Y float32
	// Size is the diameter of the patch around the keypoint that is described, in pixels
	// of the image.
	Size float32
	// Angle is the direction from the keypoint to the centroid of the patch, in degrees,
	// 0 to 360, clockwise from the x axis.
	Angle float32
	// Response is the strength of the keypoint, according to Options.ScoreType.
	Response float32
	// Octave is the level of the pyramid that the keypoint was found on.
	Octave int32
}

// Pt returns the pixel nearest to X and Y, with math.MaxInt32 for a coordinate that is NaN or
// does not fit in 32 bits.
func (k Keypoint) Pt() image.Point {
	return pixel.Nearest(float64(k.X), float64(k.Y))
}

// Position returns X and Y.
func (k Keypoint) Position() (x, y float32) {
	return k.X, k.Y
}

// Strength returns the Response of k.
func (k Keypoint) Strength() float32 {
	return k.Response
}

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
