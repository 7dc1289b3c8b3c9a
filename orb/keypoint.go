package orb

import (
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast"
)

// A Keypoint is a place in an image that can be found again in others.
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
	// Response is how strong the keypoint is, by the Score of the Options.
	Response float32
	// Octave is the level of the pyramid that the keypoint was found on.
	Octave int32
}

// Pt returns the pixel that k lies in, the one nearest to its X and Y.
func (k Keypoint) Pt() image.Point {
	return image.Pt(int(math.Floor(float64(k.X)+0.5)), int(math.Floor(float64(k.Y)+0.5)))
}

// Position returns X and Y.
func (k Keypoint) Position() (x, y float32) {
	return k.X, k.Y
}

// Strength returns the Response of k.
func (k Keypoint) Strength() float32 {
	return k.Response
}

// Keypoints returns a keypoint for each of the points, corners of any package, for
// [Extractor.Describe]. X and Y are those of the point's pixel or, if the type has a method
// Position() (x, y float32) as lococo.Corner does, what that returns. Size, which Describe
// does not use, is the given number: the default PatchSize is 31. Response is the point's
// strength.
//
// Angle is 0, for which descriptors are upright. With [Options.RecomputeAngles], Describe
// computes the angle. Octave is 0, which is the image itself unless Options.FirstLevel is
// set. To describe a point on several levels, give it other octaves.
func Keypoints[P fast.Point](points []P, size float32) []Keypoint {
	return AppendKeypoints(nil, points, size)
}

// AppendKeypoints is Keypoints, appending the keypoints to dst. It does not allocate if dst
// has room.
func AppendKeypoints[P fast.Point](dst []Keypoint, points []P, size float32) []Keypoint {
	dst = slices.Grow(dst, len(points))
	for i := range points {
		k := Keypoint{Size: size, Response: points[i].Strength()}
		if p, ok := any(&points[i]).(positioned); ok {
			k.X, k.Y = p.Position()
		} else {
			p := points[i].Pt()
			k.X, k.Y = float32(p.X), float32(p.Y)
		}
		dst = append(dst, k)
	}
	return dst
}

// A positioned point lies between pixels.
type positioned interface {
	Position() (x, y float32)
}
