package point

import (
	"image"

	"github.com/fastcorners/fast/internal/pixel"
)

// A Keypoint is a point in an image that can be found again in other images, with a size and a
// direction.
type Keypoint struct {
	// X and Y are the coordinates in the image, in pixels.
	X, Y float32
	// Size is the diameter of the keypoint, in pixels of the image. In package orb it is that of the
	// patch that is described; in package sift it is that of a blob, and the patch is about 7.5
	// times as wide.
	Size float32
	// Angle is the direction of the keypoint in degrees, 0 to 360, clockwise from the x axis, since
	// the y axis points down. In package orb it is the direction to the centroid of the patch; in
	// package sift it is the dominant direction of the gradients, and less than 360.
	Angle float32
	// Response is the strength of the keypoint. In package orb its scale depends on
	// Options.ScoreType; in package sift it is the contrast with the surroundings: the difference
	// between two layers of the pyramid, with pixels from 0 to 1.
	Response float32
	// Octave is where the keypoint is in the pyramid. In package orb it is the level. In package sift
	// it is packed as in OpenCV: the octave in the lowest byte, where 255 is -1, the layer in the
	// second byte, and the position between two layers, 0 to 255, in the third; sift.Level unpacks
	// it.
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
